//! Voronoi and Delaunay: the boundaries between the areas nearest to each robot, and the pairs of robots that share
//! one.

use bevy::math::DVec2;
use spade::{Point2, Triangulation as _};
use swarmarium_core::metric::geometry::{delaunay, delaunay_edges};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::Boundary;

use super::{Moment, Overlay, View};

/// Draws the diagrams whose overlays are on.
pub(super) fn draw(Moment { space, .. }: &Moment, view: &View, picture: &mut Picture) {
    if !view.overlays.shows(Overlay::Voronoi) && !view.overlays.shows(Overlay::Delaunay) {
        return;
    }
    let seen = view.camera.visible_m();
    let bounds = match space.arena.boundary {
        Boundary::Open => seen,
        _ => [space.arena.low.max(seen[0]), space.arena.high().min(seen[1])],
    };
    let positions = &space.bodies.positions()[..space.bodies.len()];
    let points: Vec<DVec2> = positions.iter().copied().filter(|position| position.is_finite()).collect();
    if view.overlays.shows(Overlay::Delaunay) {
        let pen = Width::Pixels(1.0);
        for ends in edges(&points).into_iter().filter_map(|ends| clipped(ends, [0.0, 1.0], seen)) {
            picture.segment(Layer::Trails, Role::Accent.faint(0.6), ends, pen);
        }
    }
    if view.overlays.shows(Overlay::Voronoi) {
        for ends in boundaries(&points, bounds) {
            picture.segment(Layer::Trails, Role::Text.faint(0.6), ends, Width::Pixels(1.0));
        }
    }
}

/// The edges of the Delaunay triangulation; of points on one line, the pieces between them.
pub(super) fn edges(points: &[DVec2]) -> Vec<[DVec2; 2]> {
    delaunay(points).map_or_else(Vec::new, |triangulation| delaunay_edges(&triangulation).collect())
}

/// The boundaries between the Voronoi cells of points, within a box.
///
/// Each is a piece of the line between two points that share a Delaunay edge, from one circumcentre to the other; if
/// there is no triangle on a side, it extends to infinity.
pub(super) fn boundaries(points: &[DVec2], bounds: [DVec2; 2]) -> Vec<[DVec2; 2]> {
    let Some(triangulation) = delaunay(points) else { return Vec::new() };
    let point = |at: Point2<f64>| DVec2::new(at.x, at.y);
    let boundary = |edge: spade::handles::UndirectedEdgeHandle<'_, _, _, _, _>| {
        let edge = edge.as_directed();
        let [from, to] = edge.positions().map(point);
        let middle = from.midpoint(to);
        let left = (to - from).try_normalize()?.perp();
        // The circumcentre of a sliver may be undefined: then it counts as infinitely far away.
        let along = |face: Option<Point2<f64>>, else_at: f64| {
            face.map(|center| (point(center) - middle).dot(left)).filter(|at| at.is_finite()).unwrap_or(else_at)
        };
        let high = along(edge.face().as_inner().map(|face| face.circumcenter()), f64::INFINITY);
        let low = along(edge.rev().face().as_inner().map(|face| face.circumcenter()), f64::NEG_INFINITY);
        clipped([middle, middle + left], [low, high], bounds)
    };
    triangulation.undirected_edges().filter_map(boundary).collect()
}

/// Clips the part of a line between two positions along it, which may be infinite, to a box (Liang, Barsky: "A new
/// concept and method for line clipping", 1984); `None` for a line without length.
fn clipped([from, to]: [DVec2; 2], [mut first, mut last]: [f64; 2], [low, high]: [DVec2; 2]) -> Option<[DVec2; 2]> {
    let way = to - from;
    for axis in 0..2 {
        if way[axis] == 0.0 {
            if from[axis] < low[axis] || from[axis] > high[axis] {
                return None;
            }
            continue;
        }
        let [a, b] = [low[axis], high[axis]].map(|side| (side - from[axis]) / way[axis]);
        first = first.max(a.min(b));
        last = last.min(a.max(b));
    }
    let is_seen = (last - first) * way.length() > 1e-9 && first.is_finite() && last.is_finite();
    is_seen.then(|| [from + way * first, from + way * last])
}

#[cfg(test)]
mod tests {
    use super::*;

    const BOX: [DVec2; 2] = [DVec2::ZERO, DVec2::splat(3.0)];

    fn lattice(side: u32) -> Vec<DVec2> {
        (0..side * side).map(|place| DVec2::new(f64::from(place % side), f64::from(place / side)) + 0.5).collect()
    }

    fn length_m(boundaries: &[[DVec2; 2]]) -> f64 {
        boundaries.iter().map(|[from, to]| from.distance(*to)).sum()
    }

    #[test]
    fn voronoi_cells_of_a_square_lattice_are_squares() {
        let found = boundaries(&lattice(3), BOX);
        // Two lines each way, three metres long; the diagonals of the triangulation have no boundary.
        assert!((length_m(&found) - 12.0).abs() < 1e-9, "{found:?}");
        for [from, to] in found {
            let is_upright = (from.x - to.x).abs() < 1e-9 && (from.x - from.x.round()).abs() < 1e-9;
            let is_level = (from.y - to.y).abs() < 1e-9 && (from.y - from.y.round()).abs() < 1e-9;
            assert!(is_upright || is_level, "{from} {to}");
        }
    }

    #[test]
    fn voronoi_borders_of_collinear_points_are_straight() {
        assert!(boundaries(&[], BOX).is_empty() && boundaries(&[DVec2::ONE], BOX).is_empty());
        let two = boundaries(&[DVec2::new(1.0, 1.5), DVec2::new(2.0, 1.5)], BOX);
        assert!(two.len() == 1 && (length_m(&two) - 3.0).abs() < 1e-9, "{two:?}");
        let line: Vec<DVec2> = (0..3).map(|place| DVec2::new(f64::from(place) + 0.5, 1.0)).collect();
        assert!((length_m(&boundaries(&line, BOX)) - 6.0).abs() < 1e-9);
        assert_eq!(edges(&line).len(), 2);
        let same = [DVec2::ONE, DVec2::ONE, DVec2::new(2.0, 1.0), DVec2::ONE];
        assert_eq!(boundaries(&same, BOX).len(), 1);
        assert_eq!(edges(&same).len(), 1);
    }

    #[test]
    fn voronoi_does_not_panic_on_positions_that_are_not_finite() {
        let lost = [DVec2::NAN, DVec2::splat(1e300), DVec2::ONE, DVec2::splat(1e-300)];
        let _ = (boundaries(&lost, BOX), edges(&lost));
        let near = [DVec2::ONE, DVec2::ONE + 1e-15, DVec2::new(2.0, 1.0), DVec2::new(1.5, 1.0 + 1e-16)];
        for [from, to] in boundaries(&near, BOX) {
            assert!(from.is_finite() && to.is_finite());
        }
    }
}

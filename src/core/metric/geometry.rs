//! Plane geometry that several metrics share.

use bevy::math::DVec2;
use spade::{DelaunayTriangulation, Point2, Triangulation as _};

use super::Swarm;
pub use swarmarium_space::polygon::{convex_hull, hull_indices};

/// 1 − (smallest distance)² / (largest distance)²: 0 if all are equally far, 1 if all are at one point.
pub fn fatness(nearest: f64, farthest: f64) -> f64 {
    if farthest > 0.0 { 1.0 - (nearest * nearest) / (farthest * farthest) } else { 1.0 }
}

/// The Delaunay triangulation; `None` for points that have none.
pub fn delaunay(points: &[DVec2]) -> Option<DelaunayTriangulation<Point2<f64>>> {
    // Tiny numbers that the library rejects count as zero.
    let coordinate = |x: f64| if x.abs() < spade::MIN_ALLOWED_VALUE { 0.0 } else { x };
    let point = |at: &DVec2| Point2::new(coordinate(at.x), coordinate(at.y));
    DelaunayTriangulation::bulk_load_stable(points.iter().map(point).collect()).ok()
}

/// The edges of a triangulation, by their ends.
pub fn delaunay_edges(triangulation: &DelaunayTriangulation<Point2<f64>>) -> impl Iterator<Item = [DVec2; 2]> {
    triangulation.undirected_edges().map(|edge| edge.positions().map(|end| DVec2::new(end.x, end.y)))
}

/// The arena divided into boxes of one size.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Boxes {
    /// The lower left corner of the arena, in metres.
    pub corner_m: DVec2,
    /// The number of boxes along each side.
    pub per_side: u32,
    /// Width and height of a box, in metres.
    pub size_m: DVec2,
}

impl Boxes {
    /// Creates this many boxes along each side; with 0, about as many in total as there are agents.
    pub fn of(per_side: u32, swarm: &Swarm) -> Self {
        let per_side = if per_side > 0 { per_side } else { (swarm.len() as f64).sqrt().ceil() as u32 }.max(1);
        let arena = &swarm.space.arena;
        Self { corner_m: arena.low, per_side, size_m: arena.size / f64::from(per_side) }
    }

    /// The column and row of the box that contains a point.
    pub fn at(self, point: DVec2) -> Option<(u32, u32)> {
        let place = ((point - self.corner_m) / self.size_m).floor();
        let is_inside = place.cmpge(DVec2::ZERO).all() && place.cmplt(DVec2::splat(f64::from(self.per_side))).all();
        is_inside.then_some((place.x as u32, place.y as u32))
    }

    /// The lower left corner of a box, in metres.
    pub fn low_m(self, (column, line): (u32, u32)) -> DVec2 {
        self.corner_m + self.size_m * DVec2::new(f64::from(column), f64::from(line))
    }

    /// The corners of a box, in metres.
    pub fn corners_m(self, place: (u32, u32)) -> [DVec2; 4] {
        let (low, DVec2 { x, y }) = (self.low_m(place), self.size_m);
        [low, low + DVec2::new(x, 0.0), low + self.size_m, low + DVec2::new(0.0, y)]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn hulls_of_few_points() {
        assert_eq!(convex_hull(&[]), []);
        assert_eq!(convex_hull(&[DVec2::ONE]), [DVec2::ONE]);
        assert_eq!(convex_hull(&[DVec2::ONE, DVec2::ZERO]), [DVec2::ZERO, DVec2::ONE]);
        let square = [DVec2::ZERO, DVec2::X, DVec2::ONE, DVec2::Y, DVec2::splat(0.5)];
        assert_eq!(convex_hull(&square), square[..4]);
    }

    proptest! {
        #[test]
        fn hulls_hold_all_points(points in prop::collection::vec((-9..9, -9..9), 3..40)) {
            let points: Vec<DVec2> = points.iter().map(|(x, y)| DVec2::new(f64::from(*x), f64::from(*y))).collect();
            let hull = convex_hull(&points);
            for (from, to) in hull.iter().zip(hull.iter().cycle().skip(1)) {
                prop_assert!(points.iter().all(|point| (to - from).perp_dot(point - from) >= 0.0));
            }
        }
    }
}

//! Simple polygons, given by their corners in order.

use std::collections::{BTreeMap, BTreeSet};

use bevy::math::DVec2;
use swarmarium_base::math;

/// The edges of the closed polygon through `corners`, each from its first to its second corner.
pub fn edges(corners: &[DVec2]) -> impl Iterator<Item = (DVec2, DVec2)> + Clone + '_ {
    corners.iter().copied().zip(corners.iter().copied().cycle().skip(1))
}

/// Signed area (m²) within `corners`, negative for clockwise order (shoelace formula).
#[must_use]
pub fn signed_area(corners: &[DVec2]) -> f64 {
    // Relative to a corner, to keep the precision of small polygons far from the origin.
    let Some(&origin) = corners.first() else { return 0.0 };
    edges(corners).map(|(a, b)| (a - origin).perp_dot(b - origin)).sum::<f64>() / 2.0
}

/// The centroid of the area within `corners`; the mean of the corners if there is no area.
#[must_use]
pub fn centroid(corners: &[DVec2]) -> DVec2 {
    let Some(&origin) = corners.first() else { return DVec2::ZERO };
    let (mut twice_area, mut sum) = (0.0, DVec2::ZERO);
    for (a, b) in edges(corners) {
        let (a, b) = (a - origin, b - origin);
        twice_area += a.perp_dot(b);
        sum += a.perp_dot(b) * (a + b);
    }
    if twice_area == 0.0 {
        return corners.iter().sum::<DVec2>() / corners.len() as f64;
    }
    origin + sum / (3.0 * twice_area)
}

/// The corners, shifted by `shift` (m) and rotated by `turn_rad` (rad) about their centroid.
#[must_use]
pub fn moved(corners: &[DVec2], shift: DVec2, turn_rad: f64) -> Vec<DVec2> {
    if turn_rad == 0.0 {
        return corners.iter().map(|corner| corner + shift).collect();
    }
    let (center, facing) = (centroid(corners), math::direction(turn_rad));
    corners.iter().map(|corner| center + facing.rotate(corner - center) + shift).collect()
}

/// Lower and upper corner of the bounding box of `corners`; the origin if there are none.
#[must_use]
pub fn bounds(corners: &[DVec2]) -> (DVec2, DVec2) {
    let first = corners.first().copied().unwrap_or_default();
    corners.iter().fold((first, first), |(low, high), &corner| (low.min(corner), high.max(corner)))
}

/// Whether `point` is inside `corners` (even-odd rule); either answer on the boundary.
#[must_use]
pub fn contains(corners: &[DVec2], point: DVec2) -> bool {
    is_inside(edges(corners), point)
}

/// Indices of the corners of the convex hull of an anticlockwise polygon; empty for a convex polygon.
#[must_use]
pub fn hull(corners: &[DVec2]) -> Vec<u32> {
    let turn = |a: usize, b: usize, c: usize| (corners[b] - corners[a]).perp_dot(corners[c] - corners[b]);
    let count = corners.len();
    if (0..count).all(|k| turn(k, (k + 1) % count, (k + 2) % count) >= 0.0) {
        return Vec::new();
    }
    hull_indices(corners).into_iter().map(|place| place as u32).collect()
}

/// The corners of the convex hull as indices into the points, anticlockwise (Andrew's monotone chain, 1979).
#[must_use]
pub fn hull_indices(points: &[DVec2]) -> Vec<usize> {
    let mut sorted: Vec<usize> = (0..points.len()).collect();
    sorted.sort_by(|a, b| {
        let (a, b) = (points[*a], points[*b]);
        a.x.total_cmp(&b.x).then(a.y.total_cmp(&b.y))
    });
    let mut hull = chain(points, sorted.iter().copied());
    let back = chain(points, sorted.iter().rev().copied());
    // Each chain ends at the start of the other.
    hull.pop();
    hull.extend(back);
    if hull.len() > 1 {
        hull.pop();
    }
    hull
}

fn chain(points: &[DVec2], sorted: impl Iterator<Item = usize>) -> Vec<usize> {
    let mut chain: Vec<usize> = Vec::new();
    for next in sorted {
        while let [.., before, last] = chain[..]
            && (points[last] - points[before]).perp_dot(points[next] - points[before]) <= 0.0
        {
            chain.pop();
        }
        chain.push(next);
    }
    chain
}

/// The corners of the convex hull, anticlockwise.
#[must_use]
pub fn convex_hull(points: &[DVec2]) -> Vec<DVec2> {
    hull_indices(points).into_iter().map(|index| points[index]).collect()
}

/// Whether no two edges of `corners` meet, except adjacent ones in their common corner.
#[must_use]
pub fn is_simple(corners: &[DVec2]) -> bool {
    let count = corners.len();
    let edge = |k: usize| (corners[k], corners[(k + 1) % count]);
    let folds_back = |k: usize| {
        let ((a, b), (_, c)) = (edge(k), edge((k + 1) % count));
        (b - a).perp_dot(c - b) == 0.0 && (b - a).dot(c - b) <= 0.0
    };
    let apart = |j: usize, k: usize| k - j == 1 || (j == 0 && k + 1 == count) || !segments_meet(edge(j), edge(k));
    if count < 3 || (0..count).any(folds_back) {
        return false;
    }
    let boxes: Vec<_> = edges(corners).map(|(a, b)| (a.min(b), a.max(b))).collect();
    // Only edges that overlap along x can meet.
    let mut along_x: Vec<usize> = (0..count).collect();
    along_x.sort_unstable_by(|j, k| boxes[*j].0.x.total_cmp(&boxes[*k].0.x));
    along_x.iter().enumerate().all(|(place, &j)| {
        let (low, high) = boxes[j];
        along_x[place + 1..]
            .iter()
            .take_while(|k| boxes[**k].0.x <= high.x)
            .all(|&k| boxes[k].0.y > high.y || boxes[k].1.y < low.y || apart(j.min(k), j.max(k)))
    })
}

/// Whether an edge of one polygon and an edge of the other, shifted by `shift` (m), have a common point.
#[must_use]
pub fn outlines_meet(one: &[DVec2], other: &[DVec2], shift: DVec2) -> bool {
    edges(one).any(|edge| edges(other).any(|(a, b)| segments_meet(edge, (a + shift, b + shift))))
}

/// The point of the boundary of `corners` nearest to `point`, and its edge; the first of equally near edges.
///
/// `None` without corners.
#[must_use]
pub fn closest_boundary_point(corners: &[DVec2], point: DVec2) -> Option<(DVec2, (DVec2, DVec2))> {
    let candidates = edges(corners).map(|(a, b)| (closest_on_segment(a, b, point), (a, b)));
    candidates.min_by(|(p, _), (q, _)| point.distance_squared(*p).total_cmp(&point.distance_squared(*q)))
}

/// The point of the segment from `a` to `b` nearest to `point`.
#[inline]
#[must_use]
pub fn closest_on_segment(a: DVec2, b: DVec2, point: DVec2) -> DVec2 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared == 0.0 {
        return a;
    }
    a + along * ((point - a).dot(along) / length_squared).clamp(0.0, 1.0)
}

/// [`contains`], for edges in any order.
pub(super) fn is_inside(edges: impl Iterator<Item = (DVec2, DVec2)>, point: DVec2) -> bool {
    let crosses = |(a, b): &(DVec2, DVec2)| {
        (a.y > point.y) != (b.y > point.y) && ((b - *a).perp_dot(point - *a) > 0.0) == (b.y > a.y)
    };
    edges.filter(crosses).count() % 2 == 1
}

/// Largest number of corners for which crossings are computed: each edge is compared with all others.
const MAX_CROSSING: usize = 512;

/// The outer boundaries of the area covered by a self-intersecting outline, such as a star drawn in one stroke: simple
/// anticlockwise polygons, which touch at most in corners. Holes are filled.
///
/// Empty if there is no area, or if there are more than 512 corners.
#[must_use]
pub fn outer_boundaries(corners: &[DVec2]) -> Vec<Vec<DVec2>> {
    let Some((places, ways)) = crossings(corners) else { return Vec::new() };
    let lowest = (0..places.len()).min_by(|a, b| {
        let (a, b) = (places[*a], places[*b]);
        a.y.total_cmp(&b.y).then(a.x.total_cmp(&b.x))
    });
    let Some(start) = lowest else { return Vec::new() };
    // Following the rightmost edge from the lowest point, the outside stays on the right.
    let next = |at: usize, back: DVec2| {
        let turn = |to: &usize| {
            let way = places[*to] - places[at];
            let angle = math::angle_of(DVec2::new(back.dot(way), back.perp_dot(way)));
            if angle <= 0.0 { angle + std::f64::consts::TAU } else { angle }
        };
        ways[at].iter().copied().min_by(|a, b| turn(a).total_cmp(&turn(b)))
    };
    let Some(second) = next(start, DVec2::NEG_X) else { return Vec::new() };
    let (mut walk, mut loops, mut from, mut at) = (vec![start], Vec::new(), start, second);
    // Each edge is traversed at most once in each direction.
    for _ in 0..2 * ways.iter().map(Vec::len).sum::<usize>() {
        // A point that is reached again closes a loop.
        if let Some(again) = walk.iter().position(|place| *place == at) {
            let outline: Vec<DVec2> = walk.drain(again..).map(|place| places[place]).collect();
            if outline.len() >= 3 && signed_area(&outline) > 0.0 {
                loops.push(outline);
            }
        }
        walk.push(at);
        let Some(to) = next(at, places[from] - places[at]) else { break };
        if (at, to) == (start, second) {
            break;
        }
        (from, at) = (at, to);
    }
    loops
}

/// The corners of an outline and the crossings of its edges, each with the indices of adjacent points.
fn crossings(corners: &[DVec2]) -> Option<(Vec<DVec2>, Vec<Vec<usize>>)> {
    let (low, high) = bounds(corners);
    let grain = (high - low).max_element() * 1e-9;
    if corners.len() > MAX_CROSSING || grain <= 0.0 || !grain.is_finite() {
        return None;
    }
    let (mut places, mut known, mut joined) = (Vec::new(), BTreeMap::new(), BTreeSet::new());
    let mut number = |at: DVec2| -> usize {
        let cell = ((at - low) / grain).round();
        *known.entry((cell.x as i64, cell.y as i64)).or_insert_with(|| {
            places.push(at);
            places.len() - 1
        })
    };
    // Corners come first, so that they keep their indices.
    corners.iter().for_each(|corner| _ = number(*corner));
    for (a, b) in edges(corners).filter(|(a, b)| a != b) {
        let along = b - a;
        let mut parts = vec![(0.0, a), (1.0, b)];
        for (c, d) in edges(corners).filter(|(c, d)| segments_meet((a, b), (*c, *d))) {
            let across = along.perp_dot(d - c);
            let crossing = (across != 0.0).then(|| a + along * ((c - a).perp_dot(d - c) / across));
            // Collinear edges meet at their ends.
            let ends = [c, d].into_iter().filter(|end| across == 0.0 && closest_on_segment(a, b, *end) == *end);
            parts.extend(crossing.into_iter().chain(ends).map(|at| (along.dot(at - a) / along.length_squared(), at)));
        }
        parts.sort_by(|(one, _), (other, _)| one.total_cmp(other));
        let numbers: Vec<usize> = parts.into_iter().map(|(_, at)| number(at)).collect();
        joined.extend(numbers.windows(2).filter(|ends| ends[0] != ends[1]).flat_map(|ends| {
            let [one, other] = [ends[0], ends[1]];
            [(one, other), (other, one)]
        }));
    }
    let mut ways = vec![Vec::new(); places.len()];
    joined.into_iter().for_each(|(one, other): (usize, usize)| ways[one].push(other));
    Some((places, ways))
}

/// Whether two segments have a common point.
pub(super) fn segments_meet((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> bool {
    let side = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p);
    let on = |p: DVec2, q: DVec2, r: DVec2| p.min(q).cmple(r).all() && r.cmple(p.max(q)).all();
    let (sc, sd, sa, sb) = (side(a, b, c), side(a, b, d), side(c, d, a), side(c, d, b));
    (opposite(sc, sd) && opposite(sa, sb))
        || (sc == 0.0 && on(a, b, c))
        || (sd == 0.0 && on(a, b, d))
        || (sa == 0.0 && on(c, d, a))
        || (sb == 0.0 && on(c, d, b))
}

fn opposite(a: f64, b: f64) -> bool {
    (a > 0.0 && b < 0.0) || (a < 0.0 && b > 0.0)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// An L.
    fn concave() -> Vec<DVec2> {
        [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from).to_vec()
    }

    #[test]
    fn a_concave_polygon_has_its_area_and_contains_its_inside() {
        let mut corners = concave();
        assert_eq!(signed_area(&corners), 5.0);
        assert!(contains(&corners, DVec2::new(0.5, 2.0)) && contains(&corners, DVec2::new(2.0, 0.5)));
        assert!(!contains(&corners, DVec2::new(2.0, 2.0)) && !contains(&corners, DVec2::new(-1.0, 1.0)));
        corners.reverse();
        assert_eq!(signed_area(&corners), -5.0);
        assert!(contains(&corners, DVec2::new(0.5, 2.0)));
    }

    #[test]
    fn the_centroid_is_that_of_the_area() {
        // Two rectangles of area 3 and 2 form the L.
        let expected = (3.0 * DVec2::new(1.5, 0.5) + 2.0 * DVec2::new(0.5, 2.0)) / 5.0;
        assert!(centroid(&concave()).distance(expected) < 1e-12);
        assert_eq!(centroid(&[DVec2::ZERO, DVec2::X * 2.0]), DVec2::X);
        assert_eq!(bounds(&concave()), (DVec2::ZERO, DVec2::splat(3.0)));
    }

    #[test]
    fn only_simple_polygons_are_simple() {
        assert!(is_simple(&concave()));
        let simple = |corners: &[(f64, f64)]| is_simple(&corners.iter().copied().map(DVec2::from).collect::<Vec<_>>());
        assert!(simple(&[(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]));
        assert!(!simple(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]), "a bow tie");
        assert!(!simple(&[(0.0, 0.0), (1.0, 0.0)]));
        assert!(!simple(&[(0.0, 0.0), (2.0, 0.0), (1.0, 0.0)]), "flat");
        assert!(!simple(&[(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]), "a corner twice");
        assert!(!simple(&[(0.0, 0.0), (4.0, 0.0), (4.0, 4.0), (2.0, 0.0), (0.0, 4.0)]), "a corner on an edge");
    }

    #[test]
    fn the_hull_of_a_concave_polygon_leaves_out_its_dents() {
        assert_eq!(hull(&concave()), [0, 1, 2, 4, 5]);
        let square = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)].map(DVec2::from);
        assert_eq!(hull(&square), [] as [u32; 0]);
    }

    #[test]
    fn outlines_that_cross_themselves_keep_their_outer_boundary() {
        let tip = |k: u32| math::direction(std::f64::consts::TAU * f64::from(k) / 5.0);
        for order in [[0, 2, 4, 1, 3], [3, 1, 4, 2, 0]] {
            let star = outer_boundaries(&order.map(tip));
            assert_eq!(star.iter().map(Vec::len).collect::<Vec<_>>(), [10], "{star:?}");
            assert!(is_simple(&star[0]) && (0..5).all(|k| star[0].contains(&tip(k))), "{star:?}");
            // Five kites around the centre; the distance of inner corners is 1 over the golden ratio squared.
            let inner = 1.0 / f64::midpoint(1.0, 5.0_f64.sqrt()).powi(2);
            let kites = 5.0 * inner * math::sin(std::f64::consts::TAU / 10.0);
            assert!((signed_area(&star[0]) - kites).abs() < 1e-9, "{} is not {kites}", signed_area(&star[0]));
        }
        let points = |corners: &[(f64, f64)]| corners.iter().copied().map(DVec2::from).collect::<Vec<_>>();
        let bow_tie = outer_boundaries(&points(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]));
        assert_eq!(bow_tie.iter().map(|part| (part.len(), signed_area(part))).collect::<Vec<_>>(), [(3, 0.25); 2]);
        let spike = points(&[(0.0, 0.0), (1.0, 0.0), (3.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0)]);
        assert_eq!(outer_boundaries(&spike).iter().map(|part| signed_area(part)).sum::<f64>(), 1.0);
        assert_eq!(outer_boundaries(&concave()), [concave()]);
        assert!(outer_boundaries(&[DVec2::ZERO; 4]).is_empty());
        assert!(outer_boundaries(&points(&[(0.0, 0.0), (1.0, 0.0), (2.0, 0.0)])).is_empty());
    }

    proptest! {
        #[test]
        fn outer_boundaries_are_simple(corners in prop::collection::vec((0..6_i32, 0..6_i32), 3..9)) {
            let corners: Vec<_> = corners.into_iter().map(|(x, y)| DVec2::new(x.into(), y.into())).collect();
            for part in outer_boundaries(&corners) {
                prop_assert!(signed_area(&part) > 0.0, "{:?}", part);
                let (low, high) = bounds(&corners);
                prop_assert!(part.iter().all(|corner| corner.cmpge(low - 1e-9).all() && corner.cmple(high + 1e-9).all()));
            }
        }

        #[test]
        fn is_simple_equals_brute_force(corners in prop::collection::vec((0..6_i32, 0..6_i32), 3..9)) {
            let corners: Vec<_> = corners.into_iter().map(|(x, y)| DVec2::new(x.into(), y.into())).collect();
            let count = corners.len();
            let edge = |k: usize| (corners[k % count], corners[(k + 1) % count]);
            let apart = |j: usize, k: usize| k - j == 1 || k - j + 1 == count || !segments_meet(edge(j), edge(k));
            let folds_back = (0..count).any(|k| {
                let (one, other) = (edge(k).1 - edge(k).0, edge(k + 1).1 - edge(k + 1).0);
                one.perp_dot(other) == 0.0 && one.dot(other) <= 0.0
            });
            let expected = !folds_back && (0..count).all(|j| (j + 1..count).all(|k| apart(j, k)));
            prop_assert_eq!(is_simple(&corners), expected);
        }
    }

    #[test]
    fn the_closest_boundary_point_is_on_the_nearest_edge() {
        let closest = |x: f64, y: f64| closest_boundary_point(&concave(), DVec2::new(x, y)).unwrap().0;
        assert_eq!(closest(2.0, 1.5), DVec2::new(2.0, 1.0));
        assert_eq!(closest(4.0, -1.0), DVec2::new(3.0, 0.0));
        assert_eq!(closest(0.2, 2.0), DVec2::new(0.0, 2.0));
        assert_eq!(closest_boundary_point(&[], DVec2::ZERO), None);
    }
}

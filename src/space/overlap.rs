//! Depth of overlaps.

use bevy::math::DVec2;

use super::field::{Boundary, Field};
use super::polygon::{bounds, closest_boundary_point, contains, edges};
use super::solid::Outline;

/// Depth (m) of the overlap of one outline with another one that is shifted by `shift` (m); 0 if they only touch.
///
/// For polygons it is the largest distance from the boundary of one polygon of these points of the other: corners
/// inside; for an edge that crosses the polygon without ending there, the midpoint of the part inside; for nearly
/// identical outlines, points inside both.
pub(super) fn depth(one: &Outline, other: &Outline, shift: DVec2) -> f64 {
    let depth = match (one, other) {
        (&Outline::Disc { center, radius }, &Outline::Disc { center: middle, radius: wide }) => {
            radius + wide - center.distance(middle + shift)
        }
        (&Outline::Disc { center, radius }, Outline::Polygon(corners)) => disc_in(corners, center - shift, radius),
        (Outline::Polygon(corners), &Outline::Disc { center, radius }) => disc_in(corners, center + shift, radius),
        (Outline::Polygon(one), Outline::Polygon(other)) => {
            let ((low, high), (other_low, other_high)) = (bounds(one), bounds(other));
            let apart = low.cmpge(other_high + shift).any() || high.cmple(other_low + shift).any();
            if apart {
                0.0
            } else {
                let (theirs, mine) = (edges_in(one, other, shift), edges_in(other, one, -shift));
                theirs.max(mine).max(insides_in(one, other, shift)).max(insides_in(other, one, -shift))
            }
        }
    };
    depth.max(0.0)
}

/// Depth (m) of an outline beyond the walls of the arena; 0 without walls.
pub(super) fn depth_in_walls(field: &Field, outline: &Outline) -> f64 {
    if field.boundary != Boundary::Walls {
        return 0.0;
    }
    let (low, high) = outline.bounds();
    (field.low - low).max(high - field.high()).max_element().max(0.0)
}

fn disc_in(corners: &[DVec2], center: DVec2, radius: f64) -> f64 {
    let to_boundary = closest_boundary_point(corners, center).map_or(0.0, |(point, _)| point.distance(center));
    if contains(corners, center) { radius + to_boundary } else { radius - to_boundary }
}

/// Signed distance (m) of a point from the boundary of an outline; negative inside.
pub(super) fn clearance(outline: &Outline, point: DVec2) -> f64 {
    match outline {
        Outline::Disc { center, radius } => point.distance(*center) - radius,
        Outline::Polygon(corners) => -disc_in(corners, point, 0.0),
    }
}

/// Depth of interior points of one polygon, shifted by `shift`, in the other. The points are the centroids of three
/// consecutive corners, of which at least one is inside any simple polygon.
fn insides_in(corners: &[DVec2], one: &[DVec2], shift: DVec2) -> f64 {
    let following = one.iter().copied().cycle().skip(2);
    let middles = edges(one).zip(following).map(|((a, b), c)| (a + b + c) / 3.0);
    let common = middles.filter(|point| contains(one, *point) && contains(corners, *point + shift));
    common.map(|point| disc_in(corners, point + shift, 0.0)).fold(0.0, f64::max)
}

/// Depth of the edges of one polygon, shifted by `shift`, in the other.
fn edges_in(corners: &[DVec2], one: &[DVec2], shift: DVec2) -> f64 {
    let mut deepest = 0.0_f64;
    // Parameters from 0 to 1 where an edge crosses the other polygon; between two of them it is inside or outside.
    let mut places = Vec::new();
    for (a, b) in edges(one) {
        let (a, b) = (a + shift, b + shift);
        places.clear();
        places.extend([0.0, 1.0]);
        places.extend(edges(corners).filter_map(|edge| crossing((a, b), edge)));
        places.sort_unstable_by(f64::total_cmp);
        let middles = places.windows(2).filter(|pair| pair[0] < pair[1]).map(|pair| pair[0].midpoint(pair[1]));
        for place in middles.chain([0.0]) {
            let point = a.lerp(b, place);
            if contains(corners, point) {
                let to_boundary = closest_boundary_point(corners, point).map_or(0.0, |(edge, _)| edge.distance(point));
                deepest = deepest.max(to_boundary);
            }
        }
    }
    deepest
}

/// Parameter, from 0 to 1, of the intersection of the segment from `a` to `b` with another one.
fn crossing((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> Option<f64> {
    let (along, other) = (b - a, d - c);
    let across = along.perp_dot(other);
    let (place, on_other) = ((c - a).perp_dot(other) / across, (c - a).perp_dot(along) / across);
    // For parallel segments both parameters are NaN or infinite.
    (place > 0.0 && place < 1.0 && (0.0..=1.0).contains(&on_other)).then_some(place)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] = [DVec2::new(0.0, 0.0), DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0), DVec2::new(0.0, 2.0)];

    fn square_in(shift: DVec2) -> f64 {
        depth(&Outline::Polygon(&SQUARE), &Outline::Polygon(&SQUARE), shift)
    }

    #[test]
    fn touching_outlines_do_not_overlap() {
        assert_eq!(square_in(DVec2::new(2.0, 0.5)), 0.0);
        assert_eq!(square_in(DVec2::new(2.0, 2.0)), 0.0);
        assert_eq!(square_in(DVec2::new(3.0, 0.0)), 0.0);
        let disc = Outline::Disc { center: DVec2::new(3.0, 1.0), radius: 1.0 };
        assert_eq!(depth(&disc, &Outline::Polygon(&SQUARE), DVec2::ZERO), 0.0);
    }

    #[test]
    fn overlap_depth_is_that_of_the_deepest_corner() {
        assert!((square_in(DVec2::new(1.9, 1.5)) - 0.1).abs() < 1e-12);
        assert!((square_in(DVec2::new(1.9, 0.0)) - 0.1).abs() < 1e-12, "with corners on edges");
        let inside = [(0.5, 0.9), (1.0, 0.8), (1.0, 1.2)].map(DVec2::from);
        assert_eq!(depth(&Outline::Polygon(&inside), &Outline::Polygon(&SQUARE), DVec2::ZERO), 1.0, "an edge");
        let disc = Outline::Disc { center: DVec2::new(2.5, 1.0), radius: 0.75 };
        assert_eq!(depth(&Outline::Polygon(&SQUARE), &disc, DVec2::ZERO), 0.25);
        assert_eq!(depth(&disc, &disc, DVec2::X), 0.5);
    }

    #[test]
    fn equal_outlines_at_one_position_overlap_deeply() {
        assert!((square_in(DVec2::ZERO) - 2.0 / 3.0).abs() < 1e-12, "{}", square_in(DVec2::ZERO));
        assert!(square_in(DVec2::new(1e-7, 0.0)) > 0.6);
        let bay = [(0.0, 0.0), (3.0, 0.0), (3.0, 2.0), (2.9, 2.0), (2.9, 0.1), (0.1, 0.1), (0.1, 2.0), (0.0, 2.0)];
        let bay = bay.map(DVec2::from);
        assert!(depth(&Outline::Polygon(&bay), &Outline::Polygon(&bay), DVec2::ZERO) > 1e-3);
    }

    #[test]
    fn clearance_is_below_zero_inside() {
        let disc = Outline::Disc { center: DVec2::X, radius: 0.5 };
        assert_eq!(clearance(&disc, DVec2::ZERO), 0.5);
        assert_eq!(clearance(&disc, DVec2::X), -0.5);
        let square = Outline::Polygon(&SQUARE);
        assert_eq!(clearance(&square, DVec2::new(3.0, 1.0)), 1.0);
        assert_eq!(clearance(&square, DVec2::ONE), -1.0);
    }

    #[test]
    fn crossing_outlines_overlap_without_corners_inside() {
        let bar = [(-1.0, 0.9), (3.0, 0.9), (3.0, 1.1), (-1.0, 1.1)].map(DVec2::from);
        let depth = depth(&Outline::Polygon(&bar), &Outline::Polygon(&SQUARE), DVec2::ZERO);
        assert!((depth - 0.9).abs() < 1e-12, "{depth}");
    }

    /// Collisions found by pySimiam 2013; shapes that only touch do not collide.
    #[test]
    fn khepera_iii_collides_as_in_simiam() {
        let facts = |file: &str| swarmarium_testing::facts(&format!("simiam/{file}.json"));
        let number = |value: &serde_json::Value| value.as_f64().unwrap();
        let corners = |value: &serde_json::Value| -> Vec<DVec2> {
            let points = value.as_array().unwrap().iter();
            points.map(|point| DVec2::new(number(&point[0]), number(&point[1]))).collect()
        };
        let (robots, recorded) = (facts("robots"), facts("khepera3_master"));
        let robot = corners(&robots["robots"][0]["collision_outline"]);
        let cases = recorded["khepera3_collision"].as_array().unwrap();
        assert_eq!(cases.len(), 22);
        for case in cases {
            let pose = case["robot_pose"].as_array().unwrap();
            let (at, facing) =
                (DVec2::new(number(&pose[0]), number(&pose[1])), swarmarium_base::math::direction(number(&pose[2])));
            let placed: Vec<DVec2> = robot.iter().map(|corner| at + facing.rotate(*corner)).collect();
            let depth = depth(&Outline::Polygon(&placed), &Outline::Polygon(&corners(&case["poly"])), DVec2::ZERO);
            // Obstacles of pySimiam are convex hulls: a robot in a bay collides there, but not here.
            let is_in_bay = case["note"].as_str().is_some_and(|note| note.contains("no real contact"));
            assert_eq!(depth > 1e-9, case["collision"] == true && !is_in_bay, "{case}");
        }
        for case in recorded["khepera3_robot_robot_collision"].as_array().unwrap() {
            let (one, shift) = (Outline::Polygon(&robot), DVec2::new(number(&case["dx"]), 0.0));
            assert_eq!(depth(&one, &one, shift) > 1e-9, case["collision"] == true, "{case}");
        }
    }

    #[test]
    fn outlines_overlap_walls_of_the_arena() {
        let field = |boundary| Field::new(DVec2::splat(1.5), boundary).at(DVec2::splat(0.25));
        assert_eq!(depth_in_walls(&field(Boundary::Walls), &Outline::Polygon(&SQUARE)), 0.25);
        assert_eq!(depth_in_walls(&field(Boundary::Open), &Outline::Polygon(&SQUARE)), 0.0);
    }
}

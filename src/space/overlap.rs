//! How deep things are in one another.

use bevy::math::DVec2;

use super::field::{Border, Field};
use super::polygon::{closest_boundary_point, contains, edges};
use super::solid::Outline;

/// How deep (m) one outline is in another one that is shifted by `shift` (m); 0 where they only touch.
///
/// Of polygons it is how far the deepest corner is inside the other one, or where edges cross far from all corners, how
/// far an end of them is beyond the other: what it takes at least to part them there.
pub(super) fn depth(one: &Outline, other: &Outline, shift: DVec2) -> f64 {
    let depth = match (one, other) {
        (&Outline::Disc { center, radius }, &Outline::Disc { center: middle, radius: wide }) => {
            radius + wide - center.distance(middle + shift)
        }
        (&Outline::Disc { center, radius }, Outline::Polygon(corners)) => disc_in(corners, center - shift, radius),
        (Outline::Polygon(corners), &Outline::Disc { center, radius }) => disc_in(corners, center + shift, radius),
        (Outline::Polygon(one), Outline::Polygon(other)) => {
            let corners = corners_in(one, other, -shift).max(corners_in(other, one, shift));
            let crossings = edges(one)
                .flat_map(|edge| edges(other).map(move |(a, b)| crossing_depth(edge, (a + shift, b + shift))));
            crossings.fold(corners, f64::max)
        }
    };
    depth.max(0.0)
}

/// How far (m) an outline is beyond the walls of the arena; 0 where there are none.
pub(super) fn depth_in_walls(field: &Field, outline: &Outline) -> f64 {
    if field.border != Border::Walled {
        return 0.0;
    }
    let (low, high) = outline.bounds();
    (field.low - low).max(high - field.high()).max_element().max(0.0)
}

fn disc_in(corners: &[DVec2], center: DVec2, radius: f64) -> f64 {
    let to_boundary = closest_boundary_point(corners, center).map_or(0.0, |(point, _)| point.distance(center));
    if contains(corners, center) { radius + to_boundary } else { radius - to_boundary }
}

/// How deep the corners of one polygon, shifted by `shift`, are in the other.
fn corners_in(corners: &[DVec2], one: &[DVec2], shift: DVec2) -> f64 {
    let depth = |corner: &DVec2| {
        let corner = *corner + shift;
        let inside = contains(corners, corner);
        inside.then(|| closest_boundary_point(corners, corner).map_or(0.0, |(point, _)| point.distance(corner)))
    };
    one.iter().filter_map(depth).fold(0.0, f64::max)
}

/// How far an end of two segments that cross is beyond the other one, at least; 0 when they do not cross.
fn crossing_depth((a, b): (DVec2, DVec2), (c, d): (DVec2, DVec2)) -> f64 {
    let aside = |p: DVec2, q: DVec2, r: DVec2| (q - p).perp_dot(r - p) / p.distance(q);
    let (sc, sd, sa, sb) = (aside(a, b, c), aside(a, b, d), aside(c, d, a), aside(c, d, b));
    let cross = sc * sd < 0.0 && sa * sb < 0.0;
    if cross { sc.abs().min(sd.abs()).min(sa.abs()).min(sb.abs()) } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] = [DVec2::new(0.0, 0.0), DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0), DVec2::new(0.0, 2.0)];

    fn square_in(shift: DVec2) -> f64 {
        depth(&Outline::Polygon(&SQUARE), &Outline::Polygon(&SQUARE), shift)
    }

    #[test]
    fn what_touches_is_not_in() {
        assert_eq!(square_in(DVec2::new(2.0, 0.5)), 0.0);
        assert_eq!(square_in(DVec2::new(2.0, 2.0)), 0.0);
        assert_eq!(square_in(DVec2::new(3.0, 0.0)), 0.0);
        let disc = Outline::Disc { center: DVec2::new(3.0, 1.0), radius: 1.0 };
        assert_eq!(depth(&disc, &Outline::Polygon(&SQUARE), DVec2::ZERO), 0.0);
    }

    #[test]
    fn the_deepest_corner_counts() {
        assert!((square_in(DVec2::new(1.9, 1.5)) - 0.1).abs() < 1e-12);
        let inside = [(0.5, 0.9), (1.0, 0.8), (1.0, 1.2)].map(DVec2::from);
        assert_eq!(depth(&Outline::Polygon(&inside), &Outline::Polygon(&SQUARE), DVec2::ZERO), 1.0);
        let disc = Outline::Disc { center: DVec2::new(2.5, 1.0), radius: 0.75 };
        assert_eq!(depth(&Outline::Polygon(&SQUARE), &disc, DVec2::ZERO), 0.25);
        assert_eq!(depth(&disc, &disc, DVec2::X), 0.5);
    }

    #[test]
    fn a_cross_without_corners_inside_is_in() {
        let bar = [(-1.0, 0.9), (3.0, 0.9), (3.0, 1.1), (-1.0, 1.1)].map(DVec2::from);
        let depth = depth(&Outline::Polygon(&bar), &Outline::Polygon(&SQUARE), DVec2::ZERO);
        assert!((depth - 1.0).abs() < 1e-12, "{depth}");
    }

    #[test]
    fn walls_end_the_arena() {
        let field = |border| Field::new(DVec2::splat(1.5), border).at(DVec2::splat(0.25));
        assert_eq!(depth_in_walls(&field(Border::Walled), &Outline::Polygon(&SQUARE)), 0.25);
        assert_eq!(depth_in_walls(&field(Border::Open), &Outline::Polygon(&SQUARE)), 0.0);
    }
}

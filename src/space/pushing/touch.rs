//! Contacts between outlines: points, normals and depths.

use bevy::math::DVec2;

use crate::overlap;
use crate::polygon;
use crate::solid::{Outline, unit_or};

/// A point in which two outlines touch.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Touch {
    /// Where (m).
    pub point: DVec2,
    /// The unit vector from the first outline to the second one.
    pub normal: DVec2,
    /// Depth (m) of the overlap; below 0 for a gap.
    pub depth: f64,
}

/// An outline, and whether it is convex.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<'a> {
    pub outline: Outline<'a>,
    pub is_convex: bool,
}

/// Separations (m) of two faces that count as equal.
const EQUAL: f64 = 1e-9;

/// Visits the points in which two outlines, the second one shifted by `shift` (m), touch or are at most `margin` (m)
/// apart.
pub(super) fn visit(a: Shape, b: Shape, shift: DVec2, margin: f64, mut found: impl FnMut(Touch)) {
    match (a.outline, b.outline) {
        (Outline::Disc { center, radius }, Outline::Disc { center: other, radius: wide }) => {
            let way = other + shift - center;
            let distance = way.length();
            let normal = unit_or(way, distance, DVec2::X);
            let touch = Touch { point: other + shift - wide * normal, normal, depth: radius + wide - distance };
            if touch.depth > -margin {
                found(touch);
            }
        }
        (Outline::Disc { center, radius }, Outline::Polygon(corners)) => {
            from_disc(corners, center - shift, radius, margin, |Touch { point, normal, depth }| {
                found(Touch { point: point + shift, normal: -normal, depth });
            });
        }
        (Outline::Polygon(corners), Outline::Disc { center, radius }) => {
            from_disc(corners, center + shift, radius, margin, found);
        }
        (Outline::Polygon(one), Outline::Polygon(other)) if a.is_convex && b.is_convex => {
            between_convex(one, other, shift, margin, found);
        }
        (Outline::Polygon(one), Outline::Polygon(other)) => {
            let towards = polygon::centroid(other) + shift - polygon::centroid(one);
            for corner in one {
                let hint = -towards;
                from_corner(other, *corner - shift, margin, hint, |Touch { point, normal, depth }| {
                    found(Touch { point: point + shift, normal: -normal, depth });
                });
            }
            for corner in other {
                from_corner(one, *corner + shift, margin, towards, &mut found);
            }
        }
    }
}

/// Depth (m) of the overlap of two outlines, the second one shifted by `shift` (m); 0 if they do not overlap.
pub(super) fn depth(a: Shape, b: Shape, shift: DVec2) -> f64 {
    let is_exact = |shape: Shape| shape.is_convex || matches!(shape.outline, Outline::Disc { .. });
    if is_exact(a) && is_exact(b) {
        let mut deepest = 0.0_f64;
        visit(a, b, shift, 0.0, |touch| deepest = deepest.max(touch.depth));
        return deepest;
    }
    overlap::depth(&a.outline, &b.outline, shift)
}

/// The outward unit normal of an edge of an anticlockwise polygon.
fn outside((a, b): (DVec2, DVec2)) -> DVec2 {
    -(b - a).perp().normalize_or_zero()
}

/// Visits the points in which a polygon touches a disc: the nearest one, and on other edges those that face the centre.
/// Normals point to the disc.
fn from_disc(corners: &[DVec2], center: DVec2, radius: f64, margin: f64, mut found: impl FnMut(Touch)) {
    let Some((nearest, edge)) = polygon::closest_boundary_point(corners, center) else { return };
    let way = center - nearest;
    let distance = way.length();
    if polygon::contains(corners, center) {
        return found(Touch {
            point: nearest,
            normal: unit_or(-way, distance, outside(edge)),
            depth: radius + distance,
        });
    }
    if distance >= radius + margin {
        return;
    }
    found(Touch { point: nearest, normal: unit_or(way, distance, outside(edge)), depth: radius - distance });
    // In a notch of a concave polygon, the disc touches several edges.
    for (a, b) in polygon::edges(corners) {
        let along = b - a;
        let place = (center - a).dot(along) / along.length_squared();
        let normal = outside((a, b));
        let height = (center - a).dot(normal);
        if place > 0.0 && place < 1.0 && height > 0.0 && height < radius + margin {
            let point = center - height * normal;
            if point.distance_squared(nearest) > EQUAL * EQUAL {
                found(Touch { point, normal, depth: radius - height });
            }
        }
    }
}

/// Visits the point in which a polygon touches a corner of another one; the normal points to the other polygon. Of several
/// nearest edges, the one that faces along `hint` counts.
fn from_corner(corners: &[DVec2], corner: DVec2, margin: f64, hint: DVec2, mut found: impl FnMut(Touch)) {
    let mut best: Option<(f64, DVec2, DVec2)> = None;
    for (a, b) in polygon::edges(corners) {
        let point = polygon::closest_on_segment(a, b, corner);
        let (distance, normal) = (point.distance(corner), outside((a, b)));
        let is_better = best.is_none_or(|(least, _, known)| {
            distance < least - EQUAL || (distance < least + EQUAL && normal.dot(hint) > known.dot(hint))
        });
        if is_better {
            best = Some((distance, point, normal));
        }
    }
    let Some((distance, point, normal)) = best else { return };
    if distance <= EQUAL {
        found(Touch { point, normal, depth: 0.0 });
    } else if polygon::contains(corners, corner) {
        found(Touch { point, normal: (point - corner) / distance, depth: distance });
    } else if distance < margin {
        found(Touch { point, normal: (corner - point) / distance, depth: -distance });
    }
}

/// The face of a convex polygon beyond which another one, shifted by `shift`, is farthest: the separation (m), and its
/// edge.
fn farthest_face(one: &[DVec2], other: &[DVec2], shift: DVec2) -> (f64, (DVec2, DVec2)) {
    let mut best = (f64::NEG_INFINITY, (DVec2::ZERO, DVec2::ZERO));
    for (a, b) in polygon::edges(one) {
        let normal = outside((a, b));
        let separation = other.iter().map(|corner| (*corner + shift - a).dot(normal)).fold(f64::INFINITY, f64::min);
        // Of equal ones the first, whatever the rounding.
        if separation > best.0 + EQUAL {
            best = (separation, (a, b));
        }
    }
    best
}

/// The contacts of two convex polygons: those of the face of one of them that separates them best, with the edge of the
/// other one that faces it, clipped to the length of the face.
fn between_convex(one: &[DVec2], other: &[DVec2], shift: DVec2, margin: f64, mut found: impl FnMut(Touch)) {
    let (of_one, of_other) = (farthest_face(one, other, shift), farthest_face(other, one, -shift));
    if of_one.0.max(of_other.0) >= margin {
        return;
    }
    let is_one = of_one.0 >= of_other.0 - EQUAL;
    let (face, corners, shift, back, sign) = match is_one {
        true => (of_one.1, other, shift, DVec2::ZERO, 1.0),
        false => (of_other.1, one, -shift, shift, -1.0),
    };
    let normal = outside(face);
    let facing = |edge: (DVec2, DVec2)| outside(edge).dot(normal);
    let Some((c, d)) = polygon::edges(corners).min_by(|one, other| facing(*one).total_cmp(&facing(*other))) else {
        return;
    };
    let along = (face.1 - face.0).normalize_or_zero();
    let length = (face.1 - face.0).length();
    let (c, d) = (c + shift, d + shift);
    let (start, end) = ((c - face.0).dot(along), (d - face.0).dot(along));
    let clipped = |place: f64, corner: DVec2| {
        let inside = place.clamp(0.0, length);
        let part = (inside - start) / (end - start);
        if inside == place || !part.is_finite() { corner } else { c + (d - c) * part }
    };
    if start.max(end) < 0.0 || start.min(end) > length {
        return;
    }
    let ends = [clipped(start, c), clipped(end, d)];
    let is_point = ends[0].distance_squared(ends[1]) < EQUAL * EQUAL;
    for point in &ends[..if is_point { 1 } else { 2 }] {
        let depth = -(*point - face.0).dot(normal);
        if depth > -margin {
            found(Touch { point: *point + back, normal: sign * normal, depth });
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SQUARE: [DVec2; 4] = [DVec2::new(0.0, 0.0), DVec2::new(2.0, 0.0), DVec2::new(2.0, 2.0), DVec2::new(0.0, 2.0)];

    fn polygon(corners: &[DVec2]) -> Shape<'_> {
        Shape { outline: Outline::Polygon(corners), is_convex: polygon::hull(corners).is_empty() }
    }

    fn disc(x: f64, y: f64, radius: f64) -> Shape<'static> {
        Shape { outline: Outline::Disc { center: DVec2::new(x, y), radius }, is_convex: true }
    }

    fn all(a: Shape, b: Shape, shift: DVec2, margin: f64) -> Vec<Touch> {
        let mut touches = Vec::new();
        visit(a, b, shift, margin, |touch| touches.push(touch));
        touches
    }

    fn touch(point: (f64, f64), normal: (f64, f64), depth: f64) -> Touch {
        Touch { point: point.into(), normal: normal.into(), depth }
    }

    #[test]
    fn discs_touch_in_one_point() {
        assert_eq!(
            all(disc(0.0, 0.0, 1.0), disc(1.5, 0.0, 1.0), DVec2::ZERO, 0.0),
            [touch((0.5, 0.0), (1.0, 0.0), 0.5)]
        );
        assert_eq!(all(disc(0.0, 0.0, 1.0), disc(2.5, 0.0, 1.0), DVec2::ZERO, 0.1), []);
        assert_eq!(
            all(disc(0.0, 0.0, 1.0), disc(0.5, 0.0, 1.0), DVec2::X * 2.0, 1.0),
            [touch((1.5, 0.0), (1.0, 0.0), -0.5)]
        );
    }

    #[test]
    fn a_disc_touches_one_face_of_a_square_and_two_of_a_notch() {
        assert_eq!(
            all(disc(-0.5, 0.5, 0.75), polygon(&SQUARE), DVec2::ZERO, 0.0),
            [touch((0.0, 0.5), (1.0, 0.0), 0.25)]
        );
        assert_eq!(
            all(polygon(&SQUARE), disc(2.5, 0.5, 0.75), DVec2::ZERO, 0.0),
            [touch((2.0, 0.5), (1.0, 0.0), 0.25)]
        );
        let l = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from);
        let found = all(disc(1.25, 1.25, 0.5), polygon(&l), DVec2::ZERO, 0.0);
        assert_eq!(found.len(), 2);
        assert!(found.iter().all(|touch| touch.depth == 0.25 && touch.normal.max_element() < 1e-12), "{found:?}");
    }

    #[test]
    fn aligned_squares_touch_along_a_whole_face() {
        for depth in [0.01, 0.0, -0.01] {
            let found = all(polygon(&SQUARE), polygon(&SQUARE), DVec2::X * (2.0 - depth), 0.1);
            assert_eq!(found.len(), 2, "{found:?}");
            assert!(
                found.iter().all(|touch| touch.normal == DVec2::X && (touch.depth - depth).abs() < 1e-12),
                "{found:?}"
            );
        }
        let found = all(polygon(&SQUARE), polygon(&SQUARE), DVec2::new(-1.5, 1.9), 0.0);
        let mut places: Vec<f64> = found.iter().map(|touch| touch.point.x).collect();
        places.sort_by(f64::total_cmp);
        assert!(found.iter().all(|touch| touch.normal == DVec2::Y) && places == [0.0, 0.5], "{found:?}");
    }

    #[test]
    fn crossing_bars_overlap_although_no_corner_is_inside() {
        let bar = [(-1.0, 0.9), (3.0, 0.9), (3.0, 1.1), (-1.0, 1.1)].map(DVec2::from);
        assert!((depth(polygon(&bar), polygon(&SQUARE), DVec2::ZERO) - 1.1).abs() < 1e-12);
        assert_eq!(depth(polygon(&bar), polygon(&SQUARE), DVec2::Y * 2.0), 0.0);
    }

    #[test]
    fn a_corner_on_a_corner_is_pushed_through_the_facing_edge() {
        let l = [(0.0, 0.0), (3.0, 0.0), (3.0, 1.0), (1.0, 1.0), (1.0, 3.0), (0.0, 3.0)].map(DVec2::from);
        // An aligned square to the left of the L.
        let found = all(polygon(&SQUARE), polygon(&l), DVec2::X * 2.0, 0.0);
        assert!(!found.is_empty() && found.iter().all(|touch| touch.normal == DVec2::X), "{found:?}");
    }
}

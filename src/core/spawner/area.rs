//! Areas in which spawners place agents and objects.

use std::f64::consts::PI;

use bevy::math::DVec2;
use swarmarium_space::polygon;

/// The area in which a spawner places agents or objects, between centres.
///
/// It is what `if_full: Pack` packs, and what messages about a lack of room give the size of.
#[derive(Clone, Debug, PartialEq)]
pub enum Area {
    /// The whole arena, or the plane if the arena is open.
    Arena,
    /// A rectangle.
    Rectangle {
        /// One corner (m).
        min_m: DVec2,
        /// The opposite corner (m).
        max_m: DVec2,
    },
    /// The area between two circles around one centre; a disc if the inner radius is 0.
    Ring {
        /// The centre (m).
        center_m: DVec2,
        /// The inner radius (m).
        inner_m: f64,
        /// The outer radius (m).
        outer_m: f64,
    },
    /// A polygon without its holes.
    Polygon {
        /// The corners (m).
        corners_m: Vec<DVec2>,
        /// The corners of each hole (m).
        holes_m: Vec<Vec<DVec2>>,
    },
}

impl Area {
    /// Whether a point is in the area, edges included except those of holes and polygons.
    pub fn contains(&self, point: DVec2) -> bool {
        match self {
            Self::Arena => true,
            Self::Rectangle { min_m, max_m } => {
                point.cmpge(min_m.min(*max_m)).all() && point.cmple(min_m.max(*max_m)).all()
            }
            Self::Ring { center_m, inner_m, outer_m } => {
                let distance_m = point.distance(*center_m);
                *inner_m <= distance_m && distance_m <= *outer_m
            }
            Self::Polygon { corners_m, holes_m } => {
                polygon::contains(corners_m, point) && !holes_m.iter().any(|hole| polygon::contains(hole, point))
            }
        }
    }

    /// The lower and upper corner of its bounding box (m); `None` for the arena.
    pub fn bounds(&self) -> Option<(DVec2, DVec2)> {
        match self {
            Self::Arena => None,
            Self::Rectangle { min_m, max_m } => Some((min_m.min(*max_m), min_m.max(*max_m))),
            Self::Ring { center_m, outer_m, .. } => Some((center_m - *outer_m, center_m + *outer_m)),
            Self::Polygon { corners_m, .. } => (!corners_m.is_empty()).then(|| polygon::bounds(corners_m)),
        }
    }

    /// Its size in square metres; `None` for the arena.
    pub fn size_m2(&self) -> Option<f64> {
        match self {
            Self::Arena => None,
            Self::Rectangle { min_m, max_m } => Some((max_m - min_m).abs().element_product()),
            Self::Ring { inner_m, outer_m, .. } => Some(PI * (outer_m * outer_m - inner_m * inner_m)),
            Self::Polygon { corners_m, holes_m } => {
                let of = |corners: &Vec<DVec2>| polygon::signed_area(corners).abs();
                Some(of(corners_m) - holes_m.iter().map(of).sum::<f64>())
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn square(low: f64, high: f64) -> Vec<DVec2> {
        vec![DVec2::splat(low), DVec2::new(high, low), DVec2::splat(high), DVec2::new(low, high)]
    }

    #[test]
    fn areas_know_their_points_and_sizes() {
        let rectangle = Area::Rectangle { min_m: DVec2::new(2.0, 0.0), max_m: DVec2::new(0.0, 3.0) };
        assert!(rectangle.contains(DVec2::new(2.0, 3.0)) && !rectangle.contains(DVec2::new(2.1, 1.0)));
        assert_eq!((rectangle.size_m2(), rectangle.bounds()), (Some(6.0), Some((DVec2::ZERO, DVec2::new(2.0, 3.0)))));
        let ring = Area::Ring { center_m: DVec2::ONE, inner_m: 1.0, outer_m: 2.0 };
        assert!(ring.contains(DVec2::new(2.5, 1.0)) && !ring.contains(DVec2::new(1.5, 1.0)));
        assert_eq!(ring.size_m2(), Some(3.0 * PI));
        let polygon = Area::Polygon { corners_m: square(0.0, 4.0), holes_m: vec![square(1.0, 2.0)] };
        assert!(polygon.contains(DVec2::splat(3.0)) && !polygon.contains(DVec2::splat(1.5)));
        assert_eq!((polygon.size_m2(), polygon.bounds()), (Some(15.0), Some((DVec2::ZERO, DVec2::splat(4.0)))));
        assert!(Area::Arena.contains(DVec2::splat(1e9)) && Area::Arena.bounds().is_none());
    }
}

//! The shape of an agent.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MIN_RADIUS_M};
use swarmarium_space::polygon;

use crate::kind::Optional;

/// The shape of an agent.
///
/// A step reads the body of an agent only when its caches are rebuilt: after edits and when agents are added. Change it
/// by an edit; a value that a system writes has no effect until the next rebuild.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Body {
    /// A disc.
    Disc {
        /// Radius of the disc.
        #[reflect(@Limits::between(MIN_RADIUS_M, MAX_LENGTH_M))]
        radius_m: f64,
    },
    /// A polygon, convex or concave. It pushes discs, nothing pushes it, and it stops at anything that does not give
    /// way.
    Polygon {
        /// The corners in order, relative to the robot, which faces along x; edges must not cross.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        corners_m: Vec<DVec2>,
        /// An SVG file with one outline, used when `corners_m` is empty. It must be in the folder of the scene or below
        /// it; its unit is the metre. The file is read when the scene is opened.
        #[reflect(@Optional)]
        file: String,
        /// The point of the drawing that is the centre of the robot.
        #[reflect(@Optional)]
        anchor: Anchor,
    },
}

impl Default for Body {
    fn default() -> Self {
        Self::Disc { radius_m: 0.1 }
    }
}

impl Body {
    /// The radius of the smallest disc around the centre that contains the body.
    pub fn radius_m(&self) -> f64 {
        match self {
            Self::Disc { radius_m } => *radius_m,
            Self::Polygon { corners_m, .. } => {
                let shift = self.shift_m();
                corners_m.iter().map(|corner| (*corner + shift).length()).fold(MIN_RADIUS_M, f64::max)
            }
        }
    }

    /// The corners of a polygon, before the shift by [`shift_m`](Self::shift_m); `None` for a disc.
    pub fn corners_m(&self) -> Option<&[DVec2]> {
        match self {
            Self::Disc { .. } => None,
            Self::Polygon { corners_m, .. } => Some(corners_m),
        }
    }

    /// The shift from the coordinates of the corners to coordinates about the centre of the robot.
    pub fn shift_m(&self) -> DVec2 {
        match self {
            Self::Disc { .. } | Self::Polygon { anchor: Anchor::Origin, .. } => DVec2::ZERO,
            Self::Polygon { corners_m, anchor: Anchor::Centroid, .. } => -polygon::centroid(corners_m),
            Self::Polygon { anchor: Anchor::Offset { by_m }, .. } => *by_m,
        }
    }
}

/// The point of a polygon that is at the position of the robot and about which it turns.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Anchor {
    /// The origin of the corners.
    #[default]
    Origin,
    /// The centroid of the area.
    Centroid,
    /// The origin, after the corners are shifted.
    Offset {
        /// The shift.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        by_m: DVec2,
    },
}

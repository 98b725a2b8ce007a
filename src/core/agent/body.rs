//! The shape of an agent.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MIN_RADIUS_M};
use swarmarium_space::polygon;

use crate::kind::Optional;

/// The shape of an agent.
///
/// A step reads it of an agent only when its caches are rebuilt: after edits, and when agents come. Change it by an edit; a
/// system that writes it goes unnoticed until then.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Body {
    /// A disc.
    Disc {
        /// Radius of the disc.
        #[reflect(@Limits::between(MIN_RADIUS_M, MAX_LENGTH_M))]
        radius_m: f64,
    },
    /// A polygon, also a concave one. It pushes discs, and nothing pushes it: it stops at what does not give way.
    Polygon {
        /// The corners, in order, as seen from the robot, which looks along x; edges must not cross.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        corners_m: Vec<DVec2>,
        /// An SVG drawing of one outline, in the folder of the scene or in one within it: the corners, when there are
        /// none. Its unit is the metre. It is read when the scene is opened.
        #[reflect(@Optional)]
        file: String,
        /// The point of the drawing that is the middle of the robot.
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
    /// The radius of the smallest disc around the middle that holds the body.
    pub fn radius_m(&self) -> f64 {
        match self {
            Self::Disc { radius_m } => *radius_m,
            Self::Polygon { corners_m, .. } => {
                let shift = self.shift_m();
                corners_m.iter().map(|corner| (*corner + shift).length()).fold(MIN_RADIUS_M, f64::max)
            }
        }
    }

    /// The corners of a body that is no disc, to be shifted by [`shift_m`](Self::shift_m).
    pub fn corners_m(&self) -> Option<&[DVec2]> {
        match self {
            Self::Disc { .. } => None,
            Self::Polygon { corners_m, .. } => Some(corners_m),
        }
    }

    /// From where corners are drawn to where they are about the middle of the robot.
    pub fn shift_m(&self) -> DVec2 {
        match self {
            Self::Disc { .. } | Self::Polygon { anchor: Anchor::Origin, .. } => DVec2::ZERO,
            Self::Polygon { corners_m, anchor: Anchor::Centroid, .. } => -polygon::centroid(corners_m),
            Self::Polygon { anchor: Anchor::Offset { by_m }, .. } => *by_m,
        }
    }
}

/// The point of a drawn body that is at the robot's position, and about which it turns.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Anchor {
    /// The origin of its corners.
    #[default]
    Origin,
    /// The centroid of its area.
    Centroid,
    /// The origin, when the corners are shifted first.
    Offset {
        /// The shift.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        by_m: DVec2,
    },
}

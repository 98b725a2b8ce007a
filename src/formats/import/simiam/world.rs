//! The content of a world file of pySimiam.

use bevy::math::DVec2;
use serde_json::{Map, Value};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::math;
use swarmarium_core::agent::placement::Placement;

use super::color::Color;

/// The warning about a world without robots.
pub const WITHOUT_ROBOT: &str = "there is no robot: pySimiam opens no world without one, and --lenient is needed here";

/// A world.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct World {
    /// The robots, in the order of the file.
    pub robots: Vec<Robot>,
    /// The obstacles, in the order of the file.
    pub obstacles: Vec<Outline>,
    /// The markers, in the order of the file.
    pub markers: Vec<Outline>,
}

/// A robot.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Robot {
    /// Its class.
    pub class: Class,
    /// The class of its supervisor.
    pub supervisor: Class,
    /// The goal of its supervisor, if the file states it outside the options.
    pub goal_m: Option<DVec2>,
    /// Its first pose.
    pub pose: Placement,
    /// Its colour, if it has one of its own.
    pub color: Option<Color>,
    /// The byte of the file at which it begins.
    pub at: usize,
}

/// The name of a class with its options.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Class {
    /// `Class` or `module.Class`; `None` if the file does not state it.
    pub name: Option<String>,
    /// The options of the class.
    pub options: Option<Map<String, Value>>,
    /// The byte of the file at which the name stands.
    pub at: usize,
}

/// An obstacle or a marker.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Outline {
    /// The pose that its points are relative to.
    pub pose: Placement,
    /// Its corners relative to its pose.
    pub points: Vec<DVec2>,
    /// Its colour, if it has one of its own.
    pub color: Option<Color>,
    /// The byte of the file at which it begins.
    pub at: usize,
}

impl Outline {
    /// An outline relative to its first corner, as svg2world writes them; relative to the origin if a corner is too far from
    /// the first one.
    pub fn about_first(corners: &[DVec2], color: Option<Color>, at: usize) -> Self {
        let first = corners.first().copied().unwrap_or_default();
        let is_near = |corner: &DVec2| (corner - first).abs().max_element() <= MAX_LENGTH_M;
        let first = if corners.iter().all(is_near) { first } else { DVec2::ZERO };
        let pose = Placement { x_m: first.x, y_m: first.y, heading_rad: 0.0 };
        Self { pose, points: corners.iter().map(|corner| *corner - first).collect(), color, at }
    }

    /// Its corners in the world.
    pub fn corners_m(&self) -> Vec<DVec2> {
        let Placement { x_m, y_m, heading_rad } = self.pose;
        let facing = math::direction(heading_rad);
        self.points.iter().map(|point| DVec2::new(x_m, y_m) + facing.rotate(*point)).collect()
    }
}

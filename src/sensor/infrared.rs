//! Infrared sensors on the rim of a robot, each of which looks into a cone and tells how far the nearest thing is.

use std::f64::consts::TAU;

use bevy::prelude::*;

use super::{Cone, NoMemory, Sensor, Viewpoint};
use crate::draw::Picture;
use crate::kind::Limits;
use crate::scene::description::Placement;
use crate::space::Space;

/// Infrared sensors that look into cones, as those of the Khepera III and the QuickBot.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Infrared {
    /// Where each one sits on the robot, and which way it looks.
    pub eyes: Vec<Placement>,
    /// Nearest distance that can be told from those below it.
    #[reflect(@Limits::up_to(1e3))]
    pub min_range_m: f64,
    /// How far each one reaches.
    #[reflect(@Limits::up_to(1e3))]
    pub range_m: f64,
    /// How far the cone of each one opens, from edge to edge.
    #[reflect(@Limits::between(0.0, TAU))]
    pub cone_rad: f64,
    /// What a reading is.
    pub reads: Reads,
}

/// What an infrared sensor reads.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Reads {
    /// The distance, in metres, that the raw reading stands for.
    #[default]
    Distance,
    /// What the converter gives, without a unit.
    Raw,
}

impl Default for Infrared {
    fn default() -> Self {
        Self { eyes: Vec::new(), min_range_m: 0.02, range_m: 0.2, cone_rad: 0.35, reads: Reads::default() }
    }
}

impl Infrared {
    /// The distance (m) that a reading of one of them stands for.
    pub fn distance_m(&self, reading: f64) -> f64 {
        match self.reads {
            Reads::Distance => reading,
            Reads::Raw => reading,
        }
    }
}

impl Sensor for Infrared {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.eyes.len()
    }

    fn read(&self, (): &(), _: &mut NoMemory, _: Viewpoint, reading: &mut [f64]) {
        reading.fill(self.range_m);
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, _: &[f64], picture: &mut Picture) {
        let cone = Cone { range_m: self.range_m, half_angle_rad: self.cone_rad / 2.0, bearing_rad: 0.0 };
        cone.draw(space, row, false, picture);
    }
}

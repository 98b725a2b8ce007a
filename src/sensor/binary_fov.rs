//! A field of view that tells one bit: is anybody in it?

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;

use super::{Sensor, Viewpoint};
use crate::agent::Team;
use crate::draw::{Layer, Picture, Role, Shape, Width};
use crate::kind::Limits;
use crate::math::direction;
use crate::scene::description::MAX_LENGTH_M;
use crate::space::{Aperture, Neighbour, Space};

/// Reads 1 while another robot is in its field of view, else 0 (RobotSwarmSimulator `BinaryFOVSensor`).
///
/// A robot counts as soon as its edge is in range and its body touches the cone.
#[derive(Component, Reflect, Clone, Debug)]
#[reflect(Default, Clone)]
pub struct BinaryFov {
    /// How far it sees, to the edge of a robot.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    pub range_m: f64,
    /// Half of the opening angle.
    #[reflect(@Limits::between(0.0, PI))]
    pub half_angle_rad: f64,
    /// Direction of the middle of the cone, anticlockwise from the heading.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub bearing_rad: f64,
    /// Team that counts; robots of any team when empty.
    pub team: String,
    /// Whether robots and obstacles hide what is behind them.
    pub occlusion: bool,
}

impl Default for BinaryFov {
    fn default() -> Self {
        Self { range_m: 2.0, half_angle_rad: 0.45, bearing_rad: 0.0, team: String::new(), occlusion: false }
    }
}

impl PartialEq for BinaryFov {
    fn eq(&self, other: &Self) -> bool {
        let numbers = |fov: &Self| [fov.range_m, fov.half_angle_rad, fov.bearing_rad];
        // Every sensor is compared at every step; comparing two empty texts took a quarter of it (memcmp of nothing).
        let same_team = (self.team.is_empty() && other.team.is_empty()) || self.team == other.team;
        numbers(self) == numbers(other) && self.occlusion == other.occlusion && same_team
    }
}

impl BinaryFov {
    /// Visits the robots that count, until one is enough; whether one was.
    #[inline]
    fn look(
        &self,
        (aperture, team): &(Aperture, Team),
        from: &Viewpoint,
        mut enough: impl FnMut(Neighbour) -> bool,
    ) -> bool {
        let Viewpoint { space, row, .. } = *from;
        let eye = space.bodies.positions()[row];
        let sector = aperture.toward(space.bodies.facings()[row]);
        space.within_sector(eye, &sector, Some(row), |other| {
            let counts = team.0 == 0 || team.0 == other.group;
            let is_seen =
                counts && (!self.occlusion || space.line_of_sight(eye, eye + other.offset, &[row, other.row]));
            is_seen && enough(other)
        })
    }
}

impl Sensor for BinaryFov {
    /// The cone, and the team that counts.
    type Prepared = (Aperture, Team);

    fn prepare(&self) -> Self::Prepared {
        (Aperture::new(self.half_angle_rad, self.range_m, self.bearing_rad), Team::named(&self.team))
    }

    fn read(&self, prepared: &Self::Prepared, from: Viewpoint, reading: &mut [f64]) {
        reading[0] = f64::from(self.look(prepared, &from, |_| true));
    }

    fn sees(&self, prepared: &Self::Prepared, from: Viewpoint) -> Option<usize> {
        let mut nearest: Option<(f64, usize)> = None;
        self.look(prepared, &from, |other| {
            let found = (other.offset.length_squared(), other.row);
            nearest = Some(nearest.map_or(found, |before| if found.0 < before.0 { found } else { before }));
            false
        });
        nearest.map(|(_, row)| row)
    }

    fn draw(&self, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let center = space.bodies.positions()[row];
        let middle = space.bodies.headings()[row] + self.bearing_rad;
        let (from_rad, to_rad) = (middle - self.half_angle_rad, middle + self.half_angle_rad);
        // What lies behind a wall is of no interest, however far the sensor reaches.
        let radius_m = self.range_m.min(space.arena.wall_distance(center, direction(middle)));
        let detects = reading.iter().any(|value| *value > 0.0);
        // Not by colour alone: a detecting sensor also has thicker edges.
        let (role, opacity, width) = if detects { (Role::Detecting, 0.16, 2.0) } else { (Role::Clear, 0.07, 0.75) };
        let sector = Shape::Sector { center, radius_m, from_rad, to_rad };
        picture.add(Layer::Sensors, role.faint(opacity), sector);
        for edge in [from_rad, to_rad] {
            let ends: [DVec2; 2] = [center, center + radius_m * direction(edge)];
            picture.segment(Layer::Sensors, role.faint(opacity * 3.0), ends, Width::Pixels(width));
        }
    }
}

//! Detects whether anything is at a point.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Boundary, Space, Target};

use super::{Sight, SightFilter};

/// Reads 1 while a point at a fixed place relative to the robot is inside something that counts, else 0
/// (RobotSwarmSimulator `PointCollisionSensor`).
///
/// A point outside a walled arena counts as inside the wall.
#[kind(section = "Distance", words = "feeler, whisker, point")]
pub struct PointProbe {
    /// Distance from the centre of the robot to the point.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(0.5)]
    pub distance_m: f64,
    /// Direction of the point, anticlockwise from the heading.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub bearing_rad: f64,
    /// Things that count, and whether others between the robot and the point can hide them.
    #[default(Sight { obstacles: true, walls: true, ..Default::default() })]
    pub sight: Sight,
}

impl PointProbe {
    /// The vector from the centre of the robot to the point, in metres.
    fn offset(&self, space: &Space, row: usize) -> DVec2 {
        self.distance_m * direction(space.bodies.headings()[row] + self.bearing_rad)
    }

    /// The thing at the point.
    fn touched(&self, wanted: &SightFilter, space: &Space, row: usize) -> Option<Target> {
        let (arena, offset) = (&space.arena, self.offset(space, row));
        let point = space.bodies.positions()[row] + offset;
        let is_seen = |target: Target| wanted.shows(space, row, offset, target);
        let mut agent = None;
        if wanted.agents {
            space.index().within_range(point, 0.0, Some(row), |other| {
                let target = Target::Body(other.row);
                let corners = space.bodies.outline(other.row);
                let counts = corners.is_none_or(|solid| space.solids.covers(arena, solid, point))
                    && wanted.takes_agent(space, other.row, other.group)
                    && is_seen(target);
                agent = counts.then_some(target);
                counts
            });
        }
        let counts = |solid| wanted.takes(space, row, Target::Solid(solid)) && is_seen(Target::Solid(solid));
        let solid = || space.solids.at(arena, point, counts).map(Target::Solid);
        let place = || {
            let covers = |place: usize| space.things[place].overlaps(arena, point, 0.0);
            let is_there = |place: &usize| {
                let target = Target::Thing(*place);
                wanted.takes_place(space, row, target) && covers(*place) && is_seen(target)
            };
            (0..space.things.len()).find(is_there).map(Target::Thing)
        };
        let is_outside = || arena.boundary == Boundary::Walls && arena.confine(point, 0.0) != point;
        let wall = || (wanted.walls && is_outside() && is_seen(Target::Wall)).then_some(Target::Wall);
        agent.or_else(solid).or_else(place).or_else(wall)
    }
}

impl Sensor for PointProbe {
    type Prepared = SightFilter;
    type Memory = NoMemory;

    fn prepare(&self) -> SightFilter {
        self.sight.prepare()
    }

    fn gauge(&self) -> Gauge {
        Gauge::Cone { bearing_rad: self.bearing_rad, half_angle_rad: 0.0 }
    }

    fn read(&self, wanted: &SightFilter, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        reading[0] = f64::from(self.touched(wanted, from.space, from.row).is_some());
    }

    fn sees(&self, wanted: &SightFilter, _: &NoMemory, from: Viewpoint) -> Option<Target> {
        self.touched(wanted, from.space, from.row)
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading.iter().any(|value| *value > 0.0) };
        let eye = space.bodies.positions()[row];
        let point = eye + self.offset(space, row);
        mark.segment([eye, point], picture);
        mark.circle(point, 4.0 / picture.pixels_per_m, picture);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sensor::tests::{read, sees, space_with};

    #[test]
    fn point_probe_detects_robots_obstacles_and_walls() {
        let eye = DVec2::splat(5.0);
        let mut space = space_with(Boundary::Walls, &[(eye, 0.1), (eye + DVec2::X, 0.1)]);
        let mut probe = PointProbe::default();
        assert_eq!(read(&probe, &space), [0.0]);
        probe.distance_m = 0.95;
        assert_eq!(read(&probe, &space), vec![1.0]);
        assert_eq!(sees(&probe, &space), Some(Target::Body(1)));
        probe.sight.name = "other".into();
        assert_eq!(read(&probe, &space), [0.0], "it has another name");
        probe.sight.name.clear();
        let square = [(3.0, 4.5), (4.5, 4.5), (4.5, 5.5), (3.0, 5.5)].map(DVec2::from);
        space.solids.add_polygon(&square).unwrap();
        probe.bearing_rad = PI;
        assert_eq!(sees(&probe, &space), Some(Target::Solid(0)));
        (probe.distance_m, probe.sight.occlusion) = (4.9, false);
        assert_eq!(read(&probe, &space), [0.0]);
        probe.distance_m = 5.1;
        assert_eq!(sees(&probe, &space), Some(Target::Wall));
        probe.sight.occlusion = true;
        assert_eq!(read(&probe, &space), [0.0], "the obstacle hides the wall");
    }
}

//! Counts the robots that overlap the body.

use bevy::prelude::*;
use swarmarium_core::agent::Team;
use swarmarium_core::agent::name::Name;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Mark, Sensor, Viewpoint};
use swarmarium_core::service::{Fields, Value};
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Target};

/// Reads the number of other robots that overlap or touch its robot. While that is not 0, its robot counts as
/// colliding. With `collides: Detect`, its robot is a detection region that is part of the swarm (RobotSwarmSimulator
/// `DetectionRegion`).
///
/// Robots with `collides: Off` do not count, and their own reading is 0. With `overlap_resolution: Classic`, a robot
/// counts only if its bounding box of the previous step touches that of the robot of the sensor.
#[kind(section = "Robots", words = "touch, overlap")]
pub struct Overlap {
    /// Teams that count; empty: any team.
    pub teams: Vec<String>,
    /// Groups, or single robots such as `prey-3`, that count; empty: any robot.
    pub names: Vec<String>,
}

/// The robots that a sensor counted.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Overlapping {
    /// Their numbers, in ascending order.
    robots: Vec<u32>,
}

/// The teams and names, as numbers.
pub struct OverlapFilter {
    teams: Vec<u32>,
    names: Vec<Name>,
}

impl OverlapFilter {
    fn admits(&self, space: &Space, row: usize) -> bool {
        let (team, owner) = (space.bodies.groups()[row], space.bodies.owners()[row]);
        (self.teams.is_empty() || self.teams.contains(&team))
            && (self.names.is_empty() || self.names.iter().any(|name| name.is_of(owner)))
    }

    /// The rows of the robots that count, in ascending order.
    fn rows(&self, space: &Space, row: usize) -> Vec<usize> {
        let mut rows = Vec::new();
        space.visit_overlapping(row, |other| rows.extend(self.admits(space, other).then_some(other)));
        rows.sort_unstable();
        rows
    }
}

impl Sensor for Overlap {
    type Prepared = OverlapFilter;
    type Memory = Overlapping;
    const NAMES: &'static [&'static str] = &["robots"];
    const COUNTS_COLLISIONS: bool = true;

    fn prepare(&self) -> OverlapFilter {
        let teams = self.teams.iter().map(|team| Team::named(team).0).collect();
        OverlapFilter { teams, names: self.names.iter().filter_map(|name| Name::of(name)).collect() }
    }

    fn read(&self, wanted: &OverlapFilter, memory: &mut Overlapping, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        memory.robots.clear();
        // Rows are in the order of the numbers of the robots.
        memory.robots.extend(wanted.rows(space, row).into_iter().map(|other| space.bodies.owners()[other].number));
        reading[0] = memory.robots.len() as f64;
    }

    fn collided(&self, memory: &Overlapping) -> u32 {
        memory.robots.len() as u32
    }

    fn sees(&self, wanted: &OverlapFilter, _: &Overlapping, from: Viewpoint) -> Option<Target> {
        wanted.rows(from.space, from.row).first().map(|row| Target::Body(*row))
    }

    fn message(
        &self,
        memory: &Overlapping,
        reading: &[f64],
        who: &dyn Fn(u32) -> String,
        message: &mut Fields,
    ) -> bool {
        let count = reading.first().copied().unwrap_or_default();
        let names = memory.robots.iter().map(|number| Value::Text(who(*number))).collect();
        message.extend([("robots".into(), count.into()), ("names".into(), Value::List(names))]);
        true
    }

    fn draw(&self, _: &Overlapping, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: reading.iter().any(|value| *value > 0.5) };
        mark.circle(space.bodies.positions()[row], space.bodies.radii()[row], picture);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Body, Boundary, Collides};

    use super::*;
    use crate::sensor::tests::{put, read, space_with};

    fn three() -> Space {
        let places = [(5.0, 5.0), (5.625, 5.0), (5.0, 4.25)].map(DVec2::from);
        space_with(Boundary::Open, &places.map(|place| (place, 0.3)))
    }

    fn set(space: &mut Space, row: usize, collides: Collides, team: &str) {
        let (position, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        space.bodies.set(row, Body { position, radius, collides, group: Team::named(team).0, ..Body::default() });
    }

    #[test]
    fn overlap_sensor_counts_overlapping_robots() {
        let mut space = three();
        assert_eq!(read(&Overlap::default(), &space), [0.0], "both are apart");
        put(&mut space, DVec2::new(5.1, 4.9), 0.0);
        assert_eq!(read(&Overlap::default(), &space), [1.0]);
        put(&mut space, DVec2::new(5.2, 4.7), 0.0);
        assert_eq!(read(&Overlap::default(), &space), [2.0]);
    }

    #[test]
    fn overlap_sensor_filters_by_team_and_collision_mode() {
        let mut space = three();
        put(&mut space, DVec2::new(5.2, 4.7), 0.0);
        set(&mut space, 1, Collides::Detect, "red");
        assert_eq!(read(&Overlap { teams: vec!["red".into()], ..Overlap::default() }, &space), [1.0]);
        assert_eq!(read(&Overlap { teams: vec!["blue".into()], ..Overlap::default() }, &space), [0.0]);
        set(&mut space, 1, Collides::Off, "red");
        assert_eq!(read(&Overlap::default(), &space), [1.0]);
        let position = space.bodies.positions()[0];
        space.bodies.set(0, Body { position, radius: 0.3, collides: Collides::Off, ..Body::default() });
        assert_eq!(read(&Overlap::default(), &space), [0.0]);
    }

    #[test]
    fn classic_overlap_sensor_uses_boxes_of_the_previous_step() {
        let mut space = three();
        space.set_boxes([(9.0, 5.0), (5.625, 5.0), (5.0, 4.25)].map(DVec2::from).to_vec());
        put(&mut space, DVec2::new(5.2, 4.7), 0.0);
        assert_eq!(read(&Overlap::default(), &space), [0.0], "its own box is far away");
        space.set_box(0, DVec2::new(5.2, 4.7));
        assert_eq!(read(&Overlap::default(), &space), [2.0]);
        space.set_box(1, DVec2::new(1.0, 1.0));
        assert_eq!(read(&Overlap::default(), &space), [1.0]);
    }
}

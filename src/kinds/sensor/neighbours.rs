//! Measures which robots are near and how far away each is.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::agent::Team;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::noise::NoiseBounds;
use swarmarium_core::sensor::range_limits::RangeLimits;
use swarmarium_core::sensor::{Mark, Sensor, Viewpoint};
use swarmarium_core::service::{About, Fields, Parameter, Property, Service, Value};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Target};

/// Reads the nearby robots, nearest first: the number of each robot and the distance between the centres, in metres
/// (MORSE `Proximity`). Nothing blocks the view. The unused rest of the reading is filled with pairs of −1 and the
/// range.
///
/// Clients receive the distances by the names of the robots. Noise changes neither the numbers of the robots nor the
/// unused rest.
#[kind(section = "Robots", words = "neighbors, nearby robots, who is near, distance to others")]
pub struct Neighbours {
    /// Range, between centres.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(30.0)]
    pub range_m: f64,
    /// Team or group of the robots that count; `Robot_Tag` or empty: all robots.
    #[default("Robot_Tag".into())]
    pub tag: String,
    /// Maximum number of robots in a reading; if more are near, the nearest ones are kept.
    #[reflect(@Limits::between(1.0, 4096.0))]
    #[default(32)]
    pub most: u32,
}

/// The number that stands for no robot in a reading.
const NOBODY: f64 = -1.0;

impl Neighbours {
    /// The number of a team or group; `None` for all robots.
    fn wanted(&self) -> Option<u32> {
        let names_all = self.tag.is_empty() || self.tag == "Robot_Tag";
        (!names_all).then(|| Team::named(&self.tag).0)
    }
}

/// The number and the distance of every robot in a reading.
fn robots(reading: &[f64]) -> impl Iterator<Item = (u32, f64)> + '_ {
    let pairs = reading.chunks_exact(2).map(|pair| (pair[0], pair[1]));
    pairs.filter(|(number, _)| (0.0..=f64::from(u32::MAX)).contains(number)).map(|(number, m)| (number as u32, m))
}

impl Sensor for Neighbours {
    type Prepared = Option<u32>;
    type Memory = NoMemory;
    const ABOUT: About = About {
        class: "Proximity",
        services: &[
            Service {
                name: "set_range",
                parameters: &[Parameter { name: "range", default: None }],
                sets: Some("range_m"),
                is_task: false,
            },
            Service {
                name: "set_tracked_tag",
                parameters: &[Parameter { name: "tag", default: None }],
                sets: Some("tag"),
                is_task: false,
            },
        ],
        properties: &[
            Property { name: "Range", field: "range_m", unit: 1.0, type_name: "float", attribute: "_range" },
            Property { name: "Track", field: "tag", unit: 1.0, type_name: "string", attribute: "_tag" },
        ],
    };

    fn prepare(&self) -> Option<u32> {
        self.wanted()
    }

    fn channels(&self) -> usize {
        2 * self.most as usize
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        let place = channel / 2;
        if channel.is_multiple_of(2) { (format!("Robot {place}"), "") } else { (format!("Distance {place}"), "m") }
    }

    fn noise_bounds(&self, channel: usize) -> NoiseBounds {
        if channel.is_multiple_of(2) { NoiseBounds::Exempt } else { RangeLimits::USUAL.noise_bounds(self.range_m) }
    }

    fn blank(&self, reading: &mut [f64]) {
        for pair in reading.chunks_exact_mut(2) {
            pair.copy_from_slice(&[NOBODY, self.range_m]);
        }
    }

    fn read(&self, wanted: &Option<u32>, _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let Viewpoint { space, row, .. } = from;
        self.blank(reading);
        // A robot exactly at the range is included, in spite of rounding.
        let reach = DVec2::splat(self.range_m * (1.0 + 1e-9));
        let mut found = 0;
        space.index().near_box(space.bodies.positions()[row], (-reach, reach), |other| {
            let (owner, distance_m) = (space.bodies.owners()[other.row], other.offset.length());
            let counts = wanted.is_none_or(|wanted| [other.group, owner.name].contains(&wanted));
            if other.row == row || !counts || distance_m > self.range_m {
                return;
            }
            let new = [f64::from(owner.number), distance_m];
            let farther = |pair: &[f64]| (pair[1], pair[0]) > (new[1], new[0]);
            // In a crowd, most robots are farther away than all that fit into the reading.
            if found == self.most as usize && !reading.chunks_exact(2).next_back().is_some_and(farther) {
                return;
            }
            let place = reading.chunks_exact(2).take(found).position(farther).unwrap_or(found);
            if let Some(rest) = reading.get_mut(2 * place..).filter(|rest| !rest.is_empty()) {
                rest.copy_within(..rest.len() - 2, 2);
                rest[..2].copy_from_slice(&new);
                found = (found + 1).min(self.most as usize);
            }
        });
    }

    fn sees(&self, wanted: &Option<u32>, memory: &NoMemory, from: Viewpoint) -> Option<Target> {
        let (mut memory, mut reading, space) = (*memory, vec![0.0; self.channels()], from.space);
        self.read(wanted, &mut memory, from, &mut reading);
        let (number, _) = robots(&reading).next()?;
        space.bodies.row_of(number).map(Target::Body)
    }

    fn message(&self, _: &NoMemory, reading: &[f64], who: &dyn Fn(u32) -> String, message: &mut Fields) -> bool {
        let near: Fields = robots(reading).map(|(number, distance_m)| (who(number), distance_m.into())).collect();
        message.extend([("near_objects".into(), Value::Map(near.clone())), ("near_robots".into(), Value::Map(near))]);
        true
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let mark = Mark { detects: robots(reading).next().is_some() };
        let eye = space.bodies.positions()[row];
        mark.circle(eye, self.range_m, picture);
        for (number, _) in robots(reading) {
            if let Some(other) = space.bodies.row_of(number) {
                let there = eye + space.arena.offset(eye, space.bodies.positions()[other]);
                mark.segment([eye, there], picture);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_space::{Body, BodyOwner, Boundary};

    use super::*;
    use crate::sensor::tests::{Looks, put, read, sees, space_with};

    /// MORSE's `proximity_testing.py`: two targets with one tag, one with another.
    fn space(x: f64) -> Space {
        let at = [(0.0, 0.0), (10.0, 1.0), (10.0, -1.0), (-4.0, 0.0)].map(|at| (DVec2::from(at), 0.1));
        let mut space = space_with(Boundary::Open, &at);
        for (row, tag) in [(1, "Catch_me"), (2, "Catch_me2"), (3, "Catch_me")] {
            let (group, position) = (Team::named(tag).0, at[row].0);
            space.bodies.set(row, Body { position, radius: 0.1, group, ..Body::default() });
        }
        put(&mut space, DVec2::new(x, 0.0), 0.0);
        space
    }

    #[test]
    fn neighbours_sensor_reads_robots_with_its_tag() {
        let sensor = Neighbours { range_m: 2.0, tag: "Catch_me".into(), ..Neighbours::default() };
        let names = |sensor: &Neighbours, x: f64| {
            let space = space(x);
            let mut looks = Looks::of(sensor);
            let reading = looks.read(&space);
            let message = looks.message(&reading).unwrap();
            assert_eq!(message[0].1, message[1].1);
            let Value::Map(near) = message[0].1.clone() else { panic!() };
            near.into_iter().map(|(name, _)| name).collect::<Vec<_>>()
        };
        assert_eq!(names(&sensor, 0.0), [""; 0]);
        assert_eq!(names(&sensor, 8.0), [""; 0]);
        assert_eq!(names(&sensor, 9.0), ["r1"]);
        assert_eq!(names(&sensor, -2.8), ["r3"]);
        let far = Neighbours { range_m: 20.0, ..sensor };
        assert_eq!(names(&far, -2.8), ["r3", "r1"], "the nearest first");
        assert_eq!(names(&Neighbours { tag: "Catch_me2".into(), ..far.clone() }, -2.8), ["r2"]);
        assert_eq!(names(&Neighbours { tag: String::new(), ..far.clone() }, 9.0), ["r1", "r2", "r3"]);
        assert_eq!(names(&Neighbours { tag: String::new(), most: 1, ..far }, -2.8), ["r3"]);
    }

    #[test]
    fn neighbours_sensor_reads_the_nearest_of_a_crowd() {
        let at = |row: u32| DVec2::new(0.1 * f64::from(1 + row * 7 % 30), 0.0);
        let bodies: Vec<_> = std::iter::once(DVec2::ZERO).chain((1..=29).map(at)).map(|at| (at, 0.01)).collect();
        let space = space_with(Boundary::Open, &bodies);
        let reading = read(&Neighbours { range_m: 2.0, most: 4, ..Neighbours::default() }, &space);
        let mut all: Vec<(f64, u32)> = (1..=29).map(|row| (at(row).length(), row)).collect();
        all.sort_by(|a, b| a.0.total_cmp(&b.0));
        let expected: Vec<f64> = all.iter().take(4).flat_map(|(m, row)| [f64::from(*row), *m]).collect();
        assert_eq!(reading, expected);
    }

    #[test]
    fn neighbours_sensor_pads_readings_and_includes_its_range() {
        let sensor = Neighbours { range_m: 4.0, most: 3, ..Neighbours::default() };
        assert_eq!(read(&sensor, &space(0.0)), [3.0, 4.0, -1.0, 4.0, -1.0, 4.0]);
        assert_eq!(sees(&sensor, &space(0.0)), Some(Target::Body(3)));
        let mut groups = space(0.0);
        groups.bodies.identify(3, BodyOwner { number: 3, name: Team::named("hunters").0, ..BodyOwner::default() });
        assert_eq!(read(&Neighbours { tag: "hunters".into(), ..sensor.clone() }, &groups)[0], 3.0, "by group");
        assert_eq!(
            Looks::of(&sensor).message(&[3.0, 4.1, -1.0, 4.0]).unwrap()[0].1,
            Value::Map(vec![("r3".into(), 4.1.into())])
        );
    }
}

//! Detects whether the robot is in a region.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::sensor::{Gauge, Mark, Sensor, Viewpoint};
use swarmarium_core::state::NoMemory;
use swarmarium_picture::Picture;
use swarmarium_space::{Space, Target, Thing, ThingKind};

/// Reads 1 while the centre of the robot is in a region, else 0 (RobotSwarmSimulator `RegionalSensor`).
#[kind(section = "Ground and field", words = "zone, area, inside, nest, home")]
pub struct InRegion {
    /// Regions, goals or other objects, each by its name or by its place in the scene counted from 0; several objects
    /// may share a name. There is one number for each. Empty: one number, for any region or goal.
    pub regions: Vec<String>,
}

impl InRegion {
    /// Whether an object at a place of the scene is the one with this name.
    fn is_named(name: &str, place: usize, thing: &Thing, space: &Space) -> bool {
        let named = |thing: &Thing| !name.is_empty() && thing.name == name;
        named(thing) || (name.parse() == Ok(place) && !space.things.iter().any(named))
    }

    /// The first object that contains the robot and counts for a channel.
    fn place(&self, channel: usize, space: &Space, row: usize) -> Option<usize> {
        let counts = |(place, thing): &(usize, &Thing)| match self.regions.get(channel) {
            Some(name) => Self::is_named(name, *place, thing, space),
            None => matches!(thing.what, ThingKind::Region | ThingKind::Goal),
        };
        let at = space.bodies.positions()[row];
        let is_other = |(place, _): &(usize, &Thing)| !space.is_own(row, Target::Thing(*place));
        let mut found = space.things.iter().enumerate().filter(is_other).filter(counts);
        found.find(|(_, thing)| thing.overlaps(&space.arena, at, 0.0)).map(|(place, _)| place)
    }
}

impl Sensor for InRegion {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn channels(&self) -> usize {
        self.regions.len().max(1)
    }

    fn channel(&self, channel: usize) -> (String, &'static str) {
        (self.regions.get(channel).map_or_else(|| "In a region".into(), |name| format!("In {name}")), "")
    }

    fn gauge(&self) -> Gauge {
        Gauge::Lamps
    }

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        for (channel, value) in reading.iter_mut().enumerate() {
            *value = f64::from(self.place(channel, from.space, from.row).is_some());
        }
    }

    fn sees(&self, (): &(), _: &NoMemory, from: Viewpoint) -> Option<Target> {
        (0..self.channels()).find_map(|channel| self.place(channel, from.space, from.row)).map(Target::Thing)
    }

    fn draw(&self, _: &NoMemory, space: &Space, row: usize, reading: &[f64], picture: &mut Picture) {
        let (center, radius_m) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        for (channel, value) in reading.iter().enumerate() {
            let ring_m = radius_m + (3.0 + 3.0 * channel as f64) / picture.pixels_per_m;
            Mark { detects: *value > 0.0 }.circle(center, ring_m, picture);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Form};

    use super::*;
    use crate::sensor::tests::{read, sees, space_with};

    #[test]
    fn in_region_finds_regions_by_name_or_index() {
        let at = |x: f64| {
            let mut space = space_with(Boundary::Open, &[(DVec2::new(x, 5.0), 0.4)]);
            let region = |name: &str, what, x: f64| {
                let position = DVec2::new(x, 5.0);
                let forms = vec![Form::Disc { center: position, radius: 1.0 }];
                Thing { name: name.into(), what, position, forms, ..Thing::default() }
            };
            space.things.push(region("", ThingKind::Thing, 1.0));
            space.things.push(region("home", ThingKind::Region, 5.0));
            space.things.push(region("home", ThingKind::Goal, 8.0));
            space
        };
        let any = InRegion::default();
        assert_eq!([1.0, 5.9, 6.5, 7.5].map(|x| read(&any, &at(x))[0]), [0.0, 1.0, 0.0, 1.0]);
        let some = InRegion { regions: vec!["0".into(), "home".into(), "2".into(), "away".into()] };
        assert_eq!(read(&some, &at(1.0)), [1.0, 0.0, 0.0, 0.0]);
        assert_eq!(read(&some, &at(8.0)), [0.0, 1.0, 1.0, 0.0]);
        assert_eq!(sees(&some, &at(8.0)), Some(Target::Thing(2)));
    }
}

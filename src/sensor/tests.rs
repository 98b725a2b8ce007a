//! What the tests of sensors share.

use bevy::math::DVec2;

use super::*;
use crate::space::{Body, Border, Field, Who};

/// Bodies by position and radius, in an arena of 10 m by 10 m; the first one looks along x.
pub(crate) fn space_with(border: Border, bodies: &[(DVec2, f64)]) -> Space {
    let mut space = Space::new(Field::new(DVec2::splat(10.0), border));
    space.bodies.resize(bodies.len());
    for (row, (position, radius)) in bodies.iter().enumerate() {
        space.bodies.set(row, Body { position: *position, radius: *radius, ..Body::default() });
        space.bodies.identify(row, Who { number: row as u32, ..Who::default() });
    }
    space.update();
    space
}

/// A sensor of the first body that looks again and again.
pub(crate) struct Looks<'a, K: Sensor> {
    sensor: &'a K,
    /// What it remembers.
    pub memory: K::Memory,
    /// The wheels of the body.
    pub wheels: Wheels,
}

impl<'a, K: Sensor> Looks<'a, K> {
    pub(crate) fn of(sensor: &'a K) -> Self {
        Self { sensor, memory: K::Memory::default(), wheels: Wheels::default() }
    }

    pub(crate) fn read(&mut self, space: &Space) -> Vec<f64> {
        let mut reading = vec![f64::NAN; self.sensor.channels()];
        let from = Viewpoint { space, row: 0, around: &mut Surroundings::default(), wheels: Some(self.wheels) };
        self.sensor.read(&self.sensor.prepare(), &mut self.memory, from, &mut reading);
        reading
    }
}

/// What a sensor of the first body reads at first.
pub(crate) fn read<K: Sensor>(sensor: &K, space: &Space) -> Vec<f64> {
    Looks::of(sensor).read(space)
}

/// What a sensor of the first body sees at first.
pub(crate) fn sees<K: Sensor>(sensor: &K, space: &Space) -> Option<Target> {
    let from = Viewpoint { space, row: 0, around: &mut Surroundings::default(), wheels: None };
    sensor.sees(&sensor.prepare(), &K::Memory::default(), from)
}

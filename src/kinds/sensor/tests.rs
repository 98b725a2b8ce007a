//! Helpers of the tests of sensors.

use bevy::math::DVec2;
use swarmarium_core::motion::Wheels;
use swarmarium_core::random::Draws;
use swarmarium_core::sensor::*;
use swarmarium_core::service::value::Fields;
use swarmarium_core::time::SimTime;
use swarmarium_space::{Body, BodyOwner, Boundary, Field, Space, Surroundings, Target};

mod infrared;

/// Bodies by position and radius, in an arena of 10 m by 10 m; the first one looks along x.
pub(crate) fn space_with(boundary: Boundary, bodies: &[(DVec2, f64)]) -> Space {
    let mut space = Space::new(Field::new(DVec2::splat(10.0), boundary));
    space.bodies.resize(bodies.len());
    for (row, (position, radius)) in bodies.iter().enumerate() {
        space.bodies.set(row, Body { position: *position, radius: *radius, ..Body::default() });
        space.bodies.identify(row, BodyOwner { number: row as u32, ..BodyOwner::default() });
    }
    space.update();
    space
}

/// A sensor of the first body that reads repeatedly.
pub(crate) struct Looks<'a, K: Sensor> {
    sensor: &'a K,
    /// The memory of the sensor.
    pub memory: K::Memory,
    /// The wheels of the body.
    pub wheels: Wheels,
    /// The other known state of the body.
    pub own: Own<'a>,
}

impl<'a, K: Sensor> Looks<'a, K> {
    pub(crate) fn of(sensor: &'a K) -> Self {
        let time = SimTime { step: 0, dt_s: 0.1 };
        let (memory, wheels) = (K::Memory::default(), Wheels::default());
        Self { sensor, memory, wheels, own: Own { time, ..Own::default() } }
    }

    pub(crate) fn read(&mut self, space: &Space) -> Vec<f64> {
        let mut reading = vec![f64::NAN; self.sensor.channels()];
        let around = &mut Surroundings::default();
        let from = Viewpoint {
            space,
            row: 0,
            around,
            hint: None,
            wheels: Some(self.wheels),
            own: &self.own,
            draws: Draws::default(),
        };
        self.sensor.read(&self.sensor.prepare(), &mut self.memory, from, &mut reading);
        self.sensor.finish(&mut self.memory, &mut reading);
        reading
    }
}

impl<K: Sensor> Looks<'_, K> {
    /// Reads some steps later.
    pub(crate) fn read_after(&mut self, steps: u64, space: &Space) -> Vec<f64> {
        self.own.time.step += steps;
        self.own.clock_s = self.own.time.now_s();
        self.read(space)
    }

    /// The message that clients receive for a reading, with robots named by their numbers.
    pub(crate) fn message(&self, reading: &[f64]) -> Option<Fields> {
        let mut message = Fields::new();
        let is_sent = self.sensor.message(&self.memory, reading, &|number| format!("r{number}"), &mut message);
        is_sent.then_some(message)
    }
}

/// Places the first body.
pub(crate) fn put(space: &mut Space, position: DVec2, heading: f64) {
    let radius = space.bodies.radii()[0];
    space.bodies.set(0, Body { position, heading, radius, ..Body::default() });
    space.update();
}

/// The first reading of a sensor of the first body.
pub(crate) fn read<K: Sensor>(sensor: &K, space: &Space) -> Vec<f64> {
    Looks::of(sensor).read(space)
}

/// The first target of a sensor of the first body.
pub(crate) fn sees<K: Sensor>(sensor: &K, space: &Space) -> Option<Target> {
    let around = &mut Surroundings::default();
    let from =
        Viewpoint { space, row: 0, around, hint: None, wheels: None, own: &Own::default(), draws: Draws::default() };
    sensor.sees(&sensor.prepare(), &K::Memory::default(), from)
}

//! The settings that sensors and actuators share: both are components of a robot.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;

use crate::kind::Slot;
use crate::noise::{Kept, NoiseFamily};
use crate::random::Seed;
use crate::service::{Link, first_due_s};
use crate::time::SimTime;
use crate::time::rate::MAX_RATE_HZ;
use crate::time::robot::{self, RobotClock};

/// Settings that all sensors and actuators share. A component of those sensors whose settings are not all at their default.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[component(on_remove = Kept::forget)]
#[require(Kept)]
pub struct ComponentSettings {
    /// Name for clients; empty for the name of its kind in lower case.
    pub name: String,
    /// Whether the sensor reads or the actuator acts. While it is inactive, the last reading of a sensor stays, and the last
    /// command of an actuator stays in effect.
    pub active: bool,
    /// How often the sensor reads or the actuator acts, in simulated time or by the clock of its robot: at the step nearest to
    /// each due time. 0 is every step.
    #[reflect(@Limits::between(0.0, MAX_RATE_HZ))]
    pub rate_hz: f64,
    /// Time of the first reading or action after the start or, with links, after the first step (as in MORSE). Until then, the
    /// reading of a sensor is that from before the first step.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub phase_s: f64,
    /// Noise on the readings of a sensor or on the messages to an actuator, applied in order. On messages, `Dropout` loses
    /// them, and `Delay` delivers them a number of actions later.
    pub noise: Vec<Slot<NoiseFamily>>,
    /// Connections to external clients.
    pub links: Vec<Link>,
}

impl Default for ComponentSettings {
    fn default() -> Self {
        Self { name: String::new(), active: true, rate_hz: 0.0, phase_s: 0.0, noise: Vec::new(), links: Vec::new() }
    }
}

impl ComponentSettings {
    /// Whether an active component is due at this step: by the clock of its robot, if it has one of its own.
    pub(crate) fn is_due<'a>(
        &self,
        time: &SimTime,
        clock: impl FnOnce() -> Option<(&'a RobotClock, Seed, StableId)>,
    ) -> bool {
        let first_s = first_due_s(self.phase_s, &self.links, time.dt_s);
        self.active && robot::is_due(clock(), time, (self.rate_hz, first_s))
    }
}

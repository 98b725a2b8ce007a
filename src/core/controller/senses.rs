//! Information that controllers decide with.

use std::sync::Arc;

use bevy::math::DVec2;
use swarmarium_base::id::StableId;
use swarmarium_base::sensor_layout::SensorLayout;
use swarmarium_space::{Boundary, Field, InfraredModel, Thing};

use super::behaviour::BehaviourKinds;
use crate::agent::Pose;
use crate::radio::{Heard, Packet};
use crate::random::{Seed, Stream};
use crate::sensor::infrared::Infrared;
use crate::step::order::Delivery;
use crate::time::SimTime;

/// Information available to a controller; everything as of the end of the last step.
#[derive(Clone, Copy, Debug)]
pub struct Senses<'a> {
    /// The readings of its sensors, by slot.
    pub readings: &'a [&'a [f64]],
    /// Its sensors by name. Filled only for controllers with [`KNOWS_SENSORS`](super::Controller::KNOWS_SENSORS).
    pub sensors: Option<&'a Arc<SensorLayout>>,
    /// Its infrared sensors, by slot. Filled only for controllers with [`KNOWS_INFRARED`](super::Controller::KNOWS_INFRARED).
    pub eyes: &'a [Option<&'a Infrared>],
    /// The registered kinds of behaviours.
    pub behaviours: &'a BehaviourKinds,
    /// Model of infrared distances.
    pub infrared_model: InfraredModel,
    /// Pose of the agent.
    pub pose: &'a Pose,
    /// The clock; its step is the one in which the command takes effect.
    pub time: &'a SimTime,
    /// End of that step by the clock of the robot (s); simulated time for robots without a clock of their own.
    pub clock_s: f64,
    /// Whether the agent had contact in the last step. Filled only for controllers with
    /// [`FEELS_TOUCH`](super::Controller::FEELS_TOUCH).
    pub touched: bool,
    /// Whether it has a radio.
    pub has_radio: bool,
    /// Packets that its radio has received.
    pub heard: Heard<'a>,
    /// Id of the agent, for its random numbers.
    pub owner: StableId,
    /// The seed of the simulation.
    pub seed: Seed,
    /// The arena.
    pub arena: Field,
    /// The objects of the scene, by index.
    pub objects: &'a [Thing],
    /// Time of message delivery.
    pub delivery: Delivery,
}

impl<'a> Senses<'a> {
    /// An agent at the origin, before the first step, with these readings and without contact.
    #[inline]
    pub const fn of(readings: &'a [&'a [f64]]) -> Self {
        const ORIGIN: &Pose = &Pose { position_m: DVec2::ZERO, heading_rad: 0.0 };
        const START: &SimTime = &SimTime { step: 0, dt_s: 0.025 };
        const SILENCE: Heard = Heard { packets: &[], turn: None };
        let (owner, seed, delivery) = (StableId::agent(0), Seed(0), Delivery::NextStep);
        let arena = Field::new(DVec2::splat(10.0), Boundary::Open);
        Self {
            readings,
            sensors: None,
            eyes: &[],
            behaviours: BehaviourKinds::NONE,
            infrared_model: InfraredModel::Exact,
            pose: ORIGIN,
            time: START,
            clock_s: 0.0,
            touched: false,
            has_radio: false,
            heard: SILENCE,
            owner,
            seed,
            arena,
            objects: &[],
            delivery,
        }
    }

    /// Vector to a point, across a periodic boundary if that is shorter.
    #[inline]
    pub fn way_to(self, point_m: DVec2) -> DVec2 {
        self.arena.offset(self.pose.position_m, point_m)
    }

    /// Age (steps) of the content of a packet, relative to the agent's own state at the end of the last step.
    #[inline]
    pub fn behind_steps(self, packet: &Packet) -> u64 {
        let age_steps = packet.age_steps(self.time.step);
        match self.delivery {
            // Sent after a step, received in the next.
            Delivery::NextStep => age_steps.saturating_sub(1),
            // Sent before the sender moved in that step.
            Delivery::SameStep => age_steps,
        }
    }

    /// Time (s) since the decision at step `decided_at`, which is set to this step. Before the first decision (0), the
    /// time of one step.
    #[inline]
    pub fn since_s(self, decided_at: &mut u64) -> f64 {
        let before = std::mem::replace(decided_at, self.time.step);
        let steps = if before == 0 { 1 } else { self.time.step.saturating_sub(before) };
        steps as f64 * self.time.dt_s
    }

    /// Reading of the sensor in a slot; empty if there is no such sensor.
    ///
    /// A parameter that names a slot has the attribute [`SensorSlot`](crate::kind::SensorSlot), so that scenes are checked.
    #[inline]
    pub fn slot(self, slot: u32) -> &'a [f64] {
        self.readings.get(slot as usize).copied().unwrap_or(&[])
    }

    /// The infrared sensors in a slot, with their reading.
    #[inline]
    pub fn infrared(self, slot: u32) -> Option<(&'a Infrared, &'a [f64])> {
        let eyes = self.eyes.get(slot as usize).copied().flatten()?;
        Some((eyes, self.slot(slot)))
    }

    /// Whether the sensor in a slot detects something: one of its numbers is above 0.5.
    #[inline]
    pub fn detects(self, slot: u32) -> bool {
        self.slot(slot).iter().any(|value| *value > 0.5)
    }

    /// Random numbers of this agent for one purpose; different at every step.
    #[inline]
    pub fn random(self, purpose: &str) -> Stream {
        self.seed.stream(self.owner, purpose).at_step(self.time.step)
    }
}

//! Noise: what happens to a reading between the world and who reads it, link by link.

use std::any::TypeId;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::prelude::*;

use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::kind::{KindType, Kinds, NoiseFamily, Open};
use crate::random::{Chain, Seed, Stream};

pub mod bias;
pub mod delay;
pub mod dropout;
pub mod flip;
pub mod gaussian;
pub mod invert;
pub mod quantise;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Kept>().init_resource::<Links>();
    app.add_noise::<bias::Bias>()
        .add_noise::<gaussian::Gaussian>()
        .add_noise::<quantise::Quantise>()
        .add_noise::<flip::Flip>()
        .add_noise::<invert::Invert>()
        .add_noise::<dropout::Dropout>()
        .add_noise::<delay::Delay>();
}

/// A kind of noise. One file: parameters, [`apply`](Noise::apply), tests.
pub trait Noise: KindType {
    /// Changes a reading that has just been taken.
    ///
    /// `kept` is what it kept from earlier readings, empty at first; `stream` is its own, other numbers at every step.
    fn apply(&self, reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream);

    /// As [`apply`](Self::apply), for kinds that must know what the numbers are called.
    fn apply_to(&self, _names: &[&str], reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        self.apply(reading, kept, stream);
    }

    /// How many readings it keeps.
    fn keeps(&self) -> u32 {
        0
    }
}

/// What the noise of a sensor keeps from reading to reading.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// What each link keeps.
    readings: Vec<Vec<f64>>,
    /// Where its random numbers come from, with `draws: Classic`.
    draws: Option<Chain>,
    /// The step at which the sensor read last; `None` before it has.
    read_at: Option<u64>,
}

impl Kept {
    /// Forgets the readings of a sensor that loses its noise: noise that it gets later starts anew.
    pub(crate) fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        if let Some(mut kept) = world.get_mut::<Self>(entity) {
            kept.readings.clear();
        }
    }

    /// Notes that its sensor has read.
    pub(crate) fn note_reading(&mut self, step: u64) {
        self.read_at = Some(step);
    }

    /// The step at which its sensor read last.
    pub(crate) fn read_at(&self) -> Option<u64> {
        self.read_at
    }

    /// Draws from a chain from now on.
    pub(crate) fn draw_from(&mut self, chain: Chain) {
        self.draws = Some(chain);
    }
}

/// What a chain must know of one kind of noise.
#[derive(Clone, Copy)]
struct Link {
    kind: TypeId,
    apply: fn(&dyn Reflect, &mut [f64], &mut Vec<f64>, &mut Stream),
    keeps: fn(&dyn Reflect) -> u32,
}

/// The kinds of noise.
#[derive(Resource, Clone, Default)]
pub(crate) struct Links(Vec<Link>);

/// Makes kinds of noise known.
pub trait AddNoise {
    /// Adds a kind of noise and its name in scenes.
    fn add_noise<K: Noise>(&mut self) -> &mut Self;
}

impl AddNoise for App {
    fn add_noise<K: Noise>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<NoiseFamily, K>();
        world.get_resource_or_init::<Links>().0.push(Link {
            kind: TypeId::of::<K>(),
            apply: |noise, reading, kept, stream| {
                if let Some(noise) = noise.downcast_ref::<K>() {
                    noise.apply(reading, kept, stream);
                }
            },
            keeps: |noise| noise.downcast_ref::<K>().map_or(0, Noise::keeps),
        });
        self
    }
}

impl Links {
    /// Sends a reading of `owner` through a chain, from the first link to the last.
    pub fn apply(
        &self,
        chain: &[Open<NoiseFamily>],
        owner: StableId,
        (seed, step): (Seed, u64),
        kept: &mut Kept,
        reading: &mut [f64],
    ) {
        if kept.readings.len() != chain.len() {
            kept.readings.resize_with(chain.len(), Vec::new);
        }
        if chain.is_empty() {
            return;
        }
        let stream = seed.stream(owner, "noise").at_step(step);
        for (index, (noise, readings)) in chain.iter().zip(&mut kept.readings).enumerate() {
            let Some(link) = self.find(noise) else { continue };
            if (link.keeps)(noise.value()) == 0 {
                // What another kind of noise left here.
                readings.clear();
            }
            let mut apply = |stream: &mut Stream| (link.apply)(noise.value(), reading, readings, stream);
            match &mut kept.draws {
                Some(draws) => draws.draw(apply),
                // A stream for each link, so that another link in the chain does not change its numbers.
                None => apply(&mut stream.branch(index as u64)),
            }
        }
    }

    /// As [`apply`](Self::apply), for what was sent to an actuator, whose numbers have names.
    pub fn apply_in(
        &self,
        chain: &[Open<NoiseFamily>],
        _names: &[&str],
        owner: StableId,
        now: (Seed, u64),
        kept: &mut Kept,
        values: &mut [f64],
    ) {
        self.apply(chain, owner, now, kept, values);
    }

    /// How many readings a chain keeps.
    pub fn keeps(&self, chain: &[Open<NoiseFamily>]) -> u64 {
        let of = |noise: &Open<NoiseFamily>| self.find(noise).map_or(0, |link| (link.keeps)(noise.value()));
        chain.iter().map(|noise| u64::from(of(noise))).sum()
    }

    fn find(&self, noise: &Open<NoiseFamily>) -> Option<&Link> {
        let kind = noise.value().as_any().type_id();
        self.0.iter().find(|link| link.kind == kind)
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// Sends readings of one number through one kind of noise, each at a step of its own.
    pub(crate) fn through(noise: &impl Noise, readings: impl IntoIterator<Item = f64>) -> Vec<f64> {
        let mut kept = Vec::new();
        let mut steps = 0;
        let one = |value| {
            steps += 1;
            let mut reading = [value];
            noise.apply(&mut reading, &mut kept, &mut Seed(7).stream(StableId::agent(0), "noise").at_step(steps));
            reading[0]
        };
        readings.into_iter().map(one).collect()
    }
}

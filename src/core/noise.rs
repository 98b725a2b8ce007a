//! Noise: what happens to a reading between the world and who reads it, link by link.

use std::any::TypeId;

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::DVec3;
use bevy::prelude::*;
use swarmarium_base::id::StableId;

use crate::kind::{Family, KindType, Kinds, NothingCommon, Slot};
use crate::random::{Chain, Seed, Stream};
use crate::state::RegisterState as _;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Kept>("noise").init_resource::<NoiseKinds>();
}

/// The kinds of noise, which change readings before they are used.
#[derive(TypePath)]
pub struct NoiseFamily;

impl Family for NoiseFamily {
    const NAME: &'static str = "noise";
    type Common = NothingCommon;
}

/// A kind of noise. One file: parameters, [`apply`](Noise::apply), tests.
pub trait Noise: KindType {
    /// The numbers that it works on, by name, in sets of which one is enough; nothing for any numbers. Scenes that have it
    /// where there are none of them are refused.
    const NEEDS: &'static [&'static [&'static str]] = &[];

    /// Whether [`undo`](Self::undo) takes back just what [`apply_to`](Self::apply_to) does, as of units and axes.
    const IS_UNDONE: bool = false;

    /// Numbers, by name, that [`undo`](Self::undo) makes of one another, such as by turning axes.
    const MIXES: &'static [&'static str] = &[];

    /// Changes a reading that has just been taken, whatever its numbers are called.
    ///
    /// `kept` is what it kept from earlier readings, empty at first; `stream` is its own, other numbers at every step.
    fn apply(&self, _reading: &mut [f64], _kept: &mut Vec<f64>, _stream: &mut Stream) {}

    /// As [`apply`](Self::apply), which it calls, for kinds that must know what the numbers are called.
    fn apply_to(&self, _names: &[&str], reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        self.apply(reading, kept, stream);
    }

    /// As [`apply_to`](Self::apply_to), on the way in, to an actuator: kinds that change units or axes change them back.
    fn undo(&self, names: &[&str], values: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        self.apply_to(names, values, kept, stream);
    }

    /// As [`undo`](Self::undo), which it calls; whether the message comes through at all.
    fn receive(&self, names: &[&str], values: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) -> bool {
        self.undo(names, values, kept, stream);
        true
    }

    /// How many acts of an actuator later a message to it comes through.
    fn acts_late(&self) -> u32 {
        0
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
    /// Where its random numbers come from, with `random_source: Classic`.
    draws: Option<Chain>,
    /// The step at which the sensor read last; `None` before it has.
    read_at: Option<u64>,
}

impl Kept {
    /// Forgets the readings of a sensor that loses its noise: noise that it gets later starts anew.
    pub(crate) fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        if let Some(mut kept) = world.get_mut::<Self>(entity) {
            kept.start_anew();
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

    /// Forgets the readings; random numbers go on.
    pub(crate) fn start_anew(&mut self) {
        self.readings.clear();
    }

    /// Draws from a chain from now on.
    pub(crate) fn draw_from(&mut self, chain: Chain) {
        self.draws = Some(chain);
    }
}

/// What a kind of noise does to named numbers, with what it keeps and its random numbers.
type Act = fn(&dyn Reflect, &[&str], &mut [f64], &mut Vec<f64>, &mut Stream);

/// As [`Act`], on a message to an actuator; whether it comes through.
type Receive = fn(&dyn Reflect, &[&str], &mut [f64], &mut Vec<f64>, &mut Stream) -> bool;

/// The functions of one kind of noise, for callers that do not know its type.
#[derive(Clone, Copy)]
struct NoiseKind {
    kind: TypeId,
    needs: &'static [&'static [&'static str]],
    is_undone: bool,
    mixes: &'static [&'static str],
    apply: Act,
    receive: Receive,
    acts_late: fn(&dyn Reflect) -> u32,
    keeps: fn(&dyn Reflect) -> u32,
}

/// The kinds of noise.
#[derive(Resource, Clone, Default)]
pub struct NoiseKinds(Vec<NoiseKind>);

/// Makes kinds of noise known.
pub trait AddNoise {
    /// Adds a kind of noise and its name in scenes.
    fn add_noise<K: Noise>(&mut self) -> &mut Self;
}

impl AddNoise for App {
    fn add_noise<K: Noise>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<NoiseFamily, K>();
        world.get_resource_or_init::<NoiseKinds>().0.push(NoiseKind {
            kind: TypeId::of::<K>(),
            needs: K::NEEDS,
            is_undone: K::IS_UNDONE,
            mixes: K::MIXES,
            apply: |noise, names, reading, kept, stream| {
                if let Some(noise) = noise.downcast_ref::<K>() {
                    noise.apply_to(names, reading, kept, stream);
                }
            },
            receive: |noise, names, values, kept, stream| match noise.downcast_ref::<K>() {
                Some(noise) => noise.receive(names, values, kept, stream),
                None => true,
            },
            acts_late: |noise| noise.downcast_ref::<K>().map_or(0, Noise::acts_late),
            keeps: |noise| noise.downcast_ref::<K>().map_or(0, Noise::keeps),
        });
        self
    }
}

impl NoiseKinds {
    /// Sends a reading of `owner` through a chain, from the first link to the last; its numbers may have names.
    pub fn apply(
        &self,
        chain: &[Slot<NoiseFamily>],
        names: &[&str],
        owner: StableId,
        now: (Seed, u64),
        kept: &mut Kept,
        reading: &mut [f64],
    ) {
        self.send(chain, (owner, "noise", now), kept, |link, noise, kept, stream| {
            (link.apply)(noise, names, reading, kept, stream);
        });
    }

    /// As [`apply`](Self::apply), for what was sent to an actuator of `owner`; whether it comes through.
    pub fn apply_in(
        &self,
        chain: &[Slot<NoiseFamily>],
        names: &[&str],
        owner: StableId,
        now: (Seed, u64),
        kept: &mut Kept,
        values: &mut [f64],
    ) -> bool {
        let mut comes_through = true;
        self.send(chain, (owner, "actuator noise", now), kept, |link, noise, kept, stream| {
            comes_through &= (link.receive)(noise, names, values, kept, stream);
        });
        comes_through
    }

    /// What of a chain changes units and axes alone, from the last link to the first: from what an actuator has to what must
    /// be sent for it.
    pub fn backwards(&self, chain: &[Slot<NoiseFamily>]) -> Vec<Slot<NoiseFamily>> {
        let is_undone = |noise: &&Slot<NoiseFamily>| self.find(noise).is_some_and(|link| link.is_undone);
        chain.iter().rev().filter(is_undone).cloned().collect()
    }

    /// Marks the numbers of a message that follow from those that are marked already.
    pub fn mark_mixed(&self, chain: &[Slot<NoiseFamily>], names: &[&str], marks: &mut [bool]) {
        for link in chain.iter().filter_map(|noise| self.find(noise)) {
            let is_mixed = |(name, _): &(&&str, &mut bool)| link.mixes.contains(*name);
            if names.iter().zip(&mut *marks).filter(is_mixed).any(|(_, mark)| *mark) {
                names.iter().zip(&mut *marks).filter(is_mixed).for_each(|(_, mark)| *mark = true);
            }
        }
    }

    /// How many acts of an actuator later a message comes through a chain.
    pub fn acts_late(&self, chain: &[Slot<NoiseFamily>]) -> u32 {
        let late = |noise: &Slot<NoiseFamily>| self.find(noise).map_or(0, |link| (link.acts_late)(noise.value()));
        chain.iter().map(late).fold(0, u32::saturating_add)
    }

    fn send(
        &self,
        chain: &[Slot<NoiseFamily>],
        (owner, purpose, (seed, step)): (StableId, &str, (Seed, u64)),
        kept: &mut Kept,
        mut act: impl FnMut(&NoiseKind, &dyn Reflect, &mut Vec<f64>, &mut Stream),
    ) {
        if kept.readings.len() != chain.len() {
            kept.readings.resize_with(chain.len(), Vec::new);
        }
        if chain.is_empty() {
            return;
        }
        let stream = seed.stream(owner, purpose).at_step(step);
        for (index, (noise, readings)) in chain.iter().zip(&mut kept.readings).enumerate() {
            let Some(link) = self.find(noise) else { continue };
            if (link.keeps)(noise.value()) == 0 {
                // What another kind of noise left here.
                readings.clear();
            }
            let mut act = |stream: &mut Stream| act(link, noise.value(), readings, stream);
            match &mut kept.draws {
                Some(draws) => draws.draw(act),
                // A stream for each link, so that another link in the chain does not change its numbers.
                None => act(&mut stream.branch(index as u64)),
            }
        }
    }

    /// Why links, by place, do nothing to what `owner` has: they need numbers of other names. `kinds` are all that could have
    /// the links instead, each with the names of its numbers.
    pub fn misfits<'a>(
        &self,
        chain: &[Slot<NoiseFamily>],
        (owner, names): (&str, &[&str]),
        kinds: impl Fn() -> Vec<(&'a str, Vec<&'a str>)>,
    ) -> Vec<(usize, String)> {
        let fits = |needs: &[&[&str]], names: &[&str]| {
            needs.is_empty() || needs.iter().any(|set| set.iter().all(|name| names.contains(name)))
        };
        let misfit = |(place, noise): (usize, &Slot<NoiseFamily>)| {
            let needs = self.find(noise)?.needs;
            if fits(needs, names) {
                return None;
            }
            let name = noise.value().reflect_short_type_path();
            let sets: Vec<String> = needs.iter().map(|set| set.join(", ")).collect();
            let fitting = kinds().into_iter().filter(|(_, names)| fits(needs, names));
            let fitting: Vec<&str> = fitting.map(|(kind, _)| kind).collect();
            let known = if fitting.is_empty() { "none".to_owned() } else { fitting.join(", ") };
            Some((place, format!("{name} changes {}, which {owner} does not have: it fits {known}", sets.join(" or "))))
        };
        chain.iter().enumerate().filter_map(misfit).collect()
    }

    /// How many readings a chain keeps.
    pub fn keeps(&self, chain: &[Slot<NoiseFamily>]) -> u64 {
        let of = |noise: &Slot<NoiseFamily>| self.find(noise).map_or(0, |link| (link.keeps)(noise.value()));
        chain.iter().map(|noise| u64::from(of(noise))).sum()
    }

    fn find(&self, noise: &Slot<NoiseFamily>) -> Option<&NoiseKind> {
        let kind = noise.value().as_any().type_id();
        self.0.iter().find(|link| link.kind == kind)
    }
}

/// The numbers of a position.
pub const POSITION: [&str; 3] = ["x", "y", "z"];
/// The numbers of a pose that are angles.
pub const ANGLES: [&str; 3] = ["yaw", "pitch", "roll"];

/// The places of numbers by their names, if all are there.
pub fn places<const N: usize>(names: &[&str], wanted: [&str; N]) -> Option<[usize; N]> {
    let mut places = [0; N];
    for (place, wanted) in places.iter_mut().zip(wanted) {
        *place = names.iter().position(|name| *name == wanted)?;
    }
    Some(places)
}

/// Changes the position among named numbers, if they have one.
pub fn change_position(names: &[&str], values: &mut [f64], change: impl FnOnce(DVec3) -> DVec3) {
    let Some(places) = places(names, POSITION) else { return };
    let position = DVec3::from(places.map(|place| values[place]));
    for (place, value) in places.into_iter().zip(change(position).to_array()) {
        values[place] = value;
    }
}

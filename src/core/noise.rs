//! Noise: changes of readings and streams, applied link by link.

use bevy::ecs::lifecycle::HookContext;
use bevy::ecs::world::DeferredWorld;
use bevy::math::DVec3;
use bevy::prelude::*;
use smallvec::SmallVec;
use swarmarium_base::id::StableId;

use crate::kind::{Family, FamilyTable, KindType, NothingCommon, Slot};
use crate::random::{Chain, Seed, Stream};
use crate::state::RegisterState as _;

/// Adds the state of noise.
pub fn plugin(app: &mut App) {
    app.register_state::<Kept>("noise").init_resource::<NoiseKinds>();
}

/// The kinds of noise, which change readings before they are used.
#[derive(TypePath)]
pub struct NoiseFamily;

impl Family for NoiseFamily {
    const NAME: &'static str = "noise";
    type Common = NothingCommon;
    type Entry = NoiseKind;
}

/// A kind of noise. One file: parameters, [`apply`](Noise::apply), tests.
///
/// The guide "Write a kind of noise" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// # use swarmarium_core::random::Stream;
/// /// Halves every number.
/// #[kind]
/// struct Half {}
///
/// impl Noise for Half {
///     fn apply(&self, reading: &mut [f64], _: &mut Vec<f64>, _: &mut Stream) {
///         reading.iter_mut().for_each(|value| *value /= 2.0);
///     }
/// }
/// ```
pub trait Noise: KindType {
    /// Alternative sets of names of the numbers that it changes; one set is enough. Empty for noise on any numbers.
    /// Scenes with noise on readings without such numbers are rejected.
    const NEEDS: &'static [&'static [&'static str]] = &[];

    /// Whether [`undo`](Self::undo) inverts [`apply_to`](Self::apply_to), as for changes of units and axes.
    const IS_UNDONE: bool = false;

    /// Whether it only delays or replaces whole readings. Other kinds change neither the numbers of robots nor the value of
    /// an empty range.
    const REPLACES: bool = false;

    /// Names of the numbers that [`undo`](Self::undo) combines, such as coordinates when it rotates axes.
    const MIXES: &'static [&'static str] = &[];

    /// Changes a new reading, whatever the names of its numbers.
    ///
    /// `kept` holds its numbers from earlier readings, empty at first; `stream` is its own random stream, different at
    /// every step.
    fn apply(&self, _reading: &mut [f64], _kept: &mut Vec<f64>, _stream: &mut Stream) {}

    /// As [`apply`](Self::apply), which it calls by default, for kinds that need the names of the numbers.
    fn apply_to(&self, _names: &[&str], reading: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        self.apply(reading, kept, stream);
    }

    /// As [`apply_to`](Self::apply_to) for messages to an actuator: kinds that change units or axes apply the inverse.
    fn undo(&self, names: &[&str], values: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) {
        self.apply_to(names, values, kept, stream);
    }

    /// As [`undo`](Self::undo), which it calls by default; returns whether the message arrives.
    fn receive(&self, names: &[&str], values: &mut [f64], kept: &mut Vec<f64>, stream: &mut Stream) -> bool {
        self.undo(names, values, kept, stream);
        true
    }

    /// Delay of a message to an actuator, in actions of the actuator.
    fn acts_late(&self) -> u32 {
        0
    }

    /// Number of readings that it stores.
    fn keeps(&self) -> u32 {
        0
    }

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// State of the noise of a sensor.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Kept {
    /// Numbers stored by each link.
    readings: Vec<Vec<f64>>,
    /// Source of its random numbers, with `random_source: Classic`.
    draws: Option<Chain>,
    /// The step of the last reading; `None` before the first.
    read_at: Option<u64>,
}

impl Kept {
    /// Clears the readings of a sensor that loses its noise: later noise starts from scratch.
    pub(crate) fn forget(mut world: DeferredWorld, HookContext { entity, .. }: HookContext) {
        if let Some(mut kept) = world.get_mut::<Self>(entity) {
            kept.start_anew();
        }
    }

    /// Records that the sensor has read.
    pub(crate) fn note_reading(&mut self, step: u64) {
        self.read_at = Some(step);
    }

    /// The step of the last reading.
    pub fn read_at(&self) -> Option<u64> {
        self.read_at
    }

    /// Clears the readings; random numbers continue.
    pub(crate) fn start_anew(&mut self) {
        self.readings.clear();
    }

    /// Draws from a chain from this call on.
    pub fn draw_from(&mut self, chain: Chain) {
        self.draws = Some(chain);
    }
}

/// Function of a kind of noise that changes named numbers, with its stored numbers and its random stream.
type Act = fn(&dyn Reflect, &[&str], &mut [f64], &mut Vec<f64>, &mut Stream);

/// As [`Act`], for a message to an actuator; returns whether it arrives.
type Receive = fn(&dyn Reflect, &[&str], &mut [f64], &mut Vec<f64>, &mut Stream) -> bool;

/// The entry of a kind of noise in the table of its family.
#[derive(Clone, Copy)]
pub struct NoiseKind {
    needs: &'static [&'static [&'static str]],
    is_undone: bool,
    replaces: bool,
    mixes: &'static [&'static str],
    apply: Act,
    receive: Receive,
    acts_late: fn(&dyn Reflect) -> u32,
    keeps: fn(&dyn Reflect) -> u32,
}

/// The kinds of noise.
pub type NoiseKinds = FamilyTable<NoiseFamily>;

/// Registers kinds of noise.
pub trait AddNoise {
    /// Adds a kind of noise under its name in scenes.
    fn add_noise<K: Noise>(&mut self) -> &mut Self;
}

impl AddNoise for App {
    fn add_noise<K: Noise>(&mut self) -> &mut Self {
        let entry = NoiseKind {
            needs: K::NEEDS,
            is_undone: K::IS_UNDONE,
            replaces: K::REPLACES,
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
        };
        NoiseKinds::add::<K>(self.world_mut(), |noise| noise.downcast_ref::<K>().and_then(Noise::problem), entry);
        self
    }
}

/// The effect that noise may have on one number of a reading.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum NoiseBounds {
    /// Any.
    #[default]
    Free,
    /// None: the number is the number of a robot, for instance.
    Exempt,
    /// The number stays from `low` to `high`.
    Within {
        /// The smallest value.
        low: f64,
        /// The largest value.
        high: f64,
        /// The value that stands for nothing there, which noise does not change.
        nothing: Option<f64>,
    },
}

impl NoiseBounds {
    /// A distance from `low` to `high`, which is also the reading where nothing is in range.
    pub const fn distance(low: f64, high: f64) -> Self {
        Self::Within { low, high, nothing: Some(high) }
    }

    /// The number as noise gets it: infinite for nothing there, so that it can be told apart after a delay.
    fn mark(self, value: f64) -> f64 {
        match self {
            Self::Within { nothing: Some(nothing), .. } if value == nothing => f64::INFINITY,
            _ => value,
        }
    }

    /// The number after noise.
    fn limit(self, value: f64) -> f64 {
        match self {
            Self::Free | Self::Exempt => value,
            Self::Within { low, high, .. } if value.is_finite() => value.max(low).min(high),
            Self::Within { nothing, .. } => nothing.unwrap_or(value),
        }
    }
}

impl NoiseKinds {
    /// Applies a chain to a reading of `owner`, from the first link to the last; its numbers may have names, and bounds
    /// in which they stay. `blank` is the reading before the first one, for links that delay or replace readings.
    pub fn apply(
        &self,
        chain: &[Slot<NoiseFamily>],
        (names, bounds, blank): (&[&str], &dyn Fn(usize) -> NoiseBounds, &dyn Fn() -> Vec<f64>),
        owner: StableId,
        now: (Seed, u64),
        kept: &mut Kept,
        reading: &mut [f64],
    ) {
        if chain.is_empty() {
            return kept.readings.clear();
        }
        let bounds: SmallVec<[NoiseBounds; 8]> = (0..reading.len()).map(bounds).collect();
        reading.iter_mut().zip(&bounds).for_each(|(value, bounds)| *value = bounds.mark(*value));
        let mut left_alone: SmallVec<[(usize, f64); 8]> = SmallVec::new();
        self.send(chain, (owner, "noise", now), kept, |link, noise, kept, stream| {
            if link.replaces {
                if kept.is_empty() {
                    let blank = blank();
                    let marked = || blank.iter().zip(&bounds).map(|(value, bounds)| bounds.mark(*value));
                    (0..(link.keeps)(noise)).for_each(|_| kept.extend(marked()));
                }
                return (link.apply)(noise, names, reading, kept, stream);
            }
            left_alone.clear();
            let carries_none = |place: usize, value: f64| bounds[place] == NoiseBounds::Exempt || !value.is_finite();
            let numbers = reading.iter().copied().enumerate();
            left_alone.extend(numbers.filter(|(place, value)| carries_none(*place, *value)));
            (link.apply)(noise, names, reading, kept, stream);
            left_alone.iter().for_each(|(place, value)| reading[*place] = *value);
        });
        reading.iter_mut().zip(&bounds).for_each(|(value, bounds)| *value = bounds.limit(*value));
    }

    /// Applies a chain to numbers without bounds that no reading precedes.
    pub fn apply_once(
        &self,
        chain: &[Slot<NoiseFamily>],
        names: &[&str],
        owner: StableId,
        now: (Seed, u64),
        values: &mut [f64],
    ) {
        self.send(chain, (owner, "noise", now), &mut Kept::default(), |link, noise, kept, stream| {
            (link.apply)(noise, names, values, kept, stream);
        });
    }

    /// As [`apply`](Self::apply), for a message to an actuator of `owner`; returns whether it arrives.
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

    /// The links of a chain that only change units and axes, in reverse order: they convert values of an actuator into
    /// the message that produces them.
    pub fn backwards(&self, chain: &[Slot<NoiseFamily>]) -> Vec<Slot<NoiseFamily>> {
        let is_undone = |noise: &&Slot<NoiseFamily>| self.find(noise).is_some_and(|link| link.is_undone);
        chain.iter().rev().filter(is_undone).cloned().collect()
    }

    /// Marks the numbers of a message that depend on marked ones.
    pub fn mark_mixed(&self, chain: &[Slot<NoiseFamily>], names: &[&str], marks: &mut [bool]) {
        for link in chain.iter().filter_map(|noise| self.find(noise)) {
            let is_mixed = |(name, _): &(&&str, &mut bool)| link.mixes.contains(*name);
            if names.iter().zip(&mut *marks).filter(is_mixed).any(|(_, mark)| *mark) {
                names.iter().zip(&mut *marks).filter(is_mixed).for_each(|(_, mark)| *mark = true);
            }
        }
    }

    /// Delay of a message by a chain, in actions of the actuator.
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
                // Remove numbers stored by another kind of noise.
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

    /// Links, by index, that have no effect because `owner` lacks the numbers they need, with a message. `kinds` lists
    /// all possible owners with the names of their numbers.
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

    /// Number of readings that a chain stores.
    pub fn keeps(&self, chain: &[Slot<NoiseFamily>]) -> u64 {
        let of = |noise: &Slot<NoiseFamily>| self.find(noise).map_or(0, |link| (link.keeps)(noise.value()));
        chain.iter().map(|noise| u64::from(of(noise))).sum()
    }

    fn find(&self, noise: &Slot<NoiseFamily>) -> Option<&NoiseKind> {
        self.of_value(noise.value())
    }
}

/// Names of the coordinates of a position.
pub const POSITION: [&str; 3] = ["x", "y", "z"];
/// Names of the angles of a pose.
pub const ANGLES: [&str; 3] = ["yaw", "pitch", "roll"];

/// Indices of numbers by their names, if all exist.
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

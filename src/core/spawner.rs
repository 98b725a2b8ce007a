//! Spawners: the initial poses of agents.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::math::angle_of;
use swarmarium_space::arena::Arena;

use crate::kind::{Family, FamilyTable, KindType, Optional};
use crate::random::Stream;
use crate::state::{Record, RegisterState as _};

pub mod point;
pub mod table;

/// Adds the spawners of the core and their state.
pub fn plugin(app: &mut App) {
    app.register_state::<Pending>("spawner/pending").register_state::<Spawning>("spawner/common");
    app.add_spawner::<point::Point>().add_spawner::<table::Table>();
}

/// The kinds of spawners, which place new agents.
#[derive(TypePath)]
pub struct SpawnerFamily;

impl Family for SpawnerFamily {
    const NAME: &'static str = "spawner";
    type Common = Spawning;
    type Entry = SpawnerKind;
}

/// A spawner. One file contains parameters, [`placer`](Spawner::placer) and tests.
///
/// A spawner with a field `center_m`, a point that may be optional, can be moved by a click (`view: (click: Restart)`).
///
/// The guide "Write a spawner" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// # use swarmarium_core::random::Stream;
/// # use swarmarium_core::spawner::Place;
/// /// Places agents in a row, one metre apart.
/// #[kind]
/// struct Row {}
///
/// impl Spawner for Row {
///     fn center_m(&self) -> DVec2 {
///         DVec2::ZERO
///     }
///
///     fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
///         |number, _| DVec2::new(f64::from(number), 0.0).into()
///     }
/// }
/// ```
pub trait Spawner: KindType {
    /// Decides parameters that the scene leaves open, once per run, in an arena of this size.
    fn settle(&mut self, _arena: &Arena, _random: &mut Stream) {}

    /// The centre of the spawner, towards which or away from which agents can face.
    fn center_m(&self) -> DVec2;

    /// Returns the function that places the agent with a number, counted from 0, with the random stream of the spawner.
    ///
    /// If there is no room, it is called again.
    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place;

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// The place of a new agent.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Place {
    /// The position.
    pub position_m: DVec2,
    /// The heading, if the spawner decides it and not its [`Facing`].
    pub heading_rad: Option<f64>,
}

impl From<DVec2> for Place {
    fn from(position_m: DVec2) -> Self {
        Self { position_m, heading_rad: None }
    }
}

/// The common parameters of spawners.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Spawning {
    /// Initial headings of the agents.
    pub facing: Facing,
    /// Whether agents are placed where they overlap nothing. Agents that find no such place overlap others, and the
    /// program says how many.
    pub avoid_overlap: bool,
    /// Steps between two batches of agents. 0: all agents are in the first batch.
    pub interval_steps: u32,
    /// Number of agents in a batch, with `interval_steps`.
    #[reflect(@Limits::between(1.0, MAX_AGENTS))]
    pub batch_size: u32,
    /// Step of the first batch. 0 is before the first step.
    pub start_step: u32,
    /// Last step with a batch; remaining agents are never spawned. 0: batches go on until all agents are spawned.
    pub end_step: u32,
}

impl Default for Spawning {
    fn default() -> Self {
        Self {
            facing: Facing::Random,
            avoid_overlap: true,
            interval_steps: 0,
            batch_size: 1,
            start_step: 0,
            end_step: 0,
        }
    }
}

impl Spawning {
    /// The number of pending agents that are spawned at a step.
    pub fn due(&self, step: u64, pending: u32) -> u32 {
        let Some(since) = step.checked_sub(self.start_step.into()).filter(|_| !self.is_past(step)) else { return 0 };
        match u64::from(self.interval_steps) {
            0 => pending,
            every if since.is_multiple_of(every) => pending.min(self.batch_size),
            _ => 0,
        }
    }

    /// Whether the last step with a batch is over.
    pub fn is_past(&self, step: u64) -> bool {
        self.end_step > 0 && step > self.end_step.into()
    }
}

/// The initial headings of new agents.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Facing {
    /// A random heading.
    #[default]
    Random,
    /// Towards the centre of the spawner.
    Towards,
    /// Away from the centre of the spawner.
    Away,
    /// A fixed heading.
    Heading {
        /// Heading, anticlockwise from x.
        rad: f64,
    },
    /// Towards a point.
    Point {
        /// The point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        at_m: DVec2,
        /// Place where agents get a random heading, instead of at the point (RobotSwarmSimulator).
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        random_at_m: Option<DVec2>,
    },
    /// Away from a point.
    AwayFrom {
        /// The point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        at_m: DVec2,
        /// Place where agents get a random heading, instead of at the point (RobotSwarmSimulator).
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        random_at_m: Option<DVec2>,
    },
}

/// The distance (m) from its target, or from the place for random headings, below which an agent gets a random heading.
const LOST_M: f64 = 1e-6;

impl Facing {
    /// The heading of an agent at a position, for a spawner around `center`; `any_rad` if it has no direction to the
    /// target.
    pub fn heading_rad(self, position: DVec2, center: DVec2, any_rad: impl FnOnce() -> f64) -> f64 {
        let (way, random_at_m) = match self {
            Self::Random => return any_rad(),
            Self::Heading { rad } => return rad,
            Self::Towards => (center - position, None),
            Self::Away => (position - center, None),
            Self::Point { at_m, random_at_m } => (at_m - position, random_at_m),
            Self::AwayFrom { at_m, random_at_m } => (position - at_m, random_at_m),
        };
        let off = random_at_m.map_or(way, |place| place - position);
        if off.length() < LOST_M { any_rad() } else { angle_of(way) }
    }
}

/// The agents that a spawner has yet to create.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Index of the group in the scene.
    pub group: u32,
    /// Number of pending agents.
    pub count: u32,
    /// Number of agents created.
    pub made: u32,
}

/// Numbers of agents by group that found no free place, although their spawner avoids overlaps.
///
/// Snapshots contain them, but no result depends on them and they are not part of the hash.
#[derive(Clone, Debug, Default)]
pub struct WithoutRoom(Vec<u32>);

impl Record for WithoutRoom {
    fn heap_bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

impl WithoutRoom {
    /// Adds agents of a group.
    pub fn add(&mut self, group: u32, count: u32) {
        let group = group as usize;
        self.0.resize(self.0.len().max(group + 1), 0);
        self.0[group] += count;
    }

    /// The groups with such agents, by index, and the numbers of these agents.
    pub fn groups(&self) -> impl Iterator<Item = (usize, u32)> {
        self.0.iter().copied().enumerate().filter(|(_, count)| *count > 0)
    }
}

/// A spawner while it places agents.
pub struct Placing<'w> {
    /// The centre of its places (m).
    pub center_m: DVec2,
    /// The place of the agent with a number.
    pub place: Box<dyn FnMut(u32, &mut Stream) -> Place + 'w>,
}

impl<'w> Placing<'w> {
    fn new(spawner: &'w impl Spawner) -> Self {
        Self { center_m: spawner.center_m(), place: Box::new(spawner.placer()) }
    }

    /// A place, and a random heading for agents without a fixed facing.
    ///
    /// The heading is always drawn, so that a change of facing does not change positions.
    pub fn draw(&mut self, number: u32, random: &mut Stream) -> (Place, f64) {
        ((self.place)(number, random), random.between(-TAU / 2.0, TAU / 2.0))
    }
}

/// The entry of a kind of spawners in the table of its family.
#[derive(Clone, Copy)]
pub struct SpawnerKind {
    /// The places of a spawner.
    pub placing: for<'v> fn(&'v dyn Reflect) -> Option<Placing<'v>>,
    /// As [`Spawner::settle`].
    pub settle: fn(&mut dyn Reflect, &Arena, &mut Stream),
}

/// The kinds of spawners.
pub type SpawnerKinds = FamilyTable<SpawnerFamily>;

/// Registers spawners.
pub trait AddSpawner {
    /// Adds a spawner and its name in scenes.
    fn add_spawner<K: Spawner>(&mut self) -> &mut Self;
}

impl AddSpawner for App {
    fn add_spawner<K: Spawner>(&mut self) -> &mut Self {
        let entry = SpawnerKind {
            placing: |spawner| spawner.downcast_ref::<K>().map(Placing::new),
            settle: |spawner, arena, random| {
                if let Some(spawner) = spawner.downcast_mut::<K>() {
                    spawner.settle(arena, random);
                }
            },
        };
        let problem = |spawner: &dyn Reflect| spawner.downcast_ref::<K>().and_then(Spawner::problem);
        SpawnerKinds::add::<K>(self.world_mut(), problem, entry);
        self.register_kind::<SpawnerFamily, K>()
    }
}

/// The centre of the bounding box of points.
pub fn center_of(points: &[DVec2]) -> DVec2 {
    let ends = points.iter().copied().reduce(DVec2::min).zip(points.iter().copied().reduce(DVec2::max));
    ends.map_or(DVec2::ZERO, |(low, high)| low + (high - low) / 2.0)
}

#[cfg(test)]
mod tests;

//! Spawners: the initial poses of agents and of objects that are placed in groups.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, normal_quantile, wrap_angle};
use swarmarium_space::arena::Arena;

use crate::kind::{Family, FamilyTable, KindType, Optional, SkipIfEmpty};
use crate::random::Stream;
use crate::state::{Record, RegisterState as _};

use area::Area;

pub mod area;
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

    /// Decides parameters that depend on the number of agents or objects that it places, before [`placer`](Self::placer).
    ///
    /// # Errors
    /// If it has no place for so many, as a message for authors of scenes.
    fn fit(&mut self, _count: u32) -> Result<(), String> {
        Ok(())
    }

    /// The area of its places, which `if_full: Pack` packs. `None` for a spawner of single places, such as those of a
    /// table.
    fn area(&self) -> Option<Area> {
        None
    }

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
    /// Initial headings of the robots.
    pub facing: Facing,
    /// Whether robots are placed where they overlap nothing; `if_full` decides about those that find no such place.
    pub avoid_overlap: bool,
    /// Steps between two batches of robots. 0: all robots are in the first batch.
    pub interval_steps: u32,
    /// Number of robots in a batch, with `interval_steps`.
    #[reflect(@Limits::between(1.0, MAX_AGENTS))]
    pub batch_size: u32,
    /// Step of the first batch. 0 is before the first step.
    pub start_step: u32,
    /// Last step with a batch; remaining robots are never spawned. 0: batches go on until all robots are spawned.
    pub end_step: u32,
    /// Rule for robots that find no room, with `avoid_overlap`.
    #[reflect(@SkipIfEmpty)]
    pub if_full: IfFull,
    /// Smallest gap to other robots, objects and walls at the start, between outlines.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M), @SkipIfEmpty)]
    pub gap_m: f64,
}

/// What happens if a spawner has no room for all of its robots or objects.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum IfFull {
    /// As `Overlap` for robots, and as `Fail` for objects.
    #[default]
    Default,
    /// Agents are placed around the area of the spawner where there is room, and overlap others where there is none.
    /// Objects overlap. The program says how many overlap.
    Overlap,
    /// The scene is refused, with the number that fits. In a run, where nothing can be refused any more, it is as
    /// `Fewer`.
    Fail,
    /// Only those that fit are placed, and the program says how many are left out.
    Fewer,
    /// If random places do not suffice, all of them are placed on a hexagonal lattice in the area of the spawner, the
    /// places near its centre first. If that does not suffice either, it is as `Fail`.
    Pack,
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
            if_full: IfFull::Default,
            gap_m: 0.0,
        }
    }
}

impl Spawning {
    /// The number of pending robots that are spawned at a step.
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

/// The initial headings of new robots.
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
        /// Place where robots get a random heading, instead of at the point (RobotSwarmSimulator).
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        random_at_m: Option<DVec2>,
    },
    /// Away from a point.
    AwayFrom {
        /// The point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        at_m: DVec2,
        /// Place where robots get a random heading, instead of at the point (RobotSwarmSimulator).
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M), @Optional)]
        random_at_m: Option<DVec2>,
    },
    /// A random heading, uniform between two headings, anticlockwise from the first.
    Range {
        /// First heading, anticlockwise from x.
        #[reflect(@HEADINGS)]
        from_rad: f64,
        /// Last heading; a full turn above the first one for all headings.
        #[reflect(@HEADINGS)]
        to_rad: f64,
    },
    /// A random heading from a normal distribution, wrapped around the circle.
    Normal {
        /// Mean heading, anticlockwise from x.
        #[reflect(@HEADINGS)]
        mean_rad: f64,
        /// Standard deviation before wrapping.
        #[reflect(@Limits::between(0.0, MAX_HEADING_RAD))]
        sd_rad: f64,
    },
}

/// The largest heading of a distribution (rad).
const MAX_HEADING_RAD: f64 = 1000.0;
const HEADINGS: Limits = Limits::between(-MAX_HEADING_RAD, MAX_HEADING_RAD);

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
            // One number decides each heading, so that a change of facing does not change positions.
            Self::Range { from_rad, to_rad } => {
                return wrap_angle(from_rad + (to_rad - from_rad) * part_of_turn(any_rad()));
            }
            Self::Normal { mean_rad, sd_rad } => {
                return wrap_angle(mean_rad + sd_rad * normal_quantile(part_of_turn(any_rad())));
            }
        };
        let off = random_at_m.map_or(way, |place| place - position);
        if off.length() < LOST_M { any_rad() } else { angle_of(way) }
    }
}

/// The fraction from 0 to below 1 of a turn from -π at which a heading is.
fn part_of_turn(heading_rad: f64) -> f64 {
    let part = heading_rad / TAU + 0.5;
    part - part.floor()
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

/// Numbers of agents and objects by group that found no free place, although their spawner avoids overlaps.
///
/// Snapshots contain them, but no result depends on them and they are not part of the hash.
#[derive(Clone, Debug, Default)]
pub struct WithoutRoom(Vec<Lack>);

/// A lack of room.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lack {
    /// Whether it is one of objects.
    pub of_objects: bool,
    /// Index of the group of agents or objects in the scene.
    pub group: usize,
    /// Number of agents or objects without room.
    pub count: u32,
    /// Whether they were left out; otherwise they overlap something.
    pub left_out: bool,
}

impl Record for WithoutRoom {
    fn heap_bytes(&self) -> usize {
        size_of_val(&self.0[..])
    }
}

impl WithoutRoom {
    /// Adds agents or objects of a group.
    pub fn add(&mut self, lack: Lack) {
        let key = |lack: &Lack| (lack.of_objects, lack.group, lack.left_out);
        match self.0.binary_search_by_key(&key(&lack), key) {
            Ok(place) => self.0[place].count += lack.count,
            Err(place) => self.0.insert(place, lack),
        }
    }

    /// All of them: those of agents first, by group.
    pub fn iter(&self) -> impl Iterator<Item = Lack> {
        self.0.iter().copied().filter(|lack| lack.count > 0)
    }
}

/// A spawner while it places agents.
pub struct Placing<'w> {
    /// The centre of its places (m).
    pub center_m: DVec2,
    /// The area of its places; `None` for single places.
    pub area: Option<Area>,
    /// The place of the agent with a number.
    pub place: Box<dyn FnMut(u32, &mut Stream) -> Place + 'w>,
}

impl<'w> Placing<'w> {
    fn new(spawner: &'w impl Spawner) -> Self {
        Self { center_m: spawner.center_m(), area: spawner.area(), place: Box::new(spawner.placer()) }
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
    /// As [`Spawner::fit`].
    pub fit: fn(&mut dyn Reflect, u32) -> Result<(), String>,
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
            fit: |spawner, count| spawner.downcast_mut::<K>().map_or(Ok(()), |spawner| spawner.fit(count)),
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

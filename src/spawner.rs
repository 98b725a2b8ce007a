//! Spawners: where new agents stand.

use std::collections::HashMap;
use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;

use crate::agent::Pose;
use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::kind::{KindType, Kinds, Limits, SpawnerFamily};
use crate::math::{angle_of, direction};
use crate::object;
use crate::random::{Seed, Stream};
use crate::scene::description::{Body, MAX_LENGTH_M};
use crate::scene::spawn;
use crate::space::{Border, Field, Solids};
use crate::step::{CurrentSpace, Step};

pub mod point;
pub mod uniform_box;
pub mod uniform_disc;

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Pending>().init_resource::<Placers>();
    app.add_spawner::<point::Point>()
        .add_spawner::<uniform_box::UniformBox>()
        .add_spawner::<uniform_disc::UniformDisc>();
    app.add_systems(crate::step::SimStep, act.in_set(Step::Spawners).run_if(any_with_component::<Pending>));
}

/// A spawner. One file: parameters, [`place`](Spawner::place), tests.
pub trait Spawner: KindType {
    /// The pose of a new agent, drawn from the spawner's random stream.
    fn place(&self, random: &mut Stream) -> Pose;

    /// Whether agents are moved aside until they overlap no other.
    fn avoids_overlap(&self) -> bool;
}

/// Where new agents look.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum Facing {
    /// Anywhere.
    #[default]
    Random,
    /// Towards the middle of the spawner.
    Towards,
    /// Away from the middle of the spawner.
    Away,
    /// One way.
    Heading {
        /// Heading, anticlockwise from x.
        rad: f64,
    },
    /// Towards a point.
    Point {
        /// The point.
        #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
        at_m: DVec2,
    },
}

impl Facing {
    /// The heading of an agent at a position, of a spawner around `middle`.
    ///
    /// One number is always drawn, so that another facing moves no agent elsewhere.
    pub fn heading_rad(self, position: DVec2, middle: DVec2, random: &mut Stream) -> f64 {
        let any = random.between(-TAU / 2.0, TAU / 2.0);
        let towards = |point: DVec2| if point == position { any } else { angle_of(point - position) };
        match self {
            Self::Random => any,
            Self::Towards => towards(middle),
            Self::Away => towards(2.0 * position - middle),
            Self::Heading { rad } => rad,
            Self::Point { at_m } => towards(at_m),
        }
    }
}

/// The agents that a spawner has yet to make.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pending {
    /// Place of the group in the scene.
    pub group: u32,
    /// How many agents are to come.
    pub count: u32,
}

/// Places one agent, when the entity is a spawner of the kind.
type Place = fn(EntityRef, &mut Stream) -> Option<(Pose, bool)>;

/// How the kinds place agents, in the order of registration.
#[derive(Resource, Clone, Default)]
struct Placers(Vec<Place>);

/// Makes spawners known.
pub trait AddSpawner {
    /// Adds a spawner and its name in scenes.
    fn add_spawner<K: Spawner>(&mut self) -> &mut Self;
}

impl AddSpawner for App {
    fn add_spawner<K: Spawner>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<SpawnerFamily, K>();
        world
            .get_resource_or_init::<Placers>()
            .0
            .push(|entity, random| entity.get::<K>().map(|spawner| (spawner.place(random), spawner.avoids_overlap())));
        self.register_state::<K>()
    }
}

/// Lets every spawner act, by stable id; spent ones are removed.
pub(crate) fn act(world: &mut World) {
    let mut spawners = world.query::<(Entity, &StableId, &Pending)>();
    let mut spawners: Vec<_> = spawners.iter(world).map(|(entity, id, pending)| (*id, entity, *pending)).collect();
    spawners.sort_by_key(|(id, ..)| *id);
    let mut taken = Taken::of(world);
    let wraps = taken.field.border == Border::Wrapping;
    for (id, spawner, Pending { group, count }) in spawners {
        let mut random = world.resource::<Seed>().stream(id, "spawn");
        let radius_m = spawn::body_of_group(world, group).radius_m();
        let mut poses = Vec::new();
        let mut overflow = None;
        for _ in 0..count {
            let Some(pose) = free_pose(world, spawner, radius_m, &taken, &mut overflow, &mut random) else { break };
            let position_m = if wraps { taken.field.wrap(pose.position_m) } else { pose.position_m };
            taken.add(position_m, radius_m);
            poses.push(Pose { position_m, ..pose });
        }
        spawn::agents(world, group, poses.into_iter());
        world.entity_mut(spawner).despawn();
    }
    crate::step::caches::rebuild(world);
}

/// Draws again this often before it takes the next free place of the overflow.
const DRAWS: usize = 100;
/// Tries this many places of the overflow, lest it search an obstacle of a thousand kilometres.
const TURNS: f64 = 1e7;

fn free_pose(
    world: &World,
    spawner: Entity,
    radius_m: f64,
    taken: &Taken,
    overflow: &mut Option<Overflow>,
    random: &mut Stream,
) -> Option<Pose> {
    let placers = &world.resource::<Placers>().0;
    let mut draw = || placers.iter().find_map(|place| place(world.entity(spawner), random));
    let (mut pose, avoids_overlap) = draw()?;
    if !avoids_overlap {
        return Some(pose);
    }
    for _ in 1..DRAWS {
        if taken.is_free(pose.position_m, radius_m) {
            return Some(pose);
        }
        (pose, _) = draw()?;
    }
    let overflow = overflow.get_or_insert(Overflow { center_m: pose.position_m, turn: 0.0 });
    // Where there is no room at all, collisions have to make some.
    Some(Pose { position_m: overflow.next_free(radius_m, taken).unwrap_or(pose.position_m), ..pose })
}

/// Where agents go that found no room: on a sunflower spiral, which meets every place around its middle (Vogel 1979).
struct Overflow {
    center_m: DVec2,
    turn: f64,
}

impl Overflow {
    /// The next free place outwards; inside the spiral there is none left. `None` when there is none within reach.
    fn next_free(&mut self, radius_m: f64, taken: &Taken) -> Option<DVec2> {
        // As wide as the largest body, so that a small one does not crawl out from under it.
        let spacing_m = radius_m.max(taken.largest_m);
        loop {
            let distance_m = spacing_m * self.turn.sqrt();
            if distance_m > taken.end_m || self.turn > TURNS {
                return None;
            }
            self.turn += 1.0;
            let place = self.center_m + distance_m * direction(self.turn * 2.399_963_229_728_653);
            if taken.is_free(place, radius_m) {
                return Some(place);
            }
        }
    }
}

/// What agents, obstacles and walls already take, in cells for quick answers.
struct Taken {
    field: Field,
    solids: Solids,
    cell_m: f64,
    discs: HashMap<(i64, i64), Vec<(DVec2, f64)>>,
    largest_m: f64,
    /// How far from any point of the arena its end is; there is none in an open one.
    end_m: f64,
}

impl Taken {
    fn of(world: &mut World) -> Self {
        let mut bodies = world.query::<(&Pose, &Body)>();
        let bodies: Vec<_> = bodies.iter(world).map(|(pose, body)| (pose.position_m, body.radius_m())).collect();
        let field = world.resource::<CurrentSpace>().arena;
        let mut taken = Self {
            field,
            solids: object::solids(world),
            cell_m: spawn::largest_radius_m(world) * 2.0,
            discs: HashMap::new(),
            largest_m: 0.0,
            end_m: if field.border == Border::Open { f64::INFINITY } else { field.size.length() },
        };
        bodies.into_iter().for_each(|(position, radius_m)| taken.add(position, radius_m));
        taken
    }

    fn cell(&self, position: DVec2) -> (i64, i64) {
        let cell = (position / self.cell_m).floor();
        (cell.x as i64, cell.y as i64)
    }

    fn add(&mut self, position: DVec2, radius_m: f64) {
        self.largest_m = self.largest_m.max(radius_m);
        self.discs.entry(self.cell(position)).or_default().push((position, radius_m));
    }

    fn is_free(&self, position: DVec2, radius_m: f64) -> bool {
        let stays = match self.field.border {
            Border::Walled => self.field.confine(position, radius_m) == position,
            Border::Open | Border::Wrapping => true,
        };
        stays
            && !self.solids.overlap(&self.field, position, radius_m)
            && self.images(position, radius_m).all(|image| self.is_free_of_agents(image, radius_m))
    }

    /// The place itself, and where a wrapping arena shows it again.
    fn images(&self, position: DVec2, radius_m: f64) -> impl Iterator<Item = DVec2> {
        let size = self.field.size;
        let near = radius_m + self.largest_m;
        let wraps = self.field.border == Border::Wrapping;
        let shifts = move |at: f64, size: f64| {
            let [low, high] = [wraps && at < near, wraps && at > size - near];
            [Some(0.0), low.then_some(size), high.then_some(-size)].into_iter().flatten()
        };
        let position = if wraps { self.field.wrap(position) } else { position };
        shifts(position.x, size.x)
            .flat_map(move |x| shifts(position.y, size.y).map(move |y| position + DVec2::new(x, y)))
    }

    fn is_free_of_agents(&self, position: DVec2, radius_m: f64) -> bool {
        let reach = DVec2::splat(radius_m + self.largest_m);
        let ((left, low), (right, high)) = (self.cell(position - reach), self.cell(position + reach));
        (low..=high).flat_map(|y| (left..=right).map(move |x| (x, y))).all(|cell| {
            self.discs.get(&cell).is_none_or(|discs| {
                discs.iter().all(|(other, other_m)| position.distance(*other) >= radius_m + other_m)
            })
        })
    }
}

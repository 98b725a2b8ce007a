//! Lets spawners act: finds room for new agents.

use std::f64::consts::TAU;
use std::ops::Range;

use bevy::math::DVec2;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_space::{Boundary, Field, Solids};

use super::caches;
use crate::agent::Pose;
use crate::agent::body::Body;
use crate::kind::Slot;
use crate::random::{Chain, Seed, SeedChain, Stream};
use crate::scene::{Scene, current};
use crate::spawner::{Pending, Place, Placing, SpawnerFamily, SpawnerKinds, Spawning};
use crate::step::CurrentSpace;
use crate::time::SimTime;
use crate::{object, population};

mod classic;

use classic::Crowd;

/// The spawner of a group with all open parameters settled; the result is always the same for a scene.
pub(crate) fn settled(world: &World, scene: &Scene, group: usize) -> Option<Slot<SpawnerFamily>> {
    let mut spawner = scene.groups.get(group)?.spawn.clone();
    let mut random = Seed(scene.seed).stream(StableId::spawner(group as u32), "settle");
    let forms = &world.resource::<SpawnerKinds>().0;
    forms.iter().for_each(|form| (form.settle)(spawner.value_mut(), &scene.arena, &mut random));
    Some(spawner)
}

/// The centre (m) of the spawner of a group; `None` when it has none, or when the group lists its poses.
pub(crate) fn center_m(world: &World, scene: &Scene, group: usize) -> Option<DVec2> {
    scene.groups.get(group).filter(|group| group.at.is_empty())?;
    let spawner = settled(world, scene, group)?;
    let center = spawner.value().reflect_ref().as_struct().ok()?.field("center_m")?;
    let optional = || center.try_downcast_ref::<Option<DVec2>>().copied().flatten();
    center.try_downcast_ref::<DVec2>().copied().or_else(optional)
}

/// Lets all spawners that are due act, by stable id, and removes those that are spent.
pub(crate) fn act(world: &mut World) {
    act_of(world, None);
}

/// As [`act`], for the spawner of one group alone if one is named.
pub(crate) fn act_of(world: &mut World, group: Option<u32>) {
    let step = world.resource::<SimTime>().step;
    let mut spawners = world.query::<(Entity, &StableId, &Pending, Option<&Spawning>)>();
    let mut spawners: Vec<_> = spawners
        .iter(world)
        .map(|(entity, id, pending, spawning)| (*id, entity, *pending, spawning.cloned().unwrap_or_default()))
        .filter(|(_, _, pending, _)| group.is_none_or(|group| pending.group == group))
        .filter(|(.., pending, spawning)| spawning.is_past(step) || spawning.due(step, pending.count) > 0)
        .collect();
    if spawners.is_empty() {
        return;
    }
    spawners.sort_by_key(|(id, ..)| *id);
    let is_classic = world.contains_resource::<SeedChain>();
    let mut crowd = is_classic.then(|| Crowd::of(world));
    let is_asked = spawners.iter().any(|(.., spawning)| spawning.avoid_overlap);
    let mut taken = (!is_classic).then(|| Taken::of(world, is_asked));
    for (id, spawner, pending, spawning) in spawners {
        let due = spawning.due(step, pending.count);
        let random = world.resource::<Seed>().stream(id, "spawn").at_step(step);
        let group = current::group(world, pending.group);
        let radius_m = group.body.radius_m();
        let numbers = pending.made..pending.made + due;
        let mut chain = world.get::<Chain>(spawner).copied();
        let poses = {
            let forms = &world.resource::<SpawnerKinds>().0;
            let of = world.entity(spawner);
            let Some(mut placing) = forms.iter().find_map(|form| (form.placing)(of)) else { continue };
            match (&mut chain, &mut crowd, &mut taken) {
                (Some(chain), Some(crowd), _) => chain.draw(|random| {
                    let join = |number| crowd.join(&mut placing, &spawning, (number, &group), random);
                    numbers.map(join).collect()
                }),
                (_, _, Some(taken)) => poses(placing, &spawning, (numbers, radius_m), random, taken),
                _ => continue,
            }
        };
        population::agents(world, pending.group, poses.into_iter());
        let left = Pending { count: pending.count - due, made: pending.made + due, ..pending };
        if left.count == 0 || spawning.is_past(step + 1) {
            world.entity_mut(spawner).despawn();
        } else {
            world.entity_mut(spawner).insert(left);
            if let Some(chain) = chain {
                world.entity_mut(spawner).insert(chain);
            }
        }
    }
    caches::rebuild(world);
}

/// The poses of the agents with these numbers and this radius, which take their places.
fn poses(
    mut placing: Placing,
    spawning: &Spawning,
    (numbers, radius_m): (Range<u32>, f64),
    mut random: Stream,
    taken: &mut Taken,
) -> Vec<Pose> {
    let mut overflow = None;
    let pose = |number: u32| {
        let (place, any_rad) = if spawning.avoid_overlap {
            placing.free_place(number, radius_m, taken, &mut overflow, &mut random)
        } else {
            placing.draw(number, &mut random)
        };
        let heading = || spawning.facing.heading_rad(place.position_m, placing.center_m, || any_rad);
        let heading_rad = place.heading_rad.unwrap_or_else(heading);
        let position_m = match taken.field.boundary {
            Boundary::Periodic => taken.field.wrap(place.position_m),
            Boundary::Open | Boundary::Walls => place.position_m,
        };
        taken.add(position_m, radius_m);
        Pose { position_m, heading_rad }
    };
    numbers.map(pose).collect()
}

/// Draws again this often before it takes the next free place of the overflow.
const DRAWS: usize = 100;
/// Tries this many places of the overflow, lest it search an obstacle of a thousand kilometres.
const TURNS: f64 = 1e7;

impl Placing<'_> {
    /// A place, and a heading for agents that look anywhere.
    ///
    /// It is always drawn, so that another facing moves no agent elsewhere.
    fn draw(&mut self, number: u32, random: &mut Stream) -> (Place, f64) {
        ((self.place)(number, random), random.between(-TAU / 2.0, TAU / 2.0))
    }

    /// As [`draw`](Self::draw), where there is room.
    fn free_place(
        &mut self,
        number: u32,
        radius_m: f64,
        taken: &Taken,
        overflow: &mut Option<Overflow>,
        random: &mut Stream,
    ) -> (Place, f64) {
        let (mut place, mut any_rad) = self.draw(number, random);
        let first_m = place.position_m;
        for _ in 1..DRAWS {
            if taken.is_free(place.position_m, radius_m) {
                return (place, any_rad);
            }
            (place, any_rad) = self.draw(number, random);
        }
        // Who always says the same place means this one, and not where others found no room.
        if place.position_m == first_m {
            overflow.take_if(|overflow| overflow.center_m != first_m);
        }
        let overflow = overflow.get_or_insert(Overflow { center_m: place.position_m, turn: 0.0 });
        // Where there is no room at all, collisions have to make some.
        let position_m = overflow.next_free(radius_m, taken).unwrap_or(place.position_m);
        (Place { position_m, ..place }, any_rad)
    }
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
    /// Whether anybody wants to know; else nothing is kept.
    is_asked: bool,
}

impl Taken {
    fn of(world: &mut World, is_asked: bool) -> Self {
        let mut bodies = world.query::<(&Pose, &Body)>();
        let bodies: Vec<_> = bodies.iter(world).map(|(pose, body)| (pose.position_m, body.radius_m())).collect();
        let field = world.resource::<CurrentSpace>().arena;
        let (_, mut solids) = object::survey(world);
        solids.sort();
        let mut taken = Self {
            field,
            solids,
            cell_m: current::largest_radius_m(world) * 2.0,
            discs: HashMap::default(),
            largest_m: 0.0,
            end_m: if field.boundary == Boundary::Open { f64::INFINITY } else { field.size.length() },
            is_asked,
        };
        bodies.into_iter().for_each(|(position, radius_m)| taken.add(position, radius_m));
        taken
    }

    fn cell(&self, position: DVec2) -> (i64, i64) {
        let cell = (position / self.cell_m).floor();
        (cell.x as i64, cell.y as i64)
    }

    fn add(&mut self, position: DVec2, radius_m: f64) {
        if !self.is_asked {
            return;
        }
        self.largest_m = self.largest_m.max(radius_m);
        self.discs.entry(self.cell(position)).or_default().push((position, radius_m));
    }

    fn is_free(&self, position: DVec2, radius_m: f64) -> bool {
        let stays = match self.field.boundary {
            Boundary::Walls => self.field.confine(position, radius_m) == position,
            Boundary::Open | Boundary::Periodic => true,
        };
        stays
            && self.images(position, radius_m).all(|image| self.is_free_of_agents(image, radius_m))
            && !self.solids.overlap(&self.field, position, radius_m)
    }

    /// The place itself, and where a periodic arena shows it again.
    fn images(&self, position: DVec2, radius_m: f64) -> impl Iterator<Item = DVec2> {
        let size = self.field.size;
        let near = radius_m + self.largest_m;
        let wraps = self.field.boundary == Boundary::Periodic;
        let shifts = move |at: f64, size: f64| {
            let [low, high] = [wraps && at < near, wraps && at > size - near];
            [Some(0.0), low.then_some(size), high.then_some(-size)].into_iter().flatten()
        };
        let position = if wraps { self.field.wrap(position) } else { position };
        let inside = position - self.field.low;
        shifts(inside.x, size.x).flat_map(move |x| shifts(inside.y, size.y).map(move |y| position + DVec2::new(x, y)))
    }

    fn is_free_of_agents(&self, position: DVec2, radius_m: f64) -> bool {
        let is_free = |cell: (i64, i64)| {
            self.discs.get(&cell).is_none_or(|discs| {
                discs.iter().all(|(other, other_m)| position.distance(*other) >= radius_m + other_m)
            })
        };
        // In a full arena, the agents in the cell of the place itself mostly suffice to reject it.
        let own = self.cell(position);
        if !is_free(own) {
            return false;
        }
        let reach = DVec2::splat(radius_m + self.largest_m);
        let ((left, low), (right, high)) = (self.cell(position - reach), self.cell(position + reach));
        (low..=high).flat_map(|y| (left..=right).map(move |x| (x, y))).all(|cell| cell == own || is_free(cell))
    }
}

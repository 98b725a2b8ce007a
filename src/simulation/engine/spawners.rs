//! Runs spawners and finds free places for new agents.

use std::ops::Range;

use bevy::math::DVec2;
use bevy::platform::collections::HashMap;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::groups::Groups;
use swarmarium_core::events::EventKind;
use swarmarium_core::kind::Slot;
use swarmarium_core::object;
use swarmarium_core::random::{Chain, Seed, Stream};
use swarmarium_core::spawner::area::Area;
use swarmarium_core::spawner::{IfFull, Lack, Pending, Place, Placing, SpawnerFamily, SpawnerKinds, Spawning};
use swarmarium_core::step::HasArena as _;
use swarmarium_core::text::wording;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::{Scene, current};
use swarmarium_space::arena::Arena;
use swarmarium_space::{Boundary, Field, Solids};

use super::caches;

use crate::population;

mod classic;
mod objects;
mod room;

use classic::Crowd;
pub(crate) use objects::place as place_objects;
use room::{Request, Room};

/// The spawner of a group with all open parameters resolved; always the same result for a scene.
pub(crate) fn settled(world: &World, scene: &Scene, group: usize) -> Option<Slot<SpawnerFamily>> {
    let mut spawner = scene.groups.get(group)?.spawn.clone();
    let mut random = Seed(scene.seed).stream(StableId::spawner(group as u32), "settle");
    if let Some(kind) = world.resource::<SpawnerKinds>().of_value(spawner.value()) {
        (kind.settle)(spawner.value_mut(), &scene.arena, &mut random);
        // The scene was checked with this number.
        _ = (kind.fit)(spawner.value_mut(), scene.groups[group].spawned());
    }
    Some(spawner)
}

/// Centre (m) of the spawner of a group; `None` for groups without a spawner or with listed poses.
pub(crate) fn center_m(world: &World, scene: &Scene, group: usize) -> Option<DVec2> {
    scene.groups.get(group).filter(|group| group.at.is_empty())?;
    let spawner = settled(world, scene, group)?;
    let center = spawner.value().reflect_ref().as_struct().ok()?.field("center_m")?;
    let optional = || center.try_downcast_ref::<Option<DVec2>>().copied().flatten();
    center.try_downcast_ref::<DVec2>().copied().or_else(optional)
}

/// The groups with spawners that are not exhausted, in the order of the scene.
pub(super) fn groups(world: &World) -> Vec<String> {
    let pending = world.archetypes().iter().flat_map(|archetype| archetype.entities());
    let mut groups: Vec<u32> = pending.filter_map(|entity| Some(world.get::<Pending>(entity.id())?.group)).collect();
    groups.sort_unstable();
    let names = &world.resource::<Groups>().0;
    groups.iter().filter_map(|group| names.get(*group as usize).cloned()).collect()
}

/// Runs all spawners that are due, by stable id, and removes exhausted ones.
pub(crate) fn act(world: &mut World) {
    act_of(world, None);
}

/// What spawners have done.
#[derive(Debug, Default)]
pub(crate) struct Acted {
    /// Whether a spawner was due, so that the caches are those of the new population.
    pub was_due: bool,
    /// The groups with too little room that must not be left with fewer agents.
    pub problems: Vec<Problem>,
}

/// As [`act`], but only for the spawner of one group if a group is given: one that an edit adds before the next step.
pub(crate) fn act_of(world: &mut World, group: Option<u32>) -> Acted {
    let step = world.arena().time.step;
    let step_of_event = step + u64::from(group.is_some());
    let mut spawners = world.query::<(Entity, &StableId, &Pending, Option<&Spawning>)>();
    let mut spawners: Vec<_> = spawners
        .iter(world)
        .map(|(entity, id, pending, spawning)| (*id, entity, *pending, spawning.cloned().unwrap_or_default()))
        .filter(|(_, _, pending, _)| group.is_none_or(|group| pending.group == group))
        .filter(|(.., pending, spawning)| spawning.is_past(step) || spawning.due(step, pending.count) > 0)
        .collect();
    if spawners.is_empty() {
        return Acted::default();
    }
    spawners.sort_by_key(|(id, ..)| *id);
    let is_classic = world.arena().seed_chain.is_some();
    let mut crowd = is_classic.then(|| Crowd::of(world));
    let is_asked = spawners.iter().any(|(.., spawning)| spawning.avoid_overlap);
    let mut taken = (!is_classic).then(|| Taken::of(world, is_asked));
    let mut problems = Vec::new();
    for (id, spawner, pending, spawning) in spawners {
        let due = spawning.due(step, pending.count);
        let random = world.arena().seed.stream(id, "spawn").at_step(step);
        let group = current::group(world, pending.group);
        let radius_m = group.body.radius_m();
        let numbers = pending.made..pending.made + due;
        let mut chain = world.get::<Chain>(spawner).copied();
        let mut has_no_room = Vec::new();
        let poses: Vec<Pose> = {
            let kind = world.resource::<SpawnerKinds>().of_entity(world.entity(spawner));
            let Some(mut placing) = kind.and_then(|(kind, value)| (kind.placing)(value)) else { continue };
            let area = placing.area.clone();
            match (&mut chain, &mut crowd, taken.take()) {
                (Some(chain), Some(crowd), _) => chain.draw(|random| {
                    let mut join = |number| crowd.join(&mut placing, &spawning, (number, &group), random);
                    let places: Vec<_> = numbers.map(&mut join).collect();
                    has_no_room.extend(places.iter().map(|(_, is_free)| !is_free));
                    places.into_iter().map(|(pose, _)| pose).collect()
                }),
                (_, _, Some(mut free)) => {
                    let if_full = if spawning.avoid_overlap { spawning.if_full } else { IfFull::Overlap };
                    let poses = if matches!(if_full, IfFull::Default | IfFull::Overlap) {
                        poses(placing, &spawning, (numbers, radius_m), random, (&mut free, &mut has_no_room))
                    } else {
                        let poses;
                        (poses, free) = free_poses(placing, &spawning, (numbers, radius_m), random, free);
                        if (poses.len() as u32) < due && if_full != IfFull::Fewer {
                            let arena = &world.resource::<Description>().scene().arena;
                            let fit = (poses.len() as u32, due);
                            let area_m2 = size_m2(area.as_ref(), arena);
                            let message = lack_message(if_full, fit, ("robots", &group.name), area_m2);
                            let path = format!("groups[{}].spawn", pending.group);
                            problems.push(Problem::of_field(path, message));
                        }
                        poses
                    };
                    taken = Some(free);
                    poses
                }
                _ => continue,
            }
        };
        let left_out = due - poses.len() as u32;
        let made = population::agents(world, pending.group, poses.into_iter());
        if let Some(crowd) = &mut crowd {
            crowd.assign(&made);
        }
        let first = made.first().and_then(|agent| world.get::<StableId>(*agent)).copied();
        report_left_out(world, step_of_event, pending.group, (left_out, first));
        let has_no_room: Vec<Entity> =
            made.into_iter().zip(has_no_room).filter_map(|(agent, is)| is.then_some(agent)).collect();
        report_without_room(world, step_of_event, pending.group, &has_no_room);
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
    if let Some(crowd) = crowd {
        crowd.finish(world);
    }
    caches::rebuild(world);
    Acted { was_due: true, problems }
}

/// Records the agents of a group that found no room, and logs them as one event of the first of them.
fn report_without_room(world: &mut World, step: u64, group: u32, agents: &[Entity]) {
    let Some(who) = agents.first().and_then(|agent| world.get::<StableId>(*agent)).copied() else { return };
    let lack = Lack { of_objects: false, group: group as usize, count: agents.len() as u32, left_out: false };
    world.arena_mut().without_room.add(lack);
    let text = match agents.len() - 1 {
        0 => "Found no room and overlaps something".into(),
        others => format!("Found no room, with {others} more of its group, and overlaps something"),
    };
    world.arena_mut().events.push(step, who, EventKind::NoRoom, text);
}

/// Records the number of agents of a group that were left out, and logs it as an event of the first that found room, if
/// there is one.
fn report_left_out(world: &mut World, step: u64, group: u32, (count, who): (u32, Option<StableId>)) {
    if count == 0 {
        return;
    }
    world.arena_mut().without_room.add(Lack { of_objects: false, group: group as usize, count, left_out: true });
    if let Some(who) = who {
        let text = format!("No room for {} of its group", wording::count(count as usize, "more robot"));
        world.arena_mut().events.push(step, who, EventKind::NoRoom, text);
    }
}

/// The size of the area of a spawner (m²): that of the arena if it has no other.
fn size_m2(area: Option<&Area>, arena: &Arena) -> f64 {
    area.and_then(Area::size_m2).unwrap_or_else(|| arena.size_m.element_product())
}

/// The message about a group that has no room for all of its agents or objects.
fn lack_message(if_full: IfFull, (fit, count): (u32, u32), (what, name): (&str, &str), area_m2: f64) -> String {
    let area_m2 = (area_m2 * 1000.0).round() / 1000.0;
    let how = if if_full == IfFull::Pack { ", even packed on a lattice" } else { "" };
    let or = if if_full == IfFull::Pack { "`Fewer`" } else { "`Pack` or `Fewer`" };
    let find = if fit == 1 { "finds" } else { "find" };
    format!(
        "only {fit} of {count} {what} of `{name}` {find} room in {area_m2} m²{how}: use fewer or smaller ones, a larger \
         area, or `if_full` with {or}"
    )
}

/// Free poses for the agents with these numbers and this radius, and what is taken then. There are fewer poses than
/// numbers if there is no room for all.
fn free_poses(
    mut placing: Placing,
    spawning: &Spawning,
    (numbers, radius_m): (Range<u32>, f64),
    mut random: Stream,
    taken: Taken,
) -> (Vec<Pose>, Taken) {
    let field = taken.field;
    let mut room = AgentRoom { taken, radius_m, gap_m: spawning.gap_m };
    let request = Request { placing: &mut placing, spawning, field, numbers, rim_m: radius_m, random: &mut random };
    let placed = request.place(&mut room, spawning.if_full);
    (placed.poses, room.taken)
}

/// The room for the agents of one group.
#[derive(Clone)]
struct AgentRoom {
    taken: Taken,
    radius_m: f64,
    gap_m: f64,
}

impl Room for AgentRoom {
    fn is_free(&self, pose: &Pose) -> bool {
        self.taken.is_free(pose.position_m, self.radius_m + self.gap_m)
    }

    fn take(&mut self, pose: &Pose) {
        self.taken.add(pose.position_m, self.radius_m);
    }
}

/// Poses for the agents with these numbers and this radius; the poses are marked as taken. Adds to `has_no_room` whether
/// each agent found no free place, if it needs one.
fn poses(
    mut placing: Placing,
    spawning: &Spawning,
    (numbers, radius_m): (Range<u32>, f64),
    mut random: Stream,
    (taken, has_no_room): (&mut Taken, &mut Vec<bool>),
) -> Vec<Pose> {
    let mut overflow = None;
    let pose = |number: u32| {
        let (place, any_rad) = if spawning.avoid_overlap {
            let rim_m = radius_m + spawning.gap_m;
            let (place, any_rad, is_free) = free_place(&mut placing, number, rim_m, taken, &mut overflow, &mut random);
            has_no_room.push(!is_free);
            (place, any_rad)
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

/// Number of draws before the next free place of the overflow spiral is used.
const DRAWS: usize = 100;
/// Number of places on the overflow spiral to try, to bound the search in very large obstacles.
const TURNS: f64 = 1e7;

/// As [`Placing::draw`], at a free place; returns also whether there is one.
fn free_place(
    placing: &mut Placing,
    number: u32,
    radius_m: f64,
    taken: &Taken,
    overflow: &mut Option<Overflow>,
    random: &mut Stream,
) -> (Place, f64, bool) {
    let (mut place, mut any_rad) = placing.draw(number, random);
    let first_m = place.position_m;
    for _ in 1..DRAWS {
        if taken.is_free(place.position_m, radius_m) {
            return (place, any_rad, true);
        }
        (place, any_rad) = placing.draw(number, random);
    }
    // A constant place is meant as the centre of the spiral; the spiral of other agents is not continued.
    if place.position_m == first_m {
        overflow.take_if(|overflow| overflow.center_m != first_m);
    }
    let overflow = overflow.get_or_insert(Overflow { center_m: place.position_m, turn: 0.0 });
    // Without any free place, collisions separate the agents.
    let free_m = overflow.next_free(radius_m, taken);
    let position_m = free_m.unwrap_or(place.position_m);
    (Place { position_m, ..place }, any_rad, free_m.is_some())
}

/// Places for agents that found no free place: a sunflower spiral, which covers the plane around its centre (Vogel
/// 1979).
struct Overflow {
    center_m: DVec2,
    turn: f64,
}

impl Overflow {
    /// The next free place outwards; there is none left inside the spiral. `None` when there is none within reach.
    fn next_free(&mut self, radius_m: f64, taken: &Taken) -> Option<DVec2> {
        // Spacing of the largest body, so that a small one is not placed under it.
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

/// Space taken by agents, obstacles and walls, in a grid of cells.
#[derive(Clone)]
struct Taken {
    field: Field,
    solids: Solids,
    cell_m: f64,
    discs: HashMap<(i64, i64), Vec<(DVec2, f64)>>,
    largest_m: f64,
    /// Distance from any point of the arena to beyond its edge; infinite for an open arena.
    end_m: f64,
    /// Whether free places are needed; otherwise nothing is stored.
    is_asked: bool,
}

impl Taken {
    fn of(world: &mut World, is_asked: bool) -> Self {
        let mut bodies = world.query::<(&Pose, &Body)>();
        let bodies: Vec<_> = bodies.iter(world).map(|(pose, body)| (pose.position_m, body.radius_m())).collect();
        let field = world.arena().space.arena;
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

    /// A position and its images across a periodic boundary.
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
        // In a crowded arena, the agents in the cell of the place mostly suffice to reject it.
        let own = self.cell(position);
        if !is_free(own) {
            return false;
        }
        let reach = DVec2::splat(radius_m + self.largest_m);
        let ((left, low), (right, high)) = (self.cell(position - reach), self.cell(position + reach));
        (low..=high).flat_map(|y| (left..=right).map(move |x| (x, y))).all(|cell| cell == own || is_free(cell))
    }
}

//! Edits of the population: agents, objects, groups and other parts that are added or removed.
//!
//! They are applied at once, so that later edits can refer to the result; a reset keeps them.

use std::collections::BTreeSet;

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::{Problem, Problems, did_you_mean};
use swarmarium_core::agent::Member;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::gone::Gone;
use swarmarium_core::sensor::{self, Sensors};
use swarmarium_core::spawner::point::Point;
use swarmarium_core::spawner::table::Table;
use swarmarium_core::step::{HasArena as _, find_agent};
use swarmarium_core::text::wording;
use swarmarium_scene::check;
use swarmarium_scene::scene::current::{self, Description};
use swarmarium_scene::scene::description::{Group, InitialReadings, ObjectGroup};
use swarmarium_scene::scene::{Scene, constants, controls, path, reader};

use super::queue::{in_next_step, note, note_hash};
use super::{Edit, check_pose, live, parts};
use crate::engine::{caches, objects, sequential, spawn, spawners, trail};
use crate::population::{self, PoseOwners};

/// The subject of an edit of the population.
enum Subject {
    /// A new agent of a group, by the index of the group, and the index of its pose among the written ones.
    AddAgent { group: usize, place: usize, pose: Placement },
    /// A new group, by its index.
    AddGroup(usize),
    /// A new object, by its index.
    AddObject(usize),
    /// A new object group, whose objects the next start places.
    AddObjectGroup,
    /// An agent to remove, and the index of its pose among the written ones.
    RemoveAgent { agent: Entity, member: Member, place: Option<usize> },
    /// An object to remove, by its index.
    RemoveObject(usize),
    /// A part of the description that was added, such as a metric.
    AddPart,
    /// A part of the description to remove, by its path.
    RemovePart(String),
}

/// The combined effect of several edits of the population, in order.
struct Plan {
    /// The scene after them.
    after: Scene,
    /// The subject of each edit, or the reason why it is not valid; an invalid edit leaves the others as they are.
    subjects: Vec<Result<Subject, Problem>>,
}

impl Plan {
    /// Plans edits that go together: either all of them add agents, or all of them remove something.
    ///
    /// # Errors
    /// If the scene after all of them is not valid; the scene after some of them may be.
    fn of(world: &World, edits: &[Edit]) -> Result<Self, Problem> {
        let kinds = world.resource::<Kinds>();
        let mut after = super::scene_ahead(world).clone();
        let mut known = PlannedChanges { placed: world.resource::<PoseOwners>().clone(), gone: BTreeSet::new() };
        let mut planned = |edit: &Edit| {
            if let Edit::Add { list, value } = edit {
                return add(kinds, &mut after, list, value);
            }
            let subject = known.subject(world, &after, edit)?;
            known.take_in(&after, &subject);
            match &subject {
                Subject::RemovePart(path) => parts::remove(kinds, &mut after, path)?,
                subject => change(kinds, &mut after, subject),
            }
            Ok(subject)
        };
        let subjects: Vec<_> = edits.iter().map(&mut planned).collect();
        if subjects.iter().any(|subject| matches!(subject, Ok(Subject::RemoveAgent { .. }))) {
            forget_faults(kinds, &mut after);
        }
        let misfit = subjects.iter().any(Result::is_ok).then(|| check::fit(world, &after).into_iter().next()).flatten();
        misfit.map_or(Ok(Self { after, subjects }), Err)
    }
}

/// The scene after an edit of the population.
///
/// # Errors
/// If the edit is not valid.
pub(super) fn scene_after(world: &World, edit: &Edit) -> Result<Scene, Problem> {
    let Plan { after, subjects } = Plan::of(world, std::slice::from_ref(edit))?;
    subjects.into_iter().try_for_each(|subject| subject.map(drop)).map(|()| after)
}

/// Checks several edits that go together, each after those before it.
pub(super) fn check_all(world: &World, edits: &[Edit]) -> Vec<Result<(), Problem>> {
    match Plan::of(world, edits) {
        Ok(plan) => plan.subjects.into_iter().map(|subject| subject.map(drop)).collect(),
        Err(_) => edits.iter().map(|edit| scene_after(world, edit).map(drop)).collect(),
    }
}

/// Adds an agent to the scene, or removes an agent or an object; groups, objects and other parts are added and other parts
/// removed where edits are planned, since that can fail.
fn change(kinds: &Kinds, scene: &mut Scene, subject: &Subject) {
    match subject {
        Subject::AddAgent { group, pose, .. } => {
            let group = &mut scene.groups[*group];
            let poses = if group.at.is_empty() { &mut group.also_at } else { &mut group.at };
            poses.push(*pose);
        }
        Subject::RemoveAgent { member, place, .. } => take_out(kinds, scene, member.group as usize, *place),
        Subject::RemoveObject(place) => {
            constants::release(kinds, scene, &format!("objects.{place}"));
            scene.objects[*place] = Slot::new(Gone {});
            controls::forget_gone(kinds, scene);
        }
        Subject::AddGroup(_)
        | Subject::AddObject(_)
        | Subject::AddObjectGroup
        | Subject::AddPart
        | Subject::RemovePart(_) => {}
    }
}

/// Adds a group, an object or another part to the description of a scene.
pub(super) fn describe(kinds: &Kinds, scene: &mut Scene, list: &str, value: &str) -> Result<(), Problem> {
    add(kinds, scene, list, value).map(drop)
}

/// Adds a group, an object or another part to a scene.
fn add(kinds: &Kinds, scene: &mut Scene, list: &str, value: &str) -> Result<Subject, Problem> {
    let first = |problems: Problems, place: usize| {
        let problem = problems.problems.into_iter().next().unwrap_or_else(|| Problem::of_file("nothing is written"));
        let path = match problem.path.strip_prefix("objects[0]").unwrap_or(&problem.path) {
            path if path.is_empty() || path.starts_with('.') => format!("{list}[{place}]{path}"),
            path => format!("{list}[{place}].{path}"),
        };
        Problem { place: None, path, ..problem }
    };
    match list {
        "groups" => {
            let place = scene.groups.len();
            let group: Group = reader::read(kinds, "", value).map_err(|problems| first(problems, place))?;
            let message = match scene.groups.iter().position(|known| known.name == group.name) {
                Some(known) => format!("the name `{}` is taken by groups[{known}]", wording::shown(&group.name)),
                None if group.name.is_empty() => "a group needs a name".into(),
                None => {
                    scene.groups.push(group);
                    return Ok(Subject::AddGroup(place));
                }
            };
            Err(Problem::of_field(format!("groups[{place}].name"), message))
        }
        "object_groups" => {
            let place = scene.object_groups.len();
            let group: ObjectGroup = reader::read(kinds, "", value).map_err(|problems| first(problems, place))?;
            scene.object_groups.push(group);
            Ok(Subject::AddObjectGroup)
        }
        "objects" => {
            let place = scene.objects.len();
            let text = format!("(objects: [{value}])");
            // Read as part of a scene, so that the name of the kind is accepted.
            let read: Scene = reader::read(kinds, "", &text).map_err(|problems| first(problems, place))?;
            match <[Slot<ObjectFamily>; 1]>::try_from(read.objects) {
                Ok([object]) if !super::is_gone(&object) => scene.objects.push(object),
                _ => return Err(Problem::of_file("name one object, such as Disc(center_m: (1, 2), radius_m: 0.3)")),
            }
            Ok(Subject::AddObject(place))
        }
        _ => parts::add(kinds, scene, list, value).map(|()| Subject::AddPart),
    }
}

/// The changes of edits that are planned and not yet applied.
struct PlannedChanges {
    placed: PoseOwners,
    /// The agents that are removed with them.
    gone: BTreeSet<Entity>,
}

impl PlannedChanges {
    /// The subject of an edit that adds nothing to a list, given the scene before it.
    fn subject(&self, world: &World, scene: &Scene, edit: &Edit) -> Result<Subject, Problem> {
        match edit {
            Edit::Spawn { group, x_m, y_m, heading_rad } => {
                check_pose("an agent", [*x_m, *y_m, *heading_rad])?;
                let place = live::place_of(scene, group).ok_or_else(|| {
                    let near = did_you_mean(group, scene.groups.iter().map(|group| group.name.as_str()));
                    Problem::of_file(format!("there is no group `{}`{near}", wording::shown(group)))
                })?;
                let pose = Placement { x_m: *x_m, y_m: *y_m, heading_rad: *heading_rad };
                let Group { at, also_at, .. } = &scene.groups[place];
                let among = if at.is_empty() { also_at.len() } else { at.len() };
                Ok(Subject::AddAgent { group: place, place: among, pose })
            }
            Edit::Remove { path } => {
                let steps: Vec<&str> =
                    path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
                match steps[..] {
                    ["agents", number] => self.removal(world, scene, number),
                    ["objects", place] => thing(scene, place),
                    _ if parts::needs_restart(path) => {
                        Err(Problem::of_file(format!("`{}` can only be removed with a restart", wording::shown(path))))
                    }
                    _ if parts::is_in_list(path) => Ok(Subject::RemovePart(path.clone())),
                    _ => Err(cannot_remove(path)),
                }
            }
            _ => Err(Problem::of_file("this edit changes no existing agent or object")),
        }
    }

    fn removal(&self, world: &World, scene: &Scene, number: &str) -> Result<Subject, Problem> {
        let unknown = || Problem::of_file(format!("there is no agent {}", wording::shown(number)));
        let agent = number.parse().ok().and_then(|number| find_agent(world, number)).ok_or_else(unknown)?;
        let agent = Some(agent).filter(|agent| !self.gone.contains(agent)).ok_or_else(unknown)?;
        let member = world.get::<Member>(agent).copied().ok_or_else(unknown)?;
        let group = scene.groups.get(member.group as usize).ok_or_else(unknown)?;
        let place = self.placed.place_of(member, group);
        Ok(Subject::RemoveAgent { agent, member, place })
    }

    /// Adds an edit, given the scene before it.
    fn take_in(&mut self, scene: &Scene, subject: &Subject) {
        if let Subject::RemoveAgent { agent, member, place } = subject {
            self.gone.insert(*agent);
            forget_place(&mut self.placed, scene, *member, *place);
        }
    }
}

/// The object at an index, as one to remove.
fn thing(scene: &Scene, place: &str) -> Result<Subject, Problem> {
    let there = |place: &usize| scene.objects.get(*place).is_some_and(|object| !super::is_gone(object));
    let found = place.parse().ok().filter(there);
    found
        .map(Subject::RemoveObject)
        .ok_or_else(|| Problem::of_file(format!("there is no object {}", wording::shown(place))))
}

fn cannot_remove(path: &str) -> Problem {
    Problem::of_file(format!(
        "`{}` cannot be removed: name an agent, an object or a member of a list, such as agents.17, objects.3 or metrics.0",
        wording::shown(path)
    ))
}

/// Removes the written pose of a removed agent; `scene` is the scene before its removal.
fn forget_place(placed: &mut PoseOwners, scene: &Scene, member: Member, place: Option<usize>) {
    let group = member.group as usize;
    if let Some(place) = place {
        placed.of(group, &scene.groups[group]).remove(place);
    }
}

/// Removes an agent from the description of its group: its written pose, or else one of those that the spawner makes.
fn take_out(kinds: &Kinds, scene: &mut Scene, index: usize, place: Option<usize>) {
    // The ones after it move up, and leave their constants.
    for list in if place.is_some() { ["at", "also_at", "count"] } else { ["count", "spawn.rows", "spawn.path"] } {
        constants::release(kinds, scene, &format!("groups.{index}.{list}"));
    }
    let group = &mut scene.groups[index];
    match place {
        Some(place) if place < group.at.len() => {
            group.at.remove(place);
            if group.at.is_empty() {
                // The spawner makes no agent in place of the written ones.
                group.count = 0;
                if group.spawn.value().is::<Table>() {
                    group.spawn = Slot::new(Point::default());
                }
            }
        }
        Some(place) => drop(group.also_at.remove(place - group.at.len())),
        None if !group.at.is_empty() => {}
        None => match group.spawn.value_mut().downcast_mut::<Table>() {
            Some(table) => drop(table.rows.pop()),
            None => group.count = group.count.saturating_sub(1),
        },
    }
}

/// Removes faults of robots that no longer exist, which would keep the scene from starting. Faults of this run still
/// occur.
fn forget_faults(kinds: &Kinds, scene: &mut Scene) {
    let known: Vec<bool> = scene.faults.iter().map(|fault| scene.unknown_robot(&fault.target).is_none()).collect();
    if known.contains(&false) {
        // The ones after them move up, and leave their constants.
        constants::release(kinds, scene, "faults");
        let mut known = known.into_iter();
        scene.faults.retain(|_| known.next().unwrap_or(true));
    }
}

/// Applies edits that go together between two steps, with the same effect as one by one, but with one check of the
/// scene; returns the result of each.
pub(super) fn apply(world: &mut World, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
    match (Plan::of(world, edits), edits) {
        (Err(problem), [_]) => vec![Err(problem)],
        // Some of them may be valid without the others.
        (Err(_), edits) => {
            edits.iter().flat_map(|edit| apply(world, std::slice::from_ref(edit), transaction)).collect()
        }
        (Ok(Plan { after, subjects }), edits) => {
            if subjects.iter().any(Result::is_ok) {
                note_hash(world);
                let edits =
                    subjects.iter().zip(edits).filter_map(|(subject, edit)| Some((subject.as_ref().ok()?, edit)));
                in_next_step(world, |world| apply_planned(world, edits, after, transaction));
            }
            subjects.into_iter().map(|subject| subject.map(drop)).collect()
        }
    }
}

/// Makes the changes at the start of a step; `after` is the scene with them.
fn apply_planned<'e>(
    world: &mut World,
    edits: impl Iterator<Item = (&'e Subject, &'e Edit)>,
    after: Scene,
    transaction: u64,
) {
    let kinds = world.resource::<Kinds>().clone();
    let mut is_stale = false;
    for (subject, edit) in edits {
        if matches!(subject, Subject::AddPart | Subject::RemovePart(_)) {
            // Nothing of the running simulation has a copy.
            note(world, None, edit.clone(), transaction);
            continue;
        }
        let added = apply_one(world, &kinds, subject, &after);
        // The first readings of a new agent do not include the agents added after it.
        let has_sensors = added.iter().any(|agent| world.get::<Sensors>(*agent).is_some());
        let senses = has_sensors && after.initial_readings == InitialReadings::Sensed;
        if senses {
            caches::rebuild(world);
        }
        if has_sensors {
            read_first(world, &added, after.initial_readings);
        }
        is_stale = !senses;
        note(world, None, edit.clone(), transaction);
    }
    current::set(world, after);
    if is_stale {
        caches::rebuild(world);
    }
}

/// Makes one of the changes, and the same one in the scene; returns the new entities.
fn apply_one(world: &mut World, kinds: &Kinds, subject: &Subject, after: &Scene) -> Vec<Entity> {
    match subject {
        Subject::AddAgent { group, place, pose } => {
            // The group must have no additional pose when the owners of poses are looked up, and one more when the
            // agent is made.
            world.resource_scope(|world, mut placed: Mut<PoseOwners>| {
                let known = placed.of(*group, &world.resource::<Description>().scene().groups[*group]);
                change(kinds, world.resource_mut::<Description>().scene_mut(), subject);
                let made = population::agents(world, *group as u32, std::iter::once((*pose).into()));
                let serial = made.first().and_then(|agent| world.get::<Member>(*agent)).map(|member| member.serial);
                known.insert(*place, serial.unwrap_or_default());
                made
            })
        }
        Subject::AddGroup(group) => {
            world.resource_mut::<Description>().scene_mut().clone_from(after);
            trail::start(world, after);
            add_group(world, after, *group)
        }
        Subject::AddObject(place) => {
            world.resource_mut::<Description>().scene_mut().clone_from(after);
            objects::spawn(world, kinds, *place as u32, &after.objects[*place]);
            let id = StableId::object(*place as u32);
            caches::rebuild(world);
            let actors = world.arena().actors.iter();
            actors.copied().filter(|actor| world.get::<StableId>(*actor) == Some(&id)).collect()
        }
        Subject::AddObjectGroup | Subject::AddPart | Subject::RemovePart(_) => {
            world.resource_mut::<Description>().scene_mut().clone_from(after);
            Vec::new()
        }
        Subject::RemoveAgent { agent, member, place } => {
            world.resource_scope(|world, mut placed: Mut<PoseOwners>| {
                forget_place(&mut placed, world.resource::<Description>().scene(), *member, *place);
            });
            change(kinds, world.resource_mut::<Description>().scene_mut(), subject);
            world.despawn(*agent);
            Vec::new()
        }
        Subject::RemoveObject(place) => {
            change(kinds, world.resource_mut::<Description>().scene_mut(), subject);
            for thing in live::with_id(world, StableId::object(*place as u32)) {
                world.despawn(thing);
            }
            objects::spawn(world, kinds, *place as u32, &after.objects[*place]);
            Vec::new()
        }
    }
}

/// Creates the agents of a new group, as at the start.
fn add_group(world: &mut World, scene: &Scene, index: usize) -> Vec<Entity> {
    spawn::place(world, scene, index);
    spawn::spawner(world, scene, index);
    caches::rebuild(world);
    if scene.spawn_before_first_step {
        as_of_last_step(world, |world| _ = spawners::act_of(world, Some(index as u32)));
    }
    let mut members = world.query::<(&StableId, Entity, &Member)>();
    let of_group = members.iter(world).filter(|(.., member)| member.group as usize == index);
    let mut made: Vec<(StableId, Entity)> = of_group.map(|(id, agent, _)| (*id, agent)).collect();
    made.sort_unstable();
    made.into_iter().map(|(_, agent)| agent).collect()
}

/// Takes the first readings of new agents, before their first step.
fn read_first(world: &mut World, added: &[Entity], first: InitialReadings) {
    for agent in added {
        let sensors = world.get::<Sensors>(*agent).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
        sensors.into_iter().for_each(|sensor| sensor::blank(world, sensor));
    }
    if first == InitialReadings::Sensed {
        as_of_last_step(world, |world| sequential::sense_some(world, added));
    }
}

/// Does at the start of a step something that belongs to the end of the step before.
fn as_of_last_step(world: &mut World, act: impl FnOnce(&mut World)) {
    world.arena_mut().time.step -= 1;
    act(world);
    world.arena_mut().time.step += 1;
}

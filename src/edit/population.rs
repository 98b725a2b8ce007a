//! Edits that change who is there: agents and objects that come and go, and groups.
//!
//! They are applied at once, so that those that follow can be of what they made; a reset keeps them.

use bevy::prelude::*;

use super::{Edit, agents, check_pose, live, note};
use crate::agent::Member;
use crate::agent::trail::Trails;
use crate::id::StableId;
use crate::kind::{Kinds, ObjectFamily, Open};
use crate::object::{self, gone::Gone};
use crate::scene::description::{FirstReadings, Group, Placement};
use crate::scene::problem::{Problem, Problems, did_you_mean};
use crate::scene::spawn::{self, Description, Placed};
use crate::scene::{Scene, check, constants, path, reader};
use crate::sensor::{self, Sensors};
use crate::spawner::point::Point;
use crate::spawner::{self, table::Table};
use crate::step::{Actors, SimTime, caches, sequential};

/// What an edit of this kind is about.
enum Subject {
    /// A new agent of a group, by the place of that, and the place of its pose among those that are written.
    Newcomer { group: usize, place: usize, pose: Placement },
    /// A new group, by its place.
    Group(usize),
    /// A new object, by its place.
    Object(usize),
    /// An agent that goes, and the place of its pose among those that are written.
    Leaver { agent: Entity, member: Member, place: Option<usize> },
    /// An object that goes, by its place.
    Thing(usize),
}

/// The scene after an edit of this kind.
///
/// # Errors
/// Says what does not make sense.
pub(super) fn scene_after(world: &World, edit: &Edit) -> Result<Scene, Problem> {
    let kinds = world.resource::<Kinds>();
    let mut after = super::scene_ahead(world).clone();
    match edit {
        Edit::Add { list, value } => add(kinds, &mut after, list, value)?,
        edit => match subject(world, &after, edit)? {
            Subject::Newcomer { group, pose, .. } => {
                let group = &mut after.groups[group];
                let poses = if group.at.is_empty() { &mut group.also_at } else { &mut group.at };
                poses.push(pose);
            }
            Subject::Leaver { member, place, .. } => {
                take_out(kinds, &mut after, member.group as usize, place);
                forget_faults(kinds, &mut after);
            }
            Subject::Thing(place) => {
                constants::release(kinds, &mut after, &format!("objects.{place}"));
                after.objects[place] = Open::new(Gone {});
            }
            Subject::Group(_) | Subject::Object(_) => {}
        },
    }
    match check::fit(world, &after).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(after),
    }
}

/// Adds a group or an object to a scene.
fn add(kinds: &Kinds, scene: &mut Scene, list: &str, value: &str) -> Result<(), Problem> {
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
                Some(known) => format!("the name `{}` is taken by groups[{known}]", reader::shown(&group.name)),
                None if group.name.is_empty() => "a group needs a name".into(),
                None => {
                    scene.groups.push(group);
                    return Ok(());
                }
            };
            Err(Problem { place: None, path: format!("groups[{place}].name"), message })
        }
        "objects" => {
            let place = scene.objects.len();
            let text = format!("(objects: [{value}])");
            // As part of a scene, so that the name of the kind stands for it.
            let read: Scene = reader::read(kinds, "", &text).map_err(|problems| first(problems, place))?;
            match <[Open<ObjectFamily>; 1]>::try_from(read.objects) {
                Ok([object]) if !super::is_gone(&object) => scene.objects.push(object),
                _ => return Err(Problem::of_file("name one object, such as Disc(center_m: (1, 2), radius_m: 0.3)")),
            }
            Ok(())
        }
        _ => {
            let near = did_you_mean(list, ["groups", "objects"]);
            Err(Problem::of_file(format!("something can be added to groups and to objects, not to `{list}`{near}")))
        }
    }
}

/// What an edit is about, in the scene as it is before.
fn subject(world: &World, scene: &Scene, edit: &Edit) -> Result<Subject, Problem> {
    match edit {
        Edit::Spawn { group, x_m, y_m, heading_rad } => {
            check_pose("an agent", [*x_m, *y_m, *heading_rad])?;
            let place = live::place_of(scene, group).ok_or_else(|| {
                let near = did_you_mean(group, scene.groups.iter().map(|group| group.name.as_str()));
                Problem::of_file(format!("there is no group `{}`{near}", reader::shown(group)))
            })?;
            let pose = Placement { x_m: *x_m, y_m: *y_m, heading_rad: *heading_rad };
            let Group { at, also_at, .. } = &scene.groups[place];
            let among = if at.is_empty() { also_at.len() } else { at.len() };
            Ok(Subject::Newcomer { group: place, place: among, pose })
        }
        Edit::Remove { path } => {
            let steps: Vec<&str> = path::steps(path).unwrap_or_default().into_iter().map(|(_, step)| step).collect();
            match steps[..] {
                ["agents", number] => leaver(world, scene, number),
                ["objects", place] => {
                    let there = |place: &usize| scene.objects.get(*place).is_some_and(|object| !super::is_gone(object));
                    let found = place.parse().ok().filter(there);
                    found
                        .map(Subject::Thing)
                        .ok_or_else(|| Problem::of_file(format!("there is no object {}", reader::shown(place))))
                }
                _ => Err(Problem::of_file(format!(
                    "`{}` cannot be taken away: name an agent or an object, such as agents.17 or objects.3",
                    reader::shown(path)
                ))),
            }
        }
        Edit::Add { list, .. } if list == "groups" => Ok(Subject::Group(scene.groups.len())),
        _ => Ok(Subject::Object(scene.objects.len())),
    }
}

fn leaver(world: &World, scene: &Scene, number: &str) -> Result<Subject, Problem> {
    let unknown = || Problem::of_file(format!("there is no agent {}", reader::shown(number)));
    let agent = number.parse().ok().and_then(|number| agents::find(world, number)).ok_or_else(unknown)?;
    let member = world.get::<Member>(agent).copied().ok_or_else(unknown)?;
    let group = scene.groups.get(member.group as usize).ok_or_else(unknown)?;
    let place = world.resource::<Placed>().place_of(member, group);
    Ok(Subject::Leaver { agent, member, place })
}

/// Takes an agent out of its group: its pose, if that is written, or else one of those that the spawner makes.
fn take_out(kinds: &Kinds, scene: &mut Scene, index: usize, place: Option<usize>) {
    // Those after it move up, and are of a constant no more.
    for list in if place.is_some() { ["at", "also_at", "count"] } else { ["count", "spawn.rows", "spawn.path"] } {
        constants::release(kinds, scene, &format!("groups.{index}.{list}"));
    }
    let group = &mut scene.groups[index];
    match place {
        Some(place) if place < group.at.len() => {
            group.at.remove(place);
            if group.at.is_empty() {
                // Its spawner makes nobody in their place.
                group.count = 0;
                if group.spawn.value().is::<Table>() {
                    group.spawn = Open::new(Point::default());
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

/// Drops the faults of robots that are gone: they would keep the scene from starting. Those of this run strike as they
/// would have.
fn forget_faults(kinds: &Kinds, scene: &mut Scene) {
    let known: Vec<bool> = scene.faults.iter().map(|fault| scene.unknown_robot(&fault.who).is_none()).collect();
    if known.contains(&false) {
        // Those after them move up, and are of a constant no more.
        constants::release(kinds, scene, "faults");
        let mut known = known.into_iter();
        scene.faults.retain(|_| known.next().unwrap_or(true));
    }
}

/// Applies an edit at the start of a step; `after` is the scene with it.
pub(super) fn apply(world: &mut World, edit: Edit, after: Scene, gesture: u64) -> Result<(), Problem> {
    let kinds = world.resource::<Kinds>().clone();
    let before = world.resource::<Description>().scene().clone();
    let subject = subject(world, &before, &edit)?;
    world.insert_resource(Description::new(&kinds, after.clone()));
    let newcomers = match subject {
        Subject::Newcomer { group, place, pose } => {
            let made = spawn::agents(world, group as u32, std::iter::once(pose.into()));
            let serial = made.first().and_then(|agent| world.get::<Member>(*agent)).map(|member| member.serial);
            let mut placed = world.resource_mut::<Placed>();
            placed.of(group, &before.groups[group]).insert(place, serial.unwrap_or_default());
            made
        }
        Subject::Group(group) => {
            Trails::start(world, &after);
            add_group(world, &after, group)
        }
        Subject::Object(place) => {
            object::spawn(world, &kinds, place as u32, &after.objects[place]);
            let id = StableId::object(place as u32);
            caches::rebuild(world);
            let actors = world.resource::<Actors>().0.iter();
            actors.copied().filter(|actor| world.get::<StableId>(*actor) == Some(&id)).collect()
        }
        Subject::Leaver { agent, member, place } => {
            let group = member.group as usize;
            if let Some(place) = place {
                world.resource_mut::<Placed>().of(group, &before.groups[group]).remove(place);
            }
            world.despawn(agent);
            Vec::new()
        }
        Subject::Thing(place) => {
            for thing in live::with_id(world, StableId::object(place as u32)) {
                world.despawn(thing);
            }
            object::spawn(world, &kinds, place as u32, &after.objects[place]);
            Vec::new()
        }
    };
    caches::rebuild(world);
    read_first(world, &newcomers, after.first_readings);
    note(world, None, edit, gesture);
    Ok(())
}

/// Makes the agents of a new group, as at the start.
fn add_group(world: &mut World, scene: &Scene, index: usize) -> Vec<Entity> {
    spawn::place(world, scene, index);
    spawn::spawner(world, scene, index);
    caches::rebuild(world);
    if scene.step_spawners {
        as_of_last_step(world, |world| spawner::act_of(world, Some(index as u32)));
    }
    let mut members = world.query::<(&StableId, Entity, &Member)>();
    let of_group = members.iter(world).filter(|(.., member)| member.group as usize == index);
    let mut made: Vec<(StableId, Entity)> = of_group.map(|(id, agent, _)| (*id, agent)).collect();
    made.sort_unstable();
    made.into_iter().map(|(_, agent)| agent).collect()
}

/// What sensors of newcomers read before their first step.
fn read_first(world: &mut World, newcomers: &[Entity], first: FirstReadings) {
    for newcomer in newcomers {
        let sensors = world.get::<Sensors>(*newcomer).map(|sensors| sensors.slots().to_vec()).unwrap_or_default();
        sensors.into_iter().for_each(|sensor| sensor::blank(world, sensor));
    }
    if first == FirstReadings::Sensed {
        as_of_last_step(world, |world| sequential::sense_some(world, newcomers));
    }
}

/// Does at the start of a step what belongs to the end of the one before.
fn as_of_last_step(world: &mut World, act: impl FnOnce(&mut World)) {
    world.resource_mut::<SimTime>().step -= 1;
    act(world);
    world.resource_mut::<SimTime>().step += 1;
}

//! Parameters that change while a simulation runs: which ones, and where running entities have their copies.

use bevy::prelude::*;

use crate::agent::Member;
use crate::history::snapshot::entities_by_id;
use crate::id::StableId;
use crate::kind::{Family, Kinds, Open};
use crate::scene::Scene;
use crate::scene::path;
use crate::sensor::Sensors;

/// When a change of a parameter takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesEffect {
    /// At the start of the next step.
    Live,
    /// When the simulation is reset.
    AtReset,
}

impl TakesEffect {
    /// When a change at this path takes effect.
    pub fn of_path(path: &str) -> Self {
        target(path).map_or(Self::AtReset, |_| Self::Live)
    }
}

/// The part of a scene that running entities have a copy of.
#[derive(Clone, Copy)]
enum Target<'a> {
    /// A part of every agent of a group, by the group's name or place.
    Group { group: &'a str, part: Part },
    /// An object, by its place.
    Object(u32),
    /// A metric, by its place.
    Metric(u32),
}

/// A part of an agent.
#[derive(Clone, Copy)]
enum Part {
    Body,
    Motion,
    Controller,
    Sensor(usize),
}

/// The part of running entities that a path leads to, and the rest of the path within it.
///
/// `None` when the path leads to what is only used when a simulation is made.
fn target(path: &str) -> Option<(Target<'_>, String)> {
    let mut steps = path::steps(path)?.into_iter().map(|(_, step)| step);
    let (list, member) = (steps.next()?, steps.next()?);
    let target = match list {
        "objects" => Target::Object(member.parse().ok()?),
        "metrics" => Target::Metric(member.parse().ok()?),
        "groups" => {
            let part = match steps.next()? {
                "body" => Part::Body,
                "motion" => Part::Motion,
                "controller" => Part::Controller,
                "sensors" => Part::Sensor(steps.next()?.parse().ok()?),
                _ => return None,
            };
            Target::Group { group: member, part }
        }
        _ => return None,
    };
    let rest = steps.collect::<Vec<_>>().join(".");
    // Another metric would have another column: the columns of a run stay what they are.
    let is_column = matches!(target, Target::Metric(_)) && rest.is_empty();
    (!is_column).then_some((target, rest))
}

/// Gives running entities a value that the scene was given, if the parameter is a live one.
pub(super) fn apply(world: &mut World, kinds: &Kinds, scene: &Scene, path: &str, value: &str) {
    let Some((target, rest)) = target(path) else { return };
    let change = Change { kinds, rest: &rest, value };
    match target {
        Target::Object(index) => {
            if let Some(object) = scene.objects.get(index as usize) {
                change.replace_or_set(world, &with_id(world, StableId::object(index)), object);
            }
        }
        Target::Metric(index) => {
            if let Some(metric) = scene.metrics.get(index as usize) {
                change.set(world, &with_id(world, StableId::metric(index)), metric);
            }
        }
        Target::Group { group, part } => {
            // As paths do: a number is a place, and a name only where there is no such place.
            let place = group.parse().ok().filter(|place| *place < scene.groups.len());
            let place = place.or_else(|| scene.groups.iter().position(|known| known.name == group));
            if let Some(place) = place {
                apply_to_group(world, &change, scene, place, part);
            }
        }
    }
}

fn apply_to_group(world: &mut World, change: &Change, scene: &Scene, place: usize, part: Part) {
    let Some(group) = scene.groups.get(place) else { return };
    let mut members = world.query::<(Entity, &Member)>();
    let members = members.iter(world).filter(|(_, member)| member.group as usize == place);
    let agents: Vec<Entity> = members.map(|(agent, _)| agent).collect();
    match part {
        Part::Body => agents.iter().for_each(|agent| {
            world.entity_mut(*agent).insert(group.body);
        }),
        Part::Motion => change.replace_or_set(world, &agents, &group.motion),
        Part::Controller => change.replace_or_set(world, &agents, &group.controller),
        Part::Sensor(slot) => {
            let in_slot = |agent: &Entity| world.get::<Sensors>(*agent)?.slots().get(slot).copied();
            let sensors: Vec<Entity> = agents.iter().filter_map(in_slot).collect();
            if let Some(sensor) = group.sensors.get(slot) {
                change.replace_or_set(world, &sensors, sensor);
            }
        }
    }
}

fn with_id(world: &World, id: StableId) -> Vec<Entity> {
    entities_by_id(world).remove(&id).into_iter().collect()
}

/// A new value for one parameter of a kind, or for the kind as a whole when the rest of the path is empty.
struct Change<'a> {
    kinds: &'a Kinds,
    rest: &'a str,
    value: &'a str,
}

impl Change<'_> {
    /// Gives the kind on every entity its value; entities of another kind get this one, and new memory.
    fn replace_or_set<F: Family>(&self, world: &mut World, entities: &[Entity], slot: &Open<F>) {
        let Some(kind) = self.kinds.of_value(F::NAME, slot.value()) else { return };
        for entity in entities {
            let mut entity = world.entity_mut(*entity);
            if (kind.component_mut)(&mut entity).is_none() {
                self.kinds.family(F::NAME).for_each(|other| (other.detach)(&mut entity));
                (kind.attach)(&mut entity, slot.value());
            }
        }
        self.set(world, entities, slot);
    }

    /// Gives the kind on every entity its value; entities of another kind are left alone.
    fn set<F: Family>(&self, world: &mut World, entities: &[Entity], slot: &Open<F>) {
        let Some(kind) = self.kinds.of_value(F::NAME, slot.value()) else { return };
        for entity in entities {
            let mut entity = world.entity_mut(*entity);
            let Some(mut component) = (kind.component_mut)(&mut entity) else { continue };
            // The scene, whose field has the same limits, took the same value.
            if self.rest.is_empty() || path::set(self.kinds, &mut *component, self.rest, self.value).is_err() {
                (kind.attach)(&mut entity, slot.value());
            }
        }
    }
}

//! Parameters that change while a simulation runs: which ones, and where running entities have copies of them.

use bevy::prelude::*;
use bevy::reflect::Typed as _;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Member;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::field::Emitter;
use swarmarium_core::gripper::Gripper;
use swarmarium_core::kind::{Family, Kind, KindValue, Kinds, Slot};
use swarmarium_core::leds::Leds;
use swarmarium_core::metric::MetricFamily;
use swarmarium_core::motion::{MotionFamily, Moving};
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::radio::Radio;
use swarmarium_core::sensor::{self, SensorFamily, Sensors};
use swarmarium_core::step::{HasArena as _, find_agent};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::description::Group;
use swarmarium_scene::scene::path::{self, Assignment};
use swarmarium_space::{Collides, FieldSettings};

use crate::engine::{caches, trail};
use crate::population;

/// The time at which a change of a parameter takes effect.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TakesEffect {
    /// At the start of the next step.
    Live,
    /// When the simulation is reset.
    AtReset,
}

impl TakesEffect {
    /// The time at which a change at this path takes effect.
    pub fn of_path(path: &str) -> Self {
        target(path).map_or(Self::AtReset, |_| Self::Live)
    }
}

/// The parameters of metrics that determine names and units of columns; the first is the metric as a whole.
const COLUMN_FIELDS: [&str; 5] = ["", "label", "variant", "regularized", "what"];

/// The fields that describe a scene to users and windows: no result depends on them.
const DESCRIPTIVE_FIELDS: [&str; 6] = ["about", "controls", "metadata", "name", "tasks", "view"];

/// The parameters of objects that make them act; an object has a body from the start or never.
pub(super) const ACTING_FIELDS: [&str; 4] = ["motion", "sensors", "controller", "heading_rad"];

/// The parameters of scalar fields that take effect at the start of a run; the first is the field as a whole.
const FIELD_START: [&str; 4] = ["", "name", "cell_m", "initial_per_m2"];

/// The part of a scene of which running entities have a copy.
#[derive(Clone, Copy)]
pub(super) enum Target<'a> {
    /// A part of one agent, by its number.
    Agent { number: u32, part: AgentPart },
    /// A part of every agent of a group, by the name or index of the group.
    Group { group: &'a str, part: AgentPart },
    /// An object, by its index.
    Object(u32),
    /// A metric, by its index.
    Metric(u32),
    /// A scalar field, by its name or index.
    Field(&'a str),
    /// The view and the texts of the scene; no entity has a copy.
    View,
}

/// A part of an agent.
#[derive(Clone, Copy)]
pub(super) enum AgentPart {
    Body,
    Collides,
    Motion,
    Controller,
    Radio,
    Gripper,
    Emitter,
    Leds,
    Sensor(usize),
    /// No entity has a copy: the look is read from the scene.
    Look,
}

impl AgentPart {
    fn from_steps<'a>(steps: &mut impl Iterator<Item = &'a str>) -> Option<Self> {
        Some(match steps.next()? {
            "body" => Self::Body,
            "collides" => Self::Collides,
            "look" => Self::Look,
            "motion" => Self::Motion,
            "controller" => Self::Controller,
            "radio" => Self::Radio,
            "gripper" => Self::Gripper,
            "emitter" => Self::Emitter,
            "leds" => Self::Leds,
            "sensors" => Self::Sensor(steps.next()?.parse().ok()?),
            _ => return None,
        })
    }
}

/// The index of a group that a path names.
///
/// As in paths, a number is an index, and a name only if there is no such index.
pub fn place_of(scene: &Scene, group: &str) -> Option<usize> {
    let place = group.parse().ok().filter(|place| *place < scene.groups.len());
    place.or_else(|| scene.groups.iter().position(|known| known.name == group))
}

/// The part of running entities at a path, and the rest of the path within it.
///
/// `None` if the path leads to something that is only used when a simulation is made.
pub(super) fn target(path: &str) -> Option<(Target<'_>, String)> {
    let mut steps = path::steps(path)?.into_iter().map(|(_, step)| step);
    let list = steps.next()?;
    // Hosts read the condition that ends a run after each step; the last step is known from the start.
    if DESCRIPTIVE_FIELDS.contains(&list) || path == "stop.when" {
        return Some((Target::View, steps.collect::<Vec<_>>().join(".")));
    }
    let member = steps.next()?;
    let target = match list {
        "objects" => Target::Object(member.parse().ok()?),
        "metrics" => Target::Metric(member.parse().ok()?),
        "fields" => Target::Field(member),
        "groups" => Target::Group { group: member, part: AgentPart::from_steps(&mut steps)? },
        "agents" => Target::Agent { number: member.parse().ok()?, part: AgentPart::from_steps(&mut steps)? },
        _ => return None,
    };
    let rest = steps.collect::<Vec<_>>();
    let is_acting =
        matches!(target, Target::Object(_)) && rest.first().is_some_and(|step| ACTING_FIELDS.contains(step));
    // An object that nothing pushes has no pose of its own.
    let is_acting = is_acting || (matches!(target, Target::Object(_)) && rest == ["movable"]);
    let rest = rest.join(".");
    // Another metric would have another column: the columns of a run and their units never change.
    let is_column = matches!(target, Target::Metric(_)) && COLUMN_FIELDS.contains(&rest.as_str());
    let is_from_start = matches!(target, Target::Field(_)) && FIELD_START.contains(&rest.as_str());
    (!is_column && !is_acting && !is_from_start).then_some((target, rest))
}

/// Whether a number at this path is a parameter of a kind itself, of a body or of something that waits for a reset:
/// setting it has no further effect. Common parameters of a family may be added or removed with their value, and
/// memories with them.
pub(super) fn is_alone(path: &str) -> bool {
    let Some((target, rest)) = target(path) else { return true };
    match target {
        Target::View | Target::Field(_) => true,
        Target::Object(_) => !is_common::<ObjectFamily>(&rest),
        Target::Metric(_) => !is_common::<MetricFamily>(&rest),
        Target::Agent { part, .. } | Target::Group { part, .. } => match part {
            AgentPart::Body
            | AgentPart::Collides
            | AgentPart::Radio
            | AgentPart::Gripper
            | AgentPart::Emitter
            | AgentPart::Leds => true,
            // Trails begin with it.
            AgentPart::Look => false,
            AgentPart::Motion => !is_common::<MotionFamily>(&rest),
            AgentPart::Controller => !is_common::<ControllerFamily>(&rest),
            AgentPart::Sensor(_) => !is_common::<SensorFamily>(&rest),
        },
    }
}

/// Whether a path within a kind leads to the common parameters of its family, or is empty.
fn is_common<F: Family>(rest: &str) -> bool {
    let first = rest.split(['.', '[']).next().unwrap_or_default();
    first.is_empty() || F::Common::type_info().as_struct().is_ok_and(|fields| fields.field(first).is_some())
}

/// Restores components that were removed with a kind, but are required by others as well.
fn retain_required(entity: &mut EntityWorldMut, kinds: &Kinds) {
    // Controllers and motion models without memory share the component `NoMemory`.
    for family in [ControllerFamily::NAME, MotionFamily::NAME] {
        let own = |kind: &Kind| Some((kind.attach, (kind.component)((&*entity).into())?.clone_value()));
        if let Some((attach, value)) = kinds.family(family).find_map(own) {
            let value: &dyn KindValue = &*value;
            attach(entity, value);
        }
    }
    if let Some(moving) = entity.get::<Moving>().cloned() {
        entity.insert(moving);
    }
    if entity.contains::<Dead>() {
        entity.insert(Dead);
    }
}

/// The caches of a step that an edit makes stale.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Rebuild {
    /// None of them.
    #[default]
    None,
    /// The shapes and poses of bodies and objects.
    Outline,
    /// All of them, as after something was added or removed.
    All,
}

impl Rebuild {
    /// Builds the stale caches again.
    pub fn run(self, world: &mut World) {
        match self {
            Self::None => {}
            Self::Outline => caches::rebuild_outlines(world),
            Self::All => caches::rebuild(world),
        }
    }

    /// The caches that depend on a real number within a target.
    fn of_real(target: Target) -> Self {
        match target {
            Target::Agent { part: AgentPart::Body | AgentPart::Collides, .. }
            | Target::Group { part: AgentPart::Body | AgentPart::Collides, .. }
            | Target::Object(_) => Self::Outline,
            Target::Agent { .. } | Target::Group { .. } | Target::Metric(_) | Target::Field(_) | Target::View => {
                Self::None
            }
        }
    }
}

/// Copies of the parts of a scene that contain a parameter.
pub(super) enum Parts {
    /// None: no running entity has a copy, or those of one agent.
    None,
    /// The parts of a group that its agents have, and its index.
    Group(usize, Box<Group>),
    /// Trails of all agents, by group.
    Look(Box<Scene>),
    /// An object.
    Object(Box<Slot<ObjectFamily>>),
    /// A metric.
    Metric(Box<Slot<MetricFamily>>),
    /// A scalar field.
    Field(Box<FieldSettings>),
}

impl Parts {
    /// The parts that contain the parameter at a path.
    pub fn new(scene: &Scene, path: &str) -> Self {
        let found = match target(path).map(|(target, _)| target) {
            Some(Target::Object(index)) => {
                scene.objects.get(index as usize).map(|one| Self::Object(Box::new(one.clone())))
            }
            Some(Target::Metric(index)) => {
                scene.metrics.get(index as usize).map(|one| Self::Metric(Box::new(one.clone())))
            }
            Some(Target::Field(field)) => {
                let index = field.parse().ok().filter(|index| *index < scene.fields.len());
                let place = index.or_else(|| scene.fields.iter().position(|known| known.name == field));
                place.map(|place| Self::Field(Box::new(scene.fields[place].clone())))
            }
            Some(Target::Group { part: AgentPart::Look, .. }) => Some(Self::Look(Box::new(scene.clone()))),
            Some(Target::Group { group, .. }) => place_of(scene, group).map(|place| {
                let Group { body, motion, sensors, controller, radio, gripper, emitter, leds, .. } =
                    &scene.groups[place];
                let (body, motion, sensors) = (body.clone(), motion.clone(), sensors.clone());
                let (controller, radio) = (controller.clone(), radio.clone());
                let (gripper, emitter, leds) = (gripper.clone(), emitter.clone(), leds.clone());
                let collides = scene.groups[place].collides;
                let own = Group { body, collides, motion, sensors, controller, ..Group::default() };
                Self::Group(place, Box::new(Group { radio, gripper, emitter, leds, ..own }))
            }),
            Some(Target::Agent { .. } | Target::View) | None => None,
        };
        found.unwrap_or(Self::None)
    }
}

/// Copies a new value at a path to running entities if the parameter is live; returns the caches that are stale then.
///
/// The parts of the scene contain the value already; that of one agent was read for its [parts](AgentView::parts).
pub(super) fn apply(world: &mut World, kinds: &Kinds, parts: &Parts, path: &str, new: &Assignment) -> Rebuild {
    let is_real = new.is_real_or_vector();
    let Some((target, rest)) = target(path) else {
        return if is_real { Rebuild::None } else { Rebuild::All };
    };
    let change = LiveChange { kinds, rest: &rest, new };
    let has_replaced = match (target, parts) {
        (Target::View, _) => return Rebuild::None,
        (Target::Object(index), Parts::Object(object)) => {
            change.replace_or_set(world, &with_id(world, StableId::object(index)), object, 2)
        }
        (Target::Metric(index), Parts::Metric(metric)) => {
            change.set(world, &with_id(world, StableId::metric(index)), metric, 2);
            false
        }
        (Target::Field(_), Parts::Field(settings)) => {
            let fields = &mut world.arena_mut().space.fields;
            // A field that was renamed has its new name after a reset.
            if let Some(place) = fields.place(&settings.name) {
                fields.all_mut()[place].set_live(settings);
            }
            false
        }
        (Target::Group { .. }, Parts::Look(scene)) => {
            trail::start(world, scene);
            false
        }
        (Target::Group { part, .. }, Parts::Group(place, group)) => {
            let mut members = world.query::<(Entity, &Member)>();
            let members = members.iter(world).filter(|(_, member)| member.group as usize == *place);
            let agents: Vec<Entity> = members.map(|(agent, _)| agent).collect();
            change.apply_to_agents(world, &agents, part, (group, 2))
        }
        (Target::Agent { number, part }, _) => {
            let agent = find_agent(world, number).and_then(|agent| AgentView::of(world, agent));
            let Some((entity, mut description)) = agent.map(|agent| (agent.entity(), agent.parts())) else {
                return Rebuild::None;
            };
            // The queued edit was checked with the same description.
            new.put(kinds, &mut description) && change.apply_to_agents(world, &[entity], part, (&description, 0))
        }
        _ => false,
    };
    if is_real && !has_replaced { Rebuild::of_real(target) } else { Rebuild::All }
}

pub(super) fn with_id(world: &World, id: StableId) -> Vec<Entity> {
    let Some(mut entities) = world.try_query::<(Entity, &StableId)>() else { return Vec::new() };
    entities.iter(world).filter(|(_, own)| **own == id).map(|(entity, _)| entity).collect()
}

/// A new value for one parameter of a kind, or for the kind as a whole if the rest of the path is empty.
struct LiveChange<'a> {
    kinds: &'a Kinds,
    rest: &'a str,
    new: &'a Assignment,
}

impl LiveChange<'_> {
    /// Sets the value of a part of agents; `description` contains it already, and the first `depth` steps of the trail lead
    /// there. Returns whether some have another kind now.
    fn apply_to_agents(
        &self,
        world: &mut World,
        agents: &[Entity],
        part: AgentPart,
        (description, depth): (&Group, usize),
    ) -> bool {
        match part {
            AgentPart::Body => agents.iter().for_each(|agent| {
                world.entity_mut(*agent).insert(description.body.clone());
            }),
            AgentPart::Collides => agents.iter().for_each(|agent| {
                let mut agent = world.entity_mut(*agent);
                match description.collides == Collides::default() {
                    true => drop(agent.remove::<Collides>()),
                    false => drop(agent.insert(description.collides)),
                }
            }),
            AgentPart::Look => {}
            AgentPart::Motion => return self.replace_or_set(world, agents, &description.motion, depth + 1),
            AgentPart::Controller => return self.replace_or_set(world, agents, &description.controller, depth + 1),
            // All agents of a group have the same one.
            AgentPart::Radio => agents.iter().for_each(|agent| {
                let mut agent = world.entity_mut(*agent);
                match &description.radio {
                    Some(radio) => radio.take_place(&mut agent),
                    None => drop(agent.remove_with_requires::<Radio>()),
                }
            }),
            AgentPart::Gripper => agents.iter().for_each(|agent| {
                let mut agent = world.entity_mut(*agent);
                match &description.gripper {
                    Some(gripper) => drop(agent.insert(gripper.clone())),
                    None => Gripper::remove_from(&mut agent),
                }
            }),
            AgentPart::Emitter => agents.iter().for_each(|agent| {
                let mut agent = world.entity_mut(*agent);
                match &description.emitter {
                    Some(emitter) => drop(agent.insert(emitter.clone())),
                    None => drop(agent.remove::<Emitter>()),
                }
            }),
            AgentPart::Leds => agents.iter().for_each(|agent| {
                let mut agent = world.entity_mut(*agent);
                match &description.leds {
                    Some(leds) => leds.take_place(&mut agent),
                    None => Leds::remove_from(&mut agent),
                }
            }),
            AgentPart::Sensor(slot) => {
                let in_slot = |agent: &Entity| world.get::<Sensors>(*agent)?.slots().get(slot).copied();
                let sensors: Vec<Entity> = agents.iter().filter_map(in_slot).collect();
                if let Some(sensor) = description.sensors.get(slot) {
                    let has_replaced = self.replace_or_set(world, &sensors, sensor, depth + 2);
                    // Until it reads again, another sensor must not have the old reading, which has another size or meaning.
                    let is_stale = |sensor: &Entity| has_replaced || sensor::has_other_size(world, *sensor);
                    let stale: Vec<Entity> = sensors.into_iter().filter(is_stale).collect();
                    stale.into_iter().for_each(|sensor| sensor::blank(world, sensor));
                    return has_replaced;
                }
            }
        }
        false
    }

    /// Sets the value on every entity with the kind; entities of another kind get this kind and new memory. Returns whether
    /// there are any.
    fn replace_or_set<F: Family>(&self, world: &mut World, entities: &[Entity], slot: &Slot<F>, depth: usize) -> bool {
        let Some(kind) = self.kinds.of_value(F::NAME, slot.value()) else { return false };
        let mut has_replaced = false;
        for entity in entities {
            let mut entity = world.entity_mut(*entity);
            if (kind.component_mut)(&mut entity).is_none() {
                let old: Vec<_> =
                    self.kinds.family(F::NAME).filter(|old| (old.component)((&entity).into()).is_some()).collect();
                old.into_iter().for_each(|old| (old.detach)(&mut entity));
                (kind.attach)(&mut entity, slot.value());
                retain_required(&mut entity, self.kinds);
                has_replaced = true;
            }
            if self.rest.is_empty() {
                population::attach_common(&mut entity, slot);
            }
        }
        self.set(world, entities, slot, depth);
        has_replaced
    }

    /// Sets the value on every entity with the kind; entities of another kind stay as they are.
    fn set<F: Family>(&self, world: &mut World, entities: &[Entity], slot: &Slot<F>, depth: usize) {
        let Some(kind) = self.kinds.of_value(F::NAME, slot.value()) else { return };
        let own = path::kind_parts(self.kinds, slot);
        for entity in entities {
            let mut entity = world.entity_mut(*entity);
            if self.new.trail().get(depth).is_some_and(|(_, index)| *index >= own) {
                self.set_common(&mut entity, slot, (own, depth));
                continue;
            }
            let Some(mut component) = (kind.component_mut)(&mut entity) else { continue };
            // The scene, whose field has the same limits, accepted the same value.
            if self.rest.is_empty() || !self.new.put_below(self.kinds, depth, &mut *component) {
                (kind.attach)(&mut entity, slot.value());
            } else if let Some(settle) = kind.settle {
                settle(&mut *component);
            }
        }
    }

    /// Sets a common parameter; the kind has `own` parameters.
    fn set_common<F: Family>(&self, entity: &mut EntityWorldMut, slot: &Slot<F>, (own, depth): (usize, usize)) {
        let mut common = entity.get::<F::Common>().cloned().unwrap_or_default();
        let is_set = self.new.put_in_common(self.kinds, depth, own, &mut common);
        let slot = if is_set { slot.clone().with(common) } else { slot.clone() };
        population::attach_common(entity, &slot);
    }
}

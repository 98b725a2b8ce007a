//! From a scene to a world: entities for agents, sensors, objects, spawners and metrics; and parameters set while it runs.

use bevy::prelude::*;
use bevy::reflect::Reflect;
use xxhash_rust::xxh3::xxh3_64;

use super::description::{Body, Group, Scene};
use super::path;
use super::problem::Problem;
use super::writer::{self, Style};
use crate::agent::motion::AcceptedCommands;
use crate::agent::{Command, Displacement, Member, Pose, Row, Team};
use crate::controller::GivenCommands;
use crate::edit::TimeScale;
use crate::history::RegisterState as _;
use crate::id::StableId;
use crate::kind::{
    ControllerFamily, Family, Kinds, MetricFamily, MotionFamily, ObjectFamily, Open, SensorFamily, SpawnerFamily,
};
use crate::object::Solid;
use crate::random::Seed;
use crate::sensor::{Mounted, SensorOf, Sensors};
use crate::space::Solids;
use crate::spawner::{self, Pending};
use crate::step::SimTime;

/// The scene as it is now, edits included.
#[derive(Resource, Reflect, Clone, Default)]
pub struct Description {
    /// Stands for the scene in the hash of the state.
    digest: u64,
    #[reflect(ignore)]
    scene: Scene,
}

impl Description {
    fn new(kinds: &Kinds, scene: Scene) -> Self {
        Self { digest: digest(kinds, &scene), scene }
    }

    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.scene
    }
}

/// A hash of a resolved scene: of its text with every field written.
pub fn digest(kinds: &Kinds, scene: &Scene) -> u64 {
    xxh3_64(writer::write(kinds, scene, Style::Full).as_bytes())
}

pub(crate) fn plugin(app: &mut App) {
    app.register_state_resource::<Description>()
        .register_state_resource::<Seed>()
        .register_state_resource::<Population>()
        .register_state::<StableId>();
}

/// How many agents were ever made; the next one takes this number.
#[derive(Resource, Reflect, Clone, Debug, Default, PartialEq, Eq)]
struct Population {
    all: u32,
    by_group: Vec<u32>,
}

impl Population {
    fn next(&mut self, group: u32) -> (StableId, Member) {
        let place = group as usize;
        if self.by_group.len() <= place {
            self.by_group.resize(place + 1, 0);
        }
        let next = (StableId::agent(self.all), Member { group, serial: self.by_group[place] });
        self.all += 1;
        self.by_group[place] += 1;
        next
    }
}

/// Fills an empty world with what a scene describes: groups, objects, metrics; then spawners act once.
pub(crate) fn scene(world: &mut World, scene: &Scene) -> Result<(), Vec<Problem>> {
    let problems = check(world, scene);
    if !problems.is_empty() {
        return Err(problems);
    }
    let kinds = world.resource::<Kinds>().clone();
    world.insert_resource(SimTime { step: 0, dt_s: scene.time.dt_s });
    world.insert_resource(Seed(scene.seed));
    world.insert_resource(TimeScale(scene.time.scale));
    world.insert_resource(Population::default());
    world.insert_resource(Description::new(&kinds, scene.clone()));
    for (index, group) in scene.groups.iter().enumerate() {
        agents(world, index as u32, group.at.iter().map(|placement| (*placement).into()));
        if group.at.is_empty() && group.count > 0 {
            let pending = Pending { group: index as u32, count: group.count };
            let mut spawner = world.spawn((StableId::spawner(index as u32), pending));
            attach(&kinds, &mut spawner, &group.spawn);
        }
    }
    for (index, object) in scene.objects.iter().enumerate() {
        attach(&kinds, &mut world.spawn(StableId::object(index as u32)), object);
    }
    for (index, metric) in scene.metrics.iter().enumerate() {
        attach(&kinds, &mut world.spawn(StableId::metric(index as u32)), metric);
    }
    if scene.step_spawners {
        spawner::act(world);
    }
    Ok(())
}

/// Makes agents of a group, with their sensors.
pub(crate) fn agents(world: &mut World, group_index: u32, poses: impl Iterator<Item = Pose>) {
    let kinds = world.resource::<Kinds>().clone();
    let Some(group) = world.resource::<Description>().scene.groups.get(group_index as usize) else { return };
    let Group { motion, controller, sensors, body, .. } = group;
    let (motion, controller, sensors, body) = (motion.clone(), controller.clone(), sensors.clone(), *body);
    let team = Team::named(&group.team);
    for pose in poses {
        let (id, member) = world.resource_mut::<Population>().next(group_index);
        let rest = (Displacement::default(), Command::default(), Row::default());
        let mut agent = world.spawn((id, member, team, pose, body, rest));
        attach(&kinds, &mut agent, &motion);
        attach(&kinds, &mut agent, &controller);
        let agent = agent.id();
        for (slot, sensor) in sensors.iter().enumerate() {
            let slot = slot as u16;
            let mut entity = world.spawn((id.sensor(slot), Mounted { owner: id, slot }, SensorOf(agent)));
            attach(&kinds, &mut entity, sensor);
        }
    }
}

fn attach<F: Family>(kinds: &Kinds, entity: &mut EntityWorldMut, slot: &Open<F>) {
    if let Some(kind) = kinds.of_value(F::NAME, slot.value()) {
        (kind.attach)(entity, slot.value());
    }
}

/// The body of the agents of a group.
pub(crate) fn body_of_group(world: &World, group: u32) -> Body {
    world.resource::<Description>().scene.groups.get(group as usize).map(|group| group.body).unwrap_or_default()
}

/// The radius of the largest agent that the scene can make, in metres.
pub(crate) fn largest_radius_m(world: &World) -> f64 {
    let groups = &world.resource::<Description>().scene.groups;
    groups.iter().map(|group| group.body.radius_m()).fold(1e-3, f64::max)
}

/// What a reader cannot see: whether the parts of a scene fit together.
fn check(world: &World, scene: &Scene) -> Vec<Problem> {
    let mut problems = Vec::new();
    let mut add = |path: String, message: String| problems.push(Problem { place: None, path, message });
    for (index, group) in scene.groups.iter().enumerate() {
        if let Some(message) = command_mismatch(world, group) {
            add(format!("groups[{index}].controller"), message);
        }
        if group.sensors.len() > usize::from(u16::MAX) {
            add(format!("groups[{index}].sensors"), format!("at most {} sensors fit on an agent", u16::MAX));
        }
    }
    let kinds = world.resource::<Kinds>();
    for (index, object) in scene.objects.iter().enumerate() {
        let mut probe = World::new();
        let mut entity = probe.spawn_empty();
        attach(kinds, &mut entity, object);
        if let Some(message) = unusable_form(world, entity.into_readonly()) {
            add(format!("objects[{index}]"), message);
        }
    }
    for (index, group) in scene.groups.iter().enumerate() {
        let twin = scene.groups[..index]
            .iter()
            .find(|other| other.team != group.team && Team::named(&other.team) == Team::named(&group.team));
        if let Some(twin) = twin {
            add(
                format!("groups[{index}].team"),
                format!("`{}` cannot be told from `{}`: rename one", group.team, twin.team),
            );
        }
    }
    let agents: u64 = scene.groups.iter().map(|group| u64::from(group.agents())).sum();
    if agents > super::description::MAX_AGENTS as u64 {
        let most = super::description::MAX_AGENTS;
        add("groups".into(), format!("at most {most} agents fit in a scene, found {agents}"));
    }
    problems
}

fn command_mismatch(world: &World, group: &Group) -> Option<String> {
    let kind_of = |value: &dyn Reflect| value.as_any().type_id();
    let (controller, motion) = (group.controller.value(), group.motion.value());
    let given = &world.resource::<GivenCommands>().0;
    let accepted = &world.resource::<AcceptedCommands>().0;
    let form = given.iter().find(|(kind, _)| *kind == kind_of(controller))?.1;
    let forms = accepted.iter().find(|(kind, _)| *kind == kind_of(motion))?.1;
    (!forms.contains(&form)).then(|| {
        format!(
            "{} gives commands of the form {form:?}, but motion {} takes {forms:?}",
            controller.reflect_short_type_path(),
            motion.reflect_short_type_path(),
        )
    })
}

fn unusable_form(world: &World, object: EntityRef) -> Option<String> {
    let mut solids = Solids::default();
    let error = match crate::object::solid_of(world, object)? {
        Solid::Disc { center_m, radius_m } => solids.add_disc(center_m, radius_m),
        Solid::Polygon(corners) => solids.add_polygon(&corners),
    }
    .err()?;
    Some(error.to_string())
}

/// The part of a scene that running entities have a copy of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum LiveTarget<'a> {
    /// A part of every agent of a group.
    Group { group: &'a str, part: Part },
    /// An object, by its place.
    Object(&'a str),
    /// A metric, by its place.
    Metric(&'a str),
}

/// A part of an agent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Part {
    Body,
    Motion,
    Controller,
    Sensor(u16),
}

/// The part of running entities that a path leads to, and the rest of the path within it.
///
/// `None` when the path leads to what is only used when a simulation is made.
pub(crate) fn live_target(path: &str) -> Option<(LiveTarget<'_>, String)> {
    let mut steps = path::steps(path)?.into_iter().map(|(_, step)| step);
    let (list, member) = (steps.next()?, steps.next()?);
    let target = match list {
        "objects" => LiveTarget::Object(member),
        "metrics" => LiveTarget::Metric(member),
        "groups" => {
            let part = match steps.next()? {
                "body" => Part::Body,
                "motion" => Part::Motion,
                "controller" => Part::Controller,
                "sensors" => Part::Sensor(steps.next()?.parse().ok()?),
                _ => return None,
            };
            LiveTarget::Group { group: member, part }
        }
        _ => return None,
    };
    Some((target, steps.collect::<Vec<_>>().join(".")))
}

/// Whether a parameter can be given a value.
pub(crate) fn check_set(world: &World, path: &str, value: &str) -> Result<(), Problem> {
    changed_scene(world, path, value).map(drop)
}

fn changed_scene(world: &World, path: &str, value: &str) -> Result<Scene, Problem> {
    let mut changed = world.resource::<Description>().scene.clone();
    path::set(world.resource::<Kinds>(), &mut changed, path, value)?;
    match check(world, &changed).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(changed),
    }
}

/// Gives a parameter a value: in the scene, and in what runs if it is a live one.
pub(crate) fn set(world: &mut World, path: &str, value: &str) {
    let Ok(changed) = changed_scene(world, path, value) else { return };
    let kinds = world.resource::<Kinds>().clone();
    world.insert_resource(Description::new(&kinds, changed));
    if let Some((target, rest)) = live_target(path) {
        set_live(world, &kinds, target, &rest, value);
    }
}

fn set_live(world: &mut World, kinds: &Kinds, target: LiveTarget, rest: &str, value: &str) {
    let scene = world.resource::<Description>().scene.clone();
    match target {
        LiveTarget::Object(member) => {
            if let Some((index, object)) = member_of(&scene.objects, member) {
                let entities = with_id(world, StableId::object(index));
                set_kind(world, kinds, &entities, object, rest, value);
            }
        }
        LiveTarget::Metric(member) => {
            if let Some((index, metric)) = member_of(&scene.metrics, member) {
                let entities = with_id(world, StableId::metric(index));
                set_kind(world, kinds, &entities, metric, rest, value);
            }
        }
        LiveTarget::Group { group, part } => {
            let index = scene.groups.iter().position(|known| known.name == group).or_else(|| group.parse().ok());
            let Some((index, group)) = index.and_then(|index| Some((index, scene.groups.get(index)?))) else { return };
            let agents = agents_of_group(world, index as u32);
            match part {
                Part::Body => agents.iter().for_each(|agent| {
                    world.entity_mut(*agent).insert(group.body);
                }),
                Part::Motion => set_kind(world, kinds, &agents, &group.motion, rest, value),
                Part::Controller => set_kind(world, kinds, &agents, &group.controller, rest, value),
                Part::Sensor(slot) => {
                    let sensors: Vec<Entity> = agents
                        .iter()
                        .filter_map(|agent| world.get::<Sensors>(*agent)?.slots().get(usize::from(slot)).copied())
                        .collect();
                    if let Some(sensor) = group.sensors.get(usize::from(slot)) {
                        set_kind(world, kinds, &sensors, sensor, rest, value);
                    }
                }
            }
        }
    }
}

/// Gives one parameter of a kind a value on every entity, or replaces the kind as a whole.
fn set_kind<F: Family>(world: &mut World, kinds: &Kinds, entities: &[Entity], slot: &Open<F>, rest: &str, value: &str) {
    let Some(kind) = kinds.of_value(F::NAME, slot.value()) else { return };
    for entity in entities {
        let mut entity = world.entity_mut(*entity);
        if let Some(mut component) = (kind.component_mut)(&mut entity) {
            // The same value was accepted for the scene, whose field has the same limits.
            if !rest.is_empty() && path::set(kinds, &mut *component, rest, value).is_ok() {
                continue;
            }
        } else {
            // A new kind takes the place of the old one, whose memory goes with it.
            kinds.family(F::NAME).for_each(|other| (other.detach)(&mut entity));
        }
        (kind.attach)(&mut entity, slot.value());
    }
}

fn member_of<'a, F: Family>(list: &'a [Open<F>], member: &str) -> Option<(u32, &'a Open<F>)> {
    let index: u32 = member.parse().ok()?;
    Some((index, list.get(index as usize)?))
}

fn with_id(world: &World, id: StableId) -> Vec<Entity> {
    crate::history::snapshot::entities_by_id(world).remove(&id).into_iter().collect()
}

fn agents_of_group(world: &mut World, group: u32) -> Vec<Entity> {
    let mut members = world.query::<(Entity, &Member)>();
    members.iter(world).filter(|(_, member)| member.group == group).map(|(agent, _)| agent).collect()
}

/// Makes the slots of all families known, also of those without a kind.
pub(crate) fn add_slots(kinds: &mut Kinds) {
    kinds.add_slot::<SpawnerFamily>();
    kinds.add_slot::<ControllerFamily>();
    kinds.add_slot::<MotionFamily>();
    kinds.add_slot::<SensorFamily>();
    kinds.add_slot::<ObjectFamily>();
    kinds.add_slot::<MetricFamily>();
    kinds.add_type::<Scene>();
}

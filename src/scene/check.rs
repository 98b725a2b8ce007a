//! Checks of a whole scene, whether it comes from a file, an edit or a program.

pub mod component;
mod field;
pub mod metric;
pub mod mistake;
pub mod number;
mod radio;
mod reference;
mod sensor;

use std::collections::BTreeMap;

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::Reflect;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_GROUPS};
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::Team;
use swarmarium_core::agent::body::Body;
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::agent::failure::Fault;
use swarmarium_core::controller::behaviour::BehaviourFamily;
use swarmarium_core::controller::external::External;
use swarmarium_core::controller::{ControllerFamily, ControllerKinds};
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::leds::Leds;
use swarmarium_core::motion::double_integrator::DoubleIntegrator;
use swarmarium_core::motion::moving::MotionNoise;
use swarmarium_core::motion::{MotionFamily, MotionKinds};
use swarmarium_core::noise::{NoiseFamily, NoiseKinds};
use swarmarium_core::object::gone::Gone;
use swarmarium_core::object::{self, ObjectFamily, Presence};
use swarmarium_core::radio::{LossFamily, Radio};
use swarmarium_core::sensor::{SensorFamily, SensorKinds};
use swarmarium_core::spawner::{IfFull, SpawnerFamily, SpawnerKinds, Spawning};
use swarmarium_core::step::order::Order;
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::{join, shown, suggestion};
use swarmarium_picture::palette::Role;
use swarmarium_space::Form;

use crate::scene::description::{Group, OverlapResolution, RandomSource, Scene};
use crate::scene::path::{self, Leaf};
use crate::scene::{constants, controls};

/// The largest number of readings of all sensors of a scene together, limited by memory.
const MAX_READINGS: u64 = 50_000_000;

/// Checks that all numbers are finite and within their limits. Readers check this, too; a program may not.
pub fn limits(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    path::leaves(kinds, scene).iter().filter_map(out_of_limits).collect()
}

fn out_of_limits(Leaf { path, value, limits, .. }: &Leaf) -> Option<Problem> {
    let limits = limits.unwrap_or(Limits::FINITE);
    let numbers = match path::inside(*value).downcast_ref() {
        Some(DVec2 { x, y }) => vec![*x, *y],
        None => number_or_none(*value).into_iter().collect(),
    };
    let wrong = numbers.into_iter().find(|number| !limits.allow(*number))?;
    let message = format!("expected {}, found {wrong}", limits.expected());
    Some(Problem::of_field(path.clone(), message))
}

/// The value of a number, or of an optional number that is given.
fn number_or_none(value: &dyn Reflect) -> Option<f64> {
    let whole = || value.downcast_ref::<Option<u32>>().copied().flatten().map(f64::from);
    number(value).or_else(whole).or_else(|| value.downcast_ref::<Option<f64>>().copied().flatten())
}

/// Checks that the parts of a scene fit together, which a reader cannot.
pub fn fit(world: &World, scene: &Scene) -> Vec<Problem> {
    let kinds = world.resource::<Kinds>();
    let mut problems = Vec::new();
    let mut add = |path: String, message: String| problems.push(Problem::of_field(path, message));
    for (index, group) in scene.groups.iter().enumerate() {
        group_problems(world, index, group, &mut add);
    }
    if scene.overlap_resolution == OverlapResolution::Classic && scene.order != Order::Sequential {
        add(
            "overlap_resolution".into(),
            "`Classic` needs `order: Sequential`: agents move and separate one after the other".into(),
        );
    }
    if scene.order == Order::RandomSequential && scene.on_collision != OnCollision::Push {
        let message = "`Stop` and `Pause` need another `order` than `RandomSequential`: there, robots sense before they move, \
                       and would not feel what has stopped them";
        add("on_collision".into(), message.into());
    }
    if scene.overlap_resolution == OverlapResolution::Classic && scene.on_collision != OnCollision::Push {
        add(
            "on_collision".into(),
            "`Stop` and `Pause` need `overlap_resolution: Standard`: with `Classic`, robots push each other".into(),
        );
    }
    problems.extend(constants::problems(kinds, scene));
    problems.extend(controls::misfits(kinds, scene));
    problems.extend(reference::problems(world, scene));
    problems.extend(radio::problems(world, scene));
    problems.extend(faults(scene));
    problems.extend(field::problems(kinds, scene));
    problems.extend(component::problems(world, scene));
    problems.extend(problems_within(kinds, scene));
    let mut add = |path: String, message: String| problems.push(Problem::of_field(path, message));
    for (index, object) in scene.objects.iter().enumerate() {
        object_problems(world, index, object, &mut add);
    }
    for (index, group) in scene.object_groups.iter().enumerate() {
        object_group_problems(world, scene, index, &mut add);
        problems_of_placing(world, &group.spawn, group.placed(), scene, |message| {
            add(format!("object_groups[{index}].spawn"), message);
        });
    }
    for (index, group) in scene.groups.iter().enumerate().filter(|(_, group)| group.at.is_empty()) {
        problems_of_placing(world, &group.spawn, group.spawned(), scene, |message| {
            add(format!("groups[{index}].spawn"), message);
        });
    }
    if scene.object_groups.is_empty()
        && let Some(index) = scene.objects.iter().position(|object| object.common().placed)
    {
        add(format!("objects[{index}].placed"), "the scene has no object group that could place it: remove it".into());
    }
    let background = &scene.arena.background;
    if !background.is_empty() && Role::named(background).is_none() {
        add("arena.background".into(), Role::no_color(background));
    }
    let mut teams: BTreeMap<u32, &str> = BTreeMap::new();
    for (index, Group { team, .. }) in scene.groups.iter().enumerate() {
        let twin = *teams.entry(Team::named(team).0).or_insert(team);
        if twin != team {
            let message = format!("the names `{team}` and `{twin}` have the same hash: rename one");
            add(format!("groups[{index}].team"), message);
        }
    }
    if scene.groups.len() > MAX_GROUPS {
        add("groups".into(), format!("at most {MAX_GROUPS} groups fit in a scene, found {}", scene.groups.len()));
    }
    let agents: u64 = scene.groups.iter().map(|group| u64::from(group.agents())).sum();
    if agents > MAX_AGENTS as u64 {
        add("groups".into(), format!("at most {MAX_AGENTS} agents fit in a scene, found {agents}"));
    }
    let readings =
        scene.groups.iter().map(|group| u64::from(group.agents()).saturating_mul(channels(world, &group.sensors)));
    let of_objects = scene.objects.iter().map(|object| channels(world, &object.common().sensors));
    let readings = readings.chain(of_objects).fold(0, u64::saturating_add);
    if readings > MAX_READINGS {
        add("groups".into(), format!("at most {MAX_READINGS} readings fit in a scene, found {readings}"));
    }
    let delayed = scene.groups.iter().map(|group| {
        let delay = group.motion.common().delay(scene.time.dt_s) as u64;
        u64::from(group.agents()).saturating_mul(delay)
    });
    let of_objects = scene.objects.iter().map(|object| object.common().motion.common().delay(scene.time.dt_s) as u64);
    let delayed = delayed.chain(of_objects).fold(0, u64::saturating_add);
    if delayed > MAX_READINGS {
        add("groups".into(), format!("at most {MAX_READINGS} commands can be delayed in a scene, found {delayed}"));
    }
    problems.extend(metric::problems(world, scene));
    problems
}

/// The problems of one group without its references.
fn group_problems(world: &World, index: usize, group: &Group, mut add: impl FnMut(String, String)) {
    if let Some(message) = command_mismatch(world, &group.controller, &group.motion) {
        add(format!("groups[{index}].controller"), message);
    }
    if let Some(message) = noise_mismatch(&group.motion) {
        add(format!("groups[{index}].motion.motion_noise"), message);
    }
    for message in unusable_controller(world, &group.controller, group.radio.as_ref()) {
        add(format!("groups[{index}].controller"), message);
    }
    if group.sensors.len() > usize::from(u16::MAX) {
        add(format!("groups[{index}].sensors"), format!("at most {} sensors fit on an agent", u16::MAX));
    }
    for (place, message) in
        sensor::problems(world, &group.sensors, (&group.motion, group.radio.as_ref(), group.gripper.as_ref()))
    {
        add(format!("groups[{index}].sensors[{place}"), message);
    }
    for (place, message) in sensor::unusable_names(world, &group.controller, &group.sensors) {
        add(format!("groups[{index}].sensors[{place}].name"), message);
    }
    if let Some(message) = unusable_body(&group.body) {
        add(format!("groups[{index}].body"), message);
    }
    if let Some(message) = group.leds.as_ref().and_then(Leds::problem) {
        add(format!("groups[{index}].leds.color"), message);
    }
    for (field, color) in [("color", &group.look.color), ("trail_color", &group.look.trail_color)] {
        if let Some(message) = Role::problem(color) {
            add(format!("groups[{index}].look.{field}"), message);
        }
    }
    if let Some(message) = world.resource::<Kinds>().problem(&group.spawn).filter(|_| group.at.is_empty()) {
        add(format!("groups[{index}].spawn"), message);
    }
}

/// The problems of an object group: of its names, and of the object that it places.
fn object_group_problems(world: &World, scene: &Scene, index: usize, add: &mut impl FnMut(String, String)) {
    let group = &scene.object_groups[index];
    let owner = format!("object_groups[{index}]");
    let known = scene.object_groups[..index].iter().position(|known| known.name == group.name);
    if group.name.is_empty() {
        add(format!("{owner}.name"), "an object group needs a name".into());
    } else if let Some(known) = known {
        let message = format!("the name `{}` is taken by object_groups[{known}]", shown(&group.name));
        add(format!("{owner}.name"), message);
    }
    let Spawning { interval_steps, start_step, end_step, .. } = *group.spawn.common();
    for (field, value) in [("interval_steps", interval_steps), ("start_step", start_step), ("end_step", end_step)] {
        if value != 0 {
            add(
                format!("{owner}.spawn.{field}"),
                format!("objects are placed at the start: expected 0, found {value}"),
            );
        }
    }
    if let Some(message) = world.resource::<Kinds>().problem(&group.spawn) {
        add(format!("{owner}.spawn"), message);
    }
    // Its problems, with paths that lead to the group.
    let at_group = |path: &str| format!("{owner}.object{}", path.strip_prefix("objects[0]").unwrap_or(path));
    object_problems(world, 0, &group.object, |path, message| add(at_group(&path), message));
    let common = group.object.common();
    let within = object_problems_within(world.resource::<Kinds>(), 0, &group.object);
    let references = reference::problems_of(world, scene, "objects[0]", (&common.controller, &common.sensors));
    for problem in within.into_iter().chain(references) {
        add(at_group(&problem.path), problem.message);
    }
    if common.placed {
        add(format!("{owner}.object.placed"), "the group sets it: leave it out".into());
    }
    if group.object.value().is::<Gone>() {
        add(format!("{owner}.object"), "name an object to place, such as Disc(radius_m: 0.2)".into());
    }
}

/// The problems of the rules for a lack of room, and of a spawner for a number of agents or objects.
fn problems_of_placing(
    world: &World,
    spawn: &Slot<SpawnerFamily>,
    count: u32,
    scene: &Scene,
    mut add: impl FnMut(String),
) {
    let Some(kind) = world.resource::<SpawnerKinds>().of_value(spawn.value()) else { return };
    let mut spawn = spawn.clone();
    let Spawning { if_full, gap_m, avoid_overlap, .. } = *spawn.common();
    if count > 0
        && let Err(message) = (kind.fit)(spawn.value_mut(), count)
    {
        add(message);
    }
    if if_full == IfFull::Pack && (kind.placing)(spawn.value()).is_some_and(|placing| placing.area.is_none()) {
        add("`if_full: Pack` needs a spawner with an area, such as UniformBox or UniformDisc".into());
    }
    if !avoid_overlap && !matches!(if_full, IfFull::Default | IfFull::Overlap) {
        add(format!("`if_full: {if_full:?}` needs `avoid_overlap: true`: without it, everything has room"));
    }
    let is_of_agents = !matches!(if_full, IfFull::Default | IfFull::Overlap) || gap_m > 0.0;
    if scene.random_source == RandomSource::Classic && is_of_agents {
        add("`if_full` and `gap_m` need `random_source: Streams`: with `Classic`, new robots push each other".into());
    }
}

/// The problems of one object without its references.
fn object_problems(world: &World, index: usize, object: &Slot<ObjectFamily>, mut add: impl FnMut(String, String)) {
    if let Some(message) = object::problem(world, object) {
        add(format!("objects[{index}]"), message);
    }
    if let Some(message) = object::movable::problem(world, object) {
        add(format!("objects[{index}].movable"), message);
    }
    let Presence { motion, controller, sensors, .. } = object.common();
    if let Some(message) = command_mismatch(world, controller, motion) {
        add(format!("objects[{index}].controller"), message);
    }
    if let Some(message) = noise_mismatch(motion) {
        add(format!("objects[{index}].motion.motion_noise"), message);
    }
    for message in unusable_controller(world, controller, None) {
        add(format!("objects[{index}].controller"), message);
    }
    for (place, message) in sensor::unusable_names(world, controller, sensors) {
        add(format!("objects[{index}].sensors[{place}].name"), message);
    }
    if sensors.len() > usize::from(u16::MAX) {
        add(format!("objects[{index}].sensors"), format!("at most {} sensors fit on an object", u16::MAX));
    }
    for (place, message) in sensor::problems(world, sensors, (motion, None, None)) {
        add(format!("objects[{index}].sensors[{place}"), message);
    }
}

/// The problems of the kinds that are parameters of others: noise, motion models, losses and behaviours.
fn problems_within(kinds: &Kinds, scene: &Scene) -> Vec<Problem> {
    let groups = scene.groups.iter().enumerate().flat_map(|(index, group)| group_problems_within(kinds, index, group));
    let objects = scene.objects.iter().enumerate();
    groups.chain(objects.flat_map(|(index, object)| object_problems_within(kinds, index, object))).collect()
}

fn group_problems_within(kinds: &Kinds, index: usize, group: &Group) -> Vec<Problem> {
    let Group { sensors, controller, motion, radio, .. } = group;
    let parts: [(_, &dyn Reflect); 4] =
        [("sensors", sensors), ("controller", controller), ("motion", motion), ("radio", radio)];
    parts_problems_within(kinds, &format!("groups[{index}]"), &parts)
}

fn object_problems_within(kinds: &Kinds, index: usize, object: &Slot<ObjectFamily>) -> Vec<Problem> {
    let Presence { sensors, controller, motion, .. } = object.common();
    let parts: [(_, &dyn Reflect); 3] = [("sensors", sensors), ("controller", controller), ("motion", motion)];
    parts_problems_within(kinds, &format!("objects[{index}]"), &parts)
}

fn parts_problems_within(kinds: &Kinds, owner: &str, parts: &[(&str, &dyn Reflect)]) -> Vec<Problem> {
    let mut problems = Vec::new();
    for (name, value) in parts {
        add_problems_within(kinds, Leaf { path: format!("{owner}.{name}"), ..Leaf::root(*value) }, &mut problems);
    }
    problems
}

fn add_problems_within(kinds: &Kinds, leaf: Leaf, problems: &mut Vec<Problem>) {
    let families = [NoiseFamily::NAME, MotionFamily::NAME, LossFamily::NAME, BehaviourFamily::NAME];
    if let Some(kind) = kinds.in_slot(leaf.value).filter(|kind| families.contains(&kind.family))
        && let Some(message) = (kind.problem)(kinds.see_through(leaf.value))
    {
        problems.push(Problem::of_field(leaf.path.clone(), message));
    }
    path::parts(kinds, &leaf).for_each(|part| add_problems_within(kinds, part, problems));
}

fn unusable_body(body: &Body) -> Option<String> {
    match body {
        Body::Polygon { corners_m, file, .. } if corners_m.is_empty() && !file.is_empty() => {
            Some(format!("`{file}` was not read: drawings are read when a scene is opened from its file"))
        }
        body => object::form_problem(&Form::Polygon(body.corners_m()?.to_vec())),
    }
}

/// The problem with the name of an object if the scene has no object with this name.
fn unknown_object(name: &str, scene: &Scene) -> Option<String> {
    unknown("object", name, scene, |object| !object.is::<Gone>())
}

/// The problem with the name of an object if no object accepted by `counts` has this name.
pub fn unknown(what: &str, name: &str, scene: &Scene, counts: impl Fn(&dyn Reflect) -> bool) -> Option<String> {
    let objects = scene.objects.iter().filter(|object| counts(object.value()));
    let listed = objects.map(|object| object.common().name.clone());
    let groups = scene.object_groups.iter().filter(|group| counts(group.object.value()));
    let placed = groups.flat_map(|group| (0..group.placed()).map(|number| group.name_of(number)));
    let names: Vec<String> = listed.chain(placed).filter(|name| !name.is_empty()).collect();
    let names: Vec<&str> = names.iter().map(String::as_str).collect();
    let is_unknown = !name.is_empty() && !names.contains(&name);
    is_unknown.then(|| format!("unknown {what} `{name}`{}", suggestion(name, &names)))
}

/// The problems of the faults of a scene.
fn faults(scene: &Scene) -> Vec<Problem> {
    let problem = |(place, fault): (usize, &Fault)| {
        let message = match fault.target.as_str() {
            "" => "name a group, or one robot such as `prey-3`".into(),
            who => scene.unknown_robot(who)?,
        };
        Some(Problem::of_field(format!("faults[{place}].target"), message))
    };
    scene.faults.iter().enumerate().filter_map(problem).collect()
}

fn command_mismatch(world: &World, controller: &Slot<ControllerFamily>, motion: &Slot<MotionFamily>) -> Option<String> {
    let (controller, motion) = (controller.value(), motion.value());
    // The program that commands the robot chooses the form.
    if controller.downcast_ref::<External>().is_some_and(|external| external.actuators.is_empty()) {
        return None;
    }
    let form = world.resource::<ControllerKinds>().command_form(controller)?;
    let forms = world.resource::<MotionKinds>().of_value(motion)?.accepts;
    (!forms.contains(&form)).then(|| {
        let taken = forms.iter().map(|form| form.words()).collect::<Vec<_>>();
        format!(
            "{} commands {}, but the motion model {} takes {}",
            controller.reflect_short_type_path(),
            form.words(),
            motion.reflect_short_type_path(),
            join(&taken, "or"),
        )
    })
}

/// The reason why a motion model does not allow its noise.
fn noise_mismatch(motion: &Slot<MotionFamily>) -> Option<String> {
    let keeps_velocity = motion.value().is::<DoubleIntegrator>();
    (keeps_velocity && motion.common().motion_noise != MotionNoise::default()).then(|| {
        "DoubleIntegrator takes a deviation from its path for an obstacle: it does not allow `motion_noise`".into()
    })
}

/// The lack of a kind that needs a radio, perhaps one that measures bearings.
fn radio_lack(name: &str, (needs_radio, needs_bearings): (bool, bool), radio: Option<&Radio>) -> Option<String> {
    match radio {
        None if needs_radio => Some(format!("{name} needs a radio, and there is none")),
        Some(radio) if needs_bearings && !radio.situated => {
            Some(format!("{name} needs the positions of senders: set `situated: true` in its radio"))
        }
        _ => None,
    }
}

/// The reasons why a controller cannot work.
fn unusable_controller(world: &World, controller: &Slot<ControllerFamily>, radio: Option<&Radio>) -> Vec<String> {
    let problem = world.resource::<Kinds>().problem(controller);
    let controller = controller.value();
    let Some(known) = world.resource::<ControllerKinds>().of_value(controller) else { return Vec::new() };
    let name = controller.reflect_short_type_path();
    let lack = radio_lack(name, (known.needs_radio, known.needs_bearings), radio);
    problem.into_iter().chain(lack).collect()
}

/// The number of readings of all sensors of one agent or object, including those kept for their noise.
fn channels(world: &World, sensors: &[Slot<SensorFamily>]) -> u64 {
    let registry = world.resource::<SensorKinds>();
    let noise_kinds = world.resource::<NoiseKinds>();
    let of = |sensor: &Slot<SensorFamily>| {
        let channels = registry.channels(sensor.value()).unwrap_or(1) as u64;
        channels.saturating_mul(1 + noise_kinds.keeps(&sensor.common().noise))
    };
    sensors.iter().map(of).fold(0, u64::saturating_add)
}

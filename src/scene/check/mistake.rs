//! Warnings about values that a scene may have, but that are mostly mistakes.

use std::collections::BTreeMap;

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::{Kinds, ObjectName, SensorSlot, Slot};
use swarmarium_core::sensor::{Gauge, SensorFamily, SensorKinds};
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::{count, rounded, shown, words};

use super::reference::{Parts, owners, slots};
use crate::scene::description::Scene;
use crate::scene::path::{self, Leaf};

/// The values of a scene without problems that are mostly mistakes.
pub fn mistakes(world: &World, scene: &Scene) -> Vec<Problem> {
    let of_owner = |(owner, parts): (String, Parts)| {
        let of_slots = unsuitable_slots(world, &owner, parts);
        let of_names = ambiguous_names(world, scene, &owner, parts);
        let of_sensors = equal_names(&owner, parts.1);
        of_slots.into_iter().chain(of_names).chain(of_sensors)
    };
    let degrees =
        path::leaves(world.resource::<Kinds>(), scene).into_iter().filter_map(|leaf| degrees_per_second(&leaf));
    owners(scene).flat_map(of_owner).chain(degrees).collect()
}

/// A controller that listens to a sensor which does not exist, or whose readings do not tell whether it detects something.
fn unsuitable_slots(world: &World, owner: &str, (controller, sensors): Parts) -> Option<Problem> {
    let kind = controller.value().reflect_short_type_path();
    let mistake = |(path, wanted, slot): (String, SensorSlot, usize)| {
        let message = match sensors.get(slot) {
            // A robot without infrared sensors is blind, and one without odometry knows its pose.
            None if matches!(wanted, SensorSlot::Infrared | SensorSlot::Pose) => return None,
            None => format!(
                "{kind} listens to sensor {slot}, but there are no sensors, so that it reads nothing: add one, such as \
                 `sensors: [LineOfSight()]`"
            ),
            Some(sensor) if matches!(wanted, SensorSlot::Detection) => no_detection(world, kind, slot, sensor)?,
            Some(_) => return None,
        };
        Some(Problem::of_field(format!("{owner}.controller.{path}"), message))
    };
    slots(world, controller).into_iter().find_map(mistake)
}

/// The smallest number that counts as a detection.
const DETECTED: f64 = 0.5;

/// The message about a sensor whose reading is not a detection, such as one that reads a position, or a distance that grows
/// when nothing is near.
fn no_detection(world: &World, kind: &str, slot: usize, sensor: &Slot<SensorFamily>) -> Option<String> {
    let sensor = sensor.value();
    let registry = world.resource::<SensorKinds>();
    let (name, unit) = registry.channel(sensor, 0);
    let sensor_kind = sensor.reflect_short_type_path();
    let instead = match registry.gauge(sensor) {
        Gauge::Numbers if !unit.is_empty() => {
            format!("the first number of {sensor_kind} is \"{}\" in {unit}", name.to_lowercase())
        }
        Gauge::Rays { free, .. } if free > DETECTED => {
            format!("the rays of {sensor_kind} read {} without a hit", rounded(free))
        }
        _ => return None,
    };
    Some(format!(
        "{kind} takes the reading of sensor {slot} for a detection, but {instead}: use a sensor that detects something, such \
         as LineOfSight"
    ))
}

/// Names by which a controller refers to an object although several objects have them.
fn ambiguous_names(world: &World, scene: &Scene, owner: &str, (controller, _): Parts) -> Vec<Problem> {
    let mistake = |Leaf { path, value, field, .. }: Leaf| {
        field.filter(|field| field.has_attribute::<ObjectName>())?;
        let name = path::inside(value).downcast_ref::<String>().filter(|name| !name.is_empty())?;
        let twins = scene.objects.iter().filter(|object| object.common().name == *name).count();
        let message = format!("{} have the name `{}`: the first one counts", count(twins, "object"), shown(name));
        (twins > 1).then(|| Problem::of_field(format!("{owner}.controller.{path}"), message))
    };
    path::leaves(world.resource::<Kinds>(), controller).into_iter().filter_map(mistake).collect()
}

/// Sensors of one robot or object with the same name.
fn equal_names(owner: &str, sensors: &[Slot<SensorFamily>]) -> Vec<Problem> {
    let mut known: BTreeMap<&str, usize> = BTreeMap::new();
    let mut mistakes = Vec::new();
    for (slot, sensor) in sensors.iter().enumerate().filter(|(_, sensor)| !sensor.common().name.is_empty()) {
        let name = &sensor.common().name;
        let first = *known.entry(name).or_insert(slot);
        if first != slot {
            let message = format!("the name `{}` is that of sensor {first}, too: rename one", shown(name));
            mistakes.push(Problem::of_field(format!("{owner}.sensors[{slot}].name"), message));
        }
    }
    mistakes
}

/// The slowest turn rate (rad/s) that is taken for one in degrees if its number is round: five turns per second.
const FAST_RAD_PER_S: f64 = 30.0;

/// A turn rate that is round in degrees, and of several turns per second in radians.
fn degrees_per_second(Leaf { path, value, .. }: &Leaf) -> Option<Problem> {
    let field = path.rsplit('.').next().unwrap_or(path);
    let rate = number(*value).filter(|rate| rate.abs() >= FAST_RAD_PER_S && rate % 5.0 == 0.0)?;
    (words(field).1 == "rad/s").then(|| {
        let turns = rounded(rate.abs() / std::f64::consts::TAU);
        let radians = rounded(rate.to_radians());
        let message = format!("{rate} rad/s is {turns} turns per second; {rate} degrees per second is {radians}");
        Problem::of_field(path.clone(), message)
    })
}

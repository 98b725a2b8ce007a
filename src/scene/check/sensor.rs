//! Checks of the sensors of robots and objects.

use bevy::prelude::*;
use swarmarium_core::controller::{ControllerFamily, ControllerKinds};
use swarmarium_core::gripper::Gripper;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::motion::{MotionFamily, MotionKinds};
use swarmarium_core::noise::NoiseKinds;
use swarmarium_core::radio::Radio;
use swarmarium_core::sensor::{SensorFamily, SensorKinds};
use swarmarium_core::text::wording::shown;

use super::radio_lack;

/// The sensors with invalid parameters, each with the rest of the path to it or to its noise.
pub(super) fn problems(
    world: &World,
    sensors: &[Slot<SensorFamily>],
    (motion, radio, gripper): (&Slot<MotionFamily>, Option<&Radio>, Option<&Gripper>),
) -> Vec<(String, String)> {
    let kinds = world.resource::<Kinds>();
    let own = sensors.iter().enumerate().filter_map(|(slot, sensor)| Some((slot, kinds.problem(sensor)?)));
    let without_parts =
        without_radio(world, sensors, radio).into_iter().chain(without_gripper(world, sensors, gripper));
    let of_sensors = own.chain(without_wheels(world, sensors, motion)).chain(without_parts);
    let of_sensors = of_sensors.map(|(slot, message)| (format!("{slot}]"), message));
    let of_noise = sensors.iter().enumerate().flat_map(|(slot, sensor)| {
        let misfits = unusable_noise(world, sensor).into_iter();
        misfits.map(move |(link, message)| (format!("{slot}].noise[{link}]"), message))
    });
    of_sensors.chain(of_noise).collect()
}

/// The names of sensors by which a controller cannot refer to them.
pub(super) fn unusable_names(
    world: &World,
    controller: &Slot<ControllerFamily>,
    sensors: &[Slot<SensorFamily>],
) -> Vec<(usize, String)> {
    let entry = world.resource::<ControllerKinds>().of_value(controller.value());
    let Some(reserved) = entry.and_then(|entry| entry.reserved_names) else { return Vec::new() };
    let problem = |(place, sensor): (usize, &Slot<SensorFamily>)| {
        let name = &sensor.common().name;
        if name.is_empty() {
            return None;
        }
        let kind = controller.value().reflect_short_type_path();
        let twin = sensors[..place].iter().position(|known| known.common().name == *name);
        match twin {
            _ if reserved.contains(&name.as_str()) => {
                Some((place, format!("{kind} has another `{name}`: rename the sensor")))
            }
            Some(twin) => Some((place, format!("the name `{}` is taken by sensor {twin}", shown(name)))),
            None => None,
        }
    };
    sensors.iter().enumerate().filter_map(problem).collect()
}

/// The noise links of a sensor, by index, that work on numbers that the sensor does not read.
fn unusable_noise(world: &World, sensor: &Slot<SensorFamily>) -> Vec<(usize, String)> {
    let registry = world.resource::<SensorKinds>();
    let kinds = || {
        let kinds = world.resource::<Kinds>().family(SensorFamily::NAME);
        kinds.map(|kind| (kind.name, registry.fields((kind.default)().as_reflect()).to_vec())).collect()
    };
    let (name, fields) = (sensor.value().reflect_short_type_path(), registry.fields(sensor.value()));
    world.resource::<NoiseKinds>().misfits(&sensor.common().noise, (name, fields), kinds)
}

/// The sensors, by slot, that count turns of wheels on a motion model without wheels.
fn without_wheels(world: &World, sensors: &[Slot<SensorFamily>], motion: &Slot<MotionFamily>) -> Vec<(usize, String)> {
    let (registry, motions) = (world.resource::<SensorKinds>(), world.resource::<MotionKinds>());
    let motion = motion.value();
    if motions.of_value(motion).is_none_or(|known| known.has_wheels) {
        return Vec::new();
    }
    let with_wheels: Vec<&str> =
        motions.iter().map(|kind| kind.entry).filter(|known| known.has_wheels).map(|known| known.name).collect();
    let message = |sensor: &dyn Reflect| {
        format!(
            "{} counts the turns of wheels, but motion {} has none: it can be {}",
            sensor.reflect_short_type_path(),
            motion.reflect_short_type_path(),
            with_wheels.join(", "),
        )
    };
    let sensors = sensors.iter().map(Slot::value).enumerate();
    sensors
        .filter(|(_, sensor)| registry.of_value(*sensor).is_some_and(|kind| kind.counts_turns))
        .map(|(slot, sensor)| (slot, message(sensor)))
        .collect()
}

/// The sensors, by slot, that lack a radio.
fn without_radio(world: &World, sensors: &[Slot<SensorFamily>], radio: Option<&Radio>) -> Vec<(usize, String)> {
    let registry = world.resource::<SensorKinds>();
    let lack = |(slot, sensor): (usize, &Slot<SensorFamily>)| {
        let known = registry.of_value(sensor.value())?;
        let name = sensor.value().reflect_short_type_path();
        Some((slot, radio_lack(name, (known.needs_radio, known.needs_bearings), radio)?))
    };
    sensors.iter().enumerate().filter_map(lack).collect()
}

/// The sensors, by slot, that lack a gripper.
fn without_gripper(world: &World, sensors: &[Slot<SensorFamily>], gripper: Option<&Gripper>) -> Vec<(usize, String)> {
    let registry = world.resource::<SensorKinds>();
    let needs = |sensor: &dyn Reflect| registry.of_value(sensor).is_some_and(|kind| kind.needs_gripper);
    let lacking = sensors.iter().map(Slot::value).enumerate().filter(|(_, sensor)| gripper.is_none() && needs(*sensor));
    let message =
        |sensor: &dyn Reflect| format!("{} needs a gripper, and there is none", sensor.reflect_short_type_path());
    lacking.map(|(slot, sensor)| (slot, message(sensor))).collect()
}

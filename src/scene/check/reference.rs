//! The sensors and objects that controllers refer to.

use bevy::prelude::*;
use swarmarium_base::math::wrap_angle;
use swarmarium_base::problem::Problem;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::{Kinds, ObjectName, SensorSlot, Slot};
use swarmarium_core::sensor::infrared::Infrared;
use swarmarium_core::sensor::{Gauge, SensorFamily, SensorKinds};

use super::{number_or_none, unknown_object};
use crate::scene::description::Scene;
use crate::scene::path::{self, Leaf};

/// Checks that the sensors and objects that controllers refer to exist, and that these sensors have the readings that
/// they need.
///
/// Most controllers refer to slot 0 by default; agents without sensors read nothing there.
pub(super) fn problems(world: &World, scene: &Scene) -> Vec<Problem> {
    owners(scene).flat_map(|(owner, parts)| problems_of(world, scene, &owner, parts)).collect()
}

/// A controller and the sensors that it can listen to.
pub(super) type Parts<'s> = (&'s Slot<ControllerFamily>, &'s [Slot<SensorFamily>]);

/// The groups and objects of a scene, by path.
pub(super) fn owners(scene: &Scene) -> impl Iterator<Item = (String, Parts<'_>)> {
    let groups = scene.groups.iter().enumerate();
    let groups = groups.map(|(index, group)| (format!("groups[{index}]"), (&group.controller, &group.sensors[..])));
    let objects = scene.objects.iter().map(Slot::common).enumerate();
    let objects = objects.map(|(index, own)| (format!("objects[{index}]"), (&own.controller, &own.sensors[..])));
    groups.chain(objects)
}

/// The sensor slots that a controller refers to, by path below it.
pub(super) fn slots(world: &World, controller: &Slot<ControllerFamily>) -> Vec<(String, SensorSlot, usize)> {
    let leaves = path::leaves(world.resource::<Kinds>(), controller);
    let slot = |Leaf { path, value, field, .. }: Leaf| {
        let wanted = field?.get_attribute::<SensorSlot>()?;
        Some((path, *wanted, number_or_none(value)? as usize))
    };
    leaves.into_iter().filter_map(slot).collect()
}

/// The problems of the references of one controller.
pub(super) fn problems_of(world: &World, scene: &Scene, owner: &str, (controller, sensors): Parts) -> Vec<Problem> {
    let mut problems = Vec::new();
    for Leaf { path, value, field, .. } in path::leaves(world.resource::<Kinds>(), controller) {
        let slot = field.and_then(|field| field.get_attribute::<SensorSlot>()).zip(number_or_none(value));
        let name = field.filter(|field| field.has_attribute::<ObjectName>());
        let name = name.and_then(|_| path::inside(value).downcast_ref::<String>());
        let of_slot = slot.and_then(|(wanted, slot)| unusable_slot(world, sensors, slot as usize, *wanted));
        if let Some(message) = of_slot.or_else(|| unknown_object(name?, scene)) {
            problems.push(Problem::of_field(format!("{owner}.controller.{path}"), message));
        }
    }
    problems
}

/// The reason why a controller cannot use the sensor in a slot.
fn unusable_slot(world: &World, sensors: &[Slot<SensorFamily>], slot: usize, wanted: SensorSlot) -> Option<String> {
    let Some(sensor) = sensors.get(slot).map(Slot::value) else {
        let known = match sensors.len() {
            0 if slot == 0 => return None,
            0 => "are no sensors".into(),
            1 => "is only sensor 0".into(),
            count => format!("are only sensors 0 to {}", count - 1),
        };
        return Some(format!("the controller listens to sensor {slot}, but there {known}"));
    };
    let sees = |sensor: &dyn Reflect| sensor.as_any().is::<Infrared>();
    let (serves, needed) = match wanted {
        SensorSlot::Any | SensorSlot::Detection => return None,
        SensorSlot::Ring => {
            let gauge = world.resource::<SensorKinds>().gauge(sensor);
            (
                sees(sensor) || is_ring(&gauge),
                "be Infrared, or have evenly spaced rays all round that read 0 without a hit, as `Proximity()` has",
            )
        }
        SensorSlot::Infrared => {
            let is_blind = slot == 0 && !sensors.iter().any(|sensor| sees(sensor.value()));
            (is_blind || sees(sensor), "be Infrared")
        }
        SensorSlot::Pose => {
            let registry = world.resource::<SensorKinds>();
            let is_heading = registry.fields(sensor).get(2).is_none_or(|name| *name == "heading");
            (
                registry.channels(sensor) == Some(3) && is_heading,
                "read three numbers: x, y and heading, as Odometry does",
            )
        }
        SensorSlot::Zone => {
            let fields = world.resource::<SensorKinds>().fields(sensor);
            (fields.starts_with(&["count", "direction_x", "direction_y", "heading_x", "heading_y"]), "be a Zone")
        }
    };
    let name = sensor.reflect_short_type_path();
    (!serves).then(|| format!("the controller listens to sensor {slot}, which is {name}, but must {needed}"))
}

/// Whether a sensor has rays evenly spaced all round, the first one half a space to the left of the heading, that read 0
/// without a hit.
fn is_ring(gauge: &Gauge) -> bool {
    let Gauge::Rays { bearings_rad, free, .. } = gauge else { return false };
    let expected = |ray: usize| (ray as f64 + 0.5) * std::f64::consts::TAU / bearings_rad.len() as f64;
    let is_near = |(ray, bearing): (usize, &f64)| wrap_angle(bearing - expected(ray)).abs() < 1e-6;
    *free == 0.0 && bearings_rad.iter().enumerate().all(is_near)
}

//! The names of the sensors of a robot, for controllers that refer to sensors by name.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, LazyLock};

use bevy::prelude::*;
use swarmarium_base::sensor_layout::{NamedSensor, SensorLayout};

use super::{SensorKinds, Sensors};
use crate::component::ComponentSettings;

/// The sensors of an agent by name. A cache, which robots share that have the same sensors.
#[derive(Component, Clone, Debug)]
pub struct SensorNames(pub Arc<SensorLayout>);

impl Default for SensorNames {
    fn default() -> Self {
        static NONE: LazyLock<Arc<SensorLayout>> = LazyLock::new(Arc::default);
        Self(NONE.clone())
    }
}

/// The names of sensors, given by slot as their kinds and the names that a scene gives them.
///
/// A sensor without a name is called like its kind: `binary_fov`. If another sensor has that name, it has a number behind
/// it: `binary_fov_2`.
pub fn layout<'a>(kinds: &SensorKinds, sensors: impl Iterator<Item = (&'a dyn Reflect, &'a str)>) -> SensorLayout {
    let sensors: Vec<_> = sensors.collect();
    let own_names: BTreeSet<&str> = sensors.iter().map(|(_, own)| *own).collect();
    let mut layout = SensorLayout::default();
    for (sensor, own) in sensors {
        let is_given = |name: &str| layout.sensors.iter().any(|known| known.name == name);
        let is_free = |name: &String| !is_given(name) && !own_names.contains(name.as_str());
        let kind = snake_case(sensor.reflect_type_ident().unwrap_or_default());
        let of_kind = || {
            let numbered = (2..).map(|number| format!("{kind}_{number}"));
            std::iter::once(kind.clone()).chain(numbered).find(is_free).unwrap_or_default()
        };
        let name = if own.is_empty() { of_kind() } else { own.to_owned() };
        layout.sensors.push(NamedSensor { name, is_single: kinds.channels(sensor) == Some(1) });
    }
    layout
}

/// `BinaryFov` as `binary_fov`.
pub fn snake_case(name: &str) -> String {
    let mut text = String::new();
    for (place, letter) in name.chars().enumerate() {
        if letter.is_uppercase() && place > 0 {
            text.push('_');
        }
        text.extend(letter.to_lowercase());
    }
    text
}

/// Names the sensors of all robots with controllers that refer to them, after these may have changed.
pub fn name_all(world: &mut World) {
    let Some(mut robots) = world.try_query::<(Entity, Option<&Sensors>, &SensorNames)>() else { return };
    let mut shared: BTreeMap<SensorLayout, Arc<SensorLayout>> = BTreeMap::new();
    let mut changed = Vec::new();
    for (robot, sensors, SensorNames(names)) in robots.iter(world) {
        let layout = layout_of(world, sensors.map_or(&[][..], Sensors::slots));
        if **names != layout {
            let layout = shared.entry(layout).or_insert_with_key(|layout| Arc::new(layout.clone()));
            changed.push((robot, layout.clone()));
        } else {
            shared.entry(layout).or_insert_with(|| names.clone());
        }
    }
    for (robot, layout) in changed {
        world.entity_mut(robot).insert(SensorNames(layout));
    }
}

fn layout_of(world: &World, sensors: &[Entity]) -> SensorLayout {
    let kinds = world.resource::<SensorKinds>();
    let named = sensors.iter().filter_map(|sensor| {
        let sensor = world.entity(*sensor);
        let (_, value) = kinds.of_entity(sensor)?;
        Some((value, sensor.get::<ComponentSettings>().map_or("", |settings| settings.name.as_str())))
    });
    layout(kinds, named)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_called_in_snake_case() {
        assert_eq!(["BinaryFov", "Pose", "Gps"].map(snake_case), ["binary_fov", "pose", "gps"]);
    }
}

#![doc = include_str!("../docs/library.md")]
#![forbid(unsafe_code)]

use bevy::prelude::*;

pub mod actuator;
pub mod agent;
pub mod agent_view;
pub mod arena;
pub mod bench;
pub mod cli;
pub mod clock;
pub mod component;
pub mod controller;
pub mod draw;
pub mod drawing;
pub mod edit;
pub mod encoding;
pub mod events;
pub mod files;
pub mod id;
pub mod kind;
#[cfg(feature = "lab")]
pub mod lab;
pub mod limits;
pub mod math;
pub mod metric;
pub mod names;
pub mod noise;
pub mod object;
pub mod picture;
pub mod problem;
pub mod radio;
pub mod random;
pub mod remote;
pub mod scene;
pub mod sensor;
pub mod service;
pub mod simulation;
pub mod space;
pub mod spawner;
pub mod state;
pub mod step;
pub mod time;
pub mod variant;
#[cfg(feature = "video")]
pub mod video;
pub mod xml;

pub use simulation::{Recipe, Simulation};

/// The types that plugins and scenes in code need most.
pub mod prelude {
    pub use bevy::math::DVec2;

    pub use crate::actuator::{Actuator, AddActuator};
    pub use crate::agent::body::Body;
    pub use crate::agent::motion::{AddMotionModel, MotionModel};
    pub use crate::agent::placement::Placement;
    pub use crate::agent::{Command, CommandForm, Pose};
    pub use crate::arena::{Arena, Walls};
    pub use crate::controller::{AddController, Controller, Drive, Senses};
    pub use crate::draw::View;
    pub use crate::edit::Edit;
    pub use crate::kind::{ObjectName, Open, SensorSlot};
    pub use crate::limits::Limits;
    pub use crate::metric::{AddMetric, Metric, NoHistory, Swarm};
    pub use crate::noise::{AddNoise, Noise};
    pub use crate::object::{AddObject, Figure, Look, Notices, Object};
    pub use crate::picture::palette::Role;
    pub use crate::picture::{Layer, Picture, Shape};
    pub use crate::radio::{AddLoss, Heard, Loss, Radio};
    pub use crate::scene::description::{Group, Scene, Stop, Time};
    pub use crate::sensor::{AddSensor, Sensor, Viewpoint};
    pub use crate::simulation::{Recipe, Simulation};
    pub use crate::space::{Form, Space, Thing, What};
    pub use crate::spawner::{AddSpawner, Facing, Spawner};
    pub use crate::state::NoMemory;
    pub use crate::step::order::Order;
}

/// Everything that comes with the program.
///
/// | plugin | adds |
/// |---|---|
/// | `step` | the clock and the order of the step |
/// | `events` | the log of what happened |
/// | `edit` | changes from outside, at the start of a step |
/// | `scene` | the scene, its seed and its population |
/// | `agent` | pose, body, command; motion models |
/// | `radio` | radios, and the kinds of loss |
/// | `sensor`, `noise`, `controller`, `actuator`, `spawner`, `object`, `metric` | the kinds of each family |
pub(crate) fn plugin(app: &mut App) {
    let mut kinds = app.world_mut().get_resource_or_init::<kind::Kinds>();
    // In the order of a step: lists and documentation follow it.
    kinds.add_slot::<spawner::SpawnerFamily>();
    kinds.add_slot::<controller::ControllerFamily>();
    kinds.add_slot::<controller::behaviour::BehaviourFamily>();
    kinds.add_slot::<actuator::ActuatorFamily>();
    kinds.add_slot::<agent::motion::MotionFamily>();
    kinds.add_slot::<sensor::SensorFamily>();
    kinds.add_slot::<noise::NoiseFamily>();
    kinds.add_slot::<radio::LossFamily>();
    kinds.add_slot::<object::ObjectFamily>();
    kinds.add_slot::<metric::MetricFamily>();
    kinds.add_type::<scene::Scene>();
    app.add_plugins((
        step::plugin,
        events::plugin,
        edit::plugin,
        random::plugin,
        scene::spawn::plugin,
        agent::plugin,
        spawner::plugin,
        controller::plugin,
        actuator::plugin,
        sensor::plugin,
        noise::plugin,
        radio::plugin,
        object::plugin,
        metric::plugin,
    ));
}

#[cfg(test)]
pub(crate) mod tests {
    /// A JSON file of recorded facts, by its path in `tests/data`.
    pub(crate) fn facts(file: &str) -> serde_json::Value {
        let path = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
        serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
    }
}

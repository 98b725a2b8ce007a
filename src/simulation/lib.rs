//! The simulation of Swarmarium as a value: it starts from a scene, steps, takes edits and can be one of a batch.
#![forbid(unsafe_code)]

use bevy::prelude::*;
use swarmarium_core::{
    actuator, agent, controller, field, gripper, kind, leds, metric, motion, noise, object, radio, random, sensor,
    spawner, step,
};
use swarmarium_scene::scene;

pub mod batch;
pub mod clients;
pub mod column;
pub mod edit;
pub mod engine;
pub mod population;
pub mod read_view;
mod reads;
mod recipe;
pub mod simulation;

pub use simulation::{Recipe, Simulation};

/// The types that plugins and scenes in code need most.
pub mod prelude {
    pub use bevy::math::DVec2;
    pub use bevy::prelude::ReflectDefault;
    pub use swarmarium_base::limits::Limits;
    pub use swarmarium_picture::palette::Role;
    pub use swarmarium_picture::{Layer, Picture, Shape};
    pub use swarmarium_space::arena::Arena;
    pub use swarmarium_space::{Boundary, Form, Space, Thing, ThingKind};

    pub use crate::edit::Edit;
    pub use crate::simulation::{Recipe, Simulation};
    pub use swarmarium_core::actuator::{Actuator, AddActuator};
    pub use swarmarium_core::agent::body::Body;
    pub use swarmarium_core::agent::placement::Placement;
    pub use swarmarium_core::agent::{Command, CommandForm, Pose};
    pub use swarmarium_core::controller::{AddController, Controller, Drive, Senses};
    pub use swarmarium_core::kind::{ObjectName, SearchWords, SensorSlot, Slot, kind};
    pub use swarmarium_core::metric::{AddMetric, Metric, MetricLabel, NoHistory, Swarm};
    pub use swarmarium_core::motion::{AddMotionModel, MotionModel};
    pub use swarmarium_core::noise::{AddNoise, Noise, NoiseBounds};
    pub use swarmarium_core::object::{AddObject, Figure, Look, Notices, Object};
    pub use swarmarium_core::radio::{AddLoss, Heard, Loss, Radio};
    pub use swarmarium_core::sensor::{AddSensor, Sensor, Viewpoint};
    pub use swarmarium_core::spawner::{AddSpawner, Facing, Spawner};
    pub use swarmarium_core::state::NoMemory;
    pub use swarmarium_core::step::order::Order;
    pub use swarmarium_draw::View;
    pub use swarmarium_scene::scene::description::{Group, Scene, Stop, Time};
}

/// Adds the clock, the step and the families of kinds, with the kinds of the core.
///
/// | plugin | adds |
/// |---|---|
/// | `step`, `engine` | the clock, the arena and the plan of a step |
/// | `edit` | external changes at the start of a step |
/// | `random` | random streams |
/// | `population` | the scene, its seed and its population |
/// | `agent`, `motion` | pose, body, command; motion models |
/// | `gripper` | grippers |
/// | `radio` | radios, and the kinds of loss |
/// | `field` | emitters, and the state of scalar fields |
/// | `leds` | LEDs |
/// | `sensor`, `noise`, `controller`, `actuator`, `spawner`, `object`, `metric` | the kinds of each family |
pub fn plugin(app: &mut App) {
    let mut kinds = app.world_mut().get_resource_or_init::<kind::Kinds>();
    // In the order of a step; lists and documentation use this order.
    kinds.add_slot::<spawner::SpawnerFamily>();
    kinds.add_slot::<controller::ControllerFamily>();
    kinds.add_slot::<controller::behaviour::BehaviourFamily>();
    kinds.add_slot::<actuator::ActuatorFamily>();
    kinds.add_slot::<motion::MotionFamily>();
    kinds.add_slot::<sensor::SensorFamily>();
    kinds.add_slot::<noise::NoiseFamily>();
    kinds.add_slot::<radio::LossFamily>();
    kinds.add_slot::<object::ObjectFamily>();
    kinds.add_slot::<metric::MetricFamily>();
    kinds.add_type::<scene::Scene>();
    app.add_plugins((
        (step::plugin, engine::plugin),
        edit::plugin,
        random::plugin,
        population::plugin,
        (agent::plugin, gripper::plugin, motion::plugin),
        spawner::plugin,
        controller::plugin,
        actuator::plugin,
        sensor::plugin,
        noise::plugin,
        (radio::plugin, leds::plugin, field::plugin),
        object::plugin,
        metric::plugin,
    ));
}

//! The simulation of Swarmarium: scenes, the step, the families of kinds.
#![forbid(unsafe_code)]

use bevy::prelude::*;

pub mod actuator;
pub mod agent;
pub mod agent_view;
pub mod aim;
pub mod batch;
pub mod check;
pub mod clients;
pub mod clock;
pub mod component;
pub mod controller;
pub mod draw;
pub mod driving;
pub mod edit;
pub mod engine;
pub mod events;
pub mod expression;
pub mod kind;
pub mod metric;
pub mod motion;
pub mod noise;
pub mod object;
pub mod population;
pub mod radio;
pub mod random;
pub mod scene;
pub mod sensor;
pub mod service;
pub mod simulation;
pub mod spawner;
pub mod state;
pub mod step;
pub mod text;
pub mod time;
pub mod timeline;

pub use simulation::{Recipe, Simulation};

/// The types that plugins and scenes in code need most.
pub mod prelude {
    pub use bevy::math::DVec2;
    pub use swarmarium_base::limits::Limits;
    pub use swarmarium_picture::palette::Role;
    pub use swarmarium_picture::{Layer, Picture, Shape};
    pub use swarmarium_space::arena::Arena;
    pub use swarmarium_space::{Boundary, Form, Space, Thing, ThingKind};

    pub use crate::actuator::{Actuator, AddActuator};
    pub use crate::agent::body::Body;
    pub use crate::agent::placement::Placement;
    pub use crate::agent::{Command, CommandForm, Pose};
    pub use crate::controller::{AddController, Controller, Drive, Senses};
    pub use crate::draw::View;
    pub use crate::edit::Edit;
    pub use crate::kind::{ObjectName, SensorSlot, Slot};
    pub use crate::metric::{AddMetric, Metric, NoHistory, Swarm};
    pub use crate::motion::{AddMotionModel, MotionModel};
    pub use crate::noise::{AddNoise, Noise, NoiseBounds};
    pub use crate::object::{AddObject, Figure, Look, Notices, Object};
    pub use crate::radio::{AddLoss, Heard, Loss, Radio};
    pub use crate::scene::description::{Group, Scene, Stop, Time};
    pub use crate::sensor::{AddSensor, Sensor, Viewpoint};
    pub use crate::simulation::{Recipe, Simulation};
    pub use crate::spawner::{AddSpawner, Facing, Spawner};
    pub use crate::state::NoMemory;
    pub use crate::step::order::Order;
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
/// | `radio` | radios, and the kinds of loss |
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
        (agent::plugin, motion::plugin),
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

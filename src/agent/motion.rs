//! Motion models: what turns a command into movement.

use bevy::prelude::*;

use super::{Command, CommandForm, Displacement, Pose};
use crate::history::RegisterState as _;
use crate::kind::{KindType, Kinds, MotionFamily};
use crate::step::{ActsLater, AddKindSystem as _, Phase, SimTime};

pub mod differential_drive;
pub mod stationary;
pub mod unicycle;

/// A motion model. One file: parameters, [`integrate`](MotionModel::integrate), tests.
pub trait MotionModel: KindType {
    /// The command forms that it understands; the first one is its own.
    const ACCEPTS: &'static [CommandForm];

    /// Whether others push the robot aside; one that is not pushed pushes all the same.
    const IS_PUSHED: bool = true;

    /// The pose after obeying a command for `dt_s` seconds.
    fn integrate(&self, pose: &Pose, command: &Command, dt_s: f64) -> Pose;
}

/// On robots that nothing pushes, as their motion model has it.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Anchored;

/// Makes motion models known.
pub trait AddMotionModel {
    /// Adds a motion model: its system, its place after those added before, and its name in scenes.
    fn add_motion_model<K: MotionModel>(&mut self) -> &mut Self;
}

/// Which command forms each motion model accepts, to check scenes with.
#[derive(Resource, Clone, Default)]
pub(crate) struct AcceptedCommands(pub Vec<(std::any::TypeId, &'static [CommandForm])>);

impl AddMotionModel for App {
    fn add_motion_model<K: MotionModel>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<MotionFamily, K>();
        world.get_resource_or_init::<AcceptedCommands>().0.push((std::any::TypeId::of::<K>(), K::ACCEPTS));
        if !K::IS_PUSHED {
            world.register_required_components::<K, Anchored>();
        }
        self.register_state::<K>().add_agent_kind::<MotionFamily, K, _>(Phase::Move, move_all::<K>, |world, agent| {
            let dt_s = world.resource::<SimTime>().dt_s;
            if let Ok((model, command, mut pose, mut moved)) =
                world.entity_mut(agent).get_components_mut::<(&K, &Command, &mut Pose, &mut Displacement)>()
            {
                move_one(model, command, &mut pose, &mut moved, dt_s);
            }
        })
    }
}

fn move_all<K: MotionModel>(
    time: Res<SimTime>,
    mut agents: Query<(&K, &Command, &mut Pose, &mut Displacement), Without<ActsLater>>,
) {
    for (model, command, mut pose, mut moved) in &mut agents {
        move_one(model, command, &mut pose, &mut moved, time.dt_s);
    }
}

fn move_one<K: MotionModel>(model: &K, command: &Command, pose: &mut Pose, moved: &mut Displacement, dt_s: f64) {
    let after = model.integrate(pose, command, dt_s);
    moved.0 = after.position_m - pose.position_m;
    *pose = after;
}

/// Moves along the arc of constant speed and turn rate; exact, as the chord of the arc
/// (RobotSwarmSimulator `MazeAgent`; Siegwart, Nourbakhsh, Scaramuzza: "Introduction to autonomous mobile robots").
pub(crate) fn along_arc(pose: &Pose, v_m_per_s: f64, turn_rad_per_s: f64, dt_s: f64) -> Pose {
    let turn = turn_rad_per_s * dt_s;
    let half = turn / 2.0;
    // Below this turn rate the quotient loses more digits than the straight line errs.
    let chord = if turn_rad_per_s.abs() > 1e-9 {
        2.0 * crate::math::sin(half) * v_m_per_s / turn_rad_per_s
    } else {
        v_m_per_s * dt_s
    };
    let (sin, cos) = crate::math::sin_cos(pose.heading_rad + half);
    Pose {
        position_m: pose.position_m + chord * bevy::math::DVec2::new(cos, sin),
        heading_rad: pose.heading_rad + turn,
    }
}

pub(crate) fn plugin(app: &mut App) {
    app.register_state::<Anchored>();
    app.add_motion_model::<unicycle::Unicycle>()
        .add_motion_model::<differential_drive::DifferentialDrive>()
        .add_motion_model::<stationary::Static>();
}

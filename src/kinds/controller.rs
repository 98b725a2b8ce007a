//! Controllers: they turn readings and memory into a command.

use bevy::prelude::*;
use swarmarium_core::controller::AddController;
use swarmarium_core::step::plan::{AddKernel as _, Duty};

pub mod binary;
pub mod bits;
pub mod boids;
pub mod diffusion;
pub mod flocking;
pub mod formation;
pub mod gossip;
pub mod human;
pub mod lennard_jones;
pub mod levy;
pub mod oscillator;
pub mod rendezvous;
pub mod script;
pub mod supervisor;
pub mod swarmalator;
pub mod table;
pub mod turning;
pub mod velocity;
pub mod waypoint;
pub mod zonal_model;

pub(crate) fn plugin(app: &mut App) {
    app.add_controller::<binary::Binary>()
        .add_controller::<bits::Bits>()
        .add_controller::<boids::Boids>()
        .add_controller::<diffusion::Diffusion>()
        .add_controller::<flocking::Flocking>()
        .add_controller::<formation::Formation>()
        .add_controller::<gossip::Gossip>()
        .add_controller::<human::Human>()
        .add_controller::<lennard_jones::LennardJones>()
        .add_controller::<levy::Levy>()
        .add_controller::<rendezvous::Rendezvous>()
        .add_controller::<script::Script>()
        .add_controller::<supervisor::Supervisor>()
        .add_controller::<table::Table>()
        .add_controller::<velocity::Velocity>()
        .add_controller::<waypoint::Waypoint>()
        .add_controller::<zonal_model::ZonalModel>()
        .add_controller::<oscillator::Oscillator>()
        .add_controller::<swarmalator::Swarmalator>();
    app.world_mut().register_component_hooks::<script::Script>().on_insert(script::begin_memory);
    let formation = app.world_mut().register_component::<formation::Formation>();
    app.add_kernel(Duty::Wake, formation, formation::record_true_pose);
}

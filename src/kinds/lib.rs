//! The kinds that come with Swarmarium: one file for each sensor, controller, metric and so on.
//!
//! A plugin adds them to a recipe, in the same way as a plugin of a user adds its own. The core, the lab, the sockets
//! and the recorder know them only by the traits of their families.
#![forbid(unsafe_code)]

use bevy::prelude::*;

pub mod actuator;
pub mod behaviour;
pub mod controller;
pub mod metric;
pub mod motion;
pub mod noise;
pub mod sensor;
pub mod spawner;

/// Adds all kinds that come with the program.
pub fn plugin(app: &mut App) {
    spawner::plugin(app);
    behaviour::plugin(app);
    controller::plugin(app);
    actuator::plugin(app);
    motion::plugin(app);
    sensor::plugin(app);
    noise::plugin(app);
    metric::plugin(app);
}

#[cfg(test)]
pub(crate) mod testing {
    use swarmarium_base::problem::Problems;
    use swarmarium_scene::scene::Scene;
    use swarmarium_simulation::{Recipe, Simulation};

    /// A recipe with all kinds.
    pub(crate) fn standard() -> Recipe {
        Recipe::bare().with(crate::plugin)
    }

    /// A simulation of a scene with all kinds, on one thread.
    pub(crate) fn simulation(scene: &Scene) -> Result<Simulation, Problems> {
        Simulation::with(scene, &standard(), 1)
    }
}

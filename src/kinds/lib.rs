//! The kinds that come with Swarmarium: one file for each sensor, controller, metric and so on.
//!
//! A plugin adds them to a recipe, in the same way as a plugin of a user adds its own. The core, the lab, the sockets
//! and the recorder know them only by the traits of their families.
#![forbid(unsafe_code)]

use bevy::prelude::*;
use swarmarium_base::problem::Problems;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::{Recipe, Simulation};

pub mod actuator;
pub mod behaviour;
pub mod controller;
pub mod metric;
pub mod noise;
pub mod sensor;
pub mod spawner;

/// Adds all kinds that come with the program.
pub fn plugin(app: &mut App) {
    spawner::plugin(app);
    behaviour::plugin(app);
    controller::plugin(app);
    actuator::plugin(app);
    sensor::plugin(app);
    noise::plugin(app);
    metric::plugin(app);
}

/// Gives [`Recipe`] the constructor `standard`.
pub trait Standard {
    /// A recipe with all kinds that come with the program.
    fn standard() -> Self;
}

impl Standard for Recipe {
    fn standard() -> Self {
        Self::bare().with(plugin)
    }
}

/// Gives [`Simulation`] the constructor `new`.
pub trait FromScene: Sized {
    /// Makes the simulation of a scene with the kinds that come with the program, on one thread.
    ///
    /// ```
    /// use swarmarium_simulation::prelude::*;
    /// use swarmarium_scene::scene::reader;
    /// use swarmarium_kinds::{FromScene as _, Standard as _};
    ///
    /// let text = r#"(groups: [(name: "g", count: 9, spawn: UniformBox(), controller: Levy())])"#;
    /// let scene = reader::read(Recipe::standard().kinds(), "levy.ron", text)?;
    /// let mut simulation = Simulation::new(&scene)?;
    /// simulation.step(10);
    /// assert_eq!(simulation.count(), 9);
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    ///
    /// # Errors
    /// All problems of the scene, if it has any.
    fn new(scene: &Scene) -> Result<Self, Problems>;
}

impl FromScene for Simulation {
    fn new(scene: &Scene) -> Result<Self, Problems> {
        Self::with(scene, &Recipe::standard(), 1)
    }
}

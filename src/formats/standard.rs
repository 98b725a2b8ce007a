//! Simulations with the kinds that come with the program.

use swarmarium_base::problem::Problems;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::{Recipe, Simulation};

/// Gives [`Recipe`] the constructor `standard`.
pub trait Standard {
    /// A recipe with all kinds that come with the program.
    fn standard() -> Self;
}

impl Standard for Recipe {
    fn standard() -> Self {
        Self::bare().with(swarmarium_kinds::plugin)
    }
}

/// Gives [`Simulation`] the constructor `new`.
pub trait FromScene: Sized {
    /// Makes the simulation of a scene with the kinds that come with the program, on one thread.
    ///
    /// ```
    /// use swarmarium_formats::standard::{FromScene as _, Standard as _};
    /// use swarmarium_scene::scene::reader;
    /// use swarmarium_simulation::prelude::*;
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

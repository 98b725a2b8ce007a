//! Recipes: the plugins and kinds of simulations.

use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::metric::MetricKinds;
use swarmarium_core::sensor::SensorKinds;
use swarmarium_core::step::AgentOrder;
use swarmarium_scene::scene::description::Scene;

/// Plugins for any number of simulations, and their kinds.
#[derive(Clone)]
pub struct Recipe {
    plugins: Vec<Arc<dyn Plugin>>,
    kinds: Kinds,
    metrics: MetricKinds,
    sensors: SensorKinds,
    program: Option<Program>,
}

/// The program that a recipe belongs to, as manifests of its runs name it.
#[derive(Resource, Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// The name.
    pub name: String,
    /// The version.
    pub version: String,
    /// The commit that Swarmarium in it is built from, if it is known.
    pub commit: Option<String>,
}

impl Program {
    /// A program whose commit is unknown.
    pub fn new(name: impl Into<String>, version: impl Into<String>) -> Self {
        Self { name: name.into(), version: version.into(), commit: None }
    }
}

/// A plugin shared by several simulations.
struct Shared(Arc<dyn Plugin>);

impl Plugin for Shared {
    fn build(&self, app: &mut App) {
        self.0.build(app);
    }

    fn finish(&self, app: &mut App) {
        self.0.finish(app);
    }

    fn cleanup(&self, app: &mut App) {
        self.0.cleanup(app);
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn is_unique(&self) -> bool {
        self.0.is_unique()
    }
}

impl Recipe {
    /// The smallest recipe: default kinds of scenes, motion models, losses of radios, objects.
    pub fn bare() -> Self {
        Self {
            plugins: Vec::new(),
            kinds: Kinds::default(),
            metrics: MetricKinds::EMPTY,
            sensors: SensorKinds::EMPTY,
            program: None,
        }
        .collected()
    }

    /// The recipe with the kinds that its plugins add: a temporary app collects them, so that scenes can be read before a
    /// simulation exists.
    fn collected(mut self) -> Self {
        let mut app = self.build(None);
        let world = app.world_mut();
        self.kinds = world.remove_resource().unwrap_or_default();
        self.metrics = world.remove_resource().unwrap_or(MetricKinds::EMPTY);
        self.sensors = world.remove_resource().unwrap_or(SensorKinds::EMPTY);
        self
    }

    /// Adds a plugin with custom kinds.
    ///
    /// ```
    /// use bevy::prelude::App;
    /// use swarmarium_simulation::prelude::*;
    ///
    /// /// Leaves readings as they are.
    /// #[kind]
    /// struct Silence {}
    ///
    /// impl Noise for Silence {}
    ///
    /// let recipe = Recipe::bare().with(|app: &mut App| {
    ///     app.add_noise::<Silence>();
    /// });
    /// assert!(recipe.kinds().get("noise", "Silence").is_some());
    /// ```
    #[must_use]
    pub fn with(mut self, plugin: impl Plugin) -> Self {
        self.plugins.push(Arc::new(plugin));
        self.collected()
    }

    /// Names the program that the recipe belongs to: in `--version`, in messages and in the manifests of its runs.
    ///
    /// ```
    /// use swarmarium_simulation::prelude::*;
    ///
    /// let recipe = Recipe::bare().named(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION"));
    /// assert_eq!(recipe.program_name(), env!("CARGO_PKG_NAME"));
    /// ```
    #[must_use]
    pub fn named(self, name: impl Into<String>, version: impl Into<String>) -> Self {
        self.of_program(Program::new(name, version))
    }

    /// Names the program that the recipe belongs to, with its commit.
    #[doc(hidden)]
    #[must_use]
    pub fn of_program(self, program: Program) -> Self {
        Self { program: Some(program), ..self }
    }

    /// The program that the recipe belongs to, if it is known.
    #[doc(hidden)]
    pub fn program(&self) -> Option<&Program> {
        self.program.as_ref()
    }

    /// The name of the program that the recipe belongs to.
    #[doc(hidden)]
    pub fn program_name(&self) -> &str {
        self.program.as_ref().map_or("swarmarium", |program| &program.name)
    }

    /// The kinds available to scenes for this recipe.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    /// The kinds of metrics with their columns.
    #[doc(hidden)]
    pub fn metric_kinds(&self) -> &MetricKinds {
        &self.metrics
    }

    /// The kinds of sensors with the numbers of their readings.
    #[doc(hidden)]
    pub fn sensor_kinds(&self) -> &SensorKinds {
        &self.sensors
    }

    pub(crate) fn build(&self, scene: Option<&Scene>) -> App {
        // Plugins need an app; only its world and schedule are used.
        let mut app = App::empty();
        if let Some(scene) = scene {
            app.insert_resource(AgentOrder(scene.order));
        }
        if let Some(program) = &self.program {
            app.insert_resource(program.clone());
        }
        app.add_plugins(crate::plugin);
        for plugin in &self.plugins {
            app.add_plugins(Shared(plugin.clone()));
        }
        app.finish();
        app.cleanup();
        app
    }
}

//! Recipes: the plugins and kinds of simulations.

use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_core::kind::Kinds;
use swarmarium_core::step::AgentOrder;
use swarmarium_scene::scene::description::Scene;

/// Plugins for any number of simulations, and their kinds.
#[derive(Clone)]
pub struct Recipe {
    plugins: Vec<Arc<dyn Plugin>>,
    kinds: Kinds,
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
        let mut recipe = Self { plugins: Vec::new(), kinds: Kinds::default() };
        recipe.kinds = recipe.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        recipe
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
        // A temporary app collects the kinds, so that scenes can be read before a simulation exists.
        self.kinds = self.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        self
    }

    /// The kinds available to scenes for this recipe.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    pub(crate) fn build(&self, scene: Option<&Scene>) -> App {
        // Plugins need an app; only its world and schedule are used.
        let mut app = App::empty();
        if let Some(scene) = scene {
            app.insert_resource(AgentOrder(scene.order));
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

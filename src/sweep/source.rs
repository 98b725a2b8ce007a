//! Plans by their names: files, folders of sweeps, and shipped plans.

use std::path::Path;

use swarmarium_base::problem::Problems;
use swarmarium_core::text::outline::outline;
use swarmarium_formats::import::Options;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::simulation::Recipe;

use crate::folder::PLAN;
use crate::plan::ENDING;
use crate::resolved;
use crate::{Folder, Plan, PlanText, Sweep};

/// The text of a plan, with its name in messages.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Source {
    /// The name in messages: that of a file, or of a shipped plan.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether it is a shipped plan, whose scenes are shipped ones, too.
    pub is_shipped: bool,
}

impl Source {
    /// The text of a plan by the name of its file, of a folder of a sweep, or of a shipped plan, such as `milling.sweep`;
    /// `None` for a scene.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn find(file: &str) -> Result<Option<Self>, Problems> {
        let path = Path::new(file);
        // The folder of a sweep may have the name of a scene: `./milling` is the folder.
        let is_scene = shipped::get(file).is_some();
        if Folder::is_at(path) && !is_scene {
            let path = path.join(PLAN);
            return Ok(Some(Self { name: path.display().to_string(), text: read_text(&path)?, is_shipped: false }));
        }
        if path.is_file() {
            let is_ron = path.extension().is_some_and(|extension| extension == "ron");
            let text = if is_ron { read_text(path)? } else { String::new() };
            let is_plan = file.ends_with(ENDING) || outline(&text).is_ok_and(|node| node.name() == Some("Plan"));
            return Ok(is_plan.then(|| Self { name: file.into(), text, is_shipped: false }));
        }
        let name = file.strip_suffix(".ron").unwrap_or(file);
        let plan = name.strip_suffix(".sweep").and_then(|name| shipped::plans().find(|(plan, _)| *plan == name));
        Ok(plan.map(|(name, text)| Self { name: format!("{name}{ENDING}"), text: text.into(), is_shipped: true }))
    }

    /// The text with its name.
    pub fn text(&self) -> PlanText<'_> {
        PlanText { name: &self.name, text: &self.text }
    }

    /// The sweep of the plan.
    ///
    /// # Errors
    /// All problems of the plan and its scene.
    pub fn resolve(&self, recipe: &Recipe, options: &Options) -> Result<Sweep, Problems> {
        self.complete(recipe, resolved::read(recipe, self.text())?, options)
    }

    /// The sweep of the plan with changes.
    ///
    /// # Errors
    /// As [`resolve`](Self::resolve).
    pub fn complete(&self, recipe: &Recipe, plan: Plan, options: &Options) -> Result<Sweep, Problems> {
        Sweep::resolve_with(recipe, plan, (self.text(), self.is_shipped), options)
    }
}

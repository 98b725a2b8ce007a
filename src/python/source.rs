//! Sources of simulations: scenes, files of other programs, run folders, which runs are saved as.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use anyhow::{Context as _, bail};
use pyo3::prelude::*;
use swarmarium::cli::{Common, load};
use swarmarium::prelude::*;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_formats::import::{MetresPerUnit, StandIn, StandInError, Strokes};
use swarmarium_formats::load::{Loaded, Override, load_text, locate_problems};
use swarmarium_formats::run_folder::{RunFiles, RunFolder};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::Controllers;

use crate::error::error;

/// The options with which a source is loaded.
#[derive(FromPyObject)]
#[pyo3(from_item_all)]
pub struct Options {
    /// The seed, in place of that of the scene.
    pub seed: Option<u64>,
    /// Paths and values in the notation of scenes.
    pub overrides: Vec<(String, String)>,
    /// Template variables of RobotSwarmSimulator worlds.
    pub variables: Vec<(String, String)>,
    pub lenient: bool,
    pub all_groups: bool,
    /// The length of a unit of a drawing (m).
    pub scale: f64,
    /// The width of walls from the lines of a drawing, as on the command line.
    pub strokes: Option<String>,
    /// Robot classes of users' own in pySimiam worlds, and the robots for them.
    pub robots: Vec<(String, String)>,
    /// Supervisors of users' own in pySimiam worlds, and the supervisors for them.
    pub supervisors: Vec<(String, String)>,
    pub allow_outside: bool,
    /// Whether the source is the text of a scene.
    pub is_text: bool,
    /// Threads of one simulation.
    pub threads: usize,
    /// The names of the controllers by groups with which a run of a sweep goes on.
    pub controllers: BTreeMap<String, String>,
}

/// The name of a scene in messages that is given as a text.
const TEXT_NAME: &str = "scene";

/// A loaded source.
pub struct Loading {
    pub loaded: Loaded,
    pub recipe: Recipe,
    /// The run folder, where the source is one.
    pub folder: Option<RunFolder>,
    /// The name of the source, for messages.
    pub name: String,
    pub threads: usize,
}

impl Options {
    fn common(&self) -> PyResult<Common> {
        let Self { seed, lenient, all_groups, allow_outside, threads, .. } = *self;
        let overrides =
            self.overrides.iter().map(|(path, value)| Override { path: path.clone(), value: value.clone() });
        if !MetresPerUnit::RANGE.contains(&self.scale) {
            return Err(error(swarmarium_formats::import::ScaleError));
        }
        if !(1..=256).contains(&threads) {
            return Err(error(format!("threads: expected 1 to 256, found {threads}")));
        }
        let stand_ins = |all: &[(String, String)], read: fn(&str) -> Result<StandIn, StandInError>| {
            all.iter().map(|(class, name)| read(&format!("{class}={name}")).map_err(error)).collect::<PyResult<_>>()
        };
        Ok(Common {
            seed,
            overrides: overrides.collect(),
            variables: self.variables.clone(),
            lenient,
            all_groups,
            scale: Some(MetresPerUnit(self.scale)).filter(|scale| *scale != MetresPerUnit::default()),
            strokes: self.strokes.as_deref().map(|width| width.parse::<Strokes>().map_err(error)).transpose()?,
            robots: stand_ins(&self.robots, StandIn::of_robot)?,
            supervisors: stand_ins(&self.supervisors, StandIn::of_supervisor)?,
            allow_outside,
            threads,
            quiet: true,
            no_progress: true,
            ..Common::for_program("swarmarium")
        })
    }

    /// Whether the scene gets another seed or other values.
    pub fn changes_scene(&self) -> bool {
        self.seed.is_some() || !self.overrides.is_empty()
    }

    /// The name of a source in messages.
    pub fn name_of<'a>(&self, source: &'a str) -> &'a str {
        if self.is_text { TEXT_NAME } else { source }
    }

    /// Loads a source: by its name as the command line does, or from its text.
    pub fn load(&self, source: &str) -> PyResult<Loading> {
        let (common, recipe, threads) = (self.common()?, Recipe::standard(), self.threads);
        if self.is_text {
            let loaded = load_text(recipe.kinds(), (TEXT_NAME, source), &common.overrides()).map_err(error)?;
            common.check_files(["the text of a scene"]).map_err(error)?;
            return Ok(Loading { loaded, recipe, folder: None, name: TEXT_NAME.into(), threads });
        }
        let folder = load::run_folder(source, &recipe).map_err(error)?;
        let file = folder.as_ref().map_or_else(|| source.to_owned(), RunFolder::scene_file);
        let controllers = Controllers(self.controllers.clone());
        let loaded = load::scene_driven(&file, &common, &recipe, &controllers).map_err(|problems| {
            // Ctrl-C in a script that Python runs is a signal that waits, see `builder_script`.
            let interruption = Python::attach(|py| py.check_signals().err());
            interruption.unwrap_or_else(|| error(problems))
        })?;
        // The scene of a run can be a world of another program.
        if folder.is_none() {
            common.check_files([source]).map_err(error)?;
        }
        Ok(Loading { loaded, recipe, folder, name: file, threads })
    }
}

/// Writes the files of a run into a folder that is made, or that is there if it may be overwritten.
///
/// # Errors
/// If the folder is there already, or cannot be written.
pub fn save(files: &RunFiles, path: &Path, overwrite: bool) -> anyhow::Result<()> {
    if !overwrite && path.exists() {
        bail!("{}: exists already; overwrite=True replaces it", path.display());
    }
    let made = fs::create_dir_all(path.parent().unwrap_or(path)).and_then(|()| fs::create_dir(path));
    match made {
        Err(_) if overwrite && path.is_dir() => {}
        made => made.with_context(|| format!("{}: cannot be created", path.display()))?,
    }
    Ok(files.write(path)?)
}

/// A parameter of a scene in its notation, by its path or by the name of its constant.
///
/// # Errors
/// If there is none.
pub fn parameter(kinds: &Kinds, scene: &Scene, name: &str) -> Result<String, Problem> {
    let resolved = constants::resolve(kinds, scene, name)?;
    path::get(kinds, scene, &resolved).map(|value| write(kinds, value, Style::Short))
}

impl Loading {
    /// The scene.
    pub fn scene(&self) -> &Scene {
        &self.loaded.scene
    }

    /// The title of a run of the scene.
    pub fn title(&self) -> String {
        let name = &self.scene().name;
        if name.is_empty() { self.name.clone() } else { name.clone() }
    }

    /// The exception of a scene that cannot start, with places in its file.
    pub fn refuse(&self, problems: Problems) -> PyErr {
        error(locate_problems(&self.name, problems))
    }

    /// The losses and assumptions of an importer, as lines of text.
    pub fn warnings(&self) -> Vec<String> {
        let line = |problem: &Problem| format!("{}: {problem}", self.name);
        self.loaded.warnings.iter().map(line).collect()
    }
}

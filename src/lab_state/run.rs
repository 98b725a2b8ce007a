//! The run: the host with its simulation, the open scene, and the clients.

pub mod clients;

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use bevy::prelude::*;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::text::values::{integer_range, number};
use swarmarium_formats::load::{Loaded, Source, fingerprint, load_with};
use swarmarium_formats::run_folder::MANIFEST;
use swarmarium_formats::{import, share};
use swarmarium_host::clock::Host;
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_scene::scene::writer::{Style, write, write_beside};
use swarmarium_scene::scene::{Scene, constants, path};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Recipe;

use crate::action::{Action, FileAction, FileRequest};
use crate::common::frame::FrameStats;
use crate::common::kept_changes::{condensed, gestures, is_kept_by_reset};
use crate::common::places::{Places, absolute, file_stem};
use crate::common::quantity;
use crate::common::selection::{Item, parameter_name, robot_name};
use crate::common::settings::Settings;
use crate::common::text::unit_of_field;
use crate::run::clients::{Clients, shows_past};

impl RunState {
    /// Returns the text of the scene with its changes and all its scripts.
    pub fn text_of_scene(&self) -> String {
        let simulation = self.host.simulation();
        write(simulation.kinds(), &simulation.scene_ahead().clone().for_file(), Style::Short)
    }

    /// Returns a fingerprint of the scene with its changes. Neither the seed nor scripts that are in their files count.
    pub fn fingerprint_of_scene(&self) -> u64 {
        let simulation = self.host.simulation();
        let scene = Scene { seed: 0, ..simulation.scene_ahead().clone().for_file() };
        fingerprint(&match self.script_folder() {
            Some(folder) => write_beside(simulation.kinds(), &scene, &folder),
            None => write(simulation.kinds(), &scene, Style::Short),
        })
    }

    /// Whether the run has branches or bookmarks, which a scene file cannot hold.
    pub(super) fn has_timeline(&self) -> bool {
        self.has_branches() || !self.host.timeline().bookmarks().is_empty()
    }

    /// Whether the timeline has more than one branch.
    pub fn has_branches(&self) -> bool {
        self.host.timeline().branches().any(|branch| branch.parent().is_some())
    }
}

impl RunState {
    /// Answers the requests of clients. While the past is shown, clients wait.
    pub(super) fn answer_clients(&mut self) {
        if let Some(remote) = self.clients.remote.as_mut().filter(|_| !shows_past(&self.host)) {
            remote.serve(&mut self.host);
        }
    }

    /// Whether connected clients wait because the past is shown.
    pub fn holds_clients(&self) -> bool {
        shows_past(&self.host) && self.clients.remote.as_ref().is_some_and(|remote| remote.clients() > 0)
    }
}

/// Returns the stem for files made from this scene: that of its file, or else its name. The scene of a run folder has the
/// name of the scene, because all of these files have one name.
pub fn stem(run: &RunState) -> String {
    let of_file = match &run.opened.source {
        Source::File(path) if is_of_run(path) => None,
        source => source.name().and_then(|name| Some(Path::new(&name).file_stem()?.display().to_string())),
    };
    file_stem(&of_file.unwrap_or_else(|| run.title()))
}

/// Returns the folder of files made from this scene: that of its file, or the folder of the user for a scene without an
/// own file and for one in a run folder, which must not change. It may not exist yet.
pub fn folder(run: &RunState, places: &Places) -> PathBuf {
    let of_file = match &run.opened.source {
        Source::File(path) if !is_of_run(path) => Path::new(&absolute(path)).parent().map(Path::to_path_buf),
        _ => None,
    };
    let of_file = of_file.filter(|folder| folder.is_dir());
    of_file.or_else(|| places.output.clone()).or_else(|| std::env::current_dir().ok()).unwrap_or_default()
}

/// Returns the folder of recordings, pictures and the runs of links: the chosen one, or that of
/// [files made from the scene](folder).
pub fn output_folder(run: &RunState, settings: &Settings, places: &Places) -> PathBuf {
    settings.recording.folder.clone().unwrap_or_else(|| folder(run, places))
}

/// The reason why a run is paused at its end, in words.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RunEnd {
    /// Whether it was a collision, at which the scene pauses.
    pub is_collision: bool,
    /// A few words: `ended after 120 s`.
    pub short: String,
    /// A sentence with the way on.
    pub sentence: String,
}

/// Whether an edit removes a robot.
fn removes_robot(edit: &Edit) -> bool {
    matches!(edit, Edit::Remove { path } if path.starts_with("agents"))
}

impl RunState {
    /// Reads the open scene again; `None` if it has no source.
    pub fn read_again(&self) -> Option<Result<Loaded, Problems>> {
        let name = self.opened.source.name()?;
        Some(load_with(self.recipe.kinds(), &name, &self.opened.overrides, &self.opened.options))
    }

    /// Whether the run has this scene, with all its edits.
    pub fn runs(&self, scene: &Scene) -> bool {
        let simulation = self.host.simulation();
        // Files do not contain removed items.
        let text = |scene: &Scene| write(simulation.kinds(), &scene.clone().for_file(), Style::Full);
        text(scene) == text(simulation.scene_ahead())
    }

    /// Drops removals of robots if a robot was removed before a reset: other robots have their numbers now. Returns the
    /// number of dropped edits.
    pub fn forget_renumbered(&self, changes: &mut Vec<Edit>) -> usize {
        if !self.host.carried.iter().any(removes_robot) {
            return 0;
        }
        let before = changes.len();
        changes.retain(|change| !removes_robot(change));
        before - changes.len()
    }

    /// Returns the changes made in the window, without overwritten ones; those before a reset come first.
    pub fn changes(&self) -> Vec<Edit> {
        let simulation = self.host.simulation();
        let logged = simulation.edits().iter().map(|logged| &logged.edit);
        condensed(self.host.carried.iter().chain(logged).chain(simulation.waiting_edits()))
    }

    /// Returns the text of a scene file for a value as it is typed: numbers can be calculated and have units. The unit is
    /// that of the path, so that a heading is in radians. Other values stay as they are typed.
    ///
    /// # Errors
    /// If the text is not a number and the value at the path is one.
    pub fn scene_text(&self, path: &str, typed: &str) -> Result<String, String> {
        let simulation = self.host.simulation();
        let leaf = path::leaf(simulation.kinds(), simulation.scene_ahead(), path);
        let Some((leaf, present)) = leaf.and_then(|leaf| number(leaf.value).map(|present| (leaf, present))) else {
            return Ok(typed.into());
        };
        let is_whole = integer_range(leaf.value.as_any().type_id()).is_some();
        let unit = leaf.field.map(unit_of_field).unwrap_or_default();
        quantity::scene_text(typed, unit, Some(present), is_whole)
    }

    /// Returns the number of gestures that changed single robots, whose changes a scene cannot hold.
    pub fn changes_of_single_robots(&self) -> usize {
        let simulation = self.host.simulation();
        let carried = self.host.carried.iter().map(|edit| (edit, 0));
        let logged = simulation.edits().iter().map(|logged| (&logged.edit, logged.transaction));
        let all = carried.chain(logged).chain(simulation.waiting_changes());
        gestures(all, |edit| !is_kept_by_reset(edit))
    }
}

/// The host with its simulation, the scene that it runs, and its clients.
pub struct RunState {
    /// The host of the simulation.
    pub host: Host,
    /// The recipe of simulations.
    pub recipe: Recipe,
    /// Threads that a simulation may use.
    pub threads: usize,
    /// The scene as it was opened, without later edits.
    pub opened: Loaded,
    /// The number of opened scenes.
    pub openings: u64,
    /// The number of starts of runs.
    pub starts: u64,
    /// The number of starts of runs and changes to another state.
    pub restarts: u64,
    /// The sockets of the scene.
    pub clients: Clients,
    /// Frame rate and step time.
    pub frames: FrameStats,
}

impl RunState {
    /// Returns the action that saves the scene: to the open file if it belongs to the user, or else to a chosen one.
    pub fn saving(&self) -> Action {
        match &self.opened.source {
            Source::File(path) if !import::can_import(path) && !share::is_shared(path) && !is_of_run(path) => {
                Action::File(FileAction::SaveScene(path.clone()))
            }
            _ => Action::File(FileAction::Ask(FileRequest::SaveScene)),
        }
    }
}

impl RunState {
    /// Returns the folder of the files of scripts: that of the scene file. `None` if the scene has no file of the user, or
    /// one that contains its scripts.
    pub fn script_folder(&self) -> Option<PathBuf> {
        match &self.opened.source {
            Source::File(path) if !import::can_import(path) && !share::is_shared(path) && !is_of_run(path) => {
                Path::new(&absolute(path)).parent().map(Path::to_path_buf)
            }
            _ => None,
        }
    }
}

/// Whether a scene belongs to a run folder, which must not change.
fn is_of_run(path: &Path) -> bool {
    let beside = |name: &str| path.with_file_name(name).is_file();
    path.file_name().is_some_and(|name| name == "scene.ron") && (beside(MANIFEST) || beside(TIMELINE))
}

impl RunState {
    /// Returns all objects.
    pub fn objects(&self) -> Vec<Item> {
        let simulation = self.host.simulation();
        let all = (0..simulation.scene_ahead().objects.len()).map(Item::Object);
        all.filter(|object| object.exists(simulation)).collect()
    }
}

impl RunState {
    /// Restarts the present run as a reset does, from a scene without the shared changes.
    pub(super) fn reset_shared(&mut self, mut scene: Scene, seed: Option<u64>) -> Result<(), Problems> {
        if let Some(seed) = seed {
            constants::set(self.recipe.kinds(), &mut scene, "seed", &seed.to_string())
                .map_err(|problem| Problems { source_name: scene.name.clone(), problems: vec![problem] })?;
        }
        self.host.start_again(scene, if seed.is_some() { "Restarted with another seed" } else { "Restarted" })
    }
}

impl RunState {
    /// Returns the reason why the run is paused at its end; `None` if it is not.
    pub fn end(&self) -> Option<RunEnd> {
        let is_over = self.host.has_ended() && self.host.clock().paused;
        let simulation = self.host.simulation();
        let reason = simulation.end_reason().filter(|_| is_over)?;
        if simulation.has_crashed() {
            let sentence = "The scene pauses at each collision; Play goes on".into();
            return Some(RunEnd { is_collision: true, short: "paused at a collision".into(), sentence });
        }
        let (field, value) = reason.split_once(": ").unwrap_or(("", &reason));
        let when = match field {
            "stop.steps" => format!("after {value} steps"),
            "stop.time_s" => format!("after {value} s"),
            _ => format!("when {value}"),
        };
        let sentence = format!("The scene ends its run {when}; press Play to continue");
        Some(RunEnd { is_collision: false, short: format!("ended {when}"), sentence })
    }

    /// Returns the mean duration of a step in seconds; `None` before the first one.
    pub fn step_s(&self) -> Option<f64> {
        self.frames.step_s.mean()
    }
}

impl RunState {
    /// Returns the text about a rejected change, with the name of the parameter as in panels instead of its path.
    pub fn problem_text(&self, problem: &Problem) -> String {
        let simulation = self.host.simulation();
        let (kinds, scene, path) = (simulation.kinds(), simulation.scene_ahead(), problem.path.as_str());
        let is_parameter = path::get(kinds, scene, path).is_ok() || constants::named(scene, path).is_some();
        if path.is_empty() || !(is_parameter || path.starts_with("agents.")) {
            return problem.to_string();
        }
        format!("{}: {}", self.parameter_name(path), problem.message)
    }

    /// Returns the name of a parameter as in panels.
    pub fn parameter_name(&self, path: &str) -> String {
        self.parameter_name_and_unit(path).0
    }

    /// Returns the name of a parameter as in panels, and its unit.
    pub fn parameter_name_and_unit(&self, path: &str) -> (String, &'static str) {
        parameter_name(self.host.simulation(), path)
    }
}

impl RunState {
    /// Returns the words " of" and the name of a robot, or no words for all robots.
    pub fn of_robot(&self, robot: Option<u32>) -> String {
        robot.map_or_else(String::new, |robot| format!(" of {}", robot_name(self.host.simulation(), robot)))
    }
}

impl RunState {
    /// Returns the bookmarks of a branch with their steps, including those of its ancestors before it left them.
    pub(super) fn bookmarks_of(&self, branch: BranchId) -> impl Iterator<Item = (u64, &str)> {
        let timeline = self.host.timeline();
        // The ancestors of the branch, each with its last shared step.
        let next = |(branch, until): &(BranchId, u64)| {
            let parent = timeline.branch(*branch)?.parent()?;
            Some((parent.branch, parent.step.min(*until)))
        };
        let line: Vec<(BranchId, u64)> = std::iter::successors(Some((branch, u64::MAX)), next).collect();
        let is_on_line =
            move |moment: Moment| line.iter().any(|(branch, until)| *branch == moment.branch && moment.step <= *until);
        let bookmarks = timeline.bookmarks().iter().filter(move |bookmark| is_on_line(bookmark.moment));
        bookmarks.map(|bookmark| (bookmark.moment.step, bookmark.name.as_str()))
    }
}

impl RunState {
    /// Returns the numbers of all robots.
    pub fn numbers(&self) -> BTreeSet<u32> {
        self.host.simulation().agents().map(|agent| agent.id.index()).collect()
    }
}

impl RunState {
    /// Returns the name of the scene, or that of its source.
    pub fn title(&self) -> String {
        match (self.host.scene().name.as_str(), &self.opened.source) {
            ("", Source::File(path)) => path.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            ("", Source::Unsaved(_)) => "Untitled".into(),
            ("", source) => source.name().unwrap_or_else(|| "Scene".into()),
            (name, _) => name.into(),
        }
    }

    /// Returns the source of the open scene: its file, or a description.
    pub fn origin(&self) -> String {
        match &self.opened.source {
            Source::Code => "made by a program".into(),
            Source::Shipped(name) => format!("shipped scene {name}"),
            Source::File(path) => absolute(path),
            Source::Unsaved(what) => (*what).into(),
        }
    }
}

//! `manifest.json`: the scene, the settings and the outcome of a run.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::SystemTime;

use serde::Serialize;
use swarmarium_base::math;
use swarmarium_base::problem::cut;
use swarmarium_formats::run_folder::{FORMAT, FolderKind, MANIFEST};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::{base, current};

use super::super::load::STDIN;
use super::super::{Build, hex};
use super::Plan;
use super::one::{End, Outcome, Status};

/// The content of `manifest.json`.
#[derive(Serialize)]
pub struct Manifest<'a> {
    program: &'a str,
    version: &'a str,
    /// The version of Swarmarium in the program, its commit if it is known, and its optional parts.
    swarmarium: &'static str,
    commit: Option<String>,
    features: Vec<&'static str>,
    format: u32,
    command: &'a [String],
    scene_name: &'a str,
    scene_file: &'a str,
    /// The hash of the resolved scene, as in the hash of the state.
    scene_hash: String,
    /// The notes on the scene.
    metadata: BTreeMap<&'a str, &'a str>,
    seed: u64,
    threads: usize,
    dt_s: f64,
    /// The source of the time step, where the scene derives it from its components.
    base: Option<String>,
    /// The start of the simulation in the time of clients, in seconds.
    epoch_s: f64,
    steps: u64,
    simulated_s: f64,
    started: String,
    ended: String,
    wall_s: f64,
    final_state_hash: Option<String>,
    /// `last-step`, `condition`, `collision` or `client`; `null` for a run that was interrupted, or failed before.
    end: Option<End>,
    interrupted: bool,
    error: Option<Cow<'a, str>>,
    /// The incomplete files.
    incomplete: &'a [&'static str],
}

impl<'a> Manifest<'a> {
    /// The manifest of a run that ends now. `started` is its start in wall time, `epoch_s` in the time of clients.
    pub fn new(
        plan: &'a Plan<'_>,
        scene: &'a Scene,
        (started, epoch_s): (SystemTime, f64),
        outcome: &'a Outcome,
    ) -> Self {
        let dt_s = scene.time.dt_s;
        let (program, build) = (plan.recipe.program(), Build::this());
        Self {
            program: plan.recipe.program_name(),
            version: program.map_or(build.version, |program| &program.version),
            swarmarium: build.version,
            commit: build.commit(),
            features: build.features,
            format: FORMAT,
            command: plan.command,
            scene_name: &scene.name,
            scene_file: &plan.file,
            scene_hash: hex(current::digest(plan.recipe.kinds(), scene)),
            metadata: scene.metadata.iter().map(|note| (note.name.as_str(), note.text.as_str())).collect(),
            seed: scene.seed,
            threads: plan.threads,
            dt_s,
            base: base::fastest(plan.recipe.kinds(), scene).map(|fastest| fastest.message()),
            epoch_s,
            steps: outcome.steps,
            simulated_s: math::decimal_product(outcome.steps as f64 * dt_s),
            started: humantime::format_rfc3339_millis(started).to_string(),
            ended: humantime::format_rfc3339_millis(SystemTime::now()).to_string(),
            wall_s: outcome.wall_s,
            final_state_hash: outcome.hash.map(hex),
            end: outcome.end,
            interrupted: outcome.status == Status::Interrupted,
            error: outcome.status.error().map(cut),
            incomplete: &outcome.incomplete,
        }
    }

    /// The text of the file.
    pub fn text(&self) -> serde_json::Result<String> {
        serde_json::to_string_pretty(self).map(|text| text + "\n")
    }
}

/// The name of the file of a scene as a part of the name of a folder.
pub fn safe_stem(file: &str) -> String {
    let file = if file == STDIN { "stdin" } else { file };
    let stem = Path::new(file).file_stem().unwrap_or_default().to_string_lossy();
    let safe = |c: char| if c.is_alphanumeric() || matches!(c, '-' | '_') { c } else { '_' };
    let name: String = stem.chars().take(80).map(safe).collect();
    if name.is_empty() { "scene".into() } else { name }
}

/// The largest number of runs, each of which goes on from another, that are searched for a name.
const MOST_ORIGINS: usize = 100;

/// The name of the scene of a run in names of folders: that of the file that the run was started with, also if it went on
/// from another run.
pub fn stem_of_run(folder: &Path, scene_name: &str) -> String {
    let mut folder = folder.to_owned();
    for _ in 0..MOST_ORIGINS {
        let manifest = read_text(&folder.join(MANIFEST)).unwrap_or_default();
        let manifest: serde_json::Value = serde_json::from_str(&manifest).unwrap_or_default();
        let Some(file) = manifest.get("scene_file").and_then(serde_json::Value::as_str) else { break };
        let path = Path::new(file);
        let is_of_run = path.file_name().is_some_and(|name| name == "scene.ron");
        match path.parent().filter(|_| is_of_run) {
            Some(parent) if FolderKind::from_path(parent) == Some(FolderKind::Run) => folder = parent.to_owned(),
            // The folder of that run is elsewhere now.
            Some(_) if !path.exists() => break,
            _ => return safe_stem(file),
        }
    }
    safe_stem(scene_name)
}

#[cfg(test)]
mod tests {
    use super::{MANIFEST, STDIN, safe_stem, stem_of_run};

    #[test]
    fn a_run_that_goes_on_has_the_name_of_the_first_one() {
        let place = tempfile::tempdir().unwrap();
        let folder = |name: &str, file: &str| {
            let path = place.path().join(name);
            std::fs::create_dir_all(&path).unwrap();
            std::fs::write(path.join("scene.ron"), "()").unwrap();
            let manifest = serde_json::json!({ "scene_file": file }).to_string();
            std::fs::write(path.join(MANIFEST), manifest).unwrap();
            path
        };
        let scene_of = |path: &std::path::Path| path.join("scene.ron").to_str().unwrap().to_owned();
        let first = folder("a", "scenes/my.ron");
        let second = folder("b", &scene_of(&first));
        let third = folder("c", &scene_of(&second));
        let lost = folder("d", "gone/scene.ron");
        let itself = folder("e", &scene_of(&place.path().join("e")));
        let stem = |path: &std::path::Path| stem_of_run(path, "Milling");
        assert_eq!([&first, &second, &third].map(|path| stem(path)), ["my", "my", "my"]);
        assert_eq!([&lost, &itself].map(|path| stem(path)), ["Milling", "Milling"]);
        assert_eq!(stem_of_run(&place.path().join("none"), ""), "scene");
    }

    #[test]
    fn names_of_folders_are_safe() {
        assert_eq!(safe_stem("scenes/milling.ron"), "milling");
        assert_eq!(safe_stem("milling"), "milling");
        assert_eq!(safe_stem("a b:c*?.v2.yaml"), "a_b_c___v2");
        assert_eq!(safe_stem(".."), "scene");
        assert_eq!(safe_stem(STDIN), "stdin");
        assert_eq!(safe_stem("Schwärme.ron"), "Schwärme");
    }
}

//! `batch.json`: the common properties of the runs of a batch, so that an interrupted batch can be resumed.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, shown};
use swarmarium_formats::run_folder::MANIFEST;
use swarmarium_scene::scene::current;
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_simulation::edit::log;
use xxhash_rust::xxh3::xxh3_64;

use super::super::hex;
use super::folder::Folder;
use super::one::{End, Outcome};
use super::table::{Format, TRACE_WITH_RADIO};
use super::{Plan, Seeds};

/// The name of the file.
const FILE: &str = "batch.json";

/// The properties of a batch that must not change when it is resumed.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Batch {
    program: String,
    version: String,
    /// The hash of the resolved scene without its seed.
    scene_hash: String,
    seeds: String,
    steps: u64,
    /// The condition that ends a run.
    stop_when: String,
    /// The hash of the log of edits.
    edits_hash: String,
    /// The tables of each run, by [`table_name`].
    tables: Vec<String>,
}

impl Batch {
    fn new(plan: &Plan, seeds: &Seeds) -> Self {
        Self {
            program: plan.recipe.program_name().into(),
            version: plan.recipe.program().map_or(env!("CARGO_PKG_VERSION"), |program| &program.version).into(),
            scene_hash: hex(digest(plan, &Scene { seed: 0, ..plan.scene.clone() })),
            seeds: seeds.to_string(),
            steps: plan.steps,
            stop_when: plan.scene.stop.when.clone(),
            edits_hash: hex(xxh3_64(log::write(&plan.edits).as_bytes())),
            tables: plan.tables.iter().map(table_name).collect(),
        }
    }

    /// The first difference to another batch, in words.
    fn difference(&self, other: &Self) -> Option<String> {
        let steps = [self, other].map(|batch| batch.steps.to_string());
        let tables = [self, other].map(|batch| batch.tables.join(", "));
        let values = [
            ("the seeds", &self.seeds, &other.seeds),
            ("the number of steps", &steps[0], &steps[1]),
            ("the condition that ends a run", &self.stop_when, &other.stop_when),
            ("the files of each run", &tables[0], &tables[1]),
            ("the version of the program", &self.version, &other.version),
        ];
        let changed = values.iter().find(|(_, before, now)| before != now);
        let changed = changed.map(|(what, before, now)| format!("{what}: {before} then, {now} now"));
        let other_text = |what: &str| format!("the {what} has changed since its start");
        changed
            .or_else(|| (self.scene_hash != other.scene_hash).then(|| other_text("scene")))
            .or_else(|| (self.edits_hash != other.edits_hash).then(|| other_text("log of edits")))
            .or_else(|| (self.program != other.program).then(|| other_text("program")))
    }
}

/// The name of a table: its file, with the flag where two formats have the same file.
fn table_name(format: &Format) -> String {
    let flag = if format.flags() == TRACE_WITH_RADIO.flags() { " --trace-radio" } else { "" };
    format!("{}{flag}", format.file())
}

fn digest(plan: &Plan, scene: &Scene) -> u64 {
    current::digest(plan.recipe.kinds(), scene)
}

/// Writes the properties of a new batch into its folder.
///
/// # Errors
/// When the file cannot be written.
pub fn start(plan: &Plan, seeds: &Seeds, folder: &Folder) -> anyhow::Result<()> {
    folder.write(FILE, &(serde_json::to_string_pretty(&Batch::new(plan, seeds))? + "\n"))
}

/// Resumes the batch in a folder, and returns its finished runs.
///
/// # Errors
/// When the folder has no batch, or one with another plan.
pub fn resume(
    plan: &Plan,
    seeds: &Seeds,
    folder: &Folder,
    run_folder: impl Fn(u64) -> String,
) -> anyhow::Result<Vec<(u64, Outcome)>> {
    let path = folder.path().join(FILE);
    let name = shown(&path);
    let text = read_text(&path).map_err(|problems| anyhow!("{problems}: there is no batch to resume"))?;
    let before: Batch = serde_json::from_str(&text).with_context(|| format!("{name}: is not a file of a batch"))?;
    if let Some(difference) = before.difference(&Batch::new(plan, seeds)) {
        bail!("{name}: cannot resume this batch: {difference}");
    }
    Ok(seeds
        .iter()
        .filter_map(|seed| Some((seed, finished_run(plan, seed, &folder.path().join(run_folder(seed)))?)))
        .collect())
}

/// The manifest of a finished run.
#[derive(Deserialize)]
struct FinishedRun {
    scene_hash: String,
    seed: u64,
    steps: u64,
    wall_s: f64,
    final_state_hash: String,
    /// Older manifests have none.
    end: Option<End>,
    interrupted: bool,
    error: Option<String>,
}

/// The outcome of a finished run; `None` if the run is not finished. The manifest is the last file of a run.
fn finished_run(plan: &Plan, seed: u64, folder: &Path) -> Option<Outcome> {
    let manifest = read_text(&folder.join(MANIFEST)).ok()?;
    let FinishedRun { scene_hash, seed: run_seed, steps, wall_s, final_state_hash, end, interrupted, error } =
        serde_json::from_str(&manifest).ok()?;
    let scene = plan.scene_of(seed).ok()?;
    if interrupted || error.is_some() || run_seed != seed || scene_hash != hex(digest(plan, &scene)) {
        return None;
    }
    if plan.tables.iter().any(|format| !folder.join(format.file()).is_file()) {
        return None;
    }
    let hash = Some(u64::from_str_radix(final_state_hash.trim_start_matches("0x"), 16).ok()?);
    let (metric_columns, metrics) = last_metrics(&folder.join("metrics.csv"))?;
    Some(Outcome { steps, end, wall_s, hash, metric_columns, metrics, ..Outcome::default() })
}

/// The names of the metrics and their last values.
fn last_metrics(path: &Path) -> Option<(Vec<String>, Vec<f64>)> {
    let mut reader = csv::Reader::from_reader(files::open(path).ok()?);
    let columns: Vec<String> = reader.headers().ok()?.iter().skip(2).map(str::to_string).collect();
    let mut row = csv::StringRecord::new();
    let mut last = None;
    while reader.read_record(&mut row).ok()? {
        last = Some(row.clone());
    }
    let metrics = match last {
        Some(row) => row.iter().skip(2).map(str::parse).collect::<Result<_, _>>().ok()?,
        None => vec![f64::NAN; columns.len()],
    };
    Some((columns, metrics))
}

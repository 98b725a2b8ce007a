//! `batch.json`: what the runs of a batch have in common, so that an interrupted one goes on where it stopped.

use std::path::Path;

use anyhow::{Context as _, anyhow, bail};
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, shown};
use swarmarium_core::edit::log;
use swarmarium_core::scene::current;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::reader::read_text;
use xxhash_rust::xxh3::xxh3_64;

use super::super::hex;
use super::folder::Folder;
use super::one::Outcome;
use super::{Plan, Seeds};

/// The name of the file.
const FILE: &str = "batch.json";

/// What must be the same for a batch to go on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Batch {
    program: String,
    version: String,
    /// Stands for the resolved scene, its seed left out.
    scene_hash: String,
    seeds: String,
    steps: u64,
    /// Stands for the log of edits.
    edits_hash: String,
    /// The tables of each run.
    tables: Vec<String>,
}

impl Batch {
    fn of(plan: &Plan, seeds: Seeds) -> Self {
        Self {
            program: env!("CARGO_PKG_NAME").into(),
            version: env!("CARGO_PKG_VERSION").into(),
            scene_hash: hex(digest(plan, &Scene { seed: 0, ..plan.scene.clone() })),
            seeds: seeds.to_string(),
            steps: plan.steps,
            edits_hash: hex(xxh3_64(log::write(&plan.edits).as_bytes())),
            tables: plan.tables.iter().map(|format| format.file().into()).collect(),
        }
    }

    /// The first thing in which another batch differs.
    fn difference(&self, other: &Self) -> Option<String> {
        let steps = [self, other].map(|batch| batch.steps.to_string());
        let tables = [self, other].map(|batch| batch.tables.join(", "));
        let values = [
            ("the seeds", &self.seeds, &other.seeds),
            ("the number of steps", &steps[0], &steps[1]),
            ("the files of each run", &tables[0], &tables[1]),
            ("the version of the program", &self.version, &other.version),
        ];
        let changed = values.iter().find(|(_, before, now)| before != now);
        let changed = changed.map(|(what, before, now)| format!("{what}: {before} then, {now} now"));
        let other_text = |what: &str| format!("the {what} is not the one that it began with");
        changed
            .or_else(|| (self.scene_hash != other.scene_hash).then(|| other_text("scene")))
            .or_else(|| (self.edits_hash != other.edits_hash).then(|| other_text("log of edits")))
            .or_else(|| (self.program != other.program).then(|| other_text("program")))
    }
}

fn digest(plan: &Plan, scene: &Scene) -> u64 {
    current::digest(plan.recipe.kinds(), scene)
}

/// Notes in its folder what a new batch is about.
///
/// # Errors
/// When it cannot be written.
pub fn begin(plan: &Plan, seeds: Seeds, folder: &Folder) -> anyhow::Result<()> {
    folder.write(FILE, &(serde_json::to_string_pretty(&Batch::of(plan, seeds))? + "\n"))
}

/// The runs of a batch that are done, when the batch in a folder is of the same plan.
///
/// # Errors
/// When there is no batch, or one of something else.
pub fn go_on(
    plan: &Plan,
    seeds: Seeds,
    folder: &Folder,
    run_folder: impl Fn(u64) -> String,
) -> anyhow::Result<Vec<(u64, Outcome)>> {
    let path = folder.path().join(FILE);
    let name = shown(&path);
    let text = read_text(&path).map_err(|problems| anyhow!("{problems}: there is no batch to go on with"))?;
    let before: Batch = serde_json::from_str(&text).with_context(|| format!("{name}: is no note of a batch"))?;
    if let Some(difference) = before.difference(&Batch::of(plan, seeds)) {
        bail!("{name}: cannot go on with this batch: {difference}");
    }
    Ok(seeds.iter().filter_map(|seed| Some((seed, done(plan, seed, &folder.path().join(run_folder(seed)))?))).collect())
}

/// What the manifest of a run that came to its end says.
#[derive(Deserialize)]
struct Done {
    scene_hash: String,
    seed: u64,
    steps: u64,
    wall_s: f64,
    final_state_hash: String,
    interrupted: bool,
    error: Option<String>,
}

/// The outcome of a run that came to its end; the manifest is the last file that a run writes.
fn done(plan: &Plan, seed: u64, folder: &Path) -> Option<Outcome> {
    let manifest = read_text(&folder.join("manifest.json")).ok()?;
    let Done { scene_hash, seed: its_seed, steps, wall_s, final_state_hash, interrupted, error } =
        serde_json::from_str(&manifest).ok()?;
    let scene = plan.scene_of(seed).ok()?;
    if interrupted || error.is_some() || its_seed != seed || scene_hash != hex(digest(plan, &scene)) {
        return None;
    }
    if plan.tables.iter().any(|format| !folder.join(format.file()).is_file()) {
        return None;
    }
    let hash = u64::from_str_radix(final_state_hash.trim_start_matches("0x"), 16).ok()?;
    let (metric_columns, metrics) = last_metrics(&folder.join("metrics.csv"))?;
    Some(Outcome { steps, wall_s, hash, metric_columns, metrics, ..Outcome::default() })
}

/// The names of the metrics and what they observed last.
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

//! The folder of a sweep.
//!
//! | file | content |
//! |---|---|
//! | `plan.ron`, `scene.ron` | the plan and its scene, resolved: the folder runs without other files |
//! | `edits.ron` | the edits that all runs repeat: those of a shared scene, or those before a later begin |
//! | `controllers.json` | the controllers of a program that drive the runs, if there are some, see [`crate::controllers`] |
//! | `manifest.json` | the program that made the runs, and a hash of all that the runs have in common |
//! | `logs/` | one log for each process, see [`crate::log`] |
//! | `runs.csv`, `series.csv`, `summary.csv`, `comparisons.csv`, `expectations.csv` | the tables |
//! | `figures/`, `report.html` | figures as SVG and PNG, and the report |
//! | `runs/` | folders of single runs, where the plan keeps some |

use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;
use std::thread;
use std::time::Duration;

use anyhow::{Context as _, bail};
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, FileError, shown, write_whole};
use swarmarium_base::problem::Problems;
use swarmarium_core::text::wording::count;
use swarmarium_formats::run_folder::{FolderKind, MANIFEST};
use swarmarium_scene::scene::current;
use swarmarium_scene::scene::description::{Scene, Stop};
use swarmarium_simulation::edit::log;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::controllers::{CONTROLLERS, Controllers};
use crate::log::{EXTENSION, Index, Log};
use crate::plan::{Begin, Plan};
use crate::resolved::{self, PlanText, Sweep};

/// The name of the plan in the folder of a sweep.
pub const PLAN: &str = "plan.ron";
/// The name of the scene in the folder of a sweep.
pub const SCENE: &str = "scene.ron";
/// The name of the edits in the folder of a sweep.
pub const EDITS: &str = "edits.ron";
/// The names of the tables.
pub const TABLES: [&str; 5] = ["runs.csv", "series.csv", "summary.csv", "comparisons.csv", EXPECTATIONS];
/// The name of the table of expected results.
pub const EXPECTATIONS: &str = "expectations.csv";
/// The name of the report.
pub const REPORT: &str = "report.html";
/// The name of the folder of figures.
pub const FIGURES: &str = "figures";
const LOGS: &str = "logs";
/// The version of the format of folders.
const FORMAT: u32 = 1;
/// The largest sizes of a plan and of the other files that describe a sweep, in bytes.
const PLAN_BYTES: u64 = 64 << 20;
const MANIFEST_BYTES: u64 = 1 << 20;

/// The properties that all runs of a folder share.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
struct Manifest {
    program: String,
    version: String,
    format: u32,
    /// The commit that the program is built from, if it is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    commit: Option<String>,
    /// The hash of the program's file.
    build: String,
    /// The hash of the resolved scene without its seed.
    scene_hash: String,
    /// The end of runs, which is not part of the scene's hash.
    stop: String,
    /// The hash of the measures and of the series.
    measures_hash: String,
    /// The hash of the edits that all runs repeat, with the step at which they begin; empty for the start of a scene
    /// without edits.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    begin: String,
}

/// The program and the scene that the runs of a folder come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Provenance {
    /// The name of the program.
    pub program: String,
    /// Its version.
    pub version: String,
    /// The hash of its file.
    pub build: String,
    /// The hash of the resolved scene without its seed.
    pub scene_hash: String,
}

/// A part of the runs: shard `index` of `count`, counted from 1.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the shard, from 1.
    pub index: u64,
    /// The number of shards.
    pub count: u64,
}

impl Shard {
    /// All runs.
    pub const WHOLE: Self = Self { index: 1, count: 1 };

    /// Whether a run belongs to the shard, by its place in the order of execution.
    pub fn has(self, place: u64) -> bool {
        place % self.count == self.index - 1
    }
}

/// The folder of a sweep.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Begins a folder, or joins one that another process or an earlier one began with the same scene, measures and program.
    ///
    /// The points may differ: runs that are done count in both plans.
    ///
    /// # Errors
    /// When the folder cannot be written, or belongs to another sweep or another build of the program.
    pub fn join(path: &Path, sweep: &Sweep) -> Result<Self, Problems> {
        Self::join_driven(path, sweep, &Controllers::default())
    }

    /// As [`join`](Self::join), for runs that controllers of a program drive.
    ///
    /// # Errors
    /// Also when other controllers drove the runs in the folder.
    pub fn join_driven(path: &Path, sweep: &Sweep, controllers: &Controllers) -> Result<Self, Problems> {
        Ok(Self::begin_or_join(path, sweep, (&Manifest::new(sweep, build()?), controllers), false)?)
    }

    /// Puts the runs of folders together, in a new folder or in one of them. The runs may be of another build of the program
    /// than this one, but all of the same.
    ///
    /// # Errors
    /// When a folder belongs to another sweep or another build, or cannot be read or written.
    pub fn merge(path: &Path, folders: &[Self], sweep: &Sweep) -> Result<Self, Problems> {
        let first = folders.first().context("there is no folder to merge")?;
        let manifest = first.manifest()?;
        let resolved = Manifest { build: manifest.build.clone(), ..Manifest::new(sweep, 0) };
        resolved.check_same(&manifest).with_context(|| shown(&first.path))?;
        let others: Vec<&Self> = folders.iter().filter(|folder| folder.path != path).collect();
        for other in &others {
            manifest.check_same(&other.manifest()?).with_context(|| shown(&other.path))?;
        }
        let controllers = Controllers::read(&first.path)?;
        for other in &folders[1..] {
            controllers.check_merge((&first.path, &other.path), &Controllers::read(&other.path)?)?;
        }
        let target = Self::begin_or_join(path, sweep, (&manifest, &controllers), false)?;
        if !others.is_empty() {
            let logs: Vec<PathBuf> =
                std::iter::once(&target).chain(others).map(|folder| folder.path.join(LOGS)).collect();
            let index = Index::read(&logs.iter().map(PathBuf::as_path).collect::<Vec<_>>())?;
            index.write_to(
                &target.path.join(LOGS).join(format!("merged.{EXTENSION}")),
                all_keys(sweep, &index).into_iter(),
            )?;
        }
        Ok(target)
    }

    /// Replaces the sweep in a folder. Files that do not belong to a sweep stay.
    ///
    /// # Errors
    /// When the folder has no sweep, a process works in it, or a file cannot be replaced.
    pub fn overwrite(path: &Path, sweep: &Sweep) -> Result<Self, Problems> {
        Self::overwrite_driven(path, sweep, &Controllers::default())
    }

    /// As [`overwrite`](Self::overwrite), for runs that controllers of a program drive.
    ///
    /// # Errors
    /// As for [`overwrite`](Self::overwrite).
    pub fn overwrite_driven(path: &Path, sweep: &Sweep, controllers: &Controllers) -> Result<Self, Problems> {
        Self::open(path)?.clear()?;
        Ok(Self::begin_or_join(path, sweep, (&Manifest::new(sweep, build()?), controllers), true)?)
    }

    fn begin_or_join(
        path: &Path,
        sweep: &Sweep,
        (manifest, controllers): (&Manifest, &Controllers),
        has_other_files: bool,
    ) -> anyhow::Result<Self> {
        let controllers_text = controllers.text()?;
        fs::create_dir_all(path).with_context(|| format!("{}: cannot be made", shown(path)))?;
        let folder = Self { path: path.into() };
        // Of several processes, one begins the folder.
        let _lock = folder.lock_tables(&|| false)?;
        let plan = resolved::write(&sweep.recipe, &plan_of_folder(sweep));
        let source = PlanText { name: PLAN, text: &plan };
        resolved::read(&sweep.recipe, source).context("internal error: the plan cannot be read back")?;
        let is_begun = path.join(MANIFEST).exists();
        if is_begun {
            manifest.check_same(&folder.manifest()?).with_context(|| shown(path))?;
            Controllers::read(path)?.check_join(path, controllers)?;
        } else if !has_other_files {
            let edits = log::write(&sweep.log);
            let scene = sweep.scene_text();
            let own = [(SCENE, scene), (PLAN, plan.clone()), (EDITS, edits), (CONTROLLERS, controllers_text.clone())];
            folder.check_unused(&own)?;
        }
        let logs = path.join(LOGS);
        fs::create_dir_all(&logs).with_context(|| format!("{}: cannot be made", shown(&logs)))?;
        if is_begun {
            match files::read_at_most(&folder.plan(), PLAN_BYTES) {
                Ok(there) if there == plan.as_bytes() => return Ok(folder),
                Ok(_) | Err(FileError::Missing) => {}
                Err(error) => return Err(error).with_context(|| shown(folder.plan())),
            }
            // Tables of another plan would have other numbers of points. Its figures go with the next report.
            folder.clear_tables()?;
        } else {
            if !sweep.log.is_empty() {
                write_whole(&path.join(EDITS), log::write(&sweep.log))?;
            }
            if !controllers.is_empty() {
                write_whole(&path.join(CONTROLLERS), controllers_text)?;
            }
            write_whole(&path.join(SCENE), sweep.scene_text())?;
        }
        write_whole(&folder.plan(), &plan)?;
        // The manifest comes last: a folder with a manifest is complete.
        write_whole(&path.join(MANIFEST), serde_json::to_string_pretty(manifest)? + "\n")?;
        Ok(folder)
    }

    /// Refuses a folder with files, unless they are those of this sweep, which was killed while it began.
    fn check_unused(&self, own: &[(&str, String)]) -> anyhow::Result<()> {
        let cannot = || format!("{}: cannot be read", shown(&self.path));
        for entry in fs::read_dir(&self.path).with_context(cannot)? {
            let path = entry.with_context(cannot)?.path();
            let is_own = match path.file_name().and_then(|name| name.to_str()) {
                Some(LOGS) => true,
                Some(name) if name.ends_with(".partial") => true,
                Some(name) => own.iter().any(|(own_name, text)| {
                    name == *own_name
                        && files::read_at_most(&path, PLAN_BYTES).is_ok_and(|there| there == text.as_bytes())
                }),
                None => false,
            };
            if !is_own {
                bail!("{}: this folder contains other files, not a sweep: choose another folder", shown(&self.path));
            }
        }
        Ok(())
    }

    /// Deletes tables and the report.
    fn clear_tables(&self) -> anyhow::Result<()> {
        delete(TABLES.iter().chain([&REPORT]).map(|name| self.path.join(name)))
    }

    /// Deletes all files of the sweep, and no others.
    fn clear(self) -> anyhow::Result<()> {
        let _lock = self.lock_tables(&|| true)?;
        let logs = self.path.join(LOGS);
        let _unused = files::hold_folder(&logs)?;
        // The manifest goes first: what is left then is not a sweep.
        delete([self.path.join(MANIFEST)])?;
        self.clear_tables()?;
        let mut figures = files_in(&self.path.join(FIGURES), &["svg", "png"]);
        figures.retain(|path| is_figure(path));
        delete(figures)?;
        let _ = fs::remove_dir(self.path.join(FIGURES));
        let own = [PLAN, SCENE, EDITS, CONTROLLERS].map(|name| self.path.join(name));
        delete(own.into_iter().chain(files_in(&logs, &[EXTENSION])))?;
        // Folders with other files stay.
        let _ = fs::remove_dir(&logs);
        Ok(())
    }

    /// Opens the folder of a sweep that was begun before.
    ///
    /// # Errors
    /// When the path has no sweep.
    pub fn open(path: &Path) -> Result<Self, Problems> {
        let folder = Self { path: path.into() };
        folder.manifest()?;
        Ok(folder)
    }

    /// Whether a path is the folder of a sweep that has begun.
    pub fn is_at(path: &Path) -> bool {
        // Reading refuses anything but a regular file.
        path.join(PLAN).exists() && path.join(MANIFEST).exists()
    }

    fn manifest(&self) -> anyhow::Result<Manifest> {
        match FolderKind::from_path(&self.path) {
            Some(FolderKind::Sweep) => {}
            Some(other) => bail!("{}: is a {} folder, not a sweep folder", shown(&self.path), other.name()),
            None => bail!("{}: is not a sweep folder", shown(&self.path)),
        }
        let path = self.path.join(MANIFEST);
        let text = files::read_at_most(&path, MANIFEST_BYTES).with_context(|| shown(&path))?;
        let cannot = || format!("{}: cannot be read", shown(&path));
        let manifest: serde_json::Value = serde_json::from_slice(&text).with_context(cannot)?;
        let format = manifest.get("format").and_then(serde_json::Value::as_u64).unwrap_or_default();
        files::check_format(format, FORMAT).with_context(|| shown(&path))?;
        serde_json::from_value(manifest).with_context(cannot)
    }

    /// The origin of the runs.
    ///
    /// # Errors
    /// When the manifest cannot be read.
    pub fn provenance(&self) -> Result<Provenance, Problems> {
        let Manifest { program, version, build, scene_hash, .. } = self.manifest()?;
        Ok(Provenance { program, version, build, scene_hash })
    }

    /// Whether no process makes runs in the folder.
    pub fn is_idle(&self) -> bool {
        files::hold_folder(&self.path.join(LOGS)).is_ok()
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The path of the plan.
    pub fn plan(&self) -> PathBuf {
        self.path.join(PLAN)
    }

    /// Opens the log of a shard.
    ///
    /// # Errors
    /// When it cannot be written, or another process is doing this shard.
    pub fn log(&self, Shard { index, count }: Shard) -> Result<Log, Problems> {
        Ok(Log::open(&self.path.join(LOGS).join(format!("{index}-of-{count}.{EXTENSION}")))?)
    }

    /// Waits until no other process writes the tables of the folder, and keeps others from doing so until the result is
    /// dropped; `None` where folders cannot be locked.
    ///
    /// # Errors
    /// When `is_stopped` ends the wait.
    pub fn lock_tables(&self, is_stopped: &dyn Fn() -> bool) -> Result<Option<File>, Problems> {
        loop {
            match files::hold_folder(&self.path) {
                Err(error) if is_stopped() => return Err(error.into()),
                Err(_) => thread::sleep(Duration::from_millis(50)),
                held => return Ok(held?),
            }
        }
    }

    /// The finished runs.
    ///
    /// # Errors
    /// When a log cannot be read.
    pub fn index(&self) -> Result<Index, Problems> {
        Ok(Index::read(&[&self.path.join(LOGS)])?)
    }

    /// Puts all logs into one, when there are many and no process is writing them.
    ///
    /// # Errors
    /// When the one cannot be written; then the others stay.
    pub fn compact(&self, sweep: &Sweep) -> Result<(), Problems> {
        const MANY: usize = 20;
        let logs = self.path.join(LOGS);
        // A folder that a process works in stays as it is.
        let Ok(_unused) = files::hold_folder(&logs) else { return Ok(()) };
        let index = self.index()?;
        if index.paths().len() < MANY {
            return Ok(());
        }
        let target = logs.join(format!("all.{EXTENSION}"));
        index.write_to(&target, all_keys(sweep, &index).into_iter())?;
        for path in index.paths().iter().filter(|path| **path != target) {
            // A log that stays does no harm: its runs are known.
            let _ = fs::remove_file(path);
        }
        Ok(())
    }
}

/// The end of runs in words: `after 500 steps or when circliness > 0.9`.
fn end_of(stop: &Stop) -> String {
    let conditions = [
        (stop.steps > 0).then(|| format!("after {}", count(stop.steps as usize, "step"))),
        (stop.time_s > 0.0).then(|| format!("after {} s", stop.time_s)),
        (!stop.when.is_empty()).then(|| format!("when {}", stop.when)),
    ];
    let conditions: Vec<String> = conditions.into_iter().flatten().collect();
    if conditions.is_empty() { "by default".into() } else { conditions.join(" or ") }
}

/// The keys of all finished runs: those of the plan in its order, then those of earlier plans.
fn all_keys(sweep: &Sweep, index: &Index) -> Vec<u64> {
    let of_plan: Vec<u64> = sweep.runs().map(|run| sweep.key(run)).collect();
    let known: BTreeSet<u64> = of_plan.iter().copied().collect();
    of_plan.into_iter().chain(index.keys().filter(|key| !known.contains(key))).collect()
}

/// The plan as the folder has it: it needs nothing outside of the folder.
fn plan_of_folder(sweep: &Sweep) -> Plan {
    let edits = if sweep.log.is_empty() { String::new() } else { EDITS.into() };
    let begin = Begin { edits, ..sweep.plan.begin.clone() };
    Plan { scene: SCENE.into(), set: Vec::new(), metrics: Vec::new(), begin, ..sweep.plan.clone() }
}

/// Whether a file has the name of a figure, such as `circliness-map.svg`: a measure, and a kind of figure.
fn is_figure(path: &Path) -> bool {
    let kind = path.file_stem().and_then(|name| name.to_str()?.split_once('-'));
    kind.is_some_and(|(_, kind)| {
        ["map", "curve", "curves", "boxes", "over-time"].contains(&kind) || kind.starts_with("by-")
    })
}

/// The files of a folder with one of some endings; none if there is no such folder.
fn files_in(folder: &Path, endings: &[&str]) -> Vec<PathBuf> {
    let has_ending =
        |path: &PathBuf| path.extension().is_some_and(|ending| endings.iter().any(|known| ending == *known));
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.filter_map(|entry| Some(entry.ok()?.path())).filter(has_ending).collect()
}

/// Deletes files that exist.
fn delete(paths: impl IntoIterator<Item = PathBuf>) -> anyhow::Result<()> {
    for path in paths {
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => {
                return Err(error).with_context(|| format!("{}: cannot be deleted", shown(&path)));
            }
            _ => {}
        }
    }
    Ok(())
}

impl Manifest {
    fn new(sweep: &Sweep, build: u64) -> Self {
        let (kinds, program) = (sweep.recipe.kinds(), sweep.recipe.program());
        let scene = Scene { seed: 0, ..sweep.scene.clone() };
        let stop = &sweep.scene.stop;
        let (measures, every) = (&sweep.plan.measures, sweep.plan.keep.series_every_steps);
        Self {
            program: sweep.recipe.program_name().into(),
            version: program.map_or(env!("CARGO_PKG_VERSION"), |program| &program.version).into(),
            commit: program.and_then(|program| program.commit.clone()),
            format: FORMAT,
            build: hex(build),
            scene_hash: hex(current::digest(kinds, &scene)),
            stop: end_of(stop),
            measures_hash: hex(xxh3_64(format!("{measures:?} {every}").as_bytes())),
            begin: match sweep.plan.begin.step {
                0 if sweep.log.is_empty() => String::new(),
                step => hex(xxh3_64(format!("{step}\n{}", log::write(&sweep.log)).as_bytes())),
            },
        }
    }

    /// # Errors
    /// When runs of the two would not be the same.
    fn check_same(&self, there: &Self) -> anyhow::Result<()> {
        if self.format != there.format || self.scene_hash != there.scene_hash {
            bail!("the runs in this folder are of another scene: choose another folder");
        }
        // Other builds write the rest of the manifest in other ways.
        if (&self.version, &self.build) != (&there.version, &there.build) {
            let [own, other] = [self, there].map(|manifest| format!("{} ({})", manifest.version, manifest.build));
            bail!(
                "the runs in this folder are of another build of the program, {other}, and this one is {own}: use that \
                 build, or choose another folder"
            );
        }
        if self.stop != there.stop {
            bail!(
                "the runs in this folder end {}, and those of the plan {}: choose another folder",
                there.stop,
                self.stop
            );
        }
        if self.begin != there.begin {
            bail!("the runs in this folder begin at another moment or have other edits: choose another folder");
        }
        if self.measures_hash != there.measures_hash {
            bail!("the runs in this folder have other measures or another series: choose another folder");
        }
        Ok(())
    }
}

/// A hash of the program's own file: runs of two builds are not mixed.
///
/// # Errors
/// When the file cannot be read.
fn build() -> anyhow::Result<u64> {
    static BUILD: OnceLock<u64> = OnceLock::new();
    if let Some(build) = BUILD.get() {
        return Ok(*build);
    }
    let path = std::env::current_exe().context("the file of this program is unknown")?;
    let cannot = || format!("{}: cannot be read", shown(&path));
    let mut hasher = Xxh3::new();
    std::io::copy(&mut files::open(&path).with_context(cannot)?, &mut Writer(&mut hasher)).with_context(cannot)?;
    Ok(*BUILD.get_or_init(|| hasher.digest()))
}

/// Feeds a hasher.
struct Writer<'h>(&'h mut Xxh3);

impl std::io::Write for Writer<'_> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// A hash in the format of files.
pub fn hex(hash: u64) -> String {
    format!("{hash:016x}")
}

//! Folders of runs, and the moments in them: a step, a time or a bookmark, on a branch.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use anyhow::{Context as _, bail, ensure};
use swarmarium_base::files::{check_format, shown};
use swarmarium_base::math;
use swarmarium_base::problem::{Problem, Problems, listed};
use swarmarium_host::timeline::SavedTimeline;
use swarmarium_host::timeline::file::FILE as TIMELINE;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_simulation::edit::{LoggedEdit, log};

mod files;
mod kind;

pub use files::RunFiles;
pub use kind::FolderKind;

/// The version of the format of run folders that this program writes, and the newest one that it reads.
pub const FORMAT: u32 = 1;
/// The file that describes a run, or a sweep.
pub const MANIFEST: &str = "manifest.json";
/// The file of the scene of a run.
const SCENE: &str = "scene.ron";

/// A text names no moment.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected a step, such as 1400, a time, such as 35s or 2m, or the name of a bookmark")]
pub struct AtError;

/// A moment as people name it.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum At {
    /// The end of a step.
    Step(u64),
    /// A simulated time, in seconds.
    Time(f64),
    /// The moment of a bookmark; without a bookmark of the name [`END`], this name is the end of the branch.
    Bookmark(String),
}

/// The name of the last moment of a branch.
pub const END: &str = "end";

impl FromStr for At {
    type Err = AtError;

    fn from_str(text: &str) -> Result<Self, AtError> {
        let text = text.trim();
        if let Ok(step) = text.parse() {
            return Ok(Self::Step(step));
        }
        let seconds = text.strip_suffix('s').and_then(|number| number.parse().ok());
        let time = seconds.or_else(|| humantime::parse_duration(text).ok().map(|time| time.as_secs_f64()));
        match time {
            Some(time_s) if f64::is_finite(time_s) && time_s >= 0.0 => Ok(Self::Time(time_s)),
            _ if text.is_empty() || text.parse::<f64>().is_ok() || time.is_some() => Err(AtError),
            _ => Ok(Self::Bookmark(text.into())),
        }
    }
}

/// The folder of an earlier run.
#[derive(Clone, Debug)]
pub struct RunFolder {
    path: PathBuf,
    timeline: SavedTimeline,
    /// The version of the program that wrote it.
    version: String,
    /// The step at which the run was saved.
    steps: Option<u64>,
    /// Whether the last steps of its branches are known: those of a run that was killed are not.
    has_end: bool,
    /// The time step in seconds, as the manifest has it.
    dt_s: Option<f64>,
    /// The known hashes of the present branch, by step.
    hashes: BTreeMap<u64, u64>,
}

/// A moment of a run folder.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct RunMoment {
    /// The step.
    pub step: u64,
    /// The last step of the branch, where it is known.
    pub end: Option<u64>,
    /// The edits of the branch.
    pub edits: Vec<LoggedEdit>,
    /// The name of the branch.
    pub branch: String,
}

impl RunFolder {
    /// Reads what a run folder says about its run, without its tables; `None` where the path is not a run folder.
    ///
    /// # Errors
    /// When it is the folder of a batch or a sweep, which has many runs, or of a newer version of the program, or when a
    /// file in it cannot be read.
    pub fn open(path: &Path) -> Result<Option<Self>, Problems> {
        match FolderKind::from_path(path) {
            None => return Ok(None),
            Some(FolderKind::Run) => {}
            Some(other) => return Err(Problems::of_file(shown(path), other.refusal(path))),
        }
        // Reading refuses anything but a regular file.
        let file = |name: &str| Some(path.join(name)).filter(|path| path.exists());
        let edits = file("edits.ron").as_deref().map(read_edits).transpose()?.unwrap_or_default();
        let manifest = match file(MANIFEST) {
            Some(manifest) => serde_json::from_str(&read_text(&manifest)?).with_context(|| shown(&manifest))?,
            None => serde_json::Value::Null,
        };
        let format = manifest.get("format").and_then(serde_json::Value::as_u64).unwrap_or_default();
        check_format(format, FORMAT).with_context(|| shown(path.join(MANIFEST)))?;
        let steps = manifest.get("steps").and_then(serde_json::Value::as_u64);
        let has_end = steps.is_some() || file(TIMELINE).is_some();
        let timeline = match file(TIMELINE) {
            Some(timeline) => SavedTimeline::read(&shown(&timeline), &read_text(&timeline)?)?,
            None => {
                let last = edits.last().map_or(0, |logged| logged.step);
                SavedTimeline::of_run(steps.unwrap_or(last), edits)
            }
        };
        let mut hashes = match file("hash.csv") {
            Some(table) => read_hashes(&table)?,
            None => BTreeMap::new(),
        };
        let last = manifest.get("final_state_hash").and_then(serde_json::Value::as_str);
        let last = last.and_then(|hash| u64::from_str_radix(hash, 16).ok());
        hashes.extend(steps.zip(last));
        let dt_s = manifest.get("dt_s").and_then(serde_json::Value::as_f64);
        let version = manifest.get("version").and_then(serde_json::Value::as_str).unwrap_or("unknown").into();
        Ok(Some(Self { path: path.into(), timeline, version, steps, has_end, dt_s, hashes }))
    }

    /// The path of the folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The step at which the run was saved, where that is known.
    pub fn saved_at(&self) -> Option<u64> {
        self.steps
    }

    /// Whether the last steps of its branches are known: those of a run that was killed are not.
    pub fn has_end(&self) -> bool {
        self.has_end
    }

    /// The simulated time at the end of the present branch, in seconds, where it is known.
    pub fn end_s(&self) -> Option<f64> {
        let branch = self.timeline.branch(&self.timeline.present).ok()?;
        Some(branch.steps as f64 * self.dt_s?)
    }

    /// The branches and bookmarks of the run.
    pub fn timeline(&self) -> &SavedTimeline {
        &self.timeline
    }

    /// The file of the scene that the run began with.
    pub fn scene_file(&self) -> String {
        self.path.join(SCENE).display().to_string()
    }

    /// Finds a moment; without `at`, the start. `dt_s` is the time step, in seconds.
    ///
    /// # Errors
    /// When the run has no such moment; the message says what it has.
    pub fn moment(&self, at: Option<&At>, branch: Option<&str>, dt_s: f64) -> Result<RunMoment, Problems> {
        Ok(self.find_moment(at, branch, dt_s)?)
    }

    fn find_moment(&self, at: Option<&At>, branch: Option<&str>, dt_s: f64) -> anyhow::Result<RunMoment> {
        let name = shown(&self.path);
        let bookmark = match at {
            Some(At::Bookmark(bookmark)) => match self.timeline.bookmark(bookmark) {
                Err(_) if bookmark == END => None,
                found => Some(found.with_context(|| name.clone())?),
            },
            _ => None,
        };
        let of_bookmark = bookmark.map(|bookmark| bookmark.branch.as_str());
        if let (Some(bookmark), Some(branch)) = (bookmark, branch) {
            ensure!(
                bookmark.branch == branch,
                "{name}: the bookmark `{}` is on the branch `{}`, not on `{branch}`",
                bookmark.name,
                bookmark.branch
            );
        }
        let branch = branch.or(of_bookmark).unwrap_or(&self.timeline.present);
        let found = self.timeline.branch(branch).with_context(|| name.clone())?;
        let step = match (at, bookmark) {
            (Some(At::Step(step)), _) => *step,
            (Some(At::Time(time_s)), _) => (time_s / dt_s).round() as u64,
            (_, Some(bookmark)) => bookmark.step,
            (Some(At::Bookmark(_)), None) => {
                ensure!(self.has_end, "{name}: the run was killed, and its end is not known");
                found.steps
            }
            (None, None) => 0,
        };
        if step > found.steps && self.has_end {
            let marks = self.timeline.bookmarks.iter();
            let marks: Vec<String> = marks.map(|mark| format!("`{}` at step {}", mark.name, mark.step)).collect();
            let marks = if marks.is_empty() { String::new() } else { format!("; bookmarks: {}", listed(&marks)) };
            let end_s = math::decimal_product(found.steps as f64 * dt_s);
            bail!("{name}: branch `{branch}` has no step {step}: it has steps 0 to {} ({end_s} s){marks}", found.steps);
        }
        let edits = self.timeline.edits_of(branch).with_context(|| name.clone())?;
        let end = self.has_end.then_some(found.steps);
        Ok(RunMoment { step, end, edits, branch: branch.into() })
    }

    /// The known hashes of a branch, by step.
    pub fn hashes_of(&self, branch: &str) -> BTreeMap<u64, u64> {
        if branch == self.timeline.present { self.hashes.clone() } else { BTreeMap::new() }
    }

    /// The message about the first step whose state differs from that of the folder.
    pub fn difference(&self, step: u64) -> String {
        format!(
            "{}: the state of step {step} is the first one that differs from that of the folder, written by version {}",
            shown(&self.path),
            self.version
        )
    }
}

/// Reads a log of edits.
///
/// # Errors
/// All problems of the file.
pub fn read_edits(file: &Path) -> Result<Vec<LoggedEdit>, Problems> {
    let name = shown(file);
    let text = read_text(file)?;
    let edits = log::read(&name, &text)?;
    match edits.first().filter(|first| first.step == 0) {
        Some(first) => {
            let message = "there is no step 0: steps are counted from 1";
            let problem = Problem { place: log::place_of(&text, first), ..Problem::of_file(message) };
            Err(Problems { source_name: name, problems: vec![problem] })
        }
        None => Ok(edits),
    }
}

fn read_hashes(table: &Path) -> anyhow::Result<BTreeMap<u64, u64>> {
    let text = read_text(table)?;
    let row = |line: &str| {
        let (step, hash) = line.split_once(',')?;
        Some((step.parse().ok()?, u64::from_str_radix(hash, 16).ok()?))
    };
    let rows: Option<BTreeMap<u64, u64>> = text.lines().skip(1).map(row).collect();
    rows.with_context(|| format!("{}: expected lines with a step and a hash", shown(table)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_steps_times_or_bookmarks() {
        let of = |text: &str| text.parse::<At>();
        assert_eq!(of("1400"), Ok(At::Step(1400)));
        assert_eq!(of("35s"), Ok(At::Time(35.0)));
        assert_eq!(of("0.5s"), Ok(At::Time(0.5)));
        assert_eq!(of("2m"), Ok(At::Time(120.0)));
        assert_eq!(of("the wall"), Ok(At::Bookmark("the wall".into())));
        for bad in ["", "1.5", "-3", "infs"] {
            assert!(of(bad).is_err(), "{bad}");
        }
    }
}

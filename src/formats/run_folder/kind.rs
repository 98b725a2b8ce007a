//! The kinds of folders that the program writes, told apart by their files.

use std::fs;
use std::path::Path;

use swarmarium_base::files::shown;
use swarmarium_base::problem::listed;

use super::{MANIFEST, SCENE};

/// The file of a batch of runs, one for each seed.
const BATCH: &str = "batch.json";
/// The file of a sweep.
const PLAN: &str = "plan.ron";

/// A kind of folder that the program writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FolderKind {
    /// One run.
    Run,
    /// Runs of one scene, one for each seed, each in a folder of its own.
    Batch,
    /// The runs of a plan.
    Sweep,
}

impl FolderKind {
    /// The kind of a folder; `None` for other folders and for files.
    pub fn from_path(path: &Path) -> Option<Self> {
        let has = |name: &str| path.join(name).exists();
        match () {
            () if !path.is_dir() => None,
            () if has(PLAN) && (has(MANIFEST) || has(SCENE)) => Some(Self::Sweep),
            () if has(BATCH) => Some(Self::Batch),
            () if has(SCENE) => Some(Self::Run),
            () => None,
        }
    }

    /// The name of the kind, as in "a run folder".
    pub fn name(self) -> &'static str {
        match self {
            Self::Run => "run",
            Self::Batch => "batch",
            Self::Sweep => "sweep",
        }
    }

    /// The message about such a folder where one scene or one run is expected, without the name of the folder.
    pub fn refusal(self, path: &Path) -> String {
        let content = match self {
            Self::Run => format!("its scene is {}", shown(path.join(SCENE))),
            Self::Batch => match runs_in(path) {
                runs if runs.is_empty() => "it has no runs yet".into(),
                runs => format!("its runs are {}", listed(&runs)),
            },
            Self::Sweep => {
                let runs = path.join("runs");
                let [any, first] = ["POINT-REPETITION", "1-1"].map(|name| shown(runs.join(name)));
                format!("its runs are {any}, such as {first}")
            }
        };
        format!("is a {} folder: {content}", self.name())
    }
}

/// The folders of runs in a folder, those with shorter names first, so that numbers are in their order.
fn runs_in(path: &Path) -> Vec<String> {
    let entries = fs::read_dir(path).into_iter().flatten();
    let runs = entries.filter_map(|entry| Some(entry.ok()?.path()));
    let mut runs: Vec<String> =
        runs.filter(|run| FolderKind::from_path(run) == Some(FolderKind::Run)).map(shown).collect();
    runs.sort_by(|one, other| (one.len(), one).cmp(&(other.len(), other)));
    runs
}

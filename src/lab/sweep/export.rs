//! Files of a sweep: its plan, a copy of its folder, and its figure.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use swarmarium_base::files::{read_at_most, write_whole};
use swarmarium_core::edit::log;
use swarmarium_core::scene::reader::MAX_BYTES;
use swarmarium_sweep::plan::Begin;
use swarmarium_sweep::source::ENDING;
use swarmarium_sweep::{Folder, Plan, report, resolved};

use super::pictures;
use crate::Lab;
use crate::action::SweepFormat;

impl Lab {
    /// Saves the plan of the sweep, with its scene and its edits beside it.
    ///
    /// # Errors
    /// When there is no sweep, or a file cannot be written.
    pub(crate) fn save_plan_of_sweep(&self, path: &Path) -> anyhow::Result<()> {
        let sweep = self.sweep.state().and_then(|state| state.sweep).context("there is no sweep")?;
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let stem = name.strip_suffix(ENDING).unwrap_or(&name);
        let scene = write_beside(path, stem, "scene.ron", &sweep.scene_text())?;
        let mut begin = Begin { step: sweep.plan.begin.step, ..Begin::default() };
        if !sweep.log.is_empty() {
            begin.edits = write_beside(path, stem, "edits.ron", &log::write(&sweep.log))?;
        }
        // The scene has the values and the metrics that the plan set.
        let plan = Plan { scene, begin, set: Vec::new(), metrics: Vec::new(), ..sweep.plan.clone() };
        write_whole(path, resolved::write(&sweep.recipe, &plan))
    }

    /// Saves a copy of the folder of the sweep, with tables and figures of the runs that are done.
    pub(crate) fn save_folder_of_sweep(&mut self, path: PathBuf) {
        let Some(worker) = &self.sweep.worker else { return };
        let (Some(sweep), from) = (worker.state().sweep, worker.folder().to_path_buf()) else { return };
        let started = self.recordings.work("sweep folder", path.clone(), move || {
            let folder = Folder::merge(&path, &[Folder::open(&from)?], &sweep)?;
            report::conclude(&sweep, &folder, &folder.index()?)?;
            pictures::copy(&from, &path)?;
            Ok(format!("Saved {}", path.display()))
        });
        self.tell(started);
    }

    /// Saves the shown figure of the sweep.
    pub(crate) fn export_figure_of_sweep(&mut self, format: SweepFormat, path: PathBuf) {
        let Some(drawn) = self.sweep.state().and_then(|state| state.drawn) else {
            return self.tell_error("The sweep has no figure yet");
        };
        let started = self.recordings.work("figure", path.clone(), move || {
            match format {
                SweepFormat::Svg => write_whole(&path, drawn.figure.svg()),
                SweepFormat::Png => drawn.figure.png().and_then(|file| write_whole(&path, file)),
                SweepFormat::Csv => write_whole(&path, drawn.figure.csv()),
            }?;
            Ok(format!("Saved {}", path.display()))
        });
        self.tell(started);
    }
}

/// Writes a file beside a plan, under a name that no other content has. Returns the name.
///
/// # Errors
/// When the file cannot be written.
fn write_beside(plan: &Path, stem: &str, kind: &str, text: &str) -> anyhow::Result<String> {
    let numbered = (2..).map(|number: u64| format!("{stem}-{number}.{kind}"));
    let is_free = |name: &String| {
        let path = plan.with_file_name(name);
        !path.exists() || read_at_most(&path, MAX_BYTES).is_ok_and(|there| there == text.as_bytes())
    };
    let mut names = std::iter::once(format!("{stem}.{kind}")).chain(numbered);
    let name = names.find(is_free).context("there is no free name")?;
    write_whole(&plan.with_file_name(&name), text)?;
    Ok(name)
}

//! Links: commands that open the present moment in another window or on another machine.

use std::path::{Path, PathBuf};

use anyhow::Context as _;
use bevy_egui::egui;
use swarmarium_base::files::{claim, shown};
use swarmarium_core::timeline::{Branch, Moment};

use crate::places::stem;
use crate::text::shell_word;
use crate::{Lab, save};

/// The folder that contains the folders of runs.
const RUNS: &str = "runs";

impl Lab {
    /// Saves the run, and copies the command that opens it at the present moment.
    pub(crate) fn copy_link(&mut self, ctx: &egui::Context) {
        let timeline = self.host.timeline();
        let root = timeline.root_of(timeline.present().id());
        let folder = match &self.timeline.folder {
            // All links of a run use the same folder.
            Some((folder, opening, of)) if (*opening, *of) == (self.openings, root) && folder.is_dir() => {
                folder.clone()
            }
            _ => match new_folder(&format!("{}-{}", stem(self), self.host.start().seed)) {
                Ok(folder) => folder,
                Err(error) => return self.tell_error(error),
            },
        };
        self.timeline.folder = Some((folder.clone(), self.openings, root));
        if let Err(error) = save::run_files(self).and_then(|files| files.write(&folder)) {
            return self.tell_error(error);
        }
        self.timeline.saved_revision = Some(self.host.timeline().revision());
        let link = self.link(&folder);
        ctx.copy_text(link.clone());
        self.say_saved(&format!("Copied: {link}\nTo open the run on another machine, copy this folder there"), &folder);
    }

    /// Returns the command that opens the present moment of a run in a folder.
    fn link(&self, folder: &Path) -> String {
        let Moment { branch, step } = self.playhead();
        let name = self.host.timeline().branch(branch).map_or("", Branch::name);
        // The branch is included, since a later link from another branch uses the same folder.
        format!("swarmarium open {} --at {step} --branch {}", shell_word(&shown(folder)), shell_word(name))
    }
}

/// Creates the folder of a run, with a number if the name is taken.
fn new_folder(name: &str) -> anyhow::Result<PathBuf> {
    std::fs::create_dir_all(RUNS).with_context(|| format!("{RUNS}: cannot be created"))?;
    claim(&Path::new(RUNS).join(name), true)
}

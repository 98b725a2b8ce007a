//! Links: the command that opens the present moment in another window, or on another machine.

use std::path::{Path, PathBuf};

use bevy_egui::egui;
use swarmarium_core::timeline::{Branch, Moment};

use crate::places::{absolute, stem};
use crate::{Lab, save};

/// The folder of folders of runs.
const RUNS: &str = "runs";

impl Lab {
    /// Saves the run, and copies the command that opens it at the present moment.
    pub(crate) fn copy_link(&mut self, ctx: &egui::Context) {
        let timeline = self.host.timeline();
        let root = timeline.root_of(timeline.present().id());
        let folder = match &self.timeline.folder {
            // Further links of a run lead to one folder.
            Some((folder, opening, of)) if (*opening, *of) == (self.openings, root) && folder.is_dir() => {
                folder.clone()
            }
            _ => match new_folder(Path::new(RUNS), &format!("{}-{}", stem(self), self.host.start().seed)) {
                Ok(folder) => folder,
                Err(error) => return self.tell_error(format!("{RUNS}: cannot be made: {error}")),
            },
        };
        self.timeline.folder = Some((folder.clone(), self.openings, root));
        if let Err(error) = save::RunFiles::of(self).and_then(|files| files.write(&folder)) {
            return self.tell_error(error);
        }
        self.timeline.saved_revision = Some(self.host.timeline().revision());
        let link = self.link(&folder);
        ctx.copy_text(link.clone());
        self.say_saved(&format!("Copied: {link}\nTo open it elsewhere, send the folder along"), &folder);
    }

    /// The command that opens the present moment of a run in a folder.
    fn link(&self, folder: &Path) -> String {
        let Moment { branch, step } = self.playhead();
        let name = self.host.timeline().branch(branch).map_or("", Branch::name);
        // The name, as a later link from another branch goes to the same folder.
        format!("swarmarium open {} --at {step} --branch {}", quoted(&shown(folder)), quoted(name))
    }
}

/// Makes a folder of this name, with a number if the name is taken.
fn new_folder(parent: &Path, name: &str) -> std::io::Result<PathBuf> {
    std::fs::create_dir_all(parent)?;
    let numbered = (2_u32..).map(|number| format!("{name}-{number}"));
    for name in std::iter::once(name.to_owned()).chain(numbered) {
        let path = parent.join(name);
        match std::fs::create_dir(&path) {
            Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
            made => return made.map(|()| path),
        }
    }
    Ok(parent.join(name))
}

/// A path as it can be typed from the folder in which the program was started, or from anywhere.
fn shown(folder: &Path) -> String {
    if folder.is_relative() { folder.display().to_string() } else { absolute(folder) }
}

/// A word of a command line, in quotes if it has blanks or signs that shells read.
fn quoted(word: &str) -> String {
    let is_plain = |c: char| c.is_alphanumeric() || "-_./:+".contains(c);
    if !word.is_empty() && word.chars().all(is_plain) {
        word.into()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_a_command_are_quoted_where_shells_need_it() {
        assert_eq!(
            ["runs/milling-7", "wider turn", "it's", ""].map(quoted),
            ["runs/milling-7", "'wider turn'", r"'it'\''s'", "''"]
        );
    }
}

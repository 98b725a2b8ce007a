//! Hot reload: the scene file is watched, and read again when it changes.
//!
//! If the file is invalid, the error is shown and the last valid scene continues. Changes made in the window are set
//! aside.

use std::path::Path;

use swarmarium_base::problem::Problems;
use swarmarium_core::edit::Edit;
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::scene::{Scene, constants};
use swarmarium_formats::load::{Loaded, load_with, locate_problems};

use super::action::HistoryAction;
use super::kept_changes::condensed;
use super::notice::Notice;
use super::text::counted;
use super::{Action, Lab};

#[cfg(test)]
mod tests;
mod watcher;

pub use watcher::Watcher;

/// Whether a sequence of changes leaves a scene as it is.
///
/// Changes are checked in order, because a later one may depend on an earlier one.
fn are_made(kinds: &Kinds, scene: &Scene, changes: &[Edit]) -> bool {
    let mut after = scene.clone();
    let text = |scene| write(kinds, scene, Style::Full);
    let fit = changes.iter().all(|change| match change {
        Edit::Set { path, value } => constants::set(kinds, &mut after, path, value).is_ok(),
        _ => false,
    });
    fit && text(&after) == text(scene)
}

/// Whether an edit removes a robot.
fn removes_robot(edit: &Edit) -> bool {
    matches!(edit, Edit::Remove { path } if path.starts_with("agents"))
}

impl Lab {
    /// Reads the scene file again; if it is invalid, the last valid scene continues.
    pub(crate) fn reload(&mut self) {
        match self.read_again() {
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => self.say("This scene has no file"),
        }
    }

    /// Handles a changed scene file.
    ///
    /// If the scene is the same as the running one, as after saving it, the run continues.
    pub(crate) fn file_changed(&mut self) {
        match self.read_again() {
            Some(Ok(loaded)) if self.runs(&loaded.scene) => {
                self.notices.clear_scene_errors();
                self.take_opened(loaded);
            }
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => {}
        }
    }

    fn read_again(&self) -> Option<Result<Loaded, Problems>> {
        let name = self.opened.source.name()?;
        Some(load_with(self.recipe.kinds(), &name, &self.opened.overrides, &self.opened.options))
    }

    fn runs(&self, scene: &Scene) -> bool {
        let simulation = self.host.simulation();
        // Files do not contain removed items.
        let text = |scene: &Scene| write(simulation.kinds(), &scene.clone().without_gone(), Style::Full);
        text(scene) == text(simulation.scene_ahead())
    }

    /// Starts a scene that was read again.
    fn take(&mut self, loaded: Loaded) {
        // Changes that were set aside before are older.
        let mut lost = condensed(self.edits.set_aside.iter().chain(&self.changes()));
        let removed = self.forget_renumbered(&mut lost);
        if are_made(self.recipe.kinds(), &loaded.scene, &lost) {
            lost.clear();
        }
        if let Err(problems) = self.host.load(loaded.scene.clone()) {
            let problems = locate_problems(&loaded.source.name().unwrap_or_default(), problems);
            return self.notices.add(Notice::of_file(&problems.to_string()));
        }
        self.notices.clear_scene_errors();
        let name = loaded.source.name().unwrap_or_default();
        let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.take_opened(loaded);
        self.edits.shared.begin(&self.host, &self.opened.edits);
        self.plots.other_runs.clear();
        self.timeline.restart();
        self.notices.drop_offers();
        let back = match removed {
            0 => String::new(),
            1 => "; 1 removed robot is back, as a reset gave the others new numbers".into(),
            all => format!("; {all} removed robots are back, as a reset gave the others new numbers"),
        };
        if lost.is_empty() {
            self.say(&format!("{name} was reloaded{back}"));
        } else {
            let are = if lost.len() == 1 { "is" } else { "are" };
            let changes = counted(lost.len());
            let text = format!("{name} was reloaded; {changes} made in the window {are} set aside{back}");
            self.notices.add(
                Notice::good(&text).with_offer("Make changes again", Action::History(HistoryAction::RestoreChanges)),
            );
        }
        self.edits.set_aside = lost;
        self.restarted();
    }

    /// Drops removals of robots if a robot was removed before a reset: other robots have their numbers now. Returns the
    /// number of dropped edits.
    fn forget_renumbered(&self, changes: &mut Vec<Edit>) -> usize {
        if !self.host.carried.iter().any(removes_robot) {
            return 0;
        }
        let before = changes.len();
        changes.retain(|change| !removes_robot(change));
        before - changes.len()
    }

    /// Returns the changes made in the window, without overwritten ones; those before a reset come first.
    pub(crate) fn changes(&self) -> Vec<Edit> {
        let simulation = self.host.simulation();
        let logged = simulation.edits().iter().map(|logged| &logged.edit);
        condensed(self.host.carried.iter().chain(logged).chain(simulation.waiting_edits()))
    }

    /// Makes the changes again that were set aside, as far as they still fit.
    pub(crate) fn restore_changes(&mut self) {
        let changes = std::mem::take(&mut self.edits.set_aside);
        let all = changes.len();
        let transaction = self.present_transaction();
        let changes = self.restart_with_fitting(changes, transaction);
        let misfits =
            changes.into_iter().filter_map(|change| self.apply_in(change, transaction).err()).collect::<Vec<_>>();
        let misfits: Vec<String> = misfits.iter().map(|problem| self.problem_text(problem)).collect();
        self.notices.drop_offers();
        match (all, all - misfits.len()) {
            (0, _) => self.say("No changes were set aside"),
            (_, 0) => {}
            (_, 1) => self.say("1 change was made again"),
            (_, made) => self.say(&format!("{} were made again", counted(made))),
        }
        if !misfits.is_empty() {
            let fit = if misfits.len() == 1 { "no longer fits" } else { "no longer fit" };
            self.tell_error(format!("{} {fit}\n{}", counted(misfits.len()), misfits.join("\n")));
        }
    }
}

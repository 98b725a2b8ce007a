//! The files that the lab reads and writes.

pub mod autosave;
pub mod presets;
pub mod recording;
pub mod run_log;
pub mod save;
pub mod scripts;
pub mod share;
pub mod shots;
pub mod standing;

use std::path::{Path, PathBuf};
use std::time::Instant;

use bevy::prelude::*;

use crate::action::{Action, FileRequest, PanelAction};
use crate::common::places::Places;
use crate::files::autosave::{
    ALIVE_S, Autosave, FEW_EDITS, Files, LARGEST_SHARE, MOST_KEPT, PAUSE_S, State, abandoned, recovery, remove,
};
use crate::files::presets::Presets;
use crate::files::recording::Recordings;
use crate::files::scripts::ScriptState;
use crate::files::shots::Shots;
use crate::notice::{Notice, Notices};
use crate::run::RunState;
use crate::timeline::TimelineState;

impl FileState {
    /// Starts the autosave, and offers the scenes of earlier windows.
    pub fn begin_autosave(&mut self, notices: &mut Notices) {
        let Some(folder) = self.places.unsaved.clone() else { return };
        match Files::new(&folder) {
            Ok(files) => self.autosave.files = Some(files),
            Err(error) => {
                notices.tell_error(format!("{}: unsaved changes cannot be stored there: {error}", folder.display()));
            }
        }
        let mut found = abandoned(&folder);
        let old = found.split_off(found.len().min(MOST_KEPT));
        old.iter().for_each(|old| remove(&old.path));
        self.autosave.found = found;
        self.offer_recovery(notices);
    }

    /// Offers the kept scene, or the list of several.
    fn offer_recovery(&self, notices: &mut Notices) {
        let Some((first, others)) = self.autosave.found.split_first() else { return };
        if others.is_empty() {
            let text = format!("Unsaved work was kept: {}, a copy {}", first.title, first.copy_text());
            return notices.add(recovery(&text, &first.path));
        }
        let text = format!(
            "Unsaved work in {} scenes can be recovered; the newest is that in {} {}",
            others.len() + 1,
            first.title,
            first.copy_text()
        );
        let list = Action::Panel(PanelAction::Unsaved);
        let notice = Notice::good(&text).with_button("Show the list", "Lists all of them, to recover or discard", list);
        notices.add(notice.of_recovery());
    }

    /// Checks for unsaved changes, and keeps each change at once: after a crash, nothing is missing. Called once per
    /// frame.
    pub fn check_unsaved_changes(
        &mut self,
        run: &RunState,
        timeline: &TimelineState,
        notices: &mut Notices,
        now_s: f64,
    ) {
        if self.shots.target.is_some() || now_s < self.autosave.next_look_s {
            return;
        }
        let start = Instant::now();
        let simulation = run.host.simulation();
        let state = State {
            made: (run.openings, run.restarts),
            sets: simulation.sets(),
            last: simulation.edits().iter().rev().take(FEW_EDITS).find(|logged| logged.edit.is_change()).cloned(),
            waiting: simulation.waiting_edits().filter(|edit| edit.is_change()).cloned().collect(),
        };
        let has_changed = self.autosave.state.as_ref() != Some(&state);
        if has_changed {
            self.autosave.is_unsaved = self.autosave.has_changes(run);
            self.autosave.state = Some(state);
        }
        let is_unsaved = self.autosave.is_unsaved || timeline.has_unsaved_timeline(run);
        let is_alive_due = self.autosave.alive_s.is_none_or(|alive_s| now_s - alive_s >= ALIVE_S);
        if let Some(files) = self.autosave.files.as_ref().filter(|_| is_unsaved && is_alive_due) {
            files.note_alive(run.openings);
            self.autosave.alive_s = Some(now_s);
        }
        let is_due = has_changed || self.autosave.written_s.is_none_or(|written_s| now_s - written_s >= PAUSE_S);
        if is_unsaved && is_due {
            self.autosave.written_s = Some(now_s);
            let kept = self.autosave.keep(run, timeline);
            notices.tell(kept);
        } else if !is_unsaved && self.autosave.written.is_some() {
            self.autosave.forget_kept(run);
        }
        // A check without a change costs nearly nothing.
        self.autosave.next_look_s =
            now_s + if has_changed { start.elapsed().as_secs_f64() / LARGEST_SHARE } else { 0.0 };
    }

    /// Discards a kept scene.
    pub fn discard(&mut self, notices: &mut Notices, path: &Path) {
        self.drop_unsaved(notices, path);
        notices.say("Discarded");
    }

    /// Removes a kept scene. If the notice of the start offered it, the others are offered again.
    pub fn drop_unsaved(&mut self, notices: &mut Notices, path: &Path) {
        self.autosave.found.retain(|found| found.path != path);
        remove(path);
        if notices.drop_recovery(path) {
            self.offer_recovery(notices);
        }
    }
}

/// The files that the lab reads and writes.
#[derive(Default)]
pub struct FileState {
    /// The paths of the files that the lab reads and writes by itself.
    pub places: Places,
    /// The autosave of the open scene.
    pub autosave: Autosave,
    /// The presets of the scene.
    pub presets: Presets,
    /// Recordings.
    pub recordings: Recordings,
    /// The scripts of the scene.
    pub scripts: ScriptState,
    /// Pictures of the window.
    pub shots: Shots,
    /// The request for a file, until the user has chosen one. Its dialog is open and gets all keys.
    pub request: Option<FileRequest>,
}

impl FileState {
    /// Takes a picture of the window after the next frame.
    pub(crate) fn take_shot(&mut self, notices: &mut Notices, path: PathBuf) {
        match shots::check(&path) {
            Ok(()) => self.shots.waiting.push(shots::Shot::new(path)),
            Err(error) => notices.tell_error(error),
        }
    }
}

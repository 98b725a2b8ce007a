//! The files that the lab reads and writes.

pub mod autosave;
pub mod presets;
pub mod recording;
pub mod save;
pub mod scripts;
pub mod share;
pub mod shots;
pub mod standing;

use std::path::{Path, PathBuf};

use bevy::prelude::*;

use crate::action::FileRequest;
use crate::common::places::Places;
use crate::files::autosave::{
    Autosave, FEW_EDITS, Files, LOOK_S, MOST_KEPT, PAUSE_S, State, abandoned, recovery, recovery_offers, remove,
};
use crate::files::presets::Presets;
use crate::files::recording::Recordings;
use crate::files::scripts::ScriptState;
use crate::files::shots::Shots;
use crate::notice::{Notices, Offer, OfferHint};
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

    /// Offers the newest kept scene, and the others in a menu.
    fn offer_recovery(&self, notices: &mut Notices) {
        let Some((first, others)) = self.autosave.found.split_first() else { return };
        let more = others.iter().flat_map(|other| {
            recovery_offers(&other.path).map(|(verb, hint, action)| Offer {
                title: format!("{verb} {}", other.text()),
                hint: OfferHint::Text(hint),
                action,
            })
        });
        let notice = recovery(&format!("Unsaved: {}", first.whole_text()), &first.path);
        notices.add(notice.with_more(others.len(), more.collect()));
    }

    /// Checks for unsaved changes from time to time. Called once per frame.
    pub fn check_unsaved_changes(
        &mut self,
        run: &RunState,
        timeline: &TimelineState,
        notices: &mut Notices,
        now_s: f64,
    ) {
        if self.shots.target.is_some() || self.autosave.looked_s.is_some_and(|looked_s| now_s - looked_s < LOOK_S) {
            return;
        }
        self.autosave.looked_s = Some(now_s);
        let simulation = run.host.simulation();
        let state = State {
            made: (run.openings, run.restarts),
            sets: simulation.sets(),
            last: simulation.edits().iter().rev().take(FEW_EDITS).find(|logged| logged.edit.is_change()).cloned(),
            waiting: simulation.waiting_edits().filter(|edit| edit.is_change()).cloned().collect(),
        };
        if self.autosave.state.as_ref() != Some(&state) {
            self.autosave.is_unsaved = self.autosave.has_changes(run);
            self.autosave.state = Some(state);
        }
        let is_unsaved = self.autosave.is_unsaved || timeline.has_unsaved_timeline(run);
        if let Some(files) = self.autosave.files.as_ref().filter(|_| is_unsaved) {
            files.note_alive(run.openings);
        }
        let is_due = self.autosave.written_s.is_none_or(|written_s| now_s - written_s >= PAUSE_S);
        if is_unsaved && is_due {
            self.autosave.written_s = Some(now_s);
            let kept = self.autosave.keep(run, timeline);
            notices.tell(kept);
        } else if !is_unsaved && self.autosave.written.is_some() {
            self.autosave.forget_kept(run);
        }
    }

    /// Discards a kept scene.
    pub fn discard(&mut self, notices: &mut Notices, path: &Path) {
        self.drop_unsaved(notices, path);
        notices.say("Discarded");
    }

    /// Removes a kept scene. If a notice offered others as well, these are offered again.
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

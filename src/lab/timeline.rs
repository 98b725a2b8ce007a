//! The timeline in the window: the strip below the panels and related dialogs.
//!
//! The host has branches, keyframes and bookmarks. The window adds the dragged playhead, the looped range, renaming,
//! the search for a moment, clips and links.

use std::path::PathBuf;

use bevy_egui::egui::Pos2;
use swarmarium_core::draw::{Overlays, TrailLength};
use swarmarium_core::timeline::{BranchId, Moment};

use super::action::{RangeEnd, TimelineItem};
use super::footprints::Occupancies;

mod clip;
mod find;
mod icons;
mod link;
mod names;
mod open_run;
mod rows;
mod strip;
#[cfg(test)]
mod tests;
mod travel;

pub use find::FindPanel;
pub use open_run::{KnownHashes, RunToOpen};
pub use strip::Strip;

use find::Search;

/// A range of steps of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRange {
    /// The first step.
    pub from: u64,
    /// The last step.
    pub to: u64,
}

/// The state of the timeline in the window.
#[derive(Default)]
pub struct TimelineState {
    /// The moment to go to when the present jump is complete.
    pub wanted: Option<Moment>,
    /// Whether the playhead is held with the mouse, which pauses the run.
    pub is_held: bool,
    /// The range to loop and export.
    pub range: Option<StepRange>,
    /// Whether the range is played in a loop.
    pub loops: bool,
    /// Occupancy maps at some moments of the run.
    pub occupancies: Occupancies,
    /// The item that is being renamed, and its text so far.
    pub naming: Option<(TimelineItem, String)>,
    /// The upper right corner of the strip, once it was drawn: "Back to when" opens there, near its icon.
    pub corner_px: Option<Pos2>,
    /// The running search for a moment.
    search: Option<Search>,
    /// The moment, overlays and trails for which the past was resimulated.
    seen_again: Option<(Moment, Overlays, TrailLength)>,
    /// The known hashes of an opened run.
    pub known_hashes: Option<KnownHashes>,
    /// The revision of the timeline that was saved in a run folder.
    pub saved_revision: Option<u64>,
    /// The folder of the last link, with the opening of its scene and the root of its branches.
    folder: Option<(PathBuf, u64, BranchId)>,
}

impl TimelineState {
    /// Resets the state for another scene.
    pub fn restart(&mut self) {
        *self = Self { folder: self.folder.take(), ..Self::default() };
    }

    /// Sets the start or the end of the range to a step; the other end moves along if it must.
    pub fn set_range(&mut self, end: RangeEnd, step: u64, live_end: u64) {
        let step = step.min(live_end);
        let StepRange { from, to } = self.range.unwrap_or(StepRange { from: 0, to: live_end });
        self.range = Some(match end {
            RangeEnd::From if step < to => StepRange { from: step, to },
            RangeEnd::From => StepRange { from: step, to: live_end.max(step) },
            RangeEnd::To if step > from => StepRange { from, to: step },
            RangeEnd::To => StepRange { from: 0, to: step },
        });
    }
}

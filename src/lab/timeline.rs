//! The timeline in the window: the strip below the panels, and what goes with it.
//!
//! The host knows branches, keyframes and bookmarks. Here is what the window adds: the playhead that is dragged, the range
//! that loops, names that are typed, the search for a moment, clips and links.

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
pub use open_run::RunToOpen;
pub use strip::Strip;

use find::Search;
use open_run::KnownHashes;

/// A part of a branch, from one step to another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRange {
    /// Its first step.
    pub from: u64,
    /// Its last step.
    pub to: u64,
}

/// Where on the timeline the user wants to be, and what is marked there.
#[derive(Default)]
pub struct TimelineState {
    /// The moment to go to when the jump that goes on is at its end.
    pub wanted: Option<Moment>,
    /// Whether the playhead is held with the mouse: time stands still.
    pub is_held: bool,
    /// The range that is looped and exported.
    pub range: Option<StepRange>,
    /// Whether the range is played again and again.
    pub loops: bool,
    /// Where robots have been for how long, at moments on the way.
    pub occupancies: Occupancies,
    /// What gets another name, and the text so far.
    pub naming: Option<(TimelineItem, String)>,
    /// The upper right corner of the strip, once it was drawn: "Back to when" opens there, near its icon.
    pub corner_px: Option<Pos2>,
    /// The search for a moment, while it goes on.
    search: Option<Search>,
    /// The moment, the overlays and the trails for which the past was seen again.
    seen_again: Option<(Moment, Overlays, TrailLength)>,
    /// What is known of the states of a run that was opened.
    known_hashes: Option<KnownHashes>,
    /// The revision of the timeline that a folder of a run has.
    pub saved_revision: Option<u64>,
    /// The folder that the last link leads to, the opening of the scene that it is of, and the root of its branches.
    folder: Option<(PathBuf, u64, BranchId)>,
}

impl TimelineState {
    /// Another scene is open: nothing of the one before counts.
    pub fn restart(&mut self) {
        *self = Self { folder: self.folder.take(), ..Self::default() };
    }

    /// Lets the range begin, or end, at a step; the other end moves along where it must.
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

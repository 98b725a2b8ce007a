//! The timeline: moments, branches, bookmarks.

use swarmarium_host::clock::host::{Direction, Seek};
use swarmarium_host::timeline::{BranchId, Moment};

use crate::common::lane_source::LaneSource;
use crate::common::moments::MomentKind;
use crate::common::offset::Offset;

/// An action on the timeline.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum TimelineAction {
    /// Goes to a moment, perhaps on another branch.
    GoTo(Moment),
    /// Goes to a step of the present branch while the playhead is dragged; the run is paused until the release.
    Scrub(u64),
    /// Pauses and goes back a number of steps.
    StepBack(u64),
    /// Goes to the next or the previous mark of an edit, an event or a bookmark.
    GoToMark(Direction),
    /// Opens the palette for a time or a step.
    AskMoment,
    /// Adds a bookmark at the present moment.
    AddBookmark,
    /// Starts to rename a branch or a bookmark.
    AskName(TimelineItem),
    /// Ends the renaming of a branch or a bookmark, which keeps its name.
    CancelRename(TimelineItem),
    /// Renames a branch or a bookmark.
    Rename(TimelineItem, String),
    /// Deletes a branch or a bookmark.
    Remove(TimelineItem),
    /// Creates a branch at the present moment.
    Fork,
    /// Shows another branch beside the present one.
    Compare(BranchId),
    /// Sets the start or the end of the range to a step.
    SetRange(RangeEnd, u64),
    /// Removes the range.
    ClearRange,
    /// Limits the memory of keyframes, in MB.
    SetKeyframeBudget(u32),
    /// Plays the range in a loop, or stops that.
    Loop,
    /// Records the range, or the whole run, as a video.
    ExportClip,
    /// Opens or closes the panel that searches for a moment.
    FindPanel,
    /// Searches for a moment, and goes there.
    Find(MomentCondition, Seek),
    /// Searches for a moment, and goes to one at a distance from it.
    FindAt(MomentCondition, Seek, Offset),
    /// Sets the distance before a found moment that a button offers, in seconds.
    SetLead(f64),
    /// Searches again for what was searched last, or else for a moment of any kind, before or after the present one.
    FindAgain(Direction),
    /// Adds a metric of a kind to the scene, simulates the run again, and searches for a moment.
    AddMetricAndFind(&'static str, MomentCondition, Seek),
    /// Shows the lanes of a quantity, or none.
    ShowLanes(Option<LaneSource>),
    /// Folds the lanes of each group into one, or unfolds them.
    FoldLanes,
    /// Saves the run and copies the command that opens it at the present moment.
    CopyLink,
}

/// An item of the timeline with a name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TimelineItem {
    /// A branch.
    Branch(BranchId),
    /// A bookmark, by its name.
    Bookmark(String),
}

/// An end of the range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeEnd {
    /// The first step.
    From,
    /// The last step.
    To,
}

/// A condition whose moment is searched.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MomentCondition {
    /// Any moment of the lane of moments.
    Any,
    /// A moment of a kind: of any robot, or of the one with a number.
    Kind(MomentKind, Option<u32>),
    /// An expression in the language of "Pause when".
    Expression(String),
}

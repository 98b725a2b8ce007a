//! The timeline: moments, branches, bookmarks.

use swarmarium_core::clock::host::Direction;
use swarmarium_core::timeline::{BranchId, Moment};

/// What can be asked for of the timeline.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum TimelineAction {
    /// Goes to a moment, on another branch perhaps.
    GoTo(Moment),
    /// Goes to a step of the present branch while the playhead is dragged; time stands still until it is let go.
    Scrub(u64),
    /// Pauses and goes back a number of steps.
    StepBack(u64),
    /// Goes to the next mark of an edit, an event or a bookmark, or to the one before.
    GoToMark(Direction),
    /// Opens the palette to type a time or a step to go to.
    AskMoment,
    /// Names the present moment.
    AddBookmark,
    /// Begins to type another name of a branch or a bookmark.
    AskName(TimelineItem),
    /// Gives a branch or a bookmark another name.
    Rename(TimelineItem, String),
    /// Removes a branch or a bookmark.
    Remove(TimelineItem),
    /// Begins a branch at the present moment.
    Fork,
    /// Shows another branch beside the present one.
    Compare(BranchId),
    /// Lets the range begin, or end, at the present moment.
    SetRange(RangeEnd, u64),
    /// Forgets the range.
    ClearRange,
    /// Limits the memory of keyframes, in MB.
    SetKeyframeBudget(u32),
    /// Plays the range again and again, or not.
    Loop,
    /// Records the range, or the whole run, as a video.
    ExportClip,
    /// Opens or closes the panel that searches for a moment.
    FindPanel,
    /// Searches for the moment at which a condition became true, before or after the present one.
    Find(MomentCondition, Direction),
    /// Saves the run and copies the command that opens it at the present moment.
    CopyLink,
}

/// What has a name on the timeline.
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
    /// Its first step.
    From,
    /// Its last step.
    To,
}

/// A condition whose moment is searched for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum MomentCondition {
    /// A robot ran into something: any robot, or the one with a number.
    Collision(Option<u32>),
    /// A supervisor changed its state: that of any robot, or of the one with a number.
    Switch(Option<u32>),
    /// An expression in the language of "Pause when".
    Expression(String),
}

//! Everything that can be asked for in the window.
//!
//! Each panel has an enum of its own.

use swarmarium_core::edit::Edit;

mod change;
mod compare;
mod figure;
mod file;
mod preset;
mod time;
mod timeline;
mod view;
mod window;

pub use change::{HistoryAction, ParameterAction};
pub use compare::{Changed, CompareAction, GoesTo};
pub use figure::FigureAction;
pub use file::{FileAction, FileRequest, RecordingAction};
pub use preset::PresetAction;
pub use time::TimeAction;
pub use timeline::{MomentCondition, RangeEnd, TimelineAction, TimelineItem};
pub use view::{Alignment, PlotAction, SelectionAction, ToolAction, ViewAction};
pub use window::{PanelAction, WindowAction};

/// What panels, keys and the palette ask for.
///
/// Each of these can be reached from the palette; a test walks them all.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum Action {
    /// Changes the simulation.
    Edit(Edit),
    /// Changes several things in it, as one change.
    Edits(Vec<Edit>),
    /// Something of time: play, pause, steps, speed and starting again.
    Time(TimeAction),
    /// Something of the timeline: moments, branches, bookmarks.
    Timeline(TimelineAction),
    /// Something of scenes and files.
    File(FileAction),
    /// Something of recordings and pictures.
    Recording(RecordingAction),
    /// Something of figures for papers and talks.
    Figure(FigureAction),
    /// Something of changes that were made: undo and redo.
    History(HistoryAction),
    /// Something of the parameters of the scene.
    Parameter(ParameterAction),
    /// Something of the plots.
    Plot(PlotAction),
    /// Something of what is selected.
    Selection(SelectionAction),
    /// Something of the tools.
    Tool(ToolAction),
    /// Something of the view of the world.
    View(ViewAction),
    /// Something of panels, and what lies over the world.
    Panel(PanelAction),
    /// Something of the window itself.
    Window(WindowAction),
    /// Compares with a second world, and says how.
    Compare(CompareAction),
}

impl Action {
    /// Whether it asks for edits that belong to a transaction.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Self::Edit(_)
                | Self::Edits(_)
                | Self::Time(TimeAction::Scale(_))
                | Self::View(ViewAction::Connections)
                | Self::File(FileAction::LoadController(..))
        )
    }
}

macro_rules! groups {
    ($($group:ident($actions:ident)),* $(,)?) => {$(
        impl From<$actions> for Action {
            fn from(action: $actions) -> Self {
                Self::$group(action)
            }
        }
    )*};
}

groups! {
    Time(TimeAction), Timeline(TimelineAction), File(FileAction), Recording(RecordingAction), Figure(FigureAction), History(HistoryAction), Parameter(ParameterAction),
    Plot(PlotAction), Selection(SelectionAction), Tool(ToolAction), View(ViewAction), Panel(PanelAction),
    Window(WindowAction), Compare(CompareAction),
}

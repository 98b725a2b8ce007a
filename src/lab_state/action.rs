//! Actions of the window.
//!
//! Each panel has its own enum.

pub mod change;
pub mod compare;
pub mod figure;
pub mod file;
pub mod forecast;
pub mod part;
pub mod preset;
pub mod script;
pub mod sweep;
pub mod time;
pub mod timeline;
pub mod view;
pub mod window;

pub use change::{HistoryAction, ParameterAction};
pub use compare::{Changed, CompareAction, ComparisonStart, GoesTo};
pub use figure::FigureAction;
pub use file::{FileAction, FileRequest, RecordingAction, VideoPart};
pub use forecast::{ForecastAction, Foreseen, SliderSpan};
pub use part::PartAction;
pub use preset::PresetAction;
pub use script::ScriptAction;
pub use sweep::{SweepAction, SweepFormat};
pub use time::TimeAction;
pub use timeline::{MomentCondition, RangeEnd, TimelineAction, TimelineItem};
pub use view::{Alignment, PlotAction, SelectionAction, ToolAction, ViewAction};
pub use window::{PanelAction, WindowAction};

use swarmarium_simulation::edit::Edit;

/// An action that a panel, a key or the palette requests.
///
/// The palette reaches all of them; a test checks this.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum Action {
    /// Edits the simulation.
    Edit(Edit),
    /// Makes several edits as one change.
    Edits(Vec<Edit>),
    /// Time: play, pause, steps, speed and resets.
    Time(TimeAction),
    /// The timeline: moments, branches and bookmarks.
    Timeline(TimelineAction),
    /// Scenes and files.
    File(FileAction),
    /// Recordings and pictures.
    Recording(RecordingAction),
    /// Figures for papers and talks.
    Figure(FigureAction),
    /// Undo and redo.
    History(HistoryAction),
    /// Parameters of the scene.
    Parameter(ParameterAction),
    /// The plots.
    Plot(PlotAction),
    /// The selection.
    Selection(SelectionAction),
    /// The tools.
    Tool(ToolAction),
    /// The view of the world.
    View(ViewAction),
    /// Panels and windows over the world.
    Panel(PanelAction),
    /// The window itself.
    Window(WindowAction),
    /// The comparison with a second world.
    Compare(CompareAction),
    /// The sweep beside the run.
    Sweep(SweepAction),
    /// The scripts of the scene.
    Script(ScriptAction),
    /// Parts of the scene, such as groups, sensors and metrics.
    Part(PartAction),
    /// Forecasts of values that are not chosen yet.
    Forecast(ForecastAction),
}

impl Action {
    /// Whether the action makes edits, which belong to a transaction.
    pub fn is_edit(&self) -> bool {
        matches!(
            self,
            Self::Edit(_)
                | Self::Edits(_)
                | Self::Time(TimeAction::Scale(_) | TimeAction::StartCrowded(_))
                | Self::View(ViewAction::Connections)
                | Self::File(FileAction::LoadController(..))
                | Self::Script(ScriptAction::Apply(..) | ScriptAction::New(_))
                | Self::Part(
                    PartAction::Add { .. }
                        | PartAction::Duplicate(_)
                        | PartAction::Remove(_)
                        | PartAction::Rename { .. }
                )
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
    Window(WindowAction), Compare(CompareAction), Sweep(SweepAction), Script(ScriptAction), Part(PartAction),
    Forecast(ForecastAction),
}

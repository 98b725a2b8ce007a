//! The commands: one table for shortcuts, the list of keys, the palette, menus and tooltips.

use swarmarium_core::draw::Overlay;

use super::action::{
    CompareAction, FigureAction, FileAction, PanelAction, ParameterAction, PlotAction, RecordingAction,
    SelectionAction, SweepAction, TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
};
use super::{Action, Lab};

mod chord;
pub mod synonyms;
mod table;

pub use chord::Chord;
pub use table::COMMANDS;

/// A section of the menus and of the list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Scenes and their files.
    File,
    /// Recordings, pictures and tables.
    Export,
    /// Changes and the selection.
    Edit,
    /// Alignment and distribution of the selection.
    Align,
    /// Tools of the mouse.
    Tools,
    /// The camera.
    View,
    /// Overlays of the world.
    Overlays,
    /// The window itself.
    Window,
    /// Time and steps.
    Simulation,
    /// Moments, branches and bookmarks.
    Timeline,
    /// The comparison with a second world.
    Compare,
    /// Many runs with other values and seeds.
    Sweep,
    /// Panels and their layout.
    Panels,
    /// Keys, tour and palette.
    Help,
}

/// The sections of the list of keys, with their names.
pub const SECTIONS: [(Section, &str); 14] = [
    (Section::Simulation, "Simulation"),
    (Section::Timeline, "Timeline"),
    (Section::File, "File"),
    (Section::Export, "Record and export"),
    (Section::Edit, "Edit"),
    (Section::Align, "Align"),
    (Section::Tools, "Tools"),
    (Section::View, "View"),
    (Section::Overlays, "Overlays"),
    (Section::Compare, "Compare"),
    (Section::Sweep, "Sweep"),
    (Section::Panels, "Panels"),
    (Section::Window, "Window"),
    (Section::Help, "Help"),
];

impl Section {
    /// Returns the name of the section.
    pub fn name(self) -> &'static str {
        SECTIONS.iter().find(|(section, _)| *section == self).map_or("", |(_, name)| name)
    }
}

/// A named action of the palette, with keys.
pub struct Command {
    /// The title, which starts with a verb.
    pub title: &'static str,
    /// The effect, in one sentence.
    pub hint: &'static str,
    /// The default keys.
    pub keys: &'static [Chord],
    /// Whether the command repeats while its key is held.
    pub repeats: bool,
    /// The section in menus and in the list of keys.
    pub section: Section,
    /// Returns the action; `None` if the command is not available.
    pub action: fn(&Lab) -> Option<Action>,
}

impl Command {
    /// Returns the name for menus and the palette; it ends in "…" if a dialog follows.
    pub fn name(&self, lab: &Lab) -> String {
        let asks = match (self.action)(lab) {
            Some(
                Action::File(FileAction::Ask(_))
                | Action::Figure(FigureAction::TogglePanel)
                | Action::Recording(RecordingAction::TogglePanel)
                | Action::Timeline(TimelineAction::FindPanel | TimelineAction::AskMoment | TimelineAction::AskName(_))
                | Action::Compare(CompareAction::Choose)
                | Action::Sweep(SweepAction::ShowSetup | SweepAction::SetUpMetric(_))
                | Action::Panel(PanelAction::Palette),
            ) => true,
            Some(Action::Compare(CompareAction::Toggle)) => lab.compare.other.is_none(),
            _ => false,
        };
        if asks { format!("{}…", self.title) } else { self.title.into() }
    }

    /// Whether the command is on; `None` if it is no switch.
    pub fn is_on(&self, lab: &Lab) -> Option<bool> {
        let settings = &lab.settings;
        Some(match (self.action)(lab)? {
            Action::Time(TimeAction::Strategy(strategy)) => strategy == lab.host.clock().strategy,
            Action::Timeline(TimelineAction::Loop) => lab.timeline.loops,
            Action::Timeline(TimelineAction::FindPanel) => lab.popups.find,
            Action::Compare(action) => lab.compare.is_on(&action)?,
            Action::Sweep(SweepAction::Pause) => lab.sweep.worker.as_ref()?.is_paused(),
            Action::View(ViewAction::Trails) => lab.shows_trails(),
            Action::View(ViewAction::Connections) => lab.viewport.view.overlays.shows(Overlay::Connections),
            Action::View(ViewAction::Overlay(overlay)) => lab.viewport.view.overlays.shows(overlay),
            Action::Recording(RecordingAction::Toggle) => lab.recordings.running().is_some(),
            Action::Recording(RecordingAction::TogglePanel) => lab.popups.recording,
            Action::Recording(RecordingAction::Rerecord) => lab.recordings.rerecording().is_some(),
            Action::Figure(FigureAction::TogglePanel) => lab.popups.figure,
            Action::Time(TimeAction::TogglePanel) => lab.popups.time,
            Action::Selection(SelectionAction::Drive) => lab.drives_selected(),
            Action::View(ViewAction::Follow) => lab.viewport.follows.is_some(),
            Action::View(ViewAction::Sensors) => lab.viewport.view.shows_all_sensors(lab.host.simulation().count()),
            Action::Window(WindowAction::Theme(theme)) => theme == settings.theme,
            Action::Window(WindowAction::Vsync) => settings.vsync,
            Action::Window(WindowAction::MaxStepsPerFrame(steps)) => steps == settings.max_steps_per_frame,
            Action::Tool(ToolAction::Take(tool)) => lab.toolbox.tool == tool,
            Action::Tool(ToolAction::Snap) => lab.toolbox.options.snaps,
            Action::Panel(PanelAction::Help) => lab.popups.help,
            Action::Panel(PanelAction::Tour) => lab.tour.is_open(),
            Action::Panel(PanelAction::Resolved) => lab.popups.resolved,
            Action::Panel(PanelAction::Toggle(pane)) => lab.shows_panel(pane),
            Action::Panel(PanelAction::ToggleAll) => settings.panels,
            Action::Window(WindowAction::FullScreen) => lab.full_screen,
            Action::Plot(PlotAction::Legend) => settings.legend,
            Action::Parameter(ParameterAction::RestartOnChange) => settings.restart_on_change,
            _ => return None,
        })
    }
}

/// Returns the command with this title. A test checks the titles that panels use.
pub fn by_title(title: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.title == title)
}

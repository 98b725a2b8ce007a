//! The commands: one table for what keys do, what the list of keys and the palette say, and what tooltips add.

use super::layout::Pane;
use super::{Action, Lab};

mod chord;
mod table;

pub use chord::Chord;
pub use table::COMMANDS;

/// Where a command stands in the list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Time and steps.
    Time,
    /// What was changed.
    Edit,
    /// Scenes and files.
    Scene,
    /// What the mouse does in the world, and what is selected there.
    Tools,
    /// What is shown of the world.
    View,
    /// Panels and where they stand.
    Panels,
    /// The window, and what helps.
    Window,
}

/// The parts of the list of keys, with their names.
pub const SECTIONS: [(Section, &str); 7] = [
    (Section::Time, "Time"),
    (Section::Edit, "Changes"),
    (Section::Scene, "Scene"),
    (Section::Tools, "Tools"),
    (Section::View, "View"),
    (Section::Panels, "Panels"),
    (Section::Window, "Window"),
];

/// Something that can be done by name.
pub struct Command {
    /// Its name, a verb first.
    pub title: &'static str,
    /// One sentence on what it does.
    pub hint: &'static str,
    /// The keys that do it, unless the user gave it others.
    pub keys: &'static [Chord],
    /// Whether a key that is held does it again.
    pub repeats: bool,
    /// Where it stands in the list of keys.
    pub section: Section,
    /// What it asks for; `None` when there is nothing to ask for now.
    pub action: fn(&Lab) -> Option<Action>,
}

impl Command {
    /// Whether what it switches or chooses is on; `None` when it does neither.
    pub fn is_on(&self, lab: &Lab) -> Option<bool> {
        let settings = &lab.settings;
        Some(match (self.action)(lab)? {
            Action::Strategy(strategy) => strategy == lab.host.clock().strategy,
            Action::Compare(wish) => lab.compare.is_on(&wish)?,
            Action::Grid => lab.view.overlays.grid,
            Action::Metrics => lab.view.overlays.metrics,
            Action::Trails => lab.shows_trails(),
            Action::Links => lab.view.overlays.links,
            Action::Connections => lab.view.overlays.connections,
            Action::Estimates => lab.view.overlays.estimates,
            Action::Plans => lab.view.overlays.plans,
            Action::Ids => lab.view.overlays.ids,
            Action::Velocities => lab.view.overlays.velocities,
            Action::Overlay(name) => lab.view.overlays.is_on(name),
            Action::Record => lab.studio.running().is_some(),
            Action::RecordingPanel => lab.recording_panel,
            Action::TimePanel => lab.time_panel,
            Action::ViewPanel => lab.view_panel,
            Action::Drive => lab.drives_selected(),
            Action::Follow => lab.follows.is_some(),
            Action::Sensors => lab.view.shows_all_sensors(lab.host.simulation().count()),
            Action::Theme(theme) => theme == settings.theme,
            Action::Vsync => settings.vsync,
            Action::MaxStepsPerFrame(steps) => steps == settings.max_steps_per_frame,
            Action::Tool(tool) => lab.tool == tool,
            Action::Snap => lab.kit.snaps,
            Action::Help => lab.help,
            Action::Tour => lab.tour.is_open(),
            Action::Resolved => lab.resolved,
            Action::Events => lab.shows_panel(Pane::Events),
            Action::Changes => lab.shows_panel(Pane::Changes),
            Action::Gallery => lab.shows_panel(Pane::Gallery),
            Action::Tree => lab.shows_panel(Pane::Tree),
            Action::Panel(pane) => lab.shows_panel(pane),
            Action::Panels => settings.panels,
            Action::FullScreen => lab.full_screen,
            Action::Legend => settings.legend,
            _ => return None,
        })
    }
}

/// The command with this title. The titles that panels ask for are checked by a test.
pub fn by_title(title: &str) -> Option<&'static Command> {
    COMMANDS.iter().find(|command| command.title == title)
}

//! The commands: one table for shortcuts, the list of keys, the palette, menus and tooltips.

pub mod chord;
pub mod synonyms;
pub mod table;

pub use chord::Chord;
pub use table::{COMMANDS, CommandId};

/// A section of the menus and of the list of keys.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Section {
    /// Scenes and their files.
    File,
    /// Recordings, pictures and tables.
    Export,
    /// Changes and the selection.
    Edit,
    /// Parts that are added to the scene.
    Add,
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
pub const SECTIONS: [(Section, &str); 15] = [
    (Section::Simulation, "Simulation"),
    (Section::Timeline, "Timeline"),
    (Section::File, "File"),
    (Section::Export, "Record and export"),
    (Section::Edit, "Edit"),
    (Section::Add, "Add"),
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

/// A named action of the palette, with keys. What it does is in `command_actions`.
pub struct Command {
    /// The id.
    pub id: CommandId,
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
}

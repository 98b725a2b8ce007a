//! Panels and the window.

use std::path::PathBuf;

use swarmarium_picture::palette::Theme;

use crate::layout::Pane;

/// What can be asked for of panels, and what lies over the world.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum PanelAction {
    /// Shows or hides a panel.
    Toggle(Pane),
    /// Hides or shows all panels.
    ToggleAll,
    /// Puts all panels where they were at first.
    RestoreLayout,
    /// Closes what lies over the world; then selects nothing.
    Close,
    /// Opens or closes the list of keys.
    Help,
    /// Begins the tour, or ends it.
    Tour,
    /// Opens or closes the palette.
    Palette,
    /// Opens or closes the scene as text.
    Resolved,
}

/// What can be asked for of the window itself.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum WindowAction {
    /// Takes other colours.
    Theme(Theme),
    /// Makes texts and panels larger or smaller.
    InterfaceScale(f32),
    /// Waits for the screen before each frame, or not.
    Vsync,
    /// Limits the steps between two frames.
    MaxStepsPerFrame(u64),
    /// Fills the screen, or goes back to a window.
    FullScreen,
    /// Makes the file of keys, and says where it is.
    EditKeys,
    /// Puts a text on the clipboard.
    Copy(String),
    /// Opens a folder in the file manager of the system.
    OpenFolder(PathBuf),
    /// Closes the window.
    Quit,
}

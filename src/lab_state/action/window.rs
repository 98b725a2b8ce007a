//! Panels and the window.

use std::path::PathBuf;

use swarmarium_picture::palette::Theme;

use crate::common::layout::Pane;

/// An action on panels and windows over the world.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum PanelAction {
    /// Shows or hides a panel.
    Toggle(Pane),
    /// Hides or shows all panels.
    ToggleAll,
    /// Resets the layout to the default one.
    ResetLayout,
    /// Closes the topmost window over the world; then clears the selection.
    Close,
    /// Opens or closes the list of keys.
    Help,
    /// Starts or ends the tour.
    Tour,
    /// Shows a step of the tour; `None` or a number behind the last step ends it.
    TourStep(Option<usize>),
    /// Opens or closes the palette.
    Palette,
    /// Opens or closes the scene as text.
    Resolved,
    /// Opens or closes the list of kept scenes.
    Unsaved,
}

/// An action on the window itself.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum WindowAction {
    /// Sets the theme.
    Theme(Theme),
    /// Sets the size of texts and panels.
    InterfaceScale(f32),
    /// Switches vertical synchronisation on or off.
    Vsync,
    /// Limits the steps between two frames.
    MaxStepsPerFrame(u64),
    /// Switches full screen on or off.
    FullScreen,
    /// Creates the keymap file if there is none, and shows its path.
    EditKeys,
    /// Copies a text to the clipboard.
    Copy(String),
    /// Opens a folder in the file manager of the system.
    OpenFolder(PathBuf),
    /// Cancels the work whose progress is shown.
    CancelProgress,
    /// Closes a notice, by its number.
    CloseNotice(u64),
    /// Removes all messages from the Messages panel.
    ClearMessages,
    /// Closes the window.
    Quit,
}

//! Changes of the simulation and its parameters.

use crate::action::PresetAction;

/// Undo and redo.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum HistoryAction {
    /// Undoes the last change.
    Undo,
    /// Redoes the change that was undone last.
    Redo,
    /// Undoes or redoes changes so that the one with this transaction is the last one in effect; 0 undoes all.
    GoToChange(u64),
    /// Cancels undo or redo, and leaves the run as it is.
    Cancel,
    /// Makes the changes again that were replaced when the file was read again.
    RestoreChanges,
}

/// An action on the parameters of the scene.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ParameterAction {
    /// Randomises numbers.
    Randomise {
        /// The paths; empty for all numbers of groups that take effect at once.
        paths: Vec<String>,
        /// The largest change, as a part of the range of each number.
        part: f64,
    },
    /// Resets all parameters to their values when the scene was opened.
    PutAllBack,
    /// Focuses the field that finds parameters.
    Find,
    /// Saves, loads or deletes a preset.
    Preset(PresetAction),
    /// Switches whether changes that take effect at a reset restart the run.
    RestartOnChange,
}

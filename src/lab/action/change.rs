//! Changes of the simulation and its parameters.

use super::PresetAction;

/// What can be asked for of changes that were made: undo and redo.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum HistoryAction {
    /// Undoes the last change.
    Undo,
    /// Does the change again that was undone last.
    Redo,
    /// Undoes or redoes changes so that the one with this transaction is the last that holds; 0 undoes all.
    GoToChange(u64),
    /// Leaves the run as it is, and what was to be undone or redone with it.
    Cancel,
    /// Makes the changes again that were replaced when the file was read again.
    RestoreChanges,
}

/// What can be asked for of the parameters of the scene.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ParameterAction {
    /// Gives numbers values at random.
    Randomise {
        /// Their paths; empty for all of the groups that take effect at once.
        paths: Vec<String>,
        /// How far from what they are, as a part of their ranges.
        part: f64,
    },
    /// Gives all parameters the values that they had when the scene was opened.
    PutAllBack,
    /// Puts the cursor into the field that finds parameters.
    Find,
    /// Saves, takes or deletes parameters under a name.
    Preset(PresetAction),
    /// Starts the run again at changes that take effect at a reset, or waits for the reset.
    RestartOnChange,
}

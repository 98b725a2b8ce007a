//! What can be asked for of a preset.

/// What is asked for of a preset, by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum PresetAction {
    /// Saves the parameters under the name.
    Save(String),
    /// Gives the parameters the values that were saved.
    Load(String),
    /// Deletes it.
    Delete(String),
}

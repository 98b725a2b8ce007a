//! Actions on presets.

/// An action on a preset, by its name.
#[derive(Clone, Debug, PartialEq)]
pub enum PresetAction {
    /// Saves the present parameters.
    Save(String),
    /// Sets the parameters to the saved values.
    Load(String),
    /// Deletes the preset.
    Delete(String),
}

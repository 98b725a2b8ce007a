//! Parts of the scene: groups, sensors, metrics, objects and others.

/// An action on the parts of the scene.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum PartAction {
    /// Opens the catalogue of what can be added or chosen at a path: a list such as `metrics` or `groups.0.sensors`, a
    /// value such as `groups.0.controller`, a whole group, or `plots`.
    Open(String),
    /// Closes the catalogue.
    Close,
    /// Adds a part at the end of a list, or puts it in the place of a value.
    Add {
        /// The path of the list or value.
        path: String,
        /// The part in the notation of a scene file.
        value: String,
    },
    /// Adds a copy of a member of a list at the end of the list.
    Duplicate(String),
    /// Removes a member of a list, or an optional part such as the radio of a group.
    Remove(String),
    /// Renames a part.
    Rename {
        /// The path of the part.
        path: String,
        /// The new name.
        name: String,
    },
}

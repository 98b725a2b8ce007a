//! Actions on scripts.

/// An action on the scripts of the scene.
#[derive(Clone, Debug, PartialEq, Eq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ScriptAction {
    /// Shows a script in the editor, by its name, by the path of its text, or by its name and a line: `orbit.luau:7`.
    Show(String),
    /// Gives the script with a name a text, and saves its file.
    Apply(String, String),
    /// Makes a script of the controller of a group, by its place.
    New(usize),
}

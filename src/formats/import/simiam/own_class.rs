//! Supervisors of users' own classes, which a Python program replaces. Notes of the scene keep their names and options.

use serde_json::Value;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::controller::external::External;
use swarmarium_core::scene::description::Group;
use swarmarium_core::service::note::Note;
use swarmarium_core::text::wording::shown;

use super::classes::{self, ClassMapping};
use super::world::Class;

/// Whether a Python class can have a name: `Class` or `module.Class`.
pub fn is_possible(name: &str) -> bool {
    let is_identifier = |part: &str| {
        part.chars().all(|letter| letter.is_alphanumeric() || letter == '_')
            && !part.starts_with(|letter: char| letter.is_numeric())
    };
    name.split('.').all(|part| !part.is_empty() && is_identifier(part))
}

/// The warning about a supervisor of a user's own class.
pub fn warning(name: &str) -> String {
    let known: Vec<String> = classes::all(false).map(ClassMapping::name).collect();
    let near = did_you_mean(name, known.iter().map(String::as_str));
    let end = if near.is_empty() { "." } else { "" };
    format!(
        "pySimiam has no supervisor `{}`{near}{end} It is read as a Python class: the robot stands until a Python program \
         drives it; its options are in `metadata`",
        shown(name)
    )
}

/// The notes for the class of a group's supervisor, if it is a user's own.
pub fn notes(group: &Group, class: &Class) -> Vec<Note> {
    let (Some(name), true) = (&class.name, group.controller.value().is::<External>()) else { return Vec::new() };
    let note = |part, text| Note { name: note_name(group, part), text };
    let options = class.options.clone().map(|options| note("options", Value::Object(options).to_string()));
    [note("type", name.clone())].into_iter().chain(options).collect()
}

/// The class of a group's supervisor that the notes of a scene name; `None` if it is no user's own.
///
/// # Errors
/// If the note with its options is no map in JSON, with a message.
pub fn find(notes: &[Note], group: &Group) -> Result<Option<Class>, String> {
    let text = |part| {
        let name = note_name(group, part);
        notes.iter().find(|note| note.name == name).map(|note| note.text.as_str())
    };
    let name = text("type").filter(|_| group.controller.value().is::<External>());
    let Some(name) = name.map(str::to_owned) else { return Ok(None) };
    let options = text("options").map(serde_json::from_str).transpose();
    let options = options.map_err(|error| format!("`{}` is no map in JSON: {error}", note_name(group, "options")))?;
    Ok(Some(Class { name: Some(name), options, ..Class::default() }))
}

/// The name of a note on the controller of a group, as for worlds of RobotSwarmSimulator.
fn note_name(group: &Group, part: &str) -> String {
    format!("{}.controller.{part}", group.name)
}

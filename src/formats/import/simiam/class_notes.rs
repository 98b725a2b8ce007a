//! Notes of a scene on the classes of a world: names and options that the scene does not express otherwise. Exports write them
//! back, and Python programs find the classes of users' own by them.

use serde_json::Value;
use swarmarium_core::service::note::Note;
use swarmarium_scene::scene::description::Group;

use super::classes::{self, ClassMapping, Counterpart};
use super::world::Class;

/// The part of a group that a class is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// The robot itself.
    Robot,
    /// Its supervisor.
    Supervisor,
}

impl Part {
    /// The field of a group that the class is for.
    fn name(self) -> &'static str {
        match self {
            Self::Robot => "robot",
            Self::Supervisor => "controller",
        }
    }
}

/// The notes on a class of a group that an export would not write without them: a name other than the usual one of its
/// counterpart, and options that only the class itself reads.
pub fn notes(group: &Group, part: Part, class: &Class, counterpart: Counterpart) -> Vec<Note> {
    let usual = classes::class_for(counterpart).map(ClassMapping::name);
    let name = class.name.clone().filter(|name| usual.as_ref() != Some(name));
    let is_only_kept = part == Part::Robot || counterpart == Counterpart::Own;
    let options = class.options.clone().filter(|_| is_only_kept).map(|options| Value::Object(options).to_string());
    let note = |field, text: Option<String>| text.map(|text| Note { name: note_name(group, part, field), text });
    [note("type", name), note("options", options)].into_iter().flatten().collect()
}

/// The class of a group that the notes of a scene state: its name, its options, or both.
///
/// # Errors
/// If the note with its options is not a map in JSON, with a message.
pub fn find(notes: &[Note], group: &Group, part: Part) -> Result<Class, String> {
    let text = |field| {
        let name = note_name(group, part, field);
        notes.iter().find(|note| note.name == name).map(|note| note.text.as_str())
    };
    let options = text("options").map(serde_json::from_str).transpose();
    let options =
        options.map_err(|error| format!("`{}` is not a map in JSON: {error}", note_name(group, part, "options")))?;
    Ok(Class { name: text("type").map(str::to_owned), options, ..Class::default() })
}

/// The notes on classes of groups that a scene does not have.
pub fn without_group<'n>(notes: &'n [Note], groups: &'n [Group]) -> impl Iterator<Item = &'n str> {
    let is_lost = |note: &&Note| {
        let parts = [Part::Robot, Part::Supervisor];
        let names = parts.iter().flat_map(|part| ["type", "options"].map(|field| format!(".{}.{field}", part.name())));
        names
            .into_iter()
            .filter_map(|end| note.name.strip_suffix(&end).map(str::to_owned))
            .any(|name| !groups.iter().any(|group| group.name == name))
    };
    notes.iter().filter(is_lost).map(|note| note.name.as_str())
}

/// The name of a note on a group, as for RobotSwarmSimulator worlds.
fn note_name(group: &Group, part: Part, field: &str) -> String {
    format!("{}.{}.{field}", group.name, part.name())
}

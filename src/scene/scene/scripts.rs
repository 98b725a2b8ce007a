//! The scripts of a scene: controllers with a `file` and, in `source`, the text of that file.

use std::path::Path;

use bevy::prelude::*;
use swarmarium_base::files::{self, FileError, LookupError};
use swarmarium_base::problem::Problem;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::declared::DeclaredValues;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::text::shared::SharedText;
use thiserror::Error;

use super::description::Scene;
use super::shipped;

/// The largest size of a script, in bytes.
const MAX_BYTES: u64 = 256 << 10;

/// The field of a script with the name of its file.
pub const FILE: &str = "file";
/// The field of a script with its text.
pub const SOURCE: &str = "source";

/// A controller with a script.
#[derive(Clone, Debug, PartialEq)]
pub struct ScriptOf {
    /// The path of the controller, such as `groups[0].controller`.
    pub path: String,
    /// The name of the file, relative to the folder of the scene; empty for a script without a file.
    pub file: String,
    /// The text of the script; empty if the file has not been read.
    pub source: SharedText,
}

/// The reason why a script cannot be read.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum ScriptFileError {
    /// The path leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file cannot be read.
    #[error("`{file}`: {error}")]
    File {
        /// The name of the file.
        file: String,
        /// The reason.
        error: FileError,
    },
    /// The file is not text.
    #[error("`{file}` is not text in UTF-8: the first wrong byte is in line {line}")]
    NoText {
        /// The name of the file.
        file: String,
        /// The line of the first wrong byte, counted from 1.
        line: usize,
    },
    /// The program has no such script, and there is no folder to look into.
    #[error("there is no script `{0}` with the program: give its text in `{SOURCE}`")]
    NotShipped(String),
}

/// Reads a script in the folder of a scene or below it; without such a file, one that comes with the program.
///
/// # Errors
/// If there is no such file, or if it is outside the folder, too large or no text.
pub fn read_source(folder: Option<&Path>, file: &str) -> Result<SharedText, ScriptFileError> {
    let shipped = || shipped::file(file).map(SharedText::from);
    let Some(folder) = folder else {
        return shipped().ok_or_else(|| ScriptFileError::NotShipped(file.to_owned()));
    };
    let path = match files::within(folder, file) {
        Ok(path) => path,
        Err(error @ LookupError::Missing(_)) => return shipped().ok_or(error.into()),
        Err(error) => return Err(error.into()),
    };
    let bytes = files::read_at_most(&path, MAX_BYTES);
    let bytes = bytes.map_err(|error| ScriptFileError::File { file: file.into(), error })?;
    match std::str::from_utf8(&bytes) {
        Ok(text) => Ok(text.into()),
        Err(error) => {
            let line = 1 + bytes[..error.valid_up_to()].iter().filter(|byte| **byte == b'\n').count();
            Err(ScriptFileError::NoText { file: file.into(), line })
        }
    }
}

impl ScriptOf {
    /// Whether the folder of the scene has no file of the script.
    #[must_use]
    pub fn is_missing(&self, folder: &Path) -> bool {
        matches!(files::within(folder, &self.file), Err(LookupError::Missing(_)))
    }

    /// Whether the script is one that comes with the program.
    #[must_use]
    pub fn is_shipped(&self) -> bool {
        shipped::file(&self.file).is_some_and(|text| text == self.source.as_str())
    }
}

/// The scripts of the groups and objects of a scene.
pub fn scripts(scene: &Scene) -> impl Iterator<Item = ScriptOf> {
    let groups = scene.groups.iter().enumerate();
    let groups = groups.map(|(index, group)| (format!("groups[{index}].controller"), &group.controller));
    let objects = scene.objects.iter().enumerate();
    let objects = objects.map(|(index, object)| (format!("objects[{index}].controller"), &object.common().controller));
    groups.chain(objects).filter_map(|(path, controller)| {
        let (file, source) = parts(controller.value())?;
        Some(ScriptOf { path, file: file.to_owned(), source: source.clone() })
    })
}

/// The file and the text of a script; `None` for other values.
pub(super) fn parts(controller: &dyn Reflect) -> Option<(&str, &SharedText)> {
    let fields = controller.reflect_ref().as_struct().ok()?;
    let file: &String = fields.field(FILE)?.try_downcast_ref()?;
    Some((file, fields.field(SOURCE)?.try_downcast_ref()?))
}

/// Reads the file of a script that has no text yet; nothing for other values.
///
/// # Errors
/// As [`read_source`].
pub(super) fn read_into(controller: &mut dyn Reflect, folder: Option<&Path>) -> Result<(), ScriptFileError> {
    let Some((file, source)) = parts(controller) else { return Ok(()) };
    if !file.is_empty() && source.as_str().is_empty() {
        let text = read_source(folder, file)?;
        put(controller, text);
    }
    Ok(())
}

fn put(controller: &mut dyn Reflect, text: SharedText) {
    let fields = controller.reflect_mut().as_struct().ok();
    if let Some(source) = fields.and_then(|fields| fields.field_mut(SOURCE)?.try_downcast_mut::<SharedText>()) {
        *source = text;
    }
}

/// Reads the files of scripts that have no text, or still that of another file, since the scene had the scripts `before`. Their
/// parameters must be those of the file.
///
/// # Errors
/// If a file cannot be read, with the path of the field.
pub fn read_changed(
    kinds: &Kinds,
    scene: &mut Scene,
    before: &[ScriptOf],
    folder: Option<&Path>,
) -> Result<(), Problem> {
    let has_changed = |script: &ScriptOf| {
        let former = before.iter().find(|former| former.path == script.path);
        let is_renamed = former.is_some_and(|former| former.file != script.file && former.source == script.source);
        !script.file.is_empty() && (script.source.as_str().is_empty() || is_renamed)
    };
    for script in scripts(scene).filter(has_changed).collect::<Vec<_>>() {
        let text = read_source(folder, &script.file)
            .map_err(|error| Problem::of_field(format!("{}.{FILE}", script.path), error.to_string()))?;
        let Some(controller) = controller_mut(scene, &script.path) else { continue };
        let value = controller.value_mut();
        if let Ok(fields) = value.reflect_mut().as_struct()
            && let Some(parameters) = fields.field_mut("parameters").and_then(|field| field.try_downcast_mut())
        {
            DeclaredValues::undeclare(parameters);
        }
        // Without its former text first: two files may have the same one.
        for text in [SharedText::default(), text] {
            put(value, text);
            if let Some(settle) = kinds.of_value(ControllerFamily::NAME, value).and_then(|kind| kind.settle) {
                settle(value);
            }
        }
    }
    Ok(())
}

fn controller_mut<'s>(scene: &'s mut Scene, path: &str) -> Option<&'s mut Slot<ControllerFamily>> {
    let index = |list: &str| path.strip_prefix(list)?.strip_suffix("].controller")?.parse::<usize>().ok();
    match index("groups[") {
        Some(index) => Some(&mut scene.groups.get_mut(index)?.controller),
        None => Some(&mut scene.objects.get_mut(index("objects[")?)?.common_mut().controller),
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_script_is_a_small_text_in_the_folder_of_its_scene() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("scenes");
        fs::create_dir(&inner).unwrap();
        fs::write(inner.join("a.luau"), "-- nothing").unwrap();
        fs::write(inner.join("b.luau"), b"-- first\n\xff").unwrap();
        fs::write(folder.path().join("c.luau"), "").unwrap();
        fs::write(inner.join("d.luau"), " ".repeat((256 << 10) + 1)).unwrap();
        assert_eq!(read_source(Some(&inner), "a.luau"), Ok("-- nothing".into()));
        let message = |file: &str| read_source(Some(&inner), file).unwrap_err().to_string();
        assert_eq!(message("b.luau"), "`b.luau` is not text in UTF-8: the first wrong byte is in line 2");
        assert_eq!(message("../c.luau"), "`../c.luau` is outside the folder of the scene");
        assert!(message("d.luau").starts_with("`d.luau`: "), "{}", message("d.luau"));
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("c.luau"), inner.join("e.luau")).unwrap();
            assert_eq!(message("e.luau"), "`e.luau` is outside the folder of the scene");
        }
    }

    #[test]
    fn scripts_of_the_program_serve_every_scene() {
        let folder = tempfile::tempdir().unwrap();
        let (name, own) = ("scripts/milling.luau", folder.path().join("scripts"));
        let shipped = read_source(None, name).unwrap();
        assert_eq!(read_source(Some(folder.path()), name), Ok(shipped));
        let script = |source: &str| ScriptOf { path: String::new(), file: name.into(), source: source.into() };
        let of_program = script(shipped::file(name).unwrap());
        assert!(of_program.is_shipped() && of_program.is_missing(folder.path()));
        assert!(!script("-- own").is_shipped());
        fs::create_dir(&own).unwrap();
        fs::write(own.join("milling.luau"), "-- own").unwrap();
        assert!(!of_program.is_missing(folder.path()));
        assert_eq!(read_source(Some(folder.path()), name), Ok("-- own".into()), "it takes precedence");
        let message = read_source(None, "mine.luau").unwrap_err().to_string();
        assert_eq!(message, "there is no script `mine.luau` with the program: give its text in `source`");
    }
}

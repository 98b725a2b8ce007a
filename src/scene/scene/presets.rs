//! Robots and supervisors that groups refer to by name: descriptions that scenes share.
//!
//! A robot is a part of a group: a text in brackets with the fields that it sets. A supervisor is the value of a
//! controller `Supervisor`. Fields of the group itself take precedence. Presets come with the program or are files in a
//! folder beside the scene, which take precedence.

use std::borrow::Cow;
use std::path::Path;

use include_dir::{Dir, include_dir};
use swarmarium_base::files::{self, LookupError};
use swarmarium_base::problem::{Problems, did_you_mean};
use swarmarium_core::text::wording::shown;
use thiserror::Error;

use super::reader::read_text;

/// The fields of a group that a robot can set.
pub const ROBOT_FIELDS: [&str; 11] =
    ["attitude", "look", "body", "collides", "motion", "sensors", "controller", "radio", "gripper", "emitter", "leds"];

/// The robots.
pub static ROBOTS: PresetLibrary = PresetLibrary {
    what: "robot",
    controller: None,
    folder: "robots",
    shipped: include_dir!("$SHIPPED_FILES/assets/robots"),
};
/// The supervisors.
pub static SUPERVISORS: PresetLibrary = PresetLibrary {
    what: "supervisor",
    controller: Some("Supervisor"),
    folder: "supervisors",
    shipped: include_dir!("$SHIPPED_FILES/assets/supervisors"),
};

/// A library of descriptions of one sort.
pub struct PresetLibrary {
    /// The sort in messages, which is also the field of a group that refers to it: `robot`.
    pub what: &'static str,
    /// The kind of controller that it describes; `None` if it describes a part of a group.
    pub controller: Option<&'static str>,
    /// The folder beside a scene with its own descriptions.
    folder: &'static str,
    /// The descriptions that come with the program.
    shipped: Dir<'static>,
}

/// The reason why a description cannot be found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PresetError {
    /// The name leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file beside the scene cannot be read.
    #[error("{}", .0.to_string().trim_end())]
    Unreadable(Problems),
    /// No description has this name.
    #[error(
        "there is no {what} `{}`, neither with the program nor in `{folder}` beside the scene{suggestion}",
        shown(.name)
    )]
    Unknown {
        /// The sort of the description.
        what: &'static str,
        /// The name.
        name: String,
        /// The folder beside a scene.
        folder: &'static str,
        /// The nearest name, as part of a message; empty if no name is near.
        suggestion: String,
    },
}

impl From<Problems> for PresetError {
    fn from(problems: Problems) -> Self {
        Self::Unreadable(problems)
    }
}

/// A description from a library.
pub struct Preset {
    /// The source, for messages.
    pub source_name: String,
    /// The text.
    pub text: Cow<'static, str>,
}

/// The comment at the head of a description.
pub fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    let lines: Vec<&str> = lines.map(str::trim).take_while(|line| !line.starts_with("Source")).collect();
    lines.join(" ")
}

impl PresetLibrary {
    /// The name and text of each description that comes with the program, by name.
    pub fn all(&'static self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let named = |file: &'static include_dir::File<'static>| {
            Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?))
        };
        let mut all: Vec<_> = self.shipped.files().filter_map(named).collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// The description with this name, for a scene in a folder.
    ///
    /// # Errors
    /// If there is none, or it cannot be read.
    pub fn find(&'static self, folder: Option<&Path>, name: &str) -> Result<Preset, PresetError> {
        let &Self { what, folder: own, .. } = self;
        let file = format!("{own}/{name}.ron");
        if let Some(folder) = folder.filter(|folder| folder.join(&file).symlink_metadata().is_ok()) {
            let path = files::within(folder, &file)?;
            let text = read_text(&path)?;
            return Ok(Preset { source_name: file, text: text.into() });
        }
        match self.all().find(|(known, _)| *known == name) {
            Some((name, text)) => Ok(Preset { source_name: format!("{what} {name}"), text: text.into() }),
            None => {
                let suggestion = did_you_mean(name, self.all().map(|(name, _)| name));
                Err(PresetError::Unknown { what, name: name.to_owned(), folder: own, suggestion })
            }
        }
    }
}

//! Robots and supervisors that groups use by name: descriptions of what many scenes share.
//!
//! A robot is a part of a group: a text in brackets with the fields that it fills. A supervisor is the value of a
//! controller `Supervisor`. What the group writes itself wins.
//! They come with the program, or lie in a folder beside the scene, where they come first.

use std::borrow::Cow;
use std::path::Path;

use include_dir::{Dir, include_dir};
use swarmarium_base::files::{self, LookupError};
use swarmarium_base::problem::{Problems, did_you_mean};
use thiserror::Error;

use super::reader::read_text;
use crate::text::wording::shown;

/// The fields of a group that a robot can fill.
pub const ROBOT_FIELDS: [&str; 8] =
    ["attitude", "look", "body", "collides", "motion", "sensors", "controller", "radio"];

/// The robots.
pub static ROBOTS: PresetLibrary = PresetLibrary {
    what: "robot",
    controller: None,
    folder: "robots",
    shipped: include_dir!("$CARGO_MANIFEST_DIR/../../assets/robots"),
};
/// The supervisors.
pub static SUPERVISORS: PresetLibrary = PresetLibrary {
    what: "supervisor",
    controller: Some("Supervisor"),
    folder: "supervisors",
    shipped: include_dir!("$CARGO_MANIFEST_DIR/../../assets/supervisors"),
};

/// Descriptions of one sort.
pub struct PresetLibrary {
    /// What messages call one, which is also the field of a group that names it: `robot`.
    pub what: &'static str,
    /// The kind of controller that one describes; `None` when it describes a part of a group.
    pub controller: Option<&'static str>,
    /// The folder beside a scene where its own ones lie.
    folder: &'static str,
    /// Those that come with the program.
    shipped: Dir<'static>,
}

/// The reason why a description is not found.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PresetError {
    /// The name leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file beside the scene cannot be read.
    #[error("{}", .0.to_string().trim_end())]
    Unreadable(Problems),
    /// No description has the name.
    #[error(
        "there is no {what} `{}`, neither with the program nor in `{folder}` beside the scene{suggestion}",
        shown(.name)
    )]
    Unknown {
        /// What messages call such a description.
        what: &'static str,
        /// The name.
        name: String,
        /// The folder beside a scene.
        folder: &'static str,
        /// The nearest name, as a message asks for it; empty if none is near.
        suggestion: String,
    },
}

impl From<Problems> for PresetError {
    fn from(problems: Problems) -> Self {
        Self::Unreadable(problems)
    }
}

/// A description that was found.
pub struct Preset {
    /// Where it comes from, for messages.
    pub source_name: String,
    /// Its text.
    pub text: Cow<'static, str>,
}

/// What the comment at the head of a description says.
pub fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    let lines: Vec<&str> = lines.map(str::trim).take_while(|line| !line.starts_with("Source")).collect();
    lines.join(" ")
}

impl PresetLibrary {
    /// Those that come with the program: name and text, by name.
    pub fn all(&'static self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let named = |file: &'static include_dir::File<'static>| {
            Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?))
        };
        let mut all: Vec<_> = self.shipped.files().filter_map(named).collect();
        all.sort_unstable();
        all.into_iter()
    }

    /// The one of this name, for a scene in a folder.
    ///
    /// # Errors
    /// When there is none, or it cannot be read.
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

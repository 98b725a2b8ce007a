//! Robots that groups use by name: descriptions of what many scenes share.
//!
//! A robot is a part of a group: a text in brackets with the fields that it fills. Those that a group writes itself win.
//! Robots come with the program, or lie in the folder `robots` beside the scene, where they come first.

use std::borrow::Cow;
use std::path::Path;

use include_dir::{Dir, include_dir};

use super::problem::did_you_mean;
use super::reader::{read_text, shown};
use crate::files;

static ROBOTS: Dir = include_dir!("$CARGO_MANIFEST_DIR/assets/robots");

/// The fields of a group that a robot can fill.
pub const FIELDS: [&str; 6] = ["look", "body", "motion", "sensors", "controller", "radio"];

/// A robot that was found.
pub struct Robot {
    /// Where it comes from, for messages.
    pub source_name: String,
    /// Its text.
    pub text: Cow<'static, str>,
}

/// The robots that come with the program: name and text, by name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    let mut robots: Vec<_> =
        ROBOTS.files().filter_map(|file| Some((file.path().file_stem()?.to_str()?, file.contents_utf8()?))).collect();
    robots.sort_unstable();
    robots.into_iter()
}

/// What the comment at the head of a robot's text says.
pub fn about(text: &str) -> String {
    let lines = text.lines().map_while(|line| line.strip_prefix("//"));
    let lines: Vec<&str> = lines.map(str::trim).take_while(|line| !line.starts_with("Source")).collect();
    lines.join(" ")
}

/// The robot of this name, for a scene in a folder.
///
/// # Errors
/// When there is none, or it cannot be read.
pub fn find(folder: Option<&Path>, name: &str) -> Result<Robot, String> {
    let file = format!("robots/{name}.ron");
    if let Some(folder) = folder.filter(|folder| folder.join(&file).symlink_metadata().is_ok()) {
        let path = files::within(folder, &file)?;
        let text = read_text(&path).map_err(|problems| problems.to_string().trim_end().to_owned())?;
        return Ok(Robot { source_name: file, text: text.into() });
    }
    match all().find(|(known, _)| *known == name) {
        Some((name, text)) => Ok(Robot { source_name: format!("robot {name}"), text: text.into() }),
        None => {
            let near = did_you_mean(name, all().map(|(name, _)| name));
            let name = shown(name);
            Err(format!("there is no robot `{name}`, neither with the program nor in `robots` beside the scene{near}"))
        }
    }
}

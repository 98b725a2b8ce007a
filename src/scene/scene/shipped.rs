//! The scenes that come with the program.

use include_dir::{Dir, File, include_dir};

static SCENES: Dir = include_dir!("$CARGO_MANIFEST_DIR/../../scenes");

/// The ending of the names of sweep plans, which are in the same folder as scenes.
const PLAN: &str = ".sweep";

/// The scenes of the gallery: name and text, by name.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    scenes_in(&SCENES).into_iter().filter(|(name, _)| !name.ends_with(PLAN))
}

/// The sweep plans: name and text, by name, such as `milling` for the file `milling.sweep.ron`.
pub fn plans() -> impl Iterator<Item = (&'static str, &'static str)> {
    scenes_in(&SCENES).into_iter().filter_map(|(name, text)| Some((name.strip_suffix(PLAN)?, text)))
}

/// The scenes for performance measurements, named without their folder.
pub fn bench() -> impl Iterator<Item = (&'static str, &'static str)> {
    SCENES.get_dir("bench").map(scenes_in).unwrap_or_default().into_iter()
}

/// The text of a scene, such as `milling` or `bench/milling_10`.
pub fn get(name: &str) -> Option<&'static str> {
    SCENES.get_file(format!("{name}.ron"))?.contents_utf8()
}

/// The text of a file that a shipped scene names, such as a script.
pub fn file(name: &str) -> Option<&'static str> {
    SCENES.get_file(name)?.contents_utf8()
}

fn scenes_in(folder: &'static Dir) -> Vec<(&'static str, &'static str)> {
    let mut scenes: Vec<_> = folder.files().filter_map(named).collect();
    scenes.sort_unstable();
    scenes
}

fn named(file: &'static File) -> Option<(&'static str, &'static str)> {
    let is_scene = file.path().extension()? == "ron";
    is_scene.then_some((file.path().file_stem()?.to_str()?, file.contents_utf8()?))
}

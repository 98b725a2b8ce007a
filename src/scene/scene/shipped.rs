//! The scenes and templates that come with the program.

use include_dir::{Dir, File, include_dir};

static SCENES: Dir = include_dir!("$SHIPPED_FILES/scenes");
/// The templates of new scenes.
pub static TEMPLATES: Dir = include_dir!("$SHIPPED_FILES/assets/templates");

/// The ending of the names of sweep plans, which are in the same folder as scenes.
const PLAN: &str = ".sweep";

/// The folder of the reproductions of published results.
const PAPERS: &str = "papers";

/// The scenes of the gallery: name and text, by name, such as `milling` or `papers/vicsek`.
pub fn all() -> impl Iterator<Item = (&'static str, &'static str)> {
    scenes_and_plans().filter(|(name, _)| !name.ends_with(PLAN))
}

/// The sweep plans: name and text, by name, such as `milling` for the file `milling.sweep.ron`.
pub fn plans() -> impl Iterator<Item = (&'static str, &'static str)> {
    scenes_and_plans().filter_map(|(name, text)| Some((name.strip_suffix(PLAN)?, text)))
}

/// The scenes and plans of the gallery, then those of papers.
fn scenes_and_plans() -> impl Iterator<Item = (&'static str, &'static str)> {
    let papers = SCENES.get_dir(PAPERS).map(Dir::files).into_iter().flatten();
    let mut papers: Vec<_> = papers.filter_map(named_with_folder).collect();
    papers.sort_unstable();
    scenes_in(&SCENES).into_iter().chain(papers)
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

/// As [`named`], with the folder in the name.
fn named_with_folder(file: &'static File) -> Option<(&'static str, &'static str)> {
    Some((file.path().to_str()?.strip_suffix(".ron")?, file.contents_utf8()?))
}

//! Tests of `lab_state::common::places`.

use std::path::Path;

use swarmarium_lab_state::common::places::absolute;
use swarmarium_lab_state::run::{folder, stem};
use swarmarium_lab_testing::{lab_of, lab_on};

#[test]
fn names_of_saved_files_come_from_the_file_or_the_scene() {
    assert_eq!(stem(&lab_on("milling").run), "milling");
    assert_eq!(stem(&lab_on("scenes/milling.ron").run), "milling");
    assert_eq!(stem(&lab_of("Scene(name: \"a/b: c\")").run), "a-b- c");
    assert_eq!(stem(&lab_of("Scene(name: \"..\")").run), "scene");
    assert_eq!(stem(&lab_of("Scene()").run), "Scene");
}

#[test]
fn the_folder_of_dialogs_is_that_of_the_file() {
    assert_eq!(folder(&lab_on("scenes/milling.ron").run), Path::new(&absolute(Path::new("scenes"))));
    assert_eq!(folder(&lab_on("milling").run), std::env::current_dir().unwrap());
}

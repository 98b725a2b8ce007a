//! Tests of `lab_state::common::places`.

use std::path::Path;

use bevy_egui::egui::{self, OutputCommand};
use swarmarium_formats::load::Source;
use swarmarium_lab_panels::dispatch::act;
use swarmarium_lab_state::action::TimelineAction;
use swarmarium_lab_state::common::places::{Places, absolute};
use swarmarium_lab_state::common::text::shell_word;
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
    assert_eq!(
        folder(&lab_on("scenes/milling.ron").run, &Places::default()),
        Path::new(&absolute(Path::new("scenes")))
    );
    assert_eq!(folder(&lab_on("milling").run, &Places::default()), std::env::current_dir().unwrap());
}

#[test]
fn files_of_shipped_scenes_and_runs_go_to_the_folder_of_the_user() {
    let place = tempfile::tempdir().unwrap();
    let output = place.path().join("Swarmarium");
    let places = Places { output: Some(output.clone()), ..Places::default() };
    assert_eq!(folder(&lab_on("milling").run, &places), output);
    assert_ne!(folder(&lab_on("scenes/milling.ron").run, &places), output, "a scene of the user has its own folder");
    let mut lab = lab_on("milling");
    lab.files.places = places;
    lab.take_picture(1.0);
    assert!(lab.files.recordings.close().iter().all(Result::is_ok), "{:?}", lab.notices);
    assert!(output.join("milling-0.png").is_file(), "the folder is created with the first file");
    // A link opens from any folder, and a run folder gives its files the name of the scene.
    let ctx = egui::Context::default();
    act(&mut lab, &ctx, TimelineAction::CopyLink.into());
    let run = output.join("runs").join("milling-7");
    let copied = ctx.output(|output| output.commands.clone());
    let link = format!("swarmarium open {} --at 0", shell_word(&run.display().to_string()));
    let is_link = |command: &OutputCommand| matches!(command, OutputCommand::CopyText(text) if text.starts_with(&link));
    assert!(copied.iter().any(is_link), "{link}: {copied:?}");
    lab.open_source(&run.display().to_string());
    assert!(matches!(lab.run.opened.source, Source::File(_)), "{:?}", lab.notices);
    assert_eq!(stem(&lab.run), "Milling");
    assert_eq!(folder(&lab.run, &lab.files.places), output);
}

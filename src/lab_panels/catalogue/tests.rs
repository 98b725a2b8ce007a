//! Tests of the catalogue.

use std::cell::RefCell;

use bevy::prelude::{App, Component, Reflect, *};
use bevy_egui::egui::{self, Event, Key};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_formats::load::load;
use swarmarium_formats::standard::Standard as _;
use swarmarium_lab_state::action::PartAction;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::edit::parts;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, lab_with, resimulate, window};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::prelude::*;

use crate::catalogue::choices;
use crate::catalogue::ready::READY;

/// Types into the search of the open catalogue, and presses Enter.
fn search(window: &mut Harness, words: &str) {
    window.get_by_label("Search the catalogue");
    window.event(Event::Text(words.into()));
    window.run_steps(3);
    window.key_press(Key::Enter);
    window.run_steps(4);
}

fn open(window: &mut Harness, lab: &RefCell<Lab>, path: &str) {
    lab.borrow_mut().do_part(PartAction::Open(path.into()));
    window.run_steps(4);
}

fn undo(lab: &RefCell<Lab>) {
    let mut lab = lab.borrow_mut();
    lab.undo();
    resimulate(&mut lab);
}

/// The whole scene as text.
fn text(lab: &RefCell<Lab>) -> String {
    let lab = lab.borrow();
    let simulation = lab.run.host.simulation();
    write(simulation.kinds(), &simulation.scene_ahead().clone().for_file(), Style::Full)
}

fn labels(lab: &RefCell<Lab>) -> Vec<String> {
    lab.borrow().run.host.changes().iter().map(|change| change.label.clone()).collect()
}

#[test]
fn a_study_is_built_from_nothing_and_undone() {
    let (mut window, lab) = window(lab_of("()"));
    window.set_size(egui::vec2(1600.0, 1400.0));
    window.run_steps(3);
    let mut texts = vec![text(&lab)];
    let mut done = |window: &mut Harness, label: &str| {
        lab.borrow_mut().advance(0.0, || true);
        window.run_steps(2);
        assert!(lab.borrow().shell.popups.catalogue.is_none(), "{label}: {:?}", lab.borrow().notices);
        let now = text(&lab);
        assert_ne!(Some(&now), texts.last(), "{label}: {:?}", lab.borrow().notices);
        let told = labels(&lab).pop().unwrap_or_default();
        assert!(told.starts_with(label), "{told}, not {label}");
        texts.push(now);
    };

    click(&mut window, "Add to the groups");
    search(&mut window, "stand still");
    done(&mut window, "Added group robots");
    assert_eq!(lab.borrow().run.host.simulation().count(), 10, "the robots are there at once");
    assert_eq!(lab.borrow().view.selection.item, Some(Item::Group(0)));

    click(&mut window, "Add to robots");
    search(&mut window, "field of view");
    done(&mut window, "Added BinaryFov to robots");
    let has_sensors = |lab: &Lab| lab.run.host.simulation().agents().all(|agent| agent.senses().len() == 1);
    assert!(has_sensors(&lab.borrow()), "the run has restarted with the sensor");

    open(&mut window, &lab, "groups.0.controller");
    search(&mut window, "binary");
    done(&mut window, "Controller = Binary");

    click(&mut window, "Add to the metrics");
    search(&mut window, "how fast");
    done(&mut window, "Added AverageSpeed");
    assert_eq!(lab.borrow().run.host.simulation().metric_columns(), ["average_speed_m_per_s"]);

    click(&mut window, "Add to the scene controls");
    search(&mut window, "sensor range");
    done(&mut window, "Added ");
    let controls: Vec<String> = lab.borrow().run.host.scene().controls.iter().map(|it| it.of.clone()).collect();
    assert!(controls.last().is_some_and(|of| of.ends_with("sensors.0.range_m")), "{controls:?}");

    do_steps(&mut lab.borrow_mut(), 50);
    let speed = lab.borrow().run.host.simulation().metrics().first().copied().unwrap_or_default();
    assert!(speed > 0.0, "the robots drive: {speed}");

    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("study.ron");
    lab.borrow_mut().save_scene(&file);
    let recipe = Recipe::standard();
    let opened = load(recipe.kinds(), file.to_str().unwrap(), &[]).unwrap();
    assert_eq!(write(recipe.kinds(), &opened.scene, Style::Full), text(&lab), "the file opens again and equals");

    for before in texts.iter().rev().skip(1) {
        undo(&lab);
        window.run_steps(2);
        assert_eq!(text(&lab), *before, "{:?}", lab.borrow().notices);
    }
    assert_eq!(lab.borrow().run.host.simulation().count(), 0);
}

#[test]
fn everyday_words_find_kinds() {
    let (mut window, lab) = window(lab_on("milling"));
    let queries = [
        ("metrics", "crash", "Collisions"),
        ("metrics", "milling", "Milling order"),
        ("metrics", "explored", "Coverage"),
        ("groups.0.sensors", "lidar", "Laser scanner"),
        ("groups.0.sensors", "pheromone", "Field sensor"),
        ("groups.0.controller", "random walk", "Levy"),
        ("groups.0.motion", "car", "Ackermann"),
        ("objects", "pillar", "Disc"),
        ("fields", "smell", "Pheromone"),
        ("groups.0", "talk", "Radio"),
        ("groups", "kilobot", "Kilobot"),
        ("groups", "avoid", "Robots that avoid obstacles"),
        ("groups", "distance", "Robots that avoid obstacles"),
        ("groups", "boids", "Robots that flock"),
        ("groups", "random walk", "Robots that walk at random"),
        ("groups", "lamp", "Robots that follow a light"),
        ("plots", "how fast", "Speed of millers-0"),
    ];
    for (path, query, name) in queries {
        open(&mut window, &lab, path);
        window.event(Event::Text(query.into()));
        window.run_steps(3);
        let shown = window.query_all_by_label(name).next();
        assert!(shown.is_some(), "{query} finds {name}");
        window.key_press(Key::Escape);
        window.run_steps(3);
        assert!(lab.borrow().shell.popups.catalogue.is_none());
    }
}

/// Parts of the reasons why kinds do not fit the scene of this test.
const MISFITS: &[&str] = &[
    "has none: it can be DifferentialDrive",
    "needs a gripper",
    "set situated: true in its radio",
    "needs a file",
    "but the motion model",
];

#[test]
fn what_is_added_fits_the_scene_and_starts() {
    let scene = "(groups: [(name: \"a\", count: 3, spawn: UniformBox(), radio: ())],
        objects: [Disc(name: \"puck\", movable: Some(())), Region(name: \"home\"), Goal(name: \"site\")],
        fields: [(name: \"smell\")], metrics: [AverageSpeed()])";
    let places = [
        "groups",
        "objects",
        "object_groups",
        "fields",
        "metrics",
        "groups.0",
        "groups.0.sensors",
        "groups.0.controller",
        "groups.0.motion",
        "groups.0.spawn",
    ];
    let lab = lab_of(scene);
    let mut misfits = Vec::new();
    for path in places {
        let choices = choices::at(&lab, path);
        assert!(!choices.is_empty(), "{path}");
        for choice in choices {
            if let Some(reason) = choice.effect.refusal(&lab) {
                misfits.push(format!("{path}: {}: {reason}", choice.name));
            }
        }
    }
    let told: Vec<&String> =
        misfits.iter().filter(|misfit| !MISFITS.iter().any(|known| misfit.contains(known))).collect();
    assert!(told.is_empty(), "{told:#?}");
}

#[test]
fn parts_are_copied_renamed_and_removed() {
    let lab = RefCell::new(lab_of(
        "(controls: [(of: \"groups.a.sensors.1.range_m\"), (of: \"groups.1.count\")],
          groups: [(name: \"a\", sensors: [BinaryFov(), BinaryFov(range_m: 2), Proximity()], motion: DifferentialDrive(),
                    controller: Diffusion(sensor: 2)),
                   (name: \"b\", count: 2)],
          metrics: [AverageSpeed(), Collisions()])",
    ));
    let act = |action: PartAction| lab.borrow_mut().do_part(action);
    let before = text(&lab);
    act(PartAction::Remove("groups.0.sensors.0".into()));
    let scene = lab.borrow().run.host.scene().clone();
    assert_eq!(scene.groups[0].sensors.len(), 2);
    let of: Vec<&str> = scene.controls.iter().map(|control| control.of.as_str()).collect();
    assert_eq!(of, ["groups.0.sensors.0.range_m", "groups.1.count"], "controls follow their sensor");
    assert!(text(&lab).contains("sensor: 1"), "the controller uses the same sensor");
    act(PartAction::Remove("groups.0".into()));
    let scene = lab.borrow().run.host.scene().clone();
    assert_eq!(scene.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["b"]);
    assert_eq!(scene.controls.iter().map(|control| control.of.as_str()).collect::<Vec<_>>(), ["groups.0.count"]);
    assert_eq!(lab.borrow().run.host.simulation().count(), 2);
    act(PartAction::Duplicate("groups.0".into()));
    act(PartAction::Duplicate("metrics.1".into()));
    act(PartAction::Rename { path: "groups.1".into(), name: "c".into() });
    lab.borrow_mut().advance(0.0, || true);
    let scene = lab.borrow().run.host.simulation().scene_ahead().clone();
    assert_eq!(scene.groups.iter().map(|group| group.name.as_str()).collect::<Vec<_>>(), ["b", "c"]);
    assert_eq!(scene.metrics.len(), 3);
    for _ in 0..5 {
        undo(&lab);
    }
    assert_eq!(text(&lab), before, "{:?}", labels(&lab));
}

#[test]
fn an_entry_that_does_not_fit_says_why_and_is_added_with_the_part_that_it_needs() {
    let lab = lab_of("(groups: [(name: \"a\")])");
    let choices = choices::at(&lab, "groups.0.sensors");
    let grip = choices.iter().find(|choice| choice.ident == "GripSensor").unwrap();
    assert!(grip.effect.refusal(&lab).is_some_and(|reason| reason.contains("gripper")));
    let (mut window, lab) = window(lab);
    open(&mut window, &lab, "groups.0.sensors");
    search(&mut window, "grip sensor");
    lab.borrow_mut().advance(0.0, || true);
    let group = lab.borrow().run.host.scene().groups[0].clone();
    assert!(lab.borrow().shell.popups.catalogue.is_none());
    assert!(group.sensors.len() == 1 && group.gripper.is_some());
}

#[test]
fn every_ready_made_group_runs() {
    let lab = lab_of("()");
    let groups = choices::at(&lab, "groups");
    let ready: Vec<_> = groups.iter().filter(|choice| choice.section == "Ready-made").collect();
    assert_eq!(ready.len(), READY.len(), "each has its scene");
    for choice in ready {
        let mut lab = lab_of("(arena: (size_m: (6, 4), boundary: Walls))");
        let choices::Effect::Add { path, value } = choice.effect.clone() else { panic!("{choice:?}") };
        lab.do_part(PartAction::Add { path, value });
        do_steps(&mut lab, 40);
        assert_eq!(lab.run.host.simulation().count(), 10, "{}: {:?}", choice.name, lab.notices);
    }
}

#[test]
fn an_entry_that_needs_another_part_is_added_with_it_in_one_change() {
    let (mut window, lab) = window(lab_of("(groups: [(name: \"a\", controller: Levy())])"));
    let before = text(&lab);
    for (path, query, what, has) in [
        ("groups.0.controller", "diffusion", "wheels", ["Diffusion", "DifferentialDrive"]),
        ("groups.0.controller", "olfati", "a radio", ["Flocking", "max_age_s"]),
        ("groups.0.sensors", "encoders", "wheels", ["Encoders", "DifferentialDrive"]),
    ] {
        open(&mut window, &lab, path);
        search(&mut window, query);
        assert!(lab.borrow().shell.popups.catalogue.is_none(), "{query}: {:?}", lab.borrow().notices);
        lab.borrow_mut().advance(0.0, || true);
        let now = text(&lab);
        assert!(has.iter().all(|part| now.contains(part)), "{query} with {what}: {now}");
        undo(&lab);
        window.run_steps(2);
        assert_eq!(text(&lab), before, "{query}: one change");
    }
}

#[test]
fn a_search_without_a_match_leads_to_the_places_that_have_some() {
    let (mut window, lab) = window(lab_of("()"));
    open(&mut window, &lab, "groups");
    window.event(Event::Text("gyroscope".into()));
    window.run_steps(3);
    window.get_by_label_contains("Add a group, then search its parts: ").click();
    window.run_steps(3);
    lab.borrow_mut().advance(0.0, || true);
    window.run_steps(4);
    assert_eq!(lab.borrow().run.host.simulation().count(), 10);
    assert_eq!(lab.borrow().shell.popups.catalogue.as_deref(), Some("groups.0"));
    assert_eq!(window.get_by_label("Search the catalogue").value().as_deref(), Some("gyroscope"));
    window.get_by_label("Gyroscope");
    window.key_press(Key::Escape);
    window.run_steps(3);
    open(&mut window, &lab, "objects");
    window.event(Event::Text("crash".into()));
    window.run_steps(3);
    window.get_by_label_contains("Add a metric:").click();
    window.run_steps(3);
    assert_eq!(lab.borrow().shell.popups.catalogue.as_deref(), Some("metrics"));
}

/// A sensor of a plugin that needs the name of a beacon.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
struct Beacon {
    /// The name of the beacon.
    beacon: String,
}

impl Sensor for Beacon {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn read(&self, (): &(), _: &mut NoMemory, _: Viewpoint, reading: &mut [f64]) {
        reading[0] = 1.0;
    }

    fn problem(&self) -> Option<String> {
        (self.beacon != "puck").then(|| "name a beacon".into())
    }
}

#[test]
fn a_part_that_needs_a_name_gets_the_first_that_fits() {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_sensor::<Beacon>();
    });
    let scene = "(groups: [(name: \"a\")], objects: [Disc(name: \"rock\"), Disc(name: \"puck\")])";
    let lab = lab_with(&recipe, scene);
    let simulation = lab.run.host.simulation();
    let list = "groups.0.sensors";
    assert!(simulation.check(&parts::adding(simulation, list, "Beacon()")).is_err());
    let fitting = parts::fitting(simulation, list, "Beacon()").unwrap();
    assert_eq!(fitting, Edit::Add { list: list.into(), value: "Beacon(beacon: \"puck\")".into() });
    let refused = parts::fitting(simulation, list, "GripSensor()").unwrap_err();
    assert!(refused.message.contains("gripper"), "{refused}");
}

//! Tests of the palette.

use bevy_egui::egui::{self, Event, Key, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{Action, PartAction, SelectionAction, TimelineAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::COMMANDS;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_testing::{do_steps, lab_of, lab_on, window};
use swarmarium_simulation::edit::Edit;

use crate::command_actions;
use crate::palette::{MOMENT, MOST, Many, SceneWords, Target, found, moments, nothing, scene_words, typed};

fn press(window: &mut Harness, modifiers: Modifiers, key: Key) {
    window.key_press_modifiers(modifiers, key);
    window.run_steps(6);
}

/// Types a letter as a keyboard does: a key event and a text event.
fn letter(window: &mut Harness, key: Key) {
    window.key_press(key);
    window.event(Event::Text(key.name().to_lowercase()));
    window.run_steps(6);
}

fn query(window: &Harness) -> Option<String> {
    window.query_by_label("What to do").map(|field| field.value().unwrap_or_default())
}

#[test]
fn the_palette_takes_letters_each_time_that_it_opens() {
    let (mut window, lab) = window(lab_on("milling"));
    let open = |window: &mut Harness| {
        press(window, Modifiers::COMMAND, Key::P);
        assert_eq!(query(window).as_deref(), Some(""));
        letter(window, Key::R);
        assert_eq!(query(window).as_deref(), Some("r"));
    };
    open(&mut window);
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(query(&window), None);
    open(&mut window);
    press(&mut window, Modifiers::COMMAND, Key::P);
    assert_eq!(query(&window), None);
    open(&mut window);
    window.event(Event::Text("eal time".into()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(query(&window), None, "an action closes it");
    open(&mut window);
    // A click elsewhere does not take the focus.
    let middle = lab.borrow().view.rect_px.left_bottom() + egui::vec2(10.0, -10.0);
    window.drag_at(middle);
    window.run_steps(1);
    window.drop_at(middle);
    window.run_steps(3);
    letter(&mut window, Key::R);
    assert_eq!(query(&window).as_deref(), Some("rr"));
    press(&mut window, Modifiers::SHIFT, Key::F11);
    letter(&mut window, Key::R);
    assert_eq!(query(&window).as_deref(), Some("rrr"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(lab.borrow().run.restarts, 0);
    letter(&mut window, Key::R);
    assert_eq!(lab.borrow().run.restarts, 1, "letters are keys again");
}

#[test]
fn the_palette_finds_every_agent_and_parameter() {
    let group = |name: &str| format!("(name: \"{name}\", count: 100, controller: Constant())");
    let lab = lab_of(&format!("(groups: [{}])", ["a", "b", "c"].map(group).join(", ")));
    assert_eq!(typed(&lab, "SELECT c-75").1, [Action::Selection(SelectionAction::Select(Some(Item::Agent(275))))]);
    assert_eq!(typed(&lab, "groups.c. v_m_per_s").0, 1);
    assert_eq!(typed(&lab, "select").0, MOST);
    assert_eq!(typed(&lab, "no such thing").0, 0);
}

#[test]
fn the_palette_removes_the_metrics_of_the_scene_and_finds_new_ones_by_everyday_words() {
    let mut lab = lab_on("milling");
    let titles = |lab: &Lab, query: &str| -> Vec<String> {
        let found = found(lab, query, &mut Many::default(), &SceneWords::new());
        found.into_iter().map(|found| found.entry.title).collect()
    };
    lab.shell.settings.restart_on_change = false;
    do_steps(&mut lab, 5);
    let removes = |lab: &Lab| -> Vec<String> {
        let titles = titles(lab, "remove the metric").into_iter();
        titles.filter(|title| title.starts_with("Remove the metric")).collect()
    };
    let before = removes(&lab);
    lab.do_part(PartAction::Remove("metrics.0".into()));
    assert_eq!(removes(&lab), before[1..], "it takes effect at the next reset");
    let (query, title) = ("bump", "Add the metric collisions");
    assert!(titles(&lab, query).iter().any(|known| known == title), "{:?}", titles(&lab, query));
}

#[test]
fn the_palette_seeks_to_typed_times_and_steps() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 40);
    let first = |query: &str| {
        let found = found(&lab, query, &mut Many::default(), &SceneWords::new());
        found.into_iter().next().map(|found| (found.entry.title, found.entry.action)).unwrap_or_default()
    };
    let to = |step| Some(Action::Timeline(TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() })));
    for query in ["go to 0.5 s", "0.5 s", "0.5s", "GO TO 0.5", "0:0.5", "go to 00:00:00.500"] {
        assert_eq!(first(query), ("Go to 0.500 s".into(), to(20)), "{query}");
    }
    for query in ["go to step 12", "step 12"] {
        assert_eq!(first(query), ("Go to step 12".into(), to(12)), "{query}");
    }
    for query in ["-0.5 s", "0.5 s before", "0.5 s earlier", "go to -0.5"] {
        assert_eq!(first(query), ("Go 0.5 s back, to 0.500 s".into(), to(20)), "{query}");
    }
    assert_eq!(first("-3 s"), ("Go 3 s back, to 0.000 s".into(), to(0)), "the start is the first moment");
    assert_eq!(first("+3 s").1, None, "the run has not come so far");
    assert_eq!(first("3 s before the first collision").0, "3 s before first collision");
    assert_eq!(moments("go to 7"), [Target::Time(7.0), Target::Step(7)], "it may be either");
    assert_eq!(first("step 1,200"), ("Go to step 1200".into(), None), "the run has not come so far");
    for query in ["step", "7", "go to", "go to the start", "s", "nan s", "-1", "1:x", "a:b", "steps"] {
        assert_eq!(moments(query), [], "{query}");
    }
}

#[test]
fn the_palette_asks_for_a_moment_with_an_empty_query() {
    let (mut window, lab) = window(lab_on("milling"));
    press(&mut window, Modifiers::COMMAND, Key::P);
    window.event(Event::Text("time or step".into()));
    window.run_steps(3);
    press(&mut window, Modifiers::NONE, Key::Enter);
    assert_eq!(query(&window).as_deref(), Some(MOMENT));
    letter(&mut window, Key::Num0);
    assert_eq!(query(&window).as_deref(), Some("go to 0"));
    press(&mut window, Modifiers::NONE, Key::Escape);
    assert_eq!(lab.borrow().shell.popups.palette, None);
}

#[test]
fn results_of_the_palette_follow_changes() {
    let mut lab = lab_of("(groups: [(name: \"a\", controller: Constant())])");
    let mut many = Many::default();
    let count = |many: &mut Many, lab: &Lab| found(lab, "a.controller.clear", many, &SceneWords::new()).len();
    assert_eq!(count(&mut many, &lab), 0);
    let set = |value: &str| Edit::Set { path: "groups.a.controller".into(), value: value.into() };
    lab.run.host.apply(set("Binary()")).unwrap();
    assert_eq!(count(&mut many, &lab), 2);
    lab.run.host.apply(set("Constant()")).unwrap();
    assert_eq!(count(&mut many, &lab), 0);
}

/// Queries, each with the title that must come first.
const EVERYDAY: &[(&str, &str)] = &[
    ("heatmap", "Show or hide the density"),
    ("heat map", "Show or hide the density"),
    ("density", "Show or hide the density"),
    ("voronoi", "Show or hide the Voronoi diagram"),
    ("neighbors", "Show or hide the Delaunay triangulation"),
    ("theme", "Light colours"),
    ("light", "Light colours"),
    ("light mode", "Light colours"),
    ("dark mode", "Dark colours"),
    ("dark", "Dark colours"),
    ("video", "Start or stop recording"),
    ("film", "Start or stop recording"),
    ("movie", "Start or stop recording"),
    ("gif", "Start or stop recording"),
    ("record", "Start or stop recording"),
    ("screenshot", "Save a picture of the window"),
    ("image", "Save a picture of the view"),
    ("picture", "Save a picture of the view"),
    ("delete", "Remove the selection"),
    ("remove", "Remove the selection"),
    ("help", "List keys"),
    ("shortcuts", "List keys"),
    ("keyboard", "List keys"),
    ("full screen", "Full screen"),
    ("fullscreen", "Full screen"),
    ("maximize", "Full screen"),
    ("zoom", "Zoom in"),
    ("fit", "Show the whole arena"),
    ("centre", "Show the whole arena"),
    ("center", "Show the whole arena"),
    ("pause", "Play or pause"),
    ("play", "Play or pause"),
    ("stop", "Play or pause"),
    ("run", "Play or pause"),
    ("start", "Play or pause"),
    ("restart", "Restart"),
    ("rewind", "Step back"),
    ("bookmark", "Add a bookmark"),
    ("branch", "Begin a branch here"),
    ("link", "Copy a link to this moment"),
    ("clip", "Export the clip"),
    ("reset", "Restart"),
    ("seed", "Restart with new seed"),
    ("random", "Randomise the parameters"),
    ("speed", "Faster"),
    ("faster", "Faster"),
    ("slower", "Slower"),
    ("slow motion", "Slower"),
    ("save", "Save scene"),
    ("open", "Open file"),
    ("load", "Open file"),
    ("new", "New scene"),
    ("quit", "Quit"),
    ("exit", "Quit"),
    ("close", "Quit"),
    ("undo", "Undo"),
    ("redo", "Redo"),
    ("settings", "Show or hide the View panel"),
    ("preferences", "Show or hide the View panel"),
    ("font size", "Larger interface"),
    ("ui scale", "Larger interface"),
    ("trail", "Show or hide trails"),
    ("path", "Show or hide trails"),
    ("trajectory", "Show or hide trails"),
    ("sensors", "Show or hide sensors"),
    ("field of view", "Show or hide sensors"),
    ("grid", "Show or hide the grid"),
    ("labels", "Show or hide robot IDs"),
    ("ids", "Show or hide robot IDs"),
    ("network", "Show or hide connections"),
    ("walls", "Draw walls"),
    ("obstacle", "Draw obstacles"),
    ("robot", "Spawn robots"),
    ("add", "Spawn robots"),
    ("spawn", "Spawn robots"),
    ("graph", "Hide or show the plots"),
    ("chart", "Hide or show the plots"),
    ("export", "Export plots as CSV"),
    ("csv", "Export plots as CSV"),
    ("log", "Show or hide the events"),
    ("events", "Show or hide the events"),
    ("history", "Show or hide the changes"),
    ("compare", "Compare with a changed parameter"),
    ("tutorial", "Take the tour"),
    ("tour", "Take the tour"),
    ("follow", "Follow the selection"),
    ("camera", "Follow the selection"),
    ("measure", "Measure"),
    ("ruler", "Measure"),
    ("distance", "Measure"),
    ("drive", "Drive the selected robot"),
    ("joystick", "Drive the selected robot"),
    ("fault", "Break or repair robots"),
    ("failure", "Break or repair robots"),
    ("break", "Break or repair robots"),
    ("layout", "Reset layout"),
    ("colour", "Next colouring"),
    ("select all", "Select all robots"),
    ("how do i record a video", "Start or stop recording"),
    // With typing errors, and in part.
    ("heatmpa", "Show or hide the density"),
    ("srceenshot", "Save a picture of the window"),
    ("vornoi", "Show or hide the Voronoi diagram"),
    ("tutoral", "Take the tour"),
    ("screensh", "Save a picture of the window"),
    ("rwns", "Restart with new seed"),
    // No commands.
    ("milling", "Open milling"),
    ("playground", "Open playground"),
    ("range_m", "groups.millers.sensors.0.range_m = "),
    ("millers-3", "Select millers-3"),
];

#[test]
fn everyday_words_find_their_command_in_the_palette() {
    let lab = lab_on("milling");
    let scenes = scene_words(&lab);
    let first = |query: &str| {
        let found = found(&lab, query, &mut Many::default(), &scenes);
        found.first().map(|found| found.entry.title.clone()).unwrap_or_default()
    };
    let wrong = EVERYDAY.iter().map(|(query, title)| (query, title, first(query)));
    let wrong: Vec<_> = wrong.filter(|(_, title, first)| *title != first).collect();
    assert!(wrong.is_empty(), "{wrong:#?}");
}

/// Queries, each with titles that must be among the first.
const ALL_THAT_FIT: &[(&str, &[&str])] = &[
    ("screenshot", &["Save a picture of the window", "Save a picture of the view"]),
    ("help", &["List keys", "Take the tour"]),
    ("picture", &["Save a picture of the view", "Save a picture of the window"]),
    ("theme", &["Light colours", "Dark colours"]),
    ("zoom", &["Zoom in", "Zoom out"]),
    ("save", &["Save scene", "Save scene as", "Save run as folder", "Save current positions as scene"]),
    ("export", &["Export plots as CSV", "Export figure", "Export the view as SVG"]),
    ("undo", &["Undo", "Undo all changes"]),
    ("reset", &["Restart", "Restart with new seed", "Reset all parameters"]),
    ("keys", &["List keys", "Edit the keys"]),
    ("panels", &["Hide or show the interface"]),
    ("overlays", &["Show or hide the View panel"]),
];

#[test]
fn ambiguous_everyday_words_find_all_their_commands_in_the_palette() {
    let lab = lab_on("milling");
    let scenes = scene_words(&lab);
    for (query, titles) in ALL_THAT_FIT {
        let found = found(&lab, query, &mut Many::default(), &scenes);
        let first: Vec<&str> = found.iter().take(12).map(|found| found.entry.title.as_str()).collect();
        let missing: Vec<_> = titles.iter().filter(|title| !first.contains(title)).collect();
        assert!(missing.is_empty(), "{query}: {missing:?} of {first:?}");
    }
}

#[test]
fn commands_that_open_a_dialog_end_in_dots() {
    let lab = lab_on("milling");
    let name = |title: &str| {
        let command = COMMANDS.iter().find(|command| command.title == title).unwrap();
        command_actions::name(command, &lab)
    };
    for title in ["Open file", "Save scene as", "Save scene", "Share as one file", "Export the view as SVG"] {
        assert_eq!(name(title), format!("{title}…"));
    }
    assert_eq!(name("Save a picture of the view"), "Save a picture of the view");
}

#[test]
fn the_palette_finds_scenes_by_tags_and_says_when_nothing_matches() {
    let lab = lab_on("milling");
    let titles = |query: &str| -> Vec<String> {
        let found = found(&lab, query, &mut Many::default(), &scene_words(&lab));
        found.into_iter().map(|found| found.entry.title).collect()
    };
    assert!(titles("radio").iter().any(|title| title == "Open rendezvous"), "{:?}", titles("radio"));
    assert!(titles("frobnicate").is_empty());
    assert_eq!(nothing(&lab, "frobnicate "), "Nothing is called \"frobnicate\"; F1 lists all keys");
}

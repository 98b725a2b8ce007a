//! Tests of `lab_state::plots::pin`.

use swarmarium_formats::standard::FromScene as _;
use swarmarium_lab_state::plots::error::PinError;
use swarmarium_lab_state::plots::history::MOST_PINS;
use swarmarium_lab_state::plots::pin::{Pin, Watched, title};
use swarmarium_lab_testing::{do_steps, lab_on};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

fn watched(lab: &swarmarium_lab_state::app::Lab) -> Watched<'_> {
    Watched { simulation: lab.run.host.simulation(), selected: Some(1) }
}

fn refused(path: &str) -> String {
    Pin::new(watched(&lab_on("milling")), path).unwrap_err().to_string()
}

#[test]
fn pinned_paths_read_parameters_and_numbers_of_agents() {
    let mut lab = lab_on("milling");
    let value = |lab: &swarmarium_lab_state::app::Lab, path: &str| {
        Pin::new(watched(lab), path).map(|pin| pin.value(watched(lab)))
    };
    let agent = lab.run.host.simulation().agent(2).unwrap();
    assert_eq!(value(&lab, " agents[2].x_m "), Ok(agent.pose.position_m.x));
    assert_eq!(value(&lab, "agents.2.heading_rad"), Ok(agent.pose.heading_rad));
    assert_eq!(value(&lab, "agents.2.readings.0"), Ok(agent.readings().next().unwrap()[0]));
    assert_eq!(value(&lab, "agents.2.readings.0.0"), value(&lab, "agents.2.readings.0"));
    assert_eq!(value(&lab, "agents.2.body.radius_m"), Ok(agent.body().radius_m()));
    assert_eq!(value(&lab, "arena.size_m.x"), Ok(lab.run.host.scene().arena.size_m.x));
    assert_eq!(value(&lab, "seed"), Ok(lab.run.host.scene().seed as f64));
    do_steps(&mut lab, 1);
    let speed = value(&lab, "agents.2.speed_m_per_s").unwrap();
    assert!(speed > 0.0 && speed.is_finite());
    assert!(value(&lab, "agents.2.command.left_m_per_s").or(value(&lab, "agents.2.command.v_m_per_s")).is_ok());
}

#[test]
fn pinned_paths_read_means_memories_and_packets() {
    let robots = "(name: \"r\", count: 3, spawn: UniformBox(min_m: (4.0, 4.0), max_m: (6.0, 6.0)),
        motion: Holonomic(frame: World), controller: Formation(), radio: (loss: Perfect()))";
    let mut lab = swarmarium_lab_testing::lab_of(&format!("(groups: [{robots}])"));
    do_steps(&mut lab, 60);
    let value = |path: &str| Pin::new(watched(&lab), path).map(|pin| pin.value(watched(&lab)));
    let x_m = |agent| lab.run.host.simulation().agent(agent).unwrap().pose.position_m.x;
    assert_eq!(value("mean(agents.0, agents.2).x_m"), Ok((x_m(0) + x_m(2)) / 2.0));
    let mean = Pin::new(watched(&lab), " mean(agents.0, agents.2).x_m").unwrap();
    assert_eq!(mean.path(), "mean(agents.0,agents.2).x_m");
    assert_eq!(title(mean.path(), watched(&lab)), ("Mean x of 2 robots".into(), "m"));
    assert!(matches!(value("mean(agents.0,agents.9).x_m"), Err(PinError::NoSuchAgent { number: 9, .. })));
    let age_s = value("agents.1.packets.2.age_s").unwrap();
    assert!((0.0..60.0 * lab.run.host.simulation().time().dt_s).contains(&age_s), "{age_s}");
    assert!(value("agents.1.packets.1.age_s").is_err(), "no robot hears itself");
    assert!(value("agents.1.packets").is_err() && value("agents.1.packets.x.age_s").is_err());
    assert!(value("agents.1.memory").is_err() && value("agents.1.memory.nonsense").is_err());
    assert_eq!(value("max(agents.0.x_m, 1e9)"), Ok(1e9), "formulas are still formulas");
}

#[test]
fn a_pinned_turn_rate_is_that_of_one_step() {
    let mut lab = lab_on("milling");
    let path = "agents.0.turn_rad_per_s";
    let mut pin = Pin::new(watched(&lab), path).unwrap();
    assert!(pin.value(watched(&lab)).is_nan());
    let before = lab.run.host.simulation().agent(0).unwrap().pose.heading_rad;
    do_steps(&mut lab, 1);
    pin.observe(watched(&lab), false);
    let after = lab.run.host.simulation().agent(0).unwrap().pose.heading_rad;
    let wanted = (after - before) / lab.run.host.simulation().time().dt_s;
    assert_eq!(pin.value(watched(&lab)), wanted);
    pin.observe(watched(&lab), false);
    assert_eq!(pin.value(watched(&lab)), wanted);
}

#[test]
fn pinned_parameters_follow_edits() {
    let mut lab = lab_on("milling");
    let mut pin = Pin::new(watched(&lab), "groups.0.sensors.0.range_m").unwrap();
    let edit = Edit::Set { path: "groups.0.sensors.0.range_m".into(), value: "1.25".into() };
    lab.run.host.apply(edit).unwrap();
    do_steps(&mut lab, 1);
    pin.observe(watched(&lab), true);
    assert_eq!(pin.value(watched(&lab)), 1.25);
}

#[test]
fn paths_without_a_number_cannot_be_pinned() {
    let all = [
        "",
        "agents",
        "agents.x",
        "agents.99.x_m",
        "agents.0",
        "agents.0.xm",
        "agents.0.x_m.y",
        "agents.0.command",
        "agents.0.command.vm_per_s",
        "agents.0.readings",
        "agents.0.readings.a",
        "agents.0.readings.7",
        "agents.0.readings.0.7",
        "agents.0.body",
        "agents.0.controller.nonsense",
        "arena",
        "arena.size_m",
        "arena.sizes",
        "name",
        "groups.0",
        "groups..0",
    ];
    let told: Vec<String> = all.iter().map(|path| format!("{path}: {}", refused(path))).collect();
    insta::assert_snapshot!(told.join("\n"), @r"
    : `` is not a path, such as agents.0.x_m
    agents: name a robot and one of its numbers, such as agents.0.x_m
    agents.x: robots are named by number, such as agents.0; found `x`
    agents.99.x_m: there is no robot 99, the last one is 5
    agents.0: name one of the numbers of the robot, such as agents.0.x_m
    agents.0.xm: `agents.0` has no `xm`; did you mean `x_m`?
    agents.0.x_m.y: `x_m` has no parts
    agents.0.command: name a part of the command, such as command.v_m_per_s
    agents.0.command.vm_per_s: the command has no `vm_per_s`; did you mean `v_m_per_s`?
    agents.0.readings: name a slot, such as readings.0
    agents.0.readings.a: readings are named by number, such as 0; found `a`
    agents.0.readings.7: this robot has no sensor 7, the last one is 0
    agents.0.readings.0.7: sensor 0 has no channel 7, the last one is 0
    agents.0.body: `agents.0.body` is not a number: name one of its parts, such as agents.0.body.radius_m
    agents.0.controller.nonsense: `controller` has no `nonsense`; known: sensor, clear, detected, vote_readings, rate_hz and phase_s
    arena: `arena` is not a number: name one of its parts, such as arena.corner_m.x
    arena.size_m: `arena.size_m` is not a number: name one of its parts, such as arena.size_m.x
    arena.sizes: `arena` has no `sizes`; did you mean `size_m`?
    name: `name` is not a number
    groups.0: `groups.0` is not a number: name one of its parts, such as groups.0.count
    groups..0: `groups..0` is not a path, such as agents.0.x_m
    ");
}

#[test]
fn pinned_paths_have_titles_in_words() {
    let lab = lab_on("milling");
    let words = |path| {
        let (name, unit) = title(path, watched(&lab));
        format!("{name} [{unit}]")
    };
    assert_eq!(words("agents.17.x_m"), "robot 17 x [m]");
    assert_eq!(words("groups.millers.sensors.0.range_m"), "Millers sensors 0 range [m]");
    assert_eq!(words("groups.0.sensors.0.range_m"), "Group 0 sensors 0 range [m]");
    assert_eq!(words("arena.size_m.x"), "Arena size x [m]");
    assert_eq!(words("agents.2.readings.0"), "millers-2 readings 0 []");
    assert_eq!(words("seed"), "Seed []");
}

#[test]
fn series_pinned_later_start_later_and_can_be_unpinned() {
    let mut lab = lab_on("milling");
    let metrics = lab.plots.history.names().count();
    do_steps(&mut lab, 5);
    // Without the thread that simulates the earlier values.
    lab.plots.history.pin_or_unpin(lab.run.host.simulation(), "agents.0.x_m").unwrap();
    do_steps(&mut lab, 5);
    let series = lab.plots.history.series(metrics);
    assert_eq!(series.len(), 10);
    assert!(series[..4].iter().all(|value| value.is_nan()) && series[4..].iter().all(|value| value.is_finite()));
    let now = lab.run.host.simulation().agent(0).unwrap().pose.position_m.x;
    assert_eq!(lab.plots.history.latest(lab.run.host.simulation()).last(), Some(&now));
    lab.plots.pin(&lab.run, &mut lab.notices, "agents[0].x_m");
    assert_eq!((lab.plots.history.pins().count(), lab.plots.history.names().count()), (0, metrics));
}

#[test]
fn pins_survive_a_reset_if_their_path_exists() {
    let mut lab = lab_on("milling");
    lab.plots.pin(&lab.run, &mut lab.notices, "agents.5.x_m");
    lab.plots.pin(&lab.run, &mut lab.notices, "seed");
    let run = lab.plots.history.run();
    lab.reset(None);
    assert_eq!(lab.plots.history.pins().collect::<Vec<_>>(), ["agents.5.x_m", "seed"]);
    assert_ne!(lab.plots.history.run(), run);
    let mut scene = lab.run.host.scene().clone();
    scene.groups.clear();
    let simulation = Simulation::new(&scene).unwrap();
    lab.plots.history.restart(&simulation);
    assert_eq!(lab.plots.history.pins().collect::<Vec<_>>(), ["seed"]);
    assert_eq!((lab.plots.history.steps(), lab.plots.history.stride()), (&[0][..], 1));
    lab.plots.history.unpin_all();
    assert_eq!(lab.plots.history.pins().count(), 0);
}

#[test]
fn the_number_of_pins_is_limited() {
    let mut lab = lab_on("milling");
    let fields = ["x_m", "y_m", "heading_rad", "speed_m_per_s", "turn_rad_per_s", "readings.0"];
    let paths = (0..6).flat_map(|agent| fields.map(|field| format!("agents.{agent}.{field}")));
    let done: Vec<_> = paths.map(|path| lab.plots.history.pin_or_unpin(lab.run.host.simulation(), &path)).collect();
    assert_eq!(done.iter().filter(|done| done.is_ok()).count(), MOST_PINS);
    assert_eq!(done.last(), Some(&Err(PinError::TooMany(MOST_PINS))));
    assert_eq!(PinError::TooMany(32).to_string(), "32 values, the maximum, are pinned: unpin one first");
}

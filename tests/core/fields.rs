//! Scalar fields in scenes: robots emit and sense, state, edits, names.

use bevy::math::DVec2;
use swarmarium::simulation::{Recipe, Simulation, Standard as _};
use swarmarium_base::math::{direction, exp};
use swarmarium_core::step::HasArena as _;
use swarmarium_space::ScalarField;

use swarmarium_scene::scene::{Scene, reader};

use crate::support::edits::set;
use crate::support::{hashes, metric, scene_of, simulation_of};

/// Robots that drive along circles and emit, with a source, a wall and two metrics.
const SCENE: &str = r#"(
    arena: (size_m: (6.0, 4.0), boundary: Walls),
    time: (dt_s: 0.1),
    groups: [
        (
            name: "ants",
            at: [(1.0, 1.0, 0.0), (3.0, 2.0, 1.0), (5.0, 3.0, 2.0)],
            controller: Constant(v_m_per_s: 0.2, turn_rad_per_s: 0.3),
            sensors: [FieldSensor(gradient: true), FieldSensor(field: "heat")],
            emitter: Some((field: "scent", rate_per_s: 2.0, at_m: (-0.1, 0.0), always: true)),
        ),
        (name: "silent", at: [(2.0, 3.0, 0.0)], emitter: Some((field: "heat"))),
    ],
    objects: [Polygon(corners_m: [(3.9, 0.0), (4.0, 0.0), (4.0, 2.5), (3.9, 2.5)])],
    fields: [
        (name: "scent", diffusion_m2_per_s: 0.01, evaporation_per_s: 0.05, blocked_by_obstacles: true),
        (name: "heat", cell_m: 0.2, diffusion_m2_per_s: 0.02, sources: [(center_m: (1.0, 3.0), rate_per_s: 0.5)]),
    ],
    metrics: [FieldTotal(field: "scent"), FieldTotal(field: "heat", what: Mean, label: "heat")],
)"#;

fn field<'s>(simulation: &'s Simulation, name: &str) -> &'s ScalarField {
    simulation.world().arena().space.fields.named(name).unwrap()
}

#[test]
fn robots_and_sources_add_their_amounts() {
    let mut simulation = simulation_of(SCENE);
    simulation.step(100);
    let expected = 6.0 * (1.0 - exp(-0.5)) / 0.05;
    assert!((metric(&simulation, "field_total") / expected - 1.0).abs() < 1e-12);
    // The emission of the other robot is 0: its controller sets none.
    assert!((metric(&simulation, "heat") - 5.0 / 24.0).abs() < 1e-12, "{}", metric(&simulation, "heat"));
    assert!(field(&simulation, "heat").values().iter().all(|value| *value >= 0.0));
}

#[test]
fn a_reading_is_of_the_field_at_the_end_of_the_step_before() {
    let mut simulation = simulation_of(SCENE);
    simulation.step(20);
    let before = field(&simulation, "scent").clone();
    simulation.step(1);
    let agent = simulation.agent(1).unwrap();
    let (at, heading_rad) = (agent.pose.position_m, agent.pose.heading_rad);
    let reading = agent.senses()[0].reading.to_vec();
    assert!(reading[0] > 0.0);
    assert_eq!(reading[0], before.value(at));
    let gradient = direction(-heading_rad).rotate(before.gradient(at));
    assert!(DVec2::new(reading[1], reading[2]).abs_diff_eq(gradient, 1e-9));
}

#[test]
fn the_emission_of_a_controller_sets_the_rate() {
    let text = r#"(
        time: (dt_s: 0.1),
        groups: [(
            name: "ant",
            at: [(5.0, 5.0, 0.0)],
            controller: Supervisor(
                v_m_per_s: 0.0,
                conditions: [(name: "later", test: After(time_s: 1.0))],
                states: [
                    (name: "loud", behaviour: Wander(), outputs: (emission: Some(0.25)), transitions: [(to: "mute", when: "later")]),
                    (name: "mute", behaviour: Wander(), outputs: (emission: Some(0.0))),
                ],
            ),
            emitter: Some((rate_per_s: 8.0)),
        )],
        fields: [(name: "scent")],
        metrics: [FieldTotal()],
    )"#;
    let mut simulation = simulation_of(text);
    simulation.step(5);
    assert!((metric(&simulation, "field_total") - 5.0 * 0.1 * 2.0).abs() < 1e-12);
    simulation.step(30);
    let total = metric(&simulation, "field_total");
    assert!((1.9..2.5).contains(&total), "{total}");
    simulation.step(10);
    assert_eq!(metric(&simulation, "field_total"), total);
}

#[test]
fn fields_are_in_hashes_and_snapshots_whatever_the_threads() {
    let scene = scene_of(SCENE);
    let recipe = Recipe::standard();
    let [mut one, mut two] = [1, 2].map(|threads| Simulation::with(&scene, &recipe, threads).unwrap());
    assert_eq!(hashes(&mut one, 30), hashes(&mut two, 30));
    let snapshot = one.snapshot();
    let then = one.hash();
    one.step(25);
    let (after, values) = (one.hash(), field(&one, "scent").values());
    assert_ne!(then, after);
    one.restore(&snapshot).unwrap();
    assert_eq!(one.hash(), then);
    one.step(25);
    assert_eq!((one.hash(), field(&one, "scent").values()), (after, values));
    one.restart(&scene).unwrap();
    assert_eq!(field(&one, "scent").total(), 0.0);
}

#[test]
fn rates_change_live_and_cells_at_the_reset() {
    let mut simulation = simulation_of(SCENE);
    simulation.step(50);
    let total = metric(&simulation, "field_total");
    simulation.apply(set("groups.ants.emitter.rate_per_s", "0.0")).unwrap();
    simulation.apply(set("fields.scent.evaporation_per_s", "1.0")).unwrap();
    simulation.apply(set("fields.0.cell_m", "0.5")).unwrap();
    simulation.step(10);
    let expected = total * exp(-1.0);
    assert!((metric(&simulation, "field_total") / expected - 1.0).abs() < 1e-12);
    assert_eq!(field(&simulation, "scent").grid().columns, 60);
    let scene = simulation.scene().clone();
    simulation.restart(&scene).unwrap();
    assert_eq!(field(&simulation, "scent").grid().columns, 12);
    simulation.apply(set("groups.ants.emitter", "None")).unwrap();
    simulation.step(10);
    assert_eq!(metric(&simulation, "field_total"), 0.0);
}

#[test]
fn an_agent_with_a_field_sensor_can_be_edited_alone() {
    let mut simulation = simulation_of(SCENE);
    simulation.apply(set("agents.1.sensors.1.field", "\"scent\"")).unwrap();
    let error = simulation.apply(set("agents.1.sensors.1.field", "\"sent\"")).unwrap_err().to_string();
    assert!(error.contains("unknown field `sent`") && error.contains("scent"), "{error}");
    simulation.step(3);
}

#[test]
fn wrong_fields_are_refused_with_what_is_allowed() {
    let problem = |from: &str, to: &str| {
        assert!(SCENE.contains(from), "{from}");
        let (recipe, text) = (Recipe::standard(), SCENE.replacen(from, to, 1));
        match reader::read::<Scene>(recipe.kinds(), "test.ron", &text) {
            Ok(scene) => Simulation::with(&scene, &recipe, 1).map(drop).unwrap_err().to_string(),
            Err(problems) => problems.to_string(),
        }
    };
    let named = problem("FieldSensor(field: \"heat\")", "FieldSensor(field: \"haet\")");
    assert!(named.contains("unknown field `haet`") && named.contains("`heat`"), "{named}");
    let emitter = problem("emitter: Some((field: \"heat\"))", "emitter: Some((field: \"cold\"))");
    assert!(emitter.contains("emitter.field") && emitter.contains("unknown field `cold`"), "{emitter}");
    let twice = problem("name: \"heat\", cell_m", "name: \"scent\", cell_m");
    assert!(twice.contains("the name `scent` is taken by fields[0]"), "{twice}");
    let fine = problem("cell_m: 0.2", "cell_m: 0.001");
    assert!(fine.contains("24000000 cells") && fine.contains("try 0.0049"), "{fine}");
    let object = problem("sources: [(center_m", "sources: [(object: \"lamp\", center_m");
    assert!(object.contains("unknown object `lamp`"), "{object}");
}

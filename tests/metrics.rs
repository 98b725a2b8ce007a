//! Metrics in scenes: groups and teams, expressions, the end of a run, what is drawn.

use bevy::math::DVec2;
use bevy::prelude::{App, IntoScheduleConfigs as _, Query, Res};
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Pose;
use swarmarium_core::step::{CurrentArena, SimStep, Step};
use swarmarium_draw::{Overlay, View};
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::edits::set;
use crate::support::{scene_of, simulation_of};

const GROUPS: &str = "groups: [
    (name: \"left\", team: \"ends\", at: [(1, 1, 0), (2, 1, 0)], controller: Constant(v_m_per_s: 1.0)),
    (name: \"middle\", at: [(5, 5, 0)]),
    (name: \"right\", team: \"ends\", at: [(9, 1, 0), (9, 9, 0), (8, 5, 0)]),
]";

fn simulation(rest: &str) -> Simulation {
    simulation_of(&format!("({GROUPS}, {rest})"))
}

fn problems(rest: &str) -> String {
    let scene: Scene = scene_of(&format!("(name: \"s\", {GROUPS}, {rest})"));
    Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default()
}

#[test]
fn phase_rounds_begins_at_its_time() {
    let mut simulation = simulation_of(
        "(time: (dt_s: 0.05), metrics: [PhaseRounds(from_s: 1.0)], groups: [(name: \"g\", at: [(4.0, 5.0, 0.0), (6.0, 5.0, 0.0)],
            controller: Oscillator(coupling_rad_per_s: 0.0, frequency: Equal(rad_per_s: 2.0)), radio: (loss: Perfect()))])",
    );
    simulation.step(19);
    assert!(simulation.metrics().iter().all(|share| share.is_nan()), "{:?}", simulation.metrics());
    simulation.step(1);
    assert_eq!(simulation.metrics(), [0.0; 3]);
    // Phases turn by 0.1 rad in a step; the robots stand.
    simulation.step(62);
    assert_eq!(simulation.metrics(), [0.0; 3]);
    simulation.step(1);
    assert_eq!(simulation.metrics(), [0.0, 1.0, 0.0]);
}

#[test]
fn any_metric_can_look_at_one_group_or_team() {
    let mut simulation = simulation(
        "metrics: [Count(), Count(of: \"left\"), Count(of: \"ends\"), ConvexHull(of: \"right\"),
            AverageSpeed(of: \"left\"), NearestNeighbour(of: \"right\"), AnyAgent(when: \"x_m > 8.5\", of: \"right\")]",
    );
    simulation.step(1);
    let values = simulation.metrics();
    assert_eq!(values[..4], [6.0, 2.0, 5.0, 4.0]);
    assert!((values[4] - 1.0).abs() < 1e-12 && (values[5] - 17_f64.sqrt()).abs() < 1e-12, "{values:?}");
    assert_eq!(values[7], 3.0, "the number of the first one of the group");
    assert_eq!(simulation.metric_names()[..3], ["agents", "agents_2", "agents_3"]);
    simulation.apply(set("metrics.1.of", "\"right\"")).unwrap();
    simulation.step(1);
    assert_eq!(simulation.metrics()[1], 3.0);
}

#[test]
fn expressions_name_metrics_above_them() {
    let mut simulation = simulation(
        "metrics: [Count(label: \"n\"), Centroid(of: \"left\"), Formula(value: \"centroid.x_m * n\", label: \"f\"),
            AllOf(conditions: [\"f > 9\", \"n == 6\"]), StepsUntil(until: \"centroid.x_m > 1.59\"),
            AnyAgent(when: \"x_m > 5\", value: \"y_m + n\"), AnyAgent(when: \"collided\", otherwise: -7)]",
    );
    for step in 1..=6 {
        simulation.step(1);
        let x = 1.5 + 0.025 * f64::from(step);
        let values = simulation.metrics();
        assert!((values[3] - 6.0 * x).abs() < 1e-9, "step {step}: {values:?}");
        assert_eq!(values[4..], [1.0, (f64::from(step) - 1.0).min(3.0), 7.0, -7.0], "step {step}");
    }
}

#[test]
fn unknown_names_in_metrics_are_refused_with_the_known_ones() {
    for (rest, expected) in [
        (
            "metrics: [Formula(value: \"fatnes + 1\"), Fatness()]",
            "s: metrics[0].value: unknown name `fatnes`; known: previous.formula, previous.fatness, step, t_s and count",
        ),
        (
            "metrics: [Fatness(), Formula(value: \"fatnes + 1\")]",
            "s: metrics[1].value: unknown name `fatnes`; did you mean `fatness`?",
        ),
        (
            "metrics: [Formula(value: \"fatness + 1\"), Fatness()]",
            "s: metrics[0].value: `fatness` is observed later: an expression can name the metrics above it",
        ),
        ("metrics: [AllOf(conditions: [\"step >\"])]", "s: metrics[0].conditions[0]: not an expression: "),
        ("metrics: [Fatness(of: \"lift\")]", "s: metrics[0].of: unknown group or team `lift`; did you mean `left`?"),
        ("metrics: [Fatness(label: \"step\")]", "s: metrics[0].label: `step` is not a valid name"),
        ("metrics: [Fatness(label: \"a-b\")]", "s: metrics[0].label: `a-b` is not a valid name"),
        (
            "stop: (when: \"circliness > 1\")",
            "s: stop.when: unknown name `circliness`, a column of the metric `Circliness`: add it to `metrics` of the scene",
        ),
    ] {
        let found = problems(rest);
        assert!(found.starts_with(expected), "{rest}: {found}");
    }
}

#[test]
fn a_run_ends_where_its_scene_says() {
    let end = |rest: &str| {
        let mut simulation = simulation(rest);
        (0..1000).find(|_| {
            simulation.step(1);
            simulation.is_at_end()
        });
        simulation.steps()
    };
    assert_eq!(end("stop: (steps: 7)"), 7);
    assert_eq!(end("stop: (time_s: 0.5, steps: 30)"), 20);
    assert_eq!(end("metrics: [Centroid(of: \"left\")], stop: (when: \"centroid.x_m > 2\", steps: 900)"), 21);
    assert_eq!(end("stop: (when: \"false\")"), 1000);
}

#[test]
fn metrics_are_drawn_when_they_are_asked_for_and_change_nothing() {
    let all =
        "Centroid(), ConvexHull(), InverseConvexHull(), DelaunayDiffusion(), CircleFit(), LargestComponent(range_m: 5),
        Coverage(), ConvexHull(of: \"right\"), AlgebraicConnectivity(range_m: 9), PersistentHomology(),
        RandomBoxAggregation(interval_steps: 1), RandomBoxSampling()";
    let mut simulation = simulation(&format!("metrics: [{all}]"));
    let arena = simulation.scene().arena.size_m;
    let mut view = View::fit(simulation.scene(), arena * 100.0);
    view.overlays.set(Overlay::Metrics, true);
    simulation.picture(&view);
    simulation.step(2);
    let hash = simulation.hash();
    let shown = simulation.picture(&view).items.len();
    view.overlays.set(Overlay::Metrics, false);
    assert!(shown > simulation.picture(&view).items.len() + 10);
    assert_eq!(simulation.hash(), hash);
}

/// Every kind, with no agent, one, two and agents at one place: no panic, and as many values as columns.
#[test]
fn every_metric_works_at_any_population() {
    let recipe = Recipe::standard();
    let all: Vec<String> = recipe.kinds().family("metric").map(|kind| format!("{}()", kind.name)).collect();
    assert!(all.len() >= 42);
    for at in ["", "(1, 1, 0)", "(1, 1, 0), (3, 1, 1)", "(1, 1, 0), (2, 1, 0), (3, 1, 0)", "(1, 1, 0), (1, 1, 0)"] {
        let text = format!(
            "(groups: [(name: \"g\", count: 0, at: [{at}])], fields: [(name: \"f\")], metrics: [{}])",
            all.join(", ")
        );
        let mut simulation = Simulation::new(&scene_of(&text)).unwrap_or_else(|problems| panic!("{problems}"));
        simulation.step(3);
        assert_eq!(simulation.metrics().len(), simulation.metric_columns().len());
        let snapshot = simulation.snapshot();
        simulation.step(3);
        let hash = simulation.hash();
        simulation.restore(&snapshot).unwrap();
        simulation.step(3);
        assert_eq!(simulation.hash(), hash, "{at}");
    }
}

/// One agent drives into another one at rest, both in touch from then on.
#[test]
fn collisions_are_counted_by_agent_and_step() {
    let mut simulation = simulation_of(
        "(groups: [(name: \"a\", at: [(4, 5, 0)], controller: Constant(v_m_per_s: 1.0)), (name: \"b\", at: [(5, 5, 0)])],
            metrics: [TotalCollisions(), TotalCollisions(of: \"b\")])",
    );
    let counts: Vec<[f64; 2]> = (0..40)
        .map(|_| {
            simulation.step(1);
            [simulation.metrics()[0], simulation.metrics()[1]]
        })
        .collect();
    // Their edges meet after 0.8 m, that is 32 steps of 0.025 m.
    assert_eq!(counts[30], [0.0, 0.0]);
    assert_eq!(counts[39][0] - counts[34][0], 10.0, "two agents, five steps: {counts:?}");
    assert_eq!(counts[39][1] - counts[34][1], 5.0);
}

#[test]
fn random_boxes_depend_on_the_seed() {
    let run = |seed: u32, rest: &str| {
        let metric = format!("RandomBoxAggregation(boxes: 9, {rest})");
        let text = format!("(seed: {seed}, groups: [(name: \"g\", at: [(1, 1, 0), (8, 2, 0)])], metrics: [{metric}])");
        let mut simulation = simulation_of(&text);
        let step = |_| {
            simulation.step(1);
            simulation.metrics()[0].to_bits()
        };
        (0..8).map(step).collect::<Vec<u64>>()
    };
    let differing = |values: &[u64]| values.iter().collect::<std::collections::BTreeSet<_>>().len();
    assert_eq!(run(1, ""), run(1, ""));
    assert_eq!(differing(&run(1, "")), 1);
    assert_eq!(differing(&(0..20).map(|seed| run(seed, "")[0]).collect::<Vec<_>>()).min(5), 5);
    assert!(differing(&run(1, "interval_steps: 1")) > 4);
    let twice = run(1, "interval_steps: 2");
    assert!(twice.chunks(2).all(|pair| pair[0] == pair[1]) && differing(&twice) > 2);
}

/// Poses that are not finite, or so large that squares are not, from step 1 on.
fn lose(arena: Res<CurrentArena>, mut poses: Query<(&StableId, &mut Pose)>) {
    let lost = [f64::NAN, f64::INFINITY, 1e300, -f64::INFINITY, 1e160, f64::NAN];
    for (id, mut pose) in &mut poses {
        let at = lost[(arena.time.step as usize + id.index() as usize) % lost.len()];
        if id.index() % 3 != 2 || arena.time.step > 6 {
            pose.position_m = if id.index() % 2 == 0 { DVec2::new(at, 1.0) } else { DVec2::splat(at) };
            pose.heading_rad = at;
        }
    }
}

#[test]
fn metrics_and_sensors_terminate_with_poses_that_are_not_finite() {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_systems(SimStep, lose.in_set(Step::Objects));
    });
    let kinds = recipe.kinds();
    let names = |family: &'static str| kinds.family(family).map(|kind| kind.name.to_string()).collect::<Vec<_>>();
    let parts = names("metric").into_iter().map(|name| format!("metrics: [{name}()]"));
    let sensors = names("sensor").into_iter().map(|name| format!("sensors: [{name}()]"));
    let mut done = 0;
    for part in parts.chain(sensors) {
        for boundary in ["Open", "Walls", "Periodic"] {
            for rest in ["", "order: Sequential,", "on_collision: Stop,"] {
                let (of_group, of_scene) =
                    if part.starts_with("sensors") { (part.as_str(), "") } else { ("", part.as_str()) };
                let text = format!(
                    "({rest} arena: (boundary: {boundary}), {of_scene}{} groups: [(name: \"a\", count: 7,
                        spawn: UniformDisc(center_m: (5, 5), radius_m: 2), {of_group})], objects: [Disc(center_m: (8, 8), radius_m: 1)])",
                    if of_scene.is_empty() { "" } else { "," }
                );
                let Ok(scene) = reader::read::<Scene>(kinds, "test.ron", &text) else { continue };
                // Some kinds need more than their defaults.
                let Ok(mut simulation) = Simulation::with(&scene, &recipe, 1) else { continue };
                simulation.step(12);
                done += 1;
            }
        }
    }
    assert!(done > 500, "{done}");
}

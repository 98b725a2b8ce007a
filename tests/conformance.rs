//! Agreement with numbers measured on RobotSwarmSimulator 1.2.5.

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium_base::id::StableId;
use swarmarium_core::random::Chain;
use swarmarium_core::random::pcg::Pcg64;
use swarmarium_core::step::HasArena as _;
use swarmarium_formats::import::{self, Imported};
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_kinds::sensor::overlap::Overlap;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::{facts, numbers, path, simulation_of, text};

#[test]
fn a_single_agent_follows_the_recorded_arcs() {
    let facts = facts("robotswarmsimulator/trace01_single_constant.json");
    let dt_s = facts["dt"].as_f64().unwrap();
    for case in facts["cases"].as_array().unwrap() {
        let start = numbers(&case["initial"]);
        let (v, omega) = (&case["v"], &case["omega"]);
        let mut simulation = simulation_of(&format!(
            "(time: (dt_s: {dt_s}), groups: [(name: \"a\", at: [({:?}, {:?}, {:?})],
                controller: Constant(v_m_per_s: {v}, turn_rad_per_s: {omega}))])",
            start[0], start[1], start[2],
        ));
        for recorded in case["pose"].as_array().unwrap() {
            assert_poses(&simulation, &Value::Array(vec![recorded.clone()]), &case["case"].to_string());
            simulation.step(1);
        }
    }
}

#[test]
fn two_agents_that_see_each_other_follow_the_recorded_trace() {
    follows("trace02_two_agents_fov", 200);
}

/// Six robots in a heap push each other at nearly every step.
#[test]
fn a_heap_of_robots_follows_the_recorded_collisions() {
    let collided = follows("trace04_collisions6", 400);
    let recorded = facts("robotswarmsimulator/trace04_collisions6.json")["collided"].clone();
    for (step, (collided, recorded)) in collided.iter().zip(recorded.as_array().unwrap()).enumerate().skip(1) {
        let recorded: Vec<bool> = recorded.as_array().unwrap().iter().map(|flag| flag.as_bool().unwrap()).collect();
        assert_eq!(*collided, recorded, "pushed in step {step}");
    }
}

/// Regions and scenery between other agents and from spawners, all values of `collides`, and a region of the scenery: what
/// agents read, which of them collide and with how many, where they are, and the metrics, with several seeds.
#[test]
fn regions_and_collision_modes_follow_the_recorded_runs() {
    for run in facts("robotswarmsimulator/among_agents.json")["runs"].as_array().unwrap() {
        let (world, seed) = (run["world"].as_str().unwrap(), run["seed"].as_u64().unwrap());
        let scene = Scene { seed, ..imported(world).scene };
        let mut simulation = Simulation::new(&scene).unwrap();
        for step in 0..=run["steps"].as_u64().unwrap() as usize {
            let what = format!("{world}, seed {seed}, step {step}");
            if let Some(recorded) = run["poses"].get(step.to_string()) {
                assert_poses(&simulation, recorded, &what);
            }
            let bodies = &simulation.world().arena().space.bodies;
            let regions =
                scene.groups.iter().map(|group| group.sensors.iter().any(|sensor| sensor.value().is::<Overlap>()));
            let regions: Vec<bool> = regions.collect();
            // In RobotSwarmSimulator, the detections of a region are not readings.
            let read = simulation.agents().map(|agent| {
                let counts = regions[agent.member.group as usize];
                let read = agent.readings().flatten().map(|value| value.to_string()).collect::<String>();
                if counts { String::new() } else { read }
            });
            let shown = |flags: Vec<String>| flags.join(" ");
            assert_eq!(shown(read.collect()), run["readings"][step], "readings: {what}");
            let agents = 0..bodies.len();
            let collided = agents.clone().map(|row| u8::from(bodies.pushed()[row]).to_string()).collect();
            assert!(step == 0 || shown(collided) == run["collided"][step], "who collides: {what}");
            let others = agents.map(|row| bodies.collided()[row].to_string()).collect();
            assert!(step == 0 || shown(others) == run["others"][step], "with how many: {what}");
            for (index, recorded) in run["metrics"][step.saturating_sub(1)].as_array().unwrap().iter().enumerate() {
                let (ours, recorded) = (simulation.metrics()[index], recorded.as_f64().unwrap());
                assert!(
                    step == 0 || (ours - recorded).abs() < 1e-9,
                    "metric {index} is {ours}, not {recorded}: {what}"
                );
            }
            simulation.step(1);
        }
    }
}

/// Worlds of `differences/` with the runs that the original recorded, in the files of the same name: poses, readings and
/// metrics at every step, also when the run is continued from a snapshot.
#[test]
fn worlds_follow_the_runs_that_the_original_recorded() {
    let folder = "tests/data/robotswarmsimulator/differences";
    let files = std::fs::read_dir(path(folder)).unwrap().map(|file| file.unwrap().file_name().into_string().unwrap());
    let mut names: Vec<_> = files.filter_map(|file| Some(file.strip_suffix(".json")?.to_owned())).collect();
    names.sort();
    assert!(!names.is_empty());
    for name in names {
        let facts = facts(&format!("robotswarmsimulator/differences/{name}.json"));
        let mut simulation = Simulation::new(&imported(&format!("differences/{name}")).scene).unwrap();
        let steps = facts["poses"].as_array().unwrap().len();
        let mut first = None;
        for step in 0..steps {
            if step == steps / 2 {
                let snapshot = simulation.snapshot();
                let restored = Simulation::new(simulation.scene()).unwrap();
                first = Some(std::mem::replace(&mut simulation, restored));
                simulation.restore(&snapshot).unwrap();
            }
            let what = format!("{name}, step {step}");
            assert_poses(&simulation, &facts["poses"][step], &what);
            if step > 0 {
                assert_readings(&simulation, &facts["readings"][step], &what);
                assert_metrics(&simulation, &facts["metrics"][step - 1], &what);
            }
            simulation.step(1);
            if let Some(first) = &mut first {
                first.step(1);
                assert_eq!(simulation.hash(), first.hash(), "{what}, continued from a snapshot");
            }
        }
    }
}

/// Whether two numbers agree within 1e-9; a missing one is not a number.
fn agrees(ours: f64, recorded: &Value) -> bool {
    let recorded = match recorded {
        Value::Bool(on) => f64::from(u8::from(*on)),
        other => other.as_f64().unwrap_or(f64::NAN),
    };
    ours == recorded
        || (ours.is_nan() && recorded.is_nan())
        || (ours - recorded).abs() <= 1e-9 * recorded.abs().max(1.0)
}

fn assert_readings(simulation: &Simulation, recorded: &Value, what: &str) {
    for (agent, recorded) in simulation.agents().zip(recorded.as_array().unwrap()) {
        for (reading, recorded) in agent.readings().zip(recorded.as_array().unwrap()) {
            let agree = match recorded {
                Value::Array(recorded) => reading.iter().zip(recorded).all(|(ours, recorded)| agrees(*ours, recorded)),
                one => reading.iter().all(|ours| agrees(*ours, one)),
            };
            assert!(agree, "{what}: {} reads {reading:?} instead of {recorded}", agent.name());
        }
    }
}

/// Compares the first column of each metric.
fn assert_metrics(simulation: &Simulation, recorded: &Value, what: &str) {
    let mut columns: Vec<_> = simulation.metric_columns().into_iter().zip(simulation.metrics()).collect();
    columns.dedup_by(|(later, _), (first, _)| later.split_once('.').is_some_and(|(name, _)| first.starts_with(name)));
    for ((column, ours), recorded) in columns.iter().zip(recorded.as_array().unwrap()) {
        assert!(agrees(*ours, &recorded[1]), "{what}: {column} is {ours} instead of {recorded}");
    }
}

/// Compares a world with its recorded trace at every step; gives who was pushed in each.
fn follows(name: &str, steps: usize) -> Vec<Vec<bool>> {
    let imported = imported(name);
    assert_eq!(imported.warnings, []);
    let facts = facts(&format!("robotswarmsimulator/{name}.json"));
    let mut simulation = Simulation::new(&imported.scene).unwrap();
    let mut pushed = Vec::new();
    for step in 0..=steps {
        let recorded: Vec<Vec<f64>> = facts["sensors"][step].as_array().unwrap().iter().map(numbers).collect();
        let read: Vec<Vec<f64>> =
            simulation.agents().map(|agent| agent.readings().flatten().copied().collect()).collect();
        assert_eq!(read, recorded, "readings after step {step}");
        assert_poses(&simulation, &facts["pose"][step], &format!("step {step}"));
        pushed.push(simulation.world().arena().space.bodies.pushed().to_vec());
        simulation.step(1);
    }
    pushed
}

fn imported(name: &str) -> Imported {
    let file = format!("tests/data/robotswarmsimulator/{name}.yaml");
    assert!(import::can_import(&path(&file)));
    import::import(Recipe::standard().kinds(), &file, text(&file)).unwrap()
}

#[test]
fn overlapping_pairs_separate_as_recorded() {
    for case in facts("robotswarmsimulator/trace07_pair_collision.json")["cases"].as_array().unwrap() {
        let agent = |index: usize| {
            let at = numbers(&case[format!("p{index}")]);
            let radius = case[format!("r{index}")].as_f64().unwrap();
            format!("(name: \"a{index}\", at: [({:?}, {:?}, 0)], body: Disc(radius_m: {radius:?}))", at[0], at[1])
        };
        let mut simulation = simulation_of(&format!(
            "(order: Sequential, overlap_resolution: Classic, groups: [{}, {}])",
            agent(0),
            agent(1)
        ));
        simulation.step(1);
        for (index, agent) in simulation.agents().enumerate() {
            let recorded = numbers(&case[format!("after{index}")]);
            let off = agent.pose.position_m - DVec2::from_slice(&recorded);
            assert!(off.length() < 1e-12, "{case}: {off}");
        }
    }
}

#[test]
fn spawners_draw_what_the_original_draws() {
    let imported = imported("trace11_spawners");
    assert_eq!(imported.warnings, []);
    let facts = facts("robotswarmsimulator/trace11_spawners.json");
    let recorded = facts["agents"].as_array().unwrap();
    let simulation = Simulation::new(&imported.scene).unwrap();
    let poses = recorded.iter().map(|agent| agent["pose"].clone()).collect();
    assert_poses(&simulation, &Value::Array(poses), "spawned");
    let mut chains = simulation.world().try_query::<(&StableId, &Chain)>().unwrap();
    let mut chains: Vec<_> = chains.iter(simulation.world()).collect();
    chains.sort_unstable_by_key(|(id, _)| **id);
    for ((_, chain), agent) in chains.iter().zip(recorded) {
        let mut expected = Pcg64::new(agent["agent_seed"].as_u64().unwrap());
        for seed in agent["sensor_seeds"].as_array().unwrap() {
            assert_eq!(expected.next_seed(), seed.as_u64().unwrap());
        }
        assert_eq!(chain.0, expected);
    }
    assert_eq!(chains.len(), recorded.len());
}

/// The statistic of 60 runs: stock has a mean of 0.685 and a spread of 0.100.
#[test]
fn robots_from_one_point_come_to_mill_as_often_as_in_the_original() {
    let world = "type: RectangularWorld\nsize: [10, 10]\ntime_step: !np 1 / 40\nseed: 0\nmetrics: [{type: Circliness}]
spawners: [{type: PointAgentSpawner, n: 6, facing: away, avoid_overlap: true, agent: {type: MazeAgent,
  position: [5, 5], agent_radius: 0.1, sensors: [{type: BinaryFOVSensor, theta: 0.45, distance: 2}],
  controller: {type: BinaryController, a: [0.27, -0.6], b: [0.27, 0.6]}}}]";
    let scene = import::import(Recipe::standard().kinds(), "mill.yaml", world).unwrap().scene;
    let circliness = |seed| {
        let mut simulation = Simulation::new(&Scene { seed, ..scene.clone() }).unwrap();
        simulation.step(600);
        simulation.metrics()[0]
    };
    let values: Vec<f64> = (0..60).map(circliness).collect();
    let mean = values.iter().sum::<f64>() / 60.0;
    let spread = (values.iter().map(|value| (value - mean).powi(2)).sum::<f64>() / 59.0).sqrt();
    assert!((mean - 0.685).abs() < 0.05 && (0.06..0.15).contains(&spread), "{mean} ± {spread}");
}

fn assert_poses(simulation: &Simulation, recorded: &Value, what: &str) {
    assert_eq!(simulation.agents().count(), recorded.as_array().unwrap().len());
    for (agent, recorded) in simulation.agents().zip(recorded.as_array().unwrap()) {
        let recorded = numbers(recorded);
        let (position, heading) = (agent.pose.position_m, agent.pose.heading_rad);
        let off = [position.x - recorded[0], position.y - recorded[1], heading - recorded[2]];
        assert!(off.iter().all(|off| off.abs() < 1e-9), "{what}: agent {} is off by {off:?}", agent.name());
    }
}

/// The 2,000 rows of the table; the sensor kind itself, in a simulation, with noise-free first readings.
#[test]
fn the_field_of_view_agrees_with_the_recorded_predicate() {
    let facts = facts("robotswarmsimulator/trace08_fov_table.json");
    let mut rows = 0;
    for row in facts["rows"].as_array().unwrap() {
        let row = numbers(row);
        let &[ox, oy, heading, half_angle, bias, range, tx, ty, radius, expected, _, margin] = &row[..] else {
            panic!("{row:?}")
        };
        rows += 1;
        if margin >= 1e-9 {
            let sensor = format!("range_m: {range:?}, half_angle_rad: {half_angle:?}, bearing_rad: {bias:?}");
            let sees = sees([ox, oy, heading], 0.01, &sensor, [tx, ty], radius, "");
            assert_eq!(sees, expected > 0.5, "{row:?}");
        }
    }
    assert_eq!(rows, 2000);
}

/// All cases, those of a later version included: as a scene of ours, and as a world of theirs.
#[test]
fn the_field_of_view_agrees_with_the_tests_of_the_original() {
    let facts = facts("robotswarmsimulator/blackbox_fov_tests.json");
    let cases = facts["cases"].as_array().unwrap();
    assert_eq!(cases.len(), 37);
    for case in cases {
        let expected = case["result_at_head"].as_bool().or(case["expected_in_file"].as_bool()).unwrap();
        let (observer, sensor, target) = (&case["observer"], &case["sensor"], &case["target"]);
        let (from, to) = (numbers(&observer["pos"]), numbers(&target["pos"]));
        let centers_only = sensor["detect_only_origins"].as_bool().unwrap_or(false);
        let team = sensor["target_team"].as_str().unwrap_or_default();
        let parameters = format!(
            "range_m: {:?}, half_angle_rad: {:?}, bearing_rad: {:?}, centers_only: {centers_only}, sight: (team: {team:?})",
            sensor["distance"].as_f64().unwrap(),
            sensor["theta"].as_f64().unwrap(),
            sensor["bias"].as_f64().unwrap(),
        );
        let sees = sees(
            [from[0], from[1], observer["angle"].as_f64().unwrap()],
            observer["radius"].as_f64().unwrap(),
            &parameters,
            [to[0], to[1]],
            target["radius"].as_f64().unwrap(),
            target["team"].as_str().unwrap_or_default(),
        );
        assert_eq!(sees, expected, "{case}");
        // Two agents may have the same name: the first is the one that looks.
        let name = target["name"].as_str().unwrap_or("agent");
        let world = format!(
            "{{type: RectangularWorld, size: [5, 5], seed: 1, agents: [
                {{type: MazeAgent, name: {name}, position: {}, angle: {}, agent_radius: {},
                    sensors: [{{type: BinaryFOVSensor, theta: {}, distance: {}, bias: {},
                        target_team: {}, detect_only_origins: {centers_only}}}]}},
                {{type: MazeAgent, name: {name}, position: {}, agent_radius: {}, team: {}}}]}}",
            observer["pos"],
            observer["angle"],
            observer["radius"],
            sensor["theta"],
            sensor["distance"],
            sensor["bias"],
            sensor["target_team"],
            target["pos"],
            target["radius"],
            target["team"],
        );
        let imported = import::import(Recipe::standard().kinds(), "case.yaml", &world).unwrap();
        let mut simulation = Simulation::new(&imported.scene).unwrap();
        simulation.step(1);
        let read: Vec<f64> = simulation.agent(0).unwrap().readings().flatten().copied().collect();
        assert_eq!(read, [f64::from(expected)], "imported: {case}");
    }
}

fn sees(
    [x, y, heading]: [f64; 3],
    radius: f64,
    sensor: &str,
    [target_x, target_y]: [f64; 2],
    target_radius: f64,
    target_team: &str,
) -> bool {
    let simulation = simulation_of(&format!(
        "(groups: [
            (name: \"observer\", at: [({x:?}, {y:?}, {heading:?})], body: Disc(radius_m: {radius:?}),
                sensors: [BinaryFov({sensor})]),
            (name: \"target\", team: {target_team:?}, at: [({target_x:?}, {target_y:?}, 0.0)],
                body: Disc(radius_m: {target_radius:?})),
        ])"
    ));
    let observer = simulation.agents().next().unwrap();
    observer.readings().flatten().any(|value| *value > 0.5)
}

/// Metrics of five agents on arcs; the original counts metres per step.
#[test]
fn metrics_agree_with_the_recorded_values() {
    let facts = facts("robotswarmsimulator/trace09_metrics.json");
    let dt_s = facts["dt"].as_f64().unwrap();
    let mut groups = String::new();
    for (index, agent) in facts["agents"].as_array().unwrap().iter().enumerate() {
        let pose = numbers(&agent["pose"]);
        groups += &format!(
            "(name: \"a{index}\", at: [({:?}, {:?}, {:?})],
                controller: Constant(v_m_per_s: {}, turn_rad_per_s: {})),",
            pose[0], pose[1], pose[2], agent["v"], agent["omega"],
        );
    }
    let classic = "variant: Classic";
    let fit = |method: &str| format!("CircleFit(method: {method}, {classic})");
    let rows: Vec<(&str, String)> = [
        ("Aggregation", format!("Aggregation({classic})")),
        ("AngularMomentumBehavior", format!("AngularMomentum({classic})")),
        ("AverageSpeedBehavior", format!("AverageSpeed({classic})")),
        ("Circliness", "Circliness()".into()),
        ("DelaunayDiffusion", "DelaunayDiffusion()".into()),
        ("DistanceSizeRatio", format!("DistanceSizeRatio({classic})")),
        ("ExplodingDispersion", "ExplodingDispersion()".into()),
        ("Fatness", "Fatness()".into()),
        ("Fatness2", "Fatness2()".into()),
        ("GroupRotationBehavior", format!("GroupRotation({classic})")),
        ("InstantHyperLSQCircularity", fit("HyperLsq")),
        ("InstantHyperSVDCircularity", fit("Hyper")),
        ("InstantKMHCircularity", fit("Consistent")),
        ("InstantLSQCircularity", fit("Geometric")),
        ("InstantPrattSVDCircularity", fit("Pratt")),
        ("InstantRiemannCircularity", fit("Riemann")),
        ("InstantTaubinSVDCircularity", fit("Taubin")),
        ("InteragentDispersion", "InteragentDispersion()".into()),
        ("RadialVarianceMetric", format!("RadialVariance({classic})")),
        ("RoutRin", "RoutRin()".into()),
        ("ScatterBehavior", "Scatter()".into()),
        ("Tangentness", "Tangentness()".into()),
        ("TotalCollisionsBehavior", "TotalCollisions()".into()),
        ("ConvexHull", "ConvexHull()".into()),
        ("InverseConvexHull", "InverseConvexHull()".into()),
        ("Centroid", "Centroid()".into()),
        ("Orbit", "Orbit()".into()),
    ]
    .into();
    let recorded = facts["metrics"].as_object().unwrap();
    assert!(recorded.keys().all(|name| rows.iter().any(|(known, _)| known == name)) && recorded.len() == rows.len());
    let metrics: Vec<String> = rows
        .iter()
        .map(|(name, kind)| format!("{}, label: {name:?})", &kind[..kind.len() - 1]).replace("(,", "("))
        .collect();
    let mut simulation = simulation_of(&format!(
        "(arena: (size_m: (10.0, 8.0)), time: (dt_s: {dt_s}), groups: [{groups}], metrics: [{}])",
        metrics.join(", "),
    ));
    for step in 0..3 {
        simulation.step(1);
        let values: Vec<(String, f64)> = simulation.metric_columns().into_iter().zip(simulation.metrics()).collect();
        for (name, metric) in recorded {
            let recorded = &metric["values_after_step_1_2_3"][step];
            let recorded = recorded.as_f64().map_or_else(|| numbers(recorded), |number| vec![number]);
            let ours = values.iter().filter(|(column, _)| column.split('.').next() == Some(name));
            for (recorded, (_, value)) in recorded.iter().zip(ours) {
                let off = (value - recorded).abs() / recorded.abs().max(1.0);
                assert!(off < 1e-9, "{name} after step {}: {value} instead of {recorded}", step + 1);
            }
        }
    }
}

#[test]
fn metrics_in_si_units_differ_by_the_length_of_a_step() {
    let of = |variant: &str| {
        let mut simulation = simulation_of(&format!(
            "(groups: [(name: \"a\", at: [(4, 4, 0.3), (6, 5, 1)],
                controller: Constant(v_m_per_s: 0.4, turn_rad_per_s: 0.5))],
                metrics: [AverageSpeed({variant}), GroupRotation({variant}), AngularMomentum({variant})])"
        ));
        simulation.step(3);
        (simulation.metrics(), simulation.metric_columns())
    };
    let ((si, columns), (classic, classic_columns)) = (of(""), of("variant: Classic"));
    for (si, classic) in si.iter().zip(&classic) {
        assert!((si * 0.025 - classic).abs() < 1e-15, "{si} {classic}");
    }
    assert_eq!(columns[0].as_str(), "average_speed_m_per_s");
    assert_eq!(classic_columns[0].as_str(), "average_speed_m_per_step");
}

//! Agreement with the numbers of the Swarm Robot Project Simulator: consensus and formations.

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium::prelude::{Command, Controller, Heard, MotionModel, Senses};
use swarmarium_base::id::StableId;
use swarmarium_core::agent::Pose;
use swarmarium_core::motion::differential_drive::{DifferentialDrive, WheelSaturation, Wheels};
use swarmarium_core::motion::double_integrator::{DoubleIntegrator, Momentum};
use swarmarium_core::motion::holonomic::Holonomic;
use swarmarium_core::radio::consensus::{Consensus, Estimator, Opinion, Weights};
use swarmarium_core::radio::loss::rice::Rice;
use swarmarium_core::radio::{Loss, Packet};
use swarmarium_core::state::NoMemory;
use swarmarium_core::time::SimTime;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_kinds::controller::formation::{Formation, Goal, InFormation};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::Simulation;
use swarmarium_space::Ellipse;

use crate::support::{facts, number, numbers, scene_of, simulation_of};

mod accelerating;
mod asynchronous;

/// With wheels of 20.5 mm radius that turn once a second at most.
const E_PUCK: DifferentialDrive = DifferentialDrive {
    axle_m: 0.053,
    max_wheel_m_per_s: 0.0205 * std::f64::consts::TAU,
    min_wheel_m_per_s: 0.0,
    wheel_radius_m: 0.0205,
    speed_step_rad_per_s: 0.0,
    saturation: WheelSaturation::ClipWheels,
};

fn trace_of(name: &str) -> Value {
    facts(&format!("swarm_robot_project/{name}.json"))
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn assert_near(found: &[f64], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-9, "{what}: {found}, not {expected}");
    }
}

fn consensus_of(gamma_per_s: f64, kp_per_s: f64, ki_per_s: f64) -> Consensus {
    Consensus { estimator: Estimator::Pi { gamma_per_s, kp_per_s, ki_per_s }, weights: Weights::PerEdge }
}

/// The packet with what a robot tells.
fn packet(consensus: &Consensus, robot: usize, opinion: &Opinion) -> Packet {
    let mut numbers = Vec::new();
    consensus.tell(opinion, &mut numbers);
    Packet { sender: robot as u32, numbers: numbers.into(), ..Packet::default() }
}

#[test]
fn consensus_follows_the_recorded_estimates() {
    let facts = trace_of("estimator_only_N8");
    let consensus = consensus_of(number(&facts["gamma"]), number(&facts["kp_edge"]), number(&facts["ki_edge"]));
    let trace = facts["trace"].as_array().unwrap();
    let places = rows(&trace[0]["p"]);
    let mut opinions: Vec<_> = rows(&trace[0]["v"]).iter().map(|first| Opinion::new(first)).collect();
    let mut step = 0;
    for recorded in trace {
        while step < recorded["k"].as_u64().unwrap() {
            let told: Vec<_> = opinions.iter().enumerate().map(|(robot, own)| packet(&consensus, robot, own)).collect();
            for (robot, opinion) in opinions.iter_mut().enumerate() {
                let heard: Vec<_> = told.iter().filter(|packet| packet.sender as usize != robot).cloned().collect();
                let (x, y) = (places[robot][0], places[robot][1]);
                consensus.update(opinion, &[x, y, x * x, x * y, y * y], &heard, number(&facts["dt"]));
            }
            step += 1;
        }
        for (robot, (v, w)) in rows(&recorded["v"]).iter().zip(rows(&recorded["w"])).enumerate() {
            assert_near(&opinions[robot].estimate, v, &format!("v of {robot} at {step}"));
            assert_near(&opinions[robot].hidden, &w, &format!("w of {robot} at {step}"));
        }
    }
}

/// Robots that all send at every step, through the whole of a simulation.
fn follows(name: &str) {
    let facts = trace_of(name);
    let goal = numbers(&facts["goal"]);
    // Traces of old begin with places alone.
    let places = rows(&facts["initial_positions"]);
    let at: Vec<_> = places.iter().map(|place| format!("({:?}, {:?}, 0.3)", place[0], place[1])).collect();
    let max_speed = facts["v_max"].as_f64().unwrap_or(1000.0);
    let mut simulation = simulation_of(&format!(
        "(time: (dt_s: {dt}), groups: [(name: \"r\", at: [{at}], body: Disc(radius_m: 0.000001),
            motion: Holonomic(),
            controller: Formation(
                goal: {goal}, centered: false, k1_per_s: {k1}, k2: {k2}, max_speed_m_per_s: {max_speed:?},
                consensus: (weights: PerEdge,
                    estimator: Pi(gamma_per_s: {gamma}, kp_per_s: {kp}, ki_per_s: {ki})),
            ),
            radio: ({air}, schedule: Periodic(period_s: {dt})))])",
        goal = goal_text(&goal),
        air = air(&facts["neighbours"]),
        at = at.join(", "),
        dt = facts["dt"],
        k1 = facts["k1"],
        k2 = facts["k2"],
        gamma = facts["gamma"],
        kp = facts["kp_edge"],
        ki = facts["ki_edge"],
    ));
    for recorded in facts["trace"].as_array().unwrap() {
        let step = recorded["k"].as_u64().unwrap();
        simulation.step(step - simulation.steps());
        let places = rows(&recorded["p"]);
        for (robot, agent) in simulation.agents().enumerate() {
            let what = format!("{name}, robot {robot} at step {step}");
            assert_near(&agent.pose.position_m.to_array(), &places[robot], &what);
        }
        if step > 0 {
            for (robot, (v, w)) in rows(&recorded["v"]).iter().zip(rows(&recorded["w"])).enumerate() {
                let opinion = opinion(&simulation, robot);
                assert_near(&opinion.estimate, v, &format!("{name}, v of {robot} at step {step}"));
                assert_near(&opinion.hidden, &w, &format!("{name}, w of {robot} at step {step}"));
            }
        }
    }
}

fn goal_text(goal: &[f64]) -> String {
    let [x, y, xx, xy, yy] = goal else { panic!("{goal:?}") };
    format!("Moments(mean_m: ({x:?}, {y:?}), xx_m2: {xx:?}, xy_m2: {xy:?}, yy_m2: {yy:?})")
}

/// The radio of robots that hear their neighbours only, or everybody.
fn air(neighbours: &Value) -> String {
    let Some(neighbours) = neighbours.as_array() else { return "loss: Perfect()".into() };
    let heard = neighbours.iter().enumerate().flat_map(|(to, heard)| {
        let link = move |from: f64| format!("(from: \"r-{from}\", to: \"r-{to}\", loss: Perfect())");
        numbers(heard).into_iter().map(link)
    });
    format!("loss: Bernoulli(probability: 1.0), links: [{}]", heard.collect::<Vec<_>>().join(", "))
}

fn opinion(simulation: &Simulation, robot: usize) -> Opinion {
    let mut query = simulation.world().try_query::<(&StableId, &InFormation)>().unwrap();
    let mut all = query.iter(simulation.world());
    all.find(|(id, _)| **id == StableId::agent(robot as u32)).unwrap().1.opinion.clone()
}

#[test]
fn six_robots_near_their_goal_follow_the_recorded_trace() {
    follows("sync_N6_all_nosat");
}

#[test]
fn eight_robots_far_from_their_goal_follow_the_recorded_trace() {
    follows("sync_N8_all_sat");
}

#[test]
fn robots_in_a_ring_of_links_follow_the_computed_trace() {
    follows("ring_N10");
}

#[test]
fn robots_with_moments_about_a_point_far_off_follow_the_computed_trace() {
    follows("offset_goal_N8");
}

/// Six robots of a formation that lose most packets. The second robot dies after one second.
fn formation_of(controller: &str) -> Simulation {
    simulation_of(&format!(
        "(time: (dt_s: 0.02), metrics: [FormationError()], faults: [(at_s: 1.0, target: \"r-1\")],
            groups: [(name: \"r\", count: 6, spawn: UniformSquare(side_m: 1.0), body: Disc(radius_m: 0.01),
            motion: Holonomic(), controller: Formation({controller}),
            radio: (loss: Bernoulli(probability: 0.9), schedule: Periodic(period_s: 0.1)))])"
    ))
}

#[test]
fn robots_begin_with_the_first_estimates_of_the_scene() {
    // Without gains, robots keep their first estimates.
    let first = |first: &str| {
        let keeps = "consensus: (estimator: P(gamma_per_s: 0.0, kp_per_s: 0.0))";
        let mut simulation = formation_of(&format!("centered: false, first: {first}, {keeps}"));
        let DVec2 { x, y } = simulation.agent(0).unwrap().pose.position_m;
        simulation.step(20);
        (simulation.agent(0).unwrap().estimate().to_vec(), x, y)
    };
    let (position, x, y) = first("Position");
    assert_near(&position, &[x, y, 0.0, 0.0, 0.0], "position");
    let (own, x, y) = first("OwnMoments");
    assert_near(&own, &[x, y, x * x, x * y, y * y], "moments");
    let (given, ..) = first("Moments(mean_m: (1.0, 2.0), xx_m2: 3.0, xy_m2: -4.0, yy_m2: 5.0)");
    assert_near(&given, &[1.0, 2.0, 3.0, -4.0, 5.0], "given");
}

#[test]
fn a_perfect_estimator_is_exact_with_any_packet_loss() {
    let mut simulation = formation_of("consensus: (estimator: Perfect)");
    for step in 0..100 {
        // The dead are not part of the truth, as they are none of the error.
        let living = simulation.agents().filter(|agent| !agent.is_dead());
        let places: Vec<DVec2> = living.map(|agent| agent.pose.position_m - DVec2::splat(5.0)).collect();
        simulation.step(1);
        let mean = |of: fn(&DVec2) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
        let truth = [mean(|p| p.x), mean(|p| p.y), mean(|p| p.x * p.x), mean(|p| p.x * p.y), mean(|p| p.y * p.y)];
        let living = simulation.agents().filter(|agent| !agent.is_dead());
        // Faults come at the start of a step.
        for agent in living.filter(|_| places.len() == if step < 49 { 6 } else { 5 }) {
            assert_near(agent.estimate(), &truth, "the estimate of a robot");
        }
    }
    assert_eq!(simulation.agents().filter(|agent| agent.is_dead()).count(), 1);
    let error = |estimator: &str| {
        let mut simulation = formation_of(&format!("consensus: (estimator: {estimator})"));
        simulation.step(6000);
        simulation.metrics()[0]
    };
    let (perfect, heard) = (error("Perfect"), error("Pi(gamma_per_s: 1.0, kp_per_s: 2.0, ki_per_s: 1.5)"));
    assert!(perfect < 1e-3 && perfect < heard, "{perfect}, {heard}");
}

#[test]
fn wheel_commands_of_formations_follow_the_recorded_ones() {
    let cases = trace_of("diff_drive_tests");
    for case in cases.as_array().unwrap() {
        let (u, heading_rad) = (numbers(&case["u"]), number(&case["angle"]));
        let pose = Pose { position_m: DVec2::ZERO, heading_rad };
        let command = Command::Course { x_m_per_s: u[0], y_m_per_s: u[1], turn_rad_per_s: 0.0 };
        let after = E_PUCK.integrate(&mut Wheels::default(), &pose, &command, 0.02);
        let found = [after.position_m.x, after.position_m.y, after.heading_rad];
        assert_near(&found, &numbers(&case["after_20ms"]), &case.to_string());
    }
}

#[test]
fn goals_are_the_recorded_ellipses() {
    for case in trace_of("ellipse_tests").as_array().unwrap() {
        let (goal, ellipse) = (numbers(&case["goal"]), numbers(&case["ellipse"]));
        // The file draws an ellipse `k` standard deviations large.
        let semi = DVec2::new(ellipse[2], ellipse[3]) / number(&case["k"]);
        let drawn =
            Goal::Ellipse { center_m: DVec2::new(ellipse[0], ellipse[1]), std_dev_m: semi, angle_rad: ellipse[4] };
        let given =
            Goal::Moments { mean_m: DVec2::new(goal[0], goal[1]), xx_m2: goal[2], xy_m2: goal[3], yy_m2: goal[4] };
        let ((center, spread), (mean, expected)) = (drawn.moments(), given.moments());
        assert_near(&center.to_array(), &mean.to_array(), &case.to_string());
        assert_near(&spread, &expected, &case.to_string());
        let Ellipse { center, semi_axes, angle } = given.ellipse().unwrap();
        let found = [center.x, center.y, semi_axes.x, semi_axes.y, angle];
        assert_eq!(number(&case["k"]), 2.0, "as large as ellipses are drawn");
        // Variances are squares: of a thin ellipse the last digits are gone.
        assert_near(&found, &ellipse, &case.to_string());
    }
}

/// Eight robots with the radios of the project, and the loss that is asked for.
fn formation(loss: &str, estimator: &str, motion: &str, seed: u64) -> Simulation {
    simulation_of(&format!(
        "(seed: {seed}, time: (dt_s: 0.02), delivery: SameStep, groups: [(name: \"r\", count: 8,
            spawn: UniformBox(min_m: (5.7, 5.4), max_m: (6.3, 6.0)), body: Disc(radius_m: 0.000001),
            motion: {motion}, controller: Formation(consensus: (estimator: {estimator})),
            radio: (loss: {loss}))], metrics: [FormationError()])"
    ))
}

#[test]
fn robots_form_the_ellipse_although_half_of_their_packets_are_lost() {
    let holonomic = "Holonomic()";
    let wheels = "DifferentialDrive(axle_m: 0.053, max_wheel_m_per_s: 0.1288)";
    for (loss, motion, seed) in [
        ("Perfect()", holonomic, 1),
        ("Bernoulli(probability: 0.5)", holonomic, 2),
        ("Rice(range_m: 2.0)", holonomic, 3),
        ("Bernoulli(probability: 0.5)", wheels, 4),
    ] {
        let mut simulation = formation(loss, "Pi(gamma_per_s: 1.0, kp_per_s: 2.0, ki_per_s: 1.5)", motion, seed);
        simulation.step(60 * 50);
        assert!(simulation.metrics()[0] < 0.05, "{loss}, {motion}: {}", simulation.metrics()[0]);
    }
    let mut p_only = formation("Perfect()", "P(gamma_per_s: 1.0, kp_per_s: 2.0)", holonomic, 1);
    p_only.step(60 * 50);
    assert!(p_only.metrics()[0] > 0.3, "without its integral part it stays off: {}", p_only.metrics()[0]);
}

#[test]
fn two_formations_need_separate_channels() {
    let errors = |channel: u32| {
        let group = |name: &str, x_m: f64, channel: u32| {
            format!(
                "(name: \"{name}\", count: 6, spawn: UniformSquare(center_m: Some(({x_m:?}, 5.0)), side_m: 0.6),
                    body: Disc(radius_m: 0.000001), motion: Holonomic(),
                    controller: Formation(goal: Ellipse(center_m: ({x_m:?}, 5.0), std_dev_m: (0.35, 0.2), angle_rad: 0.5)),
                    radio: (loss: Bernoulli(probability: 0.2), channel: {channel}))"
            )
        };
        let mut simulation = simulation_of(&format!(
            "(time: (dt_s: 0.02), delivery: SameStep, groups: [{}, {}],
                metrics: [FormationError(of: \"a\"), FormationError(of: \"b\")])",
            group("a", 4.0, 0),
            group("b", 6.0, channel),
        ));
        simulation.step(60 * 50);
        simulation.metrics()
    };
    assert!(errors(1).iter().all(|error| *error < 0.05), "{:?}", errors(1));
    assert!(errors(0).iter().all(|error| *error > 0.2), "each takes the others for its own: {:?}", errors(0));
}

#[test]
fn bad_formations_are_refused() {
    let refused = |group: &str| {
        let text = format!("(groups: [(name: \"r\", motion: Holonomic(), {group})])");
        let scene: Scene = scene_of(&text);
        Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default()
    };
    let silent = refused("controller: Formation()");
    assert!(silent.contains("groups[0].controller: Formation needs a radio, and there is none"), "{silent}");
    let line = "goal: Moments(mean_m: (0.0, 0.0), xx_m2: 0.1, xy_m2: 0.1, yy_m2: 0.1)";
    let line = refused(&format!("controller: Formation({line}), radio: ()"));
    assert!(line.contains("groups[0].controller: no ellipse has these moments"), "{line}");
    assert_eq!(refused("controller: Formation(), radio: ()"), "");
}

//! Agreement with the numbers of the Swarm Robot Project Simulator: consensus and formations.

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium::Simulation;
use swarmarium::agent::Pose;
use swarmarium::agent::motion::differential_drive::DifferentialDrive;
use swarmarium::controller::formation::{Formation, Goal, InFormation};
use swarmarium::id::StableId;
use swarmarium::prelude::{Command, Controller, Heard, MotionModel, Senses};
use swarmarium::radio::Packet;
use swarmarium::radio::consensus::{Consensus, Estimator, Opinion, Weights};
use swarmarium::scene::Scene;
use swarmarium::scene::reader;
use swarmarium::space::Ellipse;
use swarmarium::step::SimTime;

use crate::support::{facts, numbers, simulation_of};

fn trace_of(name: &str) -> Value {
    facts(&format!("swarm_robot_project/{name}.json"))
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn number(value: &Value) -> f64 {
    value.as_f64().unwrap()
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
    Packet { sender: robot as u32, sent_step: 0, numbers }
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
    let at: Vec<_> = rows(&facts["initial_positions"])
        .iter()
        .map(|place| format!("({:?}, {:?}, 0.3)", place[0], place[1]))
        .collect();
    let max_speed = facts["v_max"].as_f64().unwrap_or(1000.0);
    let mut simulation = simulation_of(&format!(
        "(time: (dt_s: {dt}), groups: [(name: \"r\", at: [{at}], body: Disc(radius_m: 0.000001),
            motion: Holonomic(frame: World),
            controller: Formation(
                goal: Moments(mean_m: ({:?}, {:?}), xx_m2: {:?}, xy_m2: {:?}, yy_m2: {:?}),
                centered: false, k1_per_s: {k1}, k2: {k2}, max_speed_m_per_s: {max_speed:?},
                consensus: (weights: PerEdge,
                    estimator: Pi(gamma_per_s: {gamma}, kp_per_s: {kp}, ki_per_s: {ki})),
            ),
            radio: (loss: Perfect(), turns: Fixed(period_s: {dt})))])",
        goal[0],
        goal[1],
        goal[2],
        goal[3],
        goal[4],
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

/// The generator of the recorded traces (Steele, Lea, Flood 2014).
struct SplitMix64(u64);

impl SplitMix64 {
    fn draw(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 / (1_u64 << 53) as f64
    }

    fn whole(&mut self, low: u64, high: u64) -> u64 {
        low + (self.unit() * (high - low + 1) as f64).floor() as u64
    }
}

#[test]
fn the_generator_of_the_traces_is_the_published_one() {
    let facts = trace_of("prng_splitmix64");
    let mut random = SplitMix64(facts["seed"].as_u64().unwrap());
    for expected in facts["u64"].as_array().unwrap() {
        assert_eq!(random.draw().to_string(), expected.as_str().unwrap());
    }
    let mut random = SplitMix64(facts["seed"].as_u64().unwrap());
    for expected in numbers(&facts["f64"]) {
        assert_eq!(random.unit(), expected);
    }
}

/// A robot of the asynchronous trace.
struct Robot {
    pose: Pose,
    memory: InFormation,
    packets: Vec<Packet>,
    velocity: DVec2,
    wait: u64,
    last: u64,
}

/// With the random numbers of the trace in place of ours: the same controller, packets and order of the step.
#[test]
fn robots_without_a_common_clock_follow_the_recorded_trace() {
    let facts = trace_of("async_N8_noloss");
    let parameter = |name: &str| number(&facts["params"][name]);
    let count = parameter("N") as usize;
    let goal = numbers(&facts["goal"]);
    let per_edge = |total: &str| parameter(total) / count as f64;
    let goal = Goal::Moments { mean_m: DVec2::new(goal[0], goal[1]), xx_m2: goal[2], xy_m2: goal[3], yy_m2: goal[4] };
    let formation = Formation {
        goal,
        centered: false,
        k1_per_s: parameter("K1"),
        k2: Some(parameter("K2")),
        max_speed_m_per_s: parameter("V_MAX"),
        consensus: consensus_of(parameter("GAMMA"), per_edge("KP_TOTAL"), per_edge("KI_TOTAL")),
        ..Formation::default()
    };
    let (dt_s, side, limit) = (parameter("DT"), parameter("SIDE"), parameter("PACKET_AGE_LIMIT") as u64);
    let (wait_min, wait_max) = (parameter("WAIT_MIN") as u64, parameter("WAIT_MAX") as u64);
    let center = numbers(&facts["center"]);
    let mut random = SplitMix64(facts["seed"].as_u64().unwrap());
    let mut robots: Vec<Robot> = (0..count)
        .map(|_| {
            let x_m = center[0] + side * (random.unit() - 0.5);
            let y_m = center[1] + side * (random.unit() - 0.5);
            let pose = Pose { position_m: DVec2::new(x_m, y_m), heading_rad: std::f64::consts::TAU * random.unit() };
            let wait = random.whole(0, wait_max);
            Robot { pose, memory: InFormation::default(), packets: Vec::new(), velocity: DVec2::ZERO, wait, last: 0 }
        })
        .collect();
    let (mut step, mut sent) = (0, 0);
    for recorded in facts["trace"].as_array().unwrap() {
        while step < recorded["k"].as_u64().unwrap() {
            step += 1;
            for robot in &mut robots {
                robot.pose.position_m += dt_s * robot.velocity;
                robot.packets.retain(|packet| packet.age_steps(step) <= limit);
            }
            for own in 0..count {
                if step - robots[own].last < robots[own].wait {
                    continue;
                }
                let time = SimTime { step, dt_s };
                let Robot { pose, memory, packets, last, .. } = &mut robots[own];
                let heard = Heard { packets, turn: Some(step - *last) };
                let senses = Senses { pose, time: &time, heard, owner: StableId::agent(own as u32), ..Senses::of(&[]) };
                let mut numbers = Vec::new();
                formation.message(memory, senses, &mut numbers);
                let command = formation.command(memory, senses);
                robots[own].last = step;
                let packet = Packet { sender: own as u32, sent_step: step, numbers };
                for other in (0..count).filter(|other| *other != own) {
                    assert!(random.unit() < 1.0);
                    sent += 1;
                    let packets = &mut robots[other].packets;
                    packets.retain(|packet| packet.sender != own as u32);
                    packets.push(packet.clone());
                }
                let Command::Velocity { x_m_per_s, y_m_per_s, .. } = command else { panic!("{command:?}") };
                robots[own].velocity = DVec2::new(x_m_per_s, y_m_per_s);
                robots[own].wait = random.whole(wait_min, wait_max);
            }
        }
        let what = |name: &str, own: usize| format!("{name} of {own} at step {step}");
        for (own, robot) in robots.iter().enumerate() {
            assert_near(&robot.pose.position_m.to_array(), &rows(&recorded["p"])[own], &what("place", own));
            assert_near(&robot.velocity.to_array(), &rows(&recorded["u"])[own], &what("velocity", own));
            assert_eq!(robot.wait as f64, numbers(&recorded["wait"])[own], "{}", what("wait", own));
            assert_eq!(robot.last as f64, numbers(&recorded["last"])[own], "{}", what("last", own));
            if !robot.memory.opinion.estimate.is_empty() {
                assert_near(&robot.memory.opinion.estimate, &rows(&recorded["v_own"])[own], &what("v", own));
                assert_near(&robot.memory.opinion.hidden, &rows(&recorded["w_own"])[own], &what("w", own));
            }
            for packet in &robot.packets {
                let age = rows(&recorded["age"])[own][packet.sender as usize];
                assert_eq!(packet.age_steps(step) as f64, age, "{}", what("age", own));
            }
        }
        assert_eq!(f64::from(sent), number(&recorded["rx"]), "packets received until step {step}");
        assert_eq!(random.0.to_string(), recorded["rng_state"].as_str().unwrap(), "at step {step}");
    }
}

#[test]
fn wheels_turn_as_recorded() {
    // An e-puck, with wheels of 20.5 mm radius that turn once a second at most.
    let (radius_m, axle_m) = (0.0205, 0.053);
    let robot = DifferentialDrive { axle_m, max_wheel_m_per_s: std::f64::consts::TAU * radius_m };
    let cases = trace_of("diff_drive_tests");
    for case in cases.as_array().unwrap() {
        let (u, heading_rad) = (numbers(&case["u"]), number(&case["angle"]));
        let pose = Pose { position_m: DVec2::ZERO, heading_rad };
        let command = Command::Velocity { x_m_per_s: u[0], y_m_per_s: u[1], turn_rad_per_s: 0.0 };
        let after = robot.integrate(&pose, &command, 0.02);
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
            Goal::Ellipse { center_m: DVec2::new(ellipse[0], ellipse[1]), spread_m: semi, angle_rad: ellipse[4] };
        let given =
            Goal::Moments { mean_m: DVec2::new(goal[0], goal[1]), xx_m2: goal[2], xy_m2: goal[3], yy_m2: goal[4] };
        let ((center, spread), (mean, expected)) = (drawn.spread(), given.spread());
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
            radio: (loss: {loss}))])"
    ))
}

/// How far the true moments are from the goal, in units of its size.
fn off_goal(simulation: &Simulation) -> f64 {
    let (center, spread) = Goal::default().spread();
    let size2 = (spread[0] + spread[2]) / 2.0;
    let places: Vec<_> = simulation.agents().map(|agent| agent.pose.position_m - center).collect();
    let mean = |of: fn(&DVec2) -> f64| places.iter().map(of).sum::<f64>() / places.len() as f64;
    let first = (mean(|p| p.x).powi(2) + mean(|p| p.y).powi(2)) / size2;
    let second = [mean(|p| p.x * p.x) - spread[0], mean(|p| p.x * p.y) - spread[1], mean(|p| p.y * p.y) - spread[2]];
    (first + second.iter().map(|off| (off / size2).powi(2)).sum::<f64>()).sqrt()
}

#[test]
fn robots_form_the_ellipse_although_half_of_their_packets_are_lost() {
    let holonomic = "Holonomic(frame: World)";
    let wheels = "DifferentialDrive(axle_m: 0.053, max_wheel_m_per_s: 0.1288)";
    for (loss, motion, seed) in [
        ("Perfect()", holonomic, 1),
        ("Bernoulli(loss: 0.5)", holonomic, 2),
        ("Rice(range_m: 2.0)", holonomic, 3),
        ("Bernoulli(loss: 0.5)", wheels, 4),
    ] {
        let mut simulation = formation(loss, "Pi(gamma_per_s: 1.0, kp_per_s: 2.0, ki_per_s: 1.5)", motion, seed);
        simulation.step(60 * 50);
        assert!(off_goal(&simulation) < 0.05, "{loss}, {motion}: {}", off_goal(&simulation));
    }
    let mut p_only = formation("Perfect()", "P(gamma_per_s: 1.0, kp_per_s: 2.0)", holonomic, 1);
    p_only.step(60 * 50);
    assert!(off_goal(&p_only) > 0.3, "without its integral part it stays off: {}", off_goal(&p_only));
}

#[test]
fn bad_formations_are_refused() {
    let refused = |group: &str| {
        let text = format!("(groups: [(name: \"r\", motion: Holonomic(frame: World), {group})])");
        let scene: Scene = reader::read(swarmarium::Recipe::standard().kinds(), "bad.ron", &text).unwrap();
        Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default()
    };
    let silent = refused("controller: Formation()");
    assert!(silent.contains("groups[0].controller: Formation needs a radio, and there is none"), "{silent}");
    let line = "goal: Moments(mean_m: (0.0, 0.0), xx_m2: 0.1, xy_m2: 0.1, yy_m2: 0.1)";
    let line = refused(&format!("controller: Formation({line}), radio: ()"));
    assert!(line.contains("groups[0].controller: these are the moments of no ellipse"), "{line}");
    assert_eq!(refused("controller: Formation(), radio: ()"), "");
}

//! Agreement with the numbers of the Swarm Robot Project Simulator: consensus and formations.

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium::Simulation;
use swarmarium::agent::Pose;
use swarmarium::id::StableId;
use swarmarium::kinds::controller::formation::{Formation, Goal, InFormation};
use swarmarium::kinds::{FromScene as _, Standard as _};
use swarmarium::motion::differential_drive::{DifferentialDrive, GivesWay, Wheels};
use swarmarium::motion::double_integrator::{DoubleIntegrator, Momentum};
use swarmarium::motion::holonomic::Holonomic;
use swarmarium::prelude::{Command, Controller, Heard, MotionModel, Senses};
use swarmarium::radio::consensus::{Consensus, Estimator, Opinion, Weights};
use swarmarium::radio::loss::rice::Rice;
use swarmarium::radio::{Loss, Packet};
use swarmarium::scene::{Scene, reader};
use swarmarium::space::Ellipse;
use swarmarium::state::NoMemory;
use swarmarium::time::SimTime;

use crate::support::{facts, number, numbers, simulation_of};

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
            radio: ({air}, turns: Fixed(period_s: {dt})))])",
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
    format!("loss: Bernoulli(loss: 1.0), links: [{}]", heard.collect::<Vec<_>>().join(", "))
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

/// A robot of an asynchronous trace.
struct Robot {
    pose: Pose,
    memory: InFormation,
    packets: Vec<Packet>,
    command: Command,
    wait: u64,
    last: u64,
}

impl Robot {
    /// What it knows at a turn.
    fn senses<'a>(&'a self, own: usize, time: &'a SimTime) -> Senses<'a> {
        let heard = Heard { packets: &self.packets, turn: Some(time.step - self.last) };
        Senses { pose: &self.pose, time, heard, owner: StableId::agent(own as u32), ..Senses::of(&[]) }
    }
}

/// With wheels of 20.5 mm radius that turn once a second at most.
const E_PUCK: DifferentialDrive = DifferentialDrive {
    axle_m: 0.053,
    max_wheel_m_per_s: 0.0205 * std::f64::consts::TAU,
    min_wheel_m_per_s: 0.0,
    wheel_radius_m: 0.0205,
    speed_step_rad_per_s: 0.0,
    gives_way: GivesWay::Both,
};

/// An asynchronous trace, with its random numbers in place of ours: the same controller, loss, motion and order of the
/// step.
struct Asynchronous {
    facts: Value,
    formation: Formation,
    random: SplitMix64,
    robots: Vec<Robot>,
    sent: u32,
    received: u32,
}

impl Asynchronous {
    fn begin(name: &str) -> Self {
        let facts = trace_of(name);
        let goal = numbers(&facts["goal"]);
        let (random, robots) = (SplitMix64(facts["seed"].as_u64().unwrap()), Vec::new());
        let mut run = Self { facts, formation: Formation::default(), random, robots, sent: 0, received: 0 };
        let per_edge = |total: &str| run.parameter(total) / run.parameter("N");
        run.formation = Formation {
            goal: Goal::Moments {
                mean_m: DVec2::new(goal[0], goal[1]),
                xx_m2: goal[2],
                xy_m2: goal[3],
                yy_m2: goal[4],
            },
            centered: false,
            k1_per_s: run.parameter("K1"),
            k2: Some(run.parameter("K2")),
            max_speed_m_per_s: run.parameter("V_MAX"),
            consensus: consensus_of(run.parameter("GAMMA"), per_edge("KP_TOTAL"), per_edge("KI_TOTAL")),
            ..Formation::default()
        };
        let (side, wait_max) = (run.parameter("SIDE"), run.parameter("WAIT_MAX") as u64);
        let center = numbers(&run.facts["center"]);
        for _ in 0..run.parameter("N") as usize {
            let x_m = center[0] + side * (run.random.unit() - 0.5);
            let y_m = center[1] + side * (run.random.unit() - 0.5);
            let heading_rad = std::f64::consts::TAU * run.random.unit();
            run.robots.push(Robot {
                pose: Pose { position_m: DVec2::new(x_m, y_m), heading_rad },
                memory: InFormation::default(),
                packets: Vec::new(),
                command: Command::Course { x_m_per_s: 0.0, y_m_per_s: 0.0, turn_rad_per_s: 0.0 },
                wait: run.random.whole(0, wait_max),
                last: 0,
            });
        }
        run
    }

    fn parameter(&self, name: &str) -> f64 {
        number(&self.facts["params"][name])
    }

    fn has_wheels(&self) -> bool {
        self.facts["params"]["DRIVE"] == "diff"
    }

    /// The probability that a packet is received.
    fn chance(&self, distance_m: f64) -> f64 {
        match self.facts["params"]["LOSS"].as_str().unwrap() {
            "none" => 1.0,
            "uniform" => 1.0 - self.parameter("LOSS_P"),
            "rice" => {
                let (range_m, k, exponent) =
                    (self.parameter("RICE_R"), self.parameter("RICE_K"), self.parameter("RICE_N"));
                Rice { range_m, k, exponent }.reception(distance_m)
            }
            other => panic!("{other}"),
        }
    }

    fn advance(&mut self, step: u64) {
        let (dt_s, limit) = (self.parameter("DT"), self.parameter("PACKET_AGE_LIMIT") as u64);
        let has_wheels = self.has_wheels();
        for Robot { pose, command, packets, .. } in &mut self.robots {
            *pose = match has_wheels {
                true => E_PUCK.integrate(&mut Wheels::default(), pose, command, dt_s),
                false => Holonomic::default().integrate(&mut NoMemory, pose, command, dt_s),
            };
            packets.retain(|packet| packet.age_steps(step) <= limit);
        }
        for own in 0..self.robots.len() {
            if step - self.robots[own].last >= self.robots[own].wait {
                self.turn(own, SimTime { step, dt_s });
            }
        }
    }

    fn turn(&mut self, own: usize, time: SimTime) {
        let formation = self.formation;
        let (robot, mut numbers) = (&self.robots[own], Vec::new());
        formation.message(&robot.memory, robot.senses(own, &time), &mut numbers);
        let packet = Packet { sender: own as u32, sent_step: time.step, numbers: numbers.into(), ..Packet::default() };
        for other in (0..self.robots.len()).filter(|other| *other != own) {
            let distance_m = self.robots[own].pose.position_m.distance(self.robots[other].pose.position_m);
            self.sent += 1;
            if self.random.unit() < self.chance(distance_m) {
                self.received += 1;
                let packets = &mut self.robots[other].packets;
                packets.retain(|packet| packet.sender != own as u32);
                packets.push(packet.clone());
                packets.sort_by_key(|packet| packet.sender);
            }
        }
        let robot = &self.robots[own];
        let mut memory = robot.memory.clone();
        let command = formation.command(&mut memory, robot.senses(own, &time));
        let (wait_min, wait_max) = (self.parameter("WAIT_MIN") as u64, self.parameter("WAIT_MAX") as u64);
        let wait = self.random.whole(wait_min, wait_max);
        let robot = &mut self.robots[own];
        (robot.memory, robot.command, robot.wait, robot.last) = (memory, command, wait, time.step);
    }

    fn assert_like(&self, recorded: &Value, step: u64) {
        let what = |name: &str, own: usize| format!("{name} of {own} at step {step}");
        let limit = self.parameter("PACKET_AGE_LIMIT");
        for (own, robot) in self.robots.iter().enumerate() {
            let Command::Course { x_m_per_s, y_m_per_s, .. } = robot.command else { panic!("{:?}", robot.command) };
            assert_near(&robot.pose.position_m.to_array(), &rows(&recorded["p"])[own], &what("place", own));
            assert_near(&[x_m_per_s, y_m_per_s], &rows(&recorded["u"])[own], &what("velocity", own));
            // Without wheels it only says there how robots are drawn.
            if self.has_wheels() {
                assert_near(&[robot.pose.heading_rad], &[numbers(&recorded["angle"])[own]], &what("heading", own));
            }
            assert_eq!(robot.wait as f64, numbers(&recorded["wait"])[own], "{}", what("wait", own));
            assert_eq!(robot.last as f64, numbers(&recorded["last"])[own], "{}", what("last", own));
            if !robot.memory.opinion.estimate.is_empty() {
                assert_near(&robot.memory.opinion.estimate, &rows(&recorded["v_own"])[own], &what("v", own));
                assert_near(&robot.memory.opinion.hidden, &rows(&recorded["w_own"])[own], &what("w", own));
            }
            let ages = &rows(&recorded["age"])[own];
            for packet in &robot.packets {
                let age = ages[packet.sender as usize];
                assert_eq!(packet.age_steps(step) as f64, age, "{}", what("age", own));
            }
            let held = ages.iter().enumerate().filter(|(other, age)| *other != own && **age <= limit).count();
            assert_eq!(robot.packets.len(), held, "{}", what("packets", own));
        }
        assert_eq!(f64::from(self.received), number(&recorded["rx"]), "packets received until step {step}");
        assert_eq!(f64::from(self.sent), number(&recorded["tx"]), "packets sent until step {step}");
        assert_eq!(self.random.0.to_string(), recorded["rng_state"].as_str().unwrap(), "at step {step}");
    }

    fn follows(name: &str) {
        let mut run = Self::begin(name);
        let trace = run.facts["trace"].as_array().unwrap().clone();
        let mut step = 0;
        for recorded in trace {
            while step < recorded["k"].as_u64().unwrap() {
                step += 1;
                run.advance(step);
            }
            run.assert_like(&recorded, step);
        }
    }
}

#[test]
fn robots_without_a_common_clock_follow_the_recorded_trace() {
    Asynchronous::follows("async_N8_noloss");
}

#[test]
fn robots_that_lose_half_of_their_packets_follow_the_computed_trace() {
    Asynchronous::follows("half_lost_N8");
}

#[test]
fn robots_on_wheels_whose_radio_fades_follow_the_computed_trace() {
    Asynchronous::follows("rice_wheels_N6");
}

/// The agents of the paper of 2008 as they are here, and all that changes of them.
struct Agents {
    formation: Formation,
    motion: DoubleIntegrator,
    reach_m: f64,
    places: Vec<DVec2>,
    velocities: Vec<DVec2>,
    opinions: Vec<Opinion>,
}

/// The time derivatives of places, velocities and opinions.
type Rates = (Vec<DVec2>, Vec<DVec2>, Vec<Opinion>);

impl Agents {
    fn begin(facts: &Value) -> Self {
        let (goal, damping_per_s) = (numbers(&facts["goal"]), number(&facts["damping"]));
        let formation = Formation {
            goal: Goal::Moments {
                mean_m: DVec2::new(goal[0], goal[1]),
                xx_m2: goal[2],
                xy_m2: goal[3],
                yy_m2: goal[4],
            },
            k1_per_s: number(&facts["k1"]) / damping_per_s,
            k2: Some(number(&facts["k2"]) / damping_per_s),
            max_speed_m_per_s: 1e3,
            consensus: consensus_of(number(&facts["gamma"]), number(&facts["kp_edge"]), number(&facts["ki_edge"])),
            ..Formation::default()
        };
        let first = &facts["trace"][0];
        let vectors = |rows: Vec<Vec<f64>>| rows.iter().map(|row| DVec2::new(row[0], row[1])).collect();
        Self {
            formation,
            motion: DoubleIntegrator { damping_per_s, ..DoubleIntegrator::default() },
            reach_m: number(&facts["reach"]),
            places: vectors(rows(&first["p"])),
            velocities: vectors(rows(&first["velocity"])),
            opinions: rows(&first["v"]).iter().map(|v| Opinion::new(v)).collect(),
        }
    }

    /// Robot by robot, from what they hear of each other without any delay.
    fn rates(&self) -> Rates {
        let consensus = &self.formation.consensus;
        let told: Vec<_> = self.opinions.iter().enumerate().map(|(robot, own)| packet(consensus, robot, own)).collect();
        let one = |own: usize| {
            let near = |other: usize| self.places[own].distance(self.places[other]) < self.reach_m;
            let is_heard = |packet: &&Packet| packet.sender as usize != own && near(packet.sender as usize);
            let heard: Vec<_> = told.iter().filter(is_heard).cloned().collect();
            let DVec2 { x, y } = self.places[own];
            // Over one second, Euler's rule adds the rate.
            let before = &self.opinions[own];
            let mut after = before.clone();
            consensus.update(&mut after, &[x, y, x * x, x * y, y * y], &heard, 1.0);
            let minus = |after: Vec<f64>, before: &[f64]| after.iter().zip(before).map(|(a, b)| a - b).collect();
            let opinion = Opinion {
                estimate: minus(after.estimate, &before.estimate),
                hidden: minus(after.hidden, &before.hidden),
            };
            let told = self.formation.velocity(self.places[own], &before.estimate);
            (self.velocities[own], (self.motion.acceleration(self.velocities[own], told), opinion))
        };
        let (places, (velocities, opinions)) = (0..self.places.len()).map(one).unzip();
        (places, velocities, opinions)
    }

    /// What there is after going on with some rates.
    fn after(&self, (places, velocities, opinions): &Rates, dt_s: f64) -> Self {
        let go = |from: &[DVec2], rates: &[DVec2]| from.iter().zip(rates).map(|(a, b)| a + dt_s * b).collect();
        let go_on = |from: &[f64], rates: &[f64]| from.iter().zip(rates).map(|(a, b)| a + dt_s * b).collect();
        let opinion = |(from, rates): (&Opinion, &Opinion)| Opinion {
            estimate: go_on(&from.estimate, &rates.estimate),
            hidden: go_on(&from.hidden, &rates.hidden),
        };
        Self {
            places: go(&self.places, places),
            velocities: go(&self.velocities, velocities),
            opinions: self.opinions.iter().zip(opinions).map(opinion).collect(),
            ..*self
        }
    }

    /// One step by Runge and Kutta's rule.
    fn advance(&mut self, dt_s: f64) {
        let one = self.rates();
        let two = self.after(&one, dt_s / 2.0).rates();
        let three = self.after(&two, dt_s / 2.0).rates();
        let four = self.after(&three, dt_s).rates();
        for (rates, weight) in [(one, 1.0), (two, 2.0), (three, 2.0), (four, 1.0)] {
            *self = self.after(&rates, weight * dt_s / 6.0);
        }
    }
}

#[test]
fn agents_that_accelerate_follow_the_computed_trace() {
    let facts = trace_of("second_order_N7");
    let mut agents = Agents::begin(&facts);
    let mut step = 0;
    for recorded in facts["trace"].as_array().unwrap() {
        while step < recorded["k"].as_u64().unwrap() {
            agents.advance(number(&facts["dt"]));
            step += 1;
        }
        let (places, velocities) = (rows(&recorded["p"]), rows(&recorded["velocity"]));
        for (robot, (v, w)) in rows(&recorded["v"]).iter().zip(rows(&recorded["w"])).enumerate() {
            let what = |name: &str| format!("{name} of {robot} at step {step}");
            assert_near(&agents.places[robot].to_array(), &places[robot], &what("place"));
            assert_near(&agents.velocities[robot].to_array(), &velocities[robot], &what("velocity"));
            assert_near(&agents.opinions[robot].estimate, v, &what("v"));
            assert_near(&agents.opinions[robot].hidden, &w, &what("w"));
        }
    }
}

/// The same agents in a simulation, which has packets and steps where the paper has none: the nearer the shorter these are.
#[test]
fn agents_that_accelerate_come_near_the_computed_trace_in_a_simulation() {
    let facts = trace_of("second_order_N7");
    let agents = Agents::begin(&facts);
    let at: Vec<_> = agents.places.iter().map(|place| format!("({:?}, {:?}, 0.0)", place.x, place.y)).collect();
    let Formation { k1_per_s, k2, .. } = agents.formation;
    let worst = |dt_s: f64| {
        let mut simulation = simulation_of(&format!(
            "(arena: (walls: Open), time: (dt_s: {dt_s:?}), groups: [(name: \"r\", at: [{at}], body: Disc(radius_m: 0.01),
                motion: DoubleIntegrator(damping_per_s: 100.0),
                controller: Formation(goal: {goal}, k1_per_s: {k1_per_s:?}, k2: {k2:?}, max_speed_m_per_s: 1000.0,
                    consensus: (weights: PerEdge,
                        estimator: Pi(gamma_per_s: {gamma}, kp_per_s: {kp}, ki_per_s: {ki})),
                ),
                radio: (loss: Disc(range_m: {reach}), turns: Fixed(period_s: {dt_s:?})))])",
            at = at.join(", "),
            k2 = k2.unwrap(),
            goal = goal_text(&numbers(&facts["goal"])),
            gamma = facts["gamma"],
            kp = facts["kp_edge"],
            ki = facts["ki_edge"],
            reach = facts["reach"],
        ));
        let mut worst: f64 = 0.0;
        for recorded in facts["trace"].as_array().unwrap() {
            let at_s = number(&facts["dt"]) * number(&recorded["k"]);
            simulation.step((at_s / dt_s).round() as u64 - simulation.steps());
            for (agent, place) in simulation.agents().zip(rows(&recorded["p"])) {
                worst = worst.max(agent.pose.position_m.distance(DVec2::new(place[0], place[1])));
            }
            let moving = simulation.world().try_query::<&Momentum>().unwrap().iter(simulation.world()).count();
            assert_eq!(moving, 7);
        }
        worst
    };
    let (coarse, fine) = (worst(0.002), worst(0.001));
    assert!(fine < 0.02 && fine < 0.6 * coarse, "{coarse} m, {fine} m");
}

/// Six robots of a formation that lose most packets. The second robot dies after one second.
fn formation_of(controller: &str) -> Simulation {
    simulation_of(&format!(
        "(time: (dt_s: 0.02), metrics: [FormationError()], faults: [(at_s: 1.0, who: \"r-1\")],
            groups: [(name: \"r\", count: 6, spawn: UniformSquare(side_m: 1.0), body: Disc(radius_m: 0.01),
            motion: Holonomic(), controller: Formation({controller}),
            radio: (loss: Bernoulli(loss: 0.9), turns: Fixed(period_s: 0.1)))])"
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
fn a_perfect_estimator_knows_the_truth_whatever_gets_lost() {
    let mut simulation = formation_of("consensus: (estimator: Perfect)");
    for step in 0..100 {
        // The dead are no part of the truth, as they are none of the error.
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
fn wheels_turn_as_recorded() {
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
            radio: (loss: {loss}))], metrics: [FormationError()])"
    ))
}

#[test]
fn robots_form_the_ellipse_although_half_of_their_packets_are_lost() {
    let holonomic = "Holonomic()";
    let wheels = "DifferentialDrive(axle_m: 0.053, max_wheel_m_per_s: 0.1288)";
    for (loss, motion, seed) in [
        ("Perfect()", holonomic, 1),
        ("Bernoulli(loss: 0.5)", holonomic, 2),
        ("Rice(range_m: 2.0)", holonomic, 3),
        ("Bernoulli(loss: 0.5)", wheels, 4),
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
fn two_formations_need_a_channel_each() {
    let errors = |channel: u32| {
        let group = |name: &str, x_m: f64, channel: u32| {
            format!(
                "(name: \"{name}\", count: 6, spawn: UniformSquare(center_m: Some(({x_m:?}, 5.0)), side_m: 0.6),
                    body: Disc(radius_m: 0.000001), motion: Holonomic(),
                    controller: Formation(goal: Ellipse(center_m: ({x_m:?}, 5.0), spread_m: (0.35, 0.2), angle_rad: 0.5)),
                    radio: (loss: Bernoulli(loss: 0.2), channel: {channel}))"
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

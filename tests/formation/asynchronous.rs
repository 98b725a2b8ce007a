//! Robots without a common clock, whose packets get lost at random.

use super::*;

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
    /// The knowledge of a robot at a turn.
    fn senses<'a>(&'a self, own: usize, time: &'a SimTime) -> Senses<'a> {
        let heard = Heard { packets: &self.packets, turn: Some(time.step - self.last) };
        Senses { pose: &self.pose, time, heard, owner: StableId::agent(own as u32), ..Senses::of(&[]) }
    }
}

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
        formation.message(&mut robot.memory.clone(), robot.senses(own, &time), &mut numbers);
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

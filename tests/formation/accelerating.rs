//! Agents that accelerate, as in the paper of 2008.

use super::*;

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

    /// The state after further steps with some rates.
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
            "(arena: (boundary: Open), time: (dt_s: {dt_s:?}), groups: [(name: \"r\", at: [{at}], body: Disc(radius_m: 0.01),
                motion: DoubleIntegrator(damping_per_s: 100.0),
                controller: Formation(goal: {goal}, k1_per_s: {k1_per_s:?}, k2: {k2:?}, max_speed_m_per_s: 1000.0,
                    consensus: (weights: PerEdge,
                        estimator: Pi(gamma_per_s: {gamma}, kp_per_s: {kp}, ki_per_s: {ki})),
                ),
                radio: (loss: Disc(range_m: {reach}), schedule: Periodic(period_s: {dt_s:?})))])",
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

//! Statistics of formations over many seeds, beside those recorded of the Swarm Robot Project Simulator: how long robots
//! take, how often they succeed, and how many links are fresh.

use std::fmt::Write as _;

use bevy::math::DVec2;
use serde_json::Value;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_core::radio::Inbox;
use swarmarium_simulation::Simulation;

use crate::support::{facts, number, numbers, simulation_of};

/// How many seeds there are of each.
const SEEDS: u64 = 20;
/// How long a run lasts, in seconds and in steps.
const DURATION_S: f64 = 90.0;
const STEPS_PER_S: u64 = 50;

/// The differences from eight robots with perfect radios.
struct Setting {
    robots: u32,
    loss: f64,
    max_age_s: f64,
    ki_total: f64,
    kp_total: f64,
    faults: &'static str,
}

impl Default for Setting {
    fn default() -> Self {
        Self { robots: 8, loss: 0.0, max_age_s: 4.0, ki_total: 1.5, kp_total: 2.0, faults: "" }
    }
}

/// How one run went.
struct Run {
    /// The last time at which the error was above 5 % of the first one.
    relative_s: f64,
    /// The last time at which the error was above 0.05.
    absolute_s: f64,
    /// The error at the end.
    end: f64,
    /// The shares of pairs and times with a fresh packet either way, and with a stale one only.
    links: [f64; 2],
}

impl Run {
    fn succeeds(&self) -> bool {
        self.end < 0.05
    }
}

impl Setting {
    fn simulation(&self, seed: u64) -> Simulation {
        let Self { robots, loss, max_age_s, ki_total, kp_total, faults } = self;
        let per_link = |total: f64| total / f64::from(*robots);
        // They start 1.2 m away from the middle of their goal, in directions all around.
        let DVec2 { x, y } = DVec2::splat(5.0) + 1.2 * direction(2.4 * seed as f64);
        simulation_of(&format!(
            "(seed: {seed}, time: (dt_s: 0.02), delivery: SameStep, groups: [(name: \"r\", count: {robots},
                spawn: UniformBox(min_m: ({:?}, {:?}), max_m: ({:?}, {:?}), avoid_overlap: false),
                body: Disc(radius_m: 0.000001), motion: Holonomic(),
                controller: Formation(consensus: (weights: PerEdge,
                    estimator: Pi(gamma_per_s: 1.0, kp_per_s: {:?}, ki_per_s: {:?}))),
                radio: (loss: Bernoulli(probability: {loss:?}), max_age_s: {max_age_s:?}))],
             metrics: [FormationError()], faults: [{faults}])",
            x - 0.3,
            y - 0.3,
            x + 0.3,
            y + 0.3,
            per_link(*kp_total),
            per_link(*ki_total),
        ))
    }

    fn run(&self, seed: u64) -> Run {
        let mut simulation = self.simulation(seed);
        let (mut relative_s, mut absolute_s, mut links) = (0.0, 0.0, [0, 0]);
        let (mut first, mut end, mut looks) = (f64::NAN, f64::NAN, 0);
        for step in 1..=DURATION_S as u64 * STEPS_PER_S {
            simulation.step(1);
            end = simulation.metrics()[0];
            if step == 1 {
                first = end;
            }
            let now_s = simulation.time().now_s();
            if end > 0.05 * first {
                relative_s = now_s;
            }
            if end > 0.05 {
                absolute_s = now_s;
            }
            if step % STEPS_PER_S == 0 {
                let [fresh, stale] = self.links(&simulation);
                links = [links[0] + fresh, links[1] + stale];
                looks += self.robots * (self.robots - 1) / 2;
            }
        }
        Run { relative_s, absolute_s, end, links: links.map(|links| f64::from(links) / f64::from(looks)) }
    }

    /// How many pairs of robots have a fresh packet either way, and a stale one only.
    fn links(&self, simulation: &Simulation) -> [u32; 2] {
        let step = simulation.steps();
        let mut inboxes = simulation.world().try_query::<(&StableId, &Inbox)>().unwrap();
        let mut youngest = vec![u64::MAX; (self.robots * self.robots) as usize];
        for (id, inbox) in inboxes.iter(simulation.world()) {
            for packet in inbox.packets() {
                let (low, high) = (id.index().min(packet.sender), id.index().max(packet.sender));
                let age = &mut youngest[(low * self.robots + high) as usize];
                *age = packet.age_steps(step).min(*age);
            }
        }
        let count = |is_so: fn(u64) -> bool| youngest.iter().filter(|age| is_so(**age)).count() as u32;
        // The longest time from one packet to the next is 15 steps.
        [count(|age| age <= 15), count(|age| age > 15 && age != u64::MAX)]
    }

    /// All seeds, on two threads.
    fn runs(&self) -> Vec<Run> {
        let half = |seeds: std::ops::Range<u64>| seeds.map(|seed| self.run(seed)).collect::<Vec<_>>();
        std::thread::scope(|scope| {
            let later = scope.spawn(|| half(SEEDS / 2..SEEDS));
            let mut runs = half(0..SEEDS / 2);
            runs.extend(later.join().unwrap());
            runs
        })
    }
}

fn median(of: impl Iterator<Item = f64>) -> f64 {
    let mut all: Vec<f64> = of.collect();
    all.sort_by(f64::total_cmp);
    (all[(all.len() - 1) / 2] + all[all.len() / 2]) / 2.0
}

fn successes(runs: &[Run]) -> usize {
    runs.iter().filter(|run| run.succeeds()).count()
}

/// The entry of `mc_results.json` with a name.
fn recorded(name: &str) -> Value {
    facts("swarm_robot_project/mc_results.json")[name].clone()
}

/// Runs a setting and says what differs from what was recorded.
fn compare(name: &str, setting: &Setting) -> (Vec<Run>, String) {
    let (recorded, runs) = (recorded(name), setting.runs());
    let found = median(runs.iter().map(|run| run.relative_s));
    let expected = number(&recorded["rel_med"]);
    let mut differs = String::new();
    println!(
        "{name}: 5 % after {found} s ({expected}), {} successes ({}), ends with {} ({})",
        successes(&runs),
        recorded["ok"],
        median(runs.iter().map(|run| run.end)),
        recorded["fin_med"],
    );
    if (found - expected).abs() > (0.15 * expected).max(2.0) {
        writeln!(differs, "{name}: median time to 5 % is {found} s, not {expected} s").unwrap();
    }
    let (found, expected) = (successes(&runs), number(&recorded["ok"]) as usize);
    if found.abs_diff(expected) > 2 {
        writeln!(differs, "{name}: {found} successes, not {expected}").unwrap();
    }
    let expected = numbers(&recorded["links"]);
    for (place, what) in ["fresh", "stale"].into_iter().enumerate() {
        let found = runs.iter().map(|run| run.links[place]).sum::<f64>() / SEEDS as f64;
        println!("{name}: {what} {found} ({})", expected[place]);
        if (found - expected[place]).abs() > 0.02 {
            writeln!(differs, "{name}: {found} of the links are {what}, not {}", expected[place]).unwrap();
        }
    }
    (runs, differs)
}

#[test]
fn formations_take_as_long_and_succeed_as_often_as_recorded() {
    let mut differs = String::new();
    for (name, loss) in [
        ("uniform N8 loss0", 0.0),
        ("uniform N8 loss0.5", 0.5),
        ("uniform N8 loss0.8", 0.8),
        ("uniform N8 loss0.9", 0.9),
    ] {
        differs += &compare(name, &Setting { loss, ..Setting::default() }).1;
    }
    assert!(differs.is_empty(), "{differs}");
}

#[test]
fn link_freshness_follows_the_record_at_other_losses() {
    let mut differs = String::new();
    for (name, loss) in [("uniform N8 loss0.3", 0.3), ("uniform N8 loss0.7", 0.7)] {
        differs += &compare(name, &Setting { loss, ..Setting::default() }).1;
    }
    assert!(differs.is_empty(), "{differs}");
}

#[test]
fn without_integral_parts_no_formation_comes_near_its_goal() {
    for kp_total in [2.0, 6.0] {
        let runs = Setting { ki_total: 0.0, kp_total, ..Setting::default() }.runs();
        let best = runs.iter().map(|run| run.end).fold(f64::INFINITY, f64::min);
        println!("kp {kp_total}: {best}");
        assert!(best > 0.4, "kp {kp_total}: {best}");
    }
}

#[test]
fn a_longer_packet_age_helps_formations_at_high_loss() {
    let usual = Setting { loss: 0.8, ..Setting::default() }.runs();
    let (longer, differs) =
        compare("age limit 400 loss0.8 N8", &Setting { loss: 0.8, max_age_s: 8.0, ..Setting::default() });
    assert!(differs.is_empty(), "{differs}");
    let ends = |runs: &[Run]| median(runs.iter().map(|run| run.end));
    let times = |runs: &[Run]| median(runs.iter().map(|run| run.absolute_s));
    assert!(ends(&longer) < 0.2 * ends(&usual), "{} and {}", ends(&longer), ends(&usual));
    assert!(times(&longer) < times(&usual) - 10.0, "{} s and {} s", times(&longer), times(&usual));
}

#[test]
fn formations_form_again_after_robots_fail() {
    let faults = "(at_s: 40.0, target: \"r-8\"), (at_s: 40.0, target: \"r-9\", failure: Total)";
    let runs = Setting { robots: 10, loss: 0.3, faults, ..Setting::default() }.runs();
    assert_eq!(successes(&runs), 20);
    let recorded = recorded("kill 2 of 10 at 40 s loss0.3");
    let (found, expected) = (median(runs.iter().map(|run| run.absolute_s)), number(&recorded["abs_med"]));
    println!("{found} ({expected})");
    assert!((found - expected).abs() < 0.15 * expected, "recovered after {found} s, not {expected} s");
}

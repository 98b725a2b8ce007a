//! `bench`: the speed scenarios, one line each.

use std::fs;
use std::io::Write as _;
use std::str::FromStr;
use std::time::{Duration, Instant};

use bevy::math::DVec2;
use serde::Serialize;

use super::progress::Progress;
use super::{Common, Exit, load, stdout};
use crate::scene::description::Scene;
use crate::scene::shipped;
use crate::simulation::{Recipe, Simulation};

/// Steps before the measurement.
const WARM_UP: u64 = 50;
/// How often a measurement is repeated; the best counts, the spread is told.
const REPETITIONS: usize = 3;
/// What one repetition takes at least.
const LEAST: Duration = Duration::from_millis(1500);

/// Measure the speed of milling, of workload A (diffusion) and of radio at several sizes
///
/// 50 steps to warm up, then as many as take 1.5 s; the best of three repetitions, and how far they spread.
/// Mean displacement and mean distance to the nearest robot, after a fixed number of steps, tell that the
/// work is the same as that of other programs.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium bench
  swarmarium bench --only diffusion/1000 --threads 2
  swarmarium bench --only milling --json")]
pub struct Args {
    /// Only one workload, or one size of it: milling, diffusion/1000, A/1000
    #[arg(long, value_name = "WORKLOAD[/N]")]
    only: Option<Filter>,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

/// A workload at one size.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Workload {
    name: &'static str,
    robots: u64,
    text: &'static str,
}

impl Workload {
    /// All that are shipped, by name and size.
    fn all() -> Vec<Self> {
        let mut all: Vec<_> = shipped::bench()
            .filter_map(|(file, text)| {
                let (name, robots) = file.rsplit_once('_')?;
                Some(Self { name, robots: robots.parse().ok()?, text })
            })
            .collect();
        all.sort_unstable();
        all
    }

    /// Steps after which the robots' places are compared with those of other programs.
    fn steps_to_compare(self) -> u64 {
        match self.robots {
            0..1_000 => 3_050,
            1_000..10_000 => 350,
            _ => 80,
        }
    }
}

/// Which workloads are wanted.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Filter {
    name: String,
    robots: Option<u64>,
}

impl FromStr for Filter {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let (name, robots) = match text.split_once('/') {
            Some((name, robots)) => {
                (name, Some(robots.parse().map_err(|_| format!("`{robots}` is no number of robots"))?))
            }
            None => (text, None),
        };
        // The letter is that of the workload in comparisons of simulators.
        let name = if name.eq_ignore_ascii_case("a") { "diffusion".into() } else { name.to_lowercase() };
        let filter = Self { name, robots };
        match Workload::all().into_iter().any(|workload| filter.wants(workload)) {
            true => Ok(filter),
            false => Err(format!("there is {}", names(&Workload::all()))),
        }
    }
}

impl Filter {
    fn wants(&self, workload: Workload) -> bool {
        self.name == workload.name && self.robots.is_none_or(|robots| robots == workload.robots)
    }
}

fn names(workloads: &[Workload]) -> String {
    let names: Vec<_> = workloads.iter().map(|workload| format!("{}/{}", workload.name, workload.robots)).collect();
    names.join(", ")
}

/// What was measured.
#[derive(Serialize)]
struct Measured {
    workload: &'static str,
    n: u64,
    threads: usize,
    steps: u64,
    ns_per_robot_step: f64,
    /// How much longer the worst repetition took than the best.
    spread: f64,
    ms_per_step: f64,
    real_time_factor: f64,
    steps_compared: u64,
    mean_displacement_m: f64,
    mean_nearest_m: f64,
    peak_rss_mb: Option<f64>,
}

/// Measures and prints.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let wanted = |workload: &Workload| args.only.as_ref().is_none_or(|only| only.wants(*workload));
    let workloads: Vec<_> = Workload::all().into_iter().filter(wanted).collect();
    let progress = Progress::new("workloads", workloads.len() as u64, common.quiet || args.json);
    let mut out = stdout();
    if !args.json {
        writeln!(out, "{HEAD}")?;
    }
    for (index, workload) in workloads.into_iter().enumerate() {
        let scene = load::text(workload.name, workload.text, common, recipe.kinds())?;
        let measured = measure(workload, &scene, recipe, common.threads)?;
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
            false => writeln!(out, "{}", measured.line())?,
        }
        out.flush()?;
        progress.at(index as u64 + 1);
    }
    progress.finish();
    Ok(Exit::Fine)
}

const HEAD: &str = "\
| workload | N | threads | ms/step | steps/s | RTF | robot-steps/s | ns/r·s | spread | disp / NN [m] (steps) | RSS MB |
|---|---|---|---|---|---|---|---|---|---|---|";

impl Measured {
    /// A row of a table, as in comparisons of simulators.
    fn line(&self) -> String {
        let steps_per_s = 1e3 / self.ms_per_step;
        let rss = self.peak_rss_mb.map_or_else(|| "–".into(), |megabytes| format!("{megabytes:.0}"));
        format!(
            "| {} | {} | {} | {:.4} | {:.0} | {:.1} | {:.2e} | {:.0} | {:.1} % | {:.3} / {:.3} ({}) | {rss} |",
            self.workload,
            self.n,
            self.threads,
            self.ms_per_step,
            steps_per_s,
            self.real_time_factor,
            steps_per_s * self.n as f64,
            self.ns_per_robot_step,
            self.spread * 100.0,
            self.mean_displacement_m,
            self.mean_nearest_m,
            self.steps_compared,
        )
    }
}

fn measure(workload: Workload, scene: &Scene, recipe: &Recipe, threads: usize) -> anyhow::Result<Measured> {
    forget_peak_rss();
    let (steps, first) = time_enough(&mut warm(scene, recipe, threads)?);
    let mut times = vec![first];
    while times.len() < REPETITIONS {
        times.push(time(&mut warm(scene, recipe, threads)?, steps));
    }
    let peak_rss_mb = peak_rss_mb();
    let seconds = times.iter().map(Duration::as_secs_f64);
    let (best_s, worst_s) = seconds.fold((f64::INFINITY, 0.0_f64), |(best, worst), s| (best.min(s), worst.max(s)));

    let mut simulation = Simulation::with(scene, recipe, threads)?;
    let before = positions(&simulation);
    simulation.step(workload.steps_to_compare());
    let after = positions(&simulation);
    Ok(Measured {
        workload: workload.name,
        n: workload.robots,
        threads,
        steps,
        ns_per_robot_step: best_s * 1e9 / (steps * workload.robots.max(1)) as f64,
        spread: worst_s / best_s - 1.0,
        ms_per_step: best_s * 1e3 / steps as f64,
        real_time_factor: steps as f64 * scene.time.dt_s / best_s,
        steps_compared: workload.steps_to_compare(),
        mean_displacement_m: mean(before.iter().zip(&after).map(|(before, after)| before.distance(*after))),
        mean_nearest_m: mean(after.iter().enumerate().map(|(index, here)| nearest_m(*here, index, &after))),
        peak_rss_mb,
    })
}

fn warm(scene: &Scene, recipe: &Recipe, threads: usize) -> anyhow::Result<Simulation> {
    let mut simulation = Simulation::with(scene, recipe, threads)?;
    simulation.step(WARM_UP);
    Ok(simulation)
}

fn time(simulation: &mut Simulation, steps: u64) -> Duration {
    let start = Instant::now();
    simulation.step(steps);
    start.elapsed()
}

/// As many steps as take long enough, and how long they took.
fn time_enough(simulation: &mut Simulation) -> (u64, Duration) {
    let (mut steps, mut taken, mut more) = (0, Duration::ZERO, 1);
    while taken < LEAST {
        taken += time(simulation, more);
        steps += more;
        more = steps;
    }
    (steps, taken)
}

fn positions(simulation: &Simulation) -> Vec<DVec2> {
    simulation.agents().map(|agent| agent.pose.position_m).collect()
}

fn nearest_m(here: DVec2, index: usize, all: &[DVec2]) -> f64 {
    let others = all.iter().enumerate().filter(|(other, _)| *other != index);
    others.map(|(_, there)| here.distance_squared(*there)).fold(f64::INFINITY, f64::min).sqrt()
}

fn mean(numbers: impl ExactSizeIterator<Item = f64>) -> f64 {
    let count = numbers.len();
    numbers.sum::<f64>() / count as f64
}

/// The most memory that the process ever used, where the system tells.
fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    Some(kibibytes.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// Lets the count of [`peak_rss_mb`] start again, where the system can; elsewhere it is that of all workloads so far.
fn forget_peak_rss() {
    let _ = fs::write("/proc/self/clear_refs", "5");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wanted(filter: &str) -> Vec<(&'static str, u64)> {
        let filter: Filter = filter.parse().unwrap();
        let workloads = Workload::all().into_iter().filter(|workload| filter.wants(*workload));
        workloads.map(|workload| (workload.name, workload.robots)).collect()
    }

    #[test]
    fn filters_name_workloads_and_sizes() {
        assert_eq!(wanted("A/1000"), [("diffusion", 1000)]);
        assert_eq!(wanted("milling"), [("milling", 10), ("milling", 100), ("milling", 1000), ("milling", 10_000)]);
        assert_eq!(wanted("Diffusion"), wanted("a"));
        for bad in ["B", "milling/7", "milling/x", ""] {
            assert!(bad.parse::<Filter>().is_err(), "{bad}");
        }
    }

    #[test]
    fn the_nearest_is_somebody_else() {
        let places = [DVec2::ZERO, DVec2::new(3.0, 4.0), DVec2::new(6.0, 8.0)];
        assert_eq!(nearest_m(places[0], 0, &places), 5.0);
        assert_eq!(nearest_m(places[1], 1, &places), 5.0);
    }
}

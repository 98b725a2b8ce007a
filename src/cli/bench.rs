//! `bench`: the speed scenarios, one line each.

use std::io::Write as _;

use swarmarium_base::problem::Problems;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::Recipe;

use super::progress::Progress;
use super::{Common, Exit, check, load, stdout};

mod measure;
mod workload;

use self::measure::{Measured, measure};
use self::workload::{Choice, Workload, selected};

/// Measure the speed of the workloads for comparisons with other simulators
///
/// These workloads have 10 to 100,000 robots by default, and any number on request:
///
/// A, A8: foot-bots that wander and avoid obstacles, with 24 and with 8 rays
///
/// B: flocking by radio
///
/// M: motion alone
///
/// milling: the mill of RobotSwarmSimulator
///
/// The sizes of the others are fixed:
///
/// script: 1,000 robots whose controller is a script
///
/// radio: 10,000 robots that reach agreement by radio
///
/// fields: 1,000 robots that add to a scalar field of 256 × 256 cells
///
/// light, ground, camera: 1,000 robots with such a sensor
///
/// push, push-fixed: 100 robots that push 50 objects, which move or do not move
///
/// khepera3: 200 and 2,000 robots with supervisors and infrared cones
///
/// A measurement takes 3,000 steps below 1,000 robots, 300 below 10,000 and 30 from there on, after 50 steps of warm-up;
/// with a million robots, it takes 10 steps after 10. It is repeated from the start until 1.5 s are reached, at least three
/// times (twice with a million). The best repetition counts; the spread is the relative difference between the median and
/// the best. The mean displacement and the mean distance to the nearest robot indicate that other programs do equal work.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  # All workloads in their default sizes: some minutes
  swarmarium bench
  # One workload with 1,000 robots, on two threads
  swarmarium bench --only A/1000 --threads 2
  # Two sizes of one workload, and all of another, for programs
  swarmarium bench --only A/10,A/1000,milling --json
  # A million robots
  swarmarium bench --only A/1000000")]
pub struct Args {
    /// Measure only these workloads or sizes, separated by commas: milling, A/1000, A/1000000
    #[arg(long, value_name = "WORKLOAD[/N]", value_delimiter = ',')]
    only: Vec<Choice>,
    /// Write one JSON object per line
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let workloads = if args.only.is_empty() { Workload::all() } else { selected(&args.only) };
    // All scenes are checked before the first one is measured.
    let scenes = workloads.iter().map(|workload| scene(workload, common, recipe)).collect::<Result<Vec<_>, _>>()?;
    let progress = Progress::new("workloads", workloads.len() as u64, common.hides_progress() || args.json);
    let mut out = stdout();
    if !args.json {
        writeln!(out, "{HEAD}")?;
    }
    for (done, (workload, scene)) in (1..).zip(workloads.iter().zip(&scenes)) {
        let measured = measure(workload.name, scene, recipe, common.threads)?;
        match args.json {
            true => writeln!(out, "{}", serde_json::to_string(&measured)?)?,
            false => writeln!(out, "{}", line(&measured))?,
        }
        out.flush()?;
        progress.at(done);
    }
    progress.finish();
    Ok(Exit::Fine)
}

/// The names of the workloads in their default sizes.
pub(super) fn workloads() -> Vec<String> {
    Workload::all().iter().map(|workload| format!("{}/{}", workload.name, workload.robots)).collect()
}

/// Reads and checks the scene of a workload.
fn scene(workload: &Workload, common: &Common, recipe: &Recipe) -> Result<Scene, Problems> {
    let fit = |scene: &mut _| workload.fit(scene);
    let scene = load::text((workload.name, workload.text), fit, common, recipe.kinds())?;
    check::check_buildable(scene.clone(), recipe)?;
    Ok(scene)
}

const HEAD: &str = "\
| workload | N | threads | ms/step | steps/s | RTF | robot-steps/s | ns/r·s | spread | disp / NN [m] (steps) \
| set-up / drop [ms] | RSS MB |
|---|---|---|---|---|---|---|---|---|---|---|---|";

/// A row of a table, as in comparisons of simulators.
fn line(measured: &Measured) -> String {
    let steps_per_s = 1e3 / measured.ms_per_step;
    let rss = measured.end.peak_rss_mb.map_or_else(|| "–".into(), |megabytes| format!("{megabytes:.0}"));
    format!(
        "| {} | {} | {} | {:.4} | {:.0} | {:.1} | {:.2e} | {:.0} | {:.1} % | {:.3} / {:.3} ({}) \
         | {:.1} / {:.1} | {rss} |",
        measured.workload,
        measured.n,
        measured.threads,
        measured.ms_per_step,
        steps_per_s,
        measured.real_time_factor,
        steps_per_s * measured.n as f64,
        measured.ns_per_robot_step,
        measured.spread * 100.0,
        measured.end.mean_displacement_m,
        measured.end.mean_nearest_m,
        measured.end.step,
        measured.set_up_s * 1e3,
        measured.drop_s * 1e3,
    )
}

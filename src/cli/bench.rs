//! `bench`: the speed scenarios, one line each.

use std::io::Write as _;

use swarmarium_base::problem::Problems;
use swarmarium_core::scene::Scene;
use swarmarium_core::simulation::Recipe;

use super::progress::Progress;
use super::{Common, Exit, check, load, stdout};

mod measure;
mod workload;

use self::measure::{Measured, measure};
use self::workload::{Choice, Workload, selected};

/// Measure the speed of the workloads that simulators are compared by
///
/// A8 and A are obstacle-avoidance diffusion of foot-bots with 8 and with 24 rays, B is flocking by radio, M is motion
/// alone, milling is that of RobotSwarmSimulator: each with 10 to 100,000 robots, and any number that is asked for. With
/// nothing asked for, radio (10,000 robots that agree by radio) and khepera3 (200 and 2,000 with supervisors and infrared
/// cones) are measured, too, at no other numbers.
///
/// A measurement is 3,000 steps of fewer than 1,000 robots, 300 of fewer than 10,000 and 30 of more, after 50 steps to
/// warm up (10 and 10 of a million). It is repeated from the start until it has taken 1.5 s, three times at least (twice
/// with a million); the best counts, and the spread tells how much longer the middle one took. Mean displacement and mean
/// distance to the nearest robot tell that the work is the same as that of other programs.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium bench
  swarmarium bench --only A/1000 --threads 2
  swarmarium bench --only A/10,A/1000,milling --json
  swarmarium bench --only A/1000000")]
pub struct Args {
    /// Only these workloads, or one size of them: milling, A/1000, A/1000000; several with commas
    #[arg(long, value_name = "WORKLOAD[/N]", value_delimiter = ',')]
    only: Vec<Choice>,
    /// Write one JSON object a line
    #[arg(long)]
    json: bool,
}

/// Measures and prints.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let workloads = if args.only.is_empty() { Workload::all() } else { selected(&args.only) };
    // All scenes are checked before the first one is measured.
    let scenes = workloads.iter().map(|workload| scene(workload, common, recipe)).collect::<Result<Vec<_>, _>>()?;
    let progress = Progress::new("workloads", workloads.len() as u64, common.quiet || args.json);
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

//! How it is measured: repetitions, and what tells that the work was the same.

use std::fs;
use std::time::Instant;

use bevy::math::DVec2;
use serde::Serialize;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::simulation::{Recipe, Simulation};

use crate::bench::{Window, mean, mean_nearest_m};

/// What was measured.
#[derive(Serialize)]
pub(super) struct Measured {
    pub(super) workload: &'static str,
    pub(super) n: usize,
    pub(super) threads: usize,
    /// Without those to warm up.
    pub(super) steps: u64,
    pub(super) ns_per_robot_step: f64,
    /// How much longer the middle repetition took than the best.
    pub(super) spread: f64,
    pub(super) ms_per_step: f64,
    pub(super) real_time_factor: f64,
    pub(super) set_up_s: f64,
    pub(super) drop_s: f64,
    #[serde(flatten)]
    pub(super) end: End,
}

/// The end of the window.
#[derive(Serialize)]
pub(super) struct End {
    #[serde(skip)]
    pub(super) step: u64,
    pub(super) mean_displacement_m: f64,
    /// Not a number, and so `null`, for one robot alone.
    pub(super) mean_nearest_m: f64,
    /// `None` where the system does not tell, or cannot tell it of this workload alone.
    pub(super) peak_rss_mb: Option<f64>,
    /// Of all state, in hexadecimal digits: the same for any number of threads.
    pub(super) hash: String,
}

impl End {
    fn of(simulation: &Simulation, start: &[DVec2], peak_rss_mb: Option<f64>) -> Self {
        let end = positions(simulation);
        Self {
            step: simulation.steps(),
            mean_displacement_m: mean(start.iter().zip(&end).map(|(start, end)| start.distance(*end))),
            mean_nearest_m: mean_nearest_m(&end),
            peak_rss_mb,
            hash: format!("{:016x}", simulation.hash().0),
        }
    }
}

/// Measures a scene: each repetition is a simulation of its own, over the same steps.
pub(super) fn measure(
    workload: &'static str,
    scene: &Scene,
    recipe: &Recipe,
    threads: usize,
) -> anyhow::Result<Measured> {
    let counts_anew = forget_peak_rss();
    let [mut set_ups_s, mut windows_s, mut drops_s] = [const { Vec::new() }; 3];
    loop {
        let simulation = timed(&mut set_ups_s, || Simulation::with(scene, recipe, threads));
        let mut simulation = simulation?;
        let start = positions(&simulation);
        let window @ Window { warm_up, steps, .. } = Window::of(start.len());
        simulation.step(warm_up);
        timed(&mut windows_s, || simulation.step(steps));
        let is_last = window.is_enough(&windows_s);
        // The memory first, as all else that is looked at needs some, too.
        let peak_rss_mb = (is_last && counts_anew).then(peak_rss_mb).flatten();
        let end = is_last.then(|| End::of(&simulation, &start, peak_rss_mb));
        let dt_s = simulation.time().dt_s;
        timed(&mut drops_s, || drop(simulation));
        let Some(end) = end else { continue };
        let [(set_up_s, _), (window_s, middle_s), (drop_s, _)] = [set_ups_s, windows_s, drops_s].map(best_and_middle);
        return Ok(Measured {
            workload,
            n: start.len(),
            threads,
            steps,
            ns_per_robot_step: window_s * 1e9 / (steps * start.len().max(1) as u64) as f64,
            spread: middle_s / window_s - 1.0,
            ms_per_step: window_s * 1e3 / steps as f64,
            real_time_factor: steps as f64 * dt_s / window_s,
            set_up_s,
            drop_s,
            end,
        });
    }
}

/// Does something, and notes how many seconds it took.
fn timed<T>(times_s: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    times_s.push(start.elapsed().as_secs_f64());
    done
}

/// The least of some times, and the one that half of them are not above; of two, the greater.
fn best_and_middle(mut times_s: Vec<f64>) -> (f64, f64) {
    times_s.sort_unstable_by(f64::total_cmp);
    let at = |place: usize| times_s.get(place).copied().unwrap_or(f64::NAN);
    (at(0), at(times_s.len() / 2))
}

fn positions(simulation: &Simulation) -> Vec<DVec2> {
    simulation.agents().map(|agent| agent.pose.position_m).collect()
}

/// The most memory that the process ever used, where the system tells.
fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    Some(kibibytes.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// Lets the count of [`peak_rss_mb`] start again; whether the system could. Otherwise it is that of all workloads so far.
fn forget_peak_rss() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn of_several_times_the_best_and_the_middle_one_count() {
        assert_eq!(best_and_middle(vec![3.0, 1.0, 2.0]), (1.0, 2.0));
        assert_eq!(best_and_middle(vec![3.0, 1.0]), (1.0, 3.0), "of two, the greater");
    }
}

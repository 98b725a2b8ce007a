//! The measurement: repetitions, and indicators of equal work.

use std::fs;
use std::time::Instant;

use bevy::math::DVec2;
use serde::Serialize;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::bench::{Window, mean, mean_nearest_m};

/// The result of a measurement.
#[derive(Serialize)]
pub(super) struct Measured {
    pub(super) workload: &'static str,
    pub(super) n: usize,
    pub(super) threads: usize,
    /// The number of steps without the warm-up.
    pub(super) steps: u64,
    pub(super) ns_per_robot_step: f64,
    /// The relative difference between the median and the shortest repetition.
    pub(super) spread: f64,
    pub(super) ms_per_step: f64,
    pub(super) real_time_factor: f64,
    pub(super) set_up_s: f64,
    pub(super) drop_s: f64,
    #[serde(flatten)]
    pub(super) end: End,
}

/// The state at the end of the window.
#[derive(Serialize)]
pub(super) struct End {
    #[serde(skip)]
    pub(super) step: u64,
    pub(super) mean_displacement_m: f64,
    /// NaN, and so `null`, for a single robot.
    pub(super) mean_nearest_m: f64,
    /// `None` where the system does not provide it, or not for this workload alone.
    pub(super) peak_rss_mb: Option<f64>,
    /// The hash of the state, in hexadecimal digits: the same for any number of threads.
    pub(super) hash: String,
}

impl End {
    fn from_simulation(simulation: &Simulation, start: &[DVec2], peak_rss_mb: Option<f64>) -> Self {
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
    let is_reset = reset_peak_rss();
    let [mut set_ups_s, mut windows_s, mut drops_s] = [const { Vec::new() }; 3];
    loop {
        let simulation = timed(&mut set_ups_s, || Simulation::with(scene, recipe, threads));
        let mut simulation = simulation?;
        let start = positions(&simulation);
        let window @ Window { warm_up, steps, .. } = Window::for_robots(start.len());
        simulation.step(warm_up);
        timed(&mut windows_s, || simulation.step(steps));
        let is_last = window.is_enough(&windows_s);
        // The memory is read first, since the other indicators need memory, too.
        let peak_rss_mb = (is_last && is_reset).then(peak_rss_mb).flatten();
        let end = is_last.then(|| End::from_simulation(&simulation, &start, peak_rss_mb));
        let dt_s = simulation.time().dt_s;
        timed(&mut drops_s, || drop(simulation));
        let Some(end) = end else { continue };
        let [(set_up_s, _), (window_s, median_s), (drop_s, _)] = [set_ups_s, windows_s, drops_s].map(best_and_median);
        return Ok(Measured {
            workload,
            n: start.len(),
            threads,
            steps,
            ns_per_robot_step: window_s * 1e9 / (steps * start.len().max(1) as u64) as f64,
            spread: median_s / window_s - 1.0,
            ms_per_step: window_s * 1e3 / steps as f64,
            real_time_factor: steps as f64 * dt_s / window_s,
            set_up_s,
            drop_s,
            end,
        });
    }
}

/// Does some work, and adds its duration to a list, in seconds.
fn timed<T>(times_s: &mut Vec<f64>, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let done = work();
    times_s.push(start.elapsed().as_secs_f64());
    done
}

/// The shortest time and the median; of an even number, the upper median.
fn best_and_median(mut times_s: Vec<f64>) -> (f64, f64) {
    times_s.sort_unstable_by(f64::total_cmp);
    let at = |place: usize| times_s.get(place).copied().unwrap_or(f64::NAN);
    (at(0), at(times_s.len() / 2))
}

fn positions(simulation: &Simulation) -> Vec<DVec2> {
    simulation.agents().map(|agent| agent.pose.position_m).collect()
}

/// The peak memory of the process in megabytes, where the system provides it.
fn peak_rss_mb() -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let kibibytes = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?.trim().strip_suffix("kB")?;
    Some(kibibytes.trim().parse::<f64>().ok()? * 1024.0 / 1e6)
}

/// Resets [`peak_rss_mb`], and returns whether the system could. Otherwise the peak is that of all workloads so far.
fn reset_peak_rss() -> bool {
    fs::write("/proc/self/clear_refs", "5").is_ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn best_and_median_time_are_returned() {
        assert_eq!(best_and_median(vec![3.0, 1.0, 2.0]), (1.0, 2.0));
        assert_eq!(best_and_median(vec![3.0, 1.0]), (1.0, 3.0), "of two, the greater");
    }
}

//! The clock of a host: the number of steps in each frame.
//!
//! It reads no wall clock: the host passes in the elapsed real time, so the clock can be tested and replayed. It cannot
//! change a result; it only decides when steps run.

pub mod host;
pub mod statistics;
pub mod wall;

pub use crate::speed::{SLOWEST, UNLIMITED};
pub use host::{Host, Progress};
pub use statistics::Statistics;

use statistics::StepTimes;
use swarmarium_core::time::Strategy;
use swarmarium_scene::scene::description::Time;

/// Real time over which the achieved time scale is smoothed, in seconds.
const SMOOTHING_S: f64 = 0.5;
/// Best effort drops steps that are later than this, in seconds of real time: the time of one frame drawn in between is
/// caught up.
const CATCH_UP_S: f64 = 0.1;
/// The largest number of steps in a frame: enough for thousands of steps a second at 60 frames, and small enough to
/// count without overflow.
pub const MAX_STEPS_PER_FRAME: u64 = 1_000_000;

/// Converts real time into steps to run, and counts the steps done.
#[derive(Clone, Debug)]
pub struct Clock {
    /// The strategy for steps that the machine cannot compute in time.
    pub strategy: Strategy,
    /// Whether the clock is paused.
    pub paused: bool,
    /// The most steps of one frame.
    pub max_steps_per_frame: u64,
    scale: f64,
    /// Single steps requested while the clock is paused.
    singles: u64,
    /// Steps that are due, including the fraction of the next one.
    due: f64,
    dropped_s: f64,
    frame: Frame,
    achieved: Achieved,
    times: StepTimes,
}

/// The steps promised to a frame, to be settled after it.
#[derive(Clone, Copy, Debug, Default)]
struct Frame {
    dt_s: f64,
    /// Fraction of a step that was due before the frame; counting it keeps the achieved scale smooth in slow motion.
    fraction: f64,
    paced: bool,
}

/// Simulated and real time over about the last second.
#[derive(Clone, Copy, Debug, Default)]
struct Achieved {
    simulated_s: f64,
    real_s: f64,
}

impl Default for Clock {
    fn default() -> Self {
        Self {
            strategy: Strategy::default(),
            paused: false,
            max_steps_per_frame: MAX_STEPS_PER_FRAME,
            scale: 1.0,
            singles: 0,
            due: 0.0,
            dropped_s: 0.0,
            frame: Frame::default(),
            achieved: Achieved::default(),
            times: StepTimes::default(),
        }
    }
}

impl Clock {
    /// Creates a clock with a time scale.
    pub fn with_scale(scale: f64) -> Self {
        let mut clock = Self::default();
        clock.set_scale(scale);
        clock
    }

    /// Creates a clock with the settings of a scene.
    pub fn from_time(time: &Time) -> Self {
        let max_steps_per_frame = time.steps_per_frame(MAX_STEPS_PER_FRAME);
        Self { strategy: time.strategy, max_steps_per_frame, ..Self::with_scale(time.scale) }
    }

    /// The requested simulated seconds per second, from [`SLOWEST`] to [`UNLIMITED`].
    pub fn scale(&self) -> f64 {
        self.scale
    }

    /// Sets the time scale, limited to its range; a value that is not a number changes nothing.
    ///
    /// With fixed steps, a lower scale cancels the steps that are late: time continues at the new scale.
    pub fn set_scale(&mut self, scale: f64) {
        if scale.is_nan() {
            return;
        }
        let before = std::mem::replace(&mut self.scale, scale.clamp(SLOWEST, UNLIMITED));
        if self.scale < before && self.strategy == Strategy::FixedStep {
            self.due = self.due.min(1.0);
        }
    }

    /// Whether steps run as fast as the machine can.
    pub fn is_unlimited(&self) -> bool {
        self.scale >= UNLIMITED
    }

    /// Pauses the clock, and forgets requested single steps.
    pub fn pause(&mut self) {
        self.paused = true;
        self.singles = 0;
    }

    /// Pauses the clock and requests a number of steps.
    pub fn step_once(&mut self, steps: u64) {
        self.paused = true;
        self.singles = self.singles.saturating_add(steps);
    }

    /// The steps to run in a frame, given the real time since the last frame.
    pub fn frame(&mut self, real_s: f64, dt_s: f64) -> u64 {
        let paced = !self.paused && !self.is_unlimited();
        self.frame = Frame { dt_s, fraction: self.due.min(1.0), paced };
        if self.paused {
            return self.singles.min(self.max_steps_per_frame);
        }
        self.singles = 0;
        if self.is_unlimited() {
            self.due = 0.0;
            return self.max_steps_per_frame;
        }
        self.due += real_s.max(0.0) * self.scale / dt_s;
        // Tolerates the rounding of sums such as 60 × 1/60, which would delay a step by a frame.
        ((self.due + 1e-9) as u64).min(self.max_steps_per_frame)
    }

    /// Real seconds until the next step is due; `None` while the clock is paused.
    pub fn next_step_s(&self, dt_s: f64) -> Option<f64> {
        match self.paused {
            true if self.singles == 0 => None,
            false if !self.is_unlimited() => Some(((1.0 - self.due) * dt_s / self.scale).max(0.0)),
            _ => Some(0.0),
        }
    }

    /// Begins a frame whose steps others request, such as clients: the clock only measures. Requested single steps are
    /// discarded.
    pub fn follow(&mut self, steps: u64, dt_s: f64) {
        self.frame = Frame { dt_s, fraction: 0.0, paced: false };
        self.due = 0.0;
        if steps == 0 {
            self.singles = 0;
        }
    }

    /// Settles a frame, given the steps that it ran and the real time since the last frame.
    pub fn ran(&mut self, steps: u64, real_s: f64) {
        let Frame { dt_s, fraction, paced } = self.frame;
        let mut progress = steps as f64;
        if self.paused {
            self.times.pause();
            self.singles = self.singles.saturating_sub(steps);
        } else if paced {
            self.due = (self.due - progress).max(0.0);
            if self.strategy == Strategy::BestEffort {
                let most = (CATCH_UP_S * self.scale / dt_s).max(1.0);
                let dropped = (self.due - most).ceil().max(0.0);
                self.dropped_s += dropped * dt_s;
                self.due -= dropped;
            }
            progress += self.due.min(1.0) - fraction;
        }
        self.achieved.add(progress * dt_s, real_s);
    }

    /// Simulated seconds per second over about the last second.
    pub fn achieved_scale(&self) -> f64 {
        let Achieved { simulated_s, real_s } = self.achieved;
        if real_s > 0.0 { (simulated_s / real_s).max(0.0) } else { 0.0 }
    }

    /// Simulated time that was dropped because the machine could not keep up, in seconds.
    pub fn dropped_s(&self) -> f64 {
        self.dropped_s
    }

    /// Records the start of a step by a steady clock and its real duration, in seconds.
    pub fn took(&mut self, began_s: f64, step_s: f64) {
        self.times.add(began_s, step_s);
    }

    /// The requested and achieved speed, and the durations of steps.
    pub fn statistics(&self) -> Statistics {
        Statistics {
            strategy: self.strategy,
            dropped_s: self.dropped_s,
            requested_scale: self.scale,
            achieved_scale: self.achieved_scale(),
            ..self.times.statistics()
        }
    }

    /// Forgets due steps and counts, for a new simulation; keeps the settings.
    pub fn restart(&mut self) {
        let Self { strategy, paused, max_steps_per_frame, scale, .. } = *self;
        *self = Self { strategy, paused, max_steps_per_frame, scale, ..Self::default() };
    }
}

impl Achieved {
    fn add(&mut self, simulated_s: f64, real_s: f64) {
        let kept = swarmarium_base::math::exp(-real_s.max(0.0) / SMOOTHING_S);
        self.simulated_s = self.simulated_s * kept + simulated_s;
        self.real_s = self.real_s * kept + real_s.max(0.0);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FRAME_S: f64 = 1.0 / 60.0;
    const DT_S: f64 = 0.025;

    /// Runs frames of a machine that does at most `able` steps in each; returns the total number of steps.
    fn run(clock: &mut Clock, frames: u64, able: u64) -> u64 {
        let mut steps = 0;
        for _ in 0..frames {
            let done = clock.frame(FRAME_S, DT_S).min(able);
            clock.ran(done, FRAME_S);
            steps += done;
        }
        steps
    }

    #[test]
    fn a_clock_at_twice_real_time_gives_80_steps_a_second() {
        let mut clock = Clock::with_scale(2.0);
        assert_eq!(run(&mut clock, 60, u64::MAX), 80);
        assert_eq!(run(&mut clock, 600, u64::MAX), 800);
        assert!((clock.achieved_scale() - 2.0).abs() < 1e-6, "{}", clock.achieved_scale());
        assert_eq!(clock.dropped_s(), 0.0);
    }

    #[test]
    fn a_clock_in_slow_motion_is_smooth() {
        let mut clock = Clock::with_scale(0.01);
        assert_eq!(run(&mut clock, 6000, u64::MAX), 40);
        assert!((clock.achieved_scale() - 0.01).abs() < 1e-6, "{}", clock.achieved_scale());
    }

    #[test]
    fn a_paused_clock_gives_no_steps_and_catches_up_none() {
        let mut clock = Clock { paused: true, ..Clock::default() };
        assert_eq!(run(&mut clock, 600, u64::MAX), 0);
        assert!(clock.achieved_scale() == 0.0);
        clock.paused = false;
        assert_eq!(clock.frame(DT_S, DT_S), 1);
    }

    #[test]
    fn single_steps_pause_the_clock_and_are_given_once() {
        let mut clock = Clock::default();
        clock.step_once(1);
        clock.step_once(1);
        assert!(clock.paused);
        assert_eq!(run(&mut clock, 100, 1), 2);
    }

    #[test]
    fn resuming_forgets_single_steps() {
        let mut clock = Clock::default();
        clock.step_once(500);
        clock.paused = false;
        assert_eq!(clock.frame(0.0, DT_S), 0);
    }

    #[test]
    fn best_effort_drops_excess_time_and_reports_it() {
        let mut clock = Clock::default();
        assert_eq!(clock.frame(10.0, DT_S), 400);
        clock.ran(20, 10.0);
        assert!((clock.dropped_s() - 376.0 * DT_S).abs() < 1e-9);
        assert!(clock.frame(FRAME_S, DT_S) <= 5, "a tenth of a second is made up for");
    }

    #[test]
    fn a_slow_machine_achieves_less_than_asked_for() {
        let mut clock = Clock::with_scale(10.0);
        assert_eq!(run(&mut clock, 600, 2), 1200);
        assert!((clock.achieved_scale() - 3.0).abs() < 0.05, "{}", clock.achieved_scale());
        assert!((clock.dropped_s() + 30.0 - 100.0).abs() < 10.0 * CATCH_UP_S + DT_S);
    }

    #[test]
    fn steps_missing_in_a_short_frame_are_made_up() {
        let mut clock = Clock::with_scale(100.0);
        for able in [1, 1000].repeat(100) {
            let wanted = clock.frame(FRAME_S, DT_S);
            clock.ran(wanted.min(able), FRAME_S);
        }
        assert_eq!(clock.dropped_s(), 0.0);
    }

    #[test]
    fn next_step_s_is_the_time_until_the_next_step() {
        let mut clock = Clock::with_scale(0.5);
        assert_eq!(clock.next_step_s(DT_S), Some(2.0 * DT_S));
        let steps = clock.frame(0.5 * DT_S, DT_S);
        clock.ran(steps, 0.5 * DT_S);
        assert_eq!(clock.next_step_s(DT_S), Some(1.5 * DT_S));
        clock.paused = true;
        assert_eq!(clock.next_step_s(DT_S), None);
        clock.step_once(1);
        assert_eq!(clock.next_step_s(DT_S), Some(0.0));
    }

    #[test]
    fn fixed_step_drops_no_time() {
        let mut clock = Clock { strategy: Strategy::FixedStep, ..Clock::default() };
        assert_eq!(clock.frame(10.0, DT_S), 400);
        clock.ran(20, 10.0);
        assert_eq!(clock.frame(0.0, DT_S), 380);
        clock.ran(380, 0.0);
        assert_eq!(clock.dropped_s(), 0.0);
    }

    #[test]
    fn a_lower_scale_discards_the_backlog() {
        let mut clock = Clock { strategy: Strategy::FixedStep, ..Clock::with_scale(1000.0) };
        assert_eq!(clock.frame(1.0, DT_S), 40_000);
        clock.ran(1, 1.0);
        clock.set_scale(1.0);
        assert_eq!(run(&mut clock, 60, u64::MAX), 41, "one was due");
    }

    #[test]
    fn a_frame_has_at_most_max_steps_per_frame() {
        let mut clock = Clock { max_steps_per_frame: 5, ..Clock::default() };
        assert_eq!(clock.frame(10.0, DT_S), 5);
        clock.set_scale(f64::INFINITY);
        assert_eq!(clock.frame(FRAME_S, DT_S), 5);
        clock.step_once(50);
        assert_eq!(clock.frame(FRAME_S, DT_S), 5);
    }

    #[test]
    fn unlimited_scale_fills_the_frame_and_catches_up_nothing_later() {
        let mut clock = Clock::with_scale(f64::INFINITY);
        assert!(clock.is_unlimited());
        assert_eq!(run(&mut clock, 10, 100), 1000);
        clock.set_scale(1.0);
        assert!(clock.frame(FRAME_S, DT_S) <= 1);
        assert_eq!(clock.dropped_s(), 0.0);
    }

    #[test]
    fn time_scales_are_clamped() {
        let mut clock = Clock::with_scale(0.0);
        assert_eq!(clock.scale(), SLOWEST);
        clock.set_scale(f64::NAN);
        assert_eq!(clock.scale(), SLOWEST);
        clock.set_scale(1e9);
        assert_eq!(clock.scale(), UNLIMITED);
    }

    #[test]
    fn overload_drops_time_with_best_effort_and_none_with_fixed_steps() {
        const STEP_S: f64 = 1.0 / 60.0;
        // At twice real time each step has a 120th of a second; this machine takes a 60th, half of the requested speed.
        let run = |strategy| {
            let mut clock = Clock { strategy, ..Clock::with_scale(2.0) };
            for _ in 0..600 {
                let steps = clock.frame(STEP_S, STEP_S).min(1);
                clock.ran(steps, STEP_S);
                (0..steps).for_each(|_| clock.took(0.0, STEP_S));
            }
            clock
        };
        let (best, fixed) = (run(Strategy::BestEffort).statistics(), run(Strategy::FixedStep));
        assert_eq!(best.steps, 600);
        assert_eq!(best.stretched_steps, 0);
        // 20 s were requested and 10 s done; a tenth of a second of real time is caught up.
        assert!((best.dropped_s - 9.8).abs() < 0.05, "{}", best.dropped_s);
        assert!((best.achieved_scale - 1.0).abs() < 0.01 && best.requested_scale == 2.0);
        assert_eq!(fixed.statistics().dropped_s, 0.0);
        assert_eq!(fixed.statistics().steps, 600);
        // All late steps are still due.
        let mut late = fixed;
        assert_eq!(late.frame(0.0, STEP_S), 600);
        late.ran(600, 10.0);
        assert_eq!(late.dropped_s(), 0.0);
    }

    #[test]
    fn a_simulated_second_has_sixty_steps_at_every_scale() {
        for (scale, frames) in [(0.5, 120), (1.0, 60), (2.0, 30), (4.0, 15)] {
            let mut clock = Clock::with_scale(scale);
            let mut steps = 0;
            for _ in 0..frames {
                let wanted = clock.frame(FRAME_S, 1.0 / 60.0);
                clock.ran(wanted, FRAME_S);
                steps += wanted;
            }
            assert_eq!(steps, 60, "{scale}");
        }
    }

    #[test]
    fn a_clock_takes_scale_and_strategy_of_its_scene() {
        let time = Time { strategy: Strategy::FixedStep, scale: 3.0, max_steps_per_frame: 7, ..Time::default() };
        let clock = Clock::from_time(&time);
        assert_eq!(clock.strategy, Strategy::FixedStep);
        assert_eq!(clock.scale(), 3.0);
        assert_eq!(clock.max_steps_per_frame, 7);
        assert_eq!(Clock::from_time(&Time::default()).max_steps_per_frame, MAX_STEPS_PER_FRAME);
    }

    #[test]
    fn restarting_a_clock_keeps_its_scale_and_strategy() {
        let mut clock = Clock { strategy: Strategy::FixedStep, ..Clock::with_scale(4.0) };
        clock.frame(10.0, DT_S);
        clock.ran(1, 10.0);
        clock.restart();
        assert_eq!(clock.scale(), 4.0);
        assert_eq!(clock.strategy, Strategy::FixedStep);
        assert_eq!(clock.frame(0.0, DT_S), 0);
        assert_eq!(clock.dropped_s(), 0.0);
    }
}

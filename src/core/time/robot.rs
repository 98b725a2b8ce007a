//! Imperfect clocks of robots.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;

use super::rate;
use crate::random::Seed;
use crate::time::SimTime;

/// Clock of a robot, used by its sensors and its controller for times and rates.
///
/// Its time is a function of the seed, the robot and the step.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct RobotClock {
    /// Offset at the start; positive if the clock is ahead.
    #[reflect(@Limits::between(-1e9, 1e9))]
    pub offset_s: f64,
    /// Standard deviation of the offset between robots.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub offset_std_dev_s: f64,
    /// Drift rate in millionths; positive if the clock is fast.
    #[reflect(@Limits::between(-5e5, 1e6))]
    pub drift_ppm: f64,
    /// Standard deviation of the drift rate between robots, in millionths.
    #[reflect(@Limits::between(0.0, 1e5))]
    pub drift_std_dev_ppm: f64,
    /// Standard deviation of the jitter of each reading of the clock; it does not delay actions that are due by the
    /// clock.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub jitter_std_dev_s: f64,
    /// Interval of resynchronisation in simulated time, at which offset and drift restart; 0 for never.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub resync_s: f64,
}

/// Lowest rate of a clock relative to time, so that it always advances.
const SLOWEST: f64 = 0.5;

/// The drawn clock of one robot.
#[derive(Clone, Copy, Debug)]
struct Own {
    offset_s: f64,
    speed: f64,
    resync_s: f64,
}

impl Own {
    /// Clock time without jitter.
    fn at_s(&self, now_s: f64) -> f64 {
        let ahead_s = if self.last_set_s(now_s) > 0.0 { 0.0 } else { self.offset_s };
        ahead_s + self.since_start_s(now_s)
    }

    /// Time since the start by this clock, without its initial offset.
    fn since_start_s(&self, now_s: f64) -> f64 {
        let set_s = self.last_set_s(now_s);
        set_s + self.speed * (now_s - set_s)
    }

    /// Time of the last resynchronisation; 0 before the first.
    fn last_set_s(&self, now_s: f64) -> f64 {
        // Tolerance for rounding errors just before a resynchronisation.
        if self.resync_s > 0.0 { (now_s / self.resync_s + 1e-9).floor() * self.resync_s } else { 0.0 }
    }
}

impl RobotClock {
    fn of(&self, seed: Seed, id: StableId) -> Own {
        let mut stream = seed.stream(id, "clock");
        let (offset, drift) = (stream.normal(), stream.normal());
        let speed = 1.0 + (self.drift_ppm + self.drift_std_dev_ppm * drift) * 1e-6;
        Own {
            offset_s: self.offset_s + self.offset_std_dev_s * offset,
            speed: speed.max(SLOWEST),
            resync_s: self.resync_s,
        }
    }

    /// Clock time of a robot at the end of a step (s).
    pub fn now_s(&self, seed: Seed, id: StableId, time: &SimTime) -> f64 {
        let shown = self.of(seed, id).at_s(time.now_s());
        if self.jitter_std_dev_s == 0.0 {
            return shown;
        }
        shown + self.jitter_std_dev_s * seed.stream(id, "clock jitter").at_step(time.step).normal()
    }

    /// Whether an action with a rate and a phase is due at the current step by this clock: as [`rate::is_due`], for the
    /// time since the start by this clock, without its initial offset. After the clock was set back, actions in between
    /// are due again.
    pub fn is_due(&self, seed: Seed, id: StableId, time: &SimTime, (rate_hz, phase_s): (f64, f64)) -> bool {
        let own = self.of(seed, id);
        // From half-way to the next step on, due times are nearer to that step.
        let since_start_s = |steps: f64| own.since_start_s(steps * time.dt_s);
        let until_s = since_start_s(time.step as f64 + 0.5);
        if rate_hz <= 0.0 || rate_hz * time.dt_s * own.speed >= 1.0 {
            return until_s > phase_s;
        }
        let turns = |until_s: f64| ((until_s - phase_s) * rate_hz).ceil().max(0.0);
        let before = if time.step <= 1 { 0.0 } else { turns(since_start_s(time.step as f64 - 0.5)) };
        turns(until_s) > before
    }
}

/// Whether an action with a rate and a phase is due at the current step: by the clock of a robot if it has one.
pub fn is_due(clock: Option<(&RobotClock, Seed, StableId)>, time: &SimTime, (rate_hz, phase_s): (f64, f64)) -> bool {
    match clock {
        Some((clock, seed, id)) => clock.is_due(seed, id, time, (rate_hz, phase_s)),
        None => rate::is_due(time, rate_hz, phase_s),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const ID: StableId = StableId::agent(3);

    fn due(clock: &RobotClock, rate_hz: f64, phase_s: f64, steps: u64) -> Vec<u64> {
        let is_due = |step: &u64| clock.is_due(Seed(1), ID, &SimTime { step: *step, dt_s: 0.025 }, (rate_hz, phase_s));
        (1..=steps).filter(is_due).collect()
    }

    proptest! {
        #[test]
        fn an_exact_robot_clock_keeps_the_rates_of_the_simulation(rate_hz in 0.1..50.0_f64, phase_s in 0.0..0.5_f64) {
            let plain = |step: &u64| rate::is_due(&SimTime { step: *step, dt_s: 0.025 }, rate_hz, phase_s);
            prop_assert_eq!(due(&RobotClock::default(), rate_hz, phase_s, 400), (1..=400).filter(plain).collect::<Vec<_>>());
        }
    }

    #[test]
    fn robot_clocks_have_the_stated_skew_and_offset() {
        let clock = RobotClock { offset_s: 2.0, drift_ppm: 1000.0, ..RobotClock::default() };
        let at = |clock: &RobotClock, step| clock.now_s(Seed(1), ID, &SimTime { step, dt_s: 0.1 });
        assert!((at(&clock, 0) - 2.0).abs() < 1e-12 && (at(&clock, 1000) - 102.1).abs() < 1e-9);
        let set = RobotClock { resync_s: 10.0, ..clock };
        assert!((at(&set, 99) - 11.9099).abs() < 1e-9, "{}", at(&set, 99));
        assert!((at(&set, 100) - 10.0).abs() < 1e-6 && (at(&set, 150) - 15.005).abs() < 1e-9, "{}", at(&set, 100));
        let fast = RobotClock { drift_ppm: 1e6, ..RobotClock::default() };
        assert_eq!(due(&fast, 4.0, 0.0, 20), [1, 5, 10, 15, 20], "twice as often");
    }

    #[test]
    fn a_robot_clock_that_starts_late_does_not_wait() {
        for offset_s in [-5.0, 0.5, 7.0] {
            let clock = RobotClock { offset_s, ..RobotClock::default() };
            assert_eq!(due(&clock, 1.0, 0.0, 90), [1, 40, 80], "{offset_s}");
            assert_eq!(due(&clock, 0.0, 0.1, 6), [4, 5, 6], "{offset_s}");
        }
        let various = RobotClock { offset_s: -5.0, offset_std_dev_s: 3.0, resync_s: 2.0, ..RobotClock::default() };
        let plain: Vec<u64> = due(&RobotClock::default(), 7.0, 0.05, 200);
        for agent in 0..20 {
            let time = |step| SimTime { step, dt_s: 0.025 };
            let is_due = |step: &u64| various.is_due(Seed(1), StableId::agent(agent), &time(*step), (7.0, 0.05));
            assert_eq!((1..=200).filter(is_due).collect::<Vec<_>>(), plain, "{agent}");
        }
    }

    #[test]
    fn robot_clocks_differ_and_jitter_keeps_the_mean_rate() {
        let clock = RobotClock { offset_std_dev_s: 0.5, drift_std_dev_ppm: 50.0, ..RobotClock::default() };
        let time = SimTime { step: 400, dt_s: 0.025 };
        let at = |agent| clock.now_s(Seed(1), StableId::agent(agent), &time);
        assert!((0..9).all(|agent| at(agent) != at(agent + 1) && at(agent) == at(agent)));
        let offsets: Vec<f64> = (0..4000).map(|agent| at(agent) - 10.0).collect();
        let spread = (offsets.iter().map(|offset| offset * offset).sum::<f64>() / 4000.0).sqrt();
        assert!((spread - 0.5).abs() < 0.03, "{spread}");
        let shaky = RobotClock { jitter_std_dev_s: 0.2, ..clock };
        assert_eq!(due(&shaky, 7.0, 0.0, 300), due(&clock, 7.0, 0.0, 300));
        assert!(shaky.now_s(Seed(1), ID, &time) != clock.now_s(Seed(1), ID, &time));
    }
}

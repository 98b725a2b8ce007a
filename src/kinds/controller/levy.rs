//! Search by a Lévy walk: many short walks and a few very long ones.

use std::f64::consts::PI;

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{atan2, cos, gamma, ln, pow, sin, tan};
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::random::Stream;

/// Alternates walks and turns, without sensors. A collision ends the present walk or turn, unless `ends_at_collision` is
/// false (RobotSwarmSimulator `LevyController`).
///
/// `Straight`: it walks a length with the distribution `lengths`, times `step_m`. It then turns on the spot by an angle
/// with a wrapped Cauchy distribution about 0; with a concentration of 0 it is uniform, and above 0 the walk is a
/// correlated random walk. `Curving`: it moves for T / 2 along an arc to the left or to the right, then for T / 2
/// straight on, where T = `curve_s` / z² and z is standard normal, so that T has a Lévy distribution. In both styles,
/// walks that take longer than `max_duration_s` are drawn again.
#[kind(Copy, section = "Simple", words = "wander, random walk, explore, search, random")]
pub struct Levy {
    /// Speed of walks.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(0.2)]
    pub v_m_per_s: f64,
    /// Turn rate of turns on the spot.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(1.0)]
    pub turn_rad_per_s: f64,
    /// Style of walks and turns. `Straight`: straight walks, and turns on the spot. `Curving`: turns while walking, and
    /// then a straight walk of the same duration.
    #[default(Style::Straight)]
    pub style: Style,
    /// Exponent β of straight walks. `None`: every robot draws its own from a uniform distribution from 1 to 2.
    #[reflect(@Limits::between(0.3, 2.0))]
    pub exponent: Option<f64>,
    /// Distribution of the lengths of straight walks, in units of `step_m`, with the exponent β. `Mantegna`: abs(u) /
    /// abs(v)^(1/β), where u and v are normally distributed with the standard deviations σ and 1, and σ^β = Γ(1 + β)
    /// sin(π β / 2) / (Γ((1 + β) / 2) β 2^((β − 1) / 2)); β is at most 1.99. `Stable`: the absolute value of a
    /// symmetric stable variable with the scale 1: for β = 2 a normal one with the standard deviation √2, for β = 1
    /// that of Cauchy.
    pub lengths: Lengths,
    /// Concentration ρ of the turns between straight walks: the length of the mean of the turned unit vectors. 0:
    /// uniform; 1: no turns.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub turn_concentration: f64,
    /// Unit of length of straight walks.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(1.0)]
    pub step_m: f64,
    /// Unit of time of curves.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(2.5)]
    pub curve_s: f64,
    /// Maximum duration of a walk, or of a curve and the walk after it.
    #[reflect(@Limits::up_to(1e6))]
    #[default(30.0)]
    pub max_duration_s: f64,
    /// Whether a collision ends a walk or a turn. Otherwise, a robot in front of a wall keeps pushing until its walk ends,
    /// like a robot without a bumper.
    #[default(true)]
    pub ends_at_collision: bool,
    /// `Classic` is the controller of RobotSwarmSimulator, which takes values per second for values per step: a walk
    /// takes as many steps as its length is a multiple of the speed, a turn as many as its angle is a multiple of the
    /// turn rate. Straight walks have no maximum duration, and curves go to the left.
    #[default(Variant::Corrected)]
    pub variant: Variant,
}

/// The style of the walks of a [`Levy`] controller.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Style {
    /// Straight walks, and turns on the spot.
    #[default]
    Straight,
    /// Turns while walking, and then a straight walk of the same duration.
    Curving,
}

/// The distribution of the lengths of straight walks of a [`Levy`] controller, with the exponent β.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Lengths {
    /// |u| / |v|^(1/β), where u and v are normally distributed with the standard deviations σ and 1, and σ^β = Γ(1 + β)
    /// sin(π β / 2) / (Γ((1 + β) / 2) β 2^((β − 1) / 2)): the tail of a stable distribution, for β < 2 (Mantegna: "Fast,
    /// accurate algorithm for numerical simulation of Lévy stable stochastic processes", 1994).
    #[default]
    Mantegna,
    /// The absolute value of a symmetric stable distribution with the scale 1: for β = 2 a normal one with the standard
    /// deviation √2, for β = 1 that of Cauchy (Chambers, Mallows, Stuck: "A method for simulating stable random
    /// variables", 1976).
    Stable,
}

/// The memory of a [`Levy`] controller.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Walk {
    /// Whether it turns instead of walking.
    turning: bool,
    /// The step at which the present walk or turn ends; 0 before the first one.
    until: u64,
    /// The present command.
    drive: Drive,
    /// The planned number of steps of its curve, which the walk after it takes too.
    half: Option<u64>,
}

/// Values that are too long are drawn again this often, then cut.
const DRAWS: usize = 1000;

impl Controller for Levy {
    type Memory = Walk;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const FEELS_TOUCH: bool = true;

    fn command(&self, walk: &mut Walk, senses: Senses) -> Command {
        let now = senses.time.step;
        if now >= walk.until || (senses.touched && self.ends_at_collision) {
            // The first action is a walk.
            let turning = walk.until > 0 && !walk.turning;
            let (drive, steps) = match (self.style, turning) {
                (Style::Straight, true) => self.turn_on_the_spot(senses),
                (Style::Straight, false) => self.walk_straight(senses),
                (Style::Curving, _) => self.half_of_a_curve(turning, walk.half.filter(|_| !turning), senses),
            };
            let half = (self.style == Style::Curving && turning).then_some(steps);
            *walk = Walk { turning, until: now.saturating_add(steps.max(1)), drive, half };
        }
        walk.drive.into()
    }

    fn problem(&self) -> Option<String> {
        let is_without_length =
            self.lengths == Lengths::Mantegna && self.exponent.is_some_and(|exponent| exponent > 1.99);
        is_without_length
            .then(|| "`exponent` must be at most 1.99 with the lengths `Mantegna`; `Stable` allows 2".into())
    }
}

impl Levy {
    fn turn_on_the_spot(&self, senses: Senses) -> (Drive, u64) {
        let mut random = senses.random("levy turn");
        // Scenes without a concentration keep their random numbers.
        let angle = match self.turn_concentration {
            0.0 => random.between(-PI, PI),
            concentration => wrapped_cauchy(concentration, &mut random),
        };
        let (rate, dt_s) = (self.turn_rad_per_s, senses.time.dt_s);
        if rate == 0.0 {
            return (Drive::default(), 1);
        }
        let (turn_rad_per_s, steps) = match self.variant {
            // Slightly slower, so that a whole number of steps gives the angle.
            Variant::Corrected => {
                let steps = (angle.abs() / (rate * dt_s)).ceil().max(1.0);
                (angle / (steps * dt_s), steps)
            }
            Variant::Classic => (rate.copysign(angle), (angle / rate).floor().abs() + 1.0),
        };
        (Drive { v_m_per_s: 0.0, turn_rad_per_s }, steps as u64)
    }

    fn walk_straight(&self, senses: Senses) -> (Drive, u64) {
        let (speed, dt_s) = (self.v_m_per_s.abs(), senses.time.dt_s);
        if speed == 0.0 {
            return (Drive::default(), 1);
        }
        let exponent =
            self.exponent.unwrap_or_else(|| senses.seed.stream(senses.owner, "levy exponent").between(1.0, 2.0));
        let mut random = senses.random("levy walk");
        let mut length_m = || {
            let length = match self.lengths {
                Lengths::Mantegna => mantegna(exponent, &mut random),
                Lengths::Stable => stable(exponent, &mut random).abs(),
            };
            self.step_m * length
        };
        let (v_m_per_s, steps) = match self.variant {
            Variant::Corrected => {
                let longest_m = self.max_duration_s * speed;
                let length_m = drawn_up_to(longest_m, length_m);
                let steps = (length_m / (speed * dt_s)).ceil().max(1.0);
                (length_m / (steps * dt_s), steps)
            }
            Variant::Classic => (speed, (length_m() / speed).floor() + 1.0),
        };
        (Drive { v_m_per_s: v_m_per_s.copysign(self.v_m_per_s), turn_rad_per_s: 0.0 }, steps as u64)
    }

    /// A curve, or the walk after it, which takes the planned number of steps of the curve.
    fn half_of_a_curve(&self, turning: bool, before: Option<u64>, senses: Senses) -> (Drive, u64) {
        let mut random = senses.random("levy curve");
        let is_left = self.variant == Variant::Classic || random.unit() < 0.5;
        let rate = if is_left { self.turn_rad_per_s } else { -self.turn_rad_per_s };
        let time_s = || self.curve_s / random.normal().powi(2);
        let steps = before
            .unwrap_or_else(|| (drawn_up_to(self.max_duration_s, time_s) / 2.0 / senses.time.dt_s).round() as u64);
        (Drive { v_m_per_s: self.v_m_per_s, turn_rad_per_s: if turning { rate } else { 0.0 } }, steps)
    }
}

/// An angle with a wrapped Cauchy distribution about 0 (rad).
fn wrapped_cauchy(concentration: f64, random: &mut Stream) -> f64 {
    2.0 * atan2((1.0 - concentration) * tan(PI * (random.unit() - 0.5)), 1.0 + concentration)
}

/// A number with a symmetric stable law with the scale 1.
fn stable(exponent: f64, random: &mut Stream) -> f64 {
    let angle = PI * (random.unit() - 0.5);
    let waiting = -ln(1.0 - random.unit());
    let ratio = cos((1.0 - exponent) * angle) / waiting;
    sin(exponent * angle) / pow(cos(angle), 1.0 / exponent) * pow(ratio, (1.0 - exponent) / exponent)
}

/// The first number that is not too large.
fn drawn_up_to(largest: f64, draw: impl FnMut() -> f64) -> f64 {
    std::iter::repeat_with(draw).take(DRAWS).find(|drawn| *drawn <= largest).unwrap_or(largest)
}

/// The length of a step of a Lévy walk.
fn mantegna(exponent: f64, random: &mut Stream) -> f64 {
    let top = gamma(1.0 + exponent) * sin(PI * exponent / 2.0);
    let bottom = gamma(f64::midpoint(1.0, exponent)) * exponent * pow(2.0, (exponent - 1.0) / 2.0);
    let spread = pow(top / bottom, 1.0 / exponent);
    let (u, v) = (spread * random.normal(), random.normal());
    u.abs() / pow(v.abs(), 1.0 / exponent)
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;
    use swarmarium_core::time::SimTime;

    use super::*;

    const DT_S: f64 = 0.1;

    /// The command and whether it turns, step by step.
    fn drives(levy: &Levy, steps: u64, touched: impl Fn(u64) -> bool) -> Vec<(bool, Drive)> {
        let mut walk = Walk::default();
        let drive = |step| {
            let time = SimTime { step, dt_s: DT_S };
            let senses = Senses { time: &time, touched: touched(step), seed: Seed(5), ..Senses::of(&[]) };
            levy.command(&mut walk, senses);
            (walk.turning, walk.drive)
        };
        (1..=steps).map(drive).collect()
    }

    /// The phases: whether it turns, the command, and the number of steps.
    fn phases(drives: &[(bool, Drive)]) -> Vec<(bool, Drive, usize)> {
        drives.chunk_by(|a, b| a == b).map(|same| (same[0].0, same[0].1, same.len())).collect()
    }

    #[test]
    fn levy_walks_first_and_turns_on_the_spot_by_any_angle() {
        let phases = phases(&drives(&Levy::default(), 200_000, |_| false));
        let phases = &phases[..phases.len() - 1];
        assert!(phases.iter().enumerate().all(|(index, phase)| phase.0 == (index % 2 == 1)));
        let turns: Vec<f64> = phases
            .iter()
            .filter(|phase| phase.0)
            .map(|(_, drive, steps)| drive.turn_rad_per_s * *steps as f64 * DT_S)
            .collect();
        assert!(turns.iter().all(|turn| turn.abs() <= PI) && turns.len() > 1000);
        let mean = turns.iter().sum::<f64>() / turns.len() as f64;
        let spread = turns.iter().map(|turn| turn * turn).sum::<f64>() / turns.len() as f64;
        assert!(mean.abs() < 0.2 && (spread - PI * PI / 3.0).abs() < 0.3, "{mean} {spread}");
        let limits = |(_, drive, _): &(bool, Drive, usize)| drive.v_m_per_s <= 0.2 && drive.turn_rad_per_s.abs() <= 1.0;
        assert!(phases.iter().all(limits));
    }

    #[test]
    fn collisions_end_walks_of_robots_with_bumpers_only() {
        let bumper = Levy { turn_concentration: 0.5, ..Levy::default() };
        let (free, touched) = (drives(&bumper, 1000, |_| false), drives(&bumper, 1000, |step| step == 4));
        assert!(free[..3] == touched[..3] && free[3] != touched[3]);
        let without = Levy { ends_at_collision: false, ..bumper };
        assert_eq!(drives(&without, 1000, |step| step == 4), free);
    }

    /// The median of |u| / |v| for β = 1, where the steps are those of a Cauchy distribution, is 1.
    #[test]
    fn levy_steps_have_the_tail_of_their_exponent() {
        let mut random = Seed(1).stream(StableId::agent(0), "test");
        let mut lengths = |exponent| (0..20_000).map(|_| mantegna(exponent, &mut random)).collect::<Vec<f64>>();
        let beyond = |lengths: &[f64], far| lengths.iter().filter(|length| **length > far).count() as f64 / 20_000.0;
        let cauchy = lengths(1.0);
        assert!((beyond(&cauchy, 1.0) - 0.5).abs() < 0.02);
        for exponent in [1.0, 1.5] {
            let lengths = lengths(exponent);
            let fall = beyond(&lengths, 10.0) / beyond(&lengths, 40.0);
            assert!((fall.log(4.0) - exponent).abs() < 0.2, "{exponent}: {}", fall.log(4.0));
        }
    }

    /// The largest difference of the distribution of some numbers from a law (Kolmogorov–Smirnov), times the root of
    /// their number: below 1.95 with a probability of 0.999.
    fn kolmogorov_smirnov(mut drawn: Vec<f64>, below: impl Fn(f64) -> f64) -> f64 {
        drawn.sort_by(f64::total_cmp);
        let n = drawn.len() as f64;
        let off = |(place, at): (usize, &f64)| {
            let share = below(*at);
            (share - place as f64 / n).max((place + 1) as f64 / n - share)
        };
        drawn.iter().enumerate().map(off).fold(0.0, f64::max) * n.sqrt()
    }

    #[test]
    fn stable_lengths_follow_their_laws() {
        let mut random = Seed(3).stream(StableId::agent(0), "test");
        let mut draw = |exponent| (0..20_000).map(|_| stable(exponent, &mut random)).collect::<Vec<f64>>();
        let normal = draw(2.0);
        let variance = normal.iter().map(|drawn| drawn * drawn).sum::<f64>() / 20_000.0;
        assert!((variance - 2.0).abs() < 0.1, "{variance}");
        let below = |x: f64| swarmarium_base::math::normal_below(x / 2.0_f64.sqrt());
        assert!(kolmogorov_smirnov(normal, below) < 1.95);
        let cauchy = draw(1.0);
        assert!(kolmogorov_smirnov(cauchy, |x| 0.5 + atan2(x, 1.0) / PI) < 1.95);
        // The characteristic function of a stable law is exp(−|t|^β).
        for exponent in [0.8, 1.2, 1.6] {
            let drawn = draw(exponent);
            for t in [0.3, 1.0, 2.0] {
                let mean = drawn.iter().map(|x| cos(t * x)).sum::<f64>() / 20_000.0;
                let expected = swarmarium_base::math::exp(-pow(t, exponent));
                assert!((mean - expected).abs() < 0.02, "{exponent} {t}: {mean} {expected}");
            }
        }
    }

    #[test]
    fn turns_follow_a_wrapped_cauchy_distribution() {
        let mut random = Seed(4).stream(StableId::agent(0), "test");
        for concentration in [0.0, 0.15, 0.6, 0.9] {
            let drawn: Vec<f64> = (0..20_000).map(|_| wrapped_cauchy(concentration, &mut random)).collect();
            let resultant = drawn.iter().map(|angle| cos(*angle)).sum::<f64>() / 20_000.0;
            assert!((resultant - concentration).abs() < 0.02, "{concentration}: {resultant}");
            let ratio = (1.0 + concentration) / (1.0 - concentration);
            let below = |angle: f64| 0.5 + atan2(ratio * tan(angle / 2.0), 1.0) / PI;
            assert!(kolmogorov_smirnov(drawn, below) < 1.95, "{concentration}");
        }
        let straight = Levy { turn_concentration: 1.0, ..Levy::default() };
        assert!(drives(&straight, 200, |_| false).iter().all(|(_, drive)| drive.turn_rad_per_s.abs() < 1e-9));
    }

    #[test]
    fn lengths_of_mantegna_need_an_exponent_below_two() {
        assert!(Levy { exponent: Some(2.0), ..Levy::default() }.problem().is_some());
        assert!(Levy { exponent: Some(2.0), lengths: Lengths::Stable, ..Levy::default() }.problem().is_none());
    }

    #[test]
    fn levy_curves_are_as_long_as_the_walks_after_them() {
        let levy = Levy { style: Style::Curving, max_duration_s: 20.0, ..Default::default() };
        let phases = phases(&drives(&levy, 20_000, |_| false));
        let pairs: Vec<_> = phases[1..phases.len() - 1].chunks_exact(2).collect();
        assert!(pairs.len() > 50 && pairs.iter().all(|pair| pair[0].2 == pair[1].2 && pair[0].2 <= 100));
        let turn = |sign: f64| pairs.iter().filter(|pair| pair[0].1.turn_rad_per_s == sign).count();
        assert!(turn(1.0) > 10 && turn(-1.0) > 10 && turn(1.0) + turn(-1.0) == pairs.len());
        assert!(pairs.iter().all(|pair| pair[0].1.v_m_per_s == 0.2 && pair[1].1.turn_rad_per_s == 0.0));
    }

    #[test]
    fn a_collision_ends_a_levy_walk() {
        let levy = Levy { exponent: Some(0.5), max_duration_s: 1e5, step_m: 1e3, ..Default::default() };
        assert_eq!(phases(&drives(&levy, 40, |_| false)).len(), 1);
        let hit = drives(&levy, 40, |step| step == 20);
        assert!(!hit[18].0 && hit[19].0);
    }

    #[test]
    fn classic_levy_walks_take_length_divided_by_speed_steps() {
        let (variant, exponent) = (Variant::Classic, Some(1.0));
        let levy = Levy { variant, exponent, ..Default::default() };
        let phases = phases(&drives(&levy, 20_000, |_| false));
        assert!(phases.iter().all(|(turning, drive, _)| {
            if *turning { drive.turn_rad_per_s.abs() == 1.0 } else { drive.v_m_per_s == 0.2 }
        }));
        assert!(phases.iter().filter(|phase| phase.0).all(|phase| phase.2 <= 5), "an angle of at most π, and one");
    }

    #[test]
    fn levy_continues_when_a_robot_cannot_move_or_turn() {
        for style in [Style::Straight, Style::Curving] {
            let levy = Levy { v_m_per_s: 0.0, turn_rad_per_s: 0.0, curve_s: 0.0, style, ..Default::default() };
            assert!(drives(&levy, 10, |_| false).iter().all(|(_, drive)| *drive == Drive::default()));
        }
    }
}

//! An active Brownian particle.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_SPEED_M_PER_S};
use swarmarium_base::math::{direction, exp, sin_cos};
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::motion::{Draws, MotionModel, along_arc, steering};

/// An active Brownian particle: it moves along its heading at its own speed, its heading diffuses, and so does its
/// position (Bechinger et al.: "Active particles in complex and crowded environments", Reviews of Modern Physics 88,
/// 2016).
///
/// Commands only turn it: the speed of a command has no effect. Given a course, it turns towards it. Without a turn,
/// the mean squared displacement after the time t is 4 D t + 2 (v / R)² (R t − 1 + exp(−R t)), for the speed v, the
/// translational diffusion D and the rotational diffusion R. The means and variances of heading and displacement are
/// exact for any length of a step.
///
/// With another `turning`, the particle moves straight within a step, and these formulas hold for short steps only.
/// `BeforeMoving` or `AfterMoving` with the commands of a `ZonalModel` is the particle of Vicsek et al. (1995).
#[kind(Copy, section = "Free", words = "active brownian, particle, vicsek, bacteria")]
pub struct SelfPropelledPoint {
    /// Speed along the heading.
    #[reflect(@Limits::between(0.0, MAX_SPEED_M_PER_S))]
    #[default(0.1)]
    pub speed_m_per_s: f64,
    /// Rotational diffusion R: the variance of the heading grows by 2 R per second.
    #[reflect(@Limits::between(0.0, 1e6))]
    #[default(0.5)]
    pub turn_diffusion_rad2_per_s: f64,
    /// Translational diffusion D: the variance of each coordinate grows by 2 D per second.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub diffusion_m2_per_s: f64,
    /// Order of turning and moving within a step.
    #[default(Turning::WhileMoving)]
    pub turning: Turning,
}

/// When a particle turns within a step.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Turning {
    /// All the time: it moves along an arc.
    #[default]
    WhileMoving,
    /// First: it turns on the spot, and then moves along its new heading.
    BeforeMoving,
    /// Last: it moves along its old heading, and then turns on the spot.
    AfterMoving,
}

/// R t below which the path of a step is an arc with a small displacement to its side: the exact formulas would lose
/// digits.
const NEARLY_STRAIGHT: f64 = 1e-5;

impl MotionModel for SelfPropelledPoint {
    type Memory = swarmarium_core::state::NoMemory;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Drive, CommandForm::Course];
    const DRAWS: bool = true;

    /// The movement without diffusion.
    fn integrate(&self, _: &mut Self::Memory, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        self.moved(pose, turn_rate(command, pose) * dt_s, dt_s)
    }

    fn integrate_drawing(&self, _: &mut Self::Memory, pose: &Pose, command: &Command, dt_s: f64, draws: Draws) -> Pose {
        if self.turn_diffusion_rad2_per_s == 0.0 && self.diffusion_m2_per_s == 0.0 {
            return self.integrate(&mut swarmarium_core::state::NoMemory, pose, command, dt_s);
        }
        let mut stream = draws.stream("diffusion");
        let turn_rad_per_s = turn_rate(command, pose);
        let [of_turn, of_side] = [stream.normal(), stream.normal()];
        let diffused = self.turn_diffusion_rad2_per_s * dt_s;
        let turn = turn_rad_per_s * dt_s + (2.0 * diffused).sqrt() * of_turn;
        let mut after = if self.turning != Turning::WhileMoving {
            self.moved(pose, turn, dt_s)
        } else if diffused < NEARLY_STRAIGHT {
            let arc = self.moved(pose, turn, dt_s);
            let side = self.speed_m_per_s * dt_s * (diffused / 6.0).sqrt() * of_side;
            Pose { position_m: arc.position_m + side * direction(pose.heading_rad + turn / 2.0).perp(), ..arc }
        } else {
            let Step { near, far, spread_m } = self.step(turn_rad_per_s, dt_s);
            // In the axes of the robot at the start of the step.
            let side = spread_m * of_side * direction(turn / 2.0).perp();
            let moved = near + direction(turn).rotate(far) + side;
            let position_m = pose.position_m + direction(pose.heading_rad).rotate(moved);
            Pose { position_m, heading_rad: pose.heading_rad + turn }
        };
        if self.diffusion_m2_per_s > 0.0 {
            let std_dev = (2.0 * self.diffusion_m2_per_s * dt_s).sqrt();
            after.position_m += std_dev * DVec2::new(stream.normal(), stream.normal());
        }
        after
    }
}

/// The displacement of a step whose heading turns by Δ: near + exp(iΔ) far, and a displacement of the standard
/// deviation `spread_m` at right angles to the mean heading, with vectors as complex numbers.
///
/// This is the part of the displacement that a linear function of 1 and exp(iΔ) explains, and the variance of the rest.
/// So its mean, its mean square, and its means with the heading before and after are those of the continuous movement,
/// and then those of any number of steps are, too.
struct Step {
    near: DVec2,
    far: DVec2,
    spread_m: f64,
}

impl SelfPropelledPoint {
    /// The pose after a step in which it turns by an angle, without diffusion of its position.
    fn moved(&self, pose: &Pose, turn_rad: f64, dt_s: f64) -> Pose {
        let after_rad = pose.heading_rad + turn_rad;
        let along_rad = match self.turning {
            Turning::WhileMoving => return along_arc(pose, self.speed_m_per_s, turn_rad / dt_s, dt_s),
            Turning::BeforeMoving => after_rad,
            Turning::AfterMoving => pose.heading_rad,
        };
        let position_m = pose.position_m + self.speed_m_per_s * dt_s * direction(along_rad);
        Pose { position_m, heading_rad: after_rad }
    }

    fn step(&self, turn_rad_per_s: f64, dt_s: f64) -> Step {
        let (v, diffusion) = (self.speed_m_per_s, self.turn_diffusion_rad2_per_s);
        // The mean of exp(iθ) after the time t is exp(−z t).
        let z = DVec2::new(diffusion, -turn_rad_per_s);
        let by_z = |number: DVec2| conjugate(z).rotate(number) / z.length_squared();
        let (sin, cos) = sin_cos(turn_rad_per_s * dt_s);
        let kept = exp(-diffusion * dt_s) * DVec2::new(cos, sin);
        let mean = v * by_z(DVec2::X - kept);
        let near = (mean - kept.rotate(conjugate(mean))) / (1.0 - kept.length_squared());
        let squared = 2.0 * v * v * by_z(DVec2::new(dt_s, 0.0) - by_z(DVec2::X - kept)).x;
        let explained = 2.0 * near.dot(mean);
        Step { near, far: conjugate(near), spread_m: (squared - explained).max(0.0).sqrt() }
    }
}

fn conjugate(number: DVec2) -> DVec2 {
    DVec2::new(number.x, -number.y)
}

/// The turn rate that a command asks for.
fn turn_rate(command: &Command, pose: &Pose) -> f64 {
    match *command {
        Command::Drive { turn_rad_per_s, .. } => turn_rad_per_s,
        Command::Course { x_m_per_s, y_m_per_s, .. } => steering(DVec2::new(x_m_per_s, y_m_per_s), pose.heading_rad).1,
        Command::Wheels { .. } | Command::Velocity { .. } => 0.0,
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;
    use swarmarium_core::state::NoMemory;

    use super::*;

    const POINT: SelfPropelledPoint = SelfPropelledPoint {
        speed_m_per_s: 0.3,
        turn_diffusion_rad2_per_s: 0.8,
        diffusion_m2_per_s: 0.0,
        turning: Turning::WhileMoving,
    };

    /// 4 D t + 2 (v / R)² (R t − 1 + exp(−R t)).
    fn mean_square(point: &SelfPropelledPoint, t_s: f64) -> f64 {
        let SelfPropelledPoint { speed_m_per_s: v, turn_diffusion_rad2_per_s: r, diffusion_m2_per_s: d, .. } = *point;
        4.0 * d * t_s + 2.0 * (v / r).powi(2) * (r * t_s - 1.0 + libm::exp(-r * t_s))
    }

    /// Poses of particles from the origin after a time, in a number of steps.
    fn run(point: &SelfPropelledPoint, turn_rad_per_s: f64, (t_s, steps): (f64, u64), count: u32) -> Vec<Pose> {
        let command = Command::Drive { v_m_per_s: 7.0, turn_rad_per_s };
        let one = |number| {
            (1..=steps).fold(Pose::default(), |pose, step| {
                let draws = Draws::new(Seed(11), StableId::agent(number), step);
                point.integrate_drawing(&mut NoMemory, &pose, &command, t_s / steps as f64, draws)
            })
        };
        (0..count).map(one).collect()
    }

    fn mean(values: impl Iterator<Item = f64>, count: u32) -> f64 {
        values.sum::<f64>() / f64::from(count)
    }

    #[test]
    fn the_moments_of_a_step_of_a_self_propelled_point_are_exact() {
        for (turn, t_s) in [(0.0, 0.01), (0.0, 4.0), (0.7, 0.5), (-3.0, 2.0)] {
            let Step { near, far, spread_m } = POINT.step(turn, t_s);
            let z = DVec2::new(0.8, -turn);
            let kept = libm::exp(-0.8 * t_s) * direction(turn * t_s);
            // Integrals of v exp(−z s) by Simpson's rule.
            let integrate = |f: &dyn Fn(f64) -> DVec2| {
                let h = t_s / 2000.0;
                let weight = |k: u32| if k == 0 || k == 2000 { 1.0 } else { f64::from(2 + 2 * (k % 2)) };
                (0..=2000).map(|k| weight(k) * f(f64::from(k) * h)).sum::<DVec2>() * h / 3.0
            };
            let at = |s: f64| libm::exp(-z.x * s) * direction(-z.y * s);
            let expected = 0.3 * integrate(&at);
            let with_start = near + far.rotate(kept);
            let with_end = near.rotate(conjugate(kept)) + far;
            assert!((with_start - expected).length() < 1e-12, "{turn} {t_s}");
            assert!((with_end - conjugate(expected)).length() < 1e-12, "{turn} {t_s}");
            let square =
                near.length_squared() + far.length_squared() + 2.0 * conjugate(near).rotate(far).rotate(kept).x;
            let expected = 2.0 * 0.09 * integrate(&|s| (t_s - s) * at(s)).x;
            assert!((square + spread_m * spread_m - expected).abs() < 1e-12, "{turn} {t_s}");
        }
    }

    #[test]
    fn the_diffusion_of_a_self_propelled_point_does_not_depend_on_the_step() {
        let (t_s, count) = (3.0, 4000);
        let point = SelfPropelledPoint { diffusion_m2_per_s: 0.01, ..POINT };
        let error = 1.0 / f64::from(count).sqrt();
        for steps in [1, 4, 60] {
            let poses = run(&point, 0.0, (t_s, steps), count);
            let variance = mean(poses.iter().map(|pose| pose.heading_rad.powi(2)), count);
            // Five standard errors: of a variance √(2/n), of a mean square at most as much.
            assert!((variance / (2.0 * 0.8 * t_s) - 1.0).abs() < 5.0 * 2.0_f64.sqrt() * error, "{steps}: {variance}");
            let square = mean(poses.iter().map(|pose| pose.position_m.length_squared()), count);
            let expected = mean_square(&point, t_s);
            assert!((square / expected - 1.0).abs() < 5.0 * 2.0_f64.sqrt() * error, "{steps}: {square} {expected}");
            let ahead = mean(poses.iter().map(|pose| pose.position_m.x), count);
            let expected = 0.3 / 0.8 * (1.0 - libm::exp(-0.8 * t_s));
            assert!((ahead - expected).abs() < 5.0 * error * mean_square(&point, t_s).sqrt(), "{steps}: {ahead}");
        }
    }

    #[test]
    fn a_self_propelled_point_without_diffusion_follows_arcs() {
        let point = SelfPropelledPoint { turn_diffusion_rad2_per_s: 0.0, ..POINT };
        let [pose] = run(&point, 0.5, (2.0, 4), 1)[..] else { panic!() };
        let expected = along_arc(&Pose::default(), 0.3, 0.5, 2.0);
        assert!((pose.position_m - expected.position_m).length() < 1e-12 && (pose.heading_rad - 1.0).abs() < 1e-12);
        // The exact formulas and the arc agree where one replaces the other.
        let near = SelfPropelledPoint { turn_diffusion_rad2_per_s: 1.01e-5, ..POINT };
        let Step { near: first, far, spread_m } = near.step(0.5, 1.0);
        let arc = along_arc(&Pose::default(), 0.3, 0.5, 1.0).position_m;
        assert!((first + far.rotate(direction(0.5)) - arc).length() < 1e-5);
        assert!((spread_m / (0.3 * (1.01e-5_f64 / 6.0).sqrt()) - 1.0).abs() < 0.05, "{spread_m}");
    }

    #[test]
    fn a_self_propelled_point_can_turn_on_the_spot() {
        let point = |turning| SelfPropelledPoint { turn_diffusion_rad2_per_s: 0.0, turning, ..POINT };
        let end = |turning| run(&point(turning), 0.5, (2.0, 1), 1)[0];
        let [before, after] = [Turning::BeforeMoving, Turning::AfterMoving].map(end);
        assert_eq!((before.heading_rad, after.heading_rad), (1.0, 1.0));
        assert!((before.position_m - 0.6 * direction(1.0)).length() < 1e-15);
        assert_eq!(after.position_m, DVec2::new(0.6, 0.0));
        let diffusing = SelfPropelledPoint { turning: Turning::AfterMoving, ..POINT };
        let [pose] = run(&diffusing, 0.5, (2.0, 1), 1)[..] else { panic!() };
        assert!(pose.position_m == after.position_m && (pose.heading_rad - 1.0).abs() > 1e-6);
    }
}

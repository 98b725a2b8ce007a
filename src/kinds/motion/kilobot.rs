//! A Kilobot.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::direction;
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::motion::{Draws, MotionModel, along_arc, steering};

/// A robot on stiff legs with two vibration motors: it goes straight with both motors, turns about its left or right
/// leg with one, and stands without (Kilobot; Rubenstein, Ahler, Nagpal: "Kilobot: a low cost scalable robot system for
/// collective behaviors", ICRA 2012: about 1 cm/s and 45°/s).
///
/// Motors are on or off. Of a command for wheels, each positive speed switches the motor of its side on, so that the
/// robot turns about the leg of the other side, as a robot with wheels would. A command to drive turns the robot if its
/// turn rate, as a share of `turn_rad_per_s`, is larger than its speed, as a share of `speed_m_per_s`; otherwise it goes
/// straight, or stands if the speed is not above 0. Given a course, the robot is steered in the same way.
///
/// Each robot draws its biases once. The legs are where those of the Kilobot of ARGoS are.
#[kind(Copy, section = "Legs", words = "vibration, legs")]
pub struct Kilobot {
    /// Speed with both motors.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.01)]
    pub speed_m_per_s: f64,
    /// Turn rate with one motor.
    #[reflect(@Limits::up_to(1e3))]
    #[default(std::f64::consts::FRAC_PI_4)]
    pub turn_rad_per_s: f64,
    /// Distance between the two legs about which the robot turns.
    #[reflect(@Limits::between(0.0, 1e3))]
    #[default(0.025)]
    pub legs_apart_m: f64,
    /// Distance of these legs behind the centre of the body.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(0.0092)]
    pub legs_behind_m: f64,
    /// Standard deviation of the speed between robots, as a share of `speed_m_per_s`.
    #[reflect(@Limits::between(0.0, 10.0))]
    pub speed_std_dev: f64,
    /// Standard deviation of the turn rate between robots, as a share of `turn_rad_per_s`, for each side on its own.
    #[reflect(@Limits::between(0.0, 10.0))]
    pub turn_std_dev: f64,
    /// Standard deviation between robots of the turn per metre on a straight way.
    #[reflect(@Limits::between(0.0, 1e3))]
    pub veer_std_dev_rad_per_m: f64,
}

/// Memory of a [`Kilobot`]: the biases of this robot as numbers of the standard normal distribution.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Biases {
    /// Of the speed, the turn rates to the left and to the right, and the turn on a straight way; `None` before the
    /// first step.
    drawn: Option<[f64; 4]>,
}

/// The motors that vibrate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Motors {
    Off,
    Both,
    /// The robot turns left, about its left leg.
    Right,
    /// The robot turns right, about its right leg.
    Left,
}

impl MotionModel for Kilobot {
    type Memory = Biases;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Wheels, CommandForm::Drive, CommandForm::Course];
    const DRAWS: bool = true;

    fn integrate(&self, biases: &mut Biases, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let [speed, left, right, veer] = biases.drawn.unwrap_or_default();
        let factor = |std_dev: f64, drawn: f64| (1.0 + std_dev * drawn).max(0.0);
        let turn = |side: f64, drawn: f64| side * self.turn_rad_per_s * factor(self.turn_std_dev, drawn);
        match self.motors(*command, pose.heading_rad) {
            Motors::Off => *pose,
            Motors::Both => {
                let v_m_per_s = self.speed_m_per_s * factor(self.speed_std_dev, speed);
                along_arc(pose, v_m_per_s, self.veer_std_dev_rad_per_m * veer * v_m_per_s, dt_s)
            }
            Motors::Right => self.about_leg(pose, 0.5 * self.legs_apart_m, turn(1.0, left) * dt_s),
            Motors::Left => self.about_leg(pose, -0.5 * self.legs_apart_m, turn(-1.0, right) * dt_s),
        }
    }

    fn integrate_drawing(&self, biases: &mut Biases, pose: &Pose, command: &Command, dt_s: f64, draws: Draws) -> Pose {
        biases.drawn.get_or_insert_with(|| {
            let mut stream = draws.stream_of_life("kilobot");
            [0; 4].map(|_| stream.normal())
        });
        self.integrate(biases, pose, command, dt_s)
    }
}

impl Kilobot {
    /// The motors that a command switches on.
    fn motors(&self, command: Command, heading_rad: f64) -> Motors {
        let of_drive = |(v_m_per_s, turn_rad_per_s): (f64, f64)| {
            let ahead = (v_m_per_s / self.speed_m_per_s).max(0.0);
            if (turn_rad_per_s / self.turn_rad_per_s).abs() > ahead {
                return if turn_rad_per_s > 0.0 { Motors::Right } else { Motors::Left };
            }
            if ahead > 0.0 { Motors::Both } else { Motors::Off }
        };
        match command {
            Command::Wheels { left_m_per_s, right_m_per_s } => match (left_m_per_s > 0.0, right_m_per_s > 0.0) {
                (false, false) => Motors::Off,
                (true, true) => Motors::Both,
                (false, true) => Motors::Right,
                (true, false) => Motors::Left,
            },
            Command::Drive { v_m_per_s, turn_rad_per_s } => of_drive((v_m_per_s, turn_rad_per_s)),
            Command::Course { x_m_per_s, y_m_per_s, .. } => {
                of_drive(steering(DVec2::new(x_m_per_s, y_m_per_s), heading_rad))
            }
            Command::Velocity { .. } => Motors::Off,
        }
    }

    /// The pose after a turn about a leg, `left_m` to the left of the axis of the body.
    fn about_leg(&self, pose: &Pose, left_m: f64, turn_rad: f64) -> Pose {
        let arm = DVec2::new(-self.legs_behind_m, left_m);
        let heading_rad = pose.heading_rad + turn_rad;
        let leg_m = pose.position_m + direction(pose.heading_rad).rotate(arm);
        Pose { position_m: leg_m - direction(heading_rad).rotate(arm), heading_rad }
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::FRAC_PI_4;

    use swarmarium_base::id::StableId;
    use swarmarium_core::random::Seed;

    use super::*;

    fn after(robot: &Kilobot, command: Command, pose: &Pose, dt_s: f64) -> Pose {
        robot.integrate(&mut Biases::default(), pose, &command, dt_s)
    }

    fn wheels(left_m_per_s: f64, right_m_per_s: f64) -> Command {
        Command::Wheels { left_m_per_s, right_m_per_s }
    }

    fn drive(v_m_per_s: f64, turn_rad_per_s: f64) -> Command {
        Command::Drive { v_m_per_s, turn_rad_per_s }
    }

    #[test]
    fn a_kilobot_turns_about_the_leg_that_stands() {
        let robot = Kilobot::default();
        let start = Pose { position_m: DVec2::new(1.0, 2.0), heading_rad: 0.7 };
        let leg = |pose: &Pose, left_m: f64| {
            pose.position_m + direction(pose.heading_rad).rotate(DVec2::new(-0.0092, left_m))
        };
        for (command, left_m, turn) in [(wheels(0.0, 1.0), 0.0125, FRAC_PI_4), (wheels(1.0, 0.0), -0.0125, -FRAC_PI_4)]
        {
            let pose = after(&robot, command, &start, 2.0);
            assert!((pose.heading_rad - 0.7 - 2.0 * turn).abs() < 1e-15);
            assert!((leg(&pose, left_m) - leg(&start, left_m)).length() < 1e-15);
            assert!((leg(&pose, -left_m) - leg(&start, -left_m)).length() > 0.03, "the other leg moves");
        }
    }

    #[test]
    fn a_kilobot_goes_straight_turns_or_stands() {
        let robot = Kilobot::default();
        let start = Pose::default();
        assert_eq!(after(&robot, wheels(1.0, 0.2), &start, 3.0).position_m, DVec2::new(0.03, 0.0));
        assert_eq!(after(&robot, wheels(-1.0, 0.0), &start, 3.0), start);
        let motors = |v, turn| robot.motors(drive(v, turn), 0.0);
        assert_eq!(motors(0.01, 0.0), Motors::Both);
        assert_eq!(motors(0.01, FRAC_PI_4), Motors::Both, "as much as it turns");
        assert_eq!([motors(0.01, 0.8), motors(0.01, -0.8)], [Motors::Right, Motors::Left]);
        assert_eq!([motors(0.0, 0.0), motors(-1.0, 0.0)], [Motors::Off; 2]);
        assert_eq!(motors(-1.0, 0.1), Motors::Right, "it cannot go backwards");
        let course = Command::Course { x_m_per_s: 0.0, y_m_per_s: -0.01, turn_rad_per_s: 0.0 };
        assert_eq!([robot.motors(course, 0.0), robot.motors(course, -1.57)], [Motors::Left, Motors::Both]);
    }

    #[test]
    fn each_kilobot_keeps_biases_of_its_own() {
        let robot =
            Kilobot { speed_std_dev: 0.2, turn_std_dev: 0.1, veer_std_dev_rad_per_m: 5.0, ..Kilobot::default() };
        let draws = |number, step| Draws::new(Seed(4), StableId::agent(number), step);
        let of = |number: u32| {
            let mut biases = Biases::default();
            let step = |biases: &mut Biases, command, step| {
                robot.integrate_drawing(biases, &Pose::default(), &command, 1.0, draws(number, step))
            };
            let (first, next) = (step(&mut biases, wheels(1.0, 1.0), 1), step(&mut biases, wheels(1.0, 1.0), 2));
            assert_eq!(first, next, "they do not change");
            let [left, right] =
                [wheels(0.0, 1.0), wheels(1.0, 0.0)].map(|command| step(&mut biases, command, 3).heading_rad);
            [first.position_m.length() / 0.01, left / FRAC_PI_4, -right / FRAC_PI_4, first.heading_rad / 0.01]
        };
        let robots: Vec<[f64; 4]> = (0..2000).map(of).collect();
        for (place, (mean, std_dev)) in [(1.0, 0.2), (1.0, 0.1), (1.0, 0.1)].into_iter().enumerate() {
            let drawn: Vec<f64> = robots.iter().map(|robot| robot[place]).collect();
            let found = drawn.iter().sum::<f64>() / 2000.0;
            let spread = (drawn.iter().map(|value| (value - found).powi(2)).sum::<f64>() / 2000.0).sqrt();
            // Five standard errors of a mean and of a standard deviation.
            assert!((found - mean).abs() < 5.0 * std_dev / 2000.0_f64.sqrt(), "{place}: {found}");
            assert!((spread / std_dev - 1.0).abs() < 5.0 / 4000.0_f64.sqrt(), "{place}: {spread}");
        }
        let same = robots.iter().filter(|robot| (robot[1] - robot[2]).abs() < 1e-6).count();
        assert_eq!(same, 0, "each side has its own");
    }
}

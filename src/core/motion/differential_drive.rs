//! A two-wheeled robot.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MAX_SPEED_M_PER_S};

use super::{MotionModel, Place, along_arc_in, steering};
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::{SearchWords, kind};

/// Two driven wheels on one axle; the midpoint of the axle follows exact arcs.
///
/// The robot cannot move sideways: given a course, it turns towards it and drives faster the better it is aligned.
#[kind(Copy, section = "Wheels", words = "wheels, two wheels, khepera, turtlebot")]
pub struct DifferentialDrive {
    /// Distance between the wheels.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.14)]
    pub axle_m: f64,
    /// Largest speed of a wheel over ground; faster commands are cut to it.
    #[reflect(@Limits::up_to(MAX_SPEED_M_PER_S))]
    #[default(1.0)]
    pub max_wheel_m_per_s: f64,
    /// Smallest nonzero speed of a driven wheel over ground, for saturation modes that change the speed.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub min_wheel_m_per_s: f64,
    /// Radius of a wheel, which sets its number of turns per distance.
    #[reflect(@Limits::up_to(1e6))]
    #[default(0.029_112_741)]
    pub wheel_radius_m: f64,
    /// Resolution of the commanded wheel speed: speeds are truncated to multiples of it; 0 for any speed.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub speed_step_rad_per_s: f64,
    /// How wheel speeds are limited when a command to drive and turn exceeds the limits.
    pub saturation: WheelSaturation,
}

/// Limits of the wheel speeds for commands to drive and turn.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum WheelSaturation {
    /// Each wheel is cut to its largest speed independently.
    #[default]
    ClipWheels,
    /// The turn rate is kept: the speed is raised or lowered until both wheels are between their smallest and largest
    /// speed in the commanded direction. The turn rate is cut only if no speed fulfils this. A robot that turns on the
    /// spot does so only if both wheels reach their smallest speed (`ensure_w` of Sim.I.Am, as in pySimiam).
    KeepTurnRate,
    /// The turn rate is kept: the speed is lowered until no wheel is too fast; a wheel may stop or run backwards. If
    /// the turn rate alone is too high, the robot spins on the spot (third week of the course with pySimiam).
    KeepTurnRateAllowReverse,
}

/// Turns of the wheels since the start.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Wheels {
    /// Forward turns of the left wheel.
    pub left_turns: f64,
    /// Forward turns of the right wheel.
    pub right_turns: f64,
}

impl MotionModel for DifferentialDrive {
    type Memory = Wheels;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Wheels, CommandForm::Drive, CommandForm::Course];

    #[inline]
    fn integrate(&self, wheels: &mut Wheels, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        self.integrate_in(wheels, (pose, Place::NONE), command, dt_s)
    }

    #[inline]
    fn integrate_in(&self, wheels: &mut Wheels, (pose, place): (&Pose, Place), command: &Command, dt_s: f64) -> Pose {
        let wanted = match *command {
            Command::Wheels { left_m_per_s, right_m_per_s } => (left_m_per_s, right_m_per_s),
            Command::Drive { v_m_per_s, turn_rad_per_s } => match self.saturation {
                WheelSaturation::ClipWheels => self.wheels(v_m_per_s, turn_rad_per_s),
                WheelSaturation::KeepTurnRate => {
                    let (v_m_per_s, turn_rad_per_s) = self.within_limits(v_m_per_s, turn_rad_per_s);
                    self.wheels(v_m_per_s, turn_rad_per_s)
                }
                WheelSaturation::KeepTurnRateAllowReverse => self.shifted(self.wheels(v_m_per_s, turn_rad_per_s)),
            },
            Command::Course { x_m_per_s, y_m_per_s, .. } => {
                let (v_m_per_s, turn_rad_per_s) = steering(DVec2::new(x_m_per_s, y_m_per_s), pose.heading_rad);
                let (left, right) = self.wheels(v_m_per_s, turn_rad_per_s);
                // Both wheels are scaled alike to keep the curvature.
                let scale = (self.max_wheel_m_per_s / left.abs().max(right.abs())).min(1.0);
                (left * scale, right * scale)
            }
            Command::Velocity { .. } => return *pose,
        };
        let (left, right) = (self.driven(wanted.0), self.driven(wanted.1));
        // One division for both wheels: the counters must cost little for robots without wheel sensors.
        let turns = dt_s / (TAU * self.wheel_radius_m);
        wheels.left_turns += left * turns;
        wheels.right_turns += right * turns;
        along_arc_in((pose, place), (left + right) / 2.0, (right - left) / self.axle_m, dt_s)
    }
}

impl DifferentialDrive {
    /// Wheel speeds (m/s) for a speed and a turn rate.
    fn wheels(&self, v_m_per_s: f64, turn_rad_per_s: f64) -> (f64, f64) {
        let difference = turn_rad_per_s * self.axle_m / 2.0;
        (v_m_per_s - difference, v_m_per_s + difference)
    }

    /// Speed (m/s) of a wheel for a commanded speed.
    #[inline]
    fn driven(&self, wheel_m_per_s: f64) -> f64 {
        let step = self.speed_step_rad_per_s * self.wheel_radius_m;
        let told = if step > 0.0 { (wheel_m_per_s / step).trunc() * step } else { wheel_m_per_s };
        told.clamp(-self.max_wheel_m_per_s, self.max_wheel_m_per_s)
    }

    /// A speed (m/s) and a turn rate (rad/s) with both wheels between their smallest and largest speed.
    fn within_limits(&self, v_m_per_s: f64, turn_rad_per_s: f64) -> (f64, f64) {
        let max = self.max_wheel_m_per_s;
        let min = self.min_wheel_m_per_s.min(max);
        if v_m_per_s == 0.0 {
            let turn = turn_rad_per_s.abs();
            let allowed = if turn > 2.0 * min / self.axle_m { turn.min(2.0 * max / self.axle_m) } else { 0.0 };
            return (0.0, allowed.copysign(turn_rad_per_s));
        }
        let turn = turn_rad_per_s.abs().min((max - min) / self.axle_m);
        let (slow, fast) = self.wheels(v_m_per_s.abs().clamp(min, max), turn);
        // At most one limit is exceeded, because the turn rate is within its limit.
        let shift = (max - fast).min(0.0) + (min - slow).max(0.0);
        (((slow + fast) / 2.0 + shift).copysign(v_m_per_s), turn.copysign(turn_rad_per_s))
    }

    /// Wheel speeds (m/s), both shifted until neither is too fast.
    fn shifted(&self, (left, right): (f64, f64)) -> (f64, f64) {
        let max = self.max_wheel_m_per_s;
        if (right - left).abs() > 2.0 * max {
            let spin = max.copysign(right - left);
            return (-spin, spin);
        }
        let shift = (max - left.max(right)).min(0.0) + (-max - left.min(right)).max(0.0);
        (left + shift, right + shift)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use proptest::prelude::*;
    use serde_json::Value;
    use swarmarium_base::math::wrap_angle;

    use super::*;

    const ROBOT: DifferentialDrive = DifferentialDrive {
        axle_m: 0.2,
        max_wheel_m_per_s: 1.0,
        min_wheel_m_per_s: 0.0,
        wheel_radius_m: 0.1,
        speed_step_rad_per_s: 0.0,
        saturation: WheelSaturation::ClipWheels,
    };

    fn after_a_second(command: Command) -> Pose {
        ROBOT.integrate(&mut Wheels::default(), &Pose::default(), &command, 1.0)
    }

    #[test]
    fn the_faster_right_wheel_turns_left() {
        let pose = after_a_second(Command::Wheels { left_m_per_s: 0.0, right_m_per_s: 0.1 });
        assert!((pose.heading_rad - 0.5).abs() < 1e-15);
        // The robot circles around the left wheel, 0.1 m to the left.
        let center = DVec2::new(0.1 * libm::sin(0.5), 0.1 - 0.1 * libm::cos(0.5));
        assert!((pose.position_m - center).length() < 1e-15);
    }

    #[test]
    fn driving_and_turning_is_the_same_as_its_wheels() {
        let wheels = after_a_second(Command::Wheels { left_m_per_s: 0.2, right_m_per_s: 0.4 });
        let drive = after_a_second(Command::Drive { v_m_per_s: 0.3, turn_rad_per_s: 1.0 });
        assert!((wheels.position_m - drive.position_m).length() < 1e-15);
    }

    #[test]
    fn wheels_have_a_fastest_speed() {
        let pose = after_a_second(Command::Wheels { left_m_per_s: 7.0, right_m_per_s: 7.0 });
        assert_eq!(pose.position_m, DVec2::new(1.0, 0.0));
    }

    /// The drives of the robots in `robots.json`, with the recorded data of each.
    fn recorded() -> [(DifferentialDrive, &'static str, Value); 2] {
        let khepera3 = DifferentialDrive {
            axle_m: 0.0885,
            max_wheel_m_per_s: 48_000.0 / 2_952.956_931_255_710_5 * 0.021,
            wheel_radius_m: 0.021,
            speed_step_rad_per_s: 1.0 / 2_952.956_931_255_710_5,
            ..ROBOT
        };
        let quickbot = DifferentialDrive {
            axle_m: 0.09925,
            max_wheel_m_per_s: 13.613_568_165_555_769 * 0.0325,
            min_wheel_m_per_s: PI * 0.0325,
            wheel_radius_m: 0.0325,
            ..ROBOT
        };
        let facts = |name| swarmarium_testing::facts(&format!("simiam/{name}.json"));
        [(khepera3, "khepera3", facts("khepera3_master")), (quickbot, "quickbot", facts("quickbot_coursera"))]
    }

    fn number(case: &Value, field: &str) -> f64 {
        case[field].as_f64().unwrap()
    }

    fn pair(case: &Value, field: &str) -> [f64; 2] {
        [0, 1].map(|place| case[field][place].as_f64().unwrap())
    }

    fn assert_near(found: [f64; 2], expected: [f64; 2], case: &Value) {
        let error = found.iter().zip(expected).map(|(found, expected)| (found - expected).abs()).fold(0.0, f64::max);
        assert!(error < 1e-9, "{found:?} {case}");
    }

    /// Wheel speeds (rad/s) under a command.
    fn turning(robot: &DifferentialDrive, command: Command) -> [f64; 2] {
        let mut wheels = Wheels::default();
        robot.integrate(&mut wheels, &Pose::default(), &command, 1.0);
        [wheels.left_turns * TAU, wheels.right_turns * TAU]
    }

    #[test]
    fn wheels_turn_as_those_of_simiam() {
        for (robot, name, facts) in recorded() {
            for case in facts[format!("{name}_set_wheel_speeds")].as_array().unwrap() {
                let [left, right] = pair(case, "in").map(|wheel| wheel * robot.wheel_radius_m);
                let command = Command::Wheels { left_m_per_s: left, right_m_per_s: right };
                let found = turning(&robot, command);
                assert_near(found, pair(case, "wheel"), case);
                let pose = robot.integrate(&mut Wheels::default(), &Pose::default(), &command, 1e-3);
                let speed = pose.position_m.length().copysign(pose.position_m.x) * 1e3;
                assert!(
                    (speed - number(case, "v")).abs() < 1e-6
                        && (pose.heading_rad * 1e3 - number(case, "w")).abs() < 1e-9
                );
            }
            for case in facts[format!("{name}_uni2diff")].as_array().unwrap() {
                let (left, right) = robot.wheels(number(case, "v"), number(case, "w"));
                assert_near([left, right].map(|wheel| wheel / robot.wheel_radius_m), pair(case, "wheels"), case);
            }
        }
    }

    #[test]
    fn poses_and_turns_are_those_of_simiam() {
        for ((robot, name, facts), ticks_per_turn) in recorded().into_iter().zip([2764.8, 16.0]) {
            for case in facts[format!("{name}_motion")].as_array().unwrap() {
                let start: Vec<f64> = case["start"].as_array().unwrap().iter().map(|x| x.as_f64().unwrap()).collect();
                let mut pose = Pose { position_m: DVec2::new(start[0], start[1]), heading_rad: start[2] };
                let [left, right] = pair(case, "wheel_cmd").map(|wheel| wheel * robot.wheel_radius_m);
                let command = Command::Wheels { left_m_per_s: left, right_m_per_s: right };
                let mut wheels = Wheels::default();
                for _ in 0..case["steps"].as_u64().unwrap() {
                    pose = robot.integrate(&mut wheels, &pose, &command, number(case, "dt"));
                }
                assert_near(pose.position_m.to_array(), pair(case, "pose"), case);
                let off = wrap_angle(pose.heading_rad - case["pose"][2].as_f64().unwrap());
                assert!(off.abs() < 1e-9, "{off} {case}");
                let ticks = [wheels.left_turns, wheels.right_turns].map(|turns| (turns * ticks_per_turn).trunc());
                assert_eq!(ticks, pair(case, "ticks"), "{case}");
            }
        }
    }

    #[test]
    fn limits_are_those_of_the_quickbot() {
        let [_, (robot, _, facts)] = recorded();
        let limits = &facts["quickbot_limits"];
        let full = 1e3;
        let straight = turning(&robot, Command::Wheels { left_m_per_s: full, right_m_per_s: full })[0];
        assert!((straight - number(limits, "max_velocity")).abs() < 1e-9);
        assert!((robot.min_wheel_m_per_s / robot.wheel_radius_m - number(limits, "min_velocity")).abs() < 1e-9);
        let after = |left_m_per_s, right_m_per_s| {
            let command = Command::Wheels { left_m_per_s, right_m_per_s };
            robot.integrate(&mut Wheels::default(), &Pose::default(), &command, 1.0)
        };
        assert!((after(full, full).position_m.x - number(limits, "v_max")).abs() < 1e-9);
        assert!((after(-full, full).heading_rad - number(limits, "w_max")).abs() < 1e-9);
    }

    #[test]
    fn the_speed_gives_way_as_in_simiam() {
        let [_, (robot, _, facts)] = recorded();
        for case in facts["ensure_w_final"].as_array().unwrap() {
            let robot = DifferentialDrive { saturation: WheelSaturation::KeepTurnRate, ..robot };
            let command = Command::Drive { v_m_per_s: number(case, "v"), turn_rad_per_s: number(case, "w") };
            assert_near(turning(&robot, command), pair(case, "wheels_out"), case);
            let (v, w) = robot.within_limits(number(case, "v"), number(case, "w"));
            assert_near([v, w], [number(case, "v_out"), number(case, "w_out")], case);
        }
        for case in facts["ensure_w_week3"].as_array().unwrap() {
            let robot = DifferentialDrive { saturation: WheelSaturation::KeepTurnRateAllowReverse, ..robot };
            let [left, right] = pair(case, "in").map(|wheel| wheel * robot.wheel_radius_m);
            let turn_rad_per_s = (right - left) / robot.axle_m;
            let command = Command::Drive { v_m_per_s: (left + right) / 2.0, turn_rad_per_s };
            assert_near(turning(&robot, command), pair(case, "out"), case);
        }
    }

    proptest! {
        #[test]
        fn the_turn_is_kept_where_wheels_can_do_it(v in -2.0..2.0, turn in -4.0..4.0, min in 0.0..0.4) {
            for saturation in [WheelSaturation::KeepTurnRate, WheelSaturation::KeepTurnRateAllowReverse] {
                let robot = DifferentialDrive { saturation, min_wheel_m_per_s: min, ..ROBOT };
                let [left, right] = turning(&robot, Command::Drive { v_m_per_s: v, turn_rad_per_s: turn }).map(|wheel| wheel * 0.1);
                prop_assert!(left.abs() <= 1.0 + 1e-12 && right.abs() <= 1.0 + 1e-12);
                let kept = ((right - left) / 0.2 - turn).abs() < 1e-9;
                let can = saturation == WheelSaturation::KeepTurnRateAllowReverse || turn.abs() <= (1.0 - min) / 0.2;
                prop_assert!(kept || !can, "{left} {right}");
                if saturation == WheelSaturation::KeepTurnRate {
                    prop_assert!(left.abs().min(right.abs()) >= min - 1e-12 && left * right >= 0.0);
                }
            }
        }
    }
}

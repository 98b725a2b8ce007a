//! A car.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M, MAX_SPEED_M_PER_S};
use swarmarium_base::math::{angle_of, atan2, cos, direction, ln, tan, wrap_angle};
use swarmarium_core::agent::{Command, CommandForm, Pose};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::motion::{MotionModel, along_arc};

/// A car: the wheels of its front axle steer, and it turns only while it drives (kinematic bicycle model; Rajamani:
/// "Vehicle dynamics and control", section 2.2).
///
/// The midpoint of the rear axle follows arcs of the radius L / tan δ, for the wheelbase L and the steering angle δ. A
/// command to drive with the speed v and the turn rate ω sets the target δ = atan(L ω / v); limits of the speed keep the
/// curvature. With v = 0 the car stands, and its wheels steer fully to the side of ω, or stay if ω = 0. Given a course,
/// the car drives forward at its speed and steers towards it.
///
/// While the steering angle changes, the heading is exact at a constant speed, and the position is of second order in
/// the length of a step; otherwise both are exact. The defaults are those of a car of F1TENTH (scale 1:10).
#[kind(Copy, section = "Wheels", words = "car, steering, vehicle, bicycle")]
pub struct Ackermann {
    /// Distance between the axles.
    #[reflect(@Limits::up_to(MAX_LENGTH_M))]
    #[default(0.3302)]
    pub wheelbase_m: f64,
    /// Distance of the rear axle behind the position of the robot; 0: the position is the midpoint of the rear axle.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub axle_behind_m: f64,
    /// Largest steering angle, to both sides.
    #[reflect(@Limits::between(0.0, 1.5))]
    #[default(0.4189)]
    pub max_steer_rad: f64,
    /// Largest rate of the steering angle.
    #[reflect(@Limits::up_to(1e9))]
    #[default(3.2)]
    pub steer_rate_rad_per_s: f64,
    /// Largest speed ahead.
    #[reflect(@Limits::up_to(MAX_SPEED_M_PER_S))]
    #[default(20.0)]
    pub max_speed_m_per_s: f64,
    /// Largest speed backwards.
    #[reflect(@Limits::between(0.0, MAX_SPEED_M_PER_S))]
    #[default(5.0)]
    pub max_reverse_m_per_s: f64,
    /// Largest acceleration of the wheels, also to brake. Something that stops the car does not stop its wheels.
    #[reflect(@Limits::up_to(1e9))]
    #[default(9.51)]
    pub max_acceleration_m_per_s2: f64,
}

/// Memory of an [`Ackermann`] model.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Steering {
    /// The steering angle, anticlockwise from straight ahead.
    pub steer_rad: f64,
    /// The speed of the wheels over ground.
    pub speed_m_per_s: f64,
}

/// Gain of the turn rate towards a course, in rad/s per radian.
const TOWARDS_COURSE_PER_S: f64 = 4.0;

impl MotionModel for Ackermann {
    type Memory = Steering;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Drive, CommandForm::Course];

    fn integrate(&self, memory: &mut Steering, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let (v_m_per_s, turn_rad_per_s) = match *command {
            Command::Drive { v_m_per_s, turn_rad_per_s } => (v_m_per_s, turn_rad_per_s),
            Command::Course { x_m_per_s, y_m_per_s, .. } => {
                let course = DVec2::new(x_m_per_s, y_m_per_s);
                let off = if course == DVec2::ZERO { 0.0 } else { wrap_angle(angle_of(course) - pose.heading_rad) };
                (course.length(), TOWARDS_COURSE_PER_S * off)
            }
            Command::Wheels { .. } | Command::Velocity { .. } => (0.0, 0.0),
        };
        let before = *memory;
        let mean_tan = self.steer(memory, (v_m_per_s, turn_rad_per_s), dt_s);
        memory.speed_m_per_s = self.speed_after(before.speed_m_per_s, v_m_per_s, dt_s);
        let way_m = self.way_m(before.speed_m_per_s, memory.speed_m_per_s, dt_s);
        let turn = way_m * mean_tan / self.wheelbase_m;
        // A car that stands stays where it is, without a rounding error.
        if self.axle_behind_m == 0.0 || way_m == 0.0 {
            return along_arc(pose, way_m / dt_s, turn / dt_s, dt_s);
        }
        let axle = |pose: &Pose| self.axle_behind_m * direction(pose.heading_rad);
        let rear = Pose { position_m: pose.position_m - axle(pose), ..*pose };
        let after = along_arc(&rear, way_m / dt_s, turn / dt_s, dt_s);
        Pose { position_m: after.position_m + axle(&after), ..after }
    }
}

impl Ackermann {
    /// The steering angle for a speed and a turn rate; `now_rad` if both are 0.
    fn target_rad(&self, (v_m_per_s, turn_rad_per_s): (f64, f64), now_rad: f64) -> f64 {
        if v_m_per_s == 0.0 && turn_rad_per_s == 0.0 {
            return now_rad;
        }
        // At speed 0, the angle is a quarter turn to the side of the turn.
        let sideways = if v_m_per_s < 0.0 { -turn_rad_per_s } else { turn_rad_per_s };
        let angle = atan2(self.wheelbase_m * sideways, v_m_per_s.abs());
        angle.clamp(-self.max_steer_rad, self.max_steer_rad)
    }

    /// Steers for a step; returns the mean tangent of the steering angle.
    fn steer(&self, memory: &mut Steering, command: (f64, f64), dt_s: f64) -> f64 {
        let from = memory.steer_rad;
        let most = self.steer_rate_rad_per_s * dt_s;
        let to = from + (self.target_rad(command, from) - from).clamp(-most, most);
        memory.steer_rad = to;
        let change = to - from;
        let while_turning =
            if change.abs() < 1e-6 { tan(from + change / 2.0) } else { ln(cos(from) / cos(to)) / change };
        let share = (change.abs() / most).min(1.0);
        share * while_turning + (1.0 - share) * tan(to)
    }

    /// The speed at the end of a step, for a commanded speed.
    fn speed_after(&self, from: f64, v_m_per_s: f64, dt_s: f64) -> f64 {
        let most = self.max_acceleration_m_per_s2 * dt_s;
        let target = v_m_per_s.clamp(-self.max_reverse_m_per_s, self.max_speed_m_per_s);
        from + (target - from).clamp(-most, most)
    }

    /// The way of a step, whose speed changes at the largest acceleration and is then constant.
    fn way_m(&self, from: f64, to: f64, dt_s: f64) -> f64 {
        let changing_s = ((to - from).abs() / self.max_acceleration_m_per_s2).min(dt_s);
        (from + to) / 2.0 * changing_s + to * (dt_s - changing_s)
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{PI, TAU};

    use proptest::prelude::*;

    use super::*;

    /// A car that steers and accelerates at once.
    const CAR: Ackermann = Ackermann {
        wheelbase_m: 0.5,
        axle_behind_m: 0.0,
        max_steer_rad: 0.6,
        steer_rate_rad_per_s: 1e9,
        max_speed_m_per_s: 2.0,
        max_reverse_m_per_s: 1.0,
        max_acceleration_m_per_s2: 1e9,
    };

    fn drive(v_m_per_s: f64, turn_rad_per_s: f64) -> Command {
        Command::Drive { v_m_per_s, turn_rad_per_s }
    }

    /// A memory in which the car already drives and steers.
    fn rolling(speed_m_per_s: f64, steer_rad: f64) -> Steering {
        Steering { steer_rad, speed_m_per_s }
    }

    #[test]
    fn an_ackermann_car_circles_with_the_radius_of_its_steering_angle() {
        // Full lock: the command asks for a smaller circle.
        let (v, radius) = (1.0, 0.5 / tan(0.6));
        let steps = 64;
        let dt_s = TAU * radius / v / f64::from(steps);
        let (mut memory, mut pose) = (rolling(v, 0.6), Pose::default());
        for step in 1..=steps {
            pose = CAR.integrate(&mut memory, &pose, &drive(v, 100.0), dt_s);
            assert!((pose.position_m.distance(DVec2::new(0.0, radius)) - radius).abs() < 1e-12);
            assert!((pose.heading_rad - TAU * f64::from(step) / f64::from(steps)).abs() < 1e-12);
        }
        assert!(pose.position_m.length() < 1e-12);
        assert_eq!(memory.steer_rad, 0.6);
    }

    #[test]
    fn an_ackermann_car_follows_the_turn_rate_that_its_steering_allows() {
        for (v, turn) in [(1.0, 0.5), (1.0, -0.8), (-0.5, 0.3)] {
            let angle = libm::atan(0.5 * turn / v);
            let pose = CAR.integrate(&mut rolling(v, angle), &Pose::default(), &drive(v, turn), 0.2);
            let expected = along_arc(&Pose::default(), v, turn, 0.2);
            assert!((pose.position_m - expected.position_m).length() < 1e-12, "{v} {turn}");
            assert!((pose.heading_rad - turn * 0.2).abs() < 1e-12, "{v} {turn}");
        }
        // A speed beyond the limit keeps the curvature.
        let mut memory = rolling(2.0, libm::atan(0.5 * 0.25));
        let pose = CAR.integrate(&mut memory, &Pose::default(), &drive(8.0, 2.0), 0.5);
        assert!((pose.heading_rad - 2.0 * 0.25 * 0.5).abs() < 1e-12 && memory.speed_m_per_s == 2.0);
    }

    #[test]
    fn an_ackermann_car_at_rest_only_steers() {
        let slow = Ackermann { steer_rate_rad_per_s: 2.0, ..CAR };
        let mut memory = Steering::default();
        let mut steer = |turn| {
            assert_eq!(slow.integrate(&mut memory, &Pose::default(), &drive(0.0, turn), 0.1), Pose::default());
            memory.steer_rad
        };
        assert_eq!([steer(1.0), steer(1.0)], [0.2, 0.4]);
        assert_eq!([steer(0.0), steer(1.0), steer(1.0)], [0.4, 0.6, 0.6]);
        assert!((steer(-1e-6) - 0.4).abs() < 1e-15);
    }

    #[test]
    fn an_ackermann_car_steers_and_accelerates_at_limited_rates() {
        let car = Ackermann { steer_rate_rad_per_s: 0.5, ..CAR };
        let mut memory = rolling(1.0, 0.0);
        let pose = car.integrate(&mut memory, &Pose::default(), &drive(1.0, 10.0), 0.4);
        assert!((memory.steer_rad - 0.2).abs() < 1e-15);
        // The integral of tan(t / 2) / L over 0.4 s.
        assert!((pose.heading_rad + 2.0 * libm::log(libm::cos(0.2)) / 0.5).abs() < 1e-12);
        let car = Ackermann { max_acceleration_m_per_s2: 2.0, ..CAR };
        let mut memory = Steering::default();
        let pose = car.integrate(&mut memory, &Pose::default(), &drive(1.0, 0.0), 0.75);
        // Half a second of acceleration, then a quarter at full speed.
        assert_eq!((pose.position_m, memory.speed_m_per_s), (DVec2::new(0.5, 0.0), 1.0));
        let pose = car.integrate(&mut memory, &Pose::default(), &drive(-9.0, 0.0), 0.5);
        assert_eq!((pose.position_m.x, memory.speed_m_per_s), (0.25, 0.0));
    }

    #[test]
    fn the_position_of_an_ackermann_car_may_lie_ahead_of_its_axle() {
        let car = Ackermann { axle_behind_m: 0.25, ..CAR };
        let radius = 0.5 / tan(0.6);
        let mut memory = rolling(1.0, 0.6);
        let start = Pose { position_m: DVec2::new(0.25, 0.0), heading_rad: 0.0 };
        let pose = car.integrate(&mut memory, &start, &drive(1.0, 100.0), PI * radius);
        assert!((pose.position_m - DVec2::new(-0.25, 2.0 * radius)).length() < 1e-12, "{pose:?}");
        assert_eq!(car.integrate(&mut Steering::default(), &pose, &drive(0.0, 1.0), 0.1), pose, "it stands");
    }

    #[test]
    fn an_ackermann_car_comes_to_a_course_behind_it() {
        let (mut memory, mut pose) = (Steering::default(), Pose::default());
        let course = Command::Course { x_m_per_s: -1.0, y_m_per_s: 0.0, turn_rad_per_s: 0.0 };
        for _ in 0..200 {
            pose = CAR.integrate(&mut memory, &pose, &course, 0.05);
        }
        assert!((cos(pose.heading_rad) + 1.0).abs() < 1e-6, "{pose:?}");
    }

    proptest! {
        #[test]
        fn two_half_steps_of_an_ackermann_car_are_one_step(
            (steer, v, turn) in (-0.6..0.6_f64, 0.1..2.0_f64, -3.0..3.0_f64),
        ) {
            // At a constant speed, the heading is exact also while the wheels turn.
            let car = Ackermann { steer_rate_rad_per_s: 1.5, ..CAR };
            let run = |steps: u32| {
                let (mut memory, mut pose) = (rolling(v, steer), Pose::default());
                for _ in 0..steps {
                    pose = car.integrate(&mut memory, &pose, &drive(v, turn), 0.4 / f64::from(steps));
                }
                (pose.heading_rad, memory.steer_rad)
            };
            let ((whole, _), (halves, _)) = (run(1), run(2));
            prop_assert!((whole - halves).abs() < 1e-8, "{whole} {halves}");
        }
    }
}

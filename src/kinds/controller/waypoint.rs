//! Drives to points, or follows the target of a sensor.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_base::variant::Variant;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{SearchWords, SensorSlot, kind};

/// Drives to points with two PID controllers: one turns the distance into a speed, the other turns the angle between
/// the heading and the direction of the point into a turn rate (RobotSwarmSimulator `WaypointPIDController`).
#[kind(section = "Plans", words = "go to, path, points, route, pid")]
pub struct Waypoint {
    /// Points, in order; the robot stays at the last one.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub points_m: Vec<DVec2>,
    /// Whether the robot returns to the first point after the last one.
    pub repeat: bool,
    /// Distance from a point at which the robot proceeds to the next one.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    #[default(0.1)]
    pub within_m: f64,
    /// Slot of a sensor whose last two numbers are the target, a position in the arena, in place of the points. The
    /// robot stands still while they are not numbers.
    #[reflect(@Limits::between(0.0, 255.0), @SensorSlot::Any)]
    pub sensor: Option<u32>,
    /// PID controller from the distance in m to the speed in m/s.
    #[default(Pid { p: 1.0, min: Some(0.0), max: Some(0.3), ..Pid::default() })]
    pub speed: Pid,
    /// PID controller from the angle in rad, anticlockwise and at most half a turn, to the turn rate in rad/s.
    #[default(Pid { p: 2.0, min: Some(-1.5), max: Some(1.5), ..Pid::default() })]
    pub steering: Pid,
    /// `Classic` has no I and no D part, and drives straight on when the point is exactly in the direction of x.
    pub variant: Variant,
}

/// A PID controller: p e + i ∫e dt + d de/dt of the error e.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Pid {
    /// Proportional gain.
    #[reflect(@Limits::between(-1e6, 1e6))]
    pub p: f64,
    /// Integral gain, with time in seconds.
    #[reflect(@Limits::between(-1e6, 1e6))]
    pub i: f64,
    /// Derivative gain, with time in seconds.
    #[reflect(@Limits::between(-1e6, 1e6))]
    pub d: f64,
    /// Largest absolute value of the integral part; `None`: unlimited.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub i_max: Option<f64>,
    /// Smallest output; `None`: unlimited.
    #[reflect(@Limits::between(-1e6, 1e6))]
    pub min: Option<f64>,
    /// Largest output; `None`: unlimited.
    #[reflect(@Limits::between(-1e6, 1e6))]
    pub max: Option<f64>,
}

/// The memory of a [`Waypoint`] controller.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Route {
    /// The place of the present target among the points.
    next: u32,
    /// The step of the last decision; 0 before the first.
    decided_at: u64,
    speed: PidMemory,
    steering: PidMemory,
}

/// The memory of a PID controller.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct PidMemory {
    /// The integral part.
    integral: f64,
    /// The last error, if the target is the same.
    last: Option<f64>,
}

impl Controller for Waypoint {
    type Memory = Route;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, route: &mut Route, senses: Senses) -> Command {
        let dt_s = senses.since_s(&mut route.decided_at);
        let Some(target_m) = self.target_m(route, senses) else {
            (route.speed, route.steering) = Default::default();
            return Drive::default().into();
        };
        let way = target_m - senses.pose.position_m;
        let angle = if way == DVec2::ZERO { 0.0 } else { wrap_angle(angle_of(way) - senses.pose.heading_rad) };
        let (v_m_per_s, turn_rad_per_s) = match self.variant {
            Variant::Corrected => {
                let difference = |now: f64, last: f64| now - last;
                let speed = self.speed.output(&mut route.speed, way.length(), difference, dt_s);
                let turned = |now: f64, last: f64| wrap_angle(now - last);
                (speed, self.steering.output(&mut route.steering, angle, turned, dt_s))
            }
            Variant::Classic => {
                let angle = if angle_of(way) == 0.0 { 0.0 } else { angle };
                (self.speed.clamp(self.speed.p * way.length()), self.steering.clamp(self.steering.p * angle))
            }
        };
        Command::Drive { v_m_per_s, turn_rad_per_s }
    }
}

impl Waypoint {
    /// The present target.
    fn target_m(&self, route: &mut Route, senses: Senses) -> Option<DVec2> {
        if let Some(slot) = self.sensor {
            let [.., x, y] = *senses.slot(slot) else { return None };
            return Some(DVec2::new(x, y)).filter(|target| target.is_finite());
        }
        let last = self.points_m.len().checked_sub(1)?;
        let next = (route.next as usize).min(last);
        let is_there = senses.pose.position_m.distance(self.points_m[next]) < self.within_m;
        let next = match next + 1 {
            _ if !is_there => next,
            after if after <= last => after,
            _ if self.repeat => 0,
            _ => last,
        };
        if route.next != next as u32 {
            route.next = next as u32;
            // A jump of the target is not a velocity.
            (route.speed.last, route.steering.last) = (None, None);
        }
        Some(self.points_m[next])
    }
}

impl Pid {
    /// The output for an error; `difference` subtracts two errors, `dt_s` is the time since the last one.
    fn output(&self, memory: &mut PidMemory, error: f64, difference: fn(f64, f64) -> f64, dt_s: f64) -> f64 {
        let i_max = self.i_max.unwrap_or(f64::MAX);
        memory.integral = (memory.integral + self.i * error * dt_s).clamp(-i_max, i_max);
        let last = memory.last.replace(error).filter(|_| dt_s > 0.0);
        let rate = last.map_or(0.0, |last| difference(error, last) / dt_s);
        self.clamp(self.p * error + memory.integral + self.d * rate)
    }

    fn clamp(&self, output: f64) -> f64 {
        // Not `clamp`, which panics where the smallest is above the largest.
        output.min(self.max.unwrap_or(f64::MAX)).max(self.min.unwrap_or(f64::MIN))
    }
}

#[cfg(test)]
mod tests {
    use std::f64::consts::{FRAC_PI_2, PI};

    use swarmarium_core::agent::Pose;
    use swarmarium_core::time::SimTime;

    use super::*;

    const GAIN: Pid = Pid { p: 1.0, i: 0.0, d: 0.0, i_max: None, min: None, max: None };

    fn to(points: &[(f64, f64)]) -> Waypoint {
        let points_m = points.iter().map(|point| DVec2::from(*point)).collect();
        Waypoint { points_m, speed: GAIN, steering: GAIN, ..Default::default() }
    }

    fn drive(controller: &Waypoint, route: &mut Route, at: (f64, f64, f64), step: u64, reading: &[f64]) -> (f64, f64) {
        let pose = Pose { position_m: DVec2::new(at.0, at.1), heading_rad: at.2 };
        let time = SimTime { step, dt_s: 0.5 };
        let readings = [reading];
        let senses = Senses { pose: &pose, time: &time, ..Senses::of(&readings) };
        match controller.command(route, senses) {
            Command::Drive { v_m_per_s, turn_rad_per_s } => (v_m_per_s, turn_rad_per_s),
            other => panic!("{other:?}"),
        }
    }

    fn once(controller: &Waypoint, at: (f64, f64, f64)) -> (f64, f64) {
        drive(controller, &mut Route::default(), at, 1, &[])
    }

    #[test]
    fn waypoint_turns_the_shorter_way_after_any_turns() {
        let (v, turn) = once(&to(&[(-3.0, 0.0)]), (0.0, 0.0, FRAC_PI_2));
        assert!((v - 3.0).abs() < 1e-12 && (turn - FRAC_PI_2).abs() < 1e-12);
        let (_, turn) = once(&to(&[(-3.0, 0.0)]), (0.0, 0.0, -FRAC_PI_2 - 6.0 * PI));
        assert!((turn + FRAC_PI_2).abs() < 1e-12, "{turn}");
        assert_eq!(once(&to(&[(1.0, 1.0)]), (1.0, 1.0, 2.0)), (0.0, 0.0), "it is there");
        assert_eq!(once(&to(&[]), (1.0, 1.0, 2.0)), (0.0, 0.0), "there is nowhere to go");
    }

    #[test]
    fn waypoint_outputs_are_limited() {
        let mut controller = to(&[(3.0, 4.0)]);
        controller.speed.max = Some(0.3);
        controller.steering = Pid { min: Some(-0.1), max: Some(0.1), ..GAIN };
        assert_eq!(once(&controller, (0.0, 0.0, 3.0)), (0.3, -0.1));
        controller.speed = Pid { min: Some(2.0), max: Some(1.0), ..GAIN };
        assert_eq!(once(&controller, (0.0, 0.0, 0.0)).0, 2.0, "ends the wrong way round do not panic");
    }

    #[test]
    fn waypoint_limits_its_integral_and_differentiates_the_error() {
        let mut controller = to(&[(10.0, 0.0)]);
        controller.speed = Pid { i: 1.0, i_max: Some(8.0), ..Pid::default() };
        controller.steering = Pid { d: 1.0, ..Pid::default() };
        let mut route = Route::default();
        assert_eq!(drive(&controller, &mut route, (0.0, 0.0, 3.0), 1, &[]), (5.0, 0.0));
        // Two steps later, and the heading has passed half a turn: the error jumps from -3 to 3.
        let (v, turn) = drive(&controller, &mut route, (0.0, 0.0, 2.0 * PI - 3.0), 3, &[]);
        assert_eq!(v, 8.0);
        assert!((turn - (6.0 - 2.0 * PI)).abs() < 1e-12, "{turn}");
    }

    #[test]
    fn waypoint_visits_its_points_in_order() {
        let mut controller = to(&[(0.0, 0.0), (5.0, 0.0)]);
        let mut route = Route::default();
        assert_eq!(drive(&controller, &mut route, (2.0, 0.0, PI), 1, &[]).0, 2.0);
        assert_eq!(drive(&controller, &mut route, (0.05, 0.0, 0.0), 2, &[]).0, 4.95);
        assert!(
            (drive(&controller, &mut route, (4.95, 0.0, 0.0), 3, &[]).0 - 0.05).abs() < 1e-12,
            "the last one holds"
        );
        controller.repeat = true;
        assert_eq!(drive(&controller, &mut route, (4.95, 0.0, 0.0), 4, &[]).0, 4.95);
    }

    #[test]
    fn waypoint_follows_the_target_of_a_sensor() {
        let controller = Waypoint { sensor: Some(0), ..to(&[(9.0, 9.0)]) };
        let mut route = Route::default();
        assert_eq!(drive(&controller, &mut route, (1.0, 0.0, 0.0), 1, &[1.0, 4.0, 0.0]), (3.0, 0.0));
        assert_eq!(drive(&controller, &mut route, (1.0, 0.0, 0.0), 2, &[0.0, f64::NAN, f64::NAN]), (0.0, 0.0));
        assert_eq!(drive(&controller, &mut route, (1.0, 0.0, 0.0), 3, &[]), (0.0, 0.0));
    }

    #[test]
    fn classic_waypoint_is_proportional_and_drives_along_x() {
        let gain = Pid { i: 5.0, d: 5.0, ..GAIN };
        let controller = Waypoint { speed: gain, steering: gain, variant: Variant::Classic, ..to(&[(3.0, 0.0)]) };
        assert_eq!(once(&controller, (0.0, 0.0, 1.0)), (3.0, 0.0));
        let (_, turn) = once(&controller, (0.0, 1e-9, 1.0));
        assert!((turn + 1.0).abs() < 1e-6);
    }
}

//! A robot with inertia.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{direction, exp};

use super::MotionModel;
use crate::agent::{Command, CommandForm, Pose};
use crate::kind::{SearchWords, kind};

/// Accelerates with B (u − v) from its velocity v towards the commanded velocity u: a damped double integrator (the
/// agents of Yang, Freeman, Lynch, "Multi-agent coordination by decentralized estimation and control", TAC 2008,
/// accelerate with −B v − g: their commanded velocity is u = −g / B).
///
/// Velocities are along the axes of the arena, whatever the heading. An obstacle stops the component of the velocity
/// towards it, so that the robot slides along.
#[kind(Copy, section = "Free", words = "mass, acceleration, inertia")]
pub struct DoubleIntegrator {
    /// Damping B: rate at which the velocity approaches the commanded velocity.
    #[reflect(@Limits::between(1e-9, 1e6))]
    #[default(5.0)]
    pub damping_per_s: f64,
    /// Largest acceleration; larger ones are cut to it and keep their direction.
    #[reflect(@Limits::up_to(1e9))]
    #[default(1e9)]
    pub max_acceleration_m_per_s2: f64,
}

/// Memory of a [`DoubleIntegrator`].
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Momentum {
    /// Velocity at the end of the step, along the axes of the arena.
    pub velocity_m_per_s: DVec2,
    /// Intended displacement in the step.
    way_m: DVec2,
}

impl DoubleIntegrator {
    /// Acceleration (m/s²) at a velocity, for a commanded velocity.
    #[must_use]
    pub fn acceleration(&self, velocity: DVec2, told: DVec2) -> DVec2 {
        (self.damping_per_s * (told - velocity)).clamp_length_max(self.max_acceleration_m_per_s2)
    }

    /// Displacement and velocity after `dt_s` seconds; exact solution.
    fn after(&self, velocity: DVec2, told: DVec2, dt_s: f64) -> (DVec2, DVec2) {
        let (most, off) = (self.max_acceleration_m_per_s2, (told - velocity).length());
        // At first the acceleration is at its limit.
        let limited_s = (off / most - 1.0 / self.damping_per_s).clamp(0.0, dt_s);
        let acceleration = self.acceleration(velocity, told);
        let way = limited_s * (velocity + acceleration * (limited_s / 2.0));
        let velocity = velocity + acceleration * limited_s;
        // Then the velocity error decays exponentially.
        let left_s = dt_s - limited_s;
        let kept = exp(-self.damping_per_s * left_s);
        let missing = velocity - told;
        (way + told * left_s + missing * ((1.0 - kept) / self.damping_per_s), told + missing * kept)
    }
}

impl MotionModel for DoubleIntegrator {
    type Memory = Momentum;
    const ACCEPTS: &'static [CommandForm] = &[CommandForm::Course, CommandForm::Drive];

    fn integrate(&self, memory: &mut Momentum, pose: &Pose, command: &Command, dt_s: f64) -> Pose {
        let (told, turn_rad_per_s) = match *command {
            Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
                (DVec2::new(x_m_per_s, y_m_per_s), turn_rad_per_s)
            }
            Command::Drive { v_m_per_s, turn_rad_per_s } => (v_m_per_s * direction(pose.heading_rad), turn_rad_per_s),
            Command::Wheels { .. } | Command::Velocity { .. } => (DVec2::ZERO, 0.0),
        };
        let (way_m, velocity_m_per_s) = self.after(memory.velocity_m_per_s, told, dt_s);
        let position_m = pose.position_m + way_m;
        // Rounded like the measured displacement.
        *memory = Momentum { velocity_m_per_s, way_m: position_m - pose.position_m };
        Pose { position_m, heading_rad: pose.heading_rad + turn_rad_per_s * dt_s }
    }

    fn after_step(&self, memory: &mut Momentum, displacement_m: DVec2) {
        let Some(push) = (displacement_m - memory.way_m).try_normalize() else { return };
        // Remove the component of the velocity against the push.
        memory.velocity_m_per_s -= memory.velocity_m_per_s.dot(push).min(0.0) * push;
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn course(told: DVec2) -> Command {
        Command::Course { x_m_per_s: told.x, y_m_per_s: told.y, turn_rad_per_s: 0.0 }
    }

    #[test]
    fn comes_to_the_velocity_that_it_is_told() {
        let robot = DoubleIntegrator { damping_per_s: 2.0, ..Default::default() };
        let mut memory = Momentum::default();
        let pose = robot.integrate(&mut memory, &Pose::default(), &course(DVec2::X), 0.5);
        // v = 1 - exp(-B t), x = t - v / B.
        let expected = 1.0 - exp(-1.0);
        assert!((memory.velocity_m_per_s - DVec2::new(expected, 0.0)).length() < 1e-15);
        assert!((pose.position_m.x - (0.5 - expected / 2.0)).abs() < 1e-15);
        robot.integrate(&mut memory, &pose, &course(DVec2::X), 100.0);
        assert!((memory.velocity_m_per_s - DVec2::X).length() < 1e-15);
    }

    #[test]
    fn accelerates_no_harder_than_it_can() {
        let robot = DoubleIntegrator { damping_per_s: 10.0, max_acceleration_m_per_s2: 0.5 };
        let mut memory = Momentum::default();
        let pose = robot.integrate(&mut memory, &Pose::default(), &course(DVec2::Y), 1.0);
        assert!((memory.velocity_m_per_s - DVec2::new(0.0, 0.5)).length() < 1e-15);
        assert!((pose.position_m - DVec2::new(0.0, 0.25)).length() < 1e-15);
        assert!((robot.acceleration(DVec2::ZERO, DVec2::new(0.0, 0.01)) - DVec2::new(0.0, 0.1)).length() < 1e-15);
    }

    #[test]
    fn drives_along_its_heading_and_turns() {
        let robot = DoubleIntegrator::default();
        let start = Pose { heading_rad: std::f64::consts::FRAC_PI_2, ..Pose::default() };
        let drive = Command::Drive { v_m_per_s: 1.0, turn_rad_per_s: 0.25 };
        let pose = robot.integrate(&mut Momentum::default(), &start, &drive, 2.0);
        assert!(pose.position_m.y > 1.0 && pose.position_m.x.abs() < 1e-15);
        assert_eq!(pose.heading_rad, start.heading_rad + 0.5);
    }

    #[test]
    fn what_is_in_its_way_stops_it_there_only() {
        let robot = DoubleIntegrator::default();
        let way_m = DVec2::new(0.5, 0.25);
        let mut memory = Momentum { velocity_m_per_s: DVec2::new(2.0, 1.0), way_m };
        robot.after_step(&mut memory, way_m);
        assert_eq!(memory.velocity_m_per_s, DVec2::new(2.0, 1.0), "nothing was");
        robot.after_step(&mut memory, DVec2::new(0.0, 0.25));
        assert_eq!(memory.velocity_m_per_s, DVec2::new(0.0, 1.0), "a wall along y");
    }

    proptest! {
        /// At the limit all the time, at first, or not at all.
        #[test]
        fn two_half_steps_are_one_step(
            (vx, vy, ux, uy) in (-2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64, -2.0..2.0_f64),
            (damping_per_s, max_acceleration_m_per_s2, dt_s) in (0.1..50.0_f64, 0.1..20.0_f64, 0.01..2.0_f64),
        ) {
            let robot = DoubleIntegrator { damping_per_s, max_acceleration_m_per_s2 };
            let (velocity, told) = (DVec2::new(vx, vy), DVec2::new(ux, uy));
            let (way, after) = robot.after(velocity, told, dt_s);
            let (first_way, half) = robot.after(velocity, told, dt_s / 2.0);
            let (last_way, halves) = robot.after(half, told, dt_s / 2.0);
            prop_assert!((after - halves).length() < 1e-9 && (way - first_way - last_way).length() < 1e-9);
        }
    }
}

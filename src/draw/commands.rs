//! Commands: an arrow from each robot along the path that its controller commands for the next second.
//!
//! It shows the command before the motion model limits it. A robot that only turns has an arc around it.

use std::f64::consts::PI;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::math::direction;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent::{Command, Pose};
use swarmarium_core::motion::along_arc;
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::motion::holonomic::{Frame, Holonomic};
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{ARROW_PX, Layer, Picture, Shape, Width};
use swarmarium_space::Space;

use super::View;
use super::view::reaches_into;

/// Time that commands are drawn ahead, in seconds.
const AHEAD_S: f64 = 1.0;
/// The shortest arrow that is drawn, in logical pixels.
const SHORTEST_PX: f64 = 7.0;
/// Number of pieces of an arc, and the slowest turn that is drawn as one, in radians per second.
const PIECES: u32 = 12;
const SLOWEST: f64 = 0.02;
/// Distance of an arc around a robot from its body, in logical pixels.
const GAP_PX: f64 = 5.0;

/// A command as a velocity and a turn rate.
#[derive(Clone, Copy, Debug, PartialEq)]
struct CommandedVelocity {
    velocity_m_per_s: DVec2,
    turn_rad_per_s: f64,
    /// Whether the velocity is relative to the body: x ahead and y to the left.
    of_body: bool,
}

/// Draws the command of each living robot.
pub(super) fn draw(world: &World, space: &Space, view: &View, picture: &mut Picture) {
    let seen_m = view.camera.visible_m();
    for (row, agent) in world.arena().agents.iter().enumerate() {
        let agent = world.entity(*agent);
        if agent.contains::<Dead>() {
            continue;
        }
        let Some(wanted) = wanted(agent) else { continue };
        let pose = Pose { position_m: space.bodies.positions()[row], heading_rad: space.bodies.headings()[row] };
        let radius_m = space.bodies.radii()[row] + GAP_PX / picture.pixels_per_m;
        let reach_m = wanted.velocity_m_per_s.length() * AHEAD_S + radius_m + ARROW_PX.x / picture.pixels_per_m;
        if !reaches_into(seen_m, [pose.position_m; 2], reach_m) {
            continue;
        }
        let way = wanted.way(&pose);
        let is_far = way.last().is_some_and(|end| end.distance(pose.position_m) * picture.pixels_per_m > SHORTEST_PX);
        if is_far {
            arrow(way, picture);
        } else if wanted.turn_rad_per_s.abs() > SLOWEST {
            arrow(around(&pose, radius_m, wanted.turn_rad_per_s), picture);
        }
    }
}

/// The command of a robot, interpreted by its motion model.
fn wanted(agent: EntityRef) -> Option<CommandedVelocity> {
    let of = |x: f64, y: f64, turn_rad_per_s: f64, of_body: bool| {
        let wanted = CommandedVelocity { velocity_m_per_s: DVec2::new(x, y), turn_rad_per_s, of_body };
        (wanted.velocity_m_per_s.is_finite() && turn_rad_per_s.is_finite()).then_some(wanted)
    };
    match *agent.get::<Command>()? {
        Command::Drive { v_m_per_s, turn_rad_per_s } => of(v_m_per_s, 0.0, turn_rad_per_s, true),
        Command::Wheels { left_m_per_s: left, right_m_per_s: right } => {
            let axle_m = agent.get::<DifferentialDrive>()?.axle_m;
            of(f64::midpoint(left, right), 0.0, (right - left) / axle_m, true)
        }
        Command::Velocity { x_m_per_s, y_m_per_s, turn_rad_per_s } => {
            let of_body = agent.get::<Holonomic>().is_some_and(|model| model.frame == Frame::Body);
            of(x_m_per_s, y_m_per_s, turn_rad_per_s, of_body)
        }
        Command::Course { x_m_per_s, y_m_per_s, turn_rad_per_s } => of(x_m_per_s, y_m_per_s, turn_rad_per_s, false),
    }
}

impl CommandedVelocity {
    /// The path of the next second: an arc if the velocity turns with the body, otherwise a straight line.
    fn way(&self, pose: &Pose) -> Vec<DVec2> {
        let Self { velocity_m_per_s, turn_rad_per_s, of_body } = *self;
        let at = |ahead_s: f64| {
            let moved = match of_body {
                false => velocity_m_per_s * ahead_s,
                true => {
                    let ahead = along_arc(&Pose::default(), 1.0, turn_rad_per_s, ahead_s).position_m;
                    velocity_m_per_s.rotate(ahead).rotate(direction(pose.heading_rad))
                }
            };
            pose.position_m + moved
        };
        let pieces = if of_body && turn_rad_per_s.abs() > SLOWEST { PIECES } else { 1 };
        (0..=pieces).map(|piece| at(AHEAD_S * f64::from(piece) / f64::from(pieces))).collect()
    }
}

/// An arc around a robot, from its heading to its heading in a second; three quarters of a turn at most.
fn around(pose: &Pose, radius_m: f64, turn_rad_per_s: f64) -> Vec<DVec2> {
    let angle = (turn_rad_per_s * AHEAD_S).clamp(-1.5 * PI, 1.5 * PI);
    let at = |piece: u32| pose.heading_rad + angle * f64::from(piece) / f64::from(PIECES);
    (0..=PIECES).map(|piece| pose.position_m + radius_m * direction(at(piece))).collect()
}

/// A line with a head at its end.
fn arrow(points: Vec<DVec2>, picture: &mut Picture) {
    let [.., before, end] = points[..] else { return };
    let head_m = ARROW_PX / picture.pixels_per_m;
    let Some(ahead) = (end - before).try_normalize() else { return };
    let (neck, aside) = (end - ahead * head_m.x, ahead.perp() * head_m.y);
    // The line ends within the head, which can be longer than a piece of an arc.
    let mut points: Vec<DVec2> = points.into_iter().filter(|point| point.distance(end) > head_m.x).collect();
    points.push(neck);
    picture.add(Layer::Labels, Role::Accent, Shape::Line { points, closed: false, pen: Width::Pixels(1.5).into() });
    picture.add(Layer::Labels, Role::Accent, Shape::Triangle([end, neck + aside, neck - aside]));
}

#[cfg(test)]
mod tests {
    use super::*;

    use std::f64::consts::FRAC_PI_2;

    #[test]
    fn a_velocity_is_along_the_axes_that_the_motion_model_says() {
        let wanted = |of_body| CommandedVelocity { velocity_m_per_s: DVec2::X, turn_rad_per_s: 0.0, of_body };
        let pose = Pose { position_m: DVec2::ONE, heading_rad: FRAC_PI_2 };
        assert!(wanted(true).way(&pose)[1].distance(DVec2::new(1.0, 2.0)) < 1e-12);
        assert!(wanted(false).way(&pose)[1].distance(DVec2::new(2.0, 1.0)) < 1e-12);
    }
}

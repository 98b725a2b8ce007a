//! Follows a wall.

use std::f64::consts::FRAC_PI_2;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, direction, wrap_angle};
use swarmarium_core::controller::behaviour::{Arrow, Behaviour, BehaviourOutput, Eye, Side, Situation};
use swarmarium_core::kind::kind;
use swarmarium_picture::palette::Role;

/// Follows the wall on one side of the robot at a constant distance (pySimiam `FollowWall`).
///
/// The supervisor of the robot defines the side.
#[kind(Copy)]
pub struct FollowWall {
    /// Distance from the wall.
    #[reflect(@Limits::up_to(1e3))]
    #[default(0.2)]
    pub distance_m: f64,
    /// Method of finding the wall in the measurements of the infrared sensors.
    pub law: SteeringRule,
}

/// The method of finding a wall in the measurements of infrared sensors.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum SteeringRule {
    /// The line from the first to the last point that the sensors of that side measure. If only one sensor measures a
    /// point, it is a corner to go round; if none does, the robot searches for the wall (Khepera III).
    #[default]
    Contour,
    /// The line through the points of two neighbouring sensors between the side and the front, even if they measure
    /// nothing: the nearest point, and the nearer one of the points beside it (QuickBot).
    Pair,
}

/// A wall and the direction to drive, in the frame of the robot.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Found {
    /// Along the wall, in the direction that keeps it on the required side.
    along: DVec2,
    /// To the nearest point of the wall.
    to: DVec2,
    /// The direction to drive.
    heading: DVec2,
}

/// The largest bearing of a sensor that looks to a side and not backwards.
const SIDE_RAD: f64 = 3.1;

/// The sensors that look to the side of the wall.
fn beside<'a>(now: &Situation<'a>) -> impl Iterator<Item = (f64, Eye)> + Clone + use<'a> {
    let sign = now.side.sign();
    now.eyes().map(move |eye| (eye.bearing_rad() * sign, eye)).filter(|(aside, _)| (0.0..SIDE_RAD).contains(aside))
}

/// The point of the line through two points that is nearest to the robot.
fn foot(point: DVec2, along: DVec2) -> DVec2 {
    let square = along.length_squared();
    if square > 0.0 { point - along * (point.dot(along) / square) } else { point }
}

impl FollowWall {
    fn find(&self, now: &Situation, kept: &mut Vec<f64>) -> Option<Found> {
        match self.law {
            SteeringRule::Contour => self.contour(now, kept),
            SteeringRule::Pair => self.pair(now),
        }
    }

    /// The wall by all measurements of one side.
    fn contour(&self, now: &Situation, kept: &mut Vec<f64>) -> Option<Found> {
        let [_, range_m] = now.range_m();
        let seen = beside(now).filter(|(aside, eye)| *aside > 0.0 && eye.distance_m < range_m);
        let front = seen.clone().reduce(|front, other| if other.0 < front.0 { other } else { front });
        let back = seen.clone().reduce(|back, other| if other.0 >= back.0 { other } else { back });
        // A wall out of sight is remembered.
        let ((_, front), (_, back)) = front.zip(back)?;
        let per_half_range = 2.0 / range_m;
        let (along, to, outwards) = if seen.count() > 1 {
            let along = front.point_m() - back.point_m();
            (along, foot(back.point_m(), along), 0.0)
        } else {
            let to = back.point_m();
            let Some(angle) = corner_angle(now.side, angle_of(to), kept) else {
                let along = direction(back.bearing_rad() * back.distance_m / range_m) * back.distance_m;
                return Some(Found { along, to, heading: along });
            };
            (direction(angle) * back.distance_m, to, 0.3)
        };
        kept.clear();
        kept.extend(along.to_array());
        let nearer = (to.length() - self.distance_m) * per_half_range + outwards;
        Some(Found { along, to, heading: along + to * nearer })
    }

    /// The wall by the measurements of two sensors.
    fn pair(&self, now: &Situation) -> Option<Found> {
        let seen = beside(now).filter(|(aside, _)| *aside <= FRAC_PI_2 + 1e-6);
        let (middle, nearest) = seen
            .clone()
            .reduce(|nearest, other| if other.1.distance_m < nearest.1.distance_m { other } else { nearest })?;
        let before = seen.clone().filter(|(aside, _)| *aside < middle).max_by(|a, b| a.0.total_cmp(&b.0));
        let behind = seen.filter(|(aside, _)| *aside > middle).min_by(|a, b| a.0.total_cmp(&b.0));
        let (front, back) = match (before, behind) {
            (Some((_, front)), Some((_, back))) if front.distance_m < back.distance_m => (front, nearest),
            (_, Some((_, back))) => (nearest, back),
            (Some((_, front)), None) => (front, nearest),
            (None, None) => return None,
        };
        let along = front.point_m() - back.point_m();
        let to = foot(back.point_m(), along);
        let off_m = to.length() - self.distance_m;
        let gain = if off_m > 0.0 { 2.0 } else { 3.0 };
        Some(Found { along, to, heading: 0.3 * along + gain * off_m * to })
    }
}

/// The direction in which to drive round a corner: at right angles to the direction of the corner, unless that differs
/// by more than 0.2 rad from the direction along the wall so far. `None` if there was no wall so far.
///
/// As in pySimiam, the difference of the two angles is not wrapped.
fn corner_angle(side: Side, corner_rad: f64, kept: &mut Vec<f64>) -> Option<f64> {
    let square = wrap_angle(corner_rad - side.sign() * FRAC_PI_2);
    let &mut [x, y] = kept.as_mut_slice() else {
        kept.clear();
        kept.extend(direction(square).to_array());
        return None;
    };
    let before = angle_of(DVec2::new(x, y));
    let turn = square - before;
    Some(if turn.abs() > 0.2 { before + 0.2 * turn.abs() * turn } else { square })
}

impl Behaviour for FollowWall {
    fn act(&self, now: &Situation, kept: &mut Vec<f64>) -> BehaviourOutput {
        let found = self.find(now, kept);
        let heading = found.map_or(DVec2::new(0.8, 0.6 * now.side.sign()), |found| found.heading);
        BehaviourOutput::along(heading, now.v_m_per_s)
    }

    fn show(&self, now: &Situation, kept: &mut Vec<f64>, arrows: &mut Vec<Arrow>) {
        if let Some(Found { along, to, heading }) = self.find(now, kept) {
            arrows.push(Arrow { from: DVec2::ZERO, way: to, role: Role::Wall });
            arrows.push(Arrow { from: to, way: along, role: Role::Light });
            arrows.push(Arrow::towards(angle_of(heading), Role::Accent));
        }
    }
}

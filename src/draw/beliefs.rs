//! Pose estimates of robots: ghosts behind the robots, visible where an estimate is wrong, and the estimated path.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::math::direction;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::body::Body;
use swarmarium_core::sensor;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape, Width};

use super::scenery::role_of;

/// Draws the ghosts of the selected robots.
pub(super) fn draw(world: &World, wanted: &dyn Fn(StableId) -> bool, picture: &mut Picture) {
    sensor::beliefs(world, wanted, &mut |robot, belief| {
        let robot = world.entity(robot);
        let role = role_of(world, robot).unwrap_or(Role::Dim);
        let pen = Width::Pixels(1.5).dashed();
        let path = belief.path_m.iter().copied().chain([belief.pose.position_m]).collect();
        picture.add(Layer::Trails, role.faint(0.7), Shape::Line { points: path, closed: false, pen });
        if let Some(body) = robot.get::<Body>() {
            let outline = Shape::Line { points: outline(body, belief.pose), closed: true, pen };
            picture.add(Layer::Sensors, role, outline);
            let nose = belief.pose.position_m + body.radius_m() * direction(belief.pose.heading_rad);
            picture.segment(Layer::Sensors, role, [belief.pose.position_m, nose], pen);
        }
    });
}

/// The outline of a body at a pose.
fn outline(body: &Body, pose: Pose) -> Vec<DVec2> {
    const CORNERS: u32 = 48;
    let facing = direction(pose.heading_rad);
    let at = |point: DVec2| pose.position_m + facing.rotate(point);
    match body.corners_m() {
        Some(corners) => corners.iter().map(|corner| at(*corner + body.shift_m())).collect(),
        None => {
            let bearing = |corner: u32| f64::from(corner) / f64::from(CORNERS) * std::f64::consts::TAU;
            (0..CORNERS).map(|corner| at(body.radius_m() * direction(bearing(corner)))).collect()
        }
    }
}

//! Drawings of supervisors: the goal, directions and measured points.

use bevy::math::DVec2;
use swarmarium_base::math::direction;
use swarmarium_core::controller::ControllerView;
use swarmarium_core::controller::behaviour::{Arrow, BehaviourKinds, Decision};
use swarmarium_core::random::Draws;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape, Width};

use super::Supervisor;

/// The length of an arrow for a direction, in radii of the robot.
const DIRECTION_RADII: f64 = 4.0;
/// The fraction of the range beyond which a measured point may be spurious: response curves are not exactly invertible.
const SEEN: f64 = 0.99;
/// Half the size of the cross at a point that was measured, in logical pixels.
const CROSS_PX: f64 = 3.5;

/// Draws, for each robot whose plan is shown, the goal, the arrows of its behaviour, the points that its sensors
/// measured, and its state.
pub fn draw(robots: &ControllerView<Supervisor>, picture: &mut Picture) {
    let behaviours = robots.resource::<BehaviourKinds>().unwrap_or(BehaviourKinds::NONE);
    for member in robots.members().iter().filter(|member| member.shows_plan) {
        let (supervisor, mind) = (member.controller, member.memory);
        let believed = supervisor.believed(&member.pose, |slot| member.reading(slot).try_into().ok());
        let infrared =
            member.infrared(supervisor.infrared).map(|infrared| (infrared, member.reading(supervisor.infrared)));
        let space = robots.space();
        let (readings, decision) = (
            member.readings(),
            Decision { draws: Draws { owner: member.id, ..Draws::default() }, ..Decision::default() },
        );
        let surroundings = (space.arena, space.infrared_model, &space.things[..]);
        let now = supervisor.situation(mind, &believed, surroundings, infrared, (&readings, decision));
        let px = 1.0 / picture.pixels_per_m;

        picture.disc(Layer::Objects, Role::Goal.faint(0.5), now.goal_m, member.radius_m * 0.7);
        let (at, along) = (member.pose.position_m, direction(member.pose.heading_rad));
        let in_world = |point: DVec2| at + along.rotate(point);
        if let Some(state) = supervisor.present(mind) {
            for Arrow { from, way, role } in behaviours.arrows(&state.behaviour, &now, &mind.kept) {
                let length = if from == DVec2::ZERO && (way.length() - 1.0).abs() < 1e-9 {
                    DIRECTION_RADII * member.radius_m
                } else {
                    1.0
                };
                let ends = [in_world(from), in_world(from + way * length)];
                picture.arrow(Layer::Labels, role, ends, 2.0);
            }
            let text = state.name.clone();
            let above = at + DVec2::Y * (member.radius_m + 6.0 * px);
            let anchor = swarmarium_picture::Anchor::Middle;
            picture.add(Layer::Labels, Role::Text, Shape::Text { at: above, text, size_px: 11.0, anchor });
        }
        let [_, range_m] = now.range_m();
        for eye in now.eyes().filter(|eye| eye.distance_m < SEEN * range_m) {
            let point = in_world(eye.point_m());
            for diagonal in [DVec2::ONE, DVec2::new(1.0, -1.0)] {
                let half = diagonal * CROSS_PX * px;
                picture.segment(Layer::Labels, Role::Text, [point - half, point + half], Width::Pixels(1.5));
            }
        }
    }
}

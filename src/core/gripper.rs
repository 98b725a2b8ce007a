//! The gripper of a robot, which holds an object that can be pushed.

use std::f64::consts::{FRAC_PI_6, PI};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_base::math::{direction, wrap_angle};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};
use swarmarium_space::Space;
use swarmarium_space::{Aperture, Grasp};

use crate::agent::contact::Dead;
use crate::agent::outputs::Outputs;
use crate::agent::{Pose, Row};
use crate::events::EventKind;
use crate::object::Presence;
use crate::state::RegisterState as _;
use crate::step::HasArena as _;
use crate::step::plan::{AddKernel as _, Duty, StepContext};

/// Adds grippers and their state.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Gripper>("gripper").register_state::<Held>("held");
    let kind = app.world_mut().register_component::<Gripper>();
    // Before motion models move their robots.
    app.add_kernel(Duty::Move, kind, grip);
}

/// The gripper of a robot. While the output `grips` is on, it closes as soon as an object that can be pushed is in its
/// reach, and holds the object until the output is switched off.
///
/// The robot and the object then move together: the object follows the point of the grasp, as far as walls, obstacles,
/// friction and other robots allow, and the robot stays at that point. A single robot also keeps the object at its angle;
/// if several hold one object, each can turn about its own point.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
#[require(Outputs, Held)]
pub struct Gripper {
    /// Reach, from the edge of the body.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub reach_m: f64,
    /// Direction of the gripper, anticlockwise from the heading.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub bearing_rad: f64,
    /// Angle on both sides of that direction in which it grasps.
    #[reflect(@Limits::between(0.0, PI))]
    pub half_angle_rad: f64,
    /// Name of the objects that it grasps; empty: any.
    pub object: String,
    /// Largest force; 0: unlimited.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub force_n: f64,
    /// Whether it lifts the object, which then has no friction on the floor.
    pub lifts: bool,
}

impl Default for Gripper {
    fn default() -> Self {
        Self {
            reach_m: 0.02,
            bearing_rad: 0.0,
            half_angle_rad: FRAC_PI_6,
            object: String::new(),
            force_n: 0.0,
            lifts: true,
        }
    }
}

/// The object that a gripper holds; `None` for none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Held(pub Option<HeldObject>);

/// An object in a gripper.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct HeldObject {
    /// Index of the object in the scene.
    pub object: u32,
    /// Point of the grasp (m) in the frame of the robot, whose x axis is ahead.
    pub on_robot_m: DVec2,
    /// Point of the grasp (m) relative to the centre of the object, in the frame of the object.
    pub on_object_m: DVec2,
    /// Heading of the robot minus that of the object, at the time of the grasp.
    pub turn_rad: f64,
}

impl Gripper {
    /// Removes the gripper of a robot, and releases what it holds.
    pub fn remove_from(robot: &mut EntityWorldMut) {
        robot.remove::<(Self, Held)>();
    }

    /// The object in its reach, for the robot in a row, and the point (m) in the frame of the robot; `None` for none.
    ///
    /// It takes the nearest object, of several the first one, whose outline is in the sector of the gripper.
    pub fn in_reach(&self, space: &Space, row: usize) -> Option<(usize, DVec2)> {
        let (center, heading) = (space.bodies.positions()[row], space.bodies.headings()[row]);
        let range_m = space.bodies.radii()[row] + self.reach_m;
        let sector = Aperture::new(self.half_angle_rad, range_m, self.bearing_rad).toward(direction(heading));
        let found = space.nearest_thing_in(center, &sector, |_, thing| {
            thing.can_be_pushed && (self.object.is_empty() || thing.name == self.object)
        });
        found.map(|(place, point)| (place, direction(-heading).rotate(point)))
    }
}

/// Closes and opens grippers: that of one robot, or all. Then tells the space which robots hold which objects.
fn grip(
    InMut(StepContext { arena, turn, .. }): InMut<StepContext>,
    mut robots: Query<(Entity, &Row, &StableId, &Pose, &Gripper, &Outputs, &mut Held), Without<Dead>>,
    objects: Query<(&StableId, &Pose, &Presence)>,
) {
    let step = arena.time.step;
    let mut news = Vec::new();
    for (robot, row, id, pose, gripper, outputs, mut held) in &mut robots {
        if turn.is_some_and(|turn| turn != robot) {
            continue;
        }
        let row = row.0 as usize;
        let is_gone =
            |held: HeldObject| arena.space.things.get(held.object as usize).is_none_or(|thing| !thing.can_be_pushed);
        if !outputs.grips || held.0.is_some_and(is_gone) {
            if let Some(HeldObject { object, .. }) = held.0.take() {
                news.push((*id, format!("Released {}", arena.space.name_of_thing(object as usize))));
            }
        } else if held.0.is_none()
            && let Some((place, on_robot_m)) = gripper.in_reach(&arena.space, row)
            && let Some((_, object_pose, _)) = objects.iter().find(|(id, ..)| **id == StableId::object(place as u32))
        {
            let point = pose.position_m + direction(pose.heading_rad).rotate(on_robot_m);
            let offset = arena.space.arena.offset(object_pose.position_m, point);
            let on_object_m = direction(-object_pose.heading_rad).rotate(offset);
            let turn_rad = wrap_angle(pose.heading_rad - object_pose.heading_rad);
            held.0 = Some(HeldObject { object: place as u32, on_robot_m, on_object_m, turn_rad });
            news.push((*id, format!("Grasped {}", arena.space.name_of_thing(place))));
        }
    }
    news.sort_unstable_by_key(|(id, _)| *id);
    for (id, text) in news {
        arena.events.push(step, id, EventKind::Grip, text);
    }
    let grasps = &mut arena.space.grasps;
    match *turn {
        Some(robot) => {
            let Ok((_, row, _, _, gripper, _, held)) = robots.get(robot) else { return };
            let place = grasps.binary_search_by_key(&(row.0 as usize), |grasp| grasp.row);
            match (place, grasp_of(*row, gripper, *held)) {
                (Ok(place), Some(grasp)) => grasps[place] = grasp,
                (Ok(place), None) => drop(grasps.remove(place)),
                (Err(place), Some(grasp)) => grasps.insert(place, grasp),
                (Err(_), None) => {}
            }
        }
        None => list(grasps, robots.iter().map(|(_, row, _, _, gripper, _, held)| (*row, gripper, *held))),
    }
}

/// Tells the space which robots hold which objects, after robots were added or changed.
pub fn list_grasps(world: &mut World) {
    let Some(mut robots) = world.try_query_filtered::<(&Row, &Gripper, &Held), Without<Dead>>() else { return };
    let mut grasps = Vec::new();
    list(&mut grasps, robots.iter(world).map(|(row, gripper, held)| (*row, gripper, *held)));
    world.arena_mut().space.grasps = grasps;
}

fn list<'a>(grasps: &mut Vec<Grasp>, robots: impl Iterator<Item = (Row, &'a Gripper, Held)>) {
    grasps.clear();
    grasps.extend(robots.filter_map(|(row, gripper, held)| grasp_of(row, gripper, held)));
    grasps.sort_unstable_by_key(|grasp| grasp.row);
}

fn grasp_of(row: Row, gripper: &Gripper, held: Held) -> Option<Grasp> {
    let HeldObject { object, on_robot_m, on_object_m, turn_rad } = held.0?;
    let (row, thing) = (row.0 as usize, object as usize);
    let force_n = if gripper.force_n > 0.0 { gripper.force_n } else { f64::MAX };
    let (on_robot, on_thing, turn, lifts) = (on_robot_m, on_object_m, turn_rad, gripper.lifts);
    Some(Grasp { row, thing, on_robot, on_thing, turn, force_n, lifts })
}

/// Draws the jaws of all grippers: apart while they are open, together while they hold something.
pub fn draw_all(world: &World, space: &Space, picture: &mut Picture) {
    let Some(mut robots) = world.try_query::<(&Row, &Gripper, &Outputs, &Held)>() else { return };
    let mut robots: Vec<_> = robots.iter(world).collect();
    robots.sort_unstable_by_key(|(row, ..)| row.0);
    for (row, gripper, outputs, held) in robots {
        let row = row.0 as usize;
        let (center, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        let heading = space.bodies.headings()[row];
        let half_angle = if outputs.grips { 0.15 } else { gripper.half_angle_rad.clamp(0.15, 0.6) };
        let bearing = held.0.map_or(gripper.bearing_rad, |held| swarmarium_base::math::angle_of(held.on_robot_m));
        let length = radius + gripper.reach_m.max(0.3 * radius);
        let role = if held.0.is_some() { Role::Accent } else { Role::Dim };
        for side in [-1.0, 1.0] {
            let jaw = direction(heading + bearing + side * half_angle);
            picture.segment(Layer::Agents, role, [center + radius * jaw, center + length * jaw], Width::Pixels(3.0));
        }
    }
}

//! The scene with all robots and moving objects at their present positions.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files::write_whole;
use swarmarium_base::id::StableId;
use swarmarium_base::math;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_scene::scene::description::{Group, Scene};
use swarmarium_scene::scene::writer::write_beside;
use swarmarium_scene::scene::{constants, controls};
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::polygon::centroid;

use crate::common::text::counted;
use crate::files::save::folder_of;
use crate::notice::Notices;
use crate::run::RunState;

/// A scene with present positions, and the parts that it cannot hold.
pub struct Standing {
    scene: Scene,
    /// Robots that spawners have not placed yet.
    to_come: u32,
    /// Objects that have moved but keep their initial position.
    stayed: usize,
}

impl Standing {
    fn of(simulation: &Simulation) -> Self {
        let mut scene = simulation.scene_ahead().clone();
        let kinds = simulation.kinds();
        for place in 0..scene.groups.len() {
            for path in ["count", "spawn", "at", "also_at"] {
                constants::release(kinds, &mut scene, &format!("groups.{place}.{path}"));
            }
        }
        let to_come = (0..scene.groups.len()).map(|place| simulation.pending(place as u32)).sum();
        for (place, group) in scene.groups.iter_mut().enumerate() {
            let at = places(simulation, place);
            let Group { count, spawn, .. } = Group::default();
            // Without poses, the count must say that the group is empty.
            group.count = if at.is_empty() { 0 } else { count };
            (group.spawn, group.at) = (spawn, at);
            group.also_at.clear();
        }
        // Placed objects stay where they are, too.
        constants::release(kinds, &mut scene, "object_groups");
        scene.object_groups.clear();
        for object in scene.objects.iter_mut().filter(|object| object.common().placed) {
            let common = Presence { placed: false, ..object.common().clone() };
            *object = object.clone().with(common);
        }
        controls::forget_gone(kinds, &mut scene);
        let mut stayed = 0;
        for (place, pose) in moved(simulation) {
            for path in ["center_m", "corners_m", "heading_rad"] {
                constants::release(kinds, &mut scene, &format!("objects.{place}.{path}"));
            }
            if let Some(object) = scene.objects.get_mut(place) {
                stayed += usize::from(!put(object, pose));
            }
        }
        Self { scene: scene.for_file(), to_come, stayed }
    }

    /// Returns a text about the missing parts for the message.
    fn left_out(&self) -> String {
        let mut parts = Vec::new();
        if self.to_come > 0 {
            parts.push(format!("without {} robots that were not placed yet", self.to_come));
        }
        if self.stayed > 0 {
            parts.push(format!("with {} objects at their initial positions", self.stayed));
        }
        if parts.is_empty() { String::new() } else { format!(", {}", parts.join(", ")) }
    }
}

/// Returns the poses of the robots of a group, by number.
pub fn places(simulation: &Simulation, group: usize) -> Vec<Placement> {
    let agents = simulation.agents().filter(|agent| agent.member.group as usize == group);
    let mut placed: Vec<(StableId, Placement)> = agents
        .map(|agent| {
            let Pose { position_m: DVec2 { x: x_m, y: y_m }, heading_rad } = agent.pose;
            (agent.id, Placement { x_m, y_m, heading_rad })
        })
        .collect();
    placed.sort_by_key(|(id, _)| *id);
    placed.into_iter().map(|(_, placement)| placement).collect()
}

/// Returns the indices and poses of all objects that have moved.
pub fn moved(simulation: &Simulation) -> Vec<(usize, Pose)> {
    let world = simulation.world();
    let Some(mut query) = world.try_query::<(&StableId, &Pose)>() else { return Vec::new() };
    let is_object = |id: &StableId| *id == StableId::object(id.index());
    let objects = query.iter(world).filter(|(id, _)| is_object(id));
    let mut moved: Vec<_> = objects.map(|(id, pose)| (id.index() as usize, *pose)).collect();
    moved.sort_by_key(|(place, _)| *place);
    moved
}

/// Sets the pose of an object. Returns whether its kind supports that.
fn put(object: &mut Slot<ObjectFamily>, pose: Pose) -> bool {
    let turn = math::direction(pose.heading_rad - object.common().heading_rad);
    let value = object.value_mut();
    if let Some(disc) = value.downcast_mut::<Disc>() {
        disc.center_m = pose.position_m;
    } else if let Some(polygon) = value.downcast_mut::<Polygon>() {
        let center_m = centroid(&polygon.corners_m);
        let placed = |corner: &mut DVec2| *corner = pose.position_m + turn.rotate(*corner - center_m);
        polygon.corners_m.iter_mut().for_each(placed);
    } else {
        return false;
    }
    let mut common = object.common().clone();
    common.heading_rad = pose.heading_rad;
    *object = object.clone().with(common);
    true
}

/// Saves the scene with present positions; the open scene stays open.
pub fn save(run: &RunState, notices: &mut Notices, path: &Path) {
    let simulation = run.host.simulation();
    let standing = Standing::of(simulation);
    let text = write_beside(simulation.kinds(), &standing.scene, folder_of(path)) + "\n";
    match write_whole(path, &text) {
        Ok(()) => {
            let of_agents = run.changes_of_single_robots();
            let own = if of_agents > 0 {
                format!(", without {} of single robots", counted(of_agents))
            } else {
                String::new()
            };
            notices.say_saved(&format!("Saved {}{}{own}", path.display(), standing.left_out()), path);
        }
        Err(error) => notices.tell_error(error),
    }
}

//! The scene with all robots and moving objects at their present positions.

use std::path::Path;

use bevy::math::DVec2;
use swarmarium_base::files::write_whole;
use swarmarium_base::id::StableId;
use swarmarium_base::math;
use swarmarium_core::agent::Pose;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::scene::constants;
use swarmarium_core::scene::description::{Group, Scene};
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::simulation::Simulation;
use swarmarium_space::polygon::centroid;

use super::Lab;
use super::kept_changes::is_kept_by_reset;
use super::text::counted;

/// A scene with present positions, and the parts that it cannot hold.
struct Standing {
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
        let mut stayed = 0;
        for (place, pose) in moved(simulation) {
            for path in ["center_m", "corners_m", "heading_rad"] {
                constants::release(kinds, &mut scene, &format!("objects.{place}.{path}"));
            }
            if let Some(object) = scene.objects.get_mut(place) {
                stayed += usize::from(!put(object, pose));
            }
        }
        Self { scene: scene.without_gone(), to_come, stayed }
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
fn places(simulation: &Simulation, group: usize) -> Vec<Placement> {
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
fn moved(simulation: &Simulation) -> Vec<(usize, Pose)> {
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

impl Lab {
    /// Saves the scene with present positions; the open scene stays open.
    pub(crate) fn save_standing(&mut self, path: &Path) {
        let simulation = self.host.simulation();
        let standing = Standing::of(simulation);
        let text = write(simulation.kinds(), &standing.scene, Style::Short) + "\n";
        match write_whole(path, &text) {
            Ok(()) => {
                let of_agents = self.changes().iter().filter(|change| !is_kept_by_reset(change)).count();
                let own = if of_agents > 0 {
                    format!(", without {} of single robots", counted(of_agents))
                } else {
                    String::new()
                };
                self.say_saved(&format!("Saved {}{}{own}", path.display(), standing.left_out()), path);
            }
            Err(error) => self.tell_error(error),
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::scene::reader;
    use swarmarium_kinds::FromScene as _;

    use super::*;
    use crate::testing::{do_steps, lab_of, lab_on};

    fn read(lab: &Lab, path: &Path) -> Scene {
        let text = std::fs::read_to_string(path).unwrap();
        reader::read(lab.host.simulation().kinds(), "standing.ron", &text).unwrap()
    }

    fn poses(simulation: &Simulation) -> Vec<Pose> {
        simulation.agents().map(|agent| agent.pose).collect()
    }

    #[test]
    fn a_scene_as_it_stands_starts_where_it_was() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        // One has constants for fields that are left out.
        for name in ["milling", "scenes/formation.ron"] {
            let mut lab = lab_on(name);
            do_steps(&mut lab, 200);
            lab.save_standing(&path);
            assert!(!lab.notices.iter().any(|notice| notice.is_error));
            let again = Simulation::new(&read(&lab, &path)).unwrap();
            assert_eq!(poses(&again), poses(lab.host.simulation()), "{name}");
        }
    }

    #[test]
    fn objects_that_move_are_where_they_were() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let motion = "motion: Unicycle(), controller: Constant(v_m_per_s: 0.5, turn_rad_per_s: 1.0)";
        let mut lab = lab_of(&format!(
            "(groups: [(name: \"none\", count: 0)], objects: [Disc(center_m: (1, 1), {motion}), Disc(center_m: (4, 4)),
                Polygon(corners_m: [(6, 6), (7, 6), (7, 7)], {motion})])"
        ));
        do_steps(&mut lab, 100);
        lab.save_standing(&path);
        let now = moved(lab.host.simulation());
        let again = Simulation::new(&read(&lab, &path)).unwrap();
        let later = moved(&again);
        assert_eq!(later.len(), 2);
        for ((_, now), (_, later)) in now.iter().zip(&later) {
            assert!(now.position_m.distance(later.position_m) < 1e-9, "{now:?} {later:?}");
            assert_eq!(now.heading_rad, later.heading_rad);
        }
        assert_eq!(again.agents().count(), 0);
    }
}

//! Tests of `lab_state::files::standing`.

use std::path::Path;

use swarmarium_core::agent::Pose;
use swarmarium_formats::standard::FromScene as _;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::files::standing::{self, moved};
use swarmarium_lab_testing::{do_steps, lab_of, lab_on};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::simulation::Simulation;

pub fn read(lab: &Lab, path: &Path) -> Scene {
    let text = std::fs::read_to_string(path).unwrap();
    reader::read(lab.run.host.simulation().kinds(), "standing.ron", &text).unwrap()
}

fn poses(simulation: &Simulation) -> Vec<Pose> {
    simulation.agents().map(|agent| agent.pose).collect()
}

#[test]
fn a_scene_saved_at_its_present_state_starts_there() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ron");
    // One has constants for fields that are left out.
    for name in ["milling", "scenes/formation.ron"] {
        let mut lab = lab_on(name);
        do_steps(&mut lab, 200);
        standing::save(&lab.run, &mut lab.notices, &path);
        assert!(!lab.notices.iter().any(|notice| notice.is_error));
        let again = Simulation::new(&read(&lab, &path)).unwrap();
        assert_eq!(poses(&again), poses(lab.run.host.simulation()), "{name}");
    }
}

#[test]
fn moving_objects_of_a_saved_state_keep_their_poses() {
    let place = tempfile::tempdir().unwrap();
    let path = place.path().join("a.ron");
    let motion = "motion: Unicycle(), controller: Constant(v_m_per_s: 0.5, turn_rad_per_s: 1.0)";
    let mut lab = lab_of(&format!(
        "(groups: [(name: \"none\", count: 0)], objects: [Disc(center_m: (1, 1), {motion}), Disc(center_m: (4, 4)),
            Polygon(corners_m: [(6, 6), (7, 6), (7, 7)], {motion})])"
    ));
    do_steps(&mut lab, 100);
    standing::save(&lab.run, &mut lab.notices, &path);
    let now = moved(lab.run.host.simulation());
    let again = Simulation::new(&read(&lab, &path)).unwrap();
    let later = moved(&again);
    assert_eq!(later.len(), 2);
    for ((_, now), (_, later)) in now.iter().zip(&later) {
        assert!(now.position_m.distance(later.position_m) < 1e-9, "{now:?} {later:?}");
        assert_eq!(now.heading_rad, later.heading_rad);
    }
    assert_eq!(again.agents().count(), 0);
}

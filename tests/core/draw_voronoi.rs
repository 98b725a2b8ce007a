//! Voronoi and Delaunay: the borders of what is nearest to each robot, and who shares such a border.

use bevy::math::DVec2;
use swarmarium::prelude::*;
use swarmarium_draw::{Overlay, View};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::Simulation;

#[test]
fn a_scene_without_robots_has_no_voronoi_cells_and_no_delaunay_edges() {
    let simulation = Simulation::new(&Scene::default()).unwrap();
    let mut view = View::fit(simulation.scene(), DVec2::splat(500.0));
    let before = simulation.picture(&view);
    view.overlays = view.overlays.with(Overlay::Voronoi).with(Overlay::Delaunay);
    assert_eq!(simulation.picture(&view), before);
}

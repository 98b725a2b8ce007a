//! Trails: where robots have been.

use bevy::math::DVec2;
use swarmarium::prelude::*;
use swarmarium_draw::{Overlay, Overlays, View};
use swarmarium_picture::Layer;
use swarmarium_simulation::simulation::Simulation;

use crate::support::scene_of;

#[test]
fn trails_off_the_screen_are_left_out() {
    let text = r#"(groups: [(
        name: "a", at: [(5.0, 5.0, 0.0)], look: (trail_s: 10.0),
        controller: Constant(v_m_per_s: 1.0, turn_rad_per_s: 0.0),
    )])"#;
    let scene = scene_of(text);
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(10);
    let mut view = View::fit(&scene, DVec2::splat(600.0));
    view.overlays = Overlays::NONE.with(Overlay::Trails);
    let trails = |view: &View| simulation.picture(view).items.iter().filter(|item| item.layer == Layer::Trails).count();
    assert!(trails(&view) > 0);
    view.camera.center_m += DVec2::splat(100.0);
    assert_eq!(trails(&view), 0);
}

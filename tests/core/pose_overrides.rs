//! Agents that are put where somebody else had them: another simulation, of which there is a trace, or the world, where

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_core::agent::Pose;
use swarmarium_draw::{Overlay, View};
use swarmarium_picture::{Layer, Shape};
use swarmarium_simulation::engine::pose_overrides::*;
use swarmarium_simulation::simulation::Simulation;

use crate::support::scene_of;

fn tracked(step: u64) -> Vec<Placed> {
    let pose = Pose { position_m: DVec2::new(1.0 + 0.1 * step as f64, 2.0), heading_rad: 0.0 };
    vec![Placed { agent: 0, pose, readings: Vec::new() }]
}

#[test]
fn trails_and_metrics_use_overridden_poses() {
    let text = r#"(time: (dt_s: 0.1), metrics: [AverageSpeed()], groups: [
        (name: "one", at: [(1.0, 2.0, 0.0)], look: (trail_s: 2.0)),
    ])"#;
    let scene = scene_of(text);
    let mut simulation = Simulation::new(&scene).unwrap();
    for step in 1..=20 {
        simulation.step_along(tracked(step)).unwrap();
    }
    assert!((simulation.metrics()[0] - 1.0).abs() < 1e-9);
    let mut view = View::fit(&scene, DVec2::splat(500.0));
    view.overlays.set(Overlay::Trails, true);
    let picture = simulation.picture(&view);
    let trail = picture.items.iter().filter(|item| item.layer == Layer::Trails);
    let points = trail.map(|item| if let Shape::Line { points, .. } = &item.shape { points.len() } else { 0 });
    assert!(points.sum::<usize>() >= 20);
    assert_eq!(simulation.step_along(vec![Placed { agent: 7, ..tracked(1).remove(0) }]), Err(UnknownAgent(7)));
}

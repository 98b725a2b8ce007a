//! Commands: an arrow from each robot along the way on which its controller wants it to be in a second.

use std::f64::consts::{FRAC_PI_2, PI};

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_draw::{Overlay, Overlays, View};
use swarmarium_picture::{Layer, Shape};
use swarmarium_simulation::simulation::Simulation;

use crate::support::scene_of;

/// The lines of all commands.
fn lines(group: &str) -> Vec<Vec<DVec2>> {
    let text = format!("(time: (dt_s: 0.001), groups: [(name: \"a\", at: [(5.0, 5.0, 0.0)], {group})])");
    let scene = scene_of(&text);
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(1);
    let overlays = Overlays::NONE.with(Overlay::Commands);
    let view = View { overlays, ..View::fit(&scene, DVec2::splat(800.0)) };
    let line = |item: swarmarium_picture::Item| match item.shape {
        Shape::Line { points, .. } if item.layer == Layer::Labels => Some(points),
        _ => None,
    };
    simulation.picture(&view).items.into_iter().filter_map(line).collect()
}

fn constant(v: f64, turn: f64) -> Vec<Vec<DVec2>> {
    lines(&format!("controller: Constant(v_m_per_s: {v:?}, turn_rad_per_s: {turn:?})"))
}

#[test]
fn a_drive_command_is_drawn_as_the_path_of_one_second() {
    let straight = constant(1.0, 0.0);
    assert_eq!(straight.len(), 1);
    assert_eq!(straight[0].len(), 2);
    // The head is at the end of the line.
    let length_m = straight[0][0].distance(straight[0][1]);
    assert!(length_m < 1.0 && length_m > 0.8, "{length_m}");
    let arc = constant(1.0, FRAC_PI_2);
    assert!(arc[0].len() > 6 && arc[0].iter().all(|point| point.is_finite()));
    let radius_m = 2.0 / PI;
    let center = DVec2::new(5.0, 5.0 + radius_m);
    let off = arc[0][..arc[0].len() - 1].iter().map(|point| (point.distance(center) - radius_m).abs());
    assert!(off.fold(0.0, f64::max) < 0.01);
}

#[test]
fn a_turn_command_is_drawn_as_an_arc_and_a_zero_command_not_at_all() {
    let turning = constant(0.0, 1.0);
    assert!(turning.len() == 1 && turning[0].len() > 2, "{turning:?}");
    assert!(constant(0.0, 0.0).is_empty());
}

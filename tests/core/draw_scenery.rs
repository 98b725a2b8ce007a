//! The content of every picture: the arena with its grid and walls, the agents, the scale.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_core::agent::failure::Failure;
use swarmarium_draw::{Overlay, Overlays, View};
use swarmarium_picture::camera::{Camera, YAxis};
use swarmarium_picture::{Item, Layer, Shape};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::Simulation;

use crate::support::edits::fault;
use crate::support::scene_of;

#[test]
fn grid_lines_are_labelled_with_their_coordinates() {
    let simulation = Simulation::new(&Scene::default()).unwrap();
    let overlays = Overlays::NONE.with(Overlay::Grid).with(Overlay::GridLabels);
    let mut view = View { overlays, ..View::fit(simulation.scene(), DVec2::splat(600.0)) };
    let labels = |view: &View| {
        let text = |item: Item| match item.shape {
            Shape::Text { at, text, .. } => Some((text, at)),
            _ => None,
        };
        simulation.picture(view).items.into_iter().filter_map(text).collect::<Vec<_>>()
    };
    let found = labels(&view);
    assert!(found.iter().any(|(text, at)| text == "4 m" && (at.x - 4.0).abs() < 1e-9), "{found:?}");
    view.camera.zoom_at(DVec2::splat(300.0), 16.0);
    assert!(labels(&view).iter().all(|(text, _)| text.contains('.')), "parts of a metre have digits");
    view.camera.turn_rad = 0.3;
    assert!(labels(&view).is_empty());
}

#[test]
fn fault_marks_are_above_robots_on_the_screen_at_any_rotation() {
    let text = r#"(groups: [(name: "a", at: [(5.0, 5.0, 0.0)])])"#;
    let scene = scene_of(text);
    let mut simulation = Simulation::new(&scene).unwrap();
    for failure in [Failure::Total, Failure::Motors] {
        simulation.apply(fault(0, failure, true)).unwrap();
    }
    simulation.step(1);
    let plain = View { overlays: Overlays::NONE, ..View::fit(&scene, DVec2::splat(600.0)) };
    for (y_axis, turn_rad) in [(YAxis::Up, 0.0), (YAxis::Down, 0.0), (YAxis::Up, 2.0), (YAxis::Down, 2.0)] {
        let view = View { camera: Camera { y_axis, turn_rad, ..plain.camera }, ..plain };
        let on_screen = |point: &DVec2| view.camera.screen_from_world(*point);
        let robot = on_screen(&simulation.agent(0).unwrap().pose.position_m);
        let picture = simulation.picture(&view);
        let marks = picture.items.iter().filter(|item| item.layer == Layer::Labels);
        let points: Vec<DVec2> = marks
            .flat_map(|item| match &item.shape {
                Shape::Segment { ends, .. } => ends.iter().map(on_screen).collect(),
                Shape::Line { points, .. } | Shape::Polygon(points) => points.iter().map(on_screen).collect(),
                _ => Vec::new(),
            })
            .collect();
        assert!(points.len() >= 8, "{points:?}");
        assert!(points.iter().all(|at| at.y < robot.y && (at.x - robot.x).abs() < 40.0), "{robot} {points:?}");
    }
}

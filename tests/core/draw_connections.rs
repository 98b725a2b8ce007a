//! Connections: a line between each two robots whose radios hear each other, dashed where they have not of late.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_draw::{Overlay, Overlays, View};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Pen, Shape};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::support::simulation_of;

fn simulation() -> Simulation {
    let text = r#"(arena: (boundary: Periodic), time: (dt_s: 0.1), groups: [(
        name: "r", at: [(0.5, 5.0, 0.0), (9.5, 5.0, 0.0), (8.7, 5.0, 0.0)], motion: Holonomic(),
        controller: Formation(k1_per_s: 0.0), radio: (loss: Disc(range_m: 1.1), schedule: Periodic(period_s: 0.1)),
    )])"#;
    let mut simulation = simulation_of(text);
    simulation.step(3);
    simulation
}

fn drawn(simulation: &Simulation, overlays: Overlays, selected: Option<u32>) -> Vec<([DVec2; 2], Role, bool)> {
    let selected = selected.map(StableId::agent);
    let view = View { overlays, selected, ..View::fit(simulation.scene(), DVec2::splat(500.0)) };
    let line = |item: &swarmarium_picture::Item| match item.shape {
        Shape::Segment { ends, pen: Pen { dashed, .. } } if item.layer == Layer::Links => {
            Some((ends, item.paint.role, dashed))
        }
        _ => None,
    };
    simulation.picture(&view).items.iter().filter_map(line).collect()
}

#[test]
fn each_connection_is_one_line_to_the_nearest_image_and_dashed_when_stale() {
    let mut simulation = simulation();
    let on = Overlays::NONE.with(Overlay::Connections);
    let at = |x_m: f64| DVec2::new(x_m, 5.0);
    let across = ([at(0.5), at(-0.5)], Role::Text, false);
    let beside = ([at(9.5), at(8.7)], Role::Text, false);
    assert_eq!(drawn(&simulation, on, None), [across, beside]);
    assert_eq!(drawn(&simulation, Overlays::NONE, None), []);
    assert_eq!(drawn(&simulation, Overlays::NONE, Some(2)), [beside], "those of the selected agent");
    simulation.apply(Edit::Move { agent: 0, x_m: 5.0, y_m: 5.0, heading_rad: 0.0 }).unwrap();
    simulation.step(10);
    let stale = ([at(5.0), at(9.5)], Role::Stale, true);
    assert_eq!(drawn(&simulation, on, None), [stale, beside]);
    simulation.step(40);
    assert_eq!(drawn(&simulation, on, None), [beside], "forgotten");
}

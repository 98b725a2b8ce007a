//! A moment of a simulation, to look at: the end of a step, or a time between the ends of two.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_core::controller::constant::Constant;
use swarmarium_draw::View;
use swarmarium_simulation::edit::Edit;

use crate::support::scene_of;

fn driving(walls: Boundary) -> Simulation {
    let group = Group {
        name: "one".into(),
        at: vec![Placement { x_m: 9.98, y_m: 5.0, heading_rad: 0.0 }],
        controller: Slot::new(Constant { v_m_per_s: 1.0, turn_rad_per_s: 2.0 }),
        ..Group::default()
    };
    let mut scene = Scene { groups: vec![group], ..Scene::default() };
    scene.arena.boundary = walls;
    Simulation::new(&scene).unwrap()
}

fn x_between(simulation: &mut Simulation, part: f64) -> f64 {
    let before = simulation.poses();
    simulation.step(1);
    simulation.between(&before, part).position_m(0).unwrap().x
}

#[test]
fn poses_of_agents_are_interpolated_between_two_steps() {
    let mut simulation = driving(Boundary::Open);
    let before = simulation.poses();
    simulation.step(1);
    let hash = simulation.hash();
    let [start, half, end] = [0.0, 0.5, 1.0].map(|part| {
        let moment = simulation.between(&before, part);
        let heading = moment.space.bodies.headings()[0];
        (moment.position_m(0).unwrap().x, heading, moment.now_s())
    });
    assert_eq!(start, (9.98, 0.0, 0.0));
    assert_eq!(end.2, 0.025);
    assert!((half.0 - f64::midpoint(start.0, end.0)).abs() < 1e-12 && (half.1 - 0.025).abs() < 1e-12);
    assert_eq!(half.2, 0.0125);
    assert_eq!(simulation.hash(), hash);
}

#[test]
fn poses_of_moving_objects_are_interpolated_too() {
    let text = r#"(objects: [Disc(
        center_m: (3.0, 3.0), radius_m: 0.5, motion: Unicycle(), controller: Constant(v_m_per_s: 1.0),
    )])"#;
    let scene = scene_of(text);
    let mut simulation = Simulation::new(&scene).unwrap();
    let before = simulation.poses();
    simulation.step(1);
    let x = |part| simulation.between(&before, part).space.things[0].position.x;
    for (part, expected) in [(0.0, 3.0), (0.5, 3.0125), (1.0, 3.025)] {
        assert!((x(part) - expected).abs() < 1e-12, "{part}: {}", x(part));
    }
}

#[test]
fn no_pose_is_interpolated_across_a_leap() {
    let mut wrapping = driving(Boundary::Periodic);
    assert!(x_between(&mut wrapping, 0.5) < 0.1);
    let mut moved = driving(Boundary::Open);
    moved.apply(Edit::Move { agent: 0, x_m: 2.0, y_m: 2.0, heading_rad: 0.0 }).unwrap();
    assert!((x_between(&mut moved, 0.5) - 2.0).abs() < 0.1);
}

#[test]
fn interpolation_at_one_equals_the_current_state() {
    let mut simulation = driving(Boundary::Open);
    let before = simulation.poses();
    simulation.step(1);
    let view = View::fit(simulation.scene(), DVec2::splat(500.0));
    assert_eq!(simulation.between(&before, 1.0).picture(&view), simulation.picture(&view));
    assert!(simulation.between(&before, 0.5).picture(&view) != simulation.picture(&view));
}

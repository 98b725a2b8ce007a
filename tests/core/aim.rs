//! Where a camera looks over time: at the whole arena, at one place, or after somebody.

use bevy::math::DVec2;
use swarmarium::prelude::*;
use swarmarium_draw::View;
use swarmarium_host::aim::*;
use swarmarium_scene::scene::description::{CameraKeyframe, LookAt};
use swarmarium_simulation::simulation::Simulation;

use crate::support::shipped_scene;

fn aim(text: &str) -> Result<Vec<CameraKeyframe>, AimError> {
    text.parse::<Aim>().map(|Aim(keyframe)| vec![keyframe])
}

#[test]
fn cameras_follow_agents_and_groups() {
    let scene = shipped_scene("milling");
    let simulation = Simulation::new(&scene).unwrap();
    let fit = View::fit(&scene, DVec2::new(1280.0, 720.0)).camera;
    let center = |text: &str| {
        let mut operator = Operator::new(&aim(text)?, &simulation)?;
        Ok::<_, AimError>(operator.camera(&simulation.now(), &fit).center_m)
    };
    let third = simulation.agent(3).unwrap().pose.position_m;
    assert_eq!(center("follow:3"), Ok(third));
    assert_eq!(center("follow:millers-3"), Ok(third));
    let sum: DVec2 = simulation.agents().map(|agent| agent.pose.position_m).sum();
    assert!((center("follow:millers").unwrap() - sum / 6.0).length() < 1e-12);
    assert_eq!(center("fit"), Ok(DVec2::splat(5.0)));
    assert!(center("follow:6").unwrap_err().to_string().contains("the scene has 6"));
    assert!(center("follow:milers").unwrap_err().to_string().contains("did you mean `millers`"));
}

#[test]
fn cameras_glide_from_keyframe_to_keyframe() {
    let scene = shipped_scene("milling");
    let mut simulation = Simulation::new(&scene).unwrap();
    let fit = View::fit(&scene, DVec2::splat(500.0)).camera;
    let far = CameraKeyframe { at_s: 2.0, look_at: LookAt::Place { center_m: DVec2::splat(9.0) }, zoom: 4.0 };
    let mut operator = Operator::new(&[far, CameraKeyframe::default()], &simulation).unwrap();
    let mut at = |step: u64| {
        simulation.step(step - simulation.steps());
        let camera = operator.camera(&simulation.now(), &fit);
        (camera.center_m.x, camera.pixels_per_m / fit.pixels_per_m)
    };
    let near = |(x, zoom): (f64, f64), (expected_x, expected): (f64, f64)| {
        (x - expected_x).abs() + (zoom - expected).abs() < 1e-9
    };
    assert!(near(at(0), (5.0, 1.0)) && near(at(40), (7.0, 2.0)) && near(at(80), (9.0, 4.0)));
    assert_eq!(at(120), at(160));
}

//! The base frequency: how many steps a simulated second has.

use swarmarium::prelude::*;
use swarmarium_scene::scene::base::*;
use swarmarium_scene::scene::description::Scene;
use swarmarium_simulation::simulation::{Recipe, Simulation};

use crate::support::scene_of;

fn scene(sensors: &str) -> Scene {
    let text = format!("(time: (base: Fastest), groups: [(name: \"a\", sensors: [{sensors}])])");
    scene_of(&text)
}

#[test]
fn the_fastest_component_sets_the_base_frequency_from_60_hz_on() {
    let kinds = Recipe::standard().kinds().clone();
    for (sensors, base_hz, path) in [
        ("", 60.0, ""),
        ("Constant(rate_hz: 10)", 60.0, ""),
        ("Constant(rate_hz: 50), Constant(rate_hz: 100)", 100.0, "groups.0.sensors.1.rate_hz"),
    ] {
        let mut scene = scene(sensors);
        let found = resolve(&kinds, &mut scene).unwrap();
        assert_eq!(found.base_hz, base_hz, "{sensors}");
        assert_eq!(found.path.as_str(), path, "{sensors}");
        assert_eq!(scene.time.dt_s, 1.0 / base_hz);
        let once = scene.time;
        resolve(&kinds, &mut scene);
        assert_eq!(scene.time, once);
    }
    assert_eq!(resolve(&kinds, &mut Scene::default()), None);
}

#[test]
fn a_simulation_has_the_base_frequency_of_its_components() {
    let simulation = Simulation::new(&scene("Constant(rate_hz: 200)")).unwrap();
    assert_eq!(simulation.time().dt_s, 0.005);
    assert_eq!(simulation.scene().time.dt_s, 0.005);
}

//! Kinds: one made outside the crate, and what holds for every kind.

use bevy::prelude::{App, Component, Reflect, ReflectDefault};
use swarmarium::edit::Edit;
use swarmarium::prelude::*;
use swarmarium::scene::describe;
use swarmarium::scene::writer::{Style, write};
use swarmarium::scene::{path, reader};
use swarmarium::state::ForeignSnapshot;
use swarmarium::state::hash::StateHasher;

/// Reads how far the nearest robot is, to its edge.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
struct Nearest {
    /// The reading without other robots.
    #[reflect(@Limits::POSITIVE)]
    alone_m: f64,
}

impl Default for Nearest {
    fn default() -> Self {
        Self { alone_m: 100.0 }
    }
}

impl Sensor for Nearest {
    type Prepared = ();
    type Memory = NoMemory;

    fn prepare(&self) {}

    fn read(&self, (): &(), _: &mut NoMemory, from: Viewpoint, reading: &mut [f64]) {
        let eye = from.space.bodies.positions()[from.row];
        let nearest = from.space.index().nearest(eye, Some(from.row), |_| true);
        reading[0] = nearest.map_or(self.alone_m, |other| other.offset.length() - other.radius);
    }

    fn draw(&self, _: &NoMemory, _: &Space, _: usize, _: &[f64], _: &mut Picture) {}
}

fn with_nearest() -> Recipe {
    Recipe::standard().with(|app: &mut App| {
        app.add_sensor::<Nearest>();
    })
}

#[test]
fn a_kind_from_outside_works_in_scene_files_lists_and_overrides() {
    let recipe = with_nearest();
    let text = "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 1.0, 0.0)], sensors: [Nearest()])])";
    let mut scene: Scene = reader::read(recipe.kinds(), "test.ron", text).unwrap();
    let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
    let read = |simulation: &Simulation| simulation.agents().next().unwrap().readings().flatten().sum::<f64>();
    assert_eq!(read(&simulation), 1.9);

    let kind = recipe.kinds().get("sensor", "Nearest").unwrap();
    let fields = describe::fields_of(recipe.kinds(), kind);
    assert_eq!(describe::about(kind), "Reads how far the nearest robot is, to its edge.");
    assert_eq!((fields[0].name.as_str(), fields[0].unit, fields[0].default.as_str()), ("alone_m", Some("m"), "100.0"));

    path::set(recipe.kinds(), &mut scene, "groups.g.sensors.0.alone_m", "7").unwrap();
    path::set(recipe.kinds(), &mut scene, "groups.g.at", "[(1.0, 1.0, 0.0)]").unwrap();
    let alone = Simulation::with(&scene, &recipe, 1).unwrap();
    assert_eq!(read(&alone), 7.0);

    simulation.apply(Edit::Move { agent: 1, x_m: 1.5, y_m: 1.0, heading_rad: 0.0 }).unwrap();
    simulation.step(1);
    assert!((read(&simulation) - 0.4).abs() < 1e-12);
    let unknown = reader::read::<Scene>(Recipe::standard().kinds(), "test.ron", text).unwrap_err();
    assert!(unknown.to_string().contains("unknown sensor `Nearest`"), "{unknown}");
}

#[test]
fn snapshots_of_simulations_with_other_kinds_are_refused() {
    let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
    let foreign = Simulation::with(&scene, &with_nearest(), 1).unwrap().snapshot();
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(3);
    let before = simulation.hash();
    assert_eq!(simulation.restore(&foreign), Err(ForeignSnapshot));
    assert_eq!(simulation.hash(), before);
}

#[test]
fn sequential_order_serves_kinds_from_outside_too() {
    let recipe = with_nearest();
    let text = "(order: Sequential, groups: [
        (name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 1.0, 0.0)], sensors: [Nearest()], controller: Constant(v_m_per_s: 1.0)),
    ])";
    let scene: Scene = reader::read(recipe.kinds(), "test.ron", text).unwrap();
    let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
    simulation.step(1);
    // The first sees the second before it moved, the second sees the first after it did.
    let readings: Vec<f64> = simulation.agents().flat_map(|agent| agent.readings().flatten().copied()).collect();
    assert!((readings[0] - 1.875).abs() < 1e-12 && (readings[1] - 1.9).abs() < 1e-12, "{readings:?}");
}

/// Properties of every kind that comes with the program.
#[test]
fn every_kind_keeps_its_own_rules() {
    let recipe = Recipe::standard();
    let kinds = recipe.kinds();
    for family in kinds.family_names() {
        for kind in kinds.family(family) {
            let name = format!("{family} {}", kind.name);
            assert!(!describe::about(kind).is_empty(), "{name} has a sentence");
            for field in describe::fields_of(kinds, kind) {
                assert!(!field.about.is_empty(), "{name}.{} has a sentence", field.name);
            }
            let default = (kind.default)();
            let text = write(kinds, &*default, Style::Full);
            let wanted = reader::Expected::of(kind.type_id);
            let again = reader::read_value(kinds, &text, wanted)
                .unwrap_or_else(|problems| panic!("{name}: its default breaks its limits: {problems:?}"));
            assert_eq!(again.reflect_partial_eq(default.as_partial_reflect()), Some(true), "{name} reads as written");
            StateHasher::new(kinds.types()).add(0, None, default.as_partial_reflect());
            let unknown = format!("{}(no_such_field: 1)", kind.name);
            assert!(reader::read_value(kinds, &unknown, wanted).is_err(), "{name} refuses unknown fields");
        }
    }
}

/// Two kinds that write the same component would be ambiguous if they were not put in line.
#[test]
fn a_plugin_that_leaves_the_order_open_is_refused() {
    use bevy::prelude::{IntoScheduleConfigs, Query};
    use swarmarium::step::{Phase, SimStep};

    fn shove(mut poses: Query<&mut Pose>) {
        for mut pose in &mut poses {
            pose.heading_rad += 1.0;
        }
    }
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_systems(SimStep, shove.in_set(Phase::Move));
    });
    let error = Simulation::with(&Scene::default(), &recipe, 1).err().unwrap();
    assert!(error.to_string().contains("shove"), "{error}");
}

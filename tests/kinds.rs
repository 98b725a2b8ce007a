//! Kinds: one made outside the crate, and what holds for every kind.

use std::panic::{AssertUnwindSafe, catch_unwind};

use bevy::prelude::{App, IntoScheduleConfigs as _, Mut, Query};
use bevy::reflect::ReflectRef;
use swarmarium::prelude::*;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::motion::unicycle::Unicycle;
use swarmarium_core::state::ForeignSnapshot;
use swarmarium_core::state::hash::StateHasher;
use swarmarium_core::step::{Phase, SimStep, after_kind};
use swarmarium_kinds::controller::velocity::Velocity;
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{path, reader};
use swarmarium_simulation::edit::Edit;

use crate::support::scene_of;

/// Reads how far the nearest robot is, to its edge.
#[kind]
struct Nearest {
    /// The reading without other robots.
    #[reflect(@Limits::POSITIVE)]
    #[default(100.0)]
    alone_m: f64,
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
    assert_eq!(fields[0].name.as_str(), "alone_m");
    assert_eq!(fields[0].unit, Some("m"));
    assert_eq!(fields[0].default.as_str(), "100.0");

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

#[test]
fn random_order_is_drawn_at_each_step_and_agents_sense_before_they_move() {
    let recipe = with_nearest();
    let text = "(order: RandomSequential, groups: [
        (name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 1.0, 0.0)], sensors: [Nearest()], controller: Constant(v_m_per_s: 1.0)),
    ])";
    let scene: Scene = reader::read(recipe.kinds(), "test.ron", text).unwrap();
    let mut simulation = Simulation::with(&scene, &recipe, 1).unwrap();
    let mut first = 0;
    for _ in 0..200 {
        simulation.step(1);
        let readings: Vec<f64> = simulation.agents().flat_map(|agent| agent.readings().flatten().copied()).collect();
        // The agent that is first sees the other one where it was; the other one sees that the first one has moved.
        let near =
            |expected: [f64; 2]| readings.iter().zip(expected).all(|(found, value)| (found - value).abs() < 1e-9);
        first += u32::from(near([1.9, 1.875]));
        assert!(near([1.9, 1.875]) || near([1.925, 1.9]), "{readings:?}");
    }
    assert!((70..130).contains(&first), "{first} of 200");
}

#[test]
fn random_order_refuses_stops_that_robots_would_not_feel() {
    let scene =
        scene_of("(order: RandomSequential, on_collision: Stop, groups: [(name: \"g\", at: [(1.0, 1.0, 0.0)])])");
    let problems = Simulation::new(&scene).err().unwrap().to_string();
    assert!(problems.contains("on_collision: `Stop` and `Pause` need another `order`"), "{problems}");
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
            let again = reader::read_value(kinds, ("", &text), wanted)
                .unwrap_or_else(|problems| panic!("{name}: its default breaks its limits: {problems:?}"));
            assert_eq!(again.reflect_partial_eq(default.as_partial_reflect()), Some(true), "{name} reads as written");
            StateHasher::new(kinds.types()).add(0, None, default.as_partial_reflect(), false);
            let unknown = format!("{}(no_such_field: 1)", kind.name);
            assert!(reader::read_value(kinds, ("", &unknown), wanted).is_err(), "{name} refuses unknown fields");
            // A new value is put into each robot of a group. The reader makes dynamic arrays and tuples, whose items are copied.
            for part in path::parts(kinds, &path::Leaf::root(default.as_reflect())) {
                let has_items = matches!(part.value.reflect_ref(), ReflectRef::Array(_) | ReflectRef::Tuple(_));
                assert!(has_items || part.value.reflect_clone().is_ok(), "{name}.{} can be copied", part.path);
            }
        }
    }
}

/// Two kinds that write the same component would be ambiguous if they were not put in line.
#[test]
fn a_plugin_that_leaves_the_order_open_is_refused() {
    let refusal = refusal(Order::Simultaneous, |app| _ = app.add_systems(SimStep, turn.in_set(Phase::Move)));
    assert!(refusal.contains("turn"), "{refusal}");
}

/// Systems of a plugin in the set of a kind act directly after it, before the next kind of the same family.
#[test]
fn a_plugin_orders_its_systems_after_kinds() {
    let slow: Plugin = |app| _ = app.add_systems(SimStep, halve.in_set(after_kind::<Constant>()));
    assert_eq!(advance_m(slow), 0.05);

    let between: Plugin = |app| _ = app.add_systems(SimStep, halve.after(Phase::Control).before(Phase::Move));
    assert_eq!(advance_m(between), 0.05);

    // The motion model has moved robots before: the change comes too late for this step.
    let late: Plugin = |app| _ = app.add_systems(SimStep, halve.in_set(after_kind::<Unicycle>()));
    assert_eq!(advance_m(late), 0.1);

    // Two systems in line: the second one acts on the commands of the first one.
    let both: Plugin = |app| {
        app.add_systems(SimStep, halve.in_set(after_kind::<Constant>()));
        app.add_systems(SimStep, add_two.in_set(after_kind::<Velocity>()));
    };
    assert_eq!(advance_m(both), 0.25);
    let plan = Simulation::with(&ahead(), &Recipe::standard().with(both), 1).unwrap().plan();
    let plan: Vec<_> = plan.iter().map(|line| format!("{}: {line}", line.place)).collect();
    let expected = [
        "Agents / Control: controllers: Constant",
        "Agents / Control: halve, of a plugin",
        "Agents / Control: add_two, of a plugin",
        "Agents / Move: motion models: Unicycle",
    ];
    assert!(plan.windows(4).any(|lines| lines == expected), "{plan:#?}");
}

/// Two systems after one kind are ambiguous, unless the plugin puts them in line.
#[test]
fn two_plugin_systems_after_one_kind_need_an_order() {
    let refusal = refusal(Order::Simultaneous, |app| {
        app.add_systems(SimStep, (halve, add_two).in_set(after_kind::<Constant>()));
    });
    assert!(refusal.contains("halve") && refusal.contains("add_two"), "{refusal}");

    let chained: Plugin = |app| {
        app.add_systems(SimStep, (add_two, halve).chain().in_set(after_kind::<Constant>()));
    };
    assert_eq!(advance_m(chained), 0.15);
}

#[test]
fn a_plugin_system_after_a_kind_without_its_own_set_is_refused() {
    let after_nearest: Plugin = |app| _ = app.add_systems(SimStep, halve.in_set(after_kind::<Nearest>()));
    let after_constant: Plugin = |app| _ = app.add_systems(SimStep, halve.in_set(after_kind::<Constant>()));
    let before_moves: Plugin = |app| _ = app.add_systems(SimStep, halve.after(Phase::Control).before(Phase::Move));
    for (order, plugin, parts) in [
        (Order::Simultaneous, after_nearest, ["after the kind `Nearest`", "not a registered controller"]),
        (Order::Sequential, after_constant, ["after the kind `Constant`", "one after the other"]),
        (Order::Sequential, before_moves, ["by the phase `", "one after the other"]),
    ] {
        let refusal = refusal(order, plugin);
        assert!(parts.iter().all(|part| refusal.contains(part)), "{refusal}");
    }
}

/// A plugin that adds systems to a step.
type Plugin = fn(&mut App);

fn turn(mut poses: Query<&mut Pose>) {
    poses.iter_mut().for_each(|mut pose| pose.heading_rad += 1.0);
}

fn halve(mut commands: Query<&mut Command>) {
    speeds(&mut commands).for_each(|mut speed| *speed *= 0.5);
}

fn add_two(mut commands: Query<&mut Command>) {
    speeds(&mut commands).for_each(|mut speed| *speed += 2.0);
}

fn speeds<'a>(commands: &'a mut Query<&mut Command>) -> impl Iterator<Item = Mut<'a, f64>> {
    commands.iter_mut().filter_map(|command| {
        command.filter_map_unchanged(|command| match command {
            Command::Drive { v_m_per_s, .. } => Some(v_m_per_s),
            _ => None,
        })
    })
}

/// A robot that drives ahead with 1 m/s, in steps of 0.1 s.
fn ahead() -> Scene {
    let text =
        "(time: (dt_s: 0.1), groups: [(name: \"g\", at: [(1.0, 1.0, 0.0)], controller: Constant(v_m_per_s: 1.0))])";
    scene_of(text)
}

/// The way of the robot in one step.
fn advance_m(plugin: Plugin) -> f64 {
    let mut simulation = Simulation::with(&ahead(), &Recipe::standard().with(plugin), 1).unwrap();
    simulation.step(1);
    let x_m = simulation.agents().next().unwrap().pose.position_m.x;
    ((x_m - 1.0) * 1e9).round() / 1e9
}

fn refusal(order: Order, plugin: Plugin) -> String {
    let scene = Scene { order, ..ahead() };
    Simulation::with(&scene, &Recipe::standard().with(plugin), 1).err().unwrap().to_string()
}

/// A controller that panics in the second step with the seed 13.
#[kind]
struct Unlucky {}

impl Controller for Unlucky {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, senses: Senses) -> Command {
        assert!(senses.seed.0 != 13 || senses.time.step != 2, "unlucky");
        Command::Drive { v_m_per_s: 0.5, turn_rad_per_s: 0.0 }
    }
}

#[test]
fn a_simulation_that_panicked_starts_again() {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Unlucky>();
    });
    let controller = Slot::new(Unlucky {});
    let group = Group { name: "robots".into(), count: 2, controller, ..Group::default() };
    let scene = |seed| Scene { seed, groups: vec![group.clone()], ..Scene::default() };
    let mut simulation = Simulation::with(&scene(13), &recipe, 1).unwrap();
    let mut steps = |count| catch_unwind(AssertUnwindSafe(|| simulation.step(count)));
    assert!(steps(2).is_err());
    let message = *steps(1).unwrap_err().downcast::<&str>().unwrap();
    assert!(message.contains("has panicked"), "{message}");
    let mut new = Simulation::with(&scene(1), &recipe, 1).unwrap();
    simulation.restart(&scene(1)).unwrap();
    simulation.step(3);
    new.step(3);
    assert_eq!(simulation.steps(), 3);
    assert_eq!(simulation.hash(), new.hash());
}

use bevy::math::DVec2;

use crate::kind::Kinds;
use crate::scene::{Scene, reader};
use crate::simulation::{Recipe, Simulation};
use crate::space::{Arrival, What};
use crate::step::CurrentSpace;

fn scene(text: &str) -> Scene {
    let recipe = Recipe::standard();
    let kinds: &Kinds = recipe.kinds();
    reader::read(kinds, "test.ron", text).unwrap_or_else(|problems| panic!("{problems}"))
}

fn simulation(text: &str) -> Simulation {
    Simulation::new(&scene(text)).unwrap_or_else(|problems| panic!("{problems}"))
}

fn things(simulation: &Simulation) -> &[crate::space::Thing] {
    &simulation.world().resource::<CurrentSpace>().things
}

/// A robot of radius 0.1 that drives along y = 1 from x = 0, ten centimetres a step.
const DRIVER: &str = "(name: \"driver\", team: \"red\", at: [(0.0, 1.0, 0.0)], body: Disc(radius_m: 0.1), \
    controller: Constant(v_m_per_s: 1.0))";

fn with_driver(objects: &str) -> Simulation {
    simulation(&format!("Scene(time: (dt_s: 0.1), groups: [{DRIVER}], objects: [{objects}])"))
}

#[test]
fn regions_know_who_is_in_them() {
    let area = "area: Box(min_m: (1.0, 0.0), max_m: (2.0, 2.0))";
    let mut simulation = with_driver(&format!(
        "Region(name: \"any\", {area}), Region({area}, teams: [\"blue\"]), Region({area}, teams: [\"blue\", \"red\"]), \
         Region({area}, group: \"others\"), Region({area}, group: \"driver\")"
    ));
    let inside = |simulation: &Simulation| things(simulation).iter().map(|t| t.inside.len()).collect::<Vec<_>>();
    simulation.step(8);
    assert_eq!(inside(&simulation), [0; 5]);
    // Its edge is in as soon as it touches.
    simulation.step(2);
    assert_eq!(inside(&simulation), [1, 0, 1, 0, 1]);
    simulation.step(12);
    assert_eq!(inside(&simulation), [0; 5]);
    assert_eq!((things(&simulation)[0].name.as_str(), things(&simulation)[0].what), ("any", What::Region));
}

#[test]
fn goals_know_who_came_and_when() {
    let mut simulation = with_driver(
        "Goal(area: Disc(center_m: (1.0, 1.0), radius_m: 0.25)), \
         Goal(area: Disc(center_m: (1.0, 1.0), radius_m: 0.25), centers_only: false), \
         Goal(area: Disc(center_m: (0.0, 1.0), radius_m: 0.25))",
    );
    simulation.step(20);
    let arrivals: Vec<_> = things(&simulation).iter().map(|thing| thing.arrival(0)).collect();
    let at = |step| Some(Arrival { agent: 0, step });
    assert_eq!(arrivals, [at(8), at(7), at(0)]);
    assert!(things(&simulation).iter().all(|thing| thing.inside.is_empty()));
}

#[test]
fn what_objects_noticed_comes_back_with_a_snapshot() {
    let mut simulation = with_driver("Goal(area: Disc(center_m: (1.0, 1.0), radius_m: 0.25))");
    simulation.step(10);
    let (snapshot, hash, seen) = (simulation.snapshot(), simulation.hash(), things(&simulation).to_vec());
    simulation.step(10);
    assert_ne!(simulation.hash(), hash);
    simulation.restore(&snapshot);
    assert_eq!((simulation.hash(), things(&simulation)), (hash, seen.as_slice()));
}

#[test]
fn objects_block_are_sensed_or_neither() {
    let eye = "Scene(groups: [(name: \"eye\", at: [(0.0, 1.0, 0.0)], body: Disc(radius_m: 0.1), \
        controller: Constant(v_m_per_s: 1.0), sensors: [Proximity(rays: 1, from_rad: 0.0, span_rad: 0.0, \
        range_m: 9.0, response: Distance)])], objects: [Disc(center_m: (2.0, 1.0), radius_m: 0.5, ";
    let reading = |more: &str| {
        let mut simulation = simulation(&format!("{eye}{more})])"));
        let first = simulation.agents().next().unwrap().readings().next().unwrap()[0];
        simulation.step(200);
        let x = simulation.agents().next().unwrap().pose.position_m.x;
        (first, x > 3.0)
    };
    assert_eq!(reading(""), (1.4, false));
    assert_eq!(reading("blocks: false"), (1.4, true));
    assert_eq!(reading("sensed: false"), (9.0, false));
    assert_eq!(reading("blocks: false, sensed: false"), (9.0, true));
}

#[test]
fn objects_move_push_and_sense() {
    // A ball drives into the driver's way and pushes it aside; it sees the driver, and not itself.
    let mut simulation = simulation(
        "Scene(time: (dt_s: 0.1), groups: [(name: \"stone\", at: [(1.0, 1.0, 0.0)], body: Disc(radius_m: 0.1))], \
         objects: [Disc(name: \"ball\", center_m: (1.0, 0.0), radius_m: 0.2, heading_rad: 1.5707963267948966, \
         motion: Unicycle(), controller: Constant(v_m_per_s: 0.5), \
         sensors: [Proximity(rays: 1, from_rad: 0.0, span_rad: 0.0, range_m: 5.0, response: Distance)])], \
         metrics: [Count(), AverageSpeed()])",
    );
    let reading = |simulation: &Simulation| {
        let sensors = simulation.world().try_query::<&crate::sensor::Reading>().unwrap();
        { sensors }.iter(simulation.world()).next().unwrap().values[0]
    };
    assert!((reading(&simulation) - 0.9).abs() < 1e-9, "{}", reading(&simulation));
    let start = simulation.snapshot();
    simulation.step(40);
    let ball = things(&simulation)[0].position;
    assert!(ball.distance(DVec2::new(1.0, 2.0)) < 1e-9, "{ball}");
    let stone = simulation.agents().next().unwrap().pose.position_m;
    assert!((stone.y - 2.3).abs() < 1e-6, "{stone}");
    assert!(reading(&simulation) < 0.2);
    assert_eq!(simulation.metrics()[0], 1.0);
    assert_eq!(simulation.agents().count(), 1);
    let end = simulation.hash();
    simulation.restore(&start);
    simulation.step(40);
    assert_eq!(simulation.hash(), end);
}

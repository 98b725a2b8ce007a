//! Objects: what is in the arena besides agents.

use bevy::math::DVec2;
use bevy::prelude::*;
use proptest::prelude::*;
use swarmarium::prelude::*;
use swarmarium_core::object::{figure_of, moved_by};
use swarmarium_core::step::HasArena as _;
use swarmarium_simulation::simulation::Simulation;
use swarmarium_space::{Arrival, ThingKind};

use crate::support::simulation_of;

fn things(simulation: &Simulation) -> &[Thing] {
    &simulation.world().arena().space.things
}

/// A robot of radius 0.1 that drives along y = 1 from x = 0, ten centimetres a step.
const DRIVER: &str = "(name: \"driver\", team: \"red\", at: [(0.0, 1.0, 0.0)], body: Disc(radius_m: 0.1), \
    controller: Constant(v_m_per_s: 1.0))";

fn with_driver(objects: &str) -> Simulation {
    simulation_of(&format!("Scene(time: (dt_s: 0.1), groups: [{DRIVER}], objects: [{objects}])"))
}

#[test]
fn regions_know_the_agents_in_them() {
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
    assert_eq!(things(&simulation)[0].name.as_str(), "any");
    assert_eq!(things(&simulation)[0].what, ThingKind::Region);
}

#[test]
fn goals_record_arrivals_and_their_times() {
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
fn a_snapshot_restores_arrivals_of_objects() {
    let mut simulation = with_driver("Goal(area: Disc(center_m: (1.0, 1.0), radius_m: 0.25))");
    simulation.step(10);
    let (snapshot, hash, seen) = (simulation.snapshot(), simulation.hash(), things(&simulation).to_vec());
    simulation.step(10);
    assert_ne!(simulation.hash(), hash);
    simulation.restore(&snapshot).unwrap();
    assert_eq!(simulation.hash(), hash);
    assert_eq!(things(&simulation), seen.as_slice());
}

#[test]
fn objects_can_block_be_sensed_both_or_neither() {
    let eye = "Scene(groups: [(name: \"eye\", at: [(0.0, 1.0, 0.0)], body: Disc(radius_m: 0.1), \
        controller: Constant(v_m_per_s: 1.0), sensors: [Proximity(rays: 1, from_rad: 0.0, span_rad: 0.0, \
        range_m: 9.0, response: Distance)])], objects: [Disc(center_m: (2.0, 1.0), radius_m: 0.5, ";
    let reading = |more: &str| {
        let mut simulation = simulation_of(&format!("{eye}{more})])"));
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
    let mut simulation = simulation_of(
        "Scene(time: (dt_s: 0.1), groups: [(name: \"stone\", at: [(1.0, 1.0, 0.0)], body: Disc(radius_m: 0.1))], \
         objects: [Disc(name: \"ball\", center_m: (1.0, 0.0), radius_m: 0.2, heading_rad: 1.5707963267948966, \
         motion: Unicycle(), controller: Constant(v_m_per_s: 0.5), \
         sensors: [Proximity(rays: 1, from_rad: 0.0, span_rad: 0.0, range_m: 5.0, response: Distance)])], \
         metrics: [Count(), AverageSpeed()])",
    );
    let reading = |simulation: &Simulation| {
        let sensors = simulation.world().try_query::<&swarmarium_core::sensor::Reading>().unwrap();
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
    simulation.restore(&start).unwrap();
    simulation.step(40);
    assert_eq!(simulation.hash(), end);
}

/// The readings of all sensors, by owner and slot.
fn readings(simulation: &Simulation) -> Vec<Vec<f64>> {
    let world = simulation.world();
    let mut query =
        world.try_query::<(&swarmarium_core::sensor::Mounted, &swarmarium_core::sensor::Reading)>().unwrap();
    let mut found: Vec<_> =
        query.iter(world).map(|(at, reading)| ((at.owner, at.slot), reading.values.to_vec())).collect();
    found.sort_by_key(|(at, _)| *at);
    found.into_iter().map(|(_, values)| values.to_vec()).collect()
}

#[test]
fn objects_do_not_sense_themselves() {
    let sight = "sight: (agents: false, obstacles: true, goals: true, regions: true)";
    let sensors = format!(
        "motion: Unicycle(), sensors: [Targeter(reads: [Found], {sight}), BinaryFov({sight}), \
         PointProbe(distance_m: 0.1, {sight}), LineOfSight({sight}), InRegion()]"
    );
    for (object, other) in [
        ("Disc(center_m: (5.0, 5.0), radius_m: 0.4", "Disc(center_m: (5.1, 5.0), radius_m: 0.4)"),
        (
            "Goal(area: Disc(center_m: (5.0, 5.0), radius_m: 0.4)",
            "Goal(area: Disc(center_m: (5.1, 5.0), radius_m: 0.4))",
        ),
    ] {
        let alone = simulation_of(&format!("Scene(objects: [{object}, {sensors})])"));
        assert_eq!(readings(&alone), vec![vec![0.0]; 5], "{object}");
        let with = simulation_of(&format!("Scene(objects: [{object}, {sensors}), {other}])"));
        let in_region = f64::from(object.starts_with("Goal"));
        assert_eq!(readings(&with), [[1.0], [1.0], [1.0], [1.0], [in_region]], "{object}");
    }
}

#[test]
fn robots_feel_objects_that_push_them() {
    for order in ["Simultaneous", "Sequential"] {
        let pushed = |moving: &str| {
            let mut simulation = simulation_of(&format!(
                "Scene(time: (dt_s: 0.1), order: {order}, groups: [(name: \"stone\", at: [(1.0, 1.0, 0.0)], \
                 body: Disc(radius_m: 0.1), motion: Unicycle({moving}))], \
                 objects: [Disc(center_m: (1.0, 0.0), radius_m: 0.2, heading_rad: 1.5707963267948966, \
                 motion: Unicycle(), controller: Constant(v_m_per_s: 0.5))], metrics: [Dead()])"
            ));
            simulation.step(14);
            let felt = |simulation: &Simulation| {
                let mut query = simulation.world().try_query::<&swarmarium_core::agent::contact::Touched>().unwrap();
                query.iter(simulation.world()).any(|touched| touched.0)
            };
            let before = felt(&simulation);
            simulation.step(4);
            (before, felt(&simulation), simulation.metrics()[0])
        };
        assert_eq!(pushed("stop_on_collision: true"), (false, true, 0.0), "{order}");
        assert_eq!(pushed("catastrophic_collisions: true").2, 1.0, "{order}");
    }
}

/// An object of each kind, and a region of each area.
const ONE_OF_EACH: &str = "Disc(center_m: (1.0, 2.0), radius_m: 0.5), Light(position_m: (-3.0, 0.5)), \
    Polygon(corners_m: [(0.0, 0.0), (2.0, 0.0), (2.0, 1.0), (0.5, 3.0)]), \
    Drawing(m_per_unit: 0.1, position_m: (4.0, 4.0), outlines: [[(0, 0), (10, 0), (0, 10)], [(30, 5), (40, 5), (40, 9)]]), \
    Region(area: Box(min_m: (1.0, 1.0), max_m: (2.0, 4.0))), Region(area: Disc(center_m: (7.0, 7.0), radius_m: 1.0)), \
    Goal(area: Polygon(corners_m: [(5.0, 5.0), (6.0, 5.0), (6.0, 7.0)]))";

/// How far apart two figures are at most, in metres.
fn min_distance_m(one: &Figure, other: &Figure) -> f64 {
    use swarmarium_space::Form;
    assert_eq!(one.forms.len(), other.forms.len());
    let forms = one.forms.iter().zip(&other.forms).flat_map(|(one, other)| match (one, other) {
        (Form::Disc { center, radius }, Form::Disc { center: to, radius: wide }) => {
            vec![center.distance(*to), (radius - wide).abs()]
        }
        (Form::Polygon(one), Form::Polygon(other)) => {
            assert_eq!(one.len(), other.len());
            one.iter().zip(other).map(|(a, b)| a.distance(*b)).collect()
        }
        forms => panic!("{forms:?}"),
    });
    forms.fold(one.center_m.distance(other.center_m), f64::max)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(32))]

    #[test]
    fn shapes_moved_and_turned_there_and_back_are_unchanged(
        x_m in -50.0..50.0_f64, y_m in -50.0..50.0_f64, turn_rad in -3.0..3.0_f64,
    ) {
        let simulation = simulation_of(&format!("Scene(objects: [{ONE_OF_EACH}])"));
        let (world, shift_m) = (simulation.world(), DVec2::new(x_m, y_m));
        for object in &simulation.scene().objects {
            let before = figure_of(world, object).unwrap();
            let there = moved_by(world, object, shift_m, turn_rad).unwrap();
            let moved = figure_of(world, &there).unwrap();
            prop_assert!(moved.center_m.distance(before.center_m + shift_m) < 1e-9, "{object:?}");
            let back = moved_by(world, &there, -shift_m, -turn_rad).unwrap();
            prop_assert!(min_distance_m(&figure_of(world, &back).unwrap(), &before) < 1e-9, "{object:?}");
            prop_assert!(back.common().heading_rad.abs() < 1e-12);
        }
    }
}

#[test]
fn a_box_stays_a_box_until_it_is_turned_and_keeps_common_fields() {
    let simulation = simulation_of(
        "Scene(objects: [Region(name: \"r\", area: Box(min_m: (1.0, 1.0), max_m: (3.0, 2.0)), teams: [\"red\"])])",
    );
    let (world, region) = (simulation.world(), &simulation.scene().objects[0]);
    let value = |object| {
        swarmarium_scene::scene::writer::write(
            simulation.kinds(),
            object,
            swarmarium_scene::scene::writer::Style::Short,
        )
    };
    let shifted = moved_by(world, region, DVec2::new(1.0, 0.0), 0.0).unwrap();
    let expected = "Region(area: Box(min_m: (2.0, 1.0), max_m: (4.0, 2.0)), teams: [\"red\"], name: \"r\")";
    assert_eq!(value(&shifted), expected);
    let turned = moved_by(world, region, DVec2::ZERO, std::f64::consts::FRAC_PI_2).unwrap();
    let Form::Polygon(corners) = &figure_of(world, &turned).unwrap().forms[0] else { panic!() };
    let (low, high) = swarmarium_space::polygon::bounds(corners);
    assert!(low.distance(DVec2::new(1.5, 0.5)) < 1e-12 && high.distance(DVec2::new(2.5, 2.5)) < 1e-12);
}

//! Spawners: how many agents, where, when.

use std::f64::consts::FRAC_PI_4;

use bevy::math::DVec2;
use swarmarium_base::math::direction;
use swarmarium_formats::load;
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};

use crate::support::{hashes, positions, simulation_of};

fn simulation(count: u32, spawner: &str) -> Simulation {
    simulation_of(&format!("(groups: [(name: \"a\", count: {count}, spawn: {spawner})])"))
}

fn counts(simulation: &mut Simulation, steps: usize) -> Vec<usize> {
    let mut counts = vec![simulation.agents().count()];
    for _ in 0..steps {
        simulation.step(1);
        counts.push(simulation.agents().count());
    }
    counts
}

const KINDS: [&str; 8] = [
    "Point(position_m: (5, 5)",
    "UniformBox(min_m: (3, 3), max_m: (7, 7)",
    "UniformDisc(center_m: (5, 5), radius_m: 2",
    "UniformSquare(center_m: (5, 5), side_m: 4",
    "Annulus(center_m: (5, 5), inner_radius_m: 1, outer_radius_m: 2",
    "Polygon(corners_m: [(3, 3), (7, 3), (7, 7), (3, 7)], holes_m: [[(4, 4), (6, 4), (5, 6)]]",
    "Table(rows: [(x_m: 3, y_m: 3), (x_m: 7, y_m: 7, heading_rad: Some(1.5)), (x_m: 3, y_m: 3)]",
    "Scattered(min_m: (3, 3), max_m: (7, 7)",
];

#[test]
fn every_spawner_makes_as_many_agents_as_it_should_and_none_overlap() {
    for kind in KINDS {
        for count in [0, 1, 5, 60] {
            let simulation = simulation(count, &format!("{kind})"));
            let places: Vec<DVec2> = positions(&simulation);
            // A table has three rows.
            assert_eq!(places.len(), if kind.starts_with("Table") { 3 } else { count as usize }, "{kind}");
            let apart = |(a, place): (usize, &DVec2)| places[..a].iter().all(|other| other.distance(*place) >= 0.2);
            assert!(places.iter().enumerate().all(apart), "{kind}");
        }
    }
}

#[test]
fn every_facing_of_a_spawner_points_there_even_after_avoiding_overlap() {
    let cases: [(&str, fn(DVec2) -> Option<DVec2>); 5] = [
        ("Towards", |place| Some(DVec2::splat(5.0) - place)),
        ("Away", |place| Some(place - DVec2::splat(5.0))),
        ("Point(at_m: (1, 2))", |place| Some(DVec2::new(1.0, 2.0) - place)),
        ("Heading(rad: 0.7853981633974483)", |_| Some(DVec2::ONE)),
        ("Random", |_| None),
    ];
    for kind in &KINDS[..6] {
        for (facing, way) in cases {
            for avoid_overlap in [true, false] {
                let spawner = format!("{kind}, facing: {facing}, avoid_overlap: {avoid_overlap})");
                for agent in simulation(20, &spawner).agents() {
                    let Some(way) = way(agent.pose.position_m).filter(|way| *way != DVec2::ZERO) else { continue };
                    let off = way.angle_to(direction(agent.pose.heading_rad));
                    assert!(off.abs() < 1e-7, "{spawner}: {off}");
                }
            }
        }
    }
}

#[test]
fn a_table_decides_poses_and_headings() {
    let table = format!("{}, facing: Heading(rad: 0.7853981633974483))", KINDS[6]);
    let simulation = simulation(1, &table);
    let poses: Vec<_> = simulation.agents().map(|agent| agent.pose).collect();
    assert_eq!(poses[0].position_m, DVec2::splat(3.0));
    assert_eq!(poses[0].heading_rad, FRAC_PI_4);
    assert_eq!(poses[1].position_m, DVec2::splat(7.0));
    assert_eq!(poses[1].heading_rad, 1.5);
    // The third row is that of the first again: its agent stands beside it.
    assert!((0.2..0.5).contains(&poses[2].position_m.distance(poses[0].position_m)));
}

#[test]
fn timed_spawners_make_some_at_a_time_until_they_are_spent() {
    let mut one = simulation(5, "UniformBox(interval_steps: 3, batch_size: 2)");
    assert_eq!(counts(&mut one, 8), [2, 2, 2, 4, 4, 4, 5, 5, 5]);
    assert_eq!(one.pending(0), 0);
    let mut late = simulation(5, "UniformBox(start_step: 4)");
    assert_eq!(counts(&mut late, 5), [0, 0, 0, 0, 5, 5]);
    let mut ends = simulation(5, "UniformBox(interval_steps: 2, start_step: 1, end_step: 4)");
    assert_eq!(counts(&mut ends, 9), [0, 1, 1, 2, 2, 2, 2, 2, 2, 2]);
    assert_eq!(ends.pending(0), 0, "what was still to come never does");
    let mut rows = simulation(1, &format!("{}, interval_steps: 1)", KINDS[6]));
    assert_eq!(counts(&mut rows, 3), [1, 2, 3, 3]);
}

#[test]
fn timed_agents_do_not_stand_where_the_ones_before_stood() {
    let mut simulation = simulation(12, "UniformDisc(radius_m: 2, interval_steps: 1, avoid_overlap: false)");
    simulation.step(20);
    let mut places: Vec<_> = simulation.agents().map(|agent| agent.pose.position_m.x.to_bits()).collect();
    places.sort_unstable();
    places.dedup();
    assert_eq!(places.len(), 12);
}

#[test]
fn timed_spawning_keeps_the_promise() {
    for order in ["Simultaneous", "Sequential"] {
        for kind in KINDS {
            let text = format!(
                "(order: {order}, groups: [
                    (name: \"a\", count: 9, spawn: {kind}, interval_steps: 4, batch_size: 2, start_step: 3),
                        sensors: [BinaryFov()], controller: Binary()),
                    (name: \"b\", count: 4, spawn: UniformDisc(interval_steps: 5, end_step: 12)),
                ])"
            );
            let mut simulation = simulation_of(&text);
            let fresh = hashes(&mut simulation_of(&text), 30);
            assert_eq!(hashes(&mut simulation, 9), fresh[..9], "{kind}");
            let snapshot = simulation.snapshot();
            assert_eq!(hashes(&mut simulation, 21), fresh[9..], "{kind}");
            simulation.restore(&snapshot).unwrap();
            assert_eq!(hashes(&mut simulation, 21), fresh[9..], "{kind}: again from the snapshot");
            let mut other = simulation_of(&text);
            other.restore(&snapshot).unwrap();
            assert_eq!(hashes(&mut other, 21), fresh[9..], "{kind}: in another simulation");
        }
    }
}

#[test]
fn bad_spawners_are_refused() {
    let recipe = Recipe::standard();
    let refused = |spawner: &str| {
        let text = format!("(groups: [(name: \"a\", spawn: {spawner})])");
        let simulation =
            reader::read::<Scene>(recipe.kinds(), "bad.ron", &text).and_then(|scene| Simulation::new(&scene));
        simulation.err().map(|problems| problems.to_string()).unwrap_or_default()
    };
    let bad = [
        "Annulus(inner_radius_m: 3)",
        "Annulus(inner_radius: 3)",
        "Polygon(corners_m: [(0, 0), (1, 1), (1, 0), (0, 1)])",
        "Polygon(holes_m: [[(0.5, 0.5), (2, 2), (1, 2)]])",
        "Polygon(holes_m: [[(0.5, 2000000), (2, 2), (1, 2)]])",
        "Point(interval_steps: -1)",
        "Point(batch_size: 0)",
        "Point(start_steps: 1)",
        "Table(rows: [(x_m: 1e9)])",
        "Table(file: \"poses.csv\")",
    ];
    insta::assert_snapshot!(bad.map(refused).join("\n"), @r"
    scene: groups[0].spawn: `inner_radius_m` must not be above `outer_radius_m`, found 3 and 2
    bad.ron:1:38: groups[0].spawn.inner_radius: Annulus has no field `inner_radius`; did you mean `inner_radius_m`?
    scene: groups[0].spawn: `corners_m` is not a simple polygon: it needs at least three corners, and edges must not meet
    scene: groups[0].spawn: `holes_m[0]` meets `corners_m`: edges must not touch
    bad.ron:1:55: groups[0].spawn.holes_m[0][0].y: expected a number from -1000000 to 1000000, found 2000000
    bad.ron:1:52: groups[0].spawn.interval_steps: expected an integer from 0 to 4294967295, found -1
    bad.ron:1:48: groups[0].spawn.batch_size: expected an integer from 1 to 1000000, found 0
    bad.ron:1:36: groups[0].spawn.start_steps: Point has no field `start_steps`; did you mean `start_step`?
    bad.ron:1:49: groups[0].spawn.rows[0].x_m: expected a number from -1000000 to 1000000, found 1e9
    scene: groups[0].spawn: `poses.csv` was not read: tables are read when a scene is opened from its file
    ");
}

#[test]
fn tables_are_read_beside_the_scene() {
    let folder = tempfile::tempdir().unwrap();
    let scene = folder.path().join("scene.ron");
    std::fs::write(&scene, "(groups: [\n(name: \"a\", spawn: Table(file: \"poses.csv\"))])").unwrap();
    let recipe = Recipe::standard();
    let load = || load::load(recipe.kinds(), &scene.display().to_string(), &[]);
    let problem = load().err().unwrap().problems.remove(0);
    assert_eq!(
        problem.to_string(),
        "2:32: groups[0].spawn.file: there is no file `poses.csv` in the folder of the scene"
    );
    std::fs::write(folder.path().join("poses.csv"), "x_m,y_m\n1,2\n3,4\n").unwrap();
    let loaded = load().unwrap();
    assert_eq!(Simulation::new(&loaded.scene).unwrap().agents().count(), 2);
    std::fs::write(folder.path().join("poses.csv"), "x_m,y_m\n1,2\n3,?\n").unwrap();
    let problem = load().err().unwrap().problems.remove(0);
    assert_eq!(
        problem.to_string(),
        "2:32: groups[0].spawn.file: `poses.csv`, row 3, `y_m`: expected a number from -1000000 to 1000000, found `?`"
    );
}

/// The number of pairs of agents that overlap.
fn overlaps(simulation: &Simulation) -> usize {
    let places: Vec<DVec2> = positions(simulation);
    let near = |(index, place): (usize, &DVec2)| {
        places[..index].iter().filter(|other| other.distance(*place) < 2.0 * RADIUS_M - 1e-9).count()
    };
    places.iter().enumerate().map(near).sum()
}

const RADIUS_M: f64 = 0.1;

/// The numbers of robots without room in the messages of a simulation.
fn without_room(simulation: &Simulation) -> Vec<String> {
    let problems = simulation.without_room();
    problems.iter().map(|problem| format!("{}: {}", problem.path, problem.message)).collect()
}

fn crowd(count: u32, rest: &str) -> String {
    format!(
        "(arena: (size_m: (2.0, 2.0), boundary: Walls), groups: [
            (name: \"first\", at: [(0.5, 0.5, 0.0)], body: Disc(radius_m: {RADIUS_M})),
            (name: \"crowd\", count: {count}, body: Disc(radius_m: {RADIUS_M}),
                spawn: UniformBox(min_m: (0.0, 0.0), max_m: (2.0, 2.0){rest})),
        ])"
    )
}

#[test]
fn agents_without_room_are_counted_and_never_overlap_silently() {
    for count in [5, 20, 60, 400] {
        let simulation = simulation_of(&crowd(count, ""));
        let told = without_room(&simulation);
        assert_eq!(told.is_empty(), overlaps(&simulation) == 0, "{count}: {told:?}");
        let events: Vec<_> = simulation.events().iter().map(|event| event.text.to_string()).collect();
        assert_eq!(events.len(), told.len(), "{count}: {events:?}");
        if let [told] = &told[..] {
            assert!(told.starts_with("groups[1].spawn: ") && told.contains(&format!(" of {count} robots")), "{told}");
            assert!(events[0].starts_with("Found no room, with "), "{events:?}");
        }
        assert_eq!(told.is_empty(), count <= 20, "{count}");
    }
    let asks_for_none = simulation_of(&crowd(400, ", avoid_overlap: false"));
    assert_eq!(without_room(&asks_for_none), [""; 0]);
}

#[test]
fn batches_and_edits_that_find_no_room_are_counted_too() {
    let mut simulation = simulation_of(&crowd(120, ", interval_steps: 2, batch_size: 60"));
    let first = without_room(&simulation);
    simulation.step(4);
    let both = without_room(&simulation);
    assert!(!first.is_empty() && both.len() == 1 && first != both, "{first:?} {both:?}");
    let steps: Vec<u64> = simulation.events().iter().map(|event| event.step).collect();
    assert_eq!(steps, [0, 2]);

    let snapshot = simulation.snapshot();
    let group =
        "(name: \"late\", count: 30, body: Disc(radius_m: 0.1), spawn: UniformDisc(center_m: (1, 1), radius_m: 0.5))";
    simulation.apply(Edit::Add { list: "groups".into(), value: group.into() }).unwrap();
    let all = without_room(&simulation);
    assert!(all.len() == 2 && all[1].starts_with("groups[2].spawn: 30 of 30 robots"), "{all:?}");
    simulation.restore(&snapshot).unwrap();
    assert_eq!(without_room(&simulation), both);
    // A count grows at the next reset.
    let mut scene = simulation_of(&crowd(20, "")).scene().clone();
    assert_eq!(without_room(&Simulation::new(&scene).unwrap()), [""; 0]);
    scene.groups[1].count = 300;
    assert!(without_room(&Simulation::new(&scene).unwrap())[0].contains(" of 300 robots"));
}

#[test]
fn draws_of_robotswarmsimulator_that_leave_overlaps_say_so() {
    let classic = |count: u32| {
        let text = crowd(count, "").replacen('(', "(random_source: Classic, ", 1);
        let simulation = simulation_of(&text);
        (overlaps(&simulation), without_room(&simulation))
    };
    assert_eq!(classic(3).1, [""; 0]);
    let (overlaps, told) = classic(300);
    assert!(overlaps > 300 && told[0].contains(" of 300 robots"), "{overlaps} {told:?}");
}

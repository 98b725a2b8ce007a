//! Object groups, headings by distribution, and rules for a lack of room.

use std::f64::consts::{PI, TAU};

use bevy::math::DVec2;
use proptest::prelude::*;
use swarmarium_base::math::{cos, direction, exp, sin};
use swarmarium_core::events::EventKind;
use swarmarium_core::step::{HasArena as _, Workers};
use swarmarium_formats::standard::{FromScene as _, Standard as _};
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, constants, current, reader};
use swarmarium_simulation::batch::{Batch, Start};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::{Recipe, Simulation};
use swarmarium_space::{Form, Thing};

use crate::support::{hashes, positions, scene_of, simulation_of};

/// A walled yard of 4 m × 3 m with a wall inside, a robot with a written pose, and groups of discs and boxes.
fn course(count: u32, seed: u64, rule: &str) -> String {
    format!(
        "(seed: {seed}, arena: (size_m: (4.0, 3.0), boundary: Walls),
        groups: [
            (name: \"set\", at: [(2.0, 1.0, 0.0)], body: Disc(radius_m: 0.2)),
            (name: \"robots\", count: 10, spawn: UniformBox(max_m: (4.0, 3.0))),
        ],
        objects: [Polygon(name: \"wall\", corners_m: [(1.0, 1.5), (3.0, 1.5), (3.0, 1.6), (1.0, 1.6)])],
        object_groups: [
            (name: \"rocks\", count: {count}, object: Disc(radius_m: 0.1), spawn: UniformBox(max_m: (4.0, 3.0){rule})),
            (name: \"boxes\", count: {count},
                object: Polygon(corners_m: [(7.0, 7.0), (7.4, 7.0), (7.4, 7.1), (7.0, 7.1)]),
                spawn: UniformBox(max_m: (4.0, 3.0){rule})),
        ])"
    )
}

fn things(simulation: &Simulation) -> &[Thing] {
    &simulation.world().arena().space.things
}

/// Points on the edge of a form, about a millimetre apart.
fn rim(form: &Form) -> Vec<DVec2> {
    match form {
        Form::Disc { center, radius } => {
            (0..700).map(|k| center + *radius * direction(TAU * f64::from(k) / 700.0)).collect()
        }
        Form::Polygon(corners) => {
            let next = corners.iter().cycle().skip(1);
            let edge =
                |(a, b): (&DVec2, &DVec2)| (0..400).map(|k| a.lerp(*b, f64::from(k) / 400.0)).collect::<Vec<_>>();
            corners.iter().zip(next).flat_map(edge).collect()
        }
    }
}

/// How deep (m) a point is inside a form, by its distances from lines; below 0 outside of a convex form.
fn inside_m(form: &Form, point: DVec2) -> f64 {
    match form {
        Form::Disc { center, radius } => radius - point.distance(*center),
        Form::Polygon(corners) => {
            let area: f64 = corners.iter().zip(corners.iter().cycle().skip(1)).map(|(a, b)| a.perp_dot(*b)).sum();
            let depth = |(a, b): (&DVec2, &DVec2)| ((b - a) / (b - a).length()).perp_dot(point - a) * area.signum();
            corners.iter().zip(corners.iter().cycle().skip(1)).map(depth).fold(f64::INFINITY, f64::min)
        }
    }
}

/// The deepest point of one form in another.
fn overlap_m(one: &Form, other: &Form) -> f64 {
    let deepest = |a: &Form, b: &Form| rim(a).into_iter().map(|point| inside_m(b, point)).fold(f64::MIN, f64::max);
    deepest(one, other).max(deepest(other, one))
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn placed_objects_overlap_nothing(seed in 0_u64..1_000_000, count in 1_u32..14, gap in prop::sample::select(vec![0.0, 0.04])) {
        let simulation = simulation_of(&course(count, seed, &format!(", if_full: Fewer, gap_m: {gap:?}")));
        let mut forms: Vec<Form> = things(&simulation).iter().flat_map(|thing| thing.forms.clone()).collect();
        let objects = forms.len();
        forms.extend(simulation.agents().map(|agent| Form::Disc { center: agent.pose.position_m, radius: agent.body().radius_m() }));
        for (index, form) in forms.iter().enumerate() {
            for (other, second) in forms.iter().enumerate().take(index) {
                // Robots of spawners keep no gap here.
                let gap = if index < objects + 1 && (index, other) != (objects, 0) { gap } else { 0.0 };
                let overlap = overlap_m(form, second);
                // Beyond a corner, the distances from lines are shorter than that from the form.
                prop_assert!(overlap <= 1e-9 - 0.7 * gap, "{index} and {other}: {overlap}");
            }
            for point in rim(form) {
                prop_assert!(point.cmpge(DVec2::splat(-1e-9)).all() && point.cmple(DVec2::new(4.0, 3.0) + 1e-9).all());
            }
        }
    }
}

#[test]
fn placed_objects_have_names_indices_and_places_by_seed() {
    let simulation = simulation_of(&course(4, 1, ""));
    let names: Vec<&str> = things(&simulation).iter().map(|thing| thing.name.as_str()).collect();
    let expected = ["wall", "rocks-0", "rocks-1", "rocks-2", "rocks-3", "boxes-0", "boxes-1", "boxes-2", "boxes-3"];
    assert_eq!(names, expected);
    let objects = &simulation.scene().objects;
    assert_eq!(objects.len(), things(&simulation).len());
    assert!(!objects[0].common().placed && objects[1..].iter().all(|object| object.common().placed));
    let places = |simulation: &Simulation| things(simulation).iter().map(|thing| thing.position).collect::<Vec<_>>();
    assert_eq!(places(&simulation), places(&simulation_of(&course(4, 1, ""))));
    assert_ne!(places(&simulation)[1..], places(&simulation_of(&course(4, 2, "")))[1..]);
    // One more rock changes neither the other rocks nor the draws of the boxes.
    let more = simulation_of(&course(4, 1, "").replacen("count: 4", "count: 5", 1));
    assert_eq!(places(&more)[..5], places(&simulation)[..5]);
}

#[test]
fn the_same_objects_are_placed_again_and_files_do_not_have_them() {
    let recipe = Recipe::standard();
    let scene = scene_of(&course(5, 3, ""));
    let mut simulation = Simulation::new(&scene).unwrap();
    let (hash, ahead) = (simulation.hash(), hashes(&mut simulation, 20));
    // The scene of the run has the objects; a start from it places them again.
    let again = simulation.scene().clone();
    assert_eq!(again.objects.len(), 11);
    let mut restarted = Simulation::new(&again).unwrap();
    assert_eq!((restarted.hash(), hashes(&mut restarted, 20)), (hash, ahead.clone()));
    restarted.restart(&again).unwrap();
    assert_eq!((restarted.hash(), hashes(&mut restarted, 20)), (hash, ahead.clone()));
    for workers in [1, 3] {
        let mut simulation = Simulation::with_workers(&scene, &recipe, Workers::eager(workers)).unwrap();
        assert_eq!((simulation.hash(), hashes(&mut simulation, 20)), (hash, ahead.clone()), "{workers} threads");
    }
    let text = |scene: Scene| write(recipe.kinds(), &scene, Style::Full);
    assert_eq!(text(again.for_file()), text(scene));
}

#[test]
fn snapshots_and_edits_know_placed_objects() {
    let scene = scene_of(&course(5, 3, ""));
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.step(5);
    let snapshot = simulation.snapshot();
    let before = simulation.hash();
    let place = things(&simulation)[3].position;
    simulation.apply(Edit::Set { path: "objects.rocks-2.center_m".into(), value: "(0.5, 0.5)".into() }).unwrap();
    simulation.apply(Edit::Remove { path: "objects.4".into() }).unwrap();
    simulation
        .apply(Edit::Add { list: "objects".into(), value: "Disc(name: \"new\", center_m: (3.5, 2.5))".into() })
        .unwrap();
    simulation.step(1);
    assert_eq!(things(&simulation)[3].position, DVec2::splat(0.5));
    assert_eq!(things(&simulation)[11].name, "new");
    assert_ne!(simulation.hash(), before);
    // A reset keeps the listed object, before the placed ones, which are all there again.
    let reset = Simulation::new(&simulation.scene().clone()).unwrap();
    let names: Vec<&str> = things(&reset).iter().map(|thing| thing.name.as_str()).collect();
    assert_eq!(
        names[..4],
        ["wall", "", "new", "rocks-0"],
        "the place of the removed one stays until the scene is saved"
    );
    assert_eq!(reset.scene().clone().for_file().objects.len(), 2);
    simulation.restore(&snapshot).unwrap();
    assert_eq!((simulation.hash(), things(&simulation)[3].position), (before, place));
    let mut fresh = Simulation::new(&scene).unwrap();
    fresh.restore(&snapshot).unwrap();
    assert_eq!(hashes(&mut fresh, 10), hashes(&mut simulation, 10));
}

#[test]
fn constants_and_controls_of_objects_survive_placing() {
    let text = course(2, 1, "").replacen(
        "objects: [",
        "constants: [(name: \"R\", value: 0.1, of: [\"objects.1.radius_m\"])], controls: [(of: \"R\")], objects: [",
        1,
    );
    let text = text.replacen("object_groups: [", "object_groups: [ ", 1).replacen(
        "(1.0, 1.6)])]",
        "(1.0, 1.6)]), Disc(center_m: (0.5, 0.5), radius_m: R)]",
        1,
    );
    let simulation = Simulation::new(&scene_of(&text)).unwrap();
    let mut scene = simulation.scene().clone();
    // As after an edit that adds an object behind the placed ones.
    let listed = scene.objects.remove(1);
    scene.objects.push(listed);
    let last = scene.objects.len() - 1;
    scene.constants[0].of = vec![format!("objects.{last}.radius_m")];
    let file = scene.for_file();
    assert_eq!(file.constants[0].of, ["objects.1.radius_m"]);
    assert_eq!(file.controls.len(), 1);
}

#[test]
fn counts_of_object_groups_are_parameters() {
    let recipe = Recipe::standard();
    let mut scene = scene_of(&course(2, 1, ""));
    for count in [0, 3, 7] {
        constants::set(recipe.kinds(), &mut scene, "object_groups.rocks.count", &count.to_string()).unwrap();
        assert_eq!(things(&Simulation::new(&scene).unwrap()).len(), 1 + count + 2);
    }
    let mut simulation = Simulation::new(&scene).unwrap();
    simulation.apply(Edit::Set { path: "object_groups.rocks.count".into(), value: "4".into() }).unwrap();
    simulation.step(1);
    assert_eq!(things(&simulation).len(), 10, "it takes effect at a reset");
    assert_eq!(things(&Simulation::new(&simulation.scene().clone()).unwrap()).len(), 7);
}

#[test]
fn a_batch_places_objects_as_single_simulations_do() {
    let scene = std::sync::Arc::new(scene_of(&course(4, 1, "")));
    let recipe = Recipe::standard();
    let starts = (1..=4).map(|seed| Start { scene: scene.clone(), seed }).collect();
    let mut batch = Batch::new(&recipe, starts, 2).unwrap();
    let step = |_, simulation: &mut Simulation| {
        simulation.step(10);
        Ok(())
    };
    batch.each(&step).unwrap();
    for (place, seed) in (1..=4).enumerate() {
        let mut alone = Simulation::new(&Scene { seed, ..(*scene).clone() }).unwrap();
        alone.step(10);
        assert_eq!(batch.view(place, |simulation| simulation.hash()), alone.hash(), "seed {seed}");
    }
}

fn refusal(text: &str) -> String {
    match reader::read::<Scene>(Recipe::standard().kinds(), "test.ron", text) {
        Ok(scene) => Simulation::new(&scene).err().map(|problems| problems.to_string()).unwrap_or_default(),
        Err(problems) => problems.to_string(),
    }
}

/// A yard of about 1 m² with discs of 0.1 m radius: robots, or objects.
fn yard(is_of_objects: bool, count: u32, rule: &str) -> String {
    let spawn = format!("spawn: UniformBox(min_m: (0.1, 0.1), max_m: (0.91, 0.91){rule})");
    let list = match is_of_objects {
        true => format!("object_groups: [(name: \"discs\", count: {count}, object: Disc(radius_m: 0.1), {spawn})]"),
        false => format!("groups: [(name: \"discs\", count: {count}, body: Disc(radius_m: 0.1), {spawn})]"),
    };
    format!("(arena: (size_m: (1.01, 1.01), boundary: Walls), {list})")
}

#[test]
fn a_lack_of_room_is_an_answer() {
    for (is_of_objects, what, path) in
        [(true, "objects", "object_groups[0].spawn"), (false, "robots", "groups[0].spawn")]
    {
        let refused = refusal(&yard(is_of_objects, 40, ", if_full: Fail"));
        let fits: u32 = refused.split("only ").nth(1).and_then(|rest| rest.split(' ').next()?.parse().ok()).unwrap();
        assert!(
            refused.contains(&format!("{path}: only {fits} of 40 {what} of `discs` find room in 0.656 m²: use fewer")),
            "{refused}"
        );
        // Random sequential placement of discs covers about half of an area, and 23 of them are packed below.
        assert!((10..=20).contains(&fits), "{fits}");
        let fewer = simulation_of(&yard(is_of_objects, 40, ", if_full: Fewer"));
        let placed = if is_of_objects { things(&fewer).len() } else { fewer.count() } as u32;
        assert_eq!(placed, fits, "the number of the message is the one that fits");
        let notes: Vec<String> = fewer.without_room().iter().map(ToString::to_string).collect();
        assert_eq!(
            notes,
            [format!(
                "{path}: {} of 40 {what} found no room and are left out: use fewer or smaller ones, or a larger area",
                40 - fits
            )]
        );
        // A square lattice holds 5 × 5 discs, and the hexagonal one 5 rows of 5 and 4 by turns.
        let packed = simulation_of(&yard(is_of_objects, 23, ", if_full: Pack"));
        let places = if is_of_objects {
            things(&packed).iter().map(|thing| thing.position).collect()
        } else {
            positions(&packed)
        };
        assert_eq!(places.len(), 23);
        assert!(packed.without_room().is_empty());
        let nearest = |(a, place): (usize, &DVec2)| {
            places[..a].iter().map(|other| other.distance(*place)).fold(f64::INFINITY, f64::min)
        };
        let least = places.iter().enumerate().map(nearest).fold(f64::INFINITY, f64::min);
        assert!((0.2..0.2 + 1e-6).contains(&least), "{least}");
        let refused = refusal(&yard(is_of_objects, 24, ", if_full: Pack"));
        assert!(refused.contains("only 23 of 24") && refused.contains("even packed on a lattice"), "{refused}");
        // Few enough for random places are placed at random, with any rule.
        let rules = ["Fail", "Fewer", "Pack"].map(|rule| {
            let simulation = simulation_of(&yard(is_of_objects, 8, &format!(", if_full: {rule}")));
            if is_of_objects {
                things(&simulation).iter().map(|thing| thing.position).collect()
            } else {
                positions(&simulation)
            }
        });
        assert!(rules[0].len() == 8 && rules[0] == rules[1] && rules[1] == rules[2]);
    }
    assert!(refusal(&yard(true, 40, "")).contains("only "), "objects are refused by default");
    assert!(refusal(&yard(false, 40, "")).is_empty(), "robots overlap by default");
}

#[test]
fn robots_that_are_left_out_are_an_event() {
    let simulation = simulation_of(&yard(false, 40, ", if_full: Fewer"));
    let events: Vec<_> = simulation.events().iter().map(|event| (event.kind, event.text.to_string())).collect();
    let left = 40 - simulation.count();
    assert_eq!(events, [(EventKind::NoRoom, format!("No room for {left} more robots of its group"))]);
    assert_eq!(simulation.pending(0), 0);
}

#[test]
fn points_and_tables_place_objects_too() {
    let discs = |spawn: &str| {
        format!("(object_groups: [(name: \"d\", count: 7, object: Disc(radius_m: 0.5), spawn: {spawn})])")
    };
    let around = simulation_of(&discs("Point(position_m: (5, 5), if_full: Pack)"));
    let mut distances: Vec<f64> =
        things(&around).iter().map(|thing| thing.position.distance(DVec2::splat(5.0))).collect();
    distances.sort_by(f64::total_cmp);
    assert!(
        distances[0] < 1e-9 && distances[1..].iter().all(|distance| (distance - 1.0).abs() < 1e-6),
        "{distances:?}"
    );
    let rows = "Table(rows: [(x_m: 1, y_m: 2, heading_rad: Some(0.5)), (x_m: 5, y_m: 6)], facing: Heading(rad: 0.25))";
    let table = simulation_of(&discs(rows));
    let placed: Vec<_> = table.scene().objects.iter().map(|object| object.common().heading_rad).collect();
    assert_eq!(placed, [0.5, 0.25]);
    assert_eq!(
        things(&table).iter().map(|thing| thing.position).collect::<Vec<_>>(),
        [DVec2::new(1.0, 2.0), DVec2::new(5.0, 6.0)]
    );
    let twice = refusal(&discs("Table(rows: [(x_m: 1, y_m: 2), (x_m: 1.2, y_m: 2), (x_m: 4, y_m: 4)])"));
    assert!(twice.contains("only 2 of 3 objects of `d` find room in 100 m²"), "{twice}");
}

#[test]
fn objects_are_placed_across_a_periodic_boundary_without_overlap() {
    let simulation = simulation_of(
        "(arena: (size_m: (2.0, 2.0), boundary: Periodic), object_groups: [(name: \"d\", count: 12, object: Disc(radius_m: 0.2),
            spawn: UniformBox(min_m: (-0.1, -0.1), max_m: (2.1, 2.1), if_full: Pack))])",
    );
    let field = simulation.world().arena().space.arena;
    let places: Vec<DVec2> = things(&simulation).iter().map(|thing| thing.position).collect();
    assert_eq!(places.len(), 12);
    for (index, place) in places.iter().enumerate() {
        assert!(places[..index].iter().all(|other| field.offset(*place, *other).length() >= 0.4), "{places:?}");
    }
}

#[test]
fn headings_have_the_given_distributions() {
    let headings = |facing: &str| -> Vec<f64> {
        let text = format!(
            "(groups: [(name: \"r\", count: 4000, spawn: UniformBox(facing: {facing}, avoid_overlap: false))])"
        );
        simulation_of(&text).agents().map(|agent| agent.pose.heading_rad).collect()
    };
    let resultant = |headings: &[f64]| {
        let count = headings.len() as f64;
        DVec2::new(headings.iter().map(|h| cos(*h)).sum::<f64>(), headings.iter().map(|h| sin(*h)).sum::<f64>()) / count
    };
    // The mean direction of a wrapped normal distribution has the length exp(−σ² / 2).
    for (mean, sd) in [(3.0, 0.3), (-1.0, 1.2)] {
        let found = headings(&format!("Normal(mean_rad: {mean:?}, sd_rad: {sd:?})"));
        assert!(found.iter().all(|heading| (-PI..=PI).contains(heading)));
        let (mean_m, off) = (resultant(&found), resultant(&found).angle_to(direction(mean)));
        assert!((mean_m.length() - exp(-sd * sd / 2.0)).abs() < 0.03 && off.abs() < 0.06, "{mean_m} {off}");
    }
    let found = headings("Range(from_rad: 3.0, to_rad: 4.0)");
    let unwrapped: Vec<f64> = found.iter().map(|heading| (heading - 3.0).rem_euclid(TAU)).collect();
    assert!(unwrapped.iter().all(|heading| (0.0..=1.0).contains(heading)));
    // The mean direction over an arc of width w has the length sin(w / 2) / (w / 2).
    assert!((resultant(&found).length() - sin(0.5) / 0.5).abs() < 0.01);
    let (mean, variance) =
        (unwrapped.iter().sum::<f64>() / 4000.0, unwrapped.iter().map(|h| (h - 0.5).powi(2)).sum::<f64>() / 4000.0);
    assert!((mean - 0.5).abs() < 0.02 && (variance - 1.0 / 12.0).abs() < 0.005, "{mean} {variance}");
    // Another distribution of headings leaves the places as they are.
    let places = |facing: &str| {
        positions(&simulation_of(&format!("(groups: [(name: \"r\", count: 50, spawn: UniformBox(facing: {facing}))])")))
    };
    assert_eq!(places("Random"), places("Normal(mean_rad: 0.0, sd_rad: 1.0)"));
    assert_eq!(places("Random"), places("Range(from_rad: 0.0, to_rad: 1.0)"));
}

#[test]
fn bad_object_groups_are_refused_with_their_place() {
    let group = |group: &str| refusal(&format!("(object_groups: [{group}])"));
    let problems = [
        (group("(name: \"\")"), "object_groups[0].name: an object group needs a name"),
        (group("(name: \"a\"), (name: \"a\")"), "object_groups[1].name: the name `a` is taken by object_groups[0]"),
        (
            group("(name: \"a\", spawn: Point(start_step: 2))"),
            "object_groups[0].spawn.start_step: objects are placed at",
        ),
        (group("(name: \"a\", object: Gone())"), "object_groups[0].object: name an object to place"),
        (
            group("(name: \"a\", object: Polygon(corners_m: [(0, 0), (1, 1), (1, 0), (0, 1)]))"),
            "object_groups[0].object: ",
        ),
        (
            group("(name: \"a\", count: 9, spawn: Grid(columns: 2, rows: 2))"),
            "2 columns and 2 rows have fewer than 9 places",
        ),
        (group("(name: \"a\", spawn: Table(rows: [(x_m: 1, y_m: 1)], if_full: Pack))"), "needs a spawner with an area"),
        (group("(name: \"a\", object: Disc(placed: true))"), "object_groups[0].object.placed: the group sets it"),
        (refusal("(objects: [Disc(placed: true)])"), "objects[0].placed: the scene has no object group"),
        (
            refusal("(groups: [(name: \"g\", spawn: UniformBox(if_full: Fail, avoid_overlap: false))])"),
            "groups[0].spawn: `if_full: Fail` needs `avoid_overlap: true`",
        ),
        (
            refusal("(random_source: Classic, groups: [(name: \"g\", spawn: UniformBox(if_full: Fail))])"),
            "groups[0].spawn: `if_full` and `gap_m` need `random_source: Streams`",
        ),
    ];
    for (found, expected) in problems {
        assert!(found.contains(expected), "{expected}: {found}");
    }
}

#[test]
fn metrics_and_controllers_can_name_placed_objects() {
    let scene = |goal: &str| {
        format!(
            "(groups: [(name: \"r\", at: [(1, 1, 0)])], metrics: [AgentsAtGoal(goal: \"{goal}\")],
            object_groups: [(name: \"goals\", count: 2, object: Goal(area: Disc(radius_m: 0.5)), spawn: UniformBox())])"
        )
    };
    assert!(refusal(&scene("goals-1")).is_empty());
    assert!(refusal(&scene("goals-2")).contains("unknown goal `goals-2`"));
}

#[test]
fn scenes_without_object_groups_have_the_texts_and_digests_of_before() {
    let recipe = Recipe::standard();
    let scene = scene_of("(groups: [(name: \"r\", spawn: UniformBox(facing: Away))], objects: [Disc(name: \"d\")])");
    let text = write(recipe.kinds(), &scene, Style::Full);
    assert!(["object_groups:", "placed:", "if_full:", "gap_m:"].iter().all(|word| !text.contains(word)), "{text}");
    assert_ne!(current::digest(recipe.kinds(), &scene), current::digest(recipe.kinds(), &scene_of(&course(1, 1, ""))));
}

//! Drawing walls, obstacles, regions, goals and lights.

use bevy::math::DVec2;
use bevy_egui::egui::Modifiers;
use swarmarium_core::kind::{KindType, Slot};
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::light::Light;
use swarmarium_core::object::movable::Movable;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::region::{Area, Region};
use swarmarium_core::object::{ObjectFamily, Presence};
use swarmarium_lab_state::action::Action;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::toolbox::{ObstacleMobility, ObstacleShape, Tool};
use swarmarium_lab_testing::lab_of;
use swarmarium_scene::scene::{Scene, reader};
use swarmarium_simulation::edit::Edit;

use crate::tools::shape::{ObjectKind, Shape};
use crate::tools::tests::{SCENE, click, drag, edits, mouse};
use crate::tools::{Act, handler};

/// The requested objects, as a scene file contains them.
fn added(lab: &Lab, actions: &[Action]) -> Vec<Slot<ObjectFamily>> {
    let of = |edit: Edit| match edit {
        Edit::Add { list, value } if list == "objects" => value,
        edit => panic!("{edit:?}"),
    };
    let values: Vec<String> = edits(actions).into_iter().map(of).collect();
    let text = format!("(objects: [{}])", values.join(", "));
    let scene: Scene = reader::read(lab.run.host.simulation().kinds(), "added", &text).unwrap();
    scene.objects
}

fn named(name: &str, object: impl KindType) -> Slot<ObjectFamily> {
    Slot::new(object).with(Presence { name: name.into(), ..Presence::default() })
}

#[test]
fn the_pen_makes_one_wall_by_a_drag_and_a_row_by_clicks() {
    let lab = lab_of(SCENE);
    let mut wall = handler(Tool::Wall);
    let polygon = |corners: [(f64, f64); 4]| Polygon { corners_m: corners.map(DVec2::from).to_vec() };
    let one = drag(&mut *wall, &lab, Modifiers::NONE, (1.0, 5.0), (4.0, 5.0));
    let expected = polygon([(1.0, 4.95), (4.0, 4.95), (4.0, 5.05), (1.0, 5.05)]);
    assert_eq!(added(&lab, &one), [named("wall-1", expected)]);
    assert!(!wall.is_busy());
    for at_m in [(1.0, 5.0), (4.0, 5.0), (4.0, 8.0)] {
        assert_eq!(click(&mut *wall, &lab, at_m), []);
    }
    assert!(wall.is_busy());
    let row = added(&lab, &wall.mouse(&lab, &mouse(Act::DoubleClick, (4.0, 8.0))));
    assert_eq!(row.len(), 2);
    assert_eq!(row[1].common().name, "wall-2");
    let corners = |wall: &Slot<ObjectFamily>| wall.value().downcast_ref::<Polygon>().unwrap().corners_m.clone();
    let reach = |corners: Vec<DVec2>| swarmarium_space::polygon::bounds(&corners);
    let ends = |wall| reach(corners(wall));
    assert!(ends(&row[0]).1.distance(DVec2::new(4.05, 5.05)) < 1e-9, "the corner is whole");
    assert!(ends(&row[1]).0.distance(DVec2::new(3.95, 4.95)) < 1e-9);
    assert!(ends(&row[1]).1.distance(DVec2::new(4.05, 8.0)) < 1e-9);
    click(&mut *wall, &lab, (1.0, 1.0));
    assert_eq!(wall.finish(&lab), [], "one corner is not a wall");
    assert!(!wall.is_busy());
}

#[test]
fn new_objects_have_unused_names() {
    let lab = lab_of("(objects: [Disc(name: \"light-1\"), Disc(name: \"light-3\")])");
    let name = |actions: &[Action]| added(&lab, actions)[0].common().name.clone();
    assert_eq!(name(&click(&mut Shape::new(ObjectKind::Light), &lab, (5.0, 5.0))), "light-2");
    assert_eq!(name(&click(&mut Shape::new(ObjectKind::Goal), &lab, (5.0, 5.0))), "goal-1");
}

#[test]
fn obstacles_regions_goals_and_lights_are_drawn_in_their_forms() {
    let mut lab = lab_of(SCENE);
    let drawn = |lab: &Lab, what, to_m| {
        let actions = drag(&mut Shape::new(what), lab, Modifiers::NONE, (5.0, 5.0), to_m);
        added(lab, &actions)
    };
    let center_m = DVec2::splat(5.0);
    let disc = |radius_m| Area::Disc { center_m, radius_m };
    assert_eq!(drawn(&lab, ObjectKind::Obstacle, (5.0, 6.0)), [named("obstacle-1", Disc { center_m, radius_m: 1.0 })]);
    let goal = |radius_m| named("goal-1", Goal { area: disc(radius_m), ..Goal::default() });
    assert_eq!(drawn(&lab, ObjectKind::Goal, (7.0, 5.0)), [goal(2.0)]);
    assert_eq!(added(&lab, &click(&mut Shape::new(ObjectKind::Goal), &lab, (5.0, 5.0))), [goal(0.3)]);
    let light = Light { position_m: center_m, intensity: 1.0 };
    assert_eq!(added(&lab, &click(&mut Shape::new(ObjectKind::Light), &lab, (5.0, 5.0))), [named("light-1", light)]);
    lab.edits.toolbox.options.mobility = ObstacleMobility::Movable;
    lab.edits.toolbox.options.mass_kg = 2.5;
    let movable = Presence { movable: Some(Movable { mass_kg: 2.5, ..Movable::default() }), ..Presence::default() };
    let block = Slot::<ObjectFamily>::new(Disc { center_m, radius_m: 1.0 });
    let named_block = block.with(Presence { name: "block-1".into(), ..movable });
    assert_eq!(drawn(&lab, ObjectKind::Obstacle, (5.0, 6.0)), [named_block]);
    lab.edits.toolbox.options.mobility = ObstacleMobility::Fixed;
    lab.edits.toolbox.options.form = ObstacleShape::Rectangle;
    let corners_m = [(4.0, 5.0), (5.0, 5.0), (5.0, 7.0), (4.0, 7.0)].map(DVec2::from).to_vec();
    assert_eq!(drawn(&lab, ObjectKind::Obstacle, (4.0, 7.0)), [named("obstacle-1", Polygon { corners_m })]);
    let area = Area::Box { min_m: DVec2::new(4.0, 5.0), max_m: DVec2::new(5.0, 7.0) };
    let region = named("region-1", Region { area, ..Region::default() });
    assert_eq!(drawn(&lab, ObjectKind::Region, (4.0, 7.0)), [region]);
    // A drag along one axis has no area: it counts as a click.
    let area = Area::Box { min_m: DVec2::splat(4.7), max_m: DVec2::splat(5.3) };
    let found = drawn(&lab, ObjectKind::Region, (5.0, 7.0));
    assert_eq!(found, [named("region-1", Region { area, ..Region::default() })]);
    assert_eq!(drawn(&lab, ObjectKind::Goal, (7.0, 5.0)), [goal(2.0)], "goals are discs");
}

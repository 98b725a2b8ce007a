use crate::standard::{FromScene as _, Standard as _};
use proptest::prelude::*;
use serde_json::{Map, json};
use swarmarium_scene::scene::writer::write;
use swarmarium_scene::scene::{reader, shipped};

use super::*;
use crate::import::simiam::tests::{LENIENT, lines, scene_of};

fn read_back(text: &str) -> Scene {
    scene_of("w.xml", text, &LENIENT).0
}

fn read(text: &str) -> Scene {
    reader::read(Recipe::standard().kinds(), "a.ron", text).unwrap()
}

fn exported(scene: &Scene) -> String {
    match export(&Recipe::standard(), scene) {
        Ok(Exported { text, warnings }) => format!("{}\n{text}", lines(&warnings)),
        Err(problems) => lines(&problems),
    }
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![(-100..100_i32).prop_map(|tenths| f64::from(tenths) / 10.0), -10.0..10.0_f64, Just(0.0), Just(1e-9)]
}

fn point() -> impl Strategy<Value = DVec2> {
    (number(), number()).prop_map(DVec2::from)
}

fn pose() -> impl Strategy<Value = Placement> {
    (number(), number(), prop_oneof![Just(0.0), number()]).prop_map(|(x_m, y_m, heading_rad)| Placement {
        x_m,
        y_m,
        heading_rad,
    })
}

fn some_color() -> impl Strategy<Value = Option<Color>> {
    prop_oneof![Just(None), (0..0x100_0000_u32).prop_map(|color| Some(Color(color)))]
}

fn any_class(is_robot: bool) -> impl Strategy<Value = Class> {
    let names: Vec<String> = classes::all(is_robot).map(ClassMapping::name).collect();
    let known = prop::sample::select(names).prop_map(|name| Class { name: Some(name), ..Class::default() });
    // Supervisors of users' own classes keep their names and options.
    let options =
        prop::option::of("[a-z]{0,3}".prop_map(|text| Map::from_iter([("k".to_owned(), json!([1.5, text]))])));
    let own = options.prop_map(|options| Class { name: Some("mine.Own".into()), options, ..Class::default() });
    prop_oneof![3 => known, u32::from(!is_robot) => own]
}

fn robots() -> impl Strategy<Value = Vec<Robot>> {
    let robot = (any_class(true), any_class(false), pose(), some_color());
    let robot =
        robot.prop_map(|(class, supervisor, pose, color)| Robot { class, supervisor, pose, color, ..Robot::default() });
    prop::collection::vec(robot, 0..12)
}

/// Any outlines at any place, and rotated triangles. Other outlines are not rotated, as rounding could decide whether their
/// edges touch.
fn outlines() -> impl Strategy<Value = Vec<Outline>> {
    let any = (pose(), prop::collection::vec(point(), 3..8))
        .prop_map(|(pose, points)| (Placement { heading_rad: 0.0, ..pose }, points));
    let triangle = (pose(), 0.1..2.0_f64, 0.1..2.0_f64)
        .prop_map(|(pose, x, y)| (pose, vec![DVec2::ZERO, DVec2::new(x, 0.0), DVec2::new(0.0, y)]));
    let outline = (prop_oneof![any, triangle], some_color());
    let outline = outline.prop_map(|((pose, points), color)| Outline { pose, points, color, at: 0 });
    prop::collection::vec(outline, 0..5)
}

fn world() -> impl Strategy<Value = World> {
    (robots(), outlines(), outlines()).prop_map(|(robots, obstacles, markers)| World { robots, obstacles, markers })
}

/// The text of a scene without the corners of its objects, and these corners.
fn taken_apart(recipe: &Recipe, scene: &Scene) -> (String, Vec<Vec<DVec2>>) {
    let mut scene = scene.clone();
    let corners = scene.objects.iter_mut().map(|object| {
        let polygon = object.value_mut().downcast_mut::<Polygon>();
        polygon.map(|polygon| std::mem::take(&mut polygon.corners_m)).unwrap_or_default()
    });
    let corners = corners.collect();
    // Rounded corners may have another bounding box.
    scene.arena = Arena::default();
    (write(recipe.kinds(), &scene, Style::Full), corners)
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn worlds_of_simiam_round_trip(world in world()) {
        let recipe = Recipe::standard();
        let scene = read_back(&text(&world));
        let again = export(&recipe, &scene).unwrap_or_else(|problems| panic!("{problems:?}"));
        let back = read_back(&again.text);
        let ((said, corners), (said_again, corners_again)) = (taken_apart(&recipe, &scene), taken_apart(&recipe, &back));
        prop_assert_eq!(said_again, said);
        prop_assert_eq!(corners_again.len(), corners.len());
        for ((corners, again), object) in corners.iter().zip(&corners_again).zip(&scene.objects) {
            let is_turned = object.common().heading_rad != 0.0;
            prop_assert!(corners == again || is_turned, "{:?} is not {:?}", again, corners);
            let is_near = corners.iter().zip(again).all(|(one, other)| one.distance(*other) < 1e-11);
            prop_assert!(is_near && again.len() == corners.len(), "{:?} is not {:?}", again, corners);
        }
        prop_assert!(again.warnings.iter().all(|warning| warning.message.contains("no robot")), "{:?}", again.warnings);
    }
}

#[test]
fn obstacles_keep_their_theta_and_their_numbers() {
    let recipe = Recipe::standard();
    let world = "<simulation><robot type='Khepera3'><supervisor type='K3DefaultSupervisor'/><pose x='0' y='0' theta='0.1'/>\
        </robot><obstacle><pose x='1' y='-0.3' theta='0.7853981633974483'/><geometry><point x='0' y='0'/>\
        <point x='0.3' y='0'/><point x='0.3' y='0.1'/><point x='0' y='0.1'/></geometry></obstacle>\
        <obstacle><pose x='0.1' y='0.2' theta='0'/><geometry><point x='0' y='0'/><point x='0.2' y='0'/>\
        <point x='0.2' y='0.7'/></geometry></obstacle></simulation>";
    let scene = read_back(world);
    assert_eq!(scene.objects[0].common().heading_rad, std::f64::consts::FRAC_PI_4);
    let again = export(&recipe, &scene).unwrap().text;
    insta::assert_snapshot!(again, @r#"
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="Khepera3">
            <supervisor type="K3DefaultSupervisor"/>
            <pose x="0" y="0" theta="0.1"/>
        </robot>
        <obstacle>
            <pose x="1" y="-0.3" theta="0.7853981633974483"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0.3" y="0"/>
                <point x="0.3" y="0.1"/>
                <point x="0" y="0.1"/>
            </geometry>
        </obstacle>
        <obstacle>
            <pose x="0.1" y="0.2" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0.2" y="0"/>
                <point x="0.2" y="0.7"/>
            </geometry>
        </obstacle>
    </simulation>
    "#);
    assert_eq!(export(&recipe, &read_back(&again)).unwrap().text, again);
}

#[test]
fn polygons_with_too_many_corners_are_refused() {
    let mut scene = scene::empty("a");
    let corners_m = circle_corners(DVec2::ZERO, 1.0).into_iter().cycle().take(MAX_CORNERS + 1).collect();
    scene.objects.push(Slot::new(Polygon { corners_m }));
    assert_eq!(exported(&scene), "objects[0]: at most 4096 corners fit in a polygon, found 4097");
}

#[test]
fn a_world_is_written_in_the_order_of_the_grammar() {
    let world = World {
        robots: vec![Robot {
            class: Class { name: Some("a\"<&>\n\u{1}".into()), ..Class::default() },
            supervisor: Class {
                name: Some("B".into()),
                options: serde_json::from_str("{\"x\": 1, \"d\": \"left\"}").unwrap(),
                at: 0,
            },
            pose: Placement { x_m: 0.1, y_m: 1e-9, heading_rad: -1.0 / 3.0 },
            color: Some(Color(0xFF)),
            ..Robot::default()
        }],
        obstacles: vec![Outline::about_first(&[DVec2::ONE, DVec2::X, DVec2::ZERO], None, 0)],
        markers: Vec::new(),
    };
    insta::assert_snapshot!(text(&world), @r##"
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="a&quot;&lt;&amp;&gt;&#10;�" color="#0000ff">
            <supervisor type="B" options="{&quot;d&quot;:&quot;left&quot;,&quot;x&quot;:1}"/>
            <pose x="0.1" y="1e-9" theta="-0.3333333333333333"/>
        </robot>
        <obstacle>
            <pose x="1" y="1" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0" y="-1"/>
                <point x="-1" y="-1"/>
            </geometry>
        </obstacle>
    </simulation>
    "##);
}

#[test]
fn fields_without_a_counterpart_are_named() {
    let scene = read(
        "(seed: 3, arena: (boundary: Walls), time: (dt_s: 0.1), stop: (steps: 5), metrics: [Count()],
          groups: [(name: \"a\", team: \"red\", robot: \"khepera3\", at: [(1, 2, 0.5), (3, 4, 0)], look: (color: \"random\"), controller: Human())],
          objects: [Disc(radius_m: 0.01, color: \"#010203\", name: \"d\"), Goal(), Polygon(blocks: false, color: \"orange\"),
              Polygon(corners_m: [(0, 0), (0.1, 0), (0.3, 0.7)], sensed: false, blocks: false)])",
    );
    insta::assert_snapshot!(exported(&scene), @r##"
    seed: cannot be written: it is 1 there
    time: cannot be written: it is Time(dt_s: 0.02) there
    on_collision: cannot be written: it is Pause there
    infrared_model: cannot be written: it is Classic there
    metrics: cannot be written: it is [] there
    stop: cannot be written: it is Stop() there
    arena.boundary: cannot be written: it is Open there
    groups[0].team: cannot be written: it is "" there
    groups[0].look.color: cannot be written: `random` is not a single colour
    objects[0]: is round, and written with 8 corners
    objects[0].name: cannot be written: it is "" there
    objects[1]: cannot be written: pySimiam has no Goal
    objects[2].blocks: cannot be written: it is true there
    <?xml version="1.0" encoding="UTF-8"?>
    <simulation>
        <robot type="Khepera3" color="#56b4e9">
            <supervisor type="joystick.QBJoystickSupervisor"/>
            <pose x="1" y="2" theta="0.5"/>
        </robot>
        <robot type="Khepera3" color="#56b4e9">
            <supervisor type="joystick.QBJoystickSupervisor"/>
            <pose x="3" y="4" theta="0"/>
        </robot>
        <obstacle color="#010203">
            <pose x="0" y="0" theta="0"/>
            <geometry>
                <point x="0.01" y="0"/>
                <point x="0.007071068" y="0.007071068"/>
                <point x="0" y="0.01"/>
                <point x="-0.007071068" y="0.007071068"/>
                <point x="-0.01" y="0"/>
                <point x="-0.007071068" y="-0.007071068"/>
                <point x="0" y="-0.01"/>
                <point x="0.007071068" y="-0.007071068"/>
            </geometry>
        </obstacle>
        <obstacle color="#e69f00">
            <pose x="0" y="0" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="1" y="0"/>
                <point x="1" y="1"/>
                <point x="0" y="1"/>
            </geometry>
        </obstacle>
        <marker color="#848f9f">
            <pose x="0" y="0" theta="0"/>
            <geometry>
                <point x="0" y="0"/>
                <point x="0.1" y="0"/>
                <point x="0.3" y="0.7"/>
            </geometry>
        </marker>
    </simulation>
    "##);
}

#[test]
fn a_goal_is_written_as_options_if_it_is_the_first_object_of_its_name() {
    let exported_with = |objects: &str| {
        exported(&read(&format!(
            "(groups: [(name: \"a\", robot: \"quickbot\", supervisor: \"quickbot-full\", at: [(0, 0, 0)],
                controller: Supervisor(goal: \"g\"))], objects: [{objects}])"
        )))
    };
    let goal = "Goal(name: \"g\", area: Disc(center_m: (1.5, 2.0), radius_m: 0.25))";
    let alone = exported_with(goal);
    assert!(alone.contains("objects[0].area: cannot be written") && alone.contains("&quot;x&quot;:1.5"), "{alone}");
    let second = exported_with(&format!("Disc(name: \"g\", center_m: (3.0, 3.0)), {goal}"));
    assert!(second.contains("groups[0].controller.goal: cannot be written"), "{second}");
    assert!(second.contains("objects[1]: cannot be written: pySimiam has no Goal"), "{second}");
}

#[test]
fn robots_without_a_class_are_refused() {
    let milling = read(shipped::get("milling").unwrap());
    insta::assert_snapshot!(exported(&milling), @"groups[0].body: no robot of pySimiam has this body; known: Khepera3 and QuickBot");
}

#[test]
fn a_spawner_is_written_as_the_poses_that_it_gives() {
    let scene =
        read("(groups: [(name: \"a\", robot: \"khepera3\", count: 3, spawn: UniformBox(), controller: Human())])");
    let simulation = Simulation::new(&scene).unwrap();
    let back = read_back(&export(&Recipe::standard(), &scene).unwrap().text);
    let places: Vec<_> =
        back.groups.iter().flat_map(|group| &group.at).map(|pose| DVec2::new(pose.x_m, pose.y_m)).collect();
    let expected: Vec<_> = simulation.agents().map(|agent| agent.pose.position_m).collect();
    assert_eq!(places, expected);
}

#[test]
fn options_that_are_no_map_are_refused() {
    let own = "<simulation><robot type='QuickBot'><supervisor type='mine.Own' options='{}'/><pose x='0' y='0' theta='0'/>\
        </robot></simulation>";
    let mut scene = read_back(own);
    scene.metadata[1].text = "fast".into();
    assert!(exported(&scene).starts_with("metadata: `quickbot.controller.options` is not a map in JSON: "));
}

//! Worlds in XML, and what is wrong with them.

use super::*;
use crate::import::StandIn;

#[test]
fn all_problems_are_reported_at_once() {
    let text = "<simulation speed='1'>
        hello
        <robot type='Khepera4' colour='red'>
            <supervisor type='K3DefaultSupervisor' options='left'/>
            <supervisor type='K3DefaultSupervisor'/>
            <pose x='1,5' y='' tetha='0'/>
        </robot>
        <obstacel/>
        <obstacle color='yellow'><geometry><point x='0' y='nan'/><point x='1e7'/></geometry></obstacle>
        <marker><pose x='0' y='0' theta='inf'><b/></pose></marker>
        <s:robot xmlns:s='a'/>
    </simulation>";
    insta::assert_snapshot!(problems("w.xml", text, &Options::default()), @r#"
    w.xml:1:13: unknown attribute `speed` of `<simulation>`; there is none; --lenient ignores it
    w.xml:1:23: there is text in `<simulation>`; --lenient ignores it
    w.xml:3:32: robot[0]: unknown attribute `colour` of `<robot>`; did you mean `color`?; --lenient ignores it
    w.xml:4:52: robot[0].supervisor.options: expected options such as `{"x": 1}`, found `left`: expected value at line 1 column 1; --lenient ignores it
    w.xml:5:13: robot[0]: more than one `<supervisor>` in `<robot>`; --lenient ignores it
    w.xml:6:13: robot[0].pose: `<pose>` has no attribute `theta`
    w.xml:6:19: robot[0].pose.x: expected a number from -1000000 to 1000000, found `1,5`
    w.xml:6:27: robot[0].pose.y: expected a number from -1000000 to 1000000, found ``
    w.xml:6:32: robot[0].pose: unknown attribute `tetha` of `<pose>`; did you mean `theta`?; --lenient ignores it
    w.xml:8:9: unknown element `<obstacel>` in `<simulation>`; did you mean `obstacle`?; --lenient ignores it
    w.xml:9:9: obstacle[0]: `<obstacle>` has no `<pose>`
    w.xml:9:19: obstacle[0].color: expected a colour `#rrggbb`, or black, red, green or blue, found `yellow`
    w.xml:9:34: obstacle[0].geometry: expected at least 3 `<point>` in `<geometry>`, found 2
    w.xml:9:57: obstacle[0].geometry.point[0].y: expected a number from -1000000 to 1000000, found `nan`
    w.xml:9:66: obstacle[0].geometry.point[1]: `<point>` has no attribute `y`
    w.xml:9:73: obstacle[0].geometry.point[1].x: expected a number from -1000000 to 1000000, found `1e7`
    w.xml:10:9: marker[0]: `<marker>` has no `<geometry>`
    w.xml:10:35: marker[0].pose.theta: expected a number, found `inf`
    w.xml:10:47: marker[0].pose: unknown element `<b>` in `<pose>`; there is none; --lenient ignores it
    w.xml:11:9: unknown element `<robot>` of another namespace in `<simulation>`; did you mean `robot`?; --lenient ignores it
    "#);
    insta::assert_snapshot!(problems("w.xml", text, &LENIENT), @r#"
    w.xml:6:13: robot[0].pose: `<pose>` has no attribute `theta`
    w.xml:6:19: robot[0].pose.x: expected a number from -1000000 to 1000000, found `1,5`
    w.xml:6:27: robot[0].pose.y: expected a number from -1000000 to 1000000, found ``
    w.xml:9:9: obstacle[0]: `<obstacle>` has no `<pose>`
    w.xml:9:19: obstacle[0].color: expected a colour `#rrggbb`, or black, red, green or blue, found `yellow`
    w.xml:9:34: obstacle[0].geometry: expected at least 3 `<point>` in `<geometry>`, found 2
    w.xml:9:57: obstacle[0].geometry.point[0].y: expected a number from -1000000 to 1000000, found `nan`
    w.xml:9:66: obstacle[0].geometry.point[1]: `<point>` has no attribute `y`
    w.xml:9:73: obstacle[0].geometry.point[1].x: expected a number from -1000000 to 1000000, found `1e7`
    w.xml:10:9: marker[0]: `<marker>` has no `<geometry>`
    w.xml:10:35: marker[0].pose.theta: expected a number, found `inf`
    "#);
}

#[test]
fn other_files_are_refused() {
    let problem_of = |text: &str| problems("w.xml", text, &Options::default());
    let deep = format!("<simulation>{}{}</simulation>", "<robot>".repeat(100_000), "</robot>".repeat(100_000));
    let all = [
        problem_of(""),
        problem_of("<svg/>"),
        problem_of("<simulation/>"),
        problem_of("<simulation xmlns='http://a.org'/>"),
        problem_of(&format!(
            "<!DOCTYPE simulation [<!ENTITY a '{}'>]><simulation>{}</simulation>",
            "b".repeat(9999),
            "&a;".repeat(9999)
        )),
        problem_of(&deep),
        problem_of(&with_robot(&obstacle(&[(0.0, 0.0), (1.0, 0.0)]))),
        problem_of(&with_robot(&obstacle(&[(0.0, 0.0), (1.0, 0.0), (999_999.5, 1.0)]))),
    ];
    insta::assert_snapshot!(all.join("\n"), @r"
    w.xml:1:1: is not XML: the document does not have a root node
    w.xml:1:1: expected `<simulation>`, found `<svg>`; --lenient ignores it
    w.xml:1:1: `<simulation>` has no `<robot>`; --lenient ignores it
    w.xml:1:1: expected `<simulation>`, found `<simulation>` of another namespace; --lenient ignores it
    w.xml:1:1: is larger than 16 MiB with its entities expanded
    w.xml:1:1798: elements are nested deeper than 256
    w.xml:3:40: obstacle[0].geometry: expected at least 3 `<point>` in `<geometry>`, found 2
    w.xml:3:1: obstacle[0]: is farther than 1000000 m from the origin
    ");
}

#[test]
fn supervisors_of_users_wait_for_a_program() {
    let robot = |supervisor: &str, x: f64| {
        format!("<robot type='QuickBot'><supervisor {supervisor}/><pose x='{x}' y='0' theta='0'/></robot>")
    };
    let own = r#"type='mine.Weave' options='{"width": 0.5, "side": "left"}'"#;
    let robots = [robot(own, 0.0), robot(own, 1.0), robot("type='week7.QBFullSupervisors'", 2.0)].concat();
    let (scene, warnings) = scene_of("w.xml", &format!("<simulation>{robots}</simulation>"), &Options::default());
    insta::assert_snapshot!(warnings, @"
    1:48: robot[0].supervisor: pySimiam has no supervisor `mine.Weave`. It is read as a Python class: the robot stands until a Python program drives it; its options are in `metadata`. `--supervisor mine.Weave=quickbot-full` chooses a supervisor that drives it (and 1 more like this)
    1:312: robot[2].supervisor: pySimiam has no supervisor `week7.QBFullSupervisors`; did you mean `week7.QBFullSupervisor`? It is read as a Python class: the robot stands until a Python program drives it; its options are in `metadata`. `--supervisor week7.QBFullSupervisors=quickbot-full` chooses a supervisor that drives it
    ");
    let notes: Vec<_> = scene.metadata.iter().map(|note| format!("{}: {}", note.name, note.text)).collect();
    insta::assert_snapshot!(notes.join("\n"), @r#"
    quickbot.controller.type: mine.Weave
    quickbot.controller.options: {"side":"left","width":0.5}
    quickbot-2.controller.type: mine.Weave
    quickbot-2.controller.options: {"side":"left","width":0.5}
    quickbot-3.controller.type: week7.QBFullSupervisors
    "#);
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.step(10);
    let poses = simulation.agents().map(|agent| agent.pose.position_m.x).collect::<Vec<_>>();
    assert_eq!(poses, [0.0, 1.0, 2.0]);
    for name in ["a b", "mine.", ".Mine", "1st.Mine"] {
        let robot = robot(&format!("type='{name}'"), 0.0);
        let (_, warnings) = scene_of("w.xml", &format!("<simulation>{robot}</simulation>"), &Options::default());
        assert!(warnings.contains(&format!("pySimiam has no supervisor `{name}`")), "{warnings}");
    }
    let nothing = format!("<simulation>{}</simulation>", robot("type=''", 0.0));
    let problem = problems("w.xml", &nothing, &Options::default());
    assert!(problem.contains("unknown supervisor ``; there is K3Default"), "{problem}");
    // A supervisor of the program can stand for it.
    let supervisors = vec![StandIn::of_supervisor("mine.Weave=quickbot-full").unwrap()];
    let chosen = Options { supervisors, ..Options::default() };
    let (scene, warnings) = scene_of("w.xml", &format!("<simulation>{}</simulation>", robot(own, 0.0)), &chosen);
    assert!(warnings.contains("the supervisor has no option `side`"), "{warnings}");
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.step(50);
    assert!(simulation.agents().all(|agent| agent.pose.position_m.length() > 0.05));
}

#[test]
fn lenient_accepts_the_worlds_of_the_first_parser() {
    let text = format!(
        "<world xmlns:a='b'>text<group>{ROBOT}</group>{}</world>",
        ROBOT.replace("<pose", "<pose phi='1'").replace("</robot>", "<pose/></robot>")
    );
    let (scene, warnings) = scene_of("w.xml", &text, &LENIENT);
    assert_eq!(scene.groups.len(), 1);
    insta::assert_snapshot!(warnings, @r"
    1:1: expected `<simulation>`, found `<world>`: ignored
    1:1: unknown attribute `xmlns` of `<world>`: ignored
    1:20: there is text in `<world>`: ignored
    1:24: unknown element `<group>` in `<world>`; known: app, robot, obstacle and marker: ignored
    1:228: robot[0].pose: unknown attribute `phi` of `<pose>`; known: x, y and theta: ignored
    1:259: robot[0]: more than one `<pose>` in `<robot>`: ignored
    ");
    assert_eq!(scene_of("w.xml", "<simulation/>", &LENIENT).1, "1:1: there is no robot");
}

/// Settings of Sim.I.am in MATLAB, which ignores the parts that it does not know.
#[test]
fn settings_of_sim_i_am_open_and_their_robots_drive() {
    let obstacle = obstacle(&[(0.0, 0.0), (0.2, 0.0), (0.2, 0.2)]);
    let text = format!(
        "<simulation><app type='DemoApp' mode='fast'/>
        <robot type='QuickBot'><supervisor type='quickbot.QBSupervisor'/><pose x='0' y='-3' theta='0'/>
            <driver ip='192.168.7.2' port='5005'/><optitrack ip='a' id='3'/></robot>
        <robot type='Khepera3'><supervisor type='khepera3.K3Supervisor'/><pose x='4' y='-3' theta='0'/></robot>
        <robot type='Khepera3'><supervisor type='khepera3.K3Supervisor' goalX='2.5' goalY='-4'/>
            <pose x='6' y='-3' theta='0'/></robot>
        <robot type='GRITSBot'><supervisor type='gritsbot.GRITSBotSupervisor'/><pose x='8' y='-3' theta='0'/></robot>
        {}{}<target><pose x='1' y='1' theta='0'/></target>
        </simulation>",
        obstacle.replace("obstacle>", "obstacle_dyn>").replace("<geometry", "<movement type='round'/><geometry"),
        obstacle.replace("obstacle>", "base>"),
    );
    let (scene, warnings) = scene_of("settings.xml", &text, &PLAIN);
    insta::assert_snapshot!(warnings, @r"
    1:33: app[0]: unknown attribute `mode` of `<app>`; known: type: ignored
    2:44: robot[0].supervisor: the goal of a supervisor of Sim.I.am is in its class, which the file does not contain: (1, 1) is taken; `goalX` and `goalY` of the supervisor choose another
    4:44: robot[1].supervisor: the goal of a supervisor of Sim.I.am is in its class, which the file does not contain: (-1, 1) is taken; `goalX` and `goalY` of the supervisor choose another
    7:16: robot[3]: pySimiam has no robot `GRITSBot`. It is read as a `quickbot`; `--robot GRITSBot=khepera3` chooses the other robot
    7:44: robot[3].supervisor: pySimiam has no supervisor `gritsbot.GRITSBotSupervisor`. It is read as a Python class: the robot stands until a Python program drives it; its options are in `metadata`. `--supervisor gritsbot.GRITSBotSupervisor=quickbot-full` chooses a supervisor that drives it
    8:9: unknown element `<obstacle_dyn>` in `<simulation>`: read as an `<obstacle>`, which stands; `<movement>` in it is left out
    8:178: unknown element `<base>` in `<simulation>`: read as a `<marker>`, which robots neither touch nor sense
    8:307: unknown element `<target>` in `<simulation>`; known: app, robot, obstacle and marker: ignored
    ");
    let blocks: Vec<bool> = scene.objects.iter().map(|object| object.common().blocks).collect();
    assert_eq!(blocks[..2], [false, true], "a marker and an obstacle");
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    let before: Vec<DVec2> = simulation.agents().map(|agent| agent.pose.position_m).collect();
    simulation.step(500);
    let gone: Vec<bool> =
        simulation.agents().zip(before).map(|(agent, before)| agent.pose.position_m.distance(before) > 0.3).collect();
    assert_eq!(gone, [true, true, true, false]);
    let world = world_of("settings.xml", &text, &PLAIN).unwrap();
    let goals: Vec<_> = world.robots.iter().map(|robot| robot.goal_m.map(|goal_m| (goal_m.x, goal_m.y))).collect();
    assert_eq!(goals, [Some((1.0, 1.0)), Some((-1.0, 1.0)), Some((2.5, -4.0)), None]);
    // The same class of pySimiam, where nothing else is of Sim.I.am, has the goal of pySimiam.
    let old = "<simulation><app type='ControlApp'/><robot type='Khepera3'><supervisor type='khepera3.K3Supervisor'/>\
        <pose x='0' y='0' theta='0'/></robot></simulation>";
    assert_eq!(world_of("settings.xml", old, &PLAIN).unwrap().robots[0].goal_m, None);
}

/// An unknown object with a place and an outline has a stand-in, also by the strict rules of pySimiam.
#[test]
fn unknown_objects_have_stand_ins() {
    let of = |tag: &str, points: &[(f64, f64)]| with_robot(&obstacle(points).replace("obstacle>", &format!("{tag}>")));
    let triangle = [(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)];
    let (scene, warnings) = scene_of("w.xml", &of("obstacel", &triangle), &PLAIN);
    insta::assert_snapshot!(warnings, @r"
    3:1: unknown element `<obstacel>` in `<simulation>`; did you mean `obstacle`?: read as an `<obstacle>`, which stands
    ");
    assert!(scene.objects[0].common().blocks);
    let (scene, warnings) = scene_of("w.xml", &of("goal", &triangle), &PLAIN);
    insta::assert_snapshot!(warnings, @r"
    3:1: unknown element `<goal>` in `<simulation>`: read as a `<marker>`, which robots neither touch nor sense
    ");
    assert!(!scene.objects[0].common().blocks);
    let problem = problems("w.xml", &of("goal", &triangle[..2]), &PLAIN);
    insta::assert_snapshot!(problem, @r"
    w.xml:3:1: unknown element `<goal>` in `<simulation>`; known: app, robot, obstacle and marker; --lenient ignores it
    ");
    let problem = problems("w.xml", &of("goal", &[triangle[0], triangle[1], (f64::NAN, 0.0)]), &PLAIN);
    insta::assert_snapshot!(problem, @r"
    w.xml:3:93: marker[0].geometry.point[2].x: expected a number from -1000000 to 1000000, found `NaN`
    ");
}

#[test]
fn invalid_outlines_are_repaired() {
    let of = |points: &[(f64, f64)]| {
        let (scene, warnings) = scene_of("w.xml", &with_robot(&obstacle(points)), &Options::default());
        Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
        (corners(&scene, 0), warnings)
    };
    let square = [(1.0, 2.0), (2.0, 2.0), (2.0, 3.0), (1.0, 3.0)];
    let (bow_tie, warnings) = of(&[(0.0, 0.0), (1.0, 1.0), (1.0, 0.0), (0.0, 1.0)]);
    assert_eq!(bow_tie, square);
    assert!(warnings.contains("convex hull"), "{warnings}");
    let (twice, warnings) = of(&[(0.0, 0.0), (0.0, 0.0), (1.0, 0.0), (1.0, 1.0), (0.0, 1.0), (0.0, 0.0)]);
    assert_eq!(twice.as_slice(), &square[..]);
    assert_eq!(warnings.as_str(), "");
    let (flat, warnings) = of(&[(0.0, 0.0), (0.5, 0.0), (2.0, 0.0)]);
    assert!(warnings.contains("has no area"), "{warnings}");
    assert_eq!(flat, [(3.0005, 2.0005), (0.9995, 2.0005), (0.9995, 1.9995), (3.0005, 1.9995)]);
    let (point, _) = of(&[(0.0, 0.0); 3]);
    assert_eq!(point.len(), 4);
}

#[test]
fn the_arena_encloses_a_world_around_the_origin() {
    let text = with_robot(&obstacle(&[(0.0, 0.0), (-4.0, 0.0), (-4.0, -4.0)]));
    let (scene, _) = scene_of("w.xml", &text, &Options::default());
    assert_eq!(scene.time.dt_s, 0.02);
    let arena = &scene.arena;
    let (low, high) = (arena.corner_m, arena.corner_m + arena.size_m);
    assert!(low.cmplt(DVec2::new(-3.0, -2.0)).all() && high.cmpgt(DVec2::new(1.0, 2.0)).all(), "{arena:?}");
}

#[test]
fn robots_neither_touch_nor_sense_markers() {
    let marker = obstacle(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]).replace("obstacle", "marker");
    let (scene, _) = scene_of("w.xml", &with_robot(&marker), &Options::default());
    let presence = scene.objects[0].common();
    assert!(!presence.blocks && !presence.sensed);
    assert_eq!(presence.color, "#00ff00");
}

#[test]
fn markers_that_cross_themselves_keep_their_shape() {
    let star: Vec<(f64, f64)> = [0, 2, 4, 1, 3]
        .map(|k| swarmarium_base::math::direction(std::f64::consts::TAU * f64::from(k) / 5.0))
        .map(|tip| (tip.x, tip.y))
        .to_vec();
    let marker = obstacle(&star).replace("obstacle", "marker");
    let (scene, warnings) = scene_of("w.xml", &with_robot(&marker), &PLAIN);
    assert_eq!(corners(&scene, 0).len(), 10);
    assert_eq!(warnings.as_str(), "");
    Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    let (hull, warnings) = scene_of("w.xml", &with_robot(&obstacle(&star)), &PLAIN);
    assert_eq!(corners(&hull, 0).len(), 5);
    assert!(warnings.contains("convex hull"), "{warnings}");
}

#[test]
fn outlines_with_too_many_corners_are_problems_at_once() {
    let points = |count: u32| -> Vec<(f64, f64)> {
        let at = |k: u32| swarmarium_base::math::direction(std::f64::consts::TAU * f64::from(k) / f64::from(count));
        (0..count).map(at).map(|at| (at.x * 100.0, at.y * 100.0)).collect()
    };
    let text = |count| points(count).iter().map(|(x, y)| format!("{x},{y} ")).collect::<String>();
    let drawing =
        |count| svg(&format!("<g><polygon id='a' points='{}'/><polygon points='{}'/></g>", text(count), text(count)));
    let problems_of_drawing = translate("a.svg", &drawing(4097), &PLAIN).unwrap_err().to_string();
    let told = "at most 4096 points fit, found 4097 (and 1 more like this)";
    assert!(problems_of_drawing.contains(told), "{problems_of_drawing}");
    translate("a.svg", &drawing(4096), &PLAIN).unwrap();
    assert!(problems("w.xml", &with_robot(&obstacle(&points(4097))), &PLAIN).contains("at most 4096 points fit"));
}

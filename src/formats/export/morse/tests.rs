use std::path::PathBuf;
use std::sync::LazyLock;

use crate::standard::{FromScene as _, Standard as _};
use proptest::prelude::*;
use swarmarium_scene::scene::reader;
use swarmarium_simulation::simulation::Simulation;

use super::*;
use crate::import::morse::literal::tests::literals;
use crate::import::{self, Report};
use crate::load::load;

static RECIPE: LazyLock<Recipe> = LazyLock::new(Recipe::standard);

fn data(name: &str) -> PathBuf {
    swarmarium_testing::file("tests/data/morse").join(name)
}

fn config(text: &str) -> Config {
    let mut report = Report::default();
    let config = Config::read(text, &mut report).unwrap().0;
    report.finish(text).unwrap();
    config
}

/// Imports a text, and exports the scene.
fn round_trip(text: &str) -> Config {
    let recipe = &*RECIPE;
    let imported = import::import(recipe.kinds(), "c.py", text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    config(&export(recipe, &imported.scene).unwrap().text)
}

/// Streams and modifiers with their directions, as exports write them.
fn with_directions(mut config: Config) -> Config {
    let sensors = |component: &str| !component.contains("act");
    // Components outside robots are kept as they are.
    for (component, streams) in config.streams.iter_mut().filter(|(component, _)| component.contains('.')) {
        streams.iter_mut().for_each(|stream| stream.direction = Some(default_direction(sensors(component))));
    }
    for (component, all) in &mut config.modifiers {
        *all = with_direction(all, default_direction(sensors(component)));
    }
    config
}

#[test]
fn the_example_of_morse_is_written_from_its_scene() {
    let recipe = &*RECIPE;
    let scene = data("scene.ron").display().to_string();
    let scene = load(recipe.kinds(), &scene, &[]).unwrap_or_else(|problems| panic!("{problems}")).scene;
    let written = config(&export(recipe, &scene).unwrap().text);
    assert_eq!(written, config(&std::fs::read_to_string(data("component_config.py")).unwrap()));
}

#[test]
fn the_example_of_morse_survives_a_round_trip() {
    let text = std::fs::read_to_string(data("component_config.py")).unwrap();
    assert_eq!(round_trip(&text), config(&text));
}

#[test]
fn imported_scenes_run() {
    let text = std::fs::read_to_string(data("component_config.py")).unwrap();
    let scene = import::import(RECIPE.kinds(), "c.py", &text).unwrap().scene;
    let mut simulation = Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}"));
    simulation.step(10);
    let names: Vec<String> = simulation.components().into_iter().map(|component| component.name).collect();
    assert_eq!(names, ["robot.odometry", "robot.pose", "robot.waypoint"]);
}

#[test]
fn the_example_in_the_documentation_holds() {
    let document = include_str!("../../../../docs/guides/from-morse.md");
    let text = document.split("```ron\n").nth(1).unwrap().split("```").next().unwrap();
    let scene: Scene =
        reader::read(RECIPE.kinds(), "example.ron", text).unwrap_or_else(|problems| panic!("{problems}"));
    Simulation::new(&scene).unwrap_or_else(|problems| panic!("{problems}")).step(10);
    let mut expected = config(&std::fs::read_to_string(data("component_config.py")).unwrap());
    let noise = &mut expected.modifiers.get_mut("robot.pose").unwrap()[0];
    noise.options.insert("pos_std".into(), Value::Number(0.1).into());
    assert_eq!(config(&export(&RECIPE, &scene).unwrap().text), expected);
}

#[test]
fn components_outside_robots_tuples_and_large_integers_round_trip() {
    // The text is that of `pprint` of Python, with which MORSE writes it.
    let text = r"component_datastream = {'Empty': [['m.ros.ROS',
            'm.ros.motion_xyw.TwistReader',
            'IN',
            {'topic': 'human0/motion'}]],
 'r.pose': [['m.ros.ROS',
             'm.ros.pose.PosePublisher',
             'OUT',
             {'id': 123456789012345678901234567890, 'size': (1, (2.5,), [3])}]]}
component_modifier = {'Empty': [['my.Modifier', 'IN', {'at': ()}]]}
component_service = {'Empty': ['m.Yarp'], 'r': ['m.Yarp']}
overlays = {}
stream_manager = {'m.ros.ROS': {'ports': (4000, -99999999999999999999)}}
";
    let imported = import::import(RECIPE.kinds(), "c.py", text).unwrap();
    let warnings: Vec<String> = imported.warnings.iter().map(|warning| warning.message.clone()).collect();
    assert!(warnings.iter().any(|warning| warning.contains("`Empty` is outside any robot")), "{warnings:?}");
    assert!(!warnings.iter().any(|warning| warning.contains("`r` is outside")), "{warnings:?}");
    assert_eq!(export(&RECIPE, &imported.scene).unwrap().text, text);
    Simulation::new(&imported.scene).unwrap_or_else(|problems| panic!("{problems}")).step(2);
}

#[test]
fn each_robot_of_a_group_has_its_components() {
    let text = r#"(groups: [(name: "m", count: 3, sensors: [Constant(links: [Stream()]), Constant(links: [Services()]), Constant()])])"#;
    let recipe = &*RECIPE;
    let scene: Scene = reader::read(recipe.kinds(), "s.ron", text).unwrap();
    let written = config(&export(recipe, &scene).unwrap().text);
    assert_eq!(written.streams.keys().collect::<Vec<_>>(), ["m.constant", "m_001.constant", "m_002.constant"]);
    assert_eq!(written.services.keys().collect::<Vec<_>>(), ["m.constant_2", "m_001.constant_2", "m_002.constant_2"]);
}

#[test]
fn parts_without_an_equivalent_are_warnings() {
    let text = r#"(time: (pacing: External(port: 7, min_clients: 2)),
        groups: [(name: "m", count: 2, sensors: [Constant(links: [Services()], noise: [Bias(offset: 1.0)])])])"#;
    let recipe = &*RECIPE;
    let scene: Scene = reader::read(recipe.kinds(), "s.ron", text).unwrap();
    let Exported { text, warnings } = export(recipe, &scene).unwrap();
    assert!(config(&text).modifiers.is_empty());
    let lines: Vec<String> = warnings.iter().take(2).map(ToString::to_string).collect();
    assert_eq!(
        lines,
        [
            "groups[0].sensors[0].noise[0]: MORSE has no modifier for Bias",
            "time.pacing.min_clients: MORSE waits for one client"
        ]
    );
}

#[test]
fn kept_modifiers_are_dropped_when_the_noise_changes() {
    let text = "component_service = {'r.pose': ['m.Yarp']}\ncomponent_modifier = {'r.pose': [['my.Modifier', 'OUT', {'a': 1}]]}";
    let recipe = &*RECIPE;
    let mut scene = import::import(recipe.kinds(), "c.py", text).unwrap().scene;
    assert_eq!(config(&export(recipe, &scene).unwrap().text), config(text));
    path::set(recipe.kinds(), &mut scene, "groups.0.sensors.0.noise", "[Bias(offset: 1.0)]").unwrap();
    assert!(config(&export(recipe, &scene).unwrap().text).modifiers.is_empty());
}

/// Dictionaries of arguments.
fn options() -> impl Strategy<Value = Options> {
    proptest::collection::btree_map("[a-z_]{1,6}", literals(), 0..3)
}

fn class() -> impl Strategy<Value = String> {
    prop_oneof![
        Just(SOCKET.to_owned()),
        Just("morse.middleware.ros_datastream.ROSDatastreamManager".to_owned()),
        "[a-z]{1,4}\\.[A-Z][a-z]{1,6}",
    ]
}

/// The name of a component. Names with `act` are those of actuators.
fn component() -> impl Strategy<Value = String> {
    "(robot|m_001|R-2)\\.(pose|gps|sick|x|a\\.b|act_waypoint|act_motion)"
}

fn streams(component: &str) -> impl Strategy<Value = Vec<Stream>> + use<> {
    let is_sensor = !component.contains("act");
    let usual = SOCKET_STREAMS[usize::from(!is_sensor)].to_owned();
    let other = if is_sensor { "my.stream.Publisher" } else { "my.stream.Reader" }.to_owned();
    let direction = prop_oneof![Just(None), Just(Some(default_direction(is_sensor)))];
    let one = (class(), prop_oneof![Just(usual), Just(other)], direction, options());
    let one = one.prop_map(|(manager, class, direction, options)| Stream { manager, class, direction, options });
    proptest::collection::vec(one, 1..3)
}

fn any_modifiers() -> impl Strategy<Value = Vec<Modifier>> {
    let class = prop_oneof![
        Just("morse.modifiers.pose_noise.PoseNoiseModifier".to_owned()),
        Just("morse.modifiers.ned.CoordinatesToNED".to_owned()),
        Just("my.Modifier".to_owned()),
    ];
    let options = prop_oneof![
        options(),
        (0.0..9.0_f64).prop_map(|std| Options::from([("pos_std".to_owned(), Value::Number(std).into())])),
    ];
    let one = (class, options).prop_map(|(class, options)| Modifier { class, direction: None, options });
    proptest::collection::vec(one, 1..3)
}

/// Any configuration whose components all have a stream.
fn configs() -> impl Strategy<Value = Config> {
    let part = component().prop_flat_map(|component| {
        (
            Just(component.clone()),
            streams(&component),
            proptest::option::of(any_modifiers()),
            proptest::collection::vec(prop_oneof![Just(SOCKET_SERVICES.to_owned()), class()], 0..3),
            proptest::option::of((class(), "[a-z]\\.[A-Z]", options())),
        )
    });
    let managers = proptest::collection::btree_map(
        class(),
        prop_oneof![
            options(),
            (any::<bool>(), -1..70_000_i64).prop_map(|(is_paced, port)| Options::from([
                ("time_sync".to_owned(), Value::Bool(is_paced).into()),
                ("sync_port".to_owned(), Value::Int(port).into())
            ]))
        ],
        0..3,
    );
    let elsewhere = proptest::collection::vec(class(), 0..2);
    let outside = proptest::option::of(streams("Empty"));
    (proptest::collection::vec(part, 0..5), managers, elsewhere, outside).prop_map(
        |(parts, managers, elsewhere, outside)| {
            let mut config = Config { managers, ..Config::default() };
            config.streams.extend(outside.map(|streams| ("Empty".to_owned(), streams)));
            for (component, streams, modifiers, services, overlay) in parts {
                config.streams.insert(component.clone(), streams);
                config.modifiers.extend(modifiers.map(|all| (component.clone(), all)));
                config.services.extend((!services.is_empty()).then(|| (component.clone(), services)));
                if let Some((manager, class, options)) = overlay {
                    config.overlays.entry(manager).or_default().insert(component, Overlay { class, options });
                }
            }
            config.services.extend((!elsewhere.is_empty()).then(|| ("simulation".to_owned(), elsewhere)));
            config
        },
    )
}

proptest! {
    #[test]
    fn a_configuration_survives_a_round_trip(config in configs()) {
        prop_assert_eq!(round_trip(&config.text()), with_directions(config));
    }

    #[test]
    fn a_text_reads_back_to_its_configuration(written in configs()) {
        prop_assert_eq!(config(&written.text()), written);
    }
}

#[test]
fn components_have_the_names_that_clients_use() {
    let text = r#"(groups: [(name: "r", sensors: [
        Constant(values: [1.0], links: [Stream()]),
        Constant(name: "constant", values: [2.0], links: [Stream()]),
    ])])"#;
    let recipe = Recipe::standard();
    let scene: Scene = reader::read(recipe.kinds(), "test", text).unwrap();
    let simulation = Simulation::new(&scene).unwrap();
    let names: Vec<String> = simulation.components().into_iter().map(|component| component.name).collect();
    assert_eq!(names, ["r.constant_2", "r.constant"]);
    let written = export(&recipe, &scene).unwrap().text;
    assert!(names.iter().all(|name| written.contains(&format!("'{name}'"))), "{written}");
}

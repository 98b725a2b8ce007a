//! The components of a simulation, for those who serve them to clients.

use bevy::prelude::*;
use swarmarium::prelude::*;
use swarmarium_core::service::{ComponentId, ComponentSlot, Value};
use swarmarium_scene::component::naming;
use swarmarium_simulation::clients::PendingMemory;
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Simulation;

use crate::support::edits::set;
use crate::support::{scene_of, simulation_of};

fn simulation(groups: &str) -> Simulation {
    let text = format!("(time: (dt_s: 0.1), groups: [{groups}])");
    simulation_of(&text)
}

fn refused(groups: &str) -> String {
    let text = format!("(groups: [{groups}])");
    let scene = scene_of(&text);
    Simulation::new(&scene).map(drop).unwrap_err().to_string()
}

const SENSING: &str = "sensors: [
    Proximity(links: [Stream(), Services()]), Proximity(name: \"proximity\", rate_hz: 2.0, links: [Stream()]), Constant(),
]";

const ACTING: &str = "motion: Holonomic(), controller: External(actuators: [
    MotionVw(name: \"motion\", links: [Stream(), Services()]), Light(links: [Services()]), Keyboard(),
])";

#[test]
fn components_have_names_that_lead_back_to_them() {
    let simulation = simulation(&format!(
        "(name: \"alone\", {SENSING}, {ACTING}), (name: \"m\", count: 3, spawn: UniformBox(), {ACTING})"
    ));
    let components = simulation.components();
    let names: Vec<&str> = components.iter().map(|component| component.name.as_str()).collect();
    let of_alone = ["alone.proximity_2", "alone.proximity", "alone.motion", "alone.light"];
    assert_eq!(names[..4], of_alone);
    assert_eq!(names[4..], ["m.motion", "m.light", "m_001.motion", "m_001.light", "m_002.motion", "m_002.light"]);
    for component in &components {
        let found = naming::find(simulation.world(), &component.name).map(|(id, _)| id);
        assert_eq!(found, Some(component.id), "{}", component.name);
    }
    assert_eq!(components[2].about.class, "MotionVW");
    for name in ["m_000.motion", "m_1.motion", "m_003.motion", "alone", "alone.keyboard", "x.motion", "."] {
        assert_eq!(naming::find(simulation.world(), name), None, "{name}");
    }
}

#[test]
fn read_components_include_the_time_of_the_reading() {
    let mut simulation = simulation(&format!("(name: \"r\", {SENSING})"));
    let id = |slot| ComponentId { agent: 0, slot: ComponentSlot::Sensor(slot) };
    assert_eq!(simulation.read_at(id(1)), Some(0));
    let mut read = [0; 2];
    for step in 1..=20 {
        simulation.step(1);
        for slot in [0, 1] {
            read[usize::from(slot)] += u32::from(simulation.read_at(id(slot)) == Some(step));
        }
    }
    assert_eq!(read, [20, 4], "at 0.1, 0.6, 1.1 and 1.6 s: from the first step on");
    let message = simulation.message(id(0)).unwrap();
    assert_eq!(message[0], ("timestamp".to_owned(), Value::Number(2.0)));
    assert_eq!(simulation.read_at(id(2)), None, "it has no settings, and so no clients");
    let data = simulation.ask(id(0), "get_local_data", &[], &[]).unwrap();
    assert_eq!(data, Value::Map(message).into());
    assert!(simulation.ask(id(1), "get_local_data", &[], &[]).is_err(), "it has a stream and no services");
}

#[test]
fn replies_of_services_include_waiting_edits() {
    let mut simulation = simulation(&format!("(name: \"r\", {ACTING})"));
    let light = ComponentId { agent: 0, slot: ComponentSlot::Actuator(1) };
    let once = simulation.ask(light, "toggle", &[], &[]).unwrap().edit.unwrap();
    let off = [Value::Bool(false)];
    assert!(simulation.ask(light, "toggle", &off, &[]).unwrap().edit.is_some());
    simulation.apply(once.clone()).unwrap();
    simulation.step(1);
    let again = simulation.ask(light, "toggle", &[], std::slice::from_ref(&once)).unwrap();
    assert!(again.edit.is_some());
    let unknown = Edit::Call { component: "r.lamp".into(), service: "toggle".into(), arguments: Vec::new() };
    assert_eq!(simulation.apply(unknown).unwrap_err().to_string(), "there is no component `r.lamp`");
    let wrong = Edit::Feed { component: "r.motion".into(), fields: vec![("v".into(), "fast".into())] };
    assert_eq!(simulation.apply(wrong).unwrap_err().to_string(), "r.motion: `v`: expected a number, found \"fast\"");
    let empty =
        simulation.feed(ComponentId { agent: 0, slot: ComponentSlot::Actuator(0) }, &vec![("u".into(), 1.0.into())]);
    assert_eq!(empty.unwrap_err().to_string(), "no field is known: it takes v, w");
}

#[test]
fn properties_are_read_and_set() {
    let text = "(name: \"r\", controller: External(actuators: [Waypoint(links: [Services()])]))";
    let mut simulation = simulation(text);
    let waypoint = ComponentId { agent: 0, slot: ComponentSlot::Actuator(0) };
    let property = |simulation: &Simulation, name: &str| {
        let all = simulation.ask(waypoint, "get_properties", &[], &[]).unwrap().value;
        let Value::Map(all) = all else { panic!("{all}") };
        let [(_, Value::Map(properties))] = &all[..] else { panic!("{all:?}") };
        let found = properties.iter().find(|(known, _)| known == name).map(|(_, row)| row.clone());
        let Some(Value::List(row)) = found else { panic!("{properties:?}") };
        row
    };
    let row = property(&simulation, "Speed");
    assert_eq!(row[..2], [Value::Number(1.0), "float".into()]);
    assert_eq!(row[2..], ["Speed until a command sets another one.".into(), "_speed".into()]);
    for (name, value) in [
        ("Speed", Value::Number(2.5)),
        ("FreeZ", Value::Bool(true)),
        ("Ignore", Value::List(vec!["a \"b\"".into(), "c".into()])),
    ] {
        let answer = simulation.ask(waypoint, "set_property", &[name.into(), value.clone()], &[]).unwrap();
        assert_eq!(answer.value, Value::Null);
        simulation.apply(answer.edit.unwrap()).unwrap();
        simulation.step(1);
        assert_eq!(property(&simulation, name)[0], value);
    }
    for (name, value) in [("Speed", Value::Number(-1.0)), ("Speed", "fast".into()), ("FreeZ", 7.5.into())] {
        assert!(simulation.ask(waypoint, "set_property", &[name.into(), value], &[]).is_err());
    }
    let found = simulation.ask(waypoint, "get_configurations", &[], &[]).unwrap().value;
    let Value::Map(found) = found else { panic!("{found}") };
    let Value::Map(configurations) = &found[0].1 else { panic!("{found:?}") };
    let Some((_, Value::Map(mount))) = configurations.last() else { panic!("{configurations:?}") };
    assert_eq!(mount[1], ("translation".into(), Value::numbers([0.0; 3])));
    let identity = [[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]].map(Value::numbers);
    assert_eq!(mount[0], ("rotation".into(), Value::List(identity.to_vec())));
}

#[test]
fn scenes_whose_components_make_no_sense_are_refused() {
    let group = |name: &str, rest: &str| format!("(name: \"{name}\", {rest})");
    let external = |actuators: &str| format!("controller: External(actuators: [{actuators}])");
    let cases = [
        (
            group("g", &external("MotionVw(name: \"a..b\", links: [Stream()])")),
            "groups[0].controller.actuators[0].name: `a..b` cannot be a name for clients",
        ),
        (group("g g", &external("MotionVw(links: [Stream()])")), "groups[0].name: `g g` cannot be a name for clients"),
        (
            group("g", &external("MotionVw(name: \"a\", links: [Stream()]), Light(name: \"a\", links: [Stream()])")),
            "groups[0].controller.actuators[1].name: two components of this robot are called `a`",
        ),
        (
            group("g", &external("MotionVw(links: [Services(), Stream(way: Out)])")),
            "groups[0].controller.actuators[0].links[1]: an actuator has no data to send",
        ),
        (
            group("g", "sensors: [Proximity(links: [Stream(way: In)])]"),
            "groups[0].sensors[0].links[0]: a sensor takes no commands",
        ),
        (
            group("g", &external("Keyboard(links: [Stream()])")),
            "groups[0].controller.actuators[0].links[0]: clients cannot reach it",
        ),
        (
            group("g", &external("Waypoint(links: [Overlay(services: [(name: \"go\", calls: \"gotoo\")])])")),
            "groups[0].controller.actuators[0].links[0]: there is no service `gotoo`; did you mean `goto`?",
        ),
        (
            group("g", &external("MotionXyw()")),
            "groups[0].controller.actuators[0]: MotionXyw also moves its robot sideways, but motion Unicycle does not",
        ),
        (
            group("g", &format!("motion: Holonomic(frame: World), {}", external("Destination()"))),
            "motion Holonomic must have `frame: Body`",
        ),
        (group("g", &external("Light(color: \"wet\")")), "groups[0].controller.actuators[0]: `wet` is not a colour"),
        (
            format!("(name: \"g\", count: 2, {0}), (name: \"g_001\", {0})", external("MotionVw(links: [Stream()])")),
            "groups[1].name: clients would know two robots as `g_001`",
        ),
        (
            group(
                "g",
                &external(
                    "MotionVw(name: \"motion\", links: [Services()]), Light(links: [Overlay(name: \"g.motion\")])",
                ),
            ),
            "groups[0].controller.actuators[1].links[0].name: there is a component `g.motion`: rename the overlay",
        ),
        (
            group("g", &external("MotionVw(links: [Overlay(name: \"o\")]), Light(links: [Overlay(name: \"o\")])")),
            "groups[0].controller.actuators[1].links[0].name: two overlays are called `o`",
        ),
        (
            group("g", &format!("count: 2, {}", external("MotionVw(links: [Overlay(name: \"o\")])"))),
            "groups[0].controller.actuators[0].links[0].name: `o` would be 2 robots",
        ),
    ];
    for (groups, expected) in cases {
        let found = refused(&groups);
        assert!(found.contains(expected), "{found}\nis not\n{expected}");
    }
}

#[test]
fn names_of_components_have_inner_dots() {
    let acting = "controller: External(actuators: [MotionVw(name: \"arm.motion\", links: [Stream(), Services()])])";
    let mut simulation = simulation(&format!("(name: \"r\", count: 2, spawn: UniformBox(), {acting})"));
    let names: Vec<String> = simulation.components().into_iter().map(|component| component.name).collect();
    assert_eq!(names, ["r.arm.motion", "r_001.arm.motion"]);
    let found = naming::find(simulation.world(), "r_001.arm.motion").map(|(id, _)| id);
    assert_eq!(found, Some(ComponentId { agent: 1, slot: ComponentSlot::Actuator(0) }));
    let fields = vec![("v".into(), 1.0.into())];
    simulation.apply(Edit::Feed { component: "r_001.arm.motion".into(), fields }).unwrap();
}

#[test]
fn no_two_robots_get_one_name_by_an_edit_or_in_code() {
    let mut simulation = simulation(&format!("(name: \"a\", {ACTING}), (name: \"b\")"));
    let mut scene = simulation.scene().clone();
    scene.groups[1].name = "a".into();
    let error = Simulation::new(&scene).map(drop).unwrap_err().to_string();
    assert!(error.contains("groups[1].name: clients would know two robots as `a`"), "{error}");
    let rename = set("groups.1.name", "a");
    assert!(simulation.apply(rename).is_err());
}

#[test]
fn state_ahead_equals_the_state_after_all_waiting_edits() {
    let simulation = simulation(&format!("(name: \"r\", {ACTING})"));
    let light = ComponentId { agent: 0, slot: ComponentSlot::Actuator(1) };
    let (mut ahead, mut waiting) = (PendingMemory::default(), Vec::new());
    let calls: [&[Value]; 6] = [&[], &[], &[true.into()], &[true.into()], &[], &[false.into()]];
    for arguments in calls {
        let expected = simulation.ask(light, "toggle", arguments, &waiting).unwrap();
        let found = simulation.ask_after(light, "toggle", arguments, &mut ahead).unwrap();
        assert_eq!(found, expected);
        waiting.extend(found.edit);
        let feed = simulation.feed(light, &vec![("emit".into(), false.into())]).unwrap();
        simulation.predict(light, &feed, &mut ahead);
        waiting.push(feed);
    }
    assert!(simulation.ask_after(light, "toggle", &["x".into()], &mut ahead).is_err());
}

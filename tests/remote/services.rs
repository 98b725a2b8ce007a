//! Requests and replies.

use swarmarium::component::Value;
use swarmarium::edit::Edit;
use swarmarium::remote::json;

use super::{SCENE, serve};
use crate::support::{scene, scene_of, text};

/// What real MORSE answered, with clock values, ports and texts of documents taken for equal.
#[test]
fn replies_are_those_of_morse_byte_for_byte() {
    let served = serve(scene("scenes/morse-reference.ron"), 1.0);
    let mut client = served.client();
    let ports = client.ask("ports simulation get_all_stream_ports");
    for case in text("tests/data/morse/wire_cases.jsonl").lines() {
        let case: serde_json::Value = serde_json::from_str(case).unwrap();
        let (request, expected) = (case["send"].as_str().unwrap(), case["reply"].as_str().unwrap());
        let reply = client.ask(request);
        match request.split_whitespace().next().unwrap() {
            // Any free ports: a number, and the names.
            "c" => assert!(reply.starts_with("c SUCCESS ") && ports.contains(reply.rsplit(' ').next().unwrap())),
            "g" => assert!(after_status(&reply).parse::<f64>().unwrap() > 1e9),
            "e" | "y" => assert_eq!(keys(&reply), keys(expected)),
            "y3" => assert_eq!(without_documents(&reply), without_documents(expected)),
            _ => assert_eq!(reply, expected, "{request}"),
        }
    }
}

fn after_status(reply: &str) -> &str {
    reply.splitn(3, ' ').nth(2).unwrap_or_default()
}

/// The names in an object; those of ports in any order, as it is that of the scene.
fn keys(reply: &str) -> Vec<String> {
    let Ok(Value::Map(fields)) = json::read(after_status(reply)) else { panic!("{reply}") };
    let mut keys: Vec<String> = fields.into_iter().map(|(name, _)| name).collect();
    if keys.iter().any(|key| key.contains('.')) {
        keys.sort();
    }
    keys
}

/// Properties without what their documents say.
fn without_documents(reply: &str) -> String {
    let Ok(Value::Map(mut fields)) = json::read(after_status(reply)) else { panic!("{reply}") };
    let Some((_, Value::Map(properties))) = fields.first_mut() else { panic!("{reply}") };
    for (_, property) in properties {
        let Value::List(row) = property else { panic!("{reply}") };
        row[2] = Value::Null;
    }
    json::to_text(&Value::Map(fields))
}

#[test]
fn requests_are_read_whatever_blanks_they_have() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    for request in [
        "i simulation list_robots",
        "i  simulation \t list_robots",
        "   i simulation list_robots  ",
        "i simulation list_robots []",
        "i simulation list_robots\r",
    ] {
        assert_eq!(client.ask(request), "i SUCCESS [\"walker\", \"m\", \"m_001\"]", "{request:?}");
    }
    client.say("\n\r\n11 simulation list_ro");
    client.say("bots\n");
    assert!(client.line().starts_with("11 SUCCESS"));
    client.say("1 time now\n2 time mode\n3 simulation list_robots\n");
    assert_eq!([0; 3].map(|_| client.line().split(' ').next().unwrap().to_owned()), ["1", "2", "3"]);
}

#[test]
fn what_is_wrong_is_said_as_python_and_morse_do() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    let who = "Socket service manager";
    for (request, error) in [
        ("p", "Malformed request! ".to_owned()),
        ("n nocomp noservice", format!("The request noservice has not been registered in {who}")),
        ("n time nwo", format!("The request nwo has not been registered in {who}, did you mean `now`?")),
        ("n simulation get_stream_port [\"nope\"]", "Stream unavailable for component nope".into()),
        ("n simulation activate [\"nope\"]", "Component 'nope' not found. Can't activate".into()),
        ("n simulation deactivate [\"nope\"]", "Component 'nope' not found. Can't activate".into()),
        (
            "n simulation list_robots [1, 2]",
            format!(
                "{who}: wrong # of parameters for service list_robots. list_robots() takes 1 positional argument but 3 were \
                 given"
            ),
        ),
        (
            "n walker.motion goto [1,2,3,4,5,6]",
            format!(
                "{who}: wrong # of parameters for service goto. goto() takes from 4 to 6 positional arguments but 7 were given"
            ),
        ),
        (
            "n communication distance_and_view",
            format!(
                "{who}: parameters expected for service distance_and_view! distance_and_view() missing 2 required positional \
                 arguments: 'robot1' and 'robot2'"
            ),
        ),
        ("n communication distance_and_view [\"m\", \"x\"]", "x does not exist in the simulation ".into()),
        (
            "n simulation set_object_visibility [\"nothing\", true, true]",
            "Object 'nothing' does not appear in the scene.".into(),
        ),
        ("n simulation set_log_level [\"a\", \"FOO\"]", "Unknown level: 'FOO'".into()),
        ("n simulation list_robots 5", "Invalid request syntax: parameters must be a JSON list".into()),
        ("n time sleep [\"long\"]", format!("{who}: wrong parameter type. `delay`: expected a number")),
        ("n time set_time_scale [0]", "time scale must be > 0".into()),
    ] {
        let id = request.split(' ').next().unwrap();
        assert_eq!(client.ask(request), format!("{id} FAILED {}", json::to_text(&Value::Text(error))), "{request}");
    }
    assert!(client.ask("s simulation list_robots notjson").contains("error while parsing the parameters: <notjson>"));
}

#[test]
fn what_is_false_in_python_has_no_place_in_a_reply() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    assert_eq!(client.ask("w walker.motion setdest [2.0, 2.0, 0.0]"), "w SUCCESS");
    assert_eq!(client.ask("w simulation set_object_visibility [\"wall\", false, true]"), "w SUCCESS");
    assert_eq!(client.ask("w simulation set_object_dynamics [\"wall\", true]"), "w SUCCESS true");
}

#[test]
fn details_say_what_clients_need_to_connect() {
    let served = serve(scene_of(SCENE), 1.0);
    let reply = served.client().ask("d simulation details");
    let details: serde_json::Value = serde_json::from_str(after_status(&reply)).unwrap();
    let walker = &details["robots"][0];
    assert_eq!(walker["name"], "walker");
    let motion = &walker["components"]["walker.motion"];
    assert_eq!(motion["stream_interfaces"][0][1], "IN");
    assert!(motion["services"].as_array().unwrap().iter().any(|service| service == "goto"));
    let slow = &walker["components"]["walker.slow"];
    assert_eq!(slow["stream_interfaces"][0][1], "OUT");
    assert!(slow.get("services").is_none(), "it has a stream only");
    assert!(details["environment"].is_string());
}

#[test]
fn tasks_end_are_preempted_and_can_be_cancelled() {
    let served = serve(scene_of(SCENE), 20.0);
    let mut client = served.client();
    client.say("g1 walker.motion goto [18.0, 18.0, 0.0, 0.1, 0.01]\n");
    let mut other = served.client();
    other.say("g1 walker.motion goto [2.0, 18.0, 0.0, 0.1, 0.01]\n");
    client.say("g2 walker.motion goto [2.0, 18.0, 0.0, 0.1, 0.01]\n");
    // By whoever came next.
    assert_eq!(client.line(), "g1 PREEMPTED");
    assert_eq!(client.ask("g2 cancel"), "g2 PREEMPTED");
    client.say("g2 cancel\nunknown cancel\n");
    assert_eq!(client.ask("m time mode"), "m SUCCESS \"Best Effort\"", "neither is answered");
    assert_eq!(client.ask("g3 walker.motion goto [3.0, 2.0, 0.0, 0.5, 1.0]"), "g3 SUCCESS \"Arrived\"");
    client.say("70 cancel\n70 walker.motion goto [18.0, 18.0, 0.0, 0.1, 0.1]\n");
    assert_eq!(client.line(), "70 PREEMPTED", "also when that comes first");
}

#[test]
fn any_number_sleep_and_each_can_be_woken() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut client = served.client();
    client.say("8 time sleep [0.2]\n9 time sleep [0.2]\n10 time sleep [1e9]\n");
    assert_eq!([client.line(), client.line()], ["8 SUCCESS", "9 SUCCESS"]);
    assert_eq!(client.ask("10 cancel"), "10 PREEMPTED");
    let mut gone = served.client();
    gone.say("1 time sleep [0.1]\n");
    drop(gone);
    served.is_alive("a client that left while it slept");
}

#[test]
fn robots_in_between_hide_others() {
    let text = SCENE.replace("(5.0, 8.0, 0.0)]", "(5.0, 8.0, 0.0), (5.0, 11.0, 0.0), (6.0, 8.0, 0.0)]");
    let served = serve(scene_of(&text), 1.0);
    let mut client = served.client();
    let mut sees =
        |one: &str, other: &str| client.ask(&format!("v communication distance_and_view [\"{one}\", \"{other}\"]"));
    assert_eq!(sees("m", "m_001"), "v SUCCESS [3.0, true]");
    assert_eq!(sees("m", "m_002"), "v SUCCESS [6.0, false]");
    assert_eq!(sees("m_003", "m_001"), "v SUCCESS [1.0, true]");
}

#[test]
fn objects_are_put_where_they_were() {
    let served = serve(scene_of(SCENE), 20.0);
    let mut client = served.client();
    assert_eq!(client.ask("p simulation set_object_position [\"m\", [9.0, 9.0, 0.0], [0.0, 0.0, 1.0]]"), "p SUCCESS");
    client.ask("s time sleep [0.2]");
    let moved = client.ask("o simulation get_scene_objects");
    assert!(moved.contains("\"m\": [{}, [9.0, 9.0, 0.0]"), "{moved}");
    let reply = client.ask("r simulation reset_objects");
    assert_eq!(reply, "r SUCCESS \"Objects restored to initial position\"");
    client.ask("s time sleep [0.2]");
    let back = client.ask("o simulation get_scene_objects");
    assert!(back.contains("\"m\": [{}, [5.0, 5.0, 0.0]") && back.contains("\"wall\""), "{back}");
}

#[test]
fn robots_stand_still_while_dynamics_are_suspended() {
    let served = serve(scene_of(SCENE), 20.0);
    let mut client = served.client();
    assert_eq!(client.ask("1 simulation suspend_dynamics"), "1 SUCCESS \"Physics is suspended\"");
    client.ask("2 m.vw set_speed [1.0, 0.0]");
    client.ask("3 time sleep [1.0]");
    assert!(client.ask("4 simulation get_scene_objects").contains("\"m\": [{}, [5.0, 5.0, 0.0]"));
    assert_eq!(client.ask("5 simulation restore_dynamics"), "5 SUCCESS \"Physics is resumed\"");
    client.ask("6 time sleep [1.0]");
    assert!(!client.ask("7 simulation get_scene_objects").contains("\"m\": [{}, [5.0, 5.0, 0.0]"));
    let edits = served.end().edits;
    assert!(edits.iter().any(|logged| logged.edit == Edit::Suspend { is_suspended: true }));
}

#[test]
fn requests_are_answered_while_time_is_slow() {
    // A step takes five seconds.
    let served = serve(scene_of(SCENE), 0.01);
    let mut client = served.client();
    for _ in 0..2000 {
        assert!(client.ask("1 time now").starts_with("1 SUCCESS"));
    }
    assert!(served.end().steps < 20);
}

#[test]
fn quitting_is_answered() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    assert_eq!(client.ask("q simulation quit"), "q SUCCESS");
    assert!(client.is_closed());
    assert!(served.end().has_quit);
}

#[test]
fn one_who_says_no_more_still_hears() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    client.say("1 time mode\n2 simulation list_robots\n");
    client.half_close();
    assert_eq!(client.line(), "1 SUCCESS \"Best Effort\"");
    assert!(client.line().starts_with("2 SUCCESS"));
    assert!(client.is_closed());
}

#[test]
fn one_who_says_no_more_still_hears_what_comes_later() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut client = served.client();
    client.say("1 time sleep [1.0]\n");
    client.half_close();
    assert_eq!(client.line(), "1 SUCCESS");
    assert!(client.is_closed());
}

#[test]
fn details_tell_of_overlays() {
    let overlays = r#"Overlay(name: "walker.pilot", services: [(name: "go", calls: "goto")]),
        Overlay(services: [(name: "where", calls: "get_status")])"#;
    let links = r#"Waypoint(name: "motion", links: [Stream(), Services()"#;
    let served = serve(scene_of(&SCENE.replace(links, &format!("{links}, {overlays}"))), 10.0);
    let mut client = served.client();
    let details: serde_json::Value = serde_json::from_str(after_status(&client.ask("d simulation details"))).unwrap();
    let components = &details["robots"][0]["components"];
    assert_eq!(components["walker.pilot"]["services"], serde_json::json!(["go"]));
    let own = components["walker.motion"]["services"].as_array().unwrap();
    assert!(["goto", "where"].iter().all(|name| own.iter().any(|service| service == name)));
    assert!(client.ask("g walker.pilot go [2.0, 2.0, 0.0]").starts_with("g SUCCESS"));
}

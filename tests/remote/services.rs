//! Requests and replies.

use std::collections::BTreeSet;
use std::io::BufRead as _;

use swarmarium_core::service::Value;
use swarmarium_remote::json;
use swarmarium_simulation::edit::Edit;

use super::{Client, SCENE, serve};
use crate::support::{scene, scene_of, text};

/// The answers of real MORSE, with clock values, ports and texts of documents taken for equal.
#[test]
fn service_replies_equal_those_of_morse_byte_for_byte() {
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
            "e" => assert_eq!(keys(&reply), keys(expected)),
            // All but the time, the sign of zero included.
            "y" => assert_eq!(reply.split_once(", ").unwrap().1, expected.split_once(", ").unwrap().1),
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

#[test]
fn negative_zero_is_printed_as_in_morse() {
    let sensors = r#"MotionOdometry(name: "diff", level: Differential, links: [Services()]), Constant(name: "fixed""#;
    let served = serve(scene_of(&SCENE.replacen(r#"Constant(name: "fixed""#, sensors, 1)), 0.01);
    let mut client = served.client();
    for request in
        ["1 walker.diff get_local_data", "1 walker.diff get_configurations", "1 simulation get_scene_objects"]
    {
        let reply = client.ask(request);
        assert!(reply.starts_with("1 SUCCESS {") && !reply.contains("-0.0"), "{reply}");
    }
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
fn error_replies_have_the_texts_of_python_and_morse() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    let who = "Socket service manager";
    for (request, error) in [
        ("p", "Malformed request! ".to_owned()),
        ("n nocomp noservice", format!("The request noservice has not been registered in {who}")),
        ("n time nwo", format!("The request nwo has not been registered in {who}; did you mean `now`?")),
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
fn falsy_results_are_left_out_of_replies() {
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
fn service_tasks_end_are_preempted_and_can_be_cancelled() {
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
    // This holds for any id, and after a later request.
    for id in ["12", "drive", "a-1"] {
        client.say(format!("{id} cancel\n{id} walker.motion goto [18.0, 18.0, 0.0, 0.1, 0.1]\n"));
        assert_eq!(client.line(), format!("{id} PREEMPTED"));
    }
    client.say("g3 cancel\ng3 walker.motion goto [3.0, 2.0, 0.0, 0.5, 1.0]\n");
    assert_eq!(client.line(), "g3 SUCCESS \"Arrived\"", "the first g3 had come to its end");
}

/// A client that reads answers and data in one loop, as pymorse does.
#[test]
fn replies_that_wait_for_a_step_follow_its_stream_data() {
    let sensor = r#"Constant(name: "fixed", values: [7.0], links: [Stream(), Services()])"#;
    let pose = r#"Pose(name: "pose", links: [Stream()])"#;
    let served = serve(scene_of(&SCENE.replace(sensor, pose).replace("dt_s: 0.05", "dt_s: 0.02")), 1.0);
    let (mut client, mut drive) = (served.client(), served.stream("m.vw"));
    let mut streams = [served.stream("m.pose"), served.stream("m_001.pose"), Client::of(served.all)];
    streams.iter_mut().for_each(|stream| drop(stream.line()));
    let mut now_s = |request: &str| -> f64 { after_status(&client.ask(request)).parse().unwrap_or_default() };
    for turn in 0..30 {
        drive.say(format!("{{\"v\": {}.0}}\n", turn % 2));
        let before_s = now_s("t time now");
        now_s("s time sleep [0.01]");
        for stream in &mut streams {
            let read_s = last_time_s(stream).unwrap_or_else(|| panic!("no data came before the answer"));
            assert!(read_s > before_s + 0.019, "the answer came before the data: {read_s} after {before_s}");
        }
    }
}

/// The time of the last data that came so far.
fn last_time_s(stream: &mut Client) -> Option<f64> {
    stream.0.get_ref().set_nonblocking(true).unwrap();
    let (mut last, mut line) = (String::new(), String::new());
    while stream.0.read_line(&mut line).is_ok_and(|read| read > 0) {
        last = std::mem::take(&mut line);
    }
    let Ok(Value::Map(fields)) = json::read(last.trim()) else { return None };
    let (_, time) = fields.iter().find(|(name, _)| ["timestamp", "time"].contains(&name.as_str()))?;
    time.number()
}

#[test]
fn several_sleeps_of_a_client_end_or_are_cancelled() {
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
fn robots_in_between_hide_others_from_camera_services() {
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
fn a_quit_request_is_answered() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    assert_eq!(client.ask("q simulation quit"), "q SUCCESS");
    assert!(client.is_closed());
    assert!(served.end().has_quit);
}

#[test]
fn a_half_closed_service_connection_still_gets_replies() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    client.say("1 time mode\n2 simulation list_robots\n");
    client.half_close();
    assert_eq!(client.line(), "1 SUCCESS \"Best Effort\"");
    assert!(client.line().starts_with("2 SUCCESS"));
    assert!(client.is_closed());
}

#[test]
fn a_half_closed_service_connection_gets_later_replies() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut client = served.client();
    client.say("1 time sleep [1.0]\n");
    client.half_close();
    assert_eq!(client.line(), "1 SUCCESS");
    assert!(client.is_closed());
}

#[test]
fn the_details_service_lists_overlays() {
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

/// pymorse looks for the components that hold others.
#[test]
fn names_with_dots_have_the_components_that_they_lie_in() {
    let scene = SCENE.replace("name: \"slow\"", "name: \"arm.hand.slow\"");
    let served = serve(scene_of(&scene), 10.0);
    let mut client = served.client();
    let details: serde_json::Value = serde_json::from_str(after_status(&client.ask("d simulation details"))).unwrap();
    let components = details["robots"][0]["components"].as_object().unwrap();
    let names: BTreeSet<&str> = components.keys().map(String::as_str).collect();
    let expected = ["walker.arm", "walker.arm.hand", "walker.arm.hand.slow", "walker.fixed", "walker.motion"];
    assert_eq!(names, BTreeSet::from(expected));
    assert_eq!(components["walker.arm"], serde_json::json!({"type": ""}));
    assert!(client.ask("l simulation list_streams").contains("walker.arm.hand.slow"));
    assert!(!served.stream("walker.arm.hand.slow").line().is_empty());
}

#[test]
fn the_mean_time_of_fixed_steps_is_the_real_time_between_them() {
    let text = SCENE.replace("dt_s: 0.05", "dt_s: 0.05, strategy: FixedStep");
    let served = serve(scene_of(&text), 1.0);
    let mut client = served.client();
    client.ask("s time sleep [2.0]");
    let statistics: serde_json::Value = serde_json::from_str(after_status(&client.ask("1 time statistics"))).unwrap();
    let mean_s = statistics["mean_time"].as_f64().unwrap();
    assert!((mean_s - 0.05).abs() < 0.01, "{statistics}");
    assert!(statistics["mean_step_time"].as_f64().unwrap() < mean_s && statistics["variance_time"].is_number());
}

#[test]
fn clients_send_and_receive_radio_messages() {
    let text = r#"(
        time: (dt_s: 0.05), sockets: (services: 4000, streams: 60000, all: 4001), arena: (size_m: (20.0, 20.0)),
        groups: [
            (
                name: "r", at: [(2.0, 2.0, 0.0), (5.0, 6.0, 0.0)], controller: External(),
                sensors: [RangeAndBearing(name: "rab", numbers: 2, links: [Stream(), Services()])],
                radio: (loss: Disc(range_m: 6.0), schedule: Periodic(period_s: 0.05), max_age_s: 1e6, situated: true),
            ),
            (name: "deaf", at: [(9.0, 9.0, 0.0)]),
        ],
    )"#;
    let served = serve(scene_of(text), 10.0);
    let mut client = served.client();
    assert_eq!(client.ask("1 communication get_messages [\"r\"]"), "1 SUCCESS");
    assert_eq!(client.ask("2 communication send_message [\"r_001\", [1.5, -2]]"), "2 SUCCESS");
    client.ask("3 time sleep [0.3]");
    let reply = client.ask("4 communication get_messages [\"r\"]");
    let Ok(Value::List(messages)) = json::read(after_status(&reply)) else { panic!("{reply}") };
    let [Value::Map(message)] = &messages[..] else { panic!("{reply}") };
    let field = |name: &str| &message.iter().find(|(known, _)| known == name).unwrap().1;
    assert_eq!(field("sender").text(), Some("r_001"));
    assert_eq!(*field("data"), Value::numbers([1.5, -2.0]));
    assert_eq!(field("range").number(), Some(5.0));
    assert!((field("bearing").number().unwrap() - swarmarium_base::math::atan2(4.0, 3.0)).abs() < 1e-12, "{reply}");
    assert!(field("age").number().unwrap() >= 0.3, "{reply}");
    // The sensor has the same, as a service and as a stream.
    let reply = client.ask("5 r.rab get_local_data");
    assert!(reply.contains("\"neighbours\": [{\"range\": 5.0, \"bearing\": 0.92"), "{reply}");
    assert!(reply.contains("\"data\": [1.5, -2.0]"), "{reply}");
    let streamed = served.stream("r.rab").line();
    assert!(streamed.contains("\"data\": [1.5, -2.0]"), "{streamed}");
    for (request, error) in [
        ("6 communication send_message [\"nobody\", [1]]", "6 FAILED \"nobody does not exist in the simulation \""),
        (
            "7 communication send_message [\"deaf\", [1]]",
            "7 FAILED \"agent 2 has no radio: its group needs a block `radio`\"",
        ),
        (
            "8 communication send_message [\"r\", 1]",
            "8 FAILED \"Socket service manager: wrong parameter type. `numbers`: expected a list of numbers\"",
        ),
    ] {
        assert_eq!(client.ask(request), error);
    }
    let after = served.end();
    let sent: Vec<_> = after.edits.iter().filter(|logged| matches!(logged.edit, Edit::Message { .. })).collect();
    assert_eq!(sent.len(), 1, "{sent:?}");
}

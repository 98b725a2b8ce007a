//! Data streams.

use std::time::{Duration, Instant};

use swarmarium_core::service::Value;
use swarmarium_remote::{Options, json};
use swarmarium_simulation::edit::Edit;

use super::{Client, PATIENCE, SCENE, serve, serve_with};
use crate::support::scene_of;

fn time_of(line: &str) -> f64 {
    let Ok(Value::Map(fields)) = json::read(line) else { panic!("{line}") };
    fields[0].1.number().unwrap()
}

#[test]
fn each_reading_is_streamed_once() {
    let served = serve(scene_of(SCENE), 10.0);
    for (name, period_s) in [("walker.fixed", 0.05), ("walker.slow", 0.2)] {
        let mut client = served.stream(name);
        let lines: Vec<String> = (0..20).map(|_| client.line()).collect();
        assert!(lines[0].starts_with("{\"timestamp\": ") && lines[0].contains("\"values\": ["), "{}", lines[0]);
        for pair in lines.windows(2) {
            assert!((time_of(&pair[1]) - time_of(&pair[0]) - period_s).abs() < 1e-6, "{pair:?}");
        }
    }
}

#[test]
fn an_actuator_stream_uses_the_last_message_and_keeps_missing_fields() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut stream = served.stream("m.vw");
    stream.say("{\"v\": 9.0}\nnot json\n[1, 2]\n\n{\"v\": \"fast\"}\n\u{1}\n{\"v\": 1.0, \"w\": 0.5}\n{\"w\": 0.0}");
    stream.say("\n");
    let mut client = served.client();
    let begin = Instant::now();
    while client.ask("o simulation get_scene_objects").contains("\"m\": [{}, [5.0, 5.0, 0.0]") {
        assert!(begin.elapsed() < PATIENCE);
    }
    client.ask("s time sleep [2.0]");
    let after = served.end();
    assert_eq!(after.notes.iter().filter(|note| note.contains("m.vw")).count(), 1, "told once: {:?}", after.notes);
    let fed: Vec<_> = after.edits.iter().filter(|logged| matches!(logged.edit, Edit::Feed { .. })).collect();
    let Some(Edit::Feed { component, fields }) = fed.last().map(|logged| &logged.edit) else { panic!("{fed:?}") };
    assert_eq!(component, "m.vw");
    assert!(fields.iter().any(|(name, value)| name == "w" && value.number() == Some(0.0)), "{fields:?}");
}

#[test]
fn the_combined_stream_has_all_data() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut all = Client::of(served.all);
    let (first, second) = (all.line(), all.line());
    assert!(first.starts_with("{\"step\": ") && first != second);
    assert!(first.contains("\"m_001.fixed\": {\"timestamp\": ") && !first.contains("m_001.vw"));
    all.say("{\"m.vw\": {\"v\": 1.0}, \"m_001.vw\": {\"v\": 0.0, \"w\": 1.0}, \"nobody\": {}}\n");
    let mut client = served.client();
    let begin = Instant::now();
    while client.ask("o simulation get_scene_objects").contains("\"m\": [{}, [5.0, 5.0, 0.0]") {
        assert!(begin.elapsed() < PATIENCE);
    }
    assert!(served.end().notes.iter().any(|note| note.contains("nobody")));
}

#[test]
fn a_slow_stream_client_loses_whole_messages_and_delays_no_step() {
    let text = SCENE.replace("values: [1.5, 2.0]", &format!("values: [{}]", ["1.25"; 400].join(", ")));
    let served = serve(scene_of(&text), 1e6);
    let (mut slow, mut fast) = (served.stream("walker.fixed"), served.stream("walker.fixed"));
    let begin = Instant::now();
    let mut heard = 0;
    // Far more than fits into all buffers on the way.
    while heard < 20_000 && begin.elapsed() < PATIENCE {
        fast.line();
        heard += 1;
    }
    assert!(heard > 1000, "{heard}");
    served.is_alive("a client that does not read");
    for _ in 0..200 {
        let line = slow.line();
        assert!(json::read(&line).is_ok(), "{line}");
    }
}

#[test]
fn a_half_closed_stream_connection_is_sent_data_until_it_closes() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut readers = [served.stream("walker.fixed"), Client::of(served.all)];
    for reader in &mut readers {
        reader.half_close();
        (0..100).for_each(|_| drop(reader.line()));
    }
    // Many readers that never close do not use up all connections.
    let port = served.client().ask("p simulation get_stream_port [\"m.fixed\"]");
    let port = port.rsplit(' ').next().unwrap().parse().unwrap();
    let mut open: Vec<Client> = (0..300).map(|_| Client::of(port)).collect();
    open.iter().for_each(Client::half_close);
    let is_let_go = |client: &mut Client| {
        client.0.get_ref().set_nonblocking(true).unwrap();
        std::io::Read::read_to_end(&mut client.0, &mut Vec::new()).is_ok()
    };
    let begin = Instant::now();
    // The first two are the oldest.
    while open.len() > 256 {
        open.retain_mut(|client| !is_let_go(client));
        assert!(begin.elapsed() < PATIENCE, "{} are still there", open.len());
    }
    assert_eq!(open.len(), 256);
    served.is_alive("readers that say no more");
    // An actuator's stream has nothing to send.
    let mut stream = served.stream("m.vw");
    stream.half_close();
    assert!(stream.is_closed());
}

#[test]
fn streams_are_opened_when_they_are_asked_for_or_named() {
    let served = serve(scene_of(SCENE), 1.0);
    let mut client = served.client();
    let once = client.ask("1 simulation get_stream_port [\"m.fixed\"]");
    assert_eq!(client.ask("1 simulation get_stream_port [\"m.fixed\"]"), once);
    assert_eq!(client.ask("1 simulation list_streams").matches('.').count(), 7);
    let all = client.ask("1 simulation get_all_stream_ports");
    assert!(all.contains(once.rsplit(' ').next().unwrap()));
}

#[test]
fn a_deactivated_component_streams_nothing() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut client = served.client();
    let mut stream = served.stream("m.fixed");
    stream.line();
    assert_eq!(client.ask("1 simulation deactivate [\"m.fixed\"]"), "1 SUCCESS");
    client.ask("2 time sleep [0.5]");
    stream.0.get_ref().set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    // Messages on their way, and then nothing.
    let mut line = String::new();
    let sent = (0..10_000).take_while(|_| std::io::BufRead::read_line(&mut stream.0, &mut line).is_ok()).count();
    assert!(sent < 10_000);
    stream.0.get_ref().set_read_timeout(Some(PATIENCE)).unwrap();
    assert_eq!(client.ask("3 simulation activate [\"m.fixed\"]"), "3 SUCCESS");
    stream.line();
}

#[test]
fn a_client_with_a_token_is_read_after_it() {
    let token = "a-token-for-tests";
    let options = Options { port: Some(0), token: Some(token.into()), always: true, ..Options::default() };
    let served = serve_with(scene_of(SCENE), 10.0, options);
    for wrong in ["token wrong\n1 time mode\n", "1 time mode\n", "token a-token-for-test\n", "token \n"] {
        let mut client = Client::of(served.services);
        client.say(wrong);
        assert!(client.is_closed(), "{wrong}");
    }
    let mut client = Client::of(served.services);
    assert_eq!(client.ask(&format!("token {token}\n1 time mode")), "1 SUCCESS \"Best Effort\"");
    let mut all = Client::of(served.all);
    all.say(format!("token {token}\n"));
    assert!(all.line().starts_with("{\"step\""));
}

/// As the socket examples of MORSE do it: the client knows the port, and asks no service for it.
#[test]
fn the_ports_of_streams_accept_before_anyone_asks_for_them() {
    let free = || std::net::TcpListener::bind(("127.0.0.1", 0)).unwrap().local_addr().unwrap().port();
    let (services, streams) = (free(), free());
    let sockets = format!("services: {services}, streams: {streams}, all: 0");
    let scene = scene_of(&SCENE.replace("services: 4000, streams: 60000, all: 4001", &sockets));
    let served = serve_with(scene, 10.0, Options { always: true, ..Options::default() });
    // Three components of the walker and a sensor come first.
    let mut stream = Client::of(streams + 4);
    stream.say("{\"v\": 1.0, \"w\": 0.0}\n");
    let mut client = served.client();
    let begin = Instant::now();
    while client.ask("o simulation get_scene_objects").contains("\"m\": [{}, [5.0, 5.0, 0.0]") {
        assert!(begin.elapsed() < PATIENCE);
    }
}

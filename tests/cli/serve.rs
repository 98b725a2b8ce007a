//! `serve`: what it says, and the folder that it writes.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::TcpStream;
use std::process::{Command, Stdio};
use std::time::Duration;

use super::Place;

const SCENE: &str = r#"(
    seed: 3, sockets: (services: 4000, streams: 60000),
    groups: [(
        name: "m", at: [(5.0, 5.0, 0.0)], motion: Holonomic(),
        controller: External(actuators: [MotionVw(name: "vw", links: [Stream(), Services()])]),
    )],
)"#;

#[test]
fn serve_prints_the_lines_that_test_harnesses_wait_for() {
    let place = Place::new();
    let said = place.expect(0, "serve milling --port 0 --steps 20 --speed max");
    assert_eq!(said.stdout, "SCENE INITIALIZED\nEXITING SIMULATION\n");
    assert!(said.stderr.contains("The scene has no `sockets`") && said.stderr.contains("services on port "));
    assert!(place.expect(0, "serve milling --port 0 --steps 1 --speed max --quiet").stderr.is_empty());
    let listening = place.expect(0, "serve milling --port 0 --steps 1 --speed max --quiet --listen 0.0.0.0");
    assert!(listening.stderr.contains("clients must first send: token "), "{}", listening.stderr);
    place.expect(2, "serve milling --token short");
}

#[test]
fn edits_of_served_clients_replay_to_the_same_run() {
    let place = Place::new();
    place.write("s.ron", SCENE);
    let mut command = place.command("serve s.ron --port 0 --speed max -o led");
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut out = BufReader::new(child.stdout.take().unwrap());
    let mut said = BufReader::new(child.stderr.take().unwrap());
    let mut line = String::new();
    let port: u16 = loop {
        line.clear();
        assert!(said.read_line(&mut line).unwrap() > 0, "no port was told");
        if let Some(port) = line.trim().strip_prefix("services on port ") {
            break port.parse().unwrap();
        }
    };
    line.clear();
    out.read_line(&mut line).unwrap();
    assert_eq!(line, "SCENE INITIALIZED\n");
    let mut client = TcpStream::connect(("127.0.0.1", port)).unwrap();
    client.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    client.write_all(b"1 m.vw set_speed [0.5, 0.3]\n2 time sleep [1.0]\n3 simulation suspend_dynamics\n").unwrap();
    let mut replies = BufReader::new(client.try_clone().unwrap());
    for _ in 0..3 {
        line.clear();
        replies.read_line(&mut line).unwrap();
        assert!(line.contains(" SUCCESS"), "{line}");
    }
    client.write_all(b"4 time sleep [0.2]\n").unwrap();
    line.clear();
    replies.read_line(&mut line).unwrap();
    client.write_all(b"5 simulation quit\n").unwrap();
    let mut rest = String::new();
    out.read_to_string(&mut rest).unwrap();
    assert_eq!(rest, "EXITING SIMULATION\n");
    assert_eq!(child.wait().unwrap().code(), Some(0));

    let manifest = place.json("led/manifest.json");
    let edits = place.read("led/edits.ron");
    assert!(edits.contains("set_speed") && edits.contains("Suspend"), "{edits}");
    place.expect(0, &format!("run s.ron --steps {} --edits led/edits.ron -o again --quiet", manifest["steps"]));
    assert_eq!(place.json("again/manifest.json")["final_state_hash"], manifest["final_state_hash"]);
}

/// The example of `docs/guides/from-robotswarmsimulator.md`, whose program it shows; where there is a Python.
#[test]
fn a_remote_program_replaces_a_controller_class_in_python() {
    let file = |name: &str| format!("{}/docs/{name}", env!("CARGO_MANIFEST_DIR"));
    let [page, program] = ["guides/from-robotswarmsimulator.md", "examples/own_classes.py"]
        .map(|name| std::fs::read_to_string(file(name)).unwrap());
    let shown = page.split("```python\n").nth(1).and_then(|rest| rest.split("```").next()).unwrap();
    assert!(program.contains(shown), "the page shows what the example does not have:\n{shown}");
    if Command::new("python3").arg("--version").output().is_err() {
        eprintln!("Skipped: there is no python3.");
        return;
    }
    let place = Place::new();
    let world = file("examples/own_classes.yaml");
    let mut command = place.command(&format!("serve {world} --port 0 --speed max -o led"));
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let said = BufReader::new(child.stderr.take().unwrap());
    let mut ports = std::collections::HashMap::new();
    for line in said.lines().map_while(Result::ok) {
        if let Some((what, port)) = line.trim().rsplit_once(" on port ") {
            ports.insert(what.to_owned(), port.to_owned());
        }
        if ports.len() == 3 {
            break;
        }
    }
    let ports = ["services", "all data", "tokens"].map(|what| ports[what].clone());
    let mut python = Command::new("python3");
    python.arg(file("examples/own_classes.py")).arg("200").args(&ports);
    let output = python.output().unwrap();
    let told = String::from_utf8(output.stdout).unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    assert!(told.starts_with("6 robots are at most 0."), "{told}");
    let mut client = TcpStream::connect(("127.0.0.1", ports[0].parse().unwrap())).unwrap();
    client.write_all(b"1 simulation quit\n").unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    let manifest = place.json("led/manifest.json");
    place.expect(0, &format!("run {world} --steps {} --edits led/edits.ron -o again --quiet", manifest["steps"]));
    assert_eq!(place.json("again/manifest.json")["final_state_hash"], manifest["final_state_hash"]);
}

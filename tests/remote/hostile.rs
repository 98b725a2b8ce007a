//! Clients that mean harm, or know no better: none of them ends the program, and none slows the others.

use std::fs;
use std::io::Write as _;
use std::net::TcpStream;
use std::path::Path;
use std::time::{Duration, Instant};

use swarmarium_remote::line::{self, Line};

use super::{Client, SCENE, serve};
use crate::support::scene_of;

#[path = "../fuzz/line.rs"]
mod probe;

/// All that ended MORSE, and more.
const LINES: [&[u8]; 12] = [
    b"id1 simulation list_ro",
    b"id1 simulation\n",
    b"\n",
    b"id1 simulation list_robots 5\n",
    b"id1 simulation list_robots {\"a\":1}\n",
    b"\xff\xfe simulation list_robots\n",
    b"id1 walker.motion goto [\"a\", 0, 0]\n",
    b"id1 walker.motion goto [1e999, NaN, -Infinity]\n",
    b"id1 walker.motion set_property [null, [[[]]]]\n",
    b"id1 simulation set_object_position [\"m\", [1e300, 0, 0], \"x\"]\n",
    b"\0\0\0\0\n\n\n\0",
    b"token x\nstep 1\nstep\n",
];

const COMMANDS: [&[u8]; 9] = [
    b"{\"v\": 0.0}\n",
    b"{\"v\": 1.0,}\n",
    b"{\"v\": 1.0",
    b"{\"v\": \"fast\", \"w\": 0}\n",
    b"[1,2]\n",
    b"\xff\xff\n",
    b"{\"v\": NaN, \"w\": 1e308}\n",
    b"{}\n",
    b"\0\n",
];

#[test]
fn requests_that_crashed_morse_are_survived() {
    let served = serve(scene_of(SCENE), 10.0);
    let stream = served.stream("m.vw");
    let stream_port = stream.0.get_ref().peer_addr().unwrap().port();
    for (port, lines) in
        [(served.services, &LINES[..]), (stream_port, &COMMANDS), (served.all, &COMMANDS), (served.all, &LINES)]
    {
        for line in lines {
            let mut client = Client::of(port);
            client.say(line);
            drop(client);
            served.is_alive(&String::from_utf8_lossy(line));
        }
    }
}

#[test]
fn http_requests_are_refused_on_every_port() {
    let served = serve(scene_of(SCENE), 10.0);
    let stream = served.stream("m.vw").0.get_ref().peer_addr().unwrap().port();
    for port in [served.services, served.all, stream] {
        for begin in
            [&b"GET / HTTP/1.1\r\n\r\n"[..], b"POST /x HTTP/1.1\r\n\r\n1 simulation quit\n", b"\x16\x03\x01\x02\0\x01"]
        {
            let mut client = Client::of(port);
            client.say(begin);
            assert!(client.is_closed());
        }
    }
    served.is_alive("browsers");
    assert!(served.end().notes.iter().any(|note| note.contains("browser")));
}

#[test]
fn a_request_line_that_is_too_long_is_refused() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut client = served.client();
    let line = format!("long simulation get_stream_port [\"{}\"]\n", "a".repeat(1 << 20));
    // It may be closed before all was said.
    let _ = client.0.get_mut().write_all(line.as_bytes());
    assert!(client.line().starts_with("long FAILED \"Malformed request! a line has at most"));
    assert!(client.is_closed());
    let mut client = served.client();
    let line = format!("long simulation get_stream_port [\"{}\"]", "a".repeat(100_000));
    assert!(client.ask(&line).starts_with("long FAILED \"Stream unavailable"));
    let mut all = Client::of(served.all);
    let _ = all.0.get_mut().write_all("x".repeat(1 << 20).as_bytes());
    assert!(all.is_closed());
    served.is_alive("long lines");
}

#[test]
fn a_client_that_never_reads_replies_is_no_longer_read() {
    let served = serve(scene_of(SCENE), 10.0);
    // Answers at once, and those that come later: of tasks that make room for the next one, and of sleep.
    let id = "x".repeat(2000);
    for request in ["simulation details", "walker.motion goto [1.0, 1.0, 0.0]", "time sleep [0]"] {
        let client = served.client();
        let mut stream: TcpStream = client.0.get_ref().try_clone().unwrap();
        stream.set_nonblocking(true).unwrap();
        assert!(is_read_no_further(&mut stream, &format!("{id} {request}\n").repeat(100)), "{request}");
        served.is_alive("a flood");
        drop((client, stream));
        served.is_alive("the end of a flood");
    }
}

/// Whether nothing more is taken from a client for a second, at some time.
fn is_read_no_further(stream: &mut TcpStream, lines: &str) -> bool {
    let (begin, mut last, mut rest) = (Instant::now(), Instant::now(), lines.as_bytes());
    while begin.elapsed() < super::PATIENCE {
        match stream.write(rest) {
            Ok(bytes) => {
                rest = if bytes < rest.len() { &rest[bytes..] } else { lines.as_bytes() };
                last = Instant::now();
            }
            Err(_) if last.elapsed() > Duration::from_secs(1) => return true,
            Err(_) => std::thread::sleep(Duration::from_millis(1)),
        }
    }
    false
}

#[test]
fn a_thousand_clients_connect_and_disconnect() {
    let served = serve(scene_of(SCENE), 10.0);
    let mut clients: Vec<Client> = Vec::new();
    for _ in 0..1000 {
        // The system may have fewer for this test, which has as many at the other end.
        let Ok(stream) = TcpStream::connect(("127.0.0.1", served.services)) else { break };
        drop(stream.set_read_timeout(Some(super::PATIENCE)));
        clients.push(Client(std::io::BufReader::new(stream)));
    }
    assert!(clients.len() > 300, "{}", clients.len());
    for client in clients.iter_mut().step_by(100) {
        client.say("1 time mode\n");
        // Where there are too many for the system, some are sent away.
        drop(client.hear());
    }
    drop(clients);
    let begin = Instant::now();
    loop {
        let mut client = served.client();
        client.say("1 time mode\n");
        if client.hear().is_some() {
            break;
        }
        assert!(begin.elapsed() < super::PATIENCE);
    }
}

fn corpus() -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/fuzz/line");
    let mut files: Vec<_> = fs::read_dir(folder).unwrap().map(|file| file.unwrap().path()).collect();
    files.sort();
    assert!(files.len() > 5);
    files.iter().map(|file| fs::read(file).unwrap()).collect()
}

#[test]
fn fuzzing_finds_in_socket_lines_stay_fixed() {
    corpus().iter().for_each(|line| probe::probe(line));
}

/// Lines of a corpus with bytes that are dropped, doubled and taken from one another.
#[test]
fn mutated_socket_lines_are_read_or_refused() {
    let all = corpus();
    let mut state = 1_u64;
    let mut draw = |below: usize| {
        state = state.wrapping_mul(0xDA94_2042_E4DD_58B5).wrapping_add(1);
        (state >> 33) as usize % below.max(1)
    };
    let rounds = std::env::var("FUZZ_ROUNDS").ok().and_then(|rounds| rounds.parse().ok()).unwrap_or(3000);
    for round in 0..rounds {
        let mut line = all[round % all.len()].clone();
        for _ in 0..1 + draw(4) {
            let (at, from) = (draw(line.len()), &all[draw(all.len())]);
            match draw(4) {
                _ if line.is_empty() || from.is_empty() => {}
                0 => drop(line.remove(at)),
                1 => line.insert(at, line[at]),
                2 => line[at] = draw(256) as u8,
                _ => {
                    let begin = draw(from.len());
                    let end = begin + draw(from.len() - begin);
                    line.splice(at..at, from[begin..end].iter().copied());
                }
            }
        }
        probe::probe(&line);
    }
}

#[test]
fn parsed_requests_have_the_id_and_number_of_arguments_of_their_text() {
    let Line::Request(request) = line::read(b"7 a.b c [1, \"x\"]") else { panic!() };
    assert_eq!(request.id.as_str(), "7");
    assert_eq!(request.arguments.len(), 2);
}

//! Sockets as clients have them: real ones, on any free ports. Nothing depends on time but for generous limits.

use std::io::{BufRead as _, BufReader, ErrorKind, Read as _, Write as _};
use std::net::{Shutdown, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use swarmarium_formats::standard::Standard as _;
use swarmarium_host::clock::Host;
use swarmarium_remote::{Options, Remote};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::Recipe;
use swarmarium_simulation::edit::LoggedEdit;

use crate::support::scene_of;

mod hostile;
mod services;
mod steps;
mod streams;

/// A limit that a busy machine keeps too.
const PATIENCE: Duration = Duration::from_secs(30);

/// Robots that are led from outside: one that goes where it is sent, and some that drive as they are told.
const SCENE: &str = r#"(
    seed: 3, time: (dt_s: 0.05), sockets: (services: 4000, streams: 60000, all: 4001),
    arena: (size_m: (20.0, 20.0), boundary: Open),
    groups: [
        (
            name: "walker", at: [(2.0, 2.0, 0.0)], motion: Holonomic(),
            sensors: [
                Constant(name: "fixed", values: [1.5, 2.0], links: [Stream(), Services()]),
                Constant(name: "slow", values: [1.0], rate_hz: 5.0, links: [Stream()]),
            ],
            controller: External(actuators: [Waypoint(name: "motion", links: [Stream(), Services()])]),
        ),
        (
            name: "m", at: [(5.0, 5.0, 0.0), (5.0, 8.0, 0.0)], motion: Holonomic(),
            sensors: [Constant(name: "fixed", values: [7.0], links: [Stream(), Services()])],
            controller: External(actuators: [MotionVw(name: "vw", links: [Stream(), Services()])]),
        ),
    ],
    objects: [Polygon(name: "wall", corners_m: [(5.5, 6.0), (6.5, 6.0), (6.5, 7.0), (5.5, 7.0)])],
)"#;

/// The same with tokens for steps.
fn in_lock_step(min_clients: u32) -> Scene {
    let pacing = format!("dt_s: 0.05, pacing: External(port: 5000, min_clients: {min_clients})");
    scene_of(&SCENE.replace("dt_s: 0.05", &pacing))
}

/// A scene that is served on a thread of its own.
struct Served {
    services: u16,
    all: u16,
    sync: Option<u16>,
    ended: Arc<AtomicBool>,
    thread: Option<JoinHandle<After>>,
}

/// The result of the session.
struct After {
    steps: u64,
    hash: u64,
    edits: Vec<LoggedEdit>,
    notes: Vec<String>,
    has_quit: bool,
}

/// Serves a scene at a time scale.
fn serve(scene: Scene, scale: f64) -> Served {
    serve_with(scene, scale, Options { port: Some(0), always: true, ..Options::default() })
}

fn serve_with(scene: Scene, scale: f64, options: Options) -> Served {
    let ended = Arc::new(AtomicBool::new(false));
    let (told, ports) = mpsc::channel();
    let asked = ended.clone();
    let thread = thread::spawn(move || {
        let mut host = Host::new(&scene, &Recipe::standard(), 1).unwrap();
        host.clock_mut().set_scale(scale);
        let mut remote = Remote::open(host.simulation(), &options, || {}).unwrap().unwrap();
        told.send((remote.services_port(), remote.all_port(), remote.sync_port())).unwrap();
        let mut last = Instant::now();
        while !asked.load(Ordering::SeqCst) && !remote.has_quit() {
            let now = Instant::now();
            let steps = remote.advance(&mut host, (now - last).as_secs_f64(), |_| {});
            last = now;
            if steps == 0 {
                remote.wait(Duration::from_secs_f64(remote.next_s(&host).unwrap_or(1.0).min(0.02)));
            }
        }
        let (notes, has_quit) = (remote.notes(), remote.has_quit());
        drop(remote);
        let simulation = host.simulation();
        After {
            steps: simulation.steps(),
            hash: simulation.hash().0,
            edits: simulation.edits().to_vec(),
            notes,
            has_quit,
        }
    });
    let (services, all, sync) = ports.recv_timeout(PATIENCE).unwrap();
    Served { services: services.unwrap(), all: all.unwrap_or(0), sync, ended, thread: Some(thread) }
}

impl Served {
    fn client(&self) -> Client {
        Client::of(self.services)
    }

    /// A client of the stream of a component.
    fn stream(&self, component: &str) -> Client {
        let port = self.client().ask(&format!("port simulation get_stream_port [\"{component}\"]"));
        Client::of(port.strip_prefix("port SUCCESS ").unwrap_or_else(|| panic!("{port}")).parse().unwrap())
    }

    /// Ends it; what there is to know.
    fn end(mut self) -> After {
        self.ended.store(true, Ordering::SeqCst);
        self.thread.take().unwrap().join().unwrap()
    }

    /// Whether it still answers.
    #[track_caller]
    fn is_alive(&self, after: &str) {
        assert_eq!(self.client().ask("z time mode"), "z SUCCESS \"Best Effort\"", "after {after}");
    }
}

impl Drop for Served {
    fn drop(&mut self) {
        self.ended.store(true, Ordering::SeqCst);
        if let Some(thread) = self.thread.take() {
            drop(thread.join());
        }
    }
}

/// A plain client.
struct Client(BufReader<TcpStream>);

impl Client {
    fn of(port: u16) -> Self {
        let stream = TcpStream::connect(("127.0.0.1", port)).unwrap();
        stream.set_read_timeout(Some(PATIENCE)).unwrap();
        stream.set_write_timeout(Some(PATIENCE)).unwrap();
        stream.set_nodelay(true).unwrap();
        Self(BufReader::new(stream))
    }

    fn say(&mut self, text: impl AsRef<[u8]>) {
        self.0.get_mut().write_all(text.as_ref()).unwrap();
    }

    /// The next line, without its end; nothing when the other side closed.
    fn hear(&mut self) -> Option<String> {
        let mut line = String::new();
        match self.0.read_line(&mut line) {
            Ok(0) => None,
            Ok(_) => Some(line.trim_end_matches('\n').to_owned()),
            Err(error) if error.kind() == ErrorKind::ConnectionReset => None,
            Err(error) => panic!("{error}"),
        }
    }

    #[track_caller]
    fn line(&mut self) -> String {
        self.hear().unwrap_or_else(|| panic!("the other side closed"))
    }

    #[track_caller]
    fn ask(&mut self, request: &str) -> String {
        self.say(format!("{request}\n"));
        self.line()
    }

    /// Waits until the other side closes.
    fn is_closed(&mut self) -> bool {
        let mut rest = Vec::new();
        !matches!(self.0.read_to_end(&mut rest), Err(error) if error.kind() == ErrorKind::WouldBlock)
    }

    fn half_close(&self) {
        self.0.get_ref().shutdown(Shutdown::Write).unwrap();
    }
}

//! The listening thread: it accepts clients, reads their lines and writes messages to them.
//!
//! The thread knows nothing of simulations. Each client has a task that reads no faster than the host serves: a line takes a
//! permit, which the host returns when it has processed the line. Messages to a client wait in a queue of whole messages.

use std::collections::BTreeMap;
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, mpsc};
use std::thread::JoinHandle;
use std::time::Duration;

use tokio::net::TcpListener as AsyncListener;
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

mod connection;
mod input;
mod notes;
mod outbox;

use connection::Connection;
use notes::Notes;
pub use outbox::Outbox;

/// The largest number of clients at one time; the system may allow fewer.
const MAX_CLIENTS: usize = 4096;
/// The number of files that are kept for everything else.
const OTHER_FILES: u64 = 64;
/// The time that clients have to read their last messages when the server closes.
const FAREWELL: Duration = Duration::from_secs(1);

/// The purpose of a port.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Endpoint {
    /// Requests and replies.
    Services,
    /// The data stream of a component, by its name.
    Stream(Arc<str>),
    /// The data of all components.
    All,
    /// Tokens for steps.
    Sync,
}

/// A permit for a place in a queue. Dropping the permit frees the place.
pub type Permit = Option<OwnedSemaphorePermit>;

/// An event of a client.
#[derive(Debug)]
pub struct Event {
    /// The number of the connection. Connections are counted from 1.
    pub client: u64,
    /// The event.
    pub kind: EventKind,
    /// The permit of the event. It is dropped when the event is processed.
    pub permit: Permit,
}

/// The kinds of events of a client.
#[derive(Debug)]
pub enum EventKind {
    /// The client connected to an endpoint. Messages to the client go into the outbox.
    Connected(Endpoint, Outbox),
    /// The client sent a line.
    Line(Vec<u8>),
    /// The client sent one token for a step, which may be any bytes.
    Token,
    /// The client shut down its side for writing. It may still read.
    HalfClosed,
    /// The connection is closed.
    Disconnected,
    /// The client read so much of its backlog that it may be sent more.
    Drained,
}

/// A command for the listening thread.
enum Command {
    Listen { endpoint: Endpoint, listener: TcpListener },
    Close(Endpoint),
}

/// The handle of the listening thread.
pub struct Server {
    commands: Option<UnboundedSender<Command>>,
    events: mpsc::Receiver<Event>,
    /// The event that ended the last call of [`wait`](Self::wait).
    next_event: Option<Event>,
    thread: Option<JoinHandle<()>>,
    address: IpAddr,
    /// Notes on clients for the user.
    pub notes: Notes,
}

/// The data that all tasks of the thread share.
struct Hub {
    events: mpsc::Sender<Event>,
    wake: Box<dyn Fn() + Send + Sync>,
    token: Option<String>,
    /// Permits for connections: one for each client that the host knows.
    connection_permits: Arc<Semaphore>,
    /// The number of connections so far.
    connections: AtomicU64,
    /// The number of running tasks of clients.
    tasks: AtomicUsize,
    notes: Notes,
    closing: watch::Receiver<bool>,
}

impl Server {
    /// Starts the thread. `wake` is called after each event of a client.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(address: IpAddr, token: Option<String>, wake: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        // Each client and each port is a file. Where the limit cannot be raised, fewer clients are served.
        let files = rlimit::increase_nofile_limit(1 << 20).unwrap_or(1024);
        let max_clients =
            usize::try_from(files.saturating_sub(OTHER_FILES) / 2).unwrap_or(MAX_CLIENTS).clamp(8, MAX_CLIENTS);
        let (commands, received_commands) = unbounded_channel();
        let (sender, events) = mpsc::channel();
        let (close, closing) = watch::channel(false);
        let notes = Notes::default();
        let hub = Arc::new(Hub {
            events: sender,
            wake: Box::new(wake),
            token,
            connection_permits: Arc::new(Semaphore::new(max_clients)),
            connections: AtomicU64::new(0),
            tasks: AtomicUsize::new(0),
            notes: notes.clone(),
            closing,
        });
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let work = move || runtime.block_on(listen_all(received_commands, hub, close));
        let thread = std::thread::Builder::new().name("sockets".into()).spawn(work)?;
        Ok(Self { commands: Some(commands), events, next_event: None, thread: Some(thread), address, notes })
    }

    /// Opens a port for clients, or any free port for 0, and returns the number of the port.
    ///
    /// # Errors
    /// When the port is already in use, or the system has no file left.
    pub fn open(&self, endpoint: Endpoint, port: u16) -> io::Result<u16> {
        let listener = TcpListener::bind(SocketAddr::new(self.address, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        if let Some(commands) = &self.commands {
            // The thread runs as long as this handle exists.
            let _ = commands.send(Command::Listen { endpoint, listener });
        }
        Ok(port)
    }

    /// Closes a port to new clients.
    pub fn close(&self, endpoint: Endpoint) {
        if let Some(commands) = &self.commands {
            let _ = commands.send(Command::Close(endpoint));
        }
    }

    /// Takes the next event; `None` when no event waits.
    pub fn next(&mut self) -> Option<Event> {
        self.next_event.take().or_else(|| self.events.try_recv().ok())
    }

    /// Waits for an event, at most for the given time.
    pub fn wait(&mut self, at_most: Duration) {
        if self.next_event.is_none() {
            self.next_event = self.events.recv_timeout(at_most).ok();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.commands = None;
        // Dropping the events closes the connections that the host has not accepted yet.
        self.next_event = None;
        while self.events.try_recv().is_ok() {}
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was reported when it happened.
            let _ = thread.join();
        }
    }
}

/// Listens at all endpoints until the handle of the thread is dropped; then lets clients read their last messages.
async fn listen_all(mut commands: UnboundedReceiver<Command>, hub: Arc<Hub>, close: watch::Sender<bool>) {
    let mut listeners: BTreeMap<Endpoint, AbortHandle> = BTreeMap::new();
    while let Some(command) = commands.recv().await {
        let old = match command {
            Command::Listen { endpoint, listener } => match AsyncListener::from_std(listener) {
                Ok(listener) => {
                    let task = tokio::spawn(accept_all(endpoint.clone(), listener, hub.clone()));
                    listeners.insert(endpoint, task.abort_handle())
                }
                Err(error) => {
                    hub.notes.add(format!("a port cannot be listened at: {error}"));
                    None
                }
            },
            Command::Close(endpoint) => listeners.remove(&endpoint),
        };
        if let Some(old) = old {
            old.abort();
        }
    }
    listeners.into_values().for_each(|listener| listener.abort());
    let _ = close.send(true);
    let all_ended = async {
        while hub.tasks.load(Ordering::Relaxed) > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let _ = timeout(FAREWELL, all_ended).await;
}

/// Accepts the clients of an endpoint.
async fn accept_all(endpoint: Endpoint, listener: AsyncListener, hub: Arc<Hub>) {
    loop {
        match listener.accept().await {
            Ok((stream, peer)) => match hub.connection_permits.clone().try_acquire_owned() {
                Ok(permit) => {
                    let number = hub.connections.fetch_add(1, Ordering::Relaxed) + 1;
                    hub.tasks.fetch_add(1, Ordering::Relaxed);
                    let connection = Connection { number, endpoint: endpoint.clone(), peer, hub: hub.clone() };
                    tokio::spawn(connection.serve(stream, permit));
                }
                Err(_) => hub.notes.add(format!("{peer} was sent away: there are too many clients")),
            },
            // For example, no file is left, or the client closed the connection before it was accepted.
            Err(error) => {
                hub.notes.add(format!("a client cannot be let in: {error}"));
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

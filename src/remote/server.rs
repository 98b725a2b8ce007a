//! The thread that listens: it accepts clients, reads their lines and writes what they are sent.
//!
//! It knows nothing of simulations. A task per client reads no faster than the host serves: each line takes room that is
//! given back when the line was dealt with. What is written waits in a queue of whole messages.

use std::collections::{BTreeMap, VecDeque};
use std::io;
use std::net::{IpAddr, SocketAddr, TcpListener};
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError, mpsc};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

use tokio::io::{AsyncReadExt as _, AsyncWriteExt as _};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener as AsyncListener, TcpStream};
use tokio::runtime::Builder;
use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore, watch};
use tokio::task::AbortHandle;
use tokio::time::{sleep, timeout};

use super::line;
use super::token::same;

/// The longest line that is taken, in bytes.
pub const MAX_LINE: usize = 256 * 1024;
/// The most clients at one time; the system may allow fewer.
const MAX_CLIENTS: usize = 4096;
/// Files that are kept for all else.
const OTHER_FILES: u64 = 64;
/// How many pieces of lines of one client may wait for the host, and the size of a piece.
const MAX_PIECES: usize = 64;
const PIECE: usize = 4096;
/// What waits to be written to one client, in bytes, beyond which messages of streams are left out.
const MAX_BACKLOG: usize = 1 << 20;
/// How long a client may take to say its token, and one that leaves to take what it is still sent.
const PATIENCE: Duration = Duration::from_secs(5);
/// How long clients may take when all is closed.
const FAREWELL: Duration = Duration::from_secs(1);
/// How long the rest of a word may take at the door for tokens.
const WHOLE_WORD: Duration = Duration::from_millis(100);
/// The delay between the data of a step and the answers to requests that waited for the step: clients that read data
/// and answers in one loop, as pymorse does, then read the data first.
const DATA_FIRST: Duration = Duration::from_millis(1);
/// The most notes that wait to be read.
const MAX_NOTES: usize = 100;

/// What a port is for.
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

/// Permit in a queue, which is given back when it is dropped.
pub type Permit = Option<OwnedSemaphorePermit>;

/// What a client did.
#[derive(Debug)]
pub struct Event {
    /// The number of the connection: they are counted.
    pub client: u64,
    /// What it did.
    pub what: What,
    /// Permit that is given back when it was dealt with.
    pub room: Permit,
}

/// What a client did.
#[derive(Debug)]
pub enum What {
    /// It came, through a door, and is written to by this.
    Joined(Endpoint, Out),
    /// It sent a line.
    Line(Vec<u8>),
    /// It sent something that is one token, whatever it is.
    Token,
    /// It says no more; it may still listen.
    Left,
    /// It went.
    Gone,
    /// It read so much of what it was told that it may be told more.
    Read,
}

/// A way to write to a client. When it is dropped, the client is let go after what it was sent.
#[derive(Clone, Debug)]
pub struct Out {
    sender: UnboundedSender<Message>,
    backlog: Arc<AtomicUsize>,
}

#[derive(Debug)]
struct Message {
    bytes: Arc<[u8]>,
    /// When it was queued, if it is sent only after the data of the step, which were queued before it.
    queued_after_data: Option<Instant>,
    _room: Permit,
}

impl Out {
    /// Sends a message whatever waits already; the room is given back when it is written.
    pub fn send(&self, bytes: impl Into<Arc<[u8]>>, room: Permit) {
        self.queue(bytes.into(), None, room);
    }

    /// As [`send`](Self::send), `DATA_FIRST` later than all data that were sent before, on any connection.
    pub fn send_after_data(&self, bytes: impl Into<Arc<[u8]>>, room: Permit) {
        self.queue(bytes.into(), Some(Instant::now()), room);
    }

    fn queue(&self, bytes: Arc<[u8]>, queued_after_data: Option<Instant>, room: Permit) {
        self.backlog.fetch_add(bytes.len(), Ordering::SeqCst);
        // To one that has just left, nothing is sent.
        let _ = self.sender.send(Message { bytes, queued_after_data, _room: room });
    }

    /// Whether so much waits that no more should be said.
    pub fn is_full(&self) -> bool {
        self.backlog.load(Ordering::SeqCst) > MAX_BACKLOG
    }

    /// Sends a message, or leaves it out when too much waits already; whether it was sent.
    pub fn offer(&self, bytes: &Arc<[u8]>) -> bool {
        let waits = self.backlog.load(Ordering::Relaxed);
        let has_room = waits == 0 || waits + bytes.len() <= MAX_BACKLOG;
        if has_room {
            self.send(bytes.clone(), None);
        }
        has_room
    }
}

/// What there is to tell people: bounded, as clients may misbehave without end.
#[derive(Clone, Default)]
pub struct Notes(Arc<Mutex<(VecDeque<String>, u64)>>);

impl Notes {
    /// Adds one.
    pub fn add(&self, note: String) {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if notes.0.len() < MAX_NOTES { notes.0.push_back(note) } else { notes.1 += 1 }
    }

    /// Takes all that there are.
    pub fn take(&self) -> Vec<String> {
        let mut notes = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let more = std::mem::take(&mut notes.1);
        let more = (more > 0).then(|| format!("… and {more} more notes on clients"));
        notes.0.drain(..).chain(more).collect()
    }
}

enum Order {
    Listen(AsyncDoor),
    Close(Endpoint),
}

struct AsyncDoor {
    door: Endpoint,
    listener: TcpListener,
}

/// The thread that listens.
pub struct Server {
    orders: Option<UnboundedSender<Order>>,
    events: mpsc::Receiver<Event>,
    /// An event that came while somebody waited for one.
    came: Option<Event>,
    thread: Option<JoinHandle<()>>,
    address: IpAddr,
    /// What there is to tell.
    pub notes: Notes,
}

/// What all tasks of the thread share.
struct Hub {
    events: mpsc::Sender<Event>,
    wake: Box<dyn Fn() + Send + Sync>,
    token: Option<String>,
    /// One for each client that the host knows of.
    places: Arc<Semaphore>,
    clients: AtomicU64,
    /// Tasks of clients.
    tasks: AtomicUsize,
    notes: Notes,
    closing: watch::Receiver<bool>,
}

impl Server {
    /// Starts the thread. `wake` is called when a client did something.
    ///
    /// # Errors
    /// When the system has no thread left.
    pub fn start(address: IpAddr, token: Option<String>, wake: impl Fn() + Send + Sync + 'static) -> io::Result<Self> {
        // Each client and each port is a file. Where the limit cannot be raised, fewer are served.
        let files = rlimit::increase_nofile_limit(1 << 20).unwrap_or(1024);
        let places =
            usize::try_from(files.saturating_sub(OTHER_FILES) / 2).unwrap_or(MAX_CLIENTS).clamp(8, MAX_CLIENTS);
        let (orders, to_do) = unbounded_channel();
        let (sender, events) = mpsc::channel();
        let (close, closing) = watch::channel(false);
        let notes = Notes::default();
        let hub = Arc::new(Hub {
            events: sender,
            wake: Box::new(wake),
            token,
            places: Arc::new(Semaphore::new(places)),
            clients: AtomicU64::new(0),
            tasks: AtomicUsize::new(0),
            notes: notes.clone(),
            closing,
        });
        let runtime = Builder::new_current_thread().enable_io().enable_time().build()?;
        let work = move || runtime.block_on(listen_all(to_do, hub, close));
        let thread = std::thread::Builder::new().name("sockets".into()).spawn(work)?;
        Ok(Self { orders: Some(orders), events, came: None, thread: Some(thread), address, notes })
    }

    /// Opens a port for clients; 0 for any free one. The port.
    ///
    /// # Errors
    /// When it is taken, or the system has no file left.
    pub fn open(&self, door: Endpoint, port: u16) -> io::Result<u16> {
        let listener = TcpListener::bind(SocketAddr::new(self.address, port))?;
        listener.set_nonblocking(true)?;
        let port = listener.local_addr()?.port();
        if let Some(orders) = &self.orders {
            // The thread is there as long as this is.
            let _ = orders.send(Order::Listen(AsyncDoor { door, listener }));
        }
        Ok(port)
    }

    /// Closes a port to new clients.
    pub fn close(&self, door: Endpoint) {
        if let Some(orders) = &self.orders {
            let _ = orders.send(Order::Close(door));
        }
    }

    /// What a client did next, if there is anything.
    pub fn next(&mut self) -> Option<Event> {
        self.came.take().or_else(|| self.events.try_recv().ok())
    }

    /// Waits until a client does something, for so long at most.
    pub fn wait(&mut self, at_most: Duration) {
        if self.came.is_none() {
            self.came = self.events.recv_timeout(at_most).ok();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.orders = None;
        // Those who have just come are let go, too.
        self.came = None;
        while self.events.try_recv().is_ok() {}
        if let Some(thread) = self.thread.take() {
            // A panic of the thread was told when it happened.
            let _ = thread.join();
        }
    }
}

/// Listens at all doors until nobody wants that any more; then lets clients take what they were sent.
async fn listen_all(mut orders: UnboundedReceiver<Order>, hub: Arc<Hub>, close: watch::Sender<bool>) {
    let mut doors: BTreeMap<Endpoint, AbortHandle> = BTreeMap::new();
    while let Some(order) = orders.recv().await {
        let old = match order {
            Order::Listen(AsyncDoor { door, listener }) => match AsyncListener::from_std(listener) {
                Ok(listener) => {
                    let task = tokio::spawn(accept_all(door.clone(), listener, hub.clone()));
                    doors.insert(door, task.abort_handle())
                }
                Err(error) => {
                    hub.notes.add(format!("a port cannot be listened at: {error}"));
                    None
                }
            },
            Order::Close(door) => doors.remove(&door),
        };
        if let Some(old) = old {
            old.abort();
        }
    }
    doors.into_values().for_each(|door| door.abort());
    let _ = close.send(true);
    let all_gone = async {
        while hub.tasks.load(Ordering::Relaxed) > 0 {
            sleep(Duration::from_millis(5)).await;
        }
    };
    let _ = timeout(FAREWELL, all_gone).await;
}

/// Accepts clients at a door.
async fn accept_all(door: Endpoint, listener: AsyncListener, hub: Arc<Hub>) {
    loop {
        match listener.accept().await {
            Ok((stream, from)) => match hub.places.clone().try_acquire_owned() {
                Ok(place) => {
                    let client = hub.clients.fetch_add(1, Ordering::Relaxed) + 1;
                    hub.tasks.fetch_add(1, Ordering::Relaxed);
                    let client = Client { number: client, door: door.clone(), from, hub: hub.clone() };
                    tokio::spawn(client.serve(stream, place));
                }
                Err(_) => hub.notes.add(format!("{from} was sent away: there are too many clients")),
            },
            // Such as no file left, or a client that went before it was let in.
            Err(error) => {
                hub.notes.add(format!("a client cannot be let in: {error}"));
                sleep(Duration::from_millis(50)).await;
            }
        }
    }
}

/// How reading from a client came to an end.
enum End {
    /// It says no more.
    Left,
    /// It went, or was let go.
    Gone,
    /// It is sent away, for this reason.
    Refused(String),
    /// It is sent away with an answer.
    Answered(String, String),
}

/// A client, for the thread that listens.
struct Client {
    number: u64,
    door: Endpoint,
    from: SocketAddr,
    hub: Arc<Hub>,
}

impl Drop for Client {
    fn drop(&mut self) {
        self.hub.tasks.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Client {
    fn tell(&self, what: What, room: Permit) {
        // The host goes before this thread only when all is closed.
        let _ = self.hub.events.send(Event { client: self.number, what, room });
        (self.hub.wake)();
    }

    async fn serve(self, stream: TcpStream, place: OwnedSemaphorePermit) {
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let mut input = Input { reader, buffer: Vec::new(), tokens: Tokens::Unknown };
        if let Some(token) = &self.hub.token {
            let said = timeout(PATIENCE, input.first_line()).await;
            let is_right = matches!(&said, Ok(Some(said)) if is_token(said, token));
            if !is_right {
                self.hub.notes.add(format!("{} was sent away: it did not say the token", self.from));
                return;
            }
        }
        let (sender, queue) = unbounded_channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let last_words = sender.downgrade();
        self.tell(What::Joined(self.door.clone(), Out { sender, backlog: backlog.clone() }), None);
        let mut closing = self.hub.closing.clone();
        let mut writing = Box::pin(self.write_all(writer, queue, backlog.clone()));
        let mut is_written = false;
        let end = tokio::select! {
            end = self.read_all(&mut input) => end,
            () = &mut writing => {
                is_written = true;
                End::Gone
            }
            _ = closing.changed() => End::Gone,
        };
        match &end {
            End::Left => self.tell(What::Left, None),
            End::Gone => {}
            End::Refused(why) => self.hub.notes.add(format!("{} was sent away: {why}", self.from)),
            End::Answered(answer, why) => {
                self.hub.notes.add(format!("{} was sent away: {why}", self.from));
                if let Some(sender) = last_words.upgrade() {
                    let bytes: Arc<[u8]> = answer.as_bytes().into();
                    backlog.fetch_add(bytes.len(), Ordering::SeqCst);
                    let _ = sender.send(Message { bytes, queued_after_data: None, _room: None });
                }
            }
        }
        // The host lets go who says no more when it was told all that it asked for.
        if matches!(end, End::Left) {
            let mut is_let_go = false;
            while timeout(PATIENCE, &mut writing).await.is_err() && !is_let_go {
                is_let_go = last_words.upgrade().is_none();
            }
            is_written = true;
        }
        drop(last_words);
        // Its place is free when the host knows that it has gone.
        self.tell(What::Gone, Some(place));
        // What it was sent before is still written, and what it still sends is not read: else it might lose the answer.
        if !is_written {
            let _ = timeout(PATIENCE, writing).await;
        }
        if matches!(end, End::Answered(..)) {
            let _ = timeout(FAREWELL, input.skip_all()).await;
        }
    }

    async fn read_all(&self, input: &mut Input) -> End {
        let room = Arc::new(Semaphore::new(MAX_PIECES));
        let mut is_first = true;
        loop {
            if is_first && let Some(who) = line::foreigner(&input.buffer) {
                return End::Refused(format!("it is {who}"));
            }
            while let Some(what) = input.next(&self.door) {
                is_first = false;
                if let What::Line(line) = &what
                    && line.len() > MAX_LINE
                {
                    return self.too_long(line);
                }
                let pieces = match &what {
                    What::Line(line) => (1 + line.len() / PIECE).min(MAX_PIECES) as u32,
                    _ => 1,
                };
                let Ok(room) = room.clone().acquire_many_owned(pieces).await else { return End::Gone };
                self.tell(what, Some(room));
            }
            if input.buffer.len() > MAX_LINE {
                return self.too_long(&input.buffer);
            }
            let is_open = match input.next_soon(&self.door) {
                false => input.read().await,
                // What a client of MORSE sends may look like the begin of a longer word.
                true => match timeout(WHOLE_WORD, input.read()).await {
                    Ok(is_open) => is_open,
                    Err(_) => {
                        input.tokens = Tokens::Bare;
                        Ok(true)
                    }
                },
            };
            match is_open {
                Ok(true) => {}
                Ok(false) => {
                    if let Some(what) = input.rest(&self.door) {
                        self.tell(what, None);
                    }
                    return End::Left;
                }
                Err(_) => return End::Gone,
            }
        }
    }

    /// Writes all messages, until nobody can send any more or the client takes none.
    async fn write_all(
        &self,
        mut writer: OwnedWriteHalf,
        mut queue: UnboundedReceiver<Message>,
        backlog: Arc<AtomicUsize>,
    ) {
        let mut last_wait: Option<Instant> = None;
        while let Some(message) = queue.recv().await {
            // One wait suffices for all messages that were queued before it began.
            if let Some(queued) = message.queued_after_data
                && last_wait.is_none_or(|began| began < queued)
            {
                last_wait = Some(Instant::now());
                sleep(DATA_FIRST).await;
            }
            let written = writer.write_all(&message.bytes).await;
            let before = backlog.fetch_sub(message.bytes.len(), Ordering::SeqCst);
            if written.is_err() {
                return;
            }
            if before > MAX_BACKLOG && before - message.bytes.len() <= MAX_BACKLOG {
                self.tell(What::Read, None);
            }
        }
        let _ = writer.shutdown().await;
    }

    fn too_long(&self, line: &[u8]) -> End {
        let why = format!("a line has at most {MAX_LINE} bytes");
        match self.door {
            Endpoint::Services => {
                let answer = format!("{} FAILED \"Malformed request! {why}\"\n", line::id_of(line));
                End::Answered(answer, why)
            }
            _ => End::Refused(why),
        }
    }
}

/// Whether a line says the token.
fn is_token(line: &[u8], token: &str) -> bool {
    let said = line.trim_ascii().strip_prefix(b"token ").unwrap_or_default().trim_ascii();
    same(said, token.as_bytes())
}

/// Whether a client of the door for tokens counts them. What it sends first decides.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Tokens {
    Unknown,
    /// Lines, `step` or `step N`.
    Counted,
    /// As in MORSE: each time that something comes is one.
    Bare,
}

/// What comes from a client.
struct Input {
    reader: OwnedReadHalf,
    buffer: Vec<u8>,
    tokens: Tokens,
}

impl Input {
    /// Waits for more; whether any came before the client said that it says no more.
    async fn read(&mut self) -> io::Result<bool> {
        self.buffer.reserve(PIECE);
        self.reader.read_buf(&mut self.buffer).await.map(|read| read > 0)
    }

    /// The first line, which is no long one.
    async fn first_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = self.line() {
                return Some(line);
            }
            if self.buffer.len() > PIECE
                || line::foreigner(&self.buffer).is_some()
                || !self.read().await.unwrap_or(false)
            {
                return None;
            }
        }
    }

    async fn skip_all(&mut self) {
        loop {
            self.buffer.clear();
            if !self.read().await.unwrap_or(false) {
                return;
            }
        }
    }

    /// The next line, if it is whole.
    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|byte| *byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.pop();
        Some(line)
    }

    /// Whether there is what may be one token as in MORSE, or the begin of a counted one.
    fn is_begin_of_word(&self) -> bool {
        b"step".starts_with(self.buffer.trim_ascii_start()) && !self.buffer.contains(&b'\n')
    }

    /// Whether what there is will be something also if no more comes soon.
    fn next_soon(&self, door: &Endpoint) -> bool {
        *door == Endpoint::Sync && self.tokens == Tokens::Unknown && !self.buffer.is_empty()
    }

    /// What is left when no more comes: at the door for tokens, a token without the end of its line.
    fn rest(&mut self, door: &Endpoint) -> Option<What> {
        if *door != Endpoint::Sync || self.buffer.trim_ascii().is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.buffer);
        Some(if self.tokens == Tokens::Counted { What::Line(rest) } else { What::Token })
    }

    /// The next thing that the client said at a door, if it is whole.
    fn next(&mut self, door: &Endpoint) -> Option<What> {
        if *door != Endpoint::Sync {
            return self.line().map(What::Line);
        }
        if self.buffer.is_empty() {
            return None;
        }
        if self.tokens == Tokens::Unknown {
            let begin = self.buffer.trim_ascii_start();
            self.tokens = match begin.strip_prefix(b"step") {
                Some([b' ' | b'\t' | b'\r' | b'\n', ..]) => Tokens::Counted,
                // Perhaps the rest of the word, or of the line, is still on its way.
                _ if self.is_begin_of_word() => return None,
                _ => Tokens::Bare,
            };
        }
        match self.tokens {
            Tokens::Counted => self.line().map(What::Line),
            _ => {
                self.buffer.clear();
                Some(What::Token)
            }
        }
    }
}

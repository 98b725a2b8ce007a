//! The task of a client: it reads and writes one connection.

use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;
use tokio::net::tcp::OwnedWriteHalf;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio::time::{sleep, timeout};

use super::super::line;
use super::super::token::is_equal;
use super::input::{Input, PIECE, TokenFormat};
use super::outbox::{MAX_BACKLOG, Message, Outbox};
use super::{Endpoint, Event, EventKind, FAREWELL, Hub, Permit};

/// The longest line that is accepted, in bytes.
const MAX_LINE: usize = 256 * 1024;
/// The largest number of pieces of lines of one client that wait for the host.
const MAX_PIECES: usize = 64;
/// The time that a client has to send its token, and a leaving one to read its last messages.
const PATIENCE: Duration = Duration::from_secs(5);
/// The time that the rest of a word has to arrive at the endpoint for tokens.
const WHOLE_WORD: Duration = Duration::from_millis(100);
/// The delay between the data of a step and the answers to requests that waited for the step: clients that read data
/// and answers in one loop, as pymorse does, then read the data first.
const DATA_FIRST: Duration = Duration::from_millis(1);

/// The connection of a client.
pub struct Connection {
    /// Its number.
    pub number: u64,
    /// The endpoint that the client connected to.
    pub endpoint: Endpoint,
    /// The address of the client.
    pub peer: SocketAddr,
    /// The shared data of all connections.
    pub hub: Arc<Hub>,
}

/// The reason why reading from a client ended.
enum ReadEnd {
    /// The client shut down its side for writing.
    HalfClosed,
    /// The connection is closed, by the client or the host.
    Closed,
    /// The client is rejected.
    Rejected { reason: String },
    /// The client is rejected with an answer.
    Answered { answer: String, reason: String },
}

impl Drop for Connection {
    fn drop(&mut self) {
        self.hub.tasks.fetch_sub(1, Ordering::Relaxed);
    }
}

impl Connection {
    fn report(&self, kind: EventKind, permit: Permit) {
        // Sending fails only when the host is closing.
        let _ = self.hub.events.send(Event { client: self.number, kind, permit });
        (self.hub.wake)();
    }

    /// Serves the client until it disconnects. `permit` is the permit of the connection.
    pub async fn serve(self, stream: TcpStream, permit: OwnedSemaphorePermit) {
        let _ = stream.set_nodelay(true);
        let (reader, writer) = stream.into_split();
        let mut input = Input::new(reader);
        if let Some(token) = &self.hub.token {
            let line = timeout(PATIENCE, input.first_line()).await;
            let is_right = matches!(&line, Ok(Some(line)) if is_token(line, token));
            if !is_right {
                self.hub.notes.add(format!("{} was sent away: it did not say the token", self.peer));
                return;
            }
        }
        let (sender, queue) = unbounded_channel();
        let backlog = Arc::new(AtomicUsize::new(0));
        let weak_sender = sender.downgrade();
        let outbox = Outbox::new(sender, backlog.clone());
        self.report(EventKind::Connected(self.endpoint.clone(), outbox), None);
        let mut closing = self.hub.closing.clone();
        let mut writing = Box::pin(self.write_all(writer, queue, backlog.clone()));
        let mut is_written = false;
        let end = tokio::select! {
            end = self.read_all(&mut input) => end,
            () = &mut writing => {
                is_written = true;
                ReadEnd::Closed
            }
            _ = closing.changed() => ReadEnd::Closed,
        };
        match &end {
            ReadEnd::HalfClosed => self.report(EventKind::HalfClosed, None),
            ReadEnd::Closed => {}
            ReadEnd::Rejected { reason } => self.note_rejection(reason),
            ReadEnd::Answered { answer, reason } => {
                self.note_rejection(reason);
                if let Some(sender) = weak_sender.upgrade() {
                    Outbox::new(sender, backlog).send(answer.as_bytes(), None);
                }
            }
        }
        // The host drops the outbox of a half-closed client after the last answer.
        if matches!(end, ReadEnd::HalfClosed) {
            let mut is_dropped = false;
            while timeout(PATIENCE, &mut writing).await.is_err() && !is_dropped {
                is_dropped = weak_sender.upgrade().is_none();
            }
            is_written = true;
        }
        drop(weak_sender);
        // The permit is free again when the host knows that the client has disconnected.
        self.report(EventKind::Disconnected, Some(permit));
        // Earlier messages are still written, and further input is skipped: otherwise the client might lose the answer.
        if !is_written {
            let _ = timeout(PATIENCE, writing).await;
        }
        if matches!(end, ReadEnd::Answered { .. }) {
            let _ = timeout(FAREWELL, input.skip_all()).await;
        }
    }

    fn note_rejection(&self, reason: &str) {
        self.hub.notes.add(format!("{} was sent away: {reason}", self.peer));
    }

    async fn read_all(&self, input: &mut Input) -> ReadEnd {
        let permits = Arc::new(Semaphore::new(MAX_PIECES));
        let mut is_first = true;
        loop {
            if is_first && let Some(protocol) = line::foreign_protocol(&input.buffer) {
                return ReadEnd::Rejected { reason: format!("it is {protocol}") };
            }
            while let Some(kind) = input.next(&self.endpoint) {
                is_first = false;
                if let EventKind::Line(line) = &kind
                    && line.len() > MAX_LINE
                {
                    return self.reject_long_line(line);
                }
                let pieces = match &kind {
                    EventKind::Line(line) => (1 + line.len() / PIECE).min(MAX_PIECES) as u32,
                    _ => 1,
                };
                let Ok(permit) = permits.clone().acquire_many_owned(pieces).await else { return ReadEnd::Closed };
                self.report(kind, Some(permit));
            }
            if input.buffer.len() > MAX_LINE {
                return self.reject_long_line(&input.buffer);
            }
            let is_open = match input.is_ambiguous(&self.endpoint) {
                false => input.read().await,
                // A token as in MORSE may look like the beginning of a longer word.
                true => match timeout(WHOLE_WORD, input.read()).await {
                    Ok(is_open) => is_open,
                    Err(_) => {
                        input.token_format = TokenFormat::Bare;
                        Ok(true)
                    }
                },
            };
            match is_open {
                Ok(true) => {}
                Ok(false) => {
                    if let Some(kind) = input.take_rest(&self.endpoint) {
                        self.report(kind, None);
                    }
                    return ReadEnd::HalfClosed;
                }
                Err(_) => return ReadEnd::Closed,
            }
        }
    }

    /// Writes all messages until all senders are dropped or the client accepts no more.
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
                self.report(EventKind::Drained, None);
            }
        }
        let _ = writer.shutdown().await;
    }

    fn reject_long_line(&self, line: &[u8]) -> ReadEnd {
        let reason = format!("a line has at most {MAX_LINE} bytes");
        match self.endpoint {
            Endpoint::Services => {
                let answer = format!("{} FAILED \"Malformed request! {reason}\"\n", line::id_of(line));
                ReadEnd::Answered { answer, reason }
            }
            _ => ReadEnd::Rejected { reason },
        }
    }
}

/// Whether a line is `token` and the token.
fn is_token(line: &[u8], token: &str) -> bool {
    let word = line.trim_ascii().strip_prefix(b"token ").unwrap_or_default().trim_ascii();
    is_equal(word, token.as_bytes())
}

//! Queues of messages to clients.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;

use super::Permit;

/// The largest backlog of one client, in bytes: beyond it, messages of streams are dropped and requests wait.
pub const MAX_BACKLOG: usize = 1 << 20;

/// The messages to one client. When the outbox is dropped, the connection is closed after the last message.
#[derive(Clone, Debug)]
pub struct Outbox {
    sender: UnboundedSender<Message>,
    backlog: Arc<AtomicUsize>,
    /// The number of messages so far.
    sent: Arc<AtomicU64>,
}

/// A message to a client.
#[derive(Debug)]
pub struct Message {
    /// The bytes of the message.
    pub bytes: Arc<[u8]>,
    /// The time at which the message was queued, if the data of the step must be sent before it.
    pub queued_after_data: Option<Instant>,
    /// The permit that is returned when the message is written.
    pub _permit: Permit,
}

impl Outbox {
    /// An outbox for a queue of messages; `backlog` counts the bytes that wait in the queue.
    pub fn new(sender: UnboundedSender<Message>, backlog: Arc<AtomicUsize>) -> Self {
        Self { sender, backlog, sent: Arc::default() }
    }

    /// The number of messages so far, those in the queue included.
    pub fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }

    /// Sends a message, whatever the backlog. The permit is returned when the message is written.
    pub fn send(&self, bytes: impl Into<Arc<[u8]>>, permit: Permit) {
        self.enqueue(bytes.into(), None, permit);
    }

    /// Sends a message as [`send`](Self::send) does, after a delay that lets all data before it arrive first, on any
    /// connection.
    pub fn send_after_data(&self, bytes: impl Into<Arc<[u8]>>, permit: Permit) {
        self.enqueue(bytes.into(), Some(Instant::now()), permit);
    }

    fn enqueue(&self, bytes: Arc<[u8]>, queued_after_data: Option<Instant>, permit: Permit) {
        self.backlog.fetch_add(bytes.len(), Ordering::SeqCst);
        self.sent.fetch_add(1, Ordering::Relaxed);
        // Sending fails when the client has just disconnected.
        let _ = self.sender.send(Message { bytes, queued_after_data, _permit: permit });
    }

    /// Whether the backlog is too large for another answer.
    pub fn is_full(&self) -> bool {
        self.backlog.load(Ordering::SeqCst) > MAX_BACKLOG
    }

    /// Sends a message unless the backlog is too large, and returns whether the message was sent.
    pub fn try_send(&self, bytes: &Arc<[u8]>) -> bool {
        let backlog = self.backlog.load(Ordering::Relaxed);
        let has_capacity = backlog == 0 || backlog + bytes.len() <= MAX_BACKLOG;
        if has_capacity {
            self.send(bytes.clone(), None);
        }
        has_capacity
    }
}

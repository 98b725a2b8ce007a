//! The bytes that a client sends, cut into lines and tokens.

use std::io;

use tokio::io::AsyncReadExt as _;
use tokio::net::tcp::OwnedReadHalf;

use super::super::line;
use super::{Endpoint, EventKind};

/// The size of a read, and the unit in which the permits of lines are counted, in bytes.
pub const PIECE: usize = 4096;

/// The format of the tokens of a client. The first bytes that the client sends decide.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum TokenFormat {
    /// The first bytes have not arrived yet, or are ambiguous.
    Unknown,
    /// Lines, `step` or `step N`.
    Counted,
    /// As in MORSE: whatever arrives at one time is one token.
    Bare,
}

/// The input of a client.
pub struct Input {
    reader: OwnedReadHalf,
    /// The bytes that are not processed yet.
    pub buffer: Vec<u8>,
    /// The format of the tokens.
    pub token_format: TokenFormat,
}

impl Input {
    /// The input that a reader gives.
    pub fn new(reader: OwnedReadHalf) -> Self {
        Self { reader, buffer: Vec::new(), token_format: TokenFormat::Unknown }
    }

    /// Waits for bytes, and returns `false` when the client shut down its side for writing.
    ///
    /// # Errors
    /// When the connection is broken.
    pub async fn read(&mut self) -> io::Result<bool> {
        self.buffer.reserve(PIECE);
        self.reader.read_buf(&mut self.buffer).await.map(|read| read > 0)
    }

    /// Waits for the first line; `None` if it is long, or of a foreign protocol.
    pub async fn first_line(&mut self) -> Option<Vec<u8>> {
        loop {
            if let Some(line) = self.line() {
                return Some(line);
            }
            if self.buffer.len() > PIECE
                || line::foreign_protocol(&self.buffer).is_some()
                || !self.read().await.unwrap_or(false)
            {
                return None;
            }
        }
    }

    /// Reads and discards everything until the client closes the connection.
    pub async fn skip_all(&mut self) {
        loop {
            self.buffer.clear();
            if !self.read().await.unwrap_or(false) {
                return;
            }
        }
    }

    /// Takes the next line, if it is complete.
    fn line(&mut self) -> Option<Vec<u8>> {
        let end = self.buffer.iter().position(|byte| *byte == b'\n')?;
        let rest = self.buffer.split_off(end + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        line.pop();
        Some(line)
    }

    /// Whether the buffer may be a bare token or the beginning of a counted one.
    fn may_begin_counted_token(&self) -> bool {
        b"step".starts_with(self.buffer.trim_ascii_start()) && !self.buffer.contains(&b'\n')
    }

    /// Whether the buffer is a bare token if no more bytes arrive soon.
    pub fn is_ambiguous(&self, endpoint: &Endpoint) -> bool {
        *endpoint == Endpoint::Sync && self.token_format == TokenFormat::Unknown && !self.buffer.is_empty()
    }

    /// Takes the rest after the last line: a token without the end of its line, at the endpoint for tokens.
    pub fn take_rest(&mut self, endpoint: &Endpoint) -> Option<EventKind> {
        if *endpoint != Endpoint::Sync || self.buffer.trim_ascii().is_empty() {
            return None;
        }
        let rest = std::mem::take(&mut self.buffer);
        Some(if self.token_format == TokenFormat::Counted { EventKind::Line(rest) } else { EventKind::Token })
    }

    /// Takes the next line or token, if it is complete.
    pub fn next(&mut self, endpoint: &Endpoint) -> Option<EventKind> {
        if *endpoint != Endpoint::Sync {
            return self.line().map(EventKind::Line);
        }
        if self.buffer.is_empty() {
            return None;
        }
        if self.token_format == TokenFormat::Unknown {
            let begin = self.buffer.trim_ascii_start();
            self.token_format = match begin.strip_prefix(b"step") {
                Some([b' ' | b'\t' | b'\r' | b'\n', ..]) => TokenFormat::Counted,
                // The rest of the word or of the line may still arrive.
                _ if self.may_begin_counted_token() => return None,
                _ => TokenFormat::Bare,
            };
        }
        match self.token_format {
            TokenFormat::Counted => self.line().map(EventKind::Line),
            _ => {
                self.buffer.clear();
                Some(EventKind::Token)
            }
        }
    }
}

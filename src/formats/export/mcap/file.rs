//! MCAP files (specification of version 0 at mcap.dev): records, compressed chunks, indexes, statistics and checksums.

use std::collections::BTreeMap;
use std::io::{self, Write};

use super::lz4;

/// The first and the last bytes of a file.
pub(super) const MAGIC: [u8; 8] = [0x89, b'M', b'C', b'A', b'P', 0x30, b'\r', b'\n'];

/// The size from which a chunk is written (bytes, before compression), if there are few topics.
const CHUNK_BYTES: usize = 1 << 20;

/// The least part of a topic in that size: each chunk has an index of each of its topics, which stays in memory.
const CHUNK_BYTES_PER_TOPIC: usize = 1 << 12;

/// The quality of service of a topic's publisher, as rosbag2 writes it: it keeps the last 10 messages, and is reliable.
/// Durations have no limit. Late subscribers get the last messages of topics that are latched.
fn quality(is_latched: bool) -> String {
    let durability = if is_latched { 1 } else { 2 };
    let limit = "\n    sec: 9223372036\n    nsec: 854775807\n";
    format!(
        "- history: 1\n  depth: 10\n  reliability: 1\n  durability: {durability}\n  deadline:{limit}  lifespan:{limit}  \
         liveliness: 1\n  liveliness_lease_duration:{limit}  avoid_ros_namespace_conventions: false"
    )
}

/// The numbers of the kinds of records.
pub(super) mod opcode {
    pub const HEADER: u8 = 0x01;
    pub const FOOTER: u8 = 0x02;
    pub const SCHEMA: u8 = 0x03;
    pub const CHANNEL: u8 = 0x04;
    pub const MESSAGE: u8 = 0x05;
    pub const CHUNK: u8 = 0x06;
    pub const MESSAGE_INDEX: u8 = 0x07;
    pub const CHUNK_INDEX: u8 = 0x08;
    pub const STATISTICS: u8 = 0x0B;
    pub const METADATA: u8 = 0x0C;
    pub const METADATA_INDEX: u8 = 0x0D;
    pub const SUMMARY_OFFSET: u8 = 0x0E;
    pub const DATA_END: u8 = 0x0F;
}

/// The content of a record.
#[derive(Default)]
struct Content(Vec<u8>);

impl Content {
    fn short(mut self, value: u16) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn count(mut self, value: usize) -> Self {
        self.0.extend_from_slice(&u32::try_from(value).unwrap_or(u32::MAX).to_le_bytes());
        self
    }

    fn long(mut self, value: u64) -> Self {
        self.0.extend_from_slice(&value.to_le_bytes());
        self
    }

    fn text(mut self, text: &str) -> Self {
        self = self.count(text.len());
        self.0.extend_from_slice(text.as_bytes());
        self
    }

    fn map(self, pairs: &[(&str, String)]) -> Self {
        let inside = pairs.iter().fold(Self::default(), |inside, (key, value)| inside.text(key).text(value));
        let mut all = self.count(inside.0.len());
        all.0.extend_from_slice(&inside.0);
        all
    }

    /// A map from channels to numbers.
    fn numbers(self, pairs: impl ExactSizeIterator<Item = (u16, u64)>) -> Self {
        let sized = self.count(pairs.len() * 10);
        pairs.fold(sized, |all, (channel, number)| all.short(channel).long(number))
    }
}

/// The counts of a finished file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct FileCounts {
    /// The number of messages.
    pub messages: u64,
    /// The number of topics.
    pub topics: usize,
    /// The size of the file in bytes.
    pub bytes: u64,
}

/// The times of messages, from the first to the last (ns).
#[derive(Clone, Copy, Default)]
struct Span(Option<(u64, u64)>);

impl Span {
    fn add(&mut self, time_ns: u64) {
        let (first, last) = self.0.unwrap_or((time_ns, time_ns));
        self.0 = Some((first.min(time_ns), last.max(time_ns)));
    }

    fn bounds(self) -> (u64, u64) {
        self.0.unwrap_or_default()
    }
}

/// A chunk in the file.
struct ChunkPlace {
    span: Span,
    start: u64,
    length: u64,
    /// The places of the indexes of messages by channel, and their length in all.
    indexes: Vec<(u16, u64)>,
    indexes_length: u64,
    compressed: u64,
    uncompressed: u64,
}

/// A file that is being written.
pub(super) struct FileWriter<W> {
    out: W,
    position: u64,
    /// The checksum of all bytes so far.
    checksum: crc32fast::Hasher,
    chunk: Vec<u8>,
    chunk_span: Span,
    /// Times and places of the messages in the chunk, by channel.
    indexes: BTreeMap<u16, Vec<(u64, u64)>>,
    compressed: Vec<u8>,
    /// The numbers of schemas by name.
    schema_numbers: BTreeMap<String, u16>,
    /// Schemas and channels as records, for the summary.
    schemas: Vec<Vec<u8>>,
    channels: Vec<Vec<u8>>,
    /// The number of messages of each channel.
    messages: Vec<u32>,
    chunks: Vec<ChunkPlace>,
    /// Metadata: name, place and length.
    metadata: Vec<(String, u64, u64)>,
    span: Span,
}

/// A record: kind, length, content.
fn record(opcode: u8, content: &[u8]) -> Vec<u8> {
    let mut record = Vec::with_capacity(9 + content.len());
    record.push(opcode);
    record.extend_from_slice(&(content.len() as u64).to_le_bytes());
    record.extend_from_slice(content);
    record
}

impl<W: Write> FileWriter<W> {
    /// Begins a file.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn begin(out: W, library: &str) -> io::Result<Self> {
        let mut writer = Self {
            out,
            position: 0,
            checksum: crc32fast::Hasher::new(),
            chunk: Vec::with_capacity(CHUNK_BYTES + (CHUNK_BYTES >> 2)),
            chunk_span: Span::default(),
            indexes: BTreeMap::new(),
            compressed: Vec::new(),
            schema_numbers: BTreeMap::new(),
            schemas: Vec::new(),
            channels: Vec::new(),
            messages: Vec::new(),
            chunks: Vec::new(),
            metadata: Vec::new(),
            span: Span::default(),
        };
        writer.write(&MAGIC)?;
        writer.write(&record(opcode::HEADER, &Content::default().text("ros2").text(library).0))?;
        Ok(writer)
    }

    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.out.write_all(bytes)?;
        self.checksum.update(bytes);
        self.position += bytes.len() as u64;
        Ok(())
    }

    /// Adds a record of metadata: texts by name.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn metadata(&mut self, name: &str, pairs: &[(&str, String)]) -> io::Result<()> {
        let record = record(opcode::METADATA, &Content::default().text(name).map(pairs).0);
        self.metadata.push((name.to_owned(), self.position, record.len() as u64));
        self.write(&record)
    }

    /// The number of a type of messages, from 1. A new one is added with its definition in the notation of ROS 2.
    pub fn schema(&mut self, name: &str, definition: impl FnOnce() -> String) -> u16 {
        if let Some(number) = self.schema_numbers.get(name) {
            return *number;
        }
        let number = self.schemas.len() as u16 + 1;
        let content = Content::default().short(number).text(name).text("ros2msg").text(&definition());
        let record = record(opcode::SCHEMA, &content.0);
        self.chunk.extend_from_slice(&record);
        self.schemas.push(record);
        self.schema_numbers.insert(name.to_owned(), number);
        number
    }

    /// Adds a topic with a type of messages, and returns its number, from 1. There are at most 65,535. Players repeat the last
    /// messages of a latched topic for late subscribers.
    pub fn channel(&mut self, schema: u16, topic: &str, is_latched: bool) -> u16 {
        let number = self.channels.len() as u16 + 1;
        let metadata = [("offered_qos_profiles", quality(is_latched))];
        let content = Content::default().short(number).short(schema).text(topic).text("cdr").map(&metadata);
        let record = record(opcode::CHANNEL, &content.0);
        self.chunk.extend_from_slice(&record);
        self.channels.push(record);
        self.messages.push(0);
        number
    }

    /// Adds a message.
    ///
    /// # Errors
    /// When a chunk cannot be written.
    pub fn message(&mut self, channel: u16, time_ns: u64, data: &[u8]) -> io::Result<()> {
        let Some(sequence) = self.messages.get_mut(usize::from(channel).wrapping_sub(1)) else {
            return Err(io::Error::other(format!("there is no channel {channel}")));
        };
        *sequence = sequence.wrapping_add(1);
        let place = self.chunk.len() as u64;
        self.chunk.push(opcode::MESSAGE);
        self.chunk.extend_from_slice(&(22 + data.len() as u64).to_le_bytes());
        self.chunk.extend_from_slice(&channel.to_le_bytes());
        self.chunk.extend_from_slice(&sequence.to_le_bytes());
        self.chunk.extend_from_slice(&time_ns.to_le_bytes());
        self.chunk.extend_from_slice(&time_ns.to_le_bytes());
        self.chunk.extend_from_slice(data);
        self.indexes.entry(channel).or_default().push((time_ns, place));
        self.chunk_span.add(time_ns);
        self.span.add(time_ns);
        let is_full = self.chunk.len() >= CHUNK_BYTES.max(self.channels.len() * CHUNK_BYTES_PER_TOPIC);
        if is_full { self.end_chunk() } else { Ok(()) }
    }

    /// Writes the chunk with its indexes.
    fn end_chunk(&mut self) -> io::Result<()> {
        if self.chunk.is_empty() {
            return Ok(());
        }
        let mut compressed = std::mem::take(&mut self.compressed);
        lz4::compress(&self.chunk, &mut compressed);
        let (first, last) = self.chunk_span.bounds();
        let mut head = Content::default().long(first).long(last).long(self.chunk.len() as u64);
        head.0.extend_from_slice(&crc32fast::hash(&self.chunk).to_le_bytes());
        let head = head.text("lz4").long(compressed.len() as u64).0;
        let length = (head.len() + compressed.len()) as u64;
        let start = self.position;
        self.write(&[opcode::CHUNK])?;
        self.write(&length.to_le_bytes())?;
        self.write(&head)?;
        self.write(&compressed)?;
        let mut place = ChunkPlace {
            span: self.chunk_span,
            start,
            length: self.position - start,
            indexes: Vec::new(),
            indexes_length: 0,
            compressed: compressed.len() as u64,
            uncompressed: self.chunk.len() as u64,
        };
        let indexes = std::mem::take(&mut self.indexes);
        for (channel, messages) in &indexes {
            place.indexes.push((*channel, self.position));
            let sized = Content::default().short(*channel).count(messages.len() * 16);
            let content = messages.iter().fold(sized, |all, (time_ns, at)| all.long(*time_ns).long(*at));
            self.write(&record(opcode::MESSAGE_INDEX, &content.0))?;
        }
        place.indexes_length = self.position - start - place.length;
        self.chunks.push(place);
        self.compressed = compressed;
        self.chunk.clear();
        self.chunk_span = Span::default();
        Ok(())
    }

    /// Completes the file.
    ///
    /// # Errors
    /// When the rest of it cannot be written.
    pub fn finish(mut self) -> io::Result<(W, FileCounts)> {
        self.end_chunk()?;
        let checksum = self.checksum.clone().finalize();
        self.write(&record(opcode::DATA_END, &checksum.to_le_bytes()))?;
        let summary_start = self.position;
        self.checksum = crc32fast::Hasher::new();
        let (first, last) = self.span.bounds();
        let messages: u64 = self.messages.iter().map(|count| u64::from(*count)).sum();
        let statistics = Content::default()
            .long(messages)
            .short(self.schemas.len() as u16)
            .count(self.channels.len())
            .count(0)
            .count(self.metadata.len())
            .count(self.chunks.len())
            .long(first)
            .long(last)
            .numbers(self.messages.iter().enumerate().map(|(at, count)| (at as u16 + 1, u64::from(*count))));
        let chunks = self.chunks.iter().map(|place| {
            let (first, last) = place.span.bounds();
            let head = Content::default().long(first).long(last).long(place.start).long(place.length);
            let indexed = head.numbers(place.indexes.iter().copied()).long(place.indexes_length);
            record(opcode::CHUNK_INDEX, &indexed.text("lz4").long(place.compressed).long(place.uncompressed).0)
        });
        let metadata = self.metadata.iter().map(|(name, place, length)| {
            record(opcode::METADATA_INDEX, &Content::default().long(*place).long(*length).text(name).0)
        });
        let groups = [
            (opcode::SCHEMA, self.schemas.concat()),
            (opcode::CHANNEL, self.channels.concat()),
            (opcode::STATISTICS, record(opcode::STATISTICS, &statistics.0)),
            (opcode::CHUNK_INDEX, chunks.collect::<Vec<_>>().concat()),
            (opcode::METADATA_INDEX, metadata.collect::<Vec<_>>().concat()),
        ];
        let mut offsets = Vec::new();
        for (opcode, records) in groups.into_iter().filter(|(_, records)| !records.is_empty()) {
            let mut content = vec![opcode];
            content.extend_from_slice(&self.position.to_le_bytes());
            content.extend_from_slice(&(records.len() as u64).to_le_bytes());
            offsets.extend(record(opcode::SUMMARY_OFFSET, &content));
            self.write(&records)?;
        }
        let offsets_start = self.position;
        self.write(&offsets)?;
        // The checksum covers the footer up to itself.
        let mut footer = vec![opcode::FOOTER];
        footer.extend_from_slice(&20u64.to_le_bytes());
        footer.extend_from_slice(&summary_start.to_le_bytes());
        footer.extend_from_slice(&offsets_start.to_le_bytes());
        self.write(&footer)?;
        let checksum = self.checksum.clone().finalize();
        self.write(&checksum.to_le_bytes())?;
        self.write(&MAGIC)?;
        self.out.flush()?;
        Ok((self.out, FileCounts { messages, topics: self.channels.len(), bytes: self.position }))
    }
}

//! Batches: the messages about one step, on their way to the thread that writes.

use std::collections::BTreeMap;
use std::io::{self, Write};

use anyhow::{Context as _, ensure};

use super::definitions::MessageType;
use super::file::FileWriter;
use super::topics::is_latched;
use super::transforms::Transforms;

/// The number of a topic in the file.
pub(super) type Channel = u16;

/// The largest number of topics of a file.
const MAX_TOPICS: usize = 65_535;

/// The topics so far, by name, with their types.
#[derive(Debug, Default)]
pub(super) struct Channels {
    known: BTreeMap<String, (MessageType, Channel)>,
}

impl Channels {
    /// The number of a topic, which is new if it is not known. A topic keeps its type: if a later sensor of that name has
    /// another one, its topic gets a number.
    ///
    /// # Errors
    /// When there are too many topics.
    pub fn get(&mut self, topic: String, message: MessageType, batch: &mut Batch) -> anyhow::Result<Channel> {
        let mut topic = topic;
        while let Some((known, channel)) = self.known.get(&topic) {
            if *known == message {
                return Ok(*channel);
            }
            topic += "_2";
        }
        ensure!(
            self.known.len() < MAX_TOPICS,
            "a log has at most {MAX_TOPICS} topics, and `{topic}` is one more: choose fewer of them"
        );
        let channel = Channel::try_from(self.known.len() + 1).context("too many topics")?;
        batch.channels.push((message, topic.clone()));
        self.known.insert(topic, (message, channel));
        Ok(channel)
    }
}

/// The messages about one step.
#[derive(Debug, Default)]
pub(super) struct Batch {
    /// Simulated time (ns).
    pub time_ns: u64,
    /// The new topics.
    pub channels: Vec<(MessageType, String)>,
    /// The names of robots, if they have changed since the last poses.
    pub names: Option<Vec<String>>,
    /// The topic of the poses, if they are due.
    pub poses_channel: Option<Channel>,
    /// x, y and heading of each robot.
    pub poses: Vec<[f64; 3]>,
    /// Further messages.
    pub messages: Vec<(Channel, Vec<u8>)>,
}

impl Batch {
    /// Whether nothing is due.
    pub fn is_empty(&self) -> bool {
        self.poses_channel.is_none() && self.messages.is_empty() && self.channels.is_empty()
    }

    /// Writes all messages, and returns the memory of the poses.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn write<W: Write>(self, transforms: &mut Transforms, file: &mut FileWriter<W>) -> io::Result<Vec<[f64; 3]>> {
        for (message, topic) in &self.channels {
            let schema = file.schema(message.name(), || message.definition());
            file.channel(schema, topic, is_latched(topic));
        }
        if let Some(names) = &self.names {
            transforms.set_robots(names);
        }
        if let Some(channel) = self.poses_channel {
            file.message(channel, self.time_ns, transforms.message(self.time_ns, &self.poses))?;
        }
        for (channel, data) in &self.messages {
            file.message(*channel, self.time_ns, data)?;
        }
        Ok(self.poses)
    }
}

//! Texts that many entities share, such as the script of a group.

use std::fmt;
use std::sync::Arc;

use bevy::prelude::*;
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

/// A text that its copies share. To reflection it is opaque; in files and in the hash it is a text like any other.
#[derive(Reflect, Clone)]
#[reflect(opaque, Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SharedText {
    text: Arc<str>,
    hash: u64,
}

impl SharedText {
    /// The text.
    pub fn as_str(&self) -> &str {
        &self.text
    }

    /// A hash of the text, the same on every machine.
    pub fn hash(&self) -> u64 {
        self.hash
    }
}

impl Default for SharedText {
    fn default() -> Self {
        "".into()
    }
}

impl From<&str> for SharedText {
    fn from(text: &str) -> Self {
        Self { hash: xxh3_64(text.as_bytes()), text: text.into() }
    }
}

/// Texts are equal wherever they come from.
impl PartialEq for SharedText {
    fn eq(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.text, &other.text) || self.hash == other.hash && self.text == other.text
    }
}

impl fmt::Debug for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl fmt::Display for SharedText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.text.fmt(f)
    }
}

impl Serialize for SharedText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(&self.text)
    }
}

impl<'de> Deserialize<'de> for SharedText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        Ok(String::deserialize(deserializer)?.as_str().into())
    }
}

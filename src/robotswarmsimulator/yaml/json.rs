//! JSON as a tree whose nodes all have one place. Values are counted while they are read, before they fill the memory.

use std::collections::HashMap;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, Error, MapAccess, SeqAccess, Visitor};

use super::{Node, TEXT_PER_NODE, Value};
use crate::scalar::Scalar;
use crate::sources::Place;

/// Reads a text of no more than `most` values.
///
/// # Errors
/// When the text is not JSON, or has more values.
pub fn read(text: &str, place: Place, most: usize) -> serde_json::Result<Node> {
    let mut left = most;
    let mut reader = serde_json::Deserializer::from_str(text);
    let node = NodeSeed { place, left: &mut left }.deserialize(&mut reader)?;
    reader.end()?;
    Ok(node)
}

/// Makes a node of the next value.
struct NodeSeed<'l> {
    place: Place,
    /// The number of values that can still be added.
    left: &'l mut usize,
}

impl NodeSeed<'_> {
    fn next(&mut self) -> NodeSeed<'_> {
        NodeSeed { place: self.place, left: self.left }
    }

    fn node<E: Error>(&mut self, value: Value) -> Result<Node, E> {
        let cost = match &value {
            Value::Scalar { text, .. } => 1 + text.len() / TEXT_PER_NODE,
            _ => 1,
        };
        *self.left = self.left.checked_sub(cost).ok_or_else(|| E::custom("too many values"))?;
        Ok(Node { place: self.place, tag: None, value })
    }
}

impl<'de> DeserializeSeed<'de> for NodeSeed<'_> {
    type Value = Node;

    fn deserialize<D: Deserializer<'de>>(self, reader: D) -> Result<Node, D::Error> {
        reader.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for NodeSeed<'_> {
    type Value = Node;

    fn expecting(&self, f: &mut fmt::Formatter) -> fmt::Result {
        f.write_str("a value")
    }

    fn visit_unit<E: Error>(mut self) -> Result<Node, E> {
        self.node(Value::Computed(Scalar::Null))
    }

    fn visit_bool<E: Error>(mut self, truth: bool) -> Result<Node, E> {
        self.node(Value::Computed(Scalar::Bool(truth)))
    }

    fn visit_i64<E: Error>(mut self, number: i64) -> Result<Node, E> {
        self.node(Value::Computed(Scalar::Int(number.into())))
    }

    fn visit_u64<E: Error>(mut self, number: u64) -> Result<Node, E> {
        self.node(Value::Computed(Scalar::Int(number.into())))
    }

    fn visit_f64<E: Error>(mut self, number: f64) -> Result<Node, E> {
        self.node(Value::Computed(Scalar::Float(number)))
    }

    fn visit_str<E: Error>(mut self, text: &str) -> Result<Node, E> {
        self.node(Value::Scalar { text: text.to_owned(), plain: false })
    }

    fn visit_seq<A: SeqAccess<'de>>(mut self, mut list: A) -> Result<Node, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element_seed(self.next())? {
            items.push(item);
        }
        self.node(Value::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(mut self, mut map: A) -> Result<Node, A::Error> {
        // Of two entries with the same key, the last counts.
        let (mut entries, mut places) = (Vec::new(), HashMap::new());
        while let Some(key) = map.next_key_seed(self.next())? {
            let name = key.text().unwrap_or_default().to_owned();
            let entry = (key, map.next_value_seed(self.next())?);
            let place = *places.entry(name).or_insert(entries.len());
            if place < entries.len() {
                entries[place] = entry;
            } else {
                entries.push(entry);
            }
        }
        self.node(Value::Map(entries))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Options;
    use crate::sources::Sources;

    fn read(text: &str, most: usize) -> serde_json::Result<Node> {
        let options = Options::default();
        let mut sources = Sources::new(&options);
        sources.world("w.yaml", "");
        super::read(text, sources.here(1, 1), most)
    }

    #[test]
    fn json_values_are_counted_before_they_are_stored() {
        assert!(read("{\"a\": [1, 2.5, null, true, \"x\"]}", 8).is_ok());
        let error = read("{\"a\": [1, 2.5, null, true, \"x\"]}", 7).unwrap_err().to_string();
        assert!(error.contains("too many values"), "{error}");
        assert!(read(&"[".repeat(1_000_000), 100).is_err());
        assert!(read("[1] 2", 100).is_err());
    }

    #[test]
    fn the_last_of_two_json_entries_with_one_key_counts() {
        let node = read("{\"b\": 1, \"a\": 2, \"b\": 3}", 100).unwrap();
        let Value::Map(entries) = &node.value else { panic!() };
        assert_eq!(entries.len(), 2);
        assert_eq!(node.get("b").unwrap().scalar(), Scalar::Int(3));
    }
}

//! The ids that one client gives to its requests.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// The number of requests that are remembered, and of cancellations that are kept for later requests.
const MAX_REQUESTS: usize = 1024;
const MAX_CANCELS: usize = 64;

/// The requests of a client that arrived, and those that were cancelled before they arrived: a client with several threads
/// may send the cancellation first. Both lists are bounded; the oldest entries are dropped.
#[derive(Default)]
pub struct RequestIds {
    /// Hashes of the ids of requests that arrived.
    arrived: VecDeque<u64>,
    /// Ids of cancelled requests that have not arrived.
    cancelled: VecDeque<String>,
}

impl RequestIds {
    /// Notes that a request arrived, and returns whether it was cancelled before.
    pub fn note_request(&mut self, id: &str) -> bool {
        push(&mut self.arrived, hash(id), MAX_REQUESTS);
        let place = self.cancelled.iter().position(|cancelled| cancelled == id);
        place.and_then(|place| self.cancelled.remove(place)).is_some()
    }

    /// Notes the cancellation of a request that is not running. It has no effect on a request that has ended.
    pub fn note_cancel(&mut self, id: &str) {
        if !self.arrived.contains(&hash(id)) && !self.cancelled.iter().any(|cancelled| cancelled == id) {
            push(&mut self.cancelled, id.to_owned(), MAX_CANCELS);
        }
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T, max: usize) {
    if list.len() == max {
        list.pop_front();
    }
    list.push_back(item);
}

fn hash(id: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    id.hash(&mut hasher);
    hasher.finish()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cancellation_before_its_request_counts_once() {
        for id in ["7", "goto", "ü-1", "007"] {
            let mut ids = RequestIds::default();
            assert!(!ids.note_request("9"), "a later number arrived first");
            ids.note_cancel(id);
            ids.note_cancel(id);
            assert!(ids.note_request(id) && !ids.note_request(id), "{id}");
            ids.note_cancel(id);
            assert!(!ids.note_request(id), "{id}: it had arrived, and was cancelled too late");
        }
    }

    #[test]
    fn memory_of_request_ids_is_bounded() {
        let mut ids = RequestIds::default();
        for number in 0..10_000 {
            ids.note_request(&number.to_string());
            ids.note_cancel(&format!("c{number}"));
        }
        assert_eq!(ids.arrived.len(), MAX_REQUESTS);
        assert_eq!(ids.cancelled.len(), MAX_CANCELS);
    }
}

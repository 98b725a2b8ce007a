//! The ids that one client gives to its requests.

use std::collections::VecDeque;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

/// How many requests are remembered after they came, and how many cancels before their requests come.
const MOST_REQUESTS: usize = 1024;
const MOST_CANCELS: usize = 64;

/// Which requests of a client came, and which were cancelled before they came: a client with several threads may send a
/// cancel first. Both lists are bounded; the oldest entries are forgotten.
#[derive(Default)]
pub struct Ids {
    /// Hashes of the ids of requests.
    came: VecDeque<u64>,
    /// Ids of requests that did not come yet.
    cancelled: VecDeque<String>,
}

impl Ids {
    /// Notes that a request came, and returns whether it was cancelled before.
    pub fn note_request(&mut self, id: &str) -> bool {
        push(&mut self.came, hash(id), MOST_REQUESTS);
        let place = self.cancelled.iter().position(|cancelled| cancelled == id);
        place.and_then(|place| self.cancelled.remove(place)).is_some()
    }

    /// Notes the cancellation of a request that is not running. It has no effect on a request that has ended.
    pub fn note_cancel(&mut self, id: &str) {
        if !self.came.contains(&hash(id)) && !self.cancelled.iter().any(|cancelled| cancelled == id) {
            push(&mut self.cancelled, id.to_owned(), MOST_CANCELS);
        }
    }
}

fn push<T>(list: &mut VecDeque<T>, item: T, most: usize) {
    if list.len() == most {
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
    fn a_cancel_before_its_request_holds_once_whatever_the_id() {
        for id in ["7", "goto", "ü-1", "007"] {
            let mut ids = Ids::default();
            assert!(!ids.note_request("9"), "a later number came first");
            ids.note_cancel(id);
            ids.note_cancel(id);
            assert!(ids.note_request(id) && !ids.note_request(id), "{id}");
            ids.note_cancel(id);
            assert!(!ids.note_request(id), "{id}: it had come, and was cancelled too late");
        }
    }

    #[test]
    fn memory_is_bounded() {
        let mut ids = Ids::default();
        for number in 0..10_000 {
            ids.note_request(&number.to_string());
            ids.note_cancel(&format!("c{number}"));
        }
        assert_eq!((ids.came.len(), ids.cancelled.len()), (MOST_REQUESTS, MOST_CANCELS));
    }
}

//! Edits that wait for the next step.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use swarmarium_core::edit::Edit;

/// The most edits of one client that wait for the next step.
const MAX_WAITING: usize = 20_000;
/// The most edits that wait for one component: what it is asked next is tried after all of them.
const MAX_OF_COMPONENT: usize = 1000;

/// The client of an edit, and the place of the edit among those that the client asked for.
pub type Key = (u64, u64);

/// An edit that waits for the next step.
pub struct Waiting {
    /// What is changed.
    pub edit: Edit,
    /// What goes on when it is done.
    pub job: Option<u64>,
}

/// All edits that wait, by client and by the order in which it asked for them.
#[derive(Default)]
pub struct Queue {
    all: BTreeMap<Key, Waiting>,
    of_component: HashMap<String, BTreeSet<Key>>,
    of_job: HashMap<u64, Key>,
    counts: HashMap<u64, usize>,
}

impl Queue {
    /// Whether a client may ask for another edit, which concerns a component or none.
    pub fn has_room(&self, client: u64, component: Option<&str>) -> bool {
        let of_component = component.and_then(|name| self.of_component.get(name)).map_or(0, BTreeSet::len);
        self.counts.get(&client).is_none_or(|count| *count < MAX_WAITING) && of_component < MAX_OF_COMPONENT
    }

    /// Lets an edit wait.
    pub fn insert(&mut self, key: Key, waiting: Waiting) {
        if let Some(name) = component_of(&waiting.edit) {
            self.of_component.entry(name.to_owned()).or_default().insert(key);
        }
        if let Some(job) = waiting.job {
            self.of_job.insert(job, key);
        }
        *self.counts.entry(key.0).or_default() += 1;
        self.all.insert(key, waiting);
    }

    /// What concerns a component, in the order in which it will be done.
    pub fn of(&self, component: &str) -> Vec<Edit> {
        let keys = self.of_component.get(component).into_iter().flatten();
        keys.filter_map(|key| self.all.get(key)).map(|waiting| waiting.edit.clone()).collect()
    }

    /// The last edit of a client that concerns a component.
    pub fn last_of(&mut self, client: u64, component: &str) -> Option<&mut Edit> {
        let key = self.of_component.get(component)?.range((client, 0)..=(client, u64::MAX)).next_back()?;
        self.all.get_mut(key).map(|waiting| &mut waiting.edit)
    }

    /// Takes back the edit that a job was to begin with; whether it waited still.
    pub fn withdraw(&mut self, job: u64) -> bool {
        let key = self.of_job.get(&job).copied();
        key.is_some_and(|key| self.remove(key))
    }

    /// Takes back all that move robots.
    pub fn withdraw_moves(&mut self) {
        let is_move = |(key, waiting): (&Key, &Waiting)| matches!(waiting.edit, Edit::Move { .. }).then_some(*key);
        let moves: Vec<Key> = self.all.iter().filter_map(is_move).collect();
        for key in moves {
            self.remove(key);
        }
    }

    /// Takes all.
    pub fn take(&mut self) -> BTreeMap<Key, Waiting> {
        std::mem::take(self).all
    }

    fn remove(&mut self, key: Key) -> bool {
        let Some(Waiting { edit, job }) = self.all.remove(&key) else { return false };
        if let Some(keys) = component_of(&edit).and_then(|name| self.of_component.get_mut(name)) {
            keys.remove(&key);
        }
        if let Some(job) = job {
            self.of_job.remove(&job);
        }
        if let Some(count) = self.counts.get_mut(&key.0) {
            *count -= 1;
        }
        true
    }
}

/// The component that an edit tells something.
fn component_of(edit: &Edit) -> Option<&str> {
    match edit {
        Edit::Call { component, .. } | Edit::Feed { component, .. } => Some(component),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn call(component: &str) -> Edit {
        Edit::Call { component: component.into(), service: "goto".into(), arguments: Vec::new() }
    }

    #[test]
    fn what_is_taken_back_leaves_room() {
        let mut queue = Queue::default();
        for order in 0..MAX_OF_COMPONENT as u64 {
            assert!(queue.has_room(1, Some("a.b")));
            queue.insert((1, order), Waiting { edit: call("a.b"), job: Some(order) });
        }
        assert!(!queue.has_room(1, Some("a.b")) && queue.has_room(1, Some("a.c")) && queue.has_room(1, None));
        assert!(queue.withdraw(7) && !queue.withdraw(7));
        assert!(queue.has_room(1, Some("a.b")));
        assert_eq!(queue.of("a.b").len(), MAX_OF_COMPONENT - 1);
        assert!(queue.last_of(1, "a.b").is_some() && queue.last_of(2, "a.b").is_none());
        for order in 0..MAX_WAITING as u64 {
            let edit = Edit::Move { agent: 0, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 };
            queue.insert((2, order), Waiting { edit, job: None });
        }
        assert!(!queue.has_room(2, None));
        queue.withdraw_moves();
        assert!(queue.has_room(2, None));
        assert_eq!(queue.take().len(), MAX_OF_COMPONENT - 1);
        assert!(queue.of("a.b").is_empty());
    }
}

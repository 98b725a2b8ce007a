//! The queue of edits for the next step.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use swarmarium_simulation::edit::Edit;

/// The largest number of queued edits of one client.
const MAX_OF_CLIENT: usize = 20_000;
/// The largest number of queued edits for one component: a request to it is tried after all of them.
const MAX_OF_COMPONENT: usize = 1000;

/// The client of an edit, and the number of the edit among those of the client.
pub type Key = (u64, u64);

/// An edit for the next step.
pub struct QueuedEdit {
    /// The edit.
    pub edit: Edit,
    /// The job that begins with the edit.
    pub job: Option<u64>,
}

/// The edits for the next step, by client and in the order of each client.
#[derive(Default)]
pub struct EditQueue {
    all: BTreeMap<Key, QueuedEdit>,
    of_component: HashMap<String, BTreeSet<Key>>,
    of_job: HashMap<u64, Key>,
    counts: HashMap<u64, usize>,
}

impl EditQueue {
    /// Whether the queue has capacity for another edit of a client, which concerns a component or none.
    pub fn has_capacity(&self, client: u64, component: Option<&str>) -> bool {
        let of_component = component.and_then(|name| self.of_component.get(name)).map_or(0, BTreeSet::len);
        self.counts.get(&client).is_none_or(|count| *count < MAX_OF_CLIENT) && of_component < MAX_OF_COMPONENT
    }

    /// Adds an edit.
    pub fn insert(&mut self, key: Key, queued: QueuedEdit) {
        if let Some(name) = component_of(&queued.edit) {
            self.of_component.entry(name.to_owned()).or_default().insert(key);
        }
        if let Some(job) = queued.job {
            self.of_job.insert(job, key);
        }
        *self.counts.entry(key.0).or_default() += 1;
        self.all.insert(key, queued);
    }

    /// The edits that concern a component, in the order in which they will be applied.
    pub fn for_component(&self, component: &str) -> Vec<Edit> {
        let keys = self.of_component.get(component).into_iter().flatten();
        keys.filter_map(|key| self.all.get(key)).map(|queued| queued.edit.clone()).collect()
    }

    /// The last edit of a client that concerns a component.
    pub fn last_of(&mut self, client: u64, component: &str) -> Option<&mut Edit> {
        let key = self.of_component.get(component)?.range((client, 0)..=(client, u64::MAX)).next_back()?;
        self.all.get_mut(key).map(|queued| &mut queued.edit)
    }

    /// Removes the edit that begins a job, and returns whether it was still queued.
    pub fn withdraw(&mut self, job: u64) -> bool {
        let key = self.of_job.get(&job).copied();
        key.is_some_and(|key| self.remove(key))
    }

    /// Removes all edits that move robots.
    pub fn withdraw_moves(&mut self) {
        let is_move = |(key, queued): (&Key, &QueuedEdit)| matches!(queued.edit, Edit::Move { .. }).then_some(*key);
        let moves: Vec<Key> = self.all.iter().filter_map(is_move).collect();
        for key in moves {
            self.remove(key);
        }
    }

    /// Takes all edits.
    pub fn take(&mut self) -> BTreeMap<Key, QueuedEdit> {
        std::mem::take(self).all
    }

    fn remove(&mut self, key: Key) -> bool {
        let Some(QueuedEdit { edit, job }) = self.all.remove(&key) else { return false };
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

/// The component that an edit concerns.
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
    fn withdrawn_edits_free_capacity() {
        let mut queue = EditQueue::default();
        for number in 0..MAX_OF_COMPONENT as u64 {
            assert!(queue.has_capacity(1, Some("a.b")));
            queue.insert((1, number), QueuedEdit { edit: call("a.b"), job: Some(number) });
        }
        assert!(
            !queue.has_capacity(1, Some("a.b")) && queue.has_capacity(1, Some("a.c")) && queue.has_capacity(1, None)
        );
        assert!(queue.withdraw(7) && !queue.withdraw(7));
        assert!(queue.has_capacity(1, Some("a.b")));
        assert_eq!(queue.for_component("a.b").len(), MAX_OF_COMPONENT - 1);
        assert!(queue.last_of(1, "a.b").is_some() && queue.last_of(2, "a.b").is_none());
        for number in 0..MAX_OF_CLIENT as u64 {
            let edit = Edit::Move { agent: 0, x_m: 0.0, y_m: 0.0, heading_rad: 0.0 };
            queue.insert((2, number), QueuedEdit { edit, job: None });
        }
        assert!(!queue.has_capacity(2, None));
        queue.withdraw_moves();
        assert!(queue.has_capacity(2, None));
        assert_eq!(queue.take().len(), MAX_OF_COMPONENT - 1);
        assert!(queue.for_component("a.b").is_empty());
    }
}

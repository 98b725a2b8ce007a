//! The log of events, as text for users.

use std::collections::VecDeque;
use std::fmt;
use std::sync::Arc;

use swarmarium_base::id::StableId;

use crate::state::Record;

/// The largest number of events that are kept; older ones are dropped.
pub const MOST: usize = 10_000;

/// The kind of an event.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EventKind {
    /// An agent ran into something.
    Collision,
    /// A fault of the scene began.
    Fault,
    /// A controller changed its state, as supervisors do.
    Switch,
    /// New agents found no free place, although their spawner avoids overlaps.
    NoRoom,
    /// A gripper grasped or released an object.
    Grip,
    /// The script of a robot failed.
    Script,
    /// A script printed a text.
    Print,
}

/// An event.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The step in which it happened.
    pub step: u64,
    /// The agent.
    pub who: StableId,
    /// The kind of the event.
    pub kind: EventKind,
    /// The description of the event.
    pub text: Arc<str>,
}

/// Equal failures of the scripts of robots.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScriptFailures<'a> {
    /// The first one.
    pub first: &'a Event,
    /// The number of further ones.
    pub others: usize,
}

impl fmt::Display for ScriptFailures<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Event { step, who, text, .. } = self.first;
        write!(f, "{text} (robot {} in step {step}", who.index())?;
        match self.others {
            0 => f.write_str(")"),
            1 => f.write_str(", and one other robot)"),
            others => write!(f, ", and {others} other robots)"),
        }
    }
}

/// The log of events, oldest first. Snapshots contain it, but no result depends on it and it is not part of the hash.
///
/// Copies share their events until one of them adds an event.
#[derive(Clone, Debug, Default)]
pub struct Events {
    kept: Arc<VecDeque<Event>>,
    /// The first failures of scripts, which stop robots for good.
    failures: Arc<Vec<Event>>,
    forgotten: u64,
}

impl Events {
    /// Adds an event. Steps must not decrease; within a step, the order of events must be deterministic.
    pub fn push(&mut self, step: u64, who: StableId, kind: EventKind, text: impl Into<Arc<str>>) {
        let kept = Arc::make_mut(&mut self.kept);
        if kept.len() == MOST {
            kept.pop_front();
            self.forgotten += 1;
        }
        let event = Event { step, who, kind, text: text.into() };
        if kind == EventKind::Script && self.failures.len() < MOST {
            Arc::make_mut(&mut self.failures).push(event.clone());
        }
        kept.push_back(event);
    }

    /// All events that are kept, oldest first.
    pub fn iter(&self) -> impl DoubleEndedIterator<Item = &Event> + ExactSizeIterator {
        self.kept.iter()
    }

    /// The events since a step, that step included, oldest first.
    pub fn since(&self, step: u64) -> impl Iterator<Item = &Event> {
        let first = self.kept.partition_point(|event| event.step < step);
        self.kept.range(first..)
    }

    /// The failures of scripts, each once, in the order of their first robots and steps.
    pub fn script_failures(&self) -> Vec<ScriptFailures<'_>> {
        let mut failures: Vec<ScriptFailures> = Vec::new();
        for event in self.failures.iter() {
            match failures.iter_mut().find(|known| *known.first.text == *event.text) {
                Some(known) => known.others += 1,
                None => failures.push(ScriptFailures { first: event, others: 0 }),
            }
        }
        failures
    }

    /// The total number of events, dropped ones included.
    pub fn count(&self) -> u64 {
        self.forgotten + self.kept.len() as u64
    }
}

impl Record for Events {
    fn heap_bytes(&self) -> usize {
        let events = self.kept.iter().chain(self.failures.iter());
        events.map(|event| size_of::<Event>() + event.text.len()).sum()
    }

    fn is_same(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.kept, &other.kept)
            && Arc::ptr_eq(&self.failures, &other.failures)
            && self.forgotten == other.forgotten
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_events_are_kept_in_their_order() {
        let mut events = Events::default();
        let before = events.clone();
        for step in 0..MOST as u64 + 5 {
            events.push(step, StableId::agent(3), EventKind::Switch, format!("at {step}"));
        }
        assert_eq!(before.count(), 0, "a copy is on its own");
        assert_eq!(before.iter().len(), 0, "a copy is on its own");
        assert_eq!(events.count(), MOST as u64 + 5);
        assert_eq!(events.iter().len(), MOST);
        assert_eq!(events.iter().next().map(|event| &*event.text), Some("at 5"));
        let late: Vec<u64> = events.since(MOST as u64 + 3).map(|event| event.step).collect();
        assert_eq!(late, [MOST as u64 + 3, MOST as u64 + 4]);
    }
}

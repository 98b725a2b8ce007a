//! Stable ids, independent of entities and of the storage order.

use bevy::prelude::*;

/// Id of an entity that never changes, in this run or in another run of the same scene.
///
/// Agents, objects, spawners and metrics are numbered in order of creation; a sensor is identified by its owner and
/// slot. So adding a sensor changes no other id, and ids order agents by age.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[reflect(Clone, PartialEq, Hash)]
pub struct StableId(u64);

/// Kind of entity that an id identifies; stored in the top bits.
#[derive(Clone, Copy)]
enum IdKind {
    Agent,
    Object,
    Spawner,
    Metric,
}

impl StableId {
    const fn new(kind: IdKind, index: u32) -> Self {
        Self((kind as u64) << 56 | (index as u64) << 16)
    }

    /// The agent with number `index` in order of creation, counted from 0.
    pub const fn agent(index: u32) -> Self {
        Self::new(IdKind::Agent, index)
    }

    /// The object with this index in the scene.
    pub const fn object(index: u32) -> Self {
        Self::new(IdKind::Object, index)
    }

    /// The spawner of the group with this index in the scene.
    pub const fn spawner(group: u32) -> Self {
        Self::new(IdKind::Spawner, group)
    }

    /// The metric with this index in the scene.
    pub const fn metric(index: u32) -> Self {
        Self::new(IdKind::Metric, index)
    }

    /// The sensor in this slot of this owner.
    #[must_use]
    pub const fn sensor(self, slot: u16) -> Self {
        Self(self.0 | (slot as u64 + 1))
    }

    /// The number of the agent, object, spawner or metric.
    pub const fn index(self) -> u32 {
        (self.0 >> 16) as u32
    }

    /// Number of this agent, or of the agent that this sensor is on; `None` for others and their sensors.
    pub const fn agent_number(self) -> Option<u32> {
        if self.0 >> 56 == IdKind::Agent as u64 { Some(self.index()) } else { None }
    }

    /// The id as one number.
    pub const fn bits(self) -> u64 {
        self.0
    }
}

/// FNV-1a, 64 bits: a stable hash of the name of a purpose or of a type.
pub const fn name_hash(name: &str) -> u64 {
    let bytes = name.as_bytes();
    let mut hash = 0xcbf2_9ce4_8422_2325;
    let mut index = 0;
    while index < bytes.len() {
        hash = (hash ^ bytes[index] as u64).wrapping_mul(0x0100_0000_01b3);
        index += 1;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sensors_belong_to_their_owner_and_agents_are_ordered_by_age() {
        let agent = StableId::agent(70_000);
        assert_eq!(agent.index(), 70_000);
        assert_eq!(agent.sensor(3).index(), 70_000);
        assert_ne!(agent.sensor(0), agent);
        assert!(agent.sensor(9) < StableId::agent(70_001));
        assert_ne!(StableId::agent(0), StableId::object(0));
        assert_eq!(agent.sensor(3).agent_number(), Some(70_000));
        assert_eq!(StableId::object(3).agent_number(), None);
    }
}

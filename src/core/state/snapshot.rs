//! Snapshots: copies of all registered state at one step, which can be restored.
//!
//! A snapshot shares the columns that were not written since another one. Writes are found by the ticks of change
//! detection, so code that writes state must not bypass it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::change_detection::Tick;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use swarmarium_base::id::StableId;

use super::hash::{StateHash, StateHasher};
use super::registry::{Saved, Since, StateRegistry};
use crate::kind::Kinds;

/// The largest number of ticks between two states that are compared: ticks are counted modulo 2³².
const MAX_AGE: u32 = 1 << 30;

/// All registered state of a simulation at the end of a step. Copies share their data.
#[derive(Clone)]
pub struct Snapshot {
    schema: u64,
    ids: Arc<[StableId]>,
    columns: Arc<[Arc<Saved>]>,
}

/// A piece of memory that snapshots may share.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Part {
    /// The address: while one of the snapshots is kept, parts with the same address are the same part.
    pub address: usize,
    /// The size in bytes.
    pub bytes: usize,
}

impl Snapshot {
    /// The pieces of memory of the snapshot.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        let of_ids = |ids: &Arc<[StableId]>| Part {
            address: Arc::as_ptr(ids).cast::<StableId>().addr(),
            bytes: size_of_val(&**ids),
        };
        let own = Part {
            address: Arc::as_ptr(&self.columns).cast::<Arc<Saved>>().addr(),
            bytes: size_of_val(&*self.columns),
        };
        let columns = self.columns.iter().flat_map(move |saved| {
            let values = Part { address: Arc::as_ptr(saved).addr(), bytes: saved.bytes };
            let own = [Some(values), saved.owners().map(of_ids)].into_iter().flatten();
            own.chain(saved.shared.iter().copied())
        });
        // Empty lists have no memory, and may have the same address.
        columns.chain([of_ids(&self.ids), own]).filter(|part| part.bytes > 0)
    }
}

/// A snapshot with the tick at which a world had its state: values not written since then are unchanged.
#[derive(Clone)]
pub struct Base {
    snapshot: Snapshot,
    tick: Tick,
}

impl Base {
    /// Creates a base from a snapshot of the present world.
    pub fn new(snapshot: Snapshot, world: &mut World) -> Self {
        // Later changes have later ticks.
        Self { snapshot, tick: world.increment_change_tick() }
    }

    /// Whether ticks of the world can still be compared with that of the base.
    pub fn is_recent(&self, world: &World) -> bool {
        world.read_change_tick().get().wrapping_sub(self.tick.get()) < MAX_AGE
    }

    fn since(&self) -> Since<'_> {
        Since { columns: &self.snapshot.columns, tick: self.tick }
    }
}

/// The error of a snapshot that does not fit the simulation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("the snapshot is of a simulation with other plugins: the two register different state")]
pub struct ForeignSnapshot;

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({} entities)", self.ids.len())
    }
}

/// The hash of all registered state.
pub fn hash(world: &World) -> StateHash {
    match (world.get_resource::<StateRegistry>(), world.get_resource::<Kinds>()) {
        (Some(registry), Some(kinds)) => {
            let mut hasher = StateHasher::new(kinds.types());
            registry.hash(world, &mut hasher);
            hasher.finish()
        }
        _ => StateHash::default(),
    }
}

/// The part of [`hash`] of the types with these names.
pub fn hash_of(world: &World, names: &[&str]) -> StateHash {
    match (world.get_resource::<StateRegistry>(), world.get_resource::<Kinds>()) {
        (Some(registry), Some(kinds)) => {
            let mut hasher = StateHasher::new(kinds.types());
            registry.hash_of(world, names, &mut hasher);
            hasher.finish()
        }
        _ => StateHash::default(),
    }
}

/// The number of the first agent whose state differs between two worlds, or that exists in one of them only.
pub fn first_different_agent(one: &World, other: &World) -> Option<u32> {
    let [one, other] = [one, other].map(|world| {
        let known = world.get_resource::<StateRegistry>().zip(world.get_resource::<Kinds>());
        known.map(|(registry, kinds)| registry.agent_hashes(world, kinds.types())).unwrap_or_default()
    });
    let numbers: BTreeSet<u32> = one.keys().chain(other.keys()).copied().collect();
    numbers.into_iter().find(|number| one.get(number) != other.get(number))
}

/// Copies all registered state, except columns that were not written since a base, which are shared with it.
pub fn save(world: &World, base: Option<&Base>) -> Snapshot {
    let mut ids: Vec<StableId> = entities(world).map(|(id, _)| id).collect();
    ids.sort_unstable();
    let ids: Arc<[StableId]> = ids.into();
    let base = base.filter(|base| base.is_recent(world));
    let known = base.map(|base| &base.snapshot.ids).filter(|known| **known == ids);
    let ids = known.cloned().unwrap_or(ids);
    let none = TypeRegistry::empty();
    let types = world.get_resource::<Kinds>().map_or(&none, |kinds| kinds.types());
    let registry = world.get_resource::<StateRegistry>();
    let schema = registry.map(StateRegistry::schema).unwrap_or_default();
    let since = base.filter(|base| base.snapshot.schema == schema).map(Base::since);
    let columns = registry.map(|registry| registry.save(world, types, since)).unwrap_or_default();
    Snapshot { schema, ids, columns: columns.into() }
}

/// Restores all registered state; entities that the snapshot lacks are removed, and missing ones are created.
///
/// `base` is the last snapshot that the world had: columns that it shares with the new one and that were not written
/// since are skipped. Caches are not state: the caller rebuilds them.
///
/// # Errors
/// If the world registers other state than that of the snapshot; then nothing is changed.
pub fn load(world: &mut World, snapshot: &Snapshot, base: Option<&Base>) -> Result<(), ForeignSnapshot> {
    let registry = world.get_resource::<StateRegistry>().cloned().unwrap_or_default();
    if registry.schema() != snapshot.schema {
        return Err(ForeignSnapshot);
    }
    let base = base.filter(|base| base.snapshot.schema == snapshot.schema && base.is_recent(world));
    let unchanged = base.map(|base| (base, registry.unchanged(world, base.since())));
    let is_there = |column: usize| {
        let pair =
            |base: &Base| Some([base.snapshot.columns.get(column)?.clone(), snapshot.columns.get(column)?.clone()]);
        unchanged.as_ref().is_some_and(|(base, unchanged)| {
            unchanged[column] && pair(base).is_some_and(|[known, saved]| Arc::ptr_eq(&known, &saved))
        })
    };
    let mut here: Vec<(StableId, Entity)> = entities(world).collect();
    here.sort_unstable();
    let mut here = here.into_iter().peekable();
    let (mut kept, mut surplus) = (Vec::with_capacity(snapshot.ids.len()), Vec::new());
    for id in snapshot.ids.iter() {
        while let Some((_, entity)) = here.next_if(|(other, _)| other < id) {
            surplus.push(entity);
        }
        let entity = here.next_if(|(other, _)| other == id).map(|(_, entity)| entity);
        kept.push((*id, entity.unwrap_or_else(|| world.spawn(*id).id())));
    }
    surplus.extend(here.map(|(_, entity)| entity));
    for entity in surplus {
        // Sensors are removed with the agent on which they are mounted.
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
    registry.load(world, &snapshot.columns, is_there, &kept);
    Ok(())
}

/// Every entity with a stable id, by id.
pub fn entities_by_id(world: &World) -> BTreeMap<StableId, Entity> {
    entities(world).collect()
}

fn entities(world: &World) -> impl Iterator<Item = (StableId, Entity)> {
    let found: Vec<(StableId, Entity)> = world
        .try_query::<(Entity, &StableId)>()
        .map(|mut query| query.iter(world).map(|(entity, id)| (*id, entity)).collect())
        .unwrap_or_default();
    found.into_iter()
}

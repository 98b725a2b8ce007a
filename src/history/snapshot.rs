//! Snapshots: all registered state at one step, to go back to.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;

use super::hash::{StateHash, StateHasher};
use super::state::{Saved, StateRegistry};
use crate::id::StableId;

/// All registered state of a simulation at the end of a step. Copies share their data.
#[derive(Clone)]
pub struct Snapshot {
    ids: Arc<Vec<StableId>>,
    columns: Arc<Vec<Saved>>,
}

impl std::fmt::Debug for Snapshot {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Snapshot({} entities)", self.ids.len())
    }
}

/// The hash of all registered state.
pub fn hash(world: &World) -> StateHash {
    let mut hasher = StateHasher::default();
    if let Some(registry) = world.get_resource::<StateRegistry>() {
        registry.columns.iter().for_each(|column| (column.hash)(world, &mut hasher));
    }
    hasher.finish()
}

/// Copies all registered state.
pub fn save(world: &World) -> Snapshot {
    let ids = entities_by_id(world).into_keys().collect();
    let columns = world
        .get_resource::<StateRegistry>()
        .map(|registry| registry.columns.iter().map(|column| (column.save)(world)).collect())
        .unwrap_or_default();
    Snapshot { ids: Arc::new(ids), columns: Arc::new(columns) }
}

/// Puts all registered state back; entities that were not there go, entities that were there come back.
///
/// Caches are not state: the caller rebuilds them.
pub fn load(world: &mut World, snapshot: &Snapshot) {
    let mut entities = entities_by_id(world);
    let kept: BTreeMap<StableId, Entity> =
        snapshot.ids.iter().map(|id| (*id, entities.remove(id).unwrap_or_else(|| world.spawn(*id).id()))).collect();
    for entity in entities.into_values() {
        // Sensors go with the agent that they are mounted on.
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
    let columns = world.get_resource::<StateRegistry>().map(|registry| registry.columns.clone()).unwrap_or_default();
    for (column, saved) in columns.iter().zip(snapshot.columns.iter()) {
        (column.load)(world, &**saved, &kept);
    }
}

/// Every entity that has a stable id, by id.
pub fn entities_by_id(world: &World) -> BTreeMap<StableId, Entity> {
    world
        .try_query::<(Entity, &StableId)>()
        .map(|mut query| query.iter(world).map(|(entity, id)| (*id, entity)).collect())
        .unwrap_or_default()
}

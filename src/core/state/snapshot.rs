//! Snapshots: all registered state at one step, to go back to.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::prelude::*;
use swarmarium_base::id::StableId;

use super::hash::{StateHash, StateHasher};
use super::registry::{Saved, StateRegistry};
use crate::kind::Kinds;

/// All registered state of a simulation at the end of a step. Copies share their data.
#[derive(Clone)]
pub struct Snapshot {
    schema: u64,
    ids: Arc<Vec<StableId>>,
    columns: Arc<Vec<Saved>>,
}

/// A snapshot does not fit the simulation.
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

/// Copies all registered state.
pub fn save(world: &World) -> Snapshot {
    let ids = entities_by_id(world).into_keys().collect();
    let registry = world.get_resource::<StateRegistry>();
    let columns = registry.map(|registry| registry.save(world)).unwrap_or_default();
    let schema = registry.map(StateRegistry::schema).unwrap_or_default();
    Snapshot { schema, ids: Arc::new(ids), columns: Arc::new(columns) }
}

/// Puts all registered state back; entities that were not there go, entities that were there come back.
///
/// Caches are not state: the caller rebuilds them.
///
/// # Errors
/// When the world registers other state than that of the snapshot; then nothing is changed.
pub fn load(world: &mut World, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
    let registry = world.get_resource::<StateRegistry>().cloned().unwrap_or_default();
    if registry.schema() != snapshot.schema {
        return Err(ForeignSnapshot);
    }
    let mut entities = entities_by_id(world);
    let kept: BTreeMap<StableId, Entity> =
        snapshot.ids.iter().map(|id| (*id, entities.remove(id).unwrap_or_else(|| world.spawn(*id).id()))).collect();
    for entity in entities.into_values() {
        // Sensors go with the agent that they are mounted on.
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
    registry.load(world, &snapshot.columns, &kept);
    Ok(())
}

/// Every entity that has a stable id, by id.
pub fn entities_by_id(world: &World) -> BTreeMap<StableId, Entity> {
    world
        .try_query::<(Entity, &StableId)>()
        .map(|mut query| query.iter(world).map(|(entity, id)| (*id, entity)).collect())
        .unwrap_or_default()
}

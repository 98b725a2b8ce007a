//! The registry of state: every component and resource that a step reads or writes.

use std::any::{Any, TypeId};
use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::component::Mutable;
use bevy::prelude::*;

use super::hash::{StateHasher, type_tag};
use crate::id::StableId;

/// A saved column: one type, for every entity or for the simulation as a whole.
pub(super) type Saved = Box<dyn Any + Send + Sync>;

/// How to hash, save and load one registered type.
#[derive(Clone, Copy)]
pub(super) struct Column {
    type_id: TypeId,
    pub(super) hash: fn(&World, &mut StateHasher),
    pub(super) save: fn(&World) -> Saved,
    pub(super) load: fn(&mut World, &(dyn Any + Send + Sync), &BTreeMap<StableId, Entity>),
}

/// All registered types, in the order of registration.
#[derive(Resource, Clone, Default)]
pub struct StateRegistry {
    pub(super) columns: Vec<Column>,
}

impl StateRegistry {
    fn add(&mut self, column: Column) {
        if self.columns.iter().all(|known| known.type_id != column.type_id) {
            self.columns.push(column);
        }
    }
}

/// Registers state with an app.
pub trait RegisterState {
    /// Registers a component of entities that have a [`StableId`].
    fn register_state<T>(&mut self) -> &mut Self
    where
        T: Component<Mutability = Mutable> + Reflect + TypePath + Clone;

    /// Registers a resource.
    fn register_state_resource<T>(&mut self) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Reflect + TypePath + Clone;

    /// Registers a resource that snapshots keep and that no result depends on: it has no part in the hash.
    fn register_record<T>(&mut self) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone;
}

impl RegisterState for App {
    fn register_state<T>(&mut self) -> &mut Self
    where
        T: Component<Mutability = Mutable> + Reflect + TypePath + Clone,
    {
        self.world_mut().get_resource_or_init::<StateRegistry>().add(Column {
            type_id: TypeId::of::<T>(),
            hash: hash_components::<T>,
            save: save_components::<T>,
            load: load_components::<T>,
        });
        // Queries on `&World` can only be made for components that the world knows.
        self.world_mut().register_component::<T>();
        self
    }

    fn register_state_resource<T>(&mut self) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Reflect + TypePath + Clone,
    {
        self.world_mut().get_resource_or_init::<StateRegistry>().add(resource_column::<T>(hash_resource::<T>));
        self
    }

    fn register_record<T>(&mut self) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone,
    {
        self.world_mut().get_resource_or_init::<StateRegistry>().add(resource_column::<T>(|_, _| {}));
        self
    }
}

fn resource_column<T: Resource<Mutability = Mutable> + Clone>(hash: fn(&World, &mut StateHasher)) -> Column {
    Column {
        type_id: TypeId::of::<T>(),
        hash,
        save: |world| Box::new(world.get_resource::<T>().cloned()),
        load: load_resource::<T>,
    }
}

fn hash_components<T: Component + Reflect + TypePath>(world: &World, hasher: &mut StateHasher) {
    let tag = type_tag::<T>();
    if let Some(mut query) = world.try_query::<(&StableId, &T)>() {
        query.iter(world).for_each(|(id, value)| hasher.add(tag, Some(*id), value));
    }
}

fn hash_resource<T: Resource + Reflect + TypePath>(world: &World, hasher: &mut StateHasher) {
    if let Some(value) = world.get_resource::<T>() {
        hasher.add(type_tag::<T>(), None, value);
    }
}

fn save_components<T: Component + Clone>(world: &World) -> Saved {
    let mut rows: Vec<(StableId, T)> = Vec::new();
    if let Some(mut query) = world.try_query::<(&StableId, &T)>() {
        rows.extend(query.iter(world).map(|(id, value)| (*id, value.clone())));
    }
    Box::new(rows)
}

fn load_components<T: Component<Mutability = Mutable> + Clone>(
    world: &mut World,
    saved: &(dyn Any + Send + Sync),
    entities: &BTreeMap<StableId, Entity>,
) {
    let Some(rows) = saved.downcast_ref::<Vec<(StableId, T)>>() else { return };
    for (id, value) in rows {
        if let Some(entity) = entities.get(id) {
            world.entity_mut(*entity).insert(value.clone());
        }
    }
    let Some(mut query) = world.try_query_filtered::<(Entity, &StableId), With<T>>() else { return };
    if query.iter(world).len() == rows.len() {
        return;
    }
    let saved: BTreeSet<StableId> = rows.iter().map(|(id, _)| *id).collect();
    let without = query.iter(world).filter(|(_, id)| !saved.contains(id)).map(|(entity, _)| entity);
    for entity in without.collect::<Vec<_>>() {
        world.entity_mut(entity).remove::<T>();
    }
}

fn load_resource<T: Resource<Mutability = Mutable> + Clone>(
    world: &mut World,
    saved: &(dyn Any + Send + Sync),
    _: &BTreeMap<StableId, Entity>,
) {
    match saved.downcast_ref::<Option<T>>() {
        Some(Some(value)) => world.insert_resource(value.clone()),
        _ => {
            world.remove_resource::<T>();
        }
    }
}

//! The registry of state: every component and resource that a step reads or writes, each under a stable name.
//!
//! The name identifies the type in the hash and in snapshots. It is independent of the Rust path, so moving a type
//! changes no hash. Kinds and memories are named after their types, without the path.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::archetype::Archetype;
use bevy::ecs::change_detection::{ContiguousMut, Tick};
use bevy::ecs::component::{ComponentId, Mutable, StorageType};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypeRegistry, Typed};
use swarmarium_base::id::{StableId, name_hash};

use super::hash::{StateHasher, check_hashable};
use super::size;
use crate::kind::{Family, KindType, Kinds, ident};

/// A type of state: derive `Reflect` and `Clone`.
pub trait StateType: Reflect + Typed + GetTypeRegistration + Clone {}

impl<T: Reflect + Typed + GetTypeRegistration + Clone> StateType for T {}

/// The memory of a kind: derive `Component`, `Reflect`, `Clone` and `Default`.
pub trait Memory: Component<Mutability = Mutable> + StateType + Default {}

impl<T: Component<Mutability = Mutable> + StateType + Default> Memory for T {}

/// The memory of a controller or sensor without memory.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMemory;

/// A resource, or a part of one, that is part of snapshots, but does not affect results: derive `Clone`.
pub trait Record: Clone + Send + Sync + 'static {
    /// The size of memory that the value points to, such as its lists, in bytes. Budgets of snapshots count it.
    fn heap_bytes(&self) -> usize {
        0
    }

    /// Whether a value is known to be the same as another one, so that snapshots share it.
    fn is_same(&self, _other: &Self) -> bool {
        false
    }
}

/// A value in a resource that is registered by itself, under a name of its own.
pub trait ResourcePart: Clone + Send + Sync + 'static {
    /// The resource.
    type Whole: Resource<Mutability = Mutable>;

    /// The value, if there is one.
    fn get(whole: &Self::Whole) -> Option<&Self>;

    /// Replaces the value.
    fn put(whole: &mut Self::Whole, value: Option<Self>);
}

/// A saved resource: `Option<T>`.
type SavedResource = Box<dyn Any + Send + Sync>;

/// One registered type.
#[derive(Clone)]
struct Column {
    name: Cow<'static, str>,
    type_id: TypeId,
    type_name: &'static str,
    access: Access,
}

/// The functions to read, save and load a registered type.
#[derive(Clone, Copy)]
enum Access {
    Component(ComponentAccess),
    Resource(ResourceAccess),
}

#[derive(Clone, Copy)]
struct ComponentAccess {
    id: ComponentId,
    get: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    /// Creates an empty list with capacity for a number of values.
    rows: fn(usize) -> Box<dyn Rows>,
    /// Whether values can own memory outside themselves.
    has_heap: bool,
    /// Exchanges all values of a world with saved ones; `None` if only edits change values: parameters of kinds, and what
    /// tells agents apart.
    exchange: Option<fn(&mut World) -> Box<dyn Exchange>>,
}

#[derive(Clone, Copy)]
struct ResourceAccess {
    id: ComponentId,
    /// The value for the hash; `None` for records.
    get: fn(&World) -> Option<&dyn PartialReflect>,
    save: fn(&World) -> SavedResource,
    load: fn(&mut World, &SavedResource),
    /// Whether the value of a record is known to be the same as a saved one.
    is_same: fn(&World, &SavedResource) -> bool,
    /// The size of a record and of the memory that it points to, in bytes; 0 if [`get`](Self::get) returns a value.
    bytes: fn(&World) -> usize,
}

/// Saved values of one component.
///
/// Only these functions are compiled once per type. The iteration over entities is compiled once for all types.
pub(super) trait Rows: Send + Sync {
    /// Appends a copy of the component of an entity.
    fn push(&mut self, entity: EntityRef);

    /// Inserts a copy of a value into an entity.
    fn insert(&self, row: usize, entity: &mut EntityWorldMut);

    /// A copy of all values.
    fn copy(&self) -> Box<dyn Rows>;

    /// Exchanges a value with that of an entity.
    fn swap(&mut self, row: usize, entity: &mut EntityWorldMut);

    /// A value.
    fn get(&self, row: usize) -> Option<&dyn PartialReflect>;

    /// The size of all values in bytes, without memory that they point to.
    fn bytes(&self) -> usize;

    /// The list of values.
    fn as_any_mut(&mut self) -> &mut dyn Any;
}

impl<T: Component<Mutability = Mutable> + Reflect + Clone> Rows for Vec<T> {
    fn push(&mut self, entity: EntityRef) {
        self.extend(entity.get::<T>().cloned());
    }

    fn insert(&self, row: usize, entity: &mut EntityWorldMut) {
        let Some(value) = <[T]>::get(self, row) else { return };
        match entity.get_mut::<T>() {
            // Assigned in place, which avoids a search for another table.
            Some(mut here) => here.clone_from(value),
            None => _ = entity.insert(value.clone()),
        }
    }

    fn copy(&self) -> Box<dyn Rows> {
        Box::new(self.clone())
    }

    fn swap(&mut self, row: usize, entity: &mut EntityWorldMut) {
        if let (Some(value), Some(mut here)) = (self.get_mut(row), entity.get_mut::<T>()) {
            std::mem::swap(value, &mut *here);
        }
    }

    fn get(&self, row: usize) -> Option<&dyn PartialReflect> {
        <[T]>::get(self, row).map(PartialReflect::as_partial_reflect)
    }

    fn bytes(&self) -> usize {
        self.capacity() * size_of::<T>()
    }

    fn as_any_mut(&mut self) -> &mut dyn Any {
        self
    }
}

/// Exchanges all values of one component with saved ones, in the order of storage.
pub(super) trait Exchange: Send + Sync {
    /// Exchanges the values; there must be as many.
    fn exchange(&mut self, world: &mut World, rows: &mut dyn Rows);

    /// A copy of all values.
    fn copy(&mut self, world: &mut World) -> Box<dyn Rows>;
}

impl<T: Component<Mutability = Mutable> + Reflect + Clone> Exchange for QueryState<&'static mut T, With<StableId>> {
    fn exchange(&mut self, world: &mut World, rows: &mut dyn Rows) {
        let Some(mut rest) = rows.as_any_mut().downcast_mut::<Vec<T>>().map(Vec::as_mut_slice) else { return };
        let mut query = self.query_mut(world);
        let Ok(columns) = query.contiguous_iter_mut() else { return };
        for column in columns {
            let here = ContiguousMut::split(column).0;
            let (saved, behind) = rest.split_at_mut(here.len());
            here.swap_with_slice(saved);
            rest = behind;
        }
    }

    fn copy(&mut self, world: &mut World) -> Box<dyn Rows> {
        let mut all: Vec<T> = Vec::new();
        let mut query = self.query_mut(world);
        if let Ok(columns) = query.contiguous_iter_mut() {
            columns.for_each(|column| all.extend_from_slice(ContiguousMut::split(column).0));
        }
        all.shrink_to_fit();
        Box::new(all)
    }
}

/// The names of components that tell entities apart.
const IDENTITIES: [&str; 3] = ["id", "member", "team"];

/// The values of a parameter of all entities that have it.
pub(super) struct ParameterColumn {
    access: ComponentAccess,
    entities: Vec<Entity>,
    /// Whether it tells entities apart, so that arenas that share a world have equal values.
    pub is_identity: bool,
}

impl ParameterColumn {
    /// Finds the entities again, in a world that has started again.
    pub fn find_all(columns: &mut [Self], world: &World) {
        let census = Census::of(world);
        for Self { access, entities, .. } in columns {
            entities.clear();
            entities.extend(census.entities(&census.places_of(access.id)).map(|entity| entity.id()));
        }
    }

    /// A copy of all values.
    pub fn copy(&self, world: &World) -> Box<dyn Rows> {
        let mut rows = (self.access.rows)(self.entities.len());
        self.entities.iter().for_each(|entity| rows.push(world.entity(*entity)));
        rows
    }

    /// Whether the values are equal to saved ones.
    pub fn is_equal(&self, world: &World, rows: &dyn Rows) -> bool {
        let mut all = self.entities.iter().enumerate();
        all.all(|(row, entity)| match ((self.access.get)(world.entity(*entity)), rows.get(row)) {
            (Some(here), Some(saved)) => here.reflect_partial_eq(saved) == Some(true),
            _ => false,
        })
    }

    /// Exchanges the values with saved ones.
    pub fn exchange(&self, world: &mut World, rows: &mut dyn Rows) {
        let all = self.entities.iter().enumerate();
        all.for_each(|(row, entity)| rows.swap(row, &mut world.entity_mut(*entity)));
    }
}

/// The entities that own the values of a column, in the order of the values. Columns of the same entities share it.
pub(super) type Owners = Arc<[StableId]>;

/// The saved values of one registered type.
pub(super) struct Saved {
    values: Values,
    /// The size of the values and of memory that they point to, in bytes.
    pub bytes: usize,
}

enum Values {
    /// Components, with their owners.
    Components(Owners, Box<dyn Rows>),
    /// A resource, if there was one.
    Resource(SavedResource),
}

impl Saved {
    /// The owners of components; `None` for a resource.
    pub fn owners(&self) -> Option<&Owners> {
        match &self.values {
            Values::Components(owners, _) => Some(owners),
            Values::Resource(_) => None,
        }
    }
}

/// Saved state of a world at a tick: values not written since then are unchanged.
#[derive(Clone, Copy)]
pub(super) struct Since<'a> {
    /// The saved state.
    pub columns: &'a [Arc<Saved>],
    /// The last tick before later changes.
    pub tick: Tick,
}

/// The locations of the components of a column: the indices of archetypes in a [`Census`].
type Places = Vec<usize>;

/// All entities that have a [`StableId`], by archetype.
struct Census<'w> {
    archetypes: Vec<(&'w Archetype, Vec<StableId>, Vec<EntityRef<'w>>)>,
}

impl<'w> Census<'w> {
    fn of(world: &'w World) -> Self {
        let Some(id) = world.component_id::<StableId>() else { return Self { archetypes: Vec::new() } };
        let archetypes = world.archetypes().iter().filter(|archetype| archetype.contains(id) && !archetype.is_empty());
        let members = |archetype: &'w Archetype| {
            let entities = archetype.entities().iter().map(|entity| world.entity(entity.id()));
            let known = entities.filter_map(|entity| Some((entity.get::<StableId>().copied()?, entity)));
            let (ids, entities) = known.unzip();
            (archetype, ids, entities)
        };
        Self { archetypes: archetypes.map(members).collect() }
    }

    fn places_of(&self, component: ComponentId) -> Places {
        let all = self.archetypes.iter().enumerate();
        all.filter(|(_, (archetype, ..))| archetype.contains(component)).map(|(place, _)| place).collect()
    }

    fn owners(&self, places: &Places) -> Vec<StableId> {
        places.iter().flat_map(|place| &self.archetypes[*place].1).copied().collect()
    }

    fn entities(&self, places: &Places) -> impl Iterator<Item = EntityRef<'w>> {
        places.iter().flat_map(|place| &self.archetypes[*place].2).copied()
    }
}

/// All registered types, in the order of registration.
#[derive(Resource, Clone, Default)]
pub struct StateRegistry {
    columns: Vec<Column>,
}

impl StateRegistry {
    /// The names of all registered types, in the order of registration.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.columns.iter().map(|column| &*column.name)
    }

    /// A number for the list of registered types; snapshots of registries with different numbers are incompatible.
    pub(super) fn schema(&self) -> u64 {
        self.names().fold(0, |schema: u64, name| schema.rotate_left(5) ^ name_hash(name))
    }

    /// Adds the hashes of all registered state.
    pub(super) fn hash(&self, world: &World, hasher: &mut StateHasher) {
        for column in &self.columns {
            if let Access::Resource(access) = column.access
                && let Some(value) = (access.get)(world)
            {
                hasher.add(name_hash(&column.name), None, value);
            }
        }
        self.each_component(world, |index, access, id, entity| {
            if let Some(value) = (access.get)(entity) {
                hasher.add(name_hash(&self.columns[index].name), Some(id), value);
            }
        });
    }

    /// As [`hash`](Self::hash), of the types with these names alone.
    pub(super) fn hash_of(&self, world: &World, names: &[&str], hasher: &mut StateHasher) {
        let columns = self.columns.iter().filter(|column| names.contains(&&*column.name)).cloned().collect();
        Self { columns }.hash(world, hasher);
    }

    /// The hash of the state of each agent, its sensors included, by number.
    pub(super) fn agent_hashes(&self, world: &World, types: &TypeRegistry) -> BTreeMap<u32, u64> {
        let mut hashes = BTreeMap::new();
        self.each_component(world, |index, access, id, entity| {
            if let (Some(number), Some(value)) = (id.agent_number(), (access.get)(entity)) {
                let mut hasher = StateHasher::new(types);
                hasher.add(name_hash(&self.columns[index].name), Some(id), value);
                let hash: &mut u64 = hashes.entry(number).or_default();
                *hash = hash.wrapping_add(hasher.finish().0);
            }
        });
        hashes
    }

    /// Copies all registered state, in the order of registration. Columns that were not written since another copy are
    /// shared with it.
    pub(super) fn save(&self, world: &World, types: &TypeRegistry, since: Option<Since>) -> Vec<Arc<Saved>> {
        let census = Census::of(world);
        let now = world.read_change_tick();
        let mut known: BTreeMap<Places, Owners> = BTreeMap::new();
        let save = |(index, column): (usize, &Column)| {
            let before = since.and_then(|since| Some((since.columns.get(index)?, since.tick)));
            match column.access {
                Access::Component(access) => {
                    let places = census.places_of(access.id);
                    let owners = match known.entry(places.clone()) {
                        Entry::Occupied(known) => known.get().clone(),
                        Entry::Vacant(unknown) => {
                            let owners = census.owners(&places);
                            let same = before.and_then(|(saved, _)| saved.owners().filter(|known| ***known == *owners));
                            unknown.insert(same.map_or_else(|| owners.into(), Owners::clone)).clone()
                        }
                    };
                    let is_unchanged = |(saved, tick): &(&Arc<Saved>, Tick)| {
                        saved.owners().is_some_and(|known| Arc::ptr_eq(known, &owners) || *known == owners)
                            && is_untouched(census.entities(&places), access.id, *tick, now)
                    };
                    match before.filter(is_unchanged) {
                        Some((saved, _)) => saved.clone(),
                        None => Arc::new(access.save(&owners, census.entities(&places), types)),
                    }
                }
                Access::Resource(access) => {
                    let is_unchanged = |(saved, tick): &(&Arc<Saved>, Tick)| {
                        access.is_untouched(world, *tick) || access.is_same_as(world, saved)
                    };
                    match before.filter(is_unchanged) {
                        Some((saved, _)) => saved.clone(),
                        None => Arc::new(access.copy(world, types)),
                    }
                }
            }
        };
        self.columns.iter().enumerate().map(save).collect()
    }

    /// Whether each column of a world is unchanged since it was saved.
    pub(super) fn unchanged(&self, world: &World, since: Since) -> Vec<bool> {
        let census = Census::of(world);
        let now = world.read_change_tick();
        let is_unchanged = |(column, saved): (&Column, &Arc<Saved>)| match (column.access, saved.owners()) {
            (Access::Component(access), Some(owners)) => {
                let places = census.places_of(access.id);
                **owners == *census.owners(&places)
                    && is_untouched(census.entities(&places), access.id, since.tick, now)
            }
            (Access::Resource(access), None) => access.is_untouched(world, since.tick),
            _ => false,
        };
        self.columns.iter().zip(since.columns).map(is_unchanged).collect()
    }

    /// Restores state that [`save`](Self::save) copied with a registry of the same [schema](Self::schema). Columns that
    /// are already restored are skipped. `entities` are all entities, by id.
    pub(super) fn load(
        &self,
        world: &mut World,
        saved: &[Arc<Saved>],
        is_there: impl Fn(usize) -> bool,
        entities: &[(StableId, Entity)],
    ) {
        let find = |owner: &StableId| {
            let place = entities.binary_search_by_key(owner, |(id, _)| *id).ok()?;
            entities.get(place).map(|(_, entity)| *entity)
        };
        // Most columns have the same owners as others.
        let mut known: Vec<(&Owners, Vec<Option<Entity>>)> = Vec::new();
        let missing = self.columns.iter().zip(saved).enumerate().filter(|(index, _)| !is_there(*index));
        for (_, (column, saved)) in missing {
            match (column.access, &saved.values) {
                (Access::Resource(access), Values::Resource(value)) => (access.load)(world, value),
                (_, Values::Components(owners, rows)) => {
                    let place = known.iter().position(|(known, _)| Arc::ptr_eq(known, owners));
                    let place = place.unwrap_or_else(|| {
                        known.push((owners, owners.iter().map(find).collect()));
                        known.len() - 1
                    });
                    for (row, entity) in known[place].1.iter().enumerate() {
                        if let Some(entity) = entity {
                            rows.insert(row, &mut world.entity_mut(*entity));
                        }
                    }
                }
                _ => {}
            }
        }
        self.remove_all_but(world, saved);
    }

    /// Removes registered components that are not among those saved.
    fn remove_all_but(&self, world: &mut World, saved: &[Arc<Saved>]) {
        let census = Census::of(world);
        let count = |column: &Column| match column.access {
            Access::Component(access) => census.entities(&census.places_of(access.id)).count(),
            Access::Resource(_) => 0,
        };
        let counts: Vec<usize> = self.columns.iter().map(count).collect();
        // Every saved component is in the world at this point. If the world has no others, there is nothing to remove.
        let owners: Vec<Option<BTreeSet<StableId>>> = (saved.iter().zip(counts))
            .map(|(saved, count)| {
                let owners = saved.owners().filter(|owners| owners.len() < count);
                owners.map(|owners| owners.iter().copied().collect())
            })
            .collect();
        if owners.iter().all(Option::is_none) {
            return;
        }
        let mut surplus = Vec::new();
        self.each_component(world, |index, access, id, entity| {
            if owners[index].as_ref().is_some_and(|owners| !owners.contains(&id)) {
                surplus.push((entity.id(), access.id));
            }
        });
        for (entity, component) in surplus {
            world.entity_mut(entity).remove_by_id(component);
        }
    }

    /// The means to exchange the state of the entities of a world, by component, and their parameters.
    pub(super) fn exchanges(&self, world: &mut World) -> (Vec<Box<dyn Exchange>>, Vec<ParameterColumn>) {
        let census = Census::of(world);
        let (mut state, mut parameters) = (Vec::new(), Vec::new());
        for column in &self.columns {
            let Access::Component(access) = column.access else { continue };
            let is_marker = world.components().get_info(access.id).is_none_or(|info| info.layout().size() == 0);
            match access.exchange {
                _ if is_marker || census.places_of(access.id).is_empty() => {}
                Some(exchange) => state.push(exchange),
                None => {
                    let is_identity = IDENTITIES.contains(&&*column.name);
                    parameters.push(ParameterColumn { access, entities: Vec::new(), is_identity });
                }
            }
        }
        ParameterColumn::find_all(&mut parameters, world);
        (state.into_iter().map(|exchange| exchange(world)).collect(), parameters)
    }

    /// Visits every registered component of every entity with a [`StableId`], with the index of its column.
    fn each_component(&self, world: &World, mut visit: impl FnMut(usize, &ComponentAccess, StableId, EntityRef)) {
        let components = || {
            self.columns.iter().enumerate().filter_map(|(index, column)| match &column.access {
                Access::Component(access) => Some((index, access)),
                Access::Resource(_) => None,
            })
        };
        let Some(id) = world.component_id::<StableId>() else { return };
        for archetype in world.archetypes().iter().filter(|archetype| archetype.contains(id)) {
            let here: Vec<_> = components().filter(|(_, access)| archetype.contains(access.id)).collect();
            for entity in archetype.entities() {
                let entity = world.entity(entity.id());
                let Some(id) = entity.get::<StableId>() else { continue };
                here.iter().for_each(|(index, access)| visit(*index, access, *id, entity));
            }
        }
    }

    /// Adds a type. A type that several kinds share may be added again under its name.
    ///
    /// # Panics
    /// If another type has the name, or the type has another name.
    fn add(&mut self, column: Column) {
        let same = |known: &&Column| known.name == column.name || known.type_id == column.type_id;
        let Some(known) = self.columns.iter().find(same) else { return self.columns.push(column) };
        let Column { name, type_name, .. } = known;
        assert!(
            known.type_id == column.type_id,
            "two types of state are called `{name}`: {type_name} and {}; rename one",
            column.type_name
        );
        assert!(*name == column.name, "state {type_name} is registered as `{name}` and as `{}`", column.name);
    }
}

/// Registers state with an app.
///
/// Names are short and lower case: `pose`, `radio_inbox`. The name belongs to the format of hashes and snapshots; it
/// stays when the type is renamed or moved.
///
/// # Panics
/// If another type has the name, the type has another name, or a field of the type cannot be hashed.
pub trait RegisterState {
    /// Registers a component of entities with a [`StableId`].
    fn register_state<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType;

    /// As [`register_state`](Self::register_state), for a component that another value stands for in the hash; nothing while
    /// the component has no effect.
    fn register_state_as<T>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        hashed: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    ) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType;

    /// As [`register_state`](Self::register_state), for a component that only edits change, such as parameters.
    fn register_parameters<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType;

    /// Registers the component of a kind as `sensor/BinaryFov`.
    fn register_kind<F: Family, K: KindType>(&mut self) -> &mut Self {
        self.register_parameters::<K>(format!("{}/{}", F::NAME, ident::<K>()))
    }

    /// Registers the memory of one or several kinds as `memory/Past`.
    fn register_memory<M: Memory>(&mut self) -> &mut Self {
        self.register_state::<M>(format!("memory/{}", ident::<M>()))
    }

    /// Registers a resource.
    fn register_state_resource<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + StateType;

    /// As [`register_state_resource`](Self::register_state_resource), for a resource that another value stands for in the
    /// hash.
    fn register_state_resource_as<T, H>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        hashed: for<'w> fn(&'w World) -> Option<&'w dyn PartialReflect>,
    ) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone,
        H: StateType;

    /// Registers a part of a resource.
    fn register_state_part<T: ResourcePart + StateType>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self;

    /// Registers a resource that is part of snapshots, but not of the hash, and does not affect results.
    fn register_record<T: Record + Resource<Mutability = Mutable>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> &mut Self;

    /// Registers a part of a resource as a record.
    fn register_record_part<T: ResourcePart + Record>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self;
}

impl RegisterState for App {
    fn register_state<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType,
    {
        add_component::<T>(self.world_mut(), name.into(), hashed_whole::<T>, Some(exchange_of::<T>));
        self
    }

    fn register_state_as<T>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        hashed: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    ) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType,
    {
        add_component::<T>(self.world_mut(), name.into(), hashed, Some(exchange_of::<T>));
        self
    }

    fn register_parameters<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType,
    {
        add_component::<T>(self.world_mut(), name.into(), hashed_whole::<T>, None);
        self
    }

    fn register_state_resource<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + StateType,
    {
        let access = resource::<T>(
            self.world_mut(),
            |world| world.get_resource::<T>().map(PartialReflect::as_partial_reflect),
            |_| 0,
        );
        add_hashed::<T>(self.world_mut(), name.into(), access);
        self
    }

    fn register_state_resource_as<T, H>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
        hashed: for<'w> fn(&'w World) -> Option<&'w dyn PartialReflect>,
    ) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone,
        H: StateType,
    {
        let access = resource::<T>(self.world_mut(), hashed, |_| 0);
        add_hashed::<H>(self.world_mut(), name.into(), access);
        self
    }

    fn register_state_part<T: ResourcePart + StateType>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        let access = part::<T>(self.world_mut(), |world| part_of::<T>(world).map(PartialReflect::as_partial_reflect));
        add_hashed::<T>(self.world_mut(), name.into(), Access::Resource(access));
        self
    }

    fn register_record<T: Record + Resource<Mutability = Mutable>>(
        &mut self,
        name: impl Into<Cow<'static, str>>,
    ) -> &mut Self {
        let bytes = |world: &World| world.get_resource::<T>().map_or(0, bytes_of);
        let access = resource::<T>(self.world_mut(), |_| None, bytes);
        add::<T>(self.world_mut(), name.into(), access);
        self
    }

    fn register_record_part<T: ResourcePart + Record>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        let access = ResourceAccess {
            is_same: |world, saved| {
                let saved = saved.downcast_ref::<Option<T>>().and_then(Option::as_ref);
                part_of::<T>(world).zip(saved).is_some_and(|(now, saved)| now.is_same(saved))
            },
            bytes: |world| part_of(world).map_or(0, bytes_of::<T>),
            ..part::<T>(self.world_mut(), |_| None)
        };
        let access = Access::Resource(access);
        add::<T>(self.world_mut(), name.into(), access);
        self
    }
}

/// The size of a record and of the memory that it points to, in bytes.
fn bytes_of<T: Record>(record: &T) -> usize {
    size_of::<T>() + record.heap_bytes()
}

/// The value of a part.
fn part_of<T: ResourcePart>(world: &World) -> Option<&T> {
    world.get_resource().and_then(T::get)
}

/// The component itself, for the hash.
fn hashed_whole<T: Component + Reflect>(entity: EntityRef<'_>) -> Option<&dyn PartialReflect> {
    entity.get::<T>().map(PartialReflect::as_partial_reflect)
}

fn exchange_of<T: Component<Mutability = Mutable> + StateType>(world: &mut World) -> Box<dyn Exchange> {
    Box::new(world.query_filtered::<&'static mut T, With<StableId>>())
}

fn add_component<T>(
    world: &mut World,
    name: Cow<'static, str>,
    hashed: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    exchange: Option<fn(&mut World) -> Box<dyn Exchange>>,
) where
    T: Component<Mutability = Mutable> + StateType,
{
    const { assert!(matches!(T::STORAGE_TYPE, StorageType::Table), "state is kept in tables, which batches exchange") };
    let access = ComponentAccess {
        id: world.register_component::<T>(),
        get: hashed,
        rows: |room| Box::new(Vec::<T>::with_capacity(room)),
        has_heap: size::has_heap(T::type_info()),
        exchange,
    };
    add_hashed::<T>(world, name, Access::Component(access));
}

fn add_hashed<T: Typed + GetTypeRegistration>(world: &mut World, name: Cow<'static, str>, access: Access) {
    let mut kinds = world.get_resource_or_init::<Kinds>();
    kinds.add_type::<T>();
    check_hashable(T::type_info(), kinds.types(), &name);
    add::<T>(world, name, access);
}

fn add<T: 'static>(world: &mut World, name: Cow<'static, str>, access: Access) {
    let column = Column { name, type_id: TypeId::of::<T>(), type_name: type_name::<T>(), access };
    world.get_resource_or_init::<StateRegistry>().add(column);
}

fn resource<T: Resource<Mutability = Mutable> + Clone>(
    world: &mut World,
    get: for<'w> fn(&'w World) -> Option<&'w dyn PartialReflect>,
    bytes: fn(&World) -> usize,
) -> Access {
    Access::Resource(ResourceAccess {
        id: world.register_component::<T>(),
        get,
        save: |world| Box::new(world.get_resource::<T>().cloned()),
        load: |world, saved| match saved.downcast_ref::<Option<T>>() {
            Some(Some(value)) => world.insert_resource(value.clone()),
            _ => _ = world.remove_resource::<T>(),
        },
        is_same: |_, _| false,
        bytes,
    })
}

/// As [`resource`], of a part.
fn part<T: ResourcePart>(
    world: &mut World,
    get: for<'w> fn(&'w World) -> Option<&'w dyn PartialReflect>,
) -> ResourceAccess {
    ResourceAccess {
        id: world.register_component::<T::Whole>(),
        get,
        save: |world| Box::new(part_of::<T>(world).cloned()),
        load: |world, saved| {
            if let (Some(value), Some(mut whole)) =
                (saved.downcast_ref::<Option<T>>(), world.get_resource_mut::<T::Whole>())
            {
                T::put(&mut whole, value.clone());
            }
        },
        is_same: |_, _| false,
        bytes: |_| 0,
    }
}

/// Whether no value of a component was written since a tick.
fn is_untouched<'w>(
    mut entities: impl Iterator<Item = EntityRef<'w>>,
    component: ComponentId,
    since: Tick,
    now: Tick,
) -> bool {
    let is_changed = |entity: EntityRef| {
        let ticks = entity.get_change_ticks_by_id(component);
        ticks.is_none_or(|ticks| ticks.is_changed(since, now))
    };
    !entities.any(is_changed)
}

impl ComponentAccess {
    fn save<'w>(&self, owners: &Owners, entities: impl Iterator<Item = EntityRef<'w>>, types: &TypeRegistry) -> Saved {
        let mut rows = (self.rows)(owners.len());
        entities.for_each(|entity| rows.push(entity));
        let values = (0..owners.len()).filter(|_| self.has_heap).filter_map(|row| rows.get(row));
        let heap: usize = values.map(|value| size::heap_bytes(value, types)).sum();
        let bytes = size_of::<Saved>() + rows.bytes() + heap;
        Saved { values: Values::Components(owners.clone(), rows), bytes }
    }
}

impl ResourceAccess {
    fn is_untouched(&self, world: &World, since: Tick) -> bool {
        let ticks = world.get_resource_change_ticks_by_id(self.id);
        ticks.is_some_and(|ticks| !ticks.is_changed(since, world.read_change_tick()))
    }

    fn is_same_as(&self, world: &World, saved: &Saved) -> bool {
        matches!(&saved.values, Values::Resource(value) if (self.is_same)(world, value))
    }

    fn copy(&self, world: &World, types: &TypeRegistry) -> Saved {
        let hashed = (self.get)(world).map_or(0, |value| size_of_val(value) + size::heap_bytes(value, types));
        let bytes = size_of::<Saved>() + (self.bytes)(world) + hashed;
        Saved { values: Values::Resource((self.save)(world)), bytes }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component, Reflect, Clone)]
    struct Charge(u32);

    #[derive(Component, Reflect, Clone)]
    struct Load(u32);

    #[test]
    fn a_state_type_can_be_registered_again_under_its_name() {
        let mut app = App::empty();
        app.register_state::<Charge>("charge").register_state::<Load>("load").register_state::<Charge>("charge");
        assert_eq!(app.world().resource::<StateRegistry>().names().collect::<Vec<_>>(), ["charge", "load"]);
    }

    #[test]
    #[should_panic(expected = "two types of state are called `charge`")]
    fn a_state_name_belongs_to_one_type() {
        App::empty().register_state::<Charge>("charge").register_state::<Load>("charge");
    }

    #[test]
    #[should_panic(expected = "is registered as `charge` and as `load`")]
    fn a_state_type_has_one_name() {
        App::empty().register_state::<Charge>("charge").register_state::<Charge>("load");
    }
}

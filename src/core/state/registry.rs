//! The registry of state: every component and resource that a step reads or writes, each under a stable name.
//!
//! The name identifies the type in the hash and in snapshots. It is independent of the Rust path, so moving a type
//! changes no hash. Kinds and memories are named after their types, without the path.

use std::any::{Any, TypeId};
use std::borrow::Cow;
use std::collections::btree_map::Entry;
use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use bevy::ecs::archetype::Archetype;
use bevy::ecs::change_detection::Tick;
use bevy::ecs::component::{ComponentId, Mutable};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, TypeRegistry, Typed};
use swarmarium_base::id::{StableId, name_hash};

use super::hash::StateHasher;
use super::rows::{Exchange, Rows};
use super::size;
use super::snapshot::Part;

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

/// A part of a resource whose copies share memory until it changes, such as blocks of a field.
pub trait SharedPart: ResourcePart {
    /// The value that stands for it in the hash.
    type Digest: StateType;

    /// The value that stands for it in the hash.
    fn digest(&self) -> &Self::Digest;

    /// Whether it is known to be the same as a copy, so that snapshots share the copy.
    fn is_same(&self, other: &Self) -> bool;

    /// The pieces of memory that copies share.
    fn shared(&self) -> Vec<Part>;
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
pub(super) type SavedResource = Box<dyn Any + Send + Sync>;

/// One registered type.
#[derive(Clone)]
pub(super) struct Column {
    pub name: Cow<'static, str>,
    pub type_id: TypeId,
    pub type_name: &'static str,
    pub access: Access,
}

/// The functions to read, save and load a registered type.
#[derive(Clone, Copy)]
pub(super) enum Access {
    Component(ComponentAccess),
    Resource(ResourceAccess),
}

#[derive(Clone, Copy)]
pub(super) struct ComponentAccess {
    pub id: ComponentId,
    pub get: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    /// Creates an empty list with capacity for a number of values.
    pub rows: fn(usize) -> Box<dyn Rows>,
    /// Whether values can own memory outside themselves.
    pub has_heap: bool,
    /// Whether values can have fields that the hash leaves out at their default.
    pub may_skip: bool,
    /// Exchanges all values of a world with saved ones; `None` if only edits change values: parameters of kinds, and what
    /// tells agents apart.
    pub exchange: Option<fn(&mut World) -> Box<dyn Exchange>>,
}

#[derive(Clone, Copy)]
pub(super) struct ResourceAccess {
    pub id: ComponentId,
    /// The value for the hash; `None` for records.
    pub get: fn(&World) -> Option<&dyn PartialReflect>,
    pub save: fn(&World) -> SavedResource,
    pub load: fn(&mut World, &SavedResource),
    /// Whether the value of a record is known to be the same as a saved one.
    pub is_same: fn(&World, &SavedResource) -> bool,
    /// The size of a record and of the memory that it points to, in bytes; 0 if [`get`](Self::get) returns a value.
    pub bytes: fn(&World) -> usize,
    /// The pieces of memory that copies share.
    pub shared: fn(&World) -> Vec<Part>,
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
    /// The size of the values and of memory that they point to, in bytes, without shared pieces.
    pub bytes: usize,
    /// The pieces of memory that it shares with other copies.
    pub shared: Vec<Part>,
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
                hasher.add(name_hash(&column.name), None, value, false);
            }
        }
        self.each_component(world, |index, access, id, entity| {
            if let Some(value) = (access.get)(entity) {
                access.add(hasher, name_hash(&self.columns[index].name), id, value);
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
                access.add(&mut hasher, name_hash(&self.columns[index].name), id, value);
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
    pub(super) fn add(&mut self, column: Column) {
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
    fn add(&self, hasher: &mut StateHasher, name_hash: u64, owner: StableId, value: &dyn PartialReflect) {
        hasher.add(name_hash, Some(owner), value, self.may_skip);
    }

    fn save<'w>(&self, owners: &Owners, entities: impl Iterator<Item = EntityRef<'w>>, types: &TypeRegistry) -> Saved {
        let mut rows = (self.rows)(owners.len());
        entities.for_each(|entity| rows.push(entity));
        let values = (0..owners.len()).filter(|_| self.has_heap).filter_map(|row| rows.get(row));
        let heap: usize = values.map(|value| size::heap_bytes(value, types)).sum();
        let bytes = size_of::<Saved>() + rows.bytes() + heap;
        Saved { values: Values::Components(owners.clone(), rows), bytes, shared: Vec::new() }
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
        Saved { values: Values::Resource((self.save)(world)), bytes, shared: (self.shared)(world) }
    }
}

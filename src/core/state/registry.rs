//! The registry of state: every component and resource that a step reads or writes, each under a stable name.
//!
//! The name stands for the type in the hash and in snapshots. It is independent of the Rust path, so moving a type changes
//! no hash. Kinds and memories are named after their types, without the path.

use std::any::{Any, TypeId, type_name};
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet};

use bevy::ecs::component::{ComponentId, Mutable};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, Typed};
use swarmarium_base::id::{StableId, name_hash};

use super::hash::{StateHasher, check_hashable};
use crate::kind::{Family, KindType, Kinds, ident};

/// A type of state: derive `Reflect` and `Clone`.
pub trait StateType: Reflect + Typed + GetTypeRegistration + Clone {}

impl<T: Reflect + Typed + GetTypeRegistration + Clone> StateType for T {}

/// The memory of a kind: derive `Component`, `Reflect`, `Clone` and `Default`.
pub trait Memory: Component<Mutability = Mutable> + StateType + Default {}

impl<T: Component<Mutability = Mutable> + StateType + Default> Memory for T {}

/// The memory of a controller or sensor that has none.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NoMemory;

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

/// How to read, save and load a registered type.
#[derive(Clone, Copy)]
enum Access {
    Component(ComponentAccess),
    Resource(ResourceAccess),
}

#[derive(Clone, Copy)]
struct ComponentAccess {
    id: ComponentId,
    get: for<'w> fn(EntityRef<'w>) -> Option<&'w dyn PartialReflect>,
    rows: fn() -> Box<dyn Rows>,
}

#[derive(Clone, Copy)]
struct ResourceAccess {
    /// The value that the hash sees; `None` for records.
    get: fn(&World) -> Option<&dyn PartialReflect>,
    save: fn(&World) -> SavedResource,
    load: fn(&mut World, &SavedResource),
}

/// Saved values of one component.
///
/// Only these two functions are compiled once per type. The walk over entities is compiled once for all types.
pub(super) trait Rows: Send + Sync {
    /// Appends a copy of the component of an entity.
    fn push(&mut self, entity: EntityRef);

    /// Inserts a copy of a value into an entity.
    fn insert(&self, row: usize, entity: &mut EntityWorldMut);
}

impl<T: Component + Clone> Rows for Vec<T> {
    fn push(&mut self, entity: EntityRef) {
        self.extend(entity.get::<T>().cloned());
    }

    fn insert(&self, row: usize, entity: &mut EntityWorldMut) {
        if let Some(value) = self.get(row) {
            entity.insert(value.clone());
        }
    }
}

/// The saved values of one registered type.
pub(super) enum Saved {
    /// Components, with their owners.
    Components(Vec<StableId>, Box<dyn Rows>),
    /// A resource, if there was one.
    Resource(SavedResource),
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

    /// A number for the list of registered types: snapshots of registries that differ in it do not fit each other.
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

    /// Copies all registered state, in the order of registration.
    pub(super) fn save(&self, world: &World) -> Vec<Saved> {
        let empty = |column: &Column| match column.access {
            Access::Component(access) => Saved::Components(Vec::new(), (access.rows)()),
            Access::Resource(access) => Saved::Resource((access.save)(world)),
        };
        let mut saved: Vec<Saved> = self.columns.iter().map(empty).collect();
        self.each_component(world, |index, _, id, entity| {
            if let Saved::Components(owners, rows) = &mut saved[index] {
                owners.push(id);
                rows.push(entity);
            }
        });
        saved
    }

    /// Puts state back that [`save`](Self::save) copied with a registry of the same [schema](Self::schema).
    pub(super) fn load(&self, world: &mut World, saved: &[Saved], entities: &BTreeMap<StableId, Entity>) {
        for (column, saved) in self.columns.iter().zip(saved) {
            match (column.access, saved) {
                (Access::Resource(access), Saved::Resource(value)) => (access.load)(world, value),
                (_, Saved::Components(owners, rows)) => {
                    for (row, owner) in owners.iter().enumerate() {
                        if let Some(entity) = entities.get(owner) {
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
    fn remove_all_but(&self, world: &mut World, saved: &[Saved]) {
        let mut counts = vec![0; self.columns.len()];
        self.each_component(world, |index, _, _, _| counts[index] += 1);
        // Every saved component is in the world now. Where the world has no more than those, there is nothing to remove.
        let owners: Vec<Option<BTreeSet<StableId>>> = (saved.iter().zip(counts))
            .map(|(saved, count)| match saved {
                Saved::Components(owners, _) if owners.len() < count => Some(owners.iter().copied().collect()),
                _ => None,
            })
            .collect();
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

    /// Visits every registered component of every entity that has a [`StableId`], with the place of its column.
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
    /// When another type has the name, or the type has another name.
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
/// Names are short and lower case: `pose`, `radio_inbox`. The name belongs to the format of hashes and snapshots; it stays
/// when the type is renamed or moved.
///
/// # Panics
/// When another type has the name, the type has another name, or a field of the type cannot be hashed.
pub trait RegisterState {
    /// Registers a component of entities that have a [`StableId`].
    fn register_state<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType;

    /// Registers the component of a kind as `sensor/BinaryFov`.
    fn register_kind<F: Family, K: KindType>(&mut self) -> &mut Self {
        self.register_state::<K>(format!("{}/{}", F::NAME, ident::<K>()))
    }

    /// Registers the memory of one or several kinds as `memory/Past`.
    fn register_memory<M: Memory>(&mut self) -> &mut Self {
        self.register_state::<M>(format!("memory/{}", ident::<M>()))
    }

    /// Registers a resource.
    fn register_state_resource<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + StateType;

    /// Registers a resource that snapshots keep and that no result depends on: it has no part in the hash.
    fn register_record<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone;
}

impl RegisterState for App {
    fn register_state<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Component<Mutability = Mutable> + StateType,
    {
        let id = self.world_mut().register_component::<T>();
        let access = ComponentAccess {
            id,
            get: |entity| entity.get::<T>().map(PartialReflect::as_partial_reflect),
            rows: || Box::new(Vec::<T>::new()),
        };
        add_hashed::<T>(self.world_mut(), name.into(), Access::Component(access));
        self
    }

    fn register_state_resource<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + StateType,
    {
        let access = resource::<T>(|world| world.get_resource::<T>().map(PartialReflect::as_partial_reflect));
        add_hashed::<T>(self.world_mut(), name.into(), access);
        self
    }

    fn register_record<T>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self
    where
        T: Resource<Mutability = Mutable> + Clone,
    {
        add::<T>(self.world_mut(), name.into(), resource::<T>(|_| None));
        self
    }
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

fn resource<T: Resource<Mutability = Mutable> + Clone>(get: fn(&World) -> Option<&dyn PartialReflect>) -> Access {
    Access::Resource(ResourceAccess {
        get,
        save: |world| Box::new(world.get_resource::<T>().cloned()),
        load: |world, saved| match saved.downcast_ref::<Option<T>>() {
            Some(Some(value)) => world.insert_resource(value.clone()),
            _ => _ = world.remove_resource::<T>(),
        },
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Component, Reflect, Clone)]
    struct Charge(u32);

    #[derive(Component, Reflect, Clone)]
    struct Load(u32);

    #[test]
    fn a_type_can_be_registered_again_under_its_name() {
        let mut app = App::empty();
        app.register_state::<Charge>("charge").register_state::<Load>("load").register_state::<Charge>("charge");
        assert_eq!(app.world().resource::<StateRegistry>().names().collect::<Vec<_>>(), ["charge", "load"]);
    }

    #[test]
    #[should_panic(expected = "two types of state are called `charge`")]
    fn a_name_stands_for_one_type() {
        App::empty().register_state::<Charge>("charge").register_state::<Load>("charge");
    }

    #[test]
    #[should_panic(expected = "is registered as `charge` and as `load`")]
    fn a_type_has_one_name() {
        App::empty().register_state::<Charge>("charge").register_state::<Charge>("load");
    }
}

//! Registration of state with an app.

use std::any::{TypeId, type_name};
use std::borrow::Cow;

use bevy::ecs::component::{Mutable, StorageType};
use bevy::prelude::*;
use bevy::reflect::{GetTypeRegistration, Typed};
use swarmarium_base::id::StableId;

use super::hash::{check_hashable, may_skip};
use super::registry::{
    Access, Column, ComponentAccess, Memory, Record, ResourceAccess, ResourcePart, SavedResource, SharedPart,
    StateRegistry, StateType,
};
use super::rows::Exchange;
use super::size;
use crate::kind::{Family, KindType, Kinds, ident};

/// Registers state with an app.
///
/// Names are short and lower case: `pose`, `radio_inbox`. The name belongs to the format of hashes and snapshots; it
/// stays when the type is renamed or moved.
///
/// ```
/// # use bevy::prelude::{App, Component, Reflect};
/// # use swarmarium_core::state::RegisterState as _;
/// /// The temperature of a robot, which systems of a plugin change.
/// #[derive(Component, Reflect, Clone, Default)]
/// struct Temperature(f64);
///
/// fn plugin(app: &mut App) {
///     app.register_state::<Temperature>("temperature");
/// }
/// ```
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

    /// As [`register_state_part`](Self::register_state_part), for a part whose copies share memory.
    fn register_shared_part<T: SharedPart>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self;

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

    fn register_shared_part<T: SharedPart>(&mut self, name: impl Into<Cow<'static, str>>) -> &mut Self {
        let access = ResourceAccess {
            is_same: |world, saved| is_same_part(world, saved, T::is_same),
            shared: |world| part_of::<T>(world).map(T::shared).unwrap_or_default(),
            ..part::<T>(self.world_mut(), |world| part_of::<T>(world).map(|part| part.digest().as_partial_reflect()))
        };
        add_hashed::<T::Digest>(self.world_mut(), name.into(), Access::Resource(access));
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
            is_same: |world, saved| is_same_part(world, saved, T::is_same),
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

/// Whether a part is known to be the same as a saved one.
fn is_same_part<T: ResourcePart>(world: &World, saved: &SavedResource, is_same: fn(&T, &T) -> bool) -> bool {
    let saved = saved.downcast_ref::<Option<T>>().and_then(Option::as_ref);
    part_of::<T>(world).zip(saved).is_some_and(|(now, saved)| is_same(now, saved))
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
    let mut kinds = world.get_resource_or_init::<Kinds>();
    kinds.add_type::<T>();
    let may_skip = may_skip(T::type_info(), kinds.types());
    let access = ComponentAccess {
        id: world.register_component::<T>(),
        get: hashed,
        rows: |room| Box::new(Vec::<T>::with_capacity(room)),
        has_heap: size::has_heap(T::type_info()),
        may_skip,
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
        shared: |_| Vec::new(),
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
        shared: |_| Vec::new(),
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

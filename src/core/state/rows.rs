//! Saved values of one component, behind a few functions that are compiled once per type.

use std::any::Any;

use bevy::ecs::change_detection::ContiguousMut;
use bevy::ecs::component::Mutable;
use bevy::prelude::*;
use swarmarium_base::id::StableId;

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

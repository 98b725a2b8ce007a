//! Many sets of values for the same entities: one is in a world, the others are parked.

use bevy::prelude::*;

use super::registry::{Exchange, Rows, StateRegistry};

/// The values of the components of all entities, beside a world.
pub(crate) struct Parked(Vec<Box<dyn Rows>>);

/// Exchanges the values of components in a world with parked ones. The entities stay.
pub(crate) struct Exchanger {
    /// What a step or an edit changes.
    state: Vec<Box<dyn Exchange>>,
    /// What only edits change: the same for all sets of values.
    parameters: Vec<Box<dyn Exchange>>,
}

impl Exchanger {
    /// For the entities of a world.
    pub fn new(world: &mut World) -> Self {
        let registry = world.get_resource::<StateRegistry>().cloned().unwrap_or_default();
        let (parameters, state): (Vec<_>, Vec<_>) =
            registry.exchanges(world).into_iter().partition(|(is_parameter, _)| *is_parameter);
        let [state, parameters] = [state, parameters].map(|list| list.into_iter().map(|(_, one)| one).collect());
        Self { state, parameters }
    }

    /// A copy of the values in the world.
    pub fn copy(&mut self, world: &mut World) -> Parked {
        Parked(self.state.iter_mut().map(|column| column.copy(world)).collect())
    }

    /// Exchanges the values in the world with parked ones.
    pub fn exchange(&mut self, world: &mut World, parked: &mut Parked) {
        for (column, rows) in self.state.iter_mut().zip(&mut parked.0) {
            column.exchange(world, &mut **rows);
        }
    }

    /// A copy of the parameters in the world.
    pub fn parameters(&mut self, world: &mut World) -> Parked {
        Parked(self.parameters.iter_mut().map(|column| column.copy(world)).collect())
    }
}

impl Parked {
    /// Whether the values are equal to others.
    pub fn is_equal(&self, other: &Self) -> bool {
        let mut both = self.0.iter().zip(&other.0);
        self.0.len() == other.0.len() && both.all(|(one, other)| is_equal(&**one, &**other))
    }

    /// The size in bytes, without memory that values point to.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|rows| rows.bytes() + size_of::<Box<dyn Rows>>() + size_of::<Vec<u8>>()).sum()
    }
}

fn is_equal(one: &dyn Rows, other: &dyn Rows) -> bool {
    let mut row = 0;
    loop {
        match (one.get(row), other.get(row)) {
            (None, None) => return true,
            (Some(one), Some(other)) if one.reflect_partial_eq(other) == Some(true) => row += 1,
            _ => return false,
        }
    }
}

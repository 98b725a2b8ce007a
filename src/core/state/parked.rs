//! Many sets of values for the same entities: one is in a world, the others are parked.

use bevy::prelude::*;

use super::registry::{Exchange, ParameterColumn, Rows, StateRegistry};

/// The values of components of all entities, beside a world.
pub(crate) struct Parked(Vec<Box<dyn Rows>>);

/// Exchanges the values of components in a world with parked ones. The entities stay.
pub(crate) struct Exchanger {
    /// What a step or an edit changes.
    state: Vec<Box<dyn Exchange>>,
    /// What only edits change: the same for all sets of values.
    parameters: Vec<ParameterColumn>,
}

impl Exchanger {
    /// For the entities of a world.
    pub fn new(world: &mut World) -> Self {
        let registry = world.get_resource::<StateRegistry>().cloned().unwrap_or_default();
        let (state, parameters) = registry.exchanges(world);
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
    pub fn parameters(&self, world: &World) -> Parked {
        Parked(self.parameters.iter().map(|column| column.copy(world)).collect())
    }

    /// Whether the parameters in the world, which has started again, are equal to parked ones.
    pub fn has_parameters(&mut self, world: &World, parked: &Parked) -> bool {
        ParameterColumn::find_all(&mut self.parameters, world);
        let mut both = self.parameters.iter().zip(&parked.0);
        self.parameters.len() == parked.0.len() && both.all(|(column, rows)| column.is_equal(world, &**rows))
    }
}

impl Parked {
    /// The size in bytes, without memory that values point to.
    pub fn bytes(&self) -> usize {
        self.0.iter().map(|rows| rows.bytes() + size_of::<Box<dyn Rows>>() + size_of::<Vec<u8>>()).sum()
    }
}

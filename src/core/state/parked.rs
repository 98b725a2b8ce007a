//! Many sets of values for the same entities: one is in a world, the others are parked.

use bevy::prelude::*;

use super::registry::{ParameterColumn, StateRegistry};
use super::rows::{Exchange, Rows};

/// The values of components of all entities, beside a world.
pub struct Parked {
    state: Vec<Box<dyn Rows>>,
    /// The parameters that are not the same in all sets.
    parameters: Vec<Box<dyn Rows>>,
}

/// All parameters of the entities of a world.
pub struct Parameters(Vec<Box<dyn Rows>>);

/// Exchanges the values of components in a world with parked ones. The entities stay.
pub struct Exchanger {
    /// What a step or an edit changes.
    state: Vec<Box<dyn Exchange>>,
    /// What only edits change.
    parameters: Vec<ParameterColumn>,
}

/// The parameters that are not the same in all sets of values, by their places among all parameters.
pub type Varying = Vec<usize>;

impl Exchanger {
    /// For the entities of a world.
    pub fn new(world: &mut World) -> Self {
        let registry = world.get_resource::<StateRegistry>().cloned().unwrap_or_default();
        let (state, parameters) = registry.exchanges(world);
        Self { state, parameters }
    }

    /// A copy of the values in the world, which has started again.
    pub fn copy(&mut self, world: &mut World, varying: &Varying) -> Parked {
        let state = self.state.iter_mut().map(|column| column.copy(world)).collect();
        Parked { state, parameters: varying.iter().map(|place| self.parameters[*place].copy(world)).collect() }
    }

    /// Exchanges the values in the world with parked ones.
    pub fn exchange(&mut self, world: &mut World, parked: &mut Parked, varying: &Varying) {
        for (column, rows) in self.state.iter_mut().zip(&mut parked.state) {
            column.exchange(world, &mut **rows);
        }
        for (place, rows) in varying.iter().zip(&mut parked.parameters) {
            self.parameters[*place].exchange(world, &mut **rows);
        }
    }

    /// A copy of all parameters in the world.
    pub fn parameters(&self, world: &World) -> Parameters {
        Parameters(self.parameters.iter().map(|column| column.copy(world)).collect())
    }

    /// The places of the parameters in the world that are not equal to others; `None` if these are for other entities. The
    /// world has started again.
    pub fn differences(&mut self, world: &World, others: &Parameters) -> Option<Varying> {
        ParameterColumn::find_all(&mut self.parameters, world);
        let all = self.parameters.iter().zip(&others.0).enumerate();
        let different = all.filter(|(_, (column, rows))| !column.is_equal(world, &***rows));
        different.map(|(place, (column, _))| (!column.is_identity).then_some(place)).collect()
    }
}

impl Parked {
    /// Adds a parameter that was the same in all sets of values.
    pub fn add(&mut self, all: &Parameters, place: usize) {
        self.parameters.push(all.0[place].copy());
    }

    /// The size in bytes, without memory that values point to.
    pub fn bytes(&self) -> usize {
        let all = self.state.iter().chain(&self.parameters);
        all.map(|rows| rows.bytes() + size_of::<Box<dyn Rows>>() + size_of::<Vec<u8>>()).sum()
    }
}

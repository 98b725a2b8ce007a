//! Where entities are in the tables of a query.

use std::collections::BTreeMap;

use bevy::prelude::Entity;

/// The rows of some entities in the tables of a query, looked up once: columns of components are then read and written
/// without a search for each entity.
///
/// ```
/// # use bevy::prelude::*;
/// # use swarmarium_simulation::batch::TableRows;
/// #[derive(Component)]
/// struct Charge(u32);
///
/// let mut world = World::new();
/// let cells: Vec<Entity> = (0..3).map(|charge| world.spawn(Charge(charge)).id()).collect();
/// let mut query = world.query::<(Entity, &Charge)>();
/// let query = query.query(&world);
/// let tables = || query.contiguous_iter().into_iter().flatten();
///
/// let (mut rows, mut charges) = (TableRows::new(vec![cells[2], cells[0]]), [0; 2]);
/// rows.look_up(tables().map(|(entities, _)| entities));
/// assert!(rows.visit(tables(), |place, column, row| charges[place] = column[row].0));
/// assert_eq!(charges, [2, 0]);
/// ```
#[derive(Debug, Default)]
pub struct TableRows {
    entities: Vec<Entity>,
    /// The number of entities that are none.
    missing: usize,
    /// By table with entities, in the order of the query: rows, each with the place of its entity in the list.
    tables: Vec<Vec<(u32, u32)>>,
}

impl TableRows {
    /// For these entities of a world. [`Entity::PLACEHOLDER`] stands for one that is gone.
    pub fn new(entities: Vec<Entity>) -> Self {
        let missing = entities.iter().filter(|entity| **entity == Entity::PLACEHOLDER).count();
        Self { entities, missing, tables: Vec::new() }
    }

    /// Visits the entities that are where they were when they were looked up: `visit` gets the place of an entity in the
    /// list, the columns of its table, and its row. Returns whether all entities are there.
    #[inline]
    pub fn visit<'w, C>(
        &self,
        tables: impl Iterator<Item = (&'w [Entity], C)>,
        mut visit: impl FnMut(usize, &mut C, usize),
    ) -> bool {
        let mut found = self.missing;
        for ((entities, mut columns), rows) in tables.zip(&self.tables) {
            for (row, place) in rows {
                let (row, place) = (*row as usize, *place as usize);
                if entities.get(row) == Some(&self.entities[place]) {
                    visit(place, &mut columns, row);
                    found += 1;
                }
            }
        }
        found == self.entities.len()
    }

    /// Looks up the entities in all tables with entities of the query.
    #[cold]
    pub fn look_up<'w>(&mut self, tables: impl Iterator<Item = &'w [Entity]>) {
        let places: BTreeMap<Entity, u32> = self.entities.iter().copied().zip(0..).collect();
        let rows_of = |entities: &[Entity]| {
            let rows = entities.iter().zip(0..);
            rows.filter_map(|(entity, row)| Some((row, *places.get(entity)?))).collect()
        };
        self.tables = tables.map(rows_of).collect();
    }
}

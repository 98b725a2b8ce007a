//! Commands that a host gives to the same robots again and again.

use bevy::ecs::change_detection::ContiguousMut;
use bevy::prelude::*;
use swarmarium_core::agent::CommandForm;
use swarmarium_core::controller::commanded::Commanded;

use super::TableRows;
use crate::simulation::Simulation;

/// The commands of some agents in a world, which are found once.
pub struct CommandColumn {
    rows: TableRows,
    query: QueryState<(Entity, &'static mut Commanded)>,
}

impl CommandColumn {
    /// For these agents. [`Entity::PLACEHOLDER`] stands for one that is gone.
    pub fn new(simulation: &mut Simulation, agents: Vec<Entity>) -> Self {
        Self { rows: TableRows::new(agents), query: simulation.world_mut().query() }
    }

    /// Commands the agents as [`Simulation::command`] does, without its checks: they take commands of this form, and no value
    /// is larger than 1000. Values have a row for each agent. Returns whether all agents that are not gone are there.
    pub fn write(&mut self, simulation: &mut Simulation, form: CommandForm, values: &[f64]) -> bool {
        self.try_write(simulation, form, values) || {
            let mut query = self.query.query_mut(simulation.world_mut());
            self.rows.look_up(query.contiguous_iter_mut().into_iter().flatten().map(|(entities, _)| entities));
            self.try_write(simulation, form, values)
        }
    }

    fn try_write(&mut self, simulation: &mut Simulation, form: CommandForm, values: &[f64]) -> bool {
        let width = form.width();
        let mut query = self.query.query_mut(simulation.world_mut());
        let tables = query.contiguous_iter_mut().into_iter().flatten().map(|(entities, column)| {
            let (column, mut ticks) = ContiguousMut::split(column);
            ticks.mark_all_as_changed();
            (entities, column)
        });
        self.rows.visit(tables, |place, column, row| {
            if let Some(values) = values.get(place * width..(place + 1) * width) {
                column[row].0 = Some(form.command(values));
            }
        })
    }
}

//! The parts of all arrays of a batch that belong to one simulation.

use bevy::ecs::world::WorldId;
use swarmarium::agent::CommandForm;
use swarmarium::edit::Edit;
use swarmarium::problem::Problem;
use swarmarium::simulation::Simulation;

use crate::column::{Column, Content};
use crate::view::{View, ViewColumn};

/// The columns of all views in the worlds that a thread has used.
#[derive(Default)]
pub struct Columns(Vec<(WorldId, Vec<Column>)>);

impl Columns {
    /// The columns in the world of a simulation.
    pub fn of(&mut self, simulation: &Simulation, views: &[ViewColumn]) -> Result<&mut Vec<Column>, String> {
        let world = simulation.world().id();
        let place = match self.0.iter().position(|(known, _)| *known == world) {
            Some(place) => place,
            None => {
                let named = |view: &ViewColumn| Column::named(simulation, &view.name, view.form);
                let columns = views.iter().map(named).collect::<Result<_, _>>()?;
                self.0.push((world, columns));
                self.0.len() - 1
            }
        };
        Ok(&mut self.0[place].1)
    }
}

/// The parts of all arrays that belong to one simulation.
pub struct Rows<'a> {
    /// The values that the arrays showed last.
    pub shown: Vec<&'a mut [f64]>,
    /// The commands in the arrays.
    commands: Vec<&'a [f64]>,
    /// The message of a panic of the simulation.
    pub poison: &'a mut Option<String>,
}

impl Rows<'_> {
    /// Sends the commands that have changed.
    pub fn send_commands(&self, simulation: &mut Simulation, columns: &mut [Column], logs: bool) -> Result<(), String> {
        // A parameter that was set can be the controller.
        if simulation.waiting_edits().len() > 0 {
            simulation.flush_edits();
        }
        for ((column, commands), shown) in columns.iter_mut().zip(&self.commands).zip(&self.shown) {
            let Content::Commands(form) = column.content else { continue };
            if are_same(commands, shown) {
                continue;
            }
            column.find_rows(simulation.world());
            let sent = send(simulation, form, column, commands, logs);
            sent.map_err(|problem| problem.message)?;
        }
        Ok(())
    }

    /// As [`send_commands`](Self::send_commands), for robots that took commands of this form before.
    pub fn send_again(&self, simulation: &mut Simulation, columns: &[Column]) {
        if simulation.waiting_edits().len() > 0 {
            simulation.flush_edits();
        }
        for ((column, commands), shown) in columns.iter().zip(&self.commands).zip(&self.shown) {
            if let Content::Commands(form) = column.content
                && !are_same(commands, shown)
            {
                simulation.command_again(form, &column.agents, commands);
            }
        }
    }

    /// Reads the present state.
    pub fn fill(&mut self, simulation: &Simulation, columns: &mut [Column]) {
        for (column, shown) in columns.iter_mut().zip(&mut self.shown) {
            column.fill(simulation, shown);
        }
    }
}

/// Whether two lists of numbers have the same bits.
fn are_same(one: &[f64], other: &[f64]) -> bool {
    one.iter().zip(other).all(|(one, other)| one.to_bits() == other.to_bits())
}

/// Commands the agents that are still there.
fn send(
    simulation: &mut Simulation,
    form: CommandForm,
    column: &Column,
    commands: &[f64],
    logs: bool,
) -> Result<(), Problem> {
    let is_gone = |place: &usize| column.is_gone(*place);
    if !logs && !(0..column.agents.len()).any(|place| is_gone(&place)) {
        return simulation.command(form, &column.agents, commands);
    }
    let there: Vec<usize> = (0..column.agents.len()).filter(|place| !is_gone(place)).collect();
    let agents: Vec<u32> = there.iter().map(|place| column.agents[*place]).collect();
    let row = |place: &usize| &commands[place * column.width..(place + 1) * column.width];
    let values: Vec<f64> = there.iter().flat_map(row).copied().collect();
    if logs {
        simulation.apply(Edit::Command { form, agents, values })
    } else {
        simulation.command(form, &agents, &values)
    }
}

/// The parts of all arrays, by simulation.
pub fn rows_of<'a>(views: &'a mut [View], commands: &'a [Vec<f64>], poison: &'a mut [Option<String>]) -> Vec<Rows<'a>> {
    let mut rows: Vec<Rows> =
        poison.iter_mut().map(|poison| Rows { shown: Vec::new(), commands: Vec::new(), poison }).collect();
    for (index, view) in views.iter_mut().enumerate() {
        let length = view.column.len();
        let (mut commands, mut shown) = (commands.get(index).map_or(&[][..], Vec::as_slice), view.shown_mut());
        for rows in &mut rows {
            let (own, rest) = shown.split_at_mut(length);
            let (given, others) = commands.split_at(length.min(commands.len()));
            rows.shown.push(own);
            rows.commands.push(given);
            (shown, commands) = (rest, others);
        }
    }
    rows
}

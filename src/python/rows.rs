//! The parts of all arrays of a batch that belong to one simulation.

use bevy::ecs::world::WorldId;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::CommandForm;
use swarmarium_simulation::column::{Column, ColumnContent};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::read_view::ReadView;
use swarmarium_simulation::simulation::Simulation;

use crate::view::{View, ViewColumn};

/// The columns of all views in one world.
struct InWorld {
    world: WorldId,
    columns: Vec<Column>,
    /// The [changes](Simulation::changes_outside_arena) after which no edit waits.
    flushed: Option<u64>,
}

/// The columns of all views in the worlds that a thread has used.
#[derive(Default)]
pub struct Columns {
    worlds: Vec<InWorld>,
    /// The place of the last world: worlds take turns in one order or the other.
    last: usize,
}

impl Columns {
    /// The columns in the world of a simulation. `most` is the number of simulations of the thread.
    fn for_simulation(
        &mut self,
        simulation: &Simulation,
        views: &[ViewColumn],
        most: usize,
    ) -> Result<&mut InWorld, String> {
        let world = simulation.read().world_id();
        let is_it = |place: usize| self.worlds.get(place).is_some_and(|known| known.world == world);
        let near = [self.last, self.last + 1, self.last.wrapping_sub(1)].into_iter().find(|place| is_it(*place));
        self.last = match near.or_else(|| self.worlds.iter().position(|known| known.world == world)) {
            Some(place) => place,
            None => {
                // Worlds of simulations that have started again are gone.
                if self.worlds.len() > most {
                    self.worlds.clear();
                }
                let named = |view: &ViewColumn| Column::named(simulation, &view.name, view.form);
                let columns =
                    views.iter().map(named).collect::<Result<_, _>>().map_err(|problem: Problem| problem.message)?;
                self.worlds.push(InWorld { world, columns, flushed: None });
                self.worlds.len() - 1
            }
        };
        Ok(&mut self.worlds[self.last])
    }
}

/// The parts of all arrays that belong to the simulations of a thread.
pub struct ThreadRows<'a> {
    columns: &'a mut Columns,
    /// The values that the arrays showed last.
    shown: Vec<&'a mut [f64]>,
    /// The commands in the arrays.
    commands: Vec<&'a [f64]>,
    views: &'a [ViewColumn],
    /// The place of the first simulation in the batch.
    first: usize,
    /// The number of simulations.
    count: usize,
}

impl<'a> ThreadRows<'a> {
    /// The parts that belong to one simulation, by its place in the batch.
    pub fn rows_of<'r>(&'r mut self, place: usize, simulation: &Simulation) -> Result<Rows<'r, 'a>, String> {
        let Self { columns, shown, commands, views, first, count } = self;
        Ok(Rows { world: columns.for_simulation(simulation, views, *count)?, shown, commands, place: place - *first })
    }
}

/// The parts of all arrays that belong to one simulation.
pub struct Rows<'r, 'a> {
    world: &'r mut InWorld,
    shown: &'r mut [&'a mut [f64]],
    commands: &'r [&'a [f64]],
    /// The place of the simulation on its thread.
    place: usize,
}

impl Rows<'_, '_> {
    /// Applies waiting edits: a parameter that was set can be the controller.
    fn flush_edits(&mut self, simulation: &mut Simulation) {
        let changes = simulation.changes_outside_arena();
        if self.world.flushed != Some(changes) {
            simulation.flush_edits();
            self.world.flushed = Some(changes);
        }
    }

    /// Sends the commands that have changed. Returns whether all robots of all arrays take commands.
    pub fn send_commands(&mut self, simulation: &mut Simulation, logs: bool) -> Result<bool, String> {
        self.flush_edits(simulation);
        let Self { world, shown, commands, place } = self;
        let mut take_commands = true;
        for ((column, commands), shown) in world.columns.iter_mut().zip(*commands).zip(shown.iter()) {
            let ColumnContent::Commands(form) = *column.content() else { continue };
            let [commands, shown] = [*commands, &**shown].map(|all| part_of(all, column, *place));
            if are_same(commands, shown) {
                take_commands &= simulation.takes_commands(form, column.agents());
            } else {
                column.look_up(simulation);
                send(simulation, form, column, commands, logs).map_err(|problem| problem.message)?;
            }
        }
        Ok(take_commands)
    }

    /// As [`send_commands`](Self::send_commands), for robots that take commands of this form.
    pub fn send_unchecked(&mut self, simulation: &mut Simulation) {
        self.flush_edits(simulation);
        let Self { world, shown, commands, place } = self;
        for ((column, commands), shown) in world.columns.iter_mut().zip(*commands).zip(shown.iter()) {
            let ColumnContent::Commands(form) = *column.content() else { continue };
            let [commands, shown] = [*commands, &**shown].map(|all| part_of(all, column, *place));
            if !are_same(commands, shown) {
                column.write_commands(simulation, form, commands);
            }
        }
    }

    /// Reads the present state.
    pub fn fill(&mut self, simulation: &Simulation) {
        let now = simulation.read();
        (0..self.shown.len()).for_each(|view| self.fill_one(now, view));
    }

    /// As [`fill`](Self::fill), into the last array alone.
    pub fn fill_last(&mut self, simulation: &Simulation) {
        if let Some(last) = self.shown.len().checked_sub(1) {
            self.fill_one(simulation.read(), last);
        }
    }

    fn fill_one(&mut self, now: ReadView, view: usize) {
        let column = &mut self.world.columns[view];
        let length = column.len();
        column.fill(now, &mut self.shown[view][self.place * length..][..length]);
    }
}

/// The part of an array that belongs to one simulation.
fn part_of<'v>(all: &'v [f64], column: &Column, place: usize) -> &'v [f64] {
    let length = column.len();
    &all[place * length..][..length]
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
    if !logs && !(0..column.agents().len()).any(|place| is_gone(&place)) {
        return simulation.command(form, column.agents(), commands);
    }
    let there: Vec<usize> = (0..column.agents().len()).filter(|place| !is_gone(place)).collect();
    let agents: Vec<u32> = there.iter().map(|place| column.agents()[*place]).collect();
    let row = |place: &usize| &commands[place * column.width()..(place + 1) * column.width()];
    let values: Vec<f64> = there.iter().flat_map(row).copied().collect();
    if logs {
        simulation.apply(Edit::Command { form, agents, values })
    } else {
        simulation.command(form, &agents, &values)
    }
}

/// The parts of all arrays, by thread, each with this many simulations but for the last one.
pub fn rows_of<'a>(
    views: &'a mut [View],
    parts: &'a [ViewColumn],
    columns: &'a mut [Columns],
    (per_thread, count): (usize, usize),
) -> Vec<ThreadRows<'a>> {
    let firsts = (0..count).step_by(per_thread);
    let mut rows: Vec<ThreadRows> = (columns.iter_mut().zip(firsts))
        .map(|(columns, first)| {
            let count = per_thread.min(count - first);
            ThreadRows { columns, shown: Vec::new(), commands: Vec::new(), views: parts, first, count }
        })
        .collect();
    for view in views {
        let length = view.column.len();
        let (mut shown, mut commands) = view.shown_and_commands();
        for rows in &mut rows {
            let (own, rest) = shown.split_at_mut(length * rows.count);
            let (given, others) = commands.split_at(own.len().min(commands.len()));
            rows.shown.push(own);
            rows.commands.push(given);
            (shown, commands) = (rest, others);
        }
    }
    rows
}

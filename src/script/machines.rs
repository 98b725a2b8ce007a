//! The virtual machines of one thread.

use std::sync::Arc;

use crate::error::Failure;
use crate::machine::Machine;
use crate::{Input, Output, Program, Random, ScriptError, Value};

/// Largest number of machines.
const MAX_MACHINES: usize = 32;

/// The virtual machines of one thread, by program. They are bounded: the least recently used one is dropped.
pub struct Machines<R> {
    /// The most recently used machine is the last one.
    machines: Vec<(Arc<Program>, Machine<R>)>,
}

impl<R> Default for Machines<R> {
    fn default() -> Self {
        Self { machines: Vec::new() }
    }
}

impl<R: Random + Clone + 'static> Machines<R> {
    /// No machines yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// The number of machines.
    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        self.machines.len()
    }

    /// Calls `step` of a program.
    ///
    /// `state` holds the fields of [`Face::state`](crate::Face::state), in their order and with their types.
    ///
    /// # Errors
    /// When the script raises an error, takes too long, uses too much memory or returns anything but its command. The
    /// state is unchanged then, and the output contains the printed text only.
    pub fn step(
        &mut self,
        program: &Arc<Program>,
        input: Input<R>,
        state: &mut [Value],
        output: &mut Output,
    ) -> Result<(), ScriptError> {
        let again = input.clone();
        let machine = self.machine(program).map_err(Failure::into_error)?;
        match machine.step(program.face(), input, state, output) {
            Err(Failure::Memory) => {}
            result => return result.map_err(Failure::into_error),
        }
        // The call may have failed because of the garbage of earlier calls. A fresh machine has none, and the collector
        // does not run during a call, so only the allocations of this call decide there. A call that ends well in a
        // machine with garbage also ends well in a fresh one: the result does not depend on earlier calls.
        self.machines.pop();
        let machine = self.machine(program).map_err(Failure::into_error)?;
        let result = machine.step(program.face(), again, state, output);
        if matches!(result, Err(Failure::Memory)) {
            self.machines.pop();
        }
        result.map_err(Failure::into_error)
    }

    /// The machine of a program, which becomes the last one.
    fn machine(&mut self, program: &Arc<Program>) -> Result<&mut Machine<R>, Failure> {
        let place = self.machines.iter().rposition(|(known, _)| Arc::ptr_eq(known, program));
        match place {
            Some(place) if place + 1 == self.machines.len() => {}
            Some(place) => {
                let found = self.machines.remove(place);
                self.machines.push(found);
            }
            None => {
                if self.machines.len() == MAX_MACHINES {
                    self.machines.remove(0);
                }
                self.machines.push((Arc::clone(program), Machine::new(program.code())?));
            }
        }
        let last = self.machines.len() - 1;
        Ok(&mut self.machines[last].1)
    }
}

//! The agents that die in a step.

use swarmarium_space::{Space, TOLERANCE};

/// Rows of the agents that die in this step; empty between steps.
#[derive(Debug, Default)]
pub struct PendingDeaths(Vec<usize>);

impl PendingDeaths {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Marks a fragile agent and the agents that it touches, while they still overlap.
    pub fn note_overlaps(&mut self, space: &Space, row: usize) {
        let (position, radius) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        let before = self.0.len();
        // Smaller overlaps are not corrected.
        space.index().within_range(position, radius - TOLERANCE, Some(row), |other| {
            if space.touch(row, &other) {
                self.0.push(other.row);
            }
        });
        if self.0.len() > before {
            self.0.push(row);
        }
    }

    /// Marks an agent.
    pub fn note(&mut self, row: usize) {
        self.0.push(row);
    }

    /// Marks a fragile agent that was pushed out of something.
    pub fn note_pushed(&mut self, space: &Space, row: usize) {
        if space.bodies.pushed()[row] {
            self.0.push(row);
        }
    }

    /// Takes the marked rows out; the list is reused.
    pub fn take(&mut self) -> Vec<usize> {
        std::mem::take(&mut self.0)
    }

    /// Gives the list back, to reuse its memory.
    pub fn give_back(&mut self, mut rows: Vec<usize>) {
        rows.clear();
        self.0 = rows;
    }
}

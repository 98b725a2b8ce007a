//! The threads of a simulation.

use std::fmt;

use bevy::prelude::*;
use bevy::tasks::{TaskPool, TaskPoolBuilder};
use swarmarium_space::Helpers;

use super::columns::Columns;

/// The threads of a simulation. Their number changes the speed and nothing else.
#[derive(Resource, Default)]
pub struct Workers {
    pool: Option<TaskPool>,
    eager: bool,
}

impl Workers {
    /// Below this many robots or sensors, help costs more than it brings (measured on two cores).
    const WORTH_IT: usize = 8000;

    /// A pool of this many threads; the calling thread is one of them.
    pub fn new(threads: usize) -> Self {
        let pool = (threads > 1).then(|| TaskPoolBuilder::new().num_threads(threads - 1).build());
        Self { pool, eager: false }
    }

    /// As [`new`](Self::new), but all work is shared, however little: to test that this changes nothing.
    pub fn eager(threads: usize) -> Self {
        Self { eager: true, ..Self::new(threads) }
    }

    /// Those who help, if there are any.
    pub fn helpers(&self) -> Option<Helpers<'_>> {
        self.pool.as_ref().map(|pool| Helpers { pool, is_eager: self.eager })
    }

    /// Those who help, if sharing work of this many robots or sensors pays.
    pub fn helpers_for(&self, items: usize) -> Option<Helpers<'_>> {
        self.helpers()?.for_items(items, Self::WORTH_IT)
    }

    /// Calls `act` for pieces of columns that are `rows` long, at the same time where that pays. Each piece has memory of
    /// its own in `scratch`, which serves again the next time.
    pub(crate) fn in_pieces<C: Columns, S: Default + Send>(
        &self,
        columns: C,
        rows: usize,
        scratch: &mut Vec<S>,
        act: impl Fn(C, &mut S) + Sync,
    ) {
        let Some(helpers) = self.helpers_for(rows) else {
            if scratch.is_empty() {
                scratch.push(S::default());
            }
            return act(columns, &mut scratch[0]);
        };
        let ranges: Vec<_> = helpers.pieces(rows).collect();
        scratch.resize_with(scratch.len().max(ranges.len()), S::default);
        let mut rest = columns;
        let mut pieces = Vec::with_capacity(ranges.len());
        for (range, scratch) in ranges.iter().zip(scratch) {
            let (piece, behind) = rest.cut(range.len());
            rest = behind;
            pieces.push((piece, scratch));
        }
        helpers.take_each(pieces, |(piece, scratch)| act(piece, scratch));
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.pool.as_ref().map_or(1, |pool| pool.thread_num() + 1))
    }
}

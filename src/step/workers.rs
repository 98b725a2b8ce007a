//! The threads of a simulation.

use std::fmt;

use bevy::prelude::*;
use bevy::tasks::{TaskPool, TaskPoolBuilder};

use super::columns::{Columns, pieces};

/// The threads of a simulation. Their number changes the speed and nothing else.
#[derive(Resource, Default)]
pub struct Workers {
    pool: Option<TaskPool>,
    eager: bool,
}

impl Workers {
    /// Below this many robots or sensors, help costs more than it brings (measured on two cores).
    const WORTH_IT: usize = 4000;
    /// A few pieces a thread, so that one with a crowd in it does not hold up the others.
    const PIECES_PER_THREAD: usize = 4;

    /// A pool of this many threads; the calling thread is one of them.
    pub fn new(threads: usize) -> Self {
        let pool = (threads > 1).then(|| TaskPoolBuilder::new().num_threads(threads - 1).build());
        Self { pool, eager: false }
    }

    /// As [`new`](Self::new), but all work is shared, however little: to test that this changes nothing.
    pub fn eager(threads: usize) -> Self {
        Self { eager: true, ..Self::new(threads) }
    }

    /// The pool, if sharing work of this many robots or sensors pays.
    pub fn pool_for(&self, items: usize) -> Option<&TaskPool> {
        self.pool.as_ref().filter(|_| items > 0 && (self.eager || items >= Self::WORTH_IT))
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
        let Some(pool) = self.pool_for(rows) else {
            if scratch.is_empty() {
                scratch.push(S::default());
            }
            return act(columns, &mut scratch[0]);
        };
        let count = (Self::PIECES_PER_THREAD * (pool.thread_num() + 1)).min(rows);
        scratch.resize_with(scratch.len().max(count), S::default);
        let act = &act;
        pool.scope(|scope| {
            let mut rest = columns;
            for (range, scratch) in pieces(rows, count).zip(scratch) {
                let (piece, behind) = rest.cut(range.len());
                rest = behind;
                scope.spawn(async move { act(piece, scratch) });
            }
        });
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.pool.as_ref().map_or(1, |pool| pool.thread_num() + 1))
    }
}

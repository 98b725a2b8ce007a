//! The threads of a simulation.

use std::fmt;
use std::sync::Arc;

use bevy::tasks::{TaskPool, TaskPoolBuilder};
use swarmarium_space::Helpers;

use super::columns::Columns;

/// The threads of a simulation. Their number affects only the speed.
#[derive(Clone, Default)]
pub struct Workers {
    pool: Option<Arc<TaskPool>>,
    eager: bool,
}

impl Workers {
    /// Number of robots or sensors below which parallel work is slower (measured on two cores).
    const WORTH_IT: usize = 8000;

    /// A pool of this many threads, including the calling thread.
    pub fn new(threads: usize) -> Self {
        let pool = (threads > 1).then(|| Arc::new(TaskPoolBuilder::new().num_threads(threads - 1).build()));
        Self { pool, eager: false }
    }

    /// As [`new`](Self::new), but all work is split, however small; for tests that this does not change results.
    pub fn eager(threads: usize) -> Self {
        Self { eager: true, ..Self::new(threads) }
    }

    /// The worker threads besides the calling thread, if there are any.
    pub fn helpers(&self) -> Option<Helpers<'_>> {
        self.pool.as_ref().map(|pool| Helpers { pool, is_eager: self.eager })
    }

    /// The worker threads, if splitting work of this many robots or sensors pays.
    pub fn helpers_for(&self, items: usize) -> Option<Helpers<'_>> {
        self.helpers()?.for_items(items, Self::WORTH_IT)
    }

    /// Calls `act` for each of a few items, in parallel.
    pub fn take_each<T: Send>(&self, items: Vec<T>, act: impl Fn(T) + Sync) {
        match self.helpers() {
            Some(helpers) if items.len() > 1 => helpers.take_each(items, act),
            _ => items.into_iter().for_each(act),
        }
    }

    /// Calls `act` for pieces of columns of `rows` rows, in parallel where that pays. Each piece has its own buffer in
    /// `scratch`, which is reused.
    pub fn in_pieces<C: Columns, S: Default + Send>(
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

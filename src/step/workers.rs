//! The threads of a simulation.

use std::fmt;

use bevy::prelude::*;
use bevy::tasks::{ParallelSliceMut as _, TaskPool, TaskPoolBuilder};

/// The threads of a simulation. Their number changes the speed and nothing else.
#[derive(Resource, Default)]
pub struct Workers {
    pool: Option<TaskPool>,
    eager: bool,
}

impl Workers {
    /// Below this many items help costs more than it brings.
    const WORTH_IT: usize = 1000;

    /// A pool of this many threads; the calling thread is one of them.
    pub fn new(threads: usize) -> Self {
        let pool = (threads > 1).then(|| TaskPoolBuilder::new().num_threads(threads - 1).build());
        Self { pool, eager: false }
    }

    /// As [`new`](Self::new), but all work is shared, however little: to test that this changes nothing.
    pub fn eager(threads: usize) -> Self {
        Self { eager: true, ..Self::new(threads) }
    }

    /// The pool, if sharing this many items pays from so many on.
    pub fn pool_for(&self, items: usize, worth_it: usize) -> Option<&TaskPool> {
        self.pool.as_ref().filter(|_| items > 0 && (self.eager || items >= worth_it))
    }

    /// Whether sharing this many agents or sensors among the threads pays.
    pub fn help_with(&self, items: usize) -> bool {
        self.pool_for(items, Self::WORTH_IT).is_some()
    }

    /// Calls `act` for every item, in pieces that run at the same time, each with scratch memory of its own.
    pub fn for_each<T: Send, S>(
        &self,
        mut items: &mut [T],
        scratch: impl Fn() -> S + Sync,
        act: impl Fn(&mut S, &mut T) + Sync,
    ) {
        let act_on = |items: &mut [T]| {
            let mut scratch = scratch();
            items.iter_mut().for_each(|item| act(&mut scratch, item));
        };
        match &self.pool {
            // A few pieces a thread, so that one with a crowd in it does not hold up the others.
            Some(pool) => {
                let piece = items.len().div_ceil(4 * (pool.thread_num() + 1)).max(1);
                items.par_chunk_map_mut(pool, piece, |_, items| act_on(items));
            }
            None => act_on(items),
        }
    }
}

impl fmt::Debug for Workers {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Workers({})", self.pool.as_ref().map_or(1, |pool| pool.thread_num() + 1))
    }
}

//! Threads that share the work of a space.

use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use bevy::tasks::TaskPool;

/// A few pieces per thread, so that a piece with a crowd does not delay the others.
const PIECES_PER_THREAD: usize = 4;

/// Threads that share work, including the calling one. They affect only the speed.
#[derive(Clone, Copy, Debug)]
pub struct Helpers<'a> {
    /// The other threads.
    pub pool: &'a TaskPool,
    /// Whether all work is shared, however small; for tests that this does not change results.
    pub is_eager: bool,
}

impl<'a> Helpers<'a> {
    /// The helpers, if there are at least `worth_it` items to share.
    #[must_use]
    pub fn for_items(self, items: usize, worth_it: usize) -> Option<Self> {
        (items > 0 && (self.is_eager || items >= worth_it)).then_some(self)
    }

    /// The ranges in which `length` items are shared.
    pub fn pieces(self, length: usize) -> impl Iterator<Item = Range<usize>> {
        let count = (PIECES_PER_THREAD * (self.pool.thread_num() + 1)).min(length);
        (0..count).map(move |piece| length * piece / count..length * (piece + 1) / count)
    }

    /// Calls `act` for ranges of `length` items in parallel.
    pub fn in_ranges(self, length: usize, act: impl Fn(Range<usize>) + Sync) {
        self.take_each(self.pieces(length).collect(), act);
    }

    /// Calls `act` for pieces of `items` in parallel.
    pub fn share<T: Send>(self, items: &mut [T], act: impl Fn(&mut [T]) + Sync) {
        let mut pieces = Vec::new();
        let mut rest = items;
        for range in self.pieces(rest.len()) {
            let (piece, behind) = rest.split_at_mut(range.len());
            rest = behind;
            pieces.push(piece);
        }
        self.take_each(pieces, act);
    }

    /// Calls `act` for each of a few items in parallel.
    pub fn take_each<T: Send>(self, items: Vec<T>, act: impl Fn(T) + Sync) {
        let items: Vec<_> = items.into_iter().map(|item| Mutex::new(Some(item))).collect();
        self.call_with_each(items.len(), &|place| {
            let item = items[place].lock().unwrap_or_else(PoisonError::into_inner).take();
            if let Some(item) = item {
                act(item);
            }
        });
    }

    /// Calls `act` with each number below `count` in parallel.
    ///
    /// Not generic: tasks and their executor would be compiled again for each kind of robot.
    fn call_with_each(self, count: usize, act: &(dyn Fn(usize) + Sync)) {
        self.pool.scope(|scope| (0..count).for_each(|place| scope.spawn(async move { act(place) })));
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use bevy::tasks::TaskPoolBuilder;

    use super::*;

    #[test]
    fn helper_threads_do_every_part_once() {
        let pool = TaskPoolBuilder::new().num_threads(1).build();
        let helpers = Helpers { pool: &pool, is_eager: true };
        for length in [0, 1, 7, 8, 1000] {
            let sum = AtomicUsize::new(0);
            helpers.in_ranges(length, |range| _ = sum.fetch_add(range.sum::<usize>(), Ordering::Relaxed));
            assert_eq!(sum.into_inner(), (0..length).sum::<usize>());
            let mut items: Vec<usize> = (0..length).collect();
            helpers.share(&mut items, |items| items.iter_mut().for_each(|item| *item += 1));
            assert_eq!(items, (1..=length).collect::<Vec<_>>());
            let lengths: Vec<usize> = helpers.pieces(length).map(|piece| piece.len()).collect();
            assert_eq!(lengths.len(), length.min(8));
            assert_eq!(lengths.iter().sum::<usize>(), length);
        }
    }

    #[test]
    fn eager_helper_threads_share_small_work() {
        let pool = TaskPoolBuilder::new().num_threads(1).build();
        let of = |is_eager: bool, items| Helpers { pool: &pool, is_eager }.for_items(items, 10).is_some();
        assert_eq!([of(false, 9), of(false, 10), of(true, 1), of(true, 0)], [false, true, true, false]);
    }
}

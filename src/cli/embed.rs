//! The verbs as a part of another program, such as the Python package: it gets the messages and the progress, and can drive
//! the runs of sweeps.

use std::borrow::Cow;
use std::cell::RefCell;
use std::sync::{Arc, Mutex, PoisonError};

use swarmarium_sweep::driver::Driver;

use super::interrupt;

/// A function that gets the unit of a progress, the number of finished units, and the total if it is known. Several threads
/// call it.
pub type Report = dyn Fn(&'static str, u64, Option<u64>) + Send + Sync;

/// The wishes of a program for a verb.
#[derive(Clone, Default)]
pub struct Embedding {
    /// Receives the progress.
    pub report: Option<Arc<Report>>,
    /// Drives the runs of a sweep.
    pub driver: Option<Arc<dyn Driver>>,
}

thread_local! {
    static CURRENT: RefCell<Embedding> = RefCell::default();
}

/// The messages that the host program has not taken yet.
static MESSAGES: Mutex<Vec<String>> = Mutex::new(Vec::new());

/// Runs a verb on this thread with the wishes of a program.
pub fn within<T>(embedding: Embedding, act: impl FnOnce() -> T) -> T {
    let before = CURRENT.replace(embedding);
    let done = act();
    CURRENT.replace(before);
    done
}

/// The messages since the last call, oldest first.
pub fn take_messages() -> Vec<String> {
    std::mem::take(&mut *MESSAGES.lock().unwrap_or_else(PoisonError::into_inner))
}

/// Keeps a message for the host program; returns it if there is none.
pub(super) fn keep_message(message: Cow<'_, str>) -> Option<Cow<'_, str>> {
    if !interrupt::is_left_to_host() {
        return Some(message);
    }
    MESSAGES.lock().unwrap_or_else(PoisonError::into_inner).push(message.into_owned());
    None
}

/// The receiver of the progress of the verb on this thread.
pub(super) fn report() -> Option<Arc<Report>> {
    CURRENT.with_borrow(|current| current.report.clone())
}

/// The driver of the runs of the verb on this thread.
pub(super) fn driver() -> Option<Arc<dyn Driver>> {
    CURRENT.with_borrow(|current| current.driver.clone())
}

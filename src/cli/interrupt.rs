//! Ctrl-C: the first one requests a stop after the step, the second one stops the program at once.
//!
//! While no file is being written, the first one stops the program at once, too: setting up a large scene takes seconds.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use super::{Exit, tell};

static REQUESTED: AtomicBool = AtomicBool::new(false);
static IS_LEFT_TO_HOST: AtomicBool = AtomicBool::new(false);
static HOLDS: AtomicUsize = AtomicUsize::new(0);
static WATCH: Once = Once::new();

/// Leaves Ctrl-C to the program that runs the verbs.
pub fn leave_to_host() {
    IS_LEFT_TO_HOST.store(true, Ordering::SeqCst);
}

/// Requests a stop, for a program that handles Ctrl-C itself.
pub fn request() {
    REQUESTED.store(true, Ordering::SeqCst);
}

/// Withdraws the request, after the verb has ended.
pub fn clear() {
    REQUESTED.store(false, Ordering::SeqCst);
}

/// Watches for Ctrl-C from now on, unless it is [left to the host](leave_to_host).
pub fn watch() {
    if IS_LEFT_TO_HOST.load(Ordering::SeqCst) {
        return;
    }
    WATCH.call_once(|| {
        let watching = ctrlc::set_handler(|| {
            let is_second = REQUESTED.swap(true, Ordering::SeqCst);
            if is_second || holds() == 0 {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        if let Err(error) = watching {
            tell(format_args!("Ctrl-C will not end runs cleanly: {error}"));
        }
    });
}

/// Whether a stop was requested.
pub fn requested() -> bool {
    REQUESTED.load(Ordering::SeqCst)
}

/// While a hold exists, the first Ctrl-C only sets [`requested`], so that the owner of the hold can complete its files.
#[derive(Debug)]
pub(super) struct Hold(());

impl Hold {
    /// Takes a hold, before the first file is written.
    pub fn new() -> Self {
        HOLDS.fetch_add(1, Ordering::SeqCst);
        Self(())
    }
}

impl Drop for Hold {
    fn drop(&mut self) {
        HOLDS.fetch_sub(1, Ordering::SeqCst);
    }
}

/// The number of [`Hold`]s that exist.
pub(super) fn holds() -> usize {
    HOLDS.load(Ordering::SeqCst)
}

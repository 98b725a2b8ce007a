//! Ctrl-C: the first asks to stop after the step, the second stops at once.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{Exit, tell};

static ASKED: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();

/// Watches for Ctrl-C from now on.
pub fn watch() {
    WATCH.call_once(|| {
        let watching = ctrlc::set_handler(|| {
            if ASKED.swap(true, Ordering::Relaxed) {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        if let Err(error) = watching {
            tell(format_args!("Ctrl-C will not end runs cleanly: {error}"));
        }
    });
}

/// Whether somebody asked to stop.
pub fn asked() -> bool {
    ASKED.load(Ordering::Relaxed)
}

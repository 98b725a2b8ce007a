//! The priority of threads that work beside the window.

use std::cell::Cell;

use thread_priority::{ThreadPriority, ThreadPriorityValue, set_current_thread_priority};

/// The priority of a thread that leaves most time of a core to the window, from 0 to 99: on Linux, a niceness of about 10. The
/// lowest one would starve the thread on a busy machine.
const LOW: u8 = 23;

thread_local! {
    /// Whether the thread has a low priority.
    static IS_LOW: Cell<bool> = const { Cell::new(false) };
}

/// Leaves most time of the processor to other threads. A system that refuses it runs the thread as any other.
pub fn lower() {
    if !IS_LOW.replace(true)
        && let Ok(low) = ThreadPriorityValue::try_from(LOW)
    {
        let _ = set_current_thread_priority(ThreadPriority::Crossplatform(low));
    }
}

/// Whether this thread has a low priority.
pub fn is_low() -> bool {
    IS_LOW.get()
}

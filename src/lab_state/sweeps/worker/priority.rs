//! The priority of threads that work beside the window.

use std::cell::Cell;

use thread_priority::{ThreadPriority, set_current_thread_priority};

thread_local! {
    /// Whether the thread has a low priority.
    static IS_LOW: Cell<bool> = const { Cell::new(false) };
}

/// Leaves the time of the processor to other threads. A system that refuses it runs the thread as any other.
pub fn lower() {
    if !IS_LOW.replace(true) && !runs_when_idle() {
        let _ = set_current_thread_priority(ThreadPriority::Min);
    }
}

/// Lets this thread run only while no other one wants its core, where the system can do that. Returns whether it can.
#[cfg(target_os = "linux")]
fn runs_when_idle() -> bool {
    use thread_priority::unix::{
        NormalThreadSchedulePolicy, ThreadSchedulePolicy, set_thread_priority_and_policy, thread_native_id,
    };
    let idle = ThreadSchedulePolicy::Normal(NormalThreadSchedulePolicy::Idle);
    set_thread_priority_and_policy(thread_native_id(), ThreadPriority::Min, idle).is_ok()
}

#[cfg(not(target_os = "linux"))]
fn runs_when_idle() -> bool {
    false
}

/// Whether this thread has a low priority.
pub fn is_low() -> bool {
    IS_LOW.get()
}

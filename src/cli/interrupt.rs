//! Ctrl-C: the first one requests a stop after the step, the second one stops the program at once.
//!
//! While no file is being written, the first one stops the program at once, too: setting up a large scene takes seconds.
//! A step that does not end soon is abandoned (`guarded`).

#[cfg(unix)]
use std::sync::Arc;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use super::Exit;
use super::messages::tell_warning;

static REQUESTED: AtomicBool = AtomicBool::new(false);
static IS_LEFT_TO_HOST: AtomicBool = AtomicBool::new(false);
static HOLDS: AtomicUsize = AtomicUsize::new(0);
static WATCH: Once = Once::new();

/// Leaves Ctrl-C to the program that runs the verbs.
pub fn leave_to_host() {
    IS_LEFT_TO_HOST.store(true, Ordering::SeqCst);
}

/// Whether a program that runs the verbs handles Ctrl-C and messages.
pub(super) fn is_left_to_host() -> bool {
    IS_LEFT_TO_HOST.load(Ordering::SeqCst)
}

/// Requests a stop, for a program that handles Ctrl-C itself.
pub fn request() {
    REQUESTED.store(true, Ordering::SeqCst);
}

/// Withdraws the request, after the verb has ended.
pub fn clear() {
    REQUESTED.store(false, Ordering::SeqCst);
}

/// The time within which a second signal belongs to the first: `timeout` sends one to the program and one to its group.
const SAME_REQUEST: Duration = Duration::from_millis(500);

/// Watches for Ctrl-C from now on, unless it is [left to the host](leave_to_host).
pub fn watch() {
    if IS_LEFT_TO_HOST.load(Ordering::SeqCst) {
        return;
    }
    WATCH.call_once(|| {
        let mut first: Option<Instant> = None;
        let watching = ctrlc::set_handler(move || {
            let is_later = first.get_or_insert_with(Instant::now).elapsed() > SAME_REQUEST;
            let is_second = REQUESTED.swap(true, Ordering::SeqCst) && is_later;
            if is_second || holds() == 0 {
                std::process::exit(Exit::Interrupted as i32);
            }
        });
        if let Err(error) = watching {
            tell_warning(format_args!("Ctrl-C will not end runs cleanly: {error}"));
        }
    });
}

/// How long a step may go on after a stop was requested.
const PATIENCE: Duration = Duration::from_millis(100);
/// How often a stop is looked for while a step goes on.
const WATCH_EVERY: Duration = Duration::from_millis(20);

/// Does work that looks for a stop between two steps. If a step goes on for too long after a stop was requested, another
/// thread calls `abandon`, which completes the files without that step and ends the program. If it returns instead, the
/// work goes on.
pub(super) fn guarded<T>(work: impl FnOnce() -> T, abandon: impl FnOnce() + Send) -> T {
    /// Ends the watch, also when the work panics.
    struct Done<'a>(&'a AtomicBool, thread::Thread);

    impl Drop for Done<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::SeqCst);
            self.1.unpark();
        }
    }

    if IS_LEFT_TO_HOST.load(Ordering::SeqCst) {
        return work();
    }
    let is_done = AtomicBool::new(false);
    let watch = || {
        let mut since: Option<Instant> = None;
        while !is_done.load(Ordering::SeqCst) {
            if requested() && since.get_or_insert_with(Instant::now).elapsed() >= PATIENCE {
                return abandon();
            }
            thread::park_timeout(WATCH_EVERY);
        }
    };
    thread::scope(|scope| {
        let watcher = scope.spawn(watch);
        let _done = Done(&is_done, watcher.thread().clone());
        work()
    })
}

/// Lets writes beyond a limit of file sizes (`ulimit -f`) fail with an error, as on a full disk. The system would kill the
/// process without a message.
pub fn outlive_file_limits() {
    #[cfg(unix)]
    {
        use signal_hook::consts::SIGXFSZ;
        // The flag takes the place of the default action, and nobody reads it: the failed write has its own error.
        if let Err(error) = signal_hook::flag::register(SIGXFSZ, Arc::default()) {
            tell_warning(format_args!("a limit of file sizes will end the program without a message: {error}"));
        }
    }
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

//! The real-time clocks of hosts. No result depends on them, and tests replace them.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

/// A function that returns a time in seconds.
pub type Seconds = Box<dyn Fn() -> f64 + Send + Sync>;

/// The clocks that a host reads.
pub struct WallClock {
    /// Real time from an arbitrary origin that never goes back, in seconds.
    pub steady_s: Seconds,
    /// Seconds since 1970 in UTC.
    pub unix_s: Seconds,
}

impl Default for WallClock {
    /// The clocks of the machine.
    fn default() -> Self {
        let start = Instant::now();
        Self { steady_s: Box::new(move || start.elapsed().as_secs_f64()), unix_s: Box::new(unix_now_s) }
    }
}

/// Seconds since 1970 in UTC; 0 on a machine whose clock is set to an earlier time.
pub fn unix_now_s() -> f64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0.0, |passed| passed.as_secs_f64())
}

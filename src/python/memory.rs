//! The memory that a batch needs, and that there is.

use std::path::Path;

use pyo3::PyResult;
use swarmarium_base::files;

use crate::error::error;

/// The size in bytes of a simulation with a world of its own.
const BYTES_OF_OWN: usize = 1_200_000;

/// Refuses a batch that needs more memory than there is.
pub fn check(count: usize, of_one: usize, with_own_world: bool) -> PyResult<()> {
    let of_one = if with_own_world { BYTES_OF_OWN } else { of_one };
    let needed = of_one.saturating_mul(count);
    match free_bytes() {
        Some(free) if needed > free => {
            let gigabytes = |bytes: usize| format!("{:.1} GB", bytes as f64 / 1e9);
            let (needed, free) = (gigabytes(needed), gigabytes(free));
            let why = if with_own_world { ", because each needs a world of its own" } else { "" };
            Err(error(format!("{count} simulations need about {needed} of memory{why}; {free} are free")))
        }
        _ => Ok(()),
    }
}

/// The memory that programs can have without swapping; `None` where the system does not say.
fn free_bytes() -> Option<usize> {
    let known = files::read_at_most(Path::new("/proc/meminfo"), 1_000_000).ok()?;
    let line = std::str::from_utf8(&known).ok()?.lines().find_map(|line| line.strip_prefix("MemAvailable:"))?;
    line.trim().strip_suffix("kB")?.trim().parse::<usize>().ok()?.checked_mul(1024)
}

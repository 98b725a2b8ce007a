//! Limits of the time scale, in simulated seconds per second.

/// The smallest time scale.
pub const SLOWEST: f64 = 0.01;
/// From this time scale on, steps run as fast as the machine can.
///
/// It is a number, and the largest that a scene may request, so that it can be written to logs and scene files.
pub const UNLIMITED: f64 = 1e6;

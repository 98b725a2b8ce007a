//! Time.

use bevy::math::DVec2;
use swarmarium_core::time::Strategy;

/// What can be asked for of time: play, pause, steps, speed and starting again.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum TimeAction {
    /// Pauses, or plays on.
    PlayOrPause,
    /// Pauses and does a number of steps.
    Step(u64),
    /// Asks for a time scale.
    Scale(f64),
    /// Drops time that the machine is too slow for, or does every step.
    Strategy(Strategy),
    /// Starts again with the same seed.
    Reset,
    /// Starts again with another seed.
    ResetWithNewSeed,
    /// Starts again with this seed.
    ResetWithSeed(u64),
    /// Starts again with the scene as it was opened, without the edits since.
    Revert,
    /// Starts again with the same seed, the spawners about a point.
    RestartAt(DVec2),
    /// Pauses whenever an expression turns true; never by itself when it is empty.
    PauseWhen(String),
    /// Opens or closes the panel of time.
    TogglePanel,
}

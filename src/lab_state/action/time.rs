//! Actions on time.

use bevy::math::DVec2;
use swarmarium_core::time::Strategy;
use swarmarium_simulation::edit::Edit;

/// An action on time: play, pause, steps, speed and resets.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum TimeAction {
    /// Pauses or continues.
    PlayOrPause,
    /// Pauses and does a number of steps.
    Step(u64),
    /// Sets the time scale.
    Scale(f64),
    /// Sets the strategy for a machine that is too slow.
    Strategy(Strategy),
    /// Resets with the same seed.
    Reset,
    /// Resets with another seed.
    ResetWithNewSeed,
    /// Resets with this seed.
    ResetWithSeed(u64),
    /// Restarts the scene as it was opened, without later edits.
    Revert,
    /// Resets with the same seed, with the spawners around a point.
    RestartAt(DVec2),
    /// Makes edits that restart the run, although robots have no room.
    StartCrowded(Vec<Edit>),
    /// Sets the condition that pauses the run; an empty one removes it.
    PauseWhen(String),
    /// Opens or closes the panel Time.
    TogglePanel,
}

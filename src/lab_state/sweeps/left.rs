//! The scene that the window showed before it opened runs of a sweep.

use swarmarium_formats::load::Loaded;
use swarmarium_host::timeline::SavedTimeline;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::edit::Edit;

use crate::files::autosave::SavedMark;
use crate::run::RunState;
use crate::timeline::TimelineState;

/// A scene with its run, from which the window opened a run of a sweep.
pub struct LeftScene {
    /// The scene as it was opened.
    pub loaded: Loaded,
    /// The scene at the start of its run.
    pub start: Scene,
    /// The branches and bookmarks of its run.
    pub timeline: SavedTimeline,
    /// The step that was shown.
    pub step: u64,
    /// The changes made before the last reset.
    pub carried: Vec<Edit>,
    /// The saved state of the scene, by which its changes are unsaved.
    pub saved: SavedMark,
    /// The name of the scene.
    pub title: String,
    /// The number of the opening of the scene.
    pub opening: u64,
}

impl LeftScene {
    /// Takes the present scene with its run.
    pub fn of(run: &RunState, timeline: &TimelineState, saved: SavedMark) -> Self {
        let mut content = SavedTimeline::from_timeline(run.host.timeline());
        let playhead = timeline.playhead(&run.host);
        if let Some(branch) = run.host.timeline().branch(playhead.branch) {
            content.present = branch.name().into();
        }
        Self {
            loaded: run.opened.clone(),
            start: run.host.start().clone(),
            timeline: content,
            step: playhead.step,
            carried: run.host.carried.clone(),
            saved,
            title: run.title(),
            opening: run.openings,
        }
    }
}

/// A run of a sweep in the window.
pub struct ShownRun {
    /// The seed and the values of the run: `seed 9, Sight range = 1.94 m`.
    pub text: String,
    /// The number of its opening.
    pub opening: u64,
}

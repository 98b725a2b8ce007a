//! Sharing: the scene with its run as one file.

use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::write_whole;
use swarmarium_formats::load::Source;
use swarmarium_formats::share::{Shared, is_shared};
use swarmarium_picture::palette::Theme;
use swarmarium_simulation::edit::LoggedEdit;

use crate::edit::shared_edits::SharedEdits;
use crate::files::recording::view_png;
use crate::run::RunState;
use crate::view::ViewState;

/// Saves the scene at its start, the changes of the run, the original files and a picture of the view as one file.
/// Returns a note about original files that are renamed in it.
///
/// # Errors
/// Returns an error if the file cannot be written, or is too large.
pub fn save(
    run: &RunState,
    view: &ViewState,
    shared_edits: &SharedEdits,
    theme: Theme,
    path: &Path,
) -> anyhow::Result<Option<String>> {
    let (simulation, start) = (run.host.simulation(), run.host.start());
    let waiting = simulation.waiting_edits().map(|edit| LoggedEdit::new(simulation.steps() + 1, edit.clone()));
    let to_come = shared_edits.to_come().cloned();
    let edits = simulation.edits().iter().cloned().chain(waiting).chain(to_come).collect();
    let mut shared = Shared::new(simulation.kinds(), &run.title(), start, edits);
    shared.manifest.steps = simulation.steps();
    shared.manifest.final_state_hash = format!("{:016x}", simulation.hash_of_step().0);
    match &run.opened.source {
        // The file may not exist any more; the scene does not need it.
        Source::File(from) if from.exists() => match is_shared(from) {
            true => shared.source = Shared::open(from)?.source,
            false => shared.add_source(from, &run.opened.scene, &run.opened.included)?,
        },
        _ => {}
    }
    shared.picture = Some(picture(run, view, theme)?);
    let bytes = shared.write().with_context(|| path.display().to_string())?;
    write_whole(path, bytes)?;
    Ok(shared.renaming_note())
}

/// Returns the view as PNG.
pub fn picture(run: &RunState, view: &ViewState, theme: Theme) -> anyhow::Result<Vec<u8>> {
    view_png(&view.view_shot(&run.host), view.current.camera.screen_px, theme, 1.0)
}

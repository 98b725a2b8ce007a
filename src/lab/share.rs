//! Sharing: the scene with its run as one file.

use std::path::Path;

use anyhow::Context as _;
use swarmarium_base::files::write_whole;
use swarmarium_core::edit::LoggedEdit;
use swarmarium_formats::load::Source;
use swarmarium_formats::share::{Shared, is_shared};

use super::Lab;
use super::recording::view_png;

/// Saves the scene at its start, the changes of the run, the original files and a picture of the view as one file.
/// Returns a note about original files that are renamed in it.
///
/// # Errors
/// Returns an error if the file cannot be written, or is too large.
pub fn save(lab: &Lab, path: &Path) -> anyhow::Result<Option<String>> {
    let (simulation, start) = (lab.host.simulation(), lab.host.start());
    let waiting = simulation.waiting_edits().map(|edit| LoggedEdit::new(simulation.steps() + 1, edit.clone()));
    let to_come = lab.edits.shared.to_come().cloned();
    let edits = simulation.edits().iter().cloned().chain(waiting).chain(to_come).collect();
    let mut shared = Shared::new(simulation.kinds(), &lab.title(), start, edits);
    shared.manifest.steps = simulation.steps();
    shared.manifest.final_state_hash = format!("{:016x}", simulation.hash_of_step().0);
    match &lab.opened.source {
        // The file may not exist any more; the scene does not need it.
        Source::File(from) if from.exists() => match is_shared(from) {
            true => shared.source = Shared::open(from)?.source,
            false => shared.add_source(from, &lab.opened.scene, &lab.opened.included)?,
        },
        _ => {}
    }
    shared.picture = Some(picture(lab)?);
    let bytes = shared.write().with_context(|| path.display().to_string())?;
    write_whole(path, bytes)?;
    Ok(shared.renaming_note())
}

/// Returns the view as PNG.
fn picture(lab: &Lab) -> anyhow::Result<Vec<u8>> {
    view_png(&lab.view_shot(), lab.settings.theme, 1.0)
}

#[cfg(test)]
mod tests {
    use std::fs;

    use swarmarium_core::edit::Edit;

    use crate::Action;
    use crate::action::FileAction;
    use crate::dispatch::act;
    use crate::testing::{do_steps, lab_on, window};

    #[test]
    fn a_shared_run_opens_and_goes_the_same_way() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("m.swarm");
        let (window, lab) = window(lab_on("milling"));
        do_steps(&mut lab.borrow_mut(), 30);
        let path = "groups.millers.controller.detected.turn_rad_per_s".into();
        act(&mut lab.borrow_mut(), &window.ctx, Action::Edit(Edit::Set { path, value: "0.9".into() }));
        do_steps(&mut lab.borrow_mut(), 30);
        let hash = lab.borrow().host.simulation().hash();
        act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::Share(file.clone())));
        let shared = swarmarium_formats::share::Shared::open(&file).unwrap();
        assert_eq!(shared.manifest.final_state_hash, format!("{:016x}", hash.0));
        assert!(shared.picture.is_some_and(|picture| picture.starts_with(b"\x89PNG")));
        act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::OpenFirst(vec![file.display().to_string()])));
        lab.borrow_mut().host.clock_mut().paused = true;
        // As it was opened, and after a second sharing.
        for _ in 0..2 {
            assert_eq!(lab.borrow().host.simulation().steps(), 0);
            (0..60).for_each(|_| do_steps(&mut lab.borrow_mut(), 1));
            assert_eq!(lab.borrow().host.simulation().hash(), hash);
            lab.borrow_mut().revert();
        }
        // When a revert is undone, shared changes are not made twice.
        (0..60).for_each(|_| do_steps(&mut lab.borrow_mut(), 1));
        lab.borrow_mut().revert();
        lab.borrow_mut().undo();
        do_steps(&mut lab.borrow_mut(), 1);
        assert_eq!(lab.borrow().host.simulation().edits().len(), 1);
        // A shared file is not a scene to overwrite.
        assert_ne!(lab.borrow().saving(), Action::File(FileAction::SaveScene(file.clone())));
        fs::write(&file, "PK nonsense").unwrap();
        act(&mut lab.borrow_mut(), &window.ctx, Action::File(FileAction::Open(file.display().to_string())));
        let lab = lab.borrow();
        let mut told = lab.notices.iter().map(|notice| notice.lines.join(" "));
        assert!(told.any(|told| told.contains("is no archive")), "the scene stays");
    }
}

//! Recovering scenes and runs that were kept when the window closed without saving.

use std::path::Path;

use swarmarium_formats::load::{Loaded, Source, fingerprint_of_file, load};
use swarmarium_formats::run_folder::{At, RunFolder};

use crate::app::Lab;
use crate::files::autosave::{run_beside, unsaved};
use crate::timeline::RunToOpen;

impl Lab {
    /// Opens a kept scene.
    pub fn recover(&mut self, path: &Path) {
        // The run is restored with the moment that was shown.
        let run = RunFolder::open(&run_beside(path));
        let mut is_whole = run.is_ok();
        let run = run.unwrap_or_else(|error| {
            self.notices.tell_error(format!("{error:#}"));
            None
        });
        let name = run.as_ref().map_or_else(|| path.display().to_string(), RunFolder::scene_file);
        let loaded = load(self.run.recipe.kinds(), &name, &[]);
        let dt_s = loaded.as_ref().map_or(0.0, |loaded| loaded.scene.time.dt_s);
        // Saving writes the file that the scene was opened from; its present text is not a change of it.
        let kept = unsaved(path.into());
        let origin = self.files.autosave.found.iter().find(|found| found.path == path);
        let origin = origin.cloned().or_else(|| kept.clone()).and_then(|found| found.origin);
        // Its changes are counted, and taken back, against the scene that it began with.
        let began_with =
            origin.as_ref().map(|file| file.display().to_string()).or(kept.and_then(|found| found.shipped));
        let began_with = began_with.and_then(|name| load(self.run.recipe.kinds(), &name, &[]).ok());
        let loaded = loaded.map(|loaded| match &origin {
            Some(file) => {
                let fingerprint = fingerprint_of_file(file).unwrap_or(loaded.fingerprint);
                Loaded { source: Source::File(file.clone()), fingerprint, ..loaded }
            }
            None => Loaded { source: Source::Unsaved("recovered, not saved yet"), ..loaded },
        });
        if self.open_loaded(&name, loaded) {
            if let Some(began_with) = began_with {
                self.run.opened.scene = began_with.scene;
            }
            if let Some(folder) = run {
                let at = folder.saved_at().map(At::Step);
                let moment = folder.moment(at.as_ref(), None, dt_s).map_err(anyhow::Error::from);
                let done =
                    moment.and_then(|moment| Ok(self.take_run(&RunToOpen { folder, moment, shows_moment: true })?));
                is_whole &= done.is_ok();
                self.notices.tell(done.map_err(|error| format!("{error:#}")));
            }
            self.timeline.saved_revision = None;
            (self.files.autosave.is_recovered, self.files.autosave.is_unsaved) = (true, true);
            let kept = self.files.autosave.keep(&self.run, &self.timeline);
            // The kept file is dropped only once the scene has another one.
            match kept {
                Ok(()) if self.files.autosave.files.is_some() && is_whole => {
                    self.files.drop_unsaved(&mut self.notices, path);
                }
                Ok(()) => {}
                Err(error) => self.notices.tell_error(error),
            }
        }
    }
}

//! Watching of the open scene file.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, Event, EventKind};
use notify::{Config, PollWatcher, RecursiveMode, Watcher as _};
use swarmarium_formats::load::{Source, fingerprint};
use swarmarium_formats::share::is_shared;
use swarmarium_scene::scene::reader;

use crate::app::Lab;
use crate::notice::Notice;

/// Time without events before the file is read, in seconds, because some editors write in several steps.
const QUIET_S: f64 = 0.1;

/// Time between two checks for a missing file, in seconds; its folder, and so its watch, may be missing as well.
const LOOK_S: f64 = 1.0;

/// Time between two checks of a folder that cannot be watched.
const POLL: Duration = Duration::from_secs(2);

/// Watches the open scene file.
#[derive(Default)]
pub struct Watcher {
    /// The watched file.
    file: Option<PathBuf>,
    /// The watch of the folder, active until it is dropped.
    watch: Option<Box<dyn notify::Watcher + Send + Sync>>,
    /// Whether the file had an event since the last check.
    touched: Arc<AtomicBool>,
    /// The time of the last event, in egui's seconds.
    touched_s: Option<f64>,
    /// The result of the last check.
    found: FileContent,
    /// Whether the user was told that folders cannot be watched.
    has_told: bool,
}

/// The result of a check of the file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FileContent {
    /// A text with this fingerprint.
    Text(u64),
    /// An unreadable file.
    Unreadable,
    /// No file.
    #[default]
    Nothing,
}

impl FileContent {
    fn at(file: &Path) -> Self {
        match reader::read_text(file) {
            Ok(text) => Self::Text(fingerprint(&text)),
            Err(_) if file.exists() => Self::Unreadable,
            Err(_) => Self::Nothing,
        }
    }
}

impl Watcher {
    /// Lets the lab follow its file. Called once per frame; costs nothing without events.
    pub fn follow(&mut self, lab: &mut Lab, now_s: f64) {
        let file = match &lab.run.opened.source {
            // A screenshot must not depend on changes of the file.
            // A shared scene is not a text file that users edit.
            Source::File(file) if lab.files.shots.target.is_none() && !is_shared(file) => Some(file.as_path()),
            _ => None,
        };
        if file != self.file.as_deref() {
            self.file = file.map(Into::into);
            self.found = FileContent::Text(lab.run.opened.fingerprint);
            self.watch(lab);
            // It may have changed between reading and watching.
            self.touched_s = Some(now_s);
        }
        if self.touched.swap(false, Ordering::Relaxed) {
            self.touched_s = Some(now_s);
        }
        let wait_s = if self.found == FileContent::Nothing { LOOK_S } else { QUIET_S };
        if self.touched_s.is_some_and(|touched_s| now_s - touched_s >= wait_s) {
            self.touched_s = None;
            self.look(lab, now_s);
        }
    }

    /// Checks whether the file has changed.
    fn look(&mut self, lab: &mut Lab, now_s: f64) {
        let Some(file) = self.file.clone() else { return };
        let found = FileContent::at(&file);
        if found == FileContent::Nothing {
            self.touched_s = Some(now_s);
        }
        let before = std::mem::replace(&mut self.found, found);
        if before == found {
            return;
        }
        if before == FileContent::Nothing {
            self.watch(lab);
        }
        match found {
            FileContent::Nothing => lab
                .notices
                .add(Notice::of_file(&format!("{} is missing: the scene continues as last read", file.display()))),
            FileContent::Text(_) | FileContent::Unreadable => lab.file_changed(),
        }
    }

    /// Starts to watch the folder: editors replace files, and a watch of the file itself would be lost.
    fn watch(&mut self, lab: &mut Lab) {
        self.watch = None;
        let Some(file) = &self.file else { return };
        let location = Location::of(file);
        let make = |config| notify::RecommendedWatcher::new(location.handler(&self.touched), config);
        let watch = match location.watched(make) {
            Ok(watch) => Ok(watch),
            Err(error) => {
                if !std::mem::replace(&mut self.has_told, true) {
                    let folder = location.folders.first().cloned().unwrap_or_default();
                    lab.notices.say(&format!(
                        "The system cannot watch {} ({error}): the file is checked every {} s",
                        folder.display(),
                        POLL.as_secs()
                    ));
                }
                location.watched(|config| PollWatcher::new(location.handler(&self.touched), config))
            }
        };
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => lab.notices.tell_error(format!("{} cannot be watched: {error}", file.display())),
        }
    }
}

/// The location of a file: the paths of its name and, if it is a link, of its target.
struct Location {
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<OsString>,
}

impl Location {
    fn of(file: &Path) -> Self {
        let files = [std::path::absolute(file).ok(), file.canonicalize().ok()];
        let files = || files.iter().flatten();
        Self {
            folders: files().filter_map(|file| file.parent()).map(Into::into).collect(),
            names: files().filter_map(|file| file.file_name()).map(Into::into).collect(),
        }
    }

    fn watched<W: notify::Watcher + Send + Sync + 'static>(
        &self,
        make: impl FnOnce(Config) -> notify::Result<W>,
    ) -> notify::Result<Box<dyn notify::Watcher + Send + Sync>> {
        let mut watch = make(Config::default().with_poll_interval(POLL))?;
        for folder in &self.folders {
            watch.watch(folder, RecursiveMode::NonRecursive)?;
        }
        Ok(Box::new(watch))
    }

    /// Returns the handler of events of the file or its folder.
    fn handler(&self, touched: &Arc<AtomicBool>) -> impl Fn(notify::Result<Event>) + Send + 'static {
        let (names, folders, touched) = (self.names.clone(), self.folders.clone(), touched.clone());
        move |event| {
            let is_ours =
                |path: &PathBuf| folders.contains(path) || path.file_name().is_some_and(|name| names.contains(name));
            // Unknown events may concern the file; checking it is cheap.
            let concerns = event.map_or(true, |event| {
                changes(&event.kind) && (event.paths.is_empty() || event.paths.iter().any(is_ours))
            });
            if concerns {
                touched.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Whether an event may have changed a file. Reads are events, too.
pub fn changes(kind: &EventKind) -> bool {
    !kind.is_access() || *kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;

    #[test]
    fn the_watcher_can_poll_folders_instead() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ron");
        fs::write(&file, "()").unwrap();
        let (location, touched) = (Location::of(&file), Arc::new(AtomicBool::new(false)));
        let often = |config: Config| config.with_poll_interval(Duration::from_millis(20));
        let watch = location.watched(|config| PollWatcher::new(location.handler(&touched), often(config))).unwrap();
        fs::write(&file, "(seed: 100)").unwrap();
        let start = Instant::now();
        while !touched.load(Ordering::Relaxed) {
            // Changes are detected by modification times, which may be as coarse as a second.
            assert!(start.elapsed() < Duration::from_secs(20));
            sleep(Duration::from_millis(200));
            fs::write(&file, format!("(seed: {})", start.elapsed().as_millis())).unwrap();
        }
        drop(watch);
    }

    #[test]
    fn reading_a_file_is_no_change_for_the_watcher() {
        assert!(!changes(&EventKind::Access(AccessKind::Open(AccessMode::Read))));
        assert!(!changes(&EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(changes(&EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(changes(&EventKind::Any));
    }
}

//! Watches the file of the open scene.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, Event, EventKind};
use notify::{Config, PollWatcher, RecursiveMode, Watcher as _};
use swarmarium_core::scene::reader;
use swarmarium_formats::load::{Source, fingerprint};
use swarmarium_formats::share::is_shared;

use crate::Lab;
use crate::notice::Notice;

/// How long a file must be quiet before it is read, in seconds: some editors write in several goes.
const QUIET_S: f64 = 0.1;
/// Seconds between two looks for a file that is gone: with its folder, the watch of it may be gone too.
const LOOK_S: f64 = 1.0;
/// Time between two looks into a folder that cannot be watched.
const POLL: Duration = Duration::from_secs(2);

/// Watches the file of the open scene.
#[derive(Default)]
pub struct Watcher {
    /// The file that is followed.
    file: Option<PathBuf>,
    /// What tells about changes, until it is dropped.
    watch: Option<Box<dyn notify::Watcher + Send + Sync>>,
    /// Whether something happened to the file since it was last asked.
    touched: Arc<AtomicBool>,
    /// When something happened to the file, in egui's seconds.
    touched_s: Option<f64>,
    /// What was last found.
    found: FileState,
    /// Whether it was told that folders cannot be watched.
    has_told: bool,
}

/// What is found where the file should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum FileState {
    /// A text, by its fingerprint.
    Text(u64),
    /// Something that cannot be read.
    Unreadable,
    /// Nothing.
    #[default]
    Nothing,
}

impl FileState {
    fn at(file: &Path) -> Self {
        match reader::read_text(file) {
            Ok(text) => Self::Text(fingerprint(&text)),
            Err(_) if file.exists() => Self::Unreadable,
            Err(_) => Self::Nothing,
        }
    }
}

impl Watcher {
    /// Lets the lab follow its file. Called once a frame, it costs nothing while nothing happens to the file.
    pub fn follow(&mut self, lab: &mut Lab, now_s: f64) {
        let file = match &lab.opened.source {
            // A screenshot shows what was asked for, whatever happens meanwhile.
            // A shared scene is no text that somebody edits.
            Source::File(file) if lab.shots.target.is_none() && !is_shared(file) => Some(file.as_path()),
            _ => None,
        };
        if file != self.file.as_deref() {
            self.file = file.map(Into::into);
            self.found = FileState::Text(lab.opened.fingerprint);
            self.watch(lab);
            // It may have changed after it was read and before it was watched.
            self.touched_s = Some(now_s);
        }
        if self.touched.swap(false, Ordering::Relaxed) {
            self.touched_s = Some(now_s);
        }
        let wait_s = if self.found == FileState::Nothing { LOOK_S } else { QUIET_S };
        if self.touched_s.is_some_and(|touched_s| now_s - touched_s >= wait_s) {
            self.touched_s = None;
            self.look(lab, now_s);
        }
    }

    /// Looks whether the file is another one than before.
    fn look(&mut self, lab: &mut Lab, now_s: f64) {
        let Some(file) = self.file.clone() else { return };
        let found = FileState::at(&file);
        if found == FileState::Nothing {
            self.touched_s = Some(now_s);
        }
        let before = std::mem::replace(&mut self.found, found);
        if before == found {
            return;
        }
        if before == FileState::Nothing {
            self.watch(lab);
        }
        match found {
            FileState::Nothing => lab
                .notices
                .add(Notice::of_file(&format!("{} is gone: the scene goes on as it was read last", file.display()))),
            FileState::Text(_) | FileState::Unreadable => lab.file_changed(),
        }
    }

    /// Begins to watch the folder: editors replace files, and a watch of the file would go with it.
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
                    lab.say(&format!(
                        "The system cannot watch {} ({error}): changes are looked for every {} s",
                        folder.display(),
                        POLL.as_secs()
                    ));
                }
                location.watched(|config| PollWatcher::new(location.handler(&self.touched), config))
            }
        };
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => lab.tell_error(format!("{} cannot be watched: {error}", file.display())),
        }
    }
}

/// Where a file is: where its name is, and where its text is when the name is a link.
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

    /// Takes note of what happens to the file, or to its folder.
    fn handler(&self, touched: &Arc<AtomicBool>) -> impl Fn(notify::Result<Event>) + Send + 'static {
        let (names, folders, touched) = (self.names.clone(), self.folders.clone(), touched.clone());
        move |event| {
            let is_ours =
                |path: &PathBuf| folders.contains(path) || path.file_name().is_some_and(|name| names.contains(name));
            // What is unknown may be of the file: a look is cheap.
            let concerns = event.map_or(true, |event| {
                changes(&event.kind) && (event.paths.is_empty() || event.paths.iter().any(is_ours))
            });
            if concerns {
                touched.store(true, Ordering::Relaxed);
            }
        }
    }
}

/// Whether a file may be another one after this. Reading it is an event, too.
fn changes(kind: &EventKind) -> bool {
    !kind.is_access() || *kind == EventKind::Access(AccessKind::Close(AccessMode::Write))
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::thread::sleep;
    use std::time::Instant;

    use super::*;

    #[test]
    fn folders_can_be_looked_through_instead() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ron");
        fs::write(&file, "()").unwrap();
        let (location, touched) = (Location::of(&file), Arc::new(AtomicBool::new(false)));
        let often = |config: Config| config.with_poll_interval(Duration::from_millis(20));
        let watch = location.watched(|config| PollWatcher::new(location.handler(&touched), often(config))).unwrap();
        fs::write(&file, "(seed: 100)").unwrap();
        let start = Instant::now();
        while !touched.load(Ordering::Relaxed) {
            // Whether a file changed is told by its time, which may be as coarse as a second.
            assert!(start.elapsed() < Duration::from_secs(20));
            sleep(Duration::from_millis(200));
            fs::write(&file, format!("(seed: {})", start.elapsed().as_millis())).unwrap();
        }
        drop(watch);
    }

    #[test]
    fn reading_is_no_change() {
        assert!(!changes(&EventKind::Access(AccessKind::Open(AccessMode::Read))));
        assert!(!changes(&EventKind::Access(AccessKind::Close(AccessMode::Read))));
        assert!(changes(&EventKind::Access(AccessKind::Close(AccessMode::Write))));
        assert!(changes(&EventKind::Any));
    }
}

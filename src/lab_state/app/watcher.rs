//! Watching of the open scene file and of the files of its scripts.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, Event, EventKind};
use notify::{Config, PollWatcher, RecursiveMode, Watcher as _};
use swarmarium_formats::load::{Source, fingerprint_of_file};
use swarmarium_formats::share::is_shared;

use crate::app::Lab;
use crate::common::scripts;
use crate::notice::Notice;

/// Time without events before files are read, in seconds, because some editors write in several steps.
const QUIET_S: f64 = 0.1;

/// Time between two checks for a missing file, in seconds; its folder, and so its watch, may be missing as well.
const LOOK_S: f64 = 1.0;

/// Time between two checks of a folder that cannot be watched.
const POLL: Duration = Duration::from_secs(2);

/// Watches the open scene file and the files of its scripts.
#[derive(Default)]
pub struct Watcher {
    /// The watched files, the scene first.
    files: Vec<Watched>,
    /// The watch of their folders, active until it is dropped.
    watch: Option<Box<dyn notify::Watcher + Send + Sync>>,
    /// Whether a file had an event since the last check.
    touched: Arc<AtomicBool>,
    /// The time of the last event, in egui's seconds.
    touched_s: Option<f64>,
    /// The time of the last check, in egui's seconds.
    looked_s: f64,
    /// The number of the opening to which the files belong.
    opening: u64,
    /// Whether the user was told that folders cannot be watched.
    has_told: bool,
}

/// A watched file.
#[derive(Clone, Debug)]
struct Watched {
    path: PathBuf,
    /// The name of the script that the file contains; `None` for the scene.
    script: Option<String>,
    /// The result of the last check.
    found: FileContent,
}

/// The result of a check of a file.
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
        match fingerprint_of_file(file) {
            Some(fingerprint) => Self::Text(fingerprint),
            None if file.exists() => Self::Unreadable,
            None => Self::Nothing,
        }
    }
}

impl Watched {
    /// Returns the files of a lab: the scene, then those of its scripts.
    fn of(lab: &Lab) -> Vec<Self> {
        // A screenshot must not depend on changes of files.
        let Source::File(scene) = &lab.run.opened.source else { return Vec::new() };
        // A shared scene is not a text file that users edit.
        if lab.files.shots.target.is_some() || is_shared(scene) {
            return Vec::new();
        }
        let of_scene = Self {
            path: scene.clone(),
            script: None,
            // It may have changed between reading and watching.
            found: FileContent::Text(lab.run.opened.fingerprint),
        };
        let folder = lab.run.script_folder();
        let scripts = scripts::all(lab.run.host.simulation().scene_ahead()).into_iter();
        let of_scripts = scripts.filter(|script| !script.file.is_empty()).filter_map(|script| {
            let path = folder.as_ref()?.join(&script.file);
            Some(Self { path, script: Some(script.file), found: FileContent::Nothing })
        });
        [of_scene].into_iter().chain(of_scripts).collect()
    }

    fn is_same(&self, other: &Self) -> bool {
        (&self.path, &self.script) == (&other.path, &other.script)
    }
}

impl Watcher {
    /// Lets the lab follow its files. Called once per frame; costs little without events.
    pub fn follow(&mut self, lab: &mut Lab, now_s: f64) {
        self.list(lab, now_s);
        if self.touched.swap(false, Ordering::Relaxed) {
            self.touched_s = Some(now_s);
        }
        let is_quiet = self.touched_s.is_some_and(|touched_s| now_s - touched_s >= QUIET_S);
        let has_missing = self.files.iter().any(|file| file.found == FileContent::Nothing);
        if is_quiet || (has_missing && now_s - self.looked_s >= LOOK_S) {
            (self.touched_s, self.looked_s) = (None, now_s);
            self.look(lab);
        }
    }

    /// Updates the list of files.
    fn list(&mut self, lab: &mut Lab, now_s: f64) {
        let mut files = Watched::of(lab);
        let is_other_scene = std::mem::replace(&mut self.opening, lab.run.openings) != lab.run.openings;
        let is_same =
            files.len() == self.files.len() && files.iter().zip(&self.files).all(|(file, known)| file.is_same(known));
        if is_same && !is_other_scene {
            return;
        }
        for file in &mut files {
            match self.files.iter().find(|known| known.is_same(file)).filter(|_| !is_other_scene) {
                Some(known) => file.found = known.found,
                // A scene that contains the text of a script does not follow the file before the file changes.
                None if file.script.is_some() => file.found = FileContent::at(&file.path),
                None => {}
            }
        }
        self.files = files;
        self.watch(lab);
        self.touched_s = Some(now_s);
    }

    /// Checks whether the files have changed.
    fn look(&mut self, lab: &mut Lab) {
        let mut is_back = false;
        let mut changed = Vec::new();
        for file in &mut self.files {
            let found = FileContent::at(&file.path);
            let before = std::mem::replace(&mut file.found, found);
            if before != found {
                is_back |= before == FileContent::Nothing;
                changed.push(file.clone());
            }
        }
        if is_back {
            self.watch(lab);
        }
        for Watched { path, script, found } in changed {
            match (script, found) {
                (None, FileContent::Nothing) => lab
                    .notices
                    .add(Notice::of_file(&format!("{} is missing: the scene continues as last read", path.display()))),
                (None, _) => lab.file_changed(),
                (Some(script), FileContent::Nothing) => lab.script_file_missing(&script),
                (Some(script), _) => lab.script_file_changed(&script),
            }
        }
    }

    /// Starts to watch the folders: editors replace files, and a watch of a file itself would be lost.
    fn watch(&mut self, lab: &mut Lab) {
        self.watch = None;
        if self.files.is_empty() {
            return;
        }
        let location = Location::of(self.files.iter().map(|file| file.path.as_path()));
        let make = |config| notify::RecommendedWatcher::new(location.handler(&self.touched), config);
        let watch = match location.watched(make) {
            Ok(watch) => Ok(watch),
            Err(error) => {
                if !std::mem::replace(&mut self.has_told, true) {
                    let folder = location.folders.first().cloned().unwrap_or_default();
                    lab.notices.say(&format!(
                        "The system cannot watch {} ({error}): files are checked every {} s",
                        folder.display(),
                        POLL.as_secs()
                    ));
                }
                location.watched(|config| PollWatcher::new(location.handler(&self.touched), config))
            }
        };
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => {
                let file = self.files.first().map(|file| file.path.display().to_string()).unwrap_or_default();
                lab.notices.tell_error(format!("{file} cannot be watched: {error}"));
            }
        }
    }
}

/// The location of files: the paths of their names and, where they are links, of their targets.
struct Location {
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<OsString>,
}

impl Location {
    fn of<'a>(files: impl Iterator<Item = &'a Path>) -> Self {
        let both = |file: &Path| [std::path::absolute(file).ok(), file.canonicalize().ok()];
        let files: Vec<PathBuf> = files.flat_map(both).flatten().collect();
        Self {
            // A script may lie in a folder that does not exist.
            folders: files.iter().filter_map(|file| file.parent()).filter(|it| it.is_dir()).map(Into::into).collect(),
            names: files.iter().filter_map(|file| file.file_name()).map(Into::into).collect(),
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

    /// Returns the handler of events of the files or their folders.
    fn handler(&self, touched: &Arc<AtomicBool>) -> impl Fn(notify::Result<Event>) + Send + 'static {
        let (names, folders, touched) = (self.names.clone(), self.folders.clone(), touched.clone());
        move |event| {
            let is_ours =
                |path: &PathBuf| folders.contains(path) || path.file_name().is_some_and(|name| names.contains(name));
            // Unknown events may concern the files; checking them is cheap.
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
        let (location, touched) = (Location::of([file.as_path()].into_iter()), Arc::new(AtomicBool::new(false)));
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

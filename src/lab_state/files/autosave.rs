//! The autosave: unsaved scenes are kept in the folder of the user.
//!
//! The lab writes the scene after each change, when another scene is opened, and at the end. Beside the scene it writes
//! the run with its branches and bookmarks, also from time to time while it goes on. Each window has its own files, named after a file that it keeps locked.
//! Files whose window does not run are offered for recovery at the next start.

use std::fs::{self, File, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use swarmarium_base::files::{self, write_whole};
use swarmarium_formats::load::{Source, fingerprint};
use swarmarium_formats::run_folder::{MANIFEST, RunFiles, RunFolder};
use swarmarium_scene::scene::reader::read_text;
use swarmarium_simulation::edit::{Edit, LoggedEdit};

use crate::action::{Action, FileAction};
use crate::common::places::absolute;
use crate::files::recording::{RecordingError, RecordingResult};
use crate::files::save::run_files;
use crate::notice::{Notice, Notices};
use crate::run::RunState;
use crate::timeline::TimelineState;

/// Time between two records that the window is alive, in seconds.
pub const ALIVE_S: f64 = 0.5;

/// Time between two writes without a change, in seconds.
pub const PAUSE_S: f64 = 20.0;

/// Checks and writes take at most this part of the time, while a drag makes a change in every frame.
pub const LARGEST_SHARE: f64 = 0.1;

/// The number of most recent edits that are searched for a change.
pub const FEW_EDITS: usize = 1000;

/// The largest number of kept scenes; the oldest ones are removed.
pub const MOST_KEPT: usize = 50;

/// The autosave of the open scene.
#[derive(Debug, Default)]
pub struct Autosave {
    /// The files of this window.
    pub files: Option<Files>,
    /// The fingerprint of the scene when it was opened or saved.
    saved: u64,
    /// Whether the scene was recovered and has no file yet.
    pub is_recovered: bool,
    /// Whether the scene has unsaved changes, as of the last check.
    pub is_unsaved: bool,
    /// The state of the last check.
    pub state: Option<State>,
    /// The earliest time of the next check, in egui's seconds.
    pub next_look_s: f64,
    /// The time of the last record that the window is alive, in egui's seconds.
    pub alive_s: Option<f64>,
    /// The time of the last write, in egui's seconds.
    pub written_s: Option<f64>,
    /// The fingerprint of the text that was last written.
    pub written: Option<u64>,
    /// Scenes of earlier windows, the newest first.
    pub found: Vec<Unsaved>,
}

/// A kept scene.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Unsaved {
    /// The title of the scene.
    pub title: String,
    /// The file of the kept scene.
    pub path: PathBuf,
    /// The file that the scene was opened from, if it had one.
    pub origin: Option<PathBuf>,
    /// The name of the shipped scene that it was opened as, if it was one.
    pub shipped: Option<String>,
    /// The time at which it was written.
    written: Option<SystemTime>,
    /// The simulated time at the end of its run, in seconds, if it has a run.
    pub end_s: Option<f64>,
    /// The time from the write until the window crashed with this scene open.
    crashed_after: Option<Duration>,
}

/// The files of one window.
#[derive(Debug)]
pub struct Files {
    /// The folder.
    pub folder: PathBuf,
    /// The start of their names.
    pub stem: String,
    /// A file that is locked while the window is open. It holds the number of the opening that has changes.
    lock: File,
}

/// The state by which a check sees that the scene may have changed.
#[derive(Debug, PartialEq)]
pub struct State {
    /// The numbers of openings and of restarts.
    pub made: (u64, u64),
    /// The number of set parameters.
    pub sets: u64,
    /// The last change, if it is recent. Commands of clients are not changes.
    pub last: Option<LoggedEdit>,
    /// The edits that wait for the next step.
    pub waiting: Vec<Edit>,
}

/// An unsaved scene with its run.
pub struct UnsavedScene {
    /// The unsaved part, in words.
    part: &'static str,
    title: String,
    origin: Option<PathBuf>,
    text: String,
    run: Option<RunFiles>,
}

impl Files {
    /// Claims a name that no other window uses.
    pub fn new(folder: &Path) -> std::io::Result<Self> {
        fs::create_dir_all(folder)?;
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        let stem = format!("{}-{}", std::process::id(), since.as_nanos());
        let lock = folder.join(&stem).with_extension("lock");
        let lock = files::open_with(&lock, File::options().write(true).create(true).truncate(true))?;
        // Without file locks, another window may offer the scenes of this one; they are not lost.
        let _ = lock.try_lock();
        Ok(Self { folder: folder.into(), stem, lock })
    }

    /// Records that the window is alive and which opening has changes. After a crash, the time of the last record shows
    /// how much is missing.
    pub fn note_alive(&self, opening: u64) {
        // Without the record, the next window cannot tell how much is missing.
        let mut lock = &self.lock;
        let _ = lock.rewind().and_then(|()| writeln!(lock, "{opening:020}"));
    }

    /// Returns the scene file of an opening; the folder of its run is beside it.
    fn of_opening(&self, opening: u64) -> PathBuf {
        self.folder.join(format!("{}-{opening}.ron", self.stem))
    }
}

impl Drop for Files {
    fn drop(&mut self) {
        // The remaining files belong to no window now.
        let _ = fs::remove_file(self.folder.join(&self.stem).with_extension("lock"));
    }
}

/// Returns the folder of the run beside a scene file.
///
/// If the window was killed while it replaced the folder, the new one gets its name.
pub fn run_beside(path: &Path) -> PathBuf {
    let (run, fresh) = (path.with_extension("run"), path.with_extension("run-new"));
    if !run.exists() && path.with_extension("run-old").exists() && fresh.exists() {
        // Otherwise the scene is recovered without its run.
        let _ = fs::rename(fresh, &run);
    }
    run
}

/// Writes the run beside a scene file, all or nothing. Without a run, removes the previous one.
fn write_run(path: &Path, run: Option<&RunFiles>) -> anyhow::Result<()> {
    let (folder, fresh) = (run_beside(path), path.with_extension("run-new"));
    // The folders may not exist.
    let _ = fs::remove_dir_all(&fresh);
    if let Some(run) = run {
        fs::create_dir_all(&fresh)?;
        run.write(&fresh)?;
    }
    // One of both is whole at any time.
    let old = path.with_extension("run-old");
    let _ = fs::remove_dir_all(&old);
    let _ = fs::rename(&folder, &old);
    if run.is_some() {
        fs::rename(&fresh, &folder)?;
    }
    let _ = fs::remove_dir_all(&old);
    Ok(())
}

/// Removes a scene file and its run, if they exist.
pub fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(run_beside(path));
    let _ = fs::remove_dir_all(path.with_extension("run-new"));
    let _ = fs::remove_dir_all(path.with_extension("run-old"));
}

/// Returns the scenes of a folder whose window does not run, the newest first.
pub fn abandoned(folder: &Path) -> Vec<Unsaved> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ron");
    let mut found: Vec<Unsaved> = files.filter(is_ours).filter(|path| !is_held(path)).filter_map(unsaved).collect();
    found.sort_by(|a, b| b.written.cmp(&a.written).then_with(|| a.path.cmp(&b.path)));
    found
}

/// Whether the window that wrote a file still runs.
pub fn is_held(path: &Path) -> bool {
    let is_locked = |lock: File| matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    files::open(&lock_of(path).0).is_ok_and(is_locked)
}

/// Returns a kept scene, by its file.
pub fn unsaved(path: PathBuf) -> Option<Unsaved> {
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    // The run is written more often than the scene.
    let written = modified(&path).max(modified(&run_beside(&path).join(MANIFEST)))?;
    let text = read_text(&path).ok()?;
    let marked = |mark: &str| text.lines().take(2).find_map(|line| line.strip_prefix(mark));
    let title = marked(MARK).unwrap_or("a scene").to_owned();
    let origin = marked(ORIGIN_MARK).map(PathBuf::from);
    let shipped = marked(SHIPPED_MARK).map(str::to_owned);
    let end_s = RunFolder::open(&run_beside(&path)).ok().flatten().and_then(|run| run.end_s());
    let (lock, opening) = lock_of(&path);
    // A closed window has no lock, and a crashed one may have had another scene open.
    let is_last =
        files::read_text_at_most(&lock, 1 << 10).is_ok_and(|noted| noted.trim().parse::<u64>() == Ok(opening));
    let ended = modified(&lock).filter(|_| is_last);
    let crashed_after = ended.map(|ended| ended.duration_since(written).unwrap_or_default());
    Some(Unsaved { title, path, origin, shipped, written: Some(written), end_s, crashed_after })
}

/// Returns the lock file of the window that wrote a file, and the number of the opening.
fn lock_of(path: &Path) -> (PathBuf, u64) {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (stem, opening) = name.rsplit_once('-').unwrap_or((&name, ""));
    (path.with_file_name(stem).with_extension("lock"), opening.parse().unwrap_or_default())
}

impl Unsaved {
    /// Returns a description: `Milling, autosaved 3 minutes ago`.
    pub fn text(&self) -> String {
        format!("{}, {}", self.title, self.age_text())
    }

    /// Returns the time since it was written: `autosaved 3 minutes ago`.
    pub fn age_text(&self) -> String {
        format!("autosaved {} ago", roughly(self.age()))
    }

    /// Returns the name of the file that the scene was opened from, or of the scene.
    pub fn name(&self) -> String {
        let file = self.origin.as_deref().and_then(Path::file_name);
        file.map_or_else(|| self.title.clone(), |file| file.to_string_lossy().into_owned())
    }

    /// Describes the kept copy: its age, the end of its run and, after a crash, the time that was lost, if known.
    pub fn copy_text(&self) -> String {
        let end = self.end_s.map(|end_s| format!(", with its run up to {end_s:.2} s")).unwrap_or_default();
        let lost = self.crashed_after.map(|after| match after.as_secs() {
            0 => ", right before the crash".into(),
            _ => format!(", {} before the crash", roughly(after)),
        });
        format!("from {} ago{}{end}", roughly(self.age()), lost.unwrap_or_default())
    }

    fn age(&self) -> Duration {
        self.written.and_then(|written| SystemTime::now().duration_since(written).ok()).unwrap_or_default()
    }
}

/// The start of the first line of a kept file; the name of the scene follows.
const MARK: &str = "// Kept without being saved: ";

/// The start of the second line, if the scene has a file; its path follows.
const ORIGIN_MARK: &str = "// Opened from: ";

/// The start of the second line of a kept shipped scene; its name follows.
const SHIPPED_MARK: &str = "// Began with the shipped scene: ";

/// Returns an approximate duration: `3 minutes`.
pub fn roughly(age: Duration) -> String {
    let (count, unit) = match age.as_secs() {
        seconds @ ..60 => (seconds.max(1), "second"),
        seconds @ ..3600 => (seconds / 60, "minute"),
        seconds @ ..86_400 => (seconds / 3600, "hour"),
        seconds => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

/// The saved state of a scene, by which its changes are unsaved.
#[derive(Clone, Copy, Debug)]
pub struct SavedMark {
    saved: u64,
    is_recovered: bool,
}

impl Autosave {
    /// Returns the saved state of the open scene.
    pub(crate) fn mark(&self) -> SavedMark {
        SavedMark { saved: self.saved, is_recovered: self.is_recovered }
    }

    /// Takes an earlier state as the saved one of the open scene.
    pub(crate) fn restore(&mut self, mark: SavedMark) {
        (self.saved, self.is_recovered, self.state) = (mark.saved, mark.is_recovered, None);
    }

    /// Returns the file of the kept scene of an opening; `None` if the autosave is off.
    pub(crate) fn path_of(&self, opening: u64) -> Option<PathBuf> {
        self.files.as_ref().map(|files| files.of_opening(opening))
    }

    /// Whether the scene has unsaved changes, as of the last check.
    pub fn is_unsaved(&self) -> bool {
        self.is_unsaved
    }

    /// Takes the present scene as the saved one.
    pub(crate) fn take_as_saved(&mut self, run: &RunState) {
        self.saved = run.fingerprint_of_scene();
        (self.is_unsaved, self.is_recovered, self.state) = (false, false, None);
    }

    pub(crate) fn has_changes(&self, run: &RunState) -> bool {
        // Changes after the shown moment count, too.
        let steps = run.host.simulation().steps();
        let mut later = run.host.timeline().present().applied().skip_while(|logged| logged.step <= steps);
        let has_later = run.host.is_in_past() && later.any(|logged| logged.edit.is_change());
        self.is_recovered || has_later || run.fingerprint_of_scene() != self.saved
    }

    /// Returns the unsaved scene; `None` when all is saved, or when the autosave is off.
    pub(crate) fn unsaved(&self, run: &RunState, timeline: &TimelineState) -> Option<UnsavedScene> {
        self.files.as_ref()?;
        let part = self.unsaved_part(run, timeline)?;
        let title = run.title();
        let origin = match &run.opened.source {
            Source::File(path) => Some(absolute(path)),
            _ => None,
        };
        let one_line = |text: &str| text.replace(['\n', '\r'], " ");
        let shipped = match &run.opened.source {
            Source::Shipped(name) => Some(name.as_str()),
            _ => None,
        };
        let marks = [(ORIGIN_MARK, origin.as_deref()), (SHIPPED_MARK, shipped)];
        let marks = marks.iter().filter_map(|(mark, name)| Some(format!("{mark}{}\n", one_line((*name)?))));
        let marks: String = marks.collect();
        let text = format!("{MARK}{}\n{marks}{}\n", one_line(&title), run.text_of_scene());
        let origin = origin.map(PathBuf::from);
        // Without its run, the scene can still be recovered.
        let run = run_files(run, timeline).ok().filter(|_| run.host.live_end() > 0);
        Some(UnsavedScene { part, title, origin, text, run })
    }

    /// Returns the unsaved part in words; `None` when all is saved.
    fn unsaved_part(&self, run: &RunState, timeline: &TimelineState) -> Option<&'static str> {
        match (run.has_branches(), run.host.timeline().bookmarks().is_empty()) {
            _ if self.has_changes(run) => Some("changes"),
            _ if !timeline.has_unsaved_timeline(run) => None,
            (true, true) => Some("branches"),
            (true, false) => Some("branches and bookmarks"),
            (false, _) => Some("bookmarks"),
        }
    }

    /// Writes the unsaved scene, unless it is written already.
    pub fn keep(&mut self, run: &RunState, timeline: &TimelineState) -> anyhow::Result<()> {
        self.unsaved(run, timeline).map_or(Ok(()), |left| self.write_left(run, &left))
    }

    fn write_left(&mut self, run: &RunState, left: &UnsavedScene) -> anyhow::Result<()> {
        let Some(files) = &self.files else { return Ok(()) };
        let (written, path) = (Some(fingerprint(&left.text)), files.of_opening(run.openings));
        write_run(&path, left.run.as_ref())?;
        if self.written != written {
            write_whole(&path, &left.text)?;
            self.written = written;
        }
        Ok(())
    }

    /// Removes the kept files of the open scene, which is saved or unchanged.
    pub fn forget_kept(&mut self, run: &RunState) {
        if let Some(files) = &self.files {
            remove(&files.of_opening(run.openings));
        }
        self.written = None;
    }

    /// Keeps the unsaved scene that is being left, and says so. Called before the number of the opening changes.
    pub(crate) fn keep_left(&mut self, run: &RunState, notices: &mut Notices, left: Option<UnsavedScene>) {
        let Some(left) = left else { return self.forget_kept(run) };
        let kept = self.write_left(run, &left);
        match kept {
            Ok(()) => {
                let of = if left.part == "changes" { "to" } else { "of" };
                let text = format!("Your unsaved {} {of} \"{}\" were kept", left.part, left.title);
                if let Some(path) = self.files.as_ref().map(|files| files.of_opening(run.openings)) {
                    notices.add(recovery(&text, &path).passing());
                    let (origin, written) = (left.origin, Some(SystemTime::now()));
                    self.found.insert(0, Unsaved { title: left.title, path, origin, written, ..Unsaved::default() });
                }
            }
            Err(error) => notices.tell_error(error),
        }
        (self.written, self.written_s) = (None, None);
    }

    /// Keeps the unsaved scene at the end of the window. Returns the message.
    pub fn end_autosave(&mut self, run: &RunState, timeline: &TimelineState) -> Option<RecordingResult> {
        let left = self.unsaved(run, timeline);
        let told = match &left {
            Some(left) => {
                let kept = self.write_left(run, left).map_err(RecordingError::Failed);
                let (title, part) = (&left.title, left.part);
                let text = format!("{title} has unsaved {part}: they will be offered for recovery at the next start");
                Some(kept.map(|()| text))
            }
            None => {
                self.forget_kept(run);
                None
            }
        };
        // Releases the lock.
        self.files = None;
        told
    }
}

/// Returns the actions for a kept scene: verb, hint and action.
pub fn recovery_offers(path: &Path) -> [(&'static str, &'static str, Action); 2] {
    [
        ("Recover", "Opens the scene with its unsaved changes", Action::File(FileAction::Recover(path.into()))),
        ("Discard", "Discards the unsaved changes", Action::File(FileAction::Discard(path.into()))),
    ]
}

/// Creates the message that offers to recover a scene.
pub fn recovery(text: &str, path: &Path) -> Notice {
    let offers = recovery_offers(path).into_iter();
    let notice = offers.fold(Notice::good(text), |notice, (verb, hint, action)| notice.with_button(verb, hint, action));
    notice.of_recovery()
}

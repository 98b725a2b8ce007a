//! The autosave: unsaved scenes are kept in the folder of the user.
//!
//! The lab writes the scene from time to time, when another scene is opened, and at the end. Beside the scene it writes
//! the run with its branches and bookmarks. Each window has its own files, named after a file that it keeps locked.
//! Files whose window does not run are offered for recovery at the next start.

use std::fs::{self, File, TryLockError};
use std::io::{Seek as _, Write as _};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use swarmarium_base::files::{self, write_whole};
use swarmarium_core::edit::{Edit, LoggedEdit};
use swarmarium_core::scene::Scene;
use swarmarium_core::scene::reader::read_text;
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_formats::load::{Source, fingerprint, load};
use swarmarium_formats::run_folder::{At, RunFiles, RunFolder};

use super::action::FileAction;
use super::notice::{Notice, Offer};
use super::recording::{RecordingError, RecordingResult};
use super::save::run_files;
use super::timeline::RunToOpen;
use super::{Action, Lab};

/// Time between two checks for unsaved changes, in seconds.
const LOOK_S: f64 = 0.5;
/// Time between two writes, in seconds.
const PAUSE_S: f64 = 20.0;
/// The number of most recent edits that are searched for a change.
const FEW_EDITS: usize = 1000;
/// The largest number of kept scenes; the oldest ones are removed.
const MOST_KEPT: usize = 50;

/// The autosave of the open scene.
#[derive(Debug, Default)]
pub struct Autosave {
    /// The files of this window.
    files: Option<Files>,
    /// The fingerprint of the scene when it was opened or saved.
    saved: u64,
    /// Whether the scene was recovered and has no file yet.
    is_recovered: bool,
    /// Whether the scene has unsaved changes, as of the last check.
    is_unsaved: bool,
    /// The state of the last check.
    state: Option<State>,
    /// The time of the last check, in egui's seconds.
    looked_s: Option<f64>,
    /// The time of the last write, in egui's seconds.
    written_s: Option<f64>,
    /// The fingerprint of the text that was last written.
    written: Option<u64>,
    /// Scenes of earlier windows, the newest first.
    pub found: Vec<Unsaved>,
}

/// A kept scene.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Unsaved {
    pub title: String,
    pub path: PathBuf,
    /// The time since it was written.
    age: Duration,
    /// The time from the write until the window crashed with this scene open.
    crashed_after: Option<Duration>,
}

/// The files of one window.
#[derive(Debug)]
struct Files {
    folder: PathBuf,
    /// The start of their names.
    stem: String,
    /// A file that is locked while the window is open. It holds the number of the opening that has changes.
    lock: File,
}

/// The state by which a check sees that the scene may have changed.
#[derive(Debug, PartialEq)]
struct State {
    made: (u64, u64),
    /// The number of set parameters.
    sets: u64,
    /// The last change, if it is recent. Commands of clients are not changes.
    last: Option<LoggedEdit>,
    waiting: Vec<Edit>,
}

/// An unsaved scene with its run.
pub struct UnsavedScene {
    /// The unsaved part, in words.
    part: &'static str,
    title: String,
    text: String,
    run: Option<RunFiles>,
}

impl Files {
    /// Claims a name that no other window uses.
    fn new(folder: &Path) -> std::io::Result<Self> {
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
    fn note_alive(&self, opening: u64) {
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
fn run_beside(path: &Path) -> PathBuf {
    path.with_extension("run")
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
    let _ = fs::remove_dir_all(&folder);
    if run.is_some() {
        fs::rename(&fresh, &folder)?;
    }
    Ok(())
}

/// Removes a scene file and its run, if they exist.
fn remove(path: &Path) {
    let _ = fs::remove_file(path);
    let _ = fs::remove_dir_all(run_beside(path));
    let _ = fs::remove_dir_all(path.with_extension("run-new"));
}

/// Returns the scenes of a folder whose window does not run, the newest first.
fn abandoned(folder: &Path) -> Vec<Unsaved> {
    let files = fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path());
    let is_ours = |path: &PathBuf| path.extension().is_some_and(|extension| extension == "ron");
    let mut found: Vec<Unsaved> = files.filter(is_ours).filter(|path| !is_held(path)).filter_map(unsaved).collect();
    found.sort_by(|a, b| a.age.cmp(&b.age).then_with(|| a.path.cmp(&b.path)));
    found
}

/// Whether the window that wrote a file still runs.
fn is_held(path: &Path) -> bool {
    let is_locked = |lock: File| matches!(lock.try_lock(), Err(TryLockError::WouldBlock));
    files::open(&lock_of(path).0).is_ok_and(is_locked)
}

fn unsaved(path: PathBuf) -> Option<Unsaved> {
    let modified = |path: &Path| path.metadata().and_then(|file| file.modified()).ok();
    // The run is written more often than the scene.
    let written = modified(&path).max(modified(&run_beside(&path).join("manifest.json")))?;
    let age = SystemTime::now().duration_since(written).unwrap_or_default();
    let text = read_text(&path).ok()?;
    let title = text.lines().next().and_then(|line| line.strip_prefix(MARK)).unwrap_or("a scene");
    let (lock, opening) = lock_of(&path);
    // A closed window has no lock, and a crashed one may have had another scene open.
    let is_last =
        files::read_text_at_most(&lock, 1 << 10).is_ok_and(|noted| noted.trim().parse::<u64>() == Ok(opening));
    let ended = modified(&lock).filter(|_| is_last);
    let crashed_after = ended.map(|ended| ended.duration_since(written).unwrap_or_default());
    Some(Unsaved { title: title.into(), path, age, crashed_after })
}

/// Returns the lock file of the window that wrote a file, and the number of the opening.
fn lock_of(path: &Path) -> (PathBuf, u64) {
    let name = path.file_stem().unwrap_or_default().to_string_lossy();
    let (stem, opening) = name.rsplit_once('-').unwrap_or((&name, ""));
    (path.with_file_name(stem).with_extension("lock"), opening.parse().unwrap_or_default())
}

impl Unsaved {
    /// Returns a description: `Milling, saved 3 minutes ago`.
    fn text(&self) -> String {
        format!("{}, saved {} ago", self.title, roughly(self.age))
    }

    /// Returns the description with the end of the run and, after a crash, the time that was lost, if known.
    fn whole_text(&self) -> String {
        let run = RunFolder::open(&run_beside(&self.path)).ok().flatten();
        let end_s = run.and_then(|run| run.end_s());
        let end = end_s.map(|end_s| format!("; the run was saved up to {end_s:.2} s")).unwrap_or_default();
        let lost = self.crashed_after.map(|after| match after.as_secs() {
            0 => ", right before the crash".into(),
            _ => format!(", {} before the crash", roughly(after)),
        });
        format!("{}{}{end}", self.text(), lost.unwrap_or_default())
    }
}

/// The start of the first line of a kept file; the name of the scene follows.
const MARK: &str = "// Kept without being saved: ";

/// Returns an approximate duration: `3 minutes`.
fn roughly(age: Duration) -> String {
    let (count, unit) = match age.as_secs() {
        seconds @ ..60 => (seconds.max(1), "second"),
        seconds @ ..3600 => (seconds / 60, "minute"),
        seconds @ ..86_400 => (seconds / 3600, "hour"),
        seconds => (seconds / 86_400, "day"),
    };
    format!("{count} {unit}{}", if count == 1 { "" } else { "s" })
}

impl Lab {
    /// Whether the scene has unsaved changes, as of the last check.
    pub(crate) fn is_unsaved(&self) -> bool {
        self.autosave.is_unsaved
    }

    /// Starts the autosave, and offers the scenes of earlier windows.
    pub(crate) fn begin_autosave(&mut self) {
        let Some(folder) = self.places.unsaved.clone() else { return };
        match Files::new(&folder) {
            Ok(files) => self.autosave.files = Some(files),
            Err(error) => {
                self.tell_error(format!("{}: unsaved changes cannot be stored there: {error}", folder.display()));
            }
        }
        let mut found = abandoned(&folder);
        let old = found.split_off(found.len().min(MOST_KEPT));
        old.iter().for_each(|old| remove(&old.path));
        self.autosave.found = found;
        self.offer_recovery();
    }

    /// Offers the newest kept scene, and the others in a menu.
    fn offer_recovery(&mut self) {
        let Some((first, others)) = self.autosave.found.split_first() else { return };
        let more = others.iter().flat_map(|other| {
            recovery_offers(&other.path).map(|(verb, hint, action)| Offer {
                title: format!("{verb} {}", other.text()),
                hint,
                action,
            })
        });
        let notice = recovery(&format!("Unsaved: {}", first.whole_text()), &first.path);
        self.notices.add(notice.with_more(others.len(), more.collect()));
    }

    /// Checks for unsaved changes from time to time. Called once per frame.
    pub(crate) fn look_after_unsaved(&mut self, now_s: f64) {
        if self.shots.target.is_some() || self.autosave.looked_s.is_some_and(|looked_s| now_s - looked_s < LOOK_S) {
            return;
        }
        self.autosave.looked_s = Some(now_s);
        let simulation = self.host.simulation();
        let state = State {
            made: (self.openings, self.restarts),
            sets: simulation.sets(),
            last: simulation.edits().iter().rev().take(FEW_EDITS).find(|logged| logged.edit.is_change()).cloned(),
            waiting: simulation.waiting_edits().filter(|edit| edit.is_change()).cloned().collect(),
        };
        if self.autosave.state.as_ref() != Some(&state) {
            self.autosave.is_unsaved = self.has_changes();
            self.autosave.state = Some(state);
        }
        let is_unsaved = self.autosave.is_unsaved || self.has_unsaved_timeline();
        if let Some(files) = self.autosave.files.as_ref().filter(|_| is_unsaved) {
            files.note_alive(self.openings);
        }
        let is_due = self.autosave.written_s.is_none_or(|written_s| now_s - written_s >= PAUSE_S);
        if is_unsaved && is_due {
            self.autosave.written_s = Some(now_s);
            let kept = self.keep();
            self.tell(kept);
        } else if !is_unsaved && self.autosave.written.is_some() {
            self.forget_kept();
        }
    }

    /// Takes the present scene as the saved one.
    pub(crate) fn take_as_saved(&mut self) {
        self.autosave.saved = fingerprint(&self.text_of_scene(true));
        (self.autosave.is_unsaved, self.autosave.is_recovered, self.autosave.state) = (false, false, None);
    }

    /// Returns the text of the scene with its changes. With `but_seed`, the seed does not count as a change.
    fn text_of_scene(&self, but_seed: bool) -> String {
        let simulation = self.host.simulation();
        let ahead = simulation.scene_ahead().clone().without_gone();
        let seed = if but_seed { 0 } else { ahead.seed };
        write(simulation.kinds(), &Scene { seed, ..ahead }, Style::Short)
    }

    pub(crate) fn has_changes(&self) -> bool {
        // Changes after the shown moment count, too.
        let steps = self.host.simulation().steps();
        let mut later = self.host.timeline().present().applied().skip_while(|logged| logged.step <= steps);
        let has_later = self.host.is_in_past() && later.any(|logged| logged.edit.is_change());
        self.autosave.is_recovered || has_later || fingerprint(&self.text_of_scene(true)) != self.autosave.saved
    }

    /// Whether the run has branches or bookmarks, which a scene file cannot hold.
    pub(super) fn has_timeline(&self) -> bool {
        self.has_branches() || !self.host.timeline().bookmarks().is_empty()
    }

    fn has_branches(&self) -> bool {
        self.host.timeline().branches().any(|branch| branch.parent().is_some())
    }

    /// Whether the run has branches or bookmarks that no run folder has.
    fn has_unsaved_timeline(&self) -> bool {
        self.has_timeline() && self.timeline.saved_revision != Some(self.host.timeline().revision())
    }

    /// Returns the unsaved scene; `None` when all is saved, or when the autosave is off.
    pub(crate) fn unsaved(&self) -> Option<UnsavedScene> {
        self.autosave.files.as_ref()?;
        let part = self.unsaved_part()?;
        let title = self.title();
        let text = format!("{MARK}{}\n{}\n", title.replace(['\n', '\r'], " "), self.text_of_scene(false));
        // Without its run, the scene can still be recovered.
        let run = run_files(self).ok().filter(|_| self.host.live_end() > 0);
        Some(UnsavedScene { part, title, text, run })
    }

    /// Returns the unsaved part in words; `None` when all is saved.
    fn unsaved_part(&self) -> Option<&'static str> {
        match (self.has_branches(), self.host.timeline().bookmarks().is_empty()) {
            _ if self.has_changes() => Some("changes"),
            _ if !self.has_unsaved_timeline() => None,
            (true, true) => Some("branches"),
            (true, false) => Some("branches and bookmarks"),
            (false, _) => Some("bookmarks"),
        }
    }

    /// Writes the unsaved scene, unless it is written already.
    fn keep(&mut self) -> anyhow::Result<()> {
        self.unsaved().map_or(Ok(()), |left| self.write_left(&left))
    }

    fn write_left(&mut self, left: &UnsavedScene) -> anyhow::Result<()> {
        let Some(files) = &self.autosave.files else { return Ok(()) };
        let (written, path) = (Some(fingerprint(&left.text)), files.of_opening(self.openings));
        write_run(&path, left.run.as_ref())?;
        if self.autosave.written != written {
            write_whole(&path, &left.text)?;
            self.autosave.written = written;
        }
        Ok(())
    }

    /// Removes the kept files of the open scene, which is saved or unchanged.
    fn forget_kept(&mut self) {
        if let Some(files) = &self.autosave.files {
            remove(&files.of_opening(self.openings));
        }
        self.autosave.written = None;
    }

    /// Keeps the unsaved scene that is being left, and says so. Called before the number of the opening changes.
    pub(crate) fn keep_left(&mut self, left: Option<UnsavedScene>) {
        let Some(left) = left else { return self.forget_kept() };
        let kept = self.write_left(&left);
        match kept {
            Ok(()) => {
                let text = format!("Kept unsaved {} of {}", left.part, left.title);
                if let Some(path) = self.autosave.files.as_ref().map(|files| files.of_opening(self.openings)) {
                    self.notices.add(recovery(&text, &path).passing());
                    self.autosave.found.insert(0, Unsaved { title: left.title, path, ..Unsaved::default() });
                }
            }
            Err(error) => self.tell_error(error),
        }
        (self.autosave.written, self.autosave.written_s) = (None, None);
    }

    /// Keeps the unsaved scene at the end of the window. Returns the message.
    pub(crate) fn end_autosave(&mut self) -> Option<RecordingResult> {
        let left = self.unsaved();
        let told = match &left {
            Some(left) => {
                let kept = self.write_left(left).map_err(RecordingError::Failed);
                let (title, part) = (&left.title, left.part);
                let text = format!("{title} has unsaved {part}: they will be offered for recovery at the next start");
                Some(kept.map(|()| text))
            }
            None => {
                self.forget_kept();
                None
            }
        };
        // Releases the lock.
        self.autosave.files = None;
        told
    }

    /// Opens a kept scene.
    pub(crate) fn recover(&mut self, path: &Path) {
        // The run is restored with the moment that was shown.
        let run = RunFolder::open(&run_beside(path));
        let mut is_whole = run.is_ok();
        let run = run.unwrap_or_else(|error| {
            self.tell_error(format!("{error:#}"));
            None
        });
        let name = run.as_ref().map_or_else(|| path.display().to_string(), RunFolder::scene_file);
        let loaded = load(self.recipe.kinds(), &name, &[]);
        let dt_s = loaded.as_ref().map_or(0.0, |loaded| loaded.scene.time.dt_s);
        let loaded = loaded.map(|loaded| swarmarium_formats::load::Loaded {
            source: Source::Unsaved("recovered, not saved yet"),
            ..loaded
        });
        if self.open_loaded(&name, loaded) {
            if let Some(folder) = run {
                let at = folder.saved_at().map(At::Step);
                let moment = folder.moment(at.as_ref(), None, dt_s);
                let done =
                    moment.and_then(|moment| Ok(self.take_run(&RunToOpen { folder, moment, shows_moment: true })?));
                is_whole &= done.is_ok();
                self.tell(done.map_err(|error| format!("{error:#}")));
            }
            self.timeline.saved_revision = None;
            (self.autosave.is_recovered, self.autosave.is_unsaved) = (true, true);
            let kept = self.keep();
            // The kept file is dropped only once the scene has another one.
            match kept {
                Ok(()) if self.autosave.files.is_some() && is_whole => self.drop_unsaved(path),
                Ok(()) => {}
                Err(error) => self.tell_error(error),
            }
        }
    }

    /// Discards a kept scene.
    pub(crate) fn discard(&mut self, path: &Path) {
        self.drop_unsaved(path);
        self.say("Discarded");
    }

    /// Removes a kept scene. If a notice offered others as well, these are offered again.
    fn drop_unsaved(&mut self, path: &Path) {
        self.autosave.found.retain(|found| found.path != path);
        remove(path);
        if self.notices.drop_recovery(path) {
            self.offer_recovery();
        }
    }
}

/// Returns the actions for a kept scene: verb, hint and action.
fn recovery_offers(path: &Path) -> [(&'static str, &'static str, Action); 2] {
    [
        ("Recover", "Opens the scene with its unsaved changes", Action::File(FileAction::Recover(path.into()))),
        ("Discard", "Discards the unsaved changes", Action::File(FileAction::Discard(path.into()))),
    ]
}

fn recovery(text: &str, path: &Path) -> Notice {
    let offers = recovery_offers(path).into_iter();
    let notice = offers.fold(Notice::good(text), |notice, (verb, hint, action)| notice.with_button(verb, hint, action));
    notice.outlasting()
}

#[cfg(test)]
mod tests {
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{click, do_steps, lab_of, lab_on, window};

    fn lab_in(place: &tempfile::TempDir) -> Lab {
        let mut lab = lab_on("milling");
        lab.places.unsaved = Some(place.path().join("new/autosave"));
        lab.begin_autosave();
        lab
    }

    fn kept(place: &tempfile::TempDir) -> Vec<PathBuf> {
        let files = fs::read_dir(place.path().join("new/autosave")).into_iter().flatten().flatten();
        files.map(|entry| entry.path()).filter(|path| path.extension().unwrap() == "ron").collect()
    }

    fn change(lab: &mut Lab, count: &str) {
        lab.host.apply(Edit::Set { path: "groups.millers.count".into(), value: count.into() }).unwrap();
    }

    #[test]
    fn only_what_is_changed_is_kept_and_not_too_often() {
        let place = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&place);
        lab.look_after_unsaved(0.0);
        lab.reset(Some(99));
        lab.look_after_unsaved(1.0);
        assert!(!lab.is_unsaved() && kept(&place).is_empty(), "another seed is another run of the same scene");
        change(&mut lab, "4");
        lab.look_after_unsaved(2.0);
        assert!(lab.is_unsaved());
        assert!(lab.window_title().starts_with("Milling* — "));
        let [file] = &kept(&place)[..] else { panic!("{:?}", kept(&place)) };
        let text = fs::read_to_string(file).unwrap();
        assert!(text.starts_with("// Kept without being saved: Milling\n") && text.contains("count: 4"), "{text}");
        change(&mut lab, "5");
        lab.look_after_unsaved(10.0);
        assert!(fs::read_to_string(file).unwrap().contains("count: 4"));
        lab.look_after_unsaved(23.0);
        assert!(fs::read_to_string(file).unwrap().contains("count: 5"));
        lab.revert();
        lab.look_after_unsaved(24.0);
        assert!(!lab.is_unsaved() && kept(&place).is_empty());
    }

    #[test]
    fn what_is_left_can_be_opened_again() {
        let place = tempfile::tempdir().unwrap();
        let (mut window, lab) = window(lab_in(&place));
        change(&mut lab.borrow_mut(), "4");
        lab.borrow_mut().open_source("aggregation");
        window.run_steps(3);
        assert_eq!(lab.borrow().title(), "Aggregation");
        window.get_by_label("Kept unsaved changes of Milling");
        window.get_by_label("Recover").click();
        window.run_steps(3);
        {
            let mut lab = lab.borrow_mut();
            assert!(lab.autosave.found.is_empty(), "it is open");
            assert_eq!((lab.title(), lab.host.scene().groups[0].count), ("Milling".into(), 4));
            assert!(lab.is_unsaved(), "no file of the user has it yet");
            assert!(window.query_by_label("Recover").is_none());
            do_steps(&mut lab, 1);
        }
        assert_eq!(kept(&place).len(), 1);
        let file = place.path().join("mine.ron");
        lab.borrow_mut().save_scene(&file);
        assert!(!lab.borrow().is_unsaved());
        lab.borrow_mut().look_after_unsaved(1e6);
        assert!(kept(&place).is_empty());
    }

    #[test]
    fn what_a_window_left_is_offered_to_the_next_one_and_not_to_one_beside() {
        let place = tempfile::tempdir().unwrap();
        let mut first = lab_in(&place);
        change(&mut first, "4");
        first.look_after_unsaved(0.0);
        assert_eq!(kept(&place).len(), 1);
        let beside = lab_in(&place);
        assert!(beside.autosave.found.is_empty());
        assert!(first.end_autosave().unwrap().unwrap().starts_with("Milling has unsaved changes"));
        drop((first, beside));
        let (mut window, lab) = window(lab_in(&place));
        assert_eq!(lab.borrow().autosave.found.len(), 1);
        window.get_by_label_contains("Unsaved: Milling, saved ");
        let is_crash = |notice: &Notice| notice.lines.concat().contains("crash");
        assert!(!lab.borrow().notices.iter().any(is_crash), "it was closed");
        lab.borrow_mut().open_source("aggregation");
        window.run_steps(2);
        window.get_by_label("Discard").click();
        window.run_steps(3);
        assert!(kept(&place).is_empty() && lab.borrow().autosave.found.is_empty());
        assert!(window.query_by_label("Discard").is_none());
    }

    /// Runs a window that changes a scene, does some steps, and crashes some time after the last save.
    fn crash(place: &tempfile::TempDir, count: &str, after: Duration) {
        let mut lab = lab_in(place);
        change(&mut lab, count);
        do_steps(&mut lab, 40);
        lab.look_after_unsaved(0.0);
        let files = lab.autosave.files.take().unwrap();
        let lock = files.folder.join(&files.stem).with_extension("lock");
        let noted = fs::read(&lock).unwrap();
        drop((lab, files));
        fs::write(&lock, noted).unwrap();
        File::options().write(true).open(&lock).unwrap().set_modified(SystemTime::now() + after).unwrap();
    }

    #[test]
    fn a_crash_says_how_much_is_missing() {
        let place = tempfile::tempdir().unwrap();
        crash(&place, "4", Duration::from_millis(12_200));
        let lab = lab_in(&place);
        let text = lab.autosave.found[0].whole_text();
        assert!(text.starts_with("Milling, saved ") && text.contains(", 12 seconds before the crash"), "{text}");
        assert!(text.ends_with("; the run was saved up to 1.00 s"), "{text}");
    }

    #[test]
    fn several_unsaved_scenes_are_in_a_menu_of_the_notice() {
        let place = tempfile::tempdir().unwrap();
        ["4", "5", "3"].into_iter().for_each(|count| crash(&place, count, Duration::ZERO));
        let (mut window, lab) = window(lab_in(&place));
        let count = |lab: &std::cell::RefCell<Lab>| lab.borrow().autosave.found.len();
        assert_eq!(count(&lab), 3);
        click(&mut window, "2 more");
        window.query_all_by_label_contains("Discard Milling, saved ").next().unwrap().click();
        window.run_steps(4);
        assert_eq!(count(&lab), 2);
        click(&mut window, "Discard");
        assert_eq!(count(&lab), 1);
        assert!(window.query_by_label("1 more").is_none(), "the last one is offered alone");
        click(&mut window, "Recover");
        assert_eq!((count(&lab), lab.borrow().title()), (0, "Milling".into()));
    }

    #[test]
    fn what_cannot_be_read_again_says_so_and_stays() {
        let place = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&place);
        let path = place.path().join("new/autosave/1-2-3.ron");
        fs::write(&path, "Scene(groups: many)").unwrap();
        lab.recover(&path);
        assert!(path.exists() && lab.title() == "Milling");
        assert!(lab.notices.iter().any(|notice| notice.is_error));
    }

    #[test]
    fn a_lab_without_a_folder_keeps_nothing() {
        let mut lab = lab_of("(groups: [(name: \"millers\", count: 2)])");
        change(&mut lab, "4");
        lab.look_after_unsaved(0.0);
        assert!(lab.is_unsaved());
        lab.open_source("milling");
        assert_eq!(lab.notices.iter().count(), 0);
        assert!(lab.end_autosave().is_none());
    }

    #[test]
    fn ages_are_told_roughly() {
        let told = [0, 59, 61, 7200, 200_000].map(|seconds| roughly(Duration::from_secs(seconds)));
        assert_eq!(told, ["1 second", "59 seconds", "1 minute", "2 hours", "2 days"]);
    }
}

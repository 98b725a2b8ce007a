//! Hot reload: the file of the scene is watched, and read again when it changes.
//!
//! A broken file is told; what was read last goes on. Changes that were made in the window are set aside.

use std::collections::BTreeSet;
use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use notify::event::{AccessKind, AccessMode, Event, EventKind};
use notify::{Config, PollWatcher, RecursiveMode, Watcher as _};
use swarmarium_base::problem::Problems;
use swarmarium_core::edit::Edit;
use swarmarium_core::edit::agents::Address;
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::scene::{Scene, constants, reader};
use swarmarium_formats::load::{Loaded, Source, fingerprint, load_with, located};

use super::notice::Notice;
use super::text::counted;
use super::{Action, Lab};

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
    found: Found,
    /// Whether it was told that folders cannot be watched.
    has_told: bool,
}

/// What is found where the file should be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Found {
    /// A text, by its fingerprint.
    Text(u64),
    /// Something that cannot be read.
    Unreadable,
    /// Nothing.
    #[default]
    Nothing,
}

impl Found {
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
            Source::File(file) if lab.target.is_none() => Some(file.as_path()),
            _ => None,
        };
        if file != self.file.as_deref() {
            self.file = file.map(Into::into);
            self.found = Found::Text(lab.opened.fingerprint);
            self.watch(lab);
            // It may have changed after it was read and before it was watched.
            self.touched_s = Some(now_s);
        }
        if self.touched.swap(false, Ordering::Relaxed) {
            self.touched_s = Some(now_s);
        }
        let wait_s = if self.found == Found::Nothing { LOOK_S } else { QUIET_S };
        if self.touched_s.is_some_and(|touched_s| now_s - touched_s >= wait_s) {
            self.touched_s = None;
            self.look(lab, now_s);
        }
    }

    /// Looks whether the file is another one than before.
    fn look(&mut self, lab: &mut Lab, now_s: f64) {
        let Some(file) = self.file.clone() else { return };
        let found = Found::at(&file);
        if found == Found::Nothing {
            self.touched_s = Some(now_s);
        }
        let before = std::mem::replace(&mut self.found, found);
        if before == found {
            return;
        }
        if before == Found::Nothing {
            self.watch(lab);
        }
        match found {
            Found::Nothing => lab
                .notices
                .add(Notice::of_file(&format!("{} is gone: the scene goes on as it was read last", file.display()))),
            Found::Text(_) | Found::Unreadable => lab.file_changed(),
        }
    }

    /// Begins to watch the folder: editors replace files, and a watch of the file would go with it.
    fn watch(&mut self, lab: &mut Lab) {
        self.watch = None;
        let Some(file) = &self.file else { return };
        let places = Places::of(file);
        let make = |config| notify::RecommendedWatcher::new(places.handler(&self.touched), config);
        let watch = match places.watched(make) {
            Ok(watch) => Ok(watch),
            Err(error) => {
                if !std::mem::replace(&mut self.has_told, true) {
                    let folder = places.folders.first().cloned().unwrap_or_default();
                    lab.say(&format!(
                        "The system cannot watch {} ({error}): changes are looked for every {} s",
                        folder.display(),
                        POLL.as_secs()
                    ));
                }
                places.watched(|config| PollWatcher::new(places.handler(&self.touched), config))
            }
        };
        match watch {
            Ok(watch) => self.watch = Some(watch),
            Err(error) => lab.tell(Err(format!("{} cannot be watched: {error}", file.display()))),
        }
    }
}

/// Where a file is: where its name is, and where its text is when the name is a link.
struct Places {
    folders: BTreeSet<PathBuf>,
    names: BTreeSet<OsString>,
}

impl Places {
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

/// Whether a reset keeps a change: it makes agents anew, and their poses and own parameters with them.
pub fn is_kept_by_reset(edit: &Edit) -> bool {
    match edit {
        Edit::Set { path, .. } => matches!(Address::of(path), Ok(None)),
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => true,
        _ => false,
    }
}

/// Whether changes, one after the other, would leave a scene as it is.
///
/// Each alone would not tell: a later one may be of what an earlier one made.
fn are_made(kinds: &Kinds, scene: &Scene, changes: &[Edit]) -> bool {
    let mut after = scene.clone();
    let text = |scene| write(kinds, scene, Style::Full);
    let fit = changes.iter().all(|change| match change {
        Edit::Set { path, value } => constants::set(kinds, &mut after, path, value).is_ok(),
        _ => false,
    });
    fit && text(&after) == text(scene)
}

/// Changes without those that later ones leave nothing of; the time scale is none, for it is kept, and neither is what
/// clients told.
fn condensed<'a>(all: impl DoubleEndedIterator<Item = &'a Edit>) -> Vec<Edit> {
    let mut changes: Vec<&Edit> = Vec::new();
    for edit in all.filter(|edit| edit.is_change()).rev() {
        if !changes.iter().any(|later| edit.is_outdone_by(later)) {
            changes.push(edit);
        }
    }
    changes.into_iter().rev().cloned().collect()
}

/// Whether an edit takes a robot away, by its number.
fn removes_robot(edit: &Edit) -> bool {
    matches!(edit, Edit::Remove { path } if path.starts_with("agents"))
}

impl Lab {
    /// Reads the file of the scene again; when it is broken, the last good one goes on.
    pub(crate) fn reload(&mut self) {
        match self.read_again() {
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => self.say("This scene has no file"),
        }
    }

    /// Follows the file of the scene, which has another text than before.
    ///
    /// A scene that is the same as the one that runs, as after saving it, lets it run.
    pub(crate) fn file_changed(&mut self) {
        match self.read_again() {
            Some(Ok(loaded)) if self.runs(&loaded.scene) => {
                self.notices.clear_scene_errors();
                self.take_opened(loaded);
            }
            Some(Ok(loaded)) => self.take(loaded),
            Some(Err(problems)) => self.notices.add(Notice::of_file(&problems.to_string())),
            None => {}
        }
    }

    fn read_again(&self) -> Option<Result<Loaded, Problems>> {
        let name = self.opened.source.name()?;
        Some(load_with(self.recipe.kinds(), &name, &self.opened.overrides, &self.opened.options))
    }

    fn runs(&self, scene: &Scene) -> bool {
        let simulation = self.host.simulation();
        // What was taken away is not in files.
        let text = |scene: &Scene| write(simulation.kinds(), &scene.clone().without_gone(), Style::Full);
        text(scene) == text(simulation.scene_ahead())
    }

    /// Starts a scene that was read again.
    fn take(&mut self, loaded: Loaded) {
        // Those that were set aside before are older than those since.
        let mut lost = condensed(self.set_aside.iter().chain(&self.changes()));
        let removed = self.forget_renumbered(&mut lost);
        if are_made(self.recipe.kinds(), &loaded.scene, &lost) {
            lost.clear();
        }
        if let Err(problems) = self.host.load(loaded.scene.clone()) {
            let problems = located(&loaded.source.name().unwrap_or_default(), problems);
            return self.notices.add(Notice::of_file(&problems.to_string()));
        }
        self.notices.clear_scene_errors();
        let name = loaded.source.name().unwrap_or_default();
        let name = Path::new(&name).file_name().unwrap_or_default().to_string_lossy().into_owned();
        self.take_opened(loaded);
        self.histories.clear();
        self.notices.drop_offers();
        let back = match removed {
            0 => String::new(),
            1 => "; 1 removed robot is back, as a reset gave the others new numbers".into(),
            all => format!("; {all} removed robots are back, as a reset gave the others new numbers"),
        };
        if lost.is_empty() {
            self.say(&format!("{name} was read again{back}"));
        } else {
            let are = if lost.len() == 1 { "is" } else { "are" };
            let changes = counted(lost.len());
            let text = format!("{name} was read again; {changes} made in the window {are} set aside{back}");
            self.notices.add(Notice::good(&text).with_offer("Make changes again", Action::RestoreChanges));
        }
        self.set_aside = lost;
        self.restarted();
    }

    /// Leaves out the robots that were taken away before a reset, or after one that followed such: their numbers are those
    /// of others now. How many there were.
    fn forget_renumbered(&self, changes: &mut Vec<Edit>) -> usize {
        if !self.host.carried.iter().any(removes_robot) {
            return 0;
        }
        let before = changes.len();
        changes.retain(|change| !removes_robot(change));
        before - changes.len()
    }

    /// What was changed in the window, each thing once, those before a reset first.
    pub(crate) fn changes(&self) -> Vec<Edit> {
        let simulation = self.host.simulation();
        let logged = simulation.edits().iter().map(|logged| &logged.edit);
        condensed(self.host.carried.iter().chain(logged).chain(simulation.waiting_edits()))
    }

    /// Makes the changes again that were set aside, those that still fit.
    pub(crate) fn restore_changes(&mut self) {
        let changes = std::mem::take(&mut self.set_aside);
        let all = changes.len();
        let gesture = self.present_gesture();
        let misfits: Vec<_> = changes
            .into_iter()
            .filter_map(|change| self.apply_in(change, gesture).err())
            .map(|problem| problem.to_string())
            .collect();
        self.notices.drop_offers();
        match (all, all - misfits.len()) {
            (0, _) => self.say("No changes were set aside"),
            (_, 0) => {}
            (_, 1) => self.say("1 change was made again"),
            (_, made) => self.say(&format!("{} were made again", counted(made))),
        }
        if !misfits.is_empty() {
            let fit = if misfits.len() == 1 { "no longer fits" } else { "no longer fit" };
            self.tell(Err(format!("{} {fit}\n{}", counted(misfits.len()), misfits.join("\n"))));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::cell::RefCell;
    use std::fs;
    use std::rc::Rc;
    use std::thread::sleep;
    use std::time::Instant;

    use egui_kittest::Harness;
    use egui_kittest::kittest::Queryable as _;

    use super::*;
    use crate::testing::{lab_on, window};

    const GOOD: &str = "Scene(name: \"Two\", seed: 3, groups: [(name: \"a\", count: 2, body: Disc())])\n";

    /// A window on a file in a folder of its own.
    struct Bench {
        folder: tempfile::TempDir,
        window: Harness<'static>,
        lab: Rc<RefCell<Lab>>,
    }

    impl Bench {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let file = folder.path().join("two.ron");
            fs::write(&file, GOOD).unwrap();
            let (window, lab) = window(lab_on(&file.display().to_string()));
            Self { folder, window, lab }
        }

        fn file(&self) -> PathBuf {
            self.folder.path().join("two.ron")
        }

        fn write(&self, text: &str) {
            fs::write(self.file(), text).unwrap();
        }

        /// Draws frames until something is so; the system tells of changes when it likes to.
        fn until(&mut self, what: &str, is_so: impl Fn(&Lab) -> bool) {
            let start = Instant::now();
            while !is_so(&self.lab.borrow()) {
                assert!(start.elapsed() < Duration::from_secs(20), "{what}: {:?}", self.lab.borrow().notices);
                sleep(Duration::from_millis(10));
                self.window.run_steps(1);
            }
            self.window.run_steps(2);
        }

        fn set(&self, path: &str, value: &str) {
            let edit = Edit::Set { path: path.into(), value: value.into() };
            self.lab.borrow_mut().host.apply(edit).unwrap();
        }

        fn seed(&self) -> u64 {
            self.lab.borrow().host.simulation().scene_ahead().seed
        }
    }

    fn has_error(lab: &Lab) -> bool {
        lab.notices.iter().any(|notice| notice.is_error)
    }

    #[test]
    fn a_broken_file_is_told_until_it_is_mended() {
        let mut bench = Bench::new();
        let place = format!("{}:2:2", bench.file().display());
        bench.write("Scene(\n sed: 4,\n ordr: 1)");
        bench.until("broken", has_error);
        assert_eq!((bench.seed(), bench.lab.borrow().restarts), (3, 0), "the last good one goes on");
        bench.window.get_by_label(&place).click();
        bench.window.run_steps(2);
        bench.window.get_by_label("Copied");
        assert!(bench.window.query_by_label_contains("did you mean `order`").is_none());
        bench.window.get_by_label("Show all 2").click();
        bench.window.run_steps(3);
        bench.window.get_by_label_contains("did you mean `order`");
        bench.write(&GOOD.replace("seed: 3", "seed: 4"));
        bench.until("mended", |lab| !has_error(lab));
        assert_eq!((bench.seed(), bench.lab.borrow().restarts), (4, 1));
        bench.window.get_by_label("two.ron was read again");
    }

    #[test]
    fn a_file_mended_to_what_runs_lets_it_run() {
        let mut bench = Bench::new();
        bench.write("Scene(");
        bench.until("broken", has_error);
        bench.write(&GOOD.replace("seed", "// the same\nseed"));
        bench.until("mended", |lab| !has_error(lab));
        assert_eq!(bench.lab.borrow().restarts, 0);
    }

    #[test]
    fn files_may_be_replaced_or_go_and_come_back() {
        let mut bench = Bench::new();
        let other = bench.folder.path().join("two.ron~");
        fs::write(&other, GOOD.replace("seed: 3", "seed: 5")).unwrap();
        fs::rename(&other, bench.file()).unwrap();
        bench.until("replaced", |lab| lab.restarts == 1);
        assert_eq!(bench.seed(), 5);
        fs::remove_file(bench.file()).unwrap();
        bench.until("gone", has_error);
        bench.write(&GOOD.replace("seed: 3", "seed: 6"));
        bench.until("back", |lab| lab.restarts == 2 && !has_error(lab));
        assert_eq!(bench.seed(), 6);
    }

    #[test]
    fn changes_are_set_aside_and_made_again() {
        let mut bench = Bench::new();
        bench.set("groups.a.body.radius_m", "0.2");
        bench.lab.borrow_mut().reset(None);
        bench.set("groups.a.body.radius_m", "0.3");
        bench.set("seed", "9");
        bench.set("groups.a.team", "red");
        let scale = Edit::TimeScale { scale: 2.0 };
        bench.lab.borrow_mut().host.apply(scale).unwrap();
        bench.lab.borrow_mut().reset(None);
        bench.write(&GOOD.replace("seed: 3", "seed: 9, about: \"new\""));
        bench.until("read", |lab| !lab.set_aside.is_empty());
        bench.window.get_by_label("two.ron was read again; 3 changes made in the window are set aside");
        bench.window.get_by_label("Make changes again").click();
        bench.window.run_steps(3);
        let lab = bench.lab.borrow();
        let scene = lab.host.simulation().scene_ahead();
        assert_eq!((scene.groups[0].body.radius_m(), scene.groups[0].team.as_str()), (0.3, "red"));
        assert_eq!((scene.about.as_str(), lab.set_aside.len()), ("new", 0));
    }

    #[test]
    fn robots_that_were_removed_before_a_reset_are_not_removed_again() {
        let mut bench = Bench::new();
        bench.set("groups.a.team", "red");
        let remove = Edit::Remove { path: "agents.0".into() };
        bench.lab.borrow_mut().host.apply(remove).unwrap();
        bench.lab.borrow_mut().reset(None);
        bench.write(&GOOD.replace("seed: 3", "seed: 4"));
        bench.until("read", |lab| !lab.set_aside.is_empty());
        bench.window.get_by_label(
            "two.ron was read again; 1 change made in the window is set aside; \
             1 removed robot is back, as a reset gave the others new numbers",
        );
        bench.lab.borrow_mut().restore_changes();
        let lab = bench.lab.borrow();
        let simulation = lab.host.simulation();
        assert_eq!((simulation.agents().count(), simulation.scene_ahead().groups[0].team.as_str()), (2, "red"));
    }

    #[test]
    fn a_new_seed_is_a_change() {
        let mut bench = Bench::new();
        bench.lab.borrow_mut().reset(Some(41));
        bench.write(&GOOD.replace("count: 2", "count: 3"));
        bench.until("read", |lab| !lab.set_aside.is_empty());
        bench.lab.borrow_mut().restore_changes();
        assert_eq!(bench.seed(), 41);
    }

    #[test]
    fn what_cannot_be_started_leaves_all_as_it_is() {
        let mut lab = lab_on("milling");
        lab.host.carried.push(Edit::Set { path: "seed".into(), value: "7".into() });
        lab.opened.scene.time.dt_s = -1.0;
        lab.revert();
        assert!(has_error(&lab));
        assert_eq!((lab.restarts, lab.host.carried.len()), (0, 1));
    }

    #[test]
    fn what_an_importer_leaves_out_is_told_until_it_is_closed() {
        let mut bench = Bench::new();
        let world = bench.folder.path().join("w.yaml");
        let text = "type: RectangularWorld\nsize: [10, 10]\nmystery: 3\n";
        fs::write(&world, text).unwrap();
        bench.lab.borrow_mut().open_source(&world.display().to_string());
        bench.window.run_steps(3);
        let told = |lab: &Lab| lab.notices.iter().filter(|notice| notice.lines.concat().contains("mystery")).count();
        assert_eq!(told(&bench.lab.borrow()), 1, "{:?}", bench.lab.borrow().notices);
        bench.lab.borrow_mut().say("Copied");
        bench.window.run_steps(2);
        bench.window.get_by_label_contains("not as in the imported file");
        fs::write(&world, text.replace("3", "4").replace("10, 10", "20, 10")).unwrap();
        bench.until("read", |lab| lab.host.scene().arena.size_m.x == 20.0);
        assert_eq!(told(&bench.lab.borrow()), 1, "told once, whatever is read again");
    }

    #[test]
    fn changes_that_no_longer_fit_are_told() {
        let mut bench = Bench::new();
        bench.set("groups.a.count", "3");
        bench.set("seed", "8");
        bench.write(&GOOD.replace("\"a\"", "\"b\""));
        bench.until("read", |lab| lab.set_aside.len() == 2);
        bench.lab.borrow_mut().restore_changes();
        bench.window.run_steps(3);
        assert_eq!(bench.seed(), 8);
        bench.window.get_by_label("1 change was made again");
        bench.window.get_by_label("1 change no longer fits");
    }

    #[test]
    fn changes_of_before_an_earlier_reload_are_kept() {
        let mut bench = Bench::new();
        bench.set("groups.a.body.radius_m", "0.3");
        bench.set("groups.a.team", "red");
        bench.write(&GOOD.replace("seed: 3", "seed: 4"));
        bench.until("read", |lab| lab.restarts == 1);
        bench.set("groups.a.team", "blue");
        bench.lab.borrow_mut().say("Copied");
        bench.window.run_steps(2);
        bench.window.get_by_label("Make changes again");
        bench.write(&GOOD.replace("seed: 3", "seed: 5"));
        bench.until("read again", |lab| lab.restarts == 2);
        bench.window.get_by_label("two.ron was read again; 2 changes made in the window are set aside");
        bench.window.get_by_label("Make changes again").click();
        bench.window.run_steps(3);
        let lab = bench.lab.borrow();
        let scene = lab.host.simulation().scene_ahead();
        assert_eq!((scene.groups[0].body.radius_m(), scene.groups[0].team.as_str()), (0.3, "blue"));
    }

    #[test]
    fn changes_that_the_file_has_meanwhile_are_no_longer_offered() {
        let mut bench = Bench::new();
        bench.set("groups.a.team", "red");
        bench.write(&GOOD.replace("seed: 3", "seed: 4"));
        bench.until("read", |lab| !lab.set_aside.is_empty());
        bench.write(&GOOD.replace("count: 2", "count: 2, team: \"red\""));
        bench.until("read again", |lab| lab.restarts == 2);
        assert_eq!(bench.lab.borrow().set_aside, []);
        assert!(bench.window.query_by_label("Make changes again").is_none());
    }

    #[test]
    fn changes_are_judged_together() {
        let lab = lab_on("milling");
        let kinds = lab.recipe.kinds();
        let set = |path: &str, value: &str| Edit::Set { path: path.into(), value: value.into() };
        let scene = |value: &str| {
            let text = format!("(groups: [(name: \"a\", body: Disc(), controller: Constant(v_m_per_s: {value}))])");
            reader::read::<Scene>(kinds, "a.ron", &text).unwrap()
        };
        let changes = [set("groups.a.controller", "Constant()"), set("groups.a.controller.v_m_per_s", "1")];
        assert!(are_made(kinds, &scene("1"), &changes), "the first alone would not be");
        // In the other order, the last one takes back what the first one made.
        let back = [set("groups.a.controller.v_m_per_s", "1"), set("groups.a.controller", "Constant()")];
        assert!(!are_made(kinds, &scene("1"), &back));
        assert!(!are_made(kinds, &scene("1"), &[Edit::Move { agent: 0, x_m: 1.0, y_m: 1.0, heading_rad: 0.0 }]));
    }

    #[test]
    fn saving_onto_the_open_file_lets_it_run() {
        let mut bench = Bench::new();
        bench.set("seed", "12");
        crate::save::scene(&bench.lab.borrow(), &bench.file()).unwrap();
        bench.until("saved", |lab| lab.opened.scene.seed == 12);
        assert_eq!(bench.lab.borrow().restarts, 0);
    }

    #[test]
    fn saving_takes_overrides_along() {
        let mut bench = Bench::new();
        let wanted = swarmarium_formats::load::Override { path: "seed".into(), value: "77".into() };
        bench.lab.borrow_mut().opened.overrides.push(wanted);
        bench.set("seed", "12");
        bench.lab.borrow_mut().save_scene(&bench.file());
        bench.until("saved", |lab| lab.opened.scene.seed == 12 && lab.opened.overrides.is_empty());
        assert_eq!((bench.seed(), bench.lab.borrow().restarts), (12, 0));
    }

    #[test]
    fn overrides_are_applied_again() {
        let mut bench = Bench::new();
        let wanted = swarmarium_formats::load::Override { path: "seed".into(), value: "77".into() };
        bench.lab.borrow_mut().opened.overrides.push(wanted);
        bench.write(&GOOD.replace("count: 2", "count: 4"));
        bench.until("read", |lab| lab.restarts == 1);
        assert_eq!((bench.seed(), bench.lab.borrow().host.simulation().agents().count()), (77, 4));
    }

    #[test]
    fn folders_can_be_looked_through_instead() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("a.ron");
        fs::write(&file, "()").unwrap();
        let (places, touched) = (Places::of(&file), Arc::new(AtomicBool::new(false)));
        let often = |config: Config| config.with_poll_interval(Duration::from_millis(20));
        let watch = places.watched(|config| PollWatcher::new(places.handler(&touched), often(config))).unwrap();
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

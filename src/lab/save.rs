//! The files that the lab writes.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, ensure};
use swarmarium_base::files::{Draft, cannot_write, read_at_most, write_whole};
use swarmarium_base::math;
use swarmarium_base::problem::Problems;
use swarmarium_core::clock::host::TwinPlan;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::edit::Edit;
use swarmarium_core::kind::Family as _;
use swarmarium_core::scene::origins::Origins;
use swarmarium_core::scene::reader::{MAX_BYTES, read_text};
use swarmarium_core::scene::writer::{Style, write};
use swarmarium_core::step::Workers;
use swarmarium_core::timeline::file::FILE as TIMELINE;
use swarmarium_core::timeline::{Moment, TimelineError};
use swarmarium_formats::load::{Loaded, Source, fingerprint};
use swarmarium_formats::run_folder::RunFiles;
use swarmarium_formats::{import, share};

use super::action::{FileAction, FileRequest};
use super::kept_changes::is_kept_by_reset;
use super::plots::{History, Pin, Watched};
use super::text::counted;
use super::{Action, Lab};

/// Saves the scene as it is now, with its edits. Returns its text.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn scene(lab: &Lab, path: &Path) -> anyhow::Result<String> {
    let simulation = lab.host.simulation();
    let text = write(simulation.kinds(), &simulation.scene_ahead().clone().without_gone(), Style::Short) + "\n";
    write_whole(path, &text).map(|()| text)
}

/// Saves the run into a new folder: `swarmarium run FOLDER/scene.ron --edits FOLDER/edits.ron --steps N` repeats it,
/// with the steps and the hash of the manifest. `swarmarium open FOLDER` also restores branches and bookmarks.
///
/// Waiting edits belong to the next step: a run with N steps omits them, a longer one includes them.
///
/// # Errors
/// Returns an error if the folder cannot be written.
pub fn run(lab: &Lab, path: &Path) -> anyhow::Result<()> {
    // An existing folder is never overwritten.
    fs::create_dir(path).with_context(|| format!("{}: cannot be created", path.display()))?;
    run_files(lab)?.write(path)
}

/// The files of the present run. During a jump, the run is restored at the target moment.
///
/// # Errors
/// Returns an error if a text cannot be serialized.
pub fn run_files(lab: &Lab) -> anyhow::Result<RunFiles> {
    RunFiles::of(&lab.host, &lab.title(), lab.playhead())
}

impl Lab {
    /// Returns the action that saves the scene: to the open file if it belongs to the user, or else to a chosen one.
    pub(crate) fn saving(&self) -> Action {
        match &self.opened.source {
            Source::File(path) if !import::can_import(path) && !share::is_shared(path) && !is_of_run(path) => {
                Action::File(FileAction::SaveScene(path.clone()))
            }
            _ => Action::File(FileAction::Ask(FileRequest::SaveScene)),
        }
    }

    /// Saves the scene, makes that file the open one, and reports the changes that it cannot hold.
    pub(crate) fn save_scene(&mut self, path: &Path) {
        let aside = match keep_comments(path) {
            Ok(aside) => aside,
            Err(error) => return self.tell_error(error),
        };
        let text = match scene(self, path) {
            Ok(text) => text,
            Err(error) => return self.tell_error(error),
        };
        let source = match &self.opened.source {
            Source::File(opened) if is_same(opened, path) => self.opened.source.clone(),
            _ => Source::File(path.into()),
        };
        // The file now contains the overrides; applying them again would undo later changes.
        let (origins, fingerprint) = (Origins::of_text(&text), fingerprint(&text));
        let scene = self.host.simulation().scene_ahead().clone();
        self.take_opened(Loaded { source, origins, fingerprint, ..scene.into() });
        self.settings.add_recent(path);
        let of_agents = self.changes().iter().filter(|change| !is_kept_by_reset(change)).count();
        let without = match of_agents {
            0 => String::new(),
            changes => format!(" without {} of single robots, which \"Save run as folder\" includes", counted(changes)),
        };
        let aside = aside.map(|aside| format!("; the previous file with its comments is kept as {}", aside.display()));
        self.say_saved(&format!("Saved {}{without}{}", path.display(), aside.unwrap_or_default()), path);
    }
}

/// Keeps a copy of a scene file with comments, because saved scenes have none. Returns its path.
fn keep_comments(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let has_comments = read_text(path).is_ok_and(|text| text.contains("//") || text.contains("/*"));
    if !has_comments {
        return Ok(None);
    }
    let aside = path.with_added_extension("bak");
    let content = read_at_most(path, MAX_BYTES).with_context(|| path.display().to_string())?;
    write_whole(&aside, content)?;
    Ok(Some(aside))
}

/// Whether a scene belongs to a run folder, which must not change.
fn is_of_run(path: &Path) -> bool {
    let beside = |name: &str| path.with_file_name(name).is_file();
    path.file_name().is_some_and(|name| name == "scene.ron") && (beside("manifest.json") || beside(TIMELINE))
}

/// Whether two paths lead to the same file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// The reason why the controller of a group cannot be saved or loaded.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ControllerError {
    /// The scene no longer has the group.
    #[error("the group no longer exists")]
    NoGroup,
    /// The controller file is invalid.
    #[error("{}", .0.to_string().trim_end())]
    Unreadable(#[from] Problems),
}

/// Saves the controller of a group, by its place, as a scene writes it.
///
/// # Errors
/// Returns an error if the file cannot be written.
pub fn controller(lab: &Lab, group: usize, path: &Path) -> anyhow::Result<()> {
    let simulation = lab.host.simulation();
    let group = simulation.scene_ahead().groups.get(group).ok_or(ControllerError::NoGroup)?;
    write_whole(path, &(write(simulation.kinds(), &group.controller, Style::Full) + "\n"))
}

/// Returns the edit that sets the controller of a group from a file, which holds a controller or only its fields.
///
/// # Errors
/// Returns an error if the file is invalid, or the group no longer exists.
pub fn controller_edit(lab: &Lab, group: usize, path: &Path) -> Result<Edit, ControllerError> {
    let simulation = lab.host.simulation();
    let known = simulation.scene_ahead().groups.get(group).ok_or(ControllerError::NoGroup)?;
    let text = read_text(path)?;
    // Files of shipped supervisors and similar ones hold only the fields.
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with("//");
    let head: usize = text.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    let value = text[head..].trim();
    let kind = simulation.kinds().of_value(ControllerFamily::NAME, known.controller.value());
    let kind = kind.filter(|_| value.starts_with('(')).map_or("", |kind| kind.name);
    Ok(Edit::Set { path: format!("groups.{group}.controller"), value: format!("{kind}{value}") })
}

/// The numbers of all plots, as a table with one row per step: the columns of `metrics.csv`, then pinned numbers.
pub enum Export {
    /// The plots have all values.
    Complete(Box<History>),
    /// The run is simulated again for the values.
    Resimulated(Box<Tabulation>),
}

/// A run that is simulated again for its numbers.
pub struct Tabulation {
    plan: TwinPlan,
    steps: u64,
    threads: usize,
    pins: Vec<String>,
    selected: Option<u32>,
}

type Table<'a> = csv::Writer<&'a mut Draft>;

impl Export {
    /// Creates the export of the run up to now.
    ///
    /// # Errors
    /// Returns an error if the plots lack values and the host keeps no past.
    pub fn of(lab: &Lab) -> Result<Self, TimelineError> {
        let (now, history) = (lab.host.moment(), &lab.plots.history);
        if history.is_complete(now.step) {
            return Ok(Self::Complete(Box::new(history.clone())));
        }
        let (pins, selected) = (history.pins().map(Into::into).collect(), history.selected());
        let plan = lab.host.plan_twin(Moment { step: 0, ..now })?;
        let tabulation = Tabulation { plan, steps: now.step, threads: lab.threads, pins, selected };
        Ok(Self::Resimulated(Box::new(tabulation)))
    }

    /// Returns the number of steps that are simulated again.
    pub fn resimulated_steps(&self) -> u64 {
        match self {
            Self::Complete(_) => 0,
            Self::Resimulated(tabulation) => tabulation.steps,
        }
    }

    /// Saves the table, as long as `goes_on` returns true.
    ///
    /// # Errors
    /// Returns an error if the file cannot be written, another process is writing it, the run cannot be simulated
    /// again, or `goes_on` returned false.
    pub fn save(self, path: &Path, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let mut draft = Draft::begin(path)?;
        let written = self.write(csv::Writer::from_writer(&mut draft), goes_on);
        match written {
            Ok(()) => draft.finish(),
            Err(error) => {
                // A partial table is useless.
                draft.discard();
                Err(error.context(cannot_write(path)))
            }
        }
    }

    fn write(self, mut table: Table<'_>, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        match self {
            Self::Complete(history) => complete(&history, &mut table)?,
            Self::Resimulated(tabulation) => tabulation.tabulate(&mut table, goes_on)?,
        }
        table.flush()?;
        Ok(())
    }
}

fn head(table: &mut Table<'_>, mut names: impl Iterator<Item = impl AsRef<[u8]>>) -> csv::Result<()> {
    table.write_field("step")?;
    table.write_field("t_s")?;
    names.try_for_each(|name| table.write_field(name))?;
    table.write_record(None::<&[u8]>)
}

fn row(table: &mut Table<'_>, step: u64, t_s: f64, values: impl Iterator<Item = f64>) -> csv::Result<()> {
    let t_s = math::decimal_product(t_s);
    table.write_record([step.to_string(), t_s.to_string()].into_iter().chain(values.map(|value| value.to_string())))
}

fn complete(history: &History, table: &mut Table<'_>) -> csv::Result<()> {
    head(table, history.names())?;
    for (place, step) in history.steps().iter().enumerate().filter(|(_, step)| **step > 0) {
        let values = (0..history.names().count()).map(|series| history.series(series)[place]);
        row(table, *step, history.time_s(*step), values)?;
    }
    Ok(())
}

impl Tabulation {
    fn tabulate(self, table: &mut Table<'_>, goes_on: impl Fn() -> bool) -> anyhow::Result<()> {
        let steps = self.steps;
        let mut twin = self.plan.make(Workers::new(self.threads))?;
        let simulation = twin.simulation();
        head(table, simulation.metric_columns().iter().chain(&self.pins))?;
        // A path may lead to a robot that does not exist yet; turn rates need the heading before the first step.
        let watched = Watched { simulation, selected: self.selected };
        let pin = |path: &String| Pin::new(watched, path).ok();
        let mut pins: Vec<(&str, Option<Pin>)> = self.pins.iter().map(|path| (path.as_str(), pin(path))).collect();
        let mut edits = 0;
        for step in 1..=steps {
            ensure!(goes_on(), "{} of {steps} steps had been simulated again when the window closed", step - 1);
            twin.step();
            let simulation = twin.simulation();
            let edited = std::mem::replace(&mut edits, simulation.edits().len()) != simulation.edits().len();
            let watched = Watched { simulation, selected: self.selected };
            for (path, pin) in &mut pins {
                match pin {
                    Some(pin) => pin.observe(watched, edited),
                    None => *pin = Pin::new(watched, path).ok(),
                }
            }
            let of_pins = pins.iter().map(|(_, pin)| pin.as_ref().map_or(f64::NAN, |pin| pin.value(watched)));
            row(table, step, simulation.time().shown_s(), simulation.metrics().into_iter().chain(of_pins))?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::edit::log::{self, Replay};
    use swarmarium_core::simulation::Simulation;
    use swarmarium_kinds::FromScene as _;

    use super::*;
    use crate::dispatch;
    use crate::testing::{do_steps, lab_on};

    #[test]
    fn a_controller_is_saved_and_loaded() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("c.ron");
        let mut lab = lab_on("milling");
        let ctx = bevy_egui::egui::Context::default();
        let turn = |lab: &Lab| {
            let simulation = lab.host.simulation();
            let value = swarmarium_core::scene::path::get(
                simulation.kinds(),
                simulation.scene_ahead(),
                "groups.0.controller.detected.turn_rad_per_s",
            );
            *value.unwrap().downcast_ref::<f64>().unwrap()
        };
        set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.123");
        dispatch::act(&mut lab, &ctx, Action::File(FileAction::SaveController(0, file.clone())));
        set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.5");
        do_steps(&mut lab, 1);
        dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file.clone())));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.123);
        fs::write(&file, "// Of another hand (mine).\n\n(detected: (turn_rad_per_s: 0.25))").unwrap();
        dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file.clone())));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.25);
        fs::write(&file, "Binnary()").unwrap();
        dispatch::act(&mut lab, &ctx, Action::File(FileAction::LoadController(0, file)));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.25, "an invalid file changes nothing");
    }

    fn set(lab: &mut Lab, path: &str, value: &str) {
        lab.host.apply(Edit::Set { path: path.into(), value: value.into() }).unwrap();
    }

    #[test]
    fn changes_that_wait_are_part_of_a_saved_run() {
        let place = tempfile::tempdir().unwrap();
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 3);
        set(&mut lab, "groups.millers.sensors.0.range_m", "0.5");
        run(&lab, &place.path().join("run")).unwrap();
        let read = |name: &str| fs::read_to_string(place.path().join("run").join(name)).unwrap();
        let edits = log::read("edits.ron", &read("edits.ron")).unwrap();
        assert_eq!(edits.iter().map(|logged| logged.step).collect::<Vec<_>>(), [4]);
        let mut replay = Replay::new(edits);
        let mut again = Simulation::new(lab.host.start()).unwrap();
        for step in 1..=4 {
            if step == 4 {
                assert!(read("manifest.json").contains(&format!("{:016x}", again.hash().0)));
                do_steps(&mut lab, 1);
            }
            replay.due(step).for_each(|logged| again.replay(logged).unwrap());
            again.step(1);
        }
        assert_eq!(again.hash(), lab.host.simulation().hash());
    }

    #[test]
    fn what_a_saved_scene_leaves_out_is_told() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let mut lab = lab_on("milling");
        set(&mut lab, "groups.millers.count", "4");
        lab.save_scene(&path);
        let told = |lab: &mut Lab| std::mem::take(&mut lab.notices).iter().last().unwrap().lines.clone();
        assert_eq!(told(&mut lab), [format!("Saved {}", path.display())]);
        set(&mut lab, "agents.2.sensors.0.range_m", "0.5");
        do_steps(&mut lab, 1);
        set(&mut lab, "agents.2.sensors.0.range_m", "0.6");
        lab.save_scene(&path);
        let left_out = "without 1 change of single robots, which \"Save run as folder\" includes";
        assert_eq!(told(&mut lab), [format!("Saved {} {left_out}", path.display())]);
        lab.save_scene(place.path());
        assert!(lab.notices.iter().last().unwrap().is_error);
    }

    #[test]
    fn a_scene_that_was_saved_is_the_file_that_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let mut lab = lab_on("milling");
        assert_eq!(lab.saving(), Action::File(FileAction::Ask(FileRequest::SaveScene)), "a shipped scene has no file");
        set(&mut lab, "groups.millers.count", "4");
        lab.save_scene(&path);
        assert_eq!(
            (lab.saving(), &lab.settings.recent[..]),
            (Action::File(FileAction::SaveScene(path.clone())), &[path.display().to_string()][..])
        );
        set(&mut lab, "groups.millers.count", "5");
        lab.revert();
        assert_eq!(lab.host.simulation().agents().count(), 4, "it goes back to what was saved");
        let other = place.path().join("b.ron");
        lab.save_scene(&other);
        assert_eq!(lab.saving(), Action::File(FileAction::SaveScene(other)));
    }

    #[test]
    fn comments_of_a_file_are_kept_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let text = "// Mine.\nScene(groups: [(name: \"a\", count: 2)])\n";
        fs::write(&path, text).unwrap();
        let mut lab = lab_on(&path.display().to_string());
        set(&mut lab, "groups.a.count", "3");
        lab.save_scene(&path);
        let aside = place.path().join("a.ron.bak");
        assert_eq!(fs::read_to_string(&aside).unwrap(), text);
        assert!(lab.notices.iter().last().unwrap().lines[0].contains("a.ron.bak"));
        fs::remove_file(&aside).unwrap();
        lab.save_scene(&path);
        assert!(!aside.exists(), "there are none any more");
    }

    /// Exports to a file, as the window does. Returns its text.
    fn exported(lab: &mut Lab) -> String {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("plots.csv");
        lab.export_csv(&path);
        while lab.recordings.works() {
            lab.record_frames(0.0);
        }
        let told = std::mem::take(&mut lab.notices).iter().last().unwrap().lines.clone();
        assert_eq!(told, [format!("Saved {}", path.display())]);
        fs::read_to_string(&path).unwrap()
    }

    /// Returns the text of `metrics.csv` of the run.
    fn metrics_csv(lab: &Lab) -> String {
        let mut again = Simulation::new(lab.host.start()).unwrap();
        let mut replay = Replay::new(lab.host.simulation().edits().to_vec());
        let mut text = format!("step,t_s,{}\n", again.metric_columns().join(","));
        for step in 1..=lab.host.simulation().steps() {
            replay.due(step).for_each(|logged| again.replay(logged).unwrap());
            again.step(1);
            let values: Vec<String> = again.metrics().iter().map(f64::to_string).collect();
            text += &format!("{step},{},{}\n", again.time().shown_s(), values.join(","));
        }
        text
    }

    #[test]
    fn an_export_has_every_step_of_a_run_of_any_length_as_metrics_csv() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 100);
        set(&mut lab, "groups.millers.sensors.0.range_m", "0.5");
        do_steps(&mut lab, 100);
        assert!(lab.plots.history.is_complete(200));
        assert_eq!(exported(&mut lab), metrics_csv(&lab));
        set(&mut lab, "agents.2.sensors.0.range_m", "3.5");
        do_steps(&mut lab, 5000);
        assert!(lab.plots.history.stride() > 1);
        assert_eq!(exported(&mut lab), metrics_csv(&lab), "the plots do not have all steps any more");
        // Waiting changes belong to the next step.
        set(&mut lab, "groups.millers.sensors.0.range_m", "2.5");
        assert_eq!(exported(&mut lab), metrics_csv(&lab));
    }

    #[test]
    fn an_export_has_pinned_numbers_from_the_start_on() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 2);
        lab.pin("agents.1.turn_rad_per_s");
        lab.pin("groups.0.count");
        do_steps(&mut lab, 1);
        lab.edit(vec![Edit::Spawn { group: "millers".into(), x_m: 1.25, y_m: 2.0, heading_rad: 0.0 }]);
        do_steps(&mut lab, 1);
        lab.pin("agents.6.y_m");
        insta::assert_snapshot!(exported(&mut lab), @r"
        step,t_s,circliness,average_speed_m_per_s,group_rotation_m_per_s,agents.1.turn_rad_per_s,groups.0.count,agents.6.y_m
        1,0.025,0.13892327438689878,0.2699974687571278,0.011782799478137594,-0.5999999999999961,6,NaN
        2,0.05,0.13943684569450898,0.26999746875711716,0.014896308509261396,-0.5999999999999961,6,NaN
        3,0.075,0.1399990580387338,0.2699974687571156,0.01799953882739661,-0.5999999999999961,6,NaN
        4,0.1,0.15022821388371288,0.269997468757124,-0.03701877142370666,-0.5999999999999961,6,1.9999493759492117
        ");
    }

    #[test]
    fn a_failed_export_is_reported() {
        let place = tempfile::tempdir().unwrap();
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 5000);
        lab.export_csv(&place.path().join("no such folder/plots.csv"));
        while lab.recordings.works() {
            lab.record_frames(0.0);
        }
        let is_told = lab.notices.iter().any(|notice| notice.is_error && notice.lines[0].contains("plots.csv"));
        assert!(is_told, "{:?}", lab.notices.iter().map(|notice| &notice.lines).collect::<Vec<_>>());
        // A closing window does not wait for the run.
        let path = place.path().join("plots.csv");
        assert!(Export::of(&lab).unwrap().save(&path, || false).is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
    }
}

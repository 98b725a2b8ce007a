//! What the lab writes to files.

use std::path::{Path, PathBuf};

use anyhow::Context as _;

use super::dialogs::Ask;
use super::plots::History;
use super::reload::{counted, is_kept_by_reset};
use super::{Action, Lab};
use crate::edit::{Edit, LoggedEdit, log};
use crate::files::{cannot_write, write_whole};
use crate::kind::{ControllerFamily, Family as _};
use crate::scene::import;
use crate::scene::load::{Loaded, Source, fingerprint};
use crate::scene::origins::Origins;
use crate::scene::reader::read_text;
use crate::scene::writer::{Style, write};

/// Saves the scene as it is now, edits included; its text.
///
/// # Errors
/// When the file cannot be written.
pub fn scene(lab: &Lab, path: &Path) -> anyhow::Result<String> {
    let simulation = lab.host.simulation();
    let text = write(simulation.kinds(), &simulation.scene_ahead().clone().without_gone(), Style::Short) + "\n";
    write_whole(path, &text).map(|()| text)
}

/// Saves the run into a new folder: `swarmarium run FOLDER/scene.ron --edits FOLDER/edits.ron --steps N` gives it again,
/// with the number of steps and the hash that the manifest tells.
///
/// The edits that wait are those of the step after: the run with N steps leaves them out, a longer one has them.
///
/// # Errors
/// When the folder cannot be written.
pub fn run(lab: &Lab, path: &Path) -> anyhow::Result<()> {
    let simulation = lab.host.simulation();
    // While time stands still, edits of the next step are applied already.
    let of_next_step = simulation.edits().iter().filter(|logged| logged.step > simulation.steps()).count();
    let manifest = serde_json::json!({
        "program": env!("CARGO_PKG_NAME"),
        "version": env!("CARGO_PKG_VERSION"),
        "scene_name": lab.title(),
        "seed": lab.host.start().seed,
        "dt_s": simulation.time().dt_s,
        "epoch_s": simulation.epoch_s(),
        "steps": simulation.steps(),
        "simulated_s": simulation.time().now_s(),
        "final_state_hash": format!("{:016x}", simulation.hash_of_step().0),
        "edits_waiting": of_next_step + simulation.waiting_edits().len(),
    });
    std::fs::create_dir(path).with_context(|| format!("{}: cannot be made", path.display()))?;
    let scene = write(simulation.kinds(), lab.host.start(), Style::Full);
    write_whole(&path.join("scene.ron"), &(scene + "\n"))?;
    let waiting = simulation.waiting_edits();
    let waiting = waiting.map(|edit| LoggedEdit::new(simulation.steps() + 1, edit.clone()));
    let edits: Vec<LoggedEdit> = simulation.edits().iter().cloned().chain(waiting).collect();
    write_whole(&path.join("edits.ron"), log::write(&edits))?;
    write_whole(&path.join("manifest.json"), &(serde_json::to_string_pretty(&manifest)? + "\n"))
}

impl Lab {
    /// What saves the scene: to the file that is open, where that is a scene of the user's, or else to one that is asked
    /// for.
    pub(crate) fn saving(&self) -> Action {
        match &self.opened.source {
            Source::File(path) if !import::can_import(path) => Action::SaveScene(path.clone()),
            _ => Action::Ask(Ask::SaveScene),
        }
    }

    /// Saves the scene as it is now, goes on with that file, and tells what of the changes is not in it.
    pub(crate) fn save_scene(&mut self, path: &Path) {
        let aside = match keep_comments(path) {
            Ok(aside) => aside,
            Err(error) => return self.tell(Err(format!("{error:#}"))),
        };
        let text = match scene(self, path) {
            Ok(text) => text,
            Err(error) => return self.tell(Err(format!("{error:#}"))),
        };
        let source = match &self.opened.source {
            Source::File(opened) if is_same(opened, path) => self.opened.source.clone(),
            _ => Source::File(path.into()),
        };
        // The file has the overrides now: applied to it again, they would take back what was changed since.
        let (origins, fingerprint) = (Origins::of_text(&text), fingerprint(&text));
        let scene = self.host.simulation().scene_ahead().clone();
        self.take_opened(Loaded { source, origins, fingerprint, ..scene.into() });
        self.settings.add_recent(path);
        let of_agents = self.changes().iter().filter(|change| !is_kept_by_reset(change)).count();
        let without = match of_agents {
            0 => String::new(),
            changes => format!(" without {} of single agents, which \"Save run\" keeps", counted(changes)),
        };
        let aside = aside.map(|aside| format!("; as it was, with its comments, it is kept as {}", aside.display()));
        self.say(&format!("Saved {}{without}{}", path.display(), aside.unwrap_or_default()));
    }
}

/// Keeps a copy of a scene that somebody wrote with comments: what the window writes has none. Where it is.
fn keep_comments(path: &Path) -> anyhow::Result<Option<PathBuf>> {
    let has_comments = std::fs::read_to_string(path).is_ok_and(|text| text.contains("//") || text.contains("/*"));
    if !has_comments {
        return Ok(None);
    }
    let aside = path.with_added_extension("bak");
    std::fs::copy(path, &aside).with_context(|| cannot_write(&aside))?;
    Ok(Some(aside))
}

/// Whether two paths lead to one file.
fn is_same(a: &Path, b: &Path) -> bool {
    matches!((a.canonicalize(), b.canonicalize()), (Ok(a), Ok(b)) if a == b)
}

/// Saves the controller of the group in a place, as a scene writes it.
///
/// # Errors
/// When the file cannot be written.
pub fn controller(lab: &Lab, group: usize, path: &Path) -> anyhow::Result<()> {
    let simulation = lab.host.simulation();
    let group = simulation.scene_ahead().groups.get(group).context("the group is gone")?;
    write_whole(path, &(write(simulation.kinds(), &group.controller, Style::Full) + "\n"))
}

/// The edit that gives the group in a place the controller in a file: one that was saved, or the fields of one such as
/// the group has.
///
/// # Errors
/// When the file cannot be read, or the group is gone.
pub fn controller_edit(lab: &Lab, group: usize, path: &Path) -> Result<Edit, String> {
    let simulation = lab.host.simulation();
    let known = simulation.scene_ahead().groups.get(group).ok_or("the group is gone")?;
    let text = read_text(path).map_err(|problems| problems.to_string().trim_end().to_owned())?;
    // Files of shipped supervisors and the like hold the fields alone.
    let is_comment = |line: &&str| line.trim().is_empty() || line.trim_start().starts_with("//");
    let head: usize = text.split_inclusive('\n').take_while(is_comment).map(str::len).sum();
    let value = text[head..].trim();
    let kind = simulation.kinds().of_value(ControllerFamily::NAME, known.controller.value());
    let kind = kind.filter(|_| value.starts_with('(')).map_or("", |kind| kind.name);
    Ok(Edit::Set { path: format!("groups.{group}.controller"), value: format!("{kind}{value}") })
}

/// Saves what the plots show as a table: a row per sample, an empty field where there is no number.
///
/// # Errors
/// When the file cannot be written.
pub fn csv(lab: &Lab, path: &Path) -> anyhow::Result<()> {
    write_whole(path, &table(&lab.history)?)
}

fn table(history: &History) -> anyhow::Result<String> {
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(["step", "t_s"].into_iter().chain(history.names()))?;
    for (row, step) in history.steps().iter().enumerate() {
        let values = (0..history.names().count()).map(|series| history.series(series)[row]);
        let fields = values.map(|value| if value.is_finite() { value.to_string() } else { String::new() });
        writer.write_record([step.to_string(), history.time_s(*step).to_string()].into_iter().chain(fields))?;
    }
    Ok(String::from_utf8(writer.into_inner()?)?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::log::Replay;
    use crate::lab::action;
    use crate::lab::testing::{do_steps, lab_on};
    use crate::simulation::Simulation;

    #[test]
    fn a_controller_is_saved_and_loaded() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("c.ron");
        let mut lab = lab_on("milling");
        let ctx = bevy_egui::egui::Context::default();
        let turn = |lab: &Lab| {
            let simulation = lab.host.simulation();
            let value = crate::scene::path::get(
                simulation.kinds(),
                simulation.scene_ahead(),
                "groups.0.controller.detected.turn_rad_per_s",
            );
            *value.unwrap().downcast_ref::<f64>().unwrap()
        };
        set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.123");
        action::act(&mut lab, &ctx, Action::SaveController(0, file.clone()));
        set(&mut lab, "groups.0.controller.detected.turn_rad_per_s", "0.5");
        do_steps(&mut lab, 1);
        action::act(&mut lab, &ctx, Action::LoadController(0, file.clone()));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.123);
        std::fs::write(&file, "// Of another hand (mine).\n\n(detected: (turn_rad_per_s: 0.25))").unwrap();
        action::act(&mut lab, &ctx, Action::LoadController(0, file.clone()));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.25);
        std::fs::write(&file, "Binnary()").unwrap();
        action::act(&mut lab, &ctx, Action::LoadController(0, file));
        do_steps(&mut lab, 1);
        assert_eq!(turn(&lab), 0.25, "what is no controller changes nothing");
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
        let read = |name: &str| std::fs::read_to_string(place.path().join("run").join(name)).unwrap();
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
        let left_out = "without 1 change of single agents, which \"Save run\" keeps";
        assert_eq!(told(&mut lab), [format!("Saved {} {left_out}", path.display())]);
        lab.save_scene(place.path());
        assert!(lab.notices.iter().last().unwrap().is_error);
    }

    #[test]
    fn a_scene_that_was_saved_is_the_file_that_goes_on() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let mut lab = lab_on("milling");
        assert_eq!(lab.saving(), Action::Ask(Ask::SaveScene), "a shipped scene has no file");
        set(&mut lab, "groups.millers.count", "4");
        lab.save_scene(&path);
        assert_eq!(
            (lab.saving(), &lab.settings.recent[..]),
            (Action::SaveScene(path.clone()), &[path.display().to_string()][..])
        );
        set(&mut lab, "groups.millers.count", "5");
        lab.revert();
        assert_eq!(lab.host.simulation().agents().count(), 4, "it goes back to what was saved");
        let other = place.path().join("b.ron");
        lab.save_scene(&other);
        assert_eq!(lab.saving(), Action::SaveScene(other));
    }

    #[test]
    fn comments_of_a_file_are_kept_beside_it() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("a.ron");
        let text = "// Mine.\nScene(groups: [(name: \"a\", count: 2)])\n";
        std::fs::write(&path, text).unwrap();
        let mut lab = lab_on(&path.display().to_string());
        set(&mut lab, "groups.a.count", "3");
        lab.save_scene(&path);
        let aside = place.path().join("a.ron.bak");
        assert_eq!(std::fs::read_to_string(&aside).unwrap(), text);
        assert!(lab.notices.iter().last().unwrap().lines[0].contains("a.ron.bak"));
        std::fs::remove_file(&aside).unwrap();
        lab.save_scene(&path);
        assert!(!aside.exists(), "there are none any more");
    }

    #[test]
    fn tables_have_a_row_per_sample_and_gaps_where_there_is_no_number() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 2);
        lab.pin("agents.1.turn_rad_per_s");
        lab.pin("groups.0.count");
        do_steps(&mut lab, 2);
        insta::assert_snapshot!(table(&lab.history).unwrap(), @r"
        step,t_s,circliness,average_speed_m_per_s,group_rotation_m_per_s,agents.1.turn_rad_per_s,groups.0.count
        1,0.025,0.13892327438689878,0.2699974687571278,0.011782799478137594,,
        2,0.05,0.13943684569450898,0.26999746875711716,0.014896308509261396,,6
        3,0.07500000000000001,0.1399990580387338,0.2699974687571156,0.01799953882739661,-0.5999999999999961,6
        4,0.1,0.14060965804569914,0.26999746875712455,0.021092236633120768,-0.5999999999999961,6
        ");
    }

    #[test]
    fn what_is_left_out_of_a_table_is_told() {
        let place = tempfile::tempdir().unwrap();
        let path = place.path().join("plots.csv");
        let mut lab = lab_on("milling");
        lab.export_csv(&path);
        assert_eq!(
            std::mem::take(&mut lab.notices).iter().last().unwrap().lines,
            [format!("Saved {}", path.display())]
        );
        do_steps(&mut lab, 5000);
        lab.export_csv(&path);
        assert_eq!(
            std::mem::take(&mut lab.notices).iter().last().unwrap().lines,
            [format!("Saved {}, every 2nd step", path.display())]
        );
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.lines().count(), 1 + lab.history.steps().len());
        lab.export_csv(place.path());
        assert!(lab.notices.iter().last().unwrap().is_error);
    }
}

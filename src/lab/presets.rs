//! Presets: saved parameters of a scene, in files of the user.

use std::fs;
use std::path::PathBuf;

use anyhow::Context as _;
use ron::ser::PrettyConfig;
use swarmarium_base::files::{read_at_most, write_whole};
use swarmarium_core::edit::Edit;

use super::action::{GoesTo, ParameterAction, PresetAction};
use super::{Action, Lab, parameters};

/// The largest accepted file, in bytes.
const LARGEST: u64 = 16 << 20;
/// The longest name, in characters.
const LONGEST: usize = 60;

/// The presets of the open scene: files `SCENE/NAME.ron` in a folder, each a list of paths and values.
#[derive(Debug, Default)]
pub struct Presets {
    /// The folder of all scenes; `None` if nothing is saved.
    folder: Option<PathBuf>,
    /// The name of the folder of the scene.
    scene: String,
    names: Vec<String>,
}

impl Presets {
    /// Creates the presets of a folder.
    pub fn in_folder(folder: Option<PathBuf>) -> Self {
        Self { folder, ..Self::default() }
    }

    /// Returns the names of the scene's presets, in alphabetical order.
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Switches to the presets of a scene.
    pub fn follow(&mut self, scene: &str) {
        self.scene = scene.chars().map(|c| if is_plain(c) { c } else { '_' }).take(LONGEST).collect();
        self.scene = self.scene.trim().to_owned();
        if self.scene.is_empty() {
            self.scene = "scene".into();
        }
        self.look();
    }

    /// Lists the presets of the folder.
    fn look(&mut self) {
        let files = self.scene_folder().ok().and_then(|folder| fs::read_dir(folder).ok());
        let names = files.into_iter().flatten().flatten().filter_map(|file| {
            let path = file.path();
            let name = path.file_stem()?.to_str()?.to_owned();
            (path.extension()? == "ron" && checked(&name).is_ok()).then_some(name)
        });
        self.names = names.collect();
        self.names.sort_unstable();
    }

    fn scene_folder(&self) -> anyhow::Result<PathBuf> {
        let folder = self.folder.as_ref().context("Presets cannot be saved: there is no settings folder")?;
        Ok(folder.join(&self.scene))
    }

    fn path(&self, name: &str) -> anyhow::Result<PathBuf> {
        checked(name)?;
        Ok(self.scene_folder()?.join(format!("{name}.ron")))
    }

    fn save(&mut self, name: &str, values: &[(String, String)]) -> anyhow::Result<()> {
        let path = self.path(name)?;
        fs::create_dir_all(self.scene_folder()?).with_context(|| format!("{}: cannot be written", path.display()))?;
        write_whole(&path, &(ron::ser::to_string_pretty(values, PrettyConfig::default())? + "\n"))?;
        self.look();
        Ok(())
    }

    fn read(&self, name: &str) -> anyhow::Result<Vec<(String, String)>> {
        let path = self.path(name)?;
        let bytes = read_at_most(&path, LARGEST).map_err(anyhow::Error::msg);
        let read = bytes.and_then(|bytes| Ok(ron::from_str(std::str::from_utf8(&bytes)?)?));
        read.with_context(|| path.display().to_string())
    }

    fn delete(&mut self, name: &str) -> anyhow::Result<()> {
        let path = self.path(name)?;
        let deleted = fs::remove_file(&path).with_context(|| format!("{}: cannot be deleted", path.display()));
        self.look();
        deleted
    }
}

fn is_plain(c: char) -> bool {
    c.is_alphanumeric() || " -_".contains(c)
}

/// An invalid name of a preset.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("`{0}` is not a valid name of a preset: use at most {most} letters, digits, spaces, - and _", most = LONGEST)]
struct InvalidPresetName(String);

/// Checks that a name is a valid file name on every system.
fn checked(name: &str) -> Result<(), InvalidPresetName> {
    let fits = !name.is_empty() && name.trim() == name && name.chars().all(is_plain) && name.chars().count() <= LONGEST;
    match fits {
        true => Ok(()),
        false => Err(InvalidPresetName(name.into())),
    }
}

impl Lab {
    /// Saves, loads or deletes a preset, and shows the result.
    pub(crate) fn preset(&mut self, preset: &PresetAction) {
        let done = match preset {
            PresetAction::Save(name) => self.presets.save(name, &parameters::preset_values(self)).map(|()| "Saved"),
            PresetAction::Delete(name) => self.presets.delete(name).map(|()| "Deleted"),
            PresetAction::Load(name) => return self.load_preset(name),
        };
        let (PresetAction::Save(name) | PresetAction::Load(name) | PresetAction::Delete(name)) = preset;
        match done {
            Ok(word) => self.say(&format!("{word} the preset {name}")),
            Err(error) => self.tell_error(error),
        }
    }

    /// Loads a preset as one change, and reports values that no longer fit.
    fn load_preset(&mut self, name: &str) {
        let values = match self.presets.read(name) {
            Ok(values) => values,
            Err(error) => return self.tell_error(error),
        };
        let (count, transaction) = (values.len(), self.present_transaction());
        // The values of B are not compared.
        let is_for_b = self.compare.other.is_some() && self.compare.goes_to == GoesTo::B;
        let is_wanted = |(path, value): &(String, String)| is_for_b || !parameters::has(self, path, value);
        let wanted = values.into_iter().filter(is_wanted).map(|(path, value)| Edit::Set { path, value });
        let (fit, other): (Vec<Edit>, Vec<Edit>) =
            wanted.partition(|edit| is_for_b || self.host.simulation().check(edit).is_ok());
        let other: Vec<Edit> = if self.restart_with(&fit, transaction) { other } else { [fit, other].concat() };
        let mut refused = Vec::new();
        for edit in other {
            if let Err(problem) = self.apply_in(edit, transaction) {
                refused.push(self.problem_text(&problem).trim_end().to_owned());
            }
        }
        if refused.is_empty() {
            return self.say(&format!("Loaded the preset {name}"));
        }
        let left_out = refused.len();
        self.tell_error(format!(
            "{left_out} of {count} values of the preset {name} no longer fit\n{}",
            refused.join("\n")
        ));
    }
}

/// Returns the entries for the palette.
pub fn actions(lab: &Lab) -> impl Iterator<Item = (String, &'static str, Action)> {
    let number = lab.presets.names().len() + 1;
    let new = format!("Preset {number}");
    let hint = "Saves the parameters of all groups as this preset";
    let save = (
        format!("Save the parameters as {new}"),
        hint,
        Action::Parameter(ParameterAction::Preset(PresetAction::Save(new))),
    );
    let known = lab.presets.names().iter().flat_map(|name| {
        let (load, delete) = (PresetAction::Load(name.clone()), PresetAction::Delete(name.clone()));
        [
            (
                format!("Load the preset {name}"),
                "Sets the parameters to the values of the preset",
                Action::Parameter(ParameterAction::Preset(load)),
            ),
            (
                format!("Delete the preset {name}"),
                "Deletes the file of the preset",
                Action::Parameter(ParameterAction::Preset(delete)),
            ),
        ]
    });
    std::iter::once(save).chain(known)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::lab_on;

    const RANGE: &str = "groups.millers.sensors.0.range_m";

    fn lab_in(folder: &tempfile::TempDir) -> Lab {
        let mut lab = lab_on("milling");
        lab.presets = Presets::in_folder(Some(folder.path().join("new")));
        lab.presets.follow(&lab.title());
        lab
    }

    fn set(lab: &mut Lab, value: &str) {
        lab.host.apply(Edit::Set { path: RANGE.into(), value: value.into() }).unwrap();
    }

    fn range_m(lab: &Lab) -> f64 {
        let simulation = lab.host.simulation();
        let value = swarmarium_core::scene::path::get(simulation.kinds(), simulation.scene_ahead(), RANGE).unwrap();
        *value.downcast_ref::<f64>().unwrap()
    }

    #[test]
    fn what_was_saved_comes_back() {
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&folder);
        set(&mut lab, "1.25");
        lab.preset(&PresetAction::Save("near by".into()));
        assert_eq!(lab.presets.names(), ["near by"]);
        set(&mut lab, "7.5");
        assert_eq!(lab_in(&folder).presets.names(), ["near by"], "the next time, too");
        lab.preset(&PresetAction::Load("near by".into()));
        assert_eq!(range_m(&lab), 1.25);
        lab.preset(&PresetAction::Delete("near by".into()));
        assert!(lab.presets.names().is_empty());
        assert!(lab.notices.iter().all(|notice| !notice.is_error));
    }

    #[test]
    fn a_preset_is_one_change_of_what_differs() {
        const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&folder);
        set(&mut lab, "1.25");
        lab.host.apply(Edit::Set { path: TURN.into(), value: "1.2".into() }).unwrap();
        lab.preset(&PresetAction::Save("two".into()));
        let mut lab = lab_in(&folder);
        let load = |lab: &mut Lab| {
            lab.preset(&PresetAction::Load("two".into()));
            lab.host.flush_edits();
            (lab.host.changes().len(), lab.host.simulation().edits().len())
        };
        assert_eq!(load(&mut lab), (1, 2));
        assert_eq!(load(&mut lab), (1, 2), "all is so already");
        assert_eq!(range_m(&lab), 1.25);
        lab.undo();
        while lab.host.resimulate().is_some() {
            lab.advance(0.0, || true);
        }
        assert!(lab.host.simulation().edits().is_empty());
    }

    #[test]
    fn what_no_longer_fits_is_told_and_the_rest_is_taken() {
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&folder);
        let values = [("groups.nobody.count", "3"), (RANGE, "2.5")].map(|(a, b)| (a.to_owned(), b.to_owned()));
        lab.presets.save("old", &values).unwrap();
        lab.preset(&PresetAction::Load("old".into()));
        assert_eq!(range_m(&lab), 2.5);
        let told = &lab.notices.iter().next().unwrap().lines;
        assert_eq!(told[0], "1 of 2 values of the preset old no longer fit");
        assert!(told[1].contains("nobody"), "{told:?}");
    }

    #[test]
    fn names_lead_out_of_no_folder_and_broken_files_are_told() {
        let folder = tempfile::tempdir().unwrap();
        let mut lab = lab_in(&folder);
        for name in ["", "../x", "a/b", " a", "a.b", "a\\b", "C:"] {
            lab.preset(&PresetAction::Save(name.into()));
            assert!(lab.notices.iter().next().unwrap().is_error, "{name}");
            assert!(lab.presets.names().is_empty(), "{name}");
        }
        lab.presets.save("odd", &[]).unwrap();
        fs::write(lab.presets.path("odd").unwrap(), "[(1, 2").unwrap();
        lab.preset(&PresetAction::Load("odd".into()));
        assert!(lab.notices.iter().any(|notice| notice.lines[0].contains("odd.ron")));
        lab.presets.follow("../../etc");
        assert_eq!(lab.presets.scene, "______etc");
    }

    #[test]
    fn without_a_folder_nothing_is_kept() {
        let mut lab = lab_on("milling");
        lab.preset(&PresetAction::Save("a".into()));
        assert!(lab.notices.iter().next().unwrap().lines[0].starts_with("Presets cannot be saved"));
    }
}

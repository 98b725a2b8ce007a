//! The controllers of a program, such as functions in Python, that drive the runs of a sweep.
//!
//! The folder of such a sweep names them in `controllers.json`, because only the program can repeat its runs.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::{Context as _, ensure};
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, FileError, shown};
use swarmarium_base::problem::Problems;
use swarmarium_core::text::wording;

/// The name of the file in the folder of a sweep.
pub const CONTROLLERS: &str = "controllers.json";
/// The largest size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;
/// The start of the paths of parameters of controllers.
const PATHS: &str = "controllers.";

/// The value of a parameter of a controller in a run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerValue {
    /// The group that the controller drives.
    pub group: String,
    /// The name of the parameter.
    pub name: String,
    /// The value, in the notation of scenes.
    pub value: String,
}

/// The group and the name of a parameter of a controller of a program, from the path of a factor such as
/// `controllers.birds.gain`; `None` for paths in scenes.
///
/// ```
/// use swarmarium_sweep::controllers::parameter;
///
/// assert_eq!(parameter("controllers.birds.gain"), Some(("birds", "gain")));
/// assert_eq!(parameter("groups.birds.count"), None);
/// ```
pub fn parameter(path: &str) -> Option<(&str, &str)> {
    path.strip_prefix(PATHS)?.rsplit_once('.')
}

/// The names of controllers by the groups that they drive.
///
/// ```
/// use swarmarium_sweep::controllers::Controllers;
///
/// let folder = tempfile::tempdir()?;
/// std::fs::write(folder.path().join("controllers.json"), r#"{"birds": "vicsek.act"}"#)?;
/// let recorded = Controllers::read(folder.path())?;
/// assert!(recorded.check_repeat(folder.path(), &Controllers::default()).is_err());
/// assert!(recorded.check_repeat(folder.path(), &recorded).is_ok());
/// # Ok::<(), anyhow::Error>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Controllers(pub BTreeMap<String, String>);

impl Controllers {
    /// The controllers of the sweep in a folder; none if the folder has no such file.
    ///
    /// # Errors
    /// When the file cannot be read.
    pub fn read(folder: &Path) -> Result<Self, Problems> {
        let path = folder.join(CONTROLLERS);
        let text = match files::read_at_most(&path, MAX_BYTES) {
            Err(FileError::Missing) => return Ok(Self::default()),
            read => read.with_context(|| shown(&path))?,
        };
        Ok(serde_json::from_slice(&text).with_context(|| format!("{}: cannot be read", shown(&path)))?)
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The text of the file.
    ///
    /// # Errors
    /// When the names are too long for the file to be read back.
    pub(crate) fn text(&self) -> anyhow::Result<String> {
        let text = serde_json::to_string_pretty(self)? + "\n";
        let bytes = text.len() as u64;
        ensure!(
            bytes <= MAX_BYTES,
            "the names of the controllers have {bytes} bytes: at most {MAX_BYTES} are possible"
        );
        Ok(text)
    }

    /// Checks that no controllers drove the runs of the sweep in a folder.
    ///
    /// # Errors
    /// With the first group that had a controller, or when the file cannot be read.
    pub fn check_none(folder: &Path) -> Result<(), Problems> {
        Self::read(folder)?.check_repeat(folder, &Self::default())
    }

    /// Checks that a program with the given controllers can repeat a run of the sweep in a folder, whose runs these
    /// controllers drove.
    ///
    /// # Errors
    /// With the first group whose controller is missing or has another name.
    pub fn check_repeat(&self, folder: &Path, given: &Self) -> Result<(), Problems> {
        let name = shown(folder);
        self.check(folder, given, || format!("`swarmarium.open_sweep(\"{name}\", controllers=…)` repeats its runs"))
    }

    /// Checks that a program with the given controllers can add runs to the sweep in a folder, whose runs these controllers
    /// drive.
    ///
    /// # Errors
    /// With the first group whose controller is missing, has another name, or is given in addition.
    pub fn check_join(&self, folder: &Path, given: &Self) -> Result<(), Problems> {
        let name = shown(folder);
        let adds = || format!("`swarmarium.sweep(\"{name}\", resume=True, controllers=…)` adds runs");
        self.check(folder, given, adds)?;
        let more = given.0.iter().find(|(group, _)| !self.0.contains_key(*group));
        let Some((group, controller)) = more else { return Ok(()) };
        let message = format!(
            "the group `{}` had no controller in Python, and `{}` is given: choose another folder",
            wording::shown(group),
            wording::shown(controller)
        );
        Err(Problems::of_file(name, message))
    }

    /// Checks that the runs of the sweeps in two folders can be merged: these controllers drove those in the first one, and
    /// the others those in the second one.
    ///
    /// # Errors
    /// With the first group whose controllers differ.
    pub(crate) fn check_merge(&self, (first, second): (&Path, &Path), others: &Self) -> Result<(), Problems> {
        let mut groups = self.0.keys().chain(others.0.keys());
        let Some(group) = groups.find(|group| self.0.get(*group) != others.0.get(*group)) else { return Ok(()) };
        let own = |controllers: &Self| controllers.0.get(group).cloned().unwrap_or_default();
        let names = told_apart([&own(self), &own(others)]).map(|name| match name.is_empty() {
            true => "no controller".to_owned(),
            false => format!("`{name}`"),
        });
        let [there, here] = names;
        let (first, group) = (shown(first), wording::shown(group));
        let message = format!(
            "the folders have different controllers in Python: the group `{group}` had {here} here, and {there} in {first}"
        );
        Err(Problems::of_file(shown(second), message))
    }

    fn check(&self, folder: &Path, given: &Self, remedy: impl Fn() -> String) -> Result<(), Problems> {
        let differs = self.0.iter().find(|(group, recorded)| given.0.get(*group) != Some(recorded));
        let Some((group, recorded)) = differs else { return Ok(()) };
        let group_name = wording::shown(group);
        let message = match given.0.get(group) {
            None => format!(
                "the group `{group_name}` had a controller in Python (`{}`); {}",
                wording::shown(recorded),
                remedy()
            ),
            Some(other) => {
                let [recorded, other] = told_apart([recorded, other]);
                format!("the group `{group_name}` had the controller `{recorded}` in Python, and `{other}` is given")
            }
        };
        Err(Problems::of_file(shown(folder), message))
    }
}

/// Two names for a message, long ones without most of the beginning that both share, so that their difference is shown.
fn told_apart(names: [&str; 2]) -> [String; 2] {
    /// The number of characters of a long beginning, and of its end.
    const KEPT: [usize; 2] = [24, 8];
    let same = names[0].chars().zip(names[1].chars()).take_while(|(a, b)| a == b).count();
    let from = same.saturating_sub(KEPT[1]);
    names.map(|name| {
        let name: Vec<char> = name.chars().collect();
        let shown = |part: &[char]| wording::shown(&part.iter().collect::<String>());
        match from <= KEPT[0] {
            true => shown(&name),
            false => format!("{}…{}", shown(&name[..KEPT[0]]), shown(&name[from..])),
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn controllers(all: &[(&str, &str)]) -> Controllers {
        Controllers(all.iter().map(|(group, name)| ((*group).to_owned(), (*name).to_owned())).collect())
    }

    #[test]
    fn controllers_that_are_missing_or_have_other_names_are_refused() {
        let (folder, recorded) = (Path::new("copy"), controllers(&[("birds", "vicsek.act")]));
        let repeat =
            |given: &[_]| recorded.check_repeat(folder, &controllers(given)).map_err(|error| error.to_string());
        let join = |given: &[_]| recorded.check_join(folder, &controllers(given)).map_err(|error| error.to_string());
        assert_eq!(
            repeat(&[]).unwrap_err(),
            "copy: the group `birds` had a controller in Python (`vicsek.act`); `swarmarium.open_sweep(\"copy\", \
             controllers=…)` repeats its runs"
        );
        assert!(join(&[]).unwrap_err().contains("resume=True, controllers=…)` adds runs"));
        for refused in [repeat(&[("birds", "vicsek.turn")]), join(&[("birds", "vicsek.turn")])] {
            let message =
                "copy: the group `birds` had the controller `vicsek.act` in Python, and `vicsek.turn` is given";
            assert_eq!(refused.unwrap_err(), message);
        }
        let more = [("birds", "vicsek.act"), ("cats", "vicsek.chase")];
        assert_eq!((repeat(&more), repeat(&more[..1]), join(&more[..1])), (Ok(()), Ok(()), Ok(())));
        let told = join(&more).unwrap_err();
        assert!(told.contains("`cats` had no controller in Python, and `vicsek.chase` is given"), "{told}");
    }

    #[test]
    fn a_folder_names_its_controllers() {
        let folder = tempfile::tempdir().unwrap();
        assert!(Controllers::read(folder.path()).unwrap().is_empty());
        let made = controllers(&[("birds", "vicsek.act")]);
        std::fs::write(folder.path().join(CONTROLLERS), made.text().unwrap()).unwrap();
        assert_eq!(Controllers::read(folder.path()).unwrap(), made);
        std::fs::write(folder.path().join(CONTROLLERS), "[1]").unwrap();
        assert!(Controllers::read(folder.path()).is_err());
    }

    #[test]
    fn names_that_could_not_be_read_back_are_refused() {
        let made = |length: u64| controllers(&[("birds", &"x".repeat(length as usize))]).text();
        assert!(made(MAX_BYTES - 100).is_ok());
        let refused = made(MAX_BYTES).unwrap_err().to_string();
        assert!(refused.starts_with("the names of the controllers have 10485"), "{refused}");
    }

    #[test]
    fn a_message_shows_the_difference_of_long_names() {
        let names = ["0.5", "0.25"].map(|noise| {
            format!("experiments.birds.vicsek.act(speed_m_per_s=0.03, range_m=1.0, noise={noise}, weights=[1, 2, 3])")
        });
        let [recorded, given] = names.each_ref().map(|name| controllers(&[("birds", name)]));
        let message = recorded.check_repeat(Path::new("copy"), &given).unwrap_err().to_string();
        assert_eq!(
            message,
            "copy: the group `birds` had the controller `experiments.birds.vicsek…noise=0.5, weights=[1, 2, 3])` in \
             Python, and `experiments.birds.vicsek…noise=0.25, weights=[1, 2, 3])` is given"
        );
        // One name is the beginning of the other one.
        let [short, long] = told_apart([&names[0][..60], &names[0]]);
        assert_ne!(short, long);
        assert_eq!(told_apart(["a", "b"]), ["a", "b"]);
    }

    #[test]
    fn folders_with_different_controllers_are_not_merged() {
        let folders = (Path::new("a"), Path::new("b"));
        let birds = controllers(&[("birds", "vicsek.act")]);
        let merge = |other: &[_]| birds.check_merge(folders, &controllers(other)).map_err(|error| error.to_string());
        assert_eq!(merge(&[("birds", "vicsek.act")]), Ok(()));
        let start = "b: the folders have different controllers in Python: the group";
        assert_eq!(
            merge(&[("birds", "vicsek.turn")]).unwrap_err(),
            format!("{start} `birds` had `vicsek.turn` here, and `vicsek.act` in a")
        );
        assert_eq!(merge(&[]).unwrap_err(), format!("{start} `birds` had no controller here, and `vicsek.act` in a"));
        let more = [("birds", "vicsek.act"), ("cats", "chase")];
        assert_eq!(merge(&more).unwrap_err(), format!("{start} `cats` had `chase` here, and no controller in a"));
    }
}

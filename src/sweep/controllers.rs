//! The controllers of a program, such as functions in Python, that drive the runs of a sweep.
//!
//! The folder of such a sweep names them in `controllers.json`, because only the program can repeat its runs.

use std::collections::BTreeMap;
use std::path::Path;

use anyhow::Context as _;
use serde::{Deserialize, Serialize};
use swarmarium_base::files::{self, FileError, shown};
use swarmarium_base::problem::Problems;
use swarmarium_core::text::wording;

/// The name of the file in the folder of a sweep.
pub const CONTROLLERS: &str = "controllers.json";
/// The largest size of the file, in bytes.
const MAX_BYTES: u64 = 1 << 20;

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
    pub(crate) fn text(&self) -> String {
        serde_json::to_string_pretty(self).unwrap_or_default() + "\n"
    }

    /// Refuses to repeat a run of the sweep in a folder without controllers, if some drove it.
    ///
    /// # Errors
    /// With the first group that had a controller, or when the file cannot be read.
    pub fn check_none(folder: &Path) -> Result<(), Problems> {
        Self::read(folder)?.check_repeat(folder, &Self::default())
    }

    /// Refuses to repeat a run of the sweep in a folder, which these controllers drove, with other ones.
    ///
    /// # Errors
    /// With the first group whose controller is missing or has another name.
    pub fn check_repeat(&self, folder: &Path, given: &Self) -> Result<(), Problems> {
        let name = shown(folder);
        self.check(folder, given, || format!("`swarmarium.open_sweep(\"{name}\", controllers=…)` repeats its runs"))
    }

    /// Refuses to add runs to the sweep in a folder, which these controllers drive, with other ones.
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

    fn check(&self, folder: &Path, given: &Self, remedy: impl Fn() -> String) -> Result<(), Problems> {
        let differs = self.0.iter().find(|(group, recorded)| given.0.get(*group) != Some(recorded));
        let Some((group, recorded)) = differs else { return Ok(()) };
        let [group_name, recorded] = [group, recorded].map(|name| wording::shown(name));
        let message = match given.0.get(group) {
            None => format!("the group `{group_name}` had a controller in Python (`{recorded}`); {}", remedy()),
            Some(other) => format!(
                "the group `{group_name}` had the controller `{recorded}` in Python, and `{}` is given",
                wording::shown(other)
            ),
        };
        Err(Problems::of_file(shown(folder), message))
    }
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
        std::fs::write(folder.path().join(CONTROLLERS), made.text()).unwrap();
        assert_eq!(Controllers::read(folder.path()).unwrap(), made);
        std::fs::write(folder.path().join(CONTROLLERS), "[1]").unwrap();
        assert!(Controllers::read(folder.path()).is_err());
    }
}

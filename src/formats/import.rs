//! Importers: files of other programs, read as scenes.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swarmarium_base::problem::{Problem, Problems, folded};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::join;
use swarmarium_scene::scene::description::Scene;

pub mod argos;
pub mod morse;
mod report;
pub mod simiam;

pub(crate) use report::Report;
pub use simiam::classes::{StandIn, StandInError};

/// A scene made from a file of another program.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// Losses and assumptions, in the order of the text.
    pub warnings: Vec<Problem>,
    /// The files that the file includes, without links, each once.
    pub included: Vec<PathBuf>,
}

/// Options of importers.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Variables of templates with their values, in the order in which they were given.
    pub variables: Vec<(String, String)>,
    /// Whether files can include files outside the folder of the world.
    pub allow_outside: bool,
    /// Whether worlds of pySimiam can have all errors that its first parser ignored.
    pub lenient: bool,
    /// Whether all groups of a drawing count, and not only the first.
    pub all_groups: bool,
    /// The length of a unit of a drawing.
    pub scale: MetresPerUnit,
    /// The width of the walls that lines of a drawing become, if they do.
    pub strokes: Option<Strokes>,
    /// The robots for robot classes of users' own in worlds of pySimiam. The last one for a class counts.
    pub robots: Vec<StandIn>,
    /// The controllers for those of experiments of ARGoS. The last one for an id counts.
    pub controllers: Vec<ControllerChoice>,
}

/// The choice of a controller of this program for a controller of an experiment of ARGoS.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ControllerChoice {
    /// The id of the controller in the experiment.
    pub id: String,
    /// The controller as a scene writes it, such as `Diffusion(wheel_m_per_s: 0.1)`.
    pub controller: String,
}

/// A text is not the choice of a controller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("expected ID=CONTROLLER with a controller as scenes write it, such as fdc=Diffusion(wheel_m_per_s: 0.1)")]
pub struct ControllerChoiceError;

impl FromStr for ControllerChoice {
    type Err = ControllerChoiceError;

    fn from_str(text: &str) -> Result<Self, ControllerChoiceError> {
        let (id, controller) = text.split_once('=').ok_or(ControllerChoiceError)?;
        let (id, controller) = (id.trim(), controller.trim());
        let has_both = !id.is_empty() && !controller.is_empty();
        has_both.then(|| Self { id: id.to_owned(), controller: controller.to_owned() }).ok_or(ControllerChoiceError)
    }
}

/// The length (m) of a unit of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetresPerUnit(pub f64);

impl MetresPerUnit {
    /// The scales that a drawing can have.
    pub const RANGE: RangeInclusive<f64> = 1e-6..=1e6;
}

impl Default for MetresPerUnit {
    /// A centimetre, as for pySimiam's `svg2world`.
    fn default() -> Self {
        Self(0.01)
    }
}

/// A text is not a scale of a drawing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected metres from {:?} to {:?}, such as 1 or 0.001",
    MetresPerUnit::RANGE.start(),
    MetresPerUnit::RANGE.end()
)]
pub struct ScaleError;

impl FromStr for MetresPerUnit {
    type Err = ScaleError;

    fn from_str(text: &str) -> Result<Self, ScaleError> {
        let number = text.trim().parse().ok().filter(|number| Self::RANGE.contains(number));
        number.map(Self).ok_or(ScaleError)
    }
}

/// The width of the walls that lines of a drawing become.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Strokes {
    /// One width (m) for all.
    Metres(f64),
    /// The width of each stroke in the drawing.
    Drawn,
}

impl Strokes {
    /// The widths (m) that walls can have.
    pub const RANGE: RangeInclusive<f64> = 1e-3..=1e3;
    /// The text of [`Self::Drawn`].
    pub const DRAWN: &str = "drawn";
}

/// A text is not a width of walls.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error(
    "expected a width from {:?} to {:?} m, such as 0.02, or `{}` for the width in the drawing",
    Strokes::RANGE.start(),
    Strokes::RANGE.end(),
    Strokes::DRAWN
)]
pub struct StrokesError;

impl FromStr for Strokes {
    type Err = StrokesError;

    fn from_str(text: &str) -> Result<Self, StrokesError> {
        match text.trim() {
            Self::DRAWN => Ok(Self::Drawn),
            text => text.parse().ok().filter(|width| Self::RANGE.contains(width)).map(Self::Metres).ok_or(StrokesError),
        }
    }
}

/// A function that reads the text of a file with a name.
type Importer = fn(&Kinds, &str, &str, &Options) -> Result<Imported, Problems>;

/// The files that can be imported: extension, description, importer.
const FILES: &[(&str, &str, Importer)] = &[
    #[cfg(feature = "robotswarmsimulator")]
    ("yaml", "a RobotSwarmSimulator world", import_robotswarmsimulator),
    #[cfg(feature = "robotswarmsimulator")]
    ("yml", "a RobotSwarmSimulator world", import_robotswarmsimulator),
    ("xml", "a pySimiam world", simiam::import),
    ("svg", "a drawing", simiam::import),
    ("py", "a configuration of MORSE", morse::import),
    ("argos", "an experiment of ARGoS", argos::import),
];

/// The extensions of files that only other builds can import.
const LEFT_OUT: &[&str] = if cfg!(feature = "robotswarmsimulator") { &[] } else { &["yaml", "yml"] };

#[cfg(feature = "robotswarmsimulator")]
fn import_robotswarmsimulator(
    kinds: &Kinds,
    source_name: &str,
    text: &str,
    Options { variables, allow_outside, .. }: &Options,
) -> Result<Imported, Problems> {
    let (variables, allow_outside) = (variables.clone(), *allow_outside);
    let options = swarmarium_robotswarmsimulator::Options { variables, allow_outside };
    let swarmarium_robotswarmsimulator::Imported { scene, warnings, included } =
        swarmarium_robotswarmsimulator::import(kinds, source_name, text, &options)?;
    Ok(Imported { scene, warnings, included })
}

/// The name of a scene from a file: that of the file without its extension.
fn scene_name(source_name: &str) -> String {
    Path::new(source_name).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The extensions of files that can be imported.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(extension, ..)| *extension)
}

fn importer(path: &Path) -> Option<Importer> {
    let extension = path.extension().unwrap_or_default();
    FILES.iter().find(|(known, ..)| extension.eq_ignore_ascii_case(known)).map(|(.., importer)| *importer)
}

/// The files that can be imported, for messages: ``a pySimiam world `.xml` ``.
pub(crate) fn expected() -> String {
    let all: Vec<String> =
        FILES.iter().map(|(extension, description, _)| format!("{description} `.{extension}`")).collect();
    join(&all.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

/// The description of a file that can be imported, such as "a pySimiam world".
pub fn description(path: &Path) -> Option<&'static str> {
    let extension = path.extension().unwrap_or_default();
    FILES.iter().find(|(known, ..)| extension.eq_ignore_ascii_case(known)).map(|(_, description, _)| *description)
}

/// Whether [`import`] can read a file with this extension.
pub fn can_import(path: &Path) -> bool {
    importer(path).is_some()
}

/// As [`import_with`], without options.
///
/// # Errors
/// As for [`import_with`].
pub fn import(kinds: &Kinds, source_name: &str, text: &str) -> Result<Imported, Problems> {
    import_with(kinds, source_name, text, &Options::default())
}

/// Reads the text of a file of another program, which the extension of its name identifies. Equal warnings are folded into one
/// with a count, and so are equal problems.
///
/// # Errors
/// Lists all problems of the file.
pub fn import_with(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    match importer(Path::new(source_name)) {
        Some(importer) => match importer(kinds, source_name, text, options) {
            Ok(imported) => Ok(Imported { warnings: folded(imported.warnings), ..imported }),
            Err(Problems { source_name, problems }) => Err(Problems { source_name, problems: folded(problems) }),
        },
        None => {
            let message = missing_importer(Path::new(source_name));
            let message = message.unwrap_or_else(|| format!("cannot be imported: expected {}", expected()));
            Err(Problems::of_file(source_name, message))
        }
    }
}

/// The problem with a file whose importer this build does not contain.
pub(crate) fn missing_importer(path: &Path) -> Option<String> {
    let extension = path.extension().unwrap_or_default();
    let is_missing = LEFT_OUT.iter().any(|known| extension.eq_ignore_ascii_case(known));
    is_missing.then(|| {
        "cannot be read: this build has no importer for worlds of RobotSwarmSimulator; \
         build with `--features robotswarmsimulator`"
            .into()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_known_by_their_extension() {
        assert!(can_import("a/b.XML".as_ref()) && !can_import("a/b.ron".as_ref()) && !can_import("xml".as_ref()));
        assert_eq!(can_import("a/b.YML".as_ref()), cfg!(feature = "robotswarmsimulator"));
        assert_eq!(missing_importer("a/b.YML".as_ref()).is_some(), !cfg!(feature = "robotswarmsimulator"));
        assert_eq!(missing_importer("a/b.xml".as_ref()), None);
    }
}

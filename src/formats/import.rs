//! Importers: files of other programs, read as scenes.

use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::str::FromStr;

use swarmarium_base::encoding;
use swarmarium_base::problem::{Place, Problem, Problems};
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::wording::join;
use swarmarium_scene::scene::description::Scene;

pub mod argos;
mod format;
pub mod morse;
mod report;
#[cfg(feature = "robotswarmsimulator")]
mod robotswarmsimulator;
pub mod ros;
pub mod simiam;
pub mod stage;
pub mod stand_in;

pub use format::FileFormat;
use format::Importer::{Bytes, Text};
pub(crate) use report::Report;
pub use stand_in::{StandIn, StandInError};

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
    /// Whether pySimiam worlds can have all errors that its first parser ignored.
    pub lenient: bool,
    /// Whether all groups of a drawing count, and not only the first.
    pub all_groups: bool,
    /// The length of a unit of a drawing.
    pub scale: MetresPerUnit,
    /// The width of the walls that lines of a drawing become, if they do.
    pub strokes: Option<Strokes>,
    /// The robots for robot classes of users' own in pySimiam worlds, and for robots in ARGoS experiments. The last one for a class counts.
    pub robots: Vec<StandIn>,
    /// The supervisors for supervisors of users' own in pySimiam worlds. The last one for a class counts.
    pub supervisors: Vec<StandIn>,
    /// The controllers for those of ARGoS experiments. The last one for an id counts.
    pub controllers: Vec<ControllerChoice>,
}

/// The choice of a controller of this program for a controller of an ARGoS experiment.
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

/// The formats of files that can be imported: the only list of them.
const FILES: &[FileFormat] = &[
    FileFormat {
        program: "ROS",
        description: "a ROS map",
        plural: "ROS maps",
        extensions: &["yaml", "yml"],
        flags: &[],
        guide: "guides/from-stage.md",
        reference: "reference/compatibility/stage.md",
        is_written: false,
        recognizes: ros::is_map,
        importer: Text(ros::import_map),
    },
    #[cfg(feature = "robotswarmsimulator")]
    FileFormat {
        program: "RobotSwarmSimulator",
        description: "a RobotSwarmSimulator world",
        plural: "RobotSwarmSimulator worlds",
        extensions: &["yaml", "yml"],
        flags: &["--var", "--allow-outside"],
        guide: "guides/from-robotswarmsimulator.md",
        reference: "reference/compatibility/robotswarmsimulator.md",
        is_written: false,
        recognizes: FileFormat::ANY,
        importer: Text(robotswarmsimulator::import),
    },
    FileFormat {
        program: "pySimiam",
        description: "a pySimiam world",
        plural: "pySimiam and Sim.I.am worlds",
        extensions: &["xml"],
        flags: &["--lenient", "--robot", "--supervisor"],
        guide: "guides/from-pysimiam.md",
        reference: "reference/compatibility/pysimiam.md",
        is_written: true,
        recognizes: FileFormat::ANY,
        importer: Text(simiam::import),
    },
    FileFormat {
        program: "drawing programs",
        description: "a drawing",
        plural: "drawings",
        extensions: &["svg"],
        flags: &["--all-groups", "--scale", "--strokes", "--robot", "--supervisor"],
        guide: "guides/from-pysimiam.md",
        reference: "reference/compatibility/pysimiam.md",
        is_written: false,
        recognizes: FileFormat::ANY,
        importer: Text(simiam::import),
    },
    FileFormat {
        program: "MORSE",
        description: "a MORSE builder script",
        plural: "MORSE builder scripts, in the Python package",
        extensions: &["py"],
        flags: &[],
        guide: "guides/from-morse.md",
        reference: "reference/compatibility/morse.md",
        is_written: false,
        recognizes: morse::is_builder_script,
        importer: Text(morse::import_script),
    },
    FileFormat {
        program: "MORSE",
        description: "a MORSE configuration",
        plural: "MORSE configurations",
        extensions: &["py"],
        flags: &[],
        guide: "guides/from-morse.md",
        reference: "reference/compatibility/morse.md",
        is_written: true,
        recognizes: FileFormat::ANY,
        importer: Text(morse::import_configuration),
    },
    FileFormat {
        program: "Stage",
        description: "a Stage world",
        plural: "Stage worlds",
        extensions: &["world"],
        flags: &["--allow-outside"],
        guide: "guides/from-stage.md",
        reference: "reference/compatibility/stage.md",
        is_written: false,
        recognizes: FileFormat::ANY,
        importer: Bytes(stage::import),
    },
    FileFormat {
        program: "ROS",
        description: "an image of a ROS map",
        plural: "images of ROS maps",
        extensions: &["pgm"],
        flags: &[],
        guide: "guides/from-stage.md",
        reference: "reference/compatibility/stage.md",
        is_written: false,
        recognizes: FileFormat::ANY,
        importer: Bytes(ros::import_image),
    },
    FileFormat {
        program: "ARGoS",
        description: "an ARGoS experiment",
        plural: "ARGoS experiments",
        extensions: &["argos"],
        flags: &["--allow-outside", "--robot", "--controller"],
        guide: "guides/from-argos.md",
        reference: "reference/compatibility/argos.md",
        is_written: false,
        recognizes: FileFormat::ANY,
        importer: Text(argos::import),
    },
];

/// The name of a scene from a file: that of the file without its extension.
fn scene_name(source_name: &str) -> String {
    Path::new(source_name).file_stem().unwrap_or_default().to_string_lossy().into_owned()
}

/// The formats of files that can be imported.
pub fn formats() -> &'static [FileFormat] {
    FILES
}

/// The extensions of files that can be imported, each once.
pub fn extensions() -> Vec<&'static str> {
    let mut extensions: Vec<&str> = Vec::new();
    for extension in FILES.iter().flat_map(|format| format.extensions) {
        if !extensions.contains(extension) {
            extensions.push(extension);
        }
    }
    extensions
}

/// The formats that a file can have, by its extension.
fn formats_of(path: &Path) -> impl Iterator<Item = &'static FileFormat> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    FILES.iter().filter(move |format| format.has_extension(extension))
}

/// The format of a file, by its extension and its content.
pub(crate) fn format_of(path: &Path, content: &[u8]) -> Option<&'static FileFormat> {
    formats_of(path).find(|format| (format.recognizes)(content)).or_else(|| formats_of(path).last())
}

/// The files that can be imported, for messages: ``a pySimiam world `.xml` ``.
pub(crate) fn expected() -> String {
    let all: Vec<String> =
        FILES.iter().map(|format| format!("{} {}", format.description, format.shown_extension())).collect();
    join(&all.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

/// Whether [`import`] can read a file with this extension.
pub fn can_import(path: &Path) -> bool {
    formats_of(path).next().is_some()
}

/// As [`import_with`], without options.
///
/// # Errors
/// As for [`import_with`].
pub fn import(kinds: &Kinds, source_name: &str, content: impl AsRef<[u8]>) -> Result<Imported, Problems> {
    import_with(kinds, source_name, content, &Options::default())
}

/// Reads the content of a file of another program, whose format its extension and its content identify. Equal warnings are
/// one with a count, and so are equal problems.
///
/// # Errors
/// Lists all problems of the file.
pub fn import_with(
    kinds: &Kinds,
    source_name: &str,
    content: impl AsRef<[u8]>,
    options: &Options,
) -> Result<Imported, Problems> {
    let content = content.as_ref();
    match format_of(Path::new(source_name), content).map(|format| format.importer) {
        Some(Text(importer)) => importer(kinds, source_name, &text(source_name, content)?, options),
        Some(Bytes(importer)) => importer(kinds, source_name, content, options),
        None => {
            let message = format!("cannot be imported: expected {}", expected());
            Err(Problems::of_file(source_name, message))
        }
    }
}

/// The text of a file.
fn text(source_name: &str, content: &[u8]) -> Result<String, Problems> {
    encoding::decode(content.to_vec()).map_err(|error| {
        let place = error.before().map(|before| Place::of(before, before.len()));
        let problems = vec![Problem { place, ..Problem::of_file(error.to_string()) }];
        Problems { source_name: source_name.to_owned(), problems }
    })
}

/// The content of a file that can be imported, as text. Bytes that are not UTF-8 are replaced.
pub(crate) fn text_of(content: &[u8]) -> String {
    encoding::decode(content.to_vec()).unwrap_or_else(|_| String::from_utf8_lossy(content).into_owned())
}

#[cfg(test)]
mod tests {
    use swarmarium_simulation::simulation::Recipe;

    use crate::standard::Standard as _;

    use super::*;

    #[test]
    fn files_are_known_by_their_extension() {
        assert!(can_import("a/b.XML".as_ref()) && !can_import("a/b.ron".as_ref()) && !can_import("xml".as_ref()));
        assert!(can_import("a/b.YML".as_ref()) && can_import("a/b.World".as_ref()) && can_import("map.pgm".as_ref()));
        assert_eq!(format_of("a/b.world".as_ref(), b"").map(|format| format.program), Some("Stage"));
    }

    #[test]
    fn a_text_that_is_none_is_refused_with_its_place() {
        let problems = import(Recipe::standard().kinds(), "a.xml", b"<a>\n\xff").unwrap_err();
        assert_eq!(problems.to_string(), "a.xml:2:1: is not text: byte 0xff at offset 4");
    }

    #[test]
    fn formats_that_share_an_extension_are_told_apart_by_their_content() {
        for extension in extensions() {
            let all: Vec<_> = formats_of(Path::new(&format!("a.{extension}"))).collect();
            // All but the last must leave an empty file to it.
            let (_, others) = all.split_last().unwrap();
            assert!(others.iter().all(|format| !(format.recognizes)(b"")), "{extension}");
        }
    }
}

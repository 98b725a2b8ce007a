//! Importers: files of other programs, read as scenes.

use std::ops::RangeInclusive;
use std::path::Path;
use std::str::FromStr;

use swarmarium_base::problem::{Problem, Problems, folded};
use swarmarium_core::kind::Kinds;
use swarmarium_core::scene::description::Scene;
use swarmarium_core::text::wording::join;

pub mod morse;
mod report;
pub mod robotswarmsimulator;
pub mod simiam;

pub(crate) use report::Report;

/// A scene made from a file of another program.
#[derive(Clone, Debug)]
pub struct Imported {
    /// The scene.
    pub scene: Scene,
    /// What could not be carried over, and what was assumed, in the order of the text.
    pub warnings: Vec<Problem>,
}

/// What an importer is told besides the file.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Options {
    /// Variables of templates, by name, in the order in which they were given.
    pub variables: Vec<(String, String)>,
    /// Whether files that are included may be outside the folder of the one that includes them.
    pub allow_outside: bool,
    /// Whether worlds of pySimiam may have all that its first parser passed over.
    pub lenient: bool,
    /// Whether all groups of a drawing are taken, and not only what is in the first.
    pub all_groups: bool,
    /// The length of a unit of a drawing.
    pub scale: MetresPerUnit,
}

/// The length (m) of a unit of a drawing.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MetresPerUnit(pub f64);

impl MetresPerUnit {
    /// The scales that a drawing may have.
    pub const RANGE: RangeInclusive<f64> = 1e-6..=1e6;
}

impl Default for MetresPerUnit {
    /// A centimetre, as for pySimiam's `svg2world`.
    fn default() -> Self {
        Self(0.01)
    }
}

impl FromStr for MetresPerUnit {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = text.trim().parse().ok().filter(|number| Self::RANGE.contains(number));
        let [least, most] = [Self::RANGE.start(), Self::RANGE.end()];
        number.map(Self).ok_or_else(|| format!("expected metres from {least:?} to {most:?}, such as 1 or 0.001"))
    }
}

/// Reads the text of a file, which has a name.
type Importer = fn(&Kinds, &str, &str, &Options) -> Result<Imported, Problems>;

/// The files that can be imported: extension, what it is, importer.
const FILES: [(&str, &str, Importer); 5] = [
    ("yaml", "a RobotSwarmSimulator world", robotswarmsimulator::import),
    ("yml", "a RobotSwarmSimulator world", robotswarmsimulator::import),
    ("xml", "a pySimiam world", simiam::import),
    ("svg", "a drawing", simiam::import),
    ("py", "a configuration of MORSE", morse::import),
];

/// The extensions of files that can be imported.
pub fn extensions() -> impl Iterator<Item = &'static str> {
    FILES.iter().map(|(extension, ..)| *extension)
}

fn importer(path: &Path) -> Option<Importer> {
    let extension = path.extension().unwrap_or_default();
    FILES.iter().find(|(known, ..)| extension.eq_ignore_ascii_case(known)).map(|(.., importer)| *importer)
}

/// What files can be imported, for messages: `a pySimiam world .xml`.
pub(crate) fn expected() -> String {
    let all: Vec<String> = FILES.iter().map(|(extension, what, _)| format!("{what} `.{extension}`")).collect();
    join(&all.iter().map(String::as_str).collect::<Vec<_>>(), "or")
}

/// Whether a file is one to [`import`], judged by its extension.
pub fn can_import(path: &Path) -> bool {
    importer(path).is_some()
}

/// As [`import_with`], without options.
///
/// # Errors
/// As there.
pub fn import(kinds: &Kinds, source_name: &str, text: &str) -> Result<Imported, Problems> {
    import_with(kinds, source_name, text, &Options::default())
}

/// Reads the text of a file of another program, judged by the extension of its name. Equal warnings are folded into one
/// with a count, and so are equal problems.
///
/// # Errors
/// Says all that is wrong with the file.
pub fn import_with(kinds: &Kinds, source_name: &str, text: &str, options: &Options) -> Result<Imported, Problems> {
    match importer(Path::new(source_name)) {
        Some(importer) => match importer(kinds, source_name, text, options) {
            Ok(Imported { scene, warnings }) => Ok(Imported { scene, warnings: folded(warnings) }),
            Err(Problems { source_name, problems }) => Err(Problems { source_name, problems: folded(problems) }),
        },
        None => Err(Problems::of_file(source_name, format!("cannot be imported: expected {}", expected()))),
    }
}

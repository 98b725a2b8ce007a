//! `list`: lists of kinds, scenes, plans, robots, supervisors and importers.

use std::ffi::OsStr;
use std::io::{self, Write};
use std::iter;

use anyhow::{bail, ensure};
use clap::ValueEnum;
use clap::builder::{EnumValueParser, PossibleValue, TypedValueParser};
use include_dir::{Dir, include_dir};
use serde::Serialize;
use swarmarium_base::files::shown;
use swarmarium_base::problem::{did_you_mean, similar_name};
use swarmarium_core::kind::Kinds;
use swarmarium_formats::import::{FileFormat, formats};
use swarmarium_scene::scene::describe::{self, FieldDescription, TypeDescription};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::presets::{self, PresetLibrary, ROBOTS, SUPERVISORS};
use swarmarium_scene::scene::{reader, shipped};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::plan::{Plan, kinds_with_plans};

use super::table::{write_folded, write_table};
use super::{Exit, stdout};

mod kinds;

use kinds::{ListedKind, ListedNumber, OtherReading};

/// The examples of kinds: `FAMILIES/KIND.ron`.
static EXAMPLES: Dir = include_dir!("$CARGO_MANIFEST_DIR/docs/examples/kinds");

/// List the kinds that a scene can use, with fields, units, ranges and defaults; or shipped scenes, plans and robots
///
/// Lines wrap at the width of the terminal; output to a file or to another program has one line for each field, unless
/// COLUMNS sets a width.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium list sensors
  # One kind, with an example
  swarmarium list BinaryFov
  # The example, as a scene
  swarmarium list BinaryFov --example > fov.ron
  # All kinds, for programs
  swarmarium list kinds --json")]
pub struct Args {
    /// The list to print, or a kind; without it, the names of all lists
    #[arg(value_name = "WHAT", value_parser = SubjectParser)]
    subject: Option<Subject>,
    /// Kinds to print; without any, all kinds of the list
    #[arg(value_name = "KIND", requires = "subject")]
    names: Vec<String>,
    /// Print only the example of a kind, which is a whole scene
    #[arg(long, requires = "subject", conflicts_with = "json")]
    example: bool,
    /// Write JSON
    #[arg(long)]
    json: bool,
}

/// The first word after `list`: a list, or the name of a kind.
#[derive(Clone, Debug)]
enum Subject {
    List(Listing),
    Kind(String),
}

/// Reads a [`Subject`]; the lists are the values that help and completions name.
#[derive(Clone, Copy)]
struct SubjectParser;

impl TypedValueParser for SubjectParser {
    type Value = Subject;

    fn parse_ref(
        &self,
        command: &clap::Command,
        argument: Option<&clap::Arg>,
        word: &OsStr,
    ) -> Result<Subject, clap::Error> {
        let lists = EnumValueParser::<Listing>::new();
        let names: Vec<_> = Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value).collect();
        // Kinds and parts of a scene have capitals.
        let is_name =
            |word: &str| word.starts_with(char::is_uppercase) && !names.iter().any(|list| list.matches(word, true));
        let is_list =
            |word: &&str| !is_name(word) && similar_name(word, names.iter().map(PossibleValue::get_name)).is_some();
        match word.to_str().filter(|word| !is_list(word)) {
            Some(kind) => Ok(Subject::Kind(kind.to_owned())),
            None => lists.parse_ref(command, argument, word).map(Subject::List),
        }
    }

    fn possible_values(&self) -> Option<Box<dyn Iterator<Item = PossibleValue> + '_>> {
        Some(Box::new(Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value)))
    }
}

/// The lists.
#[derive(ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
pub enum Listing {
    /// The kinds of sensors
    Sensors,
    /// The kinds of controllers
    Controllers,
    /// The kinds of behaviours of supervisors
    Behaviours,
    /// The kinds of actuators of robots that external programs control
    Actuators,
    /// The kinds of motion models
    Motions,
    /// The kinds of spawners
    Spawners,
    /// The kinds of noise
    Noises,
    /// The kinds of packet loss between radios
    Losses,
    /// The kinds of objects
    Objects,
    /// The kinds of metrics
    Metrics,
    /// The kinds of all families
    Kinds,
    /// The shipped scenes
    Scenes,
    /// The shipped plans of sweeps
    Plans,
    /// The shipped robots, for `robot: "NAME"` in a group
    Robots,
    /// The shipped supervisors, for `supervisor: "NAME"` in a group
    Supervisors,
    /// The fields of a scene outside kinds
    Fields,
    /// The files of other programs that open as scenes, with the flags for them and their pages in the book
    Importers,
    /// The commands of the window, with their keys
    #[cfg(feature = "lab")]
    Keys,
}

impl Listing {
    /// The family of the kinds to list; `None` for all families, and for lists of other things.
    fn family(self) -> Option<&'static str> {
        match self {
            Self::Sensors => Some("sensor"),
            Self::Controllers => Some("controller"),
            Self::Behaviours => Some("behaviour"),
            Self::Actuators => Some("actuator"),
            Self::Motions => Some("motion"),
            Self::Spawners => Some("spawner"),
            Self::Noises => Some("noise"),
            Self::Losses => Some("loss"),
            Self::Objects => Some("object"),
            Self::Metrics => Some("metric"),
            _ => None,
        }
    }
}

/// Prints a list.
pub(super) fn run(args: &Args, recipe: &Recipe) -> anyhow::Result<Exit> {
    let (mut out, width) = (stdout(), width());
    let (listing, names) = match &args.subject {
        None => (None, Vec::new()),
        Some(Subject::List(listing)) => (Some(*listing), args.names.clone()),
        Some(Subject::Kind(kind)) => {
            (Some(Listing::Kinds), iter::once(kind).chain(&args.names).cloned().collect::<Vec<_>>())
        }
    };
    let types = types_named(recipe, &args.subject, &args.names);
    match listing {
        _ if !types.is_empty() && args.example => {
            bail!("--example: expected a kind, such as `list BinaryFov --example`")
        }
        _ if !types.is_empty() => match args.json {
            true => write_json(&mut out, &types)?,
            false => write_types(&mut out, &types, width)?,
        },
        Some(listing) if !names.is_empty() => {
            let listed = named(recipe, listing, &names)?;
            match () {
                () if args.example => write_examples(&mut out, &listed, recipe.program_name())?,
                () if args.json => write_json(&mut out, &listed)?,
                () => {
                    write_kinds(&mut out, &listed, width)?;
                    for kind in &listed {
                        write_example(&mut out, kind, recipe.program_name())?;
                    }
                }
            }
        }
        Some(_) if args.example => bail!("--example: expected a kind, such as `list BinaryFov --example`"),
        Some(listing) => write(&mut out, recipe, listing, args.json, width)?,
        None => write_lists(&mut out, args.json, width)?,
    }
    out.flush()?;
    Ok(Exit::Fine)
}

/// The parts of a scene outside kinds with these names, as in `list fields Group` or `list Group`; none if one is something else.
fn types_named(recipe: &Recipe, subject: &Option<Subject>, names: &[String]) -> Vec<TypeDescription> {
    let first = match subject {
        Some(Subject::List(Listing::Fields)) => None,
        Some(Subject::Kind(name)) => Some(name),
        _ => return Vec::new(),
    };
    let types = describe::scene_types(recipe.kinds());
    let of_name = |name: &String| types.iter().find(|one| one.name == *name).cloned();
    // A kind of the same name comes first.
    if first.is_some_and(|name| ListedKind::all(recipe, Listing::Kinds).any(|kind| kind.name == *name)) {
        return Vec::new();
    }
    first.into_iter().chain(names).map(of_name).collect::<Option<_>>().unwrap_or_default()
}

/// The width of lines: that of the terminal, or of the variable COLUMNS; `None` for lines of any width.
fn width() -> Option<usize> {
    let columns = || std::env::var("COLUMNS").ok()?.parse().ok();
    let terminal = terminal_size::terminal_size_of(io::stdout()).map(|(width, _)| usize::from(width.0));
    terminal.or_else(columns).filter(|width| *width > 0)
}

/// The names of the kinds of a list.
pub(super) fn names(recipe: &Recipe, listing: Listing) -> Vec<String> {
    ListedKind::all(recipe, listing).map(|kind| kind.name.to_owned()).collect()
}

/// What can follow `list`: the names of lists, and those of kinds.
pub(super) fn subjects(recipe: &Recipe) -> Vec<String> {
    let lists = Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    lists.map(|list| list.get_name().to_owned()).chain(names(recipe, Listing::Kinds)).collect()
}

/// The kinds of a list with these names, in the order of the names.
fn named(recipe: &Recipe, listing: Listing, names: &[String]) -> anyhow::Result<Vec<ListedKind>> {
    if listing == Listing::Fields {
        let parts = describe::scene_types(recipe.kinds());
        let is_part = |name: &&String| parts.iter().any(|part| part.name == **name);
        let name = names.iter().find(|name| !is_part(name)).map_or("", String::as_str);
        let hint = did_you_mean(name, parts.iter().map(|part| part.name.as_str()));
        bail!("{}: there is no such part of a scene{hint}", shown(name));
    }
    let is_of_kinds = listing.family().is_some() || listing == Listing::Kinds;
    ensure!(is_of_kinds, "{}: this list is printed as a whole; only lists of kinds take names", names.join(" "));
    let mut listed = Vec::new();
    for name in names {
        let of_name: Vec<_> = ListedKind::all(recipe, listing).filter(|kind| kind.name == name).collect();
        if of_name.is_empty() {
            let known: Vec<_> = ListedKind::all(recipe, listing).map(|kind| kind.name).collect();
            let hint = match did_you_mean(name, known) {
                hint if hint.is_empty() || shipped::get(name).is_some() => elsewhere(name, recipe),
                hint => hint,
            };
            let place = if listing == Listing::Kinds { "" } else { " in the list" };
            bail!("{}: there is no such kind{place}{hint}", shown(name));
        }
        listed.extend(of_name.into_iter().map(|kind| ListedKind { example: example(&kind), ..kind }));
    }
    Ok(listed)
}

/// The list with something else of a name, or with the kinds of that name, as an addition to a message.
fn elsewhere(name: &str, recipe: &Recipe) -> String {
    let program = recipe.program_name();
    if let Some(kind) = ListedKind::all(recipe, Listing::Kinds).find(|kind| kind.name.eq_ignore_ascii_case(name)) {
        return format!("; `{program} list {}` shows the {} of this name", kind.name, kind.family);
    }
    let named = [
        ("scene", "scenes", shipped::all().map(|(name, _)| name).collect::<Vec<_>>()),
        ("plan", "plans", shipped::plans().map(|(name, _)| name).collect()),
        ("robot", "robots", ROBOTS.all().map(|(name, _)| name).collect()),
        ("supervisor", "supervisors", SUPERVISORS.all().map(|(name, _)| name).collect()),
    ];
    let found =
        named.iter().find_map(|(noun, list, names)| Some((noun, list, similar_name(name, names.iter().copied())?)));
    let known = |(noun, list, name)| format!("; the {noun} `{name}` is in `{program} list {list}`");
    found.map_or_else(|| format!("; `{program} list` names the lists, and `{program} list kinds` the kinds"), known)
}

/// The name of the list of a family.
fn list_of(family: &str) -> Option<String> {
    let list = Listing::value_variants().iter().find(|list| list.family() == Some(family))?;
    Some(list.to_possible_value()?.get_name().to_owned())
}

/// The example of a kind, without the notes for its picture; kinds of other programs and metrics have none.
fn example(kind: &ListedKind) -> Option<String> {
    let folder = list_of(kind.family)?;
    let text = EXAMPLES.get_file(format!("{folder}/{}.ron", kind.name))?.contents_utf8()?;
    let lines = text.lines().filter(|line| !line.starts_with("// picture:"));
    Some(lines.map(|line| format!("{line}\n")).collect())
}

/// Writes the example of a kind below it.
fn write_example(out: &mut impl Write, kind: &ListedKind, program: &str) -> io::Result<()> {
    let Some(example) = &kind.example else { return Ok(()) };
    writeln!(out, "\n  Example, a scene (`{program} list {} --example` prints it alone):", kind.name)?;
    example.lines().try_for_each(|line| writeln!(out, "{}", format!("    {line}").trim_end()))
}

/// Writes the examples alone.
fn write_examples(out: &mut impl Write, kinds: &[ListedKind], program: &str) -> anyhow::Result<()> {
    for kind in kinds {
        let others = kinds.iter().filter(|other| other.name == kind.name && other.family != kind.family);
        let lists: Vec<String> = iter::once(kind).chain(others).filter_map(|kind| list_of(kind.family)).collect();
        if let [first, _, ..] = &lists[..] {
            bail!(
                "{0}: is a kind of the lists {1}, and an example is one scene: `{program} list {first} {0} --example` prints \
                 one of them",
                kind.name,
                lists.join(" and ")
            );
        }
    }
    for kind in kinds {
        match &kind.example {
            Some(example) => out.write_all(example.as_bytes())?,
            None => bail!("{}: this kind has no example", kind.name),
        }
    }
    Ok(())
}

/// Writes the names of the lists with their contents.
fn write_lists(out: &mut impl Write, json: bool, width: Option<usize>) -> io::Result<()> {
    let lists = Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let lists: Vec<_> = lists
        .map(|list| [list.get_name().to_owned(), list.get_help().map(ToString::to_string).unwrap_or_default()])
        .collect();
    if json {
        write_json(out, &lists.iter().map(|[name, _]| name).collect::<Vec<_>>())
    } else {
        write_table(out, "", &lists, width)
    }
}

/// Writes a list as a table for the user, whose lines fold to a width, or as JSON.
///
/// # Errors
/// The errors of the writer.
pub fn write(
    out: &mut impl Write,
    recipe: &Recipe,
    listing: Listing,
    json: bool,
    width: Option<usize>,
) -> io::Result<()> {
    let kinds = recipe.kinds();
    match listing {
        Listing::Scenes => {
            let scenes: Vec<_> = ListedScene::all(kinds).collect();
            if json { write_json(out, &scenes) } else { write_scenes(out, &scenes, width) }
        }
        Listing::Plans => {
            let plans: Vec<_> = ListedScene::plans(kinds).collect();
            if json { write_json(out, &plans) } else { write_scenes(out, &plans, width) }
        }
        Listing::Robots => {
            let robots: Vec<_> = ListedPreset::all(&ROBOTS).collect();
            if json { write_json(out, &robots) } else { write_presets(out, &robots, width) }
        }
        Listing::Supervisors => {
            let supervisors: Vec<_> = ListedPreset::all(&SUPERVISORS).collect();
            if json { write_json(out, &supervisors) } else { write_presets(out, &supervisors, width) }
        }
        Listing::Fields => {
            let types = describe::scene_types(kinds);
            if json { write_json(out, &types) } else { write_types(out, &types, width) }
        }
        Listing::Importers => {
            let importers: Vec<_> = formats().iter().map(ListedImporter::new).collect();
            if json { write_json(out, &importers) } else { write_importers(out, &importers, width) }
        }
        #[cfg(feature = "lab")]
        Listing::Keys => {
            let commands: Vec<_> = swarmarium_lab::describe_commands().collect();
            if json { write_json(out, &commands) } else { write_commands(out, &commands, width) }
        }
        _ => {
            let listed: Vec<_> = ListedKind::all(recipe, listing).collect();
            if json { write_json(out, &listed) } else { write_kinds(out, &listed, width) }
        }
    }
}

fn write_json(out: &mut impl Write, list: &impl Serialize) -> io::Result<()> {
    // The error of the writer is passed on unchanged, so that a broken pipe is recognised.
    serde_json::to_writer_pretty(&mut *out, list)?;
    writeln!(out)
}

fn write_kinds(out: &mut impl Write, kinds: &[ListedKind], width: Option<usize>) -> io::Result<()> {
    for (index, kind) in kinds.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{} ({})", kind.name, kind.family)?;
        if !kind.about.is_empty() {
            write_folded(out, "  ", &kind.about, width)?;
        }
        let cells: Vec<_> = kind.fields.iter().map(cells).collect();
        write_table(out, "    ", &cells, width)?;
        if !kind.columns.is_empty() {
            writeln!(out, "  Columns:")?;
            let cells: Vec<_> = kind.columns.iter().map(|column| [column.name.clone(), column.label()]).collect();
            write_table(out, "    ", &cells, width)?;
        }
        if !kind.numbers.is_empty() {
            writeln!(out, "  Reading:")?;
            write_numbers(out, &kind.numbers, width)?;
        }
        for OtherReading { field, numbers } in &kind.other_readings {
            writeln!(out, "  Reading with {field}:")?;
            write_numbers(out, numbers, width)?;
        }
    }
    Ok(())
}

fn write_numbers(out: &mut impl Write, numbers: &[ListedNumber], width: Option<usize>) -> io::Result<()> {
    let cells = |number: &ListedNumber| [number.number.clone(), number.name.to_owned(), number.label()];
    write_table(out, "    ", &numbers.iter().map(cells).collect::<Vec<_>>(), width)
}

fn write_types(out: &mut impl Write, types: &[TypeDescription], width: Option<usize>) -> io::Result<()> {
    for (index, description) in types.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{}", description.name)?;
        write_folded(out, "  ", &description.about, width)?;
        let fields: Vec<_> = description.fields.iter().map(cells).collect();
        write_table(out, "    ", &fields, width)?;
        let variants: Vec<_> =
            description.variants.iter().map(|variant| [variant.name.clone(), variant.about.clone()]).collect();
        write_table(out, "    ", &variants, width)?;
    }
    Ok(())
}

#[cfg(feature = "lab")]
fn write_commands(
    out: &mut impl Write,
    commands: &[swarmarium_lab::CommandDescription],
    width: Option<usize>,
) -> io::Result<()> {
    let cells: Vec<_> = commands
        .iter()
        .map(|command| [command.section, command.title, &command.keys.join(" or "), command.about].map(str::to_owned))
        .collect();
    write_table(out, "", &cells, width)
}

/// The cells of a field: name, type with unit and range, default, documentation.
fn cells(field: &FieldDescription) -> [String; 4] {
    let range = match &field.limits {
        Some(limits) => limits.to_string().replacen("a number", &field.type_name, 1),
        None => field.type_name.clone(),
    };
    let unit = field.unit.map(|unit| format!(", {unit}")).unwrap_or_default();
    let default = if field.required { "required".into() } else { format!("= {}", shortened(&field.default)) };
    [field.name.clone(), range + &unit, default, field.about.clone()]
}

/// A default for a column: the parts of a long one are left out, as in `Disc(…)`.
fn shortened(default: &str) -> String {
    const MOST: usize = 40;
    if default.chars().count() <= MOST {
        return default.to_owned();
    }
    match default.find(['(', '[']) {
        Some(at) if default[at..].starts_with('(') => format!("{}(…)", &default[..at]),
        Some(at) => format!("{}[…]", &default[..at]),
        None => default.chars().take(MOST).chain(['…']).collect(),
    }
}

/// A format of files of another program in a list.
#[derive(Serialize)]
struct ListedImporter {
    program: &'static str,
    /// The extensions, without a dot.
    extensions: &'static [&'static str],
    description: &'static str,
    /// The flags that apply to such files.
    flags: &'static [&'static str],
    /// The guide in the book.
    guide: &'static str,
    /// The reference in the book.
    reference: &'static str,
    /// Whether `convert` writes such files.
    is_written: bool,
}

impl ListedImporter {
    fn new(format: &FileFormat) -> Self {
        let FileFormat { program, description, extensions, flags, guide, reference, is_written, .. } = *format;
        Self { program, extensions, description, flags, guide, reference, is_written }
    }
}

fn write_importers(out: &mut impl Write, importers: &[ListedImporter], width: Option<usize>) -> io::Result<()> {
    let row = |importer: &ListedImporter| {
        let ListedImporter { extensions, description, flags, guide, .. } = importer;
        let extensions: Vec<String> = extensions.iter().map(|extension| format!(".{extension}")).collect();
        let flags = if flags.is_empty() { "no flags of its own".to_owned() } else { flags.join(" ") };
        [
            extensions.join(" "),
            (*description).to_owned(),
            format!("{} in the book", guide.trim_end_matches(".md")),
            flags,
        ]
    };
    write_table(out, "", &importers.iter().map(row).collect::<Vec<_>>(), width)
}

/// A shipped scene or plan in a list.
#[derive(Serialize)]
struct ListedScene {
    name: String,
    title: String,
    about: String,
}

impl ListedScene {
    fn all(kinds: &Kinds) -> impl Iterator<Item = Self> {
        shipped::all().filter_map(|(name, text)| {
            // Tests check that every shipped scene can be read.
            let Scene { name: title, about, .. } = reader::read(kinds, name, text).ok()?;
            Some(Self { name: name.into(), title, about })
        })
    }

    fn plans(kinds: &Kinds) -> impl Iterator<Item = Self> {
        let kinds = kinds_with_plans(kinds);
        shipped::plans().filter_map(move |(name, text)| {
            let Plan { name: title, about, .. } = reader::read(&kinds, name, text).ok()?;
            Some(Self { name: format!("{name}.sweep"), title, about })
        })
    }
}

/// A robot or supervisor of the program in a list.
#[derive(Serialize)]
struct ListedPreset {
    name: &'static str,
    about: String,
    /// Its description, with the sources of its numbers.
    text: &'static str,
}

impl ListedPreset {
    fn all(library: &'static PresetLibrary) -> impl Iterator<Item = Self> {
        library.all().map(|(name, text)| Self { name, about: presets::about(text), text })
    }
}

fn write_presets(out: &mut impl Write, presets: &[ListedPreset], width: Option<usize>) -> io::Result<()> {
    let cells: Vec<_> = presets.iter().map(|preset| [preset.name.to_owned(), preset.about.clone()]).collect();
    write_table(out, "", &cells, width)
}

fn write_scenes(out: &mut impl Write, scenes: &[ListedScene], width: Option<usize>) -> io::Result<()> {
    let cells: Vec<_> =
        scenes.iter().map(|scene| [scene.name.clone(), scene.title.clone(), scene.about.clone()]).collect();
    write_table(out, "", &cells, width)
}

#[cfg(test)]
mod tests {
    use swarmarium_formats::standard::Standard as _;

    use super::*;

    #[test]
    fn every_family_can_be_listed() {
        let families: Vec<_> = Listing::value_variants().iter().filter_map(|listing| listing.family()).collect();
        let recipe = Recipe::standard();
        let names = recipe.kinds().family_names();
        assert_eq!(families.len(), names.len());
        assert!(names.iter().all(|name| families.contains(name)));
    }

    #[test]
    fn lists_fold_to_a_width() {
        assert_eq!(shortened(&format!("Disc(center_m: ({}))", "1".repeat(50))), "Disc(…)");
        // No kind has a line that is wider.
        let (recipe, mut text) = (Recipe::standard(), Vec::new());
        write(&mut text, &recipe, Listing::Kinds, false, Some(80)).unwrap();
        let text = String::from_utf8(text).unwrap();
        let wide: Vec<&str> = text.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(wide.is_empty(), "{wide:#?}");
    }
}

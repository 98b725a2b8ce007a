//! `list`: lists of kinds, scenes, plans, robots and supervisors.

use std::io::{self, Write};

use clap::ValueEnum;
use serde::Serialize;
use swarmarium_core::kind::{Kind, Kinds};
use swarmarium_core::scene::describe::{self, FieldDescription, TypeDescription};
use swarmarium_core::scene::description::Scene;
use swarmarium_core::scene::presets::{self, PresetLibrary, ROBOTS, SUPERVISORS};
use swarmarium_core::scene::{reader, shipped};
use swarmarium_core::simulation::Recipe;
use swarmarium_sweep::plan::{Plan, kinds_with_plans};

use super::{Exit, stdout};

/// List the kinds that a scene can use, with fields, units, ranges and defaults; or shipped scenes, plans and robots
#[derive(clap::Args, Clone, Debug)]
pub struct Args {
    /// The list to print; without it, the names of all lists
    #[arg(value_name = "WHAT")]
    listing: Option<Listing>,
    /// Write JSON
    #[arg(long)]
    json: bool,
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
    let mut out = stdout();
    match args.listing {
        Some(listing) => write(&mut out, recipe.kinds(), listing, args.json)?,
        None => write_lists(&mut out, args.json)?,
    }
    out.flush()?;
    Ok(Exit::Fine)
}

/// Writes the names of the lists with their contents.
fn write_lists(out: &mut impl Write, json: bool) -> io::Result<()> {
    let lists = Listing::value_variants().iter().filter_map(ValueEnum::to_possible_value);
    let lists: Vec<_> = lists
        .map(|list| [list.get_name().to_owned(), list.get_help().map(ToString::to_string).unwrap_or_default()])
        .collect();
    if json {
        write_json(out, &lists.iter().map(|[name, _]| name).collect::<Vec<_>>())
    } else {
        write_table(out, "", &lists)
    }
}

/// Writes a list as a table for the user, or as JSON.
///
/// # Errors
/// The errors of the writer.
pub fn write(out: &mut impl Write, kinds: &Kinds, listing: Listing, json: bool) -> io::Result<()> {
    match listing {
        Listing::Scenes => {
            let scenes: Vec<_> = ListedScene::all(kinds).collect();
            if json { write_json(out, &scenes) } else { write_scenes(out, &scenes) }
        }
        Listing::Plans => {
            let plans: Vec<_> = ListedScene::plans(kinds).collect();
            if json { write_json(out, &plans) } else { write_scenes(out, &plans) }
        }
        Listing::Robots => {
            let robots: Vec<_> = ListedPreset::all(&ROBOTS).collect();
            if json { write_json(out, &robots) } else { write_presets(out, &robots) }
        }
        Listing::Supervisors => {
            let supervisors: Vec<_> = ListedPreset::all(&SUPERVISORS).collect();
            if json { write_json(out, &supervisors) } else { write_presets(out, &supervisors) }
        }
        Listing::Fields => {
            let types = describe::scene_types(kinds);
            if json { write_json(out, &types) } else { write_types(out, &types) }
        }
        #[cfg(feature = "lab")]
        Listing::Keys => {
            let commands: Vec<_> = swarmarium_lab::describe_commands().collect();
            if json { write_json(out, &commands) } else { write_commands(out, &commands) }
        }
        _ => {
            let listed: Vec<_> = ListedKind::all(kinds, listing).collect();
            if json { write_json(out, &listed) } else { write_kinds(out, &listed) }
        }
    }
}

fn write_json(out: &mut impl Write, list: &impl Serialize) -> io::Result<()> {
    // The error of the writer is passed on unchanged, so that a broken pipe is recognised.
    serde_json::to_writer_pretty(&mut *out, list)?;
    writeln!(out)
}

/// A kind in a list.
#[derive(Serialize)]
struct ListedKind {
    family: &'static str,
    name: &'static str,
    about: String,
    /// Sections of the documentation, such as the formula of a metric, as Markdown.
    sections: String,
    fields: Vec<FieldDescription>,
}

impl ListedKind {
    fn all(kinds: &Kinds, listing: Listing) -> impl Iterator<Item = Self> {
        let families =
            kinds.family_names().iter().filter(move |name| listing.family().is_none_or(|family| family == **name));
        families.flat_map(|family| kinds.family(family)).map(|kind| Self::new(kinds, kind))
    }

    fn new(kinds: &Kinds, kind: &Kind) -> Self {
        let (about, sections) = (describe::about(kind), describe::sections(kind));
        Self { family: kind.family, name: kind.name, about, sections, fields: describe::fields_of(kinds, kind) }
    }
}

fn write_kinds(out: &mut impl Write, kinds: &[ListedKind]) -> io::Result<()> {
    for (index, kind) in kinds.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{} ({})", kind.name, kind.family)?;
        if !kind.about.is_empty() {
            writeln!(out, "  {}", kind.about)?;
        }
        let cells: Vec<_> = kind.fields.iter().map(cells).collect();
        write_table(out, "    ", &cells)?;
    }
    Ok(())
}

fn write_types(out: &mut impl Write, types: &[TypeDescription]) -> io::Result<()> {
    for (index, description) in types.iter().enumerate() {
        let gap = if index == 0 { "" } else { "\n" };
        writeln!(out, "{gap}{}\n  {}", description.name, description.about)?;
        let fields: Vec<_> = description.fields.iter().map(cells).collect();
        write_table(out, "    ", &fields)?;
        let variants: Vec<_> =
            description.variants.iter().map(|variant| [variant.name.clone(), variant.about.clone()]).collect();
        write_table(out, "    ", &variants)?;
    }
    Ok(())
}

#[cfg(feature = "lab")]
fn write_commands(out: &mut impl Write, commands: &[swarmarium_lab::CommandDescription]) -> io::Result<()> {
    let cells: Vec<_> = commands
        .iter()
        .map(|command| [command.section, command.title, &command.keys.join(" or "), command.about].map(str::to_owned))
        .collect();
    write_table(out, "", &cells)
}

/// The cells of a field: name, type with unit and range, default, documentation.
fn cells(field: &FieldDescription) -> [String; 4] {
    let range = match &field.limits {
        Some(limits) => limits.to_string().replacen("a number", &field.type_name, 1),
        None => field.type_name.clone(),
    };
    let unit = field.unit.map(|unit| format!(", {unit}")).unwrap_or_default();
    let default = if field.required { "required".into() } else { format!("= {}", field.default) };
    [field.name.clone(), range + &unit, default, field.about.clone()]
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

fn write_presets(out: &mut impl Write, presets: &[ListedPreset]) -> io::Result<()> {
    let cells: Vec<_> = presets.iter().map(|preset| [preset.name.to_owned(), preset.about.clone()]).collect();
    write_table(out, "", &cells)
}

fn write_scenes(out: &mut impl Write, scenes: &[ListedScene]) -> io::Result<()> {
    let cells: Vec<_> =
        scenes.iter().map(|scene| [scene.name.clone(), scene.title.clone(), scene.about.clone()]).collect();
    write_table(out, "", &cells)
}

/// Writes aligned columns; the last column may be wider than a line, and may have several lines.
fn write_table<const N: usize>(out: &mut impl Write, indent: &str, rows: &[[String; N]]) -> io::Result<()> {
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or_default();
    let widths: [usize; N] = std::array::from_fn(width);
    let before: usize = widths[..N - 1].iter().map(|width| width + 2).sum();
    for row in rows {
        let line: String = row.iter().zip(widths).map(|(cell, width)| format!("{cell:width$}  ")).collect();
        let line = line.trim_end().replace('\n', &format!("\n{indent}{:before$}", ""));
        writeln!(out, "{indent}{line}")?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use swarmarium_kinds::Standard as _;

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
    fn columns_are_aligned() {
        let rows = [["a", "bbb", "c"], ["aaaé", "b", ""]].map(|row| row.map(str::to_owned));
        let mut text = Vec::new();
        write_table(&mut text, " ", &rows).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), " a     bbb  c\n aaaé  b\n");
        let mut text = Vec::new();
        write_table(&mut text, " ", &[["a", "one\ntwo"].map(str::to_owned)]).unwrap();
        assert_eq!(String::from_utf8(text).unwrap(), " a  one\n    two\n");
    }
}

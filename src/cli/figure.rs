//! `figure`: figures of runs and sweeps for papers.

use std::collections::BTreeSet;
use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use swarmarium_base::files::{Draft, shown};
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::text::wording::join;
use swarmarium_figure::{Figure, FileOptions, Format, Intervals, Layout, Look, Paper, Print, letter, missing_letter};
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::address;

use super::common::{OneOf, Seconds};
use super::error::ArgumentError;
use super::messages::tell_warning;
use super::moment::MomentArgument;
use super::view::{PALETTES, ViewArguments};
use super::{Common, Exit, json, stdout, tell};

mod of_run;
mod of_sweep;
mod result;
mod world;

use of_run::RunFigures;
use of_sweep::SweepFigures;
use result::{FigureResult, Results};

/// Draw figures of a run folder or a sweep folder for a paper: PDF, SVG or PNG, in millimetres and points
///
/// A sweep has the figures of its measures, a run the metrics of its table over time; --list names them. Several names become
/// the panels of one figure. With --at, the figure is the world at that moment, as vector graphics.
/// Fonts are embedded in PDF files; the letters of SVG files are outlines. The caption goes to stdout.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  # A sweep for these examples
  swarmarium sweep milling-view.sweep -o study
  # The figures of the sweep
  swarmarium figure study --list
  # Its first figure, 85 mm wide, with 8 pt
  swarmarium figure study -o fig1.pdf
  swarmarium figure study circliness-curve circliness-boxes --width-mm 170 \\
      -o fig2.pdf -o fig2.png --dpi 600
  # Each figure in a file of its own
  swarmarium figure study --all --format pdf,svg -o figures
  # A run for these examples
  swarmarium run milling --duration 30 -o run
  swarmarium figure run circliness average_speed_m_per_s -o fig3.pdf
  swarmarium figure run --at 20s --overlay scale,trails --trail 5 -o fig4.pdf")]
pub struct Args {
    /// Run folder or sweep folder; with --at, also a scene
    #[arg(value_name = "FOLDER", value_hint = clap::ValueHint::AnyPath)]
    folder: String,
    /// Figures, as --list names them: of a sweep MEASURE-KIND or MEASURE, of a run a metric or one of its columns [default: the
    /// first one]
    #[arg(value_name = "NAME", conflicts_with = "at")]
    names: Vec<String>,
    /// Kind of the figures of a sweep, as at the ends of their names: curve, curves, boxes, map, by-FACTOR or over-time
    #[arg(long, value_name = "KIND", conflicts_with = "at")]
    kind: Option<String>,
    /// List the figures with their titles, and draw none
    #[arg(long, conflicts_with_all = ["at", "all", "output", "format", "names", "kind"])]
    list: bool,
    /// Print the figures, with their captions and files, as JSON
    #[arg(long, conflicts_with = "at")]
    json: bool,
    /// Draw each figure into a file of its own, in the folder of --output
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// File to write, with the extension .pdf, .svg or .png; repeatable. With --all, the folder [default: NAME.pdf in the
    /// current folder]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Formats of files without a name, separated by commas: pdf, svg or png [default: pdf]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = FORMATS, hide_possible_values = true)]
    format: Vec<Format>,
    /// Replace the files if they exist
    #[arg(long)]
    overwrite: bool,
    /// Width in millimetres: columns of journals have 80 to 90, pages 170 to 180
    #[arg(long, value_name = "MM", default_value = "85", value_parser = side)]
    width_mm: f64,
    /// Height in millimetres [default: from the width and the number of panels; with --at, from the arena]
    #[arg(long, value_name = "MM", value_parser = side)]
    height_mm: Option<f64>,
    /// Font size of the labels in points
    #[arg(long, value_name = "PT", default_value = "8", value_parser = font)]
    font_pt: f64,
    /// Resolution of PNG files in dots per inch [default: 300]
    #[arg(long, value_name = "DPI", value_parser = resolution)]
    dpi: Option<f64>,
    /// Colours of series and groups: okabe-ito, tol or grey
    #[arg(long, value_name = "NAME", default_value = "okabe-ito", value_parser = PALETTES, hide_possible_values = true)]
    palette: GroupColors,
    /// Use a light background, for paper (the default)
    #[arg(long, conflicts_with = "dark")]
    light: bool,
    /// Use a dark background, for slides
    #[arg(long)]
    dark: bool,
    /// Keep the texts of SVG files as texts, which drawing programs can edit but show in a font of their own
    #[arg(long)]
    editable_text: bool,
    /// Draw title and caption into the figure, too
    #[arg(long, conflicts_with = "at")]
    caption: bool,
    /// Title of the x axis, instead of its own; v_a and v_{max} have lowered letters, s^2 raised ones
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "all"])]
    x_label: Option<String>,
    /// Title of the y axis, instead of its own
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "all"])]
    y_label: Option<String>,
    /// Range of the x axis, such as 0..100; numbers beyond it are left out
    #[arg(long, value_name = "A..B", value_parser = range, allow_hyphen_values = true, conflicts_with_all = ["at", "all"])]
    x_range: Option<[f64; 2]>,
    /// Range of the y axis, such as 0..1
    #[arg(long, value_name = "A..B", value_parser = range, allow_hyphen_values = true, conflicts_with_all = ["at", "all"])]
    y_range: Option<[f64; 2]>,
    /// Form of intervals over numbers: bars or band [default: bars for at most 8 points, unless they would hide each other]
    #[arg(long, value_name = "FORM", value_parser = INTERVALS, hide_possible_values = true, conflicts_with = "at")]
    interval: Option<Intervals>,
    /// Begin plots over time of a run at this time, such as 10, 10s or 2m
    #[arg(long, value_name = "S", conflicts_with = "at")]
    from: Option<Seconds>,
    /// End plots over time of a run at this time
    #[arg(long, value_name = "S", conflicts_with = "at")]
    to: Option<Seconds>,
    /// Draw the world at this moment: of a run folder, a step, a time such as 35s, or a bookmark; of a scene, a time
    #[arg(long, value_name = "MOMENT")]
    at: Option<MomentArgument>,
    /// Branch of the run folder, with --at [default: the branch of the bookmark or of edits.ron]
    #[arg(long, value_name = "NAME", requires = "at")]
    branch: Option<String>,
    #[command(flatten)]
    view: ViewArguments,
}

/// The formats by their names, which are the extensions of files.
const FORMATS: OneOf<Format> = OneOf(&[("pdf", Format::Pdf), ("svg", Format::Svg), ("png", Format::Png)]);
/// The forms of intervals by their names.
const INTERVALS: OneOf<Intervals> = OneOf(&[("bars", Intervals::Bars), ("band", Intervals::Band)]);

/// A number within a range, with or without the symbol of its unit.
fn quantity(text: &str, range: RangeInclusive<f64>, symbol: &str, unit: &'static str) -> Result<f64, ArgumentError> {
    let text = text.trim();
    let number = text.strip_suffix(symbol).unwrap_or(text).trim().parse().ok();
    let error = ArgumentError::Quantity { unit, min: *range.start(), max: *range.end() };
    number.filter(|number| range.contains(number)).ok_or(error)
}

/// A range of numbers: `0..1`.
fn range(text: &str) -> Result<[f64; 2], ArgumentError> {
    let number = |text: &str| text.trim().parse().ok().filter(|number| f64::is_finite(*number));
    let ends = text.split_once("..").and_then(|(low, high)| Some([number(low)?, number(high)?]));
    ends.filter(|[low, high]| low < high).ok_or(ArgumentError::Range)
}

fn side(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::SIDES_MM, "mm", "millimetres")
}

fn font(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::FONTS_PT, "pt", "points")
}

fn resolution(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::DOTS_PER_INCH, "dpi", "dots per inch")
}

/// The run folder or sweep folder of a file.
fn folder_of(file: &Path) -> Option<&Path> {
    let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let is_known = |folder: &&Path| matches!(FolderKind::from_path(folder), Some(FolderKind::Run | FolderKind::Sweep));
    // Figures and logs are one level deeper.
    [Some(folder), folder.parent()].into_iter().flatten().filter(|_| file.is_file()).find(is_known)
}

/// The measures or metrics whose names or figures begin with some words, each with its first figure.
fn beginning_with<'a>(words: &str, choices: &[&'a Choice]) -> Vec<(&'a str, &'a Choice)> {
    let begins = |name: &str| {
        let rest = name.strip_prefix(words).filter(|_| !words.is_empty());
        rest.is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    };
    let mut found: Vec<(&str, &Choice)> = Vec::new();
    for choice in choices.iter().filter(|choice| begins(&choice.name) || begins(&choice.alias)) {
        let of = if choice.alias.is_empty() { choice.name.as_str() } else { choice.alias.as_str() };
        if !found.iter().any(|(known, _)| *known == of) {
            found.push((of, *choice));
        }
    }
    found
}

/// A figure that a folder has.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Choice {
    /// The name, which is also that of its file.
    name: String,
    /// The title.
    title: String,
    /// Another name, such as that of a measure, which means the first figure that has it.
    alias: String,
    /// The kind; empty if all figures are of one kind.
    kind: String,
    /// Whether it is part of another figure, and not one of all figures.
    is_part: bool,
}

/// The figures of a folder.
enum Figures {
    Run(RunFigures),
    Sweep(Box<SweepFigures>),
}

impl Figures {
    fn open(file: &str, recipe: &Recipe) -> anyhow::Result<Self> {
        let (path, program) = (Path::new(file), recipe.program_name());
        match FolderKind::from_path(path) {
            Some(FolderKind::Sweep) => Ok(Self::Sweep(Box::new(SweepFigures::open(path, recipe)?))),
            Some(FolderKind::Run) => Ok(Self::Run(RunFigures::open(path, recipe)?)),
            Some(kind) => bail!("{}: {}", shown(file), kind.refusal(path)),
            None if address::is_address(path) => {
                bail!("{0}: the sweep keeps no folder of this run; `{program} run {0} -o NEW` makes one", shown(file))
            }
            None => {
                ensure!(
                    super::load::check_exists(file).is_ok(),
                    "{}: there is no such folder: expected that of a run or of a sweep",
                    shown(file)
                );
                if file.ends_with(".sweep.ron") {
                    bail!(
                        "{0}: is a plan; `{program} sweep {0}` runs it, and `{program} figure` draws its folder",
                        shown(file)
                    );
                }
                if let Some(folder) = folder_of(path) {
                    bail!("{}: is a file of a folder; give the folder: {}", shown(file), shown(folder));
                }
                bail!(
                    "{}: expected a run folder or a sweep folder; with --at, a scene is possible, too: --at 20s draws its \
                     world after 20 s",
                    shown(file)
                )
            }
        }
    }

    fn choices(&self) -> Vec<Choice> {
        match self {
            Self::Run(run) => run.choices(),
            Self::Sweep(sweep) => sweep.choices(),
        }
    }

    /// Draws some of the choices.
    fn draw(&self, chosen: &[Choice], args: &Args) -> anyhow::Result<Vec<Figure>> {
        match self {
            Self::Run(run) => run.draw(chosen, [args.from, args.to].map(|time| time.map(|Seconds(time_s)| time_s))),
            Self::Sweep(sweep) => {
                ensure!(
                    args.from.is_none() && args.to.is_none(),
                    "--from and --to: {} is a sweep folder; they choose the time of plots of a run folder",
                    shown(&args.folder)
                );
                Ok(sweep.draw(chosen))
            }
        }
    }
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.folder]
    }

    /// The chosen figures.
    ///
    /// # Errors
    /// When there is none of a name, with the nearest one.
    fn choose(&self, choices: &[Choice], program: &str) -> anyhow::Result<Vec<Choice>> {
        let folder = shown(&self.folder);
        ensure!(
            !choices.is_empty(),
            "{folder}: has no figures, because its scene has no metrics; --at draws the world of a run"
        );
        let is_of_kind = |choice: &&Choice| self.kind.as_ref().is_none_or(|kind| choice.kind == *kind);
        if let Some(kind) = &self.kind {
            let kinds: BTreeSet<&str> = choices.iter().map(|choice| choice.kind.as_str()).collect();
            let kinds: Vec<&str> = kinds.into_iter().collect();
            ensure!(
                kinds != [""],
                "--kind: {folder} is a run folder, whose figures are all over time; --kind chooses among the figures of a sweep"
            );
            ensure!(
                kinds.contains(&kind.as_str()),
                "--kind: {folder} has no figures of the kind `{}`{}\nIts kinds are {}",
                shown(kind),
                did_you_mean(kind, kinds.iter().copied()),
                join(&kinds, "and")
            );
        }
        let of_kind: Vec<&Choice> = choices.iter().filter(is_of_kind).collect();
        if self.names.is_empty() {
            let all = of_kind.into_iter().filter(|choice| !choice.is_part).cloned();
            return Ok(if self.all { all.collect() } else { all.take(1).collect() });
        }
        let find = |name: &String| {
            let begins = beginning_with(name, &of_kind);
            let is_it = |choice: &&&Choice| choice.name == *name || (choice.alias == *name && !name.is_empty());
            let found = of_kind.iter().find(|choice| choice.name == *name).or_else(|| of_kind.iter().find(is_it));
            let unique = || if let [(_, first)] = begins[..] { Some(first) } else { None };
            found.copied().or_else(unique).cloned().ok_or_else(|| {
                let known = of_kind.iter().flat_map(|choice| [choice.name.as_str(), choice.alias.as_str()]);
                let hint = match did_you_mean(name, known) {
                    hint if hint.is_empty() && !begins.is_empty() => {
                        let names: Vec<String> = begins.iter().map(|(_, first)| format!("`{}`", first.name)).collect();
                        format!(
                            "; {} begin with it",
                            join(&names.iter().map(String::as_str).collect::<Vec<_>>(), "and")
                        )
                    }
                    hint => hint,
                };
                let of_kind = self.kind.as_ref().map(|kind| format!(" of the kind `{kind}`")).unwrap_or_default();
                anyhow::anyhow!(
                    "{folder}: has no figure `{}`{of_kind}{hint}\n`{program} figure {folder} --list` lists the figures",
                    shown(name),
                )
            })
        };
        self.names.iter().map(find).collect()
    }

    fn options(&self) -> FileOptions {
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let look = Look { theme, groups: self.palette };
        let standard = FileOptions::default();
        let dots_per_inch = self.dpi.unwrap_or(standard.dots_per_inch);
        FileOptions { look, dots_per_inch, has_editable_text: self.editable_text }
    }

    /// Changes a figure as the flags say.
    ///
    /// # Errors
    /// When an axis cannot have a range.
    fn adapt(&self, figure: &mut Figure) -> anyhow::Result<()> {
        figure.chart.set_labels(self.x_label.as_deref(), self.y_label.as_deref());
        for (flag, x, y) in [("--x-range", self.x_range, None), ("--y-range", None, self.y_range)] {
            figure.chart.set_ranges(x, y).map_err(|error| anyhow::anyhow!("{flag}: {error}"))?;
        }
        if let Some(intervals) = self.interval {
            figure.set_intervals(intervals);
        }
        Ok(())
    }

    /// Refuses labels with letters that the files would show as boxes.
    fn check_letters(&self, files: &[(PathBuf, Format)]) -> anyhow::Result<()> {
        let labels = [("--x-label", &self.x_label), ("--y-label", &self.y_label)];
        let missing = labels.into_iter().find_map(|(flag, label)| Some((flag, missing_letter(label.as_ref()?)?)));
        match missing.filter(|_| !self.keeps_texts(files)) {
            Some((flag, letter)) => bail!(
                "{flag}: the font has no `{letter}`; `v_a` and `v_{{max}}` have lowered letters, and `s^2` raised ones. SVG \
                 files with --editable-text have any letter"
            ),
            None => Ok(()),
        }
    }

    /// Whether all files have texts that the viewer draws in a font of its own.
    fn keeps_texts(&self, files: &[(PathBuf, Format)]) -> bool {
        self.editable_text && files.iter().all(|(_, format)| *format == Format::Svg)
    }

    /// Figures on one paper, without their titles and captions unless they are asked for.
    fn print(&self, figures: &[Figure]) -> Print {
        let Self { width_mm, height_mm, font_pt, caption: has_captions, .. } = *self;
        Layout { width_mm, height_mm, font_pt, has_titles: has_captions, has_captions }.print(figures)
    }

    /// The files to write, with their formats.
    ///
    /// # Errors
    /// When a format is unknown, an option has no effect on the formats, or a file is in the way.
    fn outputs(&self, name: &str) -> anyhow::Result<Vec<(PathBuf, Format)>> {
        let standard = [Format::Pdf];
        let formats = if self.format.is_empty() { &standard[..] } else { &self.format };
        let in_folder = |folder: &Path| {
            let file = |format: &Format| (folder.join(format!("{name}.{}", format.extension())), *format);
            formats.iter().map(file).collect::<Vec<_>>()
        };
        let files = match self.output.as_slice() {
            [] => in_folder(Path::new("")),
            [file] if self.all && !file.is_dir() && file_of(file).is_ok() => {
                let name = shown(file);
                bail!(
                    "--output {name}: --all writes files to a folder, not to one file; without --all, NAME chooses figures"
                )
            }
            [folder] if self.all => in_folder(folder),
            [_, other, ..] if self.all => {
                bail!("--output {}: --all writes all files to one folder; give one --output", shown(other))
            }
            outputs => {
                ensure!(
                    self.format.is_empty(),
                    "--format: has no effect together with --output FILE, whose extension is the format"
                );
                outputs.iter().map(|path| file_of(path)).collect::<anyhow::Result<_>>()?
            }
        };
        self.check_options(&files)?;
        self.check_letters(&files)?;
        let mut paths = BTreeSet::new();
        for (path, _) in &files {
            let is_new = paths.insert(std::path::absolute(path).unwrap_or_else(|_| path.clone()));
            ensure!(is_new, "{}: is given twice; each file is written once", shown(path));
            ensure!(
                self.overwrite || path.symlink_metadata().is_err(),
                "{}: exists already; --overwrite replaces it",
                shown(path)
            );
        }
        Ok(files)
    }

    /// Refuses options that have no effect on any of the files.
    fn check_options(&self, files: &[(PathBuf, Format)]) -> anyhow::Result<()> {
        let check = |flag: &str, is_given: bool, purpose: &str, wanted: Format| {
            let has_effect = files.iter().any(|(_, format)| *format == wanted);
            let names: Vec<String> = files.iter().map(|(path, _)| shown(path)).collect();
            ensure!(
                !is_given || has_effect,
                "{flag}: is for {} files, {purpose}; it has no effect on {}",
                wanted.extension().to_uppercase(),
                names.join(", ")
            );
            Ok(())
        };
        check("--dpi", self.dpi.is_some(), "which are pixels", Format::Png)?;
        check("--editable-text", self.editable_text, "whose letters are outlines otherwise", Format::Svg)
    }

    /// Writes the files of a figure.
    fn write(&self, print: &Print, files: &[(PathBuf, Format)], common: &Common) -> anyhow::Result<()> {
        if let Some((text, letter)) = print.missing_letters().first().filter(|_| !self.keeps_texts(files)) {
            tell_warning(format_args!(
                "the font has no `{letter}` of the text `{}`: a box is in its place",
                shown(text)
            ));
        }
        for (path, format) in files {
            let file = print.file(*format, &self.options())?;
            Draft::begin(path)?.complete(&file)?;
        }
        if !common.quiet {
            let [width, height] = print.paper.size_mm.to_array();
            let names: Vec<String> = files.iter().map(|(path, _)| shown(path)).collect();
            tell(format_args!("{}: {width} × {height} mm", names.join(", ")));
        }
        Ok(())
    }
}

/// A file to write, with the format of its extension.
fn file_of(path: &Path) -> anyhow::Result<(PathBuf, Format)> {
    let extension = path.extension().and_then(|extension| extension.to_str()).unwrap_or_default();
    if let Some(format) = format_of(extension) {
        return Ok((path.to_owned(), format));
    }
    let known = FORMATS.0.iter().map(|(name, _)| *name);
    let found = if extension.is_empty() { "none".into() } else { format!("`{}`", shown(extension)) };
    let hint = did_you_mean(extension, known.clone());
    let known = join(&known.collect::<Vec<_>>(), "or");
    bail!("--output {}: expected the extension {known}, found {found}{hint}", shown(path))
}

/// The format of an extension.
fn format_of(extension: &str) -> Option<Format> {
    FORMATS.0.iter().find(|(name, _)| name.eq_ignore_ascii_case(extension)).map(|(_, format)| *format)
}

/// Draws figures.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if let Some(at) = &args.at {
        return world::run(args, at, common, recipe);
    }
    ensure!(
        common.overrides().is_empty(),
        "--seed and --set: have no effect on figures of a folder, which come from its tables; with --at, `figure` draws a scene"
    );
    common.check_files([])?;
    ensure!(
        !args.view.is_given(),
        "--camera, --overlay, --color-by and --trail are for the world at a moment: add --at"
    );
    let program = recipe.program_name();
    let figures = Figures::open(&args.folder, recipe)?;
    let choices = figures.choices();
    let result = |figures| Results { folder: shown(&args.folder), figures };
    match (args.list, args.json) {
        (true, true) => {
            json::print_results("done", &result(choices.iter().map(FigureResult::of_choice).collect()))?;
            return Ok(Exit::Fine);
        }
        (true, false) => return list(&choices),
        _ => {}
    }
    let count = choices.iter().filter(|choice| !choice.is_part).count();
    let chosen = args.choose(&choices, program)?;
    let in_sheet = if args.all { 1 } else { chosen.len() };
    let name = |sheet: &[Choice]| sheet.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join("+");
    // Nothing is drawn if a file of another one is in the way.
    let sheets = chosen.chunks(in_sheet.max(1));
    let files = sheets.map(|sheet| args.outputs(&name(sheet))).collect::<anyhow::Result<Vec<_>>>()?;
    // Tables are read once for all figures.
    let mut drawn = figures.draw(&chosen, args)?;
    drawn.iter_mut().try_for_each(|figure| args.adapt(figure))?;
    if let ([folder], true) = (args.output.as_slice(), args.all) {
        std::fs::create_dir_all(folder)
            .map_err(|error| anyhow::anyhow!("{}: cannot be made: {error}", shown(folder)))?;
    }
    let mut results = Vec::new();
    let sheets = chosen.chunks(in_sheet.max(1)).zip(drawn.chunks(in_sheet.max(1)));
    for ((chosen, figures), files) in sheets.zip(files) {
        args.write(&args.print(figures), &files, common)?;
        for (place, (choice, figure)) in chosen.iter().zip(figures).enumerate() {
            let caption = figure.full_caption();
            if !common.quiet && !args.json {
                let text = format!("{} {}. {caption}", letter(place, figures.len()), figure.title);
                let mut out = stdout();
                writeln!(out, "{}", text.trim())?;
                out.flush()?;
            }
            let files = files.iter().map(|(path, _)| shown(path)).collect();
            results.push(FigureResult { caption: Some(caption), files, ..FigureResult::of_choice(choice) });
        }
    }
    if args.json {
        json::print_results("done", &result(results))?;
    }
    if args.names.is_empty() && args.kind.is_none() && !args.all && count > 1 && !common.quiet {
        let folder = shown(&args.folder);
        tell(format_args!(
            "the first of {count} figures: `{program} figure {folder} --list` lists them, and --all draws them"
        ));
    }
    Ok(Exit::Fine)
}

/// Lists the choices.
fn list(choices: &[Choice]) -> anyhow::Result<Exit> {
    let width = choices.iter().map(|choice| choice.name.chars().count()).max().unwrap_or(0);
    let mut out = stdout();
    for choice in choices {
        writeln!(out, "{:width$}  {}", choice.name, choice.title)?;
    }
    out.flush()?;
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_have_limits_and_may_have_units() {
        assert_eq!((side("85"), side("85mm"), side(" 170 mm")), (Ok(85.0), Ok(85.0), Ok(170.0)));
        assert_eq!((font("8pt"), resolution("600dpi")), (Ok(8.0), Ok(600.0)));
        let error = side("8.5cm").unwrap_err().to_string();
        assert_eq!(error, "expected millimetres from 20 to 1000");
        assert!(["", "0", "-3", "nan", "1e9"].iter().all(|bad| side(bad).is_err()));
    }

    #[test]
    fn formats_are_known_by_their_endings() {
        assert_eq!(file_of("a.PDF".as_ref()).unwrap().1, Format::Pdf);
        let error = file_of("a.pfd".as_ref()).unwrap_err().to_string();
        assert!(error.contains("expected the extension pdf, svg") && error.ends_with("did you mean `pdf`?"), "{error}");
        assert!(Format::ALL.iter().all(|format| format_of(format.extension()) == Some(*format)));
    }

    #[test]
    fn ranges_are_read() {
        assert_eq!((range("0..1"), range(" -1.5 .. 1e3")), (Ok([0.0, 1.0]), Ok([-1.5, 1000.0])));
        assert!(["", "1", "1..0", "0..0", "a..1", "0..inf"].iter().all(|bad| range(bad).is_err()));
    }

    #[test]
    fn a_beginning_of_one_measure_is_enough() {
        let choice = |name: &str, alias: &str| Choice {
            name: name.into(),
            title: String::new(),
            alias: alias.into(),
            kind: String::new(),
            is_part: false,
        };
        let choices = [
            choice("radius__m_-curve", "radius (m)"),
            choice("radius__m_-boxes", "radius (m)"),
            choice("speed_m_per_s-curve", "speed_m_per_s"),
            choice("speed_of_a-curve", "speed_of_a"),
        ];
        let choices: Vec<&Choice> = choices.iter().collect();
        let names =
            |words: &str| beginning_with(words, &choices).iter().map(|(_, first)| &*first.name).collect::<Vec<_>>();
        assert_eq!(names("radius"), ["radius__m_-curve"]);
        assert_eq!(names("speed"), ["speed_m_per_s-curve", "speed_of_a-curve"]);
        assert!(names("rad").is_empty() && names("").is_empty() && names("radius__m_-curv").is_empty());
    }
}

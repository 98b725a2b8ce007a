//! `figure`: figures of runs and sweeps for papers.

use std::io::Write as _;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};

use anyhow::{bail, ensure};
use bevy::math::DVec2;
use swarmarium_base::files::{Draft, shown};
use swarmarium_base::problem::{did_you_mean, listed};
use swarmarium_core::text::wording::join;
use swarmarium_figure::{Figure, FileOptions, Format, Look, Paper, Print, panels, sheet, usual_paper};
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_picture::palette::{GroupColors, Theme};
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::address;

use super::common::Seconds;
use super::error::ArgumentError;
use super::moment::MomentArgument;
use super::view::{ViewArguments, group_colors};
use super::{Common, Exit, stdout, tell};

mod of_run;
mod of_sweep;
mod world;

use of_run::RunFigures;
use of_sweep::SweepFigures;

/// The height of a figure with its caption, in heights without it.
const WITH_CAPTION: f64 = 1.3;

/// Draw figures of a run folder or a sweep folder for a paper: PDF, SVG or PNG, in millimetres and points
///
/// A sweep has the figures of its measures, a run the metrics of its table over time; --list names them. Several names become
/// the panels of one figure. With --at, the figure is the world at that moment, as vector graphics.
/// Fonts are embedded in PDF files; the letters of SVG files are outlines. The caption goes to stdout.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium sweep milling-view.sweep -o study                  a sweep for these examples
  swarmarium figure study --list                                the figures of the sweep
  swarmarium figure study -o fig1.pdf                           its first figure, 85 mm wide, with 8 pt
  swarmarium figure study circliness-curve circliness-boxes --width-mm 170 -o fig2.pdf -o fig2.png --dpi 600
  swarmarium figure study --all --format pdf,svg -o figures     each figure in a file of its own
  swarmarium run milling --duration 30 -o run                   a run for these examples
  swarmarium figure run circliness average_speed_m_per_s -o fig3.pdf
  swarmarium figure run --at 20s --overlay scale,trails --trail 5 -o fig4.pdf")]
pub struct Args {
    /// Run folder or sweep folder; with --at, also a scene
    #[arg(value_name = "FOLDER")]
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
    /// Draw each figure into a file of its own, in the folder of --output
    #[arg(long, conflicts_with = "at")]
    all: bool,
    /// File to write, with the extension .pdf, .svg or .png; repeatable. With --all, the folder [default: NAME.pdf in the
    /// current folder]
    #[arg(short, long, value_name = "FILE")]
    output: Vec<PathBuf>,
    /// Formats of files without a name, separated by commas: pdf, svg or png [default: pdf]
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = format)]
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
    /// Resolution of PNG files in dots per inch
    #[arg(long, value_name = "DPI", default_value = "300", value_parser = resolution)]
    dpi: f64,
    /// Colours of series and groups: okabe-ito, tol or grey
    #[arg(long, value_name = "NAME", default_value = "okabe-ito", value_parser = group_colors)]
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
    /// Title of the x axis, instead of its own
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "all"])]
    x_label: Option<String>,
    /// Title of the y axis, instead of its own
    #[arg(long, value_name = "TEXT", conflicts_with_all = ["at", "all"])]
    y_label: Option<String>,
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

/// A format by its name or by the ending of a file.
fn format(text: &str) -> Result<Format, ArgumentError> {
    let name = text.trim().to_lowercase();
    let known = || Format::ALL.iter().map(|format| format.extension());
    let found = Format::ALL.iter().find(|format| format.extension() == name);
    found.copied().ok_or_else(|| ArgumentError::FigureFormat {
        known: join(&known().collect::<Vec<_>>(), "or"),
        hint: did_you_mean(&name, known()),
    })
}

fn quantity(text: &str, range: RangeInclusive<f64>, units: &[&str]) -> Result<f64, ArgumentError> {
    let number = units.iter().find_map(|unit| text.trim().strip_suffix(unit)).unwrap_or(text).trim().parse().ok();
    let unit = match units {
        ["mm"] => "millimetres",
        ["pt"] => "points",
        _ => "dots per inch",
    };
    let error = ArgumentError::Quantity { unit, min: *range.start(), max: *range.end() };
    number.filter(|number| range.contains(number)).ok_or(error)
}

fn side(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::SIDES_MM, &["mm"])
}

fn font(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::FONTS_PT, &["pt"])
}

fn resolution(text: &str) -> Result<f64, ArgumentError> {
    quantity(text, Paper::DOTS_PER_INCH, &["dpi"])
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
        let path = Path::new(file);
        match FolderKind::from_path(path) {
            Some(FolderKind::Sweep) => Ok(Self::Sweep(Box::new(SweepFigures::open(path, recipe)?))),
            Some(FolderKind::Run) => Ok(Self::Run(RunFigures::open(path, recipe)?)),
            Some(kind) => bail!("{}: {}", shown(file), kind.refusal(path)),
            None if address::is_address(path) => {
                bail!("{0}: the sweep keeps no folder of this run: `swarmarium run {0} -o NEW` makes one", shown(file))
            }
            None => {
                super::load::check_exists(file)?;
                bail!("{}: is neither a run folder nor a sweep folder: --at draws the world of a scene", shown(file))
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
                ensure!(args.from.is_none() && args.to.is_none(), "--from and --to are for the plots of a run folder");
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
    fn choose(&self, choices: Vec<Choice>) -> anyhow::Result<Vec<Choice>> {
        let folder = shown(&self.folder);
        ensure!(!choices.is_empty(), "{folder}: has no figures: the scene has no metrics");
        let is_of_kind = |choice: &&Choice| self.kind.as_ref().is_none_or(|kind| choice.kind == *kind);
        if let Some(kind) = &self.kind {
            let mut kinds: Vec<&str> = choices.iter().map(|choice| choice.kind.as_str()).collect();
            kinds.dedup();
            kinds.sort_unstable();
            kinds.dedup();
            let has_kinds = kinds != [""];
            ensure!(has_kinds, "--kind: is for sweep folders: the figures of a run are all over time");
            let hint = || did_you_mean(kind, kinds.iter().copied());
            ensure!(
                kinds.contains(&kind.as_str()),
                "--kind: {folder} has figures of {}, none of `{kind}`{}",
                listed(&kinds),
                hint()
            );
        }
        let of_kind: Vec<&Choice> = choices.iter().filter(is_of_kind).collect();
        if self.names.is_empty() {
            let all = of_kind.into_iter().filter(|choice| !choice.is_part).cloned();
            return Ok(if self.all { all.collect() } else { all.take(1).collect() });
        }
        let find = |name: &String| {
            let is_it = |choice: &&&Choice| choice.name == *name || (choice.alias == *name && !name.is_empty());
            let found = of_kind.iter().find(|choice| choice.name == *name).or_else(|| of_kind.iter().find(is_it));
            found.map(|choice| (*choice).clone()).ok_or_else(|| {
                let known = || choices.iter().flat_map(|choice| [choice.name.as_str(), choice.alias.as_str()]);
                let hint = match (did_you_mean(name, known()), &self.kind) {
                    (hint, _) if !hint.is_empty() => hint,
                    (_, Some(kind)) if choices.iter().any(|choice| choice.alias == *name) => {
                        format!(" of the kind {kind}")
                    }
                    _ => String::new(),
                };
                anyhow::anyhow!(
                    "{folder}: has no figure `{}`{hint}\n`swarmarium figure {folder} --list` names all",
                    shown(name)
                )
            })
        };
        self.names.iter().map(find).collect()
    }

    fn options(&self) -> FileOptions {
        let theme = if self.dark { Theme::Dark } else { Theme::Light };
        let look = Look { theme, groups: self.palette };
        FileOptions { look, dots_per_inch: self.dpi, has_editable_text: self.editable_text }
    }

    fn paper(&self, height_mm: f64) -> Paper {
        Paper { size_mm: DVec2::new(self.width_mm, self.height_mm.unwrap_or(height_mm)), font_pt: self.font_pt }
    }

    /// Figures on one paper, without their titles and captions unless they are asked for. Several have letters.
    fn print(&self, mut figures: Vec<Figure>) -> Print {
        let count = figures.len();
        let title = figures.iter().map(|figure| figure.title.as_str()).collect::<Vec<_>>().join("; ");
        let description = figures.iter().map(Figure::full_caption).collect::<Vec<_>>().join(" ");
        for (place, figure) in figures.iter_mut().enumerate() {
            figure.chart.set_labels(self.x_label.as_deref(), self.y_label.as_deref());
            let letter = letter(place, count);
            figure.title = match self.caption {
                true => format!("{letter} {}", figure.title).trim().to_owned(),
                false => letter,
            };
            if !self.caption {
                figure.caption.clear();
            }
        }
        let mut paper = usual_paper(&figures, self.width_mm, self.font_pt);
        if self.caption {
            paper.size_mm.y = (paper.size_mm.y * WITH_CAPTION).round();
        }
        let lay_out = if self.caption { sheet } else { panels };
        lay_out(&figures, self.paper(paper.size_mm.y), &title, &description)
    }

    /// The files to write, with their formats.
    fn outputs(&self, name: &str) -> anyhow::Result<Vec<(PathBuf, Format)>> {
        let standard = [Format::Pdf];
        let formats = if self.format.is_empty() { &standard[..] } else { &self.format };
        let named = |folder: &Path| {
            let file = |format: &Format| (folder.join(format!("{name}.{}", format.extension())), *format);
            formats.iter().map(file).collect::<Vec<_>>()
        };
        let files = match self.output.as_slice() {
            [] => named(Path::new("")),
            [folder] if self.all => named(folder),
            outputs if !self.all => {
                ensure!(
                    self.format.is_empty(),
                    "--format: is for files without a name; that of --output has its ending"
                );
                let file = |path: &PathBuf| {
                    let ending = path.extension().and_then(|ending| ending.to_str()).unwrap_or_default();
                    let format = format(ending)
                        .map_err(|error| anyhow::anyhow!("--output {}: the extension: {error}", shown(path)))?;
                    anyhow::Ok((path.clone(), format))
                };
                outputs.iter().map(file).collect::<anyhow::Result<_>>()?
            }
            _ => bail!("--output: --all takes one folder"),
        };
        for (path, _) in files.iter().filter(|_| !self.overwrite) {
            ensure!(path.symlink_metadata().is_err(), "{}: exists already; --overwrite replaces it", shown(path));
        }
        Ok(files)
    }

    /// Writes the files of a figure.
    fn write(&self, print: &Print, files: &[(PathBuf, Format)], common: &Common) -> anyhow::Result<()> {
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

/// The letter of a panel: `(a)` and so on; none for a single one.
fn letter(place: usize, count: usize) -> String {
    let letter = ('a'..='z').nth(place).filter(|_| count > 1);
    letter.map(|letter| format!("({letter})")).unwrap_or_default()
}

/// Draws figures.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    if let Some(at) = &args.at {
        return world::run(args, at, common, recipe);
    }
    common.check_no_scene("figure")?;
    ensure!(
        !args.view.is_given(),
        "--camera, --overlay, --color-by and --trail are for the world at a moment: add --at"
    );
    let figures = Figures::open(&args.folder, recipe)?;
    let choices = figures.choices();
    if args.list {
        return list(&choices);
    }
    let count = choices.iter().filter(|choice| !choice.is_part).count();
    let chosen = args.choose(choices)?;
    let sheets: Vec<&[Choice]> = if args.all { chosen.chunks(1).collect() } else { vec![&chosen] };
    if let ([folder], true) = (args.output.as_slice(), args.all) {
        std::fs::create_dir_all(folder)
            .map_err(|error| anyhow::anyhow!("{}: cannot be made: {error}", shown(folder)))?;
    }
    let name = |sheet: &[Choice]| sheet.iter().map(|choice| choice.name.as_str()).collect::<Vec<_>>().join("+");
    // Nothing is drawn if a file of another one is in the way.
    let files = sheets.iter().map(|sheet| args.outputs(&name(sheet))).collect::<anyhow::Result<Vec<_>>>()?;
    let mut out = stdout();
    for (sheet, files) in sheets.iter().zip(files) {
        let figures = figures.draw(sheet, args)?;
        for (place, figure) in figures.iter().enumerate().filter(|_| !common.quiet) {
            let caption = format!("{} {}. {}", letter(place, figures.len()), figure.title, figure.full_caption());
            writeln!(out, "{}", caption.trim())?;
        }
        args.write(&args.print(figures), &files, common)?;
    }
    out.flush()?;
    if args.names.is_empty() && args.kind.is_none() && !args.all && count > 1 && !common.quiet {
        let folder = shown(&args.folder);
        tell(format_args!(
            "the first of {count} figures: `swarmarium figure {folder} --list` names all, --all draws them"
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
        assert_eq!(format("PDF"), Ok(Format::Pdf));
        let error = format("pfd").unwrap_err().to_string();
        assert!(error.starts_with("expected pdf, svg") && error.ends_with("did you mean `pdf`?"), "{error}");
    }

    #[test]
    fn panels_have_letters() {
        assert_eq!([letter(0, 1), letter(0, 2), letter(25, 26), letter(26, 27)], ["", "(a)", "(z)", ""]);
    }
}

//! `convert`: conversion of files, with formats by extension.

use std::fs;
use std::io::Write as _;
use std::path::{Component, Path, PathBuf};

use anyhow::{Context as _, bail, ensure};
use serde::Serialize;
use swarmarium_base::files::{Draft, shown, write_whole};
use swarmarium_base::problem::Problem;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::wording::count;
use swarmarium_formats::export::{self, Exported, can_export};
use swarmarium_formats::import::simiam;
use swarmarium_formats::load::{Loaded, Source};
use swarmarium_scene::scene::comments::{self, Carried};
use swarmarium_scene::scene::description::Scene;
use swarmarium_scene::scene::reader::read_text;
use swarmarium_scene::scene::scripts::{self, ScriptOf};
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_scene::scene::{path, shipped};
use swarmarium_simulation::simulation::Recipe;

use super::json::{self, Message, messages};
use super::sweep::plan;
use super::{Common, Exit, load, stdout, tell};

/// Convert between file formats, by their extensions
///
/// Reads scenes (.ron) and the files of other programs that `swarmarium list importers` names; writes scenes, pySimiam
/// worlds (.xml) and MORSE configurations (.py).
/// Scripts of a scene are written beside it, unless they are there already.
/// A scene that is made from a scene keeps its comments, except those of fields that are left out with their default. A
/// shipped plan is copied.
/// The program reports everything that cannot be converted, with line numbers or names of fields.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  # A shipped scene, with its comments
  swarmarium convert milling -o my.ron
  # A shipped plan, to change it
  swarmarium convert papers/gauci.sweep -o my.sweep.ron
  # To stdout
  swarmarium convert milling -o - --set seed=3
  # A pySimiam world: the parts that it can express
  swarmarium convert simiam-week7 -o world.xml
  swarmarium convert world.xml -o world.ron
  # The five dictionaries of MORSE
  swarmarium convert morse-reference -o component_config.py
  # Files of your own: a RobotSwarmSimulator world
  swarmarium convert world.yaml -o scene.ron
  # A drawing, as svg2world does, or with all of its groups
  swarmarium convert drawing.svg -o drawing.xml
  swarmarium convert drawing.svg -o scene.ron --all-groups
  # A drawing whose unit is a metre
  swarmarium convert plan.svg -o plan.xml --scale 1
  # Lines as walls of 2 cm
  swarmarium convert maze.svg -o maze.xml --strokes 0.02
  # A Stage world, and a ROS map
  swarmarium convert simple.world -o simple.ron
  swarmarium convert map.yaml -o map.ron")]
pub struct Args {
    /// File to read, name of a shipped scene or plan, or - for a scene from stdin
    #[arg(value_name = "IN", value_hint = clap::ValueHint::AnyPath)]
    input: String,
    /// File to write: .ron, .xml or .py, or - to write a scene to stdout
    #[arg(short, long, value_name = "OUT")]
    output: PathBuf,
    /// Replace OUT, and scripts beside it, if they exist
    #[arg(long)]
    overwrite: bool,
    /// Write every field, including those with their default
    #[arg(long)]
    full: bool,
    /// Print what was written as JSON
    #[arg(long)]
    json: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.input]
    }
}

/// The results of a conversion as JSON.
#[derive(Serialize)]
struct Results {
    input: String,
    output: String,
    /// The size of the file.
    bytes: usize,
    /// The files of scripts that are written beside the scene.
    scripts: Vec<String>,
    /// The numbers of comments of a scene that the file has, and that it lacks; `null` if they are not counted, as in files of
    /// other programs.
    comments: Option<usize>,
    comments_left_out: Option<usize>,
    warnings: Vec<Message>,
}

/// Converts one file.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let to_stdout = args.output == Path::new("-");
    ensure!(!to_stdout || !args.overwrite, "--overwrite: has no effect: stdout is not a file");
    ensure!(!to_stdout || !args.json, "--json: stdout is the file to write: choose another --output");
    let to_scene = to_stdout || args.output.extension().is_some_and(|found| found.eq_ignore_ascii_case("ron"));
    if !to_scene && !can_export(&args.output) {
        let output = shown(&args.output);
        bail!("{output}: cannot be written: expected a scene `.ron`, {}, or - for stdout", export::expected());
    }
    ensure!(to_scene || !args.full, "--full: has no effect: only scenes have fields that can be left out");
    let mut scripts = Vec::new();
    let (text, comments, warnings) = if let Some(plan) = plan::text_of_shipped(&args.input)? {
        ensure!(to_scene, "{}: expected a file `.ron` for a plan", shown(&args.output));
        ensure!(!args.full, "--full: has no effect on a plan");
        ensure!(common.overrides().is_empty(), "--seed and --set: have no effect on the copy of a plan: edit the copy");
        (plan, Comments::Uncounted { are_some: false }, Vec::new())
    } else if to_scene {
        let (mut loaded, warnings) = loaded(args, common, recipe)?;
        let folder = args.output.parent().filter(|_| !to_stdout);
        if let Some(folder) = folder.filter(|_| !args.full) {
            args.check_free(&args.output)?;
            scripts = args.write_scripts(folder, &mut loaded.scene, recipe.kinds())?;
        }
        let text = match args.full {
            true => writer::write(recipe.kinds(), &loaded.scene, Style::Full),
            false => writer::write_named(recipe.kinds(), &loaded.scene, folder),
        };
        let text = text + "\n";
        match source_text(args, &loaded) {
            Some(source) => {
                let Carried { text, kept, left_out } = comments::carry(&source, &text);
                (text, Comments::Counted { kept, left_out }, warnings)
            }
            None => (text, Comments::of_input(&args.input), warnings),
        }
    } else {
        let (Exported { text, warnings: of_export, .. }, mut warnings) = exported(args, common, recipe)?;
        if !common.quiet {
            load::warn(load::name_of(&args.input), of_export.clone());
        }
        warnings.extend(of_export);
        (text, Comments::of_input(&args.input), warnings)
    };
    if to_stdout {
        let mut out = stdout();
        out.write_all(text.as_bytes())?;
        out.flush()?;
        let note = comments.note();
        if !common.quiet && !note.is_empty() {
            tell(format_args!("{}{note}", load::name_of(&args.input)));
        }
        return Ok(Exit::Fine);
    }
    write_file(args, &text)?;
    if !common.quiet {
        let beside = if scripts.is_empty() { String::new() } else { format!(", with {}", scripts.join(", ")) };
        tell(format_args!("{}: written{beside}{}", shown(&args.output), comments.note()));
    }
    if args.json {
        let (kept, left_out) = comments.numbers().unzip();
        json::print_results(
            "done",
            &Results {
                input: load::name_of(&args.input).into(),
                output: shown(&args.output),
                bytes: text.len(),
                scripts,
                comments: kept,
                comments_left_out: left_out,
                warnings: messages(load::name_of(&args.input), &warnings),
            },
        )?;
    }
    Ok(Exit::Fine)
}

/// The text of a scene, whose comments the new file keeps; `None` for a file of another program.
fn source_text(args: &Args, loaded: &Loaded) -> Option<String> {
    match &loaded.source {
        Source::Shipped(name) => shipped::get(name).map(str::to_owned),
        Source::File(path) if path.extension().is_some_and(|found| found.eq_ignore_ascii_case("ron")) => {
            Some(read_text(path).unwrap_or_default())
        }
        Source::Unsaved(_) if load::is_stdin(&args.input) => load::stdin_text().ok().map(str::to_owned),
        _ => None,
    }
}

/// The fate of the comments of the input.
enum Comments {
    /// Numbers of the comments of a scene.
    Counted { kept: usize, left_out: usize },
    /// A file of another program, which has some or none: all are left out.
    Uncounted { are_some: bool },
}

impl Comments {
    /// The comments of an input of which none is kept: a file of another program, or a scene that becomes one.
    fn of_input(file: &str) -> Self {
        let path = Path::new(file);
        let text = match shipped::get(file) {
            Some(text) if !path.is_file() => text.to_owned(),
            _ if load::is_stdin(file) => load::stdin_text().unwrap_or_default().into(),
            _ => read_text(path).unwrap_or_default(),
        };
        let extension = path.extension().and_then(|found| found.to_str()).unwrap_or_default().to_ascii_lowercase();
        match extension.as_str() {
            "xml" | "svg" | "argos" => Self::Uncounted { are_some: text.contains("<!--") },
            "yaml" | "yml" | "py" | "world" => {
                Self::Uncounted { are_some: text.lines().any(|line| line.trim_start().starts_with('#')) }
            }
            "ron" | "" => Self::Counted { kept: 0, left_out: comments::count(&text) },
            _ => Self::Uncounted { are_some: false },
        }
    }

    /// The numbers of comments that are kept and left out, if they are known.
    fn numbers(&self) -> Option<(usize, usize)> {
        match *self {
            Self::Counted { kept, left_out } => Some((kept, left_out)),
            Self::Uncounted { .. } => None,
        }
    }

    /// What happened to the comments, in words.
    fn note(&self) -> String {
        match *self {
            Self::Uncounted { are_some: true } => "; comments are left out".into(),
            Self::Uncounted { are_some: false } | Self::Counted { left_out: 0, .. } => String::new(),
            Self::Counted { kept: 0, left_out } => format!("; {} left out", count(left_out, "comment")),
            Self::Counted { kept, left_out } => {
                format!("; {} kept, {left_out} of fields that the file does not have left out", count(kept, "comment"))
            }
        }
    }
}

/// The scene of the input, and the warnings about it. Edits of a shared scene are left out, with a warning.
fn loaded(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<(Loaded, Vec<Problem>)> {
    let loaded = load::scene(&args.input, common, recipe)?;
    let mut warnings = loaded.warnings.clone();
    if !loaded.edits.is_empty() {
        let message = format!("a scene file has no edits: {} left out", count(loaded.edits.len(), "edit"));
        warnings.push(Problem::of_file(message));
        if !common.quiet {
            load::warn(load::name_of(&args.input), warnings[warnings.len() - 1..].to_vec());
        }
    }
    Ok((loaded, warnings))
}

/// The input as a file of another program, and the warnings about it. A drawing becomes a world directly; with overrides,
/// it becomes a scene first.
fn exported(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<(Exported, Vec<Problem>)> {
    let Args { input, output, .. } = args;
    if simiam::is_drawing(input) && simiam::is_world(&output.to_string_lossy()) && common.overrides().is_empty() {
        let text = read_text(Path::new(input))?;
        return Ok((export::simiam::translate(input, &text, &common.import_options())?, Vec::new()));
    }
    let (loaded, warnings) = loaded(args, common, recipe)?;
    Ok((export::export(recipe, output, load::name_of(input), &loaded.scene)?, warnings))
}

impl Args {
    /// Refuses a file that exists, unless it is to be replaced.
    fn check_free(&self, path: &Path) -> anyhow::Result<()> {
        let is_free = self.overwrite || path.symlink_metadata().is_err();
        ensure!(is_free, "{}: exists already; --overwrite replaces it", shown(path));
        Ok(())
    }

    /// Writes the scripts of a scene beside its file, so that an editor opens them, unless they are there already. Gives the
    /// names of the written files.
    fn write_scripts(&self, folder: &Path, scene: &mut Scene, kinds: &Kinds) -> anyhow::Result<Vec<String>> {
        let stem = self.output.file_stem().unwrap_or_default().to_string_lossy().into_owned();
        let mut named: Vec<(String, SharedText)> = Vec::new();
        let mut written = Vec::new();
        let given: Vec<ScriptOf> =
            scripts::scripts(scene).filter(|script| !script.source.as_str().is_empty()).collect();
        for ScriptOf { path, file, source } in given {
            let known = || named.iter().find(|(_, text)| *text == source).map(|(name, _)| name.clone());
            let next = || match named.len() {
                0 => format!("{stem}.luau"),
                before => format!("{stem}-{}.luau", before + 1),
            };
            let name = if file.is_empty() { known().unwrap_or_else(next) } else { file.clone() };
            let is_below = Path::new(&name).components().all(|part| matches!(part, Component::Normal(_)));
            let target = folder.join(&name);
            if is_below && read_text(&target).ok().as_deref() != Some(source.as_str()) {
                self.check_free(&target)?;
                if let Some(parent) = target.parent() {
                    fs::create_dir_all(parent).with_context(|| format!("{}: cannot be made", shown(parent)))?;
                }
                write_whole(&target, source.as_str())?;
                written.push(shown(&target));
            }
            if file.is_empty() {
                path::set(kinds, scene, &format!("{path}.{}", scripts::FILE), &name)?;
            }
            named.push((name, source));
        }
        Ok(written)
    }
}

fn write_file(args: &Args, text: &str) -> anyhow::Result<()> {
    args.check_free(&args.output)?;
    // For a symbolic link, its target is replaced.
    let draft = Draft::begin(&fs::canonicalize(&args.output).unwrap_or_else(|_| args.output.clone()))?;
    // Another process may have written the file before the draft locked it.
    args.check_free(&args.output)?;
    draft.complete(text.as_bytes())
}

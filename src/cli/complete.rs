//! `completions`: scripts with which shells ask the program itself for completions, and its answers.

use std::env;
use std::ffi::{OsStr, OsString};
use std::path::Path;
use std::sync::Arc;

use anyhow::Context as _;
use clap::ValueHint;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::{Elvish, Fish, Powershell, Shells, Zsh};
use clap_complete::{CompleteEnv, Shell};
use swarmarium_draw::ColorBy;
use swarmarium_formats::export::mcap::TopicKind;
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_formats::{import, share};
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::simulation::Recipe;

use super::list::{self, Listing};
use super::{Arguments, Exit, bench, print, view};

mod bash;
mod line;

use bash::WholeWordBash;
use line::Line;

/// Print the script with which a shell completes commands, options and their values
///
/// The script goes to stdout. Write it to the folder from which the shell loads completions, or load it at the start of a
/// session. The shell then asks the program, which has to be in `PATH`, for commands, options, files, and names of scenes,
/// kinds, parameters, figures and bookmarks.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  mkdir -p ~/.local/share/bash-completion/completions
  swarmarium completions bash > \\
      ~/.local/share/bash-completion/completions/swarmarium
  # .zshrc needs fpath+=(~/.zfunc) before compinit
  mkdir -p ~/.zfunc && swarmarium completions zsh > ~/.zfunc/_swarmarium
  swarmarium completions fish > ~/.config/fish/completions/swarmarium.fish
  swarmarium completions powershell >> $PROFILE")]
pub struct Args {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// The variable with which a shell asks for completions.
const VARIABLE: &str = "SWARMARIUM_COMPLETE";

/// The shells.
const SHELLS: Shells<'static> = Shells(&[&WholeWordBash, &Elvish, &Fish, &Powershell, &Zsh]);

/// Prints the script of a shell.
pub(super) fn run(args: &Args, program: &str) -> anyhow::Result<Exit> {
    let (name, shells) = (args.shell.to_string(), SHELLS);
    let shell = shells.completer(&name).with_context(|| format!("{name}: this shell is unknown"))?;
    let mut script = Vec::new();
    shell.write_registration(VARIABLE, program, program, program, &mut script)?;
    print(&script)
}

/// Prints the completions that a shell asks for with these words; returns whether one does.
///
/// # Errors
/// If the shell is unknown, or the errors of stdout.
pub(super) fn answer(words: &[OsString], recipe: &Recipe) -> anyhow::Result<bool> {
    if env::var_os(VARIABLE).is_none() {
        return Ok(false);
    }
    let program = recipe.program_name();
    let words = with_whole_verb(words, &Arguments::parser());
    let command = || {
        let parser = Arguments::parser();
        let line = Arc::new(Line::of_process(&words, &parser, recipe));
        let word = incomplete(&words);
        // A file in place of a verb opens in the window. Files are offered if no verb begins with the word.
        let is_file = !word.is_empty() && !parser.get_subcommands().any(|verb| verb.get_name().starts_with(&word));
        let file = clap::Arg::new("opened").value_hint(ValueHint::AnyPath);
        let parser = if is_file { parser.arg(file) } else { parser };
        with_names(parser, &line, word.starts_with('-'))
    };
    let completing = CompleteEnv::with_factory(command).var(VARIABLE).bin(program).completer(program).shells(SHELLS);
    Ok(completing.try_complete(&words, env::current_dir().ok().as_deref())?)
}

/// The words of a shell, with the name of the verb in place of its beginning: `record` for `rec`.
fn with_whole_verb(words: &[OsString], parser: &clap::Command) -> Vec<OsString> {
    let mut words = words.to_vec();
    // The first word of the line is the program, and the one after it can be the verb.
    let place = words.iter().position(|word| *word == "--").map(|place| place + 2);
    if let Some(word) = place.and_then(|place| words.get_mut(place))
        && let Some(verb) = line::verb_of(parser, &word.to_string_lossy())
    {
        *word = verb.get_name().into();
    }
    words
}

/// The word that a shell completes: the one that it counts to, or the last one.
fn incomplete(words: &[OsString]) -> String {
    let line: Vec<&OsString> = words.iter().skip_while(|word| *word != "--").skip(1).collect();
    let counted = env::var("_CLAP_COMPLETE_INDEX").ok().and_then(|index| index.parse::<usize>().ok());
    let word = counted.and_then(|index| line.get(index)).or(line.last());
    word.map_or_else(String::new, |word| word.to_string_lossy().into_owned())
}

/// A command whose arguments, and those of the verbs below it, complete the names that the program knows.
///
/// Without a dash, options are hidden: they follow only where nothing else fits.
fn with_names(command: clap::Command, line: &Arc<Line>, asks_options: bool) -> clap::Command {
    let verb = command.get_name().to_owned();
    let command = command.mut_args(|argument| {
        let is_hidden = argument.is_hide_set() || (!asks_options && !argument.is_positional());
        let argument = argument.hide(is_hidden);
        match completer(&verb, &argument, line) {
            Some(completer) => argument.add(completer),
            None => argument,
        }
    });
    // `--help` and `--version` are no arguments yet.
    let command = command.disable_help_flag(!asks_options).disable_version_flag(!asks_options);
    command.mut_subcommands(|below| with_names(below, line, asks_options))
}

/// The completer of an argument of a verb, if it takes a folder or names that the program knows.
fn completer(verb: &str, argument: &clap::Arg, line: &Arc<Line>) -> Option<ArgValueCompleter> {
    let is_file = argument.is_positional() && argument.get_value_hint() == ValueHint::AnyPath;
    let is_opened = argument.get_id() == "opened";
    let takes_plans = is_opened || ["open", "sweep", "submit", "check", "convert"].contains(&verb);
    // With a moment, `figure` draws the world of a scene, too.
    let draws_world = verb == "figure" && line.has("--at");
    match argument.get_id().as_str() {
        // The folders of sweeps come first.
        "folder" | "folders" if ["merge", "show", "status", "collect", "cancel"].contains(&verb) => {
            let is_sweep = |path: &Path| FolderKind::from_path(path) == Some(FolderKind::Sweep);
            Some(ArgValueCompleter::new(PathCompleter::any().filter(is_sweep)))
        }
        _ if takes_folder(argument) && !draws_world => Some(ArgValueCompleter::new(PathCompleter::dir())),
        // A new file has a name of its own.
        _ if is_file && verb == "init" => Some(ArgValueCompleter::new(PathCompleter::dir())),
        _ if is_file && takes_plans => {
            of_names(line, Take::WordOrFile(is_scene_or_plan), |_, _| [scenes(), plans()].concat())
        }
        _ if is_file => of_names(line, Take::WordOrFile(is_scene), |_, _| scenes()),
        "overrides" | "vary" => of_names(line, Take::Word, Line::settings),
        "at" => of_names(line, Take::Word, |line, _| line.bookmarks()),
        "from" | "to" if verb == "record" => of_names(line, Take::Word, |line, _| line.bookmarks()),
        "branch" => of_names(line, Take::Word, |line, _| line.branches()),
        "plot" => of_names(line, Take::Word, |line, _| line.metric_columns()),
        "names" if verb == "figure" => of_names(line, Take::Word, |line, _| line.figures()),
        "kind" if verb == "figure" => of_names(line, Take::Word, |line, _| line.kinds_of_figures()),
        "names" if verb == "list" => of_names(line, Take::Word, |line, _| line.listed_kinds()),
        "subject" => of_names(line, Take::Word, Line::subjects),
        "metric" => of_names(line, Take::Word, |line, _| list::names(line.recipe(), Listing::Metrics)),
        "verb" if verb == "man" => of_names(line, Take::Word, Line::pages),
        "until" => of_names(line, Take::Expression, |line, _| line.names_of_conditions()),
        "only" => of_names(line, Take::List, |_, _| bench::workloads()),
        "camera" => of_names(line, Take::Word, |line, _| line.cameras()),
        "measure" => of_names(line, Take::Word, |line, _| line.measures()),
        "sampling" => of_names(line, Take::Word, |_, _| {
            ["grid", "zip", "latin-hypercube:", "sobol:", "random:"].map(str::to_owned).to_vec()
        }),
        "overlay" => of_names(line, Take::List, |_, _| view::overlay_names().map(str::to_owned).collect()),
        "mcap_topics" => of_names(line, Take::List, |_, _| TopicKind::ALL.map(|(_, name)| name.to_owned()).to_vec()),
        // A page has no other colours.
        "color_by" if verb == "share" => {
            of_names(line, Take::Word, |_, _| ["group", "state"].map(str::to_owned).to_vec())
        }
        "color_by" => {
            of_names(line, Take::Word, |_, _| ColorBy::ALL.iter().map(|(_, name, _)| (*name).to_owned()).collect())
        }
        _ => None,
    }
}

/// Whether an argument takes a folder.
fn takes_folder(argument: &clap::Arg) -> bool {
    argument.get_value_names().is_some_and(|names| names.iter().any(|name| ["DIR", "FOLDER"].contains(&name.as_str())))
}

/// Whether a file opens as a scene, or is a plan of a sweep, by its name.
fn is_scene_or_plan(path: &Path) -> bool {
    is_scene(path) || (has_extension(path, "ron") && !path.is_dir())
}

/// Whether a file opens as a scene, by its name.
fn is_scene(path: &Path) -> bool {
    let is_plan = path.file_stem().is_some_and(|stem| has_extension(Path::new(stem), "sweep"));
    !path.is_dir() && ((has_extension(path, "ron") && !is_plan) || share::is_shared(path) || import::can_import(path))
}

fn has_extension(path: &Path, extension: &str) -> bool {
    path.extension().is_some_and(|found| found.eq_ignore_ascii_case(extension))
}

/// The names of the shipped scenes.
fn scenes() -> Vec<String> {
    shipped::all().map(|(name, _)| name.to_owned()).collect()
}

/// The names of the shipped plans.
fn plans() -> Vec<String> {
    shipped::plans().map(|(name, _)| name.to_owned()).collect()
}

/// The form of an argument that takes names.
#[derive(Clone, Copy)]
enum Take {
    /// One name.
    Word,
    /// One name, or the path of a file that fits.
    WordOrFile(fn(&Path) -> bool),
    /// Names with commas between them.
    List,
    /// Names with operators and numbers between them.
    Expression,
}

/// Completes the names that a line has for an incomplete name. They are collected only when a shell asks for them.
fn of_names(
    line: &Arc<Line>,
    take: Take,
    names: impl Fn(&Line, &str) -> Vec<String> + Send + Sync + 'static,
) -> Option<ArgValueCompleter> {
    let line = Arc::clone(line);
    Some(ArgValueCompleter::new(move |word: &OsStr| {
        let text = word.to_str().unwrap_or_default();
        let ends_name = |c: char| match take {
            Take::Word | Take::WordOrFile(_) => false,
            Take::List => c == ',',
            Take::Expression => !(c.is_alphanumeric() || c == '_' || c == '.'),
        };
        let last = text.char_indices().rev().find(|(_, c)| ends_name(*c)).map_or(0, |(place, c)| place + c.len_utf8());
        let (before, begun) = text.split_at(last);
        let mut known = names(&line, begun);
        if let Take::List = take {
            known.retain(|name| before.split(',').all(|listed| listed != name));
        }
        // If no name begins exactly so, capitals do not matter.
        let begins = |name: &String| name.starts_with(begun);
        let is_like = |name: &String| name.to_lowercase().starts_with(&begun.to_lowercase());
        let has_exact = known.iter().any(begins);
        known.retain(|name| if has_exact { begins(name) } else { is_like(name) });
        known.sort();
        known.dedup();
        let found = known.into_iter().map(|name| CompletionCandidate::new(format!("{before}{name}")));
        let mut found: Vec<_> = found.collect();
        if let Take::WordOrFile(fits) = take {
            found.extend(PathCompleter::any().filter(fits).complete(word));
        }
        found
    }))
}

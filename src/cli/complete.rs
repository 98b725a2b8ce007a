//! `completions`: scripts with which shells ask the program itself for completions, and its answers.

use std::env;
use std::ffi::{OsStr, OsString};

use anyhow::Context as _;
use clap::ValueHint;
use clap_complete::engine::{ArgValueCompleter, CompletionCandidate, PathCompleter, ValueCompleter as _};
use clap_complete::env::Shells;
use clap_complete::{CompleteEnv, Shell};
use swarmarium_draw::ColorBy;
use swarmarium_formats::export::mcap::TopicKind;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::simulation::Recipe;

use super::list::{self, Listing};
use super::{Arguments, Exit, manual, print, view};

/// Print the script with which a shell completes commands, options and their values
///
/// The script goes to stdout. Write it to the folder from which the shell loads completions, or load it at the start of a
/// session. The shell then asks the program, which has to be in `PATH`, for commands, options, names of scenes and kinds,
/// and files.
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

/// Prints the script of a shell.
pub(super) fn run(args: &Args, program: &str) -> anyhow::Result<Exit> {
    let (name, shells) = (args.shell.to_string(), Shells::builtins());
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
    let program = recipe.program_name();
    let command = || with_names(Arguments::parser(), "", recipe);
    let completing = CompleteEnv::with_factory(command).var(VARIABLE).bin(program).completer(program);
    Ok(completing.try_complete(words, env::current_dir().ok().as_deref())?)
}

/// A command whose arguments, and those of the verbs below it, complete the names that the program knows.
fn with_names(command: clap::Command, above: &str, recipe: &Recipe) -> clap::Command {
    let verb = command.get_name().to_owned();
    let command = command.mut_args(|argument| match completer(&verb, above, &argument, recipe) {
        Some(completer) => argument.add(completer),
        None => argument,
    });
    command.mut_subcommands(|below| with_names(below, &verb, recipe))
}

/// The completer of an argument of a verb, if it takes names that the program knows.
fn completer(verb: &str, above: &str, argument: &clap::Arg, recipe: &Recipe) -> Option<ArgValueCompleter> {
    let is_file = argument.is_positional() && argument.get_value_hint() == ValueHint::AnyPath;
    let takes_plans = ["open", "sweep", "submit", "check"].contains(&verb);
    let scenes = || shipped::all().map(|(name, _)| name);
    let plans = || shipped::plans().map(|(name, _)| name);
    match argument.get_id().as_str() {
        _ if is_file && (verb == "figure" || (above == "sweep" && verb != "submit")) => None,
        _ if is_file && takes_plans => Some(of_names(scenes().chain(plans()), Take::WordOrFile)),
        _ if is_file => Some(of_names(scenes(), Take::WordOrFile)),
        "subject" => Some(of_names(list::subjects(recipe), Take::Word)),
        "names" if verb == "list" => Some(of_names(list::names(recipe, Listing::Kinds), Take::Word)),
        "metric" => Some(of_names(list::names(recipe, Listing::Metrics), Take::Word)),
        "verb" if verb == "man" => Some(of_names(manual::names(), Take::Word)),
        "overlay" => Some(of_names(view::overlay_names(), Take::List)),
        "mcap_topics" => Some(of_names(TopicKind::ALL.map(|(_, name)| name), Take::List)),
        "color_by" => Some(of_names(ColorBy::ALL.iter().map(|(_, name, _)| *name), Take::Word)),
        _ => None,
    }
}

/// The form of an argument that takes names.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Take {
    /// One name.
    Word,
    /// One name, or a path.
    WordOrFile,
    /// Names with commas between them.
    List,
}

/// Completes names.
fn of_names(names: impl IntoIterator<Item = impl Into<String>>, take: Take) -> ArgValueCompleter {
    let mut names: Vec<String> = names.into_iter().map(Into::into).collect();
    names.sort();
    names.dedup();
    ArgValueCompleter::new(move |word: &OsStr| {
        let text = word.to_str().unwrap_or_default();
        let last = text.rfind(',').filter(|_| take == Take::List).map_or(0, |comma| comma + 1);
        let (before, begun) = text.split_at(last);
        let known = names.iter().filter(|name| name.starts_with(begun));
        let mut found: Vec<_> = known.map(|name| CompletionCandidate::new(format!("{before}{name}"))).collect();
        if take == Take::WordOrFile {
            found.extend(PathCompleter::any().complete(word));
        }
        found
    })
}

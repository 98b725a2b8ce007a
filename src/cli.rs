//! The command line.
//!
//! The parser only parses; each verb resolves its arguments into a plan, and then runs it. Messages for the user go to
//! stderr, data to stdout.

use std::ffi::OsString;
use std::io::{self, BufWriter, StdoutLock, Write as _};
use std::path::Path;
use std::process::ExitCode;

use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use swarmarium_base::files::shown;
use swarmarium_base::problem::similar_name;
use swarmarium_formats::import;
use swarmarium_formats::load::missing;
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_formats::share as share_file;
use swarmarium_formats::standard::Standard as _;
use swarmarium_scene::scene::shipped;
use swarmarium_simulation::simulation::{Program, Recipe};
use swarmarium_sweep::folder::hex;

#[doc(hidden)]
pub mod bench;
#[doc(hidden)]
pub mod check;
#[doc(hidden)]
pub mod common;
mod complete;
#[doc(hidden)]
pub mod convert;
#[doc(hidden)]
pub mod embed;
#[doc(hidden)]
pub mod environment;
#[doc(hidden)]
pub mod error;
mod excerpt;
#[doc(hidden)]
pub mod figure;
mod init;
#[doc(hidden)]
pub mod interrupt;
mod json;
#[doc(hidden)]
pub mod list;
#[doc(hidden)]
pub mod load;
mod manual;
mod messages;
#[doc(hidden)]
pub mod moment;
#[doc(hidden)]
pub mod open;
mod player;
mod progress;
#[cfg(feature = "video")]
#[doc(hidden)]
pub mod record;
#[doc(hidden)]
pub mod run;
mod run_log;
#[doc(hidden)]
pub mod serve;
#[doc(hidden)]
pub mod share;
#[doc(hidden)]
pub mod sweep;
mod table;
mod typed;
#[doc(hidden)]
pub mod verify;
mod version;
mod view;

#[doc(hidden)]
pub use common::Common;
#[doc(hidden)]
pub use manual::exit_codes;
#[doc(hidden)]
pub use version::Build;

use messages::{Color, tell, tell_failure};

/// The exit status of the program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum Exit {
    /// Success. A broken pipe at the output is not a failure.
    Fine = 0,
    /// Another program destroyed the window.
    WindowDestroyed = 1,
    /// Wrong usage, or a bad file.
    BadInput = 2,
    /// Some runs failed.
    RunFailed = 3,
    /// The same simulation gave different states, or a sweep gave other results than expected.
    Differs = 4,
    /// Stopped by Ctrl-C; the written files are valid.
    Interrupted = 130,
}

impl From<Exit> for ExitCode {
    fn from(exit: Exit) -> Self {
        Self::from(exit as u8)
    }
}

const EXAMPLES: &str = "\
Examples:
  # Open the window on the scene milling
  swarmarium
  # Open it on another shipped scene
  swarmarium open obstacles
  # Open it on a file, or on the folder of a run
  swarmarium my.ron
  # Run headless, into runs/milling-3
  swarmarium run milling --steps 4000 --seed 3
  # Twenty seeds, on all cores, and results.csv
  swarmarium run my.ron --seeds 1..=20
  # Statistics, figures and a report
  swarmarium sweep milling --vary groups.millers.count=4,8,16 --repeat 30
  swarmarium run my.ron --set groups.millers.count=50 --trace
  # Let external programs control robots through sockets
  swarmarium serve morse-reference
  # A video, without a display
  swarmarium record milling --duration 10 -o a.mp4
  # A RobotSwarmSimulator world as a scene
  swarmarium convert world.yaml -o world.ron
  # A drawing as a pySimiam world
  swarmarium convert drawing.svg -o world.xml
  # A scene with all of its files as one file
  swarmarium share my.ron -o my.swarm
  # A run as a page that replays it in any browser
  swarmarium share milling --html milling.html
  # The kinds of sensors, with their fields
  swarmarium list sensors
  # A scene and a plan of your own, with comments
  swarmarium init
  # Results for scripts
  dir=$(swarmarium run milling --json | jq -r .folder)

Environment variables (an option comes first):
  SWARMARIUM_JOBS         concurrent runs and parts of videos, for --jobs
  SWARMARIUM_RUNS         folder for runs without --output [default: runs]
  SWARMARIUM_SWEEPS       folder for sweeps without --output [default: sweeps]
  SWARMARIUM_NO_PROGRESS  any value hides progress, as --no-progress does
  NO_COLOR                any value turns colours off, as --color never does
  DISPLAY                 screen for the window on Linux, or WAYLAND_DISPLAY

Exit codes:
    0  success
    1  the window was closed from outside
    2  wrong usage or a bad file
    3  some runs failed
    4  a check of determinism or of expected results failed
  130  interrupted, by Ctrl-C or SIGTERM";

/// Simulate swarms of robots: explore, change and record them, with the same result on every run.
///
/// Without a command, opens the window on the scene `milling`; without a display, runs that scene headless and writes the
/// results to `runs/`. A file in place of a command is opened in the window.
#[doc(hidden)]
#[derive(Parser, Clone, Debug)]
#[command(name = "swarmarium", version, after_long_help = EXAMPLES, infer_subcommands = true)]
pub struct Arguments {
    #[command(subcommand)]
    verb: Option<Verb>,
    #[command(flatten)]
    common: Common,
}

#[derive(Subcommand, Clone, Debug)]
enum Verb {
    Open(open::Args),
    Run(Box<run::Args>),
    Sweep(Box<sweep::Args>),
    Figure(Box<figure::Args>),
    Serve(serve::Args),
    #[cfg(feature = "video")]
    Record(Box<record::Args>),
    Check(check::Args),
    Convert(convert::Args),
    Share(share::Args),
    Verify(verify::Args),
    List(list::Args),
    Init(init::Args),
    Bench(bench::Args),
    Completions(complete::Args),
    Man(manual::Args),
}

/// Runs the program with the arguments of the process and its own kinds.
pub fn run() -> ExitCode {
    run_with(&Recipe::standard().named(env!("CARGO_PKG_NAME"), env!("CARGO_PKG_VERSION")))
}

/// Runs the program with the arguments of the process and the kinds of a recipe: the `main` of a program with kinds of
/// its own.
///
/// Its name in messages, `--version` and manifests is that of the recipe ([`Recipe::named`]), or else that of its file.
///
/// ```no_run
/// use swarmarium::prelude::*;
///
/// fn main() -> std::process::ExitCode {
///     // A plugin with kinds goes here: Recipe::standard().with(…)
///     swarmarium::cli::run_with(&Recipe::standard())
/// }
/// ```
pub fn run_with(recipe: &Recipe) -> ExitCode {
    run_args(recipe, std::env::args_os()).into()
}

/// Runs the program with arguments; the first one is the name of the program.
///
/// ```no_run
/// use swarmarium::cli::{Exit, run_args};
/// use swarmarium::prelude::*;
///
/// assert_eq!(run_args(&Recipe::standard(), ["swarmarium", "list", "sensors"]), Exit::Fine);
/// ```
pub fn run_args(recipe: &Recipe, args: impl IntoIterator<Item = impl Into<OsString>>) -> Exit {
    interrupt::outlive_file_limits();
    let words: Vec<OsString> = args.into_iter().map(Into::into).collect();
    Color::of_words(&words).apply();
    let recipe = &of_program(recipe, &words);
    match complete::answer(&words, recipe) {
        Ok(false) => {}
        Ok(true) => return Exit::Fine,
        Err(error) if is_broken_pipe(&error) => return Exit::Fine,
        Err(error) => {
            tell_failure(&error);
            return Exit::BadInput;
        }
    }
    let done = match Arguments::of_words(&words) {
        Ok(arguments) => arguments.run(recipe),
        // The parser returns help and version as errors.
        Err(error) if error.use_stderr() => Err(refusal(&error, &words, recipe)),
        Err(error) => print_answer(&error, &words, recipe).map(|()| Exit::Fine),
    };
    done.unwrap_or_else(|error| {
        if is_broken_pipe(&error) {
            return Exit::Fine;
        }
        // Errors of files have a context that names them; one without any is of stdout.
        let is_of_stdout = error.chain().count() == 1 && error.is::<io::Error>();
        let error = if is_of_stdout { error.context("stdout: cannot be written") } else { error };
        tell_failure(&error);
        if words.iter().take_while(|word| *word != "--").any(|word| word == "--json") {
            json::print_failure(&error);
        }
        Exit::BadInput
    })
}

/// A command and those below it, each changed.
fn each_command(command: clap::Command, change: &dyn Fn(clap::Command) -> clap::Command) -> clap::Command {
    change(command).mut_subcommands(|below| each_command(below, change))
}

/// The recipe with the program that the words of a command line name, unless it has a name, and with its commit.
fn of_program(recipe: &Recipe, words: &[OsString]) -> Recipe {
    let word = words.first().map(|word| word.to_string_lossy()).unwrap_or_default();
    let named = recipe.program().cloned();
    let program = named.unwrap_or_else(|| Program::new(messages::program_of(&word), env!("CARGO_PKG_VERSION")));
    let commit = program.commit.clone().or_else(|| Build::this().commit());
    recipe.clone().of_program(Program { commit, ..program })
}

/// The failure of arguments that the parser refuses.
fn refusal(error: &clap::Error, words: &[OsString], recipe: &Recipe) -> anyhow::Error {
    let program = recipe.program_name();
    let message = unknown_verb(error, program, words);
    anyhow::anyhow!(message.unwrap_or_else(|| messages::refusal(error, program, &Arguments::parser(), words)))
}

/// Prints the help or the version that the parser gives as an error.
fn print_answer(error: &clap::Error, words: &[OsString], recipe: &Recipe) -> anyhow::Result<()> {
    let mut out = anstream::stdout().lock();
    let program = recipe.program_name();
    let text = match error.kind() {
        ErrorKind::DisplayVersion if words.iter().any(|word| word == "-V") => version::short(recipe),
        ErrorKind::DisplayVersion => version::long(recipe),
        _ => messages::with_program(error.render().ansi().to_string().trim_end(), program),
    };
    Ok(writeln!(out, "{text}").and_then(|()| out.flush())?)
}

/// Runs a verb within another program, which handles Ctrl-C itself; the first argument is the name of the program.
///
/// The host program calls [`interrupt::request`] to end the verb early, and [`interrupt::clear`] before the next one.
///
/// # Errors
/// With the message that the program itself would print, where it would exit with [`Exit::BadInput`].
#[doc(hidden)]
pub fn run_within(recipe: &Recipe, args: impl IntoIterator<Item = impl Into<OsString>>) -> anyhow::Result<Exit> {
    interrupt::leave_to_host();
    let words: Vec<OsString> = args.into_iter().map(Into::into).collect();
    let recipe = &of_program(recipe, &words);
    Arguments::of_words(&words).map_err(|error| refusal(&error, &words, recipe))?.run(recipe)
}

impl Arguments {
    fn of_words(typed: &[impl Into<OsString> + Clone]) -> Result<Self, clap::Error> {
        let typed: Vec<OsString> = typed.iter().cloned().map(Into::into).collect();
        let command = typed.iter().map(|word| word.to_str().map_or_else(|| shown(word), str::to_owned)).collect();
        let mut typed = with_negative_values(typed);
        // The command `help` has no options of its own.
        if typed.len() == 3 && typed[1] == "help" && (typed[2] == "--help" || typed[2] == "-h") {
            typed.truncate(2);
        }
        let parsed = Self::parse(&typed);
        // A file in place of a command is opened, as a file manager asks for it.
        let opens = parsed.as_ref().err().and_then(|error| with_open(&typed, error));
        let Self { verb, common } = opens.map_or(parsed, |words| Self::parse(&words))?;
        Ok(Self { verb, common: Common { command, ..common } })
    }

    /// The parser of command lines. The help of a verb that reads no scene is without the options for scenes.
    fn parser() -> clap::Command {
        let hidden = |is_hidden: fn(&clap::Arg) -> bool| -> Vec<clap::Arg> {
            let all = Self::command();
            let arguments = all.get_arguments().filter(|argument| argument.is_global_set() && is_hidden(argument));
            arguments.map(|argument| argument.clone().hide(true)).collect()
        };
        let (of_scenes, of_imports) = (hidden(common::is_for_scenes), hidden(common::is_for_imports));
        // A flag may stand twice, as in an alias with `-q` and a command with it. Two values of an option are refused.
        let may_repeat = |argument: clap::Arg| match argument.get_action() {
            clap::ArgAction::SetTrue => {
                let name = argument.get_id().clone();
                argument.overrides_with(name)
            }
            _ => argument,
        };
        let command = each_command(Self::command(), &|command| command.mut_args(may_repeat));
        command.mut_subcommands(|verb| match verb.get_name() {
            "list" | "init" | "completions" | "man" => verb.args(of_scenes.clone()).args(of_imports.clone()),
            "bench" | "figure" => verb.args(of_imports.clone()),
            "sweep" => verb.mut_subcommands(|verb| match verb.get_name() {
                "submit" => verb,
                _ => verb.args(of_scenes.clone()).args(of_imports.clone()),
            }),
            _ => verb,
        })
    }

    fn parse(words: &[OsString]) -> Result<Self, clap::Error> {
        let mut parser = Self::parser();
        let matches = parser.try_get_matches_from_mut(words)?;
        Self::from_arg_matches(&matches).map_err(|error| error.format(&mut parser))
    }

    /// Refuses common flags that have no effect on the verb.
    fn check_flags(&self) -> anyhow::Result<()> {
        let Self { verb, common } = self;
        common.check_one_seed("--seed", common.seed.is_some())?;
        common.check_each_once()?;
        match verb {
            None | Some(Verb::Bench(_)) => common.check_files([]),
            Some(Verb::Open(args)) => common.check_files(args.files()),
            Some(Verb::Run(args)) => common.check_files(args.files()),
            // A plan may name a file of another program.
            Some(Verb::Sweep(_)) => Ok(()),
            Some(Verb::Figure(args)) => common.check_files(args.files()),
            Some(Verb::Serve(args)) => common.check_files(args.files()),
            #[cfg(feature = "video")]
            Some(Verb::Record(args)) => common.check_files(args.files()),
            Some(Verb::Check(args)) => common.check_files(args.files()),
            Some(Verb::Convert(args)) => common.check_files(args.files()),
            Some(Verb::Share(args)) => common.check_files(args.files()),
            Some(Verb::Verify(args)) => common.check_files(args.files()),
            Some(Verb::List(_)) => common.check_no_scene("list"),
            Some(Verb::Init(_)) => common.check_no_scene("init"),
            Some(Verb::Completions(_)) => common.check_no_scene("completions"),
            Some(Verb::Man(_)) => common.check_no_scene("man"),
        }
    }

    fn run(self, recipe: &Recipe) -> anyhow::Result<Exit> {
        let common = Common { program: recipe.program_name().to_owned(), ..self.common };
        let named = Self { common, ..self };
        named.check_flags()?;
        let Self { verb, common } = named;
        match verb {
            None => open::default(&common, recipe),
            Some(Verb::Open(args)) => open::run(&args, &common, recipe),
            Some(Verb::Run(args)) => run::run(*args, &common, recipe),
            Some(Verb::Sweep(args)) => sweep::run(&args, &common, recipe),
            Some(Verb::Figure(args)) => figure::run(&args, &common, recipe),
            Some(Verb::Serve(args)) => serve::run(&args, &common, recipe),
            #[cfg(feature = "video")]
            Some(Verb::Record(args)) => record::run(&args, &common, recipe),
            Some(Verb::Check(args)) => check::run(&args, &common, recipe),
            Some(Verb::Convert(args)) => convert::run(&args, &common, recipe),
            Some(Verb::Share(args)) => share::run(&args, &common, recipe),
            Some(Verb::Verify(args)) => verify::run(&args, &common, recipe),
            Some(Verb::List(args)) => list::run(&args, recipe),
            Some(Verb::Init(args)) => init::run(&args, &common),
            Some(Verb::Bench(args)) => bench::run(&args, &common, recipe),
            Some(Verb::Completions(args)) => complete::run(&args, recipe.program_name()),
            Some(Verb::Man(args)) => manual::run(&args, &common, recipe),
        }
    }
}

/// Joins a number below 0 with the flag before it, as in `--duration=-3`: the parser takes `-3` for a flag of its own.
fn with_negative_values(words: Vec<OsString>) -> Vec<OsString> {
    let mut joined: Vec<OsString> = Vec::with_capacity(words.len());
    let mut are_flags = true;
    for word in words {
        are_flags &= word != "--";
        let is_number = word
            .to_str()
            .and_then(|word| word.strip_prefix('-'))
            .is_some_and(|rest| rest.trim_start_matches('.').starts_with(|c: char| c.is_ascii_digit()));
        let flag = joined.last_mut().filter(|_| is_number && are_flags);
        let is_short = |flag: &str| flag.len() == 2 && flag.ends_with(|c: char| c.is_ascii_alphabetic());
        match flag.and_then(|flag| Some((flag.to_str()?.to_owned(), flag))) {
            Some((name, flag)) if name.starts_with("--") && !name.contains('=') => {
                flag.push("=");
                flag.push(word);
            }
            Some((name, flag)) if name.starts_with('-') && is_short(&name) => flag.push(word),
            _ => joined.push(word),
        }
    }
    joined
}

/// Returns the word in place of a verb, if the parser refuses it.
fn refused_verb(error: &clap::Error) -> Option<&str> {
    match error.get(ContextKind::InvalidSubcommand) {
        Some(ContextValue::String(word)) if error.kind() == ErrorKind::InvalidSubcommand => Some(word),
        _ => None,
    }
}

/// Returns the words with `open` before the refused one, if that is a file or a folder which the window can open.
fn with_open(words: &[OsString], error: &clap::Error) -> Option<Vec<OsString>> {
    let refused = refused_verb(error)?;
    let place = words.iter().position(|word| word == refused)?;
    can_open(Path::new(refused)).then(|| [&words[..place], &["open".into()], &words[place..]].concat())
}

/// Whether a path leads to something that the window can open: a scene, a shared scene, a file of another program, a plan,
/// or the folder of a run or a sweep.
fn can_open(path: &Path) -> bool {
    let known = ["ron", share_file::EXTENSION];
    let is_scene = path.extension().is_some_and(|ending| known.iter().any(|known| ending.eq_ignore_ascii_case(known)));
    let is_file = || is_scene || import::can_import(path);
    match path.is_dir() {
        true => FolderKind::from_path(path).is_some(),
        false => path.exists() && is_file(),
    }
}

/// Words that other programs use, with the verbs of the same meaning.
const OTHER_WORDS: [(&str, &str); 12] = [
    ("simulate", "run"),
    ("sim", "run"),
    ("exec", "run"),
    ("view", "open"),
    ("play", "open"),
    ("gui", "open"),
    ("plot", "figure"),
    ("export", "convert"),
    ("import", "convert"),
    ("validate", "check"),
    ("film", "record"),
    ("new", "init"),
];

/// The message about a word in place of a verb, if it names something that a verb takes.
fn unknown_verb(error: &clap::Error, program: &str, words: &[OsString]) -> Option<String> {
    let word = refused_verb(error)?;
    // The command can stand after the scene, and only `run` of the two has a number of steps.
    let runs = ["run", "--steps", "--duration", "--seeds", "--until"];
    let verb = if words.iter().any(|word| runs.iter().any(|run| word == run)) { "run" } else { "open" };
    let path = Path::new(word);
    if let Some((_, verb)) = OTHER_WORDS.iter().find(|(other, _)| *other == word) {
        return Some(format!("`{word}` is not a command: did you mean `{program} {verb}`?"));
    }
    if similar_name(word, Arguments::command().get_subcommands().map(clap::Command::get_name)).is_none()
        && let Some(scene) = similar_name(word, shipped::all().map(|(name, _)| name)).filter(|scene| *scene != word)
        && !path.exists()
    {
        return Some(format!("`{}` is not a command: did you mean `{program} {verb} {scene}`?", shown(word)));
    }
    let is_plan = sweep::plan::is_plan(word).unwrap_or_default();
    let is_known = is_plan || path.exists() || shipped::get(word).is_some();
    let is_file = is_known || path.extension().is_some_and(|ending| ending == "ron") || import::can_import(path);
    let verb = if is_plan && !path.is_dir() { "sweep" } else { verb };
    is_file.then(|| match missing(word).filter(|_| !is_known) {
        Some(missing) => missing.to_string(),
        None => format!("`{0}` is not a command: did you mean `{program} {verb} {0}`?", shown(word)),
    })
}

fn is_broken_pipe(error: &anyhow::Error) -> bool {
    error
        .chain()
        .filter_map(|cause| cause.downcast_ref::<io::Error>())
        .any(|cause| cause.kind() == io::ErrorKind::BrokenPipe)
}

/// The output for data. The caller has to flush it, so that errors are not lost.
fn stdout() -> BufWriter<StdoutLock<'static>> {
    BufWriter::new(io::stdout().lock())
}

/// Prints a text.
///
/// # Errors
/// Those of stdout.
fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = stdout();
    out.write_all(text)?;
    out.flush()?;
    Ok(Exit::Fine)
}

#[cfg(test)]
mod tests {
    use clap::CommandFactory;

    use super::*;

    fn flags() -> Vec<(String, clap::Arg)> {
        let mut command = Arguments::command();
        command.build();
        command
            .get_subcommands()
            .filter(|verb| verb.get_name() != "help")
            .flat_map(|verb| verb.get_arguments().map(|flag| (verb.get_name().to_owned(), flag.clone())))
            .collect()
    }

    #[test]
    fn the_table_of_flags_is_sound() {
        Arguments::command().debug_assert();
    }

    #[test]
    fn every_flag_is_well_named_and_says_what_it_does() {
        for (verb, flag) in flags() {
            let name = flag.get_long().unwrap_or_else(|| flag.get_id().as_str());
            assert!(name.chars().all(|c| c.is_ascii_lowercase() || c == '-'), "{verb} {name}");
            assert!(flag.get_help().is_some(), "{verb} {name} has no help");
            if flag.get_action().takes_values() {
                let value = flag.get_value_names().and_then(|names| names.first()).map(ToString::to_string);
                assert!(
                    value.is_some_and(|value| value.contains(char::is_uppercase)),
                    "{verb} {name} has no value name"
                );
            }
        }
    }

    /// The examples in the help of a command and of its verbs.
    fn examples(command: &clap::Command) -> Vec<String> {
        let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
        assert!(help.lines().all(|line| !line.starts_with("  ") || line.chars().count() <= 80), "{help}");
        let help = help.replace("\\\n     ", "");
        let own = help.lines().filter(|line| line.starts_with("  swarmarium ")).map(str::to_owned);
        own.chain(command.get_subcommands().flat_map(examples)).collect()
    }

    /// The words of the command of an example, up to a pipe.
    fn words(example: &str) -> Vec<String> {
        let (mut words, mut quote) = (vec![String::new()], None);
        for c in example.trim().chars() {
            match (c, quote) {
                ('|' | '>', None) => break,
                (' ', None) => words.push(String::new()),
                ('\'' | '"', None) => quote = Some(c),
                (_, Some(open)) if c == open => quote = None,
                _ => words.last_mut().unwrap().push(c),
            }
        }
        words.retain(|word| !word.is_empty());
        words
    }

    #[test]
    fn examples_in_help_are_commands() {
        let examples = examples(&Arguments::command());
        assert!(examples.len() > 50);
        for example in examples {
            let words = words(&example);
            // A file in place of a verb must exist.
            if words.len() != 2 || !words[1].ends_with(".ron") {
                Arguments::of_words(&words).unwrap_or_else(|error| panic!("{example}\n{error}"));
            }
            assert!(!example.contains("scenes/"), "{example}: works in a checkout only");
        }
    }

    #[test]
    fn numbers_below_zero_are_values() {
        let joined = |words: &str| -> Vec<String> {
            let words = with_negative_values(words.split(' ').map(OsString::from).collect());
            words.into_iter().map(|word| word.into_string().unwrap()).collect()
        };
        assert_eq!(
            joined("s run x --duration -3s --seed -1 -j -2"),
            ["s", "run", "x", "--duration=-3s", "--seed=-1", "-j-2"]
        );
        assert_eq!(
            joined("s run -q --steps 3 -o - --a=b -1"),
            ["s", "run", "-q", "--steps", "3", "-o", "-", "--a=b", "-1"]
        );
        assert_eq!(joined("s run -- --x -.5"), ["s", "run", "--", "--x", "-.5"]);
    }

    #[test]
    fn a_file_in_place_of_a_verb_is_opened() {
        let folder = tempfile::tempdir().unwrap();
        let file = |name: &str| {
            let path = folder.path().join(name);
            std::fs::write(&path, "").unwrap();
            path.to_str().unwrap().to_owned()
        };
        let parse = |words: &[&str]| Arguments::of_words(&[&["swarmarium"], words].concat());
        for known in [file("my.ron"), file("my.swarm"), file("world.yaml"), file("world.xml")] {
            for words in [&[known.as_str()][..], &["--seed", "3", &known, "--paused"]] {
                let opened = parse(words).unwrap();
                assert!(
                    matches!(&opened.verb, Some(Verb::Open(args)) if args.files() == [known.as_str()]),
                    "{words:?}"
                );
                assert_eq!(opened.common.command[1..], *words, "the command is kept as it was typed");
            }
        }
        for unknown in [file("notes.txt"), "missing.ron".into(), folder.path().to_str().unwrap().into()] {
            assert!(parse(&[&unknown]).is_err(), "{unknown}");
        }
        let error = parse(&["opne"]).unwrap_err().to_string();
        assert!(error.contains("open"), "the nearest verb is named: {error}");
    }

    #[test]
    fn common_flags_may_stand_before_and_after_the_verb() {
        let before =
            Arguments::try_parse_from(["swarmarium", "--seed", "3", "--threads", "2", "run", "x.ron"]).unwrap();
        let after = Arguments::try_parse_from(["swarmarium", "run", "x.ron", "--seed", "3", "--threads", "2"]).unwrap();
        for arguments in [before, after] {
            assert_eq!(arguments.common.seed, Some(3));
            assert_eq!(arguments.common.threads, 2);
        }
    }
}

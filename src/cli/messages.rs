//! Messages for the user, on stderr: one form for those of the program and for those of the parser of arguments.
//!
//! An error begins with `error: `, a warning with `warning: `, in colour on a terminal. Other messages are notes.

use std::borrow::Cow;
use std::error::Error as _;
use std::ffi::OsString;
use std::fmt::{self, Display};
use std::io::{self, IsTerminal as _, Write as _};
use std::path::Path;

use anstream::{AutoStream, ColorChoice};
use clap::builder::styling::{AnsiColor, Style};
use clap::error::{ContextKind, ContextValue, ErrorKind};
use swarmarium_base::files::shown;
use swarmarium_base::problem::{Place, Problems, cut, did_you_mean, similar_name};
use swarmarium_core::text::wording::{count, join};

use super::json::ScriptPlace;
use super::{embed, excerpt, interrupt};

/// When output has colours.
#[derive(clap::ValueEnum, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Color {
    /// On a terminal, unless NO_COLOR is set
    #[default]
    Auto,
    /// Always
    Always,
    /// Never
    Never,
}

impl Color {
    /// The choice of the words of a command line. It acts before they are parsed, as the parser writes messages, too.
    pub(super) fn of_words(words: &[OsString]) -> Self {
        let words = words.iter().take_while(|word| *word != "--").map(|word| word.to_str().unwrap_or_default());
        let (mut choice, mut is_next) = (Self::Auto, false);
        for word in words {
            let value = if is_next { Some(word) } else { word.strip_prefix("--color=") };
            choice = match value {
                Some("always") => Self::Always,
                Some("never") => Self::Never,
                Some(_) => Self::Auto,
                None => choice,
            };
            is_next = !is_next && word == "--color";
        }
        choice
    }

    /// Makes this the choice of the process.
    pub(super) fn apply(self) {
        let choice = match self {
            Self::Auto => ColorChoice::Auto,
            Self::Always => ColorChoice::Always,
            Self::Never => ColorChoice::Never,
        };
        choice.write_global();
    }
}

/// The word before a message, with its colour.
#[derive(Clone, Copy)]
struct Label(&'static str, AnsiColor);

const ERROR: Label = Label("error", AnsiColor::Red);
const WARNING: Label = Label("warning", AnsiColor::Yellow);

impl Display for Label {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self(word, color) = *self;
        match AutoStream::choice(&io::stderr()) {
            choice if choice == ColorChoice::Never || interrupt::is_left_to_host() => write!(f, "{word}: "),
            _ => {
                let style = Style::new().bold().fg_color(Some(color.into()));
                write!(f, "{style}{word}:{style:#} ")
            }
        }
    }
}

/// A message without very long words and lines.
fn short(message: &str) -> String {
    cut(&with_short_words(&without_error_numbers(&without_controls(message)))).into_owned()
}

/// A message with escaped control characters, which names of files can have: a terminal would interpret them.
fn without_controls(message: &str) -> Cow<'_, str> {
    let is_control = |c: char| c.is_control() && c != '\n';
    match message.contains(is_control) {
        true => {
            message.chars().map(|c| if is_control(c) { c.escape_default().to_string() } else { c.into() }).collect()
        }
        false => message.into(),
    }
}

/// A message without the numbers that the standard library adds to errors of the operating system: ` (os error 2)`.
pub(super) fn without_error_numbers(message: &str) -> String {
    let mut parts = message.split(" (os error ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |before, part| match part.split_once(')') {
        Some((number, rest)) if number.parse::<u32>().is_ok() => before + rest,
        _ => before + " (os error " + part,
    })
}

/// Writes a note for the user, which is cut if it is long. Errors of stderr are ignored.
pub(super) fn tell(message: impl Display) {
    write(short(&message.to_string()));
}

/// Writes an error for the user.
pub(super) fn tell_error(error: impl Display) {
    write(format!("{ERROR}{}", short(&error.to_string())));
}

/// Writes the error of a run of a scene for the user, with the line of a script that it begins with.
pub(super) fn tell_error_of_run(scene: &str, error: &str) {
    write(format!("{ERROR}{}{}", short(error), excerpt(scene, None, error)));
}

/// Writes a failure for the user: each of several problems of a file is an error.
pub(super) fn tell_failure(failure: &anyhow::Error) {
    match failure.downcast_ref::<Problems>() {
        // With a context, the problems alone would be half of the message.
        Some(problems) if failure.chain().count() == 1 => tell_problems(problems),
        _ => tell_error(format_args!("{failure:#}")),
    }
}

/// Writes each problem as an error.
pub(super) fn tell_problems(problems: &Problems) {
    write(labelled(ERROR, problems));
}

/// Writes each problem as a warning.
pub(super) fn tell_warnings(warnings: &Problems) {
    write(labelled(WARNING, warnings));
}

/// Writes a warning.
pub(super) fn tell_warning(warning: impl Display) {
    write(format!("{WARNING}{}", short(&warning.to_string())));
}

/// Problems with a label before each, as far as they are not too many.
fn labelled(label: Label, Problems { source_name, problems }: &Problems) -> String {
    let each = problems.iter().map(|problem| {
        let one = Problems { source_name: source_name.clone(), problems: vec![problem.clone()] };
        format!("{label}{}{}", short(&one.to_string()), excerpt(source_name, problem.place, &problem.message))
    });
    cut(&each.collect::<Vec<_>>().join("\n")).into_owned()
}

/// The line that a message is about, after a line break: that of the script that the message begins with, or that of a file;
/// empty if messages show none.
fn excerpt(file: &str, place: Option<Place>, message: &str) -> String {
    let lines = match (ScriptPlace::of(message), place) {
        _ if !shows_excerpts() => None,
        (Some(script), _) => excerpt::of_script(file, &script),
        (None, Some(place)) => excerpt::of_file(file, place),
        (None, None) => None,
    };
    lines.map_or_else(String::new, |lines| format!("\n{lines}"))
}

/// Whether messages show lines of files: on a terminal, and in the logs of `--color always`. Other programs that read messages
/// get a line for each.
fn shows_excerpts() -> bool {
    let is_for_people = io::stderr().is_terminal() || ColorChoice::global() == ColorChoice::Always;
    is_for_people && !interrupt::is_left_to_host()
}

/// The largest number of characters of a word in a message: no name of a file has more.
const LONGEST_WORD: usize = 255;
/// The numbers of characters that are kept at the start and at the end of a longer word.
const KEPT: [usize; 2] = [80, 40];

/// Shortens very long words in their middles.
fn with_short_words(text: &str) -> String {
    let short = |word: &str| -> String {
        let length = word.chars().count();
        if length <= LONGEST_WORD {
            return word.to_owned();
        }
        let start = word.chars().take(KEPT[0]);
        start.chain(['…']).chain(word.chars().skip(length - KEPT[1])).collect()
    };
    text.split_inclusive(|c: char| c.is_whitespace() || c == ',').map(short).collect()
}

/// The number of things of a kind, such as `1 frame` or `2 frames`.
pub(super) fn counted(number: u64, noun: &str) -> String {
    count(usize::try_from(number).unwrap_or(usize::MAX), noun)
}

/// The size in bytes above which an output has a warning before it is written.
pub(super) const LARGE: f64 = 1e9;

/// Warns of a large output, before it is written. If its length is not known, the bytes are the most that there can be.
pub(super) fn warn_of_size(output: &str, bytes: f64, is_known: bool) {
    if bytes > LARGE {
        let places = usize::from(bytes < 10.0 * LARGE);
        let about = if is_known { "about" } else { "at most" };
        tell_warning(format_args!("{output}: {about} {:.places$} GB to write", bytes / 1e9));
    }
}

/// A part of a number of things, such as `1 of 2 frames`.
pub(super) fn part_of(done: u64, all: u64, noun: &str) -> String {
    format!("{done} of {}", counted(all, noun))
}

/// Writes a text with a line break at once, so that lines of several threads do not mix. A host program gets it instead.
fn write<'t>(text: impl Into<Cow<'t, str>>) {
    let Some(text) = embed::keep_message(text.into()) else { return };
    let line = format!("{text}\n");
    _ = match AutoStream::choice(&io::stderr()) {
        ColorChoice::Never => io::stderr().write_all(line.as_bytes()),
        _ => anstream::stderr().write_all(line.as_bytes()),
    };
}

/// The message about arguments that the parser refuses, in the form of the other messages.
///
/// `program` is the name of the program, `command` all that it knows, and `words` are those of the command line.
pub(super) fn refusal(error: &clap::Error, program: &str, command: &clap::Command, words: &[OsString]) -> String {
    let verb = match verb(error) {
        verb if verb.is_empty() => typed_verb(command, words),
        verb => verb,
    };
    let text = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let texts = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => vec![text.as_str()],
        Some(ContextValue::Strings(texts)) => texts.iter().map(String::as_str).collect(),
        _ => Vec::new(),
    };
    let flag = flag_of(text(ContextKind::InvalidArg).unwrap_or_default());
    let value = text(ContextKind::InvalidValue).map(shown);
    let help = |message: String| {
        let verb = if verb.is_empty() { String::new() } else { format!(" {verb}") };
        format!("{message}\n`{program}{verb} --help` explains the options")
    };
    match (error.kind(), value) {
        (ErrorKind::ValueValidation, Some(value)) => {
            let reason = error.source().map(ToString::to_string).unwrap_or_default();
            let message =
                match reason.split_once("; did you mean ").filter(|(expected, _)| !expected.contains(", found ")) {
                    Some((expected, hint)) if expected.starts_with("expected ") => {
                        format!("{flag}: {expected}, found `{value}`; did you mean {hint}")
                    }
                    _ if reason.contains(", found ") => format!("{flag}: {reason}"),
                    None if reason.starts_with("expected ") => format!("{flag}: {reason}, found `{value}`"),
                    _ => format!("{flag} {value}: {reason}"),
                };
            message + &plural(flag, &value, &verb, command)
        }
        (ErrorKind::InvalidValue, Some(value)) if value.is_empty() => help(format!("{flag}: expected a value")),
        (ErrorKind::InvalidValue, Some(value)) => {
            let known = texts(ContextKind::ValidValue);
            format!("{flag}: expected {}, found `{value}`{}", join(&known, "or"), did_you_mean(&value, known.clone()))
        }
        (ErrorKind::TooManyValues, Some(value)) => help(format!("{flag}: `{value}` is one value too many")),
        (ErrorKind::UnknownArgument, _) if flag.starts_with('-') && flag.len() > 1 => {
            // The parser takes the letters of `-steps` one by one.
            let is_typed = |word: &&str| flag.len() == 2 && word.len() > 2 && word.starts_with(flag);
            let typed = words.iter().filter_map(|word| word.to_str()).find(is_typed);
            help(unknown_flag(typed.unwrap_or(flag), &verb, command))
        }
        (ErrorKind::UnknownArgument, _) => help(format!("`{}` is one argument too many", shown(flag))),
        (ErrorKind::InvalidSubcommand, _) => {
            let word = text(ContextKind::InvalidSubcommand).unwrap_or_default();
            let verbs = command.get_subcommands().filter(|verb| !verb.is_hide_set()).map(clap::Command::get_name);
            let verbs: Vec<&str> = verbs.collect();
            let begun: Vec<&str> = verbs.iter().filter(|verb| verb.starts_with(word)).copied().collect();
            let hint = match did_you_mean(word, verbs.iter().copied()) {
                _ if begun.len() > 1 && !word.is_empty() => format!(", but {} begin with it", join(&begun, "and")),
                _ if word == "version" => "; did you mean `--version`?".to_owned(),
                hint if hint.is_empty() => format!(": expected {}", join(&verbs, "or")),
                hint => hint,
            };
            help(format!("`{}` is not a command{hint}", shown(word)))
        }
        (ErrorKind::InvalidUtf8, _) => help("an argument is not text (UTF-8)".to_owned()),
        (ErrorKind::MissingRequiredArgument, _) => {
            let missing = texts(ContextKind::InvalidArg);
            let verb = if verb.is_empty() { String::new() } else { format!(" {verb}") };
            // A choice of options is in brackets.
            let missing: Vec<String> = missing
                .into_iter()
                .map(|one| match one.strip_prefix('<').filter(|one| one.starts_with('-')) {
                    Some(choice) => choice.strip_suffix('>').unwrap_or(choice).replace('|', " or "),
                    None => one.to_owned(),
                })
                .collect();
            let missing: Vec<&str> = missing.iter().map(String::as_str).collect();
            let needing = needing_flag(command, words).unwrap_or_else(|| format!("`{program}{verb}`"));
            help(format!("{needing} needs {}", join(&missing, "and")))
        }
        (ErrorKind::ArgumentConflict, _) => {
            let others: Vec<&str> = texts(ContextKind::PriorArg).into_iter().map(flag_of).collect();
            match others.as_slice() {
                // The parser has taken a second word for a verb below this one.
                _ if flag.is_empty() => help(extra_word(command, words)),
                [] => help(format!("{flag}: excludes other arguments")),
                [other] if *other == flag => format!("{flag}: is given twice"),
                others => help(format!("{flag} and {} exclude each other", join(others, "or"))),
            }
        }
        _ => {
            let text = error.render().to_string();
            text.trim_end().trim_start_matches("error: ").to_owned()
        }
    }
}

/// The verb whose arguments are refused, from the line of usage; empty for none.
fn verb(error: &clap::Error) -> String {
    let Some(ContextValue::StyledStr(usage)) = error.get(ContextKind::Usage) else { return String::new() };
    let usage = usage.to_string();
    let words = usage.lines().next().unwrap_or_default().trim_start_matches("Usage: ").split_whitespace().skip(1);
    words.take_while(|word| word.starts_with(|c: char| c.is_ascii_lowercase())).collect::<Vec<_>>().join(" ")
}

/// The verb among the words of a command line; empty for none.
fn typed_verb(command: &clap::Command, words: &[OsString]) -> String {
    let known = |word: &str| command.find_subcommand(word).map(clap::Command::get_name);
    let verb = words.iter().skip(1).find_map(|word| known(word.to_str()?));
    verb.unwrap_or_default().to_owned()
}

/// The message about a word after the argument of a verb that has verbs of its own.
fn extra_word(command: &clap::Command, words: &[OsString]) -> String {
    let verb = typed_verb(command, words);
    let below = command.find_subcommand(&verb).into_iter().flat_map(clap::Command::get_subcommands);
    let known: Vec<&str> = below.map(clap::Command::get_name).collect();
    let typed = words.iter().map(|word| word.to_string_lossy()).skip_while(|word| *word != verb).skip(1);
    let typed: Vec<_> = typed.filter(|word| !word.starts_with('-')).collect();
    let near = typed.iter().find_map(|word| Some((word, similar_name(word, known.iter().copied())?)));
    match (near, typed.last()) {
        (Some((word, near)), _) => {
            format!("`{}` is not a command of `{verb}`; did you mean `{near}`?", shown(word.as_ref()))
        }
        (None, Some(last)) => format!("`{}` is one argument too many", shown(last.as_ref())),
        (None, None) => format!("`{verb}` has an argument too many"),
    }
}

/// The flag among the words of a command line that needs another argument: without the flag, none is missing.
fn needing_flag(command: &clap::Command, words: &[OsString]) -> Option<String> {
    let own = command.find_subcommand(typed_verb(command, words))?;
    (1..words.len()).find_map(|place| {
        let word = words[place].to_str()?;
        let named = |argument: &&clap::Arg| match word.strip_prefix("--") {
            Some(long) => argument.get_long() == long.split('=').next(),
            None => word
                .strip_prefix('-')
                .is_some_and(|rest| !rest.is_empty() && argument.get_short() == rest.chars().next()),
        };
        let flag = own.get_arguments().find(named)?;
        // The value is the next word, unless it is a part of this one.
        let is_joined = word.contains('=') || (!word.starts_with("--") && word.len() > 2);
        let taken = 1 + usize::from(flag.get_action().takes_values() && !is_joined);
        let others = words[..place].iter().chain(words.iter().skip(place + taken));
        let parsed = command.clone().try_get_matches_from(others);
        let is_needing = parsed.err().is_none_or(|error| error.kind() != ErrorKind::MissingRequiredArgument);
        is_needing.then(|| format!("--{}", flag.get_long().unwrap_or_default()))
    })
}

/// A text with the name of the program in place of that of Swarmarium's own.
pub(super) fn with_program(text: &str, program: &str) -> String {
    const OWN: &str = env!("CARGO_PKG_NAME");
    match program.contains(OWN) {
        // The name of the program is in the text already.
        true => text.split(program).map(|part| part.replace(OWN, program)).collect::<Vec<_>>().join(program),
        false => text.replace(OWN, program),
    }
}

/// An argument without its value and without brackets: `--steps` for `--steps <N>`, `FILE` for `<FILE>`.
fn flag_of(argument: &str) -> &str {
    match argument.starts_with('-') {
        true => argument.split([' ', '=']).next().unwrap_or(argument),
        false => argument.trim_end_matches("...").trim_matches(['<', '>', '[', ']']),
    }
}

/// Options of other programs, each with the way to the same.
const EVERYDAY_FLAGS: [(&str, &str); 11] = [
    ("dt", "`--set time.dt_s=0.1` sets the time step"),
    ("out", "did you mean `--output`?"),
    ("output-dir", "did you mean `--output`?"),
    ("time", "did you mean `--duration`?"),
    ("runs", "`run --seeds 1..=10` and `sweep --repeat 10` make several runs"),
    ("count", "`--set groups.NAME.count=10` sets the number of robots"),
    ("headless", "only `open` needs a window"),
    ("gui", "`open` shows the window"),
    ("video", "`record` makes videos"),
    ("plot", "`figure` draws plots, and `record --plot` draws them into a video"),
    ("csv", "`run` writes the metrics to metrics.csv in its folder"),
];

/// The message about a flag that a verb does not have, or that stands before it: the place of the flag, the verbs that have
/// it, or the nearest flag of the verb.
fn unknown_flag(flag: &str, verb: &str, command: &clap::Command) -> String {
    let flags = |command: &clap::Command| -> Vec<String> {
        command.get_arguments().filter_map(|known| Some(format!("--{}", known.get_long()?))).collect()
    };
    let mut own = Some(command);
    for word in verb.split_whitespace() {
        own = own.and_then(|command| command.find_subcommand(word));
    }
    let mut known = flags(own.unwrap_or(command));
    // Common options without an effect on the verb are hidden there.
    let has_effect = |name: &String| {
        let hidden = own.into_iter().flat_map(clap::Command::get_arguments).filter(|known| known.is_hide_set());
        !hidden.filter_map(clap::Arg::get_long).any(|hidden| name.strip_prefix("--") == Some(hidden))
    };
    known.extend(flags(command));
    known.retain(has_effect);
    let others: Vec<String> = command
        .get_subcommands()
        .filter(|other| flags(other).iter().any(|known| known == flag))
        .map(|other| format!("`{}`", other.get_name()))
        .collect();
    // Dashes make no names similar.
    let name = flag.trim_start_matches('-');
    let near = similar_name(name, known.iter().filter_map(|known| known.strip_prefix("--")));
    // A flag without its unit, such as `--width` for `--width-mm`.
    let longer = || known.iter().find(|known| known.strip_prefix(flag).is_some_and(|rest| rest.starts_with('-')));
    let near = near.map(|near| format!("--{near}")).or_else(|| longer().filter(|_| flag.len() > 2).cloned());
    let names_known =
        |hint: &str| !hint.starts_with("did") || known.iter().any(|known| hint.contains(&format!("`{known}`")));
    let everyday = EVERYDAY_FLAGS.iter().find(|(everyday, hint)| *everyday == name && names_known(hint));
    let everyday = everyday.map(|(_, hint)| format!("; {hint}"));
    let hint = everyday.or_else(|| near.map(|near| format!("; did you mean `{near}`?"))).unwrap_or_default();
    let of_verb = if verb.is_empty() { String::new() } else { format!(" of `{verb}`") };
    match others.is_empty() {
        false if others.contains(&format!("`{verb}`")) => {
            format!("{} is an option of `{verb}`: write it after the command", shown(flag))
        }
        false => {
            let others: Vec<&str> = others.iter().map(String::as_str).collect();
            let have = if others.len() == 1 { "has it" } else { "have it" };
            format!("{}: there is no such option{of_verb}; {} {have}", shown(flag), join(&others, "and"))
        }
        true => format!("{}: there is no such option{of_verb}{hint}", shown(flag)),
    }
}

/// A hint for several values of an option that takes one, if there is an option for several, such as `--seeds`.
fn plural(flag: &str, value: &str, verb: &str, command: &clap::Command) -> String {
    let plural = format!("{flag}s");
    let mut arguments = command.find_subcommand(verb).into_iter().flat_map(clap::Command::get_arguments);
    let is_known = arguments.any(|known| known.get_long().is_some_and(|long| plural.strip_prefix("--") == Some(long)));
    match is_known && (value.contains("..") || value.contains(',')) {
        true => format!("; `{plural}` takes several"),
        false => String::new(),
    }
}

/// The name of a program from the first word of its command line: `near` for `/usr/bin/near`.
pub(super) fn program_of(word: &str) -> String {
    let stem = Path::new(word).file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let stem = stem.strip_suffix(std::env::consts::EXE_SUFFIX).unwrap_or(stem);
    if stem.is_empty() { env!("CARGO_PKG_NAME").to_owned() } else { stem.to_owned() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choice_of_colours_is_known_before_arguments_are_parsed() {
        let of = |words: &str| Color::of_words(&words.split(' ').map(OsString::from).collect::<Vec<_>>());
        assert_eq!(of("swarmarium run milling"), Color::Auto);
        assert_eq!(of("swarmarium --color always run milling"), Color::Always);
        assert_eq!(of("swarmarium run milling --color=never --seed 3"), Color::Never);
        assert_eq!(of("swarmarium run milling -- --color=never"), Color::Auto);
        assert_eq!(of("swarmarium run --color"), Color::Auto);
    }

    #[test]
    fn errors_of_the_system_lose_their_numbers() {
        let told = |message: &str| without_error_numbers(message);
        assert_eq!(
            told("a: cannot be made: No such file (os error 2); b (os error 13)"),
            "a: cannot be made: No such file; b"
        );
        for whole in ["a (os error x)", "(os error 2)", "plain"] {
            assert_eq!(told(whole), whole);
        }
    }

    #[test]
    fn very_long_words_lose_their_middles() {
        let long = "a".repeat(5000);
        let told = with_short_words(&format!("error: {long}.ron: cannot be made, nor `{long}`"));
        assert!(told.len() < 400 && told.starts_with("error: aaa"), "{told}");
        assert!(
            told.contains("a…a") && told.contains("a.ron: cannot be made, nor `aaa") && told.ends_with("a`"),
            "{told}"
        );
        let list = vec!["word"; 100].join(",");
        let command = format!("`run {} --at 3` continues the run", "a".repeat(250));
        for whole in [command, "a  b\nc `d`".to_owned(), format!("expected {list}")] {
            assert_eq!(with_short_words(&whole), whole);
        }
    }

    #[test]
    fn texts_of_help_name_the_program() {
        let text = "swarmarium run | swarmarium check; dir=$(swarmarium run) > /usr/_swarmarium";
        assert_eq!(with_program(text, "swarmarium"), text);
        assert_eq!(with_program(text, "near"), text.replace("swarmarium", "near"));
        assert_eq!(with_program(text, "swarm"), text.replace("swarmarium", "swarm"));
        assert_eq!(with_program("my-swarmarium | swarmarium", "my-swarmarium"), "my-swarmarium | my-swarmarium");
    }

    #[test]
    fn counts_are_singular_and_plural() {
        assert_eq!([1, 2].map(|number| counted(number, "frame")), ["1 frame", "2 frames"]);
        assert_eq!([1, 2].map(|all| part_of(1, all, "step")), ["1 of 1 step", "1 of 2 steps"]);
    }

    #[test]
    fn programs_have_the_names_of_their_files() {
        for (word, name) in [("swarmarium", "swarmarium"), ("./target/near", "near"), ("", "swarmarium")] {
            assert_eq!(program_of(word), name);
        }
    }
}

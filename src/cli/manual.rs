//! `man`: pages of the manual, made from the arguments that the program knows.

use std::io::{self, IsTerminal as _, Write as _};
use std::path::PathBuf;
use std::process::{Command, Stdio};

use anyhow::bail;
use clap_mangen::Man;
use clap_mangen::roff::{Roff, roman};
use swarmarium_base::files::{shown, write_whole};
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::text::wording::count;
use swarmarium_simulation::simulation::Recipe;

use super::messages::with_program;
use super::{Arguments, Build, Common, Exit, environment, print, tell};

/// Show the manual page of the program or of a command, or write all pages to a folder
///
/// A terminal shows the page by the command `man`; without it, and in a pipe, the output is the source of the page (roff).
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  swarmarium man run
  # The source of the page
  swarmarium man run > swarmarium-run.1
  # A page for the program and one for each command
  swarmarium man -o /usr/local/share/man/man1")]
pub struct Args {
    /// The command, such as run or sweep merge [default: the program as a whole]
    #[arg(value_name = "COMMAND", conflicts_with = "output")]
    verb: Vec<String>,
    /// Folder for all pages; created if missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints a manual page, or writes all of them.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let program = recipe.program_name();
    let version = recipe.program().map_or(env!("CARGO_PKG_VERSION"), |program| &program.version);
    let page = |command: &clap::Command, title: String| page(command, title, (program, version));
    let mut command = Arguments::parser().bin_name(program).disable_help_subcommand(true);
    command.build();
    let Some(folder) = &args.output else {
        let (name, known) = (args.verb.join("-").replace(' ', "-"), verbs(&command, ""));
        let text = match known.iter().find(|(known, _)| *known == name) {
            Some((name, verb)) => page(verb, format!("{program}-{name}"))?,
            None if args.verb.is_empty() || name == program => page(&command, program.to_owned())?,
            None => {
                let hint = did_you_mean(&name, known.iter().map(|(known, _)| known.as_str()));
                bail!("{}: is not a command{hint}", shown(args.verb.join(" ")))
            }
        };
        if !(io::stdout().is_terminal() && show(&text)) {
            print(&text)?;
        }
        return Ok(Exit::Fine);
    };
    std::fs::create_dir_all(folder).map_err(|error| anyhow::anyhow!("{}: cannot be made: {error}", shown(folder)))?;
    write_whole(&folder.join(format!("{program}.1")), page(&command, program.to_owned())?)?;
    let verbs = verbs(&command, "");
    for (name, verb) in &verbs {
        let title = format!("{program}-{name}");
        write_whole(&folder.join(format!("{title}.1")), page(verb, title)?)?;
    }
    if !common.quiet {
        tell(format_args!("{}: {} of the manual", shown(folder), count(1 + verbs.len(), "page")));
    }
    Ok(Exit::Fine)
}

/// Shows a page with the viewer of manual pages of the system. Returns false if there is none that can.
fn show(page: &[u8]) -> bool {
    let viewer = Command::new("man").args(["-l", "-"]).stdin(Stdio::piped()).stderr(Stdio::null()).spawn();
    let Ok(mut viewer) = viewer else { return false };
    // A reader that leaves the viewer early closes the pipe, which is no failure.
    let _ = viewer.stdin.take().map(|mut input| input.write_all(page));
    // A viewer that a signal ended has shown the page.
    viewer.wait().is_ok_and(|status| status.code().is_none_or(|code| code == 0))
}

/// The names of the pages of verbs.
pub(super) fn names() -> Vec<String> {
    verbs(&Arguments::parser(), "").into_iter().map(|(name, _)| name).collect()
}

/// The verbs of a command and those below them, with their names in titles of pages: `sweep`, `sweep-merge`.
fn verbs<'c>(command: &'c clap::Command, above: &str) -> Vec<(String, &'c clap::Command)> {
    let own = command.get_subcommands().filter(|verb| !verb.is_hide_set() && verb.get_name() != "help");
    let named = own.flat_map(|verb| {
        let name = format!("{above}{}", verb.get_name());
        let below = verbs(verb, &format!("{name}-"));
        std::iter::once((name, verb)).chain(below)
    });
    named.collect()
}

/// The headings of the sections of pages, by the titles of the parts of the help after the options.
const SECTIONS: [(&str, &str); 3] =
    [("Examples", EXAMPLES), ("Environment variables", ENVIRONMENT), ("Exit codes", EXIT_STATUS)];
/// The heading of examples.
const EXAMPLES: &str = "EXAMPLES";
/// The heading of variables of the environment.
const ENVIRONMENT: &str = "ENVIRONMENT";
/// The heading of the exit statuses.
const EXIT_STATUS: &str = "EXIT STATUS";

/// The files of the program, for the section of its page. Folders of the user are those on Linux.
const FILES: &str = "\
NAME.ron                      scene
NAME.sweep.ron                plan of a sweep
edits.ron                     edits of a run
NAME.swarm                    scene with all of its files
runs/, sweeps/                results of run and of sweep
~/.config/swarmarium/         settings and keys of the window, saved parameters
~/.local/share/swarmarium/    edits that were not saved, to restore them after a crash
~/.cache/swarmarium/          pictures of scenes";

/// The exit codes of a command, as texts.
pub fn exit_codes(command: &clap::Command) -> Vec<String> {
    let all = sections(&Arguments::parser()).into_iter().filter(|(heading, _)| *heading == EXIT_STATUS);
    let lines = all.flat_map(|(_, lines)| lines).filter(|line| applies_to(command, EXIT_STATUS, line));
    lines.filter_map(|line| Some(line.split_whitespace().next()?.to_owned())).collect()
}

/// A page with the words between backticks in bold, without the backticks.
fn bold_code(page: &str) -> String {
    let bold = |line: &str| {
        let parts: Vec<&str> = line.split('`').collect();
        // A backtick alone stays.
        if parts.len().is_multiple_of(2) {
            return line.to_owned();
        }
        let part =
            |(place, part): (usize, &&str)| if place % 2 == 1 { format!(r"\fB{part}\fR") } else { (*part).into() };
        parts.iter().enumerate().map(part).collect()
    };
    page.split('\n').map(bold).collect::<Vec<String>>().join("\n")
}

/// Whether a command is the program as a whole.
fn is_program(command: &clap::Command) -> bool {
    command.get_subcommands().any(|verb| verb.get_name() == "run")
}

/// The exit statuses that only some verbs end with, and these verbs.
const STATUSES: [(Exit, &[&str]); 4] = [
    (Exit::WindowDestroyed, &["open"]),
    (Exit::RunFailed, &["open", "run", "sweep", "merge", "figure", "serve", "record", "share"]),
    (Exit::Differs, &["run", "sweep", "merge", "figure", "record", "share", "verify"]),
    (Exit::Interrupted, &["open", "run", "sweep", "merge", "figure", "serve", "record", "share", "verify"]),
];

/// The verbs that can end with an exit status; `None` for all.
fn verbs_of_status(status: &str) -> Option<&'static [&'static str]> {
    STATUSES.iter().find(|(exit, _)| (*exit as u8).to_string() == status).map(|(_, verbs)| *verbs)
}

/// Whether a line of a section applies to a command: a verb, or the program as a whole.
///
/// Lines about the environment begin with a variable, and lines about exit statuses with a status. Lines of other
/// sections apply to all commands.
fn applies_to(command: &clap::Command, heading: &str, line: &str) -> bool {
    let word = line.split_whitespace().next().unwrap_or_default();
    let verbs = match heading {
        ENVIRONMENT => environment::verbs_of(word),
        EXIT_STATUS => verbs_of_status(word),
        _ => None,
    };
    is_program(command) || verbs.is_none_or(|verbs| verbs.contains(&command.get_name()))
}

/// The sections of the help of a command after its options: the headings with the lines.
fn sections(command: &clap::Command) -> Vec<(&'static str, Vec<String>)> {
    let help = command.get_after_long_help().map(ToString::to_string).unwrap_or_default();
    let mut sections: Vec<(&str, Vec<String>)> = Vec::new();
    for line in help.lines().filter(|line| !line.is_empty()) {
        match SECTIONS.into_iter().find(|(title, _)| line.starts_with(title)) {
            Some((_, heading)) => sections.push((heading, Vec::new())),
            None => sections.last_mut().into_iter().for_each(|(_, lines)| lines.push(line.to_owned())),
        }
    }
    sections
}

/// The long text about a command without its first sentence, which the section NAME contains; `None` if nothing is
/// left.
fn description(command: &clap::Command) -> Option<String> {
    let texts = [command.get_about(), command.get_long_about()];
    let [about, long] = texts.map(|text| text.map(ToString::to_string).unwrap_or_default());
    let more = long.strip_prefix(about.as_str()).unwrap_or(&long).trim_start_matches('.').trim_start();
    (!more.is_empty()).then(|| more.to_owned())
}

/// The manual page of a command of a program with a version.
fn page(command: &clap::Command, title: String, (program, version): (&str, &str)) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    let source = format!("{program} {version}");
    // The date of the commit, or an empty one: the same program makes the same pages.
    let date = Build::this().commit_date.unwrap_or("\"\"");
    let usage = command.clone().render_usage().to_string();
    // The manual says of each option what `--help` says.
    let whole = command.clone().display_name(&title).mut_args(|argument| argument.hide_short_help(false));
    let man_with = |is_positional: bool| {
        let shown = whole.clone().mut_args(|argument| match argument.is_positional() == is_positional {
            true => argument,
            false => argument.hide(true),
        });
        Man::new(shown).date(date).source(source.clone()).manual("Swarmarium manual")
    };
    let man = man_with(false);
    man.render_title(&mut page)?;
    // Names of options and files stay whole.
    page.extend(b".nh\n");
    man.render_name_section(&mut page)?;
    verbatim("SYNOPSIS", usage.trim_start_matches("Usage: ").lines().map(str::trim)).to_writer(&mut page)?;
    if let Some(description) = description(command) {
        Man::new(whole.clone().long_about(description)).render_description_section(&mut page)?;
    }
    if whole.get_positionals().any(|argument| !argument.is_hide_set()) {
        let mut section = Vec::new();
        man_with(true).render_options_section(&mut section)?;
        page.extend(String::from_utf8(section)?.replacen("OPTIONS", "ARGUMENTS", 1).bytes());
    }
    man.render_options_section(&mut page)?;
    if command.get_subcommands().any(|verb| !verb.is_hide_set() && verb.get_name() != "help") {
        let mut section = Vec::new();
        man.render_subcommands_section(&mut section)?;
        page.extend(String::from_utf8(section)?.replacen("SUBCOMMANDS", "COMMANDS", 1).bytes());
    }
    let own = sections(command);
    // The variables and the exit statuses of all verbs; those of other verbs are left out below.
    let of_program = sections(&Arguments::parser()).into_iter().filter(|(heading, _)| *heading != EXAMPLES);
    let shared: Vec<_> = of_program.filter(|(heading, _)| own.iter().all(|(known, _)| known != heading)).collect();
    for (heading, lines) in own.iter().chain(&shared) {
        let lines = lines.iter().filter(|line| applies_to(command, heading, line));
        verbatim(heading, lines.map(String::as_str)).to_writer(&mut page)?;
    }
    if is_program(command) {
        verbatim("FILES", FILES.lines()).to_writer(&mut page)?;
    }
    let others: Vec<String> = related(command, &title, program).iter().map(|page| format!("{page}(1)")).collect();
    let mut section = Roff::new();
    section.control("SH", ["SEE ALSO"]).text([roman(others.join(", "))]);
    section.to_writer(&mut page)?;
    // Pages have `\-` for a hyphen.
    let escaped = program.replace('-', r"\-");
    let page = bold_code(&String::from_utf8(page)?).replace(program, &escaped);
    Ok(with_program(&page, &escaped).into_bytes())
}

/// The verbs, with the related verbs that their pages refer to.
const RELATED: [(&str, &[&str]); 15] = [
    ("open", &["run", "record", "check", "init"]),
    ("run", &["sweep", "record", "verify", "figure"]),
    ("sweep", &["run", "figure", "init"]),
    ("figure", &["run", "sweep", "record"]),
    ("serve", &["run", "convert"]),
    ("record", &["run", "figure", "share", "open"]),
    ("check", &["verify", "list", "convert"]),
    ("convert", &["check", "share", "list"]),
    ("share", &["open", "record", "convert"]),
    ("verify", &["run", "check"]),
    ("list", &["init", "check"]),
    ("init", &["open", "sweep", "check", "list"]),
    ("bench", &["run", "verify"]),
    ("completions", &["man"]),
    ("man", &["completions"]),
];

/// The pages that a page refers to: the one above it, those beside it below a verb, those below it, and those of
/// related verbs.
fn related(command: &clap::Command, title: &str, program: &str) -> Vec<String> {
    let (known, page) = (names(), |name: &str| format!("{program}-{name}"));
    let Some(name) = title.strip_prefix(program).and_then(|rest| rest.strip_prefix('-')) else {
        return known.iter().map(|name| page(name)).collect();
    };
    let mut pages = vec![program.to_owned()];
    if let Some((above, _)) = name.split_once('-') {
        pages.push(page(above));
        let beside = known.iter().filter(|other| other.starts_with(&format!("{above}-")) && *other != name);
        pages.extend(beside.map(|name| page(name)));
    }
    pages.extend(verbs(command, "").into_iter().map(|(name, _)| format!("{title}-{name}")));
    let others = RELATED.iter().filter(|(verb, _)| *verb == name).flat_map(|(_, others)| others.iter().copied());
    // A build without videos lacks a verb.
    pages.extend(others.filter(|other| known.iter().any(|name| name == other)).map(page));
    pages
}

/// A section whose lines stay as they are.
fn verbatim<'l>(heading: &str, lines: impl IntoIterator<Item = &'l str>) -> Roff {
    let mut section = Roff::new();
    section.control("SH", [heading]).control("nf", []);
    for line in lines {
        section.text([roman(line)]);
    }
    section.control("fi", []);
    section
}

//! `completions` and `man`: files for shells and for the manual, made from the arguments that the program knows.

use std::io::Write as _;
use std::path::PathBuf;

use anyhow::bail;
use clap_complete::Shell;
use clap_mangen::Man;
use swarmarium_base::files::{shown, write_whole};
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::text::wording::count;
use swarmarium_simulation::simulation::Recipe;

use super::messages::with_program;
use super::{Arguments, Common, Exit, stdout, tell};

/// Print the script with which a shell completes verbs, options and their values
///
/// The script goes to stdout. Write it to the folder from which the shell loads completions, or load it at the start of a
/// session.
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium completions bash > \\
      ~/.local/share/bash-completion/completions/swarmarium
  # .zshrc needs fpath+=(~/.zfunc) before compinit
  swarmarium completions zsh > ~/.zfunc/_swarmarium
  swarmarium completions fish > ~/.config/fish/completions/swarmarium.fish
  swarmarium completions powershell >> $PROFILE")]
pub struct Completions {
    /// The shell
    #[arg(value_name = "SHELL")]
    shell: Shell,
}

/// Print the manual page of the program or of a verb, or write all pages to a folder
#[derive(clap::Args, Clone, Debug)]
#[command(after_help = "\
Examples:
  swarmarium man | man -l -
  swarmarium man run | man -l -
  # A page for the program and one for each verb
  swarmarium man -o /usr/local/share/man/man1")]
pub struct Manual {
    /// The verb [default: the program as a whole]
    #[arg(value_name = "VERB", conflicts_with = "output")]
    verb: Option<String>,
    /// Folder to write all pages to, which is made if it is missing
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
}

/// Prints the script of a shell.
pub(super) fn completions(args: &Completions, program: &str) -> anyhow::Result<Exit> {
    let mut script = Vec::new();
    clap_complete::generate(args.shell, &mut Arguments::parser(), program, &mut script);
    print(&script)
}

/// Prints a manual page, or writes all of them.
pub(super) fn manual(args: &Manual, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    let program = recipe.program_name();
    let version = recipe.program().map_or(env!("CARGO_PKG_VERSION"), |program| &program.version);
    let page = |command: &clap::Command, title: String| page(command, title, (program, version));
    let mut command = Arguments::parser().bin_name(program).disable_help_subcommand(true);
    command.build();
    let verbs = || command.get_subcommands().filter(|verb| !verb.is_hide_set());
    let Some(folder) = &args.output else {
        let page = match &args.verb {
            None => page(&command, program.to_owned())?,
            Some(name) => match verbs().find(|verb| verb.get_name() == name) {
                Some(verb) => page(verb, format!("{program}-{name}"))?,
                None => {
                    bail!("{}: is not a verb{}", shown(name), did_you_mean(name, verbs().map(clap::Command::get_name)))
                }
            },
        };
        return print(&page);
    };
    std::fs::create_dir_all(folder).map_err(|error| anyhow::anyhow!("{}: cannot be made: {error}", shown(folder)))?;
    write_whole(&folder.join(format!("{program}.1")), page(&command, program.to_owned())?)?;
    for verb in verbs() {
        let title = format!("{program}-{}", verb.get_name());
        write_whole(&folder.join(format!("{title}.1")), page(verb, title)?)?;
    }
    if !common.quiet {
        tell(format_args!("{}: {} of the manual", shown(folder), count(1 + verbs().count(), "page")));
    }
    Ok(Exit::Fine)
}

/// The manual page of a command of a program with a version.
fn page(command: &clap::Command, title: String, (program, version): (&str, &str)) -> anyhow::Result<Vec<u8>> {
    let mut page = Vec::new();
    // Without a date, the same program makes the same page.
    let source = format!("{program} {version}");
    let man = Man::new(command.clone().display_name(title)).date("").source(source).manual("Swarmarium");
    man.render(&mut page)?;
    // Pages have `\-` for a hyphen.
    let escaped = program.replace('-', r"\-");
    let page = String::from_utf8(page)?.replace(program, &escaped);
    Ok(with_program(&page, &escaped).into_bytes())
}

fn print(text: &[u8]) -> anyhow::Result<Exit> {
    let mut out = stdout();
    out.write_all(text)?;
    out.flush()?;
    Ok(Exit::Fine)
}

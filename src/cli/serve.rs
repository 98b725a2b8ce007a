//! `serve`: a scene whose robots are controlled by other programs, through sockets.

use std::io::{self, Write as _};
use std::net::IpAddr;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use anyhow::{Context as _, anyhow};
use swarmarium_formats::run_folder::FolderKind;
use swarmarium_host::clock::{Host, UNLIMITED};
use swarmarium_remote::{Options, Remote};
use swarmarium_simulation::edit::log::Replay;
use swarmarium_simulation::simulation::Recipe;

use super::common::{Seconds, Speed, count, length, whole};
use super::error::ArgumentError;
use super::messages::tell_error;
use super::run::{Args as RunArgs, End, Folder, Plan, Record, SharedRecord, Status};
use super::{Common, Exit, interrupt, load, stdout, tell};

/// The longest wait between two checks for Ctrl-C.
const MAX_WAIT: Duration = Duration::from_millis(50);

/// Run a scene headless and let external programs control its robots through sockets, as in MORSE
///
/// The fields `sockets` and `time.pacing` of the scene select the sockets; without any, services are on port 4000 and data
/// streams from port 60000 on. The scene runs until a client ends it, or until Ctrl-C.
#[derive(clap::Args, Clone, Debug)]
#[command(after_long_help = "\
Examples:
  # Then any client of MORSE on port 4000
  swarmarium serve morse-reference
  # Keep the commands of clients in runs/led/edits.ron
  swarmarium serve my.ron --speed max -o runs/led
  # The same run again, without clients
  swarmarium run my.ron --edits runs/led/edits.ron
  # For clients on other machines, which must send the token
  swarmarium serve my.ron --listen 0.0.0.0 --token not-a-secret")]
pub struct Args {
    /// Scene file, file of another program, name of a shipped scene, or - for a scene from stdin
    #[arg(value_name = "FILE", value_hint = clap::ValueHint::AnyPath)]
    file: String,
    /// Number of steps [default: the `stop` of the scene, or no limit]
    #[arg(long, value_name = "N", conflicts_with = "duration", value_parser = count)]
    steps: Option<u64>,
    /// Simulated time, such as 90, 90s, 2m or 1h
    #[arg(long, value_name = "S", value_parser = length)]
    duration: Option<Seconds>,
    /// Simulated seconds per second, or max [default: that of the scene]
    #[arg(long, value_name = "X|MAX")]
    speed: Option<Speed>,
    /// Address to listen on; clients must send a token unless it is a loopback address
    #[arg(long, value_name = "ADDRESS", default_value = "127.0.0.1", value_parser = address)]
    listen: IpAddr,
    /// Token that clients must send first [default: a random token if one is required]
    #[arg(long, value_name = "TOKEN", value_parser = token)]
    token: Option<String>,
    /// Port of services, instead of that of the scene; 0 for any free ports, for all sockets
    #[arg(long, value_name = "N", value_parser = port)]
    port: Option<u16>,
    /// Folder to write a run to, with all edits of clients; it must not exist
    #[arg(short, long, value_name = "DIR")]
    output: Option<PathBuf>,
    /// Replace the files of an earlier run in the folder; other files stay
    #[arg(long, requires = "output")]
    overwrite: bool,
    /// Write trace.csv, with the pose and readings of every agent at every step, from step 0
    #[arg(long, requires = "output")]
    trace: bool,
    /// Write hash.csv, with the hash of the state at every step, from step 0
    #[arg(long, requires = "output")]
    hash: bool,
}

impl Args {
    /// The files that it reads.
    pub(super) fn files(&self) -> [&str; 1] {
        [&self.file]
    }
}

/// Reads the number of a port.
fn port(text: &str) -> Result<u16, ArgumentError> {
    whole(text, 0..=u64::from(u16::MAX)).map(|number| number as u16)
}

/// Reads an address of this machine.
fn address(text: &str) -> Result<IpAddr, ArgumentError> {
    text.trim().parse().map_err(|_| ArgumentError::Address)
}

/// Reads a token: one word.
fn token(text: &str) -> Result<String, ArgumentError> {
    let is_word = (8..=256).contains(&text.len()) && text.chars().all(|c| c.is_ascii_graphic());
    if is_word { Ok(text.into()) } else { Err(ArgumentError::Token) }
}

/// Serves a scene.
pub(super) fn run(args: &Args, common: &Common, recipe: &Recipe) -> anyhow::Result<Exit> {
    interrupt::watch();
    let plan = RunArgs::of_file(&args.file)
        .with_length(args.steps, args.duration)
        .with_output(args.output.clone(), args.overwrite)
        .with_tables(args.trace, args.hash)
        .resolve(common, recipe)?;
    let has_length = args.steps.is_some() || args.duration.is_some();
    let last = if has_length { Some(plan.steps) } else { plan.scene.stop.last_step(plan.scene.time.dt_s) };
    let locate = |problems| load::locate(&args.file, problems);
    let mut host = Host::new(&plan.scene, recipe, common.threads).map_err(locate)?;
    if let Some(speed) = args.speed {
        let scale = match speed {
            Speed::Times(times) => times,
            Speed::Max => UNLIMITED,
        };
        host.set_scale(scale).map_err(|problem| anyhow!("--speed: {problem}"))?;
    }
    let _hold = interrupt::Hold::new();
    let folder = plan.output.as_deref().map(|path| Folder::open(path, FolderKind::Run, plan.overwrite)).transpose()?;
    let record =
        folder.as_ref().map(|folder| Record::start(&plan, &plan.scene, host.simulation(), folder)).transpose()?;
    let record = record.map(SharedRecord::new);
    if !common.quiet {
        plan.warn_of_simulation(&host.simulation().without_room());
    }
    let options = Options { listen: args.listen, token: args.token.clone(), port: args.port, always: true };
    let mut remote = Remote::open(host.simulation(), &options, || {})?.context("there is nothing to serve")?;
    greet(&remote, &plan, common.quiet)?;

    let abandon = || {
        let status = match record.as_ref().and_then(SharedRecord::take).map(Record::finish_within_step) {
            Some(Ok(outcome)) => {
                if let Some(folder) = folder.as_ref().filter(|_| !common.quiet) {
                    tell(outcome.summary(folder.path(), plan.scene.time.dt_s));
                }
                outcome.status
            }
            Some(Err(error)) => Status::Failed(format!("{error:#}")),
            None => Status::Interrupted,
        };
        // The program ends in any case.
        let _ = announce_exit();
        if let Some(error) = status.error() {
            tell_error(error);
        }
        std::process::exit(status.exit() as i32);
    };
    let serve = || serve(&mut host, &mut remote, last, (&args.file, &plan), record.as_ref());
    let served = interrupt::guarded(serve, abandon);
    remote.notes().into_iter().for_each(tell);
    // Closing the sockets sends the last messages to clients.
    drop(remote);
    let status = served.unwrap_or_else(|error| Status::Failed(format!("{error:#}")));
    let status = match record.and_then(|record| record.take()) {
        Some(record) => {
            let end = (status == Status::Done).then(|| end(&host, &plan, last).unwrap_or(End::Client));
            let outcome = record.finish(host.simulation(), status, end)?;
            if let Some(folder) = folder.filter(|_| !common.quiet) {
                tell(outcome.summary(folder.path(), plan.scene.time.dt_s));
            }
            outcome.status
        }
        None => match host.simulation().failed_scripts().into_iter().next() {
            Some(failure) if status == Status::Done => Status::Failed(failure.message),
            _ => status,
        },
    };
    announce_exit()?;
    if let Some(error) = status.error() {
        tell_error(error);
    }
    Ok(status.exit())
}

/// Announces the end of the simulation: harnesses of MORSE wait for this line.
fn announce_exit() -> io::Result<()> {
    let mut out = stdout();
    writeln!(out, "EXITING SIMULATION")?;
    out.flush()
}

/// Tells the user about the open sockets.
fn greet(remote: &Remote, plan: &Plan, quiet: bool) -> anyhow::Result<()> {
    if !quiet {
        if plan.scene.sockets == Default::default() {
            tell("The scene has no `sockets`: the ports of MORSE are used");
        }
        remote.open_ports().into_iter().for_each(tell);
        let count = remote.components();
        tell(format_args!("{count} component{} to reach", if count == 1 { "" } else { "s" }));
    }
    if let Some(token) = remote.token() {
        tell(format_args!("clients must first send: token {token}"));
    }
    remote.notes().into_iter().for_each(tell);
    // Harnesses of MORSE wait for this line.
    let mut out = stdout();
    writeln!(out, "SCENE INITIALIZED")?;
    out.flush()?;
    Ok(())
}

/// The reason why the simulation ends without a client, if there is one.
fn end(host: &Host, plan: &Plan, last_step: Option<u64>) -> Option<End> {
    let step = host.simulation().steps();
    End::of(host.simulation(), plan.begin <= step, last_step.is_some_and(|last| last <= step))
}

/// Runs the simulation and serves clients, until the end.
fn serve(
    host: &mut Host,
    remote: &mut Remote,
    last: Option<u64>,
    (file, plan): (&str, &Plan),
    record: Option<&SharedRecord>,
) -> anyhow::Result<Status> {
    let mut before = Instant::now();
    let mut edits = Replay::new(plan.edits.clone());
    loop {
        if interrupt::requested() {
            return Ok(Status::Interrupted);
        }
        if remote.has_quit() || end(host, plan, last).is_some() {
            return Ok(Status::Done);
        }
        let now = Instant::now();
        let real_s = (now - before).as_secs_f64();
        before = now;
        for logged in edits.due(host.simulation().steps() + 1) {
            if let Err(problem) = host.replay(logged.clone()) {
                return Ok(Status::BadEdit(load::invalid_edit(file.as_ref(), &logged, problem).to_string()));
            }
        }
        let mut recorded = Ok(());
        let steps = remote.advance(host, real_s, |simulation| {
            if let (Some(record), Ok(())) = (record, &recorded) {
                // The log has the edits of a step before the tables have its rows.
                recorded = record.log(simulation.edits()).and_then(|()| record.after_step(simulation));
            }
        });
        recorded?;
        // Edits are written at once: a session may last for days.
        let taken = host.take_edits();
        if let (Some(record), 0) = (record, steps) {
            record.log(&taken)?;
        }
        remote.notes().into_iter().for_each(tell);
        let rest =
            remote.next_s(host).map_or(MAX_WAIT, |rest_s| Duration::from_secs_f64(rest_s.min(MAX_WAIT.as_secs_f64())));
        if steps == 0 && rest > Duration::ZERO {
            remote.wait(rest);
        }
    }
}

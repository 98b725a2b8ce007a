//! The tables of a run: one or more rows per step, with numbers in shortest round-trip form.

use std::fmt::Write as _;
use std::path::PathBuf;

use anyhow::Context as _;
use swarmarium_base::files::{Draft, cannot_write, cut_to_whole_lines, partial};
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::radio::Packet;
use swarmarium_core::simulation::Simulation;

use super::super::hex;
use super::folder::Folder;

type Writer = csv::Writer<Draft>;

/// The format of a table.
#[derive(Clone, Copy)]
pub struct Format {
    /// The flags that ask for it.
    flags: &'static str,
    file: &'static str,
    head: fn(&Simulation) -> Vec<String>,
    rows: fn(&mut Writer, &Simulation) -> csv::Result<()>,
}

impl Format {
    /// The name of the file.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The flags of `run` that ask for the table, each after a space.
    pub fn flags(&self) -> &'static str {
        self.flags
    }
}

/// The values of metrics, from step 1.
pub const METRICS: Format = Format { flags: "", file: "metrics.csv", head: metrics_head, rows: metrics_rows };
/// Poses and readings of all agents, from step 0.
pub const TRACE: Format = Format { flags: " --trace", file: "trace.csv", head: trace_head, rows: trace_rows };
/// As [`TRACE`], with the estimates of robots, and the packets that their radios hold with their ages.
pub const TRACE_WITH_RADIO: Format =
    Format { flags: " --trace --trace-radio", file: "trace.csv", head: radio_trace_head, rows: radio_trace_rows };
/// Hashes of the state, from step 0.
pub const HASH: Format = Format { flags: " --hash", file: "hash.csv", head: hash_head, rows: hash_rows };

/// Events, in words. The table exists only if an event happened.
pub const EVENTS: Format = Format { flags: "", file: "events.csv", head: events_head, rows: events_rows };

/// A table that is being written.
pub struct Table {
    format: Format,
    path: PathBuf,
    writer: Writer,
}

impl Table {
    /// Starts a table with its header.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub fn start(format: Format, folder: &Folder, simulation: &Simulation) -> anyhow::Result<Self> {
        let path = folder.path().join(format.file);
        let mut writer = csv::WriterBuilder::new().buffer_capacity(1 << 16).from_writer(Draft::begin(&path)?);
        writer.write_record((format.head)(simulation)).with_context(|| cannot_write(&path))?;
        Ok(Self { format, path, writer })
    }

    /// The name of the file.
    pub fn file(&self) -> &'static str {
        self.format.file
    }

    /// Adds the rows of a step.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn record(&mut self, simulation: &Simulation) -> anyhow::Result<()> {
        (self.format.rows)(&mut self.writer, simulation).with_context(|| cannot_write(&self.path))
    }

    /// Gives the table its name. An incomplete table stays [`partial`], and has complete lines.
    ///
    /// # Errors
    /// When not all rows could be written.
    pub fn finish(self) -> anyhow::Result<()> {
        let Self { path, writer, .. } = self;
        match writer.into_inner() {
            Ok(draft) => draft.finish(),
            Err(unwritten) => {
                let error = unwritten.into_error();
                // Truncation needs no space on the disk. The file stays partial even if it cannot be truncated.
                let _ = cut_to_whole_lines(&partial(&path));
                Err(error).with_context(|| cannot_write(&path))
            }
        }
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

/// A writer of rows, with one buffer for all numbers.
struct Row<'w> {
    writer: &'w mut Writer,
    field: String,
}

impl<'w> Row<'w> {
    fn new(writer: &'w mut Writer) -> Self {
        Self { writer, field: String::new() }
    }

    fn add(&mut self, value: impl std::fmt::Display) -> csv::Result<()> {
        self.field.clear();
        // Writing to a string cannot fail.
        let _ = write!(self.field, "{value}");
        self.writer.write_field(&self.field)
    }

    fn end(&mut self) -> csv::Result<()> {
        self.writer.write_record(None::<&[u8]>)
    }
}

fn events_head(_: &Simulation) -> Vec<String> {
    names(&["step", "t_s", "agent", "name", "event"])
}

fn events_rows(writer: &mut Writer, simulation: &Simulation) -> csv::Result<()> {
    let time = simulation.time();
    for event in simulation.events().since(time.step) {
        let name = simulation.agent(event.who.index()).map_or_else(String::new, |agent| agent.name());
        let mut row = Row::new(writer);
        row.add(event.step)?;
        row.add(time.shown_s())?;
        row.add(event.who.index())?;
        row.add(name)?;
        row.add(&event.text)?;
        row.end()?;
    }
    Ok(())
}

fn metrics_head(simulation: &Simulation) -> Vec<String> {
    names(&["step", "t_s"]).into_iter().chain(simulation.metric_columns()).collect()
}

fn metrics_rows(writer: &mut Writer, simulation: &Simulation) -> csv::Result<()> {
    let time = simulation.time();
    if time.step == 0 {
        return Ok(());
    }
    let mut row = Row::new(writer);
    row.add(time.step)?;
    row.add(time.shown_s())?;
    for value in simulation.observed() {
        row.add(*value)?;
    }
    row.end()
}

fn trace_head(_: &Simulation) -> Vec<String> {
    names(&["step", "t_s", "agent", "name", "x_m", "y_m", "heading_rad", "readings"])
}

fn trace_rows(writer: &mut Writer, simulation: &Simulation) -> csv::Result<()> {
    traced(writer, simulation, |_, _| Ok(()))
}

fn radio_trace_head(simulation: &Simulation) -> Vec<String> {
    trace_head(simulation).into_iter().chain(names(&["estimate", "packets", "packet_ages_s"])).collect()
}

fn radio_trace_rows(writer: &mut Writer, simulation: &Simulation) -> csv::Result<()> {
    traced(writer, simulation, |row, agent| {
        row.add(Joined(agent.estimate().iter()))?;
        row.add(Joined(agent.packets().map(packet_text)))?;
        row.add(Joined(agent.packet_ages_s().map(|(sender, age_s)| format!("{sender}:{age_s}"))))
    })
}

/// The sender of a packet and its numbers, separated by `:`.
fn packet_text(packet: &Packet) -> String {
    packet.numbers.iter().fold(packet.sender.to_string(), |text, number| format!("{text}:{number}"))
}

/// Writes a row for each agent, with more fields at its end.
fn traced(
    writer: &mut Writer,
    simulation: &Simulation,
    more: impl Fn(&mut Row, &AgentView) -> csv::Result<()>,
) -> csv::Result<()> {
    let time = simulation.time();
    let mut row = Row::new(writer);
    for agent in simulation.agents() {
        row.add(time.step)?;
        row.add(time.shown_s())?;
        row.add(agent.id.index())?;
        row.add(agent.name())?;
        row.add(agent.pose.position_m.x)?;
        row.add(agent.pose.position_m.y)?;
        row.add(agent.pose.heading_rad)?;
        row.add(Joined(agent.readings().flatten()))?;
        more(&mut row, &agent)?;
        row.end()?;
    }
    Ok(())
}

/// Values separated by `;`.
struct Joined<I>(I);

impl<I: Iterator<Item: std::fmt::Display> + Clone> std::fmt::Display for Joined<I> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (index, value) in self.0.clone().enumerate() {
            let separator = if index == 0 { "" } else { ";" };
            write!(f, "{separator}{value}")?;
        }
        Ok(())
    }
}

fn hash_head(_: &Simulation) -> Vec<String> {
    names(&["step", "hash"])
}

fn hash_rows(writer: &mut Writer, simulation: &Simulation) -> csv::Result<()> {
    writer.write_record([simulation.steps().to_string(), hex(simulation.hash().0)])
}

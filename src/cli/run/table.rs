//! The tables of a run: one or more rows per step, with numbers in shortest round-trip form.

use std::fmt::{Display, Write as _};
use std::io::{BufWriter, Write as _};
use std::mem;
use std::path::PathBuf;

use anyhow::Context as _;
use swarmarium_base::decimal::{push_number, push_whole};
use swarmarium_base::files::{Draft, cannot_write, cut_to_whole_lines, partial};
use swarmarium_core::radio::Packet;
use swarmarium_core::time::SimTime;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_simulation::simulation::Simulation;

use super::super::hex;
use super::folder::Folder;
use super::record::CompletedStep;

/// The format of a table.
#[derive(Clone, Copy)]
pub struct Format {
    /// The flags that ask for it.
    flags: &'static str,
    file: &'static str,
    head: fn(&Simulation) -> Vec<String>,
    /// Whether readings have columns.
    has_readings: bool,
    rows: fn(&mut Rows, &Simulation, &CompletedStep),
}

impl Format {
    /// The name of the file.
    pub fn file(&self) -> &'static str {
        self.file
    }

    /// The size of the rows of a step in bytes, if all steps have rows like those of the moment.
    pub fn bytes_of_step(&self, simulation: &Simulation) -> usize {
        let mut rows = Rows { text: String::new(), columns: ReadingColumns::of_format(self, simulation) };
        (self.rows)(&mut rows, simulation, &CompletedStep::from_simulation(simulation));
        rows.text.len()
    }

    /// The flags of `run` that ask for the table, each after a space.
    pub fn flags(&self) -> &'static str {
        self.flags
    }
}

/// The values of metrics, from step 1; without metrics, no rows.
pub const METRICS: Format =
    Format { flags: "", file: "metrics.csv", head: metrics_head, has_readings: false, rows: metrics_rows };
/// Poses and readings of all agents, from step 0.
pub const TRACE: Format =
    Format { flags: " --trace", file: "trace.csv", head: trace_head, has_readings: true, rows: trace_rows };
/// As [`TRACE`], with the estimates of robots, and the packets that their radios hold with their ages.
pub const TRACE_WITH_RADIO: Format = Format {
    flags: " --trace --trace-radio",
    file: "trace.csv",
    head: radio_trace_head,
    has_readings: true,
    rows: radio_trace_rows,
};
/// Hashes of the state, from step 0.
pub const HASH: Format =
    Format { flags: " --hash", file: "hash.csv", head: hash_head, has_readings: false, rows: hash_rows };

/// Events, in words. The table exists only if an event happened.
pub const EVENTS: Format =
    Format { flags: "", file: "events.csv", head: events_head, has_readings: false, rows: events_rows };

/// A table that is being written.
pub struct Table {
    format: Format,
    path: PathBuf,
    writer: BufWriter<Draft>,
    /// The rows of a step; their memory is reused.
    rows: Rows,
}

impl Table {
    /// Starts a table with its header.
    ///
    /// # Errors
    /// When the table cannot be written.
    pub fn start(format: Format, folder: &Folder, simulation: &Simulation) -> anyhow::Result<Self> {
        let path = folder.path().join(format.file);
        let writer = BufWriter::with_capacity(1 << 16, Draft::begin(&path)?);
        let columns = ReadingColumns::of_format(&format, simulation);
        let mut table = Self { format, path, writer, rows: Rows { text: String::new(), columns } };
        (format.head)(simulation).iter().for_each(|name| table.rows.text(name));
        table.rows.end();
        table.write()?;
        Ok(table)
    }

    /// The name of the file.
    pub fn file(&self) -> &'static str {
        self.format.file
    }

    /// Adds the rows of a step.
    ///
    /// # Errors
    /// When they cannot be written.
    pub fn record(&mut self, simulation: &Simulation, last: &CompletedStep) -> anyhow::Result<()> {
        (self.format.rows)(&mut self.rows, simulation, last);
        if self.rows.text.is_empty() { Ok(()) } else { self.write() }
    }

    fn write(&mut self) -> anyhow::Result<()> {
        let written = self.writer.write_all(self.rows.text.as_bytes());
        self.rows.text.clear();
        written.with_context(|| cannot_write(&self.path))
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

/// Rows as text: fields with commas between them, and lines.
#[derive(Default)]
struct Rows {
    text: String,
    /// The columns of readings.
    columns: ReadingColumns,
}

impl Rows {
    /// Adds a field of any text.
    fn text(&mut self, text: impl Display) {
        let start = self.text.len();
        self.plain(text);
        let field = &self.text[start..self.text.len() - 1];
        if field.contains([',', '"', '\n', '\r']) {
            let quoted = format!("\"{}\",", field.replace('"', "\"\""));
            self.text.truncate(start);
            self.text.push_str(&quoted);
        }
    }

    /// Adds a field of a text that needs no quotes.
    fn plain(&mut self, text: impl Display) {
        // Writing to a string cannot fail.
        _ = write!(self.text, "{text},");
    }

    /// Adds a field of a number.
    fn number(&mut self, value: f64) {
        push_number(&mut self.text, value);
        self.text.push(',');
    }

    /// Adds a field of numbers, separated by `;`.
    fn numbers(&mut self, values: impl Iterator<Item = f64>) {
        let start = self.text.len();
        for value in values {
            push_number(&mut self.text, value);
            self.text.push(';');
        }
        if self.text.len() > start {
            self.text.pop();
        }
        self.text.push(',');
    }

    /// Adds the first fields of each row of a step.
    fn time(&mut self, time: SimTime) {
        push_whole(&mut self.text, time.step);
        self.text.push(',');
        self.number(time.shown_s());
    }

    /// Ends a row.
    fn end(&mut self) {
        self.text.pop();
        self.text.push('\n');
    }
}

fn names(names: &[&str]) -> Vec<String> {
    names.iter().map(ToString::to_string).collect()
}

fn events_head(_: &Simulation) -> Vec<String> {
    names(&["step", "t_s", "agent", "name", "event"])
}

fn events_rows(rows: &mut Rows, simulation: &Simulation, &CompletedStep { time, .. }: &CompletedStep) {
    for event in simulation.events().since(time.step) {
        let name = simulation.agent(event.who.index()).map_or_else(String::new, |agent| agent.name());
        rows.plain(event.step);
        rows.number(time.shown_s());
        rows.plain(event.who.index());
        rows.text(name);
        rows.text(&event.text);
        rows.end();
    }
}

fn metrics_head(simulation: &Simulation) -> Vec<String> {
    names(&["step", "t_s"]).into_iter().chain(simulation.metric_columns()).collect()
}

fn metrics_rows(rows: &mut Rows, _: &Simulation, CompletedStep { time, metrics, .. }: &CompletedStep) {
    // Before the first step, or without metrics.
    if metrics.is_empty() {
        return;
    }
    rows.time(*time);
    metrics.iter().for_each(|value| rows.number(*value));
    rows.end();
}

fn trace_head(simulation: &Simulation) -> Vec<String> {
    let first = names(&["step", "t_s", "agent", "name", "x_m", "y_m", "heading_rad"]);
    first.into_iter().chain(ReadingColumns::of(simulation).names).chain(names(&["readings"])).collect()
}

fn trace_rows(rows: &mut Rows, simulation: &Simulation, last: &CompletedStep) {
    traced(rows, simulation, last, |_, _| ());
}

fn radio_trace_head(simulation: &Simulation) -> Vec<String> {
    trace_head(simulation).into_iter().chain(names(&["estimate", "packets", "packet_ages_s"])).collect()
}

fn radio_trace_rows(rows: &mut Rows, simulation: &Simulation, last: &CompletedStep) {
    traced(rows, simulation, last, |rows, agent| {
        rows.numbers(agent.estimate().iter().copied());
        rows.plain(Joined(agent.packets().map(packet_text)));
        rows.plain(Joined(agent.packet_ages_s().map(|(sender, age_s)| format!("{sender}:{age_s}"))));
    });
}

/// The sender of a packet and its numbers, separated by `:`.
fn packet_text(packet: &Packet) -> String {
    packet.numbers.iter().fold(packet.sender.to_string(), |text, number| format!("{text}:{number}"))
}

/// Writes a row for each agent, with more fields at its end.
fn traced(
    rows: &mut Rows,
    simulation: &Simulation,
    &CompletedStep { time, .. }: &CompletedStep,
    more: impl Fn(&mut Rows, &AgentView),
) {
    let mut columns = mem::take(&mut rows.columns);
    for agent in simulation.agents() {
        rows.time(time);
        rows.plain(agent.id.index());
        rows.text(agent.name());
        rows.number(agent.pose.position_m.x);
        rows.number(agent.pose.position_m.y);
        rows.number(agent.pose.heading_rad);
        columns.write(rows, &agent);
        more(rows, &agent);
        rows.end();
    }
    rows.columns = columns;
}

/// The columns of readings in a trace: one for each number of each sensor that a robot has at the start.
#[derive(Default)]
struct ReadingColumns {
    names: Vec<String>,
    /// The robots differ by their sensors: mostly, there is one layout for each group.
    layouts: Vec<Layout>,
    /// The layout of the last robot.
    last: usize,
}

/// The columns of the readings of some robots.
struct Layout {
    group: u32,
    /// The kind of each sensor, as a number, and the length of its reading.
    sensors: Vec<(usize, usize)>,
    /// The place of each number of the readings among the columns; `None` for numbers that have no column.
    columns: Vec<Option<usize>>,
}

impl ReadingColumns {
    /// Those of a format; none for one without readings.
    fn of_format(format: &Format, simulation: &Simulation) -> Self {
        if format.has_readings { Self::of(simulation) } else { Self::default() }
    }

    fn of(simulation: &Simulation) -> Self {
        let mut columns = Self::default();
        // A column belongs to a slot, a sensor, by the order of their names, and a number.
        let (mut places, mut sensors) = (Vec::new(), Vec::<String>::new());
        for agent in simulation.agents() {
            if columns.layout(&agent).is_some() {
                continue;
            }
            for (slot, sense) in agent.senses().iter().enumerate() {
                for (number, name) in sense.column_names().into_iter().enumerate() {
                    let sensor = name.split('.').next().unwrap_or_default();
                    let rank = sensors.iter().position(|known| known == sensor).unwrap_or_else(|| {
                        sensors.push(sensor.to_owned());
                        sensors.len() - 1
                    });
                    places.push((slot, rank, number, format!("{slot}.{name}")));
                }
            }
            columns.layouts.push(Layout::of(&agent, &[]));
        }
        places.sort();
        places.dedup();
        Self { names: places.into_iter().map(|(.., name)| name).collect(), ..Self::default() }
    }

    /// The place of the layout of a robot.
    fn layout(&self, agent: &AgentView) -> Option<usize> {
        let is_of = |layout: &Layout| {
            let sensors = agent.readings_of_kinds().map(|(kind, reading)| (kind, reading.len()));
            layout.group == agent.member.group && sensors.eq(layout.sensors.iter().copied())
        };
        let last = self.layouts.get(self.last).filter(|layout| is_of(layout)).map(|_| self.last);
        last.or_else(|| self.layouts.iter().position(is_of))
    }

    /// Adds the fields of the readings of a robot: those of the columns, and one for numbers without a column.
    fn write(&mut self, rows: &mut Rows, agent: &AgentView) {
        let place = self.layout(agent).unwrap_or_else(|| {
            self.layouts.push(Layout::of(agent, &self.names));
            self.layouts.len() - 1
        });
        self.last = place;
        let Layout { columns, .. } = &self.layouts[place];
        let mut next = 0;
        let numbers = || agent.readings_of_kinds().flat_map(|(_, reading)| reading).copied().zip(columns);
        for (number, column) in numbers().filter_map(|(number, column)| Some((number, (*column)?))) {
            (next..column).for_each(|_| rows.text.push(','));
            rows.number(number);
            next = column + 1;
        }
        (next..self.names.len()).for_each(|_| rows.text.push(','));
        rows.numbers(numbers().filter(|(_, column)| column.is_none()).map(|(number, _)| number));
    }
}

impl Layout {
    fn of(agent: &AgentView, names: &[String]) -> Self {
        let sensors = agent.readings_of_kinds().map(|(kind, reading)| (kind, reading.len())).collect();
        let senses = agent.senses();
        let own = senses
            .iter()
            .enumerate()
            .flat_map(|(slot, sense)| sense.column_names().into_iter().map(move |name| format!("{slot}.{name}")));
        // The columns of a robot are in the order of its readings, and no number behind one without a column has one, so
        // that readers find that order again.
        let mut rest = names.iter().enumerate();
        let place = |name: String| rest.find(|(_, known)| **known == name).map(|(place, _)| place);
        Self { group: agent.member.group, sensors, columns: own.map(place).collect() }
    }
}

/// Values separated by `;`.
struct Joined<I>(I);

impl<I: Iterator<Item: Display> + Clone> Display for Joined<I> {
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

fn hash_rows(rows: &mut Rows, simulation: &Simulation, CompletedStep { time, .. }: &CompletedStep) {
    rows.plain(time.step);
    rows.plain(hex(simulation.hash().0));
    rows.end();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn table_rows_equal_those_of_the_csv_library() {
        let texts = ["", "a b", "a,b", "say \"so\"", "two\nlines", "\r", ";", "é"];
        let numbers = [0.1, -2.0, 1e20, f64::NAN];
        let mut rows = Rows::default();
        texts.iter().for_each(|text| rows.text(text));
        rows.plain(7);
        rows.numbers(numbers.into_iter());
        rows.numbers(std::iter::empty());
        rows.number(1.5);
        rows.end();
        let mut writer = csv::Writer::from_writer(Vec::new());
        let fields = texts.iter().copied().chain(["7", "0.1;-2;100000000000000000000;NaN", "", "1.5"]);
        writer.write_record(fields).unwrap();
        assert_eq!(rows.text, String::from_utf8(writer.into_inner().unwrap()).unwrap());
    }
}

//! The trace of a run, `trace.csv`: poses and readings of agents, step by step.

use std::fs::File;
use std::ops::Range;
use std::path::{Path, PathBuf};

use anyhow::{Context as _, anyhow, bail, ensure};
use bevy::math::DVec2;
use csv::{Reader, ReaderBuilder, StringRecord};
use swarmarium_base::files::{self, shown};
use swarmarium_core::agent::Pose;
use swarmarium_simulation::simulation::Placed;

/// The required columns.
const COLUMNS: [&str; 6] = ["step", "agent", "x_m", "y_m", "heading_rad", "readings"];

/// A reader of traces that reads one step after the other.
pub(super) struct TraceReader {
    path: PathBuf,
    reader: Reader<File>,
    columns: [usize; 6],
    /// The columns of single readings: those between the heading and the other readings.
    single: Range<usize>,
    /// The first row of the next steps.
    next: Option<Row>,
    last_step: u64,
    /// The agents of the last step that was read, with their lines in the file.
    lines: Vec<(u32, u64)>,
}

/// An agent at a step.
struct Row {
    line: u64,
    step: u64,
    placed: Placed,
}

impl TraceReader {
    /// Opens a trace, checks its steps and finds the last one.
    ///
    /// # Errors
    /// When the trace is invalid or cannot be read.
    pub fn open(path: &Path) -> anyhow::Result<Self> {
        let mut trace = Self::start(path)?;
        let mut last_step = 0;
        while let Some(row) = trace.read()? {
            let Row { line, step, .. } = row;
            ensure!(step >= last_step, "{}:{line}: step {step} comes after step {last_step}", shown(path));
            last_step = row.step;
        }
        let mut trace = Self::start(path)?;
        trace.next = trace.read()?;
        Ok(Self { last_step, ..trace })
    }

    fn start(path: &Path) -> anyhow::Result<Self> {
        let name = shown(path);
        let file = files::open(path).map_err(|error| anyhow!("{name}: {error}"))?;
        let mut reader = ReaderBuilder::new().from_reader(file);
        let head = reader.headers().with_context(|| format!("{name}: cannot be read"))?.clone();
        let place = |column: &str| head.iter().position(|found| found == column);
        let mut columns = [0; 6];
        for (column, place) in COLUMNS.iter().zip(COLUMNS.map(place)).zip(&mut columns).map(|((c, p), to)| ((c, to), p))
        {
            *column.1 = place.with_context(|| format!("{name}:1: there is no column `{}`", column.0))?;
        }
        let [.., heading, readings] = columns;
        let single = heading + 1..readings;
        Ok(Self { path: path.into(), reader, columns, single, next: None, last_step: 0, lines: Vec::new() })
    }

    /// The last step.
    pub fn last_step(&self) -> u64 {
        self.last_step
    }

    /// Reads the poses and readings of agents at a step. Steps must be requested in order.
    ///
    /// # Errors
    /// When the trace is invalid or cannot be read.
    pub fn at(&mut self, step: u64) -> anyhow::Result<Vec<Placed>> {
        let mut all = Vec::new();
        self.lines.clear();
        while let Some(row) = self.next.take() {
            if row.step > step {
                self.next = Some(row);
                break;
            }
            if row.step == step {
                self.lines.push((row.placed.agent, row.line));
                all.push(row.placed);
            }
            self.next = self.read()?;
        }
        Ok(all)
    }

    /// The error for an agent that the simulation does not have at a step.
    pub fn unknown_agent(&self, step: u64, agent: u32) -> anyhow::Error {
        let line = self.lines.iter().find(|(found, _)| *found == agent).map_or(0, |(_, line)| *line);
        anyhow!("{}:{line}: step {step}: there is no agent {agent}", shown(&self.path))
    }

    fn read(&mut self) -> anyhow::Result<Option<Row>> {
        let mut record = StringRecord::new();
        let has_more = self.reader.read_record(&mut record).with_context(|| shown(&self.path))?;
        if !has_more {
            return Ok(None);
        }
        let line = record.position().map_or(0, csv::Position::line);
        let row = self.row(&record, line);
        if row.is_none() {
            bail!("{}:{line}: expected numbers for {}", shown(&self.path), COLUMNS.join(", "));
        }
        Ok(row)
    }

    fn row(&self, record: &StringRecord, line: u64) -> Option<Row> {
        let [step, agent, x, y, heading, readings] = self.columns.map(|column| record.get(column).unwrap_or_default());
        let number = |text: &str| text.trim().parse::<f64>().ok();
        let finite = |text: &str| number(text).filter(|number| number.is_finite());
        let pose = Pose { position_m: DVec2::new(finite(x)?, finite(y)?), heading_rad: finite(heading)? };
        let single = self.single.clone().filter_map(|column| record.get(column));
        let readings = single.chain(readings.split(';')).filter(|reading| !reading.is_empty());
        let readings = readings.map(number).collect::<Option<_>>()?;
        Some(Row {
            line,
            step: step.trim().parse().ok()?,
            placed: Placed { agent: agent.trim().parse().ok()?, pose, readings },
        })
    }
}

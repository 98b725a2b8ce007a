//! Results as JSON on stdout: one document for each command. The names of fields are stable.

use std::io::{self, Write as _};

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use swarmarium_base::problem::Problem;

use super::stdout;

/// Prints a document.
///
/// # Errors
/// Those of stdout.
pub(super) fn print(document: &impl Serialize) -> anyhow::Result<()> {
    let mut out = stdout();
    // As an error of the writer, so that a broken pipe is recognised.
    serde_json::to_writer_pretty(&mut out, document).map_err(io::Error::from)?;
    writeln!(out)?;
    out.flush()?;
    Ok(())
}

/// Columns with their values, in their order. Numbers that are not finite are `null`.
#[derive(Clone, Debug, Default)]
pub(super) struct Columns(pub Vec<(String, f64)>);

impl Serialize for Columns {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}

/// A row of a table: names of columns with the numbers and texts of its cells; empty cells are `null`.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(pub Vec<(String, String)>);

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            match (cell.as_str(), cell.parse::<u64>(), cell.parse::<f64>()) {
                ("", ..) => map.serialize_entry(name, &())?,
                (_, Ok(number), _) => map.serialize_entry(name, &number)?,
                (_, _, Ok(number)) if number.is_finite() => map.serialize_entry(name, &number)?,
                (text, ..) => map.serialize_entry(name, text)?,
            }
        }
        map.end()
    }
}

/// A problem or a warning.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Message {
    /// The place in the file, counted from 1.
    line: Option<usize>,
    column: Option<usize>,
    /// The field; empty for the file as a whole.
    path: String,
    message: String,
}

impl From<&Problem> for Message {
    fn from(Problem { place, path, message }: &Problem) -> Self {
        let (line, column) = place.map(|place| (place.line, place.column)).unzip();
        Self { line, column, path: path.clone(), message: message.clone() }
    }
}

/// Problems or warnings, in their order.
pub(super) fn messages(problems: &[Problem]) -> Vec<Message> {
    problems.iter().map(Message::from).collect()
}

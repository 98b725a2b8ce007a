//! Spawners that read a table: a row for each agent, a column for each key of its description.

use std::path::Path;

use swarmarium_base::limits::Limits;
use swarmarium_core::spawner::table::sheet::{CellError, Row, Sheet, SheetError};
use swarmarium_core::spawner::table::{Table, TableRow};

use super::agent::{Agent, is_agent_key};
use super::expression::{evaluate, number};
use super::fields::{Fields, Reader, as_whole, limits};
use crate::language::python::Value;

/// Why a table cannot be imported.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
enum TableError {
    /// The file cannot be read.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// A column has no counterpart.
    #[error("`{file}`, row 1: the column `{column}` cannot be imported yet, only `position` and `angle`")]
    Column {
        /// The file.
        file: String,
        /// The name of the column.
        column: String,
    },
    /// A cell has a value of another kind.
    #[error("`{file}`, {error}")]
    Cell {
        /// The file.
        file: String,
        /// The error of the cell.
        error: CellError,
    },
}

/// Reads the table of a spawner. Only the first rows count if the spawner gives a number of agents.
pub fn table(reader: &mut Reader, fields: &Fields, agent: &Agent, most: Option<u32>) -> Option<Table> {
    let Some((spot, file)) = fields.get("file_name").and_then(|spot| Some((spot.clone(), spot.node.text()?))) else {
        reader.problem(&fields.spot, "`file_name` is missing");
        return None;
    };
    let sheet = fields.get("sheet");
    let index = sheet.as_ref().and_then(|spot| as_whole(spot.node)).map(|index| index.to_string());
    let sheet = index.or_else(|| fields.text("sheet")).unwrap_or_default();
    let path = match reader.sources.find(file) {
        Ok(path) => path,
        Err(error) => {
            reader.problem(&spot, error.to_string());
            return None;
        }
    };
    let (folder, name) = (path.parent().unwrap_or(Path::new("")), path.file_name().unwrap_or_default());
    let read = Sheet::read(folder, &name.to_string_lossy(), &sheet).map_err(TableError::from);
    // The scene names a file in its folder, however the world names it.
    let inside =
        reader.folder.canonicalize().ok().and_then(|folder| path.strip_prefix(folder).ok().map(Path::to_owned));
    let file = inside.map_or_else(|| file.to_owned(), |path| path.display().to_string());
    let read = read.and_then(|table| Ok((rows(&table, &file, agent, most.unwrap_or(u32::MAX))?, table)));
    match read {
        Ok((rows, table)) => {
            for column in table.columns.iter().filter(|column| !matches!(column.as_str(), "position" | "angle" | "")) {
                let message = match column.as_str() {
                    "name" => "the column `name` is ignored: agents are named by their group".to_owned(),
                    other => {
                        format!("the column `{other}` has no effect in RobotSwarmSimulator either: no agent has it")
                    }
                };
                reader.warning(&spot, message);
            }
            Some(Table { file, sheet, rows, ..Table::default() })
        }
        Err(error) => {
            reader.problem(&spot, error.to_string());
            None
        }
    }
}

/// The rows of a table as poses. The description of the agent completes them.
fn rows(table: &Sheet, file: &str, agent: &Agent, most: u32) -> Result<Vec<TableRow>, TableError> {
    let known = ["position", "angle", "name"];
    let is_missing = |column: &&String| !known.contains(&column.as_str()) && is_agent_key(column);
    if let Some(column) = table.columns.iter().find(is_missing) {
        return Err(TableError::Column { file: file.to_owned(), column: column.clone() });
    }
    let [position, angle, _] = known.map(|name| table.columns.iter().position(|column| column == name));
    let cell_error = |row: &Row, column: usize, expected: &str| TableError::Cell {
        file: file.to_owned(),
        error: CellError {
            row: row.number,
            column: table.columns[column].clone(),
            expected: expected.to_owned(),
            found: format!("`{}`", row.shown(column)),
        },
    };
    let row = |row: &Row| {
        let mut result =
            TableRow { x_m: agent.position_m.x, y_m: agent.position_m.y, heading_rad: Some(agent.heading_rad) };
        if let Some(column) = position {
            let point = point(row.cell(column));
            [result.x_m, result.y_m] = point.ok_or_else(|| cell_error(row, column, "a point such as `[1, 2]`"))?;
        }
        if let Some(column) = angle.filter(|column| !row.cell(*column).is_empty()) {
            let heading = number(row.cell(column).trim()).filter(|angle| Limits::FINITE.allow(*angle));
            result.heading_rad = Some(heading.ok_or_else(|| cell_error(row, column, "a finite number"))?);
        }
        Ok(result)
    };
    table.rows.iter().take(most as usize).map(row).collect()
}

/// A point of two numbers: an expression such as `[1, 2 * pi]` or `array([5., 5.])`, or numbers in brackets with blanks
/// between them, as numpy writes arrays.
fn point(cell: &str) -> Option<[f64; 2]> {
    let numbers: Vec<f64> = match evaluate(cell.trim()) {
        Ok(value) => value.items()?.iter().map(Value::as_f64).collect::<Option<_>>()?,
        Err(_) => {
            let inner = cell.trim().strip_prefix('[')?.strip_suffix(']')?;
            inner.split_whitespace().map(|number| number.parse().ok()).collect::<Option<_>>()?
        }
    };
    let point: [f64; 2] = numbers.try_into().ok()?;
    let limits = limits::<TableRow>("x_m");
    point.iter().all(|number| limits.allow(*number)).then_some(point)
}

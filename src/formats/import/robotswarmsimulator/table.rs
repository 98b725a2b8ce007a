//! Spawners that read a table: a row for each agent, a column for each key of its description.

use swarmarium_base::limits::Limits;
use swarmarium_core::spawner::table::sheet::{CellError, Row, Sheet, SheetError};
use swarmarium_core::spawner::table::{Table, TableRow};

use super::agent::Agent;
use super::expression::number;
use super::fields::{Fields, Reader, limits};

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
    let sheet = fields.text("sheet").unwrap_or_default();
    let read = Sheet::read(&reader.folder, file, &sheet).map_err(TableError::from);
    let read = read.and_then(|table| Ok((rows(&table, file, agent, most.unwrap_or(u32::MAX))?, table)));
    match read {
        Ok((rows, table)) => {
            if table.columns.iter().any(|column| column == "name") {
                reader.warning(&spot, "the column `name` is ignored: agents are named by their group");
            }
            Some(Table { file: file.to_string(), sheet, rows })
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
    if let Some(column) = table.columns.iter().find(|column| !known.contains(&column.as_str())) {
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
            let heading = number(row.cell(column)).filter(|angle| Limits::FINITE.allow(*angle));
            result.heading_rad = Some(heading.ok_or_else(|| cell_error(row, column, "a finite number"))?);
        }
        Ok(result)
    };
    table.rows.iter().take(most as usize).map(row).collect()
}

/// The longest text of a point, in bytes.
const MAX_POINT_LENGTH: usize = 1000;

/// Two numbers or expressions in brackets.
fn point(cell: &str) -> Option<[f64; 2]> {
    let cell = cell.trim();
    // The search below tries every comma.
    if cell.len() > MAX_POINT_LENGTH {
        return None;
    }
    let list = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']'));
    let inner = list.or_else(|| cell.strip_prefix('(')?.strip_suffix(')'))?;
    // Arguments of functions have commas, too: the first comma with an expression on either side counts.
    let mut commas = inner.match_indices(',');
    let point = commas.find_map(|(at, _)| Some([number(&inner[..at])?, number(&inner[at + 1..])?]))?;
    let limits = limits::<TableRow>("x_m");
    point.iter().all(|number| limits.allow(*number)).then_some(point)
}

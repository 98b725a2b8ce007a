//! Spawners that read a table: a row for each agent, a column for each key of its description.

use swarmarium_base::files;
use swarmarium_base::limits::Limits;
use swarmarium_core::spawner::table::sheet::{Row, Sheet};
use swarmarium_core::spawner::table::{Table, TableRow};

use super::agent::Agent;
use super::expression::number;
use super::fields::{Fields, Reader, limits};

/// Reads the table of a spawner: its first rows, when it says how many.
pub fn table(reader: &mut Reader, fields: &Fields, agent: &Agent, most: Option<u32>) -> Option<Table> {
    let Some((spot, file)) = fields.get("file_name").and_then(|spot| Some((spot.clone(), spot.node.text()?))) else {
        reader.problem(&fields.spot, "`file_name` is missing");
        return None;
    };
    let sheet = fields.text("sheet").unwrap_or_default();
    let path = files::within(&reader.folder, file);
    let read = path.and_then(|path| Sheet::read(&path, file, &sheet)).and_then(|table| {
        let rows = rows(&table, agent, most.unwrap_or(u32::MAX)).map_err(|message| format!("`{file}`, {message}"))?;
        Ok((table, rows))
    });
    match read {
        Ok((table, rows)) => {
            if table.columns.iter().any(|column| column == "name") {
                reader.warning(&spot, "the column `name` is ignored: agents are named by their group");
            }
            Some(Table { file: file.to_string(), sheet, rows })
        }
        Err(message) => {
            reader.problem(&spot, message);
            None
        }
    }
}

fn rows(table: &Sheet, agent: &Agent, most: u32) -> Result<Vec<TableRow>, String> {
    let known = ["position", "angle", "name"];
    if let Some(column) = table.columns.iter().find(|column| !known.contains(&column.as_str())) {
        return Err(format!("row 1: the column `{column}` cannot be imported yet, only `position` and `angle`"));
    }
    let [position, angle, _] = known.map(|name| table.columns.iter().position(|column| column == name));
    let row = |row: &Row| {
        let mut result =
            TableRow { x_m: agent.position_m.x, y_m: agent.position_m.y, heading_rad: Some(agent.heading_rad) };
        if let Some(column) = position {
            let point = point(row.cell(column)).ok_or_else(|| {
                table.at(row, column, &format!("expected a point such as `[1, 2]`, found `{}`", row.shown(column)))
            });
            [result.x_m, result.y_m] = point?;
        }
        if let Some(column) = angle.filter(|column| !row.cell(*column).is_empty()) {
            let heading = number(row.cell(column)).filter(|angle| Limits::FINITE.allow(*angle));
            result.heading_rad = Some(heading.ok_or_else(|| {
                table.at(row, column, &format!("expected a finite number, found `{}`", row.shown(column)))
            })?);
        }
        Ok(result)
    };
    table.rows.iter().take(most as usize).map(row).collect()
}

/// The longest text of a point, in bytes.
const LONGEST_POINT: usize = 1000;

/// Two numbers or expressions in brackets.
fn point(cell: &str) -> Option<[f64; 2]> {
    let cell = cell.trim();
    // Every comma is tried.
    if cell.len() > LONGEST_POINT {
        return None;
    }
    let list = cell.strip_prefix('[').and_then(|cell| cell.strip_suffix(']'));
    let inner = list.or_else(|| cell.strip_prefix('(')?.strip_suffix(')'))?;
    // A comma may also stand between arguments: the first one with an expression on either side counts.
    let mut commas = inner.match_indices(',');
    let point = commas.find_map(|(at, _)| Some([number(&inner[..at])?, number(&inner[at + 1..])?]))?;
    let limits = limits::<TableRow>("x_m");
    point.iter().all(|number| limits.allow(*number)).then_some(point)
}

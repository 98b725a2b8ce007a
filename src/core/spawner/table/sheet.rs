//! Reading tables: `.csv` files, and sheets of `.xlsx` workbooks.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _};
use std::path::Path;

use calamine::{DataRef, Reader as _, Xlsx};
use swarmarium_base::files;
use swarmarium_base::limits::{Limits, MAX_AGENTS};
use swarmarium_base::problem::did_you_mean;
use zip::ZipArchive;

/// The largest file.
const MAX_BYTES: u64 = 64 << 20;
/// The most that a workbook may hold when it is unpacked: a small one can claim any size.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;
/// The most columns.
const MAX_COLUMNS: usize = 256;
/// The most cells: each takes some memory, however little it says.
const MAX_CELLS: usize = 4_000_000;

/// A table of texts with named columns.
#[derive(Debug, Default, PartialEq)]
pub struct Sheet {
    /// The names of the columns: what the first row says.
    pub columns: Vec<String>,
    /// The rows below it, without empty ones.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Default, PartialEq)]
pub struct Row {
    /// Its number in the file, counted from 1.
    pub number: usize,
    /// What its cells say.
    cells: Vec<String>,
}

impl Row {
    /// What a cell says; nothing where there is none.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// The number in a cell.
    pub fn number(&self, column: usize, limits: Limits) -> Result<f64, String> {
        let cell = self.cell(column);
        let number = cell.parse().ok().filter(|number| limits.allow(*number));
        number.ok_or_else(|| match cell {
            "" => format!("expected {}, found nothing", limits.expected()),
            _ => format!("expected {}, found `{}`", limits.expected(), self.shown(column)),
        })
    }

    /// What a cell says, cut short.
    pub fn shown(&self, column: usize) -> String {
        self.cell(column).chars().take(40).collect()
    }
}

impl Sheet {
    /// Reads a file, and of a workbook the sheet with this name or place; `name` is what the user calls the file.
    pub fn read(path: &Path, name: &str, sheet: &str) -> Result<Self, String> {
        let bytes = files::read_at_most(path, MAX_BYTES).map_err(|error| format!("`{name}` {error}"))?;
        let extension = path.extension().unwrap_or_default();
        let table = if extension.eq_ignore_ascii_case("csv") {
            csv(&bytes)
        } else if extension.eq_ignore_ascii_case("xlsx") {
            workbook(bytes, sheet)
        } else {
            return Err(format!("`{name}` is no table: expected a `.csv` or `.xlsx` file"));
        };
        let table = table.map_err(|error| format!("`{name}`, {error}"))?;
        match table.rows.len() {
            0 => Err(format!("`{name}` has no rows below the names of its columns")),
            _ => Ok(table),
        }
    }

    /// What is wrong with a cell, with its place.
    pub fn at(&self, row: &Row, column: usize, error: &str) -> String {
        format!("row {}, `{}`: {error}", row.number, self.columns[column])
    }

    /// From the rows of a file, the first of which names the columns.
    fn from_rows(rows: impl Iterator<Item = Result<Row, String>>) -> Result<Self, String> {
        let is_empty = |row: &Row| row.cells.iter().all(String::is_empty);
        let mut rows = rows.filter(|row| !row.as_ref().is_ok_and(is_empty));
        let Some(mut names) = rows.next().transpose()? else { return Ok(Self::default()) };
        let used = names.cells.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        names.cells.truncate(used);
        let fit = |(index, row): (usize, Result<Row, String>)| {
            let mut row = row?;
            if row.cells.iter().skip(used).any(|cell| !cell.is_empty()) {
                return Err(format!("row {}: more cells than the {used} columns of row {}", row.number, names.number));
            }
            if index as f64 >= MAX_AGENTS {
                return Err(format!("it has more than {MAX_AGENTS} rows"));
            }
            if (index + 1) * used > MAX_CELLS {
                return Err(format!("it has more than {MAX_CELLS} cells"));
            }
            row.cells.truncate(used);
            Ok(row)
        };
        let rows = rows.enumerate().map(fit).collect::<Result<_, _>>()?;
        Ok(Self { columns: names.cells, rows })
    }
}

fn csv(bytes: &[u8]) -> Result<Sheet, String> {
    // Spreadsheets begin their files with a mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(bytes);
    Sheet::from_rows(reader.records().map(|record| {
        let record = record.map_err(|error| match error.position() {
            Some(position) => format!("row {}: is not text", position.line()),
            None => error.to_string(),
        })?;
        let number = record.position().map_or(0, |position| line_of(bytes, position));
        match record.len() > MAX_COLUMNS {
            true => Err(format!("row {number}: has more than {MAX_COLUMNS} cells")),
            false => Ok(Row { number, cells: record.iter().map(str::to_string).collect() }),
        }
    }))
}

/// The line of a record. Its position is that of the empty lines before it.
fn line_of(bytes: &[u8], position: &csv::Position) -> usize {
    let ahead = bytes.get(position.byte() as usize..).unwrap_or_default();
    let empty = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() as usize + empty.filter(|byte| **byte == b'\n').count()
}

fn workbook(bytes: Vec<u8>, sheet: &str) -> Result<Sheet, String> {
    if !unpacks_within_limits(&bytes).map_err(unusable)? {
        return Err(format!("its contents are larger than {} MiB", MAX_UNPACKED_BYTES >> 20));
    }
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(unusable)?;
    let names = workbook.sheet_names();
    let by_place = || sheet.parse::<usize>().ok().and_then(|place| names.get(place));
    let name = match sheet {
        "" => names.first(),
        _ => names.iter().find(|name| *name == sheet).or_else(by_place),
    };
    let Some(name) = name else {
        let near = did_you_mean(sheet, names.iter().map(String::as_str));
        return Err(format!("it has no sheet `{sheet}`{near} (has `{}`)", names.join("`, `")));
    };
    Sheet::from_rows(rows_of(&mut workbook, name)?.into_iter().map(Ok))
}

fn unusable(error: impl std::fmt::Display) -> String {
    format!("it cannot be read as a workbook: {error}")
}

/// Unpacks a workbook into nothing, to see how much there is of it.
fn unpacks_within_limits(bytes: &[u8]) -> Result<bool, zip::result::ZipError> {
    let mut archive = ZipArchive::new(Cursor::new(bytes))?;
    let mut left = MAX_UNPACKED_BYTES;
    for index in 0..archive.len() {
        let unpacked = io::copy(&mut archive.by_index(index)?.take(left + 1), &mut io::sink())?;
        match left.checked_sub(unpacked) {
            Some(rest) => left = rest,
            None => return Ok(false),
        }
    }
    Ok(true)
}

/// The rows that have cells. They are read one by one: a table of all that lies between two cells could be any size.
fn rows_of(workbook: &mut Xlsx<Cursor<Vec<u8>>>, sheet: &str) -> Result<Vec<Row>, String> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(unusable)?;
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    while let Some(cell) = cells.next_cell().map_err(unusable)? {
        let ((row, column), text) = (cell.get_position(), text_of(cell.get_value()));
        if text.is_empty() {
            continue;
        }
        if column as usize >= MAX_COLUMNS {
            return Err(format!("row {}: has more than {MAX_COLUMNS} cells", row + 1));
        }
        let cells = rows.entry(row).or_default();
        let before = cells.len();
        cells.resize(before.max(column as usize + 1), String::new());
        count += cells.len() - before;
        if count > MAX_CELLS {
            return Err(format!("it has more than {MAX_CELLS} cells"));
        }
        cells[column as usize] = text;
    }
    Ok(rows.into_iter().map(|(row, cells)| Row { number: row as usize + 1, cells }).collect())
}

fn text_of(value: &DataRef) -> String {
    match value {
        DataRef::Int(number) => number.to_string(),
        DataRef::Float(number) => number.to_string(),
        DataRef::String(text) => text.trim().to_string(),
        DataRef::SharedString(text) => text.trim().to_string(),
        DataRef::Bool(is_true) => is_true.to_string(),
        DataRef::Error(error) => error.to_string(),
        DataRef::DateTime(time) => time.as_f64().to_string(),
        DataRef::DateTimeIso(text) | DataRef::DurationIso(text) => text.clone(),
        DataRef::Empty => String::new(),
    }
}

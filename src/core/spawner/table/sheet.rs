//! Reading tables: `.csv` files, and sheets of `.xlsx` workbooks.

use std::collections::BTreeMap;
use std::io::{self, Cursor, Read as _};
use std::path::Path;

use calamine::{DataRef, Reader as _, Xlsx};
use swarmarium_base::files::{self, FileError, LookupError};
use swarmarium_base::limits::{Limits, MAX_AGENTS};
use swarmarium_base::problem::did_you_mean;
use thiserror::Error;
use zip::ZipArchive;

/// The largest size of a file, in bytes.
const MAX_BYTES: u64 = 64 << 20;
/// The largest size of an unpacked workbook, in bytes: a small file can unpack to any size.
const MAX_UNPACKED_BYTES: u64 = 256 << 20;
/// The largest number of columns.
const MAX_COLUMNS: usize = 256;
/// The largest number of cells: each takes some memory, even if it is short.
const MAX_CELLS: usize = 4_000_000;

/// The reason why a file is not a table.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum SheetError {
    /// The path leads to no file in the folder of the scene.
    #[error(transparent)]
    Lookup(#[from] LookupError),
    /// The file cannot be read.
    #[error("`{name}` {error}")]
    File {
        /// The name of the file.
        name: String,
        /// The reason.
        error: FileError,
    },
    /// The name of the file ends neither with `.csv` nor with `.xlsx`.
    #[error("`{0}` is not a table: expected a `.csv` or `.xlsx` file")]
    Extension(String),
    /// The table has no rows below the names of its columns.
    #[error("`{0}` has no rows below the names of its columns")]
    NoRows(String),
    /// The content is not valid, or too large.
    #[error("`{name}`, {error}")]
    Content {
        /// The name of the file.
        name: String,
        /// The reason.
        error: ContentError,
    },
}

/// The reason why the content of a file is not a table.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum ContentError {
    /// A row is not text.
    #[error("row {0}: is not text")]
    NotText(u64),
    /// The CSV reader reports an error.
    #[error("{0}")]
    Csv(String),
    /// The file is not a workbook.
    #[error("it cannot be read as a workbook: {0}")]
    Workbook(String),
    /// The unpacked workbook is too large.
    #[error("its contents are larger than {} MiB", MAX_UNPACKED_BYTES >> 20)]
    Unpacked,
    /// The workbook has no sheet with this name or index.
    #[error("it has no sheet `{sheet}`{suggestion} (has `{}`)", .sheets.join("`, `"))]
    UnknownSheet {
        /// The name or index.
        sheet: String,
        /// The nearest name, as part of a message; empty if no name is near.
        suggestion: String,
        /// The names of all sheets.
        sheets: Vec<String>,
    },
    /// A row has more cells than a table may have columns.
    #[error("row {0}: has more than {MAX_COLUMNS} cells")]
    TooManyColumns(usize),
    /// A row has more cells than the table has columns.
    #[error("row {row}: more cells than the {columns} columns of row {first}")]
    MoreCells {
        /// The number of the row.
        row: usize,
        /// The number of columns.
        columns: usize,
        /// The number of the row that names the columns.
        first: usize,
    },
    /// The table has more rows than a scene may have agents.
    #[error("it has more than {} rows", MAX_AGENTS)]
    TooManyRows,
    /// The table is too large.
    #[error("it has more than {} cells", MAX_CELLS)]
    TooManyCells,
}

/// The error of a cell whose value is not valid in its column.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
#[error("row {row}, `{column}`: expected {expected}, found {found}")]
pub struct CellError {
    /// The number of the row.
    pub row: usize,
    /// The name of the column.
    pub column: String,
    /// The valid values of the column, such as `a finite number`.
    pub expected: String,
    /// The text of the cell in quotes, shortened; or `nothing`.
    pub found: String,
}

/// A table of texts with named columns.
#[derive(Debug, Default, PartialEq)]
pub struct Sheet {
    /// The names of the columns, from the first row.
    pub columns: Vec<String>,
    /// The rows below it, without empty ones.
    pub rows: Vec<Row>,
}

/// A row of a table.
#[derive(Debug, Default, PartialEq)]
pub struct Row {
    /// The number of the row in the file, counted from 1.
    pub number: usize,
    /// The texts of the cells.
    cells: Vec<String>,
}

impl Row {
    /// The text of a cell; empty if there is none.
    pub fn cell(&self, column: usize) -> &str {
        self.cells.get(column).map_or("", String::as_str)
    }

    /// The text of a cell, shortened.
    pub fn shown(&self, column: usize) -> String {
        self.cell(column).chars().take(40).collect()
    }
}

impl Sheet {
    /// Reads a file; of a workbook, the sheet with this name or index. The path is relative to `folder`.
    ///
    /// # Errors
    /// If the file is outside the folder, is missing, or is not a table.
    pub fn read(folder: &Path, name: &str, sheet: &str) -> Result<Self, SheetError> {
        let path = files::within(folder, name)?;
        let bytes =
            files::read_at_most(&path, MAX_BYTES).map_err(|error| SheetError::File { name: name.to_owned(), error })?;
        let extension = path.extension().unwrap_or_default();
        let table = if extension.eq_ignore_ascii_case("csv") {
            csv(&bytes)
        } else if extension.eq_ignore_ascii_case("xlsx") {
            workbook(bytes, sheet)
        } else {
            return Err(SheetError::Extension(name.to_owned()));
        };
        let table = table.map_err(|error| SheetError::Content { name: name.to_owned(), error })?;
        match table.rows.len() {
            0 => Err(SheetError::NoRows(name.to_owned())),
            _ => Ok(table),
        }
    }

    /// The number in a cell.
    ///
    /// # Errors
    /// If the cell contains no number, or one beyond the limits.
    pub fn number(&self, row: &Row, column: usize, limits: Limits) -> Result<f64, CellError> {
        let cell = row.cell(column);
        let number = cell.parse().ok().filter(|number| limits.allow(*number));
        number.ok_or_else(|| CellError {
            row: row.number,
            column: self.columns[column].clone(),
            expected: limits.expected(),
            found: if cell.is_empty() { "nothing".into() } else { format!("`{}`", row.shown(column)) },
        })
    }

    /// Creates a table from the rows of a file, the first of which names the columns.
    fn from_rows(rows: impl Iterator<Item = Result<Row, ContentError>>) -> Result<Self, ContentError> {
        let is_empty = |row: &Row| row.cells.iter().all(String::is_empty);
        let mut rows = rows.filter(|row| !row.as_ref().is_ok_and(is_empty));
        let Some(mut names) = rows.next().transpose()? else { return Ok(Self::default()) };
        let used = names.cells.iter().rposition(|name| !name.is_empty()).map_or(0, |last| last + 1);
        names.cells.truncate(used);
        let fit = |(index, row): (usize, Result<Row, ContentError>)| {
            let mut row = row?;
            if row.cells.iter().skip(used).any(|cell| !cell.is_empty()) {
                let (columns, first) = (used, names.number);
                return Err(ContentError::MoreCells { row: row.number, columns, first });
            }
            if index as f64 >= MAX_AGENTS {
                return Err(ContentError::TooManyRows);
            }
            if (index + 1) * used > MAX_CELLS {
                return Err(ContentError::TooManyCells);
            }
            row.cells.truncate(used);
            Ok(row)
        };
        let rows = rows.enumerate().map(fit).collect::<Result<_, _>>()?;
        Ok(Self { columns: names.cells, rows })
    }
}

fn csv(bytes: &[u8]) -> Result<Sheet, ContentError> {
    // Spreadsheet programs begin their files with a byte order mark.
    let bytes = bytes.strip_prefix("\u{feff}".as_bytes()).unwrap_or(bytes);
    let mut reader =
        csv::ReaderBuilder::new().has_headers(false).flexible(true).trim(csv::Trim::All).from_reader(bytes);
    Sheet::from_rows(reader.records().map(|record| {
        let record = record.map_err(|error| match error.position() {
            Some(position) => ContentError::NotText(position.line()),
            None => ContentError::Csv(error.to_string()),
        })?;
        let number = record.position().map_or(0, |position| line_of(bytes, position));
        match record.len() > MAX_COLUMNS {
            true => Err(ContentError::TooManyColumns(number)),
            false => Ok(Row { number, cells: record.iter().map(str::to_string).collect() }),
        }
    }))
}

/// The line of a record. The position is that of the empty lines before it.
fn line_of(bytes: &[u8], position: &csv::Position) -> usize {
    let ahead = bytes.get(position.byte() as usize..).unwrap_or_default();
    let empty = ahead.iter().take_while(|byte| matches!(byte, b'\r' | b'\n'));
    position.line() as usize + empty.filter(|byte| **byte == b'\n').count()
}

fn workbook(bytes: Vec<u8>, sheet: &str) -> Result<Sheet, ContentError> {
    if !unpacks_within_limits(&bytes).map_err(unusable)? {
        return Err(ContentError::Unpacked);
    }
    let mut workbook = Xlsx::new(Cursor::new(bytes)).map_err(unusable)?;
    let names = workbook.sheet_names();
    // An index can count from the last sheet.
    let place = |index: i64| if index < 0 { index + names.len() as i64 } else { index };
    let by_place = || sheet.parse().ok().and_then(|index| names.get(usize::try_from(place(index)).ok()?));
    let name = match sheet {
        "" => names.first(),
        _ => names.iter().find(|name| *name == sheet).or_else(by_place),
    };
    let Some(name) = name else {
        let suggestion = did_you_mean(sheet, names.iter().map(String::as_str));
        return Err(ContentError::UnknownSheet { sheet: sheet.to_owned(), suggestion, sheets: names });
    };
    Sheet::from_rows(rows_of(&mut workbook, name)?.into_iter().map(Ok))
}

fn unusable(error: impl std::fmt::Display) -> ContentError {
    ContentError::Workbook(error.to_string())
}

/// Unpacks a workbook and discards the data, to check its size.
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

/// The rows with cells, read one by one: a table of everything between the first and the last cell could have any size.
fn rows_of(workbook: &mut Xlsx<Cursor<Vec<u8>>>, sheet: &str) -> Result<Vec<Row>, ContentError> {
    let mut cells = workbook.worksheet_cells_reader(sheet).map_err(unusable)?;
    let mut rows: BTreeMap<u32, Vec<String>> = BTreeMap::new();
    let mut count = 0;
    while let Some(cell) = cells.next_cell().map_err(unusable)? {
        let ((row, column), text) = (cell.get_position(), text_of(cell.get_value()));
        if text.is_empty() {
            continue;
        }
        if column as usize >= MAX_COLUMNS {
            return Err(ContentError::TooManyColumns(row as usize + 1));
        }
        let cells = rows.entry(row).or_default();
        let before = cells.len();
        cells.resize(before.max(column as usize + 1), String::new());
        count += cells.len() - before;
        if count > MAX_CELLS {
            return Err(ContentError::TooManyCells);
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

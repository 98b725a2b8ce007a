//! Poses from a table: a `.csv` file, the trace of a run, a workbook, or rows in the scene.

use std::fmt;
use std::path::Path;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::files;
use swarmarium_base::limits::{Limits, MAX_AGENTS, MAX_LENGTH_M};
use swarmarium_base::problem::did_you_mean;
use thiserror::Error;

use super::{Place, Spawner, center_of};
use crate::kind::{SearchWords, SkipIfEmpty, kind};
use crate::random::Stream;

pub mod sheet;
mod trace;

use sheet::{CellError, Row, Sheet, SheetError};

/// The reason why the file of a [`Table`] cannot be used.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum TableError {
    /// The file is not a table, or not in the folder of the scene.
    #[error(transparent)]
    Sheet(#[from] SheetError),
    /// The table does not contain valid poses.
    #[error("`{file}`, {error}")]
    Rows {
        /// The name of the file.
        file: String,
        /// The reason.
        error: RowsError,
    },
}

/// The reason why a table does not contain valid poses.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum RowsError {
    /// A column has an unknown name.
    #[error("row 1: unknown column `{name}`{suggestion} (can be `x_m`, `y_m`, `heading_rad`)")]
    UnknownColumn {
        /// The name of the column.
        name: String,
        /// The nearest name, as part of a message; empty if no name is near.
        suggestion: String,
    },
    /// Two columns have the same name.
    #[error("row 1: the column `{0}` occurs twice")]
    RepeatedColumn(String),
    /// A column for a coordinate is missing; the columns found.
    #[error("row 1: expected the columns `x_m` and `y_m`, found `{}`", .0.join("`, `"))]
    MissingColumn(Vec<String>),
    /// A cell does not contain a number within limits.
    #[error(transparent)]
    Cell(#[from] CellError),
    /// A moment or a name is set for a table that is not a trace.
    #[error("`at` and `of` are for traces, which have the columns `step` and `agent`")]
    NotATrace,
    /// A trace lacks a column.
    #[error("row 1: a trace needs the column `{0}`")]
    NoTraceColumn(&'static str),
    /// The trace does not have the moment.
    #[error("there is no {wanted}: the trace {steps}")]
    NoMoment {
        /// The moment.
        wanted: String,
        /// What the trace has.
        steps: String,
    },
    /// The trace has no robot of the name at the moment.
    #[error("at this moment there is no robot or group `{of}`{suggestion} (has `{}`)", .names.join("`, `"))]
    UnknownRobot {
        /// The name.
        of: String,
        /// The nearest name, as part of a message; empty if no name is near.
        suggestion: String,
        /// The groups of the trace at the moment.
        names: Vec<String>,
    },
    /// The trace has more robots than a scene may have.
    #[error("it has more than {} robots at this moment", MAX_AGENTS)]
    TooManyRobots,
    /// A row of the trace is not text.
    #[error("row {0}: is not text")]
    NotText(u64),
    /// The trace cannot be read.
    #[error("{0}")]
    Trace(String),
}

/// Places one robot for each row of a table, in that order; `count` of the group is ignored.
#[kind(section = "Exact", words = "list, csv, file, positions")]
pub struct Table {
    /// A `.csv` or `.xlsx` file in the folder of the scene or below it. The file is read when the scene is opened.
    ///
    /// Its first row names the columns: `x_m`, `y_m` and, optionally, `heading_rad`. A file with the columns `step` and
    /// `agent` is the trace of a run, `trace.csv`: it gives the poses of the robots at one of its moments.
    pub file: String,
    /// The moment of a trace.
    #[reflect(@SkipIfEmpty)]
    pub at: TraceMoment,
    /// Name of the group or the robot of a trace; empty for all robots.
    #[reflect(@SkipIfEmpty)]
    pub of: String,
    /// Name of the sheet of a workbook, or its index counted from 0 (−1 for the last); empty for the first sheet.
    pub sheet: String,
    /// The rows. If there are any, the file is not read: a saved scene does not need it.
    pub rows: Vec<TableRow>,
}

/// A moment of a trace.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub enum TraceMoment {
    /// The last step.
    #[default]
    Last,
    /// A step.
    Step {
        /// Its number.
        #[reflect(@Limits::between(0.0, 9e15))]
        step: u64,
    },
    /// The last step up to a time.
    Time {
        /// The time in simulated seconds.
        #[reflect(@Limits::between(0.0, 1e15))]
        t_s: f64,
    },
}

impl fmt::Display for TraceMoment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Last => f.write_str("last step"),
            Self::Step { step } => write!(f, "step {step}"),
            Self::Time { t_s } => write!(f, "step up to {t_s} s"),
        }
    }
}

/// A row of a [`Table`].
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct TableRow {
    /// Position along x.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub x_m: f64,
    /// Position along y.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub y_m: f64,
    /// Heading, anticlockwise from x; `None` for the one from `facing`.
    pub heading_rad: Option<f64>,
}

impl TableRow {
    fn position_m(&self) -> DVec2 {
        DVec2::new(self.x_m, self.y_m)
    }
}

impl Spawner for Table {
    /// The centre of the bounding box of all rows.
    fn center_m(&self) -> DVec2 {
        let positions: Vec<_> = self.rows.iter().map(TableRow::position_m).collect();
        center_of(&positions)
    }

    fn placer(&self) -> impl FnMut(u32, &mut Stream) -> Place {
        move |number, _| {
            let row = self.rows.get(number as usize).copied().unwrap_or_default();
            Place { position_m: row.position_m(), heading_rad: row.heading_rad }
        }
    }

    fn problem(&self) -> Option<String> {
        (self.rows.is_empty() && !self.file.is_empty())
            .then(|| format!("`{}` was not read: tables are read when a scene is opened from its file", self.file))
    }
}

const LENGTH: Limits = Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M);
const COLUMNS: [&str; 3] = ["x_m", "y_m", "heading_rad"];

impl Table {
    /// Reads the file, if one is named and there are no rows yet; a relative path starts from `folder`.
    ///
    /// # Errors
    /// If the file is not usable, with the file, row and column.
    pub fn read(&mut self, folder: &Path) -> Result<(), TableError> {
        if self.rows.is_empty() && !self.file.is_empty() {
            let in_rows = |error| TableError::Rows { file: self.file.clone(), error };
            let path = files::within(folder, &self.file).map_err(SheetError::from)?;
            if trace::is_trace(&path) {
                self.rows = trace::read(&path, &self.at, &self.of).map_err(in_rows)?;
                return Ok(());
            }
            if self.at != TraceMoment::Last || !self.of.is_empty() {
                return Err(in_rows(RowsError::NotATrace));
            }
            let table = Sheet::read(folder, &self.file, &self.sheet)?;
            self.rows = rows(&table).map_err(in_rows)?;
        }
        Ok(())
    }
}

fn rows(table: &Sheet) -> Result<Vec<TableRow>, RowsError> {
    for (place, name) in table.columns.iter().enumerate() {
        if !COLUMNS.contains(&name.as_str()) {
            let suggestion = did_you_mean(name, COLUMNS);
            return Err(RowsError::UnknownColumn { name: name.clone(), suggestion });
        }
        if table.columns[..place].contains(name) {
            return Err(RowsError::RepeatedColumn(name.clone()));
        }
    }
    let [x, y, heading] = COLUMNS.map(|name| table.columns.iter().position(|column| column == name));
    let (Some(x), Some(y)) = (x, y) else {
        return Err(RowsError::MissingColumn(table.columns.clone()));
    };
    let row = |row: &Row| {
        let cell = |column, limits| table.number(row, column, limits);
        let heading = heading.filter(|column| !row.cell(*column).is_empty());
        let heading_rad = heading.map(|column| cell(column, Limits::FINITE));
        Ok(TableRow { x_m: cell(x, LENGTH)?, y_m: cell(y, LENGTH)?, heading_rad: heading_rad.transpose()? })
    };
    table.rows.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::{Cursor, Write as _};

    use super::*;

    fn read(name: &str, content: impl AsRef<[u8]>, sheet: &str) -> Result<Vec<TableRow>, TableError> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join(name), content).unwrap();
        let mut table = Table { file: name.into(), sheet: sheet.into(), ..Table::default() };
        table.read(folder.path())?;
        Ok(table.rows)
    }

    fn row(x_m: f64, y_m: f64, heading_rad: impl Into<Option<f64>>) -> TableRow {
        TableRow { x_m, y_m, heading_rad: heading_rad.into() }
    }

    #[test]
    fn text_files_are_read_with_columns_in_any_order() {
        let rows = read("poses.csv", "\u{feff}heading_rad, y_m, x_m\n1.5, 2, 1\n\n,-4e-1,3\n", "").unwrap();
        assert_eq!(rows, [row(1.0, 2.0, 1.5), row(3.0, -0.4, None)]);
    }

    /// A workbook with two sheets of cells, each with its address.
    fn workbook(sheets: [&[(&str, &str)]; 2]) -> Vec<u8> {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        let mut add = |name: &str, content: &str| {
            zip.start_file(name, zip::write::SimpleFileOptions::default()).unwrap();
            zip.write_all(content.as_bytes()).unwrap();
        };
        let main = "http://schemas.openxmlformats.org/spreadsheetml/2006/main";
        let office = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
        let package = "http://schemas.openxmlformats.org/package/2006/relationships";
        add(
            "_rels/.rels",
            &format!(
                "<Relationships xmlns=\"{package}\">\
                 <Relationship Id=\"rId1\" Type=\"{office}/officeDocument\" Target=\"xl/workbook.xml\"/></Relationships>"
            ),
        );
        add(
            "xl/workbook.xml",
            &format!(
                "<workbook xmlns=\"{main}\" xmlns:r=\"{office}\"><sheets>\
                 <sheet name=\"first\" sheetId=\"1\" r:id=\"rId1\"/><sheet name=\"second\" sheetId=\"2\" r:id=\"rId2\"/>\
                 </sheets></workbook>"
            ),
        );
        let relation = |number: usize| {
            format!("<Relationship Id=\"rId{number}\" Type=\"{office}/worksheet\" Target=\"worksheets/{number}.xml\"/>")
        };
        add(
            "xl/_rels/workbook.xml.rels",
            &format!("<Relationships xmlns=\"{package}\">{}{}</Relationships>", relation(1), relation(2)),
        );
        for (number, cells) in (1..).zip(sheets) {
            let cell = |(at, text): &(&str, &str)| match text.parse::<f64>() {
                Ok(number) => format!("<row><c r=\"{at}\"><v>{number}</v></c></row>"),
                Err(_) => format!("<row><c r=\"{at}\" t=\"inlineStr\"><is><t>{text}</t></is></c></row>"),
            };
            let rows: String = cells.iter().map(cell).collect();
            add(
                &format!("xl/worksheets/{number}.xml"),
                &format!("<worksheet xmlns=\"{main}\"><sheetData>{rows}</sheetData></worksheet>"),
            );
        }
        zip.finish().unwrap().into_inner()
    }

    #[test]
    fn workbooks_are_read_by_sheet() {
        let first = [("A1", "x_m"), ("B1", "y_m"), ("A2", "0.1"), ("B2", "-7")];
        // The empty rows between two cells take no memory.
        let second = [("A2", "y_m"), ("B2", "x_m"), ("A1048576", "2"), ("B1048576", "1")];
        let book = workbook([&first, &second]);
        for sheet in ["", "first", "0"] {
            assert_eq!(read("poses.xlsx", &book, sheet), Ok(vec![row(0.1, -7.0, None)]), "{sheet}");
        }
        assert_eq!(read("poses.xlsx", &book, "second"), Ok(vec![row(1.0, 2.0, None)]));
        let error = read("poses.xlsx", &book, "secnd").unwrap_err().to_string();
        assert_eq!(error, "`poses.xlsx`, it has no sheet `secnd`; did you mean `second`? (has `first`, `second`)");
    }

    #[test]
    fn what_is_wrong_is_said_with_file_and_row() {
        let refused = |name: &str, content: &[u8]| read(name, content, "").unwrap_err().to_string();
        let rows = |text: &str| refused("poses.csv", text.as_bytes());
        let problems = [
            rows(""),
            rows("x_m,y_m\n"),
            rows("x,y_m\n1,2\n"),
            rows("x_m\n1\n"),
            rows("x_m,x_m,y_m\n1,2,3\n"),
            rows("x_m,y_m\n1,2\n\n3,here\n"),
            rows("x_m,y_m\n1,nan\n"),
            rows("x_m,y_m\n1\n"),
            rows("x_m,y_m\n1,2,3\n"),
            rows("x_m,y_m\n1,2e7\n"),
            refused("poses.csv", b"x_m,y_m\n1,\xff\n"),
            refused("poses.txt", b"x_m,y_m\n1,2\n"),
            refused("poses.xlsx", b"x_m,y_m\n1,2\n"),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
        `poses.csv` has no rows below the names of its columns
        `poses.csv` has no rows below the names of its columns
        `poses.csv`, row 1: unknown column `x` (can be `x_m`, `y_m`, `heading_rad`)
        `poses.csv`, row 1: expected the columns `x_m` and `y_m`, found `x_m`
        `poses.csv`, row 1: the column `x_m` occurs twice
        `poses.csv`, row 4, `y_m`: expected a number from -1000000 to 1000000, found `here`
        `poses.csv`, row 2, `y_m`: expected a number from -1000000 to 1000000, found `nan`
        `poses.csv`, row 2, `y_m`: expected a number from -1000000 to 1000000, found nothing
        `poses.csv`, row 2: more cells than the 2 columns of row 1
        `poses.csv`, row 2, `y_m`: expected a number from -1000000 to 1000000, found `2e7`
        `poses.csv`, row 2: is not text
        `poses.txt` is not a table: expected a `.csv` or `.xlsx` file
        `poses.xlsx`, it cannot be read as a workbook: invalid Zip archive: Could not find EOCD
        ");
    }

    #[test]
    fn files_elsewhere_are_not_read() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("inner");
        fs::create_dir(&inner).unwrap();
        fs::write(folder.path().join("poses.csv"), "x_m,y_m\n1,2\n").unwrap();
        let read = |file: &str| Table { file: file.into(), ..Table::default() }.read(&inner).unwrap_err().to_string();
        assert_eq!(read("none.csv"), "there is no file `none.csv` in the folder of the scene");
        assert_eq!(read("../poses.csv"), "`../poses.csv` is outside the folder of the scene");
        assert_eq!(read("/poses.csv"), "`/poses.csv` is outside the folder of the scene");
        #[cfg(unix)]
        {
            std::os::unix::fs::symlink(folder.path().join("poses.csv"), inner.join("link.csv")).unwrap();
            assert_eq!(read("link.csv"), "`link.csv` is outside the folder of the scene");
        }
    }

    #[test]
    fn a_workbook_that_unpacks_to_too_much_is_refused() {
        let mut zip = zip::ZipWriter::new(Cursor::new(Vec::new()));
        zip.start_file("xl/workbook.xml", zip::write::SimpleFileOptions::default()).unwrap();
        let zeros = vec![0; 1 << 20];
        for _ in 0..300 {
            zip.write_all(&zeros).unwrap();
        }
        let error = read("poses.xlsx", zip.finish().unwrap().into_inner(), "").unwrap_err().to_string();
        assert_eq!(error, "`poses.xlsx`, its contents are larger than 256 MiB");
    }
}

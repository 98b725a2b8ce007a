//! Poses from the trace of a run, `trace.csv`, at one of its moments.

use std::path::Path;

use csv::{ReaderBuilder, StringRecord, Trim};
use swarmarium_base::files;
use swarmarium_base::limits::{Limits, MAX_AGENTS};
use swarmarium_base::problem::did_you_mean;

use super::sheet::CellError;
use super::{LENGTH, RowsError, TableRow, TraceMoment};

/// The columns that make a table a trace.
const MARKS: [&str; 2] = ["step", "agent"];
/// A step number, as far as numbers with a fraction are exact.
const STEP: Limits = Limits::between(0.0, 9_007_199_254_740_992.0);

/// Whether a file begins as a trace does. A file that cannot be read is none.
pub(super) fn is_trace(path: &Path) -> bool {
    let is_csv = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("csv"));
    let Some(file) = is_csv.then(|| files::open(path).ok()).flatten() else { return false };
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(file);
    reader.headers().is_ok_and(|head| MARKS.iter().all(|mark| head.iter().any(|name| name == *mark)))
}

/// The places of columns.
struct Columns {
    step: usize,
    t_s: Option<usize>,
    name: Option<usize>,
    x_m: usize,
    y_m: usize,
    heading_rad: usize,
}

/// A row of the trace as text, with its line.
struct Line<'a> {
    head: &'a StringRecord,
    record: &'a StringRecord,
    number: usize,
}

impl Line<'_> {
    fn number(&self, column: usize, limits: Limits) -> Result<f64, CellError> {
        let cell = self.record.get(column).unwrap_or_default();
        let number = cell.parse().ok().filter(|number| limits.allow(*number));
        number.ok_or_else(|| CellError {
            row: self.number,
            column: self.head.get(column).unwrap_or_default().into(),
            expected: limits.expected(),
            found: match cell {
                "" => "nothing".into(),
                cell => format!("`{}`", cell.chars().take(40).collect::<String>()),
            },
        })
    }
}

/// Reads the poses of robots at a moment; those of one group, or of one robot, if `of` is not empty.
pub(super) fn read(path: &Path, at: &TraceMoment, of: &str) -> Result<Vec<TableRow>, RowsError> {
    let file = files::open(path).map_err(|error| RowsError::Trace(error.to_string()))?;
    let mut reader = ReaderBuilder::new().flexible(true).trim(Trim::All).from_reader(file);
    let head = reader.headers().map_err(|_| RowsError::NotText(1))?.clone();
    let columns = columns(&head, at, of)?;
    let (mut rows, mut names) = (Vec::new(), Vec::<String>::new());
    // The steps of the trace, and the one of the rows.
    let (mut first, mut last, mut found) = (None, 0.0_f64, None);
    let mut record = StringRecord::new();
    loop {
        let line = reader.position().line();
        match reader.read_record(&mut record) {
            Ok(true) => {}
            Ok(false) => break,
            Err(error) => return Err(RowsError::NotText(error.position().map_or(line, csv::Position::line))),
        }
        let number = record.position().map_or(line, csv::Position::line) as usize;
        let line = Line { head: &head, record: &record, number };
        let step = line.number(columns.step, STEP)?;
        first.get_or_insert(step);
        last = last.max(step);
        let is_wanted = match *at {
            TraceMoment::Last => found.is_none_or(|found| step >= found),
            TraceMoment::Step { step: wanted } => step == wanted as f64,
            TraceMoment::Time { t_s } => {
                let time_s = columns.t_s.map_or(Ok(0.0), |column| line.number(column, Limits::FINITE))?;
                time_s <= t_s && found.is_none_or(|found| step >= found)
            }
        };
        if !is_wanted {
            continue;
        }
        if found != Some(step) {
            (found, rows, names) = (Some(step), Vec::new(), Vec::new());
        }
        let name = columns.name.and_then(|column| record.get(column)).unwrap_or_default();
        if !of.is_empty() && !is_of(name, of) {
            let group = group_of(name);
            if names.len() < 20 && !names.iter().any(|known| known == group) {
                names.push(group.to_owned());
            }
            continue;
        }
        if rows.len() as f64 >= MAX_AGENTS {
            return Err(RowsError::TooManyRobots);
        }
        rows.push(TableRow {
            x_m: line.number(columns.x_m, LENGTH)?,
            y_m: line.number(columns.y_m, LENGTH)?,
            heading_rad: Some(line.number(columns.heading_rad, Limits::FINITE)?),
        });
    }
    if found.is_none() {
        let steps = first.map(|first| (first as u64, last as u64));
        return Err(RowsError::NoMoment { wanted: at.to_string(), steps: Steps(steps).to_string() });
    }
    if rows.is_empty() {
        let suggestion = did_you_mean(of, names.iter().map(String::as_str));
        return Err(RowsError::UnknownRobot { of: of.to_owned(), suggestion, names });
    }
    Ok(rows)
}

fn columns(head: &StringRecord, at: &TraceMoment, of: &str) -> Result<Columns, RowsError> {
    let place = |name: &str| head.iter().position(|found| found == name);
    let needed = |name: &'static str| place(name).ok_or(RowsError::NoTraceColumn(name));
    let columns = Columns {
        step: needed("step")?,
        t_s: place("t_s"),
        name: place("name"),
        x_m: needed("x_m")?,
        y_m: needed("y_m")?,
        heading_rad: needed("heading_rad")?,
    };
    if matches!(at, TraceMoment::Time { .. }) {
        needed("t_s")?;
    }
    if !of.is_empty() {
        needed("name")?;
    }
    Ok(columns)
}

/// The group of a robot, by its name: the name without a number at its end.
fn group_of(name: &str) -> &str {
    match name.rsplit_once('-') {
        Some((group, serial)) if !serial.is_empty() && serial.bytes().all(|byte| byte.is_ascii_digit()) => group,
        _ => name,
    }
}

fn is_of(name: &str, of: &str) -> bool {
    name == of || group_of(name) == of
}

/// The first and the last step of a trace, in words.
struct Steps(Option<(u64, u64)>);

impl std::fmt::Display for Steps {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some((first, last)) => write!(f, "has the steps {first} to {last}"),
            None => f.write_str("has no rows"),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::super::Table;
    use super::*;

    const TRACE: &str = "step,t_s,agent,name,x_m,y_m,heading_rad,0.BinaryFov,readings
0,0,0,red-0,1,2,0.1,0,
0,0,1,blue-1,3,4,0.2,,1;2
1,0.5,0,red-0,1.25,2.5,-7.330382858376184,1,
1,0.5,1,blue-1,3.1,4,0.3,,1;2
2,1,1,blue-1,0.30000000000000004,4.5,0.4,,1;2
";

    fn read_from(text: &str, at: TraceMoment, of: &str) -> Result<Vec<TableRow>, String> {
        let folder = tempfile::tempdir().unwrap();
        fs::write(folder.path().join("trace.csv"), text).unwrap();
        let mut table = Table { file: "trace.csv".into(), at, of: of.into(), ..Table::default() };
        table.read(folder.path()).map_err(|error| error.to_string())?;
        Ok(table.rows)
    }

    fn row(x_m: f64, y_m: f64, heading_rad: f64) -> TableRow {
        TableRow { x_m, y_m, heading_rad: Some(heading_rad) }
    }

    #[test]
    fn poses_of_a_trace_are_those_of_a_moment() {
        let read = |at, of| read_from(TRACE, at, of).unwrap();
        assert_eq!(read(TraceMoment::Last, ""), [row(0.300_000_000_000_000_04, 4.5, 0.4)]);
        let both = [row(1.25, 2.5, -7.330_382_858_376_184), row(3.1, 4.0, 0.3)];
        assert_eq!(read(TraceMoment::Step { step: 1 }, ""), both);
        assert_eq!(read(TraceMoment::Time { t_s: 0.5 }, ""), both);
        assert_eq!(read(TraceMoment::Time { t_s: 0.99 }, "red"), both[..1]);
        assert_eq!(read(TraceMoment::Step { step: 0 }, "blue-1"), [row(3.0, 4.0, 0.2)]);
    }

    #[test]
    fn problems_of_a_trace_name_file_line_and_column() {
        let refused = |text: &str, at, of| read_from(text, at, of).unwrap_err();
        let problems = [
            refused(TRACE, TraceMoment::Step { step: 3 }, ""),
            refused(TRACE, TraceMoment::Time { t_s: -1.0 }, ""),
            refused(TRACE, TraceMoment::Step { step: 1 }, "rde"),
            refused(TRACE, TraceMoment::Last, "red"),
            refused(&TRACE.replace("2.5", "here"), TraceMoment::Step { step: 1 }, ""),
            refused(&TRACE.replace("y_m", "z_m"), TraceMoment::Last, ""),
            refused("step,agent,x_m,y_m,heading_rad\n", TraceMoment::Last, ""),
            refused("step,agent,x_m,y_m,heading_rad\n0,0,1,1,0\n", TraceMoment::Last, "red"),
            refused("x_m,y_m\n1,2\n", TraceMoment::Step { step: 3 }, ""),
        ];
        insta::assert_snapshot!(problems.join("\n"), @"
        `trace.csv`, there is no step 3: the trace has the steps 0 to 2
        `trace.csv`, there is no step up to -1 s: the trace has the steps 0 to 2
        `trace.csv`, at this moment there is no robot or group `rde`; did you mean `red`? (has `red`, `blue`)
        `trace.csv`, at this moment there is no robot or group `red` (has `blue`)
        `trace.csv`, row 4, `y_m`: expected a number from -1000000 to 1000000, found `here`
        `trace.csv`, row 1: a trace needs the column `y_m`
        `trace.csv`, there is no last step: the trace has no rows
        `trace.csv`, row 1: a trace needs the column `name`
        `trace.csv`, `at` and `of` are for traces, which have the columns `step` and `agent`
        ");
    }
}

//! Results as JSON on stdout: one document for each command. The names of fields are stable.

use std::io::{self, Write as _};
use std::path::Path;

use serde::ser::SerializeMap as _;
use serde::{Serialize, Serializer};
use swarmarium_base::files::shown;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_sweep::tables::Cell;

use super::messages::without_error_numbers;
use super::{Exit, stdout};

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

/// Prints the results of a command with its status, which comes first.
///
/// # Errors
/// Those of stdout.
pub(super) fn print_results(status: &'static str, results: &impl Serialize) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Document<'a, R> {
        status: &'static str,
        #[serde(flatten)]
        results: &'a R,
    }
    print(&Document { status, results })
}

/// The status of a command that ended in a way.
pub(super) fn status_of(exit: Exit) -> &'static str {
    match exit {
        Exit::Fine => "done",
        Exit::WindowDestroyed | Exit::BadInput => "error",
        Exit::RunFailed => "failed",
        Exit::Differs => "differs",
        Exit::Interrupted => "interrupted",
    }
}

/// A file that a command has written.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Written {
    file: String,
    /// The size; `null` for a folder or a sequence of files.
    bytes: Option<u64>,
}

impl Written {
    pub(super) fn new(path: &Path) -> Self {
        let bytes = path.metadata().ok().filter(|file| file.is_file()).map(|file| file.len());
        Self { file: shown(path), bytes }
    }
}

/// Prints the files that a command has written, with its status.
///
/// # Errors
/// Those of stdout.
pub(super) fn print_files(status: &'static str, files: Vec<Written>) -> anyhow::Result<()> {
    #[derive(Serialize)]
    struct Files {
        files: Vec<Written>,
    }
    print_results(status, &Files { files })
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

/// A row of a table: names of columns with their cells. Cells without a value, and numbers that are not finite, are `null`.
#[derive(Clone, Debug, Default)]
pub(super) struct Row(pub Vec<(String, Cell)>);

impl Serialize for Row {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, cell) in &self.0 {
            match cell {
                Cell::Nothing => map.serialize_entry(name, &())?,
                Cell::Count(count) => map.serialize_entry(name, count)?,
                Cell::Number(number) => map.serialize_entry(name, number)?,
                Cell::Text(text) => map.serialize_entry(name, text)?,
                Cell::Value(value) => match (value.text().parse::<u64>(), value.number()) {
                    (Ok(count), _) => map.serialize_entry(name, &count)?,
                    (_, Some(number)) => map.serialize_entry(name, &number)?,
                    _ => map.serialize_entry(name, value.shown())?,
                },
            }
        }
        map.end()
    }
}

/// A problem or a warning.
#[derive(Clone, Debug, Serialize)]
pub(super) struct Message {
    /// The file or the option that it is about; `null` if the message names it.
    file: Option<String>,
    /// The place in the file, counted from 1.
    line: Option<usize>,
    column: Option<usize>,
    /// The field; `null` for the file as a whole.
    path: Option<String>,
    message: String,
    /// The place in a script that the message names; otherwise `null`.
    script: Option<ScriptPlace>,
}

impl Message {
    fn new(file: &str, Problem { place, path, message, .. }: &Problem) -> Self {
        let (line, column) = place.map(|place| (place.line, place.column)).unzip();
        let given = |text: &str| (!text.is_empty()).then(|| text.to_owned());
        let script = ScriptPlace::of(message);
        Self { file: given(file), line, column, path: given(path), message: message.clone(), script }
    }
}

/// A place in a script.
#[derive(Clone, Debug, Serialize)]
pub(super) struct ScriptPlace {
    pub(super) file: String,
    /// Counted from 1.
    pub(super) line: usize,
}

impl ScriptPlace {
    /// The place at which a message about a script begins, as `line.luau:3: ` does.
    pub(super) fn of(message: &str) -> Option<Self> {
        let (file, line) = message.split_once(": ")?.0.rsplit_once(':')?;
        let is_script = file.ends_with(".luau") || file.ends_with(".lua");
        Some(Self { file: file.to_owned(), line: line.parse().ok()? }).filter(|_| is_script)
    }
}

/// The failure of a command that has no result.
#[derive(Serialize)]
struct Failure {
    status: &'static str,
    error: String,
    /// The file or the option that it is about.
    source: Option<String>,
    /// The problems of a file, which are the parts of the error; otherwise empty.
    problems: Vec<Message>,
}

/// Prints the failure of a command that has no result. Errors of stdout are ignored, as the failure is reported on
/// stderr, too.
pub(super) fn print_failure(error: &anyhow::Error) {
    let of_file = error.downcast_ref::<Problems>();
    let error = without_error_numbers(&format!("{error:#}"));
    // Messages about an option begin with it, perhaps with its value.
    let option = || Some(error.split([':', ' ']).next()?.to_owned()).filter(|option| option.starts_with('-'));
    // Messages about a file begin with its name.
    let file = || {
        let (name, _) = error.split_once(": ")?;
        // A name that the program completes, such as `mine.ron` for `mine`, is not on the command line.
        let is_path = name.contains(['.', '/']) && !name.contains(char::is_whitespace);
        (is_path || std::env::args().skip(1).any(|word| word == name)).then(|| name.to_owned())
    };
    let of_problems = of_file.map(|problems| problems.source_name.clone()).filter(|name| !name.is_empty());
    let source = of_problems.or_else(option).or_else(file);
    let name = source.clone().unwrap_or_default();
    let problems = of_file.map_or_else(Vec::new, |problems| messages(&name, &problems.problems));
    _ = print(&Failure { status: "error", error, source, problems });
}

/// Prints that a command was interrupted before it had a result for a file.
pub(super) fn print_interruption(file: &str) {
    let error = "interrupted: there is no result".into();
    _ = print(&Failure { status: "interrupted", error, source: Some(file.into()), problems: Vec::new() });
}

/// Problems or warnings about a file, in their order.
pub(super) fn messages(file: &str, problems: &[Problem]) -> Vec<Message> {
    problems.iter().map(|problem| Message::new(file, problem)).collect()
}

#[cfg(test)]
mod tests {
    use swarmarium_sweep::plan::Value;

    use super::*;

    #[test]
    fn messages_about_scripts_have_their_place() {
        let place = |message: &str| ScriptPlace::of(message).map(|place| (place.file, place.line));
        assert_eq!(place("my/line.luau:3: there is no `x`: y"), Some(("my/line.luau".to_owned(), 3)));
        assert_eq!(place("line.luau: there is no such file"), None);
        assert_eq!(place("expected a number, found `a.luau:1`"), None);
    }

    #[test]
    fn cells_of_rows_keep_their_types() {
        let value = |text: &str| Cell::Value(Value::new(text));
        let cells = [
            value("12"),
            value("1e-3"),
            value("\"3\""),
            value("Disc(radius_m: 1)"),
            Cell::Count(4),
            Cell::Number(0.5),
            Cell::Number(f64::INFINITY),
            Cell::Nothing,
            Cell::Text("7".into()),
        ];
        let row = Row(cells.into_iter().enumerate().map(|(place, cell)| (place.to_string(), cell)).collect());
        let text = serde_json::to_string(&row).unwrap();
        let expected = r#"{"0":12,"1":0.001,"2":"3","3":"Disc(radius_m: 1)","4":4,"5":0.5,"6":null,"7":null,"8":"7"}"#;
        assert_eq!(text, expected);
    }
}

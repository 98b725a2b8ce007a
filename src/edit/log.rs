//! The log of edits as a file, `edits.ron`.

use super::LoggedEdit;
use crate::scene::problem::{Place, Problem, Problems};

/// Writes a log, one edit a line.
pub fn write(log: &[LoggedEdit]) -> String {
    let lines = log.iter().filter_map(|edit| ron::to_string(edit).ok()).map(|line| format!("    {line},\n"));
    format!("[\n{}]\n", lines.collect::<String>())
}

/// Reads a log and puts it in the order of steps.
///
/// # Errors
/// Says where the text is no log.
pub fn read(source_name: &str, text: &str) -> Result<Vec<LoggedEdit>, Problems> {
    let mut log: Vec<LoggedEdit> = ron::from_str(text).map_err(|error| Problems {
        source_name: source_name.into(),
        problems: vec![Problem {
            place: Some(Place { line: error.span.start.line, column: error.span.start.col }),
            path: String::new(),
            message: error.code.to_string(),
        }],
    })?;
    log.sort_by_key(|logged| logged.step);
    Ok(log)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edit;

    #[test]
    fn a_log_reads_back_as_it_was_written() {
        let log = vec![
            LoggedEdit { step: 1, edit: Edit::Set { path: "a.b".into(), value: "\"x\"".into() } },
            LoggedEdit { step: 7, edit: Edit::Move { agent: 3, x_m: 0.1, y_m: -1e-300, heading_rad: 7.0 } },
            LoggedEdit { step: 9, edit: Edit::TimeScale { scale: 4.0 } },
        ];
        assert_eq!(read("edits.ron", &write(&log)), Ok(log));
        assert_eq!(read("edits.ron", &write(&[])), Ok(vec![]));
    }

    #[test]
    fn what_is_no_log_is_said_with_its_place() {
        let error = read("edits.ron", "[\n  (step: 1, edit: Fly),\n]").unwrap_err().to_string();
        assert!(error.starts_with("edits.ron:2:"), "{error}");
    }
}

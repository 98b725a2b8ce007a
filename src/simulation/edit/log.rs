//! The log of edits as a file, `edits.ron`.

use std::io::{self, Seek, SeekFrom, Write};

use ron::error::SpannedError;
use swarmarium_base::problem::{Place, Problem, Problems};
use swarmarium_core::text::outline::{Body, Field, Node, outline};
use swarmarium_core::text::renamed::new_name;
use swarmarium_core::text::wording::found;

use super::LoggedEdit;

const BEGIN: &str = "[\n";
const END: &str = "]\n";

/// Writes a log, one edit per line.
pub fn write(log: &[LoggedEdit]) -> String {
    format!("{BEGIN}{}{END}", lines(log))
}

fn lines(log: &[LoggedEdit]) -> String {
    let lines = log.iter().filter_map(|edit| ron::to_string(edit).ok()).map(|line| format!("    {line},\n"));
    lines.collect()
}

/// A log that is written continuously and can be read at any time.
pub struct Writer<W>(W);

impl<W: Write + Seek> Writer<W> {
    /// Begins a log with its first edits.
    ///
    /// # Errors
    /// If it cannot be written.
    pub fn begin(mut file: W, log: &[LoggedEdit]) -> io::Result<Self> {
        file.write_all(write(log).as_bytes())?;
        Ok(Self(file))
    }

    /// Appends edits.
    ///
    /// # Errors
    /// If they cannot be written.
    pub fn append(&mut self, log: &[LoggedEdit]) -> io::Result<()> {
        self.0.seek(SeekFrom::End(-(END.len() as i64)))?;
        // In one write, so that the file is complete whenever the program ends.
        self.0.write_all((lines(log) + END).as_bytes())
    }
}

/// Reads a log and sorts it by step.
///
/// # Errors
/// If the text is not a log, with the place of the problem.
pub fn read(source_name: &str, text: &str) -> Result<Vec<LoggedEdit>, Problems> {
    let refused = |error: SpannedError| Problems {
        source_name: source_name.into(),
        problems: vec![problem_of_text(text).unwrap_or_else(|| Problem {
            place: Some(Place { line: error.span.start.line, column: error.span.start.col }),
            ..Problem::of_file(message(&error.code))
        })],
    };
    let mut log: Vec<LoggedEdit> = ron::from_str(text).map_err(refused)?;
    log.sort_by_key(|logged| logged.step);
    Ok(log)
}

/// The problem of a text that is not a list of edits.
fn problem_of_text(text: &str) -> Option<Problem> {
    match outline(text) {
        Ok(node) => {
            let message = other_file(&node)?;
            Some(Problem { place: Some(Place::of(text, node.span.start)), ..Problem::of_file(message) })
        }
        Err(problem) => Some(problem),
    }
}

/// The message about the outline of a text that is not a list of edits.
fn other_file(node: &Node) -> Option<String> {
    const EXAMPLE: &str = "a log of edits, such as `[(step: 100, edit: Remove(path: \"agents.3\"))]`";
    let is_scene = |fields: &[Field]| fields.iter().any(|field| ["groups", "arena", "metrics"].contains(&field.name));
    match &node.body {
        Body::List(items) => {
            let other = items.iter().find(|item| !matches!(item.body, Body::Struct { .. }));
            other.map(|other| format!("expected {EXAMPLE}, found {} in the list", found(other)))
        }
        Body::Struct { name: Some("Plan"), .. } => Some(format!("is a plan of a sweep: expected {EXAMPLE}")),
        Body::Struct { name: Some("Scene"), .. } => Some(format!("is a scene: expected {EXAMPLE}")),
        Body::Struct { name: None, fields } if is_scene(fields) => Some(format!("is a scene: expected {EXAMPLE}")),
        _ => Some(format!("expected {EXAMPLE}, found {}", found(node))),
    }
}

fn message(error: &ron::Error) -> String {
    match error {
        ron::Error::NoSuchStructField { expected, found, .. }
        | ron::Error::NoSuchEnumVariant { expected, found, .. } => match new_name(found, expected) {
            Some(new) => format!("{error}: `{found}` is now called `{new}`"),
            None => error.to_string(),
        },
        _ => error.to_string(),
    }
}

/// The place of an edit in the text of its log.
pub fn place_of(text: &str, logged: &LoggedEdit) -> Option<Place> {
    let log: Vec<LoggedEdit> = ron::from_str(text).ok()?;
    let index = log.iter().position(|found| found == logged)?;
    let Body::List(items) = outline(text).ok()?.body else { return None };
    items.get(index).map(|item| Place::of(text, item.span.start))
}

/// A log that is replayed step by step.
#[derive(Clone, Debug, Default)]
pub struct Replay {
    /// By step.
    log: Vec<LoggedEdit>,
    /// The index of the next edit.
    next: usize,
}

impl Replay {
    /// Starts before the first step.
    pub fn new(mut log: Vec<LoggedEdit>) -> Self {
        log.sort_by_key(|logged| logged.step);
        Self { log, next: 0 }
    }

    /// The edits to [replay](crate::Simulation::replay) before a step runs. Each edit is returned once, however often
    /// this is called.
    pub fn due(&mut self, step: u64) -> impl Iterator<Item = LoggedEdit> {
        let rest = &self.log[self.next..];
        let due = rest.iter().take_while(|logged| logged.step <= step).count();
        self.next += due;
        rest[..due].iter().cloned()
    }

    /// The step of the next edit.
    pub fn next_step(&self) -> Option<u64> {
        self.log.get(self.next).map(|logged| logged.step)
    }

    /// Continues from the end of a step, after a simulation went back to a snapshot: later edits are returned again.
    pub fn go_on_from(&mut self, step: u64) {
        self.next = self.first_after(step);
    }

    fn first_after(&self, step: u64) -> usize {
        self.log.partition_point(|logged| logged.step <= step)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::Edit;

    #[test]
    fn a_log_that_is_written_as_it_comes_is_that_which_is_written_at_once() {
        let edit = |step| LoggedEdit::new(step, Edit::Suspend { is_suspended: step == 1 });
        let mut file = io::Cursor::new(Vec::new());
        let mut writer = Writer::begin(&mut file, &[edit(1)]).unwrap();
        writer.append(&[edit(2), edit(3)]).unwrap();
        assert_eq!(String::from_utf8(file.into_inner()).unwrap(), write(&[edit(1), edit(2), edit(3)]));
    }

    #[test]
    fn a_replay_gives_every_edit_once_until_it_goes_back() {
        let logged = |step| LoggedEdit::new(step, Edit::TimeScale { scale: step as f64 });
        let mut replay = Replay::new([7, 2, 7].map(logged).into());
        let due = |replay: &mut Replay, step| replay.due(step).count();
        assert_eq!((due(&mut replay, 1), replay.next_step()), (0, Some(2)));
        assert_eq!([2, 2, 3].map(|step| due(&mut replay, step)), [1, 0, 0]);
        assert_eq!([7, 7].map(|step| due(&mut replay, step)), [2, 0]);
        assert_eq!(replay.next_step(), None);
        replay.go_on_from(2);
        assert_eq!([2, 7].map(|step| due(&mut replay, step)), [0, 2]);
    }

    #[test]
    fn a_log_reads_back_as_it_was_written() {
        let log = vec![
            LoggedEdit::new(1, Edit::Set { path: "a.b".into(), value: "\"x\"".into() }),
            LoggedEdit::new(7, Edit::Move { agent: 3, x_m: 0.1, y_m: -1e-300, heading_rad: 7.0 }),
            LoggedEdit::new(9, Edit::TimeScale { scale: 4.0 }),
        ];
        assert_eq!(read("edits.ron", &write(&log)), Ok(log));
        assert_eq!(read("edits.ron", &write(&[])), Ok(vec![]));
    }

    #[test]
    fn old_names_are_refused_with_the_new_ones() {
        let refused = |text: &str| read("edits.ron", text).unwrap_err().to_string();
        let told = refused("[(step: 1, edit: Fault(agent: 2, what: Total, is_on: true))]");
        assert!(told.contains("`what` is now called `failure`"), "{told}");
        let told = refused("[(step: 1, edit: Fault(agent: 2, failure: Dies, is_active: true))]");
        assert!(told.contains("`Dies` is now called `Total`"), "{told}");
        let told = refused("[(step: 1, edit: Suspend(is_suspended: true), gesture: 3)]");
        assert!(told.contains("`gesture` is now called `transaction`"), "{told}");
    }

    #[test]
    fn what_is_no_log_is_said_with_its_place() {
        let error = read("edits.ron", "[\n  (step: 1, edit: Fly),\n]").unwrap_err().to_string();
        assert!(error.starts_with("edits.ron:2:"), "{error}");
    }

    #[test]
    fn an_edit_is_found_in_its_log() {
        let text = "// mine\n[\n  (step: 7, edit: TimeScale(scale: 2.0)),\n (step: 3, edit: TimeScale(scale: 2.0))]";
        let log = read("edits.ron", text).unwrap();
        let places = [&log[0], &log[1]].map(|logged| place_of(text, logged));
        let place = |line, column| Some(Place { line, column });
        assert_eq!(places, [place(4, 2), place(3, 3)]);
    }
}

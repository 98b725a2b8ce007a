//! Marks at the times of edits. Marks that would overlap are merged.

use swarmarium_simulation::edit::{Edit, LoggedEdit};

/// Maximum number of changes listed in a text; the others are counted.
const TOLD: usize = 4;

/// Maximum length of a value that is shown in full.
const LONGEST: usize = 40;

/// One mark for edits that are close to each other.
#[derive(Debug, PartialEq)]
pub struct Mark<'a> {
    /// The time of the first edit, in seconds.
    pub at_s: f64,
    /// All edits of the mark.
    pub edits: &'a [LoggedEdit],
}

/// Returns the marks between two times, at least `gap_s` apart.
///
/// The cost depends on the number of marks, not of edits: a dragged slider makes hundreds of edits.
pub fn marks(log: &[LoggedEdit], dt_s: f64, [from_s, to_s]: [f64; 2], gap_s: f64) -> Vec<Mark<'_>> {
    // An edit is applied at the start of its step, which is the end of the step before.
    let time_s = |logged: &LoggedEdit| logged.step.saturating_sub(1) as f64 * dt_s;
    let mut marks = Vec::new();
    let mut rest = &log[log.partition_point(|logged| time_s(logged) < from_s)..];
    while let Some(first) = rest.first().filter(|first| time_s(first) <= to_s) {
        let at_s = time_s(first);
        let near = rest.partition_point(|logged| time_s(logged) < at_s + gap_s).max(1);
        // The edits of a drag are one change.
        let together = near + rest[near - 1..].windows(2).take_while(|pair| is_same_change(&pair[0], &pair[1])).count();
        let (edits, after) = rest.split_at(together);
        // The speed changes nothing in the simulation.
        if edits.iter().any(|logged| describe(&logged.edit, &|_| String::new()).is_some()) {
            marks.push(Mark { at_s, edits });
        }
        rest = after;
    }
    marks
}

/// Whether an edit belongs to the change of the one before it, as the edits of a drag do.
pub fn is_same_change(before: &LoggedEdit, edit: &LoggedEdit) -> bool {
    edit.transaction > 0 && edit.transaction == before.transaction
}

/// Returns the first edit of each change.
pub fn changes<'a>(log: impl IntoIterator<Item = &'a LoggedEdit>) -> impl Iterator<Item = &'a LoggedEdit> {
    let mut last: Option<&LoggedEdit> = None;
    log.into_iter().filter(|logged| logged.edit.is_change()).filter(move |logged| {
        let before = last.replace(logged);
        !before.is_some_and(|before| is_same_change(before, logged))
    })
}

/// Returns the number of edits that change something.
fn count(log: &[LoggedEdit]) -> usize {
    log.iter().filter(|logged| logged.edit.is_change()).count()
}

impl Mark<'_> {
    /// Lists the last value of each change, and the number of further changes; `name` returns the name of a robot.
    pub fn text(&self, name: &dyn Fn(u32) -> String) -> String {
        let mut lines: Vec<(String, String)> = Vec::new();
        let mut shown = 0;
        for (what, value) in self.edits.iter().rev().filter_map(|logged| describe(&logged.edit, name)) {
            let known = lines.iter().any(|(known, _)| *known == what);
            if !known && lines.len() == TOLD {
                break;
            }
            shown += 1;
            if !known {
                lines.push((what, value));
            }
        }
        lines.reverse();
        let more = count(self.edits) - shown;
        let mut lines: Vec<String> = lines.into_iter().map(|(what, value)| format!("{what} {value}")).collect();
        if more > 0 {
            lines.push(format!("and {more} more"));
        }
        lines.join("\n")
    }
}

/// Returns the subject and the effect of an edit; `None` for an edit that changes no result.
fn describe(edit: &Edit, name: &dyn Fn(u32) -> String) -> Option<(String, String)> {
    match edit {
        Edit::Set { path, value } if value.chars().count() > LONGEST => {
            Some((path.clone(), format!("= {}…", value.chars().take(LONGEST).collect::<String>())))
        }
        Edit::Set { path, value } => Some((path.clone(), format!("= {value}"))),
        Edit::Move { agent, x_m, y_m, .. } => Some((name(*agent), format!("moved to {x_m:.2}, {y_m:.2} m"))),
        Edit::MoveObject { object, x_m, y_m, .. } => {
            Some((format!("object {object}"), format!("moved to {x_m:.2}, {y_m:.2} m")))
        }
        Edit::Spawn { group, x_m, y_m, .. } => Some((group.clone(), format!("robot added at {x_m:.2}, {y_m:.2} m"))),
        Edit::Add { list, value } => Some((format!("{list}:"), format!("added {value}"))),
        Edit::Remove { path } => Some((path.clone(), "removed".into())),
        Edit::Fault { agent, failure, is_active } => Some((name(*agent), failure.verb(*is_active).to_lowercase())),
        Edit::Suspend { is_suspended } => {
            Some(("all motion".into(), if *is_suspended { "suspended" } else { "resumed" }.into()))
        }
        Edit::Call { .. }
        | Edit::Feed { .. }
        | Edit::Command { .. }
        | Edit::Output { .. }
        | Edit::Message { .. }
        | Edit::TimeScale { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub fn name(number: u32) -> String {
        format!("miller-{number}")
    }

    fn set(step: u64, path: &str, value: u64) -> LoggedEdit {
        LoggedEdit::new(step, Edit::Set { path: path.into(), value: value.to_string() })
    }

    #[test]
    fn edits_at_one_pixel_are_one_mark() {
        let log: Vec<_> = (1..=300).map(|step| set(step, "a.b", step)).chain([set(1000, "c", 1)]).collect();
        let marks = marks(&log, 0.1, [0.0, 200.0], 40.0);
        assert_eq!(marks.iter().map(|mark| (mark.at_s, mark.edits.len())).collect::<Vec<_>>(), [(0.0, 300), (99.9, 1)]);
        assert_eq!([marks[0].text(&name), marks[1].text(&name)], ["a.b = 300", "c = 1"]);
    }

    #[test]
    fn the_edits_of_a_drag_are_one_change_with_one_mark() {
        let drag = |step| LoggedEdit { transaction: 7, ..set(step, "a", step) };
        let log: Vec<_> = (1..=50).map(drag).chain([set(51, "a", 1), set(52, "a", 2)]).collect();
        assert_eq!(changes(&log).map(|logged| logged.step).collect::<Vec<_>>(), [1, 51, 52]);
        let marks = marks(&log, 1.0, [0.0, 100.0], 1e-9);
        let texts: Vec<_> = marks.iter().map(|mark| (mark.at_s, mark.text(&name))).collect();
        assert_eq!(texts, [(0.0, "a = 50".into()), (50.0, "a = 1".into()), (51.0, "a = 2".to_owned())]);
    }

    #[test]
    fn a_hundred_thousand_edits_are_few_marks() {
        let log: Vec<_> = (1..=100_000).map(|step| set(step, "a", step)).collect();
        assert_eq!(marks(&log, 1.0, [0.0, 100_000.0], 1000.0).len(), 100);
        assert_eq!(marks(&log, 1.0, [10.0, 19.0], 1e-9).len(), 10);
    }

    #[test]
    fn an_edit_mark_lists_the_first_edits_and_counts_the_rest() {
        let log: Vec<_> = (0..9).map(|place| set(1, &format!("p{place}"), place)).collect();
        let moved = LoggedEdit::new(1, Edit::Move { agent: 3, x_m: 1.0, y_m: -2.0, heading_rad: 0.0 });
        let log: Vec<_> = log.into_iter().chain([moved]).collect();
        let text = marks(&log, 1.0, [0.0, 1.0], 1.0)[0].text(&name);
        assert_eq!(text, "p6 = 6\np7 = 7\np8 = 8\nmiller-3 moved to 1.00, -2.00 m\nand 6 more");
    }

    #[test]
    fn time_scale_edits_have_no_mark() {
        let log = [LoggedEdit::new(1, Edit::TimeScale { scale: 2.0 })];
        assert_eq!(marks(&log, 1.0, [0.0, 1.0], 1.0).len(), 0);
        assert_eq!(count(&log), 0);
    }
}

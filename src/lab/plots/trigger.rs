//! The expression that pauses the run when it becomes true.

use swarmarium_core::simulation::Simulation;

use super::error::PinError;
use super::formula::{Formula, is_in_word};
use super::pin::Watched;

/// An expression, with its value after the last step.
///
/// It uses the language of `stop.when` of a scene, and can also contain paths. It only reads: no result depends on it.
#[derive(Clone, Debug)]
pub struct Trigger {
    text: String,
    formula: Formula,
    holds: bool,
    /// The number of edits at the last step.
    edits: usize,
}

impl Trigger {
    /// Parses an expression; `None` if the text is empty.
    ///
    /// # Errors
    /// When the text is no expression, or it names an unknown value.
    pub fn new(text: &str, watched: Watched) -> Result<Option<Self>, PinError> {
        let text = text.trim();
        if text.is_empty() {
            return Ok(None);
        }
        let formula = Formula::new(text, watched)?;
        let mut trigger = Self { text: text.into(), formula, holds: false, edits: 0 };
        trigger.observe(watched);
        Ok(Some(trigger))
    }

    /// Returns an example of an expression: over the first metric that an expression can name, or over time.
    pub fn example(simulation: &Simulation) -> String {
        let columns = simulation.metric_columns();
        let metric = columns.iter().find(|column| column.chars().all(is_in_word));
        metric.map_or_else(|| "t_s > 10".into(), |metric| format!("{metric} > 0.5"))
    }

    /// Whether the expression was true at the last evaluation.
    pub fn holds(&self) -> bool {
        self.holds
    }

    /// Explains why the expression cannot pause the run at present: a part has no value, or it is already true.
    pub fn obstacle(&self, watched: Watched) -> Option<String> {
        match self.formula.reason_without_value(watched) {
            Some(reason) => Some(format!("cannot be evaluated: {reason}")),
            None if self.holds => Some("is already true: the run pauses the next time it becomes true".into()),
            None => None,
        }
    }

    /// Returns the text of the expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Updates the expression after a step. Returns whether it became true.
    pub fn observe(&mut self, watched: Watched) -> bool {
        let edits = watched.simulation.edits().len();
        let edited = std::mem::replace(&mut self.edits, edits) != edits;
        self.formula.observe(watched, edited);
        let value = self.formula.value(watched);
        let holds = !value.is_nan() && value != 0.0;
        let held = std::mem::replace(&mut self.holds, holds);
        holds && !held
    }
}

#[cfg(test)]
mod tests {
    use crate::Lab;
    use crate::testing::{lab_of, lab_on};

    fn run(lab: &mut Lab, frames: usize) {
        lab.host.clock_mut().paused = false;
        for _ in 0..frames {
            lab.frames.steps = 0;
            lab.advance(1.0, || true);
        }
    }

    fn steps(lab: &Lab) -> u64 {
        lab.host.simulation().steps()
    }

    #[test]
    fn time_stands_still_after_the_very_step() {
        let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant())], time: (dt_s: 0.1))");
        lab.set_pause_when("step > 3 and step < 6 or step == 12");
        run(&mut lab, 2);
        assert_eq!((steps(&lab), lab.host.clock().paused), (4, true));
        assert!(lab.notices.iter().any(|notice| notice.lines[0].starts_with("Paused after step 4:")));
        run(&mut lab, 3);
        assert_eq!((steps(&lab), lab.host.clock().paused), (12, true), "once for each time that it turns true");
        lab.set_pause_when("");
        run(&mut lab, 3);
        assert!(steps(&lab) > 12 && !lab.host.clock().paused);
    }

    #[test]
    fn the_example_is_an_expression_of_the_scene() {
        let group = "groups: [(name: \"prey-fish\", controller: Constant())]";
        let scenes = [
            (lab_on("milling"), "circliness > 0.5"),
            (lab_of(&format!("({group})")), "t_s > 10"),
            (lab_of(&format!("({group}, metrics: [AverageSpeed()])")), "average_speed_m_per_s > 0.5"),
        ];
        for (mut lab, example) in scenes {
            assert_eq!(super::Trigger::example(lab.host.simulation()), example);
            lab.set_pause_when(example);
            assert!(lab.plots.pause_when.is_some(), "{example}: {:?}", lab.notices);
        }
    }

    #[test]
    fn a_condition_that_holds_already_is_reported() {
        let mut lab = lab_of("(groups: [(name: \"g\", controller: Constant())])");
        lab.set_pause_when("step >= 0 and step != 3");
        let text = "step >= 0 and step != 3 is true now: the run pauses the next time it becomes true";
        assert!(lab.notices.iter().any(|notice| notice.lines == [text]));
        run(&mut lab, 9);
        assert_eq!((steps(&lab), lab.host.clock().paused), (4, true));
    }

    #[test]
    fn the_reason_why_it_does_not_pause_is_in_words() {
        let mut lab = lab_on("milling");
        let obstacle = |lab: &mut Lab, text: &str| {
            lab.set_pause_when(text);
            let watched = lab.plots.history.watched(lab.host.simulation());
            lab.plots.pause_when.as_ref().unwrap().obstacle(watched)
        };
        let found = obstacle(&mut lab, "circliness > 2");
        assert_eq!(found.as_deref(), Some("cannot be evaluated: circliness has no value before the first step"));
        let found = obstacle(&mut lab, "selected.x_m > 2");
        assert_eq!(found.as_deref(), Some("cannot be evaluated: selected.x_m: no robot is selected"));
        crate::testing::do_steps(&mut lab, 1);
        assert_eq!(obstacle(&mut lab, "circliness > 2"), None);
        let found = obstacle(&mut lab, "step > 0");
        assert_eq!(found.as_deref(), Some("is already true: the run pauses the next time it becomes true"));
    }

    #[test]
    fn it_changes_no_result_and_lasts_as_long_as_the_scene() {
        let mut lab = lab_on("milling");
        lab.set_pause_when("agents.0.x_m > 1e9 or circliness > 2");
        assert!(lab.notices.iter().next().is_none());
        crate::testing::do_steps(&mut lab, 50);
        let mut other = lab_on("milling");
        crate::testing::do_steps(&mut other, 50);
        assert_eq!(lab.host.simulation().hash(), other.host.simulation().hash());
        assert!(lab.host.simulation().edits().is_empty());
        lab.reset(None);
        assert!(lab.plots.pause_when.is_some());
        lab.open_source("aggregation");
        assert!(lab.plots.pause_when.is_none());
    }

    #[test]
    fn what_is_wrong_is_told_and_what_was_there_stays() {
        let mut lab = lab_on("milling");
        lab.set_pause_when("circliness > 0.9");
        lab.set_pause_when("circlines > 0.9");
        assert!(lab.notices.iter().next().unwrap().is_error);
        assert_eq!(lab.plots.pause_when.as_ref().map(|trigger| trigger.text()), Some("circliness > 0.9"));
    }
}

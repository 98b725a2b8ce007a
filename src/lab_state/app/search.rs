//! Searching for moments of a run.

use swarmarium_host::clock::host::{Direction, Seek};
use swarmarium_host::timeline::Moment;

use crate::action::{MomentCondition, TimelineAction};
use crate::app::Lab;
use crate::common::moments::cohesion::{BODY_LENGTHS, MOST_ROBOTS};
use crate::common::moments::{COMPONENTS, MomentKind};
use crate::common::offset::Offset;
use crate::common::progress;
use crate::common::text::grouped;
use crate::edit::parts;
use crate::notice::Notice;
use crate::run::RunState;
use crate::timeline::{Found, Rerun, Search, occurrences_at};

impl Lab {
    /// Pauses and searches for a moment.
    pub fn find_moment(&mut self, condition: &MomentCondition, seek: Seek) {
        self.timeline.offset = None;
        self.search_moment(condition, seek);
    }

    /// Pauses, searches for a moment, and goes to one at a distance from it.
    pub fn find_moment_at(&mut self, condition: &MomentCondition, seek: Seek, offset: Offset) {
        self.timeline.offset = Some(offset);
        self.search_moment(condition, seek);
    }

    fn search_moment(&mut self, condition: &MomentCondition, seek: Seek) {
        match self.timeline.find_moment(&mut self.run.host, &self.plots, &mut self.notices, condition, seek) {
            Found::At(step) => self.show_found(condition, step),
            Found::Nothing => self.tell_not_found(condition, seek),
            Found::Later => {}
        }
    }

    /// Searches again for what was searched last, or else for a moment of any kind.
    pub fn find_again(&mut self, direction: Direction) {
        let condition = self.timeline.sought.clone().unwrap_or(MomentCondition::Any);
        self.find_moment(&condition, if direction == Direction::Back { Seek::Previous } else { Seek::Next });
    }

    /// Adds a metric of a kind to the scene, which restarts the run, and searches for a moment once the run has been
    /// simulated again up to its present end.
    pub fn add_metric_and_find(&mut self, kind: &str, condition: MomentCondition, seek: Seek) {
        let until = self.run.host.live_end();
        let edit = parts::adding(self.run.host.simulation(), "metrics", &format!("{kind}()"));
        if let Err(problem) = self.run.host.simulation().check(&edit) {
            return self.notices.tell_error(self.run.problem_text(&problem));
        }
        let restarts = self.run.restarts;
        self.edit(vec![edit]);
        if self.run.restarts == restarts && !self.edits.starts.is_busy() {
            self.reset(None);
        }
        // A start with many robots takes its time.
        let run = (self.run.restarts != restarts).then(|| self.run.host.run_number());
        // Everything is before the present moment then.
        let seek = if seek == Seek::Next { Seek::First } else { seek };
        self.run.host.clock_mut().paused = true;
        self.timeline.rerun = Some(Rerun { run, until, condition, seek });
    }

    /// Returns the step up to which the run is simulated whether it is paused or not.
    pub(crate) fn target_step(&self) -> Option<u64> {
        let is_same_run = |rerun: &&Rerun| rerun.run == Some(self.run.host.run_number());
        self.files.shots.target.or(self.timeline.rerun.as_ref().filter(is_same_run).map(|rerun| rerun.until))
    }

    pub(super) fn rerun_progress(&self) -> Option<progress::Progress> {
        let rerun = self.timeline.rerun.as_ref()?;
        let done = self.run.host.simulation().steps().min(rerun.until);
        Some(progress::Progress { done, steps: rerun.until, label: "Simulating again".into() })
    }

    /// Begins the search that waits for a run to be simulated again, if the run is there. It is dropped if another run
    /// is shown.
    pub(crate) fn conclude_rerun(&mut self) {
        let Some(rerun) = &self.timeline.rerun else { return };
        let now = self.run.host.simulation().steps();
        if rerun.run.is_none() && self.edits.starts.is_busy() {
            return;
        }
        let is_other = rerun.run != Some(self.run.host.run_number()) || self.run.host.is_in_past();
        if !is_other && now < rerun.until && !self.run.host.has_ended() {
            return;
        }
        let rerun = self.timeline.rerun.take().filter(|_| !is_other);
        if let Some(Rerun { condition, seek, .. }) = rerun {
            self.find_moment(&condition, seek);
        }
    }

    /// Goes to a moment that was found.
    fn show_found(&mut self, condition: &MomentCondition, step: u64) {
        let simulation = self.run.host.simulation();
        let time_s = step as f64 * simulation.time().dt_s;
        let found = occurrences_at(condition, &self.plots, step);
        let text = match (condition, &found[..]) {
            (MomentCondition::Expression(text), _) => format!("{text} became true"),
            (_, [first]) => first.text(simulation),
            (_, [first, others @ ..]) => format!("{}, and {} more", first.text(simulation), others.len()),
            (MomentCondition::Kind(kind, _), []) => kind.name().into(),
            (MomentCondition::Any, []) => "a moment".into(),
        };
        let dt_s = simulation.time().dt_s;
        let before = step.saturating_sub(Offset::Time(self.timeline.lead_s).steps(dt_s) as u64);
        let (offset, lead_s) = (self.timeline.offset.take(), self.timeline.lead_s);
        let shown = match offset {
            Some(offset) => (step as f64 + offset.steps(dt_s)).clamp(0.0, self.run.host.live_end().max(step) as f64),
            None => step as f64,
        } as u64;
        let at = Moment { step, ..self.timeline.playhead(&self.run.host) };
        let early = Moment { step: before, ..at };
        let title = format!("{time_s:.2} s: {text}");
        let mut notice = Notice::good(&format!("{title} (step {})", grouped(step)));
        if shown != step {
            let hint = "Goes to the moment that was found";
            notice = notice.with_button(format!("Go to {time_s:.2} s"), hint, TimelineAction::GoTo(at).into());
        } else if before < step {
            let hint = "Goes back from the moment that was found; \"Find a moment\" sets the seconds";
            let is_start = lead_s > time_s;
            let title = if is_start { format!("Start, {time_s:.2} s before") } else { format!("{lead_s} s before") };
            notice = notice.with_button(title, hint, TimelineAction::GoTo(early).into());
        }
        self.notices.add(notice.passing());
        self.timeline.found = Some((at, title));
        self.go_to(Moment { step: shown, ..at });
    }

    fn tell_not_found(&mut self, condition: &MomentCondition, seek: Seek) {
        let side = match seek {
            Seek::First | Seek::Last => "in this run",
            Seek::Previous => "before this moment",
            Seek::Next => "after this moment",
        };
        let what = match condition {
            MomentCondition::Any => "moment".into(),
            MomentCondition::Kind(kind, robot) => format!("{}{}", kind.name(), self.run.of_robot(*robot)),
            MomentCondition::Expression(text) => format!("moment at which {text} became true"),
        };
        let hint = match condition {
            MomentCondition::Kind(MomentKind::Split | MomentKind::Merge, _) => {
                let text = format!("No {what} {side}");
                return self.notices.add(without_parts(&self.run, &text, (condition, seek)));
            }
            MomentCondition::Kind(kind, _) if kind.is_of_plots() => {
                ": only metrics and pinned numbers have such moments"
            }
            _ => "",
        };
        self.notices.say(&format!("No {what} {side}{hint}"));
    }

    /// Continues the search while the budget allows it. Returns whether a search runs.
    pub(crate) fn go_on_with_search(&mut self, budget: &mut impl FnMut() -> bool) -> bool {
        let Some(Search { mut search, condition, seek, mut watch }) = self.timeline.search.take() else {
            return false;
        };
        if search.began() != self.run.host.moment() {
            // Another moment is shown, so the search no longer starts from the present one.
            return false;
        }
        let selected = self.plots.history.selected();
        let found = search.advance(&self.run.host, |now| watch.holds(&condition, selected, now), &mut *budget);
        match found {
            Ok(None) => self.timeline.search = Some(Search { search, condition, seek, watch }),
            Ok(Some(Some(step))) => self.show_found(&condition, step),
            Ok(Some(None)) => self.tell_not_found(&condition, seek),
            Err(error) => self.notices.tell_error(error),
        }
        true
    }
}

/// The metric of the connected parts of the swarm.
const PARTS: &str = "LargestComponent";

/// Returns the notice about a split or merge that is not found. In a scene without the metric of the connected parts, it
/// names the distance that counts, and has a button that adds the metric.
fn without_parts(run: &RunState, text: &str, (condition, seek): (&MomentCondition, Seek)) -> Notice {
    let simulation = run.host.simulation();
    let has_metric = simulation.metric_columns().iter().any(|column| column.ends_with(COMPONENTS));
    if has_metric {
        return Notice::good(text);
    }
    let distance = match simulation.count() {
        ..=MOST_ROBOTS => format!("robots within {BODY_LENGTHS} body lengths are connected"),
        _ => format!("of more than {MOST_ROBOTS} robots, only a metric finds the connected parts"),
    };
    let text = format!("{text}: {distance}. The metric {PARTS} has a range in metres");
    let action = TimelineAction::AddMetricAndFind(PARTS, condition.clone(), seek);
    let hint = "Adds the metric to the scene, simulates the run again up to its end, and searches then";
    Notice::good(&text).with_button(format!("Add the metric {PARTS}"), hint, action.into())
}

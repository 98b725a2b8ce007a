//! The timeline in the window: the strip below the panels and related dialogs.
//!
//! The host has branches, keyframes and bookmarks. The window adds the dragged playhead, the looped range, renaming,
//! the search for a moment, clips and links.

pub mod open_run;
pub mod words;

pub use open_run::{KnownHashes, RunToOpen};

use std::path::PathBuf;

use strum::IntoEnumIterator as _;
use swarmarium_draw::{Overlays, TrailLength};
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::{MomentSearch, Seek};
use swarmarium_host::timeline::{BranchId, Moment};
use swarmarium_simulation::simulation::Simulation;

use crate::action::{MomentCondition, RangeEnd, TimelineAction, TimelineItem};
use crate::common::footprints::Occupancies;
use crate::common::moments::{MomentKind, Moments, Occurrence};
use crate::common::offset::Offset;
use crate::common::progress::Progress;
use crate::notice::{Notice, Notices};
use crate::plots::error::PinError;
use crate::plots::pin::Watched;
use crate::plots::trigger::Trigger;
use crate::plots::{PlotState, extremes, metrics};
use crate::run::RunState;

impl TimelineState {
    /// Whether the run has branches or bookmarks that no run folder has.
    pub fn has_unsaved_timeline(&self, run: &RunState) -> bool {
        run.has_timeline() && self.saved_revision != Some(run.host.timeline().revision())
    }
}

/// A range of steps of a branch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StepRange {
    /// The first step.
    pub from: u64,
    /// The last step.
    pub to: u64,
}

/// The state of the timeline in the window.
pub struct TimelineState {
    /// The moment to go to when the present jump is complete.
    pub wanted: Option<Moment>,
    /// Whether the playhead is held with the mouse, which pauses the run.
    pub is_held: bool,
    /// The range to loop and export.
    pub range: Option<StepRange>,
    /// Whether the range is played in a loop.
    pub loops: bool,
    /// Occupancy maps at some moments of the run.
    pub occupancies: Occupancies,
    /// The item that is being renamed, and its name.
    pub naming: Option<(TimelineItem, String)>,
    /// The running search for a moment.
    pub search: Option<Search>,
    /// The condition of the last search.
    pub sought: Option<MomentCondition>,
    /// The distance of the wanted moment from the one that is being searched, if it is another one.
    pub offset: Option<Offset>,
    /// The moment that was found last, in words.
    pub found: Option<(Moment, String)>,
    /// The distance before a found moment that a button offers, in seconds.
    pub lead_s: f64,
    /// The search that begins when the run has been simulated again.
    pub rerun: Option<Rerun>,
    /// The moment, overlays and trails for which the past was resimulated.
    pub seen_again: Option<(Moment, Overlays, TrailLength)>,
    /// The known hashes of an opened run.
    pub known_hashes: Option<KnownHashes>,
    /// The revision of the timeline that was saved in a run folder.
    pub saved_revision: Option<u64>,
    /// The folder of the last link, with the opening of its scene and the root of its branches.
    pub folder: Option<(PathBuf, u64, BranchId)>,
}

/// The distance before a found moment that a button offers at first, in seconds: long enough to see what led to it.
const LEAD_S: f64 = 3.0;

impl Default for TimelineState {
    fn default() -> Self {
        Self {
            wanted: None,
            is_held: false,
            range: None,
            loops: false,
            occupancies: Occupancies::default(),
            naming: None,
            search: None,
            sought: None,
            offset: None,
            found: None,
            lead_s: LEAD_S,
            rerun: None,
            seen_again: None,
            known_hashes: None,
            saved_revision: None,
            folder: None,
        }
    }
}

impl TimelineState {
    /// Resets the state for another scene.
    pub fn restart(&mut self) {
        *self = Self { folder: self.folder.take(), lead_s: self.lead_s, ..Self::default() };
    }

    /// Sets the start or the end of the range to a step; the other end moves along if it must.
    pub fn set_range(&mut self, end: RangeEnd, step: u64, live_end: u64) {
        let step = step.min(live_end);
        let StepRange { from, to } = self.range.unwrap_or(StepRange { from: 0, to: live_end });
        self.range = Some(match end {
            RangeEnd::From if step < to => StepRange { from: step, to },
            RangeEnd::From => StepRange { from: step, to: live_end.max(step) },
            RangeEnd::To if step > from => StepRange { from, to: step },
            RangeEnd::To => StepRange { from: 0, to: step },
        });
    }
}

/// A running search.
pub struct Search {
    /// The search.
    pub search: MomentSearch,
    /// The condition of the moment.
    pub condition: MomentCondition,
    /// The moment among those that fulfil the condition.
    pub seek: Seek,
    /// The evaluation of the condition.
    pub watch: Watch,
}

/// The evaluation of the condition of a search, step by step.
pub enum Watch {
    /// An expression.
    Expression(Trigger),
    /// Moments of a kind.
    Moments {
        /// Those that the search has observed.
        moments: Box<Moments>,
        /// The last observed step.
        last_step: Option<u64>,
    },
}

impl Watch {
    /// Whether the condition holds at the end of a step.
    pub fn holds(&mut self, condition: &MomentCondition, selected: Option<u32>, now: &Simulation) -> bool {
        match self {
            Self::Expression(trigger) => {
                trigger.observe(Watched { simulation: now, selected });
                trigger.holds()
            }
            Self::Moments { moments, last_step } => {
                // A search back in time jumps to earlier keyframes.
                let last_step = last_step.replace(now.steps());
                if last_step.is_some_and(|last| last + 1 != now.steps()) {
                    **moments = Moments::default();
                }
                let before = moments.changes();
                moments.observe(now, &now.metric_columns());
                let is_new = before != moments.changes();
                is_new
                    && kinds(condition)
                        .any(|kind| moments.at(kind, now.steps()).any(|occurrence| is_of(condition, occurrence)))
            }
        }
    }
}

/// A run that is simulated again up to a step, after a metric was added, and the search that begins there.
#[derive(Clone, Debug)]
pub struct Rerun {
    /// The number of the run; `None` while its start is being prepared.
    pub run: Option<u64>,
    /// The step to which it is simulated.
    pub until: u64,
    /// The condition of the moment.
    pub condition: MomentCondition,
    /// The moment among those that fulfil the condition.
    pub seek: Seek,
}

/// Returns the kinds of moments of a condition.
fn kinds(condition: &MomentCondition) -> impl Iterator<Item = MomentKind> {
    let only = match condition {
        MomentCondition::Kind(kind, _) => Some(*kind),
        _ => None,
    };
    let any = *condition == MomentCondition::Any;
    MomentKind::iter().filter(move |kind| any || only == Some(*kind))
}

/// Whether a moment of the right kind fulfils the rest of a condition.
fn is_of(condition: &MomentCondition, occurrence: &Occurrence) -> bool {
    match condition {
        MomentCondition::Kind(_, Some(robot)) => occurrence.is_of(*robot),
        _ => true,
    }
}

/// Returns the steps of the moments of a condition on a branch, in order and each once.
fn steps_of(condition: &MomentCondition, plots: &PlotState) -> Vec<u64> {
    let moments = plots.history.moments();
    let mut steps: Vec<u64> = Vec::new();
    for kind in kinds(condition) {
        match condition {
            MomentCondition::Kind(_, Some(robot)) => {
                let of_robot = moments.of_kind(kind).filter(|occurrence| occurrence.is_of(*robot));
                steps.extend(of_robot.map(|occurrence| occurrence.step));
            }
            _ => steps.extend(moments.steps(kind)),
        }
    }
    let of_plots = extremes::moments(&plots.history).iter();
    steps.extend(of_plots.filter(|known| kinds(condition).any(|kind| kind == known.kind)).map(|known| known.step));
    steps.sort_unstable();
    steps.dedup();
    steps
}

/// Returns the moments at a step of a branch that fulfil a condition.
pub fn occurrences_at(condition: &MomentCondition, plots: &PlotState, step: u64) -> Vec<Occurrence> {
    let moments = plots.history.moments();
    let logged = kinds(condition).flat_map(|kind| moments.at(kind, step)).filter(|known| is_of(condition, known));
    let mut found: Vec<Occurrence> = logged.cloned().collect();
    let of_plots = extremes::moments(&plots.history).iter();
    let of_plots = of_plots.filter(|known| known.step == step && kinds(condition).any(|kind| kind == known.kind));
    found.extend(of_plots.cloned());
    found
}

/// The immediate result of a search.
pub(crate) enum Found {
    /// The step.
    At(u64),
    /// There is none.
    Nothing,
    /// The search goes on step by step, or has failed.
    Later,
}

impl TimelineState {
    /// Pauses and searches for a moment.
    pub(crate) fn find_moment(
        &mut self,
        host: &mut Host,
        plots: &PlotState,
        notices: &mut Notices,
        condition: &MomentCondition,
        seek: Seek,
    ) -> Found {
        self.search = None;
        let watched = plots.history.watched(host.simulation());
        let watch = match condition {
            MomentCondition::Expression(text) => match Trigger::new(text, watched) {
                Ok(Some(trigger)) => Watch::Expression(trigger),
                Ok(None) => {
                    notices.tell_error(format!("Type a condition, such as {}", Trigger::example(host.simulation())));
                    return Found::Later;
                }
                Err(error) => {
                    notices.add(without_metric(host.simulation(), text, &error, (condition, seek)));
                    return Found::Later;
                }
            },
            _ => {
                host.clock_mut().paused = true;
                let (now, steps) = (self.playhead(host).step, steps_of(condition, plots));
                let found = match seek {
                    Seek::First => steps.first(),
                    Seek::Previous => steps.iter().rev().find(|step| **step < now),
                    Seek::Next => steps.iter().find(|step| **step > now),
                    Seek::Last => steps.last(),
                };
                // A search observes no plots, so it finds no moments of them.
                let is_of_plots = kinds(condition).all(MomentKind::is_of_plots);
                let is_complete = plots.history.last_step() >= host.live_end() || seek == Seek::Previous;
                let is_known = is_complete || is_of_plots;
                match found {
                    // A later part of the branch may have a later one.
                    Some(step) if is_known || seek != Seek::Last => {
                        self.sought = Some(condition.clone());
                        return Found::At(*step);
                    }
                    _ if is_known => {
                        self.sought = Some(condition.clone());
                        return Found::Nothing;
                    }
                    _ => Watch::Moments { moments: Box::default(), last_step: None },
                }
            }
        };
        self.sought = Some(condition.clone());
        host.clock_mut().paused = true;
        let is_event = matches!(watch, Watch::Moments { .. });
        match host.search(seek).map(|search| if is_event { search.of_event() } else { search }) {
            Ok(search) => self.search = Some(Search { search, condition: condition.clone(), seek, watch }),
            Err(error) => notices.tell_error(error),
        }
        Found::Later
    }

    /// Lets a search that waits for the start of a run wait for this one.
    pub(crate) fn begin_rerun(&mut self, run: u64) {
        if let Some(rerun) = &mut self.rerun {
            rerun.run = rerun.run.or(Some(run));
        }
    }

    /// Returns the progress of the search.
    pub(crate) fn search_progress(&self) -> Option<Progress> {
        self.search.as_ref().map(|search| search.search.progress())
    }

    /// Cancels the search. Returns whether one was running.
    pub(crate) fn cancel_search(&mut self) -> bool {
        self.search.take().is_some()
    }
}

impl TimelineState {
    /// Adds a bookmark at the present moment and starts to edit its name.
    pub fn add_bookmark(&mut self, host: &mut Host, notices: &mut Notices) {
        let moment = self.playhead(host);
        let timeline = host.timeline();
        let is_taken = |name: &str| timeline.bookmarks().iter().any(|bookmark| bookmark.name == name);
        let name = (1_u64..).map(|number| format!("bookmark-{number}")).find(|name| !is_taken(name));
        let name = name.unwrap_or_else(|| "bookmark".into());
        match host.timeline_mut().bookmark(&name, moment) {
            Ok(()) => self.ask_name(host, TimelineItem::Bookmark(name)),
            Err(error) => notices.tell_error(error),
        }
    }

    /// Starts to edit a name.
    pub fn ask_name(&mut self, host: &Host, item: TimelineItem) {
        let name = match &item {
            TimelineItem::Branch(branch) => host.timeline().branch(*branch).map(|branch| branch.name().to_owned()),
            TimelineItem::Bookmark(name) => Some(name.clone()),
        };
        self.naming = name.map(|name| (item, name));
    }

    /// Ends the editing of the name of an item, which keeps its name.
    pub fn cancel_rename(&mut self, item: &TimelineItem) {
        self.naming.take_if(|(named, _)| named == item);
    }

    /// Renames a branch or a bookmark.
    pub fn rename_item(&mut self, host: &mut Host, notices: &mut Notices, item: &TimelineItem, name: &str) {
        self.naming = None;
        let timeline = host.timeline_mut();
        let done = match item {
            TimelineItem::Branch(branch) => timeline.rename(*branch, name),
            TimelineItem::Bookmark(before) if before == name.trim() => Ok(()),
            TimelineItem::Bookmark(before) => timeline.bookmarked(before).and_then(|moment: Moment| {
                timeline.bookmark(name, moment)?;
                timeline.remove_bookmark(before);
                Ok(())
            }),
        };
        notices.tell(done);
    }
}

impl TimelineState {
    /// Compares a state of a branch with its known hash.
    pub fn check_hash(&mut self, branch: Option<BranchId>, simulation: &Simulation) {
        let Some(known) = self.known_hashes.as_mut().filter(|known| Some(known.branch) == branch) else { return };
        let step = simulation.steps();
        let is_other = known.hashes.get(&step).is_some_and(|hash| *hash != simulation.hash().0);
        if is_other && known.differs_at.is_none_or(|first| step < first) {
            known.differs_at = Some(step);
        }
    }

    /// Discards the hashes after a step, since an undo changes the states there.
    pub fn forget_hashes_after(&mut self, step: u64) {
        if let Some(known) = &mut self.known_hashes {
            known.hashes.retain(|at, _| *at <= step);
        }
    }
}

impl TimelineState {
    /// Reports once the first step whose state differs from that of the opened run.
    pub(crate) fn warn_hash_mismatch(&mut self, notices: &mut Notices) {
        if let Some(KnownHashes { message, differs_at: Some(step), .. }) =
            self.known_hashes.take_if(|known| known.differs_at.is_some())
        {
            notices.tell_error(message(step));
        }
    }
}

impl TimelineState {
    /// Returns the moment of the playhead: the present one, or the target of a jump.
    pub fn playhead(&self, host: &Host) -> Moment {
        self.wanted.or(host.target()).unwrap_or_else(|| host.moment())
    }

    /// Returns the steps of all marks of a branch, in order: events, edits, bookmarks.
    pub fn mark_steps(&self, run: &RunState, plots: &PlotState, branch: BranchId) -> Vec<u64> {
        let timeline = run.host.timeline();
        let mut steps: Vec<u64> = Vec::new();
        for kind in MomentKind::iter() {
            steps.extend(plots.history.moments().steps(kind));
        }
        let edits = timeline.branch(branch).into_iter().flat_map(|branch| branch.applied());
        steps.extend(edits.filter(|logged| logged.edit.is_change()).map(|logged| logged.step.saturating_sub(1)));
        steps.extend(run.bookmarks_of(branch).map(|(step, _)| step));
        steps.sort_unstable();
        steps.dedup();
        steps
    }

    /// Returns the number of steps until the end of the looped range.
    pub(crate) fn steps_to_loop_end(&self, host: &Host) -> u64 {
        match self.range.filter(|_| self.loops) {
            Some(StepRange { to, .. }) => {
                let steps = host.simulation().steps();
                if steps < to { to - steps } else { u64::MAX }
            }
            None => u64::MAX,
        }
    }
}

/// Returns the notice about an expression with an unknown name; if a metric has it, with a button that adds the metric.
fn without_metric(
    simulation: &Simulation,
    text: &str,
    error: &PinError,
    (condition, seek): (&MomentCondition, Seek),
) -> Notice {
    let Some((column, kind)) = metrics::missing(simulation, text) else { return Notice::error(&error.to_string()) };
    let text = format!("`{column}` is a value of the metric {kind}, which the scene lacks");
    let action = TimelineAction::AddMetricAndFind(kind, condition.clone(), seek);
    let hint = "Adds the metric to the scene, simulates the run again up to its end, and searches then";
    Notice::error(&text).with_button(format!("Add the metric {kind}"), hint, action.into())
}

//! Time: steps between two frames, jumps along the timeline, searches and clients.

use std::cell::Cell;
use std::time::Instant;

use swarmarium_draw::Overlay;
use swarmarium_host::clock::host::apart::LongStep;
use swarmarium_host::clock::host::{Direction, Seek};
use swarmarium_host::timeline::{Moment, TimelineError};
use swarmarium_remote as remote;
use swarmarium_remote::Remote;
use swarmarium_simulation::simulation::Simulation;

use crate::action::{MomentCondition, TimelineAction, TimelineItem};
use crate::app::Lab;
use crate::common::footprints::{self, Footprints};
use crate::common::moments::MomentKind;
use crate::common::offset::Offset;
use crate::common::progress;
use crate::common::text::grouped;
use crate::edit::{RerunState, parts};
use crate::notice::Notice;
use crate::plots::PlotState;
use crate::run::RunState;
use crate::run::clients::{MAX_NOTES, shows_past};
use crate::timeline::{Found, Rerun, Search, StepRange, occurrences_at};
use crate::view::ViewState;

/// The real duration, in seconds, from which on a step shows that the lab is busy.
const BUSY_S: f64 = 0.5;

/// Steps that were done at once.
struct Stepped {
    /// Their number.
    steps: u64,
    /// Their duration in real seconds.
    took_s: f64,
    /// Whether the run was paused before them.
    was_paused: bool,
    /// Whether the condition of "Pause when" became true in them.
    has_turned: bool,
    /// Whether clients waited, because the past was shown.
    holds_clients: bool,
}

impl Lab {
    /// Answers clients while no step may be done.
    pub fn serve(&mut self) {
        self.poll_sockets();
        self.run.answer_clients();
    }

    /// Opens the sockets of the scene, and closes those of the previous one. After a reset or a reload, clients stay
    /// connected if the scene has the same ports.
    pub(super) fn poll_sockets(&mut self) {
        let now = (self.run.openings, self.run.starts);
        if self.run.clients.remote.as_ref().is_some_and(Remote::has_quit) {
            self.shell.quit = true;
        }
        if self.files.shots.target.is_none() && std::mem::replace(&mut self.run.clients.remote_of, now) != now {
            self.run.clients.error = None;
            let (simulation, options) = (self.run.host.simulation(), remote::Options::default());
            match &mut self.run.clients.remote {
                Some(remote) if remote.has_ports_for(simulation, &options) => remote.continue_with(simulation),
                _ => {
                    // Close the old sockets first: they may use the same ports.
                    self.run.clients.remote = None;
                    self.run.clients.notes.clear();
                    let thread = std::thread::current();
                    match Remote::open(simulation, &options, move || thread.unpark()) {
                        Ok(remote) => self.run.clients.remote = remote,
                        Err(error) => {
                            self.run.clients.error = Some(error.to_string());
                            self.notices.tell_error(format!("The sockets of the scene cannot be opened: {error}"));
                        }
                    }
                }
            }
        }
        let notes = self.run.clients.remote.as_ref().map(Remote::notes).unwrap_or_default();
        notes.iter().for_each(|note| self.notices.say(note));
        self.run.clients.notes.extend(notes);
        let excess = self.run.clients.notes.len().saturating_sub(MAX_NOTES);
        self.run.clients.notes.drain(..excess);
    }
}

impl Lab {
    /// Whether more steps may be done before the next frame.
    pub fn has_room_for_steps(&self) -> bool {
        let most = self.run.host.scene().time.steps_per_frame(self.shell.settings.max_steps_per_frame);
        self.target_step().is_some() || self.run.frames.steps < most
    }

    /// Starts a frame, which allows more steps.
    pub fn begin_frame(&mut self, frames_per_second: f64) {
        self.run.frames.per_second = frames_per_second;
        self.run.frames.steps = 0;
        self.view.current.camera.y_axis = self.run.host.scene().view.y_axis;
        let connections = (self.run.openings, self.run.host.simulation().scene_ahead().view.connections);
        if std::mem::replace(&mut self.view.connections, connections) != connections {
            self.view.current.overlays.set(Overlay::Connections, connections.1);
        }
    }

    /// Steps the simulation. Returns the real seconds until the next step is due; `None` if none is.
    pub fn advance(&mut self, real_s: f64, mut budget: impl FnMut() -> bool) -> Option<f64> {
        self.follow_run();
        if let Some(next_s) = self.advance_other_work(&mut budget) {
            return next_s;
        }
        let stepped = self.do_steps(real_s, budget);
        self.conclude_steps(&stepped, real_s);
        self.next_step_s(&stepped)
    }

    /// Follows what has changed since the last steps: clients, groups without room, a branch, plots and a jump that waits.
    fn follow_run(&mut self) {
        self.poll_sockets();
        // A screenshot shows the world.
        if self.files.shots.target.is_none() {
            self.edits.tell_without_room(&self.run, &mut self.notices);
        }
        self.poll_start();
        self.follow_fork();
        self.plots.finish_backfills(&self.run);
        self.plots.follow_lanes(&self.run);
        self.continue_seek();
    }

    /// Continues work that takes the place of steps. Returns the real seconds until there is more to do, if there is such
    /// work.
    fn advance_other_work(&mut self, budget: &mut impl FnMut() -> bool) -> Option<Option<f64>> {
        if self.run.host.resimulate().is_some() || self.refresh_past() {
            return Some(self.continue_resimulation(budget));
        }
        if self.go_on_with_search(budget) {
            return Some(Some(0.0));
        }
        // Both worlds advance together.
        if !self.catch_up(budget) {
            self.run.answer_clients();
            return Some(Some(0.0));
        }
        self.timeline.is_held.then_some(None)
    }

    /// Does the steps that are due, as far as the budget allows.
    fn do_steps(&mut self, real_s: f64, mut budget: impl FnMut() -> bool) -> Stepped {
        let until_shared = self.replay_shared();
        let until_loop = self.timeline.steps_to_loop_end(&self.run.host);
        let (holds_clients, target) = (shows_past(&self.run.host), self.target_step());
        let Self { run, plots, view, shell, compare, timeline, .. } = self;
        let RunState { host, frames, clients, .. } = run;
        let ViewState { past, current: view, .. } = view;
        let PlotState { history, turning, pause_when, .. } = plots;
        past.show_trails(view.overlays.shows(Overlay::AllTrails));
        let most = host.scene().time.steps_per_frame(shell.settings.max_steps_per_frame);
        host.clock_mut().max_steps_per_frame = most;
        let began = Instant::now();
        let was_paused = host.clock().paused;
        let limited = target.is_none();
        let before = frames.steps;
        let has_turned = Cell::new(false);
        let present = host.moment().branch;
        let branch = present.0;
        let on_step = |simulation: &Simulation| {
            history.observe(simulation);
            past.observe(simulation.world(), view.trail);
            timeline.occupancies.note(branch, past);
            timeline.check_hash(Some(present), simulation);
            turning.observe(simulation, history.watched(simulation).selected);
            compare.other.iter_mut().for_each(|other| other.follow(simulation));
            let turns = pause_when.as_mut().is_some_and(|trigger| trigger.observe(history.watched(simulation)));
            has_turned.set(has_turned.get() || turns);
        };
        let mut done = 0;
        let more = || {
            done += 1;
            budget()
                && done < until_shared
                && done < until_loop
                && (!limited || before + done < most)
                && !(limited && has_turned.get())
        };
        let steps = match (target, &mut clients.remote) {
            (Some(step), _) => host.advance_to(step, more, on_step),
            // Requests of clients are handled between any two steps.
            (None, Some(remote)) if !holds_clients => remote.advance(host, real_s, on_step),
            (None, _) => host.advance(real_s, more, on_step),
        };
        frames.steps += steps;
        Stepped {
            steps,
            took_s: began.elapsed().as_secs_f64() + host.take_time_apart_s(),
            was_paused,
            has_turned: has_turned.get(),
            holds_clients,
        }
    }

    /// Loops the range, measures the steps, and reports what happened in them.
    fn conclude_steps(&mut self, stepped: &Stepped, real_s: f64) {
        let Stepped { steps, took_s, was_paused, has_turned, .. } = *stepped;
        self.loop_range(steps);
        self.conclude_rerun();
        self.timeline.warn_hash_mismatch(&mut self.notices);
        let notes = self.run.host.take_notes();
        let at_end = steps > 0 && !was_paused && self.run.host.clock().paused && self.run.host.has_ended();
        if steps > 0 {
            self.run.frames.step_s.add(took_s, steps as f64, real_s);
        }
        if has_turned && self.files.shots.target.is_none() {
            self.pause_on_condition();
        }
        if at_end {
            self.tell_end();
        }
        notes.iter().for_each(|note| self.notices.say(note));
    }

    /// Says why the run is paused at its end, and how it goes on.
    fn tell_end(&mut self) {
        let Some(end) = self.run.end() else { return };
        let simulation = self.run.host.simulation();
        let collision = MomentCondition::Kind(MomentKind::Collision, None);
        let collisions = occurrences_at(&collision, &self.plots, simulation.steps());
        let text = match collisions.first().filter(|_| end.is_collision) {
            Some(first) => format!("Paused: {}. {}", first.text(simulation), end.sentence),
            None if end.is_collision => format!("Paused: a robot collided. {}", end.sentence),
            None => end.sentence,
        };
        self.notices.say(&text);
    }

    /// Returns the real seconds until the next step is due; `None` if none is.
    fn next_step_s(&self, stepped: &Stepped) -> Option<f64> {
        if self.run.host.waits_for_thread() {
            return None;
        }
        let dt_s = self.run.host.simulation().time().dt_s;
        match (self.target_step(), &self.run.clients.remote) {
            (Some(step), _) => (self.run.host.simulation().steps() < step).then_some(0.0),
            (None, Some(remote)) if !stepped.holds_clients => remote.next_s(&self.run.host),
            (None, _) => self.run.host.clock().next_step_s(dt_s),
        }
    }

    /// Makes the shared changes of the next step. Returns the number of steps until the next ones.
    fn replay_shared(&mut self) -> u64 {
        if self.run.host.is_in_past() {
            // The host makes the changes again. At the live end, shared changes and clients are checked again.
            let is_alone = self.edits.shared.next_step().is_none() && self.run.clients.remote.is_none();
            let left = self.run.host.live_end().saturating_sub(self.run.host.simulation().steps()).max(1);
            return if is_alone { u64::MAX } else { left };
        }
        let due = self.edits.shared.due(&mut self.run.host);
        // A scene that follows its shared changes does not differ from its file.
        let is_saved = !due.is_empty() && !self.files.autosave.has_changes(&self.run);
        for logged in due {
            let done = self.run.host.replay(logged);
            self.notices.tell(done);
        }
        if is_saved {
            self.files.autosave.take_as_saved(&self.run);
        }
        let next = self.run.host.simulation().steps() + 1;
        self.edits.shared.next_step().map_or(u64::MAX, |step| step.saturating_sub(next))
    }

    /// Whether work goes on without events of the window: time, background work, or a client.
    pub fn is_under_way(&self) -> bool {
        !self.run.host.clock().paused
            || self.progress().is_some()
            || self.plots.is_filling_lanes()
            || self.files.recordings.is_under_way()
            || !self.files.shots.waiting.is_empty()
            || self.compare.is_comparing_branches()
            || self.sweep.is_busy()
            || self.run.clients.remote.is_some()
    }

    /// Pauses because the condition of "Pause when" became true.
    fn pause_on_condition(&mut self) {
        self.run.host.clock_mut().paused = true;
        let steps = self.run.host.simulation().steps();
        let text = self.plots.pause_when.as_ref().map(|trigger| trigger.text().to_owned()).unwrap_or_default();
        self.notices.say(&format!("Paused after step {steps}: {text} became true"));
    }

    /// Stops the time after a step that failed.
    pub fn step_failed(&mut self) {
        self.run.host.clock_mut().paused = true;
        self.cancel_resimulation();
        self.shell.quit |= self.files.shots.target.is_some();
        let mut message = "A step failed, so the run is paused: reset, or open another scene (details in the terminal)";
        if self.compare.other.is_some() {
            // It may have been a step of B, which would fail again and again.
            self.compare.end_comparison();
            message = "A step failed, so the comparison ends and the run is paused: play without it, reset, or open \
                       another scene (details in the terminal)";
        }
        self.notices.tell_error(message);
    }

    /// Returns the progress of work that simulates again.
    pub fn progress(&self) -> Option<progress::Progress> {
        if let Some(progress) = self.edits.starts.progress() {
            return Some(progress);
        }
        match self.run.host.resimulate() {
            Some(progress) if self.run.host.is_resimulating_changes() => {
                Some(progress::Progress { label: "Simulating again".into(), ..progress })
            }
            Some(progress) => Some(progress),
            None => match self
                .timeline
                .search_progress()
                .or_else(|| self.rerun_progress())
                .or_else(|| self.long_step_progress())
            {
                Some(progress) => Some(progress),
                None => self.compare.other.as_ref()?.progress(self.run.host.simulation()),
            },
        }
    }

    /// Returns the progress of a step that takes long.
    fn long_step_progress(&self) -> Option<progress::Progress> {
        let LongStep { step, since_s, last_s } = self.run.host.long_step()?;
        if since_s.max(last_s.unwrap_or_default()) < BUSY_S {
            return None;
        }
        let last = last_s.filter(|last_s| *last_s >= BUSY_S);
        let last = last.map_or_else(String::new, |last_s| format!("; the last one took {last_s:.1} s"));
        let label = format!("Busy: step {} has taken {since_s:.1} s{last}", grouped(step));
        Some(progress::Progress { done: 0, steps: 0, label })
    }

    /// Cancels work that simulates again. Returns whether there was any.
    pub fn cancel_progress(&mut self) -> bool {
        let is_under_way = self.progress().is_some();
        self.timeline.wanted = None;
        if self.edits.starts.cancel() {
            // The run goes on as it is.
        } else if self.run.host.resimulate().is_some() {
            self.cancel_resimulation();
        } else if self.timeline.rerun.take().is_some() || self.timeline.cancel_search() {
            // The present moment stays.
        } else if is_under_way && self.run.host.cancel_long_step() {
            self.notices.say("The step is cancelled, and the run is paused after the step before it");
        } else if is_under_way {
            self.compare.end_comparison();
        }
        is_under_way
    }
}

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
        if self.run.restarts == restarts {
            self.reset(None);
        }
        // Everything is before the present moment then.
        let seek = if seek == Seek::Next { Seek::First } else { seek };
        self.run.host.clock_mut().paused = true;
        self.timeline.rerun = Some(Rerun { run: self.run.host.run_number(), until, condition, seek });
    }

    /// Returns the step up to which the run is simulated whether it is paused or not.
    pub(crate) fn target_step(&self) -> Option<u64> {
        let is_same_run = |rerun: &&Rerun| rerun.run == self.run.host.run_number();
        self.files.shots.target.or(self.timeline.rerun.as_ref().filter(is_same_run).map(|rerun| rerun.until))
    }

    fn rerun_progress(&self) -> Option<progress::Progress> {
        let rerun = self.timeline.rerun.as_ref()?;
        let done = self.run.host.simulation().steps().min(rerun.until);
        Some(progress::Progress { done, steps: rerun.until, label: "Simulating again".into() })
    }

    /// Begins the search that waits for a run to be simulated again, if the run is there. It is dropped if another run
    /// is shown.
    pub(crate) fn conclude_rerun(&mut self) {
        let Some(rerun) = &self.timeline.rerun else { return };
        let now = self.run.host.simulation().steps();
        let is_other = rerun.run != self.run.host.run_number() || self.run.host.is_in_past();
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
            notice = notice.with_button(format!("{lead_s} s before"), hint, TimelineAction::GoTo(early).into());
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
                ": the metric LargestComponent finds the connected parts of the swarm"
            }
            MomentCondition::Kind(MomentKind::Highest | MomentKind::Lowest | MomentKind::Steady, _) => {
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

impl Lab {
    /// Removes a branch or a bookmark.
    pub fn remove_item(&mut self, item: &TimelineItem) {
        let timeline = self.run.host.timeline_mut();
        let done: Result<(), TimelineError> = match item {
            TimelineItem::Branch(branch) => timeline.remove(*branch),
            TimelineItem::Bookmark(name) => {
                timeline.remove_bookmark(name);
                Ok(())
            }
        };
        if let (TimelineItem::Branch(branch), Ok(())) = (item, &done) {
            self.plots.other_runs.retain(|(known, _)| known != &branch.0);
            self.compare.compare_ends_with(*branch);
        }
        self.notices.tell(done);
    }
}

/// Maximum duration, in seconds, for which the past is replayed without a request, such as when trails are switched on.
const MOST_SEEN_AGAIN_S: f64 = 0.3;

impl Lab {
    /// Goes to a moment.
    pub fn go_to(&mut self, moment: Moment) {
        self.timeline.wanted = None;
        if self.run.host.is_resimulating_changes() {
            self.timeline.wanted = Some(moment);
            return;
        }
        let (view, timeline) = (&self.view.current, self.run.host.timeline());
        let dt_s = self.run.host.simulation().time().dt_s;
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let is_other = moment.branch != timeline.present().id();
        let history = is_other.then(|| self.plots.history_of(&self.run.host, moment.branch));
        // Plots must not miss a step.
        let known = history.as_ref().unwrap_or(&self.plots.history).last_step();
        let after = footprints.begin_after().unwrap_or(moment.step).min(known);
        self.edits.ahead = Some(RerunState { history, footprints, ..RerunState::default() });
        let done = self.run.host.switch_watched(moment, after);
        if done.is_err() || self.run.host.is_seeking_forward() || self.run.host.resimulate().is_none() {
            // If the simulation was not replaced, the run continues as it is.
            let is_there = self.edits.swaps != self.run.host.swaps();
            self.edits.ahead.take_if(|_| !is_there);
        }
        self.notices.tell(done);
        self.poll_simulation_replaced();
    }

    /// Goes to a step while the playhead is dragged. Jumps run one at a time.
    pub fn scrub(&mut self, step: u64) {
        self.timeline.is_held = true;
        let step = step.min(self.run.host.live_end());
        let moment = Moment { step, ..self.run.host.moment() };
        if moment == self.timeline.playhead(&self.run.host) {
            return;
        }
        match self.run.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Pauses and goes back a number of steps.
    pub fn step_back(&mut self, steps: u64) {
        self.run.host.clock_mut().paused = true;
        let now = self.timeline.playhead(&self.run.host);
        let moment = Moment { step: now.step.saturating_sub(steps), ..now };
        match self.run.host.resimulate() {
            Some(_) => self.timeline.wanted = Some(moment),
            None => self.go_to(moment),
        }
    }

    /// Goes to the moment that the user requested while another jump was running.
    pub(crate) fn continue_seek(&mut self) {
        if self.run.host.resimulate().is_none()
            && let Some(moment) = self.timeline.wanted.take()
        {
            self.go_to(moment);
        }
    }

    /// Handles a new branch that an edit in the past, or the user, has started. It keeps the history up to the fork.
    pub(crate) fn follow_fork(&mut self) {
        let (before, now) = (self.plots.run, self.run.host.run_number());
        if before == now || self.edits.swaps != self.run.host.swaps() || self.run.host.resimulate().is_some() {
            return;
        }
        self.plots.keep_history();
        self.plots.run = now;
        self.plots.history.go_back(self.run.host.simulation().steps());
        self.plots.history.observe(self.run.host.simulation());
        let timeline = self.run.host.timeline();
        let left = timeline.present().parent().and_then(|parent| timeline.branch(parent.branch));
        if let Some(left) = left.map(|left| left.name().to_owned()) {
            let name = timeline.present().name().to_owned();
            self.notices.say(&format!("Started {name} here; the earlier future stays on {left}"));
        }
    }

    /// Starts a branch at the present moment.
    pub fn fork(&mut self) {
        self.cancel_resimulation();
        match self.run.host.fork(None) {
            Ok(branch) => {
                self.follow_fork();
                self.timeline.ask_name(&self.run.host, TimelineItem::Branch(branch));
            }
            Err(error) => self.notices.tell_error(error),
        }
    }

    /// Replays the past for the view if it is missing and does not take long. Returns whether a replay runs.
    pub(crate) fn refresh_past(&mut self) -> bool {
        let dt_s = self.run.host.simulation().time().dt_s;
        let lacks_past = footprints::lacks_past(&self.view.past, &self.view.current, dt_s);
        if !lacks_past || self.run.host.resimulate().is_some() || self.files.shots.target.is_some() {
            return false;
        }
        let moment = self.run.host.moment();
        let (view, timeline) = (&self.view.current, self.run.host.timeline());
        let footprints = Footprints::to(moment, view, dt_s, timeline, &self.timeline.occupancies);
        let after = footprints.begin_after().unwrap_or(moment.step);
        let takes_s = self.run.step_s().unwrap_or_default() * (moment.step - after) as f64;
        let sees = Some((moment, view.overlays, view.trail));
        let is_live = !self.run.host.clock().paused && !self.run.host.is_in_past();
        if takes_s > MOST_SEEN_AGAIN_S || is_live || self.timeline.seen_again == sees {
            return false;
        }
        self.timeline.seen_again = sees;
        self.go_to(moment);
        self.run.host.resimulate().is_some()
    }

    /// Pauses and goes to the next or the previous mark.
    pub fn go_to_mark(&mut self, direction: Direction) {
        let now = self.timeline.playhead(&self.run.host);
        let marks = self.timeline.mark_steps(&self.run, &self.plots, now.branch);
        let found = match direction {
            Direction::Back => marks.iter().rev().find(|step| **step < now.step),
            Direction::Forward => marks.iter().find(|step| **step > now.step),
        };
        match found {
            Some(step) => {
                self.run.host.clock_mut().paused = true;
                self.go_to(Moment { step: *step, ..now });
            }
            None => self.notices.say(match direction {
                Direction::Back => "There is no mark before this moment",
                Direction::Forward => "There is no mark after this moment",
            }),
        }
    }

    /// Jumps back to the start of the looped range when its end is reached.
    pub(crate) fn loop_range(&mut self, steps: u64) {
        let Some(StepRange { from, to }) = self.timeline.range.filter(|_| self.timeline.loops && steps > 0) else {
            return;
        };
        let now = self.run.host.moment();
        if now.step == to && !self.run.host.clock().paused {
            self.go_to(Moment { step: from, ..now });
        }
    }
}

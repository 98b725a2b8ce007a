//! Time: steps between two frames, and clients.

use std::cell::Cell;
use std::time::Instant;

use swarmarium_draw::Overlay;
use swarmarium_host::clock::host::apart::LongStep;
use swarmarium_remote as remote;
use swarmarium_remote::Remote;
use swarmarium_simulation::simulation::Simulation;

use crate::action::MomentCondition;
use crate::app::Lab;
use crate::common::moments::MomentKind;
use crate::common::progress;
use crate::common::text::grouped;
use crate::plots::PlotState;
use crate::run::RunState;
use crate::run::clients::{MAX_NOTES, shows_past};
use crate::timeline::occurrences_at;
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
            let waits = self.timeline.search.as_ref().is_some_and(|search| search.search.waits_for_thread());
            return Some((!waits).then_some(0.0));
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
        let took_s = began.elapsed().as_secs_f64() + host.take_time_apart_s();
        if target.is_some() {
            run.answer_clients();
        }
        Stepped { steps, took_s, was_paused, has_turned: has_turned.get(), holds_clients }
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
            || self.forecasts.is_busy()
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
        self.edits.starts.cancel();
        self.cancel_resimulation();
        self.shell.quit |= self.files.shots.target.is_some();
        let mut message =
            "A step failed, so the run is paused: restart, or open another scene (details in the terminal)";
        if self.compare.other.is_some() {
            // It may have been a step of B, which would fail again and again.
            self.compare.end_comparison();
            message = "A step failed, so the comparison ends and the run is paused: play without it, restart, or open \
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

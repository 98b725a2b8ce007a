//! Simulation steps between two frames and until a pause.

use std::cell::Cell;
use std::time::Instant;

use swarmarium_core::draw::Overlay;
use swarmarium_core::simulation::Simulation;

use super::camera::Viewport;
use super::notice::Notice;
use super::plots::{PlotState, Trigger};
use super::{Lab, clients, progress};

impl Lab {
    /// Whether more steps may be done before the next frame.
    pub(crate) fn has_room_for_steps(&self) -> bool {
        let most = self.host.scene().time.steps_per_frame(self.settings.max_steps_per_frame);
        self.shots.target.is_some() || self.frames.steps < most
    }

    /// Starts a frame, which allows more steps.
    pub(crate) fn begin_frame(&mut self, frames_per_second: f64) {
        self.frames.per_second = frames_per_second;
        self.frames.steps = 0;
        self.viewport.view.camera.y_axis = self.host.scene().view.y_axis;
        let connections = (self.openings, self.host.simulation().scene_ahead().view.connections);
        if std::mem::replace(&mut self.viewport.connections, connections) != connections {
            self.viewport.view.overlays.set(Overlay::Connections, connections.1);
        }
    }

    /// Tells the user about groups whose robots found no room, each time their numbers have changed.
    fn tell_without_room(&mut self) {
        let without_room = self.host.simulation().without_room();
        if without_room == self.edits.without_room {
            return;
        }
        let texts: Vec<String> = without_room.iter().map(|problem| self.problem_text(problem)).collect();
        // A screenshot shows the world.
        if !texts.is_empty() && self.shots.target.is_none() {
            self.notices.add(Notice::of_scene(&texts.join("\n")));
        }
        self.edits.without_room = without_room;
    }

    /// Steps the simulation. Returns the real seconds until the next step is due; `None` if none is.
    pub(crate) fn advance(&mut self, real_s: f64, mut budget: impl FnMut() -> bool) -> Option<f64> {
        self.look_after_sockets();
        self.tell_without_room();
        self.follow_fork();
        self.finish_backfills();
        self.go_on_to_wanted();
        if self.host.resimulate().is_some() || self.see_past_again() {
            return self.go_on_with_rework(budget);
        }
        if self.go_on_with_search(&mut budget) {
            return Some(0.0);
        }
        // Both worlds advance together.
        if !self.catch_up(&mut budget) {
            self.answer_clients();
            return Some(0.0);
        }
        if self.timeline.is_held {
            return None;
        }
        let until_shared = self.replay_shared();
        let until_loop = self.steps_to_loop_end();
        let holds_clients = clients::shows_past(&self.host);
        let Self { host, plots, viewport, frames, clients, shots, settings, compare, timeline, .. } = self;
        let Viewport { past, view, .. } = viewport;
        let PlotState { history, turning, pause_when, .. } = plots;
        let target = shots.target;
        past.show_trails(view.overlays.shows(Overlay::AllTrails));
        let most = host.scene().time.steps_per_frame(settings.max_steps_per_frame);
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
            turning.iter_mut().for_each(|turning| turning.observe(history.watched(simulation), false));
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
        self.loop_range(steps);
        self.tell_foreign_state();
        let notes = self.host.take_notes();
        let at_end = steps > 0 && !was_paused && self.host.clock().paused && self.host.has_ended();
        if steps > 0 {
            self.frames.step_s.add(began.elapsed().as_secs_f64(), steps as f64, real_s);
        }
        if has_turned.get() && self.shots.target.is_none() {
            self.turned_true();
        }
        if at_end {
            let (steps, reason) = (self.host.simulation().steps(), self.end_reason().unwrap_or_default());
            self.say(&format!("The run has ended after {steps} steps ({reason}); Play continues it"));
        }
        notes.iter().for_each(|note| self.say(note));
        let dt_s = self.host.simulation().time().dt_s;
        match (self.shots.target, &self.clients.remote) {
            (Some(step), _) => (self.host.simulation().steps() < step).then_some(0.0),
            (None, Some(remote)) if !holds_clients => remote.next_s(&self.host),
            (None, _) => self.host.clock().next_step_s(dt_s),
        }
    }

    /// Makes the shared changes of the next step. Returns the number of steps until the next ones.
    fn replay_shared(&mut self) -> u64 {
        if self.host.is_in_past() {
            // The host makes the changes again. At the live end, shared changes and clients are checked again.
            let is_alone = self.edits.shared.next_step().is_none() && self.clients.remote.is_none();
            let left = self.host.live_end().saturating_sub(self.host.simulation().steps()).max(1);
            return if is_alone { u64::MAX } else { left };
        }
        let due = self.edits.shared.due(&mut self.host);
        // A scene that follows its shared changes does not differ from its file.
        let is_saved = !due.is_empty() && !self.has_changes();
        for logged in due {
            let done = self.host.replay(logged);
            self.tell(done);
        }
        if is_saved {
            self.take_as_saved();
        }
        let next = self.host.simulation().steps() + 1;
        self.edits.shared.next_step().map_or(u64::MAX, |step| step.saturating_sub(next))
    }

    /// Whether work goes on without events of the window: time, background work, or a client.
    pub(crate) fn is_under_way(&self) -> bool {
        !self.host.clock().paused
            || self.progress().is_some()
            || self.recordings.is_under_way()
            || !self.shots.waiting.is_empty()
            || self.is_comparing_branches()
            || self.sweep.is_busy()
            || self.clients.remote.is_some()
    }

    /// Returns the reason why the run is paused at its end; `None` if it is not.
    pub(crate) fn end_reason(&self) -> Option<String> {
        let is_over = self.host.has_ended() && self.host.clock().paused;
        self.host.simulation().end_reason().filter(|_| is_over)
    }

    /// Pauses because the condition of "Pause when" became true.
    fn turned_true(&mut self) {
        self.host.clock_mut().paused = true;
        let steps = self.host.simulation().steps();
        let text = self.plots.pause_when.as_ref().map(|trigger| trigger.text().to_owned()).unwrap_or_default();
        self.say(&format!("Paused after step {steps}: {text} became true"));
    }

    /// Sets the condition of "Pause when"; an empty one removes it.
    pub(crate) fn set_pause_when(&mut self, text: &str) {
        let watched = self.plots.history.watched(self.host.simulation());
        match Trigger::new(text, watched) {
            Ok(trigger) => {
                let holds = trigger.as_ref().filter(|trigger| trigger.holds()).map(|trigger| trigger.text().to_owned());
                self.plots.pause_when = trigger;
                if let Some(text) = holds {
                    self.say(&format!("{text} is true now: the run pauses the next time it becomes true"));
                }
            }
            Err(error) => self.tell_error(error),
        }
    }

    /// Stops the time after a step that failed.
    pub(crate) fn step_failed(&mut self) {
        self.host.clock_mut().paused = true;
        self.cancel_rework();
        self.quit |= self.shots.target.is_some();
        let mut message = "A step failed, so the run is paused: reset, or open another scene (details in the terminal)";
        if self.compare.other.is_some() {
            // It may have been a step of B, which would fail again and again.
            self.end_comparison();
            message = "A step failed, so the comparison ends and the run is paused: play without it, reset, or open \
                       another scene (details in the terminal)";
        }
        self.tell_error(message);
    }

    /// Returns the mean duration of a step in seconds; `None` before the first one.
    pub(crate) fn step_s(&self) -> Option<f64> {
        self.frames.step_s.mean()
    }

    /// Returns the progress of work that simulates again.
    pub(crate) fn progress(&self) -> Option<progress::Progress> {
        match self.host.resimulate() {
            Some(progress) if self.host.is_reworking() => {
                Some(progress::Progress { label: "Simulating again".into(), ..progress })
            }
            Some(progress) => Some(progress),
            None => match self.search_progress() {
                Some(progress) => Some(progress),
                None => self.compare.other.as_ref()?.progress(self.host.simulation()),
            },
        }
    }

    /// Cancels work that simulates again. Returns whether there was any.
    pub(crate) fn cancel_progress(&mut self) -> bool {
        let is_under_way = self.progress().is_some();
        self.timeline.wanted = None;
        if self.host.resimulate().is_some() {
            self.cancel_rework();
        } else if self.cancel_search() {
            // The present moment stays.
        } else if is_under_way {
            self.end_comparison();
        }
        is_under_way
    }
}

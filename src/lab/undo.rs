//! Changes in the window: each is part of a transaction, and can be undone and redone.

use swarmarium_base::problem::Problem;
use swarmarium_core::clock::host::{Names, lower};
use swarmarium_core::edit::Edit;
use swarmarium_core::scene::{constants, path};
use swarmarium_core::timeline::BranchId;

use super::Lab;
use super::camera::Viewport;
use super::footprints::Footprints;
use super::plots::History;
use super::selection::robot_name;
use super::shared_edits::SharedEdits;

/// The largest number of kept histories of other branches.
const MOST_HISTORIES: usize = 32;

/// The state of changes and undo.
#[derive(Default)]
pub struct EditState {
    /// The present transaction; 0 if each edit has its own.
    pub transaction: u64,
    /// The transaction of the last edits.
    pub last: u64,
    /// Whether the user has been told that changes can restart the run.
    pub knows_restarts: bool,
    /// The groups without room that the user has been told about.
    pub without_room: Vec<Problem>,
    /// The number of swaps of the host's simulation by undo and redo that were handled.
    pub swaps: u64,
    /// The state of the run that is simulated again.
    pub ahead: Option<RerunState>,
    /// The changes that were replaced when the file was read again.
    pub set_aside: Vec<Edit>,
    /// The changes of the open shared scene.
    pub shared: SharedEdits,
}

/// The state of a run that is simulated again: its collected past and its changes.
#[derive(Default)]
pub struct RerunState {
    /// The plots of the future present branch; `None` if those of the present branch continue.
    pub history: Option<History>,
    /// The collected past of robots, as far as it is drawn.
    pub footprints: Footprints,
    /// The step after which the branch changes, after an undo.
    pub reworked_after: Option<u64>,
}

impl Lab {
    /// Makes changes as parts of one transaction.
    pub(crate) fn edit(&mut self, edits: Vec<Edit>) {
        if edits.is_empty() {
            return self.tell_error("There is nothing to change");
        }
        let transaction = self.present_transaction();
        self.edits.last = transaction;
        if self.restart_with(&edits, transaction) {
            return;
        }
        let done = self.apply_all(&edits, transaction);
        let misfits = done.into_iter().filter_map(Result::err);
        let misfits: Vec<String> = misfits.map(|problem| self.problem_text(&problem)).collect();
        if !misfits.is_empty() {
            self.tell_error(misfits.join("\n"));
        }
        let simulation = self.host.simulation();
        let (chosen, gone): (Vec<_>, Vec<_>) = self.selection.items.iter().partition(|item| item.exists(simulation));
        if !gone.is_empty() {
            self.choose(chosen);
        }
    }

    /// Returns the text about a rejected change, with the name of the parameter as in panels instead of its path.
    pub(super) fn problem_text(&self, problem: &Problem) -> String {
        let simulation = self.host.simulation();
        let (kinds, scene, path) = (simulation.kinds(), simulation.scene_ahead(), problem.path.as_str());
        let is_parameter = path::get(kinds, scene, path).is_ok() || constants::named(scene, path).is_some();
        if path.is_empty() || !(is_parameter || path.starts_with("agents.")) {
            return problem.to_string();
        }
        let robot = |number| robot_name(simulation, number);
        let (name, _) = Names { robot: &robot, kinds, scene }.parameter(path);
        format!("{name}: {}", problem.message)
    }

    /// Requests a time scale.
    pub(crate) fn set_scale(&mut self, scale: f64) {
        let transaction = self.present_transaction();
        let done = self.host.set_scale_in(scale, transaction);
        self.tell(done.map_err(|problem| problem.message));
    }

    /// Returns the present transaction.
    pub(super) fn present_transaction(&mut self) -> u64 {
        if self.edits.transaction > 0 { self.edits.transaction } else { self.host.new_transaction() }
    }

    /// Undoes the last change.
    pub(crate) fn undo(&mut self) {
        let before = self.host.resimulate();
        if self.undo_in_other() {
            return;
        }
        match self.host.undo() {
            Some(label) => self.say(&format!("Undone: {}", lower(&label))),
            None => self.say("There is nothing to undo"),
        }
        // If the undone change was still being simulated, the run continues with its plots.
        if before.is_none() || before != self.host.resimulate() {
            self.follow_swap();
        }
    }

    /// Redoes the change that was undone last.
    pub(crate) fn redo(&mut self) {
        if self.redo_in_other() {
            return;
        }
        match self.host.redo() {
            Some(label) => self.say(&format!("Redone: {}", lower(&label))),
            None => self.say("There is nothing to redo"),
        }
        self.follow_swap();
    }

    /// Undoes or redoes changes so that the one with this transaction is the last one in effect; 0 undoes all.
    pub(crate) fn go_to_change(&mut self, transaction: u64) {
        self.host.go_to(transaction);
        self.follow_swap();
        self.hold_other_until(transaction);
    }

    /// Cancels undo or redo, and leaves the run as it is.
    pub(crate) fn cancel_rework(&mut self) {
        self.host.cancel_rework();
        self.follow_swap();
    }

    /// Handles another simulation of the host; a run that is simulated again starts with the present plots.
    fn follow_swap(&mut self) {
        self.edits.ahead = None;
        self.take_swap();
    }

    /// Handles another state of the run, if there is one.
    pub(super) fn take_swap(&mut self) {
        if self.edits.swaps != self.host.swaps() {
            self.swapped();
        }
        self.tell_notes();
    }

    fn tell_notes(&mut self) {
        self.host.take_notes().iter().for_each(|note| self.say(note));
    }

    /// Continues to simulate a run again.
    pub(super) fn go_on_with_rework(&mut self, budget: impl FnMut() -> bool) -> Option<f64> {
        self.answer_clients();
        let is_rework = self.host.is_reworking();
        let goes_on = self.host.is_seeking_forward();
        let (branch, run) = (self.host.target().map(|moment| moment.branch), self.host.run_number());
        let Self { host, plots, viewport: Viewport { past, view, .. }, edits, timeline, .. } = self;
        let ahead = edits.ahead.get_or_insert_default();
        host.advance_rework(budget, |simulation| {
            if is_rework && ahead.history.is_none() {
                let mut history = plots.history.clone();
                let before = simulation.steps() - 1;
                history.go_back(before);
                (ahead.history, ahead.reworked_after) = (Some(history), Some(before));
                timeline.occupancies.go_back(run, before);
                ahead.footprints = Footprints::after(run, before, view, &timeline.occupancies);
            }
            timeline.check_hash(branch, simulation);
            ahead.history.as_mut().unwrap_or(&mut plots.history).observe(simulation);
            match goes_on {
                true => past.observe(simulation.world(), view.trail),
                false => ahead.footprints.observe(simulation, view),
            }
        });
        self.take_swap();
        self.tell_foreign_state();
        Some(0.0)
    }

    /// Handles another present state: that of another moment, or of the same one after an undo.
    pub(super) fn swapped(&mut self) {
        let before = self.plots.run;
        let is_same_branch = before == self.host.run_number();
        let timeline = self.host.timeline();
        let is_same_run = timeline.root_of(BranchId(before)) == timeline.root_of(timeline.present().id());
        let RerunState { history, footprints, reworked_after } = self.edits.ahead.take().unwrap_or_default();
        match history {
            Some(history) => {
                let pins: Vec<String> = self.plots.history.pins().map(Into::into).collect();
                if !is_same_branch {
                    self.keep_history();
                }
                self.plots.history = history;
                self.plots.history.keep_pins(self.host.simulation(), &pins);
            }
            None if is_same_branch => {}
            None => self.exchange_history(before),
        }
        if let Some(step) = reworked_after {
            self.timeline.forget_hashes_after(step);
        }
        self.plots.history.jump();
        self.plots.history.observe(self.host.simulation());
        let goes_on = self.viewport.past.last_step() == Some(self.host.simulation().steps());
        let past = std::mem::take(&mut self.viewport.past);
        let is_same_past = goes_on && is_same_branch && footprints.is_empty() && reworked_after.is_none();
        // Clients of another run start again; at another moment of this run they wait.
        match is_same_run && reworked_after.is_none() {
            true => self.shows_other_moment(),
            false => self.begins_anew(),
        }
        self.viewport.past = match is_same_past {
            true => past,
            false => footprints.into_past(self.host.simulation(), &self.viewport.view),
        };
    }

    /// Replaces the plots by those of the present run, and keeps the previous ones.
    fn exchange_history(&mut self, before: u64) {
        let number = self.host.run_number();
        self.plots.run = before;
        let has_parent = self.host.timeline().present().parent().is_some();
        let is_known = has_parent || self.plots.other_runs.iter().any(|(known, _)| *known == number);
        let history = is_known.then(|| self.history_of(BranchId(number)));
        self.keep_history();
        self.plots.other_runs.retain(|(known, _)| *known != number);
        match history {
            Some(history) => self.plots.history = history,
            None => self.plots.history.restart(self.host.simulation()),
        }
    }

    /// Keeps the plots of the present run, in case a reset is undone.
    pub(super) fn keep_history(&mut self) {
        let run = self.plots.run;
        self.plots.other_runs.retain(|(known, _)| *known != run);
        self.plots.other_runs.push((run, self.plots.history.clone()));
        if self.plots.other_runs.len() > MOST_HISTORIES {
            self.plots.other_runs.remove(0);
        }
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::{self, Key, Modifiers};
    use egui_kittest::kittest::Queryable as _;
    use swarmarium_core::agent::failure::Failure;
    use swarmarium_core::draw::Overlay;
    use swarmarium_core::simulation::Recipe;
    use swarmarium_kinds::{FromScene as _, Standard as _};

    use super::*;
    use crate::dispatch::act;
    use crate::faults::cures;
    use crate::settings::Settings;
    use crate::testing::{do_steps, lab_on, window};
    use crate::{Action, Options, save};

    fn moved(agent: u32, x_m: f64) -> Edit {
        Edit::Move { agent, x_m, y_m: 3.0, heading_rad: 0.0 }
    }

    fn resimulate(lab: &mut Lab) {
        while lab.host.resimulate().is_some() {
            lab.advance(0.0, || true);
        }
    }

    #[test]
    fn refused_changes_are_told_with_the_names_of_panels() {
        let mut lab = lab_on("milling");
        let control = lab.host.scene().controls[0].clone();
        let told = |lab: &mut Lab, path: &str, value: &str| {
            lab.notices = crate::notice::Notices::default();
            lab.edit(vec![Edit::Set { path: path.into(), value: value.into() }]);
            lab.notices.iter().next().unwrap().lines.join("\n")
        };
        let text = told(&mut lab, &control.of, "\"no number\"");
        assert!(text.starts_with(&format!("{}: ", control.label)), "{text}");
        let text = told(&mut lab, "groups.millers.count", "-1");
        assert!(!text.contains("groups."), "{text}");
        let text = told(&mut lab, "groups.nobody.count", "1");
        assert!(text.contains("nobody"), "{text}");
    }

    #[test]
    fn keys_undo_and_redo_and_it_is_told() {
        let (mut window, lab) = window(lab_on("milling"));
        do_steps(&mut lab.borrow_mut(), 20);
        let hash = lab.borrow().host.simulation().hash();
        lab.borrow_mut().edit(vec![moved(3, 2.0), moved(4, 3.0)]);
        lab.borrow_mut().advance(0.0, || true);
        let changed = lab.borrow().host.simulation().hash();
        assert_ne!(changed, hash, "seen at once, while time stands still");
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(3);
        resimulate(&mut lab.borrow_mut());
        window.run_steps(3);
        window.get_by_label("Undone: moved 2 robots");
        assert_eq!(lab.borrow().host.simulation().hash(), hash);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Y);
        window.run_steps(3);
        resimulate(&mut lab.borrow_mut());
        assert_eq!(lab.borrow().host.simulation().edits().len(), 2);
        assert_eq!(lab.borrow().host.simulation().hash(), changed, "as it was before");
    }

    #[test]
    fn plots_follow_a_rework_during_which_a_change_is_made_and_taken_back() {
        let mut lab = lab_on("milling");
        lab.pin("agents.3.x_m");
        do_steps(&mut lab, 40);
        lab.edit(vec![moved(3, 2.0)]);
        do_steps(&mut lab, 60);
        lab.undo();
        for _ in 0..20 {
            lab.advance(0.0, || false);
        }
        lab.edit(vec![moved(4, 3.0)]);
        lab.undo();
        assert!(lab.host.resimulate().is_some_and(|progress| progress.done > 0), "it goes on");
        resimulate(&mut lab);
        let mut untouched = lab_on("milling");
        untouched.pin("agents.3.x_m");
        do_steps(&mut untouched, 100);
        let series = |lab: &Lab| lab.plots.history.series(lab.plots.history.names().count() - 1)[1..].to_vec();
        assert_eq!((lab.plots.history.steps(), series(&lab)), (untouched.plots.history.steps(), series(&untouched)));
        assert_eq!(lab.host.simulation().hash(), untouched.host.simulation().hash());
    }

    #[test]
    fn the_speed_of_the_command_line_is_no_change() {
        let loaded = swarmarium_formats::load::load(Recipe::standard().kinds(), "milling", &[]).unwrap();
        let options = Options { speed: Some(4.0), paused: true, ..Options::default() };
        let mut lab = Lab::new(loaded, &Recipe::standard(), &options, Settings::default()).unwrap();
        do_steps(&mut lab, 2);
        assert_eq!((lab.host.clock().scale(), lab.host.changes().len(), lab.host.undo()), (4.0, 0, None));
    }

    #[test]
    fn in_a_text_field_the_keys_belong_to_the_field() {
        let (mut window, lab) = window(lab_on("milling"));
        lab.borrow_mut().edit(vec![moved(3, 2.0)]);
        lab.borrow_mut().advance(0.0, || true);
        assert_eq!(lab.borrow().host.changes().len(), 1);
        lab.borrow_mut().popups.palette = Some("");
        window.run_steps(3);
        window.key_press_modifiers(Modifiers::COMMAND, Key::Z);
        window.run_steps(3);
        assert!(lab.borrow().host.changes().iter().all(|change| !change.is_undone));
    }

    #[test]
    fn plots_go_back_with_the_run() {
        let mut lab = lab_on("milling");
        lab.pin("agents.3.x_m");
        do_steps(&mut lab, 40);
        lab.edit(vec![moved(3, 2.0)]);
        do_steps(&mut lab, 40);
        lab.undo();
        resimulate(&mut lab);
        let mut untouched = lab_on("milling");
        untouched.pin("agents.3.x_m");
        do_steps(&mut untouched, 80);
        assert_eq!(lab.plots.history.steps(), untouched.plots.history.steps());
        let series = |lab: &Lab| lab.plots.history.series(lab.plots.history.names().count() - 1)[1..].to_vec();
        assert_eq!(series(&lab), series(&untouched));
        assert_eq!(lab.host.simulation().hash(), untouched.host.simulation().hash());
    }

    #[test]
    fn trails_go_back_with_the_run_and_occupancy_says_since_when() {
        let mut lab = lab_on("milling");
        lab.viewport.view.overlays.set(Overlay::AllTrails, true);
        do_steps(&mut lab, 40);
        lab.edit(vec![moved(3, 2.0)]);
        do_steps(&mut lab, 40);
        lab.undo();
        resimulate(&mut lab);
        // The shown past is resimulated while the run is paused.
        lab.advance(0.0, || true);
        resimulate(&mut lab);
        assert_eq!(lab.viewport.past.last_step(), Some(80));
        let agent = lab.host.simulation().agent(3).unwrap();
        let points: usize =
            lab.viewport.past.pieces_of(3, agent.pose.position_m, agent.pose.position_m).iter().map(Vec::len).sum();
        let mut untouched = lab_on("milling");
        untouched.viewport.view.overlays.set(Overlay::AllTrails, true);
        do_steps(&mut untouched, 80);
        let all: usize = untouched
            .viewport
            .past
            .pieces_of(3, agent.pose.position_m, agent.pose.position_m)
            .iter()
            .map(Vec::len)
            .sum();
        assert!(all > 20 && points.abs_diff(all) <= 2, "{points} of {all} points");
    }

    #[test]
    fn a_reset_is_undone_with_its_plots() {
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 30);
        let (hash, steps) = (lab.host.simulation().hash(), lab.plots.history.steps().len());
        lab.reset(Some(5));
        do_steps(&mut lab, 3);
        lab.undo();
        resimulate(&mut lab);
        assert_eq!((lab.host.simulation().hash(), lab.plots.history.steps().len()), (hash, steps));
        lab.redo();
        resimulate(&mut lab);
        assert_eq!((lab.host.start().seed, lab.host.simulation().steps()), (5, 3));
        assert_eq!(lab.plots.history.steps().last(), Some(&3));
    }

    #[test]
    fn a_drag_of_the_mouse_is_one_change() {
        let (mut window, lab) = window(lab_on("milling"));
        let slider = window.get_all_by_role(egui::accesskit::Role::Slider).next().unwrap().rect();
        window.drag_at(slider.center());
        window.run_steps(1);
        for part in 1..=5_u8 {
            window.hover_at(slider.center() + egui::vec2(f32::from(part) * 6.0, 0.0));
            window.run_steps(1);
            lab.borrow_mut().advance(0.0, || true);
        }
        window.drop_at(slider.center() + egui::vec2(30.0, 0.0));
        window.run_steps(2);
        lab.borrow_mut().host.flush_edits();
        assert_eq!(lab.borrow().host.changes().len(), 1, "{:?}", lab.borrow().host.changes());
    }

    #[test]
    fn a_run_saved_while_time_stands_still_runs_again() {
        let place = tempfile::tempdir().unwrap();
        let mut lab = lab_on("milling");
        do_steps(&mut lab, 10);
        let hash = lab.host.simulation().hash();
        let context = egui::Context::default();
        let fault = Edit::Fault { agent: 1, failure: Failure::Motors, is_active: true };
        act(&mut lab, &context, Action::Edits(vec![fault, moved(2, 4.0), Edit::Remove { path: "agents.0".into() }]));
        lab.advance(0.0, || true);
        save::run(&lab, &place.path().join("run")).unwrap();
        let read = |name: &str| std::fs::read_to_string(place.path().join("run").join(name)).unwrap();
        assert!(read("manifest.json").contains(&format!("{:016x}", hash.0)), "that of the last step");
        let log = swarmarium_core::edit::log::read("edits.ron", &read("edits.ron")).unwrap();
        assert_eq!(log.iter().map(|logged| logged.step).collect::<Vec<_>>(), [11, 11, 11]);
        let mut again = swarmarium_core::simulation::Simulation::new(lab.host.start()).unwrap();
        again.step(10);
        log.into_iter().for_each(|logged| again.replay(logged).unwrap());
        again.step(5);
        do_steps(&mut lab, 5);
        assert_eq!(again.hash(), lab.host.simulation().hash());
        let cured = cures(lab.host.simulation().agents());
        act(&mut lab, &context, Action::Edits(cured));
        do_steps(&mut lab, 1);
        assert!(cures(lab.host.simulation().agents()).is_empty());
    }
}

//! Tests of `lab_state::forecasts`.

use std::cell::RefCell;
use std::rc::Rc;
use std::time::{Duration, Instant};

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy_egui::egui::{self, Modifiers};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{AddController as _, Controller, Senses};
use swarmarium_core::state::NoMemory;
use swarmarium_formats::standard::Standard as _;
use swarmarium_lab_state::action::{Action, ForecastAction, Foreseen};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_testing::{do_steps, lab_of, lab_on, lab_with, until, window};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::Recipe;

const TURN: &str = "groups.millers.controller.detected.turn_rad_per_s";

/// The time that forecasts of tests may take.
const PATIENT: Duration = Duration::from_secs(60);

/// The window on a scene with all parameters in view, and the place of a slider.
fn with_slider(mut lab: Lab, path: &str) -> (Harness<'static>, Rc<RefCell<Lab>>, egui::Rect) {
    lab.forecasts.budget = PATIENT;
    let (mut window, lab) = window(lab);
    lab.borrow_mut().shell.settings.layout.close(Pane::Tree);
    window.set_size(egui::vec2(1280.0, 2000.0));
    window.run_steps(3);
    let slider = window.get_by_label(&format!("Slide {path}")).rect();
    (window, lab, slider)
}

fn last_points(lab: &Lab) -> Vec<DVec2> {
    let forecast = lab.forecasts.shown().unwrap();
    (0..6).map(|number| forecast.pieces_of(number, None).last().unwrap().last().unwrap().0).collect()
}

#[test]
fn a_held_slider_shows_the_future_that_comes() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 100);
    let (mut window, lab, slider) = with_slider(lab, TURN);
    assert!(lab.borrow().forecasts.text().is_none());
    window.drag_at(slider.center());
    window.run_steps(1);
    until(&mut window, &lab, "a forecast", |lab| lab.forecasts.shown().is_some() && !lab.forecasts.is_busy());
    let (text, ends, steps) = {
        let lab = lab.borrow();
        let text = lab.forecasts.text().unwrap().to_owned();
        (text, last_points(&lab), lab.forecasts.shown().unwrap().steps())
    };
    assert!(text.starts_with("Next 10 s with ") && text.ends_with("rad/s"), "{text}");
    assert_eq!(lab.borrow().run.host.simulation().steps(), 100, "the present stays");
    window.drop_at(slider.center());
    window.run_steps(2);
    assert!(lab.borrow().forecasts.text().is_none(), "nothing is foreseen without a held slider");
    do_steps(&mut lab.borrow_mut(), steps);
    let lab = lab.borrow();
    let places: Vec<DVec2> = lab.run.host.simulation().agents().map(|agent| agent.pose.position_m).collect();
    assert_eq!(places, ends);
}

#[test]
fn a_value_under_the_pointer_is_foreseen_with_ctrl_and_not_set() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    let (mut window, lab, slider) = with_slider(lab, TURN);
    let at = slider.lerp_inside(egui::vec2(0.9, 0.5));
    window.hover_at(at);
    window.run_steps(2);
    assert!(lab.borrow().forecasts.text().is_none());
    let hash = lab.borrow().run.host.simulation().hash();
    window.event(egui::Event::ModifiersChanged(Modifiers::COMMAND));
    until(&mut window, &lab, "a forecast", |lab| lab.forecasts.shown().is_some());
    let ends = last_points(&lab.borrow());
    let mut lab = lab.borrow_mut();
    assert_eq!(lab.run.host.simulation().hash(), hash);
    assert_eq!(lab.run.host.simulation().waiting_edits().len(), 0);
    let steps = lab.forecasts.shown().unwrap().steps();
    do_steps(&mut lab, steps);
    let places: Vec<DVec2> = lab.run.host.simulation().agents().map(|agent| agent.pose.position_m).collect();
    assert_ne!(places, ends, "the present value has another future");
}

/// Asks for a forecast in each frame until there is a text.
fn text_of(lab: &mut Lab, path: &str, value: Option<&str>) -> String {
    text_with(lab, path, value, "")
}

/// Asks for a forecast in each frame until its text begins with some words.
fn text_with(lab: &mut Lab, path: &str, value: Option<&str>, begin: &str) -> String {
    lab.forecasts.budget = PATIENT;
    let foreseen = Foreseen { path: path.into(), value: value.map(Into::into), name: "it".into() };
    let start = Instant::now();
    loop {
        lab.do_forecast(ForecastAction::Show(foreseen.clone()));
        lab.follow_forecasts();
        if let Some(text) = lab.forecasts.text().filter(|text| text.starts_with(begin)) {
            return text.to_owned();
        }
        assert!(start.elapsed().as_secs() < 20);
    }
}

#[test]
fn a_value_that_restarts_the_run_is_foreseen_from_the_start() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    assert_eq!(text_of(&mut lab, "groups.millers.count", Some("9")), "First 10 s with it");
    assert!(!lab.forecasts.shown().unwrap().pieces_of(8, None).is_empty(), "there would be nine robots");
    lab.shell.settings.restart_on_change = false;
    let text = text_of(&mut lab, "groups.millers.sensors.0.range_m", Some("-1"));
    assert!(text.starts_with("No forecast: "), "{text}");
    let text = text_of(&mut lab, "groups.millers.count", Some("7"));
    assert_eq!(text, "No forecast: the value takes effect at the next restart");
}

/// A controller that drives, and panics at a speed above 1 m/s.
#[derive(Component, Reflect, Clone, Default)]
#[reflect(Default, Clone)]
struct Fragile {
    v_m_per_s: f64,
}

impl Controller for Fragile {
    type Memory = NoMemory;
    const COMMANDS: CommandForm = CommandForm::Drive;

    fn command(&self, _: &mut NoMemory, _: Senses) -> Command {
        assert!(self.v_m_per_s <= 1.0, "too fast");
        Command::Drive { v_m_per_s: self.v_m_per_s, turn_rad_per_s: 0.0 }
    }
}

#[test]
fn a_kind_that_panics_ends_its_forecast_and_nothing_else() {
    let recipe = Recipe::standard().with(|app: &mut App| {
        app.add_controller::<Fragile>();
    });
    let mut lab = lab_with(&recipe, "(groups: [(name: \"g\", controller: Fragile(v_m_per_s: 0.5))])");
    do_steps(&mut lab, 10);
    let path = "groups.g.controller.v_m_per_s";
    let text = text_of(&mut lab, path, Some("2"));
    assert!(text.starts_with("No forecast: "), "{text}");
    do_steps(&mut lab, 10);
    assert_eq!(lab.run.host.simulation().steps(), 20);
    // The refusal stays until there is another forecast.
    text_with(&mut lab, path, Some("0.9"), "Next 10 s with ");
}

#[test]
fn crowds_and_a_switch_leave_forecasts_out() {
    let mut lab = lab_of("(arena: (size_m: (100, 100)), groups: [(name: \"g\", count: 2500)])");
    let text = text_of(&mut lab, "groups.g.sensors", None);
    assert_eq!(text, "No forecast: 2,500 robots are too many");
    let mut lab = lab_on("milling");
    lab.do_forecast(ForecastAction::Toggle);
    let foreseen = Foreseen { path: TURN.into(), value: None, name: "it".into() };
    lab.do_forecast(ForecastAction::Show(foreseen));
    lab.follow_forecasts();
    assert!(lab.forecasts.text().is_none() && !lab.forecasts.is_busy());
}

#[test]
fn a_pointer_that_rests_on_a_slider_shows_the_curve_of_a_metric() {
    let (mut window, lab, slider) = with_slider(lab_on("milling"), TURN);
    window.hover_at(slider.center());
    let path = |lab: &Lab| lab.forecasts.curve.known(TURN).cloned();
    until(&mut window, &lab, "a curve", |lab| path(lab).is_some_and(|curve| curve.runs() > 0));
    let curve = path(&lab.borrow()).unwrap();
    assert_eq!(curve.points.len(), 9);
    assert!(curve.points.is_sorted_by(|one, other| one.at < other.at));
    assert!(curve.refusal.is_none() && curve.measure.starts_with("Mean of "), "{curve:?}");
    // A change of this parameter keeps the curve, a change of another one does not.
    lab.borrow_mut().edit(vec![Edit::Set { path: TURN.into(), value: "0.4".into() }]);
    window.run_steps(2);
    assert!(path(&lab.borrow()).is_some());
    window.hover_at(egui::pos2(600.0, 300.0));
    lab.borrow_mut().edit(vec![Edit::Set { path: "groups.millers.sensors.0.range_m".into(), value: "1".into() }]);
    window.run_steps(2);
    assert!(path(&lab.borrow()).is_none());
}

#[test]
fn actions_of_forecasts_make_no_edit() {
    assert!(!Action::from(ForecastAction::Toggle).is_edit());
}

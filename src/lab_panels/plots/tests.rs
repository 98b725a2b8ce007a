//! The plots, driven by labels.

use std::cell::RefCell;

use bevy_egui::egui::{self, PointerButton, Rect};
use egui::{Event, Key, Modifiers, MouseWheelUnit, TouchPhase};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, Queryable as _};
use swarmarium_lab_state::action::{Changed, CompareAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::axis::value_text;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, place_of, window};
use swarmarium_simulation::edit::Edit;

use crate::plots::axes::VALUES_PX;

fn type_in(window: &mut Harness, path: &str) {
    window.get_by_label("Pin a value").focus();
    window.run_steps(2);
    window.get_by_label("Pin a value").type_text(path);
    window.run_steps(2);
    window.key_press(Key::Enter);
    window.run_steps(3);
}

fn pins(lab: &Lab) -> Vec<String> {
    lab.plots.history.pins().map(Into::into).collect()
}

/// Moves the cursor into the first plot, at a fraction of its width.
fn hover(window: &mut Harness, lab: &RefCell<Lab>, part: f32) {
    let at = place(&lab.borrow(), part);
    window.hover_at(at);
    window.run_steps(4);
}

fn place(lab: &Lab, part: f32) -> egui::Pos2 {
    let count = lab.plots.history.topics().len() as f32;
    let panel = place_of(lab, Pane::Plots);
    let left = panel.left() + theme::PAD;
    let width = (panel.width() - 2.0 * theme::PAD * count) / count;
    egui::pos2(left + VALUES_PX + part * (width - VALUES_PX), panel.center().y + 10.0)
}

fn wheel(window: &mut Harness, points: f32) {
    window.event(Event::MouseWheel {
        unit: MouseWheelUnit::Point,
        delta: egui::vec2(0.0, points),
        phase: TouchPhase::Move,
        modifiers: Modifiers::NONE,
    });
    window.run_steps(20);
}

#[test]
fn a_path_that_is_typed_is_pinned_and_taken_out_again() {
    let (mut window, lab) = window(lab_on("milling"));
    type_in(&mut window, "agents.0.x_m");
    assert_eq!(pins(&lab.borrow()), ["agents.0.x_m"]);
    window.get_by_label("millers-0 x");
    let x_m = lab.borrow().run.host.simulation().agent(0).unwrap().pose.position_m.x;
    assert!(window.query_all_by_label(&value_text(x_m)).count() > 0);
    type_in(&mut window, "agents.0.y_m");
    assert_eq!(pins(&lab.borrow()), ["agents.0.x_m", "agents.0.y_m"]);
    window.get_by_label("Unpin agents.0.x_m").click();
    window.run_steps(3);
    assert_eq!(pins(&lab.borrow()), ["agents.0.y_m"]);
}

#[test]
fn an_unknown_plot_path_is_refused_in_place() {
    let (mut window, lab) = window(lab_on("milling"));
    type_in(&mut window, "agents.0.xm");
    window.get_by_label("⚠ `agents.0` has no `xm`, did you mean `x_m`?");
    assert!(pins(&lab.borrow()).is_empty());
    assert_eq!(lab.borrow().notices.iter().count(), 0);
    // The text is corrected, not typed again.
    window.key_press(Key::Backspace);
    window.run_steps(2);
    assert!(window.query_by_label_contains("did you mean").is_none());
    type_in(&mut window, "_m");
    assert_eq!(pins(&lab.borrow()), ["agents.0.x_m"]);
    type_in(&mut window, "agents[0].x_m");
    window.get_by_label("⚠ `agents[0].x_m` is already pinned");
    assert_eq!(pins(&lab.borrow()).len(), 1);
}

#[test]
fn plot_values_are_those_under_the_cursor() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    let shown = |window: &Harness, step: u64| {
        let lab = lab.borrow();
        let row = lab.plots.history.steps().iter().position(|known| *known == step).unwrap();
        window.query_all_by_label(&value_text(lab.plots.history.series(0)[row])).count() > 0
    };
    window.get_by_label_contains("now ");
    assert!(shown(&window, 400));
    hover(&mut window, &lab, 0.5);
    let told = {
        let told = window.get_all_by_label_contains("at ").filter_map(|node| node.value());
        told.into_iter().find(|text| text.starts_with("at ") && text.ends_with(" s")).unwrap()
    };
    let at_s: f64 = told.trim_start_matches("at").trim_end_matches('s').trim().parse().unwrap();
    let dt_s = lab.borrow().run.host.simulation().time().dt_s;
    let step = (at_s / dt_s).round() as u64;
    assert!((150..250).contains(&step), "{told}");
    assert!(shown(&window, step) && !shown(&window, 400));
    window.remove_cursor();
    window.run_steps(3);
    window.get_by_label_contains("now ");
}

#[test]
fn plots_count_and_describe_changes() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 200);
    for value in ["1.5", "1.6"] {
        let edit = Edit::Set { path: "groups.0.sensors.0.range_m".into(), value: value.into() };
        before.run.host.apply(edit).unwrap();
        do_steps(&mut before, 1);
    }
    do_steps(&mut before, 198);
    let (mut window, lab) = window(before);
    window.get_by_label("2 changes");
    hover(&mut window, &lab, 0.5);
    window.run_steps(4);
    window.get_by_label("groups.0.sensors.0.range_m = 1.6");
    lab.borrow_mut().reset(None);
    window.run_steps(2);
    assert!(["1 change", "2 changes"].iter().all(|told| window.query_by_label(told).is_none()));
}

#[test]
fn the_wheel_zooms_and_a_reset_shows_the_whole_run_again() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    let is_zoomed = |window: &Harness| window.query_by_label("Whole run").is_some();
    hover(&mut window, &lab, 0.5);
    assert!(!is_zoomed(&window));
    wheel(&mut window, 200.0);
    assert!(is_zoomed(&window));
    window.get_by_label("Whole run").click();
    window.run_steps(3);
    assert!(!is_zoomed(&window));
    hover(&mut window, &lab, 0.5);
    wheel(&mut window, 200.0);
    lab.borrow_mut().reset(None);
    window.run_steps(3);
    assert!(!is_zoomed(&window));
}

#[test]
fn plots_without_numbers_say_so() {
    let (mut window, lab) = window(lab_of("()"));
    window.get_by_label("Nothing to plot");
    {
        let lab = &mut *lab.borrow_mut();
        lab.plots.pin(&lab.run, &mut lab.notices, "seed");
    };
    window.run_steps(3);
    assert_eq!(pins(&lab.borrow()), ["seed"]);
    assert!(window.query_by_label_contains("Nothing to plot").is_none());
}

#[test]
fn plots_accept_any_value_and_any_size() {
    let mut before = lab_on("milling");
    let series = before.plots.history.names().count();
    let values = [f64::NAN, 1e300, -1e300, f64::INFINITY, f64::MAX, f64::MIN, 0.0, 1e-300, 7.0];
    (1..).zip(values.iter().cycle()).take(3000).for_each(|(step, value)| {
        before.plots.history.push(step, vec![*value; series]);
    });
    let (mut window, lab) = window(before);
    hover(&mut window, &lab, 0.3);
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(300.0, 200.0), egui::vec2(40.0, 40.0)] {
        window.set_size(size);
        window.run_steps(3);
    }
}

#[test]
fn many_plots_are_scrolled() {
    let mut before = lab_on("milling");
    for agent in 0..5 {
        for field in ["x_m", "y_m", "speed_m_per_s"] {
            before.plots.pin(&before.run, &mut before.notices, &format!("agents.{agent}.{field}"));
        }
    }
    let (window, lab) = window(before);
    assert_eq!(pins(&lab.borrow()).len(), 15);
    window.get_by_label("Circliness");
    // Plots that are scrolled out of view are not drawn.
    assert!(window.query_by_label("millers-4 speed").is_none());
}

#[test]
fn plots_that_are_narrow_do_not_overlap() {
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(900.0, 700.0)] {
        let mut before = lab_on("flocking-radio");
        do_steps(&mut before, 20);
        let (mut window, lab) = window(before);
        window.set_size(size);
        window.run_steps(4);
        let left = place_of(&lab.borrow(), Pane::Plots).left();
        let lab = lab.borrow();
        let keys: Vec<String> = lab.plots.history.topics().iter().map(|topic| topic.key.to_owned()).collect();
        let (mut shown, mut end, mut row_px) = (0, left, 0.0);
        for key in keys {
            // The menu is the last item in the header of a plot.
            let label = format!("Menu of plot {key}");
            let Some(menu) = window.query_by_label(&label) else { continue };
            let name = swarmarium_core::text::wording::words(&key).0;
            let title = window.get_all_by_label(&name).map(|node| node.rect()).find(|rect| rect.left() >= left);
            let title = title.unwrap_or_else(|| panic!("{key} has no title"));
            // Plots are in rows.
            if title.top() > row_px {
                (end, row_px) = (left, title.bottom());
            }
            assert!(title.left() >= end && title.right() <= menu.rect().left(), "{key} at {size:?}: {title:?}");
            assert!(title.width() > 20.0, "{key} at {size:?} is cut");
            (shown, end) = (shown + 1, menu.rect().right());
        }
        assert!(shown > 1, "{shown} at {size:?}");
    }
}

#[test]
fn the_plot_header_of_two_compared_runs_does_not_overlap() {
    let mut before = lab_on("milling");
    let path = "groups.0.sensors.0.range_m";
    before.run.host.apply(Edit::Set { path: path.into(), value: "1.5".into() }).unwrap();
    do_steps(&mut before, 10);
    let changed = Changed { path: path.into(), value: "0.5".into() };
    before.do_compare(CompareAction::Begin(vec![changed]));
    // Enough steps for merged buckets.
    let series = before.plots.history.names().count();
    (11..6000).for_each(|step| before.plots.history.push(step, vec![0.5; series]));
    let (mut window, lab) = window(before);
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(1024.0, 640.0), egui::vec2(700.0, 500.0)] {
        window.set_size(size);
        window.run_steps(4);
        let panel = place_of(&lab.borrow(), Pane::Plots);
        let labels = ["dashed: B", "1 change", "min and max of every 2 steps", "Pause when", "Menu of the plots"];
        let found = labels.iter().flat_map(|label| window.query_all(By::new().label(label).include_labels()));
        let mut places: Vec<Rect> = found.map(|node| node.rect()).filter(|rect| panel.contains_rect(*rect)).collect();
        places.sort_by(|a, b| a.left().total_cmp(&b.left()));
        assert!(places.len() >= 4, "{size:?}: {places:?}");
        let overlap = places.windows(2).find(|pair| pair[0].right() > pair[1].left());
        assert!(overlap.is_none(), "{size:?}: {overlap:?}");
        assert!(window.query_by_label("Menu of plot circliness").is_some(), "{size:?}");
    }
}

#[test]
fn plots_of_one_unit_share_an_axis_and_split_again() {
    let mut before = lab_on("milling");
    for path in ["agents.0.x_m", "agents.1.x_m", "agents.0.speed_m_per_s"] {
        before.plots.pin(&before.run, &mut before.notices, path);
    }
    do_steps(&mut before, 10);
    let (mut window, lab) = window(before);
    click(&mut window, "Menu of plot agents.0.x_m");
    assert!(window.query_by_label("Add to millers-0 speed").is_none(), "another unit");
    click(&mut window, "Add to millers-1 x");
    window.get_by_label("millers-1 x + millers-0 x");
    assert!(window.query_by_label("millers-0 x").is_none());
    let x_m = lab.borrow().run.host.simulation().agent(0).unwrap().pose.position_m.x;
    let line = format!("{} millers-0 x", value_text(x_m));
    window.get_by_label(&line);
    click(&mut window, "Menu of plot agents.1.x_m");
    click(&mut window, "Legend");
    assert!(!lab.borrow().shell.settings.legend && window.query_by_label(&line).is_none());
    click(&mut window, "Menu of plot agents.1.x_m");
    click(&mut window, "Split");
    window.get_by_label("millers-0 x");
    window.get_by_label("millers-1 x");
    assert_eq!(pins(&lab.borrow()).len(), 3, "the exported values stay");
}

#[test]
fn a_logarithmic_axis_says_what_it_leaves_out() {
    let mut before = lab_on("milling");
    before.plots.pin(&before.run, &mut before.notices, "agents.0.x_m - 1e9");
    let (mut window, _) = window(before);
    click(&mut window, "Menu of plot agents.0.x_m - 1e9");
    click(&mut window, "Logarithmic axis");
    window.get_by_label("log, some left out");
    click(&mut window, "Menu of plot agents.0.x_m - 1e9");
    click(&mut window, "Logarithmic axis");
    assert!(window.query_by_label_contains("left out").is_none());
}

#[test]
fn the_pause_condition_can_be_typed_in_plots() {
    let (mut window, lab) = window(lab_on("milling"));
    let typed = |window: &mut Harness, text: &str| {
        window.get_by_label("Pause when").focus();
        window.run_steps(2);
        window.event(Event::Text(text.into()));
        window.run_steps(2);
        window.key_press(Key::Enter);
        window.run_steps(3);
    };
    typed(&mut window, "stp > 5");
    window.get_by_label_contains("⚠ ");
    assert!(lab.borrow().plots.pause_when.is_none());
    window.get_by_label("Pause when").focus();
    window.run_steps(2);
    window.key_press(Key::Escape);
    window.run_steps(3);
    typed(&mut window, "step > 5");
    assert_eq!(
        lab.borrow().plots.pause_when.as_ref().map(|trigger| trigger.text().to_owned()),
        Some("step > 5".into())
    );
    assert!(window.query_by_label_contains("⚠").is_none());
}

#[test]
fn a_drag_in_a_plot_seeks_to_the_moment_under_the_cursor() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    let [from, to] = [0.75, 0.25].map(|part| place(&lab.borrow(), part));
    let steps = |lab: &RefCell<Lab>| {
        (0..50).for_each(|_| _ = lab.borrow_mut().advance(0.0, || true));
        lab.borrow().run.host.simulation().steps()
    };
    window.drag_at(from);
    window.run_steps(2);
    window.hover_at(to);
    window.run_steps(2);
    assert!((90..110).contains(&steps(&lab)), "{}", steps(&lab));
    window.drop_at(to);
    window.run_steps(3);
    assert!((90..110).contains(&steps(&lab)) && !lab.borrow().timeline.is_held);
    assert_eq!(lab.borrow().plots.history.last_step(), 400, "later steps are still plotted");
}

#[test]
fn a_right_drag_in_a_plot_selects_a_time_range() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    let [from, to] = [0.25, 0.75].map(|part| place(&lab.borrow(), part));
    let press = |window: &mut Harness, pos: egui::Pos2, pressed: bool| {
        window.hover_at(pos);
        window.run_steps(1);
        let (button, modifiers) = (PointerButton::Secondary, Modifiers::NONE);
        window.event(Event::PointerButton { pos, button, pressed, modifiers });
    };
    press(&mut window, from, true);
    window.run_steps(2);
    window.hover_at(to);
    window.run_steps(2);
    assert!(window.query_by_label("Whole run").is_none(), "not before it ends");
    press(&mut window, to, false);
    window.run_steps(3);
    window.get_by_label("Whole run").click();
    window.run_steps(3);
    assert!(window.query_by_label("Whole run").is_none());
}

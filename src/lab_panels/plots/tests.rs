//! The plots, driven by labels.

use std::cell::RefCell;

use bevy_egui::egui::{self, PointerButton, Rect};
use egui::{Event, Key, Modifiers, MouseWheelUnit, TouchPhase};
use egui_kittest::Harness;
use egui_kittest::kittest::{By, NodeT as _, Queryable as _};
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
    window.get_by_label("⚠ `agents.0` has no `xm`; did you mean `x_m`?");
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

/// Three robots without a metric.
const ROBOTS: &str = "(groups: [(name: \"a\", count: 3, controller: Constant(v_m_per_s: 0.5))])";

/// Returns plots of four numbers of robots in three units, after some steps.
fn four_plots() -> Lab {
    let mut before = lab_of(ROBOTS);
    for path in ["agents.0.x_m", "agents.1.x_m", "agents.0.speed_m_per_s", "agents.0.heading_rad"] {
        before.plots.pin(&before.run, &mut before.notices, path);
    }
    do_steps(&mut before, 10);
    before
}

/// Opens a menu within a menu, whose label has an arrow.
fn open_submenu(window: &mut Harness, label: &str) {
    window.get_by_label_contains(label).click();
    window.run_steps(4);
}

#[test]
fn plots_are_drawn_together_and_separated_again() {
    let (mut window, lab) = window(four_plots());
    click(&mut window, "Menu of plot agents.0.x_m");
    open_submenu(&mut window, "Plot together with");
    click(&mut window, "Plot together with a-1 x");
    window.get_by_label("a-1 x + a-0 x");
    assert!(window.query_by_label("a-0 x").is_none());
    let x_m = lab.borrow().run.host.simulation().agent(0).unwrap().pose.position_m.x;
    let line = format!("{} a-0 x", value_text(x_m).trim_start());
    click(&mut window, &line);
    assert!(!lab.borrow().shell.settings.plots.shows("agents.0.x_m"), "a click in the legend hides the line");
    click(&mut window, &line);
    assert!(lab.borrow().shell.settings.plots.shows("agents.0.x_m"));
    click(&mut window, "Menu of plot agents.1.x_m");
    window.get_by_role_and_label(egui::accesskit::Role::CheckBox, "Legend").click();
    window.run_steps(4);
    assert!(!lab.borrow().shell.settings.legend && window.query_by_label(&line).is_none());
    click(&mut window, "Menu of plot agents.1.x_m");
    click(&mut window, "Separate");
    window.get_by_label("a-0 x");
    window.get_by_label("a-1 x");
    assert_eq!(pins(&lab.borrow()).len(), 4, "the exported values stay");
}

#[test]
fn a_second_unit_gets_the_right_axis_and_a_third_is_refused_with_a_reason() {
    let (mut window, lab) = window(four_plots());
    click(&mut window, "Menu of plot agents.0.speed_m_per_s");
    open_submenu(&mut window, "Plot together with");
    click(&mut window, "Plot together with a-0 x");
    window.get_by_label("a-0 x + a-0 speed");
    window.get_by_label("m | m/s");
    click(&mut window, "Menu of plot agents.0.heading_rad");
    open_submenu(&mut window, "Plot together with");
    let refused = window.get_by_label("Plot together with a-0 x + a-0 speed");
    assert!(refused.accesskit_node().is_disabled());
    refused.click();
    window.run_steps(3);
    assert_eq!(lab.borrow().plots.count(), 3, "the refused plot keeps its own place");
}

#[test]
fn a_title_is_dragged_onto_another_plot() {
    let (mut window, lab) = window(four_plots());
    let place = |window: &Harness, label: &str| window.get_by_label(label).rect();
    let from = place(&window, "a-1 x").left_center() + egui::vec2(8.0, 0.0);
    let to = place(&window, "a-0 x").left_center() + egui::vec2(40.0, 60.0);
    window.drag_at(from);
    window.run_steps(2);
    window.hover_at(from + egui::vec2(30.0, 20.0));
    window.run_steps(2);
    window.hover_at(to);
    window.run_steps(3);
    window.drop_at(to);
    window.run_steps(4);
    window.get_by_label("a-0 x + a-1 x");
    let arranged = &lab.borrow().shell.settings.plots;
    assert_ne!(*arranged, swarmarium_lab_state::common::settings::PlotLayout::default(), "the settings have it");
    assert_eq!(lab.borrow().run.host.simulation().steps(), 10, "the drag goes to no moment");
}

#[test]
fn legends_lie_beside_their_plots() {
    for size in [egui::vec2(1280.0, 800.0), egui::vec2(700.0, 500.0)] {
        let mut before = lab_of(ROBOTS);
        for agent in 0..3 {
            before.plots.pin(&before.run, &mut before.notices, &format!("agents.{agent}.x_m"));
            before.shell.settings.plots.add(&format!("agents.{agent}.x_m"), "agents.0.x_m");
        }
        do_steps(&mut before, 10);
        let (mut window, lab) = window(before);
        window.set_size(size);
        window.run_steps(4);
        let panel = place_of(&lab.borrow(), Pane::Plots);
        let row = |agent: usize| {
            let label = format!(" a-{agent} x");
            let found = window.query_all_by_label_contains(&label);
            let is_row = |node: &egui_kittest::Node| {
                node.accesskit_node().label().is_some_and(|label| !label.starts_with("a-0"))
            };
            found.filter(is_row).map(|node| node.rect()).next().unwrap_or_else(|| panic!("row {agent} at {size:?}"))
        };
        let rows: Vec<Rect> = (0..3).map(row).collect();
        let middle = panel.center().x;
        assert!(rows.iter().all(|row| row.left() >= middle), "{size:?}: {rows:?}");
        assert!(rows.windows(2).all(|pair| pair[0].bottom() <= pair[1].top() + 0.5), "{size:?}: {rows:?}");
    }
}

#[test]
fn a_plot_without_the_link_is_zoomed_alone() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    let key = lab.borrow().plots.history.topics()[0].key.to_owned();
    click(&mut window, &format!("Menu of plot {key}"));
    click(&mut window, "Zoom with the other plots");
    window.key_press(Key::Escape);
    window.run_steps(3);
    hover(&mut window, &lab, 0.5);
    wheel(&mut window, 200.0);
    window.get_by_label("Whole run");
    let arranged = lab.borrow().plots.arrangement.clone();
    assert_eq!(arranged.span, swarmarium_lab_state::plots::span::Span::Whole, "the others show the whole run");
    click(&mut window, "Whole run");
    assert!(window.query_by_label("Whole run").is_none());
}

#[test]
fn the_menu_of_all_plots_fits_its_controls() {
    // The second size is that of 1280 by 800 pixels at an interface scale of 1.2.
    for size in [egui::vec2(1024.0, 640.0), egui::vec2(1066.0, 666.0), egui::vec2(700.0, 500.0)] {
        let (mut window, lab) = window(lab_on("milling"));
        window.set_size(size);
        window.run_steps(5);
        if window.query_by_label("Menu of the plots").is_none() {
            panic!("no menu at {size:?}");
        }
        click(&mut window, "Menu of the plots");
        let labels = ["Pause when", "Pin a value", "Export CSV", "Figure…", "Table"];
        let screen = window.ctx.content_rect();
        let places: Vec<Rect> = labels
            .iter()
            .map(|label| {
                let found = window.query_all(By::new().label(label).include_labels());
                found.map(|node| node.rect()).next().unwrap_or_else(|| panic!("{label} at {size:?}"))
            })
            .collect();
        assert!(places.iter().all(|place| screen.contains_rect(*place)), "{size:?}: {places:?}");
        let menu = places[2].union(places[3]).union(places[4]);
        assert!(menu.height() < 120.0 && menu.width() < 320.0, "{size:?}: the entries stand together: {menu:?}");
        click(&mut window, "Table");
        assert!(lab.borrow().shell.settings.plots.has_table);
    }
}

#[test]
fn the_table_has_the_values_at_the_cursor_and_is_copied() {
    let mut before = lab_on("milling");
    before.shell.settings.plots.has_table = true;
    do_steps(&mut before, 400);
    let (mut window, lab) = window(before);
    window.get_by_label_contains("s, step 400");
    window.get_by_label_contains("Copy values at ").click();
    let mut copied = String::new();
    for _ in 0..4 {
        window.run_steps(1);
        for command in &window.output().platform_output.commands {
            if let egui::OutputCommand::CopyText(text) = command {
                copied.clone_from(text);
            }
        }
    }
    assert!(copied.starts_with("name\tvalue\tunit\ntime_s\t10\ts\nstep\t400\t\n"), "{copied}");
    let circliness = lab.borrow().run.host.simulation().metrics()[0];
    assert!(copied.contains(&format!("circliness\t{circliness}\t\n")), "{copied}");
}

#[test]
fn a_distribution_and_a_scatter_plot_show_robots_and_select_them() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 20);
    let (mut window, lab) = window(before);
    window.set_size(egui::vec2(1600.0, 900.0));
    window.run_steps(3);
    click(&mut window, "Distribution");
    click(&mut window, "Scatter");
    window.get_by_label("Distribution of speed");
    window.get_by_label("Y over x");
    assert!(window.query_all_by_label("6 robots").count() >= 2);
    click(&mut window, "Menu of Distribution of speed");
    open_submenu(&mut window, "Value");
    click(&mut window, "Value: X");
    window.get_by_label("Distribution of x");
    // A click on a bar selects its robots.
    let panel = place_of(&lab.borrow(), Pane::Plots);
    let title = window.get_by_label("Distribution of x").rect();
    // Three metrics and two plots of robots stand in a row.
    let width = panel.width() / 5.0 - 2.0 * VALUES_PX;
    let at = |part: f32| egui::pos2(title.left() + VALUES_PX + part * width, panel.bottom() - 34.0);
    for part in 1..20 {
        swarmarium_lab_testing::click_at(&mut window, at(part as f32 / 20.0));
        if !lab.borrow().view.selection.items.is_empty() {
            break;
        }
    }
    let selected = lab.borrow().view.selection.items.len();
    assert!((1..6).contains(&selected), "{selected} robots are selected");
    click(&mut window, "Remove Distribution of x");
    click(&mut window, "Remove Y over x");
    assert!(lab.borrow().shell.settings.plots.of_robots.is_empty());
}

#[test]
fn plots_over_robots_need_no_metric_and_no_robots() {
    for scene in ["()", "(groups: [(name: \"a\", count: 3, controller: Constant(v_m_per_s: 0.5))])"] {
        let mut before = lab_of(scene);
        before.shell.settings.plots.add_of_robots(swarmarium_lab_state::common::settings::RobotPlot::distribution());
        let (window, lab) = window(before);
        window.get_by_label("Distribution of speed");
        let has_robots = lab.borrow().run.host.simulation().count() > 0;
        assert_eq!(window.query_by_label("No robots").is_none(), has_robots);
    }
}

#[test]
fn a_past_moment_is_not_called_now() {
    let mut before = lab_on("milling");
    do_steps(&mut before, 400);
    let step = swarmarium_host::timeline::Moment { step: 100, ..before.run.host.moment() };
    before.go_to(step);
    (0..50).for_each(|_| _ = before.advance(0.0, || true));
    assert_eq!(before.run.host.simulation().steps(), 100);
    let (window, _) = window(before);
    window.get_by_label_contains("at      ");
    assert!(window.query_by_label_contains("now ").is_none());
}

#[test]
fn a_logarithmic_axis_says_what_it_leaves_out() {
    let mut before = lab_on("milling");
    before.plots.pin(&before.run, &mut before.notices, "agents.0.x_m - 1e9");
    let (mut window, _) = window(before);
    click(&mut window, "Menu of plot agents.0.x_m - 1e9");
    click(&mut window, "Logarithmic axis");
    window.get_by_label("log, some left out");
    assert!(window.query_by_label("log").is_none());
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

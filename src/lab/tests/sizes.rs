//! Tests of the window in many sizes: nothing overlaps, and nothing is cut.

use std::cell::RefCell;
use std::collections::BTreeMap;

use bevy_egui::egui::accesskit::{NodeId, Role};
use bevy_egui::egui::{Rect, Vec2, WidgetRect, pos2};
use egui_kittest::Harness;
use egui_kittest::kittest::{NodeT as _, Queryable as _};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::shell::docked::Content;
use swarmarium_lab_testing::{click, do_steps, lab_of, lab_on, window};

/// Sizes of screens and windows, in pixels.
const SIZES_PX: [[f32; 2]; 5] = [[1024.0, 640.0], [1280.0, 800.0], [1366.0, 768.0], [1920.0, 1080.0], [2560.0, 1440.0]];

const SCALES: [f32; 5] = [0.8, 1.0, 1.25, 1.5, 2.0];

/// Tolerance for rounding and frames, in points.
const SLACK_PX: f32 = 1.5;

/// The roles of widgets that show a text or can be clicked.
const ROLES: [Role; 8] = [
    Role::Button,
    Role::CheckBox,
    Role::ComboBox,
    Role::Label,
    Role::Link,
    Role::Slider,
    Role::SpinButton,
    Role::TextInput,
];

/// A scene without metrics in which everything has a long name.
fn long_names() -> String {
    let name = "a-name-that-is-much-longer-than-any-panel-is-wide-as-they-come-from-generators";
    format!(
        "(name: \"{name} {name}\", about: \"{name}\",
          groups: [(name: \"{name}\", count: 5, controller: Constant(v_m_per_s: 0.2))],
          objects: [Disc(name: \"{name}-disc\", center_m: (3, 3), radius_m: 0.5)])"
    )
}

/// A visible widget and its place.
#[derive(Debug)]
struct Seen {
    role: Role,
    name: String,
    widget: WidgetRect,
}

/// Returns all widgets that show a text or can be clicked, and are visible at least in part.
fn seen(window: &Harness) -> Vec<Seen> {
    let nodes = window.root().children_recursive().map(|node| {
        let node = node.accesskit_node();
        (node.locate().0, (node.role(), node.label().or(node.value()).unwrap_or_default()))
    });
    let named: BTreeMap<NodeId, (Role, String)> = nodes.filter(|(_, (role, _))| ROLES.contains(role)).collect();
    window.ctx.viewport(|viewport| {
        let widgets = viewport.prev_pass.widgets.layers().flat_map(|(_, widgets)| widgets);
        let seen = widgets.filter_map(|widget| {
            let (role, name) = named.get(&widget.id.accesskit_id())?;
            let is_seen = widget.interact_rect.is_positive() && widget.interact_rect.height() > SLACK_PX;
            is_seen.then(|| Seen { role: *role, name: name.clone(), widget: *widget })
        });
        seen.collect()
    })
}

/// Returns the faults in the layout of panels and their content.
fn faults(window: &Harness, lab: &RefCell<Lab>, size_px: Vec2) -> Vec<String> {
    let lab = lab.borrow();
    let screen = Rect::from_min_size(pos2(0.0, 0.0), size_px);
    let places = &lab.shell.docked.places;
    let mut faults = Vec::new();
    for (place, (content, rect)) in places.iter().enumerate() {
        if !screen.expand(SLACK_PX).contains_rect(*rect) {
            faults.push(format!("{content:?} is outside of the window: {rect}"));
        }
        for (other, other_rect) in &places[place + 1..] {
            if rect.intersect(*other_rect).shrink(SLACK_PX).is_positive() {
                faults.push(format!("{content:?} overlaps {other:?}: {rect} {other_rect}"));
            }
        }
    }
    // The bar at the top is above all of them.
    let top_px = places.iter().map(|(_, rect)| rect.top()).fold(f32::INFINITY, f32::min);
    let (bar, seen): (Vec<Seen>, Vec<Seen>) =
        seen(window).into_iter().partition(|seen| seen.widget.interact_rect.bottom() <= top_px + SLACK_PX);
    if bar.is_empty() {
        faults.push("the bar at the top has no room".into());
    }
    for Seen { role, name, widget } in &seen {
        let (rect, part) = (widget.rect, widget.interact_rect);
        // Scrolled content is cut at the top and at the bottom, but not at its sides.
        if part.left() > rect.left() + SLACK_PX || part.right() < rect.right() - SLACK_PX {
            faults.push(format!("{role:?} {name:?} is cut: {rect} to {part}"));
        }
        if !screen.expand(SLACK_PX).contains_rect(part) {
            faults.push(format!("{role:?} {name:?} is outside of the window: {rect}"));
        }
    }
    for (place, one) in seen.iter().enumerate() {
        for other in &seen[place + 1..] {
            let [a, b] = [one, other].map(|seen| seen.widget.interact_rect.shrink(SLACK_PX));
            let is_part = a.contains_rect(b) || b.contains_rect(a);
            if one.widget.layer_id == other.widget.layer_id && !is_part && a.intersect(b).is_positive() {
                faults.push(format!("{:?} {:?} overlaps {:?}: {a} {b}", one.role, one.name, other.name));
            }
        }
    }
    faults
}

/// Draws a lab in all sizes of the window and of the interface. Returns the faults with the size of each.
fn faults_in_all_sizes(lab: Lab) -> Vec<String> {
    let (mut window, lab) = window(lab);
    let mut found = Vec::new();
    for [width, height] in SIZES_PX {
        for scale in SCALES {
            let size_px = Vec2::new(width, height) / scale;
            window.set_size(size_px);
            window.run_steps(4);
            let world_px = lab.borrow().view.rect_px;
            if world_px.width() < 0.3 * size_px.x || world_px.height() < 0.3 * size_px.y {
                found.push(format!("{width} × {height} at {scale}: the world is small: {world_px}"));
            }
            let faults = faults(&window, &lab, size_px);
            found.extend(faults.into_iter().map(|fault| format!("{width} × {height} at {scale}: {fault}")));
        }
    }
    found
}

pub fn check(lab: Lab) {
    let found = faults_in_all_sizes(lab);
    assert!(found.is_empty(), "{} faults\n{}", found.len(), found[..found.len().min(60)].join("\n"));
}

#[test]
fn no_controls_overlap_in_any_window_size() {
    let mut lab = lab_on("milling");
    do_steps(&mut lab, 50);
    check(lab);
}

#[test]
fn many_plots_and_a_selected_robot_fit_in_any_window_size() {
    let mut lab = lab_on("flocking-radio");
    do_steps(&mut lab, 50);
    lab.select(Some(swarmarium_lab_state::common::selection::Item::Agent(1)));
    ["agents.0.x_m", "agents.0.y_m", "agents.1.speed_m_per_s"]
        .into_iter()
        .for_each(|path| lab.plots.pin(&lab.run, &mut lab.notices, path));
    check(lab);
}

#[test]
fn a_folded_panel_and_the_view_fit_in_any_window_size() {
    let mut lab = lab_on("simiam-week3");
    lab.show_panel(Pane::View);
    check(lab);
}

#[test]
fn long_names_fit_in_any_window_size() {
    check(lab_of(&long_names()));
}

#[test]
fn a_panel_without_room_is_in_a_strip_until_opened() {
    let (mut window, lab) = window(lab_on("milling"));
    let is_shown = |lab: &RefCell<Lab>, pane| {
        let lab = lab.borrow();
        let is_drawn = lab.shell.docked.places.iter().any(|(content, _)| *content == Content::Panel(pane));
        assert_eq!(is_drawn, lab.shell.shows_panel(pane), "{pane:?}");
        is_drawn
    };
    let before = lab.borrow().shell.settings.layout.clone();
    window.set_size(Vec2::new(512.0, 320.0));
    window.run_steps(4);
    assert!(!is_shown(&lab, Pane::Inspector) && is_shown(&lab, Pane::Gallery));
    let world_px = lab.borrow().view.rect_px;
    assert!(world_px.width() > 300.0 && world_px.height() > 120.0, "{world_px}");
    click(&mut window, "Inspector");
    assert!(is_shown(&lab, Pane::Inspector) && !is_shown(&lab, Pane::Gallery));
    window.get_by_label("Close the inspector").click();
    window.run_steps(4);
    assert!(!is_shown(&lab, Pane::Inspector) && is_shown(&lab, Pane::Gallery));
    // A key calls for a panel, too, and Esc dismisses it.
    window.key_press(bevy_egui::egui::Key::F8);
    window.run_steps(4);
    assert!(is_shown(&lab, Pane::Events));
    window.key_press(bevy_egui::egui::Key::Escape);
    window.run_steps(4);
    assert!(!is_shown(&lab, Pane::Events));
    lab.borrow_mut().shell.settings.layout.close(Pane::Events);
    window.set_size(Vec2::new(1280.0, 800.0));
    window.run_steps(4);
    let shown = [Pane::Gallery, Pane::Tree, Pane::Inspector, Pane::Parameters];
    assert!(shown.into_iter().all(|pane| is_shown(&lab, pane)));
    assert_eq!(lab.borrow().shell.settings.layout.root().panes(), before.root().panes());
}

#[test]
fn a_fitted_arena_lies_beside_the_tools() {
    for scene in ["milling", "simiam-week3"] {
        let (mut window, lab) = window(lab_on(scene));
        for size_px in [[1280.0, 800.0], [700.0, 500.0], [512.0, 320.0]] {
            window.set_size(size_px.into());
            window.run_steps(4);
            let lab = lab.borrow();
            let world_px = lab.view.rect_px;
            let tools = ["View panel", "Snap", "Select and move"].map(|label| window.get_by_label(label).rect());
            assert!(tools.iter().all(|tool| tool.top() > world_px.bottom()), "{scene} {size_px:?}");
            let [low, high] = lab.view.current.camera.visible_m();
            let arena = &lab.run.host.scene().arena;
            let [corner_m, end_m] = [arena.center_m() - arena.size_m / 2.0, arena.center_m() + arena.size_m / 2.0];
            assert!(corner_m.cmpge(low).all() && end_m.cmple(high).all(), "{scene} {size_px:?}");
        }
    }
}

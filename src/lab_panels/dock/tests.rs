//! Tests of the dock.

use std::cell::RefCell;
use std::collections::BTreeSet;

use bevy_egui::egui::{self, Key, Vec2};
use egui_kittest::Harness;
use egui_kittest::kittest::Queryable as _;
use egui_tiles::{Tabs, TileId, Tiles};
use strum::IntoEnumIterator as _;
use swarmarium_lab_state::action::{Action, PanelAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::layout::{Arrangement, Layout, Node, Pane};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::shell::docked::{BETWEEN_PX, Content};
use swarmarium_lab_testing::{lab_on, window};

use crate::dispatch;
use crate::dock::tiles::{Reader, read, tree};

fn arrangement(layout: &Layout) -> Arrangement {
    Arrangement::new(layout, &BTreeSet::new(), theme::HEADING_BAR_PX, BETWEEN_PX)
}

fn panel(tiles: &mut Tiles<Content>, pane: Pane) -> TileId {
    tiles.insert_pane(Content::Panel(pane))
}

fn tabs(panes: &[Pane], front: Pane) -> Node {
    Node::Tabs { panes: panes.to_vec(), front }
}

/// Returns the directions and panels of a node, without sizes.
fn shape(node: &Node) -> String {
    match node {
        Node::World => "world".into(),
        Node::Tabs { panes, front } => format!("{panes:?} {front:?}"),
        Node::Split(direction, parts) => {
            let parts: Vec<String> = parts.iter().map(|part| shape(&part.node)).collect();
            format!("{direction:?}({})", parts.join(" | "))
        }
    }
}

fn frames(window: &mut Harness) {
    window.run_steps(4);
}

#[test]
fn dock_tiles_round_trip_to_their_layout() {
    let layout = Layout::default();
    for room_px in [Vec2::new(1280.0, 730.0), Vec2::new(2560.0, 1370.0)] {
        let all = arrangement(&layout);
        let read = read(&tree(&all, room_px), &all, Vec::new(), layout.closed()).unwrap();
        assert_eq!(shape(read.root()), shape(layout.root()));
        assert_eq!(read.closed(), layout.closed());
        for pane in [Pane::Gallery, Pane::Inspector, Pane::Plots] {
            assert_eq!(read.size_px(pane), layout.size_px(pane), "{pane:?} in {room_px}");
        }
    }
}

#[test]
fn a_panel_dropped_beside_a_tab_splits_the_tab_group() {
    let mut tiles = Tiles::default();
    let [gallery, tree, plots] = [Pane::Gallery, Pane::Tree, Pane::Plots].map(|pane| panel(&mut tiles, pane));
    let both = tiles.insert_horizontal_tile(vec![gallery, tree]);
    let place = tiles.insert_tab_tile(vec![both, plots]);
    let all = arrangement(&Layout::default());
    let read = |dragged| {
        Reader { tiles: &tiles, arrangement: &all, dragged: vec![dragged] }.node(place).map(|node| shape(&node))
    };
    assert_eq!(read(Pane::Tree).as_deref(), Some("Row([Gallery, Plots] Gallery | [Tree] Tree)"));
    assert_eq!(read(Pane::Gallery).as_deref(), Some("Row([Gallery] Gallery | [Tree, Plots] Tree)"));
}

#[test]
fn a_tab_group_dropped_on_tabs_joins_them() {
    let mut tiles = Tiles::default();
    let [gallery, tree, plots] = [Pane::Gallery, Pane::Tree, Pane::Plots].map(|pane| panel(&mut tiles, pane));
    let dropped = tiles.insert_tab_tile(vec![tree, plots]);
    let mut place = Tabs::new(vec![gallery, dropped]);
    place.set_active(dropped);
    let place = tiles.insert_container(place);
    let all = arrangement(&Layout::default());
    let dragged = vec![Pane::Tree, Pane::Plots];
    let node = Reader { tiles: &tiles, arrangement: &all, dragged }.node(place);
    assert_eq!(node, Some(tabs(&[Pane::Gallery, Pane::Tree, Pane::Plots], Pane::Tree)));
}

#[test]
fn panels_dropped_onto_the_world_are_placed_below_it() {
    let mut tiles = Tiles::default();
    let world = tiles.insert_pane(Content::World);
    let events = panel(&mut tiles, Pane::Events);
    let place = tiles.insert_tab_tile(vec![world, events]);
    let all = arrangement(&Layout::default());
    let dragged = vec![Pane::Events];
    let node = Reader { tiles: &tiles, arrangement: &all, dragged }.node(place).unwrap();
    assert_eq!(shape(&node), "Column(world | [Events] Events)");
}

#[test]
fn a_panel_title_dragged_onto_another_panel_joins_its_tabs() {
    let (mut window, lab) = window(lab_on("milling"));
    let heading = |window: &Harness, title| window.get_by_role_and_label(egui::accesskit::Role::Button, title).rect();
    let [gallery, tree] = ["Gallery", "World"].map(|title| heading(&window, title));
    let width_px = lab.borrow().shell.settings.layout.size_px(Pane::Gallery).unwrap();
    let below_bar = (gallery.bottom() + tree.top()) / 2.0;
    let to = egui::pos2(gallery.left() + width_px / 2.0, below_bar);
    window.drag_at(tree.left_center() + egui::vec2(theme::PAD + 4.0, 0.0));
    window.run_steps(2);
    for part in [0.3, 0.6, 1.0] {
        window.hover_at(tree.left_center() + (to - tree.left_center()) * part);
        window.run_steps(2);
    }
    window.drop_at(to);
    frames(&mut window);
    let layout = lab.borrow().shell.settings.layout.clone();
    assert_eq!(layout.tabs_beside(Pane::Gallery), 3, "{}", shape(layout.root()));
    assert!(layout.is_shown(Pane::Tree) && !layout.is_shown(Pane::Gallery));
    heading(&window, "Gallery");
    assert!(window.query_by_label("Search scenes").is_none());
    window.get_by_role_and_label(egui::accesskit::Role::Button, "Gallery").click();
    frames(&mut window);
    window.get_by_label("Search scenes");
    assert!(lab.borrow().shell.shows_panel(Pane::Gallery));
}

#[test]
fn every_panel_is_drawn_when_it_is_shown() {
    let (mut window, lab) = window(lab_on("milling"));
    let act = |lab: &RefCell<Lab>, window: &Harness, asked| {
        dispatch::act(&mut lab.borrow_mut(), &window.ctx, asked);
    };
    for pane in Pane::iter() {
        let words = match pane {
            Pane::Gallery => "Search scenes",
            Pane::Tree => "Show robots of millers",
            Pane::Inspector => "Nothing is selected",
            Pane::Parameters => "groups.millers.sensors.0.range_m",
            Pane::Plots => "Pin a value",
            Pane::Events => "Only of the selected robot",
            // The title of this panel depends on the changes.
            Pane::Changes => pane.about().close,
            Pane::Notes => "Shipped scene milling",
            Pane::Clients => "This scene opens no sockets",
            Pane::View => "Colour by",
            Pane::Sweep => "Start sweep",
            Pane::Script => "This scene has no scripts",
            Pane::Console => "Errors only",
            Pane::Messages => "No messages yet: notes and errors of this window stay here",
        };
        let is_seen = |window: &Harness| window.query_all_by_label_contains(words).count() > 0;
        if !lab.borrow().shell.shows_panel(pane) {
            act(&lab, &window, Action::Panel(PanelAction::Toggle(pane)));
            frames(&mut window);
        }
        assert!(is_seen(&window), "{pane:?} is shown");
        window.get_by_label(pane.about().close).click();
        frames(&mut window);
        assert!(!lab.borrow().shell.shows_panel(pane) && !is_seen(&window), "{pane:?} is closed");
    }
    // The world takes the room of all panels.
    assert!(lab.borrow().view.rect_px.width() > 1200.0, "{}", lab.borrow().view.rect_px);
    act(&lab, &window, Action::Panel(PanelAction::ResetLayout));
    frames(&mut window);
    assert_eq!(lab.borrow().shell.settings.layout, Layout::default());
    window.get_by_label("Search scenes");
}

#[test]
fn all_panels_hide_at_a_key_and_come_back_as_they_were() {
    let (mut window, lab) = window(lab_on("milling"));
    let before = (lab.borrow().view.rect_px, lab.borrow().shell.settings.layout.clone());
    window.key_press_modifiers(egui::Modifiers::SHIFT, Key::F11);
    frames(&mut window);
    assert!(window.query_by_label("Search scenes").is_none());
    assert!(lab.borrow().view.rect_px.width() > before.0.width() + 500.0);
    assert!(!lab.borrow().shell.shows_panel(Pane::Gallery));
    window.key_press_modifiers(egui::Modifiers::SHIFT, Key::F11);
    frames(&mut window);
    assert_eq!((lab.borrow().view.rect_px, lab.borrow().shell.settings.layout.clone()), before);
}

#[test]
fn opening_a_panel_shows_all_hidden_panels() {
    let mut before = lab_on("milling");
    before.shell.settings.panels = false;
    let (mut window, lab) = window(before);
    window.key_press(Key::F8);
    frames(&mut window);
    assert!(lab.borrow().shell.shows_panel(Pane::Events) && lab.borrow().shell.shows_panel(Pane::Gallery));
    window.get_by_label("Only of the selected robot");
}

#[test]
fn the_world_keeps_a_place_in_any_window_at_any_size_of_the_interface() {
    let (mut window, lab) = window(lab_on("milling"));
    for scale in [1.0, 2.0, 0.5, 1.0] {
        lab.borrow_mut().shell.settings.set_interface_scale(scale);
        // For one frame, egui uses the previous size.
        frames(&mut window);
        for size in [[2560.0, 1440.0], [1280.0, 720.0], [1024.0, 600.0], [120.0, 90.0], [1280.0, 800.0]] {
            window.set_size(size.into());
            frames(&mut window);
            let world_px = lab.borrow().view.rect_px;
            if size[0] >= 1000.0 && scale == 1.0 {
                assert!(world_px.width() >= 0.4 * size[0], "{size:?}: {world_px}");
                assert!(world_px.height() >= 0.36 * size[1], "{size:?}: {world_px}");
            }
        }
        assert_eq!(lab.borrow().shell.settings.layout, Layout::default(), "a size of the window changes no layout");
    }
}

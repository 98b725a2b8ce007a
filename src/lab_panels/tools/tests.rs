//! Tests.

pub mod draw;
pub mod in_window;
pub mod select;
pub mod spawn;

use bevy::math::DVec2;
use bevy_egui::egui::{self, Modifiers, PointerButton};
use swarmarium_core::agent::failure::Failure;
use swarmarium_lab_state::action::{Action, HistoryAction, SelectionAction, ToolAction, ViewAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::halos::MOST_RINGS;
use swarmarium_lab_state::common::selection::{Item, removals};
use swarmarium_lab_state::common::toolbox::{FaultEffect, Tool};
use swarmarium_lab_testing::{do_steps, lab_of, resimulate};
use swarmarium_simulation::edit::Edit;

use crate::dispatch::act;
use crate::tools::{Act, Mouse, ToolHandler, gestures_with, handler};

/// Two robots of radius 0.2, a stone, and a region on the ground.
pub const SCENE: &str = "(arena: (size_m: (10, 10), boundary: Walls),
    groups: [(name: \"a\", at: [(2, 2, 0), (4, 2, 0)], body: Disc(radius_m: 0.2), controller: Constant())],
    objects: [Disc(name: \"stone\", center_m: (7, 7), radius_m: 0.4), Region(area: Disc(center_m: (2, 7), radius_m: 1))])";

pub const A: Item = Item::Agent(0);

pub const B: Item = Item::Agent(1);

pub const STONE: Item = Item::Object(0);

pub const REGION: Item = Item::Object(1);

/// A gesture of the primary button at a point of the world, without modifiers.
pub fn mouse(act: Act, at_m: (f64, f64)) -> Mouse {
    let (at_m, button) = (DVec2::from(at_m), PointerButton::Primary);
    Mouse { act, button, at_m, by_px: DVec2::ZERO, modifiers: Modifiers::NONE }
}

pub fn with(modifiers: Modifiers, mouse: Mouse) -> Mouse {
    Mouse { modifiers, ..mouse }
}

/// Drags from one point to another, and returns the actions.
pub fn drag(
    handler: &mut dyn ToolHandler,
    lab: &Lab,
    modifiers: Modifiers,
    from_m: (f64, f64),
    to_m: (f64, f64),
) -> Vec<Action> {
    let acts = [(Act::Grasp, from_m), (Act::Drag, to_m), (Act::Drop, to_m)];
    acts.into_iter().flat_map(|(act, at_m)| handler.mouse(lab, &with(modifiers, mouse(act, at_m)))).collect()
}

pub fn click(handler: &mut dyn ToolHandler, lab: &Lab, at_m: (f64, f64)) -> Vec<Action> {
    handler.mouse(lab, &mouse(Act::Click, at_m))
}

/// Returns the requested edits.
pub fn edits(actions: &[Action]) -> Vec<Edit> {
    let of = |action: &Action| match action {
        Action::Edits(edits) => edits.clone(),
        _ => Vec::new(),
    };
    actions.iter().flat_map(of).collect()
}

/// Applies the actions while the mouse button is held.
pub fn held(lab: &mut Lab, actions: Vec<Action>) {
    if lab.edits.transaction == 0 {
        lab.edits.transaction = lab.run.host.new_transaction();
    }
    actions.into_iter().for_each(|action| act(lab, &egui::Context::default(), action));
}

/// Undoes the requested change, and simulates again.
pub fn taken_back(lab: &mut Lab, actions: Vec<Action>) {
    assert_eq!(actions, [Action::History(HistoryAction::Undo)]);
    held(lab, actions);
    resimulate(lab);
}

#[test]
fn the_eraser_removes_each_object_once() {
    let mut lab = lab_of(SCENE);
    lab.choose(vec![A, STONE]);
    let gone = |path: &str| Edit::Remove { path: path.into() };
    let mut erase = handler(Tool::Erase);
    let clicked = click(&mut *erase, &lab, (2.0, 2.0));
    assert_eq!(
        clicked,
        [Action::Edits(vec![gone("agents.0")]), Action::Selection(SelectionAction::Choose(vec![STONE]))]
    );
    lab.choose(Vec::new());
    let mut erase = handler(Tool::Erase);
    let dragged = drag(&mut *erase, &lab, Modifiers::NONE, (1.5, 2.0), (4.5, 2.0));
    assert_eq!(dragged, [Action::Edits(vec![gone("agents.1"), gone("agents.0")])]);
    let lit = lab_of(&SCENE.replace(
        "objects: [",
        "objects: [Light(position_m: (8, 2)), Goal(area: Disc(center_m: (9, 2), radius_m: 0.2)), ",
    ));
    let dragged = drag(&mut *handler(Tool::Erase), &lit, Modifiers::NONE, (7.5, 2.0), (9.5, 2.0));
    assert_eq!(dragged, [Action::Edits(vec![gone("objects.1"), gone("objects.0")])], "lights and goals, too");
    let region = |erase: &mut dyn ToolHandler| edits(&click(erase, &lab, (2.0, 7.0)));
    assert_eq!(region(&mut *handler(Tool::Erase)), [gone("objects.1")]);
    assert_eq!(drag(&mut *handler(Tool::Erase), &lab, Modifiers::NONE, (1.5, 7.0), (2.5, 7.0)), []);
    let twice = erase.mouse(&lab, &mouse(Act::DoubleClick, (2.0, 7.0)));
    assert_eq!(twice, [], "the item below stays");
}

#[test]
fn several_objects_are_removed_from_the_last_to_the_first() {
    let paths = [Item::Object(0), Item::Agent(3), Item::Scene, Item::Object(12)];
    let gone = |path: &str| Edit::Remove { path: path.into() };
    assert_eq!(removals(paths), [gone("objects.12"), gone("objects.0"), gone("agents.3")]);
}

#[test]
fn the_fault_tool_breaks_or_repairs_a_robot() {
    let mut lab = lab_of(SCENE);
    let mut breaker = handler(Tool::Fault);
    let kill = |is_active| Edit::Fault { agent: 1, failure: Failure::Total, is_active };
    let broken = click(&mut *breaker, &lab, (4.0, 2.0));
    assert_eq!(edits(&broken), [kill(true)]);
    assert_eq!(click(&mut *breaker, &lab, (7.0, 7.0)), []);
    broken.into_iter().for_each(|action| act(&mut lab, &egui::Context::default(), action));
    do_steps(&mut lab, 1);
    lab.edits.toolbox.options.fault_effect = FaultEffect::Repair;
    assert_eq!(edits(&click(&mut *breaker, &lab, (4.0, 2.0))), [kill(false)], "nothing else is wrong");
}

#[test]
fn every_tool_has_a_command_and_a_mouse_hint() {
    let lab = lab_of(SCENE);
    for tool in Tool::ALL {
        let command = tool.command();
        assert_eq!(crate::command_actions::action(command, &lab), Some(Action::Tool(ToolAction::Take(tool))));
        assert!(!command.command().keys.is_empty() && !gestures_with(tool).is_empty(), "{tool:?}");
    }
}

#[test]
fn zoom_to_selection_brings_the_view_close() {
    let mut lab = lab_of(SCENE);
    let before = lab.view.current.camera;
    lab.view.fit_selection(&lab.run.host, &mut lab.notices);
    assert!(lab.view.current.camera == before && lab.notices.iter().next().is_some(), "nothing is selected");
    lab.choose(vec![A, B]);
    act(&mut lab, &egui::Context::default(), Action::View(ViewAction::FitSelection));
    assert!(lab.view.current.camera.center_m.distance(DVec2::new(3.0, 2.0)) < 1e-9);
    assert!(lab.view.current.camera.pixels_per_m > before.pixels_per_m && !lab.view.is_fitted);
    act(&mut lab, &egui::Context::default(), Action::Selection(SelectionAction::SelectAll));
    assert_eq!(lab.view.selection.items.clone(), vec![A, B]);
    assert_eq!(lab.view.selection.item, Some(B));
}

#[test]
fn selected_crowds_have_halos_instead_of_rings() {
    let mut lab = lab_of(SCENE);
    let halos = |lab: &mut Lab, chosen: Vec<Item>| {
        lab.view.selection.items = chosen;
        let plain = lab.view.picture(&lab.run.host, &lab.view.current).items.len();
        lab.paint().items.len() - plain
    };
    let many = [[A; MOST_RINGS].to_vec(), vec![STONE]].concat();
    assert_eq!([vec![A; MOST_RINGS], many].map(|chosen| halos(&mut lab, chosen)), [0, MOST_RINGS]);
}

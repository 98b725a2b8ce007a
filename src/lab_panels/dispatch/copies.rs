//! Copies of robots and objects, and their alignment.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use swarmarium_core::object;
use swarmarium_core::text::wording::count;
use swarmarium_lab_state::action::{Alignment, PartAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::{self, Item};
use swarmarium_lab_state::edit::clipboard::{Clipboard, CopiedRobot};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::edit::agents;

use crate::parameters;
use crate::tools::grip::Grip;
use crate::tools::{align, making, spawn};

/// Offset of a pasted copy from its original, in points.
const BESIDE_PX: f64 = 24.0;

/// Copies a robot, by its number.
fn copied_robot(lab: &Lab, number: u32) -> Option<CopiedRobot> {
    let simulation = lab.run.host.simulation();
    let agent = simulation.agent(number)?;
    let group = simulation.scene_ahead().groups.get(agent.member.group as usize)?;
    let own = parameters::own_of_agent(simulation.kinds(), &agents::description_ahead(&agent), group);
    Some(CopiedRobot { group: spawn::path_name(lab, &group.name), pose: agent.pose, own })
}

/// The edits that paste copies.
#[derive(Debug, Default)]
struct PastedEdits {
    /// The edits that add robots, each with the parameters of the robot that differ from its group.
    robots: Vec<(Edit, Vec<(String, String)>)>,
    /// The edits that add objects.
    objects: Vec<Edit>,
}

/// Copies the selection.
fn copied_selection(lab: &Lab) -> Clipboard {
    let simulation = lab.run.host.simulation();
    let grip = Grip::of(lab, &lab.view.selection.items, DVec2::ZERO);
    let robot = |item: &Item| copied_robot(lab, item.entry().filter(|(list, _)| *list == "agents")?.1 as u32);
    let object = |item: &Item| {
        let Item::Object(place) = *item else { return None };
        simulation.scene_ahead().objects.get(place).cloned()
    };
    let items = || lab.view.selection.items.iter();
    Clipboard {
        robots: items().filter_map(robot).collect(),
        objects: items().filter_map(object).collect(),
        center_m: grip.center_m(),
        pasted: 0,
    }
}

/// Returns the edits that paste copies around a point (m), or beside the last ones.
fn edits_of_paste(clipboard: &mut Clipboard, lab: &Lab, at_m: Option<DVec2>) -> PastedEdits {
    let camera = &lab.view.painted.camera;
    let simulation = lab.run.host.simulation();
    if at_m.is_none() {
        clipboard.pasted += 1;
    }
    let beside_px = DVec2::splat(BESIDE_PX) * f64::from(clipboard.pasted);
    let shift_m = at_m.map_or_else(|| camera.across_m(beside_px), |at_m| at_m - clipboard.center_m);
    let spawn = |CopiedRobot { group, pose, own }: &CopiedRobot| {
        let DVec2 { x, y } = selection::confined_m(simulation, pose.position_m + shift_m, 0.0);
        let edit = Edit::Spawn { group: group.clone(), x_m: x, y_m: y, heading_rad: pose.heading_rad };
        (edit, own.clone())
    };
    let moved = |object| object::moved_by(simulation.world(), object, shift_m, 0.0);
    let objects = clipboard.objects.iter().filter_map(moved).collect();
    PastedEdits { robots: clipboard.robots.iter().map(spawn).collect(), objects: making::copies(lab, objects) }
}

/// Copies the selection to the clipboard. Returns whether anything was selected.
pub fn copy(lab: &mut Lab) -> bool {
    let copied = copied_selection(lab);
    let has_some = !copied.is_empty();
    match has_some {
        true => lab.edits.clipboard = copied,
        false => lab.notices.say("Select robots or objects to copy them"),
    }
    has_some
}

/// Pastes the clipboard around a point (m), or beside the originals.
pub fn paste(lab: &mut Lab, at_m: Option<DVec2>) {
    let mut clipboard = std::mem::take(&mut lab.edits.clipboard);
    match clipboard.is_empty() {
        true => lab.notices.say("Nothing to paste: copy robots or objects first"),
        false => {
            let edits = edits_of_paste(&mut clipboard, lab, at_m);
            make_copies(lab, edits, "Pasted");
        }
    }
    lab.edits.clipboard = clipboard;
}

/// Pastes copies of the selection beside it, without changing the clipboard.
pub fn duplicate(lab: &mut Lab) {
    let mut copies = copied_selection(lab);
    if copies.is_empty() {
        if let Some(path) = lab.view.selection.item.and_then(Item::part_path) {
            return lab.do_part(PartAction::Duplicate(path));
        }
        return lab.notices.say("Select robots or objects to duplicate them");
    }
    let edits = edits_of_paste(&mut copies, lab, None);
    make_copies(lab, edits, "Duplicated");
}

/// Adds copies as one change, selects them and reports their number.
fn make_copies(lab: &mut Lab, PastedEdits { robots, objects }: PastedEdits, verb: &str) {
    let before: BTreeSet<u32> = lab.run.numbers();
    let first_object = lab.run.host.simulation().scene_ahead().objects.len();
    let outer = lab.edits.transaction;
    // The parameters of the new robots are part of the same change.
    lab.edits.transaction = lab.edits.present_transaction(&mut lab.run.host);
    lab.edit(robots.iter().map(|(edit, _)| edit.clone()).chain(objects).collect());
    // Robots are added in the order of the edits.
    let new: Vec<u32> = lab.run.numbers().difference(&before).copied().collect();
    // If a robot was refused, the parameters cannot be assigned to robots.
    if new.len() == robots.len() {
        let set = |(number, (_, own)): (&u32, &(Edit, Vec<(String, String)>))| {
            let edit = |(path, value): &(String, String)| Edit::Set {
                path: format!("agents.{number}.{path}"),
                value: value.clone(),
            };
            own.iter().map(edit).collect::<Vec<_>>()
        };
        let own: Vec<Edit> = new.iter().zip(&robots).flat_map(set).collect();
        if !own.is_empty() {
            lab.edit(own);
        }
    }
    lab.edits.transaction = outer;
    let objects = first_object..lab.run.host.simulation().scene_ahead().objects.len();
    let counts = [(new.len(), "robot"), (objects.len(), "object")];
    let items: Vec<Item> = new.into_iter().map(Item::Agent).chain(objects.map(Item::Object)).collect();
    // Items that were added only to the other world cannot be selected.
    if items.is_empty() {
        return;
    }
    lab.choose(items);
    let counts = counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun));
    lab.notices.say(&format!("{verb} {}", counts.collect::<Vec<_>>().join(" and ")));
}

/// Removes the selected robots and objects; without any, the selected groups and metrics.
pub fn remove_selected(lab: &mut Lab) {
    let items = &lab.view.selection.items;
    if !items.is_empty() && items.iter().all(|item| item.entry().is_none()) {
        let mut parts: Vec<Item> = items.clone();
        // The ones after a removed part move up.
        parts.sort_unstable_by(|a, b| b.cmp(a));
        let remove = |path| Edit::Remove { path };
        let edits: Vec<Edit> = parts.into_iter().filter_map(Item::part_path).map(remove).collect();
        return match &edits[..] {
            [Edit::Remove { path }] => lab.do_part(PartAction::Remove(path.clone())),
            _ => lab.edit(edits),
        };
    }
    let removals = selection::removals(lab.view.selection.items.iter().copied());
    let can_go = removals.first().is_some_and(|first| lab.run.host.simulation().check(first).is_ok());
    lab.edit(removals);
    if can_go {
        lab.select(None);
    }
}

/// Aligns the selection.
pub fn align(lab: &mut Lab, alignment: Alignment) {
    match align::edits(lab, alignment) {
        edits if edits.len() > 1 => lab.edit(edits),
        _ => lab.notices.say("Select two or more robots or objects to align them"),
    }
}

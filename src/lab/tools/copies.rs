//! Copying and pasting robots and objects.

use std::collections::BTreeSet;

use bevy::math::DVec2;
use swarmarium_core::agent::Pose;
use swarmarium_core::edit::Edit;
use swarmarium_core::kind::Slot;
use swarmarium_core::object::{self, ObjectFamily};
use swarmarium_core::text::wording::count;

use super::grip::Grip;
use super::{align, making, spawn};
use crate::action::Alignment;
use crate::selection::{self, Item};
use crate::{Lab, parameters};

/// Offset of a pasted copy from its original, in points.
const BESIDE_PX: f64 = 24.0;

/// The copied robots and objects.
#[derive(Clone, Debug, Default)]
pub struct Clipboard {
    robots: Vec<CopiedRobot>,
    objects: Vec<Slot<ObjectFamily>>,
    /// The mean of their centres, in metres.
    center_m: DVec2,
    /// The number of times that they were pasted beside the originals.
    pasted: u32,
}

/// A copied robot.
#[derive(Clone, Debug)]
struct CopiedRobot {
    /// The path name of its group.
    group: String,
    pose: Pose,
    /// The parameters that differ from the group: paths within the robot, and values.
    own: Vec<(String, String)>,
}

impl CopiedRobot {
    fn of(lab: &Lab, number: u32) -> Option<Self> {
        let simulation = lab.host.simulation();
        let agent = simulation.agent(number)?;
        let group = simulation.scene_ahead().groups.get(agent.member.group as usize)?;
        let own = parameters::own_of_agent(simulation.kinds(), &agent.description_ahead(), group);
        Some(Self { group: spawn::path_name(lab, &group.name), pose: agent.pose, own })
    }
}

/// The edits that paste copies.
#[derive(Debug, Default)]
pub struct PastedEdits {
    /// The edits that add robots, each with the parameters of the robot that differ from its group.
    robots: Vec<(Edit, Vec<(String, String)>)>,
    /// The edits that add objects.
    objects: Vec<Edit>,
}

impl Clipboard {
    /// Copies the selection.
    pub fn of_selection(lab: &Lab) -> Self {
        let simulation = lab.host.simulation();
        let grip = Grip::of(lab, &lab.selection.items, DVec2::ZERO);
        let robot = |item: &Item| CopiedRobot::of(lab, item.entry().filter(|(list, _)| *list == "agents")?.1 as u32);
        let object = |item: &Item| {
            let Item::Object(place) = *item else { return None };
            simulation.scene_ahead().objects.get(place).cloned()
        };
        let items = || lab.selection.items.iter();
        Self {
            robots: items().filter_map(robot).collect(),
            objects: items().filter_map(object).collect(),
            center_m: grip.center_m(),
            pasted: 0,
        }
    }

    /// Whether there is nothing to paste.
    pub fn is_empty(&self) -> bool {
        self.robots.is_empty() && self.objects.is_empty()
    }

    /// Returns the edits that paste copies around a point (m), or beside the last ones.
    pub fn paste(&mut self, lab: &Lab, at_m: Option<DVec2>) -> PastedEdits {
        let camera = &lab.viewport.painted.camera;
        let simulation = lab.host.simulation();
        if at_m.is_none() {
            self.pasted += 1;
        }
        let beside_px = DVec2::splat(BESIDE_PX) * f64::from(self.pasted);
        let shift_m = at_m.map_or_else(|| camera.across_m(beside_px), |at_m| at_m - self.center_m);
        let spawn = |CopiedRobot { group, pose, own }: &CopiedRobot| {
            let DVec2 { x, y } = selection::confined_m(simulation, pose.position_m + shift_m, 0.0);
            let edit = Edit::Spawn { group: group.clone(), x_m: x, y_m: y, heading_rad: pose.heading_rad };
            (edit, own.clone())
        };
        let moved = |object| object::moved_by(simulation.world(), object, shift_m, 0.0);
        let objects = self.objects.iter().filter_map(moved).collect();
        PastedEdits { robots: self.robots.iter().map(spawn).collect(), objects: making::copies(lab, objects) }
    }
}

impl Lab {
    /// Copies the selection to the clipboard. Returns whether anything was selected.
    pub(crate) fn copy(&mut self) -> bool {
        let copied = Clipboard::of_selection(self);
        let has_some = !copied.is_empty();
        match has_some {
            true => self.clipboard = copied,
            false => self.tell_error("Select robots or objects to copy them"),
        }
        has_some
    }

    /// Pastes the clipboard around a point (m), or beside the originals.
    pub(crate) fn paste(&mut self, at_m: Option<DVec2>) {
        let mut clipboard = std::mem::take(&mut self.clipboard);
        match clipboard.is_empty() {
            true => self.tell_error("Nothing to paste: copy robots or objects first"),
            false => {
                let edits = clipboard.paste(self, at_m);
                self.make_copies(edits, "Pasted");
            }
        }
        self.clipboard = clipboard;
    }

    /// Pastes copies of the selection beside it, without changing the clipboard.
    pub(crate) fn duplicate(&mut self) {
        let mut copies = Clipboard::of_selection(self);
        if copies.is_empty() {
            return self.tell_error("Select robots or objects to duplicate them");
        }
        let edits = copies.paste(self, None);
        self.make_copies(edits, "Duplicated");
    }

    /// Adds copies as one change, selects them and reports their number.
    fn make_copies(&mut self, PastedEdits { robots, objects }: PastedEdits, verb: &str) {
        let before: BTreeSet<u32> = self.numbers();
        let first_object = self.host.simulation().scene_ahead().objects.len();
        let outer = self.edits.transaction;
        // The parameters of the new robots are part of the same change.
        self.edits.transaction = self.present_transaction();
        self.edit(robots.iter().map(|(edit, _)| edit.clone()).chain(objects).collect());
        // Robots are added in the order of the edits.
        let new: Vec<u32> = self.numbers().difference(&before).copied().collect();
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
                self.edit(own);
            }
        }
        self.edits.transaction = outer;
        let objects = first_object..self.host.simulation().scene_ahead().objects.len();
        let counts = [(new.len(), "robot"), (objects.len(), "object")];
        let items: Vec<Item> = new.into_iter().map(Item::Agent).chain(objects.map(Item::Object)).collect();
        // Items that were added only to the other world cannot be selected.
        if items.is_empty() {
            return;
        }
        self.choose(items);
        let counts = counts.into_iter().filter(|(number, _)| *number > 0).map(|(number, noun)| count(number, noun));
        self.say(&format!("{verb} {}", counts.collect::<Vec<_>>().join(" and ")));
    }

    fn numbers(&self) -> BTreeSet<u32> {
        self.host.simulation().agents().map(|agent| agent.id.index()).collect()
    }

    /// Removes the selected robots and objects.
    pub(crate) fn remove_selected(&mut self) {
        let removals = selection::removals(self.selection.items.iter().copied());
        let can_go = removals.first().is_some_and(|first| self.host.simulation().check(first).is_ok());
        self.edit(removals);
        if can_go {
            self.select(None);
        }
    }

    /// Aligns the selection.
    pub(crate) fn align(&mut self, alignment: Alignment) {
        match align::edits(self, alignment) {
            edits if edits.len() > 1 => self.edit(edits),
            _ => self.tell_error("Select two or more robots or objects to align them"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{do_steps, lab_of};

    const SCENE: &str = "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 2.0, 1.0)], motion: Static())],\
        objects: [Disc(name: \"post-1\", center_m: (5.0, 5.0), radius_m: 0.5)])";

    fn positions(lab: &Lab) -> Vec<DVec2> {
        lab.host.simulation().agents().map(|agent| agent.pose.position_m).collect()
    }

    #[test]
    fn copies_are_pasted_about_a_point_and_have_names_of_their_own() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(0), Item::Agent(1), Item::Object(0)]);
        assert!(lab.copy());
        lab.paste(Some(DVec2::new(6.0, 6.0)));
        do_steps(&mut lab, 1);
        let middle = (DVec2::new(1.0, 1.0) + DVec2::new(3.0, 2.0) + DVec2::new(5.0, 5.0)) / 3.0;
        let there = DVec2::new(1.0, 1.0) + DVec2::new(6.0, 6.0) - middle;
        assert!(positions(&lab).iter().any(|at| at.distance(there) < 1e-9), "{:?}", positions(&lab));
        let names: Vec<_> = lab.host.scene().objects.iter().map(|object| object.common().name.clone()).collect();
        assert_eq!((positions(&lab).len(), names), (4, vec!["post-1".to_owned(), "post-2".to_owned()]));
        assert!(lab.host.undo().is_some(), "it is one change");
    }

    #[test]
    fn copies_are_selected_and_have_the_parameters_of_their_originals() {
        let mut lab = lab_of(
            "(groups: [(name: \"g\", at: [(1.0, 1.0, 0.0), (3.0, 2.0, 1.0)], sensors: [BinaryFov(range_m: 2.0)],
            controller: Binary())], objects: [Disc(name: \"post\", center_m: (5.0, 5.0), radius_m: 0.5)])",
        );
        let path = "agents.1.sensors.0.range_m".into();
        lab.edit(vec![Edit::Set { path, value: "3.5".into() }]);
        do_steps(&mut lab, 1);
        lab.choose(vec![Item::Agent(0), Item::Agent(1), Item::Object(0)]);
        let changes = lab.host.changes().len();
        lab.duplicate();
        assert_eq!(lab.selection.items, [Item::Agent(2), Item::Agent(3), Item::Object(1)]);
        let told = lab.notices.iter().last().unwrap().lines.clone();
        assert_eq!(told, ["Duplicated 2 robots and 1 object"]);
        do_steps(&mut lab, 1);
        let own = |number| {
            let simulation = lab.host.simulation();
            let (agent, group) = (simulation.agent(number).unwrap(), &simulation.scene_ahead().groups[0]);
            parameters::own_of_agent(simulation.kinds(), &agent.description_ahead(), group)
        };
        assert!(own(2).is_empty(), "{:?}", own(2));
        assert_eq!(own(3), [("sensors.0.range_m".to_owned(), "3.5".to_owned())]);
        assert_eq!(lab.host.changes().len(), changes + 1, "it is one change");
    }

    #[test]
    fn what_is_cut_goes_and_comes_back() {
        let mut lab = lab_of(SCENE);
        lab.choose(vec![Item::Agent(1)]);
        assert!(lab.copy());
        lab.remove_selected();
        do_steps(&mut lab, 1);
        assert_eq!(positions(&lab).len(), 1);
        lab.paste(None);
        do_steps(&mut lab, 1);
        assert_eq!(positions(&lab).len(), 2);
    }

    #[test]
    fn edges_and_middles_come_in_line() {
        let of = |alignment| {
            let mut lab = lab_of(SCENE);
            lab.choose(vec![Item::Agent(0), Item::Object(0), Item::Agent(1)]);
            lab.align(alignment);
            do_steps(&mut lab, 1);
            positions(&lab)
        };
        let [first, second] = of(Alignment::Right)[..] else { panic!() };
        assert!((first.x - second.x).abs() < 1e-9 && first.x > 5.0 && first.y == 1.0);
        let [first, second] = of(Alignment::Row)[..] else { panic!() };
        assert!((first.y - 8.0 / 3.0).abs() < 1e-9 && first.y == second.y);
        assert_eq!(of(Alignment::DistributeHorizontally)[1].x, 3.0, "half way between 1 and 5");
    }
}

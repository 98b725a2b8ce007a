//! The panel Parameters, generated from the kinds by reflection, so that kinds of plugins appear automatically.

pub mod bar;
mod cells;
mod choice;
pub mod controls;
pub mod drafts;
mod field;
pub mod find;
pub mod fold;
mod foresee;
mod hints;
pub mod many;
pub mod marks;
pub mod menu;
mod number;
mod open_list;
mod plain;
pub mod randomise;
pub mod row;
pub mod rows;
pub mod span;
#[cfg(test)]
mod tests;

pub use controls::{control_of, making_control, new_controls};
pub use drafts::{Drafts, reason};
pub use find::{ParameterMatches, own_of_agent};
pub use fold::Fold;
pub use many::Many;
pub use marks::Marks;
pub use rows::Rows;

use std::collections::HashSet;

use bevy::prelude::*;
use bevy_egui::egui::{self, ScrollArea, Ui};
use swarmarium_lab_state::action::{Action, PartAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::selection::Item;
use swarmarium_lab_state::common::text::{grouped, label};
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::controls::Control;
use swarmarium_scene::scene::path::{self, Leaf};

use crate::parameters::bar::Bar;

/// The largest number of shown groups, and of initially open ones.
const MOST_GROUPS: usize = 100;

const FEW_GROUPS: usize = 3;

/// The parts of a scene with their own sections.
const SECTIONS: [&str; 6] = ["constants", "controls", "groups", "objects", "object_groups", "metrics"];

/// The panel Parameters.
#[derive(Default)]
pub struct Parameters {
    drafts: Drafts,
    /// Drafts of the controls, whose parameters also have rows below.
    control_drafts: Drafts,
    bar: Bar,
    /// Suggested controls of a scene without controls, and the state from which they were made.
    suggested: Option<(Marks, Vec<Control>)>,
    /// The selected item when its section was opened.
    seen: Option<Item>,
    /// The scroll offset before a selection moved it, in points, and the opening of the scene.
    before: Option<(u64, f32)>,
}

/// Returns the values of a preset: all numbers, points, choices and switches of the groups, with their paths.
///
/// The arena and the start poses of single agents are left out.
pub fn preset_values(lab: &Lab) -> Vec<(String, String)> {
    let kinds = lab.run.host.simulation().kinds();
    let groups = &lab.run.host.simulation().scene_ahead().groups;
    let mut values = Vec::new();
    rows::walk(kinds, &rows::Node::root(groups, None, "groups"), &mut |node, editor| {
        if matches!(
            editor,
            rows::EditorKind::Number { .. }
                | rows::EditorKind::Point
                | rows::EditorKind::Choice
                | rows::EditorKind::Bool
        ) {
            values.push((node.leaf.path.clone(), row::text_of(kinds, node.leaf.value)));
        }
        node.step() != "at"
    });
    values
}

/// Whether a parameter already has a value, in the format of [`preset_values`].
pub fn has(lab: &Lab, path: &str, value: &str) -> bool {
    let simulation = lab.run.host.simulation();
    let known = path::get(simulation.kinds(), simulation.scene_ahead(), path);
    known.is_ok_and(|known| row::text_of(simulation.kinds(), known) == value)
}

struct Section<'a> {
    id: &'a str,
    title: &'a str,
    note: &'a str,
    about: &'a str,
    is_open: bool,
    /// Whether the section opens now; without a target row, it is scrolled into view.
    jump: bool,
    /// The list that the button of its header adds to.
    adds_to: Option<&'a str>,
    rows: Rows<'a>,
}

impl Parameters {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let selected = lab.view.selection.item.filter(|_| self.seen != lab.view.selection.item);
        self.seen = lab.view.selection.item;
        let mut actions = self.bar.ui(ui, lab);
        let find = self.bar.shown();
        // The scroll bar has its own space, so that it does not cover the menus of the rows.
        let bar = &mut ui.spacing_mut().scroll;
        bar.floating_allocated_width = bar.bar_width;
        let scroll = ScrollArea::vertical().id_salt(("parameters", lab.run.openings)).auto_shrink(false);
        let shown = scroll.show_viewport(ui, |ui, viewport| {
            self.go_back(ui, lab, selected, viewport.top());
            self.sections(ui, lab, selected, find.as_deref())
        });
        actions.extend(shown.inner);
        actions
    }

    /// Restores the scroll offset from before a selection, once no selected item has a section here. If the user has
    /// scrolled in between, the offset stays.
    fn go_back(&mut self, ui: &Ui, lab: &Lab, selected: Option<Item>, now_px: f32) {
        let has_block = |item: &Item| !matches!(item, Item::Agent(_));
        if selected.as_ref().is_some_and(has_block) {
            self.before.get_or_insert((lab.run.openings, now_px));
        }
        let is_scrolled =
            ui.rect_contains_pointer(ui.clip_rect()) && ui.input(|input| input.smooth_scroll_delta().y != 0.0);
        self.before.take_if(|(opening, _)| is_scrolled || *opening != lab.run.openings);
        if !lab.view.selection.item.as_ref().is_some_and(has_block)
            && let Some((_, before_px)) = self.before.take()
        {
            ui.scroll_with_delta(egui::vec2(0.0, now_px - before_px));
        }
    }

    fn sections(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        selected: Option<Item>,
        find: Option<&HashSet<String>>,
    ) -> Vec<Action> {
        let (scene, before) = (lab.run.host.simulation().scene_ahead(), &lab.run.opened.scene);
        let mut actions = self.controls(ui, lab, find);
        actions.extend(self.groups(ui, lab, selected, find));
        let object = if let Some(Item::Object(place)) = selected { Some(place) } else { None };
        let object_group = if let Some(Item::ObjectGroup(place)) = selected { Some(place) } else { None };
        let metric = if let Some(Item::Metric(place)) = selected { Some(place) } else { None };
        let lists: [(_, &dyn Reflect, &dyn Reflect, _, _, _); 3] = [
            (
                "objects",
                &scene.objects,
                &before.objects,
                scene.objects.len(),
                "Objects of the arena, such as walls, regions and goals",
                object,
            ),
            (
                "object_groups",
                &scene.object_groups,
                &before.object_groups,
                scene.object_groups.len(),
                "Groups of objects that spawners place at the start",
                object_group,
            ),
            (
                "metrics",
                &scene.metrics,
                &before.metrics,
                scene.metrics.len(),
                "Metrics, which are measured after each step",
                metric,
            ),
        ];
        for (id, root, before, len, about, jump) in lists.into_iter().filter(|(_, _, _, len, ..)| *len > 0) {
            let rows = Rows { root, before: Some(before), prefix: id, shows: &|_| true, jump, find, many: None };
            let (title, note) = (label(id), grouped(len as u64));
            let jump = jump.is_some();
            actions.extend(self.section(
                ui,
                lab,
                &Section { id, title: &title, note: &note, about, is_open: false, jump, adds_to: Some(id), rows },
            ));
        }
        actions.extend(self.constants(ui, lab, find));
        actions.extend(self.section(
            ui,
            lab,
            &Section {
                id: "scene",
                title: "Scene",
                note: "",
                about: "Parameters of the whole scene: arena, clock, seed",
                is_open: false,
                jump: selected == Some(Item::Scene),
                adds_to: None,
                rows: Rows {
                    root: scene,
                    before: Some(before),
                    prefix: "",
                    shows: &|name| !SECTIONS.contains(&name),
                    jump: None,
                    find,
                    many: None,
                },
            },
        ));
        actions
    }

    /// Draws the controls: the main parameters of the scene, at the top and open.
    fn controls(&mut self, ui: &mut Ui, lab: &Lab, find: Option<&HashSet<String>>) -> Vec<Action> {
        let named = controls::named(lab);
        let is_named = !named.is_empty();
        if !is_named && self.suggested.as_ref().is_none_or(|(marks, _)| *marks != Marks::of_sets(lab)) {
            self.suggested = Some((Marks::of_sets(lab), controls::suggested(lab)));
        }
        let suggested = self.suggested.take().filter(|_| !is_named);
        let made = suggested.as_ref().map_or(&[][..], |(_, controls)| controls);
        let nodes = named.into_iter().chain(controls::nodes(lab, made));
        let nodes: Vec<_> = nodes.filter(|node| find.is_none_or(|found| found.contains(&node.leaf.path))).collect();
        let about = "The main parameters of this scene: drag a slider and watch the swarm";
        let adds = Some("Makes a control of a parameter, from a list");
        let fold = Fold { is_open: true, is_section: true, adds, ..Fold::new("controls", "Controls", "") };
        let mut actions = Vec::new();
        if !nodes.is_empty() {
            let (is_open, wants_more) = fold.show(ui, lab.shell.settings.theme, about);
            if is_open {
                actions = rows::single(ui, lab, &mut self.control_drafts, &nodes);
            }
            if wants_more {
                actions.push(PartAction::Open("controls".into()).into());
            }
        }
        self.suggested = suggested;
        actions
    }

    /// Draws the constants of the scene, except those that are controls.
    fn constants(&mut self, ui: &mut Ui, lab: &Lab, find: Option<&HashSet<String>>) -> Vec<Action> {
        let scene = lab.run.host.simulation().scene_ahead();
        let count = scene.constants.len();
        let nodes: Vec<_> =
            rows::constant_nodes(lab).filter(|node| find.is_none_or(|found| found.contains(&node.label()))).collect();
        if scene.controls.is_empty() || nodes.is_empty() {
            return Vec::new();
        }
        let (id, note) = (find::fold_id(find, "constants"), grouped(count as u64));
        let is_open = find.is_some();
        let fold = Fold { is_open, is_section: true, ..Fold::new(&id, "Constants", &note) };
        let about = "Named values of the scene; each sets all fields that use it";
        if fold.ui(ui, lab.shell.settings.theme, about) {
            rows::single(ui, lab, &mut self.drafts, &nodes)
        } else {
            Vec::new()
        }
    }

    fn groups(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        selected: Option<Item>,
        find: Option<&HashSet<String>>,
    ) -> Vec<Action> {
        let Scene { groups, .. } = lab.run.host.simulation().scene_ahead();
        let kinds = lab.run.host.simulation().kinds();
        let root = Leaf { path: "groups".into(), ..Leaf::root(groups) };
        let mut actions = Vec::new();
        let all = groups.iter().zip(path::parts(kinds, &root)).enumerate();
        let wanted = all.filter(|(_, (_, leaf))| find.is_none_or(|found| found.contains(&leaf.path)));
        for (place, (group, leaf)) in wanted.take(MOST_GROUPS) {
            let before = rows::counterpart(kinds, groups, Some(&lab.run.opened.scene.groups), place);
            let agents = u64::from(group.agents());
            let section = Section {
                id: &format!("groups.{place}"),
                title: if group.name.is_empty() { "Group without a name" } else { &group.name },
                note: &format!("{} {}", grouped(agents), if agents == 1 { "robot" } else { "robots" }),
                about: "Robots with the same description",
                is_open: groups.len() <= FEW_GROUPS,
                jump: matches!(selected, Some(Item::Group(wanted) | Item::Spawner(wanted)) if wanted == place),
                adds_to: Some(&format!("groups.{place}")),
                rows: Rows {
                    root: leaf.value,
                    before,
                    prefix: &leaf.path,
                    // Explicit poses replace the spawner.
                    shows: &|name| group.at.is_empty() || !["count", "spawn"].contains(&name),
                    jump: None,
                    find,
                    many: None,
                },
            };
            actions.extend(self.section(ui, lab, &section));
        }
        if let Some(rest) = groups.len().checked_sub(MOST_GROUPS).filter(|rest| *rest > 0 && find.is_none()) {
            ui.weak(format!("and {} more groups", grouped(rest as u64)))
                .on_hover_text("Edit the scene file to change them");
        }
        actions
    }

    fn section(&mut self, ui: &mut Ui, lab: &Lab, section: &Section) -> Vec<Action> {
        let &Section { id, title, note, about, is_open, jump, adds_to, ref rows } = section;
        if !rows.has_found(lab.run.host.simulation().kinds()) {
            return Vec::new();
        }
        let (id, is_open) = (find::fold_id(rows.find, id), is_open || rows.find.is_some());
        let adds = adds_to.map(|_| format!("Adds to {title}, from a catalogue"));
        let fold =
            Fold { is_open, opens: jump, is_section: true, adds: adds.as_deref(), ..Fold::new(&id, title, note) };
        let top = ui.cursor().min;
        let (is_open, wants_more) = fold.show(ui, lab.shell.settings.theme, about);
        let mut actions = if is_open { rows.ui(ui, lab, &mut self.drafts) } else { Vec::new() };
        actions.extend(adds_to.filter(|_| wants_more).map(|list| PartAction::Open(list.into()).into()));
        if jump && rows.jump.is_none() {
            rows::bring_into_view(ui, top);
        }
        actions
    }
}

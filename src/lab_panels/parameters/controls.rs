//! Controls: the few most relevant parameters of a scene, shown first.

use bevy::reflect::Reflect;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::{capital, parameter_name, words};
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::scene::controls::{Control, MOST};
use swarmarium_scene::scene::reader::default_of;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{Scene, describe, path};
use swarmarium_simulation::edit::Edit;

use crate::parameters::rows::{EditorKind, Node, constant_nodes, walk};

/// The parts of a group from which controls are suggested, with the maximum number of each, for scenes without
/// controls.
const SUGGESTED: [(&str, usize); 4] = [("controller", 3), ("sensors", 1), ("count", 1), ("motion", 1)];

/// Returns the controls of the scene, or its constants if it has none.
pub(super) fn named(lab: &Lab) -> Vec<Node<'_>> {
    let controls = &lab.run.host.simulation().scene_ahead().controls;
    if controls.is_empty() { constant_nodes(lab).collect() } else { nodes(lab, controls).collect() }
}

/// Returns the parameters behind controls.
pub(super) fn nodes<'n>(lab: &'n Lab, controls: &'n [Control]) -> impl Iterator<Item = Node<'n>> {
    let (kinds, scene) = (lab.run.host.simulation().kinds(), lab.run.host.simulation().scene_ahead());
    controls.iter().filter_map(move |control| {
        let leaf = control.leaf(kinds, scene).ok()?;
        let before = path::get(kinds, &lab.run.opened.scene, &leaf.path).ok();
        let constant = scene.constants.iter().find(|constant| constant.name == control.of);
        Some(Node { before, constant, control: Some(control), ..Node::at(leaf) })
    })
}

/// Returns the default of the number at a path: that of the kind, or else of the part of the scene, that it belongs to.
pub(super) fn default_of_number(kinds: &Kinds, scene: &Scene, path: &str) -> Option<f64> {
    let around = || path.match_indices('.').map(|(at, _)| (&path[..at], &path[at + 1..]));
    let number_in = |default: &dyn Reflect, rest: &str| path::get(kinds, default, rest).ok().and_then(number);
    for (outer, rest) in around().collect::<Vec<_>>().into_iter().rev() {
        let outer = path::get(kinds, scene, outer).ok()?;
        if let Some(default) = kinds.default_of_slot(outer) {
            return number_in(&*default, rest);
        }
    }
    around().find_map(|(outer, rest)| {
        let outer = path::get(kinds, scene, outer).ok()?;
        number_in(&*default_of(kinds, outer.as_any().type_id())?, rest)
    })
}

/// Suggests controls for a scene that has none: numbers of its first groups.
pub(super) fn suggested(lab: &Lab) -> Vec<Control> {
    let kinds = lab.run.host.simulation().kinds();
    let groups = &lab.run.host.simulation().scene_ahead().groups;
    let mut controls = Vec::new();
    for (place, group) in groups.iter().enumerate().take(MOST) {
        let prefix = format!("groups.{place}");
        let mut taken = [0; SUGGESTED.len()];
        let mut found: Vec<(usize, Control)> = Vec::new();
        walk(kinds, &Node::root(group, None, &prefix), &mut |node, editor| {
            let rest = node.leaf.path.strip_prefix(&prefix).map_or("", |rest| rest.trim_start_matches('.'));
            let part = rest.split(['.', '[']).next().unwrap_or_default();
            let Some(kind) = SUGGESTED.iter().position(|(name, _)| *name == part) else { return false };
            let is_number = matches!(editor, EditorKind::Number { .. });
            // Explicit poses replace the count.
            if is_number && taken[kind] < SUGGESTED[kind].1 && (part != "count" || group.at.is_empty()) {
                taken[kind] += 1;
                let label = label(rest, Some(group.name.as_str()).filter(|_| groups.len() > 1));
                found.push((kind, Control { of: node.leaf.path.clone(), label, ..Control::default() }));
            }
            true
        });
        found.sort_by_key(|(kind, _)| *kind);
        controls.extend(found.into_iter().map(|(_, control)| control));
    }
    controls.truncate(MOST);
    controls
}

/// A parameter that can become a control.
pub struct NewControl {
    /// The path of the parameter.
    pub path: String,
    /// The label of the control.
    pub label: String,
    /// The description of the parameter.
    pub about: String,
    /// The part of the scene that the parameter belongs to.
    pub section: String,
}

/// The parts of a scene with parameters that affect results.
const WITH_CONTROLS: [&str; 6] = ["groups", "arena", "objects", "object_groups", "fields", "time"];

/// Returns the parameters that can become controls: numbers, choices and switches that are none yet.
pub fn new_controls(lab: &Lab) -> Vec<NewControl> {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let root = Node::root(scene, None, "");
    let mut new = Vec::new();
    walk(kinds, &root, &mut |node, editor| {
        let path = node.leaf.path.as_str();
        let part = path.split(['.', '[']).next().unwrap_or_default();
        let is_value = matches!(editor, EditorKind::Number { .. } | EditorKind::Choice | EditorKind::Bool);
        if is_value && control_of(lab, path).is_none() {
            let section = match path.strip_prefix("groups.").and_then(|rest| rest.split('.').next()) {
                Some(group) => group.to_owned(),
                None => words(part).0,
            };
            new.push(NewControl {
                path: path.into(),
                label: label_of(lab, path),
                about: describe::trim(node.leaf.field.and_then(|field| field.docs())),
                section,
            });
        }
        WITH_CONTROLS.contains(&part)
    });
    new.retain(|control| WITH_CONTROLS.iter().any(|part| control.path.starts_with(part)));
    // The parameters of groups are changed most often.
    new.sort_by_key(|control| !control.path.starts_with("groups"));
    new
}

/// Returns the index of the control of a parameter.
pub fn control_of(lab: &Lab, path: &str) -> Option<usize> {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    if scene.controls.is_empty() {
        return None;
    }
    let trail = |path: &str| path::trail(kinds, scene, path).ok();
    let own = trail(path);
    let is_same = |control: &Control| {
        let leaf = control.leaf(kinds, scene).ok();
        leaf.is_some_and(|leaf| leaf.path == path || (own.is_some() && trail(&leaf.path) == own))
    };
    scene.controls.iter().position(is_same)
}

/// Returns the label of a new control.
fn label_of(lab: &Lab, path: &str) -> String {
    let groups = &lab.run.host.simulation().scene_ahead().groups;
    let steps: Vec<&str> = path.split('.').collect();
    match steps.as_slice() {
        ["groups", group, rest @ ..] => {
            let by_place = group.parse::<usize>().ok().and_then(|place| groups.get(place));
            let name = by_place.map_or(*group, |group| group.name.as_str());
            label(&rest.join("."), Some(name).filter(|_| groups.len() > 1))
        }
        steps => capital(&parameter_name(steps)),
    }
}

/// Returns the edits that make a control of a parameter. A scene without controls also gets those that the panel shows
/// for it, so that none of them vanishes.
pub fn making_control(lab: &Lab, path: &str) -> Vec<Edit> {
    let simulation = lab.run.host.simulation();
    let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
    let new = Control { of: path.into(), label: label_of(lab, path), ..Control::default() };
    let shown: Vec<Control> = match scene.controls.is_empty() {
        false => Vec::new(),
        true if scene.constants.is_empty() => suggested(lab),
        true => scene.constants.iter().map(|it| Control { of: it.name.clone(), ..Control::default() }).collect(),
    };
    let trail = |path: &str| path::trail(kinds, scene, path).ok();
    let others = shown
        .into_iter()
        .filter(|control| control.of != path && trail(&control.of).is_none_or(|of| Some(of) != trail(path)));
    let all = others.take(MOST - 1).chain([new]);
    all.map(|control| Edit::Add { list: "controls".into(), value: write(kinds, &control, Style::Short) }).collect()
}

/// Returns the label of a parameter of a group: `Detected turn` for `controller.detected.turn_rad_per_s`. It starts
/// with the name of the group if one is given.
fn label(path: &str, group: Option<&str>) -> String {
    let text = parameter_name(&path.split('.').collect::<Vec<_>>());
    group.map_or_else(|| text.clone(), |group| format!("{group}: {}", text.to_lowercase()))
}

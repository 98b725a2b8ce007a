//! Controls: the few most relevant parameters of a scene, shown first.

use swarmarium_core::text::wording::parameter_name;
use swarmarium_lab_state::app::Lab;
use swarmarium_scene::scene::controls::{Control, MOST};
use swarmarium_scene::scene::path;

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

/// Returns the label of a parameter of a group: `Detected turn` for `controller.detected.turn_rad_per_s`. It starts
/// with the name of the group if one is given.
fn label(path: &str, group: Option<&str>) -> String {
    let text = parameter_name(&path.split('.').collect::<Vec<_>>());
    group.map_or_else(|| text.clone(), |group| format!("{group}: {}", text.to_lowercase()))
}

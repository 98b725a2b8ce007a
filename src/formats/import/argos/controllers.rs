//! The controllers of an experiment.

use std::collections::BTreeSet;

use roxmltree::Node;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::kind::Slot;
use swarmarium_core::text::wording::{join, shown};
use swarmarium_scene::scene::reader as scene_reader;
use swarmarium_scene::scene::writer::{Style, write};

use super::reader::Reader;

/// The controllers of an experiment, in the order of the file.
pub type Controllers<'d> = Vec<Controller<'d>>;

/// The element of controllers in Lua.
const LUA: &str = "lua_controller";

/// A controller.
#[derive(Clone, Copy, Debug)]
pub struct Controller<'d> {
    /// Its id.
    pub id: &'d str,
    /// Its element.
    pub node: Node<'d, 'd>,
    /// Its `<actuators>`.
    pub actuators: Option<Node<'d, 'd>>,
    /// Its `<sensors>`.
    pub sensors: Option<Node<'d, 'd>>,
    /// Its `<params>`.
    pub params: Option<Node<'d, 'd>>,
}

impl Controller<'_> {
    /// Whether it is a script in Lua.
    pub fn is_lua(&self) -> bool {
        self.node.has_tag_name(LUA)
    }
}

/// Reads `<controllers>`. Their parameters are kept as notes.
pub fn read<'d>(reader: &mut Reader, node: Node<'d, 'd>) -> Controllers<'d> {
    let (mut all, mut ids) = (Controllers::new(), BTreeSet::new());
    for child in node.children().filter(Node::is_element) {
        let tag = shown(child.tag_name().name());
        let path = format!("controllers.{tag}");
        reader.check(child, &path, &["id", "library"], &["actuators", "sensors", "params"]);
        let Some(id) = child.attribute("id") else {
            reader.left_out(child, &path, "it has no `id`, by which robots refer to it");
            continue;
        };
        if !ids.insert(id) {
            reader.left_out(child, &path, &format!("the id `{}` is in use", shown(id)));
            continue;
        }
        let [actuators, sensors, params] =
            ["actuators", "sensors", "params"].map(|part| reader.child(child, &path, part));
        reader.keep(&format!("argos.controller.{id}"), child);
        all.push(Controller { id, node: child, actuators, sensors, params });
    }
    let unused = |chosen: &&crate::import::ControllerChoice| !ids.contains(chosen.id.as_str());
    for chosen in reader.options.controllers.iter().filter(unused) {
        let known: Vec<&str> = ids.iter().copied().collect();
        let hint = match did_you_mean(&chosen.id, known.iter().copied()) {
            hint if hint.is_empty() && !known.is_empty() => format!(": expected {}", join(&known, "or")),
            hint => hint,
        };
        let message = format!("`--controller {}=…`: no controller has this id{hint}", shown(&chosen.id));
        reader.report.problem(node.range().start, "controllers", message);
    }
    all
}

/// The controller that the options choose for robots with an id, as a text of a scene.
pub fn chosen(reader: &mut Reader, controller: &Controller) -> Option<String> {
    let options = reader.options;
    let chosen = options.controllers.iter().rev().find(|chosen| chosen.id == controller.id)?;
    let name = reader.folder.join("scene.ron");
    match scene_reader::read::<Slot<ControllerFamily>>(reader.kinds, &name.to_string_lossy(), &chosen.controller) {
        Ok(slot) => Some(write(reader.kinds, &slot, Style::Short)),
        Err(problems) => {
            let reasons: Vec<String> = problems.problems.into_iter().map(|problem| problem.message).collect();
            let message = format!("`--controller {}=…`: {}", shown(&chosen.id), reasons.join("; "));
            reader.report.problem(controller.node.range().start, "controllers", message);
            None
        }
    }
}

/// Warns that robots wait for a program.
pub fn warn_external(reader: &mut Reader, controller: &Controller, reason: &str) {
    let (id, tag) = (shown(controller.id), shown(controller.node.tag_name().name()));
    let message = format!(
        "the controller `{id}` (`{tag}`) {reason}: its robots have the controller `External`, and stand until a program \
         drives them; `--controller {id}=…` chooses another one, and its parameters are kept in `metadata`"
    );
    reader.warn(controller.node, &format!("controllers.{tag}"), message);
}

//! Reads elements and attributes, and reports everything that is left out.

use std::path::{Path, PathBuf};

use bevy::math::{DVec2, DVec3};
use bevy::reflect::{Reflect, Typed};
use roxmltree::Node;
use swarmarium_base::limits::MAX_GROUPS;
use swarmarium_base::names::Names;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::kind::Kinds;
use swarmarium_core::service::note::Note;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::{Group, Scene};
use swarmarium_scene::scene::reader;
use swarmarium_scene::scene::writer::{Style, write};

use super::text;
use crate::import::Options;
use crate::import::report::Report;

/// The longest note that a scene keeps of an element (bytes).
const MAX_NOTE: usize = 20_000;
/// The most places that all distributions together list.
const MAX_LISTED: usize = 100_000;

/// Builds a scene, and reports what it does not express.
pub struct Reader<'a> {
    /// The kinds that the scene can have.
    pub kinds: &'a Kinds,
    /// The options of the import.
    pub options: &'a Options,
    /// The folder of the file.
    pub folder: &'a Path,
    /// The text of the file.
    pub text: &'a str,
    /// The warnings.
    pub report: &'a mut Report,
    /// The scene.
    pub scene: Scene,
    /// The height (m) of the lights above the floor.
    pub light_height_m: f64,
    /// The files that the experiment includes.
    pub included: Vec<PathBuf>,
    /// The names of groups and of groups of objects.
    names: Names,
    /// The number of places that distributions can still list.
    places_left: usize,
}

impl<'a> Reader<'a> {
    /// A reader of a file in a folder.
    pub fn new(
        kinds: &'a Kinds,
        options: &'a Options,
        folder: &'a Path,
        text: &'a str,
        report: &'a mut Report,
    ) -> Self {
        let (scene, included, names) = (Scene::default(), Vec::new(), Names::default());
        let places_left = MAX_LISTED;
        Self { kinds, options, folder, text, report, scene, light_height_m: 0.0, included, names, places_left }
    }

    /// The scene, and the files that the experiment includes.
    pub fn finish(self) -> (Scene, Vec<PathBuf>) {
        (self.scene, self.included)
    }

    /// Notes a warning about an element.
    pub fn warn(&mut self, node: Node, path: &str, message: impl Into<String>) {
        self.report.warning(node.range().start, path, message);
    }

    /// Notes that an element is left out, with the reason.
    pub fn left_out(&mut self, node: Node, path: &str, reason: &str) {
        self.warn(node, path, format!("`<{}>` is left out: {reason}", shown(node.tag_name().name())));
    }

    /// Notes that an element is left out because it is not known.
    pub fn unknown_element(&mut self, node: Node, path: &str, known: &[&str]) {
        let near = did_you_mean(node.tag_name().name(), known.iter().copied());
        let reason = if near.is_empty() { "it has no counterpart".into() } else { format!("it is unknown{near}") };
        self.left_out(node, path, &reason);
    }

    /// Notes an attribute that is left out, with the reason.
    pub fn attribute_left_out(&mut self, node: Node, path: &str, name: &str, reason: &str) {
        if let Some(found) = node.attribute_node(name) {
            self.report.warning(found.range().start, path, format!("`{name}` is left out: {reason}"));
        }
    }

    /// Notes all attributes of an element that are not known.
    pub fn check_attributes(&mut self, node: Node, path: &str, attributes: &[&str]) {
        for found in node.attributes().filter(|found| !attributes.contains(&found.name())) {
            let name = found.name();
            let near = did_you_mean(name, attributes.iter().copied());
            let reason = if near.is_empty() { ": it has no counterpart" } else { &near };
            self.report.warning(found.range().start, path, format!("`{}` is left out{reason}", shown(name)));
        }
    }

    /// Notes all attributes and elements within an element that are not known.
    pub fn check(&mut self, node: Node, path: &str, attributes: &[&str], elements: &[&str]) {
        self.check_attributes(node, path, attributes);
        for child in node.children().filter(Node::is_element) {
            if !elements.contains(&child.tag_name().name()) {
                self.unknown_element(child, path, elements);
            }
        }
    }

    /// The first element within an element with a tag. Others are left out.
    pub fn child<'n, 'i>(&mut self, node: Node<'n, 'i>, path: &str, tag: &str) -> Option<Node<'n, 'i>> {
        let mut all = node.children().filter(|child| child.has_tag_name(tag));
        let first = all.next();
        for other in all {
            self.left_out(other, path, "only the first element of a name counts");
        }
        first
    }

    /// The value of an attribute; `None` if it is absent, and with a warning if it has another form.
    fn value<'n, T>(
        &mut self,
        node: Node<'n, '_>,
        path: &str,
        name: &str,
        (read, expected): (fn(&'n str) -> Option<T>, &str),
    ) -> Option<T> {
        let found = node.attribute_node(name)?;
        // The text of the attribute lives as long as the document.
        let text = node.attribute(name)?;
        let value = read(text);
        if value.is_none() {
            let message = format!("expected {expected}, found `{}`: it is left out", shown(text));
            self.report.warning(found.range().start, &format!("{path}.{name}"), message);
        }
        value
    }

    /// A number in an attribute.
    pub fn number(&mut self, node: Node, path: &str, name: &str) -> Option<f64> {
        self.value(node, path, name, (text::number, "a number"))
    }

    /// A whole number in an attribute.
    pub fn whole(&mut self, node: Node, path: &str, name: &str) -> Option<u32> {
        self.value(node, path, name, (|text| text.trim().parse().ok(), "a whole number"))
    }

    /// Three numbers in an attribute.
    pub fn vector(&mut self, node: Node, path: &str, name: &str) -> Option<DVec3> {
        if let Some(found) = node.attribute_node(name).filter(|found| text::has_gap(found.value())) {
            let message = format!("a number is missing in `{}`: it is 0 here", shown(found.value()));
            self.report.warning(found.range().start, &format!("{path}.{name}"), message);
        }
        self.value(node, path, name, (text::vector, "three numbers such as `1,2,0`"))
    }

    /// A truth value in an attribute.
    pub fn flag(&mut self, node: Node, path: &str, name: &str) -> Option<bool> {
        self.value(node, path, name, (text::flag, "true or false"))
    }

    /// The heading (rad) of an orientation "z,y,x" in degrees. Other rotations are left out.
    pub fn heading(&mut self, node: Node, path: &str, name: &str) -> f64 {
        let Some(degrees) = self.vector(node, path, name) else { return 0.0 };
        if degrees.y.rem_euclid(360.0) != 0.0 || degrees.z.rem_euclid(360.0) != 0.0 {
            self.warn(node, path, "of an orientation, only the rotation about z counts");
        }
        degrees.x.to_radians()
    }

    /// Reads a text of a scene; a text that is not valid is a warning, and its element is left out.
    pub fn scene_part<T: Reflect + Typed>(&mut self, node: Node, path: &str, text: &str) -> Option<T> {
        match reader::read::<T>(self.kinds, "", text) {
            Ok(part) => Some(part),
            Err(problems) => {
                let reasons: Vec<String> = problems.problems.into_iter().map(|problem| problem.message).collect();
                self.left_out(node, path, &reasons.join("; "));
                None
            }
        }
    }

    /// Whether the scene has room for another group of robots; a warning if it has none.
    pub fn has_room(&mut self, node: Node, path: &str) -> bool {
        let has_room = self.scene.groups.len() < MAX_GROUPS;
        if !has_room {
            self.left_out(node, path, &format!("a scene has at most {MAX_GROUPS} groups of robots"));
        }
        has_room
    }

    /// Adds a group of robots with a unique name.
    pub fn add_group(&mut self, mut group: Group) {
        group.name = self.unique(&group.name);
        self.scene.groups.push(group);
    }

    /// The number of places, up to a wanted one, that a distribution can list; a warning about those that are left out.
    pub fn take_places(&mut self, node: Node, path: &str, wanted: usize) -> usize {
        let taken = wanted.min(self.places_left);
        self.places_left -= taken;
        if taken < wanted {
            let message =
                format!("all distributions together list at most {MAX_LISTED} places: the others are left out");
            self.warn(node, path, message);
        }
        taken
    }

    /// A name that no other group has.
    pub fn unique(&mut self, name: &str) -> String {
        // Robots of a group `fb` are called `fb-0`, `fb-1` and so on.
        self.names.unique(name, '_')
    }

    /// Keeps the text of an element as a note of the scene.
    pub fn keep(&mut self, name: &str, node: Node) {
        let text = self.text.get(node.range()).unwrap_or_default();
        let end = (0..=text.len().min(MAX_NOTE)).rev().find(|end| text.is_char_boundary(*end)).unwrap_or_default();
        self.scene.metadata.push(Note { name: name.to_owned(), text: text[..end].to_owned() });
    }

    /// A text in a scene.
    pub fn quoted(&self, text: &str) -> String {
        write(self.kinds, &text.to_owned(), Style::Short)
    }
}

/// A point in a scene.
pub fn point(at: DVec2) -> String {
    format!("({:?}, {:?})", at.x, at.y)
}

//! Worlds from XML, by the strict rules of pySimiam's last parser or the lenient rules of its first parser.

use bevy::math::DVec2;
use roxmltree::{Attribute, Node};
use serde_json::{Map, Value};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::text::wording::{shown, suggestion};

use super::color::Color;
use super::world::{Class, Outline, Robot, World};
use crate::import::report::Report;

/// The attributes and elements that an element can have.
struct Rules {
    required: &'static [&'static str],
    optional: &'static [&'static str],
    children: &'static [Child],
}

/// An element within another.
struct Child {
    tag: &'static str,
    occurrence: Occurrence,
    /// `None` for an element with any content.
    rules: Option<&'static Rules>,
}

/// The number of times that an element can occur.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Occurrence {
    Any,
    One,
    AtLeast(usize),
}

impl Child {
    const fn any(tag: &'static str, rules: &'static Rules) -> Self {
        Self { tag, occurrence: Occurrence::Any, rules: Some(rules) }
    }

    const fn one(tag: &'static str, rules: &'static Rules) -> Self {
        Self { tag, occurrence: Occurrence::One, rules: Some(rules) }
    }

    const fn at_least(least: usize, tag: &'static str, rules: &'static Rules) -> Self {
        Self { tag, occurrence: Occurrence::AtLeast(least), rules: Some(rules) }
    }

    /// Elements without effect, with any content.
    const fn without_effect(tag: &'static str) -> Self {
        Self { tag, occurrence: Occurrence::Any, rules: None }
    }
}

const SIMULATION: Rules = Rules {
    required: &[],
    optional: &[],
    children: &[
        // The element of Sim.I.Am has no effect.
        Child::any("app", &Rules { required: &[], optional: &["type"], children: &[] }),
        Child::at_least(1, "robot", &ROBOT),
        Child::any("obstacle", &OUTLINE),
        Child::any("marker", &OUTLINE),
    ],
};
const ROBOT: Rules = Rules {
    required: &["type"],
    optional: &["color", "options"],
    children: &[
        Child::one("supervisor", &SUPERVISOR),
        Child::one("pose", &POSE),
        // The connection to a real robot in Sim.I.Am.
        Child::without_effect("driver"),
    ],
};
const SUPERVISOR: Rules = Rules { required: &["type"], optional: &["options"], children: &[] };
const POSE: Rules = Rules { required: &["x", "y", "theta"], optional: &[], children: &[] };
const OUTLINE: Rules = Rules {
    required: &[],
    optional: &["color"],
    children: &[Child::one("pose", &POSE), Child::one("geometry", &GEOMETRY)],
};
const GEOMETRY: Rules = Rules { required: &[], optional: &[], children: &[Child::at_least(3, "point", &POINT)] };
const POINT: Rules = Rules { required: &["x", "y"], optional: &[], children: &[] };

/// Reads a document as a world. The result is valid only if the report has no problem.
///
/// With `lenient`, violations of the strict rules that pySimiam's first parser ignored are warnings.
pub fn world(root: Node, lenient: bool, report: &mut Report) -> World {
    let mut reader = Reader { lenient, report };
    if !has_tag(root, "simulation") {
        reader.note_strict(root.range().start, "", format!("expected `<simulation>`, found {}", shown_tag(root)));
        if !lenient {
            return World::default();
        }
    }
    reader.check(root, &SIMULATION, "");
    let all = |tag| children(root, tag).enumerate().map(move |(number, child)| (child, format!("{tag}[{number}]")));
    World {
        robots: all("robot").map(|(node, path)| reader.robot(node, &path)).collect(),
        obstacles: all("obstacle").map(|(node, path)| reader.outline(node, &path)).collect(),
        markers: all("marker").map(|(node, path)| reader.outline(node, &path)).collect(),
    }
}

/// Whether a node is an element with a tag and without a namespace.
fn has_tag(node: Node, tag: &str) -> bool {
    node.is_element() && node.tag_name().name() == tag && node.tag_name().namespace().is_none()
}

/// The name of an element for messages.
fn shown_tag(node: Node) -> String {
    let foreign = if node.tag_name().namespace().is_some() { " of another namespace" } else { "" };
    format!("`<{}>`{foreign}", shown(node.tag_name().name()))
}

/// The child elements with a tag, in the order of the text.
fn children<'a, 'i>(node: Node<'a, 'i>, tag: &'static str) -> impl Iterator<Item = Node<'a, 'i>> {
    node.children().filter(move |child| has_tag(*child, tag))
}

struct Reader<'r> {
    lenient: bool,
    report: &'r mut Report,
}

impl Reader<'_> {
    /// Notes a violation of a rule that is only in the strict rules.
    fn note_strict(&mut self, at: usize, path: &str, message: String) {
        match self.lenient {
            true => self.report.warning(at, path, format!("{message}: ignored")),
            false => self.report.problem(at, path, format!("{message}; --lenient ignores it")),
        }
    }

    /// Checks an element and those within it against the rules.
    fn check(&mut self, node: Node, rules: &Rules, path: &str) {
        let (at, tag) = (node.range().start, node.tag_name().name());
        self.check_attributes(node, rules, path);
        let text =
            node.children().find(|child| child.is_text() && child.text().is_some_and(|text| !text.trim().is_empty()));
        if let Some(text) = text {
            self.note_strict(text.range().start, path, format!("there is text in `<{tag}>`"));
        }
        let mut counts = vec![0; rules.children.len()];
        for child in node.children().filter(Node::is_element) {
            let (name, at) = (child.tag_name().name(), child.range().start);
            let Some(place) = rules.children.iter().position(|known| has_tag(child, known.tag)) else {
                let known: Vec<&str> = rules.children.iter().map(|known| known.tag).collect();
                let message = format!("unknown element {} in `<{tag}>`{}", shown_tag(child), suggestion(name, &known));
                self.note_strict(at, path, message);
                continue;
            };
            let known = &rules.children[place];
            counts[place] += 1;
            if known.occurrence == Occurrence::One && counts[place] > 1 {
                self.note_strict(at, path, format!("more than one `<{name}>` in `<{tag}>`"));
                continue;
            }
            let dot = if path.is_empty() { "" } else { "." };
            let path = match known.occurrence {
                Occurrence::One => format!("{path}{dot}{name}"),
                Occurrence::Any | Occurrence::AtLeast(_) => format!("{path}{dot}{name}[{}]", counts[place] - 1),
            };
            if let Some(rules) = known.rules {
                self.check(child, rules, &path);
            }
        }
        for (known, count) in rules.children.iter().zip(counts) {
            match known.occurrence {
                Occurrence::One if count == 0 => {
                    self.report.problem(at, path, format!("`<{tag}>` has no `<{}>`", known.tag));
                }
                // The conversion into a scene warns of a world without robots.
                Occurrence::AtLeast(1) if self.lenient => {}
                Occurrence::AtLeast(1) if count == 0 => {
                    self.note_strict(at, path, format!("`<{tag}>` has no `<{}>`", known.tag));
                }
                Occurrence::AtLeast(least) if count < least => {
                    let message = format!("expected at least {least} `<{}>` in `<{tag}>`, found {count}", known.tag);
                    self.report.problem(at, path, message);
                }
                _ => {}
            }
        }
    }

    fn check_attributes(&mut self, node: Node, rules: &Rules, path: &str) {
        let (at, tag) = (node.range().start, node.tag_name().name());
        let known: Vec<&str> = rules.required.iter().chain(rules.optional).copied().collect();
        let is_known = |found: &Attribute| found.namespace().is_none() && known.contains(&found.name());
        for found in node.attributes().filter(|found| !is_known(found)) {
            let name = found.name();
            let message = format!("unknown attribute `{}` of `<{tag}>`{}", shown(name), suggestion(name, &known));
            self.note_strict(found.range().start, path, message);
        }
        let declared = |node: Node| node.namespaces().filter(|space| space.name() != Some("xml")).count();
        if declared(node) > node.parent_element().map_or(0, declared) {
            self.note_strict(at, path, format!("unknown attribute `xmlns` of `<{tag}>`"));
        }
        for missing in rules.required.iter().filter(|name| node.attribute(**name).is_none()) {
            // The conversion into a scene refuses a robot without a class.
            if !(self.lenient && tag == "robot") {
                self.report.problem(at, path, format!("`<{tag}>` has no attribute `{missing}`"));
            }
        }
    }

    fn robot(&mut self, node: Node, path: &str) -> Robot {
        let supervisor = children(node, "supervisor").next();
        Robot {
            class: self.class(node, path),
            supervisor: supervisor.map(|node| self.class(node, &format!("{path}.supervisor"))).unwrap_or_default(),
            pose: self.pose(node, path),
            color: self.color(node, path),
            at: node.range().start,
        }
    }

    fn outline(&mut self, node: Node, path: &str) -> Outline {
        let geometry = children(node, "geometry").next();
        let points = geometry.iter().flat_map(|geometry| children(*geometry, "point")).enumerate();
        let points = points.map(|(number, point)| {
            let path = format!("{path}.geometry.point[{number}]");
            DVec2::new(self.number(point, "x", &path), self.number(point, "y", &path))
        });
        Outline {
            points: points.collect(),
            pose: self.pose(node, path),
            color: self.color(node, path),
            at: node.range().start,
        }
    }

    fn pose(&mut self, parent: Node, path: &str) -> Placement {
        let Some(node) = children(parent, "pose").next() else { return Placement::default() };
        let path = format!("{path}.pose");
        let mut number = |name| self.number(node, name, &path);
        Placement { x_m: number("x"), y_m: number("y"), heading_rad: number("theta") }
    }

    /// A number as Python's `float` reads it. A missing attribute has been noted already.
    fn number(&mut self, node: Node, name: &str, path: &str) -> f64 {
        let Some(found) = node.attribute_node(name) else { return 0.0 };
        let max = if name == "theta" { f64::MAX } else { MAX_LENGTH_M };
        match found.value().trim().parse::<f64>() {
            Ok(number) if number.abs() <= max => number,
            _ => {
                let range = if name == "theta" { String::new() } else { format!(" from -{max} to {max}") };
                let message = format!("expected a number{range}, found `{}`", shown(found.value()));
                self.report.problem(found.range().start, &format!("{path}.{name}"), message);
                0.0
            }
        }
    }

    fn color(&mut self, node: Node, path: &str) -> Option<Color> {
        let found = node.attribute_node("color")?;
        let (at, path) = (found.range().start, format!("{path}.color"));
        match Color::read(found.value()) {
            Ok((color, note)) => {
                if let Some(note) = note {
                    self.report.warning(at, &path, note);
                }
                Some(color)
            }
            Err(error) => {
                self.report.problem(at, &path, error.to_string());
                None
            }
        }
    }

    fn class(&mut self, node: Node, path: &str) -> Class {
        let name = node.attribute_node("type");
        let at = name.map_or(node.range().start, |name| name.range().start);
        Class { name: name.map(|name| name.value().to_owned()), options: self.options(node, path), at }
    }

    /// Options are a map in JSON.
    fn options(&mut self, node: Node, path: &str) -> Option<Map<String, Value>> {
        let found = node.attribute_node("options")?;
        match serde_json::from_str(found.value()) {
            Ok(options) => return Some(options),
            Err(error) => {
                let message =
                    format!("expected options such as `{{\"x\": 1}}`, found `{}`: {error}", shown(found.value()));
                self.note_strict(found.range().start, &format!("{path}.options"), message);
            }
        }
        None
    }
}

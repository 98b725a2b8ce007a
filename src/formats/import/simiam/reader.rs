//! Worlds from XML, by the strict rules of pySimiam's last parser or the lenient rules of its first parser.
//!
//! Settings of Sim.I.am, the simulator in MATLAB, have the same elements and some more. Sim.I.am ignores the elements and
//! attributes that it does not know, and so does this reader in such a file, with warnings.

use bevy::math::DVec2;
use roxmltree::{Attribute, Node};
use serde_json::{Map, Value};
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::problem::did_you_mean;
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

impl Rules {
    /// Whether these are the rules of a document.
    fn is_simulation(&self) -> bool {
        self.children.iter().any(|child| child.tag == "robot")
    }
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
        // The element of Sim.I.am has no effect.
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
        // The connections to a real robot and to cameras in Sim.I.am.
        Child::without_effect("driver"),
        Child::without_effect("optitrack"),
    ],
};
const SUPERVISOR: Rules = Rules { required: &["type"], optional: &["options", GOAL[0], GOAL[1]], children: &[] };
const POSE: Rules = Rules { required: &["x", "y", "theta"], optional: &[], children: &[] };
const OUTLINE: Rules = Rules {
    required: &[],
    optional: &["color"],
    children: &[Child::one("pose", &POSE), Child::one("geometry", &GEOMETRY)],
};
const GEOMETRY: Rules = Rules { required: &[], optional: &[], children: &[Child::at_least(3, "point", &POINT)] };
const POINT: Rules = Rules { required: &["x", "y"], optional: &[], children: &[] };

/// The attributes of a supervisor with its goal, which some versions of Sim.I.am have.
const GOAL: [&str; 2] = ["goalX", "goalY"];
/// The elements of robots that only settings of Sim.I.am have.
const OF_SIM_I_AM: [&str; 2] = ["driver", "optitrack"];
/// The goals of the supervisors of Sim.I.am, by class. The goal is part of the class, and differs between the tasks of its
/// course: that of `QBSupervisor` is the one of the pySimiam class for the same task.
const GOALS_OF_SIM_I_AM: [(&str, DVec2); 2] =
    [(ONLY_OF_SIM_I_AM, DVec2::new(1.0, 1.0)), (ALSO_OF_SIM_I_AM, DVec2::new(-1.0, 1.0))];
/// The supervisor that only Sim.I.am has.
pub const ONLY_OF_SIM_I_AM: &str = "QBSupervisor";
/// The supervisor of Sim.I.am that pySimiam has, too, with another goal.
pub const ALSO_OF_SIM_I_AM: &str = "K3Supervisor";

/// Reads a document as a world. The result is valid only if the report has no problem.
///
/// With `lenient`, violations of the strict rules that pySimiam's first parser ignored are warnings.
pub fn world(root: Node, lenient: bool, report: &mut Report) -> World {
    let is_only_of_matlab = is_only_of_matlab(root);
    let is_of_matlab = is_only_of_matlab || children(root, "app").next().is_some();
    let mut reader = Reader { lenient, is_of_matlab, is_only_of_matlab, report };
    if !has_tag(root, "simulation") {
        reader.note_strict(root.range().start, "", format!("expected `<simulation>`, found {}", shown_tag(root)));
        if !lenient {
            return World::default();
        }
    }
    reader.check(root, &SIMULATION, "");
    let all = |tag| children(root, tag).enumerate().map(move |(number, child)| (child, format!("{tag}[{number}]")));
    let mut world = World {
        robots: all("robot").map(|(node, path)| reader.robot(node, &path)).collect(),
        obstacles: all("obstacle").map(|(node, path)| reader.outline(node, &path)).collect(),
        markers: all("marker").map(|(node, path)| reader.outline(node, &path)).collect(),
    };
    for node in root.children().filter(|node| is_unknown_object(*node)) {
        let outlines = if is_like_obstacle(node) { &mut world.obstacles } else { &mut world.markers };
        let path = format!("{}[{}]", if is_like_obstacle(node) { "obstacle" } else { "marker" }, outlines.len());
        outlines.push(reader.outline(node, &path));
    }
    world
}

/// Whether a document has parts that only settings of Sim.I.am have.
fn is_only_of_matlab(root: Node) -> bool {
    children(root, "robot").any(|robot| {
        let has_part = OF_SIM_I_AM.iter().any(|tag| children(robot, tag).next().is_some());
        let is_supervisor = |supervisor: Node| {
            let class = supervisor.attribute("type").and_then(|name| name.rsplit('.').next());
            class == Some(ONLY_OF_SIM_I_AM)
        };
        has_part || children(robot, "supervisor").any(is_supervisor)
    })
}

/// Whether a node is an element of `<simulation>` with another tag than those of objects, and with the place and the outline
/// of an object.
fn is_unknown_object(node: Node) -> bool {
    let is_known = || SIMULATION.children.iter().any(|known| has_tag(node, known.tag));
    let has = |tag| children(node, tag).next();
    node.is_element()
        && node.tag_name().namespace().is_none()
        && !is_known()
        && has("pose").is_some()
        && has("geometry").is_some_and(|geometry| children(geometry, "point").count() >= 3)
}

/// Whether the tag of an unknown object says that robots bump into it.
fn is_like_obstacle(node: Node) -> bool {
    let tag = node.tag_name().name().to_lowercase();
    ["obst", "wall", "box", "block", "barrier"].iter().any(|word| tag.contains(word))
        || !did_you_mean(&tag, ["obstacle"]).is_empty()
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
    /// Whether the document is read as settings of Sim.I.am. pySimiam worlds can have its element `<app>`, too.
    is_of_matlab: bool,
    /// Whether the document has parts that only settings of Sim.I.am have.
    is_only_of_matlab: bool,
    report: &'r mut Report,
}

impl Reader<'_> {
    /// Notes a violation of a rule that is only in the strict rules.
    fn note_strict(&mut self, at: usize, path: &str, message: String) {
        match self.lenient || self.is_of_matlab {
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
                if rules.is_simulation() && is_unknown_object(child) {
                    self.check_unknown_object(child, &known);
                    continue;
                }
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
                Occurrence::AtLeast(1) if self.lenient || self.is_of_matlab => {}
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

    /// Reports an unknown object, and a stand-in for it.
    fn check_unknown_object(&mut self, node: Node, known: &[&str]) {
        let stand_in = match is_like_obstacle(node) {
            true => "read as an `<obstacle>`, which stands",
            false => "read as a `<marker>`, which robots neither touch nor sense",
        };
        let left: Vec<String> = node
            .children()
            .filter(|child| child.is_element() && !["pose", "geometry"].iter().any(|tag| has_tag(*child, tag)))
            .map(shown_tag)
            .collect();
        let left = match left.is_empty() {
            true => String::new(),
            false => format!("; {} in it is left out", left.join(", ")),
        };
        let (tag, hint) = (shown_tag(node), did_you_mean(node.tag_name().name(), known.iter().copied()));
        let message = format!("unknown element {tag} in `<simulation>`{hint}: {stand_in}{left}");
        self.report.warning(node.range().start, "", message);
        for tag in ["pose", "geometry"] {
            let rules = if tag == "pose" { &POSE } else { &GEOMETRY };
            children(node, tag).take(1).for_each(|child| self.check(child, rules, tag));
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
            goal_m: supervisor.and_then(|node| self.goal(node, &format!("{path}.supervisor"))),
            class: self.class(node, path),
            supervisor: supervisor.map(|node| self.class(node, &format!("{path}.supervisor"))).unwrap_or_default(),
            pose: self.pose(node, path),
            color: self.color(node, path),
            at: node.range().start,
        }
    }

    /// The goal of a supervisor, if its attributes state one or it is a supervisor of Sim.I.am.
    fn goal(&mut self, node: Node, path: &str) -> Option<DVec2> {
        if GOAL.iter().any(|name| node.attribute(*name).is_some()) {
            let [x, y] = GOAL.map(|name| self.number(node, name, path));
            return Some(DVec2::new(x, y));
        }
        let class = node.attribute("type")?.rsplit('.').next()?;
        let (_, goal_m) = GOALS_OF_SIM_I_AM.iter().find(|(known, _)| *known == class)?;
        let options = node.attribute("options").and_then(|text| serde_json::from_str::<Map<String, Value>>(text).ok());
        let is_optional = options.is_some_and(|options| options.contains_key("x"));
        if !self.is_only_of_matlab || is_optional {
            return None;
        }
        let message = format!(
            "the goal of a supervisor of Sim.I.am is in its class, which the file does not contain: ({}, {}) is taken; \
             `goalX` and `goalY` of the supervisor choose another",
            goal_m.x, goal_m.y
        );
        let at = node.attribute_node("type").map_or(node.range().start, |name| name.range().start);
        self.report.warning(at, path, message);
        Some(*goal_m)
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

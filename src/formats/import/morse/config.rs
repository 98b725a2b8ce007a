//! The five dictionaries of a MORSE configuration, as data.

use std::collections::BTreeMap;

use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::service::Value;

use super::literal::{self, Literal, Node};
use super::pretty::pretty;
use crate::import::report::Report;

/// The names of the dictionaries, in the order in which they are written.
pub const NAMES: [&str; 5] =
    ["component_datastream", "component_modifier", "component_service", "overlays", "stream_manager"];

/// The most streams, modifiers, services and overlays of a configuration.
const MAX_ENTRIES: usize = 10_000;

/// The byte offsets at which components and managers are named first.
pub type Offsets = BTreeMap<String, usize>;

/// Extra arguments by name.
pub type Options = BTreeMap<String, Literal>;

/// The direction of data, as seen from MORSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into an actuator.
    In,
    /// Out of a sensor.
    Out,
}

impl Direction {
    fn from_node(node: &Node) -> Option<Self> {
        match &node.literal {
            Literal::Leaf(Value::Text(text)) if text == "IN" => Some(Self::In),
            Literal::Leaf(Value::Text(text)) if text == "OUT" => Some(Self::Out),
            _ => None,
        }
    }

    fn literal(self) -> Literal {
        Literal::from(if self == Self::In { "IN" } else { "OUT" })
    }
}

/// A data stream of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The class of its manager.
    pub manager: String,
    /// Its class.
    pub class: String,
    /// The direction of data, if it is stated.
    pub direction: Option<Direction>,
    /// Extra arguments.
    pub options: Options,
}

/// A modifier of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Modifier {
    /// Its class.
    pub class: String,
    /// The direction of data, if it is stated.
    pub direction: Option<Direction>,
    /// Extra arguments.
    pub options: Options,
}

/// Services of a component under other names.
#[derive(Clone, Debug, PartialEq)]
pub struct Overlay {
    /// Its class.
    pub class: String,
    /// Extra arguments.
    pub options: Options,
}

/// The content of a configuration. A direction that is left out follows from the component.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Config {
    /// The streams of each component.
    pub streams: BTreeMap<String, Vec<Stream>>,
    /// The modifiers of each component, in the order in which they are applied.
    pub modifiers: BTreeMap<String, Vec<Modifier>>,
    /// The classes of the managers that serve each component.
    pub services: BTreeMap<String, Vec<String>>,
    /// The overlays of each manager by component.
    pub overlays: BTreeMap<String, BTreeMap<String, Overlay>>,
    /// Arguments of each manager of streams.
    pub managers: BTreeMap<String, Options>,
}

impl Config {
    /// Reads the text of a configuration. Problems with its content go into the report.
    ///
    /// # Errors
    /// When the text is not a sequence of assignments of literals.
    pub fn read(text: &str, report: &mut Report) -> Result<(Self, Offsets), Problem> {
        let (mut config, mut offsets) = (Self::default(), Offsets::new());
        let (mut seen, mut unknown) = (Vec::new(), Vec::new());
        for assignment in literal::assignments(text)? {
            note_offsets(&assignment.value, &mut offsets);
            if seen.contains(&assignment.name) {
                report.problem(assignment.at, &assignment.name, "is assigned twice");
            }
            let path = assignment.name.as_str();
            match path {
                "component_datastream" => config.streams = by_component(&assignment.value, path, report, streams),
                "component_modifier" => config.modifiers = by_component(&assignment.value, path, report, modifiers),
                "component_service" => config.services = by_component(&assignment.value, path, report, services),
                "overlays" => {
                    config.overlays = by_component(&assignment.value, path, report, |value, path, report| {
                        Some(by_component(value, path, report, overlay))
                    });
                }
                "stream_manager" => config.managers = by_component(&assignment.value, path, report, options),
                _ => unknown.push((assignment.at, assignment.name.clone())),
            }
            seen.push(assignment.name);
        }
        // The rest of a configuration stands without another dictionary; a file of other names only is not a configuration.
        let has_known = seen.iter().any(|name: &String| NAMES.contains(&name.as_str()));
        for (at, name) in unknown {
            let (hint, names) = (did_you_mean(&name, NAMES), NAMES.join(", "));
            match has_known {
                true => report.warning(at, "", format!("unknown name `{name}`: left out{hint}")),
                false => report.problem(at, "", format!("unknown name `{name}`: expected one of {names}{hint}")),
            }
        }
        if config.entry_count() > MAX_ENTRIES {
            let expected = format!("expected at most {MAX_ENTRIES} streams, modifiers, services and overlays");
            report.problem(0, "", format!("{expected}, found {}", config.entry_count()));
            config = Self::default();
        }
        if seen.is_empty() {
            report.problem(0, "", format!("there is no configuration: expected {}", NAMES.join(", ")));
        }
        Ok((config, offsets))
    }

    /// The number of streams, modifiers, services and overlays; a component without any counts as one.
    fn entry_count(&self) -> usize {
        let streams = self.streams.values().map(|all| all.len().max(1));
        let modifiers = self.modifiers.values().map(|all| all.len().max(1));
        let services = self.services.values().map(|all| all.len().max(1));
        let overlays = self.overlays.values().map(|all| all.len().max(1));
        streams.chain(modifiers).chain(services).chain(overlays).sum()
    }

    /// The text of the configuration, as MORSE's builder writes it.
    pub fn text(&self) -> String {
        let dictionaries = [
            streams_literal(&self.streams),
            modifiers_literal(&self.modifiers),
            services_literal(&self.services),
            overlays_literal(&self.overlays),
            map(&self.managers, options_literal),
        ];
        let mut text = String::new();
        for (name, dictionary) in NAMES.iter().zip(dictionaries) {
            text.push_str(&format!("{name} = {}\n", pretty(&Node::from(dictionary).plain())));
        }
        text
    }
}

fn note_offsets(dictionary: &Node, offsets: &mut Offsets) {
    let Literal::Map(entries) = &dictionary.literal else { return };
    for (at, key, value) in entries {
        offsets.entry(key.clone()).or_insert(*at);
        // Overlays have the components of a manager on the next level.
        note_offsets(value, offsets);
    }
}

/// A dictionary as a literal.
pub fn map<T>(all: &BTreeMap<String, T>, literal: impl Fn(&T) -> Literal) -> Literal {
    Literal::map(all.iter().map(|(name, one)| (name.clone(), literal(one))))
}

fn list<T>(all: &[T], literal: impl Fn(&T) -> Literal) -> Literal {
    Literal::list(all.iter().map(literal))
}

fn stream_literal(Stream { manager, class, direction, options }: &Stream) -> Literal {
    let names = [manager, class].map(|name| Literal::from(name.as_str()));
    Literal::list(names.into_iter().chain(direction.map(Direction::literal)).chain([options_literal(options)]))
}

fn modifier_literal(Modifier { class, direction, options }: &Modifier) -> Literal {
    let class = Literal::from(class.as_str());
    Literal::list([class].into_iter().chain(direction.map(Direction::literal)).chain([options_literal(options)]))
}

fn overlay_literal(Overlay { class, options }: &Overlay) -> Literal {
    Literal::list([Literal::from(class.as_str()), options_literal(options)])
}

/// Arguments as a literal.
pub fn options_literal(options: &Options) -> Literal {
    map(options, Literal::clone)
}

/// The streams of components as a literal.
pub fn streams_literal(all: &BTreeMap<String, Vec<Stream>>) -> Literal {
    map(all, |all| list(all, stream_literal))
}

/// The modifiers of components as a literal.
pub fn modifiers_literal(all: &BTreeMap<String, Vec<Modifier>>) -> Literal {
    map(all, |all| list(all, modifier_literal))
}

/// Managers of services by component as a literal.
pub fn services_literal(all: &BTreeMap<String, Vec<String>>) -> Literal {
    map(all, |all| list(all, |manager| Literal::from(manager.as_str())))
}

/// Overlays as a literal.
pub fn overlays_literal(all: &BTreeMap<String, BTreeMap<String, Overlay>>) -> Literal {
    map(all, |all| map(all, overlay_literal))
}

/// Reads a dictionary whose values all have the same form. Values of other forms are problems, and left out.
fn by_component<T>(
    node: &Node,
    path: &str,
    report: &mut Report,
    read: impl Fn(&Node, &str, &mut Report) -> Option<T>,
) -> BTreeMap<String, T> {
    let Literal::Map(entries) = &node.literal else {
        report.problem(node.at, path, "expected a dictionary");
        return BTreeMap::new();
    };
    let one = |(_, key, value): &(usize, String, Node)| {
        Some((key.clone(), read(value, &format!("{path}[{}]", literal::quoted(key)), report)?))
    };
    entries.iter().filter_map(one).collect()
}

fn text(node: &Node) -> Option<String> {
    match &node.literal {
        Literal::Leaf(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

fn options(node: &Node, path: &str, report: &mut Report) -> Option<Options> {
    match &node.literal {
        Literal::Map(entries) => Some(entries.iter().map(|(_, key, value)| (key.clone(), value.plain())).collect()),
        Literal::Leaf(Value::Null) => Some(Options::new()),
        _ => {
            report.problem(node.at, path, "expected a dictionary of arguments");
            None
        }
    }
}

/// Reads `[name, …, direction, arguments]`: `N` names, then a direction and arguments, both of which can be left out.
fn read_names<const N: usize>(
    node: &Node,
    path: &str,
    report: &mut Report,
    form: &str,
) -> Option<([String; N], Option<Direction>, Options)> {
    let parts = node.items().unwrap_or_default();
    let names: Vec<String> = parts.iter().take(N).map_while(text).collect();
    let rest = parts.get(N..).unwrap_or_default();
    let (arguments, between) = match rest.split_last() {
        Some((last, between)) if text(last).is_none() => (Some(last), between),
        _ => (None, rest),
    };
    let has_other = between.len() > 2 || between.iter().any(|node| text(node).is_none());
    let Some(names) = <[String; N]>::try_from(names).ok().filter(|_| !has_other) else {
        report.problem(node.at, path, format!("expected {form}"));
        return None;
    };
    let direction = between.iter().find_map(Direction::from_node);
    for other in between.iter().filter(|node| Direction::from_node(node).is_none()).filter_map(text) {
        // `add_stream` puts a path before the direction. Before MORSE 1.0, modifiers had the name of a method.
        report.warning(node.at, path, format!("{} is left out: only Python needs it", literal::quoted(&other)));
    }
    let arguments = arguments.map_or(Some(Options::new()), |arguments| options(arguments, path, report))?;
    Some((names, direction, arguments))
}

/// Reads a list whose items all have the same form. Items of other forms are problems, and left out.
fn list_of<T>(
    node: &Node,
    path: &str,
    report: &mut Report,
    mut read: impl FnMut(&Node, &str, &mut Report) -> Option<T>,
) -> Option<Vec<T>> {
    let Some(all) = node.items() else {
        report.problem(node.at, path, "expected a list");
        return None;
    };
    Some(all.iter().enumerate().filter_map(|(index, item)| read(item, &format!("{path}[{index}]"), report)).collect())
}

fn streams(node: &Node, path: &str, report: &mut Report) -> Option<Vec<Stream>> {
    list_of(node, path, report, |item, path, report| {
        let form = "[manager, class, 'IN' or 'OUT', {arguments}], the direction if need be";
        let ([manager, class], direction, options) = read_names(item, path, report, form)?;
        Some(Stream { manager, class, direction, options })
    })
}

fn modifiers(node: &Node, path: &str, report: &mut Report) -> Option<Vec<Modifier>> {
    list_of(node, path, report, |item, path, report| {
        let form = "[class, 'IN' or 'OUT', {arguments}], the direction if need be";
        let ([class], direction, options) = read_names(item, path, report, form)?;
        Some(Modifier { class, direction, options })
    })
}

fn services(node: &Node, path: &str, report: &mut Report) -> Option<Vec<String>> {
    list_of(node, path, report, |item, path, report| {
        let name = text(item);
        if name.is_none() {
            report.problem(item.at, path, "expected the class of a manager of requests");
        }
        name
    })
}

fn overlay(node: &Node, path: &str, report: &mut Report) -> Option<Overlay> {
    // Early versions have the class alone.
    if let Some(class) = text(node) {
        return Some(Overlay { class, options: Options::new() });
    }
    let ([class], _, options) = read_names(node, path, report, "[class, {arguments}]")?;
    Some(Overlay { class, options })
}

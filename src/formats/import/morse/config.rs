//! The five dictionaries of a configuration of MORSE, as data.

use std::collections::BTreeMap;

use swarmarium_base::problem::{Problem, did_you_mean};
use swarmarium_core::service::Value;

use super::literal::{self, Body, Node};
use crate::import::report::Report;

/// The names of the dictionaries, in the order in which they are written.
pub const NAMES: [&str; 5] =
    ["component_datastream", "component_modifier", "component_service", "overlays", "stream_manager"];

/// The most streams, modifiers, services and overlays of a configuration: each becomes a part of a robot.
const MAX_PARTS: usize = 10_000;

/// Where components and managers are named first, in bytes.
pub type Places = BTreeMap<String, usize>;

/// Extra arguments by name.
pub type Options = BTreeMap<String, Value>;

/// Which way data go, as seen from MORSE.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Direction {
    /// Into an actuator.
    In,
    /// Out of a sensor.
    Out,
}

impl Direction {
    fn of(node: &Node) -> Option<Self> {
        match &node.body {
            Body::Leaf(Value::Text(text)) if text == "IN" => Some(Self::In),
            Body::Leaf(Value::Text(text)) if text == "OUT" => Some(Self::Out),
            _ => None,
        }
    }

    fn value(self) -> Value {
        Value::from(if self == Self::In { "IN" } else { "OUT" })
    }
}

/// A data stream of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Stream {
    /// The class of its manager.
    pub manager: String,
    /// Its class.
    pub class: String,
    /// Which way data go, where that is said.
    pub direction: Option<Direction>,
    /// Extra arguments.
    pub options: Options,
}

/// A modifier of a component.
#[derive(Clone, Debug, PartialEq)]
pub struct Modifier {
    /// Its class.
    pub class: String,
    /// Which way data go, where that is said.
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

/// What a configuration says. Where a direction is left out, whoever reads it has to know.
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
    /// Reads the text of a configuration; what is wrong with it goes into the report.
    ///
    /// # Errors
    /// When the text is no assignments of literals.
    pub fn read(text: &str, report: &mut Report) -> Result<(Self, Places), Problem> {
        let (mut config, mut places) = (Self::default(), Places::new());
        let mut seen = Vec::new();
        for one in literal::assignments(text)? {
            note_places(&one.value, &mut places);
            if seen.contains(&one.name) {
                report.problem(one.at, &one.name, "is assigned twice");
            }
            let path = one.name.as_str();
            match path {
                "component_datastream" => config.streams = by_component(&one.value, path, report, streams),
                "component_modifier" => config.modifiers = by_component(&one.value, path, report, modifiers),
                "component_service" => config.services = by_component(&one.value, path, report, services),
                "overlays" => {
                    config.overlays = by_component(&one.value, path, report, |value, path, report| {
                        Some(by_component(value, path, report, overlay))
                    });
                }
                "stream_manager" => config.managers = by_component(&one.value, path, report, options),
                name => {
                    let hint = did_you_mean(name, NAMES);
                    report.problem(
                        one.at,
                        "",
                        format!("unknown name `{name}`: expected one of {}{hint}", NAMES.join(", ")),
                    );
                }
            }
            seen.push(one.name);
        }
        if config.parts() > MAX_PARTS {
            let expected = format!("expected at most {MAX_PARTS} streams, modifiers, services and overlays");
            report.problem(0, "", format!("{expected}, found {}", config.parts()));
            config = Self::default();
        }
        if seen.is_empty() {
            report.problem(0, "", format!("there is no configuration: expected {}", NAMES.join(", ")));
        }
        Ok((config, places))
    }

    /// The number of streams, modifiers, services and overlays; a component without any counts as one.
    fn parts(&self) -> usize {
        let streams = self.streams.values().map(|all| all.len().max(1));
        let modifiers = self.modifiers.values().map(|all| all.len().max(1));
        let services = self.services.values().map(|all| all.len().max(1));
        let overlays = self.overlays.values().map(|all| all.len().max(1));
        streams.chain(modifiers).chain(services).chain(overlays).sum()
    }

    /// The text of the configuration, as Python reads it.
    pub fn text(&self) -> String {
        let dictionaries = [
            map(&self.streams, |all| list(all, stream_value)),
            map(&self.modifiers, |all| list(all, modifier_value)),
            map(&self.services, |all| list(all, |manager| Value::from(manager.as_str()))),
            map(&self.overlays, |all| map(all, overlay_value)),
            map(&self.managers, options_value),
        ];
        let mut text = String::new();
        for (name, dictionary) in NAMES.iter().zip(dictionaries) {
            let Value::Map(entries) = dictionary else { continue };
            let lines: Vec<String> = entries
                .iter()
                .map(|(key, value)| format!("{}: {}", literal::quoted(key), literal::write(value)))
                .collect();
            text.push_str(&format!("{name} = {{{}}}\n", lines.join(",\n ")));
        }
        text
    }
}

fn note_places(dictionary: &Node, places: &mut Places) {
    let Body::Map(entries) = &dictionary.body else { return };
    for (at, key, value) in entries {
        places.entry(key.clone()).or_insert(*at);
        // The components of a manager, among the overlays.
        note_places(value, places);
    }
}

/// A dictionary as a value.
pub fn map<T>(all: &BTreeMap<String, T>, value: impl Fn(&T) -> Value) -> Value {
    Value::Map(all.iter().map(|(name, one)| (name.clone(), value(one))).collect())
}

fn list<T>(all: &[T], value: impl Fn(&T) -> Value) -> Value {
    Value::List(all.iter().map(value).collect())
}

fn stream_value(Stream { manager, class, direction, options }: &Stream) -> Value {
    let names = [manager, class].map(|name| Value::from(name.as_str()));
    Value::List(names.into_iter().chain(direction.map(Direction::value)).chain([options_value(options)]).collect())
}

fn modifier_value(Modifier { class, direction, options }: &Modifier) -> Value {
    let class = Value::from(class.as_str());
    Value::List([class].into_iter().chain(direction.map(Direction::value)).chain([options_value(options)]).collect())
}

fn overlay_value(Overlay { class, options }: &Overlay) -> Value {
    Value::List(vec![Value::from(class.as_str()), options_value(options)])
}

/// Arguments as a value.
pub fn options_value(options: &Options) -> Value {
    map(options, Value::clone)
}

/// The modifiers of components as a value.
pub fn modifiers_value(all: &BTreeMap<String, Vec<Modifier>>) -> Value {
    map(all, |all| list(all, modifier_value))
}

/// Managers of services by component as a value.
pub fn services_value(all: &BTreeMap<String, Vec<String>>) -> Value {
    map(all, |all| list(all, |manager| Value::from(manager.as_str())))
}

/// Overlays as a value.
pub fn overlays_value(all: &BTreeMap<String, BTreeMap<String, Overlay>>) -> Value {
    map(all, |all| map(all, overlay_value))
}

/// Reads a dictionary whose values are all of one sort; those that are not are left out.
fn by_component<T>(
    node: &Node,
    path: &str,
    report: &mut Report,
    read: impl Fn(&Node, &str, &mut Report) -> Option<T>,
) -> BTreeMap<String, T> {
    let Body::Map(entries) = &node.body else {
        report.problem(node.at, path, "expected a dictionary");
        return BTreeMap::new();
    };
    let one = |(_, key, value): &(usize, String, Node)| {
        Some((key.clone(), read(value, &format!("{path}[{}]", literal::quoted(key)), report)?))
    };
    entries.iter().filter_map(one).collect()
}

fn text(node: &Node) -> Option<String> {
    match &node.body {
        Body::Leaf(Value::Text(text)) => Some(text.clone()),
        _ => None,
    }
}

fn options(node: &Node, path: &str, report: &mut Report) -> Option<Options> {
    match &node.body {
        Body::Map(entries) => Some(entries.iter().map(|(_, key, value)| (key.clone(), value.value())).collect()),
        Body::Leaf(Value::Null) => Some(Options::new()),
        _ => {
            report.problem(node.at, path, "expected a dictionary of arguments");
            None
        }
    }
}

/// Reads `[name, …, direction, arguments]`: so many names, and then a direction and arguments, which may be left out.
fn named<const N: usize>(
    node: &Node,
    path: &str,
    report: &mut Report,
    form: &str,
) -> Option<([String; N], Option<Direction>, Options)> {
    let parts = if let Body::List(parts) = &node.body { parts.as_slice() } else { &[] };
    let names: Vec<String> = parts.iter().take(N).map_while(text).collect();
    let rest = parts.get(N..).unwrap_or_default();
    let (arguments, between) = match rest.split_last() {
        Some((last, between)) if text(last).is_none() => (Some(last), between),
        _ => (None, rest),
    };
    let is_odd = between.len() > 2 || between.iter().any(|node| text(node).is_none());
    let Some(names) = <[String; N]>::try_from(names).ok().filter(|_| !is_odd) else {
        report.problem(node.at, path, format!("expected {form}"));
        return None;
    };
    let direction = between.iter().find_map(Direction::of);
    for other in between.iter().filter(|node| Direction::of(node).is_none()).filter_map(text) {
        // `add_stream` with a path pushes the direction aside; before MORSE 1.0, modifiers had the name of a method.
        report.warning(node.at, path, format!("{} is left out: only Python needs it", literal::quoted(&other)));
    }
    let arguments = arguments.map_or(Some(Options::new()), |arguments| options(arguments, path, report))?;
    Some((names, direction, arguments))
}

/// Reads a list whose items are all of one sort; those that are not are left out.
fn list_of<T>(
    node: &Node,
    path: &str,
    report: &mut Report,
    mut read: impl FnMut(&Node, &str, &mut Report) -> Option<T>,
) -> Option<Vec<T>> {
    let Body::List(all) = &node.body else {
        report.problem(node.at, path, "expected a list");
        return None;
    };
    Some(all.iter().enumerate().filter_map(|(index, item)| read(item, &format!("{path}[{index}]"), report)).collect())
}

fn streams(node: &Node, path: &str, report: &mut Report) -> Option<Vec<Stream>> {
    list_of(node, path, report, |item, path, report| {
        let form = "[manager, class, 'IN' or 'OUT', {arguments}], the direction if need be";
        let ([manager, class], direction, options) = named(item, path, report, form)?;
        Some(Stream { manager, class, direction, options })
    })
}

fn modifiers(node: &Node, path: &str, report: &mut Report) -> Option<Vec<Modifier>> {
    list_of(node, path, report, |item, path, report| {
        let form = "[class, 'IN' or 'OUT', {arguments}], the direction if need be";
        let ([class], direction, options) = named(item, path, report, form)?;
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
    // Its class alone, as in early versions.
    if let Some(class) = text(node) {
        return Some(Overlay { class, options: Options::new() });
    }
    let ([class], _, options) = named(node, path, report, "[class, {arguments}]")?;
    Some(Overlay { class, options })
}

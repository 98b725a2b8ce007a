//! A YAML document as a tree that remembers where everything stands.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};

use super::expression;
use super::scalar::{self, Scalar};
use crate::scene::problem::{Place, Problem};

/// The most nodes of a document, those that aliases repeat included.
const MAX_NODES: usize = 1_000_000;
/// The deepest nesting of a document.
const MAX_DEPTH: usize = 64;
/// The tag of expressions.
const NP: &str = "!np";
/// The tags that mean something here. Those of PyYAML's own dumps are not among them.
const TAGS: &[&str] = &[NP, "!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map"];
/// Tags of RobotSwarmSimulator that name other files.
const FILE_TAGS: &[&str] = &["!include", "!relpath"];

/// A value and its place. An aliased value has the place of its anchor.
#[derive(Clone, Debug)]
pub struct Node {
    /// Where it starts.
    pub place: Place,
    /// Its tag, such as `!np`.
    pub tag: Option<String>,
    /// What it is.
    pub value: Value,
}

/// What a node is.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text, a number or the like.
    Scalar {
        /// The text, without quotes.
        text: String,
        /// Whether it was written without quotes.
        plain: bool,
    },
    /// Values in order.
    List(Vec<Node>),
    /// Pairs of a key and a value, in order.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// The text of a scalar, as written.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// What a scalar means. Lists and maps are [`Scalar::Text`], too: neither null nor a number.
    pub fn scalar(&self) -> Scalar {
        let Value::Scalar { text, plain } = &self.value else { return Scalar::Text };
        match self.tag.as_deref() {
            Some(NP) => expression::evaluate(text).map_or(Scalar::Text, Scalar::Float),
            Some("!" | "!!str") => Scalar::Text,
            Some("!!float") => text.parse().map_or_else(|_| scalar::resolve(text), Scalar::Float),
            Some(_) => scalar::resolve(text),
            None if *plain => scalar::resolve(text),
            None => Scalar::Text,
        }
    }

    /// Whether it is an expression.
    pub fn is_expression(&self) -> bool {
        self.tag.as_deref() == Some(NP)
    }

    fn is_merge_key(&self) -> bool {
        self.tag.is_none() && matches!(&self.value, Value::Scalar { text, plain: true } if text == "<<")
    }

    /// The number of nodes and of levels.
    fn measure(&self) -> (usize, usize) {
        let children: &mut dyn Iterator<Item = &Self> = match &self.value {
            Value::Scalar { .. } => return (1, 1),
            Value::List(items) => &mut items.iter(),
            Value::Map(entries) => &mut entries.iter().flat_map(|(key, value)| [key, value]),
        };
        let (nodes, levels) =
            children.map(Self::measure).fold((0, 0), |sum, child| (sum.0 + child.0, sum.1.max(child.1)));
        (nodes + 1, levels + 1)
    }
}

/// Reads a text that holds one document.
pub fn read(text: &str) -> Result<Node, Vec<Problem>> {
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        if let Err(problem) = event.map_err(syntax).and_then(|(event, span)| builder.event(event, span.start)) {
            builder.problems.push(problem);
            break;
        }
    }
    let Builder { root, problems, .. } = builder;
    match root {
        _ if !problems.is_empty() => Err(problems),
        Some(root) => Ok(root),
        None => Err(vec![Problem::of_file("there is nothing in the file")]),
    }
}

fn syntax(error: ScanError) -> Problem {
    problem(place(*error.marker()), format!("not valid YAML: {}", error.info()))
}

fn place(marker: Marker) -> Place {
    Place { line: marker.line(), column: marker.col() + 1 }
}

fn problem(place: Place, message: impl Into<String>) -> Problem {
    Problem { place: Some(place), path: String::new(), message: message.into() }
}

/// Makes the tree from the events of the parser.
#[derive(Default)]
struct Builder {
    root: Option<Node>,
    open: Vec<Container>,
    anchors: HashMap<usize, Node>,
    nodes: usize,
    problems: Vec<Problem>,
}

/// A list or map whose end has not come yet.
struct Container {
    node: Node,
    anchor: usize,
    /// The key of a map that waits for its value.
    key: Option<Node>,
    /// The keys of a map so far.
    keys: HashSet<String>,
}

impl Builder {
    fn event(&mut self, event: Event, start: Marker) -> Result<(), Problem> {
        let place = place(start);
        match event {
            Event::DocumentStart(_) if self.root.is_some() => {
                Err(problem(place, "a second document begins here: a world is a single YAML document"))
            }
            Event::Alias(anchor) => {
                let node = self.anchors.get(&anchor).cloned();
                let node = node.ok_or_else(|| problem(place, "the alias stands inside of what it repeats"))?;
                self.spend(&node, place)?;
                self.add(node)
            }
            Event::Scalar(text, style, anchor, tag) => {
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                let node = Node { place, tag: self.tag(tag.as_deref(), place), value };
                self.spend(&node, place)?;
                self.finish(node, anchor)
            }
            Event::SequenceStart(anchor, tag) => self.begin(Value::List(Vec::new()), anchor, tag.as_deref(), place),
            Event::MappingStart(anchor, tag) => self.begin(Value::Map(Vec::new()), anchor, tag.as_deref(), place),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize, tag: Option<&Tag>, place: Place) -> Result<(), Problem> {
        let node = Node { place, tag: self.tag(tag, place), value };
        self.spend(&node, place)?;
        self.open.push(Container { node, anchor, key: None, keys: HashSet::new() });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Problem> {
        let Some(Container { mut node, anchor, .. }) = self.open.pop() else { return Ok(()) };
        if let Value::Map(entries) = &mut node.value {
            self.merge(entries);
        }
        self.finish(node, anchor)
    }

    /// Adds a finished node, and keeps it when aliases may repeat it.
    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Problem> {
        if anchor > 0 {
            // The copy counts, or nested anchors would fill the memory.
            self.spend(&node, node.place)?;
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node)
    }

    /// Puts a node into the innermost open list or map.
    fn add(&mut self, node: Node) -> Result<(), Problem> {
        let Some(Container { node: parent, key, keys, .. }) = self.open.last_mut() else {
            self.root = Some(node);
            return Ok(());
        };
        match (&mut parent.value, key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(entries), Some(key)) => entries.push((key, node)),
            (Value::Map(_), None) => {
                if let Some(text) = node.text().filter(|text| !keys.insert(text.to_string())) {
                    self.problems.push(problem(node.place, format!("the key `{text}` is there twice")));
                }
                *key = Some(node);
            }
            (Value::Scalar { .. }, _) => {}
        }
        Ok(())
    }

    /// Counts the nodes and levels of a new node before anything copies them.
    fn spend(&mut self, node: &Node, place: Place) -> Result<(), Problem> {
        let (nodes, levels) = node.measure();
        self.nodes += nodes;
        if self.nodes > MAX_NODES {
            return Err(problem(place, format!("more than {MAX_NODES} values, counting what aliases repeat")));
        }
        if self.open.len() + levels > MAX_DEPTH {
            return Err(problem(place, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    /// The tag of a node; `!np` holds for everything inside.
    fn tag(&mut self, tag: Option<&Tag>, place: Place) -> Option<String> {
        let Some(tag) = tag else {
            return self.open.last().filter(|parent| parent.node.is_expression()).map(|_| NP.to_string());
        };
        let handle = if tag.is_yaml_core_schema() { "!!" } else { &tag.handle };
        let tag = format!("{handle}{}", tag.suffix);
        if FILE_TAGS.contains(&tag.as_str()) {
            self.problems.push(problem(place, format!("`{tag}` is not supported yet: paste the file in its place")));
        } else if !TAGS.contains(&tag.as_str()) {
            self.problems.push(problem(place, format!("unknown tag `{tag}`")));
        }
        Some(tag)
    }

    /// Replaces `<<: *other` by those entries of the other map, or of several, that are not there yet.
    fn merge(&mut self, entries: &mut Vec<(Node, Node)>) {
        let Some(index) = entries.iter().position(|(key, _)| key.is_merge_key()) else { return };
        let (_, source) = entries.remove(index);
        let sources = match source.value {
            Value::List(items) => items,
            _ => vec![source],
        };
        let mut known: HashSet<String> = entries.iter().filter_map(|(key, _)| key.text().map(str::to_string)).collect();
        for source in sources {
            let Value::Map(merged) = source.value else {
                self.problems.push(problem(source.place, "`<<` takes a map, or a list of maps"));
                continue;
            };
            entries.extend(merged.into_iter().filter(|(key, _)| key.text().is_none_or(|key| known.insert(key.into()))));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::{Node, Value, read};
    use crate::scene::import::robotswarmsimulator::scalar::Scalar;
    use std::time::Instant;

    /// A compact form of a tree: scalars as they resolve.
    fn show(node: &Node) -> String {
        match &node.value {
            Value::Scalar { text, .. } => match node.scalar() {
                Scalar::Text => text.clone(),
                scalar => format!("{scalar:?}"),
            },
            Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
            Value::Map(entries) => {
                let entries = entries.iter().map(|(key, value)| format!("{}: {}", show(key), show(value)));
                format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
            }
        }
    }

    fn tree(text: &str) -> String {
        show(&read(text).unwrap())
    }

    fn problems(text: &str) -> String {
        let line = |problem: super::Problem| {
            let place = problem.place.map_or_else(String::new, |place| format!("{}:{}: ", place.line, place.column));
            format!("{place}{}", problem.message)
        };
        read(text).unwrap_err().into_iter().map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn resolves_scalars_by_tag_and_quotes() {
        assert_eq!(
            tree("[1, '1', \"yes\", !!str 1, !!int '1', !!float 1e-3, ! 1, !!bool no]"),
            "[Int(1), 1, yes, 1, Int(1), Float(0.001), 1, Bool(false)]"
        );
        assert_eq!(tree("a: !np 1 / 40\nb: !np foo + 1\n..."), "{a: Float(0.025), b: foo + 1}");
        assert_eq!(tree("!np [1 + 1, [2 * 3, away]]"), "[Float(2.0), [Float(6.0), away]]");
        assert_eq!(tree("a:\nb: ~"), "{a: Null, b: Null}");
    }

    #[test]
    fn follows_aliases_and_merges() {
        assert_eq!(tree("a: &a {x: 1}\nb: *a"), "{a: {x: Int(1)}, b: {x: Int(1)}}");
        assert_eq!(tree("- &a {x: 1, y: 2}\n- <<: *a\n  x: 3"), "[{x: Int(1), y: Int(2)}, {x: Int(3), y: Int(2)}]");
        let two = "- &a {x: 1}\n- &b {x: 2, y: 2}\n- <<: [*a, *b]";
        assert_eq!(tree(two), "[{x: Int(1)}, {x: Int(2), y: Int(2)}, {x: Int(1), y: Int(2)}]");
    }

    #[test]
    fn knows_places() {
        let root = read("a: 1\nb:\n  - !np 2\n  - é: 3").unwrap();
        let Value::Map(entries) = &root.value else { panic!() };
        let Value::List(items) = &entries[1].1.value else { panic!() };
        let places: Vec<_> = items.iter().map(|item| (item.place.line, item.place.column)).collect();
        assert_eq!(places, [(3, 5), (4, 5)]);
    }

    #[test]
    fn says_what_is_wrong() {
        insta::assert_snapshot!(problems("a: 1\nb: 2\na: 3\n"), @"3:1: the key `a` is there twice");
        insta::assert_snapshot!(problems("a: 1\n---\nb: 2\n"), @"2:1: a second document begins here: a world is a single YAML document");
        insta::assert_snapshot!(problems("a: !include b.yaml\nc: !foo 1\nd: !!python/object:os.x 1\n"), @"
        1:4: `!include` is not supported yet: paste the file in its place
        2:4: unknown tag `!foo`
        3:4: unknown tag `!!python/object:os.x`
        ");
        insta::assert_snapshot!(problems("a: !np [15, 15] / 2\n"), @"1:17: not valid YAML: while parsing a block mapping, did not find expected key");
        insta::assert_snapshot!(problems("a: *b\n"), @"1:4: not valid YAML: while parsing node, found unknown anchor");
        insta::assert_snapshot!(problems("a: &a [*a]\n"), @"1:8: the alias stands inside of what it repeats");
        insta::assert_snapshot!(problems("a: {<<: 3}\n"), @"1:9: `<<` takes a map, or a list of maps");
        insta::assert_snapshot!(problems("# empty\n"), @"there is nothing in the file");
    }

    #[test]
    fn refuses_bombs_quickly() {
        let start = Instant::now();
        let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
        for level in 1..40 {
            let inner = format!("*a{}, ", level - 1).repeat(10);
            bomb += &format!("a{level}: &a{level} [{inner}]\n");
        }
        insta::assert_snapshot!(problems(&bomb), @"6:40: more than 1000000 values, counting what aliases repeat");
        insta::assert_snapshot!(problems(&"- ".repeat(100_000)), @"1:129: nested deeper than 64 levels");
        let nested: String = (0..60).map(|level| format!("&n{level} [")).collect();
        problems(&format!("{nested}{}{}", "x, ".repeat(100_000), "]".repeat(60)));
        insta::assert_snapshot!(problems(&"[".repeat(100_000)), @"1:256: not valid YAML: recursion limit exceeded");
        assert!(start.elapsed().as_secs() < 10);
    }
}

//! A YAML document as a tree of nodes with their places. The contents of included files replace the tags that name them.

use std::collections::{HashMap, HashSet};

use saphyr_parser::{Event, Marker, Parser, ScalarStyle, ScanError, Tag};
use swarmarium_base::problem::Problem;

use super::expression;
use super::scalar::{self, Scalar};
use super::sources::{Content, Place, Sources};
use crate::language::python::{EvaluationError, Value as Data, is_in_name};

mod json;
mod python_objects;

/// The bytes of a text that count as one more value.
pub const TEXT_PER_NODE: usize = 64;
/// The deepest nesting of a document, included files counted.
const MAX_DEPTH: usize = 64;
/// The tag of expressions.
const NP: &str = "!np";
/// The tag of another file, whose content replaces the node.
const INCLUDE: &str = "!include";
/// The tag of a path that is relative to the file.
const RELPATH: &str = "!relpath";
/// The known tags, besides those of Python objects.
const TAGS: &[&str] = &[NP, INCLUDE, RELPATH, "!", "!!str", "!!int", "!!float", "!!bool", "!!null", "!!seq", "!!map"];

/// A value and its place. An aliased value has the place of its anchor.
#[derive(Clone, Debug)]
pub struct Node {
    /// Its start.
    pub place: Place,
    /// Its tag, such as `!np`.
    pub tag: Option<String>,
    /// Its value.
    pub value: Value,
}

/// The value of a node.
#[derive(Clone, Debug)]
pub enum Value {
    /// A text, a number or the like.
    Scalar {
        /// The text, without quotes.
        text: String,
        /// Whether it was written without quotes.
        plain: bool,
    },
    /// The result of an expression.
    Computed(Scalar),
    /// Values in order.
    List(Vec<Node>),
    /// Pairs of a key and a value, in order.
    Map(Vec<(Node, Node)>),
}

impl Node {
    /// A text in quotes.
    pub fn quoted(text: &str, place: Place) -> Self {
        Self { place, tag: None, value: Value::Scalar { text: text.to_owned(), plain: false } }
    }

    /// The text of a scalar, as written.
    pub fn text(&self) -> Option<&str> {
        match &self.value {
            Value::Scalar { text, .. } => Some(text),
            _ => None,
        }
    }

    /// The meaning of a scalar. Lists and maps are [`Scalar::Text`], too: neither null nor a number.
    pub fn scalar(&self) -> Scalar {
        let (text, plain) = match &self.value {
            Value::Scalar { text, plain } => (text, *plain),
            Value::Computed(scalar) => return *scalar,
            Value::List(_) | Value::Map(_) => return Scalar::Text,
        };
        match self.tag.as_deref() {
            Some("!" | "!!str" | NP | INCLUDE | RELPATH) => Scalar::Text,
            Some("!!float") => text.parse().map_or_else(|_| scalar::resolve(text), Scalar::Float),
            Some(_) => scalar::resolve(text),
            None if plain => scalar::resolve(text),
            None => Scalar::Text,
        }
    }

    /// Whether it is an expression.
    pub fn is_expression(&self) -> bool {
        self.tag.as_deref() == Some(NP)
    }

    /// The value of a key.
    pub fn get(&self, name: &str) -> Option<&Self> {
        let Value::Map(entries) = &self.value else { return None };
        entries.iter().find(|(key, _)| key.text() == Some(name)).map(|(_, value)| value)
    }

    fn is_merge_key(&self) -> bool {
        self.tag.is_none() && matches!(&self.value, Value::Scalar { text, plain: true } if text == "<<")
    }

    /// The number of nodes and of levels.
    fn measure(&self) -> (usize, usize) {
        let children: &mut dyn Iterator<Item = &Self> = match &self.value {
            Value::Scalar { text, .. } => return (1 + text.len() / TEXT_PER_NODE, 1),
            Value::Computed(_) => return (1, 1),
            Value::List(items) => &mut items.iter(),
            Value::Map(entries) => &mut entries.iter().flat_map(|(key, value)| [key, value]),
        };
        let (nodes, levels) =
            children.map(Self::measure).fold((0, 0), |sum, child| (sum.0 + child.0, sum.1.max(child.1)));
        (nodes + 1, levels + 1)
    }
}

/// Reads the world from the file that was opened last: its only document, or the last of several that has a `type`.
///
/// Problems go to the sources. `None` comes only together with a problem.
pub fn read(sources: &mut Sources, text: &str) -> Option<Node> {
    let mut documents = documents(sources, text, 0)?;
    if documents.len() > 1 {
        let world = documents.iter().rposition(|document| document.get("type").is_some());
        let world = documents.swap_remove(world.unwrap_or(documents.len() - 1));
        sources.warning(world.place, "", "of several documents, this one is taken as the world");
        return Some(world);
    }
    let world = documents.pop();
    if world.is_none() {
        sources.problems.push(Problem::of_file("there is nothing in the file"));
    }
    world
}

/// The documents in a text that is included at a level of nesting.
fn documents(sources: &mut Sources, text: &str, levels: usize) -> Option<Vec<Node>> {
    let text = expression::quote_lists(text);
    let mut builder = Builder::new(sources, levels);
    for event in Parser::new_from_str(&text) {
        let added = match event {
            Ok((event, span)) => builder.event(event, span.start),
            Err(error) => Err(abort_for_syntax(builder.sources, &error)),
        };
        if let Err(Aborted) = added {
            return None;
        }
    }
    Some(builder.documents)
}

/// A problem has been noted after which reading ends.
struct Aborted;

fn abort_for_syntax(sources: &mut Sources, error: &ScanError) -> Aborted {
    let place = sources.here(error.marker().line(), error.marker().col() + 1);
    abort(sources, place, format!("not valid YAML: {}", error.info()))
}

/// Notes a problem after which reading ends.
fn abort(sources: &mut Sources, place: Place, message: impl Into<String>) -> Aborted {
    sources.problem(place, "", message);
    Aborted
}

/// Makes the tree from the events of the parser.
struct Builder<'s, 'o> {
    sources: &'s mut Sources<'o>,
    /// The levels around the text.
    levels: usize,
    documents: Vec<Node>,
    open: Vec<Container>,
    anchors: HashMap<usize, Node>,
}

/// A list or a map that has not ended.
struct Container {
    node: Node,
    anchor: usize,
    /// The key of a map whose value comes next.
    key: Option<Node>,
    /// The keys of a map so far, with their places among the entries.
    keys: HashMap<String, usize>,
}

impl<'s, 'o> Builder<'s, 'o> {
    fn new(sources: &'s mut Sources<'o>, levels: usize) -> Self {
        Self { sources, levels, documents: Vec::new(), open: Vec::new(), anchors: HashMap::new() }
    }

    fn event(&mut self, event: Event, start: Marker) -> Result<(), Aborted> {
        let place = self.sources.here(start.line(), start.col() + 1);
        match event {
            Event::Alias(anchor) => match self.anchors.get(&anchor).cloned() {
                Some(node) => {
                    self.count(&node, place)?;
                    self.add(node);
                    Ok(())
                }
                None => Err(abort(self.sources, place, "the alias stands inside of what it repeats")),
            },
            Event::Scalar(text, style, anchor, tag) => {
                let value = Value::Scalar { text: text.into_owned(), plain: style == ScalarStyle::Plain };
                let node = Node { place, tag: self.tag(tag.as_deref(), place), value };
                self.count(&node, place)?;
                let node = self.resolve_tag(node)?;
                self.finish(node, anchor)
            }
            Event::SequenceStart(anchor, tag) => self.begin(Value::List(Vec::new()), anchor, tag.as_deref(), place),
            Event::MappingStart(anchor, tag) => self.begin(Value::Map(Vec::new()), anchor, tag.as_deref(), place),
            Event::SequenceEnd | Event::MappingEnd => self.end(),
            _ => Ok(()),
        }
    }

    fn begin(&mut self, value: Value, anchor: usize, tag: Option<&Tag>, place: Place) -> Result<(), Aborted> {
        let node = Node { place, tag: self.tag(tag, place), value };
        if let Some(tag @ (INCLUDE | RELPATH)) = node.tag.as_deref() {
            self.sources.problem(place, "", format!("`{tag}` takes the name of a file"));
        }
        self.count(&node, place)?;
        self.open.push(Container { node, anchor, key: None, keys: HashMap::new() });
        Ok(())
    }

    fn end(&mut self) -> Result<(), Aborted> {
        let Some(Container { mut node, anchor, .. }) = self.open.pop() else { return Ok(()) };
        if let Value::Map(entries) = &mut node.value {
            self.merge(entries);
        }
        self.convert_python_object(&mut node)?;
        self.finish(node, anchor)
    }

    /// Converts a Python object into plain YAML, and counts its values.
    fn convert_python_object(&mut self, node: &mut Node) -> Result<(), Aborted> {
        if !node.tag.as_deref().is_some_and(python_objects::is_tag) {
            return Ok(());
        }
        if let Some(unknown) = python_objects::convert(node) {
            let message = format!("the Python object `{unknown}` is unknown: its content is read as plain YAML");
            self.sources.warning(node.place, "", message);
        }
        self.count(node, node.place)
    }

    /// Resolves a scalar with a tag of RobotSwarmSimulator: to the value of an expression, the content of a file, or a path.
    fn resolve_tag(&mut self, mut node: Node) -> Result<Node, Aborted> {
        self.convert_python_object(&mut node)?;
        let (Some(tag), Some(text)) = (node.tag.as_deref(), node.text()) else { return Ok(node) };
        match tag {
            NP => {
                let computed = self.evaluate(text, node.place)?;
                Ok(computed.unwrap_or(node))
            }
            INCLUDE => self.include(text, node.place),
            RELPATH => {
                let text = self.sources.absolute(text);
                Ok(Node { value: Value::Scalar { text, plain: false }, ..node })
            }
            _ => Ok(node),
        }
    }

    /// The value of an expression; `None` where RobotSwarmSimulator keeps the text.
    fn evaluate(&mut self, text: &str, place: Place) -> Result<Option<Node>, Aborted> {
        match expression::evaluate(text) {
            Ok(data) => {
                let node = node_of(&data, place);
                self.count(&node, place)?;
                Ok(Some(node))
            }
            Err(error @ (EvaluationError::TooLarge | EvaluationError::Endless)) => {
                Err(abort(self.sources, place, error.to_string()))
            }
            Err(EvaluationError::Invalid(_) | EvaluationError::Undefined(_)) => {
                // A word, such as `away` in a list of expressions, is a text.
                let is_word = text.chars().all(is_in_name);
                if !is_word {
                    self.sources.warning(
                        place,
                        "",
                        "the expression has no value: its text is kept, as in RobotSwarmSimulator",
                    );
                }
                Ok(None)
            }
        }
    }

    /// The content of an included file.
    fn include(&mut self, name: &str, place: Place) -> Result<Node, Aborted> {
        let content = match self.sources.open(name, place) {
            Ok(content) => content,
            Err(error) => return Err(abort(self.sources, place, error.to_string())),
        };
        let start = self.sources.here(1, 1);
        let node = match content {
            Content::Yaml(text) => {
                let documents = documents(self.sources, &text, self.levels + self.open.len()).ok_or(Aborted)?;
                match <[Node; 1]>::try_from(documents) {
                    Ok([node]) => node,
                    Err(documents) if documents.is_empty() => {
                        Node { place: start, tag: None, value: Value::Computed(Scalar::Null) }
                    }
                    Err(_) => {
                        return Err(abort(self.sources, start, "there are several documents in an included file"));
                    }
                }
            }
            Content::Json(text) => match json::read(&text, start, self.sources.remaining_nodes()) {
                Ok(node) => node,
                Err(error) => {
                    let place = self.sources.here(error.line(), error.column());
                    return Err(abort(self.sources, place, format!("not valid JSON: {error}")));
                }
            },
            Content::Text(text) => {
                Node { place: start, tag: Some(INCLUDE.into()), value: Value::Scalar { text, plain: false } }
            }
        };
        self.sources.close();
        self.count(&node, place)?;
        Ok(node)
    }

    /// Adds a finished node, and keeps it if aliases can repeat it.
    fn finish(&mut self, node: Node, anchor: usize) -> Result<(), Aborted> {
        if anchor > 0 {
            // Copies count as well: otherwise nested anchors could fill the memory.
            self.count(&node, node.place)?;
            self.anchors.insert(anchor, node.clone());
        }
        self.add(node);
        Ok(())
    }

    /// Adds a node to the innermost open list or map. Of two entries with the same key, the last counts.
    fn add(&mut self, node: Node) {
        let Some(Container { node: parent, key, keys, .. }) = self.open.last_mut() else {
            self.documents.push(node);
            return;
        };
        match (&mut parent.value, key.take()) {
            (Value::List(items), _) => items.push(node),
            (Value::Map(entries), Some(key)) => {
                let text = key.text().map(str::to_string).filter(|_| !key.is_merge_key());
                match text.as_ref().and_then(|text| keys.get(text)) {
                    Some(before) => {
                        let text = text.unwrap_or_default();
                        self.sources.warning(
                            key.place,
                            "",
                            format!("the key `{text}` is there twice: this one counts"),
                        );
                        entries[*before] = (key, node);
                    }
                    None => {
                        keys.extend(text.map(|text| (text, entries.len())));
                        entries.push((key, node));
                    }
                }
            }
            (Value::Map(_), None) => *key = Some(node),
            (Value::Scalar { .. } | Value::Computed(_), _) => {}
        }
    }

    /// Counts the nodes and levels of a new node before anything copies them.
    fn count(&mut self, node: &Node, place: Place) -> Result<(), Aborted> {
        let (nodes, levels) = node.measure();
        if let Err(error) = self.sources.count_nodes(nodes) {
            return Err(abort(self.sources, place, error.to_string()));
        }
        if self.levels + self.open.len() + levels > MAX_DEPTH {
            return Err(abort(self.sources, place, format!("nested deeper than {MAX_DEPTH} levels")));
        }
        Ok(())
    }

    /// The tag of a node; nodes within one with `!np` have the same tag.
    fn tag(&mut self, tag: Option<&Tag>, place: Place) -> Option<String> {
        let Some(tag) = tag else {
            return self.open.last().filter(|parent| parent.node.is_expression()).map(|_| NP.to_string());
        };
        let handle = if tag.is_yaml_core_schema() { "!!" } else { &tag.handle };
        let tag = format!("{handle}{}", tag.suffix);
        if !TAGS.contains(&tag.as_str()) && !python_objects::is_tag(&tag) {
            self.sources.problem(place, "", format!("unknown tag `{tag}`"));
        }
        Some(tag)
    }

    /// Replaces `<<: *other` by the entries of the other maps whose keys the map does not have.
    fn merge(&mut self, entries: &mut Vec<(Node, Node)>) {
        let mut known: HashSet<String> = entries.iter().filter_map(|(key, _)| key.text().map(str::to_string)).collect();
        while entries.iter().any(|(key, _)| key.is_merge_key()) {
            let (merges, own): (Vec<_>, Vec<_>) = entries.drain(..).partition(|(key, _)| key.is_merge_key());
            *entries = own;
            let sources = merges.into_iter().flat_map(|(_, source)| match source.value {
                Value::List(items) => items,
                _ => vec![source],
            });
            for source in sources {
                let Value::Map(merged) = source.value else {
                    self.sources.problem(source.place, "", "`<<` takes a map, or a list of maps");
                    continue;
                };
                entries.extend(
                    merged.into_iter().filter(|(key, _)| key.text().is_none_or(|key| known.insert(key.into()))),
                );
            }
        }
    }
}

/// The result of an expression as a node.
fn node_of(data: &Data, place: Place) -> Node {
    let value = match data {
        Data::Truth(truth) => Value::Computed(Scalar::Bool(*truth)),
        Data::Whole(number) => Value::Computed(Scalar::Int(*number)),
        Data::Float(number) => Value::Computed(Scalar::Float(*number)),
        Data::Text(text) => Value::Scalar { text: text.to_string(), plain: false },
        Data::Array(array) => return node_of(&array.to_python(), place),
        Data::List(items) | Data::Tuple(items) => {
            Value::List(items.borrow().iter().map(|item| node_of(item, place)).collect())
        }
        Data::Dict(dict) => {
            let entries = dict.borrow();
            // A key is a text, or a number as it is written.
            let key = |key: &Data| Node::quoted(&key.to_string(), place);
            Value::Map(entries.entries.iter().map(|(name, value)| (key(name), node_of(value, place))).collect())
        }
        Data::Nothing | Data::Undefined(_) | Data::Slice(_) | Data::Module(_) | Data::Function(_) => {
            Value::Computed(Scalar::Null)
        }
    };
    Node { place, tag: Some(NP.to_string()), value }
}

#[cfg(test)]
mod tests;

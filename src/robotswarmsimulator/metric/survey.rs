//! A first pass over the metrics of a world, which finds the metrics and variables that expressions name.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_core::expression::is_name;

use super::column::{Column, expected_column, value_column};
use super::keys::{METRICS, WITHOUT_NUMBER};
use super::lookup::{place_of, split_index};
use super::{Listed, Metrics, label_of, type_of};
use crate::fields::Spot;
use crate::yaml::{Node, Value};

impl Metrics<'_> {
    /// Collects the metrics and variables that expressions name before they are read.
    pub(super) fn survey(&mut self, list: &[Spot], stop: Option<&Spot>) {
        let mut survey = Survey::default();
        for spot in list {
            survey.visit(spot.node, true);
        }
        let Survey { order, references, labels } = survey;
        let mut texts = Vec::new();
        let nodes = list.iter().map(|spot| spot.node).chain(stop.map(|spot| spot.node));
        nodes.for_each(|node| collect_texts(node, &mut texts));
        let variables = texts.iter().flat_map(|text| text.split(".module.").skip(1));
        self.exported_variables = variables.map(|rest| leading_name(rest).to_owned()).collect();
        for (place, node) in order.iter().enumerate() {
            let is_named =
                references.iter().any(|(at, index)| *at <= place && place_of(*index, order.len()) == Some(place));
            let has_number =
                type_of(node).is_none_or(|kind| METRICS.contains(&kind) && !WITHOUT_NUMBER.contains(&kind));
            let label = (is_named && has_number).then(|| {
                let own = label_of(node);
                let is_unique = labels.iter().filter(|label| **label == own).count() == 1;
                if is_name(&own) && is_unique { own } else { format!("metric_{place}") }
            });
            if let Some(label) = &label {
                self.names.unique(label, '_');
                self.reserved_labels.insert(label.clone());
            }
            let name = label.as_ref().map(|label| value_column(label, type_of(node)));
            let column = Column { name, ..expected_column(node) };
            self.listed.push(Listed { label, column, variables: BTreeMap::new() });
        }
    }
}

/// The metrics that have been visited.
#[derive(Default)]
struct Survey<'n> {
    /// The metrics of the world's list in its order.
    order: Vec<&'n Node>,
    /// The indices of listed metrics in expressions, each with the number of metrics that are in the list before the
    /// expression.
    references: BTreeSet<(usize, i64)>,
    /// The labels of all metrics.
    labels: Vec<String>,
}

impl<'n> Survey<'n> {
    /// Visits a metric in the order in which RobotSwarmSimulator lists metrics: those of an `AndMetrics` come before it.
    fn visit(&mut self, node: &'n Node, is_listed: bool) {
        let Value::Map(entries) = &node.value else { return };
        let lists_inner = type_of(node) == Some("AndMetrics");
        self.labels.push(label_of(node));
        for (key, value) in entries {
            match (key.text(), &value.value) {
                (Some("metric"), _) => self.visit(value, false),
                (Some("metrics"), Value::List(items)) => items.iter().for_each(|item| self.visit(item, lists_inner)),
                _ => {}
            }
        }
        for (_, value) in entries {
            let parts = value.text().into_iter().flat_map(|text| text.split("world.metrics[").skip(1));
            let place = self.order.len();
            self.references.extend(parts.filter_map(|part| Some((place, split_index(part)?.0))));
        }
        if is_listed {
            self.order.push(node);
        }
    }
}

/// Collects all texts within a node.
fn collect_texts<'n>(node: &'n Node, texts: &mut Vec<&'n str>) {
    match &node.value {
        Value::Scalar { text, .. } => texts.push(text),
        Value::Computed(_) => {}
        Value::List(items) => items.iter().for_each(|item| collect_texts(item, texts)),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| collect_texts(value, texts)),
    }
}

/// The name that a text begins with.
fn leading_name(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

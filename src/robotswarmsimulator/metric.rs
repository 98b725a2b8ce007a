//! Metrics, and the expressions that name them.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_base::math;
use swarmarium_base::names::Names;
use swarmarium_core::expression::is_name;
use swarmarium_core::kind::Slot;
use swarmarium_core::metric::{Metric, MetricFamily, Observing};
use swarmarium_scene::scene::description::Group;

use super::fields::{Fields, Reader, Spot, as_number};
use super::scalar::Scalar;
use super::term::TermError;
use super::yaml::{Node, Value};

use self::column::{Column, expected_column, value_column};
use self::keys::{ANY_AGENT, METRIC_KEYS, METRICS, difference, own_keys};

mod agent_search;
mod column;
mod conditional;
mod keys;
mod lookup;
mod population;
mod simple;
mod survey;

const TWICE: &str = "is observed once in a step; within `AndMetrics`, RobotSwarmSimulator observes it twice";
const OWN_METRIC: &str = "It is left out, as are the metrics that are made from it";
const ALWAYS_OBSERVED: &str = "is observed at every step, even if the `eval_condition` does not hold";

/// The metrics of a world, in order.
pub struct Metrics<'w> {
    /// The metrics. Inner metrics come before the metrics that use them.
    pub slots: Vec<Slot<MetricFamily>>,
    /// The names of their columns, in order.
    columns: Vec<String>,
    names: Names,
    groups: &'w [Group],
    /// The groups whose agents have a name in the file.
    groups_named: &'w dyn Fn(&str) -> Vec<String>,
    /// The metrics of the world's list, with those within `AndMetrics`, which RobotSwarmSimulator adds to that list.
    listed: Vec<Listed>,
    /// The number of listed metrics that have been read.
    read_count: usize,
    /// Labels of metrics that an expression names before they are read. No other metric may have them.
    reserved_labels: BTreeSet<String>,
    /// The variables of templates that expressions of other metrics name.
    exported_variables: BTreeSet<String>,
    /// Whether the world has objects, which `AnyAgent` tests in RobotSwarmSimulator.
    has_objects: bool,
    /// The numbers of the world that expressions can name, such as `world.dt`.
    constants: Vec<(String, f64)>,
    /// The columns of agents, by number and value, that expressions name.
    asked_agents: BTreeMap<(usize, String), String>,
}

/// A metric of the world's list.
struct Listed {
    label: Option<String>,
    column: Column,
    /// The columns of variables that its template sets.
    variables: BTreeMap<String, Column>,
}

impl<'w> Metrics<'w> {
    /// Reads the metrics of a world. `groups_named` gives the groups whose agents have a name in the file.
    pub fn read(
        reader: &mut Reader,
        world: &Fields,
        groups: &'w [Group],
        groups_named: &'w dyn Fn(&str) -> Vec<String>,
    ) -> Self {
        let list = reader.items(world.get("metrics"));
        let mut metrics = Self {
            slots: Vec::new(),
            columns: Vec::new(),
            names: Names::default(),
            groups,
            groups_named,
            listed: Vec::new(),
            read_count: 0,
            reserved_labels: BTreeSet::new(),
            exported_variables: BTreeSet::new(),
            has_objects: !reader.items(world.get("objects")).is_empty(),
            constants: constants(reader, world),
            asked_agents: BTreeMap::new(),
        };
        metrics.survey(&list, world.get("stop_at").as_ref());
        for spot in list {
            metrics.read_metric(reader, &spot, true);
        }
        metrics
    }

    /// The name of the column of a metric.
    fn column_name<K: Metric>(&mut self, kind: &K, common: &Observing) -> String {
        if self.reserved_labels.contains(&common.label) {
            return common.label.clone();
        }
        self.names.unique(if common.label.is_empty() { kind.label().name } else { &common.label }, '_')
    }

    /// Adds a metric, and returns its name, with which the names of its columns begin.
    fn add<K: Metric>(&mut self, reader: &mut Reader, spot: &Spot, kind: K, common: Observing) -> Option<String> {
        let name = self.column_name(&kind, &common);
        self.add_as(reader, spot, kind, common, name)
    }

    /// Adds a metric under a name that [`column_name`](Self::column_name) returned.
    fn add_as<K: Metric>(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        kind: K,
        common: Observing,
        name: String,
    ) -> Option<String> {
        let label = if name == kind.label().name { String::new() } else { name.clone() };
        self.slots.push(reader.slot::<MetricFamily, K>(spot, kind)?.with(Observing { label, ..common }));
        match K::PARTS {
            [] => self.columns.push(name.clone()),
            parts => self.columns.extend(parts.iter().map(|part| format!("{name}.{}", part.name))),
        }
        Some(name)
    }

    /// Reads a metric, which may be in the world's list.
    fn read_metric(&mut self, reader: &mut Reader, spot: &Spot, is_listed: bool) -> Option<Column> {
        let column = self.read_with_inner(reader, spot, is_listed);
        if is_listed {
            if let (Some(column), Some(listed)) = (&column, self.listed.get_mut(self.read_count)) {
                listed.column = column.clone();
            }
            self.read_count += 1;
        }
        column
    }

    /// Reads a metric after its inner metrics.
    fn read_with_inner(&mut self, reader: &mut Reader, spot: &Spot, is_listed: bool) -> Option<Column> {
        let Some(name) = reader.type_or_own(spot, "metric", METRICS, OWN_METRIC)? else {
            return Some(Column::left_out());
        };
        if name == "Metric" {
            reader.warning(spot, "measures nothing, ignored: other metrics are made from it");
            return None;
        }
        Some(self.read_known(reader, spot, name, is_listed).unwrap_or_else(Column::left_out))
    }

    /// Reads a metric of a known class; `None` if it is left out.
    fn read_known(&mut self, reader: &mut Reader, spot: &Spot, name: &str, is_listed: bool) -> Option<Column> {
        let fields = reader.fields(spot, &[METRIC_KEYS, own_keys(name)])?;
        if let Some(difference) = difference(name) {
            reader.warning(spot, difference);
        }
        // The metrics of an `AndMetrics` are read before it.
        let inner = self.read_inner(reader, &fields, name);
        if inner.as_ref().is_some_and(|inner| inner.iter().any(|column| column.is_left_out)) {
            reader.warning(spot, "left out: a metric that it is made from is left out");
            return None;
        }
        let reserved = self.listed.get(self.read_count).filter(|_| is_listed).and_then(|listed| listed.label.clone());
        let label = reserved.unwrap_or_else(|| label_of(fields.spot.node));
        let common = Observing { label, ..Observing::default() };
        let column = expected_column(spot.node);
        let found = match name {
            "EntityLen" => self.read_entity_len(reader, &fields, common),
            "AndMetrics" => self.read_and_metrics(reader, &fields, &inner?, common),
            "StepsUntil" => self.read_steps_until(reader, &fields, &inner?, common),
            "JinjaMetric" => return self.read_jinja_metric(reader, &fields, &inner?, common, is_listed),
            "AnyAgent" => self.read_any_agent(reader, &fields, common, true),
            "SensorRotation" | "GeneElementDifference" => self.read_angle(reader, &fields, name, common),
            "SubGroupBehavior" => self.read_subgroup(reader, &fields),
            _ => self.read_simple(reader, &fields, name, common),
        };
        let value = value_column(&found?, Some(name));
        Some(Column { name: Some(value).filter(|value| self.columns.contains(value)), ..column })
    }

    /// The inner metrics of a metric; `None` if one of them cannot be read.
    fn read_inner(&mut self, reader: &mut Reader, fields: &Fields, name: &str) -> Option<Vec<Column>> {
        let spots = match name {
            "AndMetrics" => reader.items(fields.get("metrics")),
            "StepsUntil" => fields.get("metric").into_iter().collect(),
            "JinjaMetric" => fields.get("metric").into_iter().chain(reader.items(fields.get("metrics"))).collect(),
            _ => return Some(Vec::new()),
        };
        // An `AnyAgent` that ends a `StepsUntil` needs no memory: `StepsUntil` stops at the first agent that it finds.
        let ends = name == "StepsUntil" && fields.get("until_expression").is_none() && !has(fields, "sentinel");
        let read = |spot: &Spot| {
            let is_any_agent = type_of(spot.node) == Some("AnyAgent");
            if ends && is_any_agent && spot.node.get("default").is_none_or(|node| !is_true(node)) {
                let fields = reader.fields(spot, &[METRIC_KEYS, ANY_AGENT])?;
                let common = Observing { label: label_of(fields.spot.node), ..Observing::default() };
                let name = self.read_any_agent(reader, &fields, common, false)?;
                return Some(Column { name: Some(name), is_agent: true, ..Column::default() });
            }
            match name {
                "AndMetrics" => warn_of_memory(reader, spot, TWICE),
                _ if has(fields, "eval_condition") => warn_of_memory(reader, spot, ALWAYS_OBSERVED),
                _ => {}
            }
            self.read_metric(reader, spot, name == "AndMetrics")
        };
        let inner: Vec<Option<Column>> = spots.iter().map(read).collect();
        inner.into_iter().collect()
    }
}

/// The numbers of a world that expressions can name.
fn constants(reader: &Reader, world: &Fields) -> Vec<(String, f64)> {
    let mut constants = vec![("world.dt".to_owned(), reader.dt_s), ("world.config.time_step".to_owned(), reader.dt_s)];
    let size = world.get("size");
    let size = match size.as_ref().map(|spot| &spot.node.value) {
        None => vec![5.0, 5.0],
        Some(Value::List(items)) => items.iter().filter_map(as_number).collect(),
        Some(_) => Vec::new(),
    };
    if let [width, height] = size[..] {
        constants.push(("world.config.size[0]".into(), width));
        constants.push(("world.config.size[1]".into(), height));
        constants.push(("world.config.radius".into(), math::hypot(width / 2.0, height / 2.0)));
    }
    let seed = world.get("seed").and_then(|spot| as_number(spot.node));
    constants.extend(
        seed.into_iter().flat_map(|seed| ["world.seed", "world.config.seed"].map(|name| (name.to_owned(), seed))),
    );
    constants
}

/// The value of a result; an error becomes a warning, as the metric is left out.
fn or_left_out<T>(reader: &mut Reader, spot: &Spot, result: Result<T, impl Into<TermError>>) -> Option<T> {
    result.map_err(|error| reader.warning(spot, format!("left out: {}", error.into()))).ok()
}

/// The text of the `expression`; a missing one is a problem.
fn read_expression(reader: &mut Reader, fields: &Fields) -> Option<String> {
    let expression = fields.text("expression");
    if expression.is_none() {
        reader.problem(&fields.spot, "the `expression` is missing");
    }
    expression
}

/// The `default`, if it is a number. A text is a problem.
fn read_initial(reader: &mut Reader, fields: &Fields) -> Option<f64> {
    let spot = fields.get("default").filter(|spot| spot.node.text() != Some("__unset__"))?;
    let number = as_number(spot.node);
    if number.is_none() {
        reader.problem(&spot, "the `default` can only be a number, true, false or null");
    }
    number
}

/// Whether Python treats the value of a node as true.
fn is_true(node: &Node) -> bool {
    node.scalar() != Scalar::Null && as_number(node) != Some(0.0)
}

/// Whether a map has a key, even with the value null.
fn has(fields: &Fields, key: &str) -> bool {
    fields.spot.node.get(key).is_some_and(|node| node.text() != Some("__none__"))
}

/// The `type` of a map.
fn type_of(node: &Node) -> Option<&str> {
    node.get("type")?.text()
}

/// Warns of a metric that depends on earlier observations, where RobotSwarmSimulator observes it at other times.
fn warn_of_memory(reader: &mut Reader, spot: &Spot, warning: &str) {
    if matches!(type_of(spot.node), Some("Circliness" | "TotalCollisionsBehavior" | "StepsUntil" | "JinjaMetric")) {
        reader.warning(spot, warning);
    }
}

/// The `name` of a metric if it can name a column; otherwise empty.
fn label_of(node: &Node) -> String {
    let name = node.get("name").and_then(Node::text).unwrap_or_default();
    let label: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if is_name(&label) { label } else { String::new() }
}

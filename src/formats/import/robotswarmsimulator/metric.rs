//! Metrics, and the expressions that name them.

use std::collections::{BTreeMap, BTreeSet};

use swarmarium_base::names::Names;
use swarmarium_core::expression::{ALWAYS, Expression, PREVIOUS, is_name};
use swarmarium_core::kind::Slot;
use swarmarium_core::metric::{Metric, MetricFamily, Observing, Variant};
use swarmarium_core::scene::description::Group;
use swarmarium_kinds::metric::any_agent::AGENT_NAMES;
use swarmarium_kinds::metric::circle_fit::Method;
use swarmarium_kinds::metric::steps_until::{Meanwhile, StepsUntil};
use swarmarium_kinds::metric::*;

use super::fields::{FINITE, Fields, Key, Reader, Spot, as_number, as_whole, limits};
use super::jinja::{self, Expr, Statement};
use super::scalar::Scalar;
use super::term::{self, Term};
use super::yaml::{Node, Value};

const METRICS: &[&str] = &[
    "Metric",
    "AverageSpeedBehavior",
    "AngularMomentumBehavior",
    "ScatterBehavior",
    "GroupRotationBehavior",
    "EntityLen",
    "AndMetrics",
    "StepsUntil",
    "AnyAgent",
    "JinjaMetric",
    "Circliness",
    "TotalCollisionsBehavior",
    "RadialVarianceMetric",
    "Fatness",
    "Fatness2",
    "Tangentness",
    "RoutRin",
    "Aggregation",
    "InstantLSQCircularity",
    "InstantHyperLSQCircularity",
    "InstantRiemannCircularity",
    "InstantLMCircularity",
    "InstantPrattSVDCircularity",
    "InstantTaubinSVDCircularity",
    "InstantHyperSVDCircularity",
    "InstantKMHCircularity",
    "DistanceSizeRatio",
    "DelaunayDiffusion",
    "InteragentDispersion",
    "ExplodingDispersion",
    "ConvexHull",
    "InverseConvexHull",
    "Centroid",
    "Orbit",
    "AlgebraicConn",
    "CirclePacking",
    "PersistentHomology",
    "RandomBoxAggregation",
    "RandomBoxSampling",
    "SensorSignalBehavior",
    "SensorRotation",
    "GeneElementDifference",
    "SubGroupBehavior",
    "AgentsAtGoal",
    "PercentageAtGoal",
];
const METRIC_KEYS: &[Key] = &[
    Key::carried("type"),
    Key::carried("name"),
    // Lists of past values and their aggregation, for programs that evaluate a run.
    Key::dead("history"),
    Key::dead("default_aggregation"),
];
const SCALE: &[Key] = &[Key::carried("scale"), Key::missing("regularize", "")];
/// Metrics whose formula leaves the scale out.
const NO_SCALE: &[Key] = &[Key::dead("scale"), Key::missing("regularize", "")];
const REGULARIZE: &[Key] = &[Key::carried("regularize")];
const TRIANGLES: &[Key] = &[Key::dead("regularize")];
const WINDOW: &[Key] = &[Key::carried("avg_history_max"), Key::missing("regularize", "")];
const DISK: &[Key] = &[Key::carried("r_disk_size"), Key::missing("track_components", "")];
const HOMOLOGY: &[Key] = &[Key::ignored("dims", BOTH), Key::ignored("max_death", BOTH), Key::looks("draw_cycles")];
const BOTH: &str = "ignored: it tells pieces and holes, their numbers and their last scales";
const SLOT: &[Key] = &[Key::carried("sensor_index"), Key::looks("show")];
const GENES: &[Key] = &[Key::carried("genome_a_index"), Key::carried("genome_b_index")];
const GOALS: &[Key] = &[Key::missing("as_percent", ""), Key::missing("percentage", "")];
const SUBGROUP: &[Key] =
    &[Key::carried("wrapped_behavior"), Key::carried("metric"), Key::carried("subgroup"), Key::carried("group")];
/// The elements of a list of numbers for a controller of two commands, in the order of the list.
const GENOME: [&str; 4] = ["clear.v_m_per_s", "clear.turn_rad_per_s", "detected.v_m_per_s", "detected.turn_rad_per_s"];
const ENTITY_LEN: &[Key] = &[Key::carried("target_name"), Key::carried("attribute")];
const SEVERAL: &[Key] = &[Key::carried("metrics"), Key::carried("and_fn")];
const STEPS_UNTIL: &[Key] =
    &[Key::carried("metric"), Key::carried("sentinel"), Key::carried("until_expression"), Key::carried("default")];
const JINJA: &[Key] = &[
    Key::carried("metric"),
    Key::carried("metrics"),
    Key::carried("expression"),
    Key::carried("template"),
    Key::carried("eval_condition"),
    Key::carried("save_condition"),
    Key::carried("default"),
];
const ANY_AGENT: &[Key] = &[
    Key::carried("expression"),
    Key::carried("include_teams"),
    Key::carried("exclude_teams"),
    Key::carried("exclude_names"),
    Key::carried("value_on_found"),
    Key::carried("default"),
    // Jinja raises none of the errors that this key is for.
    Key::dead("error"),
];

/// Metrics without a column that an expression can name: no value, several numbers, or the metric of a group.
const WITHOUT_NUMBER: [&str; 6] =
    ["Metric", "Centroid", "PersistentHomology", "RandomBoxSampling", "SensorSignalBehavior", "SubGroupBehavior"];

/// The metrics of a world, in order.
pub struct Metrics<'w> {
    /// The metrics. Inner metrics come before the metrics that use them.
    pub found: Vec<Slot<MetricFamily>>,
    /// The names of their columns, in order.
    columns: Vec<String>,
    names: Names,
    groups: &'w [Group],
    named: &'w dyn Fn(&str) -> Vec<String>,
    /// The metrics of the world's list, with those within `AndMetrics`, which RobotSwarmSimulator adds to that list.
    listed: Vec<Listed>,
    /// The number of listed metrics that have been read.
    read: usize,
    /// Labels of metrics that an expression names before they are read. No other metric may have them.
    reserved: BTreeSet<String>,
    /// The variables of templates that expressions of other metrics name.
    exported: BTreeSet<String>,
    /// Whether the world has objects, which `AnyAgent` tests in RobotSwarmSimulator.
    has_objects: bool,
}

/// A metric of the world's list.
struct Listed {
    label: Option<String>,
    column: Column,
    /// The columns of variables that its template sets.
    variables: BTreeMap<String, Column>,
}

/// The column of a metric, and the values that it can have.
#[derive(Clone, Debug, Default)]
struct Column {
    /// The name of the column; `None` for a metric without a number, or with several.
    name: Option<String>,
    /// Whether the value is an agent in RobotSwarmSimulator. The column has its number.
    is_agent: bool,
    /// Whether the metric can have no value after an observation.
    may_be_nothing: bool,
    /// The value before the first observation.
    initial: Option<f64>,
}

impl Column {
    fn of(name: String) -> Self {
        Self { name: Some(name), ..Self::default() }
    }

    /// The value in this step, or in the step before.
    fn term(&self, is_before: bool) -> Result<Term, String> {
        let Some(name) = &self.name else { return Err("the metric has no number, or several".into()) };
        let name = if is_before { format!("{PREVIOUS}{name}") } else { name.clone() };
        Ok(match (self.is_agent, is_before || self.may_be_nothing) {
            (true, _) => Term::agent(&name, self.initial),
            (false, true) => Term::column(&name, self.initial),
            (false, false) => Term::number(name),
        })
    }
}

/// The names that an expression can use besides those of the world.
#[derive(Default)]
struct Scope<'s> {
    /// The inner metrics.
    inner: &'s [Column],
    /// Whether the first inner metric is called `metric`.
    has_single: bool,
    /// Whether the expression is evaluated before the inner metrics are observed.
    is_before: bool,
    /// The variables of the template.
    variables: BTreeMap<String, Term>,
    /// Whether the expression can name an agent.
    has_agent: bool,
}

impl<'w> Metrics<'w> {
    /// Reads the metrics of a world. `named` gives the groups whose agents have a name in the file.
    pub fn read(
        reader: &mut Reader,
        world: &Fields,
        groups: &'w [Group],
        named: &'w dyn Fn(&str) -> Vec<String>,
    ) -> Self {
        let list = reader.items(world.get("metrics"));
        let has_objects = !reader.items(world.get("objects")).is_empty();
        let (found, columns, listed) = Default::default();
        let (names, reserved, exported) = Default::default();
        let mut metrics =
            Self { found, columns, names, groups, named, listed, read: 0, reserved, exported, has_objects };
        metrics.survey(&list, world.get("stop_at").as_ref());
        for spot in list {
            metrics.metric(reader, &spot, true);
        }
        metrics
    }

    /// Collects the metrics and variables that expressions name before they are read.
    fn survey(&mut self, list: &[Spot], stop: Option<&Spot>) {
        let (mut order, mut named, mut labels) = (Vec::new(), BTreeSet::new(), Vec::new());
        for spot in list {
            survey(spot.node, true, &mut order, &mut named, &mut labels);
        }
        let mut texts = Vec::new();
        let nodes = list.iter().map(|spot| spot.node).chain(stop.map(|spot| spot.node));
        nodes.for_each(|node| texts_of(node, &mut texts));
        let variables = texts.iter().flat_map(|text| text.split(".module.").skip(1));
        self.exported = variables.map(|rest| leading_name(rest).to_owned()).collect();
        for (place, node) in order.iter().enumerate() {
            let asked = named.iter().any(|(at, index)| *at <= place && place_of(*index, order.len()) == Some(place));
            let has_number = type_of(node).is_none_or(|kind| !WITHOUT_NUMBER.contains(&kind));
            let label = (asked && has_number).then(|| {
                let own = label_of(node);
                let is_alone = labels.iter().filter(|label| **label == own).count() == 1;
                if is_name(&own) && is_alone { own } else { format!("metric_{place}") }
            });
            if let Some(label) = &label {
                self.names.unique(label, '_');
                self.reserved.insert(label.clone());
            }
            let column = Column { name: label.as_ref().map(|label| with_part(label, type_of(node))), ..prospect(node) };
            self.listed.push(Listed { label, column, variables: BTreeMap::new() });
        }
    }

    /// A condition over the world and its metrics, evaluated after all metrics have been observed.
    ///
    /// # Errors
    /// Names the part that has no counterpart.
    pub fn condition(&mut self, reader: &mut Reader, spot: &Spot) -> Result<String, String> {
        let text = spot.node.text().unwrap_or_default();
        Ok(self.translated(reader, spot, text, &Scope::default())?.holds())
    }

    /// Translates the text of an expression.
    fn translated(&mut self, reader: &mut Reader, spot: &Spot, text: &str, scope: &Scope) -> Result<Term, String> {
        let text = text.trim();
        let bare = text.strip_prefix("{{").and_then(|text| text.strip_suffix("}}")).unwrap_or(text);
        self.term(reader, spot, &jinja::expression(bare)?, scope)
    }

    fn term(&mut self, reader: &mut Reader, spot: &Spot, expression: &Expr, scope: &Scope) -> Result<Term, String> {
        let term = term::term(expression, &mut |path| self.named(reader, spot, path, scope))?;
        let more: &[&str] = if scope.has_agent { &AGENT_NAMES } else { &[] };
        let mut known: Vec<&str> = ALWAYS.iter().chain(more).copied().collect();
        known.extend(self.columns.iter().map(String::as_str));
        let later = self.listed.iter().map(|listed| &listed.column).chain(scope.inner);
        let previous = later.filter_map(|column| column.name.as_ref()).chain(&self.columns);
        let previous: Vec<String> = previous.map(|name| format!("{PREVIOUS}{name}")).collect();
        known.extend(previous.iter().map(String::as_str));
        Expression::check(&term.value(), &known)?;
        Expression::check(&term.holds(), &known)?;
        Ok(term)
    }

    /// Translates a path; `None` if the path is unknown.
    fn named(&mut self, reader: &mut Reader, spot: &Spot, path: &str, scope: &Scope) -> Result<Option<Term>, String> {
        if let Some(term) = scope.variables.get(path) {
            return Ok(Some(term.clone()));
        }
        if path == "world.total_steps" {
            return Ok(Some(Term::number("step")));
        }
        if scope.has_single && path.strip_prefix("metric").is_some_and(is_value) {
            return scope.inner.first().ok_or("there is no `metric`")?.term(scope.is_before).map(Some);
        }
        if let Some((index, rest)) = path.strip_prefix("metrics[").and_then(indexed) {
            let inner = &scope.inner[usize::from(scope.has_single).min(scope.inner.len())..];
            let column = place_of(index, inner.len()).map(|place| &inner[place]);
            let column = column.ok_or_else(|| format!("there is no `metrics[{index}]` within it"))?;
            return if is_value(rest) { column.term(scope.is_before).map(Some) } else { Ok(None) };
        }
        if let Some((index, rest)) = path.strip_prefix("world.metrics[").and_then(indexed) {
            return self.of_world(index, rest);
        }
        if let Some((index, rest)) = path.strip_prefix("world.population[").and_then(indexed) {
            let Some(of_agent) = rest.strip_prefix('.').and_then(agent_term) else { return Ok(None) };
            let agent = usize::try_from(index).map_err(|_| "agents are counted from 0")?;
            let when = format!("agent == {agent}");
            let kind = any_agent::AnyAgent { when, value: of_agent.value(), ..Default::default() };
            let name =
                self.add(reader, spot, kind, Observing { label: format!("agent_{agent}"), ..Default::default() });
            return Ok(name.map(Term::number));
        }
        match path.strip_prefix("agent.") {
            Some(rest) if scope.has_agent => Ok(agent_term(rest)),
            _ => Ok(None),
        }
    }

    /// A value of a metric in the world's list: of this step, or of the step before if the metric is observed later.
    fn of_world(&self, index: i64, rest: &str) -> Result<Option<Term>, String> {
        let place = place_of(index, self.listed.len());
        let place = place.ok_or_else(|| format!("there is no `world.metrics[{index}]`"))?;
        let (listed, is_before) = (&self.listed[place], place >= self.read);
        if is_value(rest) {
            return listed.column.term(is_before).map(Some);
        }
        match rest.strip_prefix(".module.") {
            Some(_) if is_before => Err("variables of templates can be named only after their metric".into()),
            Some(name) => listed.variables.get(name).map(|column| column.term(false)).transpose(),
            None => Ok(None),
        }
    }

    /// The name for the column of a metric.
    fn name_for<K: Metric>(&mut self, kind: &K, common: &Observing) -> String {
        if self.reserved.contains(&common.label) {
            return common.label.clone();
        }
        self.names.unique(if common.label.is_empty() { kind.label() } else { &common.label }, '_')
    }

    /// Adds a metric, and returns its name, with which the names of its columns begin.
    fn add<K: Metric>(&mut self, reader: &mut Reader, spot: &Spot, kind: K, common: Observing) -> Option<String> {
        let name = self.name_for(&kind, &common);
        self.add_as(reader, spot, kind, common, name)
    }

    fn add_as<K: Metric>(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        kind: K,
        common: Observing,
        name: String,
    ) -> Option<String> {
        let label = if name == kind.label() { String::new() } else { name.clone() };
        self.found.push(reader.slot::<MetricFamily, K>(spot, kind)?.with(Observing { label, ..common }));
        match K::PARTS {
            [] => self.columns.push(name.clone()),
            parts => self.columns.extend(parts.iter().map(|part| format!("{name}.{part}"))),
        }
        Some(name)
    }

    /// Reads a metric, which may be in the world's list.
    fn metric(&mut self, reader: &mut Reader, spot: &Spot, is_listed: bool) -> Option<Column> {
        let column = self.metric_within(reader, spot, is_listed);
        if is_listed {
            if let (Some(column), Some(listed)) = (&column, self.listed.get_mut(self.read)) {
                listed.column = column.clone();
            }
            self.read += 1;
        }
        column
    }

    fn metric_within(&mut self, reader: &mut Reader, spot: &Spot, is_listed: bool) -> Option<Column> {
        let name = reader.type_name(spot, "metric", METRICS, &[])?;
        if name == "Metric" {
            reader.warning(spot, "measures nothing, ignored: other metrics are made from it");
            return None;
        }
        let own_keys: &[&[Key]] = match name {
            "Circliness" | "Orbit" => &[METRIC_KEYS, WINDOW],
            "ScatterBehavior" | "RadialVarianceMetric" | "DistanceSizeRatio" => &[METRIC_KEYS, REGULARIZE],
            "Fatness" | "Fatness2" | "Tangentness" | "RoutRin" | "InteragentDispersion" | "ExplodingDispersion" => {
                &[METRIC_KEYS, SCALE]
            }
            "DelaunayDiffusion" => &[METRIC_KEYS, TRIANGLES],
            "AlgebraicConn" => &[METRIC_KEYS, DISK],
            "PersistentHomology" => &[METRIC_KEYS, HOMOLOGY],
            "SensorSignalBehavior" | "SensorRotation" => &[METRIC_KEYS, SLOT],
            "GeneElementDifference" => &[METRIC_KEYS, GENES],
            "AgentsAtGoal" | "PercentageAtGoal" => &[METRIC_KEYS, GOALS],
            "SubGroupBehavior" => &[METRIC_KEYS, SUBGROUP],
            "EntityLen" => &[METRIC_KEYS, ENTITY_LEN],
            "AndMetrics" => &[METRIC_KEYS, SEVERAL],
            "StepsUntil" => &[METRIC_KEYS, STEPS_UNTIL],
            "JinjaMetric" => &[METRIC_KEYS, JINJA],
            "AnyAgent" => &[METRIC_KEYS, ANY_AGENT],
            "Aggregation" => &[METRIC_KEYS, NO_SCALE],
            name if method(name).is_some() => &[METRIC_KEYS, NO_SCALE],
            _ => &[METRIC_KEYS],
        };
        let fields = reader.fields(spot, own_keys)?;
        if let Some(difference) = difference(name) {
            reader.warning(spot, difference);
        }
        // The metrics of an `AndMetrics` are read before it.
        let inner = self.inner(reader, &fields, name);
        let reserved = self.listed.get(self.read).filter(|_| is_listed).and_then(|listed| listed.label.clone());
        let label = reserved.unwrap_or_else(|| own_label(&fields));
        let common = Observing { label, ..Observing::default() };
        let column = prospect(spot.node);
        let found = match name {
            "EntityLen" => self.entity_len(reader, &fields, common),
            "AndMetrics" => self.all_of(reader, &fields, &inner?, common),
            "StepsUntil" => self.steps_until(reader, &fields, &inner?, common),
            "JinjaMetric" => return self.formula(reader, &fields, &inner?, common, is_listed),
            "AnyAgent" => self.any_agent(reader, &fields, common, true),
            "SensorRotation" | "GeneElementDifference" => self.turns(reader, &fields, name, common),
            "SubGroupBehavior" => self.of_group(reader, &fields),
            _ => self.simple(reader, &fields, name, common),
        };
        let value = with_part(&found?, Some(name));
        Some(Column { name: Some(value).filter(|value| self.columns.contains(value)), ..column })
    }

    /// The inner metrics of a metric; `None` if one of them cannot be read.
    fn inner(&mut self, reader: &mut Reader, fields: &Fields, name: &str) -> Option<Vec<Column>> {
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
                let common = Observing { label: own_label(&fields), ..Observing::default() };
                let name = self.any_agent(reader, &fields, common, false)?;
                return Some(Column { name: Some(name), is_agent: true, ..Column::default() });
            }
            match name {
                "AndMetrics" => remembering(reader, spot, TWICE),
                _ if has(fields, "eval_condition") => remembering(reader, spot, ALWAYS_OBSERVED),
                _ => {}
            }
            self.metric(reader, spot, name == "AndMetrics")
        };
        let inner: Vec<Option<Column>> = spots.iter().map(read).collect();
        inner.into_iter().collect()
    }

    fn simple(&mut self, reader: &mut Reader, fields: &Fields, name: &str, common: Observing) -> Option<String> {
        let spot = &fields.spot;
        let scale = reader.number_or(fields, "scale", 1.0, FINITE);
        let regularized = reader.is_on_or(fields, "regularize", true);
        let most = limits::<circliness::Circliness>("window_steps").max as i128;
        let window = fields.get("avg_history_max").map_or(100, |spot| reader.whole(&spot, 1, most));
        let window_steps = u32::try_from(window).unwrap_or(100);
        // A threshold of the file keeps its meaning.
        let variant = Variant::Classic;
        macro_rules! add {
            ($kind:expr) => {
                self.add(reader, spot, $kind, common)
            };
        }
        match name {
            "AverageSpeedBehavior" => add!(average_speed::AverageSpeed { variant }),
            "AngularMomentumBehavior" => add!(angular_momentum::AngularMomentum { variant }),
            "GroupRotationBehavior" => add!(group_rotation::GroupRotation { variant }),
            "ScatterBehavior" => add!(scatter::Scatter { regularized }),
            "RadialVarianceMetric" => add!(radial_variance::RadialVariance { regularized, variant }),
            "Circliness" => add!(circliness::Circliness { window_steps }),
            "Orbit" => add!(orbit::Orbit { window_steps }),
            "TotalCollisionsBehavior" => add!(total_collisions::TotalCollisions {}),
            "Fatness" => add!(fatness::Fatness { scale, variant }),
            "Fatness2" => add!(fatness2::Fatness2 { scale }),
            "Tangentness" => add!(tangentness::Tangentness { scale }),
            "RoutRin" => add!(rout_rin::RoutRin { scale }),
            "Aggregation" => add!(aggregation::Aggregation { variant, ..Default::default() }),
            "DistanceSizeRatio" => add!(distance_size_ratio::DistanceSizeRatio { regularized, variant }),
            "DelaunayDiffusion" => add!(delaunay_diffusion::DelaunayDiffusion {}),
            "InteragentDispersion" => add!(interagent_dispersion::InteragentDispersion { scale }),
            "ExplodingDispersion" => add!(exploding_dispersion::ExplodingDispersion { scale }),
            "ConvexHull" => add!(convex_hull::ConvexHull {}),
            "InverseConvexHull" => add!(inverse_convex_hull::InverseConvexHull {}),
            "Centroid" => add!(centroid::Centroid {}),
            "CirclePacking" => add!(circle_packing::CirclePacking {}),
            "PersistentHomology" => add!(persistent_homology::PersistentHomology::default()),
            "RandomBoxAggregation" => {
                // It draws another box at every step.
                add!(random_box_aggregation::RandomBoxAggregation { every_steps: 1, ..Default::default() })
            }
            "RandomBoxSampling" => add!(random_box_sampling::RandomBoxSampling::default()),
            "AgentsAtGoal" => add!(agents_at_goal::AgentsAtGoal::default()),
            "PercentageAtGoal" => add!(percentage_at_goal::PercentageAtGoal::default()),
            "SensorSignalBehavior" => {
                let slot = slot(reader, fields);
                add!(sensor_signal::SensorSignal { slot })
            }
            "AlgebraicConn" => {
                let most = limits::<algebraic_connectivity::AlgebraicConnectivity>("range_m");
                let range_m = reader.number_or(fields, "r_disk_size", 10.0, most);
                add!(algebraic_connectivity::AlgebraicConnectivity { range_m })
            }
            _ => {
                let method = method(name)?;
                add!(circle_fit::CircleFit { method, variant })
            }
        }
    }

    /// Angles of the first agent, as a fraction of a turn: the bearing of a sensor, or the difference of two elements of
    /// its controller's list of numbers.
    fn turns(&mut self, reader: &mut Reader, fields: &Fields, name: &str, common: Observing) -> Option<String> {
        let paths = if name == "SensorRotation" {
            vec![format!("sensors.{}.bearing_rad", slot(reader, fields))]
        } else {
            let last = GENOME.len() as i128 - 1;
            let mut element = |name, default| {
                let place = fields.get(name).map_or(default, |spot| reader.whole(&spot, 0, last));
                format!("controller.{}", GENOME[usize::try_from(place).unwrap_or_default()])
            };
            vec![element("genome_a_index", 0), element("genome_b_index", 1)]
        };
        let add = |path| self.add(reader, &fields.spot, parameter::Parameter { agent: 0, path }, Observing::default());
        let names: Vec<String> = paths.into_iter().filter_map(add).collect();
        let angle = match names.as_slice() {
            [one, other] => format!("abs({one} - {other})"),
            [one] => one.clone(),
            _ => return None,
        };
        let value = format!("{angle} / {:?}", std::f64::consts::TAU);
        self.add(reader, &fields.spot, formula::Formula { value }, common)
    }

    /// A metric of one group, given by name. In RobotSwarmSimulator, all agents have group 0 unless a program sets
    /// another.
    fn of_group(&mut self, reader: &mut Reader, fields: &Fields) -> Option<String> {
        let is_metric = |spot: &Spot| matches!(spot.node.value, Value::Map(_));
        let either = |names: [&str; 3]| names.map(|name| fields.get(name)).into_iter().flatten();
        let inner = either(["wrapped_behavior", "metric", "subgroup"]).find(is_metric);
        let group = either(["group", "subgroup", "metric"]).find(|spot| !is_metric(spot));
        let Some(inner) = inner else {
            reader.problem(
                &fields.spot,
                "the metric is missing: expected `metric: {type: …}` and `group`, its name or 0",
            );
            return None;
        };
        let name = self.metric(reader, &inner, false)?.name?;
        let of = match group.as_ref().map(|spot| (as_whole(spot.node), spot.node.text())) {
            None | Some((Some(0), _)) => String::new(),
            Some((None, Some(of))) => of.to_owned(),
            Some(_) => {
                let spot = group.as_ref().unwrap_or(&fields.spot);
                reader.problem(spot, "all agents of a world file are of group 0: expected that, or the name of one");
                return None;
            }
        };
        let metric = self.found.pop()?;
        let common = Observing { of, ..metric.common().clone() };
        self.found.push(metric.with(common));
        Some(name)
    }

    /// The number of elements of a named list.
    fn entity_len(&mut self, reader: &mut Reader, fields: &Fields, common: Observing) -> Option<String> {
        let spot = &fields.spot;
        let [target, attribute] = ["target_name", "attribute"].map(|key| fields.text(key));
        let target = target.unwrap_or_else(|| "population".into());
        let named = (self.named)(&target).into_iter().next();
        let inside = match (target.as_str(), attribute.as_deref(), named) {
            (_, Some("collided"), Some(group)) => self.first_of(group),
            (region, Some("collided"), None) => region.to_owned(),
            ("population", None, None) => String::new(),
            ("metrics", None, None) => {
                let value = self.listed.len().to_string();
                return self.add(reader, spot, formula::Formula { value }, common);
            }
            _ => {
                let message = "only the length of the `population`, of the `metrics`, or of the `collided` of an agent \
                               or a region can be imported";
                reader.problem(spot, message);
                return None;
            }
        };
        self.add(reader, spot, count::Count { inside }, common)
    }

    /// The first agent of a group.
    fn first_of(&self, group: String) -> String {
        let has_several = self.groups.iter().any(|known| known.name == group && known.agents() > 1);
        if has_several { format!("{group}-0") } else { group }
    }

    fn all_of(&mut self, reader: &mut Reader, fields: &Fields, inner: &[Column], common: Observing) -> Option<String> {
        if let Some(spot) = fields.get("and_fn").filter(|spot| !matches!(spot.node.text(), Some("python" | "numpy"))) {
            reader.problem(&spot, "expected `python` or `numpy`: the metric has no value with anything else");
            return None;
        }
        let conditions: Result<_, String> = inner.iter().map(|column| Ok(column.term(false)?.holds())).collect();
        match conditions {
            Ok(conditions) => self.add(reader, &fields.spot, all_of::AllOf { conditions }, common),
            Err(why) => {
                reader.problem(&fields.spot, why);
                None
            }
        }
    }

    fn steps_until(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        inner: &[Column],
        common: Observing,
    ) -> Option<String> {
        let spot = &fields.spot;
        let Some(metric) = inner.first() else {
            reader.problem(spot, "the `metric` is missing");
            return None;
        };
        let scope = Scope { inner, has_single: true, ..Scope::default() };
        // As in RobotSwarmSimulator, the sentinel has precedence.
        let until = match (spot.node.get("sentinel"), fields.get("until_expression")) {
            (Some(node), _) if node.text() != Some("__none__") => {
                let value = match (node.scalar(), plain(node)) {
                    (Scalar::Null, _) => Some("metric.value is none".to_owned()),
                    (_, Some(number)) => Some(format!("metric.value == {number:?}")),
                    (_, None) => None,
                };
                let Some(value) = value else {
                    reader.problem(spot, "the `sentinel` can only be a number, true, false or null");
                    return None;
                };
                self.translated(reader, spot, &value, &scope)
            }
            (_, Some(until)) => self.translated(reader, spot, until.node.text().unwrap_or_default(), &scope),
            _ => metric.term(false),
        };
        let until = self.said(reader, spot, until)?.holds();
        let meanwhile = match initial(reader, fields) {
            Some(value) => Meanwhile::Number { value },
            None => Meanwhile::Nothing,
        };
        self.add(reader, spot, StepsUntil { until, meanwhile }, common)
    }

    /// A `JinjaMetric`. If it keeps its value while a condition does not hold, its formula names its own previous value.
    fn formula(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        inner: &[Column],
        common: Observing,
        is_listed: bool,
    ) -> Option<Column> {
        let spot = &fields.spot;
        let stated = stated(reader, fields)?;
        let initial = initial(reader, fields);
        let name = self.name_for(&formula::Formula::default(), &common);
        let own = Column { name: Some(name.clone()), initial, ..Column::default() };
        let mut scope = Scope { inner, has_single: fields.get("metric").is_some(), ..Scope::default() };
        let statements = fields.text("template").map_or(Ok(Vec::new()), |text| jinja::template(&text));
        let statements = self.said(reader, spot, statements)?;
        let mut conditions = Vec::new();
        let held: Vec<Column>;
        if let Some(condition) = fields.text("eval_condition") {
            // The condition is evaluated first; the inner metrics are observed only if it holds.
            let names = inner.iter().enumerate().map(|(index, column)| (format!("{name}_{index}"), column.clone()));
            let names = names.map(|(name, column)| Column { name: Some(self.names.unique(&name, '_')), ..column });
            held = names.collect();
            scope = Scope { inner: &held, is_before: true, ..scope };
            let set = self.set(reader, spot, &statements, &mut scope);
            let holds = set.and_then(|()| self.translated(reader, spot, &condition, &scope));
            let holds = self.said(reader, spot, holds)?.holds();
            for (held, column) in held.iter().zip(inner) {
                let value = column.term(false).and_then(|now| Ok(now.or_where(&holds, &held.term(true)?).value()));
                let (value, label) = (self.said(reader, spot, value)?, held.name.clone()?);
                let common = Observing { label: label.clone(), ..Observing::default() };
                self.add_as(reader, spot, formula::Formula { value }, common, label)?;
            }
            conditions.push(holds);
            scope = Scope { is_before: false, variables: BTreeMap::new(), ..scope };
        }
        let set = self.set(reader, spot, &statements, &mut scope);
        self.said(reader, spot, set)?;
        let variables = self.export(reader, spot, &name, &scope)?;
        let value = self.translated(reader, spot, &stated, &scope);
        let mut value = self.said(reader, spot, value)?;
        if let Some(condition) = fields.text("save_condition") {
            let holds = self.translated(reader, spot, &condition, &scope);
            conditions.push(self.said(reader, spot, holds)?.holds());
        }
        if !conditions.is_empty() {
            let before = own.term(true);
            value = value.or_where(&conditions.join(" and "), &self.said(reader, spot, before)?);
        }
        let may_be_nothing = value.may_be_nothing();
        let kind = formula::Formula { value: value.value() };
        self.add_as(reader, spot, kind, common, name)?;
        if let Some(listed) = self.listed.get_mut(self.read).filter(|_| is_listed) {
            listed.variables = variables;
        }
        // `default` is only the value before the first step.
        let initial = initial.filter(|_| !may_be_nothing);
        Some(Column { may_be_nothing, initial, ..own })
    }

    /// Sets the variables of a template.
    fn set(&mut self, r: &mut Reader, spot: &Spot, statements: &[Statement], scope: &mut Scope) -> Result<(), String> {
        for statement in statements {
            match statement {
                Statement::Set(name, value) => {
                    let value = self.term(r, spot, value, scope)?;
                    scope.variables.insert(name.clone(), value);
                }
                Statement::If(branches, otherwise) => {
                    let before = scope.variables.clone();
                    self.set(r, spot, otherwise, scope)?;
                    for (condition, statements) in branches.iter().rev() {
                        let others = std::mem::replace(&mut scope.variables, before.clone());
                        let condition = self.term(r, spot, condition, scope)?.holds();
                        self.set(r, spot, statements, scope)?;
                        let names: BTreeSet<String> = scope.variables.keys().chain(others.keys()).cloned().collect();
                        let merged = names.into_iter().map(|name| {
                            let side = |terms: &BTreeMap<String, Term>| terms.get(&name).cloned();
                            let [value, other] = [&scope.variables, &others].map(side);
                            let merged = match (value, other) {
                                (Some(value), Some(other)) if value == other => value,
                                (value, other) => {
                                    let [value, other] = [value, other].map(|side| side.unwrap_or_else(Term::nothing));
                                    value.or_where(&condition, &other)
                                }
                            };
                            (name, merged)
                        });
                        scope.variables = merged.collect();
                    }
                }
            }
        }
        Ok(())
    }

    /// Adds columns for the variables of a template that expressions of other metrics name.
    fn export(
        &mut self,
        reader: &mut Reader,
        spot: &Spot,
        label: &str,
        scope: &Scope,
    ) -> Option<BTreeMap<String, Column>> {
        let mut columns = BTreeMap::new();
        for (name, term) in &scope.variables {
            if self.exported.contains(name) {
                let common = Observing { label: format!("{label}_{name}"), ..Observing::default() };
                let column = self.add(reader, spot, formula::Formula { value: term.value() }, common)?;
                // The variables have no values before the first step.
                columns.insert(name.clone(), Column { may_be_nothing: true, ..Column::of(column) });
            }
        }
        Some(columns)
    }

    /// An `AnyAgent`, which keeps the last agent that it found if it `remembers`.
    fn any_agent(
        &mut self,
        reader: &mut Reader,
        fields: &Fields,
        common: Observing,
        remembers: bool,
    ) -> Option<String> {
        let spot = &fields.spot;
        let stated = stated(reader, fields)?;
        let excluded = names(reader, fields, "exclude_names");
        let mut kind = any_agent::AnyAgent {
            teams: names(reader, fields, "include_teams"),
            except_teams: names(reader, fields, "exclude_teams"),
            except: excluded.iter().flat_map(|name| (self.named)(name)).collect(),
            ..Default::default()
        };
        let expression = jinja::expression(&stated);
        let expression = self.said(reader, spot, expression)?;
        let parsed = by_team(expression, &mut kind);
        let expression = self.said(reader, spot, parsed)?;
        let scope = Scope { has_agent: true, ..Scope::default() };
        let when = self.term(reader, spot, &expression, &scope);
        let when = self.said(reader, spot, when)?;
        kind.when = if has(fields, "include_teams") && kind.teams.is_empty() { "false".into() } else { when.holds() };
        let found = spot.node.get("value_on_found");
        // `otherwise`, the value without such an agent, differs from all values with one.
        (kind.value, kind.otherwise) = match found.map(|node| (plain(node), node.text())) {
            None | Some((None, Some("agent"))) => ("agent".to_owned(), -1.0),
            Some((None, Some("expression"))) => (when.value(), 0.0),
            Some((Some(number), _)) => (format!("{number:?}"), if number == 0.0 { -1.0 } else { 0.0 }),
            Some(_) => {
                reader.problem(spot, "`value_on_found` can be `agent`, `expression`, a number, true or false");
                return None;
            }
        };
        if self.has_objects && (kind.teams.is_empty() || kind.teams.iter().any(String::is_empty)) {
            reader.warning(spot, "tests agents only; RobotSwarmSimulator tests objects, too");
        }
        let initial = initial(reader, fields);
        let is_found = format!("!= {:?}", kind.otherwise);
        if !remembers {
            return self.add(reader, spot, kind, common);
        }
        let name = self.name_for(&kind, &common);
        let now = Observing { label: format!("{name}_now"), ..Observing::default() };
        let now = self.add(reader, spot, kind, now)?;
        let before = Term::column(&format!("{PREVIOUS}{name}"), initial);
        let value = Term::number(&now).or_where(&format!("{now} {is_found}"), &before).value();
        self.add_as(reader, spot, formula::Formula { value }, common, name)
    }

    /// The value of an outcome; an error becomes a problem.
    fn said<T>(&self, reader: &mut Reader, spot: &Spot, outcome: Result<T, String>) -> Option<T> {
        outcome.map_err(|why| reader.problem(spot, format!("cannot be imported: {why}"))).ok()
    }
}

/// Moves the comparisons of teams, which are texts, from an expression into the parameters of a metric.
fn by_team(expression: Expr, kind: &mut any_agent::AnyAgent) -> Result<Expr, String> {
    match expression {
        Expr::And(left, right) => {
            let (left, right) = (by_team(*left, kind)?, by_team(*right, kind)?);
            Ok(Expr::And(Box::new(left), Box::new(right)))
        }
        Expr::Compare(left, more) => match (term::path(&left).as_deref(), &more[..]) {
            (Some("agent.team"), [("==", Expr::Text(team))]) if kind.teams.is_empty() => {
                kind.teams = vec![team.clone()];
                Ok(Expr::Truth(true))
            }
            (Some("agent.team"), [("!=", Expr::Text(team))]) => {
                kind.except_teams.push(team.clone());
                Ok(Expr::Truth(true))
            }
            (Some("agent.team" | "agent.name"), _) => {
                Err("of texts, only `agent.team == '…'` and `!=` have a counterpart, joined by `and`".into())
            }
            _ => Ok(Expr::Compare(left, more)),
        },
        other => Ok(other),
    }
}

/// The names in a list, or a single name. An empty name stands for agents without a name.
fn names(reader: &mut Reader, fields: &Fields, key: &str) -> Vec<String> {
    let Some(spot) = fields.get(key) else { return Vec::new() };
    if let Some(name) = spot.node.text() {
        return vec![name.to_owned()];
    }
    let items = reader.items(Some(spot));
    let named = items.iter().map(|item| item.node).map(|node| node.text().filter(|_| node.scalar() != Scalar::Null));
    named.map(|name| name.unwrap_or_default().to_owned()).collect()
}

/// The text of the `expression`; a missing one is a problem.
fn stated(reader: &mut Reader, fields: &Fields) -> Option<String> {
    let stated = fields.text("expression");
    if stated.is_none() {
        reader.problem(&fields.spot, "the `expression` is missing");
    }
    stated
}

/// The `default`, if it is a number. A text is a problem.
fn initial(reader: &mut Reader, fields: &Fields) -> Option<f64> {
    let spot = fields.get("default").filter(|spot| spot.node.text() != Some("__unset__"))?;
    let number = plain(spot.node);
    if number.is_none() {
        reader.problem(&spot, "the `default` can only be a number, true, false or null");
    }
    number
}

/// Translates an attribute of an agent.
fn agent_term(attribute: &str) -> Option<Term> {
    let number = |name: &str| Some(Term::number(name));
    match attribute {
        "pos[0]" | "position[0]" | "getPosition()[0]" | "get_x_pos()" => number("x_m"),
        "pos[1]" | "position[1]" | "getPosition()[1]" | "get_y_pos()" => number("y_m"),
        "angle" | "get_heading()" => number("heading_rad"),
        "radius" => number("radius_m"),
        "collision_flag" | "collided" => number("collided"),
        "dead" => number("dead"),
        _ => {
            let (slot, rest) = indexed(attribute.strip_prefix("sensors[")?)?;
            let name = AGENT_NAMES.iter().find(|name| **name == format!("sensor_{slot}"))?;
            (rest == ".current_state").then(|| Term::number(*name))
        }
    }
}

/// Whether the end of a path is the value of a metric.
fn is_value(rest: &str) -> bool {
    matches!(rest, ".value" | ".current_value")
}

/// The number before a bracket, and the text after the bracket.
fn indexed(text: &str) -> Option<(i64, &str)> {
    let (index, rest) = text.split_once(']')?;
    Some((index.parse().ok()?, rest))
}

/// The place of an index, which can count from the end.
fn place_of(index: i64, count: usize) -> Option<usize> {
    let place = if index < 0 { index.checked_add(i64::try_from(count).ok()?)? } else { index };
    usize::try_from(place).ok().filter(|place| *place < count)
}

/// The number of a node; true is 1, and false is 0.
fn plain(node: &Node) -> Option<f64> {
    match node.scalar() {
        Scalar::Bool(truth) => Some(f64::from(truth)),
        _ => as_number(node),
    }
}

fn is_true(node: &Node) -> bool {
    node.scalar() != Scalar::Null && plain(node) != Some(0.0)
}

/// Whether the map has a key, even with the value null.
fn has(fields: &Fields, key: &str) -> bool {
    fields.spot.node.get(key).is_some_and(|node| node.text() != Some("__none__"))
}

fn type_of(node: &Node) -> Option<&str> {
    node.get("type")?.text()
}

/// The name of the column with the number that RobotSwarmSimulator calls the value.
fn with_part(name: &str, kind: Option<&str>) -> String {
    match kind {
        Some("AlgebraicConn") => format!("{name}.connected"),
        Some("AgentsAtGoal" | "PercentageAtGoal") => format!("{name}.now"),
        Some(kind) if method(kind).is_some() => format!("{name}.residual"),
        _ => name.to_owned(),
    }
}

/// The column of a metric, as far as it is known before the metric is read.
fn prospect(node: &Node) -> Column {
    let kind = type_of(node);
    let default = node.get("default").and_then(plain);
    let is_agent =
        kind == Some("AnyAgent") && node.get("value_on_found").is_none_or(|node| node.text() == Some("agent"));
    let initial = default.filter(|_| matches!(kind, Some("AnyAgent" | "StepsUntil" | "JinjaMetric")));
    let may_be_nothing = matches!(kind, Some("AnyAgent" | "StepsUntil")) && default.is_none();
    Column { name: None, is_agent, may_be_nothing, initial }
}

/// Visits a metric in the order in which RobotSwarmSimulator lists metrics: those of an `AndMetrics` come before it.
///
/// `named` collects the indices in its expressions, each with the number of metrics that are in the list before it.
fn survey<'n>(
    node: &'n Node,
    is_listed: bool,
    order: &mut Vec<&'n Node>,
    named: &mut BTreeSet<(usize, i64)>,
    labels: &mut Vec<String>,
) {
    let Value::Map(entries) = &node.value else { return };
    let is_all = type_of(node) == Some("AndMetrics");
    labels.push(label_of(node));
    for (key, value) in entries {
        match (key.text(), &value.value) {
            (Some("metric"), _) => survey(value, false, order, named, labels),
            (Some("metrics"), Value::List(items)) => {
                items.iter().for_each(|item| survey(item, is_all, order, named, labels));
            }
            _ => {}
        }
    }
    for (_, value) in entries {
        let parts = value.text().into_iter().flat_map(|text| text.split("world.metrics[").skip(1));
        named.extend(parts.filter_map(|part| Some((order.len(), indexed(part)?.0))));
    }
    if is_listed {
        order.push(node);
    }
}

fn texts_of<'n>(node: &'n Node, texts: &mut Vec<&'n str>) {
    match &node.value {
        Value::Scalar { text, .. } => texts.push(text),
        Value::Computed(_) => {}
        Value::List(items) => items.iter().for_each(|item| texts_of(item, texts)),
        Value::Map(entries) => entries.iter().for_each(|(_, value)| texts_of(value, texts)),
    }
}

fn leading_name(text: &str) -> &str {
    &text[..text.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(text.len())]
}

const TWICE: &str = "is observed once in a step; within `AndMetrics`, RobotSwarmSimulator observes it twice";
const ALWAYS_OBSERVED: &str = "is observed at every step, even if the `eval_condition` does not hold";

/// Warns of a metric that depends on earlier observations, where RobotSwarmSimulator observes it at other times.
fn remembering(reader: &mut Reader, spot: &Spot, warning: &str) {
    if matches!(type_of(spot.node), Some("Circliness" | "TotalCollisionsBehavior" | "StepsUntil" | "JinjaMetric")) {
        reader.warning(spot, warning);
    }
}

/// The slot of `sensor_index`.
fn slot(reader: &mut Reader, fields: &Fields) -> u32 {
    let last = limits::<sensor_signal::SensorSignal>("slot").max as i128;
    let slot = fields.get("sensor_index").map_or(0, |spot| reader.whole(&spot, 0, last));
    u32::try_from(slot).unwrap_or_default()
}

/// The `name`, when it can name a column.
fn own_label(fields: &Fields) -> String {
    label_of(fields.spot.node)
}

fn label_of(node: &Node) -> String {
    let name = node.get("name").and_then(Node::text).unwrap_or_default();
    let label: String = name.chars().map(|c| if c.is_ascii_alphanumeric() { c } else { '_' }).collect();
    if is_name(&label) { label } else { String::new() }
}

/// The way to fit a circle that a class of the original stands for.
fn method(name: &str) -> Option<Method> {
    Some(match name {
        "InstantLSQCircularity" | "InstantLMCircularity" => Method::Geometric,
        "InstantHyperLSQCircularity" => Method::HyperLsq,
        "InstantRiemannCircularity" => Method::Riemann,
        "InstantPrattSVDCircularity" => Method::Pratt,
        "InstantTaubinSVDCircularity" => Method::Taubin,
        "InstantHyperSVDCircularity" => Method::Hyper,
        "InstantKMHCircularity" => Method::Consistent,
        _ => return None,
    })
}

/// The difference between a metric here and in RobotSwarmSimulator.
fn difference(name: &str) -> Option<&'static str> {
    Some(match name {
        "SensorSignalBehavior" => "the share of sensors that detect here, a pair of shares in RobotSwarmSimulator",
        "RandomBoxAggregation" | "RandomBoxSampling" => "as many boxes as agents here, in other places",
        "PersistentHomology" => "of discs here, of Rips complexes in RobotSwarmSimulator",
        _ => return None,
    })
}

//! Metrics, and the expressions that name them.

use super::fields::{FINITE, Fields, Key, Reader, Spot, as_number, as_whole, limits};
use super::yaml::Value;
use crate::kind::{MetricFamily, Open};
use crate::metric::circle_fit::Method;
use crate::metric::expression::{ALWAYS, Expression, is_name};
use crate::metric::*;

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
const METRIC_KEYS: &[Key] = &[Key::carried("type"), Key::carried("name"), Key::dead("history")];
const SCALE: &[Key] = &[Key::carried("scale")];
const REGULARIZE: &[Key] = &[Key::carried("regularize")];
const WINDOW: &[Key] = &[Key::carried("avg_history_max")];
const DISK: &[Key] = &[Key::carried("r_disk_size"), Key::missing("track_components", "")];
const HOMOLOGY: &[Key] = &[Key::ignored("dims", BOTH), Key::ignored("max_death", BOTH), Key::looks("draw_cycles")];
const BOTH: &str = "ignored: it tells pieces and holes, their numbers and their last scales";
const SLOT: &[Key] = &[Key::carried("sensor_index")];
const GENES: &[Key] = &[Key::carried("genome_a_index"), Key::carried("genome_b_index")];
const SUBGROUP: &[Key] =
    &[Key::carried("wrapped_behavior"), Key::carried("metric"), Key::carried("subgroup"), Key::carried("group")];
/// The elements of a list of numbers for a controller of two commands, in the order of the list.
const GENOME: [&str; 4] = ["clear.v_m_per_s", "clear.turn_rad_per_s", "detected.v_m_per_s", "detected.turn_rad_per_s"];
const ENTITY_LEN: &[Key] = &[Key::carried("target_name"), Key::carried("attribute")];
const SEVERAL: &[Key] = &[Key::carried("metrics"), Key::dead("and_fn")];
const STEPS_UNTIL: &[Key] =
    &[Key::carried("metric"), Key::carried("sentinel"), Key::carried("until_expression"), Key::missing("default", "")];
const JINJA: &[Key] = &[
    Key::carried("metric"),
    Key::carried("metrics"),
    Key::carried("expression"),
    Key::missing("template", ""),
    Key::missing("eval_condition", ""),
    Key::missing("save_condition", ""),
    Key::missing("default", ""),
];
const ANY_AGENT: &[Key] = &[
    Key::carried("expression"),
    Key::carried("include_teams"),
    Key::carried("value_on_found"),
    Key::carried("default"),
    Key::missing("exclude_teams", ""),
    Key::missing("exclude_names", ""),
    Key::missing("error", "raise|default"),
];

/// What expressions of the original call what ours call otherwise.
const WORLD: &[(&str, &str)] = &[
    ("world.total_steps", "step"),
    ("self.total_steps", "step"),
    ("world.population|length", "count"),
    ("world.population | length", "count"),
    ("len(world.population)", "count"),
    ("True", "true"),
    ("False", "false"),
];
const AGENT: &[(&str, &str)] = &[
    ("agent.x_pos", "x_m"),
    ("agent.y_pos", "y_m"),
    ("agent.pos[0]", "x_m"),
    ("agent.pos[1]", "y_m"),
    ("agent.angle", "heading_rad"),
    ("agent.radius", "radius_m"),
    ("agent.collision_flag", "collided"),
    ("agent.collided", "collided"),
];

/// The metrics of a world, in order.
#[derive(Default)]
pub struct Metrics {
    /// The metrics, those that others are made of before these.
    pub found: Vec<Open<MetricFamily>>,
    /// The names of their columns.
    names: Vec<String>,
    /// The names of those that the world lists itself.
    listed: Vec<String>,
}

impl Metrics {
    /// Reads the list of a world.
    pub fn read(reader: &mut Reader, list: Option<Spot>) -> Self {
        let mut metrics = Self::default();
        for spot in reader.items(list) {
            let name = metrics.metric(reader, &spot).unwrap_or_default();
            metrics.listed.push(name);
        }
        metrics
    }

    /// An expression of the original in our words.
    ///
    /// # Errors
    /// Says what cannot be said here.
    pub fn expression(&self, text: &str, inner: &[String], more: &[(&str, &str)]) -> Result<String, String> {
        let mut ours = text.trim().trim_start_matches("{{").trim_end_matches("}}").trim().to_owned();
        for (theirs, name) in more.iter().chain(WORLD) {
            ours = ours.replace(theirs, name);
        }
        for (index, name) in self.listed.iter().enumerate() {
            ours = ours.replace(&format!("world.metrics[{index}].value"), name);
        }
        for (index, name) in inner.iter().enumerate() {
            ours = ours.replace(&format!("metrics[{index}].value"), name);
        }
        if let [name, ..] = inner {
            ours = ours.replace("metric.value", name);
        }
        let own = more.iter().map(|(_, name)| *name);
        let known: Vec<&str> = ALWAYS.into_iter().chain(own).chain(self.names.iter().map(String::as_str)).collect();
        Expression::check(&ours, &known).map(|()| ours)
    }

    /// The name that the column of a kind gets.
    fn name(&self, label: &str) -> String {
        let numbered = (2..).map(|number| format!("{label}_{number}"));
        let mut names = std::iter::once(label.to_owned()).chain(numbered);
        names.find(|name| !self.names.contains(name)).unwrap_or_default()
    }

    /// Adds a metric; the name of its column.
    fn add<K: Metric>(&mut self, reader: &mut Reader, spot: &Spot, kind: K, common: Observing) -> Option<String> {
        let name = self.name(if common.label.is_empty() { kind.label() } else { &common.label });
        self.found.push(reader.slot::<MetricFamily, K>(spot, kind)?.with(common));
        self.names.push(name.clone());
        Some(name)
    }

    fn metric(&mut self, reader: &mut Reader, spot: &Spot) -> Option<String> {
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
            "AlgebraicConn" => &[METRIC_KEYS, DISK],
            "PersistentHomology" => &[METRIC_KEYS, HOMOLOGY],
            "SensorSignalBehavior" | "SensorRotation" => &[METRIC_KEYS, SLOT],
            "GeneElementDifference" => &[METRIC_KEYS, GENES],
            "SubGroupBehavior" => &[METRIC_KEYS, SUBGROUP],
            "EntityLen" => &[METRIC_KEYS, ENTITY_LEN],
            "AndMetrics" => &[METRIC_KEYS, SEVERAL],
            "StepsUntil" => &[METRIC_KEYS, STEPS_UNTIL],
            "JinjaMetric" => &[METRIC_KEYS, JINJA],
            "AnyAgent" => &[METRIC_KEYS, ANY_AGENT],
            _ => &[METRIC_KEYS],
        };
        let fields = reader.fields(spot, own_keys)?;
        if let Some(difference) = difference(name) {
            reader.warning(spot, difference);
        }
        let common = Observing { label: own_label(&fields), ..Observing::default() };
        match name {
            "EntityLen" | "AndMetrics" | "StepsUntil" | "JinjaMetric" | "AnyAgent" => {
                self.composite(reader, &fields, name, common)
            }
            "SensorRotation" | "GeneElementDifference" => self.turns(reader, &fields, name, common),
            "SubGroupBehavior" => self.of_group(reader, &fields),
            _ => self.simple(reader, &fields, name, common),
        }
    }

    fn simple(&mut self, reader: &mut Reader, fields: &Fields, name: &str, common: Observing) -> Option<String> {
        let spot = &fields.spot;
        let scale = reader.number_or(fields, "scale", 1.0, FINITE);
        let regularized = reader.is_on_or(fields, "regularize", true);
        let most = limits::<circliness::Circliness>("window_steps").max as i128;
        let window = fields.get("avg_history_max").map_or(100, |spot| reader.whole(&spot, 1, most));
        let window_steps = u32::try_from(window).unwrap_or(100);
        macro_rules! add {
            ($kind:expr) => {
                self.add(reader, spot, $kind, common)
            };
        }
        match name {
            "AverageSpeedBehavior" => add!(average_speed::AverageSpeed { ..Default::default() }),
            "AngularMomentumBehavior" => add!(angular_momentum::AngularMomentum { ..Default::default() }),
            "GroupRotationBehavior" => add!(group_rotation::GroupRotation { ..Default::default() }),
            "ScatterBehavior" => add!(scatter::Scatter { regularized }),
            "RadialVarianceMetric" => add!(radial_variance::RadialVariance { regularized, ..Default::default() }),
            "Circliness" => add!(circliness::Circliness { window_steps }),
            "Orbit" => add!(orbit::Orbit { window_steps }),
            "TotalCollisionsBehavior" => add!(total_collisions::TotalCollisions {}),
            "Fatness" => add!(fatness::Fatness { scale, ..Default::default() }),
            "Fatness2" => add!(fatness2::Fatness2 { scale }),
            "Tangentness" => add!(tangentness::Tangentness { scale }),
            "RoutRin" => add!(rout_rin::RoutRin { scale }),
            "Aggregation" => add!(aggregation::Aggregation { ..Default::default() }),
            "DistanceSizeRatio" => add!(distance_size_ratio::DistanceSizeRatio { regularized, ..Default::default() }),
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
                add!(circle_fit::CircleFit { method, ..Default::default() })
            }
        }
    }

    /// Angles of the first agent, as a share of a turn: the bearing of a sensor, or the difference of two elements of its
    /// controller's list of numbers.
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

    /// A metric of one group, given by name. There all agents are of group 0 unless a program says otherwise.
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
        let name = self.metric(reader, &inner)?;
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

    fn composite(&mut self, reader: &mut Reader, fields: &Fields, name: &str, common: Observing) -> Option<String> {
        let mut inner = Vec::new();
        for spot in fields.get("metric").into_iter().chain(reader.items(fields.get("metrics"))) {
            inner.extend(self.metric(reader, &spot));
        }
        let spot = &fields.spot;
        match name {
            "EntityLen" => {
                let [target, attribute] = ["target_name", "attribute"].map(|key| fields.get(key));
                let [target, attribute] = [&target, &attribute].map(|spot| spot.as_ref().map(|spot| spot.node.text()));
                let inside = match (target, attribute) {
                    (None | Some(Some("population")), None) => String::new(),
                    (Some(Some(region)), Some(Some("collided"))) => region.to_owned(),
                    _ => {
                        let expected = "only the length of the population, or of the `collided` of a region";
                        reader.problem(spot, format!("{expected}, can be imported"));
                        return None;
                    }
                };
                self.add(reader, spot, count::Count { inside }, common)
            }
            "AndMetrics" => self.add(reader, spot, all_of::AllOf { conditions: inner }, common),
            "StepsUntil" => {
                let until = match (fields.get("until_expression"), fields.get("sentinel")) {
                    (Some(until), _) => self.stated(reader, &until, &inner, &[])?,
                    (None, Some(sentinel)) => {
                        let sentinel = reader.number(&sentinel, FINITE);
                        format!("{} == {sentinel:?}", inner.first()?)
                    }
                    (None, None) => inner.first()?.clone(),
                };
                self.add(reader, spot, steps_until::StepsUntil { until }, common)
            }
            "JinjaMetric" => {
                let Some(value) = fields.get("expression") else {
                    reader.problem(spot, "only a JinjaMetric with an `expression` can be imported");
                    return None;
                };
                let value = self.stated(reader, &value, &inner, &[])?;
                self.add(reader, spot, formula::Formula { value }, common)
            }
            _ => self.any_agent(reader, fields, common),
        }
    }

    fn any_agent(&mut self, reader: &mut Reader, fields: &Fields, common: Observing) -> Option<String> {
        let spot = &fields.spot;
        let Some(expression) = fields.get("expression") else {
            reader.problem(spot, "the `expression` is missing");
            return None;
        };
        let when = self.stated(reader, &expression, &[], AGENT)?;
        let found = fields.get("value_on_found");
        let value = match found.as_ref().map(|spot| (as_number(spot.node), spot.node.text())) {
            None | Some((None, Some("agent"))) => "agent".to_owned(),
            Some((None, Some("expression"))) => when.clone(),
            Some((Some(number), _)) => format!("{number:?}"),
            Some(_) => {
                reader.problem(spot, "`value_on_found` can be `agent`, `expression` or a number");
                return None;
            }
        };
        let teams = reader.items(fields.get("include_teams"));
        if teams.len() > 1 {
            reader.problem(spot, "at most one team can be included");
        }
        let of = teams.first().and_then(|team| team.node.text()).unwrap_or_default().to_owned();
        let otherwise = fields.get("default").map_or(-1.0, |spot| reader.number(&spot, FINITE));
        self.add(reader, spot, any_agent::AnyAgent { when, value, otherwise }, Observing { of, ..common })
    }

    /// An expression, or a problem.
    fn stated(&self, reader: &mut Reader, spot: &Spot, inner: &[String], more: &[(&str, &str)]) -> Option<String> {
        let ours = self.expression(spot.node.text().unwrap_or_default(), inner, more);
        ours.map_err(|why| reader.problem(spot, format!("cannot be imported: {why}"))).ok()
    }
}

/// The slot that `sensor_index` means.
fn slot(reader: &mut Reader, fields: &Fields) -> u32 {
    let last = limits::<sensor_signal::SensorSignal>("slot").max as i128;
    let slot = fields.get("sensor_index").map_or(0, |spot| reader.whole(&spot, 0, last));
    u32::try_from(slot).unwrap_or_default()
}

/// The `name`, when it can name a column.
fn own_label(fields: &Fields) -> String {
    let name = fields.get("name").and_then(|spot| spot.node.text().map(str::to_owned)).unwrap_or_default();
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

/// In what a metric of ours differs from that of the original.
fn difference(name: &str) -> Option<&'static str> {
    Some(match name {
        "AverageSpeedBehavior" | "GroupRotationBehavior" | "AngularMomentumBehavior" => {
            "in metres per second here, in metres per step in RobotSwarmSimulator"
        }
        "Aggregation" => "the mean over all agents here, that of the first agent in RobotSwarmSimulator",
        "RadialVarianceMetric" => "the variance here, 20 times as much in RobotSwarmSimulator",
        "DistanceSizeRatio" => "a ratio here, the radial variance in RobotSwarmSimulator",
        "AlgebraicConn" => "the eigenvalue and whether it is above 0 here, the latter alone in RobotSwarmSimulator",
        "SensorSignalBehavior" => "the share of sensors that detect here, a pair of shares in RobotSwarmSimulator",
        "RandomBoxAggregation" | "RandomBoxSampling" => "as many boxes as agents here, in other places",
        name if method(name).is_some() => "the distance from the circle here, a mistaken number in RobotSwarmSimulator",
        _ => return None,
    })
}

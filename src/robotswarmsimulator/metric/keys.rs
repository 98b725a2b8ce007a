//! The classes of metrics in RobotSwarmSimulator, and the keys of each.

use swarmarium_kinds::metric::circle_fit::Method;

use super::super::fields::Key;

/// The classes that can be imported.
pub(super) const METRICS: &[&str] = &[
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
/// The keys that all metrics have.
pub(super) const METRIC_KEYS: &[Key] = &[
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
const HOMOLOGY: &[Key] =
    &[Key::ignored("dims", ALL_DIMENSIONS), Key::ignored("max_death", ALL_DIMENSIONS), Key::looks("draw_cycles")];
const ALL_DIMENSIONS: &str = "ignored: it tells pieces and holes, their numbers and their last scales";
const SLOT: &[Key] = &[Key::carried("sensor_index"), Key::looks("show")];
const GENES: &[Key] = &[Key::carried("genome_a_index"), Key::carried("genome_b_index")];
const AT_GOAL: &[Key] = &[Key::missing("as_percent", ""), Key::missing("percentage", "")];
const SUBGROUP: &[Key] =
    &[Key::carried("wrapped_behavior"), Key::carried("metric"), Key::carried("subgroup"), Key::carried("group")];
/// The elements of a list of numbers for a controller of two commands, in the order of the list.
pub(super) const GENOME: [&str; 4] =
    ["clear.v_m_per_s", "clear.turn_rad_per_s", "detected.v_m_per_s", "detected.turn_rad_per_s"];
const ENTITY_LEN: &[Key] = &[Key::carried("target_name"), Key::carried("attribute")];
const AND_METRICS: &[Key] = &[Key::carried("metrics"), Key::carried("and_fn")];
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
pub(super) const ANY_AGENT: &[Key] = &[
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
pub(super) const WITHOUT_NUMBER: [&str; 6] =
    ["Metric", "Centroid", "PersistentHomology", "RandomBoxSampling", "SensorSignalBehavior", "SubGroupBehavior"];

/// The keys of a class besides those that all metrics have.
pub(super) fn own_keys(name: &str) -> &'static [Key] {
    match name {
        "Circliness" | "Orbit" => WINDOW,
        "ScatterBehavior" | "RadialVarianceMetric" | "DistanceSizeRatio" => REGULARIZE,
        "Fatness" | "Fatness2" | "Tangentness" | "RoutRin" | "InteragentDispersion" | "ExplodingDispersion" => SCALE,
        "DelaunayDiffusion" => TRIANGLES,
        "AlgebraicConn" => DISK,
        "PersistentHomology" => HOMOLOGY,
        "SensorSignalBehavior" | "SensorRotation" => SLOT,
        "GeneElementDifference" => GENES,
        "AgentsAtGoal" | "PercentageAtGoal" => AT_GOAL,
        "SubGroupBehavior" => SUBGROUP,
        "EntityLen" => ENTITY_LEN,
        "AndMetrics" => AND_METRICS,
        "StepsUntil" => STEPS_UNTIL,
        "JinjaMetric" => JINJA,
        "AnyAgent" => ANY_AGENT,
        "Aggregation" => NO_SCALE,
        name if circle_fit_method(name).is_some() => NO_SCALE,
        _ => &[],
    }
}

/// The method of fitting a circle that a class of RobotSwarmSimulator uses.
pub(super) fn circle_fit_method(name: &str) -> Option<Method> {
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
pub(super) fn difference(name: &str) -> Option<&'static str> {
    Some(match name {
        "SensorSignalBehavior" => "the share of sensors that detect here, a pair of shares in RobotSwarmSimulator",
        "RandomBoxAggregation" | "RandomBoxSampling" => "as many boxes as agents here, in other places",
        "PersistentHomology" => "of discs here, of Rips complexes in RobotSwarmSimulator",
        _ => return None,
    })
}

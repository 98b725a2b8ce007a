//! The plan of a sweep: the types behind `NAME.sweep.ron`.
//!
//! Scenes and plans have the same syntax and the same reader: every mistake is reported with its place and the nearest
//! known name.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::expression::Scope;
use swarmarium_core::kind::{Kinds, Optional, Required, SkipIfEmpty, Slot};
use swarmarium_core::metric::MetricFamily;
use swarmarium_scene::scene::description::Stop;

mod measure;
mod value;

pub use measure::{Measure, MeasureError, Take, Window, statistics};
pub use value::Value;

/// A plan: the scene, what varies, how often each point is repeated, and what is measured.
#[derive(Reflect, Clone, Debug)]
#[reflect(Default)]
pub struct Plan {
    /// Title of the report.
    pub name: String,
    /// The question that the sweep answers, in one or two lines.
    pub about: String,
    /// The scene: a file, relative to the folder of the plan, or the name of a shipped scene.
    #[reflect(@Required)]
    pub scene: String,
    /// Values that all runs have in place of those of the scene.
    pub set: Vec<Setting>,
    /// Metrics that all runs have besides those of the scene.
    #[reflect(@SkipIfEmpty)]
    pub metrics: Vec<Slot<MetricFamily>>,
    /// The moment of an earlier run at which the runs begin; without it, they begin at the start of the scene.
    pub begin: Begin,
    /// The factors, which vary from point to point.
    pub factors: Vec<Factor>,
    /// How the values of the factors are combined to points.
    pub sampling: Sampling,
    /// The number of runs of each point.
    #[reflect(@Limits::between(1.0, MAX_RUNS as f64))]
    pub repetitions: u64,
    /// The seeds of the repetitions.
    pub seeds: Seeds,
    /// The master seed: that of the first repetition, and of sampling. Without it, the seed of the scene.
    pub seed: Option<u64>,
    /// The end of a run; what is left out is that of the scene. Without any, a run lasts 60 s.
    pub stop: Stop,
    /// The measures: numbers that a run is reduced to. Without any, the final value of each metric.
    pub measures: Vec<Measure>,
    /// The values of the factors at the point that others are compared with; without them, the first point.
    pub reference: Vec<Value>,
    /// The series, and the runs with folders of their own.
    pub keep: Keep,
    /// Results that are expected, such as published ones.
    pub expect: Vec<Expectation>,
    /// Formulas that heat maps show as lines, such as the border of a phase.
    pub formulas: Vec<Formula>,
}

/// The most points of a plan.
pub const MAX_POINTS: u64 = 100_000;
/// The ending of the names of files with plans.
pub const ENDING: &str = ".sweep.ron";
/// The most runs of a plan.
pub const MAX_RUNS: u64 = 1_000_000;

impl Default for Plan {
    fn default() -> Self {
        Self {
            name: String::new(),
            about: String::new(),
            scene: String::new(),
            set: Vec::new(),
            metrics: Vec::new(),
            begin: Begin::default(),
            factors: Vec::new(),
            sampling: Sampling::default(),
            repetitions: 1,
            seeds: Seeds::default(),
            seed: None,
            stop: Stop::default(),
            measures: Vec::new(),
            reference: Vec::new(),
            keep: Keep::default(),
            expect: Vec::new(),
            formulas: Vec::new(),
        }
    }
}

/// A value of a parameter.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub struct Setting {
    /// The path of the parameter, as for `--set`, or the name of a constant.
    #[reflect(@Required)]
    pub path: String,
    /// The value.
    #[reflect(@Required)]
    pub value: Value,
}

/// The moment of an earlier run at which the runs of a sweep begin.
///
/// Every run repeats the steps of that run up to this one, with its edits and with the seed of its repetition. Edits of
/// the next step follow; then the factors get their values, and the measures begin.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default)]
pub struct Begin {
    /// The step; 0 for the start of the scene.
    pub step: u64,
    /// The file of the edits, relative to the folder of the plan, such as the `edits.ron` of a run; without it, the
    /// edits of a shared scene.
    pub edits: String,
}

/// A parameter that varies.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub struct Factor {
    /// The path of the parameter, as for `--set`, or the name of a constant. `controllers.GROUP.NAME` is a parameter of a
    /// controller in Python.
    #[reflect(@Required)]
    pub path: String,
    /// The name of its column and axis, with the unit; without it, the last part of the path.
    pub label: String,
    /// Its values.
    pub values: Values,
    /// Whether its axis is logarithmic; that of a `LogRange` always is.
    pub log_axis: bool,
    /// Parameters that vary with it.
    pub linked: Vec<Link>,
}

/// A parameter that follows a factor.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default)]
pub struct Link {
    /// The path of the parameter.
    #[reflect(@Required)]
    pub path: String,
    /// Its value as an expression over `x`, the value of the factor, such as `-x`. The expression `x` copies any value.
    pub value: String,
}

impl Default for Link {
    fn default() -> Self {
        Self { path: String::new(), value: Self::COPY.into() }
    }
}

impl Link {
    /// The expression that copies the value of the factor.
    pub const COPY: &str = "x";
}

/// The values of a factor.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default)]
pub enum Values {
    /// Values one by one: numbers, texts, or whole kinds.
    List(Vec<Value>),
    /// Evenly spaced numbers, both ends included.
    Range {
        /// The first number.
        from: f64,
        /// The last number.
        to: f64,
        /// The number of values. Sampling by `LatinHypercube`, `Sobol` and `Random` needs none.
        #[reflect(@Optional)]
        count: u64,
    },
    /// Numbers with the same ratio from one to the next, both ends included.
    LogRange {
        /// The first number.
        #[reflect(@Limits::POSITIVE)]
        from: f64,
        /// The last number.
        #[reflect(@Limits::POSITIVE)]
        to: f64,
        /// The number of values. Sampling by `LatinHypercube`, `Sobol` and `Random` needs none.
        #[reflect(@Optional)]
        count: u64,
    },
}

impl Default for Values {
    fn default() -> Self {
        Self::List(Vec::new())
    }
}

/// How the values of the factors are combined to points.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum Sampling {
    /// Every combination; the last factor varies fastest.
    #[default]
    Grid,
    /// The first values of all factors, then the second ones, and so on.
    Zip,
    /// A Latin hypercube (McKay, Beckman, Conover 1979).
    LatinHypercube {
        /// The number of points.
        #[reflect(@Limits::between(1.0, MAX_POINTS as f64))]
        points: u64,
    },
    /// The sequence of Sobol (1967) with a random digital shift.
    Sobol {
        /// The number of points, best a power of two.
        #[reflect(@Limits::between(1.0, MAX_POINTS as f64))]
        points: u64,
    },
    /// Independent uniform points.
    Random {
        /// The number of points.
        #[reflect(@Limits::between(1.0, MAX_POINTS as f64))]
        points: u64,
    },
    /// Points one by one; the factors have no values of their own.
    Table {
        /// The points: one value for each factor, in their order.
        rows: Vec<Vec<Value>>,
    },
}

/// The seeds of the repetitions.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum Seeds {
    /// The master seed and those that follow it, the same at every point: common random numbers, for paired
    /// comparisons.
    #[default]
    Common,
    /// Seeds that depend on the values of the point, too.
    Independent,
    /// These seeds at every point; there is a repetition for each.
    List(Vec<u64>),
}

/// The results of runs that are kept besides their measures.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub struct Keep {
    /// The number of steps from one row of `series.csv` to the next; 0 for no series.
    pub series_every_steps: u64,
    /// The runs that get folders of their own.
    pub folders: Folders,
    /// Whether these folders have `trace.csv`.
    pub trace: bool,
    /// Whether these folders have `hash.csv`.
    pub hash: bool,
}

/// The runs that get folders of their own, with `metrics.csv` and the other files of `swarmarium run`.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default)]
pub enum Folders {
    /// No run.
    #[default]
    None,
    /// The runs that failed.
    Failed,
    /// The first repetition of each point.
    First,
    /// All runs.
    All,
}

impl Folders {
    /// Whether a run gets a folder, by the number of its repetition from 0 on and whether it failed.
    pub(crate) fn keeps(self, repetition: u64, has_failed: bool) -> bool {
        match self {
            Self::None => false,
            Self::Failed => has_failed,
            Self::First => repetition == 0,
            Self::All => true,
        }
    }
}

/// A result that is expected at one point, or at all.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default)]
pub struct Expectation {
    /// The values of the factors at the point, in their order; empty for every point.
    pub at: Vec<Value>,
    /// The name of the measure.
    #[reflect(@Required)]
    pub measure: String,
    /// The statistic of its runs.
    pub statistic: Statistic,
    /// The expected value.
    #[reflect(@Required)]
    pub value: f64,
    /// The largest difference that is accepted.
    #[reflect(@Limits::between(0.0, f64::MAX))]
    pub tolerance: f64,
    /// How sure the value is.
    pub status: Status,
    /// The source of the value.
    pub source: String,
}

/// How sure an expected value is.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default)]
pub enum Status {
    /// Measured or published once, such as by an earlier sweep.
    #[default]
    Recorded,
    /// Known from a formula: the tolerance is that of rounding, of the length of a step, or of the mean of the runs.
    Exact,
    /// A mean over runs, compared with a mean.
    Statistical,
    /// The right state or order of states; the value is a bound.
    Qualitative,
    /// A claim that other sources refute: a difference is reported, and is not a failure.
    Disputed,
}

impl Default for Expectation {
    fn default() -> Self {
        Self {
            at: Vec::new(),
            measure: String::new(),
            statistic: Statistic::default(),
            value: 0.0,
            tolerance: 0.0,
            status: Status::default(),
            source: String::new(),
        }
    }
}

/// A line over a heat map: the value of its vertical factor as a function of that of its horizontal factor, the one
/// with more values.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default)]
pub struct Formula {
    /// Its name in the caption.
    #[reflect(@Required)]
    pub label: String,
    /// An expression over `x`, the value of the horizontal factor, such as `2 / x`.
    #[reflect(@Required)]
    pub value: String,
}

impl Formula {
    /// The value at `x`; NaN if it has none.
    pub fn at(&self, x: f64) -> f64 {
        Scope { more_names: &["x"], more: &[x], ..Scope::default() }.value(&self.value)
    }
}

/// A statistic of the runs of a point.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default)]
pub enum Statistic {
    /// The mean.
    #[default]
    Mean,
    /// The share of runs in which a condition holds, or an event is reached.
    Share,
    /// The standard deviation.
    StdDev,
    /// The median; of times until an event, that of Kaplan and Meier.
    Median,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
}

/// The kinds of a recipe, and the types of plans.
pub fn kinds_with_plans(kinds: &Kinds) -> Kinds {
    let mut kinds = kinds.clone();
    kinds.add_type::<Plan>();
    kinds
}

//! The setup of a sweep: what varies, how often, what is measured, and from which moment on.

pub mod factor;

pub use factor::{FactorSetup, Levels, RangeSetup};

use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::Plan;
use swarmarium_sweep::plan::{Begin, Keep, MAX_RUNS, Measure, Take, Window};

use crate::common::sweep_setup::factor::rounded;
use crate::common::text::grouped;

/// The name of the plan in messages.
pub const PLAN_NAME: &str = "sweep";

/// The most factors of a sweep of the window.
pub const MOST_FACTORS: usize = 2;

/// The number of values of each of two factors.
const POINTS_OF_TWO: u64 = 5;

/// The duration of a run where the scene names none, in seconds.
const DURATION_S: f64 = 60.0;

/// The longest duration of a run, in seconds.
pub const MOST_S: f64 = 1e6;

/// The number of rows of the series of a run.
const ROWS: u64 = 200;

/// The setup of a sweep.
#[derive(Clone, Debug, PartialEq)]
pub struct Setup {
    /// The parameters that vary: one, or two for a grid.
    pub factors: Vec<FactorSetup>,
    /// The number of runs of each point.
    pub repetitions: u64,
    /// The statistic of each run.
    pub take: TakeKind,
    /// The observed metric, or the condition.
    pub of: String,
    /// The part of the run that is looked at: its last seconds; 0 for all of it.
    pub last_s: f64,
    /// The duration of a run, in seconds.
    pub duration_s: f64,
    /// Whether the runs begin at the present moment of the timeline, and not at the start of the scene.
    pub from_moment: bool,
}

impl Default for Setup {
    fn default() -> Self {
        Self {
            factors: Vec::new(),
            repetitions: 10,
            take: TakeKind::Mean,
            of: String::new(),
            last_s: DURATION_S / 2.0,
            duration_s: DURATION_S,
            from_moment: false,
        }
    }
}

/// The statistic of a run.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum TakeKind {
    /// The value of the last step.
    Final,
    /// The mean.
    #[default]
    Mean,
    /// The smallest value.
    Min,
    /// The largest value.
    Max,
    /// The time until a condition holds.
    TimeUntil,
    /// Whether a condition holds at any time.
    Reached,
    /// Whether a condition holds at the end.
    Holds,
}

/// The statistics with their names and hints.
pub const TAKES: [(TakeKind, &str, &str); 7] = [
    (TakeKind::Mean, "Mean of", "The mean of the metric over the steps of the run"),
    (TakeKind::Final, "Final value of", "The value after the last step"),
    (TakeKind::Min, "Minimum of", "The smallest value"),
    (TakeKind::Max, "Maximum of", "The largest value"),
    (TakeKind::TimeUntil, "Time until", "The time until the condition holds; a run that ends before is censored"),
    (TakeKind::Reached, "Share that reach", "The share of runs in which the condition holds at any time"),
    (TakeKind::Holds, "Share that end with", "The share of runs in which the condition holds at the end"),
];

impl TakeKind {
    fn take(self) -> Take {
        match self {
            Self::Final => Take::Final,
            Self::Mean => Take::Mean,
            Self::Min => Take::Min,
            Self::Max => Take::Max,
            Self::TimeUntil => Take::TimeUntil { hold_s: 0.0 },
            Self::Reached => Take::Reached { hold_s: 0.0 },
            Self::Holds => Take::Holds,
        }
    }

    /// Whether the measured quantity is a condition.
    pub fn is_condition(self) -> bool {
        self.take().is_condition()
    }

    /// Whether the statistic depends on a part of the run.
    pub fn has_window(self) -> bool {
        matches!(self, Self::Mean | Self::Min | Self::Max)
    }
}

impl Setup {
    /// The setup for another parameter; everything else stays. A second parameter makes a grid.
    pub fn with_factor(&self, simulation: &Simulation, path: &str, is_second: bool) -> Self {
        let mut setup = self.clone();
        let Some(factor) = FactorSetup::around(simulation, path) else { return setup };
        if setup.factors.iter().any(|known| known.path == path) {
            return setup;
        }
        match is_second {
            true => setup.factors.truncate(MOST_FACTORS - 1),
            false => setup.factors.clear(),
        }
        setup.factors.push(factor);
        if let [_, _] = &mut setup.factors[..] {
            setup.factors.iter_mut().for_each(|factor| factor.limit_points(POINTS_OF_TWO));
        }
        setup
    }

    /// The setup with another parameter in place of one that it has; everything else stays.
    pub fn with_factor_at(&self, simulation: &Simulation, path: &str, place: usize) -> Self {
        let mut setup = self.clone();
        let is_varied = setup.factors.iter().any(|known| known.path == path);
        let factor = FactorSetup::around(simulation, path).filter(|_| !is_varied);
        if let (Some(mut factor), Some(known)) = (factor, setup.factors.get_mut(place)) {
            if self.factors.len() > 1 {
                factor.limit_points(POINTS_OF_TWO);
            }
            *known = factor;
        }
        setup
    }

    /// The setup with a metric as its measure.
    pub fn with_metric(&self, column: &str) -> Self {
        let take = if self.take.is_condition() { TakeKind::Mean } else { self.take };
        Self { of: column.into(), take, ..self.clone() }
    }

    /// Whether the scene has the parameters and the metric of the setup.
    pub fn suits(&self, simulation: &Simulation) -> bool {
        let is_measured = self.take.is_condition() || simulation.metric_columns().contains(&self.of);
        !self.factors.is_empty() && is_measured && self.factors.iter().all(|factor| factor.exists(simulation))
    }

    /// The setup for the present scene: a measure that the scene has, its duration, and its first control.
    pub fn for_scene(&self, simulation: &Simulation) -> Self {
        let mut setup = self.clone();
        setup.factors.retain(|factor| factor.exists(simulation));
        let (scene, columns) = (simulation.scene_ahead(), simulation.metric_columns());
        // The measure of another scene says nothing about this one, even if both have it.
        let is_of_another = setup.factors.is_empty() && !self.factors.is_empty();
        if !setup.take.is_condition() && (is_of_another || !columns.contains(&setup.of)) {
            setup.of = columns.first().cloned().unwrap_or_default();
        }
        let end_s = scene.stop.most_steps(scene.time.dt_s) as f64 * scene.time.dt_s;
        setup.duration_s = if end_s.is_finite() && end_s > 0.0 { rounded(end_s.min(MOST_S)) } else { DURATION_S };
        setup.last_s = rounded(setup.duration_s / 2.0);
        if setup.factors.is_empty() {
            let kinds = simulation.kinds();
            let paths = scene.controls.iter().filter_map(|control| Some(control.leaf(kinds, scene).ok()?.path));
            let first = paths.filter_map(|path| FactorSetup::around(simulation, &path)).next();
            setup.factors.extend(first);
        }
        setup
    }

    /// The measure of the setup.
    pub fn measure(&self) -> Measure {
        let over = match self.last_s {
            last_s if self.take.has_window() && last_s > 0.0 && last_s < self.duration_s => Window::Last(last_s),
            _ => Window::Whole,
        };
        // The words of a measure name its column, such as `mean_circliness`.
        let words = match self.take {
            TakeKind::Final => "final",
            TakeKind::Mean => "mean",
            TakeKind::Min => "min",
            TakeKind::Max => "max",
            TakeKind::TimeUntil => "time until",
            TakeKind::Reached => "share",
            TakeKind::Holds => "holds",
        };
        let named = format!("{words} {}", self.of).parse::<Measure>().unwrap_or_default();
        Measure { name: named.name, of: self.of.trim().into(), take: self.take.take(), over }
    }

    /// The plan of the setup, for runs with these time steps that begin after a step.
    pub fn plan(&self, simulation: &Simulation, step: u64) -> Plan {
        let dt_s = simulation.time().dt_s;
        let mut plan = Plan { scene: PLAN_NAME.into(), ..Plan::default() };
        plan.factors = self.factors.iter().map(FactorSetup::factor).collect();
        if let [one, other] = &mut plan.factors[..]
            && one.label == other.label
        {
            // Columns have names of their own; the paths tell them apart.
            (one.label, other.label) = Default::default();
        }
        plan.repetitions = self.repetitions;
        plan.stop.time_s = self.duration_s;
        plan.measures = vec![self.measure()];
        let steps = (self.duration_s / dt_s).round() as u64;
        plan.keep = Keep { series_every_steps: (steps / ROWS).max(1), ..Keep::default() };
        plan.begin = Begin { step, ..Begin::default() };
        let names = self.factors.iter().map(|factor| factor.name.as_str());
        plan.name = format!("{} over {}", simulation.scene().name, names.collect::<Vec<_>>().join(" and "));
        plan
    }

    /// Returns the reason why the sweep cannot start; `None` if it can.
    pub fn refusal(&self) -> Option<String> {
        if self.factors.is_empty() {
            return Some("Choose a parameter to vary".into());
        }
        if let Some(refusal) = self.factors.iter().find_map(FactorSetup::refusal) {
            return Some(refusal);
        }
        if self.of.trim().is_empty() {
            return Some("Choose a metric: the scene needs one that is measured".into());
        }
        if self.take.is_condition() && !self.of.contains(['<', '>', '=']) {
            return Some("Type a condition, such as circliness > 0.9".into());
        }
        (self.runs() > MAX_RUNS).then(|| format!("A sweep has at most {} runs", grouped(MAX_RUNS)))
    }

    /// The number of points.
    pub fn points(&self) -> u64 {
        self.factors.iter().map(FactorSetup::points).product()
    }

    /// The number of runs.
    pub fn runs(&self) -> u64 {
        self.points().saturating_mul(self.repetitions)
    }
}

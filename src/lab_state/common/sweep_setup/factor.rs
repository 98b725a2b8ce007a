//! A parameter that varies: a range of numbers, or some of its names.

use swarmarium_core::text::values::{choices, integer_range, is_option, number};
use swarmarium_core::text::wording::{parameter_name, words};
use swarmarium_scene::scene::constants;
use swarmarium_scene::scene::controls::Control;
use swarmarium_scene::scene::path::{self, Leaf};
use swarmarium_simulation::simulation::Simulation;
use swarmarium_sweep::plan::{Factor, Value, Values};

use crate::common::text::unit_of_field;

/// The part of the present value by which the range goes below and above it.
const AROUND: f64 = 0.5;

/// The path of the seed of a scene.
const SEED: &str = "seed";

/// The number of values of a range.
const POINTS: u64 = 11;

/// Whole numbers beyond this are not useful limits.
const MOST_WHOLE: f64 = 1e15;

/// A parameter that varies.
#[derive(Clone, Debug, PartialEq)]
pub struct FactorSetup {
    /// The path of the parameter.
    pub path: String,
    /// Its name in words.
    pub name: String,
    /// Its unit, such as `rad`; empty if there is none.
    pub unit: &'static str,
    /// The name of its column and axis, with the unit; empty for that of its path.
    pub label: String,
    /// Its values.
    pub levels: Levels,
}

/// The values of a factor.
#[derive(Clone, Debug, PartialEq)]
pub enum Levels {
    /// Numbers.
    Range(RangeSetup),
    /// Names, such as `true` and `false`.
    Names(Vec<Level>),
}

/// A range of numbers.
#[derive(Clone, Debug, PartialEq)]
pub struct RangeSetup {
    /// The first value.
    pub from: f64,
    /// The last value.
    pub to: f64,
    /// The number of values.
    pub points: u64,
    /// Whether each value has the same ratio to the one before.
    pub is_log: bool,
    /// Whether values are whole numbers.
    pub is_whole: bool,
    /// The smallest and the largest valid value.
    pub limits: [f64; 2],
}

/// A name that a parameter can have.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Level {
    /// The name.
    pub name: String,
    /// Whether the sweep has it.
    pub is_used: bool,
}

impl FactorSetup {
    /// The usual values of a parameter: a range around its present number, or all its names; `None` if it has neither.
    pub fn around(simulation: &Simulation, path: &str) -> Option<Self> {
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        let full = constants::resolve(kinds, scene, path).ok()?;
        // Repetitions vary the seed.
        let leaf = path::leaf(kinds, scene, &full).filter(|_| full != SEED)?;
        let is_of_leaf =
            |control: &&Control| control.leaf(kinds, scene).is_ok_and(|of_control| of_control.path == full);
        let control = scene.controls.iter().find(is_of_leaf);
        let ends = control.map_or([None; 2], |control| [control.min, control.max]);
        // The text of an optional number is that of the number inside.
        let is_optional = leaf.value.reflect_type_info().as_enum().is_ok_and(is_option);
        let inside = || constants::text_at(kinds, scene, &full)?.parse().ok();
        let optional = || is_optional.then(inside).flatten();
        let levels = match number(leaf.value).or_else(optional) {
            Some(value) => Levels::Range(RangeSetup::around(value, &leaf, ends)),
            None => Levels::Names(names(&leaf)?),
        };
        let unit = match words(full.rsplit('.').next().unwrap_or_default()).1 {
            "" => leaf.field.map(unit_of_field).unwrap_or_default(),
            unit => unit,
        };
        let label = control.map(|control| control.label.clone()).filter(|label| !label.is_empty());
        let with_unit = |label: &String| if unit.is_empty() { label.clone() } else { format!("{label} ({unit})") };
        let column = label.as_ref().map(with_unit).unwrap_or_default();
        let name = label.unwrap_or_else(|| parameter_name(&path.split('.').collect::<Vec<_>>()));
        Some(Self { path: path.into(), name, label: column, unit, levels })
    }

    /// Whether the scene has the parameter.
    pub fn exists(&self, simulation: &Simulation) -> bool {
        let (kinds, scene) = (simulation.kinds(), simulation.scene_ahead());
        constants::resolve(kinds, scene, &self.path).is_ok_and(|path| path::leaf(kinds, scene, &path).is_some())
    }

    /// The factor of a plan.
    pub fn factor(&self) -> Factor {
        let values = match &self.levels {
            Levels::Range(range) => range.values(),
            Levels::Names(names) => {
                let used = names.iter().filter(|level| level.is_used);
                Values::List(used.map(|level| Value::new(level.name.clone())).collect())
            }
        };
        Factor { path: self.path.clone(), label: self.label.clone(), values, ..Factor::default() }
    }

    /// The number of values.
    pub fn points(&self) -> u64 {
        match &self.levels {
            Levels::Range(range) if range.is_whole => range.whole_values().len() as u64,
            Levels::Range(range) => range.points,
            Levels::Names(names) => names.iter().filter(|level| level.is_used).count() as u64,
        }
    }

    /// Limits the number of values of a range.
    pub fn limit_points(&mut self, most: u64) {
        if let Levels::Range(range) = &mut self.levels {
            range.points = range.points.min(most);
        }
    }

    /// The reason why these values cannot vary; `None` if they can.
    pub fn refusal(&self) -> Option<String> {
        match &self.levels {
            Levels::Range(range) if range.from >= range.to => Some(format!("The range of {} is empty", self.name)),
            Levels::Range(range) if range.is_log && range.from <= 0.0 => {
                Some(format!("A logarithmic range of {} begins above 0", self.name))
            }
            Levels::Names(_) if self.points() < 2 => Some(format!("Choose at least two values of {}", self.name)),
            _ => None,
        }
    }
}

/// The names that a value can have; `None` for other values.
pub fn names(leaf: &Leaf) -> Option<Vec<Level>> {
    let names = choices(leaf.value.reflect_type_info()).filter(|names| names.len() > 1)?;
    Some(names.into_iter().map(|name| Level { name: name.to_owned(), is_used: true }).collect())
}

impl RangeSetup {
    fn around(value: f64, leaf: &Leaf, ends: [Option<f64>; 2]) -> Self {
        let [low, high] = limits(leaf);
        let is_whole = integer_range(leaf.value.as_any().type_id()).is_some();
        let half = if value == 0.0 { 1.0 } else { value.abs() * AROUND };
        let [from, to] = [ends[0].unwrap_or(value - half).max(low), ends[1].unwrap_or(value + half).min(high)];
        let (mut from, mut to) = (rounded(from).clamp(low, high), rounded(to).clamp(low, high));
        let mut points = POINTS;
        if is_whole {
            (from, to) = (from.floor().max(low), to.ceil().min(high));
            points = points.min((to - from) as u64 + 1);
        }
        Self { from, to, points: points.max(2), is_log: false, is_whole, limits: [low, high] }
    }

    fn values(&self) -> Values {
        let Self { from, to, points: count, .. } = *self;
        match self.is_log {
            true => Values::LogRange { from, to, count },
            false if self.is_whole => Values::List(self.whole_values()),
            false => Values::Range { from, to, count },
        }
    }

    /// Whole numbers at even distances, each once.
    pub fn whole_values(&self) -> Vec<Value> {
        let last = (self.points.max(2) - 1) as f64;
        let at = |place: u64| (self.from + (self.to - self.from) * place as f64 / last).round();
        let mut values: Vec<f64> = (0..self.points.max(2)).map(at).collect();
        values.dedup();
        values.into_iter().map(Value::from).collect()
    }
}

/// The smallest and the largest valid value of a number.
fn limits(leaf: &Leaf) -> [f64; 2] {
    let end = |text: &str| text.parse().ok().filter(|end: &f64| end.abs() < MOST_WHOLE);
    let whole = integer_range(leaf.value.as_any().type_id());
    let ends = whole.map_or([None; 2], |(low, high)| [end(&low), end(&high)]);
    let [low, high] = [ends[0].unwrap_or(f64::NEG_INFINITY), ends[1].unwrap_or(f64::INFINITY)];
    let Some(limits) = leaf.limits else { return [low, high] };
    // An exclusive limit is moved inwards slightly.
    let least = if limits.above_min { limits.min + (limits.max - limits.min).min(1.0) * 1e-3 } else { limits.min };
    [least.max(low), limits.max.min(high)]
}

/// Rounds a number to three digits, so that ends of ranges are easy to read.
pub fn rounded(number: f64) -> f64 {
    format!("{number:.2e}").parse().unwrap_or(number)
}

//! Factors as axes of figures: their levels, and the level of each point.

use std::collections::BTreeMap;

use super::text;
use crate::plan::{Sampling, Value, Values};
use crate::resolved::Sweep;
use swarmarium_figure::{Axis, Levels};

/// A factor with more than one level.
#[derive(Clone, Debug)]
pub struct FactorAxis {
    /// The place of the factor in the plan.
    pub factor: usize,
    /// The label, with the unit.
    pub label: String,
    /// The part of file names that tells the factor.
    pub file_name: String,
    /// The texts of the levels.
    pub names: Vec<String>,
    /// The levels as ascending numbers; `None` if one is not a number.
    pub numbers: Option<Vec<f64>>,
    /// The level of each point.
    pub level_of_point: Vec<usize>,
    is_log: bool,
    /// Whether points share levels, as those of a list do and those of a sample do not.
    are_shared: bool,
}

impl FactorAxis {
    /// The factors of a sweep that have more than one level.
    pub fn all(sweep: &Sweep) -> Vec<Self> {
        let file_names = text::file_names(sweep.factors.iter().map(|factor| factor.label.as_str()));
        let axes = file_names.into_iter().enumerate().map(|(factor, file_name)| Self::new(sweep, factor, file_name));
        axes.filter(|axis| axis.names.len() > 1).collect()
    }

    fn new(sweep: &Sweep, factor: usize, file_name: String) -> Self {
        let values = || sweep.points.iter().filter_map(|point| point.get(factor));
        // Levels in the order of the plan, so that names keep it.
        let mut places: BTreeMap<&Value, usize> = BTreeMap::new();
        let mut levels: Vec<&Value> = Vec::new();
        for value in values() {
            places.entry(value).or_insert_with(|| {
                levels.push(value);
                levels.len() - 1
            });
        }
        let numbers: Option<Vec<f64>> = levels.iter().map(|value| value.number()).collect();
        // The order of the levels, and the place of each in this order.
        let mut order: Vec<usize> = (0..levels.len()).collect();
        if let Some(numbers) = &numbers {
            order.sort_by(|a, b| numbers[*a].total_cmp(&numbers[*b]));
        }
        let mut ranks = vec![0; order.len()];
        order.iter().enumerate().for_each(|(rank, level)| ranks[*level] = rank);
        Self {
            factor,
            label: text::factor_label(sweep, factor),
            file_name,
            names: order.iter().map(|level| text::value(levels[*level])).collect(),
            numbers: numbers.map(|numbers| order.iter().map(|level| numbers[*level]).collect()),
            level_of_point: values().map(|value| places.get(value).map_or(0, |level| ranks[*level])).collect(),
            is_log: Self::is_logarithmic(sweep, factor),
            are_shared: matches!(sweep.plan.sampling, Sampling::Grid | Sampling::Zip)
                || 2 * levels.len() <= sweep.points.len(),
        }
    }

    /// Whether the axis of a factor is logarithmic.
    pub fn is_logarithmic(sweep: &Sweep, factor: usize) -> bool {
        let is_log = |factor: &crate::resolved::ResolvedFactor| {
            factor.log_axis || matches!(factor.levels.values, Values::LogRange { .. })
        };
        sweep.factors.get(factor).is_some_and(is_log)
    }

    /// The factor as the x axis, with ticks at its levels.
    pub fn axis(&self) -> Axis {
        let label = self.label.clone();
        let Some(numbers) = &self.numbers else { return Axis::categories(label, self.names.clone()) };
        let are_whole = numbers.iter().all(|number| number.fract() == 0.0);
        let axis = match (self.is_log, are_whole) {
            (true, _) => Axis::log(label),
            (false, true) => Axis::whole(label),
            (false, false) => Axis::linear(label),
        };
        if self.are_shared { axis.with_levels(numbers.clone()) } else { axis }
    }

    /// The factor as an axis of a heat map.
    pub fn levels(&self) -> Levels {
        match &self.numbers {
            Some(numbers) => Levels::numbers(self.label.clone(), numbers),
            None => Levels { label: self.label.clone(), names: self.names.clone(), ..Levels::default() },
        }
    }

    /// The place of a level on the axis.
    pub fn x(&self, level: usize) -> f64 {
        self.numbers.as_ref().and_then(|numbers| numbers.get(level).copied()).unwrap_or(level as f64)
    }

    /// The place of a point on the axis.
    pub fn x_of_point(&self, point: usize) -> f64 {
        self.level_of_point.get(point).map_or(f64::NAN, |level| self.x(*level))
    }

    /// The points of each level.
    pub fn points_of_levels(&self) -> Vec<Vec<usize>> {
        let mut points = vec![Vec::new(); self.names.len()];
        for (point, level) in self.level_of_point.iter().enumerate() {
            points[*level].push(point);
        }
        points
    }
}

/// Whether the points are all combinations of the levels, each once.
pub fn is_full_grid(axes: &[FactorAxis], points: usize) -> bool {
    let cells = axes.iter().try_fold(1_usize, |cells, axis| cells.checked_mul(axis.names.len()));
    if cells != Some(points) {
        return false;
    }
    let mut is_taken = vec![false; points];
    (0..points).all(|point| {
        let cell = axes.iter().fold(0, |cell, axis| cell * axis.names.len() + axis.level_of_point[point]);
        !std::mem::replace(&mut is_taken[cell], true)
    })
}

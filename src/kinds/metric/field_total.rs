//! The amount of a scalar field.

use bevy::prelude::*;
use swarmarium_core::kind::{FieldName, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_space::ScalarField;

/// Amount of a scalar field in the whole arena, its mean, or its largest value, at the end of the step.
///
/// # Formula
/// ```math
/// y = \sum_{c} u_c A
/// ```
/// $u_c$ is the value of cell $c$ and $A$ the area of a cell. `Mean` divides the sum by the area of the arena; `Largest` is the
/// largest $u_c$.
///
/// Source: Swarmarium.
///
/// Range: 0 and above; in units for `Total`, and in units per square metre for the others.
#[kind(section = "Field", words = "pheromone, chemical, total, amount")]
pub struct FieldTotal {
    /// Name of the field; empty: the first field of the scene.
    #[reflect(@FieldName)]
    pub field: String,
    /// Quantity that the metric returns.
    pub what: FieldQuantity,
}

/// A quantity of a scalar field.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum FieldQuantity {
    /// The amount in the whole arena, in units.
    #[default]
    Total,
    /// The mean, in units per square metre.
    Mean,
    /// The largest value of a cell, in units per square metre.
    Largest,
}

impl FieldQuantity {
    fn of(self, field: &ScalarField) -> f64 {
        match self {
            Self::Total => field.total(),
            Self::Mean => field.total() / (field.grid().cell_m2() * field.grid().len() as f64),
            Self::Largest => field.largest(),
        }
    }
}

impl Metric for FieldTotal {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        match self.what {
            FieldQuantity::Total => MetricLabel::new("field_total", "Total of the field"),
            FieldQuantity::Mean => MetricLabel::new("field_mean_per_m2", "Mean of the field"),
            FieldQuantity::Largest => MetricLabel::new("field_largest_per_m2", "Largest value of the field"),
        }
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        gathered.extend(census.all().fields.named(&self.field).map(|field| self.what.of(field)));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;
    use swarmarium_space::{Boundary, Field, FieldSettings, ScalarFields};

    use super::*;

    #[test]
    fn quantities_of_a_field_follow_its_cells() {
        let arena = Field::new(DVec2::new(2.0, 4.0), Boundary::Walls);
        let mut fields = ScalarFields::new(&[FieldSettings { cell_m: 1.0, ..FieldSettings::default() }], arena);
        fields.all_mut()[0].fill(|at| at.x + at.y);
        let [field] = fields.all() else { panic!("one field") };
        let of = |what: FieldQuantity| what.of(field);
        assert_eq!(of(FieldQuantity::Total), 4.0 * (0.5 + 1.5) + 2.0 * (0.5 + 1.5 + 2.5 + 3.5));
        assert_eq!(of(FieldQuantity::Mean), 3.0);
        assert_eq!(of(FieldQuantity::Largest), 5.0);
    }
}

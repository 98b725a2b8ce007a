//! The metric that an expression lacks.

use swarmarium_core::kind::{Family as _, KindValue, Kinds, Slot};
use swarmarium_core::metric::{MetricFamily, MetricKinds, columns_of};
use swarmarium_simulation::simulation::Simulation;

use crate::plots::formula::is_in_word;

/// Returns the first column in an expression that the scene lacks, with the kind of metrics that has it.
pub fn missing<'a>(simulation: &Simulation, expression: &'a str) -> Option<(&'a str, &'static str)> {
    let columns = simulation.metric_columns();
    let words = expression.split(|c: char| !is_in_word(c)).filter(|word| !word.is_empty());
    let mut unknown = words.filter(|word| !columns.iter().any(|column| column == word));
    unknown.find_map(|word| Some((word, kind_with_column(simulation, word)?)))
}

/// Returns the kind of metrics that has a column with its default values.
fn kind_with_column(simulation: &Simulation, column: &str) -> Option<&'static str> {
    let (table, kinds) = (simulation.world().resource::<MetricKinds>(), simulation.world().resource::<Kinds>());
    let has_column = |value: Box<dyn KindValue>| {
        let slot = Slot::from_value(value);
        table.info(&slot).is_some_and(|info| columns_of(info.label, info.parts).iter().any(|own| own == column))
    };
    kinds.family(MetricFamily::NAME).find(|kind| has_column((kind.default)())).map(|kind| kind.name)
}

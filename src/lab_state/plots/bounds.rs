//! The bounds of metrics, from the section "Range" of their documentation.

use std::collections::BTreeMap;

use swarmarium_core::metric::{MetricInfo, MetricKinds, columns_of, names_of};
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::Simulation;

use crate::plots::axis::Bounds;

/// The start of the sentence that gives the range of a metric.
const RANGE: &str = "Range: ";

/// Returns the bounds of the columns of the metrics of a simulation; columns without bounds are left out.
pub fn of_metrics(simulation: &Simulation) -> BTreeMap<String, Bounds> {
    of_scene(simulation, simulation.scene())
}

/// As [`of_metrics`], for another scene with the kinds of a simulation.
pub fn of_scene(simulation: &Simulation, scene: &Scene) -> BTreeMap<String, Bounds> {
    let Some(kinds) = simulation.world().get_resource::<MetricKinds>() else { return BTreeMap::new() };
    let metrics = scene.metrics.iter().filter_map(|metric| {
        let docs = metric.value().get_represented_type_info()?.docs().unwrap_or_default();
        Some((kinds.info(metric)?, docs))
    });
    let (infos, docs): (Vec<MetricInfo>, Vec<&str>) = metrics.unzip();
    let names = names_of(&infos);
    let of_metric = |((info, docs), name): ((&MetricInfo, &str), &String)| {
        let bounds = match info.parts {
            [] => vec![of_part(docs, "")],
            parts => parts.iter().map(|part| of_part(docs, part.name)).collect(),
        };
        columns_of(name, info.parts).into_iter().zip(bounds).collect::<Vec<_>>()
    };
    let all = infos.iter().zip(docs).zip(&names).flat_map(of_metric);
    all.filter(|(_, bounds)| *bounds != Bounds::NONE).collect()
}

/// Returns the bounds of a part of a metric; no bounds if the documentation gives none, or gives them under a condition.
fn of_part(docs: &str, part: &str) -> Bounds {
    let Some(sentence) = docs.lines().find_map(|line| line.trim().strip_prefix(RANGE)) else { return Bounds::NONE };
    let clauses = sentence.split(';').map(str::trim);
    let ranges = clauses.filter_map(|clause| match clause.strip_prefix('`').and_then(|_| clause.split_once(": ")) {
        Some((names, range)) => names.contains(&format!("`{part}`")).then_some(range),
        None => Some(clause),
    });
    ranges.map(bounds).next().unwrap_or(Bounds::NONE)
}

/// Parses a range such as `0 to 1`, `0 or 1` or `−∞ to ∞, in m`.
fn bounds(text: &str) -> Bounds {
    let text = text.split(',').next().unwrap_or_default().trim_end_matches('.');
    let ends = text.split_once(" to ").or_else(|| text.split_once(" or ")).or_else(|| text.split_once(" and "));
    match ends {
        Some((low, high)) if !text.contains(" for ") => Bounds {
            low: number(low.trim_end_matches(" (excluded)")).unwrap_or(f64::NEG_INFINITY),
            high: number(high).unwrap_or(f64::INFINITY),
        },
        _ => Bounds::NONE,
    }
}

fn number(text: &str) -> Option<f64> {
    match text.trim() {
        "π" => Some(std::f64::consts::PI),
        "−π" => Some(-std::f64::consts::PI),
        text => text.parse().ok().filter(|number: &f64| number.is_finite()),
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_testing::lab_of;

    use super::*;

    const ANY: [f64; 2] = [f64::NEG_INFINITY, f64::INFINITY];

    #[test]
    fn bounds_of_metrics_are_those_of_their_documentation() {
        let lab = lab_of(
            "(groups: [(name: \"a\", count: 3, controller: Constant())],
              metrics: [Circliness(), Collisions(), LargestComponent(), Fatness(), Circliness(label: \"second\")])",
        );
        let known = of_metrics(lab.run.host.simulation());
        let of = |column: &str| known.get(column).map_or(ANY, |bounds| [bounds.low, bounds.high]);
        assert_eq!(of("circliness"), [0.0, 1.0]);
        assert_eq!(of("second"), [0.0, 1.0]);
        assert_eq!(of("collisions"), [0.0, f64::INFINITY]);
        assert_eq!(of("largest_component.fraction"), [0.0, 1.0]);
        assert_eq!(of("largest_component.agents"), [0.0, f64::INFINITY]);
        assert_eq!(of("fatness"), ANY, "it depends on the scale");
    }

    #[test]
    fn ranges_in_words_are_understood() {
        let of = |text: &str| (bounds(text).low, bounds(text).high);
        assert_eq!(of("0 or 1."), (0.0, 1.0));
        assert_eq!(of("0 to 100, in percent."), (0.0, 100.0));
        assert_eq!(of("0 to the present time, in s."), (0.0, f64::INFINITY));
        assert_eq!(of("0 and above"), (0.0, f64::INFINITY));
        assert_eq!(of("−π (excluded) to π, in rad."), (-std::f64::consts::PI, std::f64::consts::PI));
        assert_eq!(of("−∞ to ∞, in m/s"), (f64::NEG_INFINITY, f64::INFINITY));
        for any in ["any number.", "0 to 1 for a scale of 1.", "", "nonsense"] {
            assert_eq!(bounds(any), Bounds::NONE, "{any}");
        }
    }
}

//! Tests of `lab_state::common::sweep_setup`: its factors.

use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::sweep_setup::{FactorSetup, Levels, RangeSetup};
use swarmarium_lab_testing::lab_on;
use swarmarium_sweep::plan::Values;

fn range(lab: &Lab, path: &str) -> RangeSetup {
    match FactorSetup::around(lab.run.host.simulation(), path).unwrap().levels {
        Levels::Range(range) => range,
        Levels::Names(names) => panic!("{names:?}"),
    }
}

#[test]
fn a_range_lies_around_the_present_value_and_within_limits() {
    let lab = lab_on("milling");
    let sight = range(&lab, "groups.millers.sensors.0.range_m");
    assert!(sight.from < sight.to && sight.points == 11 && !sight.is_whole, "{sight:?}");
    let count = range(&lab, "groups.millers.count");
    assert!(count.is_whole && count.from >= 0.0 && count.from.fract() == 0.0, "{count:?}");
    assert!(count.whole_values().windows(2).all(|pair| pair[0].number() < pair[1].number()));
    assert_eq!(FactorSetup::around(lab.run.host.simulation(), "name"), None);
    assert_eq!(FactorSetup::around(lab.run.host.simulation(), "nothing"), None);
    assert_eq!(FactorSetup::around(lab.run.host.simulation(), "seed"), None);
}

#[test]
fn optional_numbers_and_names_vary_too() {
    let speed = range(&lab_on("predators_and_evaders"), "groups.evaders.controller.speed.max");
    assert_eq!((speed.from, speed.to), (0.125, 0.375));
    let lab = lab_on("milling");
    let mut order = FactorSetup::around(lab.run.host.simulation(), "order").unwrap();
    assert!(matches!(order.factor().values, Values::List(values) if values.len() > 1));
    if let Levels::Names(names) = &mut order.levels {
        names.iter_mut().for_each(|level| level.is_used = false);
    }
    assert!(order.refusal().is_some_and(|text| text.contains("at least two values")));
    let shown = FactorSetup::around(lab.run.host.simulation(), "view.connections").unwrap();
    assert_eq!(shown.points(), 2);
}

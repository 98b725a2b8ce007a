//! Forecasts: copies of the present simulation that run ahead of it.

use swarmarium::clock::Host;
use swarmarium_simulation::Simulation;

use crate::support::edits::set;
use crate::support::hosts::tracking_host;
use crate::support::shipped_scene;

fn at_step(step: u64) -> Host {
    let mut host = tracking_host(&shipped_scene("milling"));
    host.advance_to(step, || true, |_| {});
    host
}

#[test]
fn a_forecast_is_the_future_that_comes_with_these_edits() {
    let mut host = at_step(20);
    host.apply(set("groups.millers.sensors.0.range_m", "1.5")).unwrap();
    let hash = host.simulation().hash();
    let edit = set("groups.millers.controller.detected.turn_rad_per_s", "0.9");
    let mut run = None;
    // The second forecast reuses the simulation of the first one.
    for _ in 0..2 {
        let plan = host.plan_forecast(std::slice::from_ref(&edit), false).unwrap();
        let mut forecast = plan.make(run.take()).unwrap();
        (0..200).for_each(|_| forecast.step());
        run = Some(forecast);
    }
    assert_eq!((host.simulation().hash(), host.simulation().steps()), (hash, 20), "the present stays");
    assert_eq!(host.simulation().waiting_edits().len(), 1);
    host.apply(edit).unwrap();
    host.advance_to(220, || true, |_| {});
    let run = run.unwrap();
    assert_eq!(run.simulation().steps(), 220);
    let poses = |simulation: &Simulation| simulation.agents().map(|agent| agent.pose).collect::<Vec<_>>();
    assert_eq!(poses(run.simulation()), poses(host.simulation()));
    assert_eq!(run.simulation().hash(), host.simulation().hash());
}

#[test]
fn a_forecast_of_a_restart_begins_at_the_start() {
    let mut host = at_step(20);
    let edit = set("groups.millers.count", "7");
    let mut run = host.plan_forecast(std::slice::from_ref(&edit), true).unwrap().make(None).unwrap();
    (0..10).for_each(|_| run.step());
    host.restart_with(&[edit], 1).unwrap();
    host.advance_to(10, || true, |_| {});
    assert_eq!(run.simulation().hash(), host.simulation().hash());
    let other = host.plan_forecast(&[set("groups.millers.count", "3")], true).unwrap();
    assert_eq!(other.make(Some(run)).unwrap().simulation().count(), 3);
    assert!(host.plan_forecast(&[set("groups.millers.count", "-3")], true).is_none());
}

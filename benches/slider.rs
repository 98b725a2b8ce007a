//! Ticks of a slider while the clock is paused, and forecasts of its value: `cargo bench --bench slider -- [N [TICKS]]`
//! writes one JSON object a line. Without arguments, 5,000 robots and 200 ticks.

use std::time::Instant;

use serde_json::json;
use swarmarium::clock::Host;
use swarmarium::edit::Edit;
use swarmarium::prelude::*;

#[expect(dead_code, reason = "other benches need more of it")]
mod start;

/// Parameters of the workload with a controller, a body and a sensor of each robot, with a value.
const PARAMETERS: [(&str, f64); 3] = [
    ("groups.0.controller.detected.turn_rad_per_s", 0.5),
    ("groups.0.sensors.0.range_m", 1.0),
    ("groups.0.body.radius_m", 0.1),
];

/// The duration of a forecast, in simulated seconds.
const FORECAST_S: f64 = 10.0;

fn main() {
    let numbers: Vec<u32> = std::env::args().skip(1).filter_map(|word| word.parse().ok()).collect();
    let (robots, ticks) =
        (numbers.first().map_or(5_000, |robots| *robots as usize), numbers.get(1).map_or(200, |n| *n));
    let scene = start::scene("b", robots);
    for (path, value) in PARAMETERS {
        let mut host = Host::new(&scene, &Recipe::standard(), 1).unwrap_or_else(|problems| panic!("{problems}"));
        host.keep_track();
        host.clock_mut().paused = true;
        host.advance_to(3, || true, |_| {});
        let transaction = host.new_transaction();
        let mut tick = |part: f64| {
            let edit = Edit::Set { path: path.into(), value: (value + part).to_string() };
            host.apply_in(edit, transaction).unwrap_or_else(|problem| panic!("{problem}"));
            host.advance(0.0, || true, |_| {});
        };
        // The first one hashes the end of the last step.
        tick(0.0);
        let began = Instant::now();
        (1..=ticks).for_each(|number| tick(f64::from(number) * 1e-4));
        let tick_us = began.elapsed().as_secs_f64() * 1e6 / f64::from(ticks);
        let forecast = forecast(&mut host, path, value);
        println!(
            "{}",
            json!({ "parameter": path, "robots": robots, "ticks": ticks, "tick_us": tick_us, "forecast": forecast })
        );
    }
}

/// Times of forecasts of a value: that of the window's thread, and that of the thread which simulates ahead; the first
/// forecast makes a simulation, later ones use it again.
fn forecast(host: &mut Host, path: &str, value: f64) -> serde_json::Value {
    let steps = (FORECAST_S / host.simulation().time().dt_s).round() as u64;
    let edit = Edit::Set { path: path.into(), value: value.to_string() };
    let mut run = None;
    let times_ms = [(); 2].map(|()| {
        let began = Instant::now();
        let plan = host.plan_forecast(std::slice::from_ref(&edit), false);
        let plan_ms = began.elapsed().as_secs_f64() * 1e3;
        let began = Instant::now();
        let mut ahead = plan.and_then(|plan| plan.make(run.take()).ok()).unwrap_or_else(|| panic!("no forecast"));
        (0..steps).for_each(|_| ahead.step());
        run = Some(ahead);
        [plan_ms, began.elapsed().as_secs_f64() * 1e3]
    });
    let [first, later] = times_ms;
    json!({ "steps": steps, "plan_ms": later[0], "first_ms": first[1], "later_ms": later[1] })
}

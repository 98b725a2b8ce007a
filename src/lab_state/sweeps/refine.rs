//! Longer plans of a sweep: more repetitions, and more points where it matters.

use swarmarium_core::text::wording::count;
use swarmarium_sweep::charts::text::number;
use swarmarium_sweep::plan::{Plan, Sampling, Seeds, Value, Values};
use swarmarium_sweep::{Sweep, charts};

/// The plan with more runs of each point. Listed seeds go on after the largest one.
pub fn repeated(mut plan: Plan, more: u64) -> Plan {
    if let Seeds::List(seeds) = &mut plan.seeds {
        let first = seeds.iter().max().map_or(0, |largest| largest.wrapping_add(1));
        seeds.extend((0..more).map(|place| first.wrapping_add(place)));
        plan.repetitions = seeds.len() as u64;
    } else {
        plan.repetitions = plan.repetitions.saturating_add(more);
    }
    plan
}

/// The plan with more values of a factor within a range, at even distances; the runs of all other values stay.
///
/// # Errors
/// When the points are not a grid, or the range has room for no new value.
pub fn refined(sweep: &Sweep, factor: usize, [low, high]: [f64; 2], points: u64) -> Result<Plan, String> {
    if sweep.plan.sampling != Sampling::Grid {
        return Err("Only a sweep over a grid can be refined".into());
    }
    let known = sweep.factors.get(factor).ok_or("The sweep has no such factor")?;
    let mut numbers: Vec<f64> = sweep.points.iter().filter_map(|point| point.get(factor)?.number()).collect();
    if numbers.len() < sweep.points.len() {
        return Err(format!("{} has values that are not numbers", known.label));
    }
    let is_log = charts::FactorAxis::is_logarithmic(sweep, factor);
    let along = |number: f64| if is_log { swarmarium_base::math::ln(number) } else { number };
    let back = |at: f64| if is_log { swarmarium_base::math::exp(at) } else { at };
    let before = distinct(&mut numbers);
    // New values lie within the range and not at its ends, which are between known values anyway.
    let steps = (points + 1) as f64;
    let at = |place: u64| back(along(low) + (along(high) - along(low)) * place as f64 / steps);
    let new = (1..=points).map(at).map(|number| if known.levels.is_whole { number.round() } else { rounded(number) });
    numbers.extend(new.filter(|number| number.is_finite() && (low..=high).contains(number)));
    if distinct(&mut numbers) == before {
        let [low, high] = [low, high].map(number);
        return Err(format!("There is no new value from {low} to {high}: {} are known", count(before, "value")));
    }
    let mut plan = sweep.plan.clone();
    let Some(changed) = plan.factors.get_mut(factor) else { return Err("The plan has no such factor".into()) };
    changed.values = Values::List(numbers.into_iter().map(Value::from).collect());
    changed.log_axis = is_log;
    Ok(plan)
}

/// Sorts numbers, each once. Returns how many there are.
fn distinct(numbers: &mut Vec<f64>) -> usize {
    numbers.sort_by(f64::total_cmp);
    numbers.dedup();
    numbers.len()
}

/// Rounds a number to four digits, which tables and figures show.
fn rounded(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

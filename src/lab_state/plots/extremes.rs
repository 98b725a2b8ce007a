//! The moments of plotted numbers: maximum, minimum, and the beginning of a steady state.

use std::sync::Arc;

use crate::common::moments::{Detail, MomentKind, Occurrence};
use crate::plots::history::{Extremes, History};

/// The largest number of plotted numbers whose moments are found.
const MOST: usize = 8;

/// The smallest number of buckets of steps from which a steady state is found.
const LEAST_BUCKETS: usize = 20;

/// A number is steady while it stays this close to its mean at the end, as a part of its whole range.
const BAND: f64 = 0.05;

/// The part of the run, at its end, over which the mean is taken; a steady state must begin before it.
const END: f64 = 0.2;

/// Returns the moments of the plotted numbers in the order of their steps. An extreme at an end of the run, where the
/// number still rises or falls, is none.
pub fn moments(history: &History) -> &[Occurrence] {
    history.plot_moments(find)
}

fn find(history: &History) -> Vec<Occurrence> {
    let steps = history.steps();
    let mut found = Vec::new();
    let topics = history.topics();
    let series = topics.iter().flat_map(|topic| topic.parts.iter().map(move |(part, series)| (topic, part, *series)));
    for (topic, part, place) in series.take(MOST) {
        let extremes = history.extremes(place);
        let name: Arc<str> = format!("{} {part}", topic.name).trim_end().into();
        let mut add = |kind, step, value| {
            let detail = Detail::Value { name: name.clone(), value, unit: topic.unit };
            found.push(Occurrence::new(kind, step, None, detail));
        };
        let finite = || extremes.iter().filter(|extremes| extremes.least.value.is_finite());
        let highest = finite().map(|extremes| extremes.largest).reduce(|a, b| if b.value > a.value { b } else { a });
        let lowest = finite().map(|extremes| extremes.least).reduce(|a, b| if b.value < a.value { b } else { a });
        let Some((highest, lowest)) = highest.zip(lowest).filter(|(highest, lowest)| highest.value > lowest.value)
        else {
            continue;
        };
        let first = finite().map(|extremes| extremes.least.step.min(extremes.largest.step)).next();
        let last = steps.last().copied();
        let is_inside = |step: u64| first.is_some_and(|first| step > first) && last.is_some_and(|last| step < last);
        for (kind, extreme) in [(MomentKind::Highest, highest), (MomentKind::Lowest, lowest)] {
            if is_inside(extreme.step) {
                add(kind, extreme.step, extreme.value);
            }
        }
        if let Some((step, value)) = steady(steps, extremes, highest.value - lowest.value) {
            add(MomentKind::Steady, step, value);
        }
    }
    found.sort_by_key(|occurrence| occurrence.step);
    found
}

/// Returns the step from which a number stays close to its mean at the end, and that mean; `None` if it never does, or
/// always did.
fn steady(steps: &[u64], extremes: &[Extremes], range: f64) -> Option<(u64, f64)> {
    if steps.len() < LEAST_BUCKETS || extremes.len() < steps.len() {
        return None;
    }
    let (first, last) = (*steps.first()?, *steps.last()?);
    let limit = last - ((last - first) as f64 * END) as u64;
    let end = steps.partition_point(|step| *step < limit);
    let middles = extremes[end..].iter().map(|extremes| extremes.least.value.midpoint(extremes.largest.value));
    let mean = middles.sum::<f64>() / (steps.len() - end) as f64;
    let is_near = |value: f64| (value - mean).abs() <= BAND * range;
    let outside = extremes.iter().rposition(|extremes| !extremes.both().iter().all(|known| is_near(known.value)))?;
    let step = steps.get(outside + 1).copied().filter(|step| *step < limit)?;
    Some((step, mean))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(values: impl Iterator<Item = f64>) -> History {
        let mut history = History::new(vec!["value".into()], 0.1);
        values.zip(0..).for_each(|(value, step)| history.push(step, vec![value]));
        history
    }

    fn found(history: &History) -> Vec<(MomentKind, u64)> {
        moments(history).iter().map(|occurrence| (occurrence.kind, occurrence.step)).collect()
    }

    #[test]
    fn a_number_that_rises_and_settles_has_a_steady_state() {
        let mut rise = history((0..200).map(|step| f64::from(step.min(50)) / 50.0));
        assert_eq!(found(&rise), [(MomentKind::Steady, 48), (MomentKind::Highest, 50)]);
        let Detail::Value { name, value, unit: "" } = &moments(&rise)[0].detail else { panic!("a value") };
        assert_eq!((&**name, *value), ("Value", 1.0));
        rise.push(200, vec![9.0]);
        assert!(found(&rise).iter().all(|(kind, _)| *kind != MomentKind::Highest), "it rises again");
    }

    #[test]
    fn a_number_that_still_rises_has_no_moment() {
        assert_eq!(found(&history((0..200).map(f64::from))), []);
        assert_eq!(found(&history((0..200).map(|_| 3.0))), []);
        assert_eq!(found(&history((0..200).map(|_| f64::NAN))), []);
    }

    #[test]
    fn the_extremes_of_a_wave_are_found_at_their_first_steps() {
        let wave = history((0..200).map(|step| libm::sin(f64::from(step) * std::f64::consts::TAU / 100.0)));
        assert_eq!(found(&wave), [(MomentKind::Highest, 25), (MomentKind::Lowest, 75)]);
    }
}

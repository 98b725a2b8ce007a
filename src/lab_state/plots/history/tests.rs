//! Tests.

use super::*;

fn history(columns: &[&str]) -> History {
    History::new(columns.iter().map(|name| (*name).to_owned()).collect(), 0.025)
}

fn run(history: &mut History, steps: std::ops::RangeInclusive<u64>) {
    for step in steps {
        history.push(step, vec![step as f64; history.series.len()]);
    }
}

#[test]
fn history_memory_is_bounded_and_its_stride_is_shown() {
    let mut history = history(&["a"]);
    assert_eq!(history.sampling(), "every step");
    run(&mut history, 1..=5_000);
    assert_eq!(history.sampling(), "min and max of every 2 steps");
    run(&mut history, 5_001..=100_000);
    assert!(history.steps.len() < 2 * BUCKETS && history.steps.len() >= BUCKETS - 1);
    assert_eq!(history.series(0).len(), history.steps.len());
    assert_eq!(history.extremes(0).len(), history.steps.len());
    assert_eq!(history.stride, 32);
    assert_eq!(history.sampling(), "min and max of every 32 steps");
}

#[test]
fn history_samples_are_exact_and_evenly_spaced() {
    let mut history = history(&["a"]);
    run(&mut history, 1..=50_001);
    assert!(history.steps.iter().zip(history.series(0)).all(|(step, value)| *step as f64 == *value));
    assert_eq!(history.steps.last(), Some(&50_001), "the last bucket is not full");
    let full = &history.steps[..history.steps.len() - 1];
    assert!(full.windows(2).all(|pair| pair[1] - pair[0] == history.stride));
}

#[test]
fn history_keeps_every_peak_of_a_long_run() {
    let value = |step: u64| match step {
        1_234 => -2.0,
        77_777 => 1.018,
        step if step.is_multiple_of(1000) => f64::NAN,
        step => (step % 7) as f64 / 10.0,
    };
    let mut history = history(&["a"]);
    (1..=200_000).for_each(|step| history.push(step, vec![value(step)]));
    assert!(history.stride > 16);
    let mut first = 1;
    for (last, extremes) in history.steps.iter().zip(history.extremes(0)) {
        let values = (first..=*last).map(value).filter(|value| value.is_finite());
        let range = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        assert_eq!((extremes.least.value, extremes.largest.value), range, "steps {first} to {last}");
        assert!(extremes.both().iter().all(|known| value(known.step) == known.value));
        first = last + 1;
    }
    let all = || history.extremes(0).iter().flat_map(Extremes::both);
    assert!(all().any(|known| known == Observed { step: 1_234, value: -2.0 }));
    assert!(all().any(|known| known == Observed { step: 77_777, value: 1.018 }));
}

#[test]
fn seeking_back_drops_later_samples_within_a_bucket() {
    let mut history = history(&["a"]);
    run(&mut history, 1..=5_000);
    assert_eq!(history.stride, 2);
    history.push(4_999, vec![7.0]);
    let last = Extremes::of([Observed { step: 4_999, value: 7.0 }].into_iter());
    assert_eq!(history.steps.last(), Some(&4_999));
    assert_eq!(history.extremes(0).last(), Some(&last));
    history.push(5_000, vec![1.0]);
    history.push(5_000, vec![3.0]);
    let [least, largest] = history.extremes(0)[history.steps.len() - 1].both().map(|known| known.value);
    assert_eq!((least, largest), (3.0, 7.0), "the value that was replaced is gone");
}

#[test]
fn a_step_seen_again_replaces_its_history_sample() {
    let mut history = history(&["a"]);
    run(&mut history, 1..=10);
    history.push(4, vec![-1.0]);
    assert_eq!(history.steps, [1, 2, 3, 4]);
    assert_eq!(history.series(0), [1.0, 2.0, 3.0, -1.0]);
}

#[test]
fn history_finds_the_nearest_sample() {
    let mut history = history(&["a"]);
    assert_eq!(history.nearest(1.0), None);
    run(&mut history, 1..=4);
    assert_eq!([-1.0, 0.03, 0.049, 0.07, 9.0].map(|time_s| history.nearest(time_s)), [0, 0, 1, 2, 3].map(Some));
}

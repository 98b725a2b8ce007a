//! Randomisation of parameters around their values.

use std::collections::BTreeSet;

use swarmarium_base::id::StableId;
use swarmarium_core::random::{Seed, Stream};
use swarmarium_core::text::values::number;
use swarmarium_lab_state::app::Lab;
use swarmarium_simulation::edit::Edit;

use crate::parameters::find::root;
use crate::parameters::number::known;
use crate::parameters::rows::{EditorKind, walk};
use crate::parameters::span::{SliderHints, SliderRange};

/// Positive ranges with a larger ratio than this are sampled on a logarithmic scale.
const RATIO: f64 = 100.0;

/// Returns edits that set random numbers at some paths. They differ from the present values by at most a fraction of
/// the ranges of their sliders; 1 allows the whole range.
///
/// The same seed and throw always give the same numbers; each throw gives other ones.
pub fn edits(lab: &Lab, paths: &[String], part: f64, seed: u64, throw: u64) -> Vec<Edit> {
    let wanted: BTreeSet<&str> = paths.iter().map(String::as_str).collect();
    let stream = Seed(seed).stream(StableId::agent(0), "randomise").branch(throw);
    let mut edits = Vec::new();
    walk(lab.run.host.simulation().kinds(), &root(lab), &mut |node, editor| {
        if let EditorKind::Number { is_whole } = *editor
            && wanted.contains(node.leaf.path.as_str())
            && let Some(value) = number(node.leaf.value)
        {
            let mut stream = stream.branch(edits.len() as u64);
            let known = known(node, is_whole);
            if let Some(drawn) = draw(&mut stream, &known, value, part) {
                let value = if is_whole { format!("{drawn:.0}") } else { format!("{drawn:?}") };
                edits.push(Edit::Set { path: node.leaf.path.clone(), value });
            }
        }
        true
    });
    edits
}

/// Draws a number near another one; `None` if there is no range to sample from.
fn draw(stream: &mut Stream, known: &SliderHints, value: f64, part: f64) -> Option<f64> {
    let span = SliderRange::of(known)?.with(value, known);
    let is_by_ratio = span.low > 0.0 && value > 0.0 && (span.is_logarithmic || span.high / span.low > RATIO);
    let (to, from): (fn(f64) -> f64, fn(f64) -> f64) =
        if is_by_ratio { (libm::log, libm::exp) } else { (|number| number, |number| number) };
    let (low, high, middle) = (to(span.low), to(span.high), to(value));
    let far = part.clamp(0.0, 1.0) * (high - low);
    let drawn = from(stream.between((middle - far).max(low), (middle + far).min(high)));
    let drawn = if known.is_whole { drawn.round() } else { to_digits(drawn) };
    Some(drawn.clamp(span.low, span.high))
}

/// Rounds a number to four significant digits.
fn to_digits(number: f64) -> f64 {
    format!("{number:.3e}").parse().unwrap_or(number)
}

#[cfg(test)]
mod tests {
    use swarmarium_base::limits::Limits;
    use swarmarium_lab_state::common::quantity::Display;
    use swarmarium_lab_testing::lab_of;

    use super::*;

    fn drawn(known: SliderHints, value: f64, part: f64) -> Vec<f64> {
        let stream = Seed(1).stream(StableId::agent(0), "randomise");
        (0..300).filter_map(|index| draw(&mut stream.branch(index), &known, value, part)).collect()
    }

    #[test]
    fn randomised_numbers_stay_within_limits_and_spread() {
        let known = SliderHints {
            limits: Some(Limits::between(0.0, 1.0)),
            default: Some(0.5),
            before: None,
            ends: [None; 2],
            is_whole: false,
            display: Display::Plain,
        };
        let near = drawn(known, 0.5, 0.1);
        assert!(near.len() == 300 && near.iter().all(|value| (0.4..=0.6).contains(value)));
        let far = drawn(known, 0.1, 1.0);
        assert!(far.iter().all(|value| (0.0..=1.0).contains(value)));
        assert!(far.iter().any(|value| *value > 0.9) && far.iter().any(|value| *value < 0.1));
    }

    #[test]
    fn randomised_whole_numbers_stay_whole_and_decades_are_logarithmic() {
        let known = SliderHints {
            limits: Some(Limits::between(1.0, 4096.0)),
            default: Some(24.0),
            before: None,
            is_whole: true,
            ends: [None; 2],
            display: Display::Plain,
        };
        let all = drawn(known, 64.0, 1.0);
        assert!(all.iter().all(|value| value.fract() == 0.0));
        let small = all.iter().filter(|value| **value < 64.0).count();
        assert!((100..200).contains(&small), "half of the decades are below: {small}");
        assert!(drawn(SliderHints { limits: None, ..known }, 7.0, 1.0).is_empty(), "a seed has no range");
    }

    #[test]
    fn randomise_with_one_seed_has_the_same_numbers() {
        let lab = lab_of("(groups: [(name: \"g\", controller: Constant())])");
        let paths = ["groups.g.controller.v_m_per_s".to_owned(), "groups.g.body.radius_m".to_owned()];
        let throw = |throw| edits(&lab, &paths, 0.5, 1, throw);
        assert_eq!(throw(0).len(), 2);
        assert_eq!(throw(0), throw(0));
        assert_ne!(throw(0), throw(1));
        throw(3).iter().for_each(|edit| lab.run.host.simulation().check(edit).unwrap());
    }
}

//! Rows of the strip: one per branch, each below its parent.

use swarmarium_host::timeline::{BranchId, Moment, Timeline};

/// A branch in the strip.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Row {
    /// The branch.
    pub branch: BranchId,
    /// Its name.
    pub name: String,
    /// The row of the parent, and the step at which the branch leaves it.
    pub leaves: Option<(usize, u64)>,
    /// Its last step.
    pub end: u64,
}

/// Returns the branches with the same root as the present one, each after its parent. At most `most` are returned; the
/// present branch and its ancestors are always among them.
pub fn rows(timeline: &Timeline, most: usize) -> Vec<Row> {
    let root = timeline.root_of(timeline.present().id());
    let mut found: Vec<(BranchId, Option<Moment>)> = Vec::new();
    add(timeline, (root, None), &mut found);
    let next = |branch: &BranchId| Some(timeline.branch(*branch)?.parent()?.branch);
    let line: Vec<BranchId> = std::iter::successors(Some(timeline.present().id()), next).collect();
    let mut spare = most.saturating_sub(line.len());
    found.retain(|(branch, _)| {
        let is_kept = line.contains(branch) || spare > 0;
        spare -= usize::from(is_kept && !line.contains(branch));
        is_kept
    });
    let places: Vec<BranchId> = found.iter().map(|(branch, _)| *branch).collect();
    let row = |(branch, parent): (BranchId, Option<Moment>)| {
        let of = timeline.branch(branch)?;
        let leaves =
            parent.and_then(|parent| Some((places.iter().position(|known| *known == parent.branch)?, parent.step)));
        Some(Row { branch, name: of.name().into(), leaves, end: of.end() })
    };
    found.into_iter().filter_map(row).collect()
}

/// Adds a branch and its children, the oldest first.
fn add(timeline: &Timeline, (branch, parent): (BranchId, Option<Moment>), found: &mut Vec<(BranchId, Option<Moment>)>) {
    if found.iter().any(|(known, _)| *known == branch) {
        return;
    }
    found.push((branch, parent));
    let children = timeline.branches().filter(|other| other.parent().is_some_and(|parent| parent.branch == branch));
    children.for_each(|child| add(timeline, (child.id(), child.parent()), found));
}

/// The visible part of the steps.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Shown {
    /// All steps, while the branches grow. The scale changes in jumps, so that marks stay in place in between.
    #[default]
    Whole,
    /// From one step to another.
    Part(f64, f64),
}

/// Minimum number of visible steps.
const FEWEST_STEPS: f64 = 20.0;

/// Margin after the last step, as a fraction of the range.
const BEYOND: f64 = 0.02;

/// Returns the smallest length that is not below a number of steps, among the doublings of the fewest steps and of one
/// and a half times these.
fn whole(least: f64) -> f64 {
    let double = FEWEST_STEPS * libm::exp2(libm::ceil(libm::log2(least / FEWEST_STEPS)));
    if 0.75 * double >= least { 0.75 * double } else { double.max(least) }
}

impl Shown {
    /// Returns the first and the last visible step, given the last step of the branches.
    pub fn range(self, end: u64) -> [f64; 2] {
        match self {
            Self::Whole => [0.0, whole((end as f64 * (1.0 + BEYOND)).max(FEWEST_STEPS))],
            Self::Part(from, to) => [from, to],
        }
    }

    /// Zooms in by a factor above 1, or out, around a step that stays in place.
    pub fn zoom(&mut self, at: f64, factor: f64, end: u64) {
        let ([from, to], [_, all]) = (self.range(end), Self::Whole.range(end));
        if !(factor > 0.0 && factor.is_finite() && at.is_finite()) {
            return;
        }
        let length = ((to - from) / factor).clamp(FEWEST_STEPS, all);
        let part = ((at - from) / (to - from)).clamp(0.0, 1.0);
        self.set((at - part * length).clamp(0.0, all - length), length, all);
    }

    /// Moves the range by some steps.
    pub fn pan(&mut self, by: f64, end: u64) {
        let ([from, to], [_, all]) = (self.range(end), Self::Whole.range(end));
        if by.is_finite() && *self != Self::Whole {
            self.set((from + by).clamp(0.0, (all - (to - from)).max(0.0)), to - from, all);
        }
    }

    /// Moves the range so that a step is visible.
    pub fn reveal(&mut self, step: u64, end: u64) {
        let [from, to] = self.range(end);
        let step = step as f64;
        if step < from {
            self.pan(step - from, end);
        } else if step > to {
            self.pan(step - to, end);
        }
    }

    fn set(&mut self, from: f64, length: f64, all: f64) {
        *self = if length >= all * 0.999 { Self::Whole } else { Self::Part(from, from + length) };
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_host::clock::Host;
    use swarmarium_scene::scene::Scene;
    use swarmarium_simulation::simulation::Recipe;

    use super::*;

    #[test]
    fn a_branch_stands_below_the_one_that_it_leaves() {
        let mut host = Host::new(&Scene::default(), &Recipe::bare(), 1).unwrap();
        host.keep_track();
        host.advance_to(100, || true, |_| {});
        let main = host.moment().branch;
        let fork = |host: &mut Host, step: u64, name: &str| {
            host.switch(Moment { branch: main, step }).unwrap();
            while host.resimulate().is_some() {
                host.continue_resimulation(|| true, |_| {});
            }
            host.fork(Some(name)).unwrap();
            host.advance_to(step + 10, || true, |_| {});
        };
        fork(&mut host, 50, "a");
        fork(&mut host, 70, "b");
        let found = rows(host.timeline(), 9);
        let names: Vec<&str> = found.iter().map(|row| row.name.as_str()).collect();
        assert_eq!(names, ["main", "a", "b"]);
        assert_eq!(found.iter().map(|row| row.leaves).collect::<Vec<_>>(), [None, Some((0, 50)), Some((0, 70))]);
        assert_eq!(found.iter().map(|row| row.end).collect::<Vec<_>>(), [100, 60, 80]);
        let few: Vec<String> = rows(host.timeline(), 1).into_iter().map(|row| row.name).collect();
        assert_eq!(few, ["main", "b"], "the present one and where it came from");
    }

    #[test]
    fn the_scale_of_a_growing_run_changes_in_jumps() {
        let ends: Vec<f64> = (0..2000).map(|end| Shown::Whole.range(end)[1]).collect();
        let mut jumps = ends.clone();
        jumps.dedup();
        let first: Vec<f64> =
            (0..6).flat_map(|power| [20.0, 30.0].map(|steps| steps * f64::from(1 << power))).collect();
        assert_eq!(jumps[..12], first);
        assert!(jumps.len() < 16, "{jumps:?}");
        assert!(ends.iter().enumerate().skip(20).all(|(end, last)| (0.65..1.0).contains(&(end as f64 / last))));
    }

    #[test]
    fn zooming_and_panning_stay_within_the_run() {
        let mut shown = Shown::Whole;
        shown.zoom(500.0, 4.0, 1000);
        let [from, to] = shown.range(1000);
        assert!((to - from - 320.0).abs() < 1e-9 && from < 500.0 && to > 500.0, "{from} {to}");
        shown.pan(-1e9, 1000);
        assert_eq!(shown.range(1000)[0], 0.0);
        shown.reveal(900, 1000);
        assert!(shown.range(1000)[1] >= 900.0);
        shown.zoom(0.0, 1e-9, 1000);
        assert_eq!(shown, Shown::Whole);
        for factor in [0.0, -1.0, f64::NAN, f64::INFINITY, 1e300] {
            shown.zoom(3.0, factor, 0);
            let [from, to] = shown.range(0);
            assert!(from < to && from >= 0.0, "{factor} {shown:?}");
        }
    }
}

//! Keyframes: snapshots that a host keeps during a run, so that every step needs only a short resimulation.
//!
//! Keyframes lie on a grid of steps. The grid is finer near the live end of a branch and near the playhead. When the
//! budget of bytes is full, the spacing of the grid doubles.

use std::collections::BTreeMap;

use swarmarium_core::state::{Part, Snapshot};

use super::BranchId;

/// The default budget of the keyframes of a host, in bytes.
pub const DEFAULT_BUDGET_BYTES: usize = 256 << 20;
/// The smallest number of steps from one keyframe to the next.
pub const FIRST_SPACING: u64 = 16;
/// The largest number of keyframes: with more, their bookkeeping would take longer than a resimulation.
const MOST: usize = 4096;
/// The refinement of the grid near the live end.
const FINER: u64 = 8;
/// The length of the refined part of the grid near the live end, in spacings of the coarse grid.
const WINDOW: u64 = 4;
/// The number of steps before the playhead with the smallest spacing of keyframes.
const PLAYHEAD_STEPS: u64 = 128;
/// The largest share of keyframes in the time of steps, on average.
const TIME_SHARE: f64 = 0.05;

/// The size and the number of keyframes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyframeStats {
    /// The number of keyframes.
    pub count: usize,
    /// The total size, in bytes. Shared memory counts once.
    pub bytes: usize,
    /// The budget, in bytes.
    pub budget_bytes: usize,
    /// The number of steps between keyframes, far from the live end and the playhead.
    pub spacing: u64,
}

/// Real time of steps and keyframes.
#[derive(Clone, Copy, Debug, Default)]
struct Costs {
    steps: u64,
    steps_s: f64,
    keyframes_s: f64,
}

/// The keyframes of all branches.
#[derive(Clone)]
pub(crate) struct Keyframes {
    budget_bytes: usize,
    kept: BTreeMap<(BranchId, u64), Snapshot>,
    /// The memory of all keyframes by address: the number of keyframes that share it, and its size in bytes.
    parts: BTreeMap<usize, (usize, usize)>,
    bytes: usize,
    spacing: u64,
    /// The smallest spacing near the live end that the costs allow.
    affordable: u64,
    playhead: Option<(BranchId, u64)>,
    costs: Costs,
}

impl Default for Keyframes {
    fn default() -> Self {
        Self {
            budget_bytes: DEFAULT_BUDGET_BYTES,
            kept: BTreeMap::new(),
            parts: BTreeMap::new(),
            bytes: 0,
            spacing: FIRST_SPACING,
            affordable: FIRST_SPACING,
            playhead: None,
            costs: Costs::default(),
        }
    }
}

impl Keyframes {
    /// Sets the budget, in bytes; keyframes that do not fit are dropped.
    pub fn set_budget(&mut self, bytes: usize) {
        self.budget_bytes = bytes;
        self.fit();
    }

    /// The size and the number of keyframes.
    pub fn stats(&self) -> KeyframeStats {
        let Self { bytes, budget_bytes, .. } = *self;
        KeyframeStats { count: self.kept.len(), bytes, budget_bytes, spacing: self.spacing.max(self.affordable) }
    }

    /// The number of steps between keyframes near the live end.
    fn fine(&self) -> u64 {
        (self.spacing / FINER).max(FIRST_SPACING).max(self.affordable)
    }

    /// Whether a keyframe is due after a step at the live end of a branch.
    pub fn is_due(&self, branch: BranchId, step: u64) -> bool {
        step.is_multiple_of(self.fine()) && !self.has(branch, step) && self.is_affordable()
    }

    /// Whether there is a keyframe at the end of a step.
    pub fn has(&self, branch: BranchId, step: u64) -> bool {
        self.kept.contains_key(&(branch, step))
    }

    /// Whether a keyframe is due after a step of a resimulation towards the new playhead.
    pub fn is_due_on_way(&self, step: u64, playhead: u64) -> bool {
        let is_near = step + PLAYHEAD_STEPS >= playhead && step.is_multiple_of(FIRST_SPACING);
        is_near || step.is_multiple_of(self.spacing.max(self.affordable))
    }

    fn is_affordable(&self) -> bool {
        let Costs { steps_s, keyframes_s, steps } = self.costs;
        // The cost of the first one is measured.
        steps < 2 * FIRST_SPACING || keyframes_s <= TIME_SHARE * steps_s
    }

    /// Records the real time of a step, in seconds. It affects later keyframes, never results.
    pub fn note_step(&mut self, step_s: f64) {
        self.costs.steps += 1;
        self.costs.steps_s += step_s;
    }

    /// Records the real time of a keyframe, in seconds.
    pub fn note_cost(&mut self, keyframe_s: f64) {
        let costs = &mut self.costs;
        costs.keyframes_s += keyframe_s;
        let wanted = keyframe_s * costs.steps as f64 / (TIME_SHARE * costs.steps_s.max(1e-12));
        // One slow keyframe changes the spacing by at most a factor of two.
        if (self.affordable as f64) < wanted && self.affordable < 1 << 40 {
            self.affordable *= 2;
        } else if self.affordable > FIRST_SPACING && wanted < self.affordable as f64 / 4.0 {
            self.affordable /= 2;
        }
    }

    /// Keeps a snapshot of the end of a step, without edits of the next step.
    pub fn keep(&mut self, branch: BranchId, step: u64, snapshot: Snapshot) {
        for Part { address, bytes } in snapshot.parts() {
            let (count, _) = self.parts.entry(address).or_insert((0, bytes));
            *count += 1;
            if *count == 1 {
                self.bytes += bytes;
            }
        }
        if let Some(before) = self.kept.insert((branch, step), snapshot) {
            self.forget(&before);
        }
        self.thin(branch, step);
        self.fit();
    }

    /// Removes the memory of a dropped snapshot from the account.
    fn forget(&mut self, snapshot: &Snapshot) {
        for Part { address, .. } in snapshot.parts() {
            let Some((count, bytes)) = self.parts.get_mut(&address) else { continue };
            *count -= 1;
            if *count == 0 {
                self.bytes -= *bytes;
                self.parts.remove(&address);
            }
        }
    }

    fn drop_where(&mut self, is_dropped: impl Fn(BranchId, u64) -> bool) {
        let gone: Vec<_> = self.kept.keys().copied().filter(|(branch, step)| is_dropped(*branch, *step)).collect();
        self.drop_all(gone);
    }

    fn drop_all(&mut self, gone: Vec<(BranchId, u64)>) {
        for key in gone {
            if let Some(snapshot) = self.kept.remove(&key) {
                self.forget(&snapshot);
            }
        }
    }

    /// Whether a keyframe is on the grid, given the last one of its branch.
    fn is_on_grid(&self, (branch, step): (BranchId, u64), last: u64) -> bool {
        let is_near_end = step + WINDOW * self.spacing >= last && step.is_multiple_of(self.fine().min(self.spacing));
        let is_near_playhead = self.playhead.is_some_and(|(of, at)| {
            of == branch && step <= at && step + PLAYHEAD_STEPS >= at && step.is_multiple_of(FIRST_SPACING)
        });
        // The last one is the end of the branch.
        step == last || step.is_multiple_of(self.spacing) || is_near_end || is_near_playhead
    }

    /// Drops the keyframes that left the refined part of the grid when a step was added to a branch.
    fn thin(&mut self, branch: BranchId, step: u64) {
        let last = self.kept.range((branch, 0)..=(branch, u64::MAX)).next_back().map_or(step, |((_, last), _)| *last);
        let from = last.saturating_sub((WINDOW + 2) * self.spacing);
        let until = last.saturating_sub(WINDOW * self.spacing);
        let leaving = self.kept.range((branch, from)..(branch, until)).map(|(key, _)| *key);
        let gone = leaving.filter(|key| !self.is_on_grid(*key, last)).collect();
        self.drop_all(gone);
    }

    /// Doubles the spacing until all keyframes fit into the budget.
    fn fit(&mut self) {
        while self.bytes > self.budget_bytes || self.kept.len() > MOST {
            if self.spacing >= 1 << 40 {
                // Not even the last keyframes of the branches fit: those of the oldest branches are dropped first.
                let Some(first) = self.kept.keys().next().copied() else { return };
                self.drop_all(vec![first]);
                continue;
            }
            self.spacing *= 2;
            self.thin_all();
        }
        if self.kept.is_empty() {
            self.spacing = FIRST_SPACING;
        }
    }

    fn thin_all(&mut self) {
        let mut lasts: BTreeMap<BranchId, u64> = BTreeMap::new();
        self.kept.keys().for_each(|(branch, step)| _ = lasts.insert(*branch, *step));
        let is_gone = |key: &(BranchId, u64)| !self.is_on_grid(*key, lasts.get(&key.0).copied().unwrap_or_default());
        let gone = self.kept.keys().copied().filter(is_gone).collect();
        self.drop_all(gone);
    }

    /// Moves the playhead: keyframes near its former position that are not on the grid are dropped.
    pub fn move_playhead(&mut self, branch: BranchId, step: u64) {
        let before = self.playhead.replace((branch, step));
        let Some((of, at)) = before.filter(|before| *before != (branch, step)) else { return };
        let last = self.kept.range((of, 0)..=(of, u64::MAX)).next_back().map_or(0, |((_, last), _)| *last);
        let around = self.kept.range((of, at.saturating_sub(PLAYHEAD_STEPS))..=(of, at)).map(|(key, _)| *key);
        let gone = around.filter(|key| !self.is_on_grid(*key, last)).collect();
        self.drop_all(gone);
    }

    /// The last keyframe of a branch at or before the end of a step.
    pub fn at_or_before(&self, branch: BranchId, step: u64) -> Option<(u64, &Snapshot)> {
        let mut until = self.kept.range((branch, 0)..=(branch, step));
        until.next_back().map(|((_, step), snapshot)| (*step, snapshot))
    }

    /// Drops the keyframes of a branch after a step.
    pub fn drop_after(&mut self, branch: BranchId, step: u64) {
        self.drop_where(|of, at| of == branch && at > step);
    }

    /// Drops all keyframes of a branch.
    pub fn drop_branch(&mut self, branch: BranchId) {
        self.drop_where(|of, _| of == branch);
    }

    /// Copies the keyframes of a branch after one step, up to another one, to a second branch.
    pub fn copy(&mut self, from: BranchId, to: BranchId, after: u64, until: u64) {
        let range = self.kept.range((from, after + 1)..=(from, until.max(after)));
        let copies: Vec<_> = range.map(|((_, step), snapshot)| (*step, snapshot.clone())).collect();
        copies.into_iter().for_each(|(step, snapshot)| self.keep(to, step, snapshot));
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_scene::scene::Scene;
    use swarmarium_scene::scene::description::Group;
    use swarmarium_simulation::simulation::{Recipe, Simulation};

    use super::*;

    impl Keyframes {
        /// The steps of the keyframes of a branch.
        fn steps(&self, branch: BranchId) -> impl Iterator<Item = u64> {
            self.kept.range((branch, 0)..=(branch, u64::MAX)).map(|((_, step), _)| *step)
        }
    }

    const MAIN: BranchId = BranchId(0);

    fn simulation(count: u32) -> Simulation {
        let group = Group { name: "a".into(), count, ..Group::default() };
        let scene = Scene { groups: vec![group], ..Scene::default() };
        Simulation::with(&scene, &Recipe::bare(), 1).unwrap()
    }

    /// Runs a simulation with keyframes, as a host without clocks does.
    fn run(simulation: &mut Simulation, keyframes: &mut Keyframes, steps: u64) {
        for _ in 0..steps {
            simulation.step(1);
            if keyframes.is_due(MAIN, simulation.steps()) {
                keyframes.keep(MAIN, simulation.steps(), simulation.keyframe());
            }
        }
    }

    /// The memory of all keyframes, recounted.
    fn counted(keyframes: &Keyframes) -> usize {
        let parts = keyframes.kept.values().flat_map(Snapshot::parts);
        parts.map(|part| (part.address, part.bytes)).collect::<BTreeMap<_, _>>().into_values().sum()
    }

    #[test]
    fn keyframes_fit_into_the_budget_and_are_dense_near_the_live_end() {
        let mut simulation = simulation(3);
        let mut keyframes = Keyframes::default();
        run(&mut simulation, &mut keyframes, 100);
        assert_eq!(keyframes.steps(MAIN).collect::<Vec<_>>(), [16, 32, 48, 64, 80, 96]);
        let each = keyframes.bytes / 6;
        keyframes.set_budget(40 * each);
        run(&mut simulation, &mut keyframes, 20_000);
        assert_eq!(keyframes.bytes, counted(&keyframes));
        assert!(keyframes.bytes <= 40 * each && keyframes.bytes > 12 * each, "{:?}", keyframes.stats());
        let steps: Vec<u64> = keyframes.steps(MAIN).collect();
        let gaps: Vec<u64> = steps.windows(2).map(|pair| pair[1] - pair[0]).collect();
        let spacing = keyframes.stats().spacing;
        assert!(gaps.iter().all(|gap| *gap <= spacing), "{steps:?}");
        assert!(gaps.last().is_some_and(|last| last * 4 <= spacing), "{steps:?}");
        assert_eq!(keyframes.at_or_before(MAIN, spacing).map(|(step, _)| step), Some(spacing));
        keyframes.drop_after(MAIN, spacing);
        assert_eq!(keyframes.steps(MAIN).last(), Some(spacing));
        keyframes.set_budget(0);
        assert_eq!(keyframes.stats().count, 0);
        assert_eq!(keyframes.bytes, 0);
    }

    #[test]
    fn expensive_keyframes_are_rare() {
        let mut keyframes = Keyframes::default();
        let mut simulation = simulation(1);
        for _ in 0..100_000 {
            simulation.step(1);
            keyframes.note_step(1.0);
            if keyframes.is_due(MAIN, simulation.steps()) {
                keyframes.note_cost(10.0);
                keyframes.keep(MAIN, simulation.steps(), simulation.keyframe());
            }
        }
        let Costs { steps_s, keyframes_s, .. } = keyframes.costs;
        assert!((0.02..=TIME_SHARE + 0.001).contains(&(keyframes_s / steps_s)), "{:?}", keyframes.costs);
    }

    #[test]
    fn keyframes_are_dense_near_the_playhead() {
        let mut keyframes = Keyframes { spacing: 1024, affordable: 256, ..Keyframes::default() };
        let mut simulation = simulation(1);
        keyframes.move_playhead(MAIN, 3000);
        for step in 1..=6000 {
            simulation.step(1);
            if keyframes.is_due_on_way(step, 3000) && step <= 3000 || step.is_multiple_of(256) {
                keyframes.keep(MAIN, step, simulation.keyframe());
            }
        }
        let near = |keyframes: &Keyframes| keyframes.steps(MAIN).filter(|step| (2872..=3000).contains(step)).count();
        assert_eq!(near(&keyframes), 8);
        keyframes.move_playhead(MAIN, 100);
        assert!(near(&keyframes) <= 1);
    }
}

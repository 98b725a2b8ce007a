//! The thread that keeps statistics, lists of runs and the figure up to date.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use swarmarium_sweep::log::Index;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::summary::PointRuns;
use swarmarium_sweep::{Folder, Sweep, charts};

use crate::sweeps::drawn::{FigureRequest, draw};
use crate::sweeps::worker::{Phase, Shared, lock};

/// The shortest time between two statistics, at first and later: a figure that changes costs the window a moment.
const REFRESH: [Duration; 2] = [Duration::from_millis(80), Duration::from_millis(300)];

/// The statistics thread rests for this many times the time that the statistics took, at most for the longest rest.
const IDLE_FACTOR: u32 = 4;
/// The longest rest of the statistics thread: on a busy machine, statistics may take long.
const LONGEST_REST: Duration = Duration::from_secs(2);

impl Shared {
    /// Keeps the statistics and the figure up to date.
    pub(super) fn show(&self) {
        let mut shown: Option<Shown> = None;
        while !self.is_closed() {
            self.yield_when_due();
            let (began, changes) = (Instant::now(), self.changes.load(Ordering::Relaxed));
            let sweep = lock(&self.state).sweep.clone();
            if let Some(sweep) = sweep.filter(|_| Folder::is_at(&self.folder)) {
                let known = shown.take().filter(|shown| Arc::ptr_eq(&shown.sweep, &sweep));
                let is_new = known.is_none();
                match known.map_or_else(|| Shown::new(&self.folder, sweep), Ok) {
                    Ok(mut known) => {
                        known.refresh(self, is_new);
                        shown = Some(known);
                    }
                    Err(error) => self.set_phase(Phase::Failed(format!("{error:#}"))),
                }
            }
            let shortest = REFRESH[usize::from(self.began.elapsed() > self.normal_priority_time)];
            self.wait((began.elapsed() * IDLE_FACTOR).clamp(shortest, LONGEST_REST), changes);
        }
    }
}

/// The statistics of a sweep that is shown.
struct Shown {
    sweep: Arc<Sweep>,
    index: Index,
    results: Results,
    /// The point of each run, by its key.
    points: BTreeMap<u64, usize>,
    drawn: Option<(FigureRequest, u64)>,
}

impl Shown {
    pub fn new(folder: &Path, sweep: Arc<Sweep>) -> anyhow::Result<Self> {
        let index = Folder::open(folder)?.index()?;
        let results = Results::read(&sweep, &index);
        let points = sweep.runs().map(|run| (sweep.key(run), run.point)).collect();
        Ok(Self { sweep, index, results, points, drawn: None })
    }

    /// Takes in new runs and publishes what changed.
    fn refresh(&mut self, shared: &Shared, is_new: bool) {
        let found = match self.index.refresh() {
            Ok(found) => found,
            Err(error) => return shared.set_phase(Phase::Failed(format!("{error:#}"))),
        };
        let changed: BTreeSet<usize> = found.iter().filter_map(|key| self.points.get(key).copied()).collect();
        for point in &changed {
            self.results.set_point(&self.sweep, *point, &PointRuns::read(&self.sweep, &self.index, *point));
        }
        let view = lock(&shared.view).clone();
        let mut state = lock(&shared.state).clone();
        if is_new || !changed.is_empty() {
            state.version += 1;
            state.results = Arc::new(self.results.clone());
            state.figures = Arc::new(charts::of_measures(&self.sweep, &self.results));
        }
        let is_listed = state.runs.as_ref().map(|runs| runs.0) == view.point;
        if !is_listed || is_new || view.point.is_some_and(|point| changed.contains(&point)) {
            state.runs = view
                .point
                .filter(|point| *point < self.sweep.points.len())
                .map(|point| Arc::new((point, PointRuns::read(&self.sweep, &self.index, point).outcomes)));
        }
        let wanted = view.figure.map(|request| (request, state.version));
        if let Some((request, _)) = wanted.as_ref().filter(|wanted| self.drawn.as_ref() != Some(*wanted)) {
            let figure = match request.is_over_time() {
                true => {
                    let figures = charts::over_time(&self.sweep, &self.results, &self.index);
                    figures.into_iter().find(|(name, _)| *name == request.name).map(|(_, figure)| figure)
                }
                false => state.figures.iter().find(|(name, _)| *name == request.name).map(|(_, figure)| figure.clone()),
            };
            state.drawn = figure.map(|figure| Arc::new(draw(figure, request)));
        }
        self.drawn = wanted;
        // The other thread may have changed the rest in the meantime.
        let mut published = lock(&shared.state);
        (published.version, published.results, published.figures) = (state.version, state.results, state.figures);
        (published.runs, published.drawn) = (state.runs, state.drawn);
        published.is_shown = published.sweep.as_ref().is_some_and(|sweep| Arc::ptr_eq(sweep, &self.sweep));
    }
}

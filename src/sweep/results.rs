//! The statistics of a sweep, which can grow run by run.

use std::collections::BTreeSet;

use crate::log::Index;
use crate::plan::Folders;
use crate::resolved::{Run, Sweep};
use crate::summary::{Comparison, PointRuns, Summary, summarize};

/// The statistics of a sweep: by point, then by measure; and the comparisons by measure.
#[derive(Clone, Debug, Default)]
pub struct Results {
    /// The summaries.
    pub summaries: Vec<Vec<Summary>>,
    /// The comparisons of points; empty until the tables are written.
    pub comparisons: Vec<Vec<Comparison>>,
    /// The runs that failed, with their errors, in the order of tables.
    pub failed: Vec<(Run, String)>,
    /// The points whose repetitions are [identical](crate::identical); empty until the tables are written.
    pub identical: Vec<usize>,
    /// The number of finished runs.
    pub done: u64,
    /// The number of finished runs of each point.
    pub done_of_points: Vec<u64>,
}

impl Results {
    /// The statistics of a sweep without finished runs.
    pub fn empty(sweep: &Sweep) -> Self {
        let points = sweep.points.len();
        let none = vec![Summary::default(); sweep.plan.measures.len()];
        Self { summaries: vec![none; points], done_of_points: vec![0; points], ..Self::default() }
    }

    /// The statistics of the runs in the logs.
    pub fn read(sweep: &Sweep, index: &Index) -> Self {
        let mut results = Self::empty(sweep);
        (0..sweep.points.len())
            .for_each(|point| results.set_point(sweep, point, &PointRuns::read(sweep, index, point)));
        results
    }

    /// The runs that get folders of their own, in the order of tables.
    pub fn kept(&self, sweep: &Sweep) -> Vec<Run> {
        let folders = sweep.plan.keep.folders;
        match folders {
            // A sweep has up to a million runs.
            Folders::None => Vec::new(),
            _ => {
                let failed: BTreeSet<Run> = self.failed.iter().map(|(run, _)| *run).collect();
                sweep.runs().filter(|run| folders.keeps(run.repetition, failed.contains(run))).collect()
            }
        }
    }

    /// Replaces the statistics of a point by those of its finished runs.
    pub fn set_point(&mut self, sweep: &Sweep, point: usize, runs: &PointRuns) {
        let done = runs.outcomes.iter().flatten().count() as u64;
        self.done = self.done - self.done_of_points[point] + done;
        self.done_of_points[point] = done;
        let measures = sweep.plan.measures.iter().enumerate();
        self.summaries[point] =
            measures.map(|(place, measure)| summarize(sweep, runs, point, place, measure)).collect();
        self.failed.retain(|(run, _)| run.point != point);
        let errors = (0..)
            .zip(&runs.outcomes)
            .filter_map(|(repetition, outcome)| Some((Run { point, repetition }, outcome.as_ref()?.error.clone()?)));
        self.failed.extend(errors);
        self.failed.sort_by_key(|(run, _)| *run);
    }
}

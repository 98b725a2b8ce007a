//! The figures of a sweep folder.

use std::path::Path;

use swarmarium_figure::Figure;
use swarmarium_simulation::simulation::Recipe;
use swarmarium_sweep::address::sweep_at;
use swarmarium_sweep::results::Results;
use swarmarium_sweep::{Folder, Sweep, charts};

use super::Choice;

/// The figures of the runs that are done.
pub(super) struct SweepFigures {
    sweep: Sweep,
    figures: Vec<(String, Figure)>,
}

impl SweepFigures {
    /// Reads the logs of a sweep.
    ///
    /// # Errors
    /// When the plan or a log cannot be read.
    pub fn open(path: &Path, recipe: &Recipe) -> anyhow::Result<Self> {
        let sweep = sweep_at(path, recipe)?;
        let index = Folder::open(path)?.index()?;
        let results = Results::read(&sweep, &index);
        let figures = charts::charts(&sweep, &results, &index);
        Ok(Self { sweep, figures })
    }

    pub fn choices(&self) -> Vec<Choice> {
        let choice = |(name, figure): &(String, Figure)| {
            let (_, kind) = name.split_once('-').unwrap_or((name, ""));
            let measure =
                charts::measure_of(&self.sweep, name).map(|place| self.sweep.plan.measures[place].name.clone());
            let of_metric = || name.strip_suffix("-over-time").unwrap_or_default().to_owned();
            Choice {
                name: name.clone(),
                title: figure.title.clone(),
                alias: measure.unwrap_or_else(of_metric),
                kind: kind.to_owned(),
                is_part: false,
            }
        };
        self.figures.iter().map(choice).collect()
    }

    pub fn draw(&self, chosen: &[Choice]) -> Vec<Figure> {
        let find = |choice: &Choice| self.figures.iter().find(|(name, _)| *name == choice.name);
        chosen.iter().filter_map(find).map(|(_, figure)| figure.clone()).collect()
    }
}

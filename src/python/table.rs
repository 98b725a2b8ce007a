//! Tables of numbers that grow while a simulation runs.

use numpy::{PyArray1, PyArray2, PyArrayMethods};
use pyo3::prelude::*;
use swarmarium_simulation::Simulation;

/// Rows of numbers under named columns.
#[derive(Clone, Default)]
pub struct Table {
    columns: Vec<String>,
    rows: Vec<f64>,
}

/// The columns of every table: the number of the step and the simulated time.
const MOMENT: [&str; 2] = ["step", "t_s"];

impl Table {
    /// A table of metrics.
    pub fn of_metrics(simulation: &Simulation) -> Self {
        let columns = MOMENT.iter().map(ToString::to_string).chain(simulation.metric_columns());
        Self { columns: columns.collect(), rows: Vec::new() }
    }

    /// A table of poses and readings. Robots with fewer readings than others have `NaN` at the end.
    pub fn of_trace(simulation: &Simulation) -> Self {
        let readings = simulation.agents().map(|agent| agent.readings().map(<[f64]>::len).sum::<usize>()).max();
        let columns = MOMENT.iter().chain(&["agent", "x_m", "y_m", "heading_rad"]).map(ToString::to_string);
        let readings = (0..readings.unwrap_or(0)).map(|place| format!("reading_{place}"));
        Self { columns: columns.chain(readings).collect(), rows: Vec::new() }
    }

    /// Adds the metrics after a step.
    pub fn add_metrics(&mut self, simulation: &Simulation) {
        let time = simulation.time();
        let observed = simulation.observed();
        if observed.len() + MOMENT.len() == self.columns.len() {
            self.rows.extend([time.step as f64, time.shown_s()]);
            self.rows.extend_from_slice(observed);
        }
    }

    /// Adds a row for each agent.
    pub fn add_trace(&mut self, simulation: &Simulation) {
        let (time, width) = (simulation.time(), self.columns.len());
        for agent in simulation.agents() {
            let end = self.rows.len() + width;
            let (position_m, heading_rad) = (agent.pose.position_m, agent.pose.heading_rad);
            self.rows.extend([time.step as f64, time.shown_s(), f64::from(agent.id.index())]);
            self.rows.extend([position_m.x, position_m.y, heading_rad]);
            self.rows.extend(agent.readings().flatten());
            // Sensors that were added later have no column.
            self.rows.resize(end, f64::NAN);
        }
    }

    /// Forgets all rows.
    pub fn clear(&mut self) {
        self.rows.clear();
    }

    /// The names of the columns, and the rows as an array.
    pub fn to_python<'py>(&self, py: Python<'py>) -> PyResult<(Vec<String>, Bound<'py, PyArray2<f64>>)> {
        let width = self.columns.len();
        let flat = PyArray1::from_slice(py, &self.rows);
        Ok((self.columns.clone(), flat.reshape([self.rows.len() / width, width])?))
    }
}

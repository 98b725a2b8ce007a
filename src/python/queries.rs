//! Questions about the robots of a simulation: who is near, and random numbers of their own.

use numpy::{PyArray1, PyArray2, PyArrayMethods as _};
use pyo3::prelude::*;
use swarmarium_core::random::Seed;

use crate::error::error;
use crate::simulation::Simulation;

/// The neighbours of robots: the start of each robot's part and the end, the places of the neighbours, and the vectors to
/// them.
type Neighbours<'py> = (Bound<'py, PyArray1<i64>>, Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>);

/// For each of some agents, those among them whose centres are at most a distance away, by their places in the list of
/// agents, in ascending order. Agents that are gone have none.
#[pyfunction]
pub fn neighbours<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    agents: Option<Vec<u32>>,
    radius_m: f64,
) -> PyResult<Neighbours<'py>> {
    if radius_m.is_nan() || radius_m < 0.0 {
        return Err(error(format!("radius_m: expected a number ≥ 0, found {radius_m}")));
    }
    let mut used = simulation.in_use()?;
    let (starts, rows, offsets) = used.detached(py, |inner| {
        let now = inner.simulation().read();
        let (space, agents) = (now.space(), agents.as_deref());
        let bodies = &space.bodies;
        let count = agents.map_or(bodies.positions().len().min(bodies.len()), <[u32]>::len);
        // The place of each row of the space in the list, and the row of each place.
        let row_at: Vec<Option<usize>> = match agents {
            None => (0..count).map(Some).collect(),
            Some(agents) => agents.iter().map(|agent| now.row_of(*agent)).collect(),
        };
        let mut place_of: Vec<i64> = vec![-1; bodies.positions().len()];
        for (place, row) in row_at.iter().enumerate() {
            if let Some(known) = row.and_then(|row| place_of.get_mut(row)) {
                *known = place as i64;
            }
        }
        let (mut starts, mut rows, mut offsets) = (Vec::with_capacity(count + 1), Vec::new(), Vec::new());
        let mut found: Vec<(i64, [f64; 2])> = Vec::new();
        // A robot exactly at the radius is included, in spite of rounding.
        let reach = bevy::math::DVec2::splat(radius_m * (1.0 + 1e-9));
        for row in row_at {
            starts.push(rows.len() as i64);
            let Some((row, position)) = row.and_then(|row| Some((row, *bodies.positions().get(row)?))) else {
                continue;
            };
            found.clear();
            space.index().near_box(position, (-reach, reach), |other| {
                let place = place_of.get(other.row).copied().unwrap_or(-1);
                if other.row != row && place >= 0 && other.offset.length() <= radius_m {
                    found.push((place, other.offset.to_array()));
                }
            });
            found.sort_unstable_by_key(|(place, _)| *place);
            rows.extend(found.iter().map(|(place, _)| *place));
            offsets.extend(found.iter().flat_map(|(_, offset)| *offset));
        }
        starts.push(rows.len() as i64);
        (starts, rows, offsets)
    })?;
    let shape = [rows.len(), 2];
    let offsets = PyArray1::from_vec(py, offsets).reshape(shape)?;
    Ok((PyArray1::from_vec(py, starts), PyArray1::from_vec(py, rows), offsets))
}

/// Random numbers of agents: a row of `count` numbers for each of them, in [0, 1) or normal. They depend on the seed, the
/// agent, the name, the number of the call and the present step, and on nothing else.
#[pyfunction]
pub fn draws<'py>(
    py: Python<'py>,
    simulation: &Simulation,
    agents: Vec<u32>,
    name: &str,
    call: u64,
    count: usize,
    is_normal: bool,
) -> PyResult<Bound<'py, PyArray2<f64>>> {
    let numbers = simulation.read(|inner| {
        let now = inner.simulation().read();
        let (seed, step) = (Seed(inner.simulation().scene().seed), now.time().step);
        let purpose = format!("python.{name}");
        let mut numbers = Vec::with_capacity(agents.len() * count);
        for agent in &agents {
            let id = swarmarium_base::id::StableId::agent(*agent);
            let mut stream = seed.stream(id, &purpose).at_step(step).branch(call);
            numbers.extend((0..count).map(|_| if is_normal { stream.normal() } else { stream.unit() }));
        }
        numbers
    })?;
    PyArray1::from_vec(py, numbers).reshape([agents.len(), count])
}

//! State lanes: the state or a number of each robot over the steps of a branch, as runs of equal values.
//!
//! A robot in one state for a million steps takes one run. Memory is bounded: when a robot has too many runs, the shortest
//! are merged into those before them.

pub mod runs;

use swarmarium_draw::ColorBy;
use swarmarium_draw::color_by::Coloring;
use swarmarium_draw::legend::Key;
use swarmarium_picture::cells::round_up;
use swarmarium_picture::palette::{Role, viridis};
use swarmarium_simulation::simulation::Simulation;

use crate::common::lane_source::LaneSource;
use crate::plots::axis::value_text;
use crate::plots::lanes::runs::Runs;

/// The number of colours of a number; equal colours are one run.
const LEVELS: u8 = 16;

/// The largest number of states with own colours.
const MOST_STATES: usize = 250;

/// The lane of a robot.
#[derive(Clone, Debug)]
pub struct Lane {
    /// The number of the robot.
    pub robot: u32,
    /// The place of its group in the scene.
    pub group: u32,
    /// The values; 0 for none.
    pub runs: Runs,
}

/// The lanes of all robots of a branch.
#[derive(Clone, Debug)]
pub struct StateLanes {
    /// The quantity.
    source: LaneSource,
    /// The lanes, by number of the robot.
    lanes: Vec<Lane>,
    /// The names of the states, in the order in which they were first seen; the value of a state is its place plus 1.
    names: Vec<String>,
    /// The numbers of the first and the last colour.
    scale: [f64; 2],
    /// The first and the last observed step.
    steps: Option<[u64; 2]>,
    /// The values of the last step by row; kept for its memory.
    values: Vec<u8>,
}

impl StateLanes {
    /// Creates lanes without steps.
    pub fn new(source: LaneSource) -> Self {
        Self { source, lanes: Vec::new(), names: Vec::new(), scale: [0.0, 0.0], steps: None, values: Vec::new() }
    }

    /// Creates lanes with known runs, up to a last step.
    pub fn from_runs(source: LaneSource, names: Vec<String>, lanes: Vec<Lane>, last_step: u64) -> Self {
        Self { names, lanes, steps: Some([0, last_step]), ..Self::new(source) }
    }

    /// Returns the quantity.
    pub fn source(&self) -> LaneSource {
        self.source
    }

    /// Returns the lanes, by number of the robot.
    pub fn lanes(&self) -> &[Lane] {
        &self.lanes
    }

    /// Returns the names of the states in the order of their colours; none for numbers.
    pub fn states(&self) -> &[String] {
        &self.names
    }

    /// Returns the first and the last observed step.
    pub fn steps(&self) -> Option<[u64; 2]> {
        self.steps
    }

    /// Observes the last step.
    pub fn observe(&mut self, simulation: &Simulation) {
        let step = simulation.steps();
        if self.steps.is_some_and(|[_, last]| step <= last) {
            return;
        }
        if self.steps.is_some_and(|[_, last]| step > last + 1) {
            // The steps between are not known: the lanes begin again, and are filled in later.
            *self = Self::new(self.source);
        }
        self.steps = Some([self.steps.map_or(step, |[first, _]| first), step]);
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        match self.source {
            LaneSource::State => self.find_states(simulation, &mut values),
            LaneSource::Speed => {
                let (bodies, dt_s) = (&simulation.space().bodies, simulation.time().dt_s);
                let moved = bodies.displacements().iter().take(bodies.len());
                self.numbers(moved.map(|moved| moved.length() / dt_s), &mut values);
            }
            LaneSource::Reading(slot) => {
                let first = |readings: Option<&[f64]>| readings.and_then(|values| values.first().copied());
                let readings = simulation.agents().map(|agent| first(agent.readings().nth(slot as usize)));
                let readings: Vec<f64> = readings.map(|value| value.unwrap_or(f64::NAN)).collect();
                self.numbers(readings.into_iter(), &mut values);
            }
        }
        self.push(simulation, step, &values);
        self.values = values;
    }

    /// Adds the values of a step to the lanes; both are in the order of the numbers of robots.
    fn push(&mut self, simulation: &Simulation, step: u64, values: &[u8]) {
        let mut place = 0;
        for (owner, value) in simulation.space().bodies.owners().iter().zip(values) {
            while let Some(lane) = self.lanes.get_mut(place).filter(|lane| lane.robot < owner.number) {
                lane.runs.push(step, 0);
                place += 1;
            }
            if self.lanes.get(place).is_none_or(|lane| lane.robot > owner.number) {
                let lane = Lane { robot: owner.number, group: owner.group, runs: Runs::default() };
                self.lanes.insert(place, lane);
            }
            self.lanes[place].runs.push(step, *value);
            place += 1;
        }
        self.lanes.iter_mut().skip(place).for_each(|lane| lane.runs.push(step, 0));
    }

    /// Finds the values of the states of all robots.
    fn find_states(&mut self, simulation: &Simulation, values: &mut Vec<u8>) {
        let Some(coloring) = Coloring::new(&simulation.now(), ColorBy::State) else { return };
        let Key::Swatches(swatches) = &coloring.legend.key else { return };
        // Each text is a number and the name.
        let named = swatches.iter().map(|(_, text)| text.split_once(' ').map_or(&**text, |(_, name)| name));
        let codes: Vec<u8> = named.map(|name| self.code_of(name)).collect();
        let rows = 0..simulation.space().bodies.len();
        values.extend(rows.map(|row| {
            let number = coloring.number(row).and_then(|number| number.checked_sub(1));
            number.and_then(|number| codes.get(number).copied()).unwrap_or(0)
        }));
    }

    /// Returns the value of a state, which it may add.
    fn code_of(&mut self, name: &str) -> u8 {
        let known = self.names.iter().position(|known| known == name);
        let place = known.unwrap_or_else(|| {
            if self.names.len() < MOST_STATES {
                self.names.push(name.into());
            }
            self.names.len() - 1
        });
        place as u8 + 1
    }

    /// Finds the values of numbers. If one is outside of the scale, the scale grows, and earlier values with it.
    fn numbers(&mut self, numbers: impl Iterator<Item = f64> + Clone, values: &mut Vec<u8>) {
        let finite = numbers.clone().filter(|number| number.is_finite());
        let [low, high] = self.scale;
        let (least, most) = finite.fold((low, high), |(least, most), number| (least.min(number), most.max(number)));
        if least < low || most > high {
            let wider =
                [if least < low { -round_up(-least) } else { low }, if most > high { round_up(most) } else { high }];
            let shift = |value: u8| level(number(value, self.scale), wider);
            self.lanes.iter_mut().for_each(|lane| lane.runs.map(|value| if value == 0 { 0 } else { shift(value) }));
            self.scale = wider;
        }
        let scale = self.scale;
        values.extend(numbers.map(|number| if number.is_finite() { level(number, scale) } else { 0 }));
    }

    /// Removes the steps after a step, where another branch begins.
    pub fn go_back(&mut self, step: u64) {
        self.steps = self.steps.filter(|[first, _]| *first <= step).map(|[first, last]| [first, last.min(step)]);
        self.lanes.iter_mut().for_each(|lane| lane.runs.go_back(step));
        self.lanes.retain(|lane| !lane.runs.is_empty());
    }

    /// Returns the colour of a value; `None` for no value.
    pub fn role(&self, value: u8) -> Option<Role> {
        let place = value.checked_sub(1)?;
        Some(match self.source {
            LaneSource::State => Role::Group(u32::from(place)),
            _ => viridis(f64::from(place) / f64::from(LEVELS - 1)),
        })
    }

    /// Describes a value.
    pub fn text(&self, value: u8) -> String {
        match (value, self.source) {
            (0, _) => "none".into(),
            (_, LaneSource::State) => self.names.get(usize::from(value) - 1).cloned().unwrap_or_default(),
            _ => format!("about {}", value_text(number(value, self.scale)).trim_start()),
        }
    }

    /// Returns the names of the states, or the ends of the scale, with their colours.
    pub fn legend(&self) -> Vec<(Role, String)> {
        let values: Vec<u8> = match self.source {
            LaneSource::State => (1..=self.names.len() as u8).collect(),
            _ => vec![1, LEVELS],
        };
        values.into_iter().filter_map(|value| Some((self.role(value)?, self.text(value)))).collect()
    }

    /// Returns the value of each lane in columns of pixels, from a step on: the value of the longest run in the column.
    pub fn columns(&self, from: f64, steps_per_column: f64, columns: usize, lanes: &[&Lane]) -> Vec<u8> {
        let mut values = vec![0; columns * lanes.len()];
        let Some([_, last]) = self.steps else { return values };
        for (lane, values) in lanes.iter().zip(values.chunks_mut(columns.max(1))) {
            lane.runs.columns((from, steps_per_column), last, values);
        }
        values
    }

    /// Puts the steps of lanes that were simulated again before the first own step.
    pub fn prepend(&mut self, mut earlier: Self) {
        let Some([first, last]) = self.steps else { return *self = earlier };
        if earlier.source == self.source && earlier.steps.is_some_and(|[_, end]| end >= last) {
            return *self = earlier;
        }
        if earlier.source != self.source || earlier.steps.is_none_or(|[begin, end]| begin >= first || end + 1 < first) {
            return;
        }
        let begin = earlier.steps.map_or(first, |[begin, _]| begin);
        earlier.go_back(first.saturating_sub(1));
        let recoded: Vec<u8> = self.names.iter().map(|name| earlier.code_of(name)).collect();
        let wider = [earlier.scale[0].min(self.scale[0]), earlier.scale[1].max(self.scale[1])];
        let rescale =
            |scale: [f64; 2]| move |value: u8| if value == 0 { 0 } else { level(number(value, scale), wider) };
        let is_number = self.source != LaneSource::State;
        if is_number {
            earlier.lanes.iter_mut().for_each(|lane| lane.runs.map(rescale(earlier.scale)));
        }
        for own in &self.lanes {
            let place = earlier.lanes.partition_point(|lane| lane.robot < own.robot);
            if earlier.lanes.get(place).is_none_or(|lane| lane.robot != own.robot) {
                earlier.lanes.insert(place, Lane { runs: Runs::default(), ..own.clone() });
            }
            for (step, value) in own.runs.iter() {
                let value = match value {
                    0 => 0,
                    value if is_number => rescale(self.scale)(value),
                    value => recoded.get(usize::from(value) - 1).copied().unwrap_or(0),
                };
                earlier.lanes[place].runs.push(step, value);
            }
        }
        (earlier.scale, earlier.steps) = (wider, Some([begin, last]));
        *self = earlier;
    }
}

/// Returns the colour of a number on a scale, from 1.
fn level(number: f64, [low, high]: [f64; 2]) -> u8 {
    let part = if high > low { (number - low) / (high - low) } else { 0.0 };
    (part.clamp(0.0, 1.0) * f64::from(LEVELS - 1)).round() as u8 + 1
}

/// Returns the number in the middle of a colour.
fn number(value: u8, [low, high]: [f64; 2]) -> f64 {
    low + (high - low) * f64::from(value.saturating_sub(1)) / f64::from(LEVELS - 1)
}

#[cfg(test)]
mod tests;

//! The turn rates of robots in the last step.

use swarmarium_simulation::simulation::Simulation;

/// The largest number of robots whose headings are kept after each step. In larger swarms, only that of the selected
/// robot is kept.
const MOST: usize = 20_000;

/// The headings of robots after the last two steps that were observed one after the other.
#[derive(Debug, Default)]
pub struct Turning {
    step: u64,
    before: Vec<(u32, f64)>,
    now: Vec<(u32, f64)>,
}

impl Turning {
    /// Creates the headings of a state, whose last step is unknown.
    pub fn of(simulation: &Simulation, selected: Option<u32>) -> Self {
        let step = simulation.time().step;
        let mut turning = Self { step, ..Self::default() };
        headings(simulation, selected, &mut turning.now);
        turning
    }

    /// Whether the last step of a state was observed.
    pub fn knows(&self, simulation: &Simulation) -> bool {
        self.step == simulation.time().step && !self.before.is_empty()
    }

    /// Observes the state after a step.
    pub fn observe(&mut self, simulation: &Simulation, selected: Option<u32>) {
        let step = simulation.time().step;
        if step == self.step {
            return;
        }
        let follows = step == self.step + 1;
        std::mem::swap(&mut self.before, &mut self.now);
        if !follows {
            self.before.clear();
        }
        headings(simulation, selected, &mut self.now);
        self.step = step;
    }

    /// Returns the turn rate of a robot in the last step, anticlockwise; NaN if that step was not observed.
    pub fn rad_per_s(&self, simulation: &Simulation, agent: u32) -> f64 {
        let of = |headings: &[(u32, f64)]| headings.iter().find(|(number, _)| *number == agent).map(|(_, rad)| *rad);
        let time = simulation.time();
        match (of(&self.before), of(&self.now)) {
            (Some(before), Some(now)) if self.step == time.step => (now - before) / time.dt_s,
            _ => f64::NAN,
        }
    }
}

/// Replaces a list by the present headings, with the numbers of the robots.
fn headings(simulation: &Simulation, selected: Option<u32>, headings: &mut Vec<(u32, f64)>) {
    headings.clear();
    if simulation.count() > MOST {
        let agent = selected.and_then(|number| simulation.agent(number));
        return headings.extend(agent.map(|agent| (agent.id.index(), agent.pose.heading_rad)));
    }
    headings.extend(simulation.agents().map(|agent| (agent.id.index(), agent.pose.heading_rad)));
}

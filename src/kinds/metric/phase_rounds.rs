//! Measures which oscillators go round.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{angle_of, wrap_angle};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, Swarm};

use super::phase_order::oscillators;

/// Shares of the living robots with the controller `Oscillator` or `Swarmalator` that have gone round. In
/// a periodic arena, coordinates are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// \gamma_x = \frac{1}{N} \left\lvert \left\{ i : \max_{t_0 \le t' \le t} \lvert x_i(t') - x_i(t_0) \rvert \ge 2 \pi \right\} \right\rvert
/// ```
/// $x_i$ is the bearing of robot $i$ from the centroid of these robots (column `bearing`) or its phase (column
/// `phase`), without jumps at $\pm \pi$; $t_0$ is the first step at `from_s` or later, and $N$ the number of these
/// robots. The column `both` is the share of the robots that have done both. A robot that appears later counts from
/// then on. No numbers before $t_0$ and without such robots.
///
/// Source: O'Keeffe, Hong and Strogatz, 2017.
///
/// Range: 0 to 1.
#[kind(section = "Network", words = "synchronisation, oscillators")]
pub struct PhaseRounds {
    /// Time at which counting begins, to leave out the start.
    #[reflect(@Limits::between(0.0, 1e9))]
    pub from_s: f64,
}

/// Memory of a [`PhaseRounds`].
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
pub struct Rounds {
    /// The robots of the last step, by number.
    agents: Vec<AgentRounds>,
}

/// What an agent has turned.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
struct AgentRounds {
    number: u32,
    bearing: Turned,
    phase: Turned,
}

/// An angle that is followed over time.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
struct Turned {
    /// The last value.
    angle_rad: f64,
    /// The sum of all changes.
    total_rad: f64,
    /// Whether this sum has ever been a whole turn.
    is_round: bool,
}

impl Turned {
    fn at(angle_rad: f64) -> Self {
        Self { angle_rad, ..Self::default() }
    }

    fn turn_to(&mut self, angle_rad: f64) {
        self.total_rad += wrap_angle(angle_rad - self.angle_rad);
        self.angle_rad = angle_rad;
        self.is_round |= self.total_rad.abs() >= TAU;
    }
}

impl Rounds {
    /// Follows agents, each with its number, its bearing and its phase, sorted by number; returns the shares.
    fn follow(&mut self, agents: impl Iterator<Item = (u32, f64, f64)>) -> [f64; 3] {
        let before = std::mem::take(&mut self.agents);
        self.agents = agents
            .map(|(number, bearing_rad, phase_rad)| match before.binary_search_by_key(&number, |agent| agent.number) {
                Ok(place) => {
                    let mut agent = before[place];
                    agent.bearing.turn_to(bearing_rad);
                    agent.phase.turn_to(phase_rad);
                    agent
                }
                Err(_) => AgentRounds { number, bearing: Turned::at(bearing_rad), phase: Turned::at(phase_rad) },
            })
            .collect();
        let share = |is: fn(&AgentRounds) -> bool| {
            self.agents.iter().filter(|agent| is(agent)).count() as f64 / self.agents.len() as f64
        };
        [
            share(|agent| agent.bearing.is_round),
            share(|agent| agent.phase.is_round),
            share(|agent| agent.bearing.is_round && agent.phase.is_round),
        ]
    }
}

impl Metric for PhaseRounds {
    type Memory = Rounds;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("bearing", "Share of robots with a full turn in bearing"),
        MetricLabel::new("phase", "Share of robots with a full turn in phase"),
        MetricLabel::new("both", "Share of robots with a full turn in both"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("rounds", "Rounds")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        for (number, position_m, phase_rad) in oscillators(census) {
            gathered.extend([f64::from(number), position_m.x, position_m.y, phase_rad]);
        }
    }

    fn observe(&self, rounds: &mut Rounds, swarm: &Swarm, values: &mut [f64]) {
        values.fill(f64::NAN);
        let agents = swarm.gathered.chunks_exact(4);
        if swarm.scope.t_s < self.from_s || agents.len() == 0 {
            return;
        }
        let position_m = |agent: &[f64]| DVec2::new(agent[1], agent[2]);
        let centroid = agents.clone().map(position_m).sum::<DVec2>() / agents.len() as f64;
        let angles = agents.map(|agent| (agent[0] as u32, angle_of(position_m(agent) - centroid), agent[3]));
        values.copy_from_slice(&rounds.follow(angles));
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_base::math::sin;

    use super::*;

    #[test]
    fn phase_rounds_counts_agents_that_went_round() {
        let mut rounds = Rounds::default();
        let angles = |step: f64| {
            // One goes round in both, one in its phase alone, and one there and back.
            [(0, 0.1 * step, -0.2 * step), (3, 1.0, 0.11 * step), (7, 3.0 * sin(0.1 * step), 3.0 * sin(0.1 * step))]
        };
        let shares: Vec<_> =
            (0..64).map(|step| rounds.follow(angles(f64::from(step)).map(wrapped).into_iter())).collect();
        assert_eq!(shares[31], [0.0; 3]);
        assert_eq!(shares[32], [0.0, 1.0 / 3.0, 0.0]);
        assert_eq!(shares[58], [0.0, 2.0 / 3.0, 0.0]);
        assert_eq!(shares[63], [1.0 / 3.0, 2.0 / 3.0, 1.0 / 3.0]);
        // An agent that is gone does not count any more.
        assert_eq!(rounds.follow([(3, 1.0, 0.7), (9, 0.0, 0.0)].into_iter()), [0.0, 0.5, 0.0]);
    }

    fn wrapped((number, bearing, phase): (u32, f64, f64)) -> (u32, f64, f64) {
        (number, wrap_angle(bearing), wrap_angle(phase))
    }
}

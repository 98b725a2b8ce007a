//! Coupled phase oscillators.

use std::f64::consts::{FRAC_PI_2, PI, TAU};

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_base::math::{sin, tan, wrap_angle};
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::agent::{Command, CommandForm};
use swarmarium_core::controller::{Controller, Drive, Senses};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::radio::Packet;

/// A phase oscillator on each robot, coupled to those that the robot hears (Kuramoto: "Self-entrainment of a population
/// of coupled non-linear oscillators", 1975).
///
/// Each robot transmits its phase. The phase is integrated by steps of Euler's method. The colour of an LED goes round
/// with the phase.
///
/// # Formula
/// ```math
/// \dot{\theta} = \omega + \frac{K}{N} \sum_{j} \sin(\theta_j - \theta)
/// ```
/// $\theta$ is the phase of the robot, $\theta_j$ that of a robot that it hears, $\omega$ its natural frequency, $K$ the
/// coupling, and $N$ the number of oscillators, its own included.
#[kind(Copy, section = "Swarm", words = "kuramoto, synchronise, firefly, phase, blink")]
pub struct Oscillator {
    /// Motion of the robot, independent of its phase.
    pub drive: Drive,
    /// Natural frequency ω. `Equal(rad_per_s)`: the same for all robots. `Lorentzian(center_rad_per_s,
    /// half_width_rad_per_s, count)`: not random, but the quantiles of a Lorentz distribution with this centre and half
    /// width at half maximum: centre + half width · tan(π (2 k − `count` − 1) / (2 (`count` + 1))), where k is 1 for
    /// the robot with the number 0, 2 for the next one, and 1 again after `count` robots. `Normal(mean_rad_per_s,
    /// std_dev_rad_per_s)`: each robot draws its own frequency from a normal distribution with this mean and standard
    /// deviation. All in rad/s.
    #[default(Frequency::default())]
    pub frequency: Frequency,
    /// Coupling K.
    #[reflect(@Limits::between(-1e3, 1e3))]
    #[default(1.0)]
    pub coupling_rad_per_s: f64,
    /// Initial phase; `None`: random.
    #[reflect(@Limits::between(-2.0 * PI, 2.0 * PI))]
    pub phase_rad: Option<f64>,
}

/// The natural frequencies of oscillators.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Frequency {
    /// The same for all.
    Equal {
        /// The frequency.
        #[reflect(@Limits::between(-1e6, 1e6))]
        rad_per_s: f64,
    },
    /// The quantiles of a Lorentz distribution, by the number of the robot: not random.
    Lorentzian {
        /// Center of the distribution.
        #[reflect(@Limits::between(-1e6, 1e6))]
        center_rad_per_s: f64,
        /// Half width at half maximum.
        #[reflect(@Limits::between(0.0, 1e6))]
        half_width_rad_per_s: f64,
        /// Number of oscillators; robots with larger numbers begin again at the first quantile.
        #[reflect(@Limits::between(1.0, 1e6))]
        count: u32,
    },
    /// Drawn by each robot from a normal distribution.
    Normal {
        /// Mean.
        #[reflect(@Limits::between(-1e6, 1e6))]
        mean_rad_per_s: f64,
        /// Standard deviation.
        #[reflect(@Limits::between(0.0, 1e6))]
        std_dev_rad_per_s: f64,
    },
}

impl Default for Frequency {
    fn default() -> Self {
        Self::Equal { rad_per_s: 1.0 }
    }
}

impl Frequency {
    fn of(self, senses: Senses) -> f64 {
        match self {
            Self::Equal { rad_per_s } => rad_per_s,
            Self::Lorentzian { center_rad_per_s, half_width_rad_per_s, count } => {
                let count = f64::from(count);
                let place = 1.0 + f64::from(senses.owner.index()).rem_euclid(count);
                let quantile = tan(FRAC_PI_2 * (2.0 * place - count - 1.0) / (count + 1.0));
                center_rad_per_s + half_width_rad_per_s * quantile
            }
            Self::Normal { mean_rad_per_s, std_dev_rad_per_s } => {
                let drawn = senses.seed.stream(senses.owner, "oscillator frequency").normal();
                mean_rad_per_s + std_dev_rad_per_s * drawn
            }
        }
    }
}

/// The memory of an oscillator.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Phase {
    /// The phase, from −π to π; `None` before the first decision.
    pub phase_rad: Option<f64>,
    /// The step of the last decision.
    pub(super) decided_at: u64,
}

impl Phase {
    /// The phase; at first `initial_rad`, or a random one.
    pub(super) fn current(&mut self, initial_rad: Option<f64>, senses: Senses) -> f64 {
        let draw = || senses.seed.stream(senses.owner, "oscillator phase").between(-PI, PI);
        *self.phase_rad.get_or_insert_with(|| initial_rad.unwrap_or_else(draw))
    }

    /// Advances the phase at a rate (rad/s), for a time (s).
    pub(super) fn advance(&mut self, rate: f64, time_s: f64) {
        if let Some(phase_rad) = &mut self.phase_rad {
            *phase_rad = wrap_angle(*phase_rad + rate * time_s);
        }
    }

    /// Gives an LED the colour of the phase.
    pub(super) fn light(self, outputs: &mut Outputs) {
        let place = (self.phase_rad.unwrap_or_default() / TAU).rem_euclid(1.0) * COLORS.len() as f64;
        let (before, part) = (place as usize % COLORS.len(), place.fract());
        let (from, to) = (COLORS[before], COLORS[(before + 1) % COLORS.len()]);
        let blend = |channel: usize| (from[channel] + part * (to[channel] - from[channel])).round() as u8;
        outputs.led = Some([0, 1, 2].map(blend));
    }
}

/// The colours of the phases 0, π / 2, π and 3 π / 2: of Okabe and Ito, so that people without some cones tell them
/// apart.
const COLORS: [[f64; 3]; 4] = [[230.0, 159.0, 0.0], [204.0, 121.0, 167.0], [0.0, 114.0, 178.0], [0.0, 158.0, 115.0]];

/// The phase that a packet tells.
pub(super) fn told(packet: &Packet) -> Option<f64> {
    packet.numbers.as_slice().first().copied().filter(|phase_rad| phase_rad.is_finite())
}

impl Controller for Oscillator {
    type Memory = Phase;
    const COMMANDS: CommandForm = CommandForm::Drive;
    const NEEDS_RADIO: bool = true;
    const SETS_OUTPUTS: bool = true;

    fn command(&self, memory: &mut Phase, senses: Senses) -> Command {
        let phase_rad = memory.current(self.phase_rad, senses);
        let (mut sum, mut count) = (0.0, 1.0);
        for other in senses.heard.packets.iter().filter_map(told) {
            sum += sin(other - phase_rad);
            count += 1.0;
        }
        let rate = self.frequency.of(senses) + self.coupling_rad_per_s / count * sum;
        let elapsed_s = senses.since_s(&mut memory.decided_at);
        memory.advance(rate, elapsed_s);
        self.drive.into()
    }

    fn message(&self, memory: &mut Phase, senses: Senses, message: &mut Vec<f64>) {
        message.push(memory.current(self.phase_rad, senses));
    }

    fn outputs(&self, memory: &Phase, _: Senses, outputs: &mut Outputs) {
        memory.light(outputs);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::radio::Heard;
    use swarmarium_core::time::SimTime;

    use super::*;

    const DT_S: f64 = 0.001;

    /// Two oscillators with perfect radios, for some steps from their initial phases.
    fn pair(oscillators: [Oscillator; 2], steps: u64) -> [f64; 2] {
        let mut memories = [Phase::default(); 2];
        for step in 1..=steps {
            let time = SimTime { step, dt_s: DT_S };
            let mut phases = [0.0; 2];
            for (own, phase) in phases.iter_mut().enumerate() {
                *phase = memories[own].current(oscillators[own].phase_rad, Senses::of(&[]));
            }
            for own in 0..2 {
                let packets = [Packet { sender: 9, numbers: vec![phases[1 - own]].into(), ..Packet::default() }];
                let senses = Senses { time: &time, heard: Heard { packets: &packets, turn: None }, ..Senses::of(&[]) };
                oscillators[own].command(&mut memories[own], senses);
            }
        }
        memories.map(|memory| memory.phase_rad.unwrap())
    }

    /// With equal frequencies, tan(Δ/2) decays as exp(−K t).
    #[test]
    fn two_equal_oscillators_meet_as_the_formula_says() {
        let oscillator = |phase_rad| Oscillator { phase_rad: Some(phase_rad), ..Oscillator::default() };
        let [one, other] = pair([oscillator(0.0), oscillator(2.0)], 1500);
        let expected = 2.0 * swarmarium_base::math::atan2(tan(1.0) * swarmarium_base::math::exp(-1.5), 1.0);
        assert!((wrap_angle(other - one) - expected).abs() < 2e-3, "{} {expected}", other - one);
    }

    /// With frequencies that differ by less than K, the sine of the phase difference becomes δω / K.
    #[test]
    fn two_different_oscillators_lock() {
        let oscillator = |rad_per_s| Oscillator {
            frequency: Frequency::Equal { rad_per_s },
            coupling_rad_per_s: 2.0,
            phase_rad: Some(0.0),
            ..Oscillator::default()
        };
        let [slow, fast] = pair([oscillator(1.0), oscillator(2.2)], 20_000);
        assert!((sin(fast - slow) - 0.6).abs() < 1e-9, "{}", sin(fast - slow));
    }

    #[test]
    fn lorentzian_frequencies_are_quantiles() {
        let frequency = Frequency::Lorentzian { center_rad_per_s: 2.0, half_width_rad_per_s: 0.5, count: 3 };
        let of =
            |number| frequency.of(Senses { owner: swarmarium_base::id::StableId::agent(number), ..Senses::of(&[]) });
        let expected = [1.5, 2.0, 2.5];
        assert!((0..3).all(|number| (of(number) - expected[number as usize]).abs() < 1e-12));
    }
}

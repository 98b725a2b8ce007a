//! Dynamic average consensus: robots with limited communication estimate the mean of their inputs.
//!
//! Each robot has an [`Opinion`] of the mean of a vector, sends it by radio, and updates it from received opinions. The
//! vector may have any length and change over time.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

use super::Packet;
use crate::kind::Optional;

/// Largest gain (1/s).
const MOST_PER_S: f64 = 1e6;

/// How a robot estimates the mean over all robots.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Consensus {
    /// Estimator of the mean over all robots.
    pub estimator: Estimator,
    /// Weights of the received estimates.
    pub weights: Weights,
}

/// Estimators of dynamic average consensus. T is the time between turns, φ the input, v the estimate; sums run over the
/// received opinions, each difference with its weight.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Estimator {
    /// Proportional-integral estimator: exact for constant inputs from any initial state, also while links appear and
    /// disappear (Freeman, Yang, Lynch, "Stability and convergence properties of dynamic average consensus estimators",
    /// CDC 2006). v += T (γ (φ - v) - k_P Σ (v - v_j) + k_I Σ (w - w_j)), w -= T k_I Σ (v - v_j).
    Pi {
        /// γ: rate at which the estimate returns to the input.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        gamma_per_s: f64,
        /// k_P: gain of differences to other estimates.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        kp_per_s: f64,
        /// k_I: integral gain, which removes the remaining error.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        ki_per_s: f64,
    },
    /// Proportional estimator, with a steady-state error: v += T (γ (φ - v) - k_P Σ (v - v_j)).
    P {
        /// γ: rate at which the estimate returns to the input.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        gamma_per_s: f64,
        /// k_P: gain of differences to other estimates.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        kp_per_s: f64,
    },
    /// High-pass estimator: follows fast inputs. With γ = 0 it is exact as long as no packet is lost and no robot joins
    /// or leaves. η -= T (γ η + k Σ (v - v_j)), v = η + φ; η starts at 0.
    HighPass {
        /// γ: rate at which received information decays.
        #[reflect(@Limits::between(0.0, MOST_PER_S), @Optional)]
        gamma_per_s: f64,
        /// k: gain of differences to other estimates.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        k_per_s: f64,
    },
    /// No estimator: robots use the true mean at each step, independently of radio. This baseline without estimation
    /// error shows how much a controller would gain from a better estimate.
    Perfect,
}

impl Default for Estimator {
    /// Critically damped if all robots receive all others.
    fn default() -> Self {
        Self::Pi { gamma_per_s: 1.0, kp_per_s: 2.0, ki_per_s: 1.5 }
    }
}

/// Weights of received opinions.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Weights {
    /// 1 over the number of received opinions plus one. Stable for any number of robots; robots with more neighbours
    /// get a larger weight in the result.
    #[default]
    ByDegree,
    /// 1 per link: gains must be smaller for more robots.
    PerEdge,
}

/// Estimate of the mean, with the internal state of the estimator.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Opinion {
    /// The estimate of the mean, v; empty before the first one.
    pub estimate: Vec<f64>,
    /// Integral state w, or η of the high-pass estimator; same length as the estimate.
    pub hidden: Vec<f64>,
}

impl Opinion {
    /// Starts from an estimate.
    #[must_use]
    pub fn new(estimate: &[f64]) -> Self {
        Self { estimate: estimate.to_vec(), hidden: vec![0.0; estimate.len()] }
    }
}

impl Consensus {
    /// The first opinion of a robot with this input. `guess` is any initial estimate of the same length, for estimators
    /// that allow one.
    #[must_use]
    pub fn first(&self, input: &[f64], guess: &[f64]) -> Opinion {
        match self.estimator {
            Estimator::HighPass { .. } => Opinion::new(input),
            Estimator::Pi { .. } | Estimator::P { .. } | Estimator::Perfect => Opinion::new(guess),
        }
    }

    /// Writes the message that other robots need.
    pub fn tell(&self, opinion: &Opinion, message: &mut Vec<f64>) {
        message.extend_from_slice(&opinion.estimate);
        if matches!(self.estimator, Estimator::Pi { .. }) {
            message.extend_from_slice(&opinion.hidden);
        }
    }

    /// Updates an opinion from an input of the same length and from received packets; `elapsed_s` is the time since the
    /// last update.
    ///
    /// Packets of another length and packets with non-finite numbers are ignored. An opinion that diverges, because
    /// gains are too large for the time between turns, is reset: it is then empty.
    pub fn update(&self, opinion: &mut Opinion, input: &[f64], packets: &[Packet], elapsed_s: f64) {
        let Opinion { estimate, hidden } = opinion;
        let numbers = estimate.len();
        let told = if matches!(self.estimator, Estimator::Pi { .. }) { 2 * numbers } else { numbers };
        let is_opinion =
            |packet: &&Packet| packet.numbers.len() == told && packet.numbers.iter().all(|number| number.is_finite());
        let others = || packets.iter().filter(is_opinion);
        let weight = match self.weights {
            Weights::ByDegree => 1.0 / (others().count() + 1) as f64,
            Weights::PerEdge => 1.0,
        };
        let apart = |own: f64, place: usize| weight * others().map(|packet| own - packet.numbers[place]).sum::<f64>();
        for (place, ((v, w), input)) in estimate.iter_mut().zip(hidden.iter_mut()).zip(input).enumerate() {
            match self.estimator {
                Estimator::Pi { gamma_per_s, kp_per_s, ki_per_s } => {
                    let (of_v, of_w) = (apart(*v, place), apart(*w, numbers + place));
                    *v += elapsed_s * (gamma_per_s * (input - *v) - kp_per_s * of_v + ki_per_s * of_w);
                    *w -= elapsed_s * ki_per_s * of_v;
                }
                Estimator::P { gamma_per_s, kp_per_s } => {
                    *v += elapsed_s * (gamma_per_s * (input - *v) - kp_per_s * apart(*v, place));
                }
                Estimator::HighPass { gamma_per_s, k_per_s } => {
                    *w -= elapsed_s * (gamma_per_s * *w + k_per_s * apart(*v, place));
                    *v = *w + input;
                }
                // The controller sets the true mean.
                Estimator::Perfect => {}
            }
        }
        if estimate.iter().chain(hidden.iter()).any(|number| !number.is_finite()) {
            *opinion = Opinion::default();
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Opinions after this many rounds; `hears(i, j)` is whether i receives the packets of j.
    fn rounds(
        consensus: &Consensus,
        inputs: &[f64],
        rounds: u32,
        hears: impl Fn(usize, usize) -> bool,
    ) -> Vec<Opinion> {
        let mut opinions: Vec<_> = inputs.iter().map(|input| Opinion::new(&[*input])).collect();
        for _ in 0..rounds {
            let packet = |(sender, opinion): (usize, &Opinion)| {
                let mut numbers = Vec::new();
                consensus.tell(opinion, &mut numbers);
                Packet { sender: sender as u32, numbers: numbers.into(), ..Packet::default() }
            };
            let told: Vec<_> = opinions.iter().enumerate().map(packet).collect();
            for (robot, opinion) in opinions.iter_mut().enumerate() {
                let heard: Vec<_> = told
                    .iter()
                    .filter(|packet| packet.sender as usize != robot && hears(robot, packet.sender as usize))
                    .cloned()
                    .collect();
                consensus.update(opinion, &[inputs[robot]], &heard, 0.1);
            }
        }
        opinions
    }

    fn worst(opinions: &[Opinion], mean: f64) -> f64 {
        opinions.iter().map(|opinion| (opinion.estimate[0] - mean).abs()).fold(0.0, f64::max)
    }

    fn mean(inputs: &[f64]) -> f64 {
        inputs.iter().sum::<f64>() / inputs.len() as f64
    }

    #[test]
    fn proportional_consensus_stays_off_the_mean_and_the_others_do_not() {
        let inputs = [0.0, 1.0, 5.0, 10.0];
        let error = |estimator| {
            let consensus = Consensus { estimator, ..Default::default() };
            worst(&rounds(&consensus, &inputs, 2000, |_, _| true), 4.0)
        };
        assert!(error(Estimator::default()) < 1e-9);
        assert!(error(Estimator::HighPass { gamma_per_s: 0.0, k_per_s: 2.0 }) < 1e-9);
        assert!(error(Estimator::P { gamma_per_s: 1.0, kp_per_s: 2.0 }) > 1.0);
    }

    #[test]
    fn consensus_without_packets_is_the_own_input() {
        let alone = rounds(&Consensus::default(), &[3.0, 7.0], 500, |_, _| false);
        assert!((alone[0].estimate[0] - 3.0).abs() < 1e-9 && (alone[1].estimate[0] - 7.0).abs() < 1e-9);
    }

    #[test]
    fn packets_without_an_opinion_do_not_count_in_consensus() {
        let mut opinion = Opinion::new(&[1.0]);
        let packet = Packet { sender: 1, numbers: vec![9.0; 3].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 0.1);
        assert_eq!(opinion, Opinion::new(&[1.0]));
    }

    #[test]
    fn unbounded_consensus_estimates_are_left_out_and_restarted() {
        let mut opinion = Opinion::new(&[1.0]);
        let packet = Packet { sender: 1, numbers: vec![f64::NAN, 0.0].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 0.1);
        assert_eq!(opinion, Opinion::new(&[1.0]));
        let packet = Packet { sender: 1, numbers: vec![f64::MAX, 0.0].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 100.0);
        assert_eq!(opinion, Opinion::default());
    }

    proptest! {
        /// In a ring, where all robots have the same number of neighbours.
        #[test]
        fn integral_consensus_finds_the_mean(inputs in proptest::collection::vec(-10.0..10.0_f64, 3..7)) {
            let count = inputs.len();
            let in_ring = |one: usize, other: usize| (one + 1) % count == other || (other + 1) % count == one;
            let opinions = rounds(&Consensus::default(), &inputs, 4000, in_ring);
            prop_assert!(worst(&opinions, mean(&inputs)) < 1e-6);
        }

        /// The sum of integral states is constant if all robots receive all others.
        #[test]
        fn integral_parts_of_consensus_keep_their_sum(inputs in proptest::collection::vec(-10.0..10.0_f64, 2..8)) {
            let opinions = rounds(&Consensus::default(), &inputs, 50, |_, _| true);
            prop_assert!(opinions.iter().map(|opinion| opinion.hidden[0]).sum::<f64>().abs() < 1e-9);
        }
    }
}

//! Consensus: robots that hear only some others agree on the mean of what they all measure.
//!
//! Each robot has an [`Opinion`] of the mean of a vector, tells it by radio, and brings it nearer to what it hears.
//! The vector may have any length and change all the time.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

use super::Packet;
use crate::kind::Optional;

/// The largest gain, per second.
const MOST_PER_S: f64 = 1e6;

/// How a robot comes to an opinion of the mean over all robots.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Consensus {
    /// By which rule.
    pub estimator: Estimator,
    /// How much what others tell counts.
    pub weights: Weights,
}

/// Rules of dynamic average consensus. T is the time from turn to turn, φ the input, v the estimate, and the sums are
/// over the robots that are heard, each difference with its weight.
#[derive(Reflect, Clone, Copy, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub enum Estimator {
    /// Proportional and integral: exact for inputs that stay the same, wherever it starts, also while links come and go
    /// (Freeman, Yang, Lynch, "Stability and convergence properties of dynamic average consensus estimators", CDC 2006).
    /// v += T (γ (φ - v) - k_P Σ (v - v_j) + k_I Σ (w - w_j)), w -= T k_I Σ (v - v_j).
    Pi {
        /// γ: how fast it forgets all but its input.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        gamma_per_s: f64,
        /// k_P: how fast it follows others.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        kp_per_s: f64,
        /// k_I: how fast it makes up for what is left.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        ki_per_s: f64,
    },
    /// Proportional only, which stays off the mean: v += T (γ (φ - v) - k_P Σ (v - v_j)).
    P {
        /// γ: how fast it forgets all but its input.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        gamma_per_s: f64,
        /// k_P: how fast it follows others.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        kp_per_s: f64,
    },
    /// High-pass: follows fast inputs, and is exact with γ = 0 as long as nothing gets lost and nobody comes or goes.
    /// η -= T (γ η + k Σ (v - v_j)), v = η + φ; η begins at 0.
    HighPass {
        /// γ: how fast it forgets what others told.
        #[reflect(@Limits::between(0.0, MOST_PER_S), @Optional)]
        gamma_per_s: f64,
        /// k: how fast it follows others.
        #[reflect(@Limits::between(0.0, MOST_PER_S))]
        k_per_s: f64,
    },
    /// No estimator: robots use the true mean at each step, whatever they hear. This baseline without estimation error
    /// shows how much a controller would gain from a better estimate.
    Perfect,
}

impl Default for Estimator {
    /// Critically damped, where all hear all.
    fn default() -> Self {
        Self::Pi { gamma_per_s: 1.0, kp_per_s: 2.0, ki_per_s: 1.5 }
    }
}

/// How much what each other robot tells counts.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Weights {
    /// The less the more are heard: 1 over their number, the robot itself included. Stable for any number of robots; where
    /// some hear more than others these count for more.
    #[default]
    ByDegree,
    /// 1 each: gains are per link, and must be smaller the more robots there are.
    PerEdge,
}

/// What a robot believes the mean to be, and what it needs to find out.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Opinion {
    /// The estimate of the mean, v; empty before the first one.
    pub estimate: Vec<f64>,
    /// The integral part w, or η of a high-pass, as long as the estimate.
    pub hidden: Vec<f64>,
}

impl Opinion {
    /// Begins with an estimate.
    #[must_use]
    pub fn new(estimate: &[f64]) -> Self {
        Self { estimate: estimate.to_vec(), hidden: vec![0.0; estimate.len()] }
    }
}

impl Consensus {
    /// The first opinion of a robot with an input: any guess of the same length, where the rule leaves the choice.
    #[must_use]
    pub fn first(&self, input: &[f64], guess: &[f64]) -> Opinion {
        match self.estimator {
            Estimator::HighPass { .. } => Opinion::new(input),
            Estimator::Pi { .. } | Estimator::P { .. } | Estimator::Perfect => Opinion::new(guess),
        }
    }

    /// Writes what others must hear of an opinion.
    pub fn tell(&self, opinion: &Opinion, message: &mut Vec<f64>) {
        message.extend_from_slice(&opinion.estimate);
        if matches!(self.estimator, Estimator::Pi { .. }) {
            message.extend_from_slice(&opinion.hidden);
        }
    }

    /// Brings an opinion up to date with an input of the same length and with what is heard, `elapsed_s` after it was
    /// last.
    ///
    /// Packets of another length are not of such opinions, and do not count; nor do numbers that have grown beyond all
    /// bounds. An opinion that has done so, because gains are too large for the time between turns, begins anew: it is
    /// empty.
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

    /// Opinions after so many rounds in which `hears(i, j)` says whether i hears j.
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
    fn a_robot_that_hears_nobody_believes_its_own_input() {
        let alone = rounds(&Consensus::default(), &[3.0, 7.0], 500, |_, _| false);
        assert!((alone[0].estimate[0] - 3.0).abs() < 1e-9 && (alone[1].estimate[0] - 7.0).abs() < 1e-9);
    }

    #[test]
    fn what_is_no_opinion_does_not_count() {
        let mut opinion = Opinion::new(&[1.0]);
        let packet = Packet { sender: 1, numbers: vec![9.0; 3].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 0.1);
        assert_eq!(opinion, Opinion::new(&[1.0]));
    }

    #[test]
    fn what_has_no_bounds_is_left_out_and_begun_anew() {
        let mut opinion = Opinion::new(&[1.0]);
        let packet = Packet { sender: 1, numbers: vec![f64::NAN, 0.0].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 0.1);
        assert_eq!(opinion, Opinion::new(&[1.0]));
        let packet = Packet { sender: 1, numbers: vec![f64::MAX, 0.0].into(), ..Packet::default() };
        Consensus::default().update(&mut opinion, &[1.0], &[packet], 100.0);
        assert_eq!(opinion, Opinion::default());
    }

    proptest! {
        /// In a ring, where all hear as many.
        #[test]
        fn integral_consensus_finds_the_mean(inputs in proptest::collection::vec(-10.0..10.0_f64, 3..7)) {
            let count = inputs.len();
            let in_ring = |one: usize, other: usize| (one + 1) % count == other || (other + 1) % count == one;
            let opinions = rounds(&Consensus::default(), &inputs, 4000, in_ring);
            prop_assert!(worst(&opinions, mean(&inputs)) < 1e-6);
        }

        /// What integral parts add up to never changes, where all hear each other.
        #[test]
        fn integral_parts_keep_their_sum(inputs in proptest::collection::vec(-10.0..10.0_f64, 2..8)) {
            let opinions = rounds(&Consensus::default(), &inputs, 50, |_, _| true);
            prop_assert!(opinions.iter().map(|opinion| opinion.hidden[0]).sum::<f64>().abs() < 1e-9);
        }
    }
}

//! Burst losses.

use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};

use super::{Loss, LossRandom, range_or_any};
use crate::kind::kind;

/// Gilbert-Elliott model: each link is good or bad, and may change from one packet to the next (Gilbert, "Capacity of a
/// burst-noise channel", 1960; Elliott 1963).
///
/// The initial probability of a bad link is the stationary one: `to_bad / (to_bad + to_good)`. Bad periods last `1 /
/// to_good` packets on average.
#[kind(Copy)]
pub struct GilbertElliott {
    /// Probability that a good link is bad for the next packet.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(0.05)]
    pub to_bad: f64,
    /// Probability that a bad link is good for the next packet.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(0.2)]
    pub to_good: f64,
    /// Probability that a packet is lost while the link is good.
    #[reflect(@Limits::between(0.0, 1.0))]
    pub loss_good: f64,
    /// Probability that a packet is lost while the link is bad.
    #[reflect(@Limits::between(0.0, 1.0))]
    #[default(1.0)]
    pub loss_bad: f64,
    /// Range between centres; 0 for any distance.
    #[reflect(@Limits::between(0.0, MAX_LENGTH_M))]
    pub range_m: f64,
}

impl GilbertElliott {
    /// Stationary probability of a bad link; links that never change are good.
    fn bad(&self) -> f64 {
        let changes = self.to_bad + self.to_good;
        if changes > 0.0 { self.to_bad / changes } else { 0.0 }
    }
}

impl Loss for GilbertElliott {
    fn reception(&self, distance_m: f64) -> f64 {
        let bad = self.bad();
        let loss = bad * self.loss_bad + (1.0 - bad) * self.loss_good;
        if distance_m <= self.reach_m() { (1.0 - loss).clamp(0.0, 1.0) } else { 0.0 }
    }

    fn reach_m(&self) -> f64 {
        range_or_any(self.range_m)
    }

    fn remembers(&self) -> bool {
        true
    }

    fn passes(&self, distance_m: f64, memory: &mut Option<f64>, random: &mut LossRandom) -> bool {
        // The memory of a link is 1 when it is bad and 0 when it is good.
        let bad = match *memory {
            None => self.bad(),
            Some(bad) if bad > 0.5 => 1.0 - self.to_good,
            Some(_) => self.to_bad,
        };
        let is_bad = random.packet.unit() < bad;
        *memory = Some(f64::from(u8::from(is_bad)));
        let loss = if is_bad { self.loss_bad } else { self.loss_good };
        random.packet.unit() >= loss && distance_m <= self.reach_m()
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::sent;
    use super::*;

    #[test]
    fn gilbert_elliott_bursts_have_the_stated_mean_length() {
        let passed = sent(&GilbertElliott::default(), 1.0, 50_000);
        let bursts = passed.chunk_by(|one, other| one == other).filter(|burst| !burst[0]);
        let lengths: Vec<f64> = bursts.map(|burst| burst.len() as f64).collect();
        let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
        assert!((mean - 5.0).abs() < 0.3, "{mean}");
    }

    #[test]
    fn a_gilbert_elliott_link_without_transitions_is_good() {
        let frozen = GilbertElliott { to_bad: 0.0, to_good: 0.0, ..GilbertElliott::default() };
        assert!(sent(&frozen, 1.0, 100).into_iter().all(|passed| passed));
        assert_eq!(frozen.reception(1.0), 1.0);
    }
}

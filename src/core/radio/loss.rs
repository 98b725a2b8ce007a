//! Loss: models of which packets arrive.

use bevy::prelude::*;
use bevy::reflect::Reflect;
use swarmarium_base::limits::Limits;

use crate::kind::{Family, FamilyTable, KindType, Slot};
use crate::random::Stream;

pub mod bernoulli;
pub mod disc;
pub mod gilbert_elliott;
pub mod log_distance;
pub mod perfect;
pub mod rice;
pub mod rice_scatter;

/// Probability that counts as zero: models without a hard limit reach as far as the probability of reception exceeds
/// it.
const NEVER: f64 = 1e-12;

pub(super) fn plugin(app: &mut App) {
    app.add_loss::<perfect::Perfect>()
        .add_loss::<disc::Disc>()
        .add_loss::<bernoulli::Bernoulli>()
        .add_loss::<gilbert_elliott::GilbertElliott>()
        .add_loss::<rice::Rice>()
        .add_loss::<rice_scatter::RiceScatter>()
        .add_loss::<log_distance::LogDistance>();
}

/// The kinds of loss, which decide on the arrival of packets from radio to radio.
#[derive(TypePath)]
pub struct LossFamily;

impl Family for LossFamily {
    const NAME: &'static str = "loss";
    type Common = PacketRules;
    type Entry = LossKind;
}

/// A kind of loss. One file: parameters, [`reception`](Loss::reception), tests.
///
/// The guide "Write a loss model" of the book has a complete program.
///
/// ```
/// # use swarmarium_simulation::prelude::*;
/// /// Delivers fewer packets the farther the receiver is.
/// #[kind]
/// struct Linear {}
///
/// impl Loss for Linear {
///     fn reception(&self, distance_m: f64) -> f64 {
///         (1.0 - distance_m / 10.0).max(0.0)
///     }
///
///     fn reach_m(&self) -> f64 {
///         10.0
///     }
/// }
/// ```
pub trait Loss: KindType {
    /// Probability of reception over a distance (m); the long-term mean for models with memory.
    fn reception(&self, distance_m: f64) -> f64;

    /// Distance (m) beyond which no packet arrives.
    fn reach_m(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether the loss of a packet depends on earlier packets over the same link.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether every packet within reach arrives; no random numbers are drawn then.
    fn is_lossless(&self) -> bool {
        false
    }

    /// Whether one packet arrives.
    ///
    /// `memory` is the memory of the link for models that [remember](Loss::remembers); `None` at first.
    fn passes(&self, distance_m: f64, _memory: &mut Option<f64>, random: &mut LossRandom) -> bool {
        random.packet.unit() < self.reception(distance_m)
    }

    /// Problem of its parameters in combination, as a message for authors of scenes.
    fn problem(&self) -> Option<String> {
        None
    }
}

/// Random streams for one packet to one receiver.
#[derive(Clone, Copy, Debug)]
pub struct LossRandom {
    /// Stream of this packet and receiver only.
    pub packet: Stream,
    /// Stream of the pair of radios, the same in both directions and at every step.
    pub pair: Stream,
}

/// Settings that all kinds of loss share.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct PacketRules {
    /// Whether robots and obstacles between sender and receiver block a packet.
    pub line_of_sight: bool,
    /// Transmission delay, rounded to steps, in addition to the `delivery` of the scene.
    #[reflect(@Limits::between(0.0, 3600.0))]
    pub delay_s: f64,
    /// Largest additional delay, drawn uniformly for each packet.
    #[reflect(@Limits::between(0.0, 3600.0))]
    pub jitter_s: f64,
}

/// The entry of a kind of loss in the table of its family.
#[derive(Clone, Copy)]
pub struct LossKind {
    reach_m: fn(&dyn Reflect) -> f64,
    remembers: fn(&dyn Reflect) -> bool,
    is_lossless: fn(&dyn Reflect) -> bool,
    passes: fn(&dyn Reflect, f64, &mut Option<f64>, &mut LossRandom) -> bool,
}

/// The kinds of loss.
pub type LossKinds = FamilyTable<LossFamily>;

impl LossKinds {
    /// A loss together with the functions of its kind.
    pub fn of<'l>(&'l self, loss: &'l Slot<LossFamily>) -> Option<ResolvedLoss<'l>> {
        let value = loss.value();
        let kind = self.of_value(value)?;
        Some(ResolvedLoss { kind, value, rules: loss.common(), reach_m: (kind.reach_m)(value) })
    }
}

/// A loss with the functions of its kind.
#[derive(Clone, Copy)]
pub struct ResolvedLoss<'l> {
    kind: &'l LossKind,
    value: &'l dyn Reflect,
    /// The common parameters of losses.
    pub rules: &'l PacketRules,
    /// As [`Loss::reach_m`].
    pub reach_m: f64,
}

impl ResolvedLoss<'_> {
    /// As [`Loss::remembers`].
    pub fn remembers(&self) -> bool {
        (self.kind.remembers)(self.value)
    }

    /// As [`Loss::is_lossless`].
    pub fn is_lossless(&self) -> bool {
        (self.kind.is_lossless)(self.value)
    }

    /// Whether every packet within reach, and in line of sight if needed, arrives at once.
    pub fn is_plain(&self) -> bool {
        self.is_lossless() && self.rules.delay_s == 0.0 && self.rules.jitter_s == 0.0
    }

    /// As [`Loss::passes`].
    pub fn passes(&self, distance_m: f64, memory: &mut Option<f64>, random: &mut LossRandom) -> bool {
        (self.kind.passes)(self.value, distance_m, memory, random)
    }
}

/// Registers kinds of loss.
pub trait AddLoss {
    /// Adds a kind of loss under its name in scenes.
    fn add_loss<K: Loss>(&mut self) -> &mut Self;
}

impl AddLoss for App {
    fn add_loss<K: Loss>(&mut self) -> &mut Self {
        let entry = LossKind {
            reach_m: |loss| loss.downcast_ref::<K>().map_or(0.0, Loss::reach_m),
            remembers: |loss| loss.downcast_ref::<K>().is_some_and(Loss::remembers),
            is_lossless: |loss| loss.downcast_ref::<K>().is_some_and(Loss::is_lossless),
            passes: |loss, distance_m, memory, random| {
                loss.downcast_ref::<K>().is_some_and(|loss| loss.passes(distance_m, memory, random))
            },
        };
        LossKinds::add::<K>(self.world_mut(), |loss| loss.downcast_ref::<K>().and_then(Loss::problem), entry);
        self
    }
}

/// Range in metres; a range of 0 stands for any distance.
fn range_or_any(range_m: f64) -> f64 {
    if range_m > 0.0 { range_m } else { f64::INFINITY }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;
    use swarmarium_base::id::StableId;

    use super::bernoulli::Bernoulli;
    use super::disc::Disc;
    use super::gilbert_elliott::GilbertElliott;
    use super::log_distance::LogDistance;
    use super::perfect::Perfect;
    use super::rice::Rice;
    use super::rice_scatter::RiceScatter;
    use super::*;
    use crate::random::Seed;

    /// The random streams of a packet sent at a step.
    pub(crate) fn loss_random(step: u64) -> LossRandom {
        let stream = |purpose| Seed(7).stream(StableId::agent(0), purpose);
        LossRandom { packet: stream("radio").at_step(step), pair: stream("radio pair") }
    }

    /// For each of this many packets over one link, whether it arrives.
    pub(crate) fn sent(loss: &impl Loss, distance_m: f64, packets: u64) -> Vec<bool> {
        let mut memory = None;
        (0..packets).map(|step| loss.passes(distance_m, &mut memory, &mut loss_random(step))).collect()
    }

    pub(crate) fn fraction(sent: &[bool]) -> f64 {
        sent.iter().filter(|passed| **passed).count() as f64 / sent.len() as f64
    }

    /// Properties of every model at any distance; nothing arrives beyond its reach.
    fn holds(loss: &impl Loss, distance_m: f64, further_m: f64) -> Result<(), TestCaseError> {
        let (near, far) = (loss.reception(distance_m), loss.reception(distance_m + further_m));
        prop_assert!((0.0..=1.0).contains(&near), "{near}");
        prop_assert!(far <= near + 1e-12, "{far} after {near}");
        let beyond = loss.reach_m() * (1.0 + 1e-9);
        prop_assert!(beyond.is_infinite() || loss.reception(beyond) <= NEVER);
        prop_assert!(!loss.is_lossless() || distance_m > loss.reach_m() || near == 1.0);
        Ok(())
    }

    proptest! {
        #[test]
        fn receptions_are_probabilities_that_fall_with_distance(
            (distance, further) in (0.0..20.0_f64, 0.0..20.0_f64),
            (k, range_m, exponent) in (0.0..100.0_f64, 0.01..10.0_f64, 0.5..6.0_f64),
            (direct, threshold, reference_m) in (0.0..50.0_f64, 0.0..20.0_f64, 0.01..5.0_f64),
            (power_dbm, shadowing_db, correlation) in (-60.0..30.0_f64, 0.0..10.0_f64, 0.0..=1.0_f64),
            [probability, to_bad, to_good, loss_good, loss_bad] in [0.0..=1.0_f64, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0, 0.0..=1.0],
        ) {
            holds(&Perfect {}, distance, further)?;
            holds(&Disc { range_m }, distance, further)?;
            holds(&Bernoulli { probability, range_m }, distance, further)?;
            holds(&GilbertElliott { to_bad, to_good, loss_good, loss_bad, range_m: 0.0 }, distance, further)?;
            holds(&Rice { range_m, k, exponent }, distance, further)?;
            holds(&RiceScatter { direct, threshold, reference_m, exponent }, distance, further)?;
            let log = LogDistance { power_dbm, shadowing_db, correlation, exponent, ..LogDistance::default() };
            holds(&log, distance, further)?;
        }
    }

    /// The observed loss of each model equals the stated one, with or without memory.
    #[test]
    fn packets_pass_as_often_as_their_probability() {
        fn agrees(loss: &impl Loss) {
            for distance_m in [0.5, 1.0, 1.5, 3.0] {
                let (found, expected) = (fraction(&sent(loss, distance_m, 20_000)), loss.reception(distance_m));
                let name = loss.reflect_short_type_path();
                assert!((found - expected).abs() < 0.02, "{name} over {distance_m} m: {found}, not {expected}");
            }
        }
        agrees(&Perfect {});
        agrees(&Disc { range_m: 1.0 });
        agrees(&Bernoulli { probability: 0.3, range_m: 2.0 });
        agrees(&GilbertElliott::default());
        agrees(&Rice::default());
        agrees(&RiceScatter::default());
        agrees(&LogDistance { power_dbm: -50.0, correlation: 0.0, ..LogDistance::default() });
        agrees(&LogDistance { power_dbm: -50.0, correlation: 0.5, ..LogDistance::default() });
    }
}

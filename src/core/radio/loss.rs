//! Loss: whether a packet gets from one radio to another.

use std::any::TypeId;

use bevy::prelude::*;
use bevy::reflect::Reflect;
use swarmarium_base::limits::Limits;

use crate::kind::{Family, KindType, Kinds, Slot};
use crate::random::Stream;

pub mod bernoulli;
pub mod disc;
pub mod gilbert_elliott;
pub mod log_distance;
pub mod perfect;
pub mod rice;
pub mod rice_scatter;

/// What counts as never: models that fade out without end reach as far as a packet gets through more often than this.
const NEVER: f64 = 1e-12;

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Losses>();
    app.add_loss::<perfect::Perfect>()
        .add_loss::<disc::Disc>()
        .add_loss::<bernoulli::Bernoulli>()
        .add_loss::<gilbert_elliott::GilbertElliott>()
        .add_loss::<rice::Rice>()
        .add_loss::<rice_scatter::RiceScatter>()
        .add_loss::<log_distance::LogDistance>();
}

/// The kinds of loss, which change packets on their way from radio to radio.
#[derive(TypePath)]
pub struct LossFamily;

impl Family for LossFamily {
    const NAME: &'static str = "loss";
    type Common = Passage;
}

/// A kind of loss. One file: parameters, [`reception`](Loss::reception), tests.
pub trait Loss: KindType {
    /// The probability that a packet gets through over a distance (m); in the long run, where packets depend on each
    /// other.
    fn reception(&self, distance_m: f64) -> f64;

    /// The distance (m) beyond which nothing gets through.
    fn reach_m(&self) -> f64 {
        f64::INFINITY
    }

    /// Whether the fate of a packet depends on that of those before it over the same link.
    fn remembers(&self) -> bool {
        false
    }

    /// Whether every packet within reach gets through: then nothing is drawn for it.
    fn is_lossless(&self) -> bool {
        false
    }

    /// Whether one packet gets through.
    ///
    /// `memory` is what the link remembers, if this model [`remembers`](Loss::remembers): nothing at first.
    fn passes(&self, distance_m: f64, _memory: &mut Option<f64>, chances: &mut Chances) -> bool {
        chances.packet.unit() < self.reception(distance_m)
    }
}

/// Where the random numbers of one packet on its way to one receiver come from.
#[derive(Clone, Copy, Debug)]
pub struct Chances {
    /// Of this packet and receiver alone.
    pub packet: Stream,
    /// Of the two radios, the same both ways and at every step.
    pub pair: Stream,
}

/// What all kinds of loss have besides their own parameters.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Passage {
    /// Whether robots and obstacles between sender and receiver stop a packet.
    pub line_of_sight: bool,
    /// How long a packet is on its way, to the nearest step, besides what `delivery` of the scene says.
    #[reflect(@Limits::between(0.0, 3600.0))]
    pub delay_s: f64,
    /// How much longer it is on its way at most: each packet draws its own.
    #[reflect(@Limits::between(0.0, 3600.0))]
    pub jitter_s: f64,
}

/// What is asked of a model whose kind is not known.
#[derive(Clone, Copy)]
pub(super) struct Model {
    kind: TypeId,
    reach_m: fn(&dyn Reflect) -> f64,
    remembers: fn(&dyn Reflect) -> bool,
    is_lossless: fn(&dyn Reflect) -> bool,
    passes: fn(&dyn Reflect, f64, &mut Option<f64>, &mut Chances) -> bool,
}

/// The kinds of loss, in the order of their registration.
#[derive(Resource, Clone, Default)]
pub(crate) struct Losses(Vec<Model>);

impl Losses {
    /// The model of a loss, to be asked.
    pub(crate) fn of<'l>(&'l self, loss: &'l Slot<LossFamily>) -> Option<ResolvedLoss<'l>> {
        let kind = loss.value().as_any().type_id();
        let model = self.0.iter().find(|model| model.kind == kind)?;
        let value = loss.value();
        Some(ResolvedLoss { model, value, passage: loss.common(), reach_m: (model.reach_m)(value) })
    }
}

/// A loss with the functions of its kind.
#[derive(Clone, Copy)]
pub(crate) struct ResolvedLoss<'l> {
    model: &'l Model,
    value: &'l dyn Reflect,
    pub passage: &'l Passage,
    /// As [`Loss::reach_m`].
    pub reach_m: f64,
}

impl ResolvedLoss<'_> {
    /// As [`Loss::remembers`].
    pub fn remembers(&self) -> bool {
        (self.model.remembers)(self.value)
    }

    /// As [`Loss::is_lossless`].
    pub fn is_lossless(&self) -> bool {
        (self.model.is_lossless)(self.value)
    }

    /// As [`Loss::passes`].
    pub fn passes(&self, distance_m: f64, memory: &mut Option<f64>, chances: &mut Chances) -> bool {
        (self.model.passes)(self.value, distance_m, memory, chances)
    }
}

/// Makes kinds of loss known.
pub trait AddLoss {
    /// Adds a kind of loss and its name in scenes.
    fn add_loss<K: Loss>(&mut self) -> &mut Self;
}

impl AddLoss for App {
    fn add_loss<K: Loss>(&mut self) -> &mut Self {
        let world = self.world_mut();
        world.get_resource_or_init::<Kinds>().add::<LossFamily, K>();
        world.get_resource_or_init::<Losses>().0.push(Model {
            kind: TypeId::of::<K>(),
            reach_m: |loss| loss.downcast_ref::<K>().map_or(0.0, Loss::reach_m),
            remembers: |loss| loss.downcast_ref::<K>().is_some_and(Loss::remembers),
            is_lossless: |loss| loss.downcast_ref::<K>().is_some_and(Loss::is_lossless),
            passes: |loss, distance_m, memory, chances| {
                loss.downcast_ref::<K>().is_some_and(|loss| loss.passes(distance_m, memory, chances))
            },
        });
        self
    }
}

/// What a range that may be 0, for any distance, means.
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

    /// The random numbers of a packet that is sent at a step.
    pub(crate) fn chances(step: u64) -> Chances {
        let stream = |purpose| Seed(7).stream(StableId::agent(0), purpose);
        Chances { packet: stream("radio").at_step(step), pair: stream("radio pair") }
    }

    /// Which of so many packets over one link get through.
    pub(crate) fn sent(loss: &impl Loss, distance_m: f64, packets: u64) -> Vec<bool> {
        let mut memory = None;
        (0..packets).map(|step| loss.passes(distance_m, &mut memory, &mut chances(step))).collect()
    }

    pub(crate) fn fraction(sent: &[bool]) -> f64 {
        sent.iter().filter(|passed| **passed).count() as f64 / sent.len() as f64
    }

    /// What must be true of any model at any distance, with anything beyond its reach lost.
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

    /// Each model loses as many packets as it says, whether it remembers or not.
    #[test]
    fn packets_get_through_as_often_as_is_said() {
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

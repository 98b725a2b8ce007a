//! Random numbers without hidden state: every draw is a function of (seed, stable id, purpose, counter).
//!
//! The generator is Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers: as easy as 1, 2, 3", SC 2011).
//! A stream of one owner and purpose does not depend on the use of other streams. So an additional sensor or thread
//! does not change the noise of others, and only a counter must be saved.
//!
//! Scenes with `random_source: Classic` draw from [`Chain`]s instead, which reproduce the random numbers of
//! RobotSwarmSimulator.

use std::convert::Infallible;

use bevy::prelude::*;
use rand::TryRng;
use swarmarium_base::id::{StableId, name_hash};

use crate::state::RegisterState as _;

use self::pcg::Pcg64;

pub mod pcg;

/// Registers the state of chains of draws.
pub fn plugin(app: &mut App) {
    app.register_state::<Chain>("chain");
}

/// The sequential random numbers of an agent or a spawner, with `random_source: Classic`.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct Chain(pub Pcg64);

/// Source of the seeds of chains, in the order in which their owners are created.
#[derive(Reflect, Clone, Copy, Debug, PartialEq, Eq)]
pub struct SeedChain(pub Pcg64);

impl SeedChain {
    /// The chain of the next owner.
    pub fn next_chain(&mut self) -> Chain {
        Chain(Pcg64::new(self.0.next_seed()))
    }
}

impl Chain {
    /// Draws with the methods of a [`Stream`].
    pub fn draw<T>(&mut self, draw: impl FnOnce(&mut Stream) -> T) -> T {
        let mut stream = Stream(Source::Chain(self.0));
        let drawn = draw(&mut stream);
        if let Source::Chain(pcg) = stream.0 {
            self.0 = pcg;
        }
        drawn
    }
}

/// The seed of all random streams of a simulation.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Seed(pub u64);

impl Seed {
    /// The stream of one owner for one purpose, at its first draw.
    ///
    /// A purpose is a constant word such as `"spawn"`. Two purposes of one owner give independent streams.
    #[inline]
    pub fn stream(self, owner: StableId, purpose: &str) -> Stream {
        Stream(Source::Counted { key: mix(self.0 ^ mix(name_hash(purpose))), owner: owner.bits(), counter: 0 })
    }
}

/// The source of the random numbers of one robot, sensor or metric at one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Draws {
    /// The seed of the simulation.
    pub seed: Seed,
    /// The owner of the numbers.
    pub owner: StableId,
    /// The step.
    pub step: u64,
}

impl Default for Draws {
    fn default() -> Self {
        Self { seed: Seed(0), owner: StableId::agent(0), step: 0 }
    }
}

impl Draws {
    /// The random numbers for one purpose, a constant word such as `"miss"`; different at every step.
    #[inline]
    pub fn random(self, purpose: &str) -> Stream {
        self.seed.stream(self.owner, purpose).at_step(self.step)
    }
}

/// A named stream of random numbers; use it through the traits of [`rand`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Stream(Source);

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Source {
    /// Each number is a function of its position.
    Counted { key: u64, owner: u64, counter: u64 },
    /// Each number follows from the previous ones; positions cannot be skipped.
    Chain(Pcg64),
}

impl Stream {
    /// Moves to the draws of a step; each step has 2²⁰ of them.
    #[must_use]
    #[inline]
    pub fn at_step(mut self, step: u64) -> Self {
        if let Source::Counted { counter, .. } = &mut self.0 {
            *counter = step << 20;
        }
        self
    }

    /// An independent stream with the same name and position, for one of several parallel draws.
    #[must_use]
    #[inline]
    pub fn branch(mut self, index: u64) -> Self {
        if let Source::Counted { key, .. } = &mut self.0 {
            *key = mix(*key ^ mix(index));
        }
        self
    }

    /// A standard normal number (Box and Muller 1958).
    #[inline]
    pub fn normal(&mut self) -> f64 {
        // In (0, 1]: the logarithm of 0 is infinite.
        let radius = (-2.0 * swarmarium_base::math::ln(1.0 - self.unit())).sqrt();
        radius * swarmarium_base::math::cos(std::f64::consts::TAU * self.unit())
    }

    /// A number in [0, 1) with 53 random bits.
    #[inline]
    pub fn unit(&mut self) -> f64 {
        (self.draw() >> 11) as f64 * (1.0 / (1_u64 << 53) as f64)
    }

    /// A number in [`low`, `high`).
    #[inline]
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    #[inline]
    fn draw(&mut self) -> u64 {
        let (key, owner, counter) = match &mut self.0 {
            Source::Counted { key, owner, counter } => (*key, *owner, counter),
            Source::Chain(pcg) => return pcg.next_u64(),
        };
        let block = philox4x32(
            [*counter as u32, (*counter >> 32) as u32, owner as u32, (owner >> 32) as u32],
            [key as u32, (key >> 32) as u32],
        );
        *counter += 1;
        u64::from(block[0]) | u64::from(block[1]) << 32
    }
}

impl TryRng for Stream {
    type Error = Infallible;

    #[inline]
    fn try_next_u32(&mut self) -> Result<u32, Infallible> {
        Ok(self.draw() as u32)
    }

    #[inline]
    fn try_next_u64(&mut self) -> Result<u64, Infallible> {
        Ok(self.draw())
    }

    #[inline]
    fn try_fill_bytes(&mut self, bytes: &mut [u8]) -> Result<(), Infallible> {
        for chunk in bytes.chunks_mut(8) {
            chunk.copy_from_slice(&self.draw().to_le_bytes()[..chunk.len()]);
        }
        Ok(())
    }
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood 2014): every input bit affects every output bit.
const fn mix(mut bits: u64) -> u64 {
    bits = bits.wrapping_add(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    bits ^ (bits >> 31)
}

fn philox4x32(mut counter: [u32; 4], mut key: [u32; 2]) -> [u32; 4] {
    for _ in 0..10 {
        let [low0, high0] = multiply(0xd251_1f53, counter[0]);
        let [low1, high1] = multiply(0xcd9e_8d57, counter[2]);
        counter = [high1 ^ counter[1] ^ key[0], low1, high0 ^ counter[3] ^ key[1], low0];
        key = [key[0].wrapping_add(0x9e37_79b9), key[1].wrapping_add(0xbb67_ae85)];
    }
    counter
}

fn multiply(a: u32, b: u32) -> [u32; 2] {
    let product = u64::from(a) * u64::from(b);
    [product as u32, (product >> 32) as u32]
}

#[cfg(test)]
mod tests {
    use rand::Rng as _;

    use super::*;

    /// The known-answer tests of Random123 1.14.
    #[test]
    fn philox_gives_the_published_answers() {
        assert_eq!(philox4x32([0; 4], [0; 2]), [0x6627_e8d5, 0xe169_c58d, 0xbc57_ac4c, 0x9b00_dbd8]);
        assert_eq!(philox4x32([!0; 4], [!0; 2]), [0x408f_276d, 0x41c8_3b0e, 0xa20b_c7c6, 0x6d54_51fd]);
        assert_eq!(
            philox4x32([0x243f_6a88, 0x85a3_08d3, 0x1319_8a2e, 0x0370_7344], [0xa409_3822, 0x299f_31d0]),
            [0xd16c_fe09, 0x94fd_cceb, 0x5001_e420, 0x2412_6ea1]
        );
    }

    #[test]
    fn streams_differ_by_seed_owner_purpose_and_step() {
        let first = |mut stream: Stream| stream.next_u64();
        let base = Seed(1).stream(StableId::agent(0), "spawn");
        let others = [
            Seed(2).stream(StableId::agent(0), "spawn"),
            Seed(1).stream(StableId::agent(1), "spawn"),
            Seed(1).stream(StableId::agent(0), "noise"),
            base.at_step(1),
        ];
        assert!(others.into_iter().all(|other| first(other) != first(base)));
        assert_eq!(first(Seed(1).stream(StableId::agent(0), "spawn")), first(base));
    }

    #[test]
    fn unit_numbers_fill_their_range_evenly() {
        let mut stream = Seed(3).stream(StableId::agent(7), "test");
        let numbers: Vec<f64> = (0..10_000).map(|_| stream.unit()).collect();
        let mean = numbers.iter().sum::<f64>() / numbers.len() as f64;
        assert!(numbers.iter().all(|number| (0.0..1.0).contains(number)));
        assert!((mean - 0.5).abs() < 0.01, "mean {mean}");
    }
}

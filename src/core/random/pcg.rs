//! The generator of `numpy.random.default_rng(seed)`, with identical numbers.
//!
//! PCG64 (O'Neill 2014, "PCG: a family of simple fast space-efficient statistically good algorithms"), seeded by
//! numpy's `SeedSequence` (after O'Neill's `seed_seq`). RobotSwarmSimulator uses it.

use bevy::reflect::Reflect;

const MULTIPLIER: u128 = 0x2360_ed05_1fc6_5da4_4385_df64_9fcc_f645;
/// Number of words in the pool of a seed sequence.
const POOL: usize = 4;

/// A sequential random number generator.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Pcg64 {
    state: u128,
    increment: u128,
    /// The upper half of the last number, if only its lower half was used.
    half: u32,
    has_half: bool,
}

impl Pcg64 {
    /// The generator of a seed, at its first draw.
    pub fn new(seed: u64) -> Self {
        let [state_high, state_low, stream_high, stream_low] = seed_words(seed);
        let join = |high: u64, low: u64| u128::from(high) << 64 | u128::from(low);
        let mut pcg = Self { increment: join(stream_high, stream_low) << 1 | 1, ..Self::default() };
        pcg.advance();
        pcg.state = pcg.state.wrapping_add(join(state_high, state_low));
        pcg.advance();
        pcg
    }

    /// The state as numpy has it: `state`, `inc`, `uinteger` and `has_uint32`.
    pub fn state(&self) -> (u128, u128, u32, bool) {
        (self.state, self.increment, self.half, self.has_half)
    }

    fn advance(&mut self) {
        self.state = self.state.wrapping_mul(MULTIPLIER).wrapping_add(self.increment);
    }

    /// The next 64 bits.
    pub fn next_u64(&mut self) -> u64 {
        self.advance();
        let folded = (self.state >> 64) as u64 ^ self.state as u64;
        folded.rotate_right((self.state >> 122) as u32)
    }

    /// The next 32 bits: the lower half of the next 64 bits, then the upper half.
    pub fn next_u32(&mut self) -> u32 {
        if std::mem::take(&mut self.has_half) {
            return self.half;
        }
        let both = self.next_u64();
        (self.half, self.has_half) = ((both >> 32) as u32, true);
        both as u32
    }

    /// A seed as RobotSwarmSimulator derives them: `integers(0, 2**31)`.
    pub fn next_seed(&mut self) -> u64 {
        u64::from(self.next_u32() >> 1)
    }
}

/// `SeedSequence(seed).generate_state(4, uint64)`.
fn seed_words(seed: u64) -> [u64; 4] {
    let mut hash = 0x43b0_d7e5_u32;
    let mut scatter = |word: u32| {
        let word = word ^ hash;
        hash = hash.wrapping_mul(0x931e_8875);
        let word = word.wrapping_mul(hash);
        word ^ word >> 16
    };
    let mut pool = [seed as u32, (seed >> 32) as u32, 0, 0].map(&mut scatter);
    for from in 0..POOL {
        for into in (0..POOL).filter(|into| *into != from) {
            let mixed = 0xca01_f9dd_u32.wrapping_mul(pool[into]);
            let mixed = mixed.wrapping_sub(0x4973_f715_u32.wrapping_mul(scatter(pool[from])));
            pool[into] = mixed ^ mixed >> 16;
        }
    }
    let mut hash = 0x8b51_f9dd_u32;
    let mut word = |index: usize| {
        let word = pool[index % POOL] ^ hash;
        hash = hash.wrapping_mul(0x58f3_8ded);
        let word = word.wrapping_mul(hash);
        u64::from(word ^ word >> 16)
    };
    std::array::from_fn(|index| word(2 * index) | word(2 * index + 1) << 32)
}

#[cfg(test)]
mod tests {
    use super::Pcg64;

    /// Output of numpy 2.5.5: `default_rng(2023).integers(0, 2**31, 5)`, and `random(4)` of a new generator with this
    /// seed.
    #[test]
    fn pcg_draws_equal_those_of_numpy() {
        let mut pcg = Pcg64::new(2023);
        let seeds = [(); 5].map(|()| pcg.next_seed());
        assert_eq!(seeds, [1_016_340_753, 189_095_501, 337_884_734, 473_391_390, 640_586_173]);
        let mut pcg = Pcg64::new(2023);
        let units = [(); 4].map(|()| (pcg.next_u64() >> 11) as f64 / (1_u64 << 53) as f64);
        assert_eq!(units, [0.0880544547627844, 0.22044004433726416, 0.11317055423238687, 0.44296683478162024]);
    }
}

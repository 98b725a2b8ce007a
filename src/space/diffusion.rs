//! Diffusion along one axis of a grid, exact in time.
//!
//! On a grid with cells of width h, diffusion with the coefficient D exchanges D (uₖ₊₁ − uₖ) / h² between neighbours. After a time
//! t, a cell has kept the part e^(−2r) I₀(2r) of its content, and a cell at the distance k has the part e^(−2r) Iₖ(2r), with
//! r = D t / h² and the modified Bessel functions Iₖ. These weights have the variance 2 r, so that 2 D t in units of length.

/// The largest part of the variance, in cells, that the weights of a kernel leave out. No weight differs by more from the exact
/// one.
pub const CUT: f64 = 1e-9;
/// Values below it become 0: numbers that lose their precision are slow.
pub const TINY: f64 = 1e-200;
/// The smallest spread for which weights are calculated: below it, only neighbours exchange content.
const SMALLEST: f64 = 1e-12;
/// Number of distances whose cells are summed at once.
const AT_ONCE: usize = 8;

/// The weights with which diffusion mixes the cells of a line.
///
/// They are those of the exact solution, without those far away, whose part of the variance is at most [`CUT`]. Those of the cell
/// itself and of its neighbours are adjusted so that the sum is 1 and the variance exact. All are positive.
#[derive(Clone, Debug, PartialEq)]
pub struct Kernel {
    /// The weight of the cell itself.
    own: f64,
    /// The weights of the cells at the distances 1, 2 and so on.
    others: Vec<f64>,
}

impl Kernel {
    /// The kernel for a spread r = D t / h².
    #[must_use]
    pub fn new(spread: f64) -> Self {
        let mut others = match spread {
            spread if spread <= 0.0 => Vec::new(),
            spread if spread < SMALLEST => vec![spread],
            _ => weights(2.0 * spread),
        };
        if let [next, far @ ..] = &mut others[..] {
            let squares = (2..).map(|distance: u32| f64::from(distance * distance));
            *next = spread - far.iter().zip(squares).map(|(weight, square)| weight * square).sum::<f64>();
        }
        let own = 1.0 - 2.0 * others.iter().rev().sum::<f64>();
        Self { own, others }
    }

    /// The largest distance of a cell with a weight.
    #[must_use]
    pub fn reach(&self) -> usize {
        self.others.len()
    }

    /// Mixes cells into `out`, times a factor: those of `center`, and those of the two lines of each distance.
    ///
    /// All lines are as long as `out`, or longer.
    pub fn mix<'a>(&self, factor: f64, out: &mut [f64], center: &'a [f64], lines: impl Fn(usize) -> [&'a [f64]; 2]) {
        match self.others.len() {
            0 => self.mix_near::<0>(factor, out, center, &lines),
            1 => self.mix_near::<1>(factor, out, center, &lines),
            2 => self.mix_near::<2>(factor, out, center, &lines),
            3 => self.mix_near::<3>(factor, out, center, &lines),
            4 => self.mix_near::<4>(factor, out, center, &lines),
            5 => self.mix_near::<5>(factor, out, center, &lines),
            6 => self.mix_near::<6>(factor, out, center, &lines),
            7 => self.mix_near::<7>(factor, out, center, &lines),
            _ => self.mix_near::<AT_ONCE>(factor, out, center, &lines),
        }
        for (place, weight) in self.others.iter().enumerate().skip(AT_ONCE) {
            let [one, other] = lines(place + 1);
            let weight = weight * factor;
            for ((out, one), other) in out.iter_mut().zip(one).zip(other) {
                *out += weight * (one + other);
            }
        }
        if self.others.len() > AT_ONCE {
            out.iter_mut().for_each(|value| *value = without_tiny(*value));
        }
    }

    /// As [`mix`](Self::mix), for the first distances only.
    #[inline]
    fn mix_near<'a, const REACH: usize>(
        &self,
        factor: f64,
        out: &mut [f64],
        center: &'a [f64],
        lines: &impl Fn(usize) -> [&'a [f64]; 2],
    ) {
        let count = out.len();
        let own = self.own * factor;
        let weights: [f64; REACH] = std::array::from_fn(|place| self.others[place] * factor);
        let center = &center[..count];
        let ones: [&[f64]; REACH] = std::array::from_fn(|place| &lines(place + 1)[0][..count]);
        let others: [&[f64]; REACH] = std::array::from_fn(|place| &lines(place + 1)[1][..count]);
        for cell in 0..count {
            let mut sum = own * center[cell];
            for place in 0..REACH {
                sum += weights[place] * (ones[place][cell] + others[place][cell]);
            }
            out[cell] = without_tiny(sum);
        }
    }
}

/// The value, or 0 if it is [tiny](TINY).
#[inline]
pub fn without_tiny(value: f64) -> f64 {
    if value < TINY { 0.0 } else { value }
}

/// The weights e^(−x) Iₖ(x) for k from 1 on, up to the distance beyond which their variance is at most [`CUT`].
///
/// Miller's algorithm: the recurrence of the Bessel functions is stable towards smaller k, and their sum is e^x (Abramowitz and
/// Stegun, 9.6.26 and 9.6.37).
fn weights(x: f64) -> Vec<f64> {
    const LARGE: f64 = 1e250;
    let first = 30 + (10.0 * x.sqrt()) as usize;
    let mut values = vec![0.0; first + 2];
    values[first] = 1.0;
    for k in (0..first).rev() {
        values[k] = values[k + 2] + 2.0 * (k + 1) as f64 / x * values[k + 1];
        if values[k] > LARGE {
            values[k..].iter_mut().for_each(|value| *value /= LARGE);
        }
    }
    let sum = values[0] + 2.0 * values[1..].iter().rev().sum::<f64>();
    values.iter_mut().for_each(|value| *value /= sum);
    let (mut reach, mut left_out) = (first, 0.0);
    while reach > 1 {
        left_out += 2.0 * (reach * reach) as f64 * values[reach];
        if left_out > CUT {
            break;
        }
        reach -= 1;
    }
    values.truncate(reach + 1);
    values.remove(0);
    values
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(kernel: &Kernel) -> (f64, f64) {
        let all = kernel.others.iter().zip(1..);
        let sum: f64 = kernel.own + 2.0 * kernel.others.iter().sum::<f64>();
        (sum, all.map(|(weight, k)| 2.0 * weight * f64::from(k * k)).sum())
    }

    #[test]
    fn weights_of_a_kernel_are_those_of_bessel_functions() {
        // e^(−2) I₀(2), I₁, I₂ (Abramowitz and Stegun, table 9.8 and 9.9).
        let kernel = Kernel::new(1.0);
        assert!((kernel.own - 0.308_508_322_553_671).abs() < CUT, "{kernel:?}");
        assert!((kernel.others[0] - 0.215_269_289_248_945).abs() < 1e-9);
        assert!((kernel.others[1] - 0.093_239_033_304_726).abs() < 1e-9);
    }

    #[test]
    fn weights_are_positive_with_the_sum_one_and_the_exact_variance() {
        assert_eq!(Kernel::new(0.0), Kernel { own: 1.0, others: Vec::new() });
        for spread in [1e-300, 1e-13, 1e-9, 1e-3, 0.01, 0.3, 1.0, 7.0, 40.0, 1000.0] {
            let kernel = Kernel::new(spread);
            let (sum, variance) = moments(&kernel);
            assert!((sum - 1.0).abs() < 1e-14, "{spread}: {sum}");
            assert!((variance / spread / 2.0 - 1.0).abs() < 1e-12, "{spread}: {variance}");
            assert!(kernel.own > 0.0 && kernel.others.iter().all(|weight| *weight > 0.0), "{spread}");
        }
    }

    #[test]
    fn two_kernels_make_that_of_their_sum() {
        let [half, whole] = [0.35, 0.7].map(Kernel::new);
        let weight = |kernel: &Kernel, k: i32| match k.unsigned_abs() as usize {
            0 => kernel.own,
            k => kernel.others.get(k - 1).copied().unwrap_or_default(),
        };
        for k in 0..8 {
            let twice: f64 = (-30..30).map(|at| weight(&half, at) * weight(&half, k - at)).sum();
            assert!((twice - weight(&whole, k)).abs() < 3.0 * CUT, "{k}: {twice}");
        }
    }

    #[test]
    fn far_cells_have_their_weights_too() {
        let kernel = Kernel::new(9.0);
        assert!(kernel.reach() > 2 * AT_ONCE);
        let mut padded = vec![0.0; 201];
        padded[100] = 1.0;
        let (reach, count) = (kernel.reach(), 201 - 2 * kernel.reach());
        let mut out = vec![0.0; count];
        kernel.mix(1.0, &mut out, &padded[reach..], |k| [&padded[reach - k..], &padded[reach + k..]]);
        for (place, value) in out.iter().enumerate() {
            let expected = match (place + reach).abs_diff(100) {
                0 => kernel.own,
                k => kernel.others.get(k - 1).copied().unwrap_or_default(),
            };
            assert_eq!(*value, expected, "{place}");
        }
    }
}

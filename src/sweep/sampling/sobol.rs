//! The sequence of Sobol (1967), in the order of Gray codes (Antonov and Saleev 1979).

/// The most dimensions of the sequence.
pub const MAX_DIMENSIONS: usize = 21;

/// The primitive polynomial of each dimension from the second one on, as its degree and its inner coefficients, and the
/// first direction numbers (Joe and Kuo: "Constructing Sobol sequences with better two-dimensional projections", 2008).
const DIRECTIONS: [(usize, u32, &[u32]); MAX_DIMENSIONS - 1] = [
    (1, 0, &[1]),
    (2, 1, &[1, 3]),
    (3, 1, &[1, 3, 1]),
    (3, 2, &[1, 1, 1]),
    (4, 1, &[1, 1, 3, 3]),
    (4, 4, &[1, 3, 5, 13]),
    (5, 2, &[1, 1, 5, 5, 17]),
    (5, 4, &[1, 1, 5, 5, 5]),
    (5, 7, &[1, 1, 7, 11, 19]),
    (5, 11, &[1, 1, 5, 1, 1]),
    (5, 13, &[1, 1, 1, 3, 11]),
    (5, 14, &[1, 3, 5, 5, 31]),
    (6, 1, &[1, 3, 3, 9, 7, 49]),
    (6, 13, &[1, 1, 1, 15, 21, 21]),
    (6, 16, &[1, 3, 1, 13, 27, 49]),
    (6, 19, &[1, 1, 1, 15, 7, 5]),
    (6, 22, &[1, 3, 1, 15, 13, 25]),
    (6, 25, &[1, 1, 5, 5, 19, 61]),
    (7, 1, &[1, 3, 7, 11, 23, 15, 103]),
    (7, 4, &[1, 3, 7, 13, 13, 15, 69]),
];

/// The points of the sequence, each coordinate as a binary fraction of 32 bits.
pub(super) struct Sequence {
    directions: Vec<[u32; 32]>,
    point: Vec<u32>,
    index: u32,
}

impl Sequence {
    /// The sequence of so many dimensions, at most [`MAX_DIMENSIONS`].
    pub(super) fn new(dimensions: usize) -> Self {
        let first = std::iter::once(std::array::from_fn(|bit| 1 << (31 - bit)));
        let directions = first.chain(DIRECTIONS.iter().map(directions)).take(dimensions).collect();
        Self { directions, point: vec![0; dimensions], index: 0 }
    }
}

fn directions(&(degree, inner, initial): &(usize, u32, &[u32])) -> [u32; 32] {
    let mut directions = [0; 32];
    for bit in 0..32 {
        directions[bit] = match initial.get(bit) {
            Some(number) => number << (31 - bit),
            None => {
                let before = directions[bit - degree];
                (1..degree).fold(before ^ (before >> degree), |direction, place| {
                    let coefficient = (inner >> (degree - 1 - place)) & 1;
                    direction ^ (coefficient * directions[bit - place])
                })
            }
        };
    }
    directions
}

impl Iterator for Sequence {
    type Item = Vec<u32>;

    fn next(&mut self) -> Option<Vec<u32>> {
        let point = self.point.clone();
        let bit = self.index.trailing_ones() as usize;
        for (coordinate, directions) in self.point.iter_mut().zip(&self.directions) {
            *coordinate ^= directions.get(bit)?;
        }
        self.index += 1;
        Some(point)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_sobol_points_are_those_of_joe_and_kuo() {
        // `scipy.stats.qmc.Sobol(4, scramble=False).random(8)`, SciPy 1.16.
        let expected = [
            [0.0, 0.0, 0.0, 0.0],
            [0.5, 0.5, 0.5, 0.5],
            [0.75, 0.25, 0.25, 0.25],
            [0.25, 0.75, 0.75, 0.75],
            [0.375, 0.375, 0.625, 0.875],
            [0.875, 0.875, 0.125, 0.375],
            [0.625, 0.125, 0.875, 0.625],
            [0.125, 0.625, 0.375, 0.125],
        ];
        let points: Vec<Vec<f64>> = Sequence::new(4)
            .take(8)
            .map(|point| point.into_iter().map(|bits| f64::from(bits) / 2_f64.powi(32)).collect())
            .collect();
        assert_eq!(points, expected);
    }
}

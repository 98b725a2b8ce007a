//! The circle of `Consistent` as RobotSwarmSimulator computes it (Kukush, Markovsky and van Huffel 2004): the bisection
//! ends at a billionth of its interval, and the centre is that of the last matrix.

use bevy::math::DVec2;

type Matrix = [[f64; 4]; 4];

/// Width of the interval, relative to its first one, at which the bisection ends.
const PRECISION: f64 = 1e-9;
/// Largest number of bisections.
const BISECTIONS: u32 = 99;
/// Iterations for the eigenvector, which converge by many digits each.
const ITERATIONS: u32 = 4;

/// The centre for points whose scatter has this smallest eigenvalue.
pub(super) fn center(points: &[DVec2], least_scatter: f64) -> DVec2 {
    let count = points.len() as f64;
    let mut moments = Matrix::default();
    for at in points {
        let row = [at.x * at.x + at.y * at.y, at.x, at.y, 1.0];
        for (line, factor) in moments.iter_mut().zip(row) {
            line.iter_mut().zip(row).for_each(|(sum, value)| *sum += factor * value);
        }
    }
    let [z, x, y] = [moments[0][3], moments[1][3], moments[2][3]];
    let matrix = |noise: f64| {
        let mut matrix = moments;
        matrix[0][0] -= noise * (8.0 * z - noise * 8.0 * count);
        for (place, sum) in [(1, 4.0 * x), (2, 4.0 * y), (3, 2.0 * count)] {
            matrix[0][place] -= noise * sum;
            matrix[place][0] -= noise * sum;
        }
        matrix[1][1] -= noise * count;
        matrix[2][2] -= noise * count;
        matrix
    };
    let (mut low, mut high) = (0.0, least_scatter);
    let mut last = matrix(0.0);
    for _ in 0..BISECTIONS {
        let noise = (low + high) / 2.0;
        last = matrix(noise);
        if is_positive_definite(last) {
            low = noise;
        } else {
            high = noise;
        }
        if high - low <= PRECISION * least_scatter {
            break;
        }
    }
    let [a, b, c, _] = least_eigenvector(&last);
    DVec2::new(-b / a / 2.0, -c / a / 2.0)
}

/// Whether all pivots of the elimination are positive.
fn is_positive_definite(mut matrix: Matrix) -> bool {
    for pivot in 0..4 {
        let line = matrix[pivot];
        if line[pivot] <= 0.0 || line[pivot].is_nan() {
            return false;
        }
        for lower in &mut matrix[pivot + 1..] {
            let factor = lower[pivot] / line[pivot];
            lower.iter_mut().zip(line).for_each(|(value, above)| *value -= factor * above);
        }
    }
    true
}

/// The eigenvector of the eigenvalue nearest to zero, by inverse iteration.
fn least_eigenvector(matrix: &Matrix) -> [f64; 4] {
    let mut vector = [1.0; 4];
    for _ in 0..ITERATIONS {
        vector = solve(*matrix, vector);
        let largest = vector.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        vector.iter_mut().for_each(|value| *value /= largest);
    }
    vector
}

/// The solution of linear equations by elimination with pivots; a zero pivot counts as a tiny one.
fn solve(mut matrix: Matrix, mut right: [f64; 4]) -> [f64; 4] {
    for pivot in 0..4 {
        let largest = (pivot..4).max_by(|a, b| matrix[*a][pivot].abs().total_cmp(&matrix[*b][pivot].abs()));
        let largest = largest.unwrap_or(pivot);
        matrix.swap(pivot, largest);
        right.swap(pivot, largest);
        if matrix[pivot][pivot] == 0.0 {
            matrix[pivot][pivot] = f64::MIN_POSITIVE;
        }
        let line = matrix[pivot];
        for lower in pivot + 1..4 {
            let factor = matrix[lower][pivot] / line[pivot];
            matrix[lower].iter_mut().zip(line).for_each(|(value, above)| *value -= factor * above);
            right[lower] -= factor * right[pivot];
        }
    }
    for place in (0..4).rev() {
        let known: f64 = (place + 1..4).map(|later| matrix[place][later] * right[later]).sum();
        right[place] = (right[place] - known) / matrix[place][place];
    }
    right
}

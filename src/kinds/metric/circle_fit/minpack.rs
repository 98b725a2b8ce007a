//! The centre of a circle by `lmdif` of MINPACK (Moré: "The Levenberg–Marquardt algorithm: implementation and theory",
//! 1978), as SciPy calls it for RobotSwarmSimulator.
//!
//! The iterations end before the least squares are found, and derivatives are differences, whose rounding counts: so the
//! order of operations is that of MINPACK and of numpy.

use bevy::math::DVec2;

/// Relative change of squares or of the centre at which the iterations end.
const TOLERANCE: f64 = 1.49012e-8;
/// Relative step of the differences: the square root of the machine precision.
const STEP: f64 = 1.0 / 67_108_864.0;
/// Largest number of evaluations.
const EVALUATIONS: usize = 600;
/// Largest number of iterations for the damping of a step.
const DAMPINGS: usize = 10;

/// The Jacobian as Q R with the column order of the larger norm first.
struct Factors {
    /// The norms of the columns.
    norms: [f64; 2],
    /// The columns by place.
    order: [usize; 2],
    /// The upper triangle of R: (0, 0), (0, 1), (1, 1).
    r: [f64; 3],
    /// The first two numbers of the transpose of Q times the residuals.
    q_residuals: [f64; 2],
}

/// The centre from which the distances of at least two points vary least, up to the tolerance.
pub(super) fn center(points: &[DVec2]) -> DVec2 {
    let mean = |of: fn(&DVec2) -> f64| mean(&points.iter().map(of).collect::<Vec<_>>());
    let mut at = [mean(|at| at.x), mean(|at| at.y)];
    let mut residuals = residuals_of(points, at);
    let (mut size, mut evaluations) = (norm(&residuals), 1);
    let (mut scale, mut scaled_size, mut radius, mut damping) = ([0.0; 2], 0.0, 0.0, 0.0);
    let mut is_first = true;
    loop {
        let factors = Factors::of(jacobian(points, at, &residuals), &residuals);
        evaluations += 2;
        if is_first {
            scale = factors.norms.map(|norm| if norm == 0.0 { 1.0 } else { norm });
            scaled_size = scaled_norm(scale, at);
            radius = if scaled_size == 0.0 { 100.0 } else { 100.0 * scaled_size };
        }
        let slope = factors.slope(size);
        if slope <= 0.0 || slope.is_nan() {
            return at.into();
        }
        scale = [0, 1].map(|place| scale[place].max(factors.norms[place]));
        loop {
            let step = factors.step(scale, radius, &mut damping);
            let next = [at[0] - step[0], at[1] - step[1]];
            let step_size = scaled_norm(scale, step);
            if is_first {
                radius = radius.min(step_size);
            }
            let next_residuals = residuals_of(points, next);
            evaluations += 1;
            let next_size = norm(&next_residuals);
            let relative = next_size / size;
            let gained = if 0.1 * next_size < size { 1.0 - relative * relative } else { -1.0 };
            let linear = factors.image(step) / size;
            let damped = damping.sqrt() * step_size / size;
            let expected = linear * linear + damped * damped / 0.5;
            let ratio = if expected == 0.0 { 0.0 } else { gained / expected };
            if ratio <= 0.25 {
                let descent = -(linear * linear + damped * damped);
                let part = if gained >= 0.0 { 0.5 } else { 0.5 * descent / (descent + 0.5 * gained) };
                let part = if 0.1 * next_size >= size || part < 0.1 { 0.1 } else { part };
                radius = part * radius.min(step_size / 0.1);
                damping /= part;
            } else if damping == 0.0 || ratio >= 0.75 {
                radius = step_size / 0.5;
                damping *= 0.5;
            }
            let is_better = ratio >= 1e-4;
            if is_better {
                (at, residuals, size, is_first) = (next, next_residuals, next_size, false);
                scaled_size = scaled_norm(scale, at);
            }
            let has_settled = gained.abs() <= TOLERANCE && expected <= TOLERANCE && 0.5 * ratio <= 1.0;
            let is_stuck = evaluations >= EVALUATIONS || slope <= f64::EPSILON || !next_size.is_finite();
            if has_settled || is_stuck || radius <= TOLERANCE * scaled_size {
                return at.into();
            }
            if is_better {
                break;
            }
        }
    }
}

/// The distances from a centre minus their mean.
fn residuals_of(points: &[DVec2], [x, y]: [f64; 2]) -> Vec<f64> {
    let distance = |at: &DVec2| ((at.x - x) * (at.x - x) + (at.y - y) * (at.y - y)).sqrt();
    let mut distances: Vec<f64> = points.iter().map(distance).collect();
    let mean = mean(&distances);
    distances.iter_mut().for_each(|distance| *distance -= mean);
    distances
}

/// The columns of differences along x and y.
fn jacobian(points: &[DVec2], at: [f64; 2], residuals: &[f64]) -> [Vec<f64>; 2] {
    [0, 1].map(|place| {
        let relative = STEP * at[place].abs();
        let step = if relative == 0.0 { STEP } else { relative };
        let mut moved = at;
        moved[place] += step;
        let mut column = residuals_of(points, moved);
        column.iter_mut().zip(residuals).for_each(|(after, before)| *after = (*after - before) / step);
        column
    })
}

impl Factors {
    /// Householder reflections of the columns, and of the residuals.
    fn of(columns: [Vec<f64>; 2], residuals: &[f64]) -> Self {
        let norms = [norm(&columns[0]), norm(&columns[1])];
        let [one, other] = columns;
        let (order, mut first, mut second) =
            if norms[1] > norms[0] { ([1, 0], other, one) } else { ([0, 1], one, other) };
        let first_norm = reflect(&mut first, 0);
        if first_norm != 0.0 {
            apply(&first, 0, &mut second);
        }
        let above = second[0];
        let second_norm = reflect(&mut second, 1);
        let mut turned = residuals.to_vec();
        apply(&first, 0, &mut turned);
        apply(&second, 1, &mut turned);
        let q_residuals = [turned[0], turned[1]];
        Self { norms, order, r: [-first_norm, above, -second_norm], q_residuals }
    }

    /// The largest cosine of the angle between the residuals and a column.
    fn slope(&self, size: f64) -> f64 {
        let ([r00, r01, r11], [q0, q1]) = (self.r, self.q_residuals.map(|value| value / size));
        let part = |place: usize, product: f64| {
            let norm = self.norms[self.order[place]];
            if norm == 0.0 { 0.0 } else { (product / norm).abs() }
        };
        if size == 0.0 { 0.0 } else { part(0, r00 * q0).max(part(1, r01 * q0 + r11 * q1)) }
    }

    /// The norm of the Jacobian times a step.
    fn image(&self, step: [f64; 2]) -> f64 {
        let ([r00, r01, r11], [p0, p1]) = (self.r, self.ordered(step));
        norm(&[r00 * p0 + r01 * p1, r11 * p1])
    }

    /// The numbers for the columns by place, or the other way round.
    fn ordered(&self, values: [f64; 2]) -> [f64; 2] {
        self.order.map(|place| values[place])
    }

    /// The solution of (JᵀJ + damping · scale²) x = b, by place.
    fn solve(&self, damping: f64, scale: [f64; 2], b: [f64; 2]) -> [f64; 2] {
        let [r00, r01, r11] = self.r;
        let (xx, xy) = (r00 * r00 + damping * scale[0] * scale[0], r00 * r01);
        let yy = r01 * r01 + r11 * r11 + damping * scale[1] * scale[1];
        let determinant = xx * yy - xy * xy;
        [(yy * b[0] - xy * b[1]) / determinant, (xx * b[1] - xy * b[0]) / determinant]
    }

    /// The step whose scaled length is at most a tenth above `radius`, and its damping.
    fn step(&self, scale: [f64; 2], radius: f64, damping: &mut f64) -> [f64; 2] {
        let ([r00, r01, r11], [q0, q1]) = (self.r, self.q_residuals);
        let by_place = self.ordered(scale);
        let last = if r11 == 0.0 { 0.0 } else { q1 / r11 };
        let mut step = [(q0 - r01 * last) / r00, last];
        let length = |step: [f64; 2]| scaled_norm(scale, self.ordered(step));
        let mut excess = length(step) - radius;
        if excess <= 0.1 * radius {
            *damping = 0.0;
            return self.ordered(step);
        }
        let slope = |damping: f64, step: [f64; 2]| {
            let scaled = [0, 1].map(|place| by_place[place] * (by_place[place] * step[place] / length(step)));
            let solved = self.solve(damping, by_place, scaled);
            scaled[0] * solved[0] + scaled[1] * solved[1]
        };
        let descent = [r00 * q0, r01 * q0 + r11 * q1];
        let mut low = if r11 == 0.0 { 0.0 } else { excess / radius / slope(0.0, step) };
        let steepest = norm(&[descent[0] / by_place[0], descent[1] / by_place[1]]);
        let mut high = steepest / radius;
        *damping = damping.max(low).min(high);
        if *damping == 0.0 {
            *damping = steepest / length(step);
        }
        for _ in 1..DAMPINGS {
            step = self.solve(*damping, by_place, descent);
            let before = std::mem::replace(&mut excess, length(step) - radius);
            if excess.abs() <= 0.1 * radius || (low == 0.0 && excess <= before && before < 0.0) || !excess.is_finite() {
                return self.ordered(step);
            }
            let correction = excess / radius / slope(*damping, step);
            if excess > 0.0 {
                low = low.max(*damping);
            } else {
                high = high.min(*damping);
            }
            *damping = low.max(*damping + correction);
        }
        self.ordered(self.solve(*damping, by_place, descent))
    }
}

/// Makes a column the vector of its Householder reflection from a place on; returns its signed norm.
fn reflect(column: &mut [f64], from: usize) -> f64 {
    let length = norm(&column[from..]);
    if length == 0.0 {
        return 0.0;
    }
    let signed = if column[from] < 0.0 { -length } else { length };
    column[from..].iter_mut().for_each(|value| *value /= signed);
    column[from] += 1.0;
    signed
}

/// Applies a reflection to a vector.
fn apply(reflection: &[f64], from: usize, to: &mut [f64]) {
    if reflection[from] == 0.0 {
        return;
    }
    let product: f64 = reflection[from..].iter().zip(&to[from..]).fold(0.0, |sum, (a, b)| sum + a * b);
    let part = product / reflection[from];
    to[from..].iter_mut().zip(&reflection[from..]).for_each(|(value, along)| *value -= part * along);
}

fn scaled_norm(scale: [f64; 2], values: [f64; 2]) -> f64 {
    norm(&[scale[0] * values[0], scale[1] * values[1]])
}

fn norm(values: &[f64]) -> f64 {
    values.iter().fold(0.0, |sum, value| sum + value * value).sqrt()
}

/// The mean of values, summed as numpy does.
fn mean(values: &[f64]) -> f64 {
    sum(values) / values.len() as f64
}

/// Pairwise summation of blocks, each with eight partial sums.
fn sum(values: &[f64]) -> f64 {
    const BLOCK: usize = 128;
    if values.len() > BLOCK {
        let half = values.len() / 2;
        let (low, high) = values.split_at(half - half % 8);
        return sum(low) + sum(high);
    }
    if values.len() < 8 {
        return values.iter().sum();
    }
    let mut chunks = values.chunks_exact(8);
    let mut partial = [0.0; 8];
    for chunk in &mut chunks {
        partial.iter_mut().zip(chunk).for_each(|(sum, value)| *sum += value);
    }
    let [a, b, c, d, e, f, g, h] = partial;
    chunks.remainder().iter().fold(((a + b) + (c + d)) + ((e + f) + (g + h)), |sum, value| sum + value)
}

//! Fits a circle to the positions of the agents.

use std::f64::consts::TAU;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::math::direction;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm, Variant};
use swarmarium_picture::Picture;

use super::convex_hull::outline;

mod consistent;
mod minpack;

/// Circle that best fits the positions of the robots: the relative residual (0 if all robots are on the circle),
/// the radius and the centre. The circle is drawn.
///
/// `Classic` returns the residual of RobotSwarmSimulator, which takes the distances from N times the centre by
/// mistake. In a periodic arena, coordinates are used as they are: a swarm that straddles the boundary counts as
/// split.
///
/// # Formula
/// ```math
/// q = \begin{cases} \frac{1}{\rho} \sqrt{\frac{1}{N} \sum_{i=1}^{N} (\lVert p_i - m \rVert - \rho)^2}
/// & \text{Corrected} \\
/// \frac{1}{\rho} \sqrt{\sum_{i=1}^{N} \lVert p_i - N m \rVert^2} & \text{Classic} \end{cases}
/// ```
/// $m$ is the centre and $\rho$ the radius of the circle that the field `method` fits, $p_i$ the position of robot
/// $i$ and $N$ the number of robots. No numbers for fewer than three robots, or if a line fits better than any
/// circle. With `Classic`, `Geometric`, `HyperLsq` and `Consistent` iterate as RobotSwarmSimulator does; without a
/// circle, `Consistent` has the residual of the limit, $N \sqrt{N}$.
///
/// Source: Chernov, 2010; RobotSwarmSimulator `Instant…Circularity`.
///
/// Range: `residual`: 0 to ∞; `radius_m`: 0 to ∞, in m; `x_m` and `y_m`: −∞ to ∞, in m.
#[kind(section = "Shape", words = "circle, ring, radius, round")]
pub struct CircleFit {
    /// Method of the fit.
    pub method: Method,
    /// `Corrected`: relative root mean square distance from the circle. `Classic`: the residual of
    /// RobotSwarmSimulator.
    pub variant: Variant,
}

/// Methods of fitting a circle (Chernov: "Circular and Linear Regression", 2010).
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Method {
    /// Least squares of the distances from the circle, by Levenberg–Marquardt steps from the `Taubin` circle (`LSQ`,
    /// `LM`).
    Geometric,
    /// Least squares of the squared distances: fast, but the circle is too small for short arcs (Kåsa 1976).
    Kasa,
    /// Pratt 1987 (`PrattSVD`).
    Pratt,
    /// Taubin 1991 (`TaubinSVD`).
    #[default]
    Taubin,
    /// No essential bias (Al-Sharadqah and Chernov 2009; `HyperSVD`).
    Hyper,
    /// The centre of `Hyper`, with the root mean square distance as radius (`HyperLSQ`).
    HyperLsq,
    /// The best plane on the Riemann sphere (Strandlie et al. 2000; `Riemann`).
    Riemann,
    /// Consistent for noise of any size (Kukush, Markovsky and van Huffel 2004; `KMH`).
    Consistent,
}

/// A circle.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Circle {
    center: DVec2,
    radius: f64,
}

impl Metric for CircleFit {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("residual", "Residual of the fitted circle"),
        MetricLabel::new("radius_m", "Radius of the fitted circle"),
        MetricLabel::new("x_m", "Centre of the fitted circle, x"),
        MetricLabel::new("y_m", "Centre of the fitted circle, y"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("circle_fit", "Circle fit")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.fill(f64::NAN);
        let positions = swarm.positions();
        let circle = match self.variant {
            Variant::Corrected => fit(self.method, positions),
            Variant::Classic => classic(self.method, positions),
        };
        if let Some(Circle { center, radius }) = circle {
            let residual = match self.variant {
                Variant::Corrected => {
                    let off = |at: &DVec2| at.distance(center) - radius;
                    swarm.mean(swarm.positions().iter().map(|at| off(at) * off(at))).sqrt() / radius
                }
                Variant::Classic => {
                    let mistaken = center * swarm.len() as f64;
                    let squares = swarm.positions().iter().map(|at| at.distance_squared(mistaken));
                    squares.sum::<f64>().sqrt() / radius
                }
            };
            values.copy_from_slice(&[residual, radius, center.x, center.y]);
        } else if self.variant == Variant::Classic {
            values[0] = residual_without_circle(self.method, swarm.len());
        }
    }

    fn draw(&self, _: &NoHistory, _: &Swarm, values: &[f64], picture: &mut Picture) {
        let &[_, radius, x, y] = values else { return };
        // A circle much larger than the view is not drawn.
        if radius * picture.pixels_per_m < 1e5 {
            let point = |corner: u32| radius * direction(f64::from(corner) / 96.0 * TAU) + DVec2::new(x, y);
            outline((0..96).map(point).collect(), picture);
        }
    }
}

/// Means of products of coordinates relative to the centroid, with z = x² + y².
struct Moments {
    xx: f64,
    xy: f64,
    yy: f64,
    z: f64,
    zz: f64,
    /// The means of x·z and y·z.
    v: DVec2,
}

impl Moments {
    fn of(points: &[DVec2]) -> Self {
        let mean = |of: &dyn Fn(DVec2) -> f64| points.iter().map(|p| of(*p)).sum::<f64>() / points.len() as f64;
        let z = |p: DVec2| p.length_squared();
        Self {
            xx: mean(&|p| p.x * p.x),
            xy: mean(&|p| p.x * p.y),
            yy: mean(&|p| p.y * p.y),
            z: mean(&z),
            zz: mean(&|p| z(p) * z(p)),
            v: DVec2::new(mean(&|p| p.x * z(p)), mean(&|p| p.y * z(p))),
        }
    }

    /// The smaller eigenvalue of the covariance.
    fn least_spread(&self) -> f64 {
        let half = (self.xx - self.yy) / 2.0;
        ((self.xx + self.yy) / 2.0 - (half * half + self.xy * self.xy).sqrt()).max(0.0)
    }

    /// Twice the centre, with `eta` subtracted from the covariance.
    fn doubled_center(&self, eta: f64) -> DVec2 {
        let (xx, yy) = (self.xx - eta, self.yy - eta);
        let doubled = DVec2::new(self.v.x * yy - self.v.y * self.xy, self.v.y * xx - self.v.x * self.xy);
        doubled / (xx * yy - self.xy * self.xy)
    }
}

impl Method {
    /// The tail of the equation that the method solves for η, the smallest root of `mean(z²) − tail − v · (covariance −
    /// η)^-1 v`. The methods differ in this tail only.
    fn tail(self, z: f64, eta: f64) -> f64 {
        match self {
            Self::Kasa => f64::INFINITY,
            Self::Geometric | Self::Taubin => z * z + 4.0 * z * eta,
            Self::Pratt | Self::Hyper | Self::HyperLsq => (z + 2.0 * eta) * (z + 2.0 * eta),
            Self::Riemann => (z + eta) * (z + eta) / (1.0 - eta) + eta,
            Self::Consistent => z * z + 4.0 * eta * (z - eta),
        }
    }

    /// The square of the radius minus the square of the distance from the centroid to the centre.
    fn square(self, z: f64, eta: f64) -> f64 {
        match self {
            Self::Pratt => z + 2.0 * eta,
            Self::Hyper => z - 2.0 * eta,
            Self::Riemann => (z + eta) / (1.0 - eta),
            Self::Kasa | Self::Geometric | Self::Taubin | Self::HyperLsq | Self::Consistent => z,
        }
    }
}

/// The best circle, if there is one.
fn fit(method: Method, points: &[DVec2]) -> Option<Circle> {
    if points.len() < 3 {
        return None;
    }
    let centroid = points.iter().sum::<DVec2>() / points.len() as f64;
    let spread = points.iter().map(|at| at.distance_squared(centroid)).sum::<f64>() / points.len() as f64;
    // The Riemann sphere has a fixed size: half the root mean square distance becomes its radius.
    let unit = 2.0 * spread.sqrt();
    let scaled: Vec<DVec2> = points.iter().map(|at| (at - centroid) / unit).collect();
    let mut circle = algebraic(method, &scaled)?;
    match method {
        Method::Geometric => circle = geometric(&scaled, circle),
        Method::Consistent => circle.radius = mean_distance(&scaled, circle.center),
        _ => {}
    }
    let Circle { center, radius } = Circle { center: centroid + circle.center * unit, radius: circle.radius * unit };
    (center.is_finite() && radius.is_finite() && radius > 0.0).then_some(Circle { center, radius })
}

/// The circle of RobotSwarmSimulator. For few points or points on a line, its numbers may not be finite.
fn classic(method: Method, points: &[DVec2]) -> Option<Circle> {
    match method {
        Method::Geometric if points.len() > 1 => {
            let center = minpack::center(points);
            Some(Circle { center, radius: mean_distance(points, center) })
        }
        Method::Consistent => {
            let Circle { center: guess, .. } = fit(method, points)?;
            let centroid = points.iter().sum::<DVec2>() / points.len() as f64;
            let centered: Vec<DVec2> = points.iter().map(|at| at - centroid).collect();
            let center = consistent::center(points, Moments::of(&centered).least_spread() * points.len() as f64);
            let center = if center.is_finite() { center } else { guess };
            Some(Circle { center, radius: mean_distance(points, center) })
        }
        _ => fit(method, points)
            .or_else(|| (method == Method::HyperLsq && !points.is_empty()).then(|| hyper_least_squares(points))),
    }
}

/// The residual where RobotSwarmSimulator finds no circle: 1 for one point; for points on a line, that of an infinite
/// circle. `NaN` where RobotSwarmSimulator crashes, and for two points, where rounding decides.
fn residual_without_circle(method: Method, count: usize) -> f64 {
    match (method, count) {
        (Method::Consistent, 1) => 1.0,
        (Method::Consistent, 3..) => count as f64 * (count as f64).sqrt(),
        _ => f64::NAN,
    }
}

/// The circle of `HyperLsq` by Newton's method from η = 0 (Kanatani and Rangarajan 2011), with the rounding of
/// RobotSwarmSimulator, which decides for points on a line.
fn hyper_least_squares(points: &[DVec2]) -> Circle {
    let centroid = points.iter().sum::<DVec2>() / points.len() as f64;
    let centered: Vec<DVec2> = points.iter().map(|at| at - centroid).collect();
    let Moments { xx, xy, yy, zz, v, .. } = Moments::of(&centered);
    let z = xx + yy;
    let (covariance, variance) = (xx * yy - xy * xy, zz - z * z);
    let quadratic = 4.0 * covariance - 3.0 * z * z - zz;
    let linear = variance * z + 4.0 * covariance * z - v.x * v.x - v.y * v.y;
    let constant = v.x * (v.x * yy - v.y * xy) + v.y * (v.y * xx - v.x * xy) - variance * covariance;
    let (mut eta, mut rest) = (0.0, constant);
    for _ in 0..99 {
        let slope = linear + eta * (quadratic + quadratic + 16.0 * (eta * eta));
        let next = eta - rest / slope;
        if next == eta || !next.is_finite() {
            break;
        }
        let next_rest = constant + next * (linear + next * (quadratic + 4.0 * next * next));
        if next_rest.abs() >= rest.abs() {
            break;
        }
        (eta, rest) = (next, next_rest);
    }
    let determinant = eta * eta - eta * z + covariance;
    let doubled = DVec2::new(v.x * (yy - eta) - v.y * xy, v.y * (xx - eta) - v.x * xy);
    let center = doubled / determinant / 2.0;
    let radius = (center.x * center.x + center.y * center.y + z).abs().sqrt();
    Circle { center: center + centroid, radius }
}

/// The best circle for points relative to their centroid, by bisection of the interval that contains η.
fn algebraic(method: Method, points: &[DVec2]) -> Option<Circle> {
    let moments = Moments::of(points);
    let is_below = |eta: f64| {
        let left = moments.zz - method.tail(moments.z, eta) - moments.v.dot(moments.doubled_center(eta));
        left > 0.0
    };
    let (mut low, mut high) = (0.0, moments.least_spread());
    // All on one line.
    if high <= 1e-14 * moments.z || high.is_nan() {
        return None;
    }
    for _ in 0..100 {
        let middle = (low + high) / 2.0;
        if is_below(middle) { low = middle } else { high = middle }
    }
    let eta = if method == Method::Kasa { 0.0 } else { low };
    let center = moments.doubled_center(eta) / 2.0;
    let radius = (center.length_squared() + method.square(moments.z, eta)).sqrt();
    Some(Circle { center, radius })
}

fn mean_distance(points: &[DVec2], center: DVec2) -> f64 {
    points.iter().map(|at| at.distance(center)).sum::<f64>() / points.len() as f64
}

/// The sum of the squared differences between the distances from `center` and their mean.
fn variation(points: &[DVec2], center: DVec2) -> f64 {
    let mean = mean_distance(points, center);
    points.iter().map(|at| (at.distance(center) - mean) * (at.distance(center) - mean)).sum()
}

/// The centre from which the distances vary least, from a first guess.
fn geometric(points: &[DVec2], guess: Circle) -> Circle {
    let (mut center, mut damping) = (guess.center, 1e-3);
    let mut least = variation(points, center);
    for _ in 0..200 {
        let step = damped_step(points, center, damping);
        let after = variation(points, center + step);
        if after < least {
            (center, least, damping) = (center + step, after, damping / 10.0);
        } else {
            damping *= 10.0;
        }
        if step.length() < 1e-15 || damping > 1e12 {
            break;
        }
    }
    Circle { center, radius: mean_distance(points, center) }
}

/// A step of Levenberg and Marquardt.
fn damped_step(points: &[DVec2], center: DVec2, damping: f64) -> DVec2 {
    let mean = mean_distance(points, center);
    let pull = |at: &DVec2| (center - at).normalize_or_zero();
    let mean_pull = points.iter().map(pull).sum::<DVec2>() / points.len() as f64;
    let (mut xx, mut xy, mut yy, mut slope) = (0.0, 0.0, 0.0, DVec2::ZERO);
    for at in points {
        let pull = pull(at) - mean_pull;
        slope += pull * (at.distance(center) - mean);
        xx += pull.x * pull.x;
        xy += pull.x * pull.y;
        yy += pull.y * pull.y;
    }
    let (xx, yy) = (xx * (1.0 + damping), yy * (1.0 + damping));
    let step = DVec2::new(xy * slope.y - yy * slope.x, xy * slope.x - xx * slope.y) / (xx * yy - xy * xy);
    if step.is_finite() { step } else { DVec2::ZERO }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe, ring};

    const ALL: [Method; 8] = [
        Method::Geometric,
        Method::Kasa,
        Method::Pratt,
        Method::Taubin,
        Method::Hyper,
        Method::HyperLsq,
        Method::Riemann,
        Method::Consistent,
    ];

    #[test]
    fn every_circle_fit_finds_a_perfect_circle() {
        for method in ALL {
            let [residual, radius, x, y] = observe(&CircleFit { method, ..Default::default() }, &ring(|_| 0.0)[..4]);
            assert!(residual < 1e-7, "{method:?}: {residual}");
            let off = DVec2::new(x, y).distance(DVec2::new(3.0, 4.0)) + (radius - 2.0).abs();
            assert!(off < 1e-6, "{method:?}: {x} {y} {radius}");
        }
    }

    #[test]
    fn geometric_circle_fit_has_the_least_squares() {
        let agents = at(&[(0.0, 0.0), (2.1, 0.1), (1.9, 2.2), (-0.1, 1.7), (1.0, -0.6)]);
        let residual = |method| observe::<_, 4>(&CircleFit { method, ..Default::default() }, &agents)[0];
        let least = residual(Method::Geometric);
        let positions: Vec<DVec2> = agents.iter().map(|(at, ..)| *at).collect();
        let circle = fit(Method::Geometric, &positions).unwrap();
        for step in [DVec2::X, DVec2::Y, -DVec2::X, -DVec2::Y] {
            let moved = variation(&positions, circle.center + step * 1e-4);
            assert!(moved > variation(&positions, circle.center));
        }
        assert!(least > 0.0 && ALL.iter().all(|method| residual(*method) < 0.2));
    }

    #[test]
    fn circle_fit_of_lines_and_pairs_is_nan() {
        for method in ALL {
            let metric = CircleFit { method, ..Default::default() };
            for agents in [vec![], at(&[(0.0, 0.0), (1.0, 0.0)]), at(&[(0.0, 0.0), (1.0, 1.0), (2.0, 2.0)])] {
                assert!(observe::<_, 4>(&metric, &agents).iter().all(|value| value.is_nan()), "{method:?}");
            }
        }
    }

    /// Residuals that RobotSwarmSimulator 1.2.5 has.
    #[test]
    fn classic_circle_fit_has_the_recorded_residuals_of_few_agents_and_lines() {
        let residual = |method, positions: &[(f64, f64)]| {
            observe::<_, 4>(&CircleFit { method, variant: Variant::Classic }, &at(positions))[0]
        };
        let is = |value: f64, expected: f64| (value - expected).abs() < 1e-9 * expected;
        let line = [(1.0, 1.0), (3.0, 1.0), (2.0, 1.0)];
        assert!(is(residual(Method::Geometric, &[(1.0, 2.0), (3.0, 2.5)]), 4.365_641_250_653_994));
        assert!(is(residual(Method::Geometric, &line[..2]), 3.464_101_615_137_754_4));
        let four = [(1.0, 2.0), (3.0, 2.5), (2.0, 4.0), (4.0, 1.0)];
        assert!(is(residual(Method::Geometric, &four), 10.659189651954188));
        let nine = [
            (2.1, 3.3),
            (3.4, 5.1),
            (5.2, 2.2),
            (4.4, 4.3),
            (2.9, 2.4),
            (5.5, 5.0),
            (3.8, 3.1),
            (2.2, 4.9),
            (4.9, 3.6),
        ];
        assert!(is(residual(Method::Geometric, &nine), 82.5338254890674));
        assert_eq!(residual(Method::Geometric, &[(2.0, 2.0); 2]), f64::INFINITY);
        assert_eq!(residual(Method::Consistent, &line[..1]), 1.0);
        assert!(is(residual(Method::Consistent, &four), 13.589_808_808_653_153));
        let square = [(1.0, 1.0), (1.0, 3.0), (3.0, 3.0), (3.0, 1.0)];
        assert!(is(residual(Method::Consistent, &square), 12.165_525_033_329_741));
        assert!(is(residual(Method::Consistent, &line), 5.196_152_422_706_601));
        for count in 1..=3 {
            assert!(residual(Method::HyperLsq, &line[..count]).is_nan());
        }
        let steep = [(0.3, 0.1), (0.6, 0.2), (0.9, 0.3), (1.5, 0.5)];
        assert!(is(residual(Method::HyperLsq, &steep), 7.989_536_370_543_596));
        for method in [Method::Pratt, Method::Taubin, Method::Hyper, Method::Riemann] {
            assert!(residual(method, &line).is_nan());
        }
    }
}

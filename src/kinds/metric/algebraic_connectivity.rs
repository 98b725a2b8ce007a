//! Measures the connectivity of the graph of nearby agents.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_core::random::Seed;
use swarmarium_picture::Picture;

use super::graph::{Sets, draw_links, links};

/// Algebraic connectivity of the graph that links robots whose centres are nearer than a range: the second smallest
/// eigenvalue of its Laplacian matrix. `connected` is 1 if the graph is connected, else 0 (the only value of
/// RobotSwarmSimulator's metric).
///
/// The eigenvalue is 0 for a graph that is not connected, grows with the number of links that must be cut to split
/// the swarm, and equals the number of robots for a complete graph. It is exact for up to 512 robots and
/// approximate for more. In a periodic arena, distances are the shortest ones, across the boundary where necessary.
/// The links are drawn.
///
/// # Formula
/// ```math
/// \lambda_2 = \min_{x \perp 1,\, x \ne 0} \frac{x^\top L x}{x^\top x}
/// \qquad
/// L_{ij} = \begin{cases} k_i & i = j \\ -1 & i \ne j \text{ and } d_{ij} \lt r \\ 0 & \text{otherwise} \end{cases}
/// ```
/// $d_{ij}$ is the distance between the centres of robots $i$ and $j$, $r$ the field `range_m`, $k_i$ the number of
/// links of robot $i$ and $1$ the vector of ones. `value` is not a number for fewer than two robots,
/// `connected` is not a number without robots.
///
/// Source: Fiedler, 1973; RobotSwarmSimulator `AlgebraicConn`.
///
/// Range: `value`: 0 to N; `connected`: 0 or 1.
#[kind(section = "Network", words = "connected, graph, fiedler, one group")]
pub struct AlgebraicConnectivity {
    /// Distance below which two robots are linked.
    #[reflect(@Limits::up_to(1e6))]
    #[default(1.0)]
    pub range_m: f64,
}

impl Metric for AlgebraicConnectivity {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("value", "Algebraic connectivity"),
        MetricLabel::new("connected", "Connected (1) or not (0)"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("algebraic_connectivity", "Algebraic connectivity")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(&connectivity(swarm.len(), |link| links(swarm, self.range_m, link)));
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        draw_links(swarm, self.range_m, picture);
    }
}

/// The second smallest eigenvalue of the Laplacian matrix of a graph, and 1 if the graph is connected, else 0. `visit`
/// reports each link once.
pub(super) fn connectivity(agents: usize, visit: impl FnOnce(&mut dyn FnMut(usize, usize))) -> [f64; 2] {
    let (mut pairs, mut sets, mut components) = (Vec::new(), Sets::of(agents), agents);
    visit(&mut |a, b| {
        pairs.push((a, b));
        components -= usize::from(sets.join(a, b));
    });
    let value = match (agents, components) {
        (0 | 1, _) => f64::NAN,
        (_, 1) => Laplacian::of(agents, pairs).second_eigenvalue(),
        _ => 0.0,
    };
    [value, if agents == 0 { f64::NAN } else { f64::from(components == 1) }]
}

/// The Laplacian matrix of a graph: the degrees on its diagonal, −1 for each link.
struct Laplacian {
    degrees: Vec<f64>,
    links: Vec<(usize, usize)>,
}

impl Laplacian {
    /// The maximum number of Lanczos vectors: exact for as many agents, approximate for more.
    const MOST: usize = 512;
    /// The iteration stops when this many further vectors change the value by less than the relative tolerance `CLOSE`.
    const PATIENCE: usize = 16;
    const CLOSE: f64 = 1e-11;

    fn of(agents: usize, links: Vec<(usize, usize)>) -> Self {
        let mut degrees = vec![0.0; agents];
        for (a, b) in &links {
            degrees[*a] += 1.0;
            degrees[*b] += 1.0;
        }
        Self { degrees, links }
    }

    fn times(&self, vector: &[f64]) -> Vec<f64> {
        let mut product: Vec<f64> = self.degrees.iter().zip(vector).map(|(degree, x)| degree * x).collect();
        for (a, b) in &self.links {
            product[*a] -= vector[*b];
            product[*b] -= vector[*a];
        }
        product
    }

    /// The smallest eigenvalue whose eigenvector is orthogonal to that of the smallest one, the vector of equal
    /// entries. Computed by the Lanczos method (1950) with full reorthogonalisation, always from the same start vector.
    fn second_eigenvalue(&self) -> f64 {
        let agents = self.degrees.len();
        // All eigenvalues are below twice the largest degree (Gershgorin).
        let bound = 2.0 * self.degrees.iter().fold(0.0, |a: f64, b| a.max(*b));
        let mut stream = Seed(1).stream(StableId::metric(0), "lanczos");
        let mut basis = vec![vec![1.0 / (agents as f64).sqrt(); agents]];
        let mut next: Vec<f64> = (0..agents).map(|_| stream.between(-1.0, 1.0)).collect();
        let (mut diagonal, mut beside) = (Vec::new(), Vec::new());
        let mut smallest = f64::INFINITY;
        while basis.len() < agents.min(Self::MOST + 1) {
            // Two passes suffice, whatever was lost to rounding (Parlett 1980).
            (0..2).for_each(|_| make_orthogonal(&mut next, &basis));
            let length = dot(&next, &next).sqrt();
            if basis.len() > 1 {
                if length < 1e-12 * bound {
                    break;
                }
                beside.push(length);
            }
            next.iter_mut().for_each(|x| *x /= length);
            let product = self.times(&next);
            diagonal.push(dot(&next, &product));
            basis.push(std::mem::replace(&mut next, product));
            if diagonal.len() % Self::PATIENCE == 0 {
                let found = smallest_eigenvalue(&diagonal, &beside, bound);
                if (smallest - found).abs() <= Self::CLOSE * found {
                    return found;
                }
                smallest = found;
            }
        }
        smallest_eigenvalue(&diagonal, &beside, bound)
    }
}

fn dot(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}

fn make_orthogonal(vector: &mut [f64], basis: &[Vec<f64>]) {
    for known in basis {
        let along = dot(vector, known);
        vector.iter_mut().zip(known).for_each(|(x, k)| *x -= along * k);
    }
}

/// The smallest eigenvalue, at most `bound`, of a symmetric tridiagonal matrix: by bisection on the number of
/// eigenvalues below a value (Sturm).
fn smallest_eigenvalue(diagonal: &[f64], beside: &[f64], bound: f64) -> f64 {
    let is_above_one = |at: f64| {
        let mut pivot = 1.0;
        diagonal.iter().enumerate().any(|(row, entry)| {
            let before = if row == 0 { 0.0 } else { beside[row - 1] * beside[row - 1] / pivot };
            pivot = entry - at - before;
            if pivot == 0.0 {
                pivot = f64::MIN_POSITIVE;
            }
            pivot < 0.0
        })
    };
    let (mut low, mut high) = (0.0, bound);
    // Further bisection changes no digit.
    for _ in 0..64 {
        let midpoint = (low + high) / 2.0;
        if is_above_one(midpoint) { high = midpoint } else { low = midpoint }
    }
    (low + high) / 2.0
}

#[cfg(test)]
mod tests {
    use std::f64::consts::PI;

    use bevy::math::DVec2;
    use swarmarium_base::math::{cos, direction, sin};

    use super::*;
    use crate::metric::tests::{Agent, at, observe};

    fn value(agents: &[Agent], range_m: f64) -> [f64; 2] {
        observe(&AlgebraicConnectivity { range_m }, agents)
    }

    #[test]
    fn algebraic_connectivity_of_known_graphs() {
        for agents in [2_u32, 3, 5, 40, 400] {
            let n = f64::from(agents);
            let chain: Vec<_> = (0..agents).map(|k| (f64::from(k), 0.0)).collect();
            let ring = |k: u32| 0.5 / sin(PI / n) * direction(2.0 * PI * f64::from(k) / n);
            let ring: Vec<_> = (0..agents).map(ring).map(<(f64, f64)>::from).collect();
            let path = 2.0 - 2.0 * cos(PI / n);
            let [found, connected] = value(&at(&chain), 1.1);
            assert!((found - path).abs() < 1e-6 * path && connected == 1.0, "{agents} in a chain: {found}, not {path}");
            if agents > 4 {
                let cycle = 2.0 - 2.0 * cos(2.0 * PI / n);
                let [found, _] = value(&at(&ring), 1.001);
                assert!((found - cycle).abs() < 1e-6 * cycle, "{agents} in a ring: {found}, not {cycle}");
            }
        }
        let all: Vec<_> = (0..9).map(|k| (0.1 * f64::from(k), 0.0)).collect();
        assert!((value(&at(&all), 1.0)[0] - 9.0).abs() < 1e-9);
    }

    #[test]
    fn algebraic_connectivity_is_zero_for_split_graphs_and_nan_for_one_agent() {
        assert_eq!(value(&at(&[(0.0, 0.0), (0.5, 0.0), (3.0, 0.0)]), 1.0), [0.0, 0.0]);
        let [value_alone, connected] = value(&at(&[(0.0, 0.0)]), 1.0);
        assert!(value_alone.is_nan() && connected == 1.0);
        assert!(value(&[], 1.0).iter().all(|value| value.is_nan()));
        let crowd = vec![(DVec2::ONE, 0.0, DVec2::ZERO); 30];
        assert!((value(&crowd, 1.0)[0] - 30.0).abs() < 1e-9);
    }
}

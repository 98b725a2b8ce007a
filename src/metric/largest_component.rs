//! How much of the swarm hangs together.

use bevy::prelude::*;

use super::fields::metric_kind;
use super::{Metric, NoHistory, Swarm};
use crate::draw::{Layer, Picture, Role, Width};
use crate::kind::Limits;

metric_kind! {
    /// The graph in which agents are linked when their centres are nearer than a range: the number of agents in its
    /// largest connected component, their share of all, and the number of components. One component is what
    /// RobotSwarmSimulator's `AlgebraicConn` calls 1. Drawn as links.
    LargestComponent {
        /// Distance below which two agents are linked.
        #[reflect(@Limits::up_to(1e6))]
        range_m: f64 = 1.0,
    }
}

impl Metric for LargestComponent {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["agents", "fraction", "components"];

    fn label(&self) -> &'static str {
        "largest_component"
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let mut roots: Vec<usize> = (0..swarm.len()).collect();
        self.links(swarm, |a, b| {
            let (a, b) = (root(&mut roots, a), root(&mut roots, b));
            roots[a.max(b)] = a.min(b);
        });
        let mut sizes = vec![0_usize; swarm.len()];
        for row in 0..swarm.len() {
            sizes[root(&mut roots, row)] += 1;
        }
        let largest = sizes.iter().copied().max().unwrap_or_default() as f64;
        values[0] = largest;
        values[1] = largest / swarm.len() as f64;
        values[2] = sizes.iter().filter(|size| **size > 0).count() as f64;
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        let positions = swarm.positions();
        self.links(swarm, |a, b| {
            let ends = [positions[a], positions[a] + swarm.space.arena.offset(positions[a], positions[b])];
            picture.segment(Layer::Sensors, Role::Accent.faint(0.5), ends, Width::Pixels(1.0));
        });
    }
}

impl LargestComponent {
    /// Visits every pair of linked agents once.
    fn links(&self, swarm: &Swarm, mut visit: impl FnMut(usize, usize)) {
        for (row, at) in swarm.positions().iter().enumerate() {
            swarm.space.index().centers_within_range(*at, self.range_m, Some(row), |other| {
                if other.row > row {
                    visit(row, other.row);
                }
            });
        }
    }
}

/// The representative of a row's component; the ways to it are shortened on the go.
fn root(roots: &mut [usize], mut row: usize) -> usize {
    while roots[row] != row {
        roots[row] = roots[roots[row]];
        row = roots[row];
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn chains_hang_together() {
        let agents = at(&[(0.0, 0.0), (0.9, 0.0), (1.8, 0.0), (5.0, 5.0)]);
        let metric = LargestComponent::default();
        assert_eq!(observe(&metric, &agents), [3.0, 0.75, 2.0]);
        assert_eq!(observe(&metric, &agents[..1]), [1.0, 1.0, 1.0]);
        let [size, share, components] = observe(&metric, &[]);
        assert!(size == 0.0 && share.is_nan() && components == 0.0);
    }
}

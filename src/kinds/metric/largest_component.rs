//! Measures the largest connected part of the swarm.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::Picture;

use super::graph::{Sets, draw_links, links};

/// Largest connected component of the graph that links robots whose centres are nearer than a range: its number of
/// robots, its share of all robots, and the number of components. The links are drawn. In a periodic arena,
/// distances are the shortest ones, across the boundary where necessary.
///
/// # Formula
/// ```math
/// n = \max_{k} \lvert C_k \rvert
/// \qquad
/// q = \frac{n}{N}
/// \qquad
/// K = \lvert \{ C_1, \dots, C_K \} \rvert
/// ```
/// $C_1, \dots, C_K$ are the components of the graph with a link between robots $i$ and $j$ if their distance
/// $d_{ij}$ is less than `range_m`; $N$ is the number of robots. The columns are `agents` ($n$), `fraction` ($q$)
/// and `components` ($K$). Without robots, `agents` and `components` are 0 and `fraction` is not a number.
///
/// Source: Swarmarium.
///
/// Range: `agents` and `components`: 0 to N; `fraction`: 0 to 1.
#[kind(section = "Network", words = "connected, cluster, split, graph, pieces")]
pub struct LargestComponent {
    /// Distance below which two robots are linked.
    #[reflect(@Limits::up_to(1e6))]
    #[default(1.0)]
    pub range_m: f64,
}

impl Metric for LargestComponent {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("agents", "Robots in the largest component"),
        MetricLabel::new("fraction", "Share of robots in the largest component"),
        MetricLabel::new("components", "Number of components"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("largest_component", "Largest component")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let mut sets = Sets::of(swarm.len());
        links(swarm, self.range_m, |a, b| _ = sets.join(a, b));
        let mut sizes = vec![0_usize; swarm.len()];
        for row in 0..swarm.len() {
            sizes[sets.find(row)] += 1;
        }
        let largest = sizes.iter().copied().max().unwrap_or_default() as f64;
        values[0] = largest;
        values[1] = largest / swarm.len() as f64;
        values[2] = sizes.iter().filter(|size| **size > 0).count() as f64;
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        draw_links(swarm, self.range_m, picture);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn largest_component_includes_chains() {
        let agents = at(&[(0.0, 0.0), (0.9, 0.0), (1.8, 0.0), (5.0, 5.0)]);
        let metric = LargestComponent::default();
        assert_eq!(observe(&metric, &agents), [3.0, 0.75, 2.0]);
        assert_eq!(observe(&metric, &agents[..1]), [1.0, 1.0, 1.0]);
        let [size, share, components] = observe(&metric, &[]);
        assert!(size == 0.0 && share.is_nan() && components == 0.0);
    }
}

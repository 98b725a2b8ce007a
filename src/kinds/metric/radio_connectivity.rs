//! Measures the connectivity of the radios.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_core::radio::Connection;

use super::algebraic_connectivity::connectivity;
use super::radios::Radios;

/// Connectivity of the graph that links two living radios if at least one of them holds a packet of the other: its
/// algebraic connectivity, whether it is connected (1 or 0), both as in `AlgebraicConnectivity`, and the share of
/// ordered pairs in which the first radio holds a packet of the second. In a periodic arena, packets take the
/// shortest way, across the boundary where necessary.
///
/// # Formula
/// ```math
/// \lambda_2 = \min_{x \perp 1,\, x \ne 0} \frac{x^\top L x}{x^\top x}
/// \qquad
/// q = \frac{1}{n (n - 1)} \sum_{i=1}^{n} \sum_{j \ne i} h_{ij}
/// ```
/// $h_{ij}$ is 1 if radio $i$ holds a packet of radio $j$ that is at most `fresh_s` old, and 0 otherwise; $n$ is
/// the number of living radios. $L$ is the Laplacian matrix of the graph with a link between $i$ and $j$ if
/// $h_{ij}$ or $h_{ji}$ is 1. The columns are `value` ($\lambda_2$), `connected` and `heard` ($q$). `value` and
/// `heard` are not numbers for fewer than two radios, and `connected` is not a number without radios.
///
/// Source: Swarmarium.
///
/// Range: `value`: 0 to n; `connected`: 0 or 1; `heard`: 0 to 1.
#[kind(section = "Network", words = "connected, radio, communication, graph")]
pub struct RadioConnectivity {
    /// Maximum age of packets that count. 0: packets of any age.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub fresh_s: f64,
}

impl Metric for RadioConnectivity {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("value", "Algebraic connectivity of the radio links"),
        MetricLabel::new("connected", "Connected by radio (1) or not (0)"),
        MetricLabel::new("heard", "Share of pairs with a packet"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("radio_connectivity", "Radio connectivity")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let radios = Radios::of(census);
        let connections = radios.connections(census, 0.0);
        let most_steps = if self.fresh_s > 0.0 { radios.steps(self.fresh_s) } else { u64::MAX };
        let held =
            |connection: &Connection| connection.ages_steps.iter().flatten().filter(|age| **age <= most_steps).count();
        let all_held: usize = connections.iter().map(|(_, connection)| held(connection)).sum();
        let [value, connected] = connectivity(radios.len(), |link| {
            let linked = connections.iter().filter(|(_, connection)| held(connection) > 0);
            linked.for_each(|([one, other], _)| link(*one, *other));
        });
        gathered.extend([value, connected, all_held as f64 / (2.0 * radios.pairs())]);
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

//! Measures the state of the links between radios.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};

use super::radios::Radios;

/// Shares of all pairs of living radios whose link is fresh, stale or absent. A link is fresh if at least one of
/// the packets that the two radios hold of each other is at most `fresh_s` old, stale if they hold older packets
/// only, and absent if they hold none. In a periodic arena, packets take the shortest way, across the boundary
/// where necessary.
///
/// # Formula
/// ```math
/// q_{\text{fresh}} = \frac{n_{\text{fresh}}}{P}
/// \qquad
/// q_{\text{stale}} = \frac{n_{\text{stale}}}{P}
/// \qquad
/// q_{\text{none}} = \frac{P - n_{\text{fresh}} - n_{\text{stale}}}{P}
/// \qquad
/// P = \frac{n (n - 1)}{2}
/// ```
/// $n$ is the number of living radios, $P$ the number of pairs, and $n_{\text{fresh}}$ and $n_{\text{stale}}$ are
/// the numbers of pairs with a fresh and a stale link. No numbers for fewer than two radios.
///
/// Source: Swarmarium.
///
/// Range: 0 to 1.
#[kind(section = "Network", words = "radio, links, communication")]
pub struct RadioLinks {
    /// Maximum age of a fresh packet. 0: the longest transmission interval of its sender.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub fresh_s: f64,
}

impl Metric for RadioLinks {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("fresh", "Share of fresh radio links"),
        MetricLabel::new("stale", "Share of stale radio links"),
        MetricLabel::new("none", "Share of absent radio links"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("radio_links", "Radio links")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let radios = Radios::of(census);
        let connections = radios.connections(census, self.fresh_s);
        let fresh = connections.iter().filter(|(_, connection)| connection.is_fresh).count() as f64;
        let (stale, pairs) = (connections.len() as f64 - fresh, radios.pairs());
        gathered.extend([fresh, stale, pairs - fresh - stale].map(|links| links / pairs));
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

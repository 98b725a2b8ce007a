//! How many pairs of robots hear each other.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};

use super::radios::Radios;

metric_kind! {
    /// Of all pairs of living radios, the shares whose link is fresh, stale, or not there. It is fresh when one of the
    /// packets that the two hold of each other was sent at most `fresh_s` ago, stale when both are older, and not there
    /// when they hold none. No number below two radios. In a periodic arena, packets take the shortest way, across the
    /// boundary where necessary.
    RadioLinks {
        /// The largest age of a fresh packet; 0 for the longest transmission interval of its sender.
        #[reflect(@Limits::between(0.0, 1e6))]
        fresh_s: f64 = 0.0,
    }
}

impl Metric for RadioLinks {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["fresh", "stale", "none"];

    fn label(&self) -> &'static str {
        "radio_links"
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

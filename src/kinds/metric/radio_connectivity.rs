//! How well the radios of the swarm hang together.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};
use swarmarium_core::radio::Connection;

use super::algebraic_connectivity::connectivity;
use super::radios::Radios;

metric_kind! {
    /// The graph in which two living radios are linked when one of them holds a packet of the other: the second
    /// smallest eigenvalue of its Laplacian matrix, and 1 when it hangs together, else 0, as of
    /// `AlgebraicConnectivity`; and the share of the ordered pairs in which the first holds a packet of the second. In
    /// a periodic arena, packets take the shortest way, across the boundary where necessary.
    RadioConnectivity {
        /// The largest age of packets that count; 0 for any.
        #[reflect(@Limits::between(0.0, 1e6))]
        fresh_s: f64 = 0.0,
    }
}

impl Metric for RadioConnectivity {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["value", "connected", "heard"];

    fn label(&self) -> &'static str {
        "radio_connectivity"
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

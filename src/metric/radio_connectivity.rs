//! How well the radios of the swarm hang together.

use bevy::prelude::*;

use super::algebraic_connectivity::connectivity;
use super::fields::metric_kind;
use super::radios::Radios;
use super::{Census, Metric, NoHistory, Swarm};
use crate::kind::Limits;

metric_kind! {
    /// The graph in which two living radios are linked when one of them holds a packet of the other: the second smallest
    /// eigenvalue of its Laplacian matrix, and 1 when it hangs together, else 0, as of `AlgebraicConnectivity`; and the
    /// share of the ordered pairs in which the first holds a packet of the second.
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
        let most_steps = if self.fresh_s > 0.0 { radios.steps(self.fresh_s) } else { u64::MAX };
        let mut held = 0_u32;
        let [value, connected] = connectivity(radios.len(), |link| {
            radios.links(|a, b, ages| {
                let fresh = ages.iter().filter(|age| age.is_some_and(|age| age <= most_steps)).count();
                held += fresh as u32;
                if fresh > 0 {
                    link(a, b);
                }
            });
        });
        gathered.extend([value, connected, f64::from(held) / (2.0 * radios.pairs())]);
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

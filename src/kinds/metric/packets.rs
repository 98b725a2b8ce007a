//! How many packets come through.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::metric::{Census, Metric, Swarm};

use super::radios::{MOST_WINDOW_S, Traffic};

metric_kind! {
    /// What becomes of packets. Of those that the agents told: how many were sent (once each, whoever hears them) and how
    /// many the budget of their radios withheld. Of those that were sent to the agents, by anybody to each living radio
    /// within reach: how many were delivered and how many got lost. One on its way counts as neither until it comes. A
    /// periodic boundary makes no difference.
    Packets {
        /// Over which time, to now; 0 for all since the start.
        #[reflect(@Limits::between(0.0, MOST_WINDOW_S))]
        window_s: f64 = 0.0,
    }
}

impl Metric for Packets {
    type Memory = Traffic;
    const PARTS: &'static [&'static str] = &["sent", "withheld", "delivered", "lost"];

    fn label(&self) -> &'static str {
        "packets"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        Traffic::gather(census, gathered);
    }

    fn observe(&self, traffic: &mut Traffic, swarm: &Swarm, values: &mut [f64]) {
        let counts = traffic.over(self.window_s, swarm.dt_s, swarm.gathered);
        let counts = [counts.sent, counts.withheld, counts.delivered, counts.lost];
        values.copy_from_slice(&counts.map(|count| count as f64));
    }
}

//! Which share of the packets comes through.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::metric::{Census, Metric, Swarm};

use super::radios::{MOST_WINDOW_S, Traffic};

metric_kind! {
    /// Of the packets that were sent to the agents, by anybody to each living radio within reach, the share that was
    /// delivered: delivered / (delivered + lost), as `Packets` counts them. No number when there was none. A wrapping
    /// boundary makes no difference.
    DeliveryRatio {
        /// Over which time, to now; 0 for all since the start.
        #[reflect(@Limits::between(0.0, MOST_WINDOW_S))]
        window_s: f64 = 0.0,
    }
}

impl Metric for DeliveryRatio {
    type Memory = Traffic;

    fn label(&self) -> &'static str {
        "delivery_ratio"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        Traffic::gather(census, gathered);
    }

    fn observe(&self, traffic: &mut Traffic, swarm: &Swarm, values: &mut [f64]) {
        values[0] = traffic.over(self.window_s, swarm.dt_s, swarm.gathered).delivery_ratio();
    }
}

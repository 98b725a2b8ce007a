//! Counts the packets of radios.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, Swarm};

use super::radios::{MOST_WINDOW_S, Traffic};

/// Numbers of packets. `sent` and `withheld` count the packets of the robots: those that were sent, once each
/// however many radios receive them, and those that the budget of the radio withheld. `delivered` and `lost` count
/// the packets to the robots, from any sender, once for each living radio within reach. A packet on its way counts
/// as neither until it arrives. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// n_{\text{sent}} = \sum_{\tau \in W} \sum_{i=1}^{N} n_{\text{sent},i}(\tau)
/// ```
/// $n_{\text{sent},i}(\tau)$ is the number of packets that robot $i$ sent in the step at time $\tau$, $W$ the steps
/// of the window and $N$ the number of robots. The other three columns are sums of the same form.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞.
#[kind(section = "Network", words = "messages, sent, received, traffic, radio")]
pub struct Packets {
    /// Length of the window that ends now. 0: all time since the start.
    #[reflect(@Limits::between(0.0, MOST_WINDOW_S))]
    pub window_s: f64,
}

impl Metric for Packets {
    type Memory = Traffic;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("sent", "Packets sent"),
        MetricLabel::new("withheld", "Packets withheld"),
        MetricLabel::new("delivered", "Packets delivered"),
        MetricLabel::new("lost", "Packets lost"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("packets", "Packets")
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

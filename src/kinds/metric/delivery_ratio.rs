//! Measures the share of packets that are delivered.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, Swarm};

use super::radios::{MOST_WINDOW_S, Traffic};

/// Share of the packets sent to the robots that were delivered. Every packet from any sender counts once for each
/// living radio within reach, as in `Packets`. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// q = \frac{n_{\text{delivered}}}{n_{\text{delivered}} + n_{\text{lost}}}
/// ```
/// $n_{\text{delivered}}$ and $n_{\text{lost}}$ are the numbers of packets that reached the robots and that were
/// lost, summed over the window. No number if there was no packet.
///
/// Source: Swarmarium.
///
/// Range: 0 to 1.
#[kind(section = "Network", words = "packets, loss, messages, radio")]
pub struct DeliveryRatio {
    /// Length of the window that ends now. 0: all time since the start.
    #[reflect(@Limits::between(0.0, MOST_WINDOW_S))]
    pub window_s: f64,
}

impl Metric for DeliveryRatio {
    type Memory = Traffic;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("delivery_ratio", "Delivery ratio")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        Traffic::gather(census, gathered);
    }

    fn observe(&self, traffic: &mut Traffic, swarm: &Swarm, values: &mut [f64]) {
        values[0] = traffic.over(self.window_s, swarm.dt_s, swarm.gathered).delivery_ratio();
    }
}

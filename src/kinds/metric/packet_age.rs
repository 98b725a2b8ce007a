//! Measures the age of the packets that radios hold.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};

use super::radios::Radios;

/// Age of the packets that the living radios of the robots hold, the newest of each sender: the mean and the
/// maximum. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// a_{\text{mean}} = \frac{1}{P} \sum_{k=1}^{P} (t - t_k)
/// \qquad
/// a_{\max} = \max_{k} (t - t_k)
/// ```
/// $t_k$ is the time at which packet $k$ of the $P$ held packets was sent, and $t$ the present time. No numbers if
/// the radios hold no packet.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞, in s.
#[kind(section = "Network", words = "delay, latency, messages, radio")]
pub struct PacketAge {}

impl Metric for PacketAge {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] =
        &[MetricLabel::new("mean_s", "Mean age of packets"), MetricLabel::new("max_s", "Largest age of packets")];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("packet_age", "Packet age")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let (mut count, mut sum, mut most) = (0_u64, 0.0, f64::NAN);
        for age_s in Radios::of(census).ages_s() {
            count += 1;
            sum += age_s;
            most = age_s.max(most);
        }
        gathered.extend([sum / count as f64, most]);
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

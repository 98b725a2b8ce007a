//! How old the packets are that radios hold.

use bevy::prelude::*;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};

use super::radios::Radios;

metric_kind! {
    /// How long ago the packets were sent that the living radios of the agents hold, the newest of each sender, in
    /// seconds: the mean and the largest. No number when they hold none. A periodic boundary makes no difference.
    PacketAge {}
}

impl Metric for PacketAge {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["mean_s", "max_s"];

    fn label(&self) -> &'static str {
        "packet_age"
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

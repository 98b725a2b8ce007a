//! What robots that gossip believe.

use bevy::prelude::*;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent_view::AgentView;
use swarmarium_core::metric::{Census, Metric, NoHistory, Swarm};

use crate::controller::gossip::Gossiping;

metric_kind! {
    /// What the living agents with the controller `Gossip` measure and believe: the mean of what they measure, the smallest
    /// and the largest of their estimates of it, and the largest error. No number where there are none. A wrapping
    /// boundary makes no difference.
    GossipEstimates {}
}

impl Metric for GossipEstimates {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["truth", "min", "max", "error"];

    fn label(&self) -> &'static str {
        "gossip_estimates"
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let world = census.world();
        let (mut count, mut sum, [mut min, mut max]) = (0_u32, 0.0, [f64::NAN; 2]);
        for agent in AgentView::all_seen(census).filter(|agent| world.get::<Dead>(agent.entity()).is_none()) {
            let gossiping = world.get::<Gossiping>(agent.entity());
            if let Some((own, estimate)) = gossiping.and_then(|robot| Some((robot.own?, robot.estimate))) {
                count += 1;
                sum += own;
                (min, max) = (estimate.min(min), estimate.max(max));
            }
        }
        let truth = sum / f64::from(count);
        gathered.extend([truth, min, max, (truth - min).abs().max((max - truth).abs())]);
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(swarm.gathered);
    }
}

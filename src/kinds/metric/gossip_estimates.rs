//! Compares the estimates of gossiping robots.

use bevy::prelude::*;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_scene::agent_view::AgentView;

use crate::controller::gossip::Gossiping;

/// Estimates of the living robots with the controller `Gossip`: the true mean of their measurements, the smallest
/// and the largest estimate of it, and the largest error. A periodic boundary makes no difference.
///
/// # Formula
/// ```math
/// m = \frac{1}{N} \sum_{i=1}^{N} z_i
/// \qquad
/// \hat{m}_{\min} = \min_i \hat{m}_i
/// \qquad
/// \hat{m}_{\max} = \max_i \hat{m}_i
/// \qquad
/// e = \max_i \lvert \hat{m}_i - m \rvert
/// ```
/// $z_i$ is the measurement of robot $i$, $\hat{m}_i$ its estimate of the mean and $N$ the number of these robots.
/// The columns are `truth` ($m$), `min`, `max` and `error` ($e$). No numbers without such robots.
///
/// Source: Swarmarium.
///
/// Range: `truth`, `min` and `max`: any number; `error`: 0 to ∞; all in the unit of the measurements.
#[kind(section = "Network", words = "consensus, average, error")]
pub struct GossipEstimates {}

impl Metric for GossipEstimates {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] = &[
        MetricLabel::new("truth", "True mean of the measurements"),
        MetricLabel::new("min", "Smallest estimate"),
        MetricLabel::new("max", "Largest estimate"),
        MetricLabel::new("error", "Largest error of an estimate"),
    ];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("gossip_estimates", "Gossip estimates")
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

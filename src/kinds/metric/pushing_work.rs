//! Measures the work of pushing.

use bevy::prelude::*;
use swarmarium_core::kind::{Kinds, ObjectName, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};

use super::pushed::{objects, unknown_object, work_j};

/// Work of pushing objects since the start, against their friction on the floor: the sum over all objects of the name.
///
/// # Formula
/// ```math
/// W = \sum_i \sum_k \sqrt{f_i^2 \lVert \Delta p_{ik} \rVert^2 + m_i^2 \Delta \theta_{ik}^2}
/// ```
/// $\Delta p_{ik}$ and $\Delta \theta_{ik}$ are the displacement of the centroid and the rotation of object $i$ in motion
/// $k$; $f_i$ and $m_i$ are its largest friction force and moment.
///
/// Source: Goyal, Ruina, Papadopoulos: "Planar sliding with dry friction" (Wear 1991).
///
/// Range: 0 to ∞, in J.
#[kind(section = "Contacts", words = "push, work, energy, transport")]
pub struct PushingWork {
    /// Name of the object, or of several. Empty: all objects that robots push.
    #[reflect(@ObjectName)]
    pub object: String,
}

impl Metric for PushingWork {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("pushing_work_j", "Work of pushing")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        gathered.push(objects(&self.object, census).filter_map(|object| work_j(census, object)).sum());
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        unknown_object("object", &self.object, scene.downcast_ref()?)
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}

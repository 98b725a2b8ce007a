//! Measures the distance of objects from a place.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::limits::{Limits, MAX_LENGTH_M};
use swarmarium_core::kind::{Kinds, ObjectName, SearchWords, kind};
use swarmarium_core::metric::{Census, Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_space::ThingKind;

use super::pushed::{objects, unknown_object};

/// Distance of an object from another one or from a point, between the centres: the mean over all objects of the name.
/// In a periodic arena it is the shortest distance, across the boundary where necessary.
///
/// # Formula
/// ```math
/// d = \frac{1}{n} \sum_{i=1}^{n} \min_{j} \lVert q_j - p_i \rVert
/// ```
/// $p_i$ are the centres of the $n$ objects, and $q_j$ those of the objects in the field `to`, of which the nearest
/// counts, or the point. No number if there is no such object.
///
/// Source: Swarmarium.
///
/// Range: 0 to ∞, in m.
#[kind(section = "Goals", words = "distance, far, transport, moved")]
pub struct ObjectDistance {
    /// Name of the object, or of several. Empty: all objects that robots push.
    #[reflect(@ObjectName)]
    pub object: String,
    /// Name of the object, such as a goal or region, from which the distance is measured. Empty: `point_m`.
    #[reflect(@ObjectName)]
    pub to: String,
    /// The point from which the distance is measured if `to` is empty.
    #[reflect(@Limits::between(-MAX_LENGTH_M, MAX_LENGTH_M))]
    pub point_m: DVec2,
}

impl Metric for ObjectDistance {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("object_distance_m", "Distance of objects")
    }

    fn gather(&self, census: Census, gathered: &mut Vec<f64>) {
        let space = census.all();
        let distance = |from: DVec2| {
            let to = |place: DVec2| space.arena.offset(from, place).length();
            match &*self.to {
                "" => to(self.point_m),
                name => {
                    let goals =
                        space.things.iter().filter(|thing| thing.name == name && thing.what != ThingKind::Nothing);
                    goals.map(|thing| to(thing.position)).fold(f64::INFINITY, f64::min)
                }
            }
        };
        let (sum, count) = objects(&self.object, census)
            .map(|object| distance(object.position))
            .fold((0.0, 0.0), |(sum, count), distance| (sum + distance, count + 1.0));
        let mean: f64 = sum / count;
        gathered.push(if mean.is_finite() { mean } else { f64::NAN });
    }

    fn problem_in(&self, _: &Kinds, scene: &dyn Reflect) -> Option<(&'static str, String)> {
        let scene = scene.downcast_ref()?;
        unknown_object("object", &self.object, scene).or_else(|| unknown_object("to", &self.to, scene))
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values[0] = swarm.gathered.first().copied().unwrap_or(f64::NAN);
    }
}

//! Measures the centroid of the swarm.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

/// Centroid of the robots: the mean of their positions. It is drawn as a cross. In a periodic arena, coordinates
/// are used as they are: a swarm that straddles the boundary counts as split.
///
/// # Formula
/// ```math
/// c = \frac{1}{N} \sum_{i=1}^{N} p_i
/// ```
/// $p_i$ is the position of robot $i$ and $N$ the number of robots. No numbers without robots.
///
/// Source: RobotSwarmSimulator `Centroid`.
///
/// Range: −∞ to ∞, in m; within the arena unless its boundary is open.
#[kind(section = "Spread", words = "centre, center, middle, mean position")]
pub struct Centroid {}

impl Metric for Centroid {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] =
        &[MetricLabel::new("x_m", "Centroid, x"), MetricLabel::new("y_m", "Centroid, y")];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("centroid", "Centroid")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        values.copy_from_slice(&swarm.centroid_m().to_array());
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        let (center, arm) = (swarm.centroid_m(), 6.0 / picture.pixels_per_m);
        if swarm.is_empty() {
            return;
        }
        for arm in [DVec2::new(arm, 0.0), DVec2::new(0.0, arm)] {
            picture.segment(Layer::Labels, Role::Accent, [center - arm, center + arm], Width::Pixels(2.0));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn centroid_is_the_mean_position() {
        assert_eq!(observe(&Centroid::default(), &at(&[(0.0, 0.0), (4.0, 2.0)])), [2.0, 1.0]);
    }
}

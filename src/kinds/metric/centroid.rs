//! Where the middle of the swarm is.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Width};

metric_kind! {
    /// The mean of the positions, in metres (RobotSwarmSimulator `Centroid`). Drawn as a cross. In a periodic arena it
    /// uses coordinates as they are: a swarm that straddles the boundary counts as split.
    Centroid {}
}

impl Metric for Centroid {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["x_m", "y_m"];

    fn label(&self) -> &'static str {
        "centroid"
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
    fn is_the_mean() {
        assert_eq!(observe(&Centroid::default(), &at(&[(0.0, 0.0), (4.0, 2.0)])), [2.0, 1.0]);
    }
}

//! Measures the distance of the swarm from a random place.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::Boxes;
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape, Width};

/// Distance from the centre of a random box to the robot farthest from it, as a negative number. The arena is
/// divided into about as many boxes as there are robots, and one of them is chosen at random. The box is shown. In
/// a periodic arena, distances are the shortest ones, across the boundary where necessary.
///
/// # Formula
/// ```math
/// A = - {\max_{i} \lVert p_i - b \rVert}
/// ```
/// $p_i$ is the position of robot $i$ and $b$ the centre of the box, one of $K \times K$ boxes with equal
/// probability; $K$ is `boxes`, or with 0 the smallest whole number that is not below $\sqrt{N}$, where $N$ is the
/// number of robots. No number without robots.
///
/// Source: RobotSwarmSimulator `RandomBoxAggregation`.
///
/// Range: −∞ to 0, in m.
#[kind(section = "Spread", words = "aggregation, boxes")]
pub struct RandomBoxAggregation {
    /// Number of boxes along each side of the arena. 0: the square root of the number of robots, rounded up.
    pub boxes: u32,
    /// Number of steps after which another box is drawn. 0: the first box is kept.
    pub interval_steps: u32,
}

impl RandomBoxAggregation {
    /// The box of this step, by column and row.
    fn chosen(&self, boxes: Boxes, swarm: &Swarm) -> (u32, u32) {
        let turn = swarm.scope.step.saturating_sub(1).checked_div(u64::from(self.interval_steps)).unwrap_or(0);
        let mut stream = swarm.random("metric").at_step(turn);
        let mut place = || ((stream.unit() * f64::from(boxes.per_side)) as u32).min(boxes.per_side - 1);
        (place(), place())
    }
}

impl Metric for RandomBoxAggregation {
    type Memory = NoHistory;

    fn label(&self) -> MetricLabel {
        MetricLabel::new("random_box_aggregation_m", "Random box aggregation")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let boxes = Boxes::of(self.boxes, swarm);
        let center = boxes.low_m(self.chosen(boxes, swarm)) + boxes.size_m / 2.0;
        let distances = swarm.positions().iter().map(|at| swarm.distance_m(center, *at));
        values[0] = -distances.max_by(f64::total_cmp).unwrap_or(f64::NAN);
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        let boxes = Boxes::of(self.boxes, swarm);
        let points = boxes.corners_m(self.chosen(boxes, swarm)).to_vec();
        picture.add(Layer::Field, Role::Accent.faint(0.15), Shape::Polygon(points.clone()));
        picture.add(Layer::Field, Role::Accent, Shape::Line { points, closed: true, pen: Width::Pixels(1.5).into() });
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn random_box_aggregation_uses_the_farthest_agent_of_one_box() {
        // One box is the whole arena of the tests, 6 m by 8 m, whatever is drawn.
        let one = RandomBoxAggregation { boxes: 1, ..Default::default() };
        assert_eq!(observe(&one, &at(&[(3.0, 4.0), (3.0, 6.5)])), [-2.5]);
        let [none] = observe(&one, &[]);
        assert!(none.is_nan());
        let four = RandomBoxAggregation { boxes: 2, ..Default::default() };
        let [from_corner] = observe(&four, &at(&[(0.0, 0.0)]));
        let centers =
            [(1.5, 2.0), (4.5, 2.0), (1.5, 6.0), (4.5, 6.0)].map(|(x, y)| -swarmarium_base::math::hypot(x, y));
        assert!(centers.iter().any(|center| (center - from_corner).abs() < 1e-12), "{from_corner}");
    }
}

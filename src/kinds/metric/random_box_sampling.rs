//! Measures how evenly the agents share the arena.

use bevy::prelude::*;
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::metric::geometry::Boxes;
use swarmarium_core::metric::{Metric, MetricLabel, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};

/// Number of boxes of a grid that contain robots, and number that contain exactly one. The arena is divided into
/// about as many boxes as there are robots. Nothing is random; the name is that of RobotSwarmSimulator. Boxes with
/// one robot are drawn. In a periodic arena, a robot is in the box of its coordinates, as in any other arena.
///
/// # Formula
/// ```math
/// n_{\text{occupied}} = \lvert \{ k : m_k \ge 1 \} \rvert
/// \qquad
/// n_{\text{single}} = \lvert \{ k : m_k = 1 \} \rvert
/// ```
/// $m_k$ is the number of robots in box $k$ of the $K \times K$ boxes; $K$ is `boxes`, or with 0 the smallest whole
/// number that is not below $\sqrt{N}$, where $N$ is the number of robots. Robots outside the arena do not count.
///
/// Source: RobotSwarmSimulator `RandomBoxSampling`.
///
/// Range: 0 to N.
#[kind(section = "Spread", words = "even, boxes, occupied")]
pub struct RandomBoxSampling {
    /// Number of boxes along each side of the arena. 0: the square root of the number of robots, rounded up.
    pub boxes: u32,
}

impl RandomBoxSampling {
    /// The number of agents in each occupied box, by column and row.
    fn counts(boxes: Boxes, swarm: &Swarm) -> Vec<((u32, u32), u32)> {
        let mut places: Vec<_> = swarm.positions().iter().filter_map(|at| boxes.at(*at)).collect();
        places.sort_unstable();
        places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
    }
}

impl Metric for RandomBoxSampling {
    type Memory = NoHistory;
    const PARTS: &'static [MetricLabel] =
        &[MetricLabel::new("occupied", "Boxes with robots"), MetricLabel::new("single", "Boxes with one robot")];

    fn label(&self) -> MetricLabel {
        MetricLabel::new("random_box_sampling", "Random box sampling")
    }

    fn observe(&self, _: &mut NoHistory, swarm: &Swarm, values: &mut [f64]) {
        let counts = Self::counts(Boxes::of(self.boxes, swarm), swarm);
        values[0] = counts.len() as f64;
        values[1] = counts.iter().filter(|(_, count)| *count == 1).count() as f64;
    }

    fn draw(&self, _: &NoHistory, swarm: &Swarm, _: &[f64], picture: &mut Picture) {
        let boxes = Boxes::of(self.boxes, swarm);
        for (place, _) in Self::counts(boxes, swarm).into_iter().filter(|(_, count)| *count == 1) {
            let corners = boxes.corners_m(place).to_vec();
            picture.add(Layer::Field, Role::Accent.faint(0.15), Shape::Polygon(corners));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::metric::tests::{at, observe};

    #[test]
    fn random_box_sampling_counts_boxes_with_one_and_with_more_agents() {
        // Four agents have four boxes of 3 m by 4 m.
        let agents = at(&[(1.0, 1.0), (1.0, 2.0), (5.0, 1.0), (1.0, 7.0)]);
        assert_eq!(observe(&RandomBoxSampling::default(), &agents), [3.0, 2.0]);
        assert_eq!(observe(&RandomBoxSampling::default(), &at(&[(7.0, 1.0)])), [0.0, 0.0], "outside");
        assert_eq!(observe(&RandomBoxSampling::default(), &[]), [0.0, 0.0]);
        assert_eq!(observe(&RandomBoxSampling { boxes: 1 }, &agents), [1.0, 0.0]);
    }
}

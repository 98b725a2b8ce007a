//! How evenly agents share the arena.

use bevy::prelude::*;
use swarmarium_core::metric::geometry::Boxes;
use swarmarium_core::metric::{Metric, NoHistory, Swarm};
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Layer, Picture, Shape};

metric_kind! {
    /// The arena divided into about as many boxes as there are agents: how many boxes hold an agent, and how many hold
    /// one alone (RobotSwarmSimulator `RandomBoxSampling`, in which nothing is random). Drawn as the boxes with one
    /// agent. In a periodic arena, an agent is in the box of its coordinates, as in any other.
    RandomBoxSampling {
        /// Boxes along each side of the arena; 0 for the root of the number of agents.
        boxes: u32 = 0,
    }
}

impl RandomBoxSampling {
    /// How many agents are in each box that has some, by column and line.
    fn counts(boxes: Boxes, swarm: &Swarm) -> Vec<((u32, u32), u32)> {
        let mut places: Vec<_> = swarm.positions().iter().filter_map(|at| boxes.at(*at)).collect();
        places.sort_unstable();
        places.chunk_by(|a, b| a == b).map(|same| (same[0], same.len() as u32)).collect()
    }
}

impl Metric for RandomBoxSampling {
    type Memory = NoHistory;
    const PARTS: &'static [&'static str] = &["occupied", "single"];

    fn label(&self) -> &'static str {
        "random_box_sampling"
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
    fn boxes_with_one_agent_and_with_more_are_counted() {
        // Four agents have four boxes of 3 m by 4 m.
        let agents = at(&[(1.0, 1.0), (1.0, 2.0), (5.0, 1.0), (1.0, 7.0)]);
        assert_eq!(observe(&RandomBoxSampling::default(), &agents), [3.0, 2.0]);
        assert_eq!(observe(&RandomBoxSampling::default(), &at(&[(7.0, 1.0)])), [0.0, 0.0], "outside");
        assert_eq!(observe(&RandomBoxSampling::default(), &[]), [0.0, 0.0]);
        assert_eq!(observe(&RandomBoxSampling { boxes: 1 }, &agents), [1.0, 0.0]);
    }
}

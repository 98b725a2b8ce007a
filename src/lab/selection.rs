//! What is selected: by a click in the world, in the tree, or with a key.

use bevy::math::DVec2;

use crate::id::StableId;
use crate::simulation::Simulation;
use crate::step::CurrentSpace;

/// Something that can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Item {
    /// An agent, by its number.
    Agent(u32),
    /// A group, by its place in the scene.
    Group(usize),
    /// An object, by its place in the scene.
    Object(usize),
    /// The spawner of a group, by the place of the group.
    Spawner(usize),
    /// A metric, by its place in the scene.
    Metric(usize),
    /// The arena, the clock and what else belongs to the scene as a whole.
    Scene,
}

impl Item {
    /// The agent.
    pub fn agent(self) -> Option<StableId> {
        match self {
            Self::Agent(number) => Some(StableId::agent(number)),
            _ => None,
        }
    }

    /// Whether it is there.
    pub fn exists(self, simulation: &Simulation) -> bool {
        let scene = simulation.scene();
        match self {
            Self::Agent(number) => simulation.agent(number).is_some(),
            Self::Group(place) | Self::Spawner(place) => place < scene.groups.len(),
            Self::Object(place) => place < scene.objects.len() && !scene.is_gone(place),
            Self::Metric(place) => place < scene.metrics.len(),
            Self::Scene => true,
        }
    }
}

/// Beyond the body of an agent, a click this near still means it, in points.
const SLACK_PX: f64 = 4.0;

/// The agent at a point of the world: the nearest of those whose body is there or almost there.
pub fn agent_at(simulation: &Simulation, point_m: DVec2, pixels_per_m: f64) -> Option<Item> {
    let gap = |agent: &crate::simulation::AgentView| {
        let reach_m = (agent.body().radius_m() * 1.1).max(agent.body().radius_m() + SLACK_PX / pixels_per_m);
        let distance_m = agent.pose.position_m.distance(point_m);
        (distance_m <= reach_m).then_some((distance_m, agent.id.index()))
    };
    let nearest = simulation.agents().filter_map(|agent| gap(&agent)).min_by(|a, b| a.0.total_cmp(&b.0))?;
    Some(Item::Agent(nearest.1))
}

/// The obstacle at a point of the world; regions and goals lie on the ground and are none.
pub fn obstacle_at(simulation: &Simulation, point_m: DVec2) -> Option<Item> {
    let CurrentSpace(space) = simulation.world().resource::<CurrentSpace>();
    let solid = space.solids.at(&space.arena, point_m, |_| true)?;
    space.owner_of(solid).map(Item::Object)
}

/// The agent after another one, or before it; the first or the last after none.
pub fn next_agent(simulation: &Simulation, after: Option<u32>, back: bool) -> Option<Item> {
    let numbers: Vec<u32> = simulation.agents().map(|agent| agent.id.index()).collect();
    let place = after.and_then(|number| numbers.iter().position(|known| *known == number));
    let count = numbers.len();
    let next = match (place, back) {
        _ if count == 0 => return None,
        (None, false) => 0,
        (None, true) => count - 1,
        (Some(place), false) => (place + 1) % count,
        (Some(place), true) => (place + count - 1) % count,
    };
    Some(Item::Agent(numbers[next]))
}

//! Helpers of metrics for goals and regions.

use std::collections::{BTreeMap, BTreeSet};

use bevy::math::DVec2;

use swarmarium_core::agent::name::Name;
use swarmarium_core::metric::{Census, Swarm};
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::region::Region;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::check::unknown;
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::description::{Group, OverlapResolution};
use swarmarium_space::{Thing, ThingKind};

use crate::controller::supervisor::Supervisor;
use crate::sensor::overlap::Overlap;

/// The goals of this name, or all goals if it is empty.
fn goals<'a>(name: &str, swarm: &Swarm<'a>) -> impl Iterator<Item = &'a Thing> {
    swarm
        .space
        .things
        .iter()
        .filter(move |thing| thing.what == ThingKind::Goal && (name.is_empty() || thing.name == name))
}

/// The vector (m) from one agent to its goal, and the heading (rad) of the agent: to the goal of this name, or, if the
/// name is empty, to the goal of its supervisor. In a periodic arena it is the shortest one. `None` without such an
/// agent or goal.
pub fn way_to_goal(census: Census, agent: u32, goal: &str) -> Option<(DVec2, f64)> {
    let agent = AgentView::seen(census, agent)?;
    let things = &census.all().things;
    let goal_m = match goal {
        "" => agent.component::<Supervisor>()?.goal_m(things),
        name => things.iter().find(|thing| thing.what == ThingKind::Goal && thing.name == name)?.position,
    };
    Some((census.all().arena.offset(agent.pose.position_m, goal_m), agent.pose.heading_rad))
}

/// The number of agents that are at a goal, and the number that have reached one so far.
pub fn at_goal(name: &str, swarm: &Swarm) -> [usize; 2] {
    let is_seen = |agent: &u32| swarm.space.bodies.row_of(*agent).is_some();
    let now: BTreeSet<u32> = goals(name, swarm).flat_map(|goal| &goal.inside).copied().filter(is_seen).collect();
    [now.len(), first_arrivals(name, swarm).len()]
}

/// The step in which each agent first reached a goal, by number of the agent.
pub fn first_arrivals(name: &str, swarm: &Swarm) -> BTreeMap<u32, u64> {
    let mut first: BTreeMap<u32, u64> = BTreeMap::new();
    for arrival in goals(name, swarm).flat_map(|goal| &goal.arrivals) {
        if swarm.space.bodies.row_of(arrival.agent).is_some() {
            let step = first.entry(arrival.agent).or_insert(arrival.step);
            *step = arrival.step.min(*step);
        }
    }
    first
}

/// The number of agents in the regions and goals of this name. Without such a region or goal, the number of agents that
/// the first agent of this name collides with.
pub fn inside(name: &str, swarm: &Swarm) -> usize {
    let bodies = &swarm.space.bodies;
    let is_area = |thing: &&Thing| matches!(thing.what, ThingKind::Goal | ThingKind::Region) && thing.name == name;
    let mut areas = swarm.space.things.iter().filter(is_area).peekable();
    if areas.peek().is_none() {
        let first = Name::of(name).and_then(|name| bodies.owners().iter().position(|owner| name.is_of(*owner)));
        return first.map_or(0, |row| bodies.collided()[row] as usize);
    }
    let agents = areas.flat_map(|thing| &thing.inside).copied();
    agents.filter(|agent| bodies.row_of(*agent).is_some()).collect::<BTreeSet<_>>().len()
}

/// The problem with the `goal` of a metric, if the scene has no goal of that name.
pub fn unknown_goal(name: &str, scene: &Scene) -> Option<(&'static str, String)> {
    unknown("goal", name, scene, |object| object.is::<Goal>()).map(|message| ("goal", message))
}

/// The problem with the name of a region, goal or agent by which a metric counts agents, if the scene has none of that
/// name.
pub fn unknown_area(name: &str, scene: &Scene) -> Option<String> {
    let wrong = unknown("region or goal", name, scene, |object| object.is::<Goal>() || object.is::<Region>())?;
    if scene.unknown_robot(name).is_some() {
        return Some(wrong);
    }
    let group = |group: &&Group| group.name == name || name.rsplit_once('-').is_some_and(|(of, _)| group.name == of);
    let counts = |group: &Group| group.sensors.iter().any(|sensor| sensor.value().is::<Overlap>());
    let is_counted =
        scene.overlap_resolution == OverlapResolution::Classic || scene.groups.iter().find(group).is_some_and(counts);
    (!is_counted).then(|| format!("`{name}` counts no robots: it needs the sensor `Overlap`"))
}

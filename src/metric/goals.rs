//! What several metrics ask of goals.

use std::collections::{BTreeMap, BTreeSet};

use super::Swarm;
use crate::object::goal::Goal;
use crate::scene::Scene;
use crate::scene::reader::suggestion;
use crate::space::{Thing, What};

/// The goals of this name, or all when it is empty.
fn goals<'a>(name: &str, swarm: &Swarm<'a>) -> impl Iterator<Item = &'a Thing> {
    swarm.space.things.iter().filter(move |thing| thing.what == What::Goal && (name.is_empty() || thing.name == name))
}

/// How many agents are at a goal now, and how many have come to one so far.
pub fn at_goal(name: &str, swarm: &Swarm) -> [usize; 2] {
    let is_seen = |agent: &u32| swarm.space.bodies.row_of(*agent).is_some();
    let now: BTreeSet<u32> = goals(name, swarm).flat_map(|goal| &goal.inside).copied().filter(is_seen).collect();
    [now.len(), first_arrivals(name, swarm).len()]
}

/// The step at which each agent that has come to a goal first did, by number.
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

/// What is wrong with the `goal` of a metric when the scene has none of that name.
pub fn unknown_goal(name: &str, scene: &Scene) -> Option<(&'static str, String)> {
    let goals = scene.objects.iter().filter(|object| object.value().is::<Goal>());
    let names: Vec<&str> = goals.map(|goal| goal.common().name.as_str()).filter(|name| !name.is_empty()).collect();
    let is_unknown = !name.is_empty() && !names.contains(&name);
    is_unknown.then(|| ("goal", format!("unknown goal `{name}`{}", suggestion(name, &names))))
}

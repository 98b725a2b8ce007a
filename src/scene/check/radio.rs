//! Checks of the radios of a scene that go beyond the limits of single numbers.

use std::f64::consts::PI;

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::radio::{LossKinds, Radio, Schedule};
use swarmarium_core::step::order::Delivery;

use crate::scene::Scene;

/// The largest number of pairs of radios in range of each other: each radio keeps a packet of each other one.
const MOST_PAIRS: f64 = 10_000_000.0;

/// The problems of the radios of a scene.
pub(super) fn problems(world: &World, scene: &Scene) -> Vec<Problem> {
    let mut problems: Vec<_> = too_many(world.resource::<LossKinds>(), scene).into_iter().collect();
    for (index, group) in scene.groups.iter().enumerate() {
        let Some(radio) = &group.radio else { continue };
        let at = |path: &str| format!("groups[{index}].radio.{path}");
        let mut add = |path: String, message: String| problems.push(Problem::of_field(path, message));
        for (field, time_s) in at_least_a_step(radio) {
            if time_s < scene.time.dt_s * (1.0 - 1e-9) {
                let dt_s = scene.time.dt_s;
                add(at(field), format!("expected at least the {dt_s} s of a step, found {time_s}"));
            }
        }
        if let Schedule::Random { min_s, max_s } = radio.schedule
            && min_s > max_s
        {
            add(at("schedule.max_s"), format!("expected at least `min_s`, which is {min_s}, found {max_s}"));
        }
        if radio.packet_collisions && scene.delivery == Delivery::SameStep {
            add(
                at("packet_collisions"),
                "packets cannot collide with `delivery: SameStep`: they are sent in turn".into(),
            );
        }
        for (place, link) in radio.links.iter().enumerate() {
            for (end, name) in [("from", &link.from), ("to", &link.to)] {
                if !name.is_empty()
                    && let Some(message) = scene.unknown_robot(name)
                {
                    add(at(&format!("links[{place}].{end}")), message);
                }
            }
        }
    }
    problems
}

/// The problem that more radios are in range of each other than fit into memory, for evenly spread robots.
fn too_many(losses: &LossKinds, scene: &Scene) -> Option<Problem> {
    let radios = || scene.groups.iter().filter_map(|group| Some((group.radio.as_ref()?, f64::from(group.agents()))));
    let all: f64 = radios().map(|(_, agents)| agents).sum();
    let share = |radio: &Radio| {
        let links = std::iter::once(&radio.loss).chain(radio.links.iter().map(|link| &link.loss));
        let reach_m = links.filter_map(|loss| losses.of(loss)).map(|loss| loss.reach_m).fold(0.0, f64::max);
        (PI * reach_m * reach_m / (scene.arena.size_m.x * scene.arena.size_m.y)).min(1.0)
    };
    let pairs: f64 = radios().map(|(radio, agents)| agents * share(radio) * all).sum();
    let message =
        || format!("at most {MOST_PAIRS} pairs of radios can hear each other, found {pairs:.0}: use a shorter range");
    (pairs > MOST_PAIRS).then(|| Problem::of_field("groups", message()))
}

fn at_least_a_step(radio: &Radio) -> [(&'static str, f64); 2] {
    let interval = match radio.schedule {
        Schedule::Periodic { period_s, .. } => ("schedule.period_s", period_s),
        Schedule::Random { min_s, .. } => ("schedule.min_s", min_s),
    };
    [interval, ("max_age_s", radio.max_age_s)]
}

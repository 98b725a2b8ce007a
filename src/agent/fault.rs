//! Faults: what goes wrong with robots, at times that the scene states.

use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use super::contact::{self, Dead};
use crate::clock::rate;
use crate::kind::{Limits, Required};
use crate::scene::Scene;
use crate::scene::problem::Problem;
use crate::sensor::sight::Name;
use crate::step::{Agents, CurrentSpace, SimTime};

/// The latest time of a fault, in seconds.
const MOST_S: f64 = 1e9;

/// Something that goes wrong with a robot, or with all of a group.
#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Fault {
    /// Simulated time, to the nearest step.
    #[reflect(@Limits::between(0.0, MOST_S))]
    pub at_s: f64,
    /// A group, or one robot such as `prey-3`.
    #[reflect(@Required)]
    pub who: String,
    /// What goes wrong.
    pub what: Failure,
}

/// What can go wrong with a robot.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[reflect(Default, Clone)]
pub enum Failure {
    /// It neither moves nor senses nor sends any more, and is in the way.
    #[default]
    Dies,
}

/// All faults, with their steps. No state: they follow from the scene.
#[derive(Resource, Default)]
struct Schedule(Vec<(u64, Name, Failure)>);

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<Schedule>();
}

/// Takes note of the faults of a scene.
pub(crate) fn lay_out(world: &mut World, scene: &Scene) {
    let due = |fault: &Fault| {
        // What is wrong from the start is so from the first step on.
        let step = rate::nearest_step(fault.at_s, scene.time.dt_s) as u64;
        Some((step, Name::of(&fault.who)?, fault.what))
    };
    world.insert_resource(Schedule(scene.faults.iter().filter_map(due).collect()));
}

/// What is wrong with the faults of a scene.
pub(crate) fn problems(scene: &Scene) -> Vec<Problem> {
    let problem = |(place, fault): (usize, &Fault)| {
        let message = match fault.who.as_str() {
            "" => "name a group, or one robot such as `prey-3`".into(),
            who => scene.unknown_robot(who)?,
        };
        Some(Problem { place: None, path: format!("faults[{place}].who"), message })
    };
    scene.faults.iter().enumerate().filter_map(problem).collect()
}

/// Lets happen what is due at the start of a step. Called for each step, and not a system: that alone would cost small
/// worlds more than all their faults.
pub(crate) fn strike(world: &mut World) {
    let faults = &world.resource::<Schedule>().0;
    if faults.is_empty() {
        return;
    }
    let step = world.resource::<SimTime>().step;
    let due = faults.iter().filter(|(at_step, ..)| *at_step == step);
    let who = world.resource::<CurrentSpace>().bodies.who().iter().enumerate();
    let struck: Vec<_> = due
        .flat_map(|(_, name, what)| who.clone().filter(|(_, who)| name.is_of(**who)).map(|(row, _)| (row, *what)))
        .collect();
    for (row, what) in struck {
        let Some(&agent) = world.resource::<Agents>().0.get(row) else { continue };
        match what {
            Failure::Dies if !world.entity(agent).contains::<Dead>() => contact::die(world, row, agent),
            Failure::Dies => {}
        }
    }
}

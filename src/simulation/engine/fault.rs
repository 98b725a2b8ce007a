//! Faults of robots at times given by the scene.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::contact::Anchored;
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent::failure::{Blind, Deaf, Failure, Fault, Frozen};
use swarmarium_core::agent::name::Name;
use swarmarium_core::events::EventKind;
use swarmarium_core::kind::{Family as _, Kinds};
use swarmarium_core::motion::MotionFamily;
use swarmarium_core::radio::Inbox;
use swarmarium_core::sensor;
use swarmarium_core::state::RegisterState as _;
use swarmarium_core::step::HasArena as _;
use swarmarium_core::time::rate;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::scene::Scene;

use super::contact;

/// All faults with their steps. Not state: they follow from the scene.
#[derive(Resource, Default)]
struct PlannedFaults(Vec<(u64, Name, Failure)>);

pub(super) fn plugin(app: &mut App) {
    app.init_resource::<PlannedFaults>();
    app.register_state::<Frozen>("frozen").register_state::<Deaf>("deaf").register_state::<Blind>("blind");
}

/// Schedules the faults of a scene.
pub(crate) fn set_up(world: &mut World, scene: &Scene) {
    let due = |fault: &Fault| {
        // Faults at the start take effect in the first step.
        let step = rate::nearest_step(fault.at_s, scene.time.dt_s) as u64;
        Some((step, Name::of(&fault.target)?, fault.failure))
    };
    let faults = PlannedFaults(scene.faults.iter().filter_map(due).collect());
    world.arena_mut().has_faults = !faults.0.is_empty();
    world.insert_resource(faults);
}

/// Applies the faults that are due at the start of a step.
pub(crate) fn apply_due(world: &mut World) {
    let faults = &world.resource::<PlannedFaults>().0;
    let step = world.arena().time.step;
    let due = faults.iter().filter(|(at_step, ..)| *at_step == step);
    let who = world.arena().space.bodies.owners().iter().enumerate();
    let struck: Vec<_> = due
        .flat_map(|(_, name, what)| who.clone().filter(|(_, who)| name.is_of(**who)).map(|(row, _)| (row, *what)))
        .collect();
    for (row, what) in struck {
        if let Some(&agent) = world.arena().agents.get(row) {
            let who = world.get::<StableId>(agent).copied().filter(|_| !what.is_of(world.entity(agent)));
            set(world, (row, agent), what, true);
            if let Some(who) = who {
                world.arena_mut().events.push(step, who, EventKind::Fault, what.event());
            }
        }
    }
}

/// Sets or clears a failure of the agent in a row.
pub(crate) fn set(world: &mut World, (row, agent): (usize, Entity), failure: Failure, is_active: bool) {
    if failure.is_of(world.entity(agent)) == is_active {
        return;
    }
    match failure {
        Failure::Total if is_active => contact::die(world, row, agent),
        Failure::Total => revive(world, agent),
        Failure::Motors => put(world, agent, Frozen, is_active),
        Failure::Receiver => {
            put(world, agent, Deaf, is_active);
            let mut agent = world.entity_mut(agent);
            if is_active && agent.contains::<Inbox>() {
                agent.insert(Inbox::default());
            }
        }
        Failure::Sensors => {
            put(world, agent, Blind, is_active);
            for sensor in contact::sensors_of(world, agent) {
                put(world, sensor, Blind, is_active);
                if is_active {
                    sensor::blank(world, sensor);
                }
            }
        }
    }
}

fn put<F: Component>(world: &mut World, entity: Entity, fault: F, is_on: bool) {
    let mut entity = world.entity_mut(entity);
    if is_on {
        entity.insert(fault);
    } else {
        entity.remove::<F>();
    }
}

/// Revives a dead agent in place.
fn revive(world: &mut World, agent: Entity) {
    for sensor in contact::sensors_of(world, agent) {
        world.entity_mut(sensor).remove::<Dead>();
    }
    let motion = AgentView::of(world, agent).map(|agent| agent.parts().motion);
    world.entity_mut(agent).remove::<(Dead, Anchored)>();
    // Restores the anchor of motion models that are not pushed.
    let kinds = world.resource::<Kinds>().clone();
    if let Some((motion, kind)) =
        motion.and_then(|motion| kinds.of_value(MotionFamily::NAME, motion.value()).map(|kind| (motion.clone(), kind)))
    {
        (kind.attach)(&mut world.entity_mut(agent), motion.value());
    }
}

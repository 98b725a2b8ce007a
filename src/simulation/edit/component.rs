//! Edits of components: calls of services and data from clients.

use bevy::prelude::*;
use swarmarium_base::problem::Problem;
use swarmarium_core::actuator::{INTERRUPT, Memory};
use swarmarium_core::agent::Command;
use swarmarium_core::controller::external::Orders;
use swarmarium_core::sensor;
use swarmarium_core::service::{ComponentId, ComponentSlot, ServiceError};
use swarmarium_scene::component::handle::{Handle, sensor};
use swarmarium_scene::component::naming;

use super::Edit;

/// Checks an edit that calls a service or feeds an actuator; nothing is changed.
///
/// # Errors
/// If the edit is not valid.
pub(super) fn check(world: &World, edit: &Edit) -> Result<(), Problem> {
    match edit {
        Edit::Call { component, .. } | Edit::Feed { component, .. } => {
            let problem = |error: ServiceError| Problem::of_field(component.clone(), error.to_string());
            let Some((id, agent)) = naming::find(world, component) else {
                return Err(Problem::of_file(format!("there is no component `{component}`")));
            };
            attempt(world, edit, id, agent).map(drop).map_err(problem)
        }
        _ => Ok(()),
    }
}

/// The memory of an actuator after an edit; `None` for a sensor.
fn attempt(world: &World, edit: &Edit, id: ComponentId, agent: Entity) -> Result<Option<Memory>, ServiceError> {
    match (id.slot, edit) {
        (ComponentSlot::Actuator(slot), edit) => {
            let handle = Handle::of(world, agent, slot).ok_or(ServiceError::Gone)?;
            let mut memory = handle.memory();
            match edit {
                Edit::Call { service, arguments, .. } => handle.call(&mut memory, service, arguments).map(drop)?,
                Edit::Feed { fields, .. } => handle.feed(&mut memory, fields)?,
                _ => {}
            }
            memory.owes |= handle.actuator().common().active;
            Ok(Some(memory))
        }
        (ComponentSlot::Sensor(slot), Edit::Call { service, arguments, .. }) => {
            let sensor = world
                .get_entity(sensor(world, agent, slot).ok_or(ServiceError::Gone)?)
                .map_err(|_| ServiceError::Gone)?;
            sensor::ask(world, sensor, &mut None, (service, arguments)).map(|_| None)
        }
        (ComponentSlot::Sensor(_), _) => Err(ServiceError::TakesNoCommands),
    }
}

fn is_interrupt(edit: &Edit) -> bool {
    matches!(edit, Edit::Call { service, .. } if service == INTERRUPT)
}

/// Applies an edit of a component. It was checked when it was queued.
pub(super) fn apply(world: &mut World, edit: &Edit) {
    let (Edit::Call { component, .. } | Edit::Feed { component, .. }) = edit else { return };
    let Some((id, agent)) = naming::find(world, component) else { return };
    match (id.slot, edit) {
        (ComponentSlot::Actuator(slot), edit) => {
            let Ok(Some(memory)) = attempt(world, edit, id, agent) else { return };
            let Some(mut orders) = world.get_mut::<Orders>(agent) else { return };
            let before = std::mem::replace(orders.actuator_mut(usize::from(slot)), memory);
            // Movement controlled by the task that ends here stops until the actuator acts again.
            if is_interrupt(edit) && before.is_busy {
                orders.stand_still();
                if let Some(mut command) = world.get_mut::<Command>(agent) {
                    *command = Command::default();
                }
            }
        }
        (ComponentSlot::Sensor(slot), Edit::Call { service, arguments, .. }) => {
            if let Some(sensor) = sensor(world, agent, slot) {
                // The client received the answer when it made the call.
                _ = sensor::call(world, sensor, service, arguments);
            }
        }
        (ComponentSlot::Sensor(_), _) => {}
    }
}

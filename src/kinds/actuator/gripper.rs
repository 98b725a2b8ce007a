//! Closes and opens the gripper of a robot.

use bevy::prelude::*;
use swarmarium_core::actuator::{Actuation, Actuator, Field, Memory, Robot};
use swarmarium_core::agent::contact::Dead;
use swarmarium_core::agent::outputs::Outputs;
use swarmarium_core::controller::external::{External, Orders};
use swarmarium_core::kind::{SearchWords, kind};
use swarmarium_core::service::{About, Service, ServiceError, Value};
use swarmarium_core::step::plan::StepContext;

/// Closes and opens the gripper of the robot (MORSE `Gripper`), which is the part `gripper` of its group. The robot must
/// have one.
///
/// The service `grab` closes it if an object is in its reach, and returns the name of this object, or of the one that it
/// holds already; otherwise nothing. `release` opens it, and returns whether it held something. The field `grab` of its
/// stream closes and opens it at any time: it then grasps the first object that comes into its reach.
#[kind(Copy, section = "Acting", words = "grab, hold, carry, claw")]
pub struct Gripper {}

impl Actuator for Gripper {
    const ABOUT: About = About {
        class: "Gripper",
        services: &[
            Service { name: "grab", parameters: &[], sets: None, is_task: false },
            Service { name: "release", parameters: &[], sets: None, is_task: false },
        ],
        properties: &[],
    };
    const FIELDS: &'static [Field] = &[Field { name: "grab", default: 0.0, is_flag: true }];
    const NEEDS_GRIPPER: bool = true;

    fn act(&self, _: &Robot, memory: &mut Memory) -> Actuation {
        // It takes effect now, and not with the command: messages can be late, and the actuator slow.
        memory.kept.clone_from(&memory.values);
        Actuation::default()
    }

    fn call(&self, robot: &Robot, memory: &mut Memory, service: &Service, _: &[Value]) -> Result<Value, ServiceError> {
        let (held, [grabs]) = (robot.space.held_by(robot.row), memory.numbers());
        if service.name == "release" {
            let has_held = held.is_some() || grabs != 0.0 && robot.graspable.is_some();
            memory.tell(&[0.0]);
            return Ok(has_held.into());
        }
        let Some(object) = held.or(robot.graspable) else { return Ok(Value::Null) };
        memory.tell(&[1.0]);
        Ok(robot.space.name_of_thing(object).into())
    }
}

/// Passes the states of these actuators on to the grippers of robots: that of one agent, or of all.
pub(super) fn operate(
    InMut(StepContext { turn, .. }): InMut<StepContext>,
    mut robots: Query<(&External, &Orders, &mut Outputs), Without<Dead>>,
) {
    let operate = |(external, orders, mut outputs): (&External, &Orders, Mut<Outputs>)| {
        for (slot, actuator) in external.actuators.iter().enumerate() {
            let state = || orders.actuator(slot)?.kept.first().map(|grabs| *grabs != 0.0);
            if actuator.value().is::<Gripper>()
                && let Some(grips) = state()
                && outputs.grips != grips
            {
                outputs.grips = grips;
            }
        }
    };
    match *turn {
        Some(agent) => drop(robots.get_mut(agent).map(operate)),
        None => robots.iter_mut().for_each(operate),
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_core::service::Value;

    use crate::actuator::tests::{call, feed, led_by, pass};

    const PART: &str = "motion: Holonomic(), body: Disc(radius_m: 0.1), gripper: (reach_m: 0.1)";

    #[test]
    fn gripper_grabs_and_releases_as_in_morse() {
        let box_at = |x_m: f64| {
            let scene = format!(
                "objects: [Disc(name: \"cup\", center_m: ({x_m}, 0.0), radius_m: 0.05, movable: (mass_kg: 0.1))]"
            );
            led_by("Gripper(links: [Services()])", PART, &scene)
        };
        let mut far = box_at(0.5);
        assert_eq!(call(&mut far, 0, "grab", &[]), Value::Null);
        pass(&mut far, 0.1);
        assert_eq!(call(&mut far, 0, "release", &[]), Value::Bool(false));
        let mut near = box_at(0.2);
        assert_eq!(call(&mut near, 0, "grab", &[]), Value::Text("cup".into()));
        assert_eq!(near.space().held_by(0), None, "from the next step on");
        pass(&mut near, 0.1);
        assert_eq!(near.space().held_by(0), Some(0));
        assert_eq!(call(&mut near, 0, "grab", &[]), Value::Text("cup".into()));
        pass(&mut near, 0.1);
        assert_eq!(call(&mut near, 0, "release", &[]), Value::Bool(true));
        pass(&mut near, 0.1);
        assert_eq!(near.space().held_by(0), None);
        feed(&mut near, 0, &[("grab", 1.0)]);
        pass(&mut near, 0.1);
        assert_eq!(near.space().held_by(0), Some(0));
    }
}

//! The LEDs of a robot.

use bevy::prelude::*;
use swarmarium_picture::palette::Role;

use crate::agent::Row;
use crate::agent::outputs::Outputs;
use crate::state::RegisterState as _;
use crate::step::HasArena as _;
use crate::step::plan::{AddKernel as _, Duty, StepContext};

/// Adds the LEDs of robots.
pub fn plugin(app: &mut App) {
    app.register_parameters::<Leds>("leds");
    let kind = app.world_mut().register_component::<Leds>();
    app.add_kernel(Duty::Move, kind, light_up);
}

/// The LEDs of a robot, which all have one colour. Cameras see it, and pictures show it as a ring. Controllers and
/// programs switch them by the outputs of the robot.
#[derive(Component, Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
#[require(Outputs)]
pub struct Leds {
    /// Colour at the start, such as `#56b4e9` or `orange`; empty: off.
    pub color: String,
}

impl Leds {
    /// The outputs of a robot before its controller sets them.
    pub fn outputs(&self) -> Outputs {
        Outputs { led: Role::named(&self.color).map(Role::seen).filter(|color| *color != [0; 3]), ..Outputs::default() }
    }

    /// Gives these LEDs, with their colour at the start, to a robot in place of its present ones.
    pub fn take_place(&self, robot: &mut EntityWorldMut) {
        let led = self.outputs().led;
        robot.insert(self.clone());
        if let Some(mut outputs) = robot.get_mut::<Outputs>() {
            outputs.led = led;
        }
    }

    /// Removes the LEDs of a robot.
    pub fn remove_from(robot: &mut EntityWorldMut) {
        robot.remove::<Self>();
        if let Some(mut outputs) = robot.get_mut::<Outputs>() {
            outputs.led = None;
        }
    }

    /// The problem of its colour.
    pub fn problem(&self) -> Option<String> {
        let is_fine = self.color.is_empty() || Role::named(&self.color).is_some();
        (!is_fine).then(|| Role::no_color(&self.color))
    }
}

/// Shows the outputs of robots with LEDs to the sensors of this step: those of one robot, or of all.
fn light_up(InMut(StepContext { arena, turn, .. }): InMut<StepContext>, robots: Query<(&Row, &Outputs), With<Leds>>) {
    let bodies = &mut arena.space.bodies;
    match *turn {
        Some(robot) => {
            if let Ok((row, outputs)) = robots.get(robot) {
                bodies.set_led(row.0 as usize, outputs.led);
            }
        }
        None => robots.iter().for_each(|(row, outputs)| bodies.set_led(row.0 as usize, outputs.led)),
    }
}

/// Shows the outputs of all robots with LEDs, after robots were added or changed.
pub fn light_up_all(world: &mut World) {
    let mut robots = world.query_filtered::<(&Row, &Outputs), With<Leds>>();
    let colors: Vec<_> = robots.iter(world).map(|(row, outputs)| (row.0 as usize, outputs.led)).collect();
    let bodies = &mut world.arena_mut().space.bodies;
    for (row, color) in colors {
        bodies.set_led(row, color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn leds_start_with_their_colour() {
        let led = |color: &str| Leds { color: color.into() }.outputs().led;
        assert_eq!([led(""), led("#ff8000"), led("#000000")], [None, Some([255, 128, 0]), None]);
        assert!(Leds { color: "reddish".into() }.problem().is_some() && Leds::default().problem().is_none());
    }
}

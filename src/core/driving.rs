//! Manual driving: keys and sticks, and the controllers and actuators that follow them.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

/// Keys that drive a robot: ahead, left, back and right.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Keys {
    /// No keys.
    Off,
    /// W, A, S and D.
    #[default]
    Wasd,
    /// The arrows.
    Arrows,
    /// I, J, K and L.
    Ijkl,
}

/// Deflection of a stick, or the equivalent of pressed keys.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Held {
    /// From -1 (back) to 1 (ahead).
    #[reflect(@Limits::between(-1.0, 1.0))]
    pub ahead: f64,
    /// From -1 (right) to 1 (left).
    #[reflect(@Limits::between(-1.0, 1.0))]
    pub left: f64,
}

/// Input devices of a controller or actuator that supports manual driving.
///
/// A kind supports it if it has the fields `keys`, `gamepad` and `held` of the types in this module.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driven {
    /// Keys that drive it.
    pub keys: Keys,
    /// Gamepad that also drives it, counted from 1; 0 for none.
    pub gamepad: u32,
}

impl Driven {
    /// Input devices of a controller or an actuator; `None` if it does not support manual driving.
    pub fn of(kind: &dyn Reflect) -> Option<Self> {
        let fields = kind.reflect_ref().as_struct().ok()?;
        fields.field("held")?.try_downcast_ref::<Held>()?;
        let keys = fields.field("keys")?.try_downcast_ref().copied()?;
        Some(Self { keys, gamepad: fields.field("gamepad")?.try_downcast_ref().copied()? })
    }
}

//! Driving by hand: the keys and sticks that are held, and the controllers and actuators that follow them.

use bevy::prelude::*;
use swarmarium_base::limits::Limits;

/// The keys that drive a robot: ahead, left, back and right.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub enum Keys {
    /// None.
    Off,
    /// W, A, S and D.
    #[default]
    Wasd,
    /// The arrows.
    Arrows,
    /// I, J, K and L.
    Ijkl,
}

/// How far a stick is pushed, or which keys are held.
#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
#[reflect(Default, Clone)]
pub struct Held {
    /// From -1, back, to 1, ahead.
    #[reflect(@Limits::between(-1.0, 1.0))]
    pub ahead: f64,
    /// From -1, right, to 1, left.
    #[reflect(@Limits::between(-1.0, 1.0))]
    pub left: f64,
}

/// How a controller or an actuator that can be driven by hand is driven.
///
/// A kind can be driven when it has the fields `keys`, `gamepad` and `held` of the types here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Driven {
    /// The keys that drive it.
    pub keys: Keys,
    /// The gamepad that drives it too, counted from 1; 0 is none.
    pub gamepad: u32,
}

impl Driven {
    /// How a controller or an actuator is driven; `None` when it cannot be.
    pub fn of(kind: &dyn Reflect) -> Option<Self> {
        let fields = kind.reflect_ref().as_struct().ok()?;
        fields.field("held")?.try_downcast_ref::<Held>()?;
        let keys = fields.field("keys")?.try_downcast_ref().copied()?;
        Some(Self { keys, gamepad: fields.field("gamepad")?.try_downcast_ref().copied()? })
    }
}

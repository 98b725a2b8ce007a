//! Components that belong to the tables of a step.

use bevy::math::DVec2;
use bevy::prelude::*;

/// Centre (m) of the broad-phase box of an agent with `overlap_resolution: Classic`: its position before its last move.
#[derive(Component, Reflect, Clone, Copy, Debug, PartialEq)]
pub struct BoxCenter(pub DVec2);

/// Marks the agents of a world in which they can push objects. A cache.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct Pushes;

/// Marks active objects and their sensors, which act after the agents. A cache.
#[derive(Component, Clone, Copy, Debug, Default)]
pub struct ActsLater;

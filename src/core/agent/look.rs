//! The look of agents.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_picture::palette::{RANDOM, Role};

use crate::random::Seed;

/// What agents look like. Nothing that happens depends on it.
///
/// A colour is a text: `#56b4e9`, one of the palette such as `orange`, a role such as `dim`; empty for that of the group.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Look {
    /// Colour of the body; `random` gives each agent one of the palette.
    pub color: String,
    /// Whether the body is filled, or an outline.
    pub filled: bool,
    /// How long the trail is, in simulated time; 0 for none.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub trail_s: f64,
    /// Colour of the trail, or `random`; empty for that of the body.
    pub trail_color: String,
}

impl Default for Look {
    fn default() -> Self {
        Self { color: String::new(), filled: true, trail_s: 0.0, trail_color: String::new() }
    }
}

/// The colour of this name; `random` is one of the palette for each agent and object.
pub fn own_color(world: &World, id: Option<&StableId>, name: &str) -> Option<Role> {
    if name != RANDOM {
        return Role::named(name);
    }
    let id = id.copied().unwrap_or(StableId::agent(0));
    let drawn = world.resource::<Seed>().stream(id, "color").unit();
    Some(Role::any_of_palette((drawn * 1e9) as u64))
}

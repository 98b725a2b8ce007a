//! The appearance of agents.

use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::limits::Limits;
use swarmarium_picture::palette::{RANDOM, Role};

use crate::random::Seed;

/// The appearance of agents. It has no effect on results.
///
/// A colour is a hex code such as `#56b4e9`, a palette name such as `orange`, or a role such as `dim`; an empty text is
/// the colour of the group.
#[derive(Reflect, Clone, Debug, PartialEq)]
#[reflect(Default, Clone)]
pub struct Look {
    /// Colour of the body; `random` gives each agent a colour of the palette.
    pub color: String,
    /// Whether the body is filled or only its outline is drawn.
    pub filled: bool,
    /// Length of the trail in simulated time; 0 for none.
    #[reflect(@Limits::between(0.0, 1e6))]
    pub trail_s: f64,
    /// Colour of the trail, or `random`; an empty text is the colour of the body.
    pub trail_color: String,
}

impl Default for Look {
    fn default() -> Self {
        Self { color: String::new(), filled: true, trail_s: 0.0, trail_color: String::new() }
    }
}

/// The colour with this name; `random` is a colour of the palette for each agent and object.
pub fn own_color(seed: Seed, id: Option<&StableId>, name: &str) -> Option<Role> {
    if name != RANDOM {
        return Role::named(name);
    }
    let id = id.copied().unwrap_or(StableId::agent(0));
    let drawn = seed.stream(id, "color").unit();
    Some(Role::any_of_palette((drawn * 1e9) as u64))
}

//! The names of the groups of agents.

use bevy::prelude::*;

use crate::state::Record;

/// The names of the groups, in the order of the scene.
#[derive(Resource, Clone, Debug, Default, PartialEq, Eq)]
pub struct Groups(pub Vec<String>);

impl Record for Groups {
    fn heap_bytes(&self) -> usize {
        self.0.iter().map(|name| size_of::<String>() + name.len()).sum()
    }
}

impl Groups {
    /// The index of the first group with a name.
    pub fn place_of(&self, name: &str) -> Option<u32> {
        self.0.iter().position(|group| group == name).map(|place| place as u32)
    }
}

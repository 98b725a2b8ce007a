//! Notes: texts with a name that the program keeps and does not read.

use bevy::prelude::*;

use crate::kind::Required;

/// A note on a scene.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Note {
    /// What it is about.
    #[reflect(@Required)]
    pub name: String,
    /// What it says.
    pub text: String,
}

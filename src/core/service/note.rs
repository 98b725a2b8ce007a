//! Notes: named texts that the program keeps but does not read.

use bevy::prelude::*;

use crate::kind::Required;

/// A note on a scene.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Note {
    /// Subject.
    #[reflect(@Required)]
    pub name: String,
    /// Text.
    pub text: String,
}

//! Notes: named texts that the program keeps but does not read.

use bevy::prelude::*;

use crate::kind::Required;

/// A note on a scene.
#[derive(Reflect, Clone, Debug, Default, PartialEq, Eq)]
#[reflect(Default, Clone)]
pub struct Note {
    /// Subject of the note.
    #[reflect(@Required)]
    pub name: String,
    /// Text of the note.
    pub text: String,
}

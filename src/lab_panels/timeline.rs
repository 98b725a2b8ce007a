//! The timeline: the strip below the world, and the search for a moment.

pub mod find;
pub mod icons;
pub mod rows;
pub mod strip;

//! The text of scenes: its outline, and the wording of messages.

pub mod outline;
pub mod renamed;
pub mod shared;
pub mod values;
pub mod wording;

//! The text of scenes: its outline, and words of messages.

pub mod outline;
pub mod renamed;
pub mod values;
pub mod wording;

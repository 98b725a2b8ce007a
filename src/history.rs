//! What a simulation remembers of itself: the registry of state, its hash, snapshots, and what was changed in it.
//!
//! State that a step reads or writes is registered once, with [`RegisterState`].
//! That one list serves the hash, snapshots and restoring; what is not on it is a cache that can be rebuilt.

pub mod events;
pub mod hash;
mod ledger;
pub mod snapshot;
pub mod state;
pub mod track;
mod words;

pub use events::{Event, Events};
pub use hash::StateHash;
pub use ledger::Change;
pub(crate) use ledger::Ledger;
pub use snapshot::{ForeignSnapshot, Snapshot};
pub use state::{Memory, RegisterState, StateRegistry, StateType};
pub use track::Track;
pub use words::{lower, of as in_words};

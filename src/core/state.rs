//! The state of a simulation: its registry, its hash, and snapshots of it.
//!
//! State that a step reads or writes is registered once, with [`RegisterState`]. The hash and snapshots use this list;
//! everything else is a cache that can be rebuilt.

pub mod hash;
pub mod parked;
mod register;
pub mod registry;
mod rows;
mod size;
pub mod snapshot;

pub use hash::StateHash;
pub use register::RegisterState;
pub use registry::{Memory, NoMemory, Record, ResourcePart, SharedPart, StateRegistry, StateType};
pub use snapshot::{Base, ForeignSnapshot, Part, Snapshot};

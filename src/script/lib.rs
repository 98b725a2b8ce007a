//! Scripts: robot controllers written in Luau.
//!
//! Plain code without ECS. A [`Program`] is a compiled script; [`Machines`] run it, one call of its function `step` per
//! robot and step of the simulation. A call sees its [`Input`] and the declared state only, so equal inputs give equal
//! outputs on every computer, whatever ran before in the same virtual machine:
//!
//! - Functions of the C library, such as `sin` and the operators `^` and `%`, are replaced by exact or portable ones.
//! - Tables made at the top level are read-only, and functions cannot assign variables of the functions around them.
//! - Tables with objects as keys cannot be iterated over, because their order follows from addresses.
//! - Loops, calls and memory are limited by counts, not by time.

mod analysis;
pub mod api;
pub mod argos;
mod declarations;
mod error;
mod face;
mod input;
mod library;
mod machine;
mod machines;
mod native;
mod program;
mod wrapper;

pub use error::ScriptError;
pub use face::{Face, Form, Parameter, StateField, Value};
pub use input::{Input, Message, NamedSensor, Output, Random, SensorLayout};
pub use machines::Machines;
pub use program::Program;
pub use wrapper::SENSES;

#[cfg(test)]
mod tests;

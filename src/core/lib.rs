//! The families of kinds, the state and the plan of a step of Swarmarium.
#![forbid(unsafe_code)]

pub mod actuator;
pub mod agent;
pub mod component;
pub mod controller;
pub mod declared;
pub mod driving;
pub mod events;
pub mod expression;
pub mod field;
pub mod gripper;
pub mod kind;
pub mod leds;
pub mod metric;
pub mod motion;
pub mod noise;
pub mod object;
pub mod radio;
pub mod random;
mod reflected;
pub mod sensor;
pub mod service;
pub mod spawner;
pub mod state;
pub mod step;
pub mod text;
pub mod time;

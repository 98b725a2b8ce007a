//! The panels of the window: each reads the lab and returns the actions that the user asks for.
//!
//! [`frame`] draws all panels of a frame, and [`dispatch`] executes their actions.

pub mod catalogue;
pub mod changes;
pub mod clients;
pub mod command_actions;
pub mod compare;
pub mod dialogs;
pub mod dispatch;
pub mod dock;
pub mod driving;
pub mod drop;
pub mod events;
pub mod figure_export;
pub mod frame;
pub mod gallery;
pub mod group_color;
pub mod help;
pub mod inspector;
pub mod keys;
pub mod menus;
pub mod notes;
pub mod notices;
pub mod palette;
pub mod parameters;
pub mod plots;
pub mod presets;
pub mod recording;
pub mod resolved;
pub mod script;
pub mod status;
pub mod swatch;
pub mod sweep;
pub mod thumbnails;
pub mod timeline;
pub mod timing;
pub mod tools;
pub mod tour;
pub mod transport;
pub mod tree;
pub mod view;
pub mod world;

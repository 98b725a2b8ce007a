//! Helpers without state, and the plain data that the parts of the window share.

pub mod canvas;
pub mod command;
pub mod faults;
pub mod focus;
pub mod footprints;
pub mod frame;
pub mod gamepad;
pub mod halos;
pub mod kept_changes;
pub mod lane_source;
pub mod layout;
pub mod matcher;
pub mod moments;
pub mod new_script;
pub mod places;
pub mod popups;
pub mod progress;
pub mod quantity;
pub mod scripts;
pub mod selection;
pub mod settings;
pub mod sweep_setup;
pub mod text;
pub mod theme;
pub mod toolbox;
pub mod widgets;

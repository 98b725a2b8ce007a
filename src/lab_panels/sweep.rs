//! The panel Sweep.

pub mod chart;
pub mod panel;
pub mod runs;
pub mod setup_form;
pub mod table;

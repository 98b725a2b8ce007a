//! The state of the window: what it knows, and how that changes.
//!
//! [`app::Lab`] is the content of the window, with one struct for each concern: the run, the view, the edits, the files,
//! and so on. It is independent of the panels, which read it and ask for [`action::Action`]s.

pub mod action;
pub mod app;
pub mod common;
pub mod compare;
pub mod edit;
pub mod files;
pub mod forecasts;
pub mod notice;
pub mod plots;
pub mod run;
pub mod shell;
pub mod sweeps;
pub mod timeline;
pub mod view;

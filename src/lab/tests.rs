//! Tests that use several parts of the lab.

pub mod autosave;
pub mod backfill;
pub mod busy;
pub mod compare;
pub mod copies;
pub mod driving;
pub mod figure_export;
pub mod key_file;
pub mod pin;
pub mod places;
pub mod presets;
pub mod recording;
pub mod reload;
pub mod restart;
pub mod save;
pub mod share;
pub mod shared_edits;
pub mod sizes;
pub mod standing;
pub mod sweep;
pub mod sweep_factor;
pub mod sweep_setup;
pub mod timeline;
pub mod trigger;
pub mod undo;
pub mod view;

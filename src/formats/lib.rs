//! Files of other programs, read as scenes and written from them, and scenes loaded by extension.
#![forbid(unsafe_code)]

mod archive;
pub mod export;
pub mod import;
pub mod load;
mod referenced_files;
pub mod run_folder;
pub mod share;
pub mod standard;
pub mod templates;

//! Files of other programs, read as scenes and written from them, and scenes loaded by extension.
#![forbid(unsafe_code)]

mod beside;
pub mod export;
pub mod import;
pub mod load;
pub mod templates;

//! The languages of worlds: Python expressions, and the templates that contain them.

pub mod python;
pub mod template;

//! The native part of the Python package.

use pyo3::prelude::*;

#[pymodule]
mod _native {}

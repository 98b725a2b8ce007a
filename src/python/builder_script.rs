//! Builder scripts of MORSE, which the interpreter runs.

use pyo3::prelude::*;
use swarmarium_formats::import::morse::builder;

/// Makes the importer of MORSE's files run builder scripts in this interpreter.
pub fn connect() {
    builder::run_scripts_with(|path| Python::attach(|py| describe(py, path)).map_err(|error| error.to_string()));
}

/// The description of a script as JSON.
fn describe(py: Python, path: &str) -> PyResult<String> {
    py.import("swarmarium.morse.script")?.call_method1("describe", (path,))?.extract()
}

//! Builder scripts of MORSE, which the interpreter runs.

use std::sync::atomic::{AtomicBool, Ordering};

use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use swarmarium_formats::import::morse::builder;

/// Whether Ctrl-C has ended a script.
static WAS_INTERRUPTED: AtomicBool = AtomicBool::new(false);

/// Whether Ctrl-C has ended a script since the last call.
pub fn take_interruption() -> bool {
    WAS_INTERRUPTED.swap(false, Ordering::SeqCst)
}

/// Makes the importer of MORSE's files run builder scripts in this interpreter.
pub fn connect() {
    builder::run_scripts_with(|path| Python::attach(|py| describe(py, path).map_err(|error| message(py, &error))));
}

/// The description of a script as JSON.
fn describe(py: Python, path: &str) -> PyResult<String> {
    py.import("swarmarium.morse.script")?.call_method1("describe", (path,))?.extract()
}

/// The message of an exception that ends a script.
///
/// The importer gives only messages on. A `KeyboardInterrupt` is therefore signalled again: the main thread raises it when it
/// returns to code in Python.
fn message(py: Python, error: &PyErr) -> String {
    if error.is_instance_of::<PyKeyboardInterrupt>(py) {
        WAS_INTERRUPTED.store(true, Ordering::SeqCst);
        let signalled = py.import("_thread").and_then(|module| module.call_method0("interrupt_main"));
        return match signalled {
            Ok(_) => "the script was interrupted".into(),
            Err(failure) => format!("the script was interrupted: {failure}"),
        };
    }
    error.to_string()
}

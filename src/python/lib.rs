//! The native part of the Python package: simulations and batches of them, their live arrays, and the verbs of the command
//! line.
//!
//! The package `swarmarium` beside this file is what users see. It has the types, the documentation and everything that
//! needs no speed; the classes here are its private machinery.

mod batch;
mod builder_script;
mod driver;
mod error;
mod memory;
mod picture;
mod program;
mod queries;
mod rows;
mod run;
mod simulation;
mod source;
mod table;
mod turns;
mod view;

use pyo3::prelude::*;

#[pymodule]
mod _native {
    use pyo3::prelude::*;

    #[pymodule_export]
    use crate::batch::Batch;
    #[pymodule_export]
    use crate::error::{PoisonedError, SwarmariumError};
    #[pymodule_export]
    use crate::program::{build_info, controller_values, holds_run, listed, program, verb, version};
    #[pymodule_export]
    use crate::queries::{draws, neighbours};
    #[pymodule_export]
    use crate::simulation::{Simulation, Snapshot};

    #[pymodule_init]
    fn init() -> PyResult<()> {
        crate::builder_script::connect();
        Ok(())
    }
}

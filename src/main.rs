//! The program: see [`swarmarium::cli`].

use std::process::ExitCode;

fn main() -> ExitCode {
    swarmarium::cli::run()
}

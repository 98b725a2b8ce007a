//! Compiled scripts.

use std::fmt;

use mlua::chunk::Compiler;

use crate::error::Failure;
use crate::machine::Machine;
use crate::{Face, Random, ScriptError, analysis, declarations, library};

/// Largest size of a script (bytes).
const MAX_BYTES: usize = 256 << 10;

/// A compiled script, which any number of robots and threads share.
pub struct Program {
    face: Face,
    code: Vec<u8>,
}

/// The top level of a script draws no random numbers.
enum NoRandom {}

impl Random for NoRandom {
    fn unit(&mut self) -> f64 {
        match *self {}
    }
}

impl Program {
    /// Compiles a script: checks its text, and runs its top level once to read the declarations.
    ///
    /// # Errors
    /// Names the first problem and its line.
    pub fn compile(text: &str) -> Result<Self, ScriptError> {
        if text.len() > MAX_BYTES {
            let message = format!("the script has {} KiB, at most {} are allowed", text.len() >> 10, MAX_BYTES >> 10);
            return Err(ScriptError::of_script(&message));
        }
        // Luau refuses deep nesting, which the other parser does not.
        Compiler::new()
            .set_optimization_level(0)
            .compile(text)
            .map_err(|error| readable(error).explained(text, true))?;
        let analysis = analysis::analyse(text).map_err(|error| error.explained(text, false))?;
        let code = library::compiler().compile(&analysis.text).map_err(readable)?;
        let machine = Machine::<NoRandom>::new(&code).map_err(|failure| match failure {
            Failure::Memory => ScriptError::of_script("the top level used more than 16 MiB of memory"),
            Failure::Script(error) => error,
        })?;
        let face = declarations::read(&machine.globals(), &analysis)?;
        if !machine.has_step() {
            return Err(ScriptError::of_script(declarations::NO_STEP));
        }
        Ok(Self { face, code })
    }

    /// The declarations.
    pub fn face(&self) -> &Face {
        &self.face
    }

    /// The code for machines.
    pub(crate) fn code(&self) -> &[u8] {
        &self.code
    }
}

impl fmt::Debug for Program {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Program").field("face", &self.face).finish_non_exhaustive()
    }
}

fn readable(error: mlua::Error) -> ScriptError {
    Failure::from(error).into_error()
}

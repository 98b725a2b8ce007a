//! Compiled scripts, which all robots and threads share.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use swarmarium_base::limits::{Limits, MAX_NUMBER};
use swarmarium_core::agent::CommandForm;
use swarmarium_core::declared::{Declaration, DeclaredField, DeclaredValues};
use swarmarium_core::text::shared::SharedText;
use swarmarium_script::{Form, Parameter, Program, ScriptError};

/// A script without errors.
pub(super) struct Compiled {
    pub program: Arc<Program>,
    /// The parameters that it declares.
    parameters: Arc<Declaration>,
    /// The state of a robot that it declares.
    pub state: Arc<Declaration>,
}

/// The result of compiling a script: the problem names the file and the line.
type Compilation = Result<Arc<Compiled>, String>;

/// The largest number of compilations that are kept.
const MOST: usize = 256;

/// Compiles a script, or finds the result for the same text.
pub(super) fn compile(file: &str, source: &SharedText) -> Compilation {
    static KNOWN: Mutex<BTreeMap<(u64, String), Compilation>> = Mutex::new(BTreeMap::new());
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    if known.len() >= MOST {
        known.clear();
    }
    known.entry((source.hash(), file.to_owned())).or_insert_with(|| Compiled::new(file, source.as_str())).clone()
}

/// An error with the file that it is in: `orbit.luau:7: …`.
pub(super) fn in_file(file: &str, ScriptError { line, message }: &ScriptError) -> String {
    let file = if file.is_empty() { "script" } else { file };
    match line {
        Some(line) => format!("{file}:{line}: {message}"),
        None => format!("{file}: {message}"),
    }
}

impl Compiled {
    fn new(file: &str, text: &str) -> Compilation {
        let program = Program::compile(text).map_err(|error| in_file(file, &error))?;
        let face = program.face();
        let parameters = face.parameters.iter().map(declared).collect();
        let state = face.state.iter().map(|field| DeclaredField::plain(field.name.clone(), field.initial.clone()));
        let (parameters, state) = (Declaration::new(parameters), Declaration::new(state.collect()));
        Ok(Arc::new(Self { parameters: parameters.into(), state: state.into(), program: program.into() }))
    }

    fn commands(&self) -> CommandForm {
        match self.program.face().commands {
            Form::Drive => CommandForm::Drive,
            Form::Wheels => CommandForm::Wheels,
            Form::Velocity => CommandForm::Velocity,
            Form::Course => CommandForm::Course,
        }
    }
}

fn declared(Parameter { name, default, unit, min, max, about }: &Parameter) -> DeclaredField {
    let limits = match (min.is_finite(), max.is_finite()) {
        (false, false) => None,
        (false, true) => Some(Limits::between(-MAX_NUMBER, *max)),
        (true, _) => Some(Limits::between(*min, *max)),
    };
    let (unit, about) = (unit.clone(), about.clone());
    DeclaredField { limits, unit, about, ..DeclaredField::plain(name.clone(), default.clone()) }
}

/// The script that a controller has compiled last. A cache.
#[derive(Clone, Default)]
pub(super) struct Loaded {
    of: Option<(SharedText, Compilation)>,
    /// The name of its file then.
    file: String,
    /// The problems of parameters that the scene writes.
    misfits: Vec<String>,
}

impl Loaded {
    pub fn new(file: &str, source: &SharedText) -> Self {
        if source.as_str().is_empty() {
            return Self::default();
        }
        Self { of: Some((source.clone(), compile(file, source))), file: file.to_owned(), misfits: Vec::new() }
    }

    /// The compilation of a text; `None` if another text was compiled.
    pub fn of(&self, source: &SharedText) -> Option<&Compilation> {
        self.of.as_ref().filter(|(text, _)| text == source).map(|(_, compiled)| compiled)
    }

    pub fn commands(&self, source: &SharedText) -> Option<CommandForm> {
        Some(self.of(source)?.as_ref().ok()?.commands())
    }

    /// Brings parameters in line with the script.
    pub fn declare(&mut self, parameters: &mut DeclaredValues) {
        if let Some((_, Ok(compiled))) = &self.of {
            let misfits = parameters.declare(&compiled.parameters);
            if !misfits.is_empty() {
                self.misfits = misfits.into_iter().map(|misfit| format!("parameters: {misfit}")).collect();
            }
        }
    }

    pub fn problem(&self, file: &str, source: &SharedText) -> Option<String> {
        let compilation = self.of(source)?;
        if file != self.file {
            return Some(format!(
                "the file is now `{file}`, but the text is still that of `{}`: set the whole `controller`, or open the scene again",
                self.file
            ));
        }
        match compilation {
            Err(problem) => Some(problem.clone()),
            Ok(_) => self.misfits.first().cloned(),
        }
    }
}

/// Caches are equal.
impl PartialEq for Loaded {
    fn eq(&self, _: &Self) -> bool {
        true
    }
}

impl fmt::Debug for Loaded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Loaded")
    }
}

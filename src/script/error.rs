//! Errors of scripts: one line each, with the line of the script.

use std::fmt;

/// The name of the script in the messages and tracebacks of Luau.
pub const SCRIPT_CHUNK: &str = "script";
/// Names of the other chunks.
pub const HOST_CHUNKS: [&str; 2] = ["prelude", "wrapper"];
/// Largest length of a message, in characters.
const MAX_MESSAGE: usize = 300;
/// Separates the message from the traceback in errors of `mlua`.
const TRACEBACK: &str = "stack traceback:\n";

/// A problem of a script.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub struct ScriptError {
    /// The line, counted from 1, if it is known.
    pub line: Option<u32>,
    /// The problem: one line of at most 300 characters.
    pub message: String,
}

impl ScriptError {
    /// A problem at a line.
    pub(crate) fn at(line: u32, message: &str) -> Self {
        Self { line: Some(line), message: one_line(message) }
    }

    /// The problem, which may be one of syntax, with a hint if its line in the text has the habits of another language.
    pub(crate) fn explained(self, text: &str, is_of_syntax: bool) -> Self {
        let line = self.line.and_then(|line| text.lines().nth((line as usize).checked_sub(1)?)).unwrap_or_default();
        Self { message: one_line(&format!("{}{}", self.message, habit(&self.message, line, is_of_syntax))), ..self }
    }

    /// A problem of the script as a whole.
    pub(crate) fn of_script(message: &str) -> Self {
        Self { line: None, message: one_line(message) }
    }

    /// The message and the traceback of Luau.
    fn of_text(text: &str) -> Self {
        let (message, traceback) = text.split_once(TRACEBACK).unwrap_or((text, ""));
        let (line, message) = split_place(message);
        let line = line.or_else(|| traceback.lines().find_map(|frame| line_of(frame.trim_start(), SCRIPT_CHUNK)));
        Self { line, message: one_line(&reworded(message)) }
    }
}

impl fmt::Display for ScriptError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}: {}", self.message),
            None => f.write_str(&self.message),
        }
    }
}

/// The failure of a call into a machine.
pub enum Failure {
    /// The memory of the machine is used up.
    Memory,
    /// Any other problem.
    Script(ScriptError),
}

impl From<mlua::Error> for Failure {
    fn from(error: mlua::Error) -> Self {
        use mlua::Error;
        match error {
            Error::MemoryError(_) => Self::Memory,
            Error::CallbackError { traceback, cause } => match Self::from(Error::clone(&cause)) {
                Self::Script(ScriptError { line: None, message }) => {
                    Self::Script(ScriptError::of_text(&format!("{message}\n{traceback}")))
                }
                failure => failure,
            },
            Error::RuntimeError(text) | Error::SyntaxError { message: text, .. } => {
                Self::Script(ScriptError::of_text(&text))
            }
            other => Self::Script(ScriptError::of_text(&other.to_string())),
        }
    }
}

impl Failure {
    /// The error that users see.
    pub fn into_error(self) -> ScriptError {
        match self {
            Self::Memory => ScriptError::of_script("the script used more than 16 MiB of memory in one step"),
            Self::Script(error) => error,
        }
    }
}

/// Splits `script:7: message` into the line and the message; Luau's compiler writes `:7: message` or `7: message`. Places in chunks of the host are dropped.
fn split_place(message: &str) -> (Option<u32>, &str) {
    let Some((place, rest)) = message.split_once(": ") else { return (None, message) };
    if let Some(line) = line_of(place, SCRIPT_CHUNK).or_else(|| line_of(place, "")).or_else(|| place.parse().ok()) {
        return (Some(line), rest);
    }
    match HOST_CHUNKS.iter().any(|chunk| line_of(place, chunk).is_some()) {
        true => (None, rest),
        false => (None, message),
    }
}

/// The line of `chunk:7` or `chunk:7 function step`.
fn line_of(place: &str, chunk: &str) -> Option<u32> {
    let rest = place.strip_prefix(chunk)?.strip_prefix(':')?;
    let end = rest.find(|c: char| !c.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().ok()
}

/// Wording of Luau that users of scripts do not understand, in their terms; without addresses of objects.
fn reworded(message: &str) -> String {
    let message = message.trim_end();
    if message.contains("attempt to modify a readonly table") {
        return "this table is read-only: a script keeps values from step to step in `self` only".into();
    }
    if message.starts_with("stack overflow") {
        return "stack overflow: functions call each other without end".into();
    }
    without_addresses(message) + hint(message)
}

/// The cause of an error in a line that has the habits of another language, as an addition to the message.
fn habit(message: &str, line: &str, is_of_syntax: bool) -> &'static str {
    let begins = |word: &str| line.trim_start().starts_with(word);
    if begins("//") || begins("#") {
        "; comments begin with `--`"
    } else if !is_of_syntax {
        ""
    } else if begins("def ") || begins("import ") || begins("class ") {
        "; scripts are written in Luau: `function step(self, senses) … end`"
    } else if message.starts_with("Incomplete statement") && line.contains("++") {
        "; Luau has no `++`: write `n += 1`"
    } else if message.starts_with("Expected 'then'") && message.ends_with("got '='") {
        "; `==` compares"
    } else if message.starts_with("Expected 'then'") && message.ends_with("got ':'") {
        "; a condition is written `if … then … end`"
    } else if message.ends_with("got '{'") && (begins("if") || begins("while") || begins("for")) {
        "; blocks have no braces: `if … then … end`"
    } else {
        ""
    }
}

/// The usual cause of a message of Luau about a value of the wrong type, as an addition to it.
fn hint(message: &str) -> &'static str {
    let is_about = |word: &str| message.split(|c: char| !c.is_alphanumeric()).any(|part| part == word);
    let Some(operation) = message.strip_prefix("attempt to ") else { return "" };
    if is_about("nil") && operation.starts_with("call") {
        "; there is no function of this name"
    } else if is_about("nil") {
        "; names and items that do not exist are nil; lists count from 1"
    } else if is_about("table") && (operation.starts_with("compare") || operation.starts_with("perform arithmetic")) {
        "; a list is not a number: take one of its items, as in `list[1]`"
    } else {
        ""
    }
}

/// Removes addresses such as `: 0x000055d0c8a5c2a0`.
fn without_addresses(message: &str) -> String {
    let mut kept = String::new();
    let mut rest = message;
    while let Some(start) = rest.find(": 0x") {
        let digits = &rest[start + 4..];
        let end = digits.find(|c: char| !c.is_ascii_hexdigit()).unwrap_or(digits.len());
        let shown = if end >= 8 { start } else { start + 4 + end };
        kept += &rest[..shown];
        rest = &digits[end..];
    }
    kept + rest
}

/// Cuts a message, and escapes control characters.
fn one_line(message: &str) -> String {
    let message = message.trim();
    let mut line = String::new();
    for (count, character) in message.chars().enumerate() {
        if count == MAX_MESSAGE {
            break;
        }
        if character.is_control() { line.extend(character.escape_default()) } else { line.push(character) }
    }
    if line.chars().count() >= MAX_MESSAGE && line != message {
        line = line.chars().take(MAX_MESSAGE - 1).collect();
        line.push('…');
    }
    line
}

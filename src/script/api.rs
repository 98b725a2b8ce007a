//! The names that a script uses: for the reference, for editors and for their completion.

use std::fmt::Write as _;

use crate::Form;
use crate::library;

/// A name that belongs to an object of a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Member {
    /// The name.
    pub name: &'static str,
    /// Its type in Luau: that of a value, or the parameters and results of a method.
    pub signature: &'static str,
    /// Its description.
    pub about: &'static str,
}

/// An object that the program gives to a script.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The name of its type in definitions for editors.
    pub type_name: &'static str,
    /// The name in scripts.
    pub name: &'static str,
    /// Its description.
    pub about: &'static str,
    /// Its names; methods have signatures with brackets.
    pub members: &'static [Member],
}

const fn member(name: &'static str, signature: &'static str, about: &'static str) -> Member {
    Member { name, signature, about }
}

/// The objects of a script.
pub const OBJECTS: [Object; 3] = [
    Object {
        type_name: "Self",
        name: "self",
        about: "The robot: its parameters, which are read only, its state, and what it does besides moving.",
        members: &[
            member("id", "number", "The number of the robot, from 0."),
            member(
                "send",
                "(...number) -> ()",
                "Sends numbers, at most 256, at the next turn of the radio. Another call before that turn replaces them.",
            ),
            member(
                "random",
                "(low: number?, high: number?) -> number",
                "A random number of the robot: in [0, 1) without arguments, a whole number from 1 to `low` with one, from \
                 `low` to `high` with two.",
            ),
            member(
                "led",
                "(red: number, green: number, blue: number) -> ()",
                "The colour of the LEDs, each part from 0 to 1.",
            ),
            member("grip", "(closed: boolean) -> ()", "Closes or opens the gripper."),
            member(
                "emit",
                "(fraction: number) -> ()",
                "The fraction of its rate at which the emitter works, from 0 to 1.",
            ),
        ],
    },
    Object {
        type_name: "Senses",
        name: "senses",
        about: "The readings of the robot, by the names of its sensors and by position, counted from 1, and the values below. A sensor with \
                one number reads as a number, any other one as a list of numbers.",
        members: &[
            member("time_s", "number", "The time at the end of this step by the clock of the robot (s)."),
            member("dt_s", "number", "The duration of a step (s)."),
            member("step", "number", "The number of this step, from 1."),
            member("touched", "boolean", "Whether the robot touched something in the last step."),
            member(
                "messages",
                "{ Message }",
                "The newest message of each robot that the radio has received and still keeps.",
            ),
        ],
    },
    Object {
        type_name: "Message",
        name: "message",
        about: "A message: its numbers as a list, from `message[1]` on, and more.",
        members: &[
            member("sender", "number", "The number of the robot that sent it."),
            member("age_s", "number", "The age of its content (s): 0 if it is as new as the readings."),
            member("range_m", "number?", "The distance to the sender (m); nothing unless the radio is `situated`."),
            member(
                "bearing_rad",
                "number?",
                "The direction of the sender, anticlockwise from the heading (rad, from −π to π); nothing unless the radio is \
                 `situated`.",
            ),
        ],
    },
];

/// The global names that a script declares, with what they are.
pub const DECLARATIONS: [(&str, &str); 4] = [
    (
        "parameters",
        "Values that a scene can set, by name: a number, `true` or `false`, a text, or a table with the default first: \
         `{ 0.6, unit = \"rad/s\", min = -2, max = 2, doc = \"…\" }`.",
    ),
    (
        "state",
        "The memory of each robot from step to step, by name: numbers, truth values, texts and lists of numbers.",
    ),
    ("commands", "The form of commands, `\"drive\"` unless it is given."),
    ("step", "The function that decides: `function step(self, senses)`."),
];

/// The words of Luau that are not names.
pub const KEYWORDS: [&str; 21] = [
    "and", "break", "do", "else", "elseif", "end", "false", "for", "function", "if", "in", "local", "nil", "not", "or",
    "repeat", "return", "then", "true", "until", "while",
];

/// Whether a text is a name, as in `senses.name`.
pub fn is_identifier(text: &str) -> bool {
    let is_start = |c: char| c.is_ascii_alphabetic() || c == '_';
    text.starts_with(is_start) && text.chars().all(|c| is_start(c) || c.is_ascii_digit()) && !KEYWORDS.contains(&text)
}

/// Whether every script has a name without declaring it: a declaration, an object, a library or a function.
pub fn is_known(name: &str) -> bool {
    let is_member = |object: &Object| object.name == name || object.members.iter().any(|member| member.name == name);
    DECLARATIONS.iter().any(|(known, _)| *known == name)
        || OBJECTS.iter().any(is_member)
        || libraries().any(|(library, names)| if library.is_empty() { names.contains(&name) } else { library == name })
}

/// The libraries with their functions, and the global functions under an empty name.
pub fn libraries() -> impl Iterator<Item = (&'static str, &'static [&'static str])> {
    std::iter::once(("", &library::FUNCTIONS[..])).chain(library::LIBRARIES)
}

/// Names of Luau that scripts do not have, with the reasons.
pub fn absent() -> impl Iterator<Item = (&'static str, &'static str)> {
    library::ABSENT.into_iter()
}

/// Definitions of types for editors, in the notation of the language server `luau-lsp`.
pub fn definitions() -> String {
    let mut text = String::from("-- Types of scripts of Swarmarium, for the language server of Luau.\n");
    for Object { type_name, about, members, .. } in OBJECTS.iter().rev() {
        let _ = writeln!(text, "\n-- {about}\nexport type {type_name} = {{");
        for Member { name, signature, about } in *members {
            // A method gets its object first.
            let signature = match signature.strip_prefix('(') {
                Some(rest) if rest.starts_with(')') => format!("(any{rest}"),
                Some(rest) => format!("(any, {rest}"),
                None => (*signature).to_owned(),
            };
            let _ = writeln!(text, "\t-- {about}\n\t{name}: {signature},");
        }
        text += "\t[any]: any,\n}\n";
    }
    text += "\ndeclare parameters: { [string]: any }\ndeclare state: { [string]: any }\ndeclare commands: string\n";
    let forms: Vec<_> = Form::ALL.map(|form| format!("{} ({})", form.name(), form.values().join(", "))).into();
    let _ = writeln!(text, "-- Returns a command: {}.", forms.join("; "));
    text += "declare function step(self: Self, senses: Senses): ...number\n";
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_known_by_their_words() {
        assert!(
            is_identifier("left_2") && !is_identifier("2_left") && !is_identifier("my eye") && !is_identifier("end")
        );
        assert!(["self", "send", "messages", "state", "math", "print"].into_iter().all(is_known));
        assert!(["sin", "speed", "", "end"].into_iter().all(|name| !is_known(name)));
    }

    #[test]
    fn definitions_have_all_names() {
        let text = definitions();
        for member in OBJECTS.iter().flat_map(|object| object.members) {
            assert!(text.contains(&format!("\t{}: ", member.name)), "{}", member.name);
        }
        assert!(text.contains("\tsend: (any, ...number) -> (),"), "{text}");
    }
}

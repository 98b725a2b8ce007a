//! Edits of the text that keep the numbers of all lines.
//!
//! Luau's operators `^` and `%` use the C library, or may be contracted differently on each computer: calls of functions
//! of the host replace them.

use full_moon::ast::Expression;
use full_moon::node::Node;
use full_moon::tokenizer::TokenReference;

/// The order of edits at the same place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Order {
    Close,
    Replace,
    Open,
}

/// Edits of a text. Outer expressions come before inner ones.
#[derive(Debug, Default)]
pub struct Edits {
    /// Start and end (bytes), and the new text.
    edits: Vec<(usize, Order, usize, String)>,
}

impl Edits {
    /// Replaces a token.
    pub fn replace(&mut self, token: &TokenReference, text: String) {
        let token = token.token();
        self.edits.push((token.start_position().bytes(), Order::Replace, token.end_position().bytes(), text));
    }

    /// Puts an expression into a call.
    pub fn wrap(&mut self, function: &str, expression: &Expression) {
        self.open(function, expression);
        self.close(expression);
    }

    /// Replaces an operator by a call.
    pub fn binary(&mut self, function: &str, left: &Expression, operator: &TokenReference, right: &Expression) {
        self.open(function, left);
        self.replace(operator, ",".into());
        self.close(right);
    }

    /// Adds a closing parenthesis after an expression.
    pub fn close(&mut self, expression: &Expression) {
        if let Some(end) = expression.end_position() {
            self.edits.push((end.bytes(), Order::Close, end.bytes(), ")".into()));
        }
    }

    /// Adds the name of a function and an opening parenthesis before an expression.
    pub fn open(&mut self, function: &str, expression: &Expression) {
        if let Some(start) = expression.start_position() {
            self.edits.push((start.bytes(), Order::Open, start.bytes(), format!("{function}(")));
        }
    }

    /// The edited text.
    pub fn apply(mut self, text: &str) -> String {
        self.edits.sort_by_key(|(start, order, ..)| (*start, *order));
        let mut edited = String::with_capacity(text.len() + 8 * self.edits.len());
        let mut at = 0;
        for (start, _, end, replacement) in &self.edits {
            edited += text.get(at..*start).unwrap_or_default();
            edited += replacement;
            at = *end;
        }
        edited + text.get(at..).unwrap_or_default()
    }
}

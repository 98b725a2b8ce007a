//! A limit on texts that statements make longer.

use super::Variables;
use super::error::{TemplateError, TemplateFault};
use super::tags::statements_with_lines;

/// The longest text that a variable can hold, in bytes.
pub(super) const MAX_TEXT: usize = 1 << 28;

/// Checks that no variable can come to hold a text longer than [`MAX_TEXT`].
///
/// # Errors
/// Names the line of the statement with which a text could become too long.
pub(super) fn check(text: &str, variables: &Variables) -> Result<(), TemplateError> {
    let longest = variables.values().filter_map(|value| value.as_str().map(str::len)).max().unwrap_or(0);
    let mut size = longest.max(32);
    let has_join = text.contains("join");
    for (line, tag) in statements_with_lines(text) {
        let mut words = tag.trim_start_matches(['-', '+', ' ']).split_whitespace();
        let word = words.next();
        if !matches!(word, Some("set" | "with" | "for")) {
            continue;
        }
        if word == Some("set") && !tag.contains('=') {
            return Err(TemplateError::in_line(line, TemplateFault::BlockSet));
        }
        // Each operator can append the longest text so far; with `join`, a comma can, too.
        let commas = if has_join { tag.matches(',').count() } else { 0 };
        let operators = tag.matches(['~', '+']).count() + commas;
        size = (size + tag.len()).saturating_mul(operators + 1);
        if size > MAX_TEXT {
            return Err(TemplateError::in_line(line, TemplateFault::Growth));
        }
    }
    Ok(())
}

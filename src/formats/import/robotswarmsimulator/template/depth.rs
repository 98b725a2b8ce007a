//! Limits on the nesting of templates. The engine recurses for each operator of `1 + 1 + …` and for each `elif`, so a long
//! template would overflow the stack.

use super::error::{TemplateError, TemplateFault};
use super::tags::{BLOCK, COMMENT, LINE, VARIABLE};

/// The most nested tokens of an expression.
const MAX_TOKENS: usize = 500;
/// The most nested `elif`.
const MAX_BRANCHES: usize = 500;

/// The opening and the closing mark of each kind of tag.
const TAGS: [[&str; 2]; 4] = [BLOCK, VARIABLE, COMMENT, [LINE, "\n"]];

/// Checks that a template is not nested too deeply.
///
/// # Errors
/// Names the line of the tag that is nested too deeply.
pub(super) fn check(text: &str) -> Result<(), TemplateError> {
    // The number of `elif` of each `if` that is open.
    let (mut open, mut rest) = (Vec::new(), text);
    let line_of = |rest: &str| text[..text.len() - rest.len()].matches('\n').count() + 1;
    while let Some((start, close)) = next_tag(rest) {
        let inside = &rest[start..];
        let length = match close {
            _ if close == COMMENT[1] => Some(inside.find(close).unwrap_or(inside.len())),
            _ => length(inside, close),
        };
        let Some(length) = length else {
            return Err(TemplateError::in_line(line_of(inside), TemplateFault::DeepExpression { most: MAX_TOKENS }));
        };
        rest = &inside[length..];
        match inside[..length].trim_start_matches(['-', '+']).split_whitespace().next() {
            Some("if") => open.push(0),
            Some("elif") => open.last_mut().into_iter().for_each(|branches| *branches += 1),
            Some("endif") => drop(open.pop()),
            // Raw text has no tags.
            Some("raw") => rest = rest.find("endraw").map_or("", |end| &rest[end..]),
            _ => continue,
        }
        if open.iter().sum::<usize>() > MAX_BRANCHES {
            return Err(TemplateError::in_line(line_of(inside), TemplateFault::DeepBranches { most: MAX_BRANCHES }));
        }
    }
    Ok(())
}

/// The start of the inside of the next tag, and the closing mark.
fn next_tag(text: &str) -> Option<(usize, &'static str)> {
    text.match_indices(['<', '{', '#']).find_map(|(at, _)| {
        let [begin, close] = TAGS.into_iter().find(|[begin, _]| text[at..].starts_with(begin))?;
        let begins_line = || text[..at].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
        (begin != LINE || begins_line()).then_some((at + begin.len(), close))
    })
}

/// The length of the inside of a tag, which quoted texts do not end; `None` if an expression in it is nested too deeply.
fn length(inside: &str, close: &str) -> Option<usize> {
    // For each open bracket: the number of parts since the last comma, and the largest number before it.
    let (mut levels, mut at) = (vec![(0, 0)], 0);
    while let Some(c) = inside[at..].chars().next().filter(|_| !inside[at..].starts_with(close)) {
        let (mut parts, mut most) = levels.pop().unwrap_or_default();
        let rest = &inside[at..];
        at += match c {
            '"' | '\'' => quoted_length(rest, c),
            c if is_in_word(c) => rest.find(|c| !is_in_word(c)).unwrap_or(rest.len()),
            c => c.len_utf8(),
        };
        match c {
            ',' | ':' => (parts, most) = (0, parts.max(most)),
            '(' | '[' | '{' => {
                levels.push((parts + 1, most));
                (parts, most) = (0, 0);
            }
            ')' | ']' | '}' => {
                let inner = parts.max(most);
                (parts, most) = levels.pop().unwrap_or_default();
                parts += inner;
            }
            c if c.is_whitespace() => {}
            _ => parts += 1,
        }
        if parts > MAX_TOKENS {
            return None;
        }
        levels.push((parts, most));
    }
    Some(at)
}

fn is_in_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// The length of a text with its quotes.
fn quoted_length(text: &str, quote: char) -> usize {
    let mut is_escaped = false;
    let end = text.char_indices().skip(1).find(|(_, c)| {
        let is_end = *c == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        is_end
    });
    end.map_or(text.len(), |(at, c)| at + c.len_utf8())
}

#[cfg(test)]
mod tests;

//! Lists that begin an expression.

/// Puts quotes around expressions such as `!np [15, 15] / 2`, which are not YAML without them.
pub fn quote_lists(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len());
    for line in text.split_inclusive('\n') {
        match list_expression(line) {
            Some((start, end)) => {
                let (before, rest) = line.split_at(start);
                let (list, after) = rest.split_at(end - start);
                quoted += &format!("{before}'{}'{after}", list.replace('\'', "''"));
            }
            None => quoted += line,
        }
    }
    quoted
}

/// The range of an expression on a line that begins with a list and goes on with an operator; `None` without one.
fn list_expression(line: &str) -> Option<(usize, usize)> {
    let tag = line.find("!np ")? + "!np ".len();
    // A comment has no tags.
    if line[..tag].contains(" #") || line.starts_with('#') {
        return None;
    }
    let start = tag + line[tag..].find(|c: char| c != ' ')?;
    let mut depth = 0_u32;
    let mut list_end = None;
    let mut before = ' ';
    let mut end = line.trim_end().len();
    if !line[start..].starts_with('[') {
        return None;
    }
    for (at, c) in line[start..].char_indices() {
        match c {
            '[' | '(' => depth += 1,
            ']' | ')' if depth > 1 => depth -= 1,
            ']' | ')' if depth == 1 => {
                depth = 0;
                list_end.get_or_insert(start + at + 1);
            }
            ']' | ')' | '}' | ',' if depth == 0 => {
                end = start + at;
                break;
            }
            '#' if depth == 0 && before == ' ' => {
                end = start + at;
                break;
            }
            _ => {}
        }
        before = c;
    }
    let rest = line.get(list_end?..end)?.trim_start();
    let is_operator = rest.starts_with(['+', '-', '*', '/', '%']);
    is_operator.then(|| (start, start + line[start..end].trim_end().len()))
}

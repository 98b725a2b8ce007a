//! The layout of `pprint` of Python, in which MORSE's builder writes its configurations: lines of at most 80 characters.

use swarmarium_core::service::Value;

use super::literal::{Literal, Node, quoted, write};

/// The width of lines, in characters.
const WIDTH: usize = 80;

/// Writes a literal as `pprint.pformat` does. Dictionaries are sorted by their keys.
pub fn pretty(literal: &Literal) -> String {
    let mut text = String::new();
    add(&mut text, literal, 0, 0);
    text
}

fn length(text: &str) -> usize {
    text.chars().count()
}

fn new_line(text: &mut String, indent: usize) {
    text.push('\n');
    text.extend(std::iter::repeat_n(' ', indent));
}

/// Adds a literal that begins in column `indent`, and that `allowance` characters follow in its last line.
fn add(text: &mut String, literal: &Literal, indent: usize, allowance: usize) {
    let line = write(literal);
    if length(&line) + indent + allowance <= WIDTH {
        text.push_str(&line);
        return;
    }
    match literal {
        Literal::List(items) => {
            text.push('[');
            add_items(text, items, indent + 1, allowance + 1);
            text.push(']');
        }
        Literal::Tuple(items) => {
            let end = if items.len() == 1 { ",)" } else { ")" };
            text.push('(');
            add_items(text, items, indent + 1, allowance + end.len());
            text.push_str(end);
        }
        Literal::Map(entries) => {
            text.push('{');
            for (place, (_, key, value)) in entries.iter().enumerate() {
                if place > 0 {
                    text.push(',');
                    new_line(text, indent + 1);
                }
                let key = quoted(key);
                text.push_str(&key);
                text.push_str(": ");
                let allowance = if place + 1 == entries.len() { allowance + 1 } else { 1 };
                add(text, &value.literal, indent + 3 + length(&key), allowance);
            }
            text.push('}');
        }
        Literal::Leaf(Value::Text(long)) if !long.is_empty() => add_text(text, long, indent, allowance),
        Literal::Leaf(_) | Literal::Integer(_) => text.push_str(&line),
    }
}

fn add_items(text: &mut String, items: &[Node], indent: usize, allowance: usize) {
    for (place, item) in items.iter().enumerate() {
        if place > 0 {
            text.push(',');
            new_line(text, indent);
        }
        add(text, &item.literal, indent, if place + 1 == items.len() { allowance } else { 1 });
    }
}

/// Adds a long text as parts that end at line breaks and blanks. Python joins neighbouring texts.
fn add_text(text: &mut String, long: &str, indent: usize, allowance: usize) {
    let width = WIDTH.saturating_sub(indent);
    let mut chunks: Vec<String> = Vec::new();
    let lines: Vec<&str> = long.split_inclusive('\n').collect();
    for (number, line) in lines.iter().enumerate() {
        let is_last_line = number + 1 == lines.len();
        let last_width = width.saturating_sub(if is_last_line { allowance } else { 0 });
        let whole = quoted(line);
        if length(&whole) <= last_width {
            chunks.push(whole);
            continue;
        }
        let parts = words(line);
        let mut current = String::new();
        for (place, part) in parts.iter().enumerate() {
            let width = if place + 1 == parts.len() { last_width } else { width };
            let candidate = format!("{current}{part}");
            if length(&quoted(&candidate)) > width {
                if !current.is_empty() {
                    chunks.push(quoted(&current));
                }
                current = (*part).to_owned();
            } else {
                current = candidate;
            }
        }
        if !current.is_empty() {
            chunks.push(quoted(&current));
        }
    }
    for (place, chunk) in chunks.iter().enumerate() {
        if place > 0 {
            new_line(text, indent);
        }
        text.push_str(chunk);
    }
}

/// The words of a line, each with the blanks after it.
fn words(line: &str) -> Vec<&str> {
    let mut words = Vec::new();
    let mut rest = line;
    while !rest.is_empty() {
        let word = rest.find(char::is_whitespace).unwrap_or(rest.len());
        let blanks = rest[word..].find(|c: char| !c.is_whitespace()).unwrap_or(rest.len() - word);
        let (head, tail) = rest.split_at(word + blanks);
        words.push(head);
        rest = tail;
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::import::morse::literal::value;

    fn written(text: &str) -> String {
        pretty(&value(text).unwrap_or_else(|problem| panic!("{problem}")).plain())
    }

    #[test]
    fn short_literals_stay_on_a_line() {
        assert_eq!(written("{'b': [1, 2.5, None], 'a': (True,)}"), "{'a': (True,), 'b': [1, 2.5, None]}");
        assert_eq!(written("{}"), "{}");
    }

    #[test]
    fn long_literals_break_as_in_python() {
        // The expected texts are those of `pprint.pformat` of Python 3.11.
        let text = "{'robot.pose': [['morse.middleware.socket_datastream.SocketDatastreamManager', \
                    'morse.middleware.socket_datastream.SocketPublisher', 'OUT', {'port': 60000, 'depth': 1}]]}";
        let expected = "{'robot.pose': [['morse.middleware.socket_datastream.SocketDatastreamManager',\n                 \
                        'morse.middleware.socket_datastream.SocketPublisher',\n                 'OUT',\n                 \
                        {'depth': 1, 'port': 60000}]]}";
        assert_eq!(written(text), expected);
        let words = "['one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen', 'x']";
        let expected = "['one two three four five six seven eight nine ten eleven twelve thirteen '\n 'fourteen \
                        fifteen',\n 'x']";
        assert_eq!(written(words), expected);
    }
}

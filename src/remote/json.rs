//! JSON as Python writes and reads it: clients of MORSE compare texts, and numbers must keep all their digits.

use std::collections::HashMap;
use std::fmt::Write as _;

use swarmarium_core::service::{Fields, Value};

/// The deepest nesting of lists and objects.
const MAX_DEPTH: u32 = 64;

/// A syntax error in JSON, in the words of Python.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{kind}: line {line} column {column} (char {offset})")]
pub struct JsonError {
    /// The kind of the error.
    pub kind: JsonErrorKind,
    /// The line of the error, counted from 1.
    pub line: usize,
    /// The column of the error in characters, counted from 1.
    pub column: usize,
    /// The number of characters before the error.
    pub offset: usize,
}

/// The kinds of syntax errors in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum JsonErrorKind {
    /// A value is missing, or is not a value of JSON.
    #[error("Expecting value")]
    ExpectedValue,
    /// A delimiter is missing.
    #[error("Expecting {0:?} delimiter")]
    ExpectedDelimiter(char),
    /// The name of a field is missing.
    #[error("Expecting property name enclosed in double quotes")]
    ExpectedName,
    /// The text goes on after the value.
    #[error("Extra data")]
    ExtraData,
    /// A string does not end.
    #[error("Unterminated string starting at")]
    UnterminatedString,
    /// A string contains a control character.
    #[error("Invalid control character at")]
    ControlCharacter,
    /// A string contains an unknown escape sequence.
    #[error("Invalid \\escape")]
    InvalidEscape,
    /// An escape sequence is not four hexadecimal digits.
    #[error("Invalid \\uXXXX escape")]
    InvalidUnicodeEscape,
    /// Lists and objects are nested too deeply.
    #[error("Too many lists and objects within each other")]
    TooDeep,
}

/// A value as `json.dumps` writes it.
pub fn to_text(value: &Value) -> String {
    let mut text = String::new();
    write(value, &mut text);
    text
}

/// Writes a value as `json.dumps` does.
pub fn write(value: &Value, out: &mut String) {
    match value {
        Value::Null => out.push_str("null"),
        Value::Bool(true) => out.push_str("true"),
        Value::Bool(false) => out.push_str("false"),
        Value::Int(whole) => _ = write!(out, "{whole}"),
        Value::Number(number) => write_number(*number, out),
        Value::Text(text) => write_text(text, out),
        Value::List(list) => {
            out.push('[');
            for (place, value) in list.iter().enumerate() {
                out.push_str(if place > 0 { ", " } else { "" });
                write(value, out);
            }
            out.push(']');
        }
        Value::Map(fields) => write_fields(fields, out),
    }
}

/// Writes values with names as an object.
pub fn write_fields(fields: &Fields, out: &mut String) {
    out.push('{');
    for (place, (name, value)) in fields.iter().enumerate() {
        out.push_str(if place > 0 { ", " } else { "" });
        write_text(name, out);
        out.push_str(": ");
        write(value, out);
    }
    out.push('}');
}

/// Writes a number as `repr` does: the fewest digits that give it back, with an exponent below 1e-4 and from 1e16 on.
pub fn write_number(number: f64, out: &mut String) {
    if number.is_nan() {
        return out.push_str("NaN");
    }
    if number.is_infinite() {
        return out.push_str(if number > 0.0 { "Infinity" } else { "-Infinity" });
    }
    let text = format!("{number:e}");
    let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if number == 0.0 || (-4..16).contains(&exponent) {
        let start = out.len();
        let _ = write!(out, "{number}");
        if !out[start..].contains('.') {
            out.push_str(".0");
        }
    } else {
        let sign = if exponent < 0 { '-' } else { '+' };
        let _ = write!(out, "{digits}e{sign}{:02}", exponent.abs());
    }
}

fn write_text(text: &str, out: &mut String) {
    out.push('"');
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            ' '..='\u{7f}' => out.push(c),
            _ => {
                for unit in c.encode_utf16(&mut [0; 2]) {
                    let _ = write!(out, "\\u{unit:04x}");
                }
            }
        }
    }
    out.push('"');
}

/// Reads a value as `json.loads` does, `NaN` and `Infinity` included.
///
/// # Errors
/// When the text is not JSON.
pub fn read(text: &str) -> Result<Value, JsonError> {
    let mut reader = Reader { text, at: 0 };
    reader.skip_blanks();
    let value = reader.value(0)?;
    reader.skip_blanks();
    if reader.at < text.len() { Err(reader.error(JsonErrorKind::ExtraData, reader.at)) } else { Ok(value) }
}

struct Reader<'a> {
    text: &'a str,
    /// The position in bytes.
    at: usize,
}

impl Reader<'_> {
    /// An error at a byte of the text.
    fn error(&self, kind: JsonErrorKind, at: usize) -> JsonError {
        let before = &self.text.as_bytes()[..at.min(self.text.len())];
        let chars = |bytes: &[u8]| bytes.iter().filter(|byte| (**byte & 0xC0) != 0x80).count();
        let line = before.iter().filter(|byte| **byte == b'\n').count() + 1;
        let start = before.iter().rposition(|byte| *byte == b'\n').map_or(0, |newline| newline + 1);
        JsonError { kind, line, column: chars(&before[start..]) + 1, offset: chars(before) }
    }

    fn peek(&self) -> Option<u8> {
        self.text.as_bytes().get(self.at).copied()
    }

    fn skip_blanks(&mut self) {
        while matches!(self.peek(), Some(b' ' | b'\t' | b'\n' | b'\r')) {
            self.at += 1;
        }
    }

    /// Skips a word, and returns whether the text continues with it.
    fn skip(&mut self, word: &str) -> bool {
        let is_next = self.text.as_bytes()[self.at..].starts_with(word.as_bytes());
        self.at += if is_next { word.len() } else { 0 };
        is_next
    }

    fn value(&mut self, depth: u32) -> Result<Value, JsonError> {
        if depth > MAX_DEPTH {
            return Err(self.error(JsonErrorKind::TooDeep, self.at));
        }
        match self.peek() {
            Some(b'"') => self.string().map(Value::Text),
            Some(b'[') => self.list(depth),
            Some(b'{') => self.object(depth),
            Some(b'-' | b'0'..=b'9') if !self.skip("-Infinity") => self.number(),
            Some(b'-' | b'0'..=b'9') => Ok(Value::Number(f64::NEG_INFINITY)),
            _ => self.word(),
        }
    }

    fn word(&mut self) -> Result<Value, JsonError> {
        let words = [
            ("null", Value::Null),
            ("true", Value::Bool(true)),
            ("false", Value::Bool(false)),
            ("NaN", Value::Number(f64::NAN)),
            ("Infinity", Value::Number(f64::INFINITY)),
        ];
        let found = words.into_iter().find(|(word, _)| self.skip(word));
        found.map(|(_, value)| value).ok_or_else(|| self.error(JsonErrorKind::ExpectedValue, self.at))
    }

    fn digits(&mut self) -> usize {
        let start = self.at;
        while matches!(self.peek(), Some(b'0'..=b'9')) {
            self.at += 1;
        }
        self.at - start
    }

    fn number(&mut self) -> Result<Value, JsonError> {
        let start = self.at;
        self.skip("-");
        if !self.skip("0") && self.digits() == 0 {
            return Err(self.error(JsonErrorKind::ExpectedValue, start));
        }
        let whole = self.at;
        if self.skip(".") && self.digits() == 0 {
            // As in Python, the number ends before the point, and the point is extra data.
            self.at = whole;
        }
        let before_exponent = self.at;
        if self.skip("e") || self.skip("E") {
            let _ = self.skip("+") || self.skip("-");
            if self.digits() == 0 {
                self.at = before_exponent;
            }
        }
        let text = &self.text[start..self.at];
        match text.parse() {
            Ok(whole_number) if self.at == whole => Ok(Value::Int(whole_number)),
            _ => text.parse().map(Value::Number).map_err(|_| self.error(JsonErrorKind::ExpectedValue, start)),
        }
    }

    fn list(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.at += 1;
        let mut list = Vec::new();
        self.skip_blanks();
        if self.skip("]") {
            return Ok(Value::List(list));
        }
        loop {
            self.skip_blanks();
            list.push(self.value(depth + 1)?);
            self.skip_blanks();
            if self.skip("]") {
                return Ok(Value::List(list));
            }
            if !self.skip(",") {
                return Err(self.error(JsonErrorKind::ExpectedDelimiter(','), self.at));
            }
        }
    }

    fn object(&mut self, depth: u32) -> Result<Value, JsonError> {
        self.at += 1;
        let mut fields: Fields = Vec::new();
        let mut places: HashMap<String, usize> = HashMap::new();
        self.skip_blanks();
        if self.skip("}") {
            return Ok(Value::Map(fields));
        }
        loop {
            self.skip_blanks();
            if self.peek() != Some(b'"') {
                return Err(self.error(JsonErrorKind::ExpectedName, self.at));
            }
            let name = self.string()?;
            self.skip_blanks();
            if !self.skip(":") {
                return Err(self.error(JsonErrorKind::ExpectedDelimiter(':'), self.at));
            }
            self.skip_blanks();
            let value = self.value(depth + 1)?;
            // Of several fields with one name, the last counts.
            match places.get(&name) {
                Some(place) => fields[*place].1 = value,
                None => {
                    places.insert(name.clone(), fields.len());
                    fields.push((name, value));
                }
            }
            self.skip_blanks();
            if self.skip("}") {
                return Ok(Value::Map(fields));
            }
            if !self.skip(",") {
                return Err(self.error(JsonErrorKind::ExpectedDelimiter(','), self.at));
            }
        }
    }

    fn string(&mut self) -> Result<String, JsonError> {
        let begin = self.at;
        self.at += 1;
        let mut string = String::new();
        loop {
            let plain = self.at;
            while self.peek().is_some_and(|byte| byte >= b' ' && byte != b'"' && byte != b'\\') {
                self.at += 1;
            }
            string.push_str(&self.text[plain..self.at]);
            match self.peek() {
                None => return Err(self.error(JsonErrorKind::UnterminatedString, begin)),
                Some(b'"') => {
                    self.at += 1;
                    return Ok(string);
                }
                Some(b'\\') => string.push(self.escaped()?),
                Some(_) => return Err(self.error(JsonErrorKind::ControlCharacter, self.at)),
            }
        }
    }

    fn escaped(&mut self) -> Result<char, JsonError> {
        let begin = self.at;
        self.at += 2;
        Ok(match self.text.as_bytes().get(begin + 1) {
            Some(b'"') => '"',
            Some(b'\\') => '\\',
            Some(b'/') => '/',
            Some(b'b') => '\u{8}',
            Some(b'f') => '\u{c}',
            Some(b'n') => '\n',
            Some(b'r') => '\r',
            Some(b't') => '\t',
            Some(b'u') => return self.unicode(begin),
            _ => return Err(self.error(JsonErrorKind::InvalidEscape, begin)),
        })
    }

    fn unicode(&mut self, begin: usize) -> Result<char, JsonError> {
        let first = self.unit().ok_or_else(|| self.error(JsonErrorKind::InvalidUnicodeEscape, begin + 1))?;
        let mut units = vec![first];
        let second = self.at;
        // A character with two units in UTF-16 has two escape sequences.
        if (0xD800..0xDC00).contains(&first)
            && self.skip("\\u")
            && let Some(unit) = self.unit()
            && (0xDC00..0xE000).contains(&unit)
        {
            units.push(unit);
        } else {
            self.at = second;
        }
        let read = char::decode_utf16(units).next();
        Ok(read.and_then(Result::ok).unwrap_or(char::REPLACEMENT_CHARACTER))
    }

    /// Reads four hexadecimal digits.
    fn unit(&mut self) -> Option<u16> {
        let digits = self.text.as_bytes().get(self.at..self.at + 4)?;
        let unit = digits.iter().try_fold(0, |unit, digit| Some(unit << 4 | char::from(*digit).to_digit(16)?))?;
        self.at += 4;
        u16::try_from(unit).ok()
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn number(number: f64) -> String {
        to_text(&Value::Number(number))
    }

    #[test]
    fn json_numbers_are_written_as_in_python() {
        let cases = [
            (0.0, "0.0"),
            (-0.0, "-0.0"),
            (1.0, "1.0"),
            (0.1, "0.1"),
            (1e-4, "0.0001"),
            (1e-5, "1e-05"),
            (1.5e-7, "1.5e-07"),
            (1e15, "1000000000000000.0"),
            (1e16, "1e+16"),
            (1.234_567_890_123_456_7e16, "1.2345678901234568e+16"),
            (123_456_789.125, "123456789.125"),
            (1e300, "1e+300"),
            (-2.5e-300, "-2.5e-300"),
            (5e-324, "5e-324"),
            (1_795_230_236.964_951, "1795230236.964951"),
            (f64::NAN, "NaN"),
            (f64::INFINITY, "Infinity"),
            (f64::NEG_INFINITY, "-Infinity"),
        ];
        for (value, text) in cases {
            assert_eq!(number(value), text);
        }
    }

    #[test]
    fn json_texts_are_ascii() {
        let text = to_text(&Value::Text("a\"\\\n\u{1}é😀\u{7f}".into()));
        assert_eq!(text, "\"a\\\"\\\\\\n\\u0001\\u00e9\\ud83d\\ude00\u{7f}\"");
        assert_eq!(read(&text), Ok(Value::Text("a\"\\\n\u{1}é😀\u{7f}".into())));
    }

    #[test]
    fn json_objects_keep_their_order_and_the_last_duplicate_field() {
        let read = read(" {\"b\": 1, \"a\": [true, null, 2.0], \"b\": -3} ").unwrap();
        assert_eq!(to_text(&read), "{\"b\": -3, \"a\": [true, null, 2.0]}");
    }

    #[test]
    fn json_errors_are_those_of_python() {
        let cases = [
            ("", "Expecting value: line 1 column 1 (char 0)"),
            ("notjson", "Expecting value: line 1 column 1 (char 0)"),
            ("[1,", "Expecting value: line 1 column 4 (char 3)"),
            ("[1 2]", "Expecting ',' delimiter: line 1 column 4 (char 3)"),
            ("{\"v\": 1.0,}", "Expecting property name enclosed in double quotes: line 1 column 11 (char 10)"),
            ("{\"é\" 1}", "Expecting ':' delimiter: line 1 column 6 (char 5)"),
            ("1 2", "Extra data: line 1 column 3 (char 2)"),
            ("1.", "Extra data: line 1 column 2 (char 1)"),
            ("01", "Extra data: line 1 column 2 (char 1)"),
            ("\"a", "Unterminated string starting at: line 1 column 1 (char 0)"),
            ("\"\\x\"", "Invalid \\escape: line 1 column 2 (char 1)"),
            ("-", "Expecting value: line 1 column 1 (char 0)"),
        ];
        for (text, expected) in cases {
            assert_eq!(read(text).map_err(|error| error.to_string()), Err(expected.into()), "{text}");
        }
        assert!(read(&"[".repeat(100_000)).is_err());
        assert!(read("\"\\ud83d\\u0041\"").is_ok_and(|value| value == Value::Text("\u{fffd}A".into())));
    }

    proptest! {
        #[test]
        fn json_numbers_round_trip(bits in any::<u64>()) {
            let value = f64::from_bits(bits);
            if value.is_finite() {
                prop_assert_eq!(read(&number(value)), Ok(Value::Number(value)));
            }
        }

        #[test]
        fn any_json_text_is_read_or_refused(text in "[\\[\\]{}\":,\\\\u0-9eE.a-f \\-tn]{0,40}") {
            if let Ok(value) = read(&text) {
                prop_assert_eq!(read(&to_text(&value)), Ok(value));
            }
        }

        #[test]
        fn json_strings_round_trip(text in any::<String>()) {
            let value = Value::Text(text);
            prop_assert_eq!(read(&to_text(&value)), Ok(value));
        }
    }
}

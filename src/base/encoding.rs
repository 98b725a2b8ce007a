//! Encodings of text files: UTF-8, UTF-16, and the encoding that an XML declaration names.

use encoding_rs::{Encoding, UTF_8, UTF_16BE, UTF_16LE};
use thiserror::Error;

/// Length (bytes) of the longest XML declaration that is searched for an encoding.
const MAX_DECLARATION: usize = 1024;

/// Reason why a file is not text; a message without a subject.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum EncodingError {
    /// A byte that the encoding of the file does not allow.
    #[error("is not text: byte {byte:#04x} at offset {offset}")]
    Byte {
        /// The first invalid byte.
        byte: u8,
        /// Its place in the file.
        offset: usize,
        /// The text before it.
        before: String,
    },
    /// A byte somewhere that the encoding of the file does not allow.
    #[error("is not text in {0}")]
    Encoded(&'static str),
    /// The character U+0000, which no text file contains.
    #[error("is not text: it contains the character U+0000")]
    Nul,
    /// The XML declaration names an encoding that does not exist.
    #[error("names an unknown encoding: `{0}`; save the file as UTF-8")]
    Unknown(String),
}

impl EncodingError {
    /// The text before the first invalid byte, if the position of that byte is known.
    pub fn before(&self) -> Option<&str> {
        match self {
            Self::Byte { before, .. } => Some(before),
            Self::Encoded(_) | Self::Nul | Self::Unknown(_) => None,
        }
    }
}

/// The text of a file, without its byte order mark.
///
/// A byte order mark decides on the encoding. Without one, a `<` of two bytes at the start means UTF-16, and an XML declaration
/// (`<?xml version="1.0" encoding="ISO-8859-1"?>`) names the encoding. Every other file is UTF-8.
///
/// # Errors
/// Names the first invalid byte, or the unknown encoding.
pub fn decode(bytes: Vec<u8>) -> Result<String, EncodingError> {
    let (encoding, mark) = encoding_of(&bytes)?;
    if encoding == UTF_8 {
        let mut text = String::from_utf8(bytes)
            .map_err(|error| invalid_byte(error.as_bytes(), error.utf8_error().valid_up_to()))?;
        if text.contains('\0') {
            return Err(invalid_byte(text.as_bytes(), text.len()));
        }
        text.drain(..mark);
        return Ok(text);
    }
    let text = encoding.decode_without_bom_handling_and_without_replacement(&bytes[mark..]);
    let text = text.ok_or(EncodingError::Encoded(encoding.name()))?.into_owned();
    if text.contains('\0') { Err(EncodingError::Nul) } else { Ok(text) }
}

/// The first invalid byte is a NUL before `end`, or else the byte at `end`.
fn invalid_byte(bytes: &[u8], end: usize) -> EncodingError {
    let offset = bytes[..end].iter().position(|byte| *byte == 0).unwrap_or(end);
    let before = String::from_utf8_lossy(&bytes[..offset]).into_owned();
    EncodingError::Byte { byte: bytes[offset], offset, before }
}

/// The encoding of a file, and the length of its byte order mark.
fn encoding_of(bytes: &[u8]) -> Result<(&'static Encoding, usize), EncodingError> {
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return Ok((encoding, mark));
    }
    let encoding = match (bytes, declared(bytes)) {
        ([b'<', 0, ..], _) => UTF_16LE,
        ([0, b'<', ..], _) => UTF_16BE,
        (_, Some(label)) => {
            let known = Encoding::for_label_no_replacement(label.as_bytes());
            let unknown = || EncodingError::Unknown(label.to_owned());
            // A file in UTF-16 has no declaration that is readable byte by byte.
            Some(known.ok_or_else(unknown)?).filter(|known| ![UTF_16LE, UTF_16BE].contains(known)).unwrap_or(UTF_8)
        }
        _ => UTF_8,
    };
    Ok((encoding, 0))
}

/// The encoding that an XML declaration names.
fn declared(bytes: &[u8]) -> Option<&str> {
    let declaration = bytes.strip_prefix(b"<?xml").filter(|rest| rest.first().is_some_and(u8::is_ascii_whitespace))?;
    let end = declaration.iter().take(MAX_DECLARATION).position(|byte| *byte == b'>')?;
    let (_, rest) = str::from_utf8(&declaration[..end]).ok()?.split_once("encoding")?;
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let quote = rest.chars().next().filter(|first| matches!(first, '"' | '\''))?;
    rest[1..].split_once(quote).map(|(label, _)| label.trim())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn utf_16(text: &str, bytes_of: fn(u16) -> [u8; 2]) -> Vec<u8> {
        text.encode_utf16().flat_map(bytes_of).collect()
    }

    #[test]
    fn files_are_read_in_the_encoding_that_they_name() {
        let text = "<?xml version='1.0'?>\n<a b='Wände'/>";
        let marked = format!("\u{feff}{text}");
        for bytes in [
            text.as_bytes().to_vec(),
            marked.as_bytes().to_vec(),
            utf_16(&marked, u16::to_le_bytes),
            utf_16(&marked, u16::to_be_bytes),
            utf_16(text, u16::to_le_bytes),
            utf_16(text, u16::to_be_bytes),
        ] {
            assert_eq!(decode(bytes.clone()).as_deref(), Ok(text), "{bytes:?}");
        }
        for (label, umlaut) in [("ISO-8859-1", 0xe4), ("latin1", 0xe4), ("windows-1252", 0xe4), ("IBM866", 0xa0)] {
            let text = format!("<?xml version=\"1.0\" encoding = \"{label}\"?><a b=\"W");
            let bytes = [text.as_bytes(), &[umlaut], b"nde\"/>"].concat();
            let read = decode(bytes).unwrap();
            assert!(read.ends_with("<a b=\"Wände\"/>") || label == "IBM866" && read.contains('а'), "{label}: {read}");
        }
        let said = "<?xml encoding='UTF-16'?><a b='é'/>";
        assert_eq!(decode(said.as_bytes().to_vec()).as_deref(), Ok(said), "it is readable, and so it is UTF-8");
        let sheet = "<?xml-stylesheet href='a.css' encoding='IBM866'?><a b='é'/>";
        assert_eq!(decode(sheet.as_bytes().to_vec()).as_deref(), Ok(sheet), "a style sheet is not a declaration");
    }

    #[test]
    fn files_that_are_not_text_are_refused() {
        let told = |bytes: &[u8]| decode(bytes.to_vec()).unwrap_err().to_string();
        let problems = [
            told(b"a\0b"),
            told(b"<a b='\xe9'/>\0"),
            told(b"\0\xe9"),
            told(b"\xff\xfe<\0\0\xd8"),
            told(b"\xff\xfe<\0\0\0"),
            told(b"<?xml encoding='KLINGON'?><a/>"),
            told(b"\0"),
        ];
        insta::assert_snapshot!(problems.join("\n"), @r"
        is not text: byte 0x00 at offset 1
        is not text: byte 0xe9 at offset 6
        is not text: byte 0x00 at offset 0
        is not text in UTF-16LE
        is not text: it contains the character U+0000
        names an unknown encoding: `KLINGON`; save the file as UTF-8
        is not text: byte 0x00 at offset 0
        ");
    }
}

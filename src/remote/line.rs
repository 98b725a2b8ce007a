//! Lines of the service protocol, and the beginnings of foreign protocols.

use swarmarium_core::service::Value;

use super::json::{self, JsonError};

/// The methods of HTTP, with which the requests of browsers begin.
const METHODS: [&str; 10] = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "PRI"];
/// The longest id of a request, in bytes.
const MAX_ID: usize = 256;

/// A line of a client of services.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// An empty line.
    Empty,
    /// The cancellation of a request.
    Cancel {
        /// The id of the request.
        id: String,
    },
    /// A request.
    Request(Request),
    /// A malformed line.
    Malformed {
        /// The first word of the line.
        id: String,
        /// The error in the line.
        error: LineError,
    },
}

/// An error in a line, in the words of MORSE where it has the error.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// The line is not UTF-8.
    #[error("Malformed request! The line is not UTF-8")]
    NotUtf8,
    /// The id is too long.
    #[error("Malformed request! An id has at most {} bytes", MAX_ID)]
    LongId,
    /// The line has one word.
    // The blank at the end is that of MORSE.
    #[error("Malformed request! ")]
    OneWord,
    /// The line has two words.
    #[error("Malformed request: at least 3 values and at most 4 are expected (id, component, service, [params])")]
    TwoWords,
    /// The parameters are not a list.
    #[error("Invalid request syntax: parameters must be a JSON list")]
    ExpectedList,
    /// The parameters are not JSON.
    #[error("Invalid request syntax: error while parsing the parameters: <{begin}>. {error}")]
    Json {
        /// The first characters of the parameters.
        begin: String,
        /// The syntax error.
        error: JsonError,
    },
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// The id that the client gave it. The reply has the same id.
    pub id: String,
    /// The name of the component, or of a supervisor such as `simulation`.
    pub component: String,
    /// The name of the service.
    pub service: String,
    /// The arguments of the service.
    pub arguments: Vec<Value>,
}

/// Reads a line, without its end.
pub fn read(line: &[u8]) -> Line {
    let Ok(text) = str::from_utf8(line) else {
        return Line::Malformed { id: id_of(line), error: LineError::NotUtf8 };
    };
    let mut rest = text.trim();
    if rest.is_empty() {
        return Line::Empty;
    }
    let mut word = || {
        let (word, after) = rest.split_once(char::is_whitespace).unwrap_or((rest, ""));
        rest = after.trim_start();
        word.to_owned()
    };
    let (id, component, service) = (word(), word(), word());
    if id.len() > MAX_ID {
        return Line::Malformed { id: id_of(line), error: LineError::LongId };
    }
    match (component.as_str(), service.as_str()) {
        ("", _) => Line::Malformed { id, error: LineError::OneWord },
        ("cancel", "") => Line::Cancel { id },
        (_, "") => Line::Malformed { id, error: LineError::TwoWords },
        _ => match arguments(rest) {
            Ok(arguments) => Line::Request(Request { id, component, service, arguments }),
            Err(error) => Line::Malformed { id, error },
        },
    }
}

/// Reads the list of arguments. An object stands for the list of its names, as in Python.
fn arguments(text: &str) -> Result<Vec<Value>, LineError> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    match json::read(text) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Map(fields)) => Ok(fields.into_iter().map(|(name, _)| Value::Text(name)).collect()),
        Ok(_) => Err(LineError::ExpectedList),
        Err(error) => Err(LineError::Json { begin: text.chars().take(200).collect(), error }),
    }
}

/// The first word of a line, cut after the longest possible id.
pub fn id_of(line: &[u8]) -> String {
    let begin = &line[..line.len().min(4 * MAX_ID)];
    let text = String::from_utf8_lossy(begin);
    text.split_whitespace().next().unwrap_or_default().chars().take(MAX_ID).collect()
}

/// The kind of client that begins in this way, if the client uses a foreign protocol.
pub fn foreign_protocol(begin: &[u8]) -> Option<&'static str> {
    let is_used = |method: &&str| begin.strip_prefix(method.as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
    if METHODS.iter().any(is_used) {
        Some("a browser, or another client of HTTP")
    } else if begin.starts_with(&[0x16, 0x03]) {
        Some("a client of TLS")
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(id: &str, component: &str, service: &str, arguments: Vec<Value>) -> Line {
        Line::Request(Request { id: id.into(), component: component.into(), service: service.into(), arguments })
    }

    #[test]
    fn any_whitespace_separates_words_of_a_request() {
        let lines = [
            "i simulation quit",
            "i  simulation \t quit",
            "   i simulation quit  ",
            "i simulation quit []\r",
            "i simulation quit { }",
        ];
        for line in lines {
            assert_eq!(read(line.as_bytes()), request("i", "simulation", "quit", Vec::new()), "{line}");
        }
        assert_eq!(read(b" \t\r"), Line::Empty);
        assert_eq!(read(b"7 cancel"), Line::Cancel { id: "7".into() });
    }

    #[test]
    fn request_arguments_are_a_list_or_an_object() {
        let numbers = vec![Value::Int(1), Value::Number(2.5)];
        assert_eq!(read(b"i a b [1, 2.5]"), request("i", "a", "b", numbers));
        assert_eq!(read(b"i a b {\"a\": 1}"), request("i", "a", "b", vec!["a".into()]));
    }

    #[test]
    fn malformed_requests_have_an_id_and_an_error() {
        for (line, id, error) in [
            ("p", "p", "Malformed request! "),
            ("p simulation", "p", "Malformed request: at least 3 values"),
            ("s a b notjson", "s", "Invalid request syntax: error while parsing the parameters: <notjson>. Expecting"),
            ("s a b 5", "s", "Invalid request syntax: parameters must be a JSON list"),
        ] {
            let Line::Malformed { id: found, error: actual } = read(line.as_bytes()) else { panic!("{line}") };
            assert!(found == id && actual.to_string().starts_with(error), "{line}: {actual}");
        }
        assert!(matches!(read(b"x \xff\xfe y"), Line::Malformed { id, .. } if id == "x"));
        assert!(matches!(read("a".repeat(9999).as_bytes()), Line::Malformed { id, .. } if id.len() == MAX_ID));
    }

    #[test]
    fn foreign_protocols_are_known_by_their_beginning() {
        assert!(foreign_protocol(b"GET / HTTP/1.1\r\n").is_some() && foreign_protocol(b"POST /x").is_some());
        assert!(foreign_protocol(b"\x16\x03\x01\x02").is_some());
        assert!(
            foreign_protocol(b"GETTER a b").is_none()
                && foreign_protocol(b"id1 time now").is_none()
                && foreign_protocol(b"").is_none()
        );
    }
}

//! Lines of the service protocol, and what is no such line at all.

use swarmarium_core::service::Value;

use super::json;

/// The methods of HTTP, with which browsers and their like begin.
const METHODS: [&str; 10] = ["GET", "POST", "HEAD", "PUT", "DELETE", "OPTIONS", "CONNECT", "TRACE", "PATCH", "PRI"];
/// The longest id that is given back.
const MAX_ID: usize = 256;

/// A line that a client of services sent.
#[derive(Clone, Debug, PartialEq)]
pub enum Line {
    /// Nothing.
    Empty,
    /// The end of a request that goes on.
    Cancel {
        /// The id of that request.
        id: String,
    },
    /// A request.
    Request(Request),
    /// Something else.
    Bad {
        /// The id that it begins with.
        id: String,
        /// What is wrong with it.
        error: String,
    },
}

/// A request of a client.
#[derive(Clone, Debug, PartialEq)]
pub struct Request {
    /// By what the client knows the reply.
    pub id: String,
    /// Of whom it asks something.
    pub component: String,
    /// What it asks for.
    pub service: String,
    /// What it says.
    pub arguments: Vec<Value>,
}

/// Reads a line, without its end.
pub fn read(line: &[u8]) -> Line {
    let Ok(text) = str::from_utf8(line) else {
        return Line::Bad { id: id_of(line), error: "Malformed request! The line is not UTF-8".into() };
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
        return Line::Bad { id: id_of(line), error: format!("Malformed request! An id has at most {MAX_ID} bytes") };
    }
    match (component.as_str(), service.as_str()) {
        ("", _) => Line::Bad { id, error: "Malformed request! ".into() },
        ("cancel", "") => Line::Cancel { id },
        (_, "") => {
            let error =
                "Malformed request: at least 3 values and at most 4 are expected (id, component, service, [params])";
            Line::Bad { id, error: error.into() }
        }
        _ => match arguments(rest) {
            Ok(arguments) => Line::Request(Request { id, component, service, arguments }),
            Err(error) => Line::Bad { id, error },
        },
    }
}

/// The list of arguments. An object stands for its names, as a list does in Python.
fn arguments(text: &str) -> Result<Vec<Value>, String> {
    if text.is_empty() {
        return Ok(Vec::new());
    }
    match json::read(text) {
        Ok(Value::List(list)) => Ok(list),
        Ok(Value::Map(fields)) => Ok(fields.into_iter().map(|(name, _)| Value::Text(name)).collect()),
        Ok(_) => Err("Invalid request syntax: parameters must be a JSON list".into()),
        Err(error) => {
            let shown: String = text.chars().take(200).collect();
            Err(format!("Invalid request syntax: error while parsing the parameters: <{shown}>. {error}"))
        }
    }
}

/// The first word of a line, as far as it can be given back.
pub fn id_of(line: &[u8]) -> String {
    let begin = &line[..line.len().min(4 * MAX_ID)];
    let text = String::from_utf8_lossy(begin);
    text.split_whitespace().next().unwrap_or_default().chars().take(MAX_ID).collect()
}

/// Who speaks another language than that of lines, by how it begins.
pub fn foreigner(begin: &[u8]) -> Option<&'static str> {
    let speaks = |method: &&str| begin.strip_prefix(method.as_bytes()).is_some_and(|rest| rest.starts_with(b" "));
    if METHODS.iter().any(speaks) {
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
    fn blanks_of_any_kind_and_number_are_between_words() {
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
    fn arguments_are_a_list_or_the_names_of_an_object() {
        let numbers = vec![Value::Int(1), Value::Number(2.5)];
        assert_eq!(read(b"i a b [1, 2.5]"), request("i", "a", "b", numbers));
        assert_eq!(read(b"i a b {\"a\": 1}"), request("i", "a", "b", vec!["a".into()]));
    }

    #[test]
    fn what_is_no_request_is_answered() {
        for (line, id, error) in [
            ("p", "p", "Malformed request! "),
            ("p simulation", "p", "Malformed request: at least 3 values"),
            ("s a b notjson", "s", "Invalid request syntax: error while parsing the parameters: <notjson>. Expecting"),
            ("s a b 5", "s", "Invalid request syntax: parameters must be a JSON list"),
        ] {
            let Line::Bad { id: found, error: said } = read(line.as_bytes()) else { panic!("{line}") };
            assert!(found == id && said.starts_with(error), "{line}: {said}");
        }
        assert!(matches!(read(b"x \xff\xfe y"), Line::Bad { id, .. } if id == "x"));
        assert!(matches!(read("a".repeat(9999).as_bytes()), Line::Bad { id, .. } if id.len() == MAX_ID));
    }

    #[test]
    fn browsers_are_known_by_how_they_begin() {
        assert!(foreigner(b"GET / HTTP/1.1\r\n").is_some() && foreigner(b"POST /x").is_some());
        assert!(foreigner(b"\x16\x03\x01\x02").is_some());
        assert!(foreigner(b"GETTER a b").is_none() && foreigner(b"id1 time now").is_none() && foreigner(b"").is_none());
    }
}

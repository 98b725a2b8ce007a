//! The probe for lines of clients.

use swarmarium_core::service::Value;
use swarmarium_remote::json;
use swarmarium_remote::line::{Line, foreign_protocol, id_of, read};

/// Reads any line. The arguments of a request are the same after writing and reading them.
pub fn probe(line: &[u8]) {
    let _ = foreign_protocol(line);
    assert!(id_of(line).chars().count() <= 256);
    if let Line::Request(request) = read(line) {
        let arguments = Value::List(request.arguments);
        let text = json::to_text(&arguments);
        let again = json::read(&text);
        // NaN differs from itself.
        assert!(text.contains("NaN") || again == Ok(arguments), "{text}");
        assert!(text.is_ascii());
    }
}

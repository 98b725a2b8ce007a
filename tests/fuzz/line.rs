//! What is done with a line from a client, whatever it is.

use swarmarium::remote::json;
use swarmarium::remote::line::{Line, foreigner, id_of, read};
use swarmarium::service::Value;

/// Reads a line. What is read of it comes back the same when it is written.
pub fn probe(line: &[u8]) {
    let _ = foreigner(line);
    assert!(id_of(line).chars().count() <= 256);
    if let Line::Request(request) = read(line) {
        let arguments = Value::List(request.arguments);
        let text = json::to_text(&arguments);
        let again = json::read(&text);
        // What is no number is not the same as itself.
        assert!(text.contains("NaN") || again == Ok(arguments), "{text}");
        assert!(text.is_ascii());
    }
}

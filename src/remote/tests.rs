use super::*;

#[test]
fn what_lines_of_streams_say_is_read() {
    assert!(fields_of(b" {\"v\": 1.0}\r").is_ok_and(|value| matches!(value, Value::Map(_))));
    assert!(fields_of(b"\xff").is_err() && fields_of(b"{\"v\": 1.0,}").is_err());
}

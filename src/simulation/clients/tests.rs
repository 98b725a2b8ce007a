use super::*;

#[test]
fn texts_and_pairs_of_clients_are_checked() {
    let written = |current: &dyn Reflect, value: Value| property::written(current, &value, 1.0);
    let texts = vec![String::new()];
    assert!(written(&texts, Value::List(vec!["a".into(), 1.0.into()])).is_err());
    assert!(written(&texts, Value::List(vec!["a".into(); 101])).is_err());
    assert!(written(&texts, Value::List(vec!["a".into(); 2])).is_ok());
    assert!(written(&String::new(), Value::Text("ä".repeat(1000))).is_ok());
    assert!(written(&String::new(), Value::Text("ä".repeat(1001))).is_err());
    let pair = bevy::math::DVec2::ZERO;
    assert!(written(&pair, Value::numbers([1.0, 2.0])).is_ok());
    assert!(written(&pair, Value::numbers([1.0, 2.0, 3.0])).is_err());
    assert!(written(&pair, Value::List(vec![1.0.into(), "a".into(), 2.0.into()])).is_err());
}

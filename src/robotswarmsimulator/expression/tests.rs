use super::{EvaluationError, Value, evaluate, number, quote_lists};
use std::f64::consts::{FRAC_PI_2, FRAC_PI_4};

#[test]
fn expressions_follow_python() {
    for (text, value) in [
        ("1 / 40", 1.0 / 40.0),
        ("2 ** 3 ** 2", 512.0),
        ("-2 ** 2", -4.0),
        ("2 ** -1", 0.5),
        ("7 // 2", 3.0),
        ("-7 // 2", -4.0),
        ("7 // -2", -4.0),
        ("-7 % 3", 2.0),
        ("7 % -3", -2.0),
        ("1 // 0.1", 9.0),
        ("np.pi / 2", FRAC_PI_2),
        ("PI/2", FRAC_PI_2),
        ("radians(45)", FRAC_PI_4),
        ("np.deg2rad(45)", FRAC_PI_4),
        ("(1 + 2) * 3 - 4", 5.0),
        ("1 - 2 - 3", -4.0),
        ("--1", 1.0),
        ("1_000", 1000.0),
        ("1e-3", 0.001),
        (".5 + 1.", 1.5),
        ("0x1e-3", 27.0),
        ("2-1", 1.0),
        ("max(1, 3, 2) + min(4, 5)", 7.0),
        ("round(2.5) + round(3.5) + int(-1.5)", 5.0),
        ("sqrt(16) + abs(-1) + exp(0) + log(1)", 6.0),
        ("atan2(0, 1) + sin(0) + cos(0) + tan(0)", 1.0),
        ("np.sum([1, 2, 3]) + len([1, 2]) + math.floor(2.5)", 10.0),
        ("max([1, 5, 2]) - min(range(3, 9))", 2.0),
        ("1 if 2 ** 2 == 4 and not 1 > 2 else 0", 1.0),
        ("(0 < 1 < 2) + (1 < 1)", 1.0),
        ("2 * -3 ** 2", -18.0),
        ("10 - 2 ** -1 * 2", 9.0),
        ("round(2.345, 2)", 2.35),
        ("True + 1", 2.0),
    ] {
        assert_eq!(number(text), Some(value), "{text}");
    }
}

#[test]
fn expressions_fail_where_python_raises_an_error() {
    for text in ["", "foo + 1", "1 +", "1 / 0", "1 % 0", "0 ** -1", "(-8) ** 0.5", "017", "(1", "1)", "1 2"] {
        assert!(matches!(evaluate(text), Err(EvaluationError::Invalid(_))), "{text}: {:?}", evaluate(text));
    }
    for text in [
        "sin()",
        "sin(1, 2)",
        "radians 45",
        "1.2.3",
        "1j",
        "__import__('os')",
        "é",
        "0x",
        "1e",
        "array([1, 2]) + [1, 2, 3]",
        "[1, 2] * 1.5",
        "lambda x: x",
        "x := 1",
        "[1",
        "'a",
        "1 if 2",
        "np",
    ] {
        assert!(matches!(evaluate(text), Err(EvaluationError::Invalid(_))), "{text}: {:?}", evaluate(text));
    }
}

fn list(text: &str) -> Vec<f64> {
    let items = evaluate(text).unwrap().items().unwrap_or_else(|| panic!("{text}"));
    items.iter().map(|item| item.as_f64().unwrap_or_else(|| panic!("{text}: {item:?}"))).collect()
}

#[test]
fn lists_and_arrays_go_item_by_item() {
    assert_eq!(list("array([15, 15]) / 2"), [7.5, 7.5]);
    assert_eq!(list("[15, 15] / 2"), [7.5, 7.5]);
    assert_eq!(list("[1, 2] + [3]"), [1.0, 2.0, 3.0]);
    assert_eq!(list("array([1, 2]) + (3, 4)"), [4.0, 6.0]);
    assert_eq!(list("2 * [1, 2]"), [1.0, 2.0, 1.0, 2.0]);
    assert_eq!(list("2 * array([1, 2])"), [2.0, 4.0]);
    assert_eq!(list("array(list(range(4)), dtype=float) ** 2"), [0.0, 1.0, 4.0, 9.0]);
    assert_eq!(list("-np.radians([180, 0])"), [-std::f64::consts::PI, -0.0]);
    assert_eq!(list("linspace(0, 1, 3)"), [0.0, 0.5, 1.0]);
    assert_eq!(list("(1,)"), [1.0]);
    assert_eq!(evaluate("'a' + \"b\""), Ok(Value::text("ab")));
    assert_eq!(evaluate("1 <= 2"), Ok(Value::Truth(true)));
}

#[test]
fn quotes_lists_that_are_part_of_an_expression() {
    for (text, quoted) in [
        ("a: !np [15, 15] / 2\n", "a: !np '[15, 15] / 2'\n"),
        ("a: !np [1, 2] * 2 # two\nb: 3", "a: !np '[1, 2] * 2' # two\nb: 3"),
        ("{a: !np [1, 2] / 2, b: 1}", "{a: !np '[1, 2] / 2', b: 1}"),
        ("- [!np [[1], [2]] + ['x'], 3]", "- [!np '[[1], [2]] + [''x'']', 3]"),
    ] {
        assert_eq!(quote_lists(text), quoted);
    }
    for text in ["a: !np [1, 2]\n", "a: !np [1, 2] # / 2\n", "# !np [1] / 2", "a: !np 1 / 2", "a: !np [1, 2", "!np "] {
        assert_eq!(quote_lists(text), text);
    }
}

#[test]
fn expressions_bound_their_time_and_memory() {
    for text in ["(", "-", "2**", "[", "not ", "1 if 1 else "] {
        assert_eq!(evaluate(&text.repeat(5000)), Err(EvaluationError::TooLarge), "{text}");
    }
    for text in ["range(10 ** 12)", "[range(50000)] * 40000", "[0] * 10 ** 9", "10 ** 10 ** 10", "zeros(10 ** 9)"] {
        assert_eq!(evaluate(text), Err(EvaluationError::TooLarge), "{text}");
    }
    let doubling = format!("{}[0]{}", "list(2 * ".repeat(30), ")".repeat(30));
    assert_eq!(evaluate(&doubling), Err(EvaluationError::TooLarge));
    assert_eq!(evaluate(&"1+".repeat(100_000)), Err(EvaluationError::TooLarge));
    assert_eq!(number(&format!("{}1{}", "(".repeat(20), ")".repeat(20))), Some(1.0));
}

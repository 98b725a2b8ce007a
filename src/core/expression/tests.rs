//! Expressions have their values, and those of minijinja, the engine that they come from.

mod random;
mod reference;

use super::*;

fn value(text: &str) -> f64 {
    let columns = ["circliness", "centroid.x_m", "void", "previous.y_m"].map(str::to_owned);
    let expressions = Expressions::new(columns.to_vec());
    let scope = Scope {
        step: 7,
        t_s: 0.5,
        count: 3,
        values: &[0.25, 4.0, f64::NAN, 9.0],
        previous: &[0.125, 3.0],
        more_names: &["y"],
        more: &[2.0],
        expressions: Some(&expressions),
    };
    scope.value(text)
}

#[test]
fn expressions_of_numbers_have_their_values() {
    for (text, expected) in [
        ("1 / 2 + 2 * 3", 6.5),
        ("circliness > 0.2", 1.0),
        ("step == 7", 1.0),
        ("step >= 7", 1.0),
        ("circliness > 0.2 and step == 7", 1.0),
        ("not (circliness > 0.2) or count < 3", 0.0),
        ("centroid.x_m - y", 2.0),
        ("min(3, y) + max(0, -1) + abs(-2) + sqrt(16) + floor(1.5)", 9.0),
        ("1 if t_s < 1 else 2", 1.0),
        ("7 // 2 + 7 % 4", 6.0),
        ("1 / (1 - circliness)", 4.0 / 3.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
}

#[test]
fn missing_values_make_no_condition_true() {
    for text in ["void > 0", "void < 0", "not void", "other == 0", "1 / 0 > 0 and void", "1 % 0", ""] {
        assert!(value(text).is_nan(), "{text}: {}", value(text));
    }
}

#[test]
fn defaults_stand_for_missing_values() {
    for (text, expected) in [
        ("default(void, 7)", 7.0),
        ("default(circliness, 7)", 0.25),
        ("default(void + 1, 2) + 1", 3.0),
        ("default(void, 0) or step == 7", 1.0),
        ("default(default(void, previous.void), -1)", -1.0),
        ("previous.circliness + previous.centroid.x_m", 3.125),
        ("default(previous.void, 5)", 5.0),
        ("previous.y_m + previous.circliness", 9.125),
        ("1 if default(void, 0) == default(void, 1) else 2", 2.0),
    ] {
        assert_eq!(value(text), expected, "{text}");
    }
    for text in ["default(void, 1) + void", "default(1, void)", "void + default(void, 1)", "previous.void", "none"] {
        assert!(value(text).is_nan(), "{text}");
    }
}

#[test]
fn an_expression_that_divides_by_zero_has_no_value() {
    let known = ["step", "t_s", "count", "circliness", "y"];
    for text in [
        "circliness / (1 - circliness)",
        "1 / (count - 1)",
        "step % (count - 1) + 7 // (step - 1)",
        "1 / (step - step)",
        "1 / 0",
        "circliness / (count - 3) > 1 or y > 5",
        "1 / (circliness - 1) if circliness != 1 else 0",
    ] {
        assert_eq!(Expression::check(text, &known), Ok(()), "{text}");
    }
    for text in ["1 / (count - 3)", "y % (t_s - 0.5)", "7 // (step - 7)", "1 / 0"] {
        assert!(value(text).is_nan(), "{text}: {}", value(text));
    }
    // What fails whatever the values are is refused, also in a branch or beside a division by zero.
    for text in ["sqrt(1, 2) if y > 5 else 2", "1 / (1 - y) + floor()", "y and sin", "range(3)"] {
        assert!(Expression::check(text, &known).is_err(), "{text}");
    }
}

#[test]
fn hostile_expressions_are_refused_quickly() {
    let known = ["step", "circliness"];
    for (text, why) in [
        ("stp > 1", "unknown name `stp`; did you mean `step`?"),
        ("", "not an expression: expected a number, a name or `(`"),
        ("step >", "not an expression: expected a number, a name or `(` after `step >`"),
        ("step > * 2", "not an expression: expected a number, a name or `(` after `step >`, found `*`"),
        ("(step + 1", "not an expression: expected `)` after `(step + 1`"),
        ("step > 0,5", "not an expression: unexpected `,` after `step > 0`: write decimals with a point"),
        (
            "step > 5 circliness",
            "not an expression: unexpected `circliness` after `step > 5`: expected an operator, such as `and`, between two \
             values",
        ),
        ("'a' * 1000000000", "`'` is not allowed in an expression of numbers"),
        ("a > 1 && b", "`&` is not allowed in an expression of numbers: write `and`"),
        ("a ≥ 1", "`≥` is not allowed in an expression of numbers: write `>=`"),
        ("[1]", "`[` is not allowed in an expression of numbers"),
        ("2 ** 1000", "`**` is not supported: write a product"),
        ("sqrt(1, 2)", "too many arguments"),
    ] {
        assert_eq!(Expression::check(text, &known).unwrap_err().to_string(), why, "{text}");
    }
    for text in ["sin", "step()", "range(9)", "step|length", "x is defined", "step.x.y.z"] {
        assert!(Expression::check(text, &known).is_err() || value(text).is_nan(), "{text}");
    }
    for text in ["(".repeat(900), "-".repeat(900), "not ".repeat(240), "1+".repeat(2000)] {
        assert!(parse(&text).is_err(), "{text}");
    }
}

#[test]
fn expressions_distinguish_names_from_keywords() {
    for (text, is) in [("fatness_2", true), ("_a", true), ("2a", false), ("a-b", false), ("step", false), ("or", false)]
    {
        assert_eq!(is_name(text), is, "{text}");
    }
}

#[test]
fn lists_in_expressions_are_allowed_only_after_in() {
    for (text, expected) in [
        ("step in (1, 7)", 1.0),
        ("step not in (1, 7)", 0.0),
        ("1 + step in (8,) and y in (2, void)", f64::NAN),
        ("y in () or not (3 in (y, 3.0))", 0.0),
    ] {
        let value = value(text);
        assert!(value == expected || (value.is_nan() && expected.is_nan()), "{text}: {value}");
    }
    for text in ["(1, 2)", "step in (7)", "step in 7", "step in (1, 7) + (2,)", "1 < step in (7,)", "()"] {
        assert!(matches!(parse(text), Err(ExpressionError::Unsupported(_))), "{text}");
    }
}

#[test]
fn expressions_are_compiled_once_for_each_set_of_names() {
    let expressions = Expressions::new(vec!["a".into()]);
    let scope = Scope { values: &[1.0], expressions: Some(&expressions), ..Scope::default() };
    let agent = Scope { more_names: &["a"], more: &[2.0], ..scope };
    for _ in 0..2 {
        assert_eq!([scope.value("a"), agent.value("a"), scope.value("a + 1")], [1.0, 2.0, 2.0]);
    }
    // There can be more expressions than are kept.
    for number in 0..1000 {
        assert_eq!(scope.value(&format!("a + {number}")), 1.0 + f64::from(number));
    }
}

#[test]
fn nested_expressions_are_refused_before_they_are_too_deep() {
    let nested = |open: &str, close: &str, levels: usize| format!("{}1{}", open.repeat(levels), close.repeat(levels));
    for (open, close, most) in [("(", ")", 74), ("abs(", ")", 148), ("1<0+1*(", ")", 74)] {
        assert!(parse(&nested(open, close, most)).is_ok(), "{open}");
        assert_eq!(parse(&nested(open, close, most + 1)).err(), Some(ExpressionError::TooDeep), "{open}");
    }
    for text in [nested("-", "", 999), nested("not ", "", 249), nested("1 if 0 else ", "", 83), nested("1+", "", 499)] {
        assert!(parse(&text).is_ok(), "{text}");
    }
}

#[test]
fn pi_is_a_constant_unless_it_is_the_name_of_a_value() {
    let value = |text: &str| Expression::new(text, &[], &[]).unwrap().value(&Scope::default());
    assert_eq!([value("pi / 2"), value("-pi")], [std::f64::consts::FRAC_PI_2, -std::f64::consts::PI]);
    assert_eq!(Expression::check("x > pi / 6", &["x"]), Ok(()));
    assert!(Expression::check("x > py / 6", &["x"]).is_err());
    let named = Expression::new("pi", &["pi".to_owned()], &[]).unwrap();
    assert_eq!(named.value(&Scope { values: &[3.0], ..Scope::default() }), 3.0);
    let more = Scope { more_names: &["pi"], more: &[4.0], ..Scope::default() };
    assert_eq!(more.value("2 * pi"), 8.0);
}

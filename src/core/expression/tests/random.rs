//! Random expressions have the values of minijinja, and random texts are accepted or refused alike.

use proptest::prelude::*;

use super::super::*;
use super::reference;

/// The names that random expressions use, with their values.
const NAMES: [(&str, f64); 10] = [
    ("step", 7.0),
    ("t_s", 0.5),
    ("count", 3.0),
    ("a", 0.25),
    ("b_2", -17.5),
    ("centroid.x_m", 4.0),
    ("centroid.y_m", 0.0),
    ("previous.a", 1e300),
    ("void", f64::NAN),
    ("void.x", f64::NAN),
];

/// The value of a name; the last names have none.
fn value_of(name: &str) -> f64 {
    NAMES.iter().find(|(known, _)| *known == name).map_or(f64::NAN, |(_, value)| *value)
}

/// The value of an expression by the compiled program.
fn value(text: &str) -> Result<f64, ExpressionError> {
    let columns = ["a", "b_2", "centroid.x_m", "centroid.y_m", "void"].map(str::to_owned);
    let values = [0.25, -17.5, 4.0, 0.0, f64::NAN];
    let scope = Scope { step: 7, t_s: 0.5, count: 3, values: &values, previous: &[1e300], ..Scope::default() };
    Ok(Expression::new(text, &columns, &["void.x"])?.value(&scope))
}

fn is_same(left: f64, right: f64) -> bool {
    left.to_bits() == right.to_bits() || (left.is_nan() && right.is_nan())
}

fn name() -> impl Strategy<Value = String> {
    prop::sample::select(&NAMES[..]).prop_map(|(name, _)| name.to_owned())
}

fn number() -> impl Strategy<Value = String> {
    let whole = prop_oneof![
        4 => (0..20_i128).boxed(),
        1 => any::<u32>().prop_map(i128::from).boxed(),
        1 => (0..1_i128 << 70).boxed(),
        1 => (0..1_i128 << 100).boxed(),
    ];
    let float = prop::sample::select(&["0.0", "0.5", "1.", "2e3", "1e-3", "1e308", "1e400", "7.0", "1_0.2_5"][..]);
    prop_oneof![
        4 => whole.prop_map(|number| number.to_string()),
        2 => float.prop_map(str::to_owned),
        1 => (-1e3..1e3).prop_map(|number: f64| format!("{number:?}").trim_start_matches('-').to_owned()),
        1 => prop::sample::select(&["0x1F", "0b101", "0o17", "1_000", "9007199254740993"][..]).prop_map(str::to_owned),
        1 => prop::sample::select(&["true", "False", "none", "None"][..]).prop_map(str::to_owned),
    ]
}

/// A random expression; most operands are in parentheses, so that precedence matters in the others.
fn expression() -> impl Strategy<Value = String> {
    let leaf = prop_oneof![2 => number(), 3 => name()];
    leaf.prop_recursive(6, 40, 3, |inner| {
        let operand = prop_oneof![
            3 => inner.clone().prop_map(|text| format!("({text})")),
            2 => inner.clone(),
        ];
        let operators =
            ["+", "-", "*", "/", "//", "%", "<", "<=", ">", ">=", "==", "!=", " and ", " or ", "+", "*", " - ", " < "];
        let operator = prop::sample::select(operators.to_vec());
        let comparison = prop::sample::select(vec!["<", "<=", ">", ">=", "==", "!="]);
        let unary = prop::sample::select(vec!["abs", "sqrt", "floor", "sin", "cos", "exp"]);
        let binary = prop::sample::select(vec!["min", "max", "default", "default"]);
        let (a, b, c) = (operand.clone(), operand.clone(), operand.clone());
        prop_oneof![
            6 => (a.clone(), operator, b.clone()).prop_map(|(a, operator, b)| format!("{a}{operator}{b}")),
            2 => (a.clone(), comparison.clone(), b.clone(), comparison, c.clone())
                .prop_map(|(a, first, b, second, c)| format!("{a} {first} {b} {second} {c}")),
            1 => operand.clone().prop_map(|a| format!("(not {a})")),
            1 => operand.clone().prop_map(|a| format!("-{a}")),
            2 => (a.clone(), b.clone(), c.clone()).prop_map(|(a, b, c)| format!("{a} if ({b}) else {c}")),
            1 => (a.clone(), b.clone()).prop_map(|(a, b)| format!("{a} if ({b})")),
            2 => (unary, inner.clone()).prop_map(|(function, a)| format!("{function}({a})")),
            3 => (binary, inner.clone(), inner.clone()).prop_map(|(function, a, b)| format!("{function}({a}, {b})")),
            1 => (a.clone(), b.clone(), c.clone()).prop_map(|(a, b, c)| format!("{a} in ({b}, {c})")),
            1 => (a, inner.clone()).prop_map(|(a, b)| format!("({a} not in ({b},))")),
        ]
    })
}

/// A text of random tokens of the language.
fn tokens() -> impl Strategy<Value = String> {
    let tokens = [
        "1",
        "2.5",
        "0",
        "a",
        "t_s",
        "centroid.x_m",
        "void",
        "(",
        ")",
        "(",
        ")",
        ",",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "<",
        "<=",
        ">",
        ">=",
        "==",
        "!=",
        "=",
        "!",
        ".",
        "and",
        "or",
        "not",
        "if",
        "else",
        "in",
        "is",
        "true",
        "none",
        "abs(",
        "min(",
        "default(",
        "sin",
        "1.",
        ".5",
        "1e",
        "1e3",
        "0x",
        "0xg",
        "1_",
        "1_0",
        "x.",
        "a.b",
        "2a",
    ];
    let token = prop::sample::select(tokens.to_vec());
    let space = prop::sample::select(vec!["", " ", " ", "  "]);
    prop::collection::vec((token, space), 0..12)
        .prop_map(|tokens| tokens.into_iter().flat_map(|(token, space)| [token, space]).collect())
}

/// Both engines accept a text and have the same value, or both refuse it. This one also refuses what cannot have a
/// meaning for numbers, such as lists, and calls of functions with other arguments than they take.
fn agree(text: &str) -> Result<(), TestCaseError> {
    // The reference finds optional names in the text, without spaces inside. In minijinja, `void` is a map beside
    // `void.x`.
    let names = parse(text).map_or_else(|_| Vec::new(), |parsed| parsed.names);
    let is_part = |name: &parse::Name| names.iter().any(|other| name.text.starts_with(&format!("{}.", other.text)));
    if [" .", ". "].iter().any(|space| text.contains(space)) || names.iter().any(is_part) {
        return Ok(());
    }
    match (value(text), reference::value(text, value_of)) {
        (Ok(own), Ok(other)) => prop_assert!(is_same(own, other), "{text}: {own}, minijinja: {other}"),
        (Ok(own), Err(error)) => prop_assert!(false, "{text}: {own}, but minijinja refuses it: {error}"),
        (Err(_), Err(_)) | (Err(ExpressionError::Unsupported(_) | ExpressionError::Evaluation(_)), Ok(_)) => {}
        (Err(error), Ok(other)) => prop_assert!(false, "{text}: {error}, minijinja: {other}"),
    }
    Ok(())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(4000))]

    #[test]
    fn random_expressions_have_the_values_of_minijinja(text in expression()) {
        agree(&text)?;
        // No expression of the generator is refused for its form; some are too long.
        let is_fine = matches!(value(&text), Ok(_) | Err(ExpressionError::TooLong | ExpressionError::Unsupported(_)));
        prop_assert!(is_fine, "{text}: {:?}", value(&text));
    }

    #[test]
    fn random_tokens_are_accepted_or_refused_alike(text in tokens()) {
        agree(&text)?;
    }

    #[test]
    fn damaged_expressions_are_accepted_or_refused_alike(
        text in expression(),
        place in any::<prop::sample::Index>(),
        length in 0..3_usize,
        piece in prop::sample::select(vec!["", "(", ")", " ", ".", "-", "*", "1", "a", ",", "=", "not ", "e", "_"]),
    ) {
        let start = place.index(text.len() + 1);
        let end = (start + length).min(text.len());
        agree(&format!("{}{piece}{}", &text[..start], &text[end..]))?;
    }
}

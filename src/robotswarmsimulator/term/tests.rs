use super::super::jinja;
use super::*;

fn translated(text: &str) -> Outcome {
    let mut lookup = |path: &str| {
        Ok(Some(match path {
            "a" | "b" => Term::number(path),
            "m" => Term::column(path, None),
            "found" => Term::agent(path, None),
            _ => return Ok(None),
        }))
    };
    term(&jinja::expression(text).unwrap(), &mut lookup)
}

#[test]
fn numbers_and_conditions_carry_over() {
    for (text, ours) in [
        ("a + 2 * b", "(a + (2 * b))"),
        ("0 < a < 10", "((0 < a) and (a < 10))"),
        ("-(a|abs)", "(-abs(a))"),
        ("a ** 2 - np.sqrt(b)", "((a * a) - sqrt(b))"),
        ("a if b else False", "(a if b else 0)"),
        ("(a > 1) + 1", "((1 if (a > 1) else 0) + 1)"),
        ("a in [1, 2]", "((a == 1) or (a == 2))"),
        ("[a, b, 3]|max", "max(max(a, b), 3)"),
        ("world.population|length // 2", "(count // 2)"),
        ("unknown|default(3)", "3"),
    ] {
        assert_eq!(translated(text).unwrap().value(), ours, "{text}");
    }
}

#[test]
fn terms_without_a_value_are_false() {
    assert_eq!(translated("m").unwrap().value(), "(default(m, 0) if default(m, 0) == default(m, 1) else none)");
    assert_eq!(translated("m or a > 3").unwrap().holds(), "(default(m, 0) or (a > 3))");
    assert_eq!(translated("not m").unwrap().holds(), "(not default(m, 0))");
    assert_eq!(translated("m is none").unwrap().holds(), "(not (default(m, 0) == default(m, 1)))");
    assert_eq!(translated("m == 0").unwrap().holds(), "(default(m, 0) == default(m, 1) and default(m, 0) == 0)");
    assert_eq!(translated("found and a").unwrap().holds(), "(default(found, -1) >= 0 and a)");
}

#[test]
fn parts_without_a_counterpart_are_refused() {
    for text in [
        "a ~ b", "'x'", "a ** b", "a % b", "other", "a|round", "a|length", "f(a)", "a.b[a]", "[1]", "(1, 2)", "{}",
        "a[1:]",
    ] {
        assert!(translated(text).is_err(), "{text}");
    }
}

#[test]
fn terms_that_grow_are_refused() {
    for text in [
        format!("a{}", "|int".repeat(100)),
        format!("a{}", " ** 3".repeat(100)),
        format!("m{}", "|default(1, true)".repeat(50)),
        format!("{}a{}", "(".repeat(40), " in [1, 2])".repeat(40)),
    ] {
        assert_eq!(translated(&text), Err(TermError::TooLong), "{text}");
    }
}

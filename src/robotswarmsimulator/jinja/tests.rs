use super::*;

fn name(text: &str) -> Box<Expr> {
    Box::new(Expr::Name(text.into()))
}

#[test]
fn operators_bind_as_in_jinja() {
    let number = |text: &str| Box::new(Expr::Number(text.into()));
    assert_eq!(
        expression("-x|abs"),
        Ok(Expr::Filter(Box::new(Expr::Signed("-", name("x"))), "abs".into(), Vec::new()))
    );
    assert_eq!(
        expression("2 ** 3 ** 2"),
        Ok(Expr::Binary("**", Box::new(Expr::Binary("**", number("2"), number("3"))), number("2")))
    );
    assert_eq!(
        expression("0 < t <= 1e-3"),
        Ok(Expr::Compare(number("0"), vec![("<", *name("t")), ("<=", *number("1e-3"))]))
    );
    let first = Expr::Item(Box::new(Expr::Attribute(name("world"), "metrics".into())), number("1"));
    assert_eq!(expression("world.metrics[1].value"), Ok(Expr::Attribute(Box::new(first), "value".into())));
    assert_eq!(
        expression("a if b else c if d"),
        Ok(Expr::If(name("b"), name("a"), Box::new(Expr::If(name("d"), name("c"), Box::new(Expr::Nothing)))))
    );
    assert_eq!(expression("a is not none"), Ok(Expr::Not(Box::new(Expr::Test(name("a"), "none".into(), Vec::new())))));
}

#[test]
fn templates_set_variables() {
    let text = "a {# b #} {{ c }}\n{% set x = 1 %}{%- if x -%}{% set y = 2 %}{% else %}{% set y = 3 %}{% endif %}";
    let statements = template(text).unwrap();
    assert!(matches!(&statements[..], [Statement::Set(x, _), Statement::If(branches, otherwise)]
        if x == "x" && branches.len() == 1 && otherwise.len() == 1));
    for (text, why) in [
        ("{% for a in b %}{% endfor %}", "the statement `for` cannot be imported: only `set` and `if`"),
        ("{% if a %}", "an `if` has no `endif`"),
        ("{% endif %}", "`endif` has no `if`"),
        ("{% set a", "`{%` is not closed"),
    ] {
        assert_eq!(template(text).unwrap_err().to_string(), why);
    }
}

#[test]
fn hostile_texts_are_refused() {
    for text in ["(".repeat(9000), "not ".repeat(4000), "- ".repeat(9000), "a if ".repeat(3000), "[".repeat(9000)] {
        assert!(expression(&text).is_err());
    }
    assert!(template(&"{% if a %}".repeat(9000)).is_err());
    for text in ["", "a b", "a +", "'a", "a ? b", "a.", "f(", "not", "{"] {
        assert!(expression(text).is_err(), "{text}");
    }
}

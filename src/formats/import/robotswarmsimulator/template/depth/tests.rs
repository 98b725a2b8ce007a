use super::*;

fn message(template: &str) -> String {
    check(template).map_or_else(|error| format!("{}: {}", error.line, error.fault), |()| "fine".into())
}

#[test]
fn deep_expressions_are_refused() {
    let deep = [
        ("", "+1", ""),
        ("", "|abs", ""),
        ("", ".a", ""),
        ("", "[0]", ""),
        ("'}>'", "~'a'", ""),
        ("\"\\\"\"", "~ 1", ""),
        ("", " if 1 else 1", ""),
        ("not not not ", " and not 1", ""),
        ("f(", "+1", ")"),
    ];
    let hidden = format!("a: b #%> '\n<% raw %><{{ ' <% endraw %>\n<{{ 1{} }}> '", "+1".repeat(26_000));
    assert!(message(&hidden).starts_with("3: an expression"));
    for (before, part, after) in deep {
        let long = format!("{before} 1{}{after}", part.repeat(26_000));
        let text = format!("a: 1\nb: <{{ {long} }}>");
        assert!(message(&text).starts_with("2: an expression has more than 500 words"), "{part}");
        let text = format!("#%> set a = {long}\n");
        assert!(message(&text).starts_with("1: an expression has more than 500 words"), "{part}");
    }
    let signs = format!("<{{ {}1 }}>", "-".repeat(26_000));
    assert!(message(&signs).starts_with("1: an expression"));
    // Tokens within brackets count as well.
    let brackets = format!("<{{ {}1{} }}>", "(".repeat(100), "+1+1+1)".repeat(100));
    assert!(message(&brackets).starts_with("1: an expression"));
}

#[test]
fn many_branches_are_refused() {
    let branches = "<% if a %>\n".to_owned() + &"<% elif a %>\n".repeat(17_500) + "<% endif %>";
    assert_eq!(message(&branches), "502: more than 500 `elif` are within each other");
    let within = ("<% if a %>".to_owned() + &"<%- elif a %>".repeat(100)).repeat(6);
    assert!(message(&within).ends_with("within each other"));
    let lines = "#%> if a\n".to_owned() + &"#%> elif a\n".repeat(501);
    assert!(message(&lines).starts_with("502: "));
}

#[test]
fn long_templates_are_fine() {
    let list = format!("<% set a = [{}] %>", "-0.25, ".repeat(10_000));
    let ifs = "<% if a == 'x' %>1<% elif a %>2<% endif %>".repeat(10_000);
    let text = "a: 1 + 1 # <\n".repeat(10_000);
    let comment = format!("{{# {} #}}", "1 + ".repeat(10_000));
    for text in [&list, &ifs, &text, &comment, "", "<{", "<% if", "<{ '", "<{ ))) }>"] {
        assert_eq!(message(text), "fine");
    }
}

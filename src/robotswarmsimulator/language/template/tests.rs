use super::*;

fn variables(pairs: &[(&str, &str)]) -> Variables {
    pairs.iter().map(|(name, value)| ((*name).to_string(), value_of(value).unwrap())).collect()
}

fn text(template: &str, pairs: &[(&str, &str)]) -> String {
    render(template, &variables(pairs)).unwrap_or_else(|error| panic!("{error:?}")).text
}

fn error(template: &str) -> String {
    let error = render(template, &Variables::new()).unwrap_err();
    format!("{}: {error}", error.line)
}

#[test]
fn runs_all_three_kinds_of_tags() {
    assert_eq!(text("n: <{ n | default(6) }>\n", &[]), "n: 6\n");
    assert_eq!(text("n: <{ n|default(6) }>\n", &[("n", "1_0")]), "n: 10\n");
    assert_eq!(text("<% set a = 2 %>\na: <{ a * 3 }>", &[]), "\na: 6");
    let lines = "agents:\n#%> for i in range(2)\n  - {x: <{ i }>}\n  #%> endfor\n# %> not\n##%> not\nb: 1\n";
    assert_eq!(text(lines, &[]), "agents:\n  - {x: 0}\n  - {x: 1}\n# %> not\n##%> not\nb: 1\n");
    assert_eq!(text("<% if mode == 'a' %>1<% elif mode %>2<% else %>3<% endif %>", &[("mode", "b")]), "2");
    assert_eq!(text("<{ math.pi // 1 }> <{ np.sqrt(4) }> <{ '%' }>{# gone #}", &[]), "3.0 2.0 %");
    assert_eq!(text("<%- if true -%>\n  a\n<%- endif -%>\nb", &[]), "ab");
}

#[test]
fn lines_are_traced_to_the_template() {
    let rendered =
        render("a\n#%> for i in [1, 2]\nb\nc\n#%> endfor\n<% set\n  x = 1 %>\nd\n", &Variables::new()).unwrap();
    assert_eq!(rendered.text, "a\nb\nc\nb\nc\n\nd\n");
    assert_eq!(rendered.lines, [1, 3, 4, 3, 4, 7, 8]);
    assert_eq!(rendered.variables["x"], Value::Whole(1));
}

#[test]
fn errors_have_lines() {
    assert!(error("a\nb: <{ n.x }>").starts_with("2: template: the variable `n` has no value"));
    assert!(error("a\n<% if %>").starts_with("2: template: "));
    assert!(error("<{ a | nope }>").contains("nope"));
    assert!(error("\n<% include 'x' %>").starts_with("2: "));
}

#[test]
fn variables_hold_lists_maps_texts_and_numbers() {
    let given =
        [("g", "[0.2, 0.5, [1, x]]"), ("m", "{a: 1, b: {c: yes}}"), ("t", "'[1]'"), ("n", "-2.5"), ("w", "a b")];
    assert_eq!(text("<{ g[0] + g[2][0] }> <{ g[2][1] }> <{ g|length }>", &given), "1.2 x 3");
    assert_eq!(text("<{ m.a }> <{ m.b.c }> <{ m['a'] }>", &given), "1 True 1");
    assert_eq!(text("<{ t }> <{ n }> <{ w }>", &given), "[1] -2.5 a b");
    for wrong in ["[1, 2", "{a: ", "'a", "[*b]", "{a: &b 1, c: *b}"] {
        assert!(value_of(wrong).is_err(), "{wrong}");
    }
}

#[test]
fn names_the_variable_that_has_no_value() {
    let given = variables(&[("g", "[1, 2]"), ("m", "{a: 1}")]);
    for (template, place, name) in [
        ("a\nb: [<{ g[0] }>, <{ h[0] }>]", (2, 20), "the variable `h` has no value"),
        ("b: <{ g[0] }> <{ 'h' ~ m.b.c }>", (1, 24), "`m.b` has no value"),
        ("<{ x|default(1) }> <{ m.a + m.b }>", (1, 29), "`m.b` has no value"),
        ("#%> set a = 1\n#%> if a > n[0]\n#%> endif\n", (2, 12), "the variable `n` has no value"),
        ("<% set b = y|d(2) + z %>", (1, 21), "the variable `z` has no value"),
        ("{# <{ a }> #}<{ b.c }>", (1, 17), "the variable `b` has no value"),
    ] {
        let error = render(template, &given).unwrap_err();
        assert_eq!((error.line, error.column), place, "{template}: {error}");
        assert!(error.to_string().contains(name), "{template}: {error}");
    }
}

#[test]
fn a_variable_without_a_value_is_written_as_nothing() {
    let Rendered { text, missing, .. } = render("a: 1\nseed: <{ seed }>\n", &Variables::new()).unwrap();
    assert_eq!(text, "a: 1\nseed: \n");
    let [missing] = &missing[..] else { panic!("{missing:?}") };
    assert_eq!((missing.line, missing.column), (2, 10));
    assert!(missing.to_string().contains("the variable `seed` has no value"), "{missing}");
    for fine in [
        "<{ seed|default(1) }>",
        "<% if seed %>1<% endif %>",
        "#%> for a in [1]\n<{ a }>\n#%> endfor\n",
        "<% if seed %>\nseed: <{ seed }>\n<% endif %>",
        "<{ seed if seed is defined else 3 }>",
        "<{ 1 if 2 is not odd else 3 }>",
        "{# <{ seed }> #}",
    ] {
        assert!(render(fine, &Variables::new()).unwrap().missing.is_empty(), "{fine}");
    }
}

#[test]
fn characters_of_the_user_stay() {
    let rendered = render("a: \u{f8f0}7\u{f8f1}\u{e000}\nb: <{ 1 }>\n", &Variables::new()).unwrap();
    assert_eq!(rendered.text.as_str(), "a: \u{f8f0}7\u{f8f1}\u{e000}\nb: 1\n");
    assert_eq!(rendered.lines, vec![1, 2]);
}

#[test]
fn tags_stand_in_their_lines() {
    let found = tags::pieces("#%> set a = 1\n<% set b\n= 2 %>#%> x\n y #%> z\n  #%> set c = 3").unwrap();
    let lines =
        found.iter().filter_map(|piece| if let tags::Piece::Tag(_, _, line) = piece { Some(*line) } else { None });
    assert_eq!(lines.collect::<Vec<_>>(), [1, 3, 5]);
    let text = |piece: &tags::Piece| matches!(piece, tags::Piece::Text(text, 3) if text == "#%> x\n y #%> z\n");
    assert!(found.iter().any(text), "{found:?}");
}

#[test]
fn templates_bound_their_time_and_memory() {
    let loops = "<% for i in range(9999) %>".repeat(3) + "x" + &"<% endfor %>".repeat(3);
    assert_eq!(error(&loops), "1: template: the expression takes too many steps");
    let large = "1: template: the expression or its value is too large";
    assert_eq!(error("<% for i in range(10 ** 12) %><% endfor %>"), large);
    assert_eq!(error("<{ 'x' * 10 ** 10 }>\n<{ a }>"), large);
    let doubled = format!("<% set x = '0' %>\n{}", "<% set x = x ~ x %>\n".repeat(40));
    assert!(error(&doubled).contains("too"), "{}", error(&doubled));
    let long = format!("<% set x = '{}' %><% for i in range(9999) %><{{ x }}><% endfor %>", "x".repeat(5000));
    assert_eq!(error(&long), "1: template: it writes more than 16 MiB");
    let quoted = format!("<{{ '{}' }}>", "<{ ".repeat(300_000));
    assert!(render(&quoted, &Variables::new()).unwrap().missing.is_empty());
    let calls = "<% macro m() %><{ m() }><% endmacro %><{ m() }>";
    assert_eq!(error(calls), large);
    let (open, close) = ("<% for i in [1] %>".repeat(40), "<% endfor %>".repeat(40));
    assert!(error(&format!("<% macro m() %>{open}<{{ m() }}>{close}<% endmacro %><{{ m() }}>")).ends_with("too large"));
    assert_eq!(text(&("<% if 1 %>".repeat(49) + "a" + &"<% endif %>".repeat(49)), &[]), "a");
    for (open, close) in [("<% if a %>", "<% endif %>"), ("<% for i in [1] %>", "<% endfor %>")] {
        assert!(error(&(open.repeat(9000) + &close.repeat(9000))).contains("more than 50 statements"));
    }
    for inner in ["(".repeat(9000), "1 + ".repeat(9000), "not ".repeat(9000), "a.b".repeat(9000), "[".repeat(9000)] {
        assert!(render(&format!("<{{ {inner} }}>"), &Variables::new()).is_err());
    }
    let branches = format!("<% if a %>{}<% endif %>b", "<% elif a %>".repeat(9000));
    assert_eq!(text(&branches, &[]), "b");
    let many = "#%> set a = 1\n".repeat(50_000);
    assert_eq!(text(&many, &[]), "");
}

/// `set` makes a variable of a block, whose text is not written; a macro writes the variables of the template.
#[test]
fn statements_have_scopes() {
    assert_eq!(text("<% set x %>y<% endset %><{ x }>", &[]), "y");
    assert_eq!(
        text(
            "<% set a = 1 %><% macro m(b) %><{ a }><{ b }><{ c }><% endmacro %><% for c in [5] %><{ m(2) }><% endfor %>",
            &[]
        ),
        "12"
    );
    for (wrong, why) in [
        ("<% endif %>", "1: template: `endif` has no beginning"),
        ("a\n<% for i in [1] %>", "2: template: there is no `endfor`"),
        ("<% import 'x' as y %>", "1: template: the statement `import` is not known here"),
        ("<{ 1", "1: template: `<{` is not closed"),
        ("<{ 1 / 0 }>", "1: template: division by zero"),
    ] {
        assert_eq!(error(wrong), why);
    }
}

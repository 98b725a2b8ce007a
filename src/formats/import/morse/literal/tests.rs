use proptest::prelude::*;

use super::*;

/// Any literal, to a depth of three.
pub(crate) fn literals() -> impl Strategy<Value = Literal> {
    let leaves = prop_oneof![
        Just(Value::Null).prop_map(Literal::Leaf),
        any::<bool>().prop_map(Value::Bool).prop_map(Literal::Leaf),
        any::<i64>().prop_map(Value::Int).prop_map(Literal::Leaf),
        any::<f64>().prop_filter("finite", |number| number.is_finite()).prop_map(Value::Number).prop_map(Literal::Leaf),
        any::<String>().prop_map(Value::Text).prop_map(Literal::Leaf),
        "-?[1-9][0-9]{19,40}".prop_map(Literal::Integer),
    ];
    leaves.prop_recursive(3, 24, 4, |inner| {
        let items = proptest::collection::vec(inner.clone().prop_map(Node::from), 0..4);
        prop_oneof![
            items.clone().prop_map(Literal::List),
            items.prop_map(Literal::Tuple),
            proptest::collection::btree_map(any::<String>(), inner, 0..4).prop_map(Literal::map),
        ]
    })
}

proptest! {
    #[test]
    fn written_literals_read_back(written in literals()) {
        prop_assert_eq!(value(&write(&written)).unwrap().plain(), written);
    }

    #[test]
    fn reading_never_panics(text in "\\PC*", signs in "[\\[\\](){}'\"\\\\,:=#eE0-9.+\\-_ \n\ra-z]*") {
        let _ = (assignments(&text), assignments(&signs), value(&signs));
    }
}

#[test]
fn the_output_of_pprint_is_read() {
    let text = "# a comment\r\nb = {'k': [(1, 2.5, -3e-2), (True,), (), None], # another\n  \"it's\": ('long '\n   'text'),\n }\n\na = [\n]; c = u'\\x41\\u00e4\\n' \\\n\n";
    let found: Vec<_> =
        assignments(text).unwrap().into_iter().map(|one| (one.name, write(&one.value.plain()))).collect();
    let expected =
        [("b", "{\"it's\": 'long text', 'k': [(1, 2.5, -0.03), (True,), (), None]}"), ("a", "[]"), ("c", "'Aä\\n'")];
    assert_eq!(found, expected.map(|(name, value)| (name.to_owned(), value.to_owned())));
}

#[test]
fn other_texts_are_refused_with_their_places() {
    for (text, expected) in [
        ("import os\n", "1:8: expected `=` and a value after `import`: only assignments are read"),
        (
            "a = open('x')\n",
            "1:5: expected a text in quotes, a number, True, False, None, a list, a tuple or a dictionary, found `open`: nothing is run",
        ),
        ("a = [1 2]", "1:8: expected `,` or the `]` for 1:5, found `2`"),
        ("a = {1: 2}", "1:6: expected a key, a text in quotes, found `1`"),
        ("a = {'x' 2}", "1:10: expected `:` after the key `x`, found `2`"),
        ("a = {'x': 1, 'x': 2}", "1:14: the key `x` is there already"),
        ("a = 'x\n'", "1:5: expected a ' at the end of this text in its line"),
        ("a = 1 + 1", "1:7: expected the end of the line after a value, found `+`"),
        ("a = 0x10", "1:5: expected a decimal number, found `0x10`"),
        ("a = 9e999", "1:5: expected a decimal number, found `9e999`"),
        ("a == 1", "1:4: expected `=` and a value after `a`: only assignments are read"),
        ("a = '\\q'", "1:6: expected one of \\n, \\t, \\\\, \\', \\\", \\x, \\u, found \\q"),
        ("\n  %", "2:3: expected `NAME = VALUE`, found `%`"),
        (
            "a = ",
            "1:5: expected a text in quotes, a number, True, False, None, a list, a tuple or a dictionary, found the end",
        ),
    ] {
        assert_eq!(assignments(text).unwrap_err().to_string(), expected, "{text}");
    }
}

#[test]
fn deep_nesting_is_refused() {
    let deep = format!("a = {}{}", "[".repeat(100_000), "]".repeat(100_000));
    assert!(assignments(&deep).unwrap_err().message.contains("at most 64"));
}

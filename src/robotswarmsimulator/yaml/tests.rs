use std::time::Instant;

use swarmarium_base::problem::Problem;

use super::{Node, Value};
use crate::Options;
use crate::scalar::Scalar;
use crate::sources::Sources;

/// The tree of a text with the warnings, or the problems.
fn read(text: &str) -> Result<(Node, Vec<Problem>), Vec<Problem>> {
    let options = Options::default();
    let mut sources = Sources::new(&options);
    let text = sources.world("w.yaml", text);
    let node = text.and_then(|text| super::read(&mut sources, &text));
    let Sources { problems, warnings, .. } = sources;
    node.filter(|_| problems.is_empty()).map(|node| (node, warnings)).ok_or(problems)
}

/// A compact form of a tree: scalars as they resolve.
fn show(node: &Node) -> String {
    match &node.value {
        Value::Scalar { text, .. } => match node.scalar() {
            Scalar::Text => text.clone(),
            scalar => format!("{scalar:?}"),
        },
        Value::Computed(scalar) => format!("{scalar:?}"),
        Value::List(items) => format!("[{}]", items.iter().map(show).collect::<Vec<_>>().join(", ")),
        Value::Map(entries) => {
            let entries = entries.iter().map(|(key, value)| format!("{}: {}", show(key), show(value)));
            format!("{{{}}}", entries.collect::<Vec<_>>().join(", "))
        }
    }
}

fn tree(text: &str) -> String {
    show(&read(text).unwrap().0)
}

fn lines(problems: Vec<Problem>) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

fn problems(text: &str) -> String {
    lines(read(text).unwrap_err())
}

fn warnings(text: &str) -> String {
    lines(read(text).unwrap().1)
}

#[test]
fn resolves_scalars_by_tag_and_quotes() {
    assert_eq!(
        tree("[1, '1', \"yes\", !!str 1, !!int '1', !!float 1e-3, ! 1, !!bool no]"),
        "[Int(1), 1, yes, 1, Int(1), Float(0.001), 1, Bool(false)]"
    );
    assert_eq!(tree("a: !np 1 / 40\nb: !np foo + 1\n..."), "{a: Float(0.025), b: foo + 1}");
    assert_eq!(tree("!np [1 + 1, [2 * 3, away]]"), "[Int(2), [Int(6), away]]");
    assert_eq!(tree("!np {1 + 1: 2 / 4}"), "{Int(2): Float(0.5)}");
    assert_eq!(tree("a: !np [15, 15] / 2"), "{a: [Float(7.5), Float(7.5)]}");
    assert_eq!(tree("a: !np array([1, 2]) * 2\nb: !np 1 < 2"), "{a: [Int(2), Int(4)], b: Bool(true)}");
    assert_eq!(tree("a:\nb: ~"), "{a: Null, b: Null}");
}

#[test]
fn follows_aliases_and_merges() {
    assert_eq!(tree("a: &a {x: 1}\nb: *a"), "{a: {x: Int(1)}, b: {x: Int(1)}}");
    assert_eq!(tree("- &a {x: 1, y: 2}\n- <<: *a\n  x: 3"), "[{x: Int(1), y: Int(2)}, {x: Int(3), y: Int(2)}]");
    let two = "- &a {x: 1}\n- &b {x: 2, y: 2}\n- <<: [*a, *b]";
    assert_eq!(tree(two), "[{x: Int(1)}, {x: Int(2), y: Int(2)}, {x: Int(1), y: Int(2)}]");
}

#[test]
fn nodes_have_places() {
    let (root, _) = read("a: 1\nb:\n  - !np 2\n  - é: 3").unwrap();
    let Value::Map(entries) = &root.value else { panic!() };
    let Value::List(items) = &entries[1].1.value else { panic!() };
    let places: Vec<_> = items.iter().map(|item| (item.place.within.line, item.place.within.column)).collect();
    assert_eq!(places, [(3, 5), (4, 5)]);
}

#[test]
fn reports_problems_with_their_places() {
    assert_eq!(tree("a: 1\nb: 2\na: 3\n"), "{a: Int(3), b: Int(2)}");
    insta::assert_snapshot!(warnings("a: 1\nb: 2\na: 3\n"), @"3:1: the key `a` is there twice: this one counts");
    insta::assert_snapshot!(warnings("a: !np foo + 1\n"), @"1:4: the expression has no value: its text is kept, as in RobotSwarmSimulator");
    assert_eq!(tree("--- {a: 1}\n--- {type: w}\n--- {b: 2}\n..."), "{type: w}");
    insta::assert_snapshot!(warnings("--- {a: 1}\n--- {b: 2}\n"), @"2:5: of several documents, this one is taken as the world");
    insta::assert_snapshot!(problems("a: !np 10 ** 10 ** 10\n"), @"1:4: the expression or its value is too large");
    insta::assert_snapshot!(problems("a: !include nowhere.yaml\n"), @"1:4: there is no file `nowhere.yaml`");
    insta::assert_snapshot!(problems("a: !include [b.yaml]\nc: !foo 1\nd: !!foo 1\n"), @"
    1:4: `!include` takes the name of a file
    2:4: unknown tag `!foo`
    3:4: unknown tag `!!foo`
    ");
    assert!(warnings("a: !!python/object/apply:foo.bar 3\n").contains("the Python object `foo.bar` is unknown"));
    insta::assert_snapshot!(problems("a: *b\n"), @"1:4: not valid YAML: while parsing node, found unknown anchor");
    insta::assert_snapshot!(problems("a: &a [*a]\n"), @"1:8: the alias stands inside of what it repeats");
    insta::assert_snapshot!(problems("a: {<<: 3}\n"), @"1:9: `<<` takes a map, or a list of maps");
    insta::assert_snapshot!(problems("# empty\n"), @"there is nothing in the file");
}

#[test]
fn yaml_bombs_are_refused_quickly() {
    let start = Instant::now();
    let mut bomb = String::from("a0: &a0 [x, x, x, x, x, x, x, x, x, x]\n");
    for level in 1..40 {
        let inner = format!("*a{}, ", level - 1).repeat(10);
        bomb += &format!("a{level}: &a{level} [{inner}]\n");
    }
    insta::assert_snapshot!(problems(&bomb), @"6:40: more than 1000000 values, counting what aliases repeat");
    insta::assert_snapshot!(problems(&"- ".repeat(100_000)), @"1:129: nested deeper than 64 levels");
    let nested: String = (0..60).map(|level| format!("&n{level} [")).collect();
    problems(&format!("{nested}{}{}", "x, ".repeat(100_000), "]".repeat(60)));
    insta::assert_snapshot!(problems(&"[".repeat(100_000)), @"1:256: not valid YAML: recursion limit exceeded");
    assert!(start.elapsed().as_secs() < 10);
}

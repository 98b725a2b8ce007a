//! Comparisons with the answers of pySimiam's own parsers.

use serde_json::{Value, json};

use super::*;

const WORLDS: &str = include_str!("../../../../../tests/data/simiam/world_xml.json");
const DRAWINGS: &str = include_str!("../../../../../tests/data/simiam/svg2world.json");
/// The page about the differences for users of pySimiam.
const DOCS: &str = include_str!("../../../../../docs/reference/compatibility/pysimiam.md");

fn cases(text: &str) -> Vec<Value> {
    serde_json::from_str(text).unwrap()
}

/// The objects of a case in one form: robots, then obstacles, then markers.
fn expected(case: &Value, lenient: bool) -> Option<Vec<Value>> {
    let answer = &case[if lenient { "coursera" } else { "future" }];
    let mut all: Vec<Value> = answer["result"].as_array().filter(|_| answer["ok"] == json!(true))?.clone();
    for object in &mut all {
        if let Some(mut polygon) = object.get("polygon").cloned() {
            polygon["type"] = object["type"].clone();
            *object = polygon;
        }
        // The first parser kept the text of options.
        for part in ["robot", "supervisor"] {
            if let Some(text) = object[part]["options"].as_str() {
                object[part]["options"] = serde_json::from_str(text).unwrap();
            }
        }
    }
    sort_by_kind(&mut all, "type");
    Some(all)
}

/// Puts robots before obstacles, and obstacles before markers.
fn sort_by_kind(objects: &mut [Value], key: &str) {
    objects.sort_by_key(|object| ["robot", "obstacle", "marker"].iter().position(|kind| object[key] == json!(kind)));
}

/// Cases with another result here, each with the defect of pySimiam behind it, in the strict and the lenient reading.
const OTHER_WORLDS: [(&str, &str); 2] = [
    ("robot_pose_nan", "§1.2: a robot at a place that is not a number"),
    ("color_hash3", "§1.3: `#RGB` taken for `#000RGB`"),
];

#[test]
fn worlds_are_read_as_simiam_reads_them() {
    let mut other = Vec::new();
    for case in cases(WORLDS) {
        let (name, xml) = (case["name"].as_str().unwrap(), case["xml"].as_str().unwrap());
        for lenient in [false, true] {
            let found = world_of("world.xml", xml, &Options { lenient, ..Options::default() });
            if OTHER_WORLDS.iter().any(|(other, _)| *other == name) {
                assert_ne!(found.ok().map(|world| objects(&world)), expected(&case, lenient), "{name}");
                other.push(name.to_owned());
                continue;
            }
            let problems = found.as_ref().err().cloned().unwrap_or_default();
            let found = found.ok().map(|world| objects(&world));
            assert_eq!(found, expected(&case, lenient), "{name} {lenient} {problems:?}");
        }
    }
    other.dedup();
    assert_eq!(other.len(), OTHER_WORLDS.len());
    for (name, _) in OTHER_WORLDS {
        assert!(DOCS.contains(&format!("`{name}`")), "{name} is not in the docs");
    }
}

/// Drawings with another result here, each with the defect of svg2world behind it.
const OTHER_DRAWINGS: [(&str, &str); 19] = [
    ("circle_named", "circles were passed over"),
    ("col_named", "only `#rrggbb` was a colour"),
    ("path_A", "arcs made it crash"),
    ("path_A_12", "arcs of six numbers were taken"),
    ("path_S_s_Q_q", "curves were lines between their ends"),
    ("path_T_t", "curves were lines between their ends"),
    ("path_c", "curves were lines between their ends"),
    ("path_trailing_dot", "a number such as `10.` made it crash"),
    ("path_two_open_subpaths", "two parts of a path were one outline"),
    ("path_two_subpaths", "what comes after the first closed part was lost"),
    ("rect_units", "units made it crash"),
    ("tr_matrix_short", "a transform with numbers missing made it crash"),
    ("robot_color_leak", "a robot without a style took the colour of the one before"),
    ("tr_leading_space", "a transform with a blank before it was lost"),
    ("tr_rotate_center", "the centre of a rotation was lost"),
    ("tr_skewX", "skews were lost"),
    ("tr_skewY", "skews were lost"),
    ("tr_translate1", "`translate` with one number made it crash"),
    ("tr_translate_space", "a transform with blanks between its numbers was lost"),
];
/// Further such drawings, of which svg2world lost all transforms but the first.
const LATER_TRANSFORMS: [(&str, &str); 1] = [("tr_two_rev", "all transforms but the first were lost")];

#[test]
fn drawings_are_read_as_svg2world_reads_them() {
    let near = |a: &Value, b: &Value| -> bool {
        fn flat(value: &Value, all: &mut Vec<f64>) {
            match value {
                Value::Array(items) => items.iter().for_each(|item| flat(item, all)),
                value => all.push(value.as_f64().unwrap()),
            }
        }
        let (mut one, mut other) = (Vec::new(), Vec::new());
        flat(a, &mut one);
        flat(b, &mut other);
        one.len() == other.len() && one.iter().zip(&other).all(|(a, b)| (a - b).abs() < 1e-9)
    };
    let others: Vec<_> = OTHER_DRAWINGS.into_iter().chain(LATER_TRANSFORMS).collect();
    let mut wrong = Vec::new();
    for case in cases(DRAWINGS) {
        let (name, svg) = (case["name"].as_str().unwrap(), case["svg"].as_str().unwrap());
        let found = world_of("a.svg", svg, &Options::default());
        let agrees = match (&found, case["objects"].as_array()) {
            (Err(_), None) => true,
            (Ok(world), Some(theirs)) => {
                let ours = objects(world);
                let mut theirs = theirs.clone();
                sort_by_kind(&mut theirs, "kind");
                let color = |value: &Value| value.as_u64().map(|color| format!("#{color:06x}"));
                ours.len() == theirs.len()
                    && ours.iter().zip(&theirs).all(|(ours, theirs)| {
                        let is_robot = ours["type"] == json!("robot");
                        let own = if is_robot { &ours["robot"] } else { ours };
                        ours["type"] == theirs["kind"]
                            && color(&own["color"]).as_deref() == theirs["color"].as_str()
                            && near(&own["pose"], &theirs["pose"])
                            && match is_robot {
                                true => {
                                    own["type"] == theirs["type"] && ours["supervisor"]["type"] == theirs["supervisor"]
                                }
                                false => near(&ours["points"], &theirs["points"]),
                            }
                    })
            }
            _ => false,
        };
        if agrees == others.iter().any(|(other, _)| *other == name) {
            wrong.push((name.to_owned(), agrees, found.map(|world| objects(&world))));
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
    for (name, _) in others {
        assert!(DOCS.contains(&format!("`{name}`")), "{name} is not in the docs");
    }
}

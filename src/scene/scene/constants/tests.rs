//! Constants, from a text and back.

use super::*;
use crate::scene::reader::read;
use crate::scene::reader::tests::kinds;
use bevy::math::DVec2;
use proptest::prelude::*;

const SCENE: &str = r#"Scene(
    name: "Constants",
    constants: [
        (name: "RANGE", value: 2.5, about: "How far \"they\" see"),
        (name: "N", value: 6),
        (name: "X", value: -0.5),
        (name: "WALLS", value: Periodic),
        (name: "TITLE", value: "a"),
        (name: "RAYS", value: None),
    ],
    arena: (boundary: WALLS),
    groups: [
        (
            name: TITLE,
            count: N,
            sensors: [Fov(
                range_m: RANGE,
                mount_m: (X, 0.25),
                rays: RAYS,
                gains: [1.0, RANGE],
                pair: (N, 3),
            )],
        ),
        (name: "b", count: N, sensors: [Fov(range_m: RANGE)]),
    ],
)"#;

fn scene() -> Scene {
    read(&kinds(), "s.ron", SCENE).unwrap()
}

fn text(scene: &Scene, path: &str) -> String {
    write(&kinds(), path::get(&kinds(), scene, path).unwrap(), Style::Full)
}

fn of(name: &str, text: &str) -> Vec<String> {
    let scene = read(&kinds(), "s.ron", text).unwrap();
    named(&scene, name).unwrap().of.clone()
}

fn refused(text: &str) -> String {
    read::<Scene>(&kinds(), "s.ron", text).unwrap_err().to_string()
}

#[test]
fn names_stand_for_values_wherever_a_value_has_no_parts() {
    let scene = scene();
    for (path, expected) in [
        ("groups.0.name", "\"a\""),
        ("groups.0.count", "6"),
        ("groups.b.count", "6"),
        ("groups.0.sensors.0.range_m", "2.5"),
        ("groups.0.sensors.0.mount_m", "(-0.5, 0.25)"),
        ("groups.0.sensors.0.gains", "[1.0, 2.5]"),
        ("groups.0.sensors.0.pair", "(6.0, 3)"),
        ("groups.0.sensors.0.rays", "None"),
        ("arena.boundary", "Periodic"),
    ] {
        assert_eq!(text(&scene, path), expected, "{path}");
    }
    assert_eq!(of("N", SCENE), ["groups.0.count", "groups.0.sensors.0.pair.0", "groups.1.count"]);
    assert_eq!(of("X", SCENE), ["groups.0.sensors.0.mount_m.x"]);
    assert!(problems(&kinds(), &scene).is_empty());
}

#[test]
fn scenes_are_written_with_their_constants() {
    let (kinds, scene) = (kinds(), scene());
    assert_eq!(write(&kinds, &scene, Style::Short), SCENE);
    for style in [Style::Short, Style::Full] {
        let text = write(&kinds, &scene, style);
        let back: Scene = read(&kinds, "back", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        assert_eq!(back.constants, scene.constants, "{text}");
        assert_eq!(write(&kinds, &back, style), text);
    }
    assert_eq!(text(&scene, "groups.1.sensors.0.range_m"), "2.5", "parts of a scene have numbers");
}

#[test]
fn a_constant_at_a_default_is_written_too() {
    let text = "Scene(constants: [(name: \"SEED\", value: 1)], seed: SEED)";
    assert_eq!(write(&kinds(), &read::<Scene>(&kinds(), "s.ron", text).unwrap(), Style::Short), text);
}

#[test]
fn fields_can_be_listed_by_path() {
    let listed = "(constants: [(name: \"R\", value: 3, of: [\"groups.a.sensors[0].range_m\", \"seed\"])],
                   groups: [(name: \"a\", sensors: [Fov()])])";
    let scene: Scene = read(&kinds(), "s.ron", listed).unwrap();
    assert_eq!((scene.seed, text(&scene, "groups.a.sensors.0.range_m")), (3, "3.0".into()));
    assert_eq!(of("R", listed), ["groups.0.sensors.0.range_m", "seed"]);
    let without_value = "(constants: [(name: \"S\", of: [\"seed\", \"stop.steps\"])], seed: 9)";
    let scene: Scene = read(&kinds(), "s.ron", without_value).unwrap();
    assert_eq!(scene.stop.steps, 9, "the first says what all are");
    assert_eq!(
        refused("(constants: [(name: \"S\", value: 2, of: [\"sed\"])])"),
        "s.ron:1:21: constants[0].of[0]: `Scene` has no `sed`; did you mean `seed`?, for sed"
    );
}

#[test]
fn a_constant_cannot_get_two_values_at_once() {
    let kinds = kinds();
    let text = "(constants: [(name: \"C\", value: 0.5)], groups: [(name: \"r\", sensors: [Fov(mount_m: (C, C))])])";
    let mut scene: Scene = read(&kinds, "s.ron", text).unwrap();
    let path = "groups.r.sensors.0.mount_m";
    let before = scene.clone();
    // Also where one of them stays as it was.
    for (value, first) in [("(1.0, 0.25)", "1 here and 0.25"), ("(0.5, 1.0)", "0.5 here and 1")] {
        let told = set(&kinds, &mut scene, path, value).unwrap_err().to_string();
        let both = "for groups.0.sensors.0.mount_m.y, but both have the one value of C";
        assert_eq!(told, format!("groups.0.sensors.0.mount_m.x: {first} {both}"));
    }
    assert!(set(&kinds, &mut scene, "groups.r.sensors", "[Fov(mount_m: (0.0, 1.0))]").is_err());
    assert_eq!(write(&kinds, &scene, Style::Full), write(&kinds, &before, Style::Full));
    set(&kinds, &mut scene, path, "(0.25, 0.25)").unwrap();
    assert!(problems(&kinds, &scene).is_empty());
}

#[test]
fn a_field_that_leaves_its_constant_has_a_value_of_its_own() {
    let (kinds, mut scene) = (kinds(), scene());
    release(&kinds, &mut scene, "groups.b.count");
    scene.groups[1].count = 2;
    assert!(problems(&kinds, &scene).is_empty());
    release(&kinds, &mut scene, "arena.boundary");
    assert!(named(&scene, "WALLS").is_none(), "it had no other");
}

#[test]
fn constants_that_are_set_as_a_whole_have_no_value() {
    let (kinds, mut scene) = (kinds(), scene());
    for known in [scene.constants.clone(), Vec::new()] {
        scene.constants = known;
        let constants = "[(name: \"M\", value: 3, of: [\"seed\"])]";
        let told = set(&kinds, &mut scene, "constants", constants).unwrap_err().to_string();
        assert_eq!(told, "constants[0].value: a constant has the value of its fields: set one of them, or its name");
        set(&kinds, &mut scene, "constants", "[(name: \"M\", of: [\"seed\"])]").unwrap();
        assert_eq!((named(&scene, "M").unwrap().of.as_slice(), scene.seed), (&["seed".to_owned()][..], 1));
    }
}

#[test]
fn what_is_wrong_names_the_field_and_the_constant() {
    let cases = [
        (
            "(constants: [(name: \"DT\", value: 20)], time: (dt_s: DT))",
            "s.ron:1:34: time.dt_s: expected a number from 0.000001 to 10, found 20, the value of DT",
        ),
        (
            "(constants: [(name: \"DT\", value: 1)], time: (dt_s: D_T, scale: DT))",
            "s.ron:1:52: time.dt_s: expected a number from 0.000001 to 10, found `D_T`: there is no such constant; did \
             you mean `DT`?",
        ),
        (
            "(constants: [(name: \"DT\", value: 1)])",
            "s.ron:1:21: constants[0]: no field uses DT: write DT in place of a value, or remove it",
        ),
        (
            "(constants: [(name: \"Dt\", value: 1)], seed: Dt)",
            "s.ron:1:21: constants[0].name: expected a name in capitals, such as MAX_SPEED or K1, found `Dt`",
        ),
        ("(constants: [(name: \"A\")], seed: 1)", "s.ron:1:14: constants[0]: Constant needs the field `value`"),
        (
            "(constants: [(name: \"A\", value: (1, 2))], seed: A)",
            "s.ron:1:33: constants[0].value: expected a number, true, false, text in quotes, or another word that is not \
             a constant, found 2 values in round brackets",
        ),
        (
            "(constants: [(name: \"A\", value: 1), (name: \"A\", value: 2)], seed: A)",
            "s.ron:1:44: constants[1].name: the name `A` is taken by constants[0]",
        ),
        ("(constants: [(name: \"A\", value: 1, value: 2)], seed: A)", "is written twice"),
        ("(constants: [(name: \"A\", valeu: 1)], seed: A)", "Constant needs the field `value`"),
        ("(constants: [(name: \"A\", value: A)], seed: A)", "found `A`: a constant is not allowed here"),
        ("(constants: [(name: \"A\", value: 1)], groups: [(robot: A)])", "found `A`: a constant is not allowed here"),
        ("(constants: [(name: \"A\", value: 1)], arena: A)", "found 1, the value of A"),
        ("(constants: [(name: \"A\", value: 1)], arena: (boundary: A))", "found 1, the value of A"),
    ];
    for (text, expected) in cases {
        let told = refused(text);
        assert!(told.contains(expected), "{text}\n{told}");
    }
}

#[test]
fn fields_of_one_constant_follow_each_other() {
    let (kinds, mut scene) = (kinds(), scene());
    let changed: Vec<_> = set(&kinds, &mut scene, "N", "9").unwrap().into_iter().map(|change| change.path).collect();
    assert_eq!(changed, ["groups.a.count", "groups.0.sensors.0.pair.0", "groups.1.count"]);
    assert_eq!((scene.groups[0].count, scene.groups[1].count), (9, 9));
    // By a field of another type, whole numbers only.
    set(&kinds, &mut scene, "groups.a.sensors.0.pair.0", "4.0").unwrap();
    assert_eq!((scene.groups[0].count, scene.groups[1].count), (4, 4));
    let problem = set(&kinds, &mut scene, "groups.a.sensors.0.pair.0", "4.5").unwrap_err();
    assert!(problem.to_string().contains("found 4.5, the value of N"), "{problem}");
    assert_eq!(text(&scene, "groups.0.sensors.0.pair"), "(4.0, 3)", "nothing is changed then");
    set(&kinds, &mut scene, "constants.N.value", "5").unwrap();
    assert_eq!(scene.groups[1].count, 5);
    assert!(problems(&kinds, &scene).is_empty());
}

#[test]
fn constants_stay_with_their_fields() {
    let (kinds, mut scene) = (kinds(), scene());
    set(&kinds, &mut scene, "groups.a.name", "first").unwrap();
    set(&kinds, &mut scene, "RANGE", "1").unwrap();
    assert_eq!(text(&scene, "groups.first.sensors.0.range_m"), "1.0", "after a group got another name");
    set(&kinds, &mut scene, "groups.first.sensors", "[]").unwrap();
    assert_eq!(named(&scene, "RANGE").unwrap().of, ["groups.1.sensors.0.range_m"]);
    assert!(named(&scene, "X").is_none(), "the last field is gone");
    assert!(problems(&kinds, &scene).is_empty());
    let back: Scene = read(&kinds, "back", &write(&kinds, &scene, Style::Full)).unwrap();
    assert_eq!(back.constants, scene.constants);
}

#[test]
fn names_that_are_not_known_are_told_with_the_nearest() {
    let (kinds, mut scene) = (kinds(), scene());
    let told = |problem: Problem| problem.to_string();
    let problem = told(set(&kinds, &mut scene, "RNGE", "1").unwrap_err());
    assert_eq!(problem, "RNGE: `Scene` has no `RNGE`; did you mean `RANGE`?");
    assert!(told(set(&kinds, &mut scene, "sed", "1").unwrap_err()).ends_with("did you mean `seed`?"));
    let problem = told(set(&kinds, &mut scene, "RANGE", "-1").unwrap_err());
    assert_eq!(problem, "groups.a.sensors.0.range_m: expected a number > 0, found -1, the value of RANGE");
}

#[test]
fn a_program_cannot_have_two_values_for_one_constant() {
    let mut scene = scene();
    scene.groups[1].count = 7;
    scene.constants.push(Constant { name: "low".into(), of: vec!["groups".into(), "seed".into()], about: "".into() });
    scene.constants.push(Constant { name: "A".into(), of: vec!["seed".into()], about: "".into() });
    scene.constants.push(Constant { name: "A".into(), ..Constant::default() });
    let told: Vec<_> = problems(&kinds(), &scene).iter().map(ToString::to_string).collect();
    let expected = [
        "constants[1].of[2]: N is 7 there and 6 before",
        "constants[6].name: expected a name in capitals, such as MAX_SPEED or K1, found `low`",
        "constants[6].of[0]: `groups` is not a parameter with a single value",
        "constants[7].of[0]: `seed` has the value of low",
        "constants[8].name: the name `A` is taken by another constant",
        "constants[8].of: no field uses A: write A in place of a value, or remove it",
    ];
    assert_eq!(told, expected);
}

proptest! {
    #[test]
    fn any_number_reads_back(number in prop::num::f64::NORMAL | prop::num::f64::ZERO, whole in any::<u32>()) {
        let kinds = kinds();
        let mut scene: Scene = read(
            &kinds,
            "s.ron",
            "(constants: [(name: \"A\", value: 1), (name: \"B\", value: 2)], seed: B, stop: (steps: B),
              groups: [(name: \"a\", at: [(A, A, 0.0)])])",
        ).unwrap();
        set(&kinds, &mut scene, "B", &whole.to_string()).unwrap();
        let number = number % 1e6;
        set(&kinds, &mut scene, "A", &format!("{number:?}")).unwrap();
        let back: Scene = read(&kinds, "back", &write(&kinds, &scene, Style::Full)).unwrap();
        let at = back.groups[0].at[0];
        prop_assert_eq!((back.seed, back.stop.steps), (whole.into(), whole.into()));
        prop_assert_eq!(DVec2::new(at.x_m, at.y_m).to_array().map(f64::to_bits), [number.to_bits(); 2]);
        prop_assert_eq!(back.constants, scene.constants);
    }
}

use swarmarium_base::limits::Limits;

use super::*;
use crate::scene::reader::tests::{Two, kinds, milling};
use crate::scene::writer::{Style, write};

fn text_at(scene: &dyn Reflect, path: &str) -> String {
    write(&kinds(), get(&kinds(), scene, path).unwrap(), Style::Full)
}

fn refused(path: &str, text: &str) -> String {
    let (kinds, mut scene) = (kinds(), milling());
    let before = write(&kinds, &scene, Style::Full);
    let problem = set(&kinds, &mut scene, path, text).unwrap_err();
    assert_eq!(write(&kinds, &scene, Style::Full), before);
    assert_eq!(problem.place, None);
    format!("{}: {}", problem.path, problem.message)
}

#[test]
fn finds_by_name_and_by_index() {
    let scene = milling();
    for path in ["groups.millers.controller.detected.v_m_per_s", "groups[0].controller.detected.v_m_per_s"] {
        assert_eq!(text_at(&scene, path), "0.27");
    }
    assert_eq!(text_at(&scene, "groups.0.sensors.0.range_m"), "2.5");
    assert_eq!(text_at(&scene, "groups[0].sensors[0].mount_m.y"), "-0.5");
    assert_eq!(text_at(&scene, "groups.millers.body.radius_m"), "0.2");
    assert_eq!(text_at(&scene, "groups.others.controller.rest[1].rest.0.clear.v_m_per_s"), "0.3");
}

#[test]
fn finds_kinds_in_lists_by_their_names() {
    let (kinds, mut scene) = (kinds(), milling());
    let sensors = "[Fov(name: \"left\", range_m: 1), Fov(range_m: 2), Fov(name: \"right\", range_m: 3), Fov(name: \"right\", range_m: 4)]";
    set(&kinds, &mut scene, "groups.millers.sensors", sensors).unwrap();
    assert_eq!(text_at(&scene, "groups.millers.sensors.left.range_m"), "1.0");
    assert_eq!(text_at(&scene, "groups[0].sensors[left].name"), "\"left\"");
    set(&kinds, &mut scene, "groups.millers.sensors.left.range_m", "1.5").unwrap();
    assert_eq!(text_at(&scene, "groups.millers.sensors.0.range_m"), "1.5");
    let message = |path: &str| get(&kinds, &scene, path).err().unwrap().message;
    let several = "`groups.millers.sensors` has several `right`: give one of the places 2, 3";
    assert_eq!(message("groups.millers.sensors.right.range_m"), several);
    let near = "`groups.millers.sensors` has no `lefd`; did you mean `left`?";
    assert_eq!(message("groups.millers.sensors.lefd.range_m"), near);
    assert!(leaves(&kinds, &scene).iter().any(|leaf| leaf.path == "groups.millers.sensors.0.range_m"));
}

#[test]
fn suggests_names() {
    assert_eq!(
        refused("groups.milers.count", "3"),
        "groups.milers.count: `groups` has no `milers`; did you mean `millers`?"
    );
    assert_eq!(refused("sed", "3"), "sed: `Scene` has no `sed`; did you mean `seed`?");
    let agents = refused("agents.2.controller", "3");
    assert!(agents.contains("`Scene` has no `agents`: single robots exist in a running simulation"), "{agents}");
    assert_eq!(refused("time.dt_s.x", "3"), "time.dt_s.x: `time.dt_s` has no `x`: it has no parts");
    assert_eq!(refused("metrics[5]", "3"), "metrics[5]: `metrics` has no `5`, only 0 to 1");
    assert_eq!(
        refused("millers.body.radius_m", "3"),
        "millers.body.radius_m: `Scene` has no `millers`; did you mean `groups.millers.body.radius_m`?"
    );
    let several = refused("count", "3");
    assert!(several.contains("`Scene` has no `count`; did you mean `groups.millers.count` or "), "{several}");
    for path in ["", "a..b", "a[", "a[]", "a]", "a.[0]", "time."] {
        assert_eq!(refused(path, "3"), format!("{path}: `{path}` is not a path"));
    }
}

#[test]
fn sets_leaves_kinds_and_lists() {
    let (kinds, mut scene) = (kinds(), milling());
    let changes = [
        ("arena.size_m.x", "3", "3.0"),
        ("arena.boundary", "Walls", "Walls"),
        ("name", "a b: c", "\"a b: c\""),
        ("name", "\"q\"", "\"q\""),
        ("groups.1.name", "third", "\"third\""),
        ("groups.third.count", "9", "9"),
        ("groups.millers.sensors[0].pair", "(3, 4)", "(3.0, 4)"),
        ("groups.millers.sensors[0].pair.1", "5", "5"),
        ("groups.millers.sensors[0].three", "[1, 2, 3]", "[1.0, 2.0, 3.0]"),
        ("groups.millers.sensors", "[Fov(range_m: 1)]", ""),
        ("groups.millers.sensors[0].gains", "[9]", "[9.0]"),
        ("groups.millers.sensors[0].rays", "4", "Some(4)"),
        ("groups.millers.controller", "Two(clear: (turn_rad_per_s: 1))", ""),
        ("groups.millers.controller.mode", "Pick(1, \"x\")", "Pick(1, \"x\")"),
        ("groups.millers.at[1]", "(1, 2, 3)", "(1.0, 2.0, 3.0)"),
    ];
    for (path, text, expected) in changes {
        set(&kinds, &mut scene, path, text).unwrap();
        if !expected.is_empty() {
            assert_eq!(text_at(&scene, path), expected);
        }
    }
    set(&kinds, &mut scene, "groups[0].controller.clear", "(turn_rad_per_s: 2)").unwrap();
    let two = scene.groups[0].controller.value().downcast_ref::<Two>().unwrap();
    assert_eq!(two.clear.v_m_per_s, 0.3, "the default of the kind");
}

#[test]
fn refuses_like_the_reader() {
    let path = "groups.millers.sensors.0.range_m";
    assert_eq!(refused(path, "-1"), format!("{path}: expected a number > 0, found -1"));
    assert_eq!(refused(path, "inf"), format!("{path}: expected a finite number, found `inf`"));
    assert_eq!(refused("arena.size_m.x", "0"), "arena.size_m.x: expected a number > 0 and ≤ 1000000, found 0");
    assert_eq!(
        refused("groups.millers.sensors", "[Sonar()]"),
        "groups.millers.sensors[0]: unknown sensor `Sonar`; known: Fov"
    );
    assert_eq!(refused("groups.others.name", "millers"), "groups.others.name: the name `millers` is taken by member 0");
    let seed = "seed: expected an integer from 0 to 18446744073709551615, found";
    assert_eq!(refused("seed", ""), format!("{seed} nothing"));
    assert_eq!(refused("seed", "1)"), format!("{seed} `1)`"));
    assert_eq!(refused("seed", "1 / 2"), format!("{seed} 0.5"));
    assert_eq!(refused("arena.boundary", "Walls)"), "arena.boundary: expected the end, found `)`");
}

#[test]
fn numbers_are_arithmetic_and_their_units_are_explained() {
    let (kinds, mut scene) = (kinds(), milling());
    let changes = [
        ("groups.millers.sensors.0.range_m", "2 * 0.15", "0.3"),
        ("groups.millers.sensors.0.range_m", "\"pi / 6\"", "0.5235987755982988"),
        ("groups.millers.sensors.0.rays", "1e1 - 6", "Some(4)"),
        ("groups.millers.count", "3 * 4", "12"),
        ("arena.size_m.x", "sqrt(16)", "4.0"),
        ("arena.size_m", "10, 8.5", "(10.0, 8.5)"),
    ];
    for (path, text, expected) in changes {
        set(&kinds, &mut scene, path, text).unwrap();
        assert_eq!(text_at(&scene, path), expected, "{text}");
    }
    let path = "groups.millers.sensors.0.range_m";
    for (text, end) in [("pi/x", "found `pi/x`"), ("1/0", "found `1/0`"), ("true", "found `true`")] {
        assert_eq!(refused(path, text), format!("{path}: expected a number > 0, {end}"));
    }
    let few = refused("arena.size_m", "10, 8, 3");
    assert!(few.starts_with("arena.size_m: expected"), "{few}");
    for (text, end) in [
        ("2h", "expected metres > 0, found 2h"),
        ("2m", "expected metres > 0; write 2 for 2m"),
        ("30 cm", "expected metres > 0; write 0.3 for 30 cm"),
    ] {
        assert_eq!(refused(path, text), format!("{path}: {end}"));
    }
    assert_eq!(refused("arena.size_m.x", "10m"), "arena.size_m.x: expected metres > 0 and ≤ 1000000; write 10 for 10m");
    let refused_x = "arena.size_m.x: expected metres > 0 and ≤ 1000000; write 10 for 10m";
    assert_eq!(refused("arena.size_m", "10m,8m"), refused_x);
    let turn = refused("groups.others.controller.rest[1].rest.0.clear.turn_rad_per_s", "30deg");
    assert!(turn.ends_with(": expected radians per second; write 0.5236 for 30deg"), "{turn}");
}

#[test]
fn lists_all_leaves() {
    let (kinds, scene) = (kinds(), milling());
    let leaves = leaves(&kinds, &scene);
    let paths: Vec<_> = leaves.iter().map(|leaf| leaf.path.as_str()).collect();
    for path in [
        "seed",
        "arena.size_m",
        "groups.millers.body.radius_m",
        "groups.millers.sensors.0.gains.1",
        "groups.millers.controller.mode.slope",
        "groups.others.controller.rest.0.clear.v_m_per_s",
    ] {
        assert!(paths.contains(&path), "{path} is not in {paths:#?}");
    }
    for leaf in &leaves {
        let value = get(&kinds, &scene, &leaf.path).unwrap();
        assert_eq!(write(&kinds, value, Style::Full), write(&kinds, leaf.value, Style::Full), "{}", leaf.path);
    }
    let range = leaves.iter().find(|leaf| leaf.path.ends_with("range_m")).unwrap();
    assert_eq!(range.field.and_then(|field| field.docs()), Some(" How far."));
    assert_eq!(range.limits, Some(Limits::POSITIVE));
}

#[test]
fn lists_parts_one_level_down() {
    let (kinds, scene) = (kinds(), milling());
    let groups = parts(&kinds, &Leaf::root(&scene)).find(|part| part.path == "groups").unwrap();
    let paths: Vec<_> = parts(&kinds, &groups).map(|group| group.path).collect();
    assert_eq!(paths, ["groups.millers", "groups.others"]);
    for (index, group) in parts(&kinds, &groups).enumerate() {
        let same = part(&kinds, groups.value, index).unwrap();
        assert_eq!(write(&kinds, same, Style::Full), write(&kinds, group.value, Style::Full));
    }
    assert!(part(&kinds, groups.value, 2).is_none());
}

#[test]
fn members_with_the_same_name_are_listed_by_index() {
    let mut scene = milling();
    scene.groups[1].name = "millers".into();
    assert!(leaves(&kinds(), &scene).iter().any(|leaf| leaf.path == "groups.1.count"));
}

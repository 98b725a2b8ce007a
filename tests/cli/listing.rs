//! `list`: tables for people, JSON for programs.

use super::Place;

#[test]
fn a_family_is_listed_with_fields_units_ranges_and_defaults() {
    let said = Place::new().expect(0, "list sensors");
    let row = said.stdout.lines().find(|line| line.trim_start().starts_with("range_m")).unwrap();
    assert!(row.contains("number > 0") && row.contains(", m") && row.contains("= "), "{row}");
    assert!(said.stdout.starts_with("Accelerometer (sensor)\n"), "{}", said.stdout);
    assert!(said.stderr.is_empty());
}

#[test]
fn all_kinds_are_listed_as_json() {
    let said = Place::new().expect(0, "list kinds --json");
    let kinds: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let kinds = kinds.as_array().unwrap();
    for (family, name) in [("sensor", "Proximity"), ("controller", "Binary"), ("metric", "Circliness")] {
        let kind = kinds.iter().find(|kind| kind["name"] == name).unwrap();
        assert_eq!(kind["family"], family);
        assert!(kind["about"].as_str().is_some_and(|about| !about.is_empty()));
    }
}

#[test]
fn shipped_scenes_are_listed_and_can_be_named() {
    let place = Place::new();
    let said = place.expect(0, "list scenes --json");
    let scenes: serde_json::Value = serde_json::from_str(&said.stdout).unwrap();
    let names: Vec<_> = scenes.as_array().unwrap().iter().map(|scene| scene["name"].as_str().unwrap()).collect();
    assert!(names.contains(&"milling"), "{names:?}");
    place.expect(0, &format!("check {}", names.join(" ")));
    assert!(place.expect(0, "list scenes").stdout.lines().any(|line| line.starts_with("milling ")));
    // A folder is no file of this name.
    std::fs::create_dir(place.path("milling")).unwrap();
    place.expect(0, "check milling");
}

#[test]
fn lists_fold_to_a_width() {
    let place = Place::new();
    for list in ["kinds", "scenes", "plans", "robots", "supervisors", "fields", ""] {
        let mut command = place.command(&format!("list {list}"));
        let said: super::Said = command.env("COLUMNS", "80").output().unwrap().into();
        let wide: Vec<&str> = said.stdout.lines().filter(|line| line.chars().count() > 80).collect();
        assert!(said.code == Some(0) && wide.is_empty(), "{list}: {wide:#?}");
    }
    // Without a width, each field has its line.
    let lines = place.expect(0, "list sensors BinaryFov").stdout;
    assert_eq!(lines.lines().filter(|line| line.contains("range_m")).count(), 3, "{lines}");
}

#[test]
fn kinds_are_listed_by_name() {
    let place = Place::new();
    let said = place.expect(0, "list kinds BinaryFov Circliness").stdout;
    assert!(said.starts_with("BinaryFov (sensor)\n") && said.contains("\nCircliness (metric)\n"), "{said}");
    let json: serde_json::Value =
        serde_json::from_str(&place.expect(0, "list sensors BinaryFov --json").stdout).unwrap();
    assert_eq!((json.as_array().unwrap().len(), &json[0]["name"]), (1, &"BinaryFov".into()));
    let told = place.expect(2, "list sensors BinaryFow").stderr;
    assert_eq!(told, "BinaryFow: there is no such kind in the list, did you mean `BinaryFov`?\n");
    place.expect(2, "list scenes milling");
}

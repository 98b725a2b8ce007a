use proptest::prelude::*;

use super::block::WIDTH;
use super::*;
use crate::scene::reader::read;
use crate::scene::reader::tests::{Drive, Fov, Mode, Two, kinds, milling};

#[test]
fn scenes_written_in_both_styles_read_back() {
    let (kinds, scene) = (kinds(), milling());
    let full = write(&kinds, &scene, Style::Full);
    for style in [Style::Short, Style::Full] {
        let text = write(&kinds, &scene, style);
        let back: Scene = read(&kinds, "back", &text).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
        assert_eq!(write(&kinds, &back, style), text);
        assert_eq!(write(&kinds, &back, Style::Full), full);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
    }
}

#[test]
fn short_style_leaves_defaults_out() {
    let text = write(&kinds(), &milling(), Style::Short);
    let expected = r#"Scene(
    name: "Milling \"é\"",
    seed: 7,
    arena: (size_m: (10.0, 8.0), boundary: Periodic),
    groups: [
        (
            name: "millers",
            count: 6,
            at: [(1.0, 2.0, 0.5), (3.0, 0.0, 0.0)],
            body: Disc(radius_m: 0.2),
            sensors: [Fov(range_m: 2.5, mount_m: (0.5, -0.5), rays: Some(5)), Fov()],
            controller: Two(
                clear: (v_m_per_s: 0.27),
                detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
                mode: Ramp(slope: 2.0, offset: 0.0),
            ),
        ),
        (name: "others", controller: Switch(rest: [Two(), Switch(rest: [Two()])])),
    ],
    metrics: [Circliness(), Circliness()],
)"#;
    assert_eq!(text, expected);
    assert_eq!(write(&kinds(), &Scene::default(), Style::Short), "Scene()");
    // A file has the value alone.
    assert!(write_beside(&kinds(), &milling(), Path::new("")).contains("mount_m: (0.5, -0.5), rays: 5), Fov()]"));
}

#[test]
fn a_list_with_one_long_member_is_written_compactly() {
    let mut scene = milling();
    scene.groups.truncate(1);
    assert!(write(&kinds(), &scene, Style::Short).contains("    groups: [(\n        name: \"millers\",\n"));
}

#[test]
fn single_values_are_written_without_a_scene() {
    for (value, text) in [(1.0, "1.0"), (1e300, "1e300"), (0.1, "0.1"), (-0.0, "-0.0"), (1e16, "1e16")] {
        assert_eq!(write(&kinds(), &value, Style::Full), text);
    }
    assert_eq!(write(&kinds(), &bevy::math::DVec2::ONE, Style::Full), "(1.0, 1.0)");
    assert_eq!(write(&kinds(), &"a\nb".to_owned(), Style::Full), r#""a\nb""#);
}

fn marked(scene: &Scene, opened: &Scene, text: &str) -> Vec<String> {
    let lines = write_with_origins(&kinds(), scene, opened, &Origins::of_text(text));
    let comment = |line: &Line| Some(format!("{} // {}", line.text.trim(), line.mark.as_ref()?.comment()?));
    lines.iter().filter_map(comment).collect()
}

#[test]
fn written_lines_say_where_their_values_come_from() {
    let text = "(seed: 7, arena: (size_m: (3, 4)), groups: [(name: \"a\", body: Disc())])";
    let opened: Scene = read(&kinds(), "test", text).unwrap();
    let mut scene = opened.clone();
    scene.arena.size_m.y = 5.0;
    scene.groups.push(Group { name: "b".into(), ..Default::default() });
    scene.groups.swap(0, 1);
    let marked = marked(&scene, &opened, text);
    for expected in [
        "format: 1, // default",
        "size_m: (3.0, 5.0), // changed in the window, before (3.0, 4.0)",
        "boundary: Open, // default",
        "strategy: BestEffort, // default",
        "count: 1, // default",
        "name: \"b\", // changed in the window",
    ] {
        assert!(marked.iter().any(|line| line == expected), "{expected} is not in {marked:#?}");
    }
    assert!(!marked.iter().any(|line| line.starts_with("seed") || line.starts_with("name: \"a\"")), "{marked:#?}");
}

#[test]
fn text_with_origins_reads_back() {
    let (kinds, mut scene) = (kinds(), milling());
    let (text, opened) = (write(&kinds, &scene, Style::Short), milling());
    scene.groups[0].at[1].x_m = 9.0;
    scene.groups[0].name = "// ) \n \"".into();
    scene.groups[1] = Group { name: "new".into(), ..Default::default() };
    let lines = write_with_origins(&kinds, &scene, &opened, &Origins::of_text(&text));
    let back: Scene = read(&kinds, "back", &Line::join(&lines)).unwrap();
    assert_eq!(write(&kinds, &back, Style::Full), write(&kinds, &scene, Style::Full));
}

fn number() -> impl Strategy<Value = f64> {
    prop_oneof![prop::num::f64::NORMAL | prop::num::f64::ZERO | prop::num::f64::SUBNORMAL, Just(0.0), Just(1.5)]
}

fn mode() -> impl Strategy<Value = Mode> {
    let ramp = (1e-9..1e9, number()).prop_map(|(slope, offset)| Mode::Ramp { slope, offset });
    prop_oneof![Just(Mode::Idle), ramp, (any::<u8>(), any::<String>()).prop_map(|(a, b)| Mode::Pick(a, b))]
}

fn drive() -> impl Strategy<Value = Drive> {
    (number(), number()).prop_map(|(v_m_per_s, turn_rad_per_s)| Drive { v_m_per_s, turn_rad_per_s })
}

proptest! {
    #[test]
    fn written_scenes_are_equal_after_reading(clear in drive(), detected in drive(), mode in mode()) {
        let (kinds, two) = (kinds(), Two { clear, detected, mode });
        for style in [Style::Short, Style::Full] {
            let text = write(&kinds, &two, style);
            let back: Two = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
            prop_assert_eq!(write(&kinds, &back, style), text);
            prop_assert_eq!(back, two.clone());
        }
    }

    #[test]
    fn written_lists_are_equal_after_reading(
        gains in prop::collection::vec(number(), 0..40),
        rays in any::<Option<u32>>(),
        three in any::<[i16; 3]>(),
    ) {
        let three = three.map(|number| f32::from(number) / 7.0);
        let (kinds, fov) = (kinds(), Fov { gains, rays, three, ..Fov::default() });
        let text = write(&kinds, &fov, Style::Short);
        let back: Fov = read(&kinds, "back", &text).map_err(|e| TestCaseError::fail(format!("{e}\n{text}")))?;
        prop_assert_eq!(back, fov);
    }
}

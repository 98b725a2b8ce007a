//! Texts that the reader accepts and rejects, and test kinds for other tests.

use bevy::math::DVec2;
use swarmarium_core::agent::body::Body as Shape;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::ControllerFamily;
use swarmarium_core::controller::constant::Constant;
use swarmarium_core::kind::Slot;
use swarmarium_core::metric::MetricFamily;
use swarmarium_core::motion::MotionFamily;
use swarmarium_core::motion::unicycle::Unicycle;
use swarmarium_core::noise::NoiseFamily;
use swarmarium_core::object::ObjectFamily;
use swarmarium_core::sensor::SensorFamily;
use swarmarium_core::spawner::SpawnerFamily;
use swarmarium_core::spawner::point::Point;
use swarmarium_core::text::wording::MAX_SHOWN;
use swarmarium_space::Boundary;

use super::*;
use crate::scene::description::Scene;

/// Sees.
#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default)]
pub struct Fov {
    /// How far.
    #[reflect(@Limits::POSITIVE)]
    pub range_m: f64,
    /// Where.
    #[reflect(@Limits::between(-1.0, 1.0))]
    pub mount_m: DVec2,
    pub rays: Option<u32>,
    pub gains: Vec<f64>,
    pub pair: (f64, u8),
    pub three: [f32; 3],
    pub pairs: Vec<(Metres, [u8; 2])>,
}

#[derive(Reflect, Clone, Copy, Debug, Default, PartialEq)]
pub struct Metres(f64);

impl Default for Fov {
    fn default() -> Self {
        let (mount_m, rays) = (DVec2::ZERO, None);
        Self { range_m: 2.0, mount_m, rays, gains: vec![1.0, 2.0], pair: (1.5, 2), three: [1.0; 3], pairs: vec![] }
    }
}

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub struct Drive {
    /// Speed.
    pub v_m_per_s: f64,
    /// Turn.
    pub turn_rad_per_s: f64,
}

#[derive(Reflect, Clone, Debug, Default, PartialEq)]
#[reflect(Default)]
pub enum Mode {
    #[default]
    Idle,
    Ramp {
        #[reflect(@Limits::POSITIVE)]
        slope: f64,
        offset: f64,
    },
    Pick(u8, String),
}

#[derive(Component, Reflect, Clone, Debug, PartialEq)]
#[reflect(Component, Default)]
pub struct Two {
    pub clear: Drive,
    pub detected: Drive,
    pub mode: Mode,
}

impl Default for Two {
    fn default() -> Self {
        let clear = Drive { v_m_per_s: 0.3, turn_rad_per_s: -0.6 };
        Self { clear, detected: Drive::default(), mode: Mode::Idle }
    }
}

/// Switches between controllers.
#[derive(Component, Reflect, Clone)]
#[reflect(Component, Default)]
pub struct Switch {
    pub first: Slot<ControllerFamily>,
    pub rest: Vec<Slot<ControllerFamily>>,
}

impl Default for Switch {
    fn default() -> Self {
        Self { first: Slot::new(Two::default()), rest: Vec::new() }
    }
}

#[derive(Component, Reflect, Clone, Default)]
#[reflect(Component, Default)]
pub struct Circliness;

pub fn kinds() -> Kinds {
    let mut kinds = Kinds::default();
    kinds.add_type::<Scene>();
    kinds.add::<SensorFamily, Fov>(|_| None);
    kinds.add::<ControllerFamily, Constant>(|_| None);
    kinds.add::<ControllerFamily, Two>(|_| None);
    kinds.add::<ControllerFamily, Switch>(|_| None);
    kinds.add::<MotionFamily, Unicycle>(|_| None);
    kinds.add::<SpawnerFamily, Point>(|_| None);
    kinds.add::<MetricFamily, Circliness>(|_| None);
    kinds.add_slot::<ObjectFamily>();
    kinds.add_slot::<NoiseFamily>();
    kinds
}

pub const MILLING: &str = r#"// Robots.
Scene(
    name: "Milling \"é\"",
    seed: 7,
    arena: (size_m: (10.0, 8), boundary: Periodic),
    groups: [(
        name: "millers",
        count: 6,
        at: [(1.0, 2.0, 0.5), (x_m: 3.0)],
        body: Disc(radius_m: 0.2),
        motion: Unicycle,
        sensors: [Fov(range_m: 2.5, mount_m: (0.5, -0.5), rays: 5), Fov()],
        controller: Two(
            clear: (v_m_per_s: 0.27),
            detected: (v_m_per_s: 0.27, turn_rad_per_s: 0.6),
            mode: Ramp(slope: 2.0, offset: 0.0), /* why not */
        ),
    ), (name: "others", controller: Switch(first: Two(), rest: [Two, Switch(rest: [Two()])]))],
    metrics: [Circliness(), Circliness],
)
"#;

pub fn milling() -> Scene {
    read(&kinds(), "milling.ron", MILLING).unwrap()
}

fn refused(text: &str) -> String {
    read::<Scene>(&kinds(), "s.ron", text).unwrap_err().to_string()
}

/// Reads the parameters of a sensor.
fn fov(text: &str) -> Result<Fov, String> {
    read::<Fov>(&kinds(), "", text).map_err(|problems| problems.problems[0].message.clone())
}

#[test]
fn reads_a_scene() {
    let scene = milling();
    assert_eq!(scene.name.as_str(), "Milling \"é\"");
    assert_eq!(scene.seed, 7);
    assert_eq!(scene.format, 1);
    assert_eq!(scene.arena.size_m, DVec2::new(10.0, 8.0));
    assert_eq!(scene.arena.boundary, Boundary::Periodic);
    let [millers, others] = scene.groups.as_slice() else { panic!("{:?}", scene.groups) };
    assert_eq!(millers.body, Shape::Disc { radius_m: 0.2 });
    assert_eq!(millers.at[0], Placement { x_m: 1.0, y_m: 2.0, heading_rad: 0.5 });
    assert_eq!(millers.at[1], Placement { x_m: 3.0, ..default() });
    let fov = millers.sensors[0].value().downcast_ref::<Fov>().unwrap();
    let mount_m = DVec2::new(0.5, -0.5);
    assert_eq!(*fov, Fov { range_m: 2.5, mount_m, rays: Some(5), ..default() });
    assert_eq!(millers.sensors[1].value().downcast_ref(), Some(&Fov::default()));
    let two = millers.controller.value().downcast_ref::<Two>().unwrap();
    assert_eq!(two.clear, Drive { v_m_per_s: 0.27, turn_rad_per_s: -0.6 }, "the default of the kind, not of `Drive`");
    assert_eq!(two.mode, Mode::Ramp { slope: 2.0, offset: 0.0 });
    let switch = others.controller.value().downcast_ref::<Switch>().unwrap();
    assert!(switch.rest[1].value().is::<Switch>());
    assert_eq!(scene.metrics.len(), 2);
}

#[test]
fn reader_reports_all_problems_with_their_places() {
    let text = "Scene(\n  sed: 3,\n  groups: [(\n    name: \"a\", sensors: [Fov(range_m: -2)],\n    \
                    controller: Two(detected: (turn_rad_per_s: fast)),\n  )],\n  metrics: [Circlines()],\n)";
    let told = "s.ron:2:3: sed: Scene has no field `sed`; did you mean `seed`?\n\
             s.ron:4:39: groups[0].sensors[0].range_m: expected a number > 0, found -2\n\
             s.ron:5:48: groups[0].controller.detected.turn_rad_per_s: expected a number, found `fast`\n\
             s.ron:7:13: metrics[0]: unknown metric `Circlines`; did you mean `Circliness`?";
    assert_eq!(refused(text), told);
}

#[test]
fn reader_refuses_values_of_the_wrong_type() {
    let cases = [
        ("(seed: 1, seed: 2)", "s.ron:1:11: seed: the field `seed` is written twice"),
        (
            "",
            "s.ron:1:1: is empty: expected a value, such as `(name: \"mine\")`; the command `init` writes a scene to start from",
        ),
        (
            "(time: (dt_s: \"50ms\"))",
            "s.ron:1:15: time.dt_s: expected seconds from 0.000001 to 10; write 0.05 for 50ms",
        ),
        ("(dt_s: 0.1)", "s.ron:1:2: dt_s: Scene has no field `dt_s`; it is a field of `time`: write `time: (dt_s: …)`"),
        (
            "(sensors: [])",
            "s.ron:1:2: sensors: Scene has no field `sensors`; it is a field of a group: write it in `groups: [(…)]`",
        ),
        (
            "(groups: [(name: \"a\", seed: 3, radius_m: 0.1)])",
            "s.ron:1:23: groups[0].seed: Group has no field `seed`; it is a field of the scene, outside of `groups`\n\
             s.ron:1:32: groups[0].radius_m: Group has no field `radius_m`; it is a field of `body`: write \
             `body: Disc(radius_m: …)`",
        ),
        ("(obstacles: [])", "s.ron:1:2: obstacles: Scene has no field `obstacles`; did you mean `objects`?"),
        ("(time: (dt: 0.1))", "s.ron:1:9: time.dt: Time has no field `dt`; did you mean `dt_s`?"),
        (
            "(metrics: [\"Circliness\"])",
            "s.ron:1:12: metrics[0]: expected a metric such as `Circliness()`, found \"Circliness\"; write `Circliness()`",
        ),
        ("(time: (step_s: 0.1))", "s.ron:1:9: time.step_s: Time has no field `step_s`; did you mean `dt_s`?"),
        ("(metrics: [Fov()])", "s.ron:1:12: metrics[0]: unknown metric `Fov`, which is a sensor; known: Circliness"),
        (
            "(arena: (boundary: Torus))",
            "s.ron:1:20: arena.boundary: expected Open, Walls or Periodic, found `Torus`; did you mean `Periodic`?",
        ),
        ("(seed: -1)", "s.ron:1:8: seed: expected an integer from 0 to 18446744073709551615, found -1"),
        ("(format: 2)", "s.ron:1:10: format: expected an integer from 1 to 1, found 2"),
        ("(name: Milling)", "s.ron:1:8: name: expected text in quotes, found `Milling`; write \"Milling\""),
        ("(name: 'Milling')", "s.ron:1:8: name: expected text in quotes, found 'Milling'; write \"Milling\""),
        ("(time: (dt_ms: 50))", "s.ron:1:9: time.dt_ms: Time has no field `dt_ms`; write dt_s: 0.05"),
        ("(seed: \"3\")", "s.ron:1:8: seed: expected an integer from 0 to 18446744073709551615, found \"3\"; write 3"),
        ("(spawn_before_first_step: 1)", "s.ron:1:27: spawn_before_first_step: expected true or false, found 1"),
        ("(groups: 1)", "s.ron:1:10: groups: expected a list in `[…]`, found 1"),
        ("(groups: [()])", "s.ron:1:11: groups[0]: Group needs the field `name`"),
        ("(time: (dt_s: NaN))", "s.ron:1:15: time.dt_s: expected a finite number, found `NaN`"),
        ("(time: (dt_s: 1e999))", "s.ron:1:15: time.dt_s: expected a finite number, found 1e999"),
        ("(time: (dt_s: [1]))", "s.ron:1:15: time.dt_s: expected a number from 0.000001 to 10, found a list"),
        ("(arena: (size_m: (0, 1)))", "s.ron:1:19: arena.size_m.x: expected a number > 0 and ≤ 1000000, found 0"),
        ("(arena: (size_m: (1, 2, 3)))", "s.ron:1:18: arena.size_m: expected (x, y), found 3 values in round brackets"),
        (
            "(arena: (size_m: (6,0, 4,0)))",
            "s.ron:1:18: arena.size_m: expected (x, y), found 4 values in round brackets; decimals are written with a point",
        ),
        (
            "(arena: (size_m: (6 m, 4 m)))",
            "s.ron:1:19: arena.size_m.x: expected metres > 0 and ≤ 1000000; write 6 for 6 m\n\
             s.ron:1:24: arena.size_m.y: expected metres > 0 and ≤ 1000000; write 4 for 4 m",
        ),
        ("(time: (dt_s: 0,05))", "s.ron:1:17: expected `field: value`, found `05`; decimals are written with a point"),
        ("(arena: (size_m: [5, 5]))", "s.ron:1:18: arena.size_m: expected (x, y), found a list; write round brackets"),
        ("(arena: (size_m: ()))", "s.ron:1:18: arena.size_m: expected (x, y), found empty brackets"),
        ("(arena: 7)", "s.ron:1:9: arena: expected (corner_m: …, size_m: …, boundary: …, background: …), found 7"),
        (
            "(arena: Field())",
            "s.ron:1:9: arena: expected Arena (corner_m: …, size_m: …, boundary: …, background: …), found `Field(…)`",
        ),
        (
            "(arena: (boundary: Periodik))",
            "s.ron:1:20: arena.boundary: expected Open, Walls or Periodic, found `Periodik`; did you mean `Periodic`?",
        ),
        ("(arena: (boundary: Open(1)))", "s.ron:1:20: arena.boundary: Open has no fields"),
        ("(metrics: [3])", "s.ron:1:12: metrics[0]: expected a metric such as `Circliness()`, found 3"),
        ("(metrics: [Foo])", "s.ron:1:12: metrics[0]: unknown metric `Foo`; known: Circliness"),
        ("(objects: [Foo])", "s.ron:1:12: objects[0]: unknown object `Foo`; there is none"),
        (
            "(groups: [(name: \"a\"), (name: \"b\"), (name: \"\\u{61}\")])",
            "s.ron:1:44: groups[2].name: the name `a` is taken by groups[0]",
        ),
    ];
    for (text, told) in cases {
        assert_eq!(refused(text), told, "{text}");
    }
}

#[test]
fn limits_hold_for_parts_of_a_scene() {
    assert_eq!(fov("(mount_m: (0, 2))").unwrap_err(), "expected a number from -1 to 1, found 2");
    assert_eq!(fov("(gains: [1, inf])").unwrap_err(), "expected a finite number, found `inf`");
    assert_eq!(fov("(three: [1, 2, 1e39])").unwrap_err(), "expected a finite number, found 1e39");
    assert_eq!(fov("(pair: (1, 300))").unwrap_err(), "expected an integer from 0 to 255, found 300");
    assert_eq!(fov("(three: (1, 2))").unwrap_err(), "expected 3 values, found 2 values in round brackets");
}

#[test]
fn reads_options_tuples_and_arrays() {
    assert_eq!(fov("Fov"), Ok(Fov::default()));
    assert_eq!(fov("(rays: Some(3))"), Ok(Fov { rays: Some(3), ..default() }));
    assert_eq!(fov("(rays: 3)"), fov("(rays: Some(3))"));
    assert_eq!(fov("(rays: None, gains: [9])"), Ok(Fov { gains: vec![9.0], ..default() }));
    assert_eq!(
        fov("(pair: (2, 3), three: (1, 2, 3))"),
        Ok(Fov { pair: (2.0, 3), three: [1.0, 2.0, 3.0], ..default() })
    );
    assert_eq!(fov("(pairs: [((1), (2, 3)), (Metres(1), [2, 3])])").unwrap().pairs, [(Metres(1.0), [2, 3]); 2]);
    assert_eq!(fov("(pairs: [(Feet(1), [2, 3])])").unwrap_err(), "expected 1 value, found `Feet(…)`");
    assert_eq!(fov("(mount_m: (y: 1))"), Ok(Fov { mount_m: DVec2::Y, ..default() }));
}

#[test]
fn variants_other_than_the_default_have_no_defaults() {
    let two = |text| read::<Two>(&kinds(), "", text).map_err(|problems| problems.to_string());
    assert_eq!(two("(mode: Ramp(slope: 1))").unwrap_err(), "1:8: mode: Ramp needs the field `offset`");
    assert_eq!(two("(mode: Pick(1))").unwrap_err(), "1:8: mode: expected 2 values, found `Pick(…)`");
    assert_eq!(two("(mode: Pick(1, \"x\"))").unwrap().mode, Mode::Pick(1, "x".into()));
    assert_eq!(two("(mode: Idle())").unwrap(), Two::default());
}

#[test]
fn many_problems_of_a_scene_are_counted_and_long_texts_shortened() {
    let text = format!("({})", "x: 1, ".repeat(100));
    let problems = read::<Scene>(&kinds(), "s", &text).unwrap_err().problems;
    assert_eq!(problems.len(), 51);
    assert_eq!(problems[50].message.as_str(), "… and 50 more");
    let long = format!("({}: 1)", "x".repeat(5_000_000));
    assert!(refused(&long).len() < 500);
    assert_eq!(shown("a\nb\u{1b}"), "a\\nb\\u{1b}");
    assert_eq!(shown(&"é".repeat(50)).chars().count(), MAX_SHOWN + 1);
}

#[test]
fn kinds_nest_to_the_limit_of_brackets() {
    let nested = |depth: usize| format!("{}Two{}", "Switch(first: ".repeat(depth), ")".repeat(depth));
    assert!(read::<Switch>(&kinds(), "", &nested(64)).is_ok());
    let told = read::<Switch>(&kinds(), "", &nested(65)).err().unwrap().to_string();
    assert!(told.ends_with(": more than 64 nested brackets"), "{told}");
}

#[test]
fn every_scene_equals_its_default_when_empty() {
    for text in ["Scene()", "()", "Scene", "\u{feff}( /* */ )"] {
        assert_eq!(format!("{:?}", read::<Scene>(&kinds(), "", text)), format!("{:?}", Ok::<_, ()>(Scene::default())));
    }
}

#[test]
fn mutated_scenes_never_panic() {
    let kinds = kinds();
    let mut state = 1_u64;
    let mut random = |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (state >> 33) as usize % below
    };
    for _ in 0..3_000 {
        let mut bytes = MILLING.as_bytes().to_vec();
        for _ in 0..=random(3) {
            let from = random(bytes.len());
            let to = from + random(20.min(bytes.len() - from));
            let piece = bytes[from..to].to_vec();
            let at = random(bytes.len());
            match random(3) {
                0 => drop(bytes.drain(from..to)),
                1 => drop(bytes.splice(at..at, piece)),
                _ => bytes[at] = b"()[]{},:\"'\\/*#-.e0aN\n"[random(21)],
            }
        }
        let _ = read::<Scene>(&kinds, "", &String::from_utf8_lossy(&bytes));
    }
}

#[test]
fn scenes_that_are_not_text_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("a.ron");
    let told = |path: &Path| read_text(path).unwrap_err().to_string().replace(&path.display().to_string(), "F");
    assert_eq!(told(&file), "F: there is no such file");
    assert_eq!(told(folder.path()), "F: is a folder, not a file");
    std::fs::write(&file, b"abc\xffd").unwrap();
    assert_eq!(told(&file), "F:1:4: is not text: byte 0xff at offset 3");
    std::fs::write(&file, "é\nab\0").unwrap();
    assert_eq!(told(&file), "F:2:3: is not text: byte 0x00 at offset 5");
    std::fs::write(&file, "é").unwrap();
    assert_eq!(read_text(&file).unwrap(), "é");
    std::fs::File::create(&file).unwrap().set_len(MAX_BYTES + 1).unwrap();
    assert_eq!(told(&file), "F: is larger than 64 MiB");
}

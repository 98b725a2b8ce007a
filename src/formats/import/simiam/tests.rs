use std::collections::BTreeMap;

use crate::standard::{FromScene as _, Standard as _};
use bevy::math::DVec2;
use serde_json::{Value, json};
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::object::Object as _;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_scene::scene::Scene;
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_space::polygon;

use super::super::{MetresPerUnit, Options, import_with};
use super::world::{Class, Outline, WITHOUT_ROBOT};
use super::*;
use crate::export::Exported;
use crate::export::simiam::translate;

mod drawings;
mod recorded;
mod robots;
mod worlds;

const PLAIN: Options = options(false, false);
pub(crate) const LENIENT: Options = options(true, false);
const ALL_GROUPS: Options = options(false, true);

const fn options(lenient: bool, all_groups: bool) -> Options {
    Options {
        variables: Vec::new(),
        allow_outside: false,
        lenient,
        all_groups,
        scale: MetresPerUnit(0.01),
        strokes: None,
        robots: Vec::new(),
        supervisors: Vec::new(),
        controllers: Vec::new(),
    }
}

/// The world of a file, or its problems.
fn world_of(name: &str, text: &str, options: &Options) -> Result<World, Vec<Problem>> {
    let ReadWorld { world, report } = read(name, text, options)?;
    report.finish(text)?;
    Ok(world)
}

fn numbers(pose: &Placement) -> Value {
    json!([pose.x_m, pose.y_m, pose.heading_rad])
}

fn points(outline: &Outline) -> Value {
    outline.points.iter().map(|point| json!([point.x, point.y])).collect()
}

/// The content of a world in the form of the recorded cases.
fn objects(world: &World) -> Vec<Value> {
    let class = |class: &Class| json!({"type": class.name, "options": class.options});
    let robots = world.robots.iter().map(|robot| {
        let color = robot.color.map(|color| color.0);
        let mut own = class(&robot.class);
        own["color"] = json!(color);
        own["pose"] = numbers(&robot.pose);
        json!({"type": "robot", "robot": own, "supervisor": class(&robot.supervisor)})
    });
    let outlines = |tag: &'static str, outlines: &[Outline]| -> Vec<Value> {
        let of = |outline: &Outline| {
            let color = outline.color.map(|color| color.0);
            json!({"type": tag, "color": color, "pose": numbers(&outline.pose), "points": points(outline)})
        };
        outlines.iter().map(of).collect()
    };
    let (obstacles, markers) = (outlines("obstacle", &world.obstacles), outlines("marker", &world.markers));
    robots.chain(obstacles).chain(markers).collect()
}

/// Problems or warnings, one per line.
pub(crate) fn lines(problems: &[Problem]) -> String {
    problems.iter().map(ToString::to_string).collect::<Vec<_>>().join("\n")
}

/// The scene of a file, and the warnings about the file.
pub(crate) fn scene_of(name: &str, text: &str, options: &Options) -> (Scene, String) {
    let kinds = Recipe::standard().kinds().clone();
    let Imported { scene, warnings, .. } =
        import_with(&kinds, name, text, options).unwrap_or_else(|problems| panic!("{problems}\n{text}"));
    (scene, lines(&warnings))
}

fn problems(name: &str, text: &str, options: &Options) -> String {
    let kinds = Recipe::standard().kinds().clone();
    import_with(&kinds, name, text, options).unwrap_err().to_string()
}

const ROBOT: &str = "<robot type=\"Khepera3\"><supervisor type=\"joystick.QBJoystickSupervisor\"/>\
    <pose x=\"0\" y=\"0\" theta=\"0\"/></robot>";

fn with_robot(rest: &str) -> String {
    format!("<simulation>\n{ROBOT}\n{rest}\n</simulation>")
}

fn obstacle(points: &[(f64, f64)]) -> String {
    let point = |(x, y): &(f64, f64)| format!("<point x=\"{x}\" y=\"{y}\"/>");
    let points: String = points.iter().map(point).collect();
    format!("<obstacle><pose x=\"1\" y=\"2\" theta=\"0\"/><geometry>{points}</geometry></obstacle>")
}

fn corners(scene: &Scene, index: usize) -> Vec<(f64, f64)> {
    let polygon = scene.objects[index].value().downcast_ref::<Polygon>().unwrap();
    polygon.corners_m.iter().map(|corner| (corner.x, corner.y)).collect()
}

fn svg(inner: &str) -> String {
    format!("<svg xmlns='http://www.w3.org/2000/svg' xmlns:i='http://a.org/i'>{inner}</svg>")
}

/// The pose of each robot, its class and its supervisor.
fn robots(world: &World) -> Vec<(f64, f64, f64, &str, &str)> {
    let robots = world.robots.iter().map(|robot| {
        let Placement { x_m, y_m, heading_rad } = robot.pose;
        let [class, supervisor] = [&robot.class, &robot.supervisor].map(|class| class.name.as_deref().unwrap());
        (x_m, y_m, heading_rad, class, supervisor)
    });
    robots.collect()
}

#[test]
fn all_forms_of_a_file_are_read_as_equal() {
    let text = with_robot(&obstacle(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]));
    let plain = objects(&world_of("w.xml", &text, &Options::default()).unwrap());
    let kinds = Recipe::standard().kinds().clone();
    for other in [
        format!("\u{feff}{text}"),
        text.replace('\n', "\r\n"),
        text.replace("\"", "'"),
        text.replace("<pose", "<!-- a --><pose"),
    ] {
        import_with(&kinds, "w.XML", &other, &Options::default()).unwrap();
        let other = other.trim_start_matches('\u{feff}');
        assert_eq!(objects(&world_of("w.xml", other, &Options::default()).unwrap()), plain);
    }
}

#[test]
fn truncated_texts_are_refused_without_a_panic() {
    let kinds = Recipe::standard().kinds().clone();
    let world = with_robot(&obstacle(&[(0.0, 0.0), (1.0, 0.0), (1.0, 1.0)]));
    let drawing = svg("<g><path d='M 1e1,2 A 3 4 5 0 1 6 7 z' style='fill:#012' transform='rotate(3)'/></g>");
    let mut fine = BTreeMap::new();
    for (name, text) in [("w.xml", &world), ("a.svg", &drawing)] {
        for end in (0..text.len()).filter(|end| text.is_char_boundary(*end)) {
            for options in [&Options::default(), &LENIENT, &ALL_GROUPS] {
                *fine.entry(name).or_insert(0) += usize::from(import_with(&kinds, name, &text[..end], options).is_ok());
            }
        }
    }
    assert_eq!(fine, BTreeMap::from([("w.xml", 0), ("a.svg", 0)]));
}

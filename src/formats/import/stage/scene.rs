//! Stage worlds as scenes.

use std::collections::BTreeMap;

use bevy::math::DVec2;
use swarmarium_base::limits::{MAX_GROUPS, MAX_LENGTH_M};
use swarmarium_base::names::Names;
use swarmarium_base::problem::did_you_mean;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::kind::Kinds;
use swarmarium_core::service::note::Note;
use swarmarium_core::text::wording::shown;
use swarmarium_scene::scene::description::{Group, Scene, Stop, Time};
use swarmarium_scene::scene::reader;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_space::arena::Arena;
use swarmarium_space::polygon;

use super::object::{self, Objects};
use super::robot::{self, Context, FIDUCIAL_TEAM, Robot};
use super::values::{Pose, Reader};

/// The step (ms) of worlds that state none.
const INTERVAL_MS: f64 = 100.0;
/// The margin between the content of a world and the edge of the arena.
const MARGIN_M: f64 = 0.25;
/// The properties of the world that scenes express.
const PROPERTIES: [&str; 8] =
    ["name", "interval_sim", "quit_time", "unit_length", "unit_angle", "speedup", "resolution", "test"];
/// The types of models of Stage.
const TYPES: [&str; 15] = [
    "model",
    "position",
    "ranger",
    "laser",
    "sonar",
    "fiducial",
    "fiducialfinder",
    "blobfinder",
    "bumper",
    "gripper",
    "camera",
    "wifi",
    "actuator",
    "blinkenlight",
    "lightindicator",
];
/// The notes of a scene with what it does not express.
pub mod notes {
    /// The controllers of robots and models, by name.
    pub const CONTROLLERS: &str = "stage.ctrl";
    /// The names of robots that share a group.
    pub const NAMES: &str = "stage.names";
}

/// The scene of a world. It is valid only if the world has no problem.
pub fn scene(kinds: &Kinds, name: &str, reader: &mut Reader) -> Scene {
    let time = time(reader);
    let fiducials = fiducials(reader);
    let context = Context { kinds, step_s: time.dt_s, fiducials };
    let (mut robots, mut objects) = (Vec::new(), Objects::default());
    let top = reader.world.models[0].children.clone();
    for model in &top {
        add(reader, *model, Pose::default(), &context, &mut robots, &mut objects);
    }
    let stop = Stop { time_s: reader.number(0, "quit_time").unwrap_or_default().clamp(0.0, 1e12), ..Stop::default() };
    if reader.property(0, "resolution").is_some() {
        reader.warn_of(0, "resolution", "shapes are exact: there is no grid, and `resolution` is left out");
    }
    reader.note_lost(0, &PROPERTIES);
    reader.note_window();
    if robots.is_empty() && objects.obstacles.is_empty() && objects.marks.is_empty() {
        reader.sources.warning_of_world("there is no model, and so neither a robot nor an obstacle");
    }
    let arena = arena(&robots, &objects);
    let mut metadata = Vec::new();
    let mut controls: Vec<String> = objects.controllers.iter().map(|(name, text)| format!("{name}: {text}")).collect();
    let (groups, names) = groups(kinds, reader, robots, &mut controls);
    for (note, lines) in [(notes::CONTROLLERS, controls), (notes::NAMES, names)] {
        if !lines.is_empty() {
            metadata.push(Note { name: note.to_owned(), text: lines.join("; ") });
        }
    }
    let Objects { mut marks, obstacles, .. } = objects;
    // Marks come first, so that they are drawn below obstacles.
    marks.extend(obstacles);
    let name = reader.text(0, "name").map(|(_, name)| name).filter(|name| !name.is_empty()).unwrap_or(name.to_owned());
    let about = "A world of Stage.".to_owned();
    Scene { name, about, arena, time, groups, objects: marks, stop, metadata, ..Scene::default() }
}

fn time(reader: &mut Reader) -> Time {
    let given_ms = reader.number(0, "interval_sim");
    if given_ms.is_some_and(|interval_ms| interval_ms <= 0.0) {
        reader.warn_of(0, "interval_sim", format!("expected milliseconds above 0: {INTERVAL_MS} ms are used"));
    }
    let interval_ms = given_ms.filter(|interval_ms| *interval_ms > 0.0).unwrap_or(INTERVAL_MS);
    let dt_s = (interval_ms / 1000.0).clamp(1e-6, 10.0);
    if dt_s != interval_ms / 1000.0 {
        reader.warn_of(0, "interval_sim", format!("expected milliseconds up to 10000: a step of {dt_s} s is used"));
    }
    let scale = reader.number(0, "speedup").filter(|speedup| *speedup > 0.0).unwrap_or(1.0).clamp(0.01, 1e6);
    Time { dt_s, scale, ..Time::default() }
}

/// The things that fiducial finders see, as fields of a sight; empty in a world without them.
fn fiducials(reader: &mut Reader) -> String {
    let models = 0..reader.world.models.len();
    let is_finder = |model: usize| matches!(reader.kind_of(model), "fiducial" | "fiducialfinder");
    if !models.clone().any(is_finder) {
        return String::new();
    }
    let objects: Vec<usize> = models.filter(|model| reader.kind_of(*model) == "model").collect();
    let has_objects = objects.into_iter().any(|model| reader.flag(model, "fiducial_return", false));
    let objects = if has_objects { ", obstacles: true" } else { "" };
    format!("team: \"{FIDUCIAL_TEAM}\"{objects}, occlusion: true")
}

/// Adds a model with its parts; `frame` is the pose of the model that contains it.
fn add(
    reader: &mut Reader,
    model: usize,
    frame: Pose,
    context: &Context,
    robots: &mut Vec<Robot>,
    objects: &mut Objects,
) {
    let kind = reader.kind_of(model).to_owned();
    let pose = frame.of_part(reader.pose(model, "pose").unwrap_or_default());
    match kind.as_str() {
        "position" => return robots.push(robot::robot(reader, model, pose, context)),
        "model" => object::add(reader, model, pose, !context.fiducials.is_empty(), objects),
        "window" => {
            return reader.warn(model, "the window of Stage is left out: the view shows the whole arena");
        }
        "block" => return,
        kind if TYPES.contains(&kind) => {
            reader.warn(model, format!("`{kind}` is on no robot, and is left out"));
        }
        kind => {
            let near = did_you_mean(kind, TYPES.into_iter().chain(["window"]));
            let message =
                format!("no file defines `{}`, and Stage has no such model{near}: it is left out", shown(kind));
            return reader.warn(model, message);
        }
    }
    for child in reader.world.models[model].children.clone() {
        add(reader, child, pose, context, robots, objects);
    }
}

/// The groups of robots, and the names of robots that share one. Equal robots that follow one another are one group.
fn groups(
    kinds: &Kinds,
    reader: &mut Reader,
    robots: Vec<Robot>,
    controls: &mut Vec<String>,
) -> (Vec<Group>, Vec<String>) {
    let mut templates: BTreeMap<String, Option<Group>> = BTreeMap::new();
    let (mut groups, mut shared, mut names) = (Vec::<Group>::new(), Vec::new(), Names::default());
    let mut left = robots.into_iter().peekable();
    while let Some(first) = left.next() {
        let is_alike = |next: &Robot| {
            (&next.fields, &next.made_by, &next.color, &next.controllers)
                == (&first.fields, &first.made_by, &first.color, &first.controllers)
        };
        let mut alike = Vec::new();
        while let Some(next) = left.next_if(is_alike) {
            alike.push(next);
        }
        let placement = |robot: &Robot| Placement {
            x_m: robot.pose.at_m.x,
            y_m: robot.pose.at_m.y,
            heading_rad: robot.pose.heading_rad,
        };
        let at: Vec<Placement> = std::iter::once(&first).chain(&alike).map(placement).collect();
        let own = first.name.as_ref().filter(|_| alike.is_empty());
        let wanted: String = own.unwrap_or(&first.made_by).chars().map(plain).collect();
        if groups.len() == MAX_GROUPS {
            let message = format!("at most {MAX_GROUPS} groups of equal robots fit in a scene");
            let token = reader.token_of(first.model);
            reader.sources.problem(token, "", message);
            break;
        }
        let template = templates.entry(first.fields.clone()).or_insert_with(|| read(kinds, reader, &first));
        let Some(mut group) = template.clone() else { continue };
        group.name = names.unique(if wanted.is_empty() { "robot" } else { &wanted }, '-');
        group.look.color.clone_from(&first.color);
        group.at = at;
        let known: Vec<String> = std::iter::once(&first).chain(&alike).filter_map(|robot| robot.name.clone()).collect();
        if !alike.is_empty() && !known.is_empty() {
            shared.push(format!("{}: {}", group.name, known.join(" ")));
        }
        controls.extend(first.controllers.iter().map(|text| format!("{}: {text}", group.name)));
        groups.push(group);
    }
    (groups, shared)
}

/// A character of the name of a group.
fn plain(c: char) -> char {
    if c.is_alphanumeric() || matches!(c, '_' | '-') { c } else { '_' }
}

/// Reads the fields of a robot as a group; `None` with problems if the scene cannot have it.
fn read(kinds: &Kinds, reader: &mut Reader, robot: &Robot) -> Option<Group> {
    let name = write(kinds, &robot.made_by, Style::Short);
    match reader::read::<Group>(kinds, "", &format!("(name: {name}, {})", robot.fields)) {
        Ok(group) => Some(group),
        Err(problems) => {
            let token = reader.token_of(robot.model);
            for problem in problems.problems {
                reader.sources.problem(token, &problem.path, problem.message);
            }
            None
        }
    }
}

/// The arena around everything, as Stage's worlds have no edge.
fn arena(robots: &[Robot], objects: &Objects) -> Arena {
    let robots = robots.iter().map(|robot| robot.pose.at_m);
    let all: Vec<DVec2> = robots.chain(objects.corners_m.iter().copied()).collect();
    let (low, high) = polygon::bounds(&all);
    let max = DVec2::splat(MAX_LENGTH_M);
    let grid = |point: DVec2| (point * 100.0).round() / 100.0;
    let low = grid(low - MARGIN_M).clamp(-max, max);
    let high = grid(high + MARGIN_M).clamp(-max, max);
    Arena { corner_m: low, size_m: (high - low).clamp(DVec2::ONE, max), ..Arena::default() }
}

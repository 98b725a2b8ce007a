//! pySimiam worlds as scenes.

use std::collections::BTreeMap;

use bevy::math::DVec2;
use swarmarium_base::limits::{MAX_CORNERS, MAX_GROUPS, MAX_LENGTH_M};
use swarmarium_base::names::Names;
use swarmarium_base::problem::Problems;
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::kind::{Kinds, Slot};
use swarmarium_core::motion::differential_drive::DifferentialDrive;
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::region::Area;
use swarmarium_core::object::{ObjectFamily, Presence, form_problem};
use swarmarium_core::sensor::infrared::{Infrared, Reads};
use swarmarium_core::service::note::Note;
use swarmarium_core::text::wording::{join, shown};
use swarmarium_kinds::controller::supervisor::Supervisor;
use swarmarium_scene::scene::description::{Group, Scene, Time};
use swarmarium_scene::scene::reader;
use swarmarium_space::arena::Arena;
use swarmarium_space::{Form, InfraredModel, polygon};
use swarmarium_svg::drop_straight;

use super::class_notes::{self, Part};
use super::classes::{self, ClassMapping, Counterpart};
use super::color::{self, Color};
use super::supervisor::{goal_m, group_field, set_options};
use super::world::{Class, Outline, Robot, World};
use crate::import::Options;
use crate::import::report::Report;
use crate::import::stand_in::{self, StandIn};

/// The step of pySimiam.
const DT_S: f64 = 0.02;
/// The margin between the content of a world and the walls of the arena.
const MARGIN_M: f64 = 0.25;
/// The radius of the goals of supervisors.
const GOAL_RADIUS_M: f64 = 0.05;
/// The thickness of obstacles without an area.
const MIN_THICKNESS_M: f64 = 1e-3;

/// Why a part of a world cannot be part of a scene.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SceneError {
    /// A supervisor stands in the place of a robot.
    #[error("is not a robot")]
    NotRobot,
    /// The group of a robot cannot be read.
    #[error("{}", .0.to_string().trim())]
    Group(Problems),
    /// An outline has more corners than an object can have.
    #[error("at most {} points fit, found {found}", MAX_CORNERS)]
    TooManyCorners {
        /// The number of corners.
        found: usize,
    },
}

/// The scene of a world without robots and outlines.
pub fn empty(name: &str) -> Scene {
    Scene {
        name: name.to_owned(),
        about: "A pySimiam world.".to_owned(),
        time: Time { dt_s: DT_S, ..Time::default() },
        infrared_model: InfraredModel::Classic,
        on_collision: OnCollision::Pause,
        ..Scene::default()
    }
}

/// The scene of a world. It is valid only if the report has no problem.
pub fn scene(kinds: &Kinds, name: &str, world: &World, options: &Options, report: &mut Report) -> Scene {
    let (mut groups, metadata) = groups(kinds, &world.robots, options, report);
    // Markers come first, so that they are drawn below obstacles.
    let mut objects = objects(&world.markers, true, report);
    objects.extend(self::objects(&world.obstacles, false, report));
    let arena = arena(&groups, &objects, report);
    objects.extend(goals(&mut groups));
    let mut scene = Scene { arena, groups, objects, metadata, ..empty(name) };
    let supervisors = supervisors(&world.robots);
    if !supervisors.is_empty() {
        scene.about = format!("{} Supervisors: {}.", scene.about, join(&supervisors, "and"));
    }
    scene
}

/// The names that the supervisors of a world have in this program, each once.
fn supervisors(robots: &[Robot]) -> Vec<&'static str> {
    let mut names = Vec::new();
    for name in robots.iter().filter_map(|robot| robot.supervisor.name.as_deref()) {
        if let Ok(ClassMapping { counterpart: Counterpart::Supervisor(name), .. }) = classes::find(name, false)
            && !names.contains(name)
        {
            names.push(name);
        }
    }
    names
}

/// The groups of robots, with notes on their classes. Equal robots that follow one another are one group.
fn groups(kinds: &Kinds, robots: &[Robot], options: &Options, report: &mut Report) -> (Vec<Group>, Vec<Note>) {
    let (mut groups, mut names, mut templates) = (Vec::<Group>::new(), Names::default(), GroupTemplates::new());
    let mut notes = Vec::new();
    let mut before: Option<(&Robot, Color)> = None;
    if robots.is_empty() {
        report.warning(0, "", "there is no robot");
    }
    let chosen = Chosen::new(robots, options, report);
    for (number, robot) in robots.iter().enumerate() {
        let color = robot.color.unwrap_or(Color::of_robot(number));
        let is_alike = |(before, its_color): (&Robot, Color)| {
            before.goal_m == robot.goal_m
                && are_alike(&before.class, &robot.class)
                && are_alike(&before.supervisor, &robot.supervisor)
                && its_color == color
        };
        if before.is_some_and(is_alike)
            && let Some(last) = groups.last_mut()
        {
            last.at.push(robot.pose);
            continue;
        }
        let path = format!("robot[{number}]");
        if groups.len() == MAX_GROUPS {
            report.problem(
                robot.at,
                &path,
                format!("at most {MAX_GROUPS} groups of robots of one kind and colour fit in a scene"),
            );
            break;
        }
        let Some(counterparts) = counterparts(robot, &path, (&chosen, options.lenient), report) else { continue };
        let Some(mut group) = group(kinds, robot, counterparts, &path, &mut templates, report) else { continue };
        group.name = names.unique(&group.name, '-');
        group.look.color = color.hex();
        group.at = vec![robot.pose];
        let [class, supervisor] = counterparts;
        notes.extend(class_notes::notes(&group, Part::Robot, &robot.class, class));
        notes.extend(class_notes::notes(&group, Part::Supervisor, &robot.supervisor, supervisor));
        groups.push(group);
        before = Some((robot, color));
    }
    (groups, notes)
}

/// Whether two classes have the same name and options. Groups keep classes of the same counterpart apart, so that exports
/// preserve their names.
fn are_alike(one: &Class, other: &Class) -> bool {
    one.name == other.name && one.options == other.options
}

/// Groups by robot and supervisor, so that each is read only once.
type GroupTemplates = BTreeMap<[Counterpart; 2], Result<Group, SceneError>>;

/// The robots and the supervisors that the user chose for classes of the world.
struct Chosen<'a> {
    robots: Vec<&'a StandIn>,
    supervisors: Vec<&'a StandIn>,
}

impl<'a> Chosen<'a> {
    fn new(robots: &[Robot], options: &'a Options, report: &mut Report) -> Self {
        let mut usable = |all: &'a [StandIn], is_robot: bool, class: fn(&Robot) -> &Class| {
            let known: Vec<&str> = classes::counterparts(is_robot).map(|(name, _)| name).collect();
            let names = || robots.iter().filter_map(|robot| class(robot).name.as_deref());
            stand_in::usable(all, &known, |choice| names().any(|name| choice.is_for(name)), report)
        };
        Self {
            robots: usable(&options.robots, true, |robot| &robot.class),
            supervisors: usable(&options.supervisors, false, |robot| &robot.supervisor),
        }
    }
}

/// The counterparts of the classes of a robot and of its supervisor; `None` if one of them cannot be read.
fn counterparts(
    robot: &Robot,
    path: &str,
    (chosen, is_lenient): (&Chosen, bool),
    report: &mut Report,
) -> Option<[Counterpart; 2]> {
    let classes = [(&robot.class, true), (&robot.supervisor, false)].map(|(class, is_robot)| {
        let path = if is_robot { path.to_owned() } else { format!("{path}.supervisor") };
        let Some(name) = &class.name else {
            // The reader has reported everything else that is missing.
            if is_robot && is_lenient {
                report.problem(class.at, &path, "has no `type`, so that there is nothing to make");
            }
            return None;
        };
        match classes::find(name, is_robot) {
            Ok(mapping) => {
                if !mapping.has_module_of(name) {
                    let message =
                        format!("`{}` is read as `{}`: only the name of the class counts", shown(name), mapping.name());
                    report.warning(class.at, &path, message);
                }
                Some(mapping.counterpart)
            }
            Err(error) if name.trim().is_empty() => {
                report.problem(class.at, &path, error.to_string());
                None
            }
            Err(_) => {
                let chosen = if is_robot { &chosen.robots } else { &chosen.supervisors };
                let counterpart = match chosen.iter().rev().find(|chosen| chosen.is_for(name)) {
                    Some(chosen) => return Some(chosen.counterpart),
                    None if is_robot => classes::usual_stand_in(robot.supervisor.name.as_deref()),
                    None => Counterpart::Own,
                };
                report.warning(
                    class.at,
                    &path,
                    classes::own_class_warning(name, counterpart, robot.class.name.as_deref()),
                );
                Some(counterpart)
            }
        }
    });
    let [class, supervisor] = classes;
    Some([class?, supervisor?])
}

/// The group of a robot with these counterparts, with the options of its supervisor.
fn group(
    kinds: &Kinds,
    robot: &Robot,
    [class, supervisor]: [Counterpart; 2],
    path: &str,
    templates: &mut GroupTemplates,
    report: &mut Report,
) -> Option<Group> {
    if robot.class.options.is_some() {
        report.warning(robot.class.at, path, "`options` are for real robots: they are only kept in `metadata`");
    }
    let template = templates.entry([class, supervisor]);
    match template.or_insert_with(|| group_template(kinds, class, supervisor)).clone() {
        Ok(mut group) => {
            let path = format!("{path}.supervisor.options");
            let controller = group.controller.value_mut().downcast_mut::<Supervisor>();
            if let (Some(goal_m), Some(controller)) = (robot.goal_m, controller) {
                controller.goal_m = goal_m;
            }
            if let Some(options) = robot.supervisor.options.as_ref().filter(|_| supervisor != Counterpart::Own) {
                for error in set_options(&mut group.controller, supervisor, options) {
                    report.warning(robot.supervisor.at, &path, error.to_string());
                }
            }
            Some(group)
        }
        Err(error) => {
            report.problem(robot.at, path, error.to_string());
            None
        }
    }
}

/// A group of a robot with a supervisor, named after the robot.
///
/// # Errors
/// When the first is not a robot, or the scene cannot have one of them.
pub fn group_template(kinds: &Kinds, robot: Counterpart, supervisor: Counterpart) -> Result<Group, SceneError> {
    let Counterpart::Robot(robot) = robot else { return Err(SceneError::NotRobot) };
    let controller = group_field(supervisor);
    let text = format!("(name: \"{robot}\", robot: \"{robot}\", {controller})");
    let mut group: Group = reader::read(kinds, "", &text).map_err(SceneError::Group)?;
    if let Some(saturation) = supervisor.saturation()
        && let Some(drive) = group.motion.value_mut().downcast_mut::<DifferentialDrive>()
    {
        drive.saturation = saturation;
    }
    if supervisor == Counterpart::Own {
        // Such a supervisor converts the readings itself.
        let infrared = group.sensors.iter_mut().filter_map(|sensor| sensor.value_mut().downcast_mut::<Infrared>());
        infrared.for_each(|infrared| infrared.reads = Reads::Raw);
    }
    Ok(group)
}

/// The objects of outlines.
fn objects(outlines: &[Outline], are_markers: bool, report: &mut Report) -> Vec<Slot<ObjectFamily>> {
    let (tag, color) = if are_markers { ("marker", color::OF_MARKERS) } else { ("obstacle", color::OF_OBSTACLES) };
    let of_outline = |(number, outline): (usize, &Outline)| {
        let parts = object_outlines(outline, are_markers, &format!("{tag}[{number}]"), report);
        let (color, heading_rad) = (outline.color.unwrap_or(color).hex(), outline.pose.heading_rad);
        parts.into_iter().map(move |corners_m| object(corners_m, heading_rad, color.clone(), are_markers))
    };
    outlines.iter().enumerate().flat_map(of_outline).collect()
}

/// An obstacle, or a marker, which robots neither touch nor sense.
fn object(corners_m: Vec<DVec2>, heading_rad: f64, color: String, is_marker: bool) -> Slot<ObjectFamily> {
    let presence = Presence { color, heading_rad, blocks: !is_marker, sensed: !is_marker, ..Presence::default() };
    Slot::new(Polygon { corners_m }).with(presence)
}

/// The goals of supervisors as objects that can be moved: one object for each place.
fn goals(groups: &mut [Group]) -> Vec<Slot<ObjectFamily>> {
    let (mut goals, mut names) = (Vec::<(DVec2, String)>::new(), Names::default());
    let supervisors = groups.iter_mut().filter_map(|group| group.controller.value_mut().downcast_mut::<Supervisor>());
    for supervisor in supervisors.filter(|supervisor| supervisor.goes_to_goal()) {
        let known = goals.iter().find(|(center_m, _)| *center_m == supervisor.goal_m);
        supervisor.goal = known.map(|(_, name)| name.clone()).unwrap_or_else(|| {
            let name = names.unique("goal", '-');
            goals.push((supervisor.goal_m, name.clone()));
            name
        });
    }
    let object = |(center_m, name)| Slot::new(goal(center_m)).with(Presence { name, ..Presence::default() });
    goals.into_iter().map(object).collect()
}

/// The goal of a supervisor.
pub fn goal(center_m: DVec2) -> Goal {
    Goal { area: Area::Disc { center_m, radius_m: GOAL_RADIUS_M }, ..Goal::default() }
}

/// The corners of an outline without repeated corners and corners on a straight line.
///
/// # Errors
/// When more corners remain than an object can have.
pub fn simplify_outline(mut corners: Vec<DVec2>) -> Result<Vec<DVec2>, SceneError> {
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    drop_straight(&mut corners);
    if corners.len() > MAX_CORNERS {
        return Err(SceneError::TooManyCorners { found: corners.len() });
    }
    Ok(corners)
}

/// The corners of an outline in the world, as one or several outlines that objects can have. pySimiam accepts any outline: its
/// robots collide with the convex hull, and its window shows the outline as it is drawn.
fn object_outlines(outline: &Outline, is_marker: bool, path: &str, report: &mut Report) -> Vec<Vec<DVec2>> {
    let corners = outline.corners_m();
    let is_usable = |corners: &[DVec2]| form_problem(&Form::Polygon(corners.to_vec())).is_none();
    let is_near = |corners: &[DVec2]| corners.iter().all(|corner| corner.abs().max_element() <= MAX_LENGTH_M);
    let refuse = |report: &mut Report, message: String| {
        report.problem(outline.at, path, message);
        Vec::new()
    };
    if !is_near(&corners) {
        return refuse(report, format!("is farther than {MAX_LENGTH_M} m from the origin"));
    }
    if is_usable(&corners) {
        return vec![corners];
    }
    let corners = match simplify_outline(corners) {
        Ok(corners) => corners,
        Err(error) => return refuse(report, error.to_string()),
    };
    if is_usable(&corners) {
        return vec![corners];
    }
    // Robots never touch a marker, so it keeps its outline.
    let mut parts = if is_marker { polygon::outer_boundaries(&corners) } else { Vec::new() };
    parts.iter_mut().for_each(drop_straight);
    parts.retain(|part| is_usable(part));
    if !parts.is_empty() {
        return parts;
    }
    let hull = polygon::convex_hull(&corners);
    if is_usable(&hull) {
        let message = "its edges cross or touch: it is its convex hull, which it is to all robots of pySimiam";
        report.warning(outline.at, path, message);
        return vec![hull];
    }
    let thin = thin_rectangle(&corners);
    if !is_usable(&thin) || !is_near(&thin) {
        return refuse(report, "has no area".into());
    }
    report.warning(outline.at, path, format!("has no area: it is made {MIN_THICKNESS_M} m thick"));
    vec![thin]
}

/// A thin rectangle around points on a line.
fn thin_rectangle(points: &[DVec2]) -> Vec<DVec2> {
    let (low, high) = polygon::bounds(points);
    let first = points.first().copied().unwrap_or_default();
    let farthest = |from: DVec2| {
        let far = points.iter().copied().max_by(|a, b| from.distance_squared(*a).total_cmp(&from.distance_squared(*b)));
        far.unwrap_or(from)
    };
    let from = farthest(first);
    let to = farthest(from);
    // Far from the origin, the rectangle must be thicker than the rounding of coordinates.
    let thickness = MIN_THICKNESS_M.max(1e-9 * low.abs().max(high.abs()).max_element());
    let along = (to - from).try_normalize().unwrap_or(DVec2::X);
    let (ahead, aside) = (along * thickness / 2.0, along.perp() * thickness / 2.0);
    vec![from - ahead - aside, to + ahead - aside, to + ahead + aside, from - ahead + aside]
}

/// The arena around all robots, objects and goals.
fn arena(groups: &[Group], objects: &[Slot<ObjectFamily>], report: &mut Report) -> Arena {
    let poses = groups.iter().flat_map(|group| group.at.iter().map(|pose| DVec2::new(pose.x_m, pose.y_m)));
    let goals = groups.iter().filter_map(|group| goal_m(&group.controller));
    let corners = objects.iter().filter_map(|object| object.value().downcast_ref::<Polygon>());
    let corners = corners.flat_map(|polygon| polygon.corners_m.iter().copied());
    let all: Vec<DVec2> = poses.chain(goals).chain(corners).collect();
    let (low, high) = polygon::bounds(&all);
    let rounded = |point: DVec2| (point * 10.0).round() / 10.0;
    let max = DVec2::splat(MAX_LENGTH_M);
    let low = rounded(low - MARGIN_M).clamp(-max, max);
    let high = rounded(high + MARGIN_M).clamp(-max, max);
    let size_m = (high - low).min(max);
    if size_m != high - low {
        report.warning(0, "", format!("the arena is {MAX_LENGTH_M} m wide, and some of the world is outside"));
    }
    Arena { corner_m: low, size_m: size_m.max(DVec2::splat(1.0)), ..Arena::default() }
}

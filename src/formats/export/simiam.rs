//! pySimiam worlds: robots, obstacles and markers of a scene, as XML.
//!
//! Each field that a world cannot express is a warning. A robot without a class in pySimiam is a problem: a world without the
//! robot would be another world.

use std::collections::{BTreeMap, BTreeSet};

use bevy::math::DVec2;
use bevy::reflect::structs::Struct;
use swarmarium_base::limits::MAX_CORNERS;
use swarmarium_base::math;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::controller::external::External;
use swarmarium_core::kind::{Family as _, Kinds, Slot};
use swarmarium_core::object::disc::Disc;
use swarmarium_core::object::drawing::{Drawing, TOLERANCE_M};
use swarmarium_core::object::goal::Goal;
use swarmarium_core::object::polygon::Polygon;
use swarmarium_core::object::{Object as _, ObjectFamily, Presence};
use swarmarium_kinds::controller::supervisor::Supervisor;
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_scene::scene::description::{Group, Scene};
use swarmarium_scene::scene::origins::is_short;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_space::Form;
use swarmarium_space::arena::Arena;

use super::Exported;
use crate::import::Options;
use crate::import::simiam::class_notes::{self, Part};
use crate::import::simiam::classes::{self, ClassMapping, Counterpart};
use crate::import::simiam::color::{self, Color};
use crate::import::simiam::supervisor::{SupervisorMatch, goal_m as goal_m_of};
use crate::import::simiam::world::{Class, Outline, Robot, WITHOUT_ROBOT, World};
use crate::import::simiam::{ReadWorld, read};
use crate::import::simiam::{reader, scene};

mod xml;

pub use xml::text;

/// Writes a scene as a world.
///
/// # Errors
/// Lists the robots without a class in pySimiam, and the other problems of the scene.
pub fn export(recipe: &Recipe, scene: &Scene) -> Result<Exported, Vec<Problem>> {
    let is_of_sim_i_am = scene.metadata.iter().any(|note| note.text.ends_with(reader::ONLY_OF_SIM_I_AM));
    let mut exporter = Exporter { kinds: recipe.kinds(), is_of_sim_i_am, problems: Vec::new(), warnings: Vec::new() };
    exporter.compare_frame(scene);
    let poses = poses(recipe, scene)?;
    for name in class_notes::without_group(&scene.metadata, &scene.groups) {
        exporter.warn("metadata", format!("`{name}` is not written: there is no such group"));
    }
    let mut world = World::default();
    // In a world, the goals of supervisors are options.
    let goals = goals(scene);
    for (index, (group, poses)) in scene.groups.iter().zip(poses).enumerate() {
        let mut group = group.clone();
        if let Some(supervisor) = group.controller.value_mut().downcast_mut::<Supervisor>()
            && let Some((_, center_m)) = goals.get(supervisor.goal.as_str())
        {
            (supervisor.goal, supervisor.goal_m) = (String::new(), *center_m);
        }
        let noted = |part| class_notes::find(&scene.metadata, &group, part);
        match noted(Part::Robot).and_then(|class| Ok([class, noted(Part::Supervisor)?])) {
            Ok(noted) => exporter.add_robots((index, &group), noted, poses, &mut world),
            Err(message) => exporter.problem("metadata", message),
        }
    }
    for (index, object) in scene.objects.iter().enumerate() {
        match goals.values().find(|(place, _)| *place == index) {
            Some((_, center_m)) => exporter.compare_goal(index, object, *center_m),
            None => exporter.add_object(index, object, &mut world),
        }
    }
    let Exporter { problems, mut warnings, .. } = exporter;
    if !problems.is_empty() {
        return Err(problems);
    }
    if world.robots.is_empty() {
        warnings.push(Problem::of_file(WITHOUT_ROBOT));
    }
    Ok(Exported { text: text(&world), warnings })
}

/// The goals that supervisors name, with their numbers in the scene and their centers, by name. The first object of a name
/// counts.
fn goals(scene: &Scene) -> BTreeMap<&str, (usize, DVec2)> {
    let supervisors = scene.groups.iter().filter_map(|group| group.controller.value().downcast_ref::<Supervisor>());
    let names: BTreeSet<&str> = supervisors.map(|supervisor| supervisor.goal.as_str()).collect();
    let mut named = BTreeMap::new();
    for (place, object) in scene.objects.iter().enumerate() {
        let name = object.common().name.as_str();
        if !name.is_empty() && names.contains(name) {
            named.entry(name).or_insert((place, object.value().downcast_ref::<Goal>()));
        }
    }
    named.into_iter().filter_map(|(name, (place, goal))| Some((name, (place, goal?.figure().center_m)))).collect()
}

/// The first poses of the robots of each group. A simulation gives the poses of robots that spawners place.
fn poses(recipe: &Recipe, scene: &Scene) -> Result<Vec<Vec<Placement>>, Vec<Problem>> {
    let mut poses: Vec<_> = scene.groups.iter().map(|group| group.placements().collect::<Vec<_>>()).collect();
    if scene.groups.iter().all(|group| group.spawned() == 0) {
        return Ok(poses);
    }
    let simulation = Simulation::with(scene, recipe, 1).map_err(|problems| problems.problems)?;
    for agent in simulation.agents() {
        let (DVec2 { x: x_m, y: y_m }, heading_rad) = (agent.pose.position_m, agent.pose.heading_rad);
        let group = agent.member.group as usize;
        if agent.member.serial as usize >= scene.groups[group].placements().count() {
            poses[group].push(Placement { x_m, y_m, heading_rad });
        }
    }
    Ok(poses)
}

struct Exporter<'k> {
    kinds: &'k Kinds,
    /// Whether a supervisor is one that only Sim.I.am has.
    is_of_sim_i_am: bool,
    problems: Vec<Problem>,
    warnings: Vec<Problem>,
}

impl Exporter<'_> {
    fn problem(&mut self, path: &str, message: String) {
        self.problems.push(Problem { path: path.into(), ..Problem::of_file(message) });
    }

    fn warn(&mut self, path: &str, message: impl Into<String>) {
        self.warnings.push(Problem { path: path.into(), ..Problem::of_file(message) });
    }

    /// Warns of all fields of a value, with some exceptions, that differ from those of a value that a world expresses.
    fn compare(&mut self, path: &str, value: &dyn Struct, expressed: &dyn Struct, except: &[&str]) {
        for index in 0..value.field_len() {
            let Some(name) = value.name_at(index).filter(|name| !except.contains(name)) else { continue };
            let text = |of: &dyn Struct| {
                let value = of.field_at(index).and_then(|value| value.try_as_reflect());
                value.map(|value| write(self.kinds, value, Style::Short)).unwrap_or_default()
            };
            let (own, other) = (text(value), text(expressed));
            if own != other {
                let there = if is_short(&other) { format!(": it is {other} there") } else { String::new() };
                let dot = if path.is_empty() { "" } else { "." };
                self.warn(&format!("{path}{dot}{name}"), format!("cannot be written{there}"));
            }
        }
    }

    /// Warns of differing fields outside of robots and objects.
    fn compare_frame(&mut self, scene: &Scene) {
        // An arena without walls has no effect. Constants have been replaced by their values. Notes have no effect.
        let except = ["format", "name", "about", "tasks", "constants", "arena", "groups", "objects", "metadata"];
        self.compare("", scene, &scene::empty(""), &except);
        self.compare("arena", &scene.arena, &Arena::default(), &["corner_m", "size_m"]);
    }

    /// Adds the robots of a group, for whose robot and supervisor the notes of the scene can state classes.
    fn add_robots(
        &mut self,
        (index, group): (usize, &Group),
        [noted_class, noted_supervisor]: [Class; 2],
        poses: Vec<Placement>,
        world: &mut World,
    ) {
        let path = format!("groups[{index}]");
        if poses.is_empty() {
            return;
        }
        if group.spawned() > 0 {
            let many = poses.len();
            self.warn(&format!("{path}.spawn"), format!("is written as the {many} poses that it gives with this seed"));
        }
        let Some((class, template)) = self.class(&path, group) else { return };
        let robot = Class { name: self.class_name(&path, noted_class.name, class), ..noted_class };
        let mut goal_m = None;
        let (supervisor, class_of_supervisor) =
            if group.controller.value().is::<External>() && noted_supervisor.name.is_some() {
                (Counterpart::Own, noted_supervisor)
            } else if let Some(found) = SupervisorMatch::find(self.kinds, &group.controller) {
                let SupervisorMatch { supervisor, options, differing } = found;
                let path = format!("{path}.controller");
                let name = self.class_name(&path, noted_supervisor.name, supervisor);
                // Sim.I.am has the goal of this class elsewhere than pySimiam.
                let goal = goal_m_of(&group.controller).filter(|goal_m| {
                    let class = name.as_deref().and_then(|name| name.rsplit('.').next());
                    class == Some(reader::ALSO_OF_SIM_I_AM) && (self.is_of_sim_i_am || *goal_m != DVec2::ONE)
                });
                goal_m = goal;
                let is_lost = |field: &&&str| goal.is_none() || **field != "goal_m";
                let lost: Vec<_> = differing.iter().filter(is_lost).collect();
                lost.into_iter().for_each(|field| self.warn(&format!("{path}.{field}"), "cannot be written"));
                (supervisor, Class { name, options: (!options.is_empty()).then_some(options), at: 0 })
            } else {
                let known = classes::known_names(false);
                let message = format!("has no supervisor in pySimiam that decides like it; known: {known}");
                return self.problem(&format!("{path}.controller"), message);
            };
        // Some supervisors limit the wheels in another way.
        let template = scene::group_template(self.kinds, class, supervisor).unwrap_or(template);
        let except = ["name", "count", "spawn", "at", "look", "controller"];
        self.compare(&path, group, &template, &except);
        self.compare(&format!("{path}.look"), &group.look, &template.look, &["color"]);
        let own = self.color(&format!("{path}.look.color"), &group.look.color, Role::Group(index as u32));
        for pose in poses {
            let color = Some(own).filter(|own| *own != Color::of_robot(world.robots.len()));
            let (class, supervisor) = (robot.clone(), class_of_supervisor.clone());
            world.robots.push(Robot { class, supervisor, goal_m, pose, color, ..Robot::default() });
        }
    }

    /// The name of the class for a robot or supervisor of this program: the noted one, if that has the same counterpart or is
    /// a robot class of a user's own, and otherwise the usual one, with a warning.
    fn class_name(&mut self, path: &str, noted: Option<String>, counterpart: Counterpart) -> Option<String> {
        let usual = classes::class_for(counterpart).map(ClassMapping::name);
        let Some(noted) = noted else { return usual };
        let is_robot = matches!(counterpart, Counterpart::Robot(_));
        let is_same = match classes::find(&noted, is_robot) {
            Ok(mapping) => mapping.counterpart == counterpart,
            Err(_) => is_robot,
        };
        if is_same {
            return Some(noted);
        }
        let usual_name = usual.clone().unwrap_or_default();
        self.warn(path, format!("is written as `{usual_name}`: it is no longer `{noted}`, which `metadata` states"));
        usual
    }

    /// The robot with the body of a group, and the group that it has in a world.
    fn class(&mut self, path: &str, group: &Group) -> Option<(Counterpart, Group)> {
        for class in classes::all(true) {
            match scene::group_template(self.kinds, class.counterpart, Counterpart::Human) {
                Ok(template) if template.body == group.body => return Some((class.counterpart, template)),
                Ok(_) => {}
                Err(error) => self.problem(path, error.to_string()),
            }
        }
        let known = classes::known_names(true);
        self.problem(&format!("{path}.body"), format!("no robot of pySimiam has this body; known: {known}"));
        None
    }

    /// Warns of the fields of a supervisor's goal that a world cannot hold.
    fn compare_goal(&mut self, index: usize, object: &Slot<ObjectFamily>, center_m: DVec2) {
        let path = format!("objects[{index}]");
        // Goals never block, and are never sensed.
        self.compare(&path, object.common(), &Presence::default(), &["name", "blocks", "sensed"]);
        if let Some(goal) = object.value().downcast_ref::<Goal>() {
            self.compare(&path, goal, &scene::goal(center_m), &[]);
        }
    }

    fn add_object(&mut self, index: usize, object: &Slot<ObjectFamily>, world: &mut World) {
        let path = format!("objects[{index}]");
        let (value, presence) = (object.value(), object.common());
        let outlines: Vec<Vec<DVec2>> = if let Some(Polygon { corners_m }) = value.downcast_ref() {
            vec![corners_m.clone()]
        } else if let Some(disc) = value.downcast_ref::<Disc>() {
            let corners = circle_corners(disc.center_m, disc.radius_m);
            self.warn(&path, format!("is round, and written with {} corners", corners.len()));
            vec![corners]
        } else if let Some(drawing) = value.downcast_ref::<Drawing>() {
            let figure = drawing.figure();
            let corners = figure.forms.into_iter().filter_map(|form| match form {
                Form::Polygon(corners) => Some(corners),
                Form::Disc { .. } => None,
            });
            corners.collect()
        } else {
            let kind = self.kinds.of_value(ObjectFamily::NAME, value).map_or("such a thing", |kind| kind.name);
            return self.warn(&path, format!("cannot be written: pySimiam has no {kind}"));
        };
        let is_marker = !presence.blocks && !presence.sensed;
        let plain = Presence { color: presence.color.clone(), ..Presence::default() };
        let plain = Presence { blocks: !is_marker, sensed: !is_marker, ..plain };
        self.compare(&path, presence, &plain, &["color", "heading_rad"]);
        let own = self.color(&format!("{path}.color"), &presence.color, Role::Obstacle);
        let (list, usual) = match is_marker {
            true => (&mut world.markers, color::OF_MARKERS),
            false => (&mut world.obstacles, color::OF_OBSTACLES),
        };
        let color = Some(own).filter(|own| *own != usual);
        list.extend(outlines.iter().map(|corners| exact_outline(corners, presence.heading_rad, color)));
        if let Some(corners) = outlines.iter().find(|corners| corners.len() > MAX_CORNERS) {
            self.problem(&path, format!("at most {MAX_CORNERS} corners fit in a polygon, found {}", corners.len()));
        }
    }

    /// The red, green and blue of a colour on a white background.
    fn color(&mut self, path: &str, text: &str, otherwise: Role) -> Color {
        let role = Role::named(text);
        if role.is_none() && !text.is_empty() {
            self.warn(path, format!("cannot be written: `{text}` is not a single colour"));
        }
        Color::of_rgb(Theme::Light.rgb(role.unwrap_or(otherwise)))
    }
}

/// The corners of a polygon that approximates a circle with the tolerance of curves in drawings. They are rounded to far
/// finer digits.
fn circle_corners(center: DVec2, radius: f64) -> Vec<DVec2> {
    let step = (8.0 * TOLERANCE_M / radius).sqrt();
    let count = (std::f64::consts::TAU / step).ceil().clamp(8.0, 1000.0) as u32;
    let at = |k: u32| {
        let corner = center + radius * math::direction(std::f64::consts::TAU * f64::from(k) / f64::from(count));
        DVec2::new(rounded(corner.x, CIRCLE_DIGITS), rounded(corner.y, CIRCLE_DIGITS))
    };
    (0..count).map(at).collect()
}

/// The largest error (m) of corners that are rotated to a heading and back.
const MAX_CORNER_ERROR_M: f64 = 1e-13;
/// The decimal places of the corners of circles.
const CIRCLE_DIGITS: i32 = 9;
/// The most decimal places that are tried before a number is written in full.
const MAX_DIGITS: i32 = 17;

/// An outline relative to its first corner, with as few digits as possible.
///
/// With a heading of 0, reading the outline gives the same corners to the last bit; if its first corner does not allow that,
/// the outline is relative to the origin. With another heading, its corners can have rounding errors.
fn exact_outline(corners: &[DVec2], heading_rad: f64, color: Option<Color>) -> Outline {
    let about_first = Outline::about_first(corners, color, 0);
    let Placement { x_m, y_m, .. } = about_first.pose;
    let first = DVec2::new(x_m, y_m);
    if heading_rad != 0.0 {
        let facing = math::direction(heading_rad);
        let back = DVec2::new(facing.x, -facing.y);
        let turned = |corner: &DVec2| {
            let point = back.rotate(corner - first);
            let max_error = MAX_CORNER_ERROR_M.max(4.0 * f64::EPSILON * corner.abs().max_element());
            let is_near = |point: DVec2| (first + facing.rotate(point)).distance(*corner) <= max_error;
            shortest(|digits| DVec2::new(rounded(point.x, digits), rounded(point.y, digits)), is_near).unwrap_or(point)
        };
        let points = corners.iter().map(turned).collect();
        return Outline { pose: Placement { heading_rad, ..about_first.pose }, points, ..about_first };
    }
    let from = |first: f64, corner: f64| {
        let near = corner - first;
        let is_exact = |near: f64| first + near == corner;
        let otherwise = || [near, near.next_up(), near.next_down()].into_iter().find(|near| is_exact(*near));
        shortest(|digits| rounded(near, digits), is_exact).or_else(otherwise)
    };
    let points = corners.iter().map(|corner| Some(DVec2::new(from(x_m, corner.x)?, from(y_m, corner.y)?)));
    match points.collect::<Option<Vec<_>>>() {
        Some(points) => Outline { points, ..about_first },
        None => Outline { pose: Placement::default(), points: corners.to_vec(), ..about_first },
    }
}

/// The value with the fewest decimal places that fits.
fn shortest<T: Copy>(with_digits: impl Fn(i32) -> T, fits: impl Fn(T) -> bool) -> Option<T> {
    (0..=MAX_DIGITS).map(with_digits).find(|value| fits(*value))
}

/// A number rounded to some decimal places, without negative zeros.
fn rounded(number: f64, digits: i32) -> f64 {
    let factor = 10.0_f64.powi(digits);
    (number * factor).round() / factor + 0.0
}

/// The world of a drawing, as `svg2world` writes it: with any class and any outline.
///
/// # Errors
/// Lists all problems of the drawing.
pub fn translate(source_name: &str, text: &str, options: &Options) -> Result<Exported, Problems> {
    let refuse = |problems| Problems { source_name: source_name.to_owned(), problems };
    let text = text.trim_start_matches('\u{feff}');
    let ReadWorld { world, mut report } = read(source_name, text, options).map_err(refuse)?;
    for robot in &world.robots {
        for (class, is_robot) in [(&robot.class, true), (&robot.supervisor, false)] {
            if let Some(error) = class.name.as_ref().and_then(|name| classes::find(name, is_robot).err()) {
                report.warning(class.at, "", error.to_string());
            }
        }
    }
    for (tag, outlines) in [("obstacle", &world.obstacles), ("marker", &world.markers)] {
        for (number, outline) in outlines.iter().enumerate() {
            if let Err(error) = scene::simplify_outline(outline.corners_m()) {
                report.problem(outline.at, &format!("{tag}[{number}]"), error.to_string());
            }
        }
    }
    if world.robots.is_empty() {
        report.warning(0, "", WITHOUT_ROBOT);
    }
    let warnings = report.finish(text).map_err(refuse)?;
    Ok(Exported { text: self::text(&world), warnings })
}

#[cfg(test)]
mod tests;

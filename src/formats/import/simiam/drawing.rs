//! Drawings as worlds, by the rules of pySimiam's `svg2world`: a unit is a centimetre, and y points up.
//!
//! Only the shapes of the first group count. A path that is a straight line or a point is a robot, a `line` or `polyline` of
//! two points is nothing unless it states a robot. Any other shape is an obstacle, or a marker if its id begins with `marker`.
//! By choice, lines are walls instead.

use std::collections::{BTreeMap, BTreeSet};

use bevy::math::DVec2;
use swarmarium_base::limits::MAX_LENGTH_M;
use swarmarium_base::math;
use swarmarium_base::problem::Problem;
use swarmarium_core::agent::placement::Placement;
use swarmarium_core::object::drawing::TOLERANCE_M;
use swarmarium_core::text::wording::shown;
use swarmarium_space::polygon;
use swarmarium_svg::{Contour, Drawing, Omission, Shape};

use super::color::Color;
use super::world::{Class, Outline, Robot, World};
use crate::import::report::Report;
use crate::import::{MetresPerUnit, Options, Strokes};

/// The grid (m) that coordinates are rounded to, so that worlds have short numbers. Drawing programs write fewer digits.
const GRID_M: f64 = 1e-10;
/// The class of a robot without a stated class.
const ROBOT: &str = "Khepera3";
/// The class of a supervisor without a stated class.
const SUPERVISOR: &str = "K3BlendingSupervisor";
/// The prefix of the ids of markers.
const MARKER: &str = "marker";
/// The attributes that make an open line a robot.
const ROBOT_ATTRIBUTES: [&str; 2] = ["robot", "supervisor"];

/// Reads a drawing as a world. The options give its scale, and whether all groups count.
///
/// # Errors
/// When the text is not a drawing.
pub fn world(text: &str, options: &Options, report: &mut Report) -> Result<World, Problem> {
    let scale = options.scale;
    let drawing = Drawing::read_lenient(text, |stretch| TOLERANCE_M / (scale.0 * stretch.max(1.0)))?;
    for (name, count) in &drawing.ignored {
        let message =
            if *count == 1 { format!("a `{name}` is ignored") } else { format!("{count} `{name}` are ignored") };
        report.warning(0, "", message);
    }
    for Omission { name, offset, message, .. } in drawing.broken.iter().chain(&drawing.hidden) {
        report.warning(*offset, &shown(name), format!("{message}: ignored"));
    }
    if (drawing.stretch - 1.0).abs() > 1e-9 {
        let (across, up) = (scale.0, (scale.0 * drawing.stretch * 1e9).round() / 1e9);
        report.warning(0, "", format!("the page is stretched: a unit is {across} m wide and {up} m high"));
    }
    let shapes = select_shapes(&drawing, options.all_groups, report)?;
    let mut world = World::default();
    // As in svg2world, rectangles come last.
    let (rectangles, others): (Vec<_>, Vec<_>) = shapes.into_iter().partition(|shape| shape.element == "rect");
    let mut lines = Lines::default();
    for shape in others.into_iter().chain(rectangles) {
        let contours = contours_m(&drawing, shape, scale);
        let width_m = match options.strokes {
            Some(Strokes::Metres(width_m)) => Some(width_m),
            // A stroke without a width is not visible.
            Some(Strokes::Drawn) => Some((shape.stroke_width * scale.0).max(*Strokes::RANGE.start())),
            None => None,
        };
        match width_m.filter(|_| is_stroked(shape, &contours)) {
            Some(width_m) => add_walls(&mut world, &contours, width_m, shape, report),
            None => add_shape(&mut world, contours, shape, &mut lines, report),
        }
    }
    if options.strokes.is_none() {
        lines.warn(report);
    }
    Ok(world)
}

/// The numbers of lines that could be meant as walls.
#[derive(Default)]
struct Lines {
    /// Lines and polylines that are left out, by the name of the element.
    left_out: BTreeMap<String, usize>,
    /// Paths of two points that are robots and state no class.
    robots: usize,
}

impl Lines {
    fn warn(&self, report: &mut Report) {
        for (element, count) in &self.left_out {
            let (lines, are) = if *count == 1 { ("line", "is not an object") } else { ("lines", "are not objects") };
            let message = format!("{count} {lines} (`<{element}>`) {are}: ignored; --strokes makes walls of lines");
            report.warning(0, "", message);
        }
        if self.robots > 0 {
            let (paths, robots) = if self.robots == 1 { ("path", "a robot") } else { ("paths", "robots") };
            let message = format!(
                "{} {paths} of two points without `robot` became {robots} of the class `{ROBOT}`; --strokes makes walls of lines",
                self.robots
            );
            report.warning(0, "", message);
        }
    }
}

/// The attribute of a shape that makes an open line a robot, if it has one.
fn stated_robot(shape: &Shape) -> Option<&'static str> {
    ROBOT_ATTRIBUTES.into_iter().find(|name| shape.attributes.contains_key(*name))
}

/// Whether only the line of a shape is drawn, and not its area. Lines that state a robot do not count.
fn is_stroked(shape: &Shape, contours: &[Vec<DVec2>]) -> bool {
    let has_area = |contours: &[Vec<DVec2>]| contours.iter().any(|contour| contour.len() > 2);
    stated_robot(shape).is_none() && !(shape.has_fill && has_area(contours))
}

/// Adds the lines of a shape as walls: a rectangle for each segment, half a width longer at both ends, so that walls close at
/// corners.
fn add_walls(world: &mut World, contours: &[Vec<DVec2>], width_m: f64, shape: &Shape, report: &mut Report) {
    let (at, path) = (shape.offset, shown(&shape.name));
    if contours.iter().flatten().any(|point| point.abs().max_element() + width_m > MAX_LENGTH_M) {
        return report.warning(at, &path, format!("is farther than {MAX_LENGTH_M} m from the origin: ignored"));
    }
    let walls = outlines(world, shape);
    let before = walls.len();
    let drawn = shape.contours.iter().filter(|contour| !contour.points.is_empty());
    for (points, contour) in contours.iter().zip(drawn) {
        let closing = contour.is_closed.then(|| points.first().copied()).flatten();
        let points: Vec<DVec2> = points.iter().copied().chain(closing).collect();
        for ends in points.windows(2) {
            let Some(along) = (ends[1] - ends[0]).try_normalize() else { continue };
            let (ahead, aside) = (along * width_m / 2.0, along.perp() * width_m / 2.0);
            let (from, to) = (ends[0] - ahead, ends[1] + ahead);
            let corners = [from - aside, to - aside, to + aside, from + aside].map(rounded);
            walls.push(outline(&corners, shape.stroke.map(Color::of_rgb), at));
        }
    }
    if walls.len() == before {
        report.warning(at, &path, format!("`<{}>` has no size, and is ignored", shape.element));
    }
}

/// The list for the outlines of a shape: that of markers if its id says so.
fn outlines<'w>(world: &'w mut World, shape: &Shape) -> &'w mut Vec<Outline> {
    let has_marker_id = |id: &str| id.starts_with(MARKER);
    let is_marker = shape.attributes.get("id").is_some_and(|id| has_marker_id(id)) || has_marker_id(&shape.name);
    if is_marker { &mut world.markers } else { &mut world.obstacles }
}

/// An outline with short numbers.
fn outline(corners: &[DVec2], color: Option<Color>, at: usize) -> Outline {
    let mut outline = Outline::about_first(corners, color, at);
    outline.points.iter_mut().for_each(|point| *point = rounded(*point));
    outline
}

/// The shapes that count. Warns of the others.
fn select_shapes<'d>(drawing: &'d Drawing, all_groups: bool, report: &mut Report) -> Result<Vec<&'d Shape>, Problem> {
    if all_groups {
        return Ok(drawing.shapes.iter().collect());
    }
    let Some(first) = drawing.first_group else {
        let message = "the drawing has no group (`<g>`) to take shapes from; --all-groups takes those without one";
        return Err(Problem::of_file(message));
    };
    let (mut nested, mut further, mut outside) = (BTreeSet::new(), BTreeSet::new(), 0_usize);
    for shape in &drawing.shapes {
        match shape.groups {
            None => outside += 1,
            Some((_, outermost)) if outermost != first => _ = further.insert(outermost),
            Some((innermost, _)) if innermost != first => _ = nested.insert(innermost),
            Some(_) => {}
        }
    }
    let ignored = [
        (nested.len(), "nested group", "nested groups"),
        (further.len(), "further group", "further groups"),
        (outside, "shape outside of groups", "shapes outside of groups"),
    ];
    for (count, one, several) in ignored.into_iter().filter(|(count, ..)| *count > 0) {
        let (noun, them) = if count == 1 { (one, "it") } else { (several, "them") };
        report.warning(0, "", format!("{count} {noun} ignored; --all-groups takes {them}"));
    }
    Ok(drawing.shapes.iter().filter(|shape| shape.groups == Some((first, first))).collect())
}

/// Adds the robot, obstacle or marker of a shape with these contours.
fn add_shape(world: &mut World, contours: Vec<Vec<DVec2>>, shape: &Shape, lines: &mut Lines, report: &mut Report) {
    let (at, path) = (shape.offset, shown(&shape.name));
    let mut warn = |message: String| report.warning(at, &path, message);
    if contours.iter().flatten().any(|point| point.abs().max_element() > MAX_LENGTH_M) {
        return warn(format!("is farther than {MAX_LENGTH_M} m from the origin: ignored"));
    }
    let color = shape.fill.filter(|_| shape.states_fill).map(Color::of_rgb);
    let is_line = matches!(shape.element.as_str(), "path" | "line" | "polyline");
    let is_open = || matches!(shape.contours.as_slice(), [Contour { is_closed: false, .. }]);
    let stated = stated_robot(shape);
    match contours.iter().map(Vec::len).sum::<usize>() {
        0 => return warn(format!("`<{}>` has no size, and is ignored", shape.element)),
        1 | 2 if is_line && stated.is_none() && shape.element != "path" => {
            *lines.left_out.entry(shape.element.clone()).or_default() += 1;
            return;
        }
        count @ (1 | 2) if is_line => {
            lines.robots += usize::from(stated.is_none() && count == 2);
            return world.robots.push(robot(shape, &contours.concat(), color));
        }
        1 | 2 => return warn(format!("`<{}>` has fewer than three corners, and is ignored", shape.element)),
        _ => {}
    }
    if let Some(name) = stated {
        if is_line && is_open() {
            let points = contours.concat();
            if !is_straight(&points) {
                warn("is a bent line: the robot faces from the first point to the last".into());
            }
            return world.robots.push(robot(shape, &points, color));
        }
        warn(format!("`{name}` is ignored: a robot is an open line, and this shape is an outline"));
    }
    let (areas, short): (Vec<_>, Vec<_>) = contours.iter().partition(|contour| contour.len() > 2);
    if areas.is_empty() {
        *lines.left_out.entry(shape.element.clone()).or_default() += short.len();
        return;
    }
    match short.len() {
        0 => {}
        1 => warn("a part of one or two points is ignored: the other parts are not a robot".into()),
        count => warn(format!("{count} parts of one or two points are ignored: the other parts are not a robot")),
    }
    if has_hole(&areas) {
        warn("its holes are filled".into());
    }
    outlines(world, shape).extend(areas.iter().map(|corners| outline(corners, color, at)));
}

/// Whether all points are within the tolerance of the line through the first point and the last.
fn is_straight(points: &[DVec2]) -> bool {
    let [first, .., last] = points else { return true };
    let along = (*last - *first).normalize_or_zero();
    points.iter().all(|point| along.perp_dot(*point - *first).abs() <= TOLERANCE_M)
}

/// The contours of a shape in metres, with y up.
fn contours_m(drawing: &Drawing, shape: &Shape, scale: MetresPerUnit) -> Vec<Vec<DVec2>> {
    let upright = |point: &DVec2| rounded(DVec2::new(point.x, -point.y * drawing.stretch) * scale.0);
    let contours = shape.contours.iter().filter(|contour| !contour.points.is_empty());
    contours.map(|Contour { points, .. }| points.iter().map(upright).collect()).collect()
}

/// The nearest point of the grid, without negative zeros.
fn rounded(point: DVec2) -> DVec2 {
    let whole = (point / GRID_M).round();
    // Larger numbers have no digits finer than the grid.
    let is_fine = whole.abs().max_element() < 1e15;
    (if is_fine { whole / (1.0 / GRID_M).round() } else { point }) + 0.0
}

/// The robot of a line, which faces from its first point to its last.
fn robot(shape: &Shape, points: &[DVec2], color: Option<Color>) -> Robot {
    let stated = |name: &str, otherwise: &str| {
        let name = shape.attributes.get(name).map_or(otherwise, String::as_str);
        Class { name: Some(name.to_owned()), options: None, at: shape.offset }
    };
    let (first, last) = (points[0], points[points.len() - 1]);
    let ahead = last - first;
    let heading_rad = if ahead == DVec2::ZERO { 0.0 } else { math::angle_of(ahead) };
    Robot {
        class: stated("robot", ROBOT),
        supervisor: stated("supervisor", SUPERVISOR),
        pose: Placement { x_m: first.x, y_m: first.y, heading_rad },
        color,
        at: shape.offset,
        goal_m: None,
    }
}

/// The most areas of a path that are compared with each other.
const MAX_AREAS: usize = 1000;

/// Whether one area is within another.
fn has_hole(areas: &[&Vec<DVec2>]) -> bool {
    let boxes: Vec<_> = areas.iter().map(|area| polygon::bounds(area)).collect();
    let is_within = |hole: usize, area: usize| {
        let ((low, high), (least, most)) = (boxes[hole], boxes[area]);
        low.cmpgt(least).all() && high.cmplt(most).all() && polygon::contains(areas[area], areas[hole][0])
    };
    let all = 0..areas.len().min(MAX_AREAS);
    all.clone().any(|hole| all.clone().any(|area| is_within(hole, area)))
}

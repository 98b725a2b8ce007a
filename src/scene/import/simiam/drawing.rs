//! Drawings as worlds, by the rules of pySimiam's `svg2world`: a unit is a centimetre, and y points up.
//!
//! What takes part is in the first group. A path of one or two points is a robot, what has more is an obstacle or, when its
//! id begins with `marker`, a marker.

use std::collections::BTreeSet;

use bevy::math::DVec2;

use super::color::Color;
use super::world::{Class, Outline, Robot, World};
use crate::drawing::{Contour, Drawing, Shape};
use crate::math;
use crate::object::drawing::TOLERANCE_M;
use crate::scene::description::{MAX_LENGTH_M, Placement};
use crate::scene::import::report::Report;
use crate::scene::problem::Problem;
use crate::space::polygon;

/// What a unit of a drawing measures, however large its page is.
const M_PER_UNIT: f64 = 0.01;
/// What a robot is that does not say so.
const ROBOT: &str = "Khepera3";
/// What leads a robot that does not say so.
const SUPERVISOR: &str = "K3BlendingSupervisor";
/// The id of a marker begins so.
const MARKER: &str = "marker";

/// Reads a drawing as a world; `all_groups` takes what is not in the first group, too.
///
/// # Errors
/// When the text is no drawing.
pub fn world(text: &str, all_groups: bool, report: &mut Report) -> Result<World, Problem> {
    let drawing = Drawing::read_on(text, |stretch| TOLERANCE_M / (M_PER_UNIT * stretch.max(1.0)))?;
    let shapes = taken(&drawing, all_groups, report)?;
    for (name, count) in &drawing.ignored {
        let told = if *count == 1 { format!("a `{name}` is ignored") } else { format!("{count} `{name}` are ignored") };
        report.warning(0, "", told);
    }
    if (drawing.stretch - 1.0).abs() > 1e-9 {
        let stretch = (drawing.stretch * 1e6).round() / 1e6;
        report.warning(0, "", format!("the page is stretched: a unit is 1 cm across, and {stretch} cm up"));
    }
    let mut world = World::default();
    // As svg2world orders them: rectangles come last.
    let (rectangles, others): (Vec<_>, Vec<_>) = shapes.into_iter().partition(|shape| shape.element == "rect");
    for shape in others.into_iter().chain(rectangles) {
        add(&mut world, &drawing, shape, report);
    }
    Ok(world)
}

/// The shapes that take part; says what does not.
fn taken<'d>(drawing: &'d Drawing, all_groups: bool, report: &mut Report) -> Result<Vec<&'d Shape>, Problem> {
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
        let (what, them) = if count == 1 { (one, "it") } else { (several, "them") };
        report.warning(0, "", format!("{count} {what} ignored; --all-groups takes {them}"));
    }
    Ok(drawing.shapes.iter().filter(|shape| shape.groups == Some((first, first))).collect())
}

/// Adds what a shape is.
fn add(world: &mut World, drawing: &Drawing, shape: &Shape, report: &mut Report) {
    let at = shape.offset;
    let path = shape.attributes.get("id").map_or(shape.element.as_str(), String::as_str);
    if let Some(message) = &shape.broken {
        report.warning(at, path, format!("{message}: it is drawn up to there"));
    }
    let contours = metres(drawing, shape);
    let points: usize = contours.iter().map(|contour| contour.len()).sum();
    if contours.iter().flatten().any(|point| point.abs().max_element() > MAX_LENGTH_M) {
        return report.problem(at, path, format!("is farther than {MAX_LENGTH_M} m from the origin"));
    }
    let color = shape.fill.filter(|_| shape.states_fill).map(Color::of_rgb);
    match contours.first() {
        None => report.warning(at, path, format!("`<{}>` has no size, and is ignored", shape.element)),
        Some(_) if points <= 2 => world.robots.push(robot(shape, &contours.concat(), color)),
        Some(_) => {
            let is_marker = shape.attributes.get("id").is_some_and(|id| id.starts_with(MARKER));
            let outlines = if is_marker { &mut world.markers } else { &mut world.obstacles };
            let (areas, lines): (Vec<_>, Vec<_>) = contours.iter().partition(|contour| contour.len() > 2);
            if !lines.is_empty() {
                let what = if lines.len() == 1 { "a part" } else { "parts" };
                report.warning(at, path, format!("{what} of one or two points is ignored: the others are no robot"));
            }
            if has_hole(&areas) {
                report.warning(at, path, "its holes are filled");
            }
            outlines.extend(areas.iter().map(|corners| Outline::about_first(corners, color, at)));
        }
    }
}

/// The lines of a shape in metres, y up.
fn metres(drawing: &Drawing, shape: &Shape) -> Vec<Vec<DVec2>> {
    let upright = |point: &DVec2| {
        let DVec2 { x, y } = DVec2::new(point.x, point.y * drawing.stretch) * M_PER_UNIT;
        // No zero with a sign.
        DVec2::new(x + 0.0, 0.0 - y)
    };
    let contours = shape.contours.iter().filter(|contour| !contour.points.is_empty());
    contours.map(|Contour { points, .. }| points.iter().map(upright).collect()).collect()
}

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
    }
}

/// The most parts of a path that are held against one another.
const MAX_PARTS: usize = 1000;

/// Whether one area lies within another.
fn has_hole(areas: &[&Vec<DVec2>]) -> bool {
    let boxes: Vec<_> = areas.iter().map(|area| polygon::bounds(area)).collect();
    let is_within = |hole: usize, area: usize| {
        let ((low, high), (least, most)) = (boxes[hole], boxes[area]);
        low.cmpgt(least).all() && high.cmplt(most).all() && polygon::contains(areas[area], areas[hole][0])
    };
    let all = 0..areas.len().min(MAX_PARTS);
    all.clone().any(|hole| all.clone().any(|area| is_within(hole, area)))
}

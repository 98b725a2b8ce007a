//! Outlines of a drawing as polygons without superfluous corners.

use bevy::math::DVec2;
use swarmarium_base::limits::MAX_CORNERS;
use swarmarium_space::polygon;

use super::{Drawing, DrawingError, Shape};

/// The only outline of an SVG text, such as the hull of a robot.
///
/// # Errors
/// When the drawing cannot be read, has no outline or several, or the outline crosses itself.
pub fn only_outline(text: &str, tolerance: f64) -> Result<Vec<DVec2>, DrawingError> {
    let drawing = Drawing::read(text, tolerance)?;
    let mut outlines = drawing.outlines();
    let (Some((shape, outline)), None) = (outlines.next(), outlines.next()) else {
        return Err(DrawingError::OutlineCount(drawing.outlines().count()));
    };
    usable(shape, outline)
}

/// An outline without repeated points.
///
/// # Errors
/// When the outline crosses itself.
pub fn usable(shape: &Shape, outline: &[DVec2]) -> Result<Vec<DVec2>, DrawingError> {
    let mut corners = outline.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    drop_straight(&mut corners);
    if corners.len() > MAX_CORNERS {
        return Err(DrawingError::TooManyCorners { line: shape.line });
    }
    match polygon::is_simple(&corners) {
        true => Ok(corners),
        false => Err(DrawingError::Crossing { line: shape.line, element: shape.element.clone() }),
    }
}

/// Removes corners at which an outline turns back on itself or continues straight.
pub fn drop_straight(corners: &mut Vec<DVec2>) {
    let is_straight = |a: DVec2, b: DVec2, c: DVec2| (b - a).perp_dot(c - b) == 0.0;
    let mut kept: Vec<DVec2> = Vec::with_capacity(corners.len());
    for &corner in &*corners {
        while let [.., a, b] = kept[..]
            && is_straight(a, b, corner)
        {
            kept.pop();
        }
        kept.push(corner);
    }
    // The corner between end and start.
    while let [first, .., a, b] = kept[..]
        && kept.len() > 3
        && is_straight(a, b, first)
    {
        kept.pop();
    }
    while let [first, second, .., last] = kept[..]
        && kept.len() > 3
        && is_straight(last, first, second)
    {
        kept.remove(0);
    }
    // An outline without area stays unchanged.
    if kept.len() >= 3 {
        *corners = kept;
    }
}

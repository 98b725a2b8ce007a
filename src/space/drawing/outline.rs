//! Outlines of a drawing as polygons without superfluous corners.

use bevy::math::DVec2;
use swarmarium_base::limits::MAX_CORNERS;

use super::{Drawing, DrawingError, Shape};
use crate::polygon;

/// The only outline of an SVG text, as the hull of a robot has.
///
/// # Errors
/// When the drawing cannot be read, has no outline or several, or it crosses itself.
pub fn only_outline(text: &str, tolerance: f64) -> Result<Vec<DVec2>, DrawingError> {
    let drawing = Drawing::read(text, tolerance)?;
    let mut outlines = drawing.outlines();
    let (Some((shape, outline)), None) = (outlines.next(), outlines.next()) else {
        return Err(DrawingError::OutlineCount(drawing.outlines().count()));
    };
    usable(shape, outline)
}

/// An outline without points that are there twice in a row.
///
/// # Errors
/// When it crosses itself.
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

/// Drops corners at which an outline turns back on itself or goes straight on.
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
    // Where the end meets the start.
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
    // What has no area is told as it was drawn.
    if kept.len() >= 3 {
        *corners = kept;
    }
}

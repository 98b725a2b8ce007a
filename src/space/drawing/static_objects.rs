//! Drawings of RobotSwarmSimulator (`svg_to_static_objects`).

use std::collections::BTreeMap;

use super::{Drawing, DrawingError, MAX_BYTES, usable};
use crate::Form;

/// An object of a drawing, as in RobotSwarmSimulator's `svg_to_static_objects`.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticObject {
    /// Its form; coordinates as written, y down.
    pub form: Form,
    /// Value of the innermost layer named `collide` or `nocollide`.
    pub collides: Option<bool>,
    /// Joined names of its other layers, used as its team.
    pub team: String,
    /// Its fill colour.
    pub fill: Option<[u8; 3]>,
    /// Its line of the file.
    pub line: u32,
}

/// The polygons, then the rectangles, then the circles of a drawing (RobotSwarmSimulator `svg_to_static_objects`), with
/// all transforms. Other elements are ignored, and counted by name.
///
/// # Errors
/// As for [`Drawing::read`], and when an outline crosses itself.
pub fn static_objects(text: &str, tolerance: f64) -> Result<(Vec<StaticObject>, BTreeMap<String, u32>), DrawingError> {
    let Drawing { shapes, mut ignored, .. } = Drawing::read(text, tolerance)?;
    let (mut objects, mut named) = (Vec::new(), 0);
    for element in ["polygon", "rect", "circle"] {
        for shape in shapes.iter().filter(|shape| shape.element == element) {
            let form = match shape.disc {
                Some((center, radius)) => Form::Disc { center, radius },
                None => match shape.contours.first() {
                    Some(contour) => Form::Polygon(usable(shape, &contour.points)?),
                    None => continue,
                },
            };
            let says = |layer: &str| match layer {
                "collide" => Some(true),
                "nocollide" => Some(false),
                _ => None,
            };
            // Many shapes in groups with long names could exhaust memory.
            named += shape.layers().map(str::len).sum::<usize>();
            if named as u64 > MAX_BYTES {
                return Err(DrawingError::LongNames { line: shape.line });
            }
            let others = shape.layers().filter(|layer| says(layer).is_none() && *layer != "Layer_1");
            objects.push(StaticObject {
                form,
                collides: shape.layers().find_map(says),
                team: others.collect::<Vec<_>>().join(" "),
                fill: shape.fill,
                line: shape.line,
            });
        }
    }
    for shape in shapes.iter().filter(|shape| !["polygon", "rect", "circle"].contains(&shape.element.as_str())) {
        *ignored.entry(shape.element.clone()).or_default() += 1;
    }
    Ok((objects, ignored))
}

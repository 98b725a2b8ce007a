//! Drawings of RobotSwarmSimulator (`svg_to_static_objects`).

use std::collections::BTreeMap;

use super::{Drawing, DrawingError, MAX_BYTES, usable};
use crate::Form;

/// One of the objects that RobotSwarmSimulator's `svg_to_static_objects` makes of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticObject {
    /// Its form; coordinates as written, y down.
    pub form: Form,
    /// What the nearest of its layers that is called `collide` or `nocollide` says.
    pub collides: Option<bool>,
    /// The names of its other layers, joined: its team.
    pub team: String,
    /// The colour that it is filled with.
    pub fill: Option<[u8; 3]>,
    /// The line that it stands in.
    pub line: u32,
}

/// The polygons, then the rectangles, then the circles of a drawing (RobotSwarmSimulator `svg_to_static_objects`), with
/// all transforms; what else it shows is passed over, and counted by name.
///
/// # Errors
/// As [`Drawing::read`], and when an outline crosses itself.
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
            // Many shapes in groups with long names could fill the memory.
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

//! Drawings of RobotSwarmSimulator (`svg_to_static_objects`).

use std::collections::BTreeMap;

use swarmarium_space::Form;
use swarmarium_svg::{Drawing, DrawingError, MAX_BYTES, usable};
use thiserror::Error;

/// The reason why the objects of a drawing cannot be read.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum StaticObjectsError {
    /// The drawing cannot be read, or one of its outlines crosses itself.
    #[error(transparent)]
    Drawing(#[from] DrawingError),
    /// The total length of the names of groups around all shapes is too large.
    #[error("line {line}: the names of groups are too long")]
    LongNames {
        /// Line of the first shape beyond the limit.
        line: u32,
    },
}

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
/// As for [`Drawing::read`], when an outline crosses itself, and when the names of groups are too long.
pub fn static_objects(
    text: &str,
    tolerance: f64,
) -> Result<(Vec<StaticObject>, BTreeMap<String, u32>), StaticObjectsError> {
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
                return Err(StaticObjectsError::LongNames { line: shape.line });
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

#[cfg(test)]
mod tests {
    use bevy::math::DVec2;

    use super::*;

    #[test]
    fn robotswarmsimulator_sees_polygons_then_rectangles_then_circles() {
        let text = "<svg><g id='Layer_1'><circle cx='6.3' cy='6.7' r='.3'/>\
            <g data-name='green'><g id='nocollide'><rect x='2.3' y='9.4' width='6.1' height='.2'/></g></g>\
            <g id='collide'><polygon points='0 0 1 0 0 1'/></g><path d='M0 0L1 1'/></g></svg>";
        let (objects, ignored) = static_objects(text, 0.001).unwrap();
        let told: Vec<_> = objects.iter().map(|object| (object.collides, object.team.as_str())).collect();
        assert_eq!(told, [(Some(true), ""), (Some(false), "green"), (None, "")]);
        assert_eq!(objects[2].form, Form::Disc { center: DVec2::new(6.3, 6.7), radius: 0.3 });
        assert_eq!(ignored["path"], 1);
    }

    #[test]
    fn names_of_groups_that_would_fill_the_memory_are_refused() {
        let groups = format!("<g id='{}'>", "a".repeat(10_000)).repeat(100);
        let shapes = "<rect width='1' height='1'/>\n".repeat(100);
        let text = format!("<svg>{groups}{shapes}{}</svg>", "</g>".repeat(100));
        let shapes = Drawing::read(&text, 0.001).unwrap().shapes;
        assert_eq!((shapes.len(), shapes[99].line, shapes[99].layers().count()), (100, 100, 100));
        assert_eq!(static_objects(&text, 0.001), Err(StaticObjectsError::LongNames { line: 17 }));
    }
}

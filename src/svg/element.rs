//! Outlines of single elements, and the lengths and transforms in their attributes.

use bevy::math::{DAffine2, DMat2, DVec2};
use roxmltree::Node;
use svgtypes::{Align, AspectRatio, Length, LengthUnit, TransformListParser, TransformListToken, ViewBox};
use swarmarium_base::math;

use super::error::ElementError;
use super::path::Flattener;

/// Draws one element; returns centre and radius of a circle.
pub(super) fn draw(node: Node, view: Option<DVec2>, pen: &mut Flattener) -> Result<Option<(DVec2, f64)>, ElementError> {
    let length = |name: &str| length(node, name, view);
    let number = |name: &str| number(node, name, view);
    let size = |name: &str| match number(name)? {
        size if size < 0.0 => Err(ElementError::Negative(name.to_owned())),
        size => Ok(size),
    };
    match node.tag_name().name() {
        "rect" => {
            let (low, size) = (DVec2::new(number("x")?, number("y")?), DVec2::new(size("width")?, size("height")?));
            let (rx, ry) = (length("rx")?, length("ry")?);
            let round = DVec2::new(rx.or(ry).unwrap_or(0.0), ry.or(rx).unwrap_or(0.0));
            if size.min_element() > 0.0 {
                pen.rectangle(low, size, round.max(DVec2::ZERO).min(size / 2.0));
            }
        }
        "circle" => {
            let (center, radius) = (DVec2::new(number("cx")?, number("cy")?), size("r")?);
            if radius > 0.0 {
                pen.ellipse(center, DVec2::splat(radius));
                return Ok(Some((center, radius)));
            }
        }
        "ellipse" => {
            let (center, radii) = (DVec2::new(number("cx")?, number("cy")?), DVec2::new(size("rx")?, size("ry")?));
            if radii.min_element() > 0.0 {
                pen.ellipse(center, radii);
            }
        }
        "line" => {
            pen.move_to(DVec2::new(number("x1")?, number("y1")?));
            pen.line_to(DVec2::new(number("x2")?, number("y2")?));
        }
        "path" => pen.path(node.attribute("d").unwrap_or_default())?,
        name => pen.points(node.attribute("points").unwrap_or_default(), name == "polygon")?,
    }
    Ok(None)
}

/// A length in user units: a pixel is one unit, and an inch is 96 units on every page (SVG, CSS). A percentage refers
/// to the width or the height of the view or, for a radius, to its diagonal divided by √2.
pub(super) fn length(node: Node, name: &str, view: Option<DVec2>) -> Result<Option<f64>, ElementError> {
    let Some(text) = node.attribute(name).map(str::trim).filter(|text| *text != "auto") else { return Ok(None) };
    length_of(text, name, view).map(Some)
}

/// The length in user units that a text states for an attribute or a property.
pub(super) fn length_of(text: &str, name: &str, view: Option<DVec2>) -> Result<f64, ElementError> {
    let refuse = |reason| ElementError::Length { name: name.to_owned(), text: text.to_owned(), reason };
    let Length { number, unit } = text.parse().map_err(|_| refuse(""))?;
    let units = match unit {
        LengthUnit::None | LengthUnit::Px => 1.0,
        LengthUnit::Mm => 96.0 / 25.4,
        LengthUnit::Cm => 96.0 / 2.54,
        LengthUnit::In => 96.0,
        LengthUnit::Pt => 96.0 / 72.0,
        LengthUnit::Pc => 16.0,
        LengthUnit::Em | LengthUnit::Ex => return Err(refuse(", which depends on a font")),
        LengthUnit::Percent => {
            let view = view.ok_or_else(|| refuse(" of a page without a size"))?;
            let whole = match name {
                "r" | "stroke-width" => view.length() / std::f64::consts::SQRT_2,
                "x" | "x1" | "x2" | "cx" | "rx" | "width" => view.x,
                _ => view.y,
            };
            whole / 100.0
        }
    };
    if number.is_finite() { Ok(number * units) } else { Err(refuse("")) }
}

/// A length in user units; 0 without the attribute.
pub(super) fn number(node: Node, name: &str, view: Option<DVec2>) -> Result<f64, ElementError> {
    length(node, name, view).map(Option::unwrap_or_default)
}

/// Upper left corner and size of the `viewBox`.
pub(super) fn view_box(node: Node) -> Result<Option<(DVec2, DVec2)>, ElementError> {
    let Some(text) = node.attribute("viewBox") else { return Ok(None) };
    let ViewBox { x, y, w, h } = text.parse().map_err(|_| ElementError::ViewBox(text.to_owned()))?;
    Ok(Some((DVec2::new(x, y), DVec2::new(w, h))))
}

/// A side of the page in pixels; `None` for a percentage, which depends on the viewer.
fn side_px(root: Node, name: &str) -> Option<f64> {
    length(root, name, None).ok().flatten().filter(|side| *side > 0.0)
}

/// Upper left corner and size of the page.
pub(super) fn page(root: Node) -> Result<Option<(DVec2, DVec2)>, ElementError> {
    let size_px = side_px(root, "width").zip(side_px(root, "height"));
    Ok(view_box(root)?.or(size_px.map(|size| (DVec2::ZERO, DVec2::from(size)))))
}

/// Factors from units of the `viewBox` to units of `width` and `height`, horizontally and vertically.
pub(super) fn page_scale(root: Node, page: Option<(DVec2, DVec2)>) -> DVec2 {
    let Some((low, size)) = page.filter(|_| root.has_attribute("viewBox")) else { return DVec2::ONE };
    // A missing side follows from the other.
    let (width, height) = (side_px(root, "width"), side_px(root, "height"));
    let width = width.unwrap_or(height.unwrap_or(size.y) * size.x / size.y);
    let view_size = DVec2::new(width, height.unwrap_or(width * size.y / size.x));
    let DMat2 { x_axis, y_axis } = fitted(root, (low, size), view_size).matrix2;
    let scale = DVec2::new(x_axis.x, y_axis.y);
    if scale.to_array().into_iter().all(is_scale) { scale } else { DVec2::ONE }
}

/// Whether lengths can be multiplied and divided by a number.
pub(super) fn is_scale(number: f64) -> bool {
    number.is_normal() && number > 0.0
}

/// Maps a `viewBox` to a view of a size, according to `preserveAspectRatio`.
pub(super) fn fitted(node: Node, (low, size): (DVec2, DVec2), view_size: DVec2) -> DAffine2 {
    let mut scale = view_size / size;
    let ratio: AspectRatio =
        node.attribute("preserveAspectRatio").and_then(|text| text.parse().ok()).unwrap_or_default();
    let mut shift = DVec2::ZERO;
    if ratio.align != Align::None {
        scale = DVec2::splat(if ratio.slice { scale.max_element() } else { scale.min_element() });
        let part = match ratio.align {
            Align::None | Align::XMinYMin => (0.0, 0.0),
            Align::XMidYMin => (0.5, 0.0),
            Align::XMaxYMin => (1.0, 0.0),
            Align::XMinYMid => (0.0, 0.5),
            Align::XMidYMid => (0.5, 0.5),
            Align::XMaxYMid => (1.0, 0.5),
            Align::XMinYMax => (0.0, 1.0),
            Align::XMidYMax => (0.5, 1.0),
            Align::XMaxYMax => (1.0, 1.0),
        };
        shift = (view_size - size * scale) * DVec2::from(part);
    }
    DAffine2::from_translation(shift) * DAffine2::from_scale(scale) * DAffine2::from_translation(-low)
}

/// The transform of an element from its attribute. Transforms in styles have units and are not read.
pub(super) fn transform(node: Node) -> Result<DAffine2, ElementError> {
    let mut all = DAffine2::IDENTITY;
    let text = node.attribute("transform").unwrap_or_default();
    if text.trim() == "none" {
        return Ok(all);
    }
    for token in TransformListParser::from(text) {
        let refuse =
            |error: svgtypes::Error| ElementError::Transform { error: error.to_string(), text: text.to_owned() };
        let token = token.map_err(refuse)?;
        all *= match token {
            TransformListToken::Matrix { a, b, c, d, e, f } => {
                DAffine2::from_cols(DVec2::new(a, b), DVec2::new(c, d), DVec2::new(e, f))
            }
            TransformListToken::Translate { tx, ty } => DAffine2::from_translation(DVec2::new(tx, ty)),
            TransformListToken::Scale { sx, sy } => DAffine2::from_scale(DVec2::new(sx, sy)),
            TransformListToken::Rotate { angle } => {
                let way = math::direction(angle.to_radians());
                DAffine2::from_cols(way, way.perp(), DVec2::ZERO)
            }
            TransformListToken::SkewX { angle } => {
                DAffine2::from_cols(DVec2::X, DVec2::new(math::tan(angle.to_radians()), 1.0), DVec2::ZERO)
            }
            TransformListToken::SkewY { angle } => {
                DAffine2::from_cols(DVec2::new(1.0, math::tan(angle.to_radians())), DVec2::Y, DVec2::ZERO)
            }
        };
    }
    Ok(all)
}

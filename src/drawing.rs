//! Drawings: the geometry of SVG files, and the dark parts of PNG images, as outlines.
//!
//! Plain algorithms that know no ECS; every importer and object that takes a drawing reads it here.
//! Nothing but the text itself is looked at: no other file, no network, no DTD.

use std::collections::BTreeMap;
use std::path::Path;

use bevy::math::{DAffine2, DMat2, DVec2};
use roxmltree::{Document, Node, NodeType, ParsingOptions};
use svgtypes::{Color, Length, LengthUnit, TransformListParser, TransformListToken, ViewBox};

use crate::math;
use crate::space::polygon;

pub mod bitmap;
mod path;

use path::Flattener;

/// The largest drawing, in bytes.
pub const MAX_BYTES: u64 = 16 << 20;
/// The most elements and texts of a drawing.
const MAX_NODES: u32 = 200_000;
/// The deepest nesting of its groups.
const MAX_DEPTH: usize = 256;
/// The most points of a drawing, when curves are flattened.
const MAX_POINTS: usize = 1_000_000;

/// What an SVG drawing shows. Coordinates are its user units, x to the right and y down, as they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Upper left corner and size of the page, when the file says so.
    pub page: Option<(DVec2, DVec2)>,
    /// All shapes that are shown, in the order of the file.
    pub shapes: Vec<Shape>,
    /// What was passed over, with how often: texts, images, what is used again.
    pub ignored: BTreeMap<String, u32>,
}

/// One element that shows something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The name of the element: `rect`, `path`.
    pub element: String,
    /// The line that it stands in, counted from 1.
    pub line: u32,
    /// Its lines, each through two points or more, or one.
    pub contours: Vec<Contour>,
    /// Centre and radius, when it is a circle and stays one.
    pub disc: Option<(DVec2, f64)>,
    /// The colour that it is filled with; `None` when it is not filled, or not with a colour.
    pub fill: Option<[u8; 3]>,
    /// The names of the groups around it, from the innermost out: `data-name`, or else `id`.
    pub layers: Vec<String>,
    /// How many groups are around it.
    pub depth: u32,
    /// Its attributes as they are written, by name.
    pub attributes: BTreeMap<String, String>,
}

/// A line of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Its points; the first is not repeated at the end.
    pub points: Vec<DVec2>,
    /// Whether the drawing closes it.
    pub is_closed: bool,
}

impl Drawing {
    /// Reads an SVG text; curves become lines that are off by at most `tolerance` user units.
    ///
    /// # Errors
    /// Says what is wrong, with the line.
    pub fn read(text: &str, tolerance: f64) -> Result<Self, String> {
        if text.len() as u64 > MAX_BYTES {
            return Err(format!("the drawing is larger than {} MiB", MAX_BYTES >> 20));
        }
        let options = ParsingOptions { allow_dtd: false, nodes_limit: MAX_NODES, ..ParsingOptions::default() };
        let document = Document::parse_with_options(text, options).map_err(|error| match error {
            roxmltree::Error::DtdDetected => "the drawing has a DTD (`<!DOCTYPE`), which is not read".to_owned(),
            roxmltree::Error::NodesLimitReached => format!("the drawing has more than {MAX_NODES} elements"),
            error => format!("the drawing is no XML: {error}"),
        })?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err(format!("expected an SVG drawing, found `<{}>`", root.tag_name().name()));
        }
        if root.parent().is_some_and(|top| top.children().any(|node| node.node_type() == NodeType::PI)) {
            return Err("the drawing has a processing instruction, such as a style sheet, which is not read".into());
        }
        let mut reader = Reader { tolerance, points: 0, drawing: Self { page: page(root)?, ..Self::default() } };
        reader.children(root, &Around::default())?;
        Ok(reader.drawing)
    }

    /// The outlines of all areas: every line of three points or more, closed.
    pub fn outlines(&self) -> impl Iterator<Item = (&Shape, &[DVec2])> {
        let contours = self.shapes.iter().flat_map(|shape| shape.contours.iter().map(move |contour| (shape, contour)));
        contours
            .filter(|(shape, contour)| contour.points.len() >= 3 && (contour.is_closed || shape.fill.is_some()))
            .map(|(shape, contour)| (shape, contour.points.as_slice()))
    }
}

/// Reads a drawing from a file.
///
/// # Errors
/// Says what is wrong; the name of the file is for the caller to say.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, String> {
    use std::io::Read as _;
    let unreadable = |error: std::io::Error| format!("cannot be read: {error}");
    let mut bytes = Vec::new();
    std::fs::File::open(path).and_then(|file| file.take(MAX_BYTES + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    match bytes.len() as u64 > MAX_BYTES {
        true => Err(format!("is larger than {} MiB", MAX_BYTES >> 20)),
        false => Ok(bytes),
    }
}

/// The text of an SVG file.
///
/// # Errors
/// When it is compressed, or no text.
pub fn svg_text(bytes: Vec<u8>) -> Result<String, String> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err("is a compressed drawing: unpack it first".into());
    }
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".into())
}

/// What the elements around a shape say of it.
#[derive(Clone)]
struct Around {
    transform: DAffine2,
    fill: Option<[u8; 3]>,
    layers: Vec<String>,
    depth: usize,
}

impl Default for Around {
    fn default() -> Self {
        Self { transform: DAffine2::IDENTITY, fill: Some([0; 3]), layers: Vec::new(), depth: 0 }
    }
}

struct Reader {
    tolerance: f64,
    points: usize,
    drawing: Drawing,
}

/// Elements whose content is not shown where it stands.
const UNSHOWN: [&str; 11] = [
    "defs",
    "clipPath",
    "mask",
    "symbol",
    "pattern",
    "marker",
    "metadata",
    "title",
    "desc",
    "linearGradient",
    "radialGradient",
];

impl Reader {
    fn children(&mut self, parent: Node, around: &Around) -> Result<(), String> {
        if around.depth > MAX_DEPTH {
            return Err(at(parent, format!("groups are nested deeper than {MAX_DEPTH}")));
        }
        parent.children().filter(Node::is_element).try_for_each(|node| self.element(node, around))
    }

    fn element(&mut self, node: Node, around: &Around) -> Result<(), String> {
        let name = node.tag_name().name();
        if UNSHOWN.contains(&name) || property(node, "display") == Some("none") {
            return Ok(());
        }
        // Drawing programs keep notes of their own.
        if node.tag_name().namespace().is_some_and(|space| space != "http://www.w3.org/2000/svg") {
            return Ok(());
        }
        let reference = node.attributes().find(|attribute| attribute.name() == "href").map(|found| found.value());
        if reference.is_some_and(|to| name != "a" && !to.starts_with('#') && !to.starts_with("data:")) {
            return Err(at(node, format!("`<{name}>` refers to something outside the drawing, which is not read")));
        }
        let mut own = Around { transform: around.transform * transform(node)?, ..around.clone() };
        match property(node, "fill").map(str::trim) {
            None | Some("inherit" | "currentColor") => {}
            Some(paint) => own.fill = paint.parse().ok().map(|Color { red, green, blue, .. }| [red, green, blue]),
        }
        match name {
            "g" | "a" => {
                own.depth += 1;
                let label = node.attribute("data-name").or_else(|| node.attribute("id"));
                own.layers.splice(0..0, label.filter(|label| !label.is_empty()).map(str::to_owned));
                self.children(node, &own)
            }
            "rect" | "circle" | "ellipse" | "line" | "polyline" | "polygon" | "path" => self.shape(node, own),
            _ => {
                *self.drawing.ignored.entry(name.to_owned()).or_default() += 1;
                Ok(())
            }
        }
    }

    fn shape(&mut self, node: Node, own: Around) -> Result<(), String> {
        let DMat2 { x_axis, y_axis } = own.transform.matrix2;
        let scale = (x_axis.length_squared() + y_axis.length_squared()).sqrt();
        // An element that is squeezed to nothing shows nothing.
        if scale == 0.0 || !own.transform.is_finite() {
            return Ok(());
        }
        let mut pen = Flattener::new(self.tolerance / scale, MAX_POINTS - self.points);
        let disc = draw(node, &mut pen).map_err(|message| at(node, message))?;
        let mut contours = pen.finish().map_err(|message| at(node, message))?;
        for contour in &mut contours {
            self.points += contour.points.len();
            contour.points.iter_mut().for_each(|point| *point = own.transform.transform_point2(*point));
            if !contour.points.iter().all(|point| point.is_finite()) {
                return Err(at(node, "a coordinate is no usable number".into()));
            }
        }
        // A circle stays one when it is turned, mirrored and stretched alike in all directions.
        let stays = x_axis.dot(y_axis).abs() <= 1e-9 * scale * scale
            && (x_axis.length() - y_axis.length()).abs() <= 1e-9 * scale;
        let disc = disc
            .filter(|_| stays)
            .map(|(center, radius)| (own.transform.transform_point2(center), radius * x_axis.length()));
        self.drawing.shapes.push(Shape {
            element: node.tag_name().name().to_owned(),
            line: line(node),
            contours,
            disc,
            fill: own.fill,
            layers: own.layers,
            depth: own.depth as u32,
            attributes: node.attributes().map(|found| (found.name().to_owned(), found.value().to_owned())).collect(),
        });
        Ok(())
    }
}

/// Draws one element; gives centre and radius of a circle.
fn draw(node: Node, pen: &mut Flattener) -> Result<Option<(DVec2, f64)>, String> {
    let number = |name: &str| length(node, name).map(|found| found.unwrap_or(0.0));
    let size = |name: &str| match number(name)? {
        size if size < 0.0 => Err(format!("`{name}` is below 0")),
        size => Ok(size),
    };
    match node.tag_name().name() {
        "rect" => {
            let (low, size) = (DVec2::new(number("x")?, number("y")?), DVec2::new(size("width")?, size("height")?));
            let (rx, ry) = (length(node, "rx")?, length(node, "ry")?);
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

/// A message with the line of an element.
fn at(node: Node, message: String) -> String {
    format!("line {}: {message}", line(node))
}

fn line(node: Node) -> u32 {
    node.document().text_pos_at(node.range().start).row
}

/// A property of an element: in its `style`, or an attribute of its own.
fn property<'a>(node: Node<'a, '_>, name: &str) -> Option<&'a str> {
    let style = node.attribute("style").unwrap_or_default().split(';');
    let mut stated = style.filter_map(|rule| rule.split_once(':')).filter(|(key, _)| key.trim() == name);
    stated.next_back().map(|(_, value)| value.trim()).or_else(|| node.attribute(name))
}

/// A length in user units.
fn length(node: Node, name: &str) -> Result<Option<f64>, String> {
    let Some(text) = node.attribute(name).map(str::trim).filter(|text| *text != "auto") else { return Ok(None) };
    let refuse = || format!("`{name}` is no length: `{text}`");
    let Length { number, unit } = text.parse().map_err(|_| refuse())?;
    let units = match unit {
        LengthUnit::None | LengthUnit::Px => 1.0,
        LengthUnit::Mm => 96.0 / 25.4,
        LengthUnit::Cm => 96.0 / 2.54,
        LengthUnit::In => 96.0,
        LengthUnit::Pt => 96.0 / 72.0,
        LengthUnit::Pc => 16.0,
        LengthUnit::Em | LengthUnit::Ex | LengthUnit::Percent => return Err(refuse()),
    };
    if number.is_finite() { Ok(Some(number * units)) } else { Err(refuse()) }
}

fn page(root: Node) -> Result<Option<(DVec2, DVec2)>, String> {
    if let Some(text) = root.attribute("viewBox") {
        let ViewBox { x, y, w, h } =
            text.parse().map_err(|_| at(root, format!("`viewBox` is no rectangle: `{text}`")))?;
        return Ok(Some((DVec2::new(x, y), DVec2::new(w, h))));
    }
    // A size in per cent is that of whatever shows the drawing.
    let side = |name| length(root, name).ok().flatten().filter(|side| *side > 0.0);
    Ok(side("width").zip(side("height")).map(|size| (DVec2::ZERO, DVec2::from(size))))
}

/// The transform of an element, `transform` or in its style.
fn transform(node: Node) -> Result<DAffine2, String> {
    let mut all = DAffine2::IDENTITY;
    for token in TransformListParser::from(node.attribute("transform").unwrap_or_default()) {
        let token = token.map_err(|error| at(node, format!("`transform` cannot be read: {error}")))?;
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

/// The only outline of an SVG text, as the hull of a robot has.
///
/// # Errors
/// When the drawing cannot be read, has no outline or several, or it crosses itself.
pub fn only_outline(text: &str, tolerance: f64) -> Result<Vec<DVec2>, String> {
    let drawing = Drawing::read(text, tolerance)?;
    let mut outlines = drawing.outlines();
    let (Some((shape, outline)), None) = (outlines.next(), outlines.next()) else {
        let count = drawing.outlines().count();
        return Err(format!("expected a drawing of one outline, found {count}"));
    };
    usable(shape, outline)
}

/// An outline without points that are there twice in a row.
///
/// # Errors
/// When it crosses itself.
pub fn usable(shape: &Shape, outline: &[DVec2]) -> Result<Vec<DVec2>, String> {
    let mut corners = outline.to_vec();
    corners.dedup();
    while corners.len() > 1 && corners.first() == corners.last() {
        corners.pop();
    }
    drop_straight(&mut corners);
    match corners.len() <= crate::object::MAX_CORNERS && polygon::is_simple(&corners) {
        true => Ok(corners),
        false if corners.len() > crate::object::MAX_CORNERS => {
            Err(format!("line {}: the outline has more than {} corners", shape.line, crate::object::MAX_CORNERS))
        }
        false => Err(format!("line {}: the outline of `<{}>` crosses or touches itself", shape.line, shape.element)),
    }
}

/// Drops corners at which an outline turns back on itself or goes straight on.
fn drop_straight(corners: &mut Vec<DVec2>) {
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

/// One of the objects that RobotSwarmSimulator's `svg_to_static_objects` makes of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticObject {
    /// Its form; coordinates as written, y down.
    pub form: crate::space::Form,
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
pub fn static_objects(text: &str, tolerance: f64) -> Result<(Vec<StaticObject>, BTreeMap<String, u32>), String> {
    let Drawing { shapes, mut ignored, .. } = Drawing::read(text, tolerance)?;
    let mut objects = Vec::new();
    for element in ["polygon", "rect", "circle"] {
        for shape in shapes.iter().filter(|shape| shape.element == element) {
            let form = match shape.disc {
                Some((center, radius)) => crate::space::Form::Disc { center, radius },
                None => match shape.contours.first() {
                    Some(contour) => crate::space::Form::Polygon(usable(shape, &contour.points)?),
                    None => continue,
                },
            };
            let says = |layer: &String| match layer.as_str() {
                "collide" => Some(true),
                "nocollide" => Some(false),
                _ => None,
            };
            let others = shape.layers.iter().filter(|layer| says(layer).is_none() && *layer != "Layer_1");
            objects.push(StaticObject {
                form,
                collides: shape.layers.iter().find_map(says),
                team: others.cloned().collect::<Vec<_>>().join(" "),
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
mod tests;

//! Drawings: the geometry of SVG files, and the dark parts of PNG images, as outlines.
//!
//! Plain algorithms that know no ECS; every importer and object that takes a drawing reads it here.
//! Only the text itself is read: no other file, no network, no external DTD.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::math::{DAffine2, DMat2, DVec2};
use roxmltree::{Document, Node, NodeId, NodeType};
use svgtypes::{Align, AspectRatio, Color, Length, LengthUnit, TransformListParser, TransformListToken, ViewBox};
use swarmarium_base::problem::{Place, Problem};
use swarmarium_base::{encoding, math, xml};

use crate::polygon;

pub mod bitmap;
mod css;
mod path;

use css::{Property, Sheet, Style};
use path::Flattener;

/// The largest drawing, in bytes.
pub const MAX_BYTES: u64 = xml::MAX_BYTES;
/// The most points of a drawing, when curves are flattened.
const MAX_POINTS: usize = 1_000_000;
/// The most elements that copies (`use`) show.
const MAX_COPIED: usize = 100_000;
/// The most bytes of elements that copies (`use`) show. An element within others counts with each of them.
const MAX_COPIED_BYTES: usize = 64 << 20;
/// The most broken elements that the message of a refused drawing lists.
const MAX_MESSAGES: usize = 10;

/// What an SVG drawing shows. Coordinates are its user units, x to the right and y down, as they are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Upper left corner and size of the page, when the file says so.
    pub page: Option<(DVec2, DVec2)>,
    /// How much longer a user unit down the page is than one across, where `width` and `height` stretch a `viewBox`.
    pub stretch: f64,
    /// The first group that is in no other, by number.
    pub first_group: Option<u32>,
    /// All shapes that are shown, in the order of the file.
    pub shapes: Vec<Shape>,
    /// The elements and properties that are not supported, such as texts, images and masks, with their numbers.
    pub ignored: BTreeMap<String, u32>,
    /// The broken elements, which are left out, in the order of the file.
    pub broken: Vec<Omission>,
    /// The hidden shapes and groups, which are left out, in the order of the file.
    pub hidden: Vec<Omission>,
}

/// An element that is left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Omission {
    /// The label of a layer, the id of any other element, or else the name of the element.
    pub name: String,
    /// The line of the file, counted from 1.
    pub line: u32,
    /// The byte at which it begins.
    pub offset: usize,
    /// The reason.
    pub message: String,
}

/// One element that shows something.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The name of the element: `rect`, `path`.
    pub element: String,
    /// The line that it stands in, counted from 1.
    pub line: u32,
    /// The byte at which it begins.
    pub offset: usize,
    /// Its lines, each through two points or more, or one.
    pub contours: Vec<Contour>,
    /// Centre and radius, when it is a circle and stays one.
    pub disc: Option<(DVec2, f64)>,
    /// The colour that it is filled with; `None` when it is not filled, or not with a colour.
    pub fill: Option<[u8; 3]>,
    /// Whether the drawing says how it is filled; what is not said is black.
    pub states_fill: bool,
    /// The innermost of the groups around it that have a name.
    pub layer: Option<Arc<Layer>>,
    /// The innermost and the outermost group around it, by number; groups are counted in the order of the file.
    pub groups: Option<(u32, u32)>,
    /// Its id, or the name of the element without one. A copy has the id of its `use`.
    pub name: String,
    /// Its attributes as they are written, by name; one without a prefix replaces one of the same name with a prefix. A copy
    /// has the attributes of its `use`, too, which replace those of its original.
    pub attributes: BTreeMap<String, String>,
}

/// A group with a name, `data-name` or else `id`.
#[derive(Debug, PartialEq)]
pub struct Layer {
    /// The name.
    pub name: String,
    /// The next one around it. Shapes share their groups: each may be in many, with long names.
    pub outer: Option<Arc<Self>>,
}

/// A line of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Its points; the first is not repeated at the end.
    pub points: Vec<DVec2>,
    /// Whether the drawing closes it.
    pub is_closed: bool,
}

impl Shape {
    /// The names of the groups around it, from the innermost out.
    pub fn layers(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.layer.as_deref(), |layer| layer.outer.as_deref()).map(|layer| layer.name.as_str())
    }
}

impl Drawing {
    /// Reads an SVG text; curves become lines that are off by at most `tolerance` user units.
    ///
    /// # Errors
    /// Lists all problems with their lines; a broken element is one of them.
    pub fn read(text: &str, tolerance: f64) -> Result<Self, String> {
        let lined = |Problem { place, message, .. }: Problem| match place {
            Some(Place { line, .. }) => format!("line {line}: {message}"),
            None => message,
        };
        let drawing = Self::read_on(text, |_| tolerance).map_err(lined)?;
        if drawing.broken.is_empty() {
            return Ok(drawing);
        }
        let told =
            drawing.broken.iter().take(MAX_MESSAGES).map(|broken| format!("line {}: {}", broken.line, broken.message));
        let more = drawing.broken.len().saturating_sub(MAX_MESSAGES);
        let more = (more > 0).then(|| format!("and {more} more"));
        Err(told.chain(more).collect::<Vec<_>>().join("; "))
    }

    /// As [`read`](Self::read), but broken elements are left out, and the tolerance may depend on the
    /// [stretch](Self::stretch) of the page.
    ///
    /// # Errors
    /// Names the problem of the drawing as a whole, and its place.
    pub fn read_on(text: &str, tolerance: impl Fn(f64) -> f64) -> Result<Self, Problem> {
        let screened = xml::screened(text)?;
        let document = xml::parse(&screened)?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err(at(root, format!("expected an SVG drawing, found `<{}>`", root.tag_name().name())));
        }
        let mut reader = Reader::of(text, &document);
        let page = page(root).unwrap_or_else(|message| {
            reader.omit(root, format!("{message}: the page has no size"));
            None
        });
        let scale = page_scale(root, page);
        let stretch = Some(scale.y / scale.x).filter(|stretch| is_scale(*stretch)).unwrap_or(1.0);
        (reader.drawing.page, reader.drawing.stretch, reader.tolerance) = (page, stretch, tolerance(stretch));
        let is_sheet = |node: &Node| node.pi().is_some_and(|found| found.target == "xml-stylesheet");
        let sheets =
            document.root().children().filter(|node| node.node_type() == NodeType::PI).filter(is_sheet).count();
        if sheets > 0 {
            reader.drawing.ignored.insert("xml-stylesheet".into(), sheets as u32);
        }
        let around = Around { view: page.map(|(_, size)| size), ..Around::default() };
        let around = around.within(&reader.sheet.style(root));
        reader.children(root, &around)?;
        let Reader { mut drawing, sheet, .. } = reader;
        if sheet.ignored > 0 {
            drawing.ignored.insert("style rule".into(), sheet.ignored);
        }
        Ok(drawing)
    }

    /// The outlines of all areas: every line of three points or more, closed.
    pub fn outlines(&self) -> impl Iterator<Item = (&Shape, &[DVec2])> {
        let contours = self.shapes.iter().flat_map(|shape| shape.contours.iter().map(move |contour| (shape, contour)));
        contours
            .filter(|(shape, contour)| contour.points.len() >= 3 && (contour.is_closed || shape.fill.is_some()))
            .map(|(shape, contour)| (shape, contour.points.as_slice()))
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
    encoding::decode(bytes).map_err(|not_text| not_text.message)
}

/// What the elements around a shape say of it.
#[derive(Clone)]
struct Around {
    transform: DAffine2,
    /// The size of the page, or of the drawing within the drawing.
    view: Option<DVec2>,
    is_visible: bool,
    fill: Option<[u8; 3]>,
    states_fill: bool,
    layer: Option<Arc<Layer>>,
    groups: Option<(u32, u32)>,
}

impl Default for Around {
    fn default() -> Self {
        let (transform, fill) = (DAffine2::IDENTITY, Some([0; 3]));
        let (view, layer, groups) = Default::default();
        Self { transform, view, is_visible: true, fill, states_fill: false, layer, groups }
    }
}

impl Around {
    /// The state within an element of this style.
    fn within(&self, style: &Style<&str>) -> Self {
        let mut own = self.clone();
        match style.get(Property::Fill) {
            None | Some(&("inherit" | "currentColor")) => {}
            Some(paint) => {
                own.fill = paint.parse().ok().map(|Color { red, green, blue, .. }| [red, green, blue]);
                own.states_fill = true;
            }
        }
        match style.get(Property::Visibility) {
            Some(&"visible") => own.is_visible = true,
            Some(&("hidden" | "collapse")) => own.is_visible = false,
            _ => {}
        }
        own
    }
}

struct Reader<'d, 'i> {
    tolerance: f64,
    points: usize,
    groups: u32,
    lines: Lines,
    sheet: Sheet,
    /// The first element of each id.
    ids: BTreeMap<&'d str, Node<'d, 'i>>,
    /// The copies that are being drawn, each within the previous one: the original and its `use`.
    copies: Vec<(NodeId, Node<'d, 'i>)>,
    /// The number of elements that copies have shown.
    copied: usize,
    /// The bytes of these elements.
    copied_bytes: usize,
    depth: usize,
    drawing: Drawing,
}

/// Where the lines of a text end.
struct Lines(Vec<usize>);

impl Lines {
    fn of(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of a place in the text, counted from 1.
    fn at(&self, place: usize) -> u32 {
        1 + self.0.partition_point(|end| *end < place) as u32
    }
}

/// The namespace of the elements of drawings. A drawing without namespaces is read, too.
const SVG: &str = "http://www.w3.org/2000/svg";
/// The namespace in which Inkscape names layers.
const INKSCAPE: &str = "http://www.inkscape.org/namespaces/inkscape";

/// Elements with an outline.
const SHAPES: [&str; 7] = ["rect", "circle", "ellipse", "line", "polyline", "polygon", "path"];

/// Elements whose content is not shown where it stands.
const UNSHOWN: [&str; 12] = [
    "style",
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

/// Attributes of a `use` that do not pass on to its copy.
const OF_USE: [&str; 10] = ["href", "id", "x", "y", "width", "height", "transform", "style", "class", "clip-path"];

/// The name of an element in messages: the label of a layer, the id of any other element, or else the name of the element.
fn name_of(node: Node) -> String {
    let label = node.attribute((INKSCAPE, "label")).filter(|_| node.tag_name().name() == "g");
    let name = label.or_else(|| node.attribute("id")).filter(|name| !name.is_empty());
    name.unwrap_or(node.tag_name().name()).to_owned()
}

/// Whether a node is an element of SVG, and not private data of a drawing program.
fn is_svg(node: Node) -> bool {
    node.is_element() && node.tag_name().namespace().is_none_or(|space| space == SVG)
}

/// The target of the reference (`href`) of an element.
fn reference<'d>(node: Node<'d, '_>) -> Option<&'d str> {
    let mut all = node.attributes().filter(|found| found.name() == "href");
    all.next().map(|found| found.value().trim())
}

impl<'d, 'i> Reader<'d, 'i> {
    fn of(text: &str, document: &'d Document<'i>) -> Self {
        let (mut sheet, mut ids) = (Sheet::default(), BTreeMap::new());
        for node in document.descendants().filter(Node::is_element) {
            if let Some(id) = node.attribute("id") {
                ids.entry(id).or_insert(node);
            }
            if node.tag_name().name() == "style" {
                node.children().filter_map(|text| text.text()).for_each(|text| sheet.read(text));
            }
        }
        let (copies, drawing) = (Vec::new(), Drawing::default());
        let lines = Lines::of(text);
        let (copied, copied_bytes) = (0, 0);
        Self {
            tolerance: 1.0,
            points: 0,
            groups: 0,
            lines,
            sheet,
            ids,
            copies,
            copied,
            copied_bytes,
            depth: 0,
            drawing,
        }
    }

    fn omission(&self, node: Node, message: String) -> Omission {
        // The problems of a copy are reported at the outermost `use`.
        let node = self.copies.first().map_or(node, |(_, by)| *by);
        let offset = node.range().start;
        Omission { name: name_of(node), line: self.lines.at(offset), offset, message }
    }

    /// Leaves out a broken element.
    fn omit(&mut self, node: Node, message: String) {
        let omission = self.omission(node, message);
        self.drawing.broken.push(omission);
    }

    /// Leaves out a hidden element with the shapes in it.
    fn hide(&mut self, node: Node) {
        let is_shape = |node: &Node| {
            let name = node.tag_name().name();
            is_svg(*node) && (name == "use" || SHAPES.contains(&name))
        };
        let message = match node.descendants().filter(is_shape).count() {
            0 => return,
            _ if is_shape(&node) => "is hidden".to_owned(),
            1 => "is hidden, with 1 shape".to_owned(),
            count => format!("is hidden, with {count} shapes"),
        };
        let omission = self.omission(node, message);
        self.drawing.hidden.push(omission);
    }

    fn ignore(&mut self, name: &str) {
        *self.drawing.ignored.entry(name.to_owned()).or_default() += 1;
    }

    fn children(&mut self, parent: Node<'d, 'i>, around: &Around) -> Result<(), Problem> {
        parent.children().filter(|node| is_svg(*node)).try_for_each(|node| self.element(node, around))
    }

    fn element(&mut self, node: Node<'d, 'i>, around: &Around) -> Result<(), Problem> {
        let name = node.tag_name().name();
        let is_original = self.copies.last().is_some_and(|(original, _)| *original == node.id());
        if UNSHOWN.contains(&name) && !(is_original && name == "symbol") {
            return Ok(());
        }
        if !self.copies.is_empty() {
            self.copied += 1;
            if self.copied > MAX_COPIED {
                return Err(at(node, format!("copies (`use`) show more than {MAX_COPIED} elements")));
            }
            self.copied_bytes += node.range().len();
            if self.copied_bytes > MAX_COPIED_BYTES {
                return Err(at(node, format!("copies (`use`) show more than {} MiB", MAX_COPIED_BYTES >> 20)));
            }
        }
        if self.depth == xml::MAX_DEPTH {
            self.omit(node, format!("copies (`use`) are nested deeper than {}", xml::MAX_DEPTH));
            return Ok(());
        }
        let style = self.sheet.style(node);
        let mut own = around.within(&style);
        let is_hidden = style.get(Property::Display) == Some(&"none");
        let is_stated = |property: &Property| style.get(*property).is_some_and(|value| *value != "none");
        let unread: Vec<_> =
            [Property::ClipPath, Property::Mask, Property::Transform].into_iter().filter(is_stated).collect();
        if is_hidden {
            self.hide(node);
            return Ok(());
        }
        for property in unread {
            let of_style = if property == Property::Transform { "style " } else { "" };
            self.ignore(&format!("{of_style}{}", property.name()));
        }
        match transform(node) {
            Ok(transform) => own.transform *= transform,
            Err(message) => {
                self.omit(node, message);
                return Ok(());
            }
        }
        self.depth += 1;
        let shown = match name {
            "g" | "a" => self.group(node, own),
            "switch" => {
                node.children().find(|child| is_chosen(*child)).map_or(Ok(()), |child| self.element(child, &own))
            }
            "svg" | "symbol" => self.view(node, own),
            "use" => self.copy(node, own),
            name if SHAPES.contains(&name) => self.shape(node, own),
            _ => {
                self.ignore(name);
                Ok(())
            }
        };
        self.depth -= 1;
        shown
    }

    fn group(&mut self, node: Node<'d, 'i>, mut own: Around) -> Result<(), Problem> {
        let (number, outermost) = (self.groups, own.groups.map(|(_, outermost)| outermost));
        self.groups += 1;
        own.groups = Some((number, outermost.unwrap_or(number)));
        if node.tag_name().name() == "g" && outermost.is_none() {
            self.drawing.first_group.get_or_insert(number);
        }
        let label = node.attribute("data-name").or_else(|| node.attribute("id"));
        if let Some(name) = label.filter(|label| !label.is_empty()).map(str::to_owned) {
            own.layer = Some(Arc::new(Layer { name, outer: own.layer }));
        }
        self.children(node, &own)
    }

    /// A nested drawing or a symbol, which may have a `viewBox` of its own.
    fn view(&mut self, node: Node<'d, 'i>, mut own: Around) -> Result<(), Problem> {
        match self.within(node, own.view) {
            Ok((within, view)) => {
                (own.transform, own.view) = (own.transform * within, view);
                self.children(node, &own)
            }
            Err(message) => {
                self.omit(node, message);
                Ok(())
            }
        }
    }

    /// The transform of the content of a nested drawing, and the size of its view. The size of a copy is that of its `use`, if
    /// the `use` has one.
    fn within(&self, node: Node, around: Option<DVec2>) -> Result<(DAffine2, Option<DVec2>), String> {
        let low = DVec2::new(number(node, "x", around)?, number(node, "y", around)?);
        let view_box = view_box(node)?;
        // Without a size of its own, it is as large as what is around it.
        let otherwise = around.or(view_box.map(|(_, size)| size)).unwrap_or_default();
        let by = self.copies.last().filter(|(original, _)| *original == node.id()).map(|(_, by)| *by);
        let side = |name, otherwise: f64| {
            let sized = by.filter(|by| by.has_attribute(name)).unwrap_or(node);
            // As large as the view around it, even if that view has no size.
            if sized.attribute(name).is_some_and(|side| side.trim() == "100%") {
                return Ok(otherwise);
            }
            let side = length(sized, name, around)?.filter(|side| *side >= 0.0);
            Ok::<_, String>(side.unwrap_or(otherwise))
        };
        let room = DVec2::new(side("width", otherwise.x)?, side("height", otherwise.y)?);
        let fitted = view_box.map_or(DAffine2::IDENTITY, |view_box| fitted(node, view_box, room));
        Ok((DAffine2::from_translation(low) * fitted, view_box.map(|(_, size)| size).or(Some(room))))
    }

    /// A copy of another element (`use`).
    fn copy(&mut self, node: Node<'d, 'i>, mut own: Around) -> Result<(), Problem> {
        let original = match reference(node) {
            None | Some("") => Err("`<use>` refers to no element".to_owned()),
            Some(to) => match to.strip_prefix('#') {
                None => Err("`<use>` refers to another file, which is not read".to_owned()),
                Some(id) => self.ids.get(id).copied().ok_or_else(|| format!("there is no element with the id `{id}`")),
            },
        };
        let is_within = |original: &Node| {
            node.ancestors().any(|around| around == *original) || self.copies.iter().any(|(id, _)| *id == original.id())
        };
        let placed = original.and_then(|original| {
            if is_within(&original) {
                return Err("`<use>` refers to an element that contains it".to_owned());
            }
            Ok((original, DVec2::new(number(node, "x", own.view)?, number(node, "y", own.view)?)))
        });
        let (original, shift) = match placed {
            Ok(placed) => placed,
            Err(message) => {
                self.omit(node, message);
                return Ok(());
            }
        };
        own.transform *= DAffine2::from_translation(shift);
        self.copies.push((original.id(), node));
        let shown = self.element(original, &own);
        self.copies.pop();
        shown
    }

    fn shape(&mut self, node: Node<'d, 'i>, own: Around) -> Result<(), Problem> {
        if !own.is_visible {
            self.hide(node);
            return Ok(());
        }
        let DMat2 { x_axis, y_axis } = own.transform.matrix2;
        let scale = (x_axis.length_squared() + y_axis.length_squared()).sqrt();
        // An element that is squeezed to nothing shows nothing.
        if scale == 0.0 || !own.transform.is_finite() {
            let omission = self.omission(node, "has no usable size after its transform".into());
            self.drawing.hidden.push(omission);
            return Ok(());
        }
        let mut pen = Flattener::new(self.tolerance / scale, MAX_POINTS - self.points);
        let disc = match draw(node, own.view, &mut pen) {
            Ok(disc) => disc,
            Err(message) => {
                self.omit(node, message);
                return Ok(());
            }
        };
        let mut contours = pen.finish().map_err(|message| at(node, message))?;
        let points = contours.iter_mut().flat_map(|contour| &mut contour.points);
        points.for_each(|point| *point = own.transform.transform_point2(*point));
        if !contours.iter().flat_map(|contour| &contour.points).all(|point| point.is_finite()) {
            self.omit(node, "a coordinate is no usable number".into());
            return Ok(());
        }
        self.points += contours.iter().map(|contour| contour.points.len()).sum::<usize>();
        // A circle stays one when it is turned, mirrored and stretched alike in all directions.
        let stays = x_axis.dot(y_axis).abs() <= 1e-9 * scale * scale
            && (x_axis.length() - y_axis.length()).abs() <= 1e-9 * scale;
        let disc = disc
            .filter(|_| stays)
            .map(|(center, radius)| (own.transform.transform_point2(center), radius * x_axis.length()));
        let offset = node.range().start;
        self.drawing.shapes.push(Shape {
            element: node.tag_name().name().to_owned(),
            line: self.lines.at(offset),
            offset,
            contours,
            disc,
            fill: own.fill,
            states_fill: own.states_fill,
            layer: own.layer,
            groups: own.groups,
            name: name_of(self.copies.first().map_or(node, |(_, by)| *by)),
            attributes: self.attributes(node),
        });
        Ok(())
    }

    /// The attributes of a shape, with those of its `use` if the shape is a copy.
    fn attributes(&self, node: Node) -> BTreeMap<String, String> {
        let mut all = BTreeMap::new();
        let by = self.copies.last().filter(|(original, _)| *original == node.id()).map(|(_, by)| *by);
        for (is_copy, node) in [(false, Some(node)), (true, by)] {
            let stated = node.into_iter().flat_map(|node| node.attributes());
            let stated = stated.filter(|found| !(is_copy && OF_USE.contains(&found.name())));
            let (plain, prefixed): (Vec<_>, Vec<_>) = stated.partition(|found| found.namespace().is_none());
            let stated = prefixed.into_iter().chain(plain);
            all.extend(stated.map(|found| (found.name().to_owned(), found.value().to_owned())));
        }
        all
    }
}

/// Whether a child of a `switch` may be shown, to a reader of English. The first such child is shown.
fn is_chosen(node: Node) -> bool {
    let is_english = |languages: &str| {
        languages.split(',').map(str::trim).any(|language| language == "en" || language.starts_with("en-"))
    };
    is_svg(node)
        && !UNSHOWN.contains(&node.tag_name().name())
        && node.tag_name().name() != "foreignObject"
        && !node.has_attribute("requiredExtensions")
        && node.attribute("systemLanguage").is_none_or(is_english)
}

/// Draws one element; gives centre and radius of a circle.
fn draw(node: Node, view: Option<DVec2>, pen: &mut Flattener) -> Result<Option<(DVec2, f64)>, String> {
    let length = |name: &str| length(node, name, view);
    let number = |name: &str| number(node, name, view);
    let size = |name: &str| match number(name)? {
        size if size < 0.0 => Err(format!("`{name}` is below 0")),
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

/// What is wrong with an element. There is one for a drawing: the place may take its time.
fn at(node: Node, message: String) -> Problem {
    let at = node.document().text_pos_at(node.range().start);
    let place = Place { line: at.row as usize, column: at.col as usize };
    Problem { place: Some(place), ..Problem::of_file(message) }
}

/// A length in user units: a pixel is one unit, and an inch is 96 units on every page (SVG, CSS). A length in per cent is a
/// part of the width or the height of the view or, for a radius, of its diagonal divided by √2.
fn length(node: Node, name: &str, view: Option<DVec2>) -> Result<Option<f64>, String> {
    let Some(text) = node.attribute(name).map(str::trim).filter(|text| *text != "auto") else { return Ok(None) };
    let refuse = |why: &str| format!("`{name}` is no length: `{text}`{why}");
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
                "r" => view.length() / std::f64::consts::SQRT_2,
                "x" | "x1" | "x2" | "cx" | "rx" | "width" => view.x,
                _ => view.y,
            };
            whole / 100.0
        }
    };
    if number.is_finite() { Ok(Some(number * units)) } else { Err(refuse("")) }
}

/// A length in user units; 0 without the attribute.
fn number(node: Node, name: &str, view: Option<DVec2>) -> Result<f64, String> {
    length(node, name, view).map(Option::unwrap_or_default)
}

/// Upper left corner and size of what a drawing shows.
fn view_box(node: Node) -> Result<Option<(DVec2, DVec2)>, String> {
    let Some(text) = node.attribute("viewBox") else { return Ok(None) };
    let ViewBox { x, y, w, h } = text.parse().map_err(|_| format!("`viewBox` is no rectangle: `{text}`"))?;
    Ok(Some((DVec2::new(x, y), DVec2::new(w, h))))
}

/// A side of the page in pixels. A size in per cent is that of whatever shows the drawing.
fn side_px(root: Node, name: &str) -> Option<f64> {
    length(root, name, None).ok().flatten().filter(|side| *side > 0.0)
}

fn page(root: Node) -> Result<Option<(DVec2, DVec2)>, String> {
    let size_px = side_px(root, "width").zip(side_px(root, "height"));
    Ok(view_box(root)?.or(size_px.map(|size| (DVec2::ZERO, DVec2::from(size)))))
}

/// What `width` and `height` of a drawing make of a unit of its `viewBox`, across and down.
fn page_scale(root: Node, page: Option<(DVec2, DVec2)>) -> DVec2 {
    let Some((low, size)) = page.filter(|_| root.has_attribute("viewBox")) else { return DVec2::ONE };
    // One that is missing follows from the other.
    let (width, height) = (side_px(root, "width"), side_px(root, "height"));
    let width = width.unwrap_or(height.unwrap_or(size.y) * size.x / size.y);
    let room = DVec2::new(width, height.unwrap_or(width * size.y / size.x));
    let DMat2 { x_axis, y_axis } = fitted(root, (low, size), room).matrix2;
    let scale = DVec2::new(x_axis.x, y_axis.y);
    if scale.to_array().into_iter().all(is_scale) { scale } else { DVec2::ONE }
}

/// Whether lengths can be multiplied and divided by a number.
fn is_scale(number: f64) -> bool {
    number.is_normal() && number > 0.0
}

/// Puts what a `viewBox` shows into the room for it, as `preserveAspectRatio` says.
fn fitted(node: Node, (low, size): (DVec2, DVec2), room: DVec2) -> DAffine2 {
    let mut scale = room / size;
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
        shift = (room - size * scale) * DVec2::from(part);
    }
    DAffine2::from_translation(shift) * DAffine2::from_scale(scale) * DAffine2::from_translation(-low)
}

/// The transform of an element, as its attribute says. One in a style has units, and is not read.
fn transform(node: Node) -> Result<DAffine2, String> {
    let mut all = DAffine2::IDENTITY;
    let text = node.attribute("transform").unwrap_or_default();
    if text.trim() == "none" {
        return Ok(all);
    }
    for token in TransformListParser::from(text) {
        let token = token.map_err(|error| format!("`transform` cannot be read: {error}: `{text}`"))?;
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
    match corners.len() <= swarmarium_base::limits::MAX_CORNERS && polygon::is_simple(&corners) {
        true => Ok(corners),
        false if corners.len() > swarmarium_base::limits::MAX_CORNERS => Err(format!(
            "line {}: the outline has more than {} corners",
            shape.line,
            swarmarium_base::limits::MAX_CORNERS
        )),
        false => Err(format!("line {}: the outline of `<{}>` crosses or touches itself", shape.line, shape.element)),
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

/// One of the objects that RobotSwarmSimulator's `svg_to_static_objects` makes of a drawing.
#[derive(Clone, Debug, PartialEq)]
pub struct StaticObject {
    /// Its form; coordinates as written, y down.
    pub form: crate::Form,
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
    let (mut objects, mut named) = (Vec::new(), 0);
    for element in ["polygon", "rect", "circle"] {
        for shape in shapes.iter().filter(|shape| shape.element == element) {
            let form = match shape.disc {
                Some((center, radius)) => crate::Form::Disc { center, radius },
                None => match shape.contours.first() {
                    Some(contour) => crate::Form::Polygon(usable(shape, &contour.points)?),
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
                return Err(format!("line {}: the names of groups are too long", shape.line));
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
mod tests;

//! Traverses the elements of a drawing and collects the visible shapes.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::math::{DAffine2, DMat2, DVec2};
use roxmltree::{Document, Node, NodeId};
use svgtypes::Color;
use swarmarium_base::problem::Problem;
use swarmarium_base::xml;

use super::css::{Property, Sheet, Style};
use super::element::{draw, fitted, length, length_of, number, transform, view_box};
use super::error::{ElementError, MAX_COPIED, MAX_COPIED_BYTES};
use super::path::Flattener;
use super::{Drawing, Layer, Omission, Shape};

/// Largest number of points of a drawing, with flattened curves.
const MAX_POINTS: usize = 1_000_000;

/// State that an element inherits from those around it.
#[derive(Clone)]
pub(super) struct Around {
    transform: DAffine2,
    /// Size of the page or of a nested drawing.
    view: Option<DVec2>,
    is_visible: bool,
    fill: Option<[u8; 3]>,
    states_fill: bool,
    has_fill: bool,
    stroke: Option<[u8; 3]>,
    stroke_width: f64,
    layer: Option<Arc<Layer>>,
    groups: Option<(u32, u32)>,
}

impl Around {
    /// The state at the root of a drawing with a page of this size.
    pub fn root(view: Option<DVec2>) -> Self {
        Self {
            transform: DAffine2::IDENTITY,
            view,
            is_visible: true,
            fill: Some([0; 3]),
            states_fill: false,
            has_fill: true,
            stroke: None,
            stroke_width: 1.0,
            layer: None,
            groups: None,
        }
    }

    /// The state within an element of this style.
    pub fn within(&self, style: &Style<&str>) -> Self {
        let mut own = self.clone();
        match style.get(Property::Fill) {
            None | Some(&("inherit" | "currentColor")) => {}
            Some(paint) => {
                own.fill = color(paint);
                own.states_fill = true;
                own.has_fill = !matches!(*paint, "none" | "transparent");
            }
        }
        match style.get(Property::Stroke) {
            None | Some(&("inherit" | "currentColor")) => {}
            Some(paint) => own.stroke = color(paint),
        }
        let width = style.get(Property::StrokeWidth);
        let width = width.and_then(|width| length_of(width, Property::StrokeWidth.name(), own.view).ok());
        own.stroke_width = width.filter(|width| *width >= 0.0).unwrap_or(own.stroke_width);
        match style.get(Property::Visibility) {
            Some(&"visible") => own.is_visible = true,
            Some(&("hidden" | "collapse")) => own.is_visible = false,
            _ => {}
        }
        own
    }
}

/// The red, green and blue of a colour of CSS, such as `navy`; `None` for `none` and any other text.
pub fn color(paint: &str) -> Option<[u8; 3]> {
    paint.parse().ok().map(|Color { red, green, blue, .. }| [red, green, blue])
}

/// Reads the nested elements of a drawing.
pub(super) struct Reader<'d, 'i> {
    /// Largest distance (user units) of a polyline from its curve.
    pub tolerance: f64,
    points: usize,
    groups: u32,
    lines: Lines,
    pub sheet: Sheet,
    /// The first element of each id.
    ids: BTreeMap<&'d str, Node<'d, 'i>>,
    /// The copies in progress, from the outermost to the innermost: the original and its `use`.
    copies: Vec<(NodeId, Node<'d, 'i>)>,
    /// Number of elements in copies so far.
    copied: usize,
    /// Size of these elements in bytes.
    copied_bytes: usize,
    depth: usize,
    pub drawing: Drawing,
}

/// Offsets of the ends of lines.
struct Lines(Vec<usize>);

impl Lines {
    fn from_text(text: &str) -> Self {
        Self(text.match_indices('\n').map(|(at, _)| at).collect())
    }

    /// The line of a byte offset, counted from 1.
    fn at(&self, place: usize) -> u32 {
        1 + self.0.partition_point(|end| *end < place) as u32
    }
}

/// The namespace of SVG elements. Drawings without namespaces are also read.
pub(super) const SVG: &str = "http://www.w3.org/2000/svg";
/// The namespace of Inkscape's layer labels.
pub(super) const INKSCAPE: &str = "http://www.inkscape.org/namespaces/inkscape";

/// Elements with an outline.
const SHAPES: [&str; 7] = ["rect", "circle", "ellipse", "line", "polyline", "polygon", "path"];

/// Elements whose content is not displayed in place.
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

/// Attributes of a `use` that its copy does not inherit.
const OF_USE: [&str; 10] = ["href", "id", "x", "y", "width", "height", "transform", "style", "class", "clip-path"];

/// Name of an element in messages: the label of a layer, the id of any other element, or else the element name.
fn name_of(node: Node) -> String {
    let label = node.attribute((INKSCAPE, "label")).filter(|_| node.tag_name().name() == "g");
    let name = label.or_else(|| node.attribute("id")).filter(|name| !name.is_empty());
    name.unwrap_or(node.tag_name().name()).to_owned()
}

/// Whether a node is an SVG element, and not private data of a drawing program.
fn is_svg(node: Node) -> bool {
    node.is_element() && node.tag_name().namespace().is_none_or(|space| space == SVG)
}

/// The target of the reference (`href`) of an element.
fn reference<'d>(node: Node<'d, '_>) -> Option<&'d str> {
    let mut all = node.attributes().filter(|found| found.name() == "href");
    all.next().map(|found| found.value().trim())
}

impl<'d, 'i> Reader<'d, 'i> {
    pub fn new(text: &str, document: &'d Document<'i>) -> Self {
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
        let lines = Lines::from_text(text);
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

    /// Omits a broken element.
    pub fn omit(&mut self, node: Node, error: &ElementError) {
        let omission = self.omission(node, error.to_string());
        self.drawing.broken.push(omission);
    }

    /// Omits a hidden element with its shapes.
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

    pub fn children(&mut self, parent: Node<'d, 'i>, around: &Around) -> Result<(), Problem> {
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
                return Err(ElementError::TooManyCopied.at(node));
            }
            self.copied_bytes += node.range().len();
            if self.copied_bytes > MAX_COPIED_BYTES {
                return Err(ElementError::TooManyCopiedBytes.at(node));
            }
        }
        if self.depth == xml::MAX_DEPTH {
            self.omit(node, &ElementError::CopyDepth);
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
            Err(error) => {
                self.omit(node, &error);
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

    /// A nested drawing or a symbol, which may have its own `viewBox`.
    fn view(&mut self, node: Node<'d, 'i>, mut own: Around) -> Result<(), Problem> {
        match self.within(node, own.view) {
            Ok((within, view)) => {
                (own.transform, own.view) = (own.transform * within, view);
                self.children(node, &own)
            }
            Err(error) => {
                self.omit(node, &error);
                Ok(())
            }
        }
    }

    /// The transform of the content of a nested drawing, and the size of its view. A size of the `use` replaces that of
    /// the original.
    fn within(&self, node: Node, around: Option<DVec2>) -> Result<(DAffine2, Option<DVec2>), ElementError> {
        let low = DVec2::new(number(node, "x", around)?, number(node, "y", around)?);
        let view_box = view_box(node)?;
        // Without its own size, it is as large as the surrounding view.
        let otherwise = around.or(view_box.map(|(_, size)| size)).unwrap_or_default();
        let by = self.copies.last().filter(|(original, _)| *original == node.id()).map(|(_, by)| *by);
        let side = |name, otherwise: f64| {
            let sized = by.filter(|by| by.has_attribute(name)).unwrap_or(node);
            // As large as the surrounding view, even if that has no size.
            if sized.attribute(name).is_some_and(|side| side.trim() == "100%") {
                return Ok(otherwise);
            }
            let side = length(sized, name, around)?.filter(|side| *side >= 0.0);
            Ok::<_, ElementError>(side.unwrap_or(otherwise))
        };
        let view_size = DVec2::new(side("width", otherwise.x)?, side("height", otherwise.y)?);
        let fitted = view_box.map_or(DAffine2::IDENTITY, |view_box| fitted(node, view_box, view_size));
        Ok((DAffine2::from_translation(low) * fitted, view_box.map(|(_, size)| size).or(Some(view_size))))
    }

    /// A copy of another element (`use`).
    fn copy(&mut self, node: Node<'d, 'i>, mut own: Around) -> Result<(), Problem> {
        let original = match reference(node) {
            None | Some("") => Err(ElementError::NoReference),
            Some(to) => match to.strip_prefix('#') {
                None => Err(ElementError::OtherFile),
                Some(id) => self.ids.get(id).copied().ok_or_else(|| ElementError::UnknownId(id.to_owned())),
            },
        };
        let is_within = |original: &Node| {
            node.ancestors().any(|around| around == *original) || self.copies.iter().any(|(id, _)| *id == original.id())
        };
        let placed = original.and_then(|original| {
            if is_within(&original) {
                return Err(ElementError::ContainsItself);
            }
            Ok((original, DVec2::new(number(node, "x", own.view)?, number(node, "y", own.view)?)))
        });
        let (original, shift) = match placed {
            Ok(placed) => placed,
            Err(error) => {
                self.omit(node, &error);
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
        // An element scaled to zero is not visible.
        if scale == 0.0 || !own.transform.is_finite() {
            let omission = self.omission(node, "has no usable size after its transform".into());
            self.drawing.hidden.push(omission);
            return Ok(());
        }
        let mut pen = Flattener::new(self.tolerance / scale, MAX_POINTS - self.points);
        let disc = match draw(node, own.view, &mut pen) {
            Ok(disc) => disc,
            Err(error) => {
                self.omit(node, &error);
                return Ok(());
            }
        };
        let mut contours = pen.finish().map_err(|error| error.at(node))?;
        let points = contours.iter_mut().flat_map(|contour| &mut contour.points);
        points.for_each(|point| *point = own.transform.transform_point2(*point));
        if !contours.iter().flat_map(|contour| &contour.points).all(|point| point.is_finite()) {
            self.omit(node, &ElementError::Coordinate);
            return Ok(());
        }
        self.points += contours.iter().map(|contour| contour.points.len()).sum::<usize>();
        // A circle stays one if it is rotated, mirrored and scaled uniformly.
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
            has_fill: own.has_fill,
            stroke: own.stroke,
            stroke_width: own.stroke_width * x_axis.perp_dot(y_axis).abs().sqrt(),
            layer: own.layer,
            groups: own.groups,
            name: name_of(self.copies.first().map_or(node, |(_, by)| *by)),
            attributes: self.attributes(node),
        });
        Ok(())
    }

    /// The attributes of a shape, including those of its `use` for a copy.
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

/// Whether a child of a `switch` suits a reader of English. The first such child is displayed.
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

//! SVG drawings: their visible shapes, and the outlines of their areas.
//!
//! Plain algorithms without ECS; every importer and object that uses a drawing reads it here. Only the text itself is
//! read: no other file, no network, no external DTD.
#![forbid(unsafe_code)]

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy::math::DVec2;
use roxmltree::{Node, NodeType};
use swarmarium_base::problem::Problem;
use swarmarium_base::{encoding, xml};

mod css;
mod element;
mod error;
mod outline;
mod path;
mod reader;

pub use error::DrawingError;
pub use outline::{drop_straight, only_outline, usable};
pub use reader::color;

use error::ElementError;
use reader::{Around, Reader};

/// Largest size of a drawing (bytes).
pub const MAX_BYTES: u64 = xml::MAX_BYTES;

/// The content of an SVG drawing. Coordinates are in its user units, x to the right and y down, as written.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Drawing {
    /// Upper left corner and size of the page, if the file states them.
    pub page: Option<(DVec2, DVec2)>,
    /// Ratio of the vertical to the horizontal size of a user unit, if `width` and `height` stretch a `viewBox`.
    pub stretch: f64,
    /// Number of the first group that is in no other group.
    pub first_group: Option<u32>,
    /// All visible shapes, in the order of the file.
    pub shapes: Vec<Shape>,
    /// Unsupported elements and properties, such as texts, images and masks, with their counts.
    pub ignored: BTreeMap<String, u32>,
    /// Broken elements, which are omitted, in the order of the file.
    pub broken: Vec<Omission>,
    /// Hidden shapes and groups, which are omitted, in the order of the file.
    pub hidden: Vec<Omission>,
}

/// An omitted element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Omission {
    /// The label of a layer or the id of any other element; without these, the name of the element.
    pub name: String,
    /// The line of the file, counted from 1.
    pub line: u32,
    /// Byte offset of its start.
    pub offset: usize,
    /// The reason.
    pub message: String,
}

/// A visible element.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Shape {
    /// The name of the element, such as `rect` or `path`.
    pub element: String,
    /// Its line of the file, counted from 1.
    pub line: u32,
    /// Byte offset of its start.
    pub offset: usize,
    /// Its contours, each with one point or more.
    pub contours: Vec<Contour>,
    /// Centre and radius, if it is a circle after its transform.
    pub disc: Option<(DVec2, f64)>,
    /// Its fill colour; `None` without a fill, or if the fill is not a colour.
    pub fill: Option<[u8; 3]>,
    /// Whether the drawing states a fill; the default is black.
    pub states_fill: bool,
    /// Whether its area is filled, with a colour or anything else.
    pub has_fill: bool,
    /// Its stroke colour; `None` without a stroke, or if the stroke is not a colour.
    pub stroke: Option<[u8; 3]>,
    /// The width of its stroke (user units), with its transform.
    pub stroke_width: f64,
    /// The innermost named group around it.
    pub layer: Option<Arc<Layer>>,
    /// Numbers of the innermost and the outermost group around it; groups are counted in the order of the file.
    pub groups: Option<(u32, u32)>,
    /// Its id; without one, the name of the element. A copy has the id of its `use`.
    pub name: String,
    /// Its attributes as written, by name; one without a prefix takes precedence over one of the same name with a
    /// prefix. A copy also has the attributes of its `use`, which take precedence over those of the original.
    pub attributes: BTreeMap<String, String>,
}

/// A named group; the name is its `data-name` or else its `id`.
#[derive(Debug, PartialEq)]
pub struct Layer {
    /// The name.
    pub name: String,
    /// The next named group around it. Groups are shared, because shapes may be in many groups with long names.
    pub outer: Option<Arc<Self>>,
}

/// A contour of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Contour {
    /// Its points; the first is not repeated at the end.
    pub points: Vec<DVec2>,
    /// Whether the drawing closes it.
    pub is_closed: bool,
}

impl Shape {
    /// Names of the groups around it, innermost first.
    pub fn layers(&self) -> impl Iterator<Item = &str> {
        std::iter::successors(self.layer.as_deref(), |layer| layer.outer.as_deref()).map(|layer| layer.name.as_str())
    }
}

impl Drawing {
    /// Reads an SVG text. Curves become polylines that deviate by at most `tolerance` user units.
    ///
    /// # Errors
    /// Lists all problems with their lines, including broken elements.
    pub fn read(text: &str, tolerance: f64) -> Result<Self, DrawingError> {
        let drawing = Self::read_lenient(text, |_| tolerance).map_err(DrawingError::Whole)?;
        if drawing.broken.is_empty() { Ok(drawing) } else { Err(DrawingError::Broken(drawing.broken)) }
    }

    /// As [`read`](Self::read), but broken elements are omitted, and the tolerance may depend on the
    /// [stretch](Self::stretch) of the page.
    ///
    /// # Errors
    /// Names the problem of the drawing as a whole, and its position.
    pub fn read_lenient(text: &str, tolerance: impl Fn(f64) -> f64) -> Result<Self, Problem> {
        let screened = xml::screened(text)?;
        let document = xml::parse(&screened)?;
        let root = document.root_element();
        if root.tag_name().name() != "svg" {
            return Err(ElementError::NotSvg(root.tag_name().name().to_owned()).at(root));
        }
        let mut reader = Reader::new(text, &document);
        let page = element::page(root).unwrap_or_else(|error| {
            reader.omit(root, &ElementError::Page(error.into()));
            None
        });
        let scale = element::page_scale(root, page);
        let stretch = Some(scale.y / scale.x).filter(|stretch| element::is_scale(*stretch)).unwrap_or(1.0);
        (reader.drawing.page, reader.drawing.stretch, reader.tolerance) = (page, stretch, tolerance(stretch));
        let is_sheet = |node: &Node| node.pi().is_some_and(|found| found.target == "xml-stylesheet");
        let sheets =
            document.root().children().filter(|node| node.node_type() == NodeType::PI).filter(is_sheet).count();
        if sheets > 0 {
            reader.drawing.ignored.insert("xml-stylesheet".into(), sheets as u32);
        }
        let around = Around::root(page.map(|(_, size)| size)).within(&reader.sheet.style(root));
        reader.children(root, &around)?;
        let Reader { mut drawing, sheet, .. } = reader;
        if sheet.ignored > 0 {
            drawing.ignored.insert("style rule".into(), sheet.ignored);
        }
        Ok(drawing)
    }

    /// The outlines of all areas: every contour of three points or more, closed.
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
/// When it is compressed, or not a text.
pub fn svg_text(bytes: Vec<u8>) -> Result<String, DrawingError> {
    if bytes.starts_with(&[0x1f, 0x8b]) {
        return Err(DrawingError::Compressed);
    }
    Ok(encoding::decode(bytes)?)
}

#[cfg(test)]
mod tests;

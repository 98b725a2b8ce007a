//! Shapes of models: blocks, and the dark parts of images.

use std::rc::Rc;

use bevy::math::DVec2;
use swarmarium_base::limits::{MAX_CORNERS, MAX_LENGTH_M};
use swarmarium_space::polygon;

use super::image::Image;
use super::values::{Pose, Reader};

/// The size (m) of models that have none.
const SIZE_M: f64 = 0.4;
/// The thickness (m) of the walls that `boundary` draws around a model.
const BOUNDARY_M: f64 = 0.01;

/// The shape of a model in its frame.
pub struct Shape {
    /// The size that it fills.
    pub size_m: DVec2,
    /// The pose of its centre relative to the pose of the model.
    pub origin: Pose,
    /// Outlines about the centre.
    pub outlines_m: Vec<Vec<DVec2>>,
    /// An image whose dark parts fill the size.
    pub image: Option<Rc<Image>>,
    /// Whether there is an image, read or not.
    pub has_image: bool,
    /// The outlines of the walls around it.
    pub boundary_m: Vec<Vec<DVec2>>,
}

/// The properties that the shape of a model reads.
pub const PROPERTIES: [&str; 12] = [
    "size", "origin", "pose", "bitmap", "boundary", "noblocks", "points", "point", "polygons", "polygon", "blocks",
    "block",
];

/// The shape of a model. Its image is only read if that is asked for; otherwise the model is a rectangle in place of one.
pub fn shape(reader: &mut Reader, model: usize, reads_image: bool) -> Shape {
    let size_m = reader.size_m(model).unwrap_or(DVec2::splat(SIZE_M));
    let origin = reader.pose(model, "origin").unwrap_or_default();
    let (bitmap, has_boundary) = (reader.text(model, "bitmap"), reader.flag(model, "boundary", false));
    let no_block = reader.flag(model, "noblocks", false);
    let (mut image, mut has_image) = (None, false);
    let mut outlines_m = scaled(blocks(reader, model), size_m);
    let mut is_default = outlines_m.is_empty() && !no_block;
    if let Some((token, name)) = bitmap.filter(|(_, name)| !name.is_empty()) {
        is_default = false;
        has_image = reader.sources.has_image(token);
        if has_image && !reads_image {
            let boundary_m = Vec::new();
            return Shape { size_m, origin, outlines_m, image, has_image, boundary_m };
        }
        match reader.sources.image(token, &name) {
            // A drawing has an area, and a side that scenes can have.
            Ok(read)
                if read.page_m(size_m).min_element() > 0.0 && read.page_m(size_m).max_element() <= MAX_LENGTH_M =>
            {
                image = Some(read);
            }
            Ok(_) => reader.warn_of(model, "size", "an image of this size has no obstacles"),
            Err(message) => reader.warn_of(model, "bitmap", format!("{message}: the model has no obstacles")),
        }
    }
    if is_default {
        outlines_m.push(rectangle(-size_m / 2.0, size_m / 2.0));
    }
    let boundary_m = if has_boundary { walls(size_m) } else { Vec::new() };
    Shape { size_m, origin, outlines_m, image, has_image, boundary_m }
}

/// The corners of a rectangle.
fn rectangle(low: DVec2, high: DVec2) -> Vec<DVec2> {
    vec![low, DVec2::new(high.x, low.y), high, DVec2::new(low.x, high.y)]
}

/// Four walls just within a size.
fn walls(size_m: DVec2) -> Vec<Vec<DVec2>> {
    let half = size_m / 2.0;
    if size_m.min_element() < 4.0 * BOUNDARY_M {
        return Vec::new();
    }
    let inner = half - BOUNDARY_M;
    vec![
        rectangle(-half, DVec2::new(-inner.x, half.y)),
        rectangle(DVec2::new(inner.x, -half.y), half),
        rectangle(-half, DVec2::new(half.x, -inner.y)),
        rectangle(DVec2::new(-half.x, inner.y), half),
    ]
}

/// Outlines moved and stretched so that together they fill a size about the origin, as Stage does with blocks.
fn scaled(outlines: Vec<Vec<DVec2>>, size_m: DVec2) -> Vec<Vec<DVec2>> {
    let all: Vec<DVec2> = outlines.iter().flatten().copied().collect();
    let (low, high) = polygon::bounds(&all);
    let factor = |size: f64, extent: f64| if extent > 1e-9 { size / extent } else { 0.0 };
    let (center, extent) = (low.midpoint(high), high - low);
    let factor = DVec2::new(factor(size_m.x, extent.x), factor(size_m.y, extent.y));
    let place = |corner: DVec2| (corner - center) * factor;
    outlines.into_iter().map(|outline| outline.into_iter().map(place).collect()).collect()
}

/// The outlines of the blocks of a model, in units of their own.
fn blocks(reader: &mut Reader, model: usize) -> Vec<Vec<DVec2>> {
    let children = &reader.world.models[model].children;
    let own: Vec<usize> = children.iter().copied().filter(|child| reader.kind_of(*child) == "block").collect();
    let mut outlines: Vec<Vec<DVec2>> = own.iter().filter_map(|block| outline(reader, *block, "")).collect();
    // Early versions have the blocks of a model as properties with indices.
    for (list, prefix) in [("polygons", "polygon"), ("blocks", "block")] {
        let count = reader.number(model, list).unwrap_or_default().clamp(0.0, 1000.0) as usize;
        outlines.extend((0..count).filter_map(|index| outline(reader, model, &format!("{prefix}[{index}]."))));
    }
    for block in own {
        reader.note_lost(block, &["points", "point", "z"]);
    }
    outlines
}

/// The outline of a block; `None` with a warning if it has no area.
fn outline(reader: &mut Reader, model: usize, prefix: &str) -> Option<Vec<DVec2>> {
    let name = format!("{prefix}points");
    let count = reader.number(model, &name).unwrap_or_default();
    if !(3.0..=MAX_CORNERS as f64).contains(&count) {
        reader.warn_of(model, &name, format!("expected 3 to {MAX_CORNERS} points: the block is left out"));
        return None;
    }
    let mut corners: Vec<DVec2> = Vec::new();
    for index in 0..count as usize {
        let name = format!("{prefix}point[{index}]");
        let corner = match reader.lengths_m(model, &name).as_deref() {
            Some([x, y, ..]) => DVec2::new(*x, *y),
            _ => {
                reader.warn_of(model, &name, format!("`{name}` is missing, or is not a point `[x y]`: it is left out"));
                continue;
            }
        };
        if corners.last() != Some(&corner) && corners.first() != Some(&corner) {
            corners.push(corner);
        }
    }
    if corners.len() >= 3 && polygon::is_simple(&corners) && polygon::signed_area(&corners) != 0.0 {
        return Some(corners);
    }
    let hull = polygon::convex_hull(&corners);
    if hull.len() < 3 || polygon::signed_area(&hull) == 0.0 {
        reader.warn_of(model, &name, "the block has no area, and is left out");
        return None;
    }
    reader.warn_of(model, &name, "the edges of the block cross: its convex hull is used");
    Some(hull)
}

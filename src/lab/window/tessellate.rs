//! Converts shapes to figures for the GPU, in logical pixels around the centre of the view.
//!
//! The centre of the camera is subtracted in `f64`, so worlds far from the origin stay sharp in the `f32` of the GPU.

use std::f32::consts::TAU;

use bevy::math::{DVec2, Vec2};
use lyon_tessellation::geometry_builder::{BuffersBuilder, FillVertexConstructor, StrokeVertexConstructor};
use lyon_tessellation::math::point;
use lyon_tessellation::{
    FillOptions, FillTessellator, FillVertex, LineCap, LineJoin, StrokeOptions, StrokeTessellator, StrokeVertex,
    VertexBuffers,
};
use swarmarium_picture::camera::Camera;
use swarmarium_picture::cells::Cells;
use swarmarium_picture::palette::{GroupColors, Paint, Theme};
use swarmarium_picture::{Item, Layer, Picture, Shape, Width, dashes};

/// The largest number of corners for the arc of a circle.
const FINEST: usize = 64;

/// The thinnest line, in logical pixels; thinner lines flicker.
const THINNEST_PX: f32 = 0.75;

/// The largest width, in logical pixels, at which the joints of a line are invisible.
const THIN_PX: f32 = 2.0;

/// The smallest length of a side of an opaque triangle, in logical pixels, for soft edges.
const SOFT_SIDE_PX: f32 = 12.0;

/// The length of the sides of a quadrilateral, in logical pixels, below which it has no soft edges.
const TINY_SIDE_PX: f32 = 3.0;

/// The shortest drawn piece of such a line, in logical pixels.
const SHORTEST_PX: f32 = 0.5;

/// The kind of a figure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FigureKind {
    /// A triangle through three points.
    Triangle,
    /// A straight line from the first point to the second one; its width is in the third.
    Segment,
    /// A disc around the first point; its radius is in the second one.
    Disc,
}

/// The corners of the square around the unit circle.
const SQUARE_AROUND: [Vec2; 4] = [Vec2::new(-1.0, -1.0), Vec2::new(-1.0, 1.0), Vec2::new(1.0, -1.0), Vec2::ONE];

/// The corners of an equilateral triangle around the unit circle, at twice its radius. The shader recognizes it by
/// coordinates that differ in size.
const TRIANGLE_AROUND: [Vec2; 4] = {
    const SQRT_3: f32 = 1.732_050_8;
    [Vec2::new(0.0, 2.0), Vec2::new(-SQRT_3, -1.0), Vec2::new(SQRT_3, -1.0), Vec2::new(SQRT_3, -1.0)]
};

/// A primitive that the GPU draws as two triangles, of which the second one may be empty.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    pub form: FigureKind,
    /// Points in logical pixels, x to the right and y up.
    pub points: [Vec2; 3],
    /// Red, green and blue, as bytes of sRGB.
    pub rgb: [u8; 3],
    /// The opacity from 0 to 1.
    pub opacity: f32,
}

/// A corner of a figure, in logical pixels.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Corner {
    pub at: Vec2,
    /// The offset from the centre of a disc, or across from the middle of a segment; zero for triangles.
    pub from_middle: Vec2,
}

impl Figure {
    /// Margin for the soft edge of a disc or a segment, in logical pixels.
    pub const SOFT_EDGE_PX: f32 = 1.0;

    /// The radius of a disc, in logical pixels, up to which it is painted as one triangle. A software renderer paints
    /// blocks of pixels, and those of a small square belong to both of its triangles. The triangle around a large disc has
    /// more pixels than the square.
    const SMALL_DISC_PX: f32 = 3.0;

    /// Returns the corners of two triangles: the first three and the last three.
    pub fn corners(&self) -> [Corner; 4] {
        let [a, b, c] = self.points;
        let plain = |at| Corner { at, from_middle: Vec2::ZERO };
        match self.form {
            FigureKind::Triangle => [a, b, c, c].map(plain),
            FigureKind::Segment => {
                // Across, a segment is like a disc; its ends are not soft.
                let reach = c.x / 2.0 + Self::SOFT_EDGE_PX;
                let side = (b - a).normalize_or_zero().perp() * reach;
                let corner = |at, across| Corner { at, from_middle: Vec2::new(across, 0.0) };
                [corner(a + side, reach), corner(a - side, -reach), corner(b + side, reach), corner(b - side, -reach)]
            }
            FigureKind::Disc => {
                let around = if b.x <= Self::SMALL_DISC_PX { TRIANGLE_AROUND } else { SQUARE_AROUND };
                let reach = b.x + Self::SOFT_EDGE_PX;
                around.map(|corner| corner * reach).map(|from_middle| Corner { at: a + from_middle, from_middle })
            }
        }
    }

    /// Returns colour and opacity as bytes.
    pub fn rgba(&self) -> [u8; 4] {
        let [red, green, blue] = self.rgb;
        [red, green, blue, (self.opacity * 255.0).round() as u8]
    }
}

/// The colour of figures.
#[derive(Clone, Copy)]
struct Ink {
    rgb: [u8; 3],
    opacity: f32,
}

impl Ink {
    fn of(paint: Paint, theme: Theme) -> Self {
        Self { rgb: theme.rgb_of(paint, GroupColors::OkabeIto), opacity: theme.opacity_of(paint) }
    }
}

/// Converts pictures to figures, with reused buffers.
pub struct Tessellator {
    out: Vec<Figure>,
    /// The shapes of a picture by layer, as indices.
    order: Vec<u32>,
    /// The last colour and its inputs: consecutive trails share it, and finding a legible colour takes time.
    last_ink: Option<(Paint, Theme, Ink)>,
    fill: FillTessellator,
    stroke: StrokeTessellator,
    buffers: VertexBuffers<[f32; 2], u32>,
}

impl Default for Tessellator {
    fn default() -> Self {
        Self {
            out: Vec::new(),
            order: Vec::new(),
            last_ink: None,
            fill: FillTessellator::new(),
            stroke: StrokeTessellator::new(),
            buffers: VertexBuffers::new(),
        }
    }
}

impl Tessellator {
    /// Converts a picture to figures, in order of layers. Texts are drawn elsewhere.
    pub fn picture(&mut self, picture: &Picture, camera: &Camera, theme: Theme) -> &[Figure] {
        self.out.clear();
        self.sort(picture);
        let order = std::mem::take(&mut self.order);
        let items = order.iter().filter_map(|place| picture.items.get(*place as usize));
        items.for_each(|item| self.item(item, camera, theme));
        self.order = order;
        &self.out
    }

    /// Sorts the shapes by layer with a counting sort, which passes over long lists only twice.
    fn sort(&mut self, picture: &Picture) {
        let mut next = [0; Layer::ALL.len()];
        picture.items.iter().for_each(|item| next[item.layer as usize] += 1);
        let mut sum = 0;
        for first in &mut next {
            sum += std::mem::replace(first, sum);
        }
        self.order.clear();
        self.order.resize(picture.items.len(), 0);
        for (place, item) in picture.items.iter().enumerate() {
            let next = &mut next[item.layer as usize];
            self.order[*next] = place as u32;
            *next += 1;
        }
    }

    fn item(&mut self, item: &Item, camera: &Camera, theme: Theme) {
        let to_px = |point: DVec2| ((point - camera.center_m) * camera.pixels_per_m).as_vec2();
        let length_px = |length_m: f64| (length_m * camera.pixels_per_m) as f32;
        let half_screen = camera.reach_px().as_vec2();
        let seen = |middle: Vec2, radius: f32| middle.is_finite() && (middle.abs() - radius).cmple(half_screen).all();
        let all_seen = |points: &[DVec2], width: f32| {
            let around = box_around(points.iter().copied().map(to_px));
            around.is_some_and(|[low, high]| {
                low.cmple(half_screen + width).all() && high.cmpge(-half_screen - width).all()
            })
        };
        let ink = self.ink(item.paint, theme);
        // The edges of bodies; a soft edge of a translucent shape would be painted twice, and cells of floors have neighbours.
        let is_soft = ink.opacity >= 1.0 && matches!(item.layer, Layer::Objects | Layer::Agents);
        match &item.shape {
            Shape::Disc { center, radius_m } => {
                let (center, radius) = (to_px(*center), length_px(*radius_m));
                if seen(center, radius) {
                    self.add(FigureKind::Disc, [center, Vec2::new(radius, 0.0), Vec2::ZERO], ink);
                }
            }
            Shape::Triangle(corners) => {
                if all_seen(corners, 0.0) {
                    let corners = corners.map(to_px);
                    self.add(FigureKind::Triangle, corners, ink);
                    if is_soft && corners[0].distance(corners[1]) >= SOFT_SIDE_PX {
                        self.soft_edges(corners.into_iter(), ink);
                    }
                }
            }
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                let (center, radius) = (to_px(*center), length_px(*radius_m));
                if seen(center, radius) {
                    self.sector(center, radius, *from_rad as f32, *to_rad as f32, ink);
                }
            }
            Shape::Segment { ends, pen } if pen.dashed => self.dashes((ends, false), pen.width, camera, ink),
            Shape::Line { points, closed, pen } if pen.dashed => {
                self.dashes((points, *closed), pen.width, camera, ink);
            }
            Shape::Segment { ends, pen } => {
                let width = width_px(pen.width, camera);
                if all_seen(ends, width) {
                    self.segment(ends.map(to_px), width, ink);
                }
            }
            Shape::Polygon(points) if all_seen(points, 0.0) => {
                let corners = points.iter().copied().map(to_px);
                // Maps have many small rectangles.
                let quad = convex_quad(points, to_px);
                match quad {
                    Some([a, b, c, d]) => {
                        self.add(FigureKind::Triangle, [a, b, c], ink);
                        self.add(FigureKind::Triangle, [a, c, d], ink);
                    }
                    None => self.polygon(corners.clone(), ink),
                }
                let is_tiny = quad.is_some_and(|[a, b, c, _]| a.distance(b).max(b.distance(c)) < TINY_SIDE_PX);
                if is_soft && points.len() > 2 && !is_tiny {
                    self.soft_edges(corners, ink);
                }
            }
            Shape::Line { points, closed, pen } => {
                let width = width_px(pen.width, camera);
                if all_seen(points, width) {
                    match width <= THIN_PX {
                        true => self.thin_line(around(points, *closed).map(to_px), width, ink),
                        false => self.line(points.iter().copied().map(to_px), *closed, width, ink),
                    }
                }
            }
            Shape::Cells(cells) => self.cells(cells, item.paint.opacity, camera, theme),
            Shape::Polygon(_) | Shape::Text { .. } => {}
        }
    }

    fn ink(&mut self, paint: Paint, theme: Theme) -> Ink {
        if !paint.legible {
            return Ink::of(paint, theme);
        }
        let known = self.last_ink.filter(|(known, in_theme, _)| (known.role, *in_theme) == (paint.role, theme));
        let ink = known.map_or_else(|| Ink::of(paint, theme), |(.., ink)| ink);
        self.last_ink = Some((paint, theme, ink));
        Ink { opacity: theme.opacity_of(paint), ..ink }
    }

    fn add(&mut self, form: FigureKind, points: [Vec2; 3], Ink { rgb, opacity }: Ink) {
        self.out.push(Figure { form, points, rgb, opacity });
    }

    /// Draws a sector as a fan of triangles. Where sensors overlap, pixels are painted often, and the shader of a disc
    /// costs more per pixel than triangles.
    fn sector(&mut self, center: Vec2, radius: f32, from: f32, to: f32, ink: Ink) {
        let angle = to - from;
        if !angle.is_finite() {
            return;
        }
        let pieces = (angle.abs() / TAU * segments(radius) as f32).ceil().clamp(1.0, FINEST as f32);
        // Repeated rotation costs less than a sine per corner.
        let turn = Vec2::from_angle(angle / pieces);
        let mut arm = Vec2::from_angle(from) * radius;
        let arms = std::iter::from_fn(|| {
            let now = arm;
            arm = turn.rotate(arm);
            Some(center + now)
        });
        let rim: Vec<Vec2> = arms.take(pieces as usize + 1).collect();
        // Beyond a half circle, the shape is not convex, but both halves are.
        let (first, last) = (0, rim.len() - 1);
        let half = last / 2;
        if half > first {
            self.add(FigureKind::Triangle, [center, rim[first], rim[half]], ink);
            self.convex(&rim, [first, half], ink);
        }
        self.add(FigureKind::Triangle, [center, rim[half], rim[last]], ink);
        self.convex(&rim, [half, last], ink);
    }

    /// Fills the area between an arc and its chord with triangles that are as compact as possible: a GPU paints small
    /// blocks of pixels, and thin triangles touch many blocks that they hardly cover.
    fn convex(&mut self, rim: &[Vec2], [first, last]: [usize; 2], ink: Ink) {
        if last - first >= 2 {
            let middle = first.midpoint(last);
            self.add(FigureKind::Triangle, [first, middle, last].map(|corner| rim[corner]), ink);
            self.convex(rim, [first, middle], ink);
            self.convex(rim, [middle, last], ink);
        }
    }

    fn segment(&mut self, [from, to]: [Vec2; 2], width: f32, ink: Ink) {
        self.add(FigureKind::Segment, [from, to, Vec2::new(width, 0.0)], ink);
    }

    /// Draws a line with one figure per piece: trails of many robots have millions of pieces.
    fn thin_line(&mut self, mut points: impl Iterator<Item = Vec2>, width: f32, ink: Ink) {
        let Some(mut from) = points.next() else { return };
        let mut points = points.peekable();
        while let Some(to) = points.next() {
            // The last point is the position of the robot.
            let is_short = from.distance(to) < SHORTEST_PX && points.peek().is_some();
            if !is_short {
                self.segment([from, to], width, ink);
                from = to;
            }
        }
    }

    /// Draws the soft outer half of the edges of a shape, as lines without width.
    fn soft_edges(&mut self, points: impl Iterator<Item = Vec2> + Clone, ink: Ink) {
        let next = points.clone().cycle().skip(1);
        points.zip(next).for_each(|(from, to)| self.segment([from, to], 0.0, ink));
    }

    fn polygon(&mut self, points: impl Iterator<Item = Vec2> + Clone, ink: Ink) {
        if !points.clone().all(|point| point.is_finite()) || points.clone().count() < 3 {
            return;
        }
        self.buffers.clear();
        let mut output = BuffersBuilder::new(&mut self.buffers, Position);
        let options = FillOptions::default();
        let mut path = self.fill.builder(&options, &mut output);
        path.add_polygon_of(points, true);
        if path.build().is_ok() {
            self.take_buffers(ink);
        }
    }

    fn line(&mut self, points: impl Iterator<Item = Vec2> + Clone, closed: bool, width: f32, ink: Ink) {
        if !points.clone().all(|point| point.is_finite()) || points.clone().count() < 2 {
            return;
        }
        self.buffers.clear();
        let mut output = BuffersBuilder::new(&mut self.buffers, Position);
        let options = StrokeOptions::default()
            .with_line_width(width)
            .with_line_join(LineJoin::Round)
            .with_line_cap(LineCap::Butt);
        let mut path = self.stroke.builder(&options, &mut output);
        path.add_polygon_of(points, closed);
        if path.build().is_ok() {
            self.take_buffers(ink);
        }
    }

    /// Draws cells. Neighbours share the same corners, so that no gap shows between them.
    fn cells(&mut self, cells: &Cells, opacity: f32, camera: &Camera, theme: Theme) {
        let reach = camera.reach_px();
        for (level, corners) in cells.runs() {
            let corners = corners.map(|corner| (corner - camera.center_m) * camera.pixels_per_m);
            let [low, _, high, _] = corners;
            // NaN is not visible, either.
            if low.cmple(reach).all() && high.cmpge(-reach).all() {
                let ink = Ink::of(Cells::role(level).faint(opacity), theme);
                let [a, b, c, d] = corners.map(|at| at.as_vec2());
                self.add(FigureKind::Triangle, [a, b, c], ink);
                self.add(FigureKind::Triangle, [a, c, d], ink);
            }
        }
    }

    fn dashes(&mut self, (points, closed): (&[DVec2], bool), width: Width, camera: &Camera, ink: Ink) {
        let width = width_px(width, camera);
        let points = points.iter().map(|point| (point - camera.center_m) * camera.pixels_per_m);
        let seen = [-camera.reach_px(), camera.reach_px()];
        dashes::cut(points, closed, 1.0, seen, |dash| match dash {
            [from, to] => self.segment([from.as_vec2(), to.as_vec2()], width, ink),
            bent => self.line(bent.iter().map(|at| at.as_vec2()), false, width, ink),
        });
    }

    fn take_buffers(&mut self, Ink { rgb, opacity }: Ink) {
        let corner = |index: u32| Vec2::from(self.buffers.vertices[index as usize]);
        let triangles = self.buffers.indices.as_chunks::<3>().0.iter();
        let figures =
            triangles.map(|corners| Figure { form: FigureKind::Triangle, points: corners.map(corner), rgb, opacity });
        self.out.extend(figures);
    }
}

/// Returns the corners of a convex polygon with four of them, which two triangles fill.
fn convex_quad(points: &[DVec2], to_px: impl Fn(DVec2) -> Vec2) -> Option<[Vec2; 4]> {
    let corners @ [a, b, c, d] = <[DVec2; 4]>::try_from(points).ok()?.map(to_px);
    let turns = [(a, b, c), (b, c, d), (c, d, a), (d, a, b)].map(|(a, b, c)| (b - a).perp_dot(c - b));
    (turns.iter().all(|turn| *turn > 0.0) || turns.iter().all(|turn| *turn < 0.0)).then_some(corners)
}

/// Returns the points of a line; those of a closed one end with the first point.
fn around(points: &[DVec2], closed: bool) -> impl Iterator<Item = DVec2> + Clone {
    points.iter().chain(points.first().filter(|_| closed)).copied()
}

/// Returns the corners of the bounding box of points; `None` if there are none, or if one is NaN.
fn box_around(mut points: impl Iterator<Item = Vec2>) -> Option<[Vec2; 2]> {
    let first = points.next()?;
    let [low, high] = points
        .try_fold([first; 2], |[low, high], point| point.is_finite().then(|| [low.min(point), high.max(point)]))?;
    first.is_finite().then_some([low, high])
}

/// Returns the number of corners for an arc of a circle, by its radius on the screen.
fn segments(radius_px: f32) -> usize {
    match radius_px {
        ..4.0 => 8,
        ..12.0 => 16,
        ..40.0 => 32,
        _ => FINEST,
    }
}

fn width_px(width: Width, camera: &Camera) -> f32 {
    let width = match width {
        Width::Meters(meters) => meters * camera.pixels_per_m,
        Width::Pixels(pixels) => pixels,
    };
    (width as f32).max(THINNEST_PX)
}

/// Adds points to lyon's builders.
trait AddPoints {
    fn add_polygon_of(&mut self, points: impl Iterator<Item = Vec2>, closed: bool);
}

impl<B: lyon_tessellation::path::builder::PathBuilder> AddPoints for lyon_tessellation::path::builder::NoAttributes<B> {
    fn add_polygon_of(&mut self, points: impl Iterator<Item = Vec2>, closed: bool) {
        let mut points = points.map(|at| point(at.x, at.y));
        if let Some(first) = points.next() {
            self.begin(first);
            points.for_each(|at| {
                self.line_to(at);
            });
            self.end(closed);
        }
    }
}

/// Keeps only the position of lyon's corners.
struct Position;

impl FillVertexConstructor<[f32; 2]> for Position {
    fn new_vertex(&mut self, vertex: FillVertex) -> [f32; 2] {
        vertex.position().to_array()
    }
}

impl StrokeVertexConstructor<[f32; 2]> for Position {
    fn new_vertex(&mut self, vertex: StrokeVertex) -> [f32; 2] {
        vertex.position().to_array()
    }
}

#[cfg(test)]
mod tests;

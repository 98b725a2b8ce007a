//! Turns shapes into triangles, in logical pixels around the middle of the view.
//!
//! The middle of the camera is subtracted in `f64`, so worlds far from the origin stay sharp in the `f32` of the GPU.

use std::f32::consts::TAU;

use bevy::math::{DVec2, Vec2};
use lyon_tessellation::geometry_builder::{BuffersBuilder, FillVertexConstructor, StrokeVertexConstructor};
use lyon_tessellation::math::point;
use lyon_tessellation::{
    FillOptions, FillTessellator, FillVertex, LineCap, LineJoin, StrokeOptions, StrokeTessellator, StrokeVertex,
    VertexBuffers,
};

use crate::draw::{Camera, Cells, Item, Layer, Paint, Picture, Shape, Theme, Width, dashes};

/// Points on a circle that is larger than any other; smaller ones take every second, fourth or eighth.
const FINEST: usize = 64;
/// The thinnest line, in logical pixels: what is thinner flickers.
const THINNEST_PX: f32 = 0.75;

/// Triangles with a colour at each corner.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Triangles {
    /// Corners, x to the right and y up.
    pub positions: Vec<[f32; 3]>,
    /// Linear red, green, blue, and opacity of each corner.
    pub colors: Vec<[f32; 4]>,
    /// Three corners for each triangle, in painter's order.
    pub indices: Vec<u32>,
}

impl Triangles {
    fn corner(&mut self, at: Vec2, color: [f32; 4]) -> u32 {
        self.positions.push([at.x, at.y, 0.0]);
        self.colors.push(color);
        (self.positions.len() - 1) as u32
    }

    /// Fills what lies between an arc of corners and its chord, with triangles as fat as can be: a GPU paints small
    /// blocks of pixels, and slivers touch many that they hardly cover.
    fn convex(&mut self, first: u32, last: u32) {
        if last - first >= 2 {
            let middle = first.midpoint(last);
            self.indices.extend([first, middle, last]);
            self.convex(first, middle);
            self.convex(middle, last);
        }
    }

    fn clear(&mut self) {
        self.positions.clear();
        self.colors.clear();
        self.indices.clear();
    }
}

/// Turns pictures into triangles; keeps its buffers from one picture to the next.
pub struct Tessellator {
    circle: [Vec2; FINEST],
    out: Triangles,
    fill: FillTessellator,
    stroke: StrokeTessellator,
    buffers: VertexBuffers<[f32; 2], u32>,
}

impl Default for Tessellator {
    fn default() -> Self {
        Self {
            circle: std::array::from_fn(|index| Vec2::from_angle(index as f32 / FINEST as f32 * TAU)),
            out: Triangles::default(),
            fill: FillTessellator::new(),
            stroke: StrokeTessellator::new(),
            buffers: VertexBuffers::new(),
        }
    }
}

impl Tessellator {
    /// Turns a picture into triangles, all layers in order. Texts are left out: they are not made of triangles here.
    pub fn picture(&mut self, picture: &Picture, camera: &Camera, theme: Theme) -> &Triangles {
        self.out.clear();
        for layer in Layer::ALL {
            let items = picture.items.iter().filter(|item| item.layer == layer);
            items.for_each(|item| self.item(item, camera, theme));
        }
        &self.out
    }

    fn item(&mut self, item: &Item, camera: &Camera, theme: Theme) {
        let to_px = |point: DVec2| ((point - camera.center_m) * camera.pixels_per_m).as_vec2();
        let length_px = |length_m: f64| (length_m * camera.pixels_per_m) as f32;
        let half_screen = camera.reach_px().as_vec2();
        let seen = |middle: Vec2, radius: f32| middle.is_finite() && (middle.abs() - radius).cmple(half_screen).all();
        let color = linear(item.paint, theme);
        match &item.shape {
            Shape::Disc { center, radius_m } => {
                let (center, radius) = (to_px(*center), length_px(*radius_m));
                if seen(center, radius) {
                    self.disc(center, radius, color);
                }
            }
            Shape::Triangle(corners) => {
                let corners = corners.map(to_px);
                if corners.iter().all(|corner| corner.is_finite()) {
                    self.triangle(corners, color);
                }
            }
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                let (center, radius) = (to_px(*center), length_px(*radius_m));
                if seen(center, radius) {
                    self.sector(center, radius, *from_rad as f32, *to_rad as f32, color);
                }
            }
            Shape::Segment { ends, pen } if pen.dashed => self.dashes((ends, false), pen.width, camera, color),
            Shape::Line { points, closed, pen } if pen.dashed => {
                self.dashes((points, *closed), pen.width, camera, color);
            }
            Shape::Segment { ends, pen } => {
                let ends = ends.map(to_px);
                if ends.iter().all(|end| end.is_finite()) {
                    self.segment(ends, width_px(pen.width, camera), color);
                }
            }
            Shape::Polygon(points) => self.polygon(points.iter().copied().map(to_px), color),
            Shape::Line { points, closed, pen } => {
                self.line(points.iter().copied().map(to_px), *closed, width_px(pen.width, camera), color);
            }
            Shape::Cells(cells) => self.cells(cells, item.paint.opacity, camera, theme),
            Shape::Text { .. } => {}
        }
    }

    fn disc(&mut self, center: Vec2, radius: f32, color: [f32; 4]) {
        let stride = FINEST / segments(radius);
        let first = self.out.positions.len() as u32;
        for index in (0..FINEST).step_by(stride) {
            self.out.corner(center + self.circle[index] * radius, color);
        }
        let last = self.out.positions.len() as u32 - 1;
        self.out.convex(first, last);
    }

    fn sector(&mut self, center: Vec2, radius: f32, from: f32, to: f32, color: [f32; 4]) {
        let angle = to - from;
        if !angle.is_finite() {
            return;
        }
        let pieces = (angle.abs() / TAU * segments(radius) as f32).ceil().clamp(1.0, FINEST as f32);
        // One rotation, repeated, costs less than a sine for each corner.
        let turn = Vec2::from_angle(angle / pieces);
        let mut arm = Vec2::from_angle(from) * radius;
        let first = self.out.corner(center + arm, color);
        for _ in 0..pieces as usize {
            arm = turn.rotate(arm);
            self.out.corner(center + arm, color);
        }
        let last = first + pieces as u32;
        let middle = self.out.corner(center, color);
        // Not convex beyond a half circle: both halves are.
        let half = first + pieces as u32 / 2;
        if half > first {
            self.out.indices.extend([middle, first, half]);
            self.out.convex(first, half);
        }
        self.out.indices.extend([middle, half, last]);
        self.out.convex(half, last);
    }

    fn triangle(&mut self, corners: [Vec2; 3], color: [f32; 4]) {
        let corners = corners.map(|corner| self.out.corner(corner, color));
        self.out.indices.extend(corners);
    }

    fn segment(&mut self, [from, to]: [Vec2; 2], width: f32, color: [f32; 4]) {
        let side = (to - from).normalize_or_zero().perp() * (width / 2.0);
        let [a, b, c, d] = [from + side, from - side, to - side, to + side].map(|at| self.out.corner(at, color));
        self.out.indices.extend([a, b, c, a, c, d]);
    }

    fn polygon(&mut self, points: impl Iterator<Item = Vec2> + Clone, color: [f32; 4]) {
        if !points.clone().all(|point| point.is_finite()) || points.clone().count() < 3 {
            return;
        }
        self.buffers.clear();
        let mut output = BuffersBuilder::new(&mut self.buffers, Corner);
        let options = FillOptions::default();
        let mut path = self.fill.builder(&options, &mut output);
        path.add_polygon_of(points, true);
        if path.build().is_ok() {
            self.take_buffers(color);
        }
    }

    fn line(&mut self, points: impl Iterator<Item = Vec2> + Clone, closed: bool, width: f32, color: [f32; 4]) {
        if !points.clone().all(|point| point.is_finite()) || points.clone().count() < 2 {
            return;
        }
        self.buffers.clear();
        let mut output = BuffersBuilder::new(&mut self.buffers, Corner);
        let options = StrokeOptions::default()
            .with_line_width(width)
            .with_line_join(LineJoin::Round)
            .with_line_cap(LineCap::Butt);
        let mut path = self.stroke.builder(&options, &mut output);
        path.add_polygon_of(points, closed);
        if path.build().is_ok() {
            self.take_buffers(color);
        }
    }

    /// Neighbours share the very same corners, so that nothing shows between them.
    fn cells(&mut self, cells: &Cells, opacity: f32, camera: &Camera, theme: Theme) {
        let reach = camera.reach_px();
        for (level, corners) in cells.runs() {
            let corners = corners.map(|corner| (corner - camera.center_m) * camera.pixels_per_m);
            let [low, _, high, _] = corners;
            // Not a number is not seen, either.
            if low.cmple(reach).all() && high.cmpge(-reach).all() {
                let color = linear(Cells::role(level).faint(opacity), theme);
                let [a, b, c, d] = corners.map(|at| self.out.corner(at.as_vec2(), color));
                self.out.indices.extend([a, b, c, a, c, d]);
            }
        }
    }

    fn dashes(&mut self, (points, closed): (&[DVec2], bool), width: Width, camera: &Camera, color: [f32; 4]) {
        let width = width_px(width, camera);
        let points = points.iter().map(|point| (point - camera.center_m) * camera.pixels_per_m);
        let seen = [-camera.reach_px(), camera.reach_px()];
        dashes::cut(points, closed, 1.0, seen, |dash| match dash {
            [from, to] => self.segment([from.as_vec2(), to.as_vec2()], width, color),
            bent => self.line(bent.iter().map(|at| at.as_vec2()), false, width, color),
        });
    }

    fn take_buffers(&mut self, color: [f32; 4]) {
        let first = self.out.positions.len() as u32;
        self.out.positions.extend(self.buffers.vertices.iter().map(|[x, y]| [*x, *y, 0.0]));
        self.out.colors.extend(std::iter::repeat_n(color, self.buffers.vertices.len()));
        self.out.indices.extend(self.buffers.indices.iter().map(|index| first + index));
    }
}

/// How many corners stand for a circle: more where it is seen larger.
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

/// The colour of a paint as the GPU blends it.
pub fn linear(paint: Paint, theme: Theme) -> [f32; 4] {
    let [red, green, blue] = theme.rgb(paint.role).map(linear_channel);
    [red, green, blue, paint.opacity.clamp(0.0, 1.0)]
}

/// From a byte of sRGB to linear light (IEC 61966-2-1).
fn linear_channel(byte: u8) -> f32 {
    let value = f32::from(byte) / 255.0;
    if value <= 0.040_45 { value / 12.92 } else { ((value + 0.055) / 1.055).powf(2.4) }
}

/// Points in, for lyon's builders.
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

/// Keeps the position of lyon's corners and nothing else.
struct Corner;

impl FillVertexConstructor<[f32; 2]> for Corner {
    fn new_vertex(&mut self, vertex: FillVertex) -> [f32; 2] {
        vertex.position().to_array()
    }
}

impl StrokeVertexConstructor<[f32; 2]> for Corner {
    fn new_vertex(&mut self, vertex: StrokeVertex) -> [f32; 2] {
        vertex.position().to_array()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::draw::Role;
    use crate::scene::description::YAxis;

    fn camera() -> Camera {
        let (center_m, screen_px) = (DVec2::ZERO, DVec2::new(1000.0, 800.0));
        Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
    }

    fn triangles_at(camera: &Camera, shapes: Vec<Shape>) -> Triangles {
        let mut picture = Picture::default();
        shapes.into_iter().for_each(|shape| picture.add(Layer::Agents, Role::Wall, shape));
        Tessellator::default().picture(&picture, camera, Theme::Dark).clone()
    }

    fn triangles(shape: Shape) -> Triangles {
        triangles_at(&camera(), vec![shape])
    }

    fn area(triangles: &Triangles) -> f32 {
        let at = |index: u32| {
            let [x, y, _] = triangles.positions[index as usize];
            Vec2::new(x, y)
        };
        let one = |corner: &[u32]| {
            let [a, b, c] = [at(corner[0]), at(corner[1]), at(corner[2])];
            (b - a).perp_dot(c - a).abs() / 2.0
        };
        triangles.indices.chunks_exact(3).map(one).sum()
    }

    fn close(actual: f32, expected: f32) -> bool {
        (actual - expected).abs() <= expected * 0.01
    }

    #[test]
    fn a_disc_has_nearly_the_area_of_a_disc() {
        let disc = triangles(Shape::Disc { center: DVec2::ONE, radius_m: 5.0 });
        assert!(close(area(&disc), std::f32::consts::PI * 50.0 * 50.0));
    }

    #[test]
    fn small_discs_have_few_corners_and_large_ones_many() {
        let corners = |radius_m| triangles(Shape::Disc { center: DVec2::ZERO, radius_m }).positions.len();
        assert_eq!([corners(0.1), corners(1.0), corners(2.0), corners(20.0)], [8, 16, 32, 64]);
    }

    #[test]
    fn a_sector_has_its_part_of_the_disc() {
        let sector =
            |from_rad, to_rad| area(&triangles(Shape::Sector { center: DVec2::ZERO, radius_m: 5.0, from_rad, to_rad }));
        let disc = std::f32::consts::PI * 50.0 * 50.0;
        assert!(close(sector(3.0, 3.0 + std::f64::consts::FRAC_PI_2), disc / 4.0));
        assert!(close(sector(-1.0, -1.0 + std::f64::consts::TAU), disc));
    }

    #[test]
    fn concave_polygons_keep_their_notch() {
        let arrow = [(0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (1.0, 1.0)].map(DVec2::from).to_vec();
        assert!(close(area(&triangles(Shape::Polygon(arrow))), 100.0));
    }

    #[test]
    fn lines_have_their_width_in_pixels_or_metres() {
        let ends = [DVec2::ZERO, DVec2::new(3.0, 4.0)];
        let segment = |width: Width| area(&triangles(Shape::Segment { ends, pen: width.into() }));
        assert!(close(segment(Width::Pixels(2.0)), 100.0));
        assert!(close(segment(Width::Meters(0.5)), 250.0));
        assert!(close(segment(Width::Meters(1e-9)), 50.0 * THINNEST_PX));
        let line = Shape::Line { points: ends.to_vec(), closed: false, pen: Width::Pixels(2.0).into() };
        assert!(close(area(&triangles(line)), 100.0));
    }

    #[test]
    fn closed_lines_are_closed() {
        let square = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(DVec2::from).to_vec();
        let line = |closed| {
            let line = Shape::Line { points: square.clone(), closed, pen: Width::Pixels(1.0).into() };
            area(&triangles(line))
        };
        assert!(line(true) - line(false) > 90.0);
    }

    #[test]
    fn dashes_have_the_same_length_on_the_screen_at_any_zoom() {
        let dashed = |pixels_per_m: f64, length_px: f64| {
            let ends = [DVec2::ZERO, DVec2::new(length_px / pixels_per_m, 0.0)];
            let shape = Shape::Segment { ends, pen: Width::Pixels(2.0).dashed() };
            let found = triangles_at(&Camera { pixels_per_m, ..camera() }, vec![shape]);
            (found.positions.len() / 4, area(&found))
        };
        for pixels_per_m in [0.5, 10.0, 1e4] {
            let (count, area) = dashed(pixels_per_m, 100.0);
            assert!(count == 10 && close(area, 10.0 * 6.0 * 2.0), "{pixels_per_m}: {count} dashes, {area}");
        }
        let (count, _) = dashed(1e5, 1e9);
        assert!(count < 60, "{count} dashes, of which half a screen is seen");
        let square = [(-5.0, -5.0), (5.0, -5.0), (5.0, 5.0), (-5.0, 5.0)].map(DVec2::from).to_vec();
        let line = Shape::Line { points: square, closed: true, pen: Width::Pixels(1.0).dashed() };
        assert!(close(area(&triangles(line)), 400.0 * 0.6));
    }

    #[test]
    fn far_from_the_origin_shapes_stay_sharp() {
        let far = DVec2::splat(1e9);
        let camera = Camera { center_m: far, pixels_per_m: 1000.0, ..camera() };
        let disc = triangles_at(&camera, vec![Shape::Disc { center: far, radius_m: 0.1 }]);
        assert!(close(area(&disc), std::f32::consts::PI * 100.0 * 100.0));
    }

    #[test]
    fn what_is_not_a_number_or_off_the_screen_is_left_out() {
        let nan = DVec2::new(f64::NAN, 0.0);
        let away = DVec2::splat(1e4);
        let line = Shape::Line { points: vec![nan, DVec2::ONE], closed: true, pen: Width::Pixels(1.0).into() };
        let none = triangles_at(
            &camera(),
            vec![
                Shape::Disc { center: nan, radius_m: 1.0 },
                Shape::Disc { center: away, radius_m: 1.0 },
                Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: f64::NAN, to_rad: 1.0 },
                Shape::Triangle([nan, DVec2::ZERO, DVec2::ONE]),
                Shape::Segment { ends: [nan, DVec2::ONE], pen: Width::Pixels(1.0).into() },
                Shape::Polygon(vec![nan, DVec2::ZERO, DVec2::ONE]),
                Shape::Polygon(vec![DVec2::ZERO, DVec2::ONE]),
                line,
            ],
        );
        assert_eq!(none, Triangles::default());
    }

    #[test]
    fn everything_is_finite_and_indices_have_corners() {
        let ends = [DVec2::ONE, DVec2::ONE];
        let line = Shape::Line { points: ends.to_vec(), closed: true, pen: Width::Pixels(1.0).into() };
        let all = triangles_at(
            &camera(),
            vec![
                Shape::Disc { center: DVec2::ZERO, radius_m: 0.0 },
                Shape::Segment { ends, pen: Width::Pixels(1.0).into() },
                Shape::Polygon(vec![DVec2::ONE; 4]),
                line,
            ],
        );
        assert!(all.positions.iter().flatten().all(|number| number.is_finite()));
        assert!(all.indices.iter().all(|index| (*index as usize) < all.positions.len()));
        assert_eq!(all.positions.len(), all.colors.len());
    }

    #[test]
    fn cells_are_rectangles_in_the_colours_of_the_field() {
        let cells = |corner, levels| Shape::Cells(Cells { corner, cell_m: 2.0, columns: 2, levels });
        let found = triangles(cells(DVec2::ZERO, vec![9, 9, 0, 255]));
        assert!(close(area(&found), 3.0 * 20.0 * 20.0));
        assert_eq!((found.positions.len(), found.indices.len()), (8, 12));
        assert_eq!(found.colors[7], linear(Cells::role(255).into(), Theme::Dark));
        for away in [DVec2::splat(1e4), DVec2::NAN] {
            assert_eq!(triangles(cells(away, vec![9; 4])), Triangles::default());
        }
    }

    #[test]
    fn layers_lie_in_order_whatever_the_order_of_the_list() {
        let mut picture = Picture::default();
        picture.disc(Layer::Agents, Role::Accent, DVec2::ZERO, 1.0);
        picture.disc(Layer::Field, Role::Arena.faint(0.5), DVec2::ZERO, 1.0);
        let mut tessellator = Tessellator::default();
        let triangles = tessellator.picture(&picture, &camera(), Theme::Dark);
        assert_eq!(triangles.colors[0], linear(Role::Arena.faint(0.5), Theme::Dark));
        assert_eq!(triangles.colors.last(), Some(&linear(Role::Accent.into(), Theme::Dark)));
    }

    #[test]
    fn colours_are_linear() {
        let [red, ..] = linear(Role::Ground.into(), Theme::Light);
        assert!((red - 1.0).abs() < 1e-6);
        assert!((linear_channel(128) - 0.2159).abs() < 1e-3);
        assert!((linear_channel(5) - 0.001_518).abs() < 1e-5);
    }
}

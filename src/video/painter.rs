//! The painter: a picture in, pixels out.
//!
//! `vello_cpu` paints on one thread and always with the same instructions ([`Level::baseline`]): newer instructions round
//! differently, and are no faster here. Painting 200 robots with trails of 40 points takes half the time of `tiny-skia`.

use std::collections::{BTreeMap, HashMap};
use std::f64::consts::{FRAC_PI_2, TAU};

use bevy::math::DVec2;
use swarmarium_base::math;
use swarmarium_picture::blend::translucent;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::cells::Cells;
use swarmarium_picture::palette::{GroupColors, Paint, Role, Theme};
use swarmarium_picture::{FARTHEST_PX, Item, Layer, Pen, Picture, Shape, THINNEST_PX, Width, dashes, is_near};
use vello_cpu::kurbo::{Affine, BezPath, Cap, Join, Point, Stroke};
use vello_cpu::peniko::color::{AlphaColor, Srgb};
use vello_cpu::{Level, Pixmap, RasterizerSettings, RenderContext, RenderSettings, Resources, TargetInit};

use super::text::Typesetter;

/// The style of frames.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Style {
    /// Dark or light.
    pub theme: Theme,
    /// The colours of groups.
    pub groups: GroupColors,
    /// Whether pixels that no shape covers are transparent; otherwise they have the colour of the ground.
    pub transparent: bool,
    /// Pixels of the frame per logical pixel of the camera.
    pub scale: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self { theme: Theme::default(), groups: GroupColors::default(), transparent: false, scale: 1.0 }
    }
}

impl Style {
    /// The colour of a role: red, green and blue, sRGB.
    pub fn rgb(&self, role: Role) -> [u8; 3] {
        self.theme.color(self.groups, role)
    }
}

/// The usual scale of a frame, in pixels per logical pixel: 1 up to 1280x720, so that texts and thin lines grow with larger
/// frames.
pub fn usual_scale(width: u32, height: u32) -> f64 {
    (f64::from(width) / 1280.0).min(f64::from(height) / 720.0).max(1.0)
}

/// A painted picture.
#[derive(Clone, Copy, Debug)]
pub struct Frame<'a> {
    /// Its width in pixels.
    pub width: u32,
    /// Its height in pixels.
    pub height: u32,
    /// Red, green, blue and opacity of each pixel, row by row from the top; colours are not multiplied by opacity.
    pub rgba: &'a [u8],
}

/// The painter of pictures. It keeps buffers and caches between pictures, and nothing else.
pub struct Painter {
    style: Style,
    context: RenderContext,
    resources: Resources,
    pixels: Pixmap,
    typesetter: Typesetter,
    colors: HashMap<(Role, u32, bool), AlphaColor<Srgb>>,
}

impl Painter {
    /// A painter of frames of this size.
    pub fn new(width: u16, height: u16, style: Style) -> Self {
        let settings = RenderSettings { level: Level::baseline(), num_threads: 0 };
        Self {
            style,
            context: RenderContext::new_with(width, height, settings),
            resources: Resources::new(),
            pixels: Pixmap::new(width, height),
            typesetter: Typesetter::default(),
            colors: HashMap::new(),
        }
    }

    /// Paints a picture.
    pub fn paint(&mut self, picture: &Picture, camera: &Camera) -> Frame<'_> {
        self.context.reset();
        for layer in Layer::ALL {
            let items = picture.items.iter().filter(|item| item.layer == layer);
            items.for_each(|item| self.item(item, camera));
        }
        self.context.flush();
        let ground = match self.style.transparent {
            true => AlphaColor::TRANSPARENT,
            false => opaque(self.style.rgb(Role::Ground)),
        };
        let settings = RasterizerSettings { target_init: TargetInit::Clear(ground), ..RasterizerSettings::default() };
        self.context.render_with(&mut self.pixels, &mut self.resources, settings);
        if self.style.transparent {
            divide_by_opacity(self.pixels.data_as_u8_slice_mut());
        }
        self.painted()
    }

    /// The picture that was painted last.
    pub fn painted(&self) -> Frame<'_> {
        let (width, height) = (u32::from(self.pixels.width()), u32::from(self.pixels.height()));
        Frame { width, height, rgba: self.pixels.data_as_u8_slice() }
    }

    fn item(&mut self, Item { paint, shape, .. }: &Item, camera: &Camera) {
        let scale = self.style.scale;
        let to_px = |at: DVec2| camera.screen_from_world(at) * scale;
        let length_px = |length_m: f64| length_m * camera.pixels_per_m * scale;
        let width_px = |width: Width| match width {
            Width::Meters(meters) => length_px(meters).max(THINNEST_PX * scale),
            Width::Pixels(pixels) => pixels.max(THINNEST_PX) * scale,
        };
        let color = self.color(*paint);
        self.context.set_paint(color);
        match shape {
            Shape::Disc { center, radius_m } => {
                self.fill(disc(to_px(*center), length_px(*radius_m)));
            }
            Shape::Triangle(corners) => self.fill(polygon(corners.iter().map(|corner| to_px(*corner)))),
            Shape::Polygon(corners) => self.fill(polygon(corners.iter().map(|corner| to_px(*corner)))),
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                let bearings = [*from_rad, *to_rad].map(|bearing| bearing * camera.y_axis.up() + camera.turn_rad);
                self.fill(sector(to_px(*center), length_px(*radius_m), bearings));
            }
            Shape::Segment { ends, pen: Pen { width, dashed: false } } => {
                self.fill(segment(ends.map(to_px), width_px(*width)));
            }
            Shape::Segment { ends, pen } => {
                self.stroke(dashed(ends.iter().map(|end| to_px(*end)), false, camera, scale), width_px(pen.width));
            }
            Shape::Line { points, closed, pen } => {
                let points = points.iter().map(|point| to_px(*point));
                let path = if pen.dashed { dashed(points, *closed, camera, scale) } else { line(points, *closed) };
                self.stroke(path, width_px(pen.width));
            }
            Shape::Cells(cells) => self.cells(cells, paint.opacity, camera),
            Shape::Text { at, text, size_px, anchor } => {
                let at = to_px(*at);
                if is_near(at) {
                    let Self { typesetter, context, .. } = self;
                    typesetter.lay_out(text, size_px * scale, *anchor, at.into(), |place, outline| {
                        context.set_transform(place);
                        context.fill_path(outline);
                    });
                    context.set_transform(Affine::IDENTITY);
                }
            }
        }
    }

    /// Paints cells without antialiasing, since the background would show through two smooth edges that meet. Each colour is
    /// one path.
    fn cells(&mut self, cells: &Cells, opacity: f32, camera: &Camera) {
        let scale = self.style.scale;
        let screen = camera.screen_px * scale;
        let mut paths: BTreeMap<u8, BezPath> = BTreeMap::new();
        for (level, corners) in cells.runs() {
            let corners = corners.map(|corner| camera.screen_from_world(corner) * scale);
            let corners = if camera.turn_rad == 0.0 { corners.map(DVec2::round) } else { corners };
            let low = corners.into_iter().reduce(DVec2::min).unwrap_or_default();
            let high = corners.into_iter().reduce(DVec2::max).unwrap_or_default();
            let is_seen = low.cmple(screen).all() && high.cmpge(DVec2::ZERO).all();
            if let Some(rectangle) = polygon(corners.into_iter()).filter(|_| is_seen) {
                paths.entry(level).or_default().extend(rectangle);
            }
        }
        self.context.set_aliasing_threshold(Some(128));
        for (level, path) in paths {
            let color = self.color(Cells::role(level).faint(opacity));
            self.context.set_paint(color);
            self.context.fill_path(&path);
        }
        self.context.set_aliasing_threshold(None);
    }

    fn fill(&mut self, path: Option<BezPath>) {
        if let Some(path) = path {
            self.context.fill_path(&path);
        }
    }

    fn stroke(&mut self, path: Option<BezPath>, width: f64) {
        if let Some(path) = path {
            self.context.set_stroke(Stroke::new(width).with_caps(Cap::Butt).with_join(Join::Round));
            self.context.stroke_path(&path);
        }
    }

    fn color(&mut self, paint: Paint) -> AlphaColor<Srgb> {
        let style = &self.style;
        let key = (paint.role, paint.opacity.to_bits(), paint.legible);
        *self.colors.entry(key).or_insert_with(|| color(style, paint))
    }
}

fn opaque([red, green, blue]: [u8; 3]) -> AlphaColor<Srgb> {
    AlphaColor::from_rgba8(red, green, blue, 255)
}

/// The colour of a paint.
fn color(style: &Style, paint: Paint) -> AlphaColor<Srgb> {
    let (rgb, opacity) = (style.theme.rgb_of(paint, style.groups), style.theme.opacity_of(paint));
    if opacity >= 1.0 {
        return opaque(rgb);
    }
    let floor = style.rgb(Role::Arena);
    let ([red, green, blue], covered) = translucent(rgb, floor, f64::from(opacity), 0.0);
    AlphaColor::new([red as f32, green as f32, blue as f32, covered as f32])
}

fn kurbo(at: DVec2) -> Point {
    Point::new(at.x, at.y)
}

/// Points joined by straight lines; `None` when one of them is too far out.
fn path(points: impl Iterator<Item = DVec2>) -> Option<BezPath> {
    let mut path = BezPath::new();
    for at in points {
        if !is_near(at) {
            return None;
        }
        match path.elements().is_empty() {
            true => path.move_to(kurbo(at)),
            false => path.line_to(kurbo(at)),
        }
    }
    (path.elements().len() > 1).then_some(path)
}

fn polygon(corners: impl Iterator<Item = DVec2>) -> Option<BezPath> {
    line(corners, true)
}

fn line(points: impl Iterator<Item = DVec2>, closed: bool) -> Option<BezPath> {
    let mut path = path(points)?;
    if closed {
        path.close_path();
    }
    Some(path)
}

/// The visible dashes of a line.
fn dashed(points: impl Iterator<Item = DVec2>, closed: bool, camera: &Camera, scale: f64) -> Option<BezPath> {
    let mut path = BezPath::new();
    dashes::cut(points, closed, scale, [DVec2::ZERO, camera.screen_px * scale], |dash| {
        path.move_to(kurbo(dash[0]));
        dash[1..].iter().for_each(|at| path.line_to(kurbo(*at)));
    });
    (!path.elements().is_empty()).then_some(path)
}

/// A straight line as a rectangle.
fn segment([from, to]: [DVec2; 2], width: f64) -> Option<BezPath> {
    let side = (to - from).normalize_or_zero().perp() * (width / 2.0);
    polygon([from + side, from - side, to - side, to + side].into_iter())
}

fn disc(center: DVec2, radius: f64) -> Option<BezPath> {
    if !is_near(center) || radius.is_nan() || radius > FARTHEST_PX {
        return None;
    }
    let mut path = BezPath::new();
    path.move_to(kurbo(center + DVec2::new(radius, 0.0)));
    arc(&mut path, center, radius, 0.0, TAU);
    path.close_path();
    Some(path)
}

/// A sector of a disc, with angles for y upwards.
fn sector(center: DVec2, radius: f64, [from_rad, to_rad]: [f64; 2]) -> Option<BezPath> {
    let angle = to_rad - from_rad;
    if !is_near(center) || radius.is_nan() || radius > FARTHEST_PX || !angle.is_finite() {
        return None;
    }
    let mut path = BezPath::new();
    path.move_to(kurbo(center));
    path.line_to(kurbo(center + radius * on_screen(math::direction(from_rad))));
    arc(&mut path, center, radius, from_rad, angle.clamp(-TAU, TAU));
    path.close_path();
    Some(path)
}

fn on_screen(direction: DVec2) -> DVec2 {
    DVec2::new(direction.x, -direction.y)
}

/// Adds an arc to a path: one cubic curve for each quarter of a circle or less.
fn arc(path: &mut BezPath, center: DVec2, radius: f64, from_rad: f64, angle: f64) {
    let pieces = (angle.abs() / FRAC_PI_2).ceil().max(1.0);
    let turn = angle / pieces;
    let handle = 4.0 / 3.0 * math::tan(turn / 4.0);
    let mut here = math::direction(from_rad);
    for piece in 1..=pieces as u32 {
        let next = math::direction(from_rad + turn * f64::from(piece));
        let [first, second] = [here + here.perp() * handle, next - next.perp() * handle];
        let [first, second, end] = [first, second, next].map(|arm| kurbo(center + radius * on_screen(arm)));
        path.curve_to(first, second, end);
        here = next;
    }
}

/// Undoes the multiplication of colours by opacity, which image files do not have.
fn divide_by_opacity(rgba: &mut [u8]) {
    for [red, green, blue, opacity] in rgba.as_chunks_mut::<4>().0 {
        let opacity = u16::from(*opacity);
        if opacity > 0 && opacity < 255 {
            for channel in [red, green, blue] {
                *channel = ((u16::from(*channel) * 255 + opacity / 2) / opacity).min(255) as u8;
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::Anchor;
    use swarmarium_picture::blend::{gamma, linear};
    use swarmarium_picture::camera::YAxis;

    use super::*;

    const STYLE: Style = Style { theme: Theme::Dark, groups: GroupColors::OkabeIto, transparent: false, scale: 1.0 };

    fn camera() -> Camera {
        let (center_m, screen_px) = (DVec2::ZERO, DVec2::splat(100.0));
        Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
    }

    fn painted(style: Style, shapes: Vec<(Paint, Shape)>) -> Vec<u8> {
        let mut picture = Picture { pixels_per_m: 10.0, ..Picture::default() };
        shapes.into_iter().for_each(|(paint, shape)| picture.add(Layer::Agents, paint, shape));
        Painter::new(100, 100, style).paint(&picture, &camera()).rgba.to_vec()
    }

    /// How many whole pixels a shape covers.
    fn area(shape: Shape) -> f64 {
        let rgba = painted(Style { transparent: true, ..STYLE }, vec![(Role::Wall.into(), shape)]);
        rgba.as_chunks::<4>().0.iter().map(|pixel| f64::from(pixel[3]) / 255.0).sum()
    }

    fn pixel(rgba: &[u8], x: usize, y: usize) -> [u8; 3] {
        let at = (y * 100 + x) * 4;
        [rgba[at], rgba[at + 1], rgba[at + 2]]
    }

    fn close(actual: f64, expected: f64) -> bool {
        (actual - expected).abs() <= expected * 0.01
    }

    #[test]
    fn painted_shapes_have_their_area() {
        let (pi, center) = (std::f64::consts::PI, DVec2::new(0.5, -0.3));
        assert!(close(area(Shape::Disc { center, radius_m: 3.0 }), pi * 900.0));
        let sector = |from_rad, to_rad| area(Shape::Sector { center, radius_m: 3.0, from_rad, to_rad });
        assert!(close(sector(3.0, 3.0 + FRAC_PI_2), pi * 225.0));
        assert!(close(sector(-1.0, -1.0 + TAU), pi * 900.0));
        let arrow = [(0.0, 0.0), (2.0, 1.0), (0.0, 2.0), (1.0, 1.0)].map(DVec2::from).to_vec();
        assert!(close(area(Shape::Polygon(arrow)), 100.0));
        let ends = [DVec2::ZERO, DVec2::new(2.4, 3.2)];
        assert!(close(area(Shape::Segment { ends, pen: Width::Meters(0.5).into() }), 200.0));
        let line = Shape::Line { points: ends.to_vec(), closed: false, pen: Width::Pixels(2.0).into() };
        assert!(close(area(line), 80.0));
        let text = Shape::Text { at: DVec2::ZERO, text: "Hello".into(), size_px: 20.0, anchor: Anchor::Middle };
        assert!(area(text) > 50.0);
    }

    #[test]
    fn cells_cover_their_squares_without_seams() {
        let cells =
            |levels| Shape::Cells(Cells { corner: DVec2::splat(-3.0), cell_m: DVec2::splat(1.53), columns: 2, levels });
        let shape = cells(vec![9, 200, 100, 9]);
        let rgba = painted(STYLE, vec![(Role::Wall.into(), shape)]);
        let seen: std::collections::BTreeSet<[u8; 3]> =
            rgba.as_chunks::<4>().0.iter().map(|[red, green, blue, _]| [*red, *green, *blue]).collect();
        assert_eq!(seen.len(), 4, "three colours and the ground, and none between them");
        let painted = area(cells(vec![9, 200, 100, 9]));
        assert!((painted - 30.6 * 30.6).abs() < 62.0, "{painted}");
        assert_eq!(area(cells(vec![0; 4])), 0.0);
        // The lower left square is the first one.
        assert_eq!(pixel(&rgba, 45, 75), STYLE.rgb(Cells::role(200)));
        assert_eq!(pixel(&rgba, 25, 75), STYLE.rgb(Cells::role(9)));
        let far = Cells { corner: DVec2::splat(1e9), cell_m: DVec2::ONE, columns: 1, levels: vec![9] };
        assert_eq!(area(Shape::Cells(far)), 0.0);
    }

    #[test]
    fn dashes_have_the_same_length_on_the_screen_at_any_zoom() {
        let ends = |metres: f64| [DVec2::new(-metres / 2.0, 0.0), DVec2::new(metres / 2.0, 0.0)];
        let pen = Width::Pixels(2.0).dashed();
        for (pixels_per_m, scale) in [(10.0, 1.0), (1000.0, 1.0), (20.0, 2.0)] {
            let mut picture = Picture::default();
            picture.segment(Layer::Agents, Role::Wall, ends(40.0 / pixels_per_m), pen);
            let style = Style { transparent: true, scale, ..STYLE };
            let screen_px = DVec2::splat(100.0 / scale);
            let mut painter = Painter::new(100, 100, style);
            let rgba = painter.paint(&picture, &Camera { pixels_per_m, screen_px, ..camera() }).rgba;
            let covered: f64 = rgba.as_chunks::<4>().0.iter().map(|pixel| f64::from(pixel[3]) / 255.0).sum();
            assert!(close(covered, 4.0 * 6.0 * 2.0 * scale * scale), "{pixels_per_m}, {scale}: {covered}");
        }
        let square = [(-2.0, -2.0), (2.0, -2.0), (2.0, 2.0), (-2.0, 2.0)].map(DVec2::from).to_vec();
        let line = Shape::Line { points: square, closed: true, pen: Width::Pixels(2.0).dashed() };
        assert!(close(area(line), 160.0 * 0.6 * 2.0));
        let long = Shape::Segment { ends: ends(1e7), pen: Width::Pixels(2.0).dashed() };
        assert!((area(long) - 60.0 * 2.0).abs() < 13.0);
    }

    #[test]
    fn a_painted_sector_lies_between_its_bearings() {
        let mut picture = Picture::default();
        let upwards = Shape::Sector { center: DVec2::ZERO, radius_m: 4.0, from_rad: 1.0, to_rad: 2.1 };
        picture.add(Layer::Agents, Role::Wall, upwards);
        for (y_axis, [inside, outside]) in [(YAxis::Up, [30, 70]), (YAxis::Down, [70, 30])] {
            let mut painter = Painter::new(100, 100, STYLE);
            let rgba = painter.paint(&picture, &Camera { y_axis, ..camera() }).rgba;
            assert_eq!(pixel(rgba, 50, inside), Theme::Dark.rgb(Role::Wall));
            assert_eq!(pixel(rgba, 50, outside), Theme::Dark.rgb(Role::Ground));
        }
    }

    #[test]
    fn faint_paints_look_on_the_floor_as_in_the_window() {
        let square = |half: f64| {
            Shape::Polygon([(-half, -half), (half, -half), (half, half), (-half, half)].map(DVec2::from).into())
        };
        for theme in [Theme::Dark, Theme::Light] {
            for (role, opacity) in
                [(Role::Detecting, 0.1), (Role::Accent, 0.5), (Role::Group(1), 0.9), (Role::Dim, 0.0)]
            {
                let shapes = vec![(Role::Arena.into(), square(5.0)), (role.faint(opacity), square(2.0))];
                let found = pixel(&painted(Style { theme, ..STYLE }, shapes), 50, 50);
                let expected = std::array::from_fn(|channel| {
                    let [color, floor] =
                        [role, Role::Arena].map(|role| linear(f64::from(theme.rgb(role)[channel]) / 255.0));
                    let opacity = f64::from(opacity);
                    (gamma(color * opacity + floor * (1.0 - opacity)) * 255.0).round() as u8
                });
                let is_near = |[found, expected]: [u8; 2]| found.abs_diff(expected) <= 2;
                let pairs: Vec<[u8; 2]> = found.into_iter().zip::<[u8; 3]>(expected).map(|(a, b)| [a, b]).collect();
                assert!(pairs.iter().copied().all(is_near), "{theme:?} {role:?} {opacity}: {pairs:?}");
            }
        }
    }

    #[test]
    fn transparent_frames_have_colours_that_are_not_multiplied() {
        let style = Style { transparent: true, ..STYLE };
        let disc = Shape::Disc { center: DVec2::ZERO, radius_m: 2.0 };
        let rgba = painted(style, vec![(Role::Group(0).into(), disc)]);
        assert_eq!(rgba[..4], [0, 0, 0, 0]);
        let edges = rgba.as_chunks::<4>().0.iter().filter(|pixel| pixel[3] > 100 && pixel[3] < 255);
        let [red, green, blue] = Theme::Dark.rgb(Role::Group(0));
        for [r, g, b, _] in edges {
            assert!(r.abs_diff(red) < 4 && g.abs_diff(green) < 4 && b.abs_diff(blue) < 4, "{r} {g} {b}");
        }
    }

    #[test]
    fn a_painter_keeps_nothing_of_the_picture_before() {
        let disc = |radius_m| {
            let mut picture = Picture::default();
            picture.disc(Layer::Agents, Role::Wall.faint(0.4), DVec2::ZERO, radius_m);
            picture
        };
        let mut painter = Painter::new(100, 100, STYLE);
        let first = painter.paint(&disc(1.0), &camera()).rgba.to_vec();
        let other = painter.paint(&disc(3.0), &camera()).rgba.to_vec();
        assert!(first != other && painter.paint(&disc(1.0), &camera()).rgba == first);
    }

    #[test]
    fn painter_leaves_out_shapes_that_are_not_finite_or_far_away() {
        let far = DVec2::new(1e30, f64::NAN);
        let odd = vec![
            Shape::Disc { center: far, radius_m: 1.0 },
            Shape::Disc { center: DVec2::ZERO, radius_m: f64::INFINITY },
            Shape::Triangle([DVec2::ZERO, far, DVec2::X]),
            Shape::Polygon(Vec::new()),
            Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: f64::NAN, to_rad: 1.0 },
            Shape::Segment { ends: [far, DVec2::ZERO], pen: Width::Pixels(1.0).into() },
            Shape::Segment { ends: [DVec2::ZERO; 2], pen: Width::Pixels(1.0).into() },
            Shape::Line { points: vec![DVec2::ZERO], closed: true, pen: Width::Pixels(1.0).into() },
            Shape::Text { at: far, text: "far".into(), size_px: 12.0, anchor: Anchor::Left },
        ];
        let rgba = painted(STYLE, odd.into_iter().map(|shape| (Role::Wall.into(), shape)).collect());
        assert!(rgba.as_chunks::<4>().0.iter().all(|pixel| pixel[..3] == Theme::Dark.rgb(Role::Ground)));
    }
}

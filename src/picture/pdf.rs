//! The painter of PDF files: a picture in, a page of vectors out.
//!
//! The page shows what the other painters show. Texts can be searched and copied: the file embeds the glyphs of the window's
//! fonts that it needs. A file has the same bytes on every machine, and no date.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{FRAC_PI_2, TAU};

use bevy::math::DVec2;
use pdf_writer::types::{LineCapStyle, LineJoinStyle};
use pdf_writer::{Content, Finish as _, Name, Rect, Ref, Str, TextStr};
use swarmarium_base::math;

use super::blend::translucent;
use super::camera::Camera;
use super::cells::Cells;
use super::fonts::Fonts;
use super::palette::{GroupColors, Paint, Role, Theme};
use super::{Anchor, FARTHEST_PX, Item, Layer, Pen, Picture, Shape, THINNEST_PX, Width, is_near};

mod font;
mod image;

/// Opacities have two decimals, so that a page needs few graphics states.
const OPACITY_STEP: f64 = 0.01;

/// The head and the style of a PDF file.
#[derive(Clone, Debug, PartialEq)]
pub struct Pdf {
    /// The title, which viewers show; none if empty.
    pub title: String,
    /// Dark or light.
    pub theme: Theme,
    /// The colours of groups.
    pub groups: GroupColors,
    /// Whether the ground is transparent; otherwise it has the colour of the theme.
    pub transparent: bool,
    /// Points (1/72 inch) per logical pixel.
    pub points_per_px: f64,
}

impl Default for Pdf {
    /// A style for print: light, with the colours of Okabe and Ito and 96 pixels per inch.
    fn default() -> Self {
        let title = String::new();
        Self { title, theme: Theme::Light, groups: GroupColors::OkabeIto, transparent: false, points_per_px: 0.75 }
    }
}

impl Pdf {
    /// The bytes of a PDF file with a picture as a camera sees it.
    pub fn write(&self, picture: &Picture, camera: &Camera) -> Vec<u8> {
        let mut page = Page::new(self, camera);
        if !self.transparent {
            let [width, height] = camera.screen_px.to_array().map(single);
            page.fill_color(Role::Ground.into());
            page.content.rect(0.0, 0.0, width, height).fill_nonzero();
        }
        for layer in Layer::ALL {
            picture.items.iter().filter(|item| item.layer == layer).for_each(|item| page.item(item));
        }
        page.into_file()
    }
}

/// A page on its way to a file.
struct Page<'a> {
    pdf: &'a Pdf,
    camera: &'a Camera,
    content: Content,
    fonts: Fonts,
    /// The characters of each font that texts have, by the numbers of their glyphs.
    used: BTreeMap<usize, BTreeMap<u16, char>>,
    /// The opacities of graphics states, in hundredths.
    opacities: BTreeSet<u8>,
    /// The opacity of the present graphics state, in hundredths.
    opacity: u8,
    images: Vec<image::Image>,
}

impl<'a> Page<'a> {
    fn new(pdf: &'a Pdf, camera: &'a Camera) -> Self {
        let mut content = Content::new();
        // From here on, a unit is a logical pixel, from the top left corner.
        let scale = single(pdf.points_per_px);
        content.transform([scale, 0.0, 0.0, -scale, 0.0, single(camera.screen_px.y) * scale]);
        content.set_line_join(LineJoinStyle::RoundJoin).set_line_cap(LineCapStyle::ButtCap);
        let (fonts, used, opacities, images) = (Fonts::default(), BTreeMap::new(), BTreeSet::new(), Vec::new());
        Self { pdf, camera, content, fonts, used, opacities, opacity: 100, images }
    }

    /// Draws a shape; nothing for one that is not finite or too far away.
    fn item(&mut self, Item { paint, shape, .. }: &Item) {
        let camera = self.camera;
        let to_px = |at: DVec2| camera.screen_from_world(at);
        match shape {
            Shape::Disc { center, radius_m } => {
                let radius = radius_m * camera.pixels_per_m;
                self.filled(*paint, Outline::sector(to_px(*center), radius, [0.0, TAU]));
            }
            Shape::Triangle(corners) => self.filled(*paint, Outline::from_points(corners, true, to_px)),
            Shape::Polygon(corners) => self.filled(*paint, Outline::from_points(corners, true, to_px)),
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                let bearings = [*from_rad, *to_rad].map(|bearing| bearing * camera.y_axis.up() + camera.turn_rad);
                self.filled(*paint, Outline::sector(to_px(*center), radius_m * camera.pixels_per_m, bearings));
            }
            Shape::Segment { ends, pen } => self.stroked(*paint, *pen, Outline::from_points(ends, false, to_px)),
            Shape::Line { points, closed, pen } => {
                self.stroked(*paint, *pen, Outline::from_points(points, *closed, to_px));
            }
            Shape::Cells(cells) => self.cells(cells, paint.opacity),
            Shape::Text { at, text, size_px, anchor } => self.text(*paint, to_px(*at), text, *size_px, *anchor),
        }
    }

    fn filled(&mut self, paint: Paint, outline: Option<Outline>) {
        let Some(outline) = outline else { return };
        self.fill_color(paint);
        outline.draw(&mut self.content);
        self.content.fill_nonzero();
    }

    fn stroked(&mut self, paint: Paint, pen: Pen, outline: Option<Outline>) {
        let width = match pen.width {
            Width::Meters(meters) => meters * self.camera.pixels_per_m,
            Width::Pixels(pixels) => pixels,
        };
        let Some(outline) = outline.filter(|_| width <= FARTHEST_PX) else { return };
        let [red, green, blue] = self.color(paint);
        self.content.set_stroke_rgb(red, green, blue).set_line_width(single(width.max(THINNEST_PX)));
        if pen.dashed {
            self.content.set_dash_pattern([6.0, 4.0], 0.0);
        }
        outline.draw(&mut self.content);
        self.content.stroke();
        if pen.dashed {
            self.content.set_dash_pattern([], 0.0);
        }
    }

    fn text(&mut self, paint: Paint, at: DVec2, text: &str, size_px: f64, anchor: Anchor) {
        let glyphs: Vec<_> =
            text.chars().filter_map(|character| Some((character, self.fonts.glyph(character)?))).collect();
        if !is_near(at) || !(0.0..FARTHEST_PX).contains(&size_px) || glyphs.is_empty() {
            return;
        }
        let width = glyphs.iter().map(|(_, glyph)| glyph.advance).sum::<f64>() * size_px;
        let left = match anchor {
            Anchor::Left => at.x,
            Anchor::Middle => at.x - width / 2.0,
            Anchor::Right => at.x - width,
        };
        let baseline = at.y - self.fonts.descent() * size_px;
        self.fill_color(paint);
        // Letters are upright in a system whose y axis points down.
        let place = [1.0, 0.0, 0.0, -1.0, single(left), single(baseline)];
        self.content.begin_text().set_text_matrix(place);
        for run in glyphs.chunk_by(|(_, a), (_, b)| a.font == b.font) {
            let Some((_, first)) = run.first() else { continue };
            let used = self.used.entry(first.font).or_default();
            let mut codes = Vec::new();
            for (character, glyph) in run {
                let id = u16::try_from(glyph.id.to_u32()).unwrap_or_default();
                used.insert(id, *character);
                codes.extend(id.to_be_bytes());
            }
            self.content.set_font(Name(&font::resource(first.font)), single(size_px)).show(Str(&codes));
        }
        self.content.end_text();
    }

    /// Draws cells as an image: smooth edges of shapes that meet would let the background show through.
    fn cells(&mut self, cells: &Cells, opacity: f32) {
        let lines = cells.levels.len() / cells.columns.max(1);
        let at = |column: usize, line: usize| {
            let place = DVec2::new(column as f64, line as f64) * cells.cell_m;
            self.camera.screen_from_world(cells.corner + place)
        };
        let [corner, right, up] = [at(0, 0), at(cells.columns, 0), at(0, lines)];
        if lines == 0 || ![corner, right, up].into_iter().all(is_near) {
            return;
        }
        let [x, y] = [right - corner, up - corner];
        let color = |level: u8| {
            let (rgb, covered) = self.blended(Cells::role(level).faint(opacity));
            (rgb.map(|channel| (channel * 255.0).round() as u8), (covered * 255.0).round() as u8)
        };
        let image = image::Image::from_cells(cells, lines, color);
        self.opaque_state(100);
        self.content.save_state().transform([x.x, x.y, y.x, y.y, corner.x, corner.y].map(single));
        self.content.x_object(Name(&image::resource(self.images.len()))).restore_state();
        self.images.push(image);
    }

    /// The colour and the opacity of a paint.
    fn blended(&self, paint: Paint) -> ([f64; 3], f64) {
        let Pdf { theme, groups, .. } = *self.pdf;
        let (rgb, opacity) = (theme.rgb_of(paint, groups), theme.opacity_of(paint));
        if opacity >= 1.0 {
            return (rgb.map(|channel| f64::from(channel) / 255.0), 1.0);
        }
        translucent(rgb, theme.color(groups, Role::Arena), f64::from(opacity), OPACITY_STEP)
    }

    /// Sets the opacity of a paint; its colour.
    fn color(&mut self, paint: Paint) -> [f32; 3] {
        let (rgb, covered) = self.blended(paint);
        self.opaque_state((covered / OPACITY_STEP).round() as u8);
        rgb.map(single)
    }

    fn fill_color(&mut self, paint: Paint) {
        let [red, green, blue] = self.color(paint);
        self.content.set_fill_rgb(red, green, blue);
    }

    /// Sets the opacity of what follows, in hundredths.
    fn opaque_state(&mut self, hundredths: u8) {
        if self.opacity != hundredths {
            self.opacity = hundredths;
            self.opacities.insert(hundredths);
            self.content.set_parameters(Name(&state(hundredths)));
        }
    }

    /// The file with the page.
    fn into_file(self) -> Vec<u8> {
        let mut file = pdf_writer::Pdf::new();
        let mut last = 0;
        let mut next = || {
            last += 1;
            Ref::new(last)
        };
        let (catalog, pages, page_id, content, info) = (next(), next(), next(), next(), next());
        file.catalog(catalog).pages(pages);
        file.pages(pages).kids([page_id]).count(1);
        let fonts: Vec<_> = self.used.keys().map(|place| (*place, next())).collect();
        let images: Vec<_> = self.images.iter().map(|_| next()).collect();
        let states: Vec<_> = self.opacities.iter().map(|opacity| (*opacity, next())).collect();

        let [width, height] = (self.camera.screen_px * self.pdf.points_per_px).to_array().map(single);
        let mut page = file.page(page_id);
        page.parent(pages).media_box(Rect::new(0.0, 0.0, width, height)).contents(content);
        let mut resources = page.resources();
        let mut dictionary = resources.fonts();
        for (place, id) in &fonts {
            dictionary.pair(Name(&font::resource(*place)), *id);
        }
        dictionary.finish();
        let mut dictionary = resources.x_objects();
        for (place, id) in images.iter().enumerate() {
            dictionary.pair(Name(&image::resource(place)), *id);
        }
        dictionary.finish();
        let mut dictionary = resources.ext_g_states();
        for (opacity, id) in &states {
            dictionary.pair(Name(&state(*opacity)), *id);
        }
        dictionary.finish();
        resources.finish();
        page.finish();

        for (opacity, id) in states {
            let part = f32::from(opacity) / 100.0;
            file.ext_graphics(id).stroking_alpha(part).non_stroking_alpha(part);
        }
        for ((place, id), used) in fonts.into_iter().zip(self.used.values()) {
            if let Some(font) = self.fonts.get(place) {
                font::embed(&mut file, id, &mut next, font, used);
            }
        }
        self.images.iter().zip(images).for_each(|(image, id)| image.embed(&mut file, id, next()));
        file.stream(content, &self.content.finish());
        let mut about = file.document_info(info);
        if !self.pdf.title.is_empty() {
            about.title(TextStr(&self.pdf.title));
        }
        about.creator(TextStr("Swarmarium"));
        about.finish();
        file.finish()
    }
}

/// The name of the graphics state of an opacity, in hundredths.
fn state(hundredths: u8) -> Vec<u8> {
    format!("a{hundredths}").into_bytes()
}

/// A number with at most three decimals, so that files stay small.
fn single(value: f64) -> f32 {
    ((value * 1000.0).round() / 1000.0) as f32
}

/// A path in pixels.
struct Outline {
    start: DVec2,
    parts: Vec<Part>,
    closed: bool,
}

enum Part {
    Line(DVec2),
    Curve([DVec2; 3]),
}

impl Outline {
    /// Straight lines through points; `None` when one of them is too far out, and for less than two points.
    fn from_points(points: &[DVec2], closed: bool, to_px: impl Fn(DVec2) -> DVec2) -> Option<Self> {
        let mut points = points.iter().map(|at| to_px(*at));
        let start = points.next().filter(|at| is_near(*at))?;
        let parts: Vec<_> = points.map(|at| is_near(at).then_some(Part::Line(at))).collect::<Option<_>>()?;
        (!parts.is_empty()).then_some(Self { start, parts, closed })
    }

    /// A sector of a disc, with angles for y upwards, or all of the disc.
    fn sector(center: DVec2, radius: f64, [from_rad, to_rad]: [f64; 2]) -> Option<Self> {
        let angle = to_rad - from_rad;
        if !is_near(center) || !(0.0..=FARTHEST_PX).contains(&radius) || !angle.is_finite() {
            return None;
        }
        let is_disc = angle.abs() >= TAU;
        let angle = angle.clamp(-TAU, TAU);
        let count = (angle.abs() / FRAC_PI_2).ceil().max(1.0);
        let (turn, flip) = (angle / count, DVec2::new(1.0, -1.0));
        // The control points of a cubic curve that is an arc but for a part in a thousand.
        let reach = 4.0 / 3.0 * math::tan(turn / 4.0);
        let at = |bearing: f64| center + radius * flip * math::direction(bearing);
        let along = |bearing: f64| radius * reach * flip * math::direction(bearing).perp();
        let arcs = (0..count as u32).map(|part| {
            let bearings = [f64::from(part), f64::from(part + 1)].map(|turns| from_rad + turns * turn);
            let [from, to] = bearings.map(at);
            Part::Curve([from + along(bearings[0]), to - along(bearings[1]), to])
        });
        if is_disc {
            return Some(Self { start: at(from_rad), parts: arcs.collect(), closed: true });
        }
        let parts = std::iter::once(Part::Line(at(from_rad))).chain(arcs).collect();
        Some(Self { start: center, parts, closed: true })
    }

    fn draw(&self, content: &mut Content) {
        let [x, y] = self.start.to_array().map(single);
        content.move_to(x, y);
        for part in &self.parts {
            match part {
                Part::Line(at) => {
                    content.line_to(single(at.x), single(at.y));
                }
                Part::Curve(points) => {
                    let [[x1, y1], [x2, y2], [x3, y3]] = points.map(|at| at.to_array().map(single));
                    content.cubic_to(x1, y1, x2, y2, x3, y3);
                }
            }
        }
        if self.closed {
            content.close_path();
        }
    }
}

#[cfg(test)]
mod tests;

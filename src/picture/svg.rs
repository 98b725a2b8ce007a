//! The painter of SVG files: a picture in, text out.
//!
//! The file shows what the other painters show, but stays sharp at any size, and its texts can be searched and edited.
//! Coordinates have two decimals, so that a file has the same bytes on every machine.

use std::fmt::Write as _;

use bevy::math::DVec2;
use swarmarium_base::math;

use super::blend::translucent;
use super::camera::Camera;
use super::cells::Cells;
use super::palette::{GroupColors, Paint, Role, Theme, hex};
use super::{Anchor, FARTHEST_PX, Item, Layer, Pen, Picture, Shape, THINNEST_PX, Width, is_near};

/// The other painters place the lower edge of the letters at the point of a text; this is its distance to the baseline in
/// their font, as a part of the size of the text.
const DESCENT: f64 = 0.19;

/// The head and the style of an SVG file.
#[derive(Clone, Debug, PartialEq)]
pub struct Svg {
    /// The title, which screen readers read and viewers show; no `<title>` if empty.
    pub title: String,
    /// A longer description for screen readers; no `<desc>` if empty.
    pub description: String,
    /// Dark or light.
    pub theme: Theme,
    /// The colours of groups.
    pub groups: GroupColors,
    /// Whether the ground is transparent; otherwise it has the colour of the theme.
    pub transparent: bool,
    /// The printed width and height in millimetres; without it, a logical pixel is one of CSS.
    pub size_mm: Option<DVec2>,
}

impl Default for Svg {
    /// A style for print: light, with the colours of Okabe and Ito.
    fn default() -> Self {
        let (title, description) = (String::new(), String::new());
        let (groups, size_mm) = (GroupColors::OkabeIto, None);
        Self { title, description, theme: Theme::Light, groups, transparent: false, size_mm }
    }
}

impl Svg {
    /// The text of an SVG file with a picture as a camera sees it.
    pub fn write(&self, picture: &Picture, camera: &Camera) -> String {
        let [width, height] = camera.screen_px.to_array().map(number);
        let [printed_width, printed_height] = match self.size_mm {
            Some(size_mm) => size_mm.to_array().map(|side| format!("{}mm", number(side))),
            None => [width.clone(), height.clone()],
        };
        let mut file = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{printed_width}\" height=\"{printed_height}\" \
             viewBox=\"0 0 {width} {height}\" font-family=\"Ubuntu, system-ui, sans-serif\" role=\"img\">\n"
        );
        for (tag, text) in [("title", &self.title), ("desc", &self.description)] {
            if !text.is_empty() {
                let _ = writeln!(file, "<{tag}>{}</{tag}>", escaped(text));
            }
        }
        if !self.transparent {
            let ground = hex(self.rgb(Role::Ground));
            let _ = writeln!(file, "<rect width=\"{width}\" height=\"{height}\" fill=\"{ground}\"/>");
        }
        for layer in Layer::ALL {
            picture.items.iter().filter(|item| item.layer == layer).for_each(|item| self.item(item, camera, &mut file));
        }
        file.push_str("</svg>\n");
        file
    }

    /// Writes an element; nothing for a shape that is not finite or too far away.
    fn item(&self, Item { paint, shape, .. }: &Item, camera: &Camera, file: &mut String) {
        let to_px = |at: DVec2| camera.screen_from_world(at);
        let fill = || self.color("fill", *paint);
        let stroke = |pen: Pen| {
            let width = match pen.width {
                Width::Meters(meters) => meters * camera.pixels_per_m,
                Width::Pixels(pixels) => pixels,
            };
            let dashes = if pen.dashed { " stroke-dasharray=\"6 4\"" } else { "" };
            let width = number(width.max(THINNEST_PX));
            format!("{} stroke-width=\"{width}\"{dashes}", self.color("stroke", *paint))
        };
        let element = match shape {
            Shape::Disc { center, radius_m } => disc(to_px(*center), radius_m * camera.pixels_per_m, &fill()),
            Shape::Triangle(corners) => filled(corners, to_px, &fill()),
            Shape::Polygon(corners) => match rectangle(corners, to_px).filter(|_| paint.opacity >= 1.0) {
                Some(corners) => Some(boxed(corners, &fill())),
                None => filled(corners, to_px, &fill()),
            },
            Shape::Sector { center, radius_m, from_rad, to_rad } => {
                let bearings = [*from_rad, *to_rad].map(|bearing| bearing * camera.y_axis.up() + camera.turn_rad);
                sector(to_px(*center), radius_m * camera.pixels_per_m, bearings, &fill())
            }
            Shape::Segment { ends, pen } => places(ends, to_px).map(|_| {
                let [[x1, y1], [x2, y2]] = ends.map(|end| to_px(end).to_array().map(number));
                format!("<line x1=\"{x1}\" y1=\"{y1}\" x2=\"{x2}\" y2=\"{y2}\" {}/>", stroke(*pen))
            }),
            Shape::Line { points, closed, pen } => places(points, to_px).map(|places| {
                let tag = if *closed { "polygon" } else { "polyline" };
                let stroke = stroke(*pen);
                format!("<{tag} points=\"{places}\" fill=\"none\" {stroke} stroke-linejoin=\"round\"/>")
            }),
            Shape::Cells(cells) => Some(self.cells(cells, paint.opacity, camera)),
            Shape::Text { at, text, size_px, anchor } => {
                let at = to_px(*at) - DVec2::new(0.0, DESCENT * size_px);
                is_near(at).then(|| label(at, text, *size_px, *anchor, &fill()))
            }
        };
        if let Some(element) = element {
            let _ = writeln!(file, "{element}");
        }
    }

    fn cells(&self, cells: &Cells, opacity: f32, camera: &Camera) -> String {
        // Smooth edges that meet let the background show through.
        let mut group = String::from("<g shape-rendering=\"crispEdges\">");
        for (level, corners) in cells.runs() {
            let color = self.color("fill", Cells::role(level).faint(opacity));
            group.extend(filled(&corners, |at| camera.screen_from_world(at), &color));
        }
        group + "</g>"
    }

    fn rgb(&self, role: Role) -> [u8; 3] {
        self.theme.color(self.groups, role)
    }

    /// The attribute of a colour, and of the opacity of a faint one.
    fn color(&self, attribute: &str, paint: Paint) -> String {
        let (rgb, opacity) = (self.theme.rgb_of(paint, self.groups), self.theme.opacity_of(paint));
        if opacity >= 1.0 {
            return format!("{attribute}=\"{}\"", hex(rgb));
        }
        // The file has two decimals, so the colour counts on these.
        let (rgb, covered) = translucent(rgb, self.rgb(Role::Arena), f64::from(opacity), 0.01);
        let rgb = rgb.map(|channel| (channel * 255.0).round() as u8);
        format!("{attribute}=\"{}\" {attribute}-opacity=\"{}\"", hex(rgb), number(covered))
    }
}

/// A number with at most two decimals.
fn number(value: f64) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" { "0".into() } else { text.into() }
}

/// A text for XML. Control characters, which XML does not allow, become replacement characters.
pub fn escaped(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            '\n' | '\t' => escaped.push(' '),
            '\u{FFFE}' | '\u{FFFF}' => escaped.push('\u{FFFD}'),
            other if other.is_control() => escaped.push('\u{FFFD}'),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The points of a line; `None` when one of them is too far out, and for less than two points.
fn places(points: &[DVec2], to_px: impl Fn(DVec2) -> DVec2) -> Option<String> {
    let mut text = String::new();
    for at in points {
        let at = to_px(*at);
        if !is_near(at) {
            return None;
        }
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{},{}", number(at.x), number(at.y));
    }
    (points.len() > 1).then_some(text)
}

fn filled(corners: &[DVec2], to_px: impl Fn(DVec2) -> DVec2, fill: &str) -> Option<String> {
    places(corners, to_px).map(|places| format!("<polygon points=\"{places}\" {fill}/>"))
}

/// The corners with the least and the greatest coordinates of a rectangle along the axes of the screen.
fn rectangle(corners: &[DVec2], to_px: impl Fn(DVec2) -> DVec2) -> Option<[DVec2; 2]> {
    let &[a, b, c, d] = corners else { return None };
    let [a, b, c, d] = [a, b, c, d].map(to_px);
    let is_along = (a.x == b.x && b.y == c.y && c.x == d.x && d.y == a.y)
        || (a.y == b.y && b.x == c.x && c.y == d.y && d.x == a.x);
    (is_along && is_near(a) && is_near(c)).then(|| [a.min(c), a.max(c)])
}

/// A rectangle with sharp edges, so that nothing shows through between two that meet.
fn boxed([low, high]: [DVec2; 2], fill: &str) -> String {
    let ([x, y], [width, height]) = (low.to_array().map(number), (high - low).to_array().map(number));
    format!("<rect x=\"{x}\" y=\"{y}\" width=\"{width}\" height=\"{height}\" {fill} shape-rendering=\"crispEdges\"/>")
}

fn disc(center: DVec2, radius: f64, fill: &str) -> Option<String> {
    let is_shown = is_near(center) && (0.0..=FARTHEST_PX).contains(&radius);
    let [x, y, radius] = [center.x, center.y, radius].map(number);
    is_shown.then(|| format!("<circle cx=\"{x}\" cy=\"{y}\" r=\"{radius}\" {fill}/>"))
}

/// A sector of a disc, with angles for y upwards.
fn sector(center: DVec2, radius: f64, [from_rad, to_rad]: [f64; 2], fill: &str) -> Option<String> {
    let angle = to_rad - from_rad;
    if !is_near(center) || radius.is_nan() || radius > FARTHEST_PX || !angle.is_finite() {
        return None;
    }
    if angle.abs() >= std::f64::consts::TAU {
        return disc(center, radius, fill);
    }
    let on_rim = |bearing: f64| center + radius * DVec2::new(1.0, -1.0) * math::direction(bearing);
    let [[x, y], [x1, y1], [x2, y2]] = [center, on_rim(from_rad), on_rim(to_rad)].map(|at| at.to_array().map(number));
    let (large, sweep) = (u8::from(angle.abs() > std::f64::consts::PI), u8::from(angle < 0.0));
    let radius = number(radius);
    Some(format!("<path d=\"M{x},{y}L{x1},{y1}A{radius},{radius} 0 {large} {sweep} {x2},{y2}Z\" {fill}/>"))
}

fn label(at: DVec2, text: &str, size_px: f64, anchor: Anchor, fill: &str) -> String {
    let [x, y, size] = [at.x, at.y, size_px].map(number);
    let anchor = match anchor {
        Anchor::Left => "",
        Anchor::Middle => " text-anchor=\"middle\"",
        Anchor::Right => " text-anchor=\"end\"",
    };
    format!("<text x=\"{x}\" y=\"{y}\" font-size=\"{size}\"{anchor} {fill}>{}</text>", escaped(text))
}

#[cfg(test)]
mod tests {
    use super::super::YAxis;
    use super::*;

    fn camera() -> Camera {
        let (center_m, screen_px) = (DVec2::ZERO, DVec2::splat(100.0));
        Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 }
    }

    fn element(paint: impl Into<Paint>, shape: Shape) -> String {
        let mut file = String::new();
        Svg::default().item(&Item { layer: Layer::Agents, paint: paint.into(), shape }, &camera(), &mut file);
        file.trim_end().to_owned()
    }

    #[test]
    fn an_svg_has_a_header_and_its_layers_from_back_to_front() {
        let mut picture = Picture::default();
        let text =
            Shape::Text { at: DVec2::ZERO, text: "a < b & \"c\"\u{7}".into(), size_px: 10.0, anchor: Anchor::Middle };
        picture.add(Layer::Labels, Role::Text, text);
        picture.disc(Layer::Agents, Role::Group(1), DVec2::new(1.0, 2.0), 0.333_333);
        let svg = Svg { title: "Speed & range".into(), description: "Two runs".into(), ..Svg::default() };
        let expected = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"100\" height=\"100\" viewBox=\"0 0 100 100\" \
            font-family=\"Ubuntu, system-ui, sans-serif\" role=\"img\">\n\
            <title>Speed &amp; range</title>\n\
            <desc>Two runs</desc>\n\
            <rect width=\"100\" height=\"100\" fill=\"#ffffff\"/>\n\
            <circle cx=\"60\" cy=\"30\" r=\"3.33\" fill=\"#e69f00\"/>\n\
            <text x=\"50\" y=\"48.1\" font-size=\"10\" text-anchor=\"middle\" fill=\"#1d222a\">\
            a &lt; b &amp; &quot;c&quot;\u{FFFD}</text>\n\
            </svg>\n";
        assert_eq!(svg.write(&picture, &camera()), expected);
        let bare = Svg { transparent: true, ..Svg::default() }.write(&Picture::default(), &camera());
        assert!(!bare.contains("<rect") && !bare.contains("<title"), "{bare}");
    }

    #[test]
    fn shapes_become_svg_elements() {
        let at = DVec2::new;
        let pen = Pen::from(Width::Meters(0.2));
        let ends = [at(-1.0, 0.0), at(1.0, 2.0)];
        assert_eq!(
            element(Role::Wall, Shape::Segment { ends, pen }),
            "<line x1=\"40\" y1=\"50\" x2=\"60\" y2=\"30\" stroke=\"#5b6472\" stroke-width=\"2\"/>"
        );
        let pen = Width::Pixels(0.1).dashed();
        assert_eq!(
            element(Role::Wall, Shape::Line { points: ends.to_vec(), closed: false, pen }),
            "<polyline points=\"40,50 60,30\" fill=\"none\" stroke=\"#5b6472\" stroke-width=\"0.75\" \
             stroke-dasharray=\"6 4\" stroke-linejoin=\"round\"/>"
        );
        let corners = [at(0.0, 0.0), at(1.0, 0.0), at(1.0, 2.0), at(0.0, 2.0)];
        assert_eq!(
            element(Role::Own([1, 2, 3]), Shape::Polygon(corners.to_vec())),
            "<rect x=\"50\" y=\"30\" width=\"10\" height=\"20\" fill=\"#010203\" shape-rendering=\"crispEdges\"/>"
        );
        assert_eq!(
            element(Role::Own([1, 2, 3]), Shape::Triangle([corners[0], corners[1], corners[2]])),
            "<polygon points=\"50,50 60,50 60,30\" fill=\"#010203\"/>"
        );
        let quarter =
            Shape::Sector { center: at(0.0, 0.0), radius_m: 1.0, from_rad: 0.0, to_rad: std::f64::consts::FRAC_PI_2 };
        assert_eq!(
            element(Role::Own([1, 2, 3]), quarter),
            "<path d=\"M50,50L60,50A10,10 0 0 0 50,40Z\" fill=\"#010203\"/>"
        );
        let cells = Cells { corner: at(0.0, 0.0), cell_m: DVec2::ONE, columns: 2, levels: vec![255, 0] };
        assert_eq!(
            element(Role::Wall, Shape::Cells(cells)),
            "<g shape-rendering=\"crispEdges\"><polygon points=\"50,50 60,50 60,40 50,40\" fill=\"#fde725\"/></g>"
        );
    }

    #[test]
    fn svg_leaves_out_shapes_that_are_not_finite_or_far_away() {
        let far = DVec2::new(1e30, f64::NAN);
        let odd = vec![
            Shape::Disc { center: far, radius_m: 1.0 },
            Shape::Disc { center: DVec2::ZERO, radius_m: f64::INFINITY },
            Shape::Triangle([DVec2::ZERO, far, DVec2::X]),
            Shape::Polygon(Vec::new()),
            Shape::Sector { center: DVec2::ZERO, radius_m: 1.0, from_rad: f64::NAN, to_rad: 1.0 },
            Shape::Segment { ends: [far, DVec2::ZERO], pen: Width::Pixels(1.0).into() },
            Shape::Line { points: vec![DVec2::ZERO], closed: true, pen: Width::Pixels(1.0).into() },
            Shape::Text { at: far, text: "far".into(), size_px: 12.0, anchor: Anchor::Left },
        ];
        for shape in odd {
            assert_eq!(element(Role::Wall, shape), "");
        }
    }
}

//! SVG files with texts as outlines of their letters, which look the same in every program and need no font.

use std::fmt::Write as _;

use bevy::math::DVec2;
use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use swarmarium_picture::fonts::Fonts;
use swarmarium_picture::svg::escaped;
use swarmarium_picture::{Anchor, Camera, Picture, Shape, Svg};

/// The start of an element with a text, as the painter of SVG files writes it: one in a line.
const TEXT: &str = "<text ";

/// The text of an SVG file with a picture as a camera sees it. Each text is a group with the text as its label.
pub fn write(svg: &Svg, picture: &Picture, camera: &Camera) -> String {
    // The painter decides on place, colour and order: it gets the number of each text, and its elements get the outlines.
    let mut numbered = picture.clone();
    let mut texts = Vec::new();
    for item in &mut numbered.items {
        if let Shape::Text { at, text, size_px, anchor } = &mut item.shape {
            let number = texts.len().to_string();
            texts.push((camera.screen_from_world(*at), std::mem::replace(text, number), *size_px, *anchor));
        }
    }
    let fonts = Fonts::default();
    let mut file = String::new();
    for line in svg.write(&numbered, camera).lines() {
        let text = line.strip_prefix(TEXT).and_then(|element| {
            let (head, number) = element.strip_suffix("</text>")?.split_once('>')?;
            let (_, fill) = head.split_once("fill=")?;
            Some((texts.get(number.parse::<usize>().ok()?)?, fill))
        });
        _ = match text {
            Some(((at, text, size_px, anchor), fill)) => {
                let path = path(&fonts, *at, text, *size_px, *anchor);
                writeln!(file, "<g role=\"img\" aria-label=\"{}\"><path d=\"{path}\" fill={fill}/></g>", escaped(text))
            }
            None => writeln!(file, "{line}"),
        };
    }
    file
}

/// The outlines of a text with the lower edge of its letters at a place, as the data of a path.
fn path(fonts: &Fonts, at: DVec2, text: &str, size_px: f64, anchor: Anchor) -> String {
    let glyphs: Vec<_> = text.chars().filter_map(|character| fonts.glyph(character)).collect();
    let width = glyphs.iter().map(|glyph| glyph.advance).sum::<f64>() * size_px;
    let before = match anchor {
        Anchor::Left => 0.0,
        Anchor::Middle => width / 2.0,
        Anchor::Right => width,
    };
    let origin = at - DVec2::new(before, fonts.descent() * size_px);
    let mut data = PathData { origin, text: String::new() };
    for glyph in glyphs {
        let outline = fonts.get(glyph.font).and_then(|font| font.tables.outline_glyphs().get(glyph.id));
        if let Some(outline) = outline {
            let settings = DrawSettings::unhinted(Size::new(size_px as f32), LocationRef::default());
            // The outlines of the fonts of the program are valid.
            _ = outline.draw(settings, &mut data);
        }
        data.origin.x += glyph.advance * size_px;
    }
    data.text
}

/// The data of a path, from outlines with the y axis upwards.
struct PathData {
    /// The origin of the present letter on the page, in pixels.
    origin: DVec2,
    text: String,
}

impl PathData {
    fn command(&mut self, command: char, points: &[(f32, f32)]) {
        self.text.push(command);
        for (place, (x, y)) in points.iter().enumerate() {
            let at = self.origin + DVec2::new(f64::from(*x), -f64::from(*y));
            let gap = if place == 0 { "" } else { " " };
            // Two decimals, as in the rest of the file.
            let [x, y] = at.to_array().map(|number| (number * 100.0).round() / 100.0 + 0.0);
            _ = write!(self.text, "{gap}{x},{y}");
        }
    }
}

impl OutlinePen for PathData {
    fn move_to(&mut self, x: f32, y: f32) {
        self.command('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.command('L', &[(x, y)]);
    }

    fn quad_to(&mut self, control_x: f32, control_y: f32, x: f32, y: f32) {
        self.command('Q', &[(control_x, control_y), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.command('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.command('Z', &[]);
    }
}

#[cfg(test)]
mod tests {
    use swarmarium_picture::{Layer, Role, YAxis};

    use super::*;

    #[test]
    fn every_text_becomes_outlines_at_its_place() {
        let mut picture = Picture::default();
        for anchor in [Anchor::Left, Anchor::Right] {
            let text = Shape::Text { at: DVec2::ZERO, text: "\"m/s²\" 1".into(), size_px: 10.0, anchor };
            picture.add(Layer::Labels, Role::Text.faint(0.5), text);
        }
        let (center_m, screen_px) = (DVec2::ZERO, DVec2::splat(100.0));
        let camera = Camera { center_m, pixels_per_m: 10.0, screen_px, y_axis: YAxis::Up, turn_rad: 0.0 };
        let svg = write(&Svg::default(), &picture, &camera);
        assert!(!svg.contains(TEXT) && svg.ends_with("</svg>\n") && svg.contains("fill-opacity="), "{svg}");
        assert_eq!(svg.matches("<g role=\"img\" aria-label=\"&quot;m/s²&quot; 1\"><path d=\"M").count(), 2);
        let lefts =
            svg.split("<path d=\"M").skip(1).map(|path| path.split(',').next().unwrap().parse::<f64>().unwrap());
        let lefts: Vec<f64> = lefts.collect();
        assert!(lefts[0] > 50.0 && lefts[1] < 30.0 && lefts[1] > 10.0, "{lefts:?}");
        assert_eq!(
            write(&Svg::default(), &Picture::default(), &camera),
            Svg::default().write(&Picture::default(), &camera)
        );
    }
}

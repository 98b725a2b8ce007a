//! SVG files with texts as outlines of their letters, which look the same in every program and need no font.
//!
//! The file has the outline of each letter once, and a text is a row of references to them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use bevy::math::DVec2;
use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use swarmarium_picture::fonts::{Fonts, Glyph};
use swarmarium_picture::svg::escaped;
use swarmarium_picture::{Anchor, Camera, Picture, Shape, Svg};

/// The start of an element with a text, as the painter of SVG files writes it: one in a line.
const TEXT: &str = "<text ";
/// The size of the outlines, in the units of their coordinates, which are whole numbers.
const UNITS: f64 = 1000.0;
/// The head of a file, and the same with the names of references as in SVG 1.1, which all programs know.
const HEAD: [&str; 2] = ["<svg ", "<svg xmlns:xlink=\"http://www.w3.org/1999/xlink\" "];

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
    let mut letters = Letters::default();
    let written = svg.write(&numbered, camera);
    let mut lines = written.lines().map(|line| {
        let text = line.strip_prefix(TEXT).and_then(|element| {
            let (head, number) = element.strip_suffix("</text>")?.split_once('>')?;
            let (_, fill) = head.split_once("fill=")?;
            Some((texts.get(number.parse::<usize>().ok()?)?, fill))
        });
        match text {
            Some(((at, text, size_px, anchor), fill)) => letters.row(*at, text, *size_px, *anchor, fill) + "\n",
            None => format!("{line}\n"),
        }
    });
    let head = lines.next().unwrap_or_default();
    let body: String = lines.collect();
    match letters.outlines.is_empty() {
        true => head + &body,
        false => head.replacen(HEAD[0], HEAD[1], 1) + &letters.definitions() + &body,
    }
}

/// The letters of a file.
#[derive(Default)]
struct Letters {
    fonts: Fonts,
    /// The data of the path of each letter, by its name in the file.
    outlines: BTreeMap<String, String>,
}

impl Letters {
    /// The element of a text with the lower edge of its letters at a place.
    fn row(&mut self, at: DVec2, text: &str, size_px: f64, anchor: Anchor, fill: &str) -> String {
        let glyphs: Vec<Glyph> = text.chars().filter_map(|character| self.fonts.glyph(character)).collect();
        let width = glyphs.iter().map(|glyph| glyph.advance).sum::<f64>() * size_px;
        let before = match anchor {
            Anchor::Left => 0.0,
            Anchor::Middle => width / 2.0,
            Anchor::Right => width,
        };
        let origin = at - DVec2::new(before, self.fonts.descent() * size_px);
        let [x, y] = origin.to_array().map(|number| rounded(number, 100.0));
        let mut row = format!(
            "<g role=\"img\" aria-label=\"{}\" fill={fill} transform=\"translate({x} {y}) scale({})\">",
            escaped(text),
            rounded(size_px / UNITS, 1e6)
        );
        let mut x = 0.0;
        for glyph in glyphs {
            if let Some(name) = self.name(glyph) {
                _ = write!(row, "<use xlink:href=\"#{name}\" x=\"{}\"/>", rounded(x * UNITS, 1.0));
            }
            x += glyph.advance;
        }
        row + "</g>"
    }

    /// The name of a letter, whose outline becomes part of the file; `None` for a letter without one, such as a space.
    fn name(&mut self, glyph: Glyph) -> Option<String> {
        let name = format!("f{}g{}", glyph.font, glyph.id.to_u32());
        if !self.outlines.contains_key(&name) {
            let outline = self.fonts.get(glyph.font)?.tables.outline_glyphs().get(glyph.id)?;
            let settings = DrawSettings::unhinted(Size::new(UNITS as f32), LocationRef::default());
            let mut path = PathData::default();
            // The outlines of the fonts of the program are valid.
            _ = outline.draw(settings, &mut path);
            self.outlines.insert(name.clone(), path.text);
        }
        self.outlines.get(&name).is_some_and(|path| !path.is_empty()).then_some(name)
    }

    /// The element with the outlines of all letters.
    fn definitions(&self) -> String {
        let outlines = self.outlines.iter().filter(|(_, path)| !path.is_empty());
        let paths = outlines.map(|(name, path)| format!("<path id=\"{name}\" d=\"{path}\"/>\n"));
        format!("<defs>\n{}</defs>\n", paths.collect::<String>())
    }
}

/// A number as a multiple of a part, such as 100 for hundredths, and never −0.
fn rounded(number: f64, parts: f64) -> f64 {
    (number * parts).round() / parts + 0.0
}

/// The data of a path, from an outline with the y axis upwards.
#[derive(Default)]
struct PathData {
    text: String,
}

impl PathData {
    fn command(&mut self, command: char, points: &[(f32, f32)]) {
        self.text.push(command);
        for (place, (x, y)) in points.iter().enumerate() {
            let gap = if place == 0 { "" } else { " " };
            let [x, y] = [*x, -*y].map(|number| rounded(f64::from(number), 1.0));
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
        assert_eq!(svg.matches("<g role=\"img\" aria-label=\"&quot;m/s²&quot; 1\" fill=").count(), 2);
        // Letters of both texts are references to one outline of each; a space has none.
        assert_eq!(svg.matches("<path id=").count(), 6);
        assert_eq!(svg.matches("<use xlink:href=").count(), 14);
        let lefts = svg.split("translate(").skip(1).map(|text| text.split(' ').next().unwrap().parse::<f64>().unwrap());
        let lefts: Vec<f64> = lefts.collect();
        assert!(lefts[0] == 50.0 && lefts[1] < 30.0 && lefts[1] > 10.0, "{lefts:?}");
        assert_eq!(
            write(&Svg::default(), &Picture::default(), &camera),
            Svg::default().write(&Picture::default(), &camera)
        );
    }
}

//! Texts as outlines, in the open fonts of the window.

use std::collections::HashMap;

use skrifa::MetadataProvider as _;
use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use swarmarium_picture::Anchor;
use swarmarium_picture::fonts::Fonts;
use vello_cpu::kurbo::{Affine, BezPath};

/// The outline of a character at a size of one pixel, y down, and the distance to the next one.
struct Glyph {
    outline: BezPath,
    advance: f64,
}

/// The typesetter: lays out texts and caches their glyphs.
pub struct Typesetter {
    fonts: Fonts,
    glyphs: HashMap<char, Glyph>,
    /// The depth of glyphs below the baseline, at a size of one pixel.
    descent: f64,
}

impl Default for Typesetter {
    fn default() -> Self {
        let fonts = Fonts::default();
        Self { descent: fonts.descent(), fonts, glyphs: HashMap::new() }
    }
}

impl Typesetter {
    /// Lays out a text at a point, and passes each outline with its transformation to `draw`.
    pub fn lay_out(
        &mut self,
        text: &str,
        size_px: f64,
        anchor: Anchor,
        (x, y): (f64, f64),
        mut draw: impl FnMut(Affine, &BezPath),
    ) {
        for character in text.chars() {
            self.glyphs.entry(character).or_insert_with(|| glyph(&self.fonts, character));
        }
        let known = |character: char| self.glyphs.get(&character);
        let width = text.chars().filter_map(known).map(|glyph| glyph.advance).sum::<f64>() * size_px;
        let mut at = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::Right => x - width,
        };
        let baseline_y = y - self.descent * size_px;
        for glyph in text.chars().filter_map(known) {
            draw(Affine::translate((at, baseline_y)) * Affine::scale(size_px), &glyph.outline);
            at += glyph.advance * size_px;
        }
    }
}

/// The outline of a character.
fn glyph(fonts: &Fonts, character: char) -> Glyph {
    let Some(found) = fonts.glyph(character) else { return Glyph { outline: BezPath::new(), advance: 0.5 } };
    let mut pen = Pen(BezPath::new());
    if let Some(glyph) = fonts.get(found.font).and_then(|font| font.tables.outline_glyphs().get(found.id)) {
        // A broken outline is drawn up to the error.
        let _ = glyph.draw(DrawSettings::unhinted(Size::new(1.0), LocationRef::default()), &mut pen);
    }
    Glyph { outline: pen.0, advance: found.advance }
}

/// The pen for outlines with y down.
struct Pen(BezPath);

fn point(x: f32, y: f32) -> (f64, f64) {
    (f64::from(x), f64::from(-y))
}

impl OutlinePen for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.0.move_to(point(x, y));
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.0.line_to(point(x, y));
    }

    fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
        self.0.quad_to(point(cx, cy), point(x, y));
    }

    fn curve_to(&mut self, cx: f32, cy: f32, dx: f32, dy: f32, x: f32, y: f32) {
        self.0.curve_to(point(cx, cy), point(dx, dy), point(x, y));
    }

    fn close(&mut self) {
        self.0.close_path();
    }
}

#[cfg(test)]
mod tests {
    use vello_cpu::kurbo::Shape as _;

    use super::*;

    /// The bounding box of a text, in pixels.
    fn bounds(text: &str, anchor: Anchor) -> vello_cpu::kurbo::Rect {
        let mut all = BezPath::new();
        Typesetter::default().lay_out(text, 20.0, anchor, (100.0, 50.0), |place, outline| all.extend(place * outline));
        all.bounding_box()
    }

    #[test]
    fn painted_texts_are_anchored_at_their_point() {
        let [left, middle, right] = [Anchor::Left, Anchor::Middle, Anchor::Right].map(|anchor| bounds("Hgl", anchor));
        assert!(left.x0 >= 100.0 && right.x1 <= 100.0 && middle.x0 < 100.0 && middle.x1 > 100.0);
        assert!((left.width() - right.width()).abs() < 1e-9);
        for text in [left, middle, right] {
            assert!(text.y1 <= 50.0 && text.y1 > 47.0 && text.height() > 12.0 && text.height() < 24.0, "{text:?}");
        }
    }

    #[test]
    fn missing_characters_are_painted_as_a_box() {
        assert!(bounds("\u{10FFFF}", Anchor::Left).area() > 1.0);
        assert!(bounds("5 m²", Anchor::Left).width() > bounds("5 m", Anchor::Left).width());
    }
}

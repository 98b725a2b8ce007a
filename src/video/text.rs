//! Texts as outlines, in the open fonts of the window.

use std::collections::HashMap;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};
use swarmarium_picture::Anchor;
use vello_cpu::kurbo::{Affine, BezPath};

/// The outline of a character at a size of one pixel, y down, and the distance to the next one.
struct Glyph {
    outline: BezPath,
    advance: f64,
}

/// The typesetter: lays out texts and caches their glyphs.
pub struct Typesetter {
    fonts: Vec<FontRef<'static>>,
    glyphs: HashMap<char, Glyph>,
    /// The depth of glyphs below the baseline, at a size of one pixel.
    descent: f64,
}

impl Default for Typesetter {
    fn default() -> Self {
        let files = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];
        let fonts: Vec<FontRef> = files.into_iter().filter_map(|file| FontRef::new(file).ok()).collect();
        let metrics = fonts.first().map(|font| font.metrics(Size::new(1.0), LocationRef::default()));
        Self { fonts, glyphs: HashMap::new(), descent: metrics.map_or(0.0, |metrics| -f64::from(metrics.descent)) }
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

/// The glyph of a character in the first font that has it, or else the box for missing characters of the first font.
fn glyph(fonts: &[FontRef<'static>], character: char) -> Glyph {
    let in_font = fonts.iter().find_map(|font| Some((font, font.charmap().map(character)?)));
    let Some((font, glyph)) = in_font.or_else(|| Some((fonts.first()?, GlyphId::NOTDEF))) else {
        return Glyph { outline: BezPath::new(), advance: 0.5 };
    };
    let (size, place) = (Size::new(1.0), LocationRef::default());
    let advance = font.glyph_metrics(size, place).advance_width(glyph).map_or(0.5, f64::from);
    let mut pen = Pen(BezPath::new());
    if let Some(glyph) = font.outline_glyphs().get(glyph) {
        // A broken outline is drawn up to the error.
        let _ = glyph.draw(DrawSettings::unhinted(size, place), &mut pen);
    }
    Glyph { outline: pen.0, advance }
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
    fn texts_are_anchored_at_their_point() {
        let [left, middle, right] = [Anchor::Left, Anchor::Middle, Anchor::Right].map(|anchor| bounds("Hgl", anchor));
        assert!(left.x0 >= 100.0 && right.x1 <= 100.0 && middle.x0 < 100.0 && middle.x1 > 100.0);
        assert!((left.width() - right.width()).abs() < 1e-9);
        for text in [left, middle, right] {
            assert!(text.y1 <= 50.0 && text.y1 > 47.0 && text.height() > 12.0 && text.height() < 24.0, "{text:?}");
        }
    }

    #[test]
    fn missing_characters_are_drawn_as_a_box() {
        assert!(bounds("\u{10FFFF}", Anchor::Left).area() > 1.0);
        assert!(bounds("5 m²", Anchor::Left).width() > bounds("5 m", Anchor::Left).width());
    }
}

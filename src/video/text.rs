//! Words as outlines, from the open fonts that the window uses too.

use std::collections::HashMap;

use skrifa::instance::{LocationRef, Size};
use skrifa::outline::{DrawSettings, OutlinePen};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};
use swarmarium_picture::Anchor;
use vello_cpu::kurbo::{Affine, BezPath};

/// The outline of a letter at a size of one pixel, y down, and how far the next letter is.
struct Letter {
    outline: BezPath,
    advance: f64,
}

/// Sets text; keeps the letters that it has drawn.
pub struct Text {
    fonts: Vec<FontRef<'static>>,
    letters: HashMap<char, Letter>,
    /// How far below the line letters reach, at a size of one pixel.
    descent: f64,
}

impl Default for Text {
    fn default() -> Self {
        let files = [epaint_default_fonts::UBUNTU_LIGHT, epaint_default_fonts::HACK_REGULAR];
        let fonts: Vec<FontRef> = files.into_iter().filter_map(|file| FontRef::new(file).ok()).collect();
        let metrics = fonts.first().map(|font| font.metrics(Size::new(1.0), LocationRef::default()));
        Self { fonts, letters: HashMap::new(), descent: metrics.map_or(0.0, |metrics| -f64::from(metrics.descent)) }
    }
}

impl Text {
    /// Gives the outlines of a text that stands on a point to `draw`, each with where it goes.
    pub fn set(
        &mut self,
        text: &str,
        size_px: f64,
        anchor: Anchor,
        (x, y): (f64, f64),
        mut draw: impl FnMut(Affine, &BezPath),
    ) {
        for letter in text.chars() {
            self.letters.entry(letter).or_insert_with(|| outline(&self.fonts, letter));
        }
        let known = |letter: char| self.letters.get(&letter);
        let width = text.chars().filter_map(known).map(|letter| letter.advance).sum::<f64>() * size_px;
        let mut at = match anchor {
            Anchor::Left => x,
            Anchor::Middle => x - width / 2.0,
            Anchor::Right => x - width,
        };
        let line = y - self.descent * size_px;
        for letter in text.chars().filter_map(known) {
            draw(Affine::translate((at, line)) * Affine::scale(size_px), &letter.outline);
            at += letter.advance * size_px;
        }
    }
}

/// The outline of a letter in the first font that has it; a letter that none has is the box of the first font.
fn outline(fonts: &[FontRef<'static>], letter: char) -> Letter {
    let with_letter = fonts.iter().find_map(|font| Some((font, font.charmap().map(letter)?)));
    let Some((font, glyph)) = with_letter.or_else(|| Some((fonts.first()?, GlyphId::NOTDEF))) else {
        return Letter { outline: BezPath::new(), advance: 0.5 };
    };
    let (size, place) = (Size::new(1.0), LocationRef::default());
    let advance = font.glyph_metrics(size, place).advance_width(glyph).map_or(0.5, f64::from);
    let mut pen = Pen(BezPath::new());
    if let Some(glyph) = font.outline_glyphs().get(glyph) {
        // An outline that is broken is drawn as far as it goes.
        let _ = glyph.draw(DrawSettings::unhinted(size, place), &mut pen);
    }
    Letter { outline: pen.0, advance }
}

/// Draws outlines with y down.
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

    /// The box around a text, in pixels.
    fn bounds(text: &str, anchor: Anchor) -> vello_cpu::kurbo::Rect {
        let mut all = BezPath::new();
        Text::default().set(text, 20.0, anchor, (100.0, 50.0), |place, outline| all.extend(place * outline));
        all.bounding_box()
    }

    #[test]
    fn texts_stand_on_their_point_at_their_anchor() {
        let [left, middle, right] = [Anchor::Left, Anchor::Middle, Anchor::Right].map(|anchor| bounds("Hgl", anchor));
        assert!(left.x0 >= 100.0 && right.x1 <= 100.0 && middle.x0 < 100.0 && middle.x1 > 100.0);
        assert!((left.width() - right.width()).abs() < 1e-9);
        for text in [left, middle, right] {
            assert!(text.y1 <= 50.0 && text.y1 > 47.0 && text.height() > 12.0 && text.height() < 24.0, "{text:?}");
        }
    }

    #[test]
    fn letters_that_no_font_has_are_drawn_as_something() {
        assert!(bounds("\u{10FFFF}", Anchor::Left).area() > 1.0);
        assert!(bounds("5 m²", Anchor::Left).width() > bounds("5 m", Anchor::Left).width());
    }
}

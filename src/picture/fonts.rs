//! The fonts of texts in pictures: the open fonts of the window.

use skrifa::instance::{LocationRef, Size};
use skrifa::{FontRef, GlyphId, MetadataProvider as _};

mod subset;

pub use subset::subset;

/// The fonts, in the order in which a character is looked up.
pub struct Fonts(Vec<Font>);

/// A font with its name in files.
pub struct Font {
    /// The PostScript name.
    pub name: &'static str,
    /// The tables of the font.
    pub tables: FontRef<'static>,
}

/// A character in a font.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Glyph {
    /// The place of the font.
    pub font: usize,
    /// The number of the glyph in the font.
    pub id: GlyphId,
    /// The distance to the next character, as a part of the size of the text.
    pub advance: f64,
}

impl Default for Fonts {
    fn default() -> Self {
        let files = [
            ("Ubuntu-Light", epaint_default_fonts::UBUNTU_LIGHT),
            ("Hack-Regular", epaint_default_fonts::HACK_REGULAR),
        ];
        let font = |(name, file)| FontRef::new(file).ok().map(|tables| Font { name, tables });
        Self(files.into_iter().filter_map(font).collect())
    }
}

impl Fonts {
    /// The font in a place.
    pub fn get(&self, place: usize) -> Option<&Font> {
        self.0.get(place)
    }

    /// The glyph of a character in the first font that has it, or else the box for missing characters of the first font.
    pub fn glyph(&self, character: char) -> Option<Glyph> {
        let known = |(font, known): (usize, &Font)| Some((font, known.tables.charmap().map(character)?));
        let (font, id) = self.0.iter().enumerate().find_map(known).unwrap_or((0, GlyphId::NOTDEF));
        let metrics = self.get(font)?.tables.glyph_metrics(Size::new(1.0), LocationRef::default());
        Some(Glyph { font, id, advance: metrics.advance_width(id).map_or(0.5, f64::from) })
    }

    /// The depth of glyphs below the baseline, as a part of the size of the text.
    pub fn descent(&self) -> f64 {
        let metrics = self.get(0).map(|font| font.tables.metrics(Size::new(1.0), LocationRef::default()));
        metrics.map_or(0.0, |metrics| -f64::from(metrics.descent))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_font_has_glyphs_for_all_units() {
        let fonts = Fonts::default();
        for character in "m/s²θ°µ·−–…⅓ Ωω√".chars() {
            let glyph = fonts.glyph(character).unwrap();
            assert!(glyph.id != GlyphId::NOTDEF && glyph.advance > 0.1, "{character}");
        }
        assert_eq!(fonts.glyph('\u{10FFFF}').unwrap().id, GlyphId::NOTDEF);
        assert!(fonts.descent() > 0.1 && fonts.descent() < 0.3);
    }
}

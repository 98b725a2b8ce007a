//! A font with some of its glyphs only, for files that embed it.
//!
//! Glyphs keep their numbers. The format of the tables is that of OpenType 1.9.

use std::collections::BTreeSet;

use skrifa::GlyphId;
use skrifa::raw::tables::glyf::Glyph;
use skrifa::raw::types::Tag;
use skrifa::raw::{FontRef, ReadError, TableProvider as _};

/// The sum of all 32-bit words of a font, with which the table `head` is adjusted.
const MAGIC_SUM: u32 = 0xB1B0_AFBA;

/// The file of a TrueType font with the outlines of some glyphs and of their components.
///
/// # Errors
/// When a table of the font is missing or broken.
pub fn subset(font: &FontRef, used: impl IntoIterator<Item = GlyphId>) -> Result<Vec<u8>, ReadError> {
    let (loca, glyf, hmtx) = (font.loca(None)?, font.glyf()?, font.hmtx()?);
    let mut kept = BTreeSet::new();
    let mut open: Vec<GlyphId> = used.into_iter().chain([GlyphId::NOTDEF]).collect();
    while let Some(id) = open.pop() {
        if kept.insert(id.to_u32())
            && let Some(Glyph::Composite(glyph)) = loca.get_glyf(id, &glyf)?
        {
            open.extend(glyph.component_glyphs_and_flags().map(|(id, _)| GlyphId::from(id)));
        }
    }
    let count = kept.last().map_or(1, |last| last + 1);
    let (mut outlines, mut places, mut metrics) = (Vec::new(), Vec::new(), Vec::new());
    for id in 0..count {
        places.extend(length(&outlines).to_be_bytes());
        let (mut advance, mut bearing) = (0, 0);
        if kept.contains(&id) {
            let range = [id, id + 1].map(|place| loca.get_raw(place as usize).unwrap_or_default() as usize);
            outlines.extend(glyf.offset_data().as_bytes().get(range[0]..range[1]).unwrap_or_default());
            outlines.resize(outlines.len().next_multiple_of(4), 0);
            let id = GlyphId::new(id);
            (advance, bearing) = (hmtx.advance(id).unwrap_or_default(), hmtx.side_bearing(id).unwrap_or_default());
        }
        metrics.extend(advance.to_be_bytes());
        metrics.extend(bearing.to_be_bytes());
    }
    places.extend(length(&outlines).to_be_bytes());

    let copied = |tag: &[u8; 4]| font.table_data(Tag::new(tag)).map(|data| data.as_bytes().to_vec());
    let number = u16::try_from(count).unwrap_or(u16::MAX).to_be_bytes();
    let changed = |tag: &[u8; 4], changes: &[(usize, &[u8])]| {
        let mut table = copied(tag).ok_or(ReadError::TableIsMissing(Tag::new(tag)))?;
        for (at, bytes) in changes {
            let place = table.get_mut(*at..at + bytes.len()).ok_or(ReadError::OutOfBounds)?;
            place.copy_from_slice(bytes);
        }
        Ok::<_, ReadError>(table)
    };
    let tables = [
        (b"cvt ", copied(b"cvt ")),
        (b"fpgm", copied(b"fpgm")),
        (b"glyf", Some(outlines)),
        // The sum of the file, set below, and long offsets in `loca`.
        (b"head", Some(changed(b"head", &[(8, &[0; 4]), (50, &[0, 1])])?)),
        (b"hhea", Some(changed(b"hhea", &[(34, &number)])?)),
        (b"hmtx", Some(metrics)),
        (b"loca", Some(places)),
        (b"maxp", Some(changed(b"maxp", &[(4, &number)])?)),
        (b"prep", copied(b"prep")),
    ];
    Ok(file(tables.into_iter().filter_map(|(tag, table)| Some((tag, table?))).collect()))
}

/// The length of the outlines of the few glyphs of a figure.
fn length(bytes: &[u8]) -> u32 {
    u32::try_from(bytes.len()).unwrap_or(u32::MAX)
}

/// The sum of the 32-bit words of a table.
fn sum(bytes: &[u8]) -> u32 {
    let word = |bytes: &[u8]| (0..4).fold(0, |word, at| word << 8 | u32::from(bytes.get(at).copied().unwrap_or(0)));
    bytes.chunks(4).map(word).fold(0, u32::wrapping_add)
}

/// The file of some tables, in the order of their tags.
fn file(tables: Vec<(&[u8; 4], Vec<u8>)>) -> Vec<u8> {
    let count = u16::try_from(tables.len()).unwrap_or(u16::MAX);
    let selector = count.ilog2() as u16;
    let range = 16 << selector;
    let mut file = vec![0, 1, 0, 0];
    [count, range, selector, count * 16 - range].iter().for_each(|number| file.extend(number.to_be_bytes()));
    let (mut at, mut head) = (12 + 16 * tables.len(), 0);
    for (tag, table) in &tables {
        if *tag == b"head" {
            head = at;
        }
        file.extend(*tag);
        let place = u32::try_from(at).unwrap_or(u32::MAX);
        [sum(table), place, length(table)].iter().for_each(|number| file.extend(number.to_be_bytes()));
        at += table.len().next_multiple_of(4);
    }
    for (_, table) in tables {
        file.extend(table);
        file.resize(file.len().next_multiple_of(4), 0);
    }
    let adjustment = MAGIC_SUM.wrapping_sub(sum(&file)).to_be_bytes();
    if let Some(place) = file.get_mut(head + 8..head + 12) {
        place.copy_from_slice(&adjustment);
    }
    file
}

#[cfg(test)]
mod tests {
    use skrifa::MetadataProvider as _;
    use skrifa::instance::{LocationRef, Size};
    use skrifa::outline::{DrawSettings, OutlinePen};

    use super::*;
    use crate::fonts::Fonts;

    /// Writes an outline as text.
    #[derive(Default)]
    struct Text(String);

    impl OutlinePen for Text {
        fn move_to(&mut self, x: f32, y: f32) {
            self.0 += &format!("M{x},{y}");
        }

        fn line_to(&mut self, x: f32, y: f32) {
            self.0 += &format!("L{x},{y}");
        }

        fn quad_to(&mut self, cx: f32, cy: f32, x: f32, y: f32) {
            self.0 += &format!("Q{cx},{cy},{x},{y}");
        }

        fn curve_to(&mut self, cx: f32, cy: f32, dx: f32, dy: f32, x: f32, y: f32) {
            self.0 += &format!("C{cx},{cy},{dx},{dy},{x},{y}");
        }

        fn close(&mut self) {
            self.0 += "Z";
        }
    }

    fn outline(font: &FontRef, id: GlyphId) -> String {
        let mut text = Text::default();
        if let Some(glyph) = font.outline_glyphs().get(id) {
            glyph.draw(DrawSettings::unhinted(Size::new(100.0), LocationRef::default()), &mut text).unwrap();
        }
        text.0
    }

    #[test]
    fn a_subset_has_the_outlines_of_its_glyphs_and_no_others() {
        let fonts = Fonts::default();
        for (place, kept) in [(0, "m/s²θ°äé"), (1, "▶√aé")] {
            let font = &fonts.get(place).unwrap().tables;
            let id = |character: char| font.charmap().map(character).unwrap();
            let file = subset(font, kept.chars().map(id)).unwrap();
            assert!(file.len() < 60_000 && sum(&file) == MAGIC_SUM, "{}", file.len());
            let small = FontRef::new(&file).unwrap();
            for character in kept.chars() {
                let id = id(character);
                assert_eq!(outline(&small, id), outline(font, id), "{character}");
                assert!(!outline(font, id).is_empty());
                let advance = |font: &FontRef| font.hmtx().unwrap().advance(id);
                assert_eq!(advance(&small), advance(font));
            }
            assert_eq!(outline(&small, id('W')), "");
        }
    }
}

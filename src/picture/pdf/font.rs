//! Fonts of PDF files: the glyphs that a page has, with their widths and characters.

use std::collections::BTreeMap;

use pdf_writer::types::{CidFontType, FontFlags, SystemInfo, UnicodeCmap};
use pdf_writer::{Finish as _, Name, Pdf, Rect, Ref, Str};
use skrifa::instance::{LocationRef, Size};
use skrifa::{GlyphId, MetadataProvider as _};

use super::single;
use crate::fonts::{Font, subset};

const IDENTITY: SystemInfo<'static> = SystemInfo { registry: Str(b"Adobe"), ordering: Str(b"Identity"), supplement: 0 };

/// The name of the font in a place, in the resources of a page.
pub fn resource(place: usize) -> Vec<u8> {
    format!("f{place}").into_bytes()
}

/// Embeds the glyphs of a font with the characters that they stand for. A font that cannot be read is named but not embedded.
pub fn embed(file: &mut Pdf, id: Ref, next: &mut impl FnMut() -> Ref, font: &Font, used: &BTreeMap<u16, char>) {
    let (descendant, descriptor, data, to_unicode) = (next(), next(), next(), next());
    let name = format!("{}+{}", tag(used), font.name);
    let name = Name(name.as_bytes());
    file.type0_font(id)
        .base_font(name)
        .encoding_predefined(Name(b"Identity-H"))
        .descendant_font(descendant)
        .to_unicode(to_unicode);

    // Lengths are in thousandths of the size.
    let (size, place) = (Size::new(1000.0), LocationRef::default());
    let (metrics, glyphs) = (font.tables.metrics(size, place), font.tables.glyph_metrics(size, place));
    let mut cid = file.cid_font(descendant);
    cid.subtype(CidFontType::Type2).base_font(name).system_info(IDENTITY).font_descriptor(descriptor);
    cid.default_width(0.0).cid_to_gid_map_predefined(Name(b"Identity"));
    let mut widths = cid.widths();
    for glyph in used.keys() {
        let width = glyphs.advance_width(GlyphId::from(*glyph)).unwrap_or(500.0);
        widths.consecutive(*glyph, [single(width.into())]);
    }
    widths.finish();
    cid.finish();

    let bounds = metrics.bounds.unwrap_or_default();
    let mut about = file.font_descriptor(descriptor);
    about.name(name).flags(FontFlags::SYMBOLIC).italic_angle(metrics.italic_angle).stem_v(80.0);
    about.bbox(Rect::new(bounds.x_min, bounds.y_min, bounds.x_max, bounds.y_max));
    about.ascent(metrics.ascent).descent(metrics.descent).cap_height(metrics.cap_height.unwrap_or(metrics.ascent));
    let outlines = subset(&font.tables, used.keys().map(|glyph| GlyphId::from(*glyph))).ok();
    if outlines.is_some() {
        about.font_file2(data);
    }
    about.finish();
    if let Some(outlines) = outlines {
        let length = i32::try_from(outlines.len()).unwrap_or(i32::MAX);
        file.stream(data, &outlines).pair(Name(b"Length1"), length);
    }
    let mut characters = UnicodeCmap::new(Name(b"Characters"), IDENTITY);
    used.iter().for_each(|(glyph, character)| characters.pair(*glyph, *character));
    file.cmap(to_unicode, &characters.finish());
}

/// The six letters before the name of an embedded font, which differ for fonts with other glyphs.
fn tag(used: &BTreeMap<u16, char>) -> String {
    let mix = |hash: u32, glyph: &u16| (hash ^ u32::from(*glyph)).wrapping_mul(16_777_619);
    let mut hash = used.keys().fold(2_166_136_261, mix);
    let letter = |_| {
        let letter = b'A' + (hash % 26) as u8;
        hash /= 26;
        char::from(letter)
    };
    (0..6).map(letter).collect()
}

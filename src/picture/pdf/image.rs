//! Images of PDF files: cells of a field, a pixel each.

use pdf_writer::{Finish as _, Name, Pdf, Ref};

use crate::cells::Cells;

/// The pixels of a field, from the top left corner.
pub struct Image {
    columns: i32,
    lines: i32,
    /// The levels of the pixels.
    levels: Vec<u8>,
    /// Red, green and blue of each level.
    colors: Vec<u8>,
    /// The opacities of the pixels.
    opacities: Vec<u8>,
}

/// The name of the image in a place, in the resources of a page.
pub fn resource(place: usize) -> Vec<u8> {
    format!("i{place}").into_bytes()
}

impl Image {
    /// The image of cells in so many lines; `color` gives the colour and the opacity of a level.
    pub fn from_cells(cells: &Cells, lines: usize, color: impl Fn(u8) -> ([u8; 3], u8)) -> Self {
        let table: Vec<_> = (0..=u8::MAX).map(|level| if level == 0 { ([0; 3], 0) } else { color(level) }).collect();
        // The first line of cells is the lowest one.
        let levels: Vec<u8> =
            cells.levels.chunks_exact(cells.columns.max(1)).take(lines).rev().flatten().copied().collect();
        let opacity = |level: &u8| table.get(usize::from(*level)).map_or(0, |(_, opacity)| *opacity);
        let opacities = levels.iter().map(opacity).collect();
        let [columns, lines] = [cells.columns, lines].map(|count| i32::try_from(count).unwrap_or(i32::MAX));
        Self { columns, lines, levels, colors: table.iter().flat_map(|(rgb, _)| *rgb).collect(), opacities }
    }

    /// Writes the image, and its opacities as a mask.
    pub fn embed(&self, file: &mut Pdf, id: Ref, mask: Ref) {
        let mut image = file.image_xobject(id, &self.levels);
        image.width(self.columns).height(self.lines).bits_per_component(8).interpolate(false).s_mask(mask);
        image.color_space().indexed(Name(b"DeviceRGB"), 255, &self.colors);
        image.finish();
        let mut image = file.image_xobject(mask, &self.opacities);
        image.width(self.columns).height(self.lines).bits_per_component(8).interpolate(false);
        image.color_space().device_gray();
        image.finish();
    }
}

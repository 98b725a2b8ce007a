//! Colours, and grids of coloured cells.

use bevy::math::DVec2;

/// A colour: red, green and blue, sRGB.
pub type Rgb = [u8; 3];

/// The colour of a floor on which nothing lies.
pub const WHITE: Rgb = [255; 3];

/// The brightness of a colour, from 0 (black) to 1 (white): its luma with the weights of ITU-R BT.601.
#[inline]
#[must_use]
pub fn grey([red, green, blue]: Rgb) -> f64 {
    (299 * u32::from(red) + 587 * u32::from(green) + 114 * u32::from(blue)) as f64 / 255_000.0
}

/// A grid of coloured cells that covers the first form of an object, a rectangle.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct FloorGrid {
    /// A number that is different for other cells, so that equal ones need not be made again.
    pub key: u64,
    /// Number of cells in a line.
    pub columns: usize,
    /// Colours of the cells, line by line from the first corner of the rectangle.
    pub cells: Box<[Rgb]>,
}

impl FloorGrid {
    /// Number of lines.
    #[must_use]
    pub fn lines(&self) -> usize {
        self.cells.len() / self.columns.max(1)
    }

    /// The colour at a place of the rectangle, from 0 to 1 along each side; `None` outside.
    ///
    /// The edge between two cells belongs to the second one, and the rim of the rectangle to its last cells.
    #[inline]
    #[must_use]
    pub fn at(&self, place: DVec2) -> Option<Rgb> {
        if !((0.0..=1.0).contains(&place.x) && (0.0..=1.0).contains(&place.y)) {
            return None;
        }
        let along = |part: f64, count: usize| ((part * count as f64) as usize).min(count.saturating_sub(1));
        let (column, line) = (along(place.x, self.columns), along(place.y, self.lines()));
        self.cells.get(line * self.columns + column).copied()
    }
}

/// The place of a point in a rectangle that is given by its corners, from 0 to 1 along the first and the last side.
#[inline]
#[must_use]
pub fn place_in(corners: &[DVec2], point: DVec2) -> Option<DVec2> {
    let &[corner, right, _, up] = corners else { return None };
    let (along, aside, offset) = (right - corner, up - corner, point - corner);
    Some(DVec2::new(offset.dot(along) / along.length_squared(), offset.dot(aside) / aside.length_squared()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn greys_are_those_of_bt_601() {
        assert_eq!([grey(WHITE), grey([0; 3]), grey([51; 3])], [1.0, 0.0, 0.2]);
        assert!((grey([255, 0, 0]) - 0.299).abs() < 1e-12 && (grey([0, 255, 0]) - 0.587).abs() < 1e-12);
    }
}

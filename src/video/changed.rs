//! The changes from one frame to the next.

/// A rectangle of pixels.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Area {
    pub left: usize,
    pub top: usize,
    pub width: usize,
    pub height: usize,
}

impl Area {
    /// The smallest rectangle with all pixels that differ between two frames of this width; one pixel if all are equal.
    pub fn of_changes<T: PartialEq>(before: &[T], now: &[T], width: usize) -> Self {
        let rows = || before.chunks_exact(width).zip(now.chunks_exact(width)).enumerate();
        let changed = || rows().filter(|(_, (before, now))| before != now);
        let Some((top, _)) = changed().next() else { return Self { left: 0, top: 0, width: 1, height: 1 } };
        let (mut bottom, mut left, mut right) = (top, width, 0);
        for (row, (before, now)) in changed() {
            let differs = |column: &usize| before[*column] != now[*column];
            bottom = row;
            left = (0..left).find(differs).unwrap_or(left);
            right = (right..width).rfind(differs).unwrap_or(right);
        }
        Self { left, top, width: right - left + 1, height: bottom - top + 1 }
    }

    /// The rectangle of a whole frame.
    pub fn whole(width: usize, height: usize) -> Self {
        Self { left: 0, top: 0, width, height }
    }

    /// The rows of the rectangle in a frame of this width.
    pub fn rows<T>(self, pixels: &[T], width: usize) -> impl Iterator<Item = &[T]> {
        let rows = pixels.chunks_exact(width).skip(self.top).take(self.height);
        rows.map(move |row| &row[self.left..self.left + self.width])
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn the_changed_area_of_equal_frames_is_one_pixel() {
        assert_eq!(Area::of_changes(&[1; 12], &[1; 12], 4), Area { left: 0, top: 0, width: 1, height: 1 });
    }

    proptest! {
        #[test]
        fn the_changed_area_is_the_bounding_box_of_all_changes(places in prop::collection::btree_set(0_usize..63, 1..5)) {
            let before = [0_u8; 63];
            let mut now = before;
            places.iter().for_each(|place| now[*place] = 1);
            let Area { left, top, width, height } = Area::of_changes(&before, &now, 9);
            let (columns, rows): (Vec<_>, Vec<_>) = places.iter().map(|place| (place % 9, place / 9)).unzip();
            let span = |all: &[usize]| (*all.iter().min().unwrap(), all.iter().max().unwrap() - all.iter().min().unwrap() + 1);
            prop_assert_eq!(((left, width), (top, height)), (span(&columns), span(&rows)));
        }
    }
}

//! The dark pixels of an image: as text, and as rectangles.

use super::super::floor::{from_text, to_text};

/// The largest width and height of an image, in pixels.
pub const MAX_SIDE: u32 = 8192;
/// The largest number of rectangles of dark pixels: with them, an object takes about 200 MB.
pub const MAX_RECTANGLES: usize = 250_000;

/// A rectangle of dark pixels: first and end column, from the left, and first and end line, from the top.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct DarkRectangle {
    /// The first column and the one after the last.
    pub columns: [u32; 2],
    /// The first line and the one after the last.
    pub lines: [u32; 2],
}

/// The dark pixels of an image, collected pixel by pixel from its upper left corner.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DarkPixels {
    /// Lengths of runs of pixels that are light and dark in turn; the first one is light.
    runs: Vec<u32>,
}

impl DarkPixels {
    /// Adds the next pixel.
    #[inline]
    pub fn push(&mut self, is_dark: bool) {
        // An odd number of runs ends with light pixels.
        if self.runs.is_empty() || is_dark == (self.runs.len() % 2 == 1) {
            if self.runs.is_empty() && is_dark {
                self.runs.push(0);
            }
            self.runs.push(0);
        }
        if let Some(run) = self.runs.last_mut() {
            *run += 1;
        }
    }

    /// Whether no pixel is dark.
    pub fn is_empty(&self) -> bool {
        self.runs.len() < 2
    }

    /// The pixels as text: the lengths of runs, each in groups of seven bits, the lowest first, with the highest bit of a
    /// byte set if more follow (LEB128), all in Base64 (RFC 4648) without padding. Light pixels at the end are left out.
    pub fn text(&self) -> String {
        let mut bytes = Vec::new();
        for &run in &self.runs[..self.runs.len() / 2 * 2] {
            let mut rest = run;
            while rest >= 0x80 {
                bytes.push(rest as u8 | 0x80);
                rest >>= 7;
            }
            bytes.push(rest as u8);
        }
        to_text(&bytes)
    }

    /// The pixels of a text for an image of at most `count` pixels; `None` if it is not such a text.
    pub fn of_text(text: &str, count: u64) -> Option<Self> {
        let (mut runs, mut run, mut shift, mut sum) = (Vec::new(), 0_u64, 0, 0_u64);
        for byte in from_text(text)? {
            run |= u64::from(byte & 0x7f) << shift;
            shift += 7;
            if byte & 0x80 == 0 {
                sum += run;
                // Only the first run may be empty.
                if sum > count || (run == 0 && !runs.is_empty()) {
                    return None;
                }
                runs.push(u32::try_from(run).ok()?);
                (run, shift) = (0, 0);
            } else if shift > 28 {
                return None;
            }
        }
        (shift == 0 && runs.len() % 2 == 0).then_some(Self { runs })
    }

    /// Rectangles that cover exactly the dark pixels of an image with `columns` pixels in a line: equal runs in adjacent
    /// lines are joined. `None` if there are more than [`MAX_RECTANGLES`].
    pub fn rectangles(&self, columns: u32) -> Option<Vec<DarkRectangle>> {
        let mut done = Vec::new();
        // Rectangles that reach the previous line, and runs of this one: first and end column, and first line.
        let (mut open, mut next): (Vec<[u32; 3]>, Vec<[u32; 3]>) = (Vec::new(), Vec::new());
        let mut line = 0;
        let columns = columns.max(1);
        let mut finish = |open: &mut Vec<[u32; 3]>, next: &mut Vec<[u32; 3]>, line: u32| {
            let mut above = open.iter().peekable();
            for run in &mut *next {
                while above.next_if(|above| above[0] < run[0]).is_some() {}
                if let Some(same) = above.peek().filter(|above| above[..2] == run[..2]) {
                    run[2] = same[2];
                }
            }
            let goes_on = |old: &[u32; 3]| next.binary_search(old).is_ok();
            let ended = open.iter().filter(|old| !goes_on(old));
            done.extend(ended.map(|&[first, end, top]| DarkRectangle { columns: [first, end], lines: [top, line] }));
            std::mem::swap(open, next);
            next.clear();
            done.len() + open.len() <= MAX_RECTANGLES
        };
        let mut at = 0_u64;
        for run in self.runs.chunks_exact(2) {
            let (mut first, end) = (at + u64::from(run[0]), at + u64::from(run[0]) + u64::from(run[1]));
            at = end;
            while first < end {
                let of = |pixel: u64| ((pixel / u64::from(columns)) as u32, (pixel % u64::from(columns)) as u32);
                let (on, column) = of(first);
                if on != line {
                    // Rectangles above end with this line, or with the next one if it has no dark pixels.
                    if !finish(&mut open, &mut next, line) || (on > line + 1 && !finish(&mut open, &mut next, line + 1))
                    {
                        return None;
                    }
                    line = on;
                }
                let length = (end - first).min(u64::from(columns - column));
                next.push([column, column + length as u32, on]);
                first += length;
            }
        }
        (finish(&mut open, &mut next, line) && finish(&mut open, &mut next, line + 1)).then_some(done)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn pixels(dark: &[bool]) -> DarkPixels {
        let mut pixels = DarkPixels::default();
        dark.iter().for_each(|is_dark| pixels.push(*is_dark));
        pixels
    }

    proptest! {
        #[test]
        fn rectangles_cover_exactly_the_dark_pixels(
            columns in 1_u32..9, dark in prop::collection::vec(prop::bool::weighted(0.4), 0..80),
        ) {
            let count = dark.len() as u64;
            let text = pixels(&dark).text();
            let read = DarkPixels::of_text(&text, count).unwrap();
            prop_assert_eq!(read.text(), text);
            let mut covered = vec![0_u32; dark.len()];
            for DarkRectangle { columns: [first, end], lines: [top, bottom] } in read.rectangles(columns).unwrap() {
                prop_assert!(first < end && end <= columns && top < bottom);
                for (line, column) in (top..bottom).flat_map(|line| (first..end).map(move |column| (line, column))) {
                    covered[(line * columns + column) as usize] += 1;
                }
            }
            let expected: Vec<u32> = dark.iter().map(|is_dark| u32::from(*is_dark)).collect();
            prop_assert_eq!(covered, expected);
        }

        #[test]
        fn any_text_is_read_or_refused(text in "[A-Za-z0-9+/]{0,40}", columns: u32) {
            if let Some(read) = DarkPixels::of_text(&text, 1 << 16) {
                let _ = read.rectangles(columns);
            }
        }
    }

    #[test]
    fn runs_are_bytes_in_base64() {
        // 1 light, 2 dark; light pixels at the end are left out.
        assert_eq!(pixels(&[false, true, true, false]).text(), "AQI");
        assert_eq!(pixels(&[true; 300]).text(), "AKwC");
        assert_eq!(DarkPixels::of_text("AKwC", 300), Some(pixels(&[true; 300])));
        // Too many pixels, an odd number of runs, an empty run, a number without an end.
        assert_eq!(["AKwC", "AQ", "AQIAAQ", "AKw"].map(|text| DarkPixels::of_text(text, 299)), [const { None }; 4]);
        assert!(pixels(&[false; 3]).is_empty() && pixels(&[]).text().is_empty());
    }

    #[test]
    fn equal_runs_in_adjacent_lines_are_one_rectangle() {
        let x = true;
        let o = false;
        #[rustfmt::skip]
        let found = pixels(&[
            x, x, o, x,
            x, x, o, o,
            x, x, x, x,
        ]).rectangles(4).unwrap();
        let corners: Vec<_> = found.iter().map(|dark| (dark.columns, dark.lines)).collect();
        assert_eq!(corners, [([3, 4], [0, 1]), ([0, 2], [0, 2]), ([0, 4], [2, 3])]);
    }

    #[test]
    fn too_many_rectangles_are_refused() {
        let dark: Vec<bool> = (0..1000_u32 * 1000).map(|k| (k + k / 1000) % 2 == 0).collect();
        assert_eq!(pixels(&dark).rectangles(1000), None);
    }
}

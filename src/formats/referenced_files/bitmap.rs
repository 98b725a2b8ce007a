//! Reads PNG images: as pixels, or their dark parts as rectangles.

use std::io::Cursor;

use bevy::math::DVec2;
use png::{ColorType, Decoder, Limits, Transformations};
use swarmarium_core::object::drawing::MAX_OUTLINES;
use swarmarium_space::Rgb;
use thiserror::Error;

/// Largest width and height of an image, in pixels.
const MAX_SIDE: u32 = 8192;
/// Memory limit of the PNG decoder (bytes).
const MAX_MEMORY: usize = 512 << 20;

/// Reason why an image is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BitmapError {
    /// The file is not a PNG image, or is corrupt.
    #[error("cannot be read as a PNG image: {0}")]
    Unreadable(String),
    /// The image is too wide or too high.
    #[error("is an image of {width} × {height} pixels: at most {} × {} fit", MAX_SIDE, MAX_SIDE)]
    TooManyPixels {
        /// The width of the image, in pixels.
        width: u32,
        /// The height of the image, in pixels.
        height: u32,
    },
    /// The image does not fit into memory.
    #[error("is too large an image")]
    TooLarge,
    /// The dark parts of the image require too many rectangles.
    #[error("is too detailed: its dark parts take more than {} rectangles", MAX_OUTLINES)]
    TooDetailed,
}

impl From<png::DecodingError> for BitmapError {
    fn from(error: png::DecodingError) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// The pixels of an image.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Pixels {
    /// Width, in pixels.
    pub width: u32,
    /// Height, in pixels.
    pub height: u32,
    /// Number of bytes of a pixel.
    channels: usize,
    /// The bytes, line by line from the top.
    bytes: Vec<u8>,
}

impl Pixels {
    /// Reads a PNG image.
    ///
    /// # Errors
    /// When it is not an image, or is too large.
    pub fn read(bytes: &[u8]) -> Result<Self, BitmapError> {
        if is_pgm(bytes) {
            return Self::read_pgm(bytes);
        }
        let mut decoder = Decoder::new_with_limits(Cursor::new(bytes), Limits { bytes: MAX_MEMORY });
        decoder.set_transformations(Transformations::EXPAND | Transformations::STRIP_16);
        let mut reader = decoder.read_info()?;
        let (width, height) = (reader.info().width, reader.info().height);
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(BitmapError::TooManyPixels { width, height });
        }
        let channels = match reader.output_color_type().0 {
            ColorType::Grayscale | ColorType::Indexed => 1,
            ColorType::GrayscaleAlpha => 2,
            ColorType::Rgb => 3,
            ColorType::Rgba => 4,
        };
        let size = reader.output_buffer_size().ok_or(BitmapError::TooLarge)?;
        let mut bytes = vec![0; size];
        reader.next_frame(&mut bytes)?;
        Ok(Self { width, height, channels, bytes })
    }

    /// Reads a PGM image, in numbers (P2) or bytes (P5).
    fn read_pgm(bytes: &[u8]) -> Result<Self, BitmapError> {
        let broken = |what: &str| BitmapError::Unreadable(format!("as a PGM image: {what}"));
        let rest = |at: usize| bytes.get(at..).unwrap_or_default();
        let mut at = 2;
        let mut word = |ends_header: bool| {
            loop {
                match bytes.get(at) {
                    Some(b'#') => at += rest(at).iter().take_while(|byte| **byte != b'\n').count(),
                    Some(byte) if byte.is_ascii_whitespace() => at += 1,
                    _ => break,
                }
            }
            let digits = rest(at).iter().take_while(|byte| byte.is_ascii_digit()).count();
            let number = str::from_utf8(&rest(at)[..digits]).ok()?.parse::<u32>().ok()?;
            at += digits + usize::from(ends_header);
            Some((number, at))
        };
        let header = (word(false), word(false), word(true));
        let (Some((width, _)), Some((height, _)), Some((most @ 1..=65535, start))) = header else {
            return Err(broken("expected width, height and the largest value"));
        };
        if width > MAX_SIDE || height > MAX_SIDE {
            return Err(BitmapError::TooManyPixels { width, height });
        }
        let count = width as usize * height as usize;
        let scale = |value: u32| (value.min(most) * 255 / most) as u8;
        let gray: Vec<u8> = match (bytes[1], most) {
            (b'5', ..256) => rest(start).iter().map(|byte| scale(u32::from(*byte))).collect(),
            (b'5', _) => {
                let pairs = rest(start).chunks_exact(2);
                pairs.map(|pair| scale(u32::from(pair[0]) << 8 | u32::from(pair[1]))).collect()
            }
            _ => (0..count).map_while(|_| word(false)).map(|(value, _)| scale(value)).collect(),
        };
        match gray.get(..count) {
            Some(gray) if count > 0 => Ok(Self { width, height, channels: 1, bytes: gray.to_vec() }),
            _ => Err(broken("it ends too early")),
        }
    }

    /// The pixels of a line, counted from the top.
    fn line(&self, y: u32) -> impl Iterator<Item = &[u8]> {
        let mut lines = self.bytes.chunks_exact(self.width as usize * self.channels);
        lines.nth(y as usize).unwrap_or_default().chunks_exact(self.channels)
    }

    /// The colours of all pixels on white, line by line from the bottom.
    pub fn colors(&self) -> impl Iterator<Item = Rgb> {
        (0..self.height).rev().flat_map(|y| self.line(y).map(color))
    }
}

/// Whether a file is a PGM image.
pub fn is_pgm(bytes: &[u8]) -> bool {
    bytes.starts_with(b"P2") || bytes.starts_with(b"P5")
}

/// Colour of a pixel on white.
fn color(pixel: &[u8]) -> Rgb {
    let (color, alpha) = match *pixel {
        [gray] => ([gray; 3], u8::MAX),
        [gray, alpha] => ([gray; 3], alpha),
        [red, green, blue, ref rest @ ..] => ([red, green, blue], rest.first().copied().unwrap_or(u8::MAX)),
        [] => ([u8::MAX; 3], u8::MAX),
    };
    let on_white = |part: u8| {
        let alpha = u32::from(alpha);
        ((u32::from(part) * alpha + 255 * (255 - alpha) + 127) / 255) as u8
    };
    color.map(on_white)
}

/// The dark areas of an image.
#[derive(Clone, Debug, PartialEq)]
pub struct Bitmap {
    /// Width and height, in pixels.
    pub size: DVec2,
    /// Lower and upper corners of rectangles that cover exactly the dark pixels, in pixels, x to the right and y down.
    pub dark: Vec<(DVec2, DVec2)>,
}

impl Bitmap {
    /// Reads a PNG image. A pixel is dark if its brightness, on white, is below `dark_below` (0 to 1).
    ///
    /// # Errors
    /// When it is not an image, is too large, or has too many dark parts.
    pub fn read(bytes: &[u8], dark_below: f64, light_blocks: bool) -> Result<Self, BitmapError> {
        let pixels = Pixels::read(bytes)?;
        let of = |pixel: &[u8]| if light_blocks { 1.0 - brightness(pixel) } else { brightness(pixel) };
        let line = |y: u32| pixels.line(y).map(|pixel| of(pixel) < dark_below);
        let dark = rectangles(pixels.height, |y| runs(line(y)))?;
        Ok(Self { size: DVec2::new(pixels.width.into(), pixels.height.into()), dark })
    }
}

/// Brightness of a pixel on white, from 0 to 1 (Rec. 709 weights).
fn brightness(pixel: &[u8]) -> f64 {
    let share = |value: u8| f64::from(value) / 255.0;
    let (gray, alpha) = match *pixel {
        [gray] => (share(gray), 1.0),
        [gray, alpha] => (share(gray), share(alpha)),
        [red, green, blue, ref rest @ ..] => (
            0.2126 * share(red) + 0.7152 * share(green) + 0.0722 * share(blue),
            rest.first().map_or(1.0, |alpha| share(*alpha)),
        ),
        [] => (1.0, 1.0),
    };
    gray * alpha + (1.0 - alpha)
}

/// Start and end of each run of dark pixels.
fn runs(line: impl Iterator<Item = bool>) -> Vec<(u32, u32)> {
    let mut runs = Vec::new();
    let mut begun = None;
    for (x, is_dark) in (0..).zip(line.chain([false])) {
        match (is_dark, begun) {
            (true, None) => begun = Some(x),
            (false, Some(first)) => {
                runs.push((first, x));
                begun = None;
            }
            _ => {}
        }
    }
    runs
}

/// Joins equal runs in adjacent lines.
fn rectangles(height: u32, runs_of: impl Fn(u32) -> Vec<(u32, u32)>) -> Result<Vec<(DVec2, DVec2)>, BitmapError> {
    let mut done = Vec::new();
    // Rectangles that reach the previous line: start and end along x, and first line.
    let mut open: Vec<(u32, u32, u32)> = Vec::new();
    let finish = |(first, end, top): (u32, u32, u32), bottom: u32| {
        (DVec2::new(first.into(), top.into()), DVec2::new(end.into(), bottom.into()))
    };
    for y in 0..=height {
        let runs = if y < height { runs_of(y) } else { Vec::new() };
        let mut next = Vec::with_capacity(runs.len());
        for (first, end) in &runs {
            let above = open.binary_search_by_key(first, |(first, ..)| *first).ok().map(|place| open[place]);
            let top = above.filter(|(_, above, _)| above == end).map_or(y, |(.., top)| top);
            next.push((*first, *end, top));
        }
        let goes_on = |old: &&(u32, u32, u32)| next.binary_search(old).is_ok();
        done.extend(open.iter().filter(|old| !goes_on(old)).map(|old| finish(*old, y)));
        if done.len() + next.len() > MAX_OUTLINES {
            return Err(BitmapError::TooDetailed);
        }
        open = next;
    }
    Ok(done)
}

#[cfg(test)]
mod tests {
    use swarmarium_testing::image;

    use super::*;

    #[test]
    fn dark_pixels_become_few_rectangles() {
        #[rustfmt::skip]
        let gray = [
            0, 0, 255, 0,
            0, 0, 255, 255,
            0, 0, 0, 100,
        ];
        let Bitmap { size, dark } = Bitmap::read(&image(4, &gray), 0.5, false).unwrap();
        assert_eq!(size, DVec2::new(4.0, 3.0));
        let corners: Vec<[f64; 4]> = dark.iter().map(|(low, high)| [low.x, low.y, high.x, high.y]).collect();
        assert_eq!(corners, [[3.0, 0.0, 4.0, 1.0], [0.0, 0.0, 2.0, 2.0], [0.0, 2.0, 4.0, 3.0]]);
        assert_eq!(Bitmap::read(&image(4, &gray), 0.3, false).unwrap().dark.len(), 3);
        assert!(Bitmap::read(&image(1, &[255]), 0.5, false).unwrap().dark.is_empty());
    }

    #[test]
    fn pixels_have_their_colours_on_white_from_the_bottom() {
        let pixels = Pixels::read(&image(2, &[0, 255, 51, 100])).unwrap();
        assert_eq!(pixels.colors().collect::<Vec<_>>(), [[51; 3], [100; 3], [0; 3], [255; 3]]);
        assert_eq!(color(&[10, 20, 30]), [10, 20, 30]);
        assert_eq!(
            [color(&[10, 20, 30, 0]), color(&[0, 51, 255, 128]), color(&[0, 51])],
            [[255; 3], [127, 153, 255], [204; 3]]
        );
    }

    #[test]
    fn files_that_are_not_images_are_refused() {
        assert!(Bitmap::read(b"GIF89a", 0.5, false).unwrap_err().to_string().starts_with("cannot be read as a PNG image"));
        let mut cut = image(64, &[0; 64 * 64]);
        cut.truncate(cut.len() - 20);
        assert!(Bitmap::read(&cut, 0.5, false).is_err());
        let chequered: Vec<u8> = (0..300_u32 * 300).map(|k| if (k + k / 300) % 2 == 0 { 0 } else { 255 }).collect();
        assert_eq!(Bitmap::read(&image(300, &chequered), 0.5, false), Err(BitmapError::TooDetailed));
    }
}

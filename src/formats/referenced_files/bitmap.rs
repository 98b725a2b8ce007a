//! Reads PNG and PGM images: as pixels, or their dark pixels alone.

use std::io::Cursor;

use png::{ColorType, Decoder, Limits, Transformations};
use swarmarium_core::object::drawing::dark::{DarkPixels, MAX_RECTANGLES, MAX_SIDE};
use swarmarium_space::Rgb;
use thiserror::Error;

use super::pgm;

/// Limit of the size of the file of an image (bytes): a plain PGM image has up to four for a pixel.
pub const MAX_BYTES: u64 = 280 << 20;
/// Memory limit of the PNG decoder (bytes).
const MAX_MEMORY: usize = 512 << 20;

/// Reason why an image is refused.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum BitmapError {
    /// The file is not a PNG image, or is corrupt.
    #[error("cannot be read as a PNG image: {0}")]
    Unreadable(String),
    /// The file is a PGM image, but is corrupt.
    #[error("cannot be read as a PGM image: {0}")]
    BadPgm(String),
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
    #[error("is too detailed: the pixels that block take more than {} rectangles", MAX_RECTANGLES)]
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
    /// Reads a PNG or PGM image.
    ///
    /// # Errors
    /// When it is not an image, or is too large.
    pub fn read(bytes: &[u8]) -> Result<Self, BitmapError> {
        if pgm::is_pgm(bytes) {
            let header = pgm::header(bytes).map_err(BitmapError::BadPgm)?;
            let (width, height) = (header.width, header.height);
            if width > MAX_SIDE || height > MAX_SIDE {
                return Err(BitmapError::TooManyPixels { width, height });
            }
            let bytes = pgm::pixels(bytes, &header).map_err(BitmapError::BadPgm)?;
            return Ok(Self { width, height, channels: 1, bytes });
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
        let size = reader.output_buffer_size().filter(|size| *size <= MAX_MEMORY).ok_or(BitmapError::TooLarge)?;
        let mut bytes = vec![0; size];
        reader.next_frame(&mut bytes)?;
        Ok(Self { width, height, channels, bytes })
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

/// The part of a pixel that decides whether it blocks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Shade {
    /// Its brightness on white.
    Brightness,
    /// Its red alone, or its grey, even if it is transparent.
    Red,
}

/// The pixels of an image that block.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Bitmap {
    /// Width, in pixels.
    pub width: u32,
    /// Height, in pixels.
    pub height: u32,
    /// The pixels that block.
    pub dark: DarkPixels,
    /// The number of pixels that some map servers of ROS read otherwise: those of ROS 1 take the mean of all channels, also
    /// of alpha, and newer ones take transparent pixels as unknown.
    pub differing: usize,
}

impl Bitmap {
    /// Reads a PNG or PGM image. A pixel blocks if its shade is below `dark_below` (0 to 1); with `light_blocks`, the shade
    /// is inverted first.
    ///
    /// # Errors
    /// When it is not an image, is too large, or has too many dark parts.
    pub fn read(bytes: &[u8], shade: Shade, dark_below: f64, light_blocks: bool) -> Result<Self, BitmapError> {
        let pixels = Pixels::read(bytes)?;
        let blocks = |shade: f64| if light_blocks { 1.0 - shade < dark_below } else { shade < dark_below };
        let judge = |pixel: &[u8]| {
            let own = blocks(match shade {
                Shade::Brightness => brightness(pixel),
                Shade::Red => f64::from(pixel[0]) / 255.0,
            });
            let differs = blocks(mean(pixel)) != own || (own && alpha(pixel) < u8::MAX);
            (own, differs)
        };
        let (mut dark, mut differing) = (DarkPixels::default(), 0);
        // Most images have few colours, and equal ones follow each other.
        let mut last: Option<(&[u8], (bool, bool))> = None;
        for pixel in pixels.bytes.chunks_exact(pixels.channels) {
            let known = last.filter(|(known, _)| *known == pixel);
            let (_, (is_dark, differs)) = *last.insert(known.unwrap_or_else(|| (pixel, judge(pixel))));
            dark.push(is_dark);
            differing += usize::from(differs);
        }
        dark.rectangles(pixels.width).ok_or(BitmapError::TooDetailed)?;
        Ok(Self { width: pixels.width, height: pixels.height, dark, differing })
    }
}

/// Alpha of a pixel.
fn alpha(pixel: &[u8]) -> u8 {
    match *pixel {
        [_, alpha] | [_, _, _, alpha] => alpha,
        _ => u8::MAX,
    }
}

/// Mean of all channels of a pixel, from 0 to 1, as map servers of ROS 1 read it: grey counts as three of four if there is alpha.
fn mean(pixel: &[u8]) -> f64 {
    let sum: f64 = pixel.iter().map(|channel| f64::from(*channel)).sum();
    match *pixel {
        [gray, _] => (sum + 2.0 * f64::from(gray)) / (4.0 * 255.0),
        _ => sum / (255.0 * pixel.len() as f64),
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

/// A PNG image of pixels with red, green, blue and alpha.
#[cfg(test)]
pub fn color_image(width: u32, pixels: &[[u8; 4]]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, pixels.len() as u32 / width);
    encoder.set_color(ColorType::Rgba);
    encoder.write_header().unwrap().write_image_data(pixels.as_flattened()).unwrap();
    bytes
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
        let read = |dark_below| Bitmap::read(&image(4, &gray), Shade::Brightness, dark_below, false).unwrap();
        let Bitmap { width, height, dark, .. } = read(0.5);
        assert_eq!((width, height), (4, 3));
        let corners: Vec<_> = dark.rectangles(4).unwrap().iter().map(|dark| (dark.columns, dark.lines)).collect();
        assert_eq!(corners, [([3, 4], [0, 1]), ([0, 2], [0, 2]), ([0, 4], [2, 3])]);
        assert_eq!(read(0.3).dark.rectangles(4).unwrap().len(), 3);
        assert!(Bitmap::read(&image(1, &[255]), Shade::Brightness, 0.5, false).unwrap().dark.is_empty());
    }

    #[test]
    fn thresholds_are_those_of_ros() {
        // ROS: occupied if (255 - value) / 255 > occupied_thresh, and value / 255 if the map is negated.
        for value in 0..=255_u8 {
            let occupied = |share: f64| share > 0.65;
            let bytes = [b"P5 1 1 255\n".as_slice(), &[value]].concat();
            let read = |negate| Bitmap::read(&bytes, Shade::Brightness, 1.0 - 0.65, negate).unwrap();
            assert_eq!(!read(false).dark.is_empty(), occupied((255.0 - f64::from(value)) / 255.0), "{value}");
            assert_eq!(!read(true).dark.is_empty(), occupied(f64::from(value) / 255.0), "{value}");
            assert_eq!((read(false).differing, read(true).differing), (0, 0), "{value}: all servers read grey alike");
        }
    }

    #[test]
    fn map_servers_differ_about_colours_and_alpha() {
        // Red, green, blue, alpha; whether it blocks; whether map servers of ROS 1 or newer ones read it otherwise.
        for (pixel, blocks, differs) in [
            ([0, 0, 0, 255], true, false),
            ([255, 255, 255, 255], false, false),
            // Opaque, but ROS 1 adds alpha to the mean.
            ([60, 60, 60, 255], true, true),
            ([33, 33, 33, 255], true, false),
            // Transparent on white.
            ([0, 0, 0, 0], false, true),
            ([0, 0, 0, 254], true, true),
            // A dark blue for an eye.
            ([0, 0, 255, 255], true, true),
        ] {
            let read = Bitmap::read(&color_image(1, &[pixel]), Shade::Brightness, 1.0 - 0.65, false).unwrap();
            assert_eq!((!read.dark.is_empty(), read.differing == 1), (blocks, differs), "{pixel:?}");
        }
    }

    #[test]
    fn red_alone_can_decide() {
        for (pixel, blocks) in
            [([127, 255, 255, 255], true), ([128, 0, 0, 255], false), ([0, 0, 0, 0], true), ([255, 0, 0, 0], false)]
        {
            let read = Bitmap::read(&color_image(1, &[pixel]), Shade::Red, 0.5, false).unwrap();
            assert_eq!(!read.dark.is_empty(), blocks, "{pixel:?}");
        }
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
        let read = |bytes: &[u8]| Bitmap::read(bytes, Shade::Brightness, 0.5, false);
        assert!(read(b"GIF89a").unwrap_err().to_string().starts_with("cannot be read as a PNG image"));
        let mut cut = image(64, &[0; 64 * 64]);
        cut.truncate(cut.len() - 20);
        assert!(read(&cut).is_err());
        let chequered: Vec<u8> = (0..1000_u32 * 1000).map(|k| if (k + k / 1000) % 2 == 0 { 0 } else { 255 }).collect();
        assert_eq!(read(&image(1000, &chequered)), Err(BitmapError::TooDetailed));
        let wide = read(b"P5 9000 1 255\n");
        assert_eq!(wide, Err(BitmapError::TooManyPixels { width: 9000, height: 1 }));
        assert!(matches!(read(b"P5 9 1 255\n"), Err(BitmapError::BadPgm(_))));
    }
}

//! Paper: pictures with a printed size, and their files.

use std::borrow::Cow;
use std::ops::RangeInclusive;

use bevy::math::DVec2;
use serde::{Deserialize, Serialize};
use swarmarium_picture::{Camera, GroupColors, Pdf, Picture, Role, Shape, Svg, Theme};

use super::outlines;
use super::page::TEXT_PX;
use super::scripts::missing_letter;

/// Points (1/72 inch) per millimetre.
const POINTS_PER_MM: f64 = 72.0 / 25.4;

/// The printed size of a figure and of its texts.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Paper {
    /// Width and height in millimetres.
    pub size_mm: DVec2,
    /// The size of the labels of axes in points (1/72 inch).
    pub font_pt: f64,
}

impl Paper {
    /// The shortest and the longest side in millimetres.
    pub const SIDES_MM: RangeInclusive<f64> = 20.0..=1000.0;
    /// The smallest and the largest font in points.
    pub const FONTS_PT: RangeInclusive<f64> = 4.0..=36.0;
    /// The coarsest and the finest PNG file, in dots per inch.
    pub const DOTS_PER_INCH: RangeInclusive<f64> = 36.0..=1200.0;

    /// Points per logical pixel.
    pub fn points_per_px(&self) -> f64 {
        self.font_pt / TEXT_PX
    }

    /// Width and height in logical pixels, in which pictures are drawn.
    pub fn size_px(&self) -> DVec2 {
        self.size_mm * (POINTS_PER_MM / self.points_per_px())
    }
}

/// The colours of a figure.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Look {
    /// Light for paper, or dark for slides.
    pub theme: Theme,
    /// The colours of groups and of series.
    pub groups: GroupColors,
}

impl Default for Look {
    /// Light, with the colours of Okabe and Ito.
    fn default() -> Self {
        Self { theme: Theme::Light, groups: GroupColors::OkabeIto }
    }
}

/// The format of a file.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum Format {
    /// Vector graphics for the web and for drawing programs.
    Svg,
    /// Vector graphics for papers.
    #[default]
    Pdf,
    /// Pixels.
    Png,
}

impl Format {
    /// The formats that this build of the program writes.
    pub const ALL: &[Self] =
        if cfg!(feature = "video") { &[Self::Pdf, Self::Svg, Self::Png] } else { &[Self::Pdf, Self::Svg] };

    /// The ending of the names of its files.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Pdf => "pdf",
            Self::Png => "png",
        }
    }
}

/// The properties of a file besides its format.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FileOptions {
    /// The colours.
    pub look: Look,
    /// The resolution of PNG files, in dots per inch.
    pub dots_per_inch: f64,
    /// Whether the texts of SVG files stay texts, which programs edit and show in a font of their own; otherwise they are
    /// outlines.
    pub has_editable_text: bool,
}

impl Default for FileOptions {
    fn default() -> Self {
        Self { look: Look::default(), dots_per_inch: 300.0, has_editable_text: false }
    }
}

/// A picture for paper.
#[derive(Clone, Debug)]
pub struct Print {
    /// The title of the file.
    pub title: String,
    /// A longer description, for screen readers.
    pub description: String,
    /// The picture.
    pub picture: Picture,
    /// The camera; its screen is [`Paper::size_px`].
    pub camera: Camera,
    /// The size.
    pub paper: Paper,
}

/// The pixels of a picture.
#[cfg(feature = "video")]
#[derive(Clone, Debug, PartialEq)]
pub struct Pixels {
    /// Width and height in pixels.
    pub size: [u16; 2],
    /// Red, green, blue and opacity of each pixel, row by row from the top.
    pub rgba: Vec<u8>,
    /// The pixels of an inch of paper.
    pub dots_per_inch: f64,
}

impl Print {
    /// The texts with letters that the fonts lack, each with the first of these letters.
    pub fn missing_letters(&self) -> Vec<(&str, char)> {
        let texts = self.picture.items.iter().filter_map(|item| match &item.shape {
            Shape::Text { text, .. } => Some((text.as_str(), missing_letter(text)?)),
            _ => None,
        });
        texts.collect()
    }

    /// The bytes of a file.
    ///
    /// # Errors
    /// When the encoder fails, and for a PNG file in a build without the feature `video`.
    pub fn file(&self, format: Format, options: &FileOptions) -> anyhow::Result<Vec<u8>> {
        match format {
            Format::Svg => Ok(self.svg(options).into_bytes()),
            Format::Pdf => Ok(self.pdf(options.look)),
            #[cfg(feature = "video")]
            Format::Png => self.png(options),
            #[cfg(not(feature = "video"))]
            Format::Png => anyhow::bail!("this build of the program cannot paint pixels"),
        }
    }

    /// The picture in a look. The lightest greys of the groups get enough contrast for lines on paper.
    fn picture(&self, Look { groups, .. }: Look) -> Cow<'_, Picture> {
        if groups != GroupColors::Grey {
            return Cow::Borrowed(&self.picture);
        }
        let mut picture = self.picture.clone();
        for item in &mut picture.items {
            item.paint.legible |= matches!(item.paint.role, Role::Group(_));
        }
        Cow::Owned(picture)
    }

    /// The text of an SVG file.
    pub fn svg(&self, options: &FileOptions) -> String {
        let (title, description) = (self.title.clone(), self.description.clone());
        let Look { theme, groups } = options.look;
        let svg = Svg { title, description, theme, groups, size_mm: Some(self.paper.size_mm), ..Svg::default() };
        match options.has_editable_text {
            true => svg.write(&self.picture(options.look), &self.camera),
            false => outlines::write(&svg, &self.picture(options.look), &self.camera),
        }
    }

    /// The bytes of a PDF file.
    pub fn pdf(&self, look: Look) -> Vec<u8> {
        let Look { theme, groups } = look;
        let (title, points_per_px) = (self.title.clone(), self.paper.points_per_px());
        let pdf = Pdf { title, theme, groups, points_per_px, ..Pdf::default() };
        pdf.write(&self.picture(look), &self.camera)
    }

    /// The pixels at a resolution; fewer where a side would be longer than a painter can paint.
    #[cfg(feature = "video")]
    pub fn pixels(&self, dots_per_inch: f64, look: Look) -> Pixels {
        use swarmarium_video::SIDES_PX;
        use swarmarium_video::painter::{Painter, Style};

        let [least, most] = [*SIDES_PX.start(), *SIDES_PX.end()].map(f64::from);
        let finest = most / self.paper.size_mm.max_element() * 25.4;
        let dots_per_inch = dots_per_inch.min(finest);
        let scale = dots_per_inch / 72.0 * self.paper.points_per_px();
        let sides = (self.camera.screen_px * scale).to_array();
        let size = sides.map(|side| side.round().clamp(least, most) as u16);
        let Look { theme, groups } = look;
        let style = Style { theme, groups, transparent: false, scale };
        let rgba = Painter::new(size[0], size[1], style).paint(&self.picture(look), &self.camera).rgba.to_vec();
        Pixels { size, rgba, dots_per_inch }
    }

    /// The bytes of a PNG file at a resolution, which the file names.
    #[cfg(feature = "video")]
    fn png(&self, options: &FileOptions) -> anyhow::Result<Vec<u8>> {
        let Pixels { size, rgba, dots_per_inch } = self.pixels(options.dots_per_inch, options.look);
        let [width, height] = size.map(u32::from);
        swarmarium_video::png::encode_for_print(width, height, &rgba, dots_per_inch)
    }
}

#[cfg(test)]
mod tests {
    use crate::{Axis, Chart, Curves, Figure, Point, Series, sheet};

    use super::*;

    fn figure(names: &[&str]) -> Figure {
        let point = |x: u32| {
            let x = f64::from(x);
            Point { x, value: x * x, low: f64::NAN, high: f64::NAN, n: 1 }
        };
        let series = names.iter().map(|name| Series { label: (*name).into(), points: (0..200).map(point).collect() });
        let (x, y) = (Axis::linear("Time (s)"), Axis::linear("Turn rate (rad/s²)"));
        let chart = Chart::Curves(Curves { x, y, series: series.collect(), are_samples: true, ..Curves::default() });
        Figure { title: String::new(), caption: String::new(), chart }
    }

    fn printed(size_mm: [f64; 2], font_pt: f64) -> Print {
        let paper = Paper { size_mm: size_mm.into(), font_pt };
        sheet(&[figure(&["left", "right"]), figure(&["one"])], paper, "Two plots", "Of a run")
    }

    #[test]
    fn a_print_has_its_size_its_axes_with_units_and_a_key() {
        let print = printed([84.0, 100.0], 8.0);
        let svg = print.svg(&FileOptions { has_editable_text: true, ..FileOptions::default() });
        assert!(svg.contains("width=\"84mm\" height=\"100mm\" viewBox=\"0 0 386.93 460.63\""), "{}", &svg[..200]);
        for (text, count) in [("Time (s)", 2), ("Turn rate (rad/s²)", 2), (">left<", 1), (">right<", 1), (">one<", 0)]
        {
            assert_eq!(svg.matches(text).count(), count, "{text}");
        }
        let pdf = String::from_utf8_lossy(&print.pdf(Look::default())).into_owned();
        assert!(pdf.starts_with("%PDF") && pdf.contains("/MediaBox [0 0 238.11 283.465]"), "{}", &pdf[..400]);
        assert!(!pdf.contains("NaN") && pdf.matches(" Tj").count() > 20);
    }

    #[cfg(feature = "video")]
    #[test]
    fn pixels_follow_from_size_and_resolution() {
        let pixels = printed([25.4, 50.8], 8.0).pixels(300.0, Look::default());
        assert_eq!(pixels.size, [300, 600]);
        assert_eq!(pixels.rgba.len(), 300 * 600 * 4);
        assert_eq!(pixels.rgba[..4], [255; 4]);
        let large = printed([1000.0, 100.0], 8.0).pixels(1200.0, Look::default());
        assert_eq!(large.size, [8192, 819]);
        let options = FileOptions { dots_per_inch: 100.0, ..FileOptions::default() };
        let file = printed([25.4, 25.4], 8.0).file(Format::Png, &options).unwrap();
        let at = file.windows(4).position(|window| window == b"pHYs").unwrap();
        assert_eq!(file[at + 4..at + 8], 3937_u32.to_be_bytes());
    }

    #[test]
    fn any_size_of_paper_has_a_figure() {
        for size_mm in [[20.0, 20.0], [1000.0, 20.0], [20.0, 1000.0], [1000.0, 1000.0]] {
            for font_pt in [4.0, 36.0] {
                let print = printed(size_mm, font_pt);
                let svg = print.svg(&FileOptions::default());
                assert!(!svg.contains("NaN") && !svg.contains("inf"));
                assert!(!String::from_utf8_lossy(&print.pdf(Look::default())).contains("NaN"));
            }
        }
    }
}

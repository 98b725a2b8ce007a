//! The settings of exported figures.

use bevy::math::DVec2;
use serde::{Deserialize, Serialize};
use swarmarium_figure::{FileOptions, Paper};

pub use swarmarium_figure::Format as FigureFormat;

/// The largest number of plots that are remembered as omitted.
const MOST_LEFT_OUT: usize = 100;

/// The settings of exported figures.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct FigureOptions {
    /// The content.
    pub content: FigureContent,
    /// The format of the file.
    pub format: FigureFormat,
    /// Width in millimetres.
    pub width_mm: f64,
    /// Height in millimetres.
    pub height_mm: f64,
    /// The font size of axis labels, in points (1/72 inch).
    pub font_pt: f64,
    /// The resolution of PNG files and of the clipboard, in dots per inch.
    pub dots_per_inch: f64,
    /// The time that plots show.
    pub time: FigureTime,
    /// The plots that figures omit, by their keys.
    pub left_out: Vec<String>,
}

impl Default for FigureOptions {
    fn default() -> Self {
        Self {
            content: FigureContent::Plots,
            format: FigureFormat::Pdf,
            // Two columns of a paper are 170 to 180 mm wide.
            width_mm: 170.0,
            height_mm: 90.0,
            font_pt: 9.0,
            dots_per_inch: 300.0,
            time: FigureTime::Visible,
            left_out: Vec::new(),
        }
    }
}

/// The content of a figure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FigureContent {
    /// The plots.
    #[default]
    Plots,
    /// The view of the world.
    World,
}

/// The time that the plots of a figure show.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum FigureTime {
    /// The whole run, as far as it is simulated.
    All,
    /// The time span of the panel.
    #[default]
    Visible,
    /// From the start to the shown moment.
    ToPlayhead,
}

impl FigureTime {
    /// Returns the time from the start to the end that a plot shows, in seconds, with the time span of the panel, at a shown
    /// moment and with the end of the run.
    pub fn range_s(self, visible_s: [f64; 2], now_s: f64, end_s: f64) -> [f64; 2] {
        // An axis has a length.
        match self {
            Self::All => [0.0, end_s.max(1.0)],
            Self::Visible => visible_s,
            Self::ToPlayhead => [0.0, if now_s > 0.0 { now_s } else { 1.0 }],
        }
    }
}

impl FigureOptions {
    /// Returns the size of the paper and of its texts.
    pub fn paper(&self) -> Paper {
        Paper { size_mm: DVec2::new(self.width_mm, self.height_mm), font_pt: self.font_pt }
    }

    /// Returns the properties of files. The texts of SVG files stay texts, for drawing programs.
    pub fn file(&self) -> FileOptions {
        FileOptions { dots_per_inch: self.dots_per_inch, has_editable_text: true, ..FileOptions::default() }
    }

    /// Clamps numbers of the settings file to their ranges.
    pub fn within_reason(mut self) -> Self {
        let standard = Self::default();
        let numbers = [
            (&mut self.width_mm, standard.width_mm, Paper::SIDES_MM),
            (&mut self.height_mm, standard.height_mm, Paper::SIDES_MM),
            (&mut self.font_pt, standard.font_pt, Paper::FONTS_PT),
            (&mut self.dots_per_inch, standard.dots_per_inch, Paper::DOTS_PER_INCH),
        ];
        for (number, standard, range) in numbers {
            *number = if number.is_finite() { number.clamp(*range.start(), *range.end()) } else { standard };
        }
        self.left_out.truncate(MOST_LEFT_OUT);
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn figure_settings_of_a_file_are_clamped() {
        let odd = FigureOptions { width_mm: 0.0, height_mm: f64::NAN, font_pt: 1e9, ..FigureOptions::default() };
        let expected = FigureOptions { width_mm: 20.0, height_mm: 90.0, font_pt: 36.0, ..FigureOptions::default() };
        assert_eq!(odd.within_reason(), expected);
    }
}

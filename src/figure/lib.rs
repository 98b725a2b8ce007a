//! Figures: charts as pictures, and their files.
//!
//! A figure is a [`Picture`], which every painter paints: those of SVG and PDF files, that of videos for PNG files, and the
//! window. Sweeps and the plots of the window have the same figures. A [`Layout`] puts some of them on one [`Paper`], whose
//! [`Print`] makes all files. All numbers of a figure are in pixels of its page. The functions of a figure never fail: a chart
//! without data says so.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Camera, Layer, Picture, Role};

mod axis;
mod bars;
mod beyond;
mod boxes;
mod csv;
mod curves;
mod frame;
mod heat;
mod key;
mod layout;
mod outlines;
mod page;
mod paper;
mod plane;
mod scatter;
mod scripts;
mod ticks;
mod topic;

pub use axis::{Axis, Scale, axis_label, axis_text};
pub use bars::Bars;
pub use beyond::Beyond;
pub use boxes::{BoxPlots, Group, Sample};
pub use curves::{Curves, Intervals, Point, Series};
pub use heat::{HeatMap, Levels, Line};
pub use layout::{Layout, PAGE_MM, letter, sheet};
pub use page::{Area, shortened, text_width};
#[cfg(feature = "video")]
pub use paper::Pixels;
pub use paper::{FileOptions, Format, Look, Paper, Print};
pub use plane::Plane;
pub use scatter::Scatter;
pub use scripts::missing_letter;
pub use topic::Topic;

use key::Key;
use page::{LINE, Page, Placement, SMALL_PX, TITLE_PX, wrapped};

/// The margin around a figure on a sheet, in pixels.
const NARROW_PX: f64 = 5.0;
/// The least width and height of a chart, in pixels, however little room there is.
const LEAST_PX: f64 = 90.0;
/// The chart of a figure.
#[derive(Clone, Debug, PartialEq)]
pub enum Chart {
    /// Values with intervals over a number, a name or time.
    Curves(Curves),
    /// A value for each pair of levels of two factors.
    HeatMap(HeatMap),
    /// The distribution of the runs of each point.
    BoxPlots(BoxPlots),
    /// The distribution of a number.
    Bars(Bars),
    /// One number over another.
    Scatter(Scatter),
}

impl Chart {
    fn is_empty(&self) -> bool {
        match self {
            Self::Curves(chart) => chart.is_empty(),
            Self::HeatMap(chart) => chart.is_empty(),
            Self::BoxPlots(chart) => chart.is_empty(),
            Self::Bars(chart) => chart.is_empty(),
            Self::Scatter(chart) => chart.is_empty(),
        }
    }

    fn notes(&self) -> Vec<String> {
        match self {
            Self::Curves(chart) => chart.notes(),
            Self::HeatMap(chart) => chart.notes(),
            Self::BoxPlots(chart) => chart.notes(),
            Self::Bars(_) => Vec::new(),
            Self::Scatter(chart) => chart.notes(),
        }
    }

    fn key(&self, size_px: [f64; 2]) -> Option<Key> {
        match self {
            Self::Curves(chart) => Some(chart.key(size_px)),
            Self::HeatMap(_) | Self::Bars(_) | Self::Scatter(_) => None,
            Self::BoxPlots(chart) => Some(chart.key(size_px)),
        }
    }

    /// Sets the titles of the axes.
    pub fn set_labels(&mut self, x: Option<&str>, y: Option<&str>) {
        let [own_x, own_y] = match self {
            Self::Curves(chart) => [&mut chart.x.label, &mut chart.y.label],
            Self::HeatMap(chart) => [&mut chart.x.label, &mut chart.y.label],
            Self::BoxPlots(chart) => [&mut chart.x.label, &mut chart.y.label],
            Self::Bars(chart) => [&mut chart.x.label, &mut chart.y.label],
            Self::Scatter(chart) => [&mut chart.x.label, &mut chart.y.label],
        };
        for (own, label) in [(own_x, x), (own_y, y)] {
            if let Some(label) = label {
                label.clone_into(own);
            }
        }
    }

    /// Sets the ranges of the axes, each from a number to a larger one.
    ///
    /// # Errors
    /// When an axis has names or cannot have the range; the message is about the range.
    pub fn set_ranges(&mut self, x: Option<[f64; 2]>, y: Option<[f64; 2]>) -> Result<(), RangeError> {
        let axes = match self {
            Self::Curves(chart) => [&mut chart.x, &mut chart.y],
            Self::BoxPlots(chart) => [&mut chart.x, &mut chart.y],
            Self::Bars(chart) => [&mut chart.x, &mut chart.y],
            Self::Scatter(chart) => [&mut chart.x, &mut chart.y],
            Self::HeatMap(_) if x.is_none() && y.is_none() => return Ok(()),
            Self::HeatMap(_) => return Err(RangeError::HeatMap),
        };
        for (axis, range) in axes.into_iter().zip([x, y]) {
            let Some([low, high]) = range else { continue };
            match axis.scale {
                Scale::Categories(_) => return Err(RangeError::Names),
                Scale::Log if low <= 0.0 => return Err(RangeError::Log),
                _ => axis.fixed = Some([low, high]),
            }
        }
        Ok(())
    }

    fn draw(&self, page: &mut Page, placement: Placement) -> Plane {
        match self {
            Self::Curves(chart) => chart.draw(page, placement),
            Self::HeatMap(chart) => chart.draw(page, placement),
            Self::BoxPlots(chart) => chart.draw(page, placement),
            Self::Bars(chart) => chart.draw(page, placement),
            Self::Scatter(chart) => chart.draw(page, placement),
        }
    }

    /// The x axis; none of a heat map.
    fn x(&self) -> Option<&Axis> {
        match self {
            Self::Curves(chart) => Some(&chart.x),
            Self::HeatMap(_) => None,
            Self::BoxPlots(chart) => Some(&chart.x),
            Self::Bars(chart) => Some(&chart.x),
            Self::Scatter(chart) => Some(&chart.x),
        }
    }
}

/// The reason why an axis cannot have a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RangeError {
    /// Its places are names.
    Names,
    /// It is logarithmic, and the range reaches 0.
    Log,
    /// The chart is a heat map, whose axes are rows and columns.
    HeatMap,
}

impl std::fmt::Display for RangeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Names => "the axis has names in place of numbers",
            Self::Log => "the axis is logarithmic: expected numbers > 0",
            Self::HeatMap => "a heat map has rows and columns, which are not numbers",
        })
    }
}

/// A chart with a title and a caption.
#[derive(Clone, Debug, PartialEq)]
pub struct Figure {
    /// The title, at the top left.
    pub title: String,
    /// The caption below the chart, such as what a band is. Remarks on missing values follow it.
    pub caption: String,
    /// The chart.
    pub chart: Chart,
}

impl Figure {
    /// Shows intervals in a form, and names it in the caption.
    pub fn set_intervals(&mut self, intervals: Intervals) {
        let Chart::Curves(curves) = &mut self.chart else { return };
        let before = curves.interval_words();
        curves.intervals = Some(intervals);
        self.caption = self.caption.replace(before, curves.interval_words());
    }

    /// The caption with the remarks of the chart.
    pub fn full_caption(&self) -> String {
        let mut caption = self.caption.trim().to_owned();
        let notes = if self.chart.is_empty() { Vec::new() } else { self.chart.notes() };
        for note in notes {
            if !caption.is_empty() {
                caption.push_str(if caption.ends_with(['.', '!', '?']) { " " } else { ". " });
            }
            caption.push_str(&note);
        }
        caption
    }

    /// The chart with its key, without title and caption, in the size of a part of a window.
    pub fn on_screen(&self, size_px: DVec2) -> OnScreen {
        let mut page = Page::new();
        let figure = Self { title: String::new(), caption: String::new(), chart: self.chart.clone() };
        let [right, bottom] = (size_px - NARROW_PX).to_array();
        let area = Area { left: NARROW_PX, top: 0.0, right, bottom };
        let texts = Texts { caption: Vec::new(), ..Texts::new(&figure, [(right - area.left).max(LEAST_PX), bottom]) };
        let plane = figure.draw(&mut page, &texts, Placement::alone(area));
        let (picture, camera) = page.into_picture(size_px);
        OnScreen { picture, camera, plane }
    }

    /// Draws title, key, chart and caption on a page. Without data there is no plane.
    fn draw(&self, page: &mut Page, texts: &Texts, placement: Placement) -> Option<Plane> {
        let Texts { title, caption, key } = texts;
        let area = placement.area;
        let mut top = page.lines(Role::Text, [area.left, area.top], title, TITLE_PX, Anchor::Left) + 6.0;
        if let Some(key) = key {
            key.draw(page, [area.left, top]);
            top += texts.key_px();
        }
        let caption_px = caption.len() as f64 * SMALL_PX * LINE;
        let caption_top = area.bottom - caption_px + 4.0;
        page.lines(Role::Dim, [area.left, caption_top], caption, SMALL_PX, Anchor::Left);
        let bottom = if caption.is_empty() { area.bottom } else { caption_top - 8.0 };
        let area = Area { top, bottom: bottom.max(top + LEAST_PX), ..area };
        if self.chart.is_empty() {
            page.outline(Layer::Field, Role::Grid, area, 1.0);
            let center = DVec2::new((area.left + area.right) / 2.0, (area.top + area.bottom) / 2.0);
            page.text(Role::Dim, center, "No data", TITLE_PX, Anchor::Middle);
            None
        } else {
            Some(self.chart.draw(page, Placement { area, ..placement }))
        }
    }
}

/// A chart in a window.
#[derive(Clone, Debug)]
pub struct OnScreen {
    /// The picture.
    pub picture: Picture,
    /// The camera for which a metre of the picture is a point of the window.
    pub camera: Camera,
    /// The places of the data; `None` without data.
    pub plane: Option<Plane>,
}

/// The texts around a chart.
struct Texts {
    title: Vec<String>,
    caption: Vec<String>,
    key: Option<Key>,
}

impl Texts {
    /// The texts of a figure in an area with a width and a height, in pixels.
    fn new(figure: &Figure, [width_px, height_px]: [f64; 2]) -> Self {
        let is_empty = figure.chart.is_empty();
        Self {
            title: wrapped(&figure.title, width_px, TITLE_PX, 3),
            caption: wrapped(&figure.full_caption(), width_px, SMALL_PX, 8),
            key: figure.chart.key([width_px, height_px]).filter(|key| !is_empty && key.height() > 0.0),
        }
    }

    fn key_px(&self) -> f64 {
        self.key.as_ref().map_or(0.0, Key::height)
    }
}

#[cfg(test)]
mod tests;

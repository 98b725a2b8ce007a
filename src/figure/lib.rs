//! Figures: charts as pictures, and their files.
//!
//! A figure is a [`Picture`], which every painter paints: those of SVG and PDF files, that of videos for PNG files, and the
//! window. Sweeps and the plots of the window have the same figures. A [`Layout`] puts some of them on one [`Paper`], whose
//! [`Print`] makes all files. All numbers of a figure are in pixels of its page. The functions of a figure never fail: a chart
//! without data says so.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Camera, Layer, Picture, Role};

mod absence;
mod axis;
mod bars;
mod beyond;
mod boxes;
mod csv;
mod curves;
mod frame;
mod heat;
mod key;
mod label;
mod layout;
mod outlines;
mod page;
mod paper;
mod plane;
mod scatter;
mod scripts;
mod ticks;
mod topic;

pub use axis::{Axis, RangeError, Scale, axis_label, axis_text};
pub use bars::Bars;
pub use beyond::Beyond;
pub use boxes::{BoxPlots, Group, Sample};
pub use curves::{Curves, Intervals, Point, Series};
pub use heat::{HeatMap, Levels, Line};
pub use label::{Label, Legend};
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
use scripts::marked;

/// The gap below the title, in pixels.
const TITLE_GAP_PX: f64 = 6.0;
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
            if let Some(range) = range {
                axis.fix(range)?;
            }
        }
        Ok(())
    }

    /// Draws the axes, and returns the places of the data; of a heat map, whose cells take what its names leave, all of it.
    fn frame(&self, page: &mut Page, placement: Placement) -> Plane {
        match self {
            Self::Curves(chart) => Plane::Axes(chart.frame(page, placement)),
            Self::HeatMap(chart) => chart.draw(page, placement),
            Self::BoxPlots(chart) => Plane::Axes(chart.frame(page, placement)),
            Self::Bars(chart) => Plane::Axes(chart.frame(page, placement)),
            Self::Scatter(chart) => Plane::Axes(chart.frame(page, placement)),
        }
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
    /// Shows the intervals of curves in a form, which the caption names.
    pub fn set_intervals(&mut self, intervals: Intervals) {
        if let Chart::Curves(curves) = &mut self.chart {
            curves.intervals = Some(intervals);
        }
    }

    /// The caption with the remarks of the chart.
    pub fn full_caption(&self) -> String {
        let mut caption = self.caption.trim().to_owned();
        let notes = match &self.chart {
            chart if !chart.is_empty() => chart.notes(),
            // The legend says how many runs failed.
            Chart::Curves(curves) => curves.legend_text().into_iter().collect(),
            _ => Vec::new(),
        };
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
        let figure = Self { title: String::new(), ..self.clone() };
        let [right, bottom] = (size_px - NARROW_PX).to_array();
        let area = Area { left: NARROW_PX, top: 0.0, right, bottom };
        let texts = Texts::new(&figure, [(right - area.left).max(LEAST_PX), bottom], false);
        let plane = figure.draw(&mut page, &texts, Placement::alone(area));
        let (picture, camera) = page.into_picture(size_px);
        OnScreen { picture, camera, plane }
    }

    /// Draws title, key, chart and caption on a page. Without data there is no plane.
    fn draw(&self, page: &mut Page, texts: &Texts, placement: Placement) -> Option<Plane> {
        let Texts { title, caption, key } = texts;
        let area = placement.area;
        let top = page.lines(Role::Text, [area.left, area.top], title, TITLE_PX, Anchor::Left) + TITLE_GAP_PX;
        if let Some(key) = key {
            key.draw(page, [area.left, top]);
        }
        page.lines(Role::Dim, [area.left, texts.caption_top(area)], caption, SMALL_PX, Anchor::Left);
        let area = texts.chart_area(area);
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
    fn new(figure: &Figure, [width_px, height_px]: [f64; 2], has_caption: bool) -> Self {
        let is_empty = figure.chart.is_empty();
        let caption = if has_caption { figure.full_caption() } else { String::new() };
        Self {
            title: wrapped(&marked(&figure.title), width_px, TITLE_PX, 3),
            caption: wrapped(&marked(&caption), width_px, SMALL_PX, 8),
            key: figure.chart.key([width_px, height_px]).filter(|key| !is_empty && key.height() > 0.0),
        }
    }

    fn key_px(&self) -> f64 {
        self.key.as_ref().map_or(0.0, Key::height)
    }

    /// The upper edge of the caption in the area of the figure.
    fn caption_top(&self, area: Area) -> f64 {
        area.bottom - self.caption.len() as f64 * SMALL_PX * LINE + 4.0
    }

    /// The room that the texts leave for the chart in the area of the figure.
    fn chart_area(&self, area: Area) -> Area {
        let top = area.top + self.title.len() as f64 * TITLE_PX * LINE + TITLE_GAP_PX + self.key_px();
        let bottom = if self.caption.is_empty() { area.bottom } else { self.caption_top(area) - 8.0 };
        Area { top, bottom: bottom.max(top + LEAST_PX), ..area }
    }
}

#[cfg(test)]
mod tests;

//! Figures: charts as pictures, and their files.
//!
//! A figure is a [`Picture`], which every painter paints: those of SVG and PDF files, that of videos for PNG files, and the
//! window. Sweeps and the plots of the window have the same figures; [`sheet`] puts some of them on one [`Paper`].
//! All numbers of a figure are in pixels of its page. The functions of a figure never fail: a chart without data says so.

use bevy::math::DVec2;
use swarmarium_picture::{Anchor, Camera, Layer, Picture, Role, Svg};

mod axis;
mod bars;
mod boxes;
mod csv;
mod curves;
mod frame;
mod heat;
mod key;
mod outlines;
mod page;
mod paper;
mod plane;
mod scatter;
mod ticks;
mod topic;

pub use axis::{Axis, Scale, axis_label, axis_text};
pub use bars::Bars;
pub use boxes::{BoxPlots, Group, Sample};
pub use curves::{Curves, Point, Series};
pub use heat::{HeatMap, Levels, Line};
pub use page::{Area, shortened, text_width};
#[cfg(feature = "video")]
pub use paper::Pixels;
pub use paper::{FileOptions, Format, Look, Paper, Print};
pub use plane::Plane;
pub use scatter::Scatter;
pub use topic::Topic;

use key::{Key, ROW_PX};
use page::{LINE, Page, SMALL_PX, TITLE_PX, wrapped};

/// Width and height of a figure, in logical pixels. Figures with a long key or caption are higher.
pub const SIZE_PX: DVec2 = DVec2::new(720.0, 480.0);
/// Pixels of a PNG file per logical pixel.
pub const PNG_SCALE: f64 = 2.0;
/// The margin around a figure, in pixels.
const MARGIN_PX: f64 = 16.0;
/// The margin around a figure on a sheet, in pixels.
const NARROW_PX: f64 = 5.0;
/// The least width and height of a chart, in pixels, however little room there is.
const LEAST_PX: f64 = 90.0;
/// Rows of the key, and lines of the caption, that fit into the usual height.
const USUAL_ROWS: f64 = 3.0;
const USUAL_LINES: usize = 3;

/// The least width of the panels of a paper, and that of up to three panels, in millimetres.
const PANEL_MM: f64 = 75.0;
const NARROW_PANEL_MM: f64 = 55.0;
/// The height of a panel as a part of its width, and the least one in millimetres.
const PANEL_HEIGHT: f64 = 0.71;
const LEAST_PANEL_MM: f64 = 40.0;
/// The height of a page without its margins, in millimetres.
pub const PAGE_MM: f64 = 240.0;

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

    fn key(&self, width_px: f64) -> Option<Key> {
        match self {
            Self::Curves(chart) => Some(chart.key(width_px)),
            Self::HeatMap(_) | Self::Bars(_) | Self::Scatter(_) => None,
            Self::BoxPlots(chart) => Some(chart.key(width_px)),
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

    fn draw(&self, page: &mut Page, area: Area) -> Plane {
        match self {
            Self::Curves(chart) => chart.draw(page, area),
            Self::HeatMap(chart) => chart.draw(page, area),
            Self::BoxPlots(chart) => chart.draw(page, area),
            Self::Bars(chart) => chart.draw(page, area),
            Self::Scatter(chart) => chart.draw(page, area),
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

    /// The figure as a picture, and the camera for which a metre of the picture is a pixel of the page.
    pub fn picture(&self) -> (Picture, Camera) {
        let mut page = Page::new();
        let texts = Texts::new(self, SIZE_PX.x - 2.0 * MARGIN_PX);
        let more_lines = (texts.caption.len() + texts.title.len()).saturating_sub(USUAL_LINES + 1) as f64;
        let more = (texts.key_px() - USUAL_ROWS * ROW_PX).max(0.0) + more_lines * SMALL_PX * LINE;
        let size_px = DVec2::new(SIZE_PX.x, SIZE_PX.y + more.ceil());
        let [right, bottom] = (size_px - MARGIN_PX).to_array();
        self.draw(&mut page, &texts, Area { left: MARGIN_PX, top: 10.0, right, bottom });
        page.into_picture(size_px)
    }

    /// The chart with its key, without title and caption, in the size of a part of a window.
    pub fn on_screen(&self, size_px: DVec2) -> OnScreen {
        let mut page = Page::new();
        let figure = Self { title: String::new(), caption: String::new(), chart: self.chart.clone() };
        let [right, bottom] = (size_px - NARROW_PX).to_array();
        let area = Area { left: NARROW_PX, top: 0.0, right, bottom };
        let texts = Texts { caption: Vec::new(), ..Texts::new(&figure, (right - area.left).max(LEAST_PX)) };
        let plane = figure.draw(&mut page, &texts, area);
        let (picture, camera) = page.into_picture(size_px);
        OnScreen { picture, camera, plane }
    }

    /// Draws title, key, chart and caption into an area of a page. Without data there is no plane.
    fn draw(&self, page: &mut Page, texts: &Texts, area: Area) -> Option<Plane> {
        let Texts { title, caption, key } = texts;
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
            Some(self.chart.draw(page, area))
        }
    }

    /// The figure as the text of an SVG file, in the light theme.
    pub fn svg(&self) -> String {
        let (picture, camera) = self.picture();
        let svg = Svg { title: self.title.clone(), description: self.full_caption(), ..Svg::default() };
        svg.write(&picture, &camera)
    }

    /// The figure as a PNG file, in the light theme, with two pixels per pixel of the page.
    ///
    /// # Errors
    /// When the encoder fails.
    #[cfg(feature = "video")]
    pub fn png(&self) -> anyhow::Result<Vec<u8>> {
        use swarmarium_picture::{GroupColors, Theme};
        use swarmarium_video::painter::Style;

        let (picture, camera) = self.picture();
        let size_px = (camera.screen_px * PNG_SCALE).to_array().map(|size| size.round() as u16);
        let style = Style { theme: Theme::Light, groups: GroupColors::OkabeIto, transparent: false, scale: PNG_SCALE };
        Ok(swarmarium_video::png::of_picture(&picture, &camera, size_px, style)?)
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
    /// The texts of a figure in lines of a width, in pixels.
    fn new(figure: &Figure, width_px: f64) -> Self {
        let is_empty = figure.chart.is_empty();
        Self {
            title: wrapped(&figure.title, width_px, TITLE_PX, 3),
            caption: wrapped(&figure.full_caption(), width_px, SMALL_PX, 8),
            key: figure.chart.key(width_px).filter(|key| !is_empty && key.height() > 0.0),
        }
    }

    fn key_px(&self) -> f64 {
        self.key.as_ref().map_or(0.0, Key::height)
    }
}

/// Figures on one paper, row by row, with their captions. The figures of each row fill the width of the paper.
pub fn sheet(figures: &[Figure], paper: Paper, title: &str, description: &str) -> Print {
    on_paper(figures, paper, [title, description], |texts| texts)
}

/// Figures on one paper as in [`sheet`], without captions and remarks: those of a paper stand below the figure.
pub fn panels(figures: &[Figure], paper: Paper, title: &str, description: &str) -> Print {
    on_paper(figures, paper, [title, description], |texts| Texts { caption: Vec::new(), ..texts })
}

fn on_paper(
    figures: &[Figure],
    paper: Paper,
    [title, description]: [&str; 2],
    adapt: impl Fn(Texts) -> Texts,
) -> Print {
    let mut page = Page::new();
    let size_px = paper.size_px();
    let columns = columns(figures.len(), size_px);
    let height_px = cell_px(figures.len(), columns, size_px).y;
    for (place, figure) in figures.iter().enumerate() {
        let in_row = columns.min(figures.len() - place / columns * columns);
        let cell_px = DVec2::new(size_px.x / in_row as f64, height_px);
        let corner = DVec2::new((place % columns) as f64, (place / columns) as f64) * cell_px;
        let [left, top] = (corner + NARROW_PX).to_array();
        let [right, bottom] = (corner + cell_px - NARROW_PX).to_array();
        let texts = adapt(Texts::new(figure, (right - left).max(LEAST_PX)));
        figure.draw(&mut page, &texts, Area { left, top, right: right.max(left + LEAST_PX), bottom });
    }
    let (picture, camera) = page.into_picture(size_px);
    Print { title: title.to_owned(), description: description.to_owned(), picture, camera, paper }
}

/// A paper of a width in millimetres for the [`panels`] of some figures: with panels of a usual height, and room for their
/// titles and keys.
pub fn usual_paper(figures: &[Figure], width_mm: f64, font_pt: f64) -> Paper {
    let count = figures.len().max(1);
    let least_mm = if count > 3 { PANEL_MM } else { NARROW_PANEL_MM };
    let columns = ((width_mm / least_mm) as usize).clamp(1, count);
    let panel_mm = width_mm / columns as f64;
    let mut paper = Paper { size_mm: DVec2::splat(panel_mm), font_pt };
    let mm_per_px = panel_mm / paper.size_px().x;
    let width_px = (paper.size_px().x - 2.0 * NARROW_PX).max(LEAST_PX);
    let more_px = |figure: &Figure| {
        let texts = Texts::new(figure, width_px);
        texts.key_px() + texts.title.len() as f64 * TITLE_PX * LINE
    };
    let more_mm = figures.iter().map(more_px).fold(0.0, f64::max) * mm_per_px;
    let height_mm = (panel_mm * PANEL_HEIGHT).max(LEAST_PANEL_MM) + more_mm;
    let rows = count.div_ceil(columns) as f64;
    paper.size_mm = DVec2::new(width_mm, (rows * height_mm).round().min(PAGE_MM).max(*Paper::SIDES_MM.start()));
    paper
}

/// The number of columns in which some figures fill a sheet of a size most evenly.
///
/// Each number of columns costs the deviation of its cells from the usual aspect ratio (the absolute logarithm of the
/// ratio of both) plus the part of the last row that stays empty; the cheapest one wins. The empty part counts because four
/// figures look better as two and two than as three and one.
fn columns(count: usize, size_px: DVec2) -> usize {
    let cost = |columns: &usize| {
        let cell = cell_px(count, *columns, size_px);
        let deviation = swarmarium_base::math::ln(cell.x / cell.y * (SIZE_PX.y / SIZE_PX.x)).abs();
        let empty = (count.next_multiple_of(*columns) - count) as f64 / *columns as f64;
        deviation + empty
    };
    (1..=count).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// Width and height of the cells of a sheet.
fn cell_px(count: usize, columns: usize, size_px: DVec2) -> DVec2 {
    size_px / DVec2::new(columns as f64, count.div_ceil(columns).max(1) as f64)
}

#[cfg(test)]
mod tests;

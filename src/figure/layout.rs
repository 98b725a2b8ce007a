//! The layout of figures on paper: sizes, rows of panels, and axes that align.

use bevy::math::DVec2;

use super::page::{Area, LINE, Page, Placement, SMALL_PX, TITLE_PX};
use super::paper::{Paper, Print};
use super::plane::Plane;
use super::{Figure, LEAST_PX, NARROW_PX, Texts};

/// The aspect ratio of a panel that suits charts best.
const ASPECT: f64 = 1.5;
/// The least width of the panels of a paper, and that of up to three panels, in millimetres.
const PANEL_MM: f64 = 75.0;
const NARROW_PANEL_MM: f64 = 55.0;
/// The height of a panel as a part of its width, and the least one in millimetres.
const PANEL_HEIGHT: f64 = 0.71;
const LEAST_PANEL_MM: f64 = 40.0;
/// The height of a page without its margins, in millimetres.
pub const PAGE_MM: f64 = 240.0;

/// The layout of figures on paper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Layout {
    /// The width in millimetres.
    pub width_mm: f64,
    /// The height in millimetres; without it, the width and the number of panels give a usual height.
    pub height_mm: Option<f64>,
    /// The size of the labels of axes in points (1/72 inch).
    pub font_pt: f64,
    /// Whether figures have their titles. Several figures have letters in any case.
    pub has_titles: bool,
    /// Whether figures have their captions.
    pub has_captions: bool,
}

impl Default for Layout {
    /// A column of a journal, with labels of 8 pt, without titles and captions.
    fn default() -> Self {
        Self { width_mm: 85.0, height_mm: None, font_pt: 8.0, has_titles: false, has_captions: false }
    }
}

impl Layout {
    /// A figure with its title, to be read on its own.
    const WHOLE: Self = Self { width_mm: 140.0, height_mm: None, font_pt: 8.0, has_titles: true, has_captions: false };

    /// Figures on one paper, row by row. The figures of each row fill the width of the paper; axes align, and of figures in one
    /// column that have the same x axis, the lowest one has its texts.
    pub fn print(&self, figures: &[Figure]) -> Print {
        let title = figures.iter().map(|figure| figure.title.as_str()).collect::<Vec<_>>().join("; ");
        let description = figures.iter().map(Figure::full_caption).collect::<Vec<_>>().join(" ");
        let mut figures = figures.to_vec();
        let count = figures.len();
        for (place, figure) in figures.iter_mut().enumerate() {
            let title = if self.has_titles { figure.title.as_str() } else { "" };
            figure.title = format!("{} {title}", letter(place, count)).trim().to_owned();
        }
        let paper = self.paper(&figures);
        let mut panels = panels(&figures, paper, self.has_captions);
        if !self.has_captions {
            share_axes(&mut panels);
        }
        print(panels, paper, [&title, &description])
    }

    /// The paper: with panels of a usual height and room for their texts, unless the height is given.
    fn paper(&self, figures: &[Figure]) -> Paper {
        let Self { width_mm, font_pt, .. } = *self;
        let count = figures.len().max(1);
        let least_mm = if count > 3 { PANEL_MM } else { NARROW_PANEL_MM };
        let columns = ((width_mm / least_mm) as usize).clamp(1, count);
        let panel_mm = width_mm / columns as f64;
        let size_px = Paper { size_mm: DVec2::splat(panel_mm), font_pt }.size_px();
        let width_px = (size_px.x - 2.0 * NARROW_PX).max(LEAST_PX);
        // A panel grows with its key, of which the data are the larger part.
        let height_px = self.height_mm.map_or(width_px, |height_mm| height_mm / panel_mm * size_px.x);
        let texts_px = |figure: &Figure| Texts::new(figure, [width_px, height_px], self.has_captions).height_px();
        let texts_mm = figures.iter().map(texts_px).fold(0.0, f64::max) * panel_mm / size_px.x;
        let panel_mm = (panel_mm * PANEL_HEIGHT).max(LEAST_PANEL_MM) + texts_mm;
        let usual_mm = (count.div_ceil(columns) as f64 * panel_mm).round().min(PAGE_MM).max(*Paper::SIDES_MM.start());
        Paper { size_mm: DVec2::new(width_mm, self.height_mm.unwrap_or(usual_mm)), font_pt }
    }
}

impl Figure {
    /// The figure with its title and its caption on paper: 140 mm wide, with labels of 8 pt.
    pub fn print(&self) -> Print {
        Layout { has_captions: true, ..Layout::WHOLE }.print(std::slice::from_ref(self))
    }

    /// As [`print`](Self::print), without the caption.
    pub fn print_without_caption(&self) -> Print {
        Layout::WHOLE.print(std::slice::from_ref(self))
    }
}

impl Texts {
    /// The height of title, key and caption, in pixels.
    fn height_px(&self) -> f64 {
        let caption_px = match self.caption.len() {
            0 => 0.0,
            lines => lines as f64 * SMALL_PX * LINE + 4.0,
        };
        self.title.len() as f64 * TITLE_PX * LINE + self.key_px() + caption_px
    }
}

/// The letter of a panel: `(a)` and so on; none for a single one.
pub fn letter(place: usize, count: usize) -> String {
    let letter = ('a'..='z').nth(place).filter(|_| count > 1);
    letter.map(|letter| format!("({letter})")).unwrap_or_default()
}

/// Figures on one paper of a given size, row by row, with their captions. The figures of each row fill the width of the paper,
/// and their axes align.
pub fn sheet(figures: &[Figure], paper: Paper, title: &str, description: &str) -> Print {
    print(panels(figures, paper, true), paper, [title, description])
}

/// A figure in a row.
struct Panel<'a> {
    figure: &'a Figure,
    texts: Texts,
    row: usize,
    placement: Placement,
}

impl Panel<'_> {
    /// The place of the data without drawing; `None` without data.
    fn plane(&self) -> Option<Plane> {
        let placement = Placement { area: self.texts.chart_area(self.placement.area), ..self.placement };
        let chart = &self.figure.chart;
        (!chart.is_empty()).then(|| chart.frame(&mut Page::new(), placement))
    }

    /// Whether another panel has the same left or right edge.
    fn meets(&self, other: &Self, edge: fn(&Area) -> f64) -> bool {
        (edge(&self.placement.area) - edge(&other.placement.area)).abs() < 0.5
    }
}

/// Draws panels in rows of such heights that their data align.
fn print(mut panels: Vec<Panel>, paper: Paper, [title, description]: [&str; 2]) -> Print {
    set_heights(&mut panels, paper.size_px().y);
    align(&mut panels);
    let mut page = Page::new();
    for panel in &panels {
        panel.figure.draw(&mut page, &panel.texts, panel.placement);
    }
    let (picture, camera) = page.into_picture(paper.size_px());
    Print { title: title.to_owned(), description: description.to_owned(), picture, camera, paper }
}

/// Figures in rows of one height.
fn panels(figures: &[Figure], paper: Paper, has_captions: bool) -> Vec<Panel<'_>> {
    let size_px = paper.size_px();
    let columns = columns(figures.len(), size_px);
    let height_px = cell_px(figures.len(), columns, size_px).y;
    let panel = |(place, figure)| {
        let (row, column) = (place / columns, place % columns);
        let in_row = columns.min(figures.len() - row * columns);
        let cell_px = DVec2::new(size_px.x / in_row as f64, height_px);
        let corner = DVec2::new(column as f64, row as f64) * cell_px;
        let [left, top] = (corner + NARROW_PX).to_array();
        let [right, bottom] = (corner + cell_px - NARROW_PX).to_array();
        let area = Area { left, top, right: right.max(left + LEAST_PX), bottom };
        let texts = Texts::new(figure, [area.width(), area.height()], has_captions);
        Panel { figure, texts, row, placement: Placement::alone(area) }
    };
    figures.iter().enumerate().map(panel).collect()
}

/// Takes the texts of the x axis from panels above a panel with the same one.
fn share_axes(panels: &mut [Panel]) {
    let planes: Vec<Option<Plane>> = panels.iter().map(Panel::plane).collect();
    let is_shared = |upper: usize, lower: usize| {
        let (one, other) = (&panels[upper], &panels[lower]);
        let are_stacked =
            other.row == one.row + 1 && one.meets(other, |area| area.left) && one.meets(other, |area| area.right);
        let (Some(Plane::Axes(frame)), Some(Plane::Axes(below))) = (&planes[upper], &planes[lower]) else {
            return false;
        };
        are_stacked && frame.x == below.x && one.figure.chart.x() == other.figure.chart.x()
    };
    let shared: Vec<bool> =
        (0..panels.len()).map(|upper| (0..panels.len()).any(|lower| is_shared(upper, lower))).collect();
    for (panel, is_shared) in panels.iter_mut().zip(shared) {
        panel.placement.has_x_texts = !is_shared;
    }
}

/// Gives rows such heights that their data have one height, whatever the texts around them need.
fn set_heights(panels: &mut [Panel], height_px: f64) {
    let rows = panels.last().map_or(0, |panel| panel.row + 1);
    let mut around = vec![None; rows];
    for panel in panels.iter() {
        let Some(plane) = panel.plane() else { continue };
        let around_px = panel.placement.area.height() + 2.0 * NARROW_PX - plane.area().height();
        let known: &mut Option<f64> = &mut around[panel.row];
        *known = Some(known.map_or(around_px, |known| known.max(around_px)));
    }
    // A row without data has room for a usual axis.
    let usual = around.iter().flatten().copied().fold(0.0, f64::max);
    let around: Vec<f64> = around.into_iter().map(|around_px| around_px.unwrap_or(usual)).collect();
    let data_px = (height_px - around.iter().sum::<f64>()) / rows.max(1) as f64;
    if data_px < LEAST_PX / 2.0 {
        return;
    }
    for panel in panels {
        let top = around[..panel.row].iter().map(|around_px| around_px + data_px).sum::<f64>();
        let area = &mut panel.placement.area;
        (area.top, area.bottom) = (top + NARROW_PX, top + around[panel.row] + data_px - NARROW_PX);
    }
}

/// Aligns the data of the panels of a column at their left and right edges, and those of a row at their upper and lower edges.
fn align(panels: &mut [Panel]) {
    let planes: Vec<Option<Plane>> = panels.iter().map(Panel::plane).collect();
    let within = |panel: &Panel| {
        let others = || panels.iter().zip(&planes).filter_map(|(other, plane)| Some((other, plane.as_ref()?)));
        let is_map = panel.figure.chart.x().is_none();
        // The bar of the colours of a heat map would take room beside other charts.
        let is_alike = |other: &Panel| other.figure.chart.x().is_none() == is_map;
        let (lefts, rights) = (
            others().filter(|(other, _)| panel.meets(other, |area| area.left)),
            others().filter(|(other, _)| panel.meets(other, |area| area.right) && is_alike(other)),
        );
        let in_row = || others().filter(|(other, _)| other.row == panel.row);
        Area {
            left: lefts.map(|(_, plane)| plane.area().left).fold(f64::NEG_INFINITY, f64::max),
            right: rights.map(|(_, plane)| plane.area().right).fold(f64::INFINITY, f64::min),
            top: in_row().map(|(_, plane)| plane.area().top).fold(f64::NEG_INFINITY, f64::max),
            bottom: in_row().map(|(_, plane)| plane.area().bottom).fold(f64::INFINITY, f64::min),
        }
    };
    let areas: Vec<Area> = panels.iter().map(within).collect();
    for (panel, area) in panels.iter_mut().zip(areas) {
        panel.placement.within = Some(area);
    }
}

/// The number of columns in which some figures fill a sheet of a size most evenly.
///
/// Each number of columns costs the deviation of its cells from the usual aspect ratio (the absolute logarithm of the
/// ratio of both) plus the part of the last row that stays empty; the cheapest one wins. The empty part counts because four
/// figures look better as two and two than as three and one.
pub(super) fn columns(count: usize, size_px: DVec2) -> usize {
    let cost = |columns: &usize| {
        let cell = cell_px(count, *columns, size_px);
        let deviation = swarmarium_base::math::ln(cell.x / cell.y / ASPECT).abs();
        let empty = (count.next_multiple_of(*columns) - count) as f64 / *columns as f64;
        deviation + empty
    };
    (1..=count).min_by(|a, b| cost(a).total_cmp(&cost(b))).unwrap_or(1)
}

/// Width and height of the cells of a sheet.
fn cell_px(count: usize, columns: usize, size_px: DVec2) -> DVec2 {
    size_px / DVec2::new(columns as f64, count.div_ceil(columns).max(1) as f64)
}

//! The pointer over the figure of a sweep: points, their pictures, and ranges to refine.

use bevy_egui::egui::{self, DragValue, Image, Rect, Response, Sense, Stroke, StrokeKind, Ui, Vec2};
use swarmarium_figure::{Area, Plane};
use swarmarium_lab_state::action::{Action, SweepAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::whole_field;
use swarmarium_lab_state::sweeps::drawn::Drawn;
use swarmarium_lab_state::sweeps::point_text;
use swarmarium_lab_state::sweeps::worker::State;
use swarmarium_picture::palette::Role;
use swarmarium_sweep::summary::Summary;
use swarmarium_sweep::{Run, Sweep, charts};

use crate::sweep::panel::PictureTextures;
use crate::sweep::runs::value_text;

/// The largest distance from a point at which the pointer is on it, in points.
const NEAR_PX: f32 = 60.0;

/// The height of the row of pictures below a curve, in points.
const STRIP_PX: f32 = 74.0;

/// The size of the pictures in that row, in points.
const PICTURE_PX: Vec2 = Vec2::new((STRIP_PX - 6.0) * LARGE_PX.x / LARGE_PX.y, STRIP_PX - 6.0);

/// The smallest width of a picture there, in points.
const LEAST_PICTURE_PX: f32 = 36.0;

/// The gap between two pictures there, in points.
const PICTURE_GAP_PX: f32 = 4.0;

/// A figure is at least so high above the row of pictures, in points.
const ABOVE_STRIP_PX: f32 = 130.0;

/// The smallest cell of a heat map that shows a picture, in points.
const LEAST_CELL_PX: f32 = 26.0;

/// The width beside a picture in which a cell shows its value, in points.
const VALUE_PX: f32 = 56.0;

/// The room that axes and colours need beside and below the cells, in points.
const AROUND_CELLS_PX: Vec2 = Vec2::new(130.0, 75.0);

/// The size of a picture under the pointer, in points.
const LARGE_PX: Vec2 = Vec2::new(320.0, 240.0);

/// The distance from the axes up to which the pointer is on the figure, in points.
const AROUND_PX: f32 = 8.0;

/// A drag of fewer points selects no range.
const DRAG_PX: f32 = 6.0;

/// The number of values that "Refine" adds.
const NEW_POINTS: u64 = 5;

/// A figure in a frame of the window.
#[derive(Clone, Copy)]
pub struct Shown<'a> {
    /// The window.
    pub lab: &'a Lab,
    /// The sweep.
    pub sweep: &'a Sweep,
    /// Its state.
    pub state: &'a State,
    /// The figure.
    pub drawn: &'a Drawn,
}

/// The pointer over the figure.
#[derive(Default)]
pub struct Chart {
    /// The place at which a drag began, in points.
    from_px: Option<f32>,
    /// The selected range of the factor on the x axis.
    range: Option<(usize, [f64; 2])>,
    /// The number of values to add within the range.
    points: Option<u64>,
}

/// Returns the height of the row of pictures below a figure.
pub fn strip_px(name: &str, height: f32) -> f32 {
    let has_strip = name.ends_with("-curve") || name.ends_with("-boxes");
    if has_strip && height > ABOVE_STRIP_PX + STRIP_PX { STRIP_PX } else { 0.0 }
}

/// Whether the cells of the heat map of a sweep are large enough for pictures in a figure of a size, in points.
pub fn has_room_for_pictures(sweep: &Sweep, size: Vec2) -> bool {
    let axes = charts::FactorAxis::all(sweep);
    let [one, other] = &axes[..] else { return true };
    let [x, y] = charts::sides(one, other);
    let room = (size - AROUND_CELLS_PX) / egui::vec2(x.names.len() as f32, y.names.len() as f32);
    room.min_elem() >= LEAST_CELL_PX
}

/// Converts an area of the figure to the window.
fn rect_of(area: Area, corner: egui::Pos2) -> Rect {
    let at = |x: f64, y: f64| corner + egui::vec2(x as f32, y as f32);
    Rect::from_min_max(at(area.left, area.top), at(area.right, area.bottom))
}

/// The points of a figure in the window.
struct Points {
    /// The factor on the x axis.
    factor: Option<usize>,
    /// The centre of each point, and its cell on a heat map.
    places: Vec<(usize, egui::Pos2, Option<Rect>)>,
}

impl Points {
    fn of(sweep: &Sweep, state: &State, drawn: &Drawn, plane: &Plane, corner: egui::Pos2) -> Self {
        let Some((factor, places)) = charts::places(sweep, &state.results, &drawn.name) else {
            return Self { factor: None, places: Vec::new() };
        };
        let place = |(point, place): (usize, charts::Place)| match place {
            charts::Place::Cell(cell) => {
                let rect = rect_of(plane.cell(cell)?, corner);
                Some((point, rect.center(), Some(rect)))
            }
            charts::Place::At(x, y) => {
                let area = plane.area();
                let at = plane.place(x, y)?;
                // A point without a value is at the bottom.
                let y = if at.y.is_finite() { at.y.max(area.top).min(area.bottom) } else { area.bottom };
                Some((point, corner + egui::vec2(at.x as f32, y as f32), None))
            }
        };
        Self { factor, places: places.into_iter().enumerate().filter_map(place).collect() }
    }

    /// The point under the pointer.
    fn at(&self, pointer: egui::Pos2) -> Option<&(usize, egui::Pos2, Option<Rect>)> {
        let distance = |(_, center, _): &&(usize, egui::Pos2, Option<Rect>)| {
            let offset = *center - pointer;
            // Points are chosen mainly by column.
            offset.x.abs() + 0.2 * offset.y.abs()
        };
        match self.places.iter().find(|(_, _, cell)| cell.is_some_and(|cell| cell.contains(pointer))) {
            Some(cell) => Some(cell),
            None => {
                let of_points = self.places.iter().filter(|(_, _, cell)| cell.is_none());
                let nearest = of_points.min_by(|a, b| distance(a).total_cmp(&distance(b)));
                nearest.filter(|(_, center, _)| (center.x - pointer.x).abs() < NEAR_PX)
            }
        }
    }
}

impl Chart {
    /// Draws the bar of a selected range.
    pub fn bar(&mut self, ui: &mut Ui, sweep: &Sweep, actions: &mut Vec<Action>) {
        let Some((factor, range)) = self.range else { return };
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 18.0;
            ui.spacing_mut().button_padding.y = 1.0;
            let label = sweep.factors.get(factor).map_or("", |factor| factor.label.as_str());
            ui.label(format!("{label} from {} to {}", value_text(range[0]), value_text(range[1])));
            let points = self.points.get_or_insert(NEW_POINTS);
            let present = *points as f64;
            let field = DragValue::new(points).range(1..=100).prefix("add ").suffix(" points");
            let field = whole_field(ui, field, "points", present);
            field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Points to add"));
            field.on_hover_text("Number of new values within the range, from 1 to 100");
            let hint = "Adds these points; the runs of the others stay";
            if ui.button("Refine").on_hover_text(hint).clicked() {
                actions.push(SweepAction::Refine { factor, range, points: *points }.into());
                self.range = None;
            }
            if ui.button("✖").on_hover_text("Clears the range").clicked() {
                self.range = None;
            }
        });
    }

    /// Draws pictures, marks and the range over the figure, and handles the pointer.
    pub fn over(
        &mut self,
        ui: &Ui,
        shown: &Shown,
        response: &Response,
        pictures: &mut PictureTextures,
        actions: &mut Vec<Action>,
    ) {
        let Shown { lab, sweep, state, drawn } = *shown;
        let Some(plane) = &drawn.plane else { return };
        let corner = response.rect.min;
        let points = Points::of(sweep, state, drawn, plane, corner);
        let theme = lab.shell.settings.theme;
        let painter = ui.painter_at(response.rect);
        for (point, _, cell) in &points.places {
            if let Some(cell) = cell.filter(|cell| cell.width().min(cell.height()) >= LEAST_CELL_PX)
                && let Some(texture) = pictures.get(ui, lab, sweep, *point)
            {
                // The colour of the cell frames the picture.
                let inner = fitted(cell.shrink(4.0), LARGE_PX.x / LARGE_PX.y);
                if inner.left() - cell.left() >= VALUE_PX {
                    let place = egui::pos2((inner.left() + cell.left()) / 2.0, cell.center().y);
                    let text = value_text(
                        summary_of(sweep, state, &drawn.name, *point).map_or(f64::NAN, |(_, of)| of.center()),
                    );
                    let galley = painter.layout_no_wrap(text, theme::number_font(), theme::color(theme, Role::Text));
                    let around = Rect::from_center_size(place, galley.size() + egui::vec2(8.0, 2.0));
                    painter.rect_filled(around, 3.0, theme::paint(theme, Role::Ground.faint(theme::VEIL)));
                    painter.galley(around.min + egui::vec2(4.0, 1.0), galley, theme::color(theme, Role::Text));
                }
                Image::from_texture((texture.id(), inner.size())).paint_at(ui, inner);
            }
        }
        let accent = theme::color(theme, Role::Accent);
        let chosen = points.places.iter().find(|(point, ..)| lab.sweep.point == Some(*point));
        // Labels of axes belong to no point.
        let area = rect_of(plane.area(), corner).expand(AROUND_PX);
        let hovered = response.hover_pos().filter(|at| area.contains(*at)).and_then(|at| points.at(at));
        for (marked, width) in [(chosen, 2.0), (hovered, 1.5)] {
            match marked {
                Some((_, _, Some(cell))) => {
                    painter.rect_stroke(cell.shrink(1.0), 0.0, Stroke::new(width, accent), StrokeKind::Inside);
                }
                Some((_, center, None)) => drop(painter.circle_stroke(*center, 7.0, Stroke::new(width, accent))),
                None => {}
            }
        }
        self.range_ui(ui, (plane, corner), points.factor, response, theme);
        if let Some((point, ..)) = hovered.filter(|_| self.from_px.is_none()) {
            let point = *point;
            if response.double_clicked() {
                actions.push(SweepAction::OpenRun(Run { point, repetition: 0 }).into());
            } else if response.clicked() {
                actions.push(SweepAction::Choose(Some(point)).into());
            }
            let texture = pictures.get(ui, lab, sweep, point).map(egui::TextureHandle::id);
            response.clone().on_hover_ui_at_pointer(|ui| hint(ui, (sweep, state), &drawn.name, point, texture));
        } else if response.clicked() {
            actions.push(SweepAction::Choose(None).into());
        }
    }

    /// Handles a drag, which selects a range of the factor on the x axis.
    fn range_ui(
        &mut self,
        ui: &Ui,
        (plane, corner): (&Plane, egui::Pos2),
        factor: Option<usize>,
        response: &Response,
        theme: swarmarium_picture::palette::Theme,
    ) {
        let Some(factor) = factor else { return };
        let area = rect_of(plane.area(), corner);
        let is_cells = matches!(plane, Plane::Cells { .. });
        if response.drag_started() && !is_cells {
            self.from_px = ui.input(|input| input.pointer.press_origin()).map(|at| at.x);
        }
        let painter = ui.painter_at(response.rect);
        let fill = theme::paint(theme, Role::Accent.faint(0.2));
        let band = |from: f32, to: f32| {
            let [left, right] = [from.min(to), from.max(to)].map(|x| x.max(area.left()).min(area.right()));
            Rect::from_x_y_ranges(left..=right, area.y_range())
        };
        if let (Some(from), Some(at)) = (self.from_px, response.interact_pointer_pos()) {
            let shown = band(from, at.x);
            painter.rect_filled(shown, 0.0, fill);
            if response.drag_stopped() && shown.width() >= DRAG_PX {
                let at = |x: f32| plane.x_at(f64::from(x - corner.x));
                self.range = Some((factor, [at(shown.left()), at(shown.right())]));
            }
        } else if let Some((_, range)) = self.range.filter(|(known, _)| *known == factor) {
            let [from, to] = range.map(|x| plane.place(x, 1.0).map_or(f32::NAN, |at| corner.x + at.x as f32));
            if from.is_finite() && to.is_finite() {
                painter.rect_filled(band(from, to), 0.0, fill);
            }
        }
        if response.drag_stopped() {
            self.from_px = None;
        }
    }
}

/// Returns points with their places, the most important one first: the chosen one, then those where the curve is steep.
fn by_importance(points: &[(usize, egui::Pos2, Option<Rect>)], chosen: Option<usize>) -> Vec<(usize, egui::Pos2)> {
    let mut sorted: Vec<(usize, egui::Pos2)> = points.iter().map(|(point, center, _)| (*point, *center)).collect();
    sorted.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
    let height = |place: usize| sorted.get(place).map_or(f32::NAN, |(_, center)| center.y);
    let step = |place: usize| {
        let steps = [place.wrapping_sub(1), place + 1].map(|other| (height(place) - height(other)).abs());
        steps.into_iter().filter(|step| step.is_finite()).fold(0.0, f32::max)
    };
    let mut order: Vec<usize> = (0..sorted.len()).collect();
    let rank = |place: &usize| (chosen != Some(sorted[*place].0), -step(*place));
    order.sort_by(|a, b| {
        let (a, b) = (rank(a), rank(b));
        a.0.cmp(&b.0).then(a.1.total_cmp(&b.1))
    });
    order.into_iter().map(|place| sorted[place]).collect()
}

/// Returns the points that have pictures, with the left ends of the pictures and their width: all points if pictures of at
/// least [`LEAST_PICTURE_PX`] fit side by side, each as near to its point as the others allow; else the most important ones.
fn pictures_below(
    points: &[(usize, egui::Pos2, Option<Rect>)],
    across: egui::Rangef,
    chosen: Option<usize>,
) -> (Vec<(usize, f32)>, f32) {
    let room_px = (across.span() + PICTURE_GAP_PX) / points.len().max(1) as f32 - PICTURE_GAP_PX;
    let all_fit = room_px >= LEAST_PICTURE_PX;
    let mut sorted: Vec<(usize, egui::Pos2)> = points.iter().map(|(point, center, _)| (*point, *center)).collect();
    sorted.sort_by(|a, b| a.1.x.total_cmp(&b.1.x));
    // Narrower pictures stand under their points, while wide ones would push each other away from them.
    let between_px =
        sorted.windows(2).map(|pair| pair[1].1.x - pair[0].1.x - PICTURE_GAP_PX).fold(f32::INFINITY, f32::min);
    let room_px = if between_px >= LEAST_PICTURE_PX { room_px.min(between_px) } else { room_px };
    let width = if all_fit { room_px.min(PICTURE_PX.x) } else { PICTURE_PX.x };
    let pitch = width + PICTURE_GAP_PX;
    let last_px = (across.max - width).max(across.min);
    let under = |center: egui::Pos2| (center.x - width / 2.0).clamp(across.min, last_px);
    let mut placed: Vec<(usize, f32)> = Vec::new();
    if !all_fit {
        for (point, center) in by_importance(points, chosen) {
            let left = under(center);
            // Of points that stand closer than their pictures, the most important one has its picture.
            if placed.iter().all(|(_, other)| (other - left).abs() >= pitch) {
                placed.push((point, left));
            }
        }
        return (placed, width);
    }
    for (point, center) in sorted {
        let least = placed.last().map_or(across.min, |(_, left)| left + pitch);
        placed.push((point, under(center).max(least)));
    }
    // Those that were pushed beyond the right end push back.
    let mut most = last_px;
    for (_, left) in placed.iter_mut().rev() {
        *left = left.min(most);
        most = *left - pitch;
    }
    (placed, width)
}

/// Draws the pictures of points below a curve, each under its point.
pub fn strip(ui: &mut Ui, shown: &Shown, figure: Rect, pictures: &mut PictureTextures, actions: &mut Vec<Action>) {
    let Shown { lab, sweep, state, drawn } = *shown;
    let Some(plane) = &drawn.plane else { return };
    let points = Points::of(sweep, state, drawn, plane, figure.min).places;
    let (rect, _) = ui.allocate_exact_size(egui::vec2(figure.width(), STRIP_PX), Sense::hover());
    let (placed, width) = pictures_below(&points, rect.x_range(), lab.sweep.point);
    let size = egui::vec2(width, width * PICTURE_PX.y / PICTURE_PX.x);
    for (point, left) in placed {
        let place = Rect::from_min_size(egui::pos2(left, rect.top() + 3.0), size);
        let Some(texture) = pictures.get(ui, lab, sweep, point).map(egui::TextureHandle::id) else { continue };
        let image = Image::from_texture((texture, size)).sense(Sense::click());
        let picture = ui.put(place, image.alt_text(format!("Picture of point {}", point + 1)));
        if lab.sweep.point == Some(point) {
            let accent = theme::color(lab.shell.settings.theme, Role::Accent);
            ui.painter().rect_stroke(place, 2.0, Stroke::new(2.0, accent), StrokeKind::Outside);
        }
        if picture.double_clicked() {
            actions.push(SweepAction::OpenRun(Run { point, repetition: 0 }).into());
        } else if picture.clicked() {
            actions.push(SweepAction::Choose(Some(point)).into());
        }
        picture.on_hover_ui(|ui| hint(ui, (sweep, state), &drawn.name, point, Some(texture)));
    }
}

/// Returns the largest rectangle with an aspect ratio in the middle of another one.
fn fitted(rect: Rect, aspect: f32) -> Rect {
    let size = match rect.width() / rect.height() > aspect {
        true => egui::vec2(rect.height() * aspect, rect.height()),
        false => egui::vec2(rect.width(), rect.width() / aspect),
    };
    Rect::from_center_size(rect.center(), size)
}

/// Returns the measure that a figure shows, and its statistics at a point.
fn summary_of<'s>(sweep: &Sweep, state: &'s State, name: &str, point: usize) -> Option<(usize, &'s Summary)> {
    let measure = charts::measure_of(sweep, name)?;
    Some((measure, state.results.summaries.get(point)?.get(measure)?))
}

/// Draws the tooltip of a point: its values, its statistics and the picture of its first run.
fn hint(ui: &mut Ui, (sweep, state): (&Sweep, &State), name: &str, point: usize, texture: Option<egui::TextureId>) {
    ui.set_max_width(LARGE_PX.x);
    ui.strong(point_text(sweep, point));
    if let Some((measure, summary)) = summary_of(sweep, state, name, point) {
        ui.label(crate::sweep::runs::summary_text(sweep, measure, summary));
    }
    match texture {
        Some(texture) => {
            ui.add(Image::from_texture((texture, LARGE_PX)).alt_text("The first run at its end"));
            ui.weak("The first run at its end. Click: its runs; double click: opens the first run");
        }
        None => drop(ui.weak("Click: its runs; double click: opens the first run")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(xs: &[f32]) -> Vec<(usize, egui::Pos2, Option<Rect>)> {
        xs.iter().enumerate().map(|(point, x)| (point, egui::pos2(*x, 10.0), None)).collect()
    }

    #[test]
    fn no_picture_vanishes_while_all_have_room() {
        // The pictures of the last points would reach beyond the end, and lie on each other.
        let across = egui::Rangef::new(0.0, 600.0);
        for xs in [&[60.0, 200.0, 330.0, 470.0, 590.0][..], &[10.0, 20.0, 30.0], &[580.0, 590.0, 600.0], &[300.0; 12]] {
            let (placed, width) = pictures_below(&points(xs), across, None);
            assert_eq!(placed.len(), xs.len(), "{xs:?}");
            assert!(placed.windows(2).all(|pair| pair[1].1 - pair[0].1 >= width + PICTURE_GAP_PX - 0.01), "{placed:?}");
            let (first, last) = (placed[0].1, placed[xs.len() - 1].1 + width);
            assert!(first >= -0.01 && last <= 600.01 && width >= LEAST_PICTURE_PX, "{xs:?}: {placed:?}");
        }
    }

    #[test]
    fn pictures_stand_under_points_with_room_between_them() {
        let xs: Vec<f32> = (0..11_u8).map(|place| 80.0 + 80.0 * f32::from(place)).collect();
        let (placed, width) = pictures_below(&points(&xs), egui::Rangef::new(10.0, 925.0), None);
        let centers: Vec<f32> = placed.iter().map(|(_, left)| left + width / 2.0).collect();
        assert!(centers.iter().zip(&xs).all(|(center, x)| (center - x).abs() < 0.5), "{centers:?}");
    }

    #[test]
    fn of_very_many_points_the_chosen_one_has_its_picture() {
        let xs: Vec<f32> = (0..100_u8).map(|place| f32::from(place) * 6.0).collect();
        let (placed, _) = pictures_below(&points(&xs), egui::Rangef::new(0.0, 600.0), Some(37));
        assert!(placed.len() < 10 && placed.iter().any(|(point, _)| *point == 37), "{placed:?}");
    }
}

//! The axes of a plot: values on the left, times or other values below.

use bevy_egui::egui::{self, Align2, AsId, Rect, Ui, Vec2};
use egui_plot::{AxisHints, Plot};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::axis::{self, Scale, ValueAxis, marks, plain};
use swarmarium_picture::palette::{Role, Theme};

/// Width of the value axis, in points.
pub const VALUES_PX: f32 = 44.0;

/// Height of the time axis, in points.
const TIMES_PX: f32 = 16.0;

/// Minimum width and height of the area between the axes, in points.
const LEAST_AREA_PX: f32 = 20.0;

/// Estimated width of a character of an axis label, in points.
const LETTER_PX: f32 = 7.0;

/// Approximate distance between time labels, in points.
const BETWEEN_TIMES_PX: f32 = 110.0;

/// The axes of a plot.
#[derive(Clone, Copy, Debug)]
pub struct Axes {
    scale: Scale,
    /// The times at both ends, in seconds.
    range_s: [f64; 2],
    /// The axis of the values; `None` for the one that the plot has.
    values: Option<ValueAxis>,
    /// The horizontal axis, if it has values instead of times.
    across: Option<ValueAxis>,
    /// The size of the area between the axes, in points.
    pub area_px: Vec2,
}

impl Axes {
    /// Creates the axes of a plot with a size in points.
    pub fn new(scale: Scale, range_s: [f64; 2], place_px: Vec2) -> Self {
        let area_px = (place_px - egui::vec2(VALUES_PX, TIMES_PX)).max(Vec2::splat(1.0));
        Self { scale, range_s, values: None, across: None, area_px }
    }

    /// Returns the axes with an axis of values.
    pub fn with_values(self, values: ValueAxis) -> Self {
        Self { values: Some(values), ..self }
    }

    /// Returns the axes with values instead of times on the horizontal axis.
    pub fn across(self, values: ValueAxis) -> Self {
        Self { across: Some(values), ..self }
    }

    /// Creates an empty plot with these axes that ignores the mouse.
    pub fn plot<'a>(self, id: impl AsId, theme: Theme) -> Plot<'a> {
        let Self { scale, area_px, values, across, .. } = self;
        // The plot fades marks that are too close to each other.
        let wanted = f64::from((area_px.x / BETWEEN_TIMES_PX).clamp(1.0, 4.0));
        // The end labels need room of their own.
        let ends = self.ends().map(|text| f64::from(LETTER_PX * (text.len() + 3) as f32 / area_px.x).min(0.5));
        Plot::new(id)
            .min_size(egui::vec2(VALUES_PX, TIMES_PX) + Vec2::splat(LEAST_AREA_PX))
            .show_background(false)
            .show_axes(true)
            .show_grid([false, true])
            .grid_color(theme::color(theme, Role::Grid))
            .grid_spacing(12.0..=28.0)
            .x_grid_spacer(move |input| match across {
                Some(across) => across.marks_across(f64::from(area_px.x)),
                None => axis::inner(marks(&input, wanted), &input, ends),
            })
            .y_grid_spacer(move |input| {
                let values = values.unwrap_or_else(|| ValueAxis::from_ends([input.bounds.0, input.bounds.1]));
                values.marks(scale, f64::from(area_px.y))
            })
            .custom_x_axes(vec![hints(AxisHints::new_x(), theme).formatter(move |mark, range| match across {
                Some(_) => Scale::Linear.text(mark.value, [*range.start(), *range.end()]),
                None => format!("{} s", plain(mark.value)),
            })])
            .custom_y_axes(vec![
                hints(AxisHints::new_y(), theme)
                    .formatter(move |mark, range| scale.text(mark.value, [*range.start(), *range.end()]))
                    .min_thickness(VALUES_PX),
            ])
            .show_x(false)
            .show_y(false)
            .allow_zoom(false)
            .allow_drag(false)
            .allow_scroll(false)
            .allow_boxed_zoom(false)
            .allow_axis_zoom_drag(false)
            .allow_double_click_reset(false)
    }

    /// Draws the time labels of both ends below the area of a plot.
    pub fn label_ends(self, ui: &Ui, area: Rect, theme: Theme) {
        let places = [(Align2::LEFT_TOP, area.left()), (Align2::RIGHT_TOP, area.right())];
        for (text, (align, x)) in self.ends().into_iter().zip(places) {
            let font = theme::font(theme::SMALL_PX);
            ui.painter().text(egui::pos2(x, area.bottom() + 1.0), align, text, font, theme::color(theme, Role::Dim));
        }
    }

    fn ends(self) -> [String; 2] {
        self.range_s.map(|at_s| axis::time_text(at_s, self.range_s))
    }
}

/// Returns the style of the labels of an axis: all are equally bright.
fn hints(axis: AxisHints<'_>, theme: Theme) -> AxisHints<'_> {
    let font = theme::font(theme::SMALL_PX);
    axis.tick_label_color(theme::color(theme, Role::Dim)).tick_label_font(font).label_spacing(0.0..=0.0)
}

/// Draws the labels of a second axis of values at the right of the area of a plot.
pub fn label_right(ui: &Ui, area: Rect, (scale, values): (Scale, ValueAxis), theme: Theme) {
    let [low, high] = values.ends;
    for mark in values.marks(scale, f64::from(area.height())) {
        let part = ((mark.value - low) / (high - low)) as f32;
        let at = egui::pos2(area.right() + theme::TINY_GAP, area.bottom() - part * area.height());
        let (text, font) = (scale.text(mark.value, values.ends), theme::font(theme::SMALL_PX));
        ui.painter().text(at, Align2::LEFT_CENTER, text, font, theme::color(theme, Role::Dim));
    }
}

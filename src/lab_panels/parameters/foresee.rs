//! The future of a slider's value: paths of the next seconds in the world, and the curve of a metric under the slider.

use bevy_egui::egui::{Mesh, Rangef, Rect, Response, Shape, Stroke, Ui, lerp, pos2};
use swarmarium_lab_state::action::{Action, ForecastAction, Foreseen, SliderSpan};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::forecasts::curve::{Curve, CurvePoint};
use swarmarium_picture::palette::Role;

use crate::parameters::span::SliderRange;

/// The opacity of the band of a curve.
const BAND: f32 = 0.18;
/// The opacity of a curve.
const LINE: f32 = 0.6;
/// Radius of the handle of a slider of egui, as a part of its height.
const HANDLE: f32 = 1.0 / 2.5;

/// A slider whose value can be foreseen.
pub struct ForeseenSlider<'a> {
    /// Its response.
    pub response: &'a Response,
    /// Its range, as shown.
    pub range: SliderRange,
    /// The range in the unit of scene files.
    pub span: SliderSpan,
}

impl ForeseenSlider<'_> {
    /// The actions of this frame. `text_of` gives a shown value as in a scene file, `name_of` in words.
    pub fn actions(
        &self,
        ui: &Ui,
        value: f64,
        text_of: impl Fn(f64) -> String,
        name_of: impl Fn(f64) -> String,
    ) -> Vec<Action> {
        let Self { response, range, span } = self;
        let path = span.path.clone();
        if response.is_pointer_button_down_on() {
            return vec![ForecastAction::Show(Foreseen { path, value: None, name: name_of(value) }).into()];
        }
        let Some(at) = response.hover_pos() else { return Vec::new() };
        let mut actions = vec![ForecastAction::PointAt(span.clone()).into()];
        if ui.input(|input| input.modifiers.command) {
            let pointed = range.value_at(part_at(response.rect, at.x));
            let pointed = if span.is_whole { pointed.round() } else { pointed };
            let foreseen = Foreseen { path, value: Some(text_of(pointed)), name: name_of(pointed) };
            actions.push(ForecastAction::Show(foreseen).into());
        }
        actions
    }

    /// Returns the curve of the slider, as shapes to draw behind it; `None` without one.
    pub fn curve(&self, lab: &Lab) -> Option<Shape> {
        let curve = lab.forecasts.curve.of(&self.span)?;
        let [low, high] = curve.ends()?;
        let rect = self.response.rect;
        let place = |point: &CurvePoint, result: f64| {
            let part = SliderRange::of_span(&self.span).part_of(point.at);
            let height = if high > low { ((result - low) / (high - low)) as f32 } else { 0.5 };
            pos2(lerp(x_range(rect), part as f32), rect.bottom() - 1.0 - (rect.height() - 2.0) * height)
        };
        let color = theme::color(lab.shell.settings.theme, Role::Accent);
        let known: Vec<_> =
            curve.points.iter().filter_map(|point| Some((point, point.mean()?, point.ends()?))).collect();
        let mut band = Mesh::default();
        for (number, (point, _, ends)) in known.iter().enumerate() {
            ends.iter().for_each(|end| band.colored_vertex(place(point, *end), color.gamma_multiply(BAND)));
            if number > 0 {
                let first = 2 * number as u32;
                band.add_triangle(first - 2, first - 1, first);
                band.add_triangle(first - 1, first, first + 1);
            }
        }
        let line = known.iter().map(|(point, mean, _)| place(point, *mean)).collect();
        let line = Shape::line(line, Stroke::new(theme::LINE_PX, color.gamma_multiply(LINE)));
        Some(Shape::Vec(vec![Shape::mesh(band), line]))
    }
}

/// The curve of a slider in words, for its tooltip.
pub fn words(curve: &Curve) -> String {
    match (&curve.refusal, curve.ends()) {
        (Some(refusal), _) => format!("No curve: {refusal}"),
        (None, Some([low, high])) => {
            let runs = curve.runs().max(1);
            let of =
                if runs == 1 { "one run per value".into() } else { format!("mean and range of {runs} runs per value") };
            format!("Curve: {}, from {low:.3} to {high:.3}; {of}", curve.measure)
        }
        (None, None) => format!("Curve: {}, being simulated", curve.measure),
    }
}

/// The places of the values of a slider, as egui draws it.
fn x_range(rect: Rect) -> Rangef {
    rect.x_range().shrink(HANDLE * rect.height())
}

/// The part of the range at a place, from 0 to 1.
fn part_at(rect: Rect, x: f32) -> f64 {
    let range = x_range(rect);
    f64::from(((x - range.min) / range.span().max(1.0)).clamp(0.0, 1.0))
}

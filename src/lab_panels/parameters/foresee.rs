//! The future of a slider's value: paths of the next seconds in the world, and the curve of a metric under the slider.

use bevy_egui::egui::{Mesh, Rangef, Rect, Response, Shape, Stroke, Ui, lerp, pos2};
use swarmarium_lab_state::action::{Action, ForecastAction, Foreseen, SliderSpan};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::{quantity, theme};
use swarmarium_lab_state::forecasts::curve::{Curve, CurvePoint};
use swarmarium_picture::palette::Role;

use crate::parameters::field::Reading;
use crate::parameters::rows::{EditorKind, Node};
use crate::parameters::span::SliderRange;

/// The opacity of the band of a curve.
const BAND: f32 = 0.18;
/// The opacity of a curve.
const LINE: f32 = 0.6;
/// Radius of the handle of a slider of egui, as a part of its height.
const HANDLE: f32 = 1.0 / 2.5;

/// Digits of a value in the name of a forecast.
const DIGITS: usize = 5;

/// A slider whose value can be foreseen.
pub(super) struct ForeseenSlider<'a> {
    response: &'a Response,
    /// Its range, as shown.
    range: SliderRange,
    /// The range in the unit of scene files.
    span: SliderSpan,
}

impl<'a> ForeseenSlider<'a> {
    /// The slider of a parameter, with its range as shown.
    pub fn of(response: &'a Response, node: &Node, range: SliderRange, is_whole: bool) -> Self {
        let display = node.display();
        let (low, high) = (display.stored(range.low), display.stored(range.high));
        let (path, is_logarithmic) = (node.leaf.path.clone(), range.is_logarithmic);
        Self { response, range, span: SliderSpan { path, low, high, is_logarithmic, is_whole } }
    }

    /// Whether the next seconds are shown: while the slider is held, or pointed at with Ctrl.
    pub fn is_shown(&self, ui: &Ui) -> bool {
        self.response.is_pointer_button_down_on() || ui.input(|input| input.modifiers.command)
    }

    /// The actions of this frame.
    pub fn actions(&self, ui: &Ui, value: f64, node: &Node, reading: Reading) -> Vec<Action> {
        let Self { response, range, span } = self;
        let show = |value: f64, is_chosen: bool| {
            let number = quantity::fitting(&value.to_string(), DIGITS);
            let name =
                format!("{} = {number} {}", node.name(&EditorKind::Number { is_whole: span.is_whole }), node.unit());
            let (path, name) = (span.path.clone(), name.trim_end().to_owned());
            let value = (!is_chosen).then(|| reading.text_of(value));
            Action::from(ForecastAction::Show(Foreseen { path, value, name }))
        };
        if response.is_pointer_button_down_on() {
            return vec![show(value, true)];
        }
        let Some(at) = response.hover_pos() else { return Vec::new() };
        let mut actions = vec![ForecastAction::PointAt(span.clone()).into()];
        if self.is_shown(ui) {
            let pointed = range.value_at(part_at(response.rect, at.x));
            actions.push(show(if span.is_whole { pointed.round() } else { pointed }, false));
        }
        actions
    }

    /// The curve of the slider in words; `None` without one.
    pub fn words(&self, lab: &Lab) -> Option<String> {
        lab.forecasts.curve.of(&self.span).map(words)
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
fn words(curve: &Curve) -> String {
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

//! The editor of a number: a slider and a field.

use bevy_egui::egui::{Response, Slider, SliderClamping, Ui};
use swarmarium_core::text::values::number;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::widgets::{MIXED, hint_beside, named};

use crate::parameters::cells::GAP;
use crate::parameters::choice::{self, combo};
use crate::parameters::drafts::RowContext;
use crate::parameters::field::{Field, field};
use crate::parameters::hints::{is_any_angle, tooltip};
use crate::parameters::rows::Node;
use crate::parameters::span::{SliderHints, SliderRange};

/// Width of a field for a number with its unit, in points.
const FIELD: f32 = 76.0;

/// A slider moves at this fraction of the speed of the pointer while Shift is held.
const FINE: f64 = 0.1;

/// Minimum width of a slider, in points; narrower ones are omitted.
const NARROWEST_SLIDER: f32 = 28.0;

/// Returns the facts from which the range of a slider is derived.
pub(super) fn known(node: &Node, is_whole: bool) -> SliderHints {
    let [default, before] = [node.default, node.before].map(|known| known.and_then(number));
    let ends = node.control.map_or([None; 2], |control| [control.min, control.max]);
    SliderHints { limits: node.leaf.limits, default, before, ends, is_whole, display: node.display() }
}

pub(super) fn number_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, is_whole: bool) {
    if is_whole && let Some(slots) = choice::slots(context, node) {
        let current = if context.spread(&node.leaf.path).is_some() { MIXED.into() } else { choice::slot(node, &slots) };
        return combo(ui, context, node, &current, slots);
    }
    let lab = context.lab;
    let kinds = lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    let mut shown = Field::of_number(kinds, node, path, FIELD);
    let value = shown.value();
    let (hints, stored) = (known(node, is_whole), number(node.leaf.value).unwrap_or_default());
    let span = match node.display() {
        Display::Degrees if hints.ends == [None; 2] && hints.limits.as_ref().is_none_or(is_any_angle) => {
            SliderRange::of_heading(value)
        }
        display => context.drafts.span(&node.label(), hints, stored).map(|span| span.shown(display)),
    };
    // While a long number is edited, its field takes the place of the slider.
    let has_focus = ui.memory(|memory| memory.has_focus(shown.id(node)));
    let is_long = has_focus && shown.fitting(ui) != shown.text;
    let slider_px = ui.available_width() - FIELD - 2.0 * GAP;
    // One slider cannot show several different numbers.
    let has_slider = slider_px >= NARROWEST_SLIDER && context.spread(path).is_none() && !is_long;
    if let Some(span) = span.filter(|_| has_slider) {
        ui.spacing_mut().slider_width = slider_px;
        let mut moved = value;
        let slider = Slider::new(&mut moved, span.low..=span.high)
            .show_value(false)
            .logarithmic(span.is_logarithmic)
            .clamping(SliderClamping::Never);
        let response = ui.add(if is_whole { slider.integer() } else { slider });
        named(&response, &format!("Slide {}", node.label()));
        let fine = finely(ui, &response, value, span);
        let moved = fine.map_or(moved, |fine| if is_whole { fine.round() } else { fine });
        let is_moved = (response.changed() || fine.is_some()) && moved != value;
        hint_beside(&response, |ui| {
            let hint = "other values can be typed; Shift drags finely";
            ui.label(format!("From {} to {}; {hint}\n{}", span.low, span.high, tooltip(lab, node)));
        });
        if is_moved {
            context.set(path, &shown.reading.text_of(moved));
        }
    }
    let rest_px = ui.available_width();
    let width = if is_long { rest_px } else { FIELD.min(rest_px) };
    ui.add_space(rest_px - width);
    shown.width = width;
    field(ui, context, node, &shown);
}

/// Returns the value of a slider that is dragged with Shift, which moves it by a fraction of the pointer's way; `None`
/// otherwise. `value` is the one before this frame.
fn finely(ui: &Ui, slider: &Response, value: f64, span: SliderRange) -> Option<f64> {
    let is_fine = slider.is_pointer_button_down_on() && ui.input(|input| input.modifiers.shift);
    let id = slider.id.with("fine");
    if !is_fine {
        ui.data_mut(|data| data.remove::<f64>(id));
        return None;
    }
    let moved_px = f64::from(ui.input(|input| input.pointer.delta().x));
    let part = FINE * moved_px / f64::from(slider.rect.width().max(1.0));
    // Whole numbers are rounded, so the way so far is kept apart.
    let before = ui.data(|data| data.get_temp(id)).unwrap_or(value);
    let fine = match span.is_logarithmic {
        true => before * libm::pow(span.high / span.low, part),
        false => before + part * (span.high - span.low),
    };
    let fine = fine.clamp(span.low.min(value), span.high.max(value));
    ui.data_mut(|data| data.insert_temp(id, fine));
    Some(fine)
}

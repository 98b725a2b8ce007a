//! The editor of a number: a slider and a field.

use bevy_egui::egui::{Rect, Response, Shape, Slider, SliderClamping, Ui};
use swarmarium_core::text::values::number;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::widgets::{MIXED, hint_beside, named};

use crate::parameters::cells::{CONTROL, GAP, HEIGHT, cell};
use crate::parameters::choice::{self, combo};
use crate::parameters::drafts::RowContext;
use crate::parameters::field::{Field, Reading, field};
use crate::parameters::foresee::ForeseenSlider;
use crate::parameters::hints::{is_any_angle, tooltip};
use crate::parameters::rows::Node;
use crate::parameters::span::{SliderHints, SliderRange};

/// Width of a field for a number with its unit, in points.
pub(super) const FIELD: f32 = 76.0;

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
        return combo(ui, context, node, &current, (slots.len(), || slots));
    }
    let kinds = context.lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    let mut shown = Field::of_number(kinds, node, path, FIELD);
    let (hints, stored) =
        (context.drafts.hints(context.lab, node, is_whole), number(node.leaf.value).unwrap_or_default());
    let range = match node.display() {
        Display::Degrees if hints.ends == [None; 2] && hints.limits.as_ref().is_none_or(is_any_angle) => {
            SliderRange::of_heading(shown.value())
        }
        display => context.drafts.span(&node.label(), hints, stored).map(|span| span.shown(display)),
    };
    // One slider cannot show several different numbers.
    let range = range.filter(|_| context.spread(path).is_none());
    // An optional number has its switch at the left.
    let whole = ui.available_rect_before_wrap();
    if is_control(node) && whole.height() > HEIGHT {
        let line = |lines: [f32; 2]| lines[0] + whole.top()..=lines[1] + whole.top();
        shown.width = FIELD.min(whole.width());
        let at = Rect::from_x_y_ranges(whole.right() - shown.width..=whole.right(), line([0.0, HEIGHT]));
        // First in the order of Tab.
        cell(ui, "field", at, |ui| field(ui, context, node, &shown));
        let at = Rect::from_x_y_ranges(whole.x_range(), line([HEIGHT - 2.0, CONTROL]));
        if let Some(range) = range {
            cell(ui, "slider", at, |ui| slider(ui, context, node, &shown, range));
        }
        return;
    }
    // While a long number is edited, its field takes the place of the slider.
    let has_focus = ui.memory(|memory| memory.has_focus(shown.id(node)));
    let is_long = has_focus && shown.fitting(ui) != shown.text;
    let slider_px = ui.available_width() - FIELD - 2.0 * GAP;
    if let Some(range) = range.filter(|_| slider_px >= NARROWEST_SLIDER && !is_long) {
        let at = whole.with_max_x(whole.left() + slider_px);
        cell(ui, "slider", at, |ui| slider(ui, context, node, &shown, range));
        ui.add_space(slider_px);
    }
    let rest_px = ui.available_width();
    let width = if is_long { rest_px } else { FIELD.min(rest_px) };
    ui.add_space(rest_px - width);
    shown.width = width;
    field(ui, context, node, &shown);
}

/// Whether a row has two lines, so that its slider has all the width.
pub(super) fn is_control(node: &Node) -> bool {
    (node.control.is_some() || node.constant.is_some()) && number(node.leaf.value).is_some() && !choice::is_slot(node)
}

/// Draws the slider of a number as wide as the room, and requests the value to which it is moved, and its future.
fn slider(ui: &mut Ui, context: &mut RowContext, node: &Node, shown: &Field, range: SliderRange) {
    let (lab, path, value) = (context.lab, node.leaf.path.as_str(), shown.value());
    let is_whole = matches!(shown.reading, Reading::Number { is_whole: true, .. });
    ui.spacing_mut().slider_width = ui.available_width();
    // The curve lies behind the slider, whose place is known only afterwards.
    let behind = ui.painter().add(Shape::Noop);
    let mut moved = value;
    let slider = Slider::new(&mut moved, range.low..=range.high)
        .show_value(false)
        .logarithmic(range.is_logarithmic)
        .clamping(SliderClamping::Never);
    let response = ui.add(if is_whole { slider.integer() } else { slider });
    named(&response, &format!("Slide {}", node.label()));
    let fine = finely(ui, &response, value, range);
    let moved = fine.map_or(moved, |fine| if is_whole { fine.round() } else { fine });
    let is_moved = (response.changed() || fine.is_some()) && moved != value;
    let foreseen = ForeseenSlider::of(&response, node, range, is_whole);
    ui.painter().set(behind, foreseen.curve(lab).unwrap_or(Shape::Noop));
    // The tooltip would cover the paths in the world.
    if !foreseen.is_shown(ui) {
        hint_beside(&response, |ui| {
            let hint = "other values can be typed; Shift drags finely";
            ui.label(format!("From {} to {}; {hint}\n{}", range.low, range.high, tooltip(lab, node)));
            ui.label("Hold it, or point at it with Ctrl, for the paths of the next seconds");
            if let Some(words) = foreseen.words(lab) {
                ui.label(words);
            }
        });
    }
    let now = if is_moved { moved } else { value };
    context.actions.extend(foreseen.actions(ui, now, node, shown.reading));
    if is_moved {
        context.set(path, &shown.reading.text_of(moved));
    }
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

//! Tooltips of rows, and the reasons why typed values are refused.

use std::f64::consts::PI;

use bevy_egui::egui::{Label, Popup, PopupKind, Response, RichText};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::ReflectSlot;
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::theme;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::describe;

use crate::parameters::drafts::RowContext;
use crate::parameters::plain::plain_text;
use crate::parameters::rows::{EditorKind, Node};

/// Maximum number of characters of a value in a tooltip.
const MOST_LETTERS: usize = 80;

/// Shortens a long text, such as that of a controller, to one line of a tooltip.
pub(super) fn shortened(text: &str) -> String {
    let first: String = text.chars().take(MOST_LETTERS).collect();
    if first.len() < text.len() { first + "…" } else { first }
}

/// Returns description, unit, range, default and path of a parameter.
pub(super) fn tooltip(lab: &Lab, node: &Node) -> String {
    let kinds = lab.run.host.simulation().kinds();
    let value = kinds.see_through(node.leaf.value);
    let slot = kinds.types().get_type_data::<ReflectSlot>(node.leaf.value.as_any().type_id());
    let kind = slot.and_then(|slot| kinds.of_value(slot.family, value));
    let about = [node.about(), kind.map(describe::about).unwrap_or_default()];
    let about = about.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let display = node.display();
    let limits = node.leaf.limits.filter(|limits| !is_wide(limits)).and_then(|limits| match display {
        Display::Degrees if is_any_angle(&limits) => None,
        _ => Some(display.limits(limits).to_string()),
    });
    let unit = Some(node.unit()).filter(|unit| !unit.is_empty()).map(|unit| format!("in {unit}"));
    let exact = number(value).filter(|_| display == Display::Degrees).map(|radians| format!("{radians} rad"));
    let is_short = !matches!(
        EditorKind::of(kinds, node.leaf.value),
        EditorKind::Heading | EditorKind::List(_) | EditorKind::Kind(_) | EditorKind::Source
    );
    let default = node.default.filter(|_| is_short);
    let default = default.map(|default| format!("{} by default", plain_text(kinds, node, default)));
    let facts: Vec<String> = [limits, unit, exact, default].into_iter().flatten().collect();
    let lines = [about, capital(&facts.join(", ")), node.leaf.path.clone()];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
}

/// Whether limits of an angle in radians contain every direction.
pub(super) fn is_any_angle(limits: &Limits) -> bool {
    limits.min <= -PI && limits.max >= PI
}

/// Whether limits are so wide that they tell nothing.
fn is_wide(limits: &Limits) -> bool {
    limits.min <= -1e6 && limits.max >= 1e6
}

/// Shows why a typed value was refused, above the rows: at once, while the field has the focus, and on hover.
pub(super) fn refusal(context: &mut RowContext, path: &str, at: Response) {
    let Some(message) = context.drafts.refusal(path) else { return };
    let text = RichText::new(message).color(theme::color(context.lab.shell.settings.theme, Role::Warning));
    let is_asked_for = at.has_focus() || context.drafts.is_told(path);
    if is_asked_for && at.ctx.input(|input| input.pointer.any_pressed()) {
        context.drafts.quiet(path);
    }
    if is_asked_for && at.rect.intersects(at.interact_rect) {
        let popup = Popup::from_response(&at).id(at.id.with("refusal")).kind(PopupKind::Tooltip).gap(2.0);
        popup.width(at.rect.width().max(220.0)).interactable(false).show(|ui| ui.add(Label::new(text).wrap()));
    } else {
        at.on_hover_text(text);
    }
}

pub(super) fn hinted(response: Response, context: &RowContext, node: &Node) -> Response {
    response.on_hover_ui(|ui| {
        if let Some(spread) = context.spread(&node.leaf.path) {
            ui.label(spread.text(node.display(), node.unit()));
        }
        ui.label(tooltip(context.lab, node));
    })
}

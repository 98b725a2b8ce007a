//! A row of a parameter: label, editor, badge for when a change takes effect, reset button and menu.

use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy_egui::egui::{
    self, Align, Button, Checkbox, Key, Label, Layout, Popup, PopupKind, Rect, Response, RichText, Sense, Slider,
    SliderClamping, Stroke, TextEdit, Ui, UiBuilder,
};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::{integer_range, number};
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::action::{PartAction, ScriptAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::text::{grouped, kind_label, plain_docs, word_for_none};
use swarmarium_lab_state::common::widgets::{MIXED, hint_beside, named, plus, select_all};
use swarmarium_lab_state::common::{focus, quantity, theme};
use swarmarium_lab_state::edit::parts::first_value;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::path;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::TakesEffect;

use crate::parameters::choice::{self, Choice, combo};
use crate::parameters::drafts::RowContext;
use crate::parameters::menu::{adds_to, by_places, entries, is_of_scene, menu};
use crate::parameters::plain::plain_text;
use crate::parameters::rows::{EditorKind, Node};
use crate::parameters::span::{SliderHints, SliderRange};

/// Indentation of parts, in points.
pub const INDENT: f32 = 10.0;

/// Height of a row, in points.
pub(super) const HEIGHT: f32 = 22.0;

/// Height of a row whose label has two lines, in points.
const TALL: f32 = 36.0;

/// Gap between the cells of a row, in points.
const GAP: f32 = 4.0;

/// Number of rows beyond the visible ones that are drawn, so that Tab reaches them.
const BEYOND: f32 = 6.0;

/// Width of the badge cell, in points.
const BADGE: f32 = 36.0;

/// Width of a cell with one icon, in points.
pub(super) const SIGN: f32 = 16.0;

/// Width of a field for a number with its unit, in points.
const FIELD: f32 = 76.0;

/// Narrower fields show no unit, in points.
const NARROW: f32 = 60.0;

/// Margin at each side of the text in a field, in points.
const MARGIN: i8 = 4;

/// A slider moves at this fraction of the speed of the pointer while Shift is held.
const FINE: f64 = 0.1;

/// Minimum width of a slider, in points; narrower ones are omitted.
const NARROWEST_SLIDER: f32 = 28.0;

/// Distance of the bar that marks a changed value, in points.
const BAR: f32 = 3.0;

/// Maximum number of characters of a value in a tooltip.
const MOST_LETTERS: usize = 80;

/// Sets the style of rows, which are denser than other panels.
pub fn style(ui: &mut Ui) {
    let spacing = ui.spacing_mut();
    spacing.item_spacing = egui::vec2(GAP, 3.0);
    spacing.interact_size.y = 20.0;
    spacing.button_padding = egui::vec2(6.0, 1.0);
    spacing.icon_width = 14.0;
}

/// The rectangles of the cells of a row.
struct Cells {
    name: Rect,
    editor: Rect,
    badge: Rect,
    reset: Rect,
    menu: Rect,
}

impl Cells {
    /// Returns the cells of a row. Controls and the rows below them are aligned.
    fn of(rect: Rect, depth: usize) -> Self {
        let left = rect.left() + INDENT * depth.saturating_sub(1) as f32;
        let middle = rect.left() + (rect.width() * 0.33).clamp(72.0, 150.0);
        let mut right = rect.right();
        let mut take = |width: f32| {
            let cell = Rect::from_x_y_ranges(right - width..=right, rect.y_range());
            right -= width + GAP;
            cell
        };
        let (menu, reset, badge) = (take(SIGN), take(SIGN), take(BADGE));
        let cell = |from: f32, to: f32| Rect::from_x_y_ranges(from..=to.max(from), rect.y_range());
        Self { name: cell(left, middle - GAP), editor: cell(middle, right), badge, reset, menu }
    }
}

/// Draws a heading above the parts of a value.
pub fn heading(ui: &mut Ui, context: &mut RowContext, node: &Node) {
    let editor = EditorKind::of(context.lab.run.host.simulation().kinds(), node.leaf.value);
    let note = match (&editor, node.leaf.value.reflect_ref()) {
        (EditorKind::List(0), _) => "none",
        (_, ReflectRef::Enum(variant)) => variant.variant_name(),
        _ => "",
    };
    let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), HEIGHT));
    let cells = Cells::of(rect, node.depth);
    cell(ui, "heading", cells.name.with_max_x(cells.editor.left() - GAP), |ui| {
        let response = ui.add(Label::new(node.name(&editor)).truncate());
        response.on_hover_text(tooltip(context.lab, node));
    });
    cell(ui, "note", cells.editor, |ui| ui.weak(note));
    let theme = context.lab.shell.settings.theme;
    if let Some(hint) = adds_to(&node.leaf.path).filter(|_| matches!(editor, EditorKind::List(_))) {
        let button = Rect::from_center_size(cells.menu.center(), egui::Vec2::splat(SIGN));
        if plus(ui, button, theme, &format!("Add to {}", node.leaf.path), &hint) {
            context.actions.push(PartAction::Open(by_places(context.lab, &node.leaf.path)).into());
        }
    } else if node.place.is_some() && is_of_scene(&node.leaf.path) {
        // A member of a list: a control, a field or a pose.
        ui.push_id(&node.leaf.path, |ui| cell(ui, "menu", cells.menu, |ui| menu(ui, context, node, &editor)));
    }
}

/// Draws a row. Its height is constant, so that nothing moves under the pointer.
pub fn row(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind) {
    ui.push_id(node.label(), |ui| {
        // Labels of controls and constants are sentences: long ones have two lines.
        let is_long = (node.control.is_some() || node.constant.is_some()) && {
            let font = egui::TextStyle::Body.resolve(ui.style());
            let name = format!("• {}", node.name(editor));
            let galley = ui.fonts_mut(|fonts| fonts.layout_no_wrap(name, font, egui::Color32::PLACEHOLDER));
            galley.size().x > Cells::of(ui.available_rect_before_wrap(), node.depth).name.width()
        };
        let height = if is_long { TALL } else { HEIGHT };
        let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), height));
        // A scene has hundreds of rows; only visible ones and their neighbours are drawn.
        if !ui.is_rect_visible(rect.expand2(egui::vec2(0.0, BEYOND * HEIGHT))) {
            return;
        }
        // Below the cells, which get their own input first.
        let whole = ui.interact(rect, ui.id().with("row"), Sense::CLICK);
        line(ui, context, node, editor, &Cells::of(rect, node.depth));
        whole.context_menu(|ui| theme::entries(ui, |ui| entries(ui, context, node, editor)));
    });
}

fn line(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind, cells: &Cells) {
    let (lab, path) = (context.lab, node.leaf.path.as_str());
    let kinds = lab.run.host.simulation().kinds();
    let before = node.before.filter(|before| is_other(kinds, node.leaf.value, *before, editor));
    if before.is_some() {
        let x = cells.name.left() - BAR;
        let bar = Rect::from_x_y_ranges(x - 2.0..=x, cells.name.y_range().shrink(2.0));
        ui.painter().rect_filled(bar, 1.0, theme::color(lab.shell.settings.theme, Role::Accent));
    }
    cell(ui, "name", cells.name, |ui| name(ui, lab, node, editor, before));
    cell(ui, "editor", cells.editor, |ui| draw_editor(ui, context, node, editor));
    cell(ui, "badge", cells.badge, |ui| badge(ui, lab, node));
    let has_fields = !editor.has_parts() && !has_field(node, editor);
    if context.drafts.is_refused(path, has_fields) {
        if !has_field(node, editor) && context.drafts.refusal(path).is_some() {
            let editor = ui.interact(cells.editor, ui.id().with("refused"), Sense::hover());
            refusal(context, path, editor);
        }
        cell(ui, "reset", cells.reset, |ui| take_back(ui, context, node));
    } else if let Some(before) = before {
        cell(ui, "reset", cells.reset, |ui| reset(ui, context, node, before));
    }
    cell(ui, "menu", cells.menu, |ui| menu(ui, context, node, editor));
}

/// Draws into a rectangle of the row without moving other widgets.
fn cell<R>(ui: &mut Ui, id: &str, rect: Rect, content: impl FnOnce(&mut Ui) -> R) -> R {
    let layout = Layout::left_to_right(Align::Center);
    content(&mut ui.new_child(UiBuilder::new().id_salt(id).max_rect(rect).layout(layout)))
}

fn name(ui: &mut Ui, lab: &Lab, node: &Node, editor: &EditorKind, before: Option<&dyn Reflect>) {
    let name = node.name(editor);
    let text = match (before.is_some(), editor) {
        (true, _) => RichText::new(format!("• {name}")),
        (false, editor) if editor.has_parts() => RichText::new(&name),
        (false, _) => RichText::new(&name).weak(),
    };
    let is_tall = ui.max_rect().height() > HEIGHT;
    let label = if is_tall { Label::new(text).wrap() } else { Label::new(text).truncate() };
    ui.add(label.show_tooltip_when_elided(false)).on_hover_ui(|ui| {
        if node.control.is_some() {
            ui.strong(&name);
        }
        ui.label(tooltip(lab, node));
        if let Some(before) = before {
            let before = plain_text(lab.run.host.simulation().kinds(), node, before);
            ui.label(format!("Changed; it was {}", shortened(&before)));
        }
    });
}

/// Shortens a long text, such as that of a controller, to one line of a tooltip.
fn shortened(text: &str) -> String {
    let first: String = text.chars().take(MOST_LETTERS).collect();
    if first.len() < text.len() { first + "…" } else { first }
}

/// Returns description, unit, range, default and path of a parameter.
fn tooltip(lab: &Lab, node: &Node) -> String {
    let kinds = lab.run.host.simulation().kinds();
    let value = kinds.see_through(node.leaf.value);
    let slot = kinds.types().get_type_data::<ReflectSlot>(node.leaf.value.as_any().type_id());
    let kind = slot.and_then(|slot| kinds.of_value(slot.family, value));
    let about = [node.about(), kind.map(describe::about).unwrap_or_default()];
    let about = about.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
    let display = node.display();
    let limits = node.leaf.limits.filter(|limits| !is_wide(limits)).and_then(|limits| match display {
        Display::Plain => Some(limits.to_string()),
        Display::Percent => Some(format!("from {} to {}", display.shown(limits.min), display.shown(limits.max))),
        Display::Degrees => None,
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

/// Whether limits are so wide that they tell nothing.
fn is_wide(limits: &Limits) -> bool {
    limits.min <= -1e6 && limits.max >= 1e6
}

/// Formats a value as one line, as in a scene file.
pub(super) fn text_of(kinds: &Kinds, value: &dyn Reflect) -> String {
    // Line breaks within texts are escaped; the others are between values.
    write(kinds, value, Style::Full).lines().map(str::trim).collect::<Vec<_>>().join(" ")
}

/// Whether the value of a row differs from the one before. Parts of a kind have their own rows.
pub(super) fn is_other(kinds: &Kinds, value: &dyn Reflect, before: &dyn Reflect, editor: &EditorKind) -> bool {
    let (value, before) = (kinds.see_through(value), kinds.see_through(before));
    match (editor, value.reflect_ref(), before.reflect_ref()) {
        (EditorKind::Kind(_), ..) => value.as_any().type_id() != before.as_any().type_id(),
        (EditorKind::Variant | EditorKind::Optional { has_parts: true }, ReflectRef::Enum(a), ReflectRef::Enum(b)) => {
            a.variant_name() != b.variant_name()
        }
        _ => value.reflect_partial_eq(before.as_partial_reflect()) != Some(true),
    }
}

fn badge(ui: &mut Ui, lab: &Lab, node: &Node) {
    let (text, hint) = match node.takes_effect() {
        TakesEffect::Live => ("live", "A change takes effect at the next step"),
        TakesEffect::AtReset if lab.restarts_on(&node.leaf.path) => {
            ("restarts", "A change restarts the run (\"Restart on change\" in the Simulation menu)")
        }
        TakesEffect::AtReset => ("at reset", "A change takes effect at the next reset (R)"),
    };
    ui.label(RichText::new(text).size(theme::BADGE_PX).weak()).on_hover_text(hint);
}

fn reset(ui: &mut Ui, context: &mut RowContext, node: &Node, before: &dyn Reflect) {
    let kinds = context.lab.run.host.simulation().kinds();
    let response = ui.add(Button::new("↺").frame(false).min_size(egui::vec2(SIGN, 0.0)));
    named(&response, &format!("Reset {}", node.label()));
    let hint = |ui: &mut Ui| {
        ui.label(format!("Restores {}", shortened(&plain_text(kinds, node, before))));
    };
    if response.on_hover_ui(hint).clicked() {
        context.set(&node.leaf.path, &text_of(kinds, before));
    }
}

/// Discards a refused value: by its button, or by Esc regardless of the focus.
fn take_back(ui: &mut Ui, context: &mut RowContext, node: &Node) {
    let color = theme::color(context.lab.shell.settings.theme, Role::Warning);
    let text = RichText::new("✖").color(color);
    let button = ui.add(Button::new(text).frame(false).min_size(egui::vec2(SIGN, 0.0)));
    named(&button, &format!("Discard the input of {}", node.label()));
    let is_escaped = focus::takes_escape(ui.ctx());
    if button.on_hover_text("Discards the refused value (Esc)").clicked() || is_escaped {
        context.drafts.discard(&node.leaf.path);
    }
}

/// Shows why a typed value was refused, above the rows: at once, while the field has the focus, and on hover.
fn refusal(context: &mut RowContext, path: &str, at: Response) {
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

/// Whether the value of a row has one text field, which shows why its text is refused.
fn has_field(node: &Node, editor: &EditorKind) -> bool {
    match editor {
        EditorKind::Optional { has_parts } => !has_parts && node.inside().is_some(),
        EditorKind::Number { .. } => !choice::is_slot(node),
        EditorKind::Words | EditorKind::Text | EditorKind::Numbers => true,
        _ => false,
    }
}

fn draw_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, editor: &EditorKind) {
    let lab = context.lab;
    let kinds = lab.run.host.simulation().kinds();
    let value = node.leaf.value;
    let is_mixed = context.spread(&node.leaf.path).is_some();
    match editor {
        EditorKind::Number { is_whole } => number_editor(ui, context, node, *is_whole),
        EditorKind::Bool => {
            let mut is_on = value.downcast_ref() == Some(&true);
            let response = ui.add(Checkbox::without_text(&mut is_on).indeterminate(is_mixed));
            named(&response, &node.label());
            if hinted(response, context, node).changed() {
                context.set(&node.leaf.path, if is_on { "true" } else { "false" });
            }
        }
        EditorKind::Choice => {
            let current = value.reflect_ref().as_enum().map(|variant| variant.variant_name()).unwrap_or_default();
            let current = if is_mixed { MIXED } else { current };
            combo(ui, context, node, current, choice::names(value));
        }
        EditorKind::Variant => {
            let current = value.reflect_ref().as_enum().map(|variant| variant.variant_name()).unwrap_or_default();
            let current = if is_mixed { MIXED } else { current };
            combo(ui, context, node, current, choice::variants(kinds, node));
        }
        EditorKind::Optional { .. } if node.is_optional_part() => part_editor(ui, context, node),
        EditorKind::Optional { has_parts } => optional_editor(ui, context, node, *has_parts),
        EditorKind::Kind(slot) => {
            let current = kinds.of_value(slot.family, kinds.see_through(value));
            let current = current.map_or_else(String::new, |kind| kind_label(kind.name));
            let current = if is_mixed { MIXED } else { current.as_str() };
            if !is_of_scene(&node.leaf.path) {
                // Kinds can only be changed for a whole group.
                ui.weak(current).on_hover_ui(|ui| {
                    ui.label(tooltip(lab, node));
                });
                return;
            }
            let options = kinds.family(slot.family).map(|kind| Choice {
                name: kind_label(kind.name),
                about: plain_docs(&describe::about(kind)),
                text: text_of(kinds, &*(kind.default)()),
            });
            combo(ui, context, node, current, options.collect());
        }
        EditorKind::Point | EditorKind::Tuple => {
            let parts: Vec<Node> = path::parts(kinds, &node.leaf).map(Node::at).collect();
            let gaps = GAP * parts.len().saturating_sub(1) as f32;
            let width = (ui.available_width() - gaps) / parts.len().max(1) as f32;
            for part in &parts {
                // The coordinates of a vector have the unit of its field.
                let unit = if matches!(editor, EditorKind::Point) { node.unit() } else { part.unit() };
                let path = part.leaf.path.as_str();
                field(ui, context, node, &Field { unit, ..Field::of_number(kinds, part, path, width) });
            }
        }
        EditorKind::Numbers => {
            let text = text_of(kinds, value);
            let text = text.trim_start_matches('[').trim_end_matches(']').to_owned();
            let (width, reading) = (ui.available_width(), Reading::Numbers);
            field(ui, context, node, &Field { path: &node.leaf.path, text, unit: node.unit(), width, reading });
        }
        EditorKind::Source => source_editor(ui, context, node),
        EditorKind::Words => {
            let words = value.downcast_ref::<String>().cloned().unwrap_or_default();
            // A text that would be read as a quoted one is shown as one.
            let is_plain = !words.contains(['\n', '"', '\\']);
            let text = if is_plain { words } else { text_of(kinds, value) };
            let width = ui.available_width();
            let reading = Reading::Words;
            field(ui, context, node, &Field { path: &node.leaf.path, text, unit: "", width, reading });
        }
        EditorKind::Text | EditorKind::Heading | EditorKind::List(_) => {
            let width = ui.available_width();
            let text = text_of(kinds, value);
            field(
                ui,
                context,
                node,
                &Field { path: &node.leaf.path, text, unit: node.unit(), width, reading: Reading::Words },
            );
        }
    }
}

/// Draws whether there is an optional part, and a button that adds or removes it.
fn part_editor(ui: &mut Ui, context: &mut RowContext, node: &Node) {
    let is_present = node.inside().is_some();
    let name = node.name(&EditorKind::Optional { has_parts: true }).to_lowercase();
    let (text, value, hint) = match is_present {
        true => ("Remove", "None", format!("Removes the {name} with its parameters")),
        false => ("Add", first_value(node.step()), format!("Adds the {name} with default values")),
    };
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let button = ui.button(text);
        named(&button, &format!("{text} {}", node.label()));
        let button = button.on_hover_ui(|ui| {
            ui.label(hint);
            ui.label(tooltip(context.lab, node));
        });
        if button.clicked() {
            context.set(&node.leaf.path, value);
        }
        if !is_present {
            ui.with_layout(Layout::left_to_right(Align::Center), |ui| ui.weak("none"));
        }
    });
}

/// Draws the length of a script, and a button that opens it in the panel Script.
fn source_editor(ui: &mut Ui, context: &mut RowContext, node: &Node) {
    let count = node.leaf.value.downcast_ref::<SharedText>().map_or(0, |text| text.as_str().chars().count());
    ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
        let button = ui.button("Edit…");
        named(&button, &node.label());
        let hint = "Opens the script in the panel Script, with all its text";
        if button.on_hover_text(hint).clicked() {
            context.actions.push(ScriptAction::Show(node.leaf.path.clone()).into());
        }
        let text = format!("{} characters", grouped(count as u64));
        ui.add(Label::new(RichText::new(text).weak()).truncate()).on_hover_text("Length of the script");
    });
}

/// Draws the switch of a value that can be missing, and beside it the editor of the value or the word for its absence.
fn optional_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, has_parts: bool) {
    let kinds = context.lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    let inner = node.inside();
    let word = word_for_none(&node.docs());
    let mut is_on = inner.is_some();
    let is_mixed = context.spread(path).is_some();
    let switch = ui.add(Checkbox::without_text(&mut is_on).indeterminate(is_mixed));
    named(&switch, &format!("Switch {}", node.label()));
    let hint = format!("On: the value of this row; off: {word}");
    let is_switched = switch.changed();
    switch.on_hover_ui(|ui| {
        ui.label(hint);
        ui.label(tooltip(context.lab, node));
    });
    if is_switched {
        match &inner {
            Some(inner) if !is_mixed => {
                context.drafts.keep(path, text_of(kinds, inner.leaf.value));
                context.set(path, "None");
            }
            _ => {
                let wanted = choice::value_when_on(context, node);
                context.set(path, &wanted);
            }
        }
        return;
    }
    match inner {
        Some(inner) if !has_parts => {
            let editor = EditorKind::of(kinds, inner.leaf.value);
            draw_editor(ui, context, &inner, &editor);
        }
        Some(inner) => match EditorKind::of(kinds, inner.leaf.value) {
            editor @ (EditorKind::Kind(_) | EditorKind::Variant) => draw_editor(ui, context, &inner, &editor),
            _ => drop(ui.weak("on")),
        },
        None => drop(hinted(ui.add(Label::new(RichText::new(word).weak()).truncate()), context, node)),
    }
}

/// Returns the facts from which the range of a slider is derived.
pub(super) fn known(node: &Node, is_whole: bool) -> SliderHints {
    let [default, before] = [node.default, node.before].map(|known| known.and_then(number));
    let ends = node.control.map_or([None; 2], |control| [control.min, control.max]);
    SliderHints { limits: node.leaf.limits, default, before, ends, is_whole }
}

fn number_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, is_whole: bool) {
    if is_whole && let Some(slots) = choice::slots(context, node) {
        let current = if context.spread(&node.leaf.path).is_some() { MIXED.into() } else { choice::slot(node, &slots) };
        return combo(ui, context, node, &current, slots);
    }
    let lab = context.lab;
    let kinds = lab.run.host.simulation().kinds();
    let path = node.leaf.path.as_str();
    let mut shown = Field::of_number(kinds, node, path, FIELD);
    let value = shown.value();
    let (hints, stored) = (context.drafts.hints(lab, node, is_whole), number(node.leaf.value).unwrap_or_default());
    let span = match node.display() {
        Display::Degrees if hints.ends == [None; 2] => SliderRange::of_heading(value),
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

/// The meaning of the text in a field.
#[derive(Clone, Copy, Debug)]
enum Reading {
    /// A number: its value as shown, whether it is whole, and how it is shown.
    Number { shown: f64, is_whole: bool, display: Display },
    /// A list of numbers.
    Numbers,
    /// A text as in a scene file.
    Words,
}

impl Reading {
    /// Formats a number as in a scene file.
    fn text_of(self, value: f64) -> String {
        match self {
            Self::Number { is_whole: true, .. } => format!("{value:.0}"),
            Self::Number { display, .. } => format!("{:?}", display.stored(value)),
            _ => format!("{value:?}"),
        }
    }
}

/// A text field of a row.
struct Field<'a> {
    path: &'a str,
    /// The present value.
    text: String,
    unit: &'static str,
    width: f32,
    reading: Reading,
}

impl<'a> Field<'a> {
    /// Creates the field of a number.
    fn of_number(kinds: &Kinds, node: &Node, path: &'a str, width: f32) -> Self {
        let value = number(node.leaf.value).unwrap_or_default();
        let is_whole = integer_range(node.leaf.value.as_any().type_id()).is_some();
        let display = node.display();
        let shown = display.shown(value);
        let text = match display {
            Display::Plain => write(kinds, node.leaf.value, Style::Full),
            _ => shown.to_string(),
        };
        Self { path, text, unit: node.unit(), width, reading: Reading::Number { shown, is_whole, display } }
    }

    /// The present number as shown; NaN for a text.
    fn value(&self) -> f64 {
        if let Reading::Number { shown, .. } = self.reading { shown } else { f64::NAN }
    }

    /// The unit in the field; a narrow field has room for the number only.
    fn suffix(&self) -> &'static str {
        if self.width < NARROW { "" } else { self.unit }
    }

    fn id(&self, node: &Node) -> egui::Id {
        egui::Id::new(("field", node.label(), self.path))
    }

    /// Returns the text with fewer digits if it is a number for which the room is too small.
    fn fitting(&self, ui: &Ui) -> String {
        if !matches!(self.reading, Reading::Number { .. }) {
            return self.text.clone();
        }
        let (font, unit_font) = (egui::TextStyle::Monospace.resolve(ui.style()), theme::font(theme::SMALL_PX));
        let (digit_px, unit_px) = ui.fonts_mut(|fonts| {
            let unit = fonts.layout_no_wrap(self.suffix().to_owned(), unit_font, egui::Color32::PLACEHOLDER);
            (fonts.glyph_width(&font, '0'), unit.size().x)
        });
        let gap_px = if self.suffix().is_empty() { 0.0 } else { ui.spacing().icon_spacing };
        let room_px = self.width - 2.0 * f32::from(MARGIN) - unit_px - gap_px;
        quantity::fitting(&self.text, (room_px / digit_px).floor().max(1.0) as usize)
    }

    /// Returns the text of a scene file for a typed text. Mixed values cannot be changed relative to one of them.
    fn scene_text(&self, typed: &str, is_mixed: bool) -> Result<String, String> {
        let present = |shown| Some(shown).filter(|_| !is_mixed);
        match self.reading {
            Reading::Number { shown, is_whole, display: Display::Plain } => {
                quantity::scene_text(typed, self.unit, present(shown), is_whole)
            }
            Reading::Number { shown, .. } => {
                quantity::read(typed, self.unit, present(shown)).map(|shown| self.reading.text_of(shown))
            }
            Reading::Numbers => {
                let parts = typed.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
                let parts: Result<Vec<String>, String> =
                    parts.map(|part| quantity::scene_text(part, self.unit, None, false)).collect();
                parts.map(|parts| format!("[{}]", parts.join(", ")))
            }
            Reading::Words => Ok(typed.to_owned()),
        }
    }
}

/// Draws a field: Enter or loss of focus applies the typed text, Esc discards it.
fn field(ui: &mut Ui, context: &mut RowContext, node: &Node, field: &Field) {
    let id = field.id(node);
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    let draft = context.drafts.text(field.path);
    let is_mixed = context.spread(&node.leaf.path).is_some();
    let shown = match (is_mixed, has_focus) {
        (true, _) => MIXED.to_owned(),
        (false, true) => field.text.clone(),
        (false, false) => field.fitting(ui),
    };
    let (has_draft, is_refused) = (draft.is_some(), context.drafts.refusal(field.path).is_some());
    let is_short = !has_draft && !has_focus && !is_mixed && shown != field.text;
    let mut text = draft.map_or(shown, ToOwned::to_owned);
    if is_refused {
        let stroke = Stroke::new(1.5, theme::color(context.lab.shell.settings.theme, Role::Warning));
        let widgets = &mut ui.visuals_mut().widgets;
        for widget in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
            widget.bg_stroke = stroke;
        }
        ui.visuals_mut().selection.stroke = stroke;
    }
    let is_number = matches!(field.reading, Reading::Number { .. });
    let align = if is_number { Align::RIGHT } else { Align::LEFT };
    let edit = TextEdit::singleline(&mut text)
        .id(id)
        .font(egui::TextStyle::Monospace)
        .margin(egui::Margin::symmetric(MARGIN, 2))
        .horizontal_align(align)
        .vertical_align(Align::Center)
        .suffix(RichText::new(field.suffix()).weak().size(theme::SMALL_PX))
        .desired_width(field.width);
    let response = ui.add_sized([field.width, HEIGHT - 2.0], edit);
    focus::add_field(ui.ctx(), id);
    ui.reset_style();
    style(ui);
    let label = if node.leaf.path == field.path { node.label() } else { field.path.into() };
    named(&response, &label);
    let has_focus = ui.memory(|memory| memory.has_focus(id));
    if response.gained_focus() {
        response.scroll_to_me(None);
        if is_number {
            select_all(ui.ctx(), id);
        }
    }
    if response.changed() {
        let value = field.scene_text(&text, is_mixed);
        context.typed(field.path, text.clone(), value);
    }
    // Text that was typed when the field was hidden is applied when it is visible again.
    let has_draft = has_draft || response.changed();
    if has_draft && (response.lost_focus() || (!is_refused && !has_focus)) {
        let is_same = text == if is_mixed { MIXED } else { &field.text };
        if is_same || ui.input(|input| input.key_pressed(Key::Escape)) {
            context.drafts.discard(field.path);
        } else {
            let value = field.scene_text(&text, is_mixed);
            let value = value.as_deref().map_err(Clone::clone);
            if !context.set_typed(field.path, &text, value) && ui.input(|input| input.key_pressed(Key::Enter)) {
                response.request_focus();
                select_all(ui.ctx(), id);
            }
        }
    }
    match context.drafts.refusal(field.path) {
        Some(_) => refusal(context, field.path, response),
        None => {
            let exact = is_short.then(|| format!("{} {}", field.text, field.unit));
            let response = hinted(response, context, node);
            if let Some(exact) = exact {
                response.on_hover_text(exact.trim_end());
            }
        }
    }
}

pub(super) fn hinted(response: Response, context: &RowContext, node: &Node) -> Response {
    response.on_hover_ui(|ui| {
        if let Some(spread) = context.spread(&node.leaf.path) {
            ui.label(spread.text());
        }
        ui.label(tooltip(context.lab, node));
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_of_a_parameter_row_keep_their_order_at_any_width() {
        for width in [256.0, 336.0, 616.0] {
            let rect = Rect::from_min_size(egui::Pos2::ZERO, egui::vec2(width, HEIGHT));
            let Cells { name, editor, badge, reset, menu } = Cells::of(rect, 3);
            assert!(name.right() < editor.left() && editor.right() < badge.left() && badge.right() < reset.left());
            assert!(reset.right() < menu.left() && menu.right() == rect.right() && editor.width() > 90.0);
            assert_eq!(Cells::of(rect, 1).editor, editor, "the depth moves only the label");
        }
    }
}

//! A row of a parameter: label, editor, badge for when a change takes effect, reset button and menu.

use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy_egui::egui::{
    self, Align, Button, Checkbox, ComboBox, Key, Label, Layout, Popup, PopupKind, Rect, Response, RichText, Sense,
    Slider, SliderClamping, Stroke, TextEdit, Ui, UiBuilder,
};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::{Kinds, ReflectSlot};
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::number;
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::action::{PartAction, ScriptAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::grouped;
use swarmarium_lab_state::common::widgets::{named, plus, select_all};
use swarmarium_lab_state::common::{focus, theme};
use swarmarium_lab_state::edit::parts::first_value;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::describe;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_simulation::edit::TakesEffect;

use crate::parameters::drafts::RowContext;
use crate::parameters::menu::{adds_to, by_places, entries, is_of_scene, menu};
use crate::parameters::rows::{EditorKind, Node};
use crate::parameters::span::SliderHints;

/// Indentation of parts, in points.
pub const INDENT: f32 = 10.0;

/// Height of a row, in points.
pub(super) const HEIGHT: f32 = 22.0;

/// Gap between the cells of a row, in points.
const GAP: f32 = 4.0;

/// Width of the badge cell, in points.
const BADGE: f32 = 36.0;

/// Width of a cell with one icon, in points.
pub(super) const SIGN: f32 = 16.0;

/// Width of a field for a number with its unit, in points.
const FIELD: f32 = 84.0;

/// Width of such a field in a control, where the slider matters more, in points.
const SHORT_FIELD: f32 = 74.0;

/// Minimum width of a slider, in points; narrower ones are omitted.
const NARROWEST_SLIDER: f32 = 28.0;

/// Distance of the bar that marks a changed value, in points.
const BAR: f32 = 3.0;

/// Maximum number of characters of a value in a tooltip.
const MOST_LETTERS: usize = 80;

/// The text shown for values that differ.
const MIXED: &str = "mixed";

/// Maximum height of a list of choices, in points; longer ones scroll.
const MENU_PX: f32 = 480.0;

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
    fn of(rect: Rect, depth: usize) -> Self {
        Self::with_names(rect, depth, 0.29)
    }

    /// Returns the cells of a row whose label takes a fraction of its width.
    fn with_names(rect: Rect, depth: usize, part: f32) -> Self {
        let left = rect.left() + INDENT * depth.saturating_sub(1) as f32;
        let middle = rect.left() + (rect.width() * part).clamp(72.0, 150.0);
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
        let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), HEIGHT));
        // A scene has hundreds of rows; only visible ones are drawn.
        if !ui.is_rect_visible(rect) {
            return;
        }
        // Labels of constants and controls are long and must not be truncated.
        let part = if node.control.is_some() || node.constant.is_some() { 0.37 } else { 0.29 };
        // Below the cells, which get their own input first.
        let whole = ui.interact(rect, ui.id().with("row"), Sense::CLICK);
        line(ui, context, node, editor, &Cells::with_names(rect, node.depth, part));
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
    let parts = if matches!(editor, EditorKind::Point) { &["", ".x", ".y"][..] } else { &[""] };
    if parts.iter().any(|part| context.drafts.refusal(&format!("{path}{part}")).is_some()) {
        if !has_field(editor) {
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
        (false, EditorKind::Kind(_) | EditorKind::Variant | EditorKind::Optional { .. }) => RichText::new(name),
        (false, _) => RichText::new(name).weak(),
    };
    let text = if node.constant.is_some() { text.size(theme::SMALL_PX) } else { text };
    ui.add(Label::new(text).truncate().show_tooltip_when_elided(false)).on_hover_ui(|ui| {
        ui.label(tooltip(lab, node));
        if let Some(before) = before {
            let before = text_of(lab.run.host.simulation().kinds(), before);
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
    let limits = node.leaf.limits.map(|limits: Limits| limits.to_string());
    let unit = Some(node.unit()).filter(|unit| !unit.is_empty()).map(|unit| format!("in {unit}"));
    let is_short = !matches!(
        EditorKind::of(kinds, node.leaf.value),
        EditorKind::Heading | EditorKind::List(_) | EditorKind::Kind(_) | EditorKind::Source
    );
    let default = node.default.filter(|_| is_short).map(|default| format!("{} by default", text_of(kinds, default)));
    let facts: Vec<String> = [limits, unit, default].into_iter().flatten().collect();
    let lines = [about, capital(&facts.join(", ")), node.leaf.path.clone()];
    lines.into_iter().filter(|line| !line.is_empty()).collect::<Vec<_>>().join("\n")
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
        (EditorKind::Variant | EditorKind::Optional { .. }, ReflectRef::Enum(a), ReflectRef::Enum(b)) => {
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
        ui.label(format!("Restores {}", shortened(&text_of(kinds, before))));
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

/// Whether the value of a row has a text field.
fn has_field(editor: &EditorKind) -> bool {
    !matches!(
        editor,
        EditorKind::Kind(_)
            | EditorKind::Choice
            | EditorKind::Bool
            | EditorKind::Point
            | EditorKind::Source
            | EditorKind::Optional { .. }
    )
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
            let names = value.reflect_type_info().as_enum().map(|info| info.variant_names()).unwrap_or_default();
            let options = names.iter().enumerate().map(|(index, name)| Choice {
                name,
                about: variant_about(value, index),
                text: (*name).to_owned(),
            });
            let current = value.reflect_ref().as_enum().map(|variant| variant.variant_name()).unwrap_or_default();
            let current = if is_mixed { MIXED } else { current };
            combo(ui, context, node, current, options.collect());
        }
        EditorKind::Kind(slot) => {
            let current = kinds.of_value(slot.family, kinds.see_through(value)).map_or("", |kind| kind.name);
            let current = if is_mixed { MIXED } else { current };
            if !is_of_scene(&node.leaf.path) {
                // Kinds can only be changed for a whole group.
                ui.weak(current).on_hover_ui(|ui| {
                    ui.label(tooltip(lab, node));
                });
                return;
            }
            let options = kinds.family(slot.family).map(|kind| Choice {
                name: kind.name,
                about: describe::about(kind),
                text: text_of(kinds, &*(kind.default)()),
            });
            combo(ui, context, node, current, options.collect());
        }
        EditorKind::Point => {
            let point: DVec2 = value.downcast_ref().copied().unwrap_or_default();
            let width = (ui.available_width() - GAP) / 2.0;
            for (part, number) in [(".x", point.x), (".y", point.y)] {
                let path = format!("{}{part}", node.leaf.path);
                let text = write(kinds, &number, Style::Full);
                field(ui, context, node, &Field { path: &path, text, unit: node.unit(), width, is_number: true });
            }
        }
        EditorKind::Source => source_editor(ui, context, node),
        EditorKind::Optional { is_present } => optional_editor(ui, context, node, *is_present),
        EditorKind::Words => {
            let words = value.downcast_ref::<String>().cloned().unwrap_or_default();
            // A text that would be read as a quoted one is shown as one.
            let is_plain = !words.contains(['\n', '"', '\\']);
            let text = if is_plain { words } else { text_of(kinds, value) };
            let width = ui.available_width();
            field(ui, context, node, &Field { path: &node.leaf.path, text, unit: "", width, is_number: false });
        }
        EditorKind::Text | EditorKind::Variant | EditorKind::Heading | EditorKind::List(_) => {
            let width = ui.available_width();
            let text = text_of(kinds, value);
            field(
                ui,
                context,
                node,
                &Field { path: &node.leaf.path, text, unit: node.unit(), width, is_number: false },
            );
        }
    }
}

/// Draws whether there is an optional part, and a button that adds or removes it.
fn optional_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, is_present: bool) {
    let name = node.name(&EditorKind::Optional { is_present }).to_lowercase();
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

/// One of several values with a name.
struct Choice {
    name: &'static str,
    about: String,
    /// The text in a scene file; a kind has its defaults.
    text: String,
}

fn variant_about(value: &dyn Reflect, index: usize) -> String {
    let info = value.reflect_type_info().as_enum().ok().and_then(|info| info.variant_at(index));
    describe::trim(info.and_then(|info| info.docs()))
}

fn combo(ui: &mut Ui, context: &mut RowContext, node: &Node, current: &str, options: Vec<Choice>) {
    let mut chosen = None;
    let path = node.leaf.path.as_str();
    let combo = ComboBox::from_id_salt("combo").selected_text(current).width(ui.available_width()).truncate();
    // A family has dozens of kinds.
    let combo = combo.height(MENU_PX);
    let shown = combo.show_ui(ui, |ui| {
        for Choice { name, about, text } in options {
            let is_current = name == current;
            let refusal = if is_current { None } else { context.refusal(path, &text) };
            let about = if about.is_empty() { format!("Selects {name}") } else { about };
            let option = ui.add_enabled(refusal.is_none(), Button::selectable(is_current, name)).on_hover_text(about);
            if option.on_disabled_hover_text(refusal.unwrap_or_default()).clicked() && !is_current {
                chosen = Some(text);
            }
        }
    });
    named(&shown.response, &node.label());
    hinted(shown.response, context, node);
    if let Some(text) = chosen {
        context.set(path, &text);
    }
}

/// Returns the facts from which the range of a slider is derived.
pub(super) fn known(node: &Node, is_whole: bool) -> SliderHints {
    let [default, before] = [node.default, node.before].map(|known| known.and_then(number));
    let ends = node.control.map_or([None; 2], |control| [control.min, control.max]);
    SliderHints { limits: node.leaf.limits, default, before, ends, is_whole }
}

fn number_editor(ui: &mut Ui, context: &mut RowContext, node: &Node, is_whole: bool) {
    let lab = context.lab;
    let value = number(node.leaf.value).unwrap_or_default();
    let path = node.leaf.path.as_str();
    let span = context.drafts.span(&node.label(), known(node, is_whole), value);
    let field_px = if node.control.is_some() { SHORT_FIELD } else { FIELD };
    let slider_px = ui.available_width() - field_px - 2.0 * GAP;
    // One slider cannot show several different numbers.
    let has_slider = slider_px >= NARROWEST_SLIDER && context.spread(path).is_none();
    if let Some(span) = span.filter(|_| has_slider) {
        ui.spacing_mut().slider_width = slider_px;
        let mut moved = value;
        let slider = Slider::new(&mut moved, span.low..=span.high)
            .show_value(false)
            .logarithmic(span.is_logarithmic)
            .clamping(SliderClamping::Never);
        let response = ui.add(if is_whole { slider.integer() } else { slider });
        named(&response, &format!("Slide {}", node.label()));
        let is_moved = response.changed() && moved != value;
        response.on_hover_ui(|ui| {
            ui.label(format!("From {} to {}; other values can be typed\n{}", span.low, span.high, tooltip(lab, node)));
        });
        if is_moved {
            let text = if is_whole { format!("{moved:.0}") } else { format!("{moved:?}") };
            context.set(path, &text);
        }
    }
    let rest_px = ui.available_width();
    let (width, indent) = if rest_px > field_px { (field_px, rest_px - field_px) } else { (rest_px, 0.0) };
    ui.add_space(indent);
    let text = write(lab.run.host.simulation().kinds(), node.leaf.value, Style::Full);
    field(ui, context, node, &Field { path, text, unit: node.unit(), width, is_number: true });
}

/// A text field of a row.
struct Field<'a> {
    path: &'a str,
    /// The present value.
    text: String,
    unit: &'static str,
    width: f32,
    is_number: bool,
}

/// Draws a field: Enter or loss of focus applies the typed text, Esc discards it.
fn field(ui: &mut Ui, context: &mut RowContext, node: &Node, field: &Field) {
    let draft = context.drafts.text(field.path);
    let shown = if context.spread(&node.leaf.path).is_some() { MIXED } else { &field.text };
    let mut text = draft.map_or_else(|| shown.to_owned(), ToOwned::to_owned);
    let (has_draft, is_refused) = (draft.is_some(), context.drafts.refusal(field.path).is_some());
    if is_refused {
        let stroke = Stroke::new(1.5, theme::color(context.lab.shell.settings.theme, Role::Warning));
        let widgets = &mut ui.visuals_mut().widgets;
        for widget in [&mut widgets.inactive, &mut widgets.hovered, &mut widgets.active] {
            widget.bg_stroke = stroke;
        }
        ui.visuals_mut().selection.stroke = stroke;
    }
    let align = if field.is_number { Align::RIGHT } else { Align::LEFT };
    let edit = TextEdit::singleline(&mut text)
        .id_salt(field.path)
        .font(egui::TextStyle::Monospace)
        .margin(egui::Margin::symmetric(4, 2))
        .horizontal_align(align)
        .vertical_align(Align::Center)
        .suffix(RichText::new(field.unit).weak().size(theme::SMALL_PX))
        .desired_width(field.width);
    let response = ui.add_sized([field.width, HEIGHT - 2.0], edit);
    ui.reset_style();
    style(ui);
    let label = if node.leaf.path == field.path { node.label() } else { field.path.into() };
    named(&response, &label);
    let has_focus = ui.memory(|memory| memory.has_focus(response.id));
    if response.gained_focus() && field.is_number {
        select_all(ui.ctx(), response.id);
    }
    if response.changed() {
        context.typed(field.path, text.clone());
    }
    // Text that was typed when the field was hidden is applied when it is visible again.
    if response.lost_focus() || (has_draft && !is_refused && !has_focus) {
        if text == shown || ui.input(|input| input.key_pressed(Key::Escape)) {
            context.drafts.discard(field.path);
        } else if !context.set(field.path, &text) && ui.input(|input| input.key_pressed(Key::Enter)) {
            response.request_focus();
            select_all(ui.ctx(), response.id);
        }
    }
    match context.drafts.refusal(field.path) {
        Some(_) => refusal(context, field.path, response),
        None => drop(hinted(response, context, node)),
    }
}

fn hinted(response: Response, context: &RowContext, node: &Node) -> Response {
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

//! A row of a parameter: label, editor, badge for when a change takes effect, reset button and menu.

use bevy::prelude::*;
use bevy::reflect::ReflectRef;
use bevy_egui::egui::{self, Align, Button, Checkbox, Label, Layout, Rect, RichText, Sense, Ui};
use swarmarium_core::kind::{Kind, Kinds};
use swarmarium_core::text::shared::SharedText;
use swarmarium_core::text::values::number;
use swarmarium_lab_state::action::{PartAction, ScriptAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::text::{grouped, kind_label, plain_docs, word_for_none};
use swarmarium_lab_state::common::widgets::{MIXED, named, plus};
use swarmarium_lab_state::common::{focus, theme};
use swarmarium_lab_state::edit::parts::first_value;
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::writer::{Style, write};
use swarmarium_scene::scene::{describe, path};
use swarmarium_simulation::edit::TakesEffect;

use crate::parameters::cells::{CONTROL, Cells, GAP, HEIGHT, SIGN, cell};
use crate::parameters::choice::{self, combo};
use crate::parameters::drafts::RowContext;
use crate::parameters::field::{Field, Reading, field};
use crate::parameters::hints::{hinted, refusal, shortened, tooltip};
use crate::parameters::menu::{adds_to, by_places, entries, is_of_scene, menu};
use crate::parameters::number::{self, number_editor};
use crate::parameters::open_list::Choice;
use crate::parameters::plain::plain_text;
use crate::parameters::rows::{EditorKind, Node};

/// Height of a row whose label has two lines, in points.
const TALL: f32 = 36.0;

/// Number of rows beyond the visible ones that are drawn, so that Tab reaches them.
const BEYOND: f32 = 6.0;

/// Distance of the bar that marks a changed value, in points.
const BAR: f32 = 3.0;

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
        let is_control = number::is_control(node);
        let height = if is_control {
            CONTROL
        } else if is_long {
            TALL
        } else {
            HEIGHT
        };
        let (_, rect) = ui.allocate_space(egui::vec2(ui.available_width(), height));
        // A scene has hundreds of rows; only visible ones and their neighbours are drawn.
        if !ui.is_rect_visible(rect.expand2(egui::vec2(0.0, BEYOND * HEIGHT))) {
            return;
        }
        // Below the cells, which get their own input first.
        let whole = ui.interact(rect, ui.id().with("row"), Sense::CLICK);
        let cells = if is_control { Cells::of_control(rect, number::FIELD) } else { Cells::of(rect, node.depth) };
        line(ui, context, node, editor, &cells);
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
        TakesEffect::AtReset => ("waits", "A change takes effect at the next restart (R)"),
    };
    ui.label(RichText::new(text).size(theme::BADGE_PX).weak()).on_hover_text(hint);
}

fn reset(ui: &mut Ui, context: &mut RowContext, node: &Node, before: &dyn Reflect) {
    let kinds = context.lab.run.host.simulation().kinds();
    let response = ui.add(Button::new("↺").frame(false).min_size(egui::vec2(SIGN, 0.0)));
    named(&response, &format!("Reset {}", node.label()));
    let hint = |ui: &mut Ui| {
        ui.label(format!("Resets to {}", shortened(&plain_text(kinds, node, before))));
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
            let count = variants_of(value);
            combo(ui, context, node, current, (count, || choice::names(value)));
        }
        EditorKind::Variant => {
            let current = value.reflect_ref().as_enum().map(|variant| variant.variant_name()).unwrap_or_default();
            let current = if is_mixed { MIXED } else { current };
            let count = variants_of(value);
            combo(ui, context, node, current, (count, || choice::variants(kinds, node)));
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
            let option = |kind: &Kind| Choice {
                name: kind_label(kind.name),
                about: plain_docs(&describe::about(kind)),
                text: text_of(kinds, &*(kind.default)()),
            };
            let count = kinds.family(slot.family).count();
            combo(ui, context, node, current, (count, || kinds.family(slot.family).map(option).collect()));
        }
        EditorKind::Point | EditorKind::Tuple => {
            let parts: Vec<Node> = path::parts(kinds, &node.leaf).map(Node::at).collect();
            let gaps = GAP * parts.len().saturating_sub(1) as f32;
            let width = (ui.available_width() - gaps) / parts.len().max(1) as f32;
            for part in &parts {
                // The coordinates of a vector have the unit of its field.
                let of = if matches!(editor, EditorKind::Point) { node } else { part };
                field(ui, context, node, &Field::of_part(kinds, part, of, part.leaf.path.as_str(), width));
            }
        }
        EditorKind::Numbers => {
            let display = node.display();
            let text = match display {
                Display::Plain => text_of(kinds, value).trim_start_matches('[').trim_end_matches(']').to_owned(),
                _ => numbers_of(value).map(|number| display.shown(number).to_string()).collect::<Vec<_>>().join(", "),
            };
            let (width, reading) = (ui.available_width(), Reading::Numbers(display));
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
                &Field { path: &node.leaf.path, text, unit: node.scene_unit(), width, reading: Reading::Words },
            );
        }
    }
}

/// Returns the numbers of a list.
fn numbers_of(value: &dyn Reflect) -> impl Iterator<Item = f64> {
    let items = value.reflect_ref().as_list().ok().into_iter().flat_map(|list| list.iter());
    items.filter_map(|item| number(item.try_as_reflect()?))
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

/// Returns the number of variants of an enum.
fn variants_of(value: &dyn Reflect) -> usize {
    value.reflect_type_info().as_enum().map_or(0, |info| info.variant_len())
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

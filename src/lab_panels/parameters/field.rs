//! Text fields of rows: a number, several numbers or a text.

use bevy_egui::egui::{self, Align, Key, RichText, Stroke, TextEdit, Ui};
use swarmarium_base::limits::Limits;
use swarmarium_core::kind::Kinds;
use swarmarium_core::text::values::{integer_range, number};
use swarmarium_lab_state::common::quantity::Display;
use swarmarium_lab_state::common::widgets::{MIXED, named, select_all};
use swarmarium_lab_state::common::{focus, quantity, theme};
use swarmarium_picture::palette::Role;
use swarmarium_scene::scene::writer::{Style, write};

use crate::parameters::cells::{HEIGHT, style};
use crate::parameters::drafts::RowContext;
use crate::parameters::hints::{hinted, refusal};
use crate::parameters::rows::Node;

/// Narrower fields show no unit, in points.
const NARROW: f32 = 60.0;

/// The largest number of decimals of an angle in degrees, unless it is below a tenth of one.
const MOST_DECIMALS_OF_DEGREES: usize = 2;

/// Margin at each side of the text in a field, in points.
const MARGIN: i8 = 4;

/// The meaning of the text in a field.
#[derive(Clone, Copy, Debug)]
pub(super) enum Reading {
    /// A number: its value as shown, whether it is whole, how it is shown, and its limits in the scene.
    Number { shown: f64, is_whole: bool, display: Display, limits: Option<Limits> },
    /// A list of numbers, and how they are shown.
    Numbers(Display),
    /// A text as in a scene file.
    Words,
}

impl Reading {
    /// Formats a number as in a scene file.
    pub fn text_of(self, value: f64) -> String {
        match self {
            Self::Number { is_whole: true, .. } => format!("{value:.0}"),
            Self::Number { display, .. } => format!("{:?}", display.stored(value)),
            _ => format!("{value:?}"),
        }
    }
}

/// A text field of a row.
pub(super) struct Field<'a> {
    pub path: &'a str,
    /// The present value.
    pub text: String,
    pub unit: &'static str,
    pub width: f32,
    pub reading: Reading,
}

impl<'a> Field<'a> {
    /// Creates the field of a number.
    pub fn of_number(kinds: &Kinds, node: &Node, path: &'a str, width: f32) -> Self {
        Self::of_part(kinds, node, node, path, width)
    }

    /// Creates the field of a number that has the unit of another node, such as a coordinate of a vector.
    pub fn of_part(kinds: &Kinds, node: &Node, of: &Node, path: &'a str, width: f32) -> Self {
        let value = number(node.leaf.value).unwrap_or_default();
        let is_whole = integer_range(node.leaf.value.as_any().type_id()).is_some();
        let display = of.display();
        let shown = display.shown(value);
        let text = match display {
            Display::Plain => write(kinds, node.leaf.value, Style::Full),
            _ => shown.to_string(),
        };
        Self {
            path,
            text,
            unit: of.unit(),
            width,
            reading: Reading::Number { shown, is_whole, display, limits: node.leaf.limits },
        }
    }

    /// The present number as shown; NaN for a text.
    pub fn value(&self) -> f64 {
        if let Reading::Number { shown, .. } = self.reading { shown } else { f64::NAN }
    }

    /// The unit in the field; a narrow field has room for the number only.
    fn suffix(&self) -> &'static str {
        if self.width < NARROW { "" } else { self.unit }
    }

    pub fn id(&self, node: &Node) -> egui::Id {
        egui::Id::new(("field", node.label(), self.path))
    }

    /// Returns the text with fewer digits if it is a number for which the room is too small.
    pub fn fitting(&self, ui: &Ui) -> String {
        let Reading::Number { shown, display, .. } = self.reading else { return self.text.clone() };
        let text = match display {
            Display::Degrees if shown.abs() >= 0.1 => quantity::with_decimals(shown, MOST_DECIMALS_OF_DEGREES),
            _ => self.text.clone(),
        };
        let (font, unit_font) = (egui::TextStyle::Monospace.resolve(ui.style()), theme::font(theme::SMALL_PX));
        let (digit_px, unit_px) = ui.fonts_mut(|fonts| {
            let unit = fonts.layout_no_wrap(self.suffix().to_owned(), unit_font, egui::Color32::PLACEHOLDER);
            (fonts.glyph_width(&font, '0'), unit.size().x)
        });
        let gap_px = if self.suffix().is_empty() { 0.0 } else { ui.spacing().icon_spacing };
        let room_px = self.width - 2.0 * f32::from(MARGIN) - unit_px - gap_px;
        quantity::fitting(&text, (room_px / digit_px).floor().max(1.0) as usize)
    }

    /// Returns the text of a scene file for a typed text. Mixed values cannot be changed relative to one of them.
    fn scene_text(&self, typed: &str, is_mixed: bool) -> Result<String, String> {
        let present = |shown| Some(shown).filter(|_| !is_mixed);
        match self.reading {
            Reading::Number { shown, is_whole, display: Display::Plain, .. } => {
                quantity::scene_text(typed, self.unit, present(shown), is_whole)
            }
            Reading::Number { shown, display, limits, .. } => {
                let read = quantity::read(typed, self.unit, present(shown))?;
                match limits.filter(|limits| !limits.allow(display.stored(read))) {
                    // The scene would say it in its own unit.
                    Some(limits) => Err(format!("expected {} in {}", display.limits(limits).expected(), self.unit)),
                    None => Ok(self.reading.text_of(read)),
                }
            }
            Reading::Numbers(display) => {
                let parts = typed.split([',', ';']).map(str::trim).filter(|part| !part.is_empty());
                let read = |part| match display {
                    Display::Plain => quantity::scene_text(part, self.unit, None, false),
                    _ => quantity::read(part, self.unit, None).map(|shown| format!("{:?}", display.stored(shown))),
                };
                let parts: Result<Vec<String>, String> = parts.map(read).collect();
                parts.map(|parts| format!("[{}]", parts.join(", ")))
            }
            Reading::Words => Ok(typed.to_owned()),
        }
    }
}

/// Draws a field: Enter or loss of focus applies the typed text, Esc discards it.
pub(super) fn field(ui: &mut Ui, context: &mut RowContext, node: &Node, field: &Field) {
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

//! The header of a plot with its menu, and the legend within the plot.

use bevy_egui::egui::{
    self, Align, Button, Color32, Label, Rect, RichText, TextStyle, Ui, UiBuilder, WidgetInfo, WidgetType,
};
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::action::{Action, PlotAction, SweepAction};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::dots;
use swarmarium_lab_state::plots::axis::{Scale, value_text};
use swarmarium_lab_state::plots::history::History;
use swarmarium_lab_state::plots::layout::{Card, Layout};
use swarmarium_lab_state::plots::topic::Topic;
use swarmarium_picture::palette::Role;

use crate::plots::axes::VALUES_PX;
use crate::plots::{Frame, line_color};

/// Returns the value of a series at the cursor, or the present one.
fn value(frame: &Frame, series: usize) -> f64 {
    match frame.sample {
        Some(sample) => frame.lab.plots.history.series(series)[sample],
        None => frame.latest[series],
    }
}

/// Minimum width of the title of a plot, in points.
const TITLE_PX: f32 = 60.0;

/// Width of the menu, the unpin button and the gaps in the header, in points.
const BUTTONS_PX: f32 = 50.0;

/// Whether the header fits the values of all lines of the plot; otherwise the legend shows them.
fn has_room(ui: &Ui, card: &Card, frame: &Frame) -> bool {
    let [topic] = &card.topics[..] else { return false };
    let names = frame
        .lab
        .shell
        .settings
        .legend
        .then(|| topic.parts.iter().map(|(part, _)| part.as_str()))
        .into_iter()
        .flatten();
    let values = topic.parts.iter().map(|(_, series)| value_text(value(frame, *series)));
    let width = |text: String, style: TextStyle| {
        let font = style.resolve(ui.style());
        ui.fonts_mut(|fonts| fonts.layout_no_wrap(text, font, Color32::PLACEHOLDER).size().x) + GAP_PX
    };
    let words = names.chain([card.unit()]).map(|name| width(name.to_owned(), TextStyle::Body));
    let needed: f32 = words.chain(values.map(|value| width(value, TextStyle::Monospace))).sum();
    needed + TITLE_PX + BUTTONS_PX <= frame.width + VALUES_PX
}

/// Gap between two items of the header, in points.
const GAP_PX: f32 = 6.0;

/// Draws title, values and unit.
pub(super) fn head(ui: &mut Ui, card: &Card, frame: &Frame, layout: &mut Layout, actions: &mut Vec<Action>) {
    let history = &frame.lab.plots.history;
    let (has_legend, has_room) = (frame.lab.shell.settings.legend, has_room(ui, card, frame));
    ui.horizontal(|ui| {
        ui.spacing_mut().item_spacing.x = GAP_PX;
        ui.spacing_mut().interact_size.y = 18.0;
        ui.with_layout(egui::Layout::right_to_left(Align::Center), |ui| {
            let pins: Vec<&str> = card.topics.iter().filter(|topic| topic.is_pin).map(|topic| topic.key).collect();
            if let [pin] = pins[..]
                && card.topics.len() == 1
                && unpin(ui, pin)
            {
                actions.push(Action::Plot(PlotAction::Pin(pin.into())));
            }
            menu(ui, card, frame, layout, actions);
            ui.weak(card.unit());
            if let [topic] = &card.topics[..]
                && has_room
            {
                for (index, (part, series)) in topic.parts.iter().enumerate().rev() {
                    ui.label(theme::number(value_text(value(frame, *series))));
                    if has_legend {
                        ui.colored_label(line_color(frame.lab.shell.settings.theme, index), part);
                    }
                }
            }
            if card.scale == Scale::Logarithmic {
                let is_left_out =
                    |(_, series): (_, usize)| history.extremes(series).iter().any(|known| known.least.value <= 0.0);
                let some = if card.lines().any(is_left_out) { ", some left out" } else { "" };
                ui.weak(format!("log{some}"))
                    .on_hover_text("Values at or below zero have no logarithm and are left out");
            }
            ui.with_layout(egui::Layout::left_to_right(Align::Center), |ui| {
                let what = |topic: &Topic| if topic.is_pin { "pinned value" } else { "metric" };
                let keys = card.topics.iter().map(|topic| format!("the {} {}", what(topic), topic.key));
                let keys = keys.collect::<Vec<_>>().join(", ");
                let late = beginning(card, history).map(|begins| {
                    format!(
                        ". Plotted {begins} because it was pinned then; Export CSV simulates the earlier values again"
                    )
                });
                let hint = format!("{}, {}{}", capital(&keys), history.sampling(), late.unwrap_or_default());
                ui.add(Label::new(card.title()).truncate()).on_hover_text(hint);
            });
        });
    });
}

/// Returns the time at which a line of a plot begins, if it was pinned during the run.
pub(super) fn beginning(card: &Card, history: &History) -> Option<String> {
    let begins_s = card.lines().filter_map(|(_, series)| history.begins_late(series)).reduce(f64::max)?;
    Some(format!("from {begins_s:.2} s on"))
}

/// Draws the menu of a plot.
fn menu(ui: &mut Ui, card: &Card, frame: &Frame, layout: &mut Layout, actions: &mut Vec<Action>) {
    let name = format!("Menu of plot {}", card.key());
    let theme = frame.lab.shell.settings.theme;
    dots(ui, theme, (14.0, 18.0), &name, "Opens the menu of this plot", |ui| {
        let mut is_logarithmic = card.scale == Scale::Logarithmic;
        let hint = "Logarithmic axis; values at or below zero are omitted";
        if ui.checkbox(&mut is_logarithmic, "Logarithmic axis").on_hover_text(hint).changed() {
            layout.toggle_scale(card.key());
        }
        let mut has_legend = frame.lab.shell.settings.legend;
        if ui.checkbox(&mut has_legend, "Legend").on_hover_text("Shows the legend in all plots").changed() {
            actions.push(Action::Plot(PlotAction::Legend));
        }
        ui.separator();
        let others = frame.cards.iter().filter(|other| other.key() != card.key() && other.unit() == card.unit());
        let mut is_alone = true;
        for other in others {
            is_alone = false;
            let text = format!("Add to {}", other.title());
            if ui.button(text).on_hover_text("Moves these lines to that plot, which has the same unit").clicked() {
                card.topics.iter().for_each(|topic| layout.add(topic.key, other.key()));
            }
        }
        if is_alone {
            let unit = if card.unit().is_empty() {
                "values without a unit".into()
            } else {
                format!("values in {}", card.unit())
            };
            ui.weak(format!("Only values of the same unit share a plot; no other plot has {unit}"));
        }
        if card.topics.len() > 1 && ui.button("Split").on_hover_text("Gives each value its own plot again").clicked() {
            layout.split(card.key());
        }
        for column in swept(frame, card) {
            let hint = format!("Makes many runs beside the window, and measures {column}");
            if ui.button(format!("Sweep {column}…")).on_hover_text(hint).clicked() {
                actions.push(Action::Sweep(SweepAction::SetUpMetric(column)));
            }
        }
        for topic in card.topics.iter().filter(|topic| topic.is_pin) {
            if ui.button(format!("Unpin {}", topic.name)).on_hover_text("Removes it from the plots").clicked() {
                actions.push(Action::Plot(PlotAction::Pin(topic.key.into())));
            }
        }
    });
}

/// Returns the columns of the metrics of a plot.
fn swept(frame: &Frame, card: &Card) -> Vec<String> {
    let columns = frame.lab.run.host.simulation().metric_columns();
    let of_plot = |column: &String| card.topics.iter().any(|topic| !topic.is_pin && is_of(column, topic.key));
    columns.into_iter().filter(of_plot).collect()
}

/// Whether a column belongs to a metric.
pub fn is_of(column: &str, metric: &str) -> bool {
    column.strip_prefix(metric).is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
}

/// Draws the legend, with name and value of each line, over a plot whose header has no room for them.
pub(super) fn legend(ui: &mut Ui, card: &Card, frame: &Frame, rect: Rect) {
    if !frame.lab.shell.settings.legend || has_room(ui, card, frame) {
        return;
    }
    let theme = frame.lab.shell.settings.theme;
    let layout = egui::Layout::top_down(Align::Min);
    let mut ui = ui.new_child(UiBuilder::new().max_rect(rect.shrink(4.0)).layout(layout).id_salt("legend"));
    ui.set_clip_rect(ui.clip_rect().intersect(rect));
    ui.spacing_mut().item_spacing.y = 0.0;
    for (index, (name, series)) in card.lines().enumerate() {
        let text = theme::number(format!("{} {name}", value_text(value(frame, series)))).size(theme::SMALL_PX);
        let ground = theme::color(theme, Role::Ground).gamma_multiply(0.75);
        ui.add(Label::new(text.color(line_color(theme, index)).background_color(ground)).extend());
    }
}

fn unpin(ui: &mut Ui, path: &str) -> bool {
    let name = format!("Unpin {path}");
    let button = ui.add(Button::new(RichText::new("✖").size(theme::SMALL_PX)).frame(false));
    button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    button.on_hover_text(format!("Removes {path} from the plots")).clicked()
}

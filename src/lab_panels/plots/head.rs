//! The header of a plot with its menu. Its title can be dragged onto another plot.

use crate::plots::{Frame, join};
use bevy_egui::egui::{self, Align, Button, CursorIcon, Label, RichText, Sense, Ui, WidgetInfo, WidgetType};
use swarmarium_core::text::wording::capital;
use swarmarium_lab_state::action::{Action, FigureAction, FileAction, FileRequest, PlotAction, SweepAction};
use swarmarium_lab_state::common::settings::{FigureContent, FigureOptions, PlotLayout};
use swarmarium_lab_state::common::text::label;
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{dots, named};
use swarmarium_lab_state::plots::axis::Scale;
use swarmarium_lab_state::plots::history::History;
use swarmarium_lab_state::plots::layout::{Card, CardLine};
use swarmarium_lab_state::plots::topic::Topic;

/// The plot whose title is being dragged, by its key.
#[derive(Clone, Debug, PartialEq)]
pub struct DraggedPlot(pub String);

/// Gap between two items of the header, in points.
const GAP_PX: f32 = 6.0;

/// Draws title, values and unit.
pub(super) fn head(ui: &mut Ui, card: &Card, frame: &Frame, layout: &mut PlotLayout, actions: &mut Vec<Action>) {
    let history = &frame.lab.plots.history;
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
            match card.right_unit() {
                None => ui.weak(card.unit()),
                Some(right) => {
                    let names = [card.unit(), right].map(|unit| if unit.is_empty() { "no unit" } else { unit });
                    let hint = format!("The left axis is in {}, the right one in {}", names[0], names[1]);
                    ui.weak(format!("{} | {}", names[0], names[1])).on_hover_text(hint)
                }
            };
            let mut lines = card.lines();
            if let (Some(line), None) = (lines.next(), lines.next()) {
                ui.label(theme::number(frame.value_text(card, &line)));
            }
            if card.scale == Scale::Logarithmic {
                let is_left_out =
                    |line: CardLine| history.extremes(line.series).iter().any(|known| known.least.value <= 0.0);
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
                let hint = format!(
                    "{}, {}{}. Drag the title onto another plot to plot both together",
                    capital(&keys),
                    history.sampling(),
                    late.unwrap_or_default()
                );
                let title = Label::new(card.title()).truncate().sense(Sense::click_and_drag());
                let title = ui.add(title).on_hover_text(hint).on_hover_cursor(CursorIcon::Grab);
                title.dnd_set_drag_payload(DraggedPlot(card.key().to_owned()));
            });
        });
    });
}

/// Returns the time at which a line of a plot begins, if it was pinned during the run.
pub(super) fn beginning(card: &Card, history: &History) -> Option<String> {
    let begins_s = card.lines().filter_map(|line| history.begins_late(line.series)).reduce(f64::max)?;
    Some(format!("from {begins_s:.2} s on"))
}

/// Draws the choice between the common time span and one of the plot.
pub(super) fn link_box(ui: &mut Ui, card: &Card, layout: &mut PlotLayout) {
    let mut is_linked = card.is_linked;
    let hint = "Shows the time span of the other plots; without the link, the wheel and drags zoom this plot alone";
    if ui.checkbox(&mut is_linked, "Zoom with the other plots").on_hover_text(hint).changed() {
        layout.toggle_link(card.key());
    }
}

/// Draws the menu of a plot.
fn menu(ui: &mut Ui, card: &Card, frame: &Frame, layout: &mut PlotLayout, actions: &mut Vec<Action>) {
    let name = format!("Menu of plot {}", card.key());
    let theme = frame.lab.shell.settings.theme;
    dots(ui, theme, (14.0, 18.0), &name, "Opens the menu of this plot", |ui| {
        let mut is_logarithmic = card.scale == Scale::Logarithmic;
        let hint = "Logarithmic axis; values at or below zero are omitted";
        if ui.checkbox(&mut is_logarithmic, "Logarithmic axis").on_hover_text(hint).changed() {
            layout.toggle_scale(card.key());
        }
        let mut is_fitted = card.is_fitted;
        let hint = "Ends the axis at the smallest and the largest shown value, and not at the bounds of the metric";
        if ui.checkbox(&mut is_fitted, "Fit the axis to the values").on_hover_text(hint).changed() {
            layout.toggle_fit(card.key());
        }
        link_box(ui, card, layout);
        let mut has_legend = frame.lab.shell.settings.legend;
        let hint = "Shows the legend beside all plots that have several lines";
        if ui.checkbox(&mut has_legend, "Legend").on_hover_text(hint).changed() {
            actions.push(Action::Plot(PlotAction::Legend));
        }
        let series: Vec<&str> = card.lines().map(|line| frame.names[line.series]).collect();
        if series.iter().any(|series| !card.shows(frame.layout, series)) {
            let hint = "Shows the lines again that clicks in the legend have hidden";
            if ui.button("Show all lines").on_hover_text(hint).clicked() {
                layout.show_lines(series.iter().copied());
            }
        }
        ui.separator();
        together(ui, card, frame, layout);
        if card.topics.len() > 1 && ui.button("Separate").on_hover_text("Gives each value its own plot again").clicked()
        {
            layout.show_lines(series);
            layout.split(card.key());
        }
        for column in swept(frame, card) {
            let hint = format!("Makes many runs beside the window, and measures {column}");
            let name = label(&column).to_lowercase();
            if ui.button(format!("Sweep {name}…")).on_hover_text(hint).clicked() {
                actions.push(Action::Sweep(SweepAction::SetUpMetric(column)));
            }
        }
        export(ui, card, frame, actions);
        for topic in card.topics.iter().filter(|topic| topic.is_pin) {
            if ui.button(format!("Unpin {}", topic.name)).on_hover_text("Removes it from the plots").clicked() {
                actions.push(Action::Plot(PlotAction::Pin(topic.key.into())));
            }
        }
    });
}

/// Draws the entries that export a plot.
fn export(ui: &mut Ui, card: &Card, frame: &Frame, actions: &mut Vec<Action>) {
    ui.separator();
    let lab = frame.lab;
    let hint = "Opens \"Export figure\" with this plot alone: as SVG, PDF or PNG";
    if ui.button("Export figure…").on_hover_text(hint).clicked() {
        let others = frame.cards.iter().map(Card::key).filter(|key| *key != card.key());
        let left_out = others.map(str::to_owned).collect();
        let options = FigureOptions { content: FigureContent::Plots, left_out, ..lab.shell.settings.figure.clone() };
        actions.push(Action::Figure(FigureAction::SetOptions(options)));
        if !lab.shell.popups.figure {
            actions.push(Action::Figure(FigureAction::TogglePanel));
        }
        ui.close();
    }
    let hint = "Saves the values of all plots, this one included, as a table with one row per step";
    if ui.button("Export as CSV…").on_hover_text(hint).clicked() {
        actions.push(Action::File(FileAction::Ask(FileRequest::ExportCsv)));
        ui.close();
    }
}

/// Draws the menu of the other plots that can have the lines of this one.
fn together(ui: &mut Ui, card: &Card, frame: &Frame, layout: &mut PlotLayout) {
    let others: Vec<&Card> = frame.cards.iter().filter(|other| other.key() != card.key()).collect();
    if others.is_empty() {
        ui.weak("Pin a value or add a metric for a second plot");
        return;
    }
    let menu = ui.menu_button("Plot together with", |ui| {
        theme::entries(ui, |ui| {
            for other in others {
                let refusal = card.refusal(other);
                let hint = "Moves these lines to that plot; another unit gets the right axis";
                let button = ui.add_enabled(refusal.is_none(), Button::new(other.title()));
                named(&button, &format!("Plot together with {}", other.title()));
                if button.on_hover_text(hint).on_disabled_hover_text(refusal.unwrap_or_default()).clicked() {
                    join(card, other, layout);
                    ui.close();
                }
            }
        });
    });
    menu.response.on_hover_text("Draws these lines in another plot; dragging the title onto it does the same");
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

fn unpin(ui: &mut Ui, path: &str) -> bool {
    let name = format!("Unpin {path}");
    let button = ui.add(Button::new(RichText::new("✖").size(theme::SMALL_PX)).frame(false));
    button.widget_info(|| WidgetInfo::labeled(WidgetType::Button, true, &name));
    button.on_hover_text(format!("Removes {path} from the plots")).clicked()
}

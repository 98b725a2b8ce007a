//! The plots at the bottom: every metric over time, side by side, with its current value.

use std::collections::BTreeMap;

use bevy_egui::egui::{self, Align, Color32, Layout, RichText, ScrollArea, Stroke, Ui};
use egui_plot::{GridInput, GridMark, HoverPosition, Line, Plot, PlotPoint, PlotPoints};

use super::{Action, Lab, theme};
use crate::draw::{Role, Theme};
use crate::kind::describe::words;
use crate::simulation::Simulation;

/// Samples that are kept; twice as many are halved.
const SAMPLES: usize = 2048;
/// The smallest range of values that a plot spans, as a part of the value: what wavers less is shown as steady.
const STEADY: f64 = 0.02;
/// The narrowest plot, in logical pixels.
const NARROWEST: f32 = 200.0;

/// What the metrics observed, in bounded memory: when it is full, every second sample goes.
#[derive(Clone, Debug)]
pub struct History {
    columns: Vec<String>,
    points: Vec<Vec<PlotPoint>>,
    latest: Vec<f64>,
    /// Every how many steps a sample is kept.
    stride: u64,
    samples: usize,
    dt_s: f64,
}

impl History {
    /// The empty history of a simulation.
    pub fn of(simulation: &Simulation) -> Self {
        Self::new(simulation.metric_columns(), simulation.time().dt_s)
    }

    fn new(columns: Vec<String>, dt_s: f64) -> Self {
        let points = vec![Vec::new(); columns.len()];
        let latest = vec![f64::NAN; columns.len()];
        Self { columns, points, latest, stride: 1, samples: 0, dt_s }
    }

    /// Starts anew with a new simulation; pins stay.
    pub fn restart(&mut self, simulation: &Simulation) {
        *self = Self::of(simulation);
    }

    /// Plots a number by its path, or takes it out.
    ///
    /// # Errors
    /// When there is no such number.
    pub fn pin_or_unpin(&mut self, _simulation: &Simulation, _path: &str) -> Result<(), String> {
        Ok(())
    }

    /// Takes all pinned numbers out.
    pub fn unpin_all(&mut self) {}

    /// Takes note of the step that was just done.
    pub fn observe(&mut self, simulation: &Simulation) {
        let time = simulation.time();
        if time.step.is_multiple_of(self.stride) && !self.columns.is_empty() {
            self.push(time.step, simulation.metrics());
        }
    }

    fn push(&mut self, step: u64, values: Vec<f64>) {
        for (points, value) in self.points.iter_mut().zip(&values) {
            if value.is_finite() {
                points.push(PlotPoint::new(step as f64 * self.dt_s, *value));
            }
        }
        self.latest = values;
        self.samples += 1;
        if self.samples >= 2 * SAMPLES {
            self.halve();
        }
    }

    fn halve(&mut self) {
        self.stride *= 2;
        let (stride, dt_s) = (self.stride, self.dt_s);
        let kept = |point: &PlotPoint| ((point.x / dt_s).round() as u64).is_multiple_of(stride);
        self.points.iter_mut().for_each(|points| points.retain(kept));
        self.samples /= 2;
    }

    /// The least and the largest value of a metric, widened when it is steady.
    fn range(&self, metric: &Metric) -> [f64; 2] {
        let values = metric.parts.iter().flat_map(|(_, column)| &self.points[*column]).map(|point| point.y);
        let (low, high) = values.fold((f64::MAX, f64::MIN), |(low, high), value| (low.min(value), high.max(value)));
        if low > high {
            return [0.0, 1.0];
        }
        let least = (low.abs().max(high.abs()) * STEADY).max(1e-12);
        let missing = (least - (high - low)).max(0.0) / 2.0;
        [low - missing, high + missing]
    }

    /// The metrics: the name of each, and the columns of its parts.
    fn metrics(&self) -> Vec<Metric<'_>> {
        let mut metrics: Vec<Metric> = Vec::new();
        let mut known = BTreeMap::new();
        for (column, name) in self.columns.iter().enumerate() {
            let (name, part) = name.split_once('.').unwrap_or((name, ""));
            let index = *known.entry(name).or_insert_with(|| {
                metrics.push(Metric { name, parts: Vec::new() });
                metrics.len() - 1
            });
            metrics[index].parts.push((part, column));
        }
        metrics
    }
}

/// One metric: a number, or a vector with named parts.
#[derive(Debug, PartialEq)]
struct Metric<'a> {
    name: &'a str,
    parts: Vec<(&'a str, usize)>,
}

/// The plots.
#[derive(Default)]
pub struct Plots;

impl Plots {
    /// Draws them; what was asked for.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let metrics = lab.history.metrics();
        if metrics.is_empty() {
            return Vec::new();
        }
        let panel = egui::Panel::bottom("plots").resizable(true).default_size(170.0).size_range(90.0..=400.0);
        panel.frame(theme::panel(lab.settings.theme)).show(ui, |ui| {
            ui.spacing_mut().item_spacing.x = 2.0 * theme::PAD;
            let gaps = ui.spacing().item_spacing.x * (metrics.len() - 1) as f32;
            let width = ((ui.available_width() - gaps) / metrics.len() as f32).max(NARROWEST);
            let size = egui::vec2(width, ui.available_height());
            ScrollArea::horizontal().auto_shrink(false).show(ui, |ui| {
                ui.horizontal_top(|ui| {
                    for metric in &metrics {
                        ui.allocate_ui_with_layout(size, Layout::top_down(Align::Min), |ui| one(ui, metric, lab));
                    }
                });
            });
        });
        Vec::new()
    }
}

fn one(ui: &mut Ui, metric: &Metric, lab: &Lab) {
    ui.spacing_mut().item_spacing.x = 6.0;
    let history = &lab.history;
    let (name, unit) = words(metric.name);
    ui.horizontal(|ui| {
        ui.label(&name).on_hover_text(sampled(history));
        ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
            ui.weak(unit);
            for (part, column) in metric.parts.iter().rev() {
                ui.label(theme::number(value_text(history.latest[*column])));
                ui.weak(*part);
            }
        });
    });
    plot(ui, metric, &name, unit, lab);
}

fn plot(ui: &mut Ui, metric: &Metric, name: &str, unit: &str, lab: &Lab) {
    let history = &lab.history;
    let [low, high] = history.range(metric);
    let hover = |position: &HoverPosition| match position {
        HoverPosition::NearDataPoint { position, .. } | HoverPosition::Elsewhere { position } => {
            Some(format!("{} {unit}\nat {:.3} s", value_text(position.y).trim_start(), position.x))
        }
    };
    Plot::new(metric.name)
        .show_background(false)
        .show_grid([false, true])
        .grid_color(theme::color(lab.settings.theme, Role::Grid))
        .show_x(false)
        .show_y(false)
        .allow_zoom(false)
        .allow_drag(false)
        .allow_scroll(false)
        .allow_boxed_zoom(false)
        .allow_axis_zoom_drag(false)
        .allow_double_click_reset(false)
        .set_margin_fraction(egui::vec2(0.0, 0.1))
        .y_axis_min_width(44.0)
        .grid_spacing(12.0..=28.0)
        .x_grid_spacer(|input| marks(&input, 4.0))
        .y_grid_spacer(|input| marks(&input, 3.0))
        .x_axis_formatter(|mark, _| format!("{} s", plain(mark.value)))
        .y_axis_formatter(|mark, _| plain(mark.value))
        .include_x(0.0)
        .include_x(lab.host.simulation().time().now_s().max(1.0))
        .include_y(low)
        .include_y(high)
        .label_formatter(hover)
        .show(ui, |plot| {
            for (index, (part, column)) in metric.parts.iter().enumerate() {
                let points = PlotPoints::Borrowed(&history.points[*column]);
                let stroke = Stroke::new(1.5, line_color(lab.settings.theme, index));
                plot.line(Line::new(format!("{name} {part}"), points).stroke(stroke));
            }
        });
}

fn line_color(theme: Theme, index: usize) -> Color32 {
    theme::color(theme, if index == 0 { Role::Accent } else { Role::Group(index as u32) })
}

fn sampled(history: &History) -> RichText {
    RichText::new(match history.stride {
        1 => "What the metric observed after each step".into(),
        stride => format!("What the metric observed after every {stride}th step; the steps between are left out"),
    })
}

/// A value in a fixed width, so that nothing jumps.
fn value_text(value: f64) -> String {
    let text = match value.abs() {
        _ if value.is_nan() => "–".into(),
        size if size == 0.0 || (1e-3..1e4).contains(&size) => format!("{value:.3}"),
        _ => format!("{value:.2e}"),
    };
    format!("{text:>9}")
}

/// Marks at round numbers, about as many as wanted.
fn marks(input: &GridInput, wanted: f64) -> Vec<GridMark> {
    let (low, high) = input.bounds;
    let step_size = round_step((high - low) / wanted);
    let mark = |index: i64| GridMark { value: index as f64 * step_size, step_size };
    // A range of no width has no marks; neither has one so far from zero that its step is lost in it.
    let (first, last) = ((low / step_size).ceil(), (high / step_size).floor());
    if last - first > 100.0 || last.abs() > 1e15 {
        Vec::new()
    } else {
        (first as i64..=last as i64).map(mark).collect()
    }
}

/// The nearest of 1, 2 and 5 times a power of ten that is not smaller.
fn round_step(at_least: f64) -> f64 {
    let power = libm::exp10(libm::log10(at_least.max(1e-300)).floor());
    [1.0, 2.0, 5.0].into_iter().map(|digit| digit * power).find(|step| *step >= at_least).unwrap_or(10.0 * power)
}

/// A mark of an axis: no trailing zeros.
fn plain(value: f64) -> String {
    let rounded = (value * 1e6).round() / 1e6;
    if rounded.abs() >= 1e6 || (value != 0.0 && rounded == 0.0) { format!("{value:.0e}") } else { format!("{rounded}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn history(columns: &[&str]) -> History {
        History::new(columns.iter().map(|name| (*name).to_owned()).collect(), 0.025)
    }

    fn run(history: &mut History, steps: std::ops::RangeInclusive<u64>) {
        for step in steps {
            if step.is_multiple_of(history.stride) {
                history.push(step, vec![step as f64]);
            }
        }
    }

    #[test]
    fn memory_is_bounded_and_the_stride_is_told() {
        let mut history = history(&["a"]);
        run(&mut history, 1..=100_000);
        assert!(history.points[0].len() < 2 * SAMPLES && history.points[0].len() >= SAMPLES - 1);
        assert_eq!(history.stride, 32);
        assert!(sampled(&history).text().contains("32th step"));
    }

    #[test]
    fn what_is_kept_is_true_and_evenly_spaced() {
        let mut history = history(&["a"]);
        run(&mut history, 1..=50_000);
        let points = &history.points[0];
        assert!(points.iter().all(|point| (point.y * 0.025 - point.x).abs() < 1e-9));
        assert!(points.windows(2).all(|pair| pair[1].y - pair[0].y == history.stride as f64));
        assert_eq!(points.last().map(|point| point.y), Some((50_000 - 50_000 % history.stride) as f64));
    }

    #[test]
    fn values_that_are_no_numbers_leave_a_gap() {
        let mut history = history(&["a", "b"]);
        history.push(1, vec![f64::NAN, 1.0]);
        assert_eq!((history.points[0].len(), history.points[1].len()), (0, 1));
    }

    #[test]
    fn steady_values_are_not_blown_up() {
        let mut steady = history(&["a"]);
        steady.push(1, vec![100.0]);
        steady.push(2, vec![100.000_001]);
        let [low, high] = steady.range(&steady.metrics()[0]);
        assert!(low < 99.1 && high > 100.9);
        let empty = history(&["a"]);
        assert_eq!(empty.range(&empty.metrics()[0]), [0.0, 1.0]);
    }

    #[test]
    fn marks_stand_at_round_numbers() {
        let at = |bounds, wanted| {
            let marks = marks(&GridInput { bounds, base_step_size: 0.0 }, wanted);
            marks.into_iter().map(|mark| mark.value).collect::<Vec<_>>()
        };
        assert_eq!(at((0.0, 20.0), 4.0), [0.0, 5.0, 10.0, 15.0, 20.0]);
        assert_eq!(at((-0.3, 0.7), 3.0), [0.0, 0.5]);
        assert_eq!(at((1.0, 1.0), 3.0).len(), 0);
    }

    #[test]
    fn parts_of_a_vector_share_a_plot() {
        let history = history(&["speed", "centroid_m.x", "centroid_m.y"]);
        assert_eq!(
            history.metrics(),
            [
                Metric { name: "speed", parts: vec![("", 0)] },
                Metric { name: "centroid_m", parts: vec![("x", 1), ("y", 2)] },
            ]
        );
    }

    #[test]
    fn values_keep_their_width() {
        for value in [0.0, -0.5, 0.123_456, 1234.5, -1.5e-7, 2.5e12, f64::NAN, f64::INFINITY] {
            assert_eq!(value_text(value).chars().count(), 9, "{value}");
        }
        assert_eq!([0.0, 0.5, 20.0, -0.1].map(plain), ["0", "0.5", "20", "-0.1"]);
    }
}

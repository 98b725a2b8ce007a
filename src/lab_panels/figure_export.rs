//! The panel "Export figure": content, format, size, font and resolution, with a preview.

use std::ops::RangeInclusive;

use bevy_egui::egui::{self, Align2, DragValue, Grid, ScrollArea, TextureHandle, TextureOptions, Ui, Vec2};
use swarmarium_draw::View;
use swarmarium_figure::{Look, Paper};
use swarmarium_lab_state::action::{Action, FigureAction, FileAction, FileRequest};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::app::files::{FigureError, image};
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::settings::{FigureContent, FigureFormat, FigureOptions, FigureTime};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::quantity_field;

use crate::sheet::{self, Sheet};

/// The contents, with their names.
const CONTENTS: [(FigureContent, &str, &str); 2] = [
    (FigureContent::Plots, "Plots", "The plots of the Plots panel; those over robots show the present moment"),
    (FigureContent::World, "View of the world", "The world with its overlays, as the view shows it"),
];

/// The times that plots can show, with their names.
const TIMES: [(FigureTime, &str, &str); 3] = [
    (FigureTime::All, "All", "The whole run, from its start to its last simulated step, in seconds"),
    (FigureTime::Visible, "Visible", "The time span that the Plots panel shows, in seconds"),
    (FigureTime::ToPlayhead, "To the playhead", "From the start of the run to the shown moment, in seconds"),
];

/// The formats, with their names.
const FORMATS: [(FigureFormat, &str, &str); 3] = [
    (FigureFormat::Svg, "SVG", "Vector graphics for the web and for drawing programs; text remains editable"),
    (FigureFormat::Pdf, "PDF", "Vector graphics for papers, with embedded fonts"),
    (FigureFormat::Png, "PNG", "Pixels, for slides and documents that do not accept vector graphics"),
];

/// The sizes: name, width and height in millimetres.
const SIZES: [(&str, [f64; 2]); 3] =
    [("One column", [84.0, 60.0]), ("Two columns", [170.0, 90.0]), ("Slide", [254.0, 142.0])];

/// The width of the panel, in points.
const WIDTH_PX: f32 = 520.0;

/// The largest preview, in points.
const PREVIEW_PX: Vec2 = egui::vec2(420.0, 260.0);

/// The height of the list of plots, in points; longer lists scroll.
const PLOTS_PX: f32 = 120.0;

/// Time between two previews of a running simulation, in seconds.
const PREVIEW_S: f64 = 0.5;

/// The panel, with its preview.
#[derive(Default)]
pub struct FigurePanel {
    preview: Option<Preview>,
}

/// The inputs of a preview: the settings, the step, the number of simulations so far, and the view.
type PreviewKey = (FigureOptions, u64, u64, View);

/// A preview of the figure.
struct Preview {
    key: PreviewKey,
    painted_s: f64,
    texture: Result<TextureHandle, FigureError>,
}

impl FigurePanel {
    /// Draws the panel while it is open. Returns the requested actions.
    pub fn ui(&mut self, ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
        if !lab.shell.popups.figure {
            self.preview = None;
            return Vec::new();
        }
        let mut wanted = Vec::new();
        let mut is_open = true;
        let window = sheet::window("Export figure", &mut is_open).pivot(Align2::CENTER_TOP);
        let window = window.default_pos(lab.view.rect_px.center_top() + egui::vec2(0.0, 30.0));
        window.show(ctx, |ui| {
            let before = &lab.shell.settings.figure;
            let mut options = before.clone();
            let sheet = Sheet::in_window(ui, WIDTH_PX);
            sheet.body(ui, |ui| {
                Grid::new("figure").num_columns(2).spacing([16.0, 8.0]).show(ui, |ui| {
                    row(ui, "Content", |ui| choices(ui, &mut options.content, CONTENTS));
                    if options.content == FigureContent::Plots {
                        ui.weak("Plots");
                        ui.vertical(|ui| {
                            // A permanent scroll bar shows that the list is longer.
                            ui.spacing_mut().scroll.floating = false;
                            let area = ScrollArea::vertical().max_height(PLOTS_PX).min_scrolled_height(PLOTS_PX);
                            area.show(ui, |ui| plots(ui, lab, &mut options));
                        });
                        ui.end_row();
                        row(ui, "Time", |ui| choices(ui, &mut options.time, TIMES));
                    }
                    row(ui, "Format", |ui| choices(ui, &mut options.format, FORMATS));
                    row(ui, "Size", |ui| size(ui, lab, &mut options));
                    row(ui, "Font", |ui| {
                        number(
                            ui,
                            &mut options.font_pt,
                            Paper::FONTS_PT,
                            " pt",
                            "Size of the labels of axes",
                            "points",
                        );
                    });
                    row(ui, "Resolution", |ui| {
                        let (range, what) = (Paper::DOTS_PER_INCH, "Resolution of PNG files and of the clipboard");
                        number(ui, &mut options.dots_per_inch, range, " dpi", what, "dots per inch");
                    });
                });
                ui.add_space(theme::GAP);
                self.preview(ui, lab, &options);
            });
            sheet.footer(ui, |ui| ui.horizontal(|ui| buttons(ui, lab, &options, &mut wanted)));
            if options != *before {
                wanted.insert(0, Action::Figure(FigureAction::SetOptions(options)));
            }
        });
        if !is_open {
            wanted.push(Action::Figure(FigureAction::TogglePanel));
        }
        wanted
    }

    /// Draws the preview, at most as large as the available room.
    fn preview(&mut self, ui: &mut Ui, lab: &Lab, options: &FigureOptions) {
        let now_s = ui.input(|input| input.time);
        // The lab has the new options from the next frame on.
        let steps = lab.run.host.simulation().steps();
        let key: PreviewKey = (lab.shell.settings.figure.clone(), steps, lab.run.restarts, lab.view.current);
        let paper = options.paper().size_mm.as_vec2();
        let most = PREVIEW_PX.min(egui::vec2(ui.available_width(), PREVIEW_PX.y));
        let size = Vec2::new(paper.x, paper.y) * (most.x / paper.x).min(most.y / paper.y);
        let is_fresh = self
            .preview
            .as_ref()
            .is_some_and(|known| known.key == key || (known.key.0 == key.0 && now_s - known.painted_s < PREVIEW_S));
        if !is_fresh {
            let options = &key.0;
            let texture = lab.figure(options.content).map(|print| {
                let width_px = f64::from(size.x * ui.pixels_per_point());
                let pixels = print.pixels(width_px / options.width_mm * 25.4, Look::default());
                ui.ctx().load_texture("figure", image(&pixels), TextureOptions::LINEAR)
            });
            self.preview = Some(Preview { key, painted_s: now_s, texture });
        }
        match self.preview.as_ref().map(|preview| &preview.texture) {
            Some(Ok(texture)) => {
                let image = egui::Image::from_texture((texture.id(), size)).alt_text("Preview of the figure");
                ui.vertical_centered(|ui| ui.add(image));
            }
            Some(Err(error)) => {
                ui.weak(error.to_string());
            }
            None => {}
        }
    }
}

fn row(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.weak(name);
    ui.horizontal_wrapped(content);
    ui.end_row();
}

fn choices<T: PartialEq + Copy>(
    ui: &mut Ui,
    chosen: &mut T,
    all: impl IntoIterator<Item = (T, &'static str, &'static str)>,
) {
    for (value, name, hint) in all {
        ui.selectable_value(chosen, value, name).on_hover_text(hint);
    }
}

/// Draws the choice of plots.
fn plots(ui: &mut Ui, lab: &Lab, options: &mut FigureOptions) {
    let titles = lab.plots.titles(lab.run.host.simulation());
    if titles.is_empty() {
        ui.weak("none");
    }
    for (key, title) in titles {
        let mut is_shown = !options.left_out.contains(&key);
        let hint = format!("Shows the plot of {key} in the figure");
        if ui.checkbox(&mut is_shown, &title).on_hover_text(hint).changed() {
            options.left_out.retain(|known| *known != key);
            options.left_out.extend((!is_shown).then_some(key));
        }
    }
}

fn size(ui: &mut Ui, lab: &Lab, options: &mut FigureOptions) {
    number(ui, &mut options.width_mm, Paper::SIDES_MM, " mm", "Width of the figure", "millimetres");
    number(ui, &mut options.height_mm, Paper::SIDES_MM, " mm", "Height of the figure", "millimetres");
    for (name, [width, height]) in SIZES {
        let is_it = options.width_mm == width && options.height_mm == height;
        let hint = format!("{width} by {height} millimetres");
        if ui.selectable_label(is_it, name).on_hover_text(hint).clicked() {
            (options.width_mm, options.height_mm) = (width, height);
        }
    }
    let screen_px = lab.view.current.camera.screen_px;
    let hint = "Sets the height that gives the figure the aspect ratio of the view";
    if options.content == FigureContent::World && ui.button("As shown").on_hover_text(hint).clicked() {
        let height_mm = (options.width_mm * screen_px.y / screen_px.x).round();
        options.height_mm = height_mm.clamp(*Paper::SIDES_MM.start(), *Paper::SIDES_MM.end());
    }
}

/// Draws a field for a number in a range. `what` is its name and `unit` its unit in words.
fn number(ui: &mut Ui, value: &mut f64, range: RangeInclusive<f64>, suffix: &str, what: &str, unit: &str) {
    let [least, most] = [*range.start(), *range.end()];
    let present = Some(*value);
    let field = DragValue::new(value).range(range).speed(0.5).max_decimals(1).suffix(suffix);
    let field = quantity_field(ui, field, suffix, present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(what));
    field.on_hover_text(format!("{what} in {unit}, from {least} to {most}"));
}

fn buttons(ui: &mut Ui, lab: &Lab, options: &FigureOptions, wanted: &mut Vec<Action>) {
    let hint = "Asks for a file name and saves the figure";
    if ui.button("Save…").on_hover_text(hint).clicked() {
        let request = FileRequest::ExportFigure(options.content, options.format);
        wanted.push(Action::File(FileAction::Ask(request)));
    }
    let hint = CommandId::CopyFigure.command().tooltip(&lab.shell.keymap);
    if ui.button("Copy figure").on_hover_text(hint).clicked() {
        wanted.push(Action::Figure(FigureAction::Copy));
    }
}

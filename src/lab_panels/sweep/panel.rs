//! The panel Sweep: the setup, the progress, the figure, and the runs of a point.

use std::collections::BTreeMap;
use std::sync::Arc;

use bevy_egui::egui::containers::menu::MenuButton;
use bevy_egui::egui::{
    self, Align, Button, ComboBox, Image, Label, Layout, ProgressBar, RichText, ScrollArea, TextureHandle,
    TextureOptions, Ui, UiBuilder,
};
use swarmarium_core::text::wording::{capital, count};
use swarmarium_lab_state::action::{Action, FileAction, FileRequest, SweepAction, SweepFormat, WindowAction};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::text::{grouped, label};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::plots::{self, axis::Bounds};
use swarmarium_lab_state::sweeps::drawn::{Drawn, FigureRequest, OVER_TIME};
use swarmarium_lab_state::sweeps::pictures::SIZE;
use swarmarium_lab_state::sweeps::worker::{Phase, State, ViewRequest};
use swarmarium_picture::palette::{Role, Theme};
use swarmarium_sweep::plan::Take;
use swarmarium_sweep::{Run, Sweep, charts};

use crate::sweep::chart::{self, Chart, Shown};
use crate::sweep::{runs, setup_form, table};

/// The width of the list of runs, in points.
const RUNS_PX: f32 = 330.0;

/// Below this width of the panel, in points, the list of runs stands below the figure.
const WIDE_PX: f32 = 760.0;

/// From this width of the panel on, in points, the name, the views and the buttons share a row.
const ONE_ROW_PX: f32 = 1500.0;

/// The most figures whose names have room in that row.
const FEW_VIEWS: usize = 3;

/// The width of the choice of views beside the name, in points.
const VIEWS_PX: f32 = 345.0;

/// The smallest height of the figure, in points; a lower panel scrolls.
const LEAST_PX: f32 = 150.0;

/// Repetitions that a button adds.
const MORE: u64 = 10;

/// The height of the caption of a figure, in points.
const CAPTION_PX: f32 = 20.0;

/// The width of a figure from which on the caption stands beside the label of its y axis, in points.
const CAPTION_OVER_PX: f32 = 640.0;

/// Frames after which a new texture can be painted.
const FRAMES_TO_ARRIVE: u64 = 3;

/// The most pictures that are kept as textures.
const MOST_TEXTURES: usize = 1000;

/// Pictures that become textures in one frame, so that no frame takes long.
const MOST_NEW: usize = 2;

/// The time in which the figure and its pictures follow new statistics, in seconds.
const SETTLE_S: f64 = 1.0;

/// The time between two looks for a missing picture, in seconds.
const LOOK_S: f64 = 0.4;

/// A view of the results.
#[derive(Clone, Debug, PartialEq, Eq)]
enum View {
    /// A figure, by its name.
    Figure(String),
    /// The statistics of all points.
    Table,
}

/// The panel.
#[derive(Default)]
pub struct SweepPanel {
    /// The chosen view; `None` for the usual one.
    view: Option<View>,
    /// The sweep to which the rest belongs.
    opening: u64,
    figure: FigureTextures,
    pictures: PictureTextures,
    chart: Chart,
    search: setup_form::Search,
    /// The version of the statistics that was shown last, and the time of its arrival, in egui's seconds.
    seen: (u64, f64),
}

/// The figure as a texture, and the next one until it can be painted.
#[derive(Default)]
struct FigureTextures {
    shown: Option<(Arc<Drawn>, TextureHandle)>,
    /// The next figure with the number of the frame in which its texture was made.
    next: Option<(Arc<Drawn>, TextureHandle, u64)>,
}

impl FigureTextures {
    /// Returns the figure to show. A new one replaces the one before when its texture has arrived: a figure that is missing
    /// for a frame flickers.
    fn get(&mut self, ctx: &egui::Context, drawn: &Arc<Drawn>) -> Option<&(Arc<Drawn>, TextureHandle)> {
        let frame = ctx.cumulative_frame_nr();
        if let Some((next, texture, _)) = self.next.take_if(|(_, _, made)| frame >= *made + FRAMES_TO_ARRIVE) {
            self.shown = Some((next, texture));
        }
        let is_shown = self.shown.as_ref().is_some_and(|(known, _)| Arc::ptr_eq(known, drawn));
        if !is_shown && self.next.is_none() {
            let image = egui::ColorImage::from_rgba_unmultiplied(drawn.size.map(usize::from), &drawn.rgba);
            let texture = ctx.load_texture("sweep figure", image, TextureOptions::LINEAR);
            self.next = Some((drawn.clone(), texture, frame));
        }
        if self.next.is_some() {
            ctx.request_repaint();
        }
        self.shown.as_ref().filter(|(shown, _)| shown.name == drawn.name)
    }
}

/// The pictures of runs as textures.
#[derive(Default)]
pub struct PictureTextures {
    known: BTreeMap<(u64, bool), TextureHandle>,
    /// The times of the last looks for pictures that were missing, in egui's seconds.
    missing_s: BTreeMap<(u64, bool), f64>,
    new: usize,
}

impl PictureTextures {
    /// Returns the picture of the first run of a point, if it is there.
    pub fn get(&mut self, ui: &Ui, lab: &Lab, sweep: &Sweep, point: usize) -> Option<&TextureHandle> {
        let key = sweep.key(Run { point, repetition: 0 });
        let place = (key, lab.shell.settings.theme == Theme::Dark);
        let now_s = ui.input(|input| input.time);
        let is_due = self.missing_s.get(&place).is_none_or(|looked_s| now_s - looked_s > LOOK_S);
        if self.known.len() >= MOST_TEXTURES {
            // Those of the other theme come back when they are needed.
            self.known.retain(|(_, is_dark), _| *is_dark == place.1);
        }
        let has_room = self.new < MOST_NEW && self.known.len() < MOST_TEXTURES;
        if !self.known.contains_key(&place) && is_due && has_room {
            let png = lab.sweep.worker.as_ref().and_then(|worker| worker.picture(key, lab.shell.settings.theme));
            match png.and_then(|png| crate::thumbnails::decode(&png, SIZE).ok()) {
                Some(rgba) => {
                    let image = egui::ColorImage::from_rgba_unmultiplied(SIZE.map(usize::from), &rgba);
                    let texture = ui.ctx().load_texture(format!("run {key:x}"), image, TextureOptions::LINEAR);
                    self.known.insert(place, texture);
                    self.new += 1;
                    ui.ctx().request_repaint();
                }
                None => drop(self.missing_s.insert(place, now_s)),
            }
        }
        self.known.get(&place)
    }
}

impl SweepPanel {
    /// Draws the panel. Returns the requested actions.
    pub fn ui(&mut self, ui: &mut Ui, lab: &Lab) -> Vec<Action> {
        let mut actions = Vec::new();
        if std::mem::replace(&mut self.opening, lab.sweep.openings) != lab.sweep.openings {
            *self = Self { opening: lab.sweep.openings, ..Self::default() };
        }
        match lab.sweep.state() {
            Some(state) if !lab.sweep.is_set_up => self.sweep(ui, lab, &state, &mut actions),
            state => {
                setup_form::ui(ui, lab, &mut self.search, state.is_some(), &mut actions);
            }
        }
        self.pictures.new = 0;
        actions
    }

    fn sweep(&mut self, ui: &mut Ui, lab: &Lab, state: &State, actions: &mut Vec<Action>) {
        self.keep_awake(ui, lab, state);
        if let Some(run) = lab.sweep.wanted.filter(|run| lab.sweep.lists_runs_of(run.point)) {
            actions.push(SweepAction::OpenRun(run).into());
        }
        let is_one_row = ui.available_width() >= ONE_ROW_PX && state.figures.len() <= FEW_VIEWS;
        self.head(ui, lab, state, is_one_row, actions);
        if let Phase::Failed(error) = &state.phase {
            ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), format!("⚠ {error}"));
        }
        if let Some(refusal) = &state.refusal {
            ui.colored_label(theme::color(lab.shell.settings.theme, Role::Detecting), format!("⚠ {refusal}"));
        }
        let Some(sweep) = &state.sweep else {
            if state.phase == Phase::Preparing {
                ui.weak("Checking the plan");
            }
            return;
        };
        let view = self.view(sweep, state);
        if !is_one_row {
            self.views(ui, sweep, state, &view);
        }
        let room = ui.available_size();
        let is_wide = room.x >= WIDE_PX;
        let has_runs = lab.sweep.point.is_some();
        let figure_px = if has_runs && is_wide { room.x - RUNS_PX - theme::PAD } else { room.x };
        let area = ScrollArea::vertical().id_salt("sweep").auto_shrink(false);
        area.show(ui, |ui| {
            // One point less, so that nothing scrolls by rounding.
            let room_px = room.y - 1.0;
            let height = if has_runs && !is_wide { room_px * 0.6 } else { room_px }.max(LEAST_PX);
            let layout = if is_wide { Layout::left_to_right(Align::Min) } else { Layout::top_down(Align::Min) };
            ui.with_layout(layout, |ui| {
                ui.allocate_ui_with_layout(egui::vec2(figure_px, height), Layout::top_down(Align::Min), |ui| {
                    ui.set_min_size(egui::vec2(figure_px, height));
                    match &view {
                        View::Figure(name) => self.figure(ui, lab, (sweep, state), name, actions),
                        View::Table => {
                            self.request(lab, None);
                            table::ui(ui, lab, sweep, state, actions);
                        }
                    }
                });
                if let Some(point) = lab.sweep.point.filter(|point| *point < sweep.points.len()) {
                    let picture = self.pictures.get(ui, lab, sweep, point).map(|texture| texture.id());
                    ui.vertical(|ui| {
                        ui.set_width(ui.available_width().max(RUNS_PX - theme::PAD));
                        runs::ui(ui, lab, (sweep, state), point, picture, actions);
                    });
                }
            });
        });
    }

    /// Draws another frame while the threads still prepare what this one asked for.
    fn keep_awake(&mut self, ui: &Ui, lab: &Lab, state: &State) {
        let now_s = ui.input(|input| input.time);
        if self.seen.0 != state.version {
            self.seen = (state.version, now_s);
        }
        let lists = state.runs.as_ref().map(|runs| runs.0) == lab.sweep.point;
        if !lists || now_s - self.seen.1 < SETTLE_S {
            ui.ctx().request_repaint();
        }
    }

    /// Draws the name, the progress and the buttons.
    fn head(&mut self, ui: &mut Ui, lab: &Lab, state: &State, is_one_row: bool, actions: &mut Vec<Action>) {
        let Some(worker) = &lab.sweep.worker else { return };
        let is_paused = worker.is_paused();
        ui.horizontal(|ui| {
            ui.spacing_mut().interact_size.y = 20.0;
            ui.spacing_mut().button_padding.y = 2.0;
            ui.with_layout(Layout::right_to_left(Align::Center), |ui| {
                if ui.button("Close").on_hover_text("Closes the sweep; its folder stays").clicked() {
                    actions.push(SweepAction::Close.into());
                }
                if ui.button("New sweep…").on_hover_text("Shows the setup of the next sweep").clicked() {
                    actions.push(SweepAction::ShowSetup.into());
                }
                if let Some(sweep) = &state.sweep {
                    export_menu(ui, lab, actions);
                    control_buttons(ui, sweep, state, is_paused, actions);
                    progress(ui, sweep, state, is_paused);
                }
                ui.with_layout(Layout::left_to_right(Align::Center), |ui| {
                    let name = match &state.sweep {
                        Some(sweep) if !sweep.plan.name.is_empty() => sweep.plan.name.clone(),
                        _ => lab.sweep.sweep_name(),
                    };
                    let hint = format!("In the folder {}", worker.folder().display());
                    if let Some(sweep) = state.sweep.as_ref().filter(|_| is_one_row) {
                        let view = self.view(sweep, state);
                        ui.scope(|ui| {
                            ui.set_max_width((ui.available_width() - VIEWS_PX).max(40.0));
                            ui.add(Label::new(RichText::new(name).strong()).truncate()).on_hover_text(hint);
                        });
                        ui.add_space(theme::GAP);
                        self.views(ui, sweep, state, &view);
                    } else {
                        ui.add(Label::new(RichText::new(name).strong()).truncate()).on_hover_text(hint);
                    }
                });
            });
        });
    }

    /// Returns the shown view: the chosen one if it exists, or else the first figure.
    fn view(&self, sweep: &Sweep, state: &State) -> View {
        let exists = |view: &&View| match view {
            View::Table => true,
            View::Figure(name) => charts::is_name(sweep, name),
        };
        let first = || state.figures.first().map_or(View::Table, |(name, _)| View::Figure(name.clone()));
        self.view.as_ref().filter(exists).cloned().unwrap_or_else(first)
    }

    /// Draws the choice of views.
    fn views(&mut self, ui: &mut Ui, sweep: &Sweep, state: &State, view: &View) {
        let mut chosen = None;
        ui.horizontal_wrapped(|ui| {
            ui.spacing_mut().interact_size.y = 18.0;
            ui.spacing_mut().button_padding.y = 1.0;
            let has_many = sweep.plan.measures.len() > 1;
            for (name, figure) in state.figures.iter() {
                let is_it = matches!(view, View::Figure(shown) if shown == name);
                let label = view_name(name, &figure.title, has_many);
                if ui.selectable_label(is_it, label).on_hover_text(&figure.title).clicked() {
                    chosen = Some(View::Figure(name.clone()));
                }
            }
            over_time(ui, sweep, view, &mut chosen);
            let hint = "The statistics of all points as a table";
            if ui.selectable_label(*view == View::Table, "Table").on_hover_text(hint).clicked() {
                chosen = Some(View::Table);
            }
        });
        if let Some(chosen) = chosen {
            (self.view, self.chart) = (Some(chosen), Chart::default());
        }
    }

    /// Tells the threads which figure is shown.
    fn request(&self, lab: &Lab, figure: Option<FigureRequest>) {
        if let Some(worker) = &lab.sweep.worker {
            worker.request_view(ViewRequest { figure, point: lab.sweep.point, theme: lab.shell.settings.theme });
        }
    }

    fn figure(
        &mut self,
        ui: &mut Ui,
        lab: &Lab,
        (sweep, state): (&Arc<Sweep>, &State),
        name: &str,
        actions: &mut Vec<Action>,
    ) {
        let room = ui.available_size();
        self.chart.bar(ui, sweep, actions);
        let strip_px = chart::strip_px(name, room.y);
        let bar_px = room.y - ui.available_size().y;
        // A figure above pictures has no key at its top, where the caption has room then.
        let is_caption_over = strip_px > 0.0 && room.x >= CAPTION_OVER_PX;
        let caption_px = if is_caption_over { 0.0 } else { CAPTION_PX };
        let size = egui::vec2(room.x, room.y - strip_px - bar_px - caption_px).max(egui::vec2(60.0, 60.0));
        let request = FigureRequest {
            name: name.into(),
            size_px: [size.x as u16, size.y as u16],
            scale: ui.pixels_per_point(),
            theme: lab.shell.settings.theme,
            has_pictures: chart::has_room_for_pictures(sweep, size),
            bounds: bounds(lab, sweep, name),
        };
        self.request(lab, Some(request));
        let Some(drawn) = state.drawn.as_ref().filter(|drawn| drawn.name == name) else {
            ui.weak("The figure appears with the first runs");
            ui.ctx().request_repaint();
            return;
        };
        let Some((drawn, texture)) = self.figure.get(ui.ctx(), drawn) else { return };
        let sensed = egui::Sense::click_and_drag();
        let shown_px = egui::vec2(f32::from(drawn.size[0]), f32::from(drawn.size[1])) / ui.pixels_per_point();
        let image = Image::from_texture((texture.id(), shown_px)).alt_text(drawn.figure.full_caption()).sense(sensed);
        let response = ui.add(image);
        let shown = Shown { lab, sweep, state, drawn };
        self.chart.over(ui, &shown, &response, &mut self.pictures, actions);
        let caption = drawn.figure.full_caption();
        let shown_caption = charts::measure_of(sweep, name)
            .and_then(|measure| band(name, sweep.plan.measures[measure].take))
            .unwrap_or(&caption);
        let label = Label::new(RichText::new(shown_caption).small().weak()).truncate();
        let label = match is_caption_over {
            true => {
                let right = response.rect.with_min_x(response.rect.center().x).shrink2(egui::vec2(theme::PAD, 0.0));
                let place = UiBuilder::new().max_rect(right.with_max_y(right.top() + CAPTION_PX));
                ui.new_child(place.layout(Layout::right_to_left(Align::Center))).add(label)
            }
            false => ui.add(label),
        };
        label.on_hover_text(&caption);
        if strip_px > 0.0 {
            chart::strip(ui, &shown, response.rect, &mut self.pictures, actions);
        }
    }
}

/// Returns the values that the quantity of a figure can have.
fn bounds(lab: &Lab, sweep: &Sweep, name: &str) -> Bounds {
    let of_columns = || plots::bounds::of_scene(lab.run.host.simulation(), &sweep.scene);
    if let Some(column) = name.strip_suffix(OVER_TIME) {
        let place = charts::over_time_names(sweep).iter().position(|known| known == name);
        let column = place.map_or(column, |place| sweep.metric_columns[place].as_str());
        return of_columns().get(column).copied().unwrap_or(Bounds::NONE);
    }
    let Some(measure) = charts::measure_of(sweep, name).map(|place| &sweep.plan.measures[place]) else {
        return Bounds::NONE;
    };
    match measure.take {
        take if take.is_share() => Bounds { low: 0.0, high: 1.0 },
        take if take.is_time() => Bounds { low: 0.0, ..Bounds::NONE },
        _ => {
            let column = if measure.of.is_empty() { &measure.name } else { &measure.of };
            of_columns().get(column).copied().unwrap_or(Bounds::NONE)
        }
    }
}

/// Returns the meaning of the line and the intervals of a curve; `None` for other figures.
fn band(name: &str, take: Take) -> Option<&'static str> {
    let is_curve = name.ends_with("-curve") || name.ends_with("-curves") || name.contains("-by-");
    is_curve.then_some(match take {
        take if take.is_time() => {
            "Line: median time; bars or band: 95 % confidence interval (Brookmeyer\u{2013}Crowley)"
        }
        take if take.is_share() => "Line: share of runs; bars or band: 95 % confidence interval (Wilson)",
        _ => "Line: mean of the runs; bars or band: 95 % confidence interval (bootstrap)",
    })
}

/// Returns the short name of a figure: `Curve`, or with its measure if there are several.
fn view_name(name: &str, title: &str, has_many: bool) -> String {
    let kind = name.split_once('-').map_or(name, |(_, kind)| kind);
    let short = match kind {
        "map" => "Map".into(),
        "curve" => "Curve".into(),
        "curves" => "Curves".into(),
        "boxes" => "Box plots".into(),
        kind => capital(&kind.replace(['-', '_'], " ")),
    };
    let measure = title.split(" by ").next().unwrap_or(title);
    if has_many { format!("{measure}: {}", short.to_lowercase()) } else { short }
}

/// Draws the choice of a metric over time.
fn over_time(ui: &mut Ui, sweep: &Sweep, view: &View, chosen: &mut Option<View>) {
    if sweep.plan.keep.series_every_steps == 0 {
        return;
    }
    let shown = |name: &String| matches!(view, View::Figure(shown) if shown == name);
    let names = charts::over_time_names(sweep);
    let present = names.iter().position(shown);
    let text = present.map_or_else(|| "Over time".into(), |place| label(&sweep.metric_columns[place]));
    let button = Button::new(format!("{text} ⏷")).selected(present.is_some());
    let (response, _) = MenuButton::from_button(button).ui(ui, |ui| {
        for (name, column) in names.iter().zip(&sweep.metric_columns) {
            let hint = format!("The mean of {column} over time at up to seven points");
            if ui.selectable_label(shown(name), label(column)).on_hover_text(hint).clicked() {
                *chosen = Some(View::Figure(name.clone()));
                ui.close();
            }
        }
    });
    response.on_hover_text("Shows a metric over time, with one curve for each point");
}

/// Draws the progress.
fn progress(ui: &mut Ui, sweep: &Sweep, state: &State, is_paused: bool) {
    let (done, all) = (state.results.done, sweep.run_count());
    let failed = state.results.failed.len();
    let mut text = match &state.phase {
        Phase::Preparing => "Checking the plan".into(),
        _ if done >= all => count(all as usize, "run"),
        _ => format!("{} of {} runs", grouped(done), grouped(all)),
    };
    if failed > 0 {
        text.push_str(&format!(", {failed} failed"));
    }
    let (seconds, made) = state.made;
    if state.phase == Phase::Running && made > 0 && !is_paused && done < all {
        text.push_str(&format!(", {} left", duration((all - done) as f64 * seconds / made as f64)));
    }
    if is_paused && done < all {
        text.push_str(", paused");
    }
    let hint = "Finished runs; they are in the folder of the sweep even if the window is closed now";
    ui.label(theme::number(text)).on_hover_text(hint);
    if state.phase == Phase::Running && done < all {
        let part = done as f32 / all.max(1) as f32;
        ui.add(ProgressBar::new(part).desired_width(90.0).desired_height(6.0));
    }
}

/// Returns a duration in words: `about 12 s`.
pub fn duration(seconds: f64) -> String {
    match seconds {
        ..1.0 => "under 1 s".into(),
        1.0..100.0 => format!("about {seconds:.0} s"),
        100.0..6000.0 => format!("about {:.0} min", seconds / 60.0),
        _ => format!("about {:.0} h", seconds / 3600.0),
    }
}

fn control_buttons(ui: &mut Ui, sweep: &Sweep, state: &State, is_paused: bool, actions: &mut Vec<Action>) {
    let mut button = |ui: &mut Ui, text: &str, hint: &str, action: SweepAction| {
        if ui.button(text).on_hover_text(hint).clicked() {
            actions.push(action.into());
        }
    };
    let is_complete = state.results.done >= sweep.run_count();
    match &state.phase {
        Phase::Preparing | Phase::Running if !is_complete => {
            button(ui, "Cancel", "Abandons the runs in progress; finished ones stay", SweepAction::Cancel);
            let (text, hint) = match is_paused {
                true => ("Continue", "Continues the runs"),
                false => ("Pause", "Holds the runs where they are"),
            };
            button(ui, text, hint, SweepAction::Pause);
        }
        _ if !is_complete => {
            button(ui, "Resume", "Makes the runs that are not done", SweepAction::Resume);
        }
        _ => {}
    }
    if !sweep.has_seed_factor() && !matches!(state.phase, Phase::Preparing) {
        let hint = format!("Adds {MORE} runs with new seeds to each point");
        button(ui, &format!("+{MORE} repetitions"), &hint, SweepAction::Repeat(MORE));
    }
}

fn export_menu(ui: &mut Ui, lab: &Lab, actions: &mut Vec<Action>) {
    let mut asked = None;
    let menu = ui.menu_button("Export", |ui| {
        theme::entries(ui, |ui| {
            for (name, hint, request) in [
                (
                    "Figure as SVG…",
                    "Saves the shown figure as vector graphics",
                    FileRequest::ExportSweep(SweepFormat::Svg),
                ),
                ("Figure as PNG…", "Saves the shown figure as pixels", FileRequest::ExportSweep(SweepFormat::Png)),
                ("Figure as CSV…", "Saves the numbers of the shown figure", FileRequest::ExportSweep(SweepFormat::Csv)),
                ("Plan…", "Saves the plan, which `swarmarium sweep` runs, with its scene", FileRequest::SavePlan),
                ("Folder…", "Saves a copy of the folder, with tables, figures and the report", FileRequest::SaveSweep),
            ] {
                if ui.button(name).on_hover_text(hint).clicked() {
                    asked = Some(request);
                    ui.close();
                }
            }
            let folder = lab.sweep.worker.as_ref().map(|worker| worker.folder().to_path_buf());
            if ui.button("Open folder").on_hover_text("Opens the folder of the sweep in the file manager").clicked()
                && let Some(folder) = folder
            {
                actions.push(Action::Window(WindowAction::OpenFolder(folder)));
                ui.close();
            }
        });
    });
    menu.response.on_hover_text("Saves figures, the plan, or the whole folder");
    actions.extend(asked.map(|request| Action::File(FileAction::Ask(request))));
}

/// Draws the choice of one of some texts.
pub fn combo(ui: &mut Ui, name: &str, hint: &str, chosen: &str, entries: impl FnOnce(&mut Ui)) {
    let combo = ComboBox::from_id_salt(name).selected_text(chosen).height(280.0);
    let shown = combo.show_ui(ui, |ui| theme::entries(ui, entries));
    swarmarium_lab_state::common::widgets::named(&shown.response, name);
    shown.response.on_hover_text(hint);
}

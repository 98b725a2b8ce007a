//! The panel Recording: format, size, rate, labels, plots and folder of recordings.

use bevy::math::DVec2;
use bevy_egui::egui::{self, Align2, Button, DragValue, Grid, Label, RichText, Ui};
use swarmarium_core::text::wording::count;
use swarmarium_lab_state::action::{
    Action, FileAction, FileRequest, RangeEnd, RecordingAction, TimelineAction, VideoPart,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::settings::{LENGTHS_S, RATES, RecordingOptions, SPEEDS, VideoFormat};
use swarmarium_lab_state::common::theme;
use swarmarium_lab_state::common::widgets::{quantity_field, whole_field};
use swarmarium_lab_state::run::output_folder;
use swarmarium_video::SIDES_PX;
use swarmarium_video::painter::usual_scale;

use crate::command_actions;
use crate::sheet::{self, Sheet};

/// The width of the panel, in points.
const WIDTH_PX: f32 = 640.0;

/// The length of a recording with a limit, at first, in seconds.
const USUAL_LENGTH_S: f64 = 10.0;

/// The sizes, with their names.
const SIZES: [(&str, (u32, u32)); 4] =
    [("480p", (854, 480)), ("720p", (1280, 720)), ("1080p", (1920, 1080)), ("Square", (1080, 1080))];

/// The formats: name and purpose.
const FORMATS: [(VideoFormat, &str, &str); 4] = [
    (VideoFormat::Mp4, "MP4", "H.264, for talks, papers and the web; sides are even, at most 3840 by 2160 pixels"),
    (VideoFormat::Gif, "GIF", "For a README; at most 50 frames per second"),
    (VideoFormat::Apng, "APNG", "An animated PNG, lossless, for short loops"),
    (VideoFormat::Png, "PNG files", "A folder with one lossless picture per frame"),
];

/// Draws the panel. Returns the requested actions.
pub fn ui(ctx: &egui::Context, lab: &Lab) -> Vec<Action> {
    let mut wanted = Vec::new();
    let mut is_open = true;
    let window = sheet::window("Recording", &mut is_open).pivot(Align2::CENTER_TOP);
    let window = window.default_pos(lab.view.rect_px.center_top() + egui::vec2(0.0, 60.0));
    window.show(ctx, |ui| {
        let before = &lab.shell.settings.recording;
        let mut options = before.clone();
        let sheet = Sheet::in_window(ui, WIDTH_PX);
        sheet.body(ui, |ui| {
            Grid::new("recording").num_columns(2).spacing([16.0, 8.0]).show(ui, |ui| {
                row(ui, "Format", |ui| formats(ui, &mut options));
                row(ui, "Size", |ui| size(ui, lab, &mut options));
                row(ui, "Rate", |ui| rate(ui, &mut options));
                row(ui, "Stop after", |ui| length(ui, &mut options));
                row(ui, "Re-rendered part", |ui| part(ui, lab, &mut wanted));
                row(ui, "Speed of re-rendered video", |ui| speed(ui, &mut options));
                row(ui, "Labels", |ui| labels(ui, &mut options));
                row(ui, "Plots", |ui| {
                    let hint = "Draws the plots of the Plots panel under the world, up to the filmed moment";
                    ui.checkbox(&mut options.plots, "Include plots").on_hover_text(hint);
                });
                row(ui, "Pauses", |ui| {
                    let hint = "Also records while the run is paused; otherwise the video omits pauses";
                    ui.checkbox(&mut options.pauses, "Include pauses").on_hover_text(hint);
                });
                row(ui, "Folder", |ui| destination(ui, lab, &mut options, &mut wanted));
            });
        });
        sheet.footer(ui, |ui| {
            ui.horizontal_wrapped(|ui| buttons(ui, lab, &mut wanted));
            ui.weak(content(lab));
        });
        if options != *before {
            wanted.push(Action::Recording(RecordingAction::SetOptions(options)));
        }
    });
    if !is_open {
        wanted.push(Action::Recording(RecordingAction::TogglePanel));
    }
    wanted
}

/// Lists the parts of a video: `World A and B, 3 plots under the world, captions, the overlays of the window`.
fn content(lab: &Lab) -> String {
    let options = &lab.shell.settings.recording;
    let mut parts = vec![if lab.compare.other.is_some() { "World A and B".into() } else { "The world".to_owned() }];
    let (width, height) = options.size_px;
    let frame_px = DVec2::new(f64::from(width), f64::from(height)) / usual_scale(width, height);
    let plots = lab.plots.count();
    match lab.plots.band(options, frame_px) {
        Some(band) if band.shown < plots => {
            parts.push(format!("{} of {} under the world", band.shown, count(plots, "plot")));
        }
        Some(band) => parts.push(format!("{} under the world", count(band.shown, "plot"))),
        None if options.plots && plots > 0 => parts.push("no plots because the size is too small for them".into()),
        None => {}
    }
    if options.captions {
        parts.push("captions".into());
    }
    parts.push("the overlays of the window".into());
    parts.join(", ")
}

fn row(ui: &mut Ui, name: &str, content: impl FnOnce(&mut Ui)) {
    ui.weak(name);
    ui.horizontal_wrapped(|ui| {
        ui.spacing_mut().item_spacing.x = theme::TINY_GAP;
        ui.spacing_mut().button_padding.x = theme::SMALL_GAP;
        content(ui);
    });
    ui.end_row();
}

fn formats(ui: &mut Ui, options: &mut RecordingOptions) {
    for (format, name, hint) in FORMATS {
        ui.selectable_value(&mut options.format, format, name).on_hover_text(hint);
    }
}

fn size(ui: &mut Ui, lab: &Lab, options: &mut RecordingOptions) {
    let (width, height) = &mut options.size_px;
    for (side, name) in [(width, "Width"), (height, "Height")] {
        let present = *side;
        let field = DragValue::new(side).range(SIDES_PX).speed(2.0).suffix(" px");
        let field = whole_field(ui, field, "px", present);
        field.ctx.accesskit_node_builder(field.id, |node| node.set_label(name));
        let [least, most] = [SIDES_PX.start(), SIDES_PX.end()];
        field.on_hover_text(format!("{name} of a frame in pixels, from {least} to {most}"));
    }
    let shown = lab.view.current.camera.screen_px.round();
    let shown = ("As shown", (shown.x as u32, shown.y as u32));
    for (name, (width, height)) in SIZES.into_iter().chain([shown]) {
        let hint = format!("{width} by {height} pixels");
        if ui.selectable_label(options.size_px == (width, height), name).on_hover_text(hint).clicked() {
            options.size_px = (width, height);
        }
    }
}

fn rate(ui: &mut Ui, options: &mut RecordingOptions) {
    let present = options.frames_per_s;
    let field = DragValue::new(&mut options.frames_per_s).range(RATES).speed(0.2).suffix(" frames/s");
    let field = whole_field(ui, field, "frames/s", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Frames per second"));
    let [least, most] = [RATES.start(), RATES.end()];
    field.on_hover_text(format!("Frames per second of real time, from {least} to {most}"));
}

fn speed(ui: &mut Ui, options: &mut RecordingOptions) {
    let present = Some(options.speed);
    let field = DragValue::new(&mut options.speed).range(SPEEDS).speed(0.05).max_decimals(2).suffix("×");
    let field = quantity_field(ui, field, "", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Speed of the run that is recorded again"));
    let [least, most] = [SPEEDS.start(), SPEEDS.end()];
    let hint = "Simulated seconds per second of the video of \"Re-render without dropped frames\"";
    field.on_hover_text(format!("{hint}, from {least} to {most}"));
}

/// Draws the length after which a recording ends by itself.
fn length(ui: &mut Ui, options: &mut RecordingOptions) {
    let mut is_limited = options.length_s.is_some();
    let hint = "Ends a recording by itself after this length of video; otherwise you end it";
    if ui.checkbox(&mut is_limited, "").on_hover_text(hint).changed() {
        options.length_s = is_limited.then_some(USUAL_LENGTH_S);
    }
    let Some(length_s) = &mut options.length_s else {
        ui.weak("no limit");
        return;
    };
    let present = Some(*length_s);
    let field = DragValue::new(length_s).range(LENGTHS_S).speed(0.1).suffix(" s");
    let field = quantity_field(ui, field, "s", present);
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label("Length of a recording"));
    field.on_hover_text(format!("{hint}, in seconds, from {} to {}", LENGTHS_S.start(), LENGTHS_S.end()));
}

/// Draws the choice of the part that is rendered again, with the times of its ends.
fn part(ui: &mut Ui, lab: &Lab, wanted: &mut Vec<Action>) {
    let Some((chosen, (from, to))) = lab.video_part() else { return };
    let live_end = lab.run.host.live_end();
    let from_edited = part_end(ui, lab, "from", from, live_end.saturating_sub(1));
    let to_edited = part_end(ui, lab, "to", to, live_end);
    // After the fields, so that a new part moves none of them.
    for (part, steps) in lab.video_parts() {
        let hint = format!("{}: \"Re-render without dropped frames\" simulates this part again", span_text(lab, steps));
        if ui.radio(chosen == part, part.name()).on_hover_text(hint).clicked() {
            wanted.push(RecordingAction::SetPart(part).into());
        }
    }
    let (new_from, new_to) = (from_edited.unwrap_or(from), to_edited.unwrap_or(to));
    // The range of the timeline puts its other end right if the ends cross.
    let is_whole = new_from < new_to;
    let ends = [(RangeEnd::From, new_from, from_edited), (RangeEnd::To, new_to, to_edited)];
    for (end, step, edited) in ends {
        if edited.is_some() || (is_whole && (from_edited.is_some() || to_edited.is_some())) {
            wanted.push(TimelineAction::SetRange(end, step).into());
        }
    }
    if from_edited.is_some() || to_edited.is_some() {
        wanted.push(RecordingAction::SetPart(VideoPart::Range).into());
    }
}

/// Draws the time of an end of the part, in simulated seconds. Returns the step that the user enters.
fn part_end(ui: &mut Ui, lab: &Lab, name: &str, step: u64, most: u64) -> Option<u64> {
    let dt_s = lab.run.host.simulation().time().dt_s;
    let mut time_s = step as f64 * dt_s;
    let (present, most_s) = (time_s, most as f64 * dt_s);
    ui.weak(name);
    // A part of an earlier branch can end later; showing it must not change it.
    let field = DragValue::new(&mut time_s).range(0.0..=most_s).clamp_existing_to_range(false);
    let field = field.speed(dt_s).max_decimals(3).suffix(" s");
    let field = quantity_field(ui, field, "s", Some(present));
    field.ctx.accesskit_node_builder(field.id, |node| node.set_label(format!("Part {name}")));
    let hint = format!("Simulated time, from 0 to {most_s:.2} s; a change sets the range of the timeline");
    let has_changed = field.on_hover_text(hint).changed();
    let entered = (time_s / dt_s).round().clamp(0.0, most as f64) as u64;
    (has_changed && entered != step).then_some(entered)
}

/// Returns the simulated time between the ends of two steps: `1.03 s to 11.33 s`.
fn span_text(lab: &Lab, (from, to): (u64, u64)) -> String {
    let dt_s = lab.run.host.simulation().time().dt_s;
    let [from_s, to_s] = [from, to].map(|step| step as f64 * dt_s);
    format!("{from_s:.2} s to {to_s:.2} s")
}

fn labels(ui: &mut Ui, options: &mut RecordingOptions) {
    for (is_shown, name, hint) in [
        (&mut options.title, "title", "Shows the name of the scene"),
        (&mut options.clock, "clock", "Shows the simulated time"),
        (&mut options.seed, "seed", "Shows the seed of the run"),
        (&mut options.values, "metrics", "Shows the values of the metrics"),
        (&mut options.captions, "captions", "Names each change for 3 s, such as Turn rate 0.5 → 0.8 rad/s"),
    ] {
        ui.checkbox(is_shown, name).on_hover_text(hint);
    }
}

fn destination(ui: &mut Ui, lab: &Lab, options: &mut RecordingOptions, wanted: &mut Vec<Action>) {
    let path = output_folder(&lab.run, &lab.shell.settings, &lab.files.places).display().to_string();
    let choose = CommandId::ChooseTheFolderOfRecordings.command();
    if ui.button("Choose…").on_hover_text(choose.tooltip(&lab.shell.keymap)).clicked() {
        wanted.push(Action::File(FileAction::Ask(FileRequest::RecordingFolder)));
    }
    if options.folder.is_some()
        && ui
            .button("↺")
            .on_hover_text(
                "Goes back to the default folder: that of the scene file, or Swarmarium among your documents",
            )
            .clicked()
    {
        options.folder = None;
    }
    ui.scope(|ui| {
        ui.set_max_width(300.0);
        ui.add(Label::new(&path).truncate());
    });
}

fn buttons(ui: &mut Ui, lab: &Lab, wanted: &mut Vec<Action>) {
    let record = if lab.files.recordings.running_s().is_some() { "⏹ Stop recording" } else { "⏺ Start recording" };
    let again = match lab.files.recordings.rerecording() {
        Some(progress) => format!("⏹ Cancel at {:.0} %", 100.0 * progress.done as f64 / progress.steps.max(1) as f64),
        None => {
            let span = lab.video_part().map(|(_, steps)| format!(": {}", span_text(lab, steps)));
            format!("⟲ Re-render without dropped frames{}", span.unwrap_or_default())
        }
    };
    for (text, id) in [
        (record, CommandId::StartOrStopRecording),
        (&again, CommandId::RerenderWithoutDroppedFrames),
        ("Save a picture", CommandId::SaveAPictureOfTheView),
    ] {
        let hint = id.command().tooltip(&lab.shell.keymap);
        if ui.add(Button::new(RichText::new(text))).on_hover_text(hint).clicked() {
            wanted.extend(command_actions::action(id, lab));
        }
    }
}

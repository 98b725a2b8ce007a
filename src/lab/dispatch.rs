//! The one place where the lab does what was asked for.

use std::hash::{BuildHasher as _, RandomState};

use bevy_egui::egui;
use swarmarium_core::edit::Edit;

use super::layout::{Layout, Pane};
use super::parameters::Found;
use super::selection::removals;
use super::{Action, Lab, save};

/// Does what was asked for.
pub fn act(lab: &mut Lab, ctx: &egui::Context, action: Action) {
    match action {
        Action::PlayOrPause => lab.host.clock_mut().paused ^= true,
        Action::Step(steps) => lab.host.clock_mut().step_once(steps),
        Action::Scale(scale) => lab.set_scale(scale),
        Action::Strategy(strategy) => lab.host.clock_mut().strategy = strategy,
        Action::Reset => lab.reset(None),
        Action::ResetWithNewSeed => lab.reset(Some(new_seed())),
        Action::ResetWithSeed(seed) => lab.reset(Some(seed)),
        Action::Revert => lab.revert(),
        Action::RestartAt(point_m) => lab.restart_at(point_m),
        Action::Open(source) => lab.open_source(&source),
        Action::New(template) => lab.open_template(&template),
        Action::Recover(path) => lab.recover(&path),
        Action::Discard(path) => lab.discard(&path),
        Action::OpenFirst(files) => lab.open_first(&files),
        Action::Reload => lab.reload(),
        Action::RestoreChanges => lab.restore_changes(),
        Action::Ask(request) => lab.asked = Some(request),
        Action::SaveScene(path) => lab.save_scene(&path),
        Action::SaveStanding(path) => lab.save_standing(&path),
        Action::SaveRun(path) => lab.report(save::run(lab, &path), &path),
        Action::ExportCsv(path) => lab.export_csv(&path),
        Action::ExportPng(path) => lab.export_png(path),
        Action::SaveController(group, path) => lab.report(save::controller(lab, group, &path), &path),
        Action::LoadController(group, path) => match save::controller_edit(lab, group, &path) {
            Ok(edit) => act(lab, ctx, Action::Edit(edit)),
            Err(error) => lab.tell_error(error),
        },
        Action::Record => lab.record(),
        Action::Recording(options) => lab.settings.recording = options,
        Action::RecordInto(folder) => lab.settings.recording.folder = Some(folder),
        Action::RecordingPanel => lab.recording_panel ^= true,
        Action::TimePanel => lab.time_panel ^= true,
        Action::ViewPanel => lab.view_panel ^= true,
        Action::Picture => lab.take_picture(ctx.pixels_per_point()),
        Action::Screenshot => lab.take_screenshot(),
        Action::Randomise { paths, part } => {
            let edits = lab.randomised(paths, part);
            act(lab, ctx, Action::Edits(edits));
        }
        Action::PutAllBack => {
            let edits = Found::of(lab, "", false).put_back();
            act(lab, ctx, Action::Edits(edits));
        }
        Action::Preset(preset) => lab.preset(&preset),
        Action::FindParameter => {
            lab.settings.panels = true;
            lab.finds += 1;
        }
        Action::PauseWhen(text) => lab.set_pause_when(&text),
        Action::Legend => lab.settings.legend ^= true,
        Action::Edit(edit) => lab.edit(vec![edit]),
        Action::Edits(edits) => lab.edit(edits),
        Action::Undo => lab.undo(),
        Action::Redo => lab.redo(),
        Action::GoToChange(gesture) => lab.go_to_change(gesture),
        Action::CancelRework => lab.cancel_rework(),
        Action::Compare(action) => lab.do_compare(action),
        Action::Select(item) => lab.select(item),
        Action::Choose(items) => lab.choose(items),
        Action::SelectAll => lab.select_all(),
        Action::RemoveSelected => {
            let removals = removals(lab.chosen.iter().copied());
            let can_go = removals.first().is_some_and(|first| lab.host.simulation().check(first).is_ok());
            act(lab, ctx, Action::Edits(removals));
            if can_go {
                lab.select(None);
            }
        }
        Action::Tool(tool) => lab.tool = tool,
        Action::Kit(kit) => lab.kit = kit,
        Action::Snap => lab.kit.snaps ^= true,
        Action::SelectNext { back } => lab.select_next(back),
        Action::Pin(path) => lab.pin(&path),
        Action::Fit => lab.fit(),
        Action::FitSelection => lab.fit_selection(),
        Action::Span(span_m) => lab.show_span(span_m),
        Action::Follow => lab.follow(),
        Action::Pan(by_px) => {
            lab.stay();
            lab.view.camera.pan(by_px);
            lab.fitted = false;
        }
        Action::Zoom { at_px, factor } => {
            let at_px = at_px.unwrap_or(lab.view.camera.screen_px / 2.0);
            lab.view.camera.zoom_at(at_px, factor);
            lab.fitted = false;
        }
        Action::Grid => lab.view.overlays.grid ^= true,
        Action::Metrics => lab.view.overlays.metrics ^= true,
        Action::Trails => lab.toggle_trails(),
        Action::Links => lab.view.overlays.links ^= true,
        // A parameter of the scene, which may be a constant: both say the same.
        Action::Connections => {
            let value = (!lab.view.overlays.connections).to_string();
            act(lab, ctx, Action::Edit(Edit::Set { path: "view.connections".into(), value }));
        }
        Action::Estimates => lab.view.overlays.estimates ^= true,
        Action::Plans => lab.view.overlays.plans ^= true,
        Action::Ids => lab.view.overlays.ids ^= true,
        Action::Velocities => lab.view.overlays.velocities ^= true,
        Action::Overlay(name) => {
            if let Some(is_on) = lab.view.overlays.by_name(name) {
                *is_on ^= true;
            }
        }
        Action::TrailLength(length) => lab.view.trail = length.within_reason(),
        Action::ColorBy(color_by) => lab.view.color_by = color_by,
        Action::Drive => lab.drive(),
        Action::Sensors => lab.view.toggle_sensors(lab.host.simulation().count()),
        Action::Theme(theme) => lab.settings.theme = theme,
        Action::InterfaceScale(scale) => lab.settings.set_interface_scale(scale),
        Action::Vsync => lab.settings.vsync ^= true,
        Action::MaxStepsPerFrame(steps) => lab.settings.max_steps_per_frame = steps.max(1),
        Action::Help => lab.help ^= true,
        Action::Tour => lab.take_tour(),
        Action::EditKeys => lab.edit_keys(),
        Action::Palette => lab.palette ^= true,
        Action::Resolved => lab.resolved ^= true,
        Action::Events => lab.toggle_panel(Pane::Events),
        Action::Changes => lab.toggle_panel(Pane::Changes),
        Action::Close => lab.close(),
        Action::Gallery => lab.toggle_panel(Pane::Gallery),
        Action::Tree => lab.toggle_panel(Pane::Tree),
        Action::Panel(pane) => lab.toggle_panel(pane),
        Action::Panels => lab.settings.panels ^= true,
        Action::RestoreLayout => {
            lab.settings.layout = Layout::default();
            lab.settings.panels = true;
        }
        Action::FullScreen => lab.full_screen ^= true,
        Action::Copy(text) => {
            ctx.copy_text(text);
            lab.say("Copied");
        }
        Action::Quit => lab.quit = true,
    }
}

/// A seed of at most six digits, to be read out and typed in. Its only source is the keys of a new hasher.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}

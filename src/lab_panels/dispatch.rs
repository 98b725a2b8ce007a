//! Execution of actions: the one place where the lab is changed.

pub mod copies;
pub mod presets;
pub mod sweeps;

use std::hash::{BuildHasher as _, RandomState};

use bevy_egui::egui;
use swarmarium_draw::Overlay;
use swarmarium_lab_state::action::{
    Action, FigureAction, FileAction, FileRequest, HistoryAction, PanelAction, ParameterAction, PlotAction,
    RecordingAction, SelectionAction, TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::CommandId;
use swarmarium_lab_state::common::layout::{Layout, Pane};
use swarmarium_lab_state::common::places;
use swarmarium_lab_state::common::settings::Settings;
use swarmarium_lab_state::files::{save, share, standing};
use swarmarium_simulation::edit::Edit;

use crate::parameters::{self, ParameterMatches};
use crate::{palette, tour};

/// Executes an action.
pub fn act(lab: &mut Lab, ctx: &egui::Context, action: Action) {
    match action {
        Action::Edit(edit) => lab.edit(vec![edit]),
        Action::Edits(edits) => lab.edit(edits),
        Action::Time(action) => do_time(lab, action),
        Action::Timeline(action) => do_timeline(lab, ctx, action),
        Action::File(action) => do_file(lab, action),
        Action::Recording(action) => do_recording(lab, ctx, action),
        Action::Figure(action) => do_figure(lab, ctx, action),
        Action::History(action) => do_history(lab, action),
        Action::Parameter(action) => do_parameter(lab, action),
        Action::Plot(action) => do_plot(lab, action),
        Action::Selection(action) => do_selection(lab, action),
        Action::Tool(action) => do_tool(lab, action),
        Action::View(action) => do_view(lab, action),
        Action::Panel(action) => do_panel(lab, action),
        Action::Window(action) => do_window(lab, ctx, action),
        Action::Compare(action) => lab.do_compare(action),
        Action::Sweep(action) => sweeps::act(lab, action),
        Action::Script(action) => lab.do_script(action),
        Action::Part(action) => lab.do_part(action),
        Action::Forecast(action) => lab.do_forecast(action),
    }
}

fn do_time(lab: &mut Lab, action: TimeAction) {
    match action {
        TimeAction::PlayOrPause => lab.run.host.clock_mut().paused ^= true,
        TimeAction::Step(steps) => lab.run.host.clock_mut().step_once(steps),
        // The speed of the window is not part of the run: no undo, jump or reset changes it.
        TimeAction::Scale(scale) => lab.run.host.clock_mut().set_scale(scale),
        TimeAction::Strategy(strategy) => lab.run.host.clock_mut().strategy = strategy,
        TimeAction::Reset => lab.reset(None),
        TimeAction::ResetWithNewSeed => lab.reset(Some(new_seed())),
        TimeAction::ResetWithSeed(seed) => lab.reset(Some(seed)),
        TimeAction::Revert => lab.revert(),
        TimeAction::StartCrowded(edits) => lab.start_crowded(edits),
        TimeAction::RestartAt(point_m) => lab.restart_at(point_m),
        TimeAction::TogglePanel => lab.shell.popups.time ^= true,
        TimeAction::PauseWhen(text) => lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, &text),
    }
}

fn do_timeline(lab: &mut Lab, ctx: &egui::Context, action: TimelineAction) {
    match action {
        TimelineAction::GoTo(moment) => lab.go_to(moment),
        TimelineAction::Scrub(step) => lab.scrub(step),
        TimelineAction::StepBack(steps) => lab.step_back(steps),
        TimelineAction::GoToMark(direction) => lab.go_to_mark(direction),
        TimelineAction::AddBookmark => lab.timeline.add_bookmark(&mut lab.run.host, &mut lab.notices),
        TimelineAction::AskName(item) => lab.timeline.ask_name(&lab.run.host, item),
        TimelineAction::CancelRename(item) => lab.timeline.cancel_rename(&item),
        TimelineAction::Rename(item, name) => {
            lab.timeline.rename_item(&mut lab.run.host, &mut lab.notices, &item, &name);
        }
        TimelineAction::Remove(item) => lab.remove_item(&item),
        TimelineAction::Fork => lab.fork(),
        TimelineAction::Compare(branch) => lab.compare_branch(branch),
        TimelineAction::SetRange(end, step) => lab.timeline.set_range(end, step, lab.run.host.live_end()),
        TimelineAction::ClearRange => (lab.timeline.range, lab.timeline.loops) = (None, false),
        TimelineAction::SetKeyframeBudget(mb) => lab.set_keyframe_budget(mb),
        TimelineAction::Loop => lab.timeline.loops ^= true,
        TimelineAction::ExportClip => lab.export_clip(),
        TimelineAction::AskMoment => lab.shell.popups.palette = Some(palette::MOMENT),
        TimelineAction::FindPanel => lab.shell.popups.find ^= true,
        TimelineAction::Find(condition, seek) => lab.find_moment(&condition, seek),
        TimelineAction::FindAt(condition, seek, offset) => lab.find_moment_at(&condition, seek, offset),
        TimelineAction::SetLead(lead_s) => lab.timeline.lead_s = lead_s,
        TimelineAction::FindAgain(direction) => lab.find_again(direction),
        TimelineAction::AddMetricAndFind(kind, condition, seek) => lab.add_metric_and_find(kind, condition, seek),
        TimelineAction::ShowLanes(source) => lab.plots.show_lanes(source),
        TimelineAction::FoldLanes => lab.plots.lanes_by_group ^= true,
        TimelineAction::CopyLink => lab.copy_link(ctx),
    }
}

fn do_file(lab: &mut Lab, action: FileAction) {
    match action {
        FileAction::Open(source) => lab.open_source(&source),
        FileAction::New(template) => lab.open_template(&template),
        FileAction::Recover(path) => lab.recover(&path),
        FileAction::Discard(path) => lab.files.discard(&mut lab.notices, &path),
        FileAction::OpenFirst(files) => lab.open_first(&files),
        FileAction::Reload => lab.reload(),
        FileAction::Ask(request) => lab.files.request = Some(request),
        FileAction::SaveScene(path) => lab.save_scene(&path),
        FileAction::SaveStanding(path) => standing::save(&lab.run, &mut lab.notices, &path),
        FileAction::Share(path) => {
            match share::save(&lab.run, &lab.view, &lab.edits.shared, lab.shell.settings.theme, &path) {
                Ok(note) => {
                    let note = note.map(|note| format!("\n{note}")).unwrap_or_default();
                    lab.notices.say_saved(&format!("Saved {}{note}", path.display()), &path);
                }
                Err(error) => lab.notices.tell_unsaved(error, FileRequest::Share),
            }
        }
        FileAction::SharePage(path) => lab.share_page(path),
        FileAction::ExportMcap(path) => lab.export_mcap(path),
        FileAction::SaveRun(path) => {
            let saved = save::run(&lab.run, &lab.timeline, &path);
            if saved.is_ok() {
                lab.timeline.saved_revision = Some(lab.run.host.timeline().revision());
            }
            lab.notices.report(saved, &path, FileRequest::SaveRun);
        }
        FileAction::ExportCsv(path) => lab.export_csv(&path),
        FileAction::SaveController(group, path) => {
            let saved = save::controller(&lab.run, group, &path);
            lab.notices.report(saved, &path, FileRequest::SaveController(group));
        }
        FileAction::LoadController(group, path) => match save::controller_edit(&lab.run, group, &path) {
            Ok(edit) => lab.edit(vec![edit]),
            Err(error) => lab.notices.tell_error(error),
        },
    }
}

fn do_recording(lab: &mut Lab, ctx: &egui::Context, action: RecordingAction) {
    match action {
        RecordingAction::Toggle => lab.record(),
        RecordingAction::Rerecord(part) => lab.rerecord(part),
        RecordingAction::SetPart(part) => lab.files.recordings.part = Some(part),
        RecordingAction::SetOptions(options) => lab.shell.settings.recording = options,
        RecordingAction::SetFolder(folder) => lab.shell.settings.recording.folder = Some(folder),
        RecordingAction::TogglePanel => lab.shell.popups.recording ^= true,
        RecordingAction::TakePicture => lab.take_picture(ctx.pixels_per_point()),
        RecordingAction::TakeScreenshot => lab.take_screenshot(),
    }
}

fn do_figure(lab: &mut Lab, ctx: &egui::Context, action: FigureAction) {
    match action {
        FigureAction::TogglePanel => lab.shell.popups.figure ^= true,
        FigureAction::SetOptions(options) => lab.shell.settings.figure = options,
        FigureAction::Copy => lab.copy_figure(ctx),
        FigureAction::Export(content, format, path) => lab.export_figure(content, format, path),
    }
}

fn do_history(lab: &mut Lab, action: HistoryAction) {
    match action {
        HistoryAction::RestoreChanges => lab.restore_changes(),
        HistoryAction::Undo => lab.undo(),
        HistoryAction::Redo => lab.redo(),
        HistoryAction::GoToChange(transaction) => lab.go_to_change(transaction),
        HistoryAction::Cancel => lab.cancel_resimulation(),
    }
}

fn do_parameter(lab: &mut Lab, action: ParameterAction) {
    match action {
        ParameterAction::Randomise { paths, part } => {
            let edits = randomised(lab, paths, part);
            lab.edit(edits);
        }
        ParameterAction::PutAllBack => {
            let edits = ParameterMatches::of(lab, "", false).put_back();
            lab.edit(edits);
        }
        ParameterAction::Preset(preset) => presets::preset(lab, &preset),
        ParameterAction::Find => {
            lab.show_panel(Pane::Parameters);
            lab.shell.finds += 1;
        }
        ParameterAction::RestartOnChange => lab.shell.settings.restart_on_change ^= true,
    }
}

fn do_plot(lab: &mut Lab, action: PlotAction) {
    match action {
        PlotAction::Legend => lab.shell.settings.legend ^= true,
        PlotAction::Arrange(layout) => lab.shell.settings.plots = layout,
        PlotAction::Table => lab.shell.settings.plots.has_table ^= true,
        PlotAction::AddOfRobots(plot) => lab.shell.settings.plots.add_of_robots(plot),
        PlotAction::Pin(path) => lab.plots.pin(&lab.run, &mut lab.notices, &path),
    }
}

fn do_selection(lab: &mut Lab, action: SelectionAction) {
    match action {
        SelectionAction::Select(item) => lab.select(item),
        SelectionAction::Choose(items) => lab.choose(items),
        SelectionAction::SelectAll => lab.select_all(),
        SelectionAction::RemoveSelected => copies::remove_selected(lab),
        SelectionAction::Copy => {
            copies::copy(lab);
        }
        SelectionAction::Cut => {
            if copies::copy(lab) {
                copies::remove_selected(lab);
            }
        }
        SelectionAction::Paste(at_m) => copies::paste(lab, at_m),
        SelectionAction::Duplicate => copies::duplicate(lab),
        SelectionAction::Align(alignment) => copies::align(lab, alignment),
        SelectionAction::SelectNext { back } => lab.select_next(back),
        SelectionAction::Drive => lab.edits.driving.drive(&mut lab.run.host, &lab.view.selection, &mut lab.notices),
    }
}

fn do_tool(lab: &mut Lab, action: ToolAction) {
    match action {
        ToolAction::Take(tool) => lab.edits.toolbox.tool = tool,
        ToolAction::SetUp(options) => lab.edits.toolbox.options = options,
        ToolAction::Snap => lab.edits.toolbox.options.snaps ^= true,
    }
}

fn do_view(lab: &mut Lab, action: ViewAction) {
    match action {
        ViewAction::Fit => lab.view.fit(&lab.run.host),
        ViewAction::FitSelection => lab.view.fit_selection(&lab.run.host, &mut lab.notices),
        ViewAction::Span(span_m) => lab.view.show_span(span_m),
        ViewAction::Follow => lab.view.follow(&lab.run.host, &mut lab.notices),
        ViewAction::Pan(by_px) => {
            lab.view.stay();
            lab.view.current.camera.pan(by_px);
            lab.view.is_fitted = false;
        }
        ViewAction::Zoom { at_px, factor } => {
            let at_px = at_px.unwrap_or(lab.view.current.camera.screen_px / 2.0);
            lab.view.current.camera.zoom_at(at_px, factor);
            lab.view.is_fitted = false;
        }
        ViewAction::MarkLegend => lab.shell.settings.mark_legend ^= true,
        ViewAction::Trails => lab.view.toggle_trails(&lab.run.host),
        // A parameter of the scene may be a constant; both have the same value.
        // In the past, the parameter cannot change: only the overlay is toggled.
        ViewAction::Connections if lab.run.host.is_in_past() => lab.view.current.overlays.toggle(Overlay::Connections),
        ViewAction::Connections => {
            let value = (!lab.view.current.overlays.shows(Overlay::Connections)).to_string();
            lab.edit(vec![Edit::Set { path: "view.connections".into(), value }]);
        }
        ViewAction::Overlay(overlay) => lab.view.current.overlays.toggle(overlay),
        ViewAction::TrailLength(length) => lab.view.current.trail = length.within_reason(),
        ViewAction::ColorBy(color_by) => lab.view.current.color_by = color_by,
        ViewAction::Sensors => lab.view.current.toggle_sensors(lab.run.host.simulation().count()),
    }
}

fn do_panel(lab: &mut Lab, action: PanelAction) {
    match action {
        PanelAction::Help => lab.shell.popups.help ^= true,
        PanelAction::Tour => tour::take_tour(lab),
        PanelAction::TourStep(step) => tour::begin_step(lab, step),
        PanelAction::Palette => lab.shell.popups.palette = lab.shell.popups.palette.xor(Some("")),
        PanelAction::Resolved => lab.shell.popups.resolved ^= true,
        PanelAction::Unsaved => lab.shell.popups.unsaved ^= true,
        PanelAction::Close => lab.close(),
        PanelAction::Toggle(pane) => lab.toggle_panel(pane),
        PanelAction::ToggleAll => {
            lab.shell.settings.panels ^= true;
            if !lab.shell.settings.panels {
                let keys = lab.shell.keymap.first_of(CommandId::HideOrShowPanels);
                let keys = if keys.is_empty() { "Esc".into() } else { format!("{keys} or Esc") };
                lab.notices.say(&format!("The interface is hidden. {keys} shows it again"));
            }
        }
        PanelAction::ResetLayout => {
            lab.shell.settings.layout = Layout::default();
            lab.shell.settings.panels = true;
        }
    }
}

fn do_window(lab: &mut Lab, ctx: &egui::Context, action: WindowAction) {
    match action {
        WindowAction::Theme(theme) => lab.shell.settings.theme = theme,
        WindowAction::InterfaceScale(scale) => lab.shell.settings.set_interface_scale(scale),
        WindowAction::Vsync => lab.shell.settings.vsync ^= true,
        WindowAction::MaxStepsPerFrame(steps) => lab.shell.settings.max_steps_per_frame = steps.max(1),
        WindowAction::EditKeys => lab.shell.edit_keys(&lab.files.places, &mut lab.notices),
        WindowAction::FullScreen => lab.shell.full_screen ^= true,
        WindowAction::Copy(text) => {
            ctx.copy_text(text);
            lab.notices.say("Copied");
        }
        WindowAction::OpenFolder(folder) => {
            let opened = places::open_folder(&folder);
            lab.notices.tell(opened);
        }
        WindowAction::CancelProgress => {
            if !lab.cancel_progress() {
                lab.files.recordings.cancel();
            }
        }
        WindowAction::CloseNotice(id) => lab.notices.close(id),
        WindowAction::ClearMessages => lab.notices.clear_history(),
        WindowAction::Quit => lab.shell.quit = true,
    }
}

/// Returns a random seed of at most six digits, short enough to read out and type. The random keys of a new hasher are
/// its only source.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}

/// Returns edits that randomise numbers: those at some paths, or all numbers of groups that take effect at once.
fn randomised(lab: &mut Lab, mut paths: Vec<String>, part: f64) -> Vec<Edit> {
    if paths.is_empty() {
        paths = ParameterMatches::of(lab, "", false).numbers;
    }
    let Settings { dice_seed, throws, .. } = lab.shell.settings;
    lab.shell.settings.throws = throws.wrapping_add(1);
    parameters::randomise::edits(lab, &paths, part, dice_seed, throws)
}

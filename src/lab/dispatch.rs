//! Execution of actions: the one place where the lab is changed.

use std::hash::{BuildHasher as _, RandomState};

use bevy_egui::egui;
use swarmarium_core::draw::Overlay;
use swarmarium_core::edit::Edit;

use super::action::{
    FigureAction, FileAction, HistoryAction, PanelAction, ParameterAction, PlotAction, RecordingAction,
    SelectionAction, TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
};
use super::layout::{Layout, Pane};
use super::parameters::ParameterMatches;
use super::{Action, Lab, palette, places, save, share};

/// Executes an action.
pub fn act(lab: &mut Lab, ctx: &egui::Context, action: Action) {
    match action {
        Action::Edit(edit) => lab.edit(vec![edit]),
        Action::Edits(edits) => lab.edit(edits),
        Action::Time(action) => action.act(lab),
        Action::Timeline(action) => action.act(lab, ctx),
        Action::File(action) => action.act(lab),
        Action::Recording(action) => action.act(lab, ctx),
        Action::Figure(action) => action.act(lab, ctx),
        Action::History(action) => action.act(lab),
        Action::Parameter(action) => action.act(lab),
        Action::Plot(action) => action.act(lab),
        Action::Selection(action) => action.act(lab),
        Action::Tool(action) => action.act(lab),
        Action::View(action) => action.act(lab),
        Action::Panel(action) => action.act(lab),
        Action::Window(action) => action.act(lab, ctx),
        Action::Compare(action) => lab.do_compare(action),
        Action::Sweep(action) => action.act(lab),
    }
}

impl TimeAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::PlayOrPause => lab.host.clock_mut().paused ^= true,
            Self::Step(steps) => lab.host.clock_mut().step_once(steps),
            Self::Scale(scale) => lab.set_scale(scale),
            Self::Strategy(strategy) => lab.host.clock_mut().strategy = strategy,
            Self::Reset => lab.reset(None),
            Self::ResetWithNewSeed => lab.reset(Some(new_seed())),
            Self::ResetWithSeed(seed) => lab.reset(Some(seed)),
            Self::Revert => lab.revert(),
            Self::RestartAt(point_m) => lab.restart_at(point_m),
            Self::TogglePanel => lab.popups.time ^= true,
            Self::PauseWhen(text) => lab.set_pause_when(&text),
        }
    }
}

impl TimelineAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::GoTo(moment) => lab.go_to(moment),
            Self::Scrub(step) => lab.scrub(step),
            Self::StepBack(steps) => lab.step_back(steps),
            Self::GoToMark(direction) => lab.go_to_mark(direction),
            Self::AddBookmark => lab.add_bookmark(),
            Self::AskName(item) => lab.ask_name(item),
            Self::Rename(item, name) => lab.rename_item(&item, &name),
            Self::Remove(item) => lab.remove_item(&item),
            Self::Fork => lab.fork(),
            Self::Compare(branch) => lab.compare_branch(branch),
            Self::SetRange(end, step) => lab.timeline.set_range(end, step, lab.host.live_end()),
            Self::ClearRange => (lab.timeline.range, lab.timeline.loops) = (None, false),
            Self::SetKeyframeBudget(mb) => lab.set_keyframe_budget(mb),
            Self::Loop => lab.timeline.loops ^= true,
            Self::ExportClip => lab.export_clip(),
            Self::AskMoment => lab.popups.palette = Some(palette::MOMENT),
            Self::FindPanel => lab.popups.find ^= true,
            Self::Find(condition, direction) => lab.find_moment(condition, direction),
            Self::CopyLink => lab.copy_link(ctx),
        }
    }
}

impl FileAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Open(source) => lab.open_source(&source),
            Self::New(template) => lab.open_template(&template),
            Self::Recover(path) => lab.recover(&path),
            Self::Discard(path) => lab.discard(&path),
            Self::OpenFirst(files) => lab.open_first(&files),
            Self::Reload => lab.reload(),
            Self::Ask(request) => lab.file_request = Some(request),
            Self::SaveScene(path) => lab.save_scene(&path),
            Self::SaveStanding(path) => lab.save_standing(&path),
            Self::Share(path) => match share::save(lab, &path) {
                Ok(note) => {
                    let note = note.map(|note| format!("\n{note}")).unwrap_or_default();
                    lab.say_saved(&format!("Saved {}{note}", path.display()), &path);
                }
                Err(error) => lab.tell_error(error),
            },
            Self::SaveRun(path) => {
                let saved = save::run(lab, &path);
                if saved.is_ok() {
                    lab.timeline.saved_revision = Some(lab.host.timeline().revision());
                }
                lab.report(saved, &path);
            }
            Self::ExportCsv(path) => lab.export_csv(&path),
            Self::SaveController(group, path) => lab.report(save::controller(lab, group, &path), &path),
            Self::LoadController(group, path) => match save::controller_edit(lab, group, &path) {
                Ok(edit) => lab.edit(vec![edit]),
                Err(error) => lab.tell_error(error),
            },
        }
    }
}

impl RecordingAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::Toggle => lab.record(),
            Self::Rerecord => lab.rerecord(),
            Self::SetOptions(options) => lab.settings.recording = options,
            Self::SetFolder(folder) => lab.settings.recording.folder = Some(folder),
            Self::TogglePanel => lab.popups.recording ^= true,
            Self::TakePicture => lab.take_picture(ctx.pixels_per_point()),
            Self::TakeScreenshot => lab.take_screenshot(),
        }
    }
}

impl FigureAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::TogglePanel => lab.popups.figure ^= true,
            Self::SetOptions(options) => lab.settings.figure = options,
            Self::Copy => lab.copy_figure(ctx),
            Self::Export(content, format, path) => lab.export_figure(content, format, path),
        }
    }
}

impl HistoryAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::RestoreChanges => lab.restore_changes(),
            Self::Undo => lab.undo(),
            Self::Redo => lab.redo(),
            Self::GoToChange(transaction) => lab.go_to_change(transaction),
            Self::Cancel => lab.cancel_rework(),
        }
    }
}

impl ParameterAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Randomise { paths, part } => {
                let edits = lab.randomised(paths, part);
                lab.edit(edits);
            }
            Self::PutAllBack => {
                let edits = ParameterMatches::of(lab, "", false).put_back();
                lab.edit(edits);
            }
            Self::Preset(preset) => lab.preset(&preset),
            Self::Find => {
                lab.show_panel(Pane::Parameters);
                lab.finds += 1;
            }
            Self::RestartOnChange => lab.settings.restart_on_change ^= true,
        }
    }
}

impl PlotAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Legend => lab.settings.legend ^= true,
            Self::Pin(path) => lab.pin(&path),
        }
    }
}

impl SelectionAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Select(item) => lab.select(item),
            Self::Choose(items) => lab.choose(items),
            Self::SelectAll => lab.select_all(),
            Self::RemoveSelected => lab.remove_selected(),
            Self::Copy => {
                lab.copy();
            }
            Self::Cut => {
                if lab.copy() {
                    lab.remove_selected();
                }
            }
            Self::Paste(at_m) => lab.paste(at_m),
            Self::Duplicate => lab.duplicate(),
            Self::Align(alignment) => lab.align(alignment),
            Self::SelectNext { back } => lab.select_next(back),
            Self::Drive => lab.drive(),
        }
    }
}

impl ToolAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Take(tool) => lab.toolbox.tool = tool,
            Self::SetUp(options) => lab.toolbox.options = options,
            Self::Snap => lab.toolbox.options.snaps ^= true,
        }
    }
}

impl ViewAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Fit => lab.fit(),
            Self::FitSelection => lab.fit_selection(),
            Self::Span(span_m) => lab.show_span(span_m),
            Self::Follow => lab.follow(),
            Self::Pan(by_px) => {
                lab.stay();
                lab.viewport.view.camera.pan(by_px);
                lab.viewport.is_fitted = false;
            }
            Self::Zoom { at_px, factor } => {
                let at_px = at_px.unwrap_or(lab.viewport.view.camera.screen_px / 2.0);
                lab.viewport.view.camera.zoom_at(at_px, factor);
                lab.viewport.is_fitted = false;
            }
            Self::Trails => lab.toggle_trails(),
            // A parameter of the scene may be a constant; both have the same value.
            // In the past, the parameter cannot change: only the overlay is toggled.
            Self::Connections if lab.host.is_in_past() => lab.viewport.view.overlays.toggle(Overlay::Connections),
            Self::Connections => {
                let value = (!lab.viewport.view.overlays.shows(Overlay::Connections)).to_string();
                lab.edit(vec![Edit::Set { path: "view.connections".into(), value }]);
            }
            Self::Overlay(overlay) => lab.viewport.view.overlays.toggle(overlay),
            Self::TrailLength(length) => lab.viewport.view.trail = length.within_reason(),
            Self::ColorBy(color_by) => lab.viewport.view.color_by = color_by,
            Self::Sensors => lab.viewport.view.toggle_sensors(lab.host.simulation().count()),
        }
    }
}

impl PanelAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Help => lab.popups.help ^= true,
            Self::Tour => lab.take_tour(),
            Self::Palette => lab.popups.palette = lab.popups.palette.xor(Some("")),
            Self::Resolved => lab.popups.resolved ^= true,
            Self::Close => lab.close(),
            Self::Toggle(pane) => lab.toggle_panel(pane),
            Self::ToggleAll => lab.settings.panels ^= true,
            Self::RestoreLayout => {
                lab.settings.layout = Layout::default();
                lab.settings.panels = true;
            }
        }
    }
}

impl WindowAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::Theme(theme) => lab.settings.theme = theme,
            Self::InterfaceScale(scale) => lab.settings.set_interface_scale(scale),
            Self::Vsync => lab.settings.vsync ^= true,
            Self::MaxStepsPerFrame(steps) => lab.settings.max_steps_per_frame = steps.max(1),
            Self::EditKeys => lab.edit_keys(),
            Self::FullScreen => lab.full_screen ^= true,
            Self::Copy(text) => {
                ctx.copy_text(text);
                lab.say("Copied");
            }
            Self::OpenFolder(folder) => {
                let opened = places::open_folder(&folder);
                lab.tell(opened);
            }
            Self::Quit => lab.quit = true,
        }
    }
}

/// Returns a random seed of at most six digits, short enough to read out and type. The random keys of a new hasher are
/// its only source.
fn new_seed() -> u64 {
    RandomState::new().hash_one(0) % 1_000_000
}

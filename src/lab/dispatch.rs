//! Execution of actions: the one place where the lab is changed.

pub mod copies;
pub mod presets;
pub mod sweeps;

use std::hash::{BuildHasher as _, RandomState};

use bevy_egui::egui;
use swarmarium_draw::Overlay;
use swarmarium_simulation::edit::Edit;

use crate::action::{
    Action, FigureAction, FileAction, HistoryAction, PanelAction, ParameterAction, PlotAction, RecordingAction,
    SelectionAction, TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
};
use crate::app::Lab;
use crate::common::layout::{Layout, Pane};
use crate::common::places;
use crate::common::settings::Settings;
use crate::files::{save, share, standing};
use crate::panels::parameters::{self, ParameterMatches};
use crate::panels::{palette, tour};

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
            Self::PlayOrPause => lab.run.host.clock_mut().paused ^= true,
            Self::Step(steps) => lab.run.host.clock_mut().step_once(steps),
            Self::Scale(scale) => lab.set_scale(scale),
            Self::Strategy(strategy) => lab.run.host.clock_mut().strategy = strategy,
            Self::Reset => lab.reset(None),
            Self::ResetWithNewSeed => lab.reset(Some(new_seed())),
            Self::ResetWithSeed(seed) => lab.reset(Some(seed)),
            Self::Revert => lab.revert(),
            Self::RestartAt(point_m) => lab.restart_at(point_m),
            Self::TogglePanel => lab.shell.popups.time ^= true,
            Self::PauseWhen(text) => lab.plots.set_pause_when(&lab.run.host, &mut lab.notices, &text),
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
            Self::AddBookmark => lab.timeline.add_bookmark(&mut lab.run.host, &mut lab.notices),
            Self::AskName(item) => lab.timeline.ask_name(&lab.run.host, item),
            Self::Rename(item, name) => lab.timeline.rename_item(&mut lab.run.host, &mut lab.notices, &item, &name),
            Self::Remove(item) => lab.remove_item(&item),
            Self::Fork => lab.fork(),
            Self::Compare(branch) => lab.compare_branch(branch),
            Self::SetRange(end, step) => lab.timeline.set_range(end, step, lab.run.host.live_end()),
            Self::ClearRange => (lab.timeline.range, lab.timeline.loops) = (None, false),
            Self::SetKeyframeBudget(mb) => lab.set_keyframe_budget(mb),
            Self::Loop => lab.timeline.loops ^= true,
            Self::ExportClip => lab.export_clip(),
            Self::AskMoment => lab.shell.popups.palette = Some(palette::MOMENT),
            Self::FindPanel => lab.shell.popups.find ^= true,
            Self::Find(condition, direction) => {
                lab.timeline.find_moment(&mut lab.run.host, &lab.plots, &mut lab.notices, condition, direction);
            }
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
            Self::Discard(path) => lab.files.discard(&mut lab.notices, &path),
            Self::OpenFirst(files) => lab.open_first(&files),
            Self::Reload => lab.reload(),
            Self::Ask(request) => lab.files.request = Some(request),
            Self::SaveScene(path) => lab.save_scene(&path),
            Self::SaveStanding(path) => standing::save(&lab.run, &mut lab.notices, &path),
            Self::Share(path) => {
                match share::save(&lab.run, &lab.view, &lab.edits.shared, lab.shell.settings.theme, &path) {
                    Ok(note) => {
                        let note = note.map(|note| format!("\n{note}")).unwrap_or_default();
                        lab.notices.say_saved(&format!("Saved {}{note}", path.display()), &path);
                    }
                    Err(error) => lab.notices.tell_error(error),
                }
            }
            Self::SaveRun(path) => {
                let saved = save::run(&lab.run, &lab.timeline, &path);
                if saved.is_ok() {
                    lab.timeline.saved_revision = Some(lab.run.host.timeline().revision());
                }
                lab.notices.report(saved, &path);
            }
            Self::ExportCsv(path) => lab.export_csv(&path),
            Self::SaveController(group, path) => lab.notices.report(save::controller(&lab.run, group, &path), &path),
            Self::LoadController(group, path) => match save::controller_edit(&lab.run, group, &path) {
                Ok(edit) => lab.edit(vec![edit]),
                Err(error) => lab.notices.tell_error(error),
            },
        }
    }
}

impl RecordingAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::Toggle => lab.record(),
            Self::Rerecord => lab.rerecord(),
            Self::SetOptions(options) => lab.shell.settings.recording = options,
            Self::SetFolder(folder) => lab.shell.settings.recording.folder = Some(folder),
            Self::TogglePanel => lab.shell.popups.recording ^= true,
            Self::TakePicture => lab.take_picture(ctx.pixels_per_point()),
            Self::TakeScreenshot => lab.take_screenshot(),
        }
    }
}

impl FigureAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::TogglePanel => lab.shell.popups.figure ^= true,
            Self::SetOptions(options) => lab.shell.settings.figure = options,
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
                let edits = randomised(lab, paths, part);
                lab.edit(edits);
            }
            Self::PutAllBack => {
                let edits = ParameterMatches::of(lab, "", false).put_back();
                lab.edit(edits);
            }
            Self::Preset(preset) => presets::preset(lab, &preset),
            Self::Find => {
                lab.show_panel(Pane::Parameters);
                lab.shell.finds += 1;
            }
            Self::RestartOnChange => lab.shell.settings.restart_on_change ^= true,
        }
    }
}

impl PlotAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Legend => lab.shell.settings.legend ^= true,
            Self::Pin(path) => lab.plots.pin(&lab.run, &mut lab.notices, &path),
        }
    }
}

impl SelectionAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Select(item) => lab.select(item),
            Self::Choose(items) => lab.choose(items),
            Self::SelectAll => lab.select_all(),
            Self::RemoveSelected => copies::remove_selected(lab),
            Self::Copy => {
                copies::copy(lab);
            }
            Self::Cut => {
                if copies::copy(lab) {
                    copies::remove_selected(lab);
                }
            }
            Self::Paste(at_m) => copies::paste(lab, at_m),
            Self::Duplicate => copies::duplicate(lab),
            Self::Align(alignment) => copies::align(lab, alignment),
            Self::SelectNext { back } => lab.select_next(back),
            Self::Drive => lab.edits.driving.drive(&mut lab.run.host, &lab.view.selection, &mut lab.notices),
        }
    }
}

impl ToolAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Take(tool) => lab.edits.toolbox.tool = tool,
            Self::SetUp(options) => lab.edits.toolbox.options = options,
            Self::Snap => lab.edits.toolbox.options.snaps ^= true,
        }
    }
}

impl ViewAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Fit => lab.view.fit(&lab.run.host),
            Self::FitSelection => lab.view.fit_selection(&lab.run.host, &mut lab.notices),
            Self::Span(span_m) => lab.view.show_span(span_m),
            Self::Follow => lab.view.follow(&lab.run.host, &mut lab.notices),
            Self::Pan(by_px) => {
                lab.view.stay();
                lab.view.current.camera.pan(by_px);
                lab.view.is_fitted = false;
            }
            Self::Zoom { at_px, factor } => {
                let at_px = at_px.unwrap_or(lab.view.current.camera.screen_px / 2.0);
                lab.view.current.camera.zoom_at(at_px, factor);
                lab.view.is_fitted = false;
            }
            Self::Trails => lab.view.toggle_trails(&lab.run.host),
            // A parameter of the scene may be a constant; both have the same value.
            // In the past, the parameter cannot change: only the overlay is toggled.
            Self::Connections if lab.run.host.is_in_past() => lab.view.current.overlays.toggle(Overlay::Connections),
            Self::Connections => {
                let value = (!lab.view.current.overlays.shows(Overlay::Connections)).to_string();
                lab.edit(vec![Edit::Set { path: "view.connections".into(), value }]);
            }
            Self::Overlay(overlay) => lab.view.current.overlays.toggle(overlay),
            Self::TrailLength(length) => lab.view.current.trail = length.within_reason(),
            Self::ColorBy(color_by) => lab.view.current.color_by = color_by,
            Self::Sensors => lab.view.current.toggle_sensors(lab.run.host.simulation().count()),
        }
    }
}

impl PanelAction {
    fn act(self, lab: &mut Lab) {
        match self {
            Self::Help => lab.shell.popups.help ^= true,
            Self::Tour => tour::take_tour(lab),
            Self::Palette => lab.shell.popups.palette = lab.shell.popups.palette.xor(Some("")),
            Self::Resolved => lab.shell.popups.resolved ^= true,
            Self::Close => lab.close(),
            Self::Toggle(pane) => lab.toggle_panel(pane),
            Self::ToggleAll => lab.shell.settings.panels ^= true,
            Self::RestoreLayout => {
                lab.shell.settings.layout = Layout::default();
                lab.shell.settings.panels = true;
            }
        }
    }
}

impl WindowAction {
    fn act(self, lab: &mut Lab, ctx: &egui::Context) {
        match self {
            Self::Theme(theme) => lab.shell.settings.theme = theme,
            Self::InterfaceScale(scale) => lab.shell.settings.set_interface_scale(scale),
            Self::Vsync => lab.shell.settings.vsync ^= true,
            Self::MaxStepsPerFrame(steps) => lab.shell.settings.max_steps_per_frame = steps.max(1),
            Self::EditKeys => lab.shell.edit_keys(&lab.files.places, &mut lab.notices),
            Self::FullScreen => lab.shell.full_screen ^= true,
            Self::Copy(text) => {
                ctx.copy_text(text);
                lab.notices.say("Copied");
            }
            Self::OpenFolder(folder) => {
                let opened = places::open_folder(&folder);
                lab.notices.tell(opened);
            }
            Self::CancelProgress => {
                if !lab.cancel_progress() {
                    lab.files.recordings.cancel_rerecording();
                }
            }
            Self::CloseNotice(id) => lab.notices.close(id),
            Self::Quit => lab.shell.quit = true,
        }
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

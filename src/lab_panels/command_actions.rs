//! The actions of the commands, and whether a command is on.

use bevy::math::DVec2;
use swarmarium_core::time::Strategy;
use swarmarium_draw::Overlay;
use swarmarium_formats::templates;
use swarmarium_host::clock::UNLIMITED;
use swarmarium_host::clock::host::Direction;
use swarmarium_host::timeline::Moment;
use swarmarium_lab_state::action::{
    Action, Alignment, CompareAction, FigureAction, FileAction, FileRequest, ForecastAction, GoesTo, HistoryAction,
    PanelAction, ParameterAction, PartAction, PlotAction, RangeEnd, RecordingAction, ScriptAction, SelectionAction,
    SweepAction, SweepFormat, TimeAction, TimelineAction, ToolAction, ViewAction, WindowAction,
};
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::command::{Command, CommandId};
use swarmarium_lab_state::common::faults;
use swarmarium_lab_state::common::lane_source::LaneSource;
use swarmarium_lab_state::common::layout::Pane;
use swarmarium_lab_state::common::selection::{Item, removals};
use swarmarium_lab_state::common::settings::{
    ANY_STEPS, FigureContent, FigureFormat, FigureOptions, RecordingOptions, RobotPlot, USUAL_KEYFRAMES_MB,
};
use swarmarium_lab_state::common::toolbox::{Tool, ToolOptions};
use swarmarium_lab_state::edit::parts;
use swarmarium_picture::palette::Theme;

/// The zoom factor of one step, for the view and the interface.
const ZOOM: f64 = 1.25;

const LARGER: f32 = 1.1;

/// The movement of the world by one command, in points.
const PAN_PX: f64 = 80.0;

fn pan(x: f64, y: f64) -> ViewAction {
    ViewAction::Pan(DVec2::new(x, y) * PAN_PX)
}

/// Returns the action that halves a time scale.
fn slower(scale: f64) -> TimeAction {
    // Half of unlimited is unlimited: use the last stop of the slider instead.
    TimeAction::Scale(if scale >= UNLIMITED { 1000.0 } else { scale / 2.0 })
}

/// Returns an action on a comparison, while there is one.
fn of_other(lab: &Lab, action: CompareAction) -> Option<Action> {
    lab.compare.other.is_some().then_some(Action::Compare(action))
}

/// Returns the request for a file of the sweep, while there is one.
fn of_sweep(lab: &Lab, request: FileRequest) -> Option<Action> {
    lab.sweep.worker.as_ref().map(|_| FileAction::Ask(request).into())
}

/// Returns the request for the file of a figure.
fn figure(content: FigureContent, format: FigureFormat) -> FileAction {
    FileAction::Ask(FileRequest::ExportFigure(content, format))
}

fn zoom(factor: f64) -> ViewAction {
    ViewAction::Zoom { at_px: None, factor }
}

/// Returns the jump to a step of the present branch.
fn seek(lab: &Lab, step: u64) -> TimelineAction {
    TimelineAction::GoTo(Moment { step, ..lab.run.host.moment() })
}

/// Returns the action that opens the catalogue for a list.
fn choose(list: &str) -> Action {
    PartAction::Open(list.into()).into()
}

/// Returns the group of the selection, or the first one, by its place in the scene; `None` without groups.
fn present_group(lab: &Lab) -> Option<usize> {
    let simulation = lab.run.host.simulation();
    let selected = lab.view.selection.item.and_then(|item| match item {
        Item::Group(place) | Item::Spawner(place) => Some(place),
        Item::Agent(number) => Some(simulation.agent(number)?.member.group as usize),
        _ => None,
    });
    let count = simulation.scene_ahead().groups.len();
    selected.filter(|place| *place < count).or((count > 0).then_some(0))
}

/// Returns the action that opens the catalogue for a part of the present group.
fn choose_for_group(lab: &Lab, part: &str) -> Option<Action> {
    let place = present_group(lab)?;
    Some(choose(format!("groups.{place}.{part}").trim_end_matches('.')))
}

/// Returns the action that gives the present group an optional part; `None` if it has one.
fn add_to_group(lab: &Lab, part: &str) -> Option<Action> {
    let place = present_group(lab)?;
    let group = lab.run.host.simulation().scene_ahead().groups.get(place)?;
    let is_absent = match part {
        "radio" => group.radio.is_none(),
        "gripper" => group.gripper.is_none(),
        "emitter" => group.emitter.is_none(),
        _ => group.leds.is_none(),
    };
    let value = parts::first_value(part).into();
    is_absent.then(|| PartAction::Add { path: format!("groups.{place}.{part}"), value }.into())
}

/// Returns the action of a command; `None` if the command is not available.
pub fn action(id: CommandId, lab: &Lab) -> Option<Action> {
    match id {
        CommandId::PlayOrPause => Some(Action::from(TimeAction::PlayOrPause)),
        CommandId::Step => Some(Action::from(TimeAction::Step(1))),
        CommandId::TenSteps => Some(Action::from(TimeAction::Step(10))),
        CommandId::StepBack => Some(Action::from(TimelineAction::StepBack(1))),
        CommandId::TenStepsBack => Some(Action::from(TimelineAction::StepBack(10))),
        CommandId::GoToTheStart => Some(Action::from(seek(lab, 0))),
        CommandId::GoToTheLiveEnd => Some(Action::from(seek(lab, lab.run.host.live_end()))),
        CommandId::PreviousMark => Some(Action::from(TimelineAction::GoToMark(Direction::Back))),
        CommandId::NextMark => Some(Action::from(TimelineAction::GoToMark(Direction::Forward))),
        CommandId::PreviousMoment => Some(Action::from(TimelineAction::FindAgain(Direction::Back))),
        CommandId::NextMoment => Some(Action::from(TimelineAction::FindAgain(Direction::Forward))),
        CommandId::FindAMoment => Some(Action::from(TimelineAction::FindPanel)),
        CommandId::ShowOrHideTheStateLanes => {
            let source = lab.plots.lane_source.is_none().then_some(LaneSource::State);
            Some(Action::from(TimelineAction::ShowLanes(source)))
        }
        CommandId::FoldTheLanesByGroup => Some(Action::from(TimelineAction::FoldLanes)),
        CommandId::GoToATimeOrStep => Some(Action::from(TimelineAction::AskMoment)),
        CommandId::BeginTheRangeHere => {
            Some(Action::from(TimelineAction::SetRange(RangeEnd::From, lab.run.host.moment().step)))
        }
        CommandId::EndTheRangeHere => {
            Some(Action::from(TimelineAction::SetRange(RangeEnd::To, lab.run.host.moment().step)))
        }
        CommandId::LoopTheRange => lab.timeline.range.map(|_| TimelineAction::Loop.into()),
        CommandId::ForgetTheRange => lab.timeline.range.map(|_| TimelineAction::ClearRange.into()),
        CommandId::DefaultKeyframeMemory => Some(Action::from(TimelineAction::SetKeyframeBudget(USUAL_KEYFRAMES_MB))),
        CommandId::ExportTheClip => Some(Action::from(TimelineAction::ExportClip)),
        CommandId::BeginABranchHere => Some(Action::from(TimelineAction::Fork)),
        CommandId::AddABookmark => Some(Action::from(TimelineAction::AddBookmark)),
        CommandId::CopyALinkToThisMoment => Some(Action::from(TimelineAction::CopyLink)),
        CommandId::Slower => Some(Action::from(slower(lab.run.host.clock().scale()))),
        CommandId::Faster => Some(Action::from(TimeAction::Scale(lab.run.host.clock().scale() * 2.0))),
        CommandId::RealTime => Some(Action::from(TimeAction::Scale(1.0))),
        CommandId::UnlimitedSpeed => Some(Action::from(TimeAction::Scale(UNLIMITED))),
        CommandId::BestEffort => Some(Action::from(TimeAction::Strategy(Strategy::BestEffort))),
        CommandId::FixedStep => Some(Action::from(TimeAction::Strategy(Strategy::FixedStep))),
        CommandId::TimeAndStatistics => Some(Action::from(TimeAction::TogglePanel)),
        CommandId::Reset => Some(Action::from(TimeAction::Reset)),
        CommandId::ResetWithNewSeed => Some(Action::from(TimeAction::ResetWithNewSeed)),
        CommandId::RestartAtTheCentreOfTheView => {
            Some(Action::from(TimeAction::RestartAt(lab.view.current.camera.center_m)))
        }
        CommandId::RestartWithoutChanges => Some(Action::from(TimeAction::Revert)),
        CommandId::RestartOnChange => Some(Action::from(ParameterAction::RestartOnChange)),
        CommandId::RemoveThePauseCondition => Some(Action::from(TimeAction::PauseWhen(String::new()))),
        CommandId::ShowOrHideTheLegend => Some(Action::from(PlotAction::Legend)),
        CommandId::ShowOrHideTheTableOfValues => Some(Action::from(PlotAction::Table)),
        CommandId::PlotADistribution => Some(Action::from(PlotAction::AddOfRobots(RobotPlot::distribution()))),
        CommandId::PlotAScatter => Some(Action::from(PlotAction::AddOfRobots(RobotPlot::scatter()))),
        CommandId::Undo => Some(Action::from(HistoryAction::Undo)),
        CommandId::Redo => Some(Action::from(HistoryAction::Redo)),
        CommandId::UndoAllChanges => Some(Action::from(HistoryAction::GoToChange(0))),
        CommandId::CancelUndoing => Some(Action::from(HistoryAction::Cancel)),
        CommandId::Cut => Some(Action::from(SelectionAction::Cut)),
        CommandId::Copy => Some(Action::from(SelectionAction::Copy)),
        CommandId::Paste => Some(Action::from(SelectionAction::Paste(lab.view.cursor_m))),
        CommandId::Duplicate => Some(Action::from(SelectionAction::Duplicate)),
        CommandId::RemoveTheSelection => Some(Action::from(SelectionAction::RemoveSelected)),
        CommandId::SelectAllRobots => Some(Action::from(SelectionAction::SelectAll)),
        CommandId::SelectAllObjects => Some(Action::from(SelectionAction::Choose(lab.run.objects()))),
        CommandId::AddAGroup => Some(choose("groups")),
        CommandId::AddAMetric => Some(choose("metrics")),
        CommandId::AddAnObject => Some(choose("objects")),
        CommandId::AddAnObjectGroup => Some(choose("object_groups")),
        CommandId::AddAField => Some(choose("fields")),
        CommandId::AddAControl => Some(choose("controls")),
        CommandId::AddAPlot => Some(choose(parts::PLOTS)),
        CommandId::AddASensor => choose_for_group(lab, "sensors"),
        CommandId::AddAPartOfAGroup => choose_for_group(lab, ""),
        CommandId::AddARadio => add_to_group(lab, "radio"),
        CommandId::AddAGripper => add_to_group(lab, "gripper"),
        CommandId::AddAnEmitter => add_to_group(lab, "emitter"),
        CommandId::AddLeds => add_to_group(lab, "leds"),
        CommandId::ReplaceTheController => choose_for_group(lab, "controller"),
        CommandId::ReplaceTheMotionModel => choose_for_group(lab, "motion"),
        CommandId::ReplaceTheSpawner => choose_for_group(lab, "spawn"),
        CommandId::AlignLeft => Some(Action::from(SelectionAction::Align(Alignment::Left))),
        CommandId::AlignRight => Some(Action::from(SelectionAction::Align(Alignment::Right))),
        CommandId::AlignTop => Some(Action::from(SelectionAction::Align(Alignment::Top))),
        CommandId::AlignBottom => Some(Action::from(SelectionAction::Align(Alignment::Bottom))),
        CommandId::AlignCentresInARow => Some(Action::from(SelectionAction::Align(Alignment::Row))),
        CommandId::AlignCentresInAColumn => Some(Action::from(SelectionAction::Align(Alignment::Column))),
        CommandId::DistributeHorizontally => {
            Some(Action::from(SelectionAction::Align(Alignment::DistributeHorizontally)))
        }
        CommandId::DistributeVertically => Some(Action::from(SelectionAction::Align(Alignment::DistributeVertically))),
        CommandId::FindAParameter => Some(Action::from(ParameterAction::Find)),
        CommandId::ResetAllParameters => Some(Action::from(ParameterAction::PutAllBack)),
        CommandId::RandomiseTheParameters => {
            Some(Action::from(ParameterAction::Randomise { paths: Vec::new(), part: 0.25 }))
        }
        CommandId::RepairAllRobots => Some(Action::Edits(faults::cures(lab.run.host.simulation().agents()))),
        CommandId::NewScene => Some(Action::from(FileAction::New(templates::EMPTY.into()))),
        CommandId::OpenFile => Some(Action::from(FileAction::Ask(FileRequest::Open))),
        CommandId::ReloadFile => Some(Action::from(FileAction::Reload)),
        CommandId::MakeChangesAgain => Some(Action::from(HistoryAction::RestoreChanges)),
        CommandId::SaveScene => Some(lab.run.saving()),
        CommandId::SaveSceneAs => Some(Action::from(FileAction::Ask(FileRequest::SaveScene))),
        CommandId::SavePresentPositionsAsScene => Some(Action::from(FileAction::Ask(FileRequest::SaveStanding))),
        CommandId::SaveRunAsFolder => Some(Action::from(FileAction::Ask(FileRequest::SaveRun))),
        CommandId::ShareAsOneFile => Some(Action::from(FileAction::Ask(FileRequest::Share))),
        CommandId::ShareAsAPage => Some(Action::from(FileAction::Ask(FileRequest::SharePage))),
        CommandId::ExportTheRunAsMCAP => Some(Action::from(FileAction::Ask(FileRequest::ExportMcap))),
        CommandId::ExportPlotsAsCSV => Some(Action::from(FileAction::Ask(FileRequest::ExportCsv))),
        CommandId::ExportFigure => Some(Action::from(FigureAction::TogglePanel)),
        CommandId::CopyFigure => Some(Action::from(FigureAction::Copy)),
        CommandId::ExportPlotsAsSVG => Some(Action::from(figure(FigureContent::Plots, FigureFormat::Svg))),
        CommandId::ExportPlotsAsPDF => Some(Action::from(figure(FigureContent::Plots, FigureFormat::Pdf))),
        CommandId::ExportPlotsAsPNG => Some(Action::from(figure(FigureContent::Plots, FigureFormat::Png))),
        CommandId::ExportTheViewAsSVG => Some(Action::from(figure(FigureContent::World, FigureFormat::Svg))),
        CommandId::ExportTheViewAsPDF => Some(Action::from(figure(FigureContent::World, FigureFormat::Pdf))),
        CommandId::DefaultFigureSettings => Some(Action::from(FigureAction::SetOptions(FigureOptions::default()))),
        CommandId::StartOrStopRecording => Some(Action::from(RecordingAction::Toggle)),
        CommandId::RerenderWithoutDroppedFrames => Some(Action::from(RecordingAction::Rerecord(None))),
        CommandId::RecordingSettings => Some(Action::from(RecordingAction::TogglePanel)),
        CommandId::DefaultRecordingSettings => {
            Some(Action::from(RecordingAction::SetOptions(RecordingOptions::default())))
        }
        CommandId::ChooseTheFolderOfRecordings => Some(Action::from(FileAction::Ask(FileRequest::RecordingFolder))),
        CommandId::SaveAPictureOfTheWindow => Some(Action::from(RecordingAction::TakeScreenshot)),
        CommandId::SaveAPictureOfTheView => Some(Action::from(RecordingAction::TakePicture)),
        CommandId::ShowTheResolvedScene => Some(Action::from(PanelAction::Resolved)),
        CommandId::CompareWithAChangedParameter => Some(Action::from(CompareAction::Toggle)),
        CommandId::ChooseWhatIsCompared => Some(Action::from(CompareAction::Choose)),
        CommandId::LinkOrUnlinkTheCameras => of_other(lab, CompareAction::Link),
        CommandId::KeepB => of_other(lab, CompareAction::Keep),
        CommandId::LetChangesGoToBoth => of_other(lab, CompareAction::GoTo(GoesTo::Both)),
        CommandId::LetChangesGoToA => of_other(lab, CompareAction::GoTo(GoesTo::A)),
        CommandId::LetChangesGoToB => of_other(lab, CompareAction::GoTo(GoesTo::B)),
        CommandId::ShowTheWholeArena => Some(Action::from(ViewAction::Fit)),
        CommandId::ShowTenMetres => Some(Action::from(ViewAction::Span(10.0))),
        CommandId::FollowOrStay => Some(Action::from(ViewAction::Follow)),
        CommandId::ZoomIn => Some(Action::from(zoom(ZOOM))),
        CommandId::ZoomOut => Some(Action::from(zoom(1.0 / ZOOM))),
        CommandId::MoveTheViewLeft => Some(Action::from(pan(1.0, 0.0))),
        CommandId::MoveTheViewRight => Some(Action::from(pan(-1.0, 0.0))),
        CommandId::MoveTheViewUp => Some(Action::from(pan(0.0, 1.0))),
        CommandId::MoveTheViewDown => Some(Action::from(pan(0.0, -1.0))),
        CommandId::ShowOrHideSensors => Some(Action::from(ViewAction::Sensors)),
        CommandId::ShowOrHideTheGrid => Some(Action::from(ViewAction::Overlay(Overlay::Grid))),
        CommandId::ShowOrHideMetrics => Some(Action::from(ViewAction::Overlay(Overlay::Metrics))),
        CommandId::ShowOrHideTrails => Some(Action::from(ViewAction::Trails)),
        CommandId::ShowOrHideLinks => Some(Action::from(ViewAction::Overlay(Overlay::Links))),
        CommandId::ShowOrHideConnections => Some(Action::from(ViewAction::Connections)),
        CommandId::ShowOrHideEstimates => Some(Action::from(ViewAction::Overlay(Overlay::Estimates))),
        CommandId::ShowOrHidePlans => Some(Action::from(ViewAction::Overlay(Overlay::Plans))),
        CommandId::ShowOrHideIds => Some(Action::from(ViewAction::Overlay(Overlay::Ids))),
        CommandId::ShowOrHideVelocities => Some(Action::from(ViewAction::Overlay(Overlay::Velocities))),
        CommandId::ShowOrHideNames => Some(Action::from(ViewAction::Overlay(Overlay::Names))),
        CommandId::ShowOrHideCommands => Some(Action::from(ViewAction::Overlay(Overlay::Commands))),
        CommandId::ShowOrHideForecasts => Some(ForecastAction::Toggle.into()),
        CommandId::ShowOrHideFields => Some(Action::from(ViewAction::Overlay(Overlay::Fields))),
        CommandId::ShowOrHideTheDensity => Some(Action::from(ViewAction::Overlay(Overlay::Density))),
        CommandId::ShowOrHideTheOccupancy => Some(Action::from(ViewAction::Overlay(Overlay::Occupancy))),
        CommandId::ShowOrHideTheVoronoiDiagram => Some(Action::from(ViewAction::Overlay(Overlay::Voronoi))),
        CommandId::ShowOrHideTheDelaunayTriangulation => Some(Action::from(ViewAction::Overlay(Overlay::Delaunay))),
        CommandId::ShowOrHideGridLabels => Some(Action::from(ViewAction::Overlay(Overlay::GridLabels))),
        CommandId::ShowOrHideTheScaleBar => Some(Action::from(ViewAction::Overlay(Overlay::ScaleBar))),
        CommandId::ShowOrHideTheLegendOfMarks => Some(Action::from(ViewAction::MarkLegend)),
        CommandId::ColourByTheNextQuantity => Some(Action::from(ViewAction::ColorBy(lab.view.current.color_by.next()))),
        CommandId::MeasureTrailsInSecondsOrMetres => {
            Some(Action::from(ViewAction::TrailLength(lab.view.current.trail.other())))
        }
        CommandId::ShowOrHideTheView => Some(Action::from(PanelAction::Toggle(Pane::View))),
        CommandId::DriveOrStopDriving => Some(Action::from(SelectionAction::Drive)),
        CommandId::SelectTheNextRobot => Some(Action::from(SelectionAction::SelectNext { back: false })),
        CommandId::SelectThePreviousRobot => Some(Action::from(SelectionAction::SelectNext { back: true })),
        CommandId::CloseOrDeselect => Some(Action::from(PanelAction::Close)),
        CommandId::ShowTheSelection => Some(Action::from(ViewAction::FitSelection)),
        CommandId::SelectAndMove => Some(Action::from(ToolAction::Take(Tool::Select))),
        CommandId::SpawnRobots => Some(Action::from(ToolAction::Take(Tool::Spawn))),
        CommandId::DrawWalls => Some(Action::from(ToolAction::Take(Tool::Wall))),
        CommandId::DrawObstacles => Some(Action::from(ToolAction::Take(Tool::Obstacle))),
        CommandId::DrawRegions => Some(Action::from(ToolAction::Take(Tool::Region))),
        CommandId::PlaceGoals => Some(Action::from(ToolAction::Take(Tool::Goal))),
        CommandId::PlaceLights => Some(Action::from(ToolAction::Take(Tool::Light))),
        CommandId::Erase => Some(Action::from(ToolAction::Take(Tool::Erase))),
        CommandId::BreakOrRepairRobots => Some(Action::from(ToolAction::Take(Tool::Fault))),
        CommandId::Measure => Some(Action::from(ToolAction::Take(Tool::Measure))),
        CommandId::SnapOrNot => Some(Action::from(ToolAction::Snap)),
        CommandId::DefaultToolSettings => Some(Action::from(ToolAction::SetUp(ToolOptions::default()))),
        CommandId::RemoveAllObjects => Some(Action::Edits(removals(lab.run.objects()))),
        CommandId::ListKeys => Some(Action::from(PanelAction::Help)),
        CommandId::TakeTheTour => Some(Action::from(PanelAction::Tour)),
        CommandId::EditTheKeys => Some(Action::from(WindowAction::EditKeys)),
        CommandId::FindAnAction => Some(Action::from(PanelAction::Palette)),
        CommandId::HideOrShowPanels => Some(Action::from(PanelAction::ToggleAll)),
        CommandId::ShowOrHideTheEvents => Some(Action::from(PanelAction::Toggle(Pane::Events))),
        CommandId::ShowOrHideTheChanges => Some(Action::from(PanelAction::Toggle(Pane::Changes))),
        CommandId::ShowOrHideTheNotes => Some(Action::from(PanelAction::Toggle(Pane::Notes))),
        CommandId::ShowOrHideTheSweep => Some(Action::from(PanelAction::Toggle(Pane::Sweep))),
        CommandId::SweepAParameter => Some(Action::from(SweepAction::ShowSetup)),
        CommandId::SweepAMetric => lab
            .run
            .host
            .simulation()
            .metric_columns()
            .first()
            .map(|column| SweepAction::SetUpMetric(column.clone()).into()),
        CommandId::StartTheSweep => lab.sweep.can_start().then(|| SweepAction::Start.into()),
        CommandId::PauseOrContinueTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::Pause.into()),
        CommandId::CancelTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::Cancel.into()),
        CommandId::ResumeTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::Resume.into()),
        CommandId::TenMoreRepetitions => lab.sweep.worker.as_ref().map(|_| SweepAction::Repeat(10).into()),
        CommandId::BackToTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::HideSetup.into()),
        CommandId::OpenTheSceneOfTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::OpenScene.into()),
        CommandId::BackToMyScene => {
            let is_shown = lab.sweep.shown_run(lab.run.openings).is_some() && lab.sweep.left.is_some();
            is_shown.then(|| SweepAction::BackToScene.into())
        }
        CommandId::CloseTheSweep => lab.sweep.worker.as_ref().map(|_| SweepAction::Close.into()),
        CommandId::OpenASweepFolder => Some(Action::from(FileAction::Ask(FileRequest::OpenSweep))),
        CommandId::SaveThePlanOfTheSweep => of_sweep(lab, FileRequest::SavePlan),
        CommandId::SaveTheFolderOfTheSweep => of_sweep(lab, FileRequest::SaveSweep),
        CommandId::ExportTheSweepAsSVG => of_sweep(lab, FileRequest::ExportSweep(SweepFormat::Svg)),
        CommandId::ExportTheSweepAsPNG => of_sweep(lab, FileRequest::ExportSweep(SweepFormat::Png)),
        CommandId::ExportTheSweepAsCSV => of_sweep(lab, FileRequest::ExportSweep(SweepFormat::Csv)),
        CommandId::ShowOrHideTheConsole => Some(Action::from(PanelAction::Toggle(Pane::Console))),
        CommandId::ShowOrHideTheScript => Some(Action::from(PanelAction::Toggle(Pane::Script))),
        CommandId::NewScript => lab.group_for_new_script().map(|group| ScriptAction::New(group).into()),
        CommandId::ShowOrHideTheClients => Some(Action::from(PanelAction::Toggle(Pane::Clients))),
        CommandId::ShowOrHideTheMessages => Some(Action::from(PanelAction::Toggle(Pane::Messages))),
        CommandId::ClearTheMessages => (lab.notices.history().len() > 0).then(|| WindowAction::ClearMessages.into()),
        CommandId::ShowUnsavedWork => (!lab.files.autosave.found.is_empty()).then(|| PanelAction::Unsaved.into()),
        CommandId::HideOrShowTheGallery => Some(Action::from(PanelAction::Toggle(Pane::Gallery))),
        CommandId::HideOrShowTheWorldTree => Some(Action::from(PanelAction::Toggle(Pane::Tree))),
        CommandId::HideOrShowTheInspector => Some(Action::from(PanelAction::Toggle(Pane::Inspector))),
        CommandId::HideOrShowTheParameters => Some(Action::from(PanelAction::Toggle(Pane::Parameters))),
        CommandId::HideOrShowThePlots => Some(Action::from(PanelAction::Toggle(Pane::Plots))),
        CommandId::ResetLayout => Some(Action::from(PanelAction::ResetLayout)),
        CommandId::FullScreen => Some(Action::from(WindowAction::FullScreen)),
        CommandId::LightColours => Some(Action::from(WindowAction::Theme(Theme::Light))),
        CommandId::DarkColours => Some(Action::from(WindowAction::Theme(Theme::Dark))),
        CommandId::LargerInterface => {
            Some(Action::from(WindowAction::InterfaceScale(lab.shell.settings.interface_scale * LARGER)))
        }
        CommandId::SmallerInterface => {
            Some(Action::from(WindowAction::InterfaceScale(lab.shell.settings.interface_scale / LARGER)))
        }
        CommandId::InterfaceAtItsNormalSize => Some(Action::from(WindowAction::InterfaceScale(1.0))),
        CommandId::TurnVerticalSyncOnOrOff => Some(Action::from(WindowAction::Vsync)),
        CommandId::DrawEveryStep => Some(Action::from(WindowAction::MaxStepsPerFrame(1))),
        CommandId::DrawWhenThereIsTime => Some(Action::from(WindowAction::MaxStepsPerFrame(ANY_STEPS))),
        CommandId::Quit => Some(Action::from(WindowAction::Quit)),
    }
}

/// Returns what a command needs and lacks now, as an advice; `None` if it can act.
pub fn missing(id: CommandId, lab: &Lab) -> Option<&'static str> {
    let selection = &lab.view.selection;
    let [can_undo, can_redo] = lab.run.host.can_undo_and_redo();
    // Changes of the second world are undone, too.
    let is_alone = lab.compare.other.is_none();
    let unless = |is_there: bool, advice| (!is_there).then_some(advice);
    match id {
        CommandId::Undo => unless(can_undo || !is_alone, "There is nothing to undo"),
        CommandId::UndoAllChanges => unless(can_undo, "There is nothing to undo"),
        CommandId::Redo => unless(can_redo || !is_alone, "There is nothing to redo"),
        CommandId::CancelUndoing => unless(lab.progress().is_some(), "Nothing is being undone"),
        CommandId::MakeChangesAgain => unless(!lab.edits.set_aside.is_empty(), "No changes were set aside"),
        CommandId::Cut | CommandId::Copy | CommandId::Duplicate | CommandId::RemoveTheSelection => {
            unless(!selection.items.is_empty(), "Select robots or objects first")
        }
        CommandId::ShowTheSelection | CommandId::FollowOrStay => {
            unless(!selection.items.is_empty() || lab.view.follows.is_some(), "Select robots or objects first")
        }
        CommandId::Paste => unless(!lab.edits.clipboard.is_empty(), "Copy robots or objects first"),
        CommandId::AlignLeft
        | CommandId::AlignRight
        | CommandId::AlignTop
        | CommandId::AlignBottom
        | CommandId::AlignCentresInARow
        | CommandId::AlignCentresInAColumn
        | CommandId::DistributeHorizontally
        | CommandId::DistributeVertically => {
            unless(selection.items.len() > 1, "Select two or more robots or objects first")
        }
        CommandId::DriveOrStopDriving => {
            unless(selection.item.is_some() || !lab.edits.driving.drivers.is_empty(), "Select a robot first")
        }
        CommandId::RemoveAllObjects => unless(!lab.run.objects().is_empty(), "There are no objects"),
        CommandId::RemoveThePauseCondition => unless(lab.plots.pause_when.is_some(), "There is no condition"),
        CommandId::ReloadFile => unless(lab.run.opened.source.name().is_some(), "This scene has no file"),
        CommandId::ShowUnsavedWork => unless(!lab.files.autosave.found.is_empty(), "Everything is saved"),
        _ => None,
    }
}

/// Returns the name for menus and the palette; it ends in "…" if a dialog follows.
pub fn name(command: &Command, lab: &Lab) -> String {
    let asks = match action(command.id, lab) {
        Some(
            Action::File(FileAction::Ask(_))
            | Action::Figure(FigureAction::TogglePanel)
            | Action::Recording(RecordingAction::TogglePanel)
            | Action::Timeline(TimelineAction::FindPanel | TimelineAction::AskMoment | TimelineAction::AskName(_))
            | Action::Compare(CompareAction::Choose)
            | Action::Sweep(SweepAction::ShowSetup | SweepAction::SetUpMetric(_))
            | Action::Panel(PanelAction::Palette | PanelAction::Unsaved)
            | Action::Part(PartAction::Open(_)),
        ) => true,
        Some(Action::Compare(CompareAction::Toggle)) => lab.compare.other.is_none(),
        _ => false,
    };
    if asks { format!("{}…", command.title) } else { command.title.into() }
}

/// Whether the command is on; `None` if it is not a switch.
pub fn is_on(command: &Command, lab: &Lab) -> Option<bool> {
    let settings = &lab.shell.settings;
    Some(match action(command.id, lab)? {
        Action::Time(TimeAction::Strategy(strategy)) => strategy == lab.run.host.clock().strategy,
        Action::Timeline(TimelineAction::Loop) => lab.timeline.loops,
        Action::Forecast(ForecastAction::Toggle) => settings.forecasts,
        Action::Timeline(TimelineAction::ShowLanes(_)) => lab.plots.lane_source.is_some(),
        Action::Timeline(TimelineAction::FoldLanes) => lab.plots.lanes_by_group,
        Action::Timeline(TimelineAction::FindPanel) => lab.shell.popups.find,
        Action::Compare(action) => lab.compare.is_on(&action)?,
        Action::Sweep(SweepAction::Pause) => lab.sweep.worker.as_ref()?.is_paused(),
        Action::View(ViewAction::Trails) => lab.view.shows_trails(&lab.run.host),
        Action::View(ViewAction::Connections) => lab.view.current.overlays.shows(Overlay::Connections),
        Action::View(ViewAction::Overlay(overlay)) => lab.view.current.overlays.shows(overlay),
        Action::Recording(RecordingAction::Toggle) => lab.files.recordings.running().is_some(),
        Action::Recording(RecordingAction::TogglePanel) => lab.shell.popups.recording,
        Action::Recording(RecordingAction::Rerecord(_)) => lab.files.recordings.rerecording().is_some(),
        Action::Figure(FigureAction::TogglePanel) => lab.shell.popups.figure,
        Action::Time(TimeAction::TogglePanel) => lab.shell.popups.time,
        Action::Selection(SelectionAction::Drive) => lab.edits.driving.drives_selected(&lab.view.selection),
        Action::View(ViewAction::MarkLegend) => settings.mark_legend,
        Action::View(ViewAction::Follow) => lab.view.follows.is_some(),
        Action::View(ViewAction::Sensors) => lab.view.current.shows_all_sensors(lab.run.host.simulation().count()),
        Action::Window(WindowAction::Theme(theme)) => theme == settings.theme,
        Action::Window(WindowAction::Vsync) => settings.vsync,
        Action::Window(WindowAction::MaxStepsPerFrame(steps)) => steps == settings.max_steps_per_frame,
        Action::Tool(ToolAction::Take(tool)) => lab.edits.toolbox.tool == tool,
        Action::Tool(ToolAction::Snap) => lab.edits.toolbox.options.snaps,
        Action::Panel(PanelAction::Help) => lab.shell.popups.help,
        Action::Panel(PanelAction::Tour) => lab.shell.tour.is_open(),
        Action::Panel(PanelAction::Resolved) => lab.shell.popups.resolved,
        Action::Panel(PanelAction::Unsaved) => lab.shell.popups.unsaved,
        Action::Panel(PanelAction::Toggle(pane)) => lab.shell.shows_panel(pane),
        Action::Panel(PanelAction::ToggleAll) => settings.panels,
        Action::Window(WindowAction::FullScreen) => lab.shell.full_screen,
        Action::Plot(PlotAction::Legend) => settings.legend,
        Action::Plot(PlotAction::Table) => settings.plots.has_table,
        Action::Parameter(ParameterAction::RestartOnChange) => settings.restart_on_change,
        _ => return None,
    })
}

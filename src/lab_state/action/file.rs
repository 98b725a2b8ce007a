//! Scenes, files, recordings and pictures.

use std::path::{Path, PathBuf};

use swarmarium_formats::share;

use crate::action::{Action, FigureAction, SweepAction, SweepFormat};
use crate::common::settings::{FigureContent, FigureFormat, RecordingOptions};

/// An action on scenes and files.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum FileAction {
    /// Opens a scene file, or a shipped scene by its name.
    Open(String),
    /// Creates a scene from a template, by its name.
    New(String),
    /// Opens a kept scene.
    Recover(PathBuf),
    /// Discards a kept scene.
    Discard(PathBuf),
    /// Opens the first of the files dropped on the window.
    OpenFirst(Vec<String>),
    /// Reads the scene file again.
    Reload,
    /// Opens a file dialog.
    Ask(FileRequest),
    /// Saves the scene with its edits.
    SaveScene(PathBuf),
    /// Saves the scene with all robots and objects at their present positions.
    SaveStanding(PathBuf),
    /// Saves the run into a folder: scene at its start, log of edits, manifest.
    SaveRun(PathBuf),
    /// Saves the scene with its run, files and a picture as one file.
    Share(PathBuf),
    /// Saves the run so far as a page that replays it in any browser.
    SharePage(PathBuf),
    /// Saves messages of ROS 2 about the run so far.
    ExportMcap(PathBuf),
    /// Saves the values of the plots as a table.
    ExportCsv(PathBuf),
    /// Saves the controller of a group, by its place.
    SaveController(usize, PathBuf),
    /// Sets the controller of a group, by its place, from a file.
    LoadController(usize, PathBuf),
}

/// An action on recordings and pictures.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum RecordingAction {
    /// Starts a recording, or ends the running one.
    Toggle,
    /// Renders a part of the run again without dropped frames, or cancels that; `None` for the chosen part.
    Rerecord(Option<VideoPart>),
    /// Chooses the part of the run that is rendered again.
    SetPart(VideoPart),
    /// Changes the settings of recordings.
    SetOptions(RecordingOptions),
    /// Sets the folder of recordings and pictures.
    SetFolder(PathBuf),
    /// Opens or closes the panel of recordings.
    TogglePanel,
    /// Saves a picture of the view.
    TakePicture,
    /// Saves a picture of the whole window.
    TakeScreenshot,
}

/// A part of a run for a video.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum VideoPart {
    /// The range of the timeline.
    Range,
    /// The steps of the last recording in the window.
    LastRecording,
    /// The run from its start to the shown moment.
    RunSoFar,
}

impl VideoPart {
    /// Returns the name.
    pub fn name(self) -> &'static str {
        match self {
            Self::Range => "Range of the timeline",
            Self::LastRecording => "Last recording",
            Self::RunSoFar => "Run so far",
        }
    }
}

/// The purpose of a file dialog.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRequest {
    /// A scene to open.
    Open,
    /// The file of a saved scene.
    SaveScene,
    /// The file of a scene with present positions.
    SaveStanding,
    /// The folder of a saved run.
    SaveRun,
    /// The file of a shared scene.
    Share,
    /// The page of a run.
    SharePage,
    /// The MCAP file of a run.
    ExportMcap,
    /// The table of the plots.
    ExportCsv,
    /// The file of a figure.
    ExportFigure(FigureContent, FigureFormat),
    /// A plan or the folder of a sweep to open.
    OpenSweep,
    /// The file of the plan of the sweep.
    SavePlan,
    /// The folder for a copy of the sweep.
    SaveSweep,
    /// The file of the figure of the sweep.
    ExportSweep(SweepFormat),
    /// The folder of recordings and pictures.
    RecordingFolder,
    /// The file of a saved controller of a group, by its place.
    SaveController(usize),
    /// A controller to load into a group, by its place.
    LoadController(usize),
}

impl FileRequest {
    /// Returns the title of the dialog.
    pub fn title(self) -> &'static str {
        match self {
            Self::Open => "Open file",
            Self::SaveScene => "Save scene as",
            Self::SaveStanding => "Save current positions as scene",
            Self::SaveRun => "Save run as folder",
            Self::Share => "Share as one file",
            Self::SharePage => "Share as a page",
            Self::ExportMcap => "Export the run as MCAP",
            Self::ExportCsv => "Export plots as CSV",
            Self::ExportFigure(content, format) => match (content, format) {
                (FigureContent::Plots, FigureFormat::Svg) => "Export plots as SVG",
                (FigureContent::Plots, FigureFormat::Pdf) => "Export plots as PDF",
                (FigureContent::Plots, FigureFormat::Png) => "Export plots as PNG",
                (FigureContent::World, FigureFormat::Svg) => "Export the view as SVG",
                (FigureContent::World, FigureFormat::Pdf) => "Export the view as PDF",
                (FigureContent::World, FigureFormat::Png) => "Export the view as PNG",
            },
            Self::OpenSweep => "Open the folder of a sweep",
            Self::SavePlan => "Save the plan of the sweep",
            Self::SaveSweep => "Save the folder of the sweep",
            Self::ExportSweep(SweepFormat::Svg) => "Export the sweep as SVG",
            Self::ExportSweep(SweepFormat::Png) => "Export the sweep as PNG",
            Self::ExportSweep(SweepFormat::Csv) => "Export the sweep as CSV",
            Self::RecordingFolder => "Choose the folder of recordings",
            Self::SaveController(_) => "Save controller as",
            Self::LoadController(_) => "Load controller",
        }
    }

    /// Returns the action for the picked file.
    pub fn action(self, path: PathBuf) -> Action {
        match self {
            Self::Open | Self::OpenSweep => Action::File(FileAction::Open(path.display().to_string())),
            Self::SaveScene => Action::File(FileAction::SaveScene(path)),
            Self::SaveStanding => Action::File(FileAction::SaveStanding(path)),
            Self::SaveRun => Action::File(FileAction::SaveRun(path)),
            Self::Share => Action::File(FileAction::Share(path)),
            Self::SharePage => Action::File(FileAction::SharePage(path)),
            Self::ExportMcap => Action::File(FileAction::ExportMcap(path)),
            Self::ExportCsv => Action::File(FileAction::ExportCsv(path)),
            Self::ExportFigure(content, format) => Action::Figure(FigureAction::Export(content, format, path)),
            Self::SavePlan => Action::Sweep(SweepAction::SavePlan(path)),
            Self::SaveSweep => Action::Sweep(SweepAction::SaveFolder(path)),
            Self::ExportSweep(format) => Action::Sweep(SweepAction::ExportFigure(format, path)),
            Self::RecordingFolder => Action::Recording(RecordingAction::SetFolder(path)),
            Self::SaveController(group) => Action::File(FileAction::SaveController(group, path)),
            Self::LoadController(group) => Action::File(FileAction::LoadController(group, path)),
        }
    }

    /// Returns the extension of saved files.
    pub fn extension(self) -> Option<&'static str> {
        match self {
            Self::Open
            | Self::SaveRun
            | Self::RecordingFolder
            | Self::OpenSweep
            | Self::SaveSweep
            | Self::LoadController(_) => None,
            Self::SavePlan => Some("sweep.ron"),
            Self::ExportSweep(format) => Some(format.extension()),
            Self::SaveScene | Self::SaveStanding | Self::SaveController(_) => Some("ron"),
            Self::Share => Some(share::EXTENSION),
            Self::SharePage => Some("html"),
            Self::ExportMcap => Some("mcap"),
            Self::ExportCsv => Some("csv"),
            Self::ExportFigure(_, format) => Some(format.extension()),
        }
    }

    /// Adds the extension of saved files, if the name has another one or none.
    pub fn with_extension(self, path: &Path) -> PathBuf {
        match self.extension() {
            Some(extension) if !has_extension(path, extension) => path.with_added_extension(extension),
            _ => path.into(),
        }
    }

    /// Whether a path has a file name that is not blank.
    pub fn is_named(self, path: &Path) -> bool {
        path.file_name().is_some_and(|name| !name.to_string_lossy().trim().is_empty())
    }
}

/// Whether the name of a file ends with an extension, such as `sweep.ron`.
fn has_extension(path: &Path, extension: &str) -> bool {
    let name = path.file_name().unwrap_or_default().to_string_lossy().to_lowercase();
    name.strip_suffix(extension).is_some_and(|stem| stem.ends_with('.'))
}

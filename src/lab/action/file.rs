//! Scenes, files, recordings and pictures.

use std::path::PathBuf;

use crate::action::SweepFormat;
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
    /// Records the run so far again without dropped frames, or cancels that.
    Rerecord,
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

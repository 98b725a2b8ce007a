//! Scenes, files, recordings and pictures.

use std::path::PathBuf;

use crate::settings::{FigureContent, FigureFormat, RecordingOptions};

/// What can be asked for of scenes and files.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum FileAction {
    /// Opens a scene: a file, or the name of a shipped scene.
    Open(String),
    /// Begins a scene with a template, by its name.
    New(String),
    /// Opens a scene that was kept without being saved.
    Recover(PathBuf),
    /// Throws a scene away that was kept without being saved.
    Discard(PathBuf),
    /// Opens the first of the files that were dropped on the window.
    OpenFirst(Vec<String>),
    /// Reads the file of the scene again.
    Reload,
    /// Asks for a file.
    Ask(FileRequest),
    /// Saves the scene as it is now, edits included.
    SaveScene(PathBuf),
    /// Saves the scene with all robots and objects where they are now.
    SaveStanding(PathBuf),
    /// Saves this run into a folder: scene at its start, log of edits, manifest.
    SaveRun(PathBuf),
    /// Saves the scene with its run, files and a picture as one file.
    Share(PathBuf),
    /// Saves what the plots show as a table.
    ExportCsv(PathBuf),
    /// Saves the controller of the group in a place.
    SaveController(usize, PathBuf),
    /// Gives the group in a place the controller in a file.
    LoadController(usize, PathBuf),
}

/// What can be asked for of recordings and pictures.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum RecordingAction {
    /// Starts a recording, or ends the one that runs.
    Toggle,
    /// Records the run so far again, without dropped frames, or cancels that.
    Rerecord,
    /// Changes what recordings are like.
    SetOptions(RecordingOptions),
    /// Sends recordings and pictures into a folder.
    SetFolder(PathBuf),
    /// Opens or closes the panel of recordings.
    TogglePanel,
    /// Saves a picture of what the view shows.
    TakePicture,
    /// Saves a picture of the whole window.
    TakeScreenshot,
}

/// What a file is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileRequest {
    /// A scene to open.
    Open,
    /// Where to save the scene.
    SaveScene,
    /// Where to save the scene with all robots where they are now.
    SaveStanding,
    /// Where to save the run.
    SaveRun,
    /// Where to save the scene with its run as one file.
    Share,
    /// Where to save the table of the plots.
    ExportCsv,
    /// Where to save a figure.
    ExportFigure(FigureContent, FigureFormat),
    /// The folder of recordings and pictures.
    RecordingFolder,
    /// Where to save the controller of the group in a place.
    SaveController(usize),
    /// A controller for the group in a place.
    LoadController(usize),
}

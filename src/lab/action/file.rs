//! What a file can be asked for.

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
    /// Where to save the table of the plots.
    ExportCsv,
    /// Where to save a picture of the plots.
    ExportPng,
    /// The folder of recordings and pictures.
    RecordingFolder,
    /// Where to save the controller of the group in a place.
    SaveController(usize),
    /// A controller for the group in a place.
    LoadController(usize),
}

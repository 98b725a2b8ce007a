//! Sweeps.

use std::path::PathBuf;

use swarmarium_sweep::Run;

use crate::common::sweep_setup::Setup;

/// An action on the sweep of the window.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum SweepAction {
    /// Shows the setup for a parameter, as the only factor or as the second one.
    SetUp {
        /// The path of the parameter, or the name of a constant.
        path: String,
        /// Whether it becomes the second factor, for a grid.
        is_second: bool,
    },
    /// Shows the setup with a metric as the measure, by its column.
    SetUpMetric(String),
    /// Shows the setup.
    ShowSetup,
    /// Shows the sweep in place of the setup.
    HideSetup,
    /// Changes the setup.
    SetOptions(Setup),
    /// Starts the sweep of the setup.
    Start,
    /// Pauses the runs, or continues them.
    Pause,
    /// Cancels the runs that are not done.
    Cancel,
    /// Makes the runs that are not done.
    Resume,
    /// Adds repetitions to each point.
    Repeat(u64),
    /// Adds points within a range of a factor.
    Refine {
        /// The place of the factor.
        factor: usize,
        /// The ends of the range.
        range: [f64; 2],
        /// The number of new values.
        points: u64,
    },
    /// Closes the sweep; its folder stays.
    Close,
    /// Lists the runs of a point.
    Choose(Option<usize>),
    /// Opens a run at its end.
    OpenRun(Run),
    /// Shows the scene again from which the first run of a sweep was opened, with its changes and its run.
    BackToScene,
    /// Opens the scene of the sweep.
    OpenScene,
    /// Shows a run beside the open one.
    CompareRun(Run),
    /// Records a run as a video.
    RecordRun(Run),
    /// Saves the plan with its scene.
    SavePlan(PathBuf),
    /// Saves a copy of the folder.
    SaveFolder(PathBuf),
    /// Saves the shown figure.
    ExportFigure(SweepFormat, PathBuf),
    /// Makes the missing runs of a folder.
    ResumeFolder(PathBuf),
}

/// The formats of the figure of a sweep.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SweepFormat {
    /// Vector graphics.
    Svg,
    /// Pixels.
    Png,
    /// The numbers of the figure.
    Csv,
}

impl SweepFormat {
    /// Returns the file extension.
    pub fn extension(self) -> &'static str {
        match self {
            Self::Svg => "svg",
            Self::Png => "png",
            Self::Csv => "csv",
        }
    }
}

//! Figures for papers and talks.

use std::path::PathBuf;

use crate::common::settings::{FigureContent, FigureFormat, FigureOptions};

/// An action on figures.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum FigureAction {
    /// Opens or closes the panel "Export figure".
    TogglePanel,
    /// Changes the settings of figures.
    SetOptions(FigureOptions),
    /// Copies the figure to the clipboard as an image.
    Copy,
    /// Saves a figure.
    Export(FigureContent, FigureFormat, PathBuf),
}

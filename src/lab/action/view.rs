//! What is shown of the world, and what the mouse does there.

use bevy::math::DVec2;
use swarmarium_core::draw::{ColorBy, Overlay, TrailLength};

use crate::selection::Item;
use crate::toolbox::{Tool, ToolOptions};

/// What can be asked for of the view of the world.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ViewAction {
    /// Shows the whole arena.
    Fit,
    /// Shows what is selected.
    FitSelection,
    /// Zooms so that the view is that wide, in metres.
    Span(f64),
    /// Goes with the selected robot; then turns with it, too; then stays.
    Follow,
    /// Moves the world by points of the screen.
    Pan(DVec2),
    /// Zooms by a factor around a point.
    Zoom {
        /// What stays where it is, in points from the corner of the world's panel; the middle without it.
        at_px: Option<DVec2>,
        /// More than one comes closer.
        factor: f64,
    },
    /// Shows or hides the trails of robots.
    Trails,
    /// Shows or hides whose radios hear each other.
    Connections,
    /// Shows or hides an overlay.
    Overlay(Overlay),
    /// Makes the trails that the window keeps longer or shorter.
    TrailLength(TrailLength),
    /// Lets colours of robots tell something else.
    ColorBy(ColorBy),
    /// Shows what all sensors see, or only those of what is selected.
    Sensors,
}

/// What can be asked for of what is selected.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum SelectionAction {
    /// Selects something, or nothing.
    Select(Option<Item>),
    /// Selects several things; the last one is what the inspector is about.
    Choose(Vec<Item>),
    /// Selects all robots.
    SelectAll,
    /// Selects the next agent, or the one before.
    SelectNext {
        /// The one before.
        back: bool,
    },
    /// Takes away the robots and objects that are selected.
    RemoveSelected,
    /// Keeps copies of what is selected, to be pasted.
    Copy,
    /// Copies what is selected, and takes it away.
    Cut,
    /// Puts what was copied about a point (m), or beside the original.
    Paste(Option<DVec2>),
    /// Puts copies of what is selected beside it.
    Duplicate,
    /// Puts what is selected in line.
    Align(Alignment),
    /// Drives the selected robot, or stops driving it.
    Drive,
}

/// How several things are put in line.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Alignment {
    /// Their left edges.
    Left,
    /// Their right edges.
    Right,
    /// Their upper edges.
    Top,
    /// Their lower edges.
    Bottom,
    /// Their centers, one above the other.
    Column,
    /// Their centers, one beside the other.
    Row,
    /// Equal distances of their centers from left to right.
    DistributeHorizontally,
    /// Equal distances of their centers from top to bottom.
    DistributeVertically,
}

/// What can be asked for of the tools.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ToolAction {
    /// Takes another tool.
    Take(Tool),
    /// Sets the tools to something else.
    SetUp(ToolOptions),
    /// Lets positions and headings snap, or not.
    Snap,
}

/// What can be asked for of the plots.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum PlotAction {
    /// Plots a number, by its path, or removes it from the plots.
    Pin(String),
    /// Shows or hides which line of a plot is what.
    Legend,
}

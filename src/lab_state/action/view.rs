//! The view of the world, the selection, the tools and the plots.

use bevy::math::DVec2;
use swarmarium_draw::{ColorBy, Overlay, TrailLength};

use crate::common::selection::Item;
use crate::common::settings::{PlotLayout, RobotPlot};
use crate::common::toolbox::{Tool, ToolOptions};

/// An action on the view of the world.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ViewAction {
    /// Shows the whole arena.
    Fit,
    /// Fits the selection into the view.
    FitSelection,
    /// Zooms to a width of the view in metres.
    Span(f64),
    /// Follows the selected robot; the second time, also turns with it; the third time, stops.
    Follow,
    /// Moves the world by points of the screen.
    Pan(DVec2),
    /// Zooms by a factor around a point.
    Zoom {
        /// The fixed point, in points from the corner of the world's panel; the centre if there is none.
        at_px: Option<DVec2>,
        /// The factor; more than 1 zooms in.
        factor: f64,
    },
    /// Shows or hides the legend of marks.
    MarkLegend,
    /// Shows or hides the trails of robots.
    Trails,
    /// Shows or hides connections between radios.
    Connections,
    /// Shows or hides an overlay.
    Overlay(Overlay),
    /// Sets the length of the trails that the window keeps.
    TrailLength(TrailLength),
    /// Sets the quantity that the colours of robots show.
    ColorBy(ColorBy),
    /// Shows all sensors, or only those of the selection.
    Sensors,
}

/// An action on the selection.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum SelectionAction {
    /// Selects an item, or none.
    Select(Option<Item>),
    /// Selects several items; the inspector shows the last one.
    Choose(Vec<Item>),
    /// Selects all robots.
    SelectAll,
    /// Selects the next or the previous agent.
    SelectNext {
        /// Whether to select the previous one.
        back: bool,
    },
    /// Removes the selected robots and objects.
    RemoveSelected,
    /// Copies the selection.
    Copy,
    /// Copies the selection and removes it.
    Cut,
    /// Pastes the copied items around a point (m), or beside the originals.
    Paste(Option<DVec2>),
    /// Adds copies of the selection beside it.
    Duplicate,
    /// Aligns the selection.
    Align(Alignment),
    /// Starts or stops driving the selected robot.
    Drive,
}

/// An alignment of several items.
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
    /// Their centres, in a vertical line.
    Column,
    /// Their centres, in a horizontal line.
    Row,
    /// Equal distances between their centres from left to right.
    DistributeHorizontally,
    /// Equal distances between their centres from top to bottom.
    DistributeVertically,
}

/// An action on the tools.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ToolAction {
    /// Chooses a tool.
    Take(Tool),
    /// Changes the settings of the tools.
    SetUp(ToolOptions),
    /// Switches snapping of positions and headings on or off.
    Snap,
}

/// An action on the plots.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum PlotAction {
    /// Plots a number, by its path, or removes it from the plots.
    Pin(String),
    /// Shows or hides the legend.
    Legend,
    /// Changes the arrangement of the plots.
    Arrange(PlotLayout),
    /// Shows or hides the table of values at the cursor.
    Table,
    /// Adds a plot over robots at the shown moment.
    AddOfRobots(RobotPlot),
}

//! Actions on the comparison of two worlds.

use bevy::math::DVec2;

/// A parameter with another value in B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// The path, or the name of a constant.
    pub path: String,
    /// The value in B, as in a scene file.
    pub value: String,
}

/// The world that changes in the window go to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoesTo {
    /// Both worlds, except for the compared parameters.
    #[default]
    Both,
    /// The left world.
    A,
    /// The right world.
    B,
}

/// The moment at which a comparison begins.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ComparisonStart {
    /// The start of the run.
    #[default]
    Run,
    /// The present moment.
    Here,
    /// The step at which the present comparison began.
    AsBefore,
}

/// An action on the comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Ends the comparison, or opens or closes the panel of compared parameters.
    Toggle,
    /// Opens or closes the panel.
    Choose,
    /// Opens the panel with a parameter, by its path.
    ChooseOf(String),
    /// Sets the parameters that are chosen in the panel.
    SetChosen(Vec<Changed>),
    /// Sets the moment at which a comparison begins.
    SetStart(ComparisonStart),
    /// Starts a comparison with other values, from the chosen moment.
    Begin(Vec<Changed>),
    /// Drops B.
    End,
    /// Drops A: B becomes the simulation.
    Keep,
    /// Sets the world that changes go to.
    GoTo(GoesTo),
    /// Links or unlinks the cameras.
    Link,
    /// Shows differences or both values.
    Difference,
    /// Moves the unlinked camera of B by points of the screen.
    Pan(DVec2),
    /// Zooms B by a factor around a point, in points from the corner of its half.
    Zoom(DVec2, f64),
}

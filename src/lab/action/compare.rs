//! What can be asked for in a comparison of two worlds.

use bevy::math::DVec2;

/// A parameter that has another value in B.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Changed {
    /// Its path, or the name of a constant.
    pub path: String,
    /// The value in B, as a scene file would write it.
    pub value: String,
}

/// Which of both worlds is changed in the window.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum GoesTo {
    /// Both, but for the parameters that are compared.
    #[default]
    Both,
    /// The left one.
    A,
    /// The right one.
    B,
}

/// What can be asked for in a comparison.
#[derive(Clone, Debug, PartialEq)]
pub enum CompareAction {
    /// Ends the comparison, or opens or closes the panel in which it is chosen.
    Toggle,
    /// Opens the panel, or closes it.
    Choose,
    /// Opens the panel with a parameter, by its path.
    ChooseOf(String),
    /// Compares with other values, from the start of the run.
    Begin(Vec<Changed>),
    /// Drops B.
    End,
    /// Drops A: B becomes the simulation.
    Keep,
    /// Lets changes go to both worlds, or to one of them.
    GoTo(GoesTo),
    /// Lets B be looked at as A is, or by itself.
    Link,
    /// Plots differences, or both values.
    Difference,
    /// Moves B by points of the screen, where it is looked at by itself.
    Pan(DVec2),
    /// Zooms B by a factor around a point, in points from the corner of its half.
    Zoom(DVec2, f64),
}

//! Forecasts of values that are not chosen yet.

/// An action on forecasts.
#[derive(Clone, Debug, PartialEq, strum::VariantNames, strum::IntoStaticStr)]
pub enum ForecastAction {
    /// Shows the next seconds with a value, in this frame.
    Show(Foreseen),
    /// Tells that the pointer is on a slider in this frame.
    PointAt(SliderSpan),
    /// Switches forecasts on or off.
    Toggle,
    /// Sets the duration of forecasts, in simulated seconds.
    SetDuration(f64),
}

/// A value of a parameter whose future is shown.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Foreseen {
    /// The path of the parameter.
    pub path: String,
    /// The value as in a scene file; `None` for the present one.
    pub value: Option<String>,
    /// The parameter with its value and unit, in words.
    pub name: String,
}

/// The range of the slider of a parameter, in the unit of scene files.
#[derive(Clone, Debug, PartialEq)]
pub struct SliderSpan {
    /// The path of the parameter.
    pub path: String,
    /// The left end.
    pub low: f64,
    /// The right end.
    pub high: f64,
    /// Whether the slider is logarithmic.
    pub is_logarithmic: bool,
    /// Whether values are whole numbers.
    pub is_whole: bool,
}

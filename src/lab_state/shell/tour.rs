//! The state of the tour.

/// The state that steps of the tour check.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Seen {
    /// Whether the run is paused.
    pub is_paused: bool,
    /// How often the run was paused or continued.
    pub turns: u32,
    /// The number of changes.
    pub changes: usize,
    /// The selected robot.
    pub robot: Option<u32>,
    /// The scale of the view.
    pub pixels_per_m: f64,
    /// Whether the view shows the whole arena.
    pub is_fitted: bool,
    /// Whether the palette is open.
    pub has_palette: bool,
    /// Whether the world shows the numbers of robots.
    pub shows_ids: bool,
}

/// The tour.
#[derive(Debug, Default)]
pub struct Tour {
    /// The present step.
    pub step: Option<usize>,
    /// The state when the step began.
    pub before: Seen,
    /// How often the run was paused or continued.
    pub turns: u32,
    /// Whether the run was paused in the last frame.
    pub was_paused: bool,
}

impl Tour {
    /// Whether the tour is open.
    pub fn is_open(&self) -> bool {
        self.step.is_some()
    }

    /// Ends the tour. Returns whether it was open.
    pub fn close(&mut self) -> bool {
        self.step.take().is_some()
    }
}

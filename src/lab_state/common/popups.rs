//! The windows over the world.

/// The open windows over the world.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Popups {
    /// The palette, with its initial text.
    pub palette: Option<&'static str>,
    /// The catalogue of parts, with the path where a part is added.
    pub catalogue: Option<String>,
    /// The list of keys.
    pub help: bool,
    /// The scene as text.
    pub resolved: bool,
    /// The list of kept scenes.
    pub unsaved: bool,
    /// The panel of recordings.
    pub recording: bool,
    /// The panel "Export figure".
    pub figure: bool,
    /// The panel "Time".
    pub time: bool,
    /// The panel that searches for a moment.
    pub find: bool,
}

impl Popups {
    /// Whether any of them is open.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// Closes the first open one. Returns whether there was one.
    pub fn close_one(&mut self) -> bool {
        let Self { palette, catalogue, help, resolved, unsaved, recording, figure, time, find } = self;
        let open = [help, resolved, unsaved, recording, figure, time, find].into_iter().find(|is_open| **is_open);
        palette.take().is_some() || catalogue.take().is_some() || open.is_some_and(std::mem::take)
    }
}

//! What lies over the world, and is open.

/// What lies over the world, and is open.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Popups {
    /// The palette, with the text that it opens with.
    pub palette: Option<&'static str>,
    /// The list of keys.
    pub help: bool,
    /// The scene as text.
    pub resolved: bool,
    /// The panel of recordings.
    pub recording: bool,
    /// The panel "Export figure".
    pub figure: bool,
    /// The panel of time.
    pub time: bool,
    /// The panel that searches for a moment.
    pub find: bool,
}

impl Popups {
    /// Whether any of them is open.
    pub fn any(&self) -> bool {
        *self != Self::default()
    }

    /// Closes the first one that is open; whether there was any.
    pub fn close_one(&mut self) -> bool {
        let Self { palette, help, resolved, recording, figure, time, find } = self;
        let open = [help, resolved, recording, figure, time, find].into_iter().find(|is_open| **is_open);
        palette.take().is_some() || open.is_some_and(std::mem::take)
    }
}

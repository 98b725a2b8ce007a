//! What the lab remembers from one time to the next.

use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::draw::Theme;

/// The smallest and the largest interface.
pub const INTERFACE_SCALES: std::ops::RangeInclusive<f32> = 0.5..=3.0;

/// As many steps between two frames as there is time for.
pub const ANY_STEPS: u64 = 1_000_000;

/// What the lab remembers.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark or light.
    pub theme: Theme,
    /// Size of texts and panels, 1 for the size that the system asks for.
    pub interface_scale: f32,
    /// Whether panels are shown.
    pub panels: bool,
    /// Whether each frame waits for the screen.
    pub vsync: bool,
    /// The most steps between two frames.
    pub max_steps_per_frame: u64,
    /// Width of the left panel in points.
    pub left_px: f32,
    /// Width of the right panel in points.
    pub right_px: f32,
    /// Height of the plots in points.
    pub plots_px: f32,
    /// Size of the window in logical pixels.
    pub window_px: (u32, u32),
    /// Files that were opened, the last one first.
    pub recent: Vec<String>,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            interface_scale: 1.0,
            panels: true,
            vsync: false,
            max_steps_per_frame: ANY_STEPS,
            left_px: 220.0,
            right_px: 360.0,
            plots_px: 170.0,
            window_px: (1280, 800),
            recent: Vec::new(),
        }
    }
}

/// The most files that are remembered.
const MOST_RECENT: usize = 10;

impl Settings {
    /// What was remembered the last time.
    pub fn remembered() -> Self {
        Self::default()
    }

    /// Remembers a file that was opened.
    pub fn add_recent(&mut self, path: &Path) {
        let name = path.display().to_string();
        self.recent.retain(|known| *known != name);
        self.recent.insert(0, name);
        self.recent.truncate(MOST_RECENT);
    }

    /// Makes texts and panels larger or smaller, within reason.
    pub fn set_interface_scale(&mut self, scale: f32) {
        if scale.is_finite() {
            self.interface_scale = scale.clamp(*INTERFACE_SCALES.start(), *INTERFACE_SCALES.end());
        }
    }
}

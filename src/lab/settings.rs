//! What the lab remembers from one time to the next.

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use swarmarium_core::timeline::DEFAULT_BUDGET_BYTES;
use swarmarium_picture::palette::Theme;
use swarmarium_video::SIDES_PX;

use super::layout::Layout;
use super::places::absolute;

mod figure;

pub use figure::{FigureContent, FigureFormat, FigureOptions};

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
    /// The most memory that keyframes of the timeline take, in MB.
    pub keyframes_mb: u32,
    /// Where panels stand, and which are open.
    pub layout: Layout,
    /// Size of the window in logical pixels.
    pub window_px: (u32, u32),
    /// What recordings are like.
    pub recording: RecordingOptions,
    /// The settings of exported figures.
    pub figure: FigureOptions,
    /// Whether the tour was taken, or left.
    pub toured: bool,
    /// Files that were opened, the last one first.
    pub recent: Vec<String>,
    /// Whether plots say which line is what.
    pub legend: bool,
    /// Whether a change that takes effect at a reset starts the run again.
    pub restart_on_change: bool,
    /// What numbers that are drawn at random in the window come from.
    pub dice_seed: u64,
    /// How often they were drawn so far.
    pub throws: u64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            theme: Theme::default(),
            interface_scale: 1.0,
            panels: true,
            vsync: false,
            max_steps_per_frame: ANY_STEPS,
            keyframes_mb: USUAL_KEYFRAMES_MB,
            layout: Layout::default(),
            window_px: (1280, 800),
            recording: RecordingOptions::default(),
            figure: FigureOptions::default(),
            toured: false,
            recent: Vec::new(),
            legend: true,
            restart_on_change: true,
            dice_seed: 1,
            throws: 0,
        }
    }
}

/// The most memory that keyframes take at first, in MB.
pub const USUAL_KEYFRAMES_MB: u32 = (DEFAULT_BUDGET_BYTES >> 20) as u32;
/// The smallest and the largest budget of keyframes, in MB.
pub const KEYFRAMES_MB: std::ops::RangeInclusive<u32> = 1..=65_536;

/// The most files that are remembered.
const MOST_RECENT: usize = 10;
/// The smallest and the largest side of a window.
const WINDOW_PX: std::ops::RangeInclusive<u32> = 200..=16_384;

impl Settings {
    /// Remembers a file that was opened.
    pub fn add_recent(&mut self, path: &Path) {
        self.recent.insert(0, absolute(path));
        self.tidy_recent();
    }

    /// Makes texts and panels larger or smaller, within reason.
    pub fn set_interface_scale(&mut self, scale: f32) {
        if scale.is_finite() {
            self.interface_scale = scale.clamp(*INTERFACE_SCALES.start(), *INTERFACE_SCALES.end());
        }
    }

    fn tidy_recent(&mut self) {
        let mut seen: Vec<String> = Vec::new();
        for name in self.recent.drain(..) {
            if !name.is_empty() && !seen.contains(&name) {
                seen.push(name);
            }
        }
        seen.truncate(MOST_RECENT);
        self.recent = seen;
    }

    /// Brings what somebody wrote into the file into range.
    pub fn within_reason(self) -> Self {
        let standard = Self::default();
        let side_px = |px: u32| px.clamp(*WINDOW_PX.start(), *WINDOW_PX.end());
        let mut settings = Self {
            interface_scale: standard.interface_scale,
            max_steps_per_frame: self.max_steps_per_frame.clamp(1, ANY_STEPS),
            keyframes_mb: self.keyframes_mb.clamp(*KEYFRAMES_MB.start(), *KEYFRAMES_MB.end()),
            window_px: (side_px(self.window_px.0), side_px(self.window_px.1)),
            recording: self.recording.clone().within_reason(),
            figure: self.figure.clone().within_reason(),
            ..self
        };
        settings.set_interface_scale(self.interface_scale);
        settings.tidy_recent();
        settings
    }
}

/// The most and the fewest frames of a second.
pub const RATES: std::ops::RangeInclusive<u32> = 1..=60;

/// The slowest and the fastest video of a run that is recorded again.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1000.0;

/// What recordings are like.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordingOptions {
    /// The format of the file.
    pub format: VideoFormat,
    /// Width and height of a frame in pixels.
    pub size_px: (u32, u32),
    /// Frames in a second.
    pub frames_per_s: u32,
    /// Simulated seconds per second of the video of a run that is recorded again.
    pub speed: f64,
    /// Where files go; without it, to the folder of the scene.
    pub folder: Option<PathBuf>,
    /// Whether the name of the scene is shown.
    pub title: bool,
    /// Whether the simulated time is shown.
    pub clock: bool,
    /// Whether the seed is shown.
    pub seed: bool,
    /// Whether what metrics observe is shown as numbers.
    pub values: bool,
    /// Whether recording goes on while time stands still.
    pub pauses: bool,
}

impl Default for RecordingOptions {
    fn default() -> Self {
        Self {
            format: VideoFormat::default(),
            size_px: (1280, 720),
            frames_per_s: 30,
            speed: 1.0,
            folder: None,
            title: false,
            clock: true,
            seed: false,
            values: false,
            pauses: true,
        }
    }
}

/// The formats, by the ending of a file's name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub enum VideoFormat {
    /// H.264.
    #[default]
    Mp4,
    /// An animated GIF.
    Gif,
    /// An animated PNG.
    Apng,
    /// A folder of PNG files.
    Png,
}

impl VideoFormat {
    /// The name of a file, or of a folder, with a stem.
    pub fn file_name(self, stem: &str) -> String {
        match self {
            Self::Mp4 => format!("{stem}.mp4"),
            Self::Gif => format!("{stem}.gif"),
            Self::Apng => format!("{stem}.apng"),
            Self::Png => stem.into(),
        }
    }
}

impl RecordingOptions {
    /// Brings what somebody wrote into the file of the settings into range.
    pub fn within_reason(self) -> Self {
        let side = |side: u32| side.clamp(*SIDES_PX.start(), *SIDES_PX.end());
        Self {
            size_px: (side(self.size_px.0), side(self.size_px.1)),
            frames_per_s: self.frames_per_s.clamp(*RATES.start(), *RATES.end()),
            speed: if self.speed.is_finite() { self.speed.clamp(*SPEEDS.start(), *SPEEDS.end()) } else { 1.0 },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_files_are_the_last_ones_first_and_once() {
        let mut settings = Settings::default();
        (0..20).for_each(|number| settings.add_recent(Path::new(&format!("/{number}.ron"))));
        settings.add_recent(Path::new("/15.ron"));
        assert_eq!(settings.recent[..3], ["/15.ron", "/19.ron", "/18.ron"].map(String::from));
        assert_eq!(settings.recent.len(), MOST_RECENT);
        settings.add_recent(Path::new("here.ron"));
        assert!(Path::new(&settings.recent[0]).is_absolute());
    }
}

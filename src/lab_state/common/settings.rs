//! The settings that the lab saves.

pub mod figure;
pub mod plots;

pub use figure::{FigureContent, FigureFormat, FigureOptions, FigureTime};
pub use plots::{PlotLayout, RobotPlot};

use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};
use swarmarium_host::timeline::DEFAULT_BUDGET_BYTES;
use swarmarium_picture::palette::Theme;
use swarmarium_video::SIDES_PX;

use crate::common::layout::Layout;
use crate::common::places::absolute;

/// The range of the interface scale.
pub const INTERFACE_SCALES: std::ops::RangeInclusive<f32> = 0.5..=3.0;

/// No limit of steps between two frames.
pub const ANY_STEPS: u64 = 1_000_000;

/// The saved settings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct Settings {
    /// Dark or light theme.
    pub theme: Theme,
    /// Size of texts and panels; 1 is the size of the system.
    pub interface_scale: f32,
    /// Whether bars and panels are shown. Every window begins with them.
    #[serde(skip, default = "shown")]
    pub panels: bool,
    /// Whether each frame waits for the screen.
    pub vsync: bool,
    /// The largest number of steps between two frames.
    pub max_steps_per_frame: u64,
    /// The memory limit of keyframes, in MB.
    pub keyframes_mb: u32,
    /// The layout of panels.
    pub layout: Layout,
    /// Size of the window in logical pixels.
    pub window_px: (u32, u32),
    /// The settings of recordings.
    pub recording: RecordingOptions,
    /// The settings of exported figures.
    pub figure: FigureOptions,
    /// Whether the tour was taken or skipped.
    pub toured: bool,
    /// Recently opened files, the last one first.
    pub recent: Vec<String>,
    /// Whether plots have a legend.
    pub legend: bool,
    /// Whether the world has a legend of its marks.
    pub mark_legend: bool,
    /// The arrangement of plots.
    pub plots: PlotLayout,
    /// Whether a change that takes effect at a reset restarts the run.
    pub restart_on_change: bool,
    /// Whether the future of a value under the pointer is shown.
    pub forecasts: bool,
    /// The duration of forecasts, in simulated seconds.
    pub forecast_s: f64,
    /// The seed of random values drawn in the window.
    pub dice_seed: u64,
    /// The number of random draws so far.
    pub throws: u64,
}

/// Panels are shown at first.
const fn shown() -> bool {
    true
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
            mark_legend: false,
            plots: PlotLayout::default(),
            restart_on_change: true,
            forecasts: true,
            forecast_s: FORECAST_S,
            dice_seed: 1,
            throws: 0,
        }
    }
}

/// The default duration of forecasts, in simulated seconds.
const FORECAST_S: f64 = 10.0;

/// The range of the duration of forecasts, in simulated seconds.
pub const FORECASTS_S: std::ops::RangeInclusive<f64> = 1.0..=600.0;

/// The default memory limit of keyframes, in MB.
pub const USUAL_KEYFRAMES_MB: u32 = (DEFAULT_BUDGET_BYTES >> 20) as u32;

/// The range of the memory limit of keyframes, in MB.
pub const KEYFRAMES_MB: std::ops::RangeInclusive<u32> = 1..=65_536;

/// The largest number of recent files.
const MOST_RECENT: usize = 10;

/// The range of a side of the window.
const WINDOW_PX: std::ops::RangeInclusive<u32> = 200..=16_384;

impl Settings {
    /// Adds a file to the recent files.
    pub fn add_recent(&mut self, path: &Path) {
        self.recent.insert(0, absolute(path));
        self.tidy_recent();
    }

    /// Sets the size of texts and panels, clamped to its range.
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

    /// Clamps values of the settings file to their ranges.
    pub fn within_reason(self) -> Self {
        let standard = Self::default();
        let side_px = |px: u32| px.clamp(*WINDOW_PX.start(), *WINDOW_PX.end());
        let mut settings = Self {
            interface_scale: standard.interface_scale,
            max_steps_per_frame: self.max_steps_per_frame.clamp(1, ANY_STEPS),
            keyframes_mb: self.keyframes_mb.clamp(*KEYFRAMES_MB.start(), *KEYFRAMES_MB.end()),
            forecast_s: self.forecast_s.clamp(*FORECASTS_S.start(), *FORECASTS_S.end()),
            window_px: (side_px(self.window_px.0), side_px(self.window_px.1)),
            recording: self.recording.clone().within_reason(),
            figure: self.figure.clone().within_reason(),
            plots: self.plots.clone().within_reason(),
            ..self
        };
        settings.set_interface_scale(self.interface_scale);
        settings.tidy_recent();
        settings
    }
}

/// The range of frames per second.
pub const RATES: std::ops::RangeInclusive<u32> = 1..=60;

/// The range of the length after which a recording ends, in seconds.
pub const LENGTHS_S: std::ops::RangeInclusive<f64> = 0.1..=36_000.0;

/// The range of the speed of a video of a run that is recorded again.
pub const SPEEDS: std::ops::RangeInclusive<f64> = 0.01..=1000.0;

/// The settings of recordings.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default)]
pub struct RecordingOptions {
    /// The format of the file.
    pub format: VideoFormat,
    /// Width and height of a frame in pixels.
    pub size_px: (u32, u32),
    /// Frames per second.
    pub frames_per_s: u32,
    /// Simulated seconds per second of the video of a run that is recorded again.
    pub speed: f64,
    /// The folder of files; `None` for that of the scene.
    pub folder: Option<PathBuf>,
    /// Whether the name of the scene is shown.
    pub title: bool,
    /// Whether the simulated time is shown.
    pub clock: bool,
    /// Whether the seed is shown.
    pub seed: bool,
    /// Whether values of metrics are shown.
    pub values: bool,
    /// Whether each change is named for some seconds.
    pub captions: bool,
    /// Whether the plots lie under the world.
    pub plots: bool,
    /// Whether pauses are recorded.
    pub pauses: bool,
    /// The length of a video in seconds after which its recording ends; `None` for no limit.
    pub length_s: Option<f64>,
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
            captions: true,
            plots: true,
            pauses: true,
            length_s: None,
        }
    }
}

/// The formats, by file extension.
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
    /// Returns the name of a file or folder with a stem.
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
    /// Clamps values of the settings file to their ranges.
    pub fn within_reason(self) -> Self {
        let side = |side: u32| side.clamp(*SIDES_PX.start(), *SIDES_PX.end());
        Self {
            size_px: (side(self.size_px.0), side(self.size_px.1)),
            frames_per_s: self.frames_per_s.clamp(*RATES.start(), *RATES.end()),
            length_s: self.length_s.map(|length_s| length_s.clamp(*LENGTHS_S.start(), *LENGTHS_S.end())),
            speed: if self.speed.is_finite() { self.speed.clamp(*SPEEDS.start(), *SPEEDS.end()) } else { 1.0 },
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn recent_files_are_unique_and_newest_first() {
        let mut settings = Settings::default();
        (0..20).for_each(|number| settings.add_recent(Path::new(&format!("/{number}.ron"))));
        settings.add_recent(Path::new("/15.ron"));
        assert_eq!(settings.recent[..3], ["/15.ron", "/19.ron", "/18.ron"].map(String::from));
        assert_eq!(settings.recent.len(), MOST_RECENT);
        settings.add_recent(Path::new("here.ron"));
        assert!(Path::new(&settings.recent[0]).is_absolute());
    }
}

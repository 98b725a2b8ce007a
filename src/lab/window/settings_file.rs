//! The file of the settings.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::Context as _;
use bevy::app::AppExit;
use bevy::prelude::*;
use bevy::window::Monitor;
use directories::ProjectDirs;
use ron::error::SpannedError;
use ron::ser::PrettyConfig;
use swarmarium_base::files::{open_with, write_whole};
use swarmarium_base::problem::Problems;
use swarmarium_lab_state::common::settings::Settings;
use swarmarium_scene::scene::reader::read_text;

use crate::window::engine::{Engine, LAST_PATIENCE};

/// The shortest time between two writes.
const PAUSE: Duration = Duration::from_secs(2);

/// An invalid settings file.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
#[error(
    "{}: the settings are invalid; the default settings are used\n{reason}\n{}",
    .path.display(),
    what_was_done(.aside.as_deref())
)]
pub struct BrokenSettings {
    path: PathBuf,
    reason: SettingsError,
    /// The path of the copy; `None` if it could not be made.
    aside: Option<PathBuf>,
}

/// The reason why settings are invalid.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum SettingsError {
    /// The file cannot be read.
    #[error(transparent)]
    Unreadable(#[from] Problems),
    /// The text of the file has an error.
    #[error(transparent)]
    Syntax(#[from] SpannedError),
}

/// Returns a sentence about the copy of an invalid settings file.
fn what_was_done(aside: Option<&Path>) -> String {
    match aside {
        Some(aside) => format!("The file was kept as {}.", aside.display()),
        None => "Settings are not saved in this session.".into(),
    }
}

/// The file of the settings.
#[derive(Resource, Debug, Default)]
pub struct SettingsFile {
    /// `None` if nothing is saved.
    path: Option<PathBuf>,
    /// The settings in the file.
    saved: Settings,
    /// The time of the last write since the program started.
    saved_at: Option<Duration>,
}

impl SettingsFile {
    /// Returns the file in the settings folder of the user.
    pub fn of_user() -> Self {
        let folders = ProjectDirs::from("", "", "swarmarium");
        Self { path: folders.map(|folders| folders.config_dir().join("lab.ron")), ..Self::default() }
    }

    /// Returns the folder of presets beside the file; `None` if nothing is saved.
    pub fn presets_folder(&self) -> Option<PathBuf> {
        Some(self.path.as_ref()?.parent()?.join("presets"))
    }

    /// Reads the saved settings, and reports an error if they are invalid.
    ///
    /// An invalid file is renamed, so that its content is not lost.
    pub fn recall(&mut self) -> (Settings, Result<(), BrokenSettings>) {
        let Some(path) = self.path.clone() else { return (Settings::default(), Ok(())) };
        if path.symlink_metadata().is_err_and(|error| error.kind() == ErrorKind::NotFound) {
            return (Settings::default(), Ok(()));
        }
        match read_text(&path).map_err(SettingsError::from).and_then(|text| Ok(parse(&text)?)) {
            Ok(settings) => {
                self.saved = settings.clone();
                (settings, Ok(()))
            }
            Err(reason) => (Settings::default(), Err(self.put_aside(path, reason))),
        }
    }

    /// Renames an invalid file.
    fn put_aside(&mut self, path: PathBuf, reason: SettingsError) -> BrokenSettings {
        let aside = path.with_added_extension("broken");
        let aside = fs::rename(&path, &aside).is_ok().then_some(aside);
        if aside.is_none() {
            self.path = None;
        }
        BrokenSettings { path, reason, aside }
    }

    /// Saves the settings if they changed and the last write is some time ago.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; then there are no further attempts.
    pub fn keep(&mut self, settings: &Settings, now: Duration) -> anyhow::Result<()> {
        if self.saved_at.is_some_and(|then| now.saturating_sub(then) < PAUSE) {
            return Ok(());
        }
        self.saved_at = Some(now);
        self.keep_now(settings)
    }

    /// Saves the settings if they changed.
    ///
    /// # Errors
    /// Returns an error if they cannot be written; then there are no further attempts.
    pub fn keep_now(&mut self, settings: &Settings) -> anyhow::Result<()> {
        let Some(path) = self.path.as_deref().filter(|_| *settings != self.saved) else { return Ok(()) };
        let done = write(path, settings).context("The settings cannot be saved");
        if done.is_ok() {
            self.saved = settings.clone();
        } else {
            self.path = None;
        }
        done
    }
}

fn parse(text: &str) -> Result<Settings, SpannedError> {
    ron::from_str(text).map(Settings::within_reason)
}

fn write(path: &Path, settings: &Settings) -> anyhow::Result<()> {
    let text = ron::ser::to_string_pretty(settings, PrettyConfig::default())?;
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    // Only one window may write the file. Without file locks, this cannot be ensured.
    let lock = path.with_added_extension("lock");
    let lock = open_with(&lock, File::options().write(true).create(true).truncate(true))?;
    let _ = lock.lock();
    write_whole(path, &(text + "\n"))
}

/// Saves the settings of the lab from time to time and when the window closes.
pub(super) fn plugin(memory: SettingsFile, size_was_asked_for: bool) -> impl Plugin {
    let memory = std::sync::Mutex::new(Some(memory));
    move |app: &mut App| {
        let memory = memory.lock().ok().and_then(|mut memory| memory.take()).unwrap_or_default();
        app.insert_resource(memory).add_systems(Last, keep_at_exit);
        if !size_was_asked_for {
            app.add_systems(Update, fit_on_screen);
        }
    }
}

fn keep_at_exit(mut memory: ResMut<SettingsFile>, engine: Res<Engine>, exits: MessageReader<AppExit>) {
    if !exits.is_empty()
        && let Some(lab) = engine.lab_within(LAST_PATIENCE)
    {
        // An error can no longer be shown.
        let _ = memory.keep_now(&lab.shell.settings);
    }
}

/// Reduces a saved window size to that of the screen, once the screens are known.
fn fit_on_screen(mut done: Local<bool>, monitors: Query<&Monitor>, mut window: Single<&mut Window>) {
    if *done || monitors.is_empty() {
        return;
    }
    *done = true;
    let size_px = |monitor: &Monitor| (monitor.physical_width, monitor.physical_height);
    let largest = monitors.iter().map(size_px).fold((0, 0), |a, b| (a.0.max(b.0), a.1.max(b.1)));
    let resolution = &window.resolution;
    let size = (resolution.physical_width(), resolution.physical_height());
    let fitting = fitting(size, largest);
    if fitting != size {
        window.resolution.set_physical_resolution(fitting.0, fitting.1);
    }
}

/// Returns the size of a window on a screen that may be smaller.
fn fitting(window_px: (u32, u32), screen_px: (u32, u32)) -> (u32, u32) {
    // A screen without a size gives no limit.
    let side = |window: u32, screen: u32| if screen == 0 { window } else { window.min(screen) };
    (side(window_px.0, screen_px.0), side(window_px.1, screen_px.1))
}

#[cfg(test)]
mod tests {
    use swarmarium_lab_state::common::layout::{Layout, Pane};
    use swarmarium_lab_state::common::settings::INTERFACE_SCALES;
    use swarmarium_picture::palette::Theme;

    use super::*;

    /// A settings file in a folder that does not exist yet.
    fn memory_in(place: &tempfile::TempDir) -> SettingsFile {
        SettingsFile { path: Some(place.path().join("new/lab.ron")), ..SettingsFile::default() }
    }

    fn changed() -> Settings {
        let mut settings = Settings { theme: Theme::Light, interface_scale: 1.25, ..Settings::default() };
        settings.layout.resize(Pane::Gallery, 301.5);
        settings.layout.close(Pane::Tree);
        settings.add_recent(Path::new("/scenes/a.ron"));
        settings
    }

    fn file_of(memory: &SettingsFile) -> PathBuf {
        memory.path.clone().unwrap()
    }

    #[test]
    fn settings_round_trip() {
        let place = tempfile::tempdir().unwrap();
        assert_eq!(memory_in(&place).recall(), (Settings::default(), Ok(())));
        memory_in(&place).keep_now(&changed()).unwrap();
        assert_eq!(memory_in(&place).recall(), (changed(), Ok(())));
        let names = fs::read_dir(place.path().join("new")).unwrap().count();
        assert_eq!(names, 2, "the file and its lock");
    }

    #[test]
    fn settings_are_not_written_without_a_change_without_a_path_or_too_soon() {
        let place = tempfile::tempdir().unwrap();
        let mut memory = memory_in(&place);
        let seconds = Duration::from_secs_f64;
        memory.keep(&Settings::default(), seconds(0.0)).unwrap();
        assert!(!file_of(&memory).exists());
        memory.keep(&changed(), seconds(1.9)).unwrap();
        assert!(!file_of(&memory).exists());
        memory.keep(&changed(), seconds(2.1)).unwrap();
        assert!(file_of(&memory).exists());
        SettingsFile::default().keep_now(&changed()).unwrap();
    }

    #[test]
    fn a_broken_settings_file_is_kept_aside() {
        let place = tempfile::tempdir().unwrap();
        let mut memory = memory_in(&place);
        let path = file_of(&memory);
        fs::create_dir(path.parent().unwrap()).unwrap();
        for broken in [&b"(theme: Purple)"[..], b"\xff\xfe", b"", b"(vsync: \"often\")"] {
            fs::write(&path, broken).unwrap();
            let (settings, told) = memory.recall();
            assert_eq!(settings, Settings::default());
            assert!(told.unwrap_err().to_string().contains("lab.ron.broken"));
            assert_eq!(fs::read(path.with_added_extension("broken")).unwrap(), broken);
            assert!(!path.exists());
        }
    }

    #[test]
    fn an_unreadable_settings_file_is_left_alone() {
        let place = tempfile::tempdir().unwrap();
        let mut memory = memory_in(&place);
        let path = file_of(&memory);
        // A folder is not a file, and this one cannot be renamed to a folder with content.
        fs::create_dir_all(path.join("in the way")).unwrap();
        fs::create_dir_all(path.with_added_extension("broken").join("too")).unwrap();
        assert!(memory.recall().1.is_err());
        memory.keep_now(&changed()).unwrap();
        assert!(path.is_dir());
    }

    #[test]
    fn settings_are_clamped_and_fields_may_be_missing_or_unknown() {
        let settings = parse(
            "(interface_scale: 900.0, left_px: -5.0, gallery: false, window_px: (0, 99999999), max_steps_per_frame: 0,
              from_the_future: Some([(1, 2)]), recent: [\"\", \"/a\", \"/b\", \"/a\"])",
        )
        .unwrap();
        assert_eq!(settings.interface_scale, *INTERFACE_SCALES.end());
        assert_eq!(settings.layout, Layout::default(), "sizes of before the layout are left");
        assert_eq!(settings.window_px, (200, 16_384));
        assert_eq!(settings.max_steps_per_frame, 1);
        assert_eq!(settings.recent, ["/a", "/b"]);
        assert_eq!(settings.theme, Theme::default());
        assert_eq!(parse("()"), Ok(Settings::default()));
    }

    #[test]
    fn an_invalid_layout_leaves_the_other_settings() {
        let mut settings = parse("(vsync: true, layout: \"(version: 77)\")").unwrap();
        assert!(settings.vsync);
        assert!(settings.layout.take_refused().is_some_and(|told| told.lines().count() > 1));
        assert_eq!(settings.layout, Layout::default());
    }

    #[test]
    fn a_failed_write_of_settings_is_reported_once() {
        let place = tempfile::tempdir().unwrap();
        fs::write(place.path().join("new"), "no folder").unwrap();
        let mut memory = memory_in(&place);
        assert!(memory.keep_now(&changed()).is_err());
        assert!(memory.keep_now(&changed()).is_ok());
    }

    #[test]
    fn parallel_windows_leave_a_valid_settings_file() {
        let place = tempfile::tempdir().unwrap();
        std::thread::scope(|scope| {
            for window in 0..4_u8 {
                let mut memory = memory_in(&place);
                scope.spawn(move || {
                    for change in 0..20_u8 {
                        let max_steps_per_frame = 1 + u64::from(window) * 20 + u64::from(change);
                        memory.keep_now(&Settings { max_steps_per_frame, ..changed() }).unwrap();
                    }
                });
            }
        });
        assert_eq!(memory_in(&place).recall().1, Ok(()));
    }

    #[test]
    fn a_window_fits_on_its_screen() {
        assert_eq!(fitting((2560, 1440), (1366, 768)), (1366, 768));
        assert_eq!(fitting((1280, 800), (1366, 768)), (1280, 768));
        assert_eq!(fitting((1280, 800), (0, 0)), (1280, 800));
    }
}

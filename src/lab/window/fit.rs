//! The first size of the window on the screen: a window that would not fit with its title bar is maximised.

use bevy::prelude::*;
use bevy::window::{Monitor, PrimaryMonitor};

/// Width and height of the frame of a window and of the bars of a desktop, in logical pixels.
const AROUND_PX: Vec2 = Vec2::new(16.0, 100.0);

/// The smallest size of the window that is not maximised, in logical pixels.
const LEAST_PX: Vec2 = Vec2::new(320.0, 240.0);

/// The stage of the placement.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Stage {
    /// The screen is not known yet.
    #[default]
    Waits,
    /// The window is maximised as soon as it is visible; window managers ignore hidden windows.
    Maximises,
    /// Nothing remains to do.
    Done,
}

/// Adds the system that fits the window to the screen, unless the user has given a size.
pub(super) fn plugin(app: &mut App) {
    app.add_systems(PreUpdate, fit);
}

fn fit(mut window: Single<&mut Window>, screens: Query<(&Monitor, Has<PrimaryMonitor>)>, mut stage: Local<Stage>) {
    match *stage {
        Stage::Waits => {
            let screen = screens.iter().find(|(_, is_primary)| *is_primary).or_else(|| screens.iter().next());
            let Some((screen, _)) = screen else { return };
            let screen_px = screen.physical_size().as_vec2() / screen.scale_factor as f32;
            match fitted(window.size(), screen_px) {
                None => *stage = Stage::Done,
                Some(size) => {
                    window.resolution.set(size.x, size.y);
                    *stage = Stage::Maximises;
                }
            }
        }
        Stage::Maximises if window.visible => {
            window.set_maximized(true);
            *stage = Stage::Done;
        }
        Stage::Maximises | Stage::Done => {}
    }
}

/// Returns the size of a window until it is maximised on a screen, in logical pixels; `None` if the window fits there.
fn fitted(window_px: Vec2, screen_px: Vec2) -> Option<Vec2> {
    let most_px = (screen_px - AROUND_PX).max(LEAST_PX);
    let fits = window_px.cmple(most_px).all();
    (!fits).then(|| window_px.min(most_px))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn windows_fit_their_screen_with_a_title_bar() {
        let size =
            |window: [f32; 2], screen: [f32; 2]| fitted(window.into(), screen.into()).map(|size| size.to_array());
        assert_eq!(size([1280.0, 800.0], [1920.0, 1080.0]), None);
        assert_eq!(size([1280.0, 800.0], [1280.0, 800.0]), Some([1264.0, 700.0]));
        assert_eq!(size([1280.0, 800.0], [1366.0, 768.0]), Some([1280.0, 668.0]));
        assert_eq!(size([1280.0, 800.0], [1024.0, 640.0]), Some([1008.0, 540.0]));
        assert_eq!(size([1280.0, 800.0], [100.0, 100.0]), Some([320.0, 240.0]), "a window is never empty");
    }

    #[test]
    fn a_window_on_a_small_screen_shrinks_and_is_maximised_when_it_is_visible() {
        let mut app = App::new();
        app.add_plugins(plugin);
        let window = app.world_mut().spawn(Window { visible: false, ..default() }).id();
        app.update();
        let get = |app: &App| app.world().get::<Window>(window).cloned().unwrap();
        assert_eq!(get(&app).size(), Vec2::new(1280.0, 720.0), "the screen is not known yet");
        let screen = Monitor {
            name: None,
            physical_width: 2048,
            physical_height: 1280,
            physical_position: IVec2::ZERO,
            refresh_rate_millihertz: None,
            scale_factor: 2.0,
            video_modes: Vec::new(),
        };
        app.world_mut().spawn((screen, PrimaryMonitor));
        app.update();
        assert_eq!(get(&app).size(), Vec2::new(1008.0, 540.0));
        assert_eq!(get(&app).internal.take_maximize_request(), None);
        app.world_mut().get_mut::<Window>(window).unwrap().visible = true;
        app.update();
        assert_eq!(get(&app).internal.take_maximize_request(), Some(true));
    }
}

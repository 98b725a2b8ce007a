//! The window of the lab: the Bevy app and its systems.

pub mod direct;
pub mod display;
pub mod engine;
pub mod figures;
pub mod fit;
pub mod input;
pub mod last_frame;
pub mod painter;
#[cfg(test)]
pub mod painters;
pub mod reveal;
pub mod settings_file;
pub mod shot;
pub mod tessellate;

use std::time::Duration;

use bevy::app::{AppExit, TaskPoolThreadAssignmentPolicy};
use bevy::log::{Level, LogPlugin};
use bevy::prelude::*;
use bevy::render::RenderPlugin;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::window::{ExitCondition, MonitorSelection, PresentMode, WindowDestroyed, WindowMode, WindowResolution};
use bevy::winit::{UpdateMode, WinitSettings};
use bevy_egui::render::EGUI_SHADER_HANDLE;
use bevy_egui::{EguiContexts, EguiPlugin, EguiPrimaryContextPass, egui};
use swarmarium_lab_panels::frame::Panels;
use swarmarium_lab_state::app::{Lab, Options};
use swarmarium_lab_state::common::frame::{Frames, REST};

use crate::window::engine::{Engine, PATIENCE};
use crate::window::last_frame::LastFrame;
use crate::window::settings_file::SettingsFile;

/// The exit status of an app whose window was destroyed by another program.
pub(super) const DESTROYED: u8 = 2;

pub(super) fn app(
    engine: Engine,
    window: Window,
    options: &Options,
    report: shot::Report,
    memory: SettingsFile,
) -> App {
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin { primary_window: Some(window), exit_condition: ExitCondition::OnAllClosed, ..default() })
            .set(TaskPoolPlugin { task_pool_options: task_pools() })
            // Errors only: messages of drivers and displays would hide those of the program.
            .set(LogPlugin { level: Level::ERROR, filter: "error".into(), ..default() })
            // A screenshot must not miss shapes whose pipeline still compiles.
            .set(RenderPlugin {
                synchronous_pipeline_compilation: options.screenshot.is_some(),
                render_creation: display::renderer(),
                ..default()
            }),
    )
    // There are few textures, and the shader binds them one by one.
    .add_plugins(EguiPlugin { bindless_mode_array_size: None })
    // Time continues while another window has the focus.
    .insert_resource(WinitSettings::continuous())
    .insert_resource(engine)
    .init_resource::<Panels>()
    .init_resource::<Frames>()
    .add_systems(EguiPrimaryContextPass, show)
    .add_systems(Last, (end_without_window, pace, throttle))
    .add_plugins((
        input::plugin(options.screenshot.is_some()),
        painter::plugin,
        direct::plugin,
        last_frame::plugin,
        reveal::plugin,
        shot::plugin(report),
        settings_file::plugin(memory, options.size_px.is_some()),
    ));
    // A given size is kept, and so is that of a screenshot.
    if options.size_px.is_none() && options.screenshot.is_none() {
        app.add_plugins(fit::plugin);
    }
    let shader = Shader::from_wgsl(include_str!("egui.wgsl"), "egui.wgsl");
    // Cannot fail: the handle is reserved for this shader.
    let _ = app.world_mut().resource_mut::<Assets<Shader>>().insert(EGUI_SHADER_HANDLE.id(), shader);
    app
}

/// Returns the threads of Bevy: at least two for systems, because one may wait until the last frame is presented while
/// the other one makes the next frame. Bevy uses only one on machines with two cores.
fn task_pools() -> TaskPoolOptions {
    let default = TaskPoolOptions::default();
    let compute = TaskPoolThreadAssignmentPolicy { min_threads: 2, ..default.compute.clone() };
    TaskPoolOptions { compute, ..default }
}

pub(super) fn window(lab: &Lab) -> Window {
    let (width, height) = lab.shell.settings.window_px;
    Window {
        title: lab.window_title(),
        name: Some("swarmarium".into()),
        resolution: WindowResolution::new(width, height),
        present_mode: present_mode(lab.shell.settings.vsync),
        visible: false,
        ..default()
    }
}

fn present_mode(vsync: bool) -> PresentMode {
    if vsync { PresentMode::AutoVsync } else { PresentMode::AutoNoVsync }
}

/// Draws the panels, executes the requested actions, and updates the window. This is a single system, because each lock
/// of the lab may wait for a step. If a step is longer than expected, the last frame is shown again.
fn show(
    mut commands: Commands,
    mut contexts: EguiContexts,
    engine: Res<Engine>,
    mut panels: ResMut<Panels>,
    mut memory: ResMut<SettingsFile>,
    (mut frames, mut last): (ResMut<Frames>, ResMut<LastFrame>),
    canvas: Res<painter::Canvas>,
    adapter: Res<RenderAdapterInfo>,
    time: Res<Time<Real>>,
    mut window: Single<&mut Window>,
    mut exit: MessageWriter<AppExit>,
) -> Result {
    let ctx = contexts.ctx_mut()?.clone();
    let Some(mut lab) = engine.lab_within(PATIENCE) else {
        last.miss(&ctx);
        return Ok(());
    };
    last.return_focus(&ctx);
    let is_smooth = painter::is_smooth(&adapter, &lab);
    ctx.tessellation_options_mut(|options| options.feathering = is_smooth);
    let layer = egui::UiBuilder::new().layer_id(egui::LayerId::background()).max_rect(ctx.viewport_rect());
    let mut ui = egui::Ui::new(ctx.clone(), "lab".into(), layer);
    panels.ui(&mut ui, &mut lab, &canvas.picture);
    let has_input = ctx.input(|input| !input.events.is_empty() || input.pointer.any_down());
    if has_input || ctx.has_requested_repaint() || canvas.has_changed || lab.is_under_way() {
        frames.change();
    }
    follow(&mut lab, &mut window);
    shot::take(&mut commands, &mut lab);
    let kept = memory.keep(&lab.shell.settings, time.elapsed());
    lab.notices.tell(kept);
    if lab.shell.quit {
        exit.write(AppExit::Success);
    }
    Ok(())
}

/// Applies requested changes to the window, and remembers its size.
fn follow(lab: &mut Lab, window: &mut Window) {
    let title = lab.window_title();
    if window.title != title {
        window.title = title;
    }
    let mode = match lab.shell.full_screen {
        true => WindowMode::BorderlessFullscreen(MonitorSelection::Current),
        false => WindowMode::Windowed,
    };
    if window.mode != mode {
        window.mode = mode;
    }
    let present_mode = present_mode(lab.shell.settings.vsync);
    if window.present_mode != present_mode {
        window.present_mode = present_mode;
    }
    if window.mode == WindowMode::Windowed {
        lab.shell.settings.window_px = (window.width() as u32, window.height() as u32);
    }
}

/// Ends the app when another program, such as the window manager, destroys the window; Bevy would continue without a
/// window. A window that closes normally is removed before it is destroyed.
fn end_without_window(
    mut destroyed: MessageReader<WindowDestroyed>,
    windows: Query<(), With<Window>>,
    mut exit: MessageWriter<AppExit>,
) {
    if destroyed.read().any(|message| windows.contains(message.window)) {
        exit.write(AppExit::from_code(DESTROYED));
    }
}

/// Lets the next frame wait for an event if nothing has changed for a while.
fn pace(frames: Res<Frames>, mut settings: ResMut<WinitSettings>) {
    let mode = match frames.is_at_rest() {
        true => UpdateMode::reactive_low_power(REST),
        false => UpdateMode::Continuous,
    };
    if settings.focused_mode != mode {
        *settings = WinitSettings { focused_mode: mode, unfocused_mode: mode };
    }
}

/// Sleeps until the next frame may be drawn.
fn throttle(frames: Res<Frames>) {
    let rest = frames.rest();
    if rest > Duration::ZERO {
        std::thread::sleep(rest);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_without_changes_waits_for_events() {
        let mut app = App::new();
        app.init_resource::<Frames>().insert_resource(WinitSettings::continuous()).add_systems(Last, pace);
        app.update();
        assert_eq!(app.world().resource::<WinitSettings>().focused_mode, UpdateMode::Continuous);
        app.world_mut().resource_mut::<Frames>().pretend_rest();
        app.update();
        let settings = app.world().resource::<WinitSettings>();
        assert_eq!([settings.focused_mode, settings.unfocused_mode], [UpdateMode::reactive_low_power(REST); 2]);
    }

    #[test]
    fn a_window_that_is_destroyed_ends_the_application() {
        let mut app = App::new();
        app.add_message::<WindowDestroyed>().add_systems(Last, end_without_window);
        let window = app.world_mut().spawn(Window::default()).id();
        app.update();
        assert_eq!(app.should_exit(), None);
        app.world_mut().write_message(WindowDestroyed { window });
        app.update();
        assert_eq!(app.should_exit(), Some(AppExit::from_code(DESTROYED)));
    }

    #[test]
    fn a_closed_window_is_not_an_error() {
        let mut app = App::new();
        app.add_message::<WindowDestroyed>().add_systems(Last, end_without_window);
        let window = app.world_mut().spawn(Window::default()).id();
        app.world_mut().despawn(window);
        app.world_mut().write_message(WindowDestroyed { window });
        app.update();
        assert_eq!(app.should_exit(), None);
    }
}

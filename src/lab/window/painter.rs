//! The painter of the window: converts the picture of each shown world to figures when the picture changes.

use std::sync::Arc;
use std::time::Duration;

use bevy::camera::visibility::NoFrustumCulling;
use bevy::prelude::*;
use bevy::render::renderer::RenderAdapterInfo;
use bevy::time::TimeSystems;
use bevy_egui::egui;
use swarmarium_lab_state::app::Lab;
use swarmarium_lab_state::common::frame::Frames;
use swarmarium_picture::Picture;
use swarmarium_picture::camera::Camera;
use swarmarium_picture::palette::{Role, Theme};

use crate::window::engine::{Engine, PATIENCE};
use crate::window::figures::{self, Figures, Placement, Stores};
use crate::window::tessellate::Tessellator;
use crate::window::{direct, display};

/// Adds the camera, the mesh of the world and the painting system.
pub(super) fn plugin(app: &mut App) {
    app.add_plugins(figures::plugin)
        .init_resource::<ClearColor>()
        .add_systems(Startup, set_up)
        // First, because a frame without the lab takes no input.
        .add_systems(First, paint.after(TimeSystems));
}

/// The panes of worlds, with reused buffers.
#[derive(Resource)]
pub struct Canvas {
    /// The picture of the simulation.
    pub picture: Arc<Picture>,
    /// The panes of the simulation and of the compared one.
    panes: [Pane; 2],
    tessellator: Tessellator,
    /// Whether this frame shows another picture than the last one.
    pub has_changed: bool,
    /// Whether a step has kept the lab in this frame, so that the last picture stays.
    pub waits: bool,
}

/// A part of the window that shows a world.
struct Pane {
    figures: Figures,
    entity: Entity,
    /// The input of the present figures: while it does not change, they are kept.
    shown: Option<Shown>,
}

/// The input of the figures of a pane.
#[derive(Clone, PartialEq)]
struct Shown {
    camera: Camera,
    theme: Theme,
    // Compared last, because it takes longest.
    picture: Arc<Picture>,
}

/// The view of a world in a frame.
struct Look {
    shown: Shown,
    /// The rectangle in the window, in points; figures are clipped to it.
    rect_px: egui::Rect,
}

fn set_up(mut commands: Commands, mut stores: Stores, adapter: Res<RenderAdapterInfo>, engine: Res<Engine>) {
    let is_smooth = is_smooth(&adapter, &engine.lab());
    let mut camera = commands.spawn((Camera2d, if is_smooth { Msaa::Sample4 } else { Msaa::Off }));
    if !is_smooth {
        camera.insert(direct::graph());
    }
    let panes = [(); 2].map(|()| {
        let figures = Figures::new(&mut stores);
        let entity = commands.spawn((figures.look(), NoFrustumCulling, Visibility::Hidden)).id();
        Pane { figures, entity, shown: None }
    });
    commands.insert_resource(Canvas {
        picture: Arc::default(),
        panes,
        tessellator: Tessellator::default(),
        has_changed: true,
        waits: false,
    });
}

/// Whether edges are smooth. On a software renderer this halves the frame rate, so there only screenshots are smooth.
pub(super) fn is_smooth(adapter: &RenderAdapterInfo, lab: &Lab) -> bool {
    lab.files.shots.target.is_some() || !display::is_software(adapter)
}

/// Paints the world, if no step keeps the lab longer than expected.
pub(super) fn paint(
    engine: Res<Engine>,
    mut canvas: ResMut<Canvas>,
    mut stores: Stores,
    mut frames: ResMut<Frames>,
    mut visibilities: Query<&mut Visibility>,
    mut ground: ResMut<ClearColor>,
    window: Single<&Window>,
    time: Res<Time<Real>>,
) -> Result {
    let Canvas { picture, panes, tessellator, has_changed, waits } = &mut *canvas;
    *has_changed = false;
    frames.begin();
    let patience = if *waits { Duration::ZERO } else { PATIENCE };
    let guard = engine.lab_within(patience);
    *waits = guard.is_none();
    let Some(mut guard) = guard else { return Ok(()) };
    let (camera, theme, world_px, scale, other) = {
        let lab = &mut *guard;
        lab.begin_frame(frames.per_second());
        lab.view.keep_up(&lab.run.host);
        lab.run.frames.left_out = panes.iter().map(|pane| pane.figures.left_out()).sum();
        *picture = Arc::new(lab.paint());
        lab.record_frames(time.elapsed_secs_f64());
        let other = lab.compare.other.as_ref().map(|other| (Arc::clone(&other.picture), other.camera, other.rect_px));
        (lab.view.painted.camera, lab.shell.settings.theme, lab.view.rect_px, lab.shell.settings.interface_scale, other)
    };
    drop(guard);
    ground.0 = ground_of(theme);
    let shown = Shown { picture: Arc::clone(picture), camera, theme };
    let look = Look { shown, rect_px: world_px };
    let other = other.map(|(picture, camera, rect_px)| {
        let shown = Shown { picture, camera, theme };
        Look { shown, rect_px }
    });
    for (pane, look) in panes.iter_mut().zip([Some(look), other]) {
        let mut visibility = visibilities.get_mut(pane.entity)?;
        *visibility = if look.is_some() { Visibility::Visible } else { Visibility::Hidden };
        let Some(look) = look else {
            pane.shown = None;
            continue;
        };
        let placement = look.placement(scale, &window);
        *has_changed |= pane.figures.place(placement, &mut stores)?;
        if pane.shown.as_ref() == Some(&look.shown) {
            continue;
        }
        *has_changed = true;
        let figures = tessellator.picture(&look.shown.picture, &look.shown.camera, theme);
        pane.figures.give(figures, &mut stores)?;
        pane.shown = Some(look.shown);
    }
    Ok(())
}

impl Look {
    /// Returns the placement of figures in the window. The camera counts in points; `scale` is in logical
    /// pixels per point.
    fn placement(&self, scale: f32, window: &Window) -> Placement {
        let window_px = Vec2::new(window.width(), window.height());
        let middle = self.rect_px.center() * scale;
        let window_from_figure = Mat4::from_scale_rotation_translation(
            Vec3::new(scale, scale * self.shown.camera.y_axis.up() as f32, 1.0),
            Quat::from_rotation_z(self.shown.camera.turn_rad as f32),
            Vec3::new(middle.x - window_px.x / 2.0, window_px.y / 2.0 - middle.y, 0.0),
        );
        let clip_from_window = Mat4::from_scale(Vec3::new(2.0 / window_px.x, 2.0 / window_px.y, 1.0));
        let screen_scale = scale * window.scale_factor();
        let egui::Rect { min, max } = self.rect_px;
        Placement {
            clip_from_figure: clip_from_window * window_from_figure,
            seen_px: Vec4::new(min.x, min.y, max.x, max.y) * screen_scale,
            pixel: 1.0 / screen_scale,
        }
    }
}

fn ground_of(theme: Theme) -> Color {
    let [red, green, blue] = theme.rgb(Role::Ground);
    Color::srgb_u8(red, green, blue)
}

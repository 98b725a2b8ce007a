//! The window's painter: one mesh with a colour at each corner for each world that is shown, made anew for each drawn
//! frame.
//!
//! One mesh draws its triangles in order, so layers need no depth, and ten thousand robots are one draw call. Where two
//! worlds stand side by side, each has a pane, and its triangles end at the border of it.

use std::sync::Arc;

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CompareFunction, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::render::renderer::RenderAdapterInfo;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};
use bevy_egui::egui;

use super::engine::Engine;
use super::frame::Frames;
use super::tessellate::{Tessellator, Triangles};
use crate::draw::{Camera, Picture, Role, Theme};

/// Adds the camera, the mesh of the world and the system that paints it.
pub(super) fn plugin(app: &mut App) {
    app.add_plugins(Material2dPlugin::<Plain>::default())
        .init_resource::<ClearColor>()
        .add_systems(Startup, set_up)
        .add_systems(Update, paint);
}

/// Paints the colours of the corners and nothing else: a third of the time of Bevy's material, which also looks for a
/// texture, on a GPU in software.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct Plain {}

impl Material2d for Plain {
    fn alpha_mode(&self) -> AlphaMode2d {
        AlphaMode2d::Blend
    }

    fn specialize(
        descriptor: &mut RenderPipelineDescriptor,
        _: &MeshVertexBufferLayoutRef,
        _: Material2dKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        // There is one mesh, in order: depth has nothing to say.
        if let Some(depth) = &mut descriptor.depth_stencil {
            depth.depth_compare = Some(CompareFunction::Always);
        }
        Ok(())
    }
}

/// The panes that worlds are painted on, and the buffers to make their meshes.
#[derive(Resource)]
pub struct Canvas {
    /// What is painted of the simulation.
    pub picture: Picture,
    /// For the simulation, and for the one that it is compared with.
    panes: [Pane; 2],
    tessellator: Tessellator,
}

/// A part of the window with a world in it.
struct Pane {
    mesh: Handle<Mesh>,
    entity: Entity,
}

/// How a world is looked at in a frame.
struct Look<'p> {
    picture: &'p Picture,
    camera: Camera,
    /// Where it is in the window, in points of the interface.
    rect_px: egui::Rect,
    /// Whether it ends at the border of that; otherwise panels cover what is beyond.
    is_clipped: bool,
}

fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<Plain>>,
    adapter: Res<RenderAdapterInfo>,
    engine: Res<Engine>,
) {
    commands.spawn((Camera2d, smoothing(&adapter, engine.lab().target.is_some())));
    let material = materials.add(Plain {});
    let panes = [(); 2].map(|()| {
        let mesh = meshes.add(mesh_of(&Triangles::default()));
        let look = (Mesh2d(mesh.clone()), MeshMaterial2d(material.clone()), NoFrustumCulling);
        let entity = commands.spawn((look, Transform::default(), Visibility::Hidden)).id();
        Pane { mesh, entity }
    });
    commands.insert_resource(Canvas { picture: Picture::default(), panes, tessellator: Tessellator::default() });
}

/// Smooth edges cost a GPU in software half of its frames: there they are for screenshots only.
fn smoothing(adapter: &RenderAdapterInfo, is_screenshot: bool) -> Msaa {
    // The type of the device has no public path in Bevy; its name has.
    let is_software = format!("{:?}", adapter.device_type) == "Cpu";
    if is_software && !is_screenshot { Msaa::Off } else { Msaa::Sample4 }
}

fn paint(
    engine: Res<Engine>,
    mut canvas: ResMut<Canvas>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut frames: ResMut<Frames>,
    mut transforms: Query<(&mut Transform, &mut Visibility)>,
    mut ground: ResMut<ClearColor>,
    window: Single<&Window>,
    time: Res<Time<Real>>,
) -> Result {
    let Canvas { picture, panes, tessellator } = &mut *canvas;
    let (camera, theme, world_px, scale, other) = {
        frames.begin();
        let mut lab = engine.lab();
        lab.begin_frame(frames.per_second());
        lab.keep_up();
        *picture = lab.paint();
        lab.film(time.elapsed_secs_f64());
        let other = lab.compare.other.as_ref().map(|other| (Arc::clone(&other.picture), other.camera, other.rect_px));
        (lab.painted.camera, lab.settings.theme, lab.world_px, lab.settings.interface_scale, other)
    };
    ground.0 = ground_of(theme);
    let is_clipped = other.is_some();
    let look = Look { picture, camera, rect_px: world_px, is_clipped };
    let other = other.as_ref().map(|(picture, camera, rect_px)| Look {
        picture,
        camera: *camera,
        rect_px: *rect_px,
        is_clipped,
    });
    let window_px = Vec2::new(window.width(), window.height());
    for (pane, look) in panes.iter().zip([Some(look), other]) {
        let (mut transform, mut visibility) = transforms.get_mut(pane.entity)?;
        let triangles = look.as_ref().map(|look| triangles(tessellator, look, theme));
        let shown = look.zip(triangles).filter(|(_, triangles)| !triangles.indices.is_empty());
        // An empty mesh has no buffers on the GPU, so it is hidden instead.
        *visibility = if shown.is_some() { Visibility::Visible } else { Visibility::Hidden };
        if let Some((look, triangles)) = shown {
            meshes.insert(pane.mesh.id(), mesh_of(triangles))?;
            *transform = place(&look, scale, window_px);
        }
    }
    Ok(())
}

fn triangles<'t>(tessellator: &'t mut Tessellator, look: &Look, theme: Theme) -> &'t Triangles {
    match look.is_clipped {
        true => {
            let size_px = Vec2::new(look.rect_px.width(), look.rect_px.height());
            tessellator.clipped(look.picture, &look.camera, theme, size_px)
        }
        false => tessellator.picture(look.picture, &look.camera, theme),
    }
}

/// Where a mesh is in the window. The camera counts in points of the interface, the window in logical pixels.
fn place(look: &Look, scale: f32, window_px: Vec2) -> Transform {
    let middle = look.rect_px.center() * scale;
    Transform {
        translation: Vec3::new(middle.x - window_px.x / 2.0, window_px.y / 2.0 - middle.y, 0.0),
        scale: Vec3::new(scale, scale * look.camera.y_axis.up() as f32, 1.0),
        rotation: Quat::from_rotation_z(look.camera.turn_rad as f32),
    }
}

fn mesh_of(triangles: &Triangles) -> Mesh {
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, triangles.positions.clone())
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, triangles.colors.clone())
        .with_inserted_indices(Indices::U32(triangles.indices.clone()))
}

fn ground_of(theme: Theme) -> Color {
    let [red, green, blue] = theme.rgb(Role::Ground);
    Color::srgb_u8(red, green, blue)
}

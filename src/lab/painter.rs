//! The window's painter: one mesh with a colour at each corner, made anew for each drawn frame.
//!
//! One mesh draws its triangles in order, so layers need no depth, and ten thousand robots are one draw call.

use bevy::asset::RenderAssetUsages;
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CompareFunction, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::render::renderer::RenderAdapterInfo;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};

use super::engine::Engine;
use super::frame::Frames;
use super::tessellate::{Tessellator, Triangles};
use crate::draw::{Picture, Role, Theme};

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

/// The mesh that the world is painted on, and the buffers to make it.
#[derive(Resource)]
pub struct Canvas {
    /// What is painted.
    pub picture: Picture,
    mesh: Handle<Mesh>,
    entity: Entity,
    tessellator: Tessellator,
}

fn set_up(
    mut commands: Commands,
    mut meshes: ResMut<Assets<Mesh>>,
    mut materials: ResMut<Assets<Plain>>,
    adapter: Res<RenderAdapterInfo>,
    engine: Res<Engine>,
) {
    commands.spawn((Camera2d, smoothing(&adapter, engine.lab().target.is_some())));
    let mesh = meshes.add(mesh_of(&Triangles::default()));
    let look = (Mesh2d(mesh.clone()), MeshMaterial2d(materials.add(Plain {})), NoFrustumCulling);
    let entity = commands.spawn((look, Transform::default())).id();
    commands.insert_resource(Canvas { picture: Picture::default(), mesh, entity, tessellator: Tessellator::default() });
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
    let canvas = &mut *canvas;
    let (camera, theme, world_px, scale) = {
        frames.begin();
        let mut lab = engine.lab();
        lab.begin_frame(frames.per_second());
        lab.keep_up();
        lab.painted = lab.view;
        canvas.picture = lab.picture(&lab.painted);
        lab.film(time.elapsed_secs_f64());
        (lab.painted.camera, lab.settings.theme, lab.world_px, lab.settings.interface_scale)
    };
    ground.0 = ground_of(theme);
    let triangles = canvas.tessellator.picture(&canvas.picture, &camera, theme);
    let (mut transform, mut visibility) = transforms.get_mut(canvas.entity)?;
    // An empty mesh has no buffers on the GPU, so it is hidden instead.
    *visibility = if triangles.indices.is_empty() { Visibility::Hidden } else { Visibility::Visible };
    if !triangles.indices.is_empty() {
        meshes.insert(canvas.mesh.id(), mesh_of(triangles))?;
    }
    // The camera counts in points of the interface, the window in logical pixels.
    let middle = world_px.center() * scale;
    transform.translation = Vec3::new(middle.x - window.width() / 2.0, window.height() / 2.0 - middle.y, 0.0);
    transform.scale = Vec3::new(scale, scale * camera.y_axis.up() as f32, 1.0);
    transform.rotation = Quat::from_rotation_z(camera.turn_rad as f32);
    Ok(())
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

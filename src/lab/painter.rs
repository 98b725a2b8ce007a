//! The window's painter: figures in one buffer, made anew for each drawn frame, and four corners for each.
//!
//! One draw call paints them in their order, so layers need no depth; a robot is less than a hundred bytes, whatever it
//! looks like, and the shader makes the rest of it.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::camera::visibility::NoFrustumCulling;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CompareFunction, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::render::renderer::RenderAdapterInfo;
use bevy::render::storage::ShaderBuffer;
use bevy::shader::ShaderRef;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};

use super::engine::Engine;
use super::frame::Frames;
use super::tessellate::{Figure, Tessellator};
use crate::draw::{Picture, Role, Theme};

const SHADER: Handle<Shader> = uuid_handle!("5a6f8d0e-3f0b-4d0c-9b0e-6f2b6f2a1c11");
/// The least number of figures that there is room for.
const LEAST_ROOM: usize = 4096;

/// Adds the camera, the mesh of the world and the system that paints it.
pub(super) fn plugin(app: &mut App) {
    // Here, and not in a file: a screenshot must not miss what is still being read.
    let shader = Shader::from_wgsl(include_str!("figures.wgsl"), "figures.wgsl");
    // The place was made for this shader.
    let _ = app.world_mut().resource_mut::<Assets<Shader>>().insert(SHADER.id(), shader);
    app.add_plugins(Material2dPlugin::<Figures>::default())
        .init_resource::<ClearColor>()
        .add_systems(Startup, set_up)
        .add_systems(Update, paint);
}

/// Paints figures.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
struct Figures {
    /// All of them, and room for more.
    #[storage(0, read_only)]
    figures: Handle<ShaderBuffer>,
}

impl Material2d for Figures {
    fn vertex_shader() -> ShaderRef {
        SHADER.into()
    }

    fn fragment_shader() -> ShaderRef {
        SHADER.into()
    }

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

/// What the world is painted on, and the buffers to make it.
#[derive(Resource)]
pub struct Canvas {
    /// What is painted.
    pub picture: Picture,
    tessellator: Tessellator,
    figures: OnGpu,
    entity: Entity,
}

/// Figures on the GPU.
struct OnGpu {
    buffer: Handle<ShaderBuffer>,
    material: Handle<Figures>,
    mesh: Handle<Mesh>,
    /// How many figures there is room for.
    room: usize,
    /// For how many frames the material is still told that it has another buffer: one may come too early.
    stale_frames: u8,
}

impl OnGpu {
    fn give(
        &mut self,
        figures: &[Figure],
        buffers: &mut Assets<ShaderBuffer>,
        materials: &mut Assets<Figures>,
        meshes: &mut Assets<Mesh>,
    ) -> Result {
        if figures.len() > self.room || (self.room > LEAST_ROOM && figures.len() < self.room / 4) {
            self.room = (figures.len() * 3 / 2).max(LEAST_ROOM);
            self.stale_frames = 2;
            meshes.insert(self.mesh.id(), corners(self.room))?;
        }
        let mut data = Vec::with_capacity(self.room * Figure::BYTES);
        figures.iter().for_each(|figure| data.extend_from_slice(&figure.bytes()));
        data.resize(self.room * Figure::BYTES, 0);
        buffers.insert(self.buffer.id(), buffer_of(data))?;
        if self.stale_frames > 0 {
            self.stale_frames -= 1;
            let figures = self.buffer.clone();
            materials.insert(self.material.id(), Figures { figures })?;
        }
        Ok(())
    }
}

fn buffer_of(data: Vec<u8>) -> ShaderBuffer {
    ShaderBuffer { data: Some(data), asset_usage: RenderAssetUsages::RENDER_WORLD, ..ShaderBuffer::default() }
}

/// Four corners for each figure, by number: the shader knows where they are.
fn corners(figures: usize) -> Mesh {
    let positions: Vec<[f32; 3]> =
        (0..figures).flat_map(|figure| [0.0, 1.0, 2.0, 3.0].map(|corner| [figure as f32, corner, 0.0])).collect();
    let indices = (0..figures as u32).flat_map(|figure| [0, 1, 2, 2, 1, 3].map(|corner| figure * 4 + corner)).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_indices(Indices::U32(indices))
}

fn set_up(
    mut commands: Commands,
    mut buffers: ResMut<Assets<ShaderBuffer>>,
    mut materials: ResMut<Assets<Figures>>,
    mut meshes: ResMut<Assets<Mesh>>,
    adapter: Res<RenderAdapterInfo>,
    engine: Res<Engine>,
) {
    commands.spawn((Camera2d, smoothing(&adapter, engine.lab().target.is_some())));
    let room = LEAST_ROOM;
    let buffer = buffers.add(buffer_of(vec![0; room * Figure::BYTES]));
    let material = materials.add(Figures { figures: buffer.clone() });
    let mesh = meshes.add(corners(room));
    let look = (Mesh2d(mesh.clone()), MeshMaterial2d(material.clone()), NoFrustumCulling);
    let entity = commands.spawn((look, Transform::default())).id();
    let figures = OnGpu { buffer, material, mesh, room, stale_frames: 2 };
    let (picture, tessellator) = (Picture::default(), Tessellator::default());
    commands.insert_resource(Canvas { picture, tessellator, figures, entity });
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
    mut buffers: ResMut<Assets<ShaderBuffer>>,
    mut materials: ResMut<Assets<Figures>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut frames: ResMut<Frames>,
    mut transforms: Query<&mut Transform>,
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
        canvas.picture = lab.host.simulation().picture(&lab.painted);
        lab.film(time.elapsed_secs_f64());
        (lab.painted.camera, lab.settings.theme, lab.world_px, lab.settings.interface_scale)
    };
    ground.0 = ground_of(theme);
    let figures = canvas.tessellator.picture(&canvas.picture, &camera, theme);
    canvas.figures.give(figures, &mut buffers, &mut materials, &mut meshes)?;
    let mut transform = transforms.get_mut(canvas.entity)?;
    // The camera counts in points of the interface, the window in logical pixels.
    let middle = world_px.center() * scale;
    transform.translation = Vec3::new(middle.x - window.width() / 2.0, window.height() / 2.0 - middle.y, 0.0);
    transform.scale = Vec3::new(scale, scale * camera.y_axis.up() as f32, 1.0);
    transform.rotation = Quat::from_rotation_z(camera.turn_rad as f32);
    Ok(())
}

fn ground_of(theme: Theme) -> Color {
    let [red, green, blue] = theme.rgb(Role::Ground);
    Color::srgb_u8(red, green, blue)
}

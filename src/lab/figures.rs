//! Figures on the GPU: in one buffer for each world that is shown, with four corners for each, which the shader places.
//!
//! One draw call paints them in their order, so layers need no depth; a robot is less than a hundred bytes, whatever it
//! looks like, and the shader makes the rest of it.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Indices, MeshVertexBufferLayoutRef, PrimitiveTopology};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CompareFunction, RenderPipelineDescriptor, SpecializedMeshPipelineError,
};
use bevy::render::renderer::RenderDevice;
use bevy::render::storage::ShaderBuffer;
use bevy::shader::ShaderRef;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};

use super::tessellate::Figure;

const SHADER: Handle<Shader> = uuid_handle!("5a6f8d0e-3f0b-4d0c-9b0e-6f2b6f2a1c11");
/// The least number of figures that there is room for.
const LEAST_ROOM: usize = 512;
/// The spare room is this part of that which is needed.
const SPARE: usize = 8;
/// What a figure takes in the mesh: four corners of three numbers, which is more than its indices do.
const CORNER_BYTES: usize = 4 * 3 * size_of::<f32>();
/// The number of a figure goes to the shader as an `f32`, which has all whole numbers up to here. Corners, four for each,
/// are counted in 32 bits, which goes further.
const MOST: u64 = 1 << f32::MANTISSA_DIGITS;
/// All of any window.
const EVERYWHERE: Vec4 = Vec4::new(-1e9, -1e9, 1e9, 1e9);

/// Makes the shader known.
pub(super) fn plugin(app: &mut App) {
    // Here, and not in a file: a screenshot must not miss what is still being read.
    let shader = Shader::from_wgsl(include_str!("figures.wgsl"), "figures.wgsl");
    // The place was made for this shader.
    let _ = app.world_mut().resource_mut::<Assets<Shader>>().insert(SHADER.id(), shader);
    app.add_plugins(Material2dPlugin::<Material>::default());
}

/// How figures are painted.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
pub(super) struct Material {
    /// All of them, and room for more.
    #[storage(0, read_only)]
    figures: Handle<ShaderBuffer>,
    /// Where they are seen, in pixels of the screen: left, top, right, bottom.
    #[uniform(1)]
    seen_px: Vec4,
}

impl Material2d for Material {
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

/// Where figures are kept.
#[derive(SystemParam)]
pub(super) struct Stores<'w> {
    buffers: ResMut<'w, Assets<ShaderBuffer>>,
    materials: ResMut<'w, Assets<Material>>,
    meshes: ResMut<'w, Assets<Mesh>>,
    device: Res<'w, RenderDevice>,
}

impl Stores<'_> {
    /// The most figures that the GPU has room for in one buffer.
    fn most(&self) -> usize {
        let limits = self.device.limits();
        most_within(limits.max_storage_buffer_binding_size, limits.max_buffer_size)
    }
}

/// The most figures for so many bytes that a shader can see, and that a buffer can have.
fn most_within(seen_bytes: u64, buffer_bytes: u64) -> usize {
    let figures = seen_bytes.min(buffer_bytes) / Figure::BYTES as u64;
    let corners = buffer_bytes / CORNER_BYTES as u64;
    figures.min(corners).min(MOST) as usize
}

/// How much room to make for so many figures, when there may be no more than that.
///
/// A little more than is needed: the GPU places the corners of all the room in every frame.
fn room_for(figures: usize, most: usize) -> usize {
    figures.saturating_add(figures / SPARE).max(LEAST_ROOM).min(most)
}

/// Whether the room is too small, or so large that a smaller one is worth the time to make it.
fn is_misfit(figures: usize, room: usize) -> bool {
    figures > room || (room > LEAST_ROOM && figures < room - room / 4)
}

/// The figures of one world.
pub(super) struct Figures {
    buffer: Handle<ShaderBuffer>,
    material: Handle<Material>,
    mesh: Handle<Mesh>,
    /// How many there is room for, and how many there can be.
    room: usize,
    most: usize,
    /// How many were left out, for there was no room for more.
    left_out: usize,
    seen_px: Vec4,
    /// For how many frames the material is still told that it has another buffer: one may come too early.
    stale_frames: u8,
}

impl Figures {
    /// None yet.
    pub fn new(stores: &mut Stores) -> Self {
        let (seen_px, most) = (EVERYWHERE, stores.most());
        let room = room_for(0, most);
        let buffer = stores.buffers.add(buffer_of(vec![0; room * Figure::BYTES]));
        let material = stores.materials.add(Material { figures: buffer.clone(), seen_px });
        let mesh = stores.meshes.add(corners(room));
        Self { buffer, material, mesh, room, most, left_out: 0, seen_px, stale_frames: 2 }
    }

    /// What an entity needs to show them.
    pub fn look(&self) -> (Mesh2d, MeshMaterial2d<Material>) {
        (Mesh2d(self.mesh.clone()), MeshMaterial2d(self.material.clone()))
    }

    /// How many of those that were given last could not be shown.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Whether the GPU has all that was given, within this rectangle of the screen: the same need not be given again.
    pub fn is_settled(&self, seen_px: Vec4) -> bool {
        self.stale_frames == 0 && seen_px == self.seen_px
    }

    /// Gives other ones to the GPU, which are seen within a rectangle of the screen. What is beyond its limits, the last
    /// ones, is left out.
    pub fn give(&mut self, figures: &[Figure], seen_px: Vec4, stores: &mut Stores) -> Result {
        self.left_out = figures.len().saturating_sub(self.most);
        let figures = &figures[..figures.len() - self.left_out];
        if is_misfit(figures.len(), self.room) {
            self.room = room_for(figures.len(), self.most);
            self.stale_frames = 2;
            stores.meshes.insert(self.mesh.id(), corners(self.room))?;
        }
        let mut data = Vec::with_capacity(self.room * Figure::BYTES);
        figures.iter().for_each(|figure| data.extend_from_slice(&figure.bytes()));
        data.resize(self.room * Figure::BYTES, 0);
        stores.buffers.insert(self.buffer.id(), buffer_of(data))?;
        if self.stale_frames > 0 || seen_px != self.seen_px {
            self.stale_frames = self.stale_frames.saturating_sub(1);
            self.seen_px = seen_px;
            stores.materials.insert(self.material.id(), Material { figures: self.buffer.clone(), seen_px })?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_figure_has_a_number_of_its_own_in_the_shader() {
        let most = most_within(u64::MAX, u64::MAX);
        assert!((most - 1) as f32 as usize == most - 1 && (most + 1) as f32 as usize != most + 1);
        assert_eq!(most_within(10 * Figure::BYTES as u64, u64::MAX), 10);
        assert_eq!(most_within(u64::MAX, 10 * CORNER_BYTES as u64), 10);
    }

    #[test]
    fn room_grows_in_steps_up_to_what_the_gpu_has() {
        let most = 4_194_304;
        assert_eq!([0, 8_000, 2_000_000].map(|figures| room_for(figures, most)), [LEAST_ROOM, 9_000, 2_250_000]);
        assert_eq!([4_000_000, most].map(|figures| room_for(figures, most)), [most; 2]);
        assert_eq!(room_for(0, 100), 100, "less than usual, rather than more than there is");
    }

    #[test]
    fn room_that_was_made_lasts_for_a_while() {
        for figures in [0, 600, 10_000] {
            let room = room_for(figures, usize::MAX);
            assert!(!is_misfit(figures, room) && !is_misfit(figures + figures / 10, room));
            assert!(!is_misfit(figures - figures / 8, room), "{figures}");
            assert!(is_misfit(room + 1, room));
        }
        assert!(is_misfit(100, 10_000));
    }
}

//! Figures on the GPU: one mesh per shown world, with four corners per figure.
//!
//! One draw call paints the figures in order, so layers need no depth. Each corner carries all data for the shader,
//! because lookups are slow on a software renderer.

use bevy::asset::{RenderAssetUsages, uuid_handle};
use bevy::ecs::system::SystemParam;
use bevy::mesh::{Indices, MeshVertexAttribute, MeshVertexBufferLayoutRef, PrimitiveTopology, VertexAttributeValues};
use bevy::prelude::*;
use bevy::render::render_resource::{
    AsBindGroup, CompareFunction, RenderPipelineDescriptor, ShaderType, SpecializedMeshPipelineError, VertexFormat,
};
use bevy::render::renderer::RenderDevice;
use bevy::shader::ShaderRef;
use bevy::sprite_render::{AlphaMode2d, Material2d, Material2dKey, Material2dPlugin};

use crate::window::tessellate::{Corner, Figure, FigureKind};

const SHADER: Handle<Shader> = uuid_handle!("5a6f8d0e-3f0b-4d0c-9b0e-6f2b6f2a1c11");

/// Position of a corner, and its offset from the centre of a disc, in logical pixels.
const AT_AND_FROM_MIDDLE: MeshVertexAttribute =
    MeshVertexAttribute::new("AtAndFromMiddle", 0x5a6f_8d0e, VertexFormat::Float32x4);

/// Red, green, blue and opacity.
const INK: MeshVertexAttribute = MeshVertexAttribute::new("Ink", 0x5a6f_8d0f, VertexFormat::Unorm8x4);

/// Bytes of a figure's corners in the mesh; they take more than its indices.
const FIGURE_BYTES: u64 = 4 * (size_of::<[f32; 4]>() + size_of::<[u8; 4]>()) as u64;

/// The largest number of figures: their corners, four each, are counted in 32 bits.
const MOST: u64 = u32::MAX as u64 / 4;

/// Registers the shader.
pub(super) fn plugin(app: &mut App) {
    // Embedded instead of loaded from a file, so that no screenshot is taken before it is loaded.
    let shader = Shader::from_wgsl(include_str!("figures.wgsl"), "figures.wgsl");
    // Cannot fail: the handle is reserved for this shader.
    let _ = app.world_mut().resource_mut::<Assets<Shader>>().insert(SHADER.id(), shader);
    app.add_plugins(Material2dPlugin::<Material>::default());
}

/// The place of figures in the window.
#[derive(ShaderType, Clone, Copy, Debug, Default, PartialEq)]
pub(super) struct Placement {
    /// The transform from logical pixels around the centre of the view to clip space.
    pub clip_from_figure: Mat4,
    /// The visible rectangle in pixels of the screen: left, top, right, bottom.
    pub seen_px: Vec4,
    /// The size of a screen pixel in logical pixels of the view.
    pub pixel: f32,
}

/// The material of figures.
#[derive(Asset, AsBindGroup, TypePath, Clone)]
pub(super) struct Material {
    #[uniform(0)]
    placement: Placement,
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
        layout: &MeshVertexBufferLayoutRef,
        _: Material2dKey<Self>,
    ) -> Result<(), SpecializedMeshPipelineError> {
        let corner = [AT_AND_FROM_MIDDLE.at_shader_location(0), INK.at_shader_location(1)];
        descriptor.vertex.buffers = vec![layout.0.get_layout(&corner)?];
        // There is a single ordered mesh, which needs no depth test. Without smooth edges, the pass has no depth at all.
        if descriptor.multisample.count == 1 {
            descriptor.depth_stencil = None;
        } else if let Some(depth) = &mut descriptor.depth_stencil {
            depth.depth_compare = Some(CompareFunction::Always);
        }
        Ok(())
    }
}

/// The assets of figures.
#[derive(SystemParam)]
pub(super) struct Stores<'w> {
    materials: ResMut<'w, Assets<Material>>,
    meshes: ResMut<'w, Assets<Mesh>>,
    device: Res<'w, RenderDevice>,
}

/// Returns the largest number of figures for a buffer of this size.
fn most_within(buffer_bytes: u64) -> usize {
    (buffer_bytes / FIGURE_BYTES).min(MOST) as usize
}

/// The figures of one world.
pub(super) struct Figures {
    material: Handle<Material>,
    mesh: Handle<Mesh>,
    /// The largest number of figures.
    most: usize,
    /// The number of figures left out for lack of room.
    left_out: usize,
    placement: Placement,
}

impl Figures {
    /// Creates an empty mesh.
    pub fn new(stores: &mut Stores) -> Self {
        let placement = Placement::default();
        let material = stores.materials.add(Material { placement });
        let mesh = stores.meshes.add(mesh_of(&[]));
        let most = most_within(stores.device.limits().max_buffer_size);
        Self { material, mesh, most, left_out: 0, placement }
    }

    /// Returns the components of an entity that shows the figures.
    pub fn look(&self) -> (Mesh2d, MeshMaterial2d<Material>) {
        (Mesh2d(self.mesh.clone()), MeshMaterial2d(self.material.clone()))
    }

    /// Returns how many of the last figures could not be shown.
    pub fn left_out(&self) -> usize {
        self.left_out
    }

    /// Sets the place of the figures. Returns whether it changed.
    pub fn place(&mut self, placement: Placement, stores: &mut Stores) -> Result<bool> {
        if placement == self.placement {
            return Ok(false);
        }
        self.placement = placement;
        stores.materials.insert(self.material.id(), Material { placement })?;
        Ok(true)
    }

    /// Uploads figures to the GPU. The last ones are left out if they exceed its limits.
    pub fn give(&mut self, figures: &[Figure], stores: &mut Stores) -> Result {
        self.left_out = figures.len().saturating_sub(self.most);
        let figures = &figures[..figures.len() - self.left_out];
        stores.meshes.insert(self.mesh.id(), mesh_of(figures))?;
        Ok(())
    }
}

/// An invisible figure. Bevy frees the slot of each mesh, and an empty mesh has none.
const UNSEEN: Figure = Figure { form: FigureKind::Triangle, points: [Vec2::ZERO; 3], rgb: [0; 3], opacity: 0.0 };

/// Builds the mesh of figures.
fn mesh_of(figures: &[Figure]) -> Mesh {
    let figures = if figures.is_empty() { &[UNSEEN] } else { figures };
    let mut corners = Vec::with_capacity(4 * figures.len());
    let mut inks = Vec::with_capacity(4 * figures.len());
    for figure in figures {
        corners.extend(figure.corners().map(|Corner { at, from_middle }| [at.x, at.y, from_middle.x, from_middle.y]));
        inks.extend([figure.rgba(); 4]);
    }
    let indices = (0..figures.len() as u32).flat_map(|figure| [0, 1, 2, 2, 1, 3].map(|corner| figure * 4 + corner));
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::RENDER_WORLD)
        .with_inserted_attribute(AT_AND_FROM_MIDDLE, VertexAttributeValues::Float32x4(corners))
        .with_inserted_attribute(INK, VertexAttributeValues::Unorm8x4(inks))
        .with_inserted_indices(Indices::U32(indices.collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_vertex_of_a_mesh_has_an_index() {
        assert_eq!(most_within(10 * FIGURE_BYTES), 10);
        assert!(u32::try_from(most_within(u64::MAX) * 4).is_ok());
    }

    #[test]
    fn a_mesh_quad_is_four_corners_of_two_triangles() {
        let points = [Vec2::ZERO, Vec2::X, Vec2::Y];
        let figure = Figure { form: FigureKind::Triangle, points, rgb: [1, 2, 3], opacity: 1.0 };
        let mesh = mesh_of(&[figure; 3]);
        assert_eq!(mesh.count_vertices(), 12);
        assert_eq!(mesh.indices().map(Indices::len), Some(18));
        assert_eq!(mesh.get_vertex_buffer_size() as u64, 3 * FIGURE_BYTES);
        let last = mesh.indices().and_then(|indices| indices.iter().max());
        assert_eq!(last, Some(11));
        assert!(mesh_of(&[]).count_vertices() > 0, "there is always something to free");
    }
}

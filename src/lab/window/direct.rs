//! One pass that paints the world and the panels straight into the image of the window, for software renderers.
//!
//! Bevy paints into a texture and copies it to the image of the window at the end. The copy converts each pixel from
//! sRGB and back, which takes a software renderer as long as a third of everything else that it paints. A GPU needs the
//! texture for smooth edges, and copies it at no cost.

use bevy::camera::NormalizedRenderTarget;
use bevy::core_pipeline::core_2d::Transparent2d;
use bevy::ecs::schedule::ScheduleLabel;
use bevy::math::{URect, UVec2};
use bevy::prelude::*;
use bevy::render::camera::{CameraRenderGraph, ExtractedCamera};
use bevy::render::render_phase::{TrackedRenderPass, ViewSortedRenderPhases};
use bevy::render::render_resource::{
    BufferUsages, IndexFormat, PipelineCache, RawBufferVec, RenderPassDescriptor, SpecializedRenderPipelines,
};
use bevy::render::renderer::{RenderContext, RenderDevice, RenderQueue, ViewQuery};
use bevy::render::sync_world::MainEntity;
use bevy::render::view::{ExtractedView, ExtractedWindows, ViewTarget};
use bevy::render::{Render, RenderApp, RenderSystems};
use bevy_egui::egui::epaint::{ClippedPrimitive, Primitive, Vertex};
use bevy_egui::egui::{Rect, TextureId};
use bevy_egui::render::systems::{
    EguiTextureBindGroups, EguiTextureId, EguiTransforms, prepare_egui_render_target_data_system,
};
use bevy_egui::render::{EguiCameraView, EguiPipeline, EguiPipelineKey, EguiViewTarget};
use bevy_egui::{EguiPixelsPerPoint, EguiRenderOutput};

/// The schedule of a camera that paints straight into the image of the window.
#[derive(ScheduleLabel, Clone, Debug, Default, PartialEq, Eq, Hash)]
struct Direct;

/// The meshes of the panels.
#[derive(Resource)]
struct PanelMeshes {
    vertices: RawBufferVec<Vertex>,
    indices: RawBufferVec<u32>,
    draws: Vec<Draw>,
}

/// Indices that are drawn together.
struct Draw {
    /// The visible rectangle, in pixels of the screen.
    clip_px: URect,
    texture: EguiTextureId,
    /// The number of indices.
    indices: u32,
}

impl Default for PanelMeshes {
    fn default() -> Self {
        Self {
            vertices: RawBufferVec::new(BufferUsages::VERTEX),
            indices: RawBufferVec::new(BufferUsages::INDEX),
            draws: Vec::new(),
        }
    }
}

/// Adds the schedule, which only cameras with the [`graph`] use.
pub(super) fn plugin(app: &mut App) {
    let Some(render) = app.get_sub_app_mut(RenderApp) else { return };
    // As in the schedules of Bevy: commands are applied at the end.
    render.init_schedule(Direct).add_systems(Direct, paint).init_resource::<PanelMeshes>().add_systems(
        Render,
        (
            // Before pipelines are chosen by the format.
            aim.after(RenderSystems::ExtractCommands).before(RenderSystems::PrepareAssets),
            prepare.in_set(RenderSystems::Prepare).before(prepare_egui_render_target_data_system),
        ),
    );
}

/// Returns the component of a camera that paints straight into the image of the window, without smooth edges.
pub(super) fn graph() -> CameraRenderGraph {
    CameraRenderGraph::new(Direct)
}

fn is_direct(camera: &ExtractedCamera) -> bool {
    camera.schedule == Direct.intern()
}

/// Gives the views of direct cameras the format of their window.
fn aim(windows: Res<ExtractedWindows>, mut views: Query<(&ExtractedCamera, &mut ExtractedView)>) {
    for (camera, mut view) in views.iter_mut().filter(|(camera, _)| is_direct(camera)) {
        let Some(NormalizedRenderTarget::Window(window)) = &camera.target else { continue };
        let window = windows.get(&window.entity());
        if let Some(format) = window.and_then(|window| window.swap_chain_texture_view_format) {
            view.target_format = format;
        }
    }
}

/// Uploads the meshes of the panels to the GPU, in place of `bevy_egui`, which finds none.
fn prepare(
    mut meshes: ResMut<PanelMeshes>,
    mut panels: Query<(&ExtractedView, &EguiPixelsPerPoint, &EguiViewTarget, &mut EguiRenderOutput)>,
    cameras: Query<&ExtractedCamera>,
    (device, queue): (Res<RenderDevice>, Res<RenderQueue>),
) {
    for (view, scale, target, mut output) in &mut panels {
        let Some(size_px) = cameras
            .get(target.0)
            .ok()
            .filter(|camera| is_direct(camera))
            .and_then(|camera| camera.physical_target_size)
        else {
            continue;
        };
        let jobs = std::mem::take(&mut output.paint_jobs);
        meshes.fill(&jobs, view.retained_view_entity.main_entity, scale.pixels_per_point, size_px);
        let PanelMeshes { vertices, indices, .. } = &mut *meshes;
        vertices.write_buffer(&device, &queue);
        indices.write_buffer(&device, &queue);
    }
}

impl PanelMeshes {
    /// Replaces the meshes by those of visible primitives.
    fn fill(&mut self, jobs: &[ClippedPrimitive], owner: MainEntity, pixels_per_point: f32, size_px: UVec2) {
        self.vertices.clear();
        self.indices.clear();
        self.draws.clear();
        for ClippedPrimitive { clip_rect, primitive } in jobs {
            // No panel of the lab has a callback.
            let Primitive::Mesh(mesh) = primitive else { continue };
            let clip_px = in_pixels(*clip_rect, pixels_per_point).intersect(URect::from_corners(UVec2::ZERO, size_px));
            if clip_px.is_empty() || mesh.indices.is_empty() {
                continue;
            }
            let first = self.vertices.len() as u32;
            self.vertices.extend(mesh.vertices.iter().copied());
            self.indices.extend(mesh.indices.iter().map(|index| first + index));
            let texture = match mesh.texture_id {
                TextureId::Managed(id) => EguiTextureId::Managed(owner, id),
                TextureId::User(id) => EguiTextureId::User(id),
            };
            self.draws.push(Draw { clip_px, texture, indices: mesh.indices.len() as u32 });
        }
    }
}

fn in_pixels(rect: Rect, pixels_per_point: f32) -> URect {
    let corner = |at: bevy_egui::egui::Pos2| {
        UVec2::new((at.x * pixels_per_point).round() as u32, (at.y * pixels_per_point).round() as u32)
    };
    URect { min: corner(rect.min), max: corner(rect.max) }
}

/// Paints the world, and the panels over it.
fn paint(
    world: &World,
    view: ViewQuery<(&ExtractedView, &ViewTarget, Option<&EguiCameraView>)>,
    phases: Res<ViewSortedRenderPhases<Transparent2d>>,
    ground: Res<ClearColor>,
    mut pipelines: Local<SpecializedRenderPipelines<EguiPipeline>>,
    mut ctx: RenderContext,
) {
    let camera = view.entity();
    let (view, target, panels) = view.into_inner();
    let Some(image) = target.out_texture_color_attachment(Some(ground.0.into())) else { return };
    let mut pass = ctx.begin_tracked_render_pass(RenderPassDescriptor {
        label: Some("world and panels"),
        color_attachments: &[Some(image)],
        ..default()
    });
    // The format of the window is unknown in its first frame.
    if target.out_texture_view_format() != Some(view.target_format) {
        return;
    }
    if let Some(phase) = phases.get(&view.retained_view_entity)
        && let Err(error) = phase.render(&mut pass, world, camera)
    {
        error!("the world cannot be painted: {error:?}");
    }
    if panels.is_some() {
        paint_panels(world, view, &mut pipelines, &mut pass);
    }
}

fn paint_panels<'w>(
    world: &'w World,
    view: &ExtractedView,
    pipelines: &mut SpecializedRenderPipelines<EguiPipeline>,
    pass: &mut TrackedRenderPass<'w>,
) {
    let owner = view.retained_view_entity.main_entity;
    let cache = world.resource::<PipelineCache>();
    let key = EguiPipelineKey { target_format: view.target_format };
    let pipeline = pipelines.specialize(cache, world.resource::<EguiPipeline>(), key);
    let Some(pipeline) = cache.get_render_pipeline(pipeline) else { return };
    let meshes = world.resource::<PanelMeshes>();
    let (textures, transforms) = (world.resource::<EguiTextureBindGroups>(), world.resource::<EguiTransforms>());
    let (Some(vertices), Some(indices)) = (meshes.vertices.buffer(), meshes.indices.buffer()) else { return };
    let (Some((_, transform)), Some(offset)) = (&transforms.bind_group, transforms.offsets.get(&owner)) else { return };
    pass.set_render_pipeline(pipeline);
    pass.set_bind_group(0, transform, &[*offset]);
    pass.set_vertex_buffer(0, vertices.slice(..));
    pass.set_index_buffer(indices.slice(..), IndexFormat::Uint32);
    let mut first = 0;
    for Draw { clip_px, texture, indices } in &meshes.draws {
        let range = first..first + indices;
        first = range.end;
        // A texture that was freed in this frame.
        let Some((texture, _)) = textures.get(texture) else { continue };
        pass.set_bind_group(1, texture, &[]);
        pass.set_scissor_rect(clip_px.min.x, clip_px.min.y, clip_px.width(), clip_px.height());
        pass.draw_indexed(range, 0, 0..1);
    }
}

#[cfg(test)]
mod tests {
    use bevy_egui::egui::epaint::{Mesh, Primitive};
    use bevy_egui::egui::{Color32, pos2, vec2};

    use super::*;

    fn job(clip_rect: Rect, rects: &[Rect]) -> ClippedPrimitive {
        let mut mesh = Mesh::default();
        rects.iter().for_each(|rect| mesh.add_colored_rect(*rect, Color32::PLACEHOLDER));
        ClippedPrimitive { clip_rect, primitive: Primitive::Mesh(mesh) }
    }

    #[test]
    fn panels_outside_of_the_window_are_left_out() {
        let rect = Rect::from_min_size(pos2(10.0, 20.0), vec2(30.0, 5.0));
        let far = rect.translate(vec2(1000.0, 0.0));
        let mut meshes = PanelMeshes::default();
        for _ in 0..2 {
            let jobs = [job(rect, &[rect, rect]), job(far, &[far]), job(rect, &[]), job(Rect::EVERYTHING, &[far])];
            meshes.fill(&jobs, MainEntity::from(Entity::PLACEHOLDER), 2.0, UVec2::new(1600, 900));
            let clips: Vec<URect> = meshes.draws.iter().map(|draw| draw.clip_px).collect();
            assert_eq!(clips, [URect::new(20, 40, 80, 50), URect::new(0, 0, 1600, 900)]);
            assert_eq!(meshes.draws.iter().map(|draw| draw.indices).collect::<Vec<_>>(), [12, 6]);
            assert_eq!(meshes.vertices.len(), 12);
            assert_eq!(meshes.indices.values().last(), Some(&11), "indices count from the first mesh");
        }
    }
}

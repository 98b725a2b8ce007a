//! Ids: the number or the name of each agent, beside its body.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::Role;
use swarmarium_picture::{Anchor, Layer, Picture, Shape};
use swarmarium_scene::agent_view::AgentView;
use swarmarium_space::Space;

use super::scenery::has_room_for_words;
use super::{Overlay, View};

/// Height of the letters, and their distance from the body, in logical pixels.
const SIZE_PX: f64 = 12.0;
const GAP_PX: f64 = 3.0;

/// Where the copies of an id in the colour of the ground make its halo, in logical pixels from the id.
const HALO_PX: [(f64, f64); 4] = [(-1.2, -0.8), (1.2, -0.8), (-1.2, 0.8), (1.2, 0.8)];

/// Writes the number or the name of each visible agent above its body, except for the points of a crowd.
pub(super) fn draw(world: &World, space: &Space, view: &View, picture: &mut Picture) {
    let camera = &view.camera;
    let [low, high] = camera.visible_m();
    let agents = &world.arena().agents;
    for (row, agent) in agents.iter().enumerate() {
        let (center, radius_m) = (space.bodies.positions()[row], space.bodies.radii()[row]);
        let is_seen = center.cmpge(low).all() && center.cmple(high).all();
        let is_seen = is_seen && has_room_for_words(radius_m, agents.len(), view);
        let Some(id) = world.get::<StableId>(*agent).filter(|_| is_seen) else { continue };
        let at = center + camera.across_m(DVec2::new(0.0, -radius_m * camera.pixels_per_m - GAP_PX));
        let name =
            || AgentView::of(world, *agent).filter(|_| view.overlays.shows(Overlay::Names)).map(|agent| agent.name());
        let text = name().unwrap_or_else(|| id.index().to_string());
        let written = |at: DVec2| Shape::Text { at, text: text.clone(), size_px: SIZE_PX, anchor: Anchor::Middle };
        // A halo keeps it readable over sensors and other ids.
        for by_px in HALO_PX {
            picture.add(Layer::Overlays, Role::Ground, written(at + camera.across_m(by_px.into())));
        }
        picture.add(Layer::Overlays, Role::Text, written(at));
    }
}

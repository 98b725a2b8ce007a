//! Trails: the paths of robots.

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::look::{Look, own_color};
use swarmarium_core::agent::{Member, Pose};
use swarmarium_core::step::HasArena as _;
use swarmarium_picture::palette::{Paint, Role};
use swarmarium_picture::{Layer, Pen, Picture, Shape, Width};
use swarmarium_scene::scene::current::Description;
use swarmarium_space::Space;

use super::scenery::role_of;
use super::view::reaches_into;
use super::{Overlay, View};
use crate::Past;

/// The number of shades in which a trail fades.
pub const SHADES: usize = 6;
/// The opacity of its oldest end; the newest end is opaque.
const FAINTEST: f32 = 0.15;
/// Width of a trail in logical pixels.
pub const WIDTH_PX: f64 = 1.5;

/// Draws the trails of groups that have trails, and those of all other agents from a record of the past. Pieces outside
/// the screen are left out.
pub(super) fn draw(world: &World, space: &Space, view: &View, past: Option<&Past>, picture: &mut Picture) {
    let past = past.filter(|_| view.overlays.shows(Overlay::AllTrails));
    let (seen_m, rim_m) = (view.camera.visible_m(), WIDTH_PX / view.camera.pixels_per_m);
    let is_seen = |piece: &[(DVec2, f64)]| {
        let ends = (DVec2::INFINITY, DVec2::NEG_INFINITY);
        let (first, last) = piece.iter().fold(ends, |(first, last), (at, _)| (first.min(*at), last.max(*at)));
        reaches_into(seen_m, [first, last], rim_m)
    };
    let trails = world.arena().trails.as_ref();
    if trails.is_none() && past.is_none() {
        return;
    }
    let groups = &world.resource::<Description>().scene().groups;
    let positions = space.bodies.positions();
    for (row, agent) in world.arena().agents.iter().enumerate() {
        let agent = world.entity(*agent);
        let look = agent.get::<Member>().and_then(|member| Some(&groups.get(member.group as usize)?.look));
        let pieces = match (look.filter(|look| look.trail_s > 0.0), trails, past) {
            (Some(_), Some(trails), _) => trails.pieces_of(agent, positions[row]),
            (None, _, Some(past)) => of_past(past, agent, positions[row]),
            _ => continue,
        };
        let mut pieces = pieces.iter().filter(|piece| is_seen(piece)).peekable();
        if pieces.peek().is_some() {
            let role = color(world, agent, look);
            pieces.for_each(|piece| fading(piece, role, Width::Pixels(WIDTH_PX).into(), picture));
        }
    }
}

/// The colour of the trail of a robot with a look.
pub fn color(world: &World, agent: EntityRef, look: Option<&Look>) -> Role {
    let own = look.and_then(|look| own_color(world.arena().seed, agent.get(), &look.trail_color));
    own.or_else(|| role_of(world, agent)).unwrap_or(Role::Dim)
}

/// The colour of the trail of the robot in a row; `None` without such a robot.
pub(super) fn color_of_row(world: &World, row: usize) -> Option<Role> {
    let agent = world.entity(*world.arena().agents.get(row)?);
    let groups = &world.resource::<Description>().scene().groups;
    let look = agent.get::<Member>().and_then(|member| Some(&groups.get(member.group as usize)?.look));
    Some(color(world, agent, look))
}

/// The paint of a part of a trail, from its oldest shade, 0, to its newest.
pub fn paint(role: Role, shade: usize) -> Paint {
    role.faint(FAINTEST + (1.0 - FAINTEST) * shade as f32 / (SHADES - 1) as f32).legible()
}

fn of_past(past: &Past, agent: EntityRef, shown_m: DVec2) -> Vec<Vec<(DVec2, f64)>> {
    let (Some(id), Some(pose)) = (agent.get::<StableId>(), agent.get::<Pose>()) else { return Vec::new() };
    past.pieces_of(id.index(), pose.position_m, shown_m)
}

/// Draws a line through points, each with its age: from 0, the clearest, to 1.
pub(super) fn fading(piece: &[(DVec2, f64)], role: Role, pen: Pen, picture: &mut Picture) {
    let shade = |age: f64| (((1.0 - age) * SHADES as f64) as usize).min(SHADES - 1);
    let mut start = 0;
    for end in 1..piece.len() {
        let (now, is_last) = (shade(piece[start].1), end + 1 == piece.len());
        if is_last || shade(piece[end].1) != now {
            let points = piece[start..=end].iter().map(|(point, _)| *point).collect();
            let line = Shape::Line { points, closed: false, pen };
            picture.add(Layer::Trails, paint(role, now), line);
            start = end;
        }
    }
}

//! A moment of a simulation to draw: the end of a step, or a time between the ends of two steps.
//!
//! Poses between two steps are only drawn; the simulation does not use them.

use std::borrow::Cow;

use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_core::agent::{Displacement, Member, Pose};
use swarmarium_core::controller::view::Wanted;
use swarmarium_core::object::{self, ObjectPose};
use swarmarium_core::step::{HasArena as _, row_of_agent};
use swarmarium_core::{controller, gripper, metric, sensor};
use swarmarium_picture::Picture;
use swarmarium_picture::palette::Role;
use swarmarium_space::Space;

use super::color_by::Coloring;
use super::legend::Legend;
use super::placement::Placement;
use super::{
    Overlay, View, beliefs, caption, commands, connections, density, fields, ids, legend, links, occupancy, scale,
    scenery, trails, velocities, voronoi,
};
use crate::{Forecast, Past};

/// The poses of all agents and moving objects at the end of a step.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Poses {
    step: u64,
    /// By stable id.
    poses: Vec<(StableId, Pose)>,
}

impl Poses {
    /// The poses of all agents at the end of the last step.
    #[doc(hidden)]
    pub fn from_world(world: &World) -> Self {
        let pose = |entity: &Entity| Some((*world.get::<StableId>(*entity)?, *world.get::<Pose>(*entity)?));
        let mut poses: Vec<_> = rows(world).filter_map(pose).collect();
        poses.sort_unstable_by_key(|(id, _)| *id);
        Self { step: world.arena().time.step, poses }
    }

    fn get(&self, agent: StableId) -> Option<Pose> {
        let place = self.poses.binary_search_by_key(&agent, |(id, _)| *id).ok()?;
        Some(self.poses[place].1)
    }
}

/// The entities with a row: agents, then objects that act.
fn rows(world: &World) -> impl Iterator<Item = &Entity> {
    world.arena().agents.iter().chain(&world.arena().actors)
}

/// The state of a simulation at a time, for drawing.
pub struct Moment<'w> {
    pub(super) world: &'w World,
    /// The poses and shapes of everything in the arena.
    pub space: Cow<'w, Space>,
    now_s: f64,
    /// The record of the run that its host keeps.
    past: Option<&'w Past>,
    /// The next part of the paths of the robots, as its host simulated it.
    forecast: Option<&'w Forecast>,
    /// The names of states that the host has seen, in the order of their colours.
    pub(super) states: &'w [String],
}

impl<'w> Moment<'w> {
    /// The end of the last step.
    pub fn now(world: &'w World) -> Self {
        let space = Cow::Borrowed(&world.arena().space);
        Self { world, space, now_s: world.arena().time.now_s(), past: None, forecast: None, states: &[] }
    }

    /// A moment between the end of the previous step (0) and the end of the last one (1).
    ///
    /// An agent or object that jumped, across a periodic boundary or by an edit, or that did not exist before, is shown
    /// at its present pose.
    pub fn between(world: &'w World, before: &Poses, part: f64) -> Self {
        let now = Self::now(world);
        let time = world.arena().time;
        // At the end of the step, nothing needs to be moved.
        if part >= 1.0 || before.step + 1 != time.step {
            return now;
        }
        let mut space = now.space.into_owned();
        for (row, agent) in rows(world).enumerate() {
            let Some(from) = world.get::<StableId>(*agent).and_then(|id| before.get(*id)) else { continue };
            let (to, heading_rad) = (space.bodies.positions()[row], space.bodies.headings()[row]);
            let came_from = to - world.get::<Displacement>(*agent).copied().unwrap_or_default().0;
            if (came_from - from.position_m).length() <= 1e-6 * (1.0 + to.length()) {
                let position_m = from.position_m.lerp(to, part);
                let turn = swarmarium_base::math::wrap_angle(heading_rad - from.heading_rad);
                let pose = Pose { position_m, heading_rad: from.heading_rad + turn * part };
                space.bodies.place(row, pose.position_m);
                space.bodies.turn(row, pose.heading_rad);
                if row >= space.bodies.len()
                    && let Some(object_pose) = ObjectPose::of(world, *agent, pose)
                {
                    object_pose.take(&mut space, row);
                }
                space.place_outline(row);
            }
        }
        space.update();
        Self {
            world,
            space: Cow::Owned(space),
            now_s: (before.step as f64 + part) * time.dt_s,
            past: None,
            forecast: None,
            states: &[],
        }
    }

    /// The same moment with the record of its host up to now; without it if time went back since.
    #[must_use]
    pub fn remembering(self, past: &'w Past) -> Self {
        let is_past = past.last_step() <= Some(self.world.arena().time.step);
        Self { past: Some(past).filter(|_| is_past), ..self }
    }

    /// The same moment with a forecast of its host.
    #[must_use]
    pub fn foreseeing(self, forecast: Option<&'w Forecast>) -> Self {
        Self { forecast, ..self }
    }

    /// The same moment with the names of states that its host has seen so far: the first ones have the first colours.
    #[must_use]
    pub fn with_states(self, states: &'w [String]) -> Self {
        Self { states, ..self }
    }

    /// The simulated time, in seconds.
    pub fn now_s(&self) -> f64 {
        self.now_s
    }

    /// The position of an agent, by its number, in metres.
    pub fn position_m(&self, agent: u32) -> Option<DVec2> {
        let row = row_of_agent(self.world, agent)?;
        self.space.bodies.positions().get(row).copied()
    }

    /// The centre of a group, by its index in the scene, in metres.
    pub fn center_m(&self, group: u32) -> Option<DVec2> {
        let agents = self.world.arena().agents.iter().zip(self.space.bodies.positions());
        let member = |agent: &Entity| self.world.get::<Member>(*agent).is_some_and(|member| member.group == group);
        let positions = agents.filter(|(agent, _)| member(agent)).map(|(_, position)| *position);
        let (sum, count) = positions.fold((DVec2::ZERO, 0), |(sum, count), position| (sum + position, count + 1));
        (count > 0).then(|| sum / f64::from(count))
    }

    /// Draws the ground of a view: the floor, floors and fields, the grid and the walls.
    fn ground(&self, view: &View, placement: &mut Placement, picture: &mut Picture) -> Vec<Legend> {
        let Self { space, past, .. } = self;
        let mut legends = Vec::new();
        if view.overlays.shows(Overlay::Floor) {
            scenery::floor(self, picture);
        }
        object::floor::draw_all(space, picture);
        if view.overlays.shows(Overlay::Fields) {
            legends.extend(fields::draw(self, picture));
        }
        if view.overlays.shows(Overlay::Density) {
            legends.push(density::draw(self, view, picture));
        }
        if let Some(past) = past.filter(|_| view.overlays.shows(Overlay::Occupancy)) {
            legends.push(occupancy::draw(&past.occupancy, picture));
        }
        scenery::field(self, view, placement, picture);
        legends
    }

    /// The surroundings of the robots, as in the picture of a view: the ground, objects, grippers and goals of controllers.
    pub fn surroundings(&self, view: &View) -> Picture {
        let Self { world, space, .. } = self;
        let mut picture = Picture { pixels_per_m: view.camera.pixels_per_m, ..Picture::default() };
        self.ground(view, &mut Placement::new(&space.arena, &view.camera), &mut picture);
        object::draw_all(world, space, &mut picture);
        gripper::draw_all(world, space, &mut picture);
        let role = |agent: EntityRef| scenery::role_of(world, agent).unwrap_or(Role::Dim);
        let wanted = Wanted { estimates: &|_| false, plans: &|_| false, role: &role };
        controller::draw_all(world, space, wanted, &mut picture);
        picture
    }

    /// The colour of the trail of the robot in a row; `None` without such a robot.
    pub fn trail_color(&self, row: usize) -> Option<Role> {
        trails::color_of_row(self.world, row)
    }

    /// The picture of a view, as a list of shapes.
    pub fn picture(&self, view: &View) -> Picture {
        let Self { world, space, now_s, past, forecast, .. } = self;
        let mut picture = Picture { pixels_per_m: view.camera.pixels_per_m, ..Picture::default() };
        let mut placement = Placement::new(&space.arena, &view.camera);
        let mut legends = self.ground(view, &mut placement, &mut picture);
        voronoi::draw(self, view, &mut picture);
        object::draw_all(world, space, &mut picture);
        gripper::draw_all(world, space, &mut picture);
        let all = view.shows_all_sensors(world.arena().agents.len());
        let wanted = |agent: StableId| all || view.selected == Some(agent);
        sensor::draw_all(world, space, &wanted, &mut picture);
        let estimated = |agent: StableId| view.overlays.shows(Overlay::Estimates) || view.selected == Some(agent);
        beliefs::draw(world, &estimated, &mut picture);
        let planned = |agent: StableId| view.overlays.shows(Overlay::Plans) || view.selected == Some(agent);
        let role = |agent: EntityRef| scenery::role_of(world, agent).unwrap_or(Role::Dim);
        let wanted = Wanted { estimates: &estimated, plans: &planned, role: &role };
        controller::draw_all(world, space, wanted, &mut picture);
        if view.overlays.shows(Overlay::Metrics) {
            metric::draw_all(world, space, &mut picture);
        }
        if view.overlays.shows(Overlay::Links) {
            links::draw(world, space, view, &mut picture);
        }
        connections::draw(world, space, view, &mut picture);
        if view.overlays.shows(Overlay::Trails) {
            trails::draw(world, space, view, *past, &mut picture);
        }
        if let Some(forecast) = forecast {
            forecast.draw(world.arena().time.step, |number| self.position_m(number), &mut picture);
        }
        let coloring = Coloring::new(self, view.color_by);
        scenery::agents(self, view, coloring.as_ref(), &mut picture);
        legends.extend(coloring.map(|coloring| coloring.legend));
        if view.overlays.shows(Overlay::Commands) {
            commands::draw(world, space, view, &mut picture);
        }
        if view.overlays.shows(Overlay::Velocities) {
            velocities::draw(world, space, view, &mut picture);
        }
        if view.overlays.shows(Overlay::Ids) || view.overlays.shows(Overlay::Names) {
            ids::draw(world, space, view, &mut picture);
        }
        if view.overlays.shows(Overlay::ScaleBar) {
            scale::scale_bar(view, &mut placement, &mut picture);
        }
        caption::words(world, view, *now_s, &mut picture);
        legend::draw(&legends, view, &mut placement, &mut picture);
        picture
    }
}

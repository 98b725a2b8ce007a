//! Views of all robots with one kind of controller, for drawing.

use bevy::ecs::component::ComponentId;
use bevy::math::DVec2;
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_picture::Picture;
use swarmarium_picture::palette::Role;
use swarmarium_space::Space;

use super::Controller;
use crate::agent::contact::Dead;
use crate::agent::{Pose, Row};
use crate::kind::entities_with;
use crate::sensor::infrared::Infrared;
use crate::sensor::{Reading, Sensors};

/// The living robots with one kind of controller.
pub struct ControllerView<'a, K> {
    world: &'a World,
    space: &'a Space,
    wanted: Wanted<'a>,
    kind: std::marker::PhantomData<K>,
}

/// The agents with extra drawing enabled.
#[derive(Clone, Copy)]
pub struct Wanted<'a> {
    /// Agents whose estimates are drawn.
    pub estimates: &'a dyn Fn(StableId) -> bool,
    /// Agents whose plans are drawn.
    pub plans: &'a dyn Fn(StableId) -> bool,
    /// The colour of an agent.
    pub role: &'a dyn Fn(EntityRef) -> Role,
}

/// One robot of a [`ControllerView`].
pub struct ControlledAgent<'a, K: Controller> {
    /// Its controller.
    pub controller: &'a K,
    /// Memory of the controller.
    pub memory: &'a K::Memory,
    /// Position (m).
    pub position_m: DVec2,
    /// Pose.
    pub pose: Pose,
    /// Radius of the disc that encloses its body (m).
    pub radius_m: f64,
    /// The colour that it is drawn in.
    pub role: Role,
    /// Whether its estimate is drawn.
    pub shows_estimate: bool,
    /// Whether its plan is drawn.
    pub shows_plan: bool,
    /// Its id.
    pub id: StableId,
    world: &'a World,
    sensors: &'a [Entity],
}

impl<'a, K: Controller> ControlledAgent<'a, K> {
    /// Reading of its sensor in a slot; empty if there is no such sensor.
    pub fn reading(&self, slot: u32) -> &'a [f64] {
        self.sensor::<Reading>(slot).map_or(&[], |reading| &reading.values)
    }

    /// Readings of all its sensors, by slot.
    pub fn readings(&self) -> Vec<&'a [f64]> {
        (0..self.sensors.len() as u32).map(|slot| self.reading(slot)).collect()
    }

    /// Its infrared sensors in a slot.
    pub fn infrared(&self, slot: u32) -> Option<&'a Infrared> {
        self.sensor(slot)
    }

    fn sensor<T: Component>(&self, slot: u32) -> Option<&'a T> {
        self.world.get(*self.sensors.get(slot as usize)?)
    }
}

impl<'a, K: Controller> ControllerView<'a, K> {
    /// The space with all bodies and obstacles.
    pub fn space(&self) -> &'a Space {
        self.space
    }

    /// A resource of the simulation.
    pub fn resource<R: Resource>(&self) -> Option<&'a R> {
        self.world.get_resource()
    }

    /// All robots, by age; collected at each call.
    pub fn members(&self) -> Vec<ControlledAgent<'a, K>> {
        let member = |(row, agent): (usize, EntityRef<'a>)| {
            let (bodies, id) = (&self.space.bodies, agent.get::<StableId>());
            let position_m = bodies.positions()[row];
            Some(ControlledAgent {
                controller: agent.get()?,
                memory: agent.get()?,
                position_m,
                pose: Pose { position_m, heading_rad: bodies.headings()[row] },
                radius_m: bodies.radii()[row],
                role: (self.wanted.role)(agent),
                shows_estimate: id.is_some_and(|id| (self.wanted.estimates)(*id)),
                id: id.copied()?,
                shows_plan: id.is_some_and(|id| (self.wanted.plans)(*id)),
                world: self.world,
                sensors: agent.get::<Sensors>().map_or(&[], Sensors::slots),
            })
        };
        living(self.world, self.world.component_id::<K>()).into_iter().filter_map(member).collect()
    }
}

/// Living agents that have a component, with their rows, by row.
fn living(world: &World, kind: Option<ComponentId>) -> Vec<(usize, EntityRef<'_>)> {
    let agents = kind.into_iter().flat_map(|kind| entities_with(world, kind)).filter(|agent| !agent.contains::<Dead>());
    let mut rows: Vec<_> = agents.filter_map(|agent| Some((agent.get::<Row>()?.0 as usize, agent))).collect();
    rows.sort_unstable_by_key(|(row, _)| *row);
    rows
}

/// Draws the controllers of one kind.
pub(super) fn draw_all<K: Controller>(world: &World, space: &Space, wanted: Wanted, picture: &mut Picture) {
    K::draw(&ControllerView { world, space, wanted, kind: std::marker::PhantomData }, picture);
}

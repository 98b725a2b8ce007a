//! Read access to the state of a simulation, between steps and within them.

use bevy::ecs::world::WorldId;
use bevy::prelude::*;
use swarmarium_core::agent::{Command, Member};
use swarmarium_core::controller::commanded::Commanded;
use swarmarium_core::sensor::{ComponentSettings, Reading, Sensors};
use swarmarium_core::step::{Arena, HasArena as _, find_agent, row_of_agent};
use swarmarium_core::time::SimTime;
use swarmarium_scene::agent_view::AgentView;
use swarmarium_scene::component::naming;
use swarmarium_scene::scene::current::Description;
use swarmarium_space::Space;

/// The present state of a simulation, which is looked up once for many reads. Programs that act within a step
/// ([`Turns`](crate::edit::Turns)) see the state in the turn of their agent.
#[derive(Clone, Copy)]
pub struct ReadView<'w> {
    pub(crate) world: &'w World,
    pub(crate) arena: &'w Arena,
}

impl<'w> ReadView<'w> {
    pub(crate) fn new(world: &'w World) -> Self {
        Self { world, arena: world.arena() }
    }

    /// The clock. Within a step, it has the number of that step.
    pub fn time(self) -> SimTime {
        self.arena.time
    }

    /// Bodies, objects and walls, with queries about them.
    pub fn space(self) -> &'w Space {
        &self.arena.space
    }

    /// The agents, by stable id.
    pub fn agents(self) -> impl Iterator<Item = AgentView<'w>> {
        self.arena.agents.iter().filter_map(move |agent| AgentView::of(self.world, *agent))
    }

    /// The agent with this number.
    pub fn agent(self, number: u32) -> Option<AgentView<'w>> {
        AgentView::of(self.world, find_agent(self.world, number)?)
    }

    /// The place of an agent in the order of stable ids.
    pub fn row_of(self, number: u32) -> Option<usize> {
        row_of_agent(self.world, number)
    }

    /// The commands in force, each with the number of its agent: that of a host for the controller `External`, else that
    /// of the last decision.
    pub fn commands(self) -> impl Iterator<Item = (u32, Command)> {
        self.agents().map(move |agent| {
            let given = self.given_to(agent.entity());
            (agent.id.index(), given.unwrap_or_else(|| agent.command()))
        })
    }

    /// The command that a host gave to an agent with the controller `External`; `None` before the first one.
    pub fn given_command(self, number: u32) -> Option<Command> {
        self.given_to(find_agent(self.world, number)?)
    }

    fn given_to(self, agent: Entity) -> Option<Command> {
        self.world.get::<Commanded>(agent)?.0
    }

    /// The last reading of the sensor in a slot of an agent.
    pub fn reading(self, number: u32, slot: usize) -> Option<&'w [f64]> {
        Some(self.world.get::<Reading>(self.sensor(number, slot)?)?.values.as_slice())
    }

    fn sensor(self, number: u32, slot: usize) -> Option<Entity> {
        self.world.get::<Sensors>(find_agent(self.world, number)?)?.slots().get(slot).copied()
    }

    /// The name of the sensor in a slot of an agent among the components for clients, as in an
    /// [`Edit::Call`](crate::edit::Edit::Call); `None` if the sensor has no name of its own.
    pub fn sensor_component(self, number: u32, slot: usize) -> Option<String> {
        let sensing = self.world.get::<ComponentSettings>(self.sensor(number, slot)?)?;
        let Member { group, serial, .. } = *self.world.get(find_agent(self.world, number)?)?;
        let group = &self.world.resource::<Description>().scene().groups.get(group as usize)?.name;
        (!sensing.name.is_empty()).then(|| format!("{}.{}", naming::of_robot(group, serial), sensing.name))
    }

    /// The world that has the state at present, for the Python package: simulations of a batch take turns in the worlds of a
    /// few.
    #[doc(hidden)]
    pub fn world_id(self) -> WorldId {
        self.world.id()
    }
}

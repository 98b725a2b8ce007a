//! The systems of all kinds in a step, by family, in order of registration.
//!
//! Only kinds that exist in the world are run, so that unused kinds cost no time.

use bevy::ecs::archetype::ArchetypeGeneration;
use bevy::ecs::component::ComponentId;
use bevy::ecs::error::ErrorContext;
use bevy::ecs::system::{BoxedSystem, IntoSystem, RunSystemError, SystemInput};
use bevy::prelude::*;

use super::Agents;
use crate::agent::contact::Dead;
use crate::step::order::Delivery;

/// Systems of the kinds, by purpose.
#[derive(Resource, Default)]
pub struct Roster {
    /// Controllers turn readings into commands.
    pub control: FamilySystems,
    /// Motion models integrate commands.
    pub motion: FamilySystems,
    /// Sensors read.
    pub sense: FamilySystems,
    /// In sequential order, sensors update readings that follow the world between two readings.
    pub follow: FamilySystems,
    /// After agents have acted: objects detect them, and controllers' events are logged.
    pub notice: KindSystems<()>,
    /// Radios send and receive.
    pub radio: Radios,
}

/// Radio systems that run before controllers decide.
#[derive(Default)]
pub struct Radios {
    /// Radios update their turns.
    pub wake: KindSystems<()>,
    /// Controllers write the messages of their radios.
    pub tell: FamilySystems,
    /// Radios send the messages.
    pub send: FamilySystems,
}

/// One agent or sensor, or all at once (`None`).
pub type OneOrAll = In<Option<Entity>>;

/// Systems of the kinds of one family, which run for all entities of a kind or for one.
///
/// The same system serves both purposes, because each system is compiled anew for each kind. Each purpose has its own
/// instance, because the systems of a step take `all` out of the roster.
#[derive(Default)]
pub struct FamilySystems {
    all: KindSystems<OneOrAll>,
    one: KindSystems<OneOrAll>,
}

/// Systems of kinds, in order of registration.
pub struct KindSystems<I: SystemInput + 'static> {
    kinds: Vec<OfKind<I>>,
    /// Indices of the kinds that exist.
    present: Vec<usize>,
    as_of: Option<ArchetypeGeneration>,
}

struct OfKind<I: SystemInput + 'static> {
    kind: ComponentId,
    system: BoxedSystem<I>,
    is_initialized: bool,
}

impl Roster {
    /// Lends the roster of a world to a function.
    pub fn lend(world: &mut World, act: impl FnOnce(&mut World, &mut Self)) {
        // A `resource_scope` would cost a small world more than a step.
        let mut lent = std::mem::take(&mut *world.resource_mut::<Self>());
        act(world, &mut lent);
        *world.resource_mut::<Self>() = lent;
    }
}

impl FamilySystems {
    /// Adds the system of a kind. For a single entity of another kind, the system does nothing.
    pub fn add<M>(&mut self, kind: ComponentId, act: impl IntoSystem<OneOrAll, (), M> + Copy) {
        self.all.add(kind, act);
        self.one.add(kind, act);
    }

    /// Whether a kind of the family exists or has existed.
    pub(crate) fn is_present(&mut self, world: &mut World) -> bool {
        self.one.update(world);
        !self.one.present.is_empty()
    }

    /// Runs the systems for all agents or sensors.
    pub(crate) fn act_for_all(&mut self, world: &mut World) {
        self.all.run(world, None);
    }

    /// Runs the systems for one agent or sensor.
    pub fn act_for(&mut self, world: &mut World, entity: Entity) {
        self.one.run(world, Some(entity));
    }
}

impl Radios {
    /// Begins a step; returns whether each agent sends individually, just before it decides.
    ///
    /// Does nothing in a world without radios.
    pub fn begin(&mut self, world: &mut World) -> bool {
        self.wake.update(world);
        if self.wake.present.is_empty() {
            return false;
        }
        self.wake.run(world, ());
        match *world.resource::<Delivery>() {
            Delivery::SameStep => true,
            Delivery::NextStep => {
                self.tell.all.run(world, None);
                self.send.all.run(world, None);
                false
            }
        }
    }

    /// Lets one agent write and send its message, if it has a turn.
    pub fn send_for(&mut self, world: &mut World, agent: Entity) {
        self.tell.act_for(world, agent);
        self.send.act_for(world, agent);
    }
}

impl<I: SystemInput + 'static> Default for KindSystems<I> {
    fn default() -> Self {
        Self { kinds: Vec::new(), present: Vec::new(), as_of: None }
    }
}

impl<I: SystemInput + 'static> KindSystems<I> {
    /// Adds the system of a kind.
    pub fn add<M>(&mut self, kind: ComponentId, system: impl IntoSystem<I, (), M>) {
        let system = Box::new(IntoSystem::into_system(system));
        self.kinds.push(OfKind { kind, system, is_initialized: false });
    }

    /// Runs the systems of the kinds that exist.
    fn run(&mut self, world: &mut World, input: I::Inner<'_>)
    where
        for<'i> I::Inner<'i>: Copy,
    {
        self.update(world);
        for &place in &self.present {
            let system = &mut self.kinds[place].system;
            if let Err(RunSystemError::Failed(error)) = system.run(input, world) {
                let context = ErrorContext::System { name: system.name(), last_run: system.get_last_run() };
                world.fallback_error_handler()(error, context);
            }
        }
    }

    /// Updates the kinds that exist. Kinds that have existed are kept: their systems do nothing.
    fn update(&mut self, world: &mut World) {
        let now = world.archetypes().generation();
        if self.as_of.replace(now) == Some(now) {
            return;
        }
        self.present.clear();
        for (place, OfKind { kind, system, is_initialized }) in self.kinds.iter_mut().enumerate() {
            if world.archetypes().component_index().contains_key(kind) {
                self.present.push(place);
                if !std::mem::replace(is_initialized, true) {
                    system.initialize(world);
                }
            }
        }
    }
}

/// The system that runs all existing kinds of a family.
pub(crate) fn act_all(duties: fn(&mut Roster) -> &mut FamilySystems) -> impl FnMut(&mut World) {
    run_line(move |roster| std::mem::take(&mut duties(roster).all))
}

/// The system in which objects and the log register what agents did.
pub(crate) fn notice_all() -> impl FnMut(&mut World) {
    run_line(|roster| std::mem::take(&mut roster.notice))
}

fn run_line<I: SystemInput + 'static>(take: impl Fn(&mut Roster) -> KindSystems<I>) -> impl FnMut(&mut World)
where
    for<'i> I::Inner<'i>: Copy + Default,
{
    // Each system keeps its part: looking up the roster at every step would be noticeable in a small world.
    let mut own = None;
    move |world| {
        let line = own.get_or_insert_with(|| take(&mut world.resource_mut::<Roster>()));
        line.run(world, I::Inner::default());
    }
}

/// The system in which agents decide after receiving messages: all at once or, for reception in the same step, one
/// after the other.
pub(crate) fn decide_all() -> impl FnMut(&mut World) {
    let mut own = None;
    move |world| {
        let (radios, control) = own.get_or_insert_with(|| {
            let mut roster = world.resource_mut::<Roster>();
            (std::mem::take(&mut roster.radio), std::mem::take(&mut roster.control.all))
        });
        if radios.begin(world) {
            Roster::lend(world, |world, roster| decide_in_turn(world, radios, &mut roster.control));
        } else {
            control.run(world, None);
        }
    }
}

fn decide_in_turn(world: &mut World, radios: &mut Radios, control: &mut FamilySystems) {
    let mut row = 0;
    while let Some(&agent) = world.resource::<Agents>().0.get(row) {
        if !world.entity(agent).contains::<Dead>() {
            radios.send_for(world, agent);
            control.act_for(world, agent);
        }
        row += 1;
    }
}

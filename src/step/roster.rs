//! Who does what in a step: the kinds of each family in the order of their registration.
//!
//! Only kinds that the world has are called, so that those that a scene does not use cost its steps nothing.

use bevy::ecs::archetype::ArchetypeGeneration;
use bevy::ecs::component::ComponentId;
use bevy::ecs::error::ErrorContext;
use bevy::ecs::system::{BoxedSystem, IntoSystem, RunSystemError, System, SystemInput};
use bevy::prelude::*;

use crate::kind::KindType;

/// What the kinds do, by what is done.
#[derive(Resource, Default)]
pub(crate) struct Roster {
    /// Controllers turn readings into commands.
    pub control: Line,
    /// Motion models integrate commands.
    pub motion: Line,
    /// Sensors read.
    pub sense: Line,
    /// Objects notice agents.
    pub notice: Line,
}

impl Roster {
    /// Lends the roster of a world, which knows then which kinds there are.
    pub fn lend(world: &mut World, act: impl FnOnce(&mut World, &mut Self)) {
        // A `resource_scope` would cost a small world more than to step.
        let mut lent = std::mem::take(&mut *world.resource_mut::<Self>());
        let Self { control, motion, sense, notice } = &mut lent;
        [control, motion, sense, notice].into_iter().for_each(|line| line.update(world));
        act(world, &mut lent);
        *world.resource_mut::<Self>() = lent;
    }
}

/// The kinds of one family, in the order of their registration.
#[derive(Default)]
pub(crate) struct Line {
    duties: Vec<Duty>,
    /// Places of the duties of kinds that there are.
    present: Vec<usize>,
    as_of: Option<ArchetypeGeneration>,
}

/// What one kind does.
pub(crate) struct Duty {
    kind: ComponentId,
    is_initialized: bool,
    all: BoxedSystem,
    one: Option<BoxedSystem<In<Entity>>>,
}

impl Duty {
    /// What a kind does for all that are of it, at once.
    pub fn of<K: KindType, M>(world: &mut World, all: impl IntoSystem<(), (), M>) -> Self {
        let kind = world.register_component::<K>();
        Self { kind, is_initialized: false, all: Box::new(IntoSystem::into_system(all)), one: None }
    }

    /// The same for one agent (controllers, motion models) or one sensor, whose turn it is; nothing is done for those of
    /// other kinds.
    pub fn by_turns<M>(self, one: impl IntoSystem<In<Entity>, (), M>) -> Self {
        Self { one: Some(Box::new(IntoSystem::into_system(one))), ..self }
    }
}

impl Line {
    /// Adds what a kind does, after those added before it.
    pub fn add(&mut self, duty: Duty) {
        self.duties.push(duty);
    }

    /// Gives a turn to one agent or sensor.
    pub fn act_for(&mut self, world: &mut World, entity: Entity) {
        for &place in &self.present {
            if let Some(one) = &mut self.duties[place].one {
                run(&mut **one, entity, world);
            }
        }
    }

    /// Looks which kinds there are. Those that there were once stay: what they do then is nothing.
    fn update(&mut self, world: &mut World) {
        let now = world.archetypes().generation();
        if self.as_of.replace(now) == Some(now) {
            return;
        }
        self.present.clear();
        for (place, duty) in self.duties.iter_mut().enumerate() {
            if !world.archetypes().component_index().contains_key(&duty.kind) {
                continue;
            }
            self.present.push(place);
            if !std::mem::replace(&mut duty.is_initialized, true) {
                duty.all.initialize(world);
                duty.one.iter_mut().for_each(|one| drop(one.initialize(world)));
            }
        }
    }
}

/// Makes the system that lets all kinds of a line that there are act.
pub(crate) fn act_all(line: fn(&mut Roster) -> &mut Line) -> impl FnMut(&mut World) {
    move |world| {
        Roster::lend(world, |world, roster| {
            let Line { duties, present, .. } = line(roster);
            present.iter().for_each(|&place| run(&mut *duties[place].all, (), world));
        });
    }
}

fn run<I: SystemInput + 'static>(system: &mut dyn System<In = I, Out = ()>, input: I::Inner<'_>, world: &mut World) {
    if let Err(RunSystemError::Failed(error)) = system.run(input, world) {
        let context = ErrorContext::System { name: system.name(), last_run: system.get_last_run() };
        world.fallback_error_handler()(error, context);
    }
}

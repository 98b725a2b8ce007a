//! The plan of a step: the list of everything that acts in this scene, in order.
//!
//! A plan has *acts*. Most of them run *kernels*: the systems of kinds, each for all entities of its kind, or for the one
//! whose turn it is. Kernels of kinds that no entity has are not in the list. While kernels run, they share the arena of the
//! world, which the plan keeps for them; acts that need the whole world get it with its arena.

use std::any::TypeId;

use bevy::ecs::archetype::{ArchetypeGeneration, ArchetypeId};
use bevy::ecs::component::ComponentId;
use bevy::ecs::error::ErrorContext;
use bevy::ecs::system::{BoxedSystem, IntoSystem, RunSystemError};
use bevy::prelude::*;

use super::arena::{Arena, CurrentArena};
use super::{Phase, Step, Workers, schedule};

pub mod lines;

use lines::PlanLine;

/// What the kernels of a step share.
#[derive(Default)]
pub struct StepContext {
    /// The arena.
    pub arena: CurrentArena,
    /// The threads.
    pub workers: Workers,
    /// The agent or sensor whose turn it is; `None` for all at once.
    pub turn: Option<Entity>,
}

/// The purpose of a kernel, in the order of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Duty {
    /// Radios begin a step.
    Wake,
    /// Controllers write the messages of their radios.
    Tell,
    /// Radios send the messages.
    Send,
    /// In sequential order, sensors update readings that follow the world between two readings.
    Follow,
    /// Controllers turn readings into commands.
    Control,
    /// Motion models integrate commands.
    Move,
    /// In sequential order, an agent collides in its turn.
    CollideInTurn,
    /// All agents collide.
    Collide,
    /// Sensors read.
    Sense,
    /// After agents have acted, controllers log their events.
    Log,
    /// Objects notice agents.
    Notice,
}

impl Duty {
    const COUNT: usize = Self::Notice as usize + 1;
}

/// The place of an act among the sets of a step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// In a part of the step.
    Step(Step),
    /// In a phase of agents.
    Phase(Phase),
    /// After agents have acted, before the systems that plugins add to [`Step::Objects`].
    AfterAgents,
}

impl Place {
    /// The order of places in a step.
    fn rank(self) -> usize {
        match self {
            Self::Step(step) if step <= Step::Agents => step as usize,
            Self::Phase(phase) => Step::Agents as usize + phase as usize,
            Self::AfterAgents => Step::Objects as usize + Phase::Sense as usize,
            Self::Step(step) => step as usize + Phase::Sense as usize + 1,
        }
    }
}

/// The work of an act.
#[derive(Clone, Copy)]
pub enum Work {
    /// The kernels of a duty.
    Kernels(Duty),
    /// A function that needs the arena alone.
    Arena(fn(&mut Arena)),
    /// A function that needs the whole world.
    World(fn(&mut World, &mut Plan)),
}

/// A part of a step.
pub struct Act {
    /// Its name in the printed plan.
    pub name: &'static str,
    /// Its place.
    pub place: Place,
    /// Its work.
    pub work: Work,
    /// The component without which it has nothing to do.
    pub needs: Option<ComponentId>,
    /// Whether it has something to do in this step; `None` for an act that always has.
    pub when: Option<fn(&World, &Arena) -> bool>,
    /// In the printed plan: the events without which it has nothing to do; empty if its condition depends on the scene alone.
    pub occasion: &'static str,
    /// In the printed plan: the duties that it lets agents or objects do in turn.
    pub in_turn: &'static [Duty],
    /// In the printed plan: the names of what acts in it.
    pub names: Option<fn(&World) -> Vec<String>>,
}

impl Act {
    /// An act that has something to do in every step.
    pub fn new(name: &'static str, place: Place, work: Work) -> Self {
        Self { name, place, work, needs: None, when: None, occasion: "", in_turn: &[], names: None }
    }

    /// The kernels of a duty.
    pub fn of(duty: Duty, place: Place) -> Self {
        Self::new(duty.name(), place, Work::Kernels(duty))
    }

    /// The same act, in scenes with a component.
    pub fn with(self, needs: ComponentId) -> Self {
        Self { needs: Some(needs), ..self }
    }

    /// The same act, in steps in which a condition holds.
    pub fn when(self, when: fn(&World, &Arena) -> bool) -> Self {
        Self { when: Some(when), ..self }
    }

    /// The same act, in steps with certain events.
    pub fn in_steps_with(self, occasion: &'static str, when: fn(&World, &Arena) -> bool) -> Self {
        Self { when: Some(when), occasion, ..self }
    }

    /// The same act, which lets agents or objects do some duties in turn.
    pub fn in_turn(self, in_turn: &'static [Duty]) -> Self {
        Self { in_turn, ..self }
    }

    /// The same act, with the names of what acts in it.
    pub fn naming(self, names: fn(&World) -> Vec<String>) -> Self {
        Self { names: Some(names), ..self }
    }
}

/// The system of a kind for one duty.
struct Kernel {
    kind: ComponentId,
    type_id: Option<TypeId>,
    system: BoxedSystem<InMut<'static, StepContext>>,
    is_initialized: bool,
}

impl Kernel {
    fn run(&mut self, world: &mut World, context: &mut StepContext) {
        let system = &mut self.system;
        if let Err(RunSystemError::Failed(error)) = system.run_without_applying_deferred(context, world) {
            let context = ErrorContext::System { name: system.name(), last_run: system.get_last_run() };
            world.fallback_error_handler()(error, context);
        }
        if system.has_deferred() {
            system.apply_deferred(world);
        }
    }
}

/// The kernels of a duty.
#[derive(Default)]
struct Kernels {
    /// All, in the order of registration.
    all: Vec<Kernel>,
    /// The places of those whose kinds exist.
    present: Vec<usize>,
}

/// A position in a plan: an act, and a kernel of its duty.
pub(crate) type Position = (usize, usize);

/// A part of a plan: an act, or some kernels of it.
pub(crate) struct Part {
    /// The name of the act.
    pub name: &'static str,
    /// Its place.
    pub place: Place,
    /// The position at which the part begins.
    pub from: Position,
    /// The position before which it ends.
    pub to: Position,
    /// The kind after which the act is cut.
    pub last: Option<TypeId>,
}

/// The list of everything that acts in a step.
#[derive(Default)]
pub struct Plan {
    context: StepContext,
    /// Whether the arena of the world is in the context.
    holds_arena: bool,
    acts: Vec<Act>,
    /// By act: the first one from there on that can have something to do in this scene. The number of acts comes last.
    next: Vec<usize>,
    kernels: [Kernels; Duty::COUNT],
    /// For each archetype that had a turn: its kernels by duty.
    turns: Vec<Option<Box<[Vec<usize>; Duty::COUNT]>>>,
    as_of: Option<ArchetypeGeneration>,
}

/// The plan of a world, while no step runs.
#[derive(Resource, Default)]
pub struct CurrentPlan(Option<Box<Plan>>);

/// Registers kernels and acts.
pub trait AddKernel {
    /// Adds the kernel of a kind for a duty. Kernels of a duty act in the order of registration.
    fn add_kernel<M>(
        &mut self,
        duty: Duty,
        kind: ComponentId,
        kernel: impl IntoSystem<InMut<'static, StepContext>, (), M>,
    ) -> &mut Self;
}

impl AddKernel for App {
    fn add_kernel<M>(
        &mut self,
        duty: Duty,
        kind: ComponentId,
        kernel: impl IntoSystem<InMut<'static, StepContext>, (), M>,
    ) -> &mut Self {
        let system = Box::new(IntoSystem::into_system(kernel));
        let type_id = self.world().components().get_info(kind).and_then(|info| info.type_id());
        let mut plan = self.world_mut().get_resource_or_init::<CurrentPlan>();
        plan.edit().kernels[duty as usize].all.push(Kernel { kind, type_id, system, is_initialized: false });
        self
    }
}

/// Registers acts.
pub trait AddAct {
    /// Adds an act, after those of the same place that were added before.
    fn add_act(&mut self, act: Act) -> &mut Self;
}

impl AddAct for App {
    fn add_act(&mut self, act: Act) -> &mut Self {
        let mut plan = self.world_mut().get_resource_or_init::<CurrentPlan>();
        let acts = &mut plan.edit().acts;
        acts.insert(acts.partition_point(|known| known.place.rank() <= act.place.rank()), act);
        self
    }
}

impl CurrentPlan {
    /// The plan, to add to it.
    pub fn edit(&mut self) -> &mut Plan {
        self.0.get_or_insert_default()
    }

    /// Whether the plan was lost in a step that has panicked.
    pub fn is_lost(&self) -> bool {
        self.0.is_none()
    }

    /// What acts in the world as it is, with the systems of plugins in a schedule; nothing while a step runs.
    pub fn lines(&self, world: &World, plugins: Option<&Schedule>) -> Vec<PlanLine> {
        match (&self.0, plugins) {
            (Some(plan), Some(schedule)) => schedule::lines(world, plan, schedule),
            (Some(plan), None) => plan.lines(world, (0, 0), (plan.acts.len(), 0)),
            (None, _) => Vec::new(),
        }
    }
}

impl Plan {
    /// Lends the plan of a world to a function.
    ///
    /// # Panics
    /// If the plan is lent: while a step runs, or after a panic in one.
    pub fn with(world: &mut World, act: impl FnOnce(&mut World, &mut Self)) {
        let Some(mut plan) = world.resource_mut::<CurrentPlan>().0.take() else {
            panic!("a step of this simulation has panicked: only a restart helps")
        };
        act(world, &mut plan);
        plan.return_arena(world);
        world.resource_mut::<CurrentPlan>().0 = Some(plan);
    }

    /// Sets the threads.
    pub fn set_workers(&mut self, workers: Workers) {
        self.context.workers = workers;
    }

    /// The threads.
    pub fn workers(&self) -> &Workers {
        &self.context.workers
    }

    /// The acts of the plan, cut after some of the kinds.
    pub(crate) fn parts(&self, is_cut: &dyn Fn(TypeId) -> bool) -> Vec<Part> {
        let mut parts = Vec::new();
        for (number, Act { name, place, work, .. }) in self.acts.iter().enumerate() {
            let mut from = (number, 0);
            if let Work::Kernels(duty @ (Duty::Control | Duty::Move | Duty::Sense)) = work {
                for (kernel, Kernel { type_id, .. }) in self.kernels[*duty as usize].all.iter().enumerate() {
                    if let Some(last) = type_id.filter(|kind| is_cut(*kind)) {
                        let to = (number, kernel + 1);
                        parts.push(Part { name, place: *place, from, to, last: Some(last) });
                        from = to;
                    }
                }
            }
            parts.push(Part { name, place: *place, from, to: (number, usize::MAX), last: None });
        }
        parts
    }

    /// Runs one step.
    pub fn run(&mut self, world: &mut World) {
        self.run_between(world, (0, 0), (self.acts.len(), 0));
    }

    /// Runs the part of a step from a position up to another one.
    pub(crate) fn run_between(&mut self, world: &mut World, from: Position, to: Position) {
        let (mut place, last) = (from.0, to.0.min(self.acts.len().saturating_sub(1)));
        self.update(world);
        loop {
            place = self.next[place];
            if place > last {
                break;
            }
            let first = if place == from.0 { from.1 } else { 0 };
            let end = if place == to.0 { to.1 } else { usize::MAX };
            if first < end && self.run_act(world, place, (first, end)) {
                // It can have added kinds.
                self.update(world);
            }
            place += 1;
        }
        self.return_arena(world);
    }

    /// Runs an act, if it has something to do. Returns whether it could change the world.
    fn run_act(&mut self, world: &mut World, place: usize, range: (usize, usize)) -> bool {
        self.hold_arena(world);
        let Act { work, when, .. } = &self.acts[place];
        if when.is_some_and(|when| !when(world, &self.context.arena)) {
            return false;
        }
        match *work {
            Work::Kernels(duty) => self.run_kernels(world, duty, range),
            Work::Arena(act) => {
                act(&mut self.context.arena);
                return false;
            }
            Work::World(act) => {
                self.return_arena(world);
                act(world, self);
            }
        }
        true
    }

    /// Runs the kernels of a duty for all agents, sensors or objects.
    pub fn act_for_all(&mut self, world: &mut World, duty: Duty) {
        self.update(world);
        self.run_kernels(world, duty, (0, usize::MAX));
    }

    fn run_kernels(&mut self, world: &mut World, duty: Duty, (first, end): (usize, usize)) {
        self.hold_arena(world);
        let Self { kernels, context, .. } = self;
        let Kernels { all, present } = &mut kernels[duty as usize];
        for place in present.iter().filter(|place| (first..end).contains(*place)) {
            all[*place].run(world, context);
        }
    }

    /// Runs the kernels of some duties, in order, for one agent, sensor or object: those of its own kinds.
    pub fn act_for(&mut self, world: &mut World, duties: &[Duty], entity: Entity) {
        self.update(world);
        let archetype = world.entity(entity).archetype().id();
        let place = archetype.index();
        if self.turns.get(place).is_none_or(Option::is_none) {
            self.look_up(world, archetype);
        }
        self.hold_arena(world);
        let Self { kernels, context, turns, .. } = self;
        let Some(own) = &turns[place] else { return };
        context.turn = Some(entity);
        for duty in duties {
            for kernel in &own[*duty as usize] {
                kernels[*duty as usize].all[*kernel].run(world, context);
            }
        }
        context.turn = None;
    }

    #[cold]
    fn look_up(&mut self, world: &World, archetype: ArchetypeId) {
        let Some(archetype) = world.archetypes().get(archetype) else { return };
        let own = |Kernels { all, present }: &Kernels| {
            present.iter().copied().filter(|place| archetype.contains(all[*place].kind)).collect()
        };
        let own: Vec<Vec<usize>> = self.kernels.iter().map(own).collect();
        let place = archetype.id().index();
        if self.turns.len() <= place {
            self.turns.resize_with(place + 1, || None);
        }
        self.turns[place] = own.try_into().ok().map(Box::new);
    }

    /// Whether a kind with a duty exists or has existed.
    pub fn has(&mut self, world: &mut World, duty: Duty) -> bool {
        self.update(world);
        !self.kernels[duty as usize].present.is_empty()
    }

    /// The arena, taken out of the world.
    pub fn arena(&mut self, world: &mut World) -> &mut Arena {
        &mut self.context(world).arena
    }

    /// What kernels share, with the arena taken out of the world.
    pub fn context(&mut self, world: &mut World) -> &mut StepContext {
        self.hold_arena(world);
        &mut self.context
    }

    fn hold_arena(&mut self, world: &mut World) {
        if !self.holds_arena {
            self.exchange(world);
        }
    }

    /// Gives the arena back to the world.
    pub fn return_arena(&mut self, world: &mut World) {
        if self.holds_arena {
            self.exchange(world);
        }
    }

    #[inline(never)]
    fn exchange(&mut self, world: &mut World) {
        std::mem::swap(&mut self.context.arena, &mut *world.resource_mut::<CurrentArena>());
        self.holds_arena = !self.holds_arena;
    }

    /// Updates the kinds that exist. Kinds that have existed are kept: their kernels do nothing.
    fn update(&mut self, world: &mut World) {
        let now = world.archetypes().generation();
        if self.as_of != Some(now) {
            self.as_of = Some(now);
            self.renew(world);
        }
    }

    #[cold]
    fn renew(&mut self, world: &mut World) {
        self.turns.clear();
        for Kernels { all, present } in &mut self.kernels {
            present.clear();
            for (place, Kernel { kind, system, is_initialized, .. }) in all.iter_mut().enumerate() {
                if exists(world, *kind) {
                    present.push(place);
                    if !std::mem::replace(is_initialized, true) {
                        system.initialize(world);
                    }
                }
            }
        }
        let mut next = self.acts.len();
        self.next.resize(next + 1, next);
        for (place, Act { needs, work, .. }) in self.acts.iter().enumerate().rev() {
            let has_work = !matches!(work, Work::Kernels(duty) if self.kernels[*duty as usize].present.is_empty());
            if has_work && needs.is_none_or(|component| exists(world, component)) {
                next = place;
            }
            self.next[place] = next;
        }
    }
}

/// Whether an entity has or has had a component.
fn exists(world: &World, component: ComponentId) -> bool {
    world.archetypes().component_index().contains_key(&component)
}

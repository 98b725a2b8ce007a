//! Many simulations of one scene that differ in their seeds and in what happens to them.
//!
//! A batch does not hold a world per simulation. On each thread, the arenas take turns in the world of one simulation, the
//! *engine*: the values of their components and their [`Arena`](swarmarium_core::step::Arena) are exchanged with those that wait. The
//! entities, the plan of the step and the parameters that are the same for all stay, so that an arena takes kilobytes, and
//! what all share stays in the first cache.
//!
//! Only arenas with the same entities can share a world. An arena falls back to a world of its own, with the same results,
//! when its population changes, an agent dies, or it is edited; when its scene differs from that of the batch in more than
//! the parameters of controllers, sensors and motion models; and in scenes with spawners that are at work or faults, and
//! with plugins that add systems to the step.

use std::any::Any;
use std::mem;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Mutex, PoisonError};

use bevy::ecs::archetype::{ArchetypeGeneration, ArchetypeId};
use bevy::prelude::*;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::Problems;
use swarmarium_core::state::parked::{Exchanger, Parameters, Parked, Varying};
use swarmarium_core::step::{CurrentArena, HasArena as _, Workers};
use swarmarium_scene::scene::description::{Base, Group};
use swarmarium_scene::scene::writer::{self, Style};
use swarmarium_scene::scene::{Scene, current};

use crate::engine::trail;
use crate::simulation::{Recipe, Simulation};

mod command_column;
mod table_rows;

pub use command_column::CommandColumn;
pub use table_rows::TableRows;

/// The start of a simulation: a scene, with another seed.
#[derive(Clone, Debug)]
pub struct Start {
    /// The scene; simulations with the same one share a world, and those with scenes that differ in the parameters of
    /// controllers, sensors and motion models.
    pub scene: Arc<Scene>,
    /// The seed, in place of that of the scene.
    pub seed: u64,
}

impl Start {
    fn scene(&self) -> Scene {
        Scene { seed: self.seed, ..(*self.scene).clone() }
    }
}

/// Many simulations, stepped on several threads.
///
/// ```
/// use std::sync::Arc;
/// use swarmarium_simulation::batch::{Batch, Start};
/// use swarmarium_simulation::prelude::*;
///
/// let group = Group { name: "robots".into(), count: 3, ..Group::default() };
/// let scene = Arc::new(Scene { groups: vec![group], ..Scene::default() });
/// let starts = (1..=100).map(|seed| Start { scene: scene.clone(), seed }).collect();
/// let mut batch = Batch::new(&Recipe::bare(), starts, 2).unwrap();
/// batch.each(&|_, simulation| Ok(simulation.step(10))).unwrap();
/// let hash = batch.view(7, |simulation| simulation.hash());
///
/// let mut alone = Simulation::with(&Scene { seed: 8, ..(*scene).clone() }, &Recipe::bare(), 1).unwrap();
/// alone.step(10);
/// assert_eq!(hash, alone.hash());
/// ```
pub struct Batch {
    recipe: Recipe,
    /// One thread for each shard. They stay: a new thread takes longer than the steps of hundreds of small worlds.
    workers: Workers,
    shards: Vec<Shard>,
    /// The number of simulations in each shard but the last one.
    stride: usize,
}

/// The simulations that one thread steps.
struct Shard {
    engine: Engine,
    /// The start with which the engine began.
    start: Start,
    /// The text of its scene, once it is needed.
    text: Option<String>,
    /// The parameters of all robots, sensors, objects and metrics with which the engine began.
    parameters: Parameters,
    members: Vec<Member>,
    /// Whether the last simulation has the first turn in the next round.
    is_backwards: bool,
}

/// The simulation in whose world arenas take turns.
struct Engine {
    simulation: Simulation,
    exchanger: Exchanger,
    arena: QueryState<&'static mut CurrentArena>,
    shape: Shape,
    /// The parameters that simulations exchange, too.
    varying: Varying,
    /// The scene that the world describes, with any seed.
    described: Arc<Scene>,
}

impl Engine {
    /// An engine for simulations with these parameters of their own.
    fn new(recipe: &Recipe, start: &Start, varying: Varying) -> Result<Self, Problems> {
        let mut simulation = Simulation::with_workers(&start.scene(), recipe, Workers::default())?;
        let world = simulation.world_mut();
        let (exchanger, arena, shape) = (Exchanger::new(world), world.query(), Shape::of(world));
        Ok(Self { simulation, exchanger, arena, shape, varying, described: start.scene.clone() })
    }

    /// Lets the simulation change places with one that waits.
    fn exchange(&mut self, waiting: &mut Waiting) {
        let world = self.simulation.world_mut();
        self.exchanger.exchange(world, &mut waiting.values, &self.varying);
        if let Ok(mut arena) = self.arena.single_mut(world) {
            arena.change_places(&mut waiting.arena);
        }
    }

    /// Describes the scene of the simulation in the world.
    fn describe(&mut self, start: &Start) {
        if Arc::ptr_eq(&self.described, &start.scene) {
            self.simulation.set_seed(start.seed);
        } else {
            self.described = start.scene.clone();
            current::set(self.simulation.world_mut(), start.scene());
        }
    }

    /// Whether the world still has the entities with which it began.
    fn is_in_shape(&mut self) -> bool {
        self.shape.fits(self.simulation.world())
    }
}

/// One simulation of a batch.
struct Member {
    start: Start,
    place: Place,
}

impl Member {
    /// Gives it a parameter of its own, if it waits: the one that all had.
    fn add(&mut self, all: &Parameters, place: usize) {
        if let Place::Waiting(waiting) = &mut self.place {
            waiting.values.add(all, place);
        }
    }
}

/// The place of a simulation between two turns.
enum Place {
    /// It waits.
    Waiting(Box<Waiting>),
    /// It has a world of its own.
    Own(Box<Simulation>),
}

/// A simulation that waits for its turn.
struct Waiting {
    arena: CurrentArena,
    values: Parked,
}

/// The entities of a world, as far as arenas that share it must have them in common: their numbers by archetype.
#[derive(Clone, PartialEq)]
struct Shape {
    generation: ArchetypeGeneration,
    entities: Vec<(ArchetypeId, u32)>,
}

impl Shape {
    fn of(world: &World) -> Self {
        let archetypes = world.archetypes();
        let id = world.component_id::<StableId>();
        let with_id = archetypes.iter().filter(|archetype| id.is_some_and(|id| archetype.contains(id)));
        let entities =
            with_id.filter(|archetype| !archetype.is_empty()).map(|archetype| (archetype.id(), archetype.len()));
        Self { generation: archetypes.generation(), entities: entities.collect() }
    }

    /// Whether a world still has these entities, each with the same components.
    fn fits(&mut self, world: &World) -> bool {
        let archetypes = world.archetypes();
        let is_same =
            |(id, entities): &(ArchetypeId, u32)| archetypes.get(*id).is_some_and(|now| now.len() == *entities);
        if !self.entities.iter().all(is_same) {
            return false;
        }
        // A new archetype can be one without entities.
        self.generation == archetypes.generation() || {
            let now = Self::of(world);
            self.generation = now.generation;
            self.entities == now.entities
        }
    }
}

/// The failure of work that is not possible in a shared world.
const NEEDS_OWN: &str = "a simulation in a batch was edited, restarted, restored or given a start time in a world that it may \
                         share: `Batch::own` gives it one of its own";

/// Work for one simulation, by its place in the batch.
pub type Act<'a> = dyn Fn(usize, &mut Simulation) -> Result<(), String> + Sync + 'a;

impl Batch {
    /// Starts simulations.
    ///
    /// # Errors
    /// The place of the first scene that is impossible, with its problems.
    pub fn new(recipe: &Recipe, starts: Vec<Start>, threads: usize) -> Result<Self, (usize, Problems)> {
        let stride = starts.len().div_ceil(threads.max(1)).max(1);
        let parts: Vec<Vec<Start>> = starts.chunks(stride).map(<[Start]>::to_vec).collect();
        let workers = Workers::new(parts.len());
        let mut made: Vec<_> = parts.iter().map(|_| None).collect();
        workers.take_each(parts.into_iter().zip(&mut made).enumerate().collect(), |(number, (part, made))| {
            let shard = Shard::new(recipe, part).map_err(|(place, problems)| (number * stride + place, problems));
            *made = Some(shard);
        });
        let shards = made.into_iter().flatten().collect::<Result<Vec<Shard>, _>>()?;
        Ok(Self { recipe: recipe.clone(), workers, shards, stride })
    }

    /// The number of simulations.
    pub fn len(&self) -> usize {
        self.shards.iter().map(|shard| shard.members.len()).sum()
    }

    /// Whether there are no simulations.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// The places of the simulations that have a world of their own.
    pub fn places_with_own_world(&self) -> Vec<usize> {
        let members = self.shards.iter().flat_map(|shard| &shard.members).enumerate();
        members.filter(|(_, member)| matches!(member.place, Place::Own(_))).map(|(place, _)| place).collect()
    }

    /// The size in bytes of the memory of a simulation that shares a world, with trails of full length, without the lists
    /// that its components own.
    pub fn bytes_of_one(&self) -> usize {
        let waiting = |member: &Member| match &member.place {
            Place::Waiting(waiting) => {
                Some(waiting.values.bytes() + waiting.arena.bytes() + trail::full_bytes(&member.start.scene))
            }
            Place::Own(_) => None,
        };
        self.shards.iter().flat_map(|shard| &shard.members).find_map(waiting).unwrap_or_default()
    }

    /// The number of simulations on each thread but the last one: the first thread has the first ones.
    pub fn per_thread(&self) -> usize {
        self.stride
    }

    /// The number of threads.
    pub fn threads(&self) -> usize {
        self.shards.len()
    }

    /// Starts the threads again, in a process that lacks them: the child of a fork.
    pub fn replace_threads(&mut self) {
        let lost = mem::replace(&mut self.workers, Workers::new(self.shards.len()));
        // Dropping them waits for their end.
        mem::forget(lost);
    }

    /// Steps, commands and reads all simulations, each in its turn, on all threads.
    ///
    /// The scene of a simulation in its turn is that of any simulation of the batch: hashes need [`view`](Self::view).
    /// Edits, restarts, snapshots and start times need [`own`](Self::own); in a shared world they are a failure, after which
    /// the simulation must start again.
    ///
    /// # Errors
    /// The first failure, with the place of its simulation; the others act all the same. A panic is a failure.
    pub fn each(&mut self, act: &Act) -> Result<(), (usize, String)> {
        let (mut threads, mut values) = (vec![(); self.threads()], vec![(); self.len()]);
        self.each_with(&mut threads, &mut values, &|(), place, simulation, ()| act(place, simulation))
    }

    /// As [`each`](Self::each), with a value for each thread and one for each simulation.
    ///
    /// # Errors
    /// As for [`each`](Self::each).
    pub fn each_with<T: Send, S: Send>(
        &mut self,
        threads: &mut [T],
        values: &mut [S],
        act: &(impl Fn(&mut T, usize, &mut Simulation, &mut S) -> Result<(), String> + Sync),
    ) -> Result<(), (usize, String)> {
        let first: Mutex<Option<(usize, String)>> = Mutex::new(None);
        let (recipe, stride) = (&self.recipe, self.stride);
        let work = |(number, ((shard, values), own)): (usize, ((&mut Shard, &mut [S]), &mut T))| {
            shard.round(recipe, &mut |place, simulation, is_shared| {
                let (whole, value) = (number * stride + place, &mut values[place]);
                let before = simulation.changes_outside_arena();
                let turn = catch_unwind(AssertUnwindSafe(|| act(own, whole, simulation, value)));
                let is_confined = !is_shared || simulation.changes_outside_arena() == before;
                let is_in_order = turn.is_ok() && is_confined;
                let done = turn.unwrap_or_else(|panic| Err(message_of(&*panic)));
                if let Err(message) = if is_confined { done } else { Err(NEEDS_OWN.into()) } {
                    let mut first = first.lock().unwrap_or_else(PoisonError::into_inner);
                    if first.as_ref().is_none_or(|(known, _)| whole < *known) {
                        *first = Some((whole, message));
                    }
                }
                is_in_order
            });
        };
        let parts = self.shards.iter_mut().zip(values.chunks_mut(stride)).zip(threads).enumerate();
        self.workers.take_each(parts.collect(), work);
        first.into_inner().unwrap_or_else(PoisonError::into_inner).map_or(Ok(()), Err)
    }

    /// Reads a simulation in full: its hash, its scene, a picture.
    pub fn view<T>(&mut self, place: usize, act: impl FnOnce(&Simulation) -> T) -> T {
        let (shard, place) = (&mut self.shards[place / self.stride], place % self.stride);
        shard.view(place, act)
    }

    /// As [`view`](Self::view), of all simulations, on all threads.
    pub fn view_each<T: Send + Default>(&mut self, act: &(impl Fn(usize, &Simulation) -> T + Sync)) -> Vec<T> {
        let mut seen: Vec<T> = (0..self.len()).map(|_| T::default()).collect();
        let stride = self.stride;
        let parts = self.shards.iter_mut().zip(seen.chunks_mut(stride)).enumerate();
        self.workers.take_each(parts.collect(), |(number, (shard, seen))| {
            for (place, seen) in seen.iter_mut().enumerate() {
                *seen = shard.view(place, |simulation| act(number * stride + place, simulation));
            }
        });
        seen
    }

    /// A simulation with a world of its own, in which everything can be done; it keeps that world until it starts again.
    pub fn own(&mut self, place: usize) -> &mut Simulation {
        let (shard, place) = (&mut self.shards[place / self.stride], place % self.stride);
        shard.own(&self.recipe, place)
    }

    /// The start of a simulation.
    pub fn start(&self, place: usize) -> &Start {
        &self.shards[place / self.stride].members[place % self.stride].start
    }

    /// Starts simulations again, exactly as new ones, on all threads.
    ///
    /// # Errors
    /// The place of the first scene that is impossible, with its problems; this simulation has its last start then.
    pub fn restart(&mut self, starts: Vec<(usize, Start)>) -> Result<(), (usize, Problems)> {
        let (recipe, stride) = (&self.recipe, self.stride);
        let mut parts: Vec<Vec<(usize, Start)>> = self.shards.iter().map(|_| Vec::new()).collect();
        for (place, start) in starts {
            parts[place / stride].push((place % stride, start));
        }
        let mut done: Vec<Result<(), _>> = parts.iter().map(|_| Ok(())).collect();
        let parts = self.shards.iter_mut().zip(parts).zip(&mut done).enumerate();
        let parts = parts.filter(|(_, ((_, part), _))| !part.is_empty()).collect();
        self.workers.take_each(parts, |(number, ((shard, part), done))| {
            let restart = |(place, start)| {
                shard.restart(recipe, place, start).map_err(|problems| (number * stride + place, problems))
            };
            *done = part.into_iter().try_for_each(restart);
        });
        done.into_iter().collect()
    }
}

/// The message of a panic.
fn message_of(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or_else(|| panic.downcast_ref::<&str>().copied());
    text.unwrap_or("it panicked").to_owned()
}

impl Shard {
    fn new(recipe: &Recipe, starts: Vec<Start>) -> Result<Self, (usize, Problems)> {
        let fail = |place| move |problems| (place, problems);
        let Some(start) = starts.first().cloned() else { return Err((0, Problems::of_file("batch", "it is empty"))) };
        let engine = Engine::new(recipe, &start, Varying::new()).map_err(fail(0))?;
        let parameters = engine.exchanger.parameters(engine.simulation.world());
        let mut shard = Self { engine, start, text: None, parameters, members: Vec::new(), is_backwards: false };
        for (place, start) in starts.into_iter().enumerate() {
            let can_share = shard.can_share(recipe, &start.scene);
            let place_of_it = shard.begin(recipe, &start, can_share).map_err(fail(place))?;
            shard.members.push(Member { start, place: place_of_it });
        }
        Ok(shard)
    }

    /// Starts a simulation; the engine is free then.
    fn begin(&mut self, recipe: &Recipe, start: &Start, can_share: bool) -> Result<Place, Problems> {
        // Each seed places other objects, which belong to the description of the world.
        let can_share = can_share && start.scene.object_groups.is_empty();
        if self.engine.simulation.has_plugin_systems() || !can_share {
            return Simulation::with_workers(&start.scene(), recipe, Workers::default()).map(Box::new).map(Place::Own);
        }
        let is_known = Arc::ptr_eq(&start.scene, &self.engine.described);
        let restart = if is_known { Simulation::restart_known } else { Simulation::restart };
        if let Err(problems) = restart(&mut self.engine.simulation, &start.scene()) {
            self.replace_engine(recipe)?;
            return Err(problems);
        }
        let Self { engine, parameters, members, .. } = self;
        engine.described = start.scene.clone();
        let Engine { simulation, exchanger, shape, varying, .. } = engine;
        let world = simulation.world_mut();
        if shape.fits(world)
            && !needs_own_world(world)
            && let Some(different) = exchanger.differences(world, parameters)
        {
            // Until now, all had the parameters with which the engine began.
            for place in different {
                if !varying.contains(&place) {
                    members.iter_mut().for_each(|member| member.add(parameters, place));
                    varying.push(place);
                }
            }
            let values = exchanger.copy(world, varying);
            let arena = world.resource_mut::<CurrentArena>().leave();
            return Ok(Place::Waiting(Box::new(Waiting { arena, values })));
        }
        self.replace_engine(recipe).map(Box::new).map(Place::Own)
    }

    /// Whether simulations of a scene may share the world of the engine: they differ from it in the parameters of kinds of
    /// robots alone.
    fn can_share(&mut self, recipe: &Recipe, scene: &Arc<Scene>) -> bool {
        let own = &self.start.scene;
        let is_known = |known: &Arc<Scene>| Arc::ptr_eq(known, scene);
        if is_known(own) || is_known(&self.engine.described) {
            return true;
        }
        // With another base, the duration of a step in the description depends on parameters.
        if scene.time.base != Base::Step || scene.groups.len() != own.groups.len() {
            return false;
        }
        let of_own = |(group, own): (&Group, &Group)| Group {
            controller: own.controller.clone(),
            motion: own.motion.clone(),
            sensors: own.sensors.clone(),
            ..group.clone()
        };
        let groups = scene.groups.iter().zip(&own.groups).map(of_own).collect();
        let alike = Scene { groups, constants: own.constants.clone(), seed: own.seed, ..(**scene).clone() };
        let text = |scene: &Scene| writer::write(recipe.kinds(), scene, Style::Full);
        *self.text.get_or_insert_with(|| text(own)) == text(&alike)
    }

    /// Takes the engine, as a simulation of its own, and puts a new one in its place.
    fn replace_engine(&mut self, recipe: &Recipe) -> Result<Simulation, Problems> {
        let engine = Engine::new(recipe, &self.start, self.engine.varying.clone())?;
        Ok(mem::replace(&mut self.engine, engine).simulation)
    }

    /// The turns of all simulations. `act` gets each with its place and whether it shares its world, and returns whether it
    /// is in order afterwards.
    fn round(&mut self, recipe: &Recipe, act: &mut dyn FnMut(usize, &mut Simulation, bool) -> bool) {
        // Those that had the last turns are still in the cache: they have the first ones now.
        let is_backwards = self.is_backwards;
        self.is_backwards = !is_backwards;
        let count = self.members.len();
        // Each simulation changes places with the one of the turn before, whose place is then that of the next.
        let mut taken: Vec<usize> = Vec::with_capacity(count);
        for turn in 0..count {
            let place = if is_backwards { count - 1 - turn } else { turn };
            let Self { engine, members, .. } = self;
            match &mut members[place].place {
                Place::Own(simulation) => _ = act(place, simulation, false),
                Place::Waiting(waiting) => {
                    engine.exchange(waiting);
                    taken.push(place);
                    if !(act(place, &mut engine.simulation, true) && engine.is_in_shape()) {
                        self.put_back(&taken);
                        taken.clear();
                        self.move_out(recipe, place);
                    }
                }
            }
        }
        if let Some(first) = taken.first()
            && let Place::Waiting(waiting) = &mut self.members[*first].place
        {
            self.engine.exchange(waiting);
            self.put_back(&taken);
        }
    }

    /// Moves the simulations at these places, each of which is in the place of the next one, back to their own. The first
    /// place is that of the last one.
    fn put_back(&mut self, taken: &[usize]) {
        for pair in taken.windows(2) {
            if let Ok([before, after]) = self.members.get_disjoint_mut([pair[0], pair[1]]) {
                mem::swap(&mut before.place, &mut after.place);
            }
        }
    }

    /// Gives the simulation in the engine a world of its own: this one.
    fn move_out(&mut self, recipe: &Recipe, place: usize) {
        self.engine.describe(&self.members[place].start);
        match self.replace_engine(recipe) {
            Ok(own) => self.members[place].place = Place::Own(Box::new(own)),
            Err(problems) => panic!("a scene that has started before does not start: {problems}"),
        }
    }

    fn view<T>(&mut self, place: usize, act: impl FnOnce(&Simulation) -> T) -> T {
        let Self { engine, members, .. } = self;
        let Member { start, place } = &mut members[place];
        let waiting = match place {
            Place::Own(simulation) => return act(simulation),
            Place::Waiting(waiting) => waiting,
        };
        engine.exchange(waiting);
        engine.describe(start);
        let seen = catch_unwind(AssertUnwindSafe(|| act(&engine.simulation)));
        engine.exchange(waiting);
        seen.unwrap_or_else(|panic| resume_unwind(panic))
    }

    fn own(&mut self, recipe: &Recipe, place: usize) -> &mut Simulation {
        if let Place::Waiting(waiting) = &mut self.members[place].place {
            self.engine.exchange(waiting);
            self.move_out(recipe, place);
        }
        match &mut self.members[place].place {
            Place::Own(simulation) => simulation,
            Place::Waiting(_) => &mut self.engine.simulation,
        }
    }

    fn restart(&mut self, recipe: &Recipe, place: usize, start: Start) -> Result<(), Problems> {
        let Member { start: before, place: place_before } = &self.members[place];
        let is_as_before = matches!(place_before, Place::Waiting(_)) && Arc::ptr_eq(&before.scene, &start.scene);
        let can_share = is_as_before || self.can_share(recipe, &start.scene);
        self.members[place].place = self.begin(recipe, &start, can_share)?;
        self.members[place].start = start;
        Ok(())
    }
}

/// Whether something in a world will change its population.
fn needs_own_world(world: &World) -> bool {
    let arena = world.arena();
    arena.has_spawners || arena.has_faults
}

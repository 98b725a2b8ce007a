//! A simulation: a value that can be created, stepped, hashed, saved, compared and dropped.
//!
//! It owns a Bevy world with its arena, the plan of a step and a pool of threads. It has no window, no assets and no wall clock. A
//! host holds one or more simulations and steps them.

use bevy::ecs::schedule::Schedules;
use bevy::prelude::*;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::agent::{CommandForm, Pose};
use swarmarium_core::controller::commanded;
use swarmarium_core::state::{Base, ForeignSnapshot, Snapshot, StateHash, snapshot};
use swarmarium_core::step::plan::lines::PlanLine;
use swarmarium_core::step::plan::{CurrentPlan, Plan};
use swarmarium_core::step::schedule::with_plugins;
use swarmarium_core::step::{AgentOrder, Arena, HasArena as _, SimStep, Workers};
use swarmarium_core::time::{SimTime, TimeScale};
use swarmarium_core::{metric, object, sensor};
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::{InitialReadings, Scene, Time};

use crate::edit::{self, Edit, EditQueue, EditSource, LoggedEdit, Turns};
use crate::engine::pose_overrides::{self, PoseOverrides};
pub use crate::engine::pose_overrides::{Placed, UnknownAgent};
use crate::engine::sequential::InTurn;
use crate::engine::{caches, sequential, spawn};
use crate::population::StartTime;
pub use crate::recipe::{Program, Recipe};

/// Name of a scene for messages.
fn name_of(scene: &Scene) -> String {
    if scene.name.is_empty() { "scene".to_owned() } else { scene.name.clone() }
}

/// A running scene: one arena with its agents, objects, spawners and metrics.
///
/// ```
/// use swarmarium_simulation::prelude::*;
/// use swarmarium_scene::scene::reader;
///
/// let recipe = Recipe::bare();
/// let text = r#"(groups: [(name: "one", at: [(1.0, 2.0, 0.0)], controller: Constant(v_m_per_s: 0.5))])"#;
/// let scene = reader::read(recipe.kinds(), "one.ron", text)?;
/// let mut simulation = Simulation::with(&scene, &recipe, 1)?;
/// simulation.step(40);
/// for agent in simulation.agents() {
///     assert!((agent.pose.position_m.x - 1.5).abs() < 1e-9);
/// }
/// println!("{:016x}", simulation.hash().0);
/// # Ok::<(), swarmarium_base::problem::Problems>(())
/// ```
pub struct Simulation {
    world: World,
    /// The plan of the step with the systems of plugins, if there are any.
    schedule: Option<Schedule>,
    recipe: Recipe,
    /// The registered state before the scene was loaded.
    blank: Snapshot,
    /// The last snapshot that was kept or loaded; the next one shares its unchanged parts.
    base: Option<Base>,
    /// Steps since the lists of the world were last [emptied](STEPS_PER_CLEARING).
    uncleared_steps: u64,
    /// The number of calls that may have changed more than the arena and the components of its entities.
    changes_outside_arena: u64,
}

/// The values that hosts read after each step.
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub struct LastStep<'a> {
    /// As [`Simulation::time`].
    pub time: SimTime,
    /// As [`Simulation::observed`].
    pub observed: &'a [f64],
    /// The number of all events since the start.
    pub events: u64,
    /// Whether the poses of all agents and moving objects are finite.
    pub has_finite_poses: bool,
}

fn has_finite_poses(world: &World) -> bool {
    let is_finite = |pose: &Pose| pose.position_m.is_finite() && pose.heading_rad.is_finite();
    world.try_query::<&Pose>().is_none_or(|mut poses| poses.iter(world).all(is_finite))
}

/// Steps after which lists in the world that grow with changes are emptied.
const STEPS_PER_CLEARING: u64 = 100;

impl Simulation {
    /// Creates a simulation of a scene with the kinds of a recipe, on a number of threads.
    ///
    /// The number of threads affects only the speed.
    ///
    /// # Errors
    /// When the scene is impossible, or a plugin does something that plugins of simulations must not do.
    pub fn with(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Self, Problems> {
        Self::with_workers(scene, recipe, Workers::new(threads))
    }

    /// As [`with`](Self::with), on existing threads.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # use swarmarium_core::step::Workers;
    /// let workers = Workers::new(2);
    /// let one = Simulation::with_workers(&Scene::default(), &Recipe::bare(), workers.clone())?;
    /// let other = Simulation::with_workers(&Scene::default(), &Recipe::bare(), workers)?;
    /// assert_eq!(one.hash(), other.hash());
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    ///
    /// # Errors
    /// As for [`with`](Self::with).
    pub fn with_workers(scene: &Scene, recipe: &Recipe, workers: Workers) -> Result<Self, Problems> {
        let mut app = recipe.build(Some(scene));
        let mut world = std::mem::take(app.world_mut());
        let trouble = |message: String| Problems::of_file(name_of(scene), message);
        if world.storages().non_sends.iter().next().is_some() {
            return Err(trouble("a plugin adds data that cannot leave its thread".into()));
        }
        let step = world
            .resource_mut::<Schedules>()
            .remove(SimStep)
            .ok_or_else(|| trouble("a plugin removed the schedule of the step".into()))?;
        world.resource_mut::<CurrentPlan>().edit().set_workers(workers);
        // Share the kinds of the recipe; those collected by this app are the same.
        world.insert_resource(recipe.kinds().clone());
        let schedule = with_plugins(&mut world, step).map_err(trouble)?;
        let blank = snapshot::save(&world, None);
        let mut simulation = Self {
            world,
            schedule,
            recipe: recipe.clone(),
            blank,
            base: None,
            uncleared_steps: 0,
            changes_outside_arena: 0,
        };
        simulation.fill(scene, Self::check_scene)?;
        Ok(simulation)
    }

    /// Starts a scene exactly as a new simulation of this recipe would, in a fraction of the time: plugins and the plan of
    /// the step stay, all state is replaced.
    ///
    /// # Errors
    /// As for [`with`](Self::with). The simulation is then without a scene, and must be restarted or dropped.
    pub fn restart(&mut self, scene: &Scene) -> Result<(), Problems> {
        self.restart_if(scene, Self::check_scene)
    }

    /// As [`restart`](Self::restart), with a scene that has started before but for its seed.
    pub(crate) fn restart_known(&mut self, scene: &Scene) -> Result<(), Problems> {
        self.restart_if(scene, |_, _| Ok(()))
    }

    fn restart_if(&mut self, scene: &Scene, check: fn(&Self, &Scene) -> Result<(), Problems>) -> Result<(), Problems> {
        self.changes_outside_arena += 1;
        if self.world.resource::<CurrentPlan>().is_lost() {
            *self = Self::with_workers(scene, &self.recipe, Workers::default())?;
            return Ok(());
        }
        // The plan depends on the order in which agents act.
        if self.world.resource::<AgentOrder>().0 != scene.order {
            let workers = self.world.resource_mut::<CurrentPlan>().edit().workers().clone();
            let changes_outside_arena = self.changes_outside_arena;
            *self = Self { changes_outside_arena, ..Self::with_workers(scene, &self.recipe, workers)? };
            return Ok(());
        }
        let foreign = |error: ForeignSnapshot| Problems::of_file(name_of(scene), error.to_string());
        snapshot::load(&mut self.world, &self.blank, None).map_err(foreign)?;
        self.base = None;
        edit::merge_nothing(&mut self.world);
        self.fill(scene, check)
    }

    /// Refuses an impossible scene.
    fn check_scene(&self, scene: &Scene) -> Result<(), Problems> {
        spawn::check(&self.world, scene).map_err(|problems| Problems { source_name: name_of(scene), problems })
    }

    /// Loads a scene into a world without agents.
    fn fill(&mut self, scene: &Scene, check: fn(&Self, &Scene) -> Result<(), Problems>) -> Result<(), Problems> {
        let mut tuned = None;
        let recipe = &self.recipe;
        if let Some(fastest) = base::fastest(recipe.kinds(), scene) {
            let time = Time { dt_s: fastest.dt_s(), ..scene.time };
            tuned = Some(Scene { time, ..scene.clone() });
        }
        let scene = tuned.as_ref().unwrap_or(scene);
        check(self, scene)?;
        let refuse = |problems| Problems { source_name: name_of(scene), problems };
        let placed = spawn::placed(&self.world, scene).map_err(refuse)?;
        let (scene, lacks) = placed.as_ref().map_or((scene, &[][..]), |(scene, lacks)| (scene, lacks));
        let world = &mut self.world;
        spawn::scene(world, scene).map_err(refuse)?;
        lacks.iter().for_each(|lack| world.arena_mut().without_room.add(*lack));
        object::notice_all(world);
        match scene.initial_readings {
            InitialReadings::Sensed => sequential::sense_all(world),
            InitialReadings::Zero => sensor::blank_all(world),
        }
        world.clear_trackers();
        Ok(())
    }

    /// Advances by a number of steps.
    // A function of its own, whose instructions `.ci/instructions` counts.
    #[inline(never)]
    pub fn step(&mut self, steps: u64) {
        match &mut self.schedule {
            None => Plan::with(&mut self.world, |world, plan| (0..steps).for_each(|_| plan.run(world))),
            Some(schedule) => (0..steps).for_each(|_| schedule.run(&mut self.world)),
        }
        self.uncleared_steps += steps;
        if self.uncleared_steps >= STEPS_PER_CLEARING {
            self.uncleared_steps = 0;
            // Forgets which components were removed.
            self.world.clear_trackers();
            if self.base.as_ref().is_some_and(|base| !base.is_recent(&self.world)) {
                self.base = None;
            }
        }
    }

    /// Advances by one step in which a program acts in the turns of agents. In simultaneous order, agents have no turns,
    /// and the program is not asked.
    ///
    /// # Errors
    /// The failure of the program, or the problem of its edit; the step is completed without it.
    pub fn step_in_turns(&mut self, turns: Box<dyn Turns>) -> Result<(), Problem> {
        self.world.insert_resource(InTurn::new(edit::acting(turns)));
        self.step(1);
        self.world.remove_resource::<InTurn>().map_or(Ok(()), |in_turn| in_turn.outcome)
    }

    /// Number of completed steps.
    pub fn steps(&self) -> u64 {
        self.time().step
    }

    /// The clock: completed steps and duration of a step.
    pub fn time(&self) -> SimTime {
        self.world.arena().time
    }

    /// Time scale (simulated seconds per second) last set by an edit, initially by the scene. Does not affect results.
    pub fn time_scale(&self) -> f64 {
        self.world.resource::<TimeScale>().0
    }

    /// Start time of the run for clients (s): that of the scene's `time.epoch`, or the one set by the host with
    /// [`begin_at`](Self::begin_at). Does not affect results.
    pub fn epoch_s(&self) -> f64 {
        self.world.resource::<StartTime>().0
    }

    /// Sets the start time (s since 1970), for scenes whose clients receive it.
    pub fn begin_at(&mut self, now_s: f64) {
        self.changes_outside_arena += 1;
        let epoch = self.scene().time.epoch;
        self.world.insert_resource(StartTime(epoch.at_s(|| now_s)));
    }

    /// The hash of all registered state.
    pub fn hash(&self) -> StateHash {
        snapshot::hash(&self.world)
    }

    /// The part of [`hash`](Self::hash) with which the seed enters the state by itself: the seed, the scene that contains it, and
    /// sequences of random numbers. Without it, runs with different seeds that draw no random number have equal hashes: the
    /// hash of a state minus that of its start.
    pub fn hash_of_seed(&self) -> StateHash {
        snapshot::hash_of(&self.world, &["seed", "scene", "chain", "seed_chain"])
    }

    /// Number of the first agent whose state, including its sensors, differs from that in another simulation, or that
    /// exists in only one of them. `None` if all agents are equal.
    pub fn first_different_agent(&self, other: &Self) -> Option<u32> {
        snapshot::first_different_agent(&self.world, &other.world)
    }

    /// Queues an edit; it is applied at the start of the next step, and logged. Edits that change the population
    /// ([`Spawn`](Edit::Spawn), [`Add`](Edit::Add), [`Remove`](Edit::Remove)) are applied at once, after all waiting
    /// edits, with the same effect as in the next step.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
    /// # let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// simulation.apply(Edit::Move { agent: 0, x_m: 1.0, y_m: 2.0, heading_rad: 0.0 })?;
    /// simulation.step(1);
    /// assert_eq!(simulation.edits()[0].step, 1);
    /// # Ok::<(), swarmarium_base::problem::Problem>(())
    /// ```
    ///
    /// # Errors
    /// When the edit is invalid in the current state; nothing is queued then.
    pub fn apply(&mut self, edit: Edit) -> Result<(), Problem> {
        self.apply_in(edit, 0)
    }

    /// As [`apply`](Self::apply), as part of a transaction. Edits with the same transaction number are undone together;
    /// 0 for none.
    ///
    /// # Errors
    /// As for [`apply`](Self::apply).
    pub fn apply_in(&mut self, edit: Edit, transaction: u64) -> Result<(), Problem> {
        self.changes_outside_arena += 1;
        edit::queue(&mut self.world, edit, EditSource { transaction, is_logged: false })
    }

    /// As [`apply_in`](Self::apply_in), for edits that [go together](Edit::goes_with); returns one result per edit.
    pub fn apply_run(&mut self, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        self.changes_outside_arena += 1;
        match edits {
            [edit] => vec![self.apply_in(edit.clone(), transaction)],
            edits => edit::queue_run(&mut self.world, edits, transaction),
        }
    }

    /// Commands agents with the controller `External` from the next step on, as [`Edit::Command`] does, but without a log
    /// entry: for hosts that run many simulations and replay none.
    ///
    /// # Errors
    /// When one of the agents cannot be commanded; nothing is changed then.
    pub fn command(&mut self, form: CommandForm, agents: &[u32], values: &[f64]) -> Result<(), Problem> {
        commanded::check(&self.world, (form, agents, values), None)?;
        commanded::apply(&mut self.world, form, agents, values);
        Ok(())
    }

    /// Whether agents would take commands of a form.
    pub fn takes_commands(&self, form: CommandForm, agents: &[u32]) -> bool {
        let values = vec![0.0; form.width() * agents.len()];
        commanded::check(&self.world, (form, agents, &values), None).is_ok()
    }

    /// Queues consecutive edits of a log that [go together](LoggedEdit::goes_with), unchanged; returns one result per
    /// edit.
    pub fn replay_run(&mut self, run: &[LoggedEdit]) -> Vec<Result<(), Problem>> {
        match run {
            [logged] => vec![self.replay(logged.clone())],
            run => {
                let edits: Vec<Edit> = run.iter().map(|logged| logged.edit.clone()).collect();
                edit::queue_run(&mut self.world, &edits, run.first().map_or(0, |logged| logged.transaction))
            }
        }
    }

    /// Queues an edit of a log unchanged: it does not merge with earlier edits.
    ///
    /// # Errors
    /// As for [`apply`](Self::apply).
    pub fn replay(&mut self, LoggedEdit { edit, transaction, .. }: LoggedEdit) -> Result<(), Problem> {
        self.changes_outside_arena += 1;
        edit::queue(&mut self.world, edit, EditSource { transaction, is_logged: true })
    }

    /// Applies the waiting edits between two steps, exactly as the next step would; returns whether there were any.
    pub fn flush_edits(&mut self) -> bool {
        let any = edit::flush_edits(&mut self.world);
        if any {
            self.world.clear_trackers();
        }
        any
    }

    /// Hash at the end of the last step, without edits applied since.
    pub fn hash_of_step(&self) -> StateHash {
        edit::hash_of_step(&self.world)
    }

    /// Restores a snapshot, and replaces its log by one whose edits have the same effect.
    ///
    /// # Errors
    /// As for [`restore`](Self::restore).
    pub fn go_back_to(&mut self, snapshot: &Snapshot, log: Vec<LoggedEdit>, scale: f64) -> Result<(), ForeignSnapshot> {
        self.restore(snapshot)?;
        self.replace_log(log, scale);
        Ok(())
    }

    /// Replaces the log of all edits and the resulting time scale; no edit waits afterwards.
    pub fn replace_log(&mut self, log: Vec<LoggedEdit>, scale: f64) {
        edit::go_back_to(&mut self.world, log);
        self.world.insert_resource(TimeScale(scale));
    }

    /// Whether an edit would be accepted; nothing is queued.
    ///
    /// # Errors
    /// When the edit is invalid in the current state.
    pub fn check(&self, edit: &Edit) -> Result<(), Problem> {
        edit::check(&self.world, edit).map(drop)
    }

    /// Results of queueing these edits in this order; nothing is queued.
    ///
    /// Edits of agents, moving objects and time are checked individually, and so are edits of the population that are
    /// mixed with others or do not fit together.
    pub fn check_all(&self, edits: &[Edit]) -> Vec<Result<(), Problem>> {
        edit::check_all(&self.world, edits)
    }

    /// The edits that wait for the next step.
    pub fn waiting_edits(&self) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
        edit::waiting(&self.world)
    }

    /// The edits that wait for the next step, each with its transaction; 0 for none.
    pub fn waiting_changes(&self) -> impl DoubleEndedIterator<Item = (&Edit, u64)> {
        edit::waiting_changes(&self.world)
    }

    /// The highest transaction number among the waiting edits; 0 for none.
    pub fn latest_waiting_transaction(&self) -> u64 {
        edit::latest_waiting_transaction(&self.world)
    }

    /// The applied edits, each with the step before which it was applied.
    pub fn edits(&self) -> &[LoggedEdit] {
        &self.world.resource::<EditQueue>().log
    }

    /// Takes the applied edits out of the log, for hosts that write them continuously.
    pub fn take_edits(&mut self) -> Vec<LoggedEdit> {
        std::mem::take(&mut self.world.resource_mut::<EditQueue>().log)
    }

    /// Number of edits that replaced earlier edits in the log.
    pub fn replaced_edits(&self) -> u64 {
        self.world.resource::<EditQueue>().replaced
    }

    /// Number of applied edits that set a parameter.
    pub fn sets(&self) -> u64 {
        self.world.resource::<EditQueue>().sets
    }

    /// Copies all registered state, for [`restore`](Self::restore).
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
    /// # let mut simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// let (snapshot, hash) = (simulation.snapshot(), simulation.hash());
    /// simulation.step(10);
    /// simulation.restore(&snapshot)?;
    /// assert_eq!(simulation.hash(), hash);
    /// # Ok::<(), swarmarium_core::state::ForeignSnapshot>(())
    /// ```
    pub fn snapshot(&self) -> Snapshot {
        snapshot::save(&self.world, self.base.as_ref())
    }

    /// As [`snapshot`](Self::snapshot), for [`go_back_to`](Self::go_back_to): keyframes do not copy the log, and share
    /// state that did not change since the previous one.
    pub fn keyframe(&mut self) -> Snapshot {
        let log = if self.edits().is_empty() { Vec::new() } else { self.take_edits() };
        let snapshot = self.snapshot();
        self.base = Some(Base::new(snapshot.clone(), &mut self.world));
        if !log.is_empty() {
            self.world.resource_mut::<EditQueue>().log = log;
        }
        snapshot
    }

    /// Restores a snapshot of this simulation, or of another one of the same scene and recipe.
    ///
    /// # Errors
    /// When the snapshot comes from a simulation with other plugins; nothing is changed then.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
        self.changes_outside_arena += 1;
        snapshot::load(&mut self.world, snapshot, self.base.as_ref())?;
        self.base = Some(Base::new(snapshot.clone(), &mut self.world));
        edit::merge_nothing(&mut self.world);
        caches::relink(&mut self.world);
        caches::rebuild(&mut self.world);
        metric::rebuild(&mut self.world);
        self.world.clear_trackers();
        Ok(())
    }

    /// Places agents where another simulation or a recording had them at this step, with the readings of their sensors.
    ///
    /// Agents that are already there are not touched, so replaying a run reproduces it.
    ///
    /// # Errors
    /// The number of an agent that does not exist; no agent is moved then.
    pub fn place(&mut self, all: &[Placed]) -> Result<(), UnknownAgent> {
        pose_overrides::place(&mut self.world, all)
    }

    /// Advances by one step in which agents are [placed](Self::place) after they have acted, so that objects, metrics
    /// and trails use the placed poses.
    ///
    /// # Errors
    /// As for [`place`](Self::place); the step is completed.
    pub fn step_along(&mut self, placed: Vec<Placed>) -> Result<(), UnknownAgent> {
        self.world.insert_resource(PoseOverrides::new(placed));
        self.step(1);
        self.world.remove_resource::<PoseOverrides>().map_or(Ok(()), |overrides| overrides.obeyed)
    }

    /// The values that hosts read after each step. One call costs less than the methods for the single values together.
    pub fn last_step(&self) -> LastStep<'_> {
        let Arena { time, observed, events, space, actors, .. } = self.world.arena();
        // Only systems of plugins, and objects without a shape, have other poses at the end of a step than their bodies.
        let has_finite_poses = match self.schedule {
            None if actors.is_empty() => space.bodies.are_finite(),
            _ => has_finite_poses(&self.world),
        };
        LastStep { time: *time, observed, events: events.count(), has_finite_poses }
    }

    /// The plan of the step: what acts in the scene as it is, in order, with the systems of plugins.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let group = Group { name: "g".into(), ..Group::default() };
    /// # let scene = Scene { groups: vec![group], ..Scene::default() };
    /// let simulation = Simulation::with(&scene, &Recipe::bare(), 1)?;
    /// let plan = simulation.plan();
    /// let control = plan.iter().find(|line| line.place == "Agents / Control").expect("a controller");
    /// assert_eq!(control.to_string(), "controllers: Constant");
    /// # Ok::<(), swarmarium_base::problem::Problems>(())
    /// ```
    pub fn plan(&self) -> Vec<PlanLine> {
        self.world.resource::<CurrentPlan>().lines(&self.world, self.schedule.as_ref())
    }

    /// The number of calls that may have changed more than the arena and the components of its entities: edits, restarts,
    /// snapshots restored, start times set.
    #[doc(hidden)]
    pub fn changes_outside_arena(&self) -> u64 {
        self.changes_outside_arena
    }

    /// Whether plugins add systems to the step.
    pub(crate) fn has_plugin_systems(&self) -> bool {
        self.schedule.is_some()
    }

    /// Sets the seed of the present scene, for an arena that takes the place of another one with another seed.
    pub(crate) fn set_seed(&mut self, seed: u64) {
        if self.scene().seed != seed {
            self.world.resource_mut::<Description>().set_seed(seed);
        }
    }

    /// The Bevy world, mutable.
    pub(crate) fn world_mut(&mut self) -> &mut World {
        &mut self.world
    }

    /// The Bevy world, for the other crates of the program; not part of the public interface.
    #[doc(hidden)]
    pub fn world(&self) -> &World {
        &self.world
    }
}

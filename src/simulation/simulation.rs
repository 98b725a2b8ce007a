//! A simulation: a value that can be created, stepped, hashed, saved, compared and dropped.
//!
//! It owns a Bevy world with its arena, the plan of a step and a pool of threads. It has no window, no assets and no wall clock. A
//! host holds one or more simulations and steps them.

use std::sync::Arc;

use bevy::ecs::schedule::Schedules;
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_core::agent::contact::OnCollision;
use swarmarium_core::agent::{CommandForm, Member, Pose};
use swarmarium_core::controller::commanded;
use swarmarium_draw::{Moment, Poses, View};
use swarmarium_picture::Picture;
use swarmarium_scene::agent_view::AgentView;

use crate::edit::{self, Edit, EditQueue, EditSource, LoggedEdit, Turns};
use crate::engine::pose_overrides::{self, PoseOverrides};
pub use crate::engine::pose_overrides::{Placed, UnknownAgent};
use swarmarium_core::events::Events;
use swarmarium_core::kind::Kinds;
use swarmarium_core::radio::{Counts, Tally};
use swarmarium_core::sensor;
use swarmarium_core::spawner::Pending;
use swarmarium_core::state::{Base, ForeignSnapshot, Snapshot, StateHash, snapshot};
use swarmarium_core::step::plan::lines::PlanLine;
use swarmarium_core::step::plan::{CurrentPlan, Plan};
use swarmarium_core::step::schedule::with_plugins;
use swarmarium_core::step::{AgentOrder, SimStep, Workers};
use swarmarium_core::step::{Arena, HasArena as _, find_agent};
use swarmarium_core::time::SimTime;
use swarmarium_core::time::TimeScale;
use swarmarium_core::{metric, object};
use swarmarium_scene::scene::base;
use swarmarium_scene::scene::current::Description;
use swarmarium_scene::scene::description::{Group, InitialReadings, Scene, Stop, Time};

use crate::engine::sequential::InTurn;
use crate::engine::spawn;
use crate::engine::spawners;
use crate::engine::{caches, sequential};
use crate::population::StartTime;

/// Plugins for any number of simulations, and their kinds.
#[derive(Clone)]
pub struct Recipe {
    plugins: Vec<Arc<dyn Plugin>>,
    kinds: Kinds,
}

/// A plugin shared by several simulations.
struct Shared(Arc<dyn Plugin>);

impl Plugin for Shared {
    fn build(&self, app: &mut App) {
        self.0.build(app);
    }

    fn finish(&self, app: &mut App) {
        self.0.finish(app);
    }

    fn cleanup(&self, app: &mut App) {
        self.0.cleanup(app);
    }

    fn name(&self) -> &str {
        self.0.name()
    }

    fn is_unique(&self) -> bool {
        self.0.is_unique()
    }
}

impl Recipe {
    /// The smallest recipe: default kinds of scenes, motion models, losses of radios, objects.
    pub fn bare() -> Self {
        let mut recipe = Self { plugins: Vec::new(), kinds: Kinds::default() };
        recipe.kinds = recipe.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        recipe
    }

    /// Adds a plugin with custom kinds.
    ///
    /// ```
    /// use bevy::prelude::{App, Component, Reflect, ReflectDefault};
    /// use swarmarium_simulation::prelude::*;
    ///
    /// /// Leaves readings as they are.
    /// #[derive(Component, Reflect, Clone, Default)]
    /// #[reflect(Default, Clone)]
    /// struct Silence {}
    ///
    /// impl Noise for Silence {}
    ///
    /// let recipe = Recipe::bare().with(|app: &mut App| {
    ///     app.add_noise::<Silence>();
    /// });
    /// assert!(recipe.kinds().get("noise", "Silence").is_some());
    /// ```
    #[must_use]
    pub fn with(mut self, plugin: impl Plugin) -> Self {
        self.plugins.push(Arc::new(plugin));
        // A temporary app collects the kinds, so that scenes can be read before a simulation exists.
        self.kinds = self.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        self
    }

    /// The kinds available to scenes for this recipe.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    fn build(&self, scene: Option<&Scene>) -> App {
        // Plugins need an app; only its world and schedule are used.
        let mut app = App::empty();
        if let Some(scene) = scene {
            app.insert_resource(AgentOrder(scene.order));
        }
        app.add_plugins(crate::plugin);
        for plugin in &self.plugins {
            app.add_plugins(Shared(plugin.clone()));
        }
        app.finish();
        app.cleanup();
        app
    }
}

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

/// What hosts read after each step.
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
        world.insert_resource(recipe.kinds.clone());
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
        let world = &mut self.world;
        spawn::scene(world, scene);
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

    /// Advances by one step in which a program acts in the turns of agents. In other orders than `Sequential`, agents have
    /// no turns, and the program is not asked.
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

    /// The drawing of the current state, as a list of shapes.
    ///
    /// ```
    /// # use swarmarium_simulation::prelude::*;
    /// # let scene = Scene { groups: vec![Group { name: "g".into(), ..Group::default() }], ..Scene::default() };
    /// # let simulation = Simulation::with(&scene, &Recipe::bare(), 1).unwrap();
    /// let view = View::fit(simulation.scene(), DVec2::new(640.0, 480.0));
    /// let picture = simulation.picture(&view);
    /// assert!(!picture.items.is_empty());
    /// ```
    pub fn picture(&self, view: &View) -> Picture {
        self.now().picture(view)
    }

    /// The end of the last step, for drawing.
    pub fn now(&self) -> Moment<'_> {
        Moment::now(&self.world)
    }

    /// Poses of all agents, to interpolate [`between`](Self::between) this step and the next.
    pub fn poses(&self) -> Poses {
        Poses::from_world(&self.world)
    }

    /// The state at a fraction, from 0 to 1, between the previous step and the last one, for drawing.
    ///
    /// Agents that crossed a periodic boundary or were moved by an edit are not interpolated.
    pub fn between(&self, before: &Poses, part: f64) -> Moment<'_> {
        Moment::between(&self.world, before, part)
    }

    /// The current scene, edits included.
    pub fn scene(&self) -> &Scene {
        self.world.resource::<Description>().scene()
    }

    /// The scene after the waiting edits; a reset starts from it.
    pub fn scene_ahead(&self) -> &Scene {
        edit::scene_ahead(&self.world)
    }

    /// The kinds registered in this simulation.
    pub fn kinds(&self) -> &Kinds {
        self.world.resource::<Kinds>()
    }

    /// The types that describe its kinds.
    pub fn types(&self) -> &TypeRegistry {
        self.kinds().types()
    }

    /// The agents, by stable id.
    pub fn agents(&self) -> impl Iterator<Item = AgentView<'_>> {
        self.world.arena().agents.iter().filter_map(|agent| AgentView::of(&self.world, *agent))
    }

    /// Number of agents.
    pub fn count(&self) -> usize {
        self.world.arena().agents.len()
    }

    /// Number and group of every agent, by stable id; cheap enough for lists of thousands.
    pub fn members(&self) -> Vec<(u32, Member)> {
        let Some(mut query) = self.world.try_query::<(&StableId, &Member)>() else { return Vec::new() };
        let mut members: Vec<_> = query.iter(&self.world).map(|(id, member)| (id.index(), *member)).collect();
        members.sort_unstable_by_key(|(number, _)| *number);
        members
    }

    /// Number of agents that the spawner of the group with this index has yet to create.
    pub fn pending(&self, group: u32) -> u32 {
        let Some(mut query) = self.world.try_query::<&Pending>() else { return 0 };
        query.iter(&self.world).filter(|pending| pending.group == group).map(|pending| pending.count).sum()
    }

    /// The groups with agents that found no free place since the start, although their spawners avoid overlaps: the path
    /// of the spawner, and how many agents overlap others for that reason.
    pub fn without_room(&self) -> Vec<Problem> {
        let groups = &self.scene().groups;
        let problem = |(index, count): (usize, u32)| {
            let spawned = groups.get(index).map_or(0, Group::spawned);
            let of = if spawned >= count { format!("{count} of {spawned}") } else { count.to_string() };
            let message = format!(
                "{of} robots found no room and overlap others: `avoid_overlap` needs fewer or smaller robots, or a larger \
                 arena"
            );
            Problem { place: None, path: format!("groups[{index}].spawn"), message }
        };
        self.world.arena().without_room.groups().map(problem).collect()
    }

    /// Centre of the spawner of each group at the next reset; `None` for groups without one.
    pub fn spawn_centers_m(&self) -> impl Iterator<Item = Option<DVec2>> {
        let scene = self.scene_ahead();
        (0..scene.groups.len()).map(move |group| spawners::center_m(&self.world, scene, group))
    }

    /// The agent with this number, as in its stable id.
    pub fn agent(&self, number: u32) -> Option<AgentView<'_>> {
        AgentView::of(&self.world, find_agent(&self.world, number)?)
    }

    /// Packet counts of the last step, over all radios.
    pub fn packets(&self) -> Counts {
        let step = self.steps();
        let tallies = self.world.arena().agents.iter().filter_map(|agent| self.world.get::<Tally>(*agent));
        tallies.fold(Counts::default(), |mut all, tally| {
            all += tally.of(step);
            all
        })
    }

    /// Names of the metrics, one each, in the order of the scene.
    pub fn metric_names(&self) -> Vec<String> {
        metric::names(&self.world)
    }

    /// Column names of the metrics: one name for a number; `name.x` and so on for a vector.
    pub fn metric_columns(&self) -> Vec<String> {
        metric::columns(&self.world)
    }

    /// The metric that the scene needs for a column, as an addition to a message; empty if no kind has such a column.
    pub fn missing_metric(&self, column: &str) -> String {
        metric::missing_metric(&self.world, column)
    }

    /// Values of the metrics after the last step, in the order of their columns. `NaN` before the first step.
    pub fn metrics(&self) -> Vec<f64> {
        metric::values(&self.world)
    }

    /// As [`metrics`](Self::metrics), without a copy; empty before the first step.
    pub fn observed(&self) -> &[f64] {
        metric::observed(&self.world)
    }

    /// What hosts read after each step, for less than the methods for each of it cost together.
    pub fn last_step(&self) -> LastStep<'_> {
        let Arena { time, observed, events, space, actors, .. } = self.world.arena();
        // Only systems of plugins, and objects without a shape, have other poses at the end of a step than their bodies.
        let has_finite_poses = match self.schedule {
            None if actors.is_empty() => space.bodies.are_finite(),
            _ => has_finite_poses(&self.world),
        };
        LastStep { time: *time, observed, events: events.count(), has_finite_poses }
    }

    /// Whether the run has ended, according to the scene's `stop` and `on_collision`.
    pub fn is_at_end(&self) -> bool {
        let time = self.time();
        self.scene().stop.last_step(time.dt_s).is_some_and(|last| time.step >= last) || self.condition_holds()
    }

    /// The field of the scene that ended the run, with its value; `None` while the run continues.
    pub fn end_reason(&self) -> Option<String> {
        let (time, Stop { steps, time_s, when }) = (self.time(), &self.scene().stop);
        let has_passed = |stop: Stop| stop.last_step(time.dt_s).is_some_and(|last| time.step >= last);
        if self.has_crashed() {
            Some("on_collision: Pause".into())
        } else if has_passed(Stop { steps: *steps, ..Stop::default() }) {
            Some(format!("stop.steps: {steps}"))
        } else if has_passed(Stop { time_s: *time_s, ..Stop::default() }) {
            Some(format!("stop.time_s: {time_s}"))
        } else {
            self.condition_holds().then(|| format!("stop.when: {when}"))
        }
    }

    /// Whether the expression of the scene's `stop` holds after the last step, or a robot collided in it with
    /// `on_collision: Pause`. Before the first step, metrics of agents (`AnyAgent`) have the values of the initial state;
    /// expressions with other metrics do not hold then.
    pub fn condition_holds(&self) -> bool {
        let (when, arena) = (&self.scene().stop.when, self.world.arena());
        arena.has_crashed() || (!when.is_empty() && metric::holds(&self.world, arena, when))
    }

    /// Whether [`condition_holds`](Self::condition_holds) can become true without an edit.
    pub fn has_condition(&self) -> bool {
        !self.scene().stop.when.is_empty() || self.world.arena().on_collision == OnCollision::Pause
    }

    /// Whether a robot had a new collision in the last step, with `on_collision: Pause`.
    pub fn has_crashed(&self) -> bool {
        self.world.arena().has_crashed()
    }

    /// The event log.
    pub fn events(&self) -> &Events {
        &self.world.arena().events
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

    /// The Bevy world, for the other crates of the program; no part of the interface.
    #[doc(hidden)]
    pub fn world(&self) -> &World {
        &self.world
    }
}

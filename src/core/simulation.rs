//! A simulation: a value that can be made, stepped, hashed, saved, compared and dropped.
//!
//! It owns a Bevy world, the schedule of a step and a pool of threads; it has no window, no assets and no wall clock.
//! Hosts hold one or many and give them time.

use std::sync::Arc;

use bevy::ecs::schedule::Schedules;
use bevy::math::DVec2;
use bevy::prelude::*;
use bevy::reflect::TypeRegistry;
use swarmarium_base::id::StableId;
use swarmarium_base::problem::{Problem, Problems};
use swarmarium_picture::Picture;

use crate::agent::Member;
use crate::agent_view::AgentView;
use crate::draw::{Moment, Poses, View};
use crate::edit::{self, Edit, EditQueue, EditSource, LoggedEdit};
use crate::engine::contact::Crash;
use crate::engine::pose_overrides::{self, PoseOverrides};
pub use crate::engine::pose_overrides::{Placed, UnknownAgent};
use crate::engine::spawn;
use crate::engine::spawners;
use crate::events::Events;
use crate::kind::Kinds;
use crate::population::StartTime;
use crate::radio::{Counts, Tally};
use crate::scene::base;
use crate::scene::current::Description;
use crate::scene::description::{InitialReadings, Scene, Stop, Time};
use crate::sensor;
use crate::spawner::Pending;
use crate::state::{Base, ForeignSnapshot, Snapshot, StateHash, snapshot};
use crate::time::SimTime;
use crate::time::TimeScale;
use crate::{
    engine::{caches, sequential},
    step::{AgentOrder, Agents, SimStep, Workers},
};
use crate::{metric, object};

/// Plugins that can be built into any number of simulations, and the kinds that they bring.
#[derive(Clone)]
pub struct Recipe {
    plugins: Vec<Arc<dyn Plugin>>,
    kinds: Kinds,
}

/// A plugin that many simulations share.
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
    /// The least: kinds that scenes have by default, motion models, losses of radios, objects.
    pub fn bare() -> Self {
        let mut recipe = Self { plugins: Vec::new(), kinds: Kinds::default() };
        recipe.kinds = recipe.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        recipe
    }

    /// Adds a plugin with kinds of your own.
    #[must_use]
    pub fn with(mut self, plugin: impl Plugin) -> Self {
        self.plugins.push(Arc::new(plugin));
        // The kinds are learnt from a throw-away app, so that scenes can be read before a simulation exists.
        self.kinds = self.build(None).world_mut().remove_resource::<Kinds>().unwrap_or_default();
        self
    }

    /// The kinds that scenes for this recipe may use.
    pub fn kinds(&self) -> &Kinds {
        &self.kinds
    }

    fn build(&self, scene: Option<&Scene>) -> App {
        // Plugins need an app; nothing else of it is used.
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

/// The name of a scene for messages.
fn name_of(scene: &Scene) -> String {
    if scene.name.is_empty() { "scene".to_owned() } else { scene.name.clone() }
}

/// What runs: one arena, its agents, objects, spawners and metrics.
pub struct Simulation {
    world: World,
    step: Schedule,
    recipe: Recipe,
    /// The registered state before the scene was put in.
    blank: Snapshot,
    /// The last snapshot that was kept or loaded: the next one shares what was not written since then.
    base: Option<Base>,
}

impl Simulation {
    /// Makes the simulation of a scene with the kinds of a recipe, on a number of threads.
    ///
    /// The number of threads changes the speed and nothing else.
    ///
    /// # Errors
    /// When the scene asks for what cannot be, or a plugin does what plugins of simulations must not.
    pub fn with(scene: &Scene, recipe: &Recipe, threads: usize) -> Result<Self, Problems> {
        Self::with_workers(scene, recipe, Workers::new(threads))
    }

    /// As [`with`](Self::with), on threads that were made before.
    ///
    /// # Errors
    /// As there.
    pub fn with_workers(scene: &Scene, recipe: &Recipe, workers: Workers) -> Result<Self, Problems> {
        let mut app = recipe.build(Some(scene));
        let mut world = std::mem::take(app.world_mut());
        let trouble = |message: String| Problems::of_file(name_of(scene), message);
        if world.storages().non_sends.iter().next().is_some() {
            return Err(trouble("a plugin adds data that cannot leave its thread".into()));
        }
        let mut step = world
            .resource_mut::<Schedules>()
            .remove(SimStep)
            .ok_or_else(|| trouble("a plugin removed the schedule of the step".into()))?;
        world.insert_resource(workers);
        // The kinds of the recipe are shared; those that this app collected are the same.
        world.insert_resource(recipe.kinds.clone());
        step.initialize(&mut world).map_err(|error| trouble(error.to_string(step.graph(), &world)))?;
        let blank = snapshot::save(&world, None);
        let mut simulation = Self { world, step, recipe: recipe.clone(), blank, base: None };
        simulation.fill(scene)?;
        Ok(simulation)
    }

    /// Begins a scene from its start, exactly as a new simulation of this recipe would, in a fraction of the time: plugins
    /// and schedule stay, all state goes.
    ///
    /// # Errors
    /// As [`with`](Self::with). The simulation is then without a scene, and must be restarted or dropped.
    pub fn restart(&mut self, scene: &Scene) -> Result<(), Problems> {
        // The schedule depends on the order in which agents act.
        if self.world.resource::<AgentOrder>().0 != scene.order {
            let workers = self.world.remove_resource::<Workers>().unwrap_or_default();
            *self = Self::with_workers(scene, &self.recipe, workers)?;
            return Ok(());
        }
        let foreign = |error: ForeignSnapshot| Problems::of_file(name_of(scene), error.to_string());
        snapshot::load(&mut self.world, &self.blank, None).map_err(foreign)?;
        self.base = None;
        edit::merge_nothing(&mut self.world);
        self.fill(scene)
    }

    /// Puts a scene into a world without agents.
    fn fill(&mut self, scene: &Scene) -> Result<(), Problems> {
        let Self { world, recipe, .. } = self;
        let mut tuned = None;
        if let Some(fastest) = base::fastest(recipe.kinds(), scene) {
            let time = Time { dt_s: fastest.dt_s(), ..scene.time };
            tuned = Some(Scene { time, ..scene.clone() });
        }
        let scene = tuned.as_ref().unwrap_or(scene);
        spawn::scene(world, scene).map_err(|problems| Problems { source_name: name_of(scene), problems })?;
        caches::rebuild(world);
        object::notice_all(world);
        match scene.initial_readings {
            InitialReadings::Sensed => sequential::sense_all(world),
            InitialReadings::Zero => sensor::blank_all(world),
        }
        world.clear_trackers();
        Ok(())
    }

    /// Advances by a number of steps.
    pub fn step(&mut self, steps: u64) {
        for _ in 0..steps {
            self.step.run(&mut self.world);
            self.world.clear_trackers();
            if self.base.as_ref().is_some_and(|base| !base.is_recent(&self.world)) {
                self.base = None;
            }
        }
    }

    /// The steps done so far.
    pub fn steps(&self) -> u64 {
        self.time().step
    }

    /// The clock: steps done, and the time that one takes.
    pub fn time(&self) -> SimTime {
        *self.world.resource::<SimTime>()
    }

    /// Simulated seconds per second that an edit asked for last, or the scene at first; it changes no result.
    pub fn time_scale(&self) -> f64 {
        self.world.resource::<TimeScale>().0
    }

    /// What time the start of the run is for clients, in seconds: that of the scene's `time.epoch`, where a host has
    /// said when it began. It changes no result.
    pub fn epoch_s(&self) -> f64 {
        self.world.resource::<StartTime>().0
    }

    /// Says what time it is, in seconds since 1970, for scenes whose clients are told that.
    pub fn begin_at(&mut self, now_s: f64) {
        let epoch = self.scene().time.epoch;
        self.world.insert_resource(StartTime(epoch.at_s(|| now_s)));
    }

    /// The hash of all registered state.
    pub fn hash(&self) -> StateHash {
        snapshot::hash(&self.world)
    }

    /// The number of the first agent whose state is another one here than in another simulation, its sensors included, or
    /// that is in one of them only; `None` where all agents are alike.
    pub fn first_different_agent(&self, other: &Self) -> Option<u32> {
        snapshot::first_different_agent(&self.world, &other.world)
    }

    /// Queues a change from outside; it is applied at the start of the next step, and logged. One that changes who is
    /// there ([`Spawn`](Edit::Spawn), [`Add`](Edit::Add), [`Remove`](Edit::Remove)) is applied at once, after those that
    /// wait, exactly as the next step would have done.
    ///
    /// # Errors
    /// When the change makes no sense now; then nothing is queued.
    pub fn apply(&mut self, edit: Edit) -> Result<(), Problem> {
        self.apply_in(edit, 0)
    }

    /// As [`apply`](Self::apply), as part of a transaction: a number that edits share which are undone together, 0 for none.
    ///
    /// # Errors
    /// As there.
    pub fn apply_in(&mut self, edit: Edit, transaction: u64) -> Result<(), Problem> {
        edit::queue(&mut self.world, edit, EditSource { transaction, is_logged: false })
    }

    /// As [`apply_in`](Self::apply_in), for edits that [go together](Edit::goes_with); what came of each.
    pub fn apply_run(&mut self, edits: &[Edit], transaction: u64) -> Vec<Result<(), Problem>> {
        match edits {
            [edit] => vec![self.apply_in(edit.clone(), transaction)],
            edits => edit::queue_run(&mut self.world, edits, transaction),
        }
    }

    /// Queues edits that a log has one after the other, and that [go together](LoggedEdit::goes_with), exactly as they
    /// are there; what came of each.
    pub(crate) fn replay_run(&mut self, run: &[LoggedEdit]) -> Vec<Result<(), Problem>> {
        match run {
            [logged] => vec![self.replay(logged.clone())],
            run => {
                let edits: Vec<Edit> = run.iter().map(|logged| logged.edit.clone()).collect();
                edit::queue_run(&mut self.world, &edits, run.first().map_or(0, |logged| logged.transaction))
            }
        }
    }

    /// Queues an edit that a log has, exactly as it is there: it takes the place of none before it.
    ///
    /// # Errors
    /// As [`apply`](Self::apply).
    pub fn replay(&mut self, LoggedEdit { edit, transaction, .. }: LoggedEdit) -> Result<(), Problem> {
        edit::queue(&mut self.world, edit, EditSource { transaction, is_logged: true })
    }

    /// Applies the edits that wait now, between two steps, exactly as the next step would; whether there were any.
    pub fn flush_edits(&mut self) -> bool {
        let any = edit::flush_edits(&mut self.world);
        if any {
            self.world.clear_trackers();
        }
        any
    }

    /// The hash of the end of the last step, without the edits that were applied since.
    pub fn hash_of_step(&self) -> StateHash {
        edit::hash_of_step(&self.world)
    }

    /// Goes back to a snapshot, with a log in place of that of then, whose edits gave the same.
    ///
    /// # Errors
    /// As [`restore`](Self::restore).
    pub(crate) fn go_back_to(
        &mut self,
        snapshot: &Snapshot,
        log: Vec<LoggedEdit>,
        scale: f64,
    ) -> Result<(), ForeignSnapshot> {
        self.restore(snapshot)?;
        self.replace_log(log, scale);
        Ok(())
    }

    /// Takes a log for that of all edits so far, and the time scale that it leads to; none waits then.
    pub(crate) fn replace_log(&mut self, log: Vec<LoggedEdit>, scale: f64) {
        edit::go_back_to(&mut self.world, log);
        self.world.insert_resource(TimeScale(scale));
    }

    /// Whether an edit would be queued; nothing is.
    ///
    /// # Errors
    /// When the change makes no sense now.
    pub fn check(&self, edit: &Edit) -> Result<(), Problem> {
        edit::check(&self.world, edit).map(drop)
    }

    /// What would come of each edit if they were queued in this order. Nothing is queued.
    ///
    /// Edits of agents, of moving objects and of time are looked at each by itself, and so are edits of the population
    /// that stand among others, or that do not fit together.
    pub fn check_all(&self, edits: &[Edit]) -> Vec<Result<(), Problem>> {
        edit::check_all(&self.world, edits)
    }

    /// The edits that wait for the next step.
    pub fn waiting_edits(&self) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
        edit::waiting(&self.world)
    }

    /// The highest number of the transactions that edits are part of which wait for the next step; 0 for none.
    pub(crate) fn latest_waiting_transaction(&self) -> u64 {
        edit::latest_waiting_transaction(&self.world)
    }

    /// The edits applied so far, with the step at whose start each was applied.
    pub fn edits(&self) -> &[LoggedEdit] {
        &self.world.resource::<EditQueue>().log
    }

    /// Takes those edits, for hosts that write them as they come: the log is empty then.
    pub fn take_edits(&mut self) -> Vec<LoggedEdit> {
        std::mem::take(&mut self.world.resource_mut::<EditQueue>().log)
    }

    /// How many edits took the place of others that were logged.
    pub(crate) fn replaced_edits(&self) -> u64 {
        self.world.resource::<EditQueue>().replaced
    }

    /// How many edits that set a parameter were applied so far.
    pub fn sets(&self) -> u64 {
        self.world.resource::<EditQueue>().sets
    }

    /// Copies all registered state, to go back to it with [`restore`](Self::restore).
    pub fn snapshot(&self) -> Snapshot {
        snapshot::save(&self.world, self.base.as_ref())
    }

    /// As [`snapshot`](Self::snapshot), for [`go_back_to`](Self::go_back_to): many of them do not hold the log many times,
    /// and the next one shares what does not change until then.
    pub(crate) fn keyframe(&mut self) -> Snapshot {
        let log = if self.edits().is_empty() { Vec::new() } else { self.take_edits() };
        let snapshot = self.snapshot();
        self.base = Some(Base::new(snapshot.clone(), &mut self.world));
        if !log.is_empty() {
            self.world.resource_mut::<EditQueue>().log = log;
        }
        snapshot
    }

    /// Goes back to a snapshot of this simulation, or of another one of the same scene and recipe.
    ///
    /// # Errors
    /// When the snapshot is of a simulation with other plugins; then nothing is changed.
    pub fn restore(&mut self, snapshot: &Snapshot) -> Result<(), ForeignSnapshot> {
        snapshot::load(&mut self.world, snapshot, self.base.as_ref())?;
        self.base = Some(Base::new(snapshot.clone(), &mut self.world));
        edit::merge_nothing(&mut self.world);
        caches::relink(&mut self.world);
        caches::rebuild(&mut self.world);
        metric::rebuild(&mut self.world);
        self.world.clear_trackers();
        Ok(())
    }

    /// Puts agents where another simulation, or the world, had them at this step; with what their sensors read there.
    ///
    /// Who is there already is left alone, so a run that is played again stays the same run.
    ///
    /// # Errors
    /// The number of an agent that is not there; then nobody is moved.
    pub fn place(&mut self, all: &[Placed]) -> Result<(), UnknownAgent> {
        pose_overrides::place(&mut self.world, all)
    }

    /// Advances by one step, in which agents are [placed](Self::place) after they have acted: objects, metrics and
    /// trails see them there.
    ///
    /// # Errors
    /// As there; the step is done.
    pub fn step_along(&mut self, placed: Vec<Placed>) -> Result<(), UnknownAgent> {
        self.world.insert_resource(PoseOverrides::new(placed));
        self.step(1);
        self.world.remove_resource::<PoseOverrides>().map_or(Ok(()), |overrides| overrides.obeyed)
    }

    /// What there is to see, as a list of shapes.
    pub fn picture(&self, view: &View) -> Picture {
        self.now().picture(view)
    }

    /// The end of the last step, to look at.
    pub fn now(&self) -> Moment<'_> {
        Moment::now(&self.world)
    }

    /// Where all agents are, to look [`between`](Self::between) this step and the next.
    pub fn poses(&self) -> Poses {
        Poses::of(&self.world)
    }

    /// A part of the way, from 0 to 1, from the end of the step before to the end of the last one, to look at.
    ///
    /// Nobody is shown on the way of a leap: across a periodic boundary, or to where an edit put it.
    pub fn between(&self, before: &Poses, part: f64) -> Moment<'_> {
        Moment::between(&self.world, before, part)
    }

    /// The scene as it is now, edits included.
    pub fn scene(&self) -> &Scene {
        self.world.resource::<Description>().scene()
    }

    /// The scene as it will be when the edits that wait for the next step are applied: what a reset starts from.
    pub fn scene_ahead(&self) -> &Scene {
        edit::scene_ahead(&self.world)
    }

    /// The kinds that this simulation knows.
    pub fn kinds(&self) -> &Kinds {
        self.world.resource::<Kinds>()
    }

    /// The types that describe its kinds.
    pub fn types(&self) -> &TypeRegistry {
        self.kinds().types()
    }

    /// The agents, by stable id.
    pub fn agents(&self) -> impl Iterator<Item = AgentView<'_>> {
        self.world.resource::<Agents>().0.iter().filter_map(|agent| AgentView::of(&self.world, *agent))
    }

    /// How many agents there are.
    pub fn count(&self) -> usize {
        self.world.resource::<Agents>().0.len()
    }

    /// The number and the group of every agent, by stable id: all that a list of thousands needs.
    pub fn members(&self) -> Vec<(u32, Member)> {
        let Some(mut query) = self.world.try_query::<(&StableId, &Member)>() else { return Vec::new() };
        let mut members: Vec<_> = query.iter(&self.world).map(|(id, member)| (id.index(), *member)).collect();
        members.sort_unstable_by_key(|(number, _)| *number);
        members
    }

    /// The agents that the spawner of the group at this place of the scene has yet to make.
    pub fn pending(&self, group: u32) -> u32 {
        let Some(mut query) = self.world.try_query::<&Pending>() else { return 0 };
        query.iter(&self.world).filter(|pending| pending.group == group).map(|pending| pending.count).sum()
    }

    /// The point that the spawner of each group is about when the simulation is made again; `None` for groups without one.
    pub fn spawn_centers_m(&self) -> impl Iterator<Item = Option<DVec2>> {
        let scene = self.scene_ahead();
        (0..scene.groups.len()).map(move |group| spawners::center_m(&self.world, scene, group))
    }

    /// The agent with this number, as in its stable id.
    pub fn agent(&self, number: u32) -> Option<AgentView<'_>> {
        AgentView::of(&self.world, Agents::find(&self.world, number)?)
    }

    /// The packets of the last step, of all radios together.
    pub fn packets(&self) -> Counts {
        let step = self.steps();
        let tallies = self.world.resource::<Agents>().0.iter().filter_map(|agent| self.world.get::<Tally>(*agent));
        tallies.fold(Counts::default(), |mut all, tally| {
            all += tally.of(step);
            all
        })
    }

    /// The names of the metrics, one each, in the order of the scene.
    pub fn metric_names(&self) -> Vec<String> {
        metric::names(&self.world)
    }

    /// The columns of the metrics: one name for a number, `name.x` and so on for a vector.
    pub fn metric_columns(&self) -> Vec<String> {
        metric::columns(&self.world)
    }

    /// What the metrics observed after the last step, in the order of their columns. `NaN` before the first step.
    pub fn metrics(&self) -> Vec<f64> {
        metric::values(&self.world)
    }

    /// As [`metrics`](Self::metrics), without a copy; empty before the first step.
    pub fn observed(&self) -> &[f64] {
        metric::observed(&self.world)
    }

    /// Whether the run has come to its end, as the scene's `stop` and `on_collision` have it.
    pub fn is_at_end(&self) -> bool {
        let time = self.time();
        self.scene().stop.last_step(time.dt_s).is_some_and(|last| time.step >= last) || self.condition_holds()
    }

    /// The field of the scene that has ended the run, and its value; `None` while the run goes on.
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

    /// Whether the expression of the scene's `stop` holds after the last step (one that names metrics, not before the
    /// first), or a robot ran into something in it, with `on_collision: Pause`.
    pub fn condition_holds(&self) -> bool {
        let when = &self.scene().stop.when;
        self.has_crashed() || (!when.is_empty() && metric::holds(&self.world, when))
    }

    /// Whether a robot ran into something anew in the last step, with `on_collision: Pause`.
    pub fn has_crashed(&self) -> bool {
        self.steps() > 0 && self.world.resource::<Crash>().0 == self.steps()
    }

    /// What happened so far, in words.
    pub fn events(&self) -> &Events {
        self.world.resource::<Events>()
    }

    /// The Bevy world, to read what has no method here.
    pub fn world(&self) -> &World {
        &self.world
    }
}

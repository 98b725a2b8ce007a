//! Edits: every change from outside, applied at the start of a step and logged.
//!
//! A log of edits, together with the scene and its seed, is all that it takes to have the same run again.

use std::collections::BTreeMap;

use bevy::math::DVec2;
use bevy::prelude::*;
use serde::{Deserialize, Serialize};

use crate::agent::elsewhere;
use crate::agent::fault::Failure;
use crate::agent::motion::Suspended;
use crate::agent::{Pose, fault};
use crate::component::{Fields, Value, handle};
use crate::history::{RegisterState as _, StateHash, snapshot};
use crate::id::StableId;
use crate::kind::{Kinds, ObjectFamily, Open};
use crate::object::gone::Gone;
use crate::radio::Radio;
use crate::scene::description::{Group, MAX_LENGTH_M};
use crate::scene::problem::Problem;
use crate::scene::spawn::Description;
use crate::scene::{Scene, check as scene_check, constants, path};
use crate::sensor::Sensors;
use crate::step::{Actors, Agents, SimStep, SimTime, Step, caches, count_step};

pub mod agents;
pub mod live;
pub mod log;
mod merge;
mod population;

pub use live::TakesEffect;
pub(crate) use merge::forget as merge_nothing;
pub(crate) use population::check_run;

/// A change from outside.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub enum Edit {
    /// Gives a parameter another value, by the path that panels, `--set` and this log share.
    Set {
        /// Such as `groups.millers.controller.detected.turn_rad_per_s`, or `agents.17.controller.…` for one agent. The
        /// name of a constant is logged as the path of its first field.
        path: String,
        /// The value as a scene file would write it.
        value: String,
    },
    /// Puts an agent somewhere else.
    Move {
        /// The number of the agent, as in its stable id.
        agent: u32,
        /// New position along x, in metres.
        x_m: f64,
        /// New position along y, in metres.
        y_m: f64,
        /// New heading in radians.
        heading_rad: f64,
    },
    /// Puts an object that moves somewhere else. Those that lie still are moved by their parameters.
    MoveObject {
        /// Its place in the scene.
        object: u32,
        /// New position of its middle along x, in metres.
        x_m: f64,
        /// New position of its middle along y, in metres.
        y_m: f64,
        /// New heading in radians.
        heading_rad: f64,
    },
    /// Makes one more agent of a group; a reset keeps it.
    Spawn {
        /// The name of the group, or its place in the scene.
        group: String,
        /// Position along x, in metres.
        x_m: f64,
        /// Position along y, in metres.
        y_m: f64,
        /// Heading in radians.
        heading_rad: f64,
    },
    /// Adds a group or an object to the scene, at the end of its list; a reset keeps it.
    Add {
        /// `groups` or `objects`.
        list: String,
        /// What is added, as a scene file would write it.
        value: String,
    },
    /// Takes away an agent, such as `agents.17`, or an object, such as `objects.3`; a reset keeps that.
    Remove {
        /// What is taken away.
        path: String,
    },
    /// Lets something go wrong with an agent, or sets it right.
    Fault {
        /// The number of the agent, as in its stable id.
        agent: u32,
        /// What goes wrong.
        what: Failure,
        /// Whether it goes wrong now; otherwise it is set right.
        is_on: bool,
    },
    /// Does a service of a component.
    Call {
        /// Its full name, such as `robot.motion`.
        component: String,
        /// The service.
        service: String,
        /// What it is told.
        arguments: Vec<Value>,
    },
    /// Gives an actuator what came on its data stream.
    Feed {
        /// Its full name, such as `robot.motion`.
        component: String,
        /// The fields that were sent; the others keep their values.
        fields: Fields,
    },
    /// Lets all that moves stand still, or move again, while all else goes on.
    Suspend {
        /// Whether it stands still.
        is_suspended: bool,
    },
    /// Asks the host for another time scale; no result depends on it.
    TimeScale {
        /// Simulated seconds per second.
        scale: f64,
    },
}

impl Edit {
    /// Whether it changes a parameter or moves a robot: neither the speed, nor what clients tell components, at every step
    /// perhaps.
    pub(crate) fn is_change(&self) -> bool {
        !matches!(self, Self::Call { .. } | Self::Feed { .. } | Self::Suspend { .. } | Self::TimeScale { .. })
    }

    /// Whether it changes who is there. Such edits are applied at once, so that others can be of what they made.
    pub(crate) fn is_of_population(&self) -> bool {
        matches!(self, Self::Spawn { .. } | Self::Add { .. } | Self::Remove { .. })
    }

    /// Whether it and the next one are looked at together, in a run of such edits: each alone looks at all who are
    /// there, and there may be thousands of both.
    pub(crate) fn goes_with(&self, next: &Self) -> bool {
        matches!((self, next), (Self::Spawn { .. }, Self::Spawn { .. }) | (Self::Remove { .. }, Self::Remove { .. }))
    }

    /// Whether what it does depends on caches. Faults stop a body in its row, which no edit that waits changes, and all
    /// else that they do is of components: many robots are killed with one renewal.
    fn looks_around(&self) -> bool {
        matches!(self, Self::Call { .. } | Self::Feed { .. })
    }

    /// Whether somebody can take it back: not what clients tell components, nor that all stands still.
    pub fn can_be_undone(&self) -> bool {
        !matches!(self, Self::Call { .. } | Self::Feed { .. } | Self::Suspend { .. })
    }

    /// Whether a later edit leaves nothing of this one.
    pub(crate) fn is_outdone_by(&self, later: &Self) -> bool {
        match (self, later) {
            (Self::Set { path, .. }, Self::Set { path: again, .. }) => {
                // What waits for a reset leaves running agents as they are.
                leads_into(again, path) && TakesEffect::of_path(again) == TakesEffect::of_path(path)
            }
            (Self::Move { agent, .. }, Self::Move { agent: again, .. }) => agent == again,
            (Self::MoveObject { object, .. }, Self::MoveObject { object: again, .. }) => object == again,
            (Self::TimeScale { .. }, Self::TimeScale { .. }) | (Self::Suspend { .. }, Self::Suspend { .. }) => true,
            _ => false,
        }
    }
}

/// Whether a path leads to what another one leads to, or to something around it.
fn leads_into(outer: &str, path: &str) -> bool {
    let steps = |path| Some(path::steps(path)?.into_iter().map(|(_, step)| step).collect::<Vec<&str>>());
    steps(outer).zip(steps(path)).is_some_and(|(outer, path)| path.starts_with(&outer))
}

/// An edit and the step at whose start it was applied.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LoggedEdit {
    /// The number of the step, counted from 1.
    pub step: u64,
    /// What was changed.
    pub edit: Edit,
    /// The gesture that it is part of, such as one drag of a robot: edits of one gesture are undone together. 0 for none.
    #[serde(default, skip_serializing_if = "is_none")]
    pub gesture: u64,
}

impl LoggedEdit {
    /// An edit of no gesture.
    pub fn new(step: u64, edit: Edit) -> Self {
        Self { step, edit, gesture: 0 }
    }

    /// Whether it and the next one of a log are looked at [together](Edit::goes_with).
    pub(crate) fn goes_with(&self, next: &Self) -> bool {
        (self.step, self.gesture) == (next.step, next.gesture) && self.edit.goes_with(&next.edit)
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "serde asks so")]
fn is_none(gesture: &u64) -> bool {
    *gesture == 0
}

/// Edits that wait for the next step, and those that were applied.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Waiting, in the order in which they came.
    waiting: Vec<Edit>,
    /// How each of them came.
    manners: Vec<Manner>,
    /// The places of those that move something, at the end of them, as far as they are of one gesture.
    moves: BTreeMap<StableId, usize>,
    /// The scene as it will be when those that wait are applied; `None` when they leave it as it is.
    ahead: Option<Scene>,
    /// What those that wait make of agents.
    foreseen: agents::Foreseen,
    /// Applied, in the order in which they were.
    pub log: Vec<LoggedEdit>,
    /// How many parameters were set.
    pub sets: u64,
    /// How many edits took the place of others in the log.
    pub replaced: u64,
    /// The last step after which edits were applied without waiting for the next one, and the hash of its end, before them.
    settled: Option<(u64, StateHash)>,
}

/// How an edit comes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Manner {
    /// The gesture that it is part of; 0 for none.
    pub gesture: u64,
    /// Whether it is read from a log, where nothing is replaced any more.
    pub is_logged: bool,
}

/// The scene as it will be when the edits that wait are applied.
pub(crate) fn scene_ahead(world: &World) -> &Scene {
    let ahead = world.resource::<EditQueue>().ahead.as_ref();
    ahead.unwrap_or_else(|| world.resource::<Description>().scene())
}

/// The time scale that was asked for last. Not state: no result depends on it.
#[derive(Resource, Clone, Copy, Debug)]
pub struct TimeScale(pub f64);

pub(crate) fn plugin(app: &mut App) {
    app.init_resource::<EditQueue>().insert_resource(TimeScale(1.0));
    app.register_record::<EditQueue>().register_record::<TimeScale>();
    app.init_resource::<merge::Origins>();
    app.add_systems(SimStep, begin.in_set(Step::Edits).after(count_step));
}

/// Queues an edit, if it makes sense after those that wait already. One that changes who is there is applied at once,
/// after them.
///
/// # Errors
/// Says what does not make sense; then nothing is queued.
pub(crate) fn queue(world: &mut World, edit: Edit, manner: Manner) -> Result<(), Problem> {
    if edit.is_of_population() {
        return queue_run(world, &[edit], manner.gesture).pop().unwrap_or(Ok(()));
    }
    match check(world, &edit)? {
        Outlook::Same => push(world, edit, manner),
        Outlook::Agent(number, parts) => {
            push(world, edit, manner);
            world.resource_mut::<EditQueue>().foreseen.see_agent(number, *parts);
        }
        Outlook::Scene(ahead) => queue_of_scene(world, edit, manner, *ahead)?,
    }
    Ok(())
}

/// Applies edits that [go together](Edit::goes_with) at once, after those that wait, exactly as if they were queued one
/// after the other; what came of each.
pub(crate) fn queue_run(world: &mut World, edits: &[Edit], gesture: u64) -> Vec<Result<(), Problem>> {
    settle(world);
    population::apply(world, edits, gesture)
}

/// Lets an edit wait. A slider that is dragged while time stands still asks for many values; the last one counts.
fn push(world: &mut World, edit: Edit, manner: Manner) {
    let mut queue = world.resource_mut::<EditQueue>();
    match queue.outdone(&edit, manner) {
        Some(place) => queue.waiting[place] = edit,
        None => queue.append(edit, manner),
    }
}

impl EditQueue {
    /// The place of the edit that waits and of which another one leaves nothing: of the last one, or, where several are
    /// moved together, of the last move of the same.
    fn outdone(&self, edit: &Edit, manner: Manner) -> Option<usize> {
        if !self.goes_on_with(manner) {
            return None;
        }
        let place = match merge::moved(edit) {
            Some(id) if !self.moves.is_empty() => *self.moves.get(&id)?,
            _ => self.waiting.len() - 1,
        };
        self.waiting.get(place)?.is_outdone_by(edit).then_some(place)
    }

    /// Whether an edit that comes like this belongs to the last one that waits.
    fn goes_on_with(&self, manner: Manner) -> bool {
        self.manners.last().is_some_and(|how| how.gesture == manner.gesture && !how.is_logged && !manner.is_logged)
    }

    fn append(&mut self, edit: Edit, manner: Manner) {
        let id = merge::moved(&edit).filter(|_| manner.gesture > 0 && !manner.is_logged);
        if id.is_none() || !self.goes_on_with(manner) {
            self.moves.clear();
        }
        self.moves.extend(id.map(|id| (id, self.waiting.len())));
        self.waiting.push(edit);
        self.manners.push(manner);
    }
}

/// Queues an edit of the scene, which is `ahead` with it.
fn queue_of_scene(world: &mut World, edit: Edit, manner: Manner, ahead: Scene) -> Result<(), Problem> {
    let Edit::Set { path, value } = edit else { return Ok(()) };
    let edit = Edit::Set { path: constants::resolve(world.resource::<Kinds>(), scene_ahead(world), &path)?, value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that it can be the last one alone.
    let before = queue.outdone(&edit, manner).map(|place| &queue.waiting[..place]);
    // What followed from the last one through a constant goes with it.
    let without = before.and_then(|before| scene_after(world, scene, before.iter().chain([&edit])).ok());
    let foreseen = match before.filter(|_| without.is_some()) {
        Some(before) => agents::Foreseen::by(world, before.iter().chain([&edit])),
        None => {
            let mut foreseen = world.resource::<EditQueue>().foreseen.clone();
            foreseen.see(world, &mut scene_ahead(world).clone(), &edit);
            foreseen
        }
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if without.is_some() {
        queue.waiting.pop();
        queue.manners.pop();
    }
    (queue.ahead, queue.foreseen) = (Some(without.unwrap_or(ahead)), foreseen);
    queue.append(edit, manner);
    Ok(())
}

/// The edits that wait for the next step.
pub(crate) fn waiting(world: &World) -> &[Edit] {
    &world.resource::<EditQueue>().waiting
}

/// The highest number of the gestures that edits are part of which wait; 0 for none.
pub(crate) fn latest_waiting_gesture(world: &World) -> u64 {
    world.resource::<EditQueue>().manners.iter().map(|manner| manner.gesture).max().unwrap_or_default()
}

/// What an edit changes that later ones must know.
pub(crate) enum Outlook {
    /// Nothing.
    Same,
    /// An agent, by its number: its parts with the edit.
    Agent(u32, Box<Group>),
    /// The scene: as it is with the edit.
    Scene(Box<Scene>),
}

/// Whether an edit makes sense after those that wait already; what it changes.
///
/// # Errors
/// Says what does not make sense.
pub(crate) fn check(world: &World, edit: &Edit) -> Result<Outlook, Problem> {
    match edit {
        Edit::Set { path, value } => match agents::Address::of(path)? {
            Some(address) => agents::parts_after(world, &address, value),
            None => scene_after(world, scene_ahead(world), [edit]).map(|after| Outlook::Scene(Box::new(after))),
        },
        Edit::Move { agent, x_m, y_m, heading_rad } => {
            check_pose("an agent", [*x_m, *y_m, *heading_rad])?;
            agents::find(world, *agent).ok_or_else(|| agents::unknown(*agent))?;
            Ok(Outlook::Same)
        }
        Edit::MoveObject { object, x_m, y_m, heading_rad } => {
            check_pose("an object", [*x_m, *y_m, *heading_rad])?;
            match actor(world, *object) {
                Some(_) => Ok(Outlook::Same),
                None if scene_ahead(world).objects.get(*object as usize).is_none_or(is_gone) => {
                    Err(Problem::of_file(format!("there is no object {object}")))
                }
                None => Err(Problem::of_file(format!(
                    "object {object} does not move by itself: set its place, such as objects.{object}.center_m"
                ))),
            }
        }
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => {
            population::scene_after(world, edit).map(|after| Outlook::Scene(Box::new(after)))
        }
        Edit::Fault { agent, what, is_on } => {
            let found = agents::find(world, *agent).ok_or_else(|| agents::unknown(*agent))?;
            let lacks = match what {
                Failure::Deafens if world.get::<Radio>(found).is_none() => "radio",
                Failure::Blinds if world.get::<Sensors>(found).is_none_or(|all| all.slots().is_empty()) => "sensors",
                _ => return Ok(Outlook::Same),
            };
            match is_on {
                true => Err(Problem::of_file(format!("agent {agent} has no {lacks}"))),
                false => Ok(Outlook::Same),
            }
        }
        Edit::Call { .. } | Edit::Feed { .. } => handle::check(world, edit).map(|()| Outlook::Same),
        Edit::Suspend { .. } => Ok(Outlook::Same),
        Edit::TimeScale { scale } if scale.is_finite() && *scale > 0.0 => Ok(Outlook::Same),
        Edit::TimeScale { scale } => {
            Err(Problem::of_file(format!("the time scale must be a number > 0, found {scale}")))
        }
    }
}

/// Whether something can be put there.
///
/// # Errors
/// Says where it can.
fn check_pose(what: &str, [x_m, y_m, heading_rad]: [f64; 3]) -> Result<(), Problem> {
    let usable = |number: f64| number.abs() <= MAX_LENGTH_M;
    if usable(x_m) && usable(y_m) && heading_rad.is_finite() {
        return Ok(());
    }
    Err(Problem::of_file(format!("{what} can only be moved to finite numbers, at most {MAX_LENGTH_M} m away")))
}

/// The object in a place of the scene, if it acts.
fn actor(world: &World, object: u32) -> Option<Entity> {
    let id = StableId::object(object);
    world.resource::<Actors>().0.iter().copied().find(|actor| world.get(*actor) == Some(&id))
}

fn is_gone(object: &Open<ObjectFamily>) -> bool {
    object.value().is::<Gone>()
}

/// Whether edits of the scene make sense one after the other, after those that wait already.
///
/// # Errors
/// Says what does not make sense.
pub(crate) fn check_all(world: &World, edits: &[Edit]) -> Result<(), Problem> {
    scene_after(world, scene_ahead(world), edits).map(drop)
}

/// A scene after edits; those of agents leave it as it is.
fn scene_after<'e>(world: &World, scene: &Scene, edits: impl IntoIterator<Item = &'e Edit>) -> Result<Scene, Problem> {
    let mut after = scene.clone();
    for edit in edits {
        if let Edit::Set { path, value } = edit
            && agents::Address::of(path)?.is_none()
        {
            constants::set(world.resource::<Kinds>(), &mut after, path, value)?;
        }
    }
    match scene_check::fit(world, &after).into_iter().next() {
        Some(problem) => Err(problem),
        None => Ok(after),
    }
}

/// Begins a step: first what was asked for from outside, then what the scene says goes wrong.
fn begin(world: &mut World) {
    if !world.resource::<EditQueue>().waiting.is_empty() {
        apply_waiting(world);
    }
    fault::strike(world);
}

/// Applies the edits that wait between two steps, exactly as the next step would; whether there were any.
pub(crate) fn settle(world: &mut World) -> bool {
    if waiting(world).is_empty() {
        return false;
    }
    note_hash(world);
    in_next_step(world, apply_waiting);
    true
}

/// Does between two steps what belongs to the start of the next one.
fn in_next_step<T>(world: &mut World, act: impl FnOnce(&mut World) -> T) -> T {
    world.resource_mut::<SimTime>().step += 1;
    let done = act(world);
    world.resource_mut::<SimTime>().step -= 1;
    done
}

/// Keeps the hash of the end of the last step, before the first edit after it.
fn note_hash(world: &mut World) {
    let step = world.resource::<SimTime>().step;
    if world.resource::<EditQueue>().settled.is_none_or(|(known, _)| known != step) {
        let hash = snapshot::hash(world);
        world.resource_mut::<EditQueue>().settled = Some((step, hash));
    }
}

/// The hash of the end of the last step, before edits that were applied since.
pub(crate) fn hash_of_step(world: &World) -> StateHash {
    let settled = world.resource::<EditQueue>().settled;
    let step = world.resource::<SimTime>().step;
    settled.filter(|(known, _)| *known == step).map_or_else(|| snapshot::hash(world), |(_, hash)| hash)
}

/// Forgets the edits that wait, and takes a log for that of all edits so far: of a simulation that goes back to a snapshot.
pub(crate) fn go_back_to(world: &mut World, log: Vec<LoggedEdit>) {
    let sets = log.iter().filter(|logged| matches!(logged.edit, Edit::Set { .. })).count() as u64;
    let settled = world.resource::<EditQueue>().settled;
    world.insert_resource(EditQueue { log, sets, settled, ..EditQueue::default() });
}

fn apply_waiting(world: &mut World) {
    let kinds = world.resource::<Kinds>().clone();
    let mut queue = world.resource_mut::<EditQueue>();
    queue.foreseen = agents::Foreseen::default();
    queue.moves.clear();
    let changes_scene = queue.ahead.take().is_some();
    let (edits, manners) = (std::mem::take(&mut queue.waiting), std::mem::take(&mut queue.manners));
    // Edits of other things do not look at it.
    let mut scene = if changes_scene { world.resource::<Description>().scene().clone() } else { Scene::default() };
    let mut is_stale = false;
    let renew = |world: &mut World, scene: &Scene| {
        if changes_scene {
            world.insert_resource(Description::new(&kinds, scene.clone()));
        }
        caches::rebuild(world);
    };
    for (edit, manner) in edits.into_iter().zip(manners) {
        if edit.looks_around() && std::mem::take(&mut is_stale) {
            renew(world, &scene);
        }
        // Other edits leave alone what caches are made of.
        is_stale |= edit.is_change();
        let replaced = merge::replaced(world, &edit, manner);
        apply(world, &kinds, &mut scene, (&edit, manner), replaced.is_some());
        world.resource_mut::<EditQueue>().sets += u64::from(matches!(edit, Edit::Set { .. }));
        note(world, replaced, edit, manner.gesture);
    }
    if is_stale {
        renew(world, &scene);
    }
}

/// Logs an edit that was applied, in the place of another one or at the end.
fn note(world: &mut World, place: Option<usize>, edit: Edit, gesture: u64) {
    let step = world.resource::<SimTime>().step;
    let mut queue = world.resource_mut::<EditQueue>();
    match place.and_then(|place| queue.log.get_mut(place)) {
        Some(logged) => {
            logged.edit = edit;
            queue.replaced += 1;
        }
        None => queue.log.push(LoggedEdit { step, edit, gesture }),
    }
}

fn apply(world: &mut World, kinds: &Kinds, scene: &mut Scene, (edit, manner): (&Edit, Manner), replaces: bool) {
    match edit {
        Edit::Set { path, value } => {
            // What was queued was tried on the same scene and the same agents.
            if agents::Address::of(path).is_ok_and(|address| address.is_some()) {
                live::apply(world, kinds, scene, path, value);
            } else {
                let changes = constants::set(kinds, scene, path, value).unwrap_or_default();
                changes.iter().for_each(|change| live::apply(world, kinds, scene, &change.path, &change.value));
            }
        }
        Edit::Move { agent: number, x_m, y_m, heading_rad }
        | Edit::MoveObject { object: number, x_m, y_m, heading_rad } => {
            let found = match edit {
                Edit::Move { .. } => agents::find(world, *number),
                _ => actor(world, *number),
            };
            if let Some(entity) = found {
                let pose = Pose { position_m: DVec2::new(*x_m, *y_m), heading_rad: *heading_rad };
                merge::begin_move(world, entity, manner.gesture, replaces);
                elsewhere::put(&mut world.entity_mut(entity), pose);
            }
        }
        Edit::Fault { agent, what, is_on } => {
            let row = agents::row_of(world, *agent);
            let found = row.and_then(|row| Some((row, *world.resource::<Agents>().0.get(row)?)));
            if let Some(agent) = found {
                fault::set(world, agent, *what, *is_on);
            }
        }
        // These never wait.
        Edit::Spawn { .. } | Edit::Add { .. } | Edit::Remove { .. } => {}
        Edit::Call { .. } | Edit::Feed { .. } => handle::apply(world, edit),
        Edit::Suspend { is_suspended: true } => world.insert_resource(Suspended {}),
        Edit::Suspend { is_suspended: false } => _ = world.remove_resource::<Suspended>(),
        Edit::TimeScale { scale } => world.insert_resource(TimeScale(*scale)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::reader;
    use crate::simulation::{Recipe, Simulation};

    #[test]
    fn a_later_edit_outdoes_those_of_the_same_value_and_within_it() {
        let is_outdone = |path: &str, later: &str| {
            let set = |path: &str| Edit::Set { path: path.into(), value: "1".into() };
            set(path).is_outdone_by(&set(later))
        };
        assert!(is_outdone("groups.a.controller.v_m_per_s", "groups.a.controller"));
        assert!(is_outdone("groups[0].controller", "groups.0.controller"));
        assert!(!is_outdone("groups.a.controller", "groups.a.controller.v_m_per_s"));
        assert!(!is_outdone("groups.ab.team", "groups.a"));
        assert!(!is_outdone("groups.a.controllers", "groups.a.controller"));
        assert!(!is_outdone("groups.a.sensors.0.range_m", "groups.a.sensors"), "the list waits for a reset");
    }

    fn simulation(groups: &str) -> Simulation {
        let text = format!("(groups: [{groups}])");
        let scene = reader::read(Recipe::standard().kinds(), "test", &text).unwrap();
        Simulation::new(&scene).unwrap()
    }

    fn set(simulation: &mut Simulation, path: &str, value: &str) {
        simulation.apply(Edit::Set { path: path.into(), value: value.into() }).unwrap();
    }

    #[test]
    fn what_an_agent_will_be_is_known_in_whatever_order_it_and_its_group_are_changed() {
        let group = |name: &str| format!("(name: \"{name}\", count: 2, spawn: UniformBox(), sensors: [Proximity()])");
        let mut simulation = simulation(&[group("a"), group("b")].join(", "));
        let ranges = |simulation: &Simulation, ahead: bool| {
            let of = |agent: u32| {
                let agent = simulation.agent(agent).unwrap();
                let description = if ahead { agent.description_ahead() } else { agent.description() };
                let sensing = description.sensors[0].common();
                let range = path::get(simulation.kinds(), &description.sensors[0], "range_m").unwrap();
                (sensing.active, range.downcast_ref::<f64>().copied())
            };
            [0, 1, 2, 3].map(of)
        };
        set(&mut simulation, "agents.1.sensors.0.range_m", "7.0");
        set(&mut simulation, "groups.a.sensors.0.range_m", "5.0");
        set(&mut simulation, "agents.0.sensors.0.range_m", "3.0");
        set(&mut simulation, "agents.3.sensors.0.active", "false");
        set(&mut simulation, "agents.0.sensors.0.active", "false");
        set(&mut simulation, "groups.b.sensors.0.range_m", "1.0");
        set(&mut simulation, "groups.b.sensors.0.range_m", "2.0");
        assert_eq!(simulation.waiting_edits().len(), 6, "the last one replaced that before it");
        let ahead = ranges(&simulation, true);
        assert_eq!(ahead, [(false, Some(3.0)), (true, Some(5.0)), (true, Some(2.0)), (false, Some(2.0))]);
        simulation.step(1);
        assert_eq!(ranges(&simulation, false), ahead);
        assert_eq!(ranges(&simulation, true), ahead, "nothing waits any more");
    }

    #[test]
    fn robots_that_come_or_go_together_do_so_as_they_do_one_by_one() {
        let groups = "(name: \"a\", at: [(1, 1, 0), (2, 1, 0), (3, 1, 0)], sensors: [Proximity()]),
            (name: \"b\", count: 3, spawn: UniformBox()), (name: \"c\", count: 0)";
        let [mut at_once, mut one_by_one] = [(); 2].map(|()| simulation(groups));
        let spawn = |group: &str, x_m| Edit::Spawn { group: group.into(), x_m, y_m: 2.0, heading_rad: 0.5 };
        let remove = |path: &str| Edit::Remove { path: path.into() };
        let runs = [
            vec![
                spawn("a", 2.1),
                spawn("b", 5.0),
                spawn("nobody", 1.0),
                spawn("a", 2.4),
                spawn("c", 6.0),
                spawn("c", 7.0),
            ],
            ["agents.7", "agents.1", "agents.1", "agents.99", "agents.4", "groups.0"].map(remove).into(),
            ["agents.6", "agents.2", "agents.0"].map(remove).into(),
        ];
        for (gesture, run) in (1..).zip(runs) {
            let expected: Vec<_> =
                run.iter().map(|edit| one_by_one.apply_in(edit.clone(), gesture).map_err(|e| e.to_string())).collect();
            let found = at_once.apply_run(&run, gesture).into_iter().map(|done| done.map_err(|e| e.to_string()));
            assert_eq!(found.collect::<Vec<_>>(), expected);
            assert_eq!((at_once.hash(), at_once.edits()), (one_by_one.hash(), one_by_one.edits()), "{run:?}");
            at_once.step(3);
            one_by_one.step(3);
            assert_eq!(at_once.hash(), one_by_one.hash(), "{run:?}");
        }
        assert_eq!(at_once.edits().len(), 5 + 3 + 3);
        let [mut again, mut known] = [&at_once, &one_by_one].map(|done| Simulation::new(done.scene()).unwrap());
        again.step(1);
        known.step(1);
        assert_eq!(again.hash(), known.hash());
    }

    #[test]
    fn what_is_dragged_waits_once_however_many_are_dragged_together() {
        let mut simulation = simulation("(name: \"a\", count: 3, spawn: UniformBox())");
        let moved = |agent, x_m| Edit::Move { agent, x_m, y_m: 1.0, heading_rad: 0.0 };
        for x_m in [1.0, 2.0, 3.0] {
            (0..3).for_each(|agent| simulation.apply_in(moved(agent, x_m), 1).unwrap());
        }
        assert_eq!(simulation.waiting_edits(), [moved(0, 3.0), moved(1, 3.0), moved(2, 3.0)]);
        simulation.apply_in(moved(1, 4.0), 2).unwrap();
        simulation.apply_in(moved(0, 5.0), 1).unwrap();
        assert_eq!(simulation.waiting_edits().len(), 5, "other gestures are other changes");
        simulation.settle();
        simulation.apply_in(moved(0, 6.0), 1).unwrap();
        simulation.apply_in(moved(2, 6.0), 1).unwrap();
        simulation.apply_in(moved(0, 7.0), 1).unwrap();
        simulation.settle();
        let of_first = simulation.edits().iter().filter(|logged| matches!(logged.edit, Edit::Move { agent: 0, .. }));
        let of_first: Vec<&Edit> = of_first.map(|logged| &logged.edit).collect();
        assert_eq!(of_first, [&moved(0, 3.0), &moved(0, 7.0)], "it replaces what came after the other gesture");
        assert_eq!(simulation.edits().len(), 6);
    }

    #[test]
    fn thousands_of_agents_are_changed_one_by_one_between_two_steps() {
        const COUNT: u32 = 2000;
        let mut simulation =
            simulation(&format!("(name: \"a\", count: {COUNT}, spawn: UniformBox(), sensors: [Proximity()])"));
        for agent in 0..COUNT {
            set(&mut simulation, &format!("agents.{agent}.sensors.0.active"), "false");
            set(&mut simulation, &format!("agents.{agent}.sensors.0.range_m"), "0.5");
        }
        assert_eq!(simulation.waiting_edits().len(), 2 * COUNT as usize);
        let description = simulation.agent(COUNT - 1).unwrap().description_ahead();
        assert!(!description.sensors[0].common().active);
    }
}

//! The queue of edits: how they wait for the next step, one in the place of another, and how they are applied and logged.

use std::collections::BTreeMap;

use bevy::prelude::*;

use super::{Edit, LoggedEdit, Outlook, agents, apply, check, merge, population, scene_after};
use crate::agent::fault;
use crate::id::StableId;
use crate::kind::Kinds;
use crate::problem::Problem;
use crate::scene::spawn::Description;
use crate::scene::{Scene, constants};
use crate::state::{StateHash, snapshot};
use crate::step::caches;
use crate::time::SimTime;

/// Edits that wait for the next step, and those that were applied.
#[derive(Resource, Clone, Debug, Default)]
pub struct EditQueue {
    /// Waiting, in the order in which they came, with how they came.
    waiting: Vec<(Edit, Manner)>,
    /// The places of those that move something, at the end of them, as far as they are of one gesture.
    moves: BTreeMap<StableId, usize>,
    /// The scene as it will be when those that wait are applied; `None` when they leave it as it is.
    ahead: Option<Scene>,
    /// What those that wait make of agents.
    pub(super) foreseen: agents::Foreseen,
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
        Some(place) => queue.waiting[place].0 = edit,
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
        self.waiting.get(place)?.0.is_outdone_by(edit).then_some(place)
    }

    /// Whether an edit that comes like this belongs to the last one that waits.
    fn goes_on_with(&self, manner: Manner) -> bool {
        self.waiting.last().is_some_and(|(_, how)| how.gesture == manner.gesture && !how.is_logged && !manner.is_logged)
    }

    fn append(&mut self, edit: Edit, manner: Manner) {
        let id = merge::moved(&edit).filter(|_| manner.gesture > 0 && !manner.is_logged);
        if id.is_none() || !self.goes_on_with(manner) {
            self.moves.clear();
        }
        self.moves.extend(id.map(|id| (id, self.waiting.len())));
        self.waiting.push((edit, manner));
    }
}

/// Queues an edit of the scene, which is `ahead` with it.
fn queue_of_scene(world: &mut World, edit: Edit, manner: Manner, ahead: Scene) -> Result<(), Problem> {
    let Edit::Set { path, value } = edit else { return Ok(()) };
    let edit = Edit::Set { path: constants::resolve(world.resource::<Kinds>(), scene_ahead(world), &path)?, value };
    let scene = world.resource::<Description>().scene();
    let queue = world.resource::<EditQueue>();
    // It moves nothing, so that it can be the last one alone.
    let before = queue.outdone(&edit, manner).map(|place| queue.waiting[..place].iter().map(|(edit, _)| edit));
    // What followed from the last one through a constant goes with it.
    let without = before.clone().and_then(|before| scene_after(world, scene, before.chain([&edit])).ok());
    let foreseen = match before.filter(|_| without.is_some()) {
        Some(before) => agents::Foreseen::by(world, before.chain([&edit])),
        None => {
            let mut foreseen = world.resource::<EditQueue>().foreseen.clone();
            foreseen.see(world, &mut scene_ahead(world).clone(), &edit);
            foreseen
        }
    };
    let mut queue = world.resource_mut::<EditQueue>();
    if without.is_some() {
        queue.waiting.pop();
    }
    (queue.ahead, queue.foreseen) = (Some(without.unwrap_or(ahead)), foreseen);
    queue.append(edit, manner);
    Ok(())
}

/// The edits that wait for the next step.
pub(crate) fn waiting(world: &World) -> impl DoubleEndedIterator<Item = &Edit> + ExactSizeIterator + Clone {
    world.resource::<EditQueue>().waiting.iter().map(|(edit, _)| edit)
}

/// The highest number of the gestures that edits are part of which wait; 0 for none.
pub(crate) fn latest_waiting_gesture(world: &World) -> u64 {
    world.resource::<EditQueue>().waiting.iter().map(|(_, manner)| manner.gesture).max().unwrap_or_default()
}

/// Begins a step: first what was asked for from outside, then what the scene says goes wrong.
pub(super) fn begin(world: &mut World) {
    if !world.resource::<EditQueue>().waiting.is_empty() {
        apply_waiting(world);
    }
    fault::strike(world);
}

/// Applies the edits that wait between two steps, exactly as the next step would; whether there were any.
pub(crate) fn settle(world: &mut World) -> bool {
    if world.resource::<EditQueue>().waiting.is_empty() {
        return false;
    }
    note_hash(world);
    in_next_step(world, apply_waiting);
    true
}

/// Does between two steps what belongs to the start of the next one.
pub(super) fn in_next_step<T>(world: &mut World, act: impl FnOnce(&mut World) -> T) -> T {
    world.resource_mut::<SimTime>().step += 1;
    let done = act(world);
    world.resource_mut::<SimTime>().step -= 1;
    done
}

/// Keeps the hash of the end of the last step, before the first edit after it.
pub(super) fn note_hash(world: &mut World) {
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
    let edits = std::mem::take(&mut queue.waiting);
    // Edits of other things do not look at it.
    let mut scene = if changes_scene { world.resource::<Description>().scene().clone() } else { Scene::default() };
    let mut is_stale = false;
    let renew = |world: &mut World, scene: &Scene| {
        if changes_scene {
            world.insert_resource(Description::new(&kinds, scene.clone()));
        }
        caches::rebuild(world);
    };
    for (edit, manner) in edits {
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
pub(super) fn note(world: &mut World, place: Option<usize>, edit: Edit, gesture: u64) {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::{path, reader};
    use crate::simulation::{Recipe, Simulation};

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
        assert!(simulation.waiting_edits().eq(&[moved(0, 3.0), moved(1, 3.0), moved(2, 3.0)]));
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

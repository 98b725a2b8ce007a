//! Starts of runs that take long: their simulations are made on a thread, once it is known that their robots have room.

use std::f64::consts::PI;

use swarmarium_base::problem::Problems;
use swarmarium_core::step::HasArena as _;
use swarmarium_formats::load::Loaded;
use swarmarium_host::clock::Host;
use swarmarium_host::clock::host::apart::{Apart, PreparedStart, StartPlan};
use swarmarium_scene::scene::Scene;
use swarmarium_scene::scene::description::{Group, InitialReadings};
use swarmarium_simulation::edit::Edit;
use swarmarium_simulation::simulation::{Recipe, Simulation};
use swarmarium_space::Boundary;

use crate::common::kept_changes::condensed;
use crate::common::progress::Progress;
use crate::common::text::grouped;

/// The number of robots from which on the simulation of a start is made on a thread.
const MANY_ROBOTS: u64 = 2000;

/// The part of the arena that bodies cover from which on their room is checked before a start. Discs that are placed at
/// random cover at most about 0.55 of a plane (random sequential adsorption: Feder 1980).
const CROWDED: f64 = 0.35;

/// The largest part of a plane that equal discs cover: on a hexagonal lattice.
const DENSEST: f64 = 0.906_899_682_117_109;

/// The largest number of placements that look for the number of robots with room.
const MOST_TRIES: u32 = 12;

/// A request for a start.
#[derive(Clone, Debug)]
pub enum Start {
    /// Edits that restart the run, and their transaction.
    Edits(Vec<Edit>, u64),
    /// A reset, with another seed if there is one.
    Reset(Option<u64>),
    /// The scene as it was opened.
    Revert,
    /// Another scene, and the name under which it was read.
    Open(String, Box<Loaded>),
}

impl Start {
    /// Returns the one start with the effect of this one and a later one; `None` if there is none. Of several changes of
    /// a parameter, the last one counts.
    fn joined(&self, later: &Self) -> Option<Self> {
        let of_seed = |seed: &Option<u64>| seed.map(|seed| Edit::Set { path: "seed".into(), value: seed.to_string() });
        Some(match (self, later) {
            (_, Self::Revert | Self::Open(..)) => later.clone(),
            (Self::Revert | Self::Open(..), _) => return None,
            (Self::Reset(seed), Self::Reset(later)) => Self::Reset(later.or(*seed)),
            (Self::Edits(edits, transaction), Self::Reset(seed)) => {
                Self::Edits(condensed(edits.iter().chain(&of_seed(seed))), *transaction)
            }
            (Self::Reset(seed), Self::Edits(edits, transaction)) => {
                Self::Edits(condensed(of_seed(seed).iter().chain(edits)), *transaction)
            }
            (Self::Edits(edits, _), Self::Edits(later, transaction)) => {
                Self::Edits(condensed(edits.iter().chain(later)), *transaction)
            }
        })
    }
}

/// Start requests whose simulations are made on a thread.
#[derive(Default)]
pub struct Starts {
    work: Option<Starting>,
    /// The requests during the work, in order. Those that one start can serve are joined.
    waiting: Vec<Waiting>,
    /// Whether requests start although robots have no room.
    pub is_crowding_allowed: bool,
}

/// A start that waits for the one before it.
pub struct Waiting {
    /// The start.
    pub start: Start,
    /// Whether it starts although robots have no room.
    pub is_crowding_allowed: bool,
}

/// A start whose simulation is being made.
struct Starting {
    start: Start,
    robots: u64,
    work: Apart<Result<Prepared, Problems>>,
}

/// The result of the preparation of a start.
pub enum Prepared {
    /// The simulation.
    Ready(Box<PreparedStart>),
    /// These groups have no room for all of their robots.
    Crowded(Vec<Room>),
}

/// The room for the robots of a group.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Room {
    /// The index of the group.
    pub group: usize,
    /// The name of the group.
    pub name: String,
    /// The requested number of robots.
    pub wanted: u32,
    /// The number that its spawner places without overlaps.
    pub fit: u32,
}

impl Starts {
    /// Returns the start that may make its simulation at once: the requested one, joined with those that wait. Otherwise
    /// the request begins, or waits for the one in progress.
    pub fn may_start(&mut self, host: &Host, recipe: &Recipe, start: Start, scene: Scene) -> Option<Start> {
        if self.work.is_some() {
            let all = self.pending().chain([&start]).cloned().map(Some);
            let all = all.reduce(|all, later| all?.joined(later.as_ref()?)).flatten();
            let scene_of_all = all.as_ref().and_then(|all| match all {
                // The pending changes are not yet in the scene.
                Start::Edits(edits, _) => host.scene_with(edits).ok(),
                Start::Reset(_) | Start::Revert | Start::Open(..) => Some(scene),
            });
            if let Some((all, scene)) = all.zip(scene_of_all)
                && !self.is_checked(&all, &scene)
                && robots(&scene) < MANY_ROBOTS
            {
                // A smaller world replaces a larger one that was requested before.
                self.cancel();
                return Some(all);
            }
            self.wait(start);
            return None;
        }
        let is_checked = self.is_checked(&start, &scene);
        if host.has_prepared(&scene) || (!is_checked && robots(&scene) < MANY_ROBOTS) {
            return Some(start);
        }
        self.begin(host, recipe, (start, scene), is_checked);
        None
    }

    /// Whether a start is made only if its robots have room.
    fn is_checked(&self, start: &Start, scene: &Scene) -> bool {
        matches!(start, Start::Edits(..)) && !self.is_crowding_allowed && is_crowded(scene)
    }

    /// Returns the requests that are not yet started, in order.
    fn pending(&self) -> impl Iterator<Item = &Start> {
        self.work.iter().map(|work| &work.start).chain(self.waiting.iter().map(|waiting| &waiting.start))
    }

    /// Adds a request to those that wait.
    fn wait(&mut self, start: Start) {
        let is_crowding_allowed = self.is_crowding_allowed;
        if let Some(last) = self.waiting.last_mut()
            && let Some(joined) = last.start.joined(&start)
        {
            *last = Waiting { start: joined, is_crowding_allowed };
        } else {
            self.waiting.push(Waiting { start, is_crowding_allowed });
        }
    }

    fn begin(&mut self, host: &Host, recipe: &Recipe, (start, scene): (Start, Scene), is_checked: bool) {
        // Robots that overlap now may do so after the start.
        let known = is_checked.then(|| without_room(host.simulation()).map(|(_, count)| u64::from(count)).sum());
        let (plan, recipe, robots) = (host.plan_start(scene.clone()), recipe.clone(), robots(&scene));
        let work = Apart::begin(move || prepare(plan, &scene, &recipe, known));
        self.work = Some(Starting { start, robots, work });
    }

    /// Returns a start that is ready, once, with its result. The start that waits for it is
    /// [next](Self::take_waiting). If robots have no room, the next changes may give it to them: both are one start then.
    ///
    /// # Panics
    /// If the work has panicked; it is dropped then.
    pub fn poll(&mut self) -> Option<(Start, Result<Prepared, Problems>)> {
        let starting = self.work.take()?;
        let Some(done) = starting.work.poll() else {
            self.work = Some(starting);
            return None;
        };
        let Starting { start, .. } = starting;
        if let Ok(Prepared::Crowded(_)) = done
            && let Some(next) = self.waiting.first_mut()
            && let Some(joined) = start.joined(&next.start)
        {
            next.start = joined;
            return None;
        }
        Some((start, done))
    }

    /// Takes the first of the waiting requests, once no other one is in progress.
    pub fn take_waiting(&mut self) -> Option<Waiting> {
        (self.work.is_none() && !self.waiting.is_empty()).then(|| self.waiting.remove(0))
    }

    /// Cancels all requests. Returns whether there was one.
    pub fn cancel(&mut self) -> bool {
        self.waiting.clear();
        self.work.take().is_some()
    }

    /// Whether a start is in progress or waits.
    pub fn is_busy(&self) -> bool {
        self.work.is_some() || !self.waiting.is_empty()
    }

    /// Returns the progress of the present request.
    pub fn progress(&self) -> Option<Progress> {
        let Starting { robots, work, .. } = self.work.as_ref()?;
        let label = format!("Busy: placing {} robots ({:.1} s)", grouped(*robots), work.since().as_secs_f64());
        Some(Progress { done: 0, steps: 0, label })
    }
}

fn prepare(plan: StartPlan, scene: &Scene, recipe: &Recipe, known: Option<u64>) -> Result<Prepared, Problems> {
    if let Some(known) = known {
        let rooms = rooms(scene, recipe)?;
        let lacking: u64 = rooms.iter().map(|room| u64::from(room.wanted - room.fit)).sum();
        if lacking > known {
            return Ok(Prepared::Crowded(rooms));
        }
    }
    Ok(Prepared::Ready(Box::new(plan.make()?)))
}

fn robots(scene: &Scene) -> u64 {
    scene.groups.iter().map(|group| u64::from(group.spawned()) + group.placements().count() as u64).sum()
}

/// The part of the arena that a robot of a group covers.
fn part_of_arena(scene: &Scene, group: &Group) -> f64 {
    PI * group.body.radius_m().powi(2) / scene.arena.size_m.element_product()
}

/// Whether robots that must not overlap cover much of the arena.
fn is_crowded(scene: &Scene) -> bool {
    let avoids = |group: &Group| group.spawned() > 0 && group.spawn.common().avoid_overlap;
    let covered: f64 = scene.groups.iter().map(|group| part_of_arena(scene, group) * f64::from(group.spawned())).sum();
    scene.arena.boundary != Boundary::Open && covered > CROWDED && scene.groups.iter().any(avoids)
}

/// The groups of a simulation with robots without room, and their numbers.
fn without_room(simulation: &Simulation) -> impl Iterator<Item = (usize, u32)> {
    let lacks = simulation.world().arena().without_room.iter();
    lacks.filter(|lack| !lack.of_objects).map(|lack| (lack.group, lack.count))
}

/// The groups of a scene without room for all of their robots: as many are left out as have none, until all others have
/// room.
///
/// # Errors
/// If the simulation cannot be made.
pub fn rooms(scene: &Scene, recipe: &Recipe) -> Result<Vec<Room>, Problems> {
    // Sensors need not read for that.
    let mut tried = Scene { initial_readings: InitialReadings::Zero, ..scene.clone() };
    for number in 0..tried.groups.len() {
        let most = DENSEST / part_of_arena(scene, &scene.groups[number]);
        let group = &mut tried.groups[number];
        if scene.arena.boundary != Boundary::Open && group.spawn.common().avoid_overlap && group.at.is_empty() {
            // No placement is denser, so a longer search would find the same.
            group.count = group.count.min(most.ceil().min(f64::from(u32::MAX)) as u32);
        }
    }
    for _ in 0..MOST_TRIES {
        let simulation = Simulation::with(&tried, recipe, 1)?;
        let lacks: Vec<(usize, u32)> = without_room(&simulation).collect();
        if lacks.is_empty() {
            break;
        }
        for (group, count) in lacks {
            if let Some(group) = tried.groups.get_mut(group) {
                group.count = group.count.saturating_sub(count);
            }
        }
    }
    let fit =
        scene.groups.iter().zip(&tried.groups).enumerate().filter(|(_, (group, tried))| group.count > tried.count);
    let room = fit.map(|(number, (group, tried))| Room {
        group: number,
        name: group.name.clone(),
        wanted: group.count,
        fit: tried.count,
    });
    Ok(room.collect())
}

#[cfg(test)]
mod tests {
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    use swarmarium_formats::standard::Standard as _;
    use swarmarium_scene::scene::reader;

    use super::*;

    fn scene(text: &str) -> (Scene, Recipe) {
        let recipe = Recipe::standard();
        (reader::read(recipe.kinds(), "test.ron", text).unwrap(), recipe)
    }

    #[test]
    fn the_number_that_fits_is_placed_without_overlaps() {
        let (scene, recipe) = scene(
            "(arena: (size_m: (5.0, 5.0), boundary: Walls),
            groups: [(name: \"g\", count: 50000, spawn: UniformBox(min_m: (1.5, 1.5), max_m: (3.5, 3.5)),
            body: Disc(radius_m: 0.037))])",
        );
        assert!(is_crowded(&scene));
        let rooms = rooms(&scene, &recipe).unwrap();
        let [Room { group: 0, wanted: 50000, fit, .. }] = rooms[..] else { panic!("{rooms:?}") };
        // A lattice would hold about 5,000.
        assert!((2000..5000).contains(&fit), "{fit}");
        let mut fitting = scene;
        fitting.groups[0].count = fit;
        assert_eq!(Simulation::with(&fitting, &recipe, 1).unwrap().without_room(), []);
    }

    #[test]
    fn a_panic_of_the_work_is_reported_once() {
        let work = Apart::begin(|| panic!("no memory"));
        let starting = Starting { start: Start::Reset(None), robots: 3000, work };
        let mut starts = Starts { work: Some(starting), ..Starts::default() };
        let is_caught = |starts: &mut Starts| catch_unwind(AssertUnwindSafe(|| starts.poll().is_some())).is_err();
        while !is_caught(&mut starts) {
            assert!(starts.is_busy());
            thread::yield_now();
        }
        assert!(!is_caught(&mut starts) && !starts.is_busy());
    }

    #[test]
    fn starts_are_joined_and_the_last_value_counts() {
        let edits = |path: &str, value: &str, transaction| {
            Start::Edits(vec![Edit::Set { path: path.into(), value: value.into() }], transaction)
        };
        let (count, seed) = (edits("groups.0.count", "5", 1), edits("seed", "9", 2));
        let Some(Start::Edits(both, 2)) = count.joined(&seed) else { panic!("two changes") };
        assert_eq!(both.len(), 2);
        let assert_joined = |start: &Start, later: &Start, both: &Start| {
            assert_eq!(format!("{:?}", start.joined(later)), format!("{:?}", Some(both)));
        };
        assert_joined(&count, &edits("groups.0.count", "7", 3), &edits("groups.0.count", "7", 3));
        assert_joined(&count, &Start::Reset(None), &count);
        assert_joined(&Start::Reset(Some(8)), &Start::Reset(None), &Start::Reset(Some(8)));
        assert_joined(&Start::Reset(Some(8)), &seed, &seed);
        assert_joined(&count, &Start::Revert, &Start::Revert);
        assert!(Start::Revert.joined(&count).is_none());
    }

    #[test]
    fn robots_with_enough_room_are_all_placed() {
        let (scene, recipe) =
            scene("(arena: (size_m: (5.0, 5.0), boundary: Walls), groups: [(name: \"g\", count: 30)])");
        assert!(!is_crowded(&scene));
        assert_eq!(rooms(&scene, &recipe).unwrap(), []);
    }
}

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

/// Start requests whose simulations are made on a thread.
#[derive(Default)]
pub struct Starts {
    work: Option<Starting>,
    /// The latest request during the work.
    next: Option<Request>,
    /// Whether requests start although robots have no room.
    pub is_crowding_allowed: bool,
}

/// A start that is requested.
struct Request {
    start: Start,
    scene: Scene,
    /// Whether it starts only if its robots have room.
    is_checked: bool,
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
    /// Whether a start may make its simulation at once. Otherwise the request begins, or waits for the one in progress.
    pub fn may_start(&mut self, host: &Host, recipe: &Recipe, start: Start, scene: Scene) -> bool {
        if host.has_prepared(&scene) {
            return true;
        }
        let is_checked = matches!(start, Start::Edits(..)) && !self.is_crowding_allowed && is_crowded(&scene);
        if !is_checked && robots(&scene) < MANY_ROBOTS {
            // A smaller world replaces a larger one that was requested before.
            self.cancel();
            return true;
        }
        let request = Request { start, scene, is_checked };
        match self.work {
            Some(_) => self.next = Some(request),
            None => self.begin(host, recipe, request),
        }
        false
    }

    fn begin(&mut self, host: &Host, recipe: &Recipe, Request { start, scene, is_checked }: Request) {
        // Robots that overlap now may do so after the start.
        let known = is_checked.then(|| without_room(host.simulation()).map(|(_, count)| u64::from(count)).sum());
        let (plan, recipe, robots) = (host.plan_start(scene.clone()), recipe.clone(), robots(&scene));
        let work = Apart::begin(move || prepare(plan, &scene, &recipe, known));
        self.work = Some(Starting { start, robots, work });
    }

    /// Returns a start that is ready, once, with its result. A newer request takes the place of one that found no room.
    pub fn poll(&mut self, host: &Host, recipe: &Recipe) -> Option<(Start, Result<Prepared, Problems>)> {
        let done = self.work.as_ref()?.work.poll()?;
        let start = self.work.take()?.start;
        if let Some(next) = self.next.take() {
            self.begin(host, recipe, next);
            if !matches!(done, Ok(Prepared::Ready(_))) {
                return None;
            }
        }
        Some((start, done))
    }

    /// Cancels all requests. Returns whether there was one.
    pub fn cancel(&mut self) -> bool {
        self.next = None;
        self.work.take().is_some()
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
    fn robots_with_enough_room_are_all_placed() {
        let (scene, recipe) =
            scene("(arena: (size_m: (5.0, 5.0), boundary: Walls), groups: [(name: \"g\", count: 30)])");
        assert!(!is_crowded(&scene));
        assert_eq!(rooms(&scene, &recipe).unwrap(), []);
    }
}
